"""A run that is killed and started again."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.reliability.kills import sharing_study, torment

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_survives_two_kills(tmp_path: Path):
    """Bit-equal to an undisturbed run, no process left, no worker loses more than one task; workers hold shared heads."""
    toll = torment(tmp_path, n_kills=2, n_jobs=2, rng=random.Random(sys.hexversion), study=sharing_study(tmp_path))
    assert toll.n_kills == 2
    assert toll.is_equal
    assert toll.left == []
    assert toll.is_as_promised, toll.lost
