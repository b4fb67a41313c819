"""Ratings with their intervals, and the ranks that each model may have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np

from tiebreak.views.plots.display import MOST_MODELS, Display, Plots, TopLook, of_all
from tiebreak.views.plots.style import COLOURS, foreground, minus, muted, row_axes, rows_width, short_labels
from tiebreak.views.ratings import best, frame, rank_text, rating_text
from tiebreak.views.words import format_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.ratings import Ratings

_ROW = 0.3
_BEYOND = 0.12
"""Share of the drawn range that an open interval is drawn beyond it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RatingsDisplay(Display):
    """Rating of each model with its interval, and its ranks to the right.

    Attributes
    ----------
    data : DataFrame
        As `Ratings.to_frame`: a row for each model, best first.
    """

    row_height: ClassVar[float] = 0.2

    ratings: Ratings = field(repr=False)

    @classmethod
    def from_ratings(cls, ratings: Ratings, top: int | None = None) -> Self:
        """Collect the best models."""
        return cls(frame(ratings).head(top or MOST_MODELS), ratings)

    def _notes(self) -> list[str]:
        return [
            f"{minus(rating_text(rating))}   rank {rank_text(low, high)}"
            for rating, low, high in zip(self.data["rating"], self.data["rank_low"], self.data["rank_high"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        return rows_width(list(self.data["model"]), self._notes()), 1.7 + _ROW * max(len(self.data), 2)

    def _title(self) -> str:
        may = best(self.ratings)
        names = dict(zip(self.data["model"], short_labels(list(self.data["model"])), strict=True))
        if len(may) == 1:
            return f"{names[may[0]]} is shown better than all others"
        if len(may) == 2 and set(may) <= names.keys():
            return f"{names[may[0]]} or {names[may[1]]} may be the best"
        return f"Any of {len(may)} models may be the best"

    def _note(self) -> str:
        level, few = format_percent(self.ratings.level), of_all(len(self.data), len(self.ratings.models))
        return (
            f"Lines: {level} intervals over further {self.ratings.unit}s, an arrow where open. Right: rating, and the ranks "
            f"that hold for all models at once with {level}. 400 points are odds of 10 to 1.{few}"
        )

    def _draw(self, axes: Axes) -> None:
        ends = self.data[["rating", "rating_low", "rating_high"]].to_numpy(dtype=float)
        drawn = ends[np.isfinite(ends)]
        low, high = (float(drawn.min()), float(drawn.max())) if drawn.size else (900.0, 1100.0)
        room = _BEYOND * max(high - low, 1.0)
        may = set(best(self.ratings))
        for row, (model, (rating, left, right)) in enumerate(zip(self.data["model"], ends, strict=True)):
            colour = COLOURS[0] if model in may else muted()
            axes.plot([max(left, low - room), min(right, high + room)], [row, row], color=colour, linewidth=1.8, zorder=2)
            for end, sign, place in ((left, "<", low - room), (right, ">", high + room)):
                if np.isinf(end):
                    axes.scatter(place, row, marker=sign, s=26, color=colour, zorder=3)
            if np.isfinite(rating):
                axes.scatter(rating, row, s=34, color=colour, edgecolors=foreground(), linewidths=0.5, zorder=4)
        row_axes(axes, list(self.data["model"]), self._notes(), "rating (higher is better)", room=self._room(axes))


class RatingsPlots(Plots["Ratings"]):
    """Plots of the result."""

    __slots__ = ()

    def ratings(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> RatingsDisplay:
        """Ratings with their intervals, and ranks."""
        return self._draw(RatingsDisplay.from_ratings, ax=ax, look=look)

    __call__ = ratings
