"""Small score files, and the command line as a process of its own."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.guarded import HANGS
from tiebreak.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(**changes: str) -> dict[str, str]:
    """The variables of a process that a test starts: these and no settings of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if name not in ("TIEBREAK_STORE", "TIEBREAK_TRACEBACK")}
    return {**kept, **changes}


@pytest.fixture
def tiebreak() -> Run:
    """Run the command line as a process; its output is read as UTF-8, whatever the locale."""

    def run(*arguments: str, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tiebreak", *arguments],
            env=environment(**env or {}),
            capture_output=True,
            encoding="utf-8",
            timeout=HANGS,
            **more,
        )

    return run


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, answer and messages of a command inside this process."""
    code = main.run(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Messages of a command that ends with exit code 2, and without an answer that could be taken for one."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    return err


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Answer of a command that goes well."""
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    return out


def run_compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The same of ``tiebreak compare``."""
    return run(capsys, "compare", *arguments)


def write_scores(path: Path, models: Sequence[str], step: float = 0.01, n_splits: int = 50) -> Path:
    """A wide table in which each model is worse than the one before it by `step`, with noise of 0.01."""
    rng = np.random.default_rng(3)
    base = rng.normal(0.9, 0.02, n_splits)
    columns = [base - step * rank + rng.normal(0, 0.01, n_splits) for rank in range(len(models))]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["repeat", "fold", "n_train", "n_test", *models])
        for split in range(n_splits):
            scores = [round(float(column[split]), 4) for column in columns]
            writer.writerow([split // 10, split % 10, 512, 57, *scores])
    return path


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Three models: svm is far ahead of forest, and ridge is near forest."""
    return str(write_scores(tmp_path / "scores.csv", ["svm", "forest", "ridge"], step=0.03))


STUDY = """\
name = "flowers"
rope = 0.02
metrics = ["accuracy", "f1_macro"]
data = { source = "sklearn:iris" }
cv = { kind = "repeated-stratified", n_folds = 3, n_repeats = 2 }

[models.bayes]
import = "sklearn.naive_bayes:GaussianNB"
[models.tree]
import = "sklearn.tree:DecisionTreeClassifier"
[models."=1+1"]
import = "sklearn.dummy:DummyClassifier"
params = { strategy = "stratified" }
"""
"""Three models on six splits: 18 cells, of a few milliseconds each."""

N_CELLS = 18


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in; no store is set, and what a study makes importable is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TIEBREAK_STORE", raising=False)
    before, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def study(here: Path) -> str:
    """A study file in the folder."""
    (here / "study.toml").write_text(STUDY, encoding="utf-8")
    return "study.toml"
