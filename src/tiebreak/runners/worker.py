"""Code that runs inside a worker process: one workload at a time is held, entered, and measured on demand."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.batch import Payload, cloudpickle_dumps
from tiebreak.runners.contract import group_of
from tiebreak.runners.failures import failed, in_one_line

if TYPE_CHECKING:
    from tiebreak.runners.contract import Workload


class Environment(NamedTuple):
    """Settings of the parent that a process that has been waiting may have missed: folder, import path, variables."""

    folder: str | None
    path: tuple[str, ...]
    variables: Mapping[str, str]

    @classmethod
    def current(cls) -> Environment:
        """Environment of this process as it is now."""
        try:
            folder = str(Path.cwd())
        except OSError:  # it was removed
            folder = None
        return cls(folder, tuple(entry or folder or "" for entry in sys.path), dict(os.environ))


class Failure(NamedTuple):
    """Reason why a worker could not load a workload. It is an answer, as an exception might not be picklable."""

    message: str
    traceback: str


class Report(NamedTuple):
    """Seconds of the cells that were measured, counted from the first one given, and their outcomes as `packed`.

    `interrupt` says that a model raised KeyboardInterrupt, which ends the run here as it does in the process of the user.
    """

    seconds: list[float]
    outcomes: bytes
    interrupt: str = ""


_values_of = attrgetter(*(field.name for field in fields(Outcome)))
_started = time.time()
_held: Workload | None = None
_is_large = False
_variables: Mapping[str, str] | None = None


def prepare(payload: Payload, environment: Environment) -> Failure | None:
    """Load a workload and enter it; an earlier one is left and dropped."""
    global _held, _is_large
    try:
        release()
        if _variables is not None and _edited_since_start():
            return Failure("a source file was edited after this process had read it", "")
        _adopt(environment)
        workload = payload.unpack()
        workload.__enter__()
        _held, _is_large = workload, bool(payload.path)
        # loky collects garbage every second, and with scikit-learn imported that takes a tenth of it. What is there now stays.
        gc.freeze()
    except Exception as error:
        return Failure(in_one_line(error), "".join(traceback.format_exception(error)))
    except BaseException as error:
        leave(error)
    return None


def measure(cells: Sequence[Cell], seconds: float) -> Report:
    """Measure cells with the workload that is held."""
    if _held is None:
        raise RuntimeError("this worker process holds no workload")
    return measure_with(_held, cells, seconds)


def measure_with(workload: Workload, cells: Sequence[Cell], seconds: float, *, patience: float = 0.0) -> Report:
    """Measure cells until all are done or so many seconds have passed, at least one.

    A group of cells goes on for `patience` times as long as its first one took: where the rest of it may go to another process,
    which begins it anew.
    """
    durations: list[float] = []
    outcomes: list[Outcome] = []
    closes = time.perf_counter() + seconds
    closes_group, interrupt = 0.0, ""
    groups = list(map(group_of(workload), cells))
    for cell, before, group, after in zip(cells, [None, *groups], groups, [*groups[1:], None], strict=False):
        began = time.perf_counter()
        try:
            outcomes.append(workload.measure(cell))
        except Exception as error:  # against its promise; that costs this one cell only
            outcomes.append(failed(cell, error))
        except KeyboardInterrupt as error:  # a model's own, as this process does not hear the user's
            interrupt = in_one_line(error)
            break
        except BaseException as error:  # SystemExit and the like
            leave(error)
        ended = time.perf_counter()
        durations.append(ended - began)
        if group is not None and group != before:
            closes_group = began + patience * (ended - began)
        if ended >= closes and (group is None or group != after or ended >= closes_group):
            break
    return Report(durations, packed(outcomes), interrupt)


def release() -> None:
    """Leave the workload and free its memory."""
    global _held
    if _held is not None:
        workload, _held = _held, None
        workload.__exit__(None, None, None)
        del workload
        if _is_large:  # data that hang on a cycle would stay in memory
            gc.unfreeze()
            gc.collect()


def leave(error: BaseException) -> NoReturn:
    """End the process as an interpreter would at this exception; the parent finds out and deals with it."""
    code = error.code if isinstance(error, SystemExit) else 130 if isinstance(error, KeyboardInterrupt) else 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)  # noqa: T201  (what sys.exit("text") does)
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code & 0xFF if isinstance(code, int) else 0 if code is None else 1)


def packed(outcomes: list[Outcome]) -> bytes:
    """Pickle all outcomes as plain tuples, several times as fast as of themselves; one that cannot be is replaced."""
    values = [_values_of(outcome) for outcome in outcomes]
    try:
        return pickle.dumps(values, protocol=5)
    except Exception:
        dumps = cloudpickle_dumps()
        for position, outcome in enumerate(outcomes):
            try:
                dumps(values[position], protocol=5)
            except Exception as error:
                values[position] = _values_of(failed(outcome.cell, error))
        return dumps(values, protocol=5)


def outcomes_of(report: Report) -> list[Outcome]:
    """Read the outcomes of a report, in the parent; raises KeyboardInterrupt where a model did."""
    if report.interrupt:
        raise KeyboardInterrupt(f"a model raised it in a worker process: {report.interrupt}")
    return unpacked(report.outcomes)


def unpacked(outcomes: bytes) -> list[Outcome]:
    """Read outcomes that were `packed`, in the parent."""
    values: list[tuple[Any, ...]] = pickle.loads(outcomes)  # noqa: S301  (from a process that this one has started)
    return [Outcome(*each) for each in values]


def _edited_since_start() -> bool:
    """Tell if the file of some imported module is newer than this process, which then may hold the old version."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str):
            with suppress(OSError):  # in an archive, or gone
                if os.stat(file).st_mtime > _started:  # noqa: PTH116  (for each of a thousand modules: no Path)
                    return True
    return False


def _adopt(environment: Environment) -> None:
    """Take over the parent's folder, import path and variables."""
    global _variables
    for name in (_variables or {}).keys() - environment.variables.keys():
        os.environ.pop(name, None)
    os.environ.update(environment.variables)
    _variables = environment.variables
    sys.path[:] = environment.path
    if environment.folder is not None:
        with suppress(OSError):
            os.chdir(environment.folder)
