"""A nested cross-validation in words: the honest score, what would have been claimed, and how stable the choice is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.scores.scores import Notice
from tiebreak.views.evaluation import design_words
from tiebreak.views.nested_frames import candidate_order, nested_rows
from tiebreak.views.page import NAME_WIDTH, ROWS, Table, notice_section, wrap
from tiebreak.views.page import escape as escape_markdown
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_score,
    printable,
    quote,
    short_names,
)

if TYPE_CHECKING:
    from tiebreak.evaluation.bbc import BiasCorrectedScore
    from tiebreak.studies.nested import HonestScore, NestedEvaluation
    from tiebreak.studies.nested_choice import Choice

MOST_CANDIDATES = 8
"""Candidates of a search whose choices are shown; the rest is counted."""


def nested_text(nested: NestedEvaluation) -> str:
    """The answer, 100 columns wide where names allow."""
    return _text(nested_sentences(nested), [*_score_tables(nested), *_choice_tables(nested)], head_line(nested), nested.warnings)


def nested_html(nested: NestedEvaluation) -> str:
    """The answer as a piece of HTML without script."""
    return _html(nested_sentences(nested), [*_score_tables(nested), *_choice_tables(nested)], head_line(nested), nested.warnings)


def nested_markdown(nested: NestedEvaluation) -> str:
    """The answer as Markdown."""
    first, *others = nested_sentences(nested)
    parts = [
        f"**{escape_markdown(first)}**",
        *(escape_markdown(line) for line in others),
        *(table.as_markdown() for table in (*_score_tables(nested), *_choice_tables(nested))),
        escape_markdown(head_line(nested)),
    ]
    if nested.warnings:
        parts.append(notice_section("Warnings", nested.warnings).as_markdown())
    return "\n\n".join(parts) + "\n"


def bias_corrected_text(score: BiasCorrectedScore) -> str:
    """The corrected score, and how often each model was the best."""
    return _text(_corrected_sentences(score), [_best_table(score)], _corrected_line(score), score.warnings)


def bias_corrected_html(score: BiasCorrectedScore) -> str:
    """The same as a piece of HTML without script."""
    return _html(_corrected_sentences(score), [_best_table(score)], _corrected_line(score), score.warnings)


# --- sentences --------------------------------------------------------------------------------------------------------------


def nested_sentences(nested: NestedEvaluation) -> list[str]:
    """What to expect of each search, and what would have been claimed; of many searches the tables say it."""
    if len(nested.choices) > 3:
        return [f"{len(nested.choices)} searches, each scored on examples that took no part in its choices:"]
    return [_sentence(nested, choice) for choice in nested.choices]


def _sentence(nested: NestedEvaluation, choice: Choice) -> str:
    s = nested.honest(choice.name)
    metric, decimals = printable(s.metric.name), decimals_for(s.standard_error)
    if s.n_splits == 0:
        return f"{quote(choice.name)} has no score on any outer split."
    interval = f" ({_level(nested.alpha)} interval {format_interval(s.low, s.high, decimals)})" if not s.reason else ""
    if len(choice.candidates) == 1:
        return f"{quote(choice.name)} scores a mean {metric} of {format_score(s.mean, decimals)}{interval}; nothing is chosen."
    honest = (
        f"Choosing among the {len(choice.candidates)} candidates of {quote(choice.name)} leads to a mean {metric} of "
        f"{format_score(s.mean, decimals)}{interval} on examples that took no part in the choice."
    )
    return f"{honest} {_claim_words(s, decimals)}".strip()


def _claim_words(s: HonestScore, decimals: int) -> str:
    if s.claim != s.claim:
        return ""
    claim = f"Without nesting {quote(s.claimed_by)} would have been chosen, and {format_score(s.claim, decimals)} claimed"
    off = format_score(abs(s.optimism), decimals)
    if off == format_score(0.0, decimals):
        return f"{claim}, which is the same here."
    return f"{claim}: {off} {'better' if s.optimism > 0 else 'worse'} than that."


def head_line(nested: NestedEvaluation) -> str:
    """How the splits were made, and where the cells are."""
    searched = [choice for choice in nested.choices if choice.inner is not None]
    where = f" in {nested.outer.url}" if nested.outer.url else ""
    inner = ""
    if searched:
        record = searched[0].inner.record.datasets[0]  # type: ignore[union-attr]
        low, high = min(c.n_inner()[0] for c in searched), max(c.n_inner()[1] for c in searched)
        metrics = dict.fromkeys(printable(choice.metric.name) for choice in searched)
        n_inner = str(low) if low == high else f"{low}-{high}"
        inner = f"; chosen by {' or '.join(metrics)} on {n_inner} inner splits each ({record.kind})"
    return f"Run {quote(nested.outer.name)}{where}: {nested.n_outer} outer splits ({design_words(nested.outer, 0)}){inner}."


def _corrected_sentences(score: BiasCorrectedScore) -> list[str]:
    if not score.winner or score.score != score.score:
        return [f"The {printable(score.metric.name)} of these predictions is undefined."]
    metric, decimals = printable(score.metric.name), decimals_for((score.high - score.low) / 4)
    interval = f"{_level(score.alpha)} interval {format_interval(score.low, score.high, decimals)}"
    value, claim = format_score(score.score, decimals), format_score(score.claim, decimals)
    first = (
        f"Picking the best of {len(score.models)} models by {metric} leads to {value} ({interval}), corrected for having picked "
        f"it; {quote(score.winner)} was the best, with {claim}"
    )
    off = format_score(abs(score.optimism), decimals)
    return [f"{first}: {off} {'better' if score.optimism > 0 else 'worse'} than that."]


def _corrected_line(score: BiasCorrectedScore) -> str:
    repeats = f" of {score.n_repeats} repeats, averaged" if score.n_repeats > 1 else ""
    undefined = f"; undefined in {score.n_undefined} more" if score.n_undefined else ""
    return (
        f"BBC-CV: predictions of {score.n_examples} examples{repeats}, {score.n_bootstraps} bootstraps{undefined}. In each the "
        "best model is picked on the examples drawn and scored on the others; nothing is fitted again."
    )


# --- tables -----------------------------------------------------------------------------------------------------------------


def _score_tables(nested: NestedEvaluation) -> list[Table]:
    return [_score_table(nested, metric) for metric in nested.metrics]


def _score_table(nested: NestedEvaluation, metric: str) -> Table:
    """Honest scores and claims of all searches in one metric."""
    found = [nested.honest(name, metric) for name in nested.searches]
    errors = [s.standard_error for s in found if s.standard_error > 0]
    decimals = decimals_for(float(np.median(errors)) if errors else float("nan"))
    names = short_names(nested.searches, NAME_WIDTH)
    columns = {
        "search": names,
        "honest": [format_score(s.mean, decimals) for s in found],
        f"{_level(nested.alpha)} interval": [format_interval(s.low, s.high, decimals) for s in found],
        "splits": [str(s.n_splits) if s.n_splits == nested.n_outer else f"{s.n_splits} of {nested.n_outer}" for s in found],
        "claim": [format_score(s.claim, decimals) for s in found],
        "optimism": [format_score(s.optimism, decimals, signed=True) for s in found],
        "inner best": [format_score(s.inner_claim, decimals) for s in found],
    }
    if not nested.is_plain:
        del columns["claim"], columns["optimism"]
    if all(s.inner_claim != s.inner_claim for s in found):
        del columns["inner best"]
    direction = "higher" if found[0].metric.higher_is_better else "lower"
    title = f"Mean {printable(metric)} over outer splits, {direction} is better"
    return Table(title, tuple(columns), tuple(zip(*columns.values(), strict=True)), tuple(name != "search" for name in columns))


def _choice_tables(nested: NestedEvaluation) -> list[Table]:
    return [_choice_table(nested, choice) for choice in nested.choices if len(choice.candidates) > 1]


def _choice_table(nested: NestedEvaluation, choice: Choice) -> Table:
    """How often each candidate of a search was chosen."""
    rows = [row for row in nested_rows(nested, "chosen") if row[0] == choice.name]
    order = candidate_order([row[2] for row in rows])[:MOST_CANDIDATES]
    spread = np.nanstd(choice.inner_mean) if not np.isnan(choice.inner_mean).all() else np.nan
    decimals = max(3, min(decimals_for(float(spread)), 6))
    names = short_names([choice.candidates[row] for row in order], NAME_WIDTH)
    shown = tuple(
        (
            name,
            f"{rows[row][2]} of {nested.n_outer}",
            format_score(rows[row][4], decimals),
            *((format_score(rows[row][5], decimals),) if nested.is_plain else ()),
        )
        for name, row in zip(names, order, strict=True)
    )
    rest = len(rows) - len(order)
    more = f"; {rest} more candidates" if rest else ""
    return Table(
        f"Choices of {quote(choice.name)} by mean {printable(choice.metric.name)}{more}",
        ("candidate", "chosen", "inner mean", *(("plain mean",) if nested.is_plain else ())),
        shown,
        (False, True, True, *((True,) if nested.is_plain else ())),
    )


def _best_table(score: BiasCorrectedScore) -> Table:
    order = sorted(range(len(score.models)), key=lambda row: -score.chosen[row])
    shown = order[:ROWS]
    names = short_names([score.models[row] for row in shown], NAME_WIDTH)
    rows = tuple((name, format_probability(float(score.chosen[row]))) for name, row in zip(names, shown, strict=True))
    more = f"; {len(order) - len(shown)} more below these" if len(order) > len(shown) else ""
    return Table(f"How often each model was the best{more}", ("model", "share"), rows, (False, True))


# --- pages ------------------------------------------------------------------------------------------------------------------


def _level(alpha: float) -> str:
    return format_percent(1 - alpha)


def _text(sentences: Sequence[str], tables: Sequence[Table], line: str, warnings: Sequence[Notice]) -> str:
    notes = [wrap(f"- {notice.text} [{notice.code}]", "  ") for notice in warnings]
    parts = [
        "\n".join(wrap(sentence) for sentence in sentences),
        *(table.as_text() for table in tables),
        "\n".join(["Warnings", *notes]) if notes else "",
        wrap(line),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _html(sentences: Sequence[str], tables: Sequence[Table], line: str, warnings: Sequence[Notice]) -> str:
    items = "".join(f"<li>{escape(n.text)} <code>{escape(n.code)}</code></li>" for n in warnings)
    folded = f"<details><summary>Warnings ({len(warnings)})</summary><ul>{items}</ul></details>" if items else ""
    return (
        '<div class="tiebreak">'
        + "".join(f"<p><strong>{escape(sentence)}</strong></p>" for sentence in sentences)
        + "".join(table.as_html() for table in tables)
        + f"{folded}<p><small>{escape(line)}</small></p></div>"
    )
