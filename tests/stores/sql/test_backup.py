"""Backups: of one moment, whole and verified, or none at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome, comparable
from tests.stores.rows import put_lease
from tests.stores.saved import make_store as written
from tests.stores.saved.make_store import contents
from tests.stores.sql.test_writing import Worker
from tests.stores.sql.worker import large_plan
from tests.stores.test_saved import saved_store
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql import backup as backing_up
from tiebreak.stores.sql import backup as copying
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.sqlite import SqliteDatabase
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA, TABLES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a store with a run."""
    path = tmp_path / "runs.db"
    store = SqlStore(path)
    store.open(a_plan()).write([an_outcome(cell) for cell in all_cells(a_plan())])
    store.close()
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file that is not there, in a folder without anything else."""
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "copy.db"


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("wal", [False, True], ids=["delete", "wal"])
def test_it_is_a_store(path: Path, target: Path, wal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same in it, in one file that only its owner may read, and that can be read where nothing can be written."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: wal)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA journal_mode = {'wal' if wal else 'delete'}")
    connection.close()
    store = SqlStore(path)
    before = os.umask(0)
    try:
        assert store.backup(target) == []
    finally:
        os.umask(before)
    assert names_in(target.parent) == ["copy.db"]
    if os.name == "posix":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with sqlite3.connect(target) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    copy = SqlStore(target)
    assert contents(copy) == contents(store)
    copy.open(a_plan("more"))  # it is gone on with like any other
    copy.close()
    store.close()


@pytest.mark.slow
def test_while_others_write(tmp_path: Path) -> None:
    """Two processes write all the time: each backup is whole, and has every cell that was kept before it was begun."""
    path, writers = tmp_path / "runs.db", [Worker(), Worker()]
    n_backups, sizes = 0, []
    try:
        assert [worker.answer() for worker in writers] == [{"ready": True}] * 2
        for i, worker in enumerate(writers):
            worker.tell("endless", path=str(path), run=f"run {i}", size=2, until=str(tmp_path / "0.db"))
        store = SqlStore(path)
        while "kept" in (answer := writers[0].answer()):
            if answer["kept"] % 64 != 2:
                continue
            target = tmp_path / f"{n_backups}.db"
            assert store.backup(target) == []
            copy = SqlStore(target)
            assert copy.check() == []
            done = {run.name: run.n_done for run in copy.runs()}
            assert done["run 0"] >= answer["kept"]
            assert all(n_done % 2 == 0 for n_done in done.values())  # a call's cells are there together, or none of them
            kept = [comparable(outcome) for outcome in copy.read("run 0").outcomes(outputs=True)]
            assert kept == [comparable(an_outcome(cell)) for cell in all_cells(large_plan("run 0"))[: done["run 0"]]]
            sizes.append(sum(done.values()))
            copy.close()
            n_backups += 1
        assert answer == {"finished": True}  # no writer was refused
        store.close()
    finally:
        for worker in writers:
            worker.end()
    assert sizes == sorted(sizes)
    assert sizes[0] <= 200  # they were at it: half-way they wait for the first backup
    assert n_backups > 1


# --- where it may not be --------------------------------------------------------------------------------------------------


def test_what_killed_backups_left_is_removed(store: SqlStore, target: Path) -> None:
    """By the next one to the same file; what another one is writing, and whatever else is there, stays."""
    hexes = ["0" * 32, "1" * 32, "2" * 32]
    left, journal, fresh = (target.with_name(f".{target.name}.{each}.tmp") for each in hexes)
    journal = journal.with_name(journal.name + "-journal")
    other, short = target.with_name(f".other.db.{hexes[0]}.tmp"), target.with_name(f".{target.name}.notes.tmp")
    for file in (left, journal, fresh, other, short):
        file.write_bytes(b"x")
    os.utime(journal, (1, 1))  # of SQLite, which locks otherwise
    with fresh.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        store.backup(target)
    assert {file.name for file in target.parent.iterdir() if file.name.endswith(("tmp", "tmp-journal"))} == {
        fresh.name,
        other.name,
        short.name,
    }


def test_a_file_that_is_there_stays(store: SqlStore, target: Path) -> None:
    """Unless it is to be replaced, which happens all at once."""
    target.write_bytes(b"mine")
    with pytest.raises(StoreError) as error:
        store.backup(target)
    assert str(error.value) == (
        f"{target} cannot hold the backup: it is there already. Name another file, or pass overwrite=True to replace it."
    )
    assert target.read_bytes() == b"mine"
    assert store.backup(target, overwrite=True) == []
    assert SqlStore(target).check() == []
    assert names_in(target.parent) == ["copy.db"]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_that_comes_meanwhile_stays(store: SqlStore, target: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the copy was made, another program made a file of that name; also where a file system has no links."""
    verify = backing_up.verify_copy

    def verify_late(*arguments: object) -> object:
        target.write_bytes(b"mine")
        return verify(*arguments)  # type: ignore[arg-type]

    def no_link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(backing_up, "verify_copy", verify_late)
    if not links:
        monkeypatch.setattr(os, "link", no_link)
    with pytest.raises(StoreError) as error:
        store.backup(target)
    assert str(error.value) == f"{target} cannot hold the backup: it is there by now. Name another file."
    assert target.read_bytes() == b"mine"
    assert names_in(target.parent) == ["copy.db"]


