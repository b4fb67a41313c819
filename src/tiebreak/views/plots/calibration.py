"""Calibration curves: what share of the examples of some probability is positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tiebreak.evaluation.class_curves import Calibrations
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.views.plots.base import Display
from tiebreak.views.plots.display import Plots
from tiebreak.views.plots.labels import short
from tiebreak.views.plots.lines import (
    COLOURS,
    DASHES,
    EACH_CLASS,
    FOLDS_UP_TO,
    MOST_LINES,
    LineName,
    best_first,
    chance_line,
    drawn_of,
    names_of,
    of_class,
    size_with,
    unit_axes,
    write_legend,
)
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationDisplay(Display):
    """Calibration curves of one model or several.

    Attributes
    ----------
    data : DataFrame
        line (position in the legend), predicted, observed, low, high, count; a row for each bin.
    legend : tuple of LineName
        Of the lines, the smallest error first.
    subject : str
        The class.
    alpha : float
    n_lines : int
        Of the result; `legend` has those that are drawn.
    """

    legend: tuple[LineName, ...]
    subject: str
    alpha: float
    n_lines: int

    @classmethod
    def from_curve(cls, curve: CalibrationCurve) -> Self:
        """Collect the numbers of a single curve."""
        subject = f"class {short(str(curve.positive), 20)}"
        return cls(_frame([curve]), (LineName("this curve", _detail(curve)),), subject, curve.alpha, 1)

    @classmethod
    def from_curves(cls, curves: Calibrations) -> Self:
        """Collect the numbers of several models."""
        order = best_first([-line.pooled.calibration_error for line in curves])[:MOST_LINES]
        chosen = [curves.lines[place].pooled for place in order]
        legend = tuple(LineName(name, _detail(curve)) for name, curve in zip(names_of(curves, order), chosen, strict=True))
        return cls(_frame(chosen), legend, of_class(curves), curves.alpha, len(curves))

    def _size(self) -> tuple[float, float]:
        return size_with(self.legend)

    def _title(self) -> str:
        best = self.legend[0]
        if self.n_lines == 1:
            return f"Probabilities of {self.subject} are {best.detail}"
        if self.subject == EACH_CLASS:
            return f"Probabilities of {EACH_CLASS}: {best.name} is {best.detail}, {self.legend[-1].name} {self.legend[-1].detail}"
        return f"The probabilities of {best.name} for {self.subject} are nearest to what happens: {best.detail}"

    def _note(self) -> str:
        level = format_percent(1 - self.alpha)
        lines = f" Vertical lines: Wilson's {level} interval of each bin by itself." if self._has_intervals else ""
        return (
            f"Points: bins of similar probability, of all predictions together.{lines} Dotted: probabilities that hold. Above it "
            "more happens than was said, below it less. A constant can be calibrated too."
            + drawn_of(len(self.legend), self.n_lines)
        )

    @property
    def _has_intervals(self) -> bool:
        return len(self.legend) <= FOLDS_UP_TO

    def _draw(self, axes: Axes) -> None:
        chance_line(axes, [0, 1], [0, 1])
        handles: list[Any] = []
        for number in range(len(self.legend)):
            mine = self.data[self.data["line"] == number]
            if self._has_intervals:
                axes.vlines(
                    mine["predicted"], mine["low"], mine["high"], color=COLOURS[number], linewidth=1.0, alpha=0.6, zorder=2
                )
            handles += axes.plot(
                mine["predicted"], mine["observed"], color=COLOURS[number], linestyle=DASHES[number], marker=MARKERS[number],
                markersize=4.5, linewidth=1.4, zorder=3,
            )  # fmt: skip
        unit_axes(axes, "probability that was predicted (mean of the bin)", "share that was positive")
        write_legend(axes, handles, self.legend, own_figure=self.owns_figure_, corner="upper left")


def _detail(curve: CalibrationCurve) -> str:
    return f"off by {format_score(curve.calibration_error, 3)} on average"


def _frame(curves: list[CalibrationCurve]) -> pd.DataFrame:
    import pandas as pd

    frames = [curve.to_frame().assign(line=np.int64(number)) for number, curve in enumerate(curves)]
    return pd.concat(frames, ignore_index=True)


class CalibrationPlots(Plots["CalibrationCurve | Calibrations"]):
    """Plots of curves."""

    __slots__ = ()

    def curve(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Calibration curve of one model, or curves of several."""
        result = self.result
        if isinstance(result, CalibrationCurve):
            return CalibrationDisplay.from_curve(result).plot(ax)
        return CalibrationDisplay.from_curves(result).plot(ax)

    __call__ = curve
