"""Plots of an evaluation: scores against the time of a fit, and what a regression predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.numerics import FloatArray
from tiebreak.views.plots.display import MOST_MODELS, Display, Plots, TopLook, better_is, of_all
from tiebreak.views.plots.style import (
    COLOURS,
    DPI,
    MARKS,
    OWN_ROOM,
    SIZE,
    SMALL,
    Room,
    background,
    band,
    faded,
    fitted_labels,
    foreground,
    literal,
    muted,
    n_columns_of,
    panel_names,
    panels,
    plain_axes,
    short,
    short_labels,
    text_width,
    time_axis,
)
from tiebreak.views.words import seconds

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.metric import Metric

MOST_PANELS = 9
"""Models that one figure shows side by side."""

MOST_POINTS = 4000
"""Predictions of one model that are drawn; of more, as many are drawn at random."""

CANDIDATES = ("best", "near best", "may be best")
"""Standings of the models that may be taken, and that have names in the figure."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimesDisplay(Display):
    """Mean score of every model against the median time of a fit: who may be the best, and cheap.

    Attributes
    ----------
    data : DataFrame
        model (best first), mean, fit_seconds (median), standing.
    metric : Metric
    rope : float
    n_models : int
        Models that there are, drawn or not.
    """

    metric: Metric
    rope: float
    n_models: int

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, metric: str | None, dataset: str | None, settings: dict[str, Any], top: int | None = None
    ) -> Self:
        """Collect the numbers; the settings are those of `Evaluation.compare`."""
        import pandas as pd

        comparison = evaluation.compare(metric, dataset=dataset, **settings)
        place = evaluation.datasets.index(dataset) if dataset is not None else 0
        times = dict(zip(evaluation.models, evaluation.fit_medians(place).tolist(), strict=True))
        ranking = comparison.ranking
        models = [str(name) for name in ranking["model"]]
        data = pd.DataFrame({"model": models, "mean": ranking["mean"].to_numpy()})
        data["fit_seconds"] = [times[name] for name in models]
        data["standing"] = [str(standing) for standing in ranking["standing"]]
        return cls(data.head(top or MOST_MODELS), comparison.metric, comparison.rope, len(ranking))

    @property
    def cheapest(self) -> str:
        """The quickest to fit of those that may be taken: the near best where there are any, else those that may be the best."""
        takes = self.data[self.data["standing"].isin(CANDIDATES[:2])]
        takes = takes if len(takes) else self.data[self.data["standing"] == "may be best"]
        return str(takes.sort_values("fit_seconds", kind="stable")["model"].iloc[0])

    def _size(self) -> tuple[float, float]:
        return 7.4, 4.9

    def _title(self) -> str:
        row = self.data[self.data["model"] == self.cheapest].iloc[0]
        name = short_labels(list(self.data["model"]))[list(self.data["model"]).index(self.cheapest)]
        is_near, time = row["standing"] in CANDIDATES[:2], seconds(row["fit_seconds"])
        n_alike = int(self.data["standing"].isin(CANDIDATES[:2] if is_near else CANDIDATES[2:]).sum())
        if row["standing"] == "best" and n_alike == 1:
            return f"{name} is the best; a fit takes {time}"
        if n_alike == 1:
            return f"{name} alone is shown to be near the best; a fit takes {time}"
        return f"{name} is the quickest to fit of {n_alike} that {'are near' if is_near else 'may be'} the best: {time}"

    def _note(self) -> str:
        near = (
            f"Near best: falls short of the best by no more than the rope of {self.rope:.4g}."
            if self.rope
            else "There is no rope, so none can be called near best."
        )
        drawn = of_all(len(self.data), self.n_models)
        return f"Mean score over splits, and median time of a fit. {near} Names stand where there is room.{drawn}"

    def _draw(self, axes: Axes) -> None:
        handles = []
        for standing, (marker, size, face, edge) in _looks().items():
            mine = self.data[self.data["standing"] == standing]
            if len(mine):
                look: dict[str, Any] = {
                    "marker": marker,
                    "s": size,
                    "color": face,
                    "edgecolors": edge,
                    "label": standing,
                    "zorder": 3,
                }
                handles.append(axes.scatter(mine["fit_seconds"], mine["mean"], **look))
        axes.margins(x=0.12, y=0.14)
        scale = " (log scale)" if time_axis(axes.xaxis, self.data["fit_seconds"].to_numpy(dtype=float)) else ""
        if not self.metric.higher_is_better:
            axes.invert_yaxis()
        axes.set_xlabel(f"median time of a fit{scale}", fontsize=SIZE, color=foreground())
        axes.set_ylabel(
            literal(f"{short(self.metric.name)} ({better_is(self.metric)} is better)"), fontsize=SIZE, color=foreground()
        )
        axes.grid(color=band(), linewidth=0.6)
        axes.set_axisbelow(True)
        plain_axes(axes, "left", "bottom")
        beside: dict[str, Any] = (
            {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if self.owns_figure_ else {"loc": "lower right"}
        )
        axes.legend(handles=handles, fontsize=SMALL, frameon=False, **beside)
        self._write_names(axes)

    def _write_names(self, axes: Axes) -> None:
        """Names beside their points, those that may be taken first, where they cover no point and no other name."""
        figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]
        figure.draw_without_rendering()  # the layout decides how large the axes are
        scale = DPI / figure.dpi
        box = axes.get_window_extent()
        points = axes.transData.transform(self.data[["fit_seconds", "mean"]].to_numpy(dtype=float)) * scale
        taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
        legend = axes.get_legend()
        if legend is not None:
            taken.append(tuple(scale * np.array(legend.get_window_extent().extents)))
        order = sorted(range(len(self.data)), key=lambda row: self.data["standing"].iloc[row] not in CANDIDATES)
        names = fitted_labels(list(self.data["model"]), 0.4 * box.width / figure.dpi, SMALL)
        left, bottom, right, top = scale * np.array(box.extents)
        for row in order:
            width, height = text_width(names[row], SMALL) * DPI * 1.05, SMALL / 72 * DPI * 1.25
            x, y = points[row]
            for dx, dy, ha in ((12, 0, "left"), (-12, 0, "right"), (0, 16, "center"), (0, -16, "center")):
                start = {"left": x + dx, "right": x + dx - width, "center": x - width / 2}[ha]
                area = (start, y + dy - height / 2, start + width, y + dy + height / 2)
                inside = area[0] > left and area[2] < right and area[1] > bottom and area[3] < top
                if inside and not any(_overlap(area, other) for other in taken):
                    taken.append(area)
                    axes.annotate(
                        literal(names[row]),
                        (self.data["fit_seconds"].iloc[row], self.data["mean"].iloc[row]),
                        xytext=(dx * 72 / DPI, dy * 72 / DPI),
                        textcoords="offset points",
                        ha=ha,
                        va="center",
                        fontsize=SMALL,
                        color=foreground() if self.data["standing"].iloc[row] in CANDIDATES else muted(),
                    )
                    break


