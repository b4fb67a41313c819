"""The cells of one run on a Dask cluster: handed out, collected, and measured again where workers were lost under them."""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tiebreak.errors import ClusterError, InvalidParameterError, LostWorkersError, Setting
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import BATCH_SECONDS
from tiebreak.runners.batch import CellQueue
from tiebreak.runners.dask import worker as dask_worker
from tiebreak.runners.dask.worker import ScatteredWorkload
from tiebreak.runners.failures import failed, in_one_line
from tiebreak.runners.worker import Failure, Report, outcomes_of

Future = Any
"""A `distributed.Future`, whose methods have no types."""

ANSWER_SECONDS = 15.0
"""Seconds that a scheduler may take to answer; it does so in milliseconds, unless it is very busy."""

CHECK_SECONDS = 1.0
"""Seconds between two checks which workers there are, and if there still is a scheduler."""

FETCH_SECONDS = 5.0
"""Seconds to wait at first for an answer that is there; the worker that has it may be gone. Each time twice as long."""

TASKS_PER_WORKER = 2
"""Batches on their way for each worker: one that it measures, and the next, so that it need not wait for this process."""

MAX_DEATHS = 2
"""A cell that so many workers have died under while it was measured alone is given up."""

MAX_LOADS = 6
"""Times in a row that all workers that load the workload may die of it."""

GO_ON = "What was measured until then is kept where there is a store; the same call goes on from there"


class Cluster:
    """A Dask cluster as the runner sees it, asked with a time limit by a client that is connected.

    Raises `InvalidParameterError` for a client that waits for nothing (``asynchronous=True``), or whose workers are threads of
    this process; `ClusterError` for one that is not connected any more.
    """

    def __init__(self, client: Any) -> None:  # some methods of a distributed.Client have no types
        self._client = client
        if client.asynchronous:
            raise InvalidParameterError("runner is an asynchronous Client; give one made without asynchronous=True.")
        with self._asking():
            found = self._client.sync(self._client.scheduler.identity, callback_timeout=ANSWER_SECONDS)
        self.address = str(found["address"])
        if self.address.startswith("inproc:") or any(each.startswith("inproc:") for each in self.workers()):
            raise InvalidParameterError(
                "The workers of this Client are threads of your own process, which models and settings of threads are not safe "
                "with. Make it with processes=True, or use ",
                Setting("n_jobs"),
                " without a runner.",
            )

    def workers(self) -> list[str]:
        """Addresses of the workers that are there, as many as processes; `ClusterError` where the scheduler does not answer."""
        with self._asking():
            return list(self._client.sync(self._client.scheduler.ncores, callback_timeout=ANSWER_SECONDS))

    def scatter(self, name: str, value: object) -> Future:
        """Put something into the workers' memory; None if there is no worker, or the one that was chosen has just died.

        Raises `ClusterError` where the scheduler is gone, or the worker does not know what it was sent.
        """
        try:
            return self._client.scatter({name: value}, hash=False, broadcast=False, timeout=ANSWER_SECONDS)[name]
        except (OSError, CancelledError):
            self.workers()
            return None
        except Exception as error:
            self.workers()
            raise self.unfit(error) from error

    def submit(self, function: Callable[..., object], *arguments: object, key: str, worker: str = "") -> Future:
        """Have a function called by some worker, or by a certain one and no other."""
        with self._asking():
            return self._client.submit(function, *arguments, key=key, pure=False, workers=[worker] if worker else None)

    def unfit(self, error: BaseException) -> ClusterError:
        """Error for one that is neither the work's nor that of a lost connection: mostly a package that is missing."""
        what = in_one_line(error).rstrip(".")
        lacks = "tiebreak has to be installed where the scheduler and where the workers run. " if "tiebreak" in what else ""
        return ClusterError(f"The Dask cluster at {self.address} cannot do the work: {what}. {lacks}{GO_ON}.")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """End the run with a `ClusterError` where anything goes wrong between here and the scheduler."""
        if self._client.status != "running":
            raise self._lost(None)
        try:
            yield
        except Exception as error:
            if isinstance(error, OSError | CancelledError) or self._client.status != "running":
                raise self._lost(error) from error
            raise

    def _lost(self, error: BaseException | None) -> ClusterError:
        address = getattr(self, "address", None) or getattr(self._client.scheduler, "address", None) or "that this client had"
        why = f" ({in_one_line(error)})" if error is not None and str(error) else ""
        return ClusterError(
            f"The Dask scheduler at {address} is gone or does not answer{why}. {GO_ON}, with this scheduler or a new one."
        )


