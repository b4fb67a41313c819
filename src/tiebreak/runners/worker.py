"""Code that runs inside a worker, of this machine or of Dask: one workload at a time is held, and measured on demand."""

import gc
import mmap
import os
import pickle
import platform
import signal
import sys
import sysconfig
import threading
import time
import traceback
import uuid
import weakref
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from tiebreak.errors import DataError, Setting
from tiebreak.lazy_names import put_off_numpy_tools
from tiebreak.plan.fingerprint import INSTALLED, is_installed, parsed
from tiebreak.plan.record import Cell, Outcome, State

ALIGNMENT = 64
"""Arrays begin at multiples of this, as numpy and BLAS like them: the bits of a sum may depend on it."""

OOM_SCORE = 500
"""Score of a worker out of 1000: well before the parent, whose score is 0 unless someone changed it."""

WATCH_SECONDS = 0.5

SAME_EVERYWHERE = ("tiebreak", "numpy", "scipy", "scikit-learn")
"""Packages whose version decides about the bits of a score, or about what workers and client say to each other."""


# --- the work, and the outcome of a cell that ended with an exception -----------------------------------------------------------


class Workload(Protocol):
    """The work of a run. It can be sent to another process by cloudpickle.

    Measuring one cell does not depend on which others are measured beside it, before it, or where.
    """

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score; whatever a model raises (but for KeyboardInterrupt and the like) becomes an outcome.

        Cells of the same dataset and split that follow one another share their slices of the data.
        """

    def group(self, cell: Cell) -> Hashable | None:
        """Key of the cells that share work where one process measures them one after the other; None for a cell on its own.

        Cells of a group follow one another.
        """


LONGEST_MESSAGE = 1_000
LONGEST_TRACEBACK = 20_000


def failed(cell: Cell, error: BaseException, seed: int | None = None) -> Outcome:
    """Outcome of a cell that ended with an exception."""
    state: State = "out-of-memory" if isinstance(error, MemoryError) else "raised"
    text = "".join(parsed(traceback.format_exception, error))  # Python parses the lines that it shows
    if len(text) > LONGEST_TRACEBACK:
        text = f"{text[: LONGEST_TRACEBACK // 4]}\n[...]\n{text[-3 * LONGEST_TRACEBACK // 4 :]}"
    return Outcome(cell, state, seed=seed, message=in_one_line(error), traceback=text)


def in_one_line(error: BaseException) -> str:
    """Exception as a message shows it: "ValueError: the input holds NaN"."""
    try:
        what = " ".join(str(error).split())
    except Exception:  # an error whose own text fails
        what = "(its text cannot be read)"
    text = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 3]}..."


# --- the workload, on its way -------------------------------------------------------------------------------------------------


class Origin(NamedTuple):
    """The process that a workload comes from: what has to be the same elsewhere, by name, and where its own modules are."""

    facts: Mapping[str, str]
    folders: tuple[str, ...]

    @classmethod
    def current(cls) -> Self:
        """Origin in this process."""
        folders = dict.fromkeys(os.path.abspath(entry) for entry in sys.path)  # noqa: PTH100  (links stay as they are)
        own = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
        elsewhere = (each for each in folders if INSTALLED.isdisjoint(Path(each).parts) and not each.startswith(own))
        return cls(_facts({}), tuple(elsewhere))

    def check(self) -> None:
        """Raise `Unfit` where something is not the same in this process. Modules count as they were when first seen here."""
        here = _facts(_seen)
        other = [
            f"{name} is {here[name]} here, {there} there" for name, there in self.facts.items() if here.get(name, there) != there
        ]
        if other:
            raise Unfit(f"it is not like the client: {'; '.join(other)}")


_seen: dict[str, str] = {}
"""Code of each module, from when it was first used here: what was edited since was read in its old form."""


def _facts(known: dict[str, str]) -> dict[str, str]:
    """Versions that decide about scores, and hashes of imported files that no installed package has, unless they are known."""
    versions = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in SAME_EVERYWHERE:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    for name, module in list(sys.modules.items()):
        file = str(getattr(module, "__dict__", {}).get("__file__"))
        is_own = file.endswith(".py") and name not in ("__main__", "__mp_main__")
        if is_own and f"module {name!r}" not in known and not is_installed(name):
            with suppress(OSError):  # gone, or in an archive
                known[f"module {name!r}"] = f"code {blake2b(Path(file).read_bytes(), digest_size=8).hexdigest()}"
    return versions | known


@dataclass(eq=False)
class Payload:
    """A pickled workload: the stream and its arrays as bytes, or where these lie in the file at `path`, which all workers map.

    `origin` is that of a workload which goes to other machines.
    """

    pieces: list[Any]
    origin: Origin | None = None
    path: str = ""
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    def unpack(self) -> Workload:
        """Read the workload; its arrays are read-only."""
        pieces = self.pieces
        if self.path:
            with Path(self.path).open("rb") as file:
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            pieces = [view[start:end] for start, end in pieces]
        else:
            for position, piece in enumerate(pieces):  # one by one, so that memory holds one array twice at most
                pieces[position] = _aligned(piece)
        workload: Workload = pickle.loads(pieces[0], buffers=pieces[1:])  # noqa: S301  (from the process that started the run)
        return workload


def _aligned(piece: Any) -> memoryview:
    """Copy of bytes at an address that suits numpy and BLAS."""
    found = np.frombuffer(piece, dtype=np.uint8)
    room = np.empty(found.size + ALIGNMENT, dtype=np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copied = room[start : start + found.size]
    copied[:] = found
    return copied.data.toreadonly()


def pickled(workload: Workload) -> list[memoryview]:
    """Pickle of a workload, and the arrays that it refers to, which are not copied.

    Raises `DataError` where it cannot be pickled.
    """
    buffers: list[pickle.PickleBuffer] = []
    try:
        stream = dumps(workload, buffers.append)
    except MemoryError:
        raise
    except Exception as error:
        raise DataError(
            f"The models or the data cannot be sent to worker processes: {in_one_line(error)}. "
            "Define what cannot be pickled in a module that can be imported, or measure in this process: ",
            Setting("n_jobs", "1"),
            ", no timeout.",
        ) from error
    return [memoryview(stream), *(buffer.raw() for buffer in buffers)]


def dumps(thing: Any, buffer_callback: Any = None) -> bytes:
    """Pickle functions and classes of notebooks too; `pickle.loads` reads it."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps  # in old versions of joblib a copy of its own

    packed: bytes = dumps(thing, protocol=5, buffer_callback=buffer_callback)
    return packed


