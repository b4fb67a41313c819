"""Measuring on this machine: here, in workers, and here until workers are worth their start."""

from __future__ import annotations

import os
import threading

import joblib
import numpy as np
import pytest

from tests.runners.workloads import (
    Busy,
    Marked,
    NeverArrives,
    Plain,
    Sized,
    WaitFor,
    be_wrong,
    exit_with_code,
    grid,
    hang,
    interrupt,
    is_alive,
    run_out_of_memory,
    splits,
    wait_until,
)
from tiebreak.errors import InvalidParameterError, InvalidPlanError, TiebreakWarning
from tiebreak.plan.record import Outcome
from tiebreak.runners import processes, worker_group
from tiebreak.runners.batch import PackedWorkload
from tiebreak.runners.local import LocalRunner, measure_here
from tiebreak.runners.worker_group import start_pays


def measured(runner, workload, cells):
    """All outcomes by cell; none comes twice."""
    outcomes = [outcome for batch in runner.run(workload, cells) for outcome in batch]
    by_cell = {outcome.cell: outcome for outcome in outcomes}
    assert len(by_cell) == len(outcomes)
    return by_cell


def drain(batches, kept):
    """Keep the splits of all outcomes, as far as it goes."""
    for batch in batches:
        kept += [outcome.cell.split for outcome in batch]


def measured_by(outcomes):
    """Ids of the processes that measured."""
    return {outcome.scores["pid"] for outcome in outcomes.values()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "runner",
    [
        LocalRunner(),
        LocalRunner(2),
        LocalRunner(1, isolate=True),
        LocalRunner(2, isolate=True),
        LocalRunner(3, isolate=True),
        LocalRunner(2, timeout=60),
    ],
    ids=lambda runner: f"{runner.n_workers} {runner.timeout} {runner.isolate}",
)
def test_every_cell_is_measured_once_and_the_same_everywhere(runner):
    """One process or several, batches of many cells or of one: place = 10 split + model."""
    cells = grid(40, 3)
    outcomes = measured(runner, Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())


@pytest.mark.parametrize("isolate", [False, True])
def test_nothing_to_do_gives_nothing(isolate):
    """No process is started for that, and no empty batch handed over."""
    assert list(LocalRunner(2, isolate=isolate).run(Plain(), [])) == []


def test_one_job_stays_in_this_process():
    """Nothing has to be picklable then."""
    workload = Plain()
    workload.lock = threading.Lock()
    assert measured_by(measured(LocalRunner(), workload, splits(3))) == {os.getpid()}


def test_a_single_cell_stays_in_this_process_however_many_jobs():
    """There is nothing to share."""
    assert measured_by(measured(LocalRunner(4), Plain(), splits(1))) == {os.getpid()}


@pytest.mark.slow
def test_little_work_stays_in_this_process(cold):
    """Starting workers takes longer than these twenty cells."""
    assert measured_by(measured(LocalRunner(2), Plain(), splits(20))) == {os.getpid()}
    assert processes.n_idle() == 0


def test_isolated_cells_are_never_measured_here():
    """Not even a single one."""
    assert os.getpid() not in measured_by(measured(LocalRunner(1, isolate=True), Plain(), splits(1)))


def test_what_cannot_be_sent_is_an_error_before_anything_is_measured(tmp_path):
    """It is not known yet if workers will be needed; the same call must not fail on slow machines only."""
    workload = Marked(tmp_path)
    workload.lock = threading.Lock()
    with pytest.raises(InvalidPlanError, match=r"cannot pickle '_thread.lock' object\. Define .* n_jobs=1, no timeout\.$"):
        next(LocalRunner(2, timeout=60).run(workload, splits(5)))
    assert workload.begun() == set()


def test_what_cannot_be_sent_is_measured_here(tmp_path):
    """Where nothing says that it must not be, as one process would do; a warning says why."""
    workload = Plain()
    workload.lock = threading.Lock()
    with pytest.warns(
        TiebreakWarning, match="cannot pickle '_thread.lock' object. Everything is measured in this process instead"
    ):
        outcomes = measured(LocalRunner(2), workload, splits(5))
    assert measured_by(outcomes) == {os.getpid()}


