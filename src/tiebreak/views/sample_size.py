"""Sample sizes, in words, as a table and as JSON; and the order in which to run, as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.views.json import document, finite, plain, write_whole
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import count, decimals_for, format_bound, format_percent, listed, seconds

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.sample_size import SampleSize, SizeSpending, SizeStep

COLUMNS = ("n", "smallest", "power", "cost", "seconds")
"""Of the frame: units, the smallest difference (or rope) that they show, the power for the one in question, cost and time."""


def page(size: SampleSize) -> Page:
    """The answer, what it costs, what more and less would show, and what is taken for granted."""
    parts: list[Any] = [Paragraph((_sentence(size), *_further(size)), n_strong=1), _steps(size)]
    if size.spending:
        parts.append(_spending(size))
    parts.append(Paragraph(tuple(_small_print(size)), is_small=True))
    return Page(tuple(parts))


def frame(size: SampleSize) -> pd.DataFrame:
    """A row for each number of units."""
    import pandas as pd

    return pd.DataFrame(rows(size), columns=list(COLUMNS))


def rows(size: SampleSize) -> list[tuple[Any, ...]]:
    """Values of `COLUMNS`."""
    return [(*step, step.cost * size.seconds) for step in size.steps]


def csv_rows(size: SampleSize) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """Header and rows of the table as CSV."""
    return COLUMNS, rows(size)


def facts(size: SampleSize) -> dict[str, Any]:
    """The answer in schema 1."""
    looks, target = size.looks, size.target
    return document(
        kind="sample-size",
        solved=size.solved,
        n=size.n,
        unit=size.unit,
        difference=finite(size.difference),
        rope=finite(size.rope),
        power=size.power,
        goal=target.goal,
        question=size.data.question,
        procedure=size.data.procedure,
        family={
            "alpha": target.alpha,
            "interval_alpha": target.interval_alpha,
            "n_questions": target.n_questions,
            "n_models": target.n_models,
        },
        assumed=plain(size.data),
        pilot=size.pilot or None,
        n_cautious=size.n_cautious,
        cost=None if size.n is None else size.cost_of(size.n),
        cost_unit=size.data.cost(1)[1],
        seconds=finite(size.total_seconds),
        floor=finite(size.floor),
        worth_running=size.worth_running,
        times_data=finite(size.times_data),
        steps=[plain(dict(zip(COLUMNS, row, strict=True))) for row in rows(size)],
        spending=[plain(each) for each in size.spending],
        looks=None
        if looks is None
        else {
            "n": list(looks.n),
            "interval_alpha": list(looks.interval_alphas),
            "stopping": list(looks.stopping),
            "expected": looks.expected,
            "expected_if_equal": looks.expected_if_equal,
            "largest": looks.largest,
        },
    )


# --- sentences ----------------------------------------------------------------------------------------------------------------


def shown(size: SampleSize, effect: str, verb: str = "show") -> str:
    """Goal in words, with a difference (or rope) in words: "show a true difference of 0.02"."""
    goal, d = size.target.goal, f"{size.difference:.4g}"
    if goal == "ahead" or (goal == "better" and size.rope == 0):
        return f"{verb} a true difference of {effect}"
    if goal == "better":
        return f"{verb} that a true difference of {effect} exceeds the rope of {size.rope:.4g}"
    if goal == "equivalent":
        true = "without a true difference" if size.difference == 0 else f"that differ by {d}"
        return f"{verb} two models {true} to be equivalent, within {effect}"
    if goal == "not worse":
        who = "a model that is as good as another" if size.difference == 0 else f"a model with a true difference of {d}"
        return f"{verb} that {who} is not worse by more than {effect}"
    return f"{verb} that one of {size.target.n_models} equally good models is within {effect} of the best"


def effect_text(size: SampleSize, value: float) -> str:
    """The difference, or rope, as it was given, or rounded up as it was worked out."""
    if size.solved in ("difference", "rope") or value != size.effect:
        return bound(value)
    return f"{value:.4g}"


def bound(value: float) -> str:
    """A smallest difference with three digits, rounded up; "-" where there is none."""
    return "-" if not isfinite(value) else format_bound(value, decimals_for(value / 10))


def _units(size: SampleSize, n: int) -> str:
    """Units in words, with their clusters."""
    data, said = size.data, f"{n:,} {size.unit}{'' if n == 1 else 's'}"
    if getattr(data, "has_clusters", False):
        said += f" in {data.n_clusters(n):,} clusters"  # type: ignore[attr-defined]
    if data.question == "seeds" and data.procedure == "welch":
        said += " of each model"
    return f"a test set of {said} for each model" if data.question == "test-sets" else said


def _sentence(size: SampleSize) -> str:
    power = format_percent(round(size.power, 3))
    if size.n is None:
        most = f"; ever so many show {bound(size.floor)} only" if size.floor else ""
        if isfinite(size.effect):
            return f"No number of {size.unit}s would {shown(size, effect_text(size, size.effect))} with {power} power{most}."
    n = size.n or 0
    if not isfinite(size.effect):
        what = "true difference" if size.target.is_by_difference else "rope"
        return f"With {_units(size, n)} no {what} is large enough to be shown with {power} power."
    verb = "shows" if n == 1 or size.data.question == "test-sets" else "show"
    said = f"{_units(size, n)} {shown(size, effect_text(size, size.effect), verb)} with {power} power"
    ending = "; a smaller one is missed more often" if size.solved == "difference" else ""
    return f"{said[0].upper()}{said[1:]}{ending}."


def _further(size: SampleSize) -> list[str]:
    """Costs, caution after a pilot, looks, and the floor of repeats."""
    found = []
    if size.n is not None:
        cost, noun = size.cost_of(size.n), size.data.cost(1)[1]
        time = "" if isnan(size.seconds) else f", about {seconds(size.total_seconds)} one after the other"
        per = f"{size.target.n_models} models"
        nouns = "datasets measured" if noun == "dataset measured" else f"{noun}s"
        found.append(f"For {per} that is {cost:,} {nouns}{time}.")
    if size.pilot:
        found.append(_pilot_words(size))
    looks = size.looks
    if looks is not None:
        at = listed([f"{n:,}" for n in looks.n], most=7)
        mean = f"{looks.expected:,.0f} on average if there is no difference"
        if size.difference:
            equal = f"{looks.expected_if_equal:,.0f} if there is none"
            mean = f"{looks.expected:,.0f} on average if the difference is as assumed, {equal}"
        said = f"With {count(len(looks.n), 'look')}, after {at} {size.unit}s, it takes {mean}, and at most {looks.largest:,}."
        if len(looks.n) < size.target.n_looks:
            said += f" Looks at fewer than {looks.n[0]:,} were not measured to keep their level, so none is taken there."
        found.append(said)
    if size.data.has_floor:
        found += _floor_words(size)
    return found


def _pilot_words(size: SampleSize) -> str:
    said = f"How much differences vary is from a pilot, {size.pilot}"
    if size.cautious is None:
        return f"{said}."
    if size.solved == "n":
        need = size.n_cautious
        more = "no number is enough" if need is None else f"{need:,} {size.unit}s are needed"
        return f"{said}, and not known exactly: at the upper end of what it leaves likely (80%) {more}."
    return f"{said}, and not known exactly."


def _floor_words(size: SampleSize) -> list[str]:
    worth = size.worth_running
    if worth is None:
        least = f"Ever so many {size.unit}s would show {bound(size.floor)} and no less, as runs differ for all of them alike"
        return [f"{least}: below that only more runs help."]
    come = f"{count(worth, 'repeat')} {'come' if worth > 1 else 'comes'}"
    least = f"Ever so many repeats would show {bound(size.floor)} and no less, as they share their data"
    found = [f"{least}; {come} within 5% of that, so more are hardly worth running: only more data help."]
    if size.n is None and isfinite(size.times_data):
        found.append(
            f"Ever so many repeats of about {size.times_data:.2g} times as much data would show {effect_text(size, size.effect)}."
        )
    return found


def _steps(size: SampleSize) -> Table:
    """Numbers of units below and above."""
    effect = effect_text(size, size.effect)
    what = "difference" if size.target.is_by_difference else "rope"
    noun = size.data.cost(1)[1]
    has_time, has_effect = not isnan(size.seconds), isfinite(size.effect)
    headers = [f"{size.unit}s", f"smallest {what}", *([f"power for {effect}"] if has_effect else []), f"{noun}s"]
    headers[-1] = "measured" if noun == "dataset measured" else headers[-1]

    def cells(step: SizeStep) -> tuple[str, ...]:
        power = (format_percent(round(step.power, 2)),) if has_effect else ()
        time = (seconds(step.cost * size.seconds),) if has_time else ()
        return (f"{step.n:,}", bound(step.smallest), *power, f"{step.cost:,}", *time)

    power = format_percent(round(size.power, 3))
    title = f"What fewer and more {size.unit}s show; the smallest {what} is that seen with {power} power"
    n = len(headers) + has_time
    return Table(title, (*headers, *(["time"] if has_time else [])), tuple(map(cells, size.steps)), (True,) * n)


def _spending(size: SampleSize) -> Table:
    """Ways of spending more."""
    what = "difference" if size.target.is_by_difference else "rope"
    noun = size.data.cost(1)[1]

    def cells(way: SizeSpending) -> tuple[str, ...]:
        return way.what, f"{way.error:.2f}", bound(way.smallest), f"{way.cost:,}"

    return Table("What to spend more on", ("", "error", f"smallest {what}", f"{noun}s"), tuple(map(cells, size.spending)))


def _small_print(size: SampleSize) -> list[str]:
    target, data = size.target, size.data
    level = format_percent(1 - float(f"{target.interval_alpha:.4g}"))
    shared = ""
    if target.n_questions > 1:
        noun = "requirements" if target.goal in ("not worse", "near best") else "pairs or requirements"
        shared = f", so that {target.n_questions} {noun} share {format_percent(target.alpha)}; the power is that of one of them"
    return [
        f"By the {level} interval of the method {data.procedure!r}{shared}.",
        f"It is taken for granted that {data.assumed}.",
    ]


# --- order --------------------------------------------------------------------------------------------------------------------


def order_text(
    size: SampleSize,
    path: str | os.PathLike[str],
    ids: Sequence[object] | None = None,
    clusters: Sequence[object] | None = None,
    rng: int | np.random.Generator = 0,
) -> str:
    """The order as CSV, also written to a file."""
    held = size.order(ids, clusters, rng)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(held[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(held)
    write_whole(Path(path), text.getvalue().encode())
    return text.getvalue()


VIEW = View(
    page,
    frame,
    facts,
    "tiebreak.views.plots.sample_size:PLOTS",
    sentence=_sentence,
    texts={"order": "tiebreak.views.sample_size:order_text"},
)
