"""Several worker processes that measure the cells of one queue; one that dies or exceeds the time is replaced."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self

from tiebreak.errors import LostWorkersError
from tiebreak.plan.record import Cell, Outcome, State
from tiebreak.runners import BATCH_SECONDS, processes, worker
from tiebreak.runners.batch import CellQueue, PackedWorkload
from tiebreak.runners.failures import failed, in_one_line
from tiebreak.runners.processes import WorkerProcess
from tiebreak.runners.worker import Environment, Failure, Report

MAX_STARTS = 3
"""A worker for which so many processes in a row could not load the workload is given up."""

MAX_TRIES = 2
"""A cell that has cost so many processes their life while it was measured alone is given up."""

GRACE_SECONDS = 0.1
"""From assigning a cell until it has begun: a millisecond, on a crowded machine more."""

CHECK_SECONDS = 5.0
"""Seconds between two checks for processes whose death is hidden by children that they have left behind."""

RELEASE_SECONDS = 2.0

START_SECONDS = 1.5
"""Seconds that worker processes take to start: imports, mostly."""

FIRST_LOOK_SECONDS = 0.3
LOOK_SECONDS = 0.1
"""Seconds between two looks if starting workers pays."""


class ProcessFailure(NamedTuple):
    """Reason why a process gave no result."""

    state: State
    message: str
    traceback: str = ""


class Worker:
    """A worker of a group: it has one process at a time, and is given another when that is lost.

    Cells that were not got to are put back into the queue, which learns the measured seconds; `timeout` is for a cell, in
    seconds.
    """

    def __init__(self, queue: CellQueue, timeout: float | None) -> None:
        self._queue = queue
        self._timeout = timeout
        self._process: WorkerProcess | None = None
        self._killed: WorkerProcess | None = None
        self._cells: list[Cell] = []
        self._tries: Counter[Cell] = Counter()
        self._failed_starts = 0
        self.future: Future[Any] | None = None
        self.deadline = float("inf")
        self.retries: deque[Cell] = deque()  # to be measured again, each alone
        self.failure: ProcessFailure | None = None
        self.last: Cell | None = None  # that was measured

    @property
    def is_given_up(self) -> bool:
        """Tell if no process could be got to work."""
        return self._failed_starts >= MAX_STARTS

    @property
    def lacks_process(self) -> bool:
        """Tell if it is to be started."""
        return self._process is None and not self.is_given_up

    @property
    def is_ready(self) -> bool:
        """Tell if its process waits for cells."""
        return self._process is not None and self.future is None

    @property
    def is_starting(self) -> bool:
        """Tell if its process is loading the workload."""
        return self.future is not None and not self._cells

    def start(self, workload: PackedWorkload) -> None:
        """Get a process and send it the workload."""
        while self.lacks_process:
            self._process = processes.acquire()
            try:
                self.future = self._process.call(worker.prepare, workload.payload(), Environment.current())
            except BrokenExecutor as error:  # it has died this moment
                self._started(_reason(self._process, error))

    def assign(self, cells: list[Cell]) -> None:
        """Have cells measured."""
        if self._process is None:
            raise RuntimeError("a worker without a process was assigned cells")
        try:
            self.future = self._process.call(worker.measure, cells, BATCH_SECONDS)
        except BrokenExecutor:  # it has died while it waited, of which no cell is the cause
            self._queue.put_back(cells)
            self.stop()
            return
        self._cells = cells
        if self._timeout is not None:
            self.deadline = time.monotonic() + self._timeout + GRACE_SECONDS

    def collect(self) -> list[Outcome]:
        """Outcomes that have come by now."""
        if self.future is None or self._process is None:
            return []
        if not self.future.done():
            return self._expired() if time.monotonic() >= self.deadline else []
        future, cells = self.future, self._cells
        self.future, self._cells, self.deadline = None, [], float("inf")
        error = future.exception()
        failure = None if error is None else _reason(self._process, error)
        if not cells:
            self._started(failure or future.result())
            return []
        return self._lost(cells, failure) if failure is not None else self._read(cells, future.result())

    def check(self) -> None:
        """Notice a busy process that has died and left children behind, or a waiting one that is of no use any more."""
        if self._process is None:
            return
        if self.future is not None:
            self._process.kill_children_if_dead()
        elif not self._process.is_usable:
            self.stop()

    def stop(self) -> None:
        """Kill the process, if there is one, and drop what it was doing."""
        self.wait()  # for the one before
        process, self._process = self._process, None
        self.future, self._cells, self.deadline = None, [], float("inf")
        if process is not None:
            processes.discard(process)
            self._killed = process

    def wait(self) -> None:
        """Wait until the last process that was killed is gone."""
        if self._killed is not None:
            self._killed.wait()
            self._killed = None

    def end(self, *, with_error: bool) -> Future[None] | None:
        """Kill a busy process, or leave a waiting one to the next run; the future says when that has dropped the workload.

        `with_error` kills one that is only loading the workload as well.
        """
        if self._cells or (self.is_starting and with_error):
            self.stop()
        process, self._process = self._process, None
        self.future = None
        return None if process is None else processes.release(process)

    def _started(self, result: Failure | ProcessFailure | None) -> None:
        """Begin with a process that has loaded the workload, or let go of one that could not."""
        if result is None:
            self._failed_starts = 0
            return
        self.stop()
        self._failed_starts += 1
        self.failure = ProcessFailure("raised", *result) if isinstance(result, Failure) else result

    def _read(self, cells: list[Cell], report: Report) -> list[Outcome]:
        """Outcomes of a report."""
        measured = self._queue.finish(cells, report.seconds)
        self.last = measured[-1] if measured else None
        try:
            outcomes = worker.outcomes_of(report)
        except Exception as error:
            outcome = failed(measured[0], error)
            return self._lost(measured, ProcessFailure(outcome.state, outcome.message, outcome.traceback))
        if self._tries:
            return [replace(outcome, attempts=outcome.attempts + self._tries[outcome.cell]) for outcome in outcomes]
        return outcomes

    def _expired(self) -> list[Outcome]:
        """Outcome of a cell that has used up its time."""
        [cell] = self._cells
        self.stop()
        return [Outcome(cell, "timed-out", message=f"no result after {self._timeout:g} s", attempts=1 + self._tries[cell])]

    def _lost(self, cells: list[Cell], failure: ProcessFailure) -> list[Outcome]:
        """Set the cells of a lost batch aside, to be measured alone; one that was alone is the cause."""
        self.stop()
        if len(cells) > 1:
            self.retries.extend(cells)
            return []
        [cell] = cells
        self._tries[cell] += 1
        if failure.state == "killed" and self._tries[cell] < MAX_TRIES:
            self.retries.append(cell)
            return []
        return [Outcome(cell, failure.state, message=failure.message, traceback=failure.traceback, attempts=self._tries[cell])]


class WorkerGroup:
    """Hands batches out to workers and collects their outcomes.

    The workload is closed at the end. With a timeout, in seconds for a cell, each batch is one cell.
    """

    def __init__(self, workload: PackedWorkload, queue: CellQueue, n_workers: int, timeout: float | None) -> None:
        self._workload = workload
        self._queue = queue
        self._timeout = timeout
        self._workers = [Worker(queue, timeout) for _ in range(n_workers)]

    def outcomes(self) -> Iterator[list[Outcome]]:
        """Measure all that is left in the queue; what several workers have ready is handed over together."""
        while True:
            self.hand_out()
            busy = [each for each in self._workers if each.future is not None]
            if not busy:
                break
            soonest = min(each.deadline for each in busy) - time.monotonic()
            done, _ = wait([each.future for each in busy if each.future], max(0.0, min(soonest, CHECK_SECONDS)), FIRST_COMPLETED)
            if not done:
                self._check()
            if outcomes := [outcome for each in busy for outcome in each.collect()]:
                yield outcomes
        if outcomes := self._unmeasured():
            yield outcomes

    def hand_out(self) -> None:
        """Give cells to all workers that wait for some, and start those that lack a process."""
        self._check()
        open_workers = [each for each in self._workers if not each.is_given_up]
        for each in self._workers:
            if each.is_given_up and open_workers:  # its retries are another's
                open_workers[0].retries.extend(each.retries)
                each.retries.clear()
        for each in self._workers:
            if each.is_ready:
                if each.retries:
                    each.assign([each.retries.popleft()])
                elif batch := self._next_batch(len(open_workers), each.last):
                    each.assign(batch)
        n_wanted = len(self._queue) - len(self.starting())
        for each in self._workers:
            if each.lacks_process and (each.retries or n_wanted > 0):
                each.start(self._workload)
                n_wanted -= 1

    def starting(self) -> list[Future[Any]]:
        """Futures of the workers that are loading the workload."""
        return [each.future for each in self._workers if each.is_starting and each.future is not None]

    def has_ready(self) -> bool:
        """See which workers have started, without collecting outcomes, and tell if there are any."""
        for each in self._workers:
            if each.is_starting:
                each.collect()
        return any(each.is_ready for each in self._workers)

    def _next_batch(self, n_workers: int, after: Cell | None) -> list[Cell]:
        """Take cells for the next worker."""
        if self._timeout is None:
            return self._queue.take_batch(n_workers, after)
        cell = self._queue.take()
        return [] if cell is None else [cell]

    def _check(self) -> None:
        for each in self._workers:
            each.check()

    def _unmeasured(self) -> list[Outcome]:
        """Outcomes of the cells for which no worker is left.

        Raises `LostWorkersError` where the processes died as they started: that is no property of any cell, and may be better
        next time.
        """
        cells = [cell for each in self._workers for cell in each.retries] + self._queue.take_all()
        if not cells:
            return []
        failure = next(each.failure for each in self._workers if each.failure is not None)
        if failure.state == "killed":
            raise LostWorkersError(
                f"No worker process could be started for the remaining {len(cells)} cells: {failure.message}. "
                "Make room on this machine or lower n_jobs, and run the same again to go on."
            )
        message = f"no worker process could take over the work: {failure.message}"
        return [Outcome(cell, failure.state, message=message, traceback=failure.traceback) for cell in cells]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Kill the workers that are busy still, and leave the others to the next run."""
        released = [future for each in self._workers if (future := each.end(with_error=kind is not None)) is not None]
        for each in self._workers:
            each.wait()
        if sys.platform == "win32":  # where a file cannot be removed while someone reads it
            wait(released, RELEASE_SECONDS)
        self._workload.close()


class DelayedStart:
    """Starts the workers of a group as soon as that pays, while this process measures.

    It runs in a thread of its own, because the first fit may take minutes: meanwhile the workers start, and each is
    given a first batch. This process goes on until one of them is ready.
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
            wait([self._finished], FIRST_LOOK_SECONDS)
            while not self._finished.done() and not self._pays():
                wait([self._finished], LOOK_SECONDS)
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


def _reason(process: WorkerProcess, error: BaseException) -> ProcessFailure:
    """Reason why a call has failed."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    if isinstance(error, TerminatedWorkerError):
        return ProcessFailure("killed", process.wait())
    state: State = "out-of-memory" if isinstance(error, MemoryError) else "raised"
    return ProcessFailure(state, in_one_line(error), str(error.__cause__ or ""))
