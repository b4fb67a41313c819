"""Plots of a comparison and of a pair, and the displays with a row for each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.verdict import REASONS, VERDICTS
from tiebreak.views.comparison import table_decimals
from tiebreak.views.plots.display import Display, Plots, better_is, of_all, shown_models
from tiebreak.views.plots.matrix import CorrelationDisplay, VerdictsDisplay, counted_verdicts, pair_sentence
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.style import (
    BAND,
    INK,
    MARKS,
    PAPER,
    PLOT_WIDTH,
    QUIET,
    minus,
    model_axis,
    number_axis,
    numbered_labels,
    plain_axes,
    row_note,
    short,
    short_labels,
    widest,
    x_label,
)
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison


_WHY = {"identical-scores": " (identical scores)", "no-spread": " (no spread)", "missing-splits": " (too few shared splits)"}


@dataclass(frozen=True, slots=True, eq=False)
class RankingDisplay(Display):
    """Every model's difference to the best one, or to the baseline, with simultaneous confidence intervals.

    The intervals are of differences. Intervals of single models are not drawn: whether those overlap says little about paired
    scores.

    Attributes
    ----------
    data : DataFrame
        rank, model, mean, n_splits, difference (model minus reference, positive favours the model), simultaneous_low,
        simultaneous_high, verdict (of the model against the reference, "" for the reference itself), reason.
    reference : str
    is_baseline : bool
        Whether the caller named the reference; else it is the model that ranks first.
    rope, alpha : float
    n_pairs : int
        Size of the family, over which the intervals cover at once with probability at least 1 - alpha.
    correction : str
        By which the verdicts are adjusted.
    metric : str
    higher_is_better : bool
    verdicts : dict of str to int
        Counts over all models of the comparison, drawn or not.
    decimals : int
    """

    reference: str
    is_baseline: bool
    rope: float
    alpha: float
    n_pairs: int
    correction: str
    metric: str
    higher_is_better: bool
    verdicts: dict[str, int]
    decimals: int

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        comparison : Comparison
        """
        import pandas as pd

        ranking, models = comparison.ranking_table, comparison.models
        verdict = np.array(VERDICTS, dtype=object)[ranking.verdict]
        verdict[ranking.reference] = ""
        data = pd.DataFrame(
            {
                "rank": np.arange(1, len(models) + 1),
                "model": models,
                "mean": ranking.mean,
                "n_splits": ranking.n_splits,
                "difference": ranking.difference,
                "simultaneous_low": ranking.simultaneous.low,
                "simultaneous_high": ranking.simultaneous.high,
                "verdict": verdict,
                "reason": np.array(REASONS, dtype=object)[ranking.kind],
            }
        )
        return cls(
            data=data.iloc[shown_models(comparison)].reset_index(drop=True),
            reference=comparison.reference,
            is_baseline=comparison.settings.baseline is not None,
            rope=comparison.rope,
            alpha=comparison.settings.alpha,
            n_pairs=comparison.pair_table.n_pairs,
            correction=comparison.settings.correction,
            metric=comparison.metric.name,
            higher_is_better=comparison.metric.higher_is_better,
            verdicts={name: int(np.count_nonzero(verdict == name)) for name in VERDICTS},
            decimals=table_decimals(comparison),
        )

    def _names(self) -> list[str]:
        return short_labels(list(self.data["model"]))

    def _row_labels(self) -> list[str]:
        return [f"{name}  {rank}" for rank, name in zip(self.data["rank"], self._names(), strict=True)]

    def _reference_name(self) -> str:
        return self._names()[list(self.data["model"]).index(self.reference)]

    def _row_notes(self) -> list[str]:
        return [
            f"{MARKS[verdict].symbol} {verdict}{_WHY.get(reason, '')}"
            if verdict
            else ("baseline, " if self.is_baseline else "") + f"mean {minus(format_score(value, self.decimals))}"
            for verdict, reason, value in zip(self.data["verdict"], self.data["reason"], self.data["mean"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        return PLOT_WIDTH + 0.4 + widest(self._row_labels()) + widest(self._row_notes()), 1.7 + 0.27 * max(len(self.data), 2)

    def _title(self) -> str:
        name, n_others = self._reference_name(), sum(self.verdicts.values())
        if n_others == 1:
            other = next(other for other in self._names() if other != name)
            verdict = str(self.data.loc[self.data["verdict"] != "", "verdict"].iloc[0])
            mirrored = {"better": "worse", "worse": "better"}.get(verdict, verdict)
            return pair_sentence(name, other, mirrored)
        if self.is_baseline:
            return f"Against the baseline {name} {counted_verdicts(self.verdicts, 'models')}"
        return f"{name} ranks first; {counted_verdicts(self.verdicts, 'others')}"

    def _note(self) -> str:
        level = format_percent(1 - self.alpha)
        pairs = f"m = {self.n_pairs} pair" + ("s" if self.n_pairs > 1 else "")
        band = (
            f" Grey band: the rope, ±{self.rope:.4g}, differences too small to matter."
            if self.rope
            else " There is no rope, so none can be called equivalent."
        )
        adjusted = "not adjusted" if self.correction == "none" else self.correction
        verdicts = (
            f" Verdicts: claim tests ({adjusted}, alpha {self.alpha:g}), which may decide a little more than the lines show."
        )
        return f"Lines: simultaneous {level} intervals of the difference, {pairs}.{band}{verdicts}" + of_all(
            len(self.data), 1 + sum(self.verdicts.values())
        )

    def _draw(self, axes: Axes) -> None:
        if self.rope:
            axes.axvspan(-self.rope, self.rope, color=BAND, linewidth=0, zorder=0)
        axes.axvline(0.0, color=QUIET, linewidth=0.8, zorder=1)
        low, high = self.data["simultaneous_low"], self.data["simultaneous_high"]
        for row, (verdict, difference) in enumerate(zip(self.data["verdict"], self.data["difference"], strict=True)):
            if not verdict:
                axes.scatter(difference, row, marker="|", s=90, color=INK, zorder=3)
                continue
            mark = MARKS[verdict]
            face = PAPER if verdict == "undecided" else mark.colour
            axes.plot([low[row], high[row]], [row, row], color=mark.colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
            axes.scatter(difference, row, marker=mark.marker, s=38, color=face, edgecolors=mark.colour, zorder=3)
        for row, note in enumerate(self._row_notes()):
            row_note(axes, row, note)
        model_axis(axes, self._row_labels())
        number_axis(axes)
        plain_axes(axes, "bottom")
        metric = short(self.metric)
        direction = f"positive favours the model of the row ({better_is(self.higher_is_better)} {metric})"
        x_label(axes, f"{metric} difference to {self._reference_name()}", direction, room=PLOT_WIDTH + 0.6)


JOINED_UP_TO = 6
"""Models up to which lines join the scores of one split; with more the lines would hide the dots."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoresDisplay(Display):
    """What every model scored on every split, and its mean.

    For up to six models a thin line joins the scores of one split: parallel lines are differences that hold on every split,
    whatever the split's own difficulty.

    Attributes
    ----------
    data : DataFrame
        model (in ranking order), repeat, fold, score and the model's mean, in the metric's unit; a row for each score that is
        there.
    metric : str
    higher_is_better : bool
    n_splits : int
    n_models : int
        Of the comparison; `data` holds those that are drawn.
    decimals : int
        With which means are written.
    """

    metric: str
    higher_is_better: bool
    n_splits: int
    n_models: int
    decimals: int

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        comparison : Comparison
        """
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
        return cls(
            data=data,
            metric=comparison.metric.name,
            higher_is_better=comparison.metric.higher_is_better,
            n_splits=matrix.n_splits,
            n_models=len(comparison.models),
            decimals=table_decimals(comparison),
        )

    @property
    def _models(self) -> list[str]:
        return list(self.data["model"].cat.categories)

    @property
    def _is_joined(self) -> bool:
        return len(self._models) <= JOINED_UP_TO

    def _size(self) -> tuple[float, float]:
        step = 0.62 if self._is_joined else 0.26
        return PLOT_WIDTH + 1.2 + widest(numbered_labels(self._models)), 1.5 + step * max(len(self._models), 2)

    def _title(self) -> str:
        best = self.data.iloc[0]
        mean = format_score(float(best["mean"]), self.decimals)
        return f"{short_labels(self._models)[0]} ranks first of {self.n_models}, with a mean {short(self.metric)} of {mean}"

    def _note(self) -> str:
        joined = "; each line joins the scores of one split" if self._is_joined else ""
        note = f"Dots: {self.n_splits} splits{joined}. Diamonds: means. "
        return note + "Whether means differ by more than chance is not shown here." + of_all(len(self._models), self.n_models)

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
        for row, (mean, n_splits) in enumerate(zip(counted["first"], counted["size"], strict=True)):
            lacking = "" if n_splits == self.n_splits else f" ({n_splits} splits)"
            row_note(axes, row, f"mean {minus(format_score(float(mean), self.decimals))}{lacking}")
        model_axis(axes, numbered_labels(self._models))
        number_axis(axes)
        plain_axes(axes, "bottom")
        x_label(axes, f"{short(self.metric)} of each split ({better_is(self.higher_is_better)} is better)")


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
