"""Slices of the items: the difference of two models on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, Unpack, cast

import numpy as np

from tiebreak.errors import NotOfferedError
from tiebreak.views.pair import level_words
from tiebreak.views.plots.display import Display, Plots, TopLook, better_is, default_pair, of_all
from tiebreak.views.plots.matrix import counted_verdicts, verdict_title
from tiebreak.views.plots.style import (
    MARKS,
    NOT_ASKED,
    band,
    faded,
    muted,
    row_axes,
    rows_width,
    short,
    short_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.slices import Slices
    from tiebreak.scores.items import Items

MOST_SLICES = 50
"""Slices that one figure can show."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlicesDisplay(Display):
    """Difference of two models on each slice of the items, with the interval that decides its verdict; all items on top.

    Attributes
    ----------
    data : DataFrame
        slice, n_items, difference (positive favours `first`, in the metric's unit), interval_low, interval_high, verdict and
        reason. The first row is of all items, at the level of the comparison; the others share the level of their own family.
    slices : Slices
    first, second : str
    n_slices : int
        Slices that there are, drawn or not.
    """

    row_height: ClassVar[float] = 0.2

    slices: Slices
    first: str
    second: str
    n_slices: int

    @classmethod
    def from_slices(cls, slices: Slices, first: str, second: str, top: int | None = None) -> Self:
        """Collect the numbers of one pair."""
        import pandas as pd

        comparison = slices.comparison
        whole = comparison.pair(first, second)
        codes = comparison.models.index(first), comparison.models.index(second)
        row = slices.tables[0].row_of(*codes)
        mirrored = row is None
        row = slices.tables[0].row_of(*codes[::-1]) if row is None else row
        if row is None:
            raise NotOfferedError(f"the slices judge every model against the baseline only, not {first!r} against {second!r}.")
        names = ["difference", "interval_low", "interval_high", "verdict", "reason"]
        rows = [("all", len(cast("Items", comparison.items).items), *(getattr(whole, name) for name in names))]
        for name, n, table in list(zip(slices.names, slices.n_items, slices.tables, strict=True))[: top or MOST_SLICES]:
            values = table.row_values(row, mirrored)
            rows.append((name, n, *(values[each] for each in names)))
        data = pd.DataFrame(rows, columns=["slice", "n_items", *names])
        return cls(data, slices, first, second, len(slices.names))

    @property
    def _names(self) -> list[str]:
        return short_labels([self.first, self.second])

    @property
    def _unit(self) -> str:
        return self.slices.comparison.method.unit

    def _labels(self) -> list[str]:
        """The first row is told from a slice of that name by its number."""
        return [f"all {self._unit}s", *short_labels(self.data["slice"].tolist()[1:])]

    def _row_notes(self) -> list[str]:
        counts = [f"{n:,}" for n in self.data["n_items"]]
        words = [f"{MARKS[name].symbol} {name}" if name else "" for name in self.data["verdict"]]
        return [f"{n}  {word}" for n, word in zip(counts, words, strict=True)]

    def _size(self) -> tuple[float, float]:
        return rows_width(self._labels(), self._row_notes()), 1.9 + 0.3 * max(len(self.data), 2)

    def _title(self) -> str:
        first, second = self._names
        whole, parts = self.data["verdict"].iloc[0], self.data["verdict"].iloc[1:]
        counts = {name: int((parts == name).sum()) for name in MARKS}
        sentence = verdict_title(first, second, whole)
        return f"{sentence}; {counted_verdicts(counts, f'slices by {short(self.slices.by)}')}"

    def _note(self) -> str:
        comparison = self.slices.comparison
        rope = f" Grey band: the rope, ±{comparison.rope:.4g}." if comparison.rope else ""
        level = level_words(self.slices.interval_alpha)
        few = of_all(len(self.data) - 1, self.n_slices, "slices")
        return (
            f"Lines: {level} intervals of the difference on each slice ({self.slices.correction} over all slices and pairs); of "
            f"all {self._unit}s at their own level. Right: number of {self._unit}s, verdict. A small slice is mostly undecided, "
            f"not shown to be the same.{rope}{few}"
        )

    def _draw(self, axes: Axes) -> None:
        comparison = self.slices.comparison
        if comparison.rope:
            axes.axvspan(-comparison.rope, comparison.rope, color=band(), linewidth=0, zorder=0)
        axes.axvline(0.0, color=muted(), linewidth=0.8, zorder=1)
        columns = (self.data[name] for name in ("interval_low", "difference", "interval_high", "verdict"))
        for row, (low, difference, high, verdict) in enumerate(zip(*columns, strict=True)):
            mark, width, area = MARKS[verdict or NOT_ASKED], *((1.6, 38) if row else (2.4, 56))
            if np.isfinite([low, high]).all():
                axes.plot([low, high], [row, row], color=mark.colour, linewidth=width, solid_capstyle="butt", zorder=3)
            axes.scatter(difference, row, marker=mark.marker, s=area, color=mark.face, edgecolors=mark.colour, zorder=4)
        axes.axhline(0.5, color=faded(), linewidth=0.6)
        metric = short(comparison.metric.name)
        favours = f"positive favours {self._names[0]} ({better_is(comparison.metric)} {metric})"
        row_axes(axes, self._labels(), self._row_notes(), f"difference in {metric}", favours, room=self._room(axes))


class SlicesPlots(Plots["Slices"]):
    """Plots of slices."""

    __slots__ = ()

    def differences(
        self, a: str | None = None, b: str | None = None, ax: Axes | None = None, **look: Unpack[TopLook]
    ) -> SlicesDisplay:
        """Difference of two models on each slice, with its interval; positive favours `a`.

        Parameters
        ----------
        a, b : str, optional
            Names. What is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.
        """
        return self._draw(SlicesDisplay.from_slices, *default_pair(self.result.comparison, a, b), ax=ax, look=look)

    __call__ = differences
