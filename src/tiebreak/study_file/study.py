"""A study: models, data, splits and metrics in one file, so that a run can be started, gone on with and shared."""

import inspect
import pkgutil
import re
import sys
import tomllib
import traceback
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, field, structs

from tiebreak.errors import InvalidParameterError, TiebreakError
from tiebreak.numerics import check_rope_given
from tiebreak.plan.candidates import grid
from tiebreak.plan.splits import KINDS
from tiebreak.printable import printable
from tiebreak.readers.files import content_of
from tiebreak.study_file.data import StudyData, read_datasets
from tiebreak.study_file.toml import Entry, shown

_HOW = 'Write "module:name", such as "sklearn.svm:SVC".'


class Study(Struct, kw_only=True, eq=False):
    """Request of a study file, with the models made and the data read.

    `file` is the path as messages call it. The name is that of the run, the file's name without its ending where the file says
    none; a single dataset that was not named is called "". `rope` is for the comparison that follows, `store` a URL;
    the rest is as for `tiebreak.evaluate`.
    """

    file: str = ""
    path: Path = Path()
    name: str = ""
    models: dict[str, Any] = {}
    datasets: dict[str, Any] = field(name="data", default_factory=dict)
    cv: Any = None
    scoring: Any = field(name="metrics", default=None)
    rope: float | str = 0.0
    seed: Annotated[int, Meta(ge=0)] = 0
    n_jobs: int = 1
    timeout: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    threads_per_fit: Any = "auto"
    share_steps: bool = True
    keep_predictions: bool = True
    store: str | None = None

    @property
    def plan_arguments(self) -> dict[str, Any]:
        """Arguments of `make_plan` and of `evaluate` that say what is to be measured, but for the metrics."""
        alone = self.datasets.get("", StudyData(None, None))
        named = {name: data[: 2 if data.groups is None else 3] for name, data in self.datasets.items() if name}  # X, y, groups
        return {
            "models": self.models,
            "datasets": named or None,
            "X": alone.X,
            "y": alone.y,
            "groups": alone.groups,
            "sample_weight": alone.weights,
            "cv": self.cv,
            "rng": self.seed,
        }


def read_study(path: Path | str) -> Study:
    """Read a study file: check it, import and make its models, read its data.

    A study file is code: what it imports is run.

    Modules beside the file can be imported from then on, after everything that could be before. What cannot be used is an
    `InvalidParameterError` that names file, key and value; a file that is not there a `SourceNotFoundError`.
    """
    path = Path(path)
    whole = _read_toml(path)
    whole.check_keys([key for key in Study.__struct_encode_fields__ if key not in ("file", "path")])
    asked: Study = whole.read(Study)
    whole.require(asked.models, 'there are no models. Add [models.NAME] with import = "module:class".')
    try:
        check_rope_given(asked.rope)
    except InvalidParameterError as error:
        raise whole.at("rope").error(str(error)) from None
    folder = path.absolute().parent
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last of all: no module beside the study can stand in for an installed one
    scoring = [_metric(each) for each in whole.at("metrics").items()] if "metrics" in whole.value else None
    models = {name: _model(whole.at("models").at(name)) for name in asked.models}
    return structs.replace(
        asked,
        file=whole.file,
        path=path.absolute(),
        name=asked.name or path.stem,
        models=models,
        datasets=read_datasets(whole.at("data"), folder),
        cv=_splits(whole.at("cv")),
        scoring=scoring,
    )


def _read_toml(path: Path) -> Entry:
    """The whole of a study file."""
    name, content = printable(str(path)), content_of(path, str(path))
    whole = Entry(name, (), None)
    whole.require(len(content) <= _LARGEST, f"takes more than {_LARGEST / 1e6:.0f} MB, which no study file does. Is it a table?")
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
        shown(table)  # fails where whole numbers have more digits than Python writes in a message
    except (RecursionError, ValueError) as error:
        raise whole.error(
            f"is no study file, which is TOML in UTF-8: {error}. For a table of scores call 'tiebreak compare'."
        ) from None
    return Entry(name, (), table)


_LARGEST = 2**24
"""Bytes of a study file."""


# --- splits and metrics -----------------------------------------------------------------------------------------------------


