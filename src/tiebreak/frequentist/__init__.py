"""Tests on arrays, one file per family; nothing here knows of tables."""

from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.doubling_gain import DoublingGain, doubling_gain
from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
from tiebreak.frequentist.resampled_t import TTestResult, corrected_ttest, paired_ttest
from tiebreak.numerics import student_quantile

__all__ = [
    "DoublingGain",
    "TTestResult",
    "adjust_pvalues",
    "corrected_ttest",
    "doubling_gain",
    "equivalence_pvalue",
    "noninferiority_pvalue",
    "paired_ttest",
    "student_quantile",
    "superiority_pvalue",
]