def test_a_large_array_is_shared_and_its_file_removed(tmp_path, monkeypatch):
    """1.6 MB: both workers map one file, read-only; the sum of 0 ... 199,999 is 199,999 * 100,000, and 5 comes from the other."""
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    batches = LocalRunner(2, isolate=True).run(Sized(200_000), splits(30))
    first = next(batches)
    [folder] = tmp_path.iterdir()
    assert [path.name for path in folder.iterdir()] == ["workload"]
    outcomes = first + [outcome for batch in batches for outcome in batch]
    assert list(tmp_path.iterdir()) == []
    assert {outcome.message for outcome in outcomes} == {"mmap"}
    assert {outcome.scores["writable"] for outcome in outcomes} == {False}
    assert {outcome.scores["sum"] for outcome in outcomes} == {199_999 * 100_000 + 5}


def test_negative_jobs_count_down_from_the_cores(monkeypatch):
    """As joblib does it: of 4 cores -1 is all, -2 three, and at least one."""
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    assert [LocalRunner(n).n_workers for n in (1, np.int64(7), -1, -2, -4, -9)] == [1, 7, 4, 3, 1, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", None, True])
def test_a_number_of_jobs_that_means_nothing(n_jobs):
    """0 may be none or all; True is a mistake."""
    with pytest.raises(InvalidParameterError) as caught:
        LocalRunner(n_jobs)
    assert str(caught.value) == (
        f"n_jobs={n_jobs!r} is no number of processes; give 1 or more, or -1 for all cores that may be used, -2 for one less."
    )


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), "1", True])
def test_a_timeout_that_means_nothing(timeout):
    """No limit is None."""
    with pytest.raises(InvalidParameterError) as caught:
        LocalRunner(timeout=timeout)
    assert str(caught.value) == (
        f"timeout={timeout!r} is no number of seconds above 0 for a cell; give one, or None for no limit."
    )


def test_a_model_that_exits_takes_an_unprotected_run_with_it(tmp_path):
    """In this process SystemExit goes through, as scikit-learn lets it; what was measured comes first."""
    kept = []
    with pytest.raises(SystemExit):
        drain(LocalRunner().run(Marked(tmp_path, {2: exit_with_code}), splits(5)), kept)
    assert kept == [0, 1]


