"""Measuring in this process."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator

from tiebreak.plan.outcome import Cell, Outcome, State
from tiebreak.runners.backlog import BATCH_SECONDS
from tiebreak.runners.runner import Workload


def measure_here(
    workload: Workload, cells: Iterable[Cell], *, clock: Callable[[], float] = time.perf_counter
) -> Iterator[list[Outcome]]:
    """Measure one cell after the other; a batch is handed over as soon as `BATCH_SECONDS` have passed since it was begun.

    Parameters
    ----------
    workload : Workload
    cells : iterable of Cell
    clock : callable
        Gives seconds; for tests.

    Yields
    ------
    list of Outcome
        When KeyboardInterrupt or the like comes in between, first what was measured until then; it is raised at the next step.
    """
    batch: list[Outcome] = []
    with workload:
        closes = clock() + BATCH_SECONDS
        try:
            for cell in cells:
                batch.append(attempt(workload, cell))
                if clock() >= closes:
                    full, batch = batch, []
                    yield full
                    closes = clock() + BATCH_SECONDS
        except GeneratorExit:  # the consumer wants no more
            raise
        except BaseException:
            if batch:
                yield batch
            raise
    if batch:
        yield batch


def attempt(workload: Workload, cell: Cell) -> Outcome:
    """Measure a cell; should the workload itself raise, against its promise, that costs this one cell only."""
    try:
        return workload.measure(cell)
    except Exception as error:
        return failed(cell, error)


def failed(cell: Cell, error: BaseException) -> Outcome:
    """The outcome of a cell that ended with an exception."""
    state: State = "out-of-memory" if isinstance(error, MemoryError) else "raised"
    return Outcome(cell, state, message=in_one_line(error), traceback="".join(traceback.format_exception(error)))


def in_one_line(error: BaseException) -> str:
    """An exception as people are told of it: "ValueError: the input holds NaN"."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
