"""Law of a difference: an estimate and its two tails, off which p-values, intervals, probabilities and verdicts are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics.checks import (
    SMALLEST_PVALUE,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    alpha_of_level,
    blocks,
    check_choice,
    check_probability,
    check_rope,
    divide,
    floats,
    floats_together,
    plain,
    refuse_unless,
)

SPREAD, IDENTICAL, CONSTANT, UNDEFINED = 0, 1, 2, 3
"""Kinds of a difference: it varies; it is 0 on all units; on all of them the same but not 0; or it has no value."""

VERDICTS = ("", "better", "ahead", "equivalent", "undecided", "behind", "worse")
"""Names of verdict codes; "" stands for none, as of a pair outside the family."""

NONE, BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE = range(7)


class RopeProbabilities(NamedTuple):
    """Probabilities that the first is better by more than the rope, practically equivalent, or worse; they sum to 1."""

    better: FloatArray
    equivalent: FloatArray
    worse: FloatArray


class Significance(NamedTuple):
    """Outcome of a test that has no interval, as it cannot be asked about shifted data; numbers, or arrays.

    Attributes
    ----------
    statistic, pvalue : ndarray or float
    df : int
        Degrees of freedom; of an F distribution those of the numerator, 0 where there are none.
    df2 : int
        Those of the denominator; 0 for a chi-squared distribution.
    """

    statistic: FloatArray
    pvalue: FloatArray
    df: int = 0
    df2: int = 0


def significance_of(statistic: ArrayLike, pvalue: FloatArray, df: int, df2: int = 0) -> Significance:
    """Outcome with a p-value that is never 0, and 1 where the statistic is not defined, as nothing differs."""
    p = np.where(np.isnan(statistic), 1.0, np.maximum(pvalue, SMALLEST_PVALUE))
    return Significance(plain(np.asarray(statistic)), plain(p), df, df2)


class Shape(NamedTuple):
    """Functions that make the tails of a law: ``tail(law, at, upper)``, and its inverse ``end(law, p, upper)``.

    Without `end` it is found by bisection; ``pvalue(law, alternative)`` of no difference is the tail at 0, or twice the smaller
    one, unless given.
    """

    tail: Callable[[Law, FloatArray, bool], FloatArray]
    end: Callable[[Law, FloatArray, bool], FloatArray] | None = None
    pvalue: Callable[[Law, Alternative], FloatArray] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Law:
    """Confidence distribution, or posterior, of differences: arrays of one shape, or numbers for a single one.

    Its tails are one-sided p-values of "the difference is at most, or at least, this"; of a posterior they are probabilities.
    Everything else is read off them, so that no p-value contradicts an interval or a verdict.

    Attributes
    ----------
    estimate : ndarray or float
        First less second, turned so that positive favours the first.
    se, df : ndarray, float or None
        Standard error in the unit of the estimate, and degrees of freedom, which need not be whole; None where there are none.
    n_units : ndarray or int
        Splits, datasets or items that it rests on.
    kind : ndarray of int
        SPREAD, IDENTICAL, CONSTANT or UNDEFINED, of `numerics`; only a difference of kind SPREAD has an interval.
    tolerance : ndarray or float
        Differences up to this size are rounding noise.
    shape : Shape
        Functions that make the tails.
    parts : tuple of ndarray, and of laws or what else has `take`
        What these functions need beside, each with the shape of the estimate in front.
    is_posterior : bool
        Tails are probabilities.
    """

    estimate: FloatArray
    se: FloatArray | None = None
    df: FloatArray | IntArray | float | None = None
    n_units: IntArray | int = 0
    kind: NDArray[np.int8] = field(repr=False)
    tolerance: FloatArray | float = field(default=0.0, repr=False)
    shape: Shape = field(repr=False)
    parts: tuple[Any, ...] = field(default=(), repr=False)
    is_posterior: bool = field(default=False, repr=False)

    def tail(self, at: ArrayLike = 0.0, *, upper: bool = False) -> FloatArray:
        """One-sided p-value of a difference of at most `at`, or with `upper` of at least that."""
        found = self.shape.tail(self, np.asarray(at, dtype=float), upper)
        return plain(np.where(np.asarray(self.kind) == UNDEFINED, np.nan, found))

    def end(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Point at which a tail is `p`: a one-sided bound that misses with that probability; nan where nothing varies.

        Parameters
        ----------
        p : array_like
            Between 0 and 1; broadcast against the law, so that (k, 1) probabilities give (k, n) ends.
        upper : bool
            Of the upper tail. A small `p` keeps its digits on both sides.
        """
        p = np.asarray(p, dtype=float)
        found = self.shape.end(self, p, upper) if self.shape.end is not None else _bisected(self, p, upper)
        return plain(found if np.all(self.kind == SPREAD) else np.where(self.kind == SPREAD, found, np.nan))

    def interval(self, level: ArrayLike = 0.95) -> Interval:
        """Two-sided interval that covers with probability `level`, between 0 and 1; nan where nothing varies."""
        return self.interval_at(alpha_of_level(level))

    def interval_at(self, alpha: ArrayLike) -> Interval:
        """As `interval` at level 1 - alpha, also where alpha is tiny."""
        half = np.asarray(alpha, dtype=float) / 2.0
        return Interval(self.end(half), self.end(half, upper=True))

    def pvalue(self, alternative: Alternative = "two-sided") -> FloatArray:
        """p-value of no difference, never 0; 1 where all differences are 0, nan where they are some other constant.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}
            "greater": the first is better. A direction picked after looking at the data doubles the error rate.
        """
        check_choice(alternative, get_args(Alternative), "alternative")
        if self.shape.pvalue is not None:
            p = self.shape.pvalue(self, alternative)
        else:
            below, above = self._tails(0.0)
            p = {"greater": below, "less": above}.get(alternative, 2.0 * np.minimum(below, above))
        of_kind = np.where(self.kind == IDENTICAL, 1.0, np.nan)
        return plain(np.where(self.kind == SPREAD, np.clip(p, SMALLEST_PVALUE, 1.0), of_kind))

    def probabilities(self, rope: float = 0.0) -> RopeProbabilities:
        """Mass above, inside and below the closed region [-rope, rope]; a constant difference lies in one of them.

        Parameters
        ----------
        rope : float
            Half-width of practical equivalence, in the unit of the estimate, not negative.
        """
        rope = check_rope(rope)
        (worse, above_low), (below_high, better) = (self._tails(side) for side in (-rope, rope))
        # the difference of the two tails on the side where they are small keeps the digits of a region far out
        inside = np.where(np.asarray(self.estimate) > 0, below_high - worse, above_low - better)
        is_point = (np.asarray(self.kind) == IDENTICAL) | (np.asarray(self.kind) == CONSTANT)
        limit = rope + np.asarray(self.tolerance)
        of_points = self.estimate > limit, np.abs(self.estimate) <= limit, self.estimate < -limit
        found = zip(of_points, (better, np.maximum(inside, 0.0), worse), strict=True)
        return RopeProbabilities(*(plain(np.where(is_point, point, mass)) for point, mass in found))

    def _tails(self, at: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper tail; of Student's t from the small one, which halves the time for many pairs."""
        if self.shape != STUDENT:
            return self.tail(at), self.tail(at, upper=True)
        error, df = self.spread
        z = standardised(at, self.estimate, error)
        small, is_below = student_tail(np.abs(z), df), z < 0
        return np.where(is_below, small, 1.0 - small), np.where(is_below, 1.0 - small, small)

    def verdict(self, rope: float = 0.0, alpha: float = 0.05) -> NDArray[np.str_]:
        """Word for where the 1 - alpha interval of each difference lies, each taken by itself: see `verdict_codes`."""
        interval = self.interval_at(check_probability(alpha, "alpha"))
        return np.asarray(VERDICTS)[verdict_codes(interval, check_rope(rope), self.tolerance)]

    @property
    def spread(self) -> tuple[FloatArray, FloatArray]:
        """Standard error and degrees of freedom as arrays; nan where there are none."""
        error, df = (np.asarray(np.nan if each is None else each, dtype=float) for each in (self.se, self.df))
        return error, df

    @property
    def statistic(self) -> FloatArray:
        """Estimate over its standard error: nan for identical scores, infinite for a constant difference."""
        return plain(divide(self.estimate, np.nan if self.se is None else self.se))

    def take(self, rows: IntArray | slice) -> Law:
        """Law of some of the differences, of arrays of shape (n, ...)."""
        held = {name: getattr(self, name) for name in _BY_ROW}
        some = {name: plain(value[rows] if np.ndim(value) else value) for name, value in held.items()}
        return replace(
            self, **some, parts=tuple(each[rows] if isinstance(each, np.ndarray) else each.take(rows) for each in self.parts)
        )


def joined(found: Sequence[Law]) -> Law:
    """One law from those of successive blocks of differences, at least one, of which nothing but the blocks differs."""
    columns = {name: [getattr(law, name) for law in found] for name in _BY_ROW}
    held: dict[str, Any] = {name: np.concatenate(each) if np.ndim(each[0]) else each[0] for name, each in columns.items()}
    return replace(found[0], **held)


_BY_ROW = ("estimate", "se", "df", "n_units", "kind", "tolerance")


def kind_of(estimate: ArrayLike, has_spread: ArrayLike, tolerance: ArrayLike = 0.0) -> NDArray[np.int8]:
    """SPREAD where there is any, else IDENTICAL or CONSTANT by the estimate; UNDEFINED where that is nan."""
    estimate = np.asarray(estimate, dtype=float)
    flat = np.where(np.abs(estimate) <= tolerance, IDENTICAL, CONSTANT)
    return np.where(np.isnan(estimate), UNDEFINED, np.where(has_spread, SPREAD, flat)).astype(np.int8)


# --- Student's t, with all its digits and fast for many pairs ---------------------------------------------------------------


def student_tail(x: ArrayLike, df: ArrayLike) -> FloatArray:
    """Upper tail P(T > x) of Student's t, to a few 1e-13 of itself, far out as well.

    Parameters
    ----------
    x : array_like
        Any real number, infinities included.
    df : array_like
        Degrees of freedom; broadcast against `x`.

    Returns
    -------
    ndarray
        Probabilities; nan where `x` is nan, or `df` is not positive.
    """
    x, df = np.asarray(x, dtype=float), np.asarray(df, dtype=float)
    if df.ndim == 0 and 2 <= df < np.inf and x.size >= TABLE_PAYS_FROM:  # six times as fast for 1,000 models
        flat, out = x.ravel(), np.empty(x.size)
        for rows in blocks(flat.size, most=TAILS_AT_ONCE):
            small = _small_tail(np.abs(flat[rows]), float(df))
            out[rows] = np.where(flat[rows] < 0, 1.0 - small, small)
        return out.reshape(x.shape)
    from scipy.special import stdtr

    tail = stdtr(df, -x)
    if np.any(df == 1):
        # stdtr is off by 2e-9 near 0 for one degree of freedom, the Cauchy distribution, whose tail is an arc tangent
        tail = np.where(df == 1, np.arctan2(1.0, x) / np.pi, tail)
    return np.asarray(tail)


DEGREE = 8
"""Of the polynomials of the table."""

TAILS_AT_ONCE = 8192
"""Numbers at a time, so that the temporaries stay in the cache."""


@lru_cache(maxsize=4)
def _tail_table(df: float) -> tuple[FloatArray, float]:
    """Polynomials, of shape (DEGREE + 1, n_pieces), and the width of a piece.

    With ``u = arcsinh(x / sqrt(df))`` the tail falls like exp(-df u); what is left of its logarithm is smooth and takes
    polynomials of degree 8 to a few 1e-13, the far tail included.
    """
    from numpy.polynomial import chebyshev
    from scipy.special import stdtr

    nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))  # Chebyshev's
    width = min(0.2, 0.5 / np.sqrt(df))
    n_pieces = int(np.ceil(700.0 / df / width))  # exp(-700) is near the smallest float
    u = (np.arange(n_pieces)[:, None] + (nodes + 1.0) / 2.0) * width
    rest = np.log(stdtr(df, -np.sqrt(df) * np.sinh(u))) + df * u
    fitted = np.linalg.solve(chebyshev.chebvander(nodes, DEGREE), rest.T)
    to_powers = [np.pad(chebyshev.cheb2poly(row[: k + 1]), (0, DEGREE - k)) for k, row in enumerate(np.eye(DEGREE + 1))]
    return np.asarray(np.transpose(to_powers) @ fitted, dtype=float), float(width)


