"""Measuring on this machine: here, and in worker processes that may die, hang, or lose their parent."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest

from tests.guarded import told
from tests.runners import workloads
from tests.runners.workloads import (
    Arrives,
    Marked,
    Plain,
    Returns,
    Says,
    Sized,
    Unreadable,
    Unsendable,
    be_wrong,
    grid,
    group_members,
    interrupt,
    is_alive,
    run_out_of_memory,
    session_members,
    splits,
    started,
    wait_until,
)
from tiebreak.errors import DataError, InvalidParameterError, LostWorkersError
from tiebreak.evaluation.evaluate import make_runner
from tiebreak.plan.plan import number_of_workers
from tiebreak.plan.record import Outcome
from tiebreak.runners.local import _interrupts_blocked, measure_here

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def measured(runner, workload, cells):
    """All outcomes by cell; none comes twice."""
    outcomes = [outcome for batch in runner(workload, cells) for outcome in batch]
    by_cell = {outcome.cell: outcome for outcome in outcomes}
    assert len(by_cell) == len(outcomes)
    return by_cell


def measured_by(outcomes):
    """Ids of the processes that measured."""
    return {outcome.scores["pid"] for outcome in outcomes.values()}


# --- in this process --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_jobs", "n_cells"), [(1, 3), (4, 1), (2, 0)])
def test_one_job_or_one_cell_stays_in_this_process(n_jobs, n_cells):
    """Nothing has to be picklable then."""
    workload = Plain()
    workload.lock = threading.Lock()
    assert measured_by(measured(make_runner(None, n_jobs), workload, splits(n_cells))) <= {os.getpid()}


def test_what_cannot_be_sent_is_refused(tmp_path):
    """Before anything is measured, with the ways on."""
    workload = Marked(tmp_path)
    workload.lock = threading.Lock()
    assert told(DataError, lambda: next(make_runner(None, 2)(workload, splits(5)))) == (
        "The models or the data cannot be sent to worker processes: TypeError: cannot pickle '_thread.lock' object. "
        "Define what cannot be pickled in a module that can be imported, or measure in this process: n_jobs=1, no timeout."
    )
    assert workload.begun() == set()


def test_negative_jobs_count_down_from_the_cores(monkeypatch):
    """As joblib does it: of 4 cores -1 is all, -2 three, and at least one."""
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    assert [number_of_workers(n) for n in (1, np.int64(7), -1, -2, -4, -9)] == [1, 7, 4, 3, 1, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", None, True, 10**30])
def test_a_number_of_jobs_that_means_nothing(n_jobs):
    """0 may be none or all; True is a mistake."""
    assert told(InvalidParameterError, make_runner, None, n_jobs) == (
        f"n_jobs={n_jobs!r} is no number of processes; give 1 to 10,000, or -1 for all cores that may be used, -2 for one less."
    )


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), "1", True])
def test_a_timeout_that_means_nothing(timeout):
    """No limit is None."""
    assert told(InvalidParameterError, make_runner, None, timeout=timeout) == (
        f"timeout={timeout!r} is no number of seconds above 0 for a cell; give one, or None for no limit."
    )


class Timed(Plain):
    """Takes so many seconds of a clock, and does a deed at one split."""

    def __init__(self, seconds, at=None, deed=None):
        self.now, self.seconds, self.at, self.deed = 0.0, seconds, at, deed

    def measure(self, cell):
        self.now += self.seconds
        if cell.split == self.at:
            self.deed()
        return Outcome(cell)


def here(seconds, n, **trouble):
    """Batches of cells that take so many seconds each."""
    workload = Timed(seconds, **trouble)
    return measure_here(workload, splits(n), clock=lambda: workload.now)


@pytest.mark.parametrize(("seconds", "n", "lengths"), [(0.0625, 10, [4, 4, 2]), (5, 3, [1, 1, 1]), (1, 0, [])])
def test_a_batch_is_closed_when_its_time_is_over(seconds, n, lengths):
    """Cells of 0.0625 s: the fourth is the first to end at or after 0.2 s, and what is left makes the last batch."""
    assert [len(batch) for batch in here(seconds, n)] == lengths


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_was_measured_before_an_interrupt_is_handed_over_first(kind):
    """The interrupt comes at the third cell of a batch; two were measured."""

    def deed():
        raise kind

    batches = here(0.01, 9, at=2, deed=deed)
    assert [outcome.cell.split for outcome in next(batches)] == [0, 1]
    with pytest.raises(kind):
        next(batches)


def test_a_workload_that_raises_costs_one_cell():
    """It promised not to; the text of the exception goes into one line, its origin into the traceback."""
    first, second, third = next(here(0.01, 3, at=1, deed=be_wrong))
    assert first.is_done
    assert third.is_done
    assert (second.state, second.message, second.attempts) == ("raised", "ValueError: the input holds NaN", 1)
    assert second.traceback.endswith("ValueError: the input\nholds NaN\n")
    [outcome] = next(here(0.01, 1, at=0, deed=run_out_of_memory))
    assert (outcome.state, outcome.message) == ("out-of-memory", "MemoryError: no room for 8 GB")


# --- in workers ---------------------------------------------------------------------------------------------------------------

pool = pytest.mark.slow


@pool
@pytest.mark.parametrize("runner", [make_runner(None, 2), make_runner(None, 3, timeout=60)], ids=["batches", "one by one"])
def test_every_cell_is_measured_once_and_the_same_everywhere(runner):
    """Batches of many cells or of one, never in this process: place = 10 split + model."""
    cells = grid(20, 3)
    outcomes = measured(runner, Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())
    assert os.getpid() not in measured_by(outcomes)


@pool
@needs_posix
def test_a_cell_that_takes_its_worker_down_is_named_and_nobody_else(tmp_path):
    """By a signal, a fault, an exit, or with a child left behind that holds the pipes of the dead; `sys.exit` is an exception."""
    deeds = {
        2: (workloads.kill, "SIGKILL"),
        4: (workloads.leave_a_child_and_die, "SIGKILL"),
        7: (workloads.end_at_once, "EXIT(3)"),
        10: (workloads.exit_with_success, "EXIT(0)"),
    }
    workload = Marked(tmp_path, {split: deed for split, (deed, _) in deeds.items()} | {8: workloads.exit_with_code})
    outcomes = measured(make_runner(None, 2), workload, splits(12))
    for split, (_, ending) in deeds.items():
        bad = outcomes.pop(splits(12)[split])
        assert (bad.state, bad.attempts) == ("killed", 2)
        assert ending in bad.message
    left = outcomes.pop(splits(12)[8])
    assert (left.state, left.message) == ("raised", "SystemExit: 4")
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())


@pool
@needs_proc
def test_a_model_that_hangs_costs_its_time_only(tmp_path):
    """One that sleeps, one that holds the interpreter's lock, one with children; all of them are gone afterwards."""
    workload = Marked(tmp_path, {1: workloads.hang, 3: workloads.hold_the_lock, 4: workloads.hang_in_children})
    outcomes = measured(make_runner(None, 2, timeout=2), workload, splits(6))
    for split in (1, 3, 4):
        late = outcomes.pop(splits(6)[split])
        assert (late.state, late.message, late.attempts) == ("timed-out", "no result after 2 s", 1)
        wait_until(lambda split=split: not group_members(workload.pid(split)))
    assert all(outcome.is_done for outcome in outcomes.values())


