"""Measuring through joblib, on whatever `joblib.parallel_config` has chosen: Ray, Spark and others have backends for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tiebreak.errors import ClusterError, InvalidParameterError, LostWorkersError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import worker
from tiebreak.runners.batch import BATCH_SECONDS, Backlog
from tiebreak.runners.dask import worker as dask_worker
from tiebreak.runners.dask.worker import Cargo
from tiebreak.runners.runner import Workload
from tiebreak.runners.worker import Failure, Report, failed, in_one_line

DEPTH = 2
"""Batches for each worker in a round."""


class JoblibRunner:
    """Measures by the backend of joblib that is active when the run begins.

    This asks nothing of a backend but to call functions in other processes, so it works in rounds: two batches of about 0.2 s for
    each worker, recorded when all of them are there. Models and data travel with each task, unless the backend knows better
    (joblib's own keeps large arrays in a file that all workers share). Nothing is repeated: when a worker is lost, so are the run
    and what that round had measured, and the same call goes on from there. `DaskRunner` and `LocalRunner` do better.
    """

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Each cell's outcome once, in batches, as `Runner.run` promises.

        Raises
        ------
        InvalidParameterError
            The backend has no processes other than this one.
        InvalidPlanError
            The workload cannot be sent to another process.
        LostWorkersError
            The backend has failed.
        ClusterError
            A worker cannot take the workload over.
        """
        from joblib import Parallel, delayed

        n_workers = _n_workers()
        backlog = Backlog(cells)
        suspects: list[Cell] = []
        cargo = Cargo.of(workload)
        measure = delayed(dask_worker.measure_for_joblib)
        with Parallel(batch_size=1) as parallel:
            while batches := [[cell] for cell in suspects] or _round(backlog, n_workers):
                suspects = []
                try:
                    answers = parallel(measure(cargo, dask_worker.packed_cells(batch), BATCH_SECONDS) for batch in batches)
                except Exception as error:
                    raise LostWorkersError(
                        f"joblib has failed to measure {sum(map(len, batches))} cells: {in_one_line(error)}. What was measured "
                        "until then is kept where there is a store; the same call goes on from there."
                    ) from error
                read = [_read(backlog, batch, answer, suspects) for batch, answer in zip(batches, answers, strict=True)]
                if outcomes := [outcome for each in read for outcome in each]:
                    yield outcomes


def _n_workers() -> int:
    """How many workers the active backend has."""
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


def _round(backlog: Backlog, n_workers: int) -> list[list[Cell]]:
    """Batches that are measured together."""
    batches = (backlog.take_batch(n_workers) for _ in range(DEPTH * n_workers))
    return [batch for batch in batches if batch]


def _read(backlog: Backlog, cells: list[Cell], answer: Report | Failure, suspects: list[Cell]) -> list[Outcome]:
    """What a worker has sent; the cells of an answer that cannot be read are to be measured each alone."""
    if isinstance(answer, Failure):
        raise ClusterError(f"A worker of joblib cannot take models and data over: {answer.message}.")
    measured = backlog.settle(cells, answer.seconds)
    try:
        return worker.unpacked(answer.outcomes)
    except Exception as error:
        if len(measured) == 1:
            return [failed(measured[0], error)]
        suspects += measured
        return []
