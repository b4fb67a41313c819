"""Code that runs inside a worker of Dask or of joblib, and the workload as it is sent there.

One workload at a time is held, entered, and measured on demand, by one thread. A worker may run several tasks at once, of several
runs. Numerical libraries have one number of threads for the process or one for each of its threads, scikit-learn has settings for
each thread, and warnings and the global random generators are the process's. So whatever a workload does happens in the same
thread, one cell after the other; tasks wait for it.
"""

from __future__ import annotations

import os
import pickle
import platform
import signal
import sys
import sysconfig
import threading
import traceback
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.plan.record import Cell
from tiebreak.runners.batch import ALIGNMENT, pickled
from tiebreak.runners.failures import in_one_line
from tiebreak.runners.worker import Failure, Report, leave, measure_with

if TYPE_CHECKING:
    from tiebreak.runners.contract import Workload

PATIENCE = 10.0
"""A group of cells goes on for so many times as long as its first one took: the next batch may be another worker's."""

SAME_EVERYWHERE = ("tiebreak", "numpy", "scipy", "scikit-learn")
"""Packages whose version decides about the bits of a score, or about what workers and client say to each other."""


class OneThread:
    """Calls functions in one thread of its own, in the order asked for, and lets go of their arguments afterwards.

    To ask takes no lock, so that a finaliser may do so at any moment. The thread does not keep a process from ending.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = SimpleQueue()
        self._begun = threading.Lock()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called; the future has what it returns or raises."""
        future: Future[Any] = Future()
        self._calls.put((future, function, arguments))
        if self._begun.acquire(blocking=False):  # and never released
            threading.Thread(target=self._serve, name=self._name, daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            self._serve_one(*self._calls.get())

    @staticmethod
    def _serve_one(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Make one call, in a function of its own: variables of a loop would keep the last arguments alive until the next."""
        try:
            result = function(*arguments)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)


class Origin(NamedTuple):
    """The process that a workload comes from.

    It has the versions of Python and of the packages in `SAME_EVERYWHERE`; a hash of the file of each imported module that is no
    installed package, and so has no version; and the folders where such modules are found.
    """

    versions: Mapping[str, str]
    sources: Mapping[str, str]
    folders: tuple[str, ...]

    @classmethod
    def current(cls) -> Origin:
        """Origin in this process."""
        paths = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")}
        installed = tuple(f"{each}{os.sep}" for path in paths for each in {path, os.path.realpath(path)})
        sources = {
            name: source_hash(file)
            for name, module in list(sys.modules.items())
            if name not in ("__main__", "__mp_main__") and (file := source_file(module)) and not file.startswith(installed)
        }
        entries = dict.fromkeys(os.path.abspath(entry) for entry in sys.path)  # noqa: PTH100  (links stay as they are)
        folders = (each for each in entries if not f"{each}{os.sep}".startswith(installed) and Path(each).is_dir())
        return cls(_versions(), sources, tuple(folders))


class ScatteredWorkload:
    """A workload in the memory of Dask workers: its pickle and arrays as bytes, sent once for each run.

    Dask keeps it for as long as somebody needs it, sends it to workers that come later, and puts it on disk where memory is
    short; a worker holds the workload made of it only while this is there.

    The token is unlike any other. The pieces are the pickle, and the arrays that it refers to.
    """

    def __init__(self, token: str, origin: Origin, pieces: Sequence[Any]) -> None:
        self.token = token
        self.origin = origin
        self._pieces = [memoryview(piece).toreadonly() for piece in pieces]

    @classmethod
    def of(cls, workload: Workload) -> ScatteredWorkload:
        """Pack a workload of this process; arrays are not copied.

        Raises `InvalidPlanError` where it cannot be pickled.
        """
        return cls(_token(), Origin.current(), pickled(workload))

    def again(self) -> ScatteredWorkload:
        """Workload under another name: Dask may still be forgetting the first."""
        return ScatteredWorkload(_token(), self.origin, self._pieces)

    def unpack(self) -> Workload:
        """Read the workload; its arrays are read-only, and lie where the bytes of this do."""
        # as numpy has them; Dask puts what it receives anywhere. One by one, so that memory holds one array twice at most.
        for position, piece in enumerate(self._pieces):
            self._pieces[position] = _aligned(piece)
        stream, *buffers = self._pieces
        workload: Workload = pickle.loads(stream, buffers=buffers)  # noqa: S301  (a scheduler runs any code as it is)
        return workload

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        outside = protocol >= 5
        pieces = [pickle.PickleBuffer(piece) if outside else bytes(piece) for piece in self._pieces]
        return ScatteredWorkload, (self.token, self.origin, pieces)

    def __sizeof__(self) -> int:
        """Size in bytes, for Dask's account of memory."""
        return object.__sizeof__(self) + sum(piece.nbytes for piece in self._pieces)


class _Held(NamedTuple):
    """The workload that this process is set up for."""

    token: str
    workload: Workload


_thread = OneThread("tiebreak")
_held: _Held | None = None
_read_at: dict[str, int] = {}
"""Time of the last change of each module that is no installed package, from before it was read here."""


def dask_setup(worker: Any) -> None:  # the name that Dask calls in a module that its workers load first
    """Leave Ctrl-C to the process that has started this worker: it hears it too, and ends the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def prepare(scattered: ScatteredWorkload) -> Failure | None:
    """Load a workload, so that it is there when the first cells come; None if that went well."""
    answer: Failure | None = _thread.call(_load, scattered).result()
    return _signed(answer) if answer is not None else None


def measure(scattered: ScatteredWorkload, cells: bytes, seconds: float) -> Report | Failure:
    """Measure cells until all are done or so many seconds have passed, at least one.

    The cells come as `packed_cells`.
    """
    answer: Report | Failure = _thread.call(_measure, scattered, cells, seconds).result()
    return _signed(answer) if isinstance(answer, Failure) else answer


def measure_for_joblib(scattered: ScatteredWorkload, cells: bytes, seconds: float) -> Report | Failure:
    """Measure with a workload that comes anew with each task; the one read first stays until that of another run comes."""
    answer: Report | Failure = _thread.call(_measure, scattered, cells, seconds, True).result()
    return answer


def packed_cells(cells: Sequence[Cell]) -> bytes:
    """Cells in a form that Dask does not look into."""
    return pickle.dumps([tuple(cell) for cell in cells])


def source_file(module: Any) -> str:
    """Python file that a module was read from; "" where there is none."""
    file = getattr(module, "__dict__", {}).get("__file__")
    return file if isinstance(file, str) and file.endswith(".py") else ""


def source_hash(file: str) -> str:
    """Hash of a file's content; "" where it cannot be read."""
    try:
        return blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _measure(scattered: ScatteredWorkload, cells: bytes, seconds: float, stays: bool = False) -> Report | Failure:
    failure = _load(scattered, stays)
    if failure is not None or _held is None:
        return failure or Failure("the workload was dropped", "")
    wanted = [Cell(*cell) for cell in pickle.loads(cells)]  # noqa: S301  (see above: it is our own)
    return measure_with(_held.workload, wanted, seconds, patience=PATIENCE)


def _load(scattered: ScatteredWorkload, stays: bool = False) -> Failure | None:
    """Enter a workload, unless it is the one that is held; another one is left first.

    With `stays`, the workload is held on when what it was read from is dropped.
    """
    global _held
    if _held is not None and _held.token == scattered.token:
        return None
    _leave()
    origin = scattered.origin
    try:
        if problem := _other_versions(origin) or _edited(origin):
            return Failure(problem, "")
        sys.path += [folder for folder in origin.folders if folder not in sys.path and os.path.isdir(folder)]  # noqa: PTH112
        before = set(sys.modules)
        workload = scattered.unpack()
        if problem := _other_sources(origin, before):
            return Failure(problem, "")
        workload.__enter__()
    except Exception as error:
        return Failure(in_one_line(error), "".join(traceback.format_exception(error)))
    except BaseException as error:
        leave(error)
    _held = _Held(scattered.token, workload)
    if not stays:
        # when the run has ended, or its client is gone, Dask drops this; or puts it on disk, and it is unpacked again
        weakref.finalize(scattered, _thread.call, _leave, scattered.token).atexit = False
    return None


def _leave(token: str | None = None) -> None:
    """Leave the workload that is held, or only if it is a certain one, and let its memory go."""
    global _held
    if _held is not None and token in (None, _held.token):
        held, _held = _held, None
        held.workload.__exit__(None, None, None)


def _signed(failure: Failure) -> Failure:
    """Failure with the address of this worker."""
    from distributed import get_worker

    return failure._replace(message=f"{get_worker().address}: {failure.message}")


def _token() -> str:
    return f"tiebreak-workload-{uuid.uuid4().hex}"


def _aligned(piece: memoryview) -> memoryview:
    """Bytes at an address that suits numpy and BLAS; a copy where they lie elsewhere."""
    import numpy as np

    found = np.frombuffer(piece, dtype=np.uint8)
    if found.ctypes.data % ALIGNMENT == 0 or not found.size:
        return piece
    room = np.empty(found.size + ALIGNMENT, dtype=np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copied = room[start : start + found.size]
    copied[:] = found
    return copied.data.toreadonly()


# --- the same code as the client's ------------------------------------------------------------------------------------------


def _versions() -> dict[str, str]:
    """Versions of Python, without the last figure, and of the packages that matter."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in SAME_EVERYWHERE:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _other_versions(origin: Origin) -> str:
    """Message about versions that differ here; "" if none does."""
    here = _versions()
    other = [
        f"{name} {here.get(name) or 'is missing'} here, {version} there"
        for name, version in origin.versions.items()
        if here.get(name) != version
    ]
    return f"it has other versions than the client: {'; '.join(other)}" if other else ""


def _edited(origin: Origin) -> str:
    """Message about modules whose files have changed after this process has read them; "" if none has."""
    stale = [name for name in origin.sources if name in _read_at and _changed_at(name) != _read_at[name]]
    return f"{_some(stale)} was edited after this worker had read it" if stale else ""


def _other_sources(origin: Origin, before: set[str]) -> str:
    """Message about modules that are not those of the client; "" if all are, and those that are new are remembered.

    `before` are modules that something else has imported, at a time that is not known.
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
    """Time in nanoseconds at which the file of a module was changed; 0 if there is none."""
    try:
        return os.stat(source_file(sys.modules.get(module))).st_mtime_ns  # noqa: PTH116  (for many modules: no Path)
    except OSError:
        return 0


def _began() -> int:
    """Time in nanoseconds at which this process was started."""
    import psutil  # type: ignore[import-untyped]  # distributed brings it along

    return int(psutil.Process().create_time() * 1e9)
