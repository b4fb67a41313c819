"""Splits: their design, read from index arrays; what ``cv`` makes of data; and what it made of data that are not at hand."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.caught import caught_warnings, give_again
from tiebreak.errors import Advice, DataError, UnclearSourceError
from tiebreak.numerics import IntArray, refuse_unless
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.seeds import derive_seed
from tiebreak.scores.scores import ScoreMatrix, SplitDesign
from tiebreak.scores.vocabulary import Kind, SplitKind, look_up, quoted

if TYPE_CHECKING:
    from tiebreak.metrics.targets import Truth
    from tiebreak.plan.data import Dataset, Task


class Split(NamedTuple):
    """Row numbers of the training and test examples of one split."""

    train: IntArray
    test: IntArray


def split_of(train: Any, test: Any) -> Split:
    """A split by row numbers, also where masks are given."""
    parts = (np.asarray(train), np.asarray(test))
    return Split(*(np.flatnonzero(rows) if rows.dtype == bool else rows for rows in parts))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Splits(SplitDesign):
    """The splits of a source, in its order, and how they were made.

    Numbers of examples are 0 where they are not known; `n_folds` is as of `ScoreMatrix`. Arrays have shape (n_splits,), in key
    order.
    """

    repeat: IntArray
    fold: IntArray
    n_train: IntArray
    n_test: IntArray
    n_folds: int = 0

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.repeat.size)

    def split_name(self, split: int) -> str:
        """The split at a position, as people are told of it: "repeat 0 fold 3"."""
        return f"repeat {self.repeat[split]} fold {self.fold[split]}"

    def applied_to(self, matrix: ScoreMatrix) -> tuple[ScoreMatrix, SplitDesign]:
        """The matrix with these keys and sizes, and the design."""
        keys = {name: getattr(self, name) for name in ("repeat", "fold", "n_train", "n_test", "n_folds")}
        return dataclasses.replace(matrix, **keys), SplitDesign(**fields_of(self, SplitDesign))


def fields_of(source: Any, kind: type[Any] | None = None) -> dict[str, Any]:
    """Fields of a dataclass, or those of them that one of its base classes has, with what they hold."""
    return {each.name: getattr(source, each.name) for each in dataclasses.fields(kind or source)}


_KINDS: dict[str, Kind] = {
    "RepeatedStratifiedKFold": "repeated-stratified",
    "RepeatedKFold": "repeated-kfold",
    "StratifiedGroupKFold": "stratified-group",
    "StratifiedKFold": "stratified",
    "GroupKFold": "group",
    "LeaveOneGroupOut": "group",
    "LeavePGroupsOut": "group",
    "KFold": "kfold",
    "LeaveOneOut": "loo",
    "TimeSeriesSplit": "time",
    "BaseShuffleSplit": "repeated-holdout",
    "_RepeatedSplits": "unknown",
}
"""Kind of each splitter of scikit-learn and of classes derived from it, the most special first."""


def _scheme_of(cv: Any, n_splits: int) -> tuple[Kind, int] | None:
    """Kind of a splitter's splits, and number of folds in one repeat; None where that must be read from the indices."""
    names = [base.__name__ for base in type(cv).__mro__]
    kind = next((kind for name, kind in _KINDS.items() if name in names), None)
    if kind is None:
        return None
    if kind == "repeated-holdout":
        return "holdout" if n_splits == 1 else kind, 1
    n_repeats = getattr(cv, "n_repeats", 1) if "_RepeatedSplits" in names else 1
    return kind, n_splits // n_repeats if n_splits % n_repeats == 0 else n_splits


def describe_splits(splits: Sequence[Split], cv: Any = None) -> Splits:
    """Sizes and keys of splits that are known example by example; their kind is told from the indices if `cv` does not."""
    kind, n_folds = _scheme_of(cv, len(splits)) or _recognise(splits)
    repeat, fold = np.divmod(np.arange(len(splits)), n_folds)
    n_train, n_test = (np.array([rows.size for rows in part], dtype=np.int64) for part in zip(*splits, strict=True))
    return Splits(repeat=repeat, fold=fold, n_train=n_train, n_test=n_test, kind=kind, ordered=kind == "time", sizes="exact")


