"""Sign test of paired differences, one for each dataset: wins and losses alone count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    SMALLEST_PVALUE,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    check_alternative,
    check_count,
    check_differences,
    check_probability,
    check_scale,
    plain,
)

Ties = Literal["drop", "split"]


@dataclass(frozen=True, slots=True)
class SignTestResult:
    """Outcome of the sign test of each row of differences; arrays of the rows' shape, or numbers.

    Attributes
    ----------
    n_units : ndarray of int
        Differences that are there.
    wins, losses, ties : ndarray of int
        Differences above 0, below 0, and 0 within the tolerance.
    wins_counted, n_counted : ndarray of int
        Those of the test: without the ties, or with half of them, one being left out where their number is odd.
    pvalue : ndarray
        Exact, for the alternative that was asked for; 1 where there are ties only, nan where there is no difference.
    tolerance : ndarray
    differences : ndarray
        As given, the units on the last axis.
    """

    n_units: IntArray
    wins: IntArray
    losses: IntArray
    ties: IntArray
    wins_counted: IntArray
    n_counted: IntArray
    pvalue: FloatArray
    tolerance: FloatArray = field(repr=False)
    differences: FloatArray = field(repr=False)

    @property
    def estimate(self) -> FloatArray:
        """Median of the differences, ties included, in the metric's unit; nan without any, or with an infinite one."""
        rows = np.sort(self.differences, axis=-1)
        n = np.asarray(self.n_units)
        low, high = (np.maximum(n - 1, 0) // 2, np.minimum(n // 2, rows.shape[-1] - 1))
        ends = (np.take_along_axis(rows, at[..., None], axis=-1)[..., 0] for at in (low, high))
        return plain(np.where(self._is_good(), sum(ends) / 2, np.nan))

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Interval of the median difference, in the metric's unit: the shifts that the test does not reject.

        The ends are differences, so coverage is at least the level; nothing is taken for granted about their distribution.
        Infinite where there are too few units: fewer than six at 0.95.

        Parameters
        ----------
        level : float
            Coverage, between 0 and 1.

        References
        ----------
        .. [HWC14] M. Hollander, D. Wolfe, E. Chicken. Nonparametric Statistical Methods. 3rd ed., 2014, section 3.6.
        """
        return self.interval_at(1.0 - check_probability(level, "level"))

    def interval_at(self, alpha: ArrayLike) -> Interval:
        """As `confidence_interval` at level 1 - alpha, where alpha may be one number for each row."""
        n = np.asarray(self.n_units)
        half = np.broadcast_to(np.asarray(alpha, dtype=float) / 2, n.shape)
        cut = _largest_below(n, half)  # so many on either side are left out
        rows = np.sort(self.differences, axis=-1)
        width = rows.shape[-1] - 1
        low = np.take_along_axis(rows, np.clip(cut, 0, width)[..., None], axis=-1)[..., 0]
        high = np.take_along_axis(rows, np.clip(n - 1 - cut, 0, width)[..., None], axis=-1)[..., 0]
        low, high = np.where(cut < 0, -np.inf, low), np.where(cut < 0, np.inf, high)
        is_good = self._is_good()
        return Interval(plain(np.where(is_good, low, np.nan)), plain(np.where(is_good, high, np.nan)))

    def tail_above(self, at: ArrayLike = 0.0) -> FloatArray:
        """One-sided p-value of "the median is at least `at`", small where the first model is worse.

        Differences equal to `at` speak for the hypothesis. The ends of `interval_at(alpha)` are where it and `tail_below` exceed
        alpha / 2.

        Parameters
        ----------
        at : float, or array_like of the rows' shape
            In the metric's unit.
        """
        return self._tail(at, -1.0)

    def tail_below(self, at: ArrayLike = 0.0) -> FloatArray:
        """One-sided p-value of "the median is at most `at`", likewise; small where the first model is better by more."""
        return self._tail(at, 1.0)

    def _tail(self, at: ArrayLike, sign: float) -> FloatArray:
        beyond = sign * (self.differences - np.asarray(at, dtype=float)[..., None]) > np.asarray(self.tolerance)[..., None]
        p = _upper_tail(np.count_nonzero(beyond, axis=-1), np.asarray(self.n_units))
        return plain(np.where(self._is_good(), np.maximum(p, SMALLEST_PVALUE), np.nan))

    def _is_good(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return np.asarray((np.asarray(self.n_units) > 0) & ~np.isinf(self.differences).any(axis=-1))


class CriticalCount(NamedTuple):
    """Limits of a two-sided or one-sided sign test.

    Attributes
    ----------
    losses : int or None
        Most losses with which the winner is shown to be better; None where no number is small enough.
    wins : int or None
        Fewest wins; the number of differences less the losses.
    wins_normal : float
        Fewest wins by the normal approximation, ``n / 2 + z sqrt(n) / 2``, not rounded, as textbooks have it.
    """

    losses: int | None
    wins: int | None
    wins_normal: float


def sign_test(
    differences: ArrayLike, *, alternative: Alternative = "two-sided", ties: Ties = "drop", scale: ArrayLike | None = None
) -> SignTestResult:
    """Sign test of wins against losses of the first model, a fair coin where neither is better.

    It takes nothing for granted about how large differences are, so metrics of different units can be counted together. It needs
    many datasets.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset; positive favours the first. A nan is left out of its row.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first model is better.
    ties : {"drop", "split"}
        "drop" leaves them out; "split" counts half of them as wins, one being left out where their number is odd [D06]_.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted: 1e-12 of it is rounding noise. The largest absolute difference of the
        row if not given.

    Returns
    -------
    SignTestResult
        Ask it for `estimate` and `confidence_interval`. A row with an infinite value: p-value nan.

    Raises
    ------
    InvalidParameterError
        An unknown alternative or treatment of ties.

    References
    ----------
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, section 3.1.4.

    Examples
    --------
    >>> result = sign_test([0.02, 0.01, 0.04, -0.01, 0.03, 0.05, 0.02, 0.0])
    >>> result.wins, result.losses, result.ties, result.pvalue
    (6, 1, 1, 0.125)
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_alternative(alternative)
    if ties not in ("drop", "split"):
        raise InvalidParameterError(f"ties must be 'drop' or 'split'; got {ties!r}.")
    size = check_scale(scale, d.shape[:-1])
    largest = np.where(np.isfinite(d), np.abs(d), 0.0).max(axis=-1, initial=0.0)
    tolerance = RELATIVE_TOLERANCE * np.broadcast_to(largest if size is None else size, largest.shape)
    wins = np.count_nonzero(d > tolerance[..., None], axis=-1)
    losses = np.count_nonzero(d < -tolerance[..., None], axis=-1)
    n_units = np.count_nonzero(~np.isnan(d), axis=-1)
    tied = n_units - wins - losses
    half = tied // 2 if ties == "split" else 0 * tied
    won, counted = wins + half, wins + losses + 2 * half
    greater, less = _upper_tail(won, counted), _upper_tail(counted - won, counted)
    p = {"greater": greater, "less": less}.get(alternative, np.minimum(2 * np.minimum(greater, less), 1.0))
    p = np.where((n_units == 0) | np.isinf(d).any(axis=-1), np.nan, np.where(counted == 0, 1.0, np.maximum(p, SMALLEST_PVALUE)))
    return SignTestResult(
        n_units=_count(n_units),
        wins=_count(wins),
        losses=_count(losses),
        ties=_count(tied),
        wins_counted=_count(won),
        n_counted=_count(counted),
        pvalue=plain(p),
        tolerance=plain(tolerance),
        differences=d,
    )


def sign_test_critical_value(
    n: int, alpha: float = 0.05, *, alternative: Literal["two-sided", "one-sided"] = "two-sided"
) -> CriticalCount:
    """Numbers of wins and losses at which the sign test rejects, of n differences that are no ties.

    Parameters
    ----------
    n : int
    alpha : float, default 0.05
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    CriticalCount

    Examples
    --------
    >>> sign_test_critical_value(20).wins, round(sign_test_critical_value(20).wins_normal, 2)
    (15, 14.38)
    """
    from scipy.special import ndtri

    n = check_count(n, "n")
    if alternative not in ("two-sided", "one-sided"):
        raise InvalidParameterError(f"alternative must be 'two-sided' or 'one-sided'; got {alternative!r}.")
    tail = check_probability(alpha, "alpha") / (2 if alternative == "two-sided" else 1)
    losses = int(_largest_below(np.array(n), np.array(tail)))
    normal = n / 2 - float(ndtri(tail)) * n**0.5 / 2
    return CriticalCount(losses, n - losses, normal) if losses >= 0 else CriticalCount(None, None, normal)


def _upper_tail(wins: IntArray, n: IntArray) -> FloatArray:
    """P(X >= wins) of n fair coins."""
    from scipy.special import bdtrc

    return np.where(wins <= 0, 1.0, bdtrc(np.maximum(wins, 1) - 1, np.maximum(n, 1), 0.5))


def _largest_below(n: IntArray, tail: FloatArray) -> IntArray:
    """Largest count with P(X <= count) of n fair coins at most the tail; -1 where there is none."""
    from scipy.special import bdtr, bdtrik

    guess = np.nan_to_num(np.floor(bdtrik(tail, np.maximum(n, 1), 0.5)), nan=-1.0)
    for step in (1, 0, -1):  # the guess is off by one at times
        count = guess + step
        fits = bdtr(np.maximum(count, 0), np.maximum(n, 1), 0.5) <= tail * (1 + 1e-12)
        if step == 1:
            found = np.full(np.shape(guess), -1.0)
        found = np.where((found < 0) & (count >= 0) & (count < n) & fits, count, found)
    return np.asarray(found, dtype=int)


def _count(values: IntArray) -> IntArray:
    """A single count as a Python int."""
    return int(values) if np.ndim(values) == 0 else values  # type: ignore[return-value]
