"""Splits from whatever the caller means by ``cv``: made once, checked, the same for every model."""

import contextlib
import copy
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from tiebreak.caught import caught_warnings, give_again
from tiebreak.errors import Advice, DataError
from tiebreak.numerics import IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.split_design import Scheme, Split, Splits, describe_splits, scheme_of
from tiebreak.scores.vocabulary import SplitKind, look_up, quoted

KINDS: tuple[SplitKind, ...] = tuple(kind for kind in get_args(SplitKind) if kind != "unknown")

_FOLDS = {"n_folds": 10, "shuffle": True, "seed": None}
_REPEATED = {"n_folds": 10, "n_repeats": 10, "seed": None}
_SHARE = {"test_size": 0.25, "seed": None}
OPTIONS: dict[str, dict[str, Any]] = {
    "holdout": _SHARE,
    "repeated-holdout": {"n_repeats": 10, **_SHARE},
    "kfold": _FOLDS,
    "repeated-kfold": _REPEATED,
    "stratified": _FOLDS,
    "repeated-stratified": _REPEATED,
    "loo": {},
    "group": {**_FOLDS, "n_folds": None},
    "stratified-group": {**_FOLDS, "n_folds": None},
    "time": {"n_folds": 5, "gap": 0, "test_size": None, "window": None},
}
"""Options of each kind with their defaults."""

_CLASSES = {
    "kfold": "KFold",
    "repeated-kfold": "RepeatedKFold",
    "stratified": "StratifiedKFold",
    "repeated-stratified": "RepeatedStratifiedKFold",
    "loo": "LeaveOneOut",
    "group": "GroupKFold",
    "stratified-group": "StratifiedGroupKFold",
    "time": "TimeSeriesSplit",
}
_SKLEARN_NAMES = {"n_folds": "n_splits", "seed": "random_state", "window": "max_train_size"}

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


