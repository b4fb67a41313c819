"""Stores in which something is not what was written, by accident or on purpose, and files that are none."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from tests.contracts.plans import a_dataset, a_failure, a_plan, all_cells, an_outcome, claimed, comparable, executed
from tests.guarded import told
from tiebreak.errors import DamagedStoreError, StoreError, TiebreakError, UnknownNameError
from tiebreak.stores.contract import Damage, NoStoreError
from tiebreak.stores.encoding import (
    from_json,
    pack_arrays,
    pack_plan,
    read_cell,
    read_plan,
    sealed,
    to_json,
    to_msgpack,
    unpack_arrays,
)
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import SqlStore, known_run

N_FLIPS = int(os.environ.get("TIEBREAK_BIT_FLIPS", "150"))
REMEDY = "Put a copy of the store in its place, or delete the run and measure it again."
PLAN = a_plan(models=("svm", "forest"), datasets=(a_dataset("iris"),))
OTHER = a_plan("other", models=[f"m{i}" for i in range(4)])
CELL = "the cell of model 'svm' on repeat 1 fold 1 of dataset 'iris'"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store with two runs and a lease."""
    path = tmp_path_factory.mktemp("written") / "runs.db"
    store = SqlStore(path)
    log = store.open(PLAN)
    log.write([a_failure((0, 0, 0), warnings=("odd",)), *(an_outcome(cell) for cell in all_cells(PLAN)[1:])])
    other = store.open(OTHER)
    other.write([an_outcome(cell) for cell in all_cells(OTHER)])
    claimed(SqlLease(other), all_cells(OTHER)[:2], again=all_cells(OTHER)[:2])
    row = [log.run, sealed(to_json([["another", 1], []]), b"lease", log.run, 7)]
    executed(store, "INSERT INTO tiebreak_leases VALUES (?, 7, 0, ?)", row, to_write=True)
    store.close()
    return path.read_bytes()


@pytest.fixture
def path(written: bytes, tmp_path: Path) -> Path:
    """A copy of it."""
    path = tmp_path / "runs.db"
    path.write_bytes(written)
    return path


def number_of(path: Path, name: str) -> int:
    """The number of a run."""
    with closing(SqlStore(path)) as store, store._database.transaction() as connection:
        return known_run(connection, name)


def change(path: Path, statement: str, **values: Any) -> None:
    """Change one row by SQL; MOONS stands for the number of the run."""
    moons = str(number_of(path, "moons"))
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement.replace("MOONS", moons), values).rowcount == 1


def recode(path: Path, **changes: Any) -> None:
    """Put other content into CELL, with a hash that fits."""
    run = number_of(path, "moons")
    with closing(sqlite3.connect(path)) as connection:
        [(content,)] = connection.execute("SELECT content FROM tiebreak_cells WHERE run = ? AND split = 3 AND model = 0", [run])
    blob = sealed(to_msgpack(structs.replace(read_cell(content[8:]), **changes)), b"cell", run, 0, 3, 0)
    change(path, "UPDATE tiebreak_cells SET content = :blob WHERE run = MOONS AND split = 3 AND model = 0", blob=blob)


def read_all(path: Path) -> dict[str, Any]:
    """What every way of reading says, or the error that it raises."""
    store = SqlStore(path)

    def read(name: str) -> Any:
        log = store.read(name)
        table = log.table()
        columns = [
            getattr(table, field).tobytes() for field in ("state", "score", "has_score", "fit_seconds", "environment", "noted")
        ]
        return (
            columns,
            [comparable(outcome) for outcome in log.outcomes(outputs=True)],
            log.environments,
            pack_plan(log.record, log.environments),
        )

    answers: dict[str, Any] = {}
    for name, ask in {"runs": store.runs, "moons": lambda: read("moons"), "other": lambda: read("other")}.items():
        try:
            answers[name] = ask()
        except TiebreakError as error:
            answers[name] = error
    try:
        answers["check"] = store.check()
    except StoreError as error:
        answers["check"] = [error]
    store.close()
    return answers