class Call(NamedTuple):
    """A call to some worker.

    There are no `cells` where the worker only loads the workload of that `token`. `worker` is the only one that may do it, "" for
    any; `seconds` limit the fetching of its answer.
    """

    future: Future
    cells: list[Cell]
    worker: str
    token: str
    seconds: float = FETCH_SECONDS


class FinishedCall(NamedTuple):
    """A call that is waited for no longer.

    The answer is None from a worker that has loaded the workload, and where workers were lost under the call (`is_lost`).
    """

    call: Call
    answer: Report | Failure | None
    is_lost: bool


class Calls:
    """The calls of one run that are on their way.

    All of them need the same workload. Where there is no worker, one is waited for, `patience` seconds long.
    """

    def __init__(self, cluster: Cluster, workload: ScatteredWorkload, patience: float) -> None:
        self.workers: list[str] = []
        self._cluster = cluster
        self._workload = workload
        self._patience = patience
        self._scattered: Future = None
        self._calls: dict[str, Call] = {}
        self._done: SimpleQueue[Future] = SimpleQueue()
        self._last_check = self._last_worker = time.monotonic()

    def __len__(self) -> int:
        return len(self._calls)

    def call(self, cells: list[Cell], worker: str = "") -> None:
        """Have cells measured, or without any the workload loaded, by any worker or by a certain one."""
        while self._scattered is None:  # into the memory of a worker, as soon as there is one; others get it from there
            if self.workers:
                self._scattered = self._cluster.scatter(self._workload.token, self._workload)
            if self._scattered is None:
                time.sleep(CHECK_SECONDS / 5)
                self._find_workers()
        key = f"tiebreak-{'measure' if cells else 'prepare'}-{uuid.uuid4().hex}"
        function: Callable[..., object] = dask_worker.prepare
        arguments: list[Any] = [self._scattered]
        if cells:
            function = dask_worker.measure
            arguments += [dask_worker.packed_cells(cells), BATCH_SECONDS]
        future = self._cluster.submit(function, *arguments, key=key, worker=worker)
        self._calls[key] = Call(future, cells, worker, self._workload.token)
        future.add_done_callback(self._done.put)

    def finished(self) -> list[FinishedCall]:
        """Calls that have an answer or are known to be lost; none after a while."""
        if time.monotonic() - self._last_check >= CHECK_SECONDS:
            self._find_workers()
            gone = [key for key, call in self._calls.items() if call.worker and call.worker not in self.workers]
            if gone:
                return [FinishedCall(self._calls.pop(key), None, is_lost=True) for key in gone]
        try:
            done = [self._done.get(timeout=CHECK_SECONDS)]
        except Empty:
            done = [call.future for call in self._calls.values() if call.future.done()]  # should a callback have gone astray
        while not self._done.empty():
            done.append(self._done.get())
        return [finished for future in done if (finished := self._finish(str(future.key))) is not None]

    def wait_for_workers(self) -> list[str]:
        """Addresses of the workers that are there, as soon as there is one."""
        self._find_workers()
        while not self.workers:
            time.sleep(CHECK_SECONDS / 5)
            self._find_workers()
        return self.workers

    def drop(self) -> None:
        """Let go of what is left; Dask then drops it too. A cell that is being measured is measured to its end."""
        futures = [call.future for call in self._calls.values()] + [self._scattered]
        self._calls.clear()
        self._scattered = None
        for future in futures:
            with suppress(Exception):  # the client may be closed by now
                future.release()

    def _find_workers(self) -> None:
        """Ask which workers there are.

        Raises `ClusterError` where the scheduler is gone, `LostWorkersError` where there has been no worker for too long.
        """
        self.workers = self._cluster.workers()
        self._last_check = time.monotonic()
        if self.workers:
            self._last_worker = self._last_check
        elif self._last_check - self._last_worker > self._patience:
            raise LostWorkersError(
                f"The Dask cluster at {self._cluster.address} has had no worker for {self._patience:g} s. {GO_ON}, when there "
                f"are some: dask worker {self._cluster.address}"
            )

    def _finish(self, key: str) -> FinishedCall | None:
        """Fetch the answer of a call that is done; None if it turns out not to be."""
        call = self._calls.get(key)
        if call is None:
            return None
        if call.future.status == "error":
            from distributed import KilledWorker

            error = call.future.exception(timeout=call.seconds)
            if not isinstance(error, KilledWorker):  # something else is wrong, such as a worker without tiebreak
                raise self._cluster.unfit(error) from error
            return FinishedCall(self._calls.pop(key), None, is_lost=True)
        try:
            answer = call.future.result(timeout=call.seconds)
        except CancelledError:  # all workers that had the workload are gone, and it has to be sent again; or the scheduler is
            self._cluster.workers()
            if call.token == self._workload.token:
                self._workload = self._workload.again()
                self._scattered = None
            return FinishedCall(self._calls.pop(key), None, is_lost=True)
        except TimeoutError:  # as a rule the worker that had the answer is gone, and another is at it again
            self._cluster.workers()
            self._calls[key] = call._replace(seconds=2 * call.seconds)
            call.future.add_done_callback(self._done.put)
            return None
        except OSError:
            self._cluster.workers()
            raise
        return FinishedCall(self._calls.pop(key), answer, is_lost=False)


