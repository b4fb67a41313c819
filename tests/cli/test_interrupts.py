"""Ctrl-C and SIGTERM at any moment: what was measured is kept, and the rest gives the same table as if nothing had happened."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import environment, run
from tests.cli.test_process import needs_posix, terminal, wait_for
from tests.guarded import HANGS

pytestmark = pytest.mark.slow

STUDY = """\
name = "slow one"
cv = { kind = "repeated-kfold", n_folds = 5, n_repeats = 4 }
data = { source = "sklearn:iris" }
[models.a]
import = "slow_models:guess"
[models.b]
import = "slow_models:guess_again"
[models.c]
import = "sklearn.naive_bayes:GaussianNB"
"""
"""60 cells, 40 of which take 20 ms: at least 0.8 s."""

MODELS = """\
import time

def guess(X_train, y_train, X_test, rng):
    time.sleep(0.02)
    return rng.choice(y_train, len(X_test))

def guess_again(X_train, y_train, X_test, rng):
    return guess(X_train, y_train, X_test, rng)
"""


@pytest.fixture
def slow(here: Path) -> list[str]:
    """The command that runs the study."""
    (here / "slow.toml").write_text(STUDY)
    (here / "slow_models.py").write_text(MODELS)
    return [sys.executable, "-m", "tiebreak", "run", "slow.toml", "--store", "sqlite:///runs.db"]


@needs_posix
@pytest.mark.parametrize(("number", "code", "n_jobs"), [(signal.SIGINT, 130, "1"), (signal.SIGTERM, 143, "2")])
def test_a_run_goes_on_to_the_same_table(
    slow: list[str], number: signal.Signals, code: int, n_jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stopped at a random moment; the message says how many cells are kept and what to type, and no process is left."""
    pause = random.SystemRandom().uniform(0.0, 0.5)
    command = [*slow, "--n-jobs", n_jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        assert running.stderr.readline() == "run slow one: 60 cells\n"
        time.sleep(pause)
        children = children_of(running.pid)
        running.send_signal(number)
        assert running.wait(HANGS) == code, pause
        messages = running.stderr.read().splitlines()
        assert running.stdout.read() == ""
    kept = int(messages[-1].split()[0])
    assert messages[-1] == f"{kept} of 60 cells are kept in sqlite:///runs.db. The same command goes on from there."
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    shown = " ".join(run(capsys, "show", "sqlite:///runs.db#slow one")[1].split())
    assert f"{kept} of 60 cells measured, {60 - kept} still" in shown
    resumed = run(capsys, "run", "slow.toml", "--store", "sqlite:///runs.db")
    assert resumed[0] == 0
    there = f", {kept} already there" if kept else ""
    assert resumed[2].splitlines()[0] == f"run slow one: 60 cells{there}"
    undisturbed = run(capsys, "run", "slow.toml", "--store", "sqlite:///other.db")
    assert resumed[1].replace("runs.db", "other.db") == undisturbed[1]
    exported = [run(capsys, "show", f"sqlite:///{name}.db#slow one", "--format", "csv")[1] for name in ("runs", "other")]
    assert exported[0] == exported[1]


def children_of(pid: int) -> list[int]:
    """Processes started by a process, where the system lists them (Linux)."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


@needs_posix
def test_on_a_terminal_the_bar_goes_away(slow: list[str], here: Path) -> None:
    """What is left is the message, under a cleared line."""
    (here / "slow.toml").write_text(STUDY.replace("n_repeats = 4", "n_repeats = 20"))  # long enough for a bar
    text = b""
    with terminal(100, slow) as (running, sent):
        while "━".encode() not in text:
            text += next(sent)
        running.send_signal(signal.SIGINT)
        text += b"".join(sent)
    assert running.returncode == 130
    bar, _, after = text.decode().rpartition("━")
    assert "slow one" in bar
    assert "\x1b[2K" in after
    assert after.rstrip().endswith("The same command goes on from there.")
