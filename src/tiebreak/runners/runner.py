"""The runner that a user has asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.runners.local import LocalRunner

if TYPE_CHECKING:
    from tiebreak.runners.contract import Runner


def make_runner(runner: object, n_jobs: int = 1, timeout: float | None = None) -> Runner:
    """Runner that measures the cells; `n_jobs` (with "dask" the number of processes) and `timeout` are as of `LocalRunner`.

    None means a `LocalRunner`; a ``distributed.Client``, the address of a scheduler or "dask" a `DaskRunner`; "joblib" a
    `JoblibRunner`; any other object with a method ``run`` is used as it is, and must do without the other two. Raises
    `InvalidParameterError` for what is no runner, and for a setting that the runner given does not get to see.
    """
    if runner is None:
        return LocalRunner(n_jobs, timeout)
    from tiebreak.runners.dask.runner import is_dask

    if is_dask(runner):
        return _dask_runner(runner, n_jobs, timeout)
    setting = f"n_jobs={n_jobs!r}" if n_jobs != 1 else f"timeout={timeout!r}" if timeout is not None else ""
    if isinstance(runner, str) and runner == "joblib":
        if setting:
            raise InvalidParameterError(
                f"{setting} is for the runner that tiebreak makes. With runner='joblib' the number of processes is that of "
                "joblib.parallel_config, and there is no limit for a cell."
            )
        from tiebreak.runners.joblib import JoblibRunner

        return JoblibRunner()
    if not callable(getattr(runner, "run", None)) or isinstance(runner, type):
        raise InvalidParameterError(
            f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
            "a distributed.Client, the address of a Dask scheduler such as 'tcp://host:8786', 'dask', 'joblib', a LocalRunner, "
            "and any object with a method run(workload, cells) as tiebreak.runners.contract.Runner describes it."
        )
    if setting:
        raise InvalidParameterError(
            f"{setting} is for the runner that tiebreak makes, and a runner was given. "
            f"Give that to the runner itself, such as LocalRunner({setting}), or leave out runner=."
        )
    return cast("Runner", runner)


def _dask_runner(runner: object, n_jobs: int, timeout: float | None) -> Runner:
    from tiebreak.runners.dask.runner import DaskRunner

    if timeout is not None:
        raise InvalidParameterError(
            Setting("timeout", repr(timeout)),
            " cannot be kept on Dask, where a cell that hangs could be ended only along with its worker. "
            "Leave it out, or measure without Dask.",
        )
    if runner == "dask":
        return DaskRunner(runner, n_jobs)
    if n_jobs != 1:
        raise InvalidParameterError(
            Setting("n_jobs", repr(n_jobs)),
            " is for processes that tiebreak starts, and the workers of this Dask cluster are there already. "
            "Leave it out; all of them are used.",
        )
    return DaskRunner(runner)
