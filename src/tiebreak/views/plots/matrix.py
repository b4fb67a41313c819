"""Squares of cells: verdicts and correlations of models against models, and confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.verdict import MIRRORED, VERDICTS
from tiebreak.metrics.confusion import ConfusionMatrix, Share
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.views.comparison import table_decimals
from tiebreak.views.plots.display import ComparisonDisplay, Display, Plots, shown_models
from tiebreak.views.plots.style import (
    INK,
    MARKS,
    NOT_ASKED,
    PAPER,
    QUIET,
    SIZE,
    SMALL,
    literal,
    minus,
    model_axis,
    numbered_labels,
    plain_axes,
    short,
    short_labels,
    widest,
    wrap,
)
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.image import AxesImage
    from matplotlib.ticker import Formatter

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.confusions import Confusions


WORDS_UP_TO = 6
"""Models up to which cells hold words and columns names; with more, columns hold the number of the row."""

PRINTED_UP_TO = 20
"""Rows up to which numbers are printed in the cells of a figure of our own."""


@dataclass(frozen=True, slots=True)
class Square:
    """Rows and columns of models, the best at the top and on the left.

    Attributes
    ----------
    models : sequence of str
    own_figure : bool
        True where the figure is as large as `size` asks for; on the caller's axes cells may be small, and hold no words.
    """

    models: Sequence[str]
    own_figure: bool

    @property
    def has_words(self) -> bool:
        """True where a cell has room for words."""
        return self.own_figure and len(self.models) <= WORDS_UP_TO

    @property
    def is_printed(self) -> bool:
        """True where a cell has room for a number."""
        return len(self.models) <= (PRINTED_UP_TO if self.own_figure else WORDS_UP_TO)

    @property
    def row_labels(self) -> list[str]:
        """Names, numbered where the columns are."""
        return short_labels(self.models) if self.has_words else numbered_labels(self.models)

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell in inches."""
        return (1.35, 0.62) if self.has_words else (0.36, 0.26) if len(self.models) <= 20 else (0.21, 0.19)

    @property
    def note(self) -> str:
        """A remark on the columns, where one is needed."""
        return "" if self.has_words else " Columns are numbered as the rows."

    def size(self, beside: float) -> tuple[float, float]:
        """Width and height in inches of a figure with the square, its labels, and something `beside` it."""
        n_models, (width, height) = len(self.models), self.cell
        return max(6.5, n_models * width + widest(self.row_labels) + beside + 0.5), n_models * height + 1.9

    def label(self, axes: Axes) -> None:
        """Write the labels, and draw lines between the cells."""
        n_models = len(self.models)
        model_axis(axes, self.row_labels)
        if self.has_words:
            columns = [wrap(name, self.cell[0] - 0.1, SIZE) for name in short_labels(self.models)]
        else:
            columns = [str(number) for number in range(1, n_models + 1)]
        axes.xaxis.tick_top()
        axes.set_xticks(range(n_models), labels=[literal(column) for column in columns])
        axes.set_xlim(-0.5, n_models - 0.5)
        plain_axes(axes)
        axes.tick_params(length=0)
        if n_models > 20:
            axes.tick_params(labelsize=SIZE - 2)
        edges = [position - 0.5 for position in range(n_models + 1)]
        axes.hlines(edges, -0.5, n_models - 0.5, color=PAPER, linewidth=1)
        axes.vlines(edges, -0.5, n_models - 0.5, color=PAPER, linewidth=1)


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationDisplay(ComparisonDisplay):
    """Correlation of the models' scores over splits.

    The higher it is, the more comparing on the same splits gains over comparing separate means.

    Attributes
    ----------
    data : DataFrame
        Models by models, in ranking order; nan where the scores of a model do not vary.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers."""
        rows = shown_models(comparison)
        return cls(comparison.correlation.iloc[rows, rows], comparison)

    @property
    def _square(self) -> Square:
        return Square(self._models, self.owns_figure_)

    def _size(self) -> tuple[float, float]:
        return self._square.size(beside=1.2)

    def _title(self) -> str:
        names = self._names
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
            f"Correlation over {self.comparison.matrix.n_splits} splits: the higher, the more is gained by comparing on the same "
            f"splits.{missing}{self._square.note}{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        values = self.data.to_numpy()
        is_printed = self._square.is_printed
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
        _colour_bar(axes, image).set_label("correlation (no unit)", fontsize=SIZE)


