"""Posterior of one difference, and its share inside the rope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from tiebreak.errors import NotOfferedError
from tiebreak.numerics import FloatArray
from tiebreak.views.plots.display import ComparisonDisplay
from tiebreak.views.plots.matrix import verdict_title
from tiebreak.views.plots.style import (
    MARKS,
    OWN_ROOM,
    SIZE,
    background,
    foreground,
    literal,
    minus,
    number_axis,
    plain_axes,
    row_note,
    text_width,
    wrap,
    x_label,
)
from tiebreak.views.words import count, decimals_for, format_chance, format_interval, format_percent, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.numerics.law import Law

LEVELS = (0.5, 0.75, 0.95)
"""Levels of the credible intervals under the curve."""

_REGIONS = ("worse", "equivalent", "better")
"""From left to right."""

_LOWEST, _HIGHEST = -0.36, 1.2
"""Limits of the vertical axis in units of the curve's peak: room for the intervals below and the probabilities above."""

_TOP = (1.04 - _LOWEST) / (_HIGHEST - _LOWEST)
"""End of the band, below the probabilities, as a share of the vertical axis."""

_WITHOUT_CURVE = {
    "identical-scores": "Identical scores on all {n}:\nnothing tells the two apart here",
    "no-spread": "The same difference, {difference}, on all {n}:\nwithout spread there is nothing to judge it by",
    "missing-splits": "The two models share fewer than two {unit}s:\nthere is nothing to estimate from",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PosteriorDisplay(ComparisonDisplay):
    """Posterior density of the difference of two models, with the rope, three probabilities and three credible intervals.

    Attributes
    ----------
    data : DataFrame
        difference (positive favours `first`, in the metric's unit) and density (per unit of the metric); empty where the pair
        has no spread or fewer than two splits.
    intervals : DataFrame
        level, low, high of the credible intervals; nan where there is no curve.
    pair : PairComparison
    """

    folds_copies: ClassVar[bool] = False

    intervals: pd.DataFrame
    pair: PairComparison

    @classmethod
    def from_comparison(cls, comparison: Comparison, first: str, second: str) -> Self:
        """Collect the numbers; positive differences favour `first`.

        Raises
        ------
        UnknownNameError, InvalidParameterError
            As `Comparison.pair`.
        NotOfferedError
            The procedure gives no posterior, or one without a curve.
        """
        import pandas as pd

        pair = comparison.pair(first, second)
        posterior = pair.law
        if not posterior.is_posterior:
            raise NotOfferedError(f"{comparison.method.name} gives no posterior to draw; plot.ranking() draws its intervals.")
        if pair.judged.credible == "points":
            raise NotOfferedError(
                f"the posterior of {comparison.method.name} lies on single points, so it has no curve; plot.regions() draws its "
                "probabilities, and plot.ranking() its intervals."
            )
        ends = [posterior.interval(level) for level in LEVELS]
        grid = np.empty(0) if not pair.has_interval else _grid(posterior, pair.rope)
        data = pd.DataFrame({"difference": grid, "density": _density(posterior, grid)})
        intervals = pd.DataFrame({"level": LEVELS, "low": [float(e.low) for e in ends], "high": [float(e.high) for e in ends]})
        return cls(data, comparison, None, intervals, pair)

    @classmethod
    def from_pair(cls, pair: PairComparison) -> Self:
        """Collect the numbers of a pair, as it is oriented."""
        return cls.from_comparison(pair.comparison, pair.first, pair.second)

    @property
    def _mean(self) -> float:
        return float(self.pair.law.estimate)

    @property
    def _models(self) -> list[str]:
        return [self.pair.first, self.pair.second]

    def _size(self) -> tuple[float, float]:
        return 7.5, 4.7 if self.pair.has_interval else 3.2

    def _title(self) -> str:
        first, second = self._names
        pair = self.pair
        sentence = verdict_title(first, second, pair.verdict)
        if not pair.has_interval:
            return sentence
        shares = [("worse", pair.p_worse), ("equivalent", pair.p_equivalent), ("better", pair.p_better)]
        name, held = max(shares, key=lambda share: share[1])
        return f"{sentence}; P({name}) is {format_chance(held)}"

    def _note(self) -> str:
        pair = self.pair
        rope = "There is no rope, so equivalence has no probability."
        if pair.rope:
            rope = f"Grey band: the rope, ±{pair.rope:.4g}, differences too small to matter."
        if not pair.has_interval:
            return f"Diamond: the difference. {rope}" if np.isfinite(self._mean) else rope
        return (
            f"Posterior from {count(pair.n_units, self._unit)}, for this pair alone. {rope} Bars: credible intervals; the white "
            "line is the mean difference."
        )

    def _draw(self, axes: Axes) -> None:
        self._draw_rope(axes, top=_TOP if self.pair.has_interval else 0.4)
        if not self.pair.has_interval:
            self._draw_without_curve(axes)
        else:
            self._draw_curve(axes)
            self._draw_intervals(axes)
        number_axis(axes)
        axes.grid(visible=False)
        x_label(axes, f"difference in {self._metric}", self._favours(self._names[0]), room=self._room(axes))

    def _draw_curve(self, axes: Axes) -> None:
        x, y = self.data["difference"].to_numpy(), self.data["density"].to_numpy()
        peak = float(y.max())
        rope = self.pair.rope
        regions = {"worse": x <= -rope, "equivalent": np.abs(x) <= rope, "better": x >= rope}
        for name, inside in regions.items():
            mark = MARKS[name]
            filled = axes.fill_between(x, y, where=inside, hatch=mark.hatch, linewidth=0, zorder=2)
            filled.set(facecolor=mark.tint, edgecolor=mark.colour)
        axes.plot(x, y, color=foreground(), linewidth=1.4, zorder=3)
        shares = (self.pair.p_worse, self.pair.p_equivalent, self.pair.p_better)
        for name, share, place, side in zip(_REGIONS, shares, (0.0, 0.5, 1.0), ("left", "center", "right"), strict=True):
            if name == "equivalent" and not rope:
                continue
            text = f"{MARKS[name].symbol} {name} {format_chance(share)}"
            if self._room(axes).width < 4.0:  # three such texts beside each other
                text = f"{MARKS[name].symbol} {format_chance(share)}"
            written = axes.text(place, 1.0, text, transform=axes.transAxes, ha=side, va="top", fontsize=SIZE + 1)
            written.set(fontweight="bold", color=foreground())
        axes.set_xlim(x[0], x[-1])
        axes.set_ylim(_LOWEST * peak, _HIGHEST * peak)
        axes.axhline(0.0, color=foreground(), linewidth=0.8, zorder=3)

    def _draw_intervals(self, axes: Axes) -> None:
        peak = float(self.data["density"].max())
        decimals = decimals_for(self.pair.resolution)
        heights = -peak * (0.09 + 0.1 * np.arange(len(LEVELS)))
        room = self._room(axes)
        for height, low, high in zip(heights, self.intervals["low"], self.intervals["high"], strict=True):
            axes.plot([low, high], [height, height], color=foreground(), linewidth=5, solid_capstyle="butt", zorder=3)
            axes.plot([self._mean], [height], marker="|", color=background(), markersize=6, zorder=4)
            words = minus(format_interval(low, high, decimals))
            if text_width(words, SIZE) + 0.15 <= room.right:
                row_note(axes, height, words)
        axes.set_yticks(heights, labels=[format_percent(level) for level in LEVELS])
        plain_axes(axes, "bottom")
        axes.tick_params(axis="y", length=0)
        if room is OWN_ROOM:
            label = wrap(f"density per unit of {self._metric}", 2.2, SIZE)
            axes.set_ylabel(literal(label), y=(0.5 - _LOWEST) / (_HIGHEST - _LOWEST), fontsize=SIZE)

    def _draw_without_curve(self, axes: Axes) -> None:
        pair, mean = self.pair, self._mean
        difference = minus(format_score(mean, decimals_for(pair.resolution), signed=True))
        text = _WITHOUT_CURVE.get(pair.reason, "There is no interval: {reason}").format(
            n=count(pair.n_units, self._unit), unit=self._unit, difference=difference, reason=pair.reason
        )
        axes.text(0.5, 0.72, text, transform=axes.transAxes, ha="center", va="center", fontsize=SIZE + 2, color=foreground())
        if np.isfinite(mean):
            axes.plot([mean], [0.0], marker="D", color=foreground(), clip_on=False, zorder=3)
        axes.set_ylim(0.0, 1.0)
        axes.set_yticks([])
        plain_axes(axes, "bottom")


def _density(posterior: Law, at: FloatArray) -> FloatArray:
    """Density of a posterior at many points, by differences of its tail."""
    low, high = posterior.interval(0.5)
    step = (high - low) * 1e-3
    below = np.array([[float(posterior.tail(x + side)) for x in at] for side in (-step, step)])
    return np.asarray((below[1] - below[0]) / (2.0 * step))


def _grid(posterior: Law, rope: float) -> FloatArray:
    """Differences at which the curve is drawn, always with 0 and the rope among them, and close together where the mass is."""
    low, high = (float(end) for end in posterior.interval(0.95))
    reach = high - low
    left, right = min(low - 0.3 * reach, -rope, 0.0), max(high + 0.3 * reach, rope, 0.0)
    margin = 0.03 * (right - left)
    whole = np.linspace(left - margin, right + margin, 401)
    return np.unique(
        np.concatenate([whole, np.linspace(low - reach, high + reach, 401), [-rope, 0.0, rope]]).clip(*whole[[0, -1]])
    )
