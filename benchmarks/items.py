"""Procedures for models on the same examples against named peers, alternating in one run.

``python benchmarks/items.py`` prints medians and ratios, and ends with exit code 1 when a goal is missed. Peers that are not
installed (MLstatkit) are left out and said.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from tiebreak.metrics.fast import roc_area
from tiebreak.statistics import paired_counts, permutation_test_paired, roc_areas, tango

ROUNDS = 5
missed: list[str] = []


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def against(name: str, ours: Callable[[], object], peer: Callable[[], object], goal: float, *, peer_factor: float = 1.0) -> float:
    """Median time of ours, and of the peer over ours; `peer_factor` is for a peer that did a part of the work."""
    pairs = [(seconds(ours), seconds(peer) * peer_factor) for _ in range(ROUNDS)]
    own, ratio = statistics.median(a for a, _ in pairs), statistics.median(b / a for a, b in pairs)
    goal_met = ratio >= goal
    print(f"{name}: {own * 1e3:.1f} ms, {ratio:.0f} times as fast (goal {goal:g}){'' if goal_met else ' MISSED'}")
    if not goal_met:
        missed.append(name)
    return own


def limit(name: str, value: float, most: float, unit: str) -> None:
    print(f"{name}: {value:.4g} {unit} (goal at most {most:g}){'' if value <= most else ' MISSED'}")
    if value > most:
        missed.append(name)


def areas(rng: np.random.Generator) -> None:
    n = 100_000
    truth = rng.random(n) < 0.3
    scores = rng.normal(size=(2, n)) + truth
    try:
        from MLstatkit import Delong_test

        own = against(
            "DeLong, 100,000, MLstatkit",
            lambda: roc_areas(truth, scores).difference().pvalue(),
            lambda: Delong_test(truth.astype(int), scores[0], scores[1]),
            10,
        )
    except ImportError:
        print("MLstatkit is not installed")
        own = statistics.median(seconds(lambda: roc_areas(truth, scores).difference().pvalue()) for _ in range(ROUNDS))
    limit("DeLong, 100,000", own * 1e3, 40, "ms")
    n = 1_000_000
    truth, values = rng.random(n) < 0.3, rng.normal(size=n)

    def area() -> float:
        return roc_area(*(np.sort(values.take(np.flatnonzero(side))) for side in (truth, ~truth)))

    assert abs(area() - roc_auc_score(truth, values)) < 1e-12
    against("AUC of 1,000,000, scikit-learn", area, lambda: roc_auc_score(truth, values), 8)


def permutations(rng: np.random.Generator) -> None:
    for what, d, goal in (
        ("0/1 items", rng.choice([-1.0, 0.0, 1.0], size=1_000), 100),
        ("floats", rng.normal(size=1_000), 40),
    ):
        against(
            f"paired permutation, 1,000 x 10,000, {what}, scipy (vectorised)",
            lambda d=d: permutation_test_paired(d, n_permutations=10_000),
            lambda d=d: stats.permutation_test(
                (d,),
                lambda x, axis: np.mean(x, axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=10_000,
                batch=1_000,
            ),
            goal,
        )


def many_pairs(rng: np.random.Generator) -> None:
    correct = (rng.random((52, 800)) < rng.uniform(0.4, 0.9, size=(52, 1))).astype(float)
    first, second = np.triu_indices(52, 1)
    times = [seconds(lambda: tango(*paired_counts(correct, first, second)).interval()) for _ in range(9)]
    limit("Tango, 1,326 pairs x 800 items", statistics.median(times) * 1e3, 50, "ms")


def main() -> int:
    rng = np.random.default_rng(0)
    parts = {"pairs": many_pairs, "permutations": permutations, "areas": areas}
    for name in sys.argv[1:] or parts:
        parts[name](rng)
    print(f"{len(missed)} goals missed" + (f": {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
