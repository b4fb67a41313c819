"""One pair in words, as a row and as JSON: what the verdict on it means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.views.json import document, plain
from tiebreak.views.names import left_out, model_names, quoted_names
from tiebreak.views.next_step import pair_step
from tiebreak.views.page import NAME_WIDTH, Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    count,
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_pvalue,
    format_score,
    printable,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison, PairComparison

NO_SPREAD_NOTE = (
    "without spread the posterior is a single point, so P(...) are 0 and 1: they say nothing about other data, and the verdict "
    "stays undecided"
)

COLUMNS = (
    "first",
    "second",
    "n_units",
    "difference",
    "standard_error",
    "df",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "interval_alpha",
    "interval_low",
    "interval_high",
    "p_better",
    "p_equivalent",
    "p_worse",
    "verdict",
    "reason",
)
"""Columns of the frame, as those of all pairs of a comparison."""


def page(pair: PairComparison) -> Page:
    """The sentence, and the numbers that it rests on."""
    decimals = decimals_for(pair.resolution)
    regions = {"P(better)": pair.p_better, "P(equiv.)": pair.p_equivalent, "P(worse)": pair.p_worse}
    columns = {
        "difference": format_score(pair.difference, decimals, signed=True),
        interval_name(pair.comparison, in_family=pair.is_in_family): interval_text(pair, decimals),
        **{name: format_probability(p) for name, p in regions.items() if pair.law.is_posterior},
        "adj. p" if pair.is_in_family else "p": format_pvalue(pair.adjusted_pvalue if pair.is_in_family else pair.pvalue),
        "verdict": pair.verdict or "-",
    }
    models = pair.comparison.models
    first, second = (model_names(models, NAME_WIDTH)[models.index(name)] for name in (pair.first, pair.second))
    is_point = pair.law.is_posterior and pair.reason in ("identical-scores", "no-spread")
    table = Table(
        f"'{first}' {minus_word(pair.comparison)} '{second}' on {pair.n_units} {pair.comparison.method.unit}s; "
        f"{favours(pair.comparison, 'the first')}",
        tuple(columns),
        (tuple(columns.values()),),
        tuple(name != "verdict" for name in columns),
        notes=tuple(filter(None, (NO_SPREAD_NOTE if is_point else "", left_out(models)))),
    )
    return Page((Paragraph((pair_sentence(pair),), n_strong=1), Paragraph(tuple(filter(None, (pair_step(pair),)))), table))


def frame(pair: PairComparison) -> pd.DataFrame:
    """The pair's row of `Comparison.pairs`."""
    import pandas as pd

    row = _row(pair)
    return pd.DataFrame([list(row.values())], columns=list(row))


def facts(pair: PairComparison) -> dict[str, Any]:
    """The row, the sentence and the differences."""
    metric = pair.comparison.metric
    return document(
        schema=2,
        metric={"name": metric.name, "higher_is_better": metric.higher_is_better},
        rope=pair.rope,
        sentence=pair_sentence(pair),
        **plain(_row(pair)),
        differences=plain(pair.differences),
    )


def _row(pair: PairComparison) -> dict[str, Any]:
    """Values of the columns, without those that the procedure cannot give."""
    absent = pair.comparison.pair_table.absent
    return {name: getattr(pair, name) for name in COLUMNS if name not in absent}


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


def pair_sentence(pair: PairComparison) -> str:
    """Meaning of the verdict on one pair: a cause is named only where it is the cause."""
    comparison = pair.comparison
    if not pair.has_interval:
        return _without_interval(pair)
    if pair.difference < 0:
        pair = comparison.pair(pair.second, pair.first)
    names = quoted_names(comparison.models)
    a, b, rope = names[pair.first], names[pair.second], rope_words(comparison)
    if pair.verdict == "better":
        return WORDS["better by more" if comparison.rope else "better"].format(a=a, b=b, how=by_how_much(pair), rope=rope)
    if pair.verdict == "ahead":
        return WORDS["ahead"].format(a=a, b=b, how=by_how_much(pair), rope=rope)
    parts = _parts(pair)
    if pair.difference > float(pair.law.tolerance):
        parts["size"] = WORDS["for"].format(a=a, size=parts["size"])
    else:
        parts["size"] = WORDS["equal"].format(metric=printable(comparison.metric.name))
    if pair.verdict == "equivalent":
        ahead = WORDS["though ahead"].format(a=a) if has_direction(pair) else ""
        return WORDS["equivalent"].format(a=a, b=b, rope=rope, **parts) + ahead
    how = WORDS["how"].format(**parts)
    return WORDS["undecided" if pair.is_in_family else "no verdict"].format(a=a, b=b, how=how, why=_open(pair))


def _open(pair: PairComparison) -> str:
    """Words on a pair that has an interval and is undecided all the same."""
    if pair.reason == "discrete":
        return WORDS["discrete"]
    return WORDS["unsettled" if pair.comparison.rope else "no rope"].format(rope=rope_words(pair.comparison))


def _without_interval(pair: PairComparison) -> str:
    names, unit = quoted_names(pair.comparison.models), pair.comparison.method.unit
    known = without_interval(pair.comparison)
    words = known.get(pair.reason, known["missing-splits"])
    alpha = pair.interval_alpha if pair.is_in_family else pair.comparison.settings.alpha
    level = level_words(alpha) if pair.reason == "too-few-units" else ""
    return words.format(
        a=names[pair.first], b=names[pair.second], n=pair.n_units, unit=unit, units=count(pair.n_units, unit), level=level
    )


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


def has_direction(pair: PairComparison) -> bool:
    """True where 0 lies outside the interval, beyond rounding noise."""
    tolerance = float(pair.law.tolerance)
    return pair.interval_low > tolerance or pair.interval_high < -tolerance


def interval_text(pair: PairComparison, decimals: int) -> str:
    """The interval of the difference."""
    return format_interval(pair.interval_low, pair.interval_high, decimals, limits(pair.comparison))


def limits(comparison: Comparison) -> tuple[float, ...]:
    """Numbers on whose true side the ends of intervals are printed."""
    rope = float(rope_number(comparison))
    return (0.0, rope, -rope)


def interval_name(comparison: Comparison, *, in_family: bool = True, is_header: bool = False) -> str:
    """Name of the one interval of a pair: "95% interval", "simultaneous 95% interval", "98.3% interval".

    The header of a table is short, as a note below says what the intervals of the family hold together.
    """
    table, alpha = comparison.pair_table, comparison.settings.alpha
    if not in_family or not table.is_family:
        return WORDS["own interval"].format(percent=format_percent(1 - alpha))
    if table.is_simultaneous:
        words = WORDS["together" if table.n_pairs > 1 and not is_header else "interval"]
        return words.format(percent=format_percent(1 - alpha))
    return WORDS["interval"].format(percent=level_words(table.interval_alpha))


def level_words(alpha: float) -> str:
    """Coverage of one interval, 1 - alpha: as many digits as tell it from 100%."""
    decimals = max(0, -math.floor(math.log10(alpha)) - 1)
    digits = f"{100 * (1 - alpha):.{decimals}f}"
    return f"{digits.removesuffix('.0')}%"


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


VIEW = View(page, frame, facts, "tiebreak.views.plots.comparison:PairPlots", sentence=pair_sentence)
