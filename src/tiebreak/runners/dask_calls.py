"""Calls to the workers of a Dask cluster: made, waited for, and known to be lost when they are."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tiebreak.errors import LostWorkersError
from tiebreak.plan.outcome import Cell
from tiebreak.runners import dask_worker
from tiebreak.runners.backlog import BATCH_SECONDS
from tiebreak.runners.dask_cargo import Cargo
from tiebreak.runners.dask_cluster import GO_ON, Cluster, Future
from tiebreak.runners.worker import Failure, Report

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
