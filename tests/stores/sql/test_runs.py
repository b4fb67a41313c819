"""The list of runs: what a store says of each, and how it is refused where the store is not whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.plans import a_dataset, a_failure, a_plan, an_outcome
from tests.contracts.store_contract import HOSTILE
from tests.stores.rows import execute, make_later
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.store import SqlStore


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Content of a store with a run for every hostile name, cells measured and failed among them."""
    path = tmp_path_factory.mktemp("runs") / "runs.db"
    store = SqlStore(path)
    for i, name in enumerate(HOSTILE.values()):
        plan = a_plan(
            name, models=("a", name), metrics=("first", name), datasets=(a_dataset(name), a_dataset("other"))[: 1 + i % 2]
        )
        scores = {"first": 0.5}
        store.open(plan).write([an_outcome((0, 0, 0), scores=scores), a_failure((0, 1, 0)), a_failure((0, 1, 1))][: i % 4])
    store.close()
    return path.read_bytes()


@pytest.fixture
def path(written: bytes, tmp_path: Path) -> Path:
    """A copy of it."""
    path = tmp_path / "runs.db"
    path.write_bytes(written)
    return path


def test_every_run_is_listed(path: Path) -> None:
    """Whatever its name, with what was measured and what failed."""
    store = SqlStore(path)
    listed = store.runs()
    store.close()
    assert sorted(run.name for run in listed) == sorted(HOSTILE.values())
    assert {(run.n_done, run.n_failed) for run in listed} == {(0, 0), (1, 0), (1, 1), (1, 2)}
    assert all(run.metrics == ("first", run.name) for run in listed)


def test_an_empty_store_has_no_runs(tmp_path: Path) -> None:
    """Which is no error."""
    store = SqlStore(tmp_path / "runs.db")
    store.open(a_plan())
    store.delete("moons")
    assert store.runs() == []
    store.close()


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
def test_damage_is_told(path: Path, statement: str, text: str) -> None:
    """Nothing is listed of a store whose rows are not those that were written."""
    execute(path, statement)
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
def test_what_is_no_store(path: Path, spoil: Callable[[Path], None]) -> None:
    """And nothing is made or changed."""
    spoil(path)
    before = path.read_bytes() if path.exists() else None
    store = SqlStore(path)
    with pytest.raises(StoreError):
        store.runs()
    store.close()
    assert (path.read_bytes() if path.exists() else None) == before
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"] * (before is not None)


def test_a_locked_store_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message says how long; afterwards the list is there."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store = SqlStore(path)
        with pytest.raises(StoreError, match=r"is locked: another process has been writing to it for more than 0\.05 seconds"):
            store.runs()
    assert len(store.runs()) == len(HOSTILE)
    store.close()


def test_another_file_in_the_place_of_the_one_in_use(path: Path) -> None:
    """It is noticed once, and then used."""
    store = SqlStore(path)
    store.read("NaN")
    copy = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    path.write_bytes(copy)
    with pytest.raises(StoreError, match="was moved, deleted or replaced while it was in use"):
        store.runs()
    assert len(store.runs()) == len(HOSTILE)
    store.close()
