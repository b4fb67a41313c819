"""A run of ``tiebreak run`` that is killed and started again; more kills: `POINTS`."""

import contextlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import tiebreak as tb
from tests.reliability import POINTS
from tests.reliability.study import bits

GRACE = 60.0
"""Seconds after which a process is one that was left behind."""

STUDY = """\
name = "sharing"
metrics = ["roc_auc", "accuracy"]

[data]
source = "sklearn:breast_cancer"

[cv]
kind = "repeated-stratified"
n_folds = 5
n_repeats = 3

[models.svm]
steps = [
    { import = "sklearn.preprocessing:StandardScaler" },
    { import = "sklearn.preprocessing:PolynomialFeatures" },
    { import = "sklearn.decomposition:PCA", params = { random_state = 0 } },
    { import = "sklearn.svm:SVC" },
]
grid = { pca__n_components = [5, 10], svc__C = [0.1, 1.0, 10.0] }
"""
"""Six candidates with leading steps in common, whose fitted tables the workers hold."""


def start(folder: Path, store: str) -> subprocess.Popen[bytes]:
    """The run as a user would type it, in a session of its own."""
    command = [sys.executable, "-m", "tiebreak", "run", "study.toml", "--store", f"sqlite:///{store}", "--n-jobs", "2"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([*command, "--quiet"], cwd=folder, start_new_session=True, **silent)


def members(session: int) -> list[psutil.Process]:
    """Processes of a session that are not merely waiting to be reaped."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def kept(folder: Path, store: str) -> set[tuple[int, int, int]]:
    """Cells that are in a store; none where the run was killed before it was begun."""
    try:
        return set(bits(f"sqlite:///{folder / store}"))
    except (tb.errors.StoreError, tb.errors.UnknownNameError):
        return set()


@pytest.mark.slow
def test_a_study_survives_kills(tmp_path: Path) -> None:
    """No process is left behind, what was in the store stays there, and the last table is the undisturbed one bit for bit."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    begun = time.monotonic()
    assert start(tmp_path, "undisturbed.db").wait() == 0
    seconds, rng, cells = time.monotonic() - begun, random.Random(sys.hexversion), set[tuple[int, int, int]]()
    for number in range(POINTS):
        store = f"runs {number // 3}.db"  # after some kills nothing is left to do
        before = cells if number % 3 else set()
        process = start(tmp_path, store)
        time.sleep(rng.uniform(0.2, 0.7) * seconds)
        process.kill()
        process.wait()
        until = time.monotonic() + GRACE
        while left := members(process.pid):
            assert time.monotonic() < until, left
            time.sleep(0.05)
        cells = kept(tmp_path, store)
        assert before <= cells
    assert start(tmp_path, store).wait() == 0
    assert bits(f"sqlite:///{tmp_path / store}") == bits(f"sqlite:///{tmp_path / 'undisturbed.db'}")