def _colour_bar(axes: Axes, image: AxesImage, numbers: Formatter | None = None) -> Colorbar:
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, aspect=25, pad=0.02, format=numbers)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    return bar


def pair_sentence(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "ahead": f"{first} is ahead of {second}",
        "behind": f"{second} is ahead of {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
    }.get(verdict, f"Undecided: {first} against {second}")


def verdict_counts(codes: IntArray) -> dict[str, int]:
    """Number of verdicts of each kind."""
    return {name: int(np.count_nonzero(codes == code)) for code, name in enumerate(VERDICTS) if name}


def counted_verdicts(counts: Mapping[str, int], what: str) -> str:
    """Sentence part on the number of each verdict: "of 3 models, 1 is worse and 2 are undecided", "all 3 models are worse"."""
    order = ("better", "ahead", "equivalent", "behind", "worse", "undecided")
    return counted([(counts[name], f"is {name}", f"are {name}") for name in order], what)


def counted(parts: Sequence[tuple[int, str, str]], what: str) -> str:
    """Counts with their singular and plural; what does not occur is left out."""
    total = sum(n for n, _, _ in parts)
    texts = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n]
    if len(texts) == 1:
        return f"{'both' if total == 2 else f'all {total}'} {what} {texts[0].partition(' ')[2]}"
    return f"of {total} {what}, {', '.join(texts[:-1])} and {texts[-1]}"


