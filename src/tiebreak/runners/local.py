"""Measuring on this machine, in this process or in several."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable
from numbers import Integral, Real
from operator import length_hint

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.runners import pool
from tiebreak.runners.backlog import Backlog
from tiebreak.runners.crew import Crew
from tiebreak.runners.here import measure_here
from tiebreak.runners.parcel import Parcel
from tiebreak.runners.runner import Workload
from tiebreak.runners.scout import Scout


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