def _looks() -> dict[str, tuple[str, float, str, str]]:
    """Marker, size, face and edge of each standing."""
    best, near = MARKS["better"].colour, MARKS["equivalent"].colour
    return {
        "best": ("*", 150, best, foreground()),
        "near best": ("s", 42, near, near),
        "may be best": ("o", 42, background(), best),
        "not best": (".", 30, faded(), faded()),
    }


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


Kind = Literal["predicted", "residuals"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PredictionsDisplay(Display):
    """Predictions of a regression against the actual values, or what is left over of them, in a panel for each model.

    Attributes
    ----------
    data : DataFrame
        model, actual, predicted; a row for each test row and repeat that is drawn.
    kind : {"predicted", "residuals"}
    models : DataFrame
        model, rmse and bias (mean of predicted minus actual) over all predictions together, n_predictions; smallest rmse first,
        a row for each that is drawn.
    n_models : int
        Models that there are, drawn or not.
    """

    panel_size: ClassVar[tuple[float, float]] = (1.5, 1.45)

    kind: Kind
    models: pd.DataFrame
    n_models: int

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, dataset: str | None, kind: Kind, top: int | None = None) -> Self:
        """Collect the numbers.

        Raises
        ------
        InvalidPlanError
            The target is no number.
        MissingSplitsError
            Predictions were not kept.
        """
        import pandas as pd

        frame = evaluation.predictions
        if dataset is not None:
            frame = frame[frame["dataset"] == dataset]
        if any(record.classes is not None for record in evaluation.record.datasets) or "target" not in frame:
            raise InvalidPlanError("this is for a regression; of classes, confusion() shows what was taken for what.")
        rows, parts = [], []
        for model, mine in frame.groupby("model", sort=False):
            off = (mine["prediction"] - mine["target"]).to_numpy(dtype=float)
            rows.append((model, float(np.sqrt(np.mean(off**2))), float(off.mean()), len(mine)))
        models = pd.DataFrame(rows, columns=["model", "rmse", "bias", "n_predictions"])
        n_models = len(models)
        models = models.sort_values("rmse", kind="stable").head(min(top or MOST_PANELS, MOST_PANELS)).reset_index(drop=True)
        for model in models["model"]:
            mine = frame.loc[frame["model"] == model, ["model", "target", "prediction"]]
            parts.append(mine.sample(MOST_POINTS, random_state=0) if len(mine) > MOST_POINTS else mine)
        data = pd.concat(parts, ignore_index=True).rename(columns={"target": "actual", "prediction": "predicted"})
        return cls(data, kind, models, n_models)

    def _columns(self, room: Room = OWN_ROOM) -> int:
        return n_columns_of(len(self.models), room, self.panel_size[0])

    def _size(self) -> tuple[float, float]:
        side = 4.2 if len(self.models) == 1 else 2.9 if len(self.models) <= 4 else 2.3
        return self._columns() * (side + 0.5) + 0.6, -(-len(self.models) // self._columns()) * (side + 0.6) + 1.2

    def _title(self) -> str:
        name, first = short_labels(list(self.models["model"]))[0], self.models.iloc[0]
        rmse, bias = f"{first['rmse']:.4g}", f"{abs(first['bias']):.2g}"
        if self.kind == "predicted":
            best = "" if self.n_models == 1 else f" of {self.n_models} models"
            return f"{name} has the smallest root mean squared error{best}: {rmse}"
        side = "too high" if first["bias"] > 0 else "too low"
        return f"{name} is off by {rmse} (root mean square), and {bias} {side} on average"

    def _note(self) -> str:
        what = {
            "predicted": "On the line, the prediction is right.",
            "residuals": "Residual: predicted minus actual. A bow or a funnel is what the model has not learned.",
        }[self.kind]
        n = int(self.models["n_predictions"].max())
        few = f" Drawn: {MOST_POINTS} of {n} at random." if n > MOST_POINTS else ""
        return f"Dots: predictions for test rows, of all splits. {what}{few}{of_all(len(self.models), self.n_models)}"

    def _draw(self, axes: Axes) -> None:
        room = self._room(axes)
        n_columns = self._columns(room)
        each = panels(axes, len(self.models), n_columns)
        x = self.data["actual"] if self.kind == "predicted" else self.data["predicted"]
        y = self.data["predicted"] if self.kind == "predicted" else self.data["predicted"] - self.data["actual"]
        names = panel_names(each[0], list(self.models["model"]), n_columns, own_figure=self.owns_figure_)
        columns = ["actual", "predicted"] if self.kind == "predicted" else ["predicted"]
        ends = np.array([self.data[columns].min().min(), self.data[columns].max().max()])
        for number, panel in enumerate(each):
            mine = (self.data["model"] == self.models["model"].iloc[number]).to_numpy()
            strength = float(np.clip(150 / max(mine.sum(), 1), 0.12, 0.6))
            panel.scatter(x[mine], y[mine], s=10, color=COLOURS[0], alpha=strength, linewidths=0, rasterized=True, zorder=2)
            panel.plot(
                *(ends, ends) if self.kind == "predicted" else (ends, 0 * ends), color=foreground(), linewidth=0.9, zorder=3
            )
            self._label(panel, number, n_columns, ends, y.to_numpy(dtype=float))
            rmse = f"\nrmse {self.models['rmse'].iloc[number]:.4g}" if room is OWN_ROOM else ""
            panel.set_title(literal(f"{names[number]}{rmse}"), fontsize=SMALL)

    def _label(self, panel: Axes, number: int, n_columns: int, ends: FloatArray, y: FloatArray) -> None:
        """Set the limits of a panel, one pair for all, and its labels, at the edges only."""
        from matplotlib.ticker import MaxNLocator

        low, high = ends if self.kind == "predicted" else (y.min(), y.max())
        for limit, start, end in ((panel.set_xlim, *ends), (panel.set_ylim, low, high)):
            margin = 0.04 * float(end - start or 1.0)
            limit(start - margin, end + margin)
        is_left, is_last = number % n_columns == 0, number >= len(self.models) - n_columns
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
        words = {"predicted": ("actual", "predicted"), "residuals": ("predicted", "residual")}[self.kind]
        panel.set_xlabel(words[0] if is_last else "", fontsize=SMALL)
        panel.set_ylabel(words[1] if is_left else "", fontsize=SMALL)
        plain_axes(panel, "left", "bottom")
        panel.grid(color=band(), linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(labelbottom=is_last, labelleft=is_left, labelsize=SMALL)


class EvaluationPlots(Plots["Evaluation"]):
    """Plots of an evaluation; ``compare().plot`` has those that say which models are better."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots; predicted values are drawn of a regression."""
        is_regression = all(record.classes is None for record in self.result.record.datasets)
        several = ("times",) if len(self.result.models) > 1 else ()
        return (*several, *(("predicted", "residuals") if is_regression else ()))

    def times(
        self,
        metric: str | None = None,
        *,
        dataset: str | None = None,
        rope: float | str = 0.0,
        ax: Axes | None = None,
        **look: Unpack[TopLook],
    ) -> TimesDisplay:
        """Mean score against the time of a fit: who is near the best and cheap.

        Parameters
        ----------
        metric : str, optional
            The first one if not given.
        dataset : str, optional
            Needed where there are several.
        rope : float or str
            As for `tiebreak.compare`; without one, none can be called near best.
        """
        return self._draw(TimesDisplay.from_evaluation, metric, dataset, {"rope": rope}, ax=ax, look=look)

    def predicted(self, ax: Axes | None = None, *, dataset: str | None = None, **look: Unpack[TopLook]) -> PredictionsDisplay:
        """Predicted against actual values of a regression, a panel for each model."""
        return self._draw(PredictionsDisplay.from_evaluation, dataset, "predicted", ax=ax, look=look)

    def residuals(self, ax: Axes | None = None, *, dataset: str | None = None, **look: Unpack[TopLook]) -> PredictionsDisplay:
        """Residuals of a regression, predicted minus actual, a panel for each model."""
        return self._draw(PredictionsDisplay.from_evaluation, dataset, "residuals", ax=ax, look=look)
