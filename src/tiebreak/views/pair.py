"""One pair: its sentence, the numbers that it rests on, and of 0/1 items the flips."""

from typing import Any

from tiebreak.comparison.comparison import PairComparison
from tiebreak.views import answer
from tiebreak.views.json import document, metric_record, plain
from tiebreak.views.names import left_out, quoted_names
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import format_probability, format_score

COLUMNS = (
    "first second n_units difference standard_error df statistic pvalue adjusted_pvalue interval_alpha interval_low "
    "interval_high p_better p_equivalent p_worse verdict reason"
).split()
"""Columns of the frame, as those of all pairs of a comparison."""


def page(pair: PairComparison) -> Page:
    """The sentence, flips, the next step, and the numbers that the sentence rests on."""
    c = pair.comparison
    regions = {"P(better)": pair.p_better, "P(equiv.)": pair.p_equivalent, "P(worse)": pair.p_worse}
    numbers = {
        f"{c.method.unit}s": str(pair.n_units),
        "std. error": format_score(pair.standard_error, answer.table_decimals(c)),
        **{name: format_probability(p) for name, p in regions.items() if pair.law.is_posterior},
        "p": format_probability(pair.pvalue),
        **({"adj. p": format_probability(pair.adjusted_pvalue)} if pair.is_in_family and c.pair_table.n_pairs > 1 else {}),
    }
    first, second = (quoted_names(c.models)[name] for name in (pair.first, pair.second))
    step = answer.pair_step(pair)
    return Page.of(
        answer.pair_sentence(pair),
        answer.flips_line(c, pair.first, pair.second),
        "" if step.startswith("Take ") and pair.verdict == "better" else step,
        Table(f"{first} against {second}", tuple(numbers), (tuple(numbers.values()),), (True,) * len(numbers)),
        Paragraph((left_out(c.models),), is_small=True),
    )


def columns(pair: PairComparison) -> dict[str, Any]:
    """The pair's row of `Comparison.pairs`."""
    return {name: [value] for name, value in _row(pair).items()}


def facts(pair: PairComparison) -> dict[str, Any]:
    """The row, the sentence and the differences."""
    return document(
        schema=2,
        metric=metric_record(pair.comparison.metric),
        rope=pair.rope,
        sentence=answer.pair_sentence(pair),
        **plain(_row(pair)),
        differences=plain(pair.differences),
    )


def _row(pair: PairComparison) -> dict[str, Any]:
    """Values of the columns, without those that the procedure cannot give."""
    absent = pair.comparison.pair_table.absent
    return {name: getattr(pair, name) for name in COLUMNS if name not in absent}


VIEW = View(page, columns, facts, "tiebreak.views.plots.pair:PLOTS", sentence=answer.pair_sentence)
