"""Two processes on one study, and one of them is killed, is stopped for longer than its lease, or lives by a clock that jumps.

Whatever happens, the study is measured to its end, with the scores of one process alone. A cell may be measured twice only if the
one that had taken it had not handed it over: when it was killed, or when it was stopped and its lease ran out; whatever it
hands over later is refused.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import tiebreak as tb
from tests.evaluation import sharers
from tests.evaluation.sharers import Together
from tests.reliability import clock
from tests.reliability.fault import Fault, Recipe, UnavailableError
from tiebreak.evaluation.cells import table_of

N_CELLS = 48
SECONDS = 0.05
N_IN_HAND = 5
"""Cells that a process may have measured and not yet handed over: those of its last 0.2 s, and the one at work."""
LONGEST = 60.0


class Killed:
    """One of the two is killed at a random moment; the other finishes."""

    name = "two processes on one study, one killed"
    n_kills = 1
    n_twice = N_IN_HAND

    @contextmanager
    def start(self, folder: Path) -> Iterator[Together]:
        with sharers.together(folder, 2, SECONDS) as these:
            yield these

    def happen(self, these: Together, rng: Random) -> list[str]:
        """What those that were left alive say in the end."""
        these.wait_for_fits(rng.randrange(2, N_CELLS - N_IN_HAND))
        these.processes[0].kill()
        return [these.line(these.processes[1])]


class Stopped(Killed):
    """One of the two is stopped for longer than its lease, and goes on when the other has taken its cells over."""

    name = "two processes on one study, one stopped past its lease"
    n_kills = 0

    def happen(self, these: Together, rng: Random) -> list[str]:
        these.wait_for_fits(rng.randrange(2, N_CELLS // 2))
        stopped, other = these.processes
        sharers.stop_between_transactions(stopped, these.path)
        answer = these.line(other)
        stopped.send_signal(signal.SIGCONT)
        return [answer, these.line(stopped)]


class Jumping(Killed):
    """The clock of one of the two jumps by a day forth and back, ten times in a second and more."""

    name = "two processes on one study, the clock of one jumps by a day"
    n_kills = 0
    n_twice = 0

    @contextmanager
    def start(self, folder: Path) -> Iterator[Together]:
        self.clock = clock.Clock(folder)
        with sharers.together(folder, 2, SECONDS, first_only=self.clock.environment) as these:
            yield these

    def happen(self, these: Together, rng: Random) -> list[str]:
        until = time.monotonic() + LONGEST
        while len(these.fits()) < N_CELLS and time.monotonic() < until:
            time.sleep(rng.uniform(0.02, 0.18))
            self.clock.jump()
        return [these.line(process) for process in these.processes]


def torment(fault: Killed, folder: Path, n_rounds: int, rng: Random) -> Fault:
    """So many rounds of one fault, each a study of its own."""
    if sys.platform == "win32":
        raise UnavailableError("there are no such signals")
    alone = sharers.alone()
    lost = doubled = corrupt = acknowledged = n_twice = 0
    longest, broken = 0.0, []
    for turn in range(n_rounds):
        place = folder / str(turn)
        place.mkdir()
        start = time.perf_counter()
        with fault.start(place) as these:
            answers = fault.happen(these, rng)
            longest = max(longest, time.perf_counter() - start)
            counts = Counter(cell for _, cell in these.fits())
            kept = tb.read_evaluation(f"sqlite:///{these.path}")
        again = sum(counts.values()) - len(counts)
        n_twice += again
        acknowledged += kept.n_done
        lost += N_CELLS - kept.n_done
        doubled += max(0, again - fault.n_twice)
        is_corrupt = any(not answer or json.loads(answer) != alone for answer in answers) or strange(kept)
        corrupt += is_corrupt
        if is_corrupt or kept.n_done != N_CELLS or len(counts) != N_CELLS or again > fault.n_twice or max(counts.values()) > 2:
            broken.append(f"round {turn}: {kept.n_done} cells, {counts.most_common(3)}, {answers}")
    remark = f"{n_twice} of {acknowledged:,} cells were measured twice, as nobody had handed them over"
    return Fault(
        fault.name, n_rounds, acknowledged, lost, doubled, corrupt, longest, fault.n_kills * n_rounds, tuple(broken), remark
    )


def strange(kept: tb.Evaluation) -> bool:
    """Whether a duration is negative, or longer than the whole."""
    return any(not 0 <= each < LONGEST for each in table_of(kept).fit_seconds.tolist())


def recipes() -> Iterator[tuple[str, Recipe]]:
    """Each by a name of its own."""
    for name, kind, n_small, n_release in (
        ("sharers", Killed, 1, 30),
        ("stopped", Stopped, 1, 10),
        ("sharers-clock", Jumping, 1, 20),
    ):

        def run(folder: Path, n_points: int, rng: Random, n_jobs: int, kind: Any = kind) -> Fault:
            return torment(kind(), folder, n_points, rng)

        yield name, Recipe(run, n_small=n_small, n_release=n_release)
