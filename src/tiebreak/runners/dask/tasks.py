"""The cells of one run on a Dask cluster: handed out, collected, and measured again where workers were lost under them."""

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
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import worker
from tiebreak.runners.batch import BATCH_SECONDS, Backlog
from tiebreak.runners.dask import worker as dask_worker
from tiebreak.runners.dask.cluster import GO_ON, Cluster, Future
from tiebreak.runners.dask.worker import Cargo
from tiebreak.runners.worker import Failure, Report, failed

LOOK_SECONDS = 1.0
"""How often to see which workers there are, and whether there still is a scheduler."""

FETCH_SECONDS = 5.0
"""How long to wait at first for an answer that is there; the worker that has it may be gone. Each time twice as long."""


class Call(NamedTuple):
    """What some worker is to do.

    Attributes
    ----------
    future : Future
    cells : list of Cell
        To be measured; none where the worker only takes the workload over.
    worker : str
        The only one that may do it; "" for any.
    token : str
        Of the cargo that it needs.
    seconds : float
        How long its answer may take to be fetched.
    """

    future: Future
    cells: list[Cell]
    worker: str
    token: str
    seconds: float = FETCH_SECONDS


class Settled(NamedTuple):
    """A call that nobody waits for any more.

    Attributes
    ----------
    call : Call
    answer : Report, Failure or None
        None from a worker that has taken the workload over.
    is_lost : bool
        Whether workers were lost under it, so that there is no answer.
    """

    call: Call
    answer: Report | Failure | None
    is_lost: bool


class Calls:
    """The calls of one run that are on their way.

    Parameters
    ----------
    cluster : Cluster
    cargo : Cargo
        What all of them need.
    patience : float
        Seconds to wait for a worker when there is none.
    """

    def __init__(self, cluster: Cluster, cargo: Cargo, patience: float) -> None:
        self.workers: list[str] = []
        self._cluster = cluster
        self._cargo = cargo
        self._patience = patience
        self._scattered: Future = None
        self._calls: dict[str, Call] = {}
        self._done: SimpleQueue[Future] = SimpleQueue()
        self._last_look = self._last_worker = time.monotonic()

    def __len__(self) -> int:
        return len(self._calls)

    def call(self, cells: list[Cell], worker: str = "") -> None:
        """Have cells measured, or without any the workload taken over, by any worker or by a certain one."""
        if self._scattered is None:
            self._load()
        key = f"tiebreak-{'measure' if cells else 'prepare'}-{uuid.uuid4().hex}"
        function: Callable[..., object] = dask_worker.prepare
        arguments: list[Any] = [self._scattered]
        if cells:
            function = dask_worker.measure
            arguments += [dask_worker.packed_cells(cells), BATCH_SECONDS]
        future = self._cluster.submit(function, *arguments, key=key, worker=worker)
        self._calls[key] = Call(future, cells, worker, self._cargo.token)
        future.add_done_callback(self._done.put)

    def settled(self) -> list[Settled]:
        """What has come back or is known to be lost; nothing after a while."""
        lost = self.look() if time.monotonic() - self._last_look >= LOOK_SECONDS else []
        if lost:
            return lost
        try:
            done = [self._done.get(timeout=LOOK_SECONDS)]
        except Empty:
            done = [call.future for call in self._calls.values() if call.future.done()]  # should a callback have gone astray
        while not self._done.empty():
            done.append(self._done.get())
        return [settled for future in done if (settled := self._settle(str(future.key))) is not None]

    def look(self) -> list[Settled]:
        """See which workers there are; calls to one that is gone are lost."""
        self._see_workers()
        gone = [key for key, call in self._calls.items() if call.worker and call.worker not in self.workers]
        return [Settled(self._calls.pop(key), None, is_lost=True) for key in gone]

    def wait_for_workers(self) -> list[str]:
        """Those that are there, as soon as there is one."""
        self._see_workers()
        while not self.workers:
            time.sleep(LOOK_SECONDS / 5)
            self._see_workers()
        return self.workers

    def drop(self) -> None:
        """Let go of what is left; Dask then drops it too. A cell that is being measured is measured to its end."""
        futures = [call.future for call in self._calls.values()] + [self._scattered]
        self._calls.clear()
        self._scattered = None
        for future in futures:
            with suppress(Exception):  # the client may be closed by now
                future.release()

    def _see_workers(self) -> None:
        """Ask which workers there are.

        Raises
        ------
        ClusterError
            The scheduler is gone.
        LostWorkersError
            There has been no worker for too long.
        """
        self.workers = self._cluster.workers()
        self._last_look = time.monotonic()
        if self.workers:
            self._last_worker = self._last_look
        elif self._last_look - self._last_worker > self._patience:
            raise LostWorkersError(
                f"The Dask cluster at {self._cluster.address} has had no worker for {self._patience:g} s. {GO_ON}, when there "
                f"are some: dask worker {self._cluster.address}"
            )

    def _load(self) -> None:
        """Put the cargo into the memory of a worker, as soon as there is one; others get it from there."""
        while self._scattered is None:
            if self.workers:
                self._scattered = self._cluster.scatter(self._cargo.token, self._cargo)
            if self._scattered is None:
                time.sleep(LOOK_SECONDS / 5)
                self._see_workers()

    def _settle(self, key: str) -> Settled | None:
        """A call that is done; None if it turns out not to be."""
        call = self._calls.get(key)
        if call is None:
            return None
        if call.future.status == "error":
            self._check(call.future.exception(timeout=call.seconds))
            return Settled(self._calls.pop(key), None, is_lost=True)
        try:
            answer = call.future.result(timeout=call.seconds)
        except CancelledError:
            self._forget_cargo(call)
            return Settled(self._calls.pop(key), None, is_lost=True)
        except TimeoutError:  # as a rule the worker that had the answer is gone, and another is at it again
            self._cluster.check()
            self._calls[key] = call._replace(seconds=2 * call.seconds)
            call.future.add_done_callback(self._done.put)
            return None
        except OSError:
            self._cluster.check()
            raise
        return Settled(self._calls.pop(key), answer, is_lost=False)

    def _check(self, error: BaseException) -> None:
        """Whether a call that Dask has given up was lost along with workers.

        Raises
        ------
        ClusterError
            It was not: something else is wrong, such as a worker without tiebreak.
        """
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return
        raise self._cluster.unfit(error) from error

    def _forget_cargo(self, call: Call) -> None:
        """A call was dropped: the scheduler is gone, or all workers that had the cargo are, and it has to be sent again."""
        self._cluster.check()
        if call.token == self._cargo.token:
            self._cargo = self._cargo.again()
            self._scattered = None


