"""A confusion matrix as a square of cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.metrics.confusion import ConfusionMatrix, Share
from tiebreak.numerics import FloatArray
from tiebreak.views.plots.display import Display, Plots
from tiebreak.views.plots.matrix import WORDS_UP_TO, Square
from tiebreak.views.plots.style import INK, PAPER, QUIET, SIZE, SMALL, short
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.evaluation.confusions import Confusions

COUNTS_UP_TO = 20
"""Classes up to which counts are printed in the cells."""

_SHARES = {
    "actual": "the examples of the actual class (rows sum to 100%)",
    "predicted": "the predictions of the class (columns sum to 100%)",
    "all": "all examples",
}


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionDisplay(Display):
    """Number of examples of each class that were taken for each class.

    Attributes
    ----------
    data : DataFrame
        Counts; actual classes as index, predicted ones as columns.
    share : ndarray of shape (n_labels, n_labels)
        Shares as colours; nan in a class without examples, or without predictions.
    matrix : ConfusionMatrix
    by : {"actual", "predicted", "all"}
    model : str
        "" for a matrix from arrays.
    """

    share: FloatArray
    matrix: ConfusionMatrix = field(repr=False)
    by: Share
    model: str

    @classmethod
    def from_matrix(cls, matrix: ConfusionMatrix, *, by: Share = "actual", model: str = "") -> Self:
        """Collect the numbers."""
        return cls(matrix.to_frame(), matrix.normalised(by), matrix, by, model)

    @property
    def _square(self) -> Square:
        return Square([str(label) for label in self.data.index], self.owns_figure_)

    def _size(self) -> tuple[float, float]:
        width, height = self._square.size(beside=1.7)
        return width, height + 0.3

    def _title(self) -> str:
        subject = f"{short(self.model)} is right" if self.model else "Right"
        n = int(self.data.to_numpy().sum())
        if not n:
            return "No examples"
        beats = self.matrix.accuracy > self.matrix.majority_rate
        rest = f"always saying the most frequent class is right on {_percent(self.matrix.majority_rate)}"
        return f"{subject} on {_percent(self.matrix.accuracy)} of {n} predictions; {'' if beats else 'no better: '}{rest}"

    def _note(self) -> str:
        printed = "Cells: predictions" if self._is_printed else "Cells"
        shares = f"{', and their' if self._square.has_words else '; colours:'} share of {_SHARES[self.by]}"
        empty = " n/a: no such examples or predictions." if np.isnan(self.share).any() else ""
        return f"{printed}{shares}. The diagonal is right.{empty}{'' if self._has_short_names else self._square.note}"

    @property
    def _has_short_names(self) -> bool:
        """True where names such as digits fit above the columns, which then need no numbers."""
        return all(len(name) <= 2 and name.isalnum() for name in self._square.models)

    @property
    def _is_printed(self) -> bool:
        return len(self.data) <= (COUNTS_UP_TO if self.owns_figure_ else WORDS_UP_TO)

    def _draw(self, axes: Axes) -> None:
        from matplotlib.ticker import PercentFormatter

        high = max(float(np.nanmax(self.share, initial=0.0)), 1e-9) if self.by == "all" else 1.0
        image = axes.imshow(self.share, cmap="Blues", vmin=0.0, vmax=high, aspect="auto")
        square = self._square
        square.label(axes)
        if self._has_short_names:
            axes.set_xticks(range(len(square.models)), labels=square.models)
            axes.set_yticks(range(len(square.models)), labels=square.models)
        counts = self.data.to_numpy()
        longest = len(str(int(counts.max()))) if counts.size else 1
        size = SIZE if square.has_words else SMALL - 1 if longest <= 4 else SMALL - 3
        for (row, column), share in np.ndenumerate(self.share):
            if not self._is_printed or not (square.has_words or counts[row, column]):
                continue
            words = str(counts[row, column])
            if square.has_words:
                words += f"\n{'n/a' if np.isnan(share) else _percent(share)}"
            colour = PAPER if share > 0.6 * high else INK
            axes.text(column, row, words, ha="center", va="center", fontsize=size, color=colour)
        axes.set_ylabel("actual class", fontsize=SIZE, color=QUIET)
        axes.set_xlabel("predicted class", fontsize=SIZE, color=QUIET, labelpad=8)
        axes.xaxis.set_label_position("top")
        bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, aspect=25, pad=0.02, format=PercentFormatter(1.0))
        bar.ax.tick_params(labelsize=SMALL)
        bar.outline.set_visible(False)


def _percent(share: float) -> str:
    """A share with one decimal; never 0% or 100% unless it is."""
    text = format_score(100 * share, 1)
    if (text == "100.0" and share < 1) or (text == "0.0" and share > 0):
        return f"{'>' if share > 0.5 else '<'}{'99.9' if share > 0.5 else '0.1'}%"
    return format_percent(float(text) / 100)


class ConfusionMatrixPlots(Plots[ConfusionMatrix]):
    """Plots of a confusion matrix."""

    __slots__ = ()

    def matrix(self, *, by: Share = "actual", ax: Axes | None = None) -> ConfusionDisplay:
        """Counts as a square; colours are shares `by` actual or predicted class, or of all."""
        return ConfusionDisplay.from_matrix(self.result, by=by).plot(ax)

    __call__ = matrix


class ConfusionsPlots(Plots["Confusions"]):
    """Plots of the confusion matrices of several models."""

    __slots__ = ()

    def matrix(self, model: str | None = None, *, by: Share = "actual", ax: Axes | None = None) -> ConfusionDisplay:
        """Matrix of one model, the first if none is named."""
        name = self.result.models[0] if model is None else model
        return ConfusionDisplay.from_matrix(self.result[name], by=by, model=name).plot(ax)

    __call__ = matrix
