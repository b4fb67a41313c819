"""What every store must do for those who measure one run together: a store's tests inherit `LeaseContract`."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contracts.plans import a_failure, a_plan, all_cells, an_outcome, claimed
from tiebreak.plan.record import Cell
from tiebreak.stores import lease as leases
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import SqlStore

CELLS = all_cells(a_plan())


class LeaseContract:
    """Tests that need nothing but a store."""

    def test_a_cell_is_granted_once(self, store: SqlStore) -> None:
        """Who asks second is told that it is held; asking again for one's own changes nothing."""
        with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
            assert claimed(one, CELLS[:3]) == (CELLS[:3], [], [])
            assert claimed(other, CELLS[2:5]) == (CELLS[3:5], CELLS[2:3], [])
            assert claimed(one, CELLS[:5]) == (CELLS[:3], CELLS[3:5], [])

    def test_what_was_not_measured_is_given_back(self, store: SqlStore) -> None:
        """At the end of a lease its cells are free."""
        log = store.open(a_plan())
        with SqlLease(log) as one:
            claimed(one, CELLS)
            one.exchange([an_outcome(CELLS[0])])
        with SqlLease(log) as other:
            claim = claimed(other, CELLS)
        assert claim.granted == CELLS[1:]
        assert [outcome.cell for outcome in claim.settled] == CELLS[:1]

    def test_a_measured_cell_is_settled(self, store: SqlStore) -> None:
        """Others learn what came of it, without its outputs."""
        with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
            claimed(one, CELLS[:2])
            refused, claim = one.exchange([an_outcome(CELLS[0])])
            assert (refused, claim) == ([], ([], [], []))
            granted, held, [settled] = claimed(other, CELLS[:2])
        assert (granted, held) == ([], CELLS[1:2])
        assert (settled.cell, settled.scores, settled.outputs) == (CELLS[0], an_outcome(CELLS[0]).scores, {})

    def test_the_next_cells_are_taken_on_with_the_writing(self, store: SqlStore) -> None:
        """What is written is settled, what is wanted is granted, and others see both."""
        with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
            claimed(one, CELLS[:1])
            assert one.exchange([an_outcome(CELLS[0])], CELLS[1:3]) == ([], (CELLS[1:3], [], []))
            claim = claimed(other, CELLS[:4])
        assert (claim.granted, claim.held) == (CELLS[3:4], CELLS[1:3])

    def test_a_failed_cell_is_settled_unless_it_is_to_be_measured_again(self, store: SqlStore) -> None:
        """Only those that the caller names."""
        log = store.open(a_plan())
        log.write([a_failure(CELLS[0]), a_failure(CELLS[1])])
        with SqlLease(log) as lease:
            claim = claimed(lease, CELLS[:2], again=CELLS[1:2])
        assert claim.granted == CELLS[1:2]
        assert [outcome.state for outcome in claim.settled] == ["raised"]

    def test_a_cell_that_lacks_a_metric_is_not_settled(self, store: SqlStore) -> None:
        """It was measured for a plan with one metric less."""
        store.open(a_plan(metrics=["log_loss"])).write([an_outcome(CELLS[0], scores={"log_loss": 0.5})])
        with SqlLease(store.open(a_plan())) as lease:
            assert claimed(lease, CELLS[:1]).granted == CELLS[:1]
            lease.exchange([an_outcome(CELLS[0], scores={"accuracy": 0.5})])
            [settled] = claimed(lease, CELLS[:1]).settled
        assert settled.scores == {"accuracy": 0.5, "log_loss": 0.5}

    def test_plans_that_differ_share_what_they_have_in_common(self, store: SqlStore) -> None:
        """A cell is meant by its names: model 0 of the one plan is model 1 of the other."""
        store.open(a_plan())
        with SqlLease(store.open(a_plan(models=["new", "svm"]))) as one, SqlLease(store.open(a_plan())) as other:
            claimed(one, [Cell(0, 0, 0), Cell(0, 0, 1)])
            assert claimed(other, [Cell(0, 0, 0), Cell(0, 0, 1)]) == ([Cell(0, 0, 1)], [Cell(0, 0, 0)], [])

    def test_leases_of_deleted_runs_are_gone(self, store: SqlStore) -> None:
        """A run of the same name begins anew."""
        with SqlLease(store.open(a_plan())) as one:
            claimed(one, CELLS[:2])
            store.delete("moons")
            with SqlLease(store.open(a_plan())) as other:
                assert claimed(other, CELLS[:2]).granted == CELLS[:2]

    def test_a_holder_shows_that_it_lives(self, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """Four times in the time for which it may show nothing, without any call of its own."""
        monkeypatch.setattr(leases, "SECONDS", 1.0)
        with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
            claimed(one, CELLS[:2])
            for _ in range(20):
                time.sleep(0.1)
                assert claimed(other, CELLS[:2]).held == CELLS[:2]

    def test_many_at_once_measure_each_cell_once(self, store: SqlStore) -> None:
        """Four threads that ask for cells in any order, and measure what they are granted."""
        plan = a_plan(models=[f"m{i}" for i in range(10)])
        cells = all_cells(plan)
        measured: list[Cell] = []

        def work(seed: int) -> None:
            rng = random.Random(seed)
            with SqlLease(store.open(plan)) as lease:
                for _ in range(30):
                    mine = claimed(lease, rng.sample(cells, 3)).granted
                    refused, claim = lease.exchange([an_outcome(cell) for cell in mine], rng.sample(cells, 2))
                    measured.extend([*mine, *claim.granted])
                    assert refused == lease.exchange([an_outcome(cell) for cell in claim.granted])[0] == []

        store.open(plan)
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        assert sorted(measured) == sorted(set(measured)) == [outcome.cell for outcome in store.read("moons").outcomes()]