def _small_tail(x: FloatArray, df: float) -> FloatArray:
    """P(T > x) by the table, of numbers that are not negative."""
    from scipy.special import stdtr

    coefficients, width = _tail_table(df)
    u = np.arcsinh(x / np.sqrt(df))
    position = u / width
    outside = ~(position < coefficients.shape[1])  # nan included
    position[outside] = 0.0
    piece = position.astype(np.intp)
    local = 2.0 * (position - piece) - 1.0
    value = coefficients[-1].take(piece)
    for coefficient in coefficients[-2::-1]:
        value *= local
        value += coefficient.take(piece)
    tail = np.minimum(np.exp(value - df * u), 0.5)  # the last digits must not take a p-value beyond 1
    tail[outside] = stdtr(df, -x[outside])
    return np.asarray(tail)


TABLE_PAYS_FROM = 20_000
"""Numbers from which building the table (2 ms) costs less than it saves."""


def student_pvalue(statistic: ArrayLike, df: ArrayLike) -> FloatArray:
    """Two-sided p-value of a t statistic."""
    return np.asarray(2.0 * student_tail(np.abs(statistic), df))


def student_quantile(probability: ArrayLike, df: ArrayLike) -> FloatArray:
    """Value below which Student's t falls with the given probability.

    The multiplier of a two-sided interval at level 1 - alpha is ``student_quantile(1 - alpha / 2, df)``.

    Parameters
    ----------
    probability : array_like
        Between 0 and 1.
    df : array_like
        Degrees of freedom, nan unless positive; broadcast against `probability`.
    """
    from scipy.special import stdtrit

    given = floats_together(probability=probability, df=df)
    refuse_unless(not np.any((given[0] < 0) | (given[0] > 1)), "probability", "lie between 0 and 1", probability)
    if np.ndim(df) and not np.ndim(probability):  # of many degrees of freedom few differ
        different, position = np.unique(given[1], return_inverse=True)
        return student_quantile(np.full(different.shape, probability), different)[position].reshape(np.shape(df))
    probability, df = given
    # from the smaller tail, where the probability has all its digits
    tail = np.minimum(probability, 1.0 - probability)
    magnitude = np.array(np.abs(stdtrit(df, tail)))  # abs: scipy gives an infinite value the wrong sign
    # near the centre scipy is off by up to 3e-8 (df 1 and 4); one step of Newton's method mends it
    centre = (tail > 0.4) & (df > 0)
    if np.any(centre):
        excess = student_tail(magnitude[centre], df[centre]) - tail[centre]
        magnitude[centre] += excess / np.exp(student_log_density(magnitude[centre], df[centre]))
    return np.asarray(np.where(probability < 0.5, -magnitude, magnitude))


