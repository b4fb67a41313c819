"""Expected cost of deciding by a threshold, for every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tiebreak.evaluation.class_curves import Rocs
from tiebreak.metrics.costs import CostMatrix
from tiebreak.metrics.roc import RocCurve
from tiebreak.views.plots.class_panels import MOST_LINES, best_first
from tiebreak.views.plots.display import Display, of_all
from tiebreak.views.plots.style import (
    DASHES,
    SIZE,
    SMALL,
    band,
    fitted_labels,
    foreground,
    line_colours,
    literal,
    muted,
    plain_axes,
    room_of,
    short,
    short_labels,
    widest,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostsDisplay(Display):
    """Expected cost of an example for every threshold from which it is called positive.

    Attributes
    ----------
    data : DataFrame
        model, threshold, called_positive (share of examples), cost.
    best : DataFrame
        model, threshold, called_positive, cost of the cheapest threshold, cheapest model first.
    is_probability : bool
        True where all thresholds lie between 0 and 1; else x is the share called positive, as scores of models differ in scale.
    advised : float
        Threshold that the costs advise for probabilities that hold [E01]_.
    never, always : float
        Cost of calling none, or all, positive.
    unit : str
        Name of the cost.
    n_models : int
        Models that there are, drawn or not.

    References
    ----------
    .. [E01] C. Elkan. The foundations of cost-sensitive learning. IJCAI 2001, section 2.2.
    """

    best: pd.DataFrame
    is_probability: bool
    advised: float
    never: float
    always: float
    unit: str
    n_models: int

    @classmethod
    def from_result(cls, result: RocCurve | Rocs, costs: CostMatrix, top: int | None = None) -> Self:
        """Collect the numbers of a single curve, or of those of several models, of all predictions together.

        Raises
        ------
        InvalidParameterError
            More than two classes, or costs that lack one.
        """
        import pandas as pd

        curves = {"this curve": result} if isinstance(result, RocCurve) else {line.model: line.pooled for line in result}
        parts, rows = [], []
        for model, curve in curves.items():
            n = curve.n_positive + curve.n_negative
            part = pd.DataFrame({"model": model, "threshold": curve.thresholds, "called_positive": (curve.tp + curve.fp) / n})
            part["cost"] = curve.expected_costs(costs)
            parts.append(part)
            rows.append(part.iloc[int(part["cost"].to_numpy().argmin())])
        best = pd.DataFrame(rows).reset_index(drop=True)
        order = best_first((-best["cost"]).tolist())[: min(top or MOST_LINES, MOST_LINES)]
        finite = np.concatenate([part["threshold"].to_numpy()[1:] for part in parts])  # the first is infinite
        is_probability = bool(np.all((finite >= 0) & (finite <= 1)))
        first = next(iter(curves.values()))
        data = pd.concat([parts[place] for place in order], ignore_index=True)
        never, always = parts[0]["cost"].iloc[[0, -1]].tolist()
        advised = costs.threshold(first.positive)
        best = best.iloc[order].reset_index(drop=True)
        return cls(data, best, is_probability, advised, never, always, costs.name, len(curves))

    def _entries(self) -> list[str]:
        names = short_labels(list(self.best["model"]))
        return [f"{name}\nleast {cost:.4g}" for name, cost in zip(names, self.best["cost"], strict=True)]

    def _size(self) -> tuple[float, float]:
        return 6.3 + widest([line for entry in self._entries() for line in entry.split("\n")]), 4.6

    def _title(self) -> str:
        first = self.best.iloc[0]
        where = (
            f"at the threshold {first['threshold']:.3g}"
            if self.is_probability
            else f"calling {first['called_positive']:.0%} positive"
        )
        name = "" if self.n_models == 1 else f"{short_labels(list(self.best['model']))[0]}: "
        always = min(self.never, self.always)
        saved = f"the same decision for all costs {always:.4g}"
        return f"{name}{short(self.unit)} is least, {first['cost']:.4g} an example, {where}; {saved}"

    def _note(self) -> str:
        advised = (
            f" Dashed: {self.advised:.3g}, the threshold that these costs advise for probabilities that hold."
            if self.is_probability and np.isfinite(self.advised)
            else ""
        )
        drawn = of_all(len(self.best), self.n_models, "models, cheapest first")
        return (
            f"All predictions together. Dots: the least. It was picked by these data, so expect a little more.{advised} Dotted: "
            f"calling none or all positive.{drawn}"
        )

    def _draw(self, axes: Axes) -> None:
        handles = []
        x = "threshold" if self.is_probability else "called_positive"
        for number, row in enumerate(self.best.to_dict("records")):
            points = self.data[self.data["model"] == row["model"]].replace(np.inf, 1.0)
            look: dict[str, Any] = {"color": line_colours()[number], "linestyle": DASHES[number], "linewidth": 1.6, "zorder": 3}
            # a threshold between two scores decides as the higher one does
            look["drawstyle"] = "steps-pre" if self.is_probability else "default"
            points = points.sort_values(x, kind="stable")
            handles += axes.plot(points[x], points["cost"], **look)
            axes.scatter(min(row[x], 1.0), row["cost"], s=36, color=line_colours()[number], edgecolors=foreground(), zorder=4)
        for cost in (self.never, self.always):
            axes.axhline(cost, color=muted(), linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        if self.is_probability and np.isfinite(self.advised):
            axes.axvline(self.advised, color=muted(), linewidth=0.9, linestyle=(0, (5, 3)), zorder=1)
        axes.set_xlim(-0.02, 1.02)
        label = (
            "threshold from which an example is called positive" if self.is_probability else "share of examples called positive"
        )
        axes.set_xlabel(label, fontsize=SIZE, color=foreground())
        axes.set_ylabel(literal(f"{short(self.unit)} of an example"), fontsize=SIZE, color=foreground())
        axes.grid(color=band(), linewidth=0.6)
        axes.set_axisbelow(True)
        plain_axes(axes, "left", "bottom")
        if self.owns_figure_:
            entries = [literal(entry) for entry in self._entries()]
            axes.legend(handles, entries, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=SMALL)
        else:
            names = fitted_labels(list(self.best["model"]), 0.4 * room_of(axes).width, SMALL)
            axes.legend(handles, [literal(name) for name in names], loc="best", fontsize=SMALL)
