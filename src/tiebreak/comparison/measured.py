"""Measured error rates nearest to the design of an answer, from the table of them that ships with the package."""

from __future__ import annotations

import csv
import pkgutil
import re
from functools import cache
from math import log
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison


class MeasuredRate(NamedTuple):
    """Share of simulated tables of equal models in which some pair was called different.

    Attributes
    ----------
    data : str
        What the tables were.
    units, models : int
    rate : float
        In per cent.
    tables : int
    """

    data: str
    units: int
    models: int
    rate: float
    tables: int


@cache
def measured_rates(procedure: str) -> tuple[MeasuredRate, ...]:
    """Rows of ``error-rates.csv`` on equal models, of a procedure."""
    content = pkgutil.get_data("tiebreak.comparison", "error-rates.csv") or b""
    found = []
    for name, data, units, truth, misses, wrong, tables in csv.reader(content.decode().splitlines()):
        if name == procedure and truth == "none":
            models = re.search(r"(\d+) models", data)
            n_models = int(models[1]) if models else 2
            found.append(MeasuredRate(data, int(units), n_models, float(wrong or misses), int(tables)))
    return tuple(found)


def nearest_rates(comparison: Comparison) -> list[MeasuredRate]:
    """Rows of the procedure whose units and models are nearest to those of an answer, by their ratios; lowest rate first."""
    rows, items = measured_rates(comparison.method.name), comparison.items
    n_units, n_models = comparison.matrix.n_splits, len(comparison.models)
    if items is not None:
        n_units = n_units if items.clusters is None else items.n_clusters
        kind = "clusters" if items.clusters is not None else "runs" if len(items.runs) > 1 else "items"
    else:
        kind = {"seeds": "seed", "splits": "fold"}.get(comparison.method.question, "")
    rows = tuple(row for row in rows if kind in row.data) or rows
    distance = [abs(log(row.units / max(n_units, 1))) + abs(log(row.models / n_models)) for row in rows]
    nearest = min(distance, default=0.0)
    return sorted((row for row, far in zip(rows, distance, strict=True) if far <= nearest + 1e-9), key=lambda row: row.rate)


def nearest_words(comparison: Comparison) -> str:
    """Sentence on them; "" for a procedure that was not measured on equal models."""
    rows = nearest_rates(comparison)
    if not rows:
        return ""
    low, high = rows[0], rows[-1]
    where = f"Measured nearest to this design ({low.units:,} units, {low.models} models)"
    what = "tables of equal models had a pair called different, where 5 % is the aim"
    if low is high:
        return f"{where}: {low.rate:g} % of {low.tables:,} {what} ({low.data})."
    return f"{where}, in {len(rows)} worlds: {low.rate:g} % ({low.data}) to {high.rate:g} % ({high.data}) of {what}."
