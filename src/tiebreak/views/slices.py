"""Pairs on slices of the items, in words, as a table, a frame and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.family import REASONS
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.json import document, finite
from tiebreak.views.names import model_names, quoted_names, short_names
from tiebreak.views.page import NAME_WIDTH, Page, Paragraph, Table
from tiebreak.views.pair import favours, level_words, limits, minus_word
from tiebreak.views.view import View
from tiebreak.views.words import (
    count,
    decimals_for,
    format_interval,
    format_percent,
    format_pvalue,
    format_score,
    listed,
    printable,
    quote,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.slices import Slices

MOST_ROWS = 50
"""Rows that are shown whole; of more pairs and slices those of the best model or the baseline with the next one."""

COLUMNS = (
    "slice",
    "first",
    "second",
    "n_units",
    "difference",
    "standard_error",
    "pvalue",
    "adjusted_pvalue",
    "interval_alpha",
    "interval_low",
    "interval_high",
    "verdict",
    "reason",
)


def page(slices: Slices) -> Page:
    """The sentence, and a row for each slice of the pairs that are shown."""
    return Page((Paragraph((sentence(slices), *_contradictions(slices)), n_strong=1), table(slices)))


def sentence(slices: Slices) -> str:
    """Numbers of verdicts over the slices; of one pair with the slices that show a difference."""
    n, unit = len(slices.names), slices.comparison.method.unit
    by = f"By {printable(slices.by)} ({count(n, 'slice')} of the {unit}s"
    counts = slices.count_verdicts()
    if slices.tables[0].n_pairs == 1:
        first, second = (quoted_names(slices.comparison.models)[name] for name in _pair(slices))
        groups = (
            (f"{first} is shown to be ahead of {second} on", _shown(slices, 1)),
            (f"{second} is shown to be ahead of {first} on", _shown(slices, -1)),
        )
        parts = [f"{words} {listed([quote(name) for name in found])}" for words, found in groups if found]
        rest = [f"{counts['equivalent']} practically equivalent"] if counts["equivalent"] else []
        rest += [f"{counts['undecided']} undecided"] if counts["undecided"] else []
        return f"{by}): {'; '.join(parts + rest)}."
    words = (
        (counts["better"] + counts["worse"], "better or worse"),
        (counts["ahead"] + counts["behind"], "ahead or behind"),
        (counts["equivalent"], "equivalent"),
        (counts["undecided"], "undecided"),
    )
    return f"{by}, {slices.n_pairs} pairs in all): {', '.join(f'{number} {what}' for number, what in words if number)}."


def _pair(slices: Slices) -> tuple[str, str]:
    table = slices.tables[0]
    return slices.comparison.models[table.first[0]], slices.comparison.models[table.second[0]]


def _shown(slices: Slices, sign: int) -> list[str]:
    return [name for name, table in zip(slices.names, slices.tables, strict=True) if table.shown_direction[0] == sign]


def _contradictions(slices: Slices) -> Iterator[str]:
    """The first pair whose order turns round between slices."""
    found = list(slices.contradictions())
    if not found or slices.tables[0].n_pairs == 1:
        return
    names = quoted_names(slices.comparison.models)
    first, second, above, below = found[0]
    more = f", and {len(found) - 1} more pair(s) turn round as well" if len(found) > 1 else ""
    yield f"{names[first]} is ahead of {names[second]} on {quote(above)} and behind it on {quote(below)}{more}."


def table(slices: Slices, name_width: int = NAME_WIDTH) -> Table:
    """A row for each slice and pair, or for each slice and the first pair of the reference where these are many."""
    comparison = slices.comparison
    models, pairs = comparison.models, slices.tables[0]
    is_whole = slices.n_pairs <= MOST_ROWS
    chosen = np.arange(pairs.n_pairs) if is_whole else pairs.rows_with(models.index(comparison.reference))[:1]
    shown = dict(zip(models, model_names(models, name_width), strict=True))
    slice_names = short_names(slices.names, name_width)
    cells: list[tuple[str, ...]] = []
    for name, n_items, each in zip(slice_names, slices.n_items, slices.tables, strict=True):
        part = each.part(chosen)
        decimals = decimals_for(each.typical_resolution)
        for row in range(len(chosen)):
            low, high = (float(end[row]) for end in part.interval)
            reason = REASONS[part.reason[row]]
            why = f" ({reason})" if reason and reason != "unsettled" else ""
            cells.append(
                (
                    name,
                    str(n_items),
                    shown[models[part.first[row]]],
                    shown[models[part.second[row]]],
                    format_score(float(part.difference[row]), decimals, signed=True),
                    format_interval(low, high, decimals, limits(comparison)),
                    format_pvalue(float(part.adjusted_pvalue[row])),
                    f"{VERDICTS[part.verdict[row]]}{why}",
                )
            )
    headers = ("slice", "n", "first", "second", "difference", "interval", "adj. p", "verdict")
    left = ("slice", "first", "second", "verdict")
    rest = "" if is_whole else f"; {len(cells)} of {slices.n_pairs} shown"
    return Table(
        f"By {printable(slices.by)}: first {minus_word(comparison)} second; {favours(comparison, 'the first')}{rest}",
        headers,
        tuple(cells),
        tuple(header not in left for header in headers),
        notes=(_family(slices),),
        folded=f"By {printable(slices.by)}",
    )


def _family(slices: Slices) -> str:
    comparison, n, level = slices.comparison, slices.n_pairs, level_words(slices.interval_alpha)
    if slices.tables[0].is_simultaneous and slices.correction != "none":
        sure = format_percent(1 - comparison.settings.alpha)
        held = f"all {n} intervals hold at once with {sure} confidence ({slices.correction}: each is at {level})"
    else:
        held = f"intervals at {level} each ({slices.correction}), not simultaneous"
    return (
        f"{held}; the pairs on all {comparison.method.unit}s are a family apart. A small slice is mostly undecided, not "
        "shown to be the same"
    )


def records(slices: Slices) -> list[dict[str, Any]]:
    """Rows of the frame as plain values."""
    return [{name: finite(value) for name, value in row.items()} for row in _rows(slices)]


def _rows(slices: Slices) -> Iterator[dict[str, Any]]:
    models = slices.comparison.models
    for name, table in zip(slices.names, slices.tables, strict=True):
        for row in range(table.n_pairs):
            names = models[table.first[row]], models[table.second[row]]
            values = {"slice": name, "first": names[0], "second": names[1], **table.row_values(row, mirrored=False)}
            yield {each: values[each] for each in COLUMNS}


def frame(slices: Slices) -> pd.DataFrame:
    """A row for each slice and pair."""
    import pandas as pd

    return pd.DataFrame(list(_rows(slices)), columns=list(COLUMNS))


def facts(slices: Slices) -> dict[str, Any]:
    """The column, the family and its rows."""
    metric = slices.comparison.metric
    return document(
        metric={"name": metric.name, "higher_is_better": metric.higher_is_better},
        by=slices.by,
        correction=slices.correction,
        sentence=sentence(slices),
        slices=records(slices),
    )


VIEW = View(page, frame, facts, plots="tiebreak.views.plots.items:SlicesPlots", sentence=sentence)
