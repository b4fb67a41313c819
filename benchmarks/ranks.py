"""Rank tests of many datasets: signed-rank tests of all pairs against scipy pair by pair, and what depends on the pool.

The peer, ``scipy.stats.wilcoxon`` in a loop over the pairs, gives p-values alone; both are measured in turn, for larger tables on
some of the pairs. Time is that of the processor, as the machine may be shared.
"""

import sys
import tracemalloc
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from scipy import stats

import tiebreak as tb

ROUNDS = 5
SIZES = ((40, 112, 1), (40, 1000, 1), (500, 100, 100))
"""Models, datasets, and one of how many pairs the peer tests."""


def table(n_models: int, n_datasets: int) -> np.ndarray:
    rng = np.random.default_rng([n_models, n_datasets])
    return rng.normal(size=(n_models, n_datasets)) + 0.3 * rng.normal(size=(n_models, 1))


def timed(work: Any, *arguments: Any) -> tuple[float, Any]:
    start = process_time()
    outcome = work(*arguments)
    return process_time() - start, outcome


def pair_by_pair(rows: np.ndarray) -> list[float]:
    """The peer."""
    return [float(stats.wilcoxon(row).pvalue) for row in rows]


def signed_rank(n_models: int, n_datasets: int, share: int) -> bool:
    """Print times of p-values, of a tail at the rope, and of ends and estimates; and the peer's."""
    scores = table(n_models, n_datasets)
    first, second = np.triu_indices(n_models, 1)
    differences = scores[first] - scores[second]
    some = range(0, len(first), share)
    times: dict[str, list[float]] = {name: [] for name in ("p", "tail", "ends", "estimate", "peer")}
    for _ in range(ROUNDS if share == 1 else 1):
        seconds, test = timed(tb.statistics.wilcoxon, differences)
        times["estimate"].append(seconds)
        times["p"].append(timed(test.pvalue)[0])
        times["tail"].append(timed(test.tail, 0.1)[0])
        times["ends"].append(timed(test.interval_at, 0.05 / len(first))[0])
        seconds, theirs = timed(pair_by_pair, differences[some])
        times["peer"].append(seconds * share)
    tracemalloc.start()
    tb.statistics.wilcoxon(differences).tail(0.1)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    exact = "exact" if n_datasets <= 50 else "normal"
    ours = tb.statistics.wilcoxon(differences[some], method=exact, continuity=False).pvalue()
    agrees = bool(np.allclose(ours, theirs, rtol=1e-6))
    seconds = {name: median(values) for name, values in times.items()}
    whole = sum(seconds[name] for name in ("p", "tail", "ends", "estimate"))
    parts = ", ".join(f"{name} {seconds[name]:.2f}" for name in ("p", "tail", "ends", "estimate"))
    print(
        f"{n_models:4} models x {n_datasets:4} datasets: {parts} s, {peak:.0f} MB beside the differences; scipy's p-values "
        f"{seconds['peer']:.2f} s: p-values {seconds['peer'] / seconds['p']:.1f} times as fast, everything "
        f"{seconds['peer'] / whole:.1f} times; same p-values: {'yes' if agrees else 'NO'}",
        flush=True,
    )
    return agrees and whole < 2 * seconds["peer"]


def main() -> int:
    met = [signed_rank(*size) for size in SIZES]
    print("goal: everything in at most twice the time of scipy's p-values:", "met" if all(met) else "MISSED")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
