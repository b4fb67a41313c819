"""Plots of a comparison and of a pair, and the displays with a row for each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.verdict import MIRRORED, REASONS, VERDICTS
from tiebreak.views.comparison import table_decimals
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.display import ComparisonDisplay, Plots, better_is, shown_models
from tiebreak.views.plots.matrix import CorrelationDisplay, VerdictsDisplay, counted_verdicts, pair_sentence, verdict_counts
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.style import (
    INK,
    MARKS,
    PAPER,
    PLOT_WIDTH,
    QUIET,
    minus,
    numbered_labels,
    row_axes,
    widest,
)
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison


_WHY = {"identical-scores": " (identical scores)", "no-spread": " (no spread)", "missing-splits": " (too few shared splits)"}


@dataclass(frozen=True, slots=True, eq=False)
class RankingDisplay(ComparisonDisplay):
    """Every model's difference to the best one, or to the baseline, with the intervals that decide the verdicts.

    The intervals are of differences. Intervals of single models are not drawn: whether those overlap says little about paired
    scores.

    Attributes
    ----------
    data : DataFrame
        rank, model, mean, n_units, difference (model minus reference, positive favours the model), interval_low,
        interval_high, verdict (of the model against the reference, "" for the reference itself), reason.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers."""
        import pandas as pd

        ranking, against, models = comparison.ranking_table, comparison.against_reference, comparison.models
        data = pd.DataFrame(
            {
                "rank": np.arange(1, len(models) + 1),
                "model": models,
                "mean": ranking.mean,
                "n_units": ranking.n_units,
                "difference": against.difference,
                "interval_low": against.interval.low,
                "interval_high": against.interval.high,
                "verdict": np.array(VERDICTS, dtype=object)[against.verdict],
                "reason": np.array(REASONS, dtype=object)[against.reason],
            }
        )
        return cls(data.iloc[shown_models(comparison)].reset_index(drop=True), comparison)

    def _row_labels(self) -> list[str]:
        return [f"{name}  {rank}" for rank, name in zip(self.data["rank"], self._names, strict=True)]

    def _reference_name(self) -> str:
        return self._names[self._models.index(self.comparison.reference)]

    def _row_notes(self) -> list[str]:
        decimals = table_decimals(self.comparison)
        baseline = "" if self.comparison.settings.baseline is None else "baseline, "
        return [
            f"{MARKS[verdict].symbol} {verdict}{_WHY.get(reason, '')}"
            if verdict
            else f"{baseline}mean {minus(format_score(value, decimals))}"
            for verdict, reason, value in zip(self.data["verdict"], self.data["reason"], self.data["mean"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        return PLOT_WIDTH + 0.4 + widest(self._row_labels()) + widest(self._row_notes()), 1.7 + 0.27 * max(len(self.data), 2)

    def _title(self) -> str:
        name, verdicts = self._reference_name(), self.comparison.against_reference.verdict
        counts = verdict_counts(np.delete(verdicts, self.comparison.models.index(self.comparison.reference)))
        if sum(counts.values()) == 1:
            other = next(other for other in self._names if other != name)
            verdict = str(self.data.loc[self.data["verdict"] != "", "verdict"].iloc[0])
            return pair_sentence(name, other, VERDICTS[MIRRORED[VERDICTS.index(verdict)]])
        if self.comparison.settings.baseline is not None:
            return f"Against the baseline {name} {counted_verdicts(counts, 'models')}"
        return f"{name} ranks first; {counted_verdicts(counts, 'others')}"

    def _note(self) -> str:
        comparison = self.comparison
        band = (
            f"Grey band: the rope, ±{comparison.rope:.4g}, differences too small to matter."
            if comparison.rope
            else "There is no rope, so none can be called equivalent."
        )
        return (
            f"Lines: {interval_name(comparison)}s of the difference ({self._adjusted}); the verdict is where the line lies. "
            f"{band}{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        self._draw_rope(axes)
        low, high = self.data["interval_low"], self.data["interval_high"]
        for row, (verdict, difference) in enumerate(zip(self.data["verdict"], self.data["difference"], strict=True)):
            if not verdict:
                axes.scatter(difference, row, marker="|", s=90, color=INK, zorder=3)
                continue
            mark = MARKS[verdict]
            face = PAPER if verdict in ("undecided", "ahead", "behind") else mark.colour
            axes.plot([low[row], high[row]], [row, row], color=mark.colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
            axes.scatter(difference, row, marker=mark.marker, s=38, color=face, edgecolors=mark.colour, zorder=3)
        x_lines = f"{self._metric} difference to {self._reference_name()}", self._favours("the model of the row")
        row_axes(axes, self._row_labels(), self._row_notes(), *x_lines, room=PLOT_WIDTH + 0.6)


JOINED_UP_TO = 6
"""Models up to which lines join the scores of one split; with more the lines would hide the dots."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoresDisplay(ComparisonDisplay):
    """Score of every model on every split, and its mean.

    For up to six models a thin line joins the scores of one split: parallel lines are differences that hold on every split,
    whatever the split's own difficulty.

    Attributes
    ----------
    data : DataFrame
        model (in ranking order), repeat, fold, score and the model's mean, in the metric's unit; a row for each score that is
        there.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers."""
        import pandas as pd

        rows = shown_models(comparison)
        matrix = comparison.matrix
        model, split = np.nonzero(~np.isnan(matrix.score[rows]))
        names = pd.Index([comparison.models[row] for row in rows])
        data = pd.DataFrame(
            {
                "model": pd.Categorical.from_codes(model, names),
                "repeat": matrix.repeat[split],
                "fold": matrix.fold[split],
                "score": matrix.score[rows[model], split],
                "mean": comparison.ranking_table.mean[rows[model]],
            }
        )
        return cls(data, comparison)

    @property
    def _is_joined(self) -> bool:
        return len(self._models) <= JOINED_UP_TO

    def _size(self) -> tuple[float, float]:
        step = 0.62 if self._is_joined else 0.26
        return PLOT_WIDTH + 1.2 + widest(numbered_labels(self._models)), 1.5 + step * max(len(self._models), 2)

    def _title(self) -> str:
        best, n_models = self._names[0], len(self.comparison.models)
        mean = format_score(float(self.data["mean"].iloc[0]), table_decimals(self.comparison))
        return f"{best} ranks first of {n_models}, with a mean {self._metric} of {mean}"

    def _note(self) -> str:
        joined = "; each line joins the scores of one split" if self._is_joined else ""
        return (
            f"Dots: {self.comparison.matrix.n_splits} splits{joined}. Diamonds: means. Whether means differ by more than chance "
            f"is not shown here.{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        models = self._models
        # a split has the same small vertical shift in every row, so that equal scores stay visible and lines stay parallel
        wide = self.data.pivot(index=["repeat", "fold"], columns="model", values="score")
        spread = 0.2 if self._is_joined else 0.5
        shift = ((np.arange(len(wide)) * 0.618034) % 1 - 0.5) * spread
        height = np.arange(len(models))[None, :] + shift[:, None]
        if self._is_joined:
            strength = float(np.clip(12 / len(wide), 0.12, 0.6))
            for score, row in zip(wide.to_numpy(), height, strict=True):
                axes.plot(score, row, color=QUIET, linewidth=0.7, alpha=strength, zorder=1)
        axes.scatter(wide.to_numpy(), height, s=14, color=MARKS["better"].colour, alpha=0.45, linewidths=0, zorder=2)
        counted = self.data.groupby("model", observed=False)["mean"].agg(["first", "size"])
        axes.scatter(counted["first"], range(len(models)), marker="D", s=34, color="white", edgecolors=INK, zorder=3)
        decimals = table_decimals(self.comparison)
        notes = []
        for mean, n_splits in zip(counted["first"], counted["size"], strict=True):
            lacking = "" if n_splits == self.comparison.matrix.n_splits else f" ({n_splits} splits)"
            notes.append(f"mean {minus(format_score(float(mean), decimals))}{lacking}")
        x_line = f"{self._metric} of each split ({better_is(self.comparison.metric)} is better)"
        row_axes(axes, numbered_labels(self._models), notes, x_line)


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
        """Every model's difference to the best one or the baseline, with the intervals that decide."""
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
