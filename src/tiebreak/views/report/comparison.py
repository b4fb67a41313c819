"""A comparison in the report: the answer, ranking, matrix and pairs, and the data from which a script redoes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.family import MIRRORED, REASONS
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.errors import TiebreakError
from tiebreak.numerics import FloatArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.answer import headline, interval_name, table_decimals
from tiebreak.views.comparison import facts, folded_copies, method_lines, ranking_rows
from tiebreak.views.comparison_columns import FIRST_MODELS, MOST_PAIRS, Coded, Columns, pair_columns, ranking_columns
from tiebreak.views.design import design_line
from tiebreak.views.json import as_lists, plain
from tiebreak.views.names import model_names, quoted_names
from tiebreak.views.report.decide import NAME_WIDTH, WORDS, about_drawing, columns_of, decide_data, most_drawn, packed, takes_rope
from tiebreak.views.report.document import LONGEST_WORD, Document, drawings, html_of
from tiebreak.views.report.figures import Point, Scale, axis, dots_row, interval_row, round_step, scatter
from tiebreak.views.report.old_comparison import entry_names, extra_sentences, footnotes, pair_table, ranking_table, sentence
from tiebreak.views.report.old_pair import rope_words, without_interval
from tiebreak.views.requirements import section
from tiebreak.views.words import count, format_score, printable

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

COLUMN_NOTES = ("adj. p", "P(")
"""Beginnings of notes on columns of the table of pairs, which stand below it and nowhere else."""

SYMBOLS = {"better": "▲", "ahead": "△", "equivalent": "■", "undecided": "○", "behind": "▽", "worse": "▼"}
"""Marks of the verdicts, as in the plots."""

MOST_IN_MATRIX = 60
"""Models up to which every pair has a cell; beyond, pairs are chosen by name."""

MOST_CORRELATED = 20
"""Models up to which their correlations are shown."""

SLIDER_STEPS = 200
"""Steps of the slider of the rope, or a few more."""

MOST_DOTS = 6000
"""Scores up to which each is drawn."""

MOST_WRITTEN = 1000
"""Pairs up to which all their columns are in the data; of more those that are for decide.js are enough."""

PACKED_FROM = 100
"""Rows from which columns of numbers are packed, which takes half the room of their digits."""

ASKED_OF_DECIDE = ("first", "second", "difference", "standard_error", "verdict", "reason")
"""Columns of so many pairs that decide.js has, too, as the answer was asked: null in the data, where its script fills them in."""

DRAWN_BY_HAND = ("ranking", "differences", "scores", "verdicts", "posterior")
"""Plots whose numbers the report shows in rows, cells and pairs of its own."""

HEADERS = {
    "rank": "place",
    "mean": "mean",
    "adjusted": "adjusted",
    "standard_error": "std. error",
    "difference": "difference",
    "n": "n",
    "shortfall_high": "short by at most",
    "standing": "standing",
    "letters": "letters",
    "verdict": "verdict",
    "average_rank": "average rank",
}


def report(comparison: Comparison, requirements: Requirements | None = None) -> str:
    """The report of one comparison, and of the same models in the metrics that were measured with its own."""
    return report_of([comparison, *_in_other_metrics(comparison)], requirements)


def report_of(comparisons: Sequence[Comparison], requirements: Requirements | None = None) -> str:
    """The report of several comparisons, between which a switch chooses; requirements stand with the first one."""
    first, *others = comparisons
    metrics = list(dict.fromkeys(printable(each.metric.name) for each in comparisons))
    return html_of(
        Document(
            title=f"{count(len(first.models), 'model')} by {', '.join(metrics)}",
            answers=[answer_of(first, requirements), *(answer_of(each, None, n) for n, each in enumerate(others, 1))],
            data=answers_data(comparisons, requirements),
        )
    )


MOST_METRICS = 12
"""Metrics that the report of one comparison shows."""


def _in_other_metrics(comparison: Comparison) -> Iterator[Comparison]:
    """Comparisons in the other metrics; a smallest difference that matters is of one metric, unless it is a percentage."""
    settings = comparison.settings
    if settings.looks is not None:
        return  # they are a plan for one metric
    asked = settings if isinstance(settings.rope, str) else replace(settings, rope=0.0)
    for scores in comparison.scores.others[: MOST_METRICS - 1]:
        try:
            yield compare_scores(scores.take(comparison.models), asked)
        except TiebreakError:
            continue  # the procedure that was asked for does not suit this metric


# --- what the script reads --------------------------------------------------------------------------------------------------


def answers_data(comparisons: Sequence[Comparison], requirements: Requirements | None = None) -> dict[str, Any]:
    """Data of all answers, requirements with the first one, and the words that they are said in."""
    unused = {"requirements"} if requirements is None else set()
    unused |= set() if any(each.settings.baseline is not None for each in comparisons) else {"against"}
    said = WORDS | ({"without": without_interval(comparisons[0])} if comparisons else {})
    words: dict[str, Any] = {name: each for name, each in said.items() if name not in unused}
    answers = [answer_data(each, None if n else requirements) for n, each in enumerate(comparisons)]
    for answer in answers[1:] if comparisons and comparisons[0].scores.others else ():
        answer["is_other"] = True  # for those who read the page back and name no metric
    alphas = [held for answer in answers for held in answer["decide"]["alphas"]]
    if alphas and all(held["why"] == REASONS.index("unsettled") for held in alphas):
        words["without"] = {}
    if requirements is not None:
        words["requirements"] = _needed(words["requirements"], {each.gate for each in requirements}, alphas)
    return {"answers": answers, "words": words}


def _needed(words: Mapping[str, Any], gates: set[str], alphas: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Words on requirements of the kinds that were asked, and on the reasons why one has no interval at some alpha."""
    reasons = {reason for held in alphas for *_, reason in held.get("requirements", ())}
    kinds = {name: {key: each for key, each in words[name].items() if key.split(",")[0] in gates} for name in ("stated", "where")}
    return {**words, **kinds, "reasons": {key: each for key, each in words["reasons"].items() if key in reasons}}


