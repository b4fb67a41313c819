"""Long tables: one row for each model and split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnpairedScoresError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.columns import Labels
from tiebreak.readers.keys import Rows, position_in_model
from tiebreak.readers.seeds import mean_per_cell, refuse_doubled_seeds, refuse_single_split
from tiebreak.scores.assemble import SplitKeys, assemble, number_splits, size_per_split
from tiebreak.scores.scores import ScoreMatrix


def long_matrix(dataset: str, models: Labels, score: FloatArray, rows: Rows, source: str) -> ScoreMatrix:
    """Models by splits of one dataset.

    Raises
    ------
    UnpairedScoresError
        Models without a split in common.
    UnsuitableDesignError
        Rows that differ only by seed, on one split.
    """
    repeat, fold = _split_of_row(models, rows, source)
    if rows.seed is not None and _has_doubled(models.code, repeat, fold):
        return _mean_over_seeds(dataset, models, repeat, fold, score, rows, rows.seed, source)
    matrix = assemble(dataset, models.names, models.code, repeat, fold, score, rows.n_train, rows.n_test)
    if score.size < matrix.score.size:
        _refuse_strangers(models, number_splits(repeat, fold), source)
    return matrix


def _split_of_row(models: Labels, rows: Rows, source: str) -> tuple[IntArray, IntArray]:
    if rows.keys is not None:
        return rows.keys.repeat.code, rows.keys.fold.code
    counts = np.bincount(models.code, minlength=len(models.names))
    if rows.seed is not None and counts.max() > 1:
        raise refuse_single_split(np.unique(rows.seed).size, source)
    refuse_unequal_counts(models.names, counts, source)
    return np.zeros(models.code.size, dtype=np.int8), position_in_model(models.code)


def refuse_unequal_counts(models: tuple[str, ...], counts: IntArray, source: str) -> None:
    """Models paired by position must have the same number of scores.

    Raises
    ------
    UnpairedScoresError
        They do not.
    """
    other = np.flatnonzero(counts != counts[0])
    if other.size:
        raise UnpairedScoresError(
            f"{source} does not name its splits, so scores are paired by their order; but model {models[0]!r} has {counts[0]} "
            f"scores and {models[int(other[0])]!r} has {counts[other[0]]}. Give every model one score for each split, or name "
            "the splits in columns 'repeat' and 'fold' (or 'split')."
        )


def _has_doubled(model: IntArray, repeat: IntArray, fold: IntArray) -> bool:
    keys = number_splits(repeat, fold)
    cell = model.astype(np.int64) * keys.n_splits + keys.code
    return bool(np.unique(cell).size < cell.size)


def _mean_over_seeds(
    dataset: str, models: Labels, repeat: IntArray, fold: IntArray, score: FloatArray, rows: Rows, seed: IntArray, source: str
) -> ScoreMatrix:
    keys = number_splits(repeat, fold)
    if keys.n_splits == 1:
        raise refuse_single_split(np.unique(seed).size, source)
    cell = models.code.astype(np.int64) * keys.n_splits + keys.code
    refuse_doubled_seeds(cell, seed, keys.n_splits, keys, models.names)
    _refuse_strangers(models, keys, source)
    n_cells = len(models.names) * keys.n_splits
    return ScoreMatrix(
        dataset,
        models.names,
        keys.repeat,
        keys.fold,
        size_per_split(rows.n_train, keys, "n_train"),
        size_per_split(rows.n_test, keys, "n_test"),
        mean_per_cell(score, cell, n_cells).reshape(len(models.names), keys.n_splits),
    )


def _refuse_strangers(models: Labels, keys: SplitKeys, source: str) -> None:
    """Refuse two models that have no split in common; those with some in common are for the comparison to judge."""
    there = np.zeros((len(models.names), keys.n_splits), dtype=np.float32)
    there[models.code, keys.code] = 1.0
    strangers = np.argwhere(there @ there.T == 0)
    if strangers.size:
        first, second = strangers[0].tolist()
        examples = " and ".join(_example(models.names[code], there[code], keys) for code in (first, second))
        raise UnpairedScoresError(
            f"{source}: models {models.names[first]!r} and {models.names[second]!r} have no split in common: {examples}. Score "
            "both on the same splits, or leave one out with models=."
        )


def _example(model: str, there: NDArray[np.float32], keys: SplitKeys) -> str:
    return f"{model!r} has {int(there.sum())}, the first of them {keys.name(int(np.argmax(there)))}"
