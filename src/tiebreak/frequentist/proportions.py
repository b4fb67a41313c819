"""Error rates and other proportions: the interval of one, and two models on independent test sets.

A rate is what a model scores on one test set: so many right, or wrong, of n examples. Nothing here knows of folds; for scores of
cross-validation, whose training sets overlap, see `corrected_t`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import SMALLEST_PVALUE, FloatArray, Interval, check_probability, divide, floats, floats_together, plain

ProportionMethod = Literal[
    "wilson",
    "wilson-cc",
    "clopper-pearson",
    "mid-p",
    "agresti-coull",
    "jeffreys",
    "jeffreys-modified",
    "likelihood-ratio",
    "wald",
    "wald-cc",
    "plus-four",
]
DifferenceMethod = Literal["newcombe", "agresti-caffo", "wald"]

INDEPENDENCE = (
    "The two test sets share no example, and within each the examples were drawn independently of one another. If both models "
    "were scored on the same examples, this interval is too wide or too narrow by as much as their errors go together: use the "
    "paired differences. If examples come in groups (of a patient, a document, a user), n counts more than there is to count."
)
"""What an interval for two independent test sets takes for granted, and why it matters."""


_LARGEST = 38.0
"""Normal multiplier whose tail is near the smallest float."""


class ZTest(NamedTuple):
    """A z-test: arrays of the rates' shape, or floats.

    Attributes
    ----------
    statistic : ndarray or float
        Difference over its standard error; nan where the error is 0.
    pvalue : ndarray or float
        Two-sided. Where the error is 0: 1 if the rates are the same, else nan.
    standard_error : ndarray or float
    """

    statistic: FloatArray
    pvalue: FloatArray
    standard_error: FloatArray


@dataclass(frozen=True, slots=True)
class IndependentProportionsResult:
    """Two rates, each of a test set of its own.

    Attributes
    ----------
    first, second : ndarray or float
        The rates, between 0 and 1.
    n_first, n_second : ndarray or float
        Number of examples behind each.
    higher_is_better : bool
        False for error rates.
    difference : ndarray or float
        Positive favours the first: first minus second, or for error rates second minus first.
    assumption : str
        What the tests and intervals take for granted, and why it matters.
    """

    first: FloatArray
    second: FloatArray
    n_first: FloatArray
    n_second: FloatArray
    higher_is_better: bool
    difference: FloatArray
    assumption: str = INDEPENDENCE

    def ztest(self, *, pooled: bool = True) -> ZTest:
        """Test of whether the rates differ.

        Parameters
        ----------
        pooled : bool, default True
            Whether the standard error is that of equal rates, as the hypothesis has it (the score test), or that of two
            different ones, which goes with the "wald" interval. The latter is 0 where each rate is 0 or 1, and the test is
            undefined there: all of 10 against none of 20 is evidence, but that error cannot weigh it.
        """
        if pooled:
            total = self.n_first + self.n_second
            rate = (self.first * self.n_first + self.second * self.n_second) / total
            variance = rate * (1 - rate) * (1 / self.n_first + 1 / self.n_second)
        else:
            variance = self._variance()
        error = np.sqrt(variance)
        statistic = np.where(error > 0, divide(self.difference, error), np.nan)
        from scipy.special import ndtr

        pvalue = np.where(np.asarray(self.difference) == 0, 1.0, np.maximum(2 * ndtr(-np.abs(statistic)), SMALLEST_PVALUE))
        return ZTest(plain(statistic), plain(pvalue), plain(error))

    def confidence_interval(self, level: float = 0.95, method: DifferenceMethod = "newcombe") -> Interval:
        """Interval of the difference.

        Parameters
        ----------
        level : float, default 0.95
            Coverage, between 0 and 1.
        method : {"newcombe", "agresti-caffo", "wald"}
            "newcombe" joins the Wilson limits of both rates [N98]_, method 10; "agresti-caffo" adds a success and a failure to
            each [AC00]_; "wald" is the normal interval of textbooks, ``d +- z sqrt(p1 q1 / n1 + p2 q2 / n2)``, which is too
            short for small n and rates near 0 or 1, and has no width where both are 0 or 1. Limits are not cut off at -1 and 1.

        References
        ----------
        .. [N98] R. G. Newcombe. Interval estimation for the difference between independent proportions: comparison of eleven
           methods. Statistics in Medicine 17, 1998.
        .. [AC00] A. Agresti, B. Caffo. Simple and effective confidence intervals for proportions and differences of proportions
           result from adding two successes and two failures. The American Statistician 54, 2000.
        """
        _check_method(method, DifferenceMethod)
        low, high = self._ends(np.asarray(_multiplier(level)), method)
        return Interval(plain(low), plain(high))

    def limit(self, p: ArrayLike, *, upper: bool = False, method: DifferenceMethod = "newcombe") -> FloatArray:
        """Point at which a tail is `p`: the lower one, or with `upper` the upper one; of p = 0.025 an end of the 95% interval."""
        from scipy.special import ndtri

        _check_method(method, DifferenceMethod)
        z = np.clip(ndtri(np.asarray(p, dtype=float)), -_LARGEST, _LARGEST) * (-1.0 if upper else 1.0)
        low, high = self._ends(np.abs(z), method)
        return plain(np.where(z < 0, low, high))

    def tail_below(self, at: ArrayLike, *, method: DifferenceMethod = "newcombe") -> FloatArray:
        """One-sided p-value of "the difference is at most `at`", read from the intervals of the method."""
        from scipy.special import ndtr

        return plain(ndtr(self._place(at, method)))

    def tail_above(self, at: ArrayLike, *, method: DifferenceMethod = "newcombe") -> FloatArray:
        """One-sided p-value of "the difference is at least `at`"."""
        from scipy.special import ndtr

        return plain(ndtr(-self._place(at, method)))

    def _place(self, at: ArrayLike, method: DifferenceMethod) -> FloatArray:
        """Multiplier at which `at` is an end of the interval, negative for the lower one, by bisection."""
        _check_method(method, DifferenceMethod)
        middle = np.asarray(self._ends(np.full(np.shape(self.difference), 1e-12), method)[0])
        at, is_above = np.broadcast_arrays(np.asarray(at, dtype=float), np.asarray(at) > middle)
        small, large = np.zeros(at.shape), np.full(at.shape, _LARGEST)
        for _ in range(60):
            z = (small + large) / 2
            low, high = self._ends(z, method)
            inside = np.where(is_above, high < at, low > at)
            small, large = np.where(inside, z, small), np.where(inside, large, z)
        z = np.where(at == middle, 0.0, (small + large) / 2)
        return np.asarray(np.where(is_above, z, -z))

    def _ends(self, z: FloatArray, method: DifferenceMethod) -> tuple[FloatArray, FloatArray]:
        """Ends at a normal multiplier."""
        if method == "newcombe":
            one, other = (self.first, self.n_first), (self.second, self.n_second)
            if not self.higher_is_better:
                one, other = other, one
            (p, n), (q, m) = one, other
            p_low, p_high = _wilson(p * n, n, z)
            q_low, q_high = _wilson(q * m, m, z)
            below, above = np.hypot(p - p_low, q_high - q), np.hypot(p_high - p, q - q_low)
            return np.asarray(self.difference - below), np.asarray(self.difference + above)
        middle, variance = self.difference, self._variance()
        if method == "agresti-caffo":
            n, m = self.n_first + 2, self.n_second + 2
            p, q = (self.first * self.n_first + 1) / n, (self.second * self.n_second + 1) / m
            middle = p - q if self.higher_is_better else q - p
            variance = p * (1 - p) / n + q * (1 - q) / m
        half = z * np.sqrt(variance)
        return np.asarray(middle - half), np.asarray(middle + half)

    def _variance(self) -> FloatArray:
        return np.asarray(
            self.first * (1 - self.first) / self.n_first + self.second * (1 - self.second) / self.n_second, dtype=float
        )


def independent_proportions(
    first: ArrayLike,
    n_first: ArrayLike,
    second: ArrayLike,
    n_second: ArrayLike,
    *,
    given: Literal["counts", "rates"] = "counts",
    higher_is_better: bool = True,
) -> IndependentProportionsResult:
    """Two models, each scored on a test set of its own.

    Parameters
    ----------
    first, second : array_like
        How many of the examples each model got right (or wrong), or the rates. A count need not be whole: 4.5 of 30 is a rate
        that was rounded, or a mean over runs. Several are compared at once, each with its own n.
    n_first, n_second : array_like
        Number of examples of each test set, broadcast against `first` and `second`.
    given : {"counts", "rates"}
        What `first` and `second` are.
    higher_is_better : bool, default True
        False for error rates, so that a positive difference favours the first all the same.

    Returns
    -------
    IndependentProportionsResult
        Ask it for `confidence_interval` (of the difference) and `ztest`.

    Raises
    ------
    InvalidScoresError
        A rate outside of 0 to 1, more successes than examples, a test set without examples, or nan.

    Examples
    --------
    >>> import tiebreak as tb
    >>> rates = tb.frequentist.independent_proportions(0.15, 30, 0.25, 5000, given="rates", higher_is_better=False)
    >>> low, high = rates.confidence_interval(0.95, method="wald")
    >>> f"{rates.difference:.3f} +- {(high - low) / 2:.3f}"
    '0.100 +- 0.128'
    """
    if given not in ("counts", "rates"):
        raise InvalidParameterError(f"given must be 'counts' or 'rates'; got {given!r}.")
    if given == "rates":
        _check_rates(first, second)
        first, second = np.multiply(first, n_first), np.multiply(second, n_second)
    x, n = _check_counts(first, n_first)
    y, m = _check_counts(second, n_second)
    p, q = x / n, y / m
    difference = p - q if higher_is_better else q - p
    return IndependentProportionsResult(plain(p), plain(q), plain(n), plain(m), higher_is_better, plain(difference))


def proportion_interval(
    successes: ArrayLike, n: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "wilson"
) -> Interval:
    """Confidence interval of one proportion, such as the accuracy on one test set.

    Parameters
    ----------
    successes : array_like
        How many of the examples; need not be whole.
    n : array_like
        Number of examples, broadcast against `successes`.
    level : float, default 0.95
        Coverage, between 0 and 1.
    method : str
        "wilson" inverts the score test [W27]_ and is the default, as its coverage is near the nominal one on average over the
        true rates p, for every n [BCD01]_. For some p it is less: with 95 % down to 0.835 at n = 10 and 0.838 at n = 1,000, both
        where n p or n (1 - p) is about 0.18.
        "clopper-pearson" inverts the exact tests [CP34]_: never too short, mostly too long; "mid-p" counts the observed outcome
        by half. "agresti-coull" and "plus-four" add successes and failures to both sides. "jeffreys" is the central interval of
        the posterior under a Beta(1/2, 1/2) prior, "jeffreys-modified" the same with 0 and 1 as limits where there are no
        successes or no failures. "likelihood-ratio" inverts that test. "wald" is ``p +- z sqrt(p (1 - p) / n)``, for contrast: it
        has no width at 0 and n. "-cc" is with the correction for continuity [N98a]_.

    Returns
    -------
    Interval
        Low and high limit, arrays of the shape of `successes`, or floats. Those of "wald", "wald-cc", "agresti-coull" and
        "plus-four" may leave 0 to 1 and are not cut off.

    Raises
    ------
    InvalidScoresError
        More successes than examples, a negative number of them, n of 0, or nan.

    References
    ----------
    .. [W27] E. B. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.
    .. [CP34] C. J. Clopper, E. S. Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial.
       Biometrika 26, 1934.
    .. [N98a] R. G. Newcombe. Two-sided confidence intervals for the single proportion: comparison of seven methods. Statistics
       in Medicine 17, 1998.
    .. [BCD01] L. D. Brown, T. T. Cai, A. DasGupta. Interval estimation for a binomial proportion. Statistical Science 16, 2001.

    Examples
    --------
    >>> import tiebreak as tb
    >>> low, high = tb.frequentist.proportion_interval(81, 263)
    >>> f"{low:.4f} to {high:.4f}"
    '0.2553 to 0.3662'
    """
    _check_method(method, ProportionMethod)
    z = _multiplier(level)
    x, total = _check_counts(successes, n)
    low, high = _INTERVALS[method](x, total, z)
    return Interval(plain(low), plain(high))


# --- intervals of one proportion: successes, examples, and the normal multiplier --------------------------------------------

Limits = tuple[FloatArray, FloatArray]


def _wald(x: FloatArray, n: FloatArray, z: float) -> Limits:
    p = x / n
    half = z * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def _wald_cc(x: FloatArray, n: FloatArray, z: float) -> Limits:
    low, high = _wald(x, n, z)
    return low - 0.5 / n, high + 0.5 / n


def _wilson(x: FloatArray, n: FloatArray, z: float | FloatArray) -> Limits:
    """[W27]_; the product of both limits is known too, which spares a limit near 0 the cancellation."""
    middle = (x + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(x * (n - x) / n + z * z / 4)
    low = x * x / (n * (n + z * z)) / (middle + half)
    high = 1 - (n - x) * (n - x) / (n * (n + z * z)) / (1 - middle + half)
    return np.asarray(low), np.asarray(high)


def _wilson_cc(x: FloatArray, n: FloatArray, z: float) -> Limits:
    """[N98a]_, method 4."""

    def lower(x: FloatArray) -> FloatArray:
        p = x / n
        root = np.sqrt(np.maximum(z * z - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0))
        # up to half a success nothing is left of it after the correction
        return np.asarray(np.where(x <= 0.5, 0.0, np.maximum((2 * x + z * z - 1 - z * root) / (2 * (n + z * z)), 0.0)))

    return lower(x), 1 - lower(n - x)


def _agresti_coull(x: FloatArray, n: FloatArray, z: float) -> Limits:
    return _wald(x + z * z / 2, n + z * z, z)


def _plus_four(x: FloatArray, n: FloatArray, z: float) -> Limits:
    return _wald(x + 2, n + 4, z)


def _clopper_pearson(x: FloatArray, n: FloatArray, z: float) -> Limits:
    """Quantiles of beta distributions, [CP34]_."""
    from scipy.special import betaincinv

    def lower(x: FloatArray) -> FloatArray:
        inside = x > 0
        found = betaincinv(np.where(inside, x, 1), np.where(inside, n - x + 1, 1), _tail(z))
        return np.asarray(np.where(inside, found, 0.0))

    return lower(x), 1 - lower(n - x)


def _jeffreys(x: FloatArray, n: FloatArray, z: float) -> Limits:
    from scipy.special import betaincinv

    return betaincinv(x + 0.5, n - x + 0.5, _tail(z)), 1 - betaincinv(n - x + 0.5, x + 0.5, _tail(z))


def _jeffreys_modified(x: FloatArray, n: FloatArray, z: float) -> Limits:
    low, high = _jeffreys(x, n, z)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def _mid_p(x: FloatArray, n: FloatArray, z: float) -> Limits:
    """The rate at which half of P(X = x), and P(X > x), are the tail together; [N98a]_, method 6."""
    from scipy.special import betainc

    def excess(p: float, x: float, n: float) -> float:
        above = betainc(x + 1, n - x, p) if x < n else 0.0
        return float((betainc(x, n - x + 1, p) + above) / 2 - _tail(z))

    lower = np.vectorize(lambda x, n: _lower_root(lambda p: excess(p, x, n), 1.0) if x > 0 else 0.0, otypes=[float])
    return lower(x, n), 1 - lower(n - x, n)


def _likelihood_ratio(x: FloatArray, n: FloatArray, z: float) -> Limits:
    """Limits at which twice the fall of the log-likelihood from its top is z squared; [N98a]_, method 7."""
    from scipy.special import xlogy

    def excess(p: float, x: float, n: float) -> float:
        top = xlogy(x, x / n) + xlogy(n - x, 1 - x / n)
        return float(2 * (top - xlogy(x, p) - xlogy(n - x, 1 - p)) - z * z)

    lower = np.vectorize(lambda x, n: _lower_root(lambda p: -excess(p, x, n), x / n) if x > 0 else 0.0, otypes=[float])
    return lower(x, n), 1 - lower(n - x, n)


_INTERVALS = {
    "wilson": _wilson,
    "wilson-cc": _wilson_cc,
    "clopper-pearson": _clopper_pearson,
    "mid-p": _mid_p,
    "agresti-coull": _agresti_coull,
    "jeffreys": _jeffreys,
    "jeffreys-modified": _jeffreys_modified,
    "likelihood-ratio": _likelihood_ratio,
    "wald": _wald,
    "wald-cc": _wald_cc,
    "plus-four": _plus_four,
}


def _lower_root(rising: Callable[[float], float], high: float) -> float:
    """Root of a rising function between 0 and a rate; 0 where it is smaller than any float, as a small part of a count has it."""
    from scipy.optimize import brentq

    smallest, largest = float(np.finfo(float).tiny), min(high, 1 - 1e-16)
    if smallest >= largest or rising(smallest) >= 0:
        return 0.0
    return float(brentq(rising, smallest, largest, xtol=1e-300, rtol=1e-14, maxiter=2000))


def _multiplier(level: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri((1 - check_probability(level, "level")) / 2))


def _tail(z: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(-z))


# --- checks -----------------------------------------------------------------------------------------------------------------


def _check_counts(successes: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Successes and examples as floats of one shape."""
    x, total = floats_together(successes=successes, n=n)
    for wrong, text in (
        (~np.isfinite(x) | ~np.isfinite(total), "counts and n must be finite"),
        (total <= 0, "a test set without examples says nothing about a rate: n must be positive"),
        (x < 0, "a count must not be negative"),
        (x > total, "there cannot be more successes than examples"),
    ):
        if np.any(wrong):
            at = np.flatnonzero(wrong)[0]
            raise InvalidScoresError(f"{text}; got {x.flat[at]:g} of {total.flat[at]:g}.")
    return x, total


def _check_rates(*rates: ArrayLike) -> None:
    for each in rates:
        values = floats(each, "rates")
        wrong = ~((values >= 0) & (values <= 1))
        if np.any(wrong):
            value = float(values[wrong].flat[0])
            hint = " Pass given='counts' for counts" + (f", or {value / 100:g} for per cent." if 1 < value <= 100 else ".")
            raise InvalidScoresError(f"a rate lies between 0 and 1; got {value:g}.{hint}")


def _check_method(method: str, known: object) -> None:
    if method not in get_args(known):
        raise InvalidParameterError(f"unknown method {method!r}; choose one of {', '.join(map(repr, get_args(known)))}.")
