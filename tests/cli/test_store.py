"""``tiebreak store``: whether a store is whole, and a copy of it."""

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.contracts.plans import a_plan, an_outcome
from tiebreak.stores.database import SCHEMA
from tiebreak.stores.sql import SqlStore

URL = "sqlite:///runs.db"
ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole.\n"
)


@pytest.fixture
def store(here: Path) -> Path:
    """Two runs, one with a name of two lines."""
    store = SqlStore("runs.db")
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.open(a_plan("a\nb")).write([an_outcome((0, 0, 0))])
    store.close()
    return here / "runs.db"


def execute(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount >= 1
    connection.close()


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


# --- check ----------------------------------------------------------------------------------------------------------------


def test_a_whole_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said so, exit code 0."""
    assert run(capsys, "store", "check", URL) == (0, f"{URL} is as it was written: 2 runs, every row verified.\n", "")


def test_a_damaged_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each damage, exit code 1, and what to do; a name stays on its line."""
    execute(store, "UPDATE tiebreak_cells SET content = zeroblob(60)")
    cell = "the cell of model 'svm' on repeat 0 fold 0"
    code, out, err = run(capsys, "store", "check", URL)
    assert (code, err) == (1, ADVICE)
    assert " ".join(out.split()) == (
        f"In {URL}, 2 things are not as written: run 'moons': {cell}: its hash does not match "
        f"run 'a\\nb': {cell}: its hash does not match"
    )


@pytest.mark.parametrize("content", [b"model,score\nsvm,0.9\n", b"SQLite format 3\0" + bytes(4096)])
def test_what_is_no_store(here: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, as there is nothing to check; the file is left as it is."""
    Path("runs.db").write_bytes(content)
    message = "tiebreak: runs.db is not a SQLite database; it was left as it is. Name another file for the store.\n"
    assert run(capsys, "store", "check", URL) == (2, "", message)
    assert Path("runs.db").read_bytes() == content


def test_a_store_of_another_release(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and both schemas are named, whatever is asked."""
    execute(store, f"UPDATE tiebreak_store SET schema = {SCHEMA + 1}")
    before = store.read_bytes()
    message = (
        f"tiebreak: {URL} has schema {SCHEMA + 1}, of another release of tiebreak, and this one knows schema {SCHEMA} only. It "
        "was left as it is. Read it with that release, or name another store.\n"
    )
    for arguments in (
        ["store", "check", URL],
        ["store", "backup", URL, "copy.db"],
        ["runs", "--store", URL],
        ["show", f"{URL}#a"],
    ):
        assert run(capsys, *arguments) == (2, "", message)
    assert store.read_bytes() == before


# --- backup ---------------------------------------------------------------------------------------------------------------


def test_a_backup(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a store; a file that is there is never replaced; the store may be set by TIEBREAK_STORE."""
    assert run(capsys, "store", "backup", URL, "copy.db") == (0, f"copy.db is a copy of {URL}, every row verified.\n", "")
    assert run(capsys, "store", "check", "copy.db")[0] == 0
    assert run(capsys, "store", "backup", URL, "copy.db") == (
        2,
        "",
        "tiebreak: copy.db cannot hold the backup: 'copy.db' is there already. Name another file.\n",
    )
    monkeypatch.setenv("TIEBREAK_STORE", URL)
    assert run(capsys, "store", "backup", "other.db")[0] == 0
    assert names_in(store.parent) == ["copy.db", "other.db", "runs.db"]


# --- wrong use ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "backup"])
def test_a_store_is_needed(store: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those in the folder are offered; a single argument of backup is the file."""
    message = f"which store? Give its URL, such as sqlite:///FILE, or set TIEBREAK_STORE. In this folder: {URL}."
    arguments = ["copy.db"] if command == "backup" else []
    assert run(capsys, "store", command, *arguments) == (2, "", f"tiebreak: {message}\n")


@pytest.mark.parametrize("command", ["check", "backup"])
def test_a_store_that_is_not_there(here: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is made."""
    arguments = ["copy.db"] if command == "backup" else []
    assert run(capsys, "store", command, URL, *arguments) == (
        2,
        "",
        "tiebreak: there is no store runs.db. Check the path; a file is made when something is evaluated into it.\n",
    )
    assert names_in(here) == []
