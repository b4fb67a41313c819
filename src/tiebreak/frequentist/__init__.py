"""Tests on arrays, one file per family; nothing here knows of tables."""

from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
from tiebreak.frequentist.resampled_t import TTestResult, corrected_ttest, paired_ttest
from tiebreak.frequentist.winner_bootstrap import WinnerBootstrap, bootstrap_winner, bootstrap_winner_by
from tiebreak.numerics import student_quantile

__all__ = [
    "TTestResult",
    "WinnerBootstrap",
    "adjust_pvalues",
    "bootstrap_winner",
    "bootstrap_winner_by",
    "corrected_ttest",
    "equivalence_pvalue",
    "noninferiority_pvalue",
    "paired_ttest",
    "student_quantile",
    "superiority_pvalue",
]
