"""Measuring through joblib, on whatever `joblib.parallel_config` has chosen: Ray, Spark and others have backends for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING

from tiebreak.errors import ClusterError, InvalidParameterError, LostWorkersError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import BATCH_SECONDS
from tiebreak.runners.batch import CellQueue
from tiebreak.runners.contract import group_of
from tiebreak.runners.dask.worker import ScatteredWorkload, measure_for_joblib, packed_cells
from tiebreak.runners.failures import failed, in_one_line
from tiebreak.runners.worker import Failure, Report, outcomes_of

if TYPE_CHECKING:
    from tiebreak.runners.contract import Workload

BATCHES_PER_ROUND = 2
"""Batches for each worker in a round."""


class JoblibRunner:
    """Measures by the backend of joblib that is active when the run begins.

    This asks nothing of a backend but to call functions in other processes, so it works in rounds: two batches of about 0.2 s for
    each worker, recorded when all of them are there. Models and data travel with each task, unless the backend knows better
    (joblib's own keeps large arrays in a file that all workers share). Nothing is repeated: when a worker is lost, so are the run
    and what that round had measured, and the same call goes on from there. `DaskRunner` and `LocalRunner` do better.
    """

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell once and yield the outcomes in batches, as `Runner.run` promises.

        Raises `InvalidParameterError` for a backend without processes other than this one, `InvalidPlanError` for a workload that
        cannot be sent to another process, `LostWorkersError` where the backend has failed, and `ClusterError` where a worker
        cannot load the workload.
        """
        from joblib import Parallel, delayed

        n_workers = _n_workers()
        queue = CellQueue(cells, group_of(workload))
        retries: list[Cell] = []
        scattered = ScatteredWorkload.of(workload)
        measure = delayed(measure_for_joblib)
        with Parallel(batch_size=1) as parallel:
            while batches := [[cell] for cell in retries] or _round(queue, n_workers):
                retries = []
                try:
                    answers = parallel(measure(scattered, packed_cells(batch), BATCH_SECONDS) for batch in batches)
                except Exception as error:
                    raise LostWorkersError(
                        f"joblib has failed to measure {sum(map(len, batches))} cells: {in_one_line(error)}. What was measured "
                        "until then is kept where there is a store; the same call goes on from there."
                    ) from error
                read = [_read(queue, batch, answer, retries) for batch, answer in zip(batches, answers, strict=True)]
                if outcomes := [outcome for each in read for outcome in each]:
                    yield outcomes


def _n_workers() -> int:
    """Number of workers of the active backend."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    n_workers = int(effective_n_jobs(None))
    if n_workers < 2 or getattr(backend, "supports_sharedmem", False):
        name = type(backend).__name__
        raise InvalidParameterError(
            f"runner='joblib' needs a backend with two or more processes, and joblib has {name} with {n_workers}. Choose one "
            "around the call: with joblib.parallel_config(backend='ray', n_jobs=8). Without joblib, n_jobs= says how many "
            "processes there are."
        )
    return n_workers


def _round(queue: CellQueue, n_workers: int) -> list[list[Cell]]:
    """Batches that are measured together."""
    batches = (queue.take_batch(n_workers) for _ in range(BATCHES_PER_ROUND * n_workers))
    return [batch for batch in batches if batch]


def _read(queue: CellQueue, cells: list[Cell], answer: Report | Failure, retries: list[Cell]) -> list[Outcome]:
    """Outcomes of an answer; the cells of one that cannot be read are to be measured each alone."""
    if isinstance(answer, Failure):
        raise ClusterError(f"A worker of joblib cannot take models and data over: {answer.message}.")
    measured = queue.finish(cells, answer.seconds)
    try:
        return outcomes_of(answer)
    except Exception as error:
        if len(measured) == 1:
            return [failed(measured[0], error)]
        retries += measured
        return []
