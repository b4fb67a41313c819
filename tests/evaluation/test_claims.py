"""The cells that this process takes on, a few at a time."""

from __future__ import annotations

import random
import threading
import time
from operator import length_hint

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plans import a_failure, a_plan, all_cells, an_outcome
from tiebreak.evaluation.evaluate import FIRST, Claims
from tiebreak.stores.memory import MemoryStore

PLAN = a_plan(models=[f"m{i}" for i in range(25)])
CELLS = all_cells(PLAN)


def test_alone_all_cells_come_in_order():
    """One hundred cells, measured four at a time."""
    log = MemoryStore().open(PLAN)
    with log.lease() as lease:
        claims = Claims(lease, CELLS)
        taken = []
        for cell in claims:
            taken.append(cell)
            if len(taken) % 4 == 0:
                claims.write([an_outcome(each) for each in taken[-4:]])
        assert taken == CELLS
        assert not claims.wait()
        assert claims.settled_elsewhere() == []


def test_the_length_is_what_may_still_come():
    """Whether taken on already or not."""
    with MemoryStore().open(PLAN).lease() as lease:
        claims = Claims(lease, CELLS)
        assert length_hint(claims) == 100
        next(claims)
        assert length_hint(claims) == 99


def test_few_are_taken_on_while_nothing_is_known_of_their_seconds():
    """Another process finds the rest."""
    log = MemoryStore().open(PLAN)
    with log.lease() as lease, log.lease() as other:
        next(Claims(lease, CELLS))
        assert other.claim(CELLS).granted == CELLS[FIRST:]


def test_cells_of_others_are_waited_for():
    """Those that they have measured are settled; those that they give back are measured here."""
    log = MemoryStore().open(PLAN)
    other = log.lease()
    other.claim(CELLS[:3])
    with log.lease() as lease:
        claims = Claims(lease, CELLS)
        mine = list(claims)
        assert mine == CELLS[3:]
        assert claims.n_held == 3
        claims.write([an_outcome(cell) for cell in mine])
        pauses = []

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                other.write([an_outcome(CELLS[0])])
            if len(pauses) == 4:
                other.__exit__(None, None, None)

        assert claims.wait(pause)
        assert list(claims) == CELLS[1:3]
        assert [outcome.cell for outcome in claims.settled_elsewhere()] == CELLS[:1]
        claims.write([an_outcome(cell) for cell in CELLS[1:3]])
        assert not claims.wait(pause)
    assert len(pauses) == 4
    assert pauses == [
        0.15000000000000002,
        0.22500000000000003,
        0.1,
        0.15000000000000002,
    ]  # half as long again each time nothing changes


def test_failures_are_measured_again_only_on_demand():
    """Those that failed before this call; one that fails in another process meanwhile is settled."""
    log = MemoryStore().open(PLAN)
    log.write([a_failure(CELLS[0])])
    with log.lease() as lease:
        claims = Claims(lease, CELLS[:2], again=[CELLS[0]])
        log.write([a_failure(CELLS[1])])
        assert list(claims) == CELLS[:1]


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 4), st.randoms(use_true_random=False))
def test_together_they_measure_each_cell_once(n: int, rng: random.Random):
    """Threads that stop and go as it comes, each writing batches of its own size; all of them see the whole at the end."""
    store = MemoryStore()
    store.open(PLAN)
    measured = []
    lock = threading.Lock()

    def work(size: int) -> None:
        with store.open(PLAN).lease() as lease:
            claims = Claims(lease, CELLS)
            while True:
                batch = []
                for cell in claims:
                    batch.append(cell)
                    if len(batch) == size:
                        claims.write([an_outcome(each) for each in batch])
                        with lock:
                            measured.extend(batch)
                        batch = []
                claims.write([an_outcome(each) for each in batch])
                with lock:
                    measured.extend(batch)
                if not claims.wait(lambda _: time.sleep(0.001)):
                    break
            assert len(list(store.read("moons").outcomes())) == 100

    threads = [threading.Thread(target=work, args=(rng.randint(1, 9),)) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(measured) == CELLS
