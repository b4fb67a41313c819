"""A run that is killed and started again."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.reliability.kills import sharing_study, torment

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_survives_three_kills(tmp_path: Path):
    """Bit-equal to an undisturbed run, no process left after 5 s, and no worker loses more than one task."""
    toll = torment(tmp_path, n_kills=3, n_jobs=2, rng=random.Random(sys.hexversion))
    assert toll.n_kills == 3
    assert toll.is_equal
    assert toll.left == []
    assert toll.is_as_promised, toll.lost


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_that_shares_leading_steps_survives_three_kills(tmp_path: Path):
    """The next worker fits anew what the killed one held, and everything is bit-equal."""
    toll = torment(tmp_path, n_kills=3, n_jobs=2, rng=random.Random(31), study=sharing_study(tmp_path))
    assert toll.n_kills == 3
    assert toll.is_equal
    assert toll.left == []
    assert toll.is_as_promised, toll.lost
