"""From the schema of an earlier release to today's: nothing is lost, and there is no state in between."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.plans import a_plan, an_outcome
from tests.stores.rows import schema_of
from tests.stores.saved import make_store as written
from tests.stores.sql.conftest import change
from tests.stores.sql.test_writing import Worker
from tests.stores.test_saved import EARLIER, saved_store
from tiebreak import __version__
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql import backup as backing_up
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql import upgrade as migrations
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA
from tiebreak.stores.sql.upgrade import Upgrade

N_UPGRADERS = 4
ENDING = ".schema-1.backup"


def contents_of(path: Path) -> object:
    """What a store holds, the store being whole."""
    store = SqlStore(f"sqlite:///{path}")
    try:
        assert store.check() == []
        return written.contents(store)
    finally:
        store.close()


def said_of(schema: int) -> object:
    """What the release that made the saved store said that it holds."""
    return json.loads(written.saved(schema)[1].read_text(encoding="ascii"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of schema 1."""
    return saved_store(1, tmp_path)


@pytest.mark.parametrize("schema", EARLIER)
def test_nothing_is_lost(schema: int, tmp_path: Path) -> None:
    """The upgraded store holds what the old one did, and is written to; beside it is a backup that only its owner may read."""
    path = saved_store(schema, tmp_path)
    store = SqlStore(path)
    backup = Path(f"{path}.schema-{schema}.backup")
    assert store.upgrade() == Upgrade(schema, SCHEMA, str(backup))
    assert contents_of(path) == contents_of(backup) == said_of(schema)
    if os.name == "posix":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["runs.db", backup.name]
    store.open(written.PLAN, accept_versions=True).write([an_outcome((1, 0, 0), outputs={})])
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.delete("empty")
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("schema", EARLIER)
def test_the_tables_are_those_of_a_new_store(schema: int, tmp_path: Path) -> None:
    """The steps, which are frozen, lead to what is made at once today; the store says which release upgraded it."""
    path = saved_store(schema, tmp_path)
    for place in (path, tmp_path / "new.db"):
        store = SqlStore(place)
        store.upgrade() if place is path else store.open(a_plan())
        store.close()
    assert schema_of(path) == schema_of(tmp_path / "new.db")
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT schema_version, written_by FROM tiebreak_store").fetchall()
    connection.close()
    assert found == [(SCHEMA, __version__)]


def test_each_schema_has_a_step() -> None:
    """From the first to today's."""
    assert sorted(migrations.MIGRATIONS) == list(range(2, SCHEMA + 1))


def test_a_store_of_today_is_left_alone(path: Path) -> None:
    """The second time there is nothing to do, and no backup is made."""
    store = SqlStore(path)
    store.upgrade()
    before = path.read_bytes()
    assert store.upgrade() == Upgrade(SCHEMA, SCHEMA, "")
    store.close()
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["runs.db", "runs.db" + ENDING]


def test_a_log_that_was_open_before_goes_on(path: Path) -> None:
    """The version is looked at whenever something is written, so an upgrade by another process is noticed."""
    store, other = SqlStore(path), SqlStore(path)
    log = store.read(written.NAME)
    with pytest.raises(StoreError, match="has schema 1, of an earlier release"):
        log.write([an_outcome((1, 0, 0))])
    other.upgrade()
    log.write([an_outcome((1, 0, 0))])
    other.close()
    store.close()


def test_a_backup_that_is_there_stays(path: Path) -> None:
    """Such as that of an upgrade that was stopped; the next one has a number."""
    first = path.with_name(path.name + ENDING)
    first.write_bytes(b"mine")
    store = SqlStore(path)
    assert store.upgrade().backup == f"{path}{ENDING}-2"
    store.close()
    assert first.read_bytes() == b"mine"
    assert contents_of(Path(f"{path}{ENDING}-2")) == said_of(1)


