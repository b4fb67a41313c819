"""Headlines of an answer, read back word by word: each has to be one that is known, short, and true of the intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from tests.views.derived import MIRROR, Derived
from tests.views.reading import NUMBER, is_printed, number

MOST_WORDS = 15
"""Words of a headline, where a model's name, or a metric's, counts as one."""

MOST_NAMES = 3


def walk(found: Any, answer: dict[str, Any], derived: Derived, text: str) -> None:
    """Contradictions of a headline."""
    metric = answer["resolved"]["measure"]["name"]
    for model in derived.models:  # a comma would make two names of one
        if "," in model:
            found.expect(model not in text or f"'{model}'" in text, f"not quoted: {text!r}")
            text = text.replace(f"'{model}'", model)
    short = counted(text, metric, derived)
    found.expect(len(short.split()) <= MOST_WORDS, f"{len(short.split())} words: {text!r}")
    found.expect("'" not in short, f"a quoted name: {text!r}")
    if len(answer["pairs"]) == 1 and derived.family != "best":
        _walk_pair(found, answer["pairs"][0], derived, metric, text)
    elif derived.family == "baseline":
        _walk_against(found, answer["settings"]["baseline"], derived, text)
    else:
        _walk_standings(found, derived, text)


def counted(text: str, metric: str, derived: Derived) -> str:
    """Text in which each name of a metric or model is one word."""
    text = text.replace(metric, "metric")
    for model in sorted(derived.models, key=len, reverse=True):
        text = re.sub(rf"(?<![\w]){re.escape(model)}(?![\w])", "model", text)
    return text


def _names(text: str, derived: Derived) -> list[str]:
    """Models that a list names, "a, b or c", of which the longest come first; none where something else stands there."""
    one = "|".join(map(re.escape, sorted(derived.models, key=len, reverse=True)))
    return re.findall(one, text) if re.fullmatch(rf"(?:{one})(?:(?:, | or | and )(?:{one}))*", text) else []


def _walk_pair(found: Any, pair: dict[str, Any], derived: Derived, metric: str, text: str) -> None:
    both = {pair["first"], pair["second"]}
    verdict, metric = pair["verdict"], re.escape(metric)
    side = "higher" if derived.sign > 0 else "lower"
    if said := re.fullmatch(
        rf"(.+) is (better than|ahead of) (.+): {metric} (?:typically )?(higher|lower) by ({NUMBER})"
        r"(, perhaps too little to matter)?\.",
        text,
    ):
        first, how, second, direction, size, perhaps = said.groups()
        its = verdict if first == pair["first"] else MIRROR[verdict]
        difference = pair["difference"] if first == pair["first"] else -pair["difference"]
        found.expect({first, second} == both and its == how.split()[0], f"{pair['first']} is {verdict}: {text!r}")
        found.expect((perhaps is not None) == (its == "ahead"), f"{its}: {text!r}")
        found.expect(is_printed(size, difference) and direction == side, f"{difference}: {text!r}")
    elif said := re.fullmatch(rf"(.+) and (.+) are practically equivalent: {metric} within ({NUMBER})(?: \(.*%\))?\.", text):
        low, high = derived.ends[pair["first"], pair["second"]]
        found.expect({*said.groups()[:2]} == both and verdict == "equivalent", f"{verdict}: {text!r}")
        found.expect(max(-low, high) <= number(said.group(3)) * (1 + 1e-12) + derived.noise, f"{low} to {high}: {text!r}")
    elif said := re.fullmatch(r"No winner: (.+) and (.+) have identical scores\.", text):
        found.expect({*said.groups()} == both and pair["reason"] == "identical-scores", f"{pair['reason']}: {text!r}")
    elif said := re.fullmatch(
        r"No winner yet: (.+?) or (.+?)"
        r"(, as their difference never varies|, on too few .*s|, with too few draws"
        r"|, which (?:share too few .*s|lack some .*s of the series))?\.",
        text,
    ):
        why = {None: "", "as": "no-spread", "on": "too-few-units", "with": "too-few-draws", "which": "missing-splits"}
        expected = why[said.group(3) and said.group(3).split()[1]]
        has_ends = any(end is not None for end in (pair["interval_low"], pair["interval_high"]))
        found.expect({*said.groups()[:2]} == both and verdict == "undecided", f"{verdict}: {text!r}")
        found.expect(has_ends if not expected else pair["reason"] == expected and not has_ends, f"{pair['reason']}: {text!r}")
    else:
        found.append(f"no such headline is known: {text!r}")


def _walk_standings(found: Any, derived: Derived, text: str) -> None:
    """Who may be best, who is, and what to take."""
    n, best = len(derived.models), derived.best
    near = [model for model in derived.models if derived.standing[model] == "near best"]
    is_best = all(derived.standing[model] == "best" for model in best) and len(best) < n

    def expect(is_true: bool) -> None:
        found.expect(is_true, f"{best} may be best, {near} are near: {text!r}")

    def are(names: str, models: list[str]) -> bool:
        said = re.fullmatch(r"(?:any of )?(\d+)(?: models)?", names)
        if said is not None and names not in derived.models:
            return int(said.group(1)) == len(models) > MOST_NAMES
        return _names(names, derived) == models and len(models) <= MOST_NAMES

    def within(bound: str, models: list[str]) -> bool:
        largest = max(derived.shortfall[model] for model in models)
        return not math.isnan(largest) and largest <= number(bound) * (1 + 1e-12) + derived.noise

    rope = rf"within ({NUMBER})(?: \(.*%\))? of the best\."
    known: dict[str, Callable[..., None]] = {
        r"No winner: all (\d+) models have identical scores\.": lambda k: expect(derived.are_all_copies and int(k) == n),
        r"(.+) is the best of the (\d+)\.": lambda name, k: expect(is_best and [name] == best and int(k) == n > 2),
        r"(.+) is the better of the two\.": lambda name: expect(is_best and [name] == best and n == 2),
        r"(.+) are the best of the (\d+), with identical scores\.": lambda names, k: expect(
            is_best and len(best) > 1 and are(names, best) and int(k) == n
        ),
        rf"Take (.+), the fastest of (\d+) {rope}": lambda name, k, bound: expect(
            not is_best and name in near and int(k) == len(near) > 1 and within(bound, near)
        ),
        rf"Take (.+): {rope}": lambda name, bound: expect(not is_best and [name] == near and within(bound, near)),
        rf"Take (.+): each is {rope}": lambda names, bound: expect(
            not is_best and len(near) > 1 and are(names, near) and within(bound, near)
        ),
        r"No winner yet: any of the (\d+) may be best\.": lambda k: expect(not near and int(k) == n == len(best) > MOST_NAMES),
        r"No winner yet: (\d+) of the (\d+) may be best\.": lambda k, all_of: expect(
            not near and MOST_NAMES < int(k) == len(best) < int(all_of) == n
        ),
        r"No winner yet: (.+), not the other (\d+)\.": lambda names, k: expect(
            not near and are(names, best) and int(k) == n - len(best) > 1
        ),
        r"No winner yet: (.+), not (.+)\.": lambda names, other: expect(
            not near and are(names, best) and [other] == [model for model in derived.models if model not in best]
        ),
        r"No winner yet: (.+)\.": lambda names: expect(not near and are(names, best) and len(best) == n),
    }
    for pattern, check in known.items():
        if (match := re.fullmatch(pattern, text)) is not None:
            check(*match.groups())
            return
    found.append(f"no such headline is known: {text!r}")


def _walk_against(found: Any, baseline: str, derived: Derived, text: str) -> None:
    others = [model for model in derived.models if model != baseline]
    by_verdict: dict[str, list[str]] = {}
    for model in others:
        by_verdict.setdefault(derived.verdict(model, baseline), []).append(model)
    better, ahead, undecided = (by_verdict.get(verdict, []) for verdict in ("better", "ahead", "undecided"))
    if said := re.fullmatch(r"(.+) (is|are) (better than|ahead of) (.+?)(, perhaps by too little to matter)?\.", text):
        who, verb, how, whom, perhaps = said.groups()
        models = better if how.startswith("better") else ahead
        counted = re.fullmatch(r"(\d+) models", who)
        are = int(counted.group(1)) == len(models) > MOST_NAMES if counted else _names(who, derived) == models
        found.expect(are and whom == baseline and (verb == "is") == (len(models) == 1), f"{by_verdict}: {text!r}")
        found.expect((perhaps is not None) == how.startswith("ahead") and not (better and perhaps), f"{by_verdict}: {text!r}")
    elif said := re.fullmatch(r"No winner over (.+) yet: (\d+) of (\d+) undecided\.", text):
        expected = (baseline, len(undecided), len(others))
        found.expect((said.group(1), *map(int, said.groups()[1:])) == expected, f"{by_verdict}: {text!r}")
        found.expect(not better and not ahead and bool(undecided), f"{by_verdict}: {text!r}")
    elif said := re.fullmatch(rf"Keep (.+): no other is better by more than ({NUMBER})(?: \(.*%\))?\.", text):
        highest = max(derived.ends[model, baseline][1] for model in others)
        is_so = highest <= number(said.group(2)) * (1 + 1e-12) + derived.noise
        found.expect(said.group(1) == baseline and is_so and "equivalent" in by_verdict, f"{by_verdict}: {text!r}")
    elif said := re.fullmatch(r"Keep (.+): none of the (\d+) others is better\.", text):
        kept = set(by_verdict) <= {"worse", "behind"} and int(said.group(2)) == len(others)
        found.expect(said.group(1) == baseline and kept, f"{by_verdict}: {text!r}")
    else:
        found.append(f"no such headline is known: {text!r}")
