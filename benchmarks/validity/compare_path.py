"""How often `compare` gives a wrong verdict, when the truth is known.

Score tables are drawn with exactly the correlation that the correction assumes: with rho = n_test / (n_train + n_test), a
split's difference is (true difference) + sqrt(rho) g + sqrt(1 - rho) e, g drawn once for a table and e for each split. A table
goes through the whole of `tiebreak.compare`. A verdict is wrong when it is not true of the true difference. For each
situation the script prints the rate and the lower end of its one-sided 99 % Clopper-Pearson bound, which must not exceed alpha.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
from scipy.stats import beta

import tiebreak as tb
from tiebreak.numerics.law import VERDICTS

ALPHA, N_TRAIN, N_TEST, N_SPLITS, SIGMA = 0.05, 90, 10, 100, 0.05
RHO = N_TEST / (N_TRAIN + N_TEST)
LEVEL = 0.99


def draw_table(rng: np.random.Generator, means: np.ndarray) -> dict[str, np.ndarray]:
    """Scores of models with the given true means; every difference has the assumed correlation between splits."""
    shared = rng.normal(0, np.sqrt(RHO) * SIGMA, (means.size, 1))
    own = rng.normal(0, np.sqrt(1 - RHO) * SIGMA, (means.size, N_SPLITS))
    difficulty = rng.normal(0, SIGMA, N_SPLITS)
    return {f"m{i:02d}": row for i, row in enumerate(means[:, None] + shared + own + difficulty)}


def draw_accuracies(rng: np.random.Generator, n_examples: int, n_folds: int) -> dict[str, np.ndarray]:
    """Two equally good models, right or wrong on few examples, in one k-fold: zero spread occurs."""
    right = rng.random((2, n_examples)) < 0.97
    return {name: row.reshape(n_folds, -1).mean(axis=1) for name, row in zip(("a", "b"), right, strict=True)}


def wrong_verdicts(comparison: tb.Comparison, truth: dict[str, float]) -> int:
    """Verdicts that are not true of the true difference; undecided is never wrong."""
    rope, wrong = comparison.rope, 0
    table, models = comparison.pair_table, comparison.models
    for first, second, code in zip(table.first, table.second, table.verdict, strict=True):
        d = truth[models[first]] - truth[models[second]]
        right = {
            "better": d > rope,
            "ahead": d > 0,
            "equivalent": abs(d) <= rope * (1 + 1e-12),
            "behind": d < 0,
            "worse": d < -rope,
        }
        wrong += not right.get(VERDICTS[code], True)
    return wrong


def lower_bound(k: int, n: int) -> float:
    return 0.0 if k == 0 else float(beta.ppf(1 - LEVEL, k, n - k + 1))


def upper_bound(k: int, n: int) -> float:
    return 1.0 if k == n else float(beta.ppf(LEVEL, k + 1, n - k))


def situations(n: int) -> Iterator[tuple[str, float, float, bool]]:
    """Name, observed rate, its bound, and whether the goal is met."""
    standard_error = np.sqrt((1 / N_SPLITS + N_TEST / N_TRAIN) * 2 * (1 - RHO)) * SIGMA
    for rope in (0.0, 0.01, 0.5 * standard_error, 3 * standard_error):
        truths = {
            "0": 0.0,
            "rope / 2": rope / 2,
            "rope": rope,
            "just above rope": rope * 1.001 + 1e-9,
            "rope + 1 se": rope + standard_error,
        }
        for name, d in truths.items():
            rng = np.random.default_rng([1, int(1e6 * rope), int(1e9 * d)])
            k = 0
            for _ in range(n):
                table = draw_table(rng, np.array([0.8 + d, 0.8]))
                c = tb.compare(table, metric="accuracy", rope=rope, alpha=ALPHA, n_train=N_TRAIN, n_test=N_TEST)
                k += wrong_verdicts(c, {"m00": d, "m01": 0.0}) > 0
            bound = lower_bound(k, n)
            yield f"per pair, rope {rope:.4f}, true d = {name}", k / n, bound, bound <= ALPHA
    for correction in ("bonferroni", "holm"):
        for n_models in (2, 5, 10, 40):
            rng = np.random.default_rng([2, n_models])
            k = 0
            for _ in range(n):
                table = draw_table(rng, np.full(n_models, 0.8))
                c = tb.compare(table, metric="accuracy", alpha=ALPHA, correction=correction, n_train=N_TRAIN, n_test=N_TEST)
                k += wrong_verdicts(c, dict.fromkeys(table, 0.0)) > 0
            bound = lower_bound(k, n)
            yield f"family, {correction}, {n_models} models, d = 0", k / n, bound, bound <= ALPHA
    rng, k, flat = np.random.default_rng(3), 0, 0
    for _ in range(n):
        table = draw_accuracies(rng, 100, 5)
        c = tb.compare(table, metric="accuracy", rope=0.01, alpha=ALPHA, n_train=80, n_test=20)
        k += wrong_verdicts(c, {"a": 0.0, "b": 0.0}) > 0
        flat += c.pair_table.kind[0] != 0
    bound = lower_bound(k, n)
    yield f"0/1 scores, 100 examples, 5-fold, zero spread in {flat} of {n}", k / n, bound, bound <= ALPHA
    for n_models in (2, 5, 10, 40):
        rng, kept = np.random.default_rng([4, n_models]), 0
        for _ in range(n):
            table = draw_table(rng, np.full(n_models, 0.8))
            c = tb.compare(table, metric="accuracy", alpha=ALPHA, n_train=N_TRAIN, n_test=N_TEST)
            kept += "m00" in c.shortlist()
        bound = upper_bound(kept, n)
        yield f"shortlist keeps a model named before, {n_models} models", kept / n, bound, bound >= 1 - ALPHA


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=2_000, help="tables for each situation")
    n = parser.parse_args().n
    start, missed = time.perf_counter(), 0
    print(f"{n} tables each, alpha {ALPHA}; bound: one-sided {LEVEL:.0%} Clopper-Pearson (upper for the shortlist)")
    for name, rate, bound, met in situations(n):
        missed += not met
        print(f"  {name:58} rate {rate:.4f}   bound {bound:.4f}   {'met' if met else 'MISSED'}", flush=True)
    print(f"{missed} missed, {time.perf_counter() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
