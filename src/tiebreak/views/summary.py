"""What a page about a comparison shows, as tables of text and lines; terminal, Markdown and HTML only lay it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.verdict import REASONS, VERDICTS
from tiebreak.views.text_table import NAME_WIDTH, Table
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_pvalue,
    format_score,
    printable,
    quote,
    short_names,
)

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.numerics import IntArray

QUOTE_WIDTH = 60
"""Characters of a name in a sentence."""

ALL_PAIRS_UP_TO = 10
"""Families up to this size are shown whole; larger ones by the reference's pairs, the rest counted."""

ROWS = 20
"""Rows of a ranking or pair table that are shown; the rest is counted."""


def ranking_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> Table:
    """Models from best to worst with their difference to the reference."""
    t = comparison.ranking_table
    shown = short_names(comparison.models[:ROWS], name_width)
    decimals = table_decimals(comparison)
    level = format_percent(1 - comparison.settings.alpha)
    rows = []
    for row in range(len(shown)):
        is_reference = row == t.reference
        rows.append(
            (
                str(row + 1),
                shown[row],
                format_score(float(t.mean[row]), decimals),
                "reference" if is_reference else format_score(float(t.difference[row]), decimals, signed=True),
                "" if is_reference else format_interval(float(t.interval.low[row]), float(t.interval.high[row]), decimals),
                "" if is_reference else VERDICTS[t.verdict[row]],
                format_probability(max(float(t.p_best[row]), 1e-9)),  # a share of draws: 0 means rare
                "yes" if t.in_shortlist[row] else "no",
            )
        )
    direction = "higher" if comparison.metric.higher_is_better else "lower"
    left_out = len(comparison.models) - len(rows)
    more = f"; {left_out} more below these" if left_out else ""
    return Table(
        f"Ranking by mean {printable(comparison.metric.name)}, {direction} is better{more}",
        ("rank", "model", "mean", "difference", f"{level} interval", "verdict", "P(best)", "may be best"),
        tuple(rows),
        (True, False, True, True, True, False, True, False),
    )


def pair_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> Table:
    """The family's pairs, or for a large family those of the reference; a model that stands in all rows moves to the title."""
    t, models = comparison.pair_table, comparison.models
    everything = t.n_pairs <= ALL_PAIRS_UP_TO
    chosen = np.arange(t.n_pairs) if everything else t.rows_with(models.index(comparison.reference))[:ROWS]
    decimals = table_decimals(comparison)
    interval, verdict = t.interval, t.verdict
    shown = _shown_names(models, t.first[chosen], t.second[chosen], name_width)
    columns = {
        "first": [shown[code] for code in t.first[chosen]],
        "second": [shown[code] for code in t.second[chosen]],
        "difference": [format_score(float(value), decimals, signed=True) for value in t.difference[chosen]],
        f"{format_percent(1 - comparison.settings.alpha)} interval": [
            format_interval(float(interval.low[row]), float(interval.high[row]), decimals) for row in chosen
        ],
        "P(better)": [format_probability(float(p)) for p in t.p_better[chosen]],
        "P(equiv.)": [format_probability(float(p)) for p in t.p_equivalent[chosen]],
        "P(worse)": [format_probability(float(p)) for p in t.p_worse[chosen]],
        f"p {comparison.settings.alternative}": [format_pvalue(float(p)) for p in t.adjusted_pvalue[chosen]],
        "adj. p": [format_pvalue(float(p)) for p in t.adjusted_claim_pvalue[chosen]],
        "verdict": [VERDICTS[verdict[row]] + (f" ({REASONS[t.kind[row]]})" if t.kind[row] else "") for row in chosen],
    }
    if comparison.settings.alternative == "two-sided":
        del columns["p two-sided"]
    title = "Pairs, first against second; positive favours the first"
    if len(chosen) > 1:
        for side, text in (("first", "{} against each of these"), ("second", "each of these against {}")):
            if len(set(getattr(t, side)[chosen])) == 1:
                title = f"Pairs: {text.format(names_in_sentences(comparison)[models[getattr(t, side)[chosen[0]]]])}"
                del columns[side]
                break
    rest = "" if everything else f"; {_counted(comparison, chosen)}"
    left_aligned = ("first", "second", "verdict")
    return Table(
        title + rest, tuple(columns), tuple(zip(*columns.values(), strict=True)), tuple(h not in left_aligned for h in columns)
    )


