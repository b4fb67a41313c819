"""Area under the ROC curve: how often a positive example stands above a negative one, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import FloatArray, IntArray, Interval, check_probability, plain


@dataclass(frozen=True, slots=True)
class AucResult:
    """Areas under ROC curves; arrays of the shape that the scores have without their last axis.

    Attributes
    ----------
    auc : ndarray
        Share of pairs, a positive and a negative example, that are in the right order; ties count half. nan where there is no
        such pair, or where a score is nan.
    variance : ndarray
        Of the area, over samples of examples for the same model; nan with fewer than two examples of either kind.
    n_positive, n_negative : int
    pairs_won, pairs_tied : ndarray
        Pairs in which the positive example has the higher score, and those in which both have the same; of all
        ``n_positive * n_negative``.
    """

    auc: FloatArray
    variance: FloatArray
    n_positive: int
    n_negative: int
    pairs_won: IntArray
    pairs_tied: IntArray

    @property
    def standard_error(self) -> FloatArray:
        """Square root of the variance."""
        return plain(np.sqrt(self.variance))

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Two-sided normal interval of the area, cut at 0 and 1; nan where the variance is 0, which is no certainty.

        Parameters
        ----------
        level : float
            Coverage, between 0 and 1.
        """
        from scipy.special import ndtri

        level = check_probability(level, "level")
        half_width = np.where(np.asarray(self.variance) > 0, -ndtri((1 - level) / 2) * np.sqrt(self.variance), np.nan)
        return Interval(plain(np.maximum(self.auc - half_width, 0.0)), plain(np.minimum(self.auc + half_width, 1.0)))


def delong_auc(is_positive: ArrayLike, scores: ArrayLike) -> AucResult:
    """Area under the ROC curve with DeLong's variance.

    The variance is about other examples for the same fitted model. It knows nothing of other training sets.

    Parameters
    ----------
    is_positive : array_like of bool, of shape (n_examples,)
    scores : array_like of shape (..., n_examples)
        The higher, the more the model is for "positive".

    Returns
    -------
    AucResult

    Raises
    ------
    InvalidScoresError
        Shapes that do not go together.

    References
    ----------
    .. [DDC88] E. DeLong, D. DeLong, D. Clarke-Pearson. Comparing the areas under two or more correlated receiver operating
       characteristic curves: a nonparametric approach. Biometrics 44, 1988.
    .. [SX14] X. Sun, W. Xu. Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver
       operating characteristic curves. IEEE Signal Processing Letters 21, 2014 (by sorting, instead of all pairs).

    Examples
    --------
    >>> result = delong_auc([1, 1, 0, 0, 0, 1, 0, 1, 0, 1], [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
    >>> result.auc, result.pairs_won, result.pairs_tied, round(result.variance, 6)
    (0.56, 13, 2, 0.0462)
    """
    truth, values = np.asarray(is_positive, dtype=bool), np.asarray(scores, dtype=float)
    if truth.ndim != 1 or values.ndim == 0 or values.shape[-1] != truth.size:
        raise InvalidScoresError(
            f"is_positive has the shape {truth.shape} and scores {values.shape}; one score is needed for each example, on the "
            "last axis."
        )
    rows = values.reshape(-1, truth.size)
    columns = zip(*(_area(row[truth], row[~truth]) for row in rows), strict=True)
    auc, variance, won, tied = (np.array(column).reshape(values.shape[:-1]) for column in columns)
    n_positive = int(np.count_nonzero(truth))
    return AucResult(plain(auc), plain(variance), n_positive, truth.size - n_positive, _whole(won), _whole(tied))


def _whole(counts: IntArray) -> IntArray:
    """A single number as a Python int; an array as it is."""
    return int(counts) if counts.ndim == 0 else counts  # type: ignore[return-value]


def _area(positive: FloatArray, negative: FloatArray) -> tuple[float, float, int, int]:
    """Area, variance, pairs won and pairs tied of one row of scores."""
    n_positive, n_negative = positive.size, negative.size
    if not (n_positive and n_negative) or np.isnan(positive).any() or np.isnan(negative).any():
        return np.nan, np.nan, 0, 0
    below, equal = _counts(positive, negative)
    won, tied = int(below.sum()), int(equal.sum())
    auc = (2 * won + tied) / (2 * n_positive * n_negative)
    if min(n_positive, n_negative) < 2:
        return auc, np.nan, won, tied
    of_positive = (below + equal / 2) / n_negative  # the structural components of [DDC88]_, by sorting as in [SX14]_
    below, equal = _counts(negative, positive)
    of_negative = (below + equal / 2) / n_positive
    variance = of_positive.var(ddof=1) / n_positive + of_negative.var(ddof=1) / n_negative
    return auc, float(variance), won, tied


def _counts(values: FloatArray, others: FloatArray) -> tuple[IntArray, IntArray]:
    """For each value, how many of the others are below it, and how many equal it."""
    ordered = np.sort(others)
    below = ordered.searchsorted(values)
    return below, ordered.searchsorted(values, "right") - below
