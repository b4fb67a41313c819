"""What a caller may give as a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.errors import InvalidParameterError
from tiebreak.stores.memory import MemoryStore
from tiebreak.stores.sources import open_store

SUPPORTED = "Give 'sqlite:///results.db', or a path that ends in .db, .sqlite or .sqlite3"


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("sqlite:///results.db", "sqlite:///results.db"),
        ("sqlite:///results", "sqlite:///results"),
        ("sqlite:////folder/results.db", "sqlite:////folder/results.db"),
        ("results.db", "sqlite:///results.db"),
        ("/folder/results.SQLite", "sqlite:////folder/results.SQLite"),
        (Path("folder") / "results.sqlite3", f"sqlite:///{Path('folder', 'results.sqlite3')}"),
    ],
)
def test_files(source: str | Path, url: str) -> None:
    """A URL as of SQLAlchemy, or a path by its ending. Nothing is opened yet."""
    assert open_store(source).url == url


def test_a_store_is_a_store() -> None:
    """It is taken as it is."""
    store = MemoryStore()
    assert open_store(store) is store


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("results.csv", f"'results.csv' is not known as a store. {SUPPORTED}."),
        (
            "postgresql://me:secret@host/runs",
            f"'postgresql://me:***@host/runs' is not supported: tiebreak keeps runs in SQLite files. {SUPPORTED}.",
        ),
        ("sqlite://results.db", f"'sqlite://results.db' is not supported: tiebreak keeps runs in SQLite files. {SUPPORTED}."),
        (
            "sqlite:///:memory:",
            f"'sqlite:///:memory:' names no file. {SUPPORTED}; without a store, results are kept in memory only.",
        ),
        (
            "sqlite:///a.db?timeout=5",
            "'sqlite:///a.db?timeout=5' has options after the question mark, and tiebreak takes none. Leave them out.",
        ),
        (7, f"a store is a URL, a path or a Store, and not int. {SUPPORTED}."),
    ],
)
def test_what_is_no_store(source: object, text: str) -> None:
    """The text says what is, and shows no password."""
    with pytest.raises(InvalidParameterError) as error:
        open_store(source)  # type: ignore[arg-type]
    assert str(error.value) == text
