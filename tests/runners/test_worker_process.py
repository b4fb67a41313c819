"""A worker process as its parent sees it."""

from __future__ import annotations

import os
import sys

import pytest

from tiebreak.runners import processes as pool
from tiebreak.runners.processes import in_words


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
def test_a_buried_process_leaves_no_thread_behind():
    """One that is still about its clean-up when the interpreter ends would make a semaphore look leaked."""
    process = pool.hire()
    assert process.call(os.getpid).result() == process._process.pid
    thread = process._executor._call_queue._thread
    assert thread.is_alive()
    pool.dismiss(process)
    assert process.bury() == "the process was killed by signal 9 (SIGKILL); often that is the system, out of memory"
    assert not thread.is_alive()
    assert not process.is_usable
