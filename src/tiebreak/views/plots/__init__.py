"""Figures: each display holds every number that it draws, and draws with matplotlib when asked to.

Names are loaded when they are first used, so that a report of one kind does not wait for the plots of all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.lazy_names import lazy_names

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
    "AgreementDisplay": "tiebreak.views.plots.items",
    "AuditDisplay": "tiebreak.views.plots.audit",
    "BiasVarianceDisplay": "tiebreak.views.plots.bias_variance",
    "CalibrationDisplay": "tiebreak.views.plots.class_curves",
    "ClassPanelsDisplay": "tiebreak.views.plots.class_panels",
    "ComparisonPlots": "tiebreak.views.plots.comparison",
    "ConfusionDisplay": "tiebreak.views.plots.matrix",
    "CorrelationDisplay": "tiebreak.views.plots.matrix",
    "CostsDisplay": "tiebreak.views.plots.costs",
    "DiagramDisplay": "tiebreak.views.plots.rank_diagram",
    "DifferencesDisplay": "tiebreak.views.plots.comparison",
    "DisagreementsDisplay": "tiebreak.views.plots.items",
    "DrawsDisplay": "tiebreak.views.plots.posterior",
    "IntervalsDisplay": "tiebreak.views.plots.intervals",
    "LearningCurveDisplay": "tiebreak.views.plots.curves",
    "MultiComparisonDisplay": "tiebreak.views.plots.multi_comparison",
    "NestedDisplay": "tiebreak.views.plots.nested",
    "OutcomesDisplay": "tiebreak.views.plots.items",
    "PairedDisplay": "tiebreak.views.plots.datasets",
    "PosteriorDisplay": "tiebreak.views.plots.posterior",
    "PrecisionRecallDisplay": "tiebreak.views.plots.class_curves",
    "PredictionsDisplay": "tiebreak.views.plots.evaluation",
    "ProfileDisplay": "tiebreak.views.plots.datasets",
    "RankingDisplay": "tiebreak.views.plots.comparison",
    "RatingsDisplay": "tiebreak.views.plots.ratings",
    "RegionsDisplay": "tiebreak.views.plots.datasets",
    "RocDisplay": "tiebreak.views.plots.class_curves",
    "ScoresDisplay": "tiebreak.views.plots.comparison",
    "ShrinkageDisplay": "tiebreak.views.plots.datasets",
    "SlicesDisplay": "tiebreak.views.plots.items",
    "TimesDisplay": "tiebreak.views.plots.evaluation",
    "ValidationCurveDisplay": "tiebreak.views.plots.curves",
    "VerdictsDisplay": "tiebreak.views.plots.matrix",
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

__getattr__, __dir__ = lazy_names(__name__, _HOMES, __all__)
