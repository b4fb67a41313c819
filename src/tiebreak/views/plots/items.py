"""Item by item: the outcomes of two models on the same items, the items on which they differ, and how often models agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from tiebreak.errors import NotOfferedError
from tiebreak.numerics import FloatArray
from tiebreak.scores.vocabulary import look_up
from tiebreak.views.pair import level_words
from tiebreak.views.plots.display import ComparisonDisplay, Display, Plots, TopLook, better_is, default_pair, of_all, shown_models
from tiebreak.views.plots.matrix import WORDS_UP_TO, CorrelationDisplay, counted_verdicts, verdict_title
from tiebreak.views.plots.style import (
    MARKS,
    NOT_ASKED,
    SIZE,
    SMALL,
    background,
    band,
    faded,
    fitted,
    fitted_labels,
    foreground,
    literal,
    minus,
    muted,
    plain_axes,
    room_of,
    row_axes,
    rows_width,
    short,
    short_labels,
    tint,
    widest,
    x_label,
)
from tiebreak.views.words import count, format_percent, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.comparison.slices import Slices
    from tiebreak.scores.items import Items

MOST_ROWS = 24
"""Items on which two models differ that one figure can name."""

MOST_SLICES = 50
"""Slices that one figure can show."""

SIDE = 4.0
"""Inches of the square of outcomes."""

_OUTCOMES = ("both", "only first", "only second", "neither")


def items_of(comparison: Comparison) -> Items:
    """The items of a comparison; raises `NotOfferedError` where it has none."""
    if comparison.items is None:
        raise NotOfferedError(
            f"this plot is of single items of one test set, and these scores are of {comparison.method.unit}s; tb.read_items "
            "reads items."
        )
    return comparison.items


def binary_items_of(comparison: Comparison) -> Items:
    """The items of a comparison, each right or wrong; raises `NotOfferedError` where they are not."""
    items = items_of(comparison)
    if not items.is_binary:
        raise NotOfferedError(
            f"this plot counts {items.unit}s that are right or wrong, and these scores ({items.metric.name}) are not all 0 or 1."
        )
    return items


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutcomesDisplay(ComparisonDisplay):
    """Mosaic of the outcomes of two models on the same items: both right, only one of them, neither. Areas are shares.

    The square is split upright by what the first model has right, and each part across by what the second has. Only the items
    that one has right and the other wrong tell the two apart.

    Attributes
    ----------
    data : DataFrame
        outcome ("both", "only first", "only second", "neither"), n (answers of both models in the same run) and share.
    pair : PairComparison
    """

    folds_copies: ClassVar[bool] = False

    pair: PairComparison

    @classmethod
    def from_comparison(cls, comparison: Comparison, first: str, second: str) -> Self:
        """Collect the numbers.

        Raises
        ------
        NotOfferedError
            Scores that are not of items, or not all 0 or 1.
        """
        import pandas as pd

        items, pair = binary_items_of(comparison), comparison.pair(first, second)
        right = items.score if items.metric.higher_is_better else 1.0 - items.score
        one, other = (right[look_up(name, items.models, "model")] for name in (first, second))
        there = ~np.isnan(one) & ~np.isnan(other)
        n = [int(np.count_nonzero(there & (one == a) & (other == b))) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        data = pd.DataFrame({"outcome": _OUTCOMES, "n": n, "share": np.array(n) / max(sum(n), 1)})
        return cls(data, comparison, None, pair)

    @property
    def _models(self) -> list[str]:
        return [self.pair.first, self.pair.second]

    def _legend(self) -> list[str]:
        first, second = self._names
        words = ("both right", f"only {first} right", f"only {second} right", "neither right")
        return [
            f"{what}: {n} ({100 * share:.1f}%)" for what, n, share in zip(words, self.data["n"], self.data["share"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        return SIDE + 1.6 + widest(self._legend()), SIDE + 1.5

    def _title(self) -> str:
        first, second = self._names
        _, one, other, _ = self.data["n"]
        sentence = verdict_title(first, second, self.pair.verdict)
        right = f"only {first} is right on {count(int(one), self._unit)}, only {second} on {other}"
        return f"{sentence}; {right}"

    def _note(self) -> str:
        items = binary_items_of(self.comparison)
        runs = f", {len(items.runs)} runs of each" if len(items.runs) > 1 else ""
        return (
            f"Areas: shares of {self._units}{runs}. Left: {self._names[0]} is right; below: {self._names[1]} is. Only the two "
            f"hatched parts tell the models apart; {self._rests_on(self.pair)}."
        )

    def _draw(self, axes: Axes) -> None:
        both, one, other, _ = self.data["share"]
        right = both + one
        within = both / right if right else 0.0, other / (1 - right) if right < 1 else 0.0
        parts = [
            (0.0, 0.0, right, within[0]),
            (0.0, within[0], right, 1 - within[0]),
            (right, 0.0, 1 - right, within[1]),
            (right, within[1], 1 - right, 1 - within[1]),
        ]
        handles = []
        for (x, y, width, height), (face, hatch) in zip(parts, _faces(), strict=True):
            part = axes.bar(
                x, height, width, bottom=y, align="edge", color=face, edgecolor=background(), linewidth=1.5, hatch=hatch
            )
            handles.append(part)
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        if self.owns_figure_:
            axes.set_box_aspect(1)
            axes.set_anchor("W")
        self._label(axes)
        self._write_legend(axes, handles)

    def _label(self, axes: Axes) -> None:
        from matplotlib.ticker import PercentFormatter

        plain_axes(axes, "left", "bottom")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0))
            axis.set_ticks([0.0, 0.25, 0.5, 0.75, 1.0])
        first, second = self._names
        x_label(axes, f"share of {self._unit}s that {first} has right; the rest it has wrong", room=self._room(axes))
        room = room_of(axes)
        beside = fitted(f"share that {second} has right", 0.95 * min(room.height, SIDE), SIZE)
        axes.set_ylabel(literal(beside), fontsize=SIZE, color=foreground())

    def _write_legend(self, axes: Axes, handles: list[Any]) -> None:
        labels = [literal(label) for label in self._legend()]
        if self.owns_figure_:
            axes.legend(
                handles,
                labels,
                loc="upper left",
                bbox_to_anchor=(1.02, 1.0),
                frameon=False,
                fontsize=SIZE,
                borderaxespad=0.0,
                labelspacing=0.9,
            )
            return
        room = room_of(axes)
        first, second = fitted_labels(self._models, 0.35 * room.width, SMALL)
        words = ("both", f"only {first}", f"only {second}", "neither")
        labels = [literal(f"{what}: {n}") for what, n in zip(words, self.data["n"], strict=True)]
        if room.height > 1.0:
            axes.legend(handles, labels, loc="lower left", fontsize=SMALL, framealpha=0.85)


def _faces() -> tuple[tuple[str, str], ...]:
    """Colour and hatch of each outcome: those that tell the models apart stand out."""
    better, worse = MARKS["better"], MARKS["worse"]
    return (
        (band(), ""),
        (tint(better.colour, 0.6), better.hatch),
        (tint(worse.colour, 0.6), worse.hatch),
        (tint(foreground(), 0.45), ""),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DisagreementsDisplay(ComparisonDisplay):
    """Items that one model gets and the other does not, by name: those with the largest differences either way.

    Attributes
    ----------
    data : DataFrame
        item, first and second (score of each model, the mean over runs) and difference (positive favours the first), the largest
        first; the drawn ones.
    pair : PairComparison
    n_better, n_worse : int
        Items on which the first model is better, and worse; all of them.
    """

    folds_copies: ClassVar[bool] = False

    row_height: ClassVar[float] = 0.15

    pair: PairComparison
    n_better: int
    n_worse: int

    @classmethod
    def from_comparison(cls, comparison: Comparison, first: str, second: str, top: int | None = None) -> Self:
        """Collect the numbers.

        Raises
        ------
        NotOfferedError
            Scores that are not of items.
        """
        items, pair = items_of(comparison), comparison.pair(first, second)
        found = items.disagreements(first, second)
        difference = found["difference"]
        most = top or MOST_ROWS
        ahead, behind = found[difference > 0], found[difference < 0]
        n_ahead = min(len(ahead), max((most + 1) // 2, most - len(behind)))
        data = found.loc[[*ahead.index[:n_ahead], *behind.index[: most - n_ahead][::-1]], ["item", first, second, "difference"]]
        data.columns = ["item", "first", "second", "difference"]
        return cls(data.reset_index(drop=True), comparison, top, pair, len(ahead), len(behind))

    @property
    def _models(self) -> list[str]:
        return [self.pair.first, self.pair.second]

    def _row_notes(self) -> list[str]:
        return [f"{_score(one)} : {_score(other)}" for one, other in zip(self.data["first"], self.data["second"], strict=True)]

    def _size(self) -> tuple[float, float]:
        return max(7.0, rows_width(self.data["item"].tolist(), self._row_notes())), 1.9 + 0.24 * max(len(self.data), 2)

    def _title(self) -> str:
        first, second = self._names
        if not self.n_better + self.n_worse:
            return f"{first} and {second} have the same score on every {self._unit}"
        return f"{first} is better on {count(self.n_better, self._unit)}, {second} on {self.n_worse}"

    def _note(self) -> str:
        first, second = self._names
        n, n_items = self.n_better + self.n_worse, len(items_of(self.comparison).items)
        few = of_all(len(self.data), n, f"such {self._unit}s, the largest differences either way")
        return (
            f"The models differ on {n} of {count(n_items, self._unit)}. To the right {first} is better, to the left {second}; on "
            f"the right the scores of both. items.disagreements() lists all.{few}"
        )

    def _draw(self, axes: Axes) -> None:
        rows, difference = np.arange(len(self.data)), self.data["difference"].to_numpy(dtype=float)
        for name, chosen in (("better", difference > 0), ("worse", difference < 0)):
            mark = MARKS[name]
            axes.barh(
                rows[chosen],
                difference[chosen],
                height=0.62,
                color=mark.tint,
                edgecolor=mark.colour,
                hatch=mark.hatch,
                linewidth=0.6,
                zorder=2,
            )
        axes.axvline(0.0, color=muted(), linewidth=0.8, zorder=3)
        largest = float(np.abs(difference).max(initial=0.0)) or 1.0
        axes.set_xlim(-1.08 * largest, 1.08 * largest)
        x_lines = f"difference in {self._metric}", self._favours(self._names[0])
        row_axes(axes, self.data["item"].tolist(), self._row_notes(), *x_lines, room=self._room(axes))


def _score(value: float) -> str:
    """A score without decimals that say nothing."""
    return minus(f"{value:.0f}" if float(value).is_integer() else format_score(float(value), 3))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementDisplay(CorrelationDisplay):
    """Share of the items on which two models have the same outcome, both right or both wrong.

    Attributes
    ----------
    data : DataFrame
        Models by models, in ranking order: shares from 0 to 1, over the answers that both have; nan where they share none. The
        diagonal, which is 1 by definition, is not drawn.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers.

        Raises
        ------
        NotOfferedError
            Scores that are not of items, or not all 0 or 1.
        """
        import pandas as pd

        items, rows = binary_items_of(comparison), shown_models(comparison, top)
        names = pd.Index([comparison.models[row] for row in rows])
        score = items.take(list(names)).score.reshape(rows.size, -1)
        return cls(pd.DataFrame(_agreement(score), index=names, columns=names), comparison, top)

    def _title(self) -> str:
        names, values = self._names, self.data.to_numpy()
        first, second = np.triu_indices(len(names), 1)
        value = values[first, second]
        known = np.flatnonzero(~np.isnan(value))
        if not known.size:
            return f"No two models share {self._unit}s"
        low, high = (known[pick(value[known])] for pick in (np.argmin, np.argmax))
        if known.size == 1:
            return f"{names[0]} and {names[1]} agree on {_percent(value[low])} of the {self._unit}s"
        if len(names) > WORDS_UP_TO:
            return f"Two of {len(names)} models agree on {_percent(value[low])} to {_percent(value[high])} of the {self._unit}s"
        least, most = (f"{_percent(value[at])} ({names[first[at]]} and {names[second[at]]})" for at in (low, high))
        return f"Models agree on {least} to {most} of the {self._unit}s"

    def _note(self) -> str:
        return (
            f"Share of {self._units} on which both models are right or both wrong. Two good models agree often by chance alone: "
            f"what tells them apart is where they do not. Colours span what there is.{self._square().note}{self._remark}"
        )

    @property
    def _quantity(self) -> str:
        return "share with the same outcome"


def _agreement(score: FloatArray) -> FloatArray:
    """Shares of equal outcomes of all pairs of rows of 0, 1 and nan."""
    there, right = ~np.isnan(score), np.nan_to_num(score) == 1
    wrong = there & ~right
    n = there.astype(float) @ there.T.astype(float)
    same = right.astype(float) @ right.T.astype(float) + wrong.astype(float) @ wrong.T.astype(float)
    return np.asarray(np.divide(same, n, out=np.full(n.shape, np.nan), where=n > 0))


def _percent(share: float) -> str:
    return format_percent(round(float(share), 3))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlicesDisplay(Display):
    """Difference of two models on each slice of the items, with the interval that decides its verdict; all items on top.

    Attributes
    ----------
    data : DataFrame
        slice, n_items, difference (positive favours `first`, in the metric's unit), interval_low, interval_high, verdict and
        reason. The first row is of all items, at the level of the comparison; the others share the level of their own family.
    slices : Slices
    first, second : str
    n_slices : int
        Slices that there are, drawn or not.
    """

    row_height: ClassVar[float] = 0.2

    slices: Slices
    first: str
    second: str
    n_slices: int

    @classmethod
    def from_slices(cls, slices: Slices, first: str, second: str, top: int | None = None) -> Self:
        """Collect the numbers of one pair."""
        import pandas as pd

        comparison = slices.comparison
        whole = comparison.pair(first, second)
        codes = comparison.models.index(first), comparison.models.index(second)
        row = slices.tables[0].row_of(*codes)
        mirrored = row is None
        row = slices.tables[0].row_of(*codes[::-1]) if row is None else row
        if row is None:
            raise NotOfferedError(f"the slices judge every model against the baseline only, not {first!r} against {second!r}.")
        names = ["difference", "interval_low", "interval_high", "verdict", "reason"]
        rows = [("all", len(items_of(comparison).items), *(getattr(whole, name) for name in names))]
        for name, n, table in list(zip(slices.names, slices.n_items, slices.tables, strict=True))[: top or MOST_SLICES]:
            values = table.row_values(row, mirrored)
            rows.append((name, n, *(values[each] for each in names)))
        data = pd.DataFrame(rows, columns=["slice", "n_items", *names])
        return cls(data, slices, first, second, len(slices.names))

    @property
    def _names(self) -> list[str]:
        return short_labels([self.first, self.second])

    @property
    def _unit(self) -> str:
        return self.slices.comparison.method.unit

    def _labels(self) -> list[str]:
        """The first row is told from a slice of that name by its number."""
        return [f"all {self._unit}s", *short_labels(self.data["slice"].tolist()[1:])]

    def _row_notes(self) -> list[str]:
        counts = [f"{n:,}" for n in self.data["n_items"]]
        words = [f"{MARKS[name].symbol} {name}" if name else "" for name in self.data["verdict"]]
        return [f"{n}  {word}" for n, word in zip(counts, words, strict=True)]

    def _size(self) -> tuple[float, float]:
        return rows_width(self._labels(), self._row_notes()), 1.9 + 0.3 * max(len(self.data), 2)

    def _title(self) -> str:
        first, second = self._names
        whole, parts = self.data["verdict"].iloc[0], self.data["verdict"].iloc[1:]
        counts = {name: int((parts == name).sum()) for name in MARKS}
        sentence = verdict_title(first, second, whole)
        return f"{sentence}; {counted_verdicts(counts, f'slices by {short(self.slices.by)}')}"

    def _note(self) -> str:
        comparison = self.slices.comparison
        rope = f" Grey band: the rope, ±{comparison.rope:.4g}." if comparison.rope else ""
        level = level_words(self.slices.interval_alpha)
        few = of_all(len(self.data) - 1, self.n_slices, "slices")
        return (
            f"Lines: {level} intervals of the difference on each slice ({self.slices.correction} over all slices and pairs); of "
            f"all {self._unit}s at their own level. Right: number of {self._unit}s, verdict. A small slice is mostly undecided, "
            f"not shown to be the same.{rope}{few}"
        )

    def _draw(self, axes: Axes) -> None:
        comparison = self.slices.comparison
        if comparison.rope:
            axes.axvspan(-comparison.rope, comparison.rope, color=band(), linewidth=0, zorder=0)
        axes.axvline(0.0, color=muted(), linewidth=0.8, zorder=1)
        columns = (self.data[name] for name in ("interval_low", "difference", "interval_high", "verdict"))
        for row, (low, difference, high, verdict) in enumerate(zip(*columns, strict=True)):
            mark, width, area = MARKS[verdict or NOT_ASKED], *((1.6, 38) if row else (2.4, 56))
            if np.isfinite([low, high]).all():
                axes.plot([low, high], [row, row], color=mark.colour, linewidth=width, solid_capstyle="butt", zorder=3)
            axes.scatter(difference, row, marker=mark.marker, s=area, color=mark.face, edgecolors=mark.colour, zorder=4)
        axes.axhline(0.5, color=faded(), linewidth=0.6)
        metric = short(comparison.metric.name)
        favours = f"positive favours {self._names[0]} ({better_is(comparison.metric)} {metric})"
        row_axes(axes, self._labels(), self._row_notes(), f"difference in {metric}", favours, room=self._room(axes))


class SlicesPlots(Plots["Slices"]):
    """Plots of slices."""

    __slots__ = ()

    def differences(
        self, a: str | None = None, b: str | None = None, ax: Axes | None = None, **look: Unpack[TopLook]
    ) -> SlicesDisplay:
        """Difference of two models on each slice, with its interval; positive favours `a`.

        Parameters
        ----------
        a, b : str, optional
            Names. What is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.
        """
        return self._draw(SlicesDisplay.from_slices, *default_pair(self.result.comparison, a, b), ax=ax, look=look)

    __call__ = differences
