"""Work for workers: the workload of a run, packed once for all of them, and its cells, queued and handed out in batches."""

from __future__ import annotations

import math
import mmap
import os
import pickle
import shutil
import tempfile
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import length_hint
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, cast

from tiebreak.errors import InvalidPlanError, Setting
from tiebreak.plan.record import Cell
from tiebreak.runners import BATCH_SECONDS

if TYPE_CHECKING:
    from tiebreak.runners.contract import Workload

MIN_BATCH_SECONDS = 0.01
"""Towards the end batches get shorter, but handing one over costs about a millisecond."""

BATCHES_PER_WORKER = 4
"""A batch is at most this part of what is left for each worker, so that all end at about the same time."""

MIN_WEIGHT = 0.2
"""Least weight of the newest measurement in the running mean, so that a slow first fit (imports, caches) is forgotten."""

FILE_FROM_BYTES = 1_000_000
"""A larger workload goes into a file rather than through the pipe of each worker."""

ALIGNMENT = 64
"""Arrays in the file begin at multiples of this, as numpy and BLAS like them."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a fresh folder of this user's own is made in there)


class CellQueue:
    """Cells in the order of the plan, with an estimate of their seconds learnt from those already measured.

    It is safe to use from two threads. Cells of one model on one dataset are taken to need about the same time.

    Cells are taken as late as possible: others may measure the same run, and each cell that was taken is this runner's. Those of
    one `group` stay together.
    """

    def __init__(self, cells: Iterable[Cell], group: Callable[[Cell], Hashable | None] | None = None) -> None:
        self._source = iter(cells)
        self._group = group
        self._put_back: deque[Cell] = deque()
        self._seconds: dict[tuple[int, int], float] = {}
        self._n_measured: Counter[tuple[int, int]] = Counter()
        self._lock = Lock()

    def __len__(self) -> int:
        """Number of cells that are left; of those that others may take as well, at most so many."""
        return len(self._put_back) + length_hint(self._source)

    def take(self) -> Cell | None:
        """Take the next cell; None when there is none."""
        with self._lock:
            return self._next()

    def take_batch(self, n_workers: int, after: Cell | None = None) -> list[Cell]:
        """Take consecutive cells for one of several workers; a single one as long as nothing is known of their seconds.

        The workers share what is left. A group is cut only where another worker would have nothing to do, and goes on with the
        worker that has measured the cell `after` which it comes.
        """
        with self._lock:
            if after is not None:
                self._bring_forward(after)
            most = math.ceil(len(self) / n_workers)
            mean = sum(self._seconds.values()) / len(self._seconds) if self._seconds else BATCH_SECONDS
            room = max(MIN_BATCH_SECONDS, min(BATCH_SECONDS, len(self) * mean / (BATCHES_PER_WORKER * n_workers)))
            room = room if self._seconds else 0.0
            batch: list[Cell] = []
            while (cell := self._next()) is not None:
                seconds = self._seconds.get((cell.dataset, cell.model), mean)
                is_within = bool(batch) and len(batch) < most and self._are_together(batch[-1], cell)
                if batch and not is_within and room < seconds / 2:  # without it the batch is nearer to its length
                    self._put_back.appendleft(cell)
                    break
                room -= seconds
                batch.append(cell)
            return batch

    def take_all(self) -> list[Cell]:
        """Take all cells that are left."""
        with self._lock:
            return list(iter(self._next, None))

    def put_back(self, cells: Iterable[Cell]) -> None:
        """Put cells that were taken and not measured in front of the others."""
        with self._lock:
            self._put_back.extendleft(reversed(list(cells)))

    def finish(self, batch: Sequence[Cell], seconds: Sequence[float]) -> list[Cell]:
        """Learn from as many cells of a batch as there are seconds, put the others back, and return those that were measured."""
        measured = list(batch[: len(seconds)])
        self.put_back(batch[len(seconds) :])
        for cell, each in zip(measured, seconds, strict=True):
            self.learn(cell, each)
        return measured

    def learn(self, cell: Cell, seconds: float) -> None:
        """Take the seconds of a measured cell into the estimate."""
        kind = cell.dataset, cell.model
        with self._lock:
            self._n_measured[kind] += 1
            weight = max(1 / self._n_measured[kind], MIN_WEIGHT)
            known = self._seconds.get(kind, 0.0)
            self._seconds[kind] = known + weight * (seconds - known)

    def seconds_left(self, running: Cell, elapsed: float) -> float:
        """Estimated seconds of one worker for what is left, given that a cell has been running for so many seconds by now.

        All models are taken to have the same share of what is left.
        """
        kind = running.dataset, running.model
        with self._lock:
            known = self._seconds | {kind: max(elapsed, self._seconds.get(kind, 0.0))}
            return len(self) * sum(known.values()) / len(known)

    def _bring_forward(self, after: Cell) -> None:
        """Put what is left of a cell's group, where some of it was put back, in front of the others."""
        mine = [cell for cell in self._put_back if self._are_together(after, cell)]
        if mine:
            others = [cell for cell in self._put_back if not self._are_together(after, cell)]
            self._put_back = deque([*mine, *others])

    def _are_together(self, one: Cell, other: Cell) -> bool:
        group = self._group(one) if self._group is not None else None
        return group is not None and self._group is not None and group == self._group(other)

    def _next(self) -> Cell | None:
        return self._put_back.popleft() if self._put_back else next(self._source, None)


