"""Intervals before they are measured: with which probability they will lie above a limit, or within a rope.

Each kind of data has the law of its own procedure's interval: Student's and its relatives, Tango's and Newcombe's of counts,
Wilcoxon's by draws. From these follow powers, and from powers sample sizes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tiebreak.frequentist.group_sequential import GroupSequentialDesign
from tiebreak.numerics import FloatArray, divide, student_multiplier, student_quantile
from tiebreak.numerics.quadrature import log_gamma_nodes
from tiebreak.statistics.ranks import MOST_EXACT, wilcoxon
from tiebreak.statistics.rates import newcombe, restricted_variance, tango_statistic
from tiebreak.statistics.skew import johnson_inverse

MANY_DF = 1e6
"""Degrees of freedom from which an estimated variance is taken as known."""

MOST_CELLS = 20_000
"""Pairs of counts up to which each is looked at; of more the normal distribution is near enough."""

REACH = 7.0
"""Standard deviations on either side that counts are summed over."""

DEPTH = 16.0
"""Logarithm of the share of its peak below which a density of variances is left out."""


class IntervalLaw(ABC):
    """Distribution of the interval of one difference that is yet to be measured."""

    @abstractmethod
    def above(self, limit: float) -> float:
        """Probability that the whole interval lies above a limit."""

    @abstractmethod
    def within(self, rope: float) -> float:
        """Probability that it lies between -rope and rope."""

    def all_above(self, limit: float, n_rivals: int) -> float:
        """Probability that the intervals of one model against each of several like this all lie above a limit."""
        return jointly(self.above(limit), n_rivals)


def jointly(probability: float, n_rivals: int) -> float:
    """Probability of several events about differences of one model from others that all vary alike.

    Such differences share one of their two models, so they correlate by a half: given that model's part they are independent.
    """
    from scipy.special import ndtr, ndtri

    if n_rivals == 1 or not 0 < probability < 1:
        return probability
    shared = np.linspace(-8.0, 8.0, 161)
    density = np.exp(-(shared**2) / 2) / np.sqrt(2 * np.pi) * (shared[1] - shared[0])
    return float(density @ ndtr(np.sqrt(2.0) * ndtri(probability) + shared) ** n_rivals)


@dataclass(frozen=True, slots=True)
class MeanLaw(IntervalLaw):
    """Law of ``estimate - half`` to ``estimate + half``: a normal estimate, and half-widths that are random by themselves.

    Attributes
    ----------
    difference, standard_error : float
        Of the estimate, as they truly are.
    half, weight : ndarray of shape (n_nodes,)
        Half-widths that the data may give, and their probabilities.
    upper_half : ndarray of shape (n_nodes,), optional
        Those on the upper side, where they are others.
    """

    difference: float
    standard_error: float
    half: FloatArray
    weight: FloatArray
    upper_half: FloatArray | None = None

    def above(self, limit: float) -> float:
        """Mean over the half-widths of a normal tail."""
        from scipy.special import ndtr

        return float(ndtr((self.difference - limit - self.half) / self.standard_error) @ self.weight)

    def within(self, rope: float) -> float:
        """Mean over the half-widths of the normal mass that leaves room on both sides: exact for Student's (Owen 1965)."""
        from scipy.special import ndtr

        upper_half = self.half if self.upper_half is None else self.upper_half
        high = ndtr((rope - upper_half - self.difference) / self.standard_error)
        low = ndtr((self.half - rope - self.difference) / self.standard_error)
        return float(np.maximum(high - low, 0.0) @ self.weight)


