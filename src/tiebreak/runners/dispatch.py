"""One loop that hands cells out to the workers of any pool, and collects their outcomes."""

from __future__ import annotations

import math
import pickle
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.errors import LostWorkersError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.worker import Unfit, failed, in_one_line

if TYPE_CHECKING:
    from tiebreak.runners.dask import DaskPool
    from tiebreak.runners.local import LocalPool

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


class Call(NamedTuple):
    """A call that a worker is at work on; without cells it takes the workload over. It may take until `ends`."""

    worker: Hashable
    cells: list[Cell]
    ends: float


class Dispatch:
    """Measures each cell once: a cell under which a worker died twice, alone, is to blame, and nobody else.

    A `pool` has `workers()`, the names of those that there are. `submit(worker, cells)` has one measure cells, as
    `worker.measure`; without cells it takes the workload over. A call whose worker has died ends with one of `lost`. After
    `drop(worker)` nobody is at work on its call any more, and where it can be replaced, it is by the next call.
    `refused(worker, reason)` is the error for one that lives, and cannot take the workload over; `close()` lets go of all.

    `group` gives cells that share work the same key, and None to others: a worker keeps to those of a group, and one that has
    none takes from others. Cells are taken as late as possible, as others may measure the same run. With a `timeout`, in seconds,
    each call is one cell.
    """

    def __init__(
        self,
        pool: LocalPool | DaskPool,
        cells: Iterable[Cell],
        group: Callable[[Cell], Hashable | None],
        timeout: float | None = None,
    ) -> None:
        self._pool, self._group, self._timeout = pool, group, timeout
        self._source = iter(cells)
        self._ahead: list[Cell] = []  # the one that was looked at last
        self._own: dict[Hashable, list[Cell]] = {}  # what a worker was given and did not get to
        self._alone: deque[Cell] = deque()
        self._size = 1
        self._calls: dict[Future[Any], Call] = {}
        self._ready: set[Hashable] = set()
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
                if found:
                    yield found
                elif not self._calls and not self._n_left():
                    return
        finally:
            self._pool.close()

    # --- handing out --------------------------------------------------------------------------------------------------------

    def _hand_out(self) -> list[Outcome]:
        """Give every worker that waits something to do; outcomes of cells whose workers are gone, or whose time is used up."""
        workers = self._pool.workers()
        found: list[Outcome] = []
        for future, call in list(self._calls.items()):
            if call.worker not in workers:
                del self._calls[future]
                found += self._lost(call, "it is gone")
            elif time.monotonic() >= call.ends and not future.done():
                del self._calls[future]
                self._let_go(call.worker)
                [cell], message = call.cells, f"no result after {self._timeout:g} s"
                found.append(Outcome(cell, "timed-out", message=message, attempts=1 + self._deaths[cell]))
        self._ready.intersection_update(workers)
        busy = {call.worker for call in self._calls.values()}
        usable = [each for each in workers if self._starts[each] < MAX_STARTS]
        for worker in (each for each in usable if each not in busy):
            if worker in self._ready:
                cells = self._take(worker, len(usable))
                ends = math.inf if self._timeout is None else time.monotonic() + self._timeout + GRACE_SECONDS
                if cells:
                    self._call(Call(worker, cells, ends))
            elif self._n_left() > sum(not call.cells for call in self._calls.values()):
                self._call(Call(worker, [], math.inf))
        return found

    def _call(self, call: Call) -> None:
        try:
            self._calls[self._pool.submit(call.worker, call.cells)] = call
        except self._pool.lost as error:  # it has died while it waited, of which no cell is the cause
            self._own[call.worker] = call.cells + self._own.get(call.worker, [])
            self._lost(call._replace(cells=[]), in_words(error))

    def _take(self, worker: Hashable, n_workers: int) -> list[Cell]:
        """Cells for one of several workers; those to be measured alone come first."""
        if self._alone:
            return [self._alone.popleft()]
        share = math.ceil(self._n_left() / (BATCHES_PER_WORKER * n_workers))
        most = 1 if self._timeout else max(1, min(self._size, share))
        own = self._own.pop(worker, []) or self._fresh(most)
        if not own and (longest := max(self._own.values(), key=len, default=[])):
            own, longest[:] = longest[len(longest) // 2 :], longest[: len(longest) // 2]
        self._own[worker] = own[most:]
        return own[:most]

    def _fresh(self, most: int) -> list[Cell]:
        """Cells that nobody has had, whole groups of them."""
        found, self._ahead = self._ahead, []
        for cell in self._source:
            group = self._group(cell)
            if len(found) >= most and (group is None or group != self._group(found[-1])):
                self._ahead = [cell]
                break
            found.append(cell)
        return found

    def _n_left(self) -> int:
        """Cells that are left, at most."""
        return sum(map(len, self._own.values())) + len(self._alone) + len(self._ahead) + length_hint(self._source)

    # --- collecting ---------------------------------------------------------------------------------------------------------

    def _read(self, future: Future[Any], call: Call) -> list[Outcome]:
        """Outcomes of a call that has ended."""
        try:
            packed, interrupt = future.result()
            outcomes: list[Outcome] = pickle.loads(packed)  # noqa: S301  (from a process that was given work)
        except self._pool.lost as error:
            return self._lost(call, in_words(error))
        except Exception as error:
            if isinstance(error, MemoryError) and not call.cells:
                return self._lost(call, in_words(error))
            if isinstance(error, Unfit) or not call.cells:
                raise self._pool.refused(call.worker, str(error) if isinstance(error, Unfit) else in_one_line(error)) from error
            if len(call.cells) == 1:  # its result cannot be sent, or be read here
                return [failed(call.cells[0], error)]
            self._alone.extend(call.cells)
            return []
        self._ready.add(call.worker)
        self._starts[call.worker] = self._n_lost_starts = 0
        rest = call.cells[len(outcomes) :]
        self._size = max(1, len(outcomes)) if rest else max(self._size, 2 * len(outcomes))
        if interrupt:
            raise KeyboardInterrupt(f"a model raised it in a worker process: {interrupt}")
        self._own[call.worker] = rest + self._own.get(call.worker, [])
        return [replace(each, attempts=each.attempts + n) if (n := self._deaths[each.cell]) else each for each in outcomes]

    def _lost(self, call: Call, reason: str) -> list[Outcome]:
        """Set the cells of a lost call aside, to be measured alone; one that was alone is the cause."""
        self._let_go(call.worker)
        if not call.cells:
            self._starts[call.worker] += 1
            self._n_lost_starts += 1  # since one took it over: workers that are replaced may have new names
            workers = self._pool.workers()
            if self._n_lost_starts >= MAX_STARTS * len(workers) or all(self._starts[each] >= MAX_STARTS for each in workers):
                raise LostWorkersError(
                    f"No worker could take over models and data for the remaining {self._n_left()} cells: {reason}. Make room "
                    f"there or have fewer workers. {GO_ON}"
                )
            return []
        if len(call.cells) == 1:
            [cell] = call.cells
            self._deaths[cell] += 1
            if self._deaths[cell] == MAX_DEATHS:
                message = f"{MAX_DEATHS} workers died while they measured this cell and nothing else: {reason}"
                return [Outcome(cell, "killed", message=message, attempts=MAX_DEATHS)]
        self._alone.extend(call.cells)
        return []

    def _let_go(self, worker: Hashable) -> None:
        self._ready.discard(worker)
        self._pool.drop(worker)


def in_words(error: BaseException) -> str:
    """Death of a worker in words: with its exit code, or its signal, where that is known."""
    code = re.search(r"exit codes of the workers are \{(.*?)\}", str(error))
    if code is None:
        return "it is gone" if isinstance(error, CancelledError) else in_one_line(error)
    return f"{code[1]}; often that is the system, out of memory" if "SIGKILL" in code[1] else code[1]
