"""Several worker processes at work on one backlog."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import Any, Self

from tiebreak.errors import LostWorkersError
from tiebreak.plan.outcome import Outcome
from tiebreak.runners.backlog import Backlog
from tiebreak.runners.parcel import Parcel
from tiebreak.runners.slot import Slot

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