@dataclass(frozen=True, slots=True, eq=False)
class VerdictsDisplay(ComparisonDisplay):
    """Matrix of verdicts, the model of the row against the model of the column.

    Attributes
    ----------
    data : DataFrame
        row, column, difference (positive favours the row, in the metric's unit), adjusted_pvalue, verdict: "better", "ahead",
        "equivalent", "undecided", "behind", "worse", or "not asked" for a pair that is not in the family. Both orientations of
        each pair.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers."""
        import pandas as pd

        table, n_models = comparison.pair_table, len(comparison.models)
        verdict = np.zeros((n_models, n_models), dtype=np.int8)
        difference, pvalue = np.full(verdict.shape, np.nan), np.full(verdict.shape, np.nan)
        first, second = table.first, table.second
        verdict[first, second], verdict[second, first] = table.verdict, MIRRORED[table.verdict]
        difference[first, second], difference[second, first] = table.difference, 0.0 - table.difference
        pvalue[first, second] = pvalue[second, first] = table.adjusted_pvalue
        rows = shown_models(comparison)
        names = pd.Index([comparison.models[row] for row in rows])
        row, column = np.nonzero(~np.eye(rows.size, dtype=bool))
        cells = (rows[row], rows[column])
        data = pd.DataFrame(
            {
                "row": pd.Categorical.from_codes(row, names),
                "column": pd.Categorical.from_codes(column, names),
                "difference": difference[cells],
                "adjusted_pvalue": pvalue[cells],
                "verdict": pd.Categorical.from_codes(verdict[cells], pd.Index([NOT_ASKED, *VERDICTS[1:]])),
            }
        )
        return cls(data, comparison)

    @property
    def _square(self) -> Square:
        return Square(self._models, self.owns_figure_)

    def _size(self) -> tuple[float, float]:
        return self._square.size(beside=0.0 if self._square.has_words else 1.2)

    def _title(self) -> str:
        counts, names = verdict_counts(self.comparison.pair_table.verdict), self._names
        if sum(counts.values()) == 1:
            return pair_sentence(names[0], names[1], str(self.data["verdict"].iloc[0]))
        baseline = self.comparison.settings.baseline
        against = "" if baseline is None else f" with the baseline {names[self._models.index(baseline)]}"
        won = counts["better"] + counts["worse"]
        parts = [(won, "has a winner", "have a winner"), (counts["equivalent"], "is equivalent", "are equivalent")]
        seen = counts["ahead"] + counts["behind"]
        parts += [(seen, "has a model ahead", "have a model ahead")]
        parts += [(counts["undecided"], "is undecided", "are undecided")]
        words = counted(parts, f"pairs{against}")
        return words[0].upper() + words[1:]

    def _note(self) -> str:
        rope = f"rope ±{self.comparison.rope:.4g}" if self.comparison.rope else "no rope, so none is equivalent"
        numbers = f" Number: difference in {self._metric}, {self._favours('the row')}."
        alpha = f"alpha {self.comparison.settings.alpha:g}, {self._adjusted}"
        cells = numbers if self._square.has_words else self._square.note
        return f"Each cell: the model of the row against that of the column; {rope}; {alpha}.{cells}{self._remark}"

    def _draw(self, axes: Axes) -> None:
        from matplotlib.colors import to_rgb

        n_models = len(self._models)
        row, column = self.data["row"].cat.codes.to_numpy(), self.data["column"].cat.codes.to_numpy()
        verdict = self.data["verdict"].to_numpy(dtype=object)
        tints = np.full((n_models, n_models, 3), to_rgb("#d0d0d0"))
        for name, mark in MARKS.items():
            cells = verdict == name
            tints[row[cells], column[cells]] = to_rgb(mark.tint)
        axes.imshow(tints, aspect="auto")
        self._square.label(axes)
        if self._square.has_words:
            self._write_cells(axes, row, column, verdict)
        else:
            self._mark_cells(axes, row, column, verdict)

    def _write_cells(self, axes: Axes, row: np.ndarray, column: np.ndarray, verdict: np.ndarray) -> None:
        """Symbol, word and difference in each cell."""
        decimals = table_decimals(self.comparison)
        for x, y, name, difference in zip(column, row, verdict, self.data["difference"], strict=True):
            if name == NOT_ASKED:
                axes.text(x, y, name, ha="center", va="center", fontsize=SMALL, color=QUIET)
                continue
            word = f"{MARKS[name].symbol} {name}"
            axes.text(x, y - 0.17, word, ha="center", va="center", fontsize=SIZE, fontweight="bold", color=INK)
            number = minus(format_score(float(difference), decimals, signed=True))
            axes.text(x, y + 0.2, number, ha="center", va="center", fontsize=SIZE, color=INK)

    def _mark_cells(self, axes: Axes, row: np.ndarray, column: np.ndarray, verdict: np.ndarray) -> None:
        """A mark in each cell, and what the marks mean beside the square."""
        from matplotlib.lines import Line2D

        area = (30 * min(self._square.cell)) ** 2
        handles = []
        for name, mark in MARKS.items():
            cells = verdict == name
            if not cells.any():
                continue
            # most cells may be undecided, and are to recede
            recedes = name in ("undecided", NOT_ASKED)
            face, edge, size = (PAPER, "#b5b5b5", 0.5 * area) if recedes else (mark.colour, mark.colour, area)
            if name != NOT_ASKED:
                axes.scatter(column[cells], row[cells], marker=mark.marker, s=size, color=face, edgecolors=edge, linewidths=0.8)
            handles.append(Line2D([], [], linestyle="", marker=mark.marker, color=face, markeredgecolor=edge, label=name))
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=SIZE, borderaxespad=0.2)


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
        printed = "Cells: predictions" if self._square.is_printed else "Cells"
        shares = f"{', and their' if self._square.has_words else '; colours:'} share of {_SHARES[self.by]}"
        empty = " n/a: no such examples or predictions." if np.isnan(self.share).any() else ""
        return f"{printed}{shares}. The diagonal is right.{empty}{'' if self._has_short_names else self._square.note}"

    @property
    def _has_short_names(self) -> bool:
        """True where names such as digits fit above the columns, which then need no numbers."""
        return all(len(name) <= 2 and name.isalnum() for name in self._square.models)

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
            if not square.is_printed or not (square.has_words or counts[row, column]):
                continue
            words = str(counts[row, column])
            if square.has_words:
                words += f"\n{'n/a' if np.isnan(share) else _percent(share)}"
            colour = PAPER if share > 0.6 * high else INK
            axes.text(column, row, words, ha="center", va="center", fontsize=size, color=colour)
        axes.set_ylabel("actual class", fontsize=SIZE, color=QUIET)
        axes.set_xlabel("predicted class", fontsize=SIZE, color=QUIET, labelpad=8)
        axes.xaxis.set_label_position("top")
        _colour_bar(axes, image, PercentFormatter(1.0))


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
