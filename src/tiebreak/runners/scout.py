"""Measuring in this process until worker processes have been worth their start."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import Self

from tiebreak.plan.outcome import Cell
from tiebreak.runners.backlog import Backlog
from tiebreak.runners.crew import Crew

FIRST_LOOK_SECONDS = 0.3
LOOK_SECONDS = 0.1

START_SECONDS = 1.5
"""How long worker processes take to start: imports, mostly."""


def pays(rest_seconds: float, n_workers: int) -> bool:
    """Whether the rest is done sooner by workers that have yet to be started."""
    return rest_seconds > rest_seconds / n_workers + START_SECONDS


class Scout:
    """Looks over the shoulder of this process while it measures, and calls the crew when that pays.

    It runs in a thread of its own, because the first fit may take minutes: meanwhile the workers start, and each is
    given a first batch. This process goes on until one of them is ready.

    Parameters
    ----------
    backlog : Backlog
    crew : Crew
    n_workers : int
    """

    def __init__(self, backlog: Backlog, crew: Crew, n_workers: int) -> None:
        self._backlog = backlog
        self._crew = crew
        self._n_workers = n_workers
        self._running: tuple[Cell, float] | None = None
        self._is_relieved = False
        self._error: BaseException | None = None
        self._finished: Future[None] = Future()
        self._thread = threading.Thread(target=self._watch, name="tiebreak-scout", daemon=True)

    def cells(self) -> Iterator[Cell]:
        """What this process is to measure."""
        while not self._is_relieved and (cell := self._backlog.take_one()) is not None:
            began = time.perf_counter()
            self._running = cell, began
            yield cell
            self._backlog.note(cell, time.perf_counter() - began)
        self._running = None

    def _watch(self) -> None:
        """Call the crew as soon as that pays."""
        try:
            wait([self._finished], FIRST_LOOK_SECONDS)
            while not self._finished.done():
                if self._pays():
                    self._call_crew()
                    return
                wait([self._finished], LOOK_SECONDS)
        except BaseException as error:  # raised again where the run can end with it
            self._error = error
            self._is_relieved = True

    def _pays(self) -> bool:
        """Whether worker processes would be done sooner with what is left."""
        running = self._running
        if running is None or not (n_left := len(self._backlog)):
            return False
        cell, began = running
        rest = self._backlog.rest_seconds(cell, time.perf_counter() - began)
        return pays(rest, min(self._n_workers, n_left))

    def _call_crew(self) -> None:
        """Start the workers and give each its first batch."""
        self._crew.hand_out()
        while not self._finished.done() and (starting := self._crew.starting()):
            wait([self._finished, *starting], return_when=FIRST_COMPLETED)
            if self._crew.welcome():
                self._is_relieved = True
            self._crew.hand_out()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._finished.set_result(None)
        self._thread.join()
        if self._error is not None and kind is None:
            raise self._error
