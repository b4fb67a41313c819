"""Tables of a comparison in LaTeX."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.errors import DataError
from tiebreak.numerics import refuse_unless
from tiebreak.scores.means import dataset_means
from tiebreak.views.answer import small_print, value_name
from tiebreak.views.comparison import models_table, pair_table
from tiebreak.views.page import Table
from tiebreak.views.words import (
    count,
    decimals_for,
    format_score,
    left_out,
    model_names,
    printable,
)


def latex(comparison: Comparison, table: str | None = None) -> str:
    """Ranking and pairs as on the page, and scores by dataset, or one of them, as tables with the rules of booktabs."""
    has_datasets = comparison.method.unit == "dataset"
    refuse_unless(table in (None, "ranking", "pairs", "scores"), "table", "be 'ranking', 'pairs' or 'scores'", table)
    if table == "scores" and not has_datasets:
        raise DataError("there is a table of scores by dataset where there are several datasets; these scores are of one.")
    texts, side = [], "higher" if comparison.metric.higher_is_better else "lower"
    if table in (None, "ranking"):
        shown = models_table(comparison)
        notes = (*shown.notes, *small_print(comparison)[:1])
        texts.append(_tabular(replace(shown, title=f"Models by {value_name(comparison)}, {side} is better", notes=notes)))
    if table in (None, "pairs"):
        texts.append(_tabular(pair_table(comparison)))
    if has_datasets and table in (None, "scores"):
        texts.append(_tabular(*_scores(comparison)))
    return "% needs \\usepackage{booktabs}\n" + "\n\n".join(texts) + "\n"


def _scores(comparison: Comparison) -> tuple[Table, set[tuple[int, int]]]:
    """A row for each dataset, and the average ranks below a rule; and which cells are the best of their row."""
    scores, is_mixed = comparison.scores, comparison.scores.is_mixed
    matrix, notes = dataset_means(scores).matrix(), [left_out(comparison.models)]
    spread = np.nanstd(np.where(np.isnan(matrix.score).all(axis=0), 0.0, matrix.score), axis=0)
    lines: list[tuple[tuple[str, ...], list[str], bool]] = []
    for name, of, column, own in zip(matrix.columns, scores.matrices, matrix.score.T, spread.tolist(), strict=True):
        metric = scores.metric_of(of)
        raw = metric.sign * column if is_mixed else column  # of mixed metrics they are turned so that higher is better
        decimals = min(decimals_for(own if is_mixed else float(np.median(spread))), MOST_DECIMALS)
        lines.append(((name, metric.name), [format_score(float(value), decimals) for value in raw], metric.higher_is_better))
    ranks = comparison.ranking_table.average_rank
    has_ranks = ranks is not None and bool(np.isfinite(ranks).any())
    if has_ranks:
        lines.append((("average rank", ""), [format_score(float(rank), 2) for rank in np.asarray(ranks)], False))
        notes.insert(0, "Average ranks depend on which models are in the table.")
    side = "" if is_mixed else f"; {'higher' if scores.metric.higher_is_better else 'lower'} is better"
    title = f"{printable(scores.metric.name)} on {count(matrix.n_splits, 'dataset')}{side}; the best in bold"
    n_names = 2 if is_mixed else 1
    rows = tuple((*names[:n_names], *texts) for names, texts, _ in lines)
    best = {(n, n_names + k) for n, (_, texts, higher) in enumerate(lines) for k in _best(texts, higher)}
    headers = (*("dataset", "metric")[:n_names], *model_names(comparison.models))
    right = (*(False,) * n_names, *(True,) * len(comparison.models))
    return Table(title, headers, rows, right, tuple(notes), rule=(matrix.n_splits, "") if has_ranks else None), best


def _tabular(table: Table, bold: Collection[tuple[int, int]] = ()) -> str:
    """A table between rules, under its caption and above its notes."""

    def line(cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    body = [
        line(rf"\textbf{{{_escaped(cell)}}}" if (n, k) in bold else _escaped(cell) for k, cell in enumerate(row))
        for n, row in enumerate(table.rows)
    ]
    if table.rule:
        body.insert(table.rule[0], r"\midrule")
    columns = "".join("r" if each else "l" for each in table.right)
    notes = " ".join(f"{_escaped(note[:1].upper() + note[1:]).rstrip('.')}." for note in table.notes)
    start = (r"\begin{table}", rf"\caption{{{_escaped(table.title)}}}", rf"\begin{{tabular}}{{{columns}}}")
    head = (r"\toprule", line(map(_escaped, table.headers)), r"\midrule")
    small = [rf"\par\smallskip{{\footnotesize {notes}}}"] if notes else []
    return "\n".join([*start, *head, *body, r"\bottomrule", r"\end{tabular}", *small, r"\end{table}"])


MOST_DECIMALS = 4
"""Decimals of scores in a table that is read across."""


def _best(texts: Sequence[str], higher_is_better: bool) -> list[int]:
    """Places of the cells of a row that print the same as the best; a missing one is none."""
    values = [np.nan if text == "-" else float(text) for text in texts]
    known = [value for value in values if np.isfinite(value)]
    best = (max(known) if higher_is_better else min(known)) if known else np.nan
    return [place for place, value in enumerate(values) if value == best]


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "–": "--",
}


def _escaped(text: str) -> str:
    """Text that LaTeX shows as it is; in numbers the hyphen becomes a minus, and what is undefined a dash."""
    if re.fullmatch(r"[-+\d.e]*\d( to [-+\d.e]+)?", text):
        return text.replace("-", "$-$")
    return "--" if text == "-" else "".join(_SPECIAL.get(character, character) for character in printable(text))
