"""Damage in a store's file: every changed row is reported, none is served as if it were right."""

from __future__ import annotations

import dataclasses
import os
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contracts.plans import a_dataset, a_failure, a_plan, all_cells, an_outcome, comparable, comparable_record
from tests.stores.rows import put_lease, put_rows, rows_in
from tests.stores.sql.conftest import change
from tiebreak.errors import DamagedStoreError, StoreError, TiebreakError, UnknownNameError
from tiebreak.plan.record import Cell
from tiebreak.stores.contract import RunLog
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql import log as sql_log
from tiebreak.stores.sql.sqlite import SqliteDatabase
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import (
    CELLS,
    LISTS,
    OUTPUTS,
    RUNS,
    SHARING,
    STORE,
    TABLES,
    TALLIES,
    StoredTable,
)

N_FLIPS = int(os.environ.get("TIEBREAK_BIT_FLIPS", "150"))
REMEDY = "Put a copy of the store in its place, or delete the run and measure it again."


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store with two runs, all that a cell can have among their cells, and a run that was deleted."""
    path = tmp_path_factory.mktemp("written") / "runs.db"
    store = SqlStore(path)
    plan = a_plan(datasets=(a_dataset("iris"), a_dataset("wine", keys=[(0, 0)])))
    log = store.open(plan)
    cells = all_cells(plan)
    log.write([an_outcome(cell, train_scores={"accuracy": 1.0}, warnings=("ConvergenceWarning: no",)) for cell in cells[:9]])
    log.write([a_failure(cells[9]), an_outcome(cells[10], scores={"accuracy": np.nan}, undefined={"accuracy": "one class"})])
    store.open(a_plan("gone")).write([an_outcome((0, 0, 0))])
    store.delete("gone")
    other = store.open(a_plan("other", models=[f"m{i}" for i in range(4)]))
    other.write([an_outcome(cell, outputs={"predict": np.arange(10) % 2}) for cell in all_cells(other.record)])
    store.close()
    put_lease(SqliteDatabase(str(path)), 1, *((0, 3, model) for model in range(3)))
    put_lease(SqliteDatabase(str(path)), 3)
    return path.read_bytes()


@pytest.fixture
def path(written: bytes, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "runs.db"
    copy.write_bytes(written)
    return copy


def read_log(log: RunLog) -> tuple[Any, ...]:
    """Everything that a log says."""
    table = log.table()
    columns = tuple(getattr(table, field.name).tobytes() for field in dataclasses.fields(table))
    some = [comparable(outcome) for outcome in log.outcomes([Cell(0, 1, 1), Cell(0, 0, 2)])]
    return (
        comparable_record(log.record),
        columns,
        [comparable(outcome) for outcome in log.outcomes(outputs=True)],
        some,
        log.environments,
    )


def read_all(path: Path) -> dict[str, Any]:
    """What every way of reading says, or the error that it raises."""
    store = SqlStore(path)
    answers: dict[str, Any] = {}
    for name, ask in {
        "runs": store.runs,
        "moons": lambda: read_log(store.read("moons")),
        "other": lambda: read_log(store.read("other")),
    }.items():
        try:
            answers[name] = ask()
        except (DamagedStoreError, StoreError) as error:
            answers[name] = error
    answers["check"] = store.check()
    store.close()
    return answers


def raw_rows(path: Path) -> Any:
    """All rows as Python's own sqlite3 reads them; None where it cannot."""
    connection = sqlite3.connect(path)
    try:
        return [
            sorted(connection.execute(f"SELECT * FROM {table.in_database}"), key=lambda row: row[: table.n_keys])
            for table in TABLES
        ]
    except (sqlite3.Error, TypeError, UnicodeError):
        return None
    finally:
        connection.close()


