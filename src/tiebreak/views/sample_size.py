"""Sample sizes, in words, as a table and as JSON."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np

from tiebreak.comparison.sample_size import SampleSize, whole
from tiebreak.statistics.power import N_DRAWS
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.plots.draw import Curve, Drawing, Plot, lines
from tiebreak.views.view import View, document, records_of
from tiebreak.views.words import count, decimals_for, format_bound, format_percent, listed

COLUMNS = ("n", "smallest", "power", "cost")
"""Of the frame: units, the smallest difference (or rope) that they show, the power for the one in question, and the cost."""

FACTS = ("n power_error power solved unit goal question n_cautious alpha interval_alpha n_models difference rope floor").split()
"""Of the JSON, as the answer has them."""

COSTS = {"splits": "fit", "seeds": "fit", "datasets": "result"}
"""Noun for what a unit costs each model, by question, where it is no answer."""


def page(size: SampleSize) -> Page:
    """The answer, what it costs, what more and less would show, and what is taken for granted."""
    told = Paragraph((_sentence(size), *_further(size)), n_strong=1)
    level, n_pairs = format_percent(1 - float(f"{size.interval_alpha:.4g}")), round(size.alpha / size.interval_alpha)
    shared = f", so that {n_pairs} pairs share {format_percent(size.alpha)}" if n_pairs > 1 else ""
    known = f"{N_DRAWS:,} data sets were drawn, so the power is known to {100 * size.power_error:.1f} points (standard error)"
    method = f"By the {level} interval of the method {size.population.procedure!r}{shared}; {known}."
    small = Paragraph((method, f"It is taken for granted that {assumed(size)}."), is_small=True)
    return Page((told, _steps(size), small))


def columns(size: SampleSize) -> dict[str, Any]:
    """A row for each number of units."""
    return dict(zip(COLUMNS, zip(*size.steps, strict=True), strict=True))


def facts(size: SampleSize) -> dict[str, Any]:
    """The answer as JSON knows it."""
    return document(
        kind="sample-size",
        **{name: getattr(size, name) for name in FACTS},
        procedure=size.population.procedure,
        assumed=size.population,
        pilot=size.pilot or None,
        cost=None if size.n is None else size.cost_of(size.n),
        cost_unit=_cost_noun(size),
        steps=list(records_of(columns(size))),
        looks=size.looks,
    )


def _cost_noun(size: SampleSize) -> str:
    return COSTS.get(size.question, "answer")


# --- sentences ------------------------------------------------------------------------------------------------------------

GOALS = {
    "better": "{verb} a true difference of {effect}{beyond}",
    "equivalent": "{verb} two models that differ by {d} to be equivalent, within {effect}",
    "not worse": "{verb} that a model with a true difference of {d} is not worse by more than {effect}",
}


def shown(size: SampleSize, effect: str, verb: str = "show") -> str:
    """Goal in words, with a difference (or rope) in words: "show a true difference of 0.02"."""
    beyond = f" to be more than the rope of {size.rope:.4g}" if size.rope else ""
    return GOALS[size.goal].format(verb=verb, effect=effect, beyond=beyond, d=f"{size.difference:.4g}")


def effect_text(size: SampleSize) -> str:
    """The difference, or rope, as it was given, or rounded up as it was worked out."""
    return bound(size.effect) if size.solved in ("difference", "rope") else f"{size.effect:.4g}"


def bound(value: float) -> str:
    """A smallest difference with three digits, rounded up; "-" where there is none."""
    return "-" if not isfinite(value) else format_bound(value, decimals_for(value / 10))


def _units(size: SampleSize, n: int) -> str:
    """Units in words, with their clusters."""
    it, said = size.population, count(n, size.unit)
    if it.cluster_size > 1:
        said += f" in {int(n / it.cluster_size + 1e-9):,} clusters"
    if it.procedure == "welch" and size.question == "seeds":
        said += " of each model"
    return f"a test set of {said} for each model" if size.question == "test-sets" else said


def _sentence(size: SampleSize) -> str:
    power = format_percent(round(size.power, 3))
    if size.n is None:
        most = f"; ever so many show {bound(size.floor)} only" if size.floor else ""
        number = "number" if size.floor else "realistic number"
        return f"No {number} of {size.unit}s would {shown(size, effect_text(size))} with {power} power{most}."
    if not isfinite(size.effect):
        what = "true difference" if size.goal == "better" else "rope"
        return f"With {_units(size, size.n)} no {what} is large enough to be shown with {power} power."
    verb = "shows" if size.n == 1 or size.question == "test-sets" else "show"
    said = f"{_units(size, size.n)} {shown(size, effect_text(size), verb)} with {power} power"
    ending = "; a smaller one is missed more often" if size.solved == "difference" else ""
    return f"{said[0].upper()}{said[1:]}{ending}."


def _further(size: SampleSize) -> Iterator[str]:
    """Costs, caution after a pilot, looks, and what ever so many units leave."""
    looks = size.looks
    if size.n is not None:
        yield f"For {size.n_models} models that is {size.cost_of(size.n):,} {_cost_noun(size)}s."
    if size.pilot:
        need = "no number is enough" if size.n_cautious is None else f"{size.n_cautious:,} {size.unit}s are needed"
        upper = f": at the upper end of what it leaves likely (80%) {need}" if size.solved == "n" else ""
        yield f"How much differences vary is from a pilot, {size.pilot}, and not known exactly{upper}."
    if looks is not None:
        at, mean = listed([f"{n:,}" for n in looks.n], most=7), f"{looks.expected_if_equal:,.0f} on average if there is none"
        mean = f"{looks.expected:,.0f} on average if the difference is as assumed, {mean}" if size.difference else mean
        few = f" Looks at fewer than {looks.n[0]:,} were not measured to keep their level, so none is taken there."
        said = f"With {count(len(looks.n), 'look')}, after {at} {size.unit}s, it takes {mean}, and at most {looks.n[-1]:,}."
        yield said + few * (len(looks.n) < size.n_looks)
    if size.floor:
        why = "they share their data: beyond that only more data help"
        limit = size.rope if size.goal == "better" else abs(size.difference)
        if size.n is None and size.effect > limit:
            times = ((size.floor - limit) / (size.effect - limit)) ** 2
            why += f" (to show {effect_text(size)}, about {times:.2g} times as much)"
        why = why if size.question == "splits" else "runs differ for all of them alike"
        yield f"Ever so many {size.unit}s would show {bound(size.floor)} and no less, as {why}."


def _steps(size: SampleSize) -> Table:
    """Numbers of units below and above."""
    what, power = "difference" if size.goal == "better" else "rope", format_percent(round(size.power, 3))
    chances = [format_percent(round(chance, 2)) for _, _, chance, _ in size.steps if isfinite(size.effect)]
    columns = [
        (f"{size.unit}s", [f"{n:,}" for n, *_ in size.steps]),
        (f"smallest {what}", [bound(smallest) for _, smallest, *_ in size.steps]),
        *([(f"power for {effect_text(size)}", chances)] if chances else []),
        (f"{_cost_noun(size)}s", [f"{cost:,}" for *_, cost in size.steps]),
    ]
    title = f"What fewer and more {size.unit}s show; the smallest {what} is that seen with {power} power"
    return Table.of(title, columns, left=("",))


NORMAL = "differences are normal over {over} with a standard deviation of {sd}"
ASSUMED = {
    "pilot": "the standard error is {it.pilot_error:.4g} with {it.pilot_n:,} {unit}s and falls with the root of their number",
    "newcombe": "the second model has {rate} right, and each model has {unit}s of its own",
    "rate": "the second model has {rate} right, being right correlates by {it.correlation:.3g}",
    "discordant": "exactly one model is right on {discordant} of the {unit}s",
    "welch": "scores of a model are normal over {unit}s with a standard deviation of {sd}",
    "corrected-t": f"{NORMAL}, a repeat has {{it.n_folds}} of them and n_test / n_train is {{it.ratio:.3g}}",
    "clusters": f"{NORMAL}, in clusters of {{it.cluster_size:.3g}} with a correlation of {{it.intraclass_correlation:.3g}}",
}


def assumed(size: SampleSize) -> str:
    """Assumptions on the differences, in words."""
    it, unit = size.population, size.unit
    known = {"pilot": it.pilot_n, it.procedure: True, "rate": it.rate is not None, "discordant": it.discordant is not None}
    clustered = it.cluster_size > 1
    over = "means of clusters" if clustered and size.pilot else "splits" if it.procedure == "corrected-t" else f"{unit}s"
    key = next((name for name, holds in known.items() if holds and name in ASSUMED), "")
    said = ASSUMED.get(key, NORMAL)
    if clustered and not size.pilot:
        said += ASSUMED["clusters"].removeprefix(NORMAL)
    return said.format(
        it=it,
        unit=unit,
        over=over,
        sd=" and ".join(f"{each:.4g}" for each in dict.fromkeys(it.sd)),
        rate=f"{100 * (it.rate or 0.0):.4g}%",
        discordant=f"{100 * (it.discordant or 0.0):.4g}%",
    )


# --- plots ------------------------------------------------------------------------------------------------------------------

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
    parts = [(effect, data[data["effect"] == effect]) for effect in effects]
    what, level = "difference" if size.goal == "better" else "rope", format_percent(1 - float(f"{size.interval_alpha:.4g}"))
    return lines(
        data,
        [Curve(part["n"], part["power"], f"{what} {bound(effect)}") for effect, part in parts],
        title=_sentence(size).rstrip("."),
        note=f"Chance that the {level} interval of '{size.population.procedure}' shows it, and other {what}s.",
        x_label=f"{size.unit}s",
        y_label="power",
        dotted=[([numbers[0], numbers[-1]], [size.power, size.power])],
        log=True,
        points=[(size.n, size.power)] if size.n is not None and isfinite(size.effect) else [],
    )


VIEW = View(page, columns, facts, {"power": Plot(power)}, sentence=_sentence)
