"""A reader that takes an answer as it is shown, and re-derives every statement on it from the shown intervals."""

from __future__ import annotations

import json
import math
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.views import walk_plots, walk_sentences, walk_tables
from tests.views.derived import Derived, derive, letters_agree
from tests.views.reading import Read, ReportRead, read_fragment, read_markdown, read_report, rows_of_latex, rows_of_text
from tiebreak.comparison.comparison import Comparison
from tiebreak.numerics import Interval
from tiebreak.statistics.family import shared_alpha
from tiebreak.views.comparison import page
from tiebreak.views.plots.display import Display

MOST_PAGES = 6
"""Pairs whose own pages are read, of each answer."""

MOST_ENDS = 60
"""Pairs whose intervals are asked for once more, of each answer."""


EMPTY = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="1pt" height="1pt" viewBox="0 0 1 1">'
    b'<text transform="translate(0 0)">.</text></svg>'
)
"""A drawing of nothing."""


@dataclass
class Shown:
    """Everything that is shown of one answer.

    `text`, `markdown` and `fragment` have all columns, and `brief` holds the same forms with those that stand there by default.
    `bounds` are the upper ends of "first minus second" in comparisons with the best, and `again` the intervals of some pairs at
    the level of the family; both are asked of the pairs themselves. `pages` holds text and JSON of single pairs, `gates` the
    answer's JSON and text with requirements, and `plots` the displays by name.
    """

    answer: dict[str, Any]
    text: str
    markdown: str
    fragment: str
    brief: dict[str, str]
    report: str
    latex: str
    paragraph: str
    ranking: pd.DataFrame
    pairs: pd.DataFrame
    plots: dict[str, Plot]
    pages: dict[tuple[str, str], tuple[str, dict[str, Any]]]
    gates: tuple[dict[str, Any], str] | None
    bounds: dict[tuple[str, str], float]
    again: dict[tuple[str, str], tuple[float, float]]
    shortlist: tuple[str, ...] | None


@dataclass
class Plot:
    """Numbers and words of a figure."""

    data: pd.DataFrame
    title: str
    note: str
    more: dict[str, Any] = field(default_factory=dict)


