"""Measuring on a Dask cluster: on other machines, or by workers that may be lost and replaced."""

from __future__ import annotations

import math
import sys
from collections.abc import Generator, Iterable
from numbers import Real
from typing import Any

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.batch import Backlog
from tiebreak.runners.dask.cluster import connected
from tiebreak.runners.dask.tasks import Tasks
from tiebreak.runners.dask.worker import Cargo
from tiebreak.runners.local import number_of_workers
from tiebreak.runners.runner import Workload

PATIENCE_SECONDS = 60.0


class DaskRunner:
    """Measures on the workers of a Dask cluster.

    Models and data are sent there once, and each worker unpacks them once. Batches of about 0.2 s of work are handed out, at most
    two for each worker at a time, and recorded here as they come back. Dask repeats what a lost worker was doing, on another one;
    a batch under which workers die again and again is measured cell by cell, and the cell to blame becomes an outcome "killed".
    A scheduler that is gone ends the run with an error; what was recorded is kept.

    A worker process measures one cell at a time, whatever its number of threads: settings of scikit-learn, warnings, random
    generators and the threads of numerical libraries belong to the process or to one thread. So workers with one thread each
    are best, as many as there are cores for them.

    The workers need the same versions of Python, tiebreak, numpy, scipy and scikit-learn as this process, and modules that are no
    installed packages with the same content; each worker checks that before it measures.

    Parameters
    ----------
    cluster : distributed.Client or str
        A client that is connected, which stays open; the address of a scheduler, such as "tcp://host:8786", or "tls://host:8786"
        with certificates by Dask's own configuration; or "dask" for worker processes of this machine, which end with the run.
    n_jobs : int
        How many processes "dask" means; -1 for one on each core that this process may use.
    patience : float
        Seconds to wait when there is no worker at all: none has come yet, or all are gone.

    Raises
    ------
    InvalidParameterError
        Something that is no cluster, or a number that means nothing.
    """

    def __init__(self, cluster: Any, n_jobs: int = 1, patience: float = PATIENCE_SECONDS) -> None:
        if not is_dask(cluster):
            raise InvalidParameterError(
                f"cluster={cluster!r} is no Dask cluster; give a distributed.Client, the address of a scheduler such as "
                "'tcp://host:8786', or 'dask' for processes of this machine."
            )
        self.cluster = cluster
        self.n_workers = number_of_workers(n_jobs)
        self.patience = _checked_patience(patience)

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Each cell's outcome once, in batches, as `Runner.run` promises.

        When this ends early, cells that are being measured are measured to their end, and then dropped; so are those of a process
        that was killed.

        Raises
        ------
        ClusterError
            There is no such scheduler, it is gone, or a worker cannot take the workload over.
        LostWorkersError
            There are no workers, or all of them die as they take the workload over.
        InvalidPlanError
            The workload cannot be sent to another process.
        UnprotectedClusterWarning
            As a warning: others on the network can use this scheduler.
        """
        backlog = Backlog(cells)
        if not len(backlog):
            return
        cargo = Cargo.of(workload)
        with connected(self.cluster, self.n_workers) as cluster:
            tasks = Tasks(cluster, cargo, backlog, self.patience)
            try:
                yield from tasks.outcomes()
            finally:
                tasks.drop()


def _checked_patience(patience: float) -> float:
    """A number of seconds."""
    if isinstance(patience, bool) or not isinstance(patience, Real) or not 0 < patience < math.inf:
        raise InvalidParameterError(f"patience={patience!r} is no number of seconds above 0.")
    return float(patience)


def is_dask(runner: object) -> bool:
    """Whether a user means a Dask cluster by it."""
    if isinstance(runner, str):
        return runner == "dask" or "://" in runner
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    return distributed is not None and isinstance(runner, distributed.Client)
