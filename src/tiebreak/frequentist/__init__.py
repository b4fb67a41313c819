"""Tests on arrays, one file per family; nothing here knows of tables."""

from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.bbc_cv import WinnerBootstrap, bootstrap_winner, bootstrap_winner_by
from tiebreak.frequentist.corrected_t import TTestResult, corrected_ttest, paired_ttest
from tiebreak.frequentist.delong import AucResult, delong_auc
from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
from tiebreak.frequentist.kfold_t import KFoldTResult, kfold_ttest
from tiebreak.frequentist.more_data import DoublingGain, doubling_gain
from tiebreak.frequentist.proportions import (
    IndependentProportionsResult,
    ZTest,
    independent_proportions,
    proportion_interval,
)
from tiebreak.numerics import student_quantile

__all__ = [
    "AucResult",
    "DoublingGain",
    "IndependentProportionsResult",
    "KFoldTResult",
    "TTestResult",
    "WinnerBootstrap",
    "ZTest",
    "adjust_pvalues",
    "bootstrap_winner",
    "bootstrap_winner_by",
    "corrected_ttest",
    "delong_auc",
    "doubling_gain",
    "equivalence_pvalue",
    "independent_proportions",
    "kfold_ttest",
    "noninferiority_pvalue",
    "paired_ttest",
    "proportion_interval",
    "student_quantile",
    "superiority_pvalue",
]
