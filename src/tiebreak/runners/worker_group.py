"""Several worker processes at work on one backlog."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self

from tiebreak.errors import LostWorkersError
from tiebreak.plan.record import Cell, Outcome, State
from tiebreak.runners import processes as pool
from tiebreak.runners import worker
from tiebreak.runners.batch import BATCH_SECONDS, Backlog, Parcel
from tiebreak.runners.processes import WorkerProcess
from tiebreak.runners.worker import Failure, Report, Surroundings, failed, in_one_line

MAX_STARTS = 3
"""A place where so many processes in a row could not take over the work is closed."""

MAX_TRIES = 2
"""A cell that has cost so many processes their life while it was measured alone is given up."""

GRACE_SECONDS = 0.1
"""From giving a worker a cell until it has begun: a millisecond, on a crowded machine more."""


class Loss(NamedTuple):
    """Why there is no result."""

    state: State
    message: str
    traceback: str = ""


class Slot:
    """A place for one worker process at a time.

    Parameters
    ----------
    backlog : Backlog
        Where cells that a worker did not get to are put back, and measured seconds are noted.
    timeout : float or None
        Seconds for a cell.
    """

    def __init__(self, backlog: Backlog, timeout: float | None) -> None:
        self._backlog = backlog
        self._timeout = timeout
        self._process: WorkerProcess | None = None
        self._killed: WorkerProcess | None = None
        self._cells: list[Cell] = []
        self._tries: Counter[Cell] = Counter()
        self._failed_starts = 0
        self.future: Future[Any] | None = None
        self.deadline = float("inf")
        self.suspects: deque[Cell] = deque()
        self.loss: Loss | None = None

    @property
    def is_closed(self) -> bool:
        """Whether no process could be got to work here."""
        return self._failed_starts >= MAX_STARTS

    @property
    def is_vacant(self) -> bool:
        """Whether it is to be given a process."""
        return self._process is None and not self.is_closed

    @property
    def is_ready(self) -> bool:
        """Whether it has a process that waits for cells."""
        return self._process is not None and self.future is None

    @property
    def is_starting(self) -> bool:
        """Whether its process is taking over the workload."""
        return self.future is not None and not self._cells

    @property
    def is_measuring(self) -> bool:
        """Whether its process has cells."""
        return bool(self._cells)

    def engage(self, parcel: Parcel) -> None:
        """Get a process and send it the workload."""
        while self.is_vacant:
            self._process = pool.hire()
            try:
                self.future = self._process.call(worker.prepare, parcel.shipment(), Surroundings.of_this_process())
            except BrokenExecutor as error:  # it has died this moment
                self._started(_loss(self._process, error))

    def give(self, cells: list[Cell]) -> None:
        """Have cells measured."""
        if self._process is None:
            raise RuntimeError("a place without a process was given cells")
        try:
            self.future = self._process.call(worker.measure, cells, BATCH_SECONDS)
        except BrokenExecutor:  # it has died while it waited, which is nobody's fault
            self._backlog.put_back(cells)
            self.retire()
            return
        self._cells = cells
        if self._timeout is not None:
            self.deadline = time.monotonic() + self._timeout + GRACE_SECONDS

    def collect(self) -> list[Outcome]:
        """What has come of it by now."""
        if self.future is None or self._process is None:
            return []
        if not self.future.done():
            return self._expired() if time.monotonic() >= self.deadline else []
        future, cells = self.future, self._cells
        self.future, self._cells, self.deadline = None, [], float("inf")
        error = future.exception()
        loss = None if error is None else _loss(self._process, error)
        if not cells:
            self._started(loss or future.result())
            return []
        return self._lost(cells, loss) if loss is not None else self._read(cells, future.result())

    def look_for_death(self) -> None:
        """Notice a busy process that has died and left children behind, or a waiting one that is of no use any more."""
        if self._process is None:
            return
        if self.future is not None:
            self._process.free_if_dead()
        elif not self._process.is_usable:
            self.retire()

    def retire(self) -> None:
        """Kill the process, if there is one, and drop what it was doing."""
        self.bury()  # the one before
        process, self._process = self._process, None
        self.future, self._cells, self.deadline = None, [], float("inf")
        if process is not None:
            pool.dismiss(process)
            self._killed = process

    def bury(self) -> None:
        """Wait until the last process that was killed is gone."""
        if self._killed is not None:
            self._killed.bury()
            self._killed = None

    def hand_back(self) -> Future[None] | None:
        """Leave the process to the next run; the future says when it has dropped this one's workload."""
        process, self._process = self._process, None
        self.future = None
        return None if process is None else pool.give_back(process)

    def _started(self, result: Failure | Loss | None) -> None:
        """Begin with a process that has taken over the workload, or try another."""
        if result is None:
            self._failed_starts = 0
            return
        self.retire()
        self._failed_starts += 1
        if isinstance(result, Failure):
            result = Loss("raised", *result)
        self.loss = result

    def _read(self, cells: list[Cell], report: Report) -> list[Outcome]:
        """The outcomes that a worker has sent."""
        measured = list(self._backlog.settle(cells, report.seconds))
        try:
            outcomes = worker.unpacked(report.outcomes)
        except Exception as error:
            outcome = failed(measured[0], error)
            return self._lost(measured, Loss(outcome.state, outcome.message, outcome.traceback))
        if self._tries:
            return [replace(outcome, attempts=outcome.attempts + self._tries[outcome.cell]) for outcome in outcomes]
        return outcomes

    def _expired(self) -> list[Outcome]:
        """The cell has used up its time."""
        [cell] = self._cells
        self.retire()
        return [Outcome(cell, "timed-out", message=f"no result after {self._timeout:g} s", attempts=1 + self._tries[cell])]

    def _lost(self, cells: list[Cell], loss: Loss) -> list[Outcome]:
        """Set the cells of a lost batch aside, to be measured alone; one that was alone is to blame."""
        self.retire()
        if len(cells) > 1:
            self.suspects.extend(cells)
            return []
        [cell] = cells
        self._tries[cell] += 1
        if loss.state == "killed" and self._tries[cell] < MAX_TRIES:
            self.suspects.append(cell)
            return []
        return [Outcome(cell, loss.state, message=loss.message, traceback=loss.traceback, attempts=self._tries[cell])]


