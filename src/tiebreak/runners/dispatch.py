"""One loop that hands cells out to the workers of any pool, and collects their outcomes."""

from __future__ import annotations

import math
import re
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from operator import length_hint
from typing import Any, NamedTuple, Protocol

from tiebreak.errors import LostWorkersError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.failures import failed, in_one_line
from tiebreak.runners.worker import Unfit, unpacked

MAX_DEATHS = 2
"""A cell under which so many workers have died while they measured it alone is given up."""

MAX_STARTS = 3
"""A worker that has died so often while it took the workload over is given up."""

BATCHES_PER_WORKER = 4
"""A batch is at most this part of what is left for each worker, so that all end at about the same time."""

GRACE_SECONDS = 0.1
"""From assigning a cell until it has begun: a millisecond, on a crowded machine more."""

CHECK_SECONDS = 1.0
"""Seconds between two looks for workers that are gone without a word."""

GO_ON = "What was measured until then is kept where there is a store; the same call goes on from there."


class Pool(Protocol):
    """Workers, by a name each, that hold one workload."""

    lost: tuple[type[BaseException], ...]
    """What a call ends with whose worker has died."""

    def workers(self) -> Sequence[Hashable]:
        """Names of the workers that there are; raises `LostWorkersError` or `LostWorkersError` where there will be none."""

    def load(self, worker: Hashable) -> Future[Any]:
        """Have a worker take the workload over, as `worker.load`."""

    def measure(self, worker: Hashable, cells: Sequence[Cell]) -> Future[Any]:
        """Have it measure cells, as `worker.measure`."""

    def drop(self, worker: Hashable) -> None:
        """Let a worker go: nobody is at work on its call any more. Where it can be replaced, it is by the next call."""

    def refused(self, reason: str) -> Exception:
        """Error for a worker that lives, and cannot take the workload over."""

    def close(self) -> None:
        """Let go of all of them."""


class Call(NamedTuple):
    """A call that a worker is at work on; without cells it takes the workload over. It may take until `ends`."""

    worker: Hashable
    cells: list[Cell]
    ends: float


class Queue:
    """Cells that are left. A worker keeps to those of a group, which share work; one that has none takes from others.

    Cells are taken as late as possible: others may measure the same run, and each cell that was taken is this runner's.
    """

    def __init__(self, cells: Iterable[Cell], group: Callable[[Cell], Hashable | None], *, one_by_one: bool = False) -> None:
        self._source = iter(cells)
        self._group = group
        self._one_by_one = one_by_one
        self._next: Cell | None = None
        self._own: defaultdict[Hashable, deque[Cell]] = defaultdict(deque)
        self._alone: deque[Cell] = deque()
        self.size = 1

    def __len__(self) -> int:
        return sum(map(len, self._own.values())) + len(self._alone) + (self._next is not None) + length_hint(self._source)

    def take(self, worker: Hashable, n_workers: int) -> list[Cell]:
        """Cells for one of several workers; those to be measured alone come first."""
        if self._alone:
            return [self._alone.popleft()]
        most = 1 if self._one_by_one else max(1, min(self.size, math.ceil(len(self) / (BATCHES_PER_WORKER * n_workers))))
        own = self._own[worker]
        while (cell := self._look()) is not None and (len(own) < most or self._are_together(own[-1], cell)):
            own.append(cell)
            self._next = None
        if not own and (longest := max(self._own.values(), key=len)):
            own.extendleft([longest.pop() for _ in range(math.ceil(len(longest) / 2))])
        n = min(most, len(own))
        while not self._one_by_one and n < len(own) and self._are_together(own[n - 1], own[n]):
            n += 1
        return [own.popleft() for _ in range(n)]

    def put_back(self, worker: Hashable, cells: Sequence[Cell], *, alone: bool = False) -> None:
        """Cells that a worker did not get to, or that are to be measured again, each alone."""
        if alone:
            self._alone.extend(cells)
        else:
            self._own[worker].extendleft(reversed(cells))

    def _look(self) -> Cell | None:
        if self._next is None:
            self._next = next(self._source, None)
        return self._next

    def _are_together(self, one: Cell, other: Cell | None) -> bool:
        return other is not None and (group := self._group(one)) is not None and group == self._group(other)


