"""From long columns, one entry for each score, to models by splits."""

from collections.abc import Sequence

import numpy as np

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.scores.scores import ScoreMatrix

SplitKeys = tuple[IntArray, IntArray, IntArray]
"""Repeat and fold of the distinct splits of a table, in key order, and the split of each row."""


def number_splits(repeat: IntArray, fold: IntArray) -> SplitKeys:
    """Distinct (repeat, fold) pairs in order, and their number in each row.

    Keys are mostly small whole numbers without gaps; then a table over all possible pairs does it, which needs a fraction
    of the time and memory of sorting millions of rows.
    """
    first_repeat, first_fold = int(repeat.min(initial=0)), int(fold.min(initial=0))
    n_repeats, n_folds = int(repeat.max(initial=0)) - first_repeat + 1, int(fold.max(initial=0)) - first_fold + 1
    if n_repeats * n_folds > max(4 * repeat.size, 65_536):
        keys, code = np.unique(np.column_stack([repeat, fold]).astype(np.int64), axis=0, return_inverse=True)
        return keys[:, 0], keys[:, 1], code.ravel()
    flat = (repeat.astype(np.int64) - first_repeat) * n_folds + (fold.astype(np.int64) - first_fold)
    present = np.zeros(n_repeats * n_folds, dtype=bool)
    present[flat] = True
    number = np.cumsum(present, dtype=np.int32) - np.int32(1)
    key_repeat, key_fold = np.divmod(np.flatnonzero(present), n_folds)
    return key_repeat + first_repeat, key_fold + first_fold, number[flat]


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
    where hardly any split is shared, so that the table would be all but empty.
    """
    keys = number_splits(repeat, fold)
    split_repeat, split_fold, code = keys
    n_splits, n_cells = split_repeat.size, len(models) * split_repeat.size
    if n_cells > max(_SPARSE_FROM, 50 * score.size):
        raise DataError(
            f"{score.size} scores of {len(models)} models on {n_splits} different splits: hardly any two models share a "
            "split. Is each model named, and each split numbered, the same way in all rows?"
        )
    cell = model_code.astype(np.int64) * n_splits + code
    table = divide(np.bincount(cell, score, n_cells), np.bincount(cell, minlength=n_cells)).reshape(len(models), n_splits)
    trained, tested = (_size_per_split(column, keys, name) for column, name in ((n_train, "n_train"), (n_test, "n_test")))
    return ScoreMatrix(dataset, tuple(models), split_repeat, split_fold, trained, tested, table)


_SPARSE_FROM = 5_000_000
"""Cells (40 MB) up to which a nearly empty table may as well be filled."""


def _size_per_split(column: IntArray | None, keys: SplitKeys, name: str) -> IntArray:
    """Size of each split, 0 where it is not known; rows of one split must agree where they say one."""
    repeat, fold, code = keys
    values = np.zeros(repeat.size, dtype=np.int64)
    if column is not None:
        known = column > 0
        values[code[known]] = column[known]
        for row in np.flatnonzero(known & (values[code] != column))[:1]:
            split = code[row]
            raise DataError(
                f"{name} of repeat {repeat[split]} fold {fold[split]} is {column[row]} for one model and {values[split]} for "
                "another. Models on the same split share its sizes; if the splits differ, give them different keys."
            )
    return values