class Clock:
    """Time that passes only while something is measured."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Timed(Plain):
    """Takes so many seconds of a clock, and does a deed at one split."""

    def __init__(self, clock, seconds, at=None, deed=None):
        self.clock, self.seconds, self.at, self.deed = clock, seconds, at, deed

    def measure(self, cell):
        self.clock.now += self.seconds
        if cell.split == self.at:
            self.deed()
        return Outcome(cell)


def run(seconds, n, **trouble):
    clock = Clock()
    return measure_here(Timed(clock, seconds, **trouble), splits(n), clock=clock)


def test_a_batch_is_closed_when_its_time_is_over():
    """Cells of 0.0625 s: the fourth is the first to end at or after 0.2 s, and what is left makes the last batch."""
    assert [len(batch) for batch in run(0.0625, 10)] == [4, 4, 2]


def test_a_long_cell_is_handed_over_by_itself():
    """Nothing is kept back once its time is over."""
    assert [len(batch) for batch in run(5, 3)] == [1, 1, 1]


def test_time_that_the_consumer_takes_is_not_counted():
    """A slow record of a batch must not make the next one shorter."""
    clock = Clock()
    lengths = []
    for batch in measure_here(Timed(clock, 0.0625), splits(8), clock=clock):
        lengths.append(len(batch))
        clock.now += 100
    assert lengths == [4, 4]


def test_nothing_to_do_gives_nothing_of_here():
    """No empty batch."""
    assert list(run(1, 0)) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_was_measured_before_an_interrupt_is_handed_over_first(kind):
    """The interrupt comes at the third cell of a batch; two were measured."""

    def deed():
        raise kind

    batches = run(0.01, 9, at=2, deed=deed)
    assert [outcome.cell.split for outcome in next(batches)] == [0, 1]
    with pytest.raises(kind):
        next(batches)


def test_an_interrupt_at_the_first_cell_comes_at_once():
    """There is nothing to hand over before."""
    with pytest.raises(KeyboardInterrupt):
        next(run(0.01, 9, at=0, deed=interrupt))


def test_a_workload_that_raises_costs_one_cell():
    """It promised not to; the text of the exception goes into one line, its origin into the traceback."""
    first, second, third = next(run(0.01, 3, at=1, deed=be_wrong))
    assert first.is_done
    assert third.is_done
    assert (second.state, second.message, second.attempts) == ("raised", "ValueError: the input holds NaN", 1)
    assert second.traceback.endswith("ValueError: the input\nholds NaN\n")
    assert "be_wrong" in second.traceback


def test_memory_has_a_state_of_its_own():
    """Others may have room for what this machine has not."""
    [outcome] = next(run(0.01, 1, at=0, deed=run_out_of_memory))
    assert (outcome.state, outcome.message) == ("out-of-memory", "MemoryError: no room for 8 GB")


def test_the_workload_is_entered_once_and_left(tmp_path):
    """Also when the consumer goes away early."""
    log = []

    class Logged(Plain):
        def __enter__(self):
            log.append("entered")

        def __exit__(self, kind, error, trace):
            log.append(kind)

    batches = measure_here(Logged(), splits(3))
    next(batches)
    batches.close()
    assert log == ["entered", None] or log == ["entered", GeneratorExit]


@pytest.fixture
def hasty(monkeypatch):
    """Workers are called at once."""
    monkeypatch.setattr(worker_group, "START_SECONDS", 0.0)
    monkeypatch.setattr(worker_group, "FIRST_LOOK_SECONDS", 0.0)


@pytest.mark.parametrize(
    ("rest_seconds", "n_workers", "worth_it"),
    [(2.9, 2, False), (3.1, 2, True), (1.6, 16, False), (1.7, 16, True), (1e9, 1, False)],
)
def test_workers_pay_when_they_are_done_sooner(rest_seconds, n_workers, worth_it):
    """They start in 1.5 s: half of 3 s, or 15/16 of 1.6 s, is what they save."""
    assert start_pays(rest_seconds, n_workers) is worth_it


@pytest.mark.slow
def test_workers_begin_while_the_first_cell_still_runs(tmp_path, cold, hasty):
    """It waits for the third to begin, which only a worker can do; when it has ended, this process is not needed any more."""
    workload = Marked(tmp_path, {0: WaitFor(tmp_path / "begun-2")})
    outcomes = measured(LocalRunner(2), workload, splits(100))
    assert len(outcomes) == 100
    assert [cell.split for cell, outcome in outcomes.items() if outcome.scores["pid"] == os.getpid()] == [0]


@pytest.mark.slow
def test_an_interrupt_here_keeps_the_batch_and_ends_the_workers(tmp_path, cold, hasty):
    """It comes in the third cell here, which first waits until a worker hangs in one of its own."""
    workload = Marked(tmp_path, {2: _After(WaitFor(tmp_path / "begun-3"), interrupt), 3: hang})
    kept = []
    with pytest.raises(KeyboardInterrupt):
        drain(LocalRunner(2).run(workload, splits(100)), kept)
    assert kept == [0, 1]
    hanging = workload.pid(3)
    assert hanging != os.getpid()
    wait_until(lambda: not is_alive(hanging))


@pytest.mark.slow
def test_workers_that_cannot_start_leave_the_work_here(tmp_path, cold, hasty, monkeypatch):
    """This process can do it all: slower, but done."""
    monkeypatch.setattr(worker_group, "MAX_STARTS", 1)
    outcomes = measured(LocalRunner(2), _Immobile(tmp_path, seconds=0.03), splits(40))
    assert measured_by(outcomes) == {os.getpid()}
    assert len(outcomes) == 40


def test_an_error_on_the_way_to_the_workers_ends_the_run(cold, hasty, monkeypatch):
    """Such as no room for the file with the data."""

    def no_room(packed):
        raise OSError("no space left on device")

    monkeypatch.setattr(PackedWorkload, "payload", no_room)
    with pytest.raises(OSError, match="no space left on device"):
        measured(LocalRunner(2), Busy(0.02), splits(60))


class _After:
    """One deed after another."""

    def __init__(self, *deeds):
        self.deeds = deeds

    def __call__(self):
        for deed in self.deeds:
            deed()


class _Immobile(Marked, NeverArrives):
    """Works here only."""
