"""Measuring on the workers of a Dask cluster: on other machines, or in processes that may be lost and replaced."""

import logging
import time
import warnings
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from operator import length_hint
from typing import Any

from tiebreak.errors import (
    InvalidParameterError,
    LostWorkersError,
    MissingDependencyError,
    Setting,
    TiebreakWarning,
)
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners import worker as code
from tiebreak.runners.dispatch import CHECK_SECONDS, GO_ON, Dispatch

PATIENCE_SECONDS = 60.0
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0
ANSWER_SECONDS = 15.0
"""Seconds that a scheduler may take to answer; it does so in milliseconds, unless it is very busy."""

BATCH_SECONDS = 0.4
"""Seconds of work in a batch: a worker waits for the next one as long as a message takes."""


def measure_on_cluster(workload: code.Workload, cells: Iterable[Cell], *, cluster: Any) -> Generator[list[Outcome], None, None]:
    """Measure each cell once and yield the outcomes in batches, as `measure_on_machine` promises.

    Models and data are sent to the workers once, and each worker unpacks them once. Each is given a batch of about 0.4 s of work
    at a time, recorded here as it comes back. When a worker is lost, what it was given is measured again, each cell alone, and a
    cell under which two workers died alone becomes an outcome "killed". A scheduler that is gone ends the run with an error; what
    was recorded is kept. When this ends early, cells that are being measured are measured to their end, and then dropped.

    A worker process measures one cell at a time, whatever its number of threads, so workers with one thread each are best. They
    need the same versions of Python, tiebreak, numpy, scipy and scikit-learn as this process, and modules that are no installed
    packages with the same content; each worker checks that before it measures.

    Parameters
    ----------
    workload, cells
        As for `measure_on_machine`.
    cluster : distributed.Client or str
        A client that is connected, which stays open; or the address of a scheduler, such as "tcp://host:8786", or
        "tls://host:8786" with certificates by Dask's own configuration.

    Raises
    ------
    LostWorkersError
        There is no such scheduler or worker, they are gone, or cannot load the workload.
    DataError
        The workload cannot be sent to another process.

    Warns
    -----
    TiebreakWarning
        Others on the network can use this scheduler.
    """
    if not length_hint(cells, 1):
        return
    payload = code.Payload(code.pickled(workload), code.Origin.current())
    with _connected(cluster) as client:
        yield from Dispatch(DaskPool(client, payload, PATIENCE_SECONDS), cells, workload.group).outcomes()


