"""Group-sequential tests: looks at data that are still coming in, at levels that keep the error rate of all looks together."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import (
    FloatArray,
    bisected,
    check_count,
    check_number,
    check_probability,
    check_sizes,
    floats,
    floats_together,
    legendre,
    plain,
    refuse_unless,
    student_log_density,
    student_multiplier,
    student_tail,
)

MOST_LOOKS = 1_000
"""Looks of a design; more of them cost seconds to calibrate, and bring nothing."""

CLOSEST_LOOKS = 1e-6
"""Least growth of the information from look to look, as a share of it: what the integration resolves."""

NORMAL_FROM = 1e5
"""Degrees of freedom at the first look from which the levels are those of the normal process, to 1e-4 of themselves."""

MOST_DF = 1e9
"""Degrees of freedom of a later look that are told from infinitely many."""

MOST_POINTS = 20_000
"""Points of a grid."""

NEGLIGIBLE = 1e-25
"""Tail beyond which nothing is integrated."""

REACH = 7.0
"""Standard deviations that the integrals over the statistic of the look before span on either side."""

POINTS = 48
"""Gauss-Legendre nodes of an integral over the statistic of the look before, if its integrand is as smooth as the kernel."""

LEAST_BETA = 1e-6
"""Half the further degrees of freedom, one aside, below which there are none."""

PANEL = 0.25
"""Widest panel of the statistic of a look: far out a density falls fast."""

SCALE_POINTS = 28
"""Points of the integral over the ratio of the two sums of squares."""


class GroupSequentialDesign(NamedTuple):
    """Two-sided bounds of every look; the first look at which the statistic is beyond its bound decides.

    Attributes
    ----------
    fractions, df : ndarray of shape (n_looks,)
        Information of each look as a share of that of the plan, and degrees of freedom of the statistic, infinite where it is
        normal.
    spent : ndarray of shape (n_looks,)
        Probability of exceeding a bound up to each look, where the true difference is 0.
    critical : ndarray of shape (n_looks,)
        Bounds of the statistic; infinite where nothing is spent.
    alphas : ndarray of shape (n_looks,)
        Two-sided alphas that go with the bounds: the interval of a look covers with 1 - this if it were the only one, and the
        intervals of all looks cover at once with 1 - alpha.
    """

    fractions: FloatArray
    df: FloatArray
    spent: FloatArray
    critical: FloatArray
    alphas: FloatArray


def alpha_spent(fractions: ArrayLike, *, alpha: float = 0.05, gamma: float = -4.0) -> FloatArray:
    """Part of a two-sided alpha that may be spent up to given shares of the information.

    Parameters
    ----------
    fractions : array_like
        Shares of the information of the plan, above 0; from 1 on everything is spent.
    alpha : float, default 0.05
    gamma : float, default -4
        Parameter of Hwang, Shih and DeCani: the more negative, the less is spent early; 1 is near Pocock, -4 near
        O'Brien-Fleming.

    Returns
    -------
    ndarray
        Of the shape of `fractions`; 0 to `alpha`.

    Raises
    ------
    InvalidParameterError
        A fraction that is not above 0.

    Notes
    -----
    ``alpha (1 - exp(-gamma t)) / (1 - exp(-gamma))`` [HSD90]_: twice the one-sided function at alpha / 2, as in gsDesign and
    rpact. What other functions spend `group_sequential_design` takes as `spent`.

    References
    ----------
    .. [HSD90] I. K. Hwang, W. J. Shih, J. S. DeCani. Group sequential designs using a family of type I error probability spending
       functions. Statistics in Medicine 9, 1990.

    Examples
    --------
    >>> from tiebreak.statistics import alpha_spent
    >>> alpha_spent([0.25, 0.5, 1.0]).round(4)
    array([0.0016, 0.006 , 0.05  ])
    """
    alpha = check_probability(alpha, "alpha")
    t = floats(fractions, "fractions", InvalidParameterError)
    _check_fractions(t)
    t, gamma = np.minimum(t, 1.0), check_number(gamma, "gamma", -40, 40)
    share = t if abs(gamma) < 1e-9 else np.expm1(-gamma * t) / np.expm1(-gamma)  # [HSD90]_
    return np.asarray(np.where(t >= 1, alpha, np.minimum(share, 1.0) * alpha))


def split_information(n_splits: ArrayLike, n_total: int, *, test_train_ratio: float) -> FloatArray:
    """Information of the first splits of repeated cross-validation, as a share of that of all of them.

    The variance of a mean of n splits is ``s^2 (1 / n + n_test / n_train)`` [NB03]_, and its covariance with the mean of all is
    the variance of the latter; so the share is ``(1 / N + ratio) / (1 / n + ratio)``: 0.57 after the first of ten repeats of
    ten folds.

    Parameters
    ----------
    n_splits : array_like
        Splits at each look, repeats times folds.
    n_total : int
        Splits of the plan.
    test_train_ratio : float
        n_test / n_train, not negative; 0 for units that are independent, where the share is n / N.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> from tiebreak.statistics import split_information
    >>> split_information([10, 20, 100], 100, test_train_ratio=1 / 9).round(2)
    array([0.57, 0.75, 1.  ])
    """
    n, total = floats(n_splits, "n_splits", InvalidParameterError), check_count(n_total, "n_total")
    refuse_unless(np.all(n >= 1), "n_splits", "be at least 1", plain(n))
    ratio = check_sizes(test_train_ratio)
    return np.asarray((1 / total + ratio) / (1 / n + ratio))


def group_sequential_design(
    fractions: ArrayLike,
    *,
    alpha: float = 0.05,
    gamma: float = -4.0,
    df: ArrayLike | None = None,
    spent: ArrayLike | None = None,
) -> GroupSequentialDesign:
    """Bounds and levels for looks at any shares of the information, for a normal or a Student statistic.

    The bound of a look depends on the looks up to it only, so looks may be added on the way, and their number need not be known.

    Parameters
    ----------
    fractions : array_like of shape (n_looks,)
        Information of each look as a share of that of the plan, growing. The last one may lie above 1 (more data than planned):
        all is spent there.
    alpha : float, default 0.05
        Two-sided level of all looks together.
    gamma : float, default -4
        As of `alpha_spent`.
    df : float or array_like of shape (n_looks,), optional
        Degrees of freedom of the statistic at each look, growing by at least 1 (n - 1 for a mean of n units). The variance is
        estimated anew at each look, and the bounds are those of the joint distribution of these t statistics. The normal
        distribution if not given.
    spent : array_like of shape (n_looks,), optional
        Part of alpha that may be spent up to each look, never less than before, where it is not that of `alpha_spent`: by the
        function of the type of O'Brien and Fleming ``4 (1 - Phi(z / sqrt(t)))`` with z the quantile of ``1 - alpha / 4``, by that
        of Pocock ``alpha log(1 + (e - 1) t)`` [LD83]_.

    Returns
    -------
    GroupSequentialDesign

    Raises
    ------
    InvalidParameterError
        Fractions or degrees of freedom that do not grow, more than 1,000 looks, more spent than alpha.

    Notes
    -----
    Normal: the recursion of [AMR69]_, which [LD83]_ use. Student: with V the variance of the estimate in units of sigma^2 and
    SS a sum of squares with df degrees of freedom, ``T = M / sqrt(V SS / df)``. Given the later look (n), the earlier one (m) is

        ``T_m = (T_n sqrt(r / df_n) + sqrt(1 - r) sin(p)) sqrt(df_m / v) / cos(p)``,  r the ratio of the shares of information,

    with p of a density ``cos(p)^(df_n - 2)`` and v of the beta distribution ``(df_m / 2, (df_n - 1 - df_m) / 2)``: the
    deviations from the mean are uniform on a sphere, whatever the true mean is. So the t statistics are a Markov chain, and the
    probability of having stayed within all bounds before, given the statistic of a look, follows from look to look by
    one-dimensional integrals. This is exact for normal data. Normal bounds read as Student levels are not: .079 instead of .05
    for a look after each of five repeats of two folds.

    References
    ----------
    .. [AMR69] P. Armitage, C. K. McPherson, B. C. Rowe. Repeated significance tests on accumulating data. JRSS A 132, 1969.
    .. [JT99] C. Jennison, B. W. Turnbull. Group sequential methods with applications to clinical trials. Chapman and Hall, 1999.
    .. [LD83] K. K. G. Lan, D. L. DeMets. Discrete sequential boundaries for clinical trials. Biometrika 70, 1983.

    Examples
    --------
    >>> from tiebreak.statistics import group_sequential_design
    >>> design = group_sequential_design([0.5, 1.0])
    >>> design.critical.round(3)
    array([2.75 , 1.981])
    """
    t, freedom = np.atleast_1d(*floats_together(fractions=fractions, df=np.inf if df is None else df))
    _check_looks(t, freedom)
    alpha = check_probability(alpha, "alpha")
    if spent is None:
        granted = alpha_spent(t, alpha=alpha, gamma=gamma)
    else:
        granted = np.atleast_1d(floats(spent, "spent", InvalidParameterError))
        if granted.shape != t.shape or not (np.diff(granted, prepend=0.0) >= 0).all() or granted[-1] > alpha * (1 + 1e-9):
            raise InvalidParameterError(
                f"spent must be one number for each of the {t.size} looks, not negative, never less than before, and at most the "
                f"alpha of {alpha:g}; got {plain(granted)}.",
                about="spent",
            )
    is_normal = bool(freedom.min() >= NORMAL_FROM)
    process = np.full(t.shape, np.inf) if is_normal else np.minimum(freedom, MOST_DF)
    design = _calibrated(tuple(t.tolist()), tuple(process.tolist()), tuple(granted.tolist()))
    if not is_normal or df is None:
        return design
    return design._replace(df=freedom, critical=student_multiplier(design.alphas, freedom))


def _check_looks(t: FloatArray, df: FloatArray) -> None:
    """Looks that grow, in their shares of the plan and in degrees of freedom."""
    if t.ndim != 1 or not 0 < t.size <= MOST_LOOKS:
        raise InvalidParameterError(
            f"fractions must be one for each look, 1 to {MOST_LOOKS:,} of them; got the shape {t.shape}. More than about 20 "
            "save next to nothing.",
            about="fractions",
        )
    _check_fractions(t)
    close = (np.diff(t) / t[1:] < CLOSEST_LOOKS) | (t[:-1] >= 1)
    if close.any():
        k = int(close.argmax())
        raise InvalidParameterError(
            f"looks {k + 1} and {k + 2} are at {t[k]:.10g} and {t[k + 1]:.10g} of the plan. Each look needs more data than the "
            "one before, by a millionth at least, and none comes after the end of the plan, 1: further data need a new plan.",
            about="fractions",
        )
    if ((df[:-1] < MOST_DF) & (df[1:] < df[:-1] + 1 - 1e-9)).any() or not (df >= 1).all():
        raise InvalidParameterError(
            f"df must be at least 1, and with more data grow by at least 1; got {df} for the {t.size} looks.", about="df"
        )


def _check_fractions(t: FloatArray) -> None:
    refuse_unless(np.all((t > 0) & np.isfinite(t)), "fractions", "be finite numbers above 0", plain(t))


@lru_cache(maxsize=256)
def _calibrated(fractions: tuple[float, ...], df: tuple[float, ...], spent: tuple[float, ...]) -> GroupSequentialDesign:
    """Bounds that spend what is to be spent, look by look."""
    critical: list[float] = []
    survival: _Survival | None = None
    for k, (t, freedom) in enumerate(zip(fractions, df, strict=True)):
        if k and (survival is not None or np.isfinite(critical[-1])):
            survival = _survival_after(survival, critical[-1], df[k - 1], freedom, fractions[k - 1] / t)
        critical.append(_bound(spent[k] - (spent[k - 1] if k else 0.0), freedom, survival))
    c, nu = np.array(critical), np.array(df)
    arrays = np.array(fractions), nu, np.array(spent), c, np.asarray(2 * student_tail(c, nu))
    for each in arrays:
        each.flags.writeable = False  # all callers share them
    return GroupSequentialDesign(*arrays)


@dataclass(frozen=True, slots=True)
class _Survival:
    """Probability of having stayed within all bounds before, given the statistic of a look; an even function.

    Attributes
    ----------
    df : float
    step : float
        Between values, on the scale of `_stretched`.
    values : ndarray
        From -4 steps on; beyond the last place the last one goes on.
    width : float
        On that scale, over which it changes.
    edge : float
        Statistic about which it falls.
    """

    df: float
    step: float
    values: FloatArray
    width: float
    edge: float

    def at(self, statistic: FloatArray) -> FloatArray:
        return _interpolated(self.values, _stretched(np.abs(statistic), self.df) / self.step + 4)


def _interpolated(values: FloatArray, position: FloatArray) -> FloatArray:
    """Values between equal steps by polynomials of degree 7; beyond the last, the last."""
    position = np.minimum(position, values.size - 1.0)
    start = np.clip(position.astype(np.intp) - 3, 0, values.size - 8)
    return np.asarray(sum(weight * values[start + j] for j, weight in enumerate(_lagrange_weights(position - start))))


def _lagrange_weights(x: FloatArray) -> list[FloatArray]:
    """Values at x of the eight polynomials that are 1 at one of 0, ..., 7 and 0 at the others."""
    apart = x - np.arange(8.0).reshape(8, *[1] * x.ndim)
    at_own_place = (-5040, 720, -240, 144, -144, 240, -720, 5040)  # j is j! (7 - j)! (-1)^(7 - j) away from the others
    return [np.asarray(np.prod(np.delete(apart, j, axis=0), axis=0) / own) for j, own in enumerate(at_own_place)]


def _stretched(statistic: FloatArray, df: float) -> FloatArray:
    """The statistic on a scale on which the tails of Student's t fall exponentially; itself where it is normal."""
    return statistic if df == np.inf else np.asarray(np.sqrt(df) * np.arcsinh(statistic / np.sqrt(df)))