DEPTH = 2
"""Batches on their way for each worker: one that it measures, and the next, so that it need not wait for this process."""

MAX_DEATHS = 2
"""A cell that so many workers have died under while it was measured alone is given up."""

MAX_ARRIVALS = 6
"""How often in a row all workers that take the workload over may die of it."""


class Tasks:
    """Hands batches out and collects their outcomes.

    Dask itself repeats what a worker was doing when it was lost, up to a number of times that its scheduler is set to. A batch
    that fails nevertheless, or whose data were lost with all workers, is measured again cell by cell, with nothing else at work,
    on a worker that is known to be there and to have taken the workload over: one that dies then dies of that cell.

    Parameters
    ----------
    cluster : Cluster
    cargo : Cargo
    backlog : Backlog
    patience : float
        Seconds to wait for a worker when there is none.
    """

    def __init__(self, cluster: Cluster, cargo: Cargo, backlog: Backlog, patience: float) -> None:
        self._address = cluster.address
        self._calls = Calls(cluster, cargo, patience)
        self._backlog = backlog
        self._suspects: deque[Cell] = deque()
        self._deaths: Counter[Cell] = Counter()
        self._ready = ""
        self._n_arrivals = 0

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
            if not self._calls:
                return
            if outcomes := self._collect():
                yield outcomes

    def drop(self) -> None:
        """Let go of what is left."""
        self._calls.drop()

    # --- out ----------------------------------------------------------------------------------------------------------------

    def _muster(self) -> None:
        """Have each worker take the workload over; what is wrong with one shows before anything is measured."""
        while not self._ready:
            self._prepare(self._calls.wait_for_workers())
            while self._calls:
                self._collect()

    def _hand_out(self) -> None:
        """Give every worker something to do, and the next thing; suspects alone."""
        if self._suspects:
            if not self._calls:
                self._try_alone()
            return
        n_workers = max(1, len(self._calls.workers))
        while len(self._calls) < DEPTH * n_workers and (cells := self._backlog.take_batch(n_workers)):
            self._calls.call(cells)

    def _try_alone(self) -> None:
        """Have the next suspect measured, or first a worker made ready for that."""
        workers = self._calls.wait_for_workers()
        if self._ready in workers:
            self._calls.call([self._suspects.popleft()], self._ready)
        else:
            self._prepare([workers[self._n_arrivals % len(workers)]])

    def _prepare(self, workers: Sequence[str]) -> None:
        """Have workers take the workload over.

        Raises
        ------
        LostWorkersError
            They die of that: it is no property of any cell.
        """
        self._n_arrivals += 1
        if self._n_arrivals > MAX_ARRIVALS:
            raise LostWorkersError(
                f"The workers of the Dask cluster at {self._address} die as they take over models and data, however often that "
                f"is tried; their logs may say why. {GO_ON}."
            )
        for address in workers:
            self._calls.call([], address)

    # --- in -----------------------------------------------------------------------------------------------------------------

    def _collect(self) -> list[Outcome]:
        """The outcomes that have come."""
        return [outcome for settled in self._calls.settled() for outcome in self._read(settled)]

    def _read(self, settled: Settled) -> list[Outcome]:
        """The outcomes of a call."""
        call, answer = settled.call, settled.answer
        if settled.is_lost:
            return self._lost(call.cells, bool(call.worker))
        if isinstance(answer, Failure):
            raise ClusterError(
                f"The Dask worker at {answer.message}. Put the same code and packages there, and start the workers anew. {GO_ON}."
            )
        if answer is None:
            self._ready, self._n_arrivals = call.worker, 0
            return []
        return self._unpacked(call.cells, answer)

    def _unpacked(self, cells: list[Cell], report: Report) -> list[Outcome]:
        """What a worker has sent; the cells of a batch that cannot be read are measured again, each alone."""
        measured = self._backlog.settle(cells, report.seconds)
        try:
            outcomes = worker.unpacked(report.outcomes)
        except Exception as error:
            if len(measured) == 1:
                return [failed(measured[0], error)]
            self._suspects.extend(measured)
            return []
        return [replace(each, attempts=each.attempts + self._deaths[each.cell]) if self._deaths else each for each in outcomes]

    def _lost(self, cells: list[Cell], was_alone: bool) -> list[Outcome]:
        """Set the cells of a lost call aside, to be measured alone; one that was alone is to blame."""
        for cell in cells if was_alone else ():
            self._deaths[cell] += 1
            if self._deaths[cell] >= MAX_DEATHS:
                message = f"{MAX_DEATHS} Dask workers died while they measured this cell and nothing else"
                return [Outcome(cell, "killed", message=message, attempts=self._deaths[cell])]
        self._suspects.extend(cells)
        return []
