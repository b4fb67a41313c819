"""Tests on arrays, one file per family; nothing here knows of tables."""

from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.auc import AucResult, delong_auc
from tiebreak.frequentist.doubling_gain import DoublingGain, doubling_gain
from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
from tiebreak.frequentist.kfold_t import KFoldTResult, kfold_ttest
from tiebreak.frequentist.proportions import (
    IndependentProportionsResult,
    ZTest,
    independent_proportions,
    proportion_interval,
)
from tiebreak.frequentist.resampled_t import TTestResult, corrected_ttest, paired_ttest
from tiebreak.frequentist.winner_bootstrap import WinnerBootstrap, bootstrap_winner, bootstrap_winner_by
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