@pytest.mark.slow
def test_flipped_bits(written: bytes, path: Path) -> None:
    """Single bits at random: what still comes without an error is what was written, and whatever changed is reported.

    TIEBREAK_BIT_FLIPS=1000 for more of them. Python's sqlite3, reading row by row, is the judge of what changed.
    """
    right, rows = read_all(path), raw_rows(path)
    assert right["check"] == []
    assert rows is not None
    rng = np.random.default_rng(11)
    counts: Counter[str] = Counter()
    for turn, flip in enumerate(rng.choice(8 * len(written), N_FLIPS, replace=False)):
        damaged = bytearray(written)
        damaged[flip // 8] ^= 1 << (flip % 8)
        path.write_bytes(damaged)
        is_changed = raw_rows(path) != rows
        path.write_bytes(damaged)
        answers = read_all(path)
        errors = {name for name, answer in answers.items() if isinstance(answer, Exception)}
        for name in {"runs", "moons", "other"} - errors:
            assert answers[name] == right[name], f"bit {flip}: {name} says something else"
        is_reported = bool(errors or answers["check"])
        assert is_reported or not is_changed, f"bit {flip} changed a row, and nothing says so"
        assert not errors or answers["check"], f"bit {flip}: an error that check() does not report"
        counts["changed" if is_changed else "reported all the same" if is_reported else "without effect"] += 1
        if turn % 5 == 0:
            write_somehow(path)
    print(f"{N_FLIPS} flips in {len(written)} bytes: {dict(counts)}")
    assert counts["changed"] > N_FLIPS / 10


def write_somehow(path: Path) -> None:
    """Going on with a damaged store works or is refused, and does not end in an error of SQLite's."""
    store = SqlStore(path)
    try:
        log = store.open(a_plan("other", models=[f"m{i}" for i in range(4)]))
        log.write([an_outcome((0, 0, 0)), an_outcome((0, 3, 3))])
        store.open(a_plan("new")).write([an_outcome((0, 0, 0))])
    except TiebreakError:
        pass
    finally:
        store.close()


COLUMNS = [pytest.param(table, name, id=f"{table.name}-{name}") for table in TABLES for name in table.columns]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_changed_value(path: Path, table: StoredTable[Any], column: str) -> None:
    """Whatever column it is in, the check reports it, and reading the run (or the list of runs) is refused.

    Only what is no part of the results, the leases, is in nobody's way.
    """
    with sqlite3.connect(path) as connection:
        where = f"WHERE ({', '.join(table.keys)}) = (SELECT {', '.join(table.keys)} FROM {table.in_database} LIMIT 1)"
        (value,) = connection.execute(f"SELECT {column} FROM {table.in_database} {where}").fetchone()
        changed = (
            value + 40
            if isinstance(value, int)
            else "x"
            if value is None
            else value[:-1] + (b"x" if isinstance(value, bytes) else "x")
        )
        connection.execute(f"UPDATE {table.in_database} SET {column} = ? {where}", (changed,))
    connection.close()
    answers = read_all(path)
    assert answers["check"]
    if table in SHARING:
        assert [damage.where for damage in answers["check"]] == [f"the list of {table.name}"]
        assert not any(isinstance(answer, Exception) for answer in answers.values())
        return
    refused = answers["runs"] if table in (STORE, RUNS, TALLIES) else answers["moons"]
    assert isinstance(refused, (DamagedStoreError, StoreError))


@pytest.mark.parametrize("table", [STORE, RUNS, *LISTS, TALLIES, CELLS, OUTPUTS], ids=lambda table: table.name)
def test_a_row_that_is_gone(path: Path, table: StoredTable[Any]) -> None:
    """Rows are counted, so that the loss of one is noticed."""
    with sqlite3.connect(path) as connection:
        where = f"WHERE ({', '.join(table.keys)}) = (SELECT {', '.join(table.keys)} FROM {table.in_database} LIMIT 1)"
        assert connection.execute(f"DELETE FROM {table.in_database} {where}").rowcount == 1
    connection.close()
    answers = read_all(path)
    assert answers["check"]
    assert isinstance(answers["runs" if table in (STORE, RUNS, TALLIES) else "moons"], DamagedStoreError)


@pytest.mark.parametrize("table", SHARING, ids=lambda table: table.name)
def test_leases_that_are_gone(path: Path, table: StoredTable[Any]) -> None:
    """They come and go, so nobody misses them."""
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"DELETE FROM {table.in_database}").rowcount > 1
    connection.close()
    answers = read_all(path)
    assert answers["check"] == []
    assert not any(isinstance(answer, Exception) for answer in answers.values())


def test_leases_go_with_their_run(path: Path) -> None:
    """Those of the other run stay."""
    store = SqlStore(path)
    store.delete("moons")
    store.close()
    with sqlite3.connect(path) as connection:
        runs = [connection.execute(f"SELECT DISTINCT run FROM {table.in_database}").fetchall() for table in SHARING]
    connection.close()
    assert runs == [[(3,)], []]


