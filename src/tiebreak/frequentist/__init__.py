"""Tests on arrays, one file per family; nothing here knows of tables. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.frequentist.adjustment import adjust_pvalues
    from tiebreak.frequentist.bbc_cv import WinnerBootstrap, bootstrap_winner, bootstrap_winner_by
    from tiebreak.frequentist.corrected_t import TTestResult, corrected_ttest, paired_ttest
    from tiebreak.frequentist.delong import AucResult, delong_auc
    from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
    from tiebreak.frequentist.kfold_t import KFoldTResult, kfold_ttest
    from tiebreak.frequentist.more_data import DoublingGain, doubling_gain
    from tiebreak.frequentist.proportions import IndependentProportionsResult, ZTest, independent_proportions, proportion_interval
    from tiebreak.frequentist.score_interval import (
        NestedCvInterval,
        ScoreInterval,
        conservative_z_interval,
        corrected_t_interval,
        cv_wald_interval,
        nested_cv_interval,
    )
    from tiebreak.numerics import student_quantile

_HOMES = {
    "AucResult": "tiebreak.frequentist.delong",
    "DoublingGain": "tiebreak.frequentist.more_data",
    "IndependentProportionsResult": "tiebreak.frequentist.proportions",
    "KFoldTResult": "tiebreak.frequentist.kfold_t",
    "NestedCvInterval": "tiebreak.frequentist.score_interval",
    "ScoreInterval": "tiebreak.frequentist.score_interval",
    "TTestResult": "tiebreak.frequentist.corrected_t",
    "WinnerBootstrap": "tiebreak.frequentist.bbc_cv",
    "ZTest": "tiebreak.frequentist.proportions",
    "adjust_pvalues": "tiebreak.frequentist.adjustment",
    "bootstrap_winner": "tiebreak.frequentist.bbc_cv",
    "bootstrap_winner_by": "tiebreak.frequentist.bbc_cv",
    "conservative_z_interval": "tiebreak.frequentist.score_interval",
    "corrected_t_interval": "tiebreak.frequentist.score_interval",
    "corrected_ttest": "tiebreak.frequentist.corrected_t",
    "cv_wald_interval": "tiebreak.frequentist.score_interval",
    "delong_auc": "tiebreak.frequentist.delong",
    "doubling_gain": "tiebreak.frequentist.more_data",
    "equivalence_pvalue": "tiebreak.frequentist.equivalence",
    "independent_proportions": "tiebreak.frequentist.proportions",
    "kfold_ttest": "tiebreak.frequentist.kfold_t",
    "nested_cv_interval": "tiebreak.frequentist.score_interval",
    "noninferiority_pvalue": "tiebreak.frequentist.equivalence",
    "paired_ttest": "tiebreak.frequentist.corrected_t",
    "proportion_interval": "tiebreak.frequentist.proportions",
    "student_quantile": "tiebreak.numerics",
    "superiority_pvalue": "tiebreak.frequentist.equivalence",
}

__all__ = [
    "AucResult",
    "DoublingGain",
    "IndependentProportionsResult",
    "KFoldTResult",
    "NestedCvInterval",
    "ScoreInterval",
    "TTestResult",
    "WinnerBootstrap",
    "ZTest",
    "adjust_pvalues",
    "bootstrap_winner",
    "bootstrap_winner_by",
    "conservative_z_interval",
    "corrected_t_interval",
    "corrected_ttest",
    "cv_wald_interval",
    "delong_auc",
    "doubling_gain",
    "equivalence_pvalue",
    "independent_proportions",
    "kfold_ttest",
    "nested_cv_interval",
    "noninferiority_pvalue",
    "paired_ttest",
    "proportion_interval",
    "student_quantile",
    "superiority_pvalue",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.frequentist' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
