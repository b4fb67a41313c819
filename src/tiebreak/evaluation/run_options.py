"""Options that all measuring functions share: where a run is kept, and how its cells are measured."""

from collections.abc import Callable
from typing import Any, Literal, TypedDict

from tiebreak.evaluation.progress import Progress


class Run(TypedDict, total=False):
    """Keywords of a run, which all measuring functions take: where it is kept, and how its cells are measured.

    Attributes
    ----------
    store : str, path or SqlStore
        ``"sqlite:///runs.db"``; not given: in memory, for this call only.
    name : str
        Of the run in the store; made from the data if not given.
    n_jobs : int, default 1
        Worker processes; -1 for all cores. They take about 1.5 s to start, once a call.
    runner : distributed.Client or str
        Measures on Dask instead: a client, or its scheduler's address (``"tcp://host:8786"``).
    threads_per_fit : "auto", int or None
        Threads of numerical libraries. "auto": 1 for data of up to a million numbers, else cores / workers; decided when a
        run begins, and kept. None leaves the libraries alone.
    share_steps : bool, default True
        Fit equal leading steps of pipelines once on each split, where that is known to change no score; see :doc:`/evaluating`.
    timeout : float
        Seconds after which a cell is given up.
    retry_failed, accept_versions : bool, default False
        Whether to measure again what failed before, and to go on with a run begun with other versions of the libraries.
    progress : bool or callable
        By default a bar on a terminal, if the run takes longer than two seconds. A callable is given a `Progress`.
    """

    store: Any
    name: str | None
    n_jobs: int
    runner: Any
    threads_per_fit: int | Literal["auto"] | None
    share_steps: bool
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    progress: bool | Callable[[Progress], object] | None
