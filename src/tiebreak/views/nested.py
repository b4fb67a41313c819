"""A nested cross-validation in words, tables and JSON: the honest score, and what would have been claimed without it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.numerics import row_moments
from tiebreak.studies.nested_choice import NOTHING
from tiebreak.views.design import design_words
from tiebreak.views.json import document, finite
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_score,
    printable,
    quote,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.studies.nested import NestedEvaluation
    from tiebreak.studies.nested_choice import Choice

MOST_CANDIDATES = 8
"""Candidates of a search whose choices are shown; the rest is counted."""

Part = Literal["outer", "summary", "chosen", "inner"]

COLUMNS: dict[Part, tuple[str, ...]] = {
    "outer": ("search", "metric", "repeat", "fold", "n_train", "n_test", "score", "chosen", "inner_mean", "reason"),
    "summary": (
        "search",
        "metric",
        "score",
        "standard_error",
        "interval_low",
        "interval_high",
        "n_splits",
        "claim",
        "claimed_by",
        "optimism",
        "inner_claim",
        "n_candidates",
        "n_distinct",
        "favourite",
        "n_favourite",
        "reason",
    ),
    "chosen": ("search", "candidate", "n_chosen", "share", "inner_mean", "plain_mean"),
    "inner": ("search", "repeat", "fold", "candidate", "inner_fold", "metric", "n_train", "n_test", "score"),
}


def page(nested: NestedEvaluation) -> Page:
    """Sentences, scores, choices, warnings and how the splits were made."""
    sentences = tuple(_sentence(nested, choice) for choice in nested.choices)
    if len(sentences) > 3:  # the tables say it
        sentences = (f"{len(sentences)} searches, each scored on examples that took no part in its choices:",)
    choices = (choice for choice in nested.choices if len(choice.candidates) > 1)
    return Page(
        (
            Paragraph(sentences, n_strong=len(sentences)),
            *(_score_table(nested, metric) for metric in nested.metrics),
            *(_choice_table(nested, choice) for choice in choices),
            Section("Warnings", nested.notices),
            _foot(nested),
        )
    )


def nested_rows(nested: NestedEvaluation, part: Part) -> list[tuple[Any, ...]]:
    """The rows of a table, in the order of `COLUMNS`."""
    return list({"outer": _outer, "summary": _summary, "chosen": _chosen, "inner": _inner}[part](nested))


def nested_frame(nested: NestedEvaluation, part: Part = "outer") -> pd.DataFrame:
    """One of the tables as a frame."""
    import pandas as pd

    return pd.DataFrame(nested_rows(nested, part), columns=list(COLUMNS[part]))


def facts(nested: NestedEvaluation) -> dict[str, Any]:
    """The answer in schema 1; nan is None, and nothing depends on the clock."""
    record = nested.outer.record.datasets[0]
    return document(
        metrics=[{"name": each.name, "higher_is_better": each.metric.higher_is_better} for each in nested.outer.record.metrics],
        settings={"rope": nested.rope, "alpha": nested.alpha, "plain": nested.is_plain, "rng": nested.outer.record.rng},
        outer_splits={"kind": record.kind, "n_splits": record.n_splits, "n_samples": record.n_samples},
        searches=[
            {"name": each.name, "metric": each.metric.name, "candidates": list(each.candidates)} for each in nested.choices
        ],
        summary=_records(nested, "summary"),
        chosen=_records(nested, "chosen"),
        outer=_records(nested, "outer"),
        inner=_records(nested, "inner"),
        warnings=[{"code": notice.code, "text": notice.text} for notice in nested.notices],
    )


# --- sentences --------------------------------------------------------------------------------------------------------------


def _sentence(nested: NestedEvaluation, choice: Choice) -> str:
    """Honest score of a search, and what would have been claimed."""
    s = nested.score(choice.name)
    metric, decimals = printable(s.metric.name), decimals_for(s.standard_error)
    if s.n_splits == 0:
        return f"{quote(choice.name)} has no score on any outer split."
    interval = (
        f" ({format_percent(1 - nested.alpha)} interval {format_interval(s.low, s.high, decimals)})" if not s.reason else ""
    )
    if len(choice.candidates) == 1:
        return f"{quote(choice.name)} scores a mean {metric} of {format_score(s.mean, decimals)}{interval}; nothing is chosen."
    honest = (
        f"Choosing among the {len(choice.candidates)} candidates of {quote(choice.name)} leads to a mean {metric} of "
        f"{format_score(s.mean, decimals)}{interval} on examples that took no part in the choice."
    )
    if s.claim != s.claim:
        return honest
    claim, off = format_score(s.claim, decimals), format_score(abs(s.optimism), decimals)
    beside = f": {off} {'better' if s.optimism > 0 else 'worse'} than that" if float(off) else ", which is the same here"
    return f"{honest} Without nesting {quote(s.claimed_by)} would have been chosen, and {claim} claimed{beside}."


def _foot(nested: NestedEvaluation) -> Paragraph:
    """Intervals that were cut off, if there are any; splits, and where the cells are."""
    cut = [m for m in nested.metrics if any(nested.score(name, m).is_cut for name in nested.searches)]
    names = " and ".join(map(printable, cut))
    notes = [f"Intervals are cut off at the smallest and largest possible {names}."] if cut else []
    searched = [choice for choice in nested.choices if choice.inner is not None]
    where = f" in {nested.outer.url}" if nested.outer.url else ""
    inner = ""
    if searched:
        record = searched[0].inner.record.datasets[0]  # type: ignore[union-attr]
        low, high = min(c.n_inner()[0] for c in searched), max(c.n_inner()[1] for c in searched)
        metrics = dict.fromkeys(printable(choice.metric.name) for choice in searched)
        n_inner = str(low) if low == high else f"{low}-{high}"
        inner = f"; chosen by {' or '.join(metrics)} on {n_inner} inner splits each ({record.kind})"
    run = f"Run {quote(nested.outer.name)}{where}: {nested.n_outer} outer splits ({design_words(nested.outer, 0)}){inner}."
    return Paragraph((*notes, run), is_small=True)


# --- tables -----------------------------------------------------------------------------------------------------------------


def _score_table(nested: NestedEvaluation, metric: str) -> Table:
    """Honest scores and claims of all searches in one metric."""
    found = [nested.score(name, metric) for name in nested.searches]
    errors = [s.standard_error for s in found if s.standard_error > 0]
    decimals = decimals_for(float(np.median(errors)) if errors else float("nan"))
    names = short_names(nested.searches, NAME_WIDTH)
    columns = {
        "search": names,
        "score": [format_score(s.mean, decimals) for s in found],
        f"{format_percent(1 - nested.alpha)} interval": [format_interval(s.low, s.high, decimals) for s in found],
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
    return Table(title, tuple(columns), tuple(zip(*columns.values(), strict=True)))


def _choice_table(nested: NestedEvaluation, choice: Choice) -> Table:
    """Number of times that each candidate of a search was chosen, those chosen most often first."""
    counts = choice.n_chosen
    order = np.argsort(-counts, kind="stable")[:MOST_CANDIDATES].tolist()
    inner = row_moments(choice.inner_mean, omit_missing=True).mean
    plain = nested.plain_mean(choice.name, choice.metric.name)
    spread = np.nanstd(choice.inner_mean) if not np.isnan(choice.inner_mean).all() else np.nan
    decimals = max(3, min(decimals_for(float(spread)), 6))
    columns = {
        "candidate": short_names([choice.candidates[row] for row in order], NAME_WIDTH),
        "chosen": [f"{counts[row]} of {nested.n_outer}" for row in order],
        "inner mean": [format_score(inner[row], decimals) for row in order],
        "plain mean": [format_score(plain[row], decimals) for row in order],
    }
    if not nested.is_plain:
        del columns["plain mean"]
    rest = len(counts) - len(order)
    more = f"; {rest} more candidates" if rest else ""
    title = f"Choices of {quote(choice.name)} by mean {printable(choice.metric.name)}{more}"
    return Table(title, tuple(columns), tuple(zip(*columns.values(), strict=True)))


# --- rows -------------------------------------------------------------------------------------------------------------------


def _outer(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    record = nested.outer.record.datasets[0]
    sizes = [part.tolist() for part in (record.repeat, record.fold, record.n_train, record.n_test)]
    for choice in nested.choices:
        best = choice.best_inner().tolist()
        for metric in nested.metrics:
            scores = nested.outer_scores(choice.name, metric).tolist()
            reasons = nested.reasons(choice.name, metric)
            for split, chosen in enumerate(choice.chosen.tolist()):
                name = "" if chosen == NOTHING else choice.candidates[chosen]
                keys = (column[split] for column in sizes)
                yield choice.name, metric, *keys, scores[split], name, best[split], reasons[split]


def _summary(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    for choice in nested.choices:
        favourite = "" if choice.favourite == NOTHING else choice.candidates[choice.favourite]
        n_favourite = int(choice.n_chosen.max(initial=0))
        for metric in nested.metrics:
            s = nested.score(choice.name, metric)
            yield (
                choice.name,
                metric,
                s.mean,
                s.standard_error,
                s.low,
                s.high,
                s.n_splits,
                s.claim,
                s.claimed_by,
                s.optimism,
                s.inner_claim,
                len(choice.candidates),
                choice.n_distinct,
                favourite,
                n_favourite,
                s.reason,
            )


def _chosen(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    for choice in nested.choices:
        counts = choice.n_chosen.tolist()
        plain = nested.plain_mean(choice.name, choice.metric.name).tolist()
        inner = row_moments(choice.inner_mean, omit_missing=True).mean.tolist()
        for row, candidate in enumerate(choice.candidates):
            yield choice.name, candidate, counts[row], counts[row] / choice.chosen.size, inner[row], plain[row]


def _inner(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    outer = nested.outer.record.datasets[0]
    for choice in nested.choices:
        if choice.inner is None:
            continue
        record, grid = choice.inner.record.datasets[0], choice.inner.grid(0, 0)
        for split, owner in enumerate(record.repeat.tolist()):
            for row, candidate in enumerate(choice.candidates):
                yield (
                    choice.name,
                    int(outer.repeat[owner]),
                    int(outer.fold[owner]),
                    candidate,
                    int(record.fold[split]),
                    choice.metric.name,
                    int(record.n_train[split]),
                    int(record.n_test[split]),
                    float(grid[row, split]),
                )


def _records(nested: NestedEvaluation, part: Part) -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS[part], map(finite, row), strict=True)) for row in nested_rows(nested, part)]


VIEW = View(
    page,
    nested_frame,
    facts,
    "tiebreak.views.plots.nested:PLOTS",
    frames={part: partial(nested_frame, part=part) for part in COLUMNS},
)
