"""A plan: models x datasets x splits, decided before anything is measured."""

import operator
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np

from tiebreak.errors import DataError, InvalidParameterError, Setting
from tiebreak.metrics.scorer import Scorer
from tiebreak.numerics import refuse_unless
from tiebreak.plan.data import check_dataset, check_datasets, find_task
from tiebreak.plan.fingerprint import fingerprint
from tiebreak.plan.models import is_function, module_of, name_models, parts_of
from tiebreak.plan.record import Cell, DatasetRecord, MetricRecord, ModelRecord, RunRecord
from tiebreak.plan.splits import PlannedDataset, Splits, fields_of, make_splits

_ALWAYS = ("numpy", "scipy", "scikit-learn")
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def find_versions(models: Iterable[Any]) -> dict[str, str]:
    """Versions of Python, of what every fit uses, and of the distributions that the models and their parts come from, by name."""
    found = {"python": platform.python_version()} | {name: metadata.version(name) for name in _ALWAYS}
    parts = [part for model in models for part in parts_of(model) if part is model or hasattr(part, "get_params")]
    for top in {module_of(part).partition(".")[0] for part in parts}:
        name = _DISTRIBUTIONS.get(top, top)
        with suppress(metadata.PackageNotFoundError, ValueError):  # no distribution
            found[name] = metadata.version(name)
    return found


MOST_CELLS = 5_000_000

MOST_AT_ONCE = 10_000
"""Processes of a run, and threads of a fit."""

SMALL_DATA = 1_000_000
"""Numbers in X of a training set up to which one thread for each fit is fastest, or hardly slower."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Plan of a measurement: models, datasets with their splits, and the random seed.

    Models stand in the order given, and all datasets are for the same task. All seeds are derived from `rng`; None leaves random
    states as they are, and the run cannot be reproduced.
    """

    models: Mapping[str, Any]
    datasets: tuple[PlannedDataset, ...]
    rng: int | None = 0

    def cells(self, order: Sequence[int] | None = None) -> list[Cell]:
        """All cells; those of the same split follow one another, the models in the order given, else in their own."""
        models = range(len(self.models)) if order is None else order
        return [
            Cell(dataset, split, model)
            for dataset, planned in enumerate(self.datasets)
            for split in range(len(planned.splits))
            for model in models
        ]

    def record(
        self,
        name: str | None,
        scorers: Sequence[Scorer],
        *,
        threads: int | None,
        settings: Mapping[str, Any] | None = None,
        with_hashes: bool = True,
        kind: str = "run",
    ) -> RunRecord:
        """The plan as it is remembered; without hashes where nothing outlives this process and has to be recognised.

        A run that has no name is called by its kind and its data, whatever the models: "run-0f1e2d3c".
        """
        models = [
            ModelRecord(name, fingerprint(model), describe_model(model)) if with_hashes else ModelRecord(name, "")
            for name, model in self.models.items()
        ]
        datasets = []
        for planned in self.datasets:
            data, labels = planned.data, planned.truth.classes
            numbers = data.y if data.y.dtype.kind in "biuf" else None
            dataset = DatasetRecord(
                name=data.name,
                fingerprint=fingerprint([data.X, data.y, data.groups, data.fit_params]) if with_hashes else "",
                n_samples=data.n_samples,
                n_features=data.n_features,
                classes=None if labels is None else tuple(labels.tolist()),
                target=numbers if labels is None else planned.truth.code,
                split_hashes=tuple(fingerprint(split) if with_hashes else "" for split in planned.splits),
                test_rows=tuple(split.test for split in planned.splits),
                **fields_of(planned, Splits),
            )
            datasets.append(dataset)
        if with_hashes and not name:
            # data that several parts of a plan share, such as the sizes of a learning curve, count once
            name = f"{kind}-{fingerprint(list(dict.fromkeys(each.fingerprint for each in datasets)))[:8]}"
        return RunRecord(
            name=name or "run",
            models=tuple(models),
            datasets=tuple(datasets),
            metrics=tuple(
                MetricRecord(each.metric, fingerprint(each.fingerprint_parts) if with_hashes else "") for each in scorers
            ),
            rng=self.rng,
            threads=threads,
            versions=find_versions(self.models.values()) if with_hashes else {},
            settings=settings or {},
        )


