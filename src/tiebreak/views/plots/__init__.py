"""Figures: each display holds every number that it draws, and draws with matplotlib when asked to.

Names are loaded when they are first used, so that a report of one kind does not wait for the plots of all others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.views.plots.audit import AuditDisplay
    from tiebreak.views.plots.bias_variance import BiasVarianceDisplay
    from tiebreak.views.plots.class_curves import CalibrationDisplay, PrecisionRecallDisplay, RocDisplay
    from tiebreak.views.plots.class_panels import ClassPanelsDisplay
    from tiebreak.views.plots.comparison import ComparisonPlots, DifferencesDisplay, RankingDisplay, ScoresDisplay
    from tiebreak.views.plots.costs import CostsDisplay
    from tiebreak.views.plots.curves import LearningCurveDisplay, ValidationCurveDisplay
    from tiebreak.views.plots.datasets import PairedDisplay, ProfileDisplay, RegionsDisplay, ShrinkageDisplay
    from tiebreak.views.plots.evaluation import PredictionsDisplay, TimesDisplay
    from tiebreak.views.plots.intervals import IntervalsDisplay
    from tiebreak.views.plots.items import AgreementDisplay, DisagreementsDisplay, OutcomesDisplay, SlicesDisplay
    from tiebreak.views.plots.matrix import ConfusionDisplay, CorrelationDisplay, VerdictsDisplay
    from tiebreak.views.plots.multi_comparison import MultiComparisonDisplay
    from tiebreak.views.plots.nested import NestedDisplay
    from tiebreak.views.plots.posterior import DrawsDisplay, PosteriorDisplay
    from tiebreak.views.plots.rank_diagram import DiagramDisplay
    from tiebreak.views.plots.ratings import RatingsDisplay

_HOMES = {
    "AgreementDisplay": "items",
    "AuditDisplay": "audit",
    "BiasVarianceDisplay": "bias_variance",
    "CalibrationDisplay": "class_curves",
    "ClassPanelsDisplay": "class_panels",
    "ComparisonPlots": "comparison",
    "ConfusionDisplay": "matrix",
    "CorrelationDisplay": "matrix",
    "CostsDisplay": "costs",
    "DiagramDisplay": "rank_diagram",
    "DifferencesDisplay": "comparison",
    "DisagreementsDisplay": "items",
    "DrawsDisplay": "posterior",
    "IntervalsDisplay": "intervals",
    "LearningCurveDisplay": "curves",
    "MultiComparisonDisplay": "multi_comparison",
    "NestedDisplay": "nested",
    "OutcomesDisplay": "items",
    "PairedDisplay": "datasets",
    "PosteriorDisplay": "posterior",
    "PrecisionRecallDisplay": "class_curves",
    "PredictionsDisplay": "evaluation",
    "ProfileDisplay": "datasets",
    "RankingDisplay": "comparison",
    "RatingsDisplay": "ratings",
    "RegionsDisplay": "datasets",
    "RocDisplay": "class_curves",
    "ScoresDisplay": "comparison",
    "ShrinkageDisplay": "datasets",
    "SlicesDisplay": "items",
    "TimesDisplay": "evaluation",
    "ValidationCurveDisplay": "curves",
    "VerdictsDisplay": "matrix",
}

__all__ = [
    "AgreementDisplay",
    "AuditDisplay",
    "BiasVarianceDisplay",
    "CalibrationDisplay",
    "ClassPanelsDisplay",
    "ComparisonPlots",
    "ConfusionDisplay",
    "CorrelationDisplay",
    "CostsDisplay",
    "DiagramDisplay",
    "DifferencesDisplay",
    "DisagreementsDisplay",
    "DrawsDisplay",
    "IntervalsDisplay",
    "LearningCurveDisplay",
    "MultiComparisonDisplay",
    "NestedDisplay",
    "OutcomesDisplay",
    "PairedDisplay",
    "PosteriorDisplay",
    "PrecisionRecallDisplay",
    "PredictionsDisplay",
    "ProfileDisplay",
    "RankingDisplay",
    "RatingsDisplay",
    "RegionsDisplay",
    "RocDisplay",
    "ScoresDisplay",
    "ShrinkageDisplay",
    "SlicesDisplay",
    "TimesDisplay",
    "ValidationCurveDisplay",
    "VerdictsDisplay",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.views.plots' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.views.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
