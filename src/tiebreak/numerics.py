"""Arithmetic that both kinds of statistics share: Student tails, moments of paired differences, checks of input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewSplitsError

Alternative = Literal["two-sided", "greater", "less"]
Missing = Literal["raise", "pairwise"]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer]

RELATIVE_TOLERANCE = 1e-12
"""Differences below this share of the largest score are rounding noise (design promise 5)."""

SMALLEST = 1e-300
"""Differences below this are noise as well: close to the smallest float they lose their digits."""

SPREAD, IDENTICAL, CONSTANT, UNDEFINED = 0, 1, 2, 3
"""Kinds of a row of differences: it varies; all zero; constant but not zero; fewer than two splits, or a value undefined."""


SMALLEST_PVALUE = 5e-324
"""A p-value is never 0: where it is smaller than any float, it is the smallest one."""


class Interval(NamedTuple):
    """Lower and upper end, in the unit of the quantity; floats for a single row."""

    low: FloatArray
    high: FloatArray


# --- Student's t distribution ---------------------------------------------------------------------------------------


def student_tail(x: ArrayLike, df: ArrayLike) -> FloatArray:
    """Upper tail P(T > x) of Student's t, to a few 1e-13 of itself, far out as well.

    Parameters
    ----------
    x : array_like
        Any real number, infinities included.
    df : array_like
        Degrees of freedom, positive; broadcast against `x`.

    Returns
    -------
    ndarray
        Probabilities; nan where `x` or `df` is nan.
    """
    x, df = np.asarray(x, dtype=float), np.asarray(df, dtype=float)
    if df.ndim == 0 and df > 1 and x.size >= _TABLE_PAYS_FROM:
        return _tail_table(float(df)).tail(x)
    from scipy.special import stdtr

    tail = stdtr(df, -x)
    if np.any(df == 1):
        # stdtr is off by 2e-9 near 0 for one degree of freedom, the Cauchy distribution, whose tail is an arc tangent
        tail = np.where(df == 1, np.arctan2(1.0, x) / np.pi, tail)
    return np.asarray(tail)


class _TailTable:
    """The upper tail for one df as a piecewise polynomial: six times as fast as scipy's for the pairs of 1,000 models.

    With ``u = arcsinh(x / sqrt(df))`` the tail falls like exp(-df u); what is left of its logarithm is smooth and takes
    polynomials of degree 8 to a few 1e-13, the far tail included.
    """

    _DEGREE = 8
    _BLOCK = 8192  # numbers at a time, so that the temporaries stay in the cache

    def __init__(self, df: float) -> None:
        from numpy.polynomial import chebyshev
        from scipy.special import stdtr

        n_nodes = self._DEGREE + 1
        nodes = np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
        self._df = df
        self._width = min(0.2, 0.5 / np.sqrt(df))
        self._n_pieces = int(np.ceil(700.0 / df / self._width))  # exp(-700) is near the smallest float
        u = (np.arange(self._n_pieces)[:, None] + (nodes + 1.0) / 2.0) * self._width
        rest = np.log(stdtr(df, -np.sqrt(df) * np.sinh(u))) + df * u
        fitted = np.linalg.solve(chebyshev.chebvander(nodes, self._DEGREE), rest.T)
        to_powers = np.zeros((n_nodes, n_nodes))
        for degree, row in enumerate(np.eye(n_nodes)):
            to_powers[degree, : degree + 1] = chebyshev.cheb2poly(row)[: degree + 1]
        self._coefficients = np.ascontiguousarray((fitted.T @ to_powers).T)

    def tail(self, x: FloatArray) -> FloatArray:
        """P(T > x), of the shape of `x`."""
        flat = x.ravel()
        out = np.empty_like(flat)
        for start in range(0, flat.size, self._BLOCK):
            block = flat[start : start + self._BLOCK]
            small = self._small_tail(np.abs(block))
            out[start : start + self._BLOCK] = np.where(block < 0, 1.0 - small, small)
        return out.reshape(x.shape)

    def _small_tail(self, x: FloatArray) -> FloatArray:
        from scipy.special import stdtr

        u = np.arcsinh(x / np.sqrt(self._df))
        position = u / self._width
        outside = ~(position < self._n_pieces)  # nan included
        if outside.any():
            position = np.where(outside, 0.0, position)
        piece = position.astype(np.intp)
        local = 2.0 * (position - piece) - 1.0
        value = self._coefficients[-1].take(piece)
        for coefficient in self._coefficients[-2::-1]:
            value *= local
            value += coefficient.take(piece)
        tail = np.minimum(np.exp(value - self._df * u), 0.5)  # the last digits must not take a p-value beyond 1
        if outside.any():
            tail[outside] = stdtr(self._df, -x[outside])
        return np.asarray(tail)


@lru_cache(maxsize=4)
def _tail_table(df: float) -> _TailTable:
    return _TailTable(df)


_TABLE_PAYS_FROM = 20_000
"""Numbers from which building the table (2 ms) costs less than it saves."""


def student_tails(x: ArrayLike, df: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Lower and upper tail, P(T < x) and P(T > x), for the price of one; the smaller one keeps its relative precision."""
    x = np.asarray(x, dtype=float)
    small = student_tail(np.abs(x), df)
    large = 1.0 - small
    return np.where(x > 0, large, small), np.where(x > 0, small, large)


