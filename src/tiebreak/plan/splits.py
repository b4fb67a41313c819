"""Splits from whatever the caller means by ``cv``: made once, checked, the same for every model."""

import contextlib
import copy
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from tiebreak.caught import caught_warnings, give_again
from tiebreak.errors import Advice, InvalidPlanError
from tiebreak.numerics import IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.split_design import Scheme, Split, Splits, describe_splits, scheme_of
from tiebreak.scores.vocabulary import SplitKind, look_up, quoted

KINDS: tuple[SplitKind, ...] = tuple(kind for kind in get_args(SplitKind) if kind != "unknown")

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
    from sklearn import model_selection as sk

    if "kind" not in cv:
        raise InvalidPlanError(
            f"cv={dict(cv)!r} does not say which kind of splits. Add 'kind': one of {quoted(KINDS, len(KINDS))}."
        )
    kind = KINDS[look_up(cv["kind"], KINDS, "kind of splits")]
    options = _options(kind, {name: value for name, value in cv.items() if name != "kind"}, seed)
    if dataset.groups is not None and "group" not in kind:
        raise InvalidPlanError(
            f"cv: splits of the kind {kind!r} would put examples of one group on both sides. Use 'group' or 'stratified-group', "
            "or leave groups out."
        )
    if kind == "loo":
        return sk.LeaveOneOut(), None
    if kind == "time":
        return _time(options, dataset), None
    strata = _strata(options, kind, dataset, task)
    if "holdout" in kind:
        splitter = sk.ShuffleSplit if strata is None else sk.StratifiedShuffleSplit
        return splitter(options.get("n_repeats", 1), test_size=options["test_size"], random_state=options["seed"]), strata
    n_folds = _number_of_folds(kind, options["n_folds"], dataset, task, strata)
    if "repeated" in kind:
        repeated = sk.RepeatedKFold if strata is None else sk.RepeatedStratifiedKFold
        return repeated(n_splits=n_folds, n_repeats=options["n_repeats"], random_state=options["seed"]), strata
    classes = {
        "kfold": sk.KFold,
        "stratified": sk.StratifiedKFold,
        "group": sk.GroupKFold,
        "stratified-group": sk.StratifiedGroupKFold,
    }
    shuffle = options["shuffle"]
    return classes[kind](n_folds, shuffle=shuffle, random_state=options["seed"] if shuffle else None), strata


_LEAST = {"n_folds": 2, "n_repeats": 1, "gap": 0, "window": 1, "n_bins": 2, "seed": 0}