def make_plan(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    groups: Any = None,
    datasets: Any = None,
    cv: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    rng: Any = 0,
) -> Plan:
    """Check everything that can be checked before the first fit, and make the splits.

    The parameters are those of `tiebreak.evaluate`. Raises `DataError` for models, data or splits that cannot be
    evaluated as they stand.
    """
    seed = check_rng(rng)
    named = name_models(models)
    if datasets is not None:
        given = {"X": X, "y": y, "groups": groups, "sample_weight": sample_weight, "fit_params": fit_params}
        beside = [name for name, value in given.items() if value is not None]
        if beside:
            raise DataError(f"datasets= is given, and so is {beside[0]}=. Give either datasets= or X, y and what goes with them.")
        checked = check_datasets(datasets)
    else:
        checked = (check_dataset(X, y, groups=groups, sample_weight=sample_weight, fit_params=fit_params),)
    if len(checked) > 1 and cv is not None and not isinstance(cv, int | str | Mapping) and not hasattr(cv, "split"):
        raise DataError(
            "cv is a list of splits, which fits one dataset only. With datasets=, pass a number, a name or a splitter."
        )
    planned = tuple(make_splits(cv, data, find_task(named, data.y), seed) for data in checked)
    kinds = {each.task: each.data.name for each in planned}
    if len(kinds) > 1:
        (one, first), (two, second) = list(kinds.items())[:2]
        raise DataError(f"dataset {first!r} is for {one}, but dataset {second!r} for {two}; no metric fits both.")
    n_splits = sum(len(each.splits) for each in planned)
    if len(named) * n_splits > MOST_CELLS:
        raise DataError(
            f"{len(named):,} models on {n_splits:,} splits are {len(named) * n_splits:,} cells; a run has at most "
            f"{MOST_CELLS:,}. Use fewer models or splits, or several runs."
        )
    return Plan(named, planned, seed)


def check_rng(rng: Any) -> int | None:
    """A seed as a whole number; None stays None, and what is neither a whole number of at least 0 nor a Generator is refused."""
    if rng is None:
        return None
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**31))
    try:
        seed = operator.index(rng)
    except TypeError:
        seed = -1
    refuse_unless(seed >= 0 and not isinstance(rng, bool), "rng", "be a whole number of at least 0, a Generator or None", rng)
    return seed


def number_of_workers(n_jobs: Any) -> int:
    """Number of processes that `n_jobs` means; negative ones count down from the cores that this process may use, plus one.

    Raises `InvalidParameterError` for 0, and for what is no whole number.
    """
    if not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or not 0 < abs(int(n_jobs)) <= MOST_AT_ONCE:
        raise InvalidParameterError(
            Setting("n_jobs", repr(n_jobs)),
            " is no number of processes; give 1 to 10,000, or -1 for all cores that may be used, -2 for one less.",
        )
    if n_jobs > 0:
        return int(n_jobs)
    import joblib

    return max(1, int(joblib.cpu_count()) + 1 + int(n_jobs))


def threads_for(plan: Plan, asked: Any, n_jobs: Any) -> int | None:
    """Threads that each fit may use, as asked: "auto", a number, or None for the libraries' own default; else refused."""
    n_workers = number_of_workers(n_jobs)
    if asked is None:
        return None
    if asked == "auto":
        sizes = [
            each.data.X.nnz if hasattr(each.data.X, "nnz") else each.data.n_samples * each.data.n_features
            for each in plan.datasets
        ]
        return 1 if max(sizes) <= SMALL_DATA else max(1, number_of_workers(-1) // n_workers)
    is_number = isinstance(asked, int) and not isinstance(asked, bool) and 1 <= asked <= MOST_AT_ONCE
    refuse_unless(is_number, "threads_per_fit", "be 'auto', None or a whole number from 1 to 10,000", asked)
    return int(asked)


def describe_model(model: Any) -> str:
    """Text of a model, on one line of at most 500 characters; the same in every process."""
    if is_function(model):
        return f"{getattr(model, '__module__', '')}.{getattr(model, '__qualname__', type(model).__qualname__)}"
    try:
        written = repr(model)
    except Exception:  # a model that cannot be written may be measured all the same
        written = type(model).__qualname__
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(written.split()))
    return text if len(text) <= 500 else f"{text[:497]}..."