def student_law(difference: float, standard_error: float, df: float, alpha: float) -> MeanLaw:
    """Law of Student's interval: its half-width is a multiple of an estimated standard error.

    Parameters
    ----------
    difference, standard_error : float
    df : float
        Degrees of freedom, which need not be whole; infinite where the standard error is known.
    alpha : float
        1 - coverage of the two-sided interval.
    """
    if df >= MANY_DF:
        known = standard_error * float(student_multiplier(alpha, np.inf))
        return MeanLaw(difference, standard_error, np.array([known]), np.ones(1))
    log_ratio, weight = log_gamma_nodes(df / 2, df / 2)
    half = float(student_multiplier(alpha, df)) * standard_error * np.exp(log_ratio / 2)
    return MeanLaw(difference, standard_error, half, weight)


def mean_law(difference: float, standard_error: float, n: int, alpha: float) -> MeanLaw:
    """Law of the interval of a mean of n normal differences, or clusters: each end Student's, or Johnson's if farther.

    Johnson's depends on the skewness of the sample, which is nearly normal around 0, with the variance of G1 as Fisher gave it
    [F30]_, and independent of mean and variance. Of fewer than 15 values it has longer tails, so that power within a rope comes
    out up to 0.06 too high.

    References
    ----------
    .. [F30] R. A. Fisher. The moments of the distribution for normal samples of measures of departure from normality. Proceedings
       of the Royal Society A 130, 1930.
    """
    own = student_law(difference, standard_error, n - 1.0, alpha)
    if n < 3:
        return own
    t = float(student_multiplier(alpha, n - 1.0))
    points, weight = np.polynomial.hermite_e.hermegauss(31)
    skewness = points * np.sqrt(6 * (n - 1) / ((n - 2) * (n + 1.0) * (n + 3)))  # G1 over the root of n
    wider = [np.maximum(-johnson_inverse(-t, sign * skewness) / t, 1.0) for sign in (1, -1)]
    low, high = ((own.half[:, None] * times).ravel() for times in wider)
    return MeanLaw(difference, standard_error, low, np.outer(own.weight, weight / weight.sum()).ravel(), high)


def welch_law(difference: float, sd: tuple[float, float], n: int, alpha: float) -> MeanLaw:
    """Law of Welch's interval of two means of n values each, whose estimated variances set its degrees of freedom [W47]_.

    References
    ----------
    .. [W47] B. L. Welch. The generalization of Student's problem when several population variances are involved. Biometrika 34,
       1947.
    """
    (ratio, weight), df = _variance_ratios(n - 1.0), n - 1.0
    v, w = sd[0] ** 2 / n * ratio[:, None], sd[1] ** 2 / n * ratio
    freedom = (v + w) ** 2 / (v**2 + w**2) * df
    half = _multiplier(alpha, freedom) * np.sqrt(v + w)
    return MeanLaw(difference, float(np.hypot(*sd) / np.sqrt(n)), half.ravel(), np.outer(weight, weight).ravel())


class CrossedParts(NamedTuple):
    """Parts of the squared standard error of a mean over items (or clusters) and runs, as they truly are."""

    from_items: float
    from_runs: float
    from_both: float


def crossed_law(difference: float, parts: CrossedParts, n: int, n_runs: int, alpha: float) -> MeanLaw:
    """Law of the interval of `crossed_mean`, for n items or clusters of one size and further runs, by its three mean squares.

    These are independent multiples of chi-squared variables where all parts are normal; the interval is the wider one of
    Satterthwaite's and that over the means of the runs.
    """
    df = n - 1.0, n_runs - 1.0, (n - 1.0) * (n_runs - 1.0)
    truth = parts.from_items + parts.from_both, parts.from_runs + parts.from_both, parts.from_both
    nodes = [_variance_ratios(each) for each in df]
    weight = np.einsum("i,j,k->ijk", *(each for _, each in nodes)).ravel()
    shapes = ((-1, 1, 1), (1, -1, 1), (1, 1, -1))
    items, runs, rest = (size * ratio.reshape(shape) for size, (ratio, _), shape in zip(truth, nodes, shapes, strict=True))
    counts = runs > rest
    variance = np.where(counts, items + runs - rest, items)
    freedom = divide(variance**2, items**2 / df[0] + runs**2 / df[1] + rest**2 / df[2])
    freedom = np.where(counts, np.maximum(freedom, min(df[0], df[1])), df[0])
    own = _multiplier(alpha, freedom) * np.sqrt(variance)
    half = np.maximum(own, float(student_multiplier(alpha, df[1])) * np.sqrt(runs)).ravel()
    return MeanLaw(difference, float(np.sqrt(sum(parts))), half, weight)


