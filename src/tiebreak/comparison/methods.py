"""The table of procedures by name; settings know the names, and `procedures` imports what is asked for."""

from typing import Any

ENTRY_POINTS = "tiebreak.procedures"
"""Group of the entry points by which other packages bring procedures: a name, and ``module:object``."""

METHODS: dict[str, Any] = {
    "corrected-t": "corrected_t:CORRECTED_T",
    "paired-t": "corrected_t:PAIRED_T corrected_t:PAIRED_SEEDS datasets:PAIRED_DATASETS",
    "wilcoxon": "datasets:WILCOXON",
    "sign": "datasets:SIGN",
    "hierarchical": "posteriors:HIERARCHICAL",
    "bayes-signed-rank": "posteriors:BAYES_SIGNED_RANK",
    "welch": "test_sets:WELCH_SEEDS test_sets:WELCH",
    "newcombe": "test_sets:NEWCOMBE",
    "diebold-mariano": "diebold_mariano:DIEBOLD_MARIANO",
    "tango": "items:TANGO",
    "clustered-t": "items:CLUSTERED_T",
    "macro-average": "items:MACRO_AVERAGE",
    "prediction-powered": "prediction_powered:PREDICTION_POWERED",
    "delong": "item_metrics:DELONG",
    "jackknife-t": "item_metrics:JACKKNIFE_T",
    "summary-rates": "summary:RATES",
    "summary-areas": "summary:AREAS",
    "summary-folds": "summary:FOLDS",
    "summary-runs": "summary:RUNS",
}
"""All procedures, as "module:object" of `procedures`, one for each question; a new one is a file there and a line here, or an
entry point."""


def known_methods() -> dict[str, Any]:
    """Procedures by name with where they stand, those that other packages bring by entry point too."""
    from importlib.metadata import entry_points

    return {**METHODS, **{each.name: each.value for each in entry_points(group=ENTRY_POINTS)}}
