"""Models ranked, each with its difference to the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.verdict import REASONS, VERDICTS
from tiebreak.views.comparison import table_decimals
from tiebreak.views.plots.display import Display, better_is, of_all, shown_models
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
    plain_axes,
    row_note,
    short,
    short_labels,
    widest,
    x_label,
)
from tiebreak.views.plots.verdicts import counted_verdicts, pair_sentence
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison

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
