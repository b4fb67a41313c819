"""Scores that differ only by the seed of training: averaged within a split, refused where there is only one split."""

from __future__ import annotations

import numpy as np

from tiebreak.errors import InvalidScoresError, UnsuitableDesignError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.assemble import SplitKeys


def refuse_single_split(n_seeds: int, source: str) -> UnsuitableDesignError:
    """The error for many seeds on one split."""
    return UnsuitableDesignError(
        f"the scores of {source} differ only by seed ({n_seeds} seeds), on a single split: training noise says nothing about "
        "other data, so no test of it can tell which model is better. Evaluate on several splits (repeated k-fold is best). "
        "If each seed also drew a new split, call that column 'split' or 'repeat'."
    )


def refuse_doubled_seeds(cell: IntArray, seed: IntArray, n_splits: int, keys: SplitKeys, models: tuple[str, ...]) -> None:
    """Refuse two rows that have model, split and seed in common."""
    order = np.lexsort([seed, cell])
    same = (np.diff(cell[order]) == 0) & (np.diff(seed[order]) == 0)
    if same.any():
        model, split = divmod(int(cell[order][int(np.argmax(same))]), n_splits)
        raise InvalidScoresError(
            f"model {models[model]!r} has more than one score for {keys.name(split)} and the same seed "
            f"({np.count_nonzero(same)} such row(s) in all). Keep one row for each model, split and seed."
        )


def mean_per_cell(values: FloatArray, cell: IntArray, n_cells: int) -> FloatArray:
    """Mean over the rows of each cell; nan where there is none, or where one of them is undefined."""
    counts = np.bincount(cell, minlength=n_cells)
    sums = np.bincount(cell, weights=values, minlength=n_cells)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
