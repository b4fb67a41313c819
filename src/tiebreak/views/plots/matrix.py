"""Squares of cells: verdicts of models against models, and confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np

from tiebreak.comparison.family import MIRRORED
from tiebreak.metrics.confusion import ConfusionMatrix, Share
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.comparison import table_decimals
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.display import ComparisonDisplay, Display, Look, Plots, TopLook, of_all, shown_models
from tiebreak.views.plots.style import (
    MARKS,
    NOT_ASKED,
    OWN_ROOM,
    SIZE,
    SMALL,
    Copies,
    Room,
    background,
    band,
    foreground,
    literal,
    make_room,
    minus,
    model_axis,
    muted,
    n_columns_of,
    panel_names,
    panels,
    plain_axes,
    room_of,
    short,
    short_labels,
    tint,
    widest,
    wrap,
)
from tiebreak.views.words import format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    room : Room
        Of the axes; in a figure of our own, which is as large as `size` asks for, cells have room for words.
    copies : sequence of sequences of str
        Names of the models that share the row and column of each.
    """

    models: Sequence[str]
    room: Room
    copies: Copies = ()

    @property
    def has_words(self) -> bool:
        """True where a cell has room for words."""
        return self.room is OWN_ROOM and len(self.models) <= WORDS_UP_TO

    @property
    def is_printed(self) -> bool:
        """True where a cell has room for a number."""
        n_models = max(len(self.models), 1)
        if self.room is OWN_ROOM:
            return n_models <= PRINTED_UP_TO
        return self.room.width / n_models >= 0.42 and self.room.height / n_models >= 0.17

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
        labels = widest(short_labels(self.models, copies=self.copies))
        return max(6.5, n_models * width + labels + beside + 0.8), n_models * height + 1.9

    def label(self, axes: Axes) -> None:
        """Write the labels, and draw lines between the cells."""
        n_models = len(self.models)
        plain_axes(axes)
        if self.room is not OWN_ROOM:
            make_room(axes, top=0.15, bottom=0.15)
        numbers = () if self.has_words else range(1, len(self.models) + 1)
        size = model_axis(axes, self.models, room=self.room, numbers=numbers, copies=self.copies)
        if n_models > 20:
            size = min(size, SIZE - 2)
            axes.tick_params(axis="y", labelsize=size)
        columns = [str(number) for number in range(1, n_models + 1)]
        if self.has_words:
            columns = [wrap(name, self.cell[0] - 0.1, SIZE) for name in short_labels(self.models, copies=self.copies)]
        axes.xaxis.tick_top()
        axes.set_xticks(range(n_models), labels=[literal(column) for column in columns])
        axes.set_xlim(-0.5, n_models - 0.5)
        axes.tick_params(axis="x", length=0, labelsize=size, labelcolor=foreground() if self.has_words else muted())
        edges = [position - 0.5 for position in range(n_models + 1)]
        axes.hlines(edges, -0.5, n_models - 0.5, color=background(), linewidth=1)
        axes.vlines(edges, -0.5, n_models - 0.5, color=background(), linewidth=1)


def _text_on(image: AxesImage, value: float) -> str:
    """Black or white, whichever is easier to read on the colour of a value."""
    red, green, blue, _ = image.cmap(float(np.asarray(image.norm(np.asarray(value)))))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def _colour_bar(axes: Axes, image: AxesImage, label: str, numbers: Formatter | None = None) -> None:
    has_engine = axes.figure.get_layout_engine() is not None
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, aspect=25, pad=0.02, format=numbers, use_gridspec=has_engine)
    bar.ax.tick_params(labelsize=SMALL, color=muted(), labelcolor=foreground())
    bar.outline.set_visible(False)
    bar.set_label(literal(label), fontsize=SMALL, color=foreground())


def verdict_title(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence; of a pair outside the family only its names."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "ahead": f"{first} is ahead of {second}",
        "behind": f"{second} is ahead of {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
        "undecided": f"Undecided: {first} against {second}",
    }.get(verdict, f"{first} against {second}")


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
    if total == 1:
        return f"the only one of the {what} {texts[0].partition(' ')[2]}"
    if len(texts) == 1:
        return f"{'both' if total == 2 else f'all {total}'} {what} {texts[0].partition(' ')[2]}"
    return f"of {total} {what}, {', '.join(texts[:-1])} and {texts[-1]}"


