"""Every model against every other: who is better, equivalent, worse, and what is undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.verdict import MIRRORED, VERDICTS
from tiebreak.views.comparison import table_decimals
from tiebreak.views.plots.display import Display, better_is, of_all, shown_models
from tiebreak.views.plots.matrix import Square
from tiebreak.views.plots.style import INK, MARKS, NOT_ASKED, PAPER, QUIET, SIZE, SMALL, minus, short, short_labels
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison


def pair_sentence(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
    }.get(verdict, f"Undecided: {first} against {second}")


def counted_verdicts(counts: Mapping[str, int], what: str) -> str:
    """How many there are with each verdict: "of 3 models, 1 is worse and 2 are undecided", "all 3 models are worse"."""
    order = ("better", "equivalent", "worse", "undecided")
    return counted([(counts[name], f"is {name}", f"are {name}") for name in order], what)


def counted(parts: Sequence[tuple[int, str, str]], what: str) -> str:
    """Counts with their singular and plural; what does not occur is left out."""
    total = sum(n for n, _, _ in parts)
    texts = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n]
    if len(texts) == 1:
        return f"{'both' if total == 2 else f'all {total}'} {what} {texts[0].partition(' ')[2]}"
    return f"of {total} {what}, {', '.join(texts[:-1])} and {texts[-1]}"


@dataclass(frozen=True, slots=True, eq=False)
class VerdictsDisplay(Display):
    """Matrix of verdicts, the model of the row against the model of the column.

    Attributes
    ----------
    data : DataFrame
        row, column, difference (positive favours the row, in the metric's unit), adjusted_claim_pvalue, verdict: "better",
        "equivalent", "worse", "undecided", or "not asked" for a pair that is not in the family. Both orientations of each pair.
    models : tuple of str
        Drawn, in ranking order.
    n_models : int
        Of the comparison.
    baseline : str or None
        With which the pairs of the family are, if one was named.
    verdicts : dict of str to int
        Counts over all pairs of the family, drawn or not, whichever way round.
    rope, alpha : float
    correction : str
    metric : str
    higher_is_better : bool
    decimals : int
    """

    models: tuple[str, ...]
    n_models: int
    baseline: str | None
    verdicts: dict[str, int]
    rope: float
    alpha: float
    correction: str
    metric: str
    higher_is_better: bool
    decimals: int

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        comparison : Comparison
        """
        import pandas as pd

        table, n_models = comparison.pair_table, len(comparison.models)
        verdict = np.full((n_models, n_models), -1)
        difference, pvalue = np.full(verdict.shape, np.nan), np.full(verdict.shape, np.nan)
        first, second = table.first, table.second
        verdict[first, second], verdict[second, first] = table.verdict, MIRRORED[table.verdict]
        difference[first, second], difference[second, first] = table.difference, 0.0 - table.difference
        pvalue[first, second] = pvalue[second, first] = table.adjusted_claim_pvalue
        rows = shown_models(comparison)
        names = pd.Index([comparison.models[row] for row in rows])
        row, column = np.nonzero(~np.eye(rows.size, dtype=bool))
        cells = (rows[row], rows[column])
        data = pd.DataFrame(
            {
                "row": pd.Categorical.from_codes(row, names),
                "column": pd.Categorical.from_codes(column, names),
                "difference": difference[cells],
                "adjusted_claim_pvalue": pvalue[cells],
                "verdict": pd.Categorical.from_codes(verdict[cells] + 1, pd.Index([NOT_ASKED, *VERDICTS])),
            }
        )
        return cls(
            data=data,
            models=tuple(names),
            n_models=n_models,
            baseline=comparison.settings.baseline,
            verdicts={name: int(np.count_nonzero(table.verdict == code)) for code, name in enumerate(VERDICTS)},
            rope=comparison.rope,
            alpha=comparison.settings.alpha,
            correction=comparison.settings.correction,
            metric=comparison.metric.name,
            higher_is_better=comparison.metric.higher_is_better,
            decimals=table_decimals(comparison),
        )

    @property
    def _square(self) -> Square:
        return Square(self.models, self.owns_figure_)

    def _size(self) -> tuple[float, float]:
        return self._square.size(beside=0.0 if self._square.has_words else 1.2)

    def _title(self) -> str:
        n_pairs, names = sum(self.verdicts.values()), short_labels(self.models)
        if n_pairs == 1:
            return pair_sentence(names[0], names[1], str(self.data["verdict"].iloc[0]))
        baseline = "" if self.baseline is None else f" with the baseline {names[self.models.index(self.baseline)]}"
        won = self.verdicts["better"] + self.verdicts["worse"]
        parts = [(won, "has a winner", "have a winner"), (self.verdicts["equivalent"], "is equivalent", "are equivalent")]
        parts += [(self.verdicts["undecided"], "is undecided", "are undecided")]
        words = counted(parts, f"pairs{baseline}")
        return words[0].upper() + words[1:]

    def _note(self) -> str:
        metric = short(self.metric)
        rope = f"rope ±{self.rope:.4g}" if self.rope else "no rope, so none is equivalent"
        numbers = f" Number: difference in {metric}, positive favours the row ({better_is(self.higher_is_better)} {metric})."
        adjusted = "not adjusted" if self.correction == "none" else self.correction
        note = f"Each cell: the model of the row against that of the column; {rope}; alpha {self.alpha:g}, {adjusted}."
        return note + (numbers if self._square.has_words else self._square.note) + of_all(len(self.models), self.n_models)

    def _draw(self, axes: Axes) -> None:
        from matplotlib.colors import to_rgb

        n_models = len(self.models)
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
        for x, y, name, difference in zip(column, row, verdict, self.data["difference"], strict=True):
            if name == NOT_ASKED:
                axes.text(x, y, name, ha="center", va="center", fontsize=SMALL, color=QUIET)
                continue
            word = f"{MARKS[name].symbol} {name}"
            axes.text(x, y - 0.17, word, ha="center", va="center", fontsize=SIZE, fontweight="bold", color=INK)
            number = minus(format_score(float(difference), self.decimals, signed=True))
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
