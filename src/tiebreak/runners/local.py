"""Measuring on this machine, in this process or in several."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from numbers import Integral, Real
from operator import length_hint
from types import TracebackType
from typing import Self

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import processes
from tiebreak.runners.batch import BATCH_SECONDS, CellQueue, PackedWorkload, Workload
from tiebreak.runners.worker import attempt
from tiebreak.runners.worker_group import WorkerGroup

FIRST_CHECK_SECONDS = 0.3
CHECK_SECONDS = 0.1

START_SECONDS = 1.5
"""Seconds that worker processes take to start: imports, mostly."""


class LocalRunner:
    """Measures in this process, or in worker processes of this machine.

    With ``n_jobs=1``, no timeout and no isolation everything happens in this process. Else there are worker processes;
    without a timeout and isolation they are started only when that pays, and until then this process measures itself. A worker
    that dies costs no other one anything: the cells that it held are measured again, each alone, and a cell that twice
    takes its worker down with it becomes an outcome "killed". Idle workers are kept for five minutes for the next run.

    Parameters
    ----------
    n_jobs : int
        Number of processes that measure at a time; -1 for one on each core that this process may use, -2 for one less.
    timeout : float or None
        Seconds for a cell, fit and predictions together; then its worker is killed and the cell's outcome is "timed-out".
    isolate : bool
        Measure nothing in this process, so that no model can take it down.

    Raises
    ------
    InvalidParameterError
        A number of jobs or seconds that means nothing.
    """

    def __init__(self, n_jobs: int = 1, timeout: float | None = None, isolate: bool = False) -> None:
        self.n_workers = number_of_workers(n_jobs)
        self.timeout = _checked_timeout(timeout)
        self.isolate = isolate

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell once and yield the outcomes in batches, as `Runner.run` promises.

        Raises
        ------
        InvalidPlanError
            The workload cannot be sent to another process.
        LostWorkersError
            No worker process could be started.
        """
        n_workers = min(self.n_workers, length_hint(cells, self.n_workers))
        if n_workers <= 1 and self.timeout is None and not self.isolate:
            return measure_here(workload, cells)
        return self._run_in_workers(workload, CellQueue(cells), n_workers)

    def _run_in_workers(self, workload: Workload, queue: CellQueue, n_workers: int) -> Generator[list[Outcome], None, None]:
        """Measure in worker processes, and here until they are ready where that is allowed."""
        with WorkerGroup(PackedWorkload(workload), queue, n_workers, self.timeout) as group:
            if self.timeout is None and not self.isolate and processes.n_idle() < n_workers:
                with DelayedStart(queue, group, n_workers) as delayed:
                    yield from measure_here(workload, delayed.cells())
            yield from group.outcomes()


def measure_here(
    workload: Workload, cells: Iterable[Cell], *, clock: Callable[[], float] = time.perf_counter
) -> Generator[list[Outcome], None, None]:
    """Measure one cell after the other; a batch is handed over as soon as `BATCH_SECONDS` have passed since it was begun.

    Parameters
    ----------
    workload : Workload
    cells : iterable of Cell
    clock : callable
        Gives seconds; for tests.

    Yields
    ------
    list of Outcome
        When KeyboardInterrupt or the like comes in between, first what was measured until then; it is raised at the next step.
    """
    batch: list[Outcome] = []
    with workload:
        closes = clock() + BATCH_SECONDS
        try:
            for cell in cells:
                batch.append(attempt(workload, cell))
                if clock() >= closes:
                    full, batch = batch, []
                    yield full
                    closes = clock() + BATCH_SECONDS
        except GeneratorExit:  # the consumer wants no more
            raise
        except BaseException:
            if batch:
                yield batch
            raise
    if batch:
        yield batch


class DelayedStart:
    """Starts the workers of a group as soon as that pays, while this process measures.

    It runs in a thread of its own, because the first fit may take minutes: meanwhile the workers start, and each is
    given a first batch. This process goes on until one of them is ready.

    Parameters
    ----------
    queue : CellQueue
    group : WorkerGroup
    n_workers : int
    """

    def __init__(self, queue: CellQueue, group: WorkerGroup, n_workers: int) -> None:
        self._queue = queue
        self._group = group
        self._n_workers = n_workers
        self._running: tuple[Cell, float] | None = None
        self._is_over = False
        self._error: BaseException | None = None
        self._finished: Future[None] = Future()
        self._thread = threading.Thread(target=self._watch, name="tiebreak-delayed-start", daemon=True)

    def cells(self) -> Iterator[Cell]:
        """Cells for this process to measure, until a worker is ready."""
        while not self._is_over and (cell := self._queue.take()) is not None:
            began = time.perf_counter()
            self._running = cell, began
            yield cell
            self._queue.learn(cell, time.perf_counter() - began)
        self._running = None

    def _watch(self) -> None:
        """Start the workers when that pays, and give each its first batch."""
        try:
            wait([self._finished], FIRST_CHECK_SECONDS)
            while not self._finished.done() and not self._pays():
                wait([self._finished], CHECK_SECONDS)
            if self._finished.done():
                return
            self._group.hand_out()
            while not self._finished.done() and (starting := self._group.starting()):
                wait([self._finished, *starting], return_when=FIRST_COMPLETED)
                self._is_over |= self._group.has_ready()
                self._group.hand_out()
        except BaseException as error:  # raised again where the run can end with it
            self._error = error
            self._is_over = True

    def _pays(self) -> bool:
        """Tell if worker processes that have yet to start would be done sooner with what is left."""
        running = self._running
        if running is None or not (n_left := len(self._queue)):
            return False
        cell, began = running
        return start_pays(self._queue.seconds_left(cell, time.perf_counter() - began), min(self._n_workers, n_left))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._finished.set_result(None)
        self._thread.join()
        if self._error is not None and kind is None:
            raise self._error


def start_pays(seconds_left: float, n_workers: int) -> bool:
    """Tell if what is left is done sooner by workers that have yet to be started."""
    return seconds_left > seconds_left / n_workers + START_SECONDS


def number_of_workers(n_jobs: int) -> int:
    """Number of processes that `n_jobs` means; negative ones count down from the cores that this process may use, plus one.

    Raises
    ------
    InvalidParameterError
        0, or no whole number.
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidParameterError(
            f"n_jobs={n_jobs!r} is no number of processes; give 1 or more, or -1 for all cores that may be used, -2 for one less."
        )
    if n_jobs > 0:
        return int(n_jobs)
    import joblib

    return max(1, int(joblib.cpu_count()) + 1 + int(n_jobs))


def _checked_timeout(timeout: float | None) -> float | None:
    """Seconds above 0, or None."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not 0 < timeout < math.inf:
        raise InvalidParameterError(
            f"timeout={timeout!r} is no number of seconds above 0 for a cell; give one, or None for no limit."
        )
    return float(timeout)
