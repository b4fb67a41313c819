"""The toll of `dask_kills` as a row of the table."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random

from tests.reliability.fault import Fault, Recipe, UnavailableError

NAME = "SIGKILL of Dask workers, and of the scheduler"


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """So many kills of workers, and one of the scheduler."""
    for module in ("distributed", "tests.reliability.dask_kills"):
        if importlib.util.find_spec(module) is None:
            raise UnavailableError(f"there is no {module} (pip install 'distributed>=2024.8')")
    from tests.reliability import dask_kills

    toll = dask_kills.torment(folder, n_points, rng)
    lost = toll.n_cells - toll.n_kept
    corrupt = (not toll.survived_workers) + (not toll.survived_scheduler)
    remark = f"{toll.n_twice} cells were measured twice, as their worker was killed before it had handed them over"
    return Fault(
        NAME,
        toll.n_kills + 1,
        toll.n_kept,
        lost,
        0,
        corrupt,
        toll.end_seconds,
        toll.n_kills + 1,
        () if toll.is_as_promised else (str(toll),),
        remark,
    )


RECIPE = Recipe(torment, n_small=3, n_release=20)
