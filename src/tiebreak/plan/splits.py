"""Splits from whatever the caller means by ``cv``: made once, checked, the same for every model."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np

from tiebreak.caught import caught_warnings, give_again
from tiebreak.errors import Advice, InvalidPlanError
from tiebreak.numerics import IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.split_design import Scheme, Split, Splits, describe_splits, scheme_of
from tiebreak.scores.vocabulary import SplitKind, look_up, quoted

KINDS = tuple(kind for kind in get_args(SplitKind) if kind != "unknown")

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

_PASS_GROUPS = Advice("Pass groups=, one value for each row of X.", study='Name the column: groups = "..." under [data].')


@dataclass(frozen=True, slots=True, eq=False)
class PlannedDataset:
    """A dataset and the splits made of it."""

    data: Dataset
    task: Task
    splits: tuple[Split, ...]
    described: Splits

    def split_name(self, split: int) -> str:
        """The split at a position, as people are told of it: "repeat 0 fold 3"."""
        return f"repeat {self.described.repeat[split]} fold {self.described.fold[split]}"


def make_splitter(cv: Mapping[str, Any], dataset: Dataset, task: Task, seed: int) -> tuple[Any, IntArray | None]:
    """The splitter behind a name and its options, and what it stratifies where that is not y.

    `cv` holds "kind" and options, such as ``{"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}``; the seed counts where
    these have none. Raises `InvalidPlanError` for an option that the kind does not take, or a value outside its range for these
    data, and `UnknownNameError` for a kind that is not there.
    """
    if "kind" not in cv:
        raise InvalidPlanError(
            f"cv={dict(cv)!r} does not say which kind of splits. Add 'kind': one of {quoted(KINDS, len(KINDS))}."
        )
    look_up(cv["kind"], KINDS, "kind of splits")
    kind = cast("SplitKind", cv["kind"])
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
        return _holdout(options, strata), strata
    if kind == "loo":
        from sklearn.model_selection import LeaveOneOut

        return LeaveOneOut(), None
    if kind == "time":
        return _time(options, dataset), None
    return _folds(kind, options, dataset, task, strata), strata


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
    """Strata to be spread evenly over the folds: classes, or quantiles of a regression's target; None for nothing."""
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


def _too_small_class(strata: IntArray, n_folds: int, dataset: Dataset, task: Task) -> InvalidPlanError:
    """The error that names the smallest class, which has fewer examples than there are folds."""
    count = np.bincount(strata)
    smallest, least = int(np.argmin(count)), int(count.min())
    name = f"class {dataset.y[strata == smallest].tolist()[0]!r}" if task == "classification" else "a quantile of y"
    way = f"Use at most {least} folds, or" if least >= 2 else "Use"
    return InvalidPlanError(
        f"cv: {n_folds} folds are more than the smallest class can fill: {name} has {least} example(s). {way} 'kfold', which "
        "does not stratify."
    )


# --- splitters ----------------------------------------------------------------------------------------------------------------


def _holdout(options: Mapping[str, Any], strata: IntArray | None) -> Any:
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    splitter = ShuffleSplit if strata is None else StratifiedShuffleSplit
    return splitter(options.get("n_repeats", 1), test_size=options["test_size"], random_state=options["seed"])


def _time(options: Mapping[str, Any], dataset: Dataset) -> Any:
    from sklearn.model_selection import TimeSeriesSplit

    n_folds, gap = options["n_folds"], options["gap"]
    test_size = options["test_size"] or dataset.n_samples // (n_folds + 1)
    if dataset.n_samples - n_folds * test_size - gap < 1 or test_size < 1:
        raise InvalidPlanError(
            f"cv: {n_folds} time splits with gap={gap} and {test_size} test example(s) each leave nothing to train on among "
            f"{dataset.n_samples} examples. Use fewer folds, a smaller gap or a smaller test_size."
        )
    return TimeSeriesSplit(n_folds, max_train_size=options["window"], test_size=options["test_size"], gap=gap)


def _folds(kind: SplitKind, options: Mapping[str, Any], dataset: Dataset, task: Task, strata: IntArray | None) -> Any:
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
    if strata is not None and kind != "stratified-group" and np.bincount(strata).min() < n_folds:
        raise _too_small_class(strata, n_folds, dataset, task)
    if kind in ("repeated-kfold", "repeated-stratified"):
        repeated = RepeatedKFold if kind == "repeated-kfold" else RepeatedStratifiedKFold
        return repeated(n_splits=n_folds, n_repeats=options["n_repeats"], random_state=seed)
    shuffle = options["shuffle"]
    single = {"kfold": KFold, "stratified": StratifiedKFold, "group": GroupKFold, "stratified-group": StratifiedGroupKFold}[kind]
    return single(n_folds, shuffle=shuffle, random_state=seed if shuffle else None)


def _group_folds(kind: str, n_folds: int | None, dataset: Dataset) -> int:
    if dataset.groups is None:
        raise InvalidPlanError(f"cv={kind!r} needs to know which examples belong together. ", _PASS_GROUPS)
    n_groups = len(set(dataset.groups.tolist()))
    n_folds = min(10, n_groups) if n_folds is None else n_folds
    if n_groups < max(n_folds, 2):
        raise InvalidPlanError(f"cv: {n_folds} folds of whole groups need at least as many groups; there are {n_groups}.")
    return n_folds


MOST_SPLITS = 1_000_000
MOST_ROWS = 500_000_000
"""Row numbers of all splits of a dataset: 4 GB."""

SMALL = 1_000
"""Examples up to which repeats pay: with fewer, ``cv=None`` means 10 x 10-fold."""


def make_splits(cv: Any, dataset: Dataset, task: Task, rng: int | None, *, check: bool = True) -> PlannedDataset:
    """A dataset with its splits.

    `cv` None is 10 x 10-fold with fewer than 1,000 examples, else 10-fold; an int is as in scikit-learn, not shuffled; else it
    is a name such as "repeated-stratified", a dict such as ``{"kind": "time", "n_folds": 5, "gap": 2}``, a splitter, or an
    iterable of (train, test). Where groups are given, None and an int keep groups together. Classes are stratified. `rng` seeds
    what is shuffled and has no seed of its own. Raises `InvalidPlanError` where the splits cannot be made, overlap, or leave a
    class out of a training set; an audit takes them as they come, with `check` False.
    """
    if cv is None:
        cv = _default(dataset, task)
    if isinstance(cv, bool) or (isinstance(cv, numbers.Real) and not isinstance(cv, numbers.Integral)):
        raise InvalidPlanError(f"cv={cv!r} is no number of folds. Pass a whole number of at least 2, a name, or a splitter.")
    if isinstance(cv, numbers.Integral):
        cv = plain_folds(int(cv), dataset, task) | {"n_folds": int(cv), "shuffle": False}
    if isinstance(cv, str):
        cv = {"kind": cv}
    scheme: Scheme | None = None
    if isinstance(cv, Mapping):
        splitter, strata = make_splitter(cv, dataset, task, derive_seed(0 if rng is None else rng, "splits", dataset.name))
        splits = _of_splitter(splitter, dataset, dataset.y if strata is None else strata)
        n_folds = 1 if "holdout" in cv["kind"] else len(splits) // getattr(splitter, "n_repeats", 1)
        scheme = cv["kind"], n_folds
    elif hasattr(cv, "split"):
        splits = _of_splitter(_seeded(cv, dataset, rng), dataset, dataset.y)
        scheme = scheme_of(cv, len(splits))
    elif isinstance(cv, Iterable):
        splits = _of_pairs(cv, dataset.n_samples)
    else:
        raise InvalidPlanError(
            f"cv is of type {type(cv).__name__}. Pass a number of folds, a name such as 'repeated-stratified', a splitter of "
            "scikit-learn, or pairs (training rows, test rows)."
        )
    if check:
        _check_splits(splits, dataset, task)
    return PlannedDataset(dataset, task, splits, describe_splits(splits, scheme))


def _default(dataset: Dataset, task: Task) -> dict[str, Any]:
    folds = plain_folds(10, dataset, task)
    if dataset.groups is None and dataset.n_samples < SMALL:
        return folds | {"kind": f"repeated-{folds['kind']}", "n_repeats": 10}
    return folds


def plain_folds(n_folds: int, dataset: Dataset, task: Task) -> dict[str, Any]:
    """K-fold as it suits the data: classes stratified, groups kept together, and never more folds than groups."""
    stratified = task == "classification" and dataset.y.ndim == 1
    if dataset.groups is None:
        return {"kind": "stratified" if stratified else "kfold", "n_folds": n_folds}
    n_groups = len(set(dataset.groups.tolist()))
    return {"kind": "stratified-group" if stratified else "group", "n_folds": min(n_folds, n_groups)}


def _seeded(cv: Any, dataset: Dataset, rng: int | None) -> Any:
    """A copy of the splitter, as the caller's must not move on; one that shuffles without a seed gets one."""
    cv = copy.deepcopy(cv)
    if rng is not None and getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv.random_state = derive_seed(rng, "splits", dataset.name)
    return cv


def _of_splitter(cv: Any, dataset: Dataset, target: np.ndarray[Any, Any]) -> tuple[Split, ...]:
    try:
        n_splits = int(cv.get_n_splits(dataset.X, target, dataset.groups))
    except Exception:  # it has no count, or says below what it lacks
        n_splits = 0
    if n_splits > MOST_SPLITS or n_splits * dataset.n_samples > MOST_ROWS:
        raise InvalidPlanError(
            f"cv: {n_splits:,} splits of {dataset.n_samples:,} examples{_of(dataset)}; at most {MOST_SPLITS:,} splits, and "
            f"{MOST_ROWS:,} rows in all of them, are kept in memory. Use fewer repeats or folds."
        )
    try:
        with caught_warnings() as caught:
            pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(dataset.X, target, dataset.groups)]
        for each in caught:  # scikit-learn goes on with folds that lack the class, and only says so
            if str(each.message).startswith("The least populated class"):
                raise ValueError(str(each.message))
        give_again(caught)
    except Exception as error:
        if dataset.groups is None and "groups" in str(error):
            raise InvalidPlanError(f"{type(cv).__name__} needs to know which examples belong together. ", _PASS_GROUPS) from None
        raise InvalidPlanError(f"{type(cv).__name__} could not split the data{_of(dataset)}: {error}") from error
    return _of_pairs(pairs, dataset.n_samples)


