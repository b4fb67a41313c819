"""Precision-recall curves: folds faint, all predictions together strong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tiebreak.evaluation.class_curves import ModelPrecisionRecall, PrecisionRecalls
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.views.plots.base import Display
from tiebreak.views.plots.display import Plots
from tiebreak.views.plots.labels import short
from tiebreak.views.plots.lines import (
    COLOURS,
    DASHES,
    FOLDS_UP_TO,
    MOST_LINES,
    LineName,
    best_first,
    chance_line,
    drawn_of,
    names_of,
    of_class,
    ranked,
    size_with,
    unit_axes,
    write_legend,
)
from tiebreak.views.words import format_interval, format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecallDisplay(Display):
    """Precision-recall curves of one model or several.

    Attributes
    ----------
    data : DataFrame
        line (position in the legend), is_pooled, repeat, fold, recall, precision; of the points of one recall the first,
        whose step is the one that counts.
    legend : tuple of LineName
        Of the lines, best first.
    areas : tuple of float
        Mean average precision of each curve, drawn or not, best first; where no fold has one, that of all predictions.
    subject : str
        The class.
    prevalence : tuple of float
        Precision of calling everything positive, of each line.
    n_lines : int
        Of the result; `legend` has those that are drawn.
    """

    legend: tuple[LineName, ...]
    areas: tuple[float, ...]
    subject: str
    prevalence: tuple[float, ...]
    n_lines: int

    @classmethod
    def from_curve(cls, curve: PrecisionRecallCurve) -> Self:
        """Collect the numbers of a single curve."""
        legend = (LineName("this curve", _detail(curve.average_precision, np.nan, np.nan, 0.05)),)
        subject = f"class {short(str(curve.positive), 20)}"
        return cls(_frame([_points(0, True, curve)]), legend, (curve.average_precision,), subject, (curve.prevalence,), 1)

    @classmethod
    def from_curves(cls, curves: PrecisionRecalls) -> Self:
        """Collect the numbers of several models."""
        areas = [_area(line) for line in curves]
        ranking = best_first(areas)
        order = ranking[:MOST_LINES]
        lines = [curves.lines[place] for place in order]
        points = [point for number, line in enumerate(lines) for point in _of_model(number, line, len(lines) <= FOLDS_UP_TO)]
        details = [_of_average(line, curves.alpha) for line in lines]
        legend = tuple(LineName(*each) for each in zip(names_of(curves, order), details, strict=True))
        ranked_areas, prevalence = tuple(areas[place] for place in ranking), tuple(line.pooled.prevalence for line in lines)
        return cls(_frame(points), legend, ranked_areas, of_class(curves), prevalence, len(curves))

    def _size(self) -> tuple[float, float]:
        return size_with(self.legend)

    def _title(self) -> str:
        best = self.legend[0]
        if self.n_lines == 1:
            return f"Precision-recall curve of {self.subject}: {best.detail}"
        return ranked("average precision (AP)", self.subject, self.legend, self.areas)

    def _note(self) -> str:
        if not len(self.data):
            return "No curve is defined: all examples are of one class."
        folds = " Faint: folds." if not self.data["is_pooled"].all() else ""
        mean = (
            " AP: the mean over folds, with its interval corrected for shared training data." if self.n_lines > 1 or folds else ""
        )
        dotted = " Dotted: precision of calling everything positive."
        return f"Steps: all predictions together.{folds}{mean}{dotted}" + drawn_of(len(self.legend), self.n_lines)

    def _draw(self, axes: Axes) -> None:
        for share in sorted(set(self.prevalence)):
            chance_line(axes, [0, 1], [share, share])
        handles: list[Any] = []
        for number in range(len(self.legend)):
            mine = self.data[self.data["line"] == number]
            colour = COLOURS[number]
            folds = list(mine[~mine["is_pooled"]].groupby(["repeat", "fold"]))
            strength = float(np.clip(4 / max(len(folds), 1), 0.08, 0.35))
            for _, points in folds:
                _steps(axes, points, color=colour, linewidth=0.7, alpha=strength, zorder=2)
            handles += _steps(axes, mine[mine["is_pooled"]], color=colour, linestyle=DASHES[number], linewidth=1.9, zorder=4)
        unit_axes(axes, "recall (positives found)", "precision (right among those called positive)")
        write_legend(axes, handles, self.legend, own_figure=self.owns_figure_, corner="lower left")


def _steps(axes: Axes, points: pd.DataFrame, **look: Any) -> list[Any]:
    """Each precision holds from the recall before it."""
    recall, precision = points["recall"].to_numpy(), points["precision"].to_numpy()
    start = (np.array([0.0]), precision[:1]) if len(recall) else (recall, precision)
    return axes.step(np.concatenate((start[0], recall)), np.concatenate((start[1], precision)), where="pre", **look)


def _area(line: ModelPrecisionRecall) -> float:
    return float(line.average_precision.mean) if line.average_precision.n_splits else line.pooled.average_precision


def _of_average(line: ModelPrecisionRecall, alpha: float) -> str:
    return _detail(_area(line), float(line.average_precision.low), float(line.average_precision.high), alpha)


def _detail(area: float, low: float, high: float, alpha: float) -> str:
    if np.isnan(area):
        return "AP undefined"
    interval = format_interval(low, high, 3)
    return f"AP {format_score(area, 3)}" + (f" ({format_percent(1 - alpha)}: {interval})" if interval != "-" else "")


def _of_model(number: int, line: ModelPrecisionRecall, with_folds: bool) -> Iterator[dict[str, Any]]:
    if with_folds and len(line.folds) > 1:
        for repeat, fold, curve in zip(line.repeat.tolist(), line.fold.tolist(), line.folds, strict=True):
            yield {**_points(number, False, curve), "repeat": repeat, "fold": fold}
    yield _points(number, True, line.pooled)


def _points(number: int, is_pooled: bool, curve: PrecisionRecallCurve) -> dict[str, Any]:
    """The points at which another positive example is found; those after it, of the same recall, are no step of their own."""
    is_step = np.diff(curve.recall, prepend=0.0) > 0
    rates = {"recall": curve.recall[is_step], "precision": curve.precision[is_step]}
    return {"line": number, "is_pooled": is_pooled, "repeat": -1, "fold": -1, **rates}


def _frame(parts: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    kinds = {"line": int, "is_pooled": bool, "repeat": int, "fold": int, "recall": float, "precision": float}
    frames = [pd.DataFrame(part, columns=list(kinds)) for part in parts if len(part["recall"])]
    empty = pd.DataFrame(columns=list(kinds))
    return (pd.concat(frames, ignore_index=True) if frames else empty).astype(kinds)


class PrecisionRecallPlots(Plots["PrecisionRecallCurve | PrecisionRecalls"]):
    """Plots of curves."""

    __slots__ = ()

    def curve(self, ax: Axes | None = None) -> PrecisionRecallDisplay:
        """Precision-recall curve of one model, or curves of several: folds faint, all predictions strong."""
        result = self.result
        if isinstance(result, PrecisionRecallCurve):
            return PrecisionRecallDisplay.from_curve(result).plot(ax)
        return PrecisionRecallDisplay.from_curves(result).plot(ax)

    __call__ = curve
