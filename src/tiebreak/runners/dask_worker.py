"""What runs inside a worker of Dask or of joblib: one workload at a time is held, entered, and measured on demand, by one thread.

A worker may run several tasks at once, of several runs. Numerical libraries have one number of threads for the process or one
for each of its threads, scikit-learn has settings for each thread, and warnings and the global random generators are the
process's. So whatever a workload does happens in the same thread, one cell after the other; tasks wait for it.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from tiebreak.plan.outcome import Cell
from tiebreak.runners.dask_cargo import Cargo, Origin, source_file, source_hash, versions_here
from tiebreak.runners.here import in_one_line
from tiebreak.runners.one_thread import OneThread
from tiebreak.runners.runner import Workload
from tiebreak.runners.worker import Failure, Report, leave, measure_with


class _Held(NamedTuple):
    """The workload that this process is set up for."""

    token: str
    workload: Workload


_thread = OneThread("tiebreak")
_held: _Held | None = None
_read_at: dict[str, int] = {}
"""Of modules that are no installed packages: when the file was changed last before it was read here."""


def dask_setup(worker: Any) -> None:  # the name that Dask calls in a module that its workers load first
    """Leave Ctrl-C to the process that has started this worker: it hears it too, and ends the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def prepare(cargo: Cargo) -> Failure | None:
    """Take a workload over, so that it is there when the first cells come; None if that went well."""
    answer: Failure | None = _thread.call(_take_over, cargo).result()
    return _signed(answer) if answer is not None else None


def measure(cargo: Cargo, cells: bytes, seconds: float) -> Report | Failure:
    """Measure cells until all are done or so many seconds have passed, at least one.

    Parameters
    ----------
    cargo : Cargo
    cells : bytes
        As `packed_cells`.
    seconds : float
    """
    answer: Report | Failure = _thread.call(_measure, cargo, cells, seconds).result()
    return _signed(answer) if isinstance(answer, Failure) else answer


def measure_for_joblib(cargo: Cargo, cells: bytes, seconds: float) -> Report | Failure:
    """The same for a cargo that comes anew with each task; the workload stays until that of another run comes."""
    answer: Report | Failure = _thread.call(_measure, cargo, cells, seconds, True).result()
    return answer


def packed_cells(cells: Sequence[Cell]) -> bytes:
    """Cells in a form that Dask does not look into."""
    return pickle.dumps([tuple(cell) for cell in cells])


def _measure(cargo: Cargo, cells: bytes, seconds: float, stays: bool = False) -> Report | Failure:
    failure = _take_over(cargo, stays)
    if failure is not None or _held is None:
        return failure or Failure("the workload was dropped", "")
    wanted = [Cell(*cell) for cell in pickle.loads(cells)]  # noqa: S301  (see above: it is our own)
    return measure_with(_held.workload, wanted, seconds)


def _take_over(cargo: Cargo, stays: bool = False) -> Failure | None:
    """Enter the workload of a cargo, unless it is the one that is held; another one is left first.

    Parameters
    ----------
    cargo : Cargo
    stays : bool
        Whether to hold the workload when the cargo is dropped.
    """
    global _held
    if _held is not None and _held.token == cargo.token:
        return None
    _leave()
    try:
        if problem := _other_versions(cargo.origin) or _edited(cargo.origin):
            return Failure(problem, "")
        sys.path += [folder for folder in cargo.origin.folders if folder not in sys.path and os.path.isdir(folder)]  # noqa: PTH112
        before = set(sys.modules)
        workload = cargo.unpack()
        if problem := _other_sources(cargo.origin, before):
            return Failure(problem, "")
        workload.__enter__()
    except Exception as error:
        return Failure(in_one_line(error), "".join(traceback.format_exception(error)))
    except BaseException as error:
        leave(error)
    _held = _Held(cargo.token, workload)
    if not stays:
        # when the run has ended, or its client is gone, Dask drops the cargo; or puts it on disk, and it is unpacked again
        weakref.finalize(cargo, _thread.call, _leave, cargo.token).atexit = False
    return None


def _leave(token: str | None = None) -> None:
    """Leave the workload that is held, or only if it is a certain one, and let its memory go."""
    global _held
    if _held is not None and token in (None, _held.token):
        held, _held = _held, None
        held.workload.__exit__(None, None, None)


def _signed(failure: Failure) -> Failure:
    """Told by which worker."""
    from distributed import get_worker

    return failure._replace(message=f"{get_worker().address}: {failure.message}")


# --- whether the code is the same here ------------------------------------------------------------------------------------


def _other_versions(origin: Origin) -> str:
    here = versions_here()
    other = [
        f"{name} {here.get(name) or 'is missing'} here, {version} there"
        for name, version in origin.versions.items()
        if here.get(name) != version
    ]
    return f"it has other versions than the client: {'; '.join(other)}" if other else ""


def _edited(origin: Origin) -> str:
    """Modules whose files have changed after this process has read them."""
    stale = [name for name in origin.sources if name in _read_at and _changed_at(name) != _read_at[name]]
    return f"{_some(stale)} was edited after this worker had read it" if stale else ""


def _other_sources(origin: Origin, before: set[str]) -> str:
    """Modules that are not what the client has under their names; those that are new are remembered.

    Parameters
    ----------
    origin : Origin
    before : set of str
        Modules that something else has imported, nobody knows when.
    """
    there = [name for name in origin.sources if source_file(sys.modules.get(name))]
    other = [name for name in there if source_hash(source_file(sys.modules[name])) != origin.sources[name]]
    if other:
        return f"{_some(other)} is not the same code here as where the client runs"
    old = [name for name in there if name in before and name not in _read_at and _changed_at(name) > _began()]
    if old:
        return f"{_some(old)} was edited after this worker had started, and may have been read before"
    _read_at.update({name: _changed_at(name) for name in there if name not in _read_at})
    return ""


def _some(modules: Sequence[str]) -> str:
    """Modules as a message names them."""
    more = f" (and {len(modules) - 1} more)" if len(modules) > 1 else ""
    return f"module {modules[0]!r}{more}"


def _changed_at(module: str) -> int:
    """When the file of a module was changed, in nanoseconds; 0 if there is none."""
    try:
        return os.stat(source_file(sys.modules.get(module))).st_mtime_ns  # noqa: PTH116  (for many modules: no Path)
    except OSError:
        return 0


def _began() -> int:
    """When this process was started, in nanoseconds."""
    import psutil  # type: ignore[import-untyped]  # distributed brings it along

    return int(psutil.Process().create_time() * 1e9)
