"""Power over the number of units, for the difference that is to be seen and for smaller and larger ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np

from tiebreak.comparison.sample_size import whole
from tiebreak.views.plots.display import Display, Look, Plots
from tiebreak.views.plots.style import SIZE, SMALL, band, foreground, line_colours, literal, muted, plain_axes
from tiebreak.views.sample_size import bound
from tiebreak.views.words import format_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.sample_size import SampleSize

POINTS = 20
"""Numbers of units at which a power is worked out."""

TIMES = (1 / 1.5, 1.0, 1.5)
"""Differences that are drawn, as multiples of the one in target."""

AROUND = 5
"""Times as few and as many units that are drawn."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PowerDisplay(Display):
    """Chance of showing a difference over the number of units.

    Attributes
    ----------
    data : DataFrame
        effect (the true difference, or the rope), n, power.
    """

    panel_size: ClassVar[tuple[float, float]] = (0.0, 0.0)
    size: SampleSize = field(repr=False)

    @classmethod
    def from_size(cls, size: SampleSize) -> Self:
        """Work the powers out."""
        import pandas as pd

        step, middle = size.step, size.n or max(size.fewest, 10)
        low, high = max(size.fewest, middle // AROUND), max(middle * AROUND, size.fewest + AROUND * step)
        numbers = sorted({whole(n, step) for n in np.geomspace(low, high, POINTS)})
        middle_effect = size.effect if isfinite(size.effect) else size.smallest(numbers[-1])
        effects = [each for each in (times * middle_effect for times in TIMES) if cls._is_possible(size, each)]
        rows = [(effect, n, size.power_at(n, effect)) for effect in effects for n in numbers]
        return cls(pd.DataFrame(rows, columns=["effect", "n", "power"]), size)

    @staticmethod
    def _is_possible(size: SampleSize, effect: float) -> bool:
        """True for differences that there can be, and ropes that models keep to."""
        if not isfinite(effect) or effect <= 0:
            return False
        if size.goal != "better":
            return effect > abs(size.difference)
        return size.rope < effect < size.largest

    @property
    def _what(self) -> str:
        return "difference" if self.size.goal == "better" else "rope"

    def _size(self) -> tuple[float, float]:
        return 6.4, 4.2

    def _title(self) -> str:
        size, power = self.size, format_percent(round(self.size.power, 3))
        if size.n is None:
            return f"No number of {size.unit}s shows a {self._what} of {size.effect:.3g} with {power} power"
        if not isfinite(size.effect):
            return f"{size.n:,} {size.unit}s show no {self._what} with {power} power"
        return f"{size.n:,} {size.unit}s show a {self._what} of {bound(size.effect)} with {power} power"

    def _note(self) -> str:
        level = format_percent(1 - float(f"{self.size.interval_alpha:.4g}"))
        return f"Chance that the {level} interval of '{self.size.population.procedure}' shows it, and other {self._what}s."

    def _draw(self, axes: Axes) -> None:
        effects = self.data["effect"].unique().tolist()
        for number, effect in enumerate(effects):
            points = self.data[self.data["effect"] == effect]
            is_asked = effect == self.size.effect
            label = f"{self._what} {bound(effect)}"
            width = 2.2 if is_asked else 1.3
            axes.plot(points["n"], points["power"], color=line_colours()[number], linewidth=width, label=literal(label), zorder=3)
        axes.axhline(self.size.power, color=muted(), linewidth=0.9, linestyle=(0, (5, 3)), zorder=1)
        if self.size.n is not None and isfinite(self.size.effect):
            axes.scatter(self.size.n, self.size.power, s=44, color=foreground(), zorder=4)
        axes.set_xscale("log")
        self._ticks(axes)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(literal(f"{self.size.unit}s"), fontsize=SIZE, color=foreground())
        axes.set_ylabel("power", fontsize=SIZE, color=foreground())
        axes.grid(color=band(), linewidth=0.6)
        axes.set_axisbelow(True)
        plain_axes(axes, "left", "bottom")
        if effects:
            axes.legend(loc="lower right", frameon=False, fontsize=SMALL)

    def _ticks(self, axes: Axes) -> None:
        """Whole numbers, written out."""
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


class SampleSizePlots(Plots["SampleSize"]):
    """Plots of the result."""

    __slots__ = ()

    def power(self, ax: Axes | None = None, **look: Unpack[Look]) -> PowerDisplay:
        """Power over the number of units, for three differences."""
        return self._draw(PowerDisplay.from_size, ax=ax, look=look)

    __call__ = power
