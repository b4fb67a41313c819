"""Honest scores of choices, beside what would have been claimed without nesting."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from tiebreak.evaluation.cells import metric_position
from tiebreak.views.nested import nested_frame
from tiebreak.views.plots.display import MOST_MODELS, Display, Plots, TopLook, better_is, of_all
from tiebreak.views.plots.style import (
    COLOURS,
    MARKS,
    background,
    foreground,
    minus,
    muted,
    row_axes,
    rows_width,
    short,
    short_labels,
)
from tiebreak.views.words import decimals_for, format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.scores.metric import Metric
    from tiebreak.studies.nested import NestedEvaluation

CLAIM = MARKS["worse"]
_ROW = 0.58


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NestedDisplay(Display):
    """Scores of each search on the outer splits, the honest mean with its interval, and the claim of plain cross-validation.

    Attributes
    ----------
    data : DataFrame
        search, repeat, fold, score and chosen: a row for each outer score that is there.
    searches : DataFrame
        A row for each search: search, score, interval_low, interval_high, n_splits, claim, inner_claim, n_candidates, n_distinct,
        favourite, n_favourite.
    """

    row_height: ClassVar[float] = 0.34

    searches: pd.DataFrame = field(repr=False)
    nested: NestedEvaluation = field(repr=False)
    metric: Metric

    @classmethod
    def from_nested(cls, nested: NestedEvaluation, metric: str | None = None, top: int | None = None) -> Self:
        """Collect the numbers of one metric, the first if none is named."""
        known = nested.outer.record.metrics[metric_position(nested.outer, metric)].metric
        names = list(nested.searches[: top or MOST_MODELS])
        outer = _of(nested_frame(nested, "outer"), known.name, names)
        summary = _of(nested_frame(nested, "summary"), known.name, names)
        columns = ["search", "score", "interval_low", "interval_high", "n_splits", "claim", "inner_claim"]
        data = outer.loc[outer["score"].notna(), ["search", "repeat", "fold", "score", "chosen"]].reset_index(drop=True)
        return cls(data, summary[[*columns, "n_candidates", "n_distinct", "favourite", "n_favourite"]], nested, known)

    @property
    def _decimals(self) -> int:
        widths = (self.searches["interval_high"] - self.searches["interval_low"]).dropna()
        return decimals_for(float(np.median(widths)) / 4 if len(widths) else float("nan"))

    def _labels(self) -> list[str]:
        return short_labels(list(self.searches["search"]))

    def _notes(self) -> list[str]:
        """Honest mean, and what was chosen how often."""
        notes = []
        for row in self.searches.to_dict("records"):
            lacking = "" if row["n_splits"] == self.nested.n_outer else f" ({row['n_splits']} splits)"
            notes.append(f"{self._number(row['score'])}{lacking}\n{self._choice(row)}")
        return notes

    def _choice(self, row: dict[Hashable, Any]) -> str:
        if row["n_candidates"] == 1:
            return "nothing to choose"
        n_others = row["n_distinct"] - 1
        if n_others < 0:
            return "none was chosen"
        others = "" if n_others == 0 else f", {n_others} other{'s' if n_others > 1 else ''}"
        return f"{short(row['favourite'], 26)} on {row['n_favourite']} of {self.nested.n_outer}{others}"

    def _number(self, value: float) -> str:
        return minus(format_score(float(value), self._decimals))

    def _size(self) -> tuple[float, float]:
        return rows_width(list(self.searches["search"]), self._notes()), 1.9 + _ROW * max(len(self.searches), 2)

    def _title(self) -> str:
        metric = short(self.metric.name)
        if len(self.searches) > 1:
            return f"Honest {metric} of {len(self.nested.searches)} searches, each choosing anew on every outer training set"
        row = self.searches.iloc[0]
        name, sign = self._labels()[0], self.metric.sign
        if row["n_splits"] == 0:
            return f"{name} has no score"
        honest = f"Choosing in {name} leads to {metric} {self._number(row['score'])}"
        if np.isnan(row["claim"]):
            return honest
        off = sign * (row["claim"] - row["score"])
        same = self._number(off) == self._number(0.0)
        how = "the same" if same else f"{self._number(abs(off))} {'better' if off > 0 else 'worse'}"
        return f"{honest}; plain cross-validation claims {self._number(row['claim'])}, {how}"

    def _note(self) -> str:
        interval = f"with {format_percent(1 - self.nested.alpha)} interval of the mean, corrected for shared training data"
        claims = self.searches[["claim", "inner_claim"]].notna().any()
        plain = " Triangle: mean of the best candidate in plain cross-validation." if claims["claim"] else ""
        inner = " Bar: mean of the best inner scores, from smaller training sets." if claims["inner_claim"] else ""
        few = of_all(len(self.searches), len(self.nested.searches), "searches")
        dots = f"Dots: scores of what was chosen on each of {self.nested.n_outer} outer splits."
        right = "Right: honest mean, and what was chosen most often."
        return f"{dots} Diamond: honest mean, {interval}.{plain}{inner} {right}{few}"

    def _draw(self, axes: Axes) -> None:
        for row, search in enumerate(self.searches.to_dict("records")):
            scores = self.data.loc[self.data["search"] == search["search"], "score"].to_numpy()
            strength = float(np.clip(25 / max(scores.size, 1), 0.25, 0.75))  # many dots are drawn fainter
            shift = 0.14 + ((np.arange(scores.size) * 0.618034) % 1 - 0.5) * 0.22
            axes.scatter(scores, row + shift, s=14, color=COLOURS[0], alpha=strength, linewidths=0, zorder=2)
            height = row - 0.14
            axes.plot(
                [search["interval_low"], search["interval_high"]], [height, height], color=foreground(), linewidth=1.6, zorder=3
            )
            axes.scatter(search["score"], height, marker="D", s=34, color=background(), edgecolors=foreground(), zorder=5)
            axes.scatter(search["inner_claim"], height, marker="|", s=110, color=muted(), linewidths=1.6, zorder=4)
            axes.scatter(search["claim"], height - 0.13, marker="v", s=34, color=CLAIM.colour, zorder=6)
        x_line = f"{short(self.metric.name)} ({better_is(self.metric)} is better)"
        row_axes(axes, list(self.searches["search"]), self._notes(), x_line, room=self._room(axes))


def _of(frame: pd.DataFrame, metric: str, searches: list[str]) -> pd.DataFrame:
    """The rows of one metric and of the searches that are drawn."""
    return frame[(frame["metric"] == metric) & frame["search"].isin(searches)].reset_index(drop=True)


class NestedPlots(Plots["NestedEvaluation"]):
    """Plots of the result."""

    __slots__ = ()

    def scores(self, metric: str | None = None, ax: Axes | None = None, **look: Unpack[TopLook]) -> NestedDisplay:
        """Outer scores, honest means with their intervals, and the claims."""
        return self._draw(NestedDisplay.from_nested, metric, ax=ax, look=look)

    __call__ = scores