class LimitTails(NamedTuple):
    """Tails of location-scale Student distributions on both sides of -rope and of rope.

    They are the one-sided p-values of the corrected t-test and, being those of the correlated posterior too, its
    probabilities; whoever needs both computes them once.
    """

    below_low: FloatArray
    above_low: FloatArray
    below_high: FloatArray
    above_high: FloatArray


def limit_tails(mean: FloatArray, scale: FloatArray, df: ArrayLike, rope: float) -> LimitTails:
    """Tails at -rope and rope of ``mean + scale * T``; nan where the scale is 0 and the limit is the mean, or undefined."""
    df = np.maximum(df, 1)
    below_low, above_low = student_tails(divide(-rope - mean, scale), df)
    if rope == 0.0:
        return LimitTails(below_low, above_low, below_low, above_low)
    return LimitTails(below_low, above_low, *student_tails(divide(rope - mean, scale), df))


def student_pvalue(statistic: ArrayLike, df: ArrayLike, alternative: Alternative = "two-sided") -> FloatArray:
    """p-value of a t statistic; "greater" asks whether the statistic is larger than chance makes it."""
    statistic = np.asarray(statistic, dtype=float)
    if alternative == "two-sided":
        return np.asarray(2.0 * student_tail(np.abs(statistic), df))
    return student_tail(statistic if alternative == "greater" else -statistic, df)


def student_quantile(probability: ArrayLike, df: ArrayLike) -> FloatArray:
    """Value below which Student's t falls with the given probability.

    The multiplier of a two-sided interval at level 1 - alpha is ``student_quantile(1 - alpha / 2, df)``.

    Parameters
    ----------
    probability : array_like
        Between 0 and 1.
    df : array_like
        Degrees of freedom, positive; broadcast against `probability`.
    """
    from scipy.special import stdtrit

    probability, df = np.broadcast_arrays(np.asarray(probability, dtype=float), np.asarray(df, dtype=float))
    # from the smaller tail, where the probability has all its digits
    tail = np.minimum(probability, 1.0 - probability)
    magnitude = np.array(np.abs(stdtrit(df, tail)))  # abs: scipy gives an infinite value the wrong sign
    # near the centre scipy is off by up to 3e-8 (df 1 and 4); one step of Newton's method mends it
    centre = tail > 0.4
    if np.any(centre):
        excess = student_tail(magnitude[centre], df[centre]) - tail[centre]
        magnitude[centre] += excess / np.exp(student_log_density(magnitude[centre], df[centre]))
    return np.asarray(np.where(probability < 0.5, -magnitude, magnitude))


def student_log_density(x: ArrayLike, df: ArrayLike) -> FloatArray:
    """Logarithm of the density of Student's t."""
    from scipy.special import gammaln

    x, df = np.asarray(x, dtype=float), np.asarray(df, dtype=float)
    log_norm = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi)
    with np.errstate(over="ignore"):  # far out the density is 0
        return np.asarray(log_norm - (df + 1) / 2 * np.log1p(np.square(x) / df))


def student_multiplier(alpha: ArrayLike, df: ArrayLike) -> FloatArray:
    """Half-width of a two-sided 1 - alpha interval in standard errors; keeps its digits for a tiny alpha."""
    return -student_quantile(np.asarray(alpha, dtype=float) / 2.0, df)


