"""The runs of a store: found, listed, loaded and verified; begun, added to and deleted.

Functions that need numpy import what does: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tiebreak.plan.record import STATES, RunRecord
from tiebreak.stores.damage import MISMATCH, Damage, Report, refuse
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.encoding import MALFORMED, from_json, require, text_from_json, to_json, unreadable_text
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
    MetricRow,
    RunRow,
    StoredTable,
    StoreRow,
    TallyRow,
    add_hashes,
    cell_of,
    out_of_range,
)

if TYPE_CHECKING:
    from tiebreak.plan.record import DatasetRecord, MetricRecord, ModelRecord
    from tiebreak.stores.contract import RunSummary
    from tiebreak.stores.sql.connection import Connection

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

Value = TypeVar("Value")
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
        if what := out_of_range(tallies[number]):
            refuse(Damage(run_name(row), _TALLY, what))
        summaries.append(_summary(row, tallies[number], metrics[number]))
    return sorted(summaries, key=lambda run: run.updated, reverse=True)


def all_runs(connection: Connection, report: Report = refuse) -> list[RunRow]:
    """Fetch the rows of all runs that are as they were written; what is wrong with the others is reported."""
    store, found = fetch(connection, STORE), fetch(connection, RUNS)
    if len(store) != 1 or STORE.damaged(store):
        report(Damage("", "the description of the store", MISMATCH))
    elif store[0].n_runs != len(found):
        report(Damage("", "the list of runs", f"there are {len(found)}, and {store[0].n_runs} were written"))
    elif what := out_of_range(store[0]):
        report(Damage("", "the description of the store", what))
    damaged = RUNS.damaged(found)
    whole = []
    for i, row in enumerate(found):
        what = MISMATCH if i in damaged else out_of_range(row)
        try:
            name = text_from_json(row.name)
        except MALFORMED as error:  # which others may not have
            name, what = "", what or unreadable_text(error)
        if what:
            report(Damage(name, "the description of the run", what))
        else:
            whole.append(row)
    return whole


def run_name(row: RunRow) -> str:
    """Name in a row of `RUNS`; "" where it cannot be read any more."""
    try:
        return text_from_json(row.name)
    except MALFORMED:
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
    from tiebreak.stores.contract import RunSummary

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
        metrics=tuple(_metric_name(run, metric) for metric in metrics),
    )


def _metric_name(run: RunRow, metric: MetricRow) -> str:
    try:
        return text_from_json(metric.name)
    except MALFORMED as error:
        refuse(Damage(run_name(run), _LIST[METRICS.name], f"row {metric.position}: {unreadable_text(error)}"))
        raise


# --- finding and loading --------------------------------------------------------------------------------------------------


def store_row(connection: Connection) -> StoreRow:
    """Fetch the one row of `STORE`."""
    found = fetch(connection, STORE)
    if len(found) != 1 or STORE.damaged(found):
        refuse(Damage("", "the description of the store", MISMATCH))
    if what := out_of_range(found[0]):
        refuse(Damage("", "the description of the store", what))
    return found[0]


def find_run(connection: Connection, name: str, *, even_damaged: bool = False) -> RunRow | None:
    """Find the row of a run; None if there is none of that name, and certainly none."""
    text = to_json(name)
    for row in fetch(connection, RUNS):
        if row.name == text:
            if not even_damaged and (what := MISMATCH if RUNS.damaged([row]) else out_of_range(row)):
                refuse(Damage(name, "the description of the run", what))
            return row
    all_runs(connection)  # its row, or its name, may be damaged
    return None


def known_run(connection: Connection, name: str, *, even_damaged: bool = False) -> RunRow:
    """Find the row of a run; raises `UnknownNameError` if there is none of that name."""
    row = find_run(connection, name, even_damaged=even_damaged)
    if row is None:
        from tiebreak.scores.vocabulary import look_up

        look_up(name, [run_name(each) for each in all_runs(connection)], "run")
    return cast("RunRow", row)


def read_run(name: str, connection: Connection) -> StoredRun:
    """Find and load a run; raises `UnknownNameError` if there is none of that name."""
    return cast("StoredRun", load_run(connection, known_run(connection, name)))


def load_run(connection: Connection, row: RunRow, report: Report = refuse) -> StoredRun | None:
    """Load all that belongs to a run but its cells; None where damage was reported."""
    from tiebreak.stores.sql import rows

    name = run_name(row)
    damages: list[Damage] = []

    def load(table: StoredTable[Any], read: Callable[[Any], Value]) -> list[Value]:
        found = fetch(connection, table, run=row.id)
        wrong = _miscount(found, getattr(row, f"n_{table.name}")) or _misplaced(table, found)
        damages.extend(Damage(name, _LIST[table.name], what) for what in wrong)
        return rows.read_list(table, found, name, read, damages.append)

    splits = load(SPLITS, rows.split_record)
    of = {number: list(group) for number, group in groupby(splits, key=lambda split: split[0].dataset)}
    models, metrics = load(MODELS, rows.model_record), load(METRICS, rows.metric_record)
    datasets = load(DATASETS, lambda each: rows.dataset_record(each, of.get(each.position, [])))
    environments = tuple(load(ENVIRONMENTS, rows.versions_record))
    try:
        record = _record(row, models, datasets, metrics, environments) if not damages else None
    except MALFORMED as error:
        damages.append(Damage(name, "the description of the run", unreadable_text(error)))
    for damage in damages:
        report(damage)
    return None if damages or record is None else StoredRun(row.id, row.created, record, environments)


def _misplaced(table: StoredTable[Any], found: Sequence[Any]) -> list[str]:
    """Find a row that is not in its place, counted from 0: of a run, or among the splits of its dataset."""
    groups = groupby(found, key=lambda row: row.dataset if table is SPLITS else 0)
    rows = [(row.position, place) for _, group in groups for place, row in enumerate(group)]
    return [f"row {place} has the place {position}" for position, place in rows if position != place][:1]


def _record(
    row: RunRow,
    models: Sequence[ModelRecord],
    datasets: Sequence[DatasetRecord],
    metrics: Sequence[MetricRecord],
    environments: Sequence[Mapping[str, str]],
) -> RunRecord:
    """Put the description of a run together; raises one of `MALFORMED` for one that no store has."""
    from tiebreak.stores.plan_mapping import check_record

    rng, threads, settings = from_json(row.rng), from_json(row.threads), from_json(row.settings)
    require(rng is None or type(rng) is int, "a seed that is no number")
    require(threads is None or (type(threads) is int and 0 < threads < 2**20), "threads that are no number")
    require(isinstance(settings, dict), "settings that have no names")
    require(bool(environments), "no versions")
    record = RunRecord(
        text_from_json(row.name), tuple(models), tuple(datasets), tuple(metrics), rng, threads, environments[-1], settings
    )
    require(sum(dataset.n_splits for dataset in datasets) == row.n_splits, "splits of no dataset")
    check_record(record)
    return record


# --- writing --------------------------------------------------------------------------------------------------------------


def open_run(record: RunRecord, accept_versions: bool, connection: Connection) -> tuple[StoredRun, int]:
    """Begin a run, or add to the stored one of that name what the record has beyond it.

    Returns the stored run, and the position of the versions at work among those that it was made with.
    """
    from tiebreak.stores.plan_mapping import environment_of, merge_records

    row = find_run(connection, record.name)
    if row is not None:
        run = cast("StoredRun", load_run(connection, row))
        merged = merge_records(run.record, record)
        environment = environment_of(record.name, run.environments, record.versions, accept_versions)
        environments = run.environments if environment < len(run.environments) else (*run.environments, dict(record.versions))
        return _extend_run(connection, run, merged, environments), environment
    [store] = fetch(connection, STORE)  # which was verified on looking for the run
    if fetch(connection, RUNS, id=store.next_run):
        refuse(Damage("", "the description of the store", f"the number of the next run, {store.next_run}, is that of another"))
    put(connection, STORE, [store._replace(n_runs=store.n_runs + 1, next_run=store.next_run + 1)])
    now = time.time_ns() // 1000
    put(connection, TALLIES, [TallyRow(store.next_run, n_cells=0, n_done=0, hash_sum=0, updated=now)])
    empty = StoredRun(store.next_run, now, RunRecord(record.name, (), (), ()), ())
    return _extend_run(connection, empty, record, (dict(record.versions),)), 0


def _extend_run(
    connection: Connection, run: StoredRun, record: RunRecord, environments: tuple[Mapping[str, str], ...]
) -> StoredRun:
    """Write what a record has beyond the stored one that it continues."""
    from tiebreak.stores.sql import rows

    number, old = run.number, run.record
    row, models, metrics, versions = rows.run_rows(number, run.created, record, environments)
    put(connection, MODELS, models[len(old.models) :])
    put(connection, METRICS, metrics[len(old.metrics) :])
    for i, dataset in enumerate(record.datasets):
        stored = old.datasets[i] if i < len(old.datasets) else None
        dataset_row, splits = rows.dataset_rows(number, i, dataset, 0 if stored is None else stored.n_splits)
        put(connection, SPLITS, splits)
        if stored is None or (dataset.kind, dataset.ordered) != (stored.kind, stored.ordered):
            put(connection, DATASETS, [dataset_row])
    put(connection, ENVIRONMENTS, versions[len(run.environments) :])
    if RUNS.seal([row]) != fetch(connection, RUNS, id=number):
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
    delete_cells(connection, CELLS, number, cell_of(page[0]), cell_of(page[-1]))
    delete_cells(connection, OUTPUTS, number, cell_of(page[0]), cell_of(page[-1]))
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
