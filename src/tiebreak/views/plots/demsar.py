"""Average ranks on a horizontal axis, names on both sides: the critical-difference diagram of Demšar (2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.views.plots.rank_diagram import DiagramDisplay
from tiebreak.views.plots.style import (
    COLOURS,
    OWN_ROOM,
    PLOT_WIDTH,
    SIZE,
    fitted_labels,
    foreground,
    literal,
    muted,
    short_labels,
    text_width,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP = 0.19
"""Inches from one name to the next."""

BAR = 0.1
"""Inches from one bar to the next."""

GAP = 0.3
"""Inches between a name and the end of the axis of ranks."""

ABOVE = 0.3
"""Inches above the axis, for its numbers."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DemsarDisplay(DiagramDisplay):
    """Average rank of every model on a horizontal axis, 1 on the left; names of the better half on the left, of the others right.

    Numbers, bars and their meaning are those of `DiagramDisplay`.
    """

    row_height: ClassVar[float] = 0.06

    def _size(self) -> tuple[float, float]:
        width = PLOT_WIDTH + 2 * (GAP + widest(short_labels(self._models, copies=self._copies)) + widest(self._row_notes()))
        return width, 1.5 + ABOVE + BAR * len(self.groups) + STEP * self._n_left

    @property
    def _n_left(self) -> int:
        """Models whose names stand on the left."""
        return -(-len(self.data) // 2)

    def _draw(self, axes: Axes) -> None:
        room, own_size = self._room(axes), self._size()
        is_own = room is OWN_ROOM
        width = own_size[0] - 0.3 if is_own else room.width
        bars = ABOVE + BAR * (len(self.groups) + 1)
        height = bars + STEP * (self._n_left + 0.5) if is_own else room.height
        step = min(STEP, max(height - bars, 0.2) / (self._n_left + 0.5))
        size = min(SIZE, 72 * step / 1.25)
        notes = self._row_notes()
        beside = widest(notes, size) + text_width("  ", size)
        side = min(widest(short_labels(self._models, copies=self._copies), size), 0.36 * width - beside - GAP)
        names = fitted_labels(self._models, side, size, copies=self._copies)
        side = beside + widest(names, size)
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height - ABOVE, -ABOVE)
        ranks = self.data["average_rank"].to_numpy(dtype=float)
        ends = side + GAP, width - side - GAP
        last = max(int(np.ceil(ranks.max(initial=2.0))), 2)
        x = ends[0] + (ranks - 1) / (last - 1) * (ends[1] - ends[0])
        self._draw_axis(axes, ends, last, size)
        self._draw_bars(axes, x)
        for row, (name, note) in enumerate(zip(names, notes, strict=True)):
            is_left = row < self._n_left
            y = bars - ABOVE + step * ((row if is_left else len(names) - 1 - row) + 0.5)
            end = side + 0.06 if is_left else width - side - 0.06
            colour = COLOURS[1] if self._models[row] == self.own else foreground()
            axes.plot([x[row], x[row], end], [0.0, y, y], color=muted(), linewidth=0.7, zorder=1)
            axes.text(
                side if is_left else width - side,
                y,
                literal(f"{name}  {note}" if is_left else f"{note}  {name}"),
                ha="right" if is_left else "left",
                va="center_baseline",
                fontsize=size,
                color=foreground(),
                fontweight="bold" if self._models[row] == self.own else "normal",
            )
            marker = "D" if self._models[row] == self.own else "o"
            axes.plot([x[row]], [0.0], marker=marker, markersize=5, color=colour if marker == "D" else COLOURS[0], zorder=4)

    def _draw_axis(self, axes: Axes, ends: tuple[float, float], last: int, size: float) -> None:
        """The axis of ranks, from 1 to the next whole one behind the worst."""
        axes.plot(ends, [0, 0], color=foreground(), linewidth=1.0, zorder=2)
        width = (ends[1] - ends[0]) / (last - 1)
        every = max(1, int(np.ceil(1.6 * text_width(str(last), size) / width)))
        for rank in range(1, last + 1):
            place = ends[0] + (rank - 1) * width
            is_named = (rank - 1) % every == 0
            axes.plot([place, place], [-0.06 if is_named else -0.03, 0], color=foreground(), linewidth=0.8, zorder=2)
            if is_named:
                axes.text(place, -0.09, str(rank), ha="center", va="bottom", fontsize=size, color=foreground())

    def _draw_bars(self, axes: Axes, x: FloatArray) -> None:
        """A bar below the axis for each group, with gaps for models that are told apart from one of it."""
        place = {name: row for row, name in enumerate(self._models)}
        for number, group in enumerate(self.groups, 1):
            rows, y = [place[name] for name in group], BAR * number
            axes.plot([x[rows[0]], x[rows[-1]]], [y, y], color=muted(), linewidth=0.8, linestyle=":", zorder=3)
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                axes.plot(
                    [x[run[0]] - 0.04, x[run[-1]] + 0.04],
                    [y, y],
                    color=foreground(),
                    linewidth=2.6,
                    solid_capstyle="butt",
                    zorder=3,
                )
