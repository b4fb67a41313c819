"""t-tests on paired differences of scores: corrected for shared training data, and the ordinary one for contrast."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics import (
    Alternative,
    DifferenceMoments,
    FloatArray,
    IntArray,
    Interval,
    StudentDistribution,
    check_alternative,
    check_differences,
    check_ratio,
    check_scale,
    corrected_standard_error,
    plain,
    row_moments,
)


@dataclass(frozen=True, slots=True)
class TTestResult:
    """Outcome of a t-test on each row of differences; arrays of the rows' shape.

    Attributes
    ----------
    difference : ndarray
        Mean difference in the metric's unit; positive favours the first model.
    standard_error : ndarray
        In the metric's unit; 0 in a row without spread.
    df : ndarray or int
        Degrees of freedom.
    statistic : ndarray
        difference / standard_error.
    pvalue : ndarray
        For the alternative that was asked for.
    tolerance : ndarray
        Differences up to this size, in the metric's unit, are rounding noise.
    """

    difference: FloatArray
    standard_error: FloatArray
    df: IntArray | int
    statistic: FloatArray
    pvalue: FloatArray
    tolerance: FloatArray = field(repr=False)

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Two-sided interval of the mean difference, in the metric's unit; nan in a row without spread.

        Parameters
        ----------
        level : float
            Coverage, between 0 and 1.
        """
        return self.student.confidence_interval(level)

    def mirrored(self) -> TTestResult:
        """Test with first and second model exchanged; a two-sided p-value stays as it is."""
        return replace(self, difference=0.0 - self.difference, statistic=0.0 - self.statistic)

    def interval_at(self, alpha: float) -> Interval:
        """As `confidence_interval` at level 1 - alpha; keeps its digits when alpha is tiny."""
        return self.student.interval(alpha)

    @property
    def student(self) -> StudentDistribution:
        """Confidence distribution of the mean difference."""
        return StudentDistribution(self.difference, self.standard_error, self.df)


def corrected_ttest(
    differences: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    alternative: Alternative = "two-sided",
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> TTestResult:
    """Paired t-test for cross-validated scores, with the variance raised for shared training data.

    Parameters
    ----------
    differences : array_like of shape (..., n_splits)
        First model minus second, one per split, in the metric's unit; positive favours the first.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean ``n_test / n_train`` of the splits, without unit; 1 / (n_folds - 1) for k-fold.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first model is better. A direction picked after looking at the data doubles the error rate.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted; spread below 1e-12 of it is rounding noise. The largest absolute difference of
        the row if not given.
    omit_missing : bool, default False
        Leave out the splits that are nan, instead of returning nan for the row.

    Returns
    -------
    TTestResult
        A row of zeros: statistic nan, p-value 1. A constant row: statistic infinite, p-value nan. A row with a value that
        is nan or infinite: all nan.

    Raises
    ------
    TooFewSplitsError
        Fewer than two splits.
    InvalidParameterError
        A ratio or scale that is negative or not finite, an unknown alternative.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003, section 3.
    .. [BF04] R. Bouckaert, E. Frank. Evaluating the replicability of significance tests for comparing learning
       algorithms. PAKDD 2004 (the form for repeated k-fold).

    Examples
    --------
    >>> result = corrected_ttest([0.03, 0.01, 0.02, 0.05, -0.01], test_train_ratio=1 / 4)
    >>> round(float(result.statistic), 3), round(float(result.pvalue), 3)
    (1.333, 0.253)
    """
    d = check_differences(differences)
    ratio = check_ratio(test_train_ratio, d.shape[:-1])
    moments = row_moments(d, check_scale(scale, d.shape[:-1]), omit_missing=omit_missing)
    return ttest_of_moments(moments, ratio, check_alternative(alternative))


def paired_ttest(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> TTestResult:
    """Ordinary paired t-test: right for independent differences, too confident for scores of overlapping training sets.

    Parameters and result are those of `corrected_ttest`, without the ratio.
    """
    return corrected_ttest(differences, test_train_ratio=0.0, alternative=alternative, scale=scale, omit_missing=omit_missing)


def ttest_of_moments(moments: DifferenceMoments, test_train_ratio: ArrayLike, alternative: Alternative) -> TTestResult:
    """The test of `corrected_ttest` from moments that are known already, for many pairs at once."""
    standard_error = corrected_standard_error(moments, test_train_ratio)  # [NB03]
    return ttest_of_means(moments.mean, standard_error, moments.df, moments.tolerance, alternative)


def ttest_of_means(
    mean: FloatArray, standard_error: FloatArray, df: IntArray | int, tolerance: ArrayLike, alternative: Alternative
) -> TTestResult:
    """The test of `corrected_ttest` from mean differences and their standard errors."""
    student = StudentDistribution(mean, standard_error, df)
    pvalue = student.pvalue(alternative)
    return TTestResult(plain(mean), plain(standard_error), df, student.statistic, pvalue, plain(np.asarray(tolerance)))
