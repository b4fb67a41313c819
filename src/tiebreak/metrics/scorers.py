"""Metrics of models: found by name or as scikit-learn's scorers, and computed from what models said, or by asking them."""

from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.metrics.scorer import Outputs, Scorer, check_model, check_target
from tiebreak.metrics.truth import Truth, make_truth
from tiebreak.metrics.undefined import UndefinedScore

__all__ = [
    "Outputs",
    "Scorer",
    "Truth",
    "UndefinedScore",
    "check_model",
    "check_target",
    "make_truth",
    "resolve_scorers",
]
