"""The answer in words: one plain sentence, and a page for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tiebreak.comparison.verdict import VERDICTS
from tiebreak.views.summary import (
    design_line,
    footnotes,
    method_lines,
    names_in_sentences,
    pair_table,
    ranking_table,
    table_decimals,
)
from tiebreak.views.text_table import aligned
from tiebreak.views.words import decimals_for, format_interval, format_percent, format_pvalue, format_score, judgements, listed

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.comparison.requirements import Requirements

WIDTH = 100
MOST_NAMES = 5


def sentence(comparison: Comparison) -> str:
    """Who is best, who ties, what is undecided and why; never more than five names in a list."""
    if len(comparison.models) == 2 and comparison.settings.baseline is None:
        return pair_sentence(comparison, comparison.pair(*_as_ordered(comparison)))
    return _many(comparison)


def pair_sentence(comparison: Comparison, pair: PairComparison) -> str:
    """What the verdict on one pair means."""
    if pair.reason:
        return _undefined(comparison, pair)
    if pair.difference < 0:
        pair = comparison.pair(pair.second, pair.first)
    names = names_in_sentences(comparison)
    first, second = names[pair.first], names[pair.second]
    if pair.verdict == "better":
        beyond = f", more than the rope of {_rope(comparison)}" if comparison.rope else ""
        return f"{first} is better than {second}: {_by_how_much(comparison, pair)}{beyond}."
    how = _by_how_much(comparison, pair, f" for {first}")
    if pair.verdict == "equivalent":
        if _differs(comparison, pair):
            return (
                f"{first} is measurably better than {second}, but by too little to matter: {_by_how_much(comparison, pair)}, "
                f"inside the rope of ±{_rope(comparison)}. Practically they are equivalent."
            )
        return f"{first} and {second} are practically equivalent: {how}, inside the rope of ±{_rope(comparison)}."
    if pair.verdict == "":
        return f"{first} against {second}: {how}; this pair is not in the family that was judged, so it has no verdict."
    if comparison.rope and _differs(comparison, pair):
        doubt = f"whether by more than the rope of {_rope(comparison)} is undecided"
        return f"{first} is better than {second}, but {doubt}: {_by_how_much(comparison, pair)}."
    shown = f"neither a difference beyond the rope of ±{_rope(comparison)} nor equivalence is shown"
    if not comparison.rope:
        shown = "no difference is shown, and without a rope equivalence cannot be concluded"
    return f"{first} and {second} cannot be told apart yet: {how}; {shown}."


def full_text(comparison: Comparison, requirements: Requirements | None = None, *, with_method: bool = True) -> str:
    """Sentence, ranking, pairs, warnings, method and the judgement of requirements, 100 columns wide where names allow."""
    ranking, pairs = ranking_table(comparison), pair_table(comparison)
    parts = [
        wrap(comparison.sentence),
        "\n".join(wrap(line) for line in extra_sentences(comparison)),
        "\n".join([ranking.title, wrap(design_line(comparison), "  "), *aligned(ranking)]),
        "\n".join([wrap(pairs.title), *aligned(pairs), *(wrap(line, "  ") for line in footnotes(comparison))]),
        _section("Warnings", [f"- {notice.text} [{notice.code}]" for notice in comparison.warnings]),
        _section("Method", method_lines(comparison) if with_method else []),
        _section("Requirements", [f"- {line}" for line in judgements(requirements)] if requirements is not None else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, lines: list[str]) -> str:
    """Wrapped lines under a title; nothing where there are no lines."""
    return "\n".join([title, *(wrap(line, "  ") for line in lines)]) if lines else ""


def extra_sentences(comparison: Comparison) -> list[str]:
    """What the first sentence leaves open: who may be best, what it would take to know, where two analyses disagree."""
    lines = [_shortlist_line(comparison), _what_it_takes(comparison), _disagreement(comparison)]
    return [line for line in lines if line]


def wrap(text: str, indent: str = "") -> str:
    """Text in lines of at most 100 columns; a hanging indent under list items."""
    hanging = indent + ("  " if text.startswith("- ") else "")
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _as_ordered(comparison: Comparison) -> tuple[str, str]:
    table = comparison.pair_table
    return comparison.models[table.first[0]], comparison.models[table.second[0]]


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
    decimals = decimals_for(pair.standard_error)
    word = "higher" if comparison.metric.higher_is_better else "lower"
    level = format_percent(1 - comparison.settings.alpha)
    interval = format_interval(pair.interval_low, pair.interval_high, decimals)
    return f"{comparison.metric.name} {word} by {format_score(pair.difference, decimals)}{whose} ({level} interval {interval})"


def _rope(comparison: Comparison) -> str:
    given = comparison.settings.rope
    return f"{comparison.rope:.3g} ({given.strip()})" if isinstance(given, str) else f"{comparison.rope:g}"


def _differs(comparison: Comparison, pair: PairComparison) -> bool:
    """Whether the test of no difference at all rejects over the family."""
    two_sided = comparison.pair(pair.first, pair.second, alternative="two-sided")
    return two_sided.adjusted_pvalue <= comparison.settings.alpha


def _many(comparison: Comparison) -> str:
    """The reference's pairs: how many models it beats, ties with, or cannot be told apart from."""
    table, reference = comparison.ranking_table, names_in_sentences(comparison)[comparison.reference]
    groups = _groups(comparison)
    metric = comparison.metric.name
    decimals = table_decimals(comparison)
    mean = format_score(float(table.mean[table.reference]), decimals)
    if comparison.settings.baseline is not None:
        return _against_baseline(reference, f"{metric} {mean}", groups)
    side = "highest" if comparison.metric.higher_is_better else "lowest"
    opening = f"{reference} has the {side} mean {metric} ({mean})"
    if table.n_splits[0] < comparison.matrix.n_splits:
        opening += ", though every model lacks some scores"
    shown = _within_budget(groups)
    every = "every other model, " if len(groups["worse"]) == len(comparison.models) - 1 else ""
    clauses = [
        words.format(shown[verdict])
        for verdict, words in (
            ("worse", f"is better than {every}{{}}"),
            ("equivalent", "is practically equivalent to {}"),
            ("better", "is worse than {}, which lacks some scores"),
            (
                "unclear",
                f"is measurably better than {{}}, though whether by more than the rope of {_rope(comparison)} is undecided",
            ),
            ("undecided", "cannot be told apart yet from {}, as the difference varies too much from split to split"),
        )
        if groups[verdict]
    ]
    return f"{opening}. It {_joined(clauses)}."


