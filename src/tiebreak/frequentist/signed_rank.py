"""Wilcoxon's signed-rank test of paired differences, one for each dataset: exact with ties and zeros, with an interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist.walsh import hodges_lehmann, walsh_order_statistics
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
    divide,
    plain,
)

Zeros = Literal["drop", "pratt", "split"]
RankMethod = Literal["auto", "exact", "normal"]

MOST_EXACT = 50
"""Differences that are not zero up to which "auto" takes the exact distribution."""

LARGEST_EXACT = 1000
"""Most for which it can be asked: there are 2 to this power of equally likely signs, which floats just hold."""


@dataclass(frozen=True, slots=True)
class SignedRankResult:
    """Outcome of the signed-rank test of each row of differences; arrays of the rows' shape, or numbers.

    Attributes
    ----------
    n_units : ndarray of int
        Differences that are there, such as datasets that both models were measured on.
    n_zero, n_used : ndarray of int
        Of these the ones that are zero within the tolerance, and the ones that have a rank with a sign.
    n_tie_groups : ndarray of int
        Groups of two or more differences of the same size.
    w_plus, w_minus : ndarray
        Sum of the ranks of positive and of negative differences.
    zscore : ndarray
        (w_plus - its mean) / its standard deviation, which allows for ties, corrected for continuity where that was asked for;
        nan where all are zero.
    pvalue : ndarray
        For the alternative that was asked for; 1 where all differences are zero, nan where there is none.
    is_exact : ndarray of bool
        Whether the p-value is of the exact distribution, or of the normal approximation.
    tolerance : ndarray
        Differences up to this size are zero, and sizes so near to each other are tied.
    differences : ndarray
        As given, the units on the last axis.
    """

    n_units: IntArray
    n_zero: IntArray
    n_used: IntArray
    n_tie_groups: IntArray
    w_plus: FloatArray
    w_minus: FloatArray
    zscore: FloatArray
    pvalue: FloatArray
    is_exact: NDArray[np.bool_]
    tolerance: FloatArray = field(repr=False)
    differences: FloatArray = field(repr=False)

    @property
    def rank_biserial(self) -> FloatArray:
        """Effect size (w_plus - w_minus) / (w_plus + w_minus), between -1 and 1; nan where all differences are zero [K14]_.

        References
        ----------
        .. [K14] D. Kerby. The simple difference formula: an approach to teaching nonparametric correlation. Comprehensive
           Psychology 3, 2014.
        """
        return plain(divide(np.subtract(self.w_plus, self.w_minus), np.add(self.w_plus, self.w_minus)))

    @property
    def estimate(self) -> FloatArray:
        """Difference of Hodges and Lehmann, in the metric's unit: the median of the means of all pairs, zeros among them."""
        return hodges_lehmann(self.differences)

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Interval of the centre of the differences, in the metric's unit: the shifts that the test does not reject.

        Exact for up to 50 units and otherwise by the normal approximation with a correction for continuity, both for differences
        without ties. It takes for granted that differences lie symmetrically around their centre. Ends are infinite where there
        are too few units: fewer than six at 0.95.

        Because the p-value knows of ties and drops zeros, and the interval does neither, the interval of heavily rounded scores
        may touch 0 although the test rejects it.

        Parameters
        ----------
        level : float
            Coverage, between 0 and 1.

        References
        ----------
        .. [HWC14] M. Hollander, D. Wolfe, E. Chicken. Nonparametric Statistical Methods. 3rd ed., 2014, section 3.3.
        """
        return self.interval_at(1.0 - check_probability(level, "level"))

    def interval_at(self, alpha: ArrayLike) -> Interval:
        """As `confidence_interval` at level 1 - alpha, where alpha may be one number for each row."""
        rows = self.differences.reshape(-1, self.differences.shape[-1])
        n = np.asarray(self.n_units).ravel()
        half = np.broadcast_to(np.asarray(alpha, dtype=float) / 2, np.shape(self.n_units)).ravel()
        cut = _largest_below(n, half)
        ends = walsh_order_statistics(rows, np.stack([cut, n * (n + 1) // 2 - 1 - cut], axis=1))
        ends = np.where(n[:, None] > 0, ends, np.nan)
        low, high = (end.reshape(np.shape(self.n_units)) for end in ends.T)
        return Interval(plain(low), plain(high))

    def tail_above(self, at: ArrayLike = 0.0) -> FloatArray:
        """One-sided p-value of "the centre is at least `at`", small where the first model is worse.

        It is the chance that so many Walsh averages or more are below `at`. It never falls as `at` falls, and the ends of
        `interval_at(alpha)` are where it and `tail_below` exceed alpha / 2. Differences equal to `at` speak for the hypothesis.

        Parameters
        ----------
        at : float, or ndarray of the rows' shape
            In the metric's unit.
        """
        return self._tail(at, -1.0)

    def tail_below(self, at: ArrayLike = 0.0) -> FloatArray:
        """One-sided p-value of "the centre is at most `at`", likewise; small where the first model is better by more."""
        return self._tail(at, 1.0)

    def _tail(self, at: ArrayLike, sign: float) -> FloatArray:
        rows = self.differences.reshape(-1, self.differences.shape[-1])
        shape = np.broadcast_shapes(np.shape(at), np.shape(self.n_units))
        shift = np.broadcast_to(np.asarray(at, dtype=float), shape).ravel()
        index = np.broadcast_to(np.arange(len(rows)).reshape(np.shape(self.n_units)), shape).ravel()
        tolerance = np.broadcast_to(np.asarray(self.tolerance), shape).ravel()
        p = np.empty(index.size)
        for part in _blocks(index.size, rows.shape[1]):
            some = rows[index[part]]
            is_bad = np.asarray(np.isinf(some).any(axis=1))
            n = np.count_nonzero(~np.isnan(some), axis=1)
            e = np.where(is_bad[:, None], np.nan, sign * (some - shift[part, None]))
            p[part] = np.where((n > 0) & ~is_bad, _untied_tail(n, _strictly_above(e, tolerance[part])), np.nan)
        return plain(p.reshape(shape))


def wilcoxon(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "drop",
    method: RankMethod = "auto",
    continuity: bool = True,
    scale: ArrayLike | None = None,
) -> SignedRankResult:
    """Wilcoxon's signed-rank test of differences, one for each dataset: small p-values where they lie on one side of 0.

    Sizes that differ by rounding noise are tied, so that 0.3 - 0.2 and 0.8 - 0.7 are.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset, in the metric's unit; positive favours the first. A nan, where one of the
        models was not measured, is left out of its row. Scores of folds are not independent, and need `corrected_t`.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first model is better.
    zeros : {"drop", "pratt", "split"}
        "drop" leaves zeros out before ranking [W45]_. "pratt" ranks them, and then leaves their ranks out [P59]_. "split" ranks
        them and gives half of their ranks to each side, one zero being left out where their number is odd, without allowing for
        ties [D06]_; it has the normal approximation only.
    method : {"auto", "exact", "normal"}
        "exact" counts the signs of the ranks as they are, ties and all; "auto" does so for up to 50 that are used.
    continuity : bool, default True
        Whether the normal approximation moves the sum of ranks by a half towards its mean.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted: 1e-12 of it is rounding noise. The largest absolute difference of the
        row if not given, which is too little where scores of 90 per cent differ in their last digits.

    Returns
    -------
    SignedRankResult
        Ask it for `estimate` and `confidence_interval`. A row with an infinite value: all nan.

    Raises
    ------
    InvalidScoresError
        No numbers.
    InvalidParameterError
        An unknown alternative, treatment of zeros or method.

    References
    ----------
    .. [W45] F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1, 1945.
    .. [P59] J. W. Pratt. Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54, 1959.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> result = wilcoxon([0.021, 0.013, 0.042, -0.008, 0.034, 0.055, 0.026, 0.0])
    >>> result.n_used, result.w_plus, result.w_minus, result.pvalue
    (7, 27.0, 1.0, 0.03125)
    >>> [round(end, 4) for end in (result.estimate, *result.confidence_interval(0.95))]
    [0.0235, 0.0025, 0.042]
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_alternative(alternative)
    for value, known, name in ((zeros, Zeros, "zeros"), (method, RankMethod, "method")):
        if value not in get_args(known):
            raise InvalidParameterError(f"{name} must be one of {', '.join(map(repr, get_args(known)))}; got {value!r}.")
    if zeros == "split" and method == "exact":
        raise InvalidParameterError("zeros='split' has no exact distribution; use zeros='pratt', or method='normal'.")
    rows = d.reshape(-1, d.shape[-1])
    tolerance = _tolerance(rows, check_scale(scale, d.shape[:-1]), d.shape[:-1])
    blocks = [_test(rows[part], tolerance[part], alternative, zeros, method, continuity) for part in _blocks(*rows.shape)]
    n_units, n_zero, n_used, n_tie_groups, *numbers, is_exact = map(np.concatenate, zip(*blocks, strict=True))
    shape = d.shape[:-1]
    plus, minus, zscore, pvalue = (plain(values.reshape(shape)) for values in numbers)
    return SignedRankResult(
        n_units=_whole(n_units, shape),
        n_zero=_whole(n_zero, shape),
        n_used=_whole(n_used, shape),
        n_tie_groups=_whole(n_tie_groups, shape),
        w_plus=plus,
        w_minus=minus,
        zscore=zscore,
        pvalue=pvalue,
        is_exact=is_exact.reshape(shape) if shape else bool(is_exact[0]),  # type: ignore[arg-type]
        tolerance=plain(tolerance.reshape(shape)),
        differences=d,
    )


