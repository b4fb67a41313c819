"""One pair in words, as a row and as JSON: what the verdict on it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.json import document, plain
from tiebreak.views.page import NAME_WIDTH, Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_pvalue,
    format_score,
    short_names,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison, PairComparison

QUOTE_WIDTH = 60
"""Characters of a name in a sentence."""

COLUMNS = (
    "first", "second", "n_splits", "difference", "standard_error", "df", "statistic", "pvalue", "adjusted_pvalue", "interval_low",
    "interval_high", "simultaneous_low", "simultaneous_high", "p_better", "p_equivalent", "p_worse", "claim", "claim_pvalue",
    "adjusted_claim_pvalue", "verdict", "bayesian_verdict", "reason",
)  # fmt: skip
"""Columns of the frame, as those of all pairs of a comparison."""


def page(pair: PairComparison) -> Page:
    """The sentence, and the numbers that it rests on."""
    decimals = decimals_for(pair.resolution)
    settings = pair.comparison.settings
    regions = {"P(better)": pair.p_better, "P(equiv.)": pair.p_equivalent, "P(worse)": pair.p_worse}
    columns = {
        "difference": format_score(pair.difference, decimals, signed=True),
        f"{format_percent(1 - settings.alpha)} interval": format_interval(pair.interval_low, pair.interval_high, decimals),
        **{name: format_probability(p) for name, p in regions.items() if pair.distribution.is_posterior},
        "adj. p": format_pvalue(pair.adjusted_claim_pvalue),
        "verdict": pair.verdict or "-",
    }
    first, second = short_names((pair.first, pair.second), NAME_WIDTH)
    table = Table(
        f"'{first}' against '{second}' on {pair.n_splits} splits; positive favours the first",
        tuple(columns),
        (tuple(columns.values()),),
        tuple(name != "verdict" for name in columns),
    )
    return Page((Paragraph((pair_sentence(pair),), n_strong=1), table))


def frame(pair: PairComparison) -> pd.DataFrame:
    """The pair's row of `Comparison.pairs`."""
    import pandas as pd

    row = _row(pair)
    return pd.DataFrame([list(row.values())], columns=list(row))


def facts(pair: PairComparison) -> dict[str, Any]:
    """The row, the sentence and the differences."""
    metric = pair.comparison.metric
    return document(
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


def pair_sentence(pair: PairComparison) -> str:
    """Meaning of the verdict on one pair."""
    comparison = pair.comparison
    if pair.reason:
        return _undefined(comparison, pair)
    if pair.difference < 0:
        pair = comparison.pair(pair.second, pair.first)
    names = names_in_sentences(comparison)
    first, second = names[pair.first], names[pair.second]
    if pair.verdict == "better":
        beyond = f", more than the rope of {rope_words(comparison)}" if comparison.rope else ""
        return f"{first} is better than {second}: {_by_how_much(comparison, pair)}{beyond}."
    how = _by_how_much(comparison, pair, f" for {first}")
    if pair.verdict == "equivalent":
        if _differs(comparison, pair):
            return (
                f"{first} is measurably better than {second}, but by too little to matter: {_by_how_much(comparison, pair)}, "
                f"inside the rope of ±{rope_words(comparison)}. Practically they are equivalent."
            )
        return f"{first} and {second} are practically equivalent: {how}, inside the rope of ±{rope_words(comparison)}."
    if pair.verdict == "":
        return f"{first} against {second}: {how}; this pair is not in the family that was judged, so it has no verdict."
    if comparison.rope and _differs(comparison, pair):
        doubt = f"whether by more than the rope of {rope_words(comparison)} is undecided"
        return f"{first} is better than {second}, but {doubt}: {_by_how_much(comparison, pair)}."
    shown = f"neither a difference beyond the rope of ±{rope_words(comparison)} nor equivalence is shown"
    if not comparison.rope:
        shown = "no difference is shown, and without a rope equivalence cannot be concluded"
    return f"{first} and {second} cannot be told apart yet: {how}; {shown}."


def _undefined(comparison: Comparison, pair: PairComparison) -> str:
    names = names_in_sentences(comparison)
    first, second = names[pair.first], names[pair.second]
    if pair.reason == "identical-scores":
        return f"{first} and {second} have identical scores on all {pair.n_splits} splits: nothing tells them apart here."
    if pair.reason == "no-spread":
        return (
            f"{first} and {second} differ by the same amount on all {pair.n_splits} splits: without spread there is nothing to "
            "test the difference with, so it stays undecided."
        )
    return f"{first} and {second} share {pair.n_splits} split(s), too few to compare them."


def _by_how_much(comparison: Comparison, pair: PairComparison, whose: str = "") -> str:
    """Size and interval of a difference: accuracy higher by 0.032 (95% interval 0.012 to 0.052)."""
    decimals = decimals_for(pair.resolution)
    word = "higher" if comparison.metric.higher_is_better else "lower"
    level = format_percent(1 - comparison.settings.alpha)
    interval = format_interval(pair.interval_low, pair.interval_high, decimals)
    return f"{comparison.metric.name} {word} by {format_score(pair.difference, decimals)}{whose} ({level} interval {interval})"


def rope_words(comparison: Comparison) -> str:
    """The rope in the metric's unit, and as it was given."""
    given = comparison.settings.rope
    return f"{comparison.rope:.3g} ({given.strip()})" if isinstance(given, str) else f"{comparison.rope:g}"


def _differs(comparison: Comparison, pair: PairComparison) -> bool:
    """True if the test of no difference at all rejects over the family."""
    two_sided = comparison.pair(pair.first, pair.second, alternative="two-sided")
    return two_sided.adjusted_pvalue <= comparison.settings.alpha


def names_in_sentences(comparison: Comparison) -> dict[str, str]:
    """Each model's name as sentences quote it: on one line, not long, and no two alike."""
    models = comparison.models
    return {model: f"'{name}'" for model, name in zip(models, short_names(models, QUOTE_WIDTH), strict=True)}


VIEW = View(page, frame, facts, "tiebreak.views.plots.comparison:PairPlots", sentence=pair_sentence)
