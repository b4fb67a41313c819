"""Every number and claim of the pages in golden/ and of random ones follows from the data, and no fact stands twice.

Forty random answers as a rule; ``WALK=2000 pytest tests/views/test_walk.py`` walks two thousand, ``WALK_FROM=1000`` others.
"""

import html
import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import tiebreak as tb
from tests.views.answers import ANSWERS
from tests.views.tables_of_all_kinds import table_of
from tiebreak.views.words import model_names

N, FIRST, STEP = int(os.environ.get("WALK", "40")), int(os.environ.get("WALK_FROM", "0")), 20

pytestmark = pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")

NUMBER = r"[-+]?[\d.]+(?:e[-+]?\d+)?"


class Shown:
    """A page as its Markdown has it, and its data."""

    def __init__(self, comparison: tb.Comparison) -> None:
        self.comparison, self.facts = comparison, comparison.to_dict()
        self.markdown = html.unescape(comparison.to_markdown()).replace("\\", "")
        blocks = [block for block in self.markdown.split("\n\n") if not block.startswith(("|", "**By "))]
        self.headline = blocks[0].strip("*\n")
        self.prose = " ".join(blocks)
        self.names = dict(zip(model_names(comparison.models), comparison.models, strict=True))
        self.ranking = {row["model"]: row for row in self.facts["ranking"]}
        self.first = comparison.settings.baseline or next(iter(self.ranking))
        self.is_paired = comparison.method.is_paired
        self.is_judged = self.facts["resolved"]["family"] != "best"
        table = next(block for block in self.markdown.split("\n\n") if block.startswith("|"))
        self.header, _, *self.cells = [[c.strip() for c in re.split(r" ?\| ?", line)[1:-1]] for line in table.splitlines()]

    def said(self, text: str) -> list[str]:
        """Models that a text names, the longest names first, so that no name is found within another."""
        found = []
        for shown in sorted(self.names, key=len, reverse=True):
            if re.search(rf"(?<![\w(]){re.escape(shown)}(?![\w(])", text):
                found.append(self.names[shown])
                text = re.sub(rf"(?<!\w){re.escape(shown)}(?!\w)", "", text)
        return found

    def pair(self, model: str) -> dict[str, Any]:
        """The pair of a model with the first one or the baseline, so that positive favours the model."""
        pair = self.comparison.pair(model, self.first)
        return {name: getattr(pair, name) for name in ("difference", "interval_low", "interval_high", "verdict", "n_units")}


def walk(shown: Shown) -> Iterator[str]:
    """What on a page contradicts the data."""
    yield from _of_headline(shown)
    yield from _of_table(shown)
    yield from _of_prose(shown)


def _of_headline(shown: Shown) -> Iterator[str]:
    text, ranking = shown.headline, shown.ranking
    short = text
    for name in sorted(shown.names, key=len, reverse=True):
        short = short.replace(name, "x")
    if len(short.split()) > 16:  # the name of a value may be two words
        yield f"the headline is long: {text}"
    named = shown.said(text)
    if not named:
        yield f"the headline names nobody: {text}"
    standing = {name: row.get("standing") for name, row in ranking.items()}
    may = [name for name, value in standing.items() if value not in (None, "not best") and ranking[name]["may_be_best"]]
    if " is the best of the " in text and [name for name in standing if standing[name] == "best"] != named:
        yield f"not the best: {text}"
    if "shown to be within" in text and standing[named[0]] not in ("near best", "best"):
        yield f"not near the best: {text}"
    if "may be as good" in text:
        leader = next(iter(may))
        k = re.search(r"but (\d+) others", text)
        n_rivals = len(may) - sum(ranking[name]["rank"] == ranking[leader]["rank"] for name in may)
        if leader not in named or not set(named) <= set(may) or (k and int(k[1]) != n_rivals):
            yield f"others may be the best: {text}"
    found = {shown.pair(model)["verdict"] for model in ranking if model != shown.first} if len(ranking) == 2 else set()
    for words, verdicts in ((" is better than ", {"better", "worse"}), (" is ahead of ", {"ahead", "behind"})):
        if words in text and found and not found & verdicts:
            yield f"no pair says so: {text}"
    if text.startswith("No winner") and "best" in standing.values():
        yield f"there is a winner: {text}"


