"""Tests on arrays, one file per family; nothing here knows of tables. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.frequentist.adjustment import adjust_pvalues
    from tiebreak.frequentist.bbc_cv import WinnerBootstrap, bootstrap_winner, bootstrap_winner_by
    from tiebreak.frequentist.bootstrap import (
        BootstrapResult,
        bootstrap_auc,
        bootstrap_correlation,
        bootstrap_function,
        bootstrap_mean,
        bootstrap_median,
        bootstrap_metric,
        bootstrap_sums,
    )
    from tiebreak.frequentist.clusters import ClusteredMeanResult, ClusterSums, cluster_sums, clustered_mean, mean_of_clusters
    from tiebreak.frequentist.confidence_set import ModelConfidenceSetResult, model_confidence_set
    from tiebreak.frequentist.corrected_t import TTestResult, corrected_ttest, paired_ttest
    from tiebreak.frequentist.crossed_runs import CrossedMeanResult, crossed_mean
    from tiebreak.frequentist.delong import (
        AucContrastResult,
        AucDifferenceResult,
        AucResult,
        PairedAucResult,
        delong_auc,
        independent_auc_difference,
        paired_auc,
    )
    from tiebreak.frequentist.diebold_mariano import DieboldMarianoResult, diebold_mariano_test
    from tiebreak.frequentist.equivalence import equivalence_pvalue, noninferiority_pvalue, superiority_pvalue
    from tiebreak.frequentist.five_by_two import FiveByTwoResult, five_by_two_cv_test
    from tiebreak.frequentist.kfold_t import KFoldTResult, kfold_ttest
    from tiebreak.frequentist.mcnemar import CochranQResult, McNemarResult, cochran_q_test, mcnemar_test
    from tiebreak.frequentist.more_data import DoublingGain, doubling_gain
    from tiebreak.frequentist.pass_k import pass_at_k
    from tiebreak.frequentist.permutation import PermutationResult, permutation_test_paired, permutation_test_unpaired
    from tiebreak.frequentist.prediction_powered import PredictionPoweredResult, prediction_powered_mean
    from tiebreak.frequentist.proportions import IndependentProportionsResult, ZTest, independent_proportions, proportion_interval
    from tiebreak.frequentist.sample_size import items_needed
    from tiebreak.frequentist.score_interval import (
        NestedCvInterval,
        ScoreInterval,
        conservative_z_interval,
        corrected_t_interval,
        cv_wald_interval,
        nested_cv_interval,
    )
    from tiebreak.frequentist.tango import PairedCounts, PairedProportionsResult, paired_counts, paired_proportions
    from tiebreak.frequentist.welch import welch_ttest
    from tiebreak.numerics import student_quantile

_HOMES = {
    "AucContrastResult": "tiebreak.frequentist.delong",
    "AucDifferenceResult": "tiebreak.frequentist.delong",
    "AucResult": "tiebreak.frequentist.delong",
    "BootstrapResult": "tiebreak.frequentist.bootstrap",
    "ClusterSums": "tiebreak.frequentist.clusters",
    "ClusteredMeanResult": "tiebreak.frequentist.clusters",
    "CochranQResult": "tiebreak.frequentist.mcnemar",
    "CrossedMeanResult": "tiebreak.frequentist.crossed_runs",
    "DieboldMarianoResult": "tiebreak.frequentist.diebold_mariano",
    "DoublingGain": "tiebreak.frequentist.more_data",
    "FiveByTwoResult": "tiebreak.frequentist.five_by_two",
    "IndependentProportionsResult": "tiebreak.frequentist.proportions",
    "KFoldTResult": "tiebreak.frequentist.kfold_t",
    "McNemarResult": "tiebreak.frequentist.mcnemar",
    "ModelConfidenceSetResult": "tiebreak.frequentist.confidence_set",
    "NestedCvInterval": "tiebreak.frequentist.score_interval",
    "PairedAucResult": "tiebreak.frequentist.delong",
    "PairedCounts": "tiebreak.frequentist.tango",
    "PairedProportionsResult": "tiebreak.frequentist.tango",
    "PermutationResult": "tiebreak.frequentist.permutation",
    "PredictionPoweredResult": "tiebreak.frequentist.prediction_powered",
    "ScoreInterval": "tiebreak.frequentist.score_interval",
    "TTestResult": "tiebreak.frequentist.corrected_t",
    "WinnerBootstrap": "tiebreak.frequentist.bbc_cv",
    "ZTest": "tiebreak.frequentist.proportions",
    "adjust_pvalues": "tiebreak.frequentist.adjustment",
    "bootstrap_auc": "tiebreak.frequentist.bootstrap",
    "bootstrap_correlation": "tiebreak.frequentist.bootstrap",
    "bootstrap_function": "tiebreak.frequentist.bootstrap",
    "bootstrap_mean": "tiebreak.frequentist.bootstrap",
    "bootstrap_median": "tiebreak.frequentist.bootstrap",
    "bootstrap_metric": "tiebreak.frequentist.bootstrap",
    "bootstrap_sums": "tiebreak.frequentist.bootstrap",
    "bootstrap_winner": "tiebreak.frequentist.bbc_cv",
    "bootstrap_winner_by": "tiebreak.frequentist.bbc_cv",
    "cluster_sums": "tiebreak.frequentist.clusters",
    "clustered_mean": "tiebreak.frequentist.clusters",
    "cochran_q_test": "tiebreak.frequentist.mcnemar",
    "conservative_z_interval": "tiebreak.frequentist.score_interval",
    "corrected_t_interval": "tiebreak.frequentist.score_interval",
    "corrected_ttest": "tiebreak.frequentist.corrected_t",
    "crossed_mean": "tiebreak.frequentist.crossed_runs",
    "cv_wald_interval": "tiebreak.frequentist.score_interval",
    "delong_auc": "tiebreak.frequentist.delong",
    "diebold_mariano_test": "tiebreak.frequentist.diebold_mariano",
    "doubling_gain": "tiebreak.frequentist.more_data",
    "equivalence_pvalue": "tiebreak.frequentist.equivalence",
    "five_by_two_cv_test": "tiebreak.frequentist.five_by_two",
    "independent_auc_difference": "tiebreak.frequentist.delong",
    "independent_proportions": "tiebreak.frequentist.proportions",
    "items_needed": "tiebreak.frequentist.sample_size",
    "kfold_ttest": "tiebreak.frequentist.kfold_t",
    "mcnemar_test": "tiebreak.frequentist.mcnemar",
    "mean_of_clusters": "tiebreak.frequentist.clusters",
    "model_confidence_set": "tiebreak.frequentist.confidence_set",
    "nested_cv_interval": "tiebreak.frequentist.score_interval",
    "noninferiority_pvalue": "tiebreak.frequentist.equivalence",
    "paired_auc": "tiebreak.frequentist.delong",
    "paired_counts": "tiebreak.frequentist.tango",
    "paired_proportions": "tiebreak.frequentist.tango",
    "paired_ttest": "tiebreak.frequentist.corrected_t",
    "pass_at_k": "tiebreak.frequentist.pass_k",
    "permutation_test_paired": "tiebreak.frequentist.permutation",
    "permutation_test_unpaired": "tiebreak.frequentist.permutation",
    "prediction_powered_mean": "tiebreak.frequentist.prediction_powered",
    "proportion_interval": "tiebreak.frequentist.proportions",
    "student_quantile": "tiebreak.numerics",
    "superiority_pvalue": "tiebreak.frequentist.equivalence",
    "welch_ttest": "tiebreak.frequentist.welch",
}

__all__ = [
    "AucContrastResult",
    "AucDifferenceResult",
    "AucResult",
    "BootstrapResult",
    "ClusterSums",
    "ClusteredMeanResult",
    "CochranQResult",
    "CrossedMeanResult",
    "DieboldMarianoResult",
    "DoublingGain",
    "FiveByTwoResult",
    "IndependentProportionsResult",
    "KFoldTResult",
    "McNemarResult",
    "ModelConfidenceSetResult",
    "NestedCvInterval",
    "PairedAucResult",
    "PairedCounts",
    "PairedProportionsResult",
    "PermutationResult",
    "PredictionPoweredResult",
    "ScoreInterval",
    "TTestResult",
    "WinnerBootstrap",
    "ZTest",
    "adjust_pvalues",
    "bootstrap_auc",
    "bootstrap_correlation",
    "bootstrap_function",
    "bootstrap_mean",
    "bootstrap_median",
    "bootstrap_metric",
    "bootstrap_sums",
    "bootstrap_winner",
    "bootstrap_winner_by",
    "cluster_sums",
    "clustered_mean",
    "cochran_q_test",
    "conservative_z_interval",
    "corrected_t_interval",
    "corrected_ttest",
    "crossed_mean",
    "cv_wald_interval",
    "delong_auc",
    "diebold_mariano_test",
    "doubling_gain",
    "equivalence_pvalue",
    "five_by_two_cv_test",
    "independent_auc_difference",
    "independent_proportions",
    "items_needed",
    "kfold_ttest",
    "mcnemar_test",
    "mean_of_clusters",
    "model_confidence_set",
    "nested_cv_interval",
    "noninferiority_pvalue",
    "paired_auc",
    "paired_counts",
    "paired_proportions",
    "paired_ttest",
    "pass_at_k",
    "permutation_test_paired",
    "permutation_test_unpaired",
    "prediction_powered_mean",
    "proportion_interval",
    "student_quantile",
    "superiority_pvalue",
    "welch_ttest",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.frequentist' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
