"""Tests on arrays, one file per family; nothing here knows of tables. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.frequentist.adjustment import adjust_pvalues
    from tiebreak.frequentist.aggregates import (
        AggregateResult,
        PerformanceProfile,
        WinTieLoss,
        aggregate_scores,
        performance_profile,
        probability_of_improvement,
        win_tie_loss,
    )
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
    from tiebreak.frequentist.bootstrap_632 import Error632, error_632
    from tiebreak.frequentist.bradley_terry import (
        BradleyTerryBootstrap,
        BradleyTerryResult,
        bradley_terry_bootstrap,
        bradley_terry_mle,
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
    from tiebreak.frequentist.friedman import (
        FriedmanResult,
        OmnibusTest,
        RankDifferences,
        average_ranks,
        friedman_from_ranks,
        friedman_test,
        rank_differences,
        rank_models,
    )
    from tiebreak.frequentist.kfold_t import KFoldTResult, kfold_ttest
    from tiebreak.frequentist.mcnemar import CochranQResult, McNemarResult, cochran_q_test, mcnemar_test
    from tiebreak.frequentist.more_data import DoublingGain, doubling_gain
    from tiebreak.frequentist.nemenyi import (
        NemenyiPool,
        NemenyiResult,
        critical_difference,
        nemenyi_pool,
        nemenyi_test,
        rank_cliques,
        rank_quantile,
    )
    from tiebreak.frequentist.pair_outcomes import PairOutcomes, outcomes_of_battles, outcomes_of_scores
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
    from tiebreak.frequentist.shaffer import bergmann_hommel, shaffer_sets
    from tiebreak.frequentist.sign import CriticalCount, SignTestResult, sign_test, sign_test_critical_value
    from tiebreak.frequentist.signed_rank import SignedRankResult, wilcoxon, wilcoxon_critical_value
    from tiebreak.frequentist.skillings_mack import SkillingsMackResult, skillings_mack_test
    from tiebreak.frequentist.tango import PairedCounts, PairedProportionsResult, paired_counts, paired_proportions
    from tiebreak.frequentist.walsh import hodges_lehmann
    from tiebreak.frequentist.welch import welch_ttest
    from tiebreak.numerics import student_quantile

_HOMES = {
    "AggregateResult": "tiebreak.frequentist.aggregates",
    "AucContrastResult": "tiebreak.frequentist.delong",
    "AucDifferenceResult": "tiebreak.frequentist.delong",
    "AucResult": "tiebreak.frequentist.delong",
    "BootstrapResult": "tiebreak.frequentist.bootstrap",
    "BradleyTerryBootstrap": "tiebreak.frequentist.bradley_terry",
    "BradleyTerryResult": "tiebreak.frequentist.bradley_terry",
    "ClusterSums": "tiebreak.frequentist.clusters",
    "ClusteredMeanResult": "tiebreak.frequentist.clusters",
    "CochranQResult": "tiebreak.frequentist.mcnemar",
    "CriticalCount": "tiebreak.frequentist.sign",
    "CrossedMeanResult": "tiebreak.frequentist.crossed_runs",
    "DieboldMarianoResult": "tiebreak.frequentist.diebold_mariano",
    "DoublingGain": "tiebreak.frequentist.more_data",
    "Error632": "tiebreak.frequentist.bootstrap_632",
    "FiveByTwoResult": "tiebreak.frequentist.five_by_two",
    "FriedmanResult": "tiebreak.frequentist.friedman",
    "IndependentProportionsResult": "tiebreak.frequentist.proportions",
    "KFoldTResult": "tiebreak.frequentist.kfold_t",
    "McNemarResult": "tiebreak.frequentist.mcnemar",
    "ModelConfidenceSetResult": "tiebreak.frequentist.confidence_set",
    "NemenyiPool": "tiebreak.frequentist.nemenyi",
    "NemenyiResult": "tiebreak.frequentist.nemenyi",
    "NestedCvInterval": "tiebreak.frequentist.score_interval",
    "OmnibusTest": "tiebreak.frequentist.friedman",
    "PairOutcomes": "tiebreak.frequentist.pair_outcomes",
    "PairedAucResult": "tiebreak.frequentist.delong",
    "PairedCounts": "tiebreak.frequentist.tango",
    "PairedProportionsResult": "tiebreak.frequentist.tango",
    "PerformanceProfile": "tiebreak.frequentist.aggregates",
    "PermutationResult": "tiebreak.frequentist.permutation",
    "PredictionPoweredResult": "tiebreak.frequentist.prediction_powered",
    "RankDifferences": "tiebreak.frequentist.friedman",
    "ScoreInterval": "tiebreak.frequentist.score_interval",
    "SignTestResult": "tiebreak.frequentist.sign",
    "SignedRankResult": "tiebreak.frequentist.signed_rank",
    "SkillingsMackResult": "tiebreak.frequentist.skillings_mack",
    "TTestResult": "tiebreak.frequentist.corrected_t",
    "WinTieLoss": "tiebreak.frequentist.aggregates",
    "WinnerBootstrap": "tiebreak.frequentist.bbc_cv",
    "ZTest": "tiebreak.frequentist.proportions",
    "adjust_pvalues": "tiebreak.frequentist.adjustment",
    "aggregate_scores": "tiebreak.frequentist.aggregates",
    "average_ranks": "tiebreak.frequentist.friedman",
    "bergmann_hommel": "tiebreak.frequentist.shaffer",
    "bootstrap_auc": "tiebreak.frequentist.bootstrap",
    "bootstrap_correlation": "tiebreak.frequentist.bootstrap",
    "bootstrap_function": "tiebreak.frequentist.bootstrap",
    "bootstrap_mean": "tiebreak.frequentist.bootstrap",
    "bootstrap_median": "tiebreak.frequentist.bootstrap",
    "bootstrap_metric": "tiebreak.frequentist.bootstrap",
    "bootstrap_sums": "tiebreak.frequentist.bootstrap",
    "bootstrap_winner": "tiebreak.frequentist.bbc_cv",
    "bootstrap_winner_by": "tiebreak.frequentist.bbc_cv",
    "bradley_terry_bootstrap": "tiebreak.frequentist.bradley_terry",
    "bradley_terry_mle": "tiebreak.frequentist.bradley_terry",
    "cluster_sums": "tiebreak.frequentist.clusters",
    "clustered_mean": "tiebreak.frequentist.clusters",
    "cochran_q_test": "tiebreak.frequentist.mcnemar",
    "conservative_z_interval": "tiebreak.frequentist.score_interval",
    "corrected_t_interval": "tiebreak.frequentist.score_interval",
    "corrected_ttest": "tiebreak.frequentist.corrected_t",
    "critical_difference": "tiebreak.frequentist.nemenyi",
    "crossed_mean": "tiebreak.frequentist.crossed_runs",
    "cv_wald_interval": "tiebreak.frequentist.score_interval",
    "delong_auc": "tiebreak.frequentist.delong",
    "diebold_mariano_test": "tiebreak.frequentist.diebold_mariano",
    "doubling_gain": "tiebreak.frequentist.more_data",
    "equivalence_pvalue": "tiebreak.frequentist.equivalence",
    "error_632": "tiebreak.frequentist.bootstrap_632",
    "five_by_two_cv_test": "tiebreak.frequentist.five_by_two",
    "friedman_from_ranks": "tiebreak.frequentist.friedman",
    "friedman_test": "tiebreak.frequentist.friedman",
    "hodges_lehmann": "tiebreak.frequentist.walsh",
    "independent_auc_difference": "tiebreak.frequentist.delong",
    "independent_proportions": "tiebreak.frequentist.proportions",
    "items_needed": "tiebreak.frequentist.sample_size",
    "kfold_ttest": "tiebreak.frequentist.kfold_t",
    "mcnemar_test": "tiebreak.frequentist.mcnemar",
    "mean_of_clusters": "tiebreak.frequentist.clusters",
    "model_confidence_set": "tiebreak.frequentist.confidence_set",
    "nemenyi_pool": "tiebreak.frequentist.nemenyi",
    "nemenyi_test": "tiebreak.frequentist.nemenyi",
    "nested_cv_interval": "tiebreak.frequentist.score_interval",
    "noninferiority_pvalue": "tiebreak.frequentist.equivalence",
    "outcomes_of_battles": "tiebreak.frequentist.pair_outcomes",
    "outcomes_of_scores": "tiebreak.frequentist.pair_outcomes",
    "paired_auc": "tiebreak.frequentist.delong",
    "paired_counts": "tiebreak.frequentist.tango",
    "paired_proportions": "tiebreak.frequentist.tango",
    "paired_ttest": "tiebreak.frequentist.corrected_t",
    "pass_at_k": "tiebreak.frequentist.pass_k",
    "performance_profile": "tiebreak.frequentist.aggregates",
    "permutation_test_paired": "tiebreak.frequentist.permutation",
    "permutation_test_unpaired": "tiebreak.frequentist.permutation",
    "prediction_powered_mean": "tiebreak.frequentist.prediction_powered",
    "probability_of_improvement": "tiebreak.frequentist.aggregates",
    "proportion_interval": "tiebreak.frequentist.proportions",
    "rank_cliques": "tiebreak.frequentist.nemenyi",
    "rank_differences": "tiebreak.frequentist.friedman",
    "rank_models": "tiebreak.frequentist.friedman",
    "rank_quantile": "tiebreak.frequentist.nemenyi",
    "shaffer_sets": "tiebreak.frequentist.shaffer",
    "sign_test": "tiebreak.frequentist.sign",
    "sign_test_critical_value": "tiebreak.frequentist.sign",
    "skillings_mack_test": "tiebreak.frequentist.skillings_mack",
    "student_quantile": "tiebreak.numerics",
    "superiority_pvalue": "tiebreak.frequentist.equivalence",
    "welch_ttest": "tiebreak.frequentist.welch",
    "wilcoxon": "tiebreak.frequentist.signed_rank",
    "wilcoxon_critical_value": "tiebreak.frequentist.signed_rank",
    "win_tie_loss": "tiebreak.frequentist.aggregates",
}

__all__ = [
    "AggregateResult",
    "AucContrastResult",
    "AucDifferenceResult",
    "AucResult",
    "BootstrapResult",
    "BradleyTerryBootstrap",
    "BradleyTerryResult",
    "ClusterSums",
    "ClusteredMeanResult",
    "CochranQResult",
    "CriticalCount",
    "CrossedMeanResult",
    "DieboldMarianoResult",
    "DoublingGain",
    "Error632",
    "FiveByTwoResult",
    "FriedmanResult",
    "IndependentProportionsResult",
    "KFoldTResult",
    "McNemarResult",
    "ModelConfidenceSetResult",
    "NemenyiPool",
    "NemenyiResult",
    "NestedCvInterval",
    "OmnibusTest",
    "PairOutcomes",
    "PairedAucResult",
    "PairedCounts",
    "PairedProportionsResult",
    "PerformanceProfile",
    "PermutationResult",
    "PredictionPoweredResult",
    "RankDifferences",
    "ScoreInterval",
    "SignTestResult",
    "SignedRankResult",
    "SkillingsMackResult",
    "TTestResult",
    "WinTieLoss",
    "WinnerBootstrap",
    "ZTest",
    "adjust_pvalues",
    "aggregate_scores",
    "average_ranks",
    "bergmann_hommel",
    "bootstrap_auc",
    "bootstrap_correlation",
    "bootstrap_function",
    "bootstrap_mean",
    "bootstrap_median",
    "bootstrap_metric",
    "bootstrap_sums",
    "bootstrap_winner",
    "bootstrap_winner_by",
    "bradley_terry_bootstrap",
    "bradley_terry_mle",
    "cluster_sums",
    "clustered_mean",
    "cochran_q_test",
    "conservative_z_interval",
    "corrected_t_interval",
    "corrected_ttest",
    "critical_difference",
    "crossed_mean",
    "cv_wald_interval",
    "delong_auc",
    "diebold_mariano_test",
    "doubling_gain",
    "equivalence_pvalue",
    "error_632",
    "five_by_two_cv_test",
    "friedman_from_ranks",
    "friedman_test",
    "hodges_lehmann",
    "independent_auc_difference",
    "independent_proportions",
    "items_needed",
    "kfold_ttest",
    "mcnemar_test",
    "mean_of_clusters",
    "model_confidence_set",
    "nemenyi_pool",
    "nemenyi_test",
    "nested_cv_interval",
    "noninferiority_pvalue",
    "outcomes_of_battles",
    "outcomes_of_scores",
    "paired_auc",
    "paired_counts",
    "paired_proportions",
    "paired_ttest",
    "pass_at_k",
    "performance_profile",
    "permutation_test_paired",
    "permutation_test_unpaired",
    "prediction_powered_mean",
    "probability_of_improvement",
    "proportion_interval",
    "rank_cliques",
    "rank_differences",
    "rank_models",
    "rank_quantile",
    "shaffer_sets",
    "sign_test",
    "sign_test_critical_value",
    "skillings_mack_test",
    "student_quantile",
    "superiority_pvalue",
    "welch_ttest",
    "wilcoxon",
    "wilcoxon_critical_value",
    "win_tie_loss",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.frequentist' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