class DaskPool:
    """Workers of a cluster by their addresses, each with an executor of its own, asked with a time limit.

    Where there is no worker, one is waited for, `patience` seconds long. Raises `InvalidParameterError` for a client that waits
    for nothing (``asynchronous=True``), or whose workers are threads of this process; `LostWorkersError` for one that is not
    connected.
    """

    def __init__(self, client: Any, payload: code.Payload, patience: float) -> None:
        from distributed import KilledWorker

        self.lost: tuple[type[BaseException], ...] = (KilledWorker, CancelledError)
        self._client, self._payload, self._patience = client, payload, patience
        self._executors: dict[Hashable, Any] = {}
        self._scattered: Any = None
        if client.asynchronous:
            raise InvalidParameterError("runner is an asynchronous Client; give one made without asynchronous=True.")
        self.address = str(self._ask("identity")["address"])
        if self.address.startswith("inproc:") or any(each.startswith("inproc:") for each in self._ask("ncores")):
            raise InvalidParameterError(
                "The workers of this Client are threads of your own process, which models and settings of threads are not safe "
                "with. Make it with processes=True, or use ",
                Setting("n_jobs"),
                " without a runner.",
            )
        warn_if_exposed(self.address)

    def workers(self) -> Sequence[Hashable]:
        """Addresses of the workers that there are."""
        ends = time.monotonic() + self._patience
        while not (names := list(self._ask("ncores"))):
            if time.monotonic() > ends:
                raise LostWorkersError(
                    f"The Dask cluster at {self.address} has had no worker for {self._patience:g} s. {GO_ON} A worker is "
                    f"started by: dask worker {self.address}"
                )
            time.sleep(CHECK_SECONDS / 5)
        return names

    def submit(self, worker: Hashable, cells: Sequence[Cell]) -> Future[Any]:
        """Have a worker measure cells, and no other one; it unpacks the workload, which it gets from another one that has it."""
        try:
            if self._scattered is None or self._scattered.status != "finished":
                [self._scattered] = self._client.scatter([self._payload], hash=False, timeout=ANSWER_SECONDS)
        except Exception as error:
            self._ask("ncores")  # which says so where the scheduler is gone; else it was a worker
            raise CancelledError from error
        with self._asking():
            if worker not in self._executors:
                self._executors[worker] = self._client.get_executor(workers=[worker], pure=False, retries=0)
            future: Future[Any] = self._executors[worker].submit(
                code.measure_on_dask, self._scattered, list(map(tuple, cells)), BATCH_SECONDS
            )
        return future

    def drop(self, worker: Hashable) -> None:
        """Take back what a worker was given."""
        if (executor := self._executors.pop(worker, None)) is not None:
            with suppress(Exception):  # the client may be closed by now
                executor.shutdown(wait=False)

    def refused(self, worker: Hashable, reason: str) -> Exception:
        """Error for workers that are not like this process."""
        return LostWorkersError(
            f"A Dask worker cannot take models and data over: {worker}: {reason.rstrip('.')}. Put the same code and packages "
            f"there, and start the workers anew. {GO_ON}"
        )

    def close(self) -> None:
        """Take everything back; Dask then drops it too. A cell that is being measured is measured to its end."""
        for worker in list(self._executors):
            self.drop(worker)
        self._scattered = None

    def _ask(self, question: str) -> Any:
        with self._asking():
            return self._client.sync(getattr(self._client.scheduler, question), callback_timeout=ANSWER_SECONDS)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """End the run with a `LostWorkersError` where anything goes wrong between here and the scheduler."""
        try:
            if self._client.status != "running":
                raise OSError("not connected")
            yield
        except Exception as error:
            if isinstance(error, OSError | CancelledError) or self._client.status != "running":
                where = getattr(self, "address", None) or getattr(self._client.scheduler, "address", None) or "of this client"
                raise LostWorkersError(
                    f"The Dask scheduler at {where} is gone or does not answer ({code.in_one_line(error)}). {GO_ON}"
                ) from error
            raise


def warn_if_exposed(address: str) -> None:
    """Warn of a scheduler that others on the network can reach, and whose connections are not encrypted."""
    scheme, _, place = address.partition("://")
    if scheme in ("tls", "wss") or place.rpartition(":")[0] in ("localhost", "127.0.0.1", "[::1]"):
        return
    warnings.warn(
        f"The Dask scheduler at {address} listens beyond this machine without TLS: whoever can reach it can have its workers run "
        "any code, and read the data. Start it with --host 127.0.0.1, or with TLS and an address that begins with tls://.",
        TiebreakWarning,
        stacklevel=2,
    )


@contextmanager
def _connected(target: Any) -> Iterator[Any]:
    """Client of a cluster: the caller's, which is never closed, or one for the address of a scheduler."""
    if not isinstance(target, str):
        yield target
        return
    try:
        import distributed  # which sets its logs up
    except ImportError as error:
        raise MissingDependencyError(f"running on Dask needs distributed ({error}): pip install 'distributed>=2024.8'.") from None
    # distributed's logs of lost connections and workers are for whoever runs a cluster
    levels = {log: log.level for log in map(logging.getLogger, ("distributed", "distributed.client", "tornado.application"))}
    client: Any = distributed.Client.__new__(distributed.Client)
    try:
        for log in levels:
            log.setLevel(logging.CRITICAL)
        try:
            client.__init__(target, set_as_default=False, timeout=CONNECT_SECONDS)
        except Exception as error:  # its kind depends on what is wrong with the address, and on the version of distributed
            raise LostWorkersError(
                f"The Dask scheduler at {target} cannot be reached: {code.in_one_line(error)}. Is it running, and is that its "
                "address? It is started by: dask scheduler --host 127.0.0.1"
            ) from error
        yield client
    finally:
        with suppress(Exception):  # a scheduler that is gone cannot say goodbye
            client.close(timeout=CLOSE_SECONDS)
        # the garbage collector would close what was half made, and wait for ever if that happens while another client starts
        client.status = "closed"
        for log, level in levels.items():
            log.setLevel(level)