@pytest.mark.parametrize("table", [*LISTS, CELLS, OUTPUTS], ids=lambda table: table.name)
def test_a_row_of_another_run(path: Path, table: StoredTable[Any]) -> None:
    """A row is bound to its place: one that was copied with its hash does not pass for another."""
    others = ", ".join(name for name in table.columns if name not in table.keys)
    with sqlite3.connect(path) as connection:
        first = connection.execute(f"SELECT {', '.join(table.keys)} FROM {table.in_database} WHERE run = 1 LIMIT 1").fetchone()
        second = connection.execute(f"SELECT {others} FROM {table.in_database} WHERE run = 3 LIMIT 1").fetchone()
        names = others.split(", ")
        where = " AND ".join(f"{name} = ?" for name in table.keys)
        changes = ", ".join(f"{name} = ?" for name in names)
        connection.execute(f"UPDATE {table.in_database} SET {changes} WHERE {where}", (*second, *first))
    connection.close()
    assert isinstance(read_all(path)["moons"], DamagedStoreError)


def test_a_damaged_cell_is_named(path: Path) -> None:
    """By run, model, split and dataset, with what to do; the other run is none the worse."""
    change(path, "UPDATE tiebreak_cells SET state = 4 WHERE run = 1 AND dataset = 0 AND split = 3 AND model = 0")
    store = SqlStore(path)
    text = (
        "run 'moons': the cell of model 'svm' on repeat 1 fold 1 of dataset 'iris' is not what was written: its hash does not "
        f"match. {REMEDY}"
    )
    log = store.read("moons")
    for use in (
        log.table,
        lambda: list(log.outcomes()),
        lambda: list(log.outcomes([Cell(0, 3, 0)])),
        lambda: log.write([an_outcome((0, 3, 0))]),
    ):
        with pytest.raises(DamagedStoreError) as error:
            use()
        assert str(error.value) == text
    where = "the cell of model 'svm' on repeat 1 fold 1 of dataset 'iris'"
    assert store.check() == [Damage("moons", where, "its hash does not match")]
    assert len(store.read("other").table().state) == 16
    store.close()


def test_a_lost_cell_is_noticed_by_those_who_ask_for_it(path: Path) -> None:
    """And by those who read all; who asks for others only is not disturbed."""
    change(path, "DELETE FROM tiebreak_cells WHERE run = 1 AND dataset = 0 AND split = 2 AND model = 0")
    store = SqlStore(path)
    log = store.read("moons")
    text = f"run 'moons': the list of cells is not what was written: 10 are there, and 11 were written. {REMEDY}"
    for use in (log.table, lambda: list(log.outcomes()), lambda: list(log.outcomes([Cell(0, 2, 0)]))):
        with pytest.raises(DamagedStoreError) as error:
            use()
        assert str(error.value) == text
    assert [outcome.cell for outcome in log.outcomes([Cell(0, 0, 0)])] == [(0, 0, 0)]
    assert store.check() == [Damage("moons", "the list of cells", "10 are there, and 11 were written")]
    store.close()


def test_a_lost_output_is_noticed(path: Path) -> None:
    """The cell says how many it has; the scores can still be read."""
    change(path, "DELETE FROM tiebreak_outputs WHERE run = 1 AND dataset = 0 AND split = 0 AND model = 1")
    store = SqlStore(path)
    log = store.read("moons")
    with pytest.raises(DamagedStoreError) as error:
        list(log.outcomes(outputs=True))
    where = "the outputs of the cell of model 'forest' on repeat 0 fold 0 of dataset 'iris'"
    what = "0 are there, and 1 were written"
    assert str(error.value) == f"run 'moons': {where} is not what was written: {what}. {REMEDY}"
    assert len(list(log.outcomes())) == 11
    assert store.check() == [Damage("moons", where, what)]
    store.close()


