"""The loss of models and its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

from tiebreak.views.bias_variance import LOSS_NAMES
from tiebreak.views.plots.display import MOST_MODELS, Display, Plots, TopLook, of_all
from tiebreak.views.plots.style import COLOURS, SMALL, foreground, row_axes, rows_width, short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.studies.bias_variance import BiasVariance

BIAS, VARIANCE = COLOURS[0], "#E69F00"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BiasVarianceDisplay(Display):
    """The loss of each model as a bar of its bias and its variance, the smallest loss first.

    Attributes
    ----------
    data : DataFrame
        model, n_rounds, loss, bias, variance, unbiased, biased; a row for each model that has a loss.
    """

    row_height: ClassVar[float] = 0.115

    result: BiasVariance = field(repr=False)

    @classmethod
    def from_result(cls, result: BiasVariance, top: int | None = None) -> Self:
        """Collect the numbers."""
        data = result.to_frame().dropna(subset=["loss"]).sort_values("loss", kind="stable").head(top or MOST_MODELS)
        return cls(data.reset_index(drop=True), result)

    @property
    def _is_squared(self) -> bool:
        return self.result.loss == "squared"

    def _row_notes(self) -> list[str]:
        sign = [("+" if value >= 0 else "−") for value in self.data["variance"]]
        rows = zip(self.data["loss"], self.data["bias"], sign, self.data["variance"].abs(), strict=True)
        return [f"{loss:.3g} = {bias:.3g} {sign} {variance:.3g}" for loss, bias, sign, variance in rows]

    def _size(self) -> tuple[float, float]:
        return rows_width(list(self.data["model"]), self._row_notes()), 2.0 + 0.3 * max(len(self.data), 2)

    def _title(self) -> str:
        if self.data.empty:
            return "No model has a loss"
        name = short_labels(list(self.data["model"]))[0]
        first = self.data.iloc[0]
        larger = "bias" if first["bias"] >= first["variance"] else "variance"
        return f"{name} has the smallest {LOSS_NAMES[self.result.loss]}, most of it {larger}"

    def _note(self) -> str:
        noise = (
            " The noise of the target is in the bias."
            if self._is_squared
            else " Hatched: how often single training sets are right where most are wrong, which takes off from the loss."
        )
        how = f"Means over one test set, {self.result.n_rounds} training sets drawn with replacement. Upright line: the loss."
        n_drawn, n_models = len(self.data), len(self.result.models)
        n_known = int(self.result.to_frame()["loss"].notna().sum())
        lost = f" Without a loss, and not drawn: {n_models - n_known} models." if n_known < n_models else ""
        return how + noise + of_all(n_drawn, n_known) + lost

    def _draw(self, axes: Axes) -> None:
        rows = range(len(self.data))
        costs = self.data["variance"] if self._is_squared else self.data["unbiased"]
        axes.barh(
            rows, self.data["bias"], height=0.62, color=BIAS, label="squared bias and noise" if self._is_squared else "bias"
        )
        label = "variance" if self._is_squared else "variance that costs"
        axes.barh(rows, costs, left=self.data["bias"], height=0.62, color=VARIANCE, label=label)
        if not self._is_squared:
            axes.barh(
                rows,
                self.data["biased"],
                left=self.data["loss"],
                height=0.62,
                facecolor="none",
                edgecolor=foreground(),
                linewidth=0.6,
                hatch="////",
                label="variance that helps",
            )
        for row, loss in enumerate(self.data["loss"]):
            axes.plot([loss, loss], [row - 0.4, row + 0.4], color=foreground(), linewidth=1.8)
        axes.set_xlim(left=0)
        row_axes(axes, list(self.data["model"]), self._row_notes(), LOSS_NAMES[self.result.loss], room=self._room(axes))
        axes.legend(fontsize=SMALL, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2)


class BiasVariancePlots(Plots["BiasVariance"]):
    """Plots of the result."""

    __slots__ = ()

    def parts(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> BiasVarianceDisplay:
        """Loss of each model as its bias and its variance."""
        return self._draw(BiasVarianceDisplay.from_result, ax=ax, look=look)

    __call__ = parts
