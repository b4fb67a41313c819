"""Hall's t of a mean whose sampling distribution is skewed: cost, tokens, latency, graded answers.

Student's t holds its level for skewed scores only where there are very many. Hall's takes off what the skewness of the mean
shifts it by. The two fail on different data, so that `skewed` takes what either does not exclude.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics import (
    FloatArray,
    IntArray,
    Law,
    Shape,
    blocks,
    divide,
    floats,
    standardised,
    student_pvalue,
    student_quantile,
    student_tail,
)


def hall_t(t: ArrayLike, skewness: ArrayLike) -> FloatArray:
    """Student's t statistic with the skewness taken off it, as a function that rises everywhere.

    Parameters
    ----------
    t : array_like
        Estimate less hypothesis, in standard errors.
    skewness : array_like
        Of the estimate: of a mean of n values that of the values over sqrt(n). Positive where the estimate has a long upper tail.

    Returns
    -------
    ndarray
        ``t + g / 6 + g t^2 / 3 + g^2 t^3 / 27`` with g the skewness [H92]_, to be compared with Student's quantiles. The first
        three terms are Johnson's [J78]_, whose parabola bends back, so that intervals have ends at infinity. Where ``g t`` is
        below -4.5 it is ``t / 4 + g / 6``: there the cubic would take off less than it does for a smaller skewness.

    References
    ----------
    .. [H92] P. Hall. On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54, 1992.
    .. [J78] N. J. Johnson. Modified t tests and confidence intervals for asymmetrical populations. JASA 73, 1978.
    """
    t, g = np.clip(floats(t, "t"), -_FAR, _FAR), floats(skewness, "skewness")
    return np.asarray(t * (0.25 + np.square(np.maximum(4.5 + g * t, 0.0)) / 27) + g / 6)


_FAR = 1e90
"""Statistic beyond which its cube would overflow."""


def hall_inverse(value: ArrayLike, skewness: ArrayLike) -> FloatArray:
    """The t at which `hall_t` has a value."""
    g = np.asarray(skewness, dtype=float)
    rest = np.asarray(value, dtype=float) - g / 6
    root = np.cbrt(1 + np.maximum(g * rest, -1.125))
    return np.asarray(rest * np.where(g * rest < -1.125, 4.0, 3 / (np.square(root) + root + 1)))


def skewed(law: Law, skewness: ArrayLike) -> Law:
    """Student's law of estimates with a skewness, or Hall's with the same error where that says less.

    Parameters
    ----------
    law : Law
        Student's.
    skewness : array_like of the shape of the estimates
        Of the estimates, as for `hall_t`.

    Examples
    --------
    >>> from tiebreak.numerics.law import student
    >>> [[round(end, 2) for end in law.interval()] for law in (student(1, 1, 20), skewed(student(1, 1, 20), 0.3))]
    [[-1.09, 3.09], [-1.09, 3.89]]
    """
    return replace(law, shape=SKEWED, parts=(floats(skewness, "skewness"),))


def expected_skewness(skewness: ArrayLike, n: ArrayLike) -> FloatArray:
    """Skewness of a mean to reckon with where that of a sample of n values shows so much: up to 1.75 times as much.

    None where the values themselves have one below 0.75, as samples of normal ones have: of 10, 15, 30 and 60 of these 58, 63, 69
    and 71 % of differences are found, without that 55, 61, 66 and 70 %, with Student's t alone 65, 67, 70 and 72 %; exponential
    values are called different from their mean in 5, 4, 2.5 and 2.6 %, half a per cent more. 1.75 times from 25 values on, or
    where the values themselves have a skewness above 1.3; as it is up to 14 values with half of that.
    A sample with a long tail rarely holds the values that make it, and of few values much of the skewness is chance. With that of
    the sample differences of costs that are lognormal (sigma 0.5 and 1.5) were called different in 15, 13, 9 and 9 % of tables of
    20, 30, 50 and 100 items, with this in 14, 10, 7 and 5 %. Twice as much would err in 13, 9, 7 and 4 % and find 48 instead of
    55 % of shifts by .3 in 100 exponential differences.
    """
    n, skewness = np.asarray(n, dtype=float), np.asarray(skewness, dtype=float)
    shown = np.abs(skewness) * np.sqrt(n)
    return np.where(shown > SEEN, np.clip(np.maximum(n / 14, shown / 0.75), 1.0, 1.75) * skewness, 0.0)


SEEN = 0.75
"""Skewness of values below which it may be chance."""


def _tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    sign = 1.0 if upper else -1.0
    error, df = law.spread
    t = sign * standardised(at, law.estimate, error)
    return student_tail(np.minimum(t, hall_t(t, -sign * law.parts[0])), df)


def _end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    sign, (error, df) = (-1.0 if upper else 1.0), law.spread
    t = student_quantile(p, df)
    return np.asarray(law.estimate + sign * np.minimum(t, -hall_inverse(-t, sign * law.parts[0])) * error)


SKEWED = Shape(_tail, _end)
"""The larger of Student's and Hall's tails around the estimate, whose skewness is the only part."""


def skewness_of_mean(contributions: ArrayLike, n: ArrayLike | None = None) -> FloatArray:
    """Skewness of a sum of independent deviations, along the last axis; 0 where there are none.

    ``sum u^3 / (sum u^2)^1.5`` with the factor ``sqrt(n (n - 1)) / (n - 2)`` of Fisher for small samples: of the deviations of n
    values from their mean it is the skewness of the sample, G1, over sqrt(n).

    Parameters
    ----------
    contributions : array_like of shape (..., n_units)
    n : array_like, optional
        Number of units that count, where some of the contributions are 0 as there are none.
    """
    u = np.asarray(contributions, dtype=float)
    size = np.maximum(u.max(axis=-1, initial=0.0, keepdims=True), -u.min(axis=-1, initial=0.0, keepdims=True))
    u = u / np.where(size > 0, size, 1.0)  # cubes of tiny numbers would vanish
    squares = np.square(u)
    ratio = divide(np.multiply(squares, u, out=u).sum(axis=-1), squares.sum(axis=-1) ** 1.5)
    return np.asarray(_fisher(np.asarray(u.shape[-1] if n is None else n, dtype=float)) * np.nan_to_num(ratio))


def skewness_of_weighted_mean(values: ArrayLike, weights: ArrayLike) -> FloatArray:
    """Skewness of a mean of independent values of one distribution with weights of their own, along the last axis.

    That of the values (G1), all of which count alike in it, times ``sum w^3 / (sum w^2)^1.5``. The weighted deviations themselves
    show the skewness of the largest weights only, which are few: of clusters with lognormal effects (sigma 1) and sizes of a
    Pareto law (1.5) corrected t with these called equal models different in 9 to 10 % of tables of 12 to 100 clusters, with the
    former in 1 to 5 %.

    Parameters
    ----------
    values : array_like of shape (..., n_units)
        Of those without weight any.
    weights : array_like of shape (n_units,) or (..., n_units)
        Not negative.
    """
    values, weights = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    uneven = divide((weights**3).sum(axis=-1), np.square(weights).sum(axis=-1) ** 1.5)
    there = np.broadcast_to(weights > 0, values.shape)
    n = np.count_nonzero(there, axis=-1)
    mean = divide(np.where(there, values, 0.0).sum(axis=-1), n)
    return np.asarray(skewness_of_mean(np.where(there, values - mean[..., None], 0.0), n) * np.sqrt(n) * uneven)


def _fisher(n: FloatArray) -> FloatArray:
    """Factor of the skewness of a small sample; 0 for two units, whose deviations are symmetric."""
    return np.where(n > 2, divide(np.sqrt(n * np.maximum(n - 1, 0)), np.where(n > 2, n - 2, 1)), 0.0)


def pair_skewness(score: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Skewness of the mean paired difference of many pairs of rows, nan being left out; positive where first minus second is.

    Complete tables take one matrix product; pairs of which that would lose digits are worked out by themselves.
    """
    one, two = np.ravel(first), np.ravel(second)
    found, todo = np.zeros(one.size), np.arange(one.size)
    if one.size > _FEW_PAIRS and not np.isnan(score).any():
        centred = score - score.mean(axis=0)  # what all models share cancels
        centred -= centred.mean(axis=1, keepdims=True)
        products, cubes = centred @ centred.T, np.square(centred) @ centred.T
        own, cube = np.diag(products), np.diag(cubes)
        spread = own[one] + own[two] - 2 * products[one, two]
        found = divide(cube[one] - cube[two] - 3 * cubes[one, two] + 3 * cubes[two, one], np.maximum(spread, 0.0) ** 1.5)
        found = found * _fisher(np.asarray(score.shape[1], dtype=float))
        todo = np.flatnonzero(~(spread > 0.01 * (own[one] + own[two])))
    for part in blocks(todo.size, score.shape[1]):
        rows = todo[part]
        difference = score[one[rows]] - score[two[rows]]
        found[rows] = skewness_of_weighted_mean(difference, ~np.isnan(difference))
    return np.asarray(np.nan_to_num(found).reshape(np.shape(first)))


