"""Statistics on arrays, one file per family of formulas; each returns a `Law`, or a tuple of one and what the test has beside.

Nothing here knows of tables. Names are loaded when they are first used.
"""

from tiebreak.lazy_names import lazy_names

_HOMES = {
    "tiebreak.numerics": "Interval student_quantile",
    "tiebreak.numerics.law": "Law RopeProbabilities Significance student",
    "tiebreak.statistics.auc": "Areas independent_areas roc_areas",
    "tiebreak.statistics.family": "adjust_pvalues shaffer_sets",
    "tiebreak.statistics.influence": "Influence metric_of_classes metric_of_numbers",
    "tiebreak.statistics.labels": "prediction_powered_mean",
    "tiebreak.statistics.looks": "GroupSequentialDesign alpha_spent group_sequential_design split_information",
    "tiebreak.statistics.means": "Means clustered_mean crossed_mean stratified_mean welch_ttest",
    "tiebreak.statistics.noise": "RunNoise run_noise",
    "tiebreak.statistics.posterior.hierarchical": "HierarchicalPosterior hierarchical_posterior",
    "tiebreak.statistics.posterior.joint": "joint_posterior",
    "tiebreak.statistics.posterior.signed_rank": "RegionPosterior sign_posterior signed_rank_centre signed_rank_posterior",
    "tiebreak.statistics.ranks": "Friedman SignedRanks average_ranks critical_difference friedman_from_ranks friedman_test "
    "hodges_lehmann nemenyi rank_cliques rank_differences rank_models rank_quantile sign_counts sign_test "
    "sign_test_critical_value signed_ranks skillings_mack wilcoxon wilcoxon_critical_value",
    "tiebreak.statistics.rates": "cochran_q mcnemar newcombe paired_counts proportion_interval tango z_test",
    "tiebreak.statistics.ratings": "BradleyTerry battles_of_scores bradley_terry",
    "tiebreak.statistics.resampling": "Bootstrap Permutations WinnerBootstrap bootstrap bootstrap_winner bootstrap_winner_by "
    "permutation_test_paired permutation_test_unpaired",
    "tiebreak.statistics.skew": "skewed",
    "tiebreak.statistics.splits": "corrected_t doubling_gain five_by_two_cv_critical_value five_by_two_cv_test paired_t",
    "tiebreak.statistics.summary": "hanley_mcneil summary_means summary_rates",
    "tiebreak.statistics.time": "diebold_mariano model_confidence_set",
}
"""Public names by the module that they stand in, as in the stub beside."""

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
