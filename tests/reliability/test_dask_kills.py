"""A run on Dask whose workers and whose scheduler are killed."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.reliability.dask_kills import torment

pytestmark = pytest.mark.slow

pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_survives_three_kills_of_workers_and_one_of_the_scheduler(tmp_path: Path) -> None:
    """Bit-equal to a run on this machine, a message within seconds, and finished with a new cluster; 20 kills: dask_kills.py."""
    toll = torment(tmp_path, n_kills=3, rng=random.Random(sys.hexversion), n_repeats=8)
    assert toll.is_as_promised, toll
    assert toll.n_kills == 3
