"""What every store in a database must do beside: its tests inherit `SqlStoreContract` and give it the fixture `source`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contracts.lease_contract import LeaseContract
from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome
from tests.contracts.store_contract import HOSTILE, StoreContract
from tiebreak.stores.sql import log as sql_log
from tiebreak.stores.sql.store import SqlStore


class SqlStoreContract(StoreContract, LeaseContract):
    """Tests that need the address of a place for a store, and what the tables there look like."""

    @pytest.fixture
    def source(self) -> str:
        """Of a store that is not there yet."""
        raise NotImplementedError

    def tables_in(self, source: str) -> Any:
        """All tables with their columns."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, source: str) -> Iterator[SqlStore]:
        """A fresh one."""
        store = SqlStore(source)
        yield store
        store.close()

    def test_hostile_names_change_no_table(self, store: SqlStore, source: str) -> None:
        """The schema after all of them is the one that was there before."""
        store.open(a_plan("first"))
        before = self.tables_in(source)
        for name in HOSTILE.values():
            store.open(a_plan(name, models=(name,), metrics=(name,), datasets=(a_dataset(name),)))
        assert self.tables_in(source) == before
        assert sorted(run.name for run in store.runs()) == sorted([*HOSTILE.values(), "first"])

    def test_a_table_that_is_written_to_meanwhile(self, store: SqlStore, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """The pages would be of different states, so they are read once more at one moment; nothing is taken for damage."""
        plan = a_plan()
        log, other = store.open(plan), SqlStore(source)
        cells = all_cells(plan)
        log.write([an_outcome(cell) for cell in cells[2:]])
        late = iter(cells[:2])
        unpack = sql_log.unpack_table

        def write_and_unpack(*arguments: Any) -> Any:
            if (cell := next(late, None)) is not None:
                other.open(plan).write([an_outcome(cell)])
            return unpack(*arguments)

        monkeypatch.setattr(sql_log, "PAGE", 2)
        monkeypatch.setattr(sql_log, "unpack_table", write_and_unpack)
        assert len(log.table().state) == 12
        other.close()

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
