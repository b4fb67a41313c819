"""Worker processes: kept between the runs, and none outlives its parent."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from tests.runners.test_local import measured, measured_by
from tests.runners.workloads import (
    Entered,
    Marked,
    Plain,
    Returns,
    Says,
    Unreadable,
    is_alive,
    session_members,
    splits,
    started,
    wait_until,
)
from tiebreak.runners import processes
from tiebreak.runners.local import LocalRunner
from tiebreak.runners.processes import in_words

pytestmark = pytest.mark.slow

isolated = LocalRunner(1, isolate=True)


def answer(function):
    """Answer of a function in a worker process."""
    [outcome] = measured(isolated, Says(function), splits(1)).values()
    return outcome.message


def test_warm_processes_are_used_again(cold):
    """At once, even for a run that has little to do."""
    measured(LocalRunner(2, isolate=True), Plain(), splits(20))
    warm = [processes.acquire(), processes.acquire()]
    pids = {process.call(os.getpid).result() for process in warm}
    for process in warm:
        processes.release(process)
    assert processes.n_idle() == 2
    assert measured_by(measured(LocalRunner(2), Plain(), splits(20))) <= pids


def test_the_workload_is_left_after_the_run(tmp_path):
    """An idle process holds nobody's data."""
    [pid] = measured_by(measured(isolated, Entered(tmp_path, "a"), splits(1)))
    wait_until((tmp_path / f"a-left-{pid}").exists)
    assert is_alive(pid)


def test_a_process_that_died_meanwhile_is_not_used(tmp_path):
    """Somebody killed it between two runs: no cell is blamed for that."""
    [pid] = measured_by(measured(isolated, Plain(), splits(1)))
    os.kill(pid, 9 if sys.platform != "win32" else 15)
    wait_until(lambda: not is_alive(pid))
    outcomes = measured(isolated, Plain(), splits(5))
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())
    assert pid not in measured_by(outcomes)


def test_a_process_that_is_about_to_end_by_itself_is_not_used(monkeypatch):
    """It ends after five idle minutes; half a minute before it is given nothing any more."""
    [pid] = measured_by(measured(isolated, Plain(), splits(1)))
    monkeypatch.setattr(processes, "SAFETY_SECONDS", processes.IDLE_SECONDS + 1)
    assert processes.n_idle() == 0
    process = processes.acquire()
    monkeypatch.undo()
    assert process.call(os.getpid).result() != pid
    processes.discard(process)


def test_a_process_after_an_error_is_not_used():
    """Its state is not known; here it has sent what could not be read back."""
    [pid] = measured_by(measured(isolated, Plain(), splits(1)))
    [outcome] = measured(isolated, Returns(0, Unreadable), splits(1)).values()
    assert outcome.state == "raised"
    assert measured_by(measured(isolated, Plain(), splits(1))) != {pid}


def test_a_warm_process_follows_its_parent(tmp_path, monkeypatch):
    """Folder, environment and import path may have changed since it was started."""
    assert answer(Path.cwd) == str(Path.cwd())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIEBREAK_TEST", "new")
    assert answer(Path.cwd) == str(tmp_path)
    assert answer(lambda: os.environ.get("TIEBREAK_TEST")) == "new"
    monkeypatch.delenv("TIEBREAK_TEST")
    assert answer(lambda: os.environ.get("TIEBREAK_TEST")) == "None"


