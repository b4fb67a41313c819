"""Rank tests of paired differences, one for each dataset: Wilcoxon's with Walsh averages, and the sign test."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc, chdtrc, fdtrc, ndtr, ndtri

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import (
    IDENTICAL,
    SMALLEST_PVALUE,
    SPREAD,
    UNDEFINED,
    Alternative,
    FloatArray,
    IntArray,
    Law,
    Shape,
    Significance,
    bisected,
    blocks,
    check_array,
    check_choice,
    check_count,
    check_differences,
    check_number,
    check_probability,
    check_rows,
    divide,
    legendre,
    mean_present,
    median_present,
    mid_ranks,
    noise_of,
    plain,
    refuse_unless,
    significance_of,
    student,
    tie_groups,
)

Zeros = Literal["drop", "pratt", "split"]
RankMethod = Literal["auto", "exact", "normal"]
Ties = Literal["drop", "split"]

MOST_EXACT = 50
"""Differences that are not zero up to which "auto" takes the exact distribution."""

LARGEST_EXACT = 1000
"""Most for which it can be asked: there are 2 to this power of equally likely signs, which floats just hold."""


class SignedRanks(NamedTuple):
    """Counts and sums of ranks of the signed-rank test; arrays of the rows' shape, or numbers.

    Attributes
    ----------
    n_zero, n_used : ndarray of int
        Differences that are zero within the tolerance, and those that have a rank with a sign.
    n_tie_groups : ndarray of int
        Groups of two or more differences of the same size.
    w_plus, w_minus : ndarray
        Sum of the ranks of positive and of negative differences.
    sd : ndarray
        Standard deviation of either sum where neither model is better, which allows for ties.
    """

    n_zero: IntArray
    n_used: IntArray
    n_tie_groups: IntArray
    w_plus: FloatArray
    w_minus: FloatArray
    sd: FloatArray

    @property
    def zscore(self) -> FloatArray:
        """(w_plus - its mean) / its standard deviation; nan where all are zero."""
        return plain(divide(np.subtract(self.w_plus, self.w_minus) / 2, self.sd))

    @property
    def rank_biserial(self) -> FloatArray:
        """Effect size (w_plus - w_minus) / (w_plus + w_minus), between -1 and 1; nan where all are zero [K14]_.

        References
        ----------
        .. [K14] D. Kerby. The simple difference formula: an approach to teaching nonparametric correlation. Comprehensive
           Psychology 3, 2014.
        """
        return plain(divide(np.subtract(self.w_plus, self.w_minus), np.add(self.w_plus, self.w_minus)))


def wilcoxon(
    differences: ArrayLike,
    *,
    zeros: Zeros = "drop",
    method: RankMethod = "auto",
    continuity: bool = True,
    scale: ArrayLike | None = None,
) -> Law:
    """Law of the centre of differences, one for each dataset, by Wilcoxon's signed-rank test.

    The estimate is that of Hodges and Lehmann, and the interval holds the shifts that the test does not reject: exact for up to
    50 units and otherwise by the normal approximation with a correction for continuity, both for differences without ties
    [HWC14]_. It takes for granted that differences lie symmetrically around their centre. Ends are infinite where there are too
    few units: fewer than six at 0.95. The p-value knows of ties and drops zeros, and the shifts of the interval do neither: so
    where there are any, or the approximations differ, an end is on the side of 0 where the p-value puts it.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset, in the metric's unit; positive favours the first. A nan, where one of the
        models was not measured, is left out of its row. Scores of folds are not independent, and need `corrected_t`.
    zeros : {"drop", "pratt", "split"}
        Of the p-value. "drop" leaves zeros out before ranking [W45]_. "pratt" ranks them, and then leaves their ranks out [P59]_.
        "split" ranks them and gives half of their ranks to each side, one zero being left out where their number is odd, without
        allowing for ties [D06]_; it has the normal approximation only.
    method : {"auto", "exact", "normal"}
        Of the p-value. "exact" counts the signs of the ranks as they are, ties and all; "auto" does so for up to 50.
    continuity : bool, default True
        Whether the normal approximation moves the sum of ranks by a half towards its mean.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted: 1e-12 of it is rounding noise, which makes zeros and ties. The largest absolute
        difference of the row if not given, which is too little where scores of 90 per cent differ in their last digits.

    Returns
    -------
    Law
        "identical" where all differences are zero, undefined without any or with an infinite one. `signed_ranks` has the sums.

    Raises
    ------
    DataError
        No numbers.
    InvalidParameterError
        An unknown treatment of zeros or method.

    References
    ----------
    .. [W45] F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1, 1945.
    .. [P59] J. W. Pratt. Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54, 1959.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
    .. [HWC14] M. Hollander, D. Wolfe, E. Chicken. Nonparametric Statistical Methods. 3rd ed., 2014, sections 3.3 and 3.6.

    Examples
    --------
    >>> law = wilcoxon([0.021, 0.013, 0.042, -0.008, 0.034, 0.055, 0.026, 0.0])
    >>> law.pvalue(), [round(end, 4) for end in (law.estimate, *law.interval())]
    (0.03125, [0.0235, 0.0025, 0.042])
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_choice(zeros, get_args(Zeros), "zeros")
    check_choice(method, get_args(RankMethod), "method")
    if zeros == "split" and method == "exact":
        raise InvalidParameterError("zeros='split' has no exact distribution; use zeros='pratt', or method='normal'.")
    pvalue = partial(_rank_pvalue, zeros=zeros, method=method, half=0.5 if continuity else 0.0)
    law = _law(d, scale, hodges_lehmann(d), Shape(_rank_tail, _rank_end, pvalue))
    if method == "exact" and np.max(law.n_units, initial=0) > LARGEST_EXACT:
        raise InvalidParameterError(f"method='exact' takes {LARGEST_EXACT} differences at most; use 'auto' or 'normal'.")
    return law


