"""The loop that hands cells out, with workers that do what a test says, in this process."""

import time
from concurrent.futures import BrokenExecutor, CancelledError, Future
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guarded import told
from tests.runners.workloads import grid, splits
from tiebreak.errors import LostWorkersError
from tiebreak.plan.record import Outcome
from tiebreak.runners import worker as code
from tiebreak.runners.dispatch import Dispatch, in_words


class Pool:
    """Workers a, b, ...: each call is answered at once with `n` cells at most; `dies` is asked of each call that measures."""

    lost = (BrokenExecutor,)

    def __init__(self, names="ab", n=10**6, dies=lambda worker, cells: False, answers=None, instead=lambda worker, cells: None):
        self.names, self.n, self.dies, self.answers = list(names), n, dies, answers or {}
        self.instead, self.batches, self.loads, self.dropped, self.is_closed = instead, [], [], [], False

    def workers(self):
        return self.names

    def submit(self, worker, cells):
        (self.batches if cells else self.loads).append((worker, list(cells)))
        if cells and (future := self.instead(worker, cells)):
            return future
        if cells and self.dies(worker, cells):
            return answered(BrokenExecutor("The exit codes of the workers are {SIGKILL(-9)}"))
        report = code.dumps([Outcome(cell) for cell in cells[: self.n]]), ""
        return answered(report if cells else self.answers.get(worker, report))

    def drop(self, worker):
        self.dropped.append(worker)

    def refused(self, worker, reason):
        return ValueError(f"{worker}: {reason}")

    def close(self):
        self.is_closed = True


def answered(answer):
    """A call with its answer, or its exception."""
    future = Future()
    (future.set_exception if isinstance(answer, BaseException) else future.set_result)(answer)
    return future


def measured(pool, cells, group=lambda cell: None, timeout=None):
    """All outcomes by cell; none comes twice."""
    outcomes = [outcome for batch in Dispatch(pool, cells, group, timeout).outcomes() for outcome in batch]
    by_cell = {outcome.cell: outcome for outcome in outcomes}
    assert len(by_cell) == len(outcomes)
    assert pool.is_closed
    return by_cell


@given(
    st.integers(0, 30),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 20),
    st.booleans(),
    st.sets(st.integers(0, 119), max_size=3),
)
def test_every_cell_is_measured_once_whoever_dies(n_splits, n_models, n_workers, n, grouped, deadly):
    """Those that kill are named after two deaths alone, and nobody else is."""
    cells = grid(n_splits, n_models)
    bad = {cell for position, cell in enumerate(cells) if position in deadly}
    pool = Pool("abcde"[:n_workers], n, lambda worker, batch: bool(bad & set(batch[:n])))
    outcomes = measured(pool, cells, (lambda cell: cell.split) if grouped else lambda cell: None)
    assert set(outcomes) == set(cells)
    assert {cell for cell, outcome in outcomes.items() if not outcome.is_done} == bad
    assert {(outcomes[cell].state, outcomes[cell].attempts) for cell in bad} <= {("killed", 2)}
    assert all(outcome.attempts == 1 for cell, outcome in outcomes.items() if cell not in bad)


def test_the_cell_to_blame_is_told_with_the_signal():
    """Two deaths alone, and how the worker ended, as far as that is known."""
    assert in_words(CancelledError("measure-7")) == "it is gone"
    outcome = measured(Pool(dies=lambda worker, cells: splits(3)[1] in cells), splits(3))[splits(3)[1]]
    assert outcome.message == (
        "2 workers died while they measured this cell and nothing else: SIGKILL(-9); often that is the system, out of memory"
    )


def test_a_cell_whose_worker_dies_once_is_measured_the_second_time():
    """Somebody else may have been to blame; the number of tries is told."""
    deaths = iter([True])
    outcomes = measured(Pool("a", dies=lambda worker, cells: next(deaths, False)), splits(3))
    assert [(outcome.state, outcome.attempts) for _, outcome in sorted(outcomes.items())] == [
        ("done", 2),
        ("done", 1),
        ("done", 1),
    ]


def test_a_worker_that_is_gone_is_replaced_by_others():
    """Its call has no answer and never will; what it held is measured again, alone."""
    pool = Pool("ab")
    pool.instead = lambda worker, cells: Future() if worker == "a" else None
    batches = Dispatch(pool, splits(20), lambda cell: None).outcomes()
    kept = next(batches)
    pool.names = ["b", "c"]
    kept += [outcome for batch in batches for outcome in batch]
    assert sorted(outcome.cell for outcome in kept) == splits(20)
    assert ("c", []) in pool.loads