@contextmanager
def undrawn() -> Iterator[None]:
    """Displays collect their numbers and words, and draw nothing: what is read here is not the ink."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Display, "plot", lambda self, *_, **__: self)
        patch.setattr(Display, "to_bytes", lambda *_, **__: EMPTY)
        yield


def shown_by(comparison: Comparison) -> Shown:
    """Everything that a comparison shows."""
    asked = _questions(comparison)
    requirements = comparison.meets(**asked) if asked else None
    with undrawn():
        return Shown(
            answer=json.loads(comparison.to_json()),
            text=comparison.to_text(columns="all"),
            markdown=comparison.to_markdown(columns="all"),
            fragment=page(comparison, columns="all").as_fragment(),
            brief={"text": comparison.to_text(), "markdown": comparison.to_markdown(), "fragment": comparison._repr_html_()},
            report=comparison.to_html(),
            latex=comparison.to_latex(),
            paragraph=comparison.methods_paragraph(),
            ranking=comparison.ranking,
            pairs=comparison.pairs,
            plots={name: _plot(getattr(comparison.plot, name)()) for name in comparison.plot.names},
            pages={pair: _pair_page(comparison, *pair) for pair in _some_pairs(comparison)},
            gates=None
            if requirements is None
            else (json.loads(comparison.to_json(requirements=requirements)), comparison.to_markdown(requirements)),
            bounds=_bounds(comparison),
            again=_again(comparison),
            shortlist=None if comparison.settings.baseline is not None else comparison.shortlist(),
        )


def _questions(comparison: Comparison) -> dict[str, Any]:
    """Requirements to ask: of the first models, and of the last against the first."""
    if comparison.rope and comparison.pair_table.differences.unit != "metric":
        return {}
    first, last = comparison.models[0], comparison.models[-1]
    return {
        "better": [(first, last), (last, first)],
        "not_worse": [(last, first), (first, last)],
        "near_best": [first, comparison.models[len(comparison.models) // 2]] if len(comparison.models) > 2 else [first],
    }


def _plot(display: Any) -> Plot:
    more = {name: getattr(display, name) for name in ("table", "groups", "at_rope", "pair", "slices") if hasattr(display, name)}
    return Plot(display.data, display.title, display.caption, more)


def _pair_page(comparison: Comparison, first: str, second: str) -> tuple[str, dict[str, Any]]:
    pair = comparison.pair(first, second)
    return pair.to_text(), json.loads(pair.to_json())


def _some_pairs(comparison: Comparison) -> list[tuple[str, str]]:
    """Pairs as they stand, turned round, and outside the family."""
    every = list(combinations(comparison.models, 2))
    chosen = every if len(every) <= MOST_PAGES else [every[i * len(every) // MOST_PAGES] for i in range(MOST_PAGES)]
    return [pair if number % 2 else pair[::-1] for number, pair in enumerate(chosen)]


def _bounds(comparison: Comparison) -> dict[tuple[str, str], float]:
    """Upper ends in comparisons with the best, one-sided at alpha / max(2, M - 1) for every ordered pair."""
    if comparison.settings.family != "best":
        return {}
    p, found = comparison.settings.alpha / max(2, len(comparison.models) - 1), {}
    for first, second in combinations(comparison.models, 2):
        its = comparison.pair(first, second).distribution
        for pair, end in (((first, second), its.bound(p, upper=True)), ((second, first), -its.bound(p, upper=False))):
            found[pair] = 0.0 if abs(float(end)) <= float(its.tolerance) else float(end)
    return found


def _again(comparison: Comparison) -> dict[tuple[str, str], tuple[float, float]]:
    """Intervals of some pairs at the level of the family, from their own distributions."""
    table, models = comparison.pair_table, comparison.models
    found = {}
    for row in np.linspace(0, table.n_pairs - 1, min(table.n_pairs, MOST_ENDS)).astype(int).tolist():
        pair = models[table.first[row]], models[table.second[row]]
        its = comparison.pair(*pair).distribution
        low, high = Interval(*its.interval(table.interval_alpha))
        found[pair] = float(low), float(high)
    return found


class Findings(list[str]):
    """Contradictions that were found."""

    def expect(self, is_so: bool, what: str) -> None:
        """Note what is not so."""
        if not is_so:
            self.append(what)


def walk(shown: Shown) -> Findings:
    """Contradictions between the statements of an answer, and between them and its intervals."""
    found, answer = Findings(), shown.answer
    ends = {(p["first"], p["second"]): _ends(p, shown.pairs, row) for row, p in enumerate(answer["pairs"])}
    derived = derive(answer, ends, shown.bounds)
    _attempt(found, _walk_json, shown, derived)
    _attempt(found, _walk_frames, shown)
    read = read_markdown(shown.markdown)
    _attempt(found, _walk_forms, read, shown.text, shown.fragment)
    _attempt(found, _walk_latex, shown, read)
    brief = read_markdown(shown.brief["markdown"])
    _attempt(found, _walk_forms, brief, shown.brief["text"], shown.brief["fragment"])
    found.expect(brief.paragraphs == read.paragraphs and brief.sections == read.sections, "the default page says something else")
    _attempt(found, walk_tables.walk_brief, answer, derived, brief)
    report = read_report(shown.report)
    _attempt(found, walk_tables.walk, answer, derived, read)
    _attempt(found, walk_sentences.walk, answer, derived, read)
    _attempt(found, walk_tables.walk_report, answer, derived, read, report)
    _attempt(found, _walk_report, read, report)
    _attempt(found, walk_sentences.walk_paragraph, answer, derived, shown.paragraph)
    for name, plot in shown.plots.items():
        _attempt(found, walk_plots.walk, answer, derived, name, plot)
    for pair, (text, its) in shown.pages.items():
        _attempt(found, walk_sentences.walk_pair_page, answer, derived, pair, text, its)
    if shown.gates is not None:
        _attempt(found, walk_sentences.walk_requirements, answer, derived, *shown.gates)
    return found


def _attempt(found: Findings, check: Callable[..., None], *given: Any) -> None:
    """What cannot be read is a finding, too."""
    try:
        check(found, *given)
    except (KeyError, ValueError, IndexError, StopIteration, TypeError, AttributeError, AssertionError) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        found.append(f"{check.__module__}.{check.__name__} cannot read it: {type(error).__name__}: {error} (line {where.lineno})")


def _ends(pair: dict[str, Any], frame: pd.DataFrame, row: int) -> tuple[float, float]:
    """Ends of an interval; JSON writes infinite and undefined ones alike, and the frame says which."""
    ends = (pair["interval_low"], pair["interval_high"])
    own = frame[["interval_low", "interval_high"]].iloc[row].tolist()
    return tuple(
        end if math.isnan(float(end)) or math.isinf(end) else math.nan if told is None else told
        for end, told in zip(own, ends, strict=True)
    )  # type: ignore[return-value]


# --- JSON and frames --------------------------------------------------------------------------------------------------------


def _walk_json(found: Findings, shown: Shown, derived: Derived) -> None:
    answer, models, family = shown.answer, derived.models, derived.family
    ranking = {row["model"]: row for row in answer["ranking"]}
    _walk_level(found, shown, derived)
    for pair in answer["pairs"]:
        _walk_pair(found, shown, derived, pair)
    keys = set(answer["ranking"][0])
    has_standing = family != "baseline"
    for name, is_there in {"standing": has_standing, "shortfall_high": has_standing, "may_be_best": has_standing}.items():
        found.expect((name in keys) == is_there, f"{name} in a ranking of the family {family}")
    is_pairs = family == "pairs"
    found.expect(("rank_low" in keys) == is_pairs and ("rank_high" in keys) == is_pairs, f"ranks of the family {family}")
    found.expect(("letters" in keys) == (is_pairs and len(models) <= 40), f"letters of {len(models)} models in {family}")
    _walk_order(found, answer, derived)
    for place, model in enumerate(models, 1):
        row = ranking[model]
        first = 1 + min(models.index(name) for name in derived.entry[model])
        found.expect(row["rank"] == first, f"'{model}' has rank {row['rank']}, stands at {place}, its entry at {first}")
        if has_standing:
            _walk_standing(found, derived, model, row)
    if "letters" in keys:
        found.extend(letters_agree(derived, {name: row["letters"] for name, row in ranking.items()}))
    if shown.shortlist is not None:
        found.expect(list(shown.shortlist) == derived.best, f"the shortlist is {shown.shortlist}, not {derived.best}")
    if derived.family == "baseline":
        baseline = answer["settings"]["baseline"]
        for model in models:
            row, own = ranking[model], derived.ends.get((model, baseline), (math.nan, math.nan))
            found.expect(row["verdict"] == derived.verdict(model, baseline), f"'{model}' is {row['verdict']} in the ranking")
            for name, end in zip(("interval_low", "interval_high"), own, strict=True):
                found.expect(_is_same(row[name], end), f"{name} of '{model}' is {row[name]} in the ranking, {end} in its pair")


def _walk_level(found: Findings, shown: Shown, derived: Derived) -> None:
    """The one level of the family."""
    answer, pairs = shown.answer, shown.answer["pairs"]
    m, n = len(pairs), len(derived.models)
    found.expect(m == (n - 1 if derived.family == "baseline" else n * (n - 1) // 2), f"{m} pairs of {n} models")
    levels = {pair["interval_alpha"] for pair in pairs}
    found.expect(levels == {answer["resolved"]["interval_alpha"]}, f"levels {levels}")
    if derived.family == "best":
        found.expect(levels == {None}, "pairs outside the family have a level")
        return
    correction, level = answer["resolved"]["correction"], answer["resolved"]["interval_alpha"]
    p = np.array([math.nan if pair["pvalue"] is None else pair["pvalue"] for pair in pairs])
    expected = shared_alpha(p, correction, derived.alpha)
    found.expect(math.isclose(level, expected, rel_tol=1e-9), f"the level is {level}, {correction} asks for {expected}")


def _walk_pair(found: Findings, shown: Shown, derived: Derived, pair: dict[str, Any]) -> None:
    first, second = pair["first"], pair["second"]
    low, high = derived.ends[first, second]
    name = f"'{first}' against '{second}'"
    expected = derived.verdict(first, second)
    found.expect(pair["verdict"] == expected, f"{name} is {pair['verdict']}, its interval {low} to {high} is {expected}")
    if (first, second) in shown.again:
        for end, own in zip((low, high), shown.again[first, second], strict=True):
            is_near = math.isclose(end, own, rel_tol=1e-6, abs_tol=1e3 * derived.noise) or (math.isnan(end) and math.isnan(own))
            found.expect(is_near or end == own, f"{name} has an end at {end}, at the level of the family it is {own}")
    if pair["difference"] is not None and not math.isnan(low):
        inside = low - derived.noise <= pair["difference"] <= high + derived.noise
        found.expect(inside, f"{name} differs by {pair['difference']}, which its interval {low} to {high} does not hold")
    if derived.family != "best":
        has_reason = pair["verdict"] == "undecided"
        found.expect(bool(pair["reason"]) == has_reason, f"{name} is {pair['verdict']} with the reason {pair['reason']!r}")
        without = pair["reason"] in ("identical-scores", "no-spread", "missing-splits")
        found.expect(
            math.isnan(low) == without or pair["reason"] == "too-few-draws",
            f"{name} has the interval {low} to {high} and the reason {pair['reason']!r}",
        )
        _walk_pvalue(found, shown, derived, pair, name)
    else:
        found.expect(pair["adjusted_pvalue"] is None, f"{name} has an adjusted p-value outside the family")


def _walk_pvalue(found: Findings, shown: Shown, derived: Derived, pair: dict[str, Any], name: str) -> None:
    """The two-sided adjusted p-value agrees with whether the interval excludes 0, but where the end is at 0 itself."""
    p = pair["adjusted_pvalue"]
    if p is None or pair["reason"] == "discrete":
        return
    if abs(p / derived.alpha - 1) < 1e-9 or pair["reason"] in ("too-few-draws", "no-spread"):
        return
    apart = derived.is_apart(pair["first"], pair["second"])
    found.expect(apart == (p <= derived.alpha), f"{name}: adjusted p {p}, interval {derived.ends[pair['first'], pair['second']]}")


def _walk_standing(found: Findings, derived: Derived, model: str, row: dict[str, Any]) -> None:
    expected = derived.standing[model]
    found.expect(row["standing"] == expected, f"'{model}' is {row['standing']}, its intervals say {expected}")
    found.expect(row["may_be_best"] == (model in derived.best), f"may_be_best of '{model}' is {row['may_be_best']}")
    bound = derived.shortfall[model]
    is_same = _is_same(row["shortfall_high"], bound, 1e-7, 10 * derived.noise)
    found.expect(is_same, f"'{model}' falls short by {row['shortfall_high']} at most, its intervals say {bound}")
    if derived.family == "pairs":
        shown = row["rank_low"], row["rank_high"]
        found.expect(shown == derived.places[model], f"'{model}' has the ranks {shown}, its pairs leave {derived.places[model]}")
        found.expect(shown[0] <= row["rank"] <= shown[1], f"'{model}' has rank {row['rank']}, outside of {shown}")


def _walk_order(found: Findings, answer: dict[str, Any], derived: Derived) -> None:
    """Rows: none below one that it is shown above, cycles together, row 1 may be best, and else the value decides."""
    place = {model: row for row, model in enumerate(derived.models)}
    for first, second in derived.above:
        if second not in derived.component[first]:
            found.expect(place[first] < place[second], f"'{first}' is shown above '{second}' and stands below it")
    for group in set(derived.component.values()):
        rows = sorted(place[model] for model in group)
        found.expect(rows[-1] - rows[0] == len(rows) - 1, f"{sorted(group)} go round and stand apart")
    if derived.family != "baseline":
        found.expect(derived.models[0] in derived.best, f"'{derived.models[0]}' is first and may not be best")
    value = values_of(answer, derived)
    noise = 1e-9 * max((abs(each) for each in value.values() if not math.isnan(each)), default=0.0)
    left = list(derived.models)
    while left:
        head = derived.component[left[0]]
        free = [
            m
            for m in left
            if not any((o, n) in derived.above for n in derived.component[m] for o in left if o not in derived.component[n])
        ]
        best = max((value[name] for name in free), default=-math.inf)
        own = max(value[name] for name in head)
        found.expect(own >= best - noise, f"{sorted(head)} ({own}) stand above a model of {best} that is free to")
        left = [name for name in left if name not in head]


def values_of(answer: dict[str, Any], derived: Derived) -> dict[str, float]:
    """Value by which models are ordered, higher being better; -inf where there is none."""
    return {row["model"]: -math.inf if _ordering(row) is None else derived.sign * _ordering(row) for row in answer["ranking"]}


def _ordering(row: dict[str, Any]) -> Any:
    return row["adjusted"] if row.get("adjusted") is not None else row["mean"]


def _is_same(told: float | None, value: float, rel: float = 1e-12, noise: float = 0.0) -> bool:
    """True where JSON tells a value; what is not finite is None there."""
    if told is None:
        return not math.isfinite(value)
    return math.isclose(told, value, rel_tol=rel, abs_tol=noise)


def _walk_frames(found: Findings, shown: Shown) -> None:
    """Frames hold what JSON holds."""
    for name, frame in (("ranking", shown.ranking), ("pairs", shown.pairs)):
        rows = shown.answer[name]
        found.expect(len(rows) == len(frame), f"{len(rows)} rows of {name} in JSON, {len(frame)} in the frame")
        found.expect(set(rows[0]) == set(frame.columns), f"columns of {name}: {set(rows[0]) ^ set(frame.columns)}")
        for told, row in zip(rows, frame.to_dict("records"), strict=True):
            for column, value in row.items():
                own = told[column]
                is_number = isinstance(value, float | np.floating)
                same = _is_same(own, float(value)) if is_number else own == value
                found.expect(same, f"{column} of {name} is {own} in JSON, {value} in the frame")


# --- forms ------------------------------------------------------------------------------------------------------------------


def _walk_forms(found: Findings, read: Read, text: str, fragment: str) -> None:
    """Text, Markdown and the notebook's page show the same."""
    for name, form in (("text", text), ("fragment", fragment)):
        form = form.replace("-inf to inf", "").replace("inf", "")
        for word in ("nan", "None", "among 0"):
            found.expect(not re.search(rf"(?<![\w]){word}\b(?! falls| is| may)", form), f"{word!r} stands in the {name}")
    other = read_fragment(fragment)
    found.expect(read.paragraphs == other.paragraphs, "the notebook's sentences differ from those of Markdown")
    for one, two in zip(read.tables, other.tables, strict=True):
        same = (one.title, one.headers, one.rows) == (two.title, two.headers, two.rows)
        found.expect(same, f"the notebook's table differs from that of Markdown: {one.title}")
    found.expect(read.sections == other.sections, "the notebook's warnings differ from those of Markdown")
    lines = rows_of_text(text)
    flat = " ".join(text.split())
    for table in read.tables:
        for row in table.rows:
            cells = [cell for cell in row if cell]
            found.expect(cells in lines, f"the text lacks the row {cells}")
        for note in (table.title, *table.notes):
            found.expect(" ".join(note.split()) in flat, f"the text lacks {note!r}")
    for line in (*read.paragraphs, *(line for lines in read.sections.values() for line in lines)):
        found.expect(" ".join(line.split()) in flat, f"the text lacks {line!r}")


def _walk_latex(found: Findings, shown: Shown, read: Read) -> None:
    """LaTeX and JSON show what the page shows."""
    printed = rows_of_latex(shown.latex)
    for table, rows in zip((read.ranking, read.pairs), printed, strict=False):
        found.expect([table.headers, *table.rows] == rows, f"LaTeX has another table than Markdown: {table.title}")
    found.expect(shown.answer["sentence"] == read.paragraphs[1], "the sentence of JSON is not that of the page")
    warnings = [warning["text"] for warning in shown.answer["warnings"]]
    minded = [line.removeprefix("Mind: ").removesuffix(".") for line in read.paragraphs if line.startswith("Mind: ")]
    told = sorted([*minded, *read.sections.get("Warnings", [])])
    found.expect(sorted(warnings) == told, "the warnings of JSON are not those of the page")


def _walk_report(found: Findings, read: Read, report: ReportRead) -> None:
    """The report's visible text says what the page says."""
    for line in (*read.paragraphs, *read.sections.get("Warnings", [])):
        found.expect(" ".join(line.split()) in report.text, f"the report lacks {line!r}")