@pool
def test_time_counts_from_the_beginning_of_the_cell():
    """A process that starts, and a workload that takes three seconds to unpickle, are not the model's fault."""
    outcomes = measured(make_runner(None, 1, timeout=2), Arrives(workloads.take_three_seconds), splits(2))
    assert {outcome.state for outcome in outcomes.values()} == {"done"}


@pool
@pytest.mark.parametrize(
    ("value", "message"), [(Unsendable, "TypeError: not this one"), (Unreadable, "ValueError: invalid literal")]
)
def test_a_result_that_does_not_arrive_costs_one_cell(value, message):
    """It sits in a batch with others, which are measured again alone."""
    outcomes = measured(make_runner(None, 2), Returns(5, value), splits(10))
    assert outcomes.pop(splits(6)[5]).message.startswith(message)
    assert len(outcomes) == 9
    assert all(outcome.is_done for outcome in outcomes.values())


@pool
def test_a_workload_that_does_not_arrive_ends_the_run():
    """No cell has failed for that, and nothing is recorded that would have to be repeated by order."""
    assert "cannot take models and data over: ImportError: No module named 'theirs'. Define" in told(
        DataError, lambda: measured(make_runner(None, 2), Arrives(workloads.lack_a_module), splits(5))
    )
    assert "for the remaining 2 cells: EXIT(3). Make room" in told(
        LostWorkersError, lambda: measured(make_runner(None, 2), Arrives(workloads.end_at_once), splits(2))
    )


@pool
def test_a_large_array_is_shared_and_its_file_removed(tmp_path, monkeypatch):
    """1.6 MB: both workers map one file, read-only; the sum of 0 ... 199,999 is 199,999 * 100,000, and 5 comes from the other."""
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    batches = make_runner(None, 2)(Sized(200_000), splits(30))
    first = next(batches)
    [folder] = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    outcomes = first + [outcome for batch in batches for outcome in batch]
    assert list(tmp_path.iterdir()) == []
    assert {(outcome.message, outcome.scores["writable"], outcome.scores["sum"]) for outcome in outcomes} == {
        ("mmap", False, 199_999 * 100_000 + 5)
    }


@pool
def test_a_worker_gets_no_more_before_the_consumer_comes_back(tmp_path):
    """Whatever was begun has been handed over by then: a kill at this moment would lose nothing."""
    workload = Marked(tmp_path)
    handed_over = set()
    for batch in make_runner(None, 1, timeout=60)(workload, splits(20)):
        handed_over |= {outcome.cell.split for outcome in batch}
        time.sleep(0.02)
        assert workload.begun() == handed_over
    assert len(handed_over) == 20


