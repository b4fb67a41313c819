"""What is peculiar to files: how they are made and locked, and what goes wrong with them."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome, executed
from tests.guarded import told, umask
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores import sqlite
from tiebreak.stores.contract import NoStoreError
from tiebreak.stores.sql import SqlStore
from tiebreak.stores.sqlite import SqliteDatabase

KEPT = "What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped."


# --- the file -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sqlite:///runs", "a b.db", "\u00fc%20&.db", "it's.sqlite", "\U0001f600.sqlite"])
def test_file_names(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever means something in a URL means itself in a path; the file stays where it is when the working folder changes."""
    folder = tmp_path / "a?b#c"
    folder.mkdir()
    monkeypatch.chdir(folder)
    store = SqlStore(name)
    monkeypatch.chdir(tmp_path)
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.close()
    assert [entry.name for entry in folder.iterdir()] == [name.removeprefix("sqlite:///")]


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
def test_only_the_owner_may_read_it(path: Path) -> None:
    """Mode 0600 from the first moment, whatever the umask; so with the journal that SQLite keeps beside it."""
    with umask(0):
        store = SqlStore(path)
        store.open(a_plan()).write([an_outcome((0, 0, 0))])
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE tiebreak_store SET schema = schema + 1")  # so that a journal is there
            modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    assert modes == {"runs.db": 0o600, "runs.db-journal": 0o600}
    store.close()


def test_commits_are_durable(store: SqlStore) -> None:
    """synchronous = EXTRA (3), and a journal that is deleted, on every connection, new ones and those that are used again."""
    store.open(a_plan())
    for _ in range(2):
        for pragma, value in (("synchronous", 3), ("journal_mode", "delete")):
            assert executed(store, f"PRAGMA {pragma}") == [(value,)]
        store.close()


# --- locks ----------------------------------------------------------------------------------------------------------------