def _of_table(shown: Shown) -> Iterator[str]:
    is_below, seen = False, []
    columns = {name: k for k, name in enumerate(shown.header)}
    for cells in shown.cells:
        if len(cells) > 1 and cells[1].endswith("confidence"):
            is_below = True
            continue
        model = shown.names[cells[1]]
        row = shown.ranking[model]
        seen.append(model)
        if row.get("may_be_best") is not None and len(shown.ranking) > 2 and row["may_be_best"] == is_below:
            yield f"{model} stands on the wrong side of the rule"
        if int(cells[0]) != row["rank"]:
            yield f"{model} has another place"
        value = row.get("adjusted", row["mean"])
        if not _is_near(cells[2], value):
            yield f"{model} has the value {value}, not {cells[2]}"
        if not shown.is_judged:
            bound = row["shortfall_high"]
            if not (cells[3] == "-" if bound is None else float(cells[3]) >= bound * (1 - 1e-9)):
                yield f"{model} falls short by {bound}, not at most {cells[3]}"
        if "n" in columns and shown.is_judged and (not shown.is_paired or model != shown.first):
            n_units = (shown.pair(model) if shown.is_paired else row)["n_units"]
            if int(cells[columns["n"]].replace(",", "")) != n_units:
                yield f"{model} has {n_units} units, not {cells[columns['n']]}"
        if shown.is_judged and model != shown.first:
            yield from _of_pair(model, shown.pair(model), cells)
    rest = re.search(r"^and ([\d,]+) more", shown.markdown, re.MULTILINE)
    shares = sum(row["rank"] in {shown.ranking[m]["rank"] for m in seen} for row in shown.ranking.values())
    counted = len(seen) if shown.facts["settings"]["baseline"] else shares
    if counted + (int(rest[1]) if rest else 0) != len(shown.ranking):
        yield f"{len(shown.ranking)} models, not {counted} and {rest}"


def _of_pair(model: str, pair: dict[str, Any], cells: list[str]) -> Iterator[str]:
    if cells[-1] != pair["verdict"]:
        yield f"{model} is {pair['verdict']}, not {cells[-1]}"
    if not _is_near(cells[-3], pair["difference"]):
        yield f"{model} differs by {pair['difference']}, not {cells[-3]}"
    ends = re.findall(rf"(?<![\w]){NUMBER}", cells[-2])
    known = [x for x in (pair["interval_low"], pair["interval_high"]) if math.isfinite(x)]
    if cells[-2] != "-" and not all(_is_near(end, x, 1.0) for end, x in zip(ends, known, strict=True)):
        yield f"{model} has the interval {known}, not {cells[-2]}"


def _is_near(text: str, value: float | None, places: float = 0.51) -> bool:
    if value is None or math.isnan(value):
        return text == "-"
    digits = text.split("e")[0].partition(".")[2]
    power = int(text.partition("e")[2] or 0)
    return abs(float(text) - value) <= places * 10.0 ** (power - len(digits)) + 1e-9 * abs(value)


def _of_prose(shown: Shown) -> Iterator[str]:
    facts, text = shown.facts, shown.prose
    held = re.search(r"all (\d+) intervals hold together", text)
    if held and int(held[1]) != len(facts["pairs"]):
        yield f"{held[0]}: there are {len(facts['pairs'])}"
    if facts["resolved"]["method"] not in text:
        yield "the procedure is not named"
    is_of_means = facts["method"]["question"] == "summary"  # whose advice is about the overlap alone
    if (facts["resolved"]["rope"] == 0) != ("no rope" in text) and facts["detectable"] is not None and not is_of_means:
        yield "the rope is not said"
    step = text.partition("Take ")[2]
    if step and "whichever of" not in step and len(shown.ranking) > 2 and facts["settings"]["baseline"] is None:
        chosen = shown.said(step.partition(".")[0].partition(":")[0])
        if any(shown.ranking[name]["standing"] not in ("best", "near best") for name in chosen):
            yield f"{chosen} are not to be taken"
    sentences = [each for each in re.split(r"(?<=[.!:]) ", text) if len(each) > 25]
    yield from (f"twice: {each}" for each, n in Counter(sentences).items() if n > 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ANSWERS if not name.startswith("pair")])
def test_every_claim_follows_from_the_data(name: str) -> None:
    """Headline, places, values, differences, intervals, verdicts, the rule, counts, and what is to be taken."""
    answer = ANSWERS[name]()
    comparison = answer[0] if isinstance(answer, tuple) else answer
    assert list(walk(Shown(comparison))) == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(FIRST, FIRST + N, STEP))
def test_every_claim_of_random_answers_follows_from_the_data(start: int) -> None:
    """The same of tables of all questions with gaps, copies, ties, cycles, skew, losses and ropes."""
    found = []
    for seed in range(start, min(start + STEP, FIRST + N)):
        comparison = table_of(seed)
        found += [f"seed {seed} ({comparison.method.name}): {each}" for each in walk(Shown(comparison))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a leads", "c leads"),
        ("| worse |", "| better |"),
        ("| undecided |", "| equivalent |"),
        ("0.855 |", "0.895 |"),
        ("-0.160", "-0.161"),
        ("all 3 intervals", "all 6 intervals"),
        ("but b may", "but 4 others may"),
        ("| 2 | b |", "| 3 | b |"),
    ],
)
def test_a_planted_contradiction_is_found(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walker that finds nothing on a corrupted page would prove nothing of the others."""
    comparison = ANSWERS["splits 3 open"]()
    assert list(walk(Shown(comparison))) == []
    text = comparison.to_markdown()
    assert old in text
    monkeypatch.setattr(type(comparison), "to_markdown", lambda _: text.replace(old, new, 1))
    assert list(walk(Shown(comparison)))
