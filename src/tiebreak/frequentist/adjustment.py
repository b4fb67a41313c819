"""p-values adjusted for testing a family, and the one level of its intervals: Bonferroni, Holm, Benjamini-Hochberg and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist.shaffer import shaffer_multipliers
from tiebreak.numerics import FloatArray, floats

Correction = Literal["holm", "bonferroni", "sidak", "hochberg", "hommel", "shaffer", "bh", "by", "none"]


def adjust_pvalues(pvalues: ArrayLike, correction: Correction = "holm") -> FloatArray:
    """Adjusted p-values of one family: compare them with alpha as they stand.

    Parameters
    ----------
    pvalues : array_like of shape (m,)
        Between 0 and 1. A nan is a test that could not be made: it counts in m as a p-value of 1 and stays nan.
    correction : {"holm", "bonferroni", "sidak", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        Which error rate is kept: the chance of any wrong rejection ("holm", "bonferroni"; "sidak", "hochberg" and
        "hommel" under independence or positive dependence), or the expected share of wrong ones ("bh" likewise, "by").
        "shaffer" is Holm's with the knowledge that the hypotheses are "no difference" of all pairs of models, of which not any
        number can be true at once. All are about rejecting "no difference"; what else is read off a p-value of "holm" and other
        stepwise ones, such as the side of a rope, is wrong more often than alpha (measured: 0.061 at 0.05).

    Returns
    -------
    ndarray of shape (m,)
        In the order given, at most 1.

    Raises
    ------
    InvalidParameterError
        A p-value outside [0, 1], more than one axis, an unknown correction, or for "shaffer" a number of p-values that is none
        of all pairs.

    References
    ----------
    .. [H79] S. Holm. A simple sequentially rejective multiple test procedure. Scand. J. Statistics 6, 1979.
    .. [S67] Z. Sidak. Rectangular confidence regions for the means of multivariate normal distributions. JASA 62, 1967.
    .. [H88] Y. Hochberg. A sharper Bonferroni procedure for multiple tests of significance. Biometrika 75, 1988.
    .. [Ho88] G. Hommel. A stagewise rejective multiple test procedure. Biometrika 75, 1988.
    .. [MKG19] R. Meijer, T. Krebs, J. Goeman. Hommel's procedure in linear time. Biometrical Journal 61, 2019.
    .. [S86] J. P. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.
    .. [BH95] Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. J. Royal Statistical Society B 57, 1995.
    .. [BY01] Y. Benjamini, D. Yekutieli. The control of the false discovery rate under dependency. Ann. Stat. 29, 2001.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction not in get_args(Correction):
        names = ", ".join(repr(name) for name in get_args(Correction))
        raise InvalidParameterError(f"unknown correction {correction!r}; choose one of {names}.")
    p = floats(pvalues, "pvalues", InvalidParameterError)
    if p.ndim != 1:
        raise InvalidParameterError(f"the p-values of one family have one axis; got an array of shape {p.shape}.")
    outside = (p < 0) | (p > 1)
    if np.any(outside):
        where = int(np.flatnonzero(outside)[0])
        raise InvalidParameterError(f"a p-value lies between 0 and 1; number {where} is {p[where]!r}.")
    undefined = np.isnan(p)
    complete = np.where(undefined, 1.0, p)
    order = np.argsort(complete, kind="stable")
    adjusted = np.empty_like(complete)
    adjusted[order] = np.minimum(_ADJUST[correction](complete[order]), 1.0)
    adjusted[undefined] = np.nan
    return adjusted


def adjust_single_step(pvalues: FloatArray, correction: Correction, m: int) -> FloatArray:
    """p-values of some of m tests by "bonferroni", "sidak" or "none", which need no others."""
    if correction == "none":
        return pvalues
    adjusted = pvalues * m if correction == "bonferroni" else _sidak(pvalues, m)
    return np.asarray(np.minimum(adjusted, 1.0))


def shared_alpha(pvalues: ArrayLike, correction: Correction, alpha: float) -> float:
    """One alpha for the two-sided intervals of a whole family, at which they exclude 0 exactly where the correction rejects.

    Parameters
    ----------
    pvalues : array_like of shape (m,)
        Two-sided, of "no difference"; a nan counts in m as a p-value of 1. As for `adjust_pvalues`, which checks them.
    correction : str
        As for `adjust_pvalues`.
    alpha : float
        Error rate of the family, between 0 and 1.

    Returns
    -------
    float
        The intervals are at 1 - this. With "bonferroni" and "sidak" it does not depend on the p-values, and all intervals cover
        at once with probability 1 - alpha at least; with "bh" and "by" they are those of [BY05]_, whose expected share of missing
        ones among the selected is alpha at most; with the others they only agree with the adjusted p-values.

    References
    ----------
    .. [BY05] Y. Benjamini, D. Yekutieli. False discovery rate-adjusted multiple confidence intervals for selected parameters.
       JASA 100, 2005.

    Examples
    --------
    >>> shared_alpha([0.01, 0.04, 0.03], "bonferroni", 0.06)
    0.02
    >>> shared_alpha([0.01, 0.04, 0.03], "holm", 0.06)
    0.06
    """
    p = floats(pvalues, "pvalues", InvalidParameterError)
    m = p.size
    if m == 0 or correction == "none":
        return alpha
    if correction == "bonferroni":
        return alpha / m
    if correction == "sidak":
        return float(-np.expm1(np.log1p(-alpha) / m))  # 1 - (1 - alpha)^(1 / m)
    if correction == "hommel":
        return alpha / max(_hommel_bound(np.sort(np.where(np.isnan(p), 1.0, p)), alpha), 1)
    n_rejected = int(np.count_nonzero(adjust_pvalues(p, correction) <= alpha))
    if correction == "shaffer":
        return alpha / float(shaffer_multipliers(m)[n_rejected]) if n_rejected < m else alpha
    if correction in ("holm", "hochberg"):
        return alpha / (m - n_rejected) if n_rejected < m else alpha
    shared = max(n_rejected, 1) * alpha / m
    return shared if correction == "bh" else float(shared / np.sum(1.0 / np.arange(1, m + 1)))


def _bonferroni(p: FloatArray) -> FloatArray:
    return np.asarray(p * p.size)


def _sidak(p: FloatArray, m: int | None = None) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1((p.size if m is None else m) * np.log1p(-p)))  # 1 - (1 - p)^m without losing a small p


