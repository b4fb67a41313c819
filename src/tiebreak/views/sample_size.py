"""Sample sizes, in words, as a table and as JSON."""

from dataclasses import asdict
from math import isfinite, isnan
from typing import Any

from tiebreak.comparison.sample_size import SampleSize
from tiebreak.statistics.power import N_DRAWS
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View, document, finite, plain, records_of
from tiebreak.views.words import count, decimals_for, format_bound, format_percent, listed

COLUMNS = ("n", "smallest", "power", "cost")
"""Of the frame: units, the smallest difference (or rope) that they show, the power for the one in question, and the cost."""

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
    names = (
        "n",
        "power_error",
        "power",
        "solved",
        "unit",
        "goal",
        "question",
        "n_cautious",
        "alpha",
        "interval_alpha",
        "n_models",
    )
    return document(
        kind="sample-size",
        **{name: getattr(size, name) for name in names},
        **{name: finite(getattr(size, name)) for name in ("difference", "rope", "floor")},
        procedure=size.population.procedure,
        assumed=plain(asdict(size.population)),
        pilot=size.pilot or None,
        cost=None if size.n is None else size.cost_of(size.n),
        cost_unit=_cost_noun(size),
        steps=list(records_of(columns(size))),
        looks=None if size.looks is None else plain(size.looks._asdict()),
    )


# --- sentences ------------------------------------------------------------------------------------------------------------


def shown(size: SampleSize, effect: str, verb: str = "show") -> str:
    """Goal in words, with a difference (or rope) in words: "show a true difference of 0.02"."""
    d = f"{size.difference:.4g}"
    if size.goal == "better":
        beyond = f" exceeds the rope of {size.rope:.4g}" if size.rope else ""
        return f"{verb} {'that ' if beyond else ''}a true difference of {effect}{beyond}"
    if size.goal == "equivalent":
        true = "without a true difference" if size.difference == 0 else f"that differ by {d}"
        return f"{verb} two models {true} to be equivalent, within {effect}"
    who = "a model that is as good as another" if size.difference == 0 else f"a model with a true difference of {d}"
    return f"{verb} that {who} is not worse by more than {effect}"


def effect_text(size: SampleSize, value: float) -> str:
    """The difference, or rope, as it was given, or rounded up as it was worked out."""
    return bound(value) if size.solved in ("difference", "rope") or value != size.effect else f"{value:.4g}"


def bound(value: float) -> str:
    """A smallest difference with three digits, rounded up; "-" where there is none."""
    return "-" if not isfinite(value) else format_bound(value, decimals_for(value / 10))


def _units(size: SampleSize, n: int) -> str:
    """Units in words, with their clusters."""
    said = f"{n:,} {size.unit}{'' if n == 1 else 's'}"
    if size.population.cluster_size > 1:
        said += f" in {int(n / size.population.cluster_size + 1e-9):,} clusters"
    if size.question == "seeds" and size.population.procedure == "welch":
        said += " of each model"
    return f"a test set of {said} for each model" if size.question == "test-sets" else said


def _cost_noun(size: SampleSize) -> str:
    return COSTS.get(size.question, "answer")


def _sentence(size: SampleSize) -> str:
    power = format_percent(round(size.power, 3))
    if size.n is None:
        most = f"; ever so many show {bound(size.floor)} only" if size.floor else ""
        return f"No number of {size.unit}s would {shown(size, effect_text(size, size.effect))} with {power} power{most}."
    if not isfinite(size.effect):
        what = "true difference" if size.goal == "better" else "rope"
        return f"With {_units(size, size.n)} no {what} is large enough to be shown with {power} power."
    verb = "shows" if size.n == 1 or size.question == "test-sets" else "show"
    said = f"{_units(size, size.n)} {shown(size, effect_text(size, size.effect), verb)} with {power} power"
    ending = "; a smaller one is missed more often" if size.solved == "difference" else ""
    return f"{said[0].upper()}{said[1:]}{ending}."


