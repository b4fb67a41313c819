"""ROC curves: folds faint, means strong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tiebreak.evaluation.class_curves import ModelRoc, Rocs
from tiebreak.metrics.roc import RocCurve
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

STRONG = {"mean": "mean of the folds' curves (vertical averaging)", "fold": "the one fold", "pooled": "all predictions together"}


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
        detail = _detail(curve.auc, float(low), float(high), 0.05)
        subject = f"class {short(str(curve.positive), 20)}"
        return cls(_frame(_points(0, "fold", True, curve)), (LineName("this curve", detail),), (curve.auc,), subject, 0.05, 1)

    @classmethod
    def from_rocs(cls, rocs: Rocs) -> Self:
        """Collect the numbers of several models."""
        areas = [_area(line) for line in rocs]
        ranking = best_first(areas)
        order = ranking[:MOST_LINES]
        lines = [rocs.lines[place] for place in order]
        with_folds = len(lines) <= FOLDS_UP_TO
        points = (point for number, line in enumerate(lines) for point in _of_model(number, line, with_folds))
        details = [_detail(_area(line), float(line.auc.low), float(line.auc.high), rocs.alpha) for line in lines]
        legend = tuple(LineName(*each) for each in zip(names_of(rocs, order), details, strict=True))
        return cls(_frame(points), legend, tuple(areas[place] for place in ranking), of_class(rocs), rocs.alpha, len(rocs))

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


def _area(line: ModelRoc) -> float:
    """The mean over folds, or where no fold has one that of all predictions."""
    return float(line.auc.mean) if line.auc.n_splits else line.pooled.auc


def _detail(auc: float, low: float, high: float, alpha: float) -> str:
    if np.isnan(auc):
        return "AUC undefined"
    interval = format_interval(low, high, 3)
    return f"AUC {format_score(auc, 3)}" + (f" ({format_percent(1 - alpha)}: {interval})" if interval != "-" else "")


def _of_model(number: int, line: ModelRoc, with_folds: bool) -> Iterator[dict[str, Any]]:
    """The strong line of a model, and its folds."""
    defined = [place for place, curve in enumerate(line.folds) if not curve.reason]
    if not defined:
        if not line.pooled.reason:
            yield _points(number, "pooled", True, line.pooled)
        return
    if len(defined) == 1:
        yield _points(number, "fold", True, line.folds[defined[0]])
        return
    for place in defined if with_folds else ():
        key = {"repeat": int(line.repeat[place]), "fold": int(line.fold[place])}
        yield {**_points(number, "fold", False, line.folds[place]), **key}
    mean = {"fpr": line.fpr, "tpr": line.tpr.mean, "low": line.tpr.low, "high": line.tpr.high}
    yield {"line": number, "part": "mean", "is_strong": True, **mean}


def _points(number: int, part: str, is_strong: bool, curve: RocCurve) -> dict[str, Any]:
    rates = {"fpr": curve.fpr, "tpr": curve.tpr} if not curve.reason else {"fpr": np.empty(0), "tpr": np.empty(0)}
    return {"line": number, "part": part, "is_strong": is_strong, **rates}


def _frame(parts: dict[str, Any] | Iterator[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    names = {
        "line": int,
        "part": object,
        "is_strong": bool,
        "repeat": int,
        "fold": int,
        "fpr": float,
        "tpr": float,
        "low": float,
        "high": float,
    }
    blank = {"repeat": -1, "fold": -1, "low": np.nan, "high": np.nan}
    whole = [parts] if isinstance(parts, dict) else list(parts)
    frames = [pd.DataFrame({**blank, **part}, columns=list(names)) for part in whole if len(part["fpr"])]
    empty = pd.DataFrame(columns=list(names))
    return (pd.concat(frames, ignore_index=True) if frames else empty).astype(names)


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
