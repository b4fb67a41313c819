"""Worker processes between the runs."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

from tests.runners.test_local import measured, processes
from tests.runners.workloads import Entered, Plain, Returns, Says, Unreadable, is_alive, splits, started, wait_until
from tiebreak.runners import processes as pool
from tiebreak.runners import processes as worker_process
from tiebreak.runners.local import LocalRunner

isolated = LocalRunner(1, isolate=True)


def answer(function):
    """What a function says in a worker process."""
    [outcome] = measured(isolated, Says(function), splits(1)).values()
    return outcome.message


def test_warm_processes_are_used_again(cold):
    """At once, even for a run that has little to do."""
    measured(LocalRunner(2, isolate=True), Plain(), splits(20))
    warm = [pool.hire(), pool.hire()]
    pids = {process.call(os.getpid).result() for process in warm}
    for process in warm:
        pool.give_back(process)
    assert pool.n_idle() == 2
    assert processes(measured(LocalRunner(2), Plain(), splits(20))) <= pids


def test_the_workload_is_left_after_the_run(tmp_path):
    """An idle process holds nobody's data."""
    [pid] = processes(measured(isolated, Entered(tmp_path, "a"), splits(1)))
    wait_until((tmp_path / f"a-left-{pid}").exists)


def test_a_process_that_died_meanwhile_is_not_used(tmp_path):
    """Somebody killed it between two runs: no cell is blamed for that."""
    [pid] = processes(measured(isolated, Plain(), splits(1)))
    os.kill(pid, 9 if sys.platform != "win32" else 15)
    wait_until(lambda: not is_alive(pid))
    outcomes = measured(isolated, Plain(), splits(5))
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())
    assert pid not in processes(outcomes)


def test_a_process_that_is_about_to_end_by_itself_is_not_used(monkeypatch):
    """It ends after five idle minutes; half a minute before it is given nothing any more."""
    [pid] = processes(measured(isolated, Plain(), splits(1)))
    monkeypatch.setattr(worker_process, "SAFETY_SECONDS", worker_process.IDLE_SECONDS + 1)
    assert pool.n_idle() == 0
    process = pool.hire()
    monkeypatch.undo()
    assert process.call(os.getpid).result() != pid
    pool.dismiss(process)


def test_a_process_after_an_error_is_not_used():
    """Who knows what state it is in; here it has sent what could not be read back."""
    [pid] = processes(measured(isolated, Plain(), splits(1)))
    [outcome] = measured(isolated, Returns(0, Unreadable), splits(1)).values()
    assert outcome.state == "raised"
    assert processes(measured(isolated, Plain(), splits(1))) != {pid}


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
from tiebreak.runners import guard, pool
from tiebreak.runners.local import LocalRunner

def pid():
    [[outcome]] = LocalRunner(1, isolate=True).run(Plain(), splits(1))
    return outcome.scores["pid"]

first = pid()
child = os.fork()
if child == 0:
    sys.exit(0 if pool.n_idle() == 0 and guard._pipe is None and pid() != first else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), pid() == first)
"""
    with started(script) as process:
        out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("0 True\n", 0), err
