"""The store in a SQLite file."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contracts.plans import a_dataset, a_failure, a_plan, all_cells, an_outcome, comparable
from tests.contracts.sql_store_contract import SqlStoreContract
from tests.stores.rows import schema_of
from tiebreak.errors import StoreError
from tiebreak.plan.record import Cell
from tiebreak.stores.sql import check as checking
from tiebreak.stores.sql import log as sql_log
from tiebreak.stores.sql import sqlite, writing
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import TABLES

HAS_MODES = os.name == "posix"


class TestSqliteStore(SqlStoreContract):
    """As every store in a database."""

    @pytest.fixture
    def source(self, path: Path) -> str:
        """Of a file that is not there yet."""
        return str(path)

    def tables_in(self, source: str) -> list[Any]:
        """All tables with their columns."""
        return schema_of(Path(source))


# --- the file -------------------------------------------------------------------------------------------------------------


def test_a_store_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays where it is when the working folder changes; its URL is as it was given."""
    monkeypatch.chdir(tmp_path)
    store = SqlStore("sqlite:///runs.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.open(a_plan())
    assert store.url == "sqlite:///runs.db"
    assert repr(store) == "SqlStore('sqlite:///runs.db')"
    assert (tmp_path / "runs.db").exists()
    assert SqlStore(tmp_path / "runs.db").url == f"sqlite:///{tmp_path / 'runs.db'}"
    store.close()


@pytest.mark.parametrize("name", ["a b.db", "ü%20#&.db", "it's.sqlite", "\U0001f600.sqlite3", *["a?b=c.db"] * HAS_MODES])
def test_file_names(tmp_path: Path, name: str) -> None:
    """Whatever means something in a URL means itself in a path."""
    store = SqlStore(tmp_path / name)
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(not HAS_MODES, reason="no file modes here")
@pytest.mark.parametrize("wal", [False, True])
def test_only_the_owner_may_read_it(path: Path, wal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0600 from the first moment, whatever the umask; so with the files that SQLite keeps beside it."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: wal)
    before = os.umask(0)
    try:
        store = SqlStore(path)
        store.open(a_plan()).write([an_outcome((0, 0, 0))])
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE tiebreak_store SET created = created + 1")  # so that a journal is there
            modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(modes) == ({"runs.db", "runs.db-wal", "runs.db-shm"} if wal else {"runs.db", "runs.db-journal"})
    assert set(modes.values()) == {0o600}
    store.close()


def test_commits_are_durable(store: SqlStore, path: Path) -> None:
    """synchronous = EXTRA (3) on every connection; on this SQLite's release, the journal that is safe with it."""
    store.open(a_plan())
    database = sqlite.SqliteDatabase(str(path))
    assert database.read(lambda connection: connection.execute("PRAGMA synchronous")) == [(3,)]
    mode = "wal" if sqlite.wal_is_safe(sqlite3.sqlite_version_info) else "delete"
    assert database.read(lambda connection: connection.execute("PRAGMA journal_mode")) == [(mode,)]
    database.close()


def test_numbers_are_stored_in_the_open(path: Path, store: SqlStore) -> None:
    """A user with sqlite3 and numpy can read what tiebreak wrote: float64 in the order of the metrics, .npy, JSON."""
    store.open(a_plan()).write([an_outcome((0, 0, 1), scores={"accuracy": 0.75}, warnings=("a",))])
    store.close()
    with sqlite3.connect(path) as connection:
        numbers, facts = connection.execute("SELECT numbers, facts FROM tiebreak_cells").fetchone()
        method, content = connection.execute("SELECT method, content FROM tiebreak_outputs").fetchone()
    connection.close()
    np.testing.assert_array_equal(np.frombuffer(numbers[:32], "<f8"), [1.1, 1e-3, 0.75, np.nan])
    assert numbers[32:] == b"\1\0"
    assert facts == '{"seed": 1099511627776, "outputs": [1, 288], "warnings": ["a"]}'
    assert method == '"predict_proba"'
    (path.parent / "a.npy").write_bytes(content)
    np.testing.assert_array_equal(np.load(path.parent / "a.npy", allow_pickle=False), np.full((10, 2), 1 / 7))


def test_tables(path: Path, store: SqlStore) -> None:
    """One for each kind of row."""
    store.open(a_plan())
    assert {row[2] for row in schema_of(path)} == {table.in_database for table in TABLES}


EVENTS: list[str] | None = None


def listen(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook; it cannot be taken off again, only be told not to listen."""
    if EVENTS is not None and event in {
        "import",
        "pickle.find_class",
        "marshal.loads",
        "exec",
        "os.system",
        "subprocess.Popen",
        "os.exec",
    }:
        EVENTS.append(f"{event} {arguments[0]}")


def test_a_store_is_not_believed(path: Path) -> None:
    """Opening and reading it runs nothing, unpickles nothing and imports nothing that it names."""
    global EVENTS
    sys.addaudithook(listen)
    hostile = ["antigravity", "os.system('true')", "cos\nsystem\n(S'true'\ntR.", "__import__('antigravity')", "this"]
    plan = a_plan(
        models=hostile, metrics=hostile, datasets=(a_dataset("antigravity", classes=tuple(hostile)),), versions={"this": "1"}
    )
    outcome = an_outcome((0, 0, 0), scores=dict.fromkeys(hostile, 0.5), outputs={name: np.ones(2) for name in hostile})
    try:
        for _ in range(2):  # what is imported on first use has been by the second time
            EVENTS = []
            store = SqlStore(path)
            store.open(plan).write([outcome])
            log = store.read("moons")
            assert len(list(log.outcomes(outputs=True))) == len(log.table().state) == len(store.runs()) == 1
            assert store.check() == []
            store.close()
        assert EVENTS == []
    finally:
        EVENTS = None
    assert "antigravity" not in sys.modules


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="nothing says here which files are open")
def test_connections_are_closed_with_the_store(path: Path) -> None:
    """As soon as neither it nor a log of it is used any more."""

    def is_open() -> bool:
        return path in [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]

    store = SqlStore(path)
    log = store.open(a_plan())
    del store
    gc.collect()
    log.write([an_outcome((0, 0, 0))])  # the log still holds what it needs
    assert is_open()
    del log
    gc.collect()
    assert not is_open()


# --- many cells, many writers ---------------------------------------------------------------------------------------------


def test_large_outputs_are_read_in_parts(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a table of predictions never has to be in memory as a whole."""
    plan = a_plan()
    log = store.open(plan)
    log.write([an_outcome(cell) for cell in all_cells(plan)[:7]])
    monkeypatch.setattr(sql_log, "MOST_BYTES", 500)
    monkeypatch.setattr(sql_log, "BLOCK", 5)
    assert [comparable(outcome) for outcome in log.outcomes(outputs=True)] == [
        comparable(an_outcome(cell)) for cell in all_cells(plan)[:7]
    ]


@pytest.mark.parametrize(("limit", "value"), [("MOST_CELLS", 5), ("MOST_BYTES", 300)])
def test_a_call_with_very_many(store: SqlStore, limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is kept in pieces, in order: those before the one that is refused stay."""
    monkeypatch.setattr(writing, limit, value)
    plan = a_plan()
    log = store.open(plan)
    cells = all_cells(plan)
    log.write([an_outcome(cells[11], accuracy=0.0)])
    with pytest.raises(ValueError, match=r"was measured before with 'accuracy' 0\.0, and now with 0\.75"):
        log.write([an_outcome(cell) for cell in cells])
    n_kept = sum(outcome.cell < cells[11] for outcome in log.outcomes())
    assert n_kept == (10 if limit == "MOST_CELLS" else 11)
    assert store.check() == []


def test_a_cell_that_comes_while_it_is_looked_for(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking for it and making sure that it is not there, another process writes it: it is there."""
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    read, calls = sql_log.read_block, []

    def read_and_write(*arguments: Any, **options: Any) -> Any:
        found = read(*arguments, **options)
        calls.append(found)
        if len(calls) == 1:
            log.write([an_outcome((0, 0, 1))])
        return found

    monkeypatch.setattr(sql_log, "read_block", read_and_write)
    assert [outcome.cell for outcome in log.outcomes([Cell(0, 0, 0), Cell(0, 0, 1), Cell(0, 0, 2)])] == [(0, 0, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    ("module", "step"), [(sqlite.SqliteDatabase, "write"), (checking, "scan_cells")], ids=["deletes", "checks"]
)
def test_a_run_that_another_process_deletes_meanwhile(
    store: SqlStore, path: Path, module: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who deletes it too succeeds; who checks the store finds nothing wrong."""
    store.open(a_plan()).write([a_failure((0, 0, 0))])
    store.open(a_plan("other"))
    others = iter([SqlStore(path)])
    take = getattr(module, step)

    def delete_and_take(*arguments: Any, **options: Any) -> Any:
        for other in others:
            other.delete("moons")
            other.close()
        return take(*arguments, **options)

    monkeypatch.setattr(module, step, delete_and_take)
    if module is sqlite.SqliteDatabase:
        store.delete("moons")
    assert store.check() == []
    assert [run.name for run in store.runs()] == ["other"]


def test_a_file_that_was_moved(store: SqlStore, path: Path) -> None:
    """What is written to a file without a name would be lost, so it is refused; a file put in its place is used."""
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    copy = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    with pytest.raises(StoreError) as error:
        log.write([an_outcome((0, 0, 1))])
    assert str(error.value) == (
        f"{path} was moved, deleted or replaced while it was in use. What was written before is kept, and nothing of this call. "
        "Put it back; the same command goes on where it stopped."
    )
    path.write_bytes(copy)
    log.write([an_outcome((0, 0, 1))])
    assert len(log.table().state) == 2
