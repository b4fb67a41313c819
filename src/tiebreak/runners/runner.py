"""The runner that a user has asked for."""

import math
import sys
from collections.abc import Callable, Generator, Iterable
from functools import partial
from numbers import Real
from typing import Any, TypeAlias

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.plan.plan import number_of_workers
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.contract import Workload
from tiebreak.runners.dask import measure_on_cluster
from tiebreak.runners.local import measure_here, measure_on_machine

Runner: TypeAlias = Callable[[Workload, Iterable[Cell]], Generator[list[Outcome], None, None]]


def make_runner(runner: Any, n_jobs: int = 1, timeout: float | None = None) -> Runner:
    """The function that measures the cells of a call, with its settings: in this process, on this machine, or on a cluster.

    `runner` None means processes of this machine, so many as `n_jobs` says; a ``distributed.Client`` or the address of a
    scheduler means Dask, which must do without `n_jobs` and `timeout`. Raises `InvalidParameterError` for what is no runner, for
    a number of jobs or seconds that means nothing, and for a setting that Dask does not get to see.
    """
    if runner is None:
        is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
        if timeout is not None and not (is_number and 0 < timeout < math.inf):
            raise InvalidParameterError(
                Setting("timeout", repr(timeout)), " is no number of seconds above 0 for a cell; give one, or None for no limit."
            )
        n_workers = number_of_workers(n_jobs)
        if timeout is None:
            return measure_here if n_workers == 1 else partial(measure_on_machine, n_workers=n_workers)
        return partial(measure_on_machine, n_workers=n_workers, timeout=float(timeout))
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    is_address = isinstance(runner, str) and runner.startswith(("tcp://", "tls://"))
    if not is_address and (distributed is None or not isinstance(runner, distributed.Client)):
        raise InvalidParameterError(
            f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
            "a distributed.Client, and the address of a Dask scheduler, 'tcp://host:8786' or 'tls://host:8786'."
        )
    for name, value, usual in (("n_jobs", n_jobs, 1), ("timeout", timeout, None)):
        if value != usual:
            raise InvalidParameterError(
                Setting(name, repr(value)),
                " is for processes that tiebreak starts, and a runner was given: its workers are its own, and on Dask a cell "
                "that hangs could be ended only along with its worker. Leave it out, or measure without a runner.",
            )
    return partial(measure_on_cluster, cluster=runner)
