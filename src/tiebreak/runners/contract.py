"""Contract of runners, and of the work that they are given."""

from collections.abc import Callable, Generator, Hashable, Iterable
from types import TracebackType
from typing import Protocol

from tiebreak.plan.record import Cell, Outcome


class Workload(Protocol):
    """The work of a run. It can be sent to another process by cloudpickle, and is entered there before it measures.

    Measuring one cell does not depend on which others are measured beside it, before it, or where.
    """

    def __enter__(self) -> object:
        """Set this process up for the work: threads, caches."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Leave the process as it was."""

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score; whatever a model raises (but for KeyboardInterrupt and the like) becomes an outcome.

        Cells of the same dataset and split that follow one another share their slices of the data.
        """


def group_of(workload: Workload) -> Callable[[Cell], Hashable | None]:
    """Method `group` of a workload, which a workload need not have.

    It gives the cells the same key that share work where one process measures them one after the other, and None to a cell on its
    own. Cells of a group follow one another.
    """
    return getattr(workload, "group", _no_group)


def _no_group(cell: Cell) -> None:
    """No cell shares work."""


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
