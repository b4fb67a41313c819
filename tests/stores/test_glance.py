"""The list of runs without SQLAlchemy: the same list, and None for whatever is not a whole store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.contracts.plans import a_dataset, a_failure, a_plan, an_outcome
from tests.contracts.store_contract import HOSTILE
from tests.stores.later import make_later
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.glance import glance
from tiebreak.stores.sql.runs import list_runs
from tiebreak.stores.sql.statements import fetch
from tiebreak.stores.sql.store import SqlStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a store with a run for every hostile name, cells measured and failed among them."""
    path = tmp_path / "runs.db"
    store = SqlStore(path)
    for i, name in enumerate(HOSTILE.values()):
        plan = a_plan(
            name, models=("a", name), metrics=("first", name), datasets=(a_dataset(name), a_dataset("other"))[: 1 + i % 2]
        )
        scores = {"first": 0.5}
        store.open(plan).write([an_outcome((0, 0, 0), scores=scores), a_failure((0, 1, 0)), a_failure((0, 1, 1))][: i % 4])
    store.close()
    return path


def execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_it_sees_what_the_ordinary_way_sees(path: Path) -> None:
    """Every field of every run, in the same order."""
    store = SqlStore(path)
    with store._database.reading() as connection:
        expected = list_runs(partial(fetch, connection))
    store.close()
    assert sorted(run.name for run in expected) == sorted(HOSTILE.values())
    assert {(run.n_done, run.n_failed) for run in expected} == {(0, 0), (1, 0), (1, 1), (1, 2)}
    assert glance(str(path)) == expected == SqlStore(path).runs()


def test_an_empty_store_has_no_runs(tmp_path: Path) -> None:
    """Which is not the same as no answer."""
    store = SqlStore(tmp_path / "runs.db")
    store.open(a_plan())
    store.delete("moons")
    store.close()
    assert glance(str(tmp_path / "runs.db")) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("UPDATE tiebreak_store SET created = created + 1", "the description of the store is not what was written"),
        ("UPDATE tiebreak_store SET schema_version = 0", "the version of the schema is not what was written: it is '0'"),
        ("DELETE FROM tiebreak_runs WHERE id = 1", "the list of runs is not what was written"),
        ("UPDATE tiebreak_runs SET n_splits = 7 WHERE id = 9", "the description of the run is not what was written"),
        ("UPDATE tiebreak_tallies SET n_done = 7 WHERE run = 9", "the tally of the cells is not what was written: its hash"),
        ("DELETE FROM tiebreak_tallies WHERE run = 9", "the tally of the cells is not what was written: it is gone"),
        ("UPDATE tiebreak_metrics SET name = 'x' WHERE run = 9 AND position = 0", "the list of metrics is not what was written"),
        ("DELETE FROM tiebreak_metrics WHERE run = 9 AND position = 1", "the list of metrics is not what was written: 1 are"),
        ("UPDATE tiebreak_metrics SET name = CAST(x'ff' AS TEXT) WHERE run = 9", 'SQLite says "Could not decode to UTF-8'),
        ("DROP TABLE tiebreak_tallies", "SQLite says 'no such table: tiebreak_tallies'"),
    ],
)
def test_damage_is_told_by_the_ordinary_way(path: Path, statement: str, text: str) -> None:
    """Nothing is listed of a store whose rows are not those that were written."""
    execute(path, statement)
    assert glance(str(path)) is None
    store = SqlStore(path)
    with pytest.raises(DamagedStoreError) as error:
        store.runs()
    store.close()
    assert text in str(error.value)


def not_there(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def of_one_byte(path: Path) -> None:
    path.write_bytes(b"x")


def no_database(path: Path) -> None:
    path.write_text("model,score\na,1\n" * 50)


def of_something_else(path: Path) -> None:
    path.unlink()
    execute(path, "CREATE TABLE songs (name)")


def of_a_later_release(path: Path) -> None:
    make_later(path, 9)


@pytest.mark.parametrize("spoil", [not_there, empty, of_one_byte, no_database, of_something_else, of_a_later_release])
def test_what_is_no_store_is_told_by_the_ordinary_way(path: Path, spoil: Callable[[Path], None]) -> None:
    """And nothing is made or changed."""
    spoil(path)
    before = path.read_bytes() if path.exists() else None
    assert glance(str(path)) is None
    store = SqlStore(path)
    with pytest.raises(StoreError):
        store.runs()
    store.close()
    assert (path.read_bytes() if path.exists() else None) == before
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"] * (before is not None)


def test_a_locked_store_is_waited_for_by_the_ordinary_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message says how long; afterwards the list is there."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert glance(str(path)) is None
        store = SqlStore(path)
        with pytest.raises(StoreError, match=r"is locked: another process has been writing to it for more than 0\.05 seconds"):
            store.runs()
    assert len(store.runs()) == len(HOSTILE)
    store.close()


def test_a_journal_that_is_to_be_switched(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store in WAL mode on a release that is not safe with it goes the ordinary way, which switches it back."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: True)
    execute(path, "PRAGMA journal_mode = wal")
    assert len(glance(str(path)) or ()) == len(HOSTILE)
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: False)
    assert glance(str(path)) is None
    store = SqlStore(path)
    assert len(store.runs()) == len(HOSTILE)
    store.close()
    assert len(glance(str(path)) or ()) == len(HOSTILE)


def test_an_open_store_goes_the_ordinary_way(path: Path) -> None:
    """So that another file in the place of the one in use is noticed."""
    store = SqlStore(path)
    store.read("NaN")
    copy = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    path.write_bytes(copy)
    with pytest.raises(StoreError, match="was moved, deleted or replaced while it was in use"):
        store.runs()
    assert len(store.runs()) == len(HOSTILE)
    store.close()
