"""The runner that a user has asked for."""

import sys
from typing import Any

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.runners.dask import DaskRunner
from tiebreak.runners.local import LocalRunner

Runner = LocalRunner | DaskRunner


def make_runner(runner: Any, n_jobs: int = 1, timeout: float | None = None) -> Runner:
    """Runner that measures the cells; `n_jobs` and `timeout` are as of `LocalRunner`.

    None means a `LocalRunner`; a ``distributed.Client`` or the address of a scheduler a `DaskRunner`, which must do without
    `n_jobs` and `timeout`. Raises `InvalidParameterError` for what is no runner, and for a setting that Dask does not get to see.
    """
    if runner is None:
        return LocalRunner(n_jobs, timeout)
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
    return DaskRunner(runner)
