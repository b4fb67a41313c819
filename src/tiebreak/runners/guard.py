"""Setting a worker process up so that it never outlives its parent, and is the one to go when memory runs out."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOOK_SECONDS = 0.5
OOM_SCORE = 500
"""Of 1000: well before the parent, whose score is 0 unless someone changed it."""

_pipe: tuple[int, int] | None = None


def lifeline() -> int | None:
    """The reading end of a pipe whose writing end this process alone holds: it breaks when this process ends, however it does."""
    global _pipe
    if sys.platform != "linux":
        return None
    if _pipe is None:
        _pipe = os.pipe()
    return _pipe[0]


def _let_go() -> None:
    """A forked child must not hold the pipe open for its parent."""
    global _pipe
    if _pipe is not None:
        os.close(_pipe[0])
        os.close(_pipe[1])
        _pipe = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """A process that is started meanwhile does not hear Ctrl-C before `begin`; this one hears it a moment later."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which comes with the first process, and would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin(parent: int, pipe: int | None) -> None:
    """First thing in a worker process.

    Parameters
    ----------
    parent : int
        Id of the process that started it.
    pipe : int or None
        The parent's `lifeline`.
    """
    from joblib.externals.loky import process_executor

    # With psutil installed, loky ends a worker that has grown by 300 MB; pages of the shared data count as growth.
    process_executor._MAX_MEMORY_LEAK_SIZE = float("inf")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to decide
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # a group in the background may print all the same
    if sys.platform != "win32":
        with suppress(OSError):
            os.setpgid(0, 0)  # whatever this process starts can then be killed along with it
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))
    with suppress(OSError):
        _tie_to(parent, pipe)
    threading.Thread(target=_watch, args=(parent,), name="tiebreak-parent-watch", daemon=True).start()


def _tie_to(parent: int, pipe: int | None) -> None:
    """Have the system kill this process and those that it started when the parent's pipe breaks.

    No Python runs for that, so that it works while a fit holds the interpreter's lock. The usual parent-death signal is
    sent when the *thread* that started this process ends, and would leave behind what this process has started.
    """
    if sys.platform != "linux" or pipe is None:
        return
    import fcntl

    end = os.open(f"/proc/{parent}/fd/{pipe}", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETOWN, -os.getpid())  # the group of this process; an error if it leads none
    fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)


def _watch(parent: int) -> None:
    """End this process, and what it started, when its parent is gone: for other systems, and in case the pipe was inherited."""
    if sys.platform == "win32":
        _wait_for(parent)
    else:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
    kill_group(os.getpid())
    os._exit(1)


def _wait_for(process: int) -> None:
    """Return when the process has ended."""
    if sys.platform == "win32":
        import _winapi

        synchronize = 0x00100000
        with suppress(OSError):  # it has ended already
            _winapi.WaitForSingleObject(_winapi.OpenProcess(synchronize, False, process), _winapi.INFINITE)


def kill_group(process: int) -> None:
    """Kill a living worker and whatever it has started."""
    if sys.platform != "win32":
        try:
            os.killpg(process, signal.SIGKILL)
        except OSError:  # it has not made a group of its own yet
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


def kill_leftovers(process: int) -> None:
    """Kill what a worker that has just died had started; its id is not given to another process while any of that lives."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)
