"""Measuring on a Dask cluster: on other machines, or by workers that may be lost and replaced."""

from __future__ import annotations

import ipaddress
import logging
import math
import sys
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from numbers import Real
from typing import TYPE_CHECKING, Any

from tiebreak.errors import ClusterError, InvalidParameterError, MissingDependencyError, UnprotectedClusterWarning
from tiebreak.plan.plan import number_of_workers
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.batch import CellQueue
from tiebreak.runners.contract import group_of
from tiebreak.runners.dask.tasks import Cluster, Tasks
from tiebreak.runners.dask.worker import ScatteredWorkload
from tiebreak.runners.failures import in_one_line

if TYPE_CHECKING:
    from distributed import Client

    from tiebreak.runners.contract import Workload

PATIENCE_SECONDS = 60.0
OWN_PATIENCE_SECONDS = 300.0
"""For workers of this machine, which come by themselves, and need more than a minute for that where much else is at work."""
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0

ENCRYPTED = ("tls", "wss")

ALLOWED_FAILURES = 1
"""In a cluster of our own: number of workers that may die under a task before it fails; Dask's own default is 3."""


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
        Number of processes that "dask" means; -1 for one on each core that this process may use.
    patience : float, optional
        Seconds to wait when there is no worker at all: none has come yet, or all are gone. By default 60, and 300 for processes
        of this machine.

    Raises
    ------
    InvalidParameterError
        Something that is no cluster, or a number that means nothing.
    """

    def __init__(self, cluster: Any, n_jobs: int = 1, patience: float | None = None) -> None:
        if not is_dask(cluster):
            raise InvalidParameterError(
                f"cluster={cluster!r} is no Dask cluster; give a distributed.Client, the address of a scheduler such as "
                "'tcp://host:8786', or 'dask' for processes of this machine."
            )
        if patience is None:
            patience = OWN_PATIENCE_SECONDS if cluster == "dask" else PATIENCE_SECONDS
        if isinstance(patience, bool) or not isinstance(patience, Real) or not 0 < patience < math.inf:
            raise InvalidParameterError(f"patience={patience!r} is no number of seconds above 0.")
        self.cluster: Any = cluster
        self.n_workers: int = number_of_workers(n_jobs)
        self.patience: float = float(patience)

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell once and yield the outcomes in batches, as `Runner.run` promises.

        When this ends early, cells that are being measured are measured to their end, and then dropped; so are those of a process
        that was killed.

        Raises `ClusterError` where there is no such scheduler, it is gone, or a worker cannot load the workload;
        `LostWorkersError` where there are no workers, or all of them die as they load the workload; `InvalidPlanError` for a
        workload that cannot be sent to another process. Warns with `UnprotectedClusterWarning` where others on the network can
        use this scheduler.
        """
        queue = CellQueue(cells, group_of(workload))
        if not len(queue):
            return
        scattered = ScatteredWorkload.of(workload)
        with _connected(self.cluster, self.n_workers) as cluster:
            tasks = Tasks(cluster, scattered, queue, self.patience)
            try:
                yield from tasks.outcomes()
            finally:
                tasks.drop()


def is_dask(runner: object) -> bool:
    """Tell if a runner that a user has asked for is a Dask cluster."""
    if isinstance(runner, str):
        return runner == "dask" or "://" in runner
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    return distributed is not None and isinstance(runner, distributed.Client)


def warn_if_exposed(address: str) -> None:
    """Warn of a scheduler that others on the network can reach, and whose connections are not encrypted."""
    scheme, _, place = address.partition("://")
    host = place.rpartition(":")[0].strip("[]")
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        is_loopback = host == "localhost"
    if scheme in ENCRYPTED or is_loopback:
        return
    warnings.warn(
        f"The Dask scheduler at {address} listens beyond this machine without TLS: whoever can reach it can have its workers run "
        "any code, and read the data. Start it with --host 127.0.0.1, or with TLS and an address that begins with tls://.",
        UnprotectedClusterWarning,
        stacklevel=2,
    )


@contextmanager
def _connected(target: Any, n_workers: int) -> Iterator[Cluster]:
    """Connect to a cluster; what was opened or started for that is closed afterwards.

    The target is a client of the caller's, which is never closed; the address of a scheduler; or "dask" for a cluster of this
    machine, which has `n_workers`.
    """
    if not isinstance(target, str):
        yield _checked(target)
        return
    _import_distributed()  # which sets its logs up
    with _quiet_logs(), _own_cluster(n_workers) if target == "dask" else nullcontext(target) as where:
        client: Any = _client_for(where)
        try:
            yield _checked(client)
        finally:
            with suppress(Exception):  # a scheduler that is gone cannot say goodbye
                client.close(timeout=CLOSE_SECONDS)


def _checked(client: Any) -> Cluster:
    """Cluster of a client, with a warning where others can use it."""
    cluster = Cluster(client)
    warn_if_exposed(cluster.address)
    return cluster


def _import_distributed() -> Any:
    """Dask's scheduler; raises `MissingDependencyError` where it is not installed."""
    try:
        import distributed
    except ImportError as error:
        raise MissingDependencyError(f"running on Dask needs distributed ({error}): pip install 'distributed>=2024.8'.") from None
    return distributed


@contextmanager
def _own_cluster(n_workers: int) -> Iterator[Any]:
    """Start worker processes of this machine, which nobody beyond it can reach."""
    distributed = _import_distributed()
    try:
        cluster = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tcp://",
            dashboard_address="127.0.0.1:0",  # with None it takes port 8787, which may be somebody's
            memory_limit=0,  # as for other processes of this machine
            silence_logs=logging.CRITICAL,
            preload=["tiebreak.runners.dask.worker"],
            scheduler_kwargs={"allowed_failures": ALLOWED_FAILURES, "dashboard": False},
        )
    except Exception as error:
        raise ClusterError(
            f"A Dask cluster could not be started on this machine ({in_one_line(error)}). In a "
            "script the call has to stand under: if __name__ == '__main__'."
        ) from error
    try:
        yield cluster
    finally:
        with suppress(Exception):
            cluster.close(timeout=CLOSE_SECONDS)


def _client_for(where: Any) -> Client:
    """Client of the runner's own, connected within seconds; else raises `ClusterError`."""
    distributed = _import_distributed()
    client: Any = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(where, set_as_default=False, timeout=CONNECT_SECONDS)
    except Exception as error:  # its kind depends on what is wrong with the address, and on the version of distributed
        # the garbage collector would close what was half made, and wait for ever if that happens while another client starts
        with suppress(Exception):
            client.close(timeout=CLOSE_SECONDS)
        client.status = "closed"
        raise ClusterError(
            f"The Dask scheduler at {where} cannot be reached: {in_one_line(error)}. Is it running, and is that its address? "
            "It is started by: dask scheduler --host 127.0.0.1"
        ) from error
    return client  # type: ignore[no-any-return]


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Silence distributed's logs of lost connections and workers, which are for whoever runs a cluster."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, earlier in zip(loggers, before, strict=True):
            logger.setLevel(earlier)