def test_a_relative_path(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backup is told as the store was, and is beside it wherever the process has gone since."""
    monkeypatch.chdir(path.parent)
    store = SqlStore("runs.db")
    (path.parent / "elsewhere").mkdir()
    monkeypatch.chdir(path.parent / "elsewhere")
    assert store.upgrade().backup == "runs.db" + ENDING
    store.close()
    assert contents_of(path.with_name(path.name + ENDING)) == said_of(1)


# --- what speaks against it -----------------------------------------------------------------------------------------------


def test_a_damaged_store_is_refused(path: Path) -> None:
    """With what is wrong and what to do; nothing is changed, and no backup left that would pass for a whole one."""
    change(path, "UPDATE tiebreak_runs SET rng = '1' WHERE rng = '7'")
    before = path.read_bytes()
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError) as error:
        store.upgrade()
    assert str(error.value) == (
        f"{path} was not upgraded, as a backup of it comes first. {path} is damaged, so no backup was made that would pass for "
        f"a whole one. The first of 1 findings is the description of the run of run {written.NAME!r}: its hash does not match. "
        "'tiebreak store check' lists all. Put an earlier backup in its place, or pass even_damaged=True to take it as it is."
    )
    store.close()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"]


def test_a_damaged_store_is_upgraded_by_who_wants_it(path: Path) -> None:
    """What is damaged stays so and is told; the run can be deleted then."""
    change(path, "UPDATE tiebreak_runs SET rng = '1' WHERE rng = '7'")
    damage = Damage(written.NAME, "the description of the run", "its hash does not match")
    store = SqlStore(path)
    assert store.upgrade(even_damaged=True) == Upgrade(1, SCHEMA, f"{path}{ENDING}", (damage,))
    assert store.check() == [damage]
    store.delete(written.NAME)
    assert store.check() == []
    store.close()


def test_a_damaged_description_of_the_store_is_never_upgraded(path: Path) -> None:
    """It would be written anew, and pass for whole."""
    change(path, "UPDATE tiebreak_store SET created = created + 1")
    before = path.read_bytes()
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError, match="the description of the store is not what was written: its hash does not match"):
        store.upgrade(even_damaged=True)
    store.close()
    assert path.read_bytes() == before


def test_an_upgrade_without_a_backup_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reason; nothing is changed."""

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full.")

    monkeypatch.setattr(backing_up, "copy_pages", refuse)
    before = path.read_bytes()
    store = SqlStore(path)
    with pytest.raises(StoreError) as error:
        store.upgrade()
    store.close()
    assert str(error.value) == f"{path} was not upgraded, as a backup of it comes first. the disk is full."
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"]


def test_no_store(tmp_path: Path) -> None:
    """Nothing is made."""
    with pytest.raises(StoreError, match="there is no store"):
        SqlStore(tmp_path / "runs.db").upgrade()
    assert list(tmp_path.iterdir()) == []


# --- kills and others -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("wal", [False, True], ids=["delete", "wal"])
def test_whenever_it_is_killed(path: Path, tmp_path: Path, wal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each of its statements, and each time that a file is synced or named, the folder is what a kill would leave.

    There the store is whole, as before or upgraded, and so is each backup; upgrading again finishes. (The suite of faults kills
    real processes, at every call of the system.)
    """
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: wal)
    if wal:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = wal")
        connection.close()
    states: list[dict[str, bytes]] = []

    def look(*_: object) -> None:
        state = {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if entry.is_file()}
        if not states or state != states[-1]:
            states.append(state)

    connect, sync, link = sqlite3.connect, os.fsync, os.link

    def traced_connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(look)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", traced_connect)
        patch.setattr(os, "fsync", lambda handle: (look(), sync(handle)))
        patch.setattr(os, "link", lambda *names: (look(), link(*names)))
        store = SqlStore(path)
        store.upgrade()
        store.close()
        look()
    schemas = []
    for i, state in enumerate(states):
        folder = tmp_path / f"killed {i}"
        folder.mkdir()
        for name, content in state.items():
            (folder / name).write_bytes(content)
        assert contents_of(folder / "runs.db") == said_of(1)
        if f"runs.db{ENDING}" in state:
            assert contents_of(folder / f"runs.db{ENDING}") == said_of(1)
        killed = SqlStore(folder / "runs.db")
        schemas.append(killed.upgrade().before)
        assert killed.check() == []
        killed.close()
    assert schemas == sorted(schemas)
    assert set(schemas) == {1, 2}
    assert len(states) > 5


@pytest.fixture
def upgraders() -> Iterator[list[Worker]]:
    """Processes that are ready to be told."""
    workers = [Worker() for _ in range(N_UPGRADERS)]
    try:
        assert [worker.answer() for worker in workers] == [{"ready": True}] * N_UPGRADERS
        yield workers
    finally:
        for worker in workers:
            worker.end()


@pytest.mark.slow
def test_processes_that_upgrade_at_once(path: Path, upgraders: list[Worker]) -> None:
    """One of them does it, the others find it done; there is one backup."""
    for worker in upgraders:
        worker.tell("upgrade", path=str(path))
    answers = [worker.answer() for worker in upgraders]
    assert sorted(answer["upgraded"] for answer in answers) == [[1, SCHEMA], *[[SCHEMA, SCHEMA]] * (N_UPGRADERS - 1)]
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["runs.db", "runs.db" + ENDING]
    assert contents_of(path) == said_of(1)
