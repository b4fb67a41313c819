"""All pairs of 1,000 models: speed against two loops of peers, agreement with direct arithmetic, and memory.

The gallery loop is what scikit-learn's example "Statistical comparison of models using grid search" does for each pair,
written anew: corrected t-test by scipy.stats, then the posterior probabilities at a rope. Peers are timed on a sample of the
pairs and given per pair; everything is timed in turn, in one process.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import baycomp
import numpy as np
from goals import Goal, report
from scipy import stats

import tiebreak as tb
from tiebreak.numerics import law_of_pairs
from tiebreak.statistics.splits import corrected_law

N_MODELS, N_SPLITS, ROPE, ROUNDS, SAMPLE = 1_000, 100, 0.01, 7, 300
N_TRAIN, N_TEST = 90, 10


def draw_scores(rng: np.random.Generator) -> np.ndarray:
    """Scores that share what is easy and hard about a split; a few models are near-duplicates, to 1e-9."""
    split = rng.normal(0, 0.06, N_SPLITS)
    model = rng.normal(0.8, 0.02, N_MODELS)[:, None]
    scores = model + split + rng.normal(0, 0.03, (N_MODELS, N_SPLITS))
    scores[1::100] = scores[::100] + rng.normal(0, 1e-9, (N_MODELS // 100, N_SPLITS))
    return scores


def gallery_loop(scores: np.ndarray, pairs: list[tuple[int, int]]) -> list[tuple[float, ...]]:
    """The gallery's computation for each pair."""
    rows = []
    for i, j in pairs:
        differences = scores[i] - scores[j]
        n = differences.size
        deviation = np.sqrt(np.var(differences, ddof=1) * (1 / n + N_TEST / N_TRAIN))
        t = np.mean(differences) / deviation
        p = stats.t.sf(np.abs(t), n - 1)
        posterior = stats.t(n - 1, loc=np.mean(differences), scale=deviation)
        worse, better = posterior.cdf(-ROPE), 1 - posterior.cdf(ROPE)
        rows.append((t, p, worse, posterior.cdf(ROPE) - posterior.cdf(-ROPE), better))
    return rows


def baycomp_loop(scores: np.ndarray, pairs: list[tuple[int, int]]) -> list[tuple[float, ...]]:
    """The three probabilities of each pair by baycomp."""
    return [baycomp.two_on_single(scores[i], scores[j], rope=ROPE, runs=10) for i, j in pairs]


def kernel(scores: np.ndarray) -> tuple[np.ndarray, ...]:
    """Statistic, p-value and three probabilities of all pairs, arrays in and arrays out."""
    first, second = np.triu_indices(len(scores), 1)
    test = corrected_law(law_of_pairs(scores, first, second), N_TEST / N_TRAIN)
    better, equivalent, worse = test.probabilities(ROPE)
    return test.statistic, test.pvalue(), worse, equivalent, better


def whole_answer(sources: dict[str, np.ndarray]):
    """Everything that `compare` offers for each pair, as a frame."""
    return tb.compare(sources, metric="accuracy", rope=ROPE, n_train=N_TRAIN, n_test=N_TEST).pairs


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def check_agreement(scores: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Largest relative error of t and absolute error of a probability, on random pairs and all near-duplicates."""
    first, second = np.triu_indices(N_MODELS, 1)
    chosen = rng.choice(first.size, 5_000, replace=False)
    duplicates = np.flatnonzero((first % 100 == 0) & (second == first + 1))
    rows = np.concatenate([chosen, duplicates])
    t, p, worse, equivalent, better = (column[rows] for column in kernel(scores))
    differences = scores[first[rows]] - scores[second[rows]]
    scale = np.sqrt(differences.var(axis=1, ddof=1) * (1 / N_SPLITS + N_TEST / N_TRAIN))
    expected = differences.mean(axis=1) / scale
    df, mean = N_SPLITS - 1, differences.mean(axis=1)
    expected_p = 2 * stats.t.sf(np.abs(expected), df)
    lower, upper = stats.t.cdf((-ROPE - mean) / scale, df), stats.t.sf((ROPE - mean) / scale, df)
    errors = [np.abs(got - want).max() for got, want in ((p, expected_p), (worse, lower), (better, upper))]
    errors.append(np.abs(equivalent - (1 - lower - upper)).max())
    return float((np.abs(t - expected) / np.maximum(1, np.abs(expected))).max()), float(max(errors))


def main() -> int:
    rng = np.random.default_rng(0)
    scores = draw_scores(rng)
    sources = {f"model {i}": row for i, row in enumerate(scores)}
    n_pairs = N_MODELS * (N_MODELS - 1) // 2
    pairs = [tuple(rng.choice(N_MODELS, 2, replace=False)) for _ in range(SAMPLE)]
    jobs = {
        "gallery loop": (lambda: gallery_loop(scores, pairs), SAMPLE),
        "baycomp loop": (lambda: baycomp_loop(scores, pairs), SAMPLE),
        "array kernel": (lambda: kernel(scores), n_pairs),
        "compare(...).pairs": (lambda: whole_answer(sources), n_pairs),
    }
    for job, _ in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, (job, n) in jobs.items():
            times[name].append(seconds(job) / n)

    def ratio(slow: str, fast: str) -> float:
        return statistics.median(a / b for a, b in zip(times[slow], times[fast], strict=True))

    tracemalloc.start()
    frame = whole_answer(sources)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    beyond = (peak - frame.memory_usage(deep=False).sum()) / 1e6
    t_error, p_error = check_agreement(scores, rng)
    goals = [
        Goal("kernel, times faster per pair than the gallery loop", ratio("gallery loop", "array kernel"), "at least", 1_000),
        Goal("kernel, times faster per pair than a baycomp loop", ratio("baycomp loop", "array kernel"), "at least", 120),
        Goal("pairs, times faster than the gallery loop", ratio("gallery loop", "compare(...).pairs"), "at least", 1_000),
        Goal("largest error of t, relative to max(1, |t|)", t_error, "at most", 1e-12),
        Goal("largest error of a probability", p_error, "at most", 1e-12),
        Goal("peak memory beyond the returned frame, MB", beyond, "at most", 100),
    ]
    print(f"{N_MODELS} models x {N_SPLITS} splits, {n_pairs} pairs; median of {ROUNDS} rounds in turn")
    for name, values in times.items():
        print(f"  {name:20} {statistics.median(values) * 1e6:10.3f} us per pair")
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
