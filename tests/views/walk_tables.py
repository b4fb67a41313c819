"""Tables of an answer, read back: every cell, title and note against what the intervals say."""

from __future__ import annotations

import math
import re
from typing import Any

from tests.views.derived import Derived, place_of
from tests.views.reading import NUMBER, Read, ReportRead, TableRead, is_bound, is_printed, names_in, number, side

SYMBOLS = {"▲": "better", "△": "ahead", "■": "equivalent", "○": "undecided", "▽": "behind", "▼": "worse", "": ""}
COUNTED = {
    "better or worse": ("better", "worse"),
    "ahead or behind": ("ahead", "behind"),
    "equivalent": ("equivalent",),
    "undecided": ("undecided",),
}


def walk(found: Any, answer: dict[str, Any], derived: Derived, read: Read) -> None:
    """Contradictions of the tables of a page."""
    rope = rope_of(found, answer, derived, read)
    walk_ranking(found, answer, derived, read.ranking, rope, most=20)
    walk_pairs(found, answer, derived, read.pairs, rope)
    walk_notes(found, answer, derived, read)
    if answer["settings"]["by"] is not None:
        walk_slices(found, answer, derived, read, rope)
    walk_warnings(found, answer, derived, read.sections.get("Warnings", []))


def rope_of(found: Any, answer: dict[str, Any], derived: Derived, read: Read) -> float:
    """The rope as it is printed, which is the one that was asked for."""
    notes = " ".join(note for table in read.tables for note in table.notes)
    shown = re.search(rf"smallest difference that matters: ({NUMBER})(?: \(([^)]*%)\))? ", notes)
    found.expect((shown is None) == (derived.rope == 0), f"the rope is {derived.rope}, and the notes say {notes!r}")
    found.expect(
        ("no smallest difference that matters" in notes) == (derived.rope == 0),
        f"the rope is {derived.rope}, and the notes say {notes!r}",
    )
    if shown is None:
        return 0.0
    printed, asked = number(shown.group(1)), answer["settings"]["rope"]
    found.expect(math.isclose(printed, derived.rope, rel_tol=5e-3), f"a rope of {derived.rope} is printed as {printed}")
    if isinstance(asked, str):
        found.expect(shown.group(2) == asked, f"the rope of {asked} is printed as {shown.group(2)}")
        _walk_share(found, answer, derived, float(asked.strip("%")) / 100)
    else:
        found.expect(derived.rope == asked == printed, f"a rope of {asked} is {derived.rope} and printed as {printed}")
    return printed


def _walk_share(found: Any, answer: dict[str, Any], derived: Derived, share: float) -> None:
    """A percent rope is of the best mean, or of the baseline's."""
    baseline = answer["settings"]["baseline"]
    rows = [row for row in answer["ranking"] if baseline in (None, row["model"])]
    values = [row["adjusted"] if row.get("adjusted") is not None else row["mean"] for row in rows]
    expected = share * abs(max((value for value in values if value is not None), key=lambda value: derived.sign * value))
    found.expect(math.isclose(derived.rope, expected, rel_tol=1e-9), f"the rope is {derived.rope}, {share:%} is {expected}")


# --- the default table ------------------------------------------------------------------------------------------------------