def test_a_module_that_was_edited_is_read_again(tmp_path, monkeypatch):
    """As in a notebook: edit, reload, run. A warm process would silently measure the old version."""
    source = tmp_path / "edited_by_a_test.py"
    source.write_text("def version():\n    return 'old'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("edited_by_a_test")
    assert answer(module.version) == "old"
    source.write_text("def version():\n    return 'brand new'\n")
    importlib.reload(module)
    assert answer(module.version) == "brand new"
    sys.modules.pop("edited_by_a_test")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
def test_a_forked_child_leaves_the_processes_to_its_parent():
    """It starts its own, and its end does not end them."""
    script = """
import os, sys, warnings
warnings.simplefilter("ignore")
from tests.runners.workloads import Plain, splits
from tiebreak.runners import processes
from tiebreak.runners.local import LocalRunner

def pid():
    [[outcome]] = LocalRunner(1, isolate=True).run(Plain(), splits(1))
    return outcome.scores["pid"]

first = pid()
child = os.fork()
if child == 0:
    sys.exit(0 if processes.n_idle() == 0 and pid() != first else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), pid() == first)
"""
    with started(script) as process:
        out, err = process.communicate(timeout=300)
    assert (out, process.returncode) == ("0 True\n", 0), err


@pytest.mark.skipif(sys.platform == "win32", reason="signals have other numbers there")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "the process ended with exit code 0"),
        (3, "the process ended with exit code 3"),
        (-9, "the process was killed by signal 9 (SIGKILL); often that is the system, out of memory"),
        (-11, "the process was killed by signal 11 (SIGSEGV)"),
        (-99, "the process was killed by signal 99"),
        (None, "the process ended, nobody knows how"),
    ],
)
def test_how_a_process_ended(code, words):
    """Negative exit codes are signals, as in subprocess."""
    assert in_words(code) == words


@pytest.mark.skipif(sys.platform == "win32", reason="signals have other numbers there")
def test_a_discarded_process_leaves_no_thread_behind(cold):
    """One that is still about its clean-up when the interpreter ends would make a semaphore look leaked."""
    before = set(threading.enumerate())
    process = processes.acquire()
    assert process.call(os.getpid).result() == process.pid
    threads = set(threading.enumerate()) - before
    assert threads
    processes.discard(process)
    assert process.wait() == "the process was killed by signal 9 (SIGKILL); often that is the system, out of memory"
    assert not any(thread.is_alive() for thread in threads)
    assert not process.is_usable


if sys.platform != "linux":  # pragma: no cover
    pytest.skip(
        "processes are looked up in /proc; nothing here says whether workers outlive their parent", allow_module_level=True
    )

RUN = """
import sys
from tests.runners import workloads
from tests.runners.workloads import Marked, splits
from tiebreak.runners.local import LocalRunner

folder, deed = sys.argv[1:]
workload = Marked(folder, dict.fromkeys(range(2), getattr(workloads, deed)))
try:
    for batch in LocalRunner(2, isolate=True).run(workload, splits(9)):
        pass
except KeyboardInterrupt:
    print("interrupted")
"""

SECONDS = 300.0


def begun(folder):
    """Wait until both workers are in their hanging cells."""
    workload = Marked(folder)
    wait_until(lambda: {0, 1} <= workload.begun())
    return workload


def check_nobody_left(session):
    """Wait until no process of a session is left; an error when it does not come to that."""
    wait_until(lambda: not session_members(session), SECONDS)


@pytest.mark.parametrize("deed", ["hang", "hold_the_lock", "hang_in_children"])
def test_workers_end_when_their_parent_is_killed(tmp_path, deed):
    """SIGKILL, so that the parent cannot tell anyone; also where the fit holds the interpreter's lock or has children."""
    with started(RUN, tmp_path, deed) as process:
        begun(tmp_path)
        if deed == "hang_in_children":
            wait_until(lambda: len(session_members(process.pid)) >= 7)  # parent, two workers, four children, trackers
        process.kill()
        check_nobody_left(process.pid)


def test_a_forked_child_does_not_keep_the_workers_of_a_killed_parent(tmp_path):
    """It lives on, without the pipe whose end the workers wait for; no thread of theirs can run to ask for their parent."""
    script = "import os, threading, time\n" + RUN.replace(
        "\ntry:",
        "\n\ndef fork():\n    workloads.wait_until(lambda: {0, 1} <= workload.begun())\n"
        "    if os.fork() == 0:\n        time.sleep(1000)\n    (workload.folder / 'forked').touch()\n\n"
        "threading.Thread(target=fork, daemon=True).start()\ntry:",
    )
    with started(script, tmp_path, "hold_the_lock") as process:
        workload = begun(tmp_path)
        wait_until((tmp_path / "forked").exists)
        workers = [workload.pid(0), workload.pid(1)]
        process.kill()
        wait_until(lambda: not any(map(is_alive, workers)), SECONDS)
        assert len(session_members(process.pid)) >= 1


