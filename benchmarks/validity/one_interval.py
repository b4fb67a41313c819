"""How often the one interval of a pair, its verdict, or the bounds against the best are wrong, when the truth is known.

Score tables are drawn with exactly the correlation that the correction assumes: with rho = n_test / (n_train + n_test), a split's
score is (true mean) + sqrt(rho) g + sqrt(1 - rho) e + (how hard the split is), g drawn once for a model and e for each split. A
table goes through the comparison behind `tiebreak.compare`, and all corrections judge the same table. Half of the models have the
true mean 0.8, the other half one that is better by 0, rope / 2, rope, or rope + 1 standard error; "mixed" has all of these. The
rope is 1 and 4 standard errors of a difference.

A table is wrong in its verdicts if any of them is (better where the true difference is not above the rope, ahead where it is not
above 0, equivalent where it is beyond the rope, and the mirrors of these; undecided is never wrong); in its intervals, if any
misses the true difference; against the best, if the best model (the first of equal ones) is not among those that may be the best,
or any shortfall is larger than its bound, or any standing says more than is true.

With "bonferroni", and against the best, no cell may lie above 0.05 by a one-sided binomial test at 0.01 over all
cells (Bonferroni); two models have intervals that miss exactly 0.05 of the time. The other corrections are printed as they are:
their intervals are not simultaneous, and do not claim to be.
"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.comparison.settings import Settings
from tiebreak.numerics.law import VERDICTS
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores

ALPHA, SIGMA, BASE = 0.05, 0.05, 0.8
CORRECTIONS = ("bonferroni", "none", "holm", "shaffer", "bh")
KEPT = ("bonferroni",)
SIZES = {10: (90, 10), 25: (80, 20), 100: (90, 10)}
"""Splits -> training and test examples: 10-fold, 5 x 5-fold, 10 x 10-fold."""
ROPES = (1.0, 4.0)
TRUTHS = ("0", "rope / 2", "rope", "rope + 1 se", "mixed")
TEST_ALPHA = 0.01


class Cell(NamedTuple):
    """One situation; rope in standard errors."""

    n_models: int
    n_splits: int
    rope: float
    truth: str

    @property
    def standard_error(self) -> float:
        """Of the difference of two models, as the correction has it."""
        n_train, n_test = SIZES[self.n_splits]
        rho = n_test / (n_train + n_test)
        return float(np.sqrt(2 * (rho + (1 - rho) / self.n_splits)) * SIGMA)

    @property
    def means(self) -> np.ndarray:
        """True means: half of the models at the base, the others above it."""
        rope, error = self.rope * self.standard_error, self.standard_error
        above = {"0": (0.0,), "rope / 2": (0.5 * rope,), "rope": (rope,), "rope + 1 se": (rope + error,)}
        above["mixed"] = (0.5 * rope, rope, 0.0, rope + error)
        steps = above[self.truth]
        return np.array([BASE + (steps[row // 2 % len(steps)] if row % 2 == 0 else 0.0) for row in range(self.n_models)])

    def draw(self, rng: np.random.Generator) -> Scores:
        """One table."""
        n_train, n_test = SIZES[self.n_splits]
        rho = n_test / (n_train + n_test)
        shape = (self.n_models, self.n_splits)
        noise = np.sqrt(rho) * rng.normal(size=(self.n_models, 1)) + np.sqrt(1 - rho) * rng.normal(size=shape)
        score = self.means[:, None] + SIGMA * (noise + rng.normal(size=self.n_splits))
        split, sizes = np.arange(self.n_splits), [np.full(self.n_splits, size) for size in (n_train, n_test)]
        names = tuple(f"m{row:02d}" for row in range(self.n_models))
        return Scores(Metric("score", higher_is_better=True), (ScoreMatrix("", names, 0 * split, split, *sizes, score),))


def cells() -> Iterator[Cell]:
    for n_models in (2, 5, 20):
        for n_splits in SIZES:
            for rope in ROPES:
                for truth in TRUTHS:
                    yield Cell(n_models, n_splits, rope, truth)


def is_wrong(verdict: np.ndarray, d: np.ndarray, rope: float) -> np.ndarray:
    """True where a verdict is not true of the true difference; the limits count as rounding leaves them."""
    noise = 1e-12
    right = {
        "better": d > rope + noise,
        "worse": d < -rope - noise,
        "equivalent": np.abs(d) <= rope + noise,
        "ahead": d > noise,
        "behind": d < -noise,
    }
    return np.select([verdict == VERDICTS.index(name) for name in right], [~truth for truth in right.values()], False)


def against_the_best(answer: Comparison, mean: np.ndarray) -> bool:
    """True where the best is not in G, a shortfall is larger than its bound, or a standing says too much."""
    table = answer.ranking_table
    shortfall = mean.max() - mean
    best = next(row for row in np.argsort(answer.models) if shortfall[row] <= 1e-12)
    standing = np.array(STANDINGS)[table.standing]
    says_too_much = ((standing == "best") & (shortfall > 1e-12)) | ((standing == "near best") & (shortfall > answer.rope + 1e-12))
    return bool(not table.may_be_best[best] or np.any(shortfall > table.shortfall_high + 1e-12) or np.any(says_too_much))


def simulate(cell: Cell, n: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Wrong tables by correction: in verdicts, in intervals; and those that are wrong against the best."""
    rng = np.random.default_rng([11, *(int(1000 * value) for value in cell[:3]), TRUTHS.index(cell.truth)])
    truth = dict(zip((f"m{row:02d}" for row in range(cell.n_models)), cell.means, strict=True))
    rope = cell.rope * cell.standard_error
    verdicts, intervals, n_best = np.zeros(len(CORRECTIONS), dtype=int), np.zeros(len(CORRECTIONS), dtype=int), 0
    for _ in range(n):
        answer = compare_scores(cell.draw(rng), Settings(rope=rope, alpha=ALPHA))
        mean = np.array([truth[name] for name in answer.models])
        d = mean[answer.pair_table.first] - mean[answer.pair_table.second]
        for place, correction in enumerate(CORRECTIONS):
            table = dataclasses.replace(answer.pair_table, correction=correction)
            low, high = table.interval
            verdicts[place] += is_wrong(table.verdict, d, rope).any()
            intervals[place] += np.any((low > d) | (high < d))
        n_best += against_the_best(answer, mean)
    return verdicts, intervals, n_best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=2_000, help="tables for each cell")
    parser.add_argument("--models", type=int, action="append", choices=(2, 5, 20), help="only cells with so many; repeatable")
    given = parser.parse_args()
    chosen = [cell for cell in cells() if not given.models or cell.n_models in given.models]
    n, start = given.n, time.perf_counter()
    n_tests = len(chosen) * (2 * len(KEPT) + 1)
    limit = int(binom.isf(TEST_ALPHA / n_tests, n, ALPHA))
    print(f"{n} tables for each of {len(chosen)} cells; share of tables with anything wrong, in %")
    print(f"goal for {', '.join(KEPT)} and the best: at most {100 * limit / n:.2f} in each (binomial test, {n_tests} of them)")
    print(f"{'models splits rope truth':30} what      " + " ".join(f"{name[:7]:>7}" for name in CORRECTIONS) + "    best")
    worst, missed = np.zeros((2, len(CORRECTIONS))), 0
    for cell in chosen:
        verdicts, intervals, n_best = simulate(cell, n)
        kept = [CORRECTIONS.index(name) for name in KEPT]
        missed += int(np.sum(np.array([verdicts, intervals])[:, kept] > limit)) + (n_best > limit)
        worst = np.maximum(worst, np.array([verdicts, intervals]) / n)
        name = f"{cell.n_models:6} {cell.n_splits:6} {cell.rope:4g} {cell.truth:11}"
        for what, counts, best in (("verdicts", verdicts, ""), ("intervals", intervals, f"{100 * n_best / n:8.2f}")):
            print(f"{name:30} {what:9} " + " ".join(f"{100 * k / n:7.2f}" for k in counts) + best, flush=True)
    for what, shares in zip(("verdicts", "intervals"), worst, strict=True):
        print(f"{'worst of all cells':30} {what:9} " + " ".join(f"{100 * share:7.2f}" for share in shares))
    print(f"{missed} missed, {time.perf_counter() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
