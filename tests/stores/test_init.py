"""What a caller may give as a store."""

import sys
import traceback
from pathlib import Path

import pytest

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import InvalidParameterError, MissingDependencyError, TiebreakError
from tiebreak.stores import split_address
from tiebreak.stores.sql import open_store

FORMS = "Give 'sqlite:///results.db', a path that ends in .db or .sqlite, or 'postgresql://user@host/database'"


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("sqlite:///results.db", "sqlite:///results.db"),
        ("sqlite:///results", "sqlite:///results"),
        ("sqlite:////folder/results.db", "sqlite:////folder/results.db"),
        ("results.db", "sqlite:///results.db"),
        ("/folder/results.SQLite", "sqlite:////folder/results.SQLite"),
        (Path("folder") / "results.sqlite", f"sqlite:///{Path('folder', 'results.sqlite')}"),
        ("postgresql://me:secret@host:5433/runs?sslmode=require", "postgresql://me:***@host:5433/runs?sslmode=require"),
    ],
)
def test_addresses(source: str | Path, url: str) -> None:
    """A URL as of SQLAlchemy, or a path by its ending; shown without passwords. Nothing is opened yet."""
    assert open_store(source).url == url
    assert repr(open_store(source)) == f"SqlStore({url!r})"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("results.csv", "results.csv"),
        ("results.sqlite3", "results.sqlite3"),
        ("mysql://me:secret@host/runs", "mysql://me:***@host/runs"),
        ("postgres://me:secret@host/runs", "postgres://me:***@host/runs"),
        ("postgresql+psycopg://host/runs", "postgresql+psycopg://host/runs"),
        ("sqlite://results.db", "sqlite://results.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite:///", "sqlite:///"),
        ("sqlite:///a.db?timeout=5", "sqlite:///a.db?timeout=5"),
        ("what?.db", "what?.db"),
        ("runs#1.db", "runs#1.db"),
        ("a\0.db", "a\0.db"),
    ],
)
def test_what_is_no_address(source: str, shown: str) -> None:
    """The text names the three forms, and shows no password. A ? or # would give an address that could not be read back."""
    with pytest.raises(InvalidParameterError) as error:
        open_store(source)
    assert (
        error.value.args[0] == InvalidParameterError(f"{shown!r} is no address of a store. {FORMS}; no ? or # in a path.").args[0]
    )


def test_what_is_no_store_at_all() -> None:
    """The text says what was met."""
    for source, kind in ((7, "int"), (None, "NoneType")):
        assert (
            told(InvalidParameterError, open_store, source) == f"a store is a URL, a path or a SqlStore, and not {kind}. {FORMS}."
        )


def test_the_name_of_a_run_goes_behind_a_number_sign() -> None:
    """It may have one itself."""
    assert split_address("postgresql://h/db#a#b") == ("postgresql://h/db", "a#b")
    assert split_address("sqlite:///none.db") == ("sqlite:///none.db", "")


@pytest.mark.parametrize("url", ["postgresql://me:secret@host/runs?ssmode=1", "postgresql://me:secret%zz@host/runs"])
def test_addresses_with_a_mistake(url: str) -> None:
    """Refused at once; what PostgreSQL's library says would quote the password."""
    pytest.importorskip("psycopg")
    with pytest.raises(InvalidParameterError, match="cannot be read as the address of a database") as error:
        open_store(url)
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None


def test_postgres_without_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text says how to install it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert told(MissingDependencyError, open_store, "postgresql://me:secret@host/runs") == (
        "postgresql://me:***@host/runs needs the driver of PostgreSQL: pip install 'psycopg[binary]>=3.2.1'."
    )


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
        lambda: repr(tb.SqlStore(source)) + repr(tb.SqlStore(source).runs()),
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
