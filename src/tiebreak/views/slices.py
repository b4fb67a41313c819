"""Pairs on slices of the items, in words, as a table, a frame and JSON."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.comparison.slices import Slices
from tiebreak.numerics import VERDICTS
from tiebreak.views.answer import interval_text
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View, document, of_rows, records_of
from tiebreak.views.words import (
    count,
    decimals_for,
    format_score,
    level_words,
    model_names,
    printable,
    quote,
    quoted_names,
    short_names,
)

MOST_ROWS = 20
"""Rows that are shown whole; of more pairs and slices those of the best model or the baseline with the next one."""

FEW_ITEMS = 20
"""Items of a slice below which their skewness is hardly seen: 8 of 15 lognormal costs had a wrong one in 15 % of tables."""

COLUMNS = (
    "slice first second n_units difference standard_error pvalue adjusted_pvalue interval_alpha interval_low interval_high "
    "verdict reason"
).split()


def page(slices: Slices) -> Page:
    """The sentence, and a row for each slice of the pairs that are shown."""
    fewest, method = min(slices.n_items), slices.comparison.method
    is_small = fewest < FEW_ITEMS and method.name != "tango"  # whose interval allows for skewed differences
    small = f"The smallest slice has {count(fewest, method.unit)}; where differences are skewed, such slices err."
    return Page((Paragraph((sentence(slices), *_contradictions(slices), small * is_small), n_strong=1), table(slices)))


def sentence(slices: Slices) -> str:
    """Numbers of verdicts over the slices."""
    n, unit = len(slices.names), slices.comparison.method.unit
    by = f"By {printable(slices.by)} ({count(n, 'slice')} of the {unit}s"
    counts = slices.count_verdicts()
    words = (
        (counts["better"] + counts["worse"], "better or worse"),
        (counts["ahead"] + counts["behind"], "ahead or behind"),
        (counts["equivalent"], "equivalent"),
        (counts["undecided"], "undecided"),
    )
    return f"{by}, {count(slices.n_pairs, 'pair')} in all): {', '.join(f'{number} {what}' for number, what in words if number)}."


def _contradictions(slices: Slices) -> Iterator[str]:
    """The first pair whose order turns round between slices."""
    found, names = list(slices.contradictions()), quoted_names(slices.comparison.models)
    more = f", and {len(found) - 1} more pair(s) turn round as well" if len(found) > 1 else ""
    for first, second, above, below in found[:1]:
        yield f"{names[first]} is ahead of {names[second]} on {quote(above)} and behind it on {quote(below)}{more}."


def table(slices: Slices) -> Table:
    """A row for each slice and pair, or for each slice and the first pair of the reference where these are many."""
    comparison, pairs = slices.comparison, slices.tables[0]
    shown = model_names(comparison.models)
    of_reference = pairs.rows_with(comparison.reference_row)[:1]
    chosen = np.arange(pairs.n_pairs) if slices.n_pairs <= MOST_ROWS else of_reference
    rows = [
        (
            name,
            str(n_items),
            shown[part.first[row]],
            shown[part.second[row]],
            format_score(float(part.law.estimate[row]), decimals, signed=True),
            interval_text(comparison, part.interval.low[row], part.interval.high[row], decimals),
            VERDICTS[part.verdict[row]],
        )
        for name, n_items, each in zip(short_names(slices.names), slices.n_items, slices.tables, strict=True)
        for part, decimals in [(each.part(chosen), decimals_for(each.typical_resolution))]
        for row in range(len(chosen))
    ]
    n, rest = slices.n_pairs, f"; {len(rows)} of {slices.n_pairs} rows" if len(rows) < slices.n_pairs else ""
    held = f"Each interval is at {level_words(slices.interval_alpha)} ({slices.correction})"
    if pairs.is_simultaneous and slices.correction != "none":
        held = f"{'Both' if n == 2 else f'All {n}'} intervals of slices hold together"
    return Table(
        f"By {printable(slices.by)}; a positive difference favours the first{rest}",
        ("slice", "n", "first", "second", "difference", "interval", "verdict"),
        tuple(rows),
        (False, True, False, False, True, True, False),
        notes=(f"{held}; the pairs on all {comparison.method.unit}s are a family apart.",),
        spare=("n",),
    )


def columns(slices: Slices) -> dict[str, Any]:
    """A row for each slice and pair."""
    models = slices.comparison.models
    rows = (
        {"slice": name, "first": models[first], "second": models[second], **each.row_values(row, mirrored=False)}
        for name, each in zip(slices.names, slices.tables, strict=True)
        for row, (first, second) in enumerate(zip(each.first, each.second, strict=True))
    )
    return of_rows(rows, COLUMNS)


def facts(slices: Slices) -> dict[str, Any]:
    """The column, the family and its rows."""
    return document(
        metric=slices.comparison.metric,
        by=slices.by,
        correction=slices.correction,
        sentence=sentence(slices),
        slices=list(records_of(columns(slices))),
    )


VIEW = View(page, columns, facts, "tiebreak.views.plots.comparison:SLICES")
