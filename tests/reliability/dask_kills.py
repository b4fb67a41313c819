"""Kill Dask workers, and then the scheduler, under ``tiebreak run --dask``, and see that nothing is lost.

    python tests/reliability/dask_kills.py --kills 20

A scheduler and two workers with nannies, real processes on loopback, run a study of 900 cells of about 40 ms. Meanwhile one of
the worker processes, chosen at random, is killed with SIGKILL, up to two seconds after the first cell that was measured since the
last kill, until the kills are used up; the nannies start others. Then the study is run once more into another store, and its
scheduler is killed half-way: the command has to end by itself, with a message and exit code 2, and the same command with a new
cluster has to finish the study. Both tables must be that of a run on this machine, bit for bit, with each cell once. Each process
notes each cell that it has measured in a file, so that cells measured twice can be counted.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a script

from tests.reliability.kills import WITNESS, scores
from tests.runners.clusters import Processes

STUDY = """\
name = "torment"
metrics = ["roc_auc", "accuracy"]
data = { source = "sklearn:breast_cancer" }
cv = { kind = "repeated-stratified", n_folds = 5, n_repeats = 60 }
[models.slow]
import = "slow_models:Slow"
[models.scaled]
steps = [{ import = "sklearn.preprocessing:StandardScaler" }, { import = "slow_models:Slow", params = { C = 0.1 } }]
[models.forest]
import = "sklearn.ensemble:RandomForestClassifier"
params = { n_estimators = 20 }
"""

MODELS = """\
import time
from sklearn.linear_model import LogisticRegression

class Slow(LogisticRegression):
    def __init__(self, C=1.0, max_iter=20):
        super().__init__(C=C, max_iter=max_iter)

    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)
"""

ENDS_WITHIN = 20.0
"""Seconds from the scheduler's end to that of the command."""


@dataclass
class Toll:
    """What the kills did.

    Attributes
    ----------
    n_kills : int
        Worker processes that were killed while the study ran.
    n_cells, n_kept, n_killed_kept : int
        Of the study; in the store afterwards, and when the scheduler was killed.
    n_twice : int
        Measurements beyond the first of a cell, by the note of the workers.
    survived_workers, survived_scheduler : bool
        Whether the tables are those of the run on this machine.
    exit_code : int
        Of the command whose scheduler was killed.
    end_seconds : float
        How long after that it ended.
    message : str
        What it said last.
    noise : list of str
        Lines of the commands that were no messages of theirs.
    """

    n_kills: int = 0
    n_cells: int = 0
    n_kept: int = 0
    n_killed_kept: int = 0
    n_twice: int = 0
    survived_workers: bool = False
    survived_scheduler: bool = False
    exit_code: int = 0
    end_seconds: float = float("inf")
    message: str = ""
    noise: list[str] = field(default_factory=list)

    @property
    def is_as_promised(self) -> bool:
        """All cells, bit for bit; and a message within seconds."""
        return (
            self.survived_workers
            and self.survived_scheduler
            and self.n_kept == self.n_cells
            and self.exit_code == 2
            and self.end_seconds < ENDS_WITHIN
            and "is gone or does not answer" in self.message
            and not self.noise
        )


def torment(folder: Path, n_kills: int, rng: random.Random, *, n_repeats: int = 60) -> Toll:
    """Run the study on this machine, with kills of workers, and with one of the scheduler."""
    (folder / "study.toml").write_text(STUDY.replace("n_repeats = 60", f"n_repeats = {n_repeats}"))
    (folder / "slow_models.py").write_text(MODELS)
    (folder / "sitecustomize.py").write_text(WITNESS)
    toll = Toll()
    with _Command(folder, "here.db", "--n-jobs", "2") as command:
        if command.end(600)[0]:
            raise RuntimeError("the undisturbed run failed")
    expected = scores(folder, "here.db")
    toll.n_cells = len(expected[2])  # type: ignore[index]
    _kill_workers(folder, toll, n_kills, rng)
    toll.survived_workers = scores(folder, "workers.db") == expected
    _kill_scheduler(folder, toll)
    toll.survived_scheduler = scores(folder, "scheduler.db") == expected
    return toll


