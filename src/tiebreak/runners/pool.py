"""Worker processes between the runs: starting one takes over a second, most of it imports, so idle ones are kept for a while."""

from __future__ import annotations

import os
import threading
from concurrent.futures import BrokenExecutor, Future

from tiebreak.runners import worker
from tiebreak.runners.worker_process import WorkerProcess

_idle: list[WorkerProcess] = []
_living: set[WorkerProcess] = set()
_of_parent: list[WorkerProcess] = []
_lock = threading.Lock()


def n_idle() -> int:
    """How many warm processes wait for work."""
    with _lock:
        return sum(process.is_usable for process in _idle)


def hire() -> WorkerProcess:
    """A warm process, the last that was given back, or a fresh one."""
    while True:
        with _lock:
            process = _idle.pop() if _idle else None
        if process is None:
            return _fresh()
        if process.is_usable:
            return process
        dismiss(process)
        process.bury()


def give_back(process: WorkerProcess) -> Future[None] | None:
    """Keep a process for the next run.

    Returns
    -------
    Future or None
        Done when the process has dropped its workload; None if it is of no use any more.
    """
    try:
        released = process.call(worker.release) if process.is_usable else None
    except BrokenExecutor:  # it has died this moment
        released = None
    if released is None:
        dismiss(process)
        return None
    with _lock:
        _idle.append(process)
    return released


def dismiss(process: WorkerProcess) -> None:
    """Kill a process; whoever has time to wait buries it."""
    process.kill()
    with _lock:
        _living.discard(process)


def dismiss_all() -> None:
    """Kill every process, idle or not."""
    with _lock:
        processes = list(_living)
        _living.clear()
        _idle.clear()
    for process in processes:
        process.kill()
    for process in processes:
        process.bury()


def _fresh() -> WorkerProcess:
    """A process that is yet to be started."""
    process = WorkerProcess()
    process.call(os.getpid)  # begins the start
    with _lock:
        _living.add(process)
    # As loky does it for each pool, and after loky has: what was registered last runs first, and loky waits for busy workers.
    threading._register_atexit(dismiss_all)  # type: ignore[attr-defined]
    return process


def _forget() -> None:
    """In a forked child: the processes are its parent's. They are held on to, for their clean-up would disturb the parent."""
    global _lock
    _lock = threading.Lock()  # another thread may have held it
    _of_parent.extend(_living)
    _living.clear()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