# --- measuring ------------------------------------------------------------------------------------------------------------------


class Unfit(Exception):
    """Reason why a worker cannot take the workload over."""


_held: tuple[str, Workload] | None = None


def measure(payload: Payload, cells: Sequence[tuple[int, ...]], seconds: float) -> tuple[bytes, str]:
    """Measure cells until all are done or so many seconds have passed, at least one; raises `Unfit`.

    Returns the outcomes of the first of them, pickled, and what a model's own KeyboardInterrupt says, which ends the run.
    """
    workload = _hold(payload)
    outcomes: list[Outcome] = []
    ends = time.perf_counter() + seconds
    for cell in map(Cell._make, cells):
        try:
            outcomes.append(workload.measure(cell))
        except KeyboardInterrupt as error:  # a model's own, as this process does not hear the user's
            return dumps(outcomes), in_one_line(error)
        except BaseException as error:  # against its promise; that costs this one cell only
            outcomes.append(failed(cell, error))
        if time.perf_counter() >= ends:
            break
    return dumps(outcomes), ""


def _hold(payload: Payload) -> Workload:
    """The workload, taken over in place of an earlier one where need be."""
    global _held
    if _held is not None and _held[0] == payload.token:
        return _held[1]
    leave()
    origin = payload.origin
    try:
        if origin is not None:
            origin.check()
            sys.path += [folder for folder in origin.folders if folder not in sys.path and Path(folder).is_dir()]
        workload = payload.unpack()
        if origin is not None:  # what was imported by that
            origin.check()
    except (MemoryError, Unfit):
        raise
    except Exception as error:
        raise Unfit(in_one_line(error)) from None
    _held = payload.token, workload
    if origin is not None:  # Dask drops it when the run has ended or its client is gone
        weakref.finalize(payload, _leave_there, payload.token).atexit = False
    else:
        gc.freeze()  # loky collects garbage every second, and with scikit-learn imported that takes a tenth of it
    return workload


def leave(token: str | None = None) -> None:
    """Let go of the workload that is held, or only if it is a certain one."""
    global _held
    if _held is not None and token in (None, _held[0]):
        _held = None


# --- a worker of Dask ----------------------------------------------------------------------------------------------------------


def measure_on_dask(payload: Payload, cells: Sequence[tuple[int, ...]], seconds: float) -> tuple[bytes, str]:
    """`measure` in a thread of its own: a worker of Dask may run several tasks at once, of several runs.

    Numerical libraries and scikit-learn have settings for each thread, warnings and global generators are the process's.
    """
    from distributed import get_worker
    from distributed.threadpoolexecutor import ThreadPoolExecutor

    global _thread
    one = ThreadPoolExecutor(1, thread_name_prefix="tiebreak")  # type: ignore[no-untyped-call]
    _thread = get_worker().executors.setdefault("tiebreak", one)
    report: tuple[bytes, str] = _thread.submit(measure, payload, cells, seconds).result()
    return report


_thread: Any = None


def _leave_there(token: str) -> None:
    with suppress(RuntimeError):  # the worker has ended
        _thread.submit(leave, token)


# --- a worker of this machine: ended with its parent, and the first to go when memory runs out ---------------------------------


def begin(parent: int, pipe: int | None = None) -> None:
    """Set up a worker process, before anything else is done there.

    `parent` is the id of the process that started it, `pipe` the end of a pipe that breaks when the parent ends.
    """
    from joblib.externals.loky import process_executor

    put_off_numpy_tools()
    # With psutil installed, loky ends a worker that has grown by 300 MB; pages of the shared data count as growth.
    process_executor._MAX_MEMORY_LEAK_SIZE = float("inf")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to decide
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # a group in the background may print all the same
        with suppress(OSError):
            os.setpgid(0, 0)  # whatever this process starts can then be killed along with it
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))
    with suppress(OSError):
        _tie_to(parent, pipe)
    threading.Thread(target=_watch, args=(parent,), name="tiebreak-parent-watch", daemon=True).start()


def _tie_to(parent: int, pipe: int | None) -> None:
    """Have the system kill this process and those that it started when the parent's pipe breaks.

    No Python runs for that, so that it works while a fit holds the interpreter's lock.
    """
    if sys.platform != "linux" or pipe is None:
        return
    import fcntl

    end = os.open(f"/proc/{parent}/fd/{pipe}", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETOWN, -os.getpid())  # the group of this process; an error if it leads none
    fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)


def _watch(parent: int) -> None:
    """End this process, and what it started, when its parent is gone: for other systems, and in case the pipe was inherited."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    kill_group(os.getpid())
    os._exit(1)


def kill_group(leader: int) -> None:
    """Kill a worker and whatever it has started. Its id is given to no other process while any of the group lives."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