def test_the_file_with_the_data_goes_with_a_killed_parent(tmp_path, monkeypatch):
    """loky's tracker, a process of its own, removes it."""
    script = RUN.replace("workload = Marked", "import numpy\nworkload = Marked").replace(
        "\ntry:", "\nworkload.data = numpy.zeros(200_000)\ntry:"
    )
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(data))
    with started(script, tmp_path, "hang") as process:
        begun(tmp_path)
        assert len(list(data.iterdir())) == 1
        process.kill()
        check_nobody_left(process.pid)
    assert list(data.iterdir()) == []


def test_ctrl_c_ends_everybody_without_noise(tmp_path):
    """It goes to the whole group of processes at once, as a terminal does it."""
    with started(RUN, tmp_path, "hang") as process:
        begun(tmp_path)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
        check_nobody_left(process.pid)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)


def test_an_interpreter_ends_although_a_worker_hangs(tmp_path):
    """Someone kept the half-used generator: nothing waits for it, and nothing is said."""
    script = RUN.partition("try:")[0] + "batches = LocalRunner(2, isolate=True).run(workload, splits(9))\n"
    script = script.replace("range(2)", "[1]") + "workload.deeds[0] = workloads.WaitFor(workload.path(1))\nnext(batches)\n"
    with started(script, tmp_path, "hang") as process:
        out, err = process.communicate(timeout=300)
        check_nobody_left(process.pid)
    assert (out, err, process.returncode) == ("", "", 0)


def test_an_interpreter_with_idle_workers_ends_without_noise(tmp_path):
    """They are killed; no semaphore is reported as leaked."""
    script = RUN.replace("range(2)", "[]")
    with started(script, tmp_path, "hang") as process:
        out, err = process.communicate(timeout=300)
        check_nobody_left(process.pid)
    assert (out, err, process.returncode) == ("", "", 0)


def test_a_script_needs_no_main_guard(tmp_path):
    """Workers do not run it again, and know the classes that it defines."""
    script = tmp_path / "script.py"
    own = "class Own(Marked):\n    pass\n\nprint('once')\nworkload = Own"
    script.write_text(RUN.replace("workload = Marked", own).replace("range(2)", "[]"))
    with started("import os, sys; os.execv(sys.executable, sys.argv[1:])", sys.executable, script, tmp_path, "hang") as process:
        out, err = process.communicate(timeout=300)
    assert (out, err, process.returncode) == ("once\n", "", 0)


def test_ctrl_c_is_not_heard_while_a_worker_starts(cold):
    """It would die in the middle of an import, with a traceback; the parent hears it as before."""
    process = processes.acquire()
    status = Path(f"/proc/{process.pid}/status").read_text()
    masks = dict(line.split(":") for line in status.splitlines() if line.startswith("Sig") and len(line.split()[1]) == 16)
    assert (int(masks["SigBlk"], 16) | int(masks["SigIgn"], 16)) & 1 << signal.SIGINT - 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    processes.discard(process)


def test_ctrl_c_is_the_parents_to_decide():
    """The worker itself does not hear it."""
    assert answer(lambda: signal.getsignal(signal.SIGINT) is signal.SIG_IGN) == "True"


def test_a_worker_is_in_a_group_of_its_own():
    """So it is killed along with all that it has started."""
    assert answer(lambda: os.getpgrp() == os.getpid()) == "True"


def test_when_memory_runs_out_the_system_takes_a_worker():
    """Not the process that knows the results."""
    assert answer(lambda: Path("/proc/self/oom_score_adj").read_text().strip()) == "500"
