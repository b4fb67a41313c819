"""Several workers on one queue: streaming, deaths, timeouts, the end."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import BrokenExecutor

import cloudpickle
import pytest

from tests.runners import workloads
from tests.runners.test_local import measured, measured_by
from tests.runners.workloads import (
    DiesOnArrival,
    Marked,
    NeverArrives,
    Once,
    Plain,
    Returns,
    SlowToArrive,
    Unreadable,
    Unsendable,
    WaitFor,
    group_members,
    is_alive,
    splits,
    wait_until,
)
from tiebreak.errors import LostWorkersError
from tiebreak.runners import processes, worker_group
from tiebreak.runners.local import LocalRunner
from tiebreak.runners.processes import WorkerProcess

pytestmark = pytest.mark.slow

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def test_the_first_batch_comes_before_the_last_cell_begins(tmp_path):
    """40 cells of 20 ms on two workers."""
    workload = Marked(tmp_path, seconds=0.02)
    batches = LocalRunner(2, isolate=True).run(workload, splits(40))
    next(batches)
    assert 39 not in workload.begun()
    batches.close()


def test_a_worker_gets_no_more_before_the_consumer_comes_back(tmp_path):
    """Whatever was begun has been handed over by then: a kill at this moment would lose nothing."""
    workload = Marked(tmp_path)
    handed_over = set()
    for batch in LocalRunner(1, isolate=True).run(workload, splits(100)):
        handed_over |= {outcome.cell.split for outcome in batch}
        time.sleep(0.02)
        assert workload.begun() == handed_over
    assert len(handed_over) == 100


DEEDS = {
    2: (workloads.kill, "the process was killed by signal 9 (SIGKILL); often that is the system, out of memory"),
    7: (workloads.end_at_once, "the process ended with exit code 3"),
    8: (workloads.exit_with_code, "the process ended with exit code 4"),
    10: (workloads.exit_with_success, "the process ended with exit code 0"),
}


@needs_posix
def test_a_cell_that_takes_its_worker_down_is_named_and_nobody_else(tmp_path):
    """The batch it sat in is measured again, each cell alone; after two deaths alone the cell is given up."""
    workload = Marked(tmp_path, {split: deed for split, (deed, _) in DEEDS.items()})
    outcomes = measured(LocalRunner(2, isolate=True), workload, splits(12))
    for split, (_, message) in DEEDS.items():
        bad = outcomes.pop(splits(12)[split])
        assert (bad.state, bad.message, bad.attempts) == ("killed", message, 2)
    assert len(outcomes) == 8
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())


def test_a_cell_whose_worker_dies_once_is_measured_the_second_time(tmp_path):
    """Somebody else may have been to blame; the number of tries is told."""
    workload = Marked(tmp_path, {0: Once(tmp_path, workloads.end_at_once)})
    outcomes = measured(LocalRunner(1, isolate=True), workload, splits(3))
    assert [(outcome.state, outcome.attempts) for _, outcome in sorted(outcomes.items())] == [
        ("done", 2),
        ("done", 1),
        ("done", 1),
    ]


@needs_proc
def test_a_death_is_noticed_although_children_live_on(tmp_path, monkeypatch):
    """They hold the pipes of the dead worker open; they are killed after it."""
    monkeypatch.setattr(worker_group, "CHECK_SECONDS", 0.2)
    workload = Marked(tmp_path, {0: workloads.leave_a_child_and_die})
    outcomes = measured(LocalRunner(1, isolate=True), workload, splits(2))
    assert [outcome.state for _, outcome in sorted(outcomes.items())] == ["killed", "done"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_hangs_costs_its_time_only(tmp_path, n_jobs):
    """Its worker is replaced, and one that sleeps is killed as one that computes."""
    workload = Marked(tmp_path, {1: workloads.hang, 3: workloads.hang})
    outcomes = measured(LocalRunner(n_jobs, timeout=4), workload, splits(6))
    for split in (1, 3):
        late = outcomes.pop(splits(6)[split])
        assert (late.state, late.message, late.attempts) == ("timed-out", "no result after 4 s", 1)
    assert len(outcomes) == 4
    assert all(outcome.is_done for outcome in outcomes.values())


def test_time_counts_from_the_beginning_of_the_cell():
    """A process that starts, and a workload that takes three seconds to unpickle, are not the model's fault."""
    outcomes = measured(LocalRunner(1, timeout=2), SlowToArrive(), splits(2))
    assert {outcome.state for outcome in outcomes.values()} == {"done"}


@pytest.mark.parametrize(
    ("value", "message"),
    [(Unsendable, "TypeError: not this one"), (Unreadable, "ValueError: invalid literal for int() with base 10: 'no number'")],
)
def test_a_result_that_does_not_arrive_costs_one_cell(value, message):
    """It sits in a batch with others, which are measured again alone where need be."""
    outcomes = measured(LocalRunner(1, isolate=True), Returns(5, value), splits(10))
    bad = outcomes.pop(splits(6)[5])
    assert (bad.state, bad.message, bad.attempts) == ("raised", message, 1)
    assert bad.traceback.endswith(f"{message}\n")
    assert len(outcomes) == 9
    assert all(outcome.is_done for outcome in outcomes.values())