def design_line(comparison: Comparison) -> str:
    """How the scores were made, in one line."""
    matrix, design = comparison.matrix, comparison.design
    n_repeats = int(np.unique(matrix.repeat).size)
    folds = f" ({n_repeats} repeats)" if n_repeats > 1 and design.pairing == "key" else ""
    sizes = ""
    if matrix.has_sizes:
        about = "about " if design.sizes == "approximate" else ""
        sizes = f", {about}{_span(matrix.n_train)} training and {about}{_span(matrix.n_test)} test examples each"
    dataset = f" of {quote(matrix.dataset)}" if matrix.dataset else ""
    difference = "difference = model minus " + names_in_sentences(comparison)[comparison.reference]
    oriented = "" if comparison.metric.higher_is_better else ", turned so that positive is better"
    return f"{matrix.n_splits} splits{dataset}{folds}{sizes}; {difference}{oriented}"


def footnotes(comparison: Comparison) -> list[str]:
    """How to read the tables."""
    s = comparison.settings
    rope = f"rope ±{comparison.rope:g} {printable(comparison.metric.name)}" if comparison.rope else "no rope"
    family = f"{s.correction} over {comparison.pair_table.n_pairs} pair{'s' if comparison.pair_table.n_pairs > 1 else ''}"
    claim = "adj. p is that of the strongest claim about a pair (better, equivalent or worse)"
    lines = [f"{rope}; each interval is for one difference; {claim}, {family}, and decides the verdict at {s.alpha:g}"]
    if s.alternative != "two-sided":
        lines.append(f"p {s.alternative}: one-sided test of no difference at all in the order given, {family}")
    return lines


def method_lines(comparison: Comparison) -> list[str]:
    """Which procedure, why, and what it takes for granted."""
    m = comparison.method
    return [f"{m.name}: {m.reason}.", "It assumes: " + "; ".join(m.assumptions) + "."]


def names_in_sentences(comparison: Comparison) -> dict[str, str]:
    """Each model's name as sentences quote it: on one line, not long, and no two alike."""
    models = comparison.models
    return {model: f"'{name}'" for model, name in zip(models, short_names(models, QUOTE_WIDTH), strict=True)}


def table_decimals(comparison: Comparison) -> int:
    """Decimals of a table: those of the median standard error, so that one odd pair does not set them."""
    errors = comparison.pair_table.standard_error
    errors = errors[errors > 0]
    return decimals_for(float(np.median(errors)) if errors.size else float("nan"))


def _shown_names(models: Sequence[str], first: IntArray, second: IntArray, width: int) -> dict[int, str]:
    """Short names of the models that stand in these pairs, by their code."""
    codes = sorted({*first.tolist(), *second.tolist()})
    return dict(zip(codes, short_names([models[code] for code in codes], width), strict=True))


def _counted(comparison: Comparison, shown: np.ndarray) -> str:
    """How many pairs are shown, and the verdicts of the others: 9 of 780 shown (the others: ...)."""
    verdict = np.delete(comparison.pair_table.verdict, shown)
    counts = np.bincount(verdict, minlength=len(VERDICTS))
    parts = f"{counts[1] + counts[3]} better or worse, {counts[2]} equivalent, {counts[0]} undecided"
    return f"{len(shown)} of {comparison.pair_table.n_pairs} shown (the others: {parts})"


def _span(values: np.ndarray) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}-{high}"
