"""Processes that share one study: what is to be measured, and a watch on who fits what."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import tiebreak as tb
from tests.guarded import HANGS

FOLDER = Path(__file__).parents[2]

SCRIPT = """
import json, os, sys, time
import tiebreak as tb
from tests.evaluation.sharers import study
from tiebreak.stores import lease

lease.SECONDS = 4.0
url, seconds, n_jobs = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
input()
evaluation = tb.evaluate(**study(seconds), store=url, n_jobs=n_jobs, progress=None)
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
    """Processes at work on one study in one folder; `first_only` are variables of the first one's environment."""

    def __init__(
        self, folder: Path, n: int, seconds: float, n_jobs: int = 1, *, first_only: Mapping[str, str] | None = None
    ) -> None:
        self.notes = folder / "notes.txt"
        self.path = folder / "runs.db"
        first_only = first_only or {}
        path = os.pathsep.join([first_only.get("PYTHONPATH", ""), str(FOLDER), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "NOTES": str(self.notes), "PYTHONHASHSEED": "0"}
        arguments = [sys.executable, "-c", SCRIPT, f"sqlite:///{self.path}", str(seconds), str(n_jobs)]
        self.processes = [
            subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**environment, **(first_only if i == 0 else {}), "PYTHONPATH": path},
            )
            for i in range(n)
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
        until = time.monotonic() + HANGS
        while len(self.fits()) < n:
            assert time.monotonic() < until
            time.sleep(0.01)


def alone() -> list[list[float]]:
    """The scores of one process that measures everything itself."""
    before = os.environ.get("NOTES")
    os.environ["NOTES"] = os.devnull
    try:
        return tb.evaluate(**study(0.0)).scores().matrix().score.tolist()  # type: ignore[no-any-return]
    finally:
        del os.environ["NOTES"]
        if before is not None:
            os.environ["NOTES"] = before


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
