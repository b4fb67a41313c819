"""A store in a file, unless a test has another one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiebreak.stores.sql import SqlStore


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
