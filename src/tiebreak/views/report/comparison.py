"""A comparison in the report: the answer, ranking, matrix and pairs, and the data from which a script redoes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.verdict import MIRRORED, VERDICTS
from tiebreak.views.comparison import (
    against_columns,
    extra_sentences,
    facts,
    method_lines,
    pair_table,
    ranking_table,
    sentence,
    table_decimals,
)
from tiebreak.views.comparison_columns import Coded, Columns, pair_columns, ranking_columns
from tiebreak.views.json import as_lists, plain
from tiebreak.views.pair import favours, interval_name, names_in_sentences, rope_words
from tiebreak.views.report.document import Document, html_of
from tiebreak.views.requirements import section
from tiebreak.views.words import printable, short_names

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

NAME_WIDTH = 40
"""Characters of a name in the tables of the report."""

SYMBOLS = {"": "", "better": "▲", "ahead": "△", "equivalent": "■", "undecided": "○", "behind": "▽", "worse": "▼"}
"""Marks of the verdicts, as in the plots."""


def report(comparison: Comparison, requirements: Requirements | None = None) -> str:
    """The report of one comparison."""
    answer = answer_of(comparison, requirements)
    title = f"{printable(comparison.metric.name)}: {len(comparison.models)} models"
    data = {"answers": [answer_data(comparison, requirements)]}
    return html_of(Document(title=title, answers=[answer], data=data))


# --- what the script reads --------------------------------------------------------------------------------------------------


def answer_data(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """The JSON view of a comparison, its pairs and ranking as columns; a column that is the same in all rows is one value."""
    view = as_lists(facts(comparison, requirements))
    view["ranking"] = _packed(ranking_columns(comparison), comparison)
    view["pairs"] = _packed(pair_columns(comparison), comparison)
    return {"label": _label(comparison), "view": view}


def _packed(columns: Columns, comparison: Comparison) -> dict[str, Any]:
    """Columns as lists; models as rows of the ranking, what is the same everywhere once."""
    packed: dict[str, Any] = {}
    for name, column in columns.items():
        is_model = isinstance(column, Coded) and column.names == comparison.models
        values = column.codes.tolist() if is_model and isinstance(column, Coded) else plain(column.tolist())
        is_same = name not in ("first", "second", "model", "rank") and all(value == values[0] for value in values)
        packed[name] = values[0] if is_same and len(values) > 1 else values
    return packed


def _label(comparison: Comparison) -> str:
    dataset = comparison.scores.matrices[0].dataset if len(comparison.scores.matrices) == 1 else ""
    return f"{comparison.metric.name} on {dataset}" if dataset else comparison.metric.name


# --- what is shown ----------------------------------------------------------------------------------------------------------


def answer_of(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Texts and tables of one comparison, as the template wants them."""
    return {
        "label": _label(comparison),
        "sentence": sentence(comparison),
        "extra": extra_sentences(comparison),
        "requirements": None if requirements is None else section(requirements, comparison),
        "ranking": ranking(comparison),
        "matrix": matrix(comparison),
        "pairs": pair_table(comparison, NAME_WIDTH),
        "method": method_lines(comparison),
        "notices": comparison.notices,
        "metric": comparison.metric.name,
        "rope": comparison.rope,
        "rope_words": rope_words(comparison),
        "alpha": comparison.settings.alpha,
        "favours": favours(comparison),
        "interval": interval_name(comparison),
        "reference": names_in_sentences(comparison)[comparison.reference],
    }


def ranking(comparison: Comparison) -> dict[str, Any]:
    """Rows of the ranking with all texts, by column."""
    n_models, decimals = len(comparison.models), table_decimals(comparison)
    table = ranking_table(comparison, NAME_WIDTH, n_models)
    columns = dict(zip(table.headers, zip(*table.rows, strict=True), strict=True))
    against = against_columns(comparison, n_models, decimals)
    value_name = comparison.ranking_table.value_name
    named = {
        "rank": columns["rank"],
        "mean": columns[value_name],
        "n": tuple(str(n) for n in comparison.ranking_table.n_units.tolist()),
        "difference": tuple(against["difference"]),
        "interval": tuple(against[interval_name(comparison, is_header=True)]),
        "shortfall_high": columns.get("short by at most"),
        "standing": columns.get("standing"),
        "letters": columns.get("letters"),
        "p_best": columns.get("P(best)"),
        "verdict": tuple(against["verdict"]),
    }
    kept = {name: column for name, column in named.items() if column is not None}
    rows = [{name: column[row] for name, column in kept.items()} for row in range(n_models)]
    return {"title": table.title, "notes": table.notes, "names": short_names(comparison.models, NAME_WIDTH), "rows": rows}


def matrix(comparison: Comparison) -> dict[str, Any]:
    """Symbols of the verdicts of rows against columns."""
    table, n_models = comparison.pair_table, len(comparison.models)
    codes = np.zeros((n_models, n_models), dtype=np.int8)
    codes[table.first, table.second] = table.verdict
    codes[table.second, table.first] = MIRRORED[table.verdict]
    return {"cells": [[VERDICTS[code] for code in row] for row in codes.tolist()], "symbols": SYMBOLS}
