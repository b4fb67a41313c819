"""Design of splits read from index arrays: sizes, repeats and folds, and scheme."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.numerics import IntArray
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

    Numbers of examples are 0 where they are not known; `kind`, `ordered`, `pairing`, `sizes` and `hash` are as of `SplitDesign`.
    Arrays have shape (n_splits,), in key order.
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

    def applied_to(self, matrix: ScoreMatrix) -> tuple[ScoreMatrix, SplitDesign]:
        """The matrix with these keys and sizes, and the design."""
        from tiebreak.scores.scores import SplitDesign

        design = SplitDesign(self.kind, self.ordered, self.pairing, self.sizes, self.hash)
        keyed = dataclasses.replace(matrix, repeat=self.repeat, fold=self.fold, n_train=self.n_train, n_test=self.n_test)
        return keyed, design


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
