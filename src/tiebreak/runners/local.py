"""Measuring on this machine, in this process or in several."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Generator, Iterable
from numbers import Real
from operator import length_hint
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError, InvalidPlanError, Setting, TiebreakWarning
from tiebreak.plan.plan import number_of_workers
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import BATCH_SECONDS
from tiebreak.runners.failures import failed

if TYPE_CHECKING:
    from tiebreak.runners.contract import Workload


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
        is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
        if timeout is not None and not (is_number and 0 < timeout < math.inf):
            raise InvalidParameterError(
                Setting("timeout", repr(timeout)), " is no number of seconds above 0 for a cell; give one, or None for no limit."
            )
        self.timeout = None if timeout is None else float(timeout)
        self.isolate = isolate

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell once and yield the outcomes in batches, as `Runner.run` promises.

        A workload that cannot be sent to another process is measured in this one, with a warning; with a timeout or isolation it
        raises `InvalidPlanError`. Raises `LostWorkersError` where no worker process could be started.
        """
        n_workers = min(self.n_workers, length_hint(cells, self.n_workers))
        if n_workers <= 1 and self.timeout is None and not self.isolate:
            return measure_here(workload, cells)
        return self._run_in_workers(workload, cells, n_workers)

    def _run_in_workers(self, workload: Workload, cells: Iterable[Cell], n_workers: int) -> Generator[list[Outcome], None, None]:
        """Measure in worker processes, and here until they are ready where that is allowed."""
        from tiebreak.runners import processes
        from tiebreak.runners.batch import CellQueue, PackedWorkload
        from tiebreak.runners.contract import group_of
        from tiebreak.runners.worker_group import DelayedStart, WorkerGroup

        queue = CellQueue(cells, group_of(workload))
        try:
            packed = PackedWorkload(workload)
        except InvalidPlanError as error:
            if self.timeout is not None or self.isolate:
                raise
            reason = str(error).partition(". ")[0]
            warnings.warn(f"{reason}. Everything is measured in this process instead.", TiebreakWarning, stacklevel=2)
            yield from measure_here(workload, iter(queue.take, None))
            return
        with WorkerGroup(packed, queue, n_workers, self.timeout) as group:
            if self.timeout is None and not self.isolate and processes.n_idle() < n_workers:
                with DelayedStart(queue, group, n_workers) as delayed:
                    yield from measure_here(workload, delayed.cells())
            yield from group.outcomes()


def measure_here(
    workload: Workload, cells: Iterable[Cell], *, clock: Callable[[], float] = time.perf_counter
) -> Generator[list[Outcome], None, None]:
    """Measure one cell after the other; a batch is handed over as soon as `BATCH_SECONDS` have passed since it was begun.

    When KeyboardInterrupt or the like comes in between, what was measured until then is yielded first; it is raised at the next
    step. Tests give a `clock` of their own, in seconds.
    """
    batch: list[Outcome] = []
    with workload:
        closes = clock() + BATCH_SECONDS
        try:
            for cell in cells:
                try:
                    batch.append(workload.measure(cell))
                except Exception as error:  # against its promise; that costs this one cell only
                    batch.append(failed(cell, error))
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
