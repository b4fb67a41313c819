"""Sentences of an answer, read back part by part: each has to be one that is known, and true of the intervals."""

from __future__ import annotations

import math
import re
from typing import Any

from tests.views import walk_headlines
from tests.views.derived import MIRROR, Derived
from tests.views.reading import NAME, NUMBER, Read, is_bound, is_printed, names_in, number, side
from tests.views.walk_tables import difference_of, holds_at_once, rope_of, walk_interval
from tiebreak.views.looks import UNPLANNED

LIST = rf"{NAME}(?:, {NAME})*(?:,? and (?:{NAME}|\d+ more|\d+ others))?"
BOUND = rf"({NUMBER})"
MOST_WORDS = 45
"""Words of the answer, where a model's name, or a metric's, counts as one."""
LEVEL = rf"\(({NUMBER})% confidence\)"


class Rest:
    """Text of which sentences are taken from the front."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, pattern: str) -> re.Match[str] | None:
        """The match at the front, which is then gone."""
        match = re.match(rf" ?{pattern}", self.text)
        if match is not None:
            self.text = self.text[match.end() :]
        return match


def walk(found: Any, answer: dict[str, Any], derived: Derived, read: Read) -> None:
    """Contradictions of the sentences of a page."""
    rope = rope_of(found, answer, derived, read)
    line, first, *others = read.paragraphs
    walk_headlines.walk(found, answer, derived, line)
    walk_sentence(found, answer, derived, first, rope)
    for line in others:
        if line.startswith("Next step: "):
            _walk_step(found, answer, derived, line.removeprefix("Next step: "), rope)
        elif line.startswith("By "):
            _walk_slices(found, answer, line)
        elif re.fullmatch(
            r"The .* chance of a false claim is split over [\d,]+ pairs; with a baseline named before looking, over [\d,]+\.",
            line,
        ):
            _walk_fewer(found, answer, derived, line)
        elif said := re.fullmatch(
            rf"(?:A|Depending on the pair, a) true difference of ({NUMBER})(?: to ({NUMBER}))? is seen in ({NUMBER})% of tables "
            r"like this one, a smaller one less often\.",
            line,
        ):
            low, high, power = (number(each) for each in (said.group(1), said.group(2) or said.group(1), said.group(3)))
            is_known = answer["detectable"] is not None and math.isclose(power, 100 * answer["detectable"]["power"])
            found.expect(is_known, f"what was detectable is {answer['detectable']}: {line!r}")
            for text, name in ((said.group(1), "smallest"), (said.group(2) or said.group(1), "largest")):
                found.expect(is_known and is_bound(text, answer["detectable"][name]), f"{name}: {answer['detectable']}: {line!r}")
            found.expect(low <= high, line)
        elif line == UNPLANNED:
            is_open = any(pair["verdict"] not in OVER for pair in answer["pairs"])
            found.expect(is_open and answer["settings"]["looks"] is None, f"nothing to look at again: {line!r}")
        elif line.startswith("Look "):
            _walk_looks(found, answer, line)
        elif line.startswith("Mind: "):
            said = line.removeprefix("Mind: ").removesuffix(".")
            found.expect(said in [warning["text"] for warning in answer["warnings"]], f"no such warning: {line!r}")
        elif not re.fullmatch(r"This holds for .*\. It does not cover .*\.", line):
            found.append(f"no such sentence is known: {line!r}")


OVER = ("better", "equivalent", "worse")
"""Verdicts that end the looks at a pair."""


def _walk_looks(found: Any, answer: dict[str, Any], line: str) -> None:
    """Look 3, 700 of 2,000 items: decided 11 of 15 pairs; open 4; at most 1,300 more."""
    plan = answer["settings"]["looks"]
    n, n_total, verdicts = plan["taken"][-1]["n"], plan["n_total"], [pair["verdict"] for pair in answer["pairs"]]
    n_over = sum(verdict in OVER for verdict in verdicts)
    found.expect(line.startswith(f"Look {len(plan['taken'])}, {n:,} of {n_total:,} {plan['unit']}s: "), f"other looks: {line!r}")
    told = re.search(r"decided ([\d,]+) of ([\d,]+) pairs?; open ([\d,]+)", line)
    if answer["settings"]["family"] == "best":
        standings = [row["standing"] for row in answer["ranking"]]
        is_found, may = "best" in standings, sum(row["may_be_best"] for row in answer["ranking"])
        told = re.search(r"([\d,]+) of ([\d,]+) models may be the best", line)
        found.expect(is_found == ("the best is found" in line), f"standings {standings}: {line!r}")
        counts = None if told is None else [int(number(each)) for each in told.groups()]
        found.expect(counts == (None if is_found else [may, len(standings)]), f"{may} may be the best: {line!r}")
    elif told is not None:
        counts = [int(number(each)) for each in told.groups()]
        found.expect(counts == [n_over, len(verdicts), len(verdicts) - n_over], f"{n_over} are decided: {line!r}")
    else:
        found.expect((n_over == len(verdicts)) == ("decided" in line), f"{n_over} are decided: {line!r}")
    left = re.search(r"at most ([\d,]+) more\.", line)
    found.expect(left is None or number(left.group(1)) == max(0, n_total - n), f"{n_total - n} are left: {line!r}")
    if answer["settings"]["family"] == "best":
        return
    taken = {(min(a, b), max(a, b)): k for k, look in enumerate(plan["taken"], 1) for a, b, _ in look["decided"]}
    for pair in answer["pairs"]:
        names = min(pair["first"], pair["second"]), max(pair["first"], pair["second"])
        found.expect(taken.get(names) == (pair["look"] if pair["verdict"] in OVER else None), f"{names} at look {pair['look']}")


def walk_sentence(found: Any, answer: dict[str, Any], derived: Derived, text: str, rope: float) -> None:
    """The answer in words: of a pair, against a baseline, or of who may be best."""
    n_words = len(walk_headlines.counted(text, answer["resolved"]["measure"]["name"], derived).split())
    found.expect(n_words <= MOST_WORDS, f"{n_words} words: {text!r}")
    if len(answer["pairs"]) == 1 and derived.family != "best":
        pair = answer["pairs"][0]
        walk_pair_sentence(found, answer, derived, text, (pair["first"], pair["second"]), pair, rope)
    elif derived.family == "baseline":
        _walk_against(found, answer, derived, text)
    else:
        _walk_standings(found, answer, derived, text, rope)


# --- who may be best --------------------------------------------------------------------------------------------------------


def _walk_standings(found: Any, answer: dict[str, Any], derived: Derived, text: str, rope: float) -> None:
    rest, n = Rest(text), len(derived.models)
    copies = rest.take(r"All (\d+) models have identical scores: nothing tells them apart here\.")
    found.expect((copies is not None) == derived.are_all_copies, f"copies: {text!r}")
    if copies is not None:
        found.expect(int(copies.group(1)) == n and not rest.text, f"all {n} models: {text!r}")
        return
    _walk_opening(found, answer, derived, rest)
    tails = {
        "best": rf"and is the best of the (\d+) {LEVEL}\.",
        "copies": rf"(?:;) their scores are identical, and no other of the (\d+) may be the best {LEVEL}\.",
        "another": rf", but ({LIST}) is shown to be the best of the (\d+) {LEVEL}\.",
        "any": rf", but (?:any|either) of the (\d+) may be the best {LEVEL}\.",
        "some": rf", but (\d+) of the (\d+) may be the best {LEVEL}: ({LIST})\.",
    }
    kind, match = next(((k, m) for k, p in tails.items() if (m := rest.take(p)) is not None), ("", None))
    if match is None:
        found.append(f"no such sentence is known: {rest.text!r}")
        return
    groups = [group for group in match.groups() if group is not None]
    is_alone = len({derived.entry[model] for model in derived.best}) == 1
    top = _top(answer, derived)
    if kind == "some":
        names, counted = names_in(groups[3])
        found.expect(int(groups[0]) == len(derived.best) == counted, f"{groups[0]} may be best, not {len(derived.best)}")
        found.expect(names == derived.best[: len(names)], f"{names} may be best, not {derived.best}")
        found.expect(len(derived.best) < n, f"all may be the best: {text!r}")
        groups = groups[1:3]
    elif kind == "another":
        names, counted = names_in(groups[0])
        found.expect(set(names) <= set(derived.best) and counted == len(derived.best) and is_alone, f"best: {names}")
        found.expect(not set(top) <= set(derived.best), f"the highest is the best: {text!r}")
        groups = groups[1:]
    elif kind == "any":
        found.expect(len(derived.best) == n, f"{len(derived.best)} of {n} may be the best: {text!r}")
    else:
        said = len(derived.best) == 1 if kind == "best" else len(derived.best) > 1 and is_alone
        found.expect(said and set(top) <= set(derived.best), f"{derived.best} may be the best, {top} are highest: {text!r}")
    is_best = all(derived.standing[model] == "best" for model in derived.best)
    found.expect((kind in ("best", "copies", "another")) == (is_best and len(derived.best) < n), f"{derived.best}: {text!r}")
    found.expect(int(groups[0]) == n, f"there are {n} models: {text!r}")
    found.expect(math.isclose(number(groups[1]), 100 * (1 - derived.alpha), rel_tol=1e-5), f"alpha {derived.alpha}: {text!r}")
    _walk_shortfalls(found, derived, rest, rope)


def _top(answer: dict[str, Any], derived: Derived) -> list[str]:
    """Models of the best value."""
    values = {row["model"]: row["adjusted"] if row.get("adjusted") is not None else row["mean"] for row in answer["ranking"]}
    sign = 1 if answer["resolved"]["measure"]["higher_is_better"] else -1
    known = {name: sign * value for name, value in values.items() if value is not None}
    best = max(known.values())
    return [name for name, value in known.items() if value >= best - 2e-12 * abs(best)]


def _walk_opening(found: Any, answer: dict[str, Any], derived: Derived, rest: Rest) -> None:
    text = rest.text
    filled = r"(, gaps adjusted|, on [\w ]+ that others lack)?"
    match = rest.take(rf"({LIST}) (has|share) the (highest|lowest) [^(]*\(({NUMBER}){filled}\)")
    if match is None:
        found.append(f"no such sentence is known: {text!r}")
        return
    names, counted = names_in(match.group(1))
    top, rows = _top(answer, derived), {row["model"]: row for row in answer["ranking"]}
    found.expect(set(names) <= set(top) and counted == len(top), f"{names} ({counted}) have the best value, not {top}")
    found.expect((match.group(2) == "has") == (counted == 1), f"{counted} models {match.group(2)} it")
    higher = answer["resolved"]["measure"]["higher_is_better"]
    found.expect((match.group(3) == "highest") == higher, f"the direction of {text!r}")
    has_adjusted = any(row.get("adjusted") is not None for row in rows.values())
    found.expect((match.group(5) is not None) == has_adjusted, f"gaps adjusted: {text!r}")
    row = rows[top[0]]
    value = row["adjusted"] if has_adjusted else row["mean"]
    found.expect(is_printed(match.group(4), value), f"the value of {top[0]!r} is {value}, {match.group(4)} is said")


def _walk_shortfalls(found: Any, derived: Derived, rest: Rest, rope: float) -> None:
    """Who is near the best, and by how much at most each other falls short."""
    models, near = derived.models, [m for m in derived.models if derived.standing[m] == "near best"]
    text = rest.text
    within = rf"short by at most {BOUND}, within the rope of ({NUMBER})(?: \([^)]*\))?\."
    every = rest.take(rf"All are near best: {within}")
    some = None if every else rest.take(rf"({LIST}) (?:is|are) near best: {within}")
    none = rest.take(rf"No model is shown to be within ({NUMBER})(?: \([^)]*\))? of the best\.")
    found.expect((every is not None) == (bool(near) and len(near) == len(models)), f"near best are {near}: {text!r}")
    found.expect((some is not None) == (0 < len(near) < len(models)), f"near best are {near}: {text!r}")
    is_open = not near and "may be best" in derived.standing.values()
    is_known = is_open and not math.isnan(derived.shortfall[models[0]])
    found.expect((none is not None) == (is_known and rope > 0), f"near best are {near}: {text!r}")
    said = every or some
    if said is not None:
        bound, its_rope = said.groups()[-2:]
        if some is not None:
            names, counted = names_in(some.group(1))
            found.expect(names == near[: len(names)] and counted == len(near), f"near best are {near}: {text!r}")
        largest = max(derived.shortfall[model] for model in near)
        found.expect(is_bound(bound, largest) and number(bound) <= number(its_rope) * (1 + 1e-12), f"{largest}: {text!r}")
        found.expect(number(its_rope) == rope, f"the rope is {rope}: {text!r}")
    else:
        others = [m for m in models if derived.standing[m] in ("may be best", "not best")]
        _walk_others(found, derived, rest, others[:1] if is_open else others, is_open=is_open)
    if rest.text:
        found.append(f"no such sentence is known: {rest.text!r}")


def _walk_others(found: Any, derived: Derived, rest: Rest, others: list[str], *, is_open: bool) -> None:
    """The bound of the first model, or the largest of all but the best; or that it is not known."""
    text, bounds = rest.text, derived.shortfall
    unknown = [model for model in others if math.isnan(bounds[model])]
    match = rest.take(rf"How far ({LIST}) may fall short is not known, as some pairs lack an interval\.")
    found.expect((match is not None) == bool(unknown), f"no bound is known of {unknown}: {text!r}")
    if match is not None:
        names, counted = names_in(match.group(1))
        found.expect(names == unknown[: len(names)] and counted == len(unknown), f"no bound of {unknown}: {text!r}")
        return
    said = rf"({NAME}) may fall short by up to" if is_open else rf"(?:({NAME}) falls short|The others fall short) by at most"
    match = rest.take(rf"{said} {BOUND}\.")
    found.expect((match is not None) == bool(others), f"others are {others}: {text!r}")
    if match is not None:
        name = match.group(1)
        found.expect((name is not None) == (len(others) == 1), f"others are {others}: {text!r}")
        found.expect(name is None or name.strip("'") == others[0], f"others are {others}: {text!r}")
        found.expect(is_bound(match.group(2), max(bounds[model] for model in others)), f"{bounds}: {text!r}")


# --- against a baseline -----------------------------------------------------------------------------------------------------


def _walk_against(found: Any, answer: dict[str, Any], derived: Derived, text: str) -> None:
    baseline = answer["settings"]["baseline"]
    match = re.fullmatch(rf"Against the baseline '([^']+)' \(.* ({NUMBER})\): (.*)\.", text)
    if match is None or match.group(1) != baseline:
        found.append(f"no such sentence is known: {text!r}")
        return
    mean = next(row["mean"] for row in answer["ranking"] if row["model"] == baseline)
    found.expect(is_printed(match.group(2), mean), f"the baseline's value is {mean}: {text!r}")
    counted = 0
    for part in match.group(3).split("; "):
        who, verb, rest = re.split(r" (is|are) (?=better|ahead|practically|behind|worse|undecided)", part, maxsplit=1)
        said = "equivalent" if rest.startswith("practically") else rest.split()[0].rstrip(",")
        names, n = names_in(who)
        for name in names:
            found.expect(derived.verdict(name, baseline) == said, f"'{name}' is {derived.verdict(name, baseline)}: {part!r}")
        expected = sum(derived.verdict(name, baseline) == said for name in derived.models if name != baseline)
        found.expect(n == expected and (n == 1) == (verb == "is"), f"{expected} are {said}: {part!r}")
        counted += n
    found.expect(counted == len(derived.models) - 1, f"{counted} models of {len(derived.models) - 1}: {text!r}")


# --- one pair ---------------------------------------------------------------------------------------------------------------


PAIR = {
    "better": r"'([^']+)' is better than '([^']+)': ",
    "ahead": r"'([^']+)' is ahead of '([^']+)': ",
    "equivalent": r"'([^']+)' and '([^']+)' are practically equivalent: ",
    "undecided": r"'([^']+)' and '([^']+)' cannot be told apart yet: ",
    "": r"'([^']+)' against '([^']+)': ",
    "identical-scores": r"'([^']+)' and '([^']+)' have identical scores on all \d+ [\w ]+s: ",
    "no-spread": r"'([^']+)' and '([^']+)' differ by the same amount on all \d+ [\w ]+s: ",
    "too-few-units": r"'([^']+)' and '([^']+)' are undecided: \d+ [\w ]+s are too few for an interval at ",
    "too-few-draws": r"'([^']+)' and '([^']+)' are undecided: there are too few draws ",
    "missing-splits": r"'([^']+)' and '([^']+)' share \d+ [\w ]+"
    r"(?:, too few to compare them| of the series: a missing one breaks the order of time, so they are not compared)",
}


def walk_pair_sentence(
    found: Any, answer: dict[str, Any], derived: Derived, text: str, pair: tuple[str, str], row: dict[str, Any], rope: float
) -> None:
    """Sentence on one pair: its names, kind, size and interval; `row` is the pair as JSON has it."""
    kind, match = next(((k, m) for k, p in PAIR.items() if (m := re.match(p, text))), ("?", None))
    if match is None or {match.group(1), match.group(2)} != {*pair}:
        found.append(f"no such sentence on {pair} is known: {text!r}")
        return
    ends = row["interval_low"], row["interval_high"]
    reason = row["reason"]
    if reason in ("identical-scores", "no-spread", "missing-splits", "too-few-units", "too-few-draws") and ends == (None, None):
        found.expect(kind == reason, f"{pair} has the reason {reason}: {text!r}")
        n = re.search(r"(?:on all|share|undecided:) ([\d,]+) ", text)
        found.expect(n is None or number(n.group(1)) == row["n_units"], f"{pair} share {row['n_units']}: {text!r}")
        return
    verdict = row["verdict"]
    expected = verdict if verdict in PAIR else MIRROR[verdict]
    found.expect(kind == expected, f"{pair} is {verdict}: {text!r}")
    is_turned = match.group(1) != pair[0]
    difference = -row["difference"] if is_turned else row["difference"]
    found.expect(difference >= -derived.noise, f"{match.group(1)!r} is said to be higher by {difference}")
    if kind in ("better", "ahead"):
        found.expect((verdict == kind) != is_turned, f"{pair} is {verdict}: {text!r}")
        found.expect(("the rope of" in text) == (rope > 0), f"the rope is {rope}: {text!r}")
    low, high = (math.nan if end is None else end for end in ends)
    low, high = (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)
    ends = (-high, -low) if is_turned else (low, high)
    own = Derived(**{**derived.__dict__, "ends": {("a", "b"): ends}})
    interval = re.search(rf"(its own |simultaneous )?({NUMBER})% interval(?: of the difference)?,? ({NUMBER} to {NUMBER})", text)
    found.expect(interval is not None, f"{pair} has an interval: {text!r}")
    if interval is not None:
        said = verdict if not is_turned else MIRROR[verdict]
        walk_interval(found, own, f"sentence on {pair}", interval.group(3), ("a", "b"), said, rope)
        found.expect((interval.group(1) == "its own ") == (verdict == ""), f"{pair} is {verdict!r}: {text!r}")
    size = re.search(rf"(higher|lower) by ({NUMBER})", text)
    if size is not None:
        found.expect(is_printed(size.group(2), difference) or abs(difference) <= derived.noise, f"{difference}: {text!r}")
        found.expect((size.group(1) == "higher") == (derived.sign > 0), f"the direction of {text!r}")
    ahead = "is measurably ahead" in text
    found.expect(ahead == (verdict == "equivalent" and (ends[0] > 0 or ends[1] < 0)), f"{ends}: {text!r}")
    if "holds 0 and reaches beyond the rope" in text:
        beyond = ends[0] < -derived.rope - derived.noise or ends[1] > derived.rope + derived.noise
        found.expect(ends[0] <= 0 <= ends[1] and beyond, f"{ends}: {text!r}")
    if "no difference is shown, and without a rope" in text:
        found.expect(ends[0] <= 0 <= ends[1] and not derived.rope, f"{ends}: {text!r}")
    if "the interval ends at 0 itself" in text:
        found.expect(min(abs(ends[0]), abs(ends[1])) <= derived.noise, f"{ends}: {text!r}")


def walk_pair_page(
    found: Any, answer: dict[str, Any], derived: Derived, pair: tuple[str, str], text: str, row: dict[str, Any]
) -> None:
    """Page and JSON of one pair, in the orientation asked for."""
    first, second = pair
    expected = derived.verdict(first, second)
    in_family = (first, second) in derived.ends and derived.family != "best"
    found.expect(row["verdict"] == expected, f"the page of {pair} says {row['verdict']}, the table {expected}")
    found.expect((row["interval_alpha"] is None) == (not in_family), f"the page of {pair} has the level {row['interval_alpha']}")
    if (first, second) in derived.ends:
        for name, end in zip(("interval_low", "interval_high"), derived.ends[first, second], strict=True):
            told = row[name]
            same = not math.isfinite(end) if told is None else math.isclose(told, end, rel_tol=1e-6, abs_tol=1e3 * derived.noise)
            found.expect(same, f"the page of {pair} has {name} {told}, the table {end}")
        difference = difference_of(answer, first, second)
        told = math.nan if row["difference"] is None else row["difference"]
        same = math.isclose(told, difference, rel_tol=1e-6, abs_tol=1e3 * derived.noise) or math.isnan(difference)
        found.expect(same, f"the page of {pair} has the difference {told}, the table {difference}")
    rope = _printed_rope(answer, derived, text)
    walk_pair_sentence(found, answer, derived, row["sentence"], pair, row, rope)
    found.expect(" ".join(row["sentence"].split()) in " ".join(text.split()), f"the page of {pair} lacks its sentence")
    cells = [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith("  ")]
    header, *values = [line for line in cells if len(line) > 1][:2] or [[], []]
    if values and len(header) == len(values[0]):
        line = dict(zip(header, values[0], strict=True))
        found.expect(line["verdict"] == (expected or "-"), f"the page of {pair} says {line}")
        has_own = any(name.startswith("its own ") for name in line)
        found.expect(has_own == (not in_family), f"the page of {pair}: {header}")
    step = re.search(r"Next step: (.*?)(?:\n\n|$)", text, re.S)
    if step is not None:
        _walk_pair_step(found, derived, pair, expected, " ".join(step.group(1).split()))


def _printed_rope(answer: dict[str, Any], derived: Derived, text: str) -> float:
    """The rope as a sentence on a pair prints it, else as it is."""
    said = re.search(rf"rope of ±?({NUMBER})", text)
    return number(said.group(1)) if said is not None else derived.rope


# --- next step --------------------------------------------------------------------------------------------------------------


def _walk_step(found: Any, answer: dict[str, Any], derived: Derived, text: str, rope: float) -> None:
    fewer = re.search(
        r" ?The [^ ]* chance of a false claim is split over [\d,]+ pairs; with a baseline named before looking, over [\d,]+\.$",
        text,
    )
    if fewer is not None:
        _walk_fewer(found, answer, derived, fewer.group(0).strip())
        text = text[: fewer.start()]
    if typical := re.search(rf" if a typical \w+ is what counts; by the [\w ]+ ({NAME}) is ahead\.$", text):
        values = {
            row["model"]: derived.sign * (row["mean"] if row["adjusted"] is None else row["adjusted"])
            for row in answer["ranking"]
        }
        ahead, chosen = typical.group(1).strip("'"), re.findall(NAME, text)[0].strip("'")
        found.expect(values[ahead] > values[chosen], f"{values}: {text!r}")
        text = f"{text[: typical.start()]}."
    if open_ones := re.match(
        r"if one must be taken now, (?:the cheapest of|('[^']+'), the fastest to fit of) the (\d+) that may be best"
        r".*? by at most (\S+)\. ?",
        text,
    ):
        _walk_take_open(found, answer, derived, open_ones)
        text = text[open_ones.end() :]
    took = re.match(rf"take ({NAME})", text)
    names = [name.strip("'") for name in re.findall(NAME, text)]
    if len(answer["pairs"]) == 1 and derived.family != "best":
        pair = answer["pairs"][0]
        _walk_pair_step(found, derived, (pair["first"], pair["second"]), pair["verdict"], text)
    elif derived.family == "baseline":
        baseline = answer["settings"]["baseline"]
        verdicts = {name: derived.verdict(name, baseline) for name in derived.models if name != baseline}
        if took is not None:
            found.expect(verdicts.get(names[0]) == "better", f"{verdicts}: take {text!r}")
        elif text.startswith("keep the baseline"):
            found.expect(set(verdicts.values()) <= {"worse", "behind", "equivalent"}, f"{verdicts}: {text!r}")
        else:
            found.expect(verdicts.get(names[0]) in ("undecided", "ahead"), f"{verdicts}: {text!r}")
            found.expect("better" not in verdicts.values(), f"{verdicts}: {text!r}")
    elif took is not None:
        standing = derived.standing[names[0]]
        good = [m for m in derived.models if derived.standing[m] in ("best", "near best")]
        found.expect(standing in ("best", "near best"), f"{names[0]!r} is {standing}: {text!r}")
        counted = re.search(r"cheapest of the (\d+) that are near best", text)
        found.expect(counted is None or int(counted.group(1)) == len(good), f"near best are {good}: {text!r}")
        bound = re.search(rf"(?:by more than|by at most) ({NUMBER})", text)
        if bound is not None:
            found.expect(is_bound(bound.group(1), derived.shortfall[names[0]]), f"{derived.shortfall[names[0]]}: {text!r}")
        if "no model is better by more than" in text and bound is not None:
            highs = [derived.beyond.get((other, names[0]), 0.0) for other in derived.models if other != names[0]]
            most = max(0.0 if math.isnan(high) else high for high in highs)
            found.expect(most <= number(bound.group(1)) + derived.noise, f"some interval reaches {most}: {text!r}")
        if "it is the best" in text or ", the best" in text:
            found.expect(derived.shortfall[names[0]] == 0, f"{derived.shortfall[names[0]]}: {text!r}")
    else:
        found.expect(not any(s in ("best", "near best") for s in derived.standing.values()), f"{derived.standing}: {text!r}")
        if names:
            found.expect(set(names) <= set(derived.best), f"{derived.best} may be the best: {text!r}")
            if derived.family == "pairs" and len(names) > 1 and "settles" not in text:
                verdict = derived.verdict(names[0], names[1])
                found.expect(verdict in ("undecided", "ahead", "behind"), f"{names[:2]} are {verdict}: {text!r}")
            if derived.family == "best":
                found.expect(not re.search(r"equivalent|is ahead|exceeds", text), f"a pair is not judged: {text!r}")


def _walk_take_open(found: Any, answer: dict[str, Any], derived: Derived, said: re.Match[str]) -> None:
    """If one must be taken now, the cheapest of the 11 that may be best falls short by at most 0.04."""
    name, n, bound = said.groups()
    may_be = [model for model in derived.models if derived.standing[model] == "may be best"]
    found.expect(set(may_be) == set(derived.best) and int(n) == len(may_be), f"{may_be} may be best: {said.group()!r}")
    found.expect(name is None or name.strip("'") in may_be, f"{may_be} may be best: {said.group()!r}")
    largest = max(derived.shortfall[model] for model in (may_be if name is None else [name.strip("'")]))
    found.expect(is_bound(bound, largest), f"{largest}: {said.group()!r}")


def _walk_pair_step(found: Any, derived: Derived, pair: tuple[str, str], verdict: str, text: str) -> None:
    took = re.match(rf"take ({NAME})", text)
    if text.startswith("take whichever") or (took is not None and "faster of the two" in text):
        found.expect(verdict == "equivalent", f"{pair} is {verdict}: {text!r}")
    elif took is not None:
        winner = {"better": pair[0], "worse": pair[1]}.get(verdict, "")
        found.expect(took.group(1).strip("'") == winner, f"{pair} is {verdict}: {text!r}")
    else:
        found.expect(verdict in ("undecided", "ahead", "behind"), f"{pair} is {verdict}: {text!r}")
        if "exceeds the rope" in text:
            found.expect(verdict in ("ahead", "behind") and derived.rope > 0, f"{pair} is {verdict}: {text!r}")
        if "is ahead" in text:
            found.expect(verdict == "undecided", f"{pair} is {verdict}: {text!r}")
        if "equivalent" in text and "equivalence" not in text:
            found.expect(derived.rope > 0, f"the rope is {derived.rope}: {text!r}")
    about = re.search(r"about ([\d,]+) [\w ]+? instead of ([\d,]+)", text)
    if about is not None:
        found.expect(number(about.group(1)) > number(about.group(2)), f"no more than there are: {text!r}")


def _walk_fewer(found: Any, answer: dict[str, Any], derived: Derived, text: str) -> None:
    over = r"split over ([\d,]+) pairs; with a baseline named before looking, over ([\d,]+)\."
    said = re.match(rf"The ({NUMBER})% chance of a false claim is {over}", text)
    told = None if said is None else tuple(map(number, said.groups()))
    expected = round(100 * derived.alpha, 9), len(answer["pairs"]), len(derived.models) - 1
    found.expect(told == expected, f"{expected}: {text!r}")
    found.expect(derived.family == "pairs", f"family {derived.family}: {text!r}")


def _walk_slices(found: Any, answer: dict[str, Any], text: str) -> None:
    """Counts of verdicts over the slices, or of one pair the slices that show a difference."""
    verdicts = [row["verdict"] for row in answer["slices"]]
    counts = {
        "better or worse": sum(v in ("better", "worse") for v in verdicts),
        "ahead or behind": sum(v in ("ahead", "behind") for v in verdicts),
        "practically equivalent": verdicts.count("equivalent"),
        "equivalent": verdicts.count("equivalent"),
        "undecided": verdicts.count("undecided"),
    }
    for words, n in counts.items():
        said = re.search(rf"(?<![\w ])?(\d+) {words}", text)
        if said is not None:
            found.expect(int(said.group(1)) == n, f"{n} are {words}: {text!r}")
    for first, second, where in re.findall(r"'([^']+)' is shown to be ahead of '([^']+)' on ((?:'[^']+'(?:, | and )?)+)", text):
        for name in re.findall(NAME, where):
            row = next(
                r for r in answer["slices"] if r["slice"] == name.strip("'") and {r["first"], r["second"]} == {first, second}
            )
            low, high = row["interval_low"], row["interval_high"]
            is_ahead = (low is not None and low > 0) if row["first"] == first else (high is not None and high < 0)
            found.expect(is_ahead, f"{row}: {text!r}")


# --- requirements and the methods paragraph -----------------------------------------------------------------------------------


def walk_requirements(found: Any, answer: dict[str, Any], derived: Derived, asked: dict[str, Any], page: str) -> None:
    """Requirements: the outcome is where the interval lies, the sentence says so, and no verdict says the opposite."""
    rope, flat = derived.rope, " ".join(page.replace("\\", "").split())
    for row in asked["requirements"]:
        low, high = row["interval_low"], row["interval_high"]
        low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
        what = f"{row['gate']} {row['first']!r} {row['second'] or ''!r}"
        noise = 4 * derived.noise
        met, broken = {
            "better": (low > rope + noise, high <= rope + noise),
            "not worse": (low >= -rope - noise, high < -rope - noise),
            "near best": (high <= rope + noise, low > rope + noise),
        }[row["gate"]]
        expected = "met" if met else "broken" if broken else "inconclusive"
        if row["reason"] == "same-predictions":
            expected = "met"
        found.expect(row["outcome"] == expected, f"{what} is {row['outcome']}, {low} to {high} is {expected}")
        found.expect(row["met"] == (row["outcome"] == "met"), f"{what}: met is {row['met']}, the outcome {row['outcome']}")
        found.expect(math.isclose(row["interval_alpha"], derived.alpha / len(asked["requirements"])), f"{what}: its level")
        found.expect(" ".join(row["sentence"].split()) in flat, f"the page lacks {row['sentence']!r}")
        if row["gate"] == "near best":
            standing = derived.standing.get(row["first"], "")
            found.expect(not (row["outcome"] == "broken" and standing in ("best", "near best")), f"{what} is broken, {standing}")
            continue
        verdict = derived.verdict(row["first"], row["second"])
        opposite = {"better": ("worse", "behind", "equivalent"), "not worse": ("worse",)}[row["gate"]]
        asks = {"better": ("better",), "not worse": ("better", "ahead", "equivalent")}[row["gate"]]
        found.expect(not (row["outcome"] == "met" and verdict in opposite), f"{what} is met beside {verdict}")
        found.expect(not (row["outcome"] == "broken" and verdict in asks), f"{what} is broken beside {verdict}")
        ends = re.search(rf"interval ({NUMBER}) to ({NUMBER}), ", row["sentence"])
        if ends is not None and row["reason"] != "same-predictions":
            for text, end in zip(ends.groups(), (low, high), strict=True):
                shown = is_printed(text, end) or abs(end) <= 10 * derived.noise
                found.expect(shown and side(number(text), 0.0) == side(end, 0.0, derived.noise), f"{what}: {text} is {end}")


def walk_paragraph(found: Any, answer: dict[str, Any], derived: Derived, text: str) -> None:
    """The paragraph on methods: models, pairs, levels, and what may be best."""
    found.expect(text.startswith(f"{len(derived.models)} models were compared"), f"{len(derived.models)} models: {text[:40]!r}")
    correction, m = answer["resolved"]["correction"], len(answer["pairs"])
    at_once = holds_at_once(answer) and m > 1
    found.expect(("hold at once with" in text) == (at_once and derived.family != "best"), f"{correction}: {text!r}")
    pairs = re.search(r"the differences of (\d+) pairs", text)
    found.expect(pairs is None or int(pairs.group(1)) == m, f"{m} pairs: {text!r}")
    if derived.family == "best":
        for words in ("called better", "equivalent where", "undecided otherwise"):
            found.expect(words not in text, f"{words!r} in comparisons with the best")
    if re.search(r"where no other is shown to be better\.", text) and derived.family == "pairs":
        unbeaten = [m for m in derived.models if not any(second == m for _, second in derived.above)]
        found.expect(unbeaten == derived.best, f"{derived.best} may be best, {unbeaten} are unbeaten: {text!r}")
    rope = re.search(rf"Differences of up to ({NUMBER})", text)
    found.expect((rope is not None) == (derived.rope > 0), f"the rope is {derived.rope}: {text!r}")
