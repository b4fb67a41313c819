"""A comparison for a paper: tables in LaTeX, and the paragraph on methods with its references."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

import tiebreak
from tiebreak.comparison.comparison import Comparison
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.scores.means import dataset_means
from tiebreak.views.answer import design_line, rope_words, sizes_line, small_print, value_name
from tiebreak.views.comparison import models_table, pair_table
from tiebreak.views.page import Table
from tiebreak.views.words import (
    count,
    decimals_for,
    format_percent,
    format_score,
    left_out,
    level_words,
    listed,
    model_names,
    printable,
)

NAMES_OF_CORRECTIONS = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's procedure (Holm 1979)",
    "shaffer": "Shaffer's procedure (Shaffer 1986)",
    "bh": "the procedure of Benjamini and Hochberg (1995)",
}

REFERENCES = {
    "Lan and DeMets 1983": "K. K. G. Lan, D. L. DeMets. Discrete sequential boundaries for clinical trials. Biometrika 70, 1983.",
    "Hwang, Shih and DeCani (1990)": (
        "I. K. Hwang, W. J. Shih, J. S. DeCani. Group sequential designs using a family of type I error probability spending "
        "functions. Statistics in Medicine 9, 1990."
    ),
    "Holm 1979": "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.",
    "Shaffer 1986": "J. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.",
    "Benjamini and Hochberg (1995)": (
        "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. Journal of the Royal Statistical Society B 57, 1995."
    ),
    "Kruschke 2018": (
        "J. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in Methods and Practices in "
        "Psychological Science 1, 2018."
    ),
    "Hsu 1984": (
        "J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of Statistics 12, "
        "1984."
    ),
}
"""Behind the citations of the paragraph, in its order."""


# --- tables -----------------------------------------------------------------------------------------------------------------


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


# --- methods ----------------------------------------------------------------------------------------------------------------


PARTS = {
    "data": "{n} models were compared by {metric} on {design}.",
    "at once": "Intervals of {whose} come from {procedure}; they hold at once with {level} confidence by {correction} (each at "
    "{each}).",
    "one": "Intervals of {whose} come from {procedure}, at {level}.",
    "alone": "Intervals of {whose} come from {procedure}, each at {level} without a correction for their number.",
    "stepwise": "Intervals of {whose} come from {procedure}, each at {each}, the level of {correction}; they do not hold at "
    "once.",
    "best": "Differences come from {procedure}.",
    "looks": "{planned} were planned, and the data were looked at {looked} (at {at}); each look has the level that the spending "
    "function of Hwang, Shih and DeCani (1990) with gamma {gamma} leaves it (Lan and DeMets 1983), so the intervals of all looks "
    "hold at once. A pair was over at the first look that found it better, worse or equivalent, and is reported as of that look.",
    "rope": "Differences of up to {rope} were taken to be too small to matter (a region of practical equivalence, ROPE): a model "
    "is called better where the whole interval lies above it, ahead where it lies above 0, equivalent where it lies inside "
    "(Kruschke 2018), and undecided otherwise.",
    "no rope": "A model is called better where the whole interval lies above 0; no difference was taken to be too small to "
    "matter.",
    "best rope": "Differences of up to {rope} were taken to be too small to matter. No two models were judged against each "
    "other.",
    "best no rope": "No two models were judged against each other.",
    "winners": "Which models may be the best, and by how much at most each falls short of it, is read off these intervals: a "
    "model may be the best where no other is shown to be better, but for models that go round in a circle.",
    "best winners": "The models that may be the best, and bounds on how far each falls short of it, come from constrained "
    "multiple comparisons with the best (Hsu 1984) at {level} confidence.",
    "version": "Computed with tiebreak {version}.",
}
"""Sentences of the paragraph."""


def methods_paragraph(comparison: Comparison) -> str:
    """Paragraph on the statistics of a comparison, and the references that it cites."""
    table, settings, method, looks = comparison.pair_table, comparison.settings, comparison.method, comparison.looks
    whose = "the difference of the two models" if table.n_pairs == 1 else f"the differences of {table.n_pairs} pairs"
    how = "at once" if table.is_simultaneous else "alone" if table.correction == "none" else "stepwise"
    said = {
        "n": len(comparison.models),
        "metric": printable(comparison.metric.name),
        "design": ", ".join(filter(None, (design_line(comparison), sizes_line(comparison)))),
        "whose": f"the differences to the baseline, {printable(settings.baseline)}" if settings.baseline is not None else whose,
        "procedure": f"the {method.name} procedure [1], which assumes that {'; that '.join(method.assumptions)}",
        "level": format_percent(1 - settings.alpha),
        "each": level_words(table.interval_alpha),
        "correction": NAMES_OF_CORRECTIONS.get(table.correction, ""),
        "rope": rope_words(comparison),
        "version": tiebreak.__version__,
    }
    if looks is not None:
        at = listed([f"{look.n:,}" for look in looks.taken], 4)
        said |= {"planned": count(looks.n_total, looks.unit), "looked": count(len(looks.taken), "time"), "at": at}
        said["gamma"] = f"{looks.gamma:g}"
    best = "" if table.is_family else "best "
    parts = (
        "data",
        "best" if best else "one" if table.n_pairs == 1 else how,
        "" if looks is None else "looks",
        f"{best}rope" if comparison.rope else f"{best}no rope",
        f"{best}winners" if len(comparison.models) > 2 and settings.baseline is None else "",
        "version",
    )
    text = " ".join(PARTS[part].format(**said) for part in parts if part)
    cited = [reference for key, reference in REFERENCES.items() if key in text]
    references = (f"[{n}] {each}" for n, each in enumerate((*method.references, *cited), 1))
    return "\n".join([f"{text}\n\nReferences", *references, ""])
