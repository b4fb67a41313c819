"""A study: models, data, splits and metrics in one file, so that a run can be started, gone on with and shared."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiebreak.plan.splits import KINDS, OPTIONS
from tiebreak.study_file.data import StudyData, read_datasets
from tiebreak.study_file.models import build, build_models, import_object
from tiebreak.study_file.toml import Entry, kind_of, nearest, plain, read_toml

_KEYS = (
    "name", "rope", "metrics", "seed", "n_jobs", "timeout", "threads_per_fit", "keep_predictions", "store",
    "data", "cv", "inner", "models",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Request of a study file, with the models made and the data read.

    Attributes
    ----------
    file : str
        The path as messages call it.
    path : Path
        Absolute.
    name : str
        Of the run; the file's name without its ending where the file says none.
    models : mapping of str to estimator, function, or mapping of candidates
    datasets : mapping of str to StudyData
        A single one that was not named is called "".
    cv : None, int, str, dict or splitter
        As for `tiebreak.evaluate`.
    inner : None, int, str, dict or splitter
        The inner splits of `tiebreak.nested_cross_validate`.
    metrics : tuple of str or scorer, or None
    rope : float or str
        For the comparison that follows.
    seed : int
    n_jobs : int
    timeout : float or None
    threads_per_fit : "auto" or int
    keep_predictions : bool
    store : str or None
        Its URL.
    """

    file: str
    path: Path
    name: str
    models: Mapping[str, Any]
    datasets: Mapping[str, StudyData]
    cv: Any = None
    inner: Any = None
    metrics: tuple[Any, ...] | None = None
    rope: float | str = 0.0
    seed: int = 0
    n_jobs: int = 1
    timeout: float | None = None
    threads_per_fit: int | Literal["auto"] = "auto"
    keep_predictions: bool = True
    store: str | None = None

    @property
    def plan_arguments(self) -> dict[str, Any]:
        """Arguments of `make_plan` and of `evaluate` that say what is to be measured, but for the metrics."""
        arguments = {"models": self.models, "cv": self.cv, "rng": self.seed}
        if list(self.datasets) == [""]:
            data = self.datasets[""]
            return {**arguments, "X": data.X, "y": data.y, "groups": data.groups, "sample_weight": data.weights}
        datasets = {
            name: (data.X, data.y) if data.groups is None else (data.X, data.y, data.groups)
            for name, data in self.datasets.items()
        }
        return {**arguments, "datasets": datasets}

    @property
    def scoring(self) -> list[Any] | None:
        """The metrics as `evaluate` takes them."""
        return None if self.metrics is None else list(self.metrics)


def read_study(path: Path | str) -> Study:
    """Read a study file: check it, import its models, read its data.

    Modules beside the file can be imported from then on, after everything that could be before.

    Parameters
    ----------
    path : Path or str
        A TOML file.

    Raises
    ------
    InvalidStudyError
        Something in it cannot be used; the text names file, key and value.
    SourceNotFoundError
        The file, or a file with data, is not there.
    """
    path = Path(path)
    whole = read_toml(path)
    table = whole.table(_KEYS)
    for key, example in (("data", '[data] with source = "table.csv"'), ("models", '[models.NAME] with import = "module:class"')):
        if key not in table:
            raise whole.error(f"there is no {key}. Add {example}.")
    folder = path.absolute().parent
    settings = {"name": path.stem} | {key: _READ[key](table[key]) for key in _READ if key in table}
    _make_importable(folder)
    return Study(
        file=plain(str(path)),
        path=path.absolute(),
        cv=_cv(table["cv"]) if "cv" in table else None,
        inner=_cv(table["inner"]) if "inner" in table else None,
        metrics=_metrics(table["metrics"]) if "metrics" in table else None,
        models=build_models(table["models"]),
        datasets=read_datasets(table["data"], folder),
        **settings,
    )