def _holm(p: FloatArray) -> FloatArray:
    return np.asarray(np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def _shaffer(p: FloatArray) -> FloatArray:
    """The static form of [S86]_: instead of all hypotheses that are left, as many of them as can be true at once."""
    return np.asarray(np.maximum.accumulate(p * shaffer_multipliers(p.size)))


def _hochberg(p: FloatArray) -> FloatArray:
    return _step_up(p * np.arange(p.size, 0, -1))


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    return _step_up(p * (p.size / np.arange(1, p.size + 1)))


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    return np.asarray(_benjamini_hochberg(p) * np.sum(1.0 / np.arange(1, p.size + 1)))


def _step_up(values: FloatArray) -> FloatArray:
    return np.asarray(np.minimum.accumulate(values[::-1])[::-1])


def _hommel(p: FloatArray) -> FloatArray:
    """Closed Simes tests [Ho88]_; the convex hull makes it O(m log m) [MKG19]_, so that 500,000 pairs are feasible.

    A hypothesis is rejected at alpha a when ``p <= a / h(a)``, h(a) being the largest number of hypotheses that a Simes
    test lets stand together at alpha a. The Simes p-value of the i largest p-values, ``simes[i]``, says where h jumps.
    """
    m = p.size
    simes = np.zeros(m + 2)
    simes[1 : m + 1] = _simes_of_largest(p)
    # h(a) >= i exactly when a < at[i]
    at = np.maximum.accumulate(simes[::-1])[::-1]
    # adjusted p = min over i of max(at[i + 1], i p): the first falls and the second rises with i, so bisect the crossing
    low, high = np.zeros(m, dtype=np.int64), np.full(m, m)
    while np.any(low < high):
        middle = (low + high) // 2
        crossed = middle * p >= at[middle + 1]
        high = np.where(crossed, middle, high)
        low = np.where(crossed, low, np.minimum(middle + 1, high))
    at_crossing = np.maximum(at[low + 1], low * p)
    before = np.maximum(low - 1, 0)
    return np.asarray(np.minimum(at_crossing, np.maximum(at[before + 1], before * p)))


def _hommel_bound(p: FloatArray, alpha: float) -> int:
    """H of [Ho88]_: the largest number i of hypotheses, of sorted p, whose Simes test does not reject at alpha; 0 if none."""
    stand = np.flatnonzero(_simes_of_largest(p) > alpha)
    return int(stand[-1]) + 1 if stand.size else 0


def _simes_of_largest(p: FloatArray) -> FloatArray:
    """Simes p-value of the i largest of the sorted p, min over k of ``i * p[m - i + k] / k``, for i = 1..m.

    p[m - i + k] / k is a slope from (m - i, 0) to the points (j, p[j]); the smallest one touches their lower convex hull.
    """
    m = p.size
    values = [0.0, *p.tolist()]
    hull: list[int] = []  # indices of the hull of the points seen so far, the leftmost last
    result = np.empty(m)
    for i in range(1, m + 1):
        new = m - i + 1
        while len(hull) >= 2:
            one, two = hull[-1], hull[-2]
            if (values[one] - values[new]) * (two - new) < (values[two] - values[new]) * (one - new):
                break
            hull.pop()
        hull.append(new)
        origin = m - i
        low, high = 0, len(hull) - 1  # slopes from the origin fall and then rise along the hull: find the lowest
        while low < high:
            middle = (low + high) // 2
            left, right = hull[middle], hull[middle + 1]
            if values[left] * (right - origin) <= values[right] * (left - origin):
                high = middle
            else:
                low = middle + 1
        touch = hull[low]
        result[i - 1] = i * values[touch] / (touch - origin)
    return result


_ADJUST: dict[str, Callable[[FloatArray], FloatArray]] = {
    "bonferroni": _bonferroni,
    "sidak": _sidak,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "shaffer": _shaffer,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
    "none": np.copy,
}
