"""What there is in a store, without reading the cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tiebreak.stores.layout import METRICS, TALLIES, Layout, Row
from tiebreak.stores.loading import all_runs, run_name
from tiebreak.stores.rows import read_metrics
from tiebreak.stores.statements import fetch
from tiebreak.stores.store import Damage, RunSummary
from tiebreak.stores.wording import MISMATCH, refuse

if TYPE_CHECKING:
    from sqlalchemy import Connection


def list_runs(connection: Connection) -> list[RunSummary]:
    """All runs, the last one updated first."""
    runs = {row[0]: row for row in all_runs(connection)}
    tallies = {row[0]: row for row in _verified(connection, TALLIES, runs, "the tally of the cells")}
    metrics: dict[int, list[Row]] = {number: [] for number in runs}
    for metric in _verified(connection, METRICS, runs, "the list of metrics"):
        metrics[metric[0]].append(metric)
    summaries = []
    for number, row in runs.items():
        if number not in tallies:
            refuse(Damage(run_name(row), "the tally of the cells", "it is gone"))
        if len(metrics[number]) != row[5]:
            refuse(Damage(run_name(row), "the list of metrics", f"{len(metrics[number])} are there, and {row[5]} were written"))
        summaries.append(_summary(row, tallies[number], metrics[number]))
    return sorted(summaries, key=lambda run: run.updated, reverse=True)


def _verified(connection: Connection, layout: Layout, runs: Mapping[int, Row], where: str) -> list[Row]:
    """The rows of these runs in a table."""
    rows = [row for row in fetch(connection, layout) if row[0] in runs]
    for i in layout.damaged(rows):
        refuse(Damage(run_name(runs[rows[i][0]]), where, MISMATCH))
    return rows


def _summary(run: Row, tally: Row, metrics: list[Row]) -> RunSummary:
    _, created, n_models, n_datasets, n_splits = run[:5]
    _, n_cells, n_done, _, updated = tally[:5]
    return RunSummary(
        name=run_name(run),
        created=created / 1e6,
        updated=updated / 1e6,
        n_cells=n_models * n_splits,
        n_done=n_done,
        n_failed=n_cells - n_done,
        n_models=n_models,
        n_datasets=n_datasets,
        n_splits=n_splits,
        metrics=tuple(metric.name for metric in read_metrics(metrics)),
    )
