"""Measuring on this machine, in this process or in several."""

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, suppress
from operator import length_hint
from pathlib import Path
from typing import Any

from tiebreak.errors import DataError, Setting
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import worker as code
from tiebreak.runners.dispatch import Dispatch

BATCH_SECONDS = 0.2
"""Seconds of work in a batch: what may be lost when everything is killed."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a fresh folder of this user's own is made in there)


def measure_on_machine(
    workload: code.Workload, cells: Iterable[Cell], *, n_workers: int, timeout: float | None = None
) -> Generator[list[Outcome], None, None]:
    """Measure each cell once and yield the outcomes in batches that are to be recorded together.

    Worker processes take about 1.5 s to start and end with the run, so that a single cell without a timeout is measured in this
    process. One that dies costs no other one anything: the cells that it held are measured again, each alone, and a cell that
    twice takes its worker down with it becomes an outcome "killed".

    A batch holds what one worker measured at a stretch, about 0.2 s of work, or what several did. A worker is given
    more only after the consumer has asked for the next batch, so that at a kill at most one batch of each worker is
    lost. When the iterator is closed or an exception goes through it, no process is left at work; a consumer that may
    stop early or fail closes it (``contextlib.closing``), rather than wait until it is collected.

    Parameters
    ----------
    workload : Workload
    cells : iterable of Cell
        In the order of the plan: cells of the same split follow one another. It is taken from only when there is a worker
        for a cell, as other processes may take cells of the same run, and it may end early for that reason.
        `operator.length_hint` says how many there are at most.
    n_workers : int
        Number of processes that measure at a time.
    timeout : float, optional
        Seconds for a cell, fit and predictions together; then its worker is killed and the cell's outcome is "timed-out".

    Raises
    ------
    DataError
        The workload cannot be sent to another process.
    LostWorkersError
        None can be started.
    """
    if timeout is None and length_hint(cells, 2) <= 1:
        return measure_here(workload, cells)
    pool = LocalPool(code.pickled(workload), max(1, min(n_workers, length_hint(cells, n_workers))))
    return Dispatch(pool, cells, workload.group, timeout).outcomes()


def measure_here(
    workload: code.Workload, cells: Iterable[Cell], *, clock: Callable[[], float] = time.perf_counter
) -> Generator[list[Outcome], None, None]:
    """Measure one cell after the other; a batch is handed over as soon as `BATCH_SECONDS` have passed since it was begun.

    When KeyboardInterrupt or the like comes in between, what was measured until then is yielded first; it is raised at the next
    step. Tests give a `clock` of their own, in seconds.
    """
    batch: list[Outcome] = []
    closes = clock() + BATCH_SECONDS
    try:
        for cell in cells:
            try:
                batch.append(workload.measure(cell))
            except Exception as error:  # against its promise; that costs this one cell only
                batch.append(code.failed(cell, error))
            if clock() >= closes:
                full, batch = batch, []
                yield full
                closes = clock() + BATCH_SECONDS
    finally:
        if batch:
            yield batch


class LocalPool:
    """Worker processes of this machine, each in an executor of its own, so that its death costs no other one.

    The workload lies in a file that all of them map.
    """

    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, pieces: Sequence[memoryview], n_workers: int) -> None:
        self._names = range(n_workers)
        self._executors: dict[Hashable, Any] = {}
        self._pids: dict[Hashable, int] = {}
        self._pieces = pieces
        self._folder = ""
        self._payload: code.Payload | None = None
        self._pipe: list[int] = []
        self._owner = os.getpid()
        self._closing = threading.Lock()

    def workers(self) -> Sequence[Hashable]:
        """Numbers of the processes. What dead ones have started is killed: it holds their pipes, so that no death is noticed."""
        for pid in self._pids.values():
            if _has_ended(pid):
                code.kill_group(pid)
        return self._names

    def submit(self, worker: Hashable, cells: Sequence[Cell]) -> Future[Any]:
        """Have a process measure cells; one that is not there is started, and maps the workload."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._payload is None:
            if sys.platform == "linux":
                self._pipe += os.pipe()  # it breaks when this process ends, however it does
            self._payload = self._write()
        call = code.measure, self._payload, list(map(tuple, cells)), BATCH_SECONDS
        if worker in self._executors:
            future: Future[Any] = self._executors[worker].submit(*call)
            return future
        self._executors[worker] = ProcessPoolExecutor(
            1, timeout=None, initializer=code.begin, initargs=(self._owner, *self._pipe[:1])
        )
        with _interrupts_blocked():
            future = self._executors[worker].submit(*call)
            # none, if it has ended by now
            self._pids.update(zip([worker], list(self._executors[worker]._processes), strict=False))
        # as loky does it, and after loky has: what was registered last runs first, and loky waits for busy workers
        threading._register_atexit(_weak(self.close))  # type: ignore[attr-defined]
        return future

    def drop(self, worker: Hashable) -> None:
        """Kill a process and all that it has started."""
        executor, pid = self._executors.pop(worker, None), self._pids.pop(worker, None)
        if pid is not None:
            code.kill_group(pid)
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)

    def refused(self, worker: Hashable, reason: str) -> Exception:
        """Error for models that cannot be read by another process."""
        return DataError(
            f"A worker process cannot take models and data over: {reason}. Define what it lacks in a module that can be imported "
            "there, or measure in this process: ",
            Setting("n_jobs", "1"),
            ", no timeout.",
        )

    def close(self) -> None:
        """Kill all processes and remove the file; those of a parent are left to it."""
        if os.getpid() == self._owner:
            closing = threading.Thread(target=self._close)  # whose work a second Ctrl-C does not interrupt
            closing.start()
            closing.join()

    def _close(self) -> None:
        from joblib.externals.loky.backend import resource_tracker

        with self._closing:  # a second Ctrl-C may close again
            for worker in list(self._executors):
                self.drop(worker)
            folder, self._folder = self._folder, ""
            if folder:
                shutil.rmtree(folder, ignore_errors=True)  # Windows keeps what a worker still reads
            if folder and not Path(folder).exists():
                resource_tracker.unregister(folder, "folder")
            while self._pipe:
                os.close(self._pipe.pop())

    def _write(self) -> code.Payload:
        """Write all pieces into one file, which is removed even where this process is killed."""
        from joblib.externals.loky.backend import resource_tracker

        folder = self._folder = tempfile.mkdtemp(prefix="tiebreak-", dir=_folder_for(sum(each.nbytes for each in self._pieces)))
        resource_tracker.register(folder, "folder")
        path = Path(folder, "workload")
        spans: list[tuple[int, int]] = []
        with path.open("wb") as file:
            for piece in self._pieces:
                file.write(b"\0" * (-file.tell() % code.ALIGNMENT))
                spans.append((file.tell(), file.tell() + piece.nbytes))
                file.write(piece)
        return code.Payload(spans, path=str(path))


def _weak(method: Callable[[], object]) -> Callable[[], object]:
    """A call of a method that does not keep its object."""
    found = weakref.WeakMethod(method)
    return lambda: (call := found()) and call()


def _has_ended(pid: int) -> bool:
    """True for a child that has ended; it stays as it is for whoever waits for it."""
    if not hasattr(os, "waitid"):
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from a process that is started meanwhile, until `worker.begin`; this process hears it a moment later.

    So it does SIGTERM. The mask alone is that of a thread: in another one a signal arrives all the same, and is handled in here.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which comes with the first process, and would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    heard: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    handlers = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for late in heard:
            signal.raise_signal(late)


def _folder_for(size: int) -> str | None:
    """Folder that joblib's users want such files in, else memory if there is plenty, else the one for temporary files."""
    if chosen := os.environ.get("JOBLIB_TEMP_FOLDER"):
        return chosen
    with suppress(OSError):  # not on this system
        if shutil.disk_usage(SHARED_MEMORY).free > 4 * size and os.access(SHARED_MEMORY, os.W_OK):
            return str(SHARED_MEMORY)
    return None
