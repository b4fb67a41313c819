"""``tiebreak store``: whether a store is whole, a copy of it, and its upgrade."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.contracts.plans import a_plan, an_outcome
from tests.stores.rows import make_later
from tests.stores.saved import make_store as written
from tiebreak import __version__
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

URL = "sqlite:///runs.db"
ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole.\n"
)
HEAD = {"schema": 1, "tiebreak": __version__, "store": URL}


@pytest.fixture
def store(here: Path) -> Path:
    """Two runs, one with a name of two lines."""
    store = SqlStore("runs.db")
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    store.open(a_plan("a\nb")).write([an_outcome((0, 0, 0))])
    store.close()
    return here / "runs.db"


@pytest.fixture
def earlier(here: Path) -> Path:
    """A store of schema 1."""
    (here / "runs.db").write_bytes(written.saved(1)[0].read_bytes())
    return here / "runs.db"


def execute(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount >= 1
    connection.close()


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


# --- check ----------------------------------------------------------------------------------------------------------------


def test_a_whole_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said so, exit code 0; for programs an empty list."""
    assert run(capsys, "store", "check", URL) == (0, f"{URL} is as it was written: 2 runs, every row verified.\n", "")
    code, out, err = run(capsys, "store", "check", URL, "--format", "json")
    assert (code, json.loads(out), err) == (0, {**HEAD, "damages": []}, "")


def test_a_damaged_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each damage, exit code 1, and what to do; a name stays on its line."""
    execute(store, "UPDATE tiebreak_cells SET state = 4")
    cell = "the cell of model 'svm' on repeat 0 fold 0"
    assert run(capsys, "store", "check", URL) == (
        1,
        (
            f"In {URL}, 2 things are not as written:\n"
            f"  run 'moons': {cell}: its hash does not match\n"
            f"  run 'a\\nb': {cell}: its hash does not match\n"
        ),
        ADVICE,
    )
    code, out, err = run(capsys, "store", "check", URL, "--format", "json")
    assert (code, err) == (1, ADVICE)
    assert json.loads(out) == {
        **HEAD,
        "damages": [{"run": name, "where": cell, "what": "its hash does not match"} for name in ("moons", "a\nb")],
    }


def test_a_flipped_bit(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a name, where SQLite sees nothing wrong: exit code 1."""
    content = store.read_bytes()
    place = content.rindex(b'"svm"')  # a page is filled from its end
    store.write_bytes(content[:place] + b'"swm"' + content[place + 5 :])
    assert run(capsys, "store", "check", URL) == (
        1,
        f"In {URL}, 1 thing is not as written:\n  run 'moons': the list of models: the hash of its row 0 does not match\n",
        ADVICE,
    )


