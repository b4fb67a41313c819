"""A workload on its way to worker processes: pickled once, its large arrays in one file that all of them share."""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import tempfile
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from operator import length_hint
from pathlib import Path
from threading import Lock
from typing import NamedTuple, cast

from tiebreak.errors import InvalidPlanError
from tiebreak.plan.record import Cell
from tiebreak.runners.runner import Workload

FILE_FROM_BYTES = 1_000_000
"""What is larger goes into a file rather than through the pipe of each worker."""

ALIGNMENT = 64
"""Arrays in the file begin at multiples of this, as numpy and BLAS like them."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a fresh folder of this user's own is made in there)


class Shipment(NamedTuple):
    """What a worker is sent: the pieces themselves, or where they lie in a file."""

    pieces: tuple[bytes, ...]
    path: str = ""
    spans: tuple[tuple[int, int], ...] = ()


class Parcel:
    """A pickled workload; nothing is copied nor written before it is asked for.

    Parameters
    ----------
    workload : Workload

    Raises
    ------
    InvalidPlanError
        It cannot be pickled.
    """

    def __init__(self, workload: Workload) -> None:
        self._pieces = pickled(workload)
        self._shipment: Shipment | None = None
        self._remove: weakref.finalize[[str, int], Parcel] | None = None

    def shipment(self) -> Shipment:
        """What to send to each worker."""
        if self._shipment is None:
            small = sum(piece.nbytes for piece in self._pieces) < FILE_FROM_BYTES
            self._shipment = Shipment(tuple(map(bytes, self._pieces))) if small else self._write()
        return self._shipment

    def close(self) -> None:
        """Remove the file; workers that hold it open may go on reading."""
        if self._remove is not None:
            self._remove()

    def _write(self) -> Shipment:
        """Put all pieces into one file."""
        from joblib.externals.loky.backend import resource_tracker

        size = sum(piece.nbytes for piece in self._pieces)
        folder = tempfile.mkdtemp(prefix="tiebreak-", dir=_folder_for(size))
        # a process of its own that lives longer than this one, should this one be killed
        resource_tracker.register(folder, "folder")
        self._remove = weakref.finalize(self, _remove, folder, os.getpid())
        path = Path(folder, "workload")
        spans = []
        with path.open("wb") as file:
            for piece in self._pieces:
                file.write(b"\0" * (-file.tell() % ALIGNMENT))
                spans.append((file.tell(), piece.nbytes))
                file.write(piece)
        return Shipment((), str(path), tuple(spans))


def unpack(shipment: Shipment) -> Workload:
    """The workload again, in another process; its arrays are read-only."""
    stream, *buffers = _mapped(shipment) if shipment.path else shipment.pieces
    workload: Workload = pickle.loads(stream, buffers=buffers)  # noqa: S301  (from the process that started this one)
    return workload


def cloudpickle_dumps() -> Callable[..., bytes]:
    """Pickles functions and classes of notebooks too; `pickle.loads` reads it."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps  # in old versions of joblib a copy of its own

    return cast("Callable[..., bytes]", dumps)