def _splits(entry: Entry) -> Any:
    """A number of folds, a kind of splits, a table of a kind with options, or a splitter that is imported; None for nothing."""
    kind = entry.at("kind") if isinstance(entry.value, dict) and "import" not in entry.value else entry
    if kind is not entry or isinstance(entry.value, str):
        kind.check_name(KINDS, "kind of splits")
    return _resolve(entry)


def _metric(entry: Entry) -> Any:
    """The name of a scorer as it is; what is written "module:name" is imported, and a table is made into an object."""
    value = entry.read(str | dict[str, Any])
    if isinstance(value, str):
        return _imported(entry) if ":" in value else value
    if "cost" in value:
        entry.check_keys(("cost", "labels", "name"))
        params = {"costs" if key == "cost" else key: each for key, each in value.items()}
        return _object(Entry(entry.file, entry.keys, {"import": "tiebreak:CostMatrix", "params": params}))
    if "metric" not in value:
        return _object(entry)
    from sklearn.metrics import get_scorer, make_scorer

    entry.check_keys(("metric", "positive"))
    entry.at("metric").check_name(
        ("average_precision", "f1", "jaccard", "neg_brier_score", "precision", "recall"), "metric with a positive class"
    )
    entry.require("positive" in value, 'says no positive: the label that is to be found, such as positive = "yes".')
    scorer = get_scorer(value["metric"])
    settings = {**scorer._kwargs, "response_method": scorer._response_method, "greater_is_better": scorer._sign > 0}
    return make_scorer(scorer._score_func, **settings | {"pos_label": value["positive"]})


# --- models and other objects -----------------------------------------------------------------------------------------------


def _model(entry: Entry) -> Any:
    """The model of a table, or its candidates by name where it has a grid."""
    model, place = _object(entry, "grid"), entry.at("grid")
    if place.value is None:
        return model
    tables = [{name: _resolve(each.at(name)) for name in each.read(dict[str, Any])} for each in place.items()]
    place.require(tables, "it has no table, so there is no model to measure. Give one, or leave it out.")
    try:
        return grid(model, tables)
    except TiebreakError as error:
        raise place.error(str(error)) from error


def _object(entry: Entry, *more: str) -> Any:
    """The object that a table has to name, which may have `more` keys."""
    entry.require({"import", "steps"} & {*entry.read(dict[str, Any])}, f"says neither import nor steps. {_HOW}")
    return _resolve(entry, *more)


def _resolve(entry: Entry, *more: str) -> Any:
    """The value of an entry, in which tables with ``import`` or ``steps`` become objects.

    A class is called with its parameters; what is no class stays as it is.
    """
    if isinstance(entry.value, list):
        return [_resolve(each) for each in entry.items()]
    if not isinstance(entry.value, dict):
        return entry.value
    if "steps" in entry.value:
        entry.check_keys(("steps", *more))
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*(_object(each) for each in entry.at("steps").items()))
    if "import" not in entry.value:
        return {name: _resolve(entry.at(name)) for name in entry.value}
    entry.check_keys(("import", "params", *more))
    found, params = _imported(entry.at("import")), entry.at("params")
    given = params.read(dict[str, Any] | None) or {}
    if not isinstance(found, type):
        params.require(not given, f"{entry.value['import']} is no class, and takes no parameters.")
        return found
    values = {name: _resolve(params.at(name)) for name in given}
    try:
        return found(**values)
    except Exception as error:
        if "unexpected keyword argument" in str(error):
            params.check_keys([*inspect.signature(found).parameters], f"parameter of {found.__name__}")
        raise entry.error(f"{found.__name__} could not be made: {error!r:.300}.") from error


def _imported(entry: Entry) -> Any:
    """Object that a text such as "sklearn.svm:SVC" (or "sklearn.svm.SVC") names."""
    text = entry.read(str)
    entry.require(re.fullmatch(r"\w+(\.\w+)*[:.]\w+(\.\w+)*", text), f"is no name to import. {_HOW}")
    try:
        return pkgutil.resolve_name(text)
    except (Exception, SystemExit) as error:
        known = dir(error.obj) if isinstance(error, AttributeError) else [each.name for each in pkgutil.iter_modules()]
        if isinstance(error, AttributeError | ModuleNotFoundError) and error.name in re.split("[:.]", text):
            entry.check_name(known, "module, or part of one,", error.name)
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if last.filename.startswith("<") else f" ({Path(last.filename).name}, line {last.lineno})"
        raise entry.error(f"cannot be imported: {error!r:.300}{where}.") from error
