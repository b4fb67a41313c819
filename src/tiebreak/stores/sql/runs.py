"""What there is in a store, without reading the cells: rows of the tables, however they were fetched, in a line for each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tiebreak.stores.contract import MISMATCH, Damage, Report, RunSummary, refuse
from tiebreak.stores.sql.encoding import from_json
from tiebreak.stores.sql.tables import METRICS, RUNS, STORE, TALLIES, Layout, Row

Fetch = Callable[[Layout], Sequence[Row]]
"""All rows of a table, in the order of their keys."""

_NAME = RUNS.columns.index("name")
_METRIC_NAME = METRICS.columns.index("name")


def list_runs(fetch: Fetch) -> list[RunSummary]:
    """All runs, the last one updated first."""
    runs = {row[0]: row for row in whole_runs(fetch(STORE), fetch(RUNS))}
    tallies = {row[0]: row for row in _verified(fetch, TALLIES, runs, "the tally of the cells")}
    metrics: dict[int, list[Row]] = {number: [] for number in runs}
    for metric in _verified(fetch, METRICS, runs, "the list of metrics"):
        metrics[metric[0]].append(metric)
    summaries = []
    for number, row in runs.items():
        if number not in tallies:
            refuse(Damage(run_name(row), "the tally of the cells", "it is gone"))
        if len(metrics[number]) != row[5]:
            refuse(Damage(run_name(row), "the list of metrics", f"{len(metrics[number])} are there, and {row[5]} were written"))
        summaries.append(_summary(row, tallies[number], metrics[number]))
    return sorted(summaries, key=lambda run: run.updated, reverse=True)


def whole_runs(store: Sequence[Row], found: Sequence[Row], report: Report = refuse) -> list[Row]:
    """Those rows of `RUNS` that are as they were written; what is wrong with the others, or with `STORE`, is reported."""
    if len(store) != 1 or STORE.damaged(store):
        report(Damage("", "the description of the store", MISMATCH))
    elif store[0][3] != len(found):
        report(Damage("", "the list of runs", f"there are {len(found)}, and {store[0][3]} were written"))
    damaged = set(RUNS.damaged(found))
    for i in damaged:
        report(Damage(run_name(found[i]), "the description of the run", MISMATCH))
    return [row for i, row in enumerate(found) if i not in damaged]


def run_name(row: Row) -> str:
    """The name in a row of `RUNS`; "" where it cannot be read any more."""
    try:
        return str(from_json(row[_NAME]))
    except (TypeError, ValueError):
        return ""


def _verified(fetch: Fetch, layout: Layout, runs: Mapping[int, Row], where: str) -> list[Row]:
    """The rows of these runs in a table."""
    rows = [row for row in fetch(layout) if row[0] in runs]
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
        metrics=tuple(from_json(metric[_METRIC_NAME]) for metric in metrics),
    )
