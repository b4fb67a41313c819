"""The noise floor of a suite, in words, as a frame and as JSON."""

from collections.abc import Iterator
from typing import Any

from tiebreak.comparison.noise_floor import NoiseFloor
from tiebreak.views.page import Page, Paragraph, Section
from tiebreak.views.view import View, document
from tiebreak.views.words import count, format_percent, listed, printable, quote

FEW_RUNS = 4
"""Runs below which what whole runs share is hardly seen."""


def page(floor: NoiseFloor) -> Page:
    """The floor, what it was measured on, what it means for a gate, and what it could not see."""
    meaning = (
        f"A smaller difference between two models may be noise, and a gate with a margin below {floor.floor:.3g} is "
        f"inconclusive. The largest difference of two single runs seen is {floor.largest:.3g}."
    )
    runs, names = _runs(floor, floor.n_runs), listed([quote(name) for name in floor.models])
    of = f"{runs} of {names}" if len(floor.models) == 1 else f"at least {floor.n_runs} {floor.kind} each of {names}"
    on = "on one test set" if floor.kind == "seeds" else f"on {count(floor.n_items, floor.unit)}"
    how = "the spread of the runs' means" if floor.differs_as_whole else f"how single answers to each {floor.unit} differ"
    return Page(
        (
            Paragraph((sentence(floor), meaning), n_strong=1),
            Section("Warnings", warnings(floor)),
            Paragraph((f"Measured from {of} {on}, by {how} (Student's t).",), is_small=True),
        )
    )


def columns(floor: NoiseFloor) -> dict[str, Any]:
    """One row."""
    held = {**_numbers(floor), "metric": floor.metric.name, "models": ", ".join(floor.models)}
    return {name: [value] for name, value in held.items()}


def facts(floor: NoiseFloor) -> dict[str, Any]:
    """The floor in schema 1, as `read_noise_floor` reads it."""
    return document(**_numbers(floor), metric=floor.metric, models=floor.models, sentence=sentence(floor))


def _numbers(floor: NoiseFloor) -> dict[str, Any]:
    names = ("level", "kind", "n_runs", "n_averaged", "n_items", "n_left_out", "unit", "largest", "differs_as_whole")
    return {"noise_floor": floor.floor, **{name: getattr(floor, name) for name in names}}


def sentence(floor: NoiseFloor) -> str:
    """Distance of two runs, in a sentence."""
    one = "Two runs" if floor.n_averaged == 1 else f"Two means of {_runs(floor, floor.n_averaged)} each"
    metric = printable(floor.metric.name)
    return f"{one} of one model differ by at most {floor.floor:.3g} in {metric} here ({format_percent(floor.level)})."


def _runs(floor: NoiseFloor, n: int) -> str:
    return count(n, floor.kind.removesuffix("s"))


def warnings(floor: NoiseFloor) -> Iterator[tuple[str, str]]:
    """Codes and texts of what a reader should know."""
    runs, few = _runs(floor, floor.n_runs), floor.n_runs < FEW_RUNS
    if few and (floor.differs_as_whole or floor.kind == "runs"):
        whose = "the runs' means" if floor.differs_as_whole else "single answers"
        said = f"{runs} say little of how far apart whole runs lie, as of another server; the floor is that of {whose}."
        yield "few-units", f"{said} More runs would show it."
    if floor.n_left_out:
        yield "left-out", f"Without {count(floor.n_left_out, floor.unit)} that some run lacks."
    if floor.floor == 0.0:
        yield "identical-scores", "all runs have the very same scores, so nothing says how large their noise may be."


VIEW = View(page, columns, facts)
