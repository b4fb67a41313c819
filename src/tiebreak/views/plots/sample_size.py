"""Plot of a sample size: power over the number of units."""

from math import isfinite

import numpy as np

from tiebreak.comparison.sample_size import SampleSize, whole
from tiebreak.views.plots.draw import Curve, Drawing, Plot, lines
from tiebreak.views.sample_size import bound
from tiebreak.views.words import format_percent

POINTS = 20
"""Numbers of units at which a power is worked out."""

TIMES = (1 / 1.5, 1.0, 1.5)
"""Differences that are drawn, as multiples of the one in target."""

AROUND = 5
"""Times as few and as many units that are drawn."""


def power(size: SampleSize) -> Drawing:
    """Power over the number of units, for the difference in target, a smaller and a larger one."""
    import pandas as pd

    step, middle = size.step, size.n or max(size.fewest, 10)
    low, high = max(size.fewest, middle // AROUND), max(middle * AROUND, size.fewest + AROUND * step)
    numbers = sorted({whole(n, step) for n in np.geomspace(low, high, POINTS)})
    target = size.effect if isfinite(size.effect) else size.smallest(numbers[-1])
    least, most = (size.rope, size.largest) if size.goal == "better" else (abs(size.difference), np.inf)  # that there can be
    effects = [times * target for times in TIMES if max(least, 0.0) < times * target < most]
    found = [(effect, n, size.power_at(n, effect)) for effect in effects for n in numbers]
    data = pd.DataFrame(found, columns=["effect", "n", "power"])
    what = "difference" if size.goal == "better" else "rope"
    chance, level = format_percent(round(size.power, 3)), format_percent(1 - float(f"{size.interval_alpha:.4g}"))
    title = f"{size.n or 0:,} {size.unit}s show a {what} of {bound(size.effect)} with {chance} power"
    if size.n is None:
        title = f"No number of {size.unit}s shows a {what} of {size.effect:.3g} with {chance} power"
    elif not isfinite(size.effect):
        title = f"{size.n:,} {size.unit}s show no {what} with {chance} power"
    parts = [(effect, data[data["effect"] == effect]) for effect in effects]
    return lines(
        data,
        [Curve(part["n"], part["power"], f"{what} {bound(effect)}") for effect, part in parts],
        title=title,
        note=f"Chance that the {level} interval of '{size.population.procedure}' shows it, and other {what}s.",
        x_label=f"{size.unit}s",
        y_label="power",
        dotted=[([numbers[0], numbers[-1]], [size.power, size.power])],
        log=True,
        points=[(size.n, size.power)] if size.n is not None and isfinite(size.effect) else [],
    )


PLOTS = {"power": Plot(power)}