def _unstretched(z: FloatArray, df: float) -> FloatArray:
    return z if df == np.inf else np.asarray(np.sqrt(df) * np.sinh(z / np.sqrt(df)))


def _survival_after(before: _Survival | None, bound: float, df_m: float, df_n: float, ratio: float) -> _Survival:
    """Probability of having stayed within the bounds up to a look m, given the statistic of the look n after it."""
    bound = min(bound, float(student_multiplier(2 * NEGLIGIBLE, df_m)))
    width = np.sqrt((1 - ratio) / ratio)
    # beyond `most` the statistic before was beyond its bound for sure, or nearly so
    most = (bound + REACH * np.sqrt(1 - ratio)) / np.sqrt(ratio) * (1 + 8 / np.sqrt(df_m))
    if df_n < np.inf:
        most = min(most, float(np.sqrt(df_n / ratio * (1 - ratio + bound**2 / df_m))))
    most = min(most, float(student_multiplier(2 * NEGLIGIBLE, df_n)))
    step = min(0.25, width / 5)
    statistic = _unstretched(step * np.arange(int(_stretched(np.array(most), df_n) / step) + 2), df_n)
    if df_n < np.inf:
        values = _kept_student(statistic, before, bound, df_m, df_n, ratio)
    else:
        values = _kept_normal(statistic, before, bound, ratio)
    values = np.clip(np.concatenate([values[4:0:-1], values]), 0.0, 1.0)
    return _Survival(df_n, step, values, float(width), bound / np.sqrt(ratio))