def _of_pairs(pairs: Iterable[Any], n_samples: int) -> tuple[Split, ...]:
    splits = []
    for number, pair in enumerate(pairs):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise InvalidPlanError(f"cv: entry {number} is no pair (training rows, test rows).") from None
        splits.append(
            Split(
                _rows(train, n_samples, f"training rows of split {number}"),
                _rows(test, n_samples, f"test rows of split {number}"),
            )
        )
    if not splits:
        raise InvalidPlanError("cv makes no splits. If it is a generator, it was used up before; make it anew.")
    return tuple(splits)


def _rows(rows: Any, n_samples: int, what: str) -> IntArray:
    """Row numbers, also where a mask was given."""
    rows = np.asarray(rows)
    if rows.ndim != 1:
        raise InvalidPlanError(f"cv: the {what} have shape {rows.shape}; a list of row numbers is needed.")
    if rows.size == 0:
        raise InvalidPlanError(f"cv: there are no {what}.")
    if rows.dtype == bool:
        if rows.size != n_samples:
            raise InvalidPlanError(f"cv: the {what} are a mask of {rows.size} rows, but X has {n_samples}.")
        rows = np.flatnonzero(rows)
        if rows.size == 0:
            raise InvalidPlanError(f"cv: there are no {what}.")
    if rows.dtype.kind not in "iu":
        raise InvalidPlanError(f"cv: the {what} are of type {rows.dtype}; row numbers (counted from 0) are needed.")
    if rows.min() < 0 or rows.max() >= n_samples:
        outside = int(rows.min()) if rows.min() < 0 else int(rows.max())
        raise InvalidPlanError(f"cv: the {what} name row {outside}, but X has rows 0 to {n_samples - 1}.")
    return np.ascontiguousarray(rows, dtype=np.intp)


