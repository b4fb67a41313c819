"""Copies: models with the same score on every unit, and scores missing on the same ones, which are one entry of a ranking."""

from __future__ import annotations

import numpy as np

from tiebreak.comparison.pairs import PairTable
from tiebreak.numerics import IDENTICAL, RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.scores.copies import first_copies
from tiebreak.scores.scores import Scores


def entries_of(scores: Scores, units: Scores) -> IntArray:
    """Row of the first of the models that are copies of each other, its own for a model without copies.

    Parameters
    ----------
    scores : Scores
        As they were read.
    units : Scores
        As the procedure counts them, models in the same order.

    Returns
    -------
    ndarray of int, shape (n_models,)
    """
    items = scores.items
    rows = units.matrix().score if items is None else items.score.reshape(len(items.models), -1)
    return first_copies(rows)


def with_identical_pairs(entry: IntArray, pairs: PairTable, score: FloatArray) -> IntArray:
    """Entries that hold models whose scores differ by rounding only, too: pairs of kind IDENTICAL with the same gaps.

    Differences that cancel within every cluster are of that kind as well; such models are no copies.

    Parameters
    ----------
    entry : ndarray of int, shape (n_models,)
        Of exact copies.
    pairs : PairTable
    score : ndarray of shape (n_models, n_units)
        nan where one is missing.
    """
    found = np.flatnonzero(pairs.kind == IDENTICAL)
    if found.size == 0:
        return entry
    entry = entry.copy()
    for one, two in zip(pairs.first[found].tolist(), pairs.second[found].tolist(), strict=True):
        low, high = sorted((entry[one], entry[two]))
        if low != high and np.allclose(score[one], score[two], rtol=2.0 * RELATIVE_TOLERANCE, atol=0.0, equal_nan=True):
            entry[entry == high] = low
    return entry