def _variance_ratios(df: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of an estimated variance over the true one."""
    if df >= MANY_DF:
        return np.ones(1), np.ones(1)
    log_ratio, weight = log_gamma_nodes(df / 2, df / 2, depth=DEPTH)
    return np.exp(log_ratio), weight


def _multiplier(alpha: float, df: FloatArray) -> FloatArray:
    """Multiplier of a two-sided interval for many degrees of freedom, interpolated in their inverse."""
    inverse = 1.0 / df
    at = np.linspace(float(inverse.min()), float(inverse.max()), 400) if df.size > 400 else np.unique(inverse)
    return np.asarray(np.interp(inverse, at, -student_quantile(alpha / 2, 1.0 / at)))


@dataclass(frozen=True, slots=True)
class ListedLaw(IntervalLaw):
    """Law of an interval by a list of what may come: limits for each pair of counts, or for each of many drawn samples.

    Attributes
    ----------
    low, high, weight : ndarray of shape (n_cells,)
        Limits, and their probability.
    """

    low: FloatArray
    high: FloatArray
    weight: FloatArray

    def above(self, limit: float) -> float:
        """Sum over the list."""
        return float(self.weight[self.low > limit].sum())

    def within(self, rope: float) -> float:
        """Sum over the list."""
        return float(self.weight[(self.low >= -rope) & (self.high <= rope)].sum())


def independent_rates_law(rates: tuple[float, float], n: int, alpha: float) -> IntervalLaw:
    """Law of Newcombe's interval of two rates, each on n examples of its own.

    Exact, as a sum over both counts; for thousands of examples by the normal distribution of the difference.
    """
    p, q = rates
    spread = np.sqrt(n * np.array([p * (1 - p), q * (1 - q)]))
    if np.prod(2 * REACH * spread + 1) > 5 * MOST_CELLS:
        return student_law(p - q, float(np.sqrt(spread @ spread)) / n, np.inf, alpha)
    (x, px), (y, py) = (_binomial(n, rate) for rate in rates)
    low, high = (np.ravel(end) for end in newcombe(x[:, None], n, y, n).interval_at(alpha))
    return ListedLaw(low, high, np.outer(px, py).ravel())


def _binomial(n: int, rate: float) -> tuple[FloatArray, FloatArray]:
    """Counts that are not too improbable, and their probabilities."""
    from scipy.special import gammaln, xlog1py, xlogy

    spread = REACH * np.sqrt(n * rate * (1 - rate)) + 3
    k = np.arange(max(0, int(n * rate - spread)), min(n, int(n * rate + spread)) + 1.0)
    log_p = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, rate) + xlog1py(n - k, -rate)
    return k, np.exp(log_p)


@dataclass(frozen=True, slots=True)
class TangoLaw(IntervalLaw):
    """Law of Tango's interval of two rates on the same n items; exact where the counts are few enough to be listed.

    Attributes
    ----------
    difference, discordant : float
        Of the rates, and the share of items on which exactly one model is right.
    n : int
    alpha : float
    """

    difference: float
    discordant: float
    n: int
    alpha: float

    def above(self, limit: float) -> float:
        """Probability that the score statistic at the limit exceeds its multiplier: the limit is then below the interval."""
        return self._beyond(limit, 1.0)

    def within(self, rope: float) -> float:
        """Probability of an interval within the rope; both ends miss where even the middle of the rope is too near to either."""
        if self._is_listed:
            low, high = (self._statistic(limit) for limit in (-rope, rope))
            z = float(student_multiplier(self.alpha, np.inf))
            return float(self._cells()[2][(low >= z) & (high <= -z)].sum())
        return max(0.0, self._beyond(-rope, 1.0) + self._beyond(rope, -1.0) - 1.0)

    @property
    def _is_listed(self) -> bool:
        first, second = (self.discordant + self.difference) / 2, (self.discordant - self.difference) / 2
        is_possible = min(first, second) >= 0
        return is_possible and bool((2 * REACH) ** 2 * self.n * np.sqrt(first * second) + 100 < MOST_CELLS)

    def _cells(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Items that only the first and only the second model has right, and the probability of these counts."""
        first, second = (self.discordant + self.difference) / 2, (self.discordant - self.difference) / 2
        b, pb = _binomial(self.n, first)
        c, _ = _binomial(self.n, second)
        from scipy.special import gammaln, xlog1py, xlogy

        left = self.n - b[:, None]  # given b, c is binomial among the others
        rate = min(second / (1 - first), 1.0) if first < 1 else 0.0
        rest = left - c
        with np.errstate(invalid="ignore"):
            log_p = gammaln(left + 1) - gammaln(c + 1) - gammaln(np.maximum(rest, 0) + 1) + xlogy(c, rate)
            log_p = log_p + np.where(rest >= 0, xlog1py(np.maximum(rest, 0), -rate), -np.inf)
        weight = pb[:, None] * np.exp(log_p)
        return np.repeat(b, c.size), np.tile(c, b.size), weight.ravel()

    def _statistic(self, limit: float) -> FloatArray:
        b, c, weight = self._cells()
        return np.asarray(np.where(weight > 0, tango_statistic(b, c, np.maximum(self.n, b + c), limit), 0.0))

    def _beyond(self, limit: float, sign: float) -> float:
        """Probability that the statistic at the limit exceeds the multiplier, or with sign -1 its negative."""
        from scipy.special import ndtr

        z = float(student_multiplier(self.alpha, np.inf))
        if self._is_listed:
            statistic = self._statistic(limit)
            return float(self._cells()[2][sign * statistic > z].sum())
        first, second = (self.discordant + self.difference) / 2, (self.discordant - self.difference) / 2
        # as Connor (1987) for a limit of 0, and of Nam's (1997) for others: the test's variance is that under the limit
        null = restricted_variance(*(np.asarray(each) for each in (first, second, 1.0, limit)))
        real = self.discordant - self.difference**2
        distance = sign * (self.difference - limit) * np.sqrt(self.n)
        return float(ndtr((distance - z * np.sqrt(null)) / np.sqrt(real)))


def rank_law(difference: float, sd: float, n: int, alpha: float) -> ListedLaw:
    """Law of Wilcoxon's interval of the centre of n normal differences, by 20,000 drawn samples, whose seed is fixed.

    Its ends move with the differences, so they are drawn once for each n, around 0. Beyond 50 differences they lie as those of 50
    do, nearer by the root of the number.

    Parameters
    ----------
    difference, sd : float
        Mean and standard deviation of the differences.
    n : int
    alpha : float
        1 - coverage of the two-sided interval.
    """
    low, high = _rank_ends(min(n, MOST_EXACT), alpha)
    scale = sd * np.sqrt(min(n, MOST_EXACT) / n)
    return ListedLaw(difference + scale * low, difference + scale * high, np.full(low.size, 1.0 / low.size))


RANK_DRAWS = 10_000
"""Drawn samples, of which each is seen from both sides."""


@lru_cache(maxsize=64)
def _rank_ends(n: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of standard normal samples."""
    z = np.random.default_rng(n).normal(size=(RANK_DRAWS, n))
    low, high = (np.asarray(end) for end in wilcoxon(z).interval_at(alpha))
    ends = np.concatenate([low, -high]), np.concatenate([high, -low])
    for each in ends:
        each.flags.writeable = False  # all callers share them
    return ends


# --- areas under ROC curves --------------------------------------------------------------------------------------------------


class AreaParts(NamedTuple):
    """Variances, per example of the class, of the two parts of a difference of areas under ROC curves."""

    positive: float
    negative: float


def area_parts(areas: tuple[float, float], correlation: float) -> AreaParts:
    """Parts of the variance that DeLong's estimate is of, for normal scores of one variance in both classes.

    An area is P(X > Y); its variance is that of P(X > Y) given X over the positive examples plus that given Y over the negative
    ones, as [DDC88]_ estimate them; for binormal scores both are bivariate normal probabilities less the product of their
    margins.

    Parameters
    ----------
    areas : (float, float)
        Of both models, between 0 and 1.
    correlation : float
        Of both models' scores over the examples of one class.

    References
    ----------
    .. [DDC88] E. DeLong, D. DeLong, D. Clarke-Pearson. Comparing the areas under two or more correlated receiver operating
       characteristic curves: a nonparametric approach. Biometrics 44, 1988.
    """
    from scipy.special import ndtri

    a, b = (float(ndtri(area)) for area in areas)
    both = bivariate_excess(a, a, 0.5) + bivariate_excess(b, b, 0.5) - 2 * bivariate_excess(a, b, correlation / 2)
    return AreaParts(both, both)


def bivariate_excess(h: float, k: float, correlation: float) -> float:
    """P(X < h, Y < k) of two standard normal variables less the product of their probabilities (Plackett 1954)."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    r = correlation * (nodes + 1) / 2
    density = np.exp(-(h * h - 2 * r * h * k + k * k) / (2 * (1 - r * r))) / (2 * np.pi * np.sqrt(1 - r * r))
    return float(correlation / 2 * (density @ weights))


# --- looks --------------------------------------------------------------------------------------------------------------------


def equivalence_by_look(design: GroupSequentialDesign, difference: float, rope: float, standard_error: float) -> FloatArray:
    """Probability of being shown equivalent for the first time, at each look; for a normal estimate with independent increments.

    Parameters
    ----------
    design : GroupSequentialDesign
    difference, rope : float
        True difference, and half-width of practical equivalence.
    standard_error : float
        Of the estimate at the end of the plan.

    Notes
    -----
    At information t the sum ``S = t * estimate / standard_error`` has mean ``t d`` and variance t, and the interval lies within
    the rope where ``|S| <= t rope / standard_error - c sqrt(t)``. The density of those that are not through goes from look to
    look by an integral over what is left [AMR69]_.

    References
    ----------
    .. [AMR69] P. Armitage, C. K. McPherson, B. C. Rowe. Repeated significance tests on accumulating data. JRSS A 132, 1969.
    """
    from scipy.special import ndtr

    drift, wide = difference / standard_error, rope / standard_error
    t = np.minimum(design.fractions, 1.0)
    room = t * wide - design.critical * np.sqrt(t)
    found = np.zeros(t.size)
    points, density = np.zeros(1), np.ones(1)  # masses of the sum at the look before, of those that are not through
    before = 0.0
    nodes, weights = np.polynomial.legendre.leggauss(160)
    for k in range(t.size):
        step = np.sqrt(t[k] - before)
        centre = points + drift * (t[k] - before)
        if room[k] > 0:
            found[k] = float(density @ (ndtr((room[k] - centre) / step) - ndtr((-room[k] - centre) / step)))
        far = max(abs(drift) * t[k] + 9.0 * np.sqrt(t[k]), room[k] + 1.0)
        inner = max(room[k], 0.0)
        half = (far - inner) / 2
        positive = inner + half * (nodes + 1)
        new, mass = np.concatenate([-positive[::-1], positive]), half * np.concatenate([weights[::-1], weights])
        kernel = np.exp(-np.square((new[:, None] - centre) / step) / 2) / (step * np.sqrt(2 * np.pi))
        points, density, before = new, mass * (kernel @ density), t[k]
    return found
