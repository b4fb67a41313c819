"""What goes wrong with a file: the text says where, what was kept and how to go on; foreign files are left as they are."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome
from tests.stores.rows import make_later
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.database import NotAStoreError
from tiebreak.stores.sql.sqlite import translate
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

LIMITS = "256 MB for an array, and 8 MB for a text"
INSTEAD = "keep_predictions=False, or keep the run in PostgreSQL."
KEPT = "What was written before is kept, and nothing of this call."


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """With a run and a cell in it."""
    store = SqlStore(path)
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    yield store
    store.close()


USES: dict[str, Callable[[SqlStore], Any]] = {
    "runs": lambda store: store.runs(),
    "open": lambda store: store.open(a_plan()),
    "read": lambda store: store.read("moons"),
    "delete": lambda store: store.delete("moons"),
}


def refused(path: Path, error: type[Exception] = StoreError) -> set[str]:
    """What every use of a store there is refused with; the file and its folder stay as they were."""
    before = {entry: entry.read_bytes() for entry in path.parent.iterdir() if entry.is_file()}
    texts = set()
    for use in USES.values():
        store = SqlStore(path)
        with pytest.raises(error) as caught:
            use(store)
        texts.add(str(caught.value))
        store.close()
    assert {entry: entry.read_bytes() for entry in path.parent.iterdir() if entry.is_file()} == before
    return texts


@pytest.mark.parametrize(
    "content", [b"x", b"model,score\nsvm,0.9\n", b"\x89PNG" + bytes(5000), b"SQLite format 3" + bytes(200), bytes(4096)]
)
def test_a_file_that_is_no_database(path: Path, content: bytes) -> None:
    """Left as it is, byte for byte; the check reports it."""
    path.write_bytes(content)
    text = f"{path} is not a SQLite database; it was left as it is. Name another file for the store."
    assert refused(path) == {text}
    store = SqlStore(path)
    assert [(damage.run, damage.where) for damage in store.check()] == [("", "the file")]
    store.close()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_of_something_else(path: Path, mode: str) -> None:
    """Left as it is, its tables named."""
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.execute("CREATE TABLE runs (name TEXT)")
    connection.close()
    assert refused(path) == {
        (
            f"{path} is a SQLite database of something else, with the tables 'people' and 'runs'; it was left as it is. Name "
            "another file for the store."
        )
    }


def test_a_store_of_a_later_release(store: SqlStore, path: Path) -> None:
    """Both versions of the schema are named, and what to do."""
    store.close()
    make_later(path, 7)
    (text,) = refused(path)
    assert text.startswith(f"{path} was made by a later release of tiebreak: its schema is 7, and tiebreak ")
    assert text.endswith(f"knows schema {SCHEMA} at most. It was left as it is. Install a newer tiebreak to read it.")


@pytest.mark.parametrize("value", [0, "'x'", "NULL"])
def test_a_version_that_is_none(store: SqlStore, path: Path, value: Any) -> None:
    """A schema before the first is damage."""
    store.close()
    strict, loose = "schema_version BIGINT NOT NULL", "schema_version BIGINT"
    for statement in (
        f"UPDATE sqlite_master SET sql = replace(sql, '{strict}', '{loose}') WHERE name = 'tiebreak_store'",
        f"UPDATE tiebreak_store SET schema_version = {value}",
        f"UPDATE sqlite_master SET sql = replace(sql, '{loose}', '{strict}') WHERE name = 'tiebreak_store'",
    ):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement)
    (text,) = refused(path, DamagedStoreError)
    assert text.startswith("the version of the schema is not what was written: it is ")


def test_no_file(path: Path) -> None:
    """Only beginning a run makes a store; a mistyped path is said to be one."""
    text = f"there is no store {path}. Check the path; tiebreak makes a store when something is evaluated into it."
    for name in ("runs", "read", "delete"):
        store = SqlStore(path)
        with pytest.raises(StoreError) as error:
            USES[name](store)
        assert str(error.value) == text
    with pytest.raises(StoreError):
        SqlStore(path).check()
    path.write_bytes(b"")  # as another process leaves it for a moment
    store = SqlStore(path)
    with pytest.raises(StoreError) as error:
        store.runs()
    assert str(error.value) == text
    assert store.open(a_plan()).table().score.shape == (0, 2)
    store.close()


def test_no_folder(tmp_path: Path) -> None:
    """It is named, and not made."""
    path = tmp_path / "here" / "runs.db"
    store = SqlStore(path)
    with pytest.raises(StoreError) as error:
        store.open(a_plan())
    assert str(error.value) == (
        f"{path} cannot be opened or written: there is no folder '{path.parent}'. Put that right, or name another store."
    )
    with pytest.raises(StoreError) as error:
        store.runs()
    assert f"there is no store {path}, and no folder '{path.parent}'. Check the path;" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_its_place(path: Path) -> None:
    """Said so."""
    path.mkdir()
    with pytest.raises(StoreError) as error:
        SqlStore(path).open(a_plan())
    assert str(error.value) == (
        f"{path} cannot be opened or written: it is a folder. {KEPT} Put that right, or name another store."
    )


def test_a_locked_file(store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After waiting; reading says nothing of what was kept, as nothing was to be."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    store.close()
    log = store.open(a_plan())
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    text = (
        f"{path} is locked: another process has been writing to it for more than 0.05 seconds.{{}} Wait for that process or stop "
    )
    text += "it; the same command goes on where it stopped."
    with pytest.raises(StoreError) as error:
        log.write([an_outcome((0, 0, 1))])
    assert str(error.value) == text.format(f" {KEPT}")
    assert type(error.value.__cause__).__name__ == "OperationalError"
    with pytest.raises(StoreError) as error:
        log.table()
    assert str(error.value) == text.format("")
    holder.execute("ROLLBACK")
    holder.close()
    log.write([an_outcome((0, 0, 1))])
    assert len(log.table().state) == 2


def test_a_full_disk(store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the call is kept, what was there stays, and it goes on when there is room. (A limit stands for the disk.)"""
    plan = a_plan()
    log = store.open(plan)
    connect = sqlite3.connect

    def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        ((n_pages,),) = connection.execute("PRAGMA page_count")
        connection.execute(f"PRAGMA max_page_count = {n_pages}")
        return connection

    store.close()
    monkeypatch.setattr(sqlite3, "connect", limited)
    with pytest.raises(StoreError) as error:
        log.write([an_outcome(cell, traceback="x" * 10_000) for cell in all_cells(plan)[1:]])
    assert str(error.value) == (
        f"{path} cannot grow: the disk is full. {KEPT} Make room; the same command goes on where it stopped."
    )
    assert [outcome.cell for outcome in log.outcomes()] == [(0, 0, 0)]
    assert store.check() == []
    monkeypatch.undo()
    store.close()  # a new connection has no limit
    log.write([an_outcome(cell, traceback="x" * 10_000) for cell in all_cells(plan)[1:]])
    assert len(log.table().state) == 12


