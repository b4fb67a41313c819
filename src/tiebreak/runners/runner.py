"""The runner that a user has asked for."""

import sys
from typing import cast

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.runners.contract import Runner
from tiebreak.runners.local import LocalRunner


def make_runner(runner: object, n_jobs: int = 1, timeout: float | None = None) -> Runner:
    """Runner that measures the cells; `n_jobs` and `timeout` are as of `LocalRunner`.

    None means a `LocalRunner`; a ``distributed.Client`` or the address of a scheduler a `DaskRunner`; any other object with a
    method ``run`` is used as it is. They must do without `n_jobs` and `timeout`. Raises `InvalidParameterError` for what is no
    runner, and for a setting that the runner given does not get to see.
    """
    if runner is None:
        return LocalRunner(n_jobs, timeout)
    for name, value, usual in (("n_jobs", n_jobs, 1), ("timeout", timeout, None)):
        if value != usual:
            raise InvalidParameterError(
                Setting(name, repr(value)),
                " is for processes that tiebreak starts, and a runner was given: its workers are its own, and on Dask a cell "
                "that hangs could be ended only along with its worker. Leave it out, or measure without a runner.",
            )
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    is_address = isinstance(runner, str) and runner.startswith(("tcp://", "tls://"))
    if is_address or (distributed is not None and isinstance(runner, distributed.Client)):
        from tiebreak.runners.dask import DaskRunner

        return DaskRunner(runner)
    if not callable(getattr(runner, "run", None)) or isinstance(runner, type):
        raise InvalidParameterError(
            f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
            "a distributed.Client, the address of a Dask scheduler, 'tcp://host:8786' or 'tls://host:8786', and any object with "
            "a method run(workload, cells) as tiebreak.runners.contract.Runner describes it."
        )
    return cast("Runner", runner)