def _recognise(splits: Sequence[Split]) -> tuple[Kind, int]:
    """k-fold is told by test sets that together are all examples, once in each repeat."""
    n_splits = len(splits)
    if n_splits == 1:
        return "holdout", 1
    if all(split.train.size and split.test.size and split.train.max() < split.test.min() for split in splits):
        return "time", n_splits
    everything, n_tested = np.unique(np.concatenate(splits[0])), sum(split.test.size for split in splits)
    n_folds, rest = divmod(n_splits * everything.size, max(n_tested, 1))
    is_whole = (
        n_folds and not rest and n_splits % n_folds == 0 and all(sum(map(len, split)) == everything.size for split in splits)
    )
    repeats = range(0, n_splits, n_folds) if is_whole else ()
    tested = [np.sort(np.concatenate([split.test for split in splits[start : start + n_folds]])) for start in repeats]
    if not is_whole or not all(np.array_equal(each, everything) for each in tested):
        return "unknown", n_splits
    if n_folds == n_splits and all(split.test.size == 1 for split in splits):
        return "loo", n_splits
    return "kfold" if n_folds == n_splits else "repeated-kfold", n_folds


def shared_splits(indices: Mapping[str, Any], n_splits: int, source: str) -> Splits | None:
    """Splits of all models whose training and test rows are known, None where those of none are.

    The rows are as cross_validate returns them, None where a model has none. Of some models only, nothing proves that the
    others have the same.

    Raises
    ------
    DataError
        Two models have different splits.
        The rows of a model are not those of so many splits.
    """
    known = {model: _rows_of(rows, model, n_splits, source) for model, rows in indices.items() if rows is not None}
    if not known:
        return None
    (first, own), *others = known.items()
    for other, splits in others:
        alike = [split_hash(one) == split_hash(two) for one, two in zip(own, splits, strict=True)]  # in any order
        differs = alike.index(False) if False in alike else None
        if differs is not None:
            raise DataError(
                f"{source}: models {first!r} and {other!r} were scored on different splits; the first that differs is split "
                f"{differs} (counting from 0). Give cross_validate the same cv for all, with a fixed random_state if it shuffles."
            )
    if len(known) < len(indices):
        return dataclasses.replace(describe_splits(own), pairing="position")
    return dataclasses.replace(describe_splits(own), hash=split_hash([split.test for split in own]))


def _rows_of(rows: Any, model: str, n_splits: int, source: str) -> list[Split]:
    train, test = (rows.get(part) if isinstance(rows, Mapping) else None for part in ("train", "test"))
    if not isinstance(train, Sequence) or not isinstance(test, Sequence) or not len(train) == len(test) == n_splits:
        raise DataError(
            f"the indices of model {model!r} in {source} are not what cross_validate(return_indices=True) returns: 'train' and "
            f"'test', with an array for each of the {n_splits} splits."
        )
    return [split_of(one, two) for one, two in zip(train, test, strict=True)]


# --- splits made of data ----------------------------------------------------------------------------------------------------

