"""p-values adjusted for testing a family, and the one level of its intervals: Bonferroni, Holm, Shaffer, Benjamini-Hochberg."""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, check_choice, check_count, floats

Correction = Literal["bonferroni", "holm", "shaffer", "bh", "none"]


def adjust_pvalues(pvalues: ArrayLike, correction: Correction = "holm") -> FloatArray:
    """Adjusted p-values of one family: compare them with alpha as they stand.

    Parameters
    ----------
    pvalues : array_like of shape (m,)
        Between 0 and 1. A nan is a test that could not be made: it counts in m as a p-value of 1 and stays nan.
    correction : {"bonferroni", "holm", "shaffer", "bh", "none"}
        Which error rate is kept: the chance of any wrong rejection ("bonferroni", "holm", "shaffer"), or under independence or
        positive dependence the expected share of wrong ones ("bh"). "shaffer" is Holm's with the knowledge that the hypotheses
        are "no difference" of all pairs of models, of which not any number can be true at once. All are about rejecting "no
        difference"; what else is read off a p-value of "holm" and other stepwise ones, such as the side of a rope, is wrong more
        often than alpha (measured: 0.061 at 0.05).

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
    .. [S86] J. P. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.
    .. [BH95] Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. J. Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice(correction, get_args(Correction), "correction")
    p = floats(pvalues, "pvalues", InvalidParameterError)
    if p.ndim != 1:
        raise InvalidParameterError(f"the p-values of one family have one axis; got an array of shape {p.shape}.")
    outside = (p < 0) | (p > 1)
    if np.any(outside):
        where = int(np.flatnonzero(outside)[0])
        raise InvalidParameterError(f"a p-value lies between 0 and 1; number {where} is {p[where]!r}.")
    undefined = np.isnan(p)
    complete = np.where(undefined, 1.0, p)
    if correction in ("bonferroni", "none"):
        adjusted = adjust_single_step(complete, correction, p.size)
    else:
        order = np.argsort(complete, kind="stable")
        rising, left = complete[order], np.arange(p.size, 0, -1)
        if correction == "bh":  # up from the largest
            steps = np.minimum.accumulate((rising * (p.size / left[::-1]))[::-1])[::-1]
        else:  # down from the smallest
            steps = np.maximum.accumulate(rising * (left if correction == "holm" else _left_by_shaffer(p.size)))
        adjusted = np.empty_like(complete)
        adjusted[order] = np.minimum(steps, 1.0)
    return np.where(undefined, np.nan, adjusted)


def adjust_single_step(pvalues: FloatArray, correction: Correction, m: int) -> FloatArray:
    """p-values of some of m tests by "bonferroni" or "none", which need no others."""
    return pvalues if correction == "none" else np.asarray(np.minimum(pvalues * m, 1.0))


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
        The intervals are at 1 - this. With "bonferroni" it does not depend on the p-values, and all intervals cover at once with
        probability 1 - alpha at least; with "bh" they are those of [BY05]_, whose expected share of missing ones among the
        selected is alpha at most; with the others they only agree with the adjusted p-values.

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
    m = floats(pvalues, "pvalues", InvalidParameterError).size
    if m == 0 or correction == "none":
        return alpha
    if correction == "bonferroni":
        return alpha / m
    n_rejected = int(np.count_nonzero(adjust_pvalues(pvalues, correction) <= alpha))
    if correction == "bh":
        return max(n_rejected, 1) * alpha / m
    if n_rejected == m:
        return alpha
    return alpha / (float(_left_by_shaffer(m)[n_rejected]) if correction == "shaffer" else m - n_rejected)


def shaffer_sets(n_models: int) -> tuple[int, ...]:
    """Numbers of pairs that can be alike at the same time, in rising order, which "shaffer" counts by.

    If two of three models are alike, and two others too, all three are: of three models none, one or all three pairs are alike.

    Parameters
    ----------
    n_models : int

    References
    ----------
    .. [S86] J. P. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.

    Examples
    --------
    >>> shaffer_sets(5)
    (0, 1, 2, 3, 4, 6, 10)
    """
    return _sets(check_count(n_models, "n_models", 0))


@lru_cache(maxsize=256)
def _sets(n_models: int) -> tuple[int, ...]:
    sets: list[set[int]] = [{0}]
    for k in range(1, n_models + 1):  # j models alike, and the k - j others in any way
        sets.append({j * (j - 1) // 2 + rest for j in range(1, k + 1) for rest in sets[k - j]})
    return tuple(sorted(sets[-1]))


def _left_by_shaffer(n_pairs: int) -> FloatArray:
    """For each p-value in rising order the largest number of pairs that can be alike when those before it are not."""
    k = (1 + int(np.sqrt(8 * n_pairs + 1))) // 2
    if k * (k - 1) // 2 != n_pairs:
        raise InvalidParameterError(
            f"this correction is for all pairs of models, which are 1, 3, 6, 10, ...; got {n_pairs} p-values. For pairs with "
            "one model only, use 'holm'.",
            about="correction",
        )
    sets = np.array(_sets(k))
    return sets[np.searchsorted(sets, np.arange(n_pairs, 0, -1), side="right") - 1].astype(float)
