"""Models against models: cells and their labels, for every display that is a square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiebreak.views.plots.style import PAPER, SIZE, literal, model_axis, numbered_labels, plain_axes, short_labels, widest, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS_UP_TO = 6
"""Models up to which cells hold words and columns names; with more, columns hold the number of the row."""


@dataclass(frozen=True, slots=True)
class Square:
    """Rows and columns of models, the best at the top and on the left.

    Attributes
    ----------
    models : sequence of str
    own_figure : bool
        Whether the figure is as large as `size` asks for; on the caller's axes cells may be small, and hold no words.
    """

    models: Sequence[str]
    own_figure: bool

    @property
    def has_words(self) -> bool:
        """Whether a cell has room for words."""
        return self.own_figure and len(self.models) <= WORDS_UP_TO

    @property
    def row_labels(self) -> list[str]:
        """Names, numbered where the columns are."""
        return short_labels(self.models) if self.has_words else numbered_labels(self.models)

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell in inches."""
        return (1.35, 0.62) if self.has_words else (0.36, 0.26) if len(self.models) <= 20 else (0.21, 0.19)

    @property
    def note(self) -> str:
        """A remark on the columns, where one is needed."""
        return "" if self.has_words else " Columns are numbered as the rows."

    def size(self, beside: float) -> tuple[float, float]:
        """Width and height in inches of a figure with the square, its labels, and something `beside` it."""
        n_models, (width, height) = len(self.models), self.cell
        return max(6.5, n_models * width + widest(self.row_labels) + beside + 0.5), n_models * height + 1.9

    def label(self, axes: Axes) -> None:
        """Write the labels, and draw lines between the cells."""
        n_models = len(self.models)
        model_axis(axes, self.row_labels)
        if self.has_words:
            columns = [wrap(name, self.cell[0] - 0.1, SIZE) for name in short_labels(self.models)]
        else:
            columns = [str(number) for number in range(1, n_models + 1)]
        axes.xaxis.tick_top()
        axes.set_xticks(range(n_models), labels=[literal(column) for column in columns])
        axes.set_xlim(-0.5, n_models - 0.5)
        plain_axes(axes)
        axes.tick_params(length=0)
        if n_models > 20:
            axes.tick_params(labelsize=SIZE - 2)
        edges = [position - 0.5 for position in range(n_models + 1)]
        axes.hlines(edges, -0.5, n_models - 0.5, color=PAPER, linewidth=1)
        axes.vlines(edges, -0.5, n_models - 0.5, color=PAPER, linewidth=1)
