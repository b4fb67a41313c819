"""Say whether your best model is really better, or whether it is a tie.

`evaluate` measures models on splits and keeps each result as it comes. `compare` takes what it measured, a fitted search, a table
of scores or a file, and says which models are better, which are practically equivalent, and which cannot be told apart yet.
Names are loaded when they are first used, so that importing is cheap.
"""

from tiebreak.lazy_names import lazy_names

__version__ = "0.1.0rc1"

_HOMES = {
    "tiebreak": "errors metrics statistics testing",
    "tiebreak.api": "bias_variance compare evaluate learning_curve noise_floor read_scores validation_curve",
    "tiebreak.audits.audit": "audit",
    "tiebreak.audits.findings": "Audit Finding",
    "tiebreak.comparison.comparison": "Comparison PairComparison",
    "tiebreak.comparison.family": "Against",
    "tiebreak.comparison.looks": "Looks",
    "tiebreak.comparison.noise_floor": "NoiseFloor read_noise_floor",
    "tiebreak.comparison.procedures": "MethodList methods",
    "tiebreak.comparison.procedures.procedure": "TestOnly",
    "tiebreak.comparison.ranking": "RankingTable",
    "tiebreak.comparison.ratings": "Ratings WinRate",
    "tiebreak.comparison.requirements": "Requirements",
    "tiebreak.comparison.sample_size": "LookCosts SampleSize",
    "tiebreak.comparison.settings": "Settings",
    "tiebreak.comparison.slices": "Slices",
    "tiebreak.errors": "TiebreakError",
    "tiebreak.evaluation.bbc": "BiasCorrectedScore",
    "tiebreak.evaluation.class_curves": "Calibrations Confusions PrecisionRecalls Rocs",
    "tiebreak.evaluation.evaluate": "read_evaluation",
    "tiebreak.evaluation.evaluation": "Evaluation",
    "tiebreak.evaluation.run_options": "Run",
    "tiebreak.metrics.costs": "CostMatrix",
    "tiebreak.plan.candidates": "grid",
    "tiebreak.plan.record": "Cell Outcome RunRecord",
    "tiebreak.rating": "rate read_battles",
    "tiebreak.readers.folder": "FoundFile Results read_results",
    "tiebreak.readers.predictions": "read_predictions",
    "tiebreak.readers.read": "read_items",
    "tiebreak.scores.battles": "Battles",
    "tiebreak.scores.items": "Items",
    "tiebreak.scores.metric": "Metric",
    "tiebreak.scores.scores": "ScoreMatrix Scores SplitDesign",
    "tiebreak.scores.vocabulary": "Notice",
    "tiebreak.sizing": "sample_size",
    "tiebreak.stores.contract": "CellTable Claim Damage RunSummary",
    "tiebreak.stores.lease": "SqlLease",
    "tiebreak.stores.log": "SqlLog",
    "tiebreak.stores.sql": "MemoryStore SqlStore",
    "tiebreak.studies.bias_variance": "BiasVariance LossParts",
    "tiebreak.studies.curves": "LearningCurve ValidationCurve",
    "tiebreak.studies.near_best": "NearBest near_best",
}
"""Public names by the module that they stand in, as in the stub beside."""

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