def pairs_title(comparison: Comparison, models: Sequence[str]) -> str:
    """Number of pairs of each verdict as a title, of one pair its verdict; `models` are those that are drawn."""
    counts, names = verdict_counts(comparison.pair_table.verdict), short_labels(models)
    if sum(counts.values()) == 1:
        return verdict_title(names[0], names[1], comparison.pair(*comparison.models).verdict)
    baseline = comparison.settings.baseline
    against = "" if baseline is None else f" with the baseline {names[models.index(baseline)]}"
    won = counts["better"] + counts["worse"]
    parts = [(won, "has a winner", "have a winner"), (counts["equivalent"], "is equivalent", "are equivalent")]
    parts += [(counts["ahead"] + counts["behind"], "has a model ahead", "have a model ahead")]
    parts += [(counts["undecided"], "is undecided", "are undecided")]
    words = counted(parts, f"pairs{against}")
    return words[0].upper() + words[1:]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VerdictsDisplay(ComparisonDisplay):
    """Matrix of differences and verdicts, the model of the row against the model of the column.

    Attributes
    ----------
    data : DataFrame
        row, column, difference (positive favours the row, in the metric's unit), adjusted_pvalue, verdict, which is "not asked"
        for a pair that is not in the family. Both orientations of each pair.
    """

    row_height: ClassVar[float] = 0.12

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        table, n_models = comparison.pair_table, len(comparison.models)
        verdict = np.zeros((n_models, n_models), dtype=np.int8)
        difference, pvalue = np.full(verdict.shape, np.nan), np.full(verdict.shape, np.nan)
        first, second = table.first, table.second
        verdict[first, second], verdict[second, first] = table.verdict, MIRRORED[table.verdict]
        difference[first, second], difference[second, first] = table.difference, 0.0 - table.difference
        pvalue[first, second] = pvalue[second, first] = table.adjusted_pvalue
        rows = shown_models(comparison, top)
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
        return cls(data, comparison, top)

    def _square(self, room: Room = OWN_ROOM) -> Square:
        return Square(self._models, room, self._copies)

    def _size(self) -> tuple[float, float]:
        width, height = self._square().size(beside=1.2)
        return width, height + (0.0 if self._square().has_words else 0.25)

    def _title(self) -> str:
        return pairs_title(self.comparison, self._models)

    def _note(self) -> str:
        rope = f"rope ±{self.comparison.rope:.4g}" if self.comparison.rope else "no rope, so none is equivalent"
        alpha = f"{interval_name(self.comparison)}s ({self._adjusted})"
        return (
            f"Each cell: the model of the row against that of the column. Colour: difference in {self._metric}, "
            f"{self._favours('the row')}. A mark stands where something is shown; {rope}; {alpha}.{self._square().note}"
            f"{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        n_models = len(self._models)
        row, column = self.data["row"].cat.codes.to_numpy(), self.data["column"].cat.codes.to_numpy()
        difference = np.full((n_models, n_models), np.nan)
        difference[row, column] = self.data["difference"]
        largest = max(float(np.nanmax(np.abs(difference), initial=0.0)), 2 * self.comparison.rope) or 1.0
        ends = (tint(MARKS[name].colour, 0.75) for name in ("worse", "better"))
        low, high = ends
        colours = LinearSegmentedColormap.from_list("difference", [low, background(), high])
        image = axes.imshow(np.ma.masked_invalid(difference), cmap=colours, vmin=-largest, vmax=largest, aspect="auto")
        square = self._square(self._room(axes))
        square.label(axes)
        axes.scatter(range(n_models), range(n_models), marker="s", s=(40 * min(square.cell)) ** 2, color=band(), linewidths=0)
        verdict = self.data["verdict"].to_numpy(dtype=object)
        if square.has_words:
            self._write_cells(axes, row, column, verdict)
        else:
            self._mark_cells(axes, row, column, verdict, square)
        _colour_bar(axes, image, f"difference in {self._metric}")

    def _write_cells(self, axes: Axes, row: np.ndarray, column: np.ndarray, verdict: np.ndarray) -> None:
        """Symbol, word and difference in each cell."""
        decimals = table_decimals(self.comparison)
        for x, y, name, difference in zip(column, row, verdict, self.data["difference"], strict=True):
            if name == NOT_ASKED:
                axes.text(x, y, name, ha="center", va="center", fontsize=SMALL, color=muted())
                continue
            word = f"{MARKS[name].symbol} {name}"
            axes.text(x, y - 0.17, word, ha="center", va="center", fontsize=SIZE, fontweight="bold", color=foreground())
            number = minus(format_score(float(difference), decimals, signed=True))
            axes.text(x, y + 0.2, number, ha="center", va="center", fontsize=SIZE, color=foreground())

    def _mark_cells(self, axes: Axes, row: np.ndarray, column: np.ndarray, verdict: np.ndarray, square: Square) -> None:
        """A mark in each cell where something is shown, and what the marks mean below the square."""
        from matplotlib.lines import Line2D

        n_models, room = len(self._models), square.room
        cell = min(square.cell) if room is OWN_ROOM else min(room.width, room.height) / n_models
        area = min((28 * cell) ** 2, 60.0)
        handles = []
        for name, mark in MARKS.items():
            cells = verdict == name
            if not cells.any() or name in ("undecided", NOT_ASKED):
                continue
            face = foreground() if mark.is_filled else "none"
            axes.scatter(
                column[cells], row[cells], marker=mark.marker, s=area, color=face, edgecolors=foreground(), linewidths=0.8
            )
            handles.append(Line2D([], [], linestyle="", marker=mark.marker, color=face, markeredgecolor=foreground(), label=name))
        for name, words in (("undecided", "no mark: undecided"), (NOT_ASKED, "white: not asked")):
            if (verdict == name).any():
                handles.append(Line2D([], [], linestyle="", label=words))
        n_columns = max(1, min(len(handles), int((room.width if room is not OWN_ROOM else self._size()[0] - 2) / 0.95)))
        axes.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=n_columns,
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.4,
            columnspacing=1.0,
            handletextpad=0.3,
        )


