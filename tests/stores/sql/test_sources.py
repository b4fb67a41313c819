"""What a caller may give as a store."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tests.reliability.strangers import write_store
from tiebreak.errors import InvalidParameterError, MissingDependencyError, StoreError, TiebreakError, UnknownNameError
from tiebreak.stores import open_store, split_address
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


PASSWORDS = (
    "postgresql:/me:PW@h/db",
    "host=h user=me password=PW",
    "user=me PASSWORD = PW",
    "sqlite://me:PW@h/x.db",
    "sqlite://me:PW@h/x.db?mode=ro",
    "postgresql://me:%zzPW@h/db",
    "postgresql://me:PW@@h/db",
    "postgresql://h/db?password=PW&x=1",
    "postgresql://h/db?sslpassword=PW&sslmode=wrong",
    "postgres:me:PW@h",
    "me:PW@h/db",
    "mysql://me:PW@h/db",
    "jdbc:postgresql://me:PW@h/db",
)


@pytest.mark.parametrize("source", PASSWORDS)
def test_no_password_is_shown(source: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the error, its parts, its cause, the traceback or the log, whatever was meant."""
    for use in (
        lambda: repr(SqlStore(source)) + SqlStore(source, patience=0).runs().__repr__(),
        lambda: tb.read_evaluation(f"{source}#a"),
        lambda: tb.compare(source),
    ):
        with pytest.raises(TiebreakError) as error:
            use()
        told = "".join(traceback.format_exception(error.value))
        code = Path(__file__).read_text(encoding="utf-8")  # lines of code that hold the password are shown by a traceback
        assert "PW" not in "".join(line for line in told.splitlines() if line.strip() not in code)
        assert "PW" not in "".join(map(str, error.value.parts))
    assert "PW" not in caplog.text


@pytest.mark.parametrize("path", ["results@home/x.txt", "a:b.txt", "C:\\x\\runs.txt", "keys.txt", "passage.txt"])
def test_a_path_is_shown(path: str) -> None:
    """What only looks a little like an address is told in full, as people have to find their mistake."""
    with pytest.raises(InvalidParameterError) as error:
        SqlStore(path)
    assert repr(path) in str(error.value)


def test_a_hash_sign_in_a_path(tmp_path: Path) -> None:
    """A file may have one in its name, and so may a run."""
    (tmp_path / "a#b").mkdir()
    path = tmp_path / "a#b" / "runs#1.db"
    write_store(path, n_splits=10)
    for address in (str(path), f"{path}#moons", f"sqlite:///{path}", f"sqlite:///{path}#moons"):
        assert tb.read_evaluation(address).name == "moons"
    with pytest.raises(UnknownNameError, match="no run is called 'mo#ns'"):
        tb.read_evaluation(f"sqlite:///{path}#mo#ns")
    assert split_address("postgresql://h/db#a#b") == ("postgresql://h/db", "a#b")
    assert split_address("sqlite:///none.db#a") == ("sqlite:///none.db", "a")


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    """To nothing or to themselves: an error in words, for who reads and for who would write."""
    dangling, loop = tmp_path / "dangling.db", tmp_path / "loop.db"
    dangling.symlink_to(tmp_path / "none.db")
    loop.symlink_to(loop)
    write_store(tmp_path / "right.db", n_splits=10)
    record = SqlStore(tmp_path / "right.db").read("moons").record
    for path in (dangling, loop):
        for use in (SqlStore(path).runs, lambda path=path: SqlStore(path).open(record)):
            with pytest.raises(StoreError, match=f"{path.name} is a link that leads nowhere, or to itself. Remove it"):
                use()


def test_a_file_that_is_emptied_in_use(tmp_path: Path) -> None:
    """By somebody else, between two transactions: noticed by the next one, and before a run ends well."""
    path = tmp_path / "runs.db"
    store = SqlStore(path)
    write_store(tmp_path / "right.db", n_splits=10)
    log = store.open(SqlStore(tmp_path / "right.db").read("moons").record)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="was emptied while it was in use, and what was in it is gone"):
        log.table()
    store.close()

    class Emptying:
        def fit(self, X: Any, y: Any) -> Any:
            self.n = int(y.sum())
            if X[0, 0] == 0:
                (tmp_path / "run.db").write_bytes(b"")
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0] > self.n

    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    with pytest.raises(StoreError, match="was emptied while it was in use"):
        tb.evaluate(Emptying(), X, y, cv=3, scoring="accuracy", store=tmp_path / "run.db", progress=False)