def test_a_cell_that_is_counted_and_not_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a page of the file leads to the wrong place."""
    store = SqlStore(path)
    log = store.read("moons")
    monkeypatch.setattr(sql_log, "read_block", lambda *arguments, **options: {})
    with pytest.raises(DamagedStoreError, match="the cell of model 'svm' on repeat 0 fold 0 of dataset 'iris' is not what was"):
        list(log.outcomes())
    store.close()


def test_damaged_versions(path: Path) -> None:
    """Noticed by a log that was opened before."""
    store = SqlStore(path)
    log = store.read("moons")
    change(path, "UPDATE tiebreak_environments SET versions = '{}' WHERE run = 1")
    with pytest.raises(
        DamagedStoreError, match="run 'moons': the list of versions is not what was written: the hash of its row 0"
    ):
        print(log.environments)
    store.close()


def test_an_exchanged_tally_is_noticed(path: Path) -> None:
    """As many cells, but others: the sum of the hashes tells."""
    with sqlite3.connect(path) as connection:
        (first, second) = connection.execute(
            "SELECT facts, hash FROM tiebreak_cells WHERE run = 1 AND model < 2 LIMIT 2"
        ).fetchall()
        assert first != second
    connection.close()
    tally = next(tally for tally in rows_in(path, TALLIES) if tally.run == 1)
    put_rows(SqliteDatabase(str(path)), TALLIES, [tally._replace(hash_sum=tally.hash_sum + 1)])
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError, match="the list of cells is not what was written: these are not the ones that were"):
        store.read("moons").table()
    store.close()


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "UPDATE tiebreak_models SET written_as = '\"x\"' WHERE run = 1 AND position = 1",
            f"run 'moons': the list of models is not what was written: the hash of its row 1 does not match. {REMEDY}",
        ),
        (
            "DELETE FROM tiebreak_splits WHERE run = 1 AND dataset = 0 AND position = 1",
            f"run 'moons': the list of splits is not what was written: 4 are there, and 5 were written. {REMEDY}",
        ),
        (
            "DELETE FROM tiebreak_tallies WHERE run = 1",
            f"run 'moons': the tally of the cells is not what was written: it is gone. {REMEDY}",
        ),
        (
            "UPDATE tiebreak_runs SET rng = '1' WHERE id = 1",
            f"run 'moons': the description of the run is not what was written: its hash does not match. {REMEDY}",
        ),
    ],
)
def test_damage_is_named(path: Path, statement: str, text: str) -> None:
    """By the list that it is in; a damaged run can be deleted, and the store is whole again."""
    change(path, statement)
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError) as error:
        store.read("moons").table()
    assert str(error.value) == text
    assert store.check()
    store.delete("moons")
    assert store.check() == []
    assert [run.name for run in store.runs()] == ["other"]
    store.close()


def test_a_damaged_name_is_not_an_unknown_one(path: Path) -> None:
    """A run that is not found because its name is damaged is not said to be unknown, nor begun anew."""
    change(path, "UPDATE tiebreak_runs SET name = '\"mooms\"' WHERE id = 1")
    store = SqlStore(path)
    for use in (lambda: store.read("moons"), lambda: store.open(a_plan())):
        with pytest.raises(DamagedStoreError):
            use()
    assert len(list(store.read("other").outcomes())) == 16
    with pytest.raises(DamagedStoreError):
        store.read("another")
    store.close()


def test_a_torn_file(written: bytes, path: Path) -> None:
    """Cut off anywhere: refused with path and run, or as no database, and reported."""
    for size in (100, 4096, len(written) // 2, len(written) - 4096):
        path.write_bytes(written[:size])
        answers = read_all(path)
        assert answers["check"]
        errors = [answers[name] for name in ("runs", "moons", "other")]
        assert any(isinstance(error, Exception) for error in errors)
        assert all(str(path) in str(error) or "run '" in str(error) for error in errors if isinstance(error, Exception))


def test_what_sqlite_says_of_damage_is_passed_on(written: bytes, path: Path) -> None:
    """With the file, the run and what to do; the error of SQLite is its cause."""
    path.write_bytes(written[: len(written) // 2])
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError) as error:
        read_log(store.read("other"))
    assert str(error.value) == (
        f"run 'other': {path} is not as it was written: SQLite says 'database disk image is malformed'. Put a copy of the store "
        "in its place, or delete the run (if that fails, the file) and measure it again."
    )
    assert isinstance(error.value.__cause__, sqlite3.DatabaseError)
    store.close()


def test_an_unknown_name_in_a_healthy_store_is_unknown(path: Path) -> None:
    """The check of all runs finds nothing."""
    store = SqlStore(path)
    with pytest.raises(UnknownNameError):
        store.read("another")
    store.close()