def wilcoxon_critical_value(
    n: int, alpha: float = 0.05, *, alternative: Literal["two-sided", "one-sided"] = "two-sided"
) -> int | None:
    """Largest sum of ranks at which the exact test rejects, for n differences without ties and zeros.

    Parameters
    ----------
    n : int
        Number of differences.
    alpha : float, default 0.05
        Level of the test.
    alternative : {"two-sided", "one-sided"}
        Two-sided: reject where the smaller of both sums is at most the value. One-sided: where the sum that should be small is.

    Returns
    -------
    int or None
        None where no sum is small enough, as with two-sided 0.05 and fewer than six differences.

    Examples
    --------
    >>> wilcoxon_critical_value(14), wilcoxon_critical_value(5)
    (21, None)
    """
    n = check_count(n, "n")
    if alternative not in ("two-sided", "one-sided"):
        raise InvalidParameterError(f"alternative must be 'two-sided' or 'one-sided'; got {alternative!r}.")
    tail = check_probability(alpha, "alpha") / (2 if alternative == "two-sided" else 1)
    cut = int(_exact_cut(n, tail))
    return cut if cut >= 0 else None


# --- rows -------------------------------------------------------------------------------------------------------------------

_BLOCK = 250_000
"""Differences that are ranked at a time."""