@pool
@needs_proc
def test_nobody_is_at_work_when_the_consumer_has_gone(tmp_path):
    """One model hangs in joblib with two processes of its own; all are gone when close() returns, or a moment later."""
    workload = Marked(tmp_path, {0: workloads.hang_in_children})
    batches = make_runner(None, 2)(workload, splits(10))
    next(batches)
    wait_until(lambda: workload.path(0).exists() and len(group_members(workload.pid(0))) >= 3)
    worker = workload.pid(0)
    batches.close()
    assert not is_alive(worker)
    wait_until(lambda: not group_members(worker))


@pool
def test_an_error_or_an_interrupt_ends_the_workers(tmp_path):
    """A full disk when a batch is recorded is thrown into the generator and comes out again; a model's interrupt ends the run."""
    batches = make_runner(None, 2)(Marked(tmp_path), splits(100))
    next(batches)
    assert "disk full" in told(OSError, lambda: batches.throw(OSError("disk full")))
    assert "a model raised it" in told(
        KeyboardInterrupt, lambda: measured(make_runner(None, 2), Marked(tmp_path, {3: interrupt}), splits(9))
    )


@pool
@needs_proc
def test_a_worker_is_set_up_for_its_end():
    """Ctrl-C is the parent's to decide, its group can be killed whole, and the system takes it first when memory runs out."""

    def facts():
        score = Path("/proc/self/oom_score_adj").read_text().strip()
        return signal.getsignal(signal.SIGINT) is signal.SIG_IGN, os.getpgrp() == os.getpid(), score

    outcomes = measured(make_runner(None, 2), Says(facts), splits(2)).values()
    assert {outcome.message for outcome in outcomes} == {"(True, True, '500')"}
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


RUN = """
import sys
from tests.runners import workloads
from tests.runners.workloads import Marked, splits
from tiebreak.evaluation.evaluate import make_runner

folder, deed = sys.argv[1:]
workload = Marked(folder, dict.fromkeys(range(2), getattr(workloads, deed, None)))
try:
    for batch in make_runner(None, 2)(workload, splits(9)):
        pass
except KeyboardInterrupt:
    print("interrupted")
"""


def begun(folder):
    """Wait until both workers are in their hanging cells."""
    workload = Marked(folder)
    wait_until(lambda: {0, 1} <= workload.begun())
    return workload


@pool
@needs_proc
@pytest.mark.parametrize("deed", ["hold_the_lock", "hang_in_children"])
def test_workers_and_their_file_go_with_a_parent_that_is_killed(tmp_path, deed, monkeypatch):
    """SIGKILL, so that the parent cannot tell anyone; also where the fit holds the interpreter's lock or has children."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(data))
    with started(RUN, tmp_path, deed) as process:
        begun(tmp_path)
        if deed == "hang_in_children":
            wait_until(lambda: len(session_members(process.pid)) >= 7)  # parent, two workers, four children, trackers
        assert len(list(data.iterdir())) >= 1
        process.kill()
        wait_until(lambda: not session_members(process.pid))
    assert not [path for path in data.iterdir() if path.name.startswith("tiebreak-")]


@needs_posix
def test_a_signal_while_a_process_is_started_is_heard_afterwards():
    """Also where another thread takes it: half of a start leaves a process without its parent's word, and a traceback of it."""
    said = []

    def start():
        with _interrupts_blocked():
            time.sleep(0.5)
            said.append("started")

    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        start()
    assert said == ["started"]


@pool
@needs_proc
@pytest.mark.parametrize(("deed", "n_interrupts", "answer"), [("hang", 2, "interrupted\n"), ("nothing", 0, "")])
def test_a_run_ends_without_noise(tmp_path, deed, n_interrupts, answer):
    """With nobody left and no semaphore reported as leaked: by itself, or by Ctrl-C twice, as a terminal sends it to all."""
    with started(RUN, tmp_path, deed) as process:
        if n_interrupts:
            begun(tmp_path)
        for _ in range(n_interrupts):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.001)
        out, err = process.communicate(timeout=60)
        wait_until(lambda: not session_members(process.pid))
    if n_interrupts < 2 or out:
        assert (out, err, process.returncode) == (answer, "", 0)


@pool
@needs_proc
def test_a_script_needs_no_main_guard(tmp_path):
    """Workers do not run it again, and know the classes that it defines."""
    script = tmp_path / "script.py"
    own = "class Own(Marked):\n    pass\n\nprint('once')\nworkload = Own"
    script.write_text(RUN.replace("workload = Marked", own))
    with started(
        "import os, sys; os.execv(sys.executable, sys.argv[1:])", sys.executable, script, tmp_path, "nothing"
    ) as process:
        out, err = process.communicate(timeout=300)
    assert (out, err, process.returncode) == ("once\n", "", 0)
