"""Several processes given the same study: they share its cells, and each ends with the whole."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb

FOLDER = Path(__file__).parents[2]

SCRIPT = """
import json, os, sys, time
import tiebreak as tb
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from tests.evaluation.test_sharing import Noting, study

url, seconds, n_jobs = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
input()
evaluation = tb.evaluate(**study(seconds), store=tb.SqlStore(url, lease_seconds=2), n_jobs=n_jobs, progress=None)
print(json.dumps(evaluation.scores().matrix().score.tolist()), flush=True)
"""


class Noting:
    """Predicts the more frequent class, and notes each fit in a file: the process, the model, and the training rows."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name = name
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Any:
        file = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(
            file, f"{os.getppid() if 'loky' in ' '.join(sys.argv) else os.getpid()} {self.name} {hash(X.tobytes())}\n".encode()
        )
        os.close(file)
        time.sleep(self.seconds)
        self.most_ = int(np.bincount(y).argmax())
        return self

    def predict(self, X: Any) -> Any:
        return np.where(X[:, 0] > 0, self.most_, 1 - self.most_)


def study(seconds: float) -> dict[str, Any]:
    """Three models on 16 splits."""
    from sklearn.datasets import make_classification
    from sklearn.model_selection import RepeatedStratifiedKFold

    X, y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)
    models = {name: Noting(name, seconds) for name in "abc"}
    return {
        "models": models,
        "X": X,
        "y": y,
        "cv": RepeatedStratifiedKFold(n_splits=4, n_repeats=4, random_state=0),
        "scoring": "accuracy",
        "name": "shared",
    }


class Together:
    """Processes at work on one study in one folder."""

    def __init__(self, folder: Path, n: int, seconds: float, n_jobs: int = 1) -> None:
        self.notes = folder / "notes.txt"
        path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "NOTES": str(self.notes), "PYTHONHASHSEED": "0"}
        arguments = [sys.executable, "-c", SCRIPT, f"sqlite:///{folder / 'runs.db'}", str(seconds), str(n_jobs)]
        self.processes = [
            subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
            for _ in range(n)
        ]
        assert [self.line(process) for process in self.processes] == ["ready"] * n
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()

    @staticmethod
    def line(process: subprocess.Popen[str]) -> str:
        """The next thing that it says."""
        assert process.stdout is not None
        return process.stdout.readline().rstrip()

    def fits(self) -> list[tuple[str, str]]:
        """Process and cell of each fit until now."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]

    def wait_for_fits(self, n: int) -> None:
        until = time.monotonic() + 30
        while len(self.fits()) < n:
            assert time.monotonic() < until
            time.sleep(0.01)


def stop_between_transactions(process: subprocess.Popen[str], path: Path) -> None:
    """Stop a process; one that holds the lock of the file at that moment would keep everybody from writing."""
    while True:
        process.send_signal(signal.SIGSTOP)
        with closing(sqlite3.connect(path, timeout=0.5, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                process.send_signal(signal.SIGCONT)
            else:
                connection.execute("ROLLBACK")
                return


@contextmanager
def together(*arguments: Any, **options: Any) -> Iterator[Together]:
    """The processes, which end with the block."""
    these = Together(*arguments, **options)
    try:
        yield these
    finally:
        for process in these.processes:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def alone() -> Any:
    """The scores of one process that measures everything itself."""
    os.environ["NOTES"] = os.devnull
    try:
        return tb.evaluate(**study(0.0)).scores().matrix().score.tolist()
    finally:
        del os.environ["NOTES"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_cell_is_measured_by_one_of_them(tmp_path: Path, alone: Any, n_jobs: int):
    """Three processes: 48 fits in all, more than one of them at work, and each gives the scores of one alone."""
    with together(tmp_path, 3, 0.05, n_jobs) as these:
        answers = [json.loads(these.line(process)) for process in these.processes]
        fits = these.fits()
    assert answers == [alone] * 3
    assert len(fits) == len({cell for _, cell in fits}) == 48
    assert len({process for process, _ in fits}) > 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_a_killed_one_had_begun_is_measured_by_the_other(tmp_path: Path, alone: Any):
    """Only the cells that it had not handed over are measured twice: what it does in 0.2 s, and the one at the kill."""
    with together(tmp_path, 2, 0.05) as these:
        these.wait_for_fits(10)
        these.processes[0].kill()
        answer = json.loads(these.line(these.processes[1]))
        fits = these.fits()
    assert answer == alone
    assert len({cell for _, cell in fits}) == 48
    assert len(fits) <= 48 + 5


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no SIGSTOP")
def test_one_that_is_stopped_past_its_lease_is_not_waited_for(tmp_path: Path, alone: Any):
    """Its cells are taken over after 2 s; when it goes on, its late results are refused, and nothing is kept twice."""
    with together(tmp_path, 2, 0.05) as these:
        these.wait_for_fits(10)
        stopped, other = these.processes
        stop_between_transactions(stopped, tmp_path / "runs.db")
        answer = json.loads(these.line(other))
        stopped.send_signal(signal.SIGCONT)
        assert json.loads(these.line(stopped)) == answer == alone
        counts = Counter(cell for _, cell in these.fits())
    assert len(counts) == 48
    assert max(counts.values()) <= 2
    evaluation = tb.read_evaluation(f"sqlite:///{tmp_path / 'runs.db'}")
    assert evaluation.n_done == 48
