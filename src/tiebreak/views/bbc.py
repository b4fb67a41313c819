"""A score corrected for having picked the best by the same predictions, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.json import document, finite, metric_record, plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, ROWS, Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_score,
    printable,
    quote,
)

if TYPE_CHECKING:
    from tiebreak.evaluation.bbc import BiasCorrectedScore


def page(score: BiasCorrectedScore) -> Page:
    """The corrected score, how often each model was the best, warnings, and what was done."""
    return Page(
        (
            Paragraph((_sentence(score),), n_strong=1),
            _best_table(score),
            Section("Warnings", score.notices),
            Paragraph((_corrected_line(score),), is_small=True),
        )
    )


def columns(score: BiasCorrectedScore) -> dict[str, Any]:
    """A row for each model, the one first that was the best most often."""
    order = sorted(range(len(score.models)), key=lambda row: -score.chosen[row])
    return {"model": [score.models[row] for row in order], "share_best": [float(score.chosen[row]) for row in order]}


def facts(score: BiasCorrectedScore) -> dict[str, Any]:
    """The answer in schema 1; nan is None."""
    names = ("score", "interval", "alpha", "claim", "winner", "optimism", "n_resamples", "n_undefined", "n_examples", "n_repeats")
    return document(
        metric=metric_record(score.metric),
        **{name: finite(getattr(score, name)) for name in names},
        interval_low=finite(score.low),
        interval_high=finite(score.high),
        share_best=dict(zip(score.models, score.chosen.tolist(), strict=True)),
        warnings=plain(score.notices),
    )


def _sentence(score: BiasCorrectedScore) -> str:
    if not score.winner or score.score != score.score:
        return f"The {printable(score.metric.name)} of these predictions is undefined."
    metric, decimals = printable(score.metric.name), decimals_for((score.high - score.low) / 4)
    interval = f"{format_percent(1 - score.alpha)} interval {format_interval(score.low, score.high, decimals)}"
    if score.interval == "none":
        interval = "no interval, as the bootstraps do not vary"
    value, claim = format_score(score.score, decimals), format_score(score.claim, decimals)
    first = (
        f"Picking the best of {len(score.models)} models by {metric} leads to {value} ({interval}), corrected for having picked "
        f"it; {quote(score.winner)} was the best, with {claim}"
    )
    off = format_score(abs(score.optimism), decimals)
    return f"{first}: {off} {'better' if score.optimism > 0 else 'worse'} than that."


def _corrected_line(score: BiasCorrectedScore) -> str:
    repeats = f" of {score.n_repeats} repeats, averaged" if score.n_repeats > 1 else ""
    undefined = f"; undefined in {score.n_undefined} more" if score.n_undefined else ""
    return (
        f"BBC-CV: predictions of {score.n_examples} examples{repeats}, {score.n_resamples} bootstraps{undefined}. In each the "
        f"best model is picked on the examples drawn and scored on the others; nothing is fitted again. "
        f"{COVERED[score.interval].format(subject=SUBJECT)}"
    )


COVERED = {
    "percentile": "The interval is for {subject}. Its ends are percentiles of the scores on the examples not drawn, about a "
    "third of all, which makes it wider than one of all examples.",
    "exact": "The interval is for {subject}. Every bootstrap gives the same score, so its ends are the exact ones of Clopper and "
    "Pearson for one proportion.",
    "none": "Every bootstrap gives the same score, which says nothing of how sure it is.",
}
"""Kind of the interval and its subject."""

SUBJECT = "the score of the best of these models on further examples like these; it does not allow for other training sets"


def _best_table(score: BiasCorrectedScore) -> Table:
    models, shares = columns(score).values()
    names = short_names(models[:ROWS], NAME_WIDTH)
    rows = tuple((name, format_probability(share)) for name, share in zip(names, shares[:ROWS], strict=True))
    more = f"; {len(models) - ROWS} more below these" if len(models) > ROWS else ""
    return Table(f"How often each model was the best{more}", ("model", "share"), rows)


VIEW = View(page, columns, facts)
