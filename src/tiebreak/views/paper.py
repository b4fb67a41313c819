"""Tables of a comparison in LaTeX."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.errors import DataError, InvalidParameterError
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
    if table not in (None, "ranking", "pairs", "scores"):
        raise InvalidParameterError(f"table must be 'ranking', 'pairs' or 'scores'; got {table!r}.")
    if table == "scores" and not has_datasets:
        raise DataError("there is a table of scores by dataset where there are several datasets; these scores are of one.")
    texts, side = [], "higher" if comparison.metric.higher_is_better else "lower"
    if table in (None, "ranking"):
        shown = models_table(comparison)
        notes = (*shown.notes, *small_print(comparison)[:1])
        texts.append(_of_page(replace(shown, title=f"Models by {value_name(comparison)}, {side} is better", notes=notes)))
    if table in (None, "pairs"):
        texts.append(_of_page(pair_table(comparison)))
    if has_datasets and table in (None, "scores"):
        texts.append(_scores_latex(comparison))
    return "% needs \\usepackage{booktabs}\n" + "\n\n".join(texts) + "\n"


def _of_page(table: Table) -> str:
    """A table of the page."""
    rows = [list(map(_escaped, row)) for row in table.rows]
    body = _rows(rows)
    if table.rule:
        body.insert(table.rule[0], r"\midrule")
    return _tabular(table.title, table.headers, table.right, body, table.notes)


def _scores_latex(comparison: Comparison) -> str:
    """A row for each dataset with its best scores in bold, and the average ranks below a rule."""
    scores, is_mixed = comparison.scores, comparison.scores.is_mixed
    matrix, rows = dataset_means(scores).matrix(), []
    spread = np.nanstd(np.where(np.isnan(matrix.score).all(axis=0), 0.0, matrix.score), axis=0)
    for name, of, column, own in zip(matrix.columns, scores.matrices, matrix.score.T, spread.tolist(), strict=True):
        metric = scores.metric_of(of)
        raw = metric.sign * column if is_mixed else column  # of mixed metrics they are turned so that higher is better
        decimals = min(decimals_for(own if is_mixed else float(np.median(spread))), MOST_DECIMALS)
        texts = [format_score(float(value), decimals) for value in raw]
        of_metric = [_escaped(metric.name)] if is_mixed else []
        rows.append([_escaped(name), *of_metric, *_best_in_bold(texts, metric.higher_is_better)])
    ranks, body, notes = comparison.ranking_table.average_rank, _rows(rows), []
    if ranks is not None and np.isfinite(ranks).any():
        foot = _best_in_bold([format_score(float(rank), 2) for rank in ranks], False)
        body += [r"\midrule", *_rows([["average rank", *([""] if is_mixed else []), *foot]])]
        notes.append("Average ranks depend on which models are in the table.")
    side = "" if is_mixed else f"; {'higher' if scores.metric.higher_is_better else 'lower'} is better"
    title = f"{printable(scores.metric.name)} on {count(matrix.n_splits, 'dataset')}{side}; the best in bold"
    first = ("dataset", "metric") if is_mixed else ("dataset",)
    headers = (*first, *model_names(comparison.models))
    right = (*(False,) * len(first), *(True,) * len(comparison.models))
    return _tabular(title, headers, right, body, [*notes, left_out(comparison.models)])


def _rows(rows: Iterable[Sequence[str]]) -> list[str]:
    return [" & ".join(row) + r" \\" for row in rows]


def _tabular(title: str, headers: Sequence[str], right: Sequence[bool], body: Sequence[str], notes: Sequence[str]) -> str:
    """Rows between rules, under a caption and above notes."""
    columns, caption = "".join("r" if each else "l" for each in right), rf"\caption{{{_escaped(title)}}}"
    sentences = (f"{_escaped(note[:1].upper() + note[1:]).rstrip('.')}." for note in notes if note)
    note = rf"{{\footnotesize {' '.join(sentences)}}}" if any(notes) else ""
    head = [r"\toprule", *_rows([list(map(_escaped, headers))]), r"\midrule"]
    start = [r"\begin{table}", caption, rf"\begin{{tabular}}{{{columns}}}"]
    tail = [r"\bottomrule", r"\end{tabular}", rf"\par\smallskip{note}" if note else "", r"\end{table}"]
    return "\n".join(filter(None, [*start, *head, *body, *tail]))


MOST_DECIMALS = 4
"""Decimals of scores in a table that is read across."""


def _best_in_bold(texts: Sequence[str], higher_is_better: bool) -> list[str]:
    """Cells of a row; those that print the same as the best are all bold, and a missing one is a dash."""
    values = [np.nan if text == "-" else float(text) for text in texts]
    known = [value for value in values if np.isfinite(value)]
    best = (max(known) if higher_is_better else min(known)) if known else np.nan
    cells = ["--" if text == "-" else _escaped(text) for text in texts]
    return [rf"\textbf{{{cell}}}" if value == best else cell for cell, value in zip(cells, values, strict=True)]


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
}


def _escaped(text: str) -> str:
    """Text that LaTeX shows as it is; in numbers and intervals the hyphen becomes a minus."""
    if re.fullmatch(r"[-+\d.e]+( to [-+\d.e]+)?", text):
        return text.replace("-", "$-$")
    return "".join(_SPECIAL.get(character, character) for character in printable(text))
