"""Average ranks over datasets, with bars that join the models which no pair tells apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from tiebreak.views.plots.display import MOST_MODELS, ComparisonDisplay, of_all
from tiebreak.views.plots.style import COLOURS, ink, quiet, row_axes, rows_width, short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiagramDisplay(ComparisonDisplay):
    """Average rank of every model that was measured on all datasets, the best on top, as in a critical-difference diagram.

    The bars are of the comparison's own verdicts, not of a critical difference of ranks, so they do not change with which other
    models are in the table. A model that lies within a bar but is told apart from one of its models leaves a gap in it.

    Attributes
    ----------
    data : DataFrame
        model, average_rank, letters (models that share one are not told apart).
    groups : tuple of tuple of str
        Models of each bar, the best first.
    """

    row_height: ClassVar[float] = 0.115

    groups: tuple[tuple[str, ...], ...] = field(repr=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        table = comparison.ranking_table
        rank = np.full(len(comparison.models), np.nan) if table.average_rank is None else table.average_rank
        rows = [row for row in np.argsort(rank, kind="stable").tolist() if np.isfinite(rank[row])][: top or MOST_MODELS]
        names = [comparison.models[row] for row in rows]
        letters = [""] * len(rows) if table.letters is None else [table.letters[row] for row in rows]
        data = pd.DataFrame({"model": names, "average_rank": rank[rows], "letters": letters})
        groups = [
            tuple(name for name, its in zip(names, letters, strict=True) if letter in its)
            for letter in dict.fromkeys("".join(letters))
        ]
        return cls(data, comparison, top, tuple(group for group in groups if len(group) > 1))

    @property
    def _models(self) -> list[str]:
        return self.data["model"].tolist()

    def _row_notes(self) -> list[str]:
        return [f"{rank:.2f}" for rank in self.data["average_rank"]]

    def _size(self) -> tuple[float, float]:
        return rows_width(self._models, self._row_notes()) + 0.11 * len(self.groups), 1.6 + 0.27 * max(len(self.data), 2)

    def _title(self) -> str:
        first = short_labels(self._models)[0] if self._models else ""
        n_bars, are = len(self.groups), "groups are" if len(self.groups) > 1 else "group is"
        told = f"{n_bars} {are} not told apart" if n_bars else "all are told apart"
        return f"{first} has the best average rank; {told}"

    def _note(self) -> str:
        n = self.comparison.matrix.n_splits
        ranks = self.comparison.ranking_table.average_rank
        left_out = 0 if ranks is None else int(np.count_nonzero(np.isnan(ranks)))
        missing = f" Without {left_out} that lack a dataset." if left_out else ""
        return (
            f"Dots: average rank over {n} datasets, 1 is best. Bars join models that {self.comparison.method.name} does not tell "
            f"apart ({self._adjusted}); a gap is one that it tells apart from one of them. Ranks depend on which other models "
            f"are in the table, the bars do not.{missing}{of_all(len(self.data), len(self.comparison.models) - left_out)}"
        )

    def _draw(self, axes: Axes) -> None:
        rank, place = self.data["average_rank"].to_numpy(), {name: row for row, name in enumerate(self._models)}
        worst = float(rank.max(initial=1.0))
        axes.hlines(range(rank.size), 1.0, rank, color=quiet(), linewidth=0.6, zorder=1)
        axes.scatter(rank, range(rank.size), s=30, color=COLOURS[0], zorder=3)
        step = 0.045 * max(worst - 1.0, 1.0)
        for number, group in enumerate(self.groups, 1):
            rows, x = [place[name] for name in group], worst + step * (number + 0.5)
            axes.plot([x, x], [rows[0], rows[-1]], color=quiet(), linewidth=0.8, linestyle=":", zorder=1)
            runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            for run in runs:
                axes.plot([x, x], [run[0] - 0.25, run[-1] + 0.25], color=ink(), linewidth=2.2, solid_capstyle="butt", zorder=2)
        axes.set_xlim(1.0 - step, worst + step * (len(self.groups) + 1.5))
        x_line = f"average rank over {self.comparison.matrix.n_splits} datasets (1 is best)"
        row_axes(axes, self._models, self._row_notes(), x_line, room=self._room(axes))
        ticks = [tick for tick in axes.get_xticks() if 1.0 <= tick <= worst + step]
        axes.set_xticks(ticks)
