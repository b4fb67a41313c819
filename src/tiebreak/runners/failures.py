"""Failures: the outcome of a cell that ended with an exception, and the exception in one line."""

import traceback

from tiebreak.plan.fingerprint import parsed
from tiebreak.plan.record import Cell, Outcome, State

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
