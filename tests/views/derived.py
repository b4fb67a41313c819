"""What the shown intervals of one family say, worked out by plain loops: verdicts, places, standings, letters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

NOISE = 1e-12
INF = float("inf")
MIRROR = {
    "better": "worse",
    "ahead": "behind",
    "behind": "ahead",
    "worse": "better",
    "equivalent": "equivalent",
    "undecided": "undecided",
    "": "",
}

Pair = tuple[str, str]


def place_of(low: float, high: float, rope: float, noise: float = 0.0) -> str:
    """Verdict of an interval: where it lies."""
    if math.isnan(low):
        return "undecided"
    if low > rope + noise:
        return "better"
    if high < -rope - noise:
        return "worse"
    if rope and low >= -rope - noise and high <= rope + noise:
        return "equivalent"
    return "ahead" if low > 0 else "behind" if high < 0 else "undecided"


@dataclass
class Derived:
    """Facts about one answer that follow from its intervals; models by name, pairs in both orientations.

    `ends` are the intervals of the pairs, `beyond` the upper ends of "first minus second" from which models are ranked.
    """

    models: list[str]
    sign: int
    rope: float
    alpha: float
    family: str
    ends: dict[Pair, tuple[float, float]]
    beyond: dict[Pair, float]
    noise: float
    entry: dict[str, tuple[str, ...]]
    above: set[Pair] = field(default_factory=set)
    component: dict[str, frozenset[str]] = field(default_factory=dict)
    best: list[str] = field(default_factory=list)
    shortfall: dict[str, float] = field(default_factory=dict)
    standing: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def are_all_copies(self) -> bool:
        """True where all models are one entry without an interval."""
        return len(set(self.entry.values())) == 1 and all(math.isnan(bound) for bound in self.shortfall.values())

    def verdict(self, first: str, second: str) -> str:
        """Verdict of a pair of the family; "" outside it."""
        if (first, second) not in self.ends or self.family == "best":
            return ""
        return place_of(*self.ends[first, second], self.rope, self.noise)

    def is_apart(self, first: str, second: str) -> bool:
        """True where the interval of a pair excludes 0."""
        low, high = self.ends.get((first, second), (math.nan, math.nan))
        return low > 0 or high < 0

    def says_better(self, first: str, second: str) -> bool:
        """True where the first is shown above the second."""
        return (first, second) in self.above


def derive(answer: dict[str, Any], ends: dict[Pair, tuple[float, float]], bounds: dict[Pair, float]) -> Derived:
    """Facts that follow from the intervals of the pairs, or for comparisons with the best from the one-sided bounds."""
    models = [row["model"] for row in answer["ranking"]]
    family = answer["resolved"]["family"]
    sign = 1 if answer["resolved"]["measure"]["higher_is_better"] else -1
    both = dict(ends)
    both |= {(second, first): (-high, -low) for (first, second), (low, high) in ends.items()}
    beyond = bounds if family == "best" else {pair: high for pair, (_, high) in both.items()}
    found = Derived(
        models,
        sign,
        answer["resolved"]["rope"],
        answer["settings"]["alpha"],
        family,
        both,
        beyond,
        NOISE * largest_score(answer),
        copies(answer),
    )
    found.above = {(second, first) for (first, second), high in beyond.items() if high < 0}
    reach = _reach(models, found.above, found.entry)
    for model in models:
        found.component[model] = frozenset(name for name in models if name in reach[model] and model in reach[name])
    if family != "baseline":
        _stand(found)
    return found


def _reach(models: Sequence[str], above: set[Pair], entry: dict[str, tuple[str, ...]]) -> dict[str, set[str]]:
    """Models that each is shown above, directly or through others; itself and its copies are among them."""
    below: dict[str, set[str]] = {model: {model, *entry[model]} for model in models}
    for first, second in above:
        below[first].add(second)
    for model in models:
        waiting, seen = [model], {model}
        while waiting:
            for name in below[waiting.pop()] - seen:
                seen.add(name)
                waiting.append(name)
        below[model] = seen
    return below


def _stand(found: Derived) -> None:
    """Contenders, shortfalls, standings and the ranks that are left open."""
    models = found.models
    beaten = {second for first, second in found.above if first not in found.component[second]}
    found.best = [model for model in models if not beaten & found.component[model]]
    for model in models:
        found.shortfall[model] = 0.0
        for rival in found.best:
            if rival == model:
                continue
            bound = found.beyond.get((rival, model), math.nan)
            if math.isnan(bound):
                bound = 0.0 if rival in found.entry[model] else INF
            found.shortfall[model] = max(found.shortfall[model], bound)
    if len(set(found.entry.values())) == 1 and not any(found.shortfall.values()):
        found.shortfall = dict.fromkeys(models, INF)
    found.shortfall = {model: math.nan if bound == INF else bound for model, bound in found.shortfall.items()}
    is_alone = len({found.entry[model] for model in found.best}) == 1
    for model in models:
        bound = found.shortfall[model]
        standing = "may be best" if model in found.best else "not best"
        if found.rope and bound <= found.rope + found.noise:
            standing = "near best"
        if model in found.best and is_alone and all(found.shortfall[name] == 0 for name in found.best):
            standing = "best"
        found.standing[model] = standing
        shown_better = {name for name, other in found.above if other == model} - found.component[model]
        shown_worse = {other for name, other in found.above if name == model} - found.component[model]
        found.places[model] = 1 + len(shown_better), len(models) - len(shown_worse)


def copies(answer: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Each model with those that have the same scores, missing on the same units, in the order of the ranking."""
    models = [row["model"] for row in answer["ranking"]]
    if not is_paired(answer):
        return {model: (model,) for model in models}
    of_model = {name: row for names, rows in [units_of(answer)] for name, row in zip(names, rows, strict=True)}
    groups: list[list[str]] = []
    for model in models:
        for group in groups:
            if _is_same(of_model[model], of_model[group[0]]):
                group.append(model)
                break
        else:
            groups.append([model])
    return {model: tuple(group) for group in groups for model in group}


