"""Design of splits read from index arrays: sizes, repeats and folds, and scheme."""

from __future__ import annotations

import copy
import dataclasses
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.caught import caught_warnings
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    UnclearSourceError,
)
from tiebreak.numerics import IntArray
from tiebreak.plan.fingerprint import split_hash
from tiebreak.scores.vocabulary import Kind

if TYPE_CHECKING:
    from tiebreak.scores.scores import ScoreMatrix, SplitDesign


class Split(NamedTuple):
    """Row numbers of the training and test examples of one split."""

    train: IntArray
    test: IntArray


def split_of(train: Any, test: Any) -> Split:
    """A split by row numbers, also where masks are given."""
    parts = (np.asarray(train), np.asarray(test))
    return Split(*(np.flatnonzero(rows) if rows.dtype == bool else rows for rows in parts))


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The splits of a source, in its order.

    Numbers of examples are 0 where they are not known; `kind`, `ordered`, `pairing`, `sizes`, `hash` and `n_torn` are as of
    `SplitDesign`, `n_folds` as of `ScoreMatrix`. Arrays have shape (n_splits,), in key order.
    """

    repeat: IntArray
    fold: IntArray
    n_train: IntArray
    n_test: IntArray
    kind: Kind = "unknown"
    ordered: bool = False
    pairing: Literal["key", "position"] = "key"
    sizes: Literal["exact", "approximate", "missing"] = "exact"
    hash: str | None = None
    n_folds: int = 0
    n_torn: int = 0

    def applied_to(self, matrix: ScoreMatrix) -> tuple[ScoreMatrix, SplitDesign]:
        """The matrix with these keys and sizes, and the design."""
        from tiebreak.scores.scores import SplitDesign

        design = SplitDesign(self.kind, self.ordered, self.pairing, self.sizes, self.hash, self.n_torn)
        keys = {name: getattr(self, name) for name in ("repeat", "fold", "n_train", "n_test", "n_folds")}
        return dataclasses.replace(matrix, **keys), design


Scheme = tuple[Kind, int]
"""Kind of the splits, and number of folds in one repeat."""

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


def class_names(cv: Any) -> list[str]:
    """Names of the class of a splitter and of its bases."""
    return [base.__name__ for base in type(cv).__mro__]


def scheme_of(cv: Any, n_splits: int) -> Scheme | None:
    """Scheme of a splitter's splits; None where it must be read from the indices."""
    names = class_names(cv)
    kind = next((kind for name, kind in _KINDS.items() if name in names), None)
    if cv is None or (isinstance(cv, numbers.Integral) and not isinstance(cv, bool)):
        return "kfold", n_splits
    if kind is None:
        return None
    if kind == "repeated-holdout":
        return "holdout" if n_splits == 1 else kind, 1
    n_repeats = getattr(cv, "n_repeats", 1) if "_RepeatedSplits" in names else 1
    n_folds = n_splits // n_repeats if n_splits % n_repeats == 0 else n_splits
    return kind, n_folds


def describe_splits(splits: Sequence[Split], scheme: Scheme | None = None) -> Splits:
    """Sizes and keys of splits that are known example by example.

    Without a scheme, which is that of a known splitter, it is told from the indices.
    """
    kind, n_folds = scheme or _recognise(splits)
    repeat, fold = np.divmod(np.arange(len(splits)), n_folds)
    n_train, n_test = (np.array([rows.size for rows in part], dtype=np.int64) for part in zip(*splits, strict=True))
    return Splits(repeat, fold, n_train, n_test, kind, kind == "time")


def _recognise(splits: Sequence[Split]) -> Scheme:
    """k-fold is told by test sets that together are all examples, once in each repeat."""
    n_splits = len(splits)
    if n_splits == 1:
        return "holdout", 1
    if all(split.train.size and split.test.size and split.train.max() < split.test.min() for split in splits):
        return "time", n_splits
    n_folds = _folds_of_a_repeat(splits)
    if n_folds is None:
        return "unknown", n_splits
    if n_folds == n_splits and all(split.test.size == 1 for split in splits):
        return "loo", n_splits
    return "kfold" if n_folds == n_splits else "repeated-kfold", n_folds


def _folds_of_a_repeat(splits: Sequence[Split]) -> int | None:
    everything = np.unique(np.concatenate(splits[0]))
    ends = np.cumsum([split.test.size for split in splits])
    if ends[-1] % everything.size or any(sum(map(len, split)) != everything.size for split in splits):
        return None
    n_repeats = int(ends[-1]) // everything.size
    n_folds, rest = divmod(len(splits), n_repeats)
    if rest:
        return None
    for start in range(0, len(splits), n_folds):
        tested = np.sort(np.concatenate([split.test for split in splits[start : start + n_folds]]))
        if not np.array_equal(tested, everything):
            return None
    return n_folds


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
        differs = next((k for k, (one, two) in enumerate(zip(own, splits, strict=True)) if not _is_same(one, two)), None)
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


def _is_same(one: Split, two: Split) -> bool:
    return all(np.array_equal(np.sort(part), np.sort(other)) for part, other in zip(one, two, strict=True))


# --- splits of a cv -----------------------------------------------------------------------------------------------------

MOST_FOLDS = 10
"""Folds whose numbers are taken for those of one cross-validation; of more, some may be repeats that were numbered on."""

K_FOLD = ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "RepeatedKFold", "RepeatedStratifiedKFold")
"""Splitters that test each example once in each repeat; classes derived from them may do otherwise."""

_REPEATED: dict[Kind, Kind] = {"kfold": "repeated-kfold", "stratified": "repeated-stratified"}

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
    n_folds = n_made = n_splits  # of None, the default of a search
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        n_folds = n_made = int(cv)
    elif type(cv).__name__ in K_FOLD:
        n_made = cv.get_n_splits()
        n_folds = n_made // getattr(cv, "n_repeats", 1)
    elif cv is not None:
        n_folds = 0
    if isinstance(cv, str | bool | float) or (n_made < 2 and n_folds == n_made):
        raise InvalidParameterError(f"cv must be a number of folds, at least 2, or a splitter; got {cv!r:.60}.")
    if n_splits % n_made:
        raise DataError(
            f"there are {n_splits} scores of each model, which is no multiple of the {n_made} splits that cv={cv!r:.60} makes. "
            "Pass the cv that was used."
        )
    kind, n_own = scheme_of(cv, n_splits) or ("unknown", n_splits)
    kind = _REPEATED.get(kind, kind) if 0 < n_folds < n_splits else kind
    nothing = np.zeros(n_splits, dtype=np.int64)
    repeat, fold = np.divmod(np.arange(n_splits), n_folds or n_own)
    return Splits(repeat, fold, nothing, nothing, kind, kind == "time", sizes="missing", n_folds=n_folds)


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
    splits = describe_splits(first, scheme_of(used, n_splits))
    if groups is not None:
        named = np.asarray(groups)
        torn = sum(bool(np.isin(named[split.train], named[split.test]).any()) for split in first)
        splits = dataclasses.replace(splits, n_torn=torn)
    if [split.test.size for split in first] != [split.test.size for split in again]:
        return dataclasses.replace(splits, sizes="approximate")
    is_fixed = isinstance(getattr(used, "random_state", 0), numbers.Integral) or not getattr(used, "shuffle", True)
    digest, other = (split_hash([split.test for split in made]) for made in (first, again))
    return dataclasses.replace(splits, hash=digest) if is_fixed and digest == other else splits
