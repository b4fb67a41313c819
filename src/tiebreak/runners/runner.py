"""The contract of a runner and its work, and the runner that a user has asked for."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from types import TracebackType
from typing import Protocol, cast

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.local import LocalRunner


class Workload(Protocol):
    """The work of a run. It can be sent to another process by cloudpickle, and is entered there before it measures.

    Measuring one cell does not depend on which others are measured beside it, before it, or where.
    """

    def __enter__(self) -> object:
        """Set this process up for the work: threads, caches."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Leave the process as it was."""

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score; whatever a model raises (but for KeyboardInterrupt and the like) becomes an outcome.

        Cells of the same dataset and split that follow one another share their slices of the data.
        """


class Runner(Protocol):
    """Measures cells somewhere and hands the outcomes over as they come."""

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell that was taken, once, and yield the outcomes in batches that are to be recorded together.

        A batch holds what one worker measured at a stretch, about 0.2 s of work, or what several did. A worker is given
        more only after the consumer has asked for the next batch, so that at a kill at most one batch of each worker is
        lost. When the iterator is closed or an exception goes through it, no process is left at work; a consumer that may
        stop early or fail closes it (``contextlib.closing``), rather than wait until it is collected.

        Parameters
        ----------
        workload : Workload
        cells : iterable of Cell
            In the order of the plan: cells of the same split follow one another. It is taken from only when there is a worker
            for a cell, as other processes may take cells of the same run, and it may end early for that reason.
            `operator.length_hint` says how many there are at most.
        """


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
            "and any object with a method run(workload, cells) as tiebreak.runners.runner.Runner describes it."
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
