"""Models that raise, hang, eat memory or kill the worker that they are in, beside good ones."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

import tiebreak as tb
from tests.evaluation.test_faults import BAD, GOOD, X, Y
from tests.reliability.fault import Fault, Recipe, UnavailableError

NAME = "a model that raises, hangs, eats memory or kills its worker"
N_FOLDS = 2


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """So many rounds of all four; each costs its own cells only."""
    if not sys.platform.startswith("linux"):
        raise UnavailableError("limits of memory are set as Linux has them")
    alone = tb.evaluate(GOOD, X, Y, cv=N_FOLDS).compare(rope=0.01).pairs
    lost = corrupt = 0
    longest, broken = 0.0, []
    for turn in range(n_points):
        url = f"sqlite:///{folder / f'{turn}.db'}"
        start = time.perf_counter()
        evaluation = tb.evaluate({**BAD, **GOOD}, X, Y, cv=N_FOLDS, n_jobs=2, timeout=2, store=url)
        longest = max(longest, time.perf_counter() - start)
        kept = tb.read_evaluation(url)
        lost += len(GOOD) * N_FOLDS - kept.n_done
        corrupt += not kept.compare(rope=0.01).pairs.equals(alone)
        states = {group.models[0]: group.state for group in evaluation.failure_groups()}
        if states != {"raises": "raised", "hangs": "timed-out", "eats": "out-of-memory", "kills": "killed"}:
            broken.append(f"round {turn}: {states}")
    n_kills = n_points * N_FOLDS * 2  # each cell of the deadly model is tried twice
    points = n_points * N_FOLDS * len(BAD)
    acknowledged = n_points * N_FOLDS * (len(GOOD) + len(BAD))
    return Fault(NAME, points, acknowledged, lost, 0, corrupt, longest, n_kills=n_kills, broken=tuple(broken))


RECIPE = Recipe(torment, n_small=1, n_release=3)