def _mapped(shipment: Shipment) -> list[memoryview]:
    """The pieces as they lie in the file; memory that all workers share."""
    with Path(shipment.path).open("rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return [view[start : start + size] for start, size in shipment.spans]


def pickled(workload: Workload) -> list[memoryview]:
    """The pickle, and the arrays that it refers to, which are not copied.

    Raises
    ------
    InvalidPlanError
        It cannot be pickled.
    """
    dumps = cloudpickle_dumps()
    buffers: list[pickle.PickleBuffer] = []
    try:
        stream = dumps(workload, protocol=5, buffer_callback=buffers.append)
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidPlanError(
            "The models or the data cannot be sent to worker processes: "
            f"{' '.join(f'{type(error).__name__}: {error}'.split())}. "
            "Define what cannot be pickled in a module that can be imported, or measure in this process: n_jobs=1, no timeout."
        ) from error
    return [memoryview(stream), *(buffer.raw() for buffer in buffers)]


def _folder_for(size: int) -> str | None:
    """Where joblib's users want such files, else in memory if there is plenty, else where temporary files go."""
    if chosen := os.environ.get("JOBLIB_TEMP_FOLDER"):
        return chosen
    try:
        plenty = shutil.disk_usage(SHARED_MEMORY).free > 4 * size and os.access(SHARED_MEMORY, os.W_OK)
    except OSError:  # not on this system
        plenty = False
    return str(SHARED_MEMORY) if plenty else None


def _remove(folder: str, owner: int) -> None:
    """Remove a folder that this process has made, not one that was inherited by a fork."""
    from joblib.externals.loky.backend import resource_tracker

    if os.getpid() != owner:
        return
    shutil.rmtree(folder, ignore_errors=True)  # Windows keeps what a worker still reads
    if not Path(folder).exists():
        resource_tracker.unregister(folder, "folder")


BATCH_SECONDS = 0.2
"""How much work goes into a batch: what may be lost when everything is killed."""

LEAST_SECONDS = 0.01
"""Towards the end batches get shorter, but handing one over costs about a millisecond."""

SHARES = 4
"""A batch is at most this part of what each worker still has before it, so that all end at about the same time."""

MEMORY = 0.2
"""Least weight of the newest measurement in the running mean, so that a slow first fit (imports, caches) is forgotten."""

Kind = tuple[int, int]
"""Cells that take about the same time: one model on one dataset."""


class Backlog:
    """Cells in the order of the plan, with an estimate of their seconds learnt from those already measured.

    It is safe to use from two threads.

    Parameters
    ----------
    cells : iterable of Cell
        Taken from as late as possible: others may measure the same run, and each cell that was taken is this runner's.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._source = iter(cells)
        self._put_back: deque[Cell] = deque()
        self._seconds: dict[Kind, float] = {}
        self._n_measured: Counter[Kind] = Counter()
        self._lock = Lock()

    def __len__(self) -> int:
        """How many are left; of those that others may take as well, at most so many."""
        return len(self._put_back) + length_hint(self._source)

    def take_one(self) -> Cell | None:
        """The next cell; None when there is none."""
        with self._lock:
            return self._next()

    def take_batch(self, n_workers: int) -> list[Cell]:
        """Consecutive cells for one of several workers; a single one as long as nothing is known of their seconds.

        Parameters
        ----------
        n_workers : int
            Among how many the rest is shared.
        """
        with self._lock:
            usual = self._usual_seconds()
            if usual is None:
                cell = self._next()
                return [] if cell is None else [cell]
            room = max(LEAST_SECONDS, min(BATCH_SECONDS, len(self) * usual / (SHARES * n_workers)))
            batch: list[Cell] = []
            while (cell := self._next()) is not None:
                seconds = self._seconds.get(_kind(cell), usual)
                if batch and room < seconds / 2:  # without it the batch is nearer to its length
                    self._put_back.appendleft(cell)
                    break
                room -= seconds
                batch.append(cell)
            return batch

    def take_all(self) -> list[Cell]:
        """Whatever is left."""
        with self._lock:
            return list(iter(self._next, None))

    def put_back(self, cells: Iterable[Cell]) -> None:
        """Cells that were taken and not measured are the next again."""
        with self._lock:
            self._put_back.extendleft(reversed(list(cells)))

    def settle(self, batch: Sequence[Cell], seconds: Sequence[float]) -> Sequence[Cell]:
        """Learn from as many cells of a batch as there are seconds, put the others back, and return those that were measured."""
        measured = batch[: len(seconds)]
        self.put_back(batch[len(seconds) :])
        for cell, each in zip(measured, seconds, strict=True):
            self.note(cell, each)
        return measured

    def note(self, cell: Cell, seconds: float) -> None:
        """Learn from a measured cell."""
        kind = _kind(cell)
        with self._lock:
            self._n_measured[kind] += 1
            weight = max(1 / self._n_measured[kind], MEMORY)
            known = self._seconds.get(kind, 0.0)
            self._seconds[kind] = known + weight * (seconds - known)

    def rest_seconds(self, running: Cell, elapsed: float) -> float:
        """How long one worker would take for what is left, given that a cell has been running for so many seconds by now.

        What is left is taken to be of all kinds alike.
        """
        kind = _kind(running)
        with self._lock:
            known = self._seconds | {kind: max(elapsed, self._seconds.get(kind, 0.0))}
            return len(self) * sum(known.values()) / len(known)

    def _next(self) -> Cell | None:
        """Take the next cell."""
        return self._put_back.popleft() if self._put_back else next(self._source, None)

    def _usual_seconds(self) -> float | None:
        """Mean over the kinds that were measured."""
        return sum(self._seconds.values()) / len(self._seconds) if self._seconds else None


def _kind(cell: Cell) -> Kind:
    """Which cells it is like."""
    return cell.dataset, cell.model
