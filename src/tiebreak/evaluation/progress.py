"""Progress of a run, for whoever shows it."""

from dataclasses import dataclass


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
