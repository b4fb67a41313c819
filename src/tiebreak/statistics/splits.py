"""Mean differences over splits: corrected for the training data that splits share, and as if they shared none."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tiebreak.numerics import (
    DifferenceMoments,
    check_differences,
    check_ratio,
    check_scale,
    corrected_standard_error,
    row_moments,
)
from tiebreak.numerics.law import Law, student


def corrected_t(
    differences: ArrayLike, test_train_ratio: ArrayLike, *, scale: ArrayLike | None = None, omit_missing: bool = False
) -> Law:
    """Law of the mean difference of cross-validated scores, with the variance raised for shared training data.

    Its tails are the p-values of the corrected resampled t-test [NB03]_, and at once the probabilities of the Bayesian correlated
    t-test: with the prior 1 / sigma^2 of [CB15]_ and the correlation n_test / (n_test + n_train) between splits the posterior
    has the same location, scale and degrees of freedom [B17]_.

    Parameters
    ----------
    differences : array_like of shape (..., n_splits)
        First model minus second, one per split, in the metric's unit; positive favours the first.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean ``n_test / n_train`` of the splits, without unit; 1 / (n_folds - 1) for k-fold.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted; spread below 1e-12 of it is rounding noise. The largest absolute difference of
        the row if not given.
    omit_missing : bool, default False
        Leave out the splits that are nan, instead of calling the row undefined.

    Returns
    -------
    Law
        Student's with n_splits - 1 degrees of freedom, of shape (...). A row without spread is "identical" (all zero), with
        p-value 1, or "constant", with statistic infinite and p-value nan; one with a value that is nan or infinite is undefined.

    Raises
    ------
    TooFewSplitsError
        Fewer than two splits.
    InvalidParameterError
        A ratio or scale that is negative or not finite.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003, section 3.
    .. [BF04] R. Bouckaert, E. Frank. Evaluating the replicability of significance tests for comparing learning
       algorithms. PAKDD 2004 (the form for repeated k-fold).
    .. [CB15] G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
       Machine Learning 100, 2015, section 3.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 3.1.

    Examples
    --------
    >>> law = corrected_t([0.03, 0.01, 0.02, 0.05, -0.01], 1 / 4)
    >>> round(law.statistic, 3), round(law.pvalue(), 3), [round(p, 3) for p in law.probabilities(rope=0.01)]
    (1.333, 0.253, [0.729, 0.213, 0.058])
    """
    d = check_differences(differences)
    ratio = check_ratio(test_train_ratio, d.shape[:-1])
    return law_of_moments(row_moments(d, check_scale(scale, d.shape[:-1]), omit_missing=omit_missing), ratio)


def paired_t(differences: ArrayLike, *, scale: ArrayLike | None = None, omit_missing: bool = False) -> Law:
    """Law of a mean of independent differences: the ordinary paired t-test.

    Right for runs with their own seeds, too sure for scores of overlapping training sets. Parameters and result are those of
    `corrected_t` without the ratio.

    Examples
    --------
    >>> round(paired_t([0.03, 0.01, 0.02, 0.05, -0.01]).pvalue(), 3)
    0.116
    """
    return corrected_t(differences, 0.0, scale=scale, omit_missing=omit_missing)


def law_of_moments(moments: DifferenceMoments, test_train_ratio: ArrayLike) -> Law:
    """Law of `corrected_t` from moments that are known already, for many pairs at once."""
    se = corrected_standard_error(moments, test_train_ratio)  # [NB03]
    return student(
        moments.mean, se, moments.df, n_units=moments.n_splits, kind=moments.kind, tolerance=moments.tolerance, is_posterior=True
    )
