"""The interval of one difference by several methods, the one to believe first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, check_probability
from tiebreak.views.plots.display import Display
from tiebreak.views.plots.style import COLOURS, foreground, minus, muted, row_axes, rows_width
from tiebreak.views.words import decimals_for, format_interval, format_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.frequentist.kfold_t import KFoldTResult
    from tiebreak.frequentist.proportions import DifferenceMethod, IndependentProportionsResult

_OF_RATES: tuple[tuple[DifferenceMethod, str], ...] = (
    ("newcombe", "Newcombe"),
    ("agresti-caffo", "Agresti-Caffo"),
    ("wald", "textbook (z)"),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntervalsDisplay(Display):
    """Intervals of one difference, and whether they hold zero.

    Attributes
    ----------
    data : DataFrame
        method, low, high; the first row is the method to believe.
    difference : float
        Positive favours the first.
    unit : str
        Quantity and its difference, as the axis says it.
    level : float
        Coverage that the intervals aim at.
    caution : str
        Assumption of all of them, or of the others.
    """

    difference: float
    unit: str
    level: float
    caution: str

    @classmethod
    def from_rates(cls, rates: IndependentProportionsResult, *, level: float = 0.95) -> Self:
        """Collect the intervals of two rates on test sets of their own."""
        rows = [(name, *rates.confidence_interval(level, method)) for method, name in _OF_RATES]
        caution = "All take it that the test sets share no example, and that examples are independent of one another."
        unit = "rate" if rates.higher_is_better else "error rate"
        return cls._of(rows, rates.difference, f"difference of the {unit}s", level, caution)

    @classmethod
    def from_kfold(cls, folds: KFoldTResult, *, level: float = 0.95, metric: str = "score") -> Self:
        """Collect the intervals of two models on the same folds."""
        laws = (("corrected", folds.corrected), ("textbook", folds.textbook))
        rows = [(name, *law.interval(level)) for name, law in laws]
        caution = "The textbook's takes folds for independent, though their training sets overlap."
        return cls._of(rows, folds.corrected.estimate, f"difference in {metric}", level, caution)

    @classmethod
    def _of(cls, rows: Sequence[tuple[object, ...]], difference: FloatArray, unit: str, level: float, caution: str) -> Self:
        import pandas as pd

        if np.ndim(difference):
            raise InvalidParameterError(f"one difference is drawn at a time, and there are {np.size(difference)}; pick one pair.")
        data = pd.DataFrame(rows, columns=["method", "low", "high"])
        return cls(data, float(difference), unit, check_probability(level, "level"), caution)

    def _row_notes(self) -> list[str]:
        return [
            minus(format_interval(low, high, decimals_for((high - low) / 4), [0.0])) if np.isfinite(low) else "n/a: no spread"
            for low, high in zip(self.data["low"], self.data["high"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        return rows_width(list(self.data["method"]), self._row_notes()), 1.7 + 0.3 * len(self.data)

    def _title(self) -> str:
        if not np.isfinite(self.data["low"].iloc[0]):
            return "No interval: the difference is the same on all splits"
        holds = (self.data["low"] <= 0) & (self.data["high"] >= 0)
        if holds.iloc[0]:
            return "Which is better is not shown" + ("" if holds.all() else ", whatever the textbook says")
        winner = "first" if self.difference > 0 else "second"
        return f"The {winner} is better by {abs(self.difference):.3g}"

    def _note(self) -> str:
        level = format_percent(self.level)
        return f"Lines: {level} intervals of the difference; the first row is the one to believe. {self.caution}"

    def _draw(self, axes: Axes) -> None:
        axes.axvline(0.0, color=muted(), linewidth=0.8, zorder=1)
        for row, (low, high) in enumerate(zip(self.data["low"], self.data["high"], strict=True)):
            colour = COLOURS[0] if row == 0 else muted()
            width = 2.0 if row == 0 else 1.4
            axes.plot([low, high], [row, row], color=colour, linewidth=width, solid_capstyle="butt", zorder=2)
            axes.scatter(self.difference, row, s=34, color=colour, edgecolors=foreground(), linewidths=0.5, zorder=3)
        row_axes(
            axes, list(self.data["method"]), self._row_notes(), self.unit, "positive favours the first", room=self._room(axes)
        )
