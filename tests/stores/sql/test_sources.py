"""What a caller may give as a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tiebreak.errors import InvalidParameterError, MissingDependencyError
from tiebreak.stores import open_store
from tiebreak.stores.memory import MemoryStore
from tiebreak.stores.sql.store import SqlStore

SUPPORTED = "Give 'sqlite:///results.db', a path that ends in .db, .sqlite or .sqlite3, or 'postgresql://user@host/database'"


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
            "mysql://me:secret@host/runs",
            f"'mysql://me:***@host/runs' is not supported: tiebreak keeps runs in SQLite and PostgreSQL. {SUPPORTED}.",
        ),
        (
            "sqlite://results.db",
            f"'sqlite://results.db' is not supported: tiebreak keeps runs in SQLite and PostgreSQL. {SUPPORTED}.",
        ),
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


def test_addresses_of_postgres() -> None:
    """They are shown without passwords from the first moment. Nothing is opened yet."""
    pytest.importorskip("psycopg")
    store = open_store("postgres://me:secret@host:5433/runs?sslmode=require")
    assert store.url == "postgres://me:***@host:5433/runs?sslmode=require"
    assert repr(store) == "SqlStore('postgres://me:***@host:5433/runs?sslmode=require')"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("postgresql://me:secret@host/runs?ssmode=require", "no option of a PostgreSQL address is called 'ssmode': did you mean"),
        (
            "postgresql://me:secret%zz@host/runs",
            (
                "postgresql://me:***@host/runs cannot be read as the address of a database. A percent sign that means itself is "
                "written %25."
            ),
        ),
        ("postgresql://me:se@cret@host/runs", "'postgresql://***' cannot be read as the address of a database. It is written"),
    ],
)
def test_addresses_with_a_mistake(url: str, text: str) -> None:
    """Refused at once; what PostgreSQL's library says would quote the password."""
    pytest.importorskip("psycopg")
    with pytest.raises(InvalidParameterError) as error:
        open_store(url)
    assert str(error.value).startswith(text)
    assert error.value.__cause__ is None


def test_postgres_without_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text says how to install it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDependencyError) as error:
        open_store("postgresql://me:secret@host/runs")
    assert (
        str(error.value) == "postgresql://me:***@host/runs needs the driver of PostgreSQL: pip install 'psycopg[binary]>=3.2.1'."
    )


@pytest.mark.parametrize("patience", [-1, "60", None, True, float("nan")])
def test_patience_is_a_number_of_seconds(patience: Any) -> None:
    """Said at once, with the value met."""
    with pytest.raises(InvalidParameterError) as error:
        SqlStore("results.db", patience=patience)
    assert str(error.value) == f"patience must be a number of seconds of at least 0; got {patience!r}."
