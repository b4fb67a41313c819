"""Figures: each display holds every number that it draws, and draws with matplotlib when asked to."""

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
