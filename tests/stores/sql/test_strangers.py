"""Stores that were made in order to harm, and rows whose hash is right and whose content is none: refused by name, at once."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tests.reliability.strangers import ENDLESS, SECONDS, STORES, execute, npy, put_crafted, write_store
from tests.stores.rows import rows_in
from tests.stores.saved import evaluated
from tiebreak.errors import DamagedStoreError, StoreError, TiebreakError
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql.encoding import from_npy, to_npy
from tiebreak.stores.sql.sqlite import SqliteDatabase
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import CELLS, LEASES, RUNS, STORE, TABLES, StoredTable, cell_of

TOO_LONG_FOR_EVERY_CHANGE = ("an output of 300 MB", "20 MB", "50 MB", ", 100 MB", "half a million lists")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store as it should be."""
    path = tmp_path_factory.mktemp("right") / "right.db"
    write_store(path)
    return path


@pytest.fixture
def path(right: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "runs.db"
    shutil.copy(right, copy)
    return copy


def uses(path: Path, run: str, *, with_report: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All ways to read a store; a report takes a second, as it draws what the others read."""
    store = SqlStore(path)
    yield "runs", store.runs
    yield "table", lambda: store.read(run).table()
    yield "outcomes", lambda: list(store.read(run).outcomes(outputs=True))
    yield "warnings", lambda: list(store.read(run).noted("warnings"))
    yield "reasons", lambda: list(store.read(run).noted("undefined"))
    yield "versions", lambda: store.read(run).environments
    yield "page", lambda: tb.read_evaluation(store, run).to_text()
    yield "predictions", lambda: tb.read_evaluation(store, run).predictions
    yield "pooled", lambda: tb.read_evaluation(store, run).summary(average="pooled")
    yield "failures", lambda: tb.read_evaluation(store, run).failures
    if with_report:
        yield "report", lambda: tb.read_evaluation(store, run).to_html()
    yield "delete", lambda: store.delete(run)
    store.close()


def refusals(path: Path, run: str, *, with_report: bool = True) -> dict[str, str]:
    """What is refused, with the words; everything else that is raised goes through. Nothing takes long."""
    said = {}
    for name, use in uses(path, run, with_report=with_report):
        begun = time.process_time()
        try:
            use()
        except TiebreakError as error:
            said[name] = str(error)
        assert time.process_time() - begun < SECONDS, name
    return said


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STORES if not name.endswith(TOO_LONG_FOR_EVERY_CHANGE)])
def test_a_store_that_was_made_to_harm(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it runs, nothing hangs, and all that is raised is an error in words; `make reliability` counts memory too."""
    monkeypatch.chdir(path.parent)
    STORES[name](path)
    try:
        damages = SqlStore(path).check()
        said = refusals(path, "moons")
    except StoreError as error:  # of a later release
        said, damages = {"check": str(error)}, []
    assert said or damages or name.startswith(("code: a model", "code: settings"))
    assert not Path("code-was-run").exists()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_tables_alone_are_read(path: Path, table: StoredTable[Any]) -> None:
    """A view is named, and neither read nor written to."""
    STORES[f"views: endless in the place of {table.name}"](path)
    text = (
        f"{path} holds the view '{table.in_database}', which is not as tiebreak makes one. Nothing was read, as that could do "
        "whatever it says. Use a copy from before it was changed, or from somebody whom you trust; tables of "
        "your own belong into another file."
    )
    assert set(refusals(path, "moons").values()) == {text}
    assert SqlStore(path).check() == [Damage("", "the file", text)]
    with pytest.raises(DamagedStoreError, match="holds the view"):
        SqlStore(path).open(_record(path.parent))


def _record(folder: Path) -> Any:
    """A plan to write."""
    write_store(folder / "other.db", n_splits=10)
    return SqlStore(folder / "other.db").read("moons").record


@pytest.mark.parametrize("name", [name for name in STORES if name.startswith("definitions: a foreign")])
def test_a_store_holds_its_own_tables_only(path: Path, name: str) -> None:
    """What else is in the schema is named, before a statement evaluates it: checks, computed columns, indexes on expressions."""
    STORES[name](path)
    before = path.read_bytes()
    said = set(refusals(path, "moons").values())
    assert len(said) == 1
    assert re.search(r"holds the (table|view|index) '\w+', which is not as|defines a table in more than 64 kB", said.pop())
    assert [damage.where for damage in SqlStore(path).check()] == ["the file"]
    with pytest.raises(DamagedStoreError):
        SqlStore(path).backup(path.with_name("copy.db"))
    assert path.read_bytes() == before


@pytest.mark.slow
def test_statistics_of_sqlite(path: Path) -> None:
    """Tools make them in any file, by ANALYZE: they are no reason to refuse it."""
    execute(path, "ANALYZE")
    assert set(refusals(path, "moons")) == {"pooled"}  # of which not all that it needs was kept
    assert SqlStore(path).check() == []


def test_a_file_of_somebody_else_is_told_as_such(tmp_path: Path) -> None:
    """Views and triggers of a database that is no store are its own business."""
    path = tmp_path / "places.db"
    execute(path, "CREATE TABLE places (url TEXT)", "CREATE VIEW v AS SELECT * FROM places")
    with pytest.raises(StoreError, match="is a SQLite database of something else, with the tables 'places'"):
        SqlStore(path).runs()


@pytest.mark.slow
def test_a_statement_without_end_is_ended(path: Path) -> None:
    """By the time of the processor: a file of its size cannot take as long."""
    database = SqliteDatabase(str(path))
    begun = time.thread_time()
    with pytest.raises(DamagedStoreError, match="reading it takes longer than a file of its size can"):
        database.read(lambda connection: connection.execute(f"{ENDLESS} SELECT count(*) FROM c"))
    assert 0.9 < time.thread_time() - begun < 4
    assert database.read(lambda connection: connection.execute("SELECT 1")) == [(1,)]
    database.close()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_statement(path: Path, number: int) -> None:
    """As what its handler raises, at once, though SQLite drops what its callbacks raise."""

    class Ended(BaseException):
        """What a handler may raise."""

    def end(*arguments: object) -> None:
        heard.append(time.process_time())
        raise Ended

    heard: list[float] = []

    before = signal.signal(number, end)
    database = SqliteDatabase(str(path))
    timer = threading.Timer(0.2, os.kill, (os.getpid(), number))
    try:
        timer.start()
        with pytest.raises(Ended):
            database.read(lambda connection: connection.execute(f"{ENDLESS} SELECT count(*) FROM c"))
    finally:
        timer.cancel()
        signal.signal(number, before)
    assert time.process_time() - heard[0] < 0.5
    assert database.read(lambda connection: connection.execute("SELECT 1")) == [(1,)]
    database.close()


@pytest.mark.slow
def test_a_long_text_in_a_large_file_is_named_by_its_row(path: Path) -> None:
    """SQLite would read the whole row to find those beside it."""
    STORES["texts: facts of a cell, 100 MB"](path)
    text = "a row of the cells (run 1, dataset 0, split 70, model 1) is not what was written: it holds more than 8 MB of text"
    assert any(damage.what.startswith(text) for damage in SqlStore(path).check())
    said = refusals(path, "moons", with_report=False)
    assert said["outcomes"].startswith(text)


@pytest.mark.slow
def test_a_long_text_is_named_by_its_row(path: Path) -> None:
    """Before it is in memory, and by whichever way it is read."""
    execute(path, "UPDATE tiebreak_models SET name = printf('%.9000000c', 'x') WHERE position = 1")
    text = (
        "a row of the models (run 1, position 1) is not what was written: it holds more than 8 MB of text, or 256 MB of numbers, "
        "in one value."
    )
    assert any(damage.what.startswith(text) for damage in SqlStore(path).check()), SqlStore(path).check()
    said = refusals(path, "moons")
    assert {name for name, words in said.items() if words.startswith(text)} >= {"table", "outcomes", "versions", "page"}


def test_what_could_not_be_read_is_not_written(path: Path) -> None:
    """The limits are those of reading; the message says what to do."""
    log = SqlStore(path).read("moons")
    outcome = next(iter(log.outcomes()))
    record = SqlStore(path).read("moons").record
    big = dataclasses.replace(outcome, state="raised", message="x" * 9_000_000, scores={}, outputs={})
    store = SqlStore(path.parent / "new.db")
    with pytest.raises(StoreError, match=r"larger than a store in a file keeps: 256 MB for an array, and 8 MB for a text"):
        store.open(record).write([big])
    assert store.open(record).table().state.size == 0
    store.close()


def test_no_text_in_an_array_is_parsed_as_python() -> None:
    """numpy takes the header of an array for Python; here it is what `to_npy` writes, or nothing."""
    assert from_npy(to_npy(np.arange(3))).tolist() == [0, 1, 2]
    for header in ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "__import__('os')", "[" * 1000, ""):
        with pytest.raises(ValueError, match="no array of numbers"):
            from_npy(npy(header, bytes(8)))
    with pytest.raises(ValueError, match="another size than it says"):
        from_npy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", bytes(8)))


# --- rows with a right hash -----------------------------------------------------------------------------------------------

NUMBERS = (-1, 7, 2**31, 2**62, 2**63 - 1, -(2**63))
TEXTS = (
    None,
    "",
    "null",
    "[]",
    "{}",
    "-1",
    '"x"',
    "NaN",
    "[" * 20_000,
    '{"a": {"b": []}}',
    '{"warnings": [1]}',
    '{"outputs": [1]}',
)
BLOBS = (
    None,
    b"",
    b"x",
    b"\0" * 16,
    b"\0" * 25,
    to_npy(np.array(3.0)),
    to_npy(np.full(20, np.nan)),
    to_npy(np.arange(2**40, 2**40 + 9)),
)
COLUMNS = [pytest.param(table, name, id=f"{table.name}-{name}") for table in TABLES for name in table.columns[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_content_that_is_none(tmp_path: Path, table: StoredTable[Any], column: str) -> None:
    """Of a wrong kind, range or size, and with a hash that fits: `check` never fails, and readers raise errors in words.

    Whatever a reader of a run refuses, the check has found too, but for a run that has another name now.
    """
    values = NUMBERS if column in table.integers else TEXTS if column in table.texts else BLOBS
    for value in values:
        path = tmp_path / "runs.db"
        shutil.copy(evaluated.STORE, path)
        rows = rows_in(path, table)
        if table is LEASES:
            rows = [LEASES.row(1, 0, 0, 0, 5)]
            execute(path, "INSERT INTO tiebreak_leases VALUES (1, 0, 0, 0, 5, 0)")
        old = next((row for row in rows if getattr(row, "run", 1) == 1), None)
        if old is None:
            pytest.skip("there is no row")
        try:
            put_crafted(path, table, old, old._replace(**{column: value}))
        except sqlite3.IntegrityError:  # there is such a row already
            continue
        is_later = table is STORE and column == "schema_version" and value > 2
        damages = [] if is_later else SqlStore(path).check()
        said = refusals(path, "evaluated", with_report=column in table.blobs)
        renamed = table is RUNS and column == "name" and value == '"x"'
        unfound = {name for name in said if name not in ("delete", "page", "report", "predictions", "pooled", "failures")}
        assert damages or not unfound or renamed or is_later, f"{value!r:.40}: {said}"


def test_a_cell_with_a_state_that_there_is_not(path: Path) -> None:
    """It is named by model and split, by all who read it."""
    cells = rows_in(path, CELLS)
    old = next(row for row in cells if cell_of(row) == (0, 3, 1))
    put_crafted(path, CELLS, old, old._replace(state=99))
    where = "the cell of model 'forest' on repeat 0 fold 3 of dataset 'iris'"
    what = "its hash matches, but its content is none (state 99, versions 0)"
    assert SqlStore(path).check() == [Damage("moons", where, what)]
    said = refusals(path, "moons")
    for use in ("table", "outcomes", "page"):
        assert said[use].startswith(f"run 'moons': {where} is not what was written: {what}.")


def test_a_number_of_the_next_run_that_is_taken(path: Path) -> None:
    """A new run would be written over the one that has it."""
    [old] = rows_in(path, STORE)
    put_crafted(path, STORE, old, old._replace(next_run=1, n_runs=0))
    with closing(sqlite3.connect(path)) as connection:
        before = connection.execute("SELECT * FROM tiebreak_models").fetchall()
    record = _record(path.parent)
    with pytest.raises(DamagedStoreError):
        SqlStore(path).open(dataclasses.replace(record, name="new"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM tiebreak_models").fetchall() == before
