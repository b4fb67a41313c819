"""The clock of the machine jumps by a day, forth and back, while ``tiebreak run`` is at work.

libfaketime gives the run and its workers a wall clock that is read from a file; the monotonic clock stays true, as it does when a
real clock is set. No duration may come out negative or a day long, nothing may be lost, and the table is the undisturbed one.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import tiebreak as tb
from tests.reliability.fault import Fault, Recipe, UnavailableError
from tests.reliability.kills import command, environment, scores
from tests.reliability.signals import N_CELLS, N_JOBS, STUDY

NAME = "the clock jumps by a day during tiebreak run"
DAY = 86_400.0
SLEEP = """
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""
"""Put on the path as sitecustomize: Python sleeps until a moment of the monotonic clock, and libfaketime 0.9.10 takes that moment
for one of the wall clock, which a clock that is set does not do."""
MODELS = """
import time

def guess(X_train, y_train, X_test, rng):
    time.sleep(0.06)
    with open("clock.txt", "a") as file:
        file.write(f"{time.time()}\\n")
    return rng.choice(y_train, len(X_test))
"""
PAUSE = 0.25
"""Seconds between two jumps."""


class Clock:
    """A wall clock that is read from a file of the folder, for whoever is given `environment`."""

    def __init__(self, folder: Path) -> None:
        self._offset = folder / "offset.txt"
        self._offset.write_text("+0")
        own = folder / "clock"
        own.mkdir(exist_ok=True)
        (own / "sitecustomize.py").write_text(SLEEP)
        self.environment = {
            "LD_PRELOAD": find_library(folder),
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "PYTHONPATH": str(own),
        }
        self.n_jumps = 0

    def jump(self) -> None:
        """A day ahead, a day back, and true again, in turn."""
        whole = self._offset.with_suffix(".new")
        whole.write_text(("+1d", "-1d", "+0")[self.n_jumps % 3])
        whole.replace(self._offset)
        self.n_jumps += 1


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """So many jumps, over as many runs as it takes."""
    find_library(folder)
    study = folder / "slow.toml"
    study.write_text(STUDY)
    (folder / "slow_models.py").write_text(MODELS)
    first = command("undisturbed.db", N_JOBS, study)
    done = subprocess.run(first, cwd=folder, env=environment(folder), capture_output=True, check=True)
    expected = scores(folder, "undisturbed.db")
    points = acknowledged = lost = corrupt = 0
    longest, broken = 0.0, []
    turn = 0
    while points < n_points:
        turn += 1
        store = f"jumps{turn}.db"
        (folder / "clock.txt").unlink()
        jumps, code, answer, messages = _run(folder, study, store, rng)
        points += jumps
        there = scores(folder, store)
        acknowledged += there[1]
        lost += N_CELLS - there[1]
        is_corrupt = there != expected or answer != done.stdout
        corrupt += is_corrupt
        seconds = _durations(folder / store)
        longest = max(longest, *seconds)
        strange = [each for each in seconds if not 0 <= each < 60]
        seen = [float(line) for line in (folder / "clock.txt").read_text().splitlines()]
        if jumps > 8 and max(seen) - min(seen) < DAY:
            raise UnavailableError("faketime does not move the clock of a running process here")
        if code or is_corrupt or strange or "Traceback" in messages:
            broken.append(f"run {turn}: exit code {code}, durations {strange}; {messages}")
    remark = f"{turn} runs; no duration below 0 or above {longest:.2f} s"
    return Fault(NAME, points, acknowledged, lost, 0, corrupt, broken=tuple(broken), remark=remark)


def _run(folder: Path, study: Path, store: str, rng: Random) -> tuple[int, int, bytes, str]:
    """One run, its clock set time and again; how often, exit code, answer and messages."""
    clock = Clock(folder)
    own = environment(folder)
    path = os.pathsep.join([clock.environment["PYTHONPATH"], own["PYTHONPATH"]])
    settings = {**own, **clock.environment, "PYTHONPATH": path}
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        running = subprocess.Popen(command(store, N_JOBS, study), cwd=folder, env=settings, stdout=out, stderr=err)
        while not (folder / "err").stat().st_size and running.poll() is None:
            time.sleep(0.01)
        until = time.monotonic() + 300
        while running.poll() is None:
            time.sleep(rng.uniform(0.2 * PAUSE, 1.8 * PAUSE))
            if running.poll() is None:
                clock.jump()
            if time.monotonic() > until:
                running.kill()
        code = running.wait()
    return clock.n_jumps, code, (folder / "out").read_bytes(), (folder / "err").read_text(errors="replace")


def _durations(path: Path) -> list[float]:
    """Every duration that the store holds."""
    store = tb.SqlStore(path)
    times = store.read(store.runs()[0].name).table()
    store.close()
    found = [*times.fit_seconds.tolist(), *times.predict_seconds.tolist()]
    return [each for each in found if not math.isnan(each)]


def find_library(folder: Path) -> str:
    """The library of faketime, as its own command preloads it."""
    if sys.platform != "linux" or shutil.which("faketime") is None:
        raise UnavailableError("faketime is not installed (apt-get install faketime)")
    script = "import os, time; print(os.environ['LD_PRELOAD'], time.time())"
    wrapped = ["faketime", "-f", "+1d", sys.executable, "-S", "-c", script]
    done = subprocess.run(wrapped, capture_output=True, text=True, cwd=folder)
    words = done.stdout.split()
    if done.returncode or len(words) < 2 or not math.isclose(float(words[-1]), time.time() + DAY, abs_tol=60):
        raise UnavailableError(f"faketime does not move the clock here: {done.stderr.strip()}")
    return words[0]


RECIPE = Recipe(torment, n_small=2, n_release=100)
