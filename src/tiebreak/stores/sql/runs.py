"""The runs of a store: found, listed, loaded and verified; begun, added to and deleted.

Functions that need numpy import what does: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tiebreak.plan.record import STATES, RunRecord
from tiebreak.stores.contract import MISMATCH, Damage, Report, RunSummary, refuse
from tiebreak.stores.sql.database import Connection, Database
from tiebreak.stores.sql.encoding import from_json, to_json
from tiebreak.stores.sql.statements import cells_after, delete, delete_cells, fetch, put
from tiebreak.stores.sql.tables import (
    CELLS,
    DATASETS,
    ENVIRONMENTS,
    LISTS,
    METRICS,
    MODELS,
    OUTPUTS,
    RUNS,
    SHARING,
    SPLITS,
    STORE,
    TALLIES,
    EnvironmentRow,
    MetricRow,
    RunRow,
    StoredTable,
    StoreRow,
    TallyRow,
    add_hashes,
)

if TYPE_CHECKING:
    from tiebreak.plan.record import DatasetRecord

_LIST = {table.name: f"the list of {table.name}" for table in LISTS} | {ENVIRONMENTS.name: "the list of versions"}
_TALLY = "the tally of the cells"


@dataclass(frozen=True, slots=True, eq=False)
class StoredRun:
    """A run as it is stored: the number that its rows carry, when it was begun (microseconds since 1970), and its plan."""

    number: int
    created: int
    record: RunRecord
    environments: tuple[Mapping[str, str], ...]


# --- listing --------------------------------------------------------------------------------------------------------------

OfRun = TypeVar("OfRun", TallyRow, MetricRow)


def list_runs(connection: Connection) -> list[RunSummary]:
    """List all runs without reading the cells, the last one updated first."""
    runs = {row.id: row for row in all_runs(connection)}
    tallies = {tally.run: tally for tally in _whole(connection, TALLIES, runs, _TALLY)}
    metrics: dict[int, list[MetricRow]] = {number: [] for number in runs}
    for metric in _whole(connection, METRICS, runs, _LIST[METRICS.name]):
        metrics[metric.run].append(metric)
    summaries = []
    for number, row in runs.items():
        if number not in tallies:
            refuse(Damage(run_name(row), _TALLY, "it is gone"))
        for what in _miscount(metrics[number], row.n_metrics):
            refuse(Damage(run_name(row), _LIST[METRICS.name], what))
        summaries.append(_summary(row, tallies[number], metrics[number]))
    return sorted(summaries, key=lambda run: run.updated, reverse=True)


def all_runs(connection: Connection, report: Report = refuse) -> list[RunRow]:
    """Fetch the rows of all runs that are as they were written; what is wrong with the others is reported."""
    store, found = fetch(connection, STORE), fetch(connection, RUNS)
    if len(store) != 1 or STORE.damaged(store):
        report(Damage("", "the description of the store", MISMATCH))
    elif store[0].n_runs != len(found):
        report(Damage("", "the list of runs", f"there are {len(found)}, and {store[0].n_runs} were written"))
    damaged = RUNS.damaged(found)
    for i in damaged:
        report(Damage(run_name(found[i]), "the description of the run", MISMATCH))
    return [row for i, row in enumerate(found) if i not in damaged]


def run_name(row: RunRow) -> str:
    """Name in a row of `RUNS`; "" where it cannot be read any more."""
    try:
        return str(from_json(row.name))
    except (TypeError, ValueError):
        return ""


def _whole(connection: Connection, table: StoredTable[OfRun], runs: Mapping[int, RunRow], where: str) -> list[OfRun]:
    """Fetch the rows of these runs in a table."""
    rows = [row for row in fetch(connection, table) if row.run in runs]
    for i in table.damaged(rows):
        refuse(Damage(run_name(runs[rows[i].run]), where, MISMATCH))
    return rows


def _miscount(found: Sequence[Any], n_written: int) -> list[str]:
    return [f"{len(found)} are there, and {n_written} were written"] if len(found) != n_written else []


def _summary(run: RunRow, tally: TallyRow, metrics: Sequence[MetricRow]) -> RunSummary:
    return RunSummary(
        name=run_name(run),
        created=run.created / 1e6,
        updated=tally.updated / 1e6,
        n_cells=run.n_models * run.n_splits,
        n_done=tally.n_done,
        n_failed=tally.n_cells - tally.n_done,
        n_models=run.n_models,
        n_datasets=run.n_datasets,
        n_splits=run.n_splits,
        metrics=tuple(from_json(metric.name) for metric in metrics),
    )


# --- finding and loading --------------------------------------------------------------------------------------------------


def store_row(connection: Connection) -> StoreRow:
    """Fetch the one row of `STORE`."""
    found = fetch(connection, STORE)
    if len(found) != 1 or STORE.damaged(found):
        refuse(Damage("", "the description of the store", MISMATCH))
    return found[0]


def find_run(connection: Connection, name: str, *, even_damaged: bool = False) -> RunRow | None:
    """Find the row of a run; None if there is none of that name, and certainly none."""
    text = to_json(name)
    for row in fetch(connection, RUNS):
        if row.name == text:
            if not even_damaged and RUNS.damaged([row]):
                refuse(Damage(name, "the description of the run", MISMATCH))
            return row
    all_runs(connection)  # its row, or its name, may be damaged
    return None


def known_run(connection: Connection, name: str, *, even_damaged: bool = False) -> RunRow:
    """Find the row of a run; raises `UnknownNameError` if there is none of that name."""
    row = find_run(connection, name, even_damaged=even_damaged)
    if row is None:
        from tiebreak.scores.scores import look_up

        look_up(name, [run_name(each) for each in all_runs(connection)], "run")
    return cast("RunRow", row)


def load_run(connection: Connection, row: RunRow, report: Report = refuse) -> StoredRun | None:
    """Load all that belongs to a run but its cells; None where damage was reported."""
    from tiebreak.stores.sql import rows

    name, damages = run_name(row), []
    lists: dict[str, list[Any]] = {}
    for table in LISTS:
        found = lists[table.name] = fetch(connection, table, run=row.id)
        wrong = _miscount(found, getattr(row, f"n_{table.name}"))
        wrong += [f"the hash of its row {i} does not match" for i in table.damaged(found)]
        damages += [Damage(name, _LIST[table.name], what) for what in wrong]
    for damage in damages:
        report(damage)
    if damages:
        return None
    environments = tuple(from_json(each.versions) for each in lists[ENVIRONMENTS.name])
    record = RunRecord(
        name=name,
        models=rows.model_records(lists[MODELS.name]),
        datasets=rows.dataset_records(lists[DATASETS.name], lists[SPLITS.name]),
        metrics=rows.metric_records(lists[METRICS.name]),
        rng=from_json(row.rng),
        threads=from_json(row.threads),
        versions=environments[-1],
        settings=from_json(row.settings),
    )
    return StoredRun(row.id, row.created, record, environments)


# --- writing --------------------------------------------------------------------------------------------------------------


def begin_run(connection: Connection, record: RunRecord) -> StoredRun:
    """Write a new run."""
    store = store_row(connection)
    put(connection, STORE, [store._replace(n_runs=store.n_runs + 1, next_run=store.next_run + 1)])
    now = time.time_ns() // 1000
    put(connection, TALLIES, [TallyRow(store.next_run, n_cells=0, n_done=0, hash_sum=0, updated=now)])
    empty = StoredRun(store.next_run, now, RunRecord(record.name, (), (), ()), ())
    return extend_run(connection, empty, record, (dict(record.versions),))


def extend_run(
    connection: Connection, run: StoredRun, record: RunRecord, environments: tuple[Mapping[str, str], ...]
) -> StoredRun:
    """Write what a record has beyond the stored one that it continues."""
    from tiebreak.stores.sql import rows

    number, old = run.number, run.record
    put(connection, MODELS, rows.model_rows(number, record)[len(old.models) :])
    put(connection, METRICS, rows.metric_rows(number, record)[len(old.metrics) :])
    known: list[DatasetRecord | None] = [*old.datasets, *([None] * (len(record.datasets) - len(old.datasets)))]
    for i, (dataset, stored) in enumerate(zip(record.datasets, known, strict=True)):
        put(connection, SPLITS, rows.split_rows(number, i, dataset, stored.n_splits if stored is not None else 0))
        if stored is None or (dataset.kind, dataset.ordered) != (stored.kind, stored.ordered):
            put(connection, DATASETS, [rows.dataset_row(number, i, dataset)])
    versions = [EnvironmentRow(number, i, to_json(each)) for i, each in enumerate(environments)]
    put(connection, ENVIRONMENTS, versions[len(run.environments) :])
    row = rows.run_row(number, run.created, record, len(environments))
    if row != rows.run_row(number, run.created, old, len(run.environments)):
        put(connection, RUNS, [row])
    return StoredRun(number, run.created, record, environments)


# --- deleting -------------------------------------------------------------------------------------------------------------

_PAGE = 2_000
_BEFORE_ALL = (-1, -1, -1)


def delete_run(database: Database, name: str) -> None:
    """Delete the cells page by page, the tally always saying what is left, and then the run; even a damaged one."""
    number = database.read(lambda connection: known_run(connection, name, even_damaged=True).id, name)
    while database.write(partial(_delete_page, number), name):
        pass
    database.write(partial(_delete_rest, number), name)


def _delete_page(number: int, connection: Connection) -> bool:
    """Delete a page of cells, and tell that there may be more to delete; damaged rows are left for the end."""
    tallies = fetch(connection, TALLIES, run=number)
    page = cells_after(connection, number, _BEFORE_ALL, _PAGE)
    if len(page) < _PAGE or len(tallies) != 1 or TALLIES.damaged(tallies) or CELLS.damaged(page):
        return False
    delete_cells(connection, CELLS, number, page[0].cell, page[-1].cell)
    delete_cells(connection, OUTPUTS, number, page[0].cell, page[-1].cell)
    tally = tallies[0]
    left = tally._replace(
        n_cells=tally.n_cells - len(page),
        n_done=tally.n_done - sum(STATES[row.state] == "done" for row in page),
        hash_sum=add_hashes(tally.hash_sum, removed=[row.hash for row in page]),
    )
    put(connection, TALLIES, [left])
    return True


def _delete_rest(number: int, connection: Connection) -> None:
    """Delete what is left of the run, unless another process did."""
    if not fetch(connection, RUNS, id=number):
        return
    for table in (*LISTS, TALLIES, CELLS, OUTPUTS, *SHARING, RUNS):
        delete(connection, table, (number,))
    store = store_row(connection)
    put(connection, STORE, [store._replace(n_runs=store.n_runs - 1)])