def _loss(process: WorkerProcess, error: BaseException) -> Loss:
    """Why a call has failed."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    if isinstance(error, TerminatedWorkerError):
        return Loss("killed", process.bury())
    state: State = "out-of-memory" if isinstance(error, MemoryError) else "raised"
    return Loss(state, in_one_line(error), str(error.__cause__ or ""))


LOOK_SECONDS = 5.0
"""How often to look for processes whose death is hidden by children that they have left behind."""

RELEASE_SECONDS = 2.0


class Crew:
    """Hands batches out and collects their outcomes; a worker that dies or exceeds the time is replaced.

    Parameters
    ----------
    parcel : Parcel
        The workload, closed at the end.
    backlog : Backlog
    n_workers : int
    timeout : float or None
        Seconds for a cell; then each batch is one cell.
    """

    def __init__(self, parcel: Parcel, backlog: Backlog, n_workers: int, timeout: float | None) -> None:
        self._parcel = parcel
        self._backlog = backlog
        self._timeout = timeout
        self._slots = [Slot(backlog, timeout) for _ in range(n_workers)]

    def outcomes(self) -> Iterator[list[Outcome]]:
        """All that is left of the backlog, measured; what several workers have ready is handed over together."""
        while True:
            self.hand_out()
            busy = [slot for slot in self._slots if slot.future is not None]
            if not busy:
                break
            soonest = min(slot.deadline for slot in busy) - time.monotonic()
            done, _ = wait([slot.future for slot in busy if slot.future], max(0.0, min(soonest, LOOK_SECONDS)), FIRST_COMPLETED)
            if not done:
                self._look_for_deaths()
            outcomes = [outcome for slot in busy for outcome in slot.collect()]
            if outcomes:
                yield outcomes
        if outcomes := self._given_up():
            yield outcomes

    def hand_out(self) -> None:
        """Give cells to all workers that wait for some, and get workers for the places that lack one."""
        self._look_for_deaths()
        self._pass_suspects_on()
        for slot in self._slots:
            if slot.is_ready:
                if slot.suspects:
                    slot.give([slot.suspects.popleft()])
                elif batch := self._next_batch():
                    slot.give(batch)
        n_wanted = len(self._backlog) - len(self.starting())
        for slot in self._slots:
            if slot.is_vacant and (slot.suspects or n_wanted > 0):
                slot.engage(self._parcel)
                n_wanted -= 1

    def starting(self) -> list[Future[Any]]:
        """Of those workers that are not at work yet; done when they could be."""
        return [slot.future for slot in self._slots if slot.is_starting and slot.future is not None]

    def welcome(self) -> bool:
        """See which workers have started, without collecting outcomes; whether there are any."""
        for slot in self._slots:
            if slot.is_starting:
                slot.collect()
        return any(slot.is_ready for slot in self._slots)

    def _next_batch(self) -> list[Any]:
        """What the next worker is to measure."""
        if self._timeout is None:
            return self._backlog.take_batch(sum(not slot.is_closed for slot in self._slots))
        cell = self._backlog.take_one()
        return [] if cell is None else [cell]

    def _pass_suspects_on(self) -> None:
        """What was to be tried again in a place that is closed by now is tried in another."""
        open_slot = next((slot for slot in self._slots if not slot.is_closed), None)
        for slot in self._slots:
            if slot.is_closed and open_slot is not None:
                open_slot.suspects.extend(slot.suspects)
                slot.suspects.clear()

    def _look_for_deaths(self) -> None:
        for slot in self._slots:
            slot.look_for_death()

    def _given_up(self) -> list[Outcome]:
        """Outcomes of what nobody could be got to measure.

        Raises
        ------
        LostWorkersError
            The processes died as they started: that is no property of any cell, and may be better next time.
        """
        cells = [cell for slot in self._slots for cell in slot.suspects] + self._backlog.take_all()
        if not cells:
            return []
        loss = next(slot.loss for slot in self._slots if slot.loss is not None)
        if loss.state == "killed":
            raise LostWorkersError(
                f"No worker process could be started for the remaining {len(cells)} cells: {loss.message}. "
                "Make room on this machine or lower n_jobs, and run the same again to go on."
            )
        message = f"no worker process could take over the work: {loss.message}"
        return [Outcome(cell, loss.state, message=message, traceback=loss.traceback) for cell in cells]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Kill whoever is at work still, and leave the others to the next run."""
        for slot in self._slots:
            if slot.is_measuring or (slot.is_starting and kind is not None):
                slot.retire()
        released = [future for slot in self._slots if (future := slot.hand_back()) is not None]
        for slot in self._slots:
            slot.bury()
        if sys.platform == "win32":  # where a file cannot be removed while someone reads it
            wait(released, RELEASE_SECONDS)
        self._parcel.close()