_FOLDS = {"n_folds": 10, "shuffle": True, "seed": None}
_REPEATED = {"n_folds": 10, "n_repeats": 10, "seed": None}
_SHARE = {"test_size": 0.25, "seed": None}
OPTIONS: dict[SplitKind, dict[str, Any]] = {
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

KINDS = tuple(OPTIONS)

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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlannedDataset(Splits):
    """A dataset, its target as metrics take it, and the splits made of it."""

    data: Dataset
    task: Task
    truth: Truth
    splits: tuple[Split, ...]


def make_splitter(cv: Mapping[str, Any], dataset: Dataset, seed: int, *, has_classes: bool) -> Any:
    """The splitter of scikit-learn behind a name and its options, whose values that checks.

    `cv` holds "kind" and options, such as ``{"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}``; the seed counts where
    these have none, and `has_classes` where the target is one class for each row. Raises `DataError` for an option that the kind
    does not take, or a value outside its range, and `UnknownNameError` for a kind that is not there.
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


MOST_SPLITS = 100_000
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
    from tiebreak.metrics.targets import make_truth  # which a comparison, that has splits too, does without

    truth = make_truth(dataset.y, classifier=task == "classification")
    has_classes, has_groups = truth.classes is not None, dataset.groups is not None
    if cv is None or (isinstance(cv, numbers.Integral) and not isinstance(cv, bool)):
        kind = ("stratified-group" if has_classes else "group") if has_groups else "stratified" if has_classes else "kfold"
        if cv is not None:
            cv = {"kind": kind, "n_folds": int(cv), "shuffle": False}
        else:  # never more folds than groups
            cv = {"kind": f"repeated-{kind}" if not has_groups and dataset.n_samples < SMALL else kind}
    elif isinstance(cv, str):
        cv = {"kind": cv}
    seed = derive_seed(0 if rng is None else rng, "splits", dataset.name)
    if isinstance(cv, Mapping):
        cv = make_splitter(cv, dataset, seed, has_classes=has_classes)
    if hasattr(cv, "split"):
        cv = copy.deepcopy(cv)  # the caller's must not move on
        if rng is not None and getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
            cv.random_state = seed
        splits = _of_splitter(cv, dataset)
    elif isinstance(cv, Iterable):
        splits = _of_pairs(cv, dataset)
    else:
        raise DataError(
            f"cv={cv!r:.60} makes no splits. Pass a whole number of at least 2, a name such as 'repeated-stratified', a splitter "
            "of scikit-learn, or pairs (training rows, test rows)."
        )
    planned = PlannedDataset(data=dataset, task=task, truth=truth, splits=splits, **fields_of(describe_splits(splits, cv)))
    if check:
        _check_splits(planned)
    return planned


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
            splits = _of_pairs(cv.split(dataset.X, dataset.y, dataset.groups), dataset)
        for each in caught:  # scikit-learn goes on with folds that lack the class, and only says so
            if str(each.message).startswith("The least populated class"):
                raise ValueError(f"{each.message} Use fewer folds, or 'kfold', which does not stratify.")
        give_again(caught)
    except DataError:
        raise
    except Exception as error:
        if dataset.groups is None and "groups" in str(error):
            raise DataError(
                f"{type(cv).__name__} needs to know which examples belong together. ",
                Advice("Pass groups=, one value for each row of X.", study='Name the column: groups = "..." under [data].'),
            ) from None
        n_values = len({*dataset.y.ravel().tolist()})
        said = f" y has {n_values} different values in {dataset.n_samples} rows: for a quantity the models are to be regressors."
        hint = said if "each class" in str(error) and 3 * n_values > dataset.n_samples else ""
        raise DataError(f"{type(cv).__name__} could not split the data{_of(dataset)}: {error}{hint}") from error
    return splits


def _of_pairs(pairs: Iterable[Any], dataset: Dataset) -> tuple[Split, ...]:
    splits = []
    for number, pair in enumerate(pairs):
        check_amount(number + 1, dataset)  # which may be endless
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise DataError(f"cv: entry {number} is no pair (training rows, test rows).") from None
        splits.append(
            Split(
                _rows(train, dataset.n_samples, f"training rows of split {number}"),
                _rows(test, dataset.n_samples, f"test rows of split {number}"),
            )
        )
    if not splits:
        raise DataError("cv makes no splits. If it is a generator, it was used up before; make it anew.")
    return tuple(splits)


def _rows(given: Any, n_samples: int, what: str) -> IntArray:
    """Row numbers, also where a mask was given."""
    rows, wrong = np.asarray(given), ""
    if rows.dtype == bool and rows.shape == (n_samples,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1:
        wrong = f"the {what} have shape {rows.shape}; a list of row numbers is needed"
    elif rows.size == 0:
        wrong = f"there are no {what}"
    elif rows.dtype.kind not in "iu":
        kind = f"a mask of {rows.size} rows, but X has {n_samples}" if rows.dtype == bool else f"of type {rows.dtype}"
        wrong = f"the {what} are {kind}; row numbers (counted from 0) are needed"
    elif rows.min() < 0 or rows.max() >= n_samples:
        outside = rows.min() if rows.min() < 0 else rows.max()
        wrong = f"the {what} name row {outside}, but X has rows 0 to {n_samples - 1}"
    if wrong:
        raise DataError(f"cv: {wrong}.")
    return np.ascontiguousarray(rows, dtype=np.intp)


def _check_splits(planned: PlannedDataset) -> None:
    """No example on both sides, none tested twice in a split, and every class in every training set."""
    dataset, labels, code = planned.data, planned.truth.classes, planned.truth.code
    if labels is not None and labels.size < 2:
        raise DataError(f"y{_of(dataset)} has a single class, {labels.item()!r}. Nothing is to be learnt from one class.")
    in_training = np.zeros(dataset.n_samples, dtype=bool)
    for number, (train, test) in enumerate(planned.splits):
        in_training[:] = False
        in_training[train] = True
        shared = test[in_training[test]]
        if shared.size:
            raise DataError(
                f"cv: split {number}{_of(dataset)} has {shared.size} row(s) both in training and in test, such as row "
                f"{int(shared[0])}. A model must not be tested on what it was trained on."
            )
        if np.unique(test).size < test.size:
            raise DataError(f"cv: split {number}{_of(dataset)} names a row twice in its test rows. Name each row once.")
        if labels is not None and (count := np.bincount(code[train], minlength=labels.size)).min() == 0:
            absent = int(np.argmin(count))
            n_absent = np.count_nonzero(code == absent)
            raise DataError(
                f"cv: class {labels.tolist()[absent]!r} ({n_absent} example(s) in all) is absent from the training rows of split "
                f"{number}{_of(dataset)}, so no model could learn it there. Use stratified splits, fewer folds, or leave rare "
                "classes out."
            )


def _of(dataset: Dataset) -> str:
    return f" of dataset {dataset.name!r}" if dataset.name else ""


# --- splits made elsewhere -----------------------------------------------------------------------------------------------------

K_FOLD = ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "RepeatedKFold", "RepeatedStratifiedKFold")
"""Splitters that test each example once in each repeat; classes derived from them may do otherwise."""

_WITH_REPEATS: dict[Kind, Kind] = {"kfold": "repeated-kfold", "stratified": "repeated-stratified"}

_INSTEAD = "n_train= and n_test= (examples per split)"


def splits_unseen(cv: Any, n_splits: int) -> Splits:
    """Splits that a `cv` made of data that are not at hand; of k-fold cross-validation the number of folds is known.

    There may be several repeats of what it makes.

    Raises
    ------
    DataError
        It does not make so many splits.
    InvalidParameterError
        It is a number below 2.
    """
    n_folds = n_made = n_own = n_splits  # of None, the default of a search
    kind: Kind = "kfold"
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        n_folds = n_made = int(cv)
    elif cv is not None:
        kind, n_own = _scheme_of(cv, n_splits) or ("unknown", n_splits)
        n_folds = 0
        if type(cv).__name__ in K_FOLD:
            n_made = cv.get_n_splits()
            n_folds = n_made // getattr(cv, "n_repeats", 1)
    is_of_folds = not isinstance(cv, str | bool | float) and (n_made >= 2 or n_folds != n_made)
    refuse_unless(is_of_folds, "cv", "be a number of folds, at least 2, or a splitter", cv)
    if n_splits % n_made:
        raise DataError(
            f"there are {n_splits} scores of each model, which is no multiple of the {n_made} splits that cv={cv!r:.60} makes. "
            "Pass the cv that was used."
        )
    kind = _WITH_REPEATS.get(kind, kind) if 0 < n_folds < n_splits else kind
    nothing = np.zeros(n_splits, dtype=np.int64)
    repeat, fold = np.divmod(np.arange(n_splits), n_folds or n_own)
    return Splits(repeat=repeat, fold=fold, n_train=nothing, n_test=nothing, kind=kind, ordered=kind == "time", n_folds=n_folds)


def split_again(cv: Any, X: Any, y: Any, groups: Any, n_splits: int, estimator: Any = None) -> Splits:
    """Splits that a `cv` makes of the data, in sizes and keys; proved by a hash where it makes the same each time.

    Those of a number of folds are stratified where the estimator is a classifier; where there is none, if `y` holds classes.

    Raises
    ------
    UnclearSourceError
        It cannot be split again.
    DataError
        That gives other than `n_splits`.
    """
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    of_classes = y is not None if estimator is None else bool(is_classifier(estimator))
    if of_classes and y is None and (cv is None or isinstance(cv, numbers.Integral)):
        raise UnclearSourceError("the splits of a classifier are stratified by y: pass y= as given to fit beside X=.")
    try:
        X = np.zeros((len(y), 1)) if X is None and y is not None else X
        with caught_warnings():  # fit has given them already
            used = check_cv(copy.deepcopy(cv), y, classifier=of_classes)  # a copy: the caller's random state is not moved on
            first, again = ([split_of(*pair) for pair in used.split(X, y, groups)] for _ in range(2))
    except Exception as error:
        raise UnclearSourceError(
            f"cv, a {type(cv).__name__}, cannot be split again: {str(error).rstrip('.')}. Pass X, y and groups as they were "
            f"given, or {_INSTEAD}."
        ) from None
    if len(first) != n_splits:
        raise DataError(
            f"splitting again gives {len(first)} splits, but there are scores of {n_splits}. Are X, y, groups and cv those "
            f"that were used? If cv cannot be split again, pass {_INSTEAD}."
        )
    splits = describe_splits(first, used)
    if groups is not None:
        named = np.asarray(groups)
        torn = sum(bool(np.isin(named[split.train], named[split.test]).any()) for split in first)
        splits = dataclasses.replace(splits, n_torn=torn)
    if [split.test.size for split in first] != [split.test.size for split in again]:
        return dataclasses.replace(splits, sizes="approximate")
    is_fixed = isinstance(getattr(used, "random_state", 0), numbers.Integral) or not getattr(used, "shuffle", True)
    digest, other = (split_hash([split.test for split in made]) for made in (first, again))
    return dataclasses.replace(splits, hash=digest) if is_fixed and digest == other else splits
