"""No process outlives its parent, however that ends."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.runners.test_pool import answer
from tests.runners.workloads import Marked, session_members, started, wait_until
from tiebreak.runners import processes as pool

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

SECONDS = 5.0


def begun(folder):
    """Wait until both workers are in their hanging cells."""
    workload = Marked(folder)
    wait_until(lambda: {0, 1} <= workload.begun())
    return workload


def gone(session):
    """Whether nobody is left, in time."""
    wait_until(lambda: not session_members(session), SECONDS)


@pytest.mark.parametrize("deed", ["hang", "hold_the_lock", "hang_in_children"])
def test_workers_end_when_their_parent_is_killed(tmp_path, deed):
    """SIGKILL, so that the parent cannot tell anyone; also where the fit holds the interpreter's lock or has children."""
    with started(RUN, tmp_path, deed) as process:
        begun(tmp_path)
        if deed == "hang_in_children":
            wait_until(lambda: len(session_members(process.pid)) >= 7)  # parent, two workers, four children, trackers
        process.kill()
        gone(process.pid)


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
        gone(process.pid)
    assert list(data.iterdir()) == []


def test_ctrl_c_ends_everybody_without_noise(tmp_path):
    """It goes to the whole group of processes at once, as a terminal does it."""
    with started(RUN, tmp_path, "hang") as process:
        begun(tmp_path)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
        gone(process.pid)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)


def test_an_interpreter_ends_although_a_worker_hangs(tmp_path):
    """Someone kept the half-used generator: nothing waits for it, and nothing is said."""
    script = RUN.partition("try:")[0] + "batches = LocalRunner(2, isolate=True).run(workload, splits(9))\n"
    script = script.replace("range(2)", "[1]") + "workload.deeds[0] = workloads.WaitFor(workload.path(1))\nnext(batches)\n"
    with started(script, tmp_path, "hang") as process:
        out, err = process.communicate(timeout=20)
        gone(process.pid)
    assert (out, err, process.returncode) == ("", "", 0)


def test_an_interpreter_with_idle_workers_ends_without_noise(tmp_path):
    """They are killed; no semaphore is reported as leaked."""
    script = RUN.replace("range(2)", "[]")
    with started(script, tmp_path, "hang") as process:
        out, err = process.communicate(timeout=20)
        gone(process.pid)
    assert (out, err, process.returncode) == ("", "", 0)


def test_ctrl_c_is_not_heard_while_a_worker_starts(cold):
    """It would die in the middle of an import, with a traceback; the parent hears it as before."""
    process = pool.hire()
    status = Path(f"/proc/{process._process.pid}/status").read_text()
    masks = dict(line.split(":") for line in status.splitlines() if line.startswith("Sig") and len(line.split()[1]) == 16)
    assert (int(masks["SigBlk"], 16) | int(masks["SigIgn"], 16)) & 1 << signal.SIGINT - 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    pool.dismiss(process)


def test_ctrl_c_is_the_parents_to_decide():
    """The worker itself does not hear it."""
    assert answer(lambda: signal.getsignal(signal.SIGINT) is signal.SIG_IGN) == "True"


def test_a_worker_is_in_a_group_of_its_own():
    """So it is killed along with all that it has started."""
    assert answer(lambda: os.getpgrp() == os.getpid()) == "True"


def test_when_memory_runs_out_the_system_takes_a_worker():
    """Not the process that knows the results."""
    assert answer(lambda: Path("/proc/self/oom_score_adj").read_text().strip()) == "500"
