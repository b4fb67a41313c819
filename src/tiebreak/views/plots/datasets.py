"""Scores by dataset: two models on each; and of a posterior the chances of each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from tiebreak.errors import NotOfferedError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.comparison import folded_copies
from tiebreak.views.plots.display import ComparisonDisplay, better_is, of_all, shown_models
from tiebreak.views.plots.matrix import counted, verdict_title
from tiebreak.views.plots.style import (
    MARKS,
    SIZE,
    SMALL,
    background,
    band,
    fitted,
    fitted_labels,
    foreground,
    literal,
    minus,
    muted,
    number_axis,
    plain_axes,
    room_of,
    row_axes,
    rows_width,
    short_labels,
    text_width,
    tint,
    widest,
    x_label,
)
from tiebreak.views.words import count, decimals_for, format_chance, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison

ROWS_UP_TO = 15
"""Datasets up to which each has a row with its name; of more each is a dot in a square."""

MOST_ROWS = 60
"""Models that one figure can show as rows."""

NAMED_DOTS = 3
"""Datasets that are named in a square, of those with the largest differences."""

TRIED_DOTS = 10
"""Datasets whose names are tried, the largest differences first, until so many have room."""

SIDE = 4.4
"""Inches of a square."""

_OUTCOMES = {"won": "better", "tied": "equivalent", "lost": "worse"}
"""Outcomes on one dataset, which are no verdicts, with the verdict whose mark and colour they have."""


def unit_names(comparison: Comparison) -> list[str]:
    """Names of the datasets, or keys of the splits, in the order of the columns of its matrix."""
    matrix = comparison.matrix
    if matrix.columns:
        return list(matrix.columns)
    return [f"repeat {repeat}, fold {fold}" for repeat, fold in zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=True)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedDisplay(ComparisonDisplay):
    """Scores of two models on each dataset: a row for each of a few, a square with a diagonal for many.

    Attributes
    ----------
    data : DataFrame
        dataset, first and second (scores, in the metric's unit), difference (positive favours the first) and outcome: "won"
        where it is above the rope, "lost" below, else "tied"; datasets that both have, the largest difference first.
    pair : PairComparison
    """

    folds_copies: ClassVar[bool] = False

    row_height: ClassVar[float] = 0.17

    pair: PairComparison

    @classmethod
    def from_comparison(cls, comparison: Comparison, first: str, second: str, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        pair, score = comparison.pair(first, second), comparison.matrix.score
        one, other = (score[comparison.models.index(name)] for name in (first, second))
        difference = comparison.metric.sign * (one - other)
        limit = comparison.rope + RELATIVE_TOLERANCE * np.fmax(np.abs(one), np.abs(other))
        outcome = np.where(difference > limit, "won", np.where(difference < -limit, "lost", "tied"))
        data = pd.DataFrame(
            {"dataset": unit_names(comparison), "first": one, "second": other, "difference": difference, "outcome": outcome}
        )
        data = data[~np.isnan(difference)].sort_values("difference", ascending=False, kind="stable")
        return cls(data.reset_index(drop=True), comparison, top, pair)

    @property
    def _models(self) -> list[str]:
        return [self.pair.first, self.pair.second]

    @property
    def _is_rows(self) -> bool:
        return len(self.data) <= min(ROWS_UP_TO, self.top or ROWS_UP_TO)

    def _counts(self) -> dict[str, int]:
        return {name: int((self.data["outcome"] == name).sum()) for name in _OUTCOMES}

    def _row_notes(self) -> list[str]:
        decimals = decimals_for(self.pair.resolution)
        differences = zip(self.data["difference"], self.data["outcome"], strict=True)
        return [
            f"{MARKS[_OUTCOMES[name]].symbol} {minus(format_score(float(d), decimals, signed=True))}" for d, name in differences
        ]

    def _size(self) -> tuple[float, float]:
        if self._is_rows:
            width = rows_width(self.data["dataset"].tolist(), self._row_notes())
            return max(7.0, width), 1.9 + 0.3 * max(len(self.data), 2)
        return SIDE + 1.6, SIDE + 1.7

    def _title(self) -> str:
        first, second = self._names
        n = self._counts()
        sentence = verdict_title(first, second, self.pair.verdict)
        most = f"{first} wins {n['won']} of {count(len(self.data), self._unit)}, loses {n['lost']}"
        return f"{sentence}; {most}"

    def _note(self) -> str:
        rope = self.comparison.rope
        ties = f"Scores within the rope of ±{rope:.4g} count" if rope else "Scores that differ by rounding noise only count"
        what = "Filled: " if self._is_rows else "Each dot is one " + self._unit + ". "
        names = self._names
        if self._is_rows:
            what = f"Filled: {names[0]}, hollow: {names[1]}; a row for each {self._unit}, on the right the difference. "
        elif self.comparison.rope:
            what += "Grey: the rope about the diagonal. "
        left_out = self.comparison.matrix.n_splits - len(self.data)
        missing = f" Without {count(left_out, self._unit)} that one of the two lacks." if left_out else ""
        rests = f"{self._rests_on(self.pair)}{', not on the counts' if self.pair.is_in_family else ''}"
        return f"{what}{ties} as equal. Colours say which wins there; {rests}.{missing}"

    def _draw(self, axes: Axes) -> None:
        if self._is_rows:
            self._draw_rows(axes)
        else:
            self._draw_square(axes)

    def _draw_rows(self, axes: Axes) -> None:
        columns = (self.data[name] for name in ("first", "second", "outcome"))
        for row, (first, second, outcome) in enumerate(zip(*columns, strict=True)):
            colour = MARKS[_OUTCOMES[outcome]].colour if outcome != "tied" else muted()
            axes.plot([first, second], [row, row], color=colour, linewidth=1.6, zorder=2)
            axes.scatter(second, row, s=34, color=background(), edgecolors=colour, linewidths=1.4, zorder=3)
            axes.scatter(first, row, s=34, color=colour, edgecolors=colour, linewidths=1.4, zorder=4)
        x_line = f"{self._metric} ({better_is(self.comparison.metric)} is better)"
        row_axes(axes, self.data["dataset"].tolist(), self._row_notes(), x_line, room=self._room(axes))

    def _draw_square(self, axes: Axes) -> None:
        x, y = self.data["second"].to_numpy(), self.data["first"].to_numpy()
        low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
        margin = 0.05 * ((high - low) or 1.0)
        ends = np.array([low - margin, high + margin])
        rope = self.comparison.rope
        if rope:
            axes.fill_between(ends, ends - rope, ends + rope, color=band(), linewidth=0, zorder=0)
        axes.plot(ends, ends, color=muted(), linewidth=0.8, zorder=1)
        strength = float(np.clip(60 / max(len(self.data), 1), 0.25, 0.8))
        for name in _OUTCOMES:
            there = (self.data["outcome"] == name).to_numpy()
            mark = MARKS[_OUTCOMES[name]]
            axes.scatter(x[there], y[there], marker=mark.marker, s=26, color=mark.colour, alpha=strength, linewidths=0, zorder=3)
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        if self.owns_figure_:
            axes.set_box_aspect(1)
        number_axis(axes)
        axes.set_yticks(axes.get_xticks())
        axes.set_ylim(*ends)
        axes.set_xlim(*ends)
        plain_axes(axes, "left", "bottom")
        room = room_of(axes)
        x_label(axes, f"{self._metric} of {self._names[1]}", room=self._room(axes))
        beside = f"{self._metric} of {self._names[0]}"
        axes.set_ylabel(literal(fitted(beside, 0.9 * min(room.height, SIDE), SIZE)), fontsize=SIZE, color=foreground())
        self._write_corners(axes)

    def _write_corners(self, axes: Axes) -> None:
        """Number of datasets on either side of the diagonal, in the two corners away from it."""
        n, width = self._counts(), 0.48 * min(room_of(axes).width, SIDE)
        names = fitted_labels(self._models, width, SMALL)
        above, below = (0, 1) if self.comparison.metric.higher_is_better else (1, 0)
        for which, x, y, across, up in ((above, 0.02, 0.98, "left", "top"), (below, 0.98, 0.02, "right", "bottom")):
            words = literal(f"{names[which]}\nwins {n[('won', 'lost')[which]]}")
            axes.text(
                x, y, words, transform=axes.transAxes, ha=across, va=up, fontsize=SMALL, color=foreground(), multialignment=across
            )
        if self.owns_figure_:
            self._name_dots(
                axes, 1.1 * widest([line for text in axes.texts for line in text.get_text().split("\n")], SMALL) + 0.15
            )

    def _name_dots(self, axes: Axes, corner: float) -> None:
        """Names of the datasets with the largest differences, beside their dots, where no text, no dot and no diagonal is."""
        low, high = axes.get_xlim()
        taken = [(0.0, corner, SIDE - 0.45, SIDE), (SIDE - corner, SIDE, 0.0, 0.45)]  # left, right, bottom, top in inches
        scale = SIDE / (high - low)
        extreme = self.data.reindex(self.data["difference"].abs().sort_values(ascending=False, kind="stable").index)
        dots = (self.data[["second", "first"]].to_numpy() - low) * scale
        n_named = 0
        for row in extreme.head(TRIED_DOTS).to_dict("records"):
            if n_named == NAMED_DOTS:
                break
            name = short_labels([str(row["dataset"])])[0]
            x, y, width = (row["second"] - low) * scale, (row["first"] - low) * scale, text_width(name, SMALL) * 1.05
            places = [(left, left + width, y - 0.09, y + 0.09) for left in (x + 0.08, x - 0.08 - width)]
            places = [box for box in places if box[0] >= 0 and box[1] <= SIDE and not _covers(box, taken, dots)]
            if row["outcome"] == "tied" or not places:
                continue
            n_named += 1
            box = places[0]
            is_left = box[0] > x
            taken.append(box)
            axes.annotate(
                literal(name),
                xy=(row["second"], row["first"]),
                xytext=(5 if is_left else -5, 0),
                textcoords="offset points",
                ha="left" if is_left else "right",
                va="center",
                fontsize=SMALL,
                color=muted(),
            )


def _covers(box: Sequence[float], taken: Sequence[Sequence[float]], dots: FloatArray) -> bool:
    """True where a box (left, right, bottom, top) meets another one, a dot or the diagonal."""
    left, right, bottom, top = box
    meets = max(left, bottom) < min(right, top) or any(
        left <= b and a <= right and bottom <= d and c <= top for a, b, c, d in taken
    )
    x, y = dots.T
    return meets or bool(np.any((left - 0.04 < x) & (x < right + 0.04) & (bottom < y) & (y < top)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RegionsDisplay(ComparisonDisplay):
    """Probabilities that each model is worse than, equivalent to, and better than the best one, or the baseline.

    Attributes
    ----------
    data : DataFrame
        model, p_worse, p_equivalent, p_better (of the model against the reference; they add up to 1), verdict; without the
        reference itself and models whose pair has no posterior.
    """

    row_height: ClassVar[float] = 0.17

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers.

        Raises
        ------
        NotOfferedError
            The procedure gives no posterior.
        """
        import pandas as pd

        table = comparison.pair_table
        reference, rows = comparison.models.index(comparison.reference), []
        part = table.part(table.rows_with(reference))
        if part.probabilities is None:
            raise NotOfferedError(f"{comparison.method.name} gives no probabilities; plot.ranking() draws its intervals.")
        against = comparison.against_reference
        better, equivalent, worse = part.probabilities
        for place, (one, other) in enumerate(zip(part.first, part.second, strict=True)):
            model, is_first = (one, True) if other == reference else (other, False)
            wins, loses = (better, worse) if is_first else (worse, better)
            verdict = VERDICTS[against.verdict[model]]
            rows.append((int(model), float(loses[place]), float(equivalent[place]), float(wins[place]), verdict))
        lines = set(shown_models(comparison, len(comparison.models)).tolist())
        rows = [row for row in sorted(rows) if np.isfinite(row[1]) and row[0] in lines][: top or MOST_ROWS]
        data = pd.DataFrame(rows, columns=["model", "p_worse", "p_equivalent", "p_better", "verdict"])
        data["model"] = [comparison.models[row] for row in data["model"]]
        return cls(data, comparison, top)

    @property
    def _models(self) -> list[str]:
        return self.data["model"].tolist()

    @property
    def _reference(self) -> str:
        return short_labels([*self._labelled, self.comparison.reference])[-1]

    def _row_notes(self) -> list[str]:
        return [f"{MARKS[name].symbol} {name}" if name else "" for name in self.data["verdict"]]

    def _size(self) -> tuple[float, float]:
        return rows_width(self._models, self._row_notes(), copies=self._copies), 2.0 + 0.34 * max(len(self.data), 2)

    def _title(self) -> str:
        if len(self.data) == 0:
            return "No pair has a posterior"
        shares = self.data[["p_better", "p_equivalent", "p_worse"]].to_numpy()
        likeliest = shares.argmax(axis=1)
        if len(self.data) == 1:
            words = ("better than", "equivalent to", "worse than")[likeliest[0]]
            return f"{self._names[0]} is {words} {self._reference} with probability {format_chance(float(shares.max()))}"
        counts = zip(np.bincount(likeliest, minlength=3).tolist(), ("better", "equivalent", "worse"), strict=True)
        said = counted([(n, f"is {what}", f"are {what}") for n, what in counts], "models")
        return f"Against {self._reference}, most likely {said}"

    def _note(self) -> str:
        rope = self.comparison.rope
        region = f"equivalent: within the rope of ±{rope:.4g} {self._metric}" if rope else "no rope, so none is equivalent"
        comparison, models = self.comparison, self.comparison.models
        like_it = [models[row] for row in folded_copies(comparison, models.index(comparison.reference))]
        n_others = len(models) - 1 - sum(name not in self._models for name in like_it)
        few = self._about_copies + of_all(len(self._labelled), n_others, "models, best first")
        is_family = self.comparison.pair_table.is_family
        right = " Right: the verdict, which is where the interval at the family's level lies." if is_family else ""
        return (
            f"Posterior probabilities of the difference to {self._reference}, each pair's own ({self.comparison.method.name}; "
            f"{region}).{right}{few}"
        )

    def _draw(self, axes: Axes) -> None:
        from matplotlib.ticker import PercentFormatter

        rows = np.arange(len(self.data))
        start = np.zeros(len(self.data))
        drawn = [name for name in ("worse", "equivalent", "better") if name != "equivalent" or self.comparison.rope]
        handles = []
        for name in drawn:
            mark, width = MARKS[name], self.data[f"p_{name}"].to_numpy()
            handles.append(
                axes.barh(
                    rows,
                    width,
                    left=start,
                    height=0.66,
                    color=tint(mark.colour, 0.55),
                    edgecolor=mark.colour,
                    hatch=mark.hatch,
                    linewidth=0.6,
                )
            )
            start = start + width
        x_line = f"probability of each region, against {self._reference}"
        has_notes = row_axes(axes, self._models, self._row_notes(), x_line, room=self._room(axes), copies=self._copies)
        axes.set_xlim(0.0, 1.0)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        axes.grid(visible=False)
        if has_notes or not self.owns_figure_:
            self._write_shares(axes, rows)
        labels = [f"{MARKS[name].symbol} {name}" for name in drawn]
        axes.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=len(labels),
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.2,
            handlelength=1.6,
            columnspacing=1.2,
        )

    def _write_shares(self, axes: Axes, rows: IntArray) -> None:
        """Percentages in the parts of a bar that have room for them."""
        room = room_of(axes)
        size = min(SMALL, 72 * room.height / max(len(rows), 1) * 0.5)
        if size < 5:
            return
        start = np.zeros(len(rows))
        for name in ("worse", "equivalent", "better"):
            width = self.data[f"p_{name}"].to_numpy()
            for row, (left, share) in enumerate(zip(start, width, strict=True)):
                text = format_chance(share)
                if share * room.width > text_width(text, size) + 0.12:
                    box = {"facecolor": background(), "edgecolor": "none", "pad": 1.2}
                    axes.text(left + share / 2, row, text, ha="center", va="center", fontsize=size, color=foreground(), bbox=box)
            start = start + width