@pytest.mark.parametrize("content", [b"model,score\nsvm,0.9\n", b"SQLite format 3\0" + bytes(4096)])
def test_what_cannot_be_read_at_all(here: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without any store in it any more is damage too."""
    Path("runs.db").write_bytes(content)
    assert run(capsys, "store", "check", URL) == (
        1,
        f"In {URL}, 1 thing is not as written:\n  the file: SQLite says 'file is not a database'\n",
        ADVICE,
    )


def test_a_store_of_a_later_release_is_not_damaged(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and both versions are named; so is it for the other commands."""
    make_later(store, 9)
    before = store.read_bytes()
    message = (
        f"tiebreak: runs.db was made by a later release of tiebreak: its schema is 9, and tiebreak {__version__} knows schema "
        f"{SCHEMA} at most. It was left as it is. Install a newer tiebreak to read it.\n"
    )
    for arguments in (["check", URL], ["backup", URL, "copy.db"], ["upgrade", URL]):
        assert run(capsys, "store", *arguments) == (2, "", message)
    assert store.read_bytes() == before
    execute(store, "UPDATE tiebreak_store SET created = created + 1")
    code, out, _ = run(capsys, "store", "check", URL)
    assert (code, "the description of the store is not what was written: its hash does not match" in out) == (1, True)


def test_an_earlier_schema_is_checked_as_it_is(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is missed that it never had."""
    assert run(capsys, "store", "check", URL) == (0, f"{URL} is as it was written: 4 runs, every row verified.\n", "")


# --- backup ---------------------------------------------------------------------------------------------------------------


def test_a_backup(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a store; a file that is there is replaced by --force only; the store may be set by TIEBREAK_STORE."""
    code, out, err = run(capsys, "store", "backup", URL, "copy.db")
    assert (code, out, err) == (0, f"copy.db is a copy of {URL}, every row verified.\n", "")
    assert run(capsys, "store", "check", "copy.db")[0] == 0
    assert run(capsys, "store", "backup", URL, "copy.db") == (
        2,
        "",
        "tiebreak: copy.db cannot hold the backup: it is there already. Name another file, or pass --force to replace it.\n",
    )
    code, out, err = run(capsys, "store", "backup", URL, "copy.db", "--force", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {**HEAD, "file": "copy.db", "damages": []}
    monkeypatch.setenv("TIEBREAK_STORE", URL)
    assert run(capsys, "store", "backup", "other.db")[0] == 0
    assert names_in(store.parent) == ["copy.db", "other.db", "runs.db"]


def test_a_backup_of_a_damaged_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused, unless it is wanted; then what is wrong is told."""
    execute(store, "UPDATE tiebreak_cells SET state = 4 WHERE run = 1")
    cell = "the cell of model 'svm' on repeat 0 fold 0"
    assert run(capsys, "store", "backup", URL, "copy.db") == (
        2,
        "",
        (
            "tiebreak: runs.db is damaged, so no backup was made that would pass for a whole one. The first of 1 findings is "
            f"{cell} of run 'moons': its hash does not match. 'tiebreak store check' lists all. Put an earlier backup in its "
            "place, or pass --even-damaged to take it as it is.\n"
        ),
    )
    code, out, err = run(capsys, "store", "backup", URL, "copy.db", "--even-damaged")
    assert (code, out, err) == (0, f"copy.db is a copy of {URL}, with 1 thing that is not as written.\n", "")


# --- upgrade --------------------------------------------------------------------------------------------------------------


def test_an_upgrade(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once; the second time there is nothing to do, which is no error."""
    assert run(capsys, "store", "upgrade", URL) == (
        0,
        f"{URL} has schema {SCHEMA} now, and had schema 1. runs.db.schema-1.backup is the store as it was\nbefore.\n",
        "",
    )
    assert run(capsys, "store", "upgrade", URL) == (0, f"{URL} has schema {SCHEMA}, today's; nothing was changed.\n", "")
    code, out, err = run(capsys, "store", "upgrade", URL, "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {**HEAD, "before": SCHEMA, "after": SCHEMA, "backup": None, "damages": []}
    assert run(capsys, "store", "check", "sqlite:///runs.db.schema-1.backup")[0] == 0


def test_an_upgrade_of_a_damaged_store(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused, unless it is wanted; then what is wrong still is, and is told."""
    execute(earlier, "UPDATE tiebreak_runs SET rng = '1' WHERE id = 3")
    code, out, err = run(capsys, "store", "upgrade", URL)
    assert (code, out) == (2, "")
    assert err.startswith("tiebreak: runs.db was not upgraded, as a backup of it comes first. runs.db is damaged, so no ")
    assert err.endswith("or pass --even-damaged to take it as it is.\n")
    assert names_in(earlier.parent) == ["runs.db"]
    code, out, err = run(capsys, "store", "upgrade", URL, "--even-damaged", "--format", "json")
    assert (code, err) == (0, "")
    damage = {"run": "empty", "where": "the description of the run", "what": "its hash does not match"}
    backup = "runs.db.schema-1.backup"
    assert json.loads(out) == {**HEAD, "before": 1, "after": SCHEMA, "backup": backup, "damages": [damage]}


def test_a_run_in_an_earlier_store(earlier: Path, study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Is not begun, and what to type is said; after that it is. Lists and tables need no upgrade."""
    before = earlier.read_bytes()
    run_of_it = f"{URL}#three datasets"
    for arguments in (
        ["runs", "--store", URL],
        ["show", run_of_it],
        ["export", run_of_it, "--scores", "-"],
        ["compare", run_of_it, "--dataset", "wine", "--metric", "accuracy", "--missing", "pairwise"],
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, out != "", err) == (0, True, "")
    code, out, err = run(capsys, "run", study, "--store", URL, "--quiet")
    assert (code, out) == (2, "")
    assert err == (
        f"tiebreak: runs.db has schema 1, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be "
        "read as it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
        f"tiebreak store upgrade {URL}\n"
    )
    assert earlier.read_bytes() == before
    assert run(capsys, "store", "upgrade", URL)[0] == 0
    assert run(capsys, "run", study, "--store", URL, "--quiet")[0] == 0


# --- wrong use ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "upgrade", "backup"])
def test_a_store_is_needed(store: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those in the folder are offered; a single argument of backup is the file."""
    message = f"which store? Give its URL, such as sqlite:///FILE, or set TIEBREAK_STORE. In this folder: {URL}."
    arguments = ["copy.db"] if command == "backup" else []
    assert run(capsys, "store", command, *arguments) == (2, "", f"tiebreak: {message}\n")


@pytest.mark.parametrize("command", ["check", "upgrade", "backup"])
def test_a_store_that_is_not_there(here: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is made."""
    arguments = ["copy.db"] if command == "backup" else []
    assert run(capsys, "store", command, URL, *arguments) == (
        2,
        "",
        "tiebreak: there is no store runs.db. Check the path; tiebreak makes a store when something is evaluated into it.\n",
    )
    assert names_in(here) == []


def test_a_backup_needs_a_file(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As click says it."""
    code, out, err = run(capsys, "store", "backup")
    assert (code, out) == (2, "")
    assert err == "tiebreak: Missing argument '[URL] FILE'.\nSee 'tiebreak store backup --help'.\n"


def test_a_command_is_needed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of help shows those of the store."""
    code, out, err = run(capsys, "store")
    assert (code, out) == (2, "")
    assert err.startswith("tiebreak: a command is needed.\n\nUsage: tiebreak store ")
    for command in ("backup", "check", "upgrade"):
        assert f"\n  {command} " in err
