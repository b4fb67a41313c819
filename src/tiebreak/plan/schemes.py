"""Splits by name: what each name means, which options it takes, and the splitter of scikit-learn that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.numerics import IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.split import Scheme
from tiebreak.scores.names import look_up, quoted
from tiebreak.scores.scores import Kind

KINDS = tuple(kind for kind in get_args(Kind) if kind != "unknown")

_FOLDS = {"n_folds": 10, "shuffle": True, "seed": None}
_SHARE = {"test_size": 0.25, "stratify": None, "seed": None}
_BINS = {"n_bins": 10}
OPTIONS: dict[str, dict[str, Any]] = {
    "holdout": {**_SHARE, **_BINS},
    "repeated-holdout": {"n_repeats": 10, **_SHARE, **_BINS},
    "kfold": _FOLDS,
    "repeated-kfold": {"n_folds": 10, "n_repeats": 10, "seed": None},
    "stratified": {**_FOLDS, **_BINS},
    "repeated-stratified": {"n_folds": 10, "n_repeats": 10, "seed": None, **_BINS},
    "loo": {},
    "group": {**_FOLDS, "n_folds": None},
    "stratified-group": {**_FOLDS, "n_folds": None, **_BINS},
    "time": {"n_folds": 5, "gap": 0, "test_size": None, "window": None},
}
"""Options of each kind with their defaults; `n_bins` is for regression only, where strata are quantiles of the target."""


@dataclass(frozen=True, slots=True)
class Named:
    """A splitter for a name.

    Attributes
    ----------
    kind : str
    splitter : object with ``split``
    n_repeats : int
    strata : ndarray of shape (n_samples,) or None
        What is stratified, where that is not y.
    """

    kind: Kind
    splitter: Any
    n_repeats: int = 1
    strata: IntArray | None = None

    def scheme(self, n_splits: int) -> Scheme:
        """How so many splits follow one another."""
        is_holdout = self.kind in ("holdout", "repeated-holdout")
        return Scheme(self.kind, 1 if is_holdout else n_splits // self.n_repeats, ordered=self.kind == "time")


def make_splitter(cv: Mapping[str, Any], dataset: Dataset, task: Task, seed: int) -> Named:
    """The splitter behind a name and its options.

    Parameters
    ----------
    cv : mapping
        "kind" and options, such as ``{"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}``.
    dataset : Dataset
    task : {"classification", "regression", "other"}
    seed : int
        Where the options have none.

    Raises
    ------
    InvalidPlanError
        An option that the kind does not take, or a value outside its range for these data.
    UnknownNameError
        A kind that is not there.
    """
    if "kind" not in cv:
        raise InvalidPlanError(
            f"cv={dict(cv)!r} does not say which kind of splits. Add 'kind': one of {quoted(KINDS, len(KINDS))}."
        )
    look_up(cv["kind"], KINDS, "kind of splits")
    kind = cast("Kind", cv["kind"])
    given = {name: value for name, value in cv.items() if name != "kind"}
    for name in given:
        if name not in OPTIONS[kind]:
            takes = f"It takes {quoted(list(OPTIONS[kind]), 9)}." if OPTIONS[kind] else "It takes no options."
            raise InvalidPlanError(f"cv: splits of the kind {kind!r} have no option {name!r}. {takes}")
    options = OPTIONS[kind] | given
    if options.get("seed", 0) is None:
        options["seed"] = seed
    _check_options(options, kind)
    if dataset.groups is not None and "group" not in kind:
        raise InvalidPlanError(
            f"cv: splits of the kind {kind!r} would put examples of one group on both sides. Use 'group' or 'stratified-group', "
            "or leave groups out."
        )
    strata = _strata(options, kind, dataset, task)
    if kind in ("holdout", "repeated-holdout"):
        return _holdout(kind, options, strata)
    if kind == "loo":
        from sklearn.model_selection import LeaveOneOut

        return Named(kind, LeaveOneOut())
    if kind == "time":
        return _time(options, dataset)
    return _folds(kind, options, dataset, task, strata)


def _check_options(options: Mapping[str, Any], kind: str) -> None:
    least = {"n_folds": 2, "n_repeats": 1, "gap": 0, "window": 1, "n_bins": 2, "seed": 0}
    for name, minimum in least.items():
        value = options.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
            raise InvalidPlanError(f"cv: {name}={value!r} of the kind {kind!r} must be a whole number of at least {minimum}.")
    for name in ("shuffle", "stratify"):
        if options.get(name) is not None and not isinstance(options[name], bool):
            raise InvalidPlanError(f"cv: {name}={options[name]!r} must be true or false.")
    size = options.get("test_size")
    is_share = isinstance(size, float) and 0 < size < 1
    is_count = isinstance(size, int) and not isinstance(size, bool) and size >= 1
    if size is not None and not is_count and not (is_share and kind != "time"):
        form = "a number of examples" if kind == "time" else "a share between 0 and 1 or a number of examples"
        raise InvalidPlanError(f"cv: test_size={size!r} must be {form}.")


# --- strata -----------------------------------------------------------------------------------------------------------------


def _strata(options: Mapping[str, Any], kind: str, dataset: Dataset, task: Task) -> IntArray | None:
    """What is to be spread evenly over the folds: classes, or quantiles of a regression's target; None for nothing."""
    if kind in ("holdout", "repeated-holdout"):
        wanted = options["stratify"] if options["stratify"] is not None else task == "classification" and dataset.y.ndim == 1
    else:
        wanted = "stratified" in kind
    if not wanted:
        return None
    if dataset.y.ndim != 1 or dataset.y.dtype.kind not in "biufOUS":
        raise InvalidPlanError(f"cv: y of shape {dataset.y.shape} cannot be stratified. Use 'kfold' or 'repeated-kfold'.")
    if task == "classification":
        return np.unique(dataset.y, return_inverse=True)[1]
    # scikit-learn stratifies classes only; each bin needs a member for each fold
    n_bins = min(options["n_bins"], dataset.n_samples // (options.get("n_folds") or 2))
    edges = np.quantile(np.asarray(dataset.y, dtype=float), np.linspace(0, 1, max(n_bins, 1) + 1)[1:-1])
    return np.unique(np.searchsorted(edges, dataset.y, side="right"), return_inverse=True)[1]


def _check_smallest(strata: IntArray, n_folds: int, dataset: Dataset, task: Task) -> None:
    count = np.bincount(strata)
    if count.min() < n_folds:
        smallest = int(np.argmin(count))
        name = f"class {dataset.y[strata == smallest].tolist()[0]!r}" if task == "classification" else "a quantile of y"
        least = int(count.min())
        way = f"Use at most {least} folds, or" if least >= 2 else "Use"
        raise InvalidPlanError(
            f"cv: {n_folds} folds are more than the smallest class can fill: {name} has {least} example(s). {way} 'kfold', which "
            "does not stratify."
        )


# --- splitters ----------------------------------------------------------------------------------------------------------------


def _holdout(kind: Kind, options: Mapping[str, Any], strata: IntArray | None) -> Named:
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    n_repeats = options.get("n_repeats", 1)
    splitter = (ShuffleSplit if strata is None else StratifiedShuffleSplit)(
        n_repeats, test_size=options["test_size"], random_state=options["seed"]
    )
    return Named(kind, splitter, n_repeats, strata)


def _time(options: Mapping[str, Any], dataset: Dataset) -> Named:
    from sklearn.model_selection import TimeSeriesSplit

    n_folds, gap = options["n_folds"], options["gap"]
    test_size = options["test_size"] or dataset.n_samples // (n_folds + 1)
    if dataset.n_samples - n_folds * test_size - gap < 1 or test_size < 1:
        raise InvalidPlanError(
            f"cv: {n_folds} time splits with gap={gap} and {test_size} test example(s) each leave nothing to train on among "
            f"{dataset.n_samples} examples. Use fewer folds, a smaller gap or a smaller test_size."
        )
    return Named("time", TimeSeriesSplit(n_folds, max_train_size=options["window"], test_size=options["test_size"], gap=gap))


def _folds(kind: Kind, options: Mapping[str, Any], dataset: Dataset, task: Task, strata: IntArray | None) -> Named:
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        RepeatedKFold,
        RepeatedStratifiedKFold,
        StratifiedGroupKFold,
        StratifiedKFold,
    )

    n_folds, seed = options["n_folds"], options["seed"]
    if kind in ("group", "stratified-group"):
        n_folds = _group_folds(kind, n_folds, dataset)
    elif n_folds > dataset.n_samples:
        raise InvalidPlanError(f"cv: {n_folds} folds are more than there are examples ({dataset.n_samples}).")
    if strata is not None and kind != "stratified-group":
        _check_smallest(strata, n_folds, dataset, task)
    if kind in ("repeated-kfold", "repeated-stratified"):
        repeated = RepeatedKFold if kind == "repeated-kfold" else RepeatedStratifiedKFold
        splitter = repeated(n_splits=n_folds, n_repeats=options["n_repeats"], random_state=seed)
        return Named(kind, splitter, options["n_repeats"], strata)
    shuffle = options["shuffle"]
    single = {"kfold": KFold, "stratified": StratifiedKFold, "group": GroupKFold, "stratified-group": StratifiedGroupKFold}[kind]
    return Named(kind, single(n_folds, shuffle=shuffle, random_state=seed if shuffle else None), strata=strata)


def _group_folds(kind: str, n_folds: int | None, dataset: Dataset) -> int:
    if dataset.groups is None:
        raise InvalidPlanError(
            f"cv={kind!r} needs to know which examples belong together. Pass groups=, one value for each row of X."
        )
    n_groups = len(set(dataset.groups.tolist()))
    n_folds = min(10, n_groups) if n_folds is None else n_folds
    if n_groups < max(n_folds, 2):
        raise InvalidPlanError(f"cv: {n_folds} folds of whole groups need at least as many groups; there are {n_groups}.")
    return n_folds