def make_splitter(cv: Mapping[str, Any], dataset: Dataset, task: Task, seed: int) -> Any:
    """The splitter of scikit-learn behind a name and its options, whose values that checks.

    `cv` holds "kind" and options, such as ``{"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}``; the seed counts where
    these have none. Raises `DataError` for an option that the kind does not take, or a value outside its range, and
    `UnknownNameError` for a kind that is not there.
    """
    from sklearn import model_selection

    if "kind" not in cv:
        raise DataError(f"cv={dict(cv)!r} does not say which kind of splits. Add 'kind': one of {quoted(KINDS, len(KINDS))}.")
    kind = KINDS[look_up(cv["kind"], KINDS, "kind of splits")]
    options = OPTIONS[kind] | {name: value for name, value in cv.items() if name != "kind"}
    if unknown := [name for name in options if name not in OPTIONS[kind]]:
        takes = f"It takes {quoted(list(OPTIONS[kind]), 9)}." if OPTIONS[kind] else "It takes no options."
        raise DataError(f"cv: splits of the kind {kind!r} have no option {unknown[0]!r}. {takes}")
    if dataset.groups is not None and "group" not in kind:
        raise DataError(
            f"cv: splits of the kind {kind!r} would put examples of one group on both sides. Use 'group' or 'stratified-group', "
            "or leave groups out."
        )
    has_classes = task == "classification" and dataset.y.ndim == 1
    if "stratified" in kind and not has_classes:
        raise DataError(
            f"cv: splits of the kind {kind!r} spread classes evenly, and y{_of(dataset)} is no class for each example. Use "
            f"{kind.replace('stratified-', '').replace('stratified', 'kfold')!r}."
        )
    if options.get("seed", 0) is None:
        options["seed"] = seed if options.get("shuffle", True) else None
    if "group" in kind and options["n_folds"] is None:
        options["n_folds"] = 10 if dataset.groups is None else min(10, len(set(dataset.groups.tolist())))
    name = _CLASSES.get(kind, "StratifiedShuffleSplit" if has_classes else "ShuffleSplit")
    if "holdout" in kind:
        options["n_folds"] = options.pop("n_repeats", 1)
    try:
        return getattr(model_selection, name)(**{_SKLEARN_NAMES.get(each, each): value for each, value in options.items()})
    except (TypeError, ValueError) as error:
        raise DataError(f"cv: splits of the kind {kind!r} cannot be made: {error}") from None


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
    what is shuffled and has no seed of its own. Raises `DataError` where the splits cannot be made, overlap, or leave a
    class out of a training set; an audit takes them as they come, with `check` False.
    """
    folds = plain_folds(dataset, task)
    if cv is None:
        few = dataset.groups is None and dataset.n_samples < SMALL
        cv = folds | ({"kind": f"repeated-{folds['kind']}", "n_repeats": 10} if few else {})
    elif isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        cv = folds | {"n_folds": int(cv), "shuffle": False}
    elif isinstance(cv, numbers.Real):
        raise DataError(f"cv={cv!r} is no number of folds. Pass a whole number of at least 2, a name, or a splitter.")
    elif isinstance(cv, str):
        cv = {"kind": cv}
    scheme: Scheme | None = None
    if isinstance(cv, Mapping):
        splitter = make_splitter(cv, dataset, task, derive_seed(0 if rng is None else rng, "splits", dataset.name))
        splits = _of_splitter(splitter, dataset)
        n_folds = 1 if "holdout" in cv["kind"] else len(splits) // getattr(splitter, "n_repeats", 1)
        scheme = cv["kind"], n_folds
    elif hasattr(cv, "split"):
        splits = _of_splitter(_seeded(cv, dataset, rng), dataset)
        scheme = scheme_of(cv, len(splits))
    elif isinstance(cv, Iterable):
        splits = _of_pairs(cv, dataset.n_samples)
    else:
        raise DataError(
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
        raise DataError(
            f"cv: {n_splits:,} splits of {dataset.n_samples:,} examples{_of(dataset)}; at most {MOST_SPLITS:,} splits, and "
            f"{MOST_ROWS:,} rows in all of them, are kept in memory. Use fewer repeats or folds."
        )


def _of_splitter(cv: Any, dataset: Dataset) -> tuple[Split, ...]:
    n_splits = 0
    with contextlib.suppress(Exception):  # it has no count, or says below what it lacks
        n_splits = int(cv.get_n_splits(dataset.X, dataset.y, dataset.groups))
    check_amount(n_splits, dataset)
    try:
        with caught_warnings() as caught:
            pairs = list(cv.split(dataset.X, dataset.y, dataset.groups))
        for each in caught:  # scikit-learn goes on with folds that lack the class, and only says so
            if str(each.message).startswith("The least populated class"):
                raise ValueError(f"{each.message} Use fewer folds, or 'kfold', which does not stratify.")
        give_again(caught)
    except Exception as error:
        if dataset.groups is None and "groups" in str(error):
            raise DataError(f"{type(cv).__name__} needs to know which examples belong together. ", _PASS_GROUPS) from None
        raise DataError(f"{type(cv).__name__} could not split the data{_of(dataset)}: {error}") from error
    return _of_pairs(pairs, dataset.n_samples)


def _of_pairs(pairs: Iterable[Any], n_samples: int) -> tuple[Split, ...]:
    splits = []
    for number, pair in enumerate(pairs):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise DataError(f"cv: entry {number} is no pair (training rows, test rows).") from None
        parts = ((train, f"training rows of split {number}"), (test, f"test rows of split {number}"))
        splits.append(Split(*(_rows(rows, n_samples, what) for rows, what in parts)))
    if not splits:
        raise DataError("cv makes no splits. If it is a generator, it was used up before; make it anew.")
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
        raise DataError(f"cv: {wrong}.")
    return np.ascontiguousarray(np.flatnonzero(rows) if is_mask else rows, dtype=np.intp)


def _check_splits(splits: tuple[Split, ...], dataset: Dataset, task: Task) -> None:
    """No example on both sides, none tested twice in a split, and every class in every training set."""
    labels, code = None, dataset.y
    if task == "classification" and dataset.y.ndim == 1:
        labels, code = np.unique(dataset.y, return_inverse=True)
        if labels.size < 2:
            raise DataError(f"y{_of(dataset)} has a single class, {labels.item()!r}. Nothing is to be learnt from one class.")
    in_training = np.zeros(dataset.n_samples, dtype=bool)
    for number, (train, test) in enumerate(splits):
        in_training[:] = False
        in_training[train] = True
        shared = test[in_training[test]]
        split = f"split {number}{_of(dataset)}"
        if shared.size:
            raise DataError(
                f"cv: {split} has {shared.size} row(s) both in training and in test, such as row {int(shared[0])}. A model must "
                "not be tested on what it was trained on."
            )
        if np.unique(test).size < test.size:
            raise DataError(f"cv: {split} names a row twice in its test rows. Name each row once.")
        if labels is not None and (count := np.bincount(code[train], minlength=labels.size)).min() == 0:
            absent = int(np.argmin(count))
            n_absent = np.count_nonzero(code == absent)
            raise DataError(
                f"cv: class {labels.tolist()[absent]!r} ({n_absent} example(s) in all) is absent from the training rows of "
                f"{split}, so no model could learn it there. Use stratified splits, fewer folds, or leave rare classes out."
            )


def _of(dataset: Dataset) -> str:
    return f" of dataset {dataset.name!r}" if dataset.name else ""