def _blocks(n_rows: int, n: int) -> list[slice]:
    """Some rows at a time, one block at least."""
    step = max(1, _BLOCK // n)
    return [slice(start, start + step) for start in range(0, max(n_rows, 1), step)]


def _test(
    rows: FloatArray, tolerance: FloatArray, alternative: Alternative, zeros: Zeros, method: RankMethod, continuity: bool
) -> tuple[NDArray[Any], ...]:
    """Counts, sums of ranks, z, p, and whether it is exact, of each row."""
    ranks = _signed_ranks(rows, tolerance, zeros)
    if method == "exact" and ranks.n_used.max(initial=0) > LARGEST_EXACT:
        raise InvalidParameterError(f"method='exact' takes {LARGEST_EXACT} differences at most; use 'auto' or 'normal'.")
    is_exact = (ranks.n_used <= MOST_EXACT) & (zeros != "split") if method == "auto" else np.full(len(rows), method == "exact")
    squares = np.square(ranks.size).sum(axis=1)
    if zeros == "split":
        n = ranks.n_used
        squares = n * (n + 1) * (2 * n + 1) / 6
    spread = np.sqrt(squares) / 2  # each rank counts by a fair coin; mid-ranks allow for ties
    z = np.where(spread > 0, _zscore((ranks.plus - ranks.minus) / 2, spread, alternative, continuity), np.nan)
    p = np.where(is_exact, _exact_pvalue(ranks, is_exact, alternative), _normal_pvalue(z, alternative))
    p = np.where(ranks.n_used == 0, 1.0, np.maximum(p, SMALLEST_PVALUE))
    n_units = np.count_nonzero(~np.isnan(rows), axis=1)
    is_bad = np.isinf(rows).any(axis=1) | (n_units == 0)
    numbers = (np.where(is_bad, np.nan, values) for values in (ranks.plus, ranks.minus, z, p))
    return n_units, ranks.n_zero, ranks.n_used, ranks.n_tie_groups, *numbers, is_exact


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Ranks of the sizes of differences, in rising order along each row; 0 for what has no sign."""

    size: FloatArray
    is_plus: NDArray[np.bool_]
    plus: FloatArray
    minus: FloatArray
    n_zero: IntArray
    n_used: IntArray
    n_tie_groups: IntArray


def _signed_ranks(rows: FloatArray, tolerance: FloatArray, zeros: Zeros) -> _Ranks:
    magnitude = np.where(np.isfinite(rows), np.abs(rows), np.nan)
    order = np.argsort(magnitude, axis=1)  # nan last
    ordered = np.take_along_axis(magnitude, order, axis=1)
    is_plus = np.take_along_axis(rows, order, axis=1) > 0
    is_zero = ordered <= tolerance[:, None]
    n_zero = np.count_nonzero(is_zero, axis=1)
    first, last = _groups(ordered, tolerance)
    rank = (first + last) / 2 + 1
    has_sign = ~is_zero & ~np.isnan(ordered)
    lost = n_zero if zeros == "drop" else n_zero % 2 if zeros == "split" else np.zeros_like(n_zero)
    size = np.where(has_sign, rank - lost[:, None], 0.0)
    plus, minus = (size * is_plus).sum(axis=1), (size * ~is_plus).sum(axis=1)
    n_used = np.count_nonzero(has_sign, axis=1)
    if zeros == "split":
        kept = n_zero - lost
        plus, minus = plus + kept * (kept + 1) / 4, minus + kept * (kept + 1) / 4
        n_used = n_used + kept
    starts = has_sign & (first == np.arange(rows.shape[1])) & (last > first)
    return _Ranks(size, is_plus & has_sign, plus, minus, n_zero, n_used, np.count_nonzero(starts, axis=1))


def _groups(ordered: FloatArray, tolerance: FloatArray) -> tuple[IntArray, IntArray]:
    """First and last position of the group of tied values that each one is in; values rise along rows, nan is last."""
    n_rows, n = ordered.shape
    place = np.broadcast_to(np.arange(n), (n_rows, n))
    is_new = np.ones((n_rows, n), dtype=bool)
    with np.errstate(invalid="ignore"):  # inf - inf
        is_new[:, 1:] = ~(np.diff(ordered, axis=1) <= tolerance[:, None])
    is_end = np.ones((n_rows, n), dtype=bool)
    is_end[:, :-1] = is_new[:, 1:]
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(is_end, place, n)[:, ::-1], axis=1)[:, ::-1]
    return first, last


def _strictly_above(e: FloatArray, tolerance: FloatArray) -> IntArray:
    """Number of Walsh averages of each row that are above 0 by more than the tolerance; nan is left out.

    A pair with the larger size on the plus side has a positive mean, so each positive value counts the smaller sizes, and among
    equal ones those that are positive too.
    """
    order = np.argsort(np.abs(e), axis=1)
    ordered = np.take_along_axis(e, order, axis=1)
    first, _ = _groups(np.abs(ordered), tolerance)
    is_plus = ordered > tolerance[:, None]
    count = np.cumsum(is_plus, axis=1)
    before: IntArray = np.take_along_axis(count - is_plus, first, axis=1)  # positive ones before the group
    return np.asarray((is_plus * (first + count - before)).sum(axis=1))


def _tolerance(rows: FloatArray, scale: FloatArray | None, shape: tuple[int, ...]) -> FloatArray:
    if scale is not None:
        return np.asarray(RELATIVE_TOLERANCE * np.broadcast_to(scale, shape).ravel())
    sizes = [np.where(np.isfinite(rows[part]), np.abs(rows[part]), 0.0).max(axis=1, initial=0.0) for part in _blocks(*rows.shape)]
    return np.asarray(RELATIVE_TOLERANCE * np.concatenate(sizes))


def _whole(counts: IntArray, shape: tuple[int, ...]) -> IntArray:
    """Counts in the rows' shape; a single one as a Python int."""
    return counts.reshape(shape) if shape else int(counts[0])  # type: ignore[return-value]


# --- distributions ----------------------------------------------------------------------------------------------------------


def _exact_pvalue(ranks: _Ranks, wanted: NDArray[np.bool_], alternative: Alternative) -> FloatArray:
    """Tails of the sum of ranks when each sign is a fair coin; rows with the same ranks share one distribution."""
    p = np.full(len(wanted), np.nan)
    rows = np.flatnonzero(wanted)
    if not rows.size:
        return p
    doubled = np.rint(2 * ranks.size[rows]).astype(np.int32)
    has_ties = (ranks.n_tie_groups[rows] > 0).astype(np.int32)
    # without ties the ranks are known from their number and the first of them
    smallest = np.where(doubled > 0, doubled, np.iinfo(np.int32).max).min(axis=1)
    brief = np.stack([has_ties, ranks.n_used[rows], smallest], axis=1)
    for tied in (0, 1):
        mine = np.flatnonzero(has_ties == tied)
        if not mine.size:
            continue
        keys = np.ascontiguousarray(doubled[mine] if tied else brief[mine])
        _, where, kind = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(kind.ravel(), kind="stable")
        starts = np.searchsorted(kind.ravel()[order], np.arange(where.size + 1))
        for number, example in enumerate(where.tolist()):
            members = mine[order[starts[number] : starts[number + 1]]]
            pattern = doubled[mine[example]]
            tail = _tails(pattern[pattern > 0].tobytes())
            up, down = (np.rint(2 * side[rows[members]]).astype(int) for side in (ranks.plus, ranks.minus))
            greater, less = tail[up], tail[down]
            p[rows[members]] = {"greater": greater, "less": less}.get(alternative, np.minimum(2 * np.minimum(greater, less), 1.0))
    return p


@lru_cache(maxsize=1024)
def _tails(doubled: bytes) -> FloatArray:
    """P(sum >= s) for each s, where every doubled rank is in the sum or not with equal chances."""
    sizes = np.frombuffer(doubled, dtype=np.int32)
    chance = np.zeros(int(sizes.sum()) + 1)
    chance[0] = 1.0
    reached = 0
    for size in sizes.tolist():
        reached += size
        chance[size : reached + 1] += chance[: reached - size + 1].copy()
    tails: FloatArray = np.cumsum(chance[::-1])[::-1]
    return np.asarray(tails / tails[0])


def _untied(n: int) -> FloatArray:
    """P(W >= w) for w = 0, 1, ... of ranks 1 to n without ties."""
    return _tails((2 * np.arange(1, n + 1, dtype=np.int32)).tobytes())[::2] if n else np.ones(1)


def _untied_tail(n: IntArray, w: IntArray) -> FloatArray:
    """P(W >= w) of ranks without ties: exact up to 50, then normal with a correction for continuity."""
    from scipy.special import ndtr

    p = ndtr(-(w - 0.5 - n * (n + 1) / 4) / np.sqrt(np.maximum(n * (n + 1) * (2 * n + 1) / 24, 0.25)))
    for size in np.unique(n[n <= MOST_EXACT]).tolist():
        mine = n == size
        p[mine] = _untied(size)[w[mine]]
    return np.asarray(np.maximum(p, SMALLEST_PVALUE))


def _largest_below(n: IntArray, tail: FloatArray) -> IntArray:
    """Largest w with P(W <= w) at most the tail, -1 where there is none; n and tail have one shape."""
    from scipy.special import ndtri

    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = np.floor(n * (n + 1) / 4 - 0.5 + ndtri(tail) * spread)
    cut = np.where(np.isfinite(cut), np.maximum(cut, -1), -1).astype(int)
    for size in np.unique(n[n <= MOST_EXACT]).tolist():
        mine = n == size
        cut[mine] = _exact_cut(size, tail[mine])
    return cut


def _exact_cut(n: int, tail: ArrayLike) -> IntArray:
    """Largest w with P(W <= w) at most the tail, for one n; P(W <= w) is P(W >= total - w), and rises with w."""
    at_most = _untied(n)[::-1]
    return np.asarray(np.searchsorted(at_most, np.asarray(tail) * (1 + 1e-12), side="right") - 1)


def _zscore(centred: FloatArray, spread: FloatArray, alternative: Alternative, continuity: bool) -> FloatArray:
    """Standardised sum of ranks, moved by a half against the alternative."""
    half = 0.5 if continuity else 0.0
    if alternative == "two-sided":
        return divide(np.sign(centred) * np.maximum(np.abs(centred) - half, 0.0), spread)
    return divide(centred - half if alternative == "greater" else centred + half, spread)


def _normal_pvalue(z: FloatArray, alternative: Alternative) -> FloatArray:
    from scipy.special import ndtr

    if alternative == "two-sided":
        return np.asarray(np.minimum(2 * ndtr(-np.abs(z)), 1.0))
    return np.asarray(ndtr(-z if alternative == "greater" else z))
