"""Requirements in words, as a frame, as JSON, and as the files that build servers read: JUnit's XML and a summary."""

import math
import re
from typing import Any

from tiebreak.comparison.looks import Looks
from tiebreak.comparison.requirements import BELOW_NOISE, FEW_UNITS, SAME_PREDICTIONS, WITHIN_NOISE, Requirement, Requirements
from tiebreak.views.page import Page, Section
from tiebreak.views.view import View, document, of_rows
from tiebreak.views.words import (
    QUOTE_WIDTH,
    WHY_UNTESTED,
    count,
    decimals_for,
    format_interval,
    format_score,
    level_words,
    printable,
    short_names,
)

COLUMNS = (
    "gate first second metric outcome rope interval_alpha n_questions difference interval_low interval_high n_units reason "
    "noise_floor sentence"
).split()

AS_STATED = {
    ("better", "met"): "{a} is better than {b}{by}",
    ("better", "broken"): "{a} is not better than {b}{by}",
    ("better", "inconclusive"): "it is not settled whether {a} is better than {b}{by}",
    ("not worse", "met"): "{a} is not worse than {b}{by}",
    ("not worse", "broken"): "{a} is worse than {b}{by}",
    ("not worse", "inconclusive"): "it is not settled whether {a} is worse than {b}{by}",
    ("near best", "met"): "{a} falls short of the best model by {limit} at most",
    ("near best", "broken"): "{a} falls short of the best model{by}",
    ("near best", "inconclusive"): "it is not settled whether {a} falls short of the best model{by}",
}

WHERE = {
    ("better", "met"): ", all of it above {limit}",
    ("better", "broken"): ", none of it above {limit}",
    ("not worse", "met"): ", none of it below {limit}",
    ("not worse", "broken"): ", all of it below {limit}",
    ("near best", "met"): ", none of it above {limit}",
    ("near best", "broken"): ", all of it above {limit}",
}
"""Where an interval lies that decides; an open one lies on both sides of the limit."""

REASONS = WHY_UNTESTED | {
    SAME_PREDICTIONS: "the same predictions on all splits",
    FEW_UNITS: "{units} are too few, as chance gives all their differences one sign more often than {level} allows",
}
"""Why no interval decides."""


def sentence(requirement: Requirement) -> str:
    """Claim and outcome, the interval and the limit that it is held against, and how many questions share the error rate."""
    r = requirement
    first, *others = (f"'{name}'" for name in short_names([r.first, r.second][: 2 if r.second else 1], QUOTE_WIDTH))
    rope = format_limit(r.rope)
    by = f" by more than {rope}" if r.rope else ""
    stated = AS_STATED[r.gate, r.outcome].format(a=first, b="".join(others), by=by, limit=rope)
    if r.gate == "near best" and r.outcome == "met" and not r.rope:
        stated = f"{first} is the best model"
    asked = "the one question" if r.n_questions == 1 else f"one of {r.n_questions} questions"
    beside = {BELOW_NOISE: f", and the margin of {rope} lies below it", WITHIN_NOISE: ", and the difference is no larger"}
    noise = "" if r.noise_floor is None else f"; the noise floor is {r.noise_floor:.3g}{beside.get(r.reason, '')}"
    return f"{stated}: {_shown(r, first)}{noise}; {asked} asked beforehand"


def _shown(r: Requirement, first: str) -> str:
    """The difference, or by how much the model falls short, and its interval; or why there is none."""
    level = level_words(r.alpha / r.n_questions)
    if math.isnan(r.interval_low) or r.reason == SAME_PREDICTIONS or (r.outcome == "inconclusive" and r.reason not in NOISE):
        units = count(r.n_units, r.unit)
        return REASONS.get(r.reason, "there is no interval").format(units=units, unit=r.unit, level=level)
    metric, limit = printable(r.metric.name), (-r.rope if r.gate == "not worse" else r.rope) + 0.0
    known = [end for end in (r.interval_low, r.interval_high) if math.isfinite(end)]
    decimals, where = decimals_for(max(abs(end - r.difference) for end in known) / 2), ""
    if r.reason not in (BELOW_NOISE, WITHIN_NOISE):
        where = WHERE.get((r.gate, r.outcome), ", which lies on both sides of {limit}").format(limit=format_limit(limit))
    ends = format_interval(r.interval_low, r.interval_high, decimals, (0.0, limit))
    if r.gate != "near best":
        difference = format_score(r.difference, decimals, signed=True)
        return f"difference in {metric} {difference} (positive favours {first}), {level} interval {ends}{where}"
    short = f"{format_score(r.difference, decimals)} short of " if r.difference > 0 else ""
    return f"its {metric} is {short}the best, {level} bounds of the shortfall {ends}{where}"