def _breaks(before: _Survival | None, bound: float, kernel: float, scale: tuple[float, float] = (1.0, 1.0)) -> list[float]:
    """Ends of nested intervals, from `bound` on inwards, in which the function to be integrated changes on one scale only.

    It falls where the survival before does, and at the bound; both are multiplied by a random number that lies in `scale`.
    """
    ends = [bound * each for each in scale] if scale[1] - scale[0] < 1 else []
    if before is not None and before.width < kernel:
        ends += [scale[1] * before.edge + 8 * before.width, scale[0] * before.edge - 8 * before.width]
    return [bound, *sorted({each for each in ends if 0 < each < bound * (1 - 1e-9)}, reverse=True)]


def _panels(ends: list[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights, of shape (n_rows, n_nodes), for nested intervals from the widest to the narrowest."""
    nodes, weights = legendre(POINTS if len(ends) == 1 else POINTS * 3 // 4)
    edges = [low for low, _ in ends] + [high for _, high in reversed(ends)]
    pieces = [((b - a)[:, None] / 2, (a + b)[:, None] / 2) for a, b in pairwise(edges)]
    return np.hstack([mid + half * nodes for half, mid in pieces]), np.hstack([half * weights for half, _ in pieces])


def _kept_normal(statistic: FloatArray, before: _Survival | None, bound: float, ratio: float) -> FloatArray:
    """Probability that Z_m stays within its bound, given Z_n: it is normal with mean ``sqrt(r) Z_n`` and variance ``1 - r``."""
    spread, mean = np.sqrt(1 - ratio), np.sqrt(ratio) * statistic
    if before is None:
        return np.asarray(student_tail((-bound - mean) / spread, np.inf) - student_tail((bound - mean) / spread, np.inf))
    ends = [
        (np.clip((-each - mean) / spread, -REACH, REACH), np.clip((each - mean) / spread, -REACH, REACH))
        for each in _breaks(before, bound, float(spread))
    ]
    x, weights = _panels(ends)
    density = weights * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray((density * before.at(mean[:, None] + spread * x)).sum(axis=1))


def _kept_student(
    statistic: FloatArray, before: _Survival | None, bound: float, df_m: float, df_n: float, ratio: float
) -> FloatArray:
    """Probability that T_m stays within its bound, given T_n: see the notes of `group_sequential_design`."""
    from scipy.special import betaln  # slow to import, and every comparison imports this module

    a, b = statistic * np.sqrt(ratio / df_n), np.sqrt(1 - ratio)
    reach, beta = min(np.pi / 2, REACH / np.sqrt(df_n)), (df_n - 1 - df_m) / 2
    lowest, _, highest, _ = _angles(df_m, beta)
    ends = []
    for each in _breaks(before, bound, float(b), (float(np.sin(lowest)), float(np.sin(highest)))):
        # |a + b u| < c sqrt(1 - u^2) is an interval of u = sin(p)
        square = each**2 / df_m
        middle = -a * b / (b**2 + square)
        half = np.sqrt(np.maximum(square * (b**2 + square - a**2), 0.0)) / (b**2 + square)
        ends.append(tuple(np.clip(np.arcsin(np.clip(middle + sign * half, -1, 1)), -reach, reach) for sign in (-1, 1)))
    p, weights = _panels(ends)
    with np.errstate(divide="ignore"):  # a zero weight at the very ends
        density = weights * np.exp((df_n - 2) * np.log(np.cos(p)) - betaln(0.5, (df_n - 1) / 2))
    g = np.sqrt(df_m) * (a[:, None] + b * np.sin(p)) / np.cos(p)
    return np.asarray((density * _over_scales(np.abs(g), before, bound, df_m, beta)).sum(axis=1))


def _angles(df: float, beta: float) -> tuple[float, float, float, float]:
    """Lowest, middle and highest angle whose sine is sqrt(v), and its spread, for v of the beta distribution (df / 2, beta).

    The angle is nearly normal.
    """
    if beta < LEAST_BETA:  # one more unit: v is 1
        return np.pi / 2, np.pi / 2, np.pi / 2, 0.0
    middle, spread = float(np.arctan2(np.sqrt(df / 2), np.sqrt(beta))), float(0.5 / np.sqrt(df / 2 + beta + 1))
    return max(0.0, middle - REACH * spread), middle, min(np.pi / 2, middle + REACH * spread), spread


def _over_scales(g: FloatArray, before: _Survival | None, bound: float, df: float, beta: float) -> FloatArray:
    """Mean over v of the survival at ``g / sqrt(v)``, 0 beyond the bound, for v of the beta distribution (df / 2, beta)."""
    from scipy.special import betainc, betaln

    g = np.minimum(g, bound)
    if beta < LEAST_BETA:  # one more unit: v is 1
        return np.ones_like(g) if before is None else before.at(g)
    if before is None:
        # the probability that v exceeds (g / bound)^2
        return np.asarray(betainc(beta, df / 2, 1 - np.square(g / bound)))
    # on a grid first, equal steps of s with g = bound sin(s) on the stretched scale, where it is smooth up to its end
    top = float(_stretched(np.array(bound), df))
    lowest, middle, highest, spread = _angles(df, beta)
    step = min(0.25, before.width / 5, bound * spread / np.tan(middle) / 3)
    n = int(np.clip(np.ceil(top * np.pi / 2 / step), 24, MOST_POINTS))
    grid = np.minimum(_unstretched(top * np.sin(np.linspace(0, np.pi / 2, n + 1)), df), bound)
    low = np.maximum(np.arcsin(grid / bound), lowest)
    half, mid = (highest - low).clip(0)[:, None] / 2, (highest + low)[:, None] / 2
    nodes, weights = legendre(SCALE_POINTS)
    phi = mid + half * nodes  # v = sin(phi)^2
    with np.errstate(divide="ignore"):
        log_density = (df - 1) * np.log(np.sin(phi)) + (2 * beta - 1) * np.log(np.cos(phi)) - betaln(df / 2, beta)
    values = (2 * half * weights * np.exp(log_density) * before.at(grid[:, None] / np.sin(phi))).sum(axis=1)
    s = np.arcsin(np.clip(_stretched(g, df) / top, 0.0, 1.0))
    return _interpolated(np.concatenate([values[4:0:-1], values]), s / (np.pi / 2) * n + 4)


def _bound(to_spend: float, df: float, survival: _Survival | None) -> float:
    """Bound beyond which, on both sides, lies what is to be spent."""
    from numpy.polynomial.legendre import legint, legval, legvander

    if to_spend <= 0:
        return float("inf")
    if survival is None:
        return float(student_multiplier(to_spend, df))
    one_side, last, end = to_spend / 2, float(survival.values[-1]), (survival.values.size - 5) * survival.step
    edges = np.linspace(0.0, end, max(2, int(np.ceil(end / min(4 * survival.step, PANEL))) + 1))
    half, (nodes, weights) = (edges[1] - edges[0]) / 2, legendre(8)
    z = (edges[:-1] + half)[:, None] + half * nodes
    # density on the stretched scale of the statistic, together with having stayed within the bounds before
    density = np.exp(student_log_density(_unstretched(z, df), df)) * np.cosh(z / np.sqrt(df))
    density = np.asarray(density * _interpolated(survival.values, z / survival.step + 4))
    within = np.append(np.cumsum((half * (density @ weights))[::-1])[::-1], 0.0)
    beyond = within + last * float(student_tail(_unstretched(np.asarray(end), df), df))
    if beyond[-1] >= one_side:
        return float(student_multiplier(2 * one_side / last, df))
    if beyond[0] < one_side:
        return 0.0
    # the panel that has it; there the density is the polynomial through its nodes
    k = int(np.searchsorted(-beyond, -one_side)) - 1
    integral = legint((np.arange(8) + 0.5) * (weights * density[k] @ legvander(nodes, 7)))
    rest = legval(1.0, integral) - (one_side - beyond[k + 1]) / half  # of the integral, up to the bound
    place = float(bisected(lambda x: legval(x, integral) < rest, np.array(-1.0), np.array(1.0)))
    return float(_unstretched(edges[k] + half * (1 + place), df))