class _Command:
    """``tiebreak run`` on the study, as a user would type it."""

    def __init__(self, folder: Path, store: str, *options: str) -> None:
        self._err = folder / f"{store}.err"
        with self._err.open("ab") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tiebreak", "run", "study.toml", "--store", f"sqlite:///{store}", "--quiet", *options],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=err,
            )

    def end(self, seconds: float) -> tuple[int, list[str]]:
        """Exit code and messages."""
        return self.process.wait(seconds), self._err.read_text().splitlines()

    def __enter__(self) -> _Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


class _Witnessed(Processes):
    """A cluster whose workers note what they measure, and start with no more than that on their path."""

    def __init__(self, folder: Path, name: str) -> None:
        own = folder / name
        own.mkdir()
        self.witness = folder / f"{name}.txt"
        os.environ["TIEBREAK_WITNESS"] = str(self.witness)
        path = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), path]))
        try:
            super().__init__(own)
        finally:
            del os.environ["TIEBREAK_WITNESS"]
            if path is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = path

    def n_measured(self) -> int:
        """Cells, those measured twice counted twice."""
        return len(self.witness.read_text().splitlines()) if self.witness.exists() else 0


def _kill_workers(folder: Path, toll: Toll, n_kills: int, rng: random.Random) -> None:
    """Kill worker processes while the study runs; the run has to take as long as the kills do."""
    from distributed import Client

    with _Witnessed(folder, "workers") as cluster, Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=300)
        with _Command(folder, "workers.db", "--dask", cluster.address) as command:
            n_measured = 0
            while toll.n_kills < n_kills and command.process.poll() is None:
                _wait(lambda n=n_measured: cluster.n_measured() > n or command.process.poll() is not None, 300)
                time.sleep(rng.uniform(0.0, 2.0))
                n_measured = cluster.n_measured()
                pids = list(client.run(os.getpid, on_error="ignore").values())
                if pids and command.process.poll() is None:
                    os.kill(rng.choice(pids), signal.SIGKILL)
                    toll.n_kills += 1
            code, messages = command.end(600)
            toll.noise += messages
            if code:
                raise RuntimeError(f"exit code {code}: {messages[-1:]}")
    measured = Counter(tuple(line.split()[1:4]) for line in cluster.witness.read_text().splitlines())
    toll.n_kept = len(scores(folder, "workers.db")[2])  # type: ignore[index]
    toll.n_twice = sum(measured.values()) - len(measured)


def _kill_scheduler(folder: Path, toll: Toll) -> None:
    """Kill the scheduler half-way, and go on with a new cluster."""
    with _Witnessed(folder, "lost") as cluster, _Command(folder, "scheduler.db", "--dask", cluster.address) as command:
        _wait(lambda: cluster.n_measured() > toll.n_cells / 2, 600)
        cluster.kill_scheduler()
        killed = time.monotonic()
        toll.exit_code, messages = command.end(120)
        toll.end_seconds = time.monotonic() - killed
        toll.message = messages[-1]
        toll.noise += messages[:-3]
    toll.n_killed_kept = int(messages[-3].split()[0])
    with _Witnessed(folder, "new") as cluster, _Command(folder, "scheduler.db", "--dask", cluster.address) as command:
        if command.end(600)[0]:
            raise RuntimeError("the run with a new cluster failed")


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    """Until something is so."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError(f"not so after {seconds} s")
        time.sleep(0.05)


def main() -> int:
    """Print the toll; the exit code is 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    with tempfile.TemporaryDirectory() as folder:
        toll = torment(Path(folder), arguments.kills, random.Random(seed))
    print(f"seed {seed}; a scheduler and 2 workers with nannies on loopback")
    print(f"workers killed                          {toll.n_kills}")
    print(f"cells kept                              {toll.n_kept} of {toll.n_cells}, each once")
    print(f"cells measured twice, in all            {toll.n_twice}")
    print(f"bit-equal to the run on this machine    {'yes' if toll.survived_workers else 'NO'}")
    print(f"scheduler killed with                   {toll.n_killed_kept} of {toll.n_cells} cells kept")
    print(f"  exit code                             {toll.exit_code}, {toll.end_seconds:.1f} s later")
    print(f"  message                               {toll.message}")
    print(f"  finished with a new cluster           {'bit-equal' if toll.survived_scheduler else 'NO'}")
    print(f"lines that nobody asked for             {len(toll.noise)} {toll.noise[:3] or ''}")
    return 0 if toll.is_as_promised and toll.n_kills == arguments.kills else 1


if __name__ == "__main__":
    sys.exit(main())
