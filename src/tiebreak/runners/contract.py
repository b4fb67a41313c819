"""Contract of the work that runners are given; the outcome of a cell that ended with an exception."""

import traceback
from collections.abc import Hashable
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
