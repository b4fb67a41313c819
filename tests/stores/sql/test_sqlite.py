"""What is peculiar to SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, an_outcome
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.store import SqlStore


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        ((3, 6, 23), "DELETE + EXTRA, as this release has no WAL"),
        ((3, 7, 0), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 40, 1), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 44, 5), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 44, 6), "WAL + EXTRA"),
        ((3, 45, 0), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 50, 6), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 50, 7), "WAL + EXTRA"),
        ((3, 51, 2), "DELETE + EXTRA, as this release can lose commits in WAL mode"),
        ((3, 51, 3), "WAL + EXTRA"),
        ((4, 0, 0), "WAL + EXTRA"),
    ],
)
def test_journal_mode(version: tuple[int, int, int], mode: str) -> None:
    """Design section 6: SQLite 3.7.0 to 3.51.2 can lose WAL commits; the fix was taken back to 3.50.7 and 3.44.6."""
    assert sqlite.journal_mode(version) == mode


def mode_of(path: Path) -> str:
    connection = sqlite3.connect(path)
    mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    connection.close()
    return mode


def use(path: Path) -> None:
    """Begin a run and let go."""
    store = SqlStore(path)
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.close()


def test_the_journal_of_a_new_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WAL on a release that is safe with it."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: True)
    use(path)
    assert mode_of(path) == "wal"


def test_an_existing_store_is_not_switched_to_wal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may use a release that is not safe with it."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: False)
    use(path)
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: True)
    use(path)
    assert mode_of(path) == "delete"


def test_an_unsafe_release_leaves_wal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It switches a file back that nobody else uses; one in use stays as it is, and works."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: True)
    use(path)
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: False)
    other = sqlite3.connect(path)
    other.execute("SELECT * FROM tiebreak_store").fetchall()
    use(path)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
    use(path)
    assert mode_of(path) == "delete"


def test_a_switch_that_others_stand_in_the_way_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again for a while; without it the store is as safe."""
    SqlStore(path).open(a_plan())
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda version: True)
    monkeypatch.setattr(sqlite, "JOURNAL_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM tiebreak_store").fetchall()
    database = sqlite.SqliteDatabase(str(path))
    connection = database.connect()
    database.settle(connection, is_new=True, to_write=True)
    other.close()
    assert mode_of(path) == "delete"
    database.settle(connection, is_new=True, to_write=True)
    connection.driver.close()
    assert mode_of(path) == "wal"
