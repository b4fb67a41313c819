"""Learning curves and validation curves: scores with their intervals, and the time of a fit beside them."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.statistics.more_data import ANSWERS, CANNOT_BE_TOLD, LESS_THAN_ROPE, YES
from tiebreak.views.plots.display import Display, Plots, TopLook, better_is
from tiebreak.views.plots.style import (
    LOG_FROM,
    MARKS,
    OWN_ROOM,
    SIZE,
    SMALL,
    background,
    band,
    fitted_labels,
    foreground,
    line_colours,
    literal,
    minus,
    muted,
    panels,
    plain_axes,
    short,
    short_labels,
    text_width,
    time_axis,
    widest,
)
from tiebreak.views.words import format_percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from tiebreak.studies.learning_curve import LearningCurve
    from tiebreak.studies.validation_curve import ValidationCurve


MOST_CURVES = 8
"""Models that one figure tells apart; of more, the first ones are drawn."""

BANDS_UP_TO = 3
"""Models up to which intervals are bands; those of more would hide each other, so they are lines."""

SCORE_WIDTH, TIME_WIDTH, HEIGHT = 4.6, 2.5, 3.9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveDisplay(Display):
    """Curves of several models: test scores (solid) and training scores (dashed) with corrected intervals.

    Attributes
    ----------
    data : DataFrame
        model, x (where a point stands), label, and the numbers of each point as in the frame of the curve.
    x_name : str
    is_log : bool
        True where x is drawn on a logarithmic axis.
    has_times : bool
        True where the median time of a fit is drawn in a panel beside the scores.
    """

    curve: LearningCurve | ValidationCurve = field(repr=False)
    x_name: str
    is_log: bool
    has_times: bool

    @property
    def models(self) -> list[str]:
        """Names of the models that are drawn."""
        return list(dict.fromkeys(self.data["model"]))

    def _size(self) -> tuple[float, float]:
        entries = self._entries()
        lines = [line for entry in entries for line in entry.split("\n")]
        width = SCORE_WIDTH + (TIME_WIDTH + 0.6 if self.has_times else 0.0) + 1.1 + widest(lines, SMALL)
        return width, max(HEIGHT, 1.7 + 0.155 * len(lines) + 0.06 * len(entries))

    def _note(self) -> str:
        level = format_percent(1 - self.curve.alpha)
        kind = "Bands" if self._has_bands else "Upright lines"
        n_drawn, n_models = len(self.models), len(self.curve.models)
        drawn = f" Drawn: the first {n_drawn} of {n_models} models." if n_drawn < n_models else ""
        return (
            f"Solid: test. Dashed: training. {kind}: corrected {level} intervals of the mean over splits; whether models differ "
            f"is not shown by them.{drawn}"
        )

    @property
    def _has_bands(self) -> bool:
        return len(self.models) <= BANDS_UP_TO

    def _draw(self, axes: Axes) -> None:
        room, times = self._room(axes), None
        width = SCORE_WIDTH if room is OWN_ROOM else room.width
        scores = axes
        if self.has_times:
            scores, times = panels(axes, 2, 2)
            width *= 0.5
        handles = [self._draw_model(scores, times, number, name) for number, name in enumerate(self.models)]
        self._axis(scores, width)
        label = f"{short(self.curve.metric.name)} ({better_is(self.curve.metric)} is better)"
        scores.set_ylabel(literal(label), fontsize=SIZE, color=foreground())
        if times is not None:
            self._axis(times, width)
            time_axis(times.yaxis, self.data["fit_seconds"].to_numpy(dtype=float))
            times.set_ylabel("median time of a fit", fontsize=SIZE, color=muted())
        if room is OWN_ROOM:
            entries = [literal(entry) for entry in self._entries()]
            (times or axes).legend(
                handles, entries, fontsize=SMALL, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.02), labelspacing=0.7
            )
        else:
            names = [literal(name) for name in fitted_labels(self.models, 0.4 * width, SMALL)]
            scores.legend(handles, names, fontsize=SMALL, frameon=False, loc="best")

    def _draw_model(self, axes: Axes, times: Axes | None, number: int, name: str) -> Line2D:
        colour = line_colours()[number]
        points = self.data[self.data["model"] == name].sort_values("x", kind="stable")
        x = points["x"].to_numpy(dtype=float)
        shifted = x if self._has_bands else self._shifted(x, number)
        for side, style, strength in (("train", (0, (4, 2)), 0.08), ("test", "solid", 0.16)):
            low, high = points[f"{side}_low"], points[f"{side}_high"]
            if self._has_bands:
                axes.fill_between(x, low, high, color=colour, alpha=strength, linewidth=0, zorder=1)
            elif side == "test":
                axes.vlines(shifted, low, high, color=colour, linewidth=0.9, alpha=0.7, zorder=2)
            place, width = (shifted, 1.6) if side == "test" else (x, 1.0)
            axes.plot(place, points[f"{side}_mean"], color=colour, linestyle=style, linewidth=width, zorder=3)
        self._mark(axes, points, shifted, colour)
        if times is not None:
            times.plot(x, points["fit_seconds"], color=colour, linewidth=1.2, marker="o", markersize=3, zorder=3)
        from matplotlib.lines import Line2D

        return Line2D([], [], color=colour, linewidth=2.2)

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
        axes.set_xlabel(literal(short(self.x_name)), fontsize=SIZE, color=foreground())
        axes.grid(color=band(), linewidth=0.6)
        axes.set_axisbelow(True)
        plain_axes(axes, "left", "bottom")

    def _entries(self) -> list[str]:
        """Legend entries: a short name, and a fact below it."""
        return [f"{name}\n{fact}" for name, fact in zip(short_labels(self.models), self._facts(), strict=True)]

    @abstractmethod
    def _facts(self) -> list[str]:
        """Fact on each model for the legend."""

    @abstractmethod
    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        """Draw the points themselves."""


def is_wide(x: Sequence[float]) -> bool:
    """True where positive numbers span so much that a logarithmic axis shows them better."""
    return len(x) > 2 and min(x) > 0 and max(x) / min(x) >= LOG_FROM


def _with_room(places: FloatArray, labels: Sequence[str], width: float) -> list[int]:
    """Labels that can be written beside each other, from the right: the largest is always told."""
    span = float(places[-1] - places[0]) or 1.0
    kept: list[int] = []
    limit = np.inf
    for place in range(len(labels) - 1, -1, -1):
        centre, half = float(places[place] - places[0]) / span * width, text_width(labels[place], SIZE) / 2
        if centre + half + 0.08 <= limit:
            kept.insert(0, place)
            limit = centre - half
    return kept


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurveDisplay(CurveDisplay):
    """Scores of models by the number of training examples, and whether more of them would help.

    Attributes
    ----------
    data, curve, x_name, is_log, has_times
        As of `CurveDisplay`; x is the number of training examples.
    """

    curve: LearningCurve = field(repr=False)

    @property
    def answers(self) -> list[str]:
        """Answers to the question if more data would help, one for each model that is drawn."""
        return [answer.answer for answer in self.curve.answers[: len(self.models)]]

    @classmethod
    def from_curve(cls, curve: LearningCurve, times: bool = False, top: int | None = None) -> Self:
        """Collect the numbers."""
        drawn = curve.models[: min(top or MOST_CURVES, MOST_CURVES)]
        data = curve.to_frame()
        data = data[data["model"].isin(drawn)].reset_index(drop=True)
        data.insert(1, "x", data["size"])
        data.insert(2, "label", data["size"].map(str))
        return cls(data, curve, "training examples", is_wide(curve.sizes), times)

    def _title(self) -> str:
        if len(self.models) == 1:
            said = {
                ANSWERS[YES]: "More data would help {}",
                ANSWERS[LESS_THAN_ROPE]: "Twice the data would help {} by less than the rope",
                ANSWERS[CANNOT_BE_TOLD]: "Whether more data would help {} cannot be told yet",
            }[self.answers[0]]
            return said.format(short_labels(self.models)[0])
        counts = [self.answers.count(answer) for answer in (ANSWERS[YES], ANSWERS[LESS_THAN_ROPE], ANSWERS[CANNOT_BE_TOLD])]
        words = ("yes for {}", "less than the rope on doubling for {}", "cannot be told for {}")
        parts = [word.format(count) for word, count in zip(words, counts, strict=True) if count]
        return (
            f"Would more data help {len(self.models)} models? {', '.join(parts).capitalize()} ({short(self.curve.metric.name)})"
        )

    def _facts(self) -> list[str]:
        return [f"more data: {answer}" for answer in self.answers]

    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        axes.scatter(x, points["test_mean"], s=16, color=colour, zorder=4)


class LearningCurvePlots(Plots["LearningCurve"]):
    """Plots of the result."""

    __slots__ = ()

    def scores(self, ax: Axes | None = None, *, times: bool = False, **look: Unpack[TopLook]) -> LearningCurveDisplay:
        """Scores by training examples; with `times` the time of a fit beside them."""
        return self._draw(LearningCurveDisplay.from_curve, times, ax=ax, look=look)

    __call__ = scores


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValidationCurveDisplay(CurveDisplay):
    """Scores of models by the value of a parameter, with the best value and all that are practically as good.

    Attributes
    ----------
    data, curve, x_name, is_log, has_times
        As of `CurveDisplay`; x is the value itself where all are numbers, else its position. Further columns: is_best, and
        verdict against the best.
    """

    curve: ValidationCurve = field(repr=False)

    @property
    def best(self) -> list[str]:
        """Best value of each model that is drawn, as it is written; "" where there is none."""
        spots = self.curve.sweet_spots[: len(self.models)]
        return ["" if spot.position is None else self.curve.labels[spot.position] for spot in spots]

    @classmethod
    def from_curve(cls, curve: ValidationCurve, times: bool = False, top: int | None = None) -> Self:
        """Collect the numbers."""
        drawn = curve.models[: min(top or MOST_CURVES, MOST_CURVES)]
        x = _numbers(curve.values)
        data = curve.to_frame()
        data = data[data["model"].isin(drawn)].reset_index(drop=True)
        data.insert(1, "x", [float(place) for _ in drawn for place in (x or range(len(curve.values)))])
        return cls(data.drop(columns="value"), curve, curve.parameter, x is not None and is_wide(x), times)

    def _title(self) -> str:
        if len(self.models) > 1:
            return f"{short(self.curve.metric.name)} by {short(self.x_name)}, {len(self.models)} models"
        name, n_equivalent = short_labels(self.models)[0], int((self.data["verdict"] == "equivalent").sum())
        if not self.best[0]:
            return f"{name} has no score for any value of {short(self.x_name)}"
        others = (
            f"; {n_equivalent} other value{'s are' if n_equivalent > 1 else ' is'} practically as good" if n_equivalent else ""
        )
        return f"{name} scores best at {short(self.x_name)} = {short(self.best[0], 16)}{others}"

    def _note(self) -> str:
        marks = ", ".join(f"{MARKS[verdict].symbol} {words}" for verdict, words in _WORDS.items())
        # zero arguments of super() do not work in a dataclass with slots
        return f"★ best mean, {marks}. {CurveDisplay._note(self)}"

    def _facts(self) -> list[str]:
        return [f"best: {short(value, 16)}" if value else "no score" for value in self.best]

    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        for place, verdict, is_best, mean in zip(x, points["verdict"], points["is_best"], points["test_mean"], strict=True):
            if is_best:
                axes.scatter(place, mean, marker="*", s=130, color=colour, edgecolors=foreground(), linewidths=0.7, zorder=6)
            elif verdict in MARKS:
                face = colour if MARKS[verdict].is_filled else background()
                axes.scatter(place, mean, marker=MARKS[verdict].marker, s=26, color=face, edgecolors=colour, zorder=5)
            else:
                axes.scatter(place, mean, marker=".", s=16, color=colour, zorder=5)


_WORDS = {
    "equivalent": "practically equivalent to it",
    "undecided": "not told apart yet",
    "behind": "behind it",
    "worse": "worse",
}


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """The values where all are finite numbers and no two are the same, else None."""
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in values):
        return None
    places = [float(value) for value in values]
    return places if len(set(places)) == len(places) and all(abs(place) < float("inf") for place in places) else None


class ValidationCurvePlots(Plots["ValidationCurve"]):
    """Plots of the result."""

    __slots__ = ()

    def scores(self, ax: Axes | None = None, *, times: bool = False, **look: Unpack[TopLook]) -> ValidationCurveDisplay:
        """Scores by the value of the parameter; with `times` the time of a fit beside them."""
        return self._draw(ValidationCurveDisplay.from_curve, times, ax=ax, look=look)

    __call__ = scores