def _check_splits(splits: tuple[Split, ...], dataset: Dataset, task: Task) -> None:
    """No example on both sides, none tested twice in a split, and every class in every training set."""
    classes: list[Any] = []
    if task == "classification" and dataset.y.ndim == 1:
        labels, code = np.unique(dataset.y, return_inverse=True)
        classes, overall = labels.tolist(), np.bincount(code)
        if len(classes) < 2:
            raise InvalidPlanError(f"y{_of(dataset)} has a single class, {classes[0]!r}. Nothing is to be learnt from one class.")
    in_training = np.zeros(dataset.n_samples, dtype=bool)
    for number, (train, test) in enumerate(splits):
        in_training[train] = True
        shared = test[in_training[test]]
        in_training[train] = False
        if shared.size:
            raise InvalidPlanError(
                f"cv: split {number}{_of(dataset)} has {shared.size} row(s) both in training and in test, such as row "
                f"{int(shared[0])}. A model must not be tested on what it was trained on."
            )
        if np.unique(test).size < test.size:
            raise InvalidPlanError(f"cv: split {number}{_of(dataset)} names a row twice in its test rows. Name each row once.")
        if classes and (count := np.bincount(code[train], minlength=len(classes))).min() == 0:
            absent = int(np.argmin(count))
            raise InvalidPlanError(
                f"cv: class {classes[absent]!r} ({overall[absent]} example(s) in all) is absent from the training rows of split "
                f"{number}{_of(dataset)}, so no model could learn it there. Use stratified splits, fewer folds, or leave rare "
                "classes out."
            )


def _of(dataset: Dataset) -> str:
    return f" of dataset {dataset.name!r}" if dataset.name else ""
