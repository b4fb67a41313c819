"""A store in a file, unless a test's module has another one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tiebreak.stores.sql.store import SqlStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a store that is not there yet."""
    return tmp_path / "runs.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """The store there."""
    store = SqlStore(path)
    yield store
    store.close()


def change(path: Path, statement: str) -> None:
    """Change one row by SQL."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount == 1
