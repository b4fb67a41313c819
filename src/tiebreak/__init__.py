"""Say whether your best model is really better, or whether it is a tie.

`evaluate` measures models on splits and keeps each result as it comes. `compare` takes what it measured, a fitted search, a table
of scores or a file, and says which models are better, which are practically equivalent, and which cannot be told apart yet.
Names are loaded when they are first used, so that importing is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.lazy_names import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tiebreak import bayesian, errors, frequentist, metrics, testing
    from tiebreak.api import (
        bias_variance,
        compare,
        evaluate,
        learning_curve,
        nested_cross_validate,
        read_scores,
        validation_curve,
    )
    from tiebreak.audits.audit import audit
    from tiebreak.audits.findings import Audit, Finding
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.procedures import methods
    from tiebreak.comparison.ratings import Ratings
    from tiebreak.errors import TiebreakError
    from tiebreak.evaluation.evaluate import read_evaluation
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.frequentist.sample_size import items_needed
    from tiebreak.metrics.costs import CostMatrix
    from tiebreak.plan.candidates import grid
    from tiebreak.rating import rate
    from tiebreak.readers.cluster_sums import ItemSums, read_item_sums
    from tiebreak.readers.item_tables import read_items
    from tiebreak.readers.predictions import read_predictions
    from tiebreak.scores.items import Items
    from tiebreak.scores.metric import Metric
    from tiebreak.scores.scores import Scores
    from tiebreak.stores.memory import MemoryStore
    from tiebreak.stores.sql.store import SqlStore
    from tiebreak.studies.bias_variance import BiasVariance
    from tiebreak.studies.learning_curve import LearningCurve
    from tiebreak.studies.near_best import near_best
    from tiebreak.studies.nested import NestedEvaluation
    from tiebreak.studies.validation_curve import ValidationCurve

_HOMES = {
    "Audit": "tiebreak.audits.findings",
    "BiasVariance": "tiebreak.studies.bias_variance",
    "Comparison": "tiebreak.comparison.comparison",
    "CostMatrix": "tiebreak.metrics.costs",
    "Evaluation": "tiebreak.evaluation.evaluation",
    "Finding": "tiebreak.audits.findings",
    "ItemSums": "tiebreak.readers.cluster_sums",
    "Items": "tiebreak.scores.items",
    "LearningCurve": "tiebreak.studies.learning_curve",
    "MemoryStore": "tiebreak.stores.memory",
    "Metric": "tiebreak.scores.metric",
    "NestedEvaluation": "tiebreak.studies.nested",
    "Ratings": "tiebreak.comparison.ratings",
    "Scores": "tiebreak.scores.scores",
    "SqlStore": "tiebreak.stores.sql.store",
    "TiebreakError": "tiebreak.errors",
    "ValidationCurve": "tiebreak.studies.validation_curve",
    "audit": "tiebreak.audits.audit",
    "bayesian": "tiebreak.bayesian",
    "bias_variance": "tiebreak.api",
    "compare": "tiebreak.api",
    "errors": "tiebreak.errors",
    "evaluate": "tiebreak.api",
    "frequentist": "tiebreak.frequentist",
    "grid": "tiebreak.plan.candidates",
    "items_needed": "tiebreak.frequentist.sample_size",
    "learning_curve": "tiebreak.api",
    "methods": "tiebreak.comparison.procedures",
    "metrics": "tiebreak.metrics",
    "near_best": "tiebreak.studies.near_best",
    "nested_cross_validate": "tiebreak.api",
    "rate": "tiebreak.rating",
    "read_evaluation": "tiebreak.evaluation.evaluate",
    "read_item_sums": "tiebreak.readers.cluster_sums",
    "read_items": "tiebreak.readers.item_tables",
    "read_predictions": "tiebreak.readers.predictions",
    "read_scores": "tiebreak.api",
    "testing": "tiebreak.testing",
    "validation_curve": "tiebreak.api",
}

__all__ = [
    "Audit",
    "BiasVariance",
    "Comparison",
    "CostMatrix",
    "Evaluation",
    "Finding",
    "ItemSums",
    "Items",
    "LearningCurve",
    "MemoryStore",
    "Metric",
    "NestedEvaluation",
    "Ratings",
    "Scores",
    "SqlStore",
    "TiebreakError",
    "ValidationCurve",
    "__version__",
    "audit",
    "bayesian",
    "bias_variance",
    "compare",
    "errors",
    "evaluate",
    "frequentist",
    "grid",
    "items_needed",
    "learning_curve",
    "methods",
    "metrics",
    "near_best",
    "nested_cross_validate",
    "rate",
    "read_evaluation",
    "read_item_sums",
    "read_items",
    "read_predictions",
    "read_scores",
    "testing",
    "validation_curve",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, __all__)