_FEW_PAIRS = 3


def triples_pvalue(values: FloatArray) -> float:
    """p-value of symmetry by the triples of values whose mean lies above their median, against the others [RFPW80]_.

    The count has the jackknife's error and Student's t; 1 below ten values, and of more than 100 every second, third and so on is
    taken. The mean less the median over its error (Miao, Gel and Gastwirth 2006) sees half as much of 20 exponential values, and
    takes most samples with two equal modes for skewed.

    References
    ----------
    .. [RFPW80] R. Randles, M. Fligner, G. Policello, D. Wolfe. An asymptotically distribution-free test for symmetry versus
       asymmetry. JASA 75, 1980.
    """
    x = np.sort(values[:: -(-values.size // MOST_TESTED)])
    n = x.size
    if n < FEWEST_TESTED:
        return 1.0
    low, high = np.triu_indices(n, 1)
    middle, noise = (x[low] + x[high]) / 2, 1e-9 * (x[-1] - x[0])
    below = np.maximum(np.searchsorted(x, middle - noise), low + 1)  # the first that does not lie in the lower half
    above = np.minimum(np.searchsorted(x, middle + noise, side="right"), high)
    excess = below - low - 1 - (high - above)
    starts, ends = (np.bincount(np.concatenate(each), minlength=n) for each in ((low + 1, high), (below, above)))
    own = np.bincount(low, excess, n) + np.bincount(high, excess, n) + np.cumsum(starts - ends)  # of triples with each value
    error = np.sqrt(n / (n - 1) * np.square(own - own.mean()).sum()) * (n - 1) / (n - 3)
    return float(student_pvalue(np.nan_to_num(divide(excess.sum(), error)), n - 1.0))


FEWEST_TESTED, MOST_TESTED = 10, 100
"""Values below which their shape tells nothing, and those of which all are taken."""


# --- means that few units carry ---------------------------------------------------------------------------------------------


FEW_ITEMS = 300
"""Items below which 1 sample in 20 or more holds none of those that are 1 % of all."""


VERY_SKEWED, LESS_SKEWED, SMALL, SKEWED_ALPHA = 2.5, 1.5, 60, 0.05
"""Skewness of differences, that of `SMALL` samples, which show less than there is, and level of the test of symmetry at which a
few items carry the mean.

Of differences that are symmetric with tails so heavy that samples look skewed (t with 2 df, differences of lognormals, one of
ten 20 times as far out) at most 9 % are named, of exponential and lognormal costs of 40 items beside a constant 56 and 81 %. The
mean less the median, at 0.3 below 60 items, names as many of these and up to 37 % of those.
"""

ONE_OF_ALL, NEARLY_ALL, FEWEST_ASIDE, MOST_ASIDE = 1.13, 0.9, 4, 0.1
"""Effective number of items below which one has 94 % of the squares, the share that so many on one side of all others have which
carry the mean, up to a part of all; of `FEW_ITEMS` or more any number.

They are on one side where what they are weighed against is rarer still and was not met: +1 in 2 % and -9 in 0.2 % of 400 items
were called different in 40 % of tables, 35 without a notice, now none; it stands in at most 3 % more of symmetric tables. Where
less than a tenth of `FEW_ITEMS` or more differ at all, fewer than four effective ones on both sides carry the mean, too.
"""


def carried_by_few(means: FloatArray, first: IntArray, second: IntArray) -> list[tuple[int, int, int]]:
    """Pairs of rows of shape (n_models, n_units) whose mean difference stands or falls with a few units.

    With the number of units that carry it; 0 where the differences are very skewed.
    """
    carried: list[tuple[int, int, int]] = []
    skewness = np.abs(pair_skewness(means, first, second))
    for at in np.flatnonzero(skewness * np.sqrt(means.shape[1]) > LESS_SKEWED).tolist():
        one, two = int(first[at]), int(second[at])
        values = means[one] - means[two]
        values = values[~np.isnan(values)] / np.nanmax(np.abs(values))  # the squares of tiny ones would be 0
        squares = np.square(values - values.mean())
        effective = np.square(squares.sum()) / np.square(squares).sum()  # as many of one size would vary as much
        away = np.sort(values - np.median(values))
        n_far = 1 + min(
            int(np.searchsorted(np.cumsum(np.square(side)), NEARLY_ALL * np.square(away).sum())) for side in (away, away[::-1])
        )
        fewest = FEWEST_ASIDE if values.size < FEW_ITEMS else 1
        least = VERY_SKEWED if values.size >= SMALL else LESS_SKEWED
        is_sparse = values.size >= FEW_ITEMS and np.count_nonzero(away) < MOST_ASIDE * values.size
        if effective < ONE_OF_ALL or fewest <= n_far <= MOST_ASIDE * values.size or (is_sparse and effective < FEWEST_ASIDE):
            carried.append((one, two, min(n_far, int(np.ceil(effective)))))
        elif skewness[at] * np.sqrt(values.size) > least and triples_pvalue(values) < SKEWED_ALPHA:
            carried.append((one, two, 0))
    return carried
