"""The contract of stores, in memory, in a SQLite file, and in PostgreSQL; and what holds of databases alone."""

import gc
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contracts.lease_contract import LeaseContract
from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.contracts.store_contract import StoreContract
from tests.guarded import told
from tiebreak.stores import log as logs
from tiebreak.stores.sql import MemoryStore, SqlStore


class TestMemoryStore(StoreContract, LeaseContract):
    """In memory."""

    @pytest.fixture
    def store(self) -> MemoryStore:
        """A fresh one."""
        return MemoryStore()


class InDatabase(StoreContract, LeaseContract):
    """What several processes may do to one database."""

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
    def test_after_a_fork_it_connects_anew(self, store: SqlStore) -> None:
        """A connection that two processes talk on would mix up their answers."""
        log = store.open(a_plan())
        log.write([an_outcome((0, 0, 0))])
        child = os.fork()
        if child == 0:
            try:
                log.write([an_outcome((0, 0, 1))])
                os._exit(0 if len(log.table().state) == 2 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        log.write([an_outcome((0, 0, 2))])
        assert len(log.table().state) == 3
        assert store.check() == []


class TestSqliteStore(InDatabase):
    """In a file: the fixture of this folder."""


class TestPostgresStore(InDatabase):
    """In an empty schema of a server."""

    @pytest.fixture
    def path(self, postgres_url: str) -> str:
        """The address of the schema."""
        return postgres_url


# --- rows -----------------------------------------------------------------------------------------------------------------


def test_cells_are_read_in_pages_and_written_together(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages make one table; of a call with one cell that is refused none is kept."""
    for limit, n in (("PAGE", 4), ("BLOCK_WITH_OUTPUTS", 5)):
        monkeypatch.setattr(logs, limit, n)
    plan = a_plan()
    log, cells = store.open(plan), all_cells(plan)
    log.write([an_outcome(cells[11], accuracy=0.0)])
    assert "was measured before with 'accuracy' 0.0, and now with 0.75" in told(
        ValueError, lambda: log.write([an_outcome(cell) for cell in cells])
    )
    log.write([an_outcome(cell) for cell in cells[:10]])
    expected = [*(an_outcome(cell) for cell in cells[:10]), an_outcome(cells[11], accuracy=0.0)]
    assert [comparable(outcome) for outcome in log.outcomes(outputs=True)] == list(map(comparable, expected))
    assert log.table().score[:, 0].tolist() == [0.75] * 10 + [0.0]
    assert store.check() == []


EVENTS: list[str] | None = None


def listen(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook; it cannot be taken off again, only be told not to listen."""
    if EVENTS is not None and event in {"import", "pickle.find_class", "marshal.loads", "exec", "os.system", "subprocess.Popen"}:
        EVENTS.append(f"{event} {arguments[0]}")


def test_a_store_is_not_believed(path: Path) -> None:
    """Opening and reading it runs nothing, unpickles nothing and imports nothing that it names."""
    global EVENTS
    sys.addaudithook(listen)
    hostile = ["antigravity", "os.system('true')", "cos\nsystem\n(S'true'\ntR.", "__import__('antigravity')", "this"]
    datasets = (a_dataset("antigravity", classes=tuple(hostile)),)
    plan = a_plan(models=hostile, metrics=hostile, datasets=datasets, versions={"this": "1"})
    outcome = an_outcome((0, 0, 0), scores=dict.fromkeys(hostile, 0.5), outputs={name: np.ones(2) for name in hostile})
    try:
        for _ in range(2):  # what is imported on first use has been by the second time
            EVENTS = []
            store = SqlStore(path)
            store.open(plan).write([outcome])
            log = store.read("moons")
            assert len(list(log.outcomes(outputs=True))) == len(log.table().state) == len(store.runs()) == 1
            assert store.check() == []
            store.close()
        assert [event for event in EVENTS if not event.startswith("exec <code object <module> at")] == []
    finally:
        EVENTS = None
    assert "antigravity" not in sys.modules


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="nothing says here which files are open")
def test_connections_are_closed_with_the_store(path: Path) -> None:
    """As soon as neither it nor a log of it is used any more."""

    def is_open() -> bool:
        return path in [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]

    store = SqlStore(path)
    log = store.open(a_plan())
    del store
    gc.collect()
    log.write([an_outcome((0, 0, 0))])  # the log still holds what it needs
    assert is_open()
    del log
    gc.collect()
    assert not is_open()
