"""Ctrl-C, SIGTERM and a closed terminal, at any moment of ``tiebreak run``.

The study runs with two workers; a signal arrives somewhere between the making of its store and its end. The exit code is that of
the signal, no process is left after five seconds, and the same command goes on to the undisturbed table, with no cell lost that
was kept.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.reliability.fault import Fault, Recipe, UnavailableError
from tests.reliability.kills import GRACE, command, environment, members, scores
from tiebreak.errors import StoreError, UnknownNameError

STUDY = """\
name = "slow one"
cv = { kind = "repeated-kfold", n_folds = 5, n_repeats = 8 }
data = { source = "sklearn:iris" }
[models.guess]
import = "slow_models:guess"
[models.bayes]
import = "sklearn.naive_bayes:GaussianNB"
"""
"""80 cells, 40 of which take 60 ms: more than a second on two cores."""

MODELS = """\
import time

def guess(X_train, y_train, X_test, rng):
    time.sleep(0.06)
    return rng.choice(y_train, len(X_test))
"""
N_CELLS = 80
N_JOBS = 2
NOT_SAID = -1
LONGEST = 1.8
"""Seconds after the store was made at which a signal may still meet the run."""

CODES = (
    {signal.SIGINT: (130,), signal.SIGTERM: (143,), signal.SIGHUP: (-int(signal.SIGHUP), 129)} if sys.platform != "win32" else {}
)
"""A process that a closed terminal ends dies of the signal itself, which a shell shows as 129, or meets the closing first."""


class Terminal:
    """A run of the study on a terminal of its own."""

    def __init__(self, folder: Path, study: Path) -> None:
        import pty

        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command("runs.db", N_JOBS, study),
            cwd=folder,
            env=environment(folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(theirs)
        self.pid = self._process.pid
        self.said = b""
        self._listen(until=(folder / "runs.db").exists)

    def wait(self, seconds: float) -> None:
        """Let it run for so long."""
        end = time.monotonic() + seconds
        self._listen(until=lambda: time.monotonic() > end)

    def end(self, number: int) -> int:
        """Ctrl-C is typed, the terminal is closed, or the signal is sent; returns the exit code."""
        if number == signal.SIGINT:
            os.write(self._ours, b"\x03")
        elif number == signal.SIGHUP:
            os.close(self._ours)
        else:
            self._process.send_signal(number)
        if number != signal.SIGHUP:
            self._listen(until=lambda: False)
            os.close(self._ours)
        return self._process.wait(60)

    def _listen(self, until: Callable[[], bool]) -> None:
        """Read what it writes, which else would stop it sooner or later; at most until nobody has the other end open."""
        while not until():
            if select.select([self._ours], [], [], 0.01)[0]:
                try:
                    self.said += os.read(self._ours, 2**16)
                except OSError:
                    return


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def torment(name: str, number: signal.Signals, folder: Path, n_points: int, rng: Random) -> Fault:
    """The signal at so many moments."""
    if sys.platform == "win32" or not Path("/proc/self/stat").exists():
        raise UnavailableError("processes are found by /proc, which this system does not have")
    study = folder / "slow.toml"
    study.write_text(STUDY)
    (folder / "slow_models.py").write_text(MODELS)
    reference = _finish(folder, study, "undisturbed.db")
    expected = scores(folder, "undisturbed.db")
    points = kept = lost = doubled = corrupt = 0
    longest, broken = 0.0, []
    while points < n_points:
        with contextlib.suppress(FileNotFoundError):
            (folder / "runs.db").unlink()
        terminal = Terminal(folder, study)
        pause = rng.uniform(0.0, LONGEST)
        terminal.wait(pause)
        start = time.monotonic()
        code = terminal.end(number)
        if code == 0:  # it was done before
            continue
        points += 1
        left = list(_left(terminal.pid))
        longest = max(longest, time.monotonic() - start)
        there = _there(folder)
        said = _kept_cells(terminal.said.decode(errors="replace"))
        table = _finish(folder, study, "runs.db")
        kept += len(there)
        lost += max(0, said - len(there))
        corrupt += any(bits != expected[2][cell] for cell, bits in there.items())
        corrupt += table != reference or scores(folder, "runs.db") != expected
        # before the first cell and after the last one nothing is said of how to go on
        is_said = said == len(there) or (said == NOT_SAID and len(there) in (0, N_CELLS)) or number == signal.SIGHUP
        if code not in CODES[number] or left or not is_said:
            counts = f"{said} cells said, {len(there)} there"
            broken.append(f"after {pause:.3f} s: exit code {code}, left {left}, {counts}: {terminal.said!r}")
    return Fault(name, points, kept, lost, doubled, corrupt, longest, broken=tuple(broken))


def _finish(folder: Path, study: Path, store: str) -> bytes:
    """The same command without a disturbance."""
    done = subprocess.run(command(store, N_JOBS, study), cwd=folder, env=environment(folder), capture_output=True)
    if done.returncode:
        raise RuntimeError(f"the run ended with exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def _there(folder: Path) -> dict[tuple[int, int, int], object]:
    """The cells that are kept; none where it had not come to beginning the run."""
    try:
        return scores(folder, "runs.db")[2]
    except (UnknownNameError, StoreError):
        return {}


def _left(session: int) -> Iterator[str]:
    """Processes of the session that are there after the grace period; they are ended."""
    until = time.monotonic() + GRACE
    while (left := list(members(session))) and time.monotonic() < until:
        time.sleep(0.02)
    for pid, name in left:
        os.kill(pid, signal.SIGKILL)
        yield name


def _kept_cells(said: str) -> int:
    """What the last message says."""
    found = re.findall(rf"(\d+) of {N_CELLS} cells of run", said)
    return int(found[-1]) if found else NOT_SAID


def recipes() -> Iterator[tuple[str, Recipe]]:
    """One for each signal."""
    if sys.platform == "win32":
        return
    for key, name, number in (
        ("ctrl-c", "Ctrl-C during tiebreak run", signal.SIGINT),
        ("sigterm", "SIGTERM during tiebreak run", signal.SIGTERM),
        ("hangup", "a terminal closed during tiebreak run", signal.SIGHUP),
    ):

        def run(folder: Path, n: int, rng: Random, n_jobs: int, name: str = name, number: signal.Signals = number) -> Fault:
            return torment(name, number, folder, n, rng)

        yield key, Recipe(run, n_small=1, n_release=20)
