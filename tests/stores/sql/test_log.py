"""Reading those cells of a database alone that have something to tell."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.plan.record import Outcome
from tiebreak.stores.sql import log as scanning
from tiebreak.stores.sql.log import SqlLog
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import CELLS

CELLS_OF_PLAN = all_cells(a_plan())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """A fresh one."""
    store = SqlStore(tmp_path / "runs.db")
    yield store
    store.close()


def some_warn(store: SqlStore) -> SqlLog:
    """Twelve cells, every second one with a warning."""
    log = store.open(a_plan())
    log.write([an_outcome(cell, warnings=("odd",) * (i % 2)) for i, cell in enumerate(CELLS_OF_PLAN)])
    return log


@pytest.mark.parametrize("page", [1, 2, 3, 6, 7])
def test_pages(store: SqlStore, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whatever size: every noted cell once, in order."""
    monkeypatch.setattr(scanning, "PAGE", page)
    assert [outcome.cell for outcome in some_warn(store).noted("warnings")] == CELLS_OF_PLAN[1::2]


def test_others_are_not_read(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that come from the file are those of the noted cells."""
    log = some_warn(store)
    read: list[int] = []

    def counted(rows: list[tuple[object, ...]]) -> list[int]:
        read.append(len(rows))
        return damaged(rows)

    damaged = CELLS.damaged
    monkeypatch.setattr(type(CELLS), "damaged", lambda layout, rows: counted(rows) if layout is CELLS else [])
    assert len(list(log.noted("warnings"))) == sum(read) == 6
    assert list(log.noted("undefined")) == []
    assert sum(read) == 6


def test_what_only_looks_like_a_note(store: SqlStore) -> None:
    """A reason that is the word itself, between quotes in the file, is no warning."""
    log = store.open(a_plan())
    log.write([Outcome(CELLS_OF_PLAN[0], scores={"accuracy": float("nan")}, undefined={"accuracy": "warnings"})])
    assert list(log.noted("warnings")) == []
    assert [outcome.undefined for outcome in log.noted("undefined")] == [{"accuracy": "warnings"}]


def test_a_damaged_note_is_named(store: SqlStore, tmp_path: Path) -> None:
    """As by every way of reading."""
    log = some_warn(store)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection, connection:
        connection.execute("UPDATE tiebreak_cells SET facts = replace(facts, 'odd', 'add') WHERE split = 3 AND model = 2")
    with pytest.raises(DamagedStoreError, match="the cell of model 'linear' on repeat 1 fold 1 is not what was written"):
        list(log.noted("warnings"))


def test_a_deleted_run_has_no_notes(store: SqlStore) -> None:
    """That is said, rather than that there are none."""
    log = some_warn(store)
    store.delete("moons")
    with pytest.raises(StoreError, match="run 'moons' was deleted while it was open"):
        list(log.noted("warnings"))