def test_a_file_system_without_links(store: SqlStore, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as that of a memory stick: the copy is renamed."""

    def no_link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    assert store.backup(target) == []
    assert names_in(target.parent) == ["copy.db"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_places_that_cannot_hold_it(store: SqlStore, path: Path, target: Path, overwrite: bool) -> None:
    """The reason is said before anything is copied; nothing is left behind, and the store is as it was."""
    before = path.read_bytes()
    folder = target.parent
    alias = folder / "alias.db"
    os.link(path, alias)
    places = {
        folder: "it is a folder. Name a file in it.",
        folder / "no" / "copy.db": f"there is no folder '{folder / 'no'}'. Make it, or name another file.",
        path: "it is the store itself. Name another file.",
        alias: "it is the store itself. Name another file.",
    }
    for place, reason in places.items():
        with pytest.raises(StoreError) as error:
            store.backup(place, overwrite=overwrite)
        assert str(error.value) == f"{place} cannot hold the backup: {reason}"
    assert names_in(folder) == ["alias.db"]
    assert path.read_bytes() == before
    assert store.check() == []


@pytest.mark.skipif(os.name != "posix", reason="no such devices here")
def test_a_device_is_not_replaced(store: SqlStore) -> None:
    """The superuser could."""
    with pytest.raises(StoreError) as error:
        store.backup("/dev/null", overwrite=True)
    assert str(error.value) == "/dev/null cannot hold the backup: it is no ordinary file. Name another one."
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("ending", ["-journal", "-wal"])
def test_a_journal_beside_it(store: SqlStore, target: Path, ending: str) -> None:
    """SQLite would play it back into the copy."""
    journal = target.with_name(target.name + ending)
    journal.write_bytes(b"pages of another file")
    for overwrite in (False, True):
        with pytest.raises(StoreError) as error:
            store.backup(target, overwrite=overwrite)
        assert str(error.value) == (
            f"{target} cannot hold the backup: {journal.name!r} is beside it, which another program left there or still uses. "
            "Name another file."
        )
        target.write_bytes(b"mine")


def test_a_link_is_followed(store: SqlStore, target: Path) -> None:
    """The copy is where the link leads, and the link stays."""
    link = target.with_name("link.db")
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("no symbolic links here")
    assert store.backup(link) == []
    assert link.is_symlink()
    assert SqlStore(target).check() == []


def test_a_name_that_is_too_long(store: SqlStore, target: Path) -> None:
    """What the system says is passed on."""
    place = target.with_name("x" * 300)
    with pytest.raises(StoreError) as error:
        store.backup(place)
    assert str(error.value).startswith(f"{place} cannot be written: the system says '")
    assert str(error.value).endswith("'. No backup was made. Name another file.")


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 32 kB."""
    folder.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(folder)], capture_output=True)
    if not done or done.returncode:
        pytest.skip("NOT TRIED: a full disk, as no file system can be mounted here (the superuser on Linux can)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(store: SqlStore, tmp_path: Path) -> None:
    """A real one: said so, nothing left on it, the former backup kept; the store is none the worse."""
    with small_disk(tmp_path / "disk") as disk:
        target = disk / "copy.db"
        target.write_bytes(b"former")
        with pytest.raises(StoreError) as error:
            store.backup(target, overwrite=True)
        assert str(error.value) == (
            f"{target} cannot be written: the disk is full. No backup was made. Make room, or name another file."
        )
        assert names_in(disk) == ["copy.db"]
        assert target.read_bytes() == b"former"
    assert store.check() == []


PROTECTED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from tests.contracts.plans import a_plan
from tiebreak.stores.sql.store import SqlStore
import tiebreak.stores.sql.backup
from tiebreak.errors import StoreError
path, folder = sys.argv[2], os.path.dirname(sys.argv[2])
SqlStore(path).open(a_plan())
os.chmod(path, 0o444)
os.chmod(folder, 0o555)
if os.geteuid() == 0:
    os.setuid(65534)  # the superuser may do anything
try:
    SqlStore(path).backup(os.path.join(folder, "copy.db"))
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
def test_a_folder_that_is_read_only() -> None:
    """Said so. (By another user, where the tests run as root.)"""
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        path = folder / "runs.db"
        root = str(Path(__file__).parents[3])
        done = subprocess.run(
            [sys.executable, "-c", PROTECTED, root, str(path)], capture_output=True, text=True, check=True, encoding="utf-8"
        )
        assert names_in(folder) == ["runs.db"]
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert done.stdout == (
        f"{folder / 'copy.db'} cannot be written: the system says 'Permission denied'. No backup was made. Name another file.\n"
    )


# --- damage ---------------------------------------------------------------------------------------------------------------


def damage(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute("UPDATE tiebreak_cells SET state = 4 WHERE split = 3 AND model = 0").rowcount == 1
    connection.close()


DAMAGE = Damage("moons", "the cell of model 'svm' on repeat 1 fold 1", "its hash does not match")


def test_a_damaged_store_does_not_replace_its_backup(store: SqlStore, path: Path, target: Path) -> None:
    """It is refused, and the backup from before stays."""
    store.backup(target)
    good = target.read_bytes()
    damage(path)
    with pytest.raises(DamagedStoreError) as error:
        store.backup(target, overwrite=True)
    assert str(error.value) == (
        f"{path} is damaged, so no backup was made that would pass for a whole one. The first of 1 findings is "
        f"{DAMAGE.where} of run 'moons': {DAMAGE.what}. 'tiebreak store check' lists all. Put an earlier backup in its "
        "place, or pass even_damaged=True to take it as it is."
    )
    assert target.read_bytes() == good
    assert names_in(target.parent) == ["copy.db"]


def test_a_damaged_store_is_copied_for_who_wants_it(store: SqlStore, path: Path, target: Path) -> None:
    """With all that is wrong with it, which is told."""
    damage(path)
    assert store.backup(target, even_damaged=True) == [DAMAGE]
    assert SqlStore(target).check() == [DAMAGE]


def test_a_copy_that_is_not_what_was_copied(store: SqlStore, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that does not keep what it was given is found out at once."""
    copy = backing_up.copy_pages

    def copy_badly(shown: str, connection: object, part: Path) -> None:
        copy(shown, connection, part)  # type: ignore[arg-type]
        damage(part)

    monkeypatch.setattr(backing_up, "copy_pages", copy_badly)
    with pytest.raises(StoreError) as error:
        store.backup(target)
    assert str(error.value) == (
        f"{target} is not what was copied there ({DAMAGE.where}: {DAMAGE.what}), so it was not kept. Look after that disk."
    )
    assert names_in(target.parent) == []


def test_a_torn_store(path: Path, target: Path) -> None:
    """What SQLite says of it is passed on; no copy is made."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError):
        store.backup(target)
    store.close()
    assert names_in(target.parent) == []


def test_a_store_that_is_locked(store: SqlStore, path: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for, and then the store is what the message is about."""
    store.read("moons")
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    store.close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError) as error:
            store.backup(target)
    assert str(error.value).startswith(f"{path} is locked: another process has been writing to it for more than 0.05 seconds.")
    assert names_in(target.parent) == []


@pytest.fixture
def path_of_copying(tmp_path: Path) -> Path:
    """A store of today's schema with rows in all tables."""
    path_of_copying = tmp_path / "made" / "runs.db"
    path_of_copying.parent.mkdir()
    written.make(path_of_copying)
    put_lease(SqliteDatabase(str(path_of_copying)), 2, (0, 1, 0))
    return path_of_copying


def rows_of(path_of_copying: Path) -> list[list[tuple[object, ...]]]:
    with sqlite3.connect(path_of_copying) as connection:
        tables = [connection.execute(f"SELECT * FROM {table.in_database}").fetchall() for table in TABLES]
    connection.close()
    return tables


def copy_of_rows(path: Path, target: Path) -> None:
    database = SqliteDatabase(str(path))
    try:
        database.read(lambda connection: copying.copy_rows(connection, str(path), str(target), "copy.db"))
    finally:
        database.close()


@pytest.mark.parametrize("size", [1, 7, 2_000])
def test_every_row_is_copied(path_of_copying: Path, tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its hash, page by page; a store on a server is backed up like this."""
    monkeypatch.setattr(copying, "ROWS_AT_ONCE", size)
    monkeypatch.setattr(copying, "OUTPUTS_AT_ONCE", size)
    store = SqlStore(path_of_copying)
    copy_of_rows(path_of_copying, tmp_path / "copy.db")
    assert rows_of(tmp_path / "copy.db") == rows_of(path_of_copying)
    assert all(rows_of(path_of_copying))
    copy = SqlStore(tmp_path / "copy.db")
    assert copy.check() == []
    assert written.contents(copy) == written.contents(store)
    copy.close()
    store.close()


def test_a_backup_that_is_made_of_rows(path_of_copying: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is verified and put in its place as one that is made of pages."""

    def copy(shown: str, connection: object, part: Path) -> None:
        copying.copy_rows(connection, str(path_of_copying), str(part), shown)  # type: ignore[arg-type]

    monkeypatch.setattr(backing_up, "copy_pages", copy)
    store = SqlStore(path_of_copying)
    assert store.backup(tmp_path / "copy.db") == []
    store.close()
    assert rows_of(tmp_path / "copy.db") == rows_of(path_of_copying)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy.db", "made"]


def test_rows_of_an_earlier_schema(tmp_path: Path) -> None:
    """Today's tables are not theirs."""
    path = saved_store(1, tmp_path)
    with pytest.raises(StoreError) as error:
        copy_of_rows(path, tmp_path / "copy.db")
    assert str(error.value) == (
        f"{path} has schema 1, and only a store of schema {SCHEMA} can be copied into a SQLite file. Use a tool of the "
        "database itself, such as pg_dump."
    )
    assert not (tmp_path / "copy.db").exists()