def signed_ranks(differences: ArrayLike, *, zeros: Zeros = "drop", scale: ArrayLike | None = None) -> SignedRanks:
    """Counts and sums of ranks of the signed-rank test; parameters are those of `wilcoxon`.

    Examples
    --------
    >>> found = signed_ranks([0.021, 0.013, 0.042, -0.008, 0.034, 0.055, 0.026, 0.0])
    >>> found.n_used, found.w_plus, found.w_minus
    (7, 27.0, 1.0)
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_choice(zeros, get_args(Zeros), "zeros")
    return SignedRanks(*_by_rows(lambda rows, noise: list(_signed_ranks(rows, noise, zeros)[1]), d, noise_of(d, scale)))


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
    check_choice(alternative, ("two-sided", "one-sided"), "alternative")
    tail = check_probability(alpha, "alpha") / (2 if alternative == "two-sided" else 1)
    cut = int(_exact_cut(n, tail))
    return cut if cut >= 0 else None


def hodges_lehmann(differences: ArrayLike) -> FloatArray:
    """Median of the means of all pairs of values, each with itself included: the centre that goes with the signed-rank test.

    It lies where as much speaks for a larger difference as for a smaller one. A few extreme values hardly move it.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset, in the metric's unit; a nan is left out of its row.

    Returns
    -------
    ndarray of shape (...)
        In the metric's unit; nan for a row without values, or with an infinite one.

    References
    ----------
    .. [HL63] J. L. Hodges, E. L. Lehmann. Estimates of location based on rank tests. Annals of Mathematical Statistics 34, 1963.

    Examples
    --------
    >>> hodges_lehmann([1.0, 2.0, 6.0])
    2.75
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    n = np.count_nonzero(~np.isnan(d), axis=-1)
    total = n * (n + 1) // 2
    return plain(_by_rows(_walsh, d, (total - 1) // 2, total // 2)[0])


# --- the sign test ----------------------------------------------------------------------------------------------------------


def sign_test(differences: ArrayLike, *, ties: Ties = "drop", scale: ArrayLike | None = None) -> Law:
    """Law of the median difference, by wins against losses of the first model: a fair coin where neither is better.

    It takes nothing for granted about how large differences are, so metrics of different units can be counted together. It needs
    many datasets. The ends of its interval are differences, so coverage is at least the level [HWC14]_; infinite where there are
    too few units, fewer than six at 0.95.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset; positive favours the first. A nan is left out of its row.
    ties : {"drop", "split"}
        Of the p-value. "drop" leaves them out; "split" counts half of them as wins, one being left out where their number is odd
        ([D06]_, section 3.1.4).
    scale : array_like, broadcast over the leading axes, optional
        As for `wilcoxon`.

    Returns
    -------
    Law
        "identical" where there are ties only, undefined without any difference or with an infinite one.

    Raises
    ------
    InvalidParameterError
        An unknown treatment of ties.

    References
    ----------
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
    .. [HWC14] M. Hollander, D. Wolfe, E. Chicken. Nonparametric Statistical Methods. 3rd ed., 2014, section 3.6.

    Examples
    --------
    >>> law = sign_test([0.02, 0.01, 0.04, -0.01, 0.03, 0.05, 0.02, 0.0])
    >>> law.estimate, law.pvalue()
    (0.02, 0.125)
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_choice(ties, get_args(Ties), "ties")
    return _law(d, scale, median_present(d)[..., 0], Shape(_sign_tail, _sign_end, partial(_sign_pvalue, ties=ties)))


def sign_counts(differences: ArrayLike, *, ties: Ties = "drop", scale: ArrayLike | None = None) -> tuple[IntArray, ...]:
    """Wins, losses and ties, and the wins and differences that the sign test counts; parameters are those of `sign_test`.

    Ties are differences that are 0 within the tolerance. The test counts none of them, or half, one being left out where their
    number is odd. All are arrays of the rows' shape, or numbers.

    Examples
    --------
    >>> sign_counts([0.02, 0.01, -0.01, 0.0, 0.0], ties="split")
    (2, 1, 2, 3, 5)
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    check_choice(ties, get_args(Ties), "ties")
    return tuple(map(plain, _counts(d, noise_of(d, scale), ties)))


def sign_test_critical_value(
    n: int, alpha: float = 0.05, *, alternative: Literal["two-sided", "one-sided"] = "two-sided"
) -> tuple[int | None, float]:
    """Number of wins from which the sign test rejects, of n differences that are no ties.

    Parameters
    ----------
    n : int
    alpha : float, default 0.05
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    tuple of int and float
        Fewest wins, None where no number is enough; and by the normal approximation, ``n / 2 + z sqrt(n) / 2``, not rounded, as
        textbooks have it.

    Examples
    --------
    >>> exact, normal = sign_test_critical_value(20)
    >>> exact, round(normal, 2)
    (15, 14.38)
    """
    n = check_count(n, "n")
    check_choice(alternative, ("two-sided", "one-sided"), "alternative")
    tail = check_probability(alpha, "alpha") / (2 if alternative == "two-sided" else 1)
    losses = int(_most_losses(np.array(n), np.array(tail)))
    return n - losses if losses >= 0 else None, n / 2 - float(ndtri(tail)) * n**0.5 / 2


def _counts(d: FloatArray, tolerance: FloatArray, ties: Ties) -> tuple[IntArray, ...]:
    wins = np.count_nonzero(d > tolerance[..., None], axis=-1)
    losses = np.count_nonzero(d < -tolerance[..., None], axis=-1)
    tied = np.count_nonzero(~np.isnan(d), axis=-1) - wins - losses
    half = tied // 2 if ties == "split" else 0 * tied
    return wins, losses, tied, wins + half, wins + losses + 2 * half


def _sign_pvalue(law: Law, side: Alternative, ties: Ties) -> FloatArray:
    *_, won, counted = _counts(law.parts[0], np.asarray(law.tolerance), ties)
    greater, less = _coin_tail(won, counted), _coin_tail(counted - won, counted)
    return np.asarray({"greater": greater, "less": less}.get(side, np.minimum(2 * np.minimum(greater, less), 1.0)))


def _sign_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Differences equal to `at` speak for the hypothesis."""
    beyond = (-1.0 if upper else 1.0) * (law.parts[0] - at[..., None]) > np.asarray(law.tolerance)[..., None]
    return np.asarray(np.maximum(_coin_tail(np.count_nonzero(beyond, axis=-1), np.asarray(law.n_units)), SMALLEST_PVALUE))


def _sign_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """The difference beyond which as many lie as a fair coin gives with the chance p."""
    p, n = np.broadcast_arrays(p, law.n_units)
    cut, most = _most_losses(n, p), law.parts[0].shape[-1]
    place = np.clip(n - 1 - cut if upper else cut, 0, most - 1)
    ordered = np.broadcast_to(np.sort(law.parts[0], axis=-1), (*n.shape, most))  # nan last
    end = np.take_along_axis(ordered, place[..., None], axis=-1)[..., 0]
    return np.where(cut < 0, np.inf if upper else -np.inf, end)


def _coin_tail(wins: IntArray, n: IntArray) -> FloatArray:
    """P(X >= wins) of n fair coins."""
    return np.where(wins <= 0, 1.0, bdtrc(np.maximum(wins, 1) - 1, np.maximum(n, 1), 0.5))


def _most_losses(n: IntArray, tail: FloatArray) -> IntArray:
    """Largest count with P(X <= count) of n fair coins at most the tail; -1 where there is none."""

    def is_rare(count: FloatArray) -> NDArray[np.bool_]:
        return np.asarray((count < 0) | (bdtr(np.maximum(np.floor(count), 0), np.maximum(n, 1), 0.5) <= tail * (1 + 1e-12)))

    return np.floor(bisected(is_rare, np.full(n.shape, -1.0), n.astype(float))).astype(int)


# --- the signed-rank test ---------------------------------------------------------------------------------------------------


def _rank_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Chance that so many Walsh averages or more are on the other side of `at`; those equal to it speak for the hypothesis."""
    sign = -1.0 if upper else 1.0

    def tail(rows: FloatArray, at: FloatArray, noise: FloatArray) -> list[FloatArray]:
        ordered, n = np.sort(sign * (rows - at[:, None]), axis=1), np.count_nonzero(~np.isnan(rows), axis=1)  # nan last
        # sums of two above 0, of which those of different values are met in both orders
        not_above = [row[:size].searchsorted(far - row[:size], "right") for row, size, far in zip(ordered, n, noise, strict=True)]
        w = (n * n - [each.sum() for each in not_above] + np.count_nonzero(ordered > noise[:, None], axis=1)) // 2
        # exact up to 50, then normal with a correction for continuity
        p = ndtr(-(w - 0.5 - n * (n + 1) / 4) / np.sqrt(np.maximum(n * (n + 1) * (2 * n + 1) / 24, 0.25)))
        for size in np.unique(n[n <= MOST_EXACT]).tolist():
            p[n == size] = _untied(size)[w[n == size]]
        return [np.maximum(p, SMALLEST_PVALUE)]

    return np.asarray(_by_rows(tail, law.parts[0], at, law.tolerance)[0])


def _rank_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    p, n = np.broadcast_arrays(p, law.n_units)
    guess = np.floor(n * (n + 1) / 4 - 0.5 + ndtri(p) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    cut = np.where(np.isfinite(guess), np.maximum(guess, -1), -1).astype(int)  # largest w with P(W <= w) at most p
    for size in np.unique(n[n <= MOST_EXACT]).tolist():
        cut[n == size] = _exact_cut(size, p[n == size])
    place = n * (n + 1) // 2 - 1 - cut if upper else cut
    end = np.asarray(_by_rows(_walsh, law.parts[0], place, place)[0])
    noise = np.asarray(law.tolerance)
    is_tied = _by_rows(
        lambda rows, noise: [(np.diff(np.sort(np.abs(rows), axis=1), axis=1, prepend=0.0) <= noise[:, None]).any(axis=1)],
        law.parts[0],
        noise,
    )[0] | (n > MOST_EXACT)  # two sizes of a row are the same, or one is 0
    if not np.any(is_tied) or law.shape.pvalue is None:
        return end
    own = law.shape.pvalue(law, "less" if upper else "greater")
    sign = -1.0 if upper else 1.0
    agreed = np.where(own <= p, np.maximum(sign * end, 4.0 * noise), np.minimum(sign * end, 0.0))
    return np.where(is_tied & ~np.isnan(own), sign * agreed, end)


def _rank_pvalue(law: Law, side: Alternative, zeros: Zeros, method: RankMethod, half: float) -> FloatArray:
    def pvalue(rows: FloatArray, noise: FloatArray) -> list[FloatArray]:
        size, ranks = _signed_ranks(rows, noise, zeros)
        centred = (ranks.w_plus - ranks.w_minus) / 2
        greater, less = (ndtr(-divide(toward - half, ranks.sd)) for toward in (centred, -centred))
        is_exact = np.full(len(rows), method == "exact")
        if method == "auto" and zeros != "split":
            is_exact = ranks.n_used <= MOST_EXACT
        doubled, up, down = (np.rint(2 * np.nan_to_num(each)).astype(np.int32) for each in (size, ranks.w_plus, ranks.w_minus))
        for row in np.flatnonzero(is_exact).tolist():  # rows with the same ranks share one distribution
            tail = _tails(doubled[row][doubled[row] > 0].tobytes())
            greater[row], less[row] = tail[up[row]], tail[down[row]]
        return [np.asarray({"greater": greater, "less": less}.get(side, np.minimum(2 * np.minimum(greater, less), 1.0)))]

    return np.asarray(_by_rows(pvalue, law.parts[0], law.tolerance)[0])


def _signed_ranks(rows: FloatArray, tolerance: FloatArray, zeros: Zeros) -> tuple[FloatArray, SignedRanks]:
    """Ranks of the sizes of differences, in rising order along each row and 0 for what has no sign; and what they add up to."""
    magnitude = np.where(np.isfinite(rows), np.abs(rows), np.nan)
    order = np.argsort(magnitude, axis=1)  # nan last
    ordered = np.take_along_axis(magnitude, order, axis=1)
    is_plus = np.take_along_axis(rows, order, axis=1) > 0
    is_zero = ordered <= tolerance[:, None]
    n_zero = np.count_nonzero(is_zero, axis=1)
    first, last = tie_groups(ordered, tolerance)
    has_sign = ~is_zero & ~np.isnan(ordered)
    lost = n_zero if zeros == "drop" else n_zero % 2 if zeros == "split" else np.zeros_like(n_zero)
    size = np.where(has_sign, (first + last) / 2 + 1 - lost[:, None], 0.0)
    plus, minus, n_used = (size * is_plus).sum(axis=1), (size * ~is_plus).sum(axis=1), np.count_nonzero(has_sign, axis=1)
    squares = np.square(size).sum(axis=1)  # each rank counts by a fair coin; mid-ranks allow for ties
    if zeros == "split":
        kept = n_zero - lost
        plus, minus, n_used = plus + kept * (kept + 1) / 4, minus + kept * (kept + 1) / 4, n_used + kept
        squares = n_used * (n_used + 1) * (2 * n_used + 1) / 6
    n_tie_groups = np.count_nonzero(has_sign & (first == np.arange(rows.shape[1])) & (last > first), axis=1)
    is_bad = np.isinf(rows).any(axis=1) | np.isnan(rows).all(axis=1)
    plus, minus = (np.where(is_bad, np.nan, side) for side in (plus, minus))
    return size, SignedRanks(n_zero, n_used, n_tie_groups, plus, minus, np.sqrt(squares) / 2)


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


def _exact_cut(n: int, tail: ArrayLike) -> IntArray:
    """Largest w with P(W <= w) at most the tail, for one n; P(W <= w) is P(W >= total - w), and rises with w."""
    return np.asarray(np.searchsorted(_untied(n)[::-1], np.asarray(tail) * (1 + 1e-12), side="right") - 1)


# --- Walsh averages: the means of all pairs of values -----------------------------------------------------------------------

MOST_AT_ONCE = 300
"""Values of a row up to which all its Walsh averages are made, 45,150 of them; of longer rows only those near the wanted."""


def _walsh(rows: FloatArray, low: IntArray, high: IntArray) -> list[FloatArray]:
    """Mean of two Walsh averages of each row that are neighbours in order, or one and the same; nan is left out of the row.

    Ranks count from 0, the smallest first. Those below it give -inf, those beyond the last inf; nan for rows without a value, or
    with an infinite one.
    """
    ordered = np.sort(rows, axis=1)  # nan last
    n = np.count_nonzero(~np.isnan(ordered), axis=1)
    is_good = ~np.isinf(ordered).any(axis=1) & (n > 0)
    found = np.where(is_good, np.where(low < 0, -np.inf, np.inf), np.nan)
    wanted = np.flatnonzero(is_good & (low >= 0) & (high < n * (n + 1) // 2))
    kinds, kind = np.unique(np.stack([n, low, high], axis=1)[wanted], axis=0, return_inverse=True)
    for number, (size, one, two) in enumerate(kinds.tolist()):
        mine = wanted[kind.ravel() == number]
        if size > MOST_AT_ONCE:
            found[mine] = [_near_ranks(row[:size], one, two) for row in ordered[mine]]
            continue
        first, second = np.triu_indices(size)
        for part in blocks(mine.size, first.size, most=_BLOCK):
            sums = ordered[mine[part, None], first] + ordered[mine[part, None], second]
            sums.partition((one, two), axis=1)
            found[mine[part]] = (sums[:, one] + sums[:, two]) / 4
    return [found]


def _near_ranks(row: FloatArray, low: int, high: int) -> float:
    """As `_walsh`, for one long row in rising order: only the sums of two values between limits that enclose the ranks are made.

    The limits are guessed from the sums of some evenly spaced values, and counted.
    """
    n = row.size
    some, first = row[np.linspace(0, n - 1, 48).astype(int)], np.arange(n)  # each pair once
    guess = np.concatenate([[-np.inf], np.sort((some[:, None] + some)[np.triu_indices(48)]), [np.inf]])
    place, width = low / (n * (n + 1) / 2) * guess.size, 3.0
    while True:
        limits = guess[np.clip([place - width, place + width], 0, guess.size - 1).astype(int)]
        start = np.maximum(np.searchsorted(row, limits[0] - row, "left"), first)
        count = np.maximum(np.searchsorted(row, limits[1] - row, "right"), start) - start
        below, among = int((start - first).sum()), int(count.sum())
        if below <= low and high < below + among:
            other = np.arange(among) + np.repeat(start - (np.cumsum(count) - count), count)
            ranks = np.array([low, high]) - below
            return float(np.partition(np.repeat(row, count) + row[other], ranks)[ranks].sum()) / 4
        width *= 2


# --- rows -------------------------------------------------------------------------------------------------------------------

_BLOCK = 250_000
"""Differences, or Walsh averages, that are held at once: larger blocks leave the cache of a processor."""


def _by_rows(function: Callable[..., list[NDArray[Any]]], d: FloatArray, *more: ArrayLike) -> list[NDArray[Any]]:
    """Arrays that a function of some rows, and of a number for each, makes of a part at a time; in the shape of both."""
    shape = np.broadcast_shapes(d.shape[:-1], *map(np.shape, more))
    rows = np.broadcast_to(d, (*shape, d.shape[-1])).reshape(-1, d.shape[-1])
    beside = [np.broadcast_to(each, shape).ravel() for each in more]
    parts = list(blocks(len(rows), rows.shape[1], most=_BLOCK)) or [slice(0)]
    found = [function(rows[part], *(each[part] for each in beside)) for part in parts]
    return [plain(np.concatenate(each).reshape(shape)) for each in zip(*found, strict=True)]


def _law(d: FloatArray, scale: ArrayLike | None, estimate: FloatArray, shape: Shape) -> Law:
    """Law of rows of differences, which are its part."""
    tolerance = noise_of(d, scale)
    n = np.count_nonzero(~np.isnan(d), axis=-1)
    size = np.maximum(np.fmax.reduce(d, axis=-1), -np.fmin.reduce(d, axis=-1))  # nan where there is no difference
    kind = np.where(np.isfinite(size), np.where(size > tolerance, SPREAD, IDENTICAL), UNDEFINED).astype(np.int8)
    estimate, noise = plain(np.where(kind == UNDEFINED, np.nan, estimate)), plain(tolerance)
    return Law(estimate=estimate, n_units=plain(np.asarray(n)), kind=kind, tolerance=noise, shape=shape, parts=(d,))


# --- average ranks over datasets -------------------------------------------------------------------------------------------


RankTest = Literal["nemenyi", "bonferroni-dunn"]


class Friedman(NamedTuple):
    """Average ranks of models over datasets, and the tests of whether they differ by more than chance.

    Attributes
    ----------
    average_ranks : ndarray of shape (..., n_models)
        1 is the best; tied models share the mean of their ranks.
    friedman : Significance
        Chi-squared with n_models - 1 degrees of freedom; nan with a p-value of 1 where all models are tied on every dataset.
    iman_davenport : Significance
        F with n_models - 1 and (n_models - 1) (n_datasets - 1) degrees of freedom; nearer to its level than Friedman's.
    kendall_w : ndarray or float
        Agreement of the datasets, from 0 to 1: the chi-squared statistic over its largest possible value.
    """

    average_ranks: FloatArray
    friedman: Significance
    iman_davenport: Significance
    kendall_w: FloatArray


def rank_models(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Ranks of the models on each dataset: 1 is the best, tied models share the mean of their ranks.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        nan where a model was not measured: it has no rank there, and the others are ranked among themselves.
    higher_is_better : bool, default True
    scale : array_like of shape (..., n_datasets), optional
        Size of the scores; those nearer to each other than 1e-12 of it are tied. The largest absolute score of the dataset
        if not given.

    Returns
    -------
    ndarray of the shape of `scores`
        nan where there is no score.

    Raises
    ------
    DataError
        An infinite score, or no table.

    Examples
    --------
    >>> rank_models([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]]
    """
    table = check_array(scores, "the scores", "..., n_datasets, n_models", (0, 0), can_lack=True)
    ranks = mid_ranks(-table if higher_is_better else table, noise_of(table, scale))
    return np.where(np.isnan(table), np.nan, ranks)


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Mean over the datasets of the ranks of `rank_models`, of shape (..., n_models); smaller is better.

    They depend on which models are in the table. With missing scores the mean is over the datasets that a model was measured on,
    and no fair comparison: `skillings_mack` and pairwise tests allow for them. Parameters and errors are those of
    `rank_models`.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [1.75, 2.0, 2.25]
    """
    return mean_present(rank_models(scores, higher_is_better=higher_is_better, scale=scale), axis=-2)


def friedman_test(
    scores: ArrayLike, *, higher_is_better: bool = True, tie_correction: bool = True, scale: ArrayLike | None = None
) -> Friedman:
    """Friedman's test, and Iman and Davenport's, of whether models differ on datasets.

    Datasets are the units. Folds or seeds of one dataset are not: they share what decides.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        One score for each model and dataset, such as a mean over splits; any metric, as only its order counts.
    higher_is_better : bool, default True
    tie_correction : bool, default True
        Whether to allow for ties, as scipy and R do; Demsar's formulas do not.
    scale : array_like, optional
        As for `rank_models`.

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        Fewer than two models or datasets, a missing score (see `skillings_mack`), or an infinite one.

    References
    ----------
    .. [F37] M. Friedman. The use of ranks to avoid the assumption of normality implicit in the analysis of variance. JASA 32,
       1937.
    .. [ID80] R. L. Iman, J. M. Davenport. Approximations of the critical region of the Friedman statistic. Communications in
       Statistics A 9, 1980.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> result = friedman_test([[84.5, 78.4, 83.1], [82.8, 79.1, 79.9], [79.1, 78.0, 77.8], [80.2, 76.0, 77.9]])
    >>> result.average_ranks.tolist(), round(result.friedman.statistic, 3), round(result.friedman.pvalue, 4)
    ([1.0, 2.75, 2.25], 6.5, 0.0388)
    """
    table = check_array(scores, "the scores", "..., n_datasets, n_models", (2, 2), can_lack=True)
    ranks = rank_models(table, higher_is_better=higher_is_better, scale=scale)
    n, k = ranks.shape[-2:]
    if np.isnan(ranks).any():
        raise DataError(
            f"{int(np.isnan(ranks).sum())} scores are missing, and Friedman's test needs every model on every dataset. Leave out "
            "models or datasets, or use skillings_mack."
        )
    spread = np.square(ranks - (k + 1) / 2).sum(axis=(-2, -1)) / (k - 1) if tie_correction else n * k * (k + 1) / 12
    return _friedman(ranks.mean(axis=-2), n, np.asarray(spread))


def friedman_from_ranks(average_ranks: ArrayLike, n_datasets: int) -> Friedman:
    """The tests of `friedman_test` from average ranks alone, as papers print them; ties cannot be allowed for.

    Parameters
    ----------
    average_ranks : array_like of shape (..., n_models)
        1 is the best rank; they add up to n_models (n_models + 1) / 2, to the digits that were printed.
    n_datasets : int

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        Ranks that do not add up, or fewer than two models or datasets.

    Examples
    --------
    >>> result = friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14)  # Demsar 2006, section 3.2.2
    >>> round(result.friedman.statistic, 2), round(result.iman_davenport.statistic, 2)
    (9.28, 3.69)
    """
    ranks = _check_average_ranks(average_ranks, "..., n_models")
    n, k = check_count(n_datasets, "n_datasets", 2), ranks.shape[-1]
    return _friedman(ranks, n, np.asarray(n * k * (k + 1) / 12))


def rank_differences(average_ranks: ArrayLike, n_datasets: int, *, control: int | None = None) -> Law:
    """Normal law of the differences of average ranks after Friedman's test: of all pairs, or of a control and each other model.

    Like all that is read off average ranks, the outcome for two models depends on which others are in the table.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        1 is the best.
    n_datasets : int
    control : int, optional
        Position of the model that is compared with each of the others; all pairs if not given.

    Returns
    -------
    Law
        Average rank of the second less that of the first, so that positive favours the first, of the pairs (0, 1), (0, 2), ...,
        (1, 2), ..., or with the control first in each.

    References
    ----------
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> rank_differences([1.2, 2.0, 2.8], 20).statistic.round(3).tolist()
    [2.53, 5.06, 2.53]
    """
    ranks = _check_average_ranks(average_ranks)
    n, k = check_count(n_datasets, "n_datasets", 2), ranks.size
    first, second = np.triu_indices(k, 1)
    if control is not None:
        of = int(check_rows(check_count(control, "control", 0), k, "control"))
        second, first = np.delete(np.arange(k), of), np.full(k - 1, of)
    return student(ranks[second] - ranks[first], rank_standard_error(k, n), n_units=n)


def rank_standard_error(n_models: int, n_datasets: int) -> float:
    """Standard error of the difference of two average ranks where all models are alike: sqrt(k (k + 1) / (6 n))."""
    return float(np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


def nemenyi(average_ranks: ArrayLike, n_datasets: int) -> FloatArray:
    """p-values of Nemenyi's test of all pairs of average ranks, by the studentized range.

    The verdict on two models depends on which others are in the table, as these move both average ranks and the critical
    difference. `wilcoxon` compares two models by themselves.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        As of `average_ranks`; 1 is the best.
    n_datasets : int

    Returns
    -------
    ndarray of shape (n_models, n_models)
        Of each pair, allowing for all pairs; 1 on the diagonal. `critical_difference` is the distance that is told apart.

    Raises
    ------
    DataError
        Ranks that do not add up to n_models (n_models + 1) / 2, or fewer than two models.

    References
    ----------
    .. [N63] P. Nemenyi. Distribution-free multiple comparisons. PhD thesis, Princeton University, 1963.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
    .. [BCM16] A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17, 2016.

    Examples
    --------
    >>> ranks = [2.1, 3.25, 2.2, 4.3333333, 3.1166667]
    >>> round(float(nemenyi(ranks, 30)[0, 1]), 3), rank_cliques(ranks, critical_difference(5, 30))
    (0.039, [(0, 2, 4), (1, 2, 4), (1, 3)])
    """
    ranks = _check_average_ranks(average_ranks)
    error = rank_standard_error(ranks.size, check_count(n_datasets, "n_datasets", 2))
    span = np.abs(ranks[:, None] - ranks) / error * np.sqrt(2)
    pvalues = np.maximum(range_tail(span.ravel(), ranks.size).reshape(span.shape), SMALLEST_PVALUE)
    np.fill_diagonal(pvalues, 1.0)
    return pvalues


def rank_quantile(n_models: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf) -> float:
    """Multiplier q of the standard error of a difference of average ranks.

    Parameters
    ----------
    n_models : int
    alpha : float, default 0.05
    test : {"nemenyi", "bonferroni-dunn"}
        "nemenyi" for all pairs: the quantile of the studentized range over the square root of 2. "bonferroni-dunn" for a control
        and each of the others: the normal quantile at alpha / (2 (n_models - 1)).
    df : float, default infinite
        Degrees of freedom of the studentized range. The test has infinitely many; some software takes n_models (n_datasets - 1).

    Examples
    --------
    >>> round(rank_quantile(5), 3), round(rank_quantile(5, test="bonferroni-dunn"), 3)
    (2.728, 2.498)
    """
    k, alpha = check_count(n_models, "n_models", 2), check_probability(alpha, "alpha")
    check_choice(test, get_args(RankTest), "test")
    if test == "bonferroni-dunn":
        return float(-ndtri(alpha / (2 * (k - 1))))
    refuse_unless(check_number(df, "df", 0) > 0, "df", "be above 0", df)
    if np.isfinite(df):
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(1 - alpha, k, df)) / 2**0.5
    return float(bisected(lambda q: range_tail(q, k) > alpha, np.zeros(1), np.full(1, 40.0))[0]) / 2**0.5


def critical_difference(
    n_models: int, n_datasets: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf
) -> float:
    """Smallest difference of average ranks that is told apart: `rank_quantile` times sqrt(k (k + 1) / (6 n)).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demsar 2006, section 3.2.2, with alpha 0.05
    1.25
    """
    n = check_count(n_datasets, "n_datasets", 2)
    return rank_quantile(n_models, alpha, test=test, df=df) * rank_standard_error(n_models, n)


def rank_cliques(average_ranks: ArrayLike, span: float) -> list[tuple[int, ...]]:
    """Largest groups of two or more models whose average ranks differ by `span` at most, as lines of a diagram join them.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
    span : float

    Returns
    -------
    list of tuple of int
        Positions, rising within a group; the group that begins with the best rank is the first.
    """
    ranks, span = check_array(average_ranks, "the average ranks", "n_models", (0,)), check_number(span, "span", 0)
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    ends = np.searchsorted(ordered, ordered + span * (1 + 1e-12), side="right")
    is_largest = np.diff(ends, prepend=0) > 0  # of those that end there
    starts = np.flatnonzero(is_largest & (ends - np.arange(ends.size) > 1))
    return [tuple(sorted(order[start : ends[start]].tolist())) for start in starts.tolist()]


def skillings_mack(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> Significance:
    """Friedman's test for tables with missing scores: models are ranked on each dataset among those that were measured there.

    The missing scores have to be missing for reasons that have nothing to do with them. Without missing scores it is Friedman's
    test. Ties are allowed for by the variance of the ranks of each dataset as they are, which the article leaves to simulation.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_models)
        nan where a model was not measured.
    higher_is_better : bool, default True
    scale : array_like of shape (n_datasets,), optional
        As for `rank_models`.

    Returns
    -------
    Significance
        Chi-squared, nan with a p-value of 1 where all models are tied on every dataset. Its degrees of freedom are n_models - 1,
        fewer where models have no dataset in common, directly or through others.

    Raises
    ------
    DataError
        No dataset with two models, a model without any such dataset, or an infinite score.

    References
    ----------
    .. [SM81] J. H. Skillings, G. A. Mack. On the use of a Friedman-type statistic in balanced and unbalanced block designs.
       Technometrics 23, 1981.

    Examples
    --------
    >>> nan = float("nan")
    >>> result = skillings_mack([[0.9, 0.8, 0.7], [0.8, nan, 0.6], [0.7, 0.6, nan], [0.9, 0.7, 0.8], [nan, 0.5, 0.6]])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 3)
    (5.198, 2, 0.074)
    """
    table = check_array(scores, "the scores", "n_datasets, n_models", (1, 1), can_lack=True)
    ranks = rank_models(table, higher_is_better=higher_is_better, scale=scale)
    ranks = ranks[np.count_nonzero(~np.isnan(ranks), axis=1) >= 2]
    present = ~np.isnan(ranks)
    n_of_model = np.count_nonzero(present, axis=0)
    if not len(ranks) or ranks.shape[1] < 2 or not n_of_model.all():
        raise DataError(
            "each model must be measured on a dataset together with another one; model(s) "
            f"{', '.join(map(str, np.flatnonzero(n_of_model == 0).tolist())) or 'of this table'} are not."
        )
    k = np.count_nonzero(present, axis=1)[:, None]
    weight = np.sqrt(12 / (k + 1))  # [SM81]
    centred = np.where(present, weight * (np.nan_to_num(ranks) - (k + 1) / 2), 0.0)
    sums = centred.sum(axis=0)
    # within a dataset all orders are equally likely: variance v of one centred rank (divisor k - 1), covariance -v / k of two
    v = np.square(centred).sum(axis=1, keepdims=True) / (k - 1)
    covariance = np.diag((v * present).sum(axis=0)) - (present * (v / k)).T @ present
    df = int(np.linalg.matrix_rank(covariance, 1e-9 * np.linalg.norm(covariance, 2), hermitian=True))
    statistic = sums @ np.linalg.pinv(covariance, 1e-9, hermitian=True) @ sums if df else np.nan
    return significance_of(statistic, chdtrc(df, statistic), df)


# --- parts ------------------------------------------------------------------------------------------------------------------


def _friedman(ranks: FloatArray, n: int, spread: FloatArray) -> Friedman:
    """Both tests; `spread` is the sum over datasets of the variance of the ranks, with divisor k - 1."""
    k = ranks.shape[-1]
    chi2 = divide(np.square(n * (ranks - (k + 1) / 2)).sum(axis=-1), spread)  # [F37]; 0 / 0 where all are tied
    most = n * (k - 1)
    chi2 = np.where(chi2 > most * (1 - 1e-12), most, chi2)  # all datasets agree, but for rounding
    f = divide((n - 1) * chi2, most - chi2)  # [ID80]
    df2 = (k - 1) * (n - 1)
    p = np.where(np.isinf(f), 0.0, fdtrc(k - 1, df2, f))
    tests = significance_of(chi2, chdtrc(k - 1, chi2), k - 1), significance_of(f, p, k - 1, df2)
    return Friedman(ranks, *tests, plain(np.asarray(chi2 / most)))


def _check_average_ranks(ranks: ArrayLike, axes: str = "n_models") -> FloatArray:
    """Average ranks that are finite and add up to what ranks of so many models do, but for rounding."""
    values = check_array(ranks, "the average ranks", axes, (2,))
    k = values.shape[-1]
    off = np.abs(values.sum(axis=-1) - k * (k + 1) / 2).max()
    if off > 0.006 * k:
        raise DataError(
            f"the average ranks of {k} models add up to {k * (k + 1) / 2:g}; these are off by {off:.3g}. Give each model's mean "
            "rank over the same datasets, tied models sharing the mean of their ranks."
        )
    return values


# --- the studentized range --------------------------------------------------------------------------------------------------


def range_tail(q: FloatArray, k: int) -> FloatArray:
    """P(range of k normal values > q), by Gauss-Legendre quadrature over the largest value.

    The largest is at z, the others are at most z and not all above z - q: k phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - q))^(k-1)).
    """
    # the largest of any number of values is below 18, and so is what a difference of 37 leaves
    z, weight = (18.0 * each for each in legendre(400))
    below = ndtr(z)
    density = k * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * weight
    out = []
    for part in np.array_split(np.asarray(q, dtype=float), max(1, q.size // 4096)):
        share = np.minimum(ndtr(z - part[:, None]) / below, 1.0)
        with np.errstate(divide="ignore"):
            lost = -np.expm1((k - 1) * np.log1p(-share))
        out.append((density * below ** (k - 1) * lost).sum(axis=1))
    return np.asarray(np.minimum(np.concatenate(out), 1.0))
