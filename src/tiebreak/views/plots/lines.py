"""What displays of curves share: a line for each model, told apart by colour and dashes, and axes from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.evaluation.predictions import Lines
from tiebreak.views.plots.labels import literal, short, short_labels
from tiebreak.views.plots.style import INK, QUIET, SIZE, SMALL, plain_axes, widest
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 8
"""Curves that one figure can show legibly; of more, the best are drawn."""

FOLDS_UP_TO = 3
"""Curves up to which the folds and bands of each are drawn too; of more they would hide one another."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#56B4E9", "#1a1a1a", "#8C564B")
DASHES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)), (0, (1, 2)))
"""Tell lines apart without colour."""

EACH_CLASS = "each class against the rest"

Corner = Literal["lower right", "lower left", "upper left"]

PLOT_SIDE = 4.4
"""Inches of the square that curves are drawn in."""


class LineName(NamedTuple):
    """How a line stands in the legend: its name, and a number with its interval."""

    name: str
    detail: str


def best_first(values: Sequence[float]) -> list[int]:
    """Positions of the highest values first; undefined ones last."""
    return sorted(range(len(values)), key=lambda place: (np.isnan(values[place]), -values[place]))


def names_of(lines: Lines[Any, Any], order: Sequence[int]) -> list[str]:
    """Names of some lines: the model's, with its class where there are several."""
    chosen = [lines.lines[place] for place in order]
    models = list(dict.fromkeys(line.model for line in chosen))
    shown = dict(zip(models, short_labels(models), strict=True))
    if len(lines.classes) == 1:
        return [shown[line.model] for line in chosen]
    if len(models) == 1:
        return [short(f"class {line.positive}") for line in chosen]
    return [f"{shown[line.model]}, class {short(str(line.positive), 16)}" for line in chosen]


def of_class(lines: Lines[Any, Any]) -> str:
    """What curves are of, for a title."""
    return EACH_CLASS if len(lines.classes) > 1 else f"class {short(str(lines.classes[0]), 20)}"


def ranked(metric: str, subject: str, legend: Sequence[LineName], values: Sequence[float]) -> str:
    """A title that says who is best of several curves; of several classes, which are no rivals, the range."""
    best, n_lines = values[0], len(values)
    if np.isnan(best):
        return f"{metric} is undefined for {subject}"
    if subject == EACH_CLASS:
        drawn = [value for value in values if not np.isnan(value)]
        return f"{metric} of {EACH_CLASS}: {format_score(drawn[-1], 3)} to {format_score(best, 3)}"
    n_best = sum(abs(value - best) <= 1e-12 for value in values)
    if n_best > 1:
        return f"{n_best} of {n_lines} curves share the highest {metric} for {subject}: {legend[0].detail}"
    return f"{legend[0].name} ranks first of {n_lines} for {subject}: {legend[0].detail}"


def size_with(legend: Sequence[LineName]) -> tuple[float, float]:
    """Width and height in inches of a figure with a square plot and the legend beside it."""
    return PLOT_SIDE + 1.9 + widest([text for each in legend for text in each]), max(PLOT_SIDE, 0.42 * len(legend)) + 1.7


def unit_axes(axes: Axes, x: str, y: str, *, x_from: float = 0.0) -> None:
    """Axes of two shares."""
    ticks = np.linspace(0, 1, 6)
    axes.set_xlim(x_from - 0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.set_box_aspect(1)
    axes.set_anchor("W")  # what room is left over is for the legend
    axes.set_xlabel(literal(x), fontsize=SIZE)
    axes.set_ylabel(literal(y), fontsize=SIZE)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    plain_axes(axes, "left", "bottom")


def write_legend(axes: Axes, handles: Sequence[Any], legend: Sequence[LineName], *, own_figure: bool, corner: Corner) -> None:
    """The legend: beside the plot where the figure is ours, else small in a corner."""
    if own_figure:
        labels = [literal(f"{each.name}\n{each.detail}") for each in legend]
        axes.legend(
            handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=SIZE, labelcolor=INK,
            borderaxespad=0.0, labelspacing=0.7, handlelength=2.6,
        )  # fmt: skip
        return
    labels = [literal(f"{each.name}: {each.detail}") for each in legend]
    axes.legend(handles, labels, loc=corner, fontsize=SMALL, labelcolor=INK, framealpha=0.8)


def chance_line(axes: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """What tells nothing."""
    axes.plot(x, y, color=QUIET, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)


def drawn_of(n_shown: int, n_lines: int) -> str:
    """A remark for the note when not all curves are drawn."""
    return f" Drawn: the best {n_shown} of {n_lines} curves." if n_shown < n_lines else ""
