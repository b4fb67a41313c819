"""Plot of a sample size: power over the number of units."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.sample_size import whole
from tiebreak.views.plots.draw import Curve, Drawing, lines
from tiebreak.views.plots.menu import Plot
from tiebreak.views.sample_size import bound
from tiebreak.views.words import format_percent

if TYPE_CHECKING:
    from tiebreak.comparison.sample_size import SampleSize

POINTS = 40
"""Numbers of units at which a power is worked out."""

TIMES = (1 / 1.5, 1.0, 1.5)
"""Differences that are drawn, as multiples of the one in target."""

AROUND = 5
"""Times as few and as many units that are drawn."""


def power(size: SampleSize) -> Drawing:
    """Power over the number of units, for the difference in target, a smaller and a larger one."""
    import pandas as pd

    step, middle = size.data.step, size.n or max(size.fewest, 10)
    low, high = max(size.fewest, middle // AROUND), max(middle * AROUND, size.fewest + AROUND * step)
    numbers = sorted({whole(n, step) for n in np.geomspace(low, high, POINTS)})
    target = size.effect if isfinite(size.effect) else size.smallest(numbers[-1])
    effects = [effect for effect in (times * target for times in TIMES) if _is_possible(size, effect)]
    data = pd.DataFrame(
        [(effect, n, size.power_at(n, effect)) for effect in effects for n in numbers], columns=["effect", "n", "power"]
    )
    what = "difference" if size.target.is_by_difference else "rope"
    chance = format_percent(round(size.power, 3))
    curves = [
        Curve(part["n"], part["power"], f"{what} {bound(effect)}")
        for effect in effects
        for part in [data[data["effect"] == effect]]
    ]
    title = (
        f"{size.n:,} {size.unit}s show a {what} of {bound(size.effect)} with {chance} power"
        if size.n
        else (f"No number of {size.unit}s shows a {what} of {size.effect:.3g} with {chance} power")
    )
    return lines(
        data,
        curves,
        title=title if isfinite(size.effect) else f"{size.n:,} {size.unit}s show no {what} with {chance} power",
        note=f"Chance that the {format_percent(1 - float(f'{size.target.interval_alpha:.4g}'))} interval of "
        f"'{size.data.procedure}' shows it; the other lines are of other {what}s.",
        x_label=f"{size.unit}s",
        y_label="power",
        dotted=[([numbers[0], numbers[-1]], [size.power, size.power])],
        log=True,
        points=[(size.n, size.power)] if size.n is not None and isfinite(size.effect) else [],
    )


def _is_possible(size: SampleSize, effect: float) -> bool:
    """True for differences that there can be, and ropes that models keep to."""
    if not isfinite(effect) or effect <= 0:
        return False
    if not size.target.is_by_difference:
        return effect > size.difference_beyond
    return size.target.limit(size.rope) < effect < size.data.largest


PLOTS = {"power": Plot(power)}