def _is_same(one: np.ndarray, two: np.ndarray) -> bool:
    if not np.array_equal(np.isnan(one), np.isnan(two)):
        return False
    size = np.fmax(np.nanmax(np.abs(one)), np.nanmax(np.abs(two)))
    return bool(np.nanmax(np.abs(one - two)) <= NOISE * size)


def is_paired(answer: dict[str, Any]) -> bool:
    """True where models were measured on the same units."""
    if answer["method"]["question"] == "test-sets":
        return False
    return answer["method"]["name"] != "welch"


def units_of(answer: dict[str, Any]) -> tuple[list[str], np.ndarray]:
    """Names and scores of the models on each unit, from the scores that the answer holds; nan where there is none."""
    if answer["items"] is not None:
        score = np.array(answer["items"]["score"], dtype=float)
        with np.errstate(invalid="ignore"):
            n = (~np.isnan(score)).sum(axis=1)
            return answer["items"]["models"], np.where(n > 0, np.nansum(score, axis=1) / np.maximum(n, 1), np.nan)
    if answer["method"]["question"] != "datasets":
        each = answer["scores"][0]
        return each["models"], np.array(each["score"], dtype=float)
    names = [row["model"] for row in answer["ranking"]]
    columns = []
    for each in answer["scores"]:
        score = np.array(each["score"], dtype=float)
        has = ~np.isnan(score).all(axis=1)
        shared = ~np.isnan(score[has]).any(axis=0) if has.any() else np.zeros(score.shape[1], dtype=bool)
        means = np.full(len(score), np.nan)
        if shared.any():
            means[has] = score[has][:, shared].mean(axis=1)
        columns.append([dict(zip(each["models"], means, strict=True)).get(name, math.nan) for name in names])
    return names, np.array(columns, dtype=float).T


def largest_score(answer: dict[str, Any]) -> float:
    """Size of the scores, of which rounding noise is 1e-12."""
    if answer["method"]["name"] in ("tango", "newcombe", "delong"):
        return 1.0
    _, score = units_of(answer)
    return float(np.nanmax(np.abs(score)))


def letters_agree(found: Derived, letters: dict[str, str]) -> Iterator[str]:
    """Pairs whose letters say other than their interval: two models share one exactly where they are not told apart."""
    signs = {model: set(_signs(text)) for model, text in letters.items()}
    for first, second in combinations(found.models, 2):
        share = bool(signs[first] & signs[second])
        apart = found.is_apart(first, second)
        if share == apart:
            yield f"'{first}' ({letters[first]}) and '{second}' ({letters[second]}) are{' not' * (not apart)} told apart"
    for model, own in signs.items():
        if not own:
            yield f"'{model}' has no letter"


def _signs(text: str) -> list[str]:
    found, place = [], 0
    while place < len(text):
        end = text.index(")", place) + 1 if text[place] == "(" else place + 1
        found.append(text[place:end])
        place = end
    return found