# --- Moments of paired differences ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DifferenceMoments:
    """Mean and spread of rows of paired differences: all that the t statistics need of the data.

    Attributes
    ----------
    mean : ndarray of shape (...)
        In the metric's unit.
    sd : ndarray of shape (...)
        Standard deviation with divisor n - 1, in the metric's unit; exactly 0 in rows without spread.
    n_splits : int or ndarray of shape (...)
        Splits used; one number where every row has the same.
    kind : ndarray of shape (...)
        SPREAD, IDENTICAL, CONSTANT or UNDEFINED.
    tolerance : ndarray of shape (...)
        Differences up to this size, in the metric's unit, are rounding noise.
    """

    mean: FloatArray
    sd: FloatArray
    n_splits: IntArray | int
    kind: NDArray[np.int8]
    tolerance: FloatArray

    @property
    def df(self) -> IntArray | int:
        """Degrees of freedom, n_splits - 1, at least 0."""
        df = np.maximum(self.n_splits - 1, 0)
        return int(df) if np.ndim(df) == 0 else df


def row_moments(differences: FloatArray, scale: ArrayLike | None = None, *, omit_missing: bool = False) -> DifferenceMoments:
    """Moments of each row of differences, by two passes.

    Parameters
    ----------
    differences : ndarray of shape (..., n_splits)
        As returned by `check_differences`. A row with an infinite value is undefined.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted, which sets the rounding tolerance; the largest |difference| if not given.
    omit_missing : bool
        Leave a split that is nan out of its row, instead of calling the row undefined.
    """
    present = ~np.isnan(differences) if omit_missing else np.ones(differences.shape, dtype=bool)
    defined = np.all(np.isfinite(differences) | ~present, axis=-1)
    n = present.sum(axis=-1)
    d = np.where(present & defined[..., None], differences, 0.0)
    largest = np.abs(d).max(axis=-1, initial=0.0)
    exponent = np.frexp(largest)[1]  # a power of two keeps the squares in the range of floats, without rounding
    d = np.ldexp(d, -exponent[..., None])
    mean = d.sum(axis=-1) / np.maximum(n, 1)
    deviation = np.where(present, d - mean[..., None], 0.0)
    sd = np.sqrt(np.square(deviation).sum(axis=-1) / np.maximum(n - 1, 1))
    mean, sd, deviation = (np.ldexp(mean, exponent), np.ldexp(sd, exponent), np.ldexp(np.abs(deviation), exponent[..., None]))
    size = largest if scale is None else np.broadcast_to(np.asarray(scale, dtype=float), mean.shape)
    tolerance = np.maximum(RELATIVE_TOLERANCE * size, SMALLEST)
    kind = _kind_of(mean, deviation.max(axis=-1, initial=0.0), tolerance)
    kind = np.where(defined & (n >= 2), kind, UNDEFINED).astype(np.int8)
    mean = np.where(defined & (n >= 1), mean, np.nan)
    return _settled(mean, sd, n, kind, tolerance)


