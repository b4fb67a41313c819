"""Rows copied one by one, as from a store that is no file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.stores.saved import make_store as written
from tests.stores.test_saved import saved_store
from tiebreak.errors import StoreError
from tiebreak.stores import backing_up, copying
from tiebreak.stores.layout import HOLDERS, LAYOUTS, LEASES, PREFIX, SCHEMA
from tiebreak.stores.sql import SqlStore
from tiebreak.stores.statements import put


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of today's schema with rows in all tables."""
    path = tmp_path / "made" / "runs.db"
    path.parent.mkdir()
    written.make(path)
    store = SqlStore(path)
    with store._database.writing() as connection:
        put(connection, HOLDERS, [(2, 2**62, 7, '["host", 1234, 1.5]')])
        put(connection, LEASES, [(2, 0, 1, 0, 2**62)])
    store.close()
    return path


def rows_of(path: Path) -> list[list[tuple[object, ...]]]:
    with sqlite3.connect(path) as connection:
        tables = [connection.execute(f"SELECT * FROM {PREFIX}{layout.name}").fetchall() for layout in LAYOUTS]
    connection.close()
    return tables


@pytest.mark.parametrize("size", [1, 7, 2_000])
def test_every_row_is_copied(path: Path, tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its hash, page by page; a store on a server is backed up like this."""
    monkeypatch.setattr(copying, "_ROWS", size)
    monkeypatch.setattr(copying, "_OUTPUTS", size)
    store = SqlStore(path)
    with store._database.reading() as connection:
        copying.copy_rows(connection, str(path), str(tmp_path / "copy.db"), "copy.db")
    assert rows_of(tmp_path / "copy.db") == rows_of(path)
    assert all(rows_of(path))
    copy = SqlStore(tmp_path / "copy.db")
    assert copy.check() == []
    assert written.contents(copy) == written.contents(store)
    copy.close()
    store.close()


def test_a_backup_that_is_made_of_rows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is verified and put in its place as one that is made of pages."""

    def copy(shown: str, connection: object, part: Path) -> None:
        copying.copy_rows(connection, str(path), str(part), shown)  # type: ignore[arg-type]

    monkeypatch.setattr(backing_up, "_copy_pages", copy)
    store = SqlStore(path)
    assert store.backup(tmp_path / "copy.db") == []
    store.close()
    assert rows_of(tmp_path / "copy.db") == rows_of(path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy.db", "made"]


def test_rows_of_an_earlier_schema(tmp_path: Path) -> None:
    """Today's tables are not theirs."""
    store = SqlStore(saved_store(1, tmp_path))
    with store._database.reading() as connection, pytest.raises(StoreError) as error:
        copying.copy_rows(connection, "the store", str(tmp_path / "copy.db"), "copy.db")
    store.close()
    assert str(error.value) == (
        f"the store has schema 1, and only a store of schema {SCHEMA} can be copied into a SQLite file. Use a tool of the "
        "database itself, such as pg_dump."
    )
    assert not (tmp_path / "copy.db").exists()