def _groups(comparison: Comparison) -> dict[str, list[str]]:
    """Quoted models by their verdict against the reference; "unclear" are undecided ones that it measurably beats."""
    table, pairs = comparison.ranking_table, comparison.pair_table
    groups: dict[str, list[str]] = {name: [] for name in (*VERDICTS, "unclear")}
    beaten: set[int] = set()
    if comparison.rope and comparison.settings.baseline is None and comparison.settings.alternative == "two-sided":
        rows = pairs.rows_with(table.reference)
        rows = rows[pairs.adjusted_pvalue[rows] <= comparison.settings.alpha]
        beaten = {*pairs.first[rows].tolist(), *pairs.second[rows].tolist()}
    names = names_in_sentences(comparison)
    for row, model in enumerate(comparison.models):
        if row == table.reference:
            continue
        verdict = VERDICTS[table.verdict[row]]
        is_unclear = verdict == "undecided" and row in beaten and table.difference[row] < 0
        groups["unclear" if is_unclear else verdict].append(names[model])
    return groups


def _within_budget(groups: dict[str, list[str]]) -> dict[str, str]:
    """Each group in words, no more than four names in all (the reference is the fifth); ties come before losers."""
    left, shown = MOST_NAMES - 1, {}
    for verdict in ("better", "equivalent", "undecided", "unclear", "worse"):
        names = groups[verdict]
        if left == 0 or not names:
            shown[verdict] = f"{len(names)} other model{'s' if len(names) != 1 else ''}"
            continue
        shown[verdict] = listed(names, left if len(names) <= left else left + 1)
        left -= min(len(names), left)
    return shown


