"""Plot of a pair: the posterior of its difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray
from tiebreak.views.plots.draw import MARKS, SIZE, Drawing, labels, marked, minus, number_axis, short, text_colour
from tiebreak.views.plots.menu import Plot
from tiebreak.views.words import count, decimals_for, format_interval, format_percent, format_probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.numerics.law import Law

LEVELS = (0.5, 0.75, 0.95)
"""Levels of the credible intervals under a posterior."""


def posterior_of(pair: PairComparison) -> Drawing:
    """Posterior density of the difference, with the rope, three probabilities and three credible intervals."""
    import pandas as pd

    comparison, posterior = pair.comparison, pair.law
    if not has_curve(pair):
        why = pair.reason or f"of the method {comparison.method.name}"
        raise DataError(f"there is no posterior with a curve here ({why}); plot.ranking() draws intervals.")
    first, second = labels([pair.first, pair.second])
    unit = comparison.method.unit
    grid = _grid(posterior, pair.rope)
    data = pd.DataFrame({"difference": grid, "density": _density(posterior, grid)})
    chances = {"worse": pair.p_worse, "equivalent": pair.p_equivalent, "better": pair.p_better}
    likely = max(chances, key=lambda name: chances[name])
    title = f"{pair_title(first, second, pair.verdict)}; P({likely}) is {format_probability(chances[likely])}"
    note = f"Posterior from {count(pair.n_units, unit)}, for this pair alone; bars: credible intervals. {rope_note(pair.rope)}"

    def paint(ax: Axes, own: bool) -> None:
        ax.set_xlabel(f"difference in {short(comparison.metric.name)}: positive favours {first}", fontsize=SIZE)
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.axvline(0.0, color=text_colour(0.5), linewidth=0.8, zorder=1)
        ax.axvspan(-pair.rope, pair.rope, color=text_colour(0.1), linewidth=0, zorder=0)
        x, y = data["difference"].to_numpy(), data["density"].to_numpy()
        peak = float(y.max())
        inside = {"worse": x <= -pair.rope, "equivalent": np.abs(x) <= pair.rope, "better": x >= pair.rope}
        for name, where in inside.items():
            label = f"{marked(name)} {format_probability(chances[name])}"
            if pair.rope or name != "equivalent":
                ax.fill_between(x, y, where=where, color=MARKS[name].colour, alpha=0.35, linewidth=0, label=label, zorder=2)
        ax.plot(x, y, color=text_colour(), linewidth=1.4, zorder=3)
        heights = [-peak * (0.09 + 0.1 * place) for place in range(len(LEVELS))]
        ends = [posterior.interval(level) for level in LEVELS]
        for height, (low, high) in zip(heights, ends, strict=True):
            ax.plot([low, high], [height, height], color=text_colour(), linewidth=5, solid_capstyle="butt", zorder=3)
        ax.set_yticks(heights, labels=[format_percent(level) for level in LEVELS])
        right = ax.secondary_yaxis("right")
        decimals = decimals_for(pair.comparison.pair_table.typical_resolution)
        right.set_yticks(heights, labels=[minus(format_interval(float(low), float(high), decimals)) for low, high in ends])
        right.spines["right"].set_visible(False)
        for axis in (ax, right):
            axis.tick_params(axis="y", length=0, labelsize=SIZE)
        ax.axhline(0.0, color=text_colour(), linewidth=0.8, zorder=3)
        ax.set_xlim(x[0], x[-1])
        number_axis(ax.xaxis)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=SIZE)

    return Drawing(data, title, note, paint, (7.4, 3.9))


def rope_note(rope: float) -> str:
    """Remark on the grey band."""
    if rope:
        return f"Grey band: the rope, ±{rope:.4g}, differences too small to matter."
    return "There is no rope, so none can be called equivalent."


def pair_title(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence; of a pair outside the family only its names."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "ahead": f"{first} is ahead of {second}",
        "behind": f"{second} is ahead of {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
        "undecided": f"Undecided: {first} against {second}",
    }.get(verdict, f"{first} against {second}")


def decided(counts: Mapping[str, int], n: int, what: str) -> str:
    """Numbers of what is decided, and of what is shown in its direction only: "1 of 3 pairs is decided, 1 more is ahead"."""
    settled, ahead = counts["better"] + counts["worse"] + counts["equivalent"], counts["ahead"] + counts["behind"]
    more = f", in {ahead:,}{' more' if settled else ''} one model is ahead" if ahead else ""
    return f"{settled:,} of {count(n, what)} {'is' if settled == 1 else 'are'} decided{more}"


def default_pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """Names of a pair; what is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline."""
    baseline = comparison.settings.baseline
    if b is None and baseline is not None and a != baseline:
        b = baseline
    first = a if a is not None else next(name for name in comparison.models if name != b)
    return first, b if b is not None else next(name for name in comparison.models if name != first)


def _density(posterior: Law, at: FloatArray) -> FloatArray:
    """Density of a posterior at many points, by differences of its tail."""
    low, high = posterior.interval(0.5)
    step = (high - low) * 1e-3
    below = np.array([[float(posterior.tail(x + side)) for x in at] for side in (-step, step)])
    return np.asarray((below[1] - below[0]) / (2.0 * step))


def _grid(posterior: Law, rope: float) -> FloatArray:
    """Differences at which the curve is drawn, with 0 and the rope among them, and close together where the mass is."""
    low, high = (float(end) for end in posterior.interval(0.95))
    reach = high - low
    left, right = min(low - 0.3 * reach, -1.1 * rope, 0.0), max(high + 0.3 * reach, 1.1 * rope, 0.0)
    margin = 0.03 * (right - left)
    whole = np.linspace(left - margin, right + margin, 101)
    near = np.linspace(low - reach, high + reach, 101)
    return np.unique(np.concatenate([whole, near, [-rope, 0.0, rope]]).clip(whole[0], whole[-1]))


def has_curve(pair: PairComparison) -> bool:
    """True where a pair has a posterior with a density."""
    judged = pair.comparison.pair_table.judged
    return bool(pair.has_interval and judged.law.is_posterior and judged.credible != "points")


PLOTS = {"posterior": Plot(posterior_of, has_curve)}
