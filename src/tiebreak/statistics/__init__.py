"""Statistics on arrays, one file per family of formulas; each returns a `Law`, or a tuple of one and what the test has beside.

Nothing here knows of tables. Names are loaded when they are first used.
"""

from tiebreak.lazy_names import lazy_names

_HOMES = {
    "tiebreak.numerics": "Interval student_quantile",
    "tiebreak.numerics.law": "Law RopeProbabilities Significance student",
    "tiebreak.statistics.auc": "Areas AucContrast independent_areas roc_areas",
    "tiebreak.statistics.family": "adjust_pvalues shaffer_sets",
    "tiebreak.statistics.influence": "ClusterSums Influence cluster_sums clustered_mean mean_of_clusters metric_of_classes "
    "metric_of_numbers welch_ttest",
    "tiebreak.statistics.labels": "LabelledMean prediction_powered_mean",
    "tiebreak.statistics.looks": "GroupSequentialDesign alpha_spent group_sequential_design split_information",
    "tiebreak.statistics.more_data": "DoublingGain doubling_gain",
    "tiebreak.statistics.noise": "RunNoise run_noise",
    "tiebreak.statistics.omnibus": "Friedman average_ranks critical_difference friedman_from_ranks friedman_test nemenyi "
    "rank_cliques rank_differences rank_models rank_quantile skillings_mack",
    "tiebreak.statistics.posterior.hierarchical": "HierarchicalPosterior ShrunkenMeans hierarchical_posterior",
    "tiebreak.statistics.posterior.joint": "JointPosterior joint_posterior",
    "tiebreak.statistics.posterior.sign": "SignPosterior sign_posterior",
    "tiebreak.statistics.posterior.signed_rank": "SignedRankPosterior signed_rank_centre signed_rank_posterior",
    "tiebreak.statistics.ranks": "CriticalCount SignCounts SignedRanks hodges_lehmann sign_counts sign_test "
    "sign_test_critical_value signed_ranks wilcoxon wilcoxon_critical_value",
    "tiebreak.statistics.rates": "PairedCounts cochran_q mcnemar newcombe paired_counts proportion_interval tango z_test",
    "tiebreak.statistics.ratings": "BattleColumns BradleyTerry battles_of_scores bradley_terry",
    "tiebreak.statistics.resampling": "Bootstrap Permutations bootstrap permutation_test_paired permutation_test_unpaired",
    "tiebreak.statistics.runs": "CrossedMean crossed_mean",
    "tiebreak.statistics.selection": "WinnerBootstrap bootstrap_winner bootstrap_winner_by",
    "tiebreak.statistics.skew": "skewed",
    "tiebreak.statistics.splits": "FiveByTwo corrected_t five_by_two_cv_critical_value five_by_two_cv_test paired_t",
    "tiebreak.statistics.summary": "hanley_mcneil summary_means summary_rates",
    "tiebreak.statistics.tasks": "StratifiedMean stratified_mean",
    "tiebreak.statistics.time": "ModelConfidenceSet diebold_mariano model_confidence_set",
}
"""Public names by the module that they stand in, as in the stub beside."""

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
