"""The first line of an answer: the verdict, in at most 15 words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.next_step import cheapest
from tiebreak.comparison.ranking import BEST, NEAR_BEST
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.names import model_names
from tiebreak.views.pair import WORDS as PAIR_WORDS
from tiebreak.views.pair import direction, rope_words
from tiebreak.views.words import QUOTE_WIDTH, decimals_for, format_score, listed, printable

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison, PairComparison

MOST_NAMES = 3
"""Models that a headline names; of more it gives their number."""

WORDS = {
    "better": "{a} is better than {b}: {size}.",
    "ahead": "{a} is ahead of {b}: {size}, perhaps too little to matter.",
    "equivalent": "{a} and {b} are practically equivalent: {metric} within {rope}.",
    "no winner": "No winner yet: {names}.",
    "identical-scores": "No winner: {a} and {b} have identical scores.",
    "no-spread": "No winner yet: {names}, as their difference never varies.",
    "too-few-units": "No winner yet: {names}, on too few {unit}s.",
    "too-few-draws": "No winner yet: {names}, with too few draws.",
    "missing-splits": "No winner yet: {names}, which share too few {unit}s.",
    "broken time": "No winner yet: {names}, which lack some {unit}s of the series.",
    "all copies": "No winner: all {n} models have identical scores.",
    "best": "{names} is the best of the {n}.",
    "better of two": "{names} is the better of the two.",
    "copies are best": "{names} are the best of the {n}, with identical scores.",
    "fastest near": "Take {a}, the fastest of {k} within {rope} of the best.",
    "one near": "Take {a}: within {rope} of the best.",
    "some near": "Take {names}: each is within {rope} of the best.",
    "any may be": "No winner yet: any of the {n} may be best.",
    "some may be": "No winner yet: {k} of the {n} may be best.",
    "not the other": "No winner yet: {names}, not {other}.",
    "not the others": "No winner yet: {names}, not the other {k}.",
    "is better": "{names} is better than {baseline}.",
    "are better": "{names} are better than {baseline}.",
    "is ahead": "{names} is ahead of {baseline}, perhaps by too little to matter.",
    "are ahead": "{names} are ahead of {baseline}, perhaps by too little to matter.",
    "undecided": "No winner over {baseline} yet: {k} of {n} undecided.",
    "keep": "Keep {baseline}: none of the {n} others is better.",
    "keep within": "Keep {baseline}: no other is better by more than {rope}.",
    "models": "{k} models",
    "any of": "any of {k}",
}
"""Headlines and their parts."""


def headline(comparison: Comparison) -> str:
    """The verdict in a line, most names without quotes: of a pair, against a baseline, or on who may be best."""
    table = comparison.pair_table
    if comparison.settings.baseline is not None and table.n_pairs > 1:
        return _against_baseline(comparison)
    if table.n_pairs == 1 and table.is_family:
        return _of_pair(comparison.pair(comparison.models[table.first[0]], comparison.models[table.second[0]]))
    return _of_standings(comparison)


def _names(comparison: Comparison, rows: list[int]) -> list[str]:
    """Names of models; one with a comma is quoted, or it would read as two."""
    names = model_names(comparison.models, QUOTE_WIDTH)
    return [f"'{names[row]}'" if "," in names[row] else names[row] for row in rows]


def _either(names: list[str]) -> str:
    """Up to three names, one of which is the answer; of more how many they are."""
    return listed(names, MOST_NAMES, "or") if len(names) <= MOST_NAMES else WORDS["any of"].format(k=len(names))


def _all_of(names: list[str]) -> str:
    return listed(names, MOST_NAMES) if len(names) <= MOST_NAMES else WORDS["models"].format(k=len(names))


def _of_pair(pair: PairComparison) -> str:
    comparison = pair.comparison
    if pair.has_interval and pair.difference < 0:
        pair = comparison.pair(pair.second, pair.first)
    a, b = _names(comparison, [comparison.models.index(name) for name in (pair.first, pair.second)])
    metric, unit = printable(comparison.metric.name), comparison.method.unit
    if not pair.has_interval:
        lacking = "broken time" if comparison.method.question == "time" else "missing-splits"
        words = WORDS[lacking] if pair.reason == "missing-splits" else WORDS.get(pair.reason, WORDS[lacking])
        return words.format(a=a, b=b, names=listed([a, b], conjunction="or"), unit=unit)
    size = PAIR_WORDS[direction(comparison)].format(
        metric=metric, size=format_score(pair.difference, decimals_for(pair.resolution))
    )
    words = WORDS["no winner" if pair.verdict == "undecided" else pair.verdict]
    return words.format(a=a, b=b, size=size, rope=rope_words(comparison), metric=metric, names=listed([a, b], conjunction="or"))


def _of_standings(comparison: Comparison) -> str:
    table, n = comparison.ranking_table, len(comparison.models)
    if table.are_all_copies:
        return WORDS["all copies"].format(n=n)
    rows = table.contenders.tolist()
    best, k = _names(comparison, rows), len(rows)
    if k < n and table.standing is not None and np.all(table.standing[rows] == BEST):
        return WORDS["copies are best" if k > 1 else "best" if n > 2 else "better of two"].format(names=_all_of(best), n=n)
    near = np.flatnonzero(table.standing == NEAR_BEST).tolist()
    if near:
        return _near(comparison, near)
    if k == n and k > MOST_NAMES:
        return WORDS["any may be"].format(n=n)
    if k > MOST_NAMES:
        return WORDS["some may be"].format(k=k, n=n)
    others = _names(comparison, [row for row in range(n) if row not in rows])
    words = WORDS["no winner" if not others else "not the other" if len(others) == 1 else "not the others"]
    return words.format(names=_either(best), other="".join(others[:1]), k=len(others))


def _near(comparison: Comparison, near: list[int]) -> str:
    """Which model to take of those near the best: the fastest to fit, where that is known."""
    names, rope = _names(comparison, near), rope_words(comparison)
    fastest = cheapest(comparison, [comparison.models[row] for row in near])
    if fastest is not None:
        return WORDS["fastest near"].format(a=_names(comparison, [comparison.models.index(fastest)])[0], k=len(near), rope=rope)
    return WORDS["one near" if len(near) == 1 else "some near"].format(a=names[0], names=_either(names), rope=rope)


def _against_baseline(comparison: Comparison) -> str:
    codes = comparison.against_reference.verdict.tolist()
    rows = {verdict: [row for row, code in enumerate(codes) if VERDICTS[code] == verdict] for verdict in VERDICTS}
    baseline = _names(comparison, [comparison.models.index(comparison.reference)])[0]
    n = len(codes) - 1
    for verdict in ("better", "ahead"):
        if rows[verdict]:
            words = WORDS[f"{'is' if len(rows[verdict]) == 1 else 'are'} {verdict}"]
            return words.format(names=_all_of(_names(comparison, rows[verdict])), baseline=baseline)
    if rows["undecided"]:
        return WORDS["undecided"].format(baseline=baseline, k=len(rows["undecided"]), n=n)
    return WORDS["keep within" if rows["equivalent"] else "keep"].format(baseline=baseline, n=n, rope=rope_words(comparison))