_SHARES = {
    "actual": "the examples of the actual class (rows sum to 100%)",
    "predicted": "the predictions of the class (columns sum to 100%)",
    "all": "all examples",
}


MOST_PANELS = 9
"""Models that one figure shows side by side."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionDisplay(Display):
    """Number of examples of each class that were taken for each class, in a panel for each model.

    Attributes
    ----------
    data : DataFrame
        Counts; actual classes as index, predicted ones as columns. Of several models one below the other, with the model as
        first level of the index.
    shares : tuple of ndarray of shape (n_labels, n_labels)
        Shares as colours, of each model; nan in a class without examples, or without predictions.
    matrices : tuple of ConfusionMatrix
    by : {"actual", "predicted", "all"}
    models : tuple of str
        "" for a matrix from arrays.
    n_models : int
        Models that there are, drawn or not.
    """

    panel_size: ClassVar[tuple[float, float]] = (2.0, 1.5)

    shares: tuple[FloatArray, ...]
    matrices: tuple[ConfusionMatrix, ...] = field(repr=False)
    by: Share
    models: tuple[str, ...]
    n_models: int

    @classmethod
    def from_matrices(
        cls,
        matrices: ConfusionMatrix | Mapping[str, ConfusionMatrix] | Confusions,
        model: str | None = None,
        by: Share = "actual",
        top: int | None = None,
    ) -> Self:
        """Collect the numbers of one matrix, or of those of several models."""
        import pandas as pd

        if isinstance(matrices, ConfusionMatrix):
            return cls(matrices.to_frame(), (matrices.normalised(by),), (matrices,), by, ("",), 1)
        names = list(matrices) if model is None else [model]
        drawn = names[: min(top or MOST_PANELS, MOST_PANELS)]
        chosen = tuple(matrices[name] for name in drawn)
        frames = [each.to_frame() for each in chosen]
        data = frames[0] if len(frames) == 1 else pd.concat(dict(zip(drawn, frames, strict=True)), names=["model"])
        return cls(data, tuple(each.normalised(by) for each in chosen), chosen, by, tuple(drawn), len(names))

    def _square(self, room: Room = OWN_ROOM) -> Square:
        return Square([str(label) for label in self.matrices[0].labels], room)

    def _columns(self, room: Room = OWN_ROOM) -> int:
        return n_columns_of(len(self.models), room, self.panel_size[0])

    @property
    def _labelled(self) -> Sequence[str]:
        return self.models

    def _size(self) -> tuple[float, float]:
        if len(self.models) == 1:
            width, height = self._square().size(beside=1.7)
            return width, height + 0.3
        side = float(np.clip(0.34 * len(self._square().models), 1.6, 2.6))
        beside = 0.2 if self._has_short_names else min(widest(short_labels(self._square().models, 16)) + 0.3, 1.3)
        return self._columns() * (side + beside + 0.6) + 0.8, -(-len(self.models) // self._columns()) * (side + 0.75) + 1.0

    def _title(self) -> str:
        n = self.matrices[0].n_examples
        if not n:
            return "No examples"
        accuracies = [each.accuracy for each in self.matrices]
        best = int(np.argmax(accuracies))
        majority = self.matrices[best].majority_rate
        beats = accuracies[best] > majority
        rest = f"always saying the most frequent class is right on {_percent(majority)}"
        if len(self.models) == 1:
            subject = f"{short(self.models[0])} is right" if self.models[0] else "Right"
        else:
            ties = sum(each == accuracies[best] for each in accuracies) - 1
            subject = f"{short_labels(self.models)[best]}{f' and {ties} more are' if ties else ' is'} right most often,"
        return f"{subject} on {_percent(accuracies[best])} of {n} predictions; {'' if beats else 'no better: '}{rest}"

    def _note(self) -> str:
        is_one, square = len(self.models) == 1, self._square()
        has_words = is_one and square.has_words
        printed = "Cells: predictions" if is_one and square.is_printed else "Numbers, where there is room: predictions"
        shares = f"{', and their' if has_words else '; colours:'} share of {_SHARES[self.by]}"
        empty = " n/a: no such examples or predictions." if any(np.isnan(share).any() for share in self.shares) else ""
        columns = "" if self._has_short_names or has_words else " Columns are numbered as the rows."
        drawn = of_all(len(self.models), self.n_models, "models; plot(model) draws another")
        sides = "" if is_one else " Rows: the actual class, columns: the predicted one."
        return f"{printed}{shares}.{sides} The diagonal is right.{empty}{columns}{drawn}"

    @property
    def _has_short_names(self) -> bool:
        """True where names such as digits fit above the columns, which then need no numbers."""
        return all(len(name) <= 2 and name.isalnum() for name in self._square().models)

    def _draw(self, axes: Axes) -> None:
        from matplotlib.ticker import PercentFormatter

        largest = max(float(np.nanmax(share, initial=0.0)) for share in self.shares)
        high = max(largest, 1e-9) if self.by == "all" else 1.0
        room = self._room(axes)
        if len(self.models) == 1:
            image = self._draw_matrix(axes, self._square(room), 0, high)
            axes.set_ylabel("actual class", fontsize=SIZE, color=muted())
            axes.set_xlabel("predicted class", fontsize=SIZE, color=muted(), labelpad=8 if room is OWN_ROOM else 2)
            axes.xaxis.set_label_position("top")
            _colour_bar(axes, image, "share", PercentFormatter(1.0))
            return
        n_columns = self._columns(room)
        each = panels(axes, len(self.models), n_columns)
        names = panel_names(each[0], self.models, n_columns, own_figure=self.owns_figure_)
        for number, panel in enumerate(each):
            small = room_of(panel)._replace(left=1.2 if self.owns_figure_ else 0.2 * room.width / n_columns)
            self._draw_matrix(panel, self._square(small), number, high)
            right = f"\nright on {_percent(self.matrices[number].accuracy)}" if room is OWN_ROOM else ""
            panel.set_title(
                literal(f"{names[number]}{right}"),
                fontsize=SMALL,
                color=foreground(),
            )

    def _draw_matrix(self, axes: Axes, square: Square, number: int, high: float) -> AxesImage:
        share, counts = self.shares[number], self.matrices[number].counts
        low = tint(MARKS["better"].colour, 0.04)
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("share", [low, MARKS["better"].colour])
        image = axes.imshow(np.ma.masked_invalid(share), cmap=colours, vmin=0.0, vmax=high, aspect="auto")
        square.label(axes)
        if self._has_short_names:
            for text in list(axes.texts):  # the numbers of the rows
                text.remove()
            axes.set_xticks(range(len(square.models)), labels=square.models)
            axes.set_yticks(range(len(square.models)), labels=square.models)
        longest = len(str(int(counts.max()))) if counts.size else 1
        size = SIZE if square.has_words else SMALL - 1 if longest <= 4 else SMALL - 3
        for (row, column), value in np.ndenumerate(share):
            if not square.is_printed or not (square.has_words or counts[row, column]):
                continue
            words = str(counts[row, column])
            if square.has_words:
                words += f"\n{'n/a' if np.isnan(value) else _percent(value)}"
            colour = foreground() if np.isnan(value) else _text_on(image, value)
            axes.text(column, row, words, ha="center", va="center", fontsize=size, color=colour)
        return image


def _percent(share: float) -> str:
    """A share with one decimal; never 0% or 100% unless it is."""
    text = format_score(100 * share, 1)
    if (text == "100.0" and share < 1) or (text == "0.0" and share > 0):
        return f"{'>' if share > 0.5 else '<'}{'99.9' if share > 0.5 else '0.1'}%"
    return format_percent(float(text) / 100)


class ConfusionMatrixPlots(Plots[ConfusionMatrix]):
    """Plots of a confusion matrix."""

    __slots__ = ()

    def matrix(self, ax: Axes | None = None, *, by: Share = "actual", **look: Unpack[Look]) -> ConfusionDisplay:
        """Counts as a square; colours are shares `by` actual or predicted class, or of all."""
        return self._draw(ConfusionDisplay.from_matrices, None, by, ax=ax, look=look)

    __call__ = matrix


class ConfusionsPlots(Plots["Confusions"]):
    """Plots of the confusion matrices of several models."""

    __slots__ = ()

    def matrix(
        self, model: str | None = None, *, by: Share = "actual", ax: Axes | None = None, **look: Unpack[TopLook]
    ) -> ConfusionDisplay:
        """Matrix of one model, or a panel for each."""
        return self._draw(ConfusionDisplay.from_matrices, model, by, ax=ax, look=look)

    __call__ = matrix
