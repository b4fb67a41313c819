"""The cells that nobody has taken yet, how long they will take, and how many of them make a batch."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
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
    cells : sequence of Cell
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = deque(cells)
        self._waiting = Counter(_kind(cell) for cell in cells)
        self._seconds: dict[Kind, float] = {}
        self._n_measured: Counter[Kind] = Counter()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._cells)

    def take_one(self) -> Cell | None:
        """The next cell; None when there is none."""
        with self._lock:
            return self._pop() if self._cells else None

    def take_batch(self, n_workers: int) -> list[Cell]:
        """Consecutive cells for one of several workers; a single one as long as nothing is known of their seconds.

        Parameters
        ----------
        n_workers : int
            Among how many the rest is shared.
        """
        with self._lock:
            if not self._cells:
                return []
            usual = self._usual_seconds()
            if usual is None:
                return [self._pop()]
            room = max(LEAST_SECONDS, min(BATCH_SECONDS, self._rest(usual, {}) / (SHARES * n_workers)))
            batch: list[Cell] = []
            while self._cells:
                seconds = self._seconds.get(_kind(self._cells[0]), usual)
                if batch and room < seconds / 2:  # without it the batch is nearer to its length
                    break
                room -= seconds
                batch.append(self._pop())
            return batch

    def take_all(self) -> list[Cell]:
        """Whatever is left."""
        with self._lock:
            return [self._pop() for _ in range(len(self._cells))]

    def put_back(self, cells: Iterable[Cell]) -> None:
        """Cells that were taken and not measured are the next again."""
        with self._lock:
            cells = list(cells)
            self._cells.extendleft(reversed(cells))
            self._waiting.update(map(_kind, cells))

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

        A kind of model that was never measured is taken to need as long as the others do on average.
        """
        kind = _kind(running)
        with self._lock:
            at_least = {kind: max(elapsed, self._seconds.get(kind, 0.0))}
            known = self._seconds | at_least
            return self._rest(sum(known.values()) / len(known), at_least)

    def _pop(self) -> Cell:
        """Take the next cell."""
        cell = self._cells.popleft()
        self._waiting[_kind(cell)] -= 1
        return cell

    def _usual_seconds(self) -> float | None:
        """Mean over the kinds that were measured."""
        return sum(self._seconds.values()) / len(self._seconds) if self._seconds else None

    def _rest(self, usual: float, at_least: dict[Kind, float]) -> float:
        """Seconds of all the cells that are left."""
        known = self._seconds | at_least
        return sum(n * known.get(kind, usual) for kind, n in self._waiting.items())


def _kind(cell: Cell) -> Kind:
    """Which cells it is like."""
    return cell.dataset, cell.model
