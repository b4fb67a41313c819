"""Columns of a comparison's pairs and ranking, named and ordered as documented, and the facts of its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.family import REASONS
from tiebreak.comparison.next_step import detectable
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.errors import DataError
from tiebreak.numerics import IntArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.scores.means import model_correlation
from tiebreak.views.answer import headline, next_step
from tiebreak.views.columns import Coded, named, records_of
from tiebreak.views.json import document, finite, metric_record, plain

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.family import Family
    from tiebreak.comparison.requirements import Requirements
    from tiebreak.scores.items import Items
    from tiebreak.scores.scores import ScoreMatrix


MOST_PAIRS, FIRST_MODELS = 80_000, 60
"""Pairs up to which an answer is written with all of them, and models whose pairs are of more."""


def written_pairs(comparison: Comparison, table: Family | None = None, models: Sequence[int] = ()) -> IntArray | None:
    """Positions of the pairs that an answer of very many models is written with, None where all are.

    Those of the model that leads (or the baseline) and of further `models`, and those of the first ones with each other: all
    others follow from the scores when the answer is read again. They are of the family, or of another `table`.
    """
    table = comparison.pair_table if table is None else table
    if table.n_pairs <= MOST_PAIRS:
        return None
    is_written = (table.first < FIRST_MODELS) & (table.second < FIRST_MODELS)
    for row in (comparison.models.index(comparison.reference), *models):
        is_written |= (table.first == row) | (table.second == row)
    return np.flatnonzero(is_written)


def pair_columns(comparison: Comparison, rows: IntArray | None = None) -> dict[str, Any]:
    """Columns of the pairs, or of some, named and ordered as documented; without those that the procedure cannot give."""
    t, models = comparison.pair_table, comparison.models
    if rows is not None:
        t = t.part(rows)
    d, shape, interval, probabilities = t.law, t.first.shape, t.interval, t.probabilities
    better, equivalent, worse = (None, None, None) if probabilities is None else probabilities
    return named(
        {
            "first": Coded(t.first, models),
            "second": Coded(t.second, models),
            "look": t.judged.beside.get("look"),
            "n_units": np.broadcast_to(d.n_units, shape),
            "difference": d.estimate,
            "standard_error": d.se,
            "df": None if d.df is None else np.broadcast_to(d.df, shape),
            "statistic": t.statistic,
            "pvalue": t.pvalue,
            "adjusted_pvalue": t.adjusted_pvalue,
            "interval_alpha": np.broadcast_to(t.interval_alpha if t.is_family else np.nan, shape),
            "interval_low": interval.low,
            "interval_high": interval.high,
            "p_better": better,
            "p_equivalent": equivalent,
            "p_worse": worse,
            "verdict": Coded(t.verdict, VERDICTS),
            "reason": Coded(t.reason, REASONS),
        }
    )


def ranking_columns(comparison: Comparison) -> dict[str, Any]:
    """Columns of the ranking, named and ordered as documented; without those that cannot be given, or were not asked for."""
    t, models = comparison.ranking_table, comparison.models
    columns: dict[str, Any] = {
        "rank": t.rank,
        "rank_low": t.rank_low,
        "rank_high": t.rank_high,
        "model": Coded(np.arange(len(models)), models),
        "mean": t.mean,
        "standard_error": t.standard_error,
        "mean_low": None if t.mean_interval is None else t.mean_interval.low,
        "mean_high": None if t.mean_interval is None else t.mean_interval.high,
        "adjusted": t.adjusted,
        "n_units": t.n_units,
        "shortfall_high": t.shortfall_high,
        "may_be_best": t.may_be_best,
        "standing": None if t.standing is None else Coded(t.standing, STANDINGS),
        "average_rank": t.average_rank,
        "letters": None if t.differs is None else np.array(t.letters, dtype=object),
    }
    if comparison.settings.baseline is not None:
        against = comparison.against_reference
        columns |= {
            "difference": against.difference,
            "interval_low": against.interval.low,
            "interval_high": against.interval.high,
            "verdict": Coded(against.verdict, VERDICTS),
        }
    return named(columns)


def correlation_frame(comparison: Comparison) -> pd.DataFrame:
    """Models by models, in ranking order."""
    import pandas as pd

    models, items = list(comparison.models), comparison.items
    if items is not None and items.classes:  # whose numbers are names
        return items.agreement().loc[models, models]
    return pd.DataFrame(model_correlation(comparison.matrix), index=models, columns=models)


def shrinkage_columns(comparison: Comparison) -> dict[str, Any]:
    """One row for each pair of the family and dataset."""
    table, models = comparison.pair_table, comparison.models
    from tiebreak.comparison.procedures.posteriors import shrunken

    found = shrunken(table.judged) if "posteriors" in table.judged.beside else None
    if found is None:
        raise DataError(f"{comparison.method.name} takes datasets as they are; method='hierarchical' gives shrunken estimates.")
    rows = [
        (models[table.first[each.pair]], models[table.second[each.pair]], *row)
        for each in found
        for row in zip(each.datasets, each.raw.tolist(), each.mean.tolist(), each.sd.tolist(), strict=True)
    ]
    names = ("first", "second", "dataset", "raw", "shrunken", "sd")
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {name: [] for name in names}


SCHEMA = 2

# --- JSON -------------------------------------------------------------------------------------------------------------------


def scores_of(matrix: ScoreMatrix) -> dict[str, Any]:
    """Scores of one dataset."""
    return {
        "dataset": matrix.dataset,
        **({} if matrix.metric is None else {"metric": metric_record(matrix.metric)}),
        "models": list(matrix.models),
        "repeat": matrix.repeat.tolist(),
        "fold": matrix.fold.tolist(),
        "n_train": matrix.n_train.tolist() if matrix.has_sizes else None,
        "n_test": matrix.n_test.tolist() if np.all(matrix.n_test > 0) else None,
        **({"n_folds": matrix.n_folds} if matrix.n_folds else {}),
        **({"columns": list(matrix.columns)} if matrix.columns else {}),
        **({} if matrix.summary is None else {"summary": plain(matrix.summary)}),
        "score": ([finite(value) for value in row.tolist()] for row in matrix.score),
    }


MOST_INLINE = 1_000_000
"""Scores of single items that are written into the answer; of more only a reference, which is the hash of the table."""


def items_of(items: Items) -> dict[str, Any]:
    """Scores of single items, or where there are too many what tells them from others."""
    shape = {"unit": items.unit, "n_models": len(items.models), "n_runs": len(items.runs), "n_items": len(items.items)}
    known = {**shape, "hash": items.hash(), "models": list(items.models), "inline": items.score.size <= MOST_INLINE}
    if not known["inline"]:
        return known
    return {
        **known,
        "runs": list(items.runs),
        "items": list(items.items),
        "clusters": None if items.clusters is None else list(items.clusters),
        "weights": None if items.weights is None else items.weights.tolist(),
        "is_positive": None if items.is_positive is None else items.is_positive.tolist(),
        "truth": None if items.truth is None else items.truth.tolist(),
        "classes": list(items.classes),
        "columns": {name: list(values) for name, values in items.columns.items()},
        "sources": list(items.sources),
        **({} if items.labels is None else {"labels": [[finite(each) for each in row] for row in items.labels.tolist()]}),
        "score": ([[finite(value) for value in run] for run in model.tolist()] for model in items.score),
    }


def facts(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Facts for JSON, the long lists as iterators; nothing depends on the clock."""
    settings, design, method, written = (
        comparison.settings,
        comparison.scores.design,
        comparison.method,
        written_pairs(comparison),
    )
    if comparison.by is not None:
        from tiebreak.views.slices import records as slice_records
    if requirements is not None:
        from tiebreak.views.requirements import records
    asked = ("rope", "alpha", "baseline", "family", "correction", "method", "missing", "rng", "by")
    return document(
        schema=SCHEMA,
        metric=metric_record(comparison.scores.metric),
        settings={
            **{name: getattr(settings, name) for name in asked},
            "looks": None if settings.looks is None else settings.looks.as_dict(),
        },
        resolved={
            "rope": comparison.rope,
            "measure": metric_record(comparison.metric),
            "family": comparison.pair_table.family,
            "correction": comparison.correction,
            "method": method.name,
            "interval_alpha": comparison.pair_table.interval_alpha if comparison.pair_table.is_family else None,
        },
        method={
            **{name: getattr(method, name) for name in ("name", "reason", "question", "unit", "generalises_to", "not_covered")},
            "assumptions": list(method.assumptions),
            "references": list(method.references),
        },
        headline=headline(comparison),
        next_step=next_step(comparison),
        detectable=detectable(comparison),
        ranking=records_of(ranking_columns(comparison)),
        pairs=records_of(pair_columns(comparison, written)),
        **({} if written is None else {"n_pairs_omitted": comparison.pair_table.n_pairs - written.size}),
        slices=[] if comparison.by is None else slice_records(comparison.slices()),
        scores=[] if comparison.items is not None else [scores_of(matrix) for matrix in comparison.scores.matrices],
        items=None if comparison.items is None else items_of(comparison.items),
        warnings=[{"code": notice.code, "text": notice.text} for notice in comparison.notices],
        requirements=[] if requirements is None else records(requirements),
        provenance={
            "splits": design.hash,
            "design": {"kind": design.kind, "ordered": design.ordered, "pairing": design.pairing, "sizes": design.sizes},
        },
    )
