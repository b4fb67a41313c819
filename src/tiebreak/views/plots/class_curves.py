"""ROC, precision-recall and calibration curves: a line for each model, told apart by colour and dashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from tiebreak.evaluation.class_curves import Calibrations, ModelPrecisionRecall, ModelRoc, PrecisionRecalls, Rocs
from tiebreak.evaluation.predictions import Lines
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve
from tiebreak.views.plots.display import Display, Plots
from tiebreak.views.plots.style import INK, QUIET, SIZE, SMALL, literal, plain_axes, short, short_labels, widest
from tiebreak.views.words import format_interval, format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
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


STRONG = {"mean": "mean of the folds' curves (vertical averaging)", "fold": "the one fold", "pooled": "all predictions together"}

ROC_COLUMNS = {
    "line": int, "part": object, "is_strong": bool, "repeat": int, "fold": int, "low": float, "high": float, "fpr": float,
    "tpr": float,
}  # fmt: skip
PRECISION_COLUMNS = {"line": int, "is_pooled": bool, "repeat": int, "fold": int, "recall": float, "precision": float}


@dataclass(frozen=True, slots=True, eq=False)
class RocDisplay(Display):
    """ROC curves of one model or several.

    Attributes
    ----------
    data : DataFrame
        line (position in the legend), part ("mean", "fold" or "pooled"), is_strong, repeat, fold, fpr, tpr, and for means the
        ends of their band, low and high.
    legend : tuple of LineName
        Of the lines, best first.
    areas : tuple of float
        Mean area of each curve, drawn or not, best first; of a model without a fold that has one, that of all predictions.
    subject : str
        The class.
    alpha : float
    n_lines : int
        Of the result; `legend` has those that are drawn.
    """

    legend: tuple[LineName, ...]
    areas: tuple[float, ...]
    subject: str
    alpha: float
    n_lines: int

    @classmethod
    def from_curve(cls, curve: RocCurve) -> Self:
        """Collect the numbers of a single curve."""
        low, high = curve.auc_interval()
        detail = _detail("AUC", curve.auc, float(low), float(high), 0.05)
        subject = f"class {short(str(curve.positive), 20)}"
        return cls(
            _frame([_roc_points(0, "fold", True, curve)], ROC_COLUMNS),
            (LineName("this curve", detail),),
            (curve.auc,),
            subject,
            0.05,
            1,
        )

    @classmethod
    def from_rocs(cls, rocs: Rocs) -> Self:
        """Collect the numbers of several models."""
        areas = [_mean_auc(line) for line in rocs]
        ranking = best_first(areas)
        order = ranking[:MOST_LINES]
        lines = [rocs.lines[place] for place in order]
        with_folds = len(lines) <= FOLDS_UP_TO
        points = (point for number, line in enumerate(lines) for point in _roc_lines(number, line, with_folds))
        details = [_detail("AUC", _mean_auc(line), float(line.auc.low), float(line.auc.high), rocs.alpha) for line in lines]
        legend = tuple(LineName(*each) for each in zip(names_of(rocs, order), details, strict=True))
        return cls(
            _frame(points, ROC_COLUMNS), legend, tuple(areas[place] for place in ranking), of_class(rocs), rocs.alpha, len(rocs)
        )

    def _size(self) -> tuple[float, float]:
        return size_with(self.legend)

    def _title(self) -> str:
        best = self.legend[0]
        if self.n_lines == 1:
            return f"ROC curve of {self.subject}: {best.detail}"
        return ranked("AUC", self.subject, self.legend, self.areas)

    def _note(self) -> str:
        strong = [part for part in STRONG if ((self.data["part"] == part) & self.data["is_strong"]).any()]
        if not strong:
            return "No curve is defined: all examples are of one class. Dotted: chance."
        lines = f"Lines: {', or '.join(STRONG[part] for part in strong)}. " if strong != ["fold"] else ""
        rivals = " Which differences are real, the curves do not say: compare() does." if self.n_lines > 1 else ""
        return f"{lines}{self._about_bands()}Dotted: chance.{rivals}" + drawn_of(len(self.legend), self.n_lines)

    def _about_bands(self) -> str:
        """What the bands and intervals are."""
        level = format_percent(1 - self.alpha)
        if not self.data["low"].notna().any():
            is_single = self.n_lines == 1 and "(" in self.legend[0].detail
            return "Interval: by DeLong, for other examples and the same model. " if is_single else ""
        if len(self.legend) > FOLDS_UP_TO:
            return "Folds and bands are left out for so many curves. "
        return (
            f"Bands: {level} interval of the mean for each rate by itself, corrected for shared training data; none where all "
            "folds agree. Faint: folds. "
        )

    def _draw(self, axes: Axes) -> None:
        chance_line(axes, [0, 1], [0, 1])
        handles: list[Any] = []
        for number in range(len(self.legend)):
            mine = self.data[self.data["line"] == number]
            strong, faint = mine[mine["is_strong"]], mine[~mine["is_strong"]]
            colour = COLOURS[number]
            folds = list(faint.groupby(["repeat", "fold"]))
            for _, points in folds:
                strength = float(np.clip(4 / len(folds), 0.08, 0.35))
                axes.plot(points["fpr"], points["tpr"], color=colour, linewidth=0.7, alpha=strength, zorder=2)
            if len(self.legend) <= FOLDS_UP_TO and strong["low"].notna().any():
                axes.fill_between(strong["fpr"], strong["low"], strong["high"], color=colour, alpha=0.16, linewidth=0, zorder=1.5)
            handles += axes.plot(
                strong["fpr"], strong["tpr"], color=colour, linestyle=DASHES[number], linewidth=1.9, zorder=4
            )  # a line without points still stands in the legend
        unit_axes(axes, "false positive rate (negatives called positive)", "true positive rate (positives found)")
        write_legend(axes, handles, self.legend, own_figure=self.owns_figure_, corner="lower right")


def _mean_auc(line: ModelRoc) -> float:
    """The mean over folds, or where no fold has one that of all predictions."""
    return float(line.auc.mean) if line.auc.n_splits else line.pooled.auc


def _detail(name: str, area: float, low: float, high: float, alpha: float) -> str:
    """An area with its interval, where there is one."""
    if np.isnan(area):
        return f"{name} undefined"
    interval = format_interval(low, high, 3)
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

    def curve(self, ax: Axes | None = None) -> RocDisplay:
        """ROC curve of one model, or curves of several: folds faint, means strong."""
        result = self.result
        if isinstance(result, RocCurve):
            return RocDisplay.from_curve(result).plot(ax)
        return RocDisplay.from_rocs(result).plot(ax)

    __call__ = curve


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
        legend = (LineName("this curve", _detail("AP", curve.average_precision, np.nan, np.nan, 0.05)),)
        subject = f"class {short(str(curve.positive), 20)}"
        return cls(
            _frame([_precision_points(0, True, curve)], PRECISION_COLUMNS),
            legend,
            (curve.average_precision,),
            subject,
            (curve.prevalence,),
            1,
        )

    @classmethod
    def from_curves(cls, curves: PrecisionRecalls) -> Self:
        """Collect the numbers of several models."""
        areas = [_average_precision(line) for line in curves]
        ranking = best_first(areas)
        order = ranking[:MOST_LINES]
        lines = [curves.lines[place] for place in order]
        points = [
            point for number, line in enumerate(lines) for point in _precision_lines(number, line, len(lines) <= FOLDS_UP_TO)
        ]
        details = [_of_average(line, curves.alpha) for line in lines]
        legend = tuple(LineName(*each) for each in zip(names_of(curves, order), details, strict=True))
        ranked_areas, prevalence = tuple(areas[place] for place in ranking), tuple(line.pooled.prevalence for line in lines)
        return cls(_frame(points, PRECISION_COLUMNS), legend, ranked_areas, of_class(curves), prevalence, len(curves))

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


def _average_precision(line: ModelPrecisionRecall) -> float:
    return float(line.average_precision.mean) if line.average_precision.n_splits else line.pooled.average_precision


def _of_average(line: ModelPrecisionRecall, alpha: float) -> str:
    return _detail("AP", _average_precision(line), float(line.average_precision.low), float(line.average_precision.high), alpha)


def _precision_lines(number: int, line: ModelPrecisionRecall, with_folds: bool) -> Iterator[dict[str, Any]]:
    if with_folds and len(line.folds) > 1:
        for repeat, fold, curve in zip(line.repeat.tolist(), line.fold.tolist(), line.folds, strict=True):
            yield {**_precision_points(number, False, curve), "repeat": repeat, "fold": fold}
    yield _precision_points(number, True, line.pooled)


def _precision_points(number: int, is_pooled: bool, curve: PrecisionRecallCurve) -> dict[str, Any]:
    """The points at which another positive example is found; those after it, of the same recall, are no step of their own."""
    is_step = np.diff(curve.recall, prepend=0.0) > 0
    rates = {"recall": curve.recall[is_step], "precision": curve.precision[is_step]}
    return {"line": number, "is_pooled": is_pooled, "repeat": -1, "fold": -1, **rates}


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
        return cls(_bins([curve]), (LineName("this curve", _error(curve)),), subject, curve.alpha, 1)

    @classmethod
    def from_curves(cls, curves: Calibrations) -> Self:
        """Collect the numbers of several models."""
        order = best_first([-line.pooled.calibration_error for line in curves])[:MOST_LINES]
        chosen = [curves.lines[place].pooled for place in order]
        legend = tuple(LineName(name, _error(curve)) for name, curve in zip(names_of(curves, order), chosen, strict=True))
        return cls(_bins(chosen), legend, of_class(curves), curves.alpha, len(curves))

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


def _error(curve: CalibrationCurve) -> str:
    return f"off by {format_score(curve.calibration_error, 3)} on average"


def _bins(curves: list[CalibrationCurve]) -> pd.DataFrame:
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
