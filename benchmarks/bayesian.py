"""Bayesian tests over datasets: speed against baycomp, agreement with it, and with a brute-force integral.

baycomp's signed-rank test is timed in the same process, in turn; at 1,000 datasets for fewer draws, as its time is proportional
to them. Its hierarchical test samples with Stan: it is run where pystan is installed (optional; it needs a C++ compiler), else
its times are those measured elsewhere, 84 s for 10 and 342 s for 50 datasets of 100 scores. Times are those of one processor.
The brute force is tests/statistics/posterior/brute_force.py; the change from a grid twice as coarse is its own error.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import baycomp
import numpy as np
from goals import Goal, report

import tiebreak as tb

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.statistics.posterior import brute_force

ROPE, ROUNDS, DRAWS = 0.01, 3, 50_000
MEASURED = {10: 84.0, 50: 342.0}
"""Seconds of baycomp's Stan test, compilation included, where it was measured."""

SHAPES = {  # datasets, scores each, centre, spread between datasets, rope, step of the brute force
    "spread like the rope": (10, 100, 0.005, 0.01, 0.01, 0.02),
    "no spread between datasets": (10, 100, 0.008, 0.0, 0.01, 0.005),
    "no spread, ten scores each": (30, 10, 0.006, 0.0, 0.006, 0.01),
    "wide spread": (10, 100, 0.01, 0.2, 0.01, 0.04),
    "three datasets": (3, 20, 0.01, 0.02, 0.01, 0.02),
}


def timed(call: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def draw(n_datasets: int, n_scores: int, centre: float, spread: float, seed: int = 1) -> np.ndarray:
    """Differences with a standard deviation of 0.02 and the correlation 0.1 within a dataset."""
    rng = np.random.default_rng(seed)
    own = centre + spread * rng.standard_t(5, size=(n_datasets, 1))
    return own + 0.02 * (0.1**0.5 * rng.normal(size=(n_datasets, 1)) + 0.9**0.5 * rng.normal(size=(n_datasets, n_scores)))


def signed_rank(n_datasets: int, peer_draws: int, goal: float) -> list[Goal]:
    """How often faster than baycomp, and whether the probabilities agree."""
    d = np.random.default_rng(0).normal(0.004, 0.02, n_datasets)
    zero = np.zeros(n_datasets)
    ours, peers = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: tb.statistics.signed_rank_posterior(d, rope=ROPE, n_draws=DRAWS)))
        call = lambda: baycomp.SignedRankTest.probs(zero, d, rope=ROPE, nsamples=peer_draws, random_state=1)  # noqa: E731
        peers.append(timed(call) * DRAWS / peer_draws)
    ratio = statistics.median(peers) / statistics.median(ours)
    seconds = f"{statistics.median(ours):.2f} s, baycomp {statistics.median(peers):.1f} s"
    print(f"signed-rank, {n_datasets} datasets, {DRAWS:,} draws: {seconds}")
    answers = [np.array(tb.statistics.signed_rank_posterior(d, rope=ROPE).probabilities), np.array(call())[::-1]]
    error = 4 * np.sqrt(0.25 / DRAWS + 0.25 / peer_draws)
    off = float(np.abs(answers[0] - answers[1]).max())
    return [
        Goal(f"signed-rank, {n_datasets} datasets: times baycomp's speed", ratio, "at least", goal),
        Goal(f"signed-rank, {n_datasets} datasets: largest difference to baycomp", off, "at most", float(error)),
    ]


def stan_seconds(d: np.ndarray) -> tuple[float, str]:
    """Time of baycomp's hierarchical test: of this run, or as measured elsewhere."""
    if importlib.util.find_spec("stan") is None:
        return MEASURED[d.shape[0]], "measured elsewhere"
    zero = np.zeros_like(d)
    start = time.perf_counter()  # Stan works in processes of its own
    baycomp.HierarchicalTest.probs(zero, d, rope=ROPE, runs=10)
    return time.perf_counter() - start, "in this run"


def hierarchical_speed() -> list[Goal]:
    """Seconds at 10, 50 and 100 datasets of 100 scores, growth, and the same bits every time."""
    seconds = {}
    for n_datasets in (10, 50, 100, 200):
        d = draw(n_datasets, 100, 0.005, 0.01)
        seconds[n_datasets] = statistics.median(
            timed(lambda d=d: tb.statistics.hierarchical_posterior(d, test_train_ratio=1 / 9, rope=ROPE)) for _ in range(5)
        )
        print(f"hierarchical, {n_datasets} datasets x 100 scores: {seconds[n_datasets]:.3f} s")
    goals = []
    for n_datasets, times in ((10, 500), (50, 350)):
        peer, where = stan_seconds(draw(n_datasets, 100, 0.005, 0.01))
        ratio = peer / seconds[n_datasets]
        name = f"hierarchical, {n_datasets} datasets: times the speed of Stan ({peer:.0f} s, {where})"
        goals.append(Goal(name, ratio, "at least", times))
    growth = seconds[200] / seconds[50]
    goals.append(Goal("hierarchical: time at 200 datasets over that at 50", growth, "at most", 5.0))
    one, again = (tb.statistics.hierarchical_posterior(d, test_train_ratio=1 / 9, rope=ROPE).most_probable for _ in range(2))
    goals.append(Goal("hierarchical: same bits again", float(one == again), "at least", 1.0))
    return goals


def hierarchical_accuracy() -> list[Goal]:
    """Largest difference to brute force, beyond the error that brute force admits of itself."""
    goals = []
    for name, (n_datasets, n_scores, centre, spread, rope, step) in SHAPES.items():
        d = draw(n_datasets, n_scores, centre, spread, seed=7)
        posterior = tb.statistics.hierarchical_posterior(d, test_train_ratio=1 / 9, rope=rope)
        fine, coarse = (
            brute_force.hierarchical(d, 1 / 9, rope, step=width, sigma0_step=0.1 * width / step, nu_step=0.5)
            for width in (step, 2 * step)
        )
        off = bound = 0.0
        for ours, key in ((posterior.most_probable, "regions"), (posterior.next_dataset().probabilities(rope), "next")):
            off = max(off, float(np.abs(np.array(ours) - fine[key]).max()))
            bound = max(bound, float(np.abs(fine[key] - coarse[key]).max()))
        shown = ", ".join(f"{p:.4f}" for p in posterior.most_probable)
        limits = f"off {off:.5f}, brute force within {bound:.5f}"
        print(f"hierarchical, {name}: {shown}; {limits}", flush=True)
        goals.append(Goal(f"hierarchical, {name}: largest difference to brute force", off, "at most", 0.002))
    return goals


if __name__ == "__main__":
    sys.exit(
        report(signed_rank(100, DRAWS, 15.0) + signed_rank(1_000, 500, 200.0) + hierarchical_speed() + hierarchical_accuracy())
    )