NOISE = ("", BELOW_NOISE, WITHIN_NOISE)
"""Reasons with which an open requirement has an interval."""


def format_limit(limit: float) -> str:
    """A limit with all its digits where they are few, else with nine."""
    return min(repr(limit).removesuffix(".0"), f"{limit:.9g}", key=len)


def headline(requirements: Requirements) -> str:
    """Numbers of those met, broken and inconclusive."""
    outcomes = [each.outcome for each in requirements]
    n = len(outcomes)
    if len(set(outcomes)) == 1:
        return f"{'Requirement' if n == 1 else 'Both requirements' if n == 2 else f'All {n} requirements'} {outcomes[0]}"
    shares = [f"{outcomes.count(each)} {each}" for each in ("met", "broken", "inconclusive") if each in outcomes]
    return f"Of {n} requirements {', '.join(shares)}"


def judgements(requirements: Requirements, looks: Looks | None = None) -> list[str]:
    """Each requirement in a sentence that begins with its outcome; of looks with what is left for an open one."""
    left = ""
    if looks is not None:
        still = f" Still open at this look: at most {looks.n_left:,} more {looks.unit}s are left in the plan."
        left = still if looks.n_left else " The plan is over, so it stays open."
    return [f"{each.outcome}: {sentence(each)}.{left if each.outcome == 'inconclusive' else ''}" for each in requirements]


def section(requirements: Requirements, looks: Looks | None = None) -> Section:
    """The part of a page that is about requirements; a comparison's page begins with it."""
    return Section(headline(requirements), judgements(requirements, looks), is_folded=False)


# --- as a result ------------------------------------------------------------------------------------------------------------


def page(requirements: Requirements) -> Page:
    """The sentences under how many are met."""
    return Page((section(requirements),))


def columns(requirements: Requirements) -> dict[str, Any]:
    """One row for each requirement."""
    return of_rows(map(_row, requirements), COLUMNS)


def facts(requirements: Requirements) -> dict[str, Any]:
    """Outcome of all, and each."""
    return document(outcome=requirements.outcome, requirements=records(requirements))


def records(requirements: Requirements) -> list[dict[str, Any]]:
    """Facts of each requirement."""
    return [{"claim": each.claim, "met": each.outcome == "met", **_row(each)} for each in requirements]


def _row(r: Requirement) -> dict[str, Any]:
    own = {
        "second": r.second or None,
        "metric": r.metric.name,
        "interval_alpha": r.alpha / r.n_questions,
        "noise_floor": math.nan if r.noise_floor is None else r.noise_floor,
        "sentence": sentence(r),
    }
    return {name: own[name] if name in own else getattr(r, name) for name in COLUMNS}


VIEW = View(page, columns, facts, texts={"sentence": sentence})


# --- for build servers ------------------------------------------------------------------------------------------------------

_NOT_IN_XML = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Characters that XML 1.0 cannot hold, not even escaped."""


def junit_xml(requirements: Requirements, *, allow_inconclusive: bool = False) -> bytes:
    """Requirements as a test suite in the XML of JUnit, in UTF-8.

    A broken one is a failure, and so is an inconclusive one, unless it is allowed: then it counts as skipped. The sentence is
    the message; characters that XML cannot hold are left out.
    """
    from xml.etree import ElementTree as xml

    kinds = {"broken": "failure", "inconclusive": "skipped" if allow_inconclusive else "failure"}
    found = [kinds.get(each.outcome, "") for each in requirements]
    totals = {"tests": len(found), "failures": found.count("failure"), "errors": 0, "skipped": found.count("skipped")}
    counts = {name: str(n) for name, n in totals.items()}
    suites = xml.Element("testsuites", {"name": "tiebreak", **counts})
    suite = xml.SubElement(suites, "testsuite", {"name": "tiebreak compare", **counts})
    for each, kind in zip(requirements, found, strict=True):
        case = xml.SubElement(suite, "testcase", classname=_clean(f"tiebreak.{each.metric.name}"), name=_clean(each.claim))
        text = _clean(f"{each.outcome}: {sentence(each)}")
        if kind:
            xml.SubElement(case, kind, {"message": text} | ({"type": str(each.outcome)} if kind == "failure" else {}))
        else:
            xml.SubElement(case, "system-out").text = text
    xml.indent(suites)
    return bytes(xml.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _clean(text: str) -> str:
    return re.sub(_NOT_IN_XML, "", printable(text))