class Tasks:
    """Hands batches out and collects their outcomes.

    Dask itself repeats what a worker was doing when it was lost, up to a number of times that its scheduler is set to. A batch
    that fails nevertheless, or whose data were lost with all workers, is measured again cell by cell, with nothing else at work,
    on a worker that is known to be there and to have loaded the workload: one that dies then dies of that cell.

    Where there is no worker, one is waited for, `patience` seconds long.
    """

    def __init__(self, cluster: Cluster, workload: ScatteredWorkload, queue: CellQueue, patience: float) -> None:
        self._address = cluster.address
        self._calls = Calls(cluster, workload, patience)
        self._queue = queue
        self._retries: deque[Cell] = deque()
        self._deaths: Counter[Cell] = Counter()
        self._ready = ""
        self._n_loads = 0

    def outcomes(self) -> Iterator[list[Outcome]]:
        """Measure all of the queue.

        Raises `ClusterError` where the scheduler is gone or a worker cannot load the workload, and `LostWorkersError` where there
        are no workers, or all of them die as they load the workload.
        """
        while not self._ready:  # all workers load the workload first: what is wrong with one shows before anything is measured
            self._prepare(self._calls.wait_for_workers())
            while self._calls:
                self._collect()
        while True:
            self._hand_out()
            if not self._calls:
                return
            if outcomes := self._collect():
                yield outcomes

    def drop(self) -> None:
        """Let go of what is left."""
        self._calls.drop()

    def _hand_out(self) -> None:
        """Give every worker something to do, and the next thing; cells to be measured again go alone."""
        if self._retries:
            if not self._calls:
                self._measure_alone()
            return
        n_workers = max(1, len(self._calls.workers))
        while len(self._calls) < TASKS_PER_WORKER * n_workers and (cells := self._queue.take_batch(n_workers)):
            self._calls.call(cells)

    def _measure_alone(self) -> None:
        """Have the next cell measured again, or first a worker prepared for that."""
        workers = self._calls.wait_for_workers()
        if self._ready in workers:
            self._calls.call([self._retries.popleft()], self._ready)
        else:
            self._prepare([workers[self._n_loads % len(workers)]])

    def _prepare(self, workers: Sequence[str]) -> None:
        """Have workers load the workload.

        Raises `LostWorkersError` where they die of that: it is no property of any cell.
        """
        self._n_loads += 1
        if self._n_loads > MAX_LOADS:
            raise LostWorkersError(
                f"The workers of the Dask cluster at {self._address} die as they take over models and data, however often that "
                f"is tried; their logs may say why. {GO_ON}."
            )
        for address in workers:
            self._calls.call([], address)

    def _collect(self) -> list[Outcome]:
        """Outcomes that have come."""
        return [outcome for finished in self._calls.finished() for outcome in self._read(finished)]

    def _read(self, finished: FinishedCall) -> list[Outcome]:
        """Outcomes of a call."""
        call, answer = finished.call, finished.answer
        if finished.is_lost:
            return self._lost(call.cells, was_alone=bool(call.worker))
        if isinstance(answer, Failure):
            raise ClusterError(
                f"The Dask worker at {answer.message}. Put the same code and packages there, and start the workers anew. {GO_ON}."
            )
        if answer is None:
            self._ready, self._n_loads = call.worker, 0
            return []
        measured = self._queue.finish(call.cells, answer.seconds)
        try:
            outcomes = outcomes_of(answer)
        except Exception as error:
            if len(measured) == 1:
                return [failed(measured[0], error)]
            self._retries.extend(measured)
            return []
        return [replace(each, attempts=each.attempts + self._deaths[each.cell]) if self._deaths else each for each in outcomes]

    def _lost(self, cells: list[Cell], *, was_alone: bool) -> list[Outcome]:
        """Set the cells of a lost call aside, to be measured alone; one that was alone is the cause."""
        for cell in cells if was_alone else ():
            self._deaths[cell] += 1
            if self._deaths[cell] >= MAX_DEATHS:
                message = f"{MAX_DEATHS} Dask workers died while they measured this cell and nothing else"
                return [Outcome(cell, "killed", message=message, attempts=self._deaths[cell])]
        self._retries.extend(cells)
        return []
