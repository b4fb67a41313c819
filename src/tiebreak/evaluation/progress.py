"""Progress of a run, for whoever shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.plan.record import Cell, Outcome

if TYPE_CHECKING:
    from tiebreak.stores.contract import RunLog


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


@dataclass(frozen=True, slots=True)
class Sharing:
    """Record of leading steps of pipelines that several models have in common, in one call.

    Attributes
    ----------
    n_shared : int
        Cells whose leading steps, or some of them, were fitted by another model's.
    seconds : float
        Of fits and transforms that were saved.
    """

    n_shared: int = 0
    seconds: float = 0.0

    def with_outcomes(self, outcomes: Sequence[Outcome]) -> Sharing:
        """Record of shared steps with further outcomes."""
        saved = [each.saved_seconds for each in outcomes if each.saved_seconds is not None]
        return Sharing(self.n_shared + len(saved), self.seconds + sum(saved)) if saved else self


NOTHING_SHARED = Sharing()


class Tracker:
    """Counts outcomes of the cells that are to be measured now, and reports at most ten times a second."""

    def __init__(self, log: RunLog, missing: Sequence[Cell], report: Callable[[Progress], object] | None) -> None:
        self._record = log.record
        self._report = report
        self._begun = self._reported = time.monotonic()
        self.n_missing = len(missing)
        """Cells that are to be measured in this call."""
        self.n_measured = 0
        self.sharing = NOTHING_SHARED
        self._n_elsewhere = 0
        self._n_failed = 0
        if report is None:
            return
        table, again = log.table(), set(missing)
        failed = np.flatnonzero(table.state)
        cells = zip(table.dataset[failed].tolist(), table.split[failed].tolist(), table.model[failed].tolist(), strict=True)
        self._n_failed = sum(cell not in again for cell in cells)

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """These outcomes are kept."""
        self.n_measured += len(outcomes)
        self.sharing = self.sharing.with_outcomes(outcomes)
        if self._report is None:
            return
        self._n_failed += sum(not outcome.is_done for outcome in outcomes)
        if time.monotonic() - self._reported >= 0.1:
            self.report()

    def wait(self, seconds: float, outcomes: Sequence[Outcome], n_elsewhere: int) -> None:
        """Others measure what is left: these outcomes are known by now, and so many cells are waited for."""
        self.add(outcomes)
        if n_elsewhere != self._n_elsewhere:
            self._n_elsewhere = n_elsewhere
            self.report()
        time.sleep(seconds)

    def report(self, *, is_finished: bool = False) -> None:
        """Tell whoever listens where the run stands, or that this was all."""
        if self._report is None:
            return
        self._reported = time.monotonic()
        seconds = self._reported - self._begun
        rate = self.n_measured / seconds if seconds > 0 else 0.0
        left = (self.n_missing - self.n_measured) / rate if rate else float("nan")
        n_cells, n_before = self._record.n_cells, self._record.n_cells - self.n_missing
        n_done = n_before + self.n_measured - self._n_failed
        moment = Progress(
            self._record.name,
            n_cells,
            n_done,
            self._n_failed,
            n_before,
            seconds,
            rate,
            left,
            is_finished,
            0 if is_finished else self._n_elsewhere,
        )
        self._report(moment)

    def how_to_go_on(self, url: str) -> str:
        """Advice after an interruption: what is kept, and how to go on."""
        kept = self._record.n_cells - self.n_missing + self.n_measured
        if not url:
            return "Nothing was kept; with store='sqlite:///runs.db', evaluate would go on from here."
        run = f"run {self._record.name!r}"
        return f"{kept} of {self._record.n_cells} cells of {run} are kept in {url}; the same call goes on from there."