def pair_moments(scores: FloatArray, first: IntArray, second: IntArray) -> DifferenceMoments:
    """Moments of ``scores[first] - scores[second]`` for many pairs of a complete table, through one matrix product.

    Parameters
    ----------
    scores : ndarray of shape (n_models, n_splits)
        Finite, at least two splits.
    first, second : ndarray of shape (n_pairs,)
        Row numbers.

    Returns
    -------
    DifferenceMoments
        Arrays of shape (n_pairs,).

    Notes
    -----
    The sum of squared deviations of a pair is C_ii + C_jj - 2 C_ij with C the products of the models' deviations. It
    cancels for near-identical models, so the mean of each split is taken off first, which costs no digits and removes what
    the models share, and the pairs that would still lose digits are computed directly.
    """
    n = scores.shape[1]
    magnitude = np.maximum(scores.max(axis=1), -scores.min(axis=1))
    tolerance = np.maximum(RELATIVE_TOLERANCE * np.maximum(magnitude[first], magnitude[second]), SMALLEST)
    exponent = int(np.frexp(magnitude.max())[1])  # a power of two keeps the squares in the range of floats, without rounding
    means, raw, products = _products_of_deviations(scores, exponent)
    own = np.diagonal(products).copy()
    total = own[first] + own[second]
    squares = total - 2.0 * products[first, second]
    doubtful = squares < CANCELS_BELOW * total
    doubtful |= squares < OFFSET_BELOW * (raw[first] + raw[second])
    doubtful |= squares < SMALLEST
    mean = np.ldexp(means[first] - means[second], exponent)
    sd = np.ldexp(np.sqrt(np.maximum(squares, 0.0) / (n - 1)), exponent)
    doubtful |= sd <= 3.0 * tolerance  # the largest deviation is at least sd / sqrt(2)
    kind = np.full(mean.shape, SPREAD, dtype=np.int8)
    todo = np.flatnonzero(doubtful)
    step = max(1, _BLOCK // n)
    for start in range(0, todo.size, step):
        rows = todo[start : start + step]
        direct = row_moments(scores[first[rows]] - scores[second[rows]], tolerance[rows] / RELATIVE_TOLERANCE)
        mean[rows], sd[rows], kind[rows] = direct.mean, direct.sd, direct.kind
    return _settled(mean, sd, n, kind, tolerance)


def deviations(scores: FloatArray, exponent: int) -> Iterator[FloatArray]:
    """Scores times a power of two with the mean of each split taken off, in blocks of splits: a long table is not copied.

    Parameters
    ----------
    scores : ndarray of shape (n_models, n_splits)
    exponent : int
        Scores are divided by two to this power.
    """
    n_models, n = scores.shape
    step = max(1, n_models, _BLOCK // n_models)
    for start in range(0, n, step):
        block = np.ldexp(scores[:, start : start + step], -exponent)
        block -= block.mean(axis=0)
        yield block


def mean_deviations(scores: FloatArray, exponent: int) -> FloatArray:
    """Mean over the splits of the `deviations` of each model."""
    sums = [block.sum(axis=1) for block in deviations(scores, exponent)]
    return np.asarray(np.sum(sums, axis=0) / scores.shape[1])


def _products_of_deviations(scores: FloatArray, exponent: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means of the deviations, their squares, and the products of what is left of them without the means."""
    means = mean_deviations(scores, exponent)
    raw, products = np.zeros(means.size), np.zeros((means.size, means.size))
    for block in deviations(scores, exponent):
        raw += np.einsum("ij,ij->i", block, block)
        block -= means[:, None]
        products += block @ block.T
    return means, raw, products


def masked_pair_moments(scores: FloatArray, first: IntArray, second: IntArray) -> DifferenceMoments:
    """As `pair_moments` for a table with missing scores (nan): each pair over the splits that both models have."""
    blocks = []
    step = max(1, _BLOCK // max(1, scores.shape[1]))
    for start in range(0, first.size, step):
        one, two = scores[first[start : start + step]], scores[second[start : start + step]]
        shared = ~(np.isnan(one) | np.isnan(two))
        scale = np.where(shared, np.maximum(np.abs(one), np.abs(two)), 0.0).max(axis=1, initial=0.0)
        blocks.append(row_moments(one - two, scale, omit_missing=True))
    return concatenate_moments(blocks)


def concatenate_moments(blocks: Sequence[DifferenceMoments]) -> DifferenceMoments:
    """One object from the moments of successive blocks of rows, at least one."""
    columns = ([getattr(block, name) for block in blocks] for name in ("mean", "sd", "n_splits", "kind", "tolerance"))
    return DifferenceMoments(*(np.concatenate(column) for column in columns))


CANCELS_BELOW = 1e-2
"""Share of the two models' own squares below which the matrix product would lose more than about 1e-13."""

OFFSET_BELOW = 1e-5
"""The same for the squares before each model's own mean was taken off."""

_BLOCK = 500_000
"""Numbers handled at a time where pairs are computed directly (4 MB)."""


def _kind_of(mean: FloatArray, largest_deviation: FloatArray, tolerance: FloatArray) -> NDArray[np.int8]:
    """SPREAD, IDENTICAL or CONSTANT, by design promise 5."""
    flat = np.where(np.abs(mean) <= tolerance, IDENTICAL, CONSTANT)
    return np.where(largest_deviation <= tolerance, flat, SPREAD).astype(np.int8)


def _settled(
    mean: FloatArray, sd: FloatArray, n: IntArray | int, kind: NDArray[np.int8], tolerance: FloatArray
) -> DifferenceMoments:
    """Rows without spread get sd exactly 0, identical ones mean exactly 0, undefined ones nan."""
    sd = np.where(kind == SPREAD, sd, np.where(kind == UNDEFINED, np.nan, 0.0))
    return DifferenceMoments(np.where(kind == IDENTICAL, 0.0, mean), sd, n, kind, tolerance)


def corrected_standard_error(moments: DifferenceMoments, test_train_ratio: ArrayLike) -> FloatArray:
    """Standard error of a mean over splits that share training data: sqrt(1/n + n_test/n_train) s.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003, section 3.
    """
    return np.asarray(np.sqrt(1.0 / np.maximum(moments.n_splits, 1) + np.asarray(test_train_ratio)) * moments.sd)


def plain(values: FloatArray) -> FloatArray:
    """A single number as a Python float, which prints as one; anything else as it is."""
    return float(values) if np.ndim(values) == 0 else values  # type: ignore[return-value]


def divide(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Quotient without warnings: 0/0 is nan; x/0, and what is too large for a float, is infinite with the sign of x."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.divide(np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)))


# --- Checks, one for each kind of input -----------------------------------------------------------------------------


def check_differences(differences: ArrayLike, *, min_splits: int = 2) -> FloatArray:
    """Array of floats with the splits on the last axis; raises where that cannot be."""
    try:
        d = np.asarray(differences, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidScoresError(
            f"the differences must be numbers in rows of equal length; {error}. Pass an array of shape (..., n_splits)."
        ) from None
    if d.ndim == 0:
        raise InvalidScoresError(f"the differences must be a sequence, one per split; got the single value {d!s}.")
    if d.shape[-1] < min_splits:
        raise TooFewSplitsError(
            f"{d.shape[-1]} split(s), but at least {min_splits} are needed to estimate how much a difference varies. "
            "Evaluate on more splits, for example repeated k-fold."
        )
    return d


def check_ratio(test_train_ratio: ArrayLike, rows: tuple[int, ...] = ()) -> FloatArray:
    """Ratios n_test / n_train, finite and not negative: one, or one for each row of differences."""
    ratio = np.asarray(test_train_ratio, dtype=float)
    _check_fits(ratio, rows, "test_train_ratio", "the mean over the splits")
    if np.any(~np.isfinite(ratio)) or np.any(ratio < 0):
        raise InvalidParameterError(
            f"test_train_ratio must be n_test / n_train, a finite number of at least 0; got {test_train_ratio!r}."
        )
    return ratio


def check_scale(scale: ArrayLike | None, rows: tuple[int, ...] = ()) -> FloatArray | None:
    """Sizes of scores, finite and not negative, one or one for each row of differences; or None."""
    if scale is None:
        return None
    size = np.asarray(scale, dtype=float)
    _check_fits(size, rows, "scale", "the largest over the splits")
    if np.any(~np.isfinite(size)) or np.any(size < 0):
        raise InvalidParameterError(f"scale must be the largest |score|, a finite number of at least 0; got {scale!r}.")
    return size


def _check_fits(values: FloatArray, rows: tuple[int, ...], name: str, each: str) -> None:
    """One value for each split would silently be taken for one for each row, or make rows of its own."""
    try:
        fits = np.broadcast_shapes(values.shape, rows) == rows
    except ValueError:
        fits = False
    if not fits:
        raise InvalidParameterError(
            f"{name} is one number, or one for each row of differences, {each}; got the shape {values.shape} for rows of the "
            f"shape {rows}."
        )


def check_score_table(scores: ArrayLike) -> FloatArray:
    """Finite scores of shape (n_models, n_splits), two splits or more."""
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 1:
        raise InvalidScoresError(f"the scores must be an array of shape (n_models, n_splits); got the shape {table.shape}.")
    if table.shape[1] < 2:
        raise TooFewSplitsError(f"{table.shape[1]} split(s), but at least 2 are needed to estimate how much the scores vary.")
    if not np.all(np.isfinite(table)):
        raise InvalidScoresError("the scores must be complete and finite; leave out models or splits that are not.")
    return table


def check_rope(rope: float) -> float:
    """Half-width of the region of practical equivalence, finite and not negative."""
    if not _is_number(rope) or not np.isfinite(rope) or rope < 0:
        raise InvalidParameterError(
            f"rope must be a finite half-width of at least 0, in the metric's unit; got {rope!r}. "
            "It is the largest difference that does not matter to you, e.g. 0.01 for one point of accuracy."
        )
    return float(rope)


def check_probability(value: float, name: str, *, low: float = 0.0, high: float = 1.0) -> float:
    """A number strictly between `low` and `high`."""
    if not _is_number(value) or not low < value < high:
        hint = f" Did you mean {value / 100:g}?" if _is_number(value) and low < value / 100 < high and value >= 1 else ""
        raise InvalidParameterError(f"{name} must lie between {low:g} and {high:g}, ends excluded; got {value!r}.{hint}")
    return float(value)


def check_seed(rng: object) -> None:
    """A whole number that is not negative."""
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InvalidParameterError(f"rng must be a whole number of at least 0, or a numpy Generator; got {rng!r}.")


def check_alternative(alternative: str) -> Alternative:
    """One of the three alternatives."""
    if alternative not in get_args(Alternative):
        raise InvalidParameterError(f"alternative must be 'two-sided', 'greater' or 'less'; got {alternative!r}.")
    return alternative  # type: ignore[return-value]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))
