"""Curves of each of several classes against the rest, a panel for each model, and what curves of one class share with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tiebreak.evaluation.class_curves import Calibrations, PrecisionRecalls, Rocs
from tiebreak.evaluation.predictions import Lines
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.numerics import FloatArray
from tiebreak.views.plots.display import Display, of_all
from tiebreak.views.plots.style import (
    DASHES,
    OWN_ROOM,
    SIZE,
    SMALL,
    Room,
    band,
    faded,
    foreground,
    line_colours,
    literal,
    muted,
    n_columns_of,
    panel_names,
    panels,
    plain_axes,
    short,
    short_labels,
    widest,
)
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LINES = 8
"""Curves with a colour and dashes of their own; of more, the others are drawn in grey."""

MOST_PANELS = 9
"""Models that one figure shows side by side."""

ROC_AXES = ("false positive rate (negatives called positive)", "true positive rate (positives found)")
PRECISION_RECALL_AXES = ("recall (positives found)", "precision (right among those called positive)")
CALIBRATION_AXES = ("probability that was predicted (mean of the bin)", "positive (share of the bin)")


def best_first(values: Sequence[float]) -> list[int]:
    """Positions of the highest values first; undefined ones last."""
    return sorted(range(len(values)), key=lambda place: (np.isnan(values[place]), -values[place]))


def draw_square(axes: Axes, x_name: str, y_name: str) -> None:
    """Axes of two shares."""
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6))
    axes.set_xlabel(literal(x_name), fontsize=SIZE, color=foreground())
    axes.set_ylabel(literal(y_name), fontsize=SIZE, color=foreground())
    axes.grid(color=band(), linewidth=0.6)
    axes.set_axisbelow(True)
    plain_axes(axes, "left", "bottom")


def precision_steps(curve: PrecisionRecallCurve) -> dict[str, FloatArray]:
    """The points at which another positive example is found; those after it, of the same recall, are no step of their own."""
    is_step = np.diff(curve.recall, prepend=0.0) > 0
    return {"recall": curve.recall[is_step], "precision": curve.precision[is_step]}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassPanelsDisplay(Display):
    """Curves of each class against the rest and their mean, in a panel for each model.

    Attributes
    ----------
    data : DataFrame
        model, class ("" for the mean of all classes), x, y.
    models : DataFrame
        model, mean (over the classes), best and worst class and their values, best model first; a row for each that is drawn.
    value_name : str
        Name of the number that stands for a curve.
    axis_names : tuple of str
        Of x and y.
    dotted : tuple of float
        Ends of the line of what tells nothing; () for none.
    n_models : int
        Models that there are, drawn or not.
    """

    panel_size: ClassVar[tuple[float, float]] = (1.5, 1.45)

    models: pd.DataFrame
    value_name: str
    axis_names: tuple[str, str]
    dotted: tuple[float, ...]
    n_models: int

    @classmethod
    def from_rocs(cls, rocs: Rocs, top: int | None = None) -> Self:
        """ROC curves; the mean is that of the true positive rates at each false positive rate."""
        grid = np.linspace(0.0, 1.0, 101)
        curves = [
            (line, line.fpr, line.tpr.mean) if line.auc.n_splits else (line, grid, line.pooled.tpr_at(grid)) for line in rocs
        ]
        values = [float(line.auc.mean) if line.auc.n_splits else line.pooled.auc for line in rocs]
        return cls._of(rocs, curves, values, top, "AUC", ROC_AXES, (0.0, 1.0))

    @classmethod
    def from_precision_recalls(cls, lines: PrecisionRecalls, top: int | None = None) -> Self:
        """Precision-recall curves of all predictions; the mean is that of the precisions at each recall."""
        grid = np.linspace(0.0, 1.0, 201)[1:]
        curves = []
        for line in lines:
            points = precision_steps(line.pooled)
            place = np.searchsorted(points["recall"], grid - 1e-12)  # the first point that finds as many
            empty = np.full(grid.size, np.nan)
            curves.append((line, grid, points["precision"][place] if len(points["recall"]) else empty))
        values = [
            float(line.average_precision.mean) if line.average_precision.n_splits else line.pooled.average_precision
            for line in lines
        ]
        names = PRECISION_RECALL_AXES
        return cls._of(lines, curves, values, top, "average precision", names, ())

    @classmethod
    def from_calibrations(cls, lines: Calibrations, top: int | None = None) -> Self:
        """Calibration curves, which have no mean, as their bins differ."""
        curves = [(line, line.pooled.predicted, line.pooled.observed) for line in lines]
        values = [-line.pooled.calibration_error for line in lines]
        names = ("predicted (mean probability of the bin)", "positive (share of the bin)")
        return cls._of(lines, curves, values, top, "calibration error", names, (0.0, 1.0))

    @classmethod
    def _of(
        cls,
        lines: Lines[Any, Any],
        curves: Sequence[tuple[Any, FloatArray, FloatArray]],
        values: Sequence[float],
        top: int | None,
        name: str,
        axis_names: tuple[str, str],
        dotted: tuple[float, ...],
    ) -> Self:
        """Collect curves and values, both in the order of the lines; higher values are better."""
        import pandas as pd

        sign = -1.0 if name == "calibration error" else 1.0
        shape = (len(lines.models), len(lines.classes))
        value = np.reshape(values, shape)
        order = best_first(value.mean(axis=1).tolist())[: min(top or MOST_PANELS, MOST_PANELS)]
        parts, rows = [], []
        for model in order:
            mine = curves[model * shape[1] : (model + 1) * shape[1]]
            for line, x, y in mine:
                parts.append(pd.DataFrame({"model": line.model, "class": str(line.positive), "x": x, "y": y}))
            if sign > 0:
                mean = np.mean([y for _, _, y in mine], axis=0)
                parts.append(pd.DataFrame({"model": lines.models[model], "class": "", "x": mine[0][1], "y": mean}))
            ranked = best_first(value[model].tolist())
            best, worst = ranked[0], ranked[-1]
            classes = [str(label) for label in lines.classes]
            row = (
                lines.models[model],
                value[model].mean(),
                classes[best],
                value[model, best],
                classes[worst],
                value[model, worst],
            )
            rows.append(row)
        columns = ["model", "mean", "best_class", "best_value", "worst_class", "worst_value"]
        models = pd.DataFrame(rows, columns=columns)
        models[["mean", "best_value", "worst_value"]] *= sign
        return cls(pd.concat(parts, ignore_index=True), models, name, axis_names, dotted, shape[0])

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [name for name in dict.fromkeys(self.data["class"]) if name]

    def _columns(self, room: Room = OWN_ROOM) -> int:
        return n_columns_of(len(self.models), room, self.panel_size[0])

    def _size(self) -> tuple[float, float]:
        side = 4.0 if len(self.models) == 1 else 2.9 if len(self.models) <= 4 else 2.4
        legend = widest(self._entries()) + 0.9
        return self._columns() * (side + 0.6) + legend + 0.4, -(-len(self.models) // self._columns()) * (side + 0.85) + 1.3

    def _entries(self) -> list[str]:
        named = short_labels(self.classes, 20) if len(self.classes) <= MOST_LINES else [f"each of {len(self.classes)} classes"]
        return [*named, "mean of classes"] if (self.data["class"] == "").any() else named

    def _title(self) -> str:
        first = self.models.iloc[0]
        name = short_labels(list(self.models["model"]))[0]
        if np.isnan(first["mean"]):
            return f"The {self.value_name} is undefined for some class"
        ranks = f"{name} ranks first of {self.n_models}" if self.n_models > 1 else name
        if self.value_name == "calibration error" and self.n_models > 1:
            ranks = f"The probabilities of {name} are nearest to what happens"
        return f"{ranks}: mean {self.value_name} over {len(self.classes)} classes {format_score(first['mean'], 3)}"

    def _note(self) -> str:
        mean = " Strong: mean of the classes' curves." if (self.data["class"] == "").any() else ""
        dotted = " Dotted: chance." if self.value_name == "AUC" else " Dotted: probabilities that hold." if self.dotted else ""
        drawn = of_all(len(self.models), self.n_models)
        return (
            f"Each class against the rest.{mean}{dotted} Above each panel: the mean {self.value_name}, and the worst class. "
            f"Which differences between models are real, the curves do not say: compare() does.{drawn}"
        )

    def _draw(self, axes: Axes) -> None:
        room = self._room(axes)
        n_columns = self._columns(room)
        each = panels(axes, len(self.models), n_columns)
        names = panel_names(each[0], list(self.models["model"]), n_columns, own_figure=self.owns_figure_)
        handles: list[Any] = []
        for number, (panel, row) in enumerate(zip(each, self.models.to_dict("records"), strict=True)):
            handles = self._draw_panel(panel, self.data[self.data["model"] == row["model"]])
            is_left, is_last = number % n_columns == 0, number >= len(each) - n_columns
            panel.set_xlabel(self.axis_names[0].partition(" (")[0] if is_last else "", fontsize=SMALL)
            panel.set_ylabel(self.axis_names[1].partition(" (")[0] if is_left else "", fontsize=SMALL)
            panel.tick_params(labelbottom=is_last, labelleft=is_left, labelsize=SMALL)
            mean = format_score(row["mean"], 3)
            worst = f"{mean}, worst {short(row['worst_class'], 14)} {format_score(row['worst_value'], 3)}"
            panel.set_title(literal(f"{names[number]}\n{worst}" if room is OWN_ROOM else names[number]), fontsize=SMALL)
        last = each[n_columns - 1]
        entries = [literal(entry) for entry in self._entries()]
        if room is OWN_ROOM:
            last.legend(
                handles, entries, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=SMALL, borderaxespad=0
            )
        elif len(each) == 1:
            last.legend(handles, entries, loc="best", fontsize=SMALL)

    def _draw_panel(self, axes: Axes, data: pd.DataFrame) -> list[Any]:
        """Draw the curves of one model, and give what stands for them in the legend."""
        if self.dotted:
            axes.plot([0, 1], self.dotted, color=muted(), linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        is_coloured, handles = len(self.classes) <= MOST_LINES, []
        for number, name in enumerate(self.classes):
            points = data[data["class"] == name]
            look: dict[str, Any] = {"color": faded(), "linewidth": 0.7}
            if is_coloured:
                look = {"color": line_colours()[number], "linewidth": 1.1, "linestyle": DASHES[number]}
            handles += axes.plot(points["x"], points["y"], zorder=2, **look)
        mean = data[data["class"] == ""]
        handles = handles if is_coloured else handles[:1]
        if len(mean):
            handles += axes.plot(mean["x"], mean["y"], color=foreground(), linewidth=2.2, zorder=3)
        draw_square(axes, "", "")
        if self.owns_figure_:
            axes.set_box_aspect(1)
        return handles
