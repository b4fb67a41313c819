"""ROC, precision-recall and calibration curves: a line for each model, told apart by colour and dashes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, Unpack

import numpy as np

from tiebreak.evaluation.class_curves import Calibrations, ModelPrecisionRecall, ModelRoc, PrecisionRecalls, Rocs
from tiebreak.evaluation.predictions import Average, Lines
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.views.plots.class_panels import (
    CALIBRATION_AXES,
    MOST_LINES,
    PRECISION_RECALL_AXES,
    ROC_AXES,
    ClassPanelsDisplay,
    best_first,
    draw_square,
    precision_steps,
)
from tiebreak.views.plots.costs import CostsDisplay
from tiebreak.views.plots.display import Display, Plots, TopLook
from tiebreak.views.plots.style import (
    DASHES,
    SIZE,
    SMALL,
    faded,
    fitted_labels,
    line_colours,
    literal,
    muted,
    panels,
    room_of,
    short,
    short_labels,
    widest,
)
from tiebreak.views.words import format_interval, format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.metrics.costs import CostMatrix


FOLDS_UP_TO = 3
"""Curves up to which the folds and bands of each are drawn too; of more they would hide one another."""

Corner = Literal["lower right", "lower left", "upper left"]

PLOT_SIDE = 4.4
"""Inches of the square that curves are drawn in."""


class LineName(NamedTuple):
    """Line in the legend: its name, and a number with its interval."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinesDisplay(Display):
    """Curves of one model or several in a square of two shares.

    Attributes
    ----------
    data : DataFrame
        Points of the lines; `line` is the position in the legend.
    legend : tuple of LineName
        Lines as they stand in the legend, best first.
    subject : str
        The class.
    n_lines : int
        Number of lines of the result; `legend` has those that are drawn.
    alpha : float
    """

    axis_names: ClassVar[tuple[str, str]]
    corner: ClassVar[Corner]

    legend: tuple[LineName, ...]
    subject: str
    n_lines: int
    alpha: float

    @classmethod
    def _alone(cls, data: pd.DataFrame, detail: str, positive: object, alpha: float, **more: Any) -> Self:
        """A display of a single curve."""
        return cls(data, (LineName("this curve", detail),), f"class {short(str(positive), 20)}", 1, alpha, **more)

    @classmethod
    def _of(cls, data: pd.DataFrame, details: Sequence[str], lines: Lines[Any, Any], order: Sequence[int], **more: Any) -> Self:
        """A display of some lines of a result, in an order; those without a detail are drawn in grey."""
        names = [lines.lines[place].model for place in order]
        data.insert(0, "model", data["line"].map(dict(enumerate(names))))
        legend = tuple(LineName(*each) for each in zip(short_labels(names), details, strict=False))
        return cls(data, legend, f"class {short(str(lines.classes[0]), 20)}", len(lines), lines.alpha, **more)

    def _size(self) -> tuple[float, float]:
        width = PLOT_SIDE + 1.9 + widest([text for each in self.legend for text in each])
        return width, max(PLOT_SIDE, 0.42 * len(self.legend)) + 1.7

    def _draw(self, axes: Axes) -> None:
        self._draw_lines(axes)

    def _draw_lines(self, axes: Axes) -> None:
        for start, end in self._dotted():
            axes.plot([0, 1], [start, end], color=muted(), linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        handles: list[Any] = []
        colours = line_colours()
        for number in range(len(self.legend)):
            points = self.data[self.data["line"] == number]
            # a line without points still stands in the legend
            handles += self._draw_line(axes, points, number, colours[number])
        for _, points in self.data[self.data["line"] >= len(self.legend)].groupby("line"):
            axes.plot(*self._strong(points), color=faded(), linewidth=0.7, zorder=1.2)
        draw_square(axes, *self.axis_names)
        if self.owns_figure_:
            axes.set_box_aspect(1)
            axes.set_anchor("W")  # what room is left over is for the legend
        self._write_legend(axes, handles)

    @abstractmethod
    def _strong(self, points: pd.DataFrame) -> tuple[Any, Any]:
        """The x and y of the one line that stands for a model."""

    def _write_legend(self, axes: Axes, handles: list[Any]) -> None:
        if self.owns_figure_:
            labels = [literal(f"{each.name}\n{each.detail}") for each in self.legend]
            axes.legend(
                handles,
                labels,
                loc="upper left",
                bbox_to_anchor=(1.01, 1.0),
                frameon=False,
                fontsize=SIZE,
                borderaxespad=0.0,
                labelspacing=0.7,
                handlelength=2.6,
            )
            return
        room = room_of(axes)
        names = fitted_labels([each.name for each in self.legend], 0.4 * room.width, SMALL)
        labels = [f"{name}: {each.detail}" for name, each in zip(names, self.legend, strict=True)]
        labels = labels if widest(labels, SMALL) <= 0.6 * room.width else names
        n_fitting = max(1, int(0.9 * room.height / 0.17))
        axes.legend(
            handles[:n_fitting], [literal(label) for label in labels[:n_fitting]], loc=self.corner, fontsize=SMALL, framealpha=0.8
        )

    @property
    def _is_detailed(self) -> bool:
        return len(self.legend) <= FOLDS_UP_TO

    def _cut(self) -> str:
        """A remark for the note when some curves are grey."""
        n_others = self.n_lines - len(self.legend)
        return f" Grey: the other {n_others} of {self.n_lines} models." if n_others else ""

    def _dotted(self) -> list[tuple[float, float]]:
        """Heights at both ends of the lines of what tells nothing."""
        return [(0.0, 1.0)]

    @abstractmethod
    def _draw_line(self, axes: Axes, points: pd.DataFrame, number: int, colour: str) -> list[Any]:
        """Draw one line, and give what stands for it in the legend."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AreasDisplay(LinesDisplay):
    """Curves that are ranked by the area below them.

    Attributes
    ----------
    areas : tuple of float
        Mean area of each curve, drawn or not, best first; where no fold has one, that of all predictions.
    """

    areas: tuple[float, ...]

    def _ranked(self, curve: str, metric: str) -> str:
        """A title that says who is best of several curves."""
        best, first, n_lines = self.areas[0], self.legend[0], self.n_lines
        if n_lines == 1:
            return f"{curve} of {self.subject}: {first.detail}"
        if np.isnan(best):
            return f"{metric} is undefined for {self.subject}"
        n_best = sum(abs(area - best) <= 1e-12 for area in self.areas)
        if n_best > 1:
            return f"{n_best} of {n_lines} curves share the highest {metric} for {self.subject}: {first.detail}"
        return f"{first.name} ranks first of {n_lines} for {self.subject}: {first.detail}"


def _draw_folds(draw: Callable[..., object], axes: Axes, points: pd.DataFrame, colour: str) -> None:
    """Draw each fold faintly, the more there are the fainter."""
    folds = list(points.groupby(["repeat", "fold"]))
    strength = float(np.clip(4 / max(len(folds), 1), 0.08, 0.35))
    for _, fold in folds:
        draw(axes, fold, color=colour, linewidth=0.7, alpha=strength, zorder=2)


def _best(
    metric: str, values: Sequence[tuple[Average, float]], alpha: float, top: int | None
) -> tuple[list[int], list[str], tuple[float, ...]]:
    """Positions of all lines, best first, what the legend says of those with a colour, and the areas of all lines.

    A value is the mean over folds and that of all predictions, which counts where no fold has one.
    """
    areas = [float(mean.mean) if mean.n_splits else pooled for mean, pooled in values]
    order = best_first(areas)
    coloured = order[: min(top or MOST_LINES, MOST_LINES)]
    details = [_detail(metric, areas[place], values[place][0].low, values[place][0].high, alpha) for place in coloured]
    return order, details, tuple(areas[place] for place in order)


STRONG = {"mean": "mean of the folds' curves (vertical averaging)", "fold": "the one fold", "pooled": "all predictions together"}

ROC_COLUMNS = {
    "line": int,
    "part": object,
    "is_strong": bool,
    "repeat": int,
    "fold": int,
    "low": float,
    "high": float,
    "fpr": float,
    "tpr": float,
}
PRECISION_COLUMNS = {"line": int, "is_pooled": bool, "repeat": int, "fold": int, "recall": float, "precision": float}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RocDisplay(AreasDisplay):
    """ROC curves of one model or several.

    Attributes
    ----------
    data : DataFrame
        line, part ("mean", "fold" or "pooled"), is_strong, repeat, fold, fpr, tpr, and for means the ends of their band, low and
        high.
    legend, areas, subject, alpha, n_lines
        As of `AreasDisplay`.
    """

    axis_names: ClassVar[tuple[str, str]] = ROC_AXES
    corner: ClassVar[Corner] = "lower right"

    @classmethod
    def from_result(cls, result: RocCurve | Rocs, top: int | None = None) -> Self:
        """Collect the numbers of a single curve, or of those of several models."""
        if isinstance(result, RocCurve):
            low, high = result.auc_interval()
            data = _frame([_roc_points(0, "fold", True, result)], ROC_COLUMNS)
            return cls._alone(data, _detail("AUC", result.auc, low, high, 0.05), result.positive, 0.05, areas=(result.auc,))
        order, details, areas = _best("AUC", [(line.auc, line.pooled.auc) for line in result], result.alpha, top)
        with_folds = len(details) <= FOLDS_UP_TO
        points = (point for number, place in enumerate(order) for point in _roc_lines(number, result.lines[place], with_folds))
        return cls._of(_frame(points, ROC_COLUMNS), details, result, order, areas=areas)

    def _title(self) -> str:
        return self._ranked("ROC curve", "AUC")

    def _note(self) -> str:
        strong = [part for part in STRONG if ((self.data["part"] == part) & self.data["is_strong"]).any()]
        if not strong:
            return "No curve is defined: all examples are of one class. Dotted: chance."
        lines = f"Lines: {', or '.join(STRONG[part] for part in strong)}. " if strong != ["fold"] else ""
        rivals = " Which differences are real, the curves do not say: compare() does." if self.n_lines > 1 else ""
        return f"{lines}{self._about_bands()}Dotted: chance.{rivals}{self._cut()}"

    def _about_bands(self) -> str:
        """Explanation of the bands and intervals."""
        level = format_percent(1 - self.alpha)
        if not self.data["low"].notna().any():
            is_single = self.n_lines == 1 and "(" in self.legend[0].detail
            return "Interval: by DeLong, for other examples and the same model. " if is_single else ""
        if not self._is_detailed:
            return "Folds and bands are left out for so many curves. "
        return (
            f"Bands: {level} interval of the mean for each rate by itself, corrected for shared training data; none where all "
            "folds agree. Faint: folds. "
        )

    def _strong(self, points: pd.DataFrame) -> tuple[Any, Any]:
        strong = points[points["is_strong"]]
        return strong["fpr"], strong["tpr"]

    def _draw_line(self, axes: Axes, points: pd.DataFrame, number: int, colour: str) -> list[Any]:
        strong = points[points["is_strong"]]
        _draw_folds(_draw_rates, axes, points[~points["is_strong"]], colour)
        if self._is_detailed and strong["low"].notna().any():
            axes.fill_between(strong["fpr"], strong["low"], strong["high"], color=colour, alpha=0.16, linewidth=0, zorder=1.5)
        return _draw_rates(axes, strong, color=colour, linestyle=DASHES[number], linewidth=1.9, zorder=4)


def _draw_rates(axes: Axes, points: pd.DataFrame, **look: Any) -> list[Any]:
    return list(axes.plot(points["fpr"], points["tpr"], **look))


def _detail(name: str, area: float, low: FloatArray | float, high: FloatArray | float, alpha: float) -> str:
    """An area with its interval, where there is one."""
    if np.isnan(area):
        return f"{name} undefined"
    interval = format_interval(float(low), float(high), 3)
    return f"{name} {format_score(area, 3)}" + (f" ({format_percent(1 - alpha)}: {interval})" if interval != "-" else "")


def _roc_lines(number: int, line: ModelRoc, with_folds: bool) -> Iterator[dict[str, Any]]:
    """The strong line of a model, and its folds."""
    defined = [place for place, curve in enumerate(line.folds) if not curve.reason]
    if not defined:
        if not line.pooled.reason:
            yield _roc_points(number, "pooled", True, line.pooled)
        return
    if len(defined) == 1:
        yield _roc_points(number, "fold", True, line.folds[defined[0]])
        return
    for place in defined if with_folds else ():
        key = {"repeat": int(line.repeat[place]), "fold": int(line.fold[place])}
        yield {**_roc_points(number, "fold", False, line.folds[place]), **key}
    mean = {"fpr": line.fpr, "tpr": line.tpr.mean, "low": line.tpr.low, "high": line.tpr.high}
    yield {"line": number, "part": "mean", "is_strong": True, **mean}


def _roc_points(number: int, part: str, is_strong: bool, curve: RocCurve) -> dict[str, Any]:
    rates = {"fpr": curve.fpr, "tpr": curve.tpr} if not curve.reason else {"fpr": np.empty(0), "tpr": np.empty(0)}
    return {"line": number, "part": part, "is_strong": is_strong, **rates}


def _frame(parts: Iterable[dict[str, Any]], kinds: dict[str, type]) -> pd.DataFrame:
    """Points of all lines, one below the other; the last of the columns `kinds` has as many as there are points."""
    import pandas as pd

    last = next(reversed(kinds))
    blank = {"repeat": -1, "fold": -1, "low": np.nan, "high": np.nan}
    frames = [pd.DataFrame({**blank, **part}, columns=list(kinds)) for part in parts if len(part[last])]
    return (pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(kinds))).astype(kinds)


class RocPlots(Plots["RocCurve | Rocs"]):
    """Plots of curves."""

    __slots__ = ()

    def costs(self, costs: CostMatrix, ax: Axes | None = None, **look: Unpack[TopLook]) -> CostsDisplay:
        """Expected cost of an example for every threshold, by the costs of right and wrong decisions."""
        return self._draw(CostsDisplay.from_result, costs, ax=ax, look=look)

    def curve(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> RocDisplay | ClassPanelsDisplay:
        """ROC curve of one model, or curves of several: folds faint, means strong; of several classes a panel for each model."""
        if isinstance(self.result, Rocs) and len(self.result.classes) > 1:
            return self._draw(ClassPanelsDisplay.from_rocs, ax=ax, look=look)
        return self._draw(RocDisplay.from_result, ax=ax, look=look)

    __call__ = curve


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionRecallDisplay(AreasDisplay):
    """Precision-recall curves of one model or several.

    Attributes
    ----------
    data : DataFrame
        line, is_pooled, repeat, fold, recall, precision; of the points of one recall the first, whose step is the one that
        counts.
    legend, areas, subject, alpha, n_lines
        As of `AreasDisplay`; the areas are average precisions.
    prevalence : tuple of float
        Precision of calling everything positive, of each line.
    """

    axis_names: ClassVar[tuple[str, str]] = PRECISION_RECALL_AXES
    corner: ClassVar[Corner] = "lower left"

    prevalence: tuple[float, ...]

    @classmethod
    def from_result(cls, result: PrecisionRecallCurve | PrecisionRecalls, top: int | None = None) -> Self:
        """Collect the numbers of a single curve, or of those of several models."""
        if isinstance(result, PrecisionRecallCurve):
            data, area = _frame([_precision_points(0, True, result)], PRECISION_COLUMNS), result.average_precision
            detail = _detail("AP", area, np.nan, np.nan, 0.05)
            return cls._alone(data, detail, result.positive, 0.05, areas=(area,), prevalence=(result.prevalence,))
        averages = [(line.average_precision, line.pooled.average_precision) for line in result]
        order, details, areas = _best("AP", averages, result.alpha, top)
        lines, with_folds = [result.lines[place] for place in order], len(details) <= FOLDS_UP_TO
        points = (point for number, line in enumerate(lines) for point in _precision_lines(number, line, with_folds))
        prevalence = tuple(line.pooled.prevalence for line in lines)
        return cls._of(_frame(points, PRECISION_COLUMNS), details, result, order, areas=areas, prevalence=prevalence)

    def _title(self) -> str:
        return self._ranked("Precision-recall curve", "average precision (AP)")

    def _note(self) -> str:
        if not len(self.data):
            return "No curve is defined: all examples are of one class."
        folds = " Faint: folds." if not self.data["is_pooled"].all() else ""
        mean = (
            " AP: the mean over folds, with its interval corrected for shared training data." if self.n_lines > 1 or folds else ""
        )
        dotted = " Dotted: precision of calling everything positive."
        return f"Steps: all predictions together.{folds}{mean}{dotted}{self._cut()}"

    def _dotted(self) -> list[tuple[float, float]]:
        return [(share, share) for share in sorted(set(self.prevalence))]

    def _strong(self, points: pd.DataFrame) -> tuple[Any, Any]:
        return _steps(points[points["is_pooled"]])

    def _draw_line(self, axes: Axes, points: pd.DataFrame, number: int, colour: str) -> list[Any]:
        _draw_folds(_draw_steps, axes, points[~points["is_pooled"]], colour)
        look = {"color": colour, "linestyle": DASHES[number], "linewidth": 1.9, "zorder": 4}
        return _draw_steps(axes, points[points["is_pooled"]], **look)


def _draw_steps(axes: Axes, points: pd.DataFrame, **look: Any) -> list[Any]:
    return list(axes.plot(*_steps(points), **look))


def _steps(points: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """The corners of the curve: each precision holds from the recall before it."""
    recall, precision = points["recall"].to_numpy(), points["precision"].to_numpy()
    return np.concatenate([[0.0], np.repeat(recall, 2)[:-1]]) if len(recall) else recall, np.repeat(precision, 2)


def _precision_lines(number: int, line: ModelPrecisionRecall, with_folds: bool) -> Iterator[dict[str, Any]]:
    if with_folds and len(line.folds) > 1:
        for repeat, fold, curve in zip(line.repeat.tolist(), line.fold.tolist(), line.folds, strict=True):
            yield {**_precision_points(number, False, curve), "repeat": repeat, "fold": fold}
    yield _precision_points(number, True, line.pooled)


def _precision_points(number: int, is_pooled: bool, curve: PrecisionRecallCurve) -> dict[str, Any]:
    return {"line": number, "is_pooled": is_pooled, "repeat": -1, "fold": -1, **precision_steps(curve)}


class PrecisionRecallPlots(Plots["PrecisionRecallCurve | PrecisionRecalls"]):
    """Plots of curves."""

    __slots__ = ()

    def curve(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> PrecisionRecallDisplay | ClassPanelsDisplay:
        """Precision-recall curve of one model, or of several: folds faint, all predictions strong; of several classes panels."""
        if isinstance(self.result, PrecisionRecalls) and len(self.result.classes) > 1:
            return self._draw(ClassPanelsDisplay.from_precision_recalls, ax=ax, look=look)
        return self._draw(PrecisionRecallDisplay.from_result, ax=ax, look=look)

    __call__ = curve


MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationDisplay(LinesDisplay):
    """Calibration curves of one model or several, above a histogram of the probabilities.

    Attributes
    ----------
    data : DataFrame
        line, predicted, observed, low, high, count; a row for each bin.
    legend, subject, alpha, n_lines
        As of `LinesDisplay`, the smallest error first.
    histogram : ndarray of shape (n_lines, 20)
        Number of probabilities in each twentieth, for each line in the legend.
    """

    axis_names: ClassVar[tuple[str, str]] = CALIBRATION_AXES
    corner: ClassVar[Corner] = "upper left"

    histogram: IntArray

    @classmethod
    def from_result(cls, result: CalibrationCurve | Calibrations, top: int | None = None) -> Self:
        """Collect the numbers of a single curve, or of those of several models."""
        if isinstance(result, CalibrationCurve):
            return cls._alone(_bins([result]), _error(result), result.positive, result.alpha, histogram=result.histogram[None])
        order = best_first([-line.pooled.calibration_error for line in result])
        chosen = [result.lines[place].pooled for place in order]
        coloured = chosen[: min(top or MOST_LINES, MOST_LINES)]
        histogram = np.array([curve.histogram for curve in coloured])
        return cls._of(_bins(chosen), [_error(curve) for curve in coloured], result, order, histogram=histogram)

    def _size(self) -> tuple[float, float]:
        width, height = LinesDisplay._size(self)
        return width, height + 1.0

    def _title(self) -> str:
        best = self.legend[0]
        if self.n_lines == 1:
            return f"Probabilities of {self.subject} are {best.detail}"
        return f"The probabilities of {best.name} for {self.subject} are nearest to what happens: {best.detail}"

    def _note(self) -> str:
        level = format_percent(1 - self.alpha)
        lines = f" Vertical lines: Wilson's {level} interval of each bin by itself." if self._is_detailed else ""
        return (
            f"Points: bins of similar probability, of all predictions together.{lines} Dotted: probabilities that hold. Above it "
            "more happens than was said, below it less. Below: how often each probability was said. A constant can be calibrated "
            f"too.{self._cut()}"
        )

    def _strong(self, points: pd.DataFrame) -> tuple[Any, Any]:
        return points["predicted"], points["observed"]

    def _draw(self, axes: Axes) -> None:
        if self.owns_figure_:
            curves, below = axes, axes.inset_axes((0.0, -0.27, 1.0, 0.2))  # as wide as the square above it
        else:
            curves, below = panels(axes, 2, 1, heights=(4.5, 1.0))
        self._draw_lines(curves)
        curves.set_xlabel("")
        curves.tick_params(labelbottom=False)
        edges = np.linspace(0.0, 1.0, self.histogram.shape[1] + 1)
        for number, counts in enumerate(self.histogram):
            look: dict[str, Any] = {"color": line_colours()[number], "linewidth": 1.2, "linestyle": DASHES[number]}
            below.stairs(counts / max(counts.sum(), 1), edges, fill=False, **look)
        draw_square(below, self.axis_names[0], "share")
        below.set_ylim(0, None)
        below.set_yticks([])

    def _draw_line(self, axes: Axes, points: pd.DataFrame, number: int, colour: str) -> list[Any]:
        x = points["predicted"]
        if self._is_detailed:
            axes.vlines(x, points["low"], points["high"], color=colour, linewidth=1.0, alpha=0.6, zorder=2)
        return axes.plot(
            x,
            points["observed"],
            color=colour,
            linestyle=DASHES[number],
            marker=MARKERS[number],
            markersize=4.5,
            linewidth=1.4,
            zorder=3,
        )


def _error(curve: CalibrationCurve) -> str:
    return f"off by {format_score(curve.calibration_error, 3)} on average"


def _bins(curves: list[CalibrationCurve]) -> pd.DataFrame:
    import pandas as pd

    names = ("predicted", "observed", "low", "high", "count")
    frames = [
        pd.DataFrame({name: getattr(curve, name) for name in names}).assign(line=number) for number, curve in enumerate(curves)
    ]
    return pd.concat(frames, ignore_index=True)


class CalibrationPlots(Plots["CalibrationCurve | Calibrations"]):
    """Plots of curves."""

    __slots__ = ()

    def curve(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> CalibrationDisplay | ClassPanelsDisplay:
        """Calibration curve of one model, or of several, above a histogram; of several classes a panel for each model."""
        if isinstance(self.result, Calibrations) and len(self.result.classes) > 1:
            return self._draw(ClassPanelsDisplay.from_calibrations, ax=ax, look=look)
        return self._draw(CalibrationDisplay.from_result, ax=ax, look=look)

    __call__ = curve