def test_a_cell_that_takes_too_long_costs_its_worker_and_nothing_else():
    """One cell a call with a timeout, even of a group; `a` never answers."""
    pool = Pool("ab")
    slow = splits(9)[4]
    pool.instead = lambda worker, cells: Future() if slow in cells else None
    begun = time.monotonic()
    outcomes = measured(pool, splits(9), lambda cell: 0, timeout=0.3)
    assert 0.3 <= time.monotonic() - begun < 5
    assert all(len(batch) == 1 for _, batch in pool.batches)
    late = outcomes.pop(slow)
    assert (late.state, late.message, late.attempts) == ("timed-out", "no result after 0.3 s", 1)
    assert all(outcome.is_done for outcome in outcomes.values())
    assert len(pool.dropped) == 1


def test_a_worker_that_cannot_start_leaves_the_work_to_others():
    """After three tries; memory may be too short for two."""
    pool = Pool("ab", n=1, answers={"b": MemoryError("no room")})
    assert len(measured(pool, splits(40))) == 40
    assert pool.loads.count(("b", [])) == 3
    assert {worker for worker, _ in pool.batches} == {"a"}


@pytest.mark.parametrize("error", [BrokenExecutor("gone"), MemoryError("no room")])
def test_workers_that_cannot_start_end_the_run(error):
    """No cell was begun, so none is to blame, and nothing is recorded that would have to be repeated by order."""
    with pytest.raises(
        LostWorkersError, match=r"^No worker could take over models and data for the remaining 3 cells: .*\. Make room"
    ):
        measured(Pool(answers=dict.fromkeys("ab", error)), splits(3))


def test_workers_that_die_as_they_start_are_counted_under_all_their_names():
    """Dask replaces each by one of another name: three tries for each of two."""
    pool = Pool("ab", answers=dict.fromkeys("abcdefghij", BrokenExecutor("gone")))
    pool.drop = lambda worker: (pool.names.remove(worker), pool.names.append(chr(ord(max([*pool.names, worker])) + 1)))
    assert told(LostWorkersError, lambda: measured(pool, splits(3))).startswith("No worker could take over")
    assert len(pool.loads) == 6


def test_lost_starts_count_in_a_row_alone():
    """Two, one that succeeds, and after a death at work two more: none is the third."""
    starts = iter(2 * [BrokenExecutor("gone"), BrokenExecutor("gone"), None])
    answers = SimpleNamespace(get=lambda worker, report: next(starts) or report)
    pool = Pool("a", dies=lambda worker, cells: len(pool.batches) == 1, answers=answers)
    assert (len(measured(pool, splits(3))), len(pool.loads)) == (3, 6)


def test_a_call_that_raises_costs_one_cell():
    """Such as a result that does not arrive: each cell of the call is measured again, alone, and no worker is to blame."""
    pool = Pool("ab")
    bad = splits(20)[7]
    pool.instead = lambda worker, cells: answered(OSError("torn")) if bad in cells else None
    outcomes = measured(pool, splits(20))
    assert [(cell, each.state, each.message) for cell, each in outcomes.items() if not each.is_done] == [
        (bad, "raised", "OSError: torn")
    ]
    assert pool.dropped == []


def test_a_workload_that_cannot_be_read_ends_the_run():
    """It would be the same for every cell; also of a worker that reads it anew in the middle of the run."""
    unfit = code.Unfit("no such module")
    for pool in (Pool(answers={"a": unfit}), Pool("a", instead=lambda worker, cells: answered(unfit))):
        assert told(ValueError, measured, pool, splits(3)) == "a: no such module"


def test_a_worker_keeps_to_the_cells_of_a_group():
    """Models of a split share work: nobody begins one that another has begun, but for the end, when there is nothing else."""
    pool = Pool("ab", n=2)
    measured(pool, grid(8, 6), lambda cell: cell.split)
    assert len({(batch[0].split, worker) for worker, batch in pool.batches}) <= 8 + 1


def test_batches_grow_and_get_shorter_towards_the_end():
    """1, 2, 4, ... while all of a batch is measured in its time; at most a quarter of what is left for each worker."""
    pool = Pool("a")
    measured(pool, splits(100))
    assert [len(batch) for _, batch in pool.batches][:6] == [1, 2, 4, 8, 16, 18]
    assert [len(batch) for _, batch in pool.batches][-4:] == [1, 1, 1, 1]


def test_cells_are_taken_as_late_as_possible():
    """Others may measure the same run: one beyond those that are handed out is looked at."""
    source = iter(splits(100))
    next(Dispatch(Pool("ab"), source, lambda cell: None).outcomes())
    assert next(source).split <= 3


def test_no_more_workers_than_cells_are_started():
    """Three cells on eight workers."""
    pool = Pool("abcdefgh")
    measured(pool, splits(3))
    assert len(pool.loads) <= 3