def walk_brief(found: Any, answer: dict[str, Any], derived: Derived, read: Read) -> None:
    """The one table of models, its notes, and the pairs without the first model where these are few."""
    rope, table = rope_of(found, answer, derived, read), read.ranking
    rows = {row["model"]: row for row in answer["ranking"]}
    is_baseline, notes = derived.family == "baseline", " ".join(table.notes)
    entries = list(dict.fromkeys((m,) if is_baseline else derived.entry[m] for m in derived.models))
    shown, reference = _shown_entries(answer, derived, entries), answer["settings"]["baseline"] or derived.models[0]
    found.expect(len(table.rows) == len(shown), f"{len(table.rows)} lines of {len(shown)} entries")
    has_standing = derived.family == "best" or (derived.family == "pairs" and len(derived.models) > 2)
    found.expect(("standing" in table.headers) == has_standing, f"a standing in the family {derived.family}")
    found.expect(("verdict" in table.headers) == (derived.family != "best"), f"verdicts in the family {derived.family}")
    found.expect(("short by at most" in table.headers) == (derived.family == "best"), f"bounds in the family {derived.family}")
    for names, line in zip(shown, table.records(), strict=False):
        row, what = rows[names[0]], f"line {line['model']!r} of the default table"
        walk_entry_name(found, line["model"], names, what)
        found.expect(line["place"] == str(row["rank"]), f"{what} has rank {row['rank']}, {line['place']!r} is printed")
        value, key = table.headers[2], "adjusted" if row.get("adjusted") is not None else "mean"
        found.expect((value == "adjusted") == (key == "adjusted"), f"{what}: {value} beside {key}")
        found.expect(is_printed(line[value], _nan(row[key])), f"{what}: {value} {line[value]} is {row[key]}")
        if has_standing:
            standing = derived.standing[names[0]]
            found.expect(line["standing"] == standing, f"{what} is {line['standing']}, not {standing}")
        if derived.family == "best":
            bound = derived.shortfall[names[0]]
            found.expect(is_bound(line["short by at most"], bound), f"{what}: {line['short by at most']!r} is {bound}")
        _walk_against(found, answer, derived, line, names[0], what, rope)
        if line.get("n"):
            n = next(p["n_units"] for p in answer["pairs"] if {p["first"], p["second"]} == {names[0], reference})
            found.expect(line["n"] == str(n), f"{what}: n is {line['n']}, in JSON {n}")
    _walk_rest(found, answer, derived, table.notes[0], [names for names in entries if names not in shown])
    said = re.search(r"difference = model (?:minus|against) '([^']+)', positive favours the model( \(lower is better\))?", notes)
    found.expect((said is None) == (derived.family == "best"), f"differences in the family {derived.family}: {notes!r}")
    if said is not None:
        found.expect(said.group(1) == reference, f"the reference is {reference!r}: {said.group(0)!r}")
        found.expect((said.group(2) is None) == (derived.sign > 0), f"the direction is {derived.sign}: {said.group(0)!r}")
        _walk_interval_name(found, answer, derived, next(name for name in table.headers if name.endswith("interval")))
    if has_standing and derived.family == "pairs":
        found.expect(
            f"by the intervals of all {len(answer['pairs'])} pairs" in notes, f"standings of {len(answer['pairs'])} pairs"
        )
    _walk_at_once(found, answer, derived, notes)
    _walk_other_pairs(found, answer, derived, read, shown, rope)


