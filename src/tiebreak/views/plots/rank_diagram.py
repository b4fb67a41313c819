"""Average ranks over datasets, with bars that join the models which no pair tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from tiebreak.scores.vocabulary import look_up
from tiebreak.views.comparison import folded_copies
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.display import MOST_MODELS, ComparisonDisplay, of_all, shown_models
from tiebreak.views.plots.style import COLOURS, band, foreground, muted, row_axes, rows_width, short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiagramDisplay(ComparisonDisplay):
    """Average rank of every model, the best on top, as in a critical-difference diagram.

    A model that lacks datasets ranks there where the scores of the others let it be expected, so that nobody is left out.

    The bars are of the comparison's own verdicts, not of a critical difference of ranks, so they do not change with which other
    models are in the table. A model that lies within a bar but is told apart from one of its models leaves a gap in it. With a
    baseline there is one bar: of the baseline and the models that are not told apart from it.

    Attributes
    ----------
    data : DataFrame
        model, average_rank, letters (models that share one are not told apart).
    groups : tuple of tuple of str
        Models of each bar, the best first.
    own : str
        The model that is marked, "" for none.
    """

    row_height: ClassVar[float] = 0.115

    groups: tuple[tuple[str, ...], ...] = field(repr=False)
    own: str

    @classmethod
    def from_comparison(cls, comparison: Comparison, own: str | None = None, top: int | None = None) -> Self:
        """Collect the numbers; `own` is the name of a model to mark."""
        import pandas as pd

        table = comparison.ranking_table
        rank = np.full(len(comparison.models), np.nan) if table.average_rank is None else table.average_rank
        lines = shown_models(comparison, len(comparison.models)).tolist()
        wanted = [look_up(name, comparison.models, "model") for name in (own, comparison.settings.baseline) if name is not None]
        for row in wanted:  # of copies the one that was asked for
            lines = [row if each in folded_copies(comparison, row) and row not in lines else each for each in lines]
        order = [row for row in np.argsort(rank, kind="stable").tolist() if np.isfinite(rank[row]) and row in lines]
        rows = order[: top or MOST_MODELS]
        for place in wanted:  # these are drawn even where there is room for few
            if place in order and place not in rows:
                rows = [*rows[:-1], place]
        names = [comparison.models[row] for row in rows]
        letters = [""] * len(rows) if table.letters is None else [table.letters[row] for row in rows]
        data = pd.DataFrame({"model": names, "average_rank": rank[rows], "letters": letters})
        return cls(data, comparison, top, tuple(_groups(comparison, names, letters)), own or "")

    @property
    def _models(self) -> list[str]:
        return self.data["model"].tolist()

    def _row_notes(self) -> list[str]:
        return [f"{rank:.2f}" for rank in self.data["average_rank"]]

    def _size(self) -> tuple[float, float]:
        width = rows_width(self._models, self._row_notes(), copies=self._copies)
        return width + 0.11 * len(self.groups), 1.6 + 0.27 * max(len(self.data), 2)

    def _title(self) -> str:
        names, baseline = dict(zip(self._models, self._names, strict=True)), self.comparison.settings.baseline
        whose = self.own or baseline or self._models[0]
        if whose not in names:
            return f"{short_labels([whose])[0]} has no average rank, as no other model shares its datasets"
        place = self._models.index(whose)
        rank = self.data["average_rank"].iloc[place]
        n_before = sum(1 + len(copies) for copies in self._copies[:place])
        has = f"{names[whose]} is number {n_before + 1} of {len(self._labelled)} by average rank ({rank:.2f})"
        if not place:
            has = f"{names[whose]} has the best average rank"
        alike, others = self._not_separated_from(whose), len(names) - 1
        if baseline not in (None, whose):
            return f"{has}; it is {'not ' if alike else ''}told apart from the baseline {names.get(baseline, '')}".rstrip()
        if len(alike) == 1:
            return f"{has}; {names[alike[0]]} is not told apart from it"
        if len(alike) == others:
            return f"{has}; none of {others} others is told apart from it"
        if alike:
            return f"{has}; {len(alike)} of {others} others are not told apart from it"
        return f"{has}; it is told apart from {'the other' if others == 1 else f'all {others} others'}"

    def _not_separated_from(self, whose: str) -> list[str]:
        """Models that are drawn and whose pair with this one is not decided either way."""
        table, models = self.comparison.pair_table, self.comparison.models
        rows = table.rows_with(models.index(whose))
        alike = rows[table.shown_direction[rows] == 0]
        both = {models[i] for row in alike for i in (table.first[row], table.second[row])}
        return [name for name in self._models if name in both and name != whose]

    def _note(self) -> str:
        comparison = self.comparison
        ranks = comparison.ranking_table.average_rank
        left_out = 0 if ranks is None else int(np.count_nonzero(np.isnan(ranks)))
        missing = f" Without {left_out} that share no dataset with the others." if left_out else ""
        if comparison.ranking_table.adjusted is not None:
            missing = f" Missing scores rank where the others let them be expected.{missing}"
        names = dict(zip(self._models, self._names, strict=True))
        own = f" Diamond: {names[self.own]}." if self.own in names else ""
        how = f"{comparison.method.name}, {interval_name(comparison)}s, {self._adjusted}"
        bars = "Bars join models that are not told apart ({}); a gap is one that is told apart from one of them."
        if comparison.settings.baseline is not None:
            bars = "The bar joins the baseline and models that are not told apart from it ({}); others were not asked about."
        few = self._about_copies + of_all(len(self._labelled), len(comparison.models) - left_out)
        return (
            f"Dots: average rank over {comparison.matrix.n_splits} datasets, 1 is best.{own} {bars.format(how)} Ranks depend on "
            f"which other models are in the table, the bars do not.{missing}{few}"
        )

    def _draw(self, axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        rank, place = self.data["average_rank"].to_numpy(), {name: row for row, name in enumerate(self._models)}
        worst = float(rank.max(initial=1.0))
        step = 0.045 * max(worst - 1.0, 1.0)
        axes.hlines(range(rank.size), 1.0, rank, color=muted(), linewidth=0.6, zorder=1)
        own = place.get(self.own, -1)
        rest = np.arange(rank.size) != own
        axes.scatter(rank[rest], np.flatnonzero(rest), s=30, color=COLOURS[0], zorder=3)
        if own >= 0:
            axes.axhspan(own - 0.5, own + 0.5, color=band(), linewidth=0, zorder=0)
            axes.scatter(rank[own], own, s=52, marker="D", color=COLOURS[1], edgecolors=foreground(), linewidths=0.8, zorder=3)
        for number, group in enumerate(self.groups, 1):
            rows, x = [place[name] for name in group], worst + step * (number + 0.5)
            axes.plot([x, x], [rows[0], rows[-1]], color=muted(), linewidth=0.8, linestyle=":", zorder=1)
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                axes.plot(
                    [x, x], [run[0] - 0.25, run[-1] + 0.25], color=foreground(), linewidth=2.2, solid_capstyle="butt", zorder=2
                )
        axes.set_xlim(1.0 - step, worst + step * (len(self.groups) + 1.5))
        x_line = f"average rank over {self.comparison.matrix.n_splits} datasets (1 is best)"
        row_axes(axes, self._models, self._row_notes(), x_line, room=self._room(axes), copies=self._copies)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
        axes.set_xticks([tick for tick in axes.get_xticks() if 1.0 <= tick <= worst + 1e-9])


def _groups(comparison: Comparison, names: list[str], letters: list[str]) -> Iterator[tuple[str, ...]]:
    """Models of each bar, in the order of their ranks; of all pairs the largest groups that no pair tells apart."""
    baseline = comparison.settings.baseline
    if baseline is not None:
        table = comparison.pair_table
        alike = table.shown_direction == 0
        both = {comparison.models[i] for i in (*table.first[alike], *table.second[alike])}
        groups = [tuple(name for name in names if name in both and baseline in names)]
    else:
        found = dict.fromkeys("".join(letters))
        groups = [tuple(name for name, its in zip(names, letters, strict=True) if letter in its) for letter in found]
    for group in dict.fromkeys(groups):
        if len(group) > 1 and not any(set(group) < set(other) for other in groups):
            yield group
