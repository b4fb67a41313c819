"""One pair in words, as a row and as JSON: what the verdict on it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.views.answer import interval_name, limits
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_score,
    printable,
)

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison, PairComparison


# --- sentences ---------------------------------------------------------------------------------------------------------------


WORDS = {
    "better": "{a} is better than {b}: {how}.",
    "better by more": "{a} is better than {b}: {how}, more than the rope of {rope}.",
    "ahead": "{a} is ahead of {b}: {how}. A difference is shown; that it exceeds the rope of {rope} is not.",
    "equivalent": "{a} and {b} are practically equivalent: {size}, and the {interval}, {ends}, lies inside the rope of ±{rope}.",
    "though ahead": " {a} is measurably ahead, by too little to matter.",
    "undecided": "{a} and {b} cannot be told apart yet: {how}; {why}.",
    "no verdict": "{a} against {b}: {how}; this pair is not in the family that was judged, so it has no verdict.",
    "discrete": "the interval ends at 0 itself, which shows no difference",
    "no rope": "no difference is shown, and without a rope equivalence cannot be concluded",
    "unsettled": "it holds 0 and reaches beyond the rope of ±{rope}, so neither a difference nor equivalence is shown",
    "how": "{size} ({interval} {ends})",
    "higher": "{metric} higher by {size}",
    "lower": "{metric} lower by {size}",
    "typically higher": "{metric} typically higher by {size}",
    "typically lower": "{metric} typically lower by {size}",
    "for": "{size} for {a}",
    "equal": "a difference in {metric} of 0",
    "own interval": "its own {percent} interval",
    "together": "simultaneous {percent} interval",
    "interval": "{percent} interval",
}
"""Sentences on a pair, and their parts; the script of a report fills in the same ones."""

WITHOUT_INTERVAL = {
    "identical-scores": "{a} and {b} have identical scores on all {n} {unit}s: nothing tells them apart here.",
    "no-spread": "{a} and {b} differ by the same amount on all {n} {unit}s: without spread there is nothing to test the "
    "difference with, so it stays undecided.",
    "too-few-units": "{a} and {b} are undecided: {n} {unit}s are too few for an interval at {level}, the level of this family.",
    "too-few-draws": "{a} and {b} are undecided: there are too few draws for an interval at the level that the number of pairs "
    "asks for.",
    "missing-splits": "{a} and {b} share {units}, too few to compare them.",
}
"""Sentences by the reason why a pair has no interval."""

BROKEN_TIME = "{a} and {b} share {units} of the series: a missing one breaks the order of time, so they are not compared."


def without_interval(comparison: Comparison) -> dict[str, str]:
    """Sentences by the reason why a pair of this answer has no interval."""
    return WITHOUT_INTERVAL | ({"missing-splits": BROKEN_TIME} if comparison.method.question == "time" else {})


def _open(pair: PairComparison) -> str:
    """Words on a pair that has an interval and is undecided all the same."""
    if pair.reason == "discrete":
        return WORDS["discrete"]
    return WORDS["unsettled" if pair.comparison.rope else "no rope"].format(rope=rope_words(pair.comparison))


def by_how_much(pair: PairComparison) -> str:
    """Size and interval of a difference that is not negative: accuracy higher by 0.032 (95% interval 0.012 to 0.052).

    Of a loss too it is positive: "log_loss lower by 0.10 (95% interval 0.08 to 0.12)".
    """
    return WORDS["how"].format(**_parts(pair))


def _parts(pair: PairComparison) -> dict[str, str]:
    """Size of the difference, name and ends of its interval."""
    metric, decimals = pair.comparison.metric, decimals_for(pair.resolution)
    size = WORDS[direction(pair.comparison)].format(metric=printable(metric.name), size=format_score(pair.difference, decimals))
    name = interval_name(pair.comparison, in_family=pair.is_in_family)
    return {"size": size, "interval": name, "ends": interval_text(pair, decimals)}


def direction(comparison: Comparison) -> str:
    """Key in `WORDS` of the side on which the better of two models lies: a centre is "typically" higher, a mean higher."""
    side = "higher" if comparison.metric.higher_is_better else "lower"
    return f"typically {side}" if comparison.method.is_centre else side


def interval_text(pair: PairComparison, decimals: int) -> str:
    """The interval of the difference."""
    return format_interval(pair.interval_low, pair.interval_high, decimals, limits(pair.comparison))


def favours(comparison: Comparison, whom: str) -> str:
    """Words on the sign of a difference: positive is better, of a loss too."""
    return f"positive favours {whom}{'' if comparison.metric.higher_is_better else ' (lower is better)'}"


def minus_word(comparison: Comparison) -> str:
    """Word between two models whose difference is shown: of a loss it is not the first less the second."""
    return "minus" if comparison.metric.higher_is_better else "against"


def measure_note(comparison: Comparison) -> str:
    """Words on what differences are of, where that is not the metric itself."""
    name = printable(comparison.metric.name)
    if comparison.pair_table.judged.unit == "wins":
        return f"differences are of the {name}, ties left out: +1 where the first wins all, -1 where it loses all"
    return f"differences are of the {name}"


def rope_words(comparison: Comparison) -> str:
    """The rope in the metric's unit, and as it was given."""
    given = comparison.settings.rope
    return f"{rope_number(comparison)} ({given.strip()})" if isinstance(given, str) else rope_number(comparison)


def rope_number(comparison: Comparison) -> str:
    """The rope as a number: as it was given, or of a share as many digits as leave every interval on its side of it."""
    rope, table = comparison.rope, comparison.pair_table
    if not isinstance(comparison.settings.rope, str):
        return f"{rope:.15g}"
    shortfall = comparison.ranking_table.shortfall_high
    known = np.concatenate([*([] if shortfall is None else [shortfall]), *(np.abs(end) for end in table.interval)])
    texts = (f"{rope:.{digits}g}" for digits in range(3, 17))
    return next((text for text in texts if not _divides(float(text), rope, known)), repr(rope))


def _divides(printed: float, rope: float, ends: FloatArray) -> bool:
    """True if an end lies between the rope as it is printed and as it is."""
    low, high = sorted((printed, rope))
    return bool(np.any((ends >= low) & (ends <= high))) and printed != rope
