"""How alike the models' scores are over the splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.views.plots.display import Display, of_all, shown_models
from tiebreak.views.plots.matrix import WORDS_UP_TO, Square
from tiebreak.views.plots.style import INK, PAPER, QUIET, SIZE, SMALL, minus, short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison

PRINTED_UP_TO = 20
"""Models up to which values are printed in the cells."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationDisplay(Display):
    """Correlation of the models' scores over splits.

    The higher it is, the more comparing on the same splits gains over comparing separate means.

    Attributes
    ----------
    data : DataFrame
        Models by models, in ranking order; nan where the scores of a model do not vary.
    n_splits : int
    n_models : int
        Of the comparison; `data` holds those that are drawn.
    """

    n_splits: int
    n_models: int

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        comparison : Comparison
        """
        rows = shown_models(comparison)
        return cls(
            data=comparison.correlation.iloc[rows, rows],
            n_splits=comparison.matrix.n_splits,
            n_models=len(comparison.models),
        )

    @property
    def _models(self) -> list[str]:
        return list(self.data.index)

    @property
    def _square(self) -> Square:
        return Square(self._models, self.owns_figure_)

    def _size(self) -> tuple[float, float]:
        return self._square.size(beside=1.2)

    def _title(self) -> str:
        names = short_labels(self._models)
        first, second = np.triu_indices(len(names), 1)
        values = self.data.to_numpy()[first, second]
        defined = np.flatnonzero(~np.isnan(values))
        if defined.size == 0:
            return "The scores vary too little over the splits for a correlation"
        pairs = [f"{names[first[i]]} and {names[second[i]]}" for i in defined]
        value = values[defined]
        if len(names) == 2:
            return f"The scores of {pairs[0]} correlate by {value[0]:.2f}"
        high, low = int(value.argmax()), int(value.argmin())
        return f"Scores correlate by {value[low]:.2f} ({pairs[low]}) to {value[high]:.2f} ({pairs[high]})"

    def _note(self) -> str:
        missing = " n/a: scores that do not vary, or too few shared splits." if self.data.isna().to_numpy().any() else ""
        return (
            f"Correlation over {self.n_splits} splits: the higher, the more is gained by comparing on the same splits."
            f"{missing}{self._square.note}{of_all(len(self._models), self.n_models)}"
        )

    def _draw(self, axes: Axes) -> None:
        values = self.data.to_numpy()
        n_models = len(values)
        is_printed = n_models <= (PRINTED_UP_TO if self.owns_figure_ else WORDS_UP_TO)
        # where colours alone tell the cells apart, they span what there is
        low = float(np.floor(10 * np.nanmin(values, initial=0.0 if is_printed else 0.9)) / 10)
        image = axes.imshow(values, cmap="cividis", vmin=low, vmax=1.0, aspect="auto")
        self._square.label(axes)
        size = SIZE if self._square.has_words else SMALL - 1
        for (row, column), value in np.ndenumerate(values):
            if np.isnan(value):
                text, colour = "n/a" if is_printed else "·", QUIET
            elif is_printed:
                text, colour = minus(f"{value:.2f}"), PAPER if value - low < 0.55 * (1.0 - low) else INK
            else:
                continue
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=colour)
        bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, aspect=25, pad=0.02)
        bar.set_label("correlation (no unit)", fontsize=SIZE)
        bar.ax.tick_params(labelsize=SMALL)
        bar.outline.set_visible(False)