def answer_data(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """The JSON view of a comparison, its pairs and ranking as columns; a column that is the same in all rows is one value."""
    view = facts(comparison, requirements)
    view["ranking"] = _packed(ranking_columns(comparison), comparison)
    n_pairs = comparison.pair_table.n_pairs
    view["pairs"] = _packed(pair_columns(comparison), comparison) if n_pairs <= MOST_WRITTEN else {}
    if n_pairs >= PACKED_FROM and comparison.pair_table.is_family:
        view["pairs"] |= {name: None for name in ASKED_OF_DECIDE if name in view["pairs"]}
    data: dict[str, Any] = {
        "label": label_of(comparison),
        "models": list(comparison.models),
        "view": as_lists(view),
        "decide": decide_data(comparison, requirements),
    }
    if has_units(comparison) and comparison.matrix.columns:  # the units are no splits, whose scores stand in the view
        units = {"names": list(comparison.matrix.columns), "score": plain(comparison.matrix.score)}
        data["units"] = "items" if _are_in(data["view"], comparison) else units
    return data


def _are_in(view: dict[str, Any], comparison: Comparison) -> bool:
    """True where the scores of the items in the view, of one run, are those that were compared."""
    items = view.get("items")
    if not items or not items["inline"] or items["n_runs"] != 1 or items["items"] != list(comparison.matrix.columns):
        return False
    score = np.array(items["score"], dtype=float)[:, 0]
    rows = [items["models"].index(model) for model in comparison.models]
    return np.array_equal(score[rows], comparison.matrix.score, equal_nan=True)


def has_units(comparison: Comparison) -> bool:
    """True where the page holds a score of each model on each unit; there are none of F1 and others of all items together."""
    return comparison.method.is_mean and (not comparison.matrix.columns or comparison.matrix.score.size <= MOST_DOTS)


def _packed(columns: Columns, comparison: Comparison) -> dict[str, Any]:
    """Columns as lists, or of many rows numbers in base64; models as rows of the ranking, what is the same everywhere once."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray) and column.dtype.kind == "f" and column.size >= PACKED_FROM:
            found[name] = packed(np.where(np.isfinite(column), column, np.nan))  # as JSON has them
            continue
        is_model = isinstance(column, Coded) and name != "verdict" and column.names == comparison.models
        values = column.codes.tolist() if is_model and isinstance(column, Coded) else plain(column.tolist())
        is_same = not is_model and name != "rank" and all(value == values[0] for value in values)
        found[name] = values[0] if is_same and len(values) > 1 else values
    return found


def label_of(comparison: Comparison) -> str:
    """Metric, and dataset where it has a name."""
    datasets = [matrix.dataset for matrix in comparison.scores.matrices]
    metric = comparison.metric.name
    return f"{metric} on {datasets[0]}" if len(datasets) == 1 and datasets[0] else metric


# --- what is shown ----------------------------------------------------------------------------------------------------------


def answer_of(comparison: Comparison, requirements: Requirements | None = None, number: int = 0) -> dict[str, Any]:
    """Texts, tables and drawings of one comparison, as the template wants them; ids of its drawings begin with its number."""
    names = model_names(comparison.models, NAME_WIDTH)
    has_matrix = comparison.pair_table.is_family and len(comparison.models) <= MOST_IN_MATRIX
    return {
        "label": label_of(comparison),
        "headline": headline(comparison),
        "sentence": sentence(comparison),
        "extra": extra_sentences(comparison),
        "has_looks": comparison.looks is not None,
        "requirements": None if requirements is None else section(requirements, comparison),
        "names": names,
        "full_names": [printable(name) for name in comparison.models],
        "has_short_words": all(len(word) <= LONGEST_WORD for name in names for word in re.split(r"[\s-]+", name)),
        "ranking": _ranking(comparison),
        "matrix": _matrix(comparison) if has_matrix else None,
        "left_out": _left_out(comparison),
        "pairs": pair_table(comparison, NAME_WIDTH),
        "classes": [],
        "footnotes": [note for note in footnotes(comparison) if not note.startswith(COLUMN_NOTES)],
        "has_units": has_units(comparison),
        "scores": _scores(comparison),
        "correlation": _correlation(comparison),
        "times": _times(comparison, names, number),
        "figures": drawings(comparison, _drawn_by_displays(comparison)),
        "method": method_lines(comparison),
        "references": comparison.method.references,
        "generalises_to": comparison.method.generalises_to,
        "notices": comparison.notices,  # all: those in the answer are hidden beside another rope or alpha
        "provenance": _provenance(comparison),
        "metric": comparison.metric.name,
        "rope": comparison.rope,
        "rope_words": rope_words(comparison),
        "alpha": comparison.settings.alpha,
        "slider": _slider(comparison),
        "stays": _what_stays(comparison),
        "unit": comparison.method.unit,
        "symbols": SYMBOLS,
    }


def _slider(comparison: Comparison) -> dict[str, str]:
    """Ends and step of the slider of the rope: to where the widest interval lies inside it, below the width of the metric."""
    ranking, is_best = comparison.ranking_table, comparison.pair_table.family == "best"
    bounds = ranking.shortfall_high if is_best else None
    reach = _reach(*comparison.pair_table.interval) if bounds is None else _reach(bounds)
    most = max(reach, 2.0 * comparison.rope) or 1.0
    step = round_step(most / SLIDER_STEPS)
    score = comparison.matrix.score
    lowest, highest = comparison.metric.bounds_of(np.fmin.reduce(score, axis=None), np.fmax.reduce(score, axis=None))
    width = highest - lowest
    last = np.ceil(most / step) * step
    return {
        "step": f"{step:g}",
        "most": f"{last if last < width else width - step:.12g}",
        "widest": f"{width - step:.12g}" if np.isfinite(width) else "",
    }


def _left_out(comparison: Comparison) -> str:
    """Words on the pairs of very many models that are not on the page; "" where all are."""
    n_models = len(comparison.models)
    n_pairs = n_models * (n_models - 1) // 2
    if n_pairs <= MOST_PAIRS:
        return ""
    name = quoted_names(comparison.models)[comparison.reference]
    return (
        f"Of the {n_pairs:,} pairs, this page has those of {name} and those of the first {FIRST_MODELS} models with each other. "
        "The others follow from the scores, which are all here: tiebreak and tb.compare read this file and answer for any pair."
    )


def _what_stays(comparison: Comparison) -> str:
    """Words on why the rope cannot be moved; "" where it can."""
    if takes_rope(comparison):
        return ""
    if comparison.pair_table.judged.unit != "metric":
        return f"The rope stays at 0, as {comparison.method.name} judges differences of the {comparison.metric.name}."
    steps = f"the correction {comparison.correction} goes step by step"
    return f"The rope stays at 0, as {steps}, which is right for 'no difference' only."


def _drawn_by_displays(comparison: Comparison) -> list[str]:
    """Plots that stand in the report as figures."""
    return [name for name in comparison.plot.names if name not in DRAWN_BY_HAND]


def _is_right_or_wrong(comparison: Comparison) -> bool:
    score = comparison.matrix.score
    return np.unique(score[~np.isnan(score)]).size < 3


def _ranking(comparison: Comparison) -> dict[str, Any]:
    """Lines of the ranking with all texts, by column, and what is drawn beside them."""
    lines = ranking_rows(comparison)
    table, columns = ranking_table(comparison, NAME_WIDTH, len(lines)), columns_of(comparison)
    interval = interval_name(comparison, is_header=True)
    scale, drawn = _drawn_bounds(comparison) if comparison.pair_table.family == "best" else _drawn_ranking(comparison)
    headers = HEADERS | {"mean": comparison.ranking_table.value_name, "interval": interval, "n": f"{comparison.method.unit}s"}
    return {
        "title": table.title,
        "notes": table.notes,
        "headers": headers,
        "models": lines,
        "names": entry_names(comparison, lines, NAME_WIDTH),
        "full_names": [_full_name(comparison, row) for row in lines],
        "rows": [{each: column[k] for each, column in columns.items()} for k in range(len(lines))],
        "has_same_n": len(set(columns.get("n", ()))) == 1,
        "drawn": [drawn[row] for row in lines],
        "axis": axis(scale),
        "about": about_drawing(comparison),
    }


def _full_name(comparison: Comparison, row: int) -> str:
    """Name of a model with those of its copies; of one judged against a baseline its own."""
    first, *copies = (printable(comparison.models[each]) for each in (row, *folded_copies(comparison, row)))
    return f"{first} (and {', '.join(copies)})" if copies else first


def _drawn_bounds(comparison: Comparison) -> tuple[Scale, list[Markup]]:
    """By how much at most each model falls short of the best, from 0 on."""
    ranking = comparison.ranking_table
    ends = np.zeros(len(comparison.models)) if ranking.shortfall_high is None else ranking.shortfall_high
    standing = ranking.standing if ranking.standing is not None else np.zeros(ends.size, dtype=int)
    rope = comparison.rope if comparison.rope < 4 * _reach(ends) else 0.0
    scale = Scale.around(ends, [-rope, rope, 0.0])
    kinds = [STANDINGS[code].replace(" ", "-") for code in standing.tolist()]
    rows = zip(ends.tolist(), kinds, strict=True)
    return scale, [interval_row(scale, 0.0, np.nan, high, comparison.rope, kind) for high, kind in rows]


def _drawn_ranking(comparison: Comparison) -> tuple[Scale, list[Markup]]:
    """Difference to the reference with its interval, a drawing for each model."""
    against = comparison.against_reference
    ends, middle = np.stack(against.interval), against.difference
    rope = comparison.rope if comparison.rope < 4 * _reach(ends, middle) else 0.0
    most = most_drawn(comparison)
    scale = Scale.around(np.clip([*ends, middle], -most, most), [-rope, rope, 0.0])
    verdicts = [VERDICTS[code] for code in against.verdict.tolist()]
    rows = zip(ends[0].tolist(), middle.tolist(), ends[1].tolist(), verdicts, strict=True)
    return scale, [interval_row(scale, low, at, high, comparison.rope, verdict) for low, at, high, verdict in rows]


def _reach(*values: FloatArray) -> float:
    known = np.concatenate([np.ravel(each) for each in values])
    known = np.abs(known[np.isfinite(known)])
    return float(known.max()) if known.size else 0.0


def _matrix(comparison: Comparison) -> dict[str, Any]:
    """Verdicts of rows against columns; with a baseline against it alone."""
    table, n_models = comparison.pair_table, len(comparison.models)
    codes = np.zeros((n_models, n_models), dtype=np.int8)
    codes[table.first, table.second] = table.verdict
    codes[table.second, table.first] = MIRRORED[table.verdict]
    columns = np.arange(n_models)
    if comparison.settings.baseline is not None:
        columns = np.array([comparison.models.index(comparison.settings.baseline)])
    shown = [[VERDICTS[code] for code in row] for row in codes[:, columns].tolist()]
    return {"columns": columns.tolist(), "cells": shown}


def _scores(comparison: Comparison) -> dict[str, Any] | None:
    """Scores of every model on every unit, a row each."""
    matrix = comparison.matrix
    if not comparison.method.is_mean or matrix.score.size > MOST_DOTS or _is_right_or_wrong(comparison):
        return None
    scale, decimals = Scale.around(matrix.score), table_decimals(comparison)
    means = comparison.ranking_table.mean.tolist()
    rows = [dots_row(scale, row.tolist(), mean) for row, mean in zip(matrix.score, means, strict=True)]
    low, high = np.fmin.reduce(matrix.score, axis=1), np.fmax.reduce(matrix.score, axis=1)
    texts = [tuple(format_score(float(value), decimals) for value in row) for row in zip(low, means, high, strict=True)]
    return {"rows": rows, "texts": texts, "axis": axis(scale), "n": matrix.n_splits}


def _correlation(comparison: Comparison) -> list[list[str]] | None:
    """Correlations of scores over units, as texts; for a few models."""
    if not (comparison.method.is_mean and 2 < len(comparison.models) <= MOST_CORRELATED):
        return None
    return [["–" if np.isnan(value) else f"{value:.2f}" for value in row] for row in comparison.correlation_matrix.tolist()]


def _times(comparison: Comparison, names: list[str], number: int) -> Markup | None:
    """Mean score against the median time of a fit, where times are known for all."""
    times, means = comparison.scores.fit_seconds, comparison.ranking_table.mean.tolist()
    known = [(times.get(model, 0.0), mean, name) for model, mean, name in zip(comparison.models, means, names, strict=True)]
    points = [Point(*each) for each in known if each[0] > 0 and np.isfinite(each[1])]
    if len(points) < 2:
        return None
    metric = printable(comparison.metric.name)
    better = "higher" if comparison.metric.higher_is_better else "lower"
    quickest = min(points)
    title = f"Mean {metric} against the time of a fit"
    description = f"{quickest.label} is the fastest to fit. Further left is faster, {better} is better."
    return scatter(points, title, description, ("median time of a fit", f"mean {metric}"), f"times-{number}")


def _provenance(comparison: Comparison) -> list[tuple[str, str]]:
    """Facts from which the answer could be made again."""
    return [(name, text) for name, text in _provenance_rows(comparison) if text]


def _provenance_rows(comparison: Comparison) -> Iterator[tuple[str, str]]:
    s, design = comparison.settings, comparison.design
    yield "Settings", f"rope {rope_words(comparison)}, alpha {s.alpha:g}, correction {comparison.correction}"
    yield "Procedure", f"{comparison.method.name} (asked: {s.method})"
    yield "Baseline", printable(s.baseline or "")
    if comparison.method.unit == "split":
        yield "Splits", f"{design_line(comparison)}; kind {design.kind}, paired by {design.pairing}, sizes {design.sizes}"
    else:
        yield "Scores", f"{design_line(comparison)}, paired by {design.pairing}"
    yield "Fingerprint of the splits", design.hash or ""
    yield "Seed of random draws", str(s.rng)
