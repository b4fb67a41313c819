"""A learning curve in words and columns: would more data help, and the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.statistics.more_data import ANSWERS, CANNOT_BE_TOLD, LESS_THAN_ROPE, YES
from tiebreak.views.curve_points import (
    columns_frame,
    curve_document,
    interval_notes,
    lost_notes,
    names_in_table,
    point_cells,
    point_columns,
    point_decimals,
    point_headers,
)
from tiebreak.views.page import Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import decimals_for, format_interval, format_percent, format_score, printable, quote

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.studies.learning_curve import DoublingAnswer, LearningCurve

MOST_SENTENCES = 4
"""Models up to which each has a sentence; of more, the table tells."""

_WHY = {
    "identical-scores": "its scores are the same with half of the data, on all splits, so there is no spread to judge by.",
    "no-spread": "the gain is the same on all splits, so there is no spread to judge by.",
    "too-few-splits": "fewer than two splits have the scores that are needed.",
    "no-halves": "for that the sizes must hold a quarter and a half of the largest one.",
}


def page(curve: LearningCurve) -> Page:
    """Sentences, answers, points and notes."""
    few = curve.answers[:MOST_SENTENCES] if len(curve.answers) <= MOST_SENTENCES else ()
    answers = tuple(sentence(curve, each) for each in few)
    return Page(
        (
            Paragraph((_title(curve),)),
            Paragraph(answers, n_strong=len(answers)),
            _answers(curve),
            _points(curve),
            Section("Notes", _notes(curve)),
        )
    )


def columns(curve: LearningCurve) -> dict[str, Any]:
    """The points, those of the first model first."""
    n_sizes = len(curve.sizes)
    return {
        "model": [model for model in curve.models for _ in range(n_sizes)],
        "size": [size for _ in curve.models for size in curve.sizes],
        **point_columns(curve.points),
    }


def frame(curve: LearningCurve) -> pd.DataFrame:
    """The points, one in a row."""
    return columns_frame(columns(curve))


def facts(curve: LearningCurve) -> dict[str, Any]:
    """Facts for JSON."""
    return curve_document(
        "learning-curve",
        columns(curve),
        metric={"name": curve.metric.name, "higher_is_better": curve.metric.higher_is_better},
        settings={"rope": curve.rope, "alpha": curve.alpha},
        models=curve.models,
        sizes=curve.sizes,
        n_splits=curve.n_splits,
        answers=[answer._asdict() for answer in curve.answers],
        n_failed=curve.evaluation.n_failed,
    )


def sentence(curve: LearningCurve, answer: DoublingAnswer) -> str:
    """Would more data help a model, and how we know."""
    opening = f"Would more data help {quote(answer.model)}?"
    if answer.reason:
        return f"{opening} It cannot be told: {_WHY[answer.reason]}"
    decimals = decimals_for((answer.last_high - answer.last_low) / 4)
    word = "higher" if curve.metric.higher_is_better == (answer.last_gain >= 0) else "lower"
    interval = format_interval(answer.last_low, answer.last_high, decimals)
    gain = format_score(abs(answer.last_gain), decimals)
    last = (
        f"the last doubling, to {curve.sizes[-1]} examples, made {curve.metric.name} {word} by {gain} "
        f"({format_percent(1 - curve.alpha)} interval of the gain {interval})"
    )
    low, high = format_score(answer.next_low, decimals), format_score(answer.next_high, decimals)
    if answer.answer == ANSWERS[YES]:
        beyond = f", more than the rope of {curve.rope:.4g}" if curve.rope else ""
        return f"{opening} Yes: {last}, and the next one brings at least {low}{beyond}."
    if answer.answer == ANSWERS[LESS_THAN_ROPE]:
        return (
            f"{opening} By less than the rope on doubling: {last}; gains shrink, so the next one brings at most {high}, less "
            f"than the rope of {curve.rope:.4g}."
        )
    rope = f", on either side of the rope of {curve.rope:.4g}" if curve.rope else "; without a rope only a clear yes can be told"
    return f"{opening} It cannot be told: {last}, and the next one brings {low} to {high}{rope}."


def _title(curve: LearningCurve) -> str:
    record = curve.evaluation.record.datasets[0]
    low, high = curve.sizes[0], curve.sizes[-1]
    span = f"{low} to {high}" if low != high else str(high)
    splits = f"{curve.n_splits} split{'s' if curve.n_splits > 1 else ''} ({record.kind})"
    metric = printable(curve.metric.name)
    return f"Learning curve: {metric} with {span} training examples, {splits}, the same test rows for every size."


def _answers(curve: LearningCurve) -> Table:
    rows = []
    for name, each in zip(names_in_table(curve.models), curve.answers, strict=True):
        decimals = decimals_for((each.last_high - each.last_low) / 4)
        rows.append(
            (
                name,
                each.answer if each.answer != ANSWERS[CANNOT_BE_TOLD] or not each.reason else f"{each.answer} ({each.reason})",
                format_score(each.last_gain, decimals, signed=True),
                format_interval(each.last_low, each.last_high, decimals),
                format_interval(each.next_low, each.next_high, decimals),
            )
        )
    level = format_percent(1 - curve.alpha)
    headers = ("model", "would more data help?", "last doubling", f"{level} interval", "next doubling")
    rope = f" (rope {curve.rope:.4g})" if curve.rope == curve.rope else ""
    title = f"Gains in {printable(curve.metric.name)} on doubling, positive is better{rope}"
    return Table(title, headers, tuple(rows), (False, False, True, True, True))


def _points(curve: LearningCurve) -> Table:
    decimals = point_decimals(curve.points)
    rows = tuple(
        (name if place == 0 else "", str(size), *point_cells(curve.points, model, place, decimals, curve.n_splits))
        for model, name in enumerate(names_in_table(curve.models))
        for place, size in enumerate(curve.sizes)
    )
    headers = ("model", "examples", *point_headers(curve.alpha))
    return Table(f"Mean {printable(curve.metric.name)} by training examples", headers, rows)


def _notes(curve: LearningCurve) -> tuple[str, ...]:
    return (_ASSUMED, *interval_notes(curve.points, curve.metric, curve.alpha), *lost_notes(curve.evaluation))


_ASSUMED = (
    "Next doubling: gains are taken to shrink from doubling to doubling, by no more than at the rate 1/n or as they have shrunk "
    "before, whichever is faster. A curve that rises in steps or dips breaks that."
)

VIEW = View(page, frame, facts, "tiebreak.views.plots.curves:LEARNING")
