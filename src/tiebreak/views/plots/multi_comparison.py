"""Multi-comparison matrix: difference, wins, ties and losses, and adjusted p-value of every pair in a cell of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from tiebreak.frequentist.aggregates import win_tie_loss
from tiebreak.views.comparison import table_decimals
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.display import ComparisonDisplay, shown_models
from tiebreak.views.plots.matrix import Square, VerdictsDisplay, pairs_title
from tiebreak.views.plots.style import (
    MARKS,
    NOT_ASKED,
    OWN_ROOM,
    SMALL,
    Room,
    background,
    band,
    foreground,
    minus,
    muted,
    room_of,
    tint,
    widest,
)
from tiebreak.views.words import format_pvalue, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison

MOST_ROWS = 12
"""Models that are drawn where no number was asked for; more make a figure wider than a screen."""

_LINE = 0.16
"""Inches from one line of a cell to the next."""


@dataclass(frozen=True, slots=True)
class WideSquare(Square):
    """Square whose cells hold three lines; `width` is that of a cell in inches."""

    width: float = 1.0

    @property
    def has_words(self) -> bool:
        """True in a figure of our own, which is as large as its texts need."""
        return self.room is OWN_ROOM

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell in inches."""
        return self.width, 3 * _LINE + 0.12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MultiComparisonDisplay(ComparisonDisplay):
    """Matrix of all pairs, the model of the row against the model of the column, with the numbers behind each verdict.

    Attributes
    ----------
    data : DataFrame
        row, column, difference (positive favours the row, in the metric's unit), wins, ties and losses (numbers of datasets on
        which the row is better, equal up to rounding noise, and worse), adjusted_pvalue, verdict, which is "not asked" for a pair
        that is not in the family. Both orientations of each pair.
    """

    row_height: ClassVar[float] = 0.12

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        top = min(top or MOST_ROWS, shown_models(comparison).size)
        verdicts = VerdictsDisplay.from_comparison(comparison, top).data
        score = comparison.matrix.score[shown_models(comparison, top)]
        counts = win_tie_loss(score.T, higher_is_better=comparison.metric.higher_is_better)
        cells = verdicts["row"].cat.codes.to_numpy(), verdicts["column"].cat.codes.to_numpy()
        verdicts.insert(3, "wins", counts.wins[cells])
        verdicts.insert(4, "ties", counts.ties[cells])
        verdicts.insert(5, "losses", counts.losses[cells])
        return cls(verdicts, comparison, top)

    def _texts(self) -> list[tuple[str, str, str]]:
        """Lines of each cell: difference with the mark of its verdict, counts, p-value."""
        decimals, texts = table_decimals(self.comparison), []
        columns = ("difference", "wins", "ties", "losses", "adjusted_pvalue", "verdict")
        for difference, wins, ties, losses, pvalue, verdict in zip(*(self.data[name] for name in columns), strict=True):
            number = minus(format_score(float(difference), decimals, signed=True))
            first = NOT_ASKED if verdict == NOT_ASKED else f"{MARKS[verdict].symbol} {number}"
            p = "" if verdict == NOT_ASKED else f"p {minus(format_pvalue(float(pvalue)))}".replace("p <", "p < ")
            texts.append((first, f"{wins} / {ties} / {losses}", p))
        return texts

    def _square(self, room: Room = OWN_ROOM) -> WideSquare:
        texts = widest([line for cell in self._texts() for line in cell], SMALL) * 1.1 + 0.14
        return WideSquare(self._models, room, self._copies, max(0.8, texts, min(1.3, widest(self._names) + 0.14)))

    def _size(self) -> tuple[float, float]:
        width, height = self._square().size(beside=0.0)
        return width, height + 0.1

    def _title(self) -> str:
        return pairs_title(self.comparison, self._models)

    def _note(self) -> str:
        comparison = self.comparison
        there = [f"{MARKS[name].symbol} {name}" for name in MARKS if name != NOT_ASKED and (self.data["verdict"] == name).any()]
        rope = f"; rope ±{comparison.rope:.4g}" if comparison.rope else ""
        return (
            f"Each cell, the row against the column: difference in {self._metric}, {self._favours('the row')}; {self._unit}s won "
            f"/ tied / lost; p-value of no difference ({self._adjusted}). Colour and mark: the verdict of the "
            f"{interval_name(comparison)}, {', '.join(there)}{rope}. Grey: {self._value}.{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        n_models, square = len(self._models), self._square(self._room(axes))
        verdict = self.data["verdict"].to_numpy(dtype=object)
        row, column = (self.data[name].cat.codes.to_numpy() for name in ("row", "column"))
        axes.set_ylim(n_models - 0.5, -0.5)
        for x, y, name in zip(column.tolist(), row.tolist(), verdict, strict=True):
            axes.fill_between([x - 0.5, x + 0.5], y - 0.5, y + 0.5, color=_ground(name), linewidth=0, zorder=0)
        for place in range(n_models):
            axes.fill_between([place - 0.5, place + 0.5], place - 0.5, place + 0.5, color=band(), linewidth=0, zorder=0)
        square.label(axes)
        size, lines = self._text_size(axes, square)
        if not lines:
            area = min((26 * min(square.room.width, square.room.height) / n_models) ** 2, 60.0)
            for name in dict.fromkeys(verdict):
                cells, face = verdict == name, foreground() if MARKS[name].is_filled else "none"
                axes.scatter(
                    column[cells],
                    row[cells],
                    marker=MARKS[name].marker,
                    s=area,
                    color=face,
                    edgecolors=foreground(),
                    linewidths=0.7,
                )
            return
        step = 1.0 / (lines + 0.6)
        for x, y, texts in zip(column.tolist(), row.tolist(), self._texts(), strict=True):
            for line, text in enumerate(texts[:lines]):
                at = y + step * (line - (lines - 1) / 2)
                weight = "normal" if line else "bold"
                axes.text(x, at, text, ha="center", va="center", fontsize=size, color=foreground(), fontweight=weight)
        decimals = table_decimals(self.comparison)
        means = self.comparison.ranking_table.mean[shown_models(self.comparison, self.top)]
        for place, mean in enumerate(means):
            text = minus(format_score(float(mean), decimals))
            axes.text(place, place, text, ha="center", va="center", fontsize=size, color=muted())

    def _text_size(self, axes: Axes, square: WideSquare) -> tuple[float, int]:
        """Size of the text in cells and the number of its lines, 0 where there is no room for any."""
        if square.room is OWN_ROOM:
            return SMALL, 3
        room, n_models = room_of(axes), len(self._models)
        width, height = room.width / n_models, room.height / n_models
        for lines in (3, 2, 1):
            texts = [line for cell in self._texts() for line in cell[:lines]]
            size = min(SMALL, SMALL * width / (1.15 * widest(texts, SMALL) + 0.06), 72 * height / (1.35 * (lines + 0.3)))
            if size >= 5.0:
                return size, lines
        return 0.0, 0


def _ground(verdict: str) -> str:
    """Colour of a cell, light enough for the ink to stand out."""
    if verdict == NOT_ASKED:
        return background()
    return tint(MARKS[verdict].colour, {"undecided": 0.1, "ahead": 0.25, "behind": 0.25}.get(verdict, 0.38))
