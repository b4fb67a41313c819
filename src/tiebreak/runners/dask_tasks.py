"""The tasks of one run on a Dask cluster: handed out, collected, and tried again where workers were lost under them."""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tiebreak.errors import ClusterError, LostWorkersError
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.runners import dask_worker, worker
from tiebreak.runners.backlog import BATCH_SECONDS, Backlog
from tiebreak.runners.dask_cargo import Cargo
from tiebreak.runners.dask_cluster import GO_ON, Cluster, Future
from tiebreak.runners.here import failed, in_one_line
from tiebreak.runners.worker import Failure, Report

DEPTH = 2
"""Batches on their way for each worker: one that it measures, and the next, so that it need not wait for this process."""

RESULT_SECONDS = 60.0
"""How long it may take to fetch a batch of outcomes before somebody else is asked for them."""

LOOK_SECONDS = 1.0
"""How often to see which workers there are, and whether there still is a scheduler."""

FATAL_DEATHS = 2
"""A cell that so many workers have died under, with nothing else at work, is given up."""

MAX_LOST_ARRIVALS = 3
"""How often all workers may die while they take the workload over, before anything was measured."""


class Task(NamedTuple):
    """A call that some worker is to answer.

    Attributes
    ----------
    future : Future
    cells : list of Cell
        Empty where a worker only takes the workload over.
    token : str
        Of the cargo that it needs.
    is_alone : bool
        Whether nothing else was at work meanwhile.
    """

    future: Future
    cells: list[Cell]
    token: str
    is_alone: bool


