"""Scores per split of all models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.views.comparison import table_decimals
from tiebreak.views.plots.display import Display, better_is, of_all, shown_models
from tiebreak.views.plots.style import (
    INK,
    MARKS,
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
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison

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