def _options(kind: str, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Options of a kind with its defaults; refuses those that it does not take, and values that mean nothing."""
    for name, value in given.items():
        if name not in OPTIONS[kind]:
            takes = f"It takes {quoted(list(OPTIONS[kind]), 9)}." if OPTIONS[kind] else "It takes no options."
            raise InvalidPlanError(f"cv: splits of the kind {kind!r} have no option {name!r}. {takes}")
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        wanted = ""
        if name == "test_size":
            is_share = kind != "time" and isinstance(value, float) and 0 < value < 1
            form = "a number of examples" if kind == "time" else "a share between 0 and 1 or a number of examples"
            wanted = "" if is_share or (is_whole and value >= 1) else form
        elif name in _LEAST and not (is_whole and value >= _LEAST[name]):
            wanted = f"a whole number of at least {_LEAST[name]}"
        elif name not in _LEAST and not isinstance(value, bool):
            wanted = "true or false"
        if wanted and value is not None:
            raise InvalidPlanError(f"cv: {name}={value!r} of the kind {kind!r} must be {wanted}.")
    options = OPTIONS[kind] | dict(given)
    return options | {"seed": seed} if options.get("seed", 0) is None else options


def _strata(options: Mapping[str, Any], kind: str, dataset: Dataset, task: Task) -> IntArray | None:
    """Strata to be spread evenly over the folds: classes, or quantiles of a regression's target; None for nothing."""
    wanted = options.get("stratify", "stratified" in kind)
    if wanted is None:
        wanted = task == "classification" and dataset.y.ndim == 1
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


def _number_of_folds(kind: str, n_folds: int | None, dataset: Dataset, task: Task, strata: IntArray | None) -> int:
    """Number of folds, by default 10 or as many as there are groups; refuses more than can be filled."""
    if "group" in kind:
        if dataset.groups is None:
            raise InvalidPlanError(f"cv={kind!r} needs to know which examples belong together. ", _PASS_GROUPS)
        n_groups = len(set(dataset.groups.tolist()))
        n_folds = min(10, n_groups) if n_folds is None else n_folds
        if n_groups < max(n_folds, 2):
            raise InvalidPlanError(f"cv: {n_folds} folds of whole groups need at least as many groups; there are {n_groups}.")
        return n_folds
    n_folds = 10 if n_folds is None else n_folds
    if n_folds > dataset.n_samples:
        raise InvalidPlanError(f"cv: {n_folds} folds are more than there are examples ({dataset.n_samples}).")
    if strata is not None and (least := int(np.bincount(strata).min())) < n_folds:
        smallest = dataset.y[strata == np.bincount(strata).argmin()].tolist()[0]
        name = f"class {smallest!r}" if task == "classification" else "a quantile of y"
        way = f"Use at most {least} folds, or" if least >= 2 else "Use"
        raise InvalidPlanError(
            f"cv: {n_folds} folds are more than the smallest class can fill: {name} has {least} example(s). {way} 'kfold', which "
            "does not stratify."
        )
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
    folds = plain_folds(dataset, task)
    if cv is None:
        few = dataset.groups is None and dataset.n_samples < SMALL
        cv = folds | ({"kind": f"repeated-{folds['kind']}", "n_repeats": 10} if few else {})
    elif isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        cv = folds | {"n_folds": int(cv), "shuffle": False}
    elif isinstance(cv, numbers.Real):
        raise InvalidPlanError(f"cv={cv!r} is no number of folds. Pass a whole number of at least 2, a name, or a splitter.")
    elif isinstance(cv, str):
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


def plain_folds(dataset: Dataset, task: Task) -> dict[str, Any]:
    """10-fold as it suits the data: classes stratified, groups kept together, and never more folds than groups."""
    stratified = task == "classification" and dataset.y.ndim == 1
    if dataset.groups is None:
        return {"kind": "stratified" if stratified else "kfold", "n_folds": 10}
    return {"kind": "stratified-group" if stratified else "group"}


def _seeded(cv: Any, dataset: Dataset, rng: int | None) -> Any:
    """A copy of the splitter, as the caller's must not move on; one that shuffles without a seed gets one."""
    cv = copy.deepcopy(cv)
    if rng is not None and getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv.random_state = derive_seed(rng, "splits", dataset.name)
    return cv


def check_amount(n_splits: int, dataset: Dataset) -> None:
    """Refuse splits that would not fit into memory, before they are made."""
    if n_splits > MOST_SPLITS or n_splits * dataset.n_samples > MOST_ROWS:
        raise InvalidPlanError(
            f"cv: {n_splits:,} splits of {dataset.n_samples:,} examples{_of(dataset)}; at most {MOST_SPLITS:,} splits, and "
            f"{MOST_ROWS:,} rows in all of them, are kept in memory. Use fewer repeats or folds."
        )


def _of_splitter(cv: Any, dataset: Dataset, target: np.ndarray[Any, Any]) -> tuple[Split, ...]:
    n_splits = 0
    with contextlib.suppress(Exception):  # it has no count, or says below what it lacks
        n_splits = int(cv.get_n_splits(dataset.X, target, dataset.groups))
    check_amount(n_splits, dataset)
    try:
        with caught_warnings() as caught:
            pairs = list(cv.split(dataset.X, target, dataset.groups))
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
        parts = ((train, f"training rows of split {number}"), (test, f"test rows of split {number}"))
        splits.append(Split(*(_rows(rows, n_samples, what) for rows, what in parts)))
    if not splits:
        raise InvalidPlanError("cv makes no splits. If it is a generator, it was used up before; make it anew.")
    return tuple(splits)


def _rows(given: Any, n_samples: int, what: str) -> IntArray:
    """Row numbers, also where a mask was given."""
    rows, wrong = np.asarray(given), ""
    is_mask = rows.dtype == bool
    if rows.ndim != 1:
        wrong = f"the {what} have shape {rows.shape}; a list of row numbers is needed"
    elif is_mask and rows.size != n_samples:
        wrong = f"the {what} are a mask of {rows.size} rows, but X has {n_samples}"
    elif rows.size == 0 or (is_mask and not rows.any()):
        wrong = f"there are no {what}"
    elif not is_mask and rows.dtype.kind not in "iu":
        wrong = f"the {what} are of type {rows.dtype}; row numbers (counted from 0) are needed"
    elif not is_mask and (rows.min() < 0 or rows.max() >= n_samples):
        outside = rows.min() if rows.min() < 0 else rows.max()
        wrong = f"the {what} name row {outside}, but X has rows 0 to {n_samples - 1}"
    if wrong:
        raise InvalidPlanError(f"cv: {wrong}.")
    return np.ascontiguousarray(np.flatnonzero(rows) if is_mask else rows, dtype=np.intp)


def _check_splits(splits: tuple[Split, ...], dataset: Dataset, task: Task) -> None:
    """No example on both sides, none tested twice in a split, and every class in every training set."""
    labels, code = None, dataset.y
    if task == "classification" and dataset.y.ndim == 1:
        labels, code = np.unique(dataset.y, return_inverse=True)
        if labels.size < 2:
            raise InvalidPlanError(
                f"y{_of(dataset)} has a single class, {labels.item()!r}. Nothing is to be learnt from one class."
            )
    in_training = np.zeros(dataset.n_samples, dtype=bool)
    for number, (train, test) in enumerate(splits):
        in_training[:] = False
        in_training[train] = True
        shared = test[in_training[test]]
        split = f"split {number}{_of(dataset)}"
        if shared.size:
            raise InvalidPlanError(
                f"cv: {split} has {shared.size} row(s) both in training and in test, such as row {int(shared[0])}. A model must "
                "not be tested on what it was trained on."
            )
        if np.unique(test).size < test.size:
            raise InvalidPlanError(f"cv: {split} names a row twice in its test rows. Name each row once.")
        if labels is not None and (count := np.bincount(code[train], minlength=labels.size)).min() == 0:
            absent = int(np.argmin(count))
            n_absent = np.count_nonzero(code == absent)
            raise InvalidPlanError(
                f"cv: class {labels.tolist()[absent]!r} ({n_absent} example(s) in all) is absent from the training rows of "
                f"{split}, so no model could learn it there. Use stratified splits, fewer folds, or leave rare classes out."
            )


def _of(dataset: Dataset) -> str:
    return f" of dataset {dataset.name!r}" if dataset.name else ""
