"""Mean over strata of the means of their items: the average over several tasks, with items sampled within each.

The strata are fixed: another sample would have other items of the very same tasks. So only the spread within strata counts, and
each stratum weighs the same, however many items it has.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    check_array,
    check_scale,
    divide,
    group_codes,
    plain,
)
from tiebreak.numerics.law import Law, kind_of, least_sure, student
from tiebreak.statistics.influence import (
    ClusterSums,
    check_weights,
    cluster_sums,
    mean_of_clusters,
)
from tiebreak.statistics.skew import skewness_of_mean

FEW_EVENTS = 10
"""Units that differ from the others of their stratum, below which its variance may be far too small by chance."""


class StratifiedMean(NamedTuple):
    """Law of a mean of the means of strata, and what it is made of; arrays of the leading shape, or single numbers.

    Attributes
    ----------
    law : Law
        The less sure of the two that follow.
    within : Law
        By the spread within strata, with degrees of freedom by Satterthwaite's method.
    guarded : Law
        The same with what strata of few units that differ may hide.
    skewness : ndarray or float
        Of the estimate.
    means : ndarray of shape (..., n_strata)
        Of each stratum.
    n_examples : ndarray or int
    """

    law: Law
    within: Law
    guarded: Law
    skewness: FloatArray
    means: FloatArray
    n_examples: IntArray | int


def stratified_mean(
    values: ArrayLike,
    strata: Sequence[object] | ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    omit_missing: bool = False,
    scale: ArrayLike | None = None,
) -> StratifiedMean:
    """Law of the mean over strata of the means of their items, every stratum with the same weight.

    For two models pass the differences of their scores: that is the paired comparison by macro-average.

    Parameters
    ----------
    values : array_like of shape (..., n_examples)
        A score, or a difference of scores, for each example, in the metric's unit; many rows at once.
    strata : sequence of length n_examples
        Name or number of each example's stratum, such as its task.
    clusters : sequence of length n_examples, optional
        Name or number of each example's cluster, within its stratum: one name in two strata means two clusters.
    weights : array_like of shape (n_examples,), optional
        Importance of each example within its stratum.
    omit_missing : bool, default False
        Leave out nan in each row. A stratum of which nothing is left makes the row undefined.
    scale : array_like of the leading shape, optional
        Size of the scores that the values are differences of, which sets that of rounding noise; that of the values unless given.

    Returns
    -------
    StratifiedMean

    Notes
    -----
    The variance is ``sum_t s_t^2 / n_t / T^2`` [C77]_, its degrees of freedom ``(sum v_t)^2 / sum(v_t^2 / df_t)`` [S46]_. Strata
    of one unit each are taken together as one [C77]_; the only one of its kind is compared with the mean of the others.

    The guarded error allows for strata that are too small to tell. A stratum in which only ``e`` units differ from its median has
    at most ``2 e`` degrees of freedom there, as the relative variance of a count of ``e`` is ``1 / e``. Where fewer than ten
    units of a stratum differ, and fewer than half of them, one more that could have differed is added to the variance, for the
    stratum where it weighs most, with two degrees of freedom: else a small task that everybody solves, whose items happen not
    to differ, would count as known exactly.

    Raises
    ------
    DataError
        Shapes that do not go together, infinite values, weights that are negative or sum to 0 in a stratum.

    References
    ----------
    .. [C77] W. G. Cochran. Sampling Techniques, 3rd edition, 1977, sections 5.4 and 5A.12.
    .. [S46] F. E. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.

    Examples
    --------
    >>> law = stratified_mean([0, 1, 0, -1, 1, 2, 0, 1, 1, 0], strata=["a"] * 4 + ["b"] * 6).law
    >>> round(law.estimate, 4), round(law.se, 4), round(law.df, 2)
    (0.4167, 0.2555, 6.17)
    """
    rows = check_array(values, "values", "..., n_items", can_lack=True)
    codes, n_strata = group_codes(strata, rows.shape[-1], "strata")
    names = None if clusters is None else group_codes(clusters, rows.shape[-1], "clusters")[0]
    weight = None if weights is None else check_weights(weights, rows.shape[-1])
    given = check_scale(scale, rows.shape[:-1])
    size = np.fmax.reduce(np.abs(rows), axis=-1, initial=0.0) if given is None else given
    noise = RELATIVE_TOLERANCE * np.broadcast_to(size, rows.shape[:-1])
    parts = []
    for stratum in range(n_strata):
        own = np.flatnonzero(codes == stratum)
        sums = cluster_sums(
            rows[..., own],
            None if names is None else names[own],
            weights=None if weight is None else weight[own],
            omit_missing=omit_missing,
        )
        parts.append(_facts_of_stratum(sums, noise))
    return _joined(parts, noise)


def _facts_of_stratum(sums: ClusterSums, noise: FloatArray) -> tuple[FloatArray, ...]:
    """Mean of one stratum, its variance and degrees of freedom, and what small strata are judged by; arrays over the rows.

    These are the numbers of examples, of units and of those that differ from the median, the largest distance from it, and the
    largest share of a unit in the mean. In the last place is the share of each unit in the deviation of the mean, (..., n_units).
    """
    totals, weights = np.asarray(sums.totals), np.asarray(sums.weights)
    found = mean_of_clusters(sums)
    is_there = np.broadcast_to(weights > 0, totals.shape)
    values = np.where(is_there, divide(totals, weights), np.nan)
    n_units = is_there.sum(axis=-1)
    total = np.broadcast_to(weights.sum(axis=-1, keepdims=True), (*totals.shape[:-1], 1))
    mean = np.where(total > 0, divide(totals.sum(axis=-1, keepdims=True), total), np.nan)
    away = np.where(is_there, np.abs(values - _median(values, n_units)), 0.0)
    is_event = away > noise[..., None]
    error = np.where(is_event.any(axis=-1), np.nan_to_num(np.asarray(found.se)), 0.0)
    largest = np.where(is_event, away, 0.0).max(axis=-1, initial=0.0)
    numbers = sums.n_examples, n_units, is_event.sum(axis=-1), largest, divide(weights, total).max(axis=-1)
    deviations = np.where(is_there, divide(totals - weights * mean, total), 0.0)
    facts = (mean[..., 0], np.square(error), found.df, *numbers)
    return *(np.broadcast_to(np.asarray(each), n_units.shape) for each in facts), deviations


def _median(values: FloatArray, n_units: IntArray) -> FloatArray:
    """Median of each row of which some values may be missing, of shape (..., 1); 0 of none."""
    ordered = np.sort(values, axis=-1)  # nan comes last
    last = np.maximum(n_units - 1, 0)[..., None]
    low, high = (np.take_along_axis(ordered, each, axis=-1) for each in (last // 2, (last + 1) // 2))
    return np.asarray(np.nan_to_num((low + high) / 2))


def _joined(strata: Sequence[tuple[FloatArray, ...]], noise: FloatArray) -> StratifiedMean:
    """Mean of the strata, its variance from those within them, and the allowance for strata that are too small to tell."""
    *numbers, deviations = zip(*strata, strict=True)
    n_strata = len(strata)
    means, own, own_df, n, n_units, n_events, distance, weight = (np.stack(each, axis=-1) for each in numbers)
    estimate = means.mean(axis=-1)
    v = own / n_strata**2
    is_single = n_units == 1
    counts = ~is_single & (v > 0)
    alone, alone_df = _of_singles(means, is_single)
    total = np.where(is_single, 0.0, v).sum(axis=-1) + alone

    def satterthwaite(variance: FloatArray, df: FloatArray, extra: FloatArray | float = 0.0) -> FloatArray:
        squares = np.where(counts, divide(np.square(v), df), 0.0).sum(axis=-1)
        squares = squares + divide(np.square(alone), np.maximum(alone_df, 1)) + np.square(extra) / 2.0
        return divide(np.square(variance), squares)

    df = satterthwaite(total, own_df)
    few = n_events < np.minimum(FEW_EVENTS, n_units / 2)
    event = np.square(distance.max(axis=-1) * np.where(few, weight, 0.0).max(axis=-1) / n_strata)
    guarded = total + event
    size = divide(1.0, n_units)
    n_single = is_single.sum(axis=-1)
    evenly = np.where(is_single, 0.0, divide(np.square(size), own_df)).sum(axis=-1) + np.square(n_single) / alone_df
    guarded_df = satterthwaite(guarded, np.minimum(own_df, 2.0 * np.maximum(n_events, 1)), event)
    guarded_df = np.minimum(guarded_df, divide(np.square(size.sum(axis=-1)), evenly))
    contributions = np.concatenate(deviations, axis=-1) / n_strata
    seen = np.square(contributions).sum(axis=-1)
    share = np.minimum(np.nan_to_num(divide(seen, total)), 1.0)
    skewness = skewness_of_mean(contributions, n_units.sum(axis=-1)) * share**1.5
    is_void = np.isnan(means).any(axis=-1)
    kind = kind_of(np.abs(means).max(axis=-1), total > np.square(noise), noise)  # nan where a stratum is void
    facts: dict[str, Any] = {"n_units": n_units.sum(axis=-1), "kind": kind, "tolerance": noise}
    within, guarded_law = (
        student(estimate, np.sqrt(square), plain(np.where(is_void, 0.0, own)), **facts)
        for square, own in ((total, df), (guarded, guarded_df))
    )
    n_examples = n.sum(axis=-1).astype(np.int64)
    return StratifiedMean(least_sure([within, guarded_law]), within, guarded_law, plain(skewness), means, n_examples)


def _of_singles(means: FloatArray, is_single: NDArray[np.bool_]) -> tuple[FloatArray, IntArray]:
    """Variance of the strata of one unit each, and its degrees of freedom: as if they were one stratum, which errs wide.

    The only one of its kind is as far from the mean of the others as its variance and the differences between strata make it.
    """
    n_strata, n = means.shape[-1], is_single.sum(axis=-1)
    sum_of, others = (np.where(chosen, means, 0.0).sum(axis=-1) for chosen in (is_single, ~is_single))
    middle = divide(sum_of, n)[..., None]
    spread = np.where(is_single, np.square(means - middle), 0.0).sum(axis=-1)
    together = divide(n * spread, n - 1)
    apart = np.square(sum_of - divide(others, n_strata - n))
    found = np.where(n == 1, apart, np.where(n > 1, together, 0.0))
    return np.nan_to_num(found) / n_strata**2, np.maximum(n - 1, 1)
