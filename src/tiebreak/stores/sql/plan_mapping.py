"""Runs as they are stored: found, read and verified; begun and added to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tiebreak.plan.record import RunRecord
from tiebreak.scores.scores import look_up
from tiebreak.stores.contract import MISMATCH, Damage, Report, refuse
from tiebreak.stores.sql import rows
from tiebreak.stores.sql.encoding import from_json, to_json
from tiebreak.stores.sql.runs import run_name, whole_runs
from tiebreak.stores.sql.statements import delete, fetch, put
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
    Layout,
    Row,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

_COUNT = {layout.name: RUNS.columns.index(f"n_{layout.name}") for layout in LISTS}
_LIST = {layout.name: f"the list of {layout.name}" for layout in LISTS} | {ENVIRONMENTS.name: "the list of versions"}
_NAME = RUNS.columns.index("name")


@dataclass(frozen=True, slots=True, eq=False)
class StoredRun:
    """A run as it is stored: the number that its rows carry, when it was begun (microseconds since 1970), and its plan."""

    number: int
    created: int
    record: RunRecord
    environments: tuple[Mapping[str, str], ...]


# --- reading --------------------------------------------------------------------------------------------------------------


def all_runs(connection: Connection, report: Report = refuse) -> list[Row]:
    """The rows of all runs that are as they were written; what is wrong with the others is reported."""
    return whole_runs(fetch(connection, STORE), fetch(connection, RUNS), report)


def store_row(connection: Connection) -> Row:
    """The one row of `STORE`."""
    found = fetch(connection, STORE)
    if len(found) != 1 or STORE.damaged(found):
        refuse(Damage("", "the description of the store", MISMATCH))
    return found[0]


def find_run(connection: Connection, name: str, *, even_damaged: bool = False) -> Row | None:
    """The row of a run; None if there is none of that name, and certainly none."""
    text = to_json(name)
    for row in fetch(connection, RUNS):
        if row[_NAME] == text:
            if not even_damaged and RUNS.damaged([row]):
                refuse(Damage(name, "the description of the run", MISMATCH))
            return row
    all_runs(connection)  # its row, or its name, may be damaged
    return None


def known_run(connection: Connection, name: str, *, even_damaged: bool = False) -> Row:
    """The row of a run; raises `UnknownNameError` if there is none of that name."""
    row = find_run(connection, name, even_damaged=even_damaged)
    if row is None:
        look_up(name, [run_name(each) for each in all_runs(connection)], "run")
    return cast("Row", row)


def list_damages(connection: Connection, row: Row) -> list[Damage]:
    """What is wrong with the lists of models, datasets, splits, metrics and versions of a run."""
    damages = []
    for layout in LISTS:
        for what in _damages(layout, fetch(connection, layout, run=row[0]), row):
            damages.append(Damage(run_name(row), _LIST[layout.name], what))
    return damages


def load_run(connection: Connection, row: Row) -> StoredRun:
    """All that belongs to a run but its cells."""
    name = run_name(row)
    lists = {layout.name: fetch(connection, layout, run=row[0]) for layout in LISTS}
    for layout in LISTS:
        for what in _damages(layout, lists[layout.name], row):
            refuse(Damage(name, _LIST[layout.name], what))
    environments = tuple(from_json(each[2]) for each in lists[ENVIRONMENTS.name])
    record = RunRecord(
        name=name,
        models=rows.read_models(lists[MODELS.name]),
        datasets=rows.read_datasets(lists[DATASETS.name], lists[SPLITS.name]),
        metrics=rows.read_metrics(lists[METRICS.name]),
        rng=from_json(row[_NAME + 1]),
        threads=from_json(row[_NAME + 2]),
        versions=environments[-1],
        settings=from_json(row[_NAME + 3]),
    )
    return StoredRun(row[0], row[1], record, environments)


def load_metrics(connection: Connection, number: int) -> list[str]:
    """The names of all metrics that a run has by now."""
    return [metric.name for metric in rows.read_metrics(fetch(connection, METRICS, run=number))]


def _damages(layout: Layout, found: Sequence[Row], run: Row) -> list[str]:
    expected = run[_COUNT[layout.name]]
    missing = [f"{len(found)} are there, and {expected} were written"] if len(found) != expected else []
    return [*missing, *(f"the hash of its row {i} does not match" for i in layout.damaged(found))]


# --- writing --------------------------------------------------------------------------------------------------------------


def begin_run(connection: Connection, record: RunRecord) -> StoredRun:
    """A new run."""
    _, schema, made, n_runs, number, by = store_row(connection)[:6]
    put(connection, STORE, [(1, schema, made, n_runs + 1, number + 1, by)])
    now = time.time_ns() // 1000
    put(connection, TALLIES, [(number, 0, 0, 0, now)])
    empty = RunRecord(record.name, (), (), ())
    run = StoredRun(number, now, empty, ())
    return extend_run(connection, run, record, (dict(record.versions),))


def extend_run(
    connection: Connection, run: StoredRun, record: RunRecord, environments: tuple[Mapping[str, str], ...]
) -> StoredRun:
    """Write what a record has beyond the stored one that it continues."""
    number, old = run.number, run.record
    put(connection, MODELS, rows.model_rows(number, record)[len(old.models) :])
    put(connection, METRICS, rows.metric_rows(number, record)[len(old.metrics) :])
    put(connection, SPLITS, rows.split_rows(number, record, [dataset.n_splits for dataset in old.datasets]))
    changed = [
        i
        for i, dataset in enumerate(record.datasets)
        if i >= len(old.datasets) or (dataset.kind, dataset.ordered) != (old.datasets[i].kind, old.datasets[i].ordered)
    ]
    put(connection, DATASETS, rows.dataset_rows(number, record, changed))
    versions = [(number, i, to_json(each)) for i, each in enumerate(environments)]
    put(connection, ENVIRONMENTS, versions[len(run.environments) :])
    row = rows.run_row(number, run.created, record, len(environments))
    if row != rows.run_row(number, run.created, old, len(run.environments)):
        put(connection, RUNS, [row])
    return StoredRun(number, run.created, record, environments)


def forget_rows(connection: Connection, number: int) -> None:
    """Delete everything of a run but its row in `RUNS`."""
    for layout in (*LISTS, TALLIES, CELLS, OUTPUTS, *SHARING):
        delete(connection, layout, run=number)