def _against_baseline(baseline: str, score: str, groups: dict[str, list[str]]) -> str:
    shown = _within_budget(groups)
    parts = [
        f"{shown[verdict]} {'is' if len(groups[verdict]) == 1 else 'are'} {words}"
        for verdict, words in (
            ("better", "better"),
            ("equivalent", "practically equivalent"),
            ("worse", "worse"),
            ("undecided", "undecided, as the difference varies too much from split to split"),
        )
        if groups[verdict]
    ]
    return f"Against the baseline {baseline} ({score}): {'; '.join(parts)}."


def _joined(clauses: list[str]) -> str:
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def _shortlist_line(comparison: Comparison) -> str:
    """Which models may be best, when there is more than one pair to ask about."""
    if len(comparison.models) < 3:
        return ""
    quoted = names_in_sentences(comparison)
    names = list(comparison.shortlist())
    confidence = format_percent(1 - comparison.settings.alpha)
    if len(names) == 1:
        return (
            f"Only {quoted[names[0]]} may be the best: every other model is shown to be worse than some model "
            f"({confidence} confidence)."
        )
    among = f"{len(names)} of {len(comparison.models)} with {confidence} confidence"
    text = f"The best model is among {among}: {listed([quoted[name] for name in names])}."
    table = comparison.ranking_table
    if comparison.settings.baseline is None:
        verdicts = {name: VERDICTS[table.verdict[row]] for row, name in enumerate(comparison.models)}
        odd = [name for name in comparison.models[1:] if (verdicts[name] == "worse") == (name in names)]
        if odd:
            about = quoted[odd[0]] if len(odd) == 1 else f"{len(odd)} models"
            why = "they ask different questions, each with its own error rate"
            text += f" For {about} this list and the verdict seem to differ: {why}."
    return text


def _what_it_takes(comparison: Comparison) -> str:
    """For the most interesting undecided pair: how far more repeats could narrow its interval."""
    table, reference = comparison.ranking_table, comparison.reference
    undecided = [n for row, n in enumerate(comparison.models) if n != reference and VERDICTS[table.verdict[row]] == "undecided"]
    if not undecided:
        return ""
    pair = comparison.pair(undecided[0], reference)
    if pair.reason or not pair.ratio:
        return ""
    names = names_in_sentences(comparison)
    decimals = decimals_for(pair.standard_error)
    now = format_score((pair.interval_high - pair.interval_low) / 2, decimals)
    floor = format_score(pair.half_width_floor(comparison.settings.alpha), decimals)
    return (
        f"To know more about {names[pair.first]} and {names[pair.second]}: their interval is ±{now}; more repeats of the same "
        f"splits can bring it down to about ±{floor}, below that only more data can."
    )


def _disagreement(comparison: Comparison) -> str:
    """Pairs for which test and posterior name different regions; undecided is no region."""
    table = comparison.pair_table
    verdict, bayesian = table.verdict, table.bayesian_verdict
    rows = [row for row in range(table.n_pairs) if verdict[row] and bayesian[row] and verdict[row] != bayesian[row]]
    if not rows:
        return ""
    row = rows[0]
    names = names_in_sentences(comparison)
    first, second = (names[comparison.models[code]] for code in (table.first[row], table.second[row]))
    more = f" (and {len(rows) - 1} more pair(s))" if len(rows) > 1 else ""
    return (
        f"Test and posterior disagree on {first} against {second}{more}: the verdict is {VERDICTS[verdict[row]]} (adjusted p "
        f"{format_pvalue(float(table.adjusted_claim_pvalue[row]))}), the posterior says {VERDICTS[bayesian[row]]}."
    )
