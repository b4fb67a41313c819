"""One pair: its sentence, the numbers that it rests on, and of 0/1 items the flips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views import answer
from tiebreak.views.json import document, plain
from tiebreak.views.names import left_out, quoted_names
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import format_probability, format_pvalue, format_score

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import PairComparison

COLUMNS = (
    "first",
    "second",
    "n_units",
    "difference",
    "standard_error",
    "df",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "interval_alpha",
    "interval_low",
    "interval_high",
    "p_better",
    "p_equivalent",
    "p_worse",
    "verdict",
    "reason",
)
"""Columns of the frame, as those of all pairs of a comparison."""


def page(pair: PairComparison) -> Page:
    """The sentence, flips, the next step, and the numbers that the sentence rests on."""
    c = pair.comparison
    regions = {"P(better)": pair.p_better, "P(equiv.)": pair.p_equivalent, "P(worse)": pair.p_worse}
    columns = {
        f"{c.method.unit}s": str(pair.n_units),
        "std. error": format_score(pair.standard_error, answer.table_decimals(c)),
        **{name: format_probability(p) for name, p in regions.items() if pair.law.is_posterior},
        "p": format_pvalue(pair.pvalue),
        **({"adj. p": format_pvalue(pair.adjusted_pvalue)} if pair.is_in_family and c.pair_table.n_pairs > 1 else {}),
    }
    first, second = (quoted_names(c.models)[name] for name in (pair.first, pair.second))
    step = answer.pair_step(pair)
    return Page.of(
        answer.pair_sentence(pair),
        answer.flips_line(c, pair.first, pair.second),
        "" if step.startswith("Take ") and pair.verdict == "better" else step,
        Table(f"{first} against {second}", tuple(columns), (tuple(columns.values()),), (True,) * len(columns)),
        Paragraph((left_out(c.models),), is_small=True),
    )


def frame(pair: PairComparison) -> pd.DataFrame:
    """The pair's row of `Comparison.pairs`."""
    import pandas as pd

    row = _row(pair)
    return pd.DataFrame([list(row.values())], columns=list(row))


def facts(pair: PairComparison) -> dict[str, Any]:
    """The row, the sentence and the differences."""
    metric = pair.comparison.metric
    return document(
        schema=2,
        metric={"name": metric.name, "higher_is_better": metric.higher_is_better},
        rope=pair.rope,
        sentence=answer.pair_sentence(pair),
        **plain(_row(pair)),
        differences=plain(pair.differences),
    )


def _row(pair: PairComparison) -> dict[str, Any]:
    """Values of the columns, without those that the procedure cannot give."""
    absent = pair.comparison.pair_table.absent
    return {name: getattr(pair, name) for name in COLUMNS if name not in absent}


VIEW = View(page, frame, facts, "tiebreak.views.plots.pair:PLOTS", sentence=answer.pair_sentence)
