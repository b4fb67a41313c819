"""A Dask cluster as the runner sees it: reached or started, asked with a time limit, given up when it is gone."""

from __future__ import annotations

import ipaddress
import logging
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from tiebreak.errors import ClusterError, InvalidParameterError, MissingDependencyError, UnprotectedClusterWarning
from tiebreak.runners.worker import in_one_line

if TYPE_CHECKING:
    from distributed import Client

Future = Any
"""A `distributed.Future`, whose methods have no types."""

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 15.0
"""How long a scheduler may take to answer; it does so in milliseconds, unless it is very busy."""

CLOSE_SECONDS = 5.0

GO_ON = "What was measured until then is kept where there is a store; the same call goes on from there"

ENCRYPTED = ("tls", "wss")

ALLOWED_FAILURES = 1
"""In a cluster of our own: how many workers may die under a task before it fails; Dask's own default is 3."""


class Cluster:
    """What the runner asks of a Dask cluster, by a client that is connected.

    Parameters
    ----------
    client : distributed.Client

    Raises
    ------
    InvalidParameterError
        A client that waits for nothing (``asynchronous=True``), or whose workers are threads of this process.
    ClusterError
        A client that is not connected any more.
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
                "with. Make it with processes=True, or use n_jobs= without a runner."
            )
        warn_if_exposed(self.address)

    def workers(self) -> list[str]:
        """Addresses of the workers that are there; as many as processes.

        Raises
        ------
        ClusterError
            The scheduler does not answer.
        """
        with self._asking():
            return list(self._client.sync(self._client.scheduler.ncores, callback_timeout=ANSWER_SECONDS))

    def scatter(self, name: str, value: object) -> Future:
        """Put something into the workers' memory; None if there is no worker, or the one that was chosen has just died.

        Raises
        ------
        ClusterError
            The scheduler is gone, or the worker does not know what it was sent.
        """
        try:
            return self._client.scatter({name: value}, hash=False, broadcast=False, timeout=ANSWER_SECONDS)[name]
        except (OSError, CancelledError):
            self.check()
            return None
        except Exception as error:
            self.check()
            raise self.unfit(error) from error

    def submit(self, function: Callable[..., object], *arguments: object, key: str, worker: str = "") -> Future:
        """Have a function called by some worker, or by a certain one and no other."""
        with self._asking():
            return self._client.submit(function, *arguments, key=key, pure=False, workers=[worker] if worker else None)

    def check(self) -> None:
        """Raise if the scheduler is gone."""
        self.workers()

    def unfit(self, error: BaseException) -> ClusterError:
        """What an error means that is neither the work's nor that of a lost connection: mostly a package that is missing."""
        what = in_one_line(error).rstrip(".")
        lacks = "tiebreak has to be installed where the scheduler and where the workers run. " if "tiebreak" in what else ""
        return ClusterError(f"The Dask cluster at {self.address} cannot do the work: {what}. {lacks}{GO_ON}.")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Whatever goes wrong between here and the scheduler ends the run.

        Raises
        ------
        ClusterError
        """
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


@contextmanager
def connected(target: Any, n_workers: int) -> Iterator[Cluster]:
    """A cluster to work with; what was opened or started for that is closed afterwards.

    Parameters
    ----------
    target : distributed.Client or str
        A client of the caller's, which is never closed; the address of a scheduler; or "dask" for a cluster of this machine.
    n_workers : int
        Of a cluster that is started here.
    """
    if not isinstance(target, str):
        yield Cluster(target)
        return
    import_distributed()  # which sets its logs up
    with quiet_logs(), _own_cluster(n_workers) if target == "dask" else nullcontext(target) as where:
        client: Any = _client_for(where)
        try:
            yield Cluster(client)
        finally:
            with suppress(Exception):  # a scheduler that is gone cannot say goodbye
                client.close(timeout=CLOSE_SECONDS)


def import_distributed() -> Any:
    """Dask's scheduler, if it is installed.

    Raises
    ------
    MissingDependencyError
    """
    try:
        import distributed
    except ImportError as error:
        raise MissingDependencyError(f"running on Dask needs distributed ({error}): pip install 'tiebreak[dask]'.") from None
    return distributed


def warn_if_exposed(address: str) -> None:
    """Warn of a scheduler that others on the network can reach, and whose connections are not encrypted."""
    scheme, _, place = address.partition("://")
    host = place.rpartition(":")[0].strip("[]")
    if scheme in ENCRYPTED or _is_loopback(host):
        return
    warnings.warn(
        f"The Dask scheduler at {address} listens beyond this machine without TLS: whoever can reach it can have its workers run "
        "any code, and read the data. Start it with --host 127.0.0.1, or with TLS and an address that begins with tls://.",
        UnprotectedClusterWarning,
        stacklevel=2,
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"


@contextmanager
def _own_cluster(n_workers: int) -> Iterator[Any]:
    """Worker processes of this machine, which nobody beyond it can reach."""
    distributed = import_distributed()
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
    """A client that nobody else uses, connected within seconds.

    Raises
    ------
    ClusterError
    """
    distributed = import_distributed()
    try:
        return distributed.Client(where, set_as_default=False, timeout=CONNECT_SECONDS)  # type: ignore[no-any-return]
    except Exception as error:  # its kind depends on what is wrong with the address, and on the version of distributed
        raise ClusterError(
            f"The Dask scheduler at {where} cannot be reached: {in_one_line(error)}. Is it running, and is that its address? "
            "It is started by: dask scheduler --host 127.0.0.1"
        ) from error


@contextmanager
def quiet_logs() -> Iterator[None]:
    """What distributed logs of lost connections and workers is for whoever runs a cluster; the runner says what it means."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