def test_a_file_that_is_locked(store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer is waited for, and after half a minute that is an error; readers go on."""
    log = store.open(a_plan())
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, other.execute, ["COMMIT"])
        timer.start()
        log.write([an_outcome((0, 0, 0))])
        timer.join()
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
        said = told(StoreError, log.write, [an_outcome((0, 0, 1))])
        assert len(log.table().state) == 1
    assert said == (
        f"{path} is locked: another process has been writing to it for more than 0.1 seconds. {KEPT} Wait for that process or "
        f"stop it; {AGAIN}"
    )


def test_many_make_a_file_at_once(path: Path) -> None:
    """Eight threads with stores of their own: whoever is first makes the tables."""
    gate = threading.Barrier(8)

    def begin(i: int) -> None:
        with closing(SqlStore(path)) as store:
            gate.wait()
            store.open(a_plan(f"run {i % 4}")).write([an_outcome((0, 0, 0))])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(begin, range(8)))
    with closing(SqlStore(path)) as store:
        assert sorted(run.name for run in store.runs()) == [f"run {i}" for i in range(4)]
        assert store.check() == []


# --- what is in the way ---------------------------------------------------------------------------------------------------


def test_a_store_that_is_not_there(store: SqlStore, path: Path) -> None:
    """Looking makes none; an empty file is none yet."""
    text = f"there is no store {path}. Check the path; a file is made when something is evaluated into it."
    for use in (store.runs, lambda: store.read("moons"), lambda: store.delete("moons"), store.check):
        assert told(NoStoreError, use) == text
    assert not path.exists()
    path.touch()
    with pytest.raises(NoStoreError):
        store.runs()
    store.open(a_plan())
    assert [run.name for run in store.runs()] == ["moons"]


def test_obstacles(tmp_path: Path) -> None:
    """A folder that is not there, one in the place of the file, links to nothing or to themselves: for who reads or writes."""
    folder, dangling, loop = (tmp_path / f"{name}.db" for name in ("folder", "dangling", "loop"))
    folder.mkdir()
    dangling.symlink_to(tmp_path / "none.db")
    loop.symlink_to(loop)
    nowhere = "it is a link that leads nowhere, or to itself"
    assert told(StoreError, SqlStore(tmp_path / "none" / "runs.db").open, a_plan()) == (
        f"{tmp_path / 'none' / 'runs.db'} cannot be opened or written: there is no folder '{tmp_path / 'none'}'. Put that right, "
        "or name another store."
    )
    for path, obstacle in ((folder, "it is a folder"), (dangling, nowhere), (loop, nowhere)):
        for use in (SqlStore(path).runs, partial(SqlStore(path).open, a_plan())):
            assert f"{path} cannot be opened or written: {obstacle}. " in told(StoreError, use)


def test_a_file_that_was_moved(store: SqlStore, path: Path) -> None:
    """What is written to a file without a name would be lost, so it is refused; a file put in its place is used."""
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    copy = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    assert told(StoreError, lambda: log.write([an_outcome((0, 0, 1))])) == (
        f"{path} was moved, deleted or replaced while it was in use. {KEPT} Put it back; the same command goes "
        "on where it stopped."
    )
    path.write_bytes(copy)
    log.write([an_outcome((0, 0, 1))])
    assert len(log.table().state) == 2
    path.write_bytes(b"")
    assert "is not as it was written: SQLite says 'no such table" in told(DamagedStoreError, log.table)


def test_a_full_disk(store: SqlStore, path: Path) -> None:
    """Here by SQLite's own limit of pages: nothing of the call is kept, and with room the same call goes on."""
    plan = a_plan()
    log = store.open(plan)
    log.write([an_outcome((0, 0, 0))])
    [(pages,)] = executed(store, "PRAGMA page_count")
    executed(store, f"PRAGMA max_page_count = {pages}")
    outcomes = [an_outcome(cell, traceback="x" * 10_000) for cell in all_cells(plan)[1:]]
    assert told(StoreError, log.write, outcomes) == f"{path} cannot grow: the disk is full. {KEPT} Make room; {AGAIN}"
    store.close()  # a new connection has no limit
    assert [outcome.cell for outcome in log.outcomes()] == [(0, 0, 0)]
    log.write(outcomes)
    assert len(log.table().state) == 12
    assert store.check() == []


PROTECTED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from tests.contracts.plans import a_plan, an_outcome
from tiebreak.stores.sql import SqlStore
from tiebreak.errors import StoreError
def filled(folder):
    path = os.path.join(folder, "runs.db")
    SqlStore(path).open(a_plan()).write([an_outcome((0, 0, 0))])
    SqlStore(path + ".other.db").open(a_plan())
    return path
def uses(path):
    yield lambda: SqlStore(path).open(a_plan()).write([an_outcome((0, 0, 1))])
    yield lambda: [len(SqlStore(path).read("moons").table().state), SqlStore(path).check(), SqlStore(path).runs()[0].n_done]
    yield lambda: SqlStore(path + ".other.db").runs()
    yield lambda: SqlStore(os.path.join(os.path.dirname(path), "new.db")).open(a_plan())
folder = sys.argv[2]
os.mkdir(os.path.join(folder, "allowed"))
for use in uses(filled(os.path.join(folder, "allowed"))):
    use()  # imports what it needs: another user may have no right to read the checkout
path = filled(folder)
for file, mode in ((path, 0o444), (path + ".other.db", 0), (folder, 0o755)):
    os.chmod(file, mode)
if os.geteuid() == 0:
    os.setuid(65534)  # the superuser may do anything
else:
    os.chmod(folder, 0o555)
for use in uses(path):
    try:
        print(use())
    except StoreError as error:
        print(str(error))
"""


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
def test_rights() -> None:
    """A read-only file is read and not written; what is in the way is said. (Another user, where the tests run as root.)"""
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "runs.db"
        root = str(Path(__file__).parents[2])
        done = subprocess.run(
            [sys.executable, "-c", PROTECTED, root, str(folder)], capture_output=True, text=True, check=True, encoding="utf-8"
        )
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    readonly, read, unreadable, new = done.stdout.splitlines()
    remedy = "Put that right, or name another store."
    assert readonly == f"{path} cannot be opened or written: the file is read-only. {KEPT} {remedy}"
    assert read == "[1, [], 1]"
    assert unreadable == f"{path}.other.db cannot be opened or written: you may not read it. {remedy}"
    assert new == (
        f"{folder / 'new.db'} cannot be opened or written: the folder '{folder}' is read-only, and SQLite keeps a journal "
        f"beside the file while it writes. {remedy}"
    )


def fault(name: str, text: str) -> sqlite3.OperationalError:
    """An error as SQLite would raise it."""
    return type("Fault", (sqlite3.OperationalError,), {"sqlite_errorname": name})(text)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (
            fault("SQLITE_IOERR_FSYNC", "disk I/O error"),
            StoreError,
            f"a.db cannot be read or written: the system says 'disk I/O error'. {KEPT} Look after the disk; {AGAIN}",
        ),
        (
            fault("SQLITE_TOOBIG", "string or blob too big"),
            StoreError,
            (
                f"a.db: the plan, a text, or the outputs of one cell have more than 256 MB. {KEPT} Pass keep_predictions=False, "
                "or keep the run in PostgreSQL."
            ),
        ),
        (
            fault("SQLITE_MISUSE", "bad"),
            StoreError,
            f"a.db cannot be used: bad. {KEPT} Close other programs that use it, or name another store.",
        ),
        (
            fault("SQLITE_NOTADB", "file is not a database"),
            StoreError,
            f"a.db is not a SQLite database; it was left as it is. {KEPT} Name another file for the store.",
        ),
        (
            fault("SQLITE_CORRUPT_INDEX", "malformed"),
            DamagedStoreError,
            (
                "run 'x': a.db is not as it was written: SQLite says 'malformed'. Put a copy of the store in its place, or "
                "delete the run (if that fails, the file) and measure it again."
            ),
        ),
    ],
)
def test_errors_of_sqlite(error: Exception, kind: type[Exception], text: str) -> None:
    """Each kind in words; none is passed on as it is."""
    found = SqliteDatabase("a.db").translate(error, run="x", to_write=True)
    assert isinstance(found, kind)
    assert str(found) == text


def test_the_row_of_a_run_keeps_its_size(store: SqlStore) -> None:
    """So that it is changed in its place: else SQLite would write a plan of megabytes anew with each transaction."""
    log, size = store.open(a_plan()), "SELECT length(head) FROM tiebreak_runs"
    before = executed(store, size)
    log.write([an_outcome(cell) for cell in all_cells(log.record)])
    assert executed(store, size) == before
