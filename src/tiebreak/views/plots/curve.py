"""What the displays of curves share: scores with their intervals, and the time of a fit beside them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.views.plots.display import Display, better_is
from tiebreak.views.plots.style import QUIET, SIZE, SMALL, literal, minus, plain_axes, short, short_labels, text_width, widest
from tiebreak.views.words import format_percent, seconds

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a", "#8c6d31")
"""Okabe and Ito's, one for each model; for yellow, which is lost on white, a brown."""

MOST_CURVES = len(COLOURS)
"""Models that one figure tells apart; of more, the first ones are drawn."""

BANDS_UP_TO = 3
"""Models up to which intervals are bands; those of more would hide each other, so they are lines."""

SCORE_WIDTH, TIME_WIDTH, HEIGHT = 4.6, 2.5, 3.9
LOG_FROM = 10.0
"""Ratio of the largest to the smallest from which an axis is logarithmic."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveDisplay(Display):
    """Curves of several models: test scores (solid) and training scores (dashed) with corrected intervals, and fit times.

    On the caller's axes only the scores are drawn.

    Attributes
    ----------
    data : DataFrame
        model, x (where a point stands), label, and the numbers of each point as in the frame of the curve.
    metric : str
    higher_is_better : bool
    alpha : float
        1 - coverage of the intervals.
    n_models : int
        Of the curve; `data` holds those that are drawn.
    x_name : str
    is_log : bool
        Whether x is drawn on a logarithmic axis.
    """

    metric: str
    higher_is_better: bool
    alpha: float
    n_models: int
    x_name: str
    is_log: bool

    @property
    def models(self) -> list[str]:
        """Names of the models that are drawn."""
        return list(dict.fromkeys(self.data["model"]))

    def _size(self) -> tuple[float, float]:
        entries = self._entries()
        lines = sum(entry.count("\n") + 1 for entry in entries)
        width = SCORE_WIDTH + TIME_WIDTH + 1.6 + widest(_lines(entries), SMALL)
        return width, max(HEIGHT, 1.7 + 0.155 * lines + 0.06 * len(entries))

    def _note(self) -> str:
        level = format_percent(1 - self.alpha)
        kind = "Bands" if self._has_bands else "Upright lines"
        drawn = f" Drawn: the first {len(self.models)} of {self.n_models} models." if len(self.models) < self.n_models else ""
        return (
            f"Solid: test. Dashed: training. {kind}: corrected {level} intervals of the mean over splits; whether models differ "
            f"is not shown by them.{drawn}"
        )

    @property
    def _has_bands(self) -> bool:
        return len(self.models) <= BANDS_UP_TO

    def _draw(self, axes: Axes) -> None:
        times = self._second_panel(axes) if self.owns_figure_ else None
        handles = [self._draw_model(axes, times, number, name) for number, name in enumerate(self.models)]
        self._axis(axes, SCORE_WIDTH)
        label = f"{short(self.metric)} ({better_is(self.higher_is_better)} is better)"
        axes.set_ylabel(literal(label), fontsize=SIZE)
        entries = [literal(entry) for entry in self._entries()]
        if times is None:
            axes.legend(handles, entries, fontsize=SMALL, frameon=False, loc="best")
            return
        self._axis(times, TIME_WIDTH)
        _time_axis(times, self.data["fit_seconds"].to_numpy(dtype=float))
        times.legend(
            handles, entries, fontsize=SMALL, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.02), labelspacing=0.7
        )

    def _second_panel(self, axes: Axes) -> Axes:
        figure: Any = axes.get_figure(root=True)
        grid = figure.add_gridspec(1, 2, width_ratios=(SCORE_WIDTH, TIME_WIDTH))
        axes.set_subplotspec(grid[0])
        return figure.add_subplot(grid[1])  # type: ignore[no-any-return]

    def _draw_model(self, axes: Axes, times: Axes | None, number: int, name: str) -> Line2D:
        points, colour = self._points(name), COLOURS[number]
        x = points["x"].to_numpy(dtype=float)
        for side, style, strength in (("train", (0, (4, 2)), 0.08), ("test", "solid", 0.16)):
            low, high = points[f"{side}_low"], points[f"{side}_high"]
            if self._has_bands:
                axes.fill_between(x, low, high, color=colour, alpha=strength, linewidth=0, zorder=1)
            elif side == "test":
                axes.vlines(self._shifted(x, number), low, high, color=colour, linewidth=0.9, alpha=0.7, zorder=2)
            width = 1.6 if side == "test" else 1.0
            place = x if self._has_bands or side == "train" else self._shifted(x, number)
            axes.plot(place, points[f"{side}_mean"], color=colour, linestyle=style, linewidth=width, zorder=3)
        self._mark(axes, points, x if self._has_bands else self._shifted(x, number), colour)
        if times is not None:
            times.plot(x, points["fit_seconds"], color=colour, linewidth=1.2, marker="o", markersize=3, zorder=3)
        from matplotlib.lines import Line2D

        return Line2D([], [], color=colour, linewidth=2.2)

    def _points(self, name: str) -> pd.DataFrame:
        """The points of a model from left to right."""
        return self.data[self.data["model"] == name].sort_values("x", kind="stable")

    def _shifted(self, x: FloatArray, number: int) -> FloatArray:
        """Places of points a little apart for each model, so that upright lines do not cover each other."""
        every = np.unique(self.data["x"].to_numpy(dtype=float))
        if every.size < 2:
            return x
        share = 0.28 * (number / max(len(self.models) - 1, 1) - 0.5)
        if self.is_log:
            return np.asarray(x * np.exp(share * np.diff(np.log(every)).min()))
        return np.asarray(x + share * np.diff(every).min())

    def _axis(self, axes: Axes, width: float) -> None:
        """The horizontal axis, with a tick at each point that has room for its label."""
        from matplotlib.ticker import NullLocator

        if self.is_log:
            axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
        ticks = self.data.drop_duplicates("x").sort_values("x")
        x, labels = ticks["x"].to_numpy(dtype=float), [short(label, 16) for label in ticks["label"]]
        kept = _with_room(np.log(x) if self.is_log else x, labels, 0.9 * width)
        axes.set_xticks(x[kept], labels=[literal(minus(labels[place])) for place in kept])
        axes.set_xlabel(literal(short(self.x_name)), fontsize=SIZE)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        plain_axes(axes, "left", "bottom")

    @abstractmethod
    def _entries(self) -> list[str]:
        """What the legend says of each model."""

    @abstractmethod
    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        """Draw the points themselves."""


def is_wide(x: Sequence[float]) -> bool:
    """Whether positive numbers span so much that a logarithmic axis shows them better."""
    return len(x) > 2 and min(x) > 0 and max(x) / min(x) >= LOG_FROM


def named(models: Sequence[str], facts: Sequence[str]) -> list[str]:
    """Legend entries: a short name, and below it what is to be said of the model."""
    return [f"{name}\n{fact}" if fact else name for name, fact in zip(short_labels(list(models)), facts, strict=True)]


def _lines(entries: Sequence[str]) -> list[str]:
    return [line for entry in entries for line in entry.split("\n")]


def _with_room(places: FloatArray, labels: Sequence[str], width: float) -> list[int]:
    """Which labels can be written beside each other, from the right: the largest is always told."""
    span = float(places[-1] - places[0]) or 1.0
    kept: list[int] = []
    limit = np.inf
    for place in range(len(labels) - 1, -1, -1):
        centre, half = float(places[place] - places[0]) / span * width, text_width(labels[place], SIZE) / 2
        if centre + half + 0.08 <= limit:
            kept.insert(0, place)
            limit = centre - half
    return kept


def _time_axis(axes: Axes, values: FloatArray) -> None:
    """Seconds of a fit, on a logarithmic axis where models or sizes differ much."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    known = values[np.isfinite(values) & (values > 0)]
    if known.size and known.max() / known.min() >= LOG_FROM:
        axes.set_yscale("log")
        subs = (1.0,) if known.max() / known.min() >= LOG_FROM**2 else (1.0, 2.0, 5.0)
        axes.yaxis.set_major_locator(LogLocator(subs=subs, numticks=8))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else seconds(value)))
    axes.set_ylabel("median time of a fit", fontsize=SIZE, color=QUIET)