PROTECTED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from tests.contracts.plans import a_plan, an_outcome
from tiebreak.stores.sql.store import SqlStore
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
        root = str(Path(__file__).parents[3])
        done = subprocess.run(
            [sys.executable, "-c", PROTECTED, root, str(folder)], capture_output=True, text=True, check=True, encoding="utf-8"
        )
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    readonly, read, unreadable, new = done.stdout.splitlines()
    assert readonly == (
        f"{path} cannot be opened or written: the file is read-only. {KEPT} Put that right, or name another store."
    )
    assert read == "[1, [], 1]"
    assert (
        unreadable == f"{path}.other.db cannot be opened or written: you may not read it. Put that right, or name another store."
    )
    assert new == (
        f"{folder / 'new.db'} cannot be opened or written: the folder '{folder}' is read-only, and SQLite keeps a journal "
        "beside the file while it writes. Put that right, or name another store."
    )


@pytest.mark.parametrize(
    ("right", "file", "text"),
    [
        (os.R_OK, True, "you may not read it"),
        (os.W_OK, True, "the file is read-only"),
        (os.W_OK, False, "the folder {folder!r} is read-only, and SQLite keeps a journal beside the file while it writes"),
        (
            0,
            True,
            "the system refuses, although file and folder may be written; the disk may be full, or too many files are open",
        ),
    ],
)
def test_what_stands_in_the_way(path: Path, right: int, file: bool, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thing that is not allowed (`test_rights` has the system refuse it)."""
    path.write_bytes(b"")

    def access(asked: Path, mode: int) -> bool:
        return (asked == path, mode) != (file, right)

    monkeypatch.setattr(os, "access", access)
    error = translate(str(path), Fault("SQLITE_CANTOPEN", "unable to open database file"), run="", to_write=False)
    assert str(error) == (
        f"{path} cannot be opened or written: {text.format(folder=str(path.parent))}. Put that right, or name another store."
    )


class Fault(sqlite3.OperationalError):
    """An error as SQLite would raise it."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.sqlite_errorname = name


@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        (
            Fault("SQLITE_IOERR_FSYNC", "disk I/O error"),
            StoreError,
            (
                f"a.db cannot be read or written: the system says 'disk I/O error'. {KEPT} Look after the disk; the same "
                "command goes on where it stopped."
            ),
        ),
        (
            Fault("SQLITE_IOERR_SHMSIZE", "disk I/O error"),
            StoreError,
            f"a.db cannot grow: the disk is full. {KEPT} Make room; the same command goes on where it stopped.",
        ),
        (
            Fault("SQLITE_TOOBIG", "string or blob too big"),
            StoreError,
            f"a.db: the outputs of one cell, or a text, are larger than a store in a file keeps: {LIMITS}. {KEPT} Pass {INSTEAD}",
        ),
        (
            Fault("SQLITE_MISUSE", "bad"),
            StoreError,
            f"a.db cannot be used: bad. {KEPT} Close other programs that use it, or name another store.",
        ),
        (
            Fault("SQLITE_NOTADB", "file is not a database"),
            NotAStoreError,
            "a.db is not a SQLite database; it was left as it is.",
        ),
        (
            Fault("SQLITE_CORRUPT_INDEX", "malformed"),
            DamagedStoreError,
            "run 'x': a.db is not as it was written: SQLite says 'mal",
        ),
        (sqlite3.OperationalError("Could not decode to UTF-8 column 'a'"), DamagedStoreError, "run 'x': a.db is not as it was"),
    ],
)
def test_errors_of_sqlite(fault: Exception, kind: type[Exception], text: str) -> None:
    """Each kind in words; none is passed on as it is."""
    error = translate("a.db", fault, run="x", to_write=True)
    assert type(error) is kind
    assert str(error).startswith(text)
