"""Contract of runners, and of the work that they are given; the outcome of a cell that ended with an exception."""

import traceback
from collections.abc import Generator, Hashable, Iterable
from typing import Protocol

from tiebreak.plan.fingerprint import parsed
from tiebreak.plan.record import Cell, Outcome, State

BATCH_SECONDS = 0.2
"""Seconds of work in a batch: what may be lost when everything is killed."""


class Workload(Protocol):
    """The work of a run. It can be sent to another process by cloudpickle.

    Measuring one cell does not depend on which others are measured beside it, before it, or where.
    """

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score; whatever a model raises (but for KeyboardInterrupt and the like) becomes an outcome.

        Cells of the same dataset and split that follow one another share their slices of the data.
        """

    def group(self, cell: Cell) -> Hashable | None:
        """Key of the cells that share work where one process measures them one after the other; None for a cell on its own.

        Cells of a group follow one another.
        """


class Runner(Protocol):
    """Measures cells somewhere and hands the outcomes over as they come."""

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Generator[list[Outcome], None, None]:
        """Measure each cell that was taken, once, and yield the outcomes in batches that are to be recorded together.

        A batch holds what one worker measured at a stretch, about 0.2 s of work, or what several did. A worker is given
        more only after the consumer has asked for the next batch, so that at a kill at most one batch of each worker is
        lost. When the iterator is closed or an exception goes through it, no process is left at work; a consumer that may
        stop early or fail closes it (``contextlib.closing``), rather than wait until it is collected.

        Parameters
        ----------
        workload : Workload
        cells : iterable of Cell
            In the order of the plan: cells of the same split follow one another. It is taken from only when there is a worker
            for a cell, as other processes may take cells of the same run, and it may end early for that reason.
            `operator.length_hint` says how many there are at most.
        """


LONGEST_MESSAGE = 1_000
LONGEST_TRACEBACK = 20_000


def failed(cell: Cell, error: BaseException, seed: int | None = None) -> Outcome:
    """Outcome of a cell that ended with an exception."""
    state: State = "out-of-memory" if isinstance(error, MemoryError) else "raised"
    text = "".join(parsed(traceback.format_exception, error))  # Python parses the lines that it shows
    if len(text) > LONGEST_TRACEBACK:
        text = f"{text[: LONGEST_TRACEBACK // 4]}\n[...]\n{text[-3 * LONGEST_TRACEBACK // 4 :]}"
    return Outcome(cell, state, seed=seed, message=in_one_line(error), traceback=text)


def in_one_line(error: BaseException) -> str:
    """Exception as a message shows it: "ValueError: the input holds NaN"."""
    try:
        what = " ".join(str(error).split())
    except Exception:  # an error whose own text fails
        what = "(its text cannot be read)"
    text = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 3]}..."