class Dispatch:
    """Measures each cell once: a cell under which a worker died twice, alone, is to blame, and nobody else.

    `group` gives cells that share work the same key, and None to others. With a `timeout`, in seconds, each call is one cell.
    """

    def __init__(
        self, pool: Pool, cells: Iterable[Cell], group: Callable[[Cell], Hashable | None], timeout: float | None = None
    ) -> None:
        self._pool = pool
        self._queue = Queue(cells, group, one_by_one=timeout is not None)
        self._timeout = timeout
        self._calls: dict[Future[Any], Call] = {}
        self._ready: set[Hashable] = set()
        self._workers: Sequence[Hashable] = ()
        self._starts: Counter[Hashable] = Counter()
        self._n_lost_starts = 0
        self._deaths: Counter[Cell] = Counter()

    def outcomes(self) -> Generator[list[Outcome], None, None]:
        """Outcomes as they come; what several workers have ready comes together.

        Raises `LostWorkersError` where no worker is left, and what the pool raises.
        """
        try:
            while True:
                found = self._hand_out()
                if self._calls:
                    soonest = min(call.ends for call in self._calls.values()) - time.monotonic()
                    done, _ = wait(self._calls, max(0.0, min(soonest, CHECK_SECONDS)), FIRST_COMPLETED)
                    for future in done:
                        found += self._read(future, self._calls.pop(future))
                    found += self._expired()
                if found:
                    yield found
                elif not self._calls and not len(self._queue):
                    return
        finally:
            self._pool.close()

    def _hand_out(self) -> list[Outcome]:
        """Give every worker that waits something to do; outcomes of cells whose workers are gone."""
        workers = self._workers = self._pool.workers()
        found: list[Outcome] = []
        for future, call in list(self._calls.items()):
            if call.worker not in workers:
                del self._calls[future]
                found += self._lost(call, "it is gone")
        self._ready &= set(workers)
        usable = [each for each in workers if self._starts[each] < MAX_STARTS]
        busy = {call.worker for call in self._calls.values()}
        n_starting = len(busy - self._ready)
        for worker in usable:
            if worker in busy:
                continue
            if worker not in self._ready:
                if len(self._queue) > n_starting:
                    n_starting += 1
                    self._call(worker, [], math.inf)
            elif cells := self._queue.take(worker, len(usable)):
                self._call(worker, cells, math.inf if self._timeout is None else time.monotonic() + self._timeout + GRACE_SECONDS)
        return found

    def _call(self, worker: Hashable, cells: list[Cell], ends: float) -> None:
        try:
            future = self._pool.measure(worker, cells) if cells else self._pool.load(worker)
        except self._pool.lost as error:  # it has died while it waited, of which no cell is the cause
            self._queue.put_back(worker, cells)
            self._lost(Call(worker, [], ends), in_words(error))
        else:
            self._calls[future] = Call(worker, cells, ends)

    def _read(self, future: Future[Any], call: Call) -> list[Outcome]:
        """Outcomes of a call that has ended."""
        error = CancelledError() if future.cancelled() else future.exception()
        if isinstance(error, self._pool.lost) or (isinstance(error, MemoryError) and not call.cells):
            return self._lost(call, in_words(error))
        if not call.cells:
            answer = Unfit(in_one_line(error)) if error is not None else future.result()
            if isinstance(answer, Unfit):
                raise self._pool.refused(answer.reason) from error
            self._ready.add(call.worker)
            self._starts[call.worker] = self._n_lost_starts = 0
            return []
        try:
            if error is not None:
                raise error
            report = future.result()
            if isinstance(report, Unfit):
                raise self._pool.refused(report.reason)
            outcomes = unpacked(report.outcomes)
        except LostWorkersError:
            raise
        except Exception as problem:  # what cannot be sent, or be read here
            if len(call.cells) == 1:
                return [failed(call.cells[0], problem)]
            self._queue.put_back(call.worker, call.cells, alone=True)
            return []
        rest = call.cells[len(outcomes) :]
        self._queue.size = max(1, len(outcomes)) if rest else max(self._queue.size, 2 * len(outcomes))
        if report.interrupt:
            raise KeyboardInterrupt(f"a model raised it in a worker process: {report.interrupt}")
        self._queue.put_back(call.worker, rest)
        return [replace(each, attempts=each.attempts + n) if (n := self._deaths[each.cell]) else each for each in outcomes]

    def _lost(self, call: Call, reason: str) -> list[Outcome]:
        """Set the cells of a lost call aside, to be measured alone; one that was alone is the cause."""
        self._let_go(call.worker)
        if not call.cells:
            self._starts[call.worker] += 1
            self._n_lost_starts += 1
            given_up = all(self._starts[each] >= MAX_STARTS for each in self._workers)
            if given_up or self._n_lost_starts >= MAX_STARTS * len(self._workers):
                raise LostWorkersError(
                    f"No worker could take over models and data for the remaining {len(self._queue)} cells: {reason}. Make room "
                    f"there or have fewer workers. {GO_ON}"
                )
            return []
        if len(call.cells) > 1:
            self._queue.put_back(call.worker, call.cells, alone=True)
            return []
        [cell] = call.cells
        self._deaths[cell] += 1
        if self._deaths[cell] < MAX_DEATHS:
            self._queue.put_back(call.worker, [cell], alone=True)
            return []
        message = f"{MAX_DEATHS} workers died while they measured this cell and nothing else: {reason}"
        return [Outcome(cell, "killed", message=message, attempts=MAX_DEATHS)]

    def _expired(self) -> list[Outcome]:
        """Outcomes of cells that have used up their time."""
        late = [(future, call) for future, call in self._calls.items() if time.monotonic() >= call.ends and not future.done()]
        found = []
        for future, call in late:
            del self._calls[future]
            self._let_go(call.worker)
            [cell] = call.cells
            message = f"no result after {self._timeout:g} s"
            found.append(Outcome(cell, "timed-out", message=message, attempts=1 + self._deaths[cell]))
        return found

    def _let_go(self, worker: Hashable) -> None:
        self._ready.discard(worker)
        self._pool.drop(worker)


def in_words(error: BaseException) -> str:
    """Death of a worker in words: with its exit code, or its signal, where that is known."""
    code = re.search(r"exit codes of the workers are \{(.*?)\}", str(error))
    if code is None:
        return "it is gone" if isinstance(error, CancelledError) else in_one_line(error)
    return f"{code[1]}; often that is the system, out of memory" if "SIGKILL" in code[1] else code[1]
