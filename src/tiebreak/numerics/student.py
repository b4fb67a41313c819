"""Student's t distribution with all its digits, fast for many pairs."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics.checks import (
    Alternative,
    FloatArray,
    blocks,
    divide,
    floats_together,
)


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
    if df.ndim == 0 and df > 1 and x.size >= TABLE_PAYS_FROM:
        return _tail_by_table(x, float(df))
    from scipy.special import stdtr

    tail = stdtr(df, -x)
    if np.any(df == 1):
        # stdtr is off by 2e-9 near 0 for one degree of freedom, the Cauchy distribution, whose tail is an arc tangent
        tail = np.where(df == 1, np.arctan2(1.0, x) / np.pi, tail)
    return np.asarray(tail)


DEGREE = 8
"""Of the polynomials of the table."""

BLOCK = 8192
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


def _tail_by_table(x: FloatArray, df: float) -> FloatArray:
    """P(T > x) by piecewise polynomials: six times as fast as scipy's for the pairs of 1,000 models."""
    flat = x.ravel()
    out = np.empty_like(flat)
    for rows in blocks(flat.size, most=BLOCK):
        small = _small_tail(np.abs(flat[rows]), df)
        out[rows] = np.where(flat[rows] < 0, 1.0 - small, small)
    return out.reshape(x.shape)


def _small_tail(x: FloatArray, df: float) -> FloatArray:
    """P(T > x) by the table, of numbers that are not negative."""
    from scipy.special import stdtr

    coefficients, width = _tail_table(df)
    u = np.arcsinh(x / np.sqrt(df))
    position = u / width
    outside = ~(position < coefficients.shape[1])  # nan included
    if outside.any():
        position = np.where(outside, 0.0, position)
    piece = position.astype(np.intp)
    local = 2.0 * (position - piece) - 1.0
    value = coefficients[-1].take(piece)
    for coefficient in coefficients[-2::-1]:
        value *= local
        value += coefficient.take(piece)
    tail = np.minimum(np.exp(value - df * u), 0.5)  # the last digits must not take a p-value beyond 1
    if outside.any():
        tail[outside] = stdtr(df, -x[outside])
    return np.asarray(tail)


TABLE_PAYS_FROM = 20_000
"""Numbers from which building the table (2 ms) costs less than it saves."""


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

    probability, df = floats_together(probability=probability, df=df)
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
    is_normal = np.isinf(df)
    df = np.where(is_normal, 1.0, df)
    log_norm = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi)
    with np.errstate(over="ignore"):  # far out the density is 0
        log_density = log_norm - (df + 1) / 2 * np.log1p(np.square(x) / df)
        normal = -0.5 * np.square(x) - 0.5 * np.log(2 * np.pi)
    return np.asarray(np.where(is_normal, normal, log_density) if np.any(is_normal) else log_density)


def student_multiplier(alpha: ArrayLike, df: ArrayLike) -> FloatArray:
    """Half-width of a two-sided 1 - alpha interval in standard errors; keeps its digits for a tiny alpha."""
    return -student_quantile(np.asarray(alpha, dtype=float) / 2.0, df)


def standardised(at: ArrayLike, location: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Distance of `at` from a location in scales; where the scale is 0 it is 0 at the location, and infinite elsewhere."""
    distance = np.asarray(at, dtype=float) - location
    z = divide(distance, scale)
    is_point = np.asarray(scale) == 0
    return np.where(is_point & (distance == 0), 0.0, z) if np.any(is_point) else z


def defined_freedom(df: ArrayLike) -> FloatArray:
    """Degrees of freedom as they are where they are above 0, else nan."""
    df = np.asarray(df, dtype=float)
    return df if np.all(df > 0) else np.where(df > 0, df, np.nan)


def quantiles_of_many(p: ArrayLike, df: FloatArray) -> FloatArray:
    """As `student_quantile`, for many degrees of freedom of which few differ."""
    if np.ndim(p) or not df.ndim:
        return student_quantile(p, df)
    if df.size and np.all(df == df.flat[0]):  # most often; nan is not
        return np.full(df.shape, student_quantile(p, df.flat[0]))
    different, position = np.unique(df, return_inverse=True)
    return student_quantile(p, different)[position].reshape(df.shape)
