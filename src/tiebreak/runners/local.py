"""Measuring on this machine, in this process or in several."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from numbers import Integral, Real
from operator import length_hint
from types import TracebackType
from typing import Self

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import processes as pool
from tiebreak.runners.batch import Backlog, Parcel
from tiebreak.runners.runner import Workload
from tiebreak.runners.worker import measure_here
from tiebreak.runners.worker_group import Crew

FIRST_LOOK_SECONDS = 0.3
LOOK_SECONDS = 0.1

START_SECONDS = 1.5
"""How long worker processes take to start: imports, mostly."""


def pays(rest_seconds: float, n_workers: int) -> bool:
    """Whether the rest is done sooner by workers that have yet to be started."""
    return rest_seconds > rest_seconds / n_workers + START_SECONDS


class Scout:
    """Looks over the shoulder of this process while it measures, and calls the crew when that pays.

    It runs in a thread of its own, because the first fit may take minutes: meanwhile the workers start, and each is
    given a first batch. This process goes on until one of them is ready.

    Parameters
    ----------
    backlog : Backlog
    crew : Crew
    n_workers : int
    """

    def __init__(self, backlog: Backlog, crew: Crew, n_workers: int) -> None:
        self._backlog = backlog
        self._crew = crew
        self._n_workers = n_workers
        self._running: tuple[Cell, float] | None = None
        self._is_relieved = False
        self._error: BaseException | None = None
        self._finished: Future[None] = Future()
        self._thread = threading.Thread(target=self._watch, name="tiebreak-scout", daemon=True)

    def cells(self) -> Iterator[Cell]:
        """What this process is to measure."""
        while not self._is_relieved and (cell := self._backlog.take_one()) is not None:
            began = time.perf_counter()
            self._running = cell, began
            yield cell
            self._backlog.note(cell, time.perf_counter() - began)
        self._running = None

    def _watch(self) -> None:
        """Call the crew as soon as that pays."""
        try:
            wait([self._finished], FIRST_LOOK_SECONDS)
            while not self._finished.done():
                if self._pays():
                    self._call_crew()
                    return
                wait([self._finished], LOOK_SECONDS)
        except BaseException as error:  # raised again where the run can end with it
            self._error = error
            self._is_relieved = True

    def _pays(self) -> bool:
        """Whether worker processes would be done sooner with what is left."""
        running = self._running
        if running is None or not (n_left := len(self._backlog)):
            return False
        cell, began = running
        rest = self._backlog.rest_seconds(cell, time.perf_counter() - began)
        return pays(rest, min(self._n_workers, n_left))

    def _call_crew(self) -> None:
        """Start the workers and give each its first batch."""
        self._crew.hand_out()
        while not self._finished.done() and (starting := self._crew.starting()):
            wait([self._finished, *starting], return_when=FIRST_COMPLETED)
            if self._crew.welcome():
                self._is_relieved = True
            self._crew.hand_out()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._finished.set_result(None)
        self._thread.join()
        if self._error is not None and kind is None:
            raise self._error


class LocalRunner:
    """Measures in this process, or in worker processes of this machine.

    With ``n_jobs=1``, no timeout and no isolation everything happens in this process. Else there are worker processes;
    without a timeout and isolation they are started only when that pays, and until then this process measures itself. A worker
    that dies costs nobody else anything: the cells that it held are measured again, each alone, and a cell that twice
    takes its worker down with it becomes an outcome "killed". Idle workers are kept for five minutes for the next run.

    Parameters
    ----------
    n_jobs : int
        How many processes measure at a time; -1 for one on each core that this process may use, -2 for one less.
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
        """The outcome of each cell once, in batches, as `Runner.run` promises.

        Raises
        ------
        InvalidPlanError
            The workload cannot be sent to another process.
        LostWorkersError
            No worker process could be started.
        """
        n_workers = min(self.n_workers, length_hint(cells, self.n_workers))
        stays_here = self.timeout is None and not self.isolate
        if stays_here and n_workers <= 1:
            yield from measure_here(workload, cells)
            return
        backlog = Backlog(cells)
        with Crew(Parcel(workload), backlog, n_workers, self.timeout) as crew:
            if stays_here and pool.n_idle() < n_workers:
                with Scout(backlog, crew, n_workers) as scout:
                    yield from measure_here(workload, scout.cells())
            yield from crew.outcomes()


def number_of_workers(n_jobs: int) -> int:
    """How many processes are meant; negative numbers count down from the cores that this process may use, plus one."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidParameterError(
            f"n_jobs={n_jobs!r} is no number of processes; give 1 or more, or -1 for all cores that may be used, -2 for one less."
        )
    if n_jobs > 0:
        return int(n_jobs)
    import joblib

    return max(1, joblib.cpu_count() + 1 + int(n_jobs))


def _checked_timeout(timeout: float | None) -> float | None:
    """A number of seconds, or None."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not 0 < timeout < math.inf:
        raise InvalidParameterError(
            f"timeout={timeout!r} is no number of seconds above 0 for a cell; give one, or None for no limit."
        )
    return float(timeout)
