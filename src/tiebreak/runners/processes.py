"""Worker processes: started, ended with their parent, killed with their children, and kept between the runs.

Starting one takes over a second, most of it imports, so idle ones are kept for a while.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from tiebreak.runners import worker
from tiebreak.runners.worker import Failure

IDLE_SECONDS = 300
"""Seconds that an idle process waits for the next run before it ends."""

SAFETY_SECONDS = 30
"""A process that close to its end by idleness is not given anything any more."""

FEEDER_SECONDS = 1.0
WATCH_SECONDS = 0.5
OOM_SCORE = 500
"""Score of a worker out of 1000: well before the parent, whose score is 0 unless someone changed it."""

_idle: list[WorkerProcess] = []
_living: set[WorkerProcess] = set()
_of_parent: list[WorkerProcess] = []
_lock = threading.Lock()
_pipe: tuple[int, int] | None = None


class WorkerProcess:
    """A process of its own executor, so that its death costs no other one. It is started by the first call that it is given."""

    def __init__(self) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._executor = ProcessPoolExecutor(
            max_workers=1, timeout=IDLE_SECONDS, initializer=_begin, initargs=(os.getpid(), _parent_pipe())
        )
        self._process: Any = None
        self._last_use = time.monotonic()
        self._has_failed = False

    @property
    def pid(self) -> int | None:
        """Id of the process; None before it is started."""
        return None if self._process is None else self._process.pid

    def call(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have a function called in the process, after those asked for before."""
        with _interrupts_blocked() if self._process is None else nullcontext():
            future: Future[Any] = self._executor.submit(function, *arguments)
        future.add_done_callback(self._note)
        self._last_use = time.monotonic()
        if self._process is None:
            # loky has no public way to the process; its exit code is what the user wants to know
            self._process = next(iter(self._executor._processes.values()), None)
        return future

    @property
    def is_usable(self) -> bool:
        """Tell if it lives, has made no mistake, and will not end by itself in a moment."""
        if self._has_failed or self._process is None or time.monotonic() - self._last_use > IDLE_SECONDS - SAFETY_SECONDS:
            return False
        return self._process.exitcode is None

    def kill(self) -> None:
        """Kill it and what it has started, without waiting for the end."""
        self._has_failed = True
        if self._process is not None and self._process.exitcode is None:  # else its id may be someone else's by now
            _kill_group(self._process.pid, with_leader=True)
        if sys.platform == "win32":
            self._executor.shutdown(wait=False, kill_workers=True)

    def wait(self) -> str:
        """Wait until a process that was killed or has just died is gone; returns how it ended, in words."""
        if self._process is None:
            return in_words(None)
        _kill_group(self._process.pid, with_leader=False)
        queue = self._executor._call_queue
        self._executor.shutdown(wait=True)  # not kill_workers: loky stumbles over a call that it has not passed on yet
        # loky does not wait for the thread that fills the queue: at the end of the interpreter that is cut off while it
        # removes a semaphore, which then is reported as leaked. It may hang, though, in a message that nobody reads any more.
        if (feeder := getattr(queue, "_thread", None)) is not None:
            feeder.join(FEEDER_SECONDS)
        return in_words(self._process.exitcode)

    def kill_children_if_dead(self) -> None:
        """Kill what a process that has just died has started: while that holds its pipes open, loky notices nothing."""
        if self._process is not None and self._process.exitcode is not None:
            _kill_group(self._process.pid, with_leader=False)

    def _note(self, future: Future[Any]) -> None:
        """Remember any mistake; the idle time begins anew."""
        self._last_use = time.monotonic()
        if future.cancelled() or future.exception() is not None or isinstance(future.result(), Failure):
            self._has_failed = True


def in_words(exit_code: int | None) -> str:
    """Exit code in words; negative ones are signals."""
    if exit_code is None:
        return "the process ended, nobody knows how"
    if exit_code >= 0:
        return f"the process ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:  # a signal without a name
        return f"the process was killed by signal {-exit_code}"
    hint = "; often that is the system, out of memory" if name == "SIGKILL" else ""
    return f"the process was killed by signal {-exit_code} ({name}){hint}"


# --- between the runs -------------------------------------------------------------------------------------------------------


def n_idle() -> int:
    """Number of warm processes that wait for work."""
    with _lock:
        return sum(process.is_usable for process in _idle)


def acquire() -> WorkerProcess:
    """Warm process, the last that was released, or a fresh one."""
    while True:
        with _lock:
            process = _idle.pop() if _idle else None
        if process is None:
            return _start()
        if process.is_usable:
            return process
        discard(process)
        process.wait()


def release(process: WorkerProcess) -> Future[None] | None:
    """Keep a process for the next run.

    The future is done when the process has dropped its workload; None if it is of no use any more.
    """
    try:
        released = process.call(worker.release) if process.is_usable else None
    except BrokenExecutor:  # it has died this moment
        released = None
    if released is None:
        discard(process)
        return None
    with _lock:
        _idle.append(process)
    return released


def discard(process: WorkerProcess) -> None:
    """Kill a process, without waiting for its end."""
    process.kill()
    with _lock:
        _living.discard(process)


def discard_all() -> None:
    """Kill every process, idle or not, and wait for their end."""
    with _lock:
        processes = list(_living)
        _living.clear()
        _idle.clear()
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def _start() -> WorkerProcess:
    """Process that has begun to start."""
    process = WorkerProcess()
    process.call(os.getpid)
    with _lock:
        _living.add(process)
    # As loky does it for each pool, and after loky has: what was registered last runs first, and loky waits for busy workers.
    threading._register_atexit(discard_all)  # type: ignore[attr-defined]
    return process


def _after_fork() -> None:
    """Leave the processes and their pipe to the parent. Processes are held on to, as their clean-up would disturb the parent."""
    global _lock, _pipe
    _lock = threading.Lock()  # another thread may have held it
    _of_parent.extend(_living)
    _living.clear()
    _idle.clear()
    if _pipe is not None:  # which must not be held open for the parent
        os.close(_pipe[0])
        os.close(_pipe[1])
        _pipe = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# --- ended with the parent, and the first to go when memory runs out --------------------------------------------------------


def _parent_pipe() -> int | None:
    """Reading end of a pipe whose writing end this process alone holds: it breaks when this process ends, however it does."""
    global _pipe
    if sys.platform != "linux":
        return None
    if _pipe is None:
        _pipe = os.pipe()
    return _pipe[0]


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from a process that is started meanwhile, until `_begin`; this process hears it a moment later."""
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


def _begin(parent: int, pipe: int | None) -> None:
    """Set up a worker process, before anything else is done there.

    `parent` is the id of the process that started it, `pipe` the parent's `_parent_pipe`.
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
        import _winapi

        synchronize = 0x00100000
        with suppress(OSError):  # it has ended already
            _winapi.WaitForSingleObject(_winapi.OpenProcess(synchronize, False, parent), _winapi.INFINITE)
    else:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
    _kill_group(os.getpid(), with_leader=True)
    os._exit(1)


def _kill_group(leader: int, *, with_leader: bool) -> None:
    """Kill a worker and whatever it has started.

    The leader's id is given to no other process while any of the group lives. `with_leader`: the worker lives, and is killed even
    if it has not made a group of its own yet.
    """
    if sys.platform == "win32":
        return
    try:
        os.killpg(leader, signal.SIGKILL)
    except OSError:
        if with_leader:
            with suppress(OSError):
                os.kill(leader, signal.SIGKILL)
