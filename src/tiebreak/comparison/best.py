"""Constrained multiple comparisons with the best: which models may be the best, and by how much at most each falls short."""

from __future__ import annotations

from collections.abc import Iterator
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


def best_bounds(
    first: IntArray, second: IntArray, differences: Differences, n_models: int, level: float, *, needs_low: bool = True
) -> BestBounds:
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
    needs_low : bool
        False leaves `shortfall_low` at -inf, which spares the lower bounds of all pairs where tails are quicker.

    References
    ----------
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of
       Statistics 12, 1984.
    .. [H96] J. Hsu. Multiple Comparisons: Theory and Methods. Chapman & Hall, 1996, chapter 4.
    """
    shortfall_low, arrows = np.full(n_models, -np.inf), []
    for one, two, some in _blocks(first, second, differences):
        wins, loses = (some.lies_beyond(0.0, level, upper=upper) for upper in (False, True))
        arrows += [np.array([one, two])[:, wins], np.array([two, one])[:, loses]]
        if not needs_low:
            continue
        low, high = (some.bound(level, upper=upper) for upper in (False, True))
        np.maximum.at(shortfall_low, two, np.where(np.isnan(low), -np.inf, low))
        np.maximum.at(shortfall_low, one, np.where(np.isnan(high), -np.inf, -high))
    may_be_best = _sources(np.concatenate(arrows, axis=1), n_models)
    shortfall_high = np.zeros(n_models)
    for one, two, some in _blocks(first, second, differences):
        concerned = np.flatnonzero(may_be_best[one] | may_be_best[two])
        if concerned.size == 0:
            continue
        one, two, some = one[concerned], two[concerned], some.take(concerned)
        for rivals, others, upper in (
            (one, two, some.bound(level, upper=True)),
            (two, one, -some.bound(level, upper=False)),
        ):
            upper = np.where(may_be_best[rivals], np.where(np.isnan(upper), np.inf, upper), 0.0)
            np.maximum.at(shortfall_high, others, upper)
    return BestBounds(may_be_best, shortfall_high, shortfall_low)


def _blocks(first: IntArray, second: IntArray, differences: Differences) -> Iterator[tuple[IntArray, IntArray, Differences]]:
    """Pairs and their differences, some hundred thousand at a time."""
    if first.size <= BLOCK:
        yield first, second, differences
        return
    for start in range(0, first.size, BLOCK):
        rows = slice(start, start + BLOCK)
        yield first[rows], second[rows], differences.take(rows)


BLOCK = 500_000
"""Pairs at a time: those of 3,000 models would fill gigabytes."""


def _sources(arrows: IntArray, n_models: int) -> NDArray[np.bool_]:
    """Models in strongly connected components of the arrows, (winner, loser), into which no arrow comes from outside."""
    winner, loser = arrows
    beaten = np.zeros(n_models, dtype=bool)
    if np.all(winner < loser):  # down the ranking only, as without gaps: there are no cycles
        beaten[loser] = True
        return ~beaten
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(winner.size, dtype=np.int8), (winner, loser)), shape=(n_models, n_models))
    n_components, component = connected_components(graph, directed=True, connection="strong")
    is_entered = np.zeros(n_components, dtype=bool)
    is_entered[component[loser[component[winner] != component[loser]]]] = True
    return np.asarray(~is_entered[component])
