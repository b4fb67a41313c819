"""Figures: each display holds every number that it draws, and draws with matplotlib when asked to."""

from tiebreak.views.plots.audit import AuditDisplay
from tiebreak.views.plots.correlation import CorrelationDisplay
from tiebreak.views.plots.plots import Plots
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.ranking import RankingDisplay
from tiebreak.views.plots.scores import ScoresDisplay
from tiebreak.views.plots.verdicts import VerdictsDisplay

__all__ = [
    "AuditDisplay",
    "CorrelationDisplay",
    "Plots",
    "PosteriorDisplay",
    "RankingDisplay",
    "ScoresDisplay",
    "VerdictsDisplay",
]
