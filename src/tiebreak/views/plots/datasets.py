"""Plots of scores by dataset: two models on each, and average ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.errors import DataError
from tiebreak.numerics import RELATIVE_TOLERANCE
from tiebreak.scores.vocabulary import look_up
from tiebreak.views.plots.draw import (
    COLOURS,
    MOST_ROWS,
    SIZE,
    Drawing,
    labels,
    minus,
    of_all,
    rows,
    short,
    text_colour,
)
from tiebreak.views.plots.pair import default_pair, pair_title
from tiebreak.views.words import count, decimals_for, format_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison

_OUTCOMES = {"won": "better", "tied": "equivalent", "lost": "worse"}
"""Outcomes on one dataset, which are no verdicts, with the verdict whose mark and colour they have."""


def has_datasets(comparison: Comparison) -> bool:
    """True where the units are datasets."""
    return comparison.method.unit == "dataset"


def has_ranks(comparison: Comparison) -> bool:
    """True where there are average ranks, and pairs or a baseline that say who is told apart."""
    rank = comparison.ranking_table.average_rank
    return comparison.pair_table.is_family and rank is not None and bool(np.isfinite(rank).any())


def paired(comparison: Comparison, a: str | None = None, b: str | None = None) -> Drawing:
    """Difference of two models on each dataset, the largest on top; of the first two if none are named."""
    import pandas as pd

    pair, score, names = comparison.pair(*default_pair(comparison, a, b)), comparison.matrix.score, comparison.matrix.columns
    one, other = (score[comparison.models.index(name)] for name in (pair.first, pair.second))
    difference = comparison.metric.sign * (one - other)
    limit = comparison.rope + RELATIVE_TOLERANCE * np.fmax(np.abs(one), np.abs(other))
    outcome = np.where(difference > limit, "won", np.where(difference < -limit, "lost", "tied"))
    keys = names or [f"repeat {r}, fold {f}" for r, f in zip(comparison.matrix.repeat, comparison.matrix.fold, strict=True)]
    data = pd.DataFrame({"dataset": keys, "first": one, "second": other, "difference": difference, "outcome": outcome})
    data = data[~np.isnan(difference)].sort_values("difference", ascending=False, kind="stable").reset_index(drop=True)
    first, second = labels([pair.first, pair.second])
    wins, losses = (int((data["outcome"] == name).sum()) for name in ("won", "lost"))
    shown = (
        data.head(MOST_ROWS // 2) if len(data) <= MOST_ROWS else data.iloc[[*range(MOST_ROWS // 2), *range(-MOST_ROWS // 2, 0)]]
    )
    shown = data if len(data) <= MOST_ROWS else shown
    decimals, metric = decimals_for(pair.comparison.pair_table.typical_resolution), short(comparison.metric.name)
    left_out = comparison.matrix.n_splits - len(data)
    ties = f"scores within the rope of ±{comparison.rope:.4g}" if comparison.rope else "scores that differ by rounding noise"
    return rows(
        data,
        title=f"{pair_title(first, second, pair.verdict)}; {first} wins {wins} of {count(len(data), 'dataset')}, loses {losses}",
        note=f"Right: {metric} of {first} and of {second}; {ties} count as equal. The verdict rests on the differences "
        f"together, not on "
        "the counts."
        + (f" Without {count(left_out, 'dataset')} that one of the two lacks." if left_out else "")
        + (f" Drawn: the {len(shown)} largest differences either way." if len(shown) < len(data) else ""),
        x_label=f"difference in {metric}: positive favours {first}",
        names=list(shown["dataset"]),
        middle=shown["difference"],
        low=np.minimum(shown["difference"], 0.0),
        high=np.maximum(shown["difference"], 0.0),
        verdicts=[_OUTCOMES[each] for each in shown["outcome"]],
        notes=[
            f"{minus(format_score(x, decimals))}  {minus(format_score(y, decimals))}"
            for x, y in zip(shown["first"], shown["second"], strict=True)
        ],
        band=comparison.rope,
    )


def diagram(comparison: Comparison, own: str | None = None) -> Drawing:
    """Average ranks over datasets with bars that join models which are not told apart; `own` is the name of a model to mark.

    The critical-difference diagram of Demšar (2006), its bars from the comparison's own verdicts, which do not change with the
    other models in the table. A model that lies within a bar but is told apart from one of its models leaves a gap in it. With a
    baseline there is one bar: of the baseline and the models that are not told apart from it.
    """
    import pandas as pd

    if not has_ranks(comparison):
        raise DataError("a diagram of ranks needs scores of several datasets, judged as pairs or against a baseline.")
    if own is not None:
        look_up(own, comparison.models, "model")
    table, baseline = comparison.ranking_table, comparison.settings.baseline
    ranks = np.asarray(table.average_rank)
    order = [row for row in np.argsort(ranks, kind="stable") if np.isfinite(ranks[row])]
    whose = own or baseline or comparison.models[order[0]]
    row = comparison.models.index(whose)
    if row not in order:
        raise DataError(f"{whose!r} has no average rank, as no other model shares its datasets.")
    place = order.index(row)
    order = order if len(order) <= MOST_ROWS else [*order[: MOST_ROWS - 1], order[max(place, MOST_ROWS - 1)]]
    n_ranked = int(np.isfinite(ranks).sum())
    names, ranks = [comparison.models[row] for row in order], ranks[order]
    held = table.letters
    letters = ["" if held is None else held[row] for row in order]
    groups = _groups(comparison, names, letters)
    data = pd.DataFrame({"model": names, "average_rank": ranks, "letters": letters})
    texts = [f"{name}  {rank:.2f}" for name, rank in zip(labels(names, 32), ranks, strict=True)]
    n_left, last = -(-len(names) // 2), max(int(np.ceil(ranks.max())), 2)
    n_alike = len({name for group in groups if whose in group for name in group} - {whose})
    said = "has the best average rank" if place == 0 else f"is number {place + 1} of {n_ranked} by average rank"

    def paint(ax: Axes, own_figure: bool) -> None:
        ax.set_axis_off()
        ax.set_xlim(1 - 0.06 * (last - 1), last + 0.06 * (last - 1))
        depth = 0.5 * len(groups) + 0.7
        ax.set_ylim(depth + n_left, -1.0)
        ax.plot([1, last], [0, 0], color=text_colour(), linewidth=1.0)
        for rank in range(1, last + 1, max(1, last // 12)):
            ax.plot([rank, rank], [-0.25, 0], color=text_colour(), linewidth=0.8)
            ax.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=SIZE)
        for number, group in enumerate(groups, 1):
            within = [names.index(name) for name in group]
            ax.plot(ranks[[within[0], within[-1]]], [0.5 * number] * 2, color=text_colour(0.6), linewidth=0.8, linestyle=":")
            for run in np.split(within, np.flatnonzero(np.diff(within) > 1) + 1):
                reach = [ranks[run[0]] - 0.008 * last, ranks[run[-1]] + 0.008 * last]
                ax.plot(reach, [0.5 * number] * 2, color=text_colour(), linewidth=2.8, solid_capstyle="butt")
        for row, text in enumerate(texts):
            is_left, is_own = row < n_left, names[row] == own
            y = depth + (row if is_left else len(names) - 1 - row)
            end = ax.get_xlim()[0 if is_left else 1]
            ax.plot([ranks[row], ranks[row], end], [0, y, y], color=text_colour(0.5), linewidth=0.7, zorder=1)
            ax.plot([ranks[row]], [0], marker="D" if is_own else "o", markersize=5, color=COLOURS[1 if is_own else 0], zorder=4)
            weight, side = "bold" if is_own else "normal", "right" if is_left else "left"
            ax.annotate(
                text,
                (end, y),
                (-4 if is_left else 4, 0),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=SIZE,
                fontweight=weight,
            )

    note = (
        f"Dots: average rank over {comparison.matrix.n_splits} datasets, 1 is best. Bars join models that are not told apart"
        f"{' from the baseline' if baseline is not None else ''} ({comparison.method.name}, {comparison.correction}); a "
        f"gap is a model "
        "that is. Ranks depend on which other models are in the table, the bars do not."
        f"{of_all(len(names), n_ranked)}"
    )
    title = f"{labels(names)[names.index(whose)]} {said}; {n_alike} of {n_ranked - 1} others are not told apart from it"
    return Drawing(data, title, note, paint, (9.0, 0.8 + 0.11 * len(groups) + 0.21 * n_left))


def _groups(comparison: Comparison, names: list[str], letters: list[str]) -> list[tuple[str, ...]]:
    """Models of each bar, in the order of their ranks: those with a letter in common, or not told apart from the baseline."""
    baseline, table = comparison.settings.baseline, comparison.pair_table
    alike = table.shown_direction == 0
    if baseline is not None or not any(letters):
        centre = baseline or names[0]
        touching = [
            row for row in np.flatnonzero(alike) if comparison.models.index(centre) in (table.first[row], table.second[row])
        ]
        both = {comparison.models[i] for row in touching for i in (table.first[row], table.second[row])}
        found = [tuple(name for name in names if name in both)]
    else:
        every = dict.fromkeys("".join(letters))
        found = [tuple(name for name, its in zip(names, letters, strict=True) if letter in its) for letter in every]
    kept = [group for group in dict.fromkeys(found) if len(group) > 1]
    return [group for group in kept if not any(set(group) < set(other) for other in kept)]
