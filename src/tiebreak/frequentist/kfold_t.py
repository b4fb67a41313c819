"""The textbook interval for two models on the same k folds, and beside it the one that knows that folds share training data."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tiebreak.numerics import check_differences
from tiebreak.numerics.law import Law
from tiebreak.statistics.splits import corrected_t, paired_t

OVERLAP = (
    "The k models of a cross-validation share most of their training data, so their scores vary less from fold to fold than they "
    "would from one training set to the next. The textbook interval takes them for independent, and misses the true difference "
    "more often than it says. The corrected interval raises the variance from s2 / k to s2 (1 / k + n_test / n_train)."
)
"""What the textbook leaves out, and why it matters."""


@dataclass(frozen=True, slots=True)
class KFoldTResult:
    """Two models on the same folds.

    Attributes
    ----------
    textbook : Law
        Paired t with k - 1 degrees of freedom and the variance of independent folds.
    corrected : Law
        The same with the variance of overlapping training sets (Nadeau and Bengio 2003). This is the one to believe.
    caveat : str
        What the textbook leaves out, and why it matters.
    """

    textbook: Law
    corrected: Law
    caveat: str = OVERLAP


def kfold_ttest(differences: ArrayLike, *, test_train_ratio: ArrayLike | None = None) -> KFoldTResult:
    """Compare two models on the same k folds, as textbooks do it and as it should be done.

    Parameters
    ----------
    differences : array_like of shape (..., k)
        First model minus second, one for each fold, in the metric's unit; positive favours the first.
    test_train_ratio : array_like, optional
        Mean ``n_test / n_train`` of the folds; 1 / (k - 1) if not given, as it is for k folds of one cross-validation.

    Returns
    -------
    KFoldTResult
        ``.textbook.interval(0.95)`` is ``mean +- t(k - 1) s / sqrt(k)``, s with divisor k - 1;
        ``.corrected.interval(0.95)`` is the honest one.

    Raises
    ------
    TooFewSplitsError
        Fewer than two folds.

    References
    ----------
    C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> import tiebreak as tb
    >>> both = tb.frequentist.kfold_ttest([0.02, 0.01, 0.04, -0.01, 0.03])
    >>> [round(float(limit), 3) for limit in both.textbook.interval(0.95)]
    [-0.006, 0.042]
    >>> [round(float(limit), 3) for limit in both.corrected.interval(0.95)]
    [-0.018, 0.054]
    """
    d = check_differences(differences)
    ratio = 1 / (d.shape[-1] - 1) if test_train_ratio is None else test_train_ratio
    return KFoldTResult(paired_t(d), corrected_t(d, ratio))
