"""Plots of a comparison and of a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.views.plots.correlation import CorrelationDisplay
from tiebreak.views.plots.display import Plots
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.ranking import RankingDisplay
from tiebreak.views.plots.scores import ScoresDisplay
from tiebreak.views.plots.verdicts import VerdictsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison


class ComparisonPlots(Plots["Comparison"]):
    """Plots of a comparison."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots; a posterior is drawn where the procedure gives one."""
        has_posterior = self.result.pair_table.differences.is_posterior
        return tuple(name for name in super().names if has_posterior or name != "posterior")

    def scores(self, ax: Axes | None = None) -> ScoresDisplay:
        """Score of every model on every split."""
        return ScoresDisplay.from_comparison(self.result).plot(ax)

    def correlation(self, ax: Axes | None = None) -> CorrelationDisplay:
        """Correlation of the models' scores over the splits."""
        return CorrelationDisplay.from_comparison(self.result).plot(ax)

    def posterior(self, a: str | None = None, b: str | None = None, ax: Axes | None = None) -> PosteriorDisplay:
        """Posterior of the difference of two models; positive favours `a`.

        Parameters
        ----------
        a, b : str, optional
            Names. What is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.
        ax : Axes, optional
        """
        return PosteriorDisplay.from_comparison(self.result, *self._pair(a, b)).plot(ax)

    def ranking(self, ax: Axes | None = None) -> RankingDisplay:
        """Every model's difference to the best one or the baseline, with simultaneous intervals."""
        return RankingDisplay.from_comparison(self.result).plot(ax)

    def verdicts(self, ax: Axes | None = None) -> VerdictsDisplay:
        """Verdict on every model against every other."""
        return VerdictsDisplay.from_comparison(self.result).plot(ax)

    def _pair(self, a: str | None, b: str | None) -> tuple[str, str]:
        baseline = self.result.settings.baseline
        if b is None and baseline is not None and a != baseline:
            b = baseline
        others = [name for name in self.result.models if name not in (a, b)]
        a = others.pop(0) if a is None else a
        return a, others.pop(0) if b is None else b


class PairPlots(Plots["PairComparison"]):
    """Plots of one pair."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots; a posterior is drawn where the procedure gives one."""
        return ("posterior",) if self.result.comparison.pair_table.differences.is_posterior else ()

    def posterior(self, ax: Axes | None = None) -> PosteriorDisplay:
        """Posterior of the difference; positive favours the first model."""
        pair = self.result
        return PosteriorDisplay.from_comparison(pair.comparison, pair.first, pair.second).plot(ax)

    __call__ = posterior