def _make_importable(folder: Path) -> None:
    """Let modules in the folder of the study be found, last of all: none of them can stand in for an installed one."""
    importlib.invalidate_caches()
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


# --- settings -------------------------------------------------------------------------------------------------------------


def _rope(entry: Entry) -> float | str:
    value, share = entry.value, None
    if isinstance(value, str) and value.strip().endswith("%"):
        try:
            share = float(value.strip().removesuffix("%"))
        except ValueError:
            share = None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        share = float(value)
    if share is None or not 0 <= share < float("inf"):
        raise entry.error('must be a number of at least 0 in the metric\'s unit, or a percentage of the best mean such as "1%".')
    return value if isinstance(value, str) else share


def _n_jobs(entry: Entry) -> int:
    if isinstance(entry.value, bool) or not isinstance(entry.value, int) or entry.value == 0:
        raise entry.error("must be a whole number of worker processes, or -1 for all cores.")
    return entry.value


def _threads(entry: Entry) -> int | Literal["auto"]:
    return "auto" if entry.value == "auto" else entry.count(1)


_READ: dict[str, Any] = {
    "name": Entry.text,
    "rope": _rope,
    "seed": lambda entry: entry.count(0),
    "n_jobs": _n_jobs,
    "timeout": Entry.seconds,
    "threads_per_fit": _threads,
    "keep_predictions": Entry.flag,
    "store": Entry.text,
}


def _metrics(entry: Entry) -> tuple[Any, ...]:
    """Names of scorers as they are; what is written "module:name" is imported, and a table is made into an object."""
    entries = [entry] if isinstance(entry.value, str | dict) else entry.items()
    metrics: list[Any] = []
    for place, each in enumerate(entries):
        if any(each.value == other.value for other in entries[:place]):
            raise each.error("stands twice.")
        metrics.append(_made_metric(each) if isinstance(each.value, dict) else _named_metric(each))
    return tuple(metrics)


def _named_metric(entry: Entry) -> Any:
    name = entry.text()
    return import_object(entry) if ":" in name else name


def _made_metric(entry: Entry) -> Any:
    """A metric that is an object: imported with its parameters, or a cost matrix under its own key."""
    if "cost" not in entry.value:
        entry.table(("import", "params"))
        if "import" not in entry.value:
            raise entry.error("says neither cost nor import. Write { cost = { actual = { predicted = 1, ... }, ... } }.")
        return build(entry)
    table = entry.table(("cost", "labels", "name"))
    names = {"cost": "costs", "labels": "labels", "name": "name"}
    params = {names[key]: each.value for key, each in table.items()}
    return build(Entry(entry.file, entry.keys, {"import": "tiebreak.metrics.costs:CostMatrix", "params": params}))


def _cv(entry: Entry) -> Any:
    """A number of folds, a kind of splits with its options, or a splitter that is imported."""
    if isinstance(entry.value, bool) or not isinstance(entry.value, int | str | dict):
        raise entry.error(f"must be a number of folds, a kind of splits or a table; got {kind_of(entry.value)}.")
    if isinstance(entry.value, int):
        return entry.count(2)
    if isinstance(entry.value, str):
        return _kind(entry)
    if "import" in entry.value:
        return _splitter(entry)
    if "kind" not in entry.value:
        raise entry.error(f'says no kind. Add kind = "{KINDS[1]}"; {nearest("", KINDS, "the kinds are")}')
    known = OPTIONS[_kind(entry.at("kind"))]
    return {key: each.value for key, each in entry.table(("kind", *known)).items()}


def _kind(entry: Entry) -> str:
    if entry.text() not in KINDS:
        raise entry.error(f"there is no such kind of splits; {nearest(entry.value, KINDS, 'the kinds are')}")
    return str(entry.value)


def _splitter(entry: Entry) -> Any:
    entry.table(("import", "params"))
    splitter = build(entry)
    if not hasattr(splitter, "split"):
        raise entry.at("import").error("is no splitter: it has no split.")
    return splitter