class Tasks:
    """Hands batches out and collects their outcomes.

    Dask itself repeats what a worker was doing when it was lost, up to a number of times that its scheduler is set to. A batch
    that fails nevertheless, or whose data were lost with all workers, is measured again cell by cell, with nothing else at work:
    a cell under which workers die even then is to blame, and nobody else is.

    Parameters
    ----------
    cluster : Cluster
    cargo : Cargo
    backlog : Backlog
    patience : float
        Seconds to wait for a worker when there is none.
    """

    def __init__(self, cluster: Cluster, cargo: Cargo, backlog: Backlog, patience: float) -> None:
        self._cluster = cluster
        self._cargo = cargo
        self._backlog = backlog
        self._patience = patience
        self._scattered: Future = None
        self._tasks: dict[str, Task] = {}
        self._done: SimpleQueue[Future] = SimpleQueue()
        self._suspects: deque[Cell] = deque()
        self._tries: Counter[Cell] = Counter()
        self._deaths: Counter[Cell] = Counter()
        self._has_arrived = False
        self._n_lost_arrivals = 0
        self._workers: list[str] = []
        self._last_look = self._last_worker = time.monotonic()

    def outcomes(self) -> Iterator[list[Outcome]]:
        """All of the backlog, measured.

        Raises
        ------
        ClusterError
            The scheduler is gone, or a worker cannot take the workload over.
        LostWorkersError
            There are no workers, or all of them die as they take the workload over.
        """
        self._muster()
        while True:
            self._hand_out()
            if not self._tasks:
                return
            if outcomes := self._collect():
                yield outcomes

    def drop(self) -> None:
        """Let go of what is left; Dask then drops it too. A cell that is being measured is measured to its end."""
        futures = [task.future for task in self._tasks.values()] + [self._scattered]
        self._tasks.clear()
        self._scattered = None
        for future in futures:
            with suppress(Exception):  # the client may be closed by now
                future.release()

    # --- out ----------------------------------------------------------------------------------------------------------------

    def _muster(self) -> None:
        """Have each worker take the workload over; what is wrong with one shows before anything is measured."""
        self._load()
        while not self._has_arrived:
            self._wait_for_workers()
            for address in self._workers:
                self._submit([], workers=[address])
            while self._tasks:
                self._collect()

    def _load(self) -> None:
        """Put the cargo into the workers' memory, when there is a worker."""
        self._scattered = None
        while self._scattered is None:
            self._wait_for_workers()
            self._scattered = self._cluster.scatter(self._cargo.token, self._cargo)

    def _hand_out(self) -> None:
        """Give every worker something to do, and the next thing; suspects alone."""
        if self._suspects:
            if not self._tasks:
                self._submit([self._suspects.popleft()], is_alone=True)
            return
        n_workers = max(1, len(self._workers))
        while len(self._tasks) < DEPTH * n_workers and (cells := self._backlog.take_batch(n_workers)):
            self._submit(cells)

    def _submit(self, cells: list[Cell], *, workers: Sequence[str] = (), is_alone: bool = False) -> None:
        key = f"tiebreak-{'measure' if cells else 'prepare'}-{uuid.uuid4().hex}"
        function: Callable[..., object] = dask_worker.prepare
        arguments: list[Any] = [self._scattered]
        if cells:
            function = dask_worker.measure
            arguments += [dask_worker.packed_cells(cells), BATCH_SECONDS]
        future = self._cluster.submit(function, *arguments, key=key, workers=workers)
        self._tasks[key] = Task(future, cells, self._cargo.token, is_alone)
        future.add_done_callback(self._done.put)

    # --- in -----------------------------------------------------------------------------------------------------------------

    def _collect(self) -> list[Outcome]:
        """What has come back, or nothing after a while."""
        if time.monotonic() - self._last_look >= LOOK_SECONDS:
            self._look()
        try:
            done = [self._done.get(timeout=LOOK_SECONDS)]
        except Empty:
            done = [task.future for task in self._tasks.values() if task.future.done()]  # should a call back have gone astray
        while not self._done.empty():
            done.append(self._done.get())
        return [outcome for future in done for outcome in self._settle(str(future.key))]

    def _settle(self, key: str) -> Sequence[Outcome]:
        """The outcomes of a task that is done, as far as it has come to some."""
        task = self._tasks.get(key)
        if task is None:
            return ()
        if task.future.status == "error":
            return self._failed(self._tasks.pop(key), task.future.exception(timeout=RESULT_SECONDS))
        try:
            answer = task.future.result(timeout=RESULT_SECONDS)
        except CancelledError:
            return self._lost(self._tasks.pop(key))
        except TimeoutError:  # the worker that had the answer is gone, and another is at it again
            self._cluster.check()
            task.future.add_done_callback(self._done.put)
            return ()
        except OSError:
            self._cluster.check()
            raise
        del self._tasks[key]
        return self._read(task.cells, answer)

    def _read(self, cells: list[Cell], answer: Report | Failure | None) -> Sequence[Outcome]:
        """What a worker has sent."""
        if isinstance(answer, Failure):
            raise ClusterError(
                f"The Dask worker at {answer.message}. Put the same code and packages there, and start the workers anew. {GO_ON}."
            )
        if answer is None:
            self._has_arrived = True
            return ()
        measured, rest = cells[: len(answer.seconds)], cells[len(answer.seconds) :]
        self._backlog.put_back(rest)
        try:
            outcomes = worker.unpacked(answer.outcomes)
        except Exception as error:
            if len(measured) > 1:
                self._suspects.extend(measured)
                return ()
            return [replace(failed(measured[0], error), attempts=1 + self._tries[measured[0]])]
        for cell, seconds in zip(measured, answer.seconds, strict=True):
            self._backlog.note(cell, seconds)
        return [replace(each, attempts=each.attempts + self._tries[each.cell]) if self._tries else each for each in outcomes]

    # --- losses -------------------------------------------------------------------------------------------------------------

    def _failed(self, task: Task, error: BaseException | None) -> Sequence[Outcome]:
        """A task that Dask has given up."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return self._blame(task, error.allowed_failures + 1) if task.cells else self._lost_arrival()
        what = in_one_line(error) if error is not None else "nobody knows why"
        lacks = " tiebreak has to be installed where the scheduler runs and where the workers run." if "tiebreak" in what else ""
        raise ClusterError(f"The Dask cluster at {self._cluster.address} cannot do the work: {what}.{lacks} {GO_ON}.") from error

    def _lost(self, task: Task) -> Sequence[Outcome]:
        """A task that was dropped: the scheduler is gone, or all workers that had the data are."""
        self._cluster.check()
        if task.token == self._cargo.token:
            self._cargo = self._cargo.again()
            if not task.cells:
                self._lost_arrival()
            self._load()
        return self._blame(task, 1)

    def _blame(self, task: Task, n_deaths: int) -> Sequence[Outcome]:
        """Set the cells of a lost task aside, to be measured alone; one that was alone is to blame."""
        for cell in task.cells:
            self._tries[cell] += 1
            self._deaths[cell] += n_deaths if task.is_alone else 0
            if (deaths := self._deaths[cell]) >= FATAL_DEATHS:
                message = f"{deaths} Dask workers died while they measured this cell and nothing else"
                return [Outcome(cell, "killed", message=message, attempts=self._tries[cell])]
        self._suspects.extend(task.cells)
        return ()

    def _lost_arrival(self) -> Sequence[Outcome]:
        """Workers have died before anything was measured: that is no property of any cell."""
        self._n_lost_arrivals += 1
        if self._n_lost_arrivals > MAX_LOST_ARRIVALS:
            raise LostWorkersError(
                f"The workers of the Dask cluster at {self._cluster.address} die as they take over models and data, however "
                f"often that is tried; their logs may say why. {GO_ON}."
            )
        return ()

    # --- workers ------------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """See which workers there are.

        Raises
        ------
        LostWorkersError
            None for too long.
        """
        self._workers = self._cluster.workers()
        self._last_look = time.monotonic()
        if self._workers:
            self._last_worker = self._last_look
        elif self._last_look - self._last_worker > self._patience:
            raise LostWorkersError(
                f"The Dask cluster at {self._cluster.address} has had no worker for {self._patience:g} s. {GO_ON}, when there "
                f"are some: dask worker {self._cluster.address}"
            )

    def _wait_for_workers(self) -> None:
        self._look()
        while not self._workers:
            time.sleep(LOOK_SECONDS / 5)
            self._look()
