"""A run that is killed and started again."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.reliability.kills import torment

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_survives_three_kills(tmp_path: Path):
    """Bit-equal to an undisturbed run, no process left after 5 s, and no worker loses more than one task."""
    toll = torment(tmp_path, n_kills=3, n_jobs=2, rng=random.Random(sys.hexversion))
    assert toll.n_kills == 3
    assert toll.is_equal
    assert toll.left == []
    assert toll.is_as_promised, toll.lost


SHARING = """\
name = "sharing"
metrics = ["roc_auc", "accuracy"]

[data]
source = "sklearn:breast_cancer"

[cv]
kind = "repeated-stratified"
n_folds = 5
n_repeats = 6

[models.svm]
steps = [
    { import = "sklearn.preprocessing:StandardScaler" },
    { import = "sklearn.preprocessing:PolynomialFeatures" },
    { import = "sklearn.decomposition:PCA", params = { random_state = 0 } },
    { import = "sklearn.svm:SVC" },
]
grid = { pca__n_components = [5, 10], svc__C = [0.1, 1.0, 10.0] }
"""
"""Six candidates with leading steps in common, all of them up to the polynomials, three each up to the PCA."""


def sharing_study(folder: Path) -> Path:
    """Study whose workers always hold tables of leading steps."""
    path = folder / "sharing.toml"
    path.write_text(SHARING, encoding="utf-8")
    return path


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc, which this system does not have")
def test_a_study_that_shares_leading_steps_survives_three_kills(tmp_path: Path):
    """The next worker fits anew what the killed one held, and everything is bit-equal."""
    toll = torment(tmp_path, n_kills=3, n_jobs=2, rng=random.Random(31), study=sharing_study(tmp_path))
    assert toll.n_kills == 3
    assert toll.is_equal
    assert toll.left == []
    assert toll.is_as_promised, toll.lost