def _shown_entries(answer: dict[str, Any], derived: Derived, entries: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Entries that have a line: all of a few, else the baseline, those that may win, up to twenty, and five in any case."""
    if len(entries) <= 12:
        return entries
    baseline = answer["settings"]["baseline"]
    lasting = {m for m in derived.models if baseline is not None and derived.verdict(m, baseline) not in ("worse", "behind")}
    lasting |= {m for m in derived.models if baseline is None and derived.standing[m] != "not best"}
    by_use = sorted(
        range(len(entries)), key=lambda at: (entries[at][0] != (baseline or derived.models[0]), entries[at][0] not in lasting)
    )
    n_lasting = sum(names[0] in lasting for names in entries)
    return [entries[at] for at in sorted(by_use[: max(5, min(20, n_lasting))])]


def _walk_rest(found: Any, answer: dict[str, Any], derived: Derived, note: str, rest: list[tuple[str, ...]]) -> None:
    """The models without a line, by what they are."""
    reference = answer["settings"]["baseline"] or derived.models[0]
    expected: dict[str, int] = {}
    n_worse = 0
    for name in (name for names in rest for name in names):
        verdict = derived.verdict(name, reference)
        kind = verdict if derived.family == "baseline" else derived.standing[name]
        expected[kind] = expected.get(kind, 0) + 1
        n_worse += kind == "not best" and verdict == "worse"
    found.expect(note.startswith("and ") == bool(expected), f"without a line are {expected}: {note!r}")
    told = {words.removeprefix("are "): int(n) for n, words in re.findall(r"(\d+) that (may be best|are [a-z ]+[a-z])", note)}
    worse = re.search(r"\((\d+) of them worse than the first\)", note)
    if expected and n_worse == expected.get("not best"):
        expected["worse"] = expected.pop("not best")
    elif expected:
        found.expect((int(worse.group(1)) if worse else 0) == n_worse, f"{n_worse} are worse: {note!r}")
    found.expect(told == expected or not expected, f"without a line are {expected}: {note!r}")


def _walk_other_pairs(
    found: Any, answer: dict[str, Any], derived: Derived, read: Read, entries: list[tuple[str, ...]], rope: float
) -> None:
    """Pairs without the first model: all of them, once, of three or four lines in the family of pairs."""
    tables = [table for table in read.tables if table.title == "Other pairs"]
    has = derived.family == "pairs" and 2 < len(entries) <= 4
    found.expect(len(tables) == has, f"{len(tables)} tables of other pairs of {len(entries)} lines, family {derived.family}")
    seen, word = [], "minus" if derived.sign > 0 else "against"
    for line in tables[0].records() if tables else ():
        model, other = (next(names[0] for names in entries if is_entry_name(line[key], names)) for key in ("model", word))
        what, verdict = f"other pair {model!r} minus {other!r}", derived.verdict(model, other)
        seen.append((other, model))
        difference = difference_of(answer, model, other)
        printed = is_printed(line["difference"], difference + 0.0) or abs(difference) <= derived.noise
        found.expect(printed, f"{what}: difference {line['difference']} is {difference}")
        found.expect(line["verdict"].partition(" (")[0] == verdict, f"{what} is {line['verdict']}, its interval says {verdict}")
        interval = next(name for name in line if name.endswith("interval"))
        walk_interval(found, derived, what, line[interval], (model, other), verdict, rope)
    expected = [(one[0], two[0]) for at, one in enumerate(entries[1:], 1) for two in entries[at + 1 :]] if has else []
    found.expect(sorted(seen) == sorted(expected), f"the other pairs are {expected}, shown {seen}")


def walk_interval(found: Any, derived: Derived, what: str, shown: str, pair: tuple[str, str], verdict: str, rope: float) -> None:
    """A printed interval lies, as printed, where the verdict says, and its ends are those of the pair."""
    low, high = derived.ends.get(pair, (math.nan, math.nan))
    if math.isnan(low):
        found.expect(shown == "-", f"{what} has no interval, and {shown!r} is printed")
        return
    ends = shown.split(" to ")
    found.expect(len(ends) == 2, f"{what}: {shown!r} is no interval")
    for text, end in zip(ends, (low + 0.0, high + 0.0), strict=True):
        found.expect(is_printed(text, end) or _is_tiny(text, end, derived), f"{what} has an end at {end}, {text!r} is printed")
        for limit, printed in ((0.0, 0.0), (derived.rope, rope), (-derived.rope, -rope)):
            same = side(number(text), printed) == side(end, limit, derived.noise)
            found.expect(same, f"{what}: {text!r} is on another side of {printed} than {end} is of {limit}")
    if verdict:
        placed = place_of(*map(number, ends), rope, 1e-12 * abs(rope))
        found.expect(placed == verdict, f"{what} is {verdict}, and {shown!r} at a rope of {rope} is {placed}")


def _is_tiny(text: str, end: float, derived: Derived) -> bool:
    """True where an end is 0 but for rounding, and printed as 0."""
    return number(text) == 0 and abs(end) <= 10 * derived.noise


def walk_ranking(found: Any, answer: dict[str, Any], derived: Derived, table: TableRead, rope: float, most: int) -> None:
    """Lines of the ranking: entries in order, ranks, values, bounds, standings and letters."""
    rows = {row["model"]: row for row in answer["ranking"]}
    is_baseline = derived.family == "baseline"
    entries = list(dict.fromkeys((m,) if is_baseline else derived.entry[m] for m in derived.models))
    found.expect(len(table.rows) == min(len(entries), most), f"{len(table.rows)} lines of {len(entries)} entries")
    left = sum(map(len, entries[len(table.rows) :]))
    more = re.search(r"; (\d+) more below these$", table.title)
    found.expect((int(more.group(1)) if more else 0) == left, f"{left} models are left out, and the title says {table.title!r}")
    direction = "higher is better" if derived.sign > 0 else "lower is better"
    found.expect(direction in table.title, f"{direction}, and the title says {table.title!r}")
    for names, line in zip(entries, table.records(), strict=False):
        row, what = rows[names[0]], f"line {line['model']!r}"
        walk_entry_name(found, line["model"], names, what)
        _walk_rank(found, derived, line["place"], names[0], row["rank"], what)
        value = table.headers[2]
        found.expect(is_printed(line[value], _nan(row["mean"])), f"{what}: {value} {line[value]} is {row['mean']}")
        for header, key in (("adjusted", "adjusted"), ("std. error", "standard_error"), ("average rank", "average_rank")):
            if header in line and header != value and not (header == "average rank" and row[key] is None):
                found.expect(is_printed(line[header], _nan(row[key])), f"{what}: {header} {line[header]} is {row[key]}")
        _walk_standing(found, answer, derived, line, names[0], what, rope)
        _walk_against(found, answer, derived, line, names[0], what, rope)


def walk_entry_name(found: Any, shown: str, names: tuple[str, ...], what: str) -> None:
    """A line names its model and the copies of it, or counts them."""
    found.expect(is_entry_name(shown, names), f"{what} stands for {names}")


def is_entry_name(shown: str, names: tuple[str, ...]) -> bool:
    n_copies = len(names) - 1
    counted = f"{names[0]} (and {n_copies} {'copy' if n_copies == 1 else 'copies'})"
    return shown in ({counted, f"{names[0]} (and {names[1]})"} if n_copies == 1 else {counted} if n_copies else {names[0]})


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _walk_rank(found: Any, derived: Derived, shown: str, model: str, rank: int, what: str) -> None:
    own = re.fullmatch(r"(\d+)(?: \((\d+)(?:-(\d+))?\))?", shown)
    found.expect(own is not None and int(own.group(1)) == rank, f"{what} has rank {rank}, {shown!r} is printed")
    has_range = derived.family == "pairs" and len(derived.models) > 2
    found.expect(
        own is None or (own.group(2) is not None) == has_range, f"{what}: ranks {shown!r} in the family {derived.family}"
    )
    if own is not None and own.group(2) is not None:
        low, high = int(own.group(2)), int(own.group(3) or own.group(2))
        found.expect((low, high) == derived.places[model], f"{what}: {shown!r}, and its pairs leave {derived.places[model]}")
        found.expect(low <= rank <= high, f"{what}: place {shown!r} lies outside its range")


def _walk_standing(
    found: Any, answer: dict[str, Any], derived: Derived, line: dict[str, str], model: str, what: str, rope: float
) -> None:
    has_standing = derived.family == "best" or (derived.family == "pairs" and len(derived.models) > 2)
    found.expect(("standing" in line) == has_standing, f"{what}: a standing in the family {derived.family}")
    found.expect(derived.family == "pairs" or "letters" not in line, f"{what}: letters in the family {derived.family}")
    if "standing" not in line:
        return
    found.expect(line["standing"] == derived.standing[model], f"{what} is {line['standing']}, not {derived.standing[model]}")
    bound, shown = derived.shortfall[model], line["short by at most"]
    found.expect(is_bound(shown, bound), f"{what} falls short by {bound} at most, {shown!r} is printed")
    if shown != "-" and line["standing"] != "best":
        is_near = bool(rope) and number(shown) <= rope * (1 + 1e-12)
        found.expect(is_near == (line["standing"] == "near best"), f"{what} is {line['standing']}: short by {shown}, rope {rope}")
    if "letters" in line:
        own = {row["model"]: row["letters"] for row in answer["ranking"]}[model]
        found.expect(line["letters"] == own, f"{what} has the letters {line['letters']}, in JSON {own}")


def _walk_against(
    found: Any, answer: dict[str, Any], derived: Derived, line: dict[str, str], model: str, what: str, rope: float
) -> None:
    """Difference, interval and verdict against the baseline, or in a report against the first model."""
    reference = answer["settings"]["baseline"] or derived.models[0]
    if "difference" not in line:
        return
    if model == reference:
        word = "first" if answer["settings"]["baseline"] is None else "baseline"
        found.expect(line["difference"] == word, f"{what}: the reference has the difference {line['difference']}")
        return
    difference = difference_of(answer, model, reference)
    found.expect(
        is_printed(line["difference"], difference + 0.0) or abs(difference) <= derived.noise,
        f"{what}: difference {line['difference']} is {difference}",
    )
    verdict = derived.verdict(model, reference)
    if "verdict" in line:
        found.expect(line["verdict"].partition(" (")[0] == verdict, f"{what} is {line['verdict']}, its interval says {verdict}")
    interval = next((text for name, text in line.items() if name.endswith("interval")), None)
    if interval is not None:
        walk_interval(found, derived, what, interval, (model, reference), verdict, rope)


def difference_of(answer: dict[str, Any], first: str, second: str) -> float:
    """Difference of two models, whichever way round their pair stands."""
    for pair in answer["pairs"]:
        if (pair["first"], pair["second"]) == (first, second):
            return _nan(pair["difference"])
        if (pair["first"], pair["second"]) == (second, first):
            return -_nan(pair["difference"])
    return math.nan


def walk_pairs(found: Any, answer: dict[str, Any], derived: Derived, table: TableRead, rope: float) -> None:
    """Rows of the pairs: names, differences, intervals, p-values, verdicts and reasons; the title counts the others."""
    pairs = {(pair["first"], pair["second"]): pair for pair in answer["pairs"]}
    word = "minus" if derived.sign > 0 else "against"
    alone = re.match(rf"Pairs: (?:'([^']+)' {word} each of these|each of these {word} '([^']+)')", table.title)
    is_right = "positive favours" in table.title and ("(lower is better)" in table.title) == (derived.sign < 0)
    found.expect(is_right, f"the sign is {derived.sign}, and the title says {table.title!r}")
    seen = []
    for line in table.records():
        first = line.get("first") or (alone.group(1) if alone else "")
        second = line.get("second") or (alone.group(2) if alone else "")
        pair, what = pairs[first, second], f"row {first!r} minus {second!r}"
        seen.append((first, second))
        difference = _nan(pair["difference"])
        shown = is_printed(line["difference"], difference + 0.0) or abs(difference) <= derived.noise
        found.expect(shown, f"{what}: difference {line['difference']} is {difference}")
        interval = next(name for name in line if name.endswith("interval"))
        _walk_interval_name(found, answer, derived, interval)
        walk_interval(found, derived, what, line[interval], (first, second), derived.verdict(first, second), rope)
        if "n" in line:
            found.expect(line["n"] == str(pair["n_units"]), f"{what}: n is {line['n']}, in JSON {pair['n_units']}")
        _walk_judged(found, derived, line, pair, what)
    _walk_counts(found, answer, derived, table, seen)


def _walk_judged(found: Any, derived: Derived, line: dict[str, str], pair: dict[str, Any], what: str) -> None:
    """Verdict and p-value; outside the family there is neither."""
    p = next((text for name, text in line.items() if name.startswith("adj. p")), None)
    if derived.family == "best":
        found.expect("verdict" not in line and p is None, f"{what} has a verdict or p-value outside the family")
        return
    verdict, _, reason = line["verdict"].partition(" (")
    expected = derived.verdict(pair["first"], pair["second"])
    found.expect(verdict == expected, f"{what} is {verdict}, its interval says {expected}")
    why = "" if pair["reason"] == "unsettled" else pair["reason"]
    found.expect(reason.rstrip(")") == why, f"{what} has the reason {reason}, in JSON {why}")
    own = pair["adjusted_pvalue"]
    shown = "-" if own is None else "<0.001" if own < 0.001 else f"{own:.3f}"
    found.expect(p == shown, f"{what}: adjusted p {p} is {own}")


def _walk_counts(found: Any, answer: dict[str, Any], derived: Derived, table: TableRead, seen: list[tuple[str, str]]) -> None:
    counted = re.search(r"; (\d+) of (\d+) shown(?: \(the others: (.*)\))?$", table.title)
    others = [pair for pair in answer["pairs"] if (pair["first"], pair["second"]) not in seen]
    found.expect((counted is None) == (not others), f"{len(others)} pairs are not shown, and the title says {table.title!r}")
    if counted is None:
        return
    found.expect((int(counted.group(1)), int(counted.group(2))) == (len(seen), len(answer["pairs"])), f"{table.title!r}")
    if derived.family == "best":
        found.expect(counted.group(3) is None, f"verdicts outside the family: {table.title!r}")
        return
    verdicts = [derived.verdict(pair["first"], pair["second"]) for pair in others]
    expected = {words: sum(each in kinds for each in verdicts) for words, kinds in COUNTED.items()}
    told = {words: int(n) for n, words in (part.split(" ", 1) for part in (counted.group(3) or "").split(", ") if part)}
    found.expect(told == {words: n for words, n in expected.items() if n}, f"the others are {expected}, told {told}")


def _walk_interval_name(found: Any, answer: dict[str, Any], derived: Derived, header: str) -> None:
    """The header names the coverage: of all at once, of each, or of a pair outside the family."""
    share = re.search(rf"({NUMBER})% interval$", header)
    level = answer["resolved"]["interval_alpha"]
    family = 100 * (1 - derived.alpha)
    if derived.family == "best":
        found.expect(header == f"its own {family:.6g}% interval", f"{header!r} of pairs outside the family")
        return
    own = 100 * (1 - level)
    at_once = holds_at_once(answer)
    expected = family if at_once else own
    found.expect(
        share is not None and abs(number(share.group(1)) - expected) < 0.1 * (100 - expected) + 1e-9, f"{header!r}, {own}"
    )


def holds_at_once(answer: dict[str, Any]) -> bool:
    """True where all intervals of the family cover at once.

    Posteriors promise no coverage of several pairs, whatever the correction (design: "pairwise credible").
    """
    m = len(answer["pairs"])
    is_credible = answer["method"]["name"].startswith("bayes-") or answer["method"]["name"] == "hierarchical"
    return (answer["resolved"]["correction"] == "bonferroni" and not is_credible) or m == 1


def walk_notes(found: Any, answer: dict[str, Any], derived: Derived, read: Read) -> None:
    """Notes on what the numbers of the family hold together."""
    notes = " ".join(note for table in read.tables[:2] for note in table.notes)
    correction, at_once = answer["resolved"]["correction"], holds_at_once(answer)
    percent = f"{100 * (1 - derived.alpha):.6g}%"
    read_off = "are read off the intervals of the pairs below" in notes
    has_places = derived.family == "pairs" and len(derived.models) > 2
    found.expect(read_off == has_places, f"places are read off pairs: {read_off}, family {derived.family}")
    found.expect(
        ("compared with the best (Hsu)" in notes) == (derived.family == "best" and len(derived.models) > 2), f"Hsu: {notes}"
    )
    if has_places:
        found.expect((f"all hold at once with {percent} confidence" in notes) == at_once, f"{correction}: {notes!r}")
        found.expect(("letters are given up to 40 models" in notes) == (len(derived.models) > 40), f"letters: {notes!r}")
    _walk_at_once(found, answer, derived, notes)
    has_adjusted = "adjusted" in read.ranking.headers
    found.expect(
        ("adjusted: as if every model had been measured on all" in notes)
        == (has_adjusted and len(derived.models) > 2 and derived.family != "baseline"),
        "adj",
    )


def _walk_at_once(found: Any, answer: dict[str, Any], derived: Derived, notes: str) -> None:
    """What is said of how many intervals hold at once, and at which level each is."""
    m, correction = len(answer["pairs"]), answer["resolved"]["correction"]
    at_once, percent = holds_at_once(answer), f"{100 * (1 - derived.alpha):.6g}%"
    said = re.search(rf"all (\d+) intervals hold at once with ({NUMBER}%) confidence", notes)
    expects = at_once and m > 1 and derived.family != "best"
    found.expect((said is not None) == expects, f"{m} pairs, {correction}: {notes!r}")
    if said is not None:
        found.expect(int(said.group(1)) == m and said.group(2) == percent, f"{m} pairs at {percent}: {said.group(0)!r}")
    each = re.search(rf"each is at ({NUMBER})%|level of \w+, ({NUMBER})% each", notes)
    if each is not None:
        level, shown = answer["resolved"]["interval_alpha"], number(each.group(1) or each.group(2))
        found.expect(
            abs((100 - shown) / 100 - level) <= 0.06 * level + 1e-12, f"each interval is at 1 - {level}, {shown}% is said"
        )


def walk_slices(found: Any, answer: dict[str, Any], derived: Derived, read: Read, rope: float) -> None:
    """Slices: one family at one level, each verdict where its interval lies."""
    table = next(table for table in read.tables if table.title.startswith("By "))
    rows = {(row["slice"], row["first"], row["second"]): row for row in answer["slices"]}
    found.expect(len({row["interval_alpha"] for row in answer["slices"]}) == 1, "slices at several levels")
    for row in answer["slices"]:
        low, high = _nan(row["interval_low"]), _nan(row["interval_high"])
        if row["interval_low"] is None or row["interval_high"] is None:
            continue
        placed = place_of(low, high, derived.rope, derived.noise)
        found.expect(row["verdict"] == placed, f"{row['slice']}: {row['first']} is {row['verdict']}, {low} to {high} is {placed}")
    for line in table.records():
        row = rows[line["slice"], line["first"], line["second"]]
        found.expect(line["verdict"].partition(" (")[0] == row["verdict"], f"slice {line}")
        if row["interval_low"] is None or row["interval_high"] is None:
            continue
        own = Derived(**{**derived.__dict__, "ends": {("a", "b"): (row["interval_low"], row["interval_high"])}})
        walk_interval(found, own, f"slice {line['slice']!r}", line["interval"], ("a", "b"), row["verdict"], rope)


def walk_warnings(found: Any, answer: dict[str, Any], derived: Derived, lines: list[str]) -> None:
    """Remarks that follow from the table of pairs and the scores."""
    pairs = answer["pairs"]
    for code, words in (("identical-scores", "identical scores on all"), ("no-spread", "the same difference on all")):
        own = [pair for pair in pairs if pair["reason"] == code]
        said = [line for line in lines if words in line]
        found.expect(bool(said) == bool(own), f"{len(own)} pairs of {code}, and {len(said)} warnings")
        if not said or not own:
            continue
        names, _ = names_in(said[0].partition(":")[0])
        more = re.search(r"\(and (\d+) more pair\(s\)\)", said[0])
        n = re.search(r"on all (\d[\d,]*) ", said[0])
        found.expect(any({*names} == {pair["first"], pair["second"]} for pair in own), f"no {code}: {said[0]!r}")
        found.expect((int(more.group(1)) if more else 0) == len(own) - 1, f"{len(own)} pairs of {code}: {said[0]!r}")
        units = {pair["n_units"] for pair in own}
        span = re.search(r"on all the (\d+) to (\d+) [\w ]+ that two share", said[0])
        told = {*map(number, span.groups())} if span else {number(n.group(1))} if n else set()
        found.expect(told == {min(units), max(units)}, f"{code} on {units} units: {said[0]!r}")
    for line in lines:
        if "no difference can be shown, whatever the scores" in line:
            found.expect(not derived.above, f"differences are shown: {line!r}")
        if "models are ordered by their values adjusted" in line:
            has = all(row.get("adjusted") is not None for row in answer["ranking"])
            found.expect(has, f"there are no adjusted values: {line!r}")
        if "without a rope" in line:
            found.expect(derived.rope == 0, f"the rope is {derived.rope}: {line!r}")
        if " was picked as the best of " in line:
            found.expect(line.startswith(f"'{derived.models[0]}' was picked as the best of {len(derived.models)} "), f"{line!r}")


# --- the report -------------------------------------------------------------------------------------------------------------


def walk_report(found: Any, answer: dict[str, Any], derived: Derived, read: Read, report: ReportRead) -> None:
    """Tables of the report's HTML: ranking, pairs and the matrix of verdicts."""
    rope = rope_of(found, answer, derived, read)
    rankings = [table for table in report.tables if table.title.startswith("Ranking")]
    found.expect(len(rankings) == 1, f"{len(rankings)} rankings in the report")
    for table in rankings:
        table.rows = [row for row in table.rows if any(row) and row[0] and len(row) == len(table.headers)]
        walk_ranking(found, answer, derived, table, rope, most=10**6)
    pairs = [table for table in report.tables if table.title.startswith("Pairs")]
    found.expect(len(pairs) == 1, f"{len(pairs)} tables of pairs in the report")
    for table in pairs:
        walk_pairs(found, answer, derived, table, rope)
    for table in report.tables:
        if table.title.startswith("Verdict on the row against the column"):
            _walk_matrix(found, derived, table)


def _walk_matrix(found: Any, derived: Derived, table: TableRead) -> None:
    """Marks of the verdicts, the row against the column; what is undecided has none."""
    columns = [int(text) - 1 for text in table.headers[1:] if text]
    for row, line in enumerate(table.rows):
        for column, mark in zip(columns, line[1:], strict=True):
            first, second = derived.models[row], derived.models[column]
            verdict = "" if row == column else derived.verdict(first, second)
            expected = "" if verdict == "undecided" else verdict
            shown = SYMBOLS.get(mark, mark)
            found.expect(shown == expected, f"matrix: {first!r} against {second!r} is {shown}, not {expected}")
