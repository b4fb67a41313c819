"""Figures of an answer: their numbers, titles and remarks against what the intervals say."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np

from tests.views.derived import Derived, units_of
from tests.views.reading import NUMBER, is_printed, number, side
from tests.views.walk_tables import difference_of

NOT_ASKED = "not asked"
MOST_DRAWN = 60

SAID = {
    "is better than": "better",
    "is ahead of": "ahead",
    "are practically equivalent": "equivalent",
    "Undecided:": "undecided",
}


def walk(found: Any, answer: dict[str, Any], derived: Derived, name: str, plot: Any) -> None:
    """Contradictions of one figure."""
    only_pairs = {"verdicts", "diagram"}
    found.expect(not (derived.family == "best" and name in only_pairs), f"a figure {name} in comparisons with the best")
    {
        "ranking": _walk_ranking,
        "differences": _walk_differences,
        "scores": _walk_scores,
        "verdicts": _walk_verdicts,
        "diagram": _walk_diagram,
        "regions": _walk_regions,
        "paired": _walk_paired,
        "posterior": _walk_of_pair,
    }[name](found, answer, derived, plot)
    rope = re.search(rf"rope,? (?:of )?±({NUMBER})", plot.note)
    shown = None if rope is None else number(rope.group(1))
    is_rope = shown is None or math.isclose(shown, derived.rope, rel_tol=1e-3)
    found.expect(is_rope, f"{name}: the rope is {derived.rope}: {plot.note!r}")
    found.expect(not (derived.rope and "no rope" in plot.note), f"{name}: the rope is {derived.rope}: {plot.note!r}")
    drawn = re.search(r"Drawn: (\d+) of (\d+) models", plot.note)
    found.expect(drawn is None or int(drawn.group(2)) in (len(derived.models), len(derived.models) - 1), f"{plot.note!r}")
    if derived.family == "best":
        title = re.sub(r"is \w+ (than|to) .* with probability .*|[Mm]ost likely .*|is better on \d+.*", "", plot.title)
        words = re.search(r"\b(is better|is worse|ahead of|Undecided|equivalent to|practically equivalent|verdict)\b", title)
        found.expect(words is None, f"{name} judges a pair in comparisons with the best: {plot.title!r}")
        verdict = re.search(r"\bverdict\b", plot.note)
        found.expect(verdict is None, f"{name} speaks of verdicts in comparisons with the best: {plot.note!r}")


def _counted(found: Any, counts: Counter[str], text: str, what: str) -> None:
    """Counts of verdicts in words: of 3 models, 1 is worse and 2 are undecided; all 3 models are worse; both ..."""
    total = sum(counts.values())
    if text.startswith("the other is "):
        found.expect(dict(counts) == {text.removeprefix("the other is "): 1}, f"{what}: {dict(counts)}, {text!r}")
        return
    whole = re.search(r"(all (\d+)|both) (?:\w+ )+?(?:is|are) (\w+)", text)
    if whole is not None:
        n = int(whole.group(2)) if whole.group(2) else 2
        found.expect(counts[whole.group(3)] == n == total, f"{what}: {dict(counts)}, {text!r}")
        return
    of = re.search(r"of (\d+) (?:models|others|slices|pairs)", text)
    parts = {word: int(n) for n, word in re.findall(r"(\d+) (?:is|are) (\w+)", text)}
    found.expect(of is None or int(of.group(1)) == total, f"{what}: {dict(counts)}, {text!r}")
    found.expect(parts == {word: n for word, n in counts.items() if n} or not parts, f"{what}: {dict(counts)}, {text!r}")


def _drawn(answer: dict[str, Any], derived: Derived) -> list[str]:
    """Models with a row of their own: copies share one, unless each is judged against a baseline or there is nothing else."""
    if answer["settings"]["baseline"] is not None or len(set(derived.entry.values())) == 1:
        return list(derived.models)
    return list({derived.entry[model]: model for model in reversed(derived.models)}.values())[::-1]


def _walk_rows(found: Any, answer: dict[str, Any], derived: Derived, table: Any, what: str) -> None:
    """Rows of models against the first, or the baseline."""
    reference = answer["settings"]["baseline"] or derived.models[0]
    ranking = {row["model"]: row for row in answer["ranking"]}
    expected = _drawn(answer, derived)[:MOST_DRAWN]
    found.expect(table["model"].tolist()[:-1] == expected[:-1], f"{what} has the rows {table['model'].tolist()}")
    for row in table.to_dict("records"):
        model, own = row["model"], ranking[row["model"]]
        found.expect(row["rank"] == own["rank"], f"{what}: {model!r} has rank {row['rank']}")
        found.expect(row["standing"] == own.get("standing", ""), f"{what}: {model!r} is {row['standing']}")
        found.expect(row["letters"] == own.get("letters", ""), f"{what}: {model!r} has the letters {row['letters']}")
        if model == reference:
            found.expect(row["verdict"] == "" and row["difference"] == 0, f"{what}: the reference is {row}")
            continue
        verdict, ends = derived.verdict(model, reference), derived.ends[model, reference]
        found.expect(row["verdict"] == verdict, f"{what}: {model!r} is {row['verdict']}, its interval {ends} is {verdict}")
        for name, end in zip(("interval_low", "interval_high"), ends, strict=True):
            found.expect(_is_same(row[name], end), f"{what}: {name} of {model!r} is {row[name]}, not {end}")
        difference = difference_of(answer, model, reference)
        near = _is_same(row["difference"], difference) or abs(difference) <= derived.noise
        found.expect(near, f"{what}: {model!r} differs by {row['difference']}, not {difference}")


def _is_same(one: float, two: float) -> bool:
    return (math.isnan(one) and math.isnan(two)) or math.isclose(one, two, rel_tol=1e-9) or one == two


def _walk_against(found: Any, answer: dict[str, Any], derived: Derived, table: Any, plot: Any, what: str) -> None:
    _walk_rows(found, answer, derived, table, what)
    title, n, best = plot.title, len(derived.models), derived.best
    reference = answer["settings"]["baseline"] or derived.models[0]
    own = derived.entry[reference] if len(_drawn(answer, derived)) < n else (reference,)
    counts = Counter(derived.verdict(model, reference) for model in derived.models if model not in own)
    copies = len(derived.entry[derived.models[0]]) - 1
    with_copies = f"{derived.models[0]} (and {copies} {'copy' if copies == 1 else 'copies'}) is the best of {n}"
    if copies and derived.standing and all(derived.standing[model] == "best" for model in best):
        found.expect(title.partition(";")[0] == with_copies, f"{best} are the best: {title!r}")
        if derived.family == "pairs":
            _counted(found, counts, title.partition("; ")[2], what)
    elif derived.family == "best":
        alone = title == f"{derived.models[0]} is the best of {n}"
        some = title == f"{len(best)} of {n} models may be the best"
        found.expect(alone if len(best) == 1 else some, f"{best} may be best: {title!r}")
    elif n == 2:
        _walk_pair_title(found, derived, title, what)
    elif answer["settings"]["baseline"] is not None:
        found.expect(title.startswith(f"Against the baseline {reference}: "), f"{what}: {title!r}")
        _counted(found, counts, title, what)
    elif len(best) == 1:
        found.expect(title.startswith(f"{best[0]} is the best of {n}; "), f"{best} may be best: {title!r}")
        _counted(found, counts, title.partition("; ")[2], what)
    else:
        some = f"any of {n}" if len(best) == n else f"{len(best)} of {n}"
        found.expect(title == f"{derived.models[0]} ranks first; {some} models may be the best", f"{best}: {title!r}")
    if "share a letter" in plot.note:
        found.expect("letters" in answer["ranking"][0], f"{what}: there are no letters: {plot.note!r}")


def _walk_pair_title(found: Any, derived: Derived, title: str, what: str) -> None:
    """A title that begins with the verdict on one pair."""
    said = next((verdict for words, verdict in SAID.items() if words in title.split(";")[0]), "")
    names = [model for model in derived.models if re.search(rf"(?<![\w]){re.escape(model)}(?![\w])", title.split(";")[0])]
    shown = title.split(";")[0]
    names.sort(key=lambda name: shown.index(name))
    names = _longest(names)
    if len(names) != 2:
        return
    verdict = derived.verdict(*names)
    found.expect(said == verdict, f"{what}: {names} are {verdict!r}: {title!r}")


def _longest(names: list[str]) -> list[str]:
    """Names without those that are part of another one."""
    return [name for name in names if not any(name != other and name in other for other in names)]


def _walk_ranking(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    _walk_against(found, answer, derived, plot.data, plot, "figure of the ranking")


def _walk_differences(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    _walk_against(found, answer, derived, plot.more["table"], plot, "figure of differences")
    if answer["method"]["name"] == "sign":
        return
    names, score = units_of(answer)
    reference = answer["settings"]["baseline"] or derived.models[0]
    own = dict(zip(names, score, strict=True))
    for model, group in plot.data.groupby("model", observed=True):
        expected = derived.sign * (own[model] - own[reference])
        expected = np.sort(expected[~np.isnan(expected)])
        same = len(group) == expected.size and np.allclose(np.sort(group["difference"]), expected, atol=10 * derived.noise)
        found.expect(same, f"differences of {model!r} are others")


def _walk_scores(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    first, n = derived.models[0], len(derived.models)
    row = next(row for row in answer["ranking"] if row["model"] == first)
    match = re.fullmatch(rf"(.*) ranks first of (\d+), with an? .* of ({NUMBER})", plot.title.replace("−", "-"))
    found.expect(match is not None and (match.group(1), int(match.group(2))) == (first, n), f"{first!r} of {n}: {plot.title!r}")
    found.expect(match is None or is_printed(match.group(3), row["mean"]), f"its mean is {row['mean']}: {plot.title!r}")


def _walk_verdicts(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    p = {(pair["first"], pair["second"]): pair["adjusted_pvalue"] for pair in answer["pairs"]}
    shown = list(dict.fromkeys(plot.data["row"]))
    found.expect(
        len(shown) == min(len(_drawn(answer, derived)), MOST_DRAWN) or "wins" in plot.data, f"{len(shown)} rows of verdicts"
    )
    found.expect(len(plot.data) == len(shown) * (len(shown) - 1), f"{len(plot.data)} cells of {len(shown)} models")
    for cell in plot.data.to_dict("records"):
        first, second = cell["row"], cell["column"]
        verdict = derived.verdict(first, second) or NOT_ASKED
        found.expect(cell["verdict"] == verdict, f"cell {first!r} against {second!r} is {cell['verdict']}, not {verdict}")
        difference = difference_of(answer, first, second)
        near = _is_same(cell["difference"], difference) or abs(difference) <= derived.noise
        found.expect(near, f"cell {first!r} against {second!r} differs by {cell['difference']}, not {difference}")
        own = p.get((first, second), p.get((second, first)))
        found.expect(_is_same(cell["adjusted_pvalue"], math.nan if own is None else own), f"cell {first!r}: p {cell}")
    counts = Counter(derived.verdict(pair["first"], pair["second"]) for pair in answer["pairs"])
    _walk_pairs_title(found, answer, derived, counts, plot.title)


def _walk_pairs_title(found: Any, answer: dict[str, Any], derived: Derived, counts: Counter[str], title: str) -> None:
    if sum(counts.values()) == 1:
        _walk_pair_title(found, derived, title, "figure of pairs")
        return
    expected = {
        "winner": counts["better"] + counts["worse"],
        "equivalent": counts["equivalent"],
        "model ahead": counts["ahead"] + counts["behind"],
        "undecided": counts["undecided"],
    }
    said = re.search(r"(?:All (\d+)|(Both)) pairs.*?(?:have a|are|has a|is) (winner|equivalent|model ahead|undecided)$", title)
    if said is not None:
        n = int(said.group(1)) if said.group(1) else 2
        found.expect(expected[said.group(3)] == n == sum(counts.values()), f"{dict(counts)}: {title!r}")
        return
    parts = re.findall(r"(\d+) (?:have a|are|has a|is) (winner|equivalent|model ahead|undecided)", title)
    told = {words: int(n) for n, words in parts}
    found.expect(told == {words: n for words, n in expected.items() if n}, f"{dict(counts)}: {title!r}")


def _walk_diagram(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    """Average ranks of everybody, bars of models that are not told apart, all such pairs in one of them."""
    ranks = {row["model"]: row["average_rank"] for row in answer["ranking"]}
    names = plot.data["model"].tolist()
    everybody = {model for model in _drawn(answer, derived) if ranks[model] is not None}
    found.expect(set(names) == everybody or len(everybody) > MOST_DRAWN, f"the diagram lacks {everybody - set(names)}")
    for row in plot.data.to_dict("records"):
        found.expect(_is_same(row["average_rank"], ranks[row["model"]]), f"{row['model']!r} has the rank {row['average_rank']}")
    baseline, groups = answer["settings"]["baseline"], plot.more["groups"]
    together = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    for first, second in combinations(names, 2):
        pair, apart = frozenset((first, second)), derived.is_apart(first, second)
        if baseline is None or baseline in pair:
            found.expect((pair in together) != apart, f"{first!r} and {second!r} share a bar: {pair in together}, apart: {apart}")
    _walk_diagram_title(found, answer, derived, names, plot.title)


def _walk_diagram_title(found: Any, answer: dict[str, Any], derived: Derived, names: list[str], title: str) -> None:
    whose = answer["settings"]["baseline"] or names[0]
    asked = [name for name in names if name != whose and (name, whose) in derived.ends]
    alike = [name for name in asked if not derived.is_apart(name, whose)]
    if "none of" in title:
        found.expect(len(alike) == len(names) - 1, f"{alike} are not told apart from {whose!r}: {title!r}")
    elif some := re.search(r"(\d+) of (\d+) others are not told apart", title):
        told = int(some.group(1)), int(some.group(2))
        found.expect(told == (len(alike), len(names) - 1), f"{alike} are not told apart from {whose!r}: {title!r}")
    elif "it is told apart from" in title:
        found.expect(not alike, f"{alike} are not told apart from {whose!r}: {title!r}")
    elif one := re.search(r"; (.*) is not told apart from it", title):
        found.expect(alike == [one.group(1)], f"{alike} are not told apart from {whose!r}: {title!r}")


def _walk_regions(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    reference = answer["settings"]["baseline"] or derived.models[0]
    pairs = {(pair["first"], pair["second"]): pair for pair in answer["pairs"]}
    for row in plot.data.to_dict("records"):
        shares = row["p_worse"], row["p_equivalent"], row["p_better"]
        found.expect(math.isclose(sum(shares), 1.0, abs_tol=1e-9), f"regions of {row['model']!r} add up to {sum(shares)}")
        verdict = derived.verdict(row["model"], reference)
        found.expect(row["verdict"] == verdict, f"regions: {row['model']!r} is {row['verdict']}, not {verdict}")
        pair = pairs.get((row["model"], reference))
        turned = pairs.get((reference, row["model"]))
        own = pair or turned
        expected = (own["p_worse"], own["p_equivalent"], own["p_better"]) if own else shares
        expected = expected if pair else expected[::-1]
        found.expect(np.allclose(shares, expected), f"regions of {row['model']!r} are {shares}, not {expected}")


def _walk_of_pair(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    """A figure of one pair: its title says the verdict, and its interval on the true side."""
    _walk_pair_title(found, derived, plot.title, "figure of a pair")
    pair = plot.more["pair"]
    shown = re.search(rf"({NUMBER}) to ({NUMBER})", plot.title.replace("−", "-"))
    if shown is not None and "difference" in plot.title:
        for text, end in zip(shown.groups(), (pair.interval_low, pair.interval_high), strict=True):
            for limit in (0.0, derived.rope, -derived.rope):
                same = side(number(text), limit) == side(end, limit, derived.noise)
                found.expect(same, f"{text} is on another side of {limit} than {end}: {plot.title!r}")


def _walk_paired(found: Any, answer: dict[str, Any], derived: Derived, plot: Any) -> None:
    """Scores of two models on each dataset: won, tied and lost by the rope, and the verdict of their pair."""
    _walk_pair_title(found, derived, plot.title, "figure of datasets")
    counts = Counter(plot.data["outcome"])
    said = re.search(r"wins (\d+) of (\d+) \w+, loses (\d+)", plot.title)
    told = None if said is None else (int(said.group(1)), int(said.group(2)), int(said.group(3)))
    found.expect(told == (counts["won"], len(plot.data), counts["lost"]), f"{dict(counts)}: {plot.title!r}")
    for row in plot.data.to_dict("records"):
        noise = 2e-12 * max(abs(row["first"]), abs(row["second"]))
        difference = row["difference"]
        expected = "won" if difference > derived.rope + noise else "lost" if difference < -derived.rope - noise else "tied"
        is_near = abs(abs(difference) - derived.rope) <= 2 * noise
        found.expect(row["outcome"] == expected or is_near, f"{row} is {expected}")