def _further(size: SampleSize) -> list[str]:
    """Costs, caution after a pilot, looks, and what ever so many units leave."""
    found, looks = [], size.looks
    if size.n is not None:
        found.append(f"For {size.n_models} models that is {size.cost_of(size.n):,} {_cost_noun(size)}s.")
    if size.pilot:
        said = f"How much differences vary is from a pilot, {size.pilot}, and not known exactly"
        need = "no number is enough" if size.n_cautious is None else f"{size.n_cautious:,} {size.unit}s are needed"
        found.append(f"{said}{f': at the upper end of what it leaves likely (80%) {need}' if size.solved == 'n' else ''}.")
    if looks is not None:
        at, mean = listed([f"{n:,}" for n in looks.n], most=7), f"{looks.expected_if_equal:,.0f} on average if there is none"
        mean = f"{looks.expected:,.0f} on average if the difference is as assumed, {mean}" if size.difference else mean
        said = f"With {count(len(looks.n), 'look')}, after {at} {size.unit}s, it takes {mean}, and at most {looks.n[-1]:,}."
        few = f" Looks at fewer than {looks.n[0]:,} were not measured to keep their level, so none is taken there."
        found.append(said + (few if len(looks.n) < size.n_looks else ""))
    if size.floor:
        why = "they share their data" if size.question == "splits" else "runs differ for all of them alike"
        more = ""
        if size.question == "splits":
            more = ": beyond that only more data help"
            limit = size.rope if size.goal == "better" else abs(size.difference)
            if size.n is None and size.effect > limit:
                times = ((size.floor - limit) / (size.effect - limit)) ** 2
                more += f" (to show {effect_text(size, size.effect)}, about {times:.2g} times as much)"
        found.append(f"Ever so many {size.unit}s would show {bound(size.floor)} and no less, as {why}{more}.")
    return found


def _steps(size: SampleSize) -> Table:
    """Numbers of units below and above."""
    what, power = "difference" if size.goal == "better" else "rope", format_percent(round(size.power, 3))
    headers = [f"{size.unit}s", f"smallest {what}", f"power for {effect_text(size, size.effect)}", f"{_cost_noun(size)}s"]
    rows = [
        (f"{n:,}", bound(smallest), "-" if isnan(chance) else format_percent(round(chance, 2)), f"{cost:,}")
        for n, smallest, chance, cost in size.steps
    ]
    title = f"What fewer and more {size.unit}s show; the smallest {what} is that seen with {power} power"
    return Table(title, tuple(headers), tuple(rows), (True,) * len(headers))


def assumed(size: SampleSize) -> str:
    """Assumptions on the differences, in words."""
    it, unit = size.population, size.unit
    sds = " and ".join(f"{each:.4g}" for each in dict.fromkeys(it.sd))
    if it.pilot_n:
        said = f"the standard error is {it.pilot_error:.4g} with {it.pilot_n:,} {unit}s and falls with the root of their number"
    elif it.procedure == "newcombe":
        said = f"the second model has {_percent(it.rate)} right, and each model has {unit}s of its own"
    elif it.rate is not None:
        said = f"the second model has {_percent(it.rate)} right, being right correlates by {it.correlation:.3g}"
    elif it.discordant is not None:
        said = f"exactly one model is right on {_percent(it.discordant)} of the {unit}s"
    elif it.procedure == "welch":
        said = f"scores of a model are normal over {unit}s with a standard deviation of {sds}"
    elif it.procedure == "corrected-t":
        said = f"differences are normal over splits with a standard deviation of {sds}, a repeat has {it.n_folds} of them and "
        said += f"n_test / n_train is {it.ratio:.3g}"
    else:
        clusters = " means of clusters" if size.pilot and it.cluster_size > 1 else f" {unit}s"
        said = f"differences are normal over{clusters} with a standard deviation of {sds}"
    if it.cluster_size > 1 and not size.pilot:
        said += f", in clusters of {it.cluster_size:.3g} with a correlation of {it.intraclass_correlation:.3g}"
    return said


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0.0):.4g}%"


VIEW = View(page, columns, facts, "tiebreak.views.plots.sample_size:PLOTS", sentence=_sentence)
