"""Prediction-powered means: many examples that a model judged, corrected by the few that people judged too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import FloatArray, Interval, StudentDistribution, divide, plain


@dataclass(frozen=True, slots=True)
class PredictionPoweredResult:
    """A mean as people would judge it; arrays over pairs of models, or single numbers.

    Attributes
    ----------
    estimate : ndarray or float
        In the unit of the labels.
    standard_error : ndarray or float
    df : float
        Degrees of freedom, those of the labelled examples.
    tuning : ndarray or float
        Weight of the judge: 0 is the mean of the labels alone, 1 trusts the judge but for the mean of its errors.
    labels_estimate, labels_standard_error : ndarray or float
        The mean of the labels alone, for contrast.
    n_labelled, n_judged : int
    """

    estimate: FloatArray
    standard_error: FloatArray
    df: float
    tuning: FloatArray
    labels_estimate: FloatArray
    labels_standard_error: FloatArray
    n_labelled: int
    n_judged: int

    def pvalue(self) -> FloatArray:
        """Two-sided, of a mean of 0."""
        return self.student.pvalue()

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Two-sided Student interval; nan where nothing varies."""
        return self.student.confidence_interval(level)

    @property
    def student(self) -> StudentDistribution:
        """Confidence distribution of the mean."""
        return StudentDistribution(self.estimate, self.standard_error, self.df)


def prediction_powered_mean(
    labels: ArrayLike,
    judged_labelled: ArrayLike,
    judged: ArrayLike,
    *,
    tuning: float | None = None,
    is_pooled: bool = False,
) -> PredictionPoweredResult:
    """Mean of what people would say of all examples, from labels of a few and a judge's scores of all.

    For two models pass differences everywhere: the label of the first minus that of the second, and so for the judge.

    Parameters
    ----------
    labels : array_like of shape (..., n_labelled)
        What people said.
    judged_labelled : array_like of the same shape
        What the judge said of the same examples.
    judged : array_like of shape (..., n_judged)
        What the judge said of further examples, drawn like the labelled ones.
    tuning : float, optional
        Weight of the judge. Estimated if not given: the covariance of label and judge over (1 + n_labelled / n_judged) times the
        variance of all of the judge's scores. So the answer is, but for that estimation, never less sure than the labels alone: a
        useless judge gets a weight near 0.
    is_pooled : bool, default False
        One weight for all rows, from their covariances and variances together: then means of models subtract to the mean of
        their differences.

    Returns
    -------
    PredictionPoweredResult

    Raises
    ------
    InvalidScoresError
        Fewer than three labels, fewer than two further examples, values that are not finite, or shapes that do not go together.

    References
    ----------
    .. [A23a] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic. Prediction-powered inference. Science 382, 2023.
    .. [A23b] A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv 2311.01453, 2023.

    Examples
    --------
    >>> result = prediction_powered_mean([1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1])
    >>> round(result.estimate, 3), round(result.standard_error, 3), round(result.labels_standard_error, 3)
    (0.626, 0.202, 0.211)
    """
    y, f, g = (np.asarray(each, dtype=float) for each in (labels, judged_labelled, judged))
    if y.shape != f.shape or y.ndim == 0 or y.shape[-1] < 3 or g.ndim == 0 or g.shape[-1] < 2:
        raise InvalidScoresError(
            "three labels or more, a judgement of the same examples, and two further judgements or more are needed; got the "
            f"shapes {y.shape}, {f.shape} and {g.shape}."
        )
    if not all(np.isfinite(each).all() for each in (y, f, g)):
        raise InvalidScoresError("labels and judgements must be finite; leave out examples without.")
    n, m = y.shape[-1], g.shape[-1]
    centred_y, centred_f = y - y.mean(axis=-1, keepdims=True), f - f.mean(axis=-1, keepdims=True)
    if tuning is None:
        together = (centred_y * centred_f).sum(axis=-1) / (n - 1)
        spread = np.concatenate([f, np.broadcast_to(g, (*f.shape[:-1], m))], axis=-1).var(axis=-1, ddof=1)
        if is_pooled:
            together, spread = (np.full(y.shape[:-1], np.sum(each)) for each in (together, spread))
        weight = np.nan_to_num(divide(together, (1 + n / m) * spread), posinf=0.0, neginf=0.0)  # [A23b]_, example of a mean
    else:
        weight = np.full(y.shape[:-1], float(tuning))
    used = 1 if tuning is None else 0  # degrees of freedom of the estimated weight
    rest = (centred_y - weight[..., None] * centred_f) ** 2
    variance = rest.sum(axis=-1) / (n - 1 - used) / n + weight**2 * g.var(axis=-1, ddof=1) / m
    estimate = y.mean(axis=-1) + weight * (g.mean(axis=-1) - f.mean(axis=-1))
    alone = np.sqrt((centred_y**2).sum(axis=-1) / (n - 1) / n)
    return PredictionPoweredResult(
        plain(estimate), plain(np.sqrt(variance)), float(n - 1 - used), plain(weight), plain(y.mean(axis=-1)), plain(alone), n, m
    )
