"""Constrained multiple comparisons with the best: which models may be the best, and by how much at most each falls short."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.numerics import FloatArray, IntArray


class BestBounds(NamedTuple):
    """Every model against the best, at one level; arrays of shape (n_models,), in the unit of the differences.

    Attributes
    ----------
    may_be_best : ndarray of bool
        The models of G: the truly best one is among them.
    shortfall_high : ndarray
        A model falls short of the best by at most this, at least 0; infinite where no bound is known.
    shortfall_low : ndarray
        Largest lower bound of "j minus this model" over all others j: it falls short of some model by at least this, where it is
        positive; -inf where no bound is known.
    """

    may_be_best: NDArray[np.bool_]
    shortfall_high: FloatArray
    shortfall_low: FloatArray


def best_level(alpha: float, n_models: int, n_questions: int = 1) -> float:
    """Level of each one-sided bound: alpha shared by `n_questions` named beforehand, and by the rivals of a model."""
    return alpha / (n_questions * max(2, n_models - 1))


def best_bounds(first: IntArray, second: IntArray, differences: Differences, n_models: int, level: float) -> BestBounds:
    """Bounds of every model against the best, from one-sided bounds of all pairs.

    j is shown above i where the lower bound of "j minus i" is above 0. G are the models in strongly connected components of that
    relation without an arrow from outside: without cycles, the models that none is shown above; gaps in the scores can make
    cycles, and G is never empty. The shortfall of i is at most the largest upper bound of "j minus i" over the other j in G, and
    0 where there is none. With M models and `level` alpha / max(2, M - 1) (`best_level`), the best is in G and all shortfalls
    hold at once with probability 1 - alpha.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs,)
        All pairs of the models, as rows.
    differences : Differences
        Of these pairs. A pair without an interval shows nothing and bounds nothing.
    n_models : int
    level : float
        One-sided, of each bound.

    References
    ----------
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of
       Statistics 12, 1984.
    .. [H96] J. Hsu. Multiple Comparisons: Theory and Methods. Chapman & Hall, 1996, chapter 4.
    """
    low, high = (differences.bound(level, upper=upper) for upper in (False, True))
    tolerance = np.asarray(differences.tolerance)
    first_above, second_above = low > tolerance, high < -tolerance
    winner = np.concatenate([first[first_above], second[second_above]])
    loser = np.concatenate([second[first_above], first[second_above]])
    may_be_best = _sources(winner, loser, n_models)
    shortfall_low = np.full(n_models, -np.inf)
    np.maximum.at(shortfall_low, second, np.where(np.isnan(low), -np.inf, low))
    np.maximum.at(shortfall_low, first, np.where(np.isnan(high), -np.inf, -high))
    shortfall_high = np.zeros(n_models)
    for rivals, others, bound, sign in ((first, second, high, 1.0), (second, first, low, -1.0)):
        rows = np.flatnonzero(may_be_best[rivals])
        upper = sign * bound[rows]
        np.maximum.at(shortfall_high, others[rows], np.where(np.isnan(upper), np.inf, upper))
    return BestBounds(may_be_best, shortfall_high, shortfall_low)


def _sources(winner: IntArray, loser: IntArray, n_models: int) -> NDArray[np.bool_]:
    """Models in strongly connected components of the arrows from winner to loser into which no arrow comes from outside."""
    beaten = np.zeros(n_models, dtype=bool)
    if np.all(winner < loser):  # down the ranking only, as without gaps: there are no cycles
        beaten[loser] = True
        return ~beaten
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    arrows = coo_array((np.ones(winner.size, dtype=np.int8), (winner, loser)), shape=(n_models, n_models))
    n_components, component = connected_components(arrows, directed=True, connection="strong")
    is_entered = np.zeros(n_components, dtype=bool)
    is_entered[component[loser[component[winner] != component[loser]]]] = True
    return np.asarray(~is_entered[component])
