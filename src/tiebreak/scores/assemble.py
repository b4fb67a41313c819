"""From long columns, one entry for each score, to models by splits."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.scores.scores import ScoreMatrix


class SplitKeys(NamedTuple):
    """The distinct splits of a table, in key order, and the split of each row."""

    repeat: IntArray
    fold: IntArray
    code: IntArray

    @property
    def n_splits(self) -> int:
        """Number of distinct splits."""
        return int(self.repeat.size)

    def name(self, split: int) -> str:
        """The split at a position, as people are told of it: "repeat 0 fold 3"."""
        return f"repeat {self.repeat[split]} fold {self.fold[split]}"


def number_splits(repeat: IntArray, fold: IntArray) -> SplitKeys:
    """Distinct (repeat, fold) pairs in order, and their number in each row.

    Keys are mostly small whole numbers without gaps; then a table over all possible pairs does it, which needs a fraction
    of the time and memory of sorting millions of rows.
    """
    if repeat.size == 0:
        return SplitKeys(repeat, fold, np.zeros(0, dtype=np.intp))
    first_repeat, first_fold = int(repeat.min()), int(fold.min())
    n_repeats, n_folds = int(repeat.max()) - first_repeat + 1, int(fold.max()) - first_fold + 1
    if n_repeats * n_folds > max(4 * repeat.size, 65_536):
        keys, code = np.unique(np.column_stack([repeat, fold]).astype(np.int64), axis=0, return_inverse=True)
        return SplitKeys(keys[:, 0], keys[:, 1], code.ravel())
    flat = (repeat.astype(np.int64) - first_repeat) * n_folds + (fold.astype(np.int64) - first_fold)
    present = np.zeros(n_repeats * n_folds, dtype=bool)
    present[flat] = True
    number = np.cumsum(present, dtype=np.int32) - np.int32(1)
    key_repeat, key_fold = np.divmod(np.flatnonzero(present), n_folds)
    return SplitKeys(key_repeat + first_repeat, key_fold + first_fold, number[flat])


def assemble(
    dataset: str,
    models: Sequence[str],
    model_code: IntArray,
    repeat: IntArray,
    fold: IntArray,
    score: FloatArray,
    n_train: IntArray | None = None,
    n_test: IntArray | None = None,
) -> ScoreMatrix:
    """Models by splits from long columns of one dataset, splits sorted by key; absent scores are nan.

    `dataset` is "" if it has no name. Each row of the columns has the position of its model in `models` (unique names), the key
    of its split, the score in the metric's unit and, where they are given, the split's numbers of examples, n_train and n_test.
    Scores of one model and split are averaged. Raises `DataError` for one split with two sizes, and
    `DataError` where hardly any split is shared, so that the table would be all but empty.
    """
    keys = number_splits(repeat, fold)
    n_cells = len(models) * keys.n_splits
    if n_cells > max(_SPARSE_FROM, 50 * score.size):
        raise DataError(
            f"{score.size} scores of {len(models)} models on {keys.n_splits} different splits: hardly any two models share a "
            "split. Is each model named, and each split numbered, the same way in all rows?"
        )
    cell = model_code.astype(np.int64) * keys.n_splits + keys.code
    matrix = divide(np.bincount(cell, score, n_cells), np.bincount(cell, minlength=n_cells))
    return ScoreMatrix(
        dataset,
        tuple(models),
        keys.repeat,
        keys.fold,
        n_train=size_per_split(n_train, keys, "n_train"),
        n_test=size_per_split(n_test, keys, "n_test"),
        score=matrix.reshape(len(models), keys.n_splits),
    )


_SPARSE_FROM = 5_000_000
"""Cells (40 MB) up to which a nearly empty table may as well be filled."""


def size_per_split(column: IntArray | None, keys: SplitKeys, name: str) -> IntArray:
    """Size of each split, 0 where it is not known; rows of one split must agree where they say one.

    Raises `DataError` for one split with two sizes.
    """
    values = np.zeros(keys.n_splits, dtype=np.int64)
    if column is None:
        return values
    known = column > 0
    values[keys.code[known]] = column[known]
    wrong = np.flatnonzero(known & (values[keys.code] != column))
    if wrong.size:
        split = int(keys.code[wrong[0]])
        raise DataError(
            f"{name} of {keys.name(split)} is {column[wrong[0]]} for one model and {values[split]} for another. Models on the "
            "same split share its sizes; if the splits differ, give them different keys."
        )
    return values
