"""A score corrected for having picked the best by the same predictions, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.json import document, finite
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
    import pandas as pd

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


def frame(score: BiasCorrectedScore) -> pd.DataFrame:
    """A row for each model."""
    import pandas as pd

    frame = pd.DataFrame({"model": score.models, "share_best": score.chosen})
    return frame.sort_values("share_best", ascending=False, kind="stable").reset_index(drop=True)


def facts(score: BiasCorrectedScore) -> dict[str, Any]:
    """The answer in schema 1; nan is None."""
    return document(
        metric={"name": score.metric.name, "higher_is_better": score.metric.higher_is_better},
        score=finite(score.score),
        interval_low=finite(score.low),
        interval_high=finite(score.high),
        interval=score.interval,
        alpha=score.alpha,
        claim=finite(score.claim),
        winner=score.winner,
        optimism=finite(score.optimism),
        share_best=dict(zip(score.models, score.chosen.tolist(), strict=True)),
        n_resamples=score.n_resamples,
        n_undefined=score.n_undefined,
        n_examples=score.n_examples,
        n_repeats=score.n_repeats,
        warnings=[{"code": notice.code, "text": notice.text} for notice in score.notices],
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
        f"best model is picked on the examples drawn and scored on the others; nothing is fitted again. {_covered(score)}"
    )


def _covered(score: BiasCorrectedScore) -> str:
    """One or two sentences about the interval: its kind and its subject."""
    subject = "the score of the best of these models on further examples like these; it does not allow for other training sets"
    if score.interval == "percentile":
        return (
            f"The interval is for {subject}. Its ends are percentiles of the scores on the examples not drawn, about a third of "
            "all, which makes it wider than one of all examples."
        )
    if score.interval == "exact":
        return (
            f"The interval is for {subject}. Every bootstrap gives the same score, so its ends are the exact ones of Clopper and "
            "Pearson for one proportion."
        )
    return "Every bootstrap gives the same score, which says nothing of how sure it is."


def _best_table(score: BiasCorrectedScore) -> Table:
    order = sorted(range(len(score.models)), key=lambda row: -score.chosen[row])
    shown = order[:ROWS]
    names = short_names([score.models[row] for row in shown], NAME_WIDTH)
    rows = tuple((name, format_probability(float(score.chosen[row]))) for name, row in zip(names, shown, strict=True))
    more = f"; {len(order) - len(shown)} more below these" if len(order) > len(shown) else ""
    return Table(f"How often each model was the best{more}", ("model", "share"), rows)


VIEW = View(page, frame, facts)
