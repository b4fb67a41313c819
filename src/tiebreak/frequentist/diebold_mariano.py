"""Diebold and Mariano's test: two forecasts of the same periods, whose losses go together from one period to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import (
    SMALLEST_PVALUE,
    Alternative,
    FloatArray,
    Interval,
    check_alternative,
    check_probability,
    divide,
    plain,
    student_pvalue,
    student_quantile,
)


@dataclass(frozen=True, slots=True)
class DieboldMarianoResult:
    """Mean difference of two series of losses; arrays over pairs of forecasts, or single numbers.

    Attributes
    ----------
    difference : ndarray or float
        Mean of first minus second.
    standard_error : ndarray or float
        With the small-sample factor, so that ``difference / standard_error`` is the corrected statistic.
    df : int
        Number of periods less one.
    is_truncated : ndarray of bool
        The variance of the test was not positive, and Bartlett's weights were taken in its place.
    """

    difference: FloatArray
    standard_error: FloatArray
    df: int
    is_truncated: NDArray[np.bool_]

    @property
    def statistic(self) -> FloatArray:
        """Corrected statistic; nan where the series are the same."""
        return plain(divide(self.difference, self.standard_error))

    def pvalue(self, alternative: Alternative = "two-sided") -> FloatArray:
        """From Student's t with `df` degrees of freedom; 1 where the series are the same, nan where they differ by a constant."""
        found = np.maximum(student_pvalue(self.statistic, self.df, check_alternative(alternative)), SMALLEST_PVALUE)
        same = (np.asarray(self.difference) == 0) & (np.asarray(self.standard_error) == 0)
        return plain(np.where(same, 1.0, np.where(np.isinf(self.statistic), np.nan, found)))

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Two-sided interval of the difference; nan where it does not vary."""
        half = -student_quantile((1 - check_probability(level, "level")) / 2, self.df) * np.asarray(self.standard_error)
        half = np.where(half > 0, half, np.nan)
        return Interval(plain(self.difference - half), plain(self.difference + half))


def diebold_mariano_test(differences: ArrayLike, *, horizon: int = 1) -> DieboldMarianoResult:
    """Compare two forecasts of the same periods.

    Parameters
    ----------
    differences : array_like of shape (..., n_periods)
        Loss of the first forecast minus loss of the second, in the order of time.
    horizon : int, default 1
        Periods from the making of a forecast to the period that it is for; losses further apart count as independent.

    Returns
    -------
    DieboldMarianoResult

    Raises
    ------
    InvalidScoresError
        Fewer than two periods, or losses that are not finite.
    InvalidParameterError
        A horizon of less than 1, or as long as the series.

    Notes
    -----
    The variance of the mean is ``(g0 + 2 (g1 + ... + g(h-1))) / n`` with the autocovariances g of divisor n [DM95]_, times
    ``(n + 1 - 2h + h(h-1)/n)^-1 n`` [HLN97]_. Where it is not positive, Bartlett's weights 1 - k/h take the place of 1.

    References
    ----------
    .. [DM95] F. X. Diebold, R. S. Mariano. Comparing predictive accuracy. Journal of Business & Economic Statistics 13, 1995.
    .. [HLN97] D. Harvey, S. Leybourne, P. Newbold. Testing the equality of prediction mean squared errors. International Journal
       of Forecasting 13, 1997.
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim == 0 or d.shape[-1] < 2 or not np.isfinite(d).all():
        raise InvalidScoresError(
            f"the differences must be finite, one for each of two periods or more; got the shape {d.shape}. A missing period "
            "breaks the order of time; compare an unbroken stretch."
        )
    n = d.shape[-1]
    if isinstance(horizon, bool) or int(horizon) != horizon or not 1 <= horizon < n:
        raise InvalidParameterError(f"horizon must be a whole number from 1 to {n - 1}; got {horizon!r}.", about="horizon")
    h = int(horizon)
    mean = d.mean(axis=-1)
    deviation = d - mean[..., None]
    size = np.abs(d).max(axis=-1)
    flat = np.abs(deviation).max(axis=-1) <= 1e-12 * size
    covariances = np.stack([(deviation[..., k:] * deviation[..., : n - k]).sum(axis=-1) / n for k in range(h)], axis=-1)
    weights = np.where(np.arange(h) == 0, 1.0, 2.0)
    variance = covariances @ weights
    is_truncated = (variance <= 0) & ~flat
    variance = np.where(is_truncated, covariances @ (weights * (1 - np.arange(h) / h)), variance)
    factor = (n + 1 - 2 * h + h * (h - 1) / n) / n  # [HLN97]_
    error = np.where(flat, 0.0, np.sqrt(np.maximum(variance, 0.0) / n / factor))
    mean = np.where(size == 0, 0.0, mean)
    return DieboldMarianoResult(plain(mean), plain(error), n - 1, is_truncated)
