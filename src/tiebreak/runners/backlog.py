"""The cells that nobody has taken yet, how long they will take, and how many of them make a batch."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from operator import length_hint
from threading import Lock

from tiebreak.plan.outcome import Cell

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
