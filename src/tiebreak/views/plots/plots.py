"""All displays of one comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak.views.plots.correlation import CorrelationDisplay
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.ranking import RankingDisplay
from tiebreak.views.plots.scores import ScoresDisplay
from tiebreak.views.plots.verdicts import VerdictsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class Plots:
    """The displays of a comparison, drawn; reached as ``comparison.plot``.

    Each method returns a Display with ``data``, ``ax_`` and ``figure_``, which a notebook shows. `ax` is where to draw;
    without it a figure of fitting size is made.
    """

    comparison: Comparison

    def scores(self, ax: Axes | None = None) -> ScoresDisplay:
        """What every model scored on every split."""
        return ScoresDisplay.from_comparison(self.comparison).plot(ax)

    def correlation(self, ax: Axes | None = None) -> CorrelationDisplay:
        """How alike the models' scores are over the splits."""
        return CorrelationDisplay.from_comparison(self.comparison).plot(ax)

    def posterior(self, a: str | None = None, b: str | None = None, ax: Axes | None = None) -> PosteriorDisplay:
        """Posterior of the difference of two models; positive favours `a`.

        Parameters
        ----------
        a, b : str, optional
            Names. What is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.
        ax : Axes, optional
        """
        return PosteriorDisplay.from_comparison(self.comparison, *self._pair(a, b)).plot(ax)

    def ranking(self, ax: Axes | None = None) -> RankingDisplay:
        """Every model's difference to the best one or the baseline, with simultaneous intervals."""
        return RankingDisplay.from_comparison(self.comparison).plot(ax)

    def verdicts(self, ax: Axes | None = None) -> VerdictsDisplay:
        """Every model against every other."""
        return VerdictsDisplay.from_comparison(self.comparison).plot(ax)

    def save_all(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write all displays as PNG.

        Parameters
        ----------
        directory : path
            Made if it is not there. Files of the same names are replaced.

        Returns
        -------
        list of Path
            scores.png, correlation.png, posterior.png, ranking.png, verdicts.png.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        draw = (self.scores, self.correlation, self.posterior, self.ranking, self.verdicts)
        return [method().save(folder / f"{method.__name__}.png") for method in draw]

    def _pair(self, a: str | None, b: str | None) -> tuple[str, str]:
        baseline = self.comparison.settings.baseline
        if b is None and baseline is not None and a != baseline:
            b = baseline
        others = [name for name in self.comparison.models if name not in (a, b)]
        a = others.pop(0) if a is None else a
        return a, others.pop(0) if b is None else b
