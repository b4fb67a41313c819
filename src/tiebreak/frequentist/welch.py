"""Difference of two means from independent samples: of two test sets, or of two training procedures over their seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist.clusters import ClusteredMeanResult, ClusterSums, mean_of_clusters
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED, divide, floats, plain


def welch_ttest(first: ArrayLike, second: ArrayLike) -> ClusteredMeanResult:
    """Compare the means of two samples that share nothing.

    For two models on the same examples it is the wrong test: take the differences, and `clustered_mean`.

    Parameters
    ----------
    first, second : array_like of shape (..., n_first) and (..., n_second)
        Scores of each model, in the metric's unit; nan makes a row undefined.

    Returns
    -------
    ClusteredMeanResult
        The difference, first minus second, its standard error ``sqrt(s1^2 / n1 + s2^2 / n2)`` and Welch's degrees of freedom
        [W47]_; ``.pvalue()`` and ``.confidence_interval()`` follow. `n_examples` counts both samples.

    Raises
    ------
    InvalidScoresError
        Fewer than two scores of either.

    References
    ----------
    .. [W47] B. L. Welch. The generalization of "Student's" problem when several different population variances are involved.
       Biometrika 34, 1947.

    Examples
    --------
    >>> import tiebreak as tb
    >>> result = tb.frequentist.welch_ttest([0.91, 0.93, 0.92, 0.94], [0.88, 0.93, 0.86])
    >>> round(result.estimate, 3), round(result.pvalue(), 3)
    (0.035, 0.229)
    """
    samples = [floats(first, "first"), floats(second, "second")]
    for name, values in zip(("first", "second"), samples, strict=True):
        if values.ndim == 0 or values.shape[-1] < 2:
            raise InvalidScoresError(f"{name} needs two scores or more, or nothing is known of their spread; got {values.size}.")
        if np.isinf(values).any():
            raise InvalidScoresError(f"{name} must be finite, or nan where a score is missing.")
    one, other = (mean_of_clusters(_unclustered(values)) for values in samples)
    v, w = np.square(one.standard_error), np.square(other.standard_error)
    df = divide((v + w) ** 2, v**2 / (samples[0].shape[-1] - 1) + w**2 / (samples[1].shape[-1] - 1))
    difference = np.asarray(one.estimate) - other.estimate
    size = np.maximum(np.abs(one.estimate), np.abs(other.estimate))
    flat = np.where(np.abs(difference) <= 1e-12 * size, IDENTICAL, CONSTANT)
    kind = np.where(v + w > 0, SPREAD, np.where(np.isnan(v + w), UNDEFINED, flat)).astype(np.int8)
    n = samples[0].shape[-1] + samples[1].shape[-1]
    difference = np.where(kind == IDENTICAL, 0.0, difference)
    return ClusteredMeanResult("welch", plain(difference), plain(np.sqrt(v + w)), plain(df), n, n, kind)


def _unclustered(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> ClusterSums:
    ones = np.ones(values.shape)
    return ClusterSums(values, ones, ones, values.shape[-1])
