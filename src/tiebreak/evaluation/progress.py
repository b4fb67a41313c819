"""Progress of a run, for whoever shows it."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.plan.record import Outcome
from tiebreak.stores.log import SqlLog

PAUSE = 0.1
"""Seconds from one report to the next, at least."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run.

    Attributes
    ----------
    name : str
        Of the run.
    n_cells, n_done, n_failed : int
        Of the whole run: planned, measured, failed.
    n_before : int
        Cells that were there when this call began.
    seconds : float
        Since this call began, by a monotonic clock.
    cells_per_second : float
        Of this call; 0 before the first cell.
    seconds_left : float
        nan before the first cell.
    is_finished : bool
        Whether this is the last report.
    n_elsewhere : int
        Cells that are waited for, as other processes have taken them on and nothing else is left.
    """

    name: str
    n_cells: int
    n_done: int
    n_failed: int
    n_before: int
    seconds: float
    cells_per_second: float
    seconds_left: float
    is_finished: bool
    n_elsewhere: int = 0


class Tracker:
    """Counts the cells of a run as they are settled, and reports at most ten times a second.

    So many are missing when it begins, and so many have failed and are not measured again. `n_shared` of those that it counts
    took leading steps that another model had fitted.
    """

    def __init__(self, log: SqlLog, report: Callable[[Progress], object] | None, n_missing: int, n_failed: int) -> None:
        self._log, self._report = log, report
        self._begun = self._reported = time.monotonic()
        self._n_cells = log.record.n_cells
        self._n_settled = self._n_before = self._n_cells - n_missing
        self._n_failed, self._n_elsewhere, self.n_shared = n_failed, 0, 0
        self.report()

    def add(self, outcomes: Sequence[Outcome], n_elsewhere: int = 0) -> None:
        """These outcomes are kept, and so many cells are waited for, as others measure what is left."""
        self._n_settled += len(outcomes)
        self._n_failed += sum(not outcome.is_done for outcome in outcomes)
        self.n_shared += sum(outcome.is_shared for outcome in outcomes)
        is_due = n_elsewhere != self._n_elsewhere or time.monotonic() - self._reported >= PAUSE
        self._n_elsewhere = n_elsewhere
        if is_due:
            self.report()

    def report(self, *, is_finished: bool = False) -> None:
        """Tell whoever listens where the run stands, or that this was all."""
        if self._report is None:
            return
        self._reported = time.monotonic()
        seconds = self._reported - self._begun
        rate = (self._n_settled - self._n_before) / seconds if seconds > 0 else 0.0
        moment = Progress(
            name=self._log.record.name,
            n_cells=self._n_cells,
            n_done=self._n_settled - self._n_failed,
            n_failed=self._n_failed,
            n_before=self._n_before,
            seconds=seconds,
            cells_per_second=rate,
            seconds_left=(self._n_cells - self._n_settled) / rate if rate else float("nan"),
            is_finished=is_finished,
            n_elsewhere=0 if is_finished else self._n_elsewhere,
        )
        self._report(moment)

    def how_to_go_on(self, url: str) -> str:
        """Advice after an interruption: what is kept, and how to go on."""
        with suppress(TiebreakError):  # else what was counted; not what was being written meanwhile
            state = self._log.table().state
            self._n_settled, self._n_failed = state.size, int(np.count_nonzero(state))
        if not url:
            return "Nothing was kept; with store='sqlite:///runs.db', evaluate would go on from here."
        cells = f"{self._n_settled} of {self._n_cells} cells of run {self._log.record.name!r}"
        return f"{cells} are kept in {url}; the same call goes on from there."