def test_a_workload_that_cannot_be_unpickled_fails_every_cell_with_the_reason(monkeypatch):
    """So many processes in a row for each worker, then none is left to try."""
    monkeypatch.setattr(worker_group, "MAX_STARTS", 1)
    outcomes = measured(LocalRunner(2, isolate=True), NeverArrives(), splits(5))
    assert {(outcome.state, outcome.message) for outcome in outcomes.values()} == {
        ("raised", "no worker process could take over the work: ImportError: No module named 'theirs'")
    }
    assert len(outcomes) == 5
    assert all("__setstate__" in outcome.traceback for outcome in outcomes.values())


def test_processes_that_cannot_start_end_the_run():
    """No cell was begun, so none is to blame, and nothing is recorded that would have to be repeated by order."""
    with pytest.raises(LostWorkersError) as caught:
        measured(LocalRunner(1, isolate=True), DiesOnArrival(), splits(3))
    assert str(caught.value) == (
        "No worker process could be started for the remaining 3 cells: the process ended with exit code 5. "
        "Make room on this machine or lower n_jobs, and run the same again to go on."
    )


@needs_proc
def test_nobody_is_at_work_when_the_consumer_has_gone(tmp_path):
    """One model hangs in joblib with two processes of its own; all are gone when close() returns, or a moment later."""
    workload = Marked(tmp_path, {0: workloads.hang_in_children})
    batches = LocalRunner(2, isolate=True).run(workload, splits(10))
    next(batches)
    wait_until(lambda: workload.path(0).exists() and len(group_members(workload.pid(0))) >= 3)
    worker = workload.pid(0)
    batches.close()
    assert not is_alive(worker)
    wait_until(lambda: not group_members(worker))


def test_an_error_of_the_consumer_ends_the_workers(tmp_path):
    """Such as a full disk when a batch is recorded: thrown into the generator, it comes out again."""
    batches = LocalRunner(2, isolate=True).run(Marked(tmp_path), splits(100))
    next(batches)
    with pytest.raises(OSError, match="disk full"):
        batches.throw(OSError("disk full"))


def test_two_workers_are_at_work_at_a_time(tmp_path):
    """The first cell ends when the second has begun."""
    outcomes = measured(LocalRunner(2, isolate=True), Marked(tmp_path, {0: WaitFor(tmp_path / "begun-1")}), splits(2))
    assert len(measured_by(outcomes)) == 2
    assert os.getpid() not in measured_by(outcomes)


@needs_posix
def test_no_cell_is_to_blame_for_a_worker_that_dies_while_it_waits(tmp_path, monkeypatch):
    """It looked usable a moment ago; first between two batches, then between two runs."""
    acquired = []

    def acquire():
        acquired.append(processes_acquire())
        return acquired[-1]

    processes_acquire = processes.acquire
    monkeypatch.setattr(processes, "acquire", acquire)
    monkeypatch.setattr(WorkerProcess, "is_usable", True)
    workload = Marked(tmp_path)
    batches = LocalRunner(1, isolate=True).run(workload, splits(20))
    outcomes = next(batches)
    _kill_waiting(acquired[-1])
    outcomes += [outcome for batch in batches for outcome in batch]
    assert {(outcome.state, outcome.attempts) for outcome in outcomes} == {("done", 1)}
    assert len(outcomes) == 20
    _kill_waiting(acquired[-1])
    outcomes = measured(LocalRunner(1, isolate=True), workload, splits(3)).values()
    assert {(outcome.state, outcome.attempts) for outcome in outcomes} == {("done", 1)}


def _kill_waiting(process):
    """Kill a worker, and wait until it takes no more calls."""

    def is_broken():
        try:
            process.call(os.getpid)
        except BrokenExecutor:
            return True
        return False

    os.kill(process.pid, signal.SIGKILL)
    wait_until(is_broken)


class ArrivesTwice(Marked):
    """Can be unpickled by two processes, and by no other."""

    def __setstate__(self, state):
        self.__dict__ |= state
        arrived = len(list(self.folder.glob("arrived-*")))
        (self.folder / f"arrived-{os.getpid()}").touch()
        if arrived >= 2:
            raise MemoryError("no room for another worker")


cloudpickle.register_pickle_by_value(sys.modules[__name__])


def test_the_retries_of_a_worker_that_is_given_up_are_done_by_another(tmp_path, monkeypatch):
    """Memory may be too short for a second worker, and long enough for one: the first dies and cannot be started again."""
    monkeypatch.setattr(worker_group, "MAX_STARTS", 1)
    workload = ArrivesTwice(tmp_path, {20: Once(tmp_path, workloads.end_at_once)})
    outcomes = measured(LocalRunner(2, isolate=True), workload, splits(40))
    assert len(outcomes) == 40
    assert all(outcome.is_done for outcome in outcomes.values())
    assert len(list(tmp_path.glob("arrived-*"))) == 3
    assert 1 <= len(measured_by(outcomes)) <= 2


def test_no_more_workers_than_cells_are_started(tmp_path, cold):
    """Three cells on eight workers."""
    outcomes = measured(LocalRunner(8, isolate=True), Plain(), splits(3))
    assert len(measured_by(outcomes)) <= 3