def student_log_density(x: ArrayLike, df: ArrayLike) -> FloatArray:
    """Logarithm of the density of Student's t."""
    from scipy.special import betaln

    df = np.minimum(df, 1e18)  # beyond which it is the normal one to the last digit
    with np.errstate(over="ignore"):  # far out the density is 0
        spread = (df + 1) / 2 * np.log1p(np.square(np.asarray(x, dtype=float)) / df)
    return np.asarray(-betaln(df / 2, 0.5) - np.log(df) / 2 - spread)


def student_multiplier(alpha: ArrayLike, df: ArrayLike) -> FloatArray:
    """Half-width of a two-sided 1 - alpha interval in standard errors; keeps its digits for a tiny alpha."""
    return -student_quantile(np.asarray(alpha, dtype=float) / 2.0, df)


def standardised(at: ArrayLike, location: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Distance of `at` from a location in scales; where the scale is 0 it is 0 at the location, and infinite elsewhere."""
    distance = np.asarray(at, dtype=float) - location
    return np.where((distance == 0) & (np.asarray(scale) == 0), 0.0, divide(distance, scale))


# --- laws -----------------------------------------------------------------------------------------------------------------


def student(
    estimate: ArrayLike,
    se: ArrayLike,
    df: FloatArray | IntArray | float = np.inf,
    *,
    n_units: IntArray | int = 0,
    kind: NDArray[np.int8] | None = None,
    tolerance: FloatArray | float = 0.0,
    is_posterior: bool = False,
) -> Law:
    """Student's t around estimates with their standard errors; with infinite `df`, the default, the normal distribution.

    Parameters
    ----------
    estimate, se, df : array_like, broadcast against each other
        A difference without a standard error above 0 is IDENTICAL or CONSTANT; with one that is nan, or `df` of 0, UNDEFINED.
    n_units, kind, tolerance, is_posterior
        As of `Law`; `kind` is made of the others unless given. Of an IDENTICAL difference the estimate is 0, of one without
        spread the standard error is, and of an UNDEFINED one it is nan.

    Examples
    --------
    >>> law = student(0.02, 0.01, df=9)
    >>> [round(end, 4) for end in law.interval(0.95)], round(law.pvalue("less"), 4)
    ([-0.0026, 0.0426], 0.9617)
    """
    refuse_unless(not np.any(floats(se, "se") < 0), "se", "be at least 0", se)
    freedom, (estimate, se, _) = floats(df, "df"), floats_together(estimate=estimate, se=se, df=df)
    if kind is None:
        kind = kind_of(np.where((freedom > 0) & np.isfinite(se), estimate, np.nan), se > 0, tolerance)
    if kind.shape != estimate.shape or np.any(kind != SPREAD):  # else nothing of millions of pairs is copied
        estimate = np.where(kind == IDENTICAL, 0.0, estimate)
        se = np.where(kind == SPREAD, se, np.where(kind == UNDEFINED, np.nan, 0.0))
    return Law(
        estimate=plain(estimate),
        se=plain(se),
        df=plain(freedom),
        n_units=n_units,
        kind=kind,
        tolerance=tolerance,
        shape=STUDENT,
        is_posterior=is_posterior,
    )


def _student_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    error, df = law.spread
    z = standardised(at, law.estimate, error)
    return student_tail(z if upper else -z, df)


def _student_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    error, df = law.spread
    distance = np.asarray(student_quantile(p, df) * error)
    return np.asarray((np.subtract if upper else np.add)(law.estimate, distance, out=distance))  # without new room


STUDENT = Shape(_student_tail, _student_end)  # functions with names, as laws are pickled
"""Student's t around the estimate."""


def least_sure(laws: Sequence[Law]) -> Law:
    """The first of several laws of the same differences, with the larger of all tails: its interval holds those of all."""
    return laws[0] if len(laws) == 1 else replace(laws[0], shape=LEAST_SURE, parts=tuple(laws))


def _largest_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    return np.asarray(np.maximum.reduce([np.asarray(each.tail(at, upper=upper)) for each in law.parts]))


def _farthest_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    return np.asarray((np.fmax if upper else np.fmin).reduce([np.asarray(each.end(p, upper=upper)) for each in law.parts]))


LEAST_SURE = Shape(_largest_tail, _farthest_end)
"""Of the laws that are the parts, whichever says least."""


def tabulated(points: FloatArray, below: FloatArray, *, estimate: ArrayLike, **facts: Any) -> Law:
    """Posterior by the probabilities below a row of points each, which is linear in between.

    Parameters
    ----------
    points, below : ndarray of shape (..., n_points)
        Rising along each row.
    estimate : array_like of shape (...)
    **facts
        As of `Law`.
    """
    kind, parts = kind_of(estimate, has_spread=True), (points, below)
    return Law(estimate=plain(np.asarray(estimate)), kind=kind, shape=TABULATED, parts=parts, is_posterior=True, **facts)


def by_draws(draws: FloatArray, *, estimate: ArrayLike, **facts: Any) -> Law:
    """Posterior by draws of each difference, of shape (..., n_draws): shares of them are the probabilities.

    It has no end where fewer than ten draws would lie beyond, and no p-value below one in their number.
    """
    kind, parts = kind_of(estimate, has_spread=True), (np.sort(draws, axis=-1),)
    return Law(estimate=plain(np.asarray(estimate)), kind=kind, shape=DRAWN, parts=parts, is_posterior=True, **facts)


def _of_rows(law: Law, at: FloatArray, of: Callable[..., Any]) -> FloatArray:
    """Values of a function of some numbers, of the tolerance, and of the parts, of one row after the other."""
    rows = np.shape(law.estimate)
    at, noise = np.broadcast_to(at, np.broadcast_shapes(np.shape(at), rows)), np.broadcast_to(law.tolerance, rows)
    found = np.empty(at.shape)
    for row in np.ndindex(rows):
        found[(..., *row)] = of(at[(..., *row)], noise[row], *(part[row] for part in law.parts))
    return found


def _tabulated_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    below = _of_rows(law, at, lambda x, _, points, below: np.interp(x, points, below))
    return 1.0 - below if upper else below


def _drawn_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Draws equal to `at` but for rounding count on either side."""
    if upper:
        return 1.0 - _of_rows(law, at, lambda x, noise, draws: draws.searchsorted(x - noise, "left") / draws.size)
    return _of_rows(law, at, lambda x, noise, draws: draws.searchsorted(x + noise, "right") / draws.size)


def _drawn_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    n = law.parts[0].shape[-1]
    ends = _of_rows(law, 1.0 - p if upper else p, lambda x, _, draws: np.interp(x * (n - 1), np.arange(n), draws))
    return np.where(n * p < DRAWS_BEYOND * (1 - 1e-9), np.nan, ends)


def _drawn_pvalue(law: Law, side: Alternative) -> FloatArray:
    below, above = (np.asarray(law.tail(0.0, upper=upper)) for upper in (False, True))
    found = {"greater": below, "less": above}.get(side, 2.0 * np.minimum(below, above))
    return np.asarray(np.maximum(found, 1.0 / law.parts[0].shape[-1]))


DRAWS_BEYOND = 10
"""Draws beyond an end of an interval that it needs at least."""

TABULATED = Shape(
    _tabulated_tail,
    lambda law, p, upper: _of_rows(law, 1.0 - p if upper else p, lambda x, _, points, below: np.interp(x, below, points)),
)
"""Probabilities below rows of points; the parts are both."""

DRAWN = Shape(_drawn_tail, _drawn_end, _drawn_pvalue)
"""Shares of draws in rising order, which are the part."""


# --- ends and verdicts ----------------------------------------------------------------------------------------------------


def _bisected(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Point at which a tail stops being at most `p`, by bisection; infinite where it never is, or always."""
    sign, size = -1.0 if upper else 1.0, np.abs(law.estimate) if law.se is None else np.asarray(law.se)
    p, start, scale = np.broadcast_arrays(p, sign * np.asarray(law.estimate), np.where(size > law.tolerance, size, 1.0))

    def point(place: FloatArray) -> FloatArray:
        """Near the estimate in its own scale, and as far as 1e19 of these."""
        return np.asarray(start + scale * np.sinh(place))

    def is_small(place: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(law.shape.tail(law, sign * point(place), upper) <= p)

    farthest = np.full(p.shape, 45.0)
    ends = np.where(~is_small(-farthest), -np.inf, np.where(is_small(farthest), np.inf, 0.0))
    return np.asarray(sign * (point(bisected(is_small, -farthest, farthest)) + ends))


def bisected(is_before: Callable[[FloatArray], NDArray[np.bool_]], low: FloatArray, high: FloatArray) -> FloatArray:
    """Last point between low and high that is before where a condition stops to hold, by halving."""
    for _ in range(64):  # to the last digit
        middle = low + (high - low) / 2.0
        before = is_before(middle)
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return low


def verdict_codes(interval: Interval, rope: float, tolerance: FloatArray | float) -> NDArray[np.int8]:
    """Code of the place of each interval [L, H]; undecided where there is none.

    better if L > rope, worse if H < -rope, equivalent if it lies within [-rope, rope] and the rope is not 0, ahead if L > 0,
    behind if H < 0, tested in this order; ends within the tolerance of a limit are on it.

    Parameters
    ----------
    interval : Interval
        nan for a pair without one.
    rope : float
        Half-width of practical equivalence, in the unit of the differences.
    tolerance : ndarray or float
        Size of rounding noise, 1e-12 of the largest |score|.

    References
    ----------
    .. [K18] J. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in Methods and Practices in
       Psychological Science 1, 2018.
    """
    low, high = np.asarray(interval.low), np.asarray(interval.high)
    outer = rope + tolerance
    conditions = [low > outer, high < -outer, (low >= -outer) & (high <= outer) & (rope > 0), low > tolerance, high < -tolerance]
    return np.select(conditions, [BETTER, WORSE, EQUIVALENT, AHEAD, BEHIND], UNDECIDED).astype(np.int8)
