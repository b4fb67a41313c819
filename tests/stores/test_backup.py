"""Copies of a store in use."""

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome, comparable
from tests.guarded import told, umask
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores import sqlite
from tiebreak.stores.sql import MemoryStore, SqlStore


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Of a copy that is not there yet."""
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies" / "copy.db"


def test_a_copy_is_a_store(store: SqlStore, target: Path) -> None:
    """With the same rows, for its owner only, whatever the umask; a file that is there stays."""
    plan = a_plan()
    log = store.open(plan)
    log.write([an_outcome(cell) for cell in all_cells(plan)])
    with umask(0):
        store.backup(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    copy = SqlStore(target)
    assert [comparable(each) for each in copy.read("moons").outcomes(outputs=True)] == [
        comparable(each) for each in log.outcomes(outputs=True)
    ]
    copy.open(plan).write([an_outcome(cell) for cell in all_cells(plan)])
    copy.close()
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]


def test_others_write_meanwhile(store: SqlStore, target: Path) -> None:
    """Each copy is of one moment: whole batches, and the count fits."""
    plan = a_plan(models=[f"m{i}" for i in range(100)])
    log = store.open(plan)
    batches = [all_cells(plan)[i : i + 5] for i in range(0, 400, 5)]
    writing = threading.Thread(target=lambda: [log.write([an_outcome(cell) for cell in batch]) for batch in batches])
    writing.start()
    counts = []
    while writing.is_alive():
        target.unlink(missing_ok=True)
        store.backup(target)
        copy = SqlStore(target)
        counts.append(copy.runs()[0].n_done)
        assert copy.check() == []
        copy.close()
    writing.join()
    assert all(count % 5 == 0 for count in counts)
    assert counts == sorted(counts)


def test_a_damaged_store_is_refused(store: SqlStore, path: Path, target: Path) -> None:
    """A backup would pass for a whole one."""
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tiebreak_cells SET content = zeroblob(60)")
    assert told(DamagedStoreError, store.backup, target) == (
        f"{path} is damaged, so no backup was made that would pass for a whole one. The first of 1 findings is the cell of model "
        "'svm' on repeat 0 fold 0 of run 'moons': its hash does not match. 'tiebreak store check' lists all. Put an earlier "
        "backup in its place."
    )
    assert list(target.parent.iterdir()) == []


def test_what_cannot_hold_a_copy(store: SqlStore, path: Path, target: Path) -> None:
    """Said before anything is copied, or in the words of the system."""
    store.open(a_plan())
    target.with_name("copy.db-journal").touch()
    for wrong, name in ((path, path.name), (target.parent, target.parent.name), (target, "copy.db-journal")):
        assert (
            told(StoreError, store.backup, wrong)
            == f"{wrong} cannot hold the backup: {name!r} is there already. Name another file."
        )
    wrong = target.parent / "no" / "copy.db"
    assert told(StoreError, store.backup, wrong) == (
        f"{wrong} cannot be written: the system says 'No such file or directory'. No backup was made. Name another file."
    )
    assert "the store in memory is no file." in told(StoreError, lambda: MemoryStore().backup(target))


def test_a_disk_that_takes_no_copy(store: SqlStore, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says is passed on, and nothing is left."""
    store.open(a_plan())

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sqlite, "_copy", refuse)
    assert told(StoreError, store.backup, target) == (
        f"{target} cannot be written: the system says 'No space left on device'. No backup was made. Name another file."
    )
    assert list(target.parent.iterdir()) == []