class Payload(NamedTuple):
    """A packed workload as a worker is sent it: its pieces, or where they lie in a file."""

    pieces: tuple[bytes, ...]
    path: str = ""
    spans: tuple[tuple[int, int], ...] = ()

    def unpack(self) -> Workload:
        """Read the workload in another process; its arrays are read-only, and in a file they are shared by all workers."""
        pieces: Sequence[bytes | memoryview] = self.pieces
        if self.path:
            with Path(self.path).open("rb") as file:
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            pieces = [view[start : start + size] for start, size in self.spans]
        workload: Workload = pickle.loads(pieces[0], buffers=pieces[1:])  # noqa: S301  (from the process that started this one)
        return workload


class PackedWorkload:
    """A workload pickled once for all workers; nothing is copied nor written before a payload is asked for.

    Raises `InvalidPlanError` where it cannot be pickled.
    """

    def __init__(self, workload: Workload) -> None:
        self._pieces = pickled(workload)
        self._payload: Payload | None = None
        self._remove: weakref.finalize[[str, int], PackedWorkload] | None = None

    def payload(self) -> Payload:
        """Payload for each worker; the same for all."""
        if self._payload is None:
            small = sum(piece.nbytes for piece in self._pieces) < FILE_FROM_BYTES
            self._payload = Payload(tuple(map(bytes, self._pieces))) if small else self._write()
        return self._payload

    def close(self) -> None:
        """Remove the file; workers that hold it open may go on reading."""
        if self._remove is not None:
            self._remove()

    def _write(self) -> Payload:
        """Write all pieces into one file."""
        from joblib.externals.loky.backend import resource_tracker

        folder = tempfile.mkdtemp(prefix="tiebreak-", dir=_folder_for(sum(piece.nbytes for piece in self._pieces)))
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
        return Payload((), str(path), tuple(spans))


def pickled(workload: Workload) -> list[memoryview]:
    """Pickle of a workload, and the arrays that it refers to, which are not copied.

    Raises `InvalidPlanError` where it cannot be pickled.
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
            "Define what cannot be pickled in a module that can be imported, or measure in this process: ",
            Setting("n_jobs", "1"),
            ", no timeout.",
        ) from error
    return [memoryview(stream), *(buffer.raw() for buffer in buffers)]


def cloudpickle_dumps() -> Callable[..., bytes]:
    """Function that pickles functions and classes of notebooks too; `pickle.loads` reads its result."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps  # in old versions of joblib a copy of its own

    return cast("Callable[..., bytes]", dumps)


def _folder_for(size: int) -> str | None:
    """Folder that joblib's users want such files in, else memory if there is plenty, else the one for temporary files."""
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
