"""Models against the best: which are shown above which, which may be the best, and by how much at most each falls short."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.numerics import FloatArray, IntArray

Relation = NDArray[np.bool_]
"""Shape (n_models, n_models): True in row j, column i where j is shown above i."""

BLOCK = 500_000
"""Pairs at a time: those of 3,000 models would fill gigabytes."""


def best_alpha(alpha: float, n_models: int, n_questions: int = 1) -> float:
    """Alpha of each one-sided bound in comparisons with the best, where `alpha` is shared by all rivals of a model.

    With it, all shortfalls hold at once with probability 1 - alpha, and the best is among the contenders.

    References
    ----------
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of
       Statistics 12, 1984.
    .. [H96] J. Hsu. Multiple Comparisons: Theory and Methods. Chapman & Hall, 1996, chapter 4.
    """
    return alpha / (n_questions * max(2, n_models - 1))


def shown_above(first: IntArray, second: IntArray, differences: Differences, n_models: int, alpha: float) -> Relation:
    """Relation of the pairs whose difference has a bound beyond 0, one-sided at `alpha`; a pair without bounds shows nothing."""
    above = np.zeros((n_models, n_models), dtype=bool)
    for one, two, some in _blocks(first, second, differences):
        above[one, two] = some.is_beyond(0.0, alpha, upper=False)
        above[two, one] = some.is_beyond(0.0, alpha, upper=True)
    return above


def components(above: Relation, entry: IntArray) -> IntArray:
    """Label of each model's strongly connected component, copies in one.

    Gaps in the scores, and centres that are no means, can make cycles: a above b above c above a. Without them each entry is a
    component of its own.

    Parameters
    ----------
    above : ndarray of bool, shape (n_models, n_models)
    entry : ndarray of int, shape (n_models,)
        Row of the first of the models that are copies of each other.
    """
    if not points_up(above):  # down the ranking only, as without gaps
        return entry
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = np.arange(entry.size)
    winner, loser = np.nonzero(above)
    edges = (np.concatenate([winner, rows, entry]), np.concatenate([loser, entry, rows]))
    graph = coo_array((np.ones(edges[0].size, dtype=np.int8), edges), shape=above.shape)
    return np.asarray(connected_components(graph, directed=True, connection="strong")[1])


def points_up(above: Relation) -> bool:
    """True where some model is shown above one that stands before it; row by row, as half of the relation would be a copy."""
    return any(bool(row[:place].any()) for place, row in enumerate(above))


def above_others(above: Relation, component: IntArray) -> Relation:
    """The relation between models of different components."""
    others: Relation = component[:, None] != component
    others &= above  # in place: of 5,000 models each copy takes 25 MB
    return others


def contenders(above: Relation, component: IntArray) -> NDArray[np.bool_]:
    """True for models of components that no model outside is shown above; there is always one."""
    is_beaten = above_others(above, component).any(axis=0)
    return ~np.isin(component, component[is_beaten])


def order_of(above: Relation, component: IntArray) -> IntArray:
    """Rows such that no model stands below one that it is shown above; cycles stand together, else the order stays.

    So the first row is a contender, and the place of each model lies between 1 + the number of models shown above it and
    n_models - the number of those that it is shown above, those of its own cycle left out.
    """
    labels, first, of_model = np.unique(component, return_index=True, return_inverse=True)
    order: list[int] = []
    between = np.zeros((labels.size, labels.size), dtype=bool)
    winner, loser = np.nonzero(above)
    between[of_model[winner], of_model[loser]] = True
    np.fill_diagonal(between, False)
    n_above = between.sum(axis=0)
    ready = [(int(first[label]), label) for label in np.flatnonzero(n_above == 0).tolist()]
    heapq.heapify(ready)
    while ready:
        _, label = heapq.heappop(ready)
        order += np.flatnonzero(of_model == label).tolist()
        for below in np.flatnonzero(between[label]).tolist():
            n_above[below] -= 1
            if n_above[below] == 0:
                heapq.heappush(ready, (int(first[below]), below))
    return np.array(order)


def shortfalls(
    first: IntArray, second: IntArray, differences: Differences, alpha: float, may_be_best: NDArray[np.bool_], entry: IntArray
) -> FloatArray:
    """Bound on how far each model falls short of the best: the largest upper bound of "j minus it" over contenders j.

    At least 0; infinite where a pair has no bound. A copy is no rival, unless the procedure has an interval for identical scores.
    """
    shortfall = np.zeros(may_be_best.size)
    for one, two, some in _blocks(first, second, differences):
        concerned = np.flatnonzero(may_be_best[one] | may_be_best[two])
        if concerned.size == 0:
            continue
        one, two, some = one[concerned], two[concerned], some.take(concerned)
        without = np.where(entry[one] == entry[two], 0.0, np.inf)
        for rivals, others, upper in (
            (one, two, some.bound(alpha, upper=True)),
            (two, one, -some.bound(alpha, upper=False)),
        ):
            upper = np.where(np.abs(upper) <= some.tolerance, 0.0, np.where(np.isnan(upper), without, upper))
            np.maximum.at(shortfall, others, np.where(may_be_best[rivals], upper, 0.0))
    return np.asarray(shortfall[entry])


def _blocks(first: IntArray, second: IntArray, differences: Differences) -> Iterator[tuple[IntArray, IntArray, Differences]]:
    """Pairs and their differences, some hundred thousand at a time."""
    if first.size <= BLOCK:
        yield first, second, differences
        return
    for start in range(0, first.size, BLOCK):
        rows = slice(start, start + BLOCK)
        yield first[rows], second[rows], differences.take(rows)