def raw_rows(path: Path) -> Any:
    """All rows as Python's own sqlite3 reads them; None where it cannot."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            tables = [f"tiebreak_{name}" for name in ("store", "runs", "cells", "leases")]
            return [sorted(connection.execute(f"SELECT * FROM {table}")) for table in tables]
        except (sqlite3.Error, TypeError, UnicodeError):
            return None


# --- accidents ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_flipped_bits(written: bytes, path: Path) -> None:
    """Single bits at random: what still comes without an error is what was written, and whatever changed is reported.

    TIEBREAK_BIT_FLIPS=1000 for more of them. Python's sqlite3, reading row by row, is the judge of what changed.
    """
    right, rows = read_all(path), raw_rows(path)
    assert right["check"] == []
    assert rows is not None
    n_changed = 0
    for flip in np.random.default_rng(11).choice(8 * len(written), N_FLIPS, replace=False).tolist():
        damaged = bytearray(written)
        damaged[flip // 8] ^= 1 << (flip % 8)
        path.write_bytes(damaged)
        is_changed = raw_rows(path) != rows
        path.write_bytes(damaged)
        answers = read_all(path)
        errors = {name for name, answer in answers.items() if isinstance(answer, Exception)}
        for name in {"runs", "moons", "other"} - errors:
            assert answers[name] == right[name], f"bit {flip}: {name} says something else"
        assert errors or answers["check"] or not is_changed, f"bit {flip} changed a row, and nothing says so"
        assert not errors or answers["check"], f"bit {flip}: an error that check() does not report"
        n_changed += is_changed
        store = SqlStore(path)
        try:  # going on works or is refused, and does not end in an error of SQLite's
            store.open(OTHER).write([an_outcome((0, 0, 0)), an_outcome((0, 3, 3))])
        except TiebreakError:
            pass
        finally:
            store.close()
    assert n_changed > N_FLIPS / 10


COLUMNS = {
    "runs": ("run", "head", "plan"),
    "cells": ("run", "dataset", "split", "model", "content", "outputs"),
    "leases": ("holder", "content"),  # one of another run is none of this
    "store": ("schema",),
}


@pytest.mark.parametrize(("table", "column"), [(table, column) for table, columns in COLUMNS.items() for column in columns])
def test_a_changed_value(path: Path, table: str, column: str) -> None:
    """Whatever column it is in, the check reports it, and reading the run (or the list of runs) is refused.

    Only what is no part of the results, the leases, is in nobody's way.
    """
    with closing(sqlite3.connect(path)) as connection, connection:
        keys = {"runs": "run", "store": "schema", "leases": "run, holder"}.get(table, "run, dataset, split, model")
        where = f"WHERE ({keys}) = (SELECT {keys} FROM tiebreak_{table} LIMIT 1)"
        (value,) = connection.execute(f"SELECT {column} FROM tiebreak_{table} {where}").fetchone()
        changed = value + 40 if isinstance(value, int) else value[:-1] + bytes([(value or b"x")[-1] ^ 1])
        assert connection.execute(f"UPDATE tiebreak_{table} SET {column} = ? {where}", (changed,)).rowcount == 1
    answers = read_all(path)
    assert answers["check"]
    errors = {name for name, answer in answers.items() if isinstance(answer, Exception)}
    assert bool(errors) == (table != "leases")


@pytest.mark.parametrize(
    ("statement", "where", "what"),
    [
        (
            "UPDATE tiebreak_cells SET content = zeroblob(60) WHERE run = MOONS AND split = 3 AND model = 0",
            CELL,
            "its hash does not match",
        ),
        (
            "DELETE FROM tiebreak_cells WHERE run = MOONS AND split = 2 AND model = 0",
            "the list of cells",
            "7 are there, and 8 were written",
        ),
        (
            "UPDATE tiebreak_cells SET outputs = zeroblob(60) WHERE run = MOONS AND split = 3 AND model = 0",
            CELL,
            "its hash does not match",
        ),
        ("UPDATE tiebreak_runs SET plan = zeroblob(20) WHERE run = MOONS", "the plan", "its hash does not match"),
        (
            "UPDATE tiebreak_runs SET head = CAST(zeroblob(8) || substr(head, 9) AS BLOB) WHERE run = MOONS",
            "the description of the run",
            "its hash does not match",
        ),
    ],
)
def test_damage_is_named(path: Path, statement: str, where: str, what: str) -> None:
    """By run and cell, with what to do; the other run is none the worse, and the damaged one can be deleted."""
    change(path, statement)
    store = SqlStore(path)
    assert Damage("moons", where, what) in store.check()
    assert (
        told(DamagedStoreError, lambda: list(store.read("moons").outcomes(outputs=True)))
        == f"run 'moons': {where} is not what was written: {what}. {REMEDY}"
    )
    assert len(store.read("other").table().state) == 16
    store.delete("moons")
    assert store.check() == []
    store.close()


def test_an_exchanged_cell_is_noticed(path: Path) -> None:
    """A row with a right hash that is another one than was written last: the sum of the hashes tells."""
    recode(path, fit_seconds=9.0)
    store = SqlStore(path)
    assert store.check() == [Damage("moons", "the list of cells", "these are not the ones that were written")]
    store.close()


def test_a_damaged_name_is_not_an_unknown_one(path: Path) -> None:
    """A run that is not found because its name is damaged is not said to be unknown, nor begun anew."""
    change(path, "UPDATE tiebreak_runs SET head = CAST(replace(head, 'moons', 'spoon') AS BLOB) WHERE run = MOONS")
    store = SqlStore(path)
    for use in (lambda: store.read("moons"), lambda: store.open(PLAN), lambda: store.read("another")):
        with pytest.raises(DamagedStoreError):
            use()
    assert len(store.read("other").table().state) == 16
    store.close()


def test_a_run_that_is_gone(path: Path) -> None:
    """Its cells are there, which the check tells."""
    change(path, "DELETE FROM tiebreak_runs WHERE run = MOONS")
    store = SqlStore(path)
    assert store.check() == [Damage("", "the list of runs", "one that has cells is gone")]
    with pytest.raises(UnknownNameError):
        store.read("moons")
    store.close()


def test_a_torn_file(written: bytes, path: Path) -> None:
    """Cut off anywhere: refused with path and run, or as no database, and reported."""
    for size in (100, 4096, len(written) // 2, len(written) - 4096):
        path.write_bytes(written[:size])
        answers = read_all(path)
        assert answers["check"]
        errors = [answers[name] for name in ("runs", "moons", "other") if isinstance(answers[name], Exception)]
        assert errors
        assert all(str(path) in str(error) or "run '" in str(error) for error in errors)


# --- files that are no stores ---------------------------------------------------------------------------------------------


def another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE places (url TEXT)")


def definition(*statements: str) -> Callable[[Path], None]:
    def execute(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return execute


def content(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
NOT_AS = (
    "which is not as this release of tiebreak makes one. Nothing was read, as that could do whatever it says. A store of another"
)
FILES: dict[str, tuple[Callable[[Path], object], type[Exception], str]] = {
    "0 bytes": (content(b""), NoStoreError, "there is no store"),
    "a text": (
        content(b"model,score\nsvm,0.9\n" * 9),
        StoreError,
        "is not a SQLite database; it was left as it is. Name another",
    ),
    "another program's": (
        another_program,
        StoreError,
        "is a SQLite database of something else, with the table 'places'; it was left",
    ),
    "another schema": (
        definition("UPDATE tiebreak_store SET schema = 12"),
        StoreError,
        "has schema 12, of another release of tiebreak, and this one knows schema 11 only. It was left as it is. Read it with",
    ),
    "tables of another schema": (
        definition("CREATE TABLE tiebreak_models (run BIGINT)"),
        DamagedStoreError,
        f"holds the table 'tiebreak_models', {NOT_AS}",
    ),
    "an endless view": (
        definition("DROP TABLE tiebreak_cells", f"CREATE VIEW tiebreak_cells AS {ENDLESS}"),
        DamagedStoreError,
        f"holds the view 'tiebreak_cells', {NOT_AS}",
    ),
    "a trigger": (
        definition("CREATE TRIGGER t AFTER INSERT ON tiebreak_cells BEGIN DELETE FROM tiebreak_runs; END"),
        DamagedStoreError,
        f"holds the trigger 't', {NOT_AS}",
    ),
    "an index on an expression": (
        definition("CREATE INDEX i ON tiebreak_cells (abs(model))"),
        DamagedStoreError,
        f"holds the index 'i', {NOT_AS}",
    ),
    "a long definition": (
        definition(f"CREATE TABLE x (y TEXT CHECK (y <> '{'x' * 2_000_000}'))"),
        DamagedStoreError,
        "is not as it was written: SQLite says 'string or blob too big'",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_store(path: Path, name: str) -> None:
    """Refused for each way to use it with one clear error, and left as it is; nothing that it holds is evaluated."""
    make, kind, text = FILES[name]
    make(path)
    before = path.read_bytes()
    store = SqlStore(path)
    for use in (store.runs, lambda: store.read("moons"), lambda: store.delete("moons")):
        with pytest.raises(TiebreakError, match=text.replace("(", r"\(")) as error:
            use()
        assert isinstance(error.value, kind)
        assert str(path) in str(error.value)
    if name != "0 bytes":
        with pytest.raises(TiebreakError, match=text):
            store.open(PLAN)
    store.close()
    assert path.read_bytes() == before


def test_statistics_of_sqlite(path: Path) -> None:
    """Tools make them in any file, by ANALYZE: they are no reason to refuse it."""
    definition("ANALYZE")(path)
    assert SqlStore(path).check() == []


def test_a_statement_without_end_is_ended(path: Path) -> None:
    """By the number of its steps: a file of its size cannot take as many."""
    store = SqlStore(path)
    assert "reading it takes longer than a file of its size can" in told(
        DamagedStoreError, executed, store, f"SELECT count(*) FROM ({ENDLESS})"
    )
    assert "its rows are more than fit into the file" in told(
        DamagedStoreError, executed, store, f"SELECT zeroblob(100000) FROM ({ENDLESS})"
    )
    assert len(store.runs()) == 2
    store.close()


# --- rows with a right hash -----------------------------------------------------------------------------------------------

WRONG_CELLS: dict[str, dict[str, Any]] = {
    "state": {"state": 99},
    "versions": {"environment": -1},
    "no JSON": {"facts": b"["},
    "nested JSON": {"facts": b"[" * 20_000},
    "facts that are none": {"facts": b'{"other": "x"}'},
    "a reason of no metric": {"facts": b'{"undefined": {"x": "y"}}'},
    "too many values": {"facts": b"[" + b"0," * 1_000_000 + b"0]"},
    "no seconds": {"fit_seconds": "x"},
    "no score": {"scores": {0: None}},
}


@pytest.mark.parametrize("name", WRONG_CELLS)
def test_a_cell_that_is_none(path: Path, name: str) -> None:
    """Of a wrong kind, range or size, with a hash that fits: it is named by all who read it, and by the check."""
    recode(path, **WRONG_CELLS[name])
    store = SqlStore(path)
    assert ("moons", CELL) in [(damage.run, damage.where) for damage in store.check()]
    assert "moons" in told(DamagedStoreError, lambda: list(store.read("moons").outcomes()))
    store.close()


@pytest.mark.parametrize(
    "wrong", [("|O", [1]), ("<f8", [-1]), ("<f8", [10**12]), ("f8,f8", [1]), (7, [1]), ("<f8", 1), ("<f8", [2])]
)
def test_an_array_that_is_none(wrong: tuple[Any, Any]) -> None:
    """No object is unpickled, no text is run, and nothing is allocated for an array that is not there."""
    with pytest.raises(ValueError, match=r"no array of numbers|reshape|Expected"):
        unpack_arrays(to_msgpack([(b'"a"', *wrong, bytes(8))]))


@pytest.mark.parametrize(
    ("name", "value"), [("rng", "seed"), ("threads", 0), ("versions", []), ("metrics", [["a", 1, "b"]]), ("datasets", [{}])]
)
def test_a_plan_that_is_none(name: str, value: Any) -> None:
    """With fields of a wrong kind: an error, and no record."""
    arrays = unpack_arrays(pack_plan(PLAN, [{"Python": "3"}]))
    document = from_json(arrays["document"].tobytes()) | {name: value}
    with pytest.raises(ValueError, match=r"Expected|missing"):
        read_plan(pack_arrays({**arrays, "document": np.frombuffer(to_json(document), np.uint8)}))
