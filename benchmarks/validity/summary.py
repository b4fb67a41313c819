"""How often tables of means call equal models different, and how many true differences they show, whatever the overlap.

Each world draws the full data, prints what a table of means would have of them (rounded), and judges that alone, with
Bonferroni's level over all pairs. Beside it stands the test that has the pairs: Tango's, the corrected t, Welch's or DeLong's.

    python benchmarks/validity/summary.py [--tables 2000] [--seed 1]
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, rankdata

import tiebreak as tb
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates

ALPHA = 0.05
Array = np.ndarray
Judged = tuple[bool, bool]
"""Whether any pair was called different by the table of means, and by the test that knows the pairs."""


class World(NamedTuple):
    name: str
    draw: Callable[[np.random.Generator, float], Judged]
    effect: float
    """Difference of the first model from the others, in the metric's unit, where there is one."""


def latent(rng: np.random.Generator, n_models: int, n: int, correlation: float) -> Array:
    """Standard normal numbers of each model and unit, of models that are correlated so; of two it may be negative."""
    if n_models == 2:
        one, other = rng.normal(size=(2, n))
        return np.stack([one, correlation * one + np.sqrt(1 - correlation**2) * other])
    shared = rng.normal(size=n)
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(size=(n_models, n))


def any_apart(pairs: Iterator[tb.statistics.Law], n_models: int) -> bool:
    level = ALPHA / (n_models * (n_models - 1) / 2)
    return any(float(law.pvalue()) <= level for law in pairs)


def table_of(first: Array, second: Array) -> tuple[int, int, int, int]:
    return tuple(int(np.sum(each)) for each in (first & second, first & ~second, ~first & second, ~first & ~second))


def rates(n: int, rate: float, n_models: int, overlap: float, decimals: int) -> Callable[[np.random.Generator, float], Judged]:
    def draw(rng: np.random.Generator, effect: float) -> Judged:
        z = latent(rng, n_models, n, overlap)
        own = np.full(n_models, rate)
        own[0] += effect
        right = z <= norm.ppf(own)[:, None]
        shown = np.round(right.mean(axis=1), decimals)
        half = 0.5 * 10.0**-decimals
        pairs = list(combinations(range(n_models), 2))
        bound = (summary_rates(shown[i], shown[j], n, rounding=half) for i, j in pairs)
        full = (tb.statistics.tango(*table_of(right[i], right[j])) for i, j in pairs)
        return any_apart(bound, n_models), any_apart(full, n_models)

    return draw


def folds(k: int, n_models: int, correlation: float, ratio_of_sds: float = 1.0) -> Callable[[np.random.Generator, float], Judged]:
    """Scores of folds that share 1 / k of their variance, as training sets overlap; those of models are correlated so."""

    def draw(rng: np.random.Generator, effect: float) -> Judged:
        own = latent(rng, n_models, k, correlation) * np.sqrt(1 - 1 / k) + latent(rng, n_models, 1, correlation) * np.sqrt(1 / k)
        sds = np.full(n_models, 0.01)
        sds[0] *= ratio_of_sds
        score = 0.8 + sds[:, None] * own
        score[0] += effect
        mean, sd = np.round(score.mean(axis=1), 4), np.round(score.std(axis=1), 4)
        error = np.sqrt(k / (k - 1)) * (sd + 5e-5) * np.sqrt(1 / k + 1 / (k - 1))
        pairs = list(combinations(range(n_models), 2))
        bound = (summary_means(mean[i], mean[j], error[i], error[j], k - 1, rounding=1e-4) for i, j in pairs)
        full = (tb.statistics.corrected_t(score[i] - score[j], 1 / (k - 1)) for i, j in pairs)
        return any_apart(bound, n_models), any_apart(full, n_models)

    return draw


def runs(k: int, n_models: int, ratio_of_sds: float, df: float = np.inf) -> Callable[[np.random.Generator, float], Judged]:
    """Scores of independent training runs, with Student's tails where `df` is finite."""

    def draw(rng: np.random.Generator, effect: float) -> Judged:
        z = rng.normal(size=(n_models, k)) if np.isinf(df) else rng.standard_t(df, size=(n_models, k)) / np.sqrt(df / (df - 2))
        sds = np.full(n_models, 0.01)
        sds[0] *= ratio_of_sds
        score = 0.8 + sds[:, None] * z
        score[0] += effect
        mean, sd = np.round(score.mean(axis=1), 4), np.round(score.std(axis=1), 4)
        variance = (np.sqrt(k / (k - 1)) * (sd + 5e-5)) ** 2 / k
        pairs = list(combinations(range(n_models), 2))

        def bound(i: int, j: int) -> tb.statistics.Law:
            v, w = variance[i], variance[j]
            return summary_means(
                mean[i], mean[j], np.sqrt(v), np.sqrt(w), (v + w) ** 2 / (v**2 + w**2) * (k - 1), correlation=0.0, rounding=1e-4
            )

        full = (tb.statistics.welch_ttest(score[i], score[j]) for i, j in pairs)
        return any_apart((bound(i, j) for i, j in pairs), n_models), any_apart(full, n_models)

    return draw


def areas(
    n_positive: int, n_negative: int, area: float, n_models: int, correlation: float, sd: float = 1.0
) -> Callable[[np.random.Generator, float], Judged]:
    """Areas of normal scores, those of positives with this standard deviation."""

    def draw(rng: np.random.Generator, effect: float) -> Judged:
        y = np.repeat([1, 0], [n_positive, n_negative])
        own = np.full(n_models, area)
        own[0] += effect
        z = latent(rng, n_models, y.size, correlation) * np.where(y == 1, sd, 1.0)
        z = z + y * (norm.ppf(own) * np.sqrt(1 + sd**2))[:, None]
        ranks = rankdata(z, axis=1)[:, :n_positive].sum(axis=1)
        found = (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
        shown = np.round(found, 4)
        error = hanley_mcneil(shown, n_positive, n_negative)
        df = min(n_positive, n_negative) - 1
        pairs = list(combinations(range(n_models), 2))
        bound = (summary_means(shown[i], shown[j], error[i], error[j], df, rounding=1e-4) for i, j in pairs)
        law = tb.statistics.roc_areas(y, z)
        full = (law.difference(i, j) for i, j in pairs)
        return any_apart(bound, n_models), any_apart(full, n_models)

    return draw


WORLDS = [
    World("rates .50, n 100, 2 models, disjoint mistakes", rates(100, 0.5, 2, -1.0, 2), 0.2),
    World("rates .80, n 100, 2 models, disjoint mistakes", rates(100, 0.8, 2, -1.0, 2), 0.15),
    World("rates .90, n 1,000, 2 models, disjoint mistakes", rates(1000, 0.9, 2, -1.0, 3), 0.05),
    World("rates .99, n 1,000, 2 models, disjoint mistakes", rates(1000, 0.99, 2, -1.0, 3), 0.008),
    World("rates .95, n 10,000, 2 models, disjoint mistakes", rates(10000, 0.95, 2, -1.0, 4), 0.01),
    World("rates .80, n 100, 2 models, independent mistakes", rates(100, 0.8, 2, 0.0, 2), 0.15),
    World("rates .90, n 1,000, 2 models, independent mistakes", rates(1000, 0.9, 2, 0.0, 3), 0.05),
    World("rates .90, n 1,000, 2 models, .9 shared", rates(1000, 0.9, 2, 0.9, 3), 0.02),
    World("rates .90, n 1,000, 2 models, .9 shared, two decimals", rates(1000, 0.9, 2, 0.9, 2), 0.05),
    World("rates .80, n 1,000, 10 models, independent mistakes", rates(1000, 0.8, 10, 0.0, 3), 0.06),
    World("rates .99, n 10,000, 10 models, .8 shared", rates(10000, 0.99, 10, 0.8, 4), 0.005),
    World("rates .90, n 1,000, 5 models, all but the same", rates(1000, 0.9, 5, 0.98, 3), 0.03),
    World("5 folds, 2 models, correlation -.5", folds(5, 2, -0.5), 0.04),
    World("5 folds, 2 models, correlation 0", folds(5, 2, 0.0), 0.04),
    World("5 folds, 2 models, correlation .95", folds(5, 2, 0.95), 0.04),
    World("10 folds, 2 models, correlation -.9", folds(10, 2, -0.9), 0.03),
    World("10 folds, 10 models, correlation .5", folds(10, 10, 0.5), 0.04),
    World("10 folds, 2 models, one varies 5 times as much", folds(10, 2, -0.5, 5.0), 0.1),
    World("3 runs, 2 models", runs(3, 2, 1.0), 0.04),
    World("5 runs, 2 models, one varies 5 times as much", runs(5, 2, 5.0), 0.1),
    World("5 runs, 10 models", runs(5, 10, 1.0), 0.05),
    World("10 runs, 5 models, tails of t with 3 df", runs(10, 5, 1.0, 3.0), 0.02),
    World("areas .80, 40 + 160, 2 models, correlation -.9", areas(40, 160, 0.8, 2, -0.9), 0.12),
    World("areas .80, 40 + 160, 2 models, correlation .8", areas(40, 160, 0.8, 2, 0.8), 0.1),
    World("areas .95, 20 + 980, 2 models, correlation -.9", areas(20, 980, 0.95, 2, -0.9), 0.04),
    World("areas .70, 100 + 100, 5 models, correlation 0", areas(100, 100, 0.7, 5, 0.0), 0.15),
    World("areas .85, 30 + 300, 2 models, positives vary twice as much", areas(30, 300, 0.85, 2, -0.9, 2.0), 0.12),
    World("areas .85, 30 + 300, 2 models, positives vary half as much", areas(30, 300, 0.85, 2, -0.9, 0.5), 0.12),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"{'world':64s} wrong  (pairs)  shown  (pairs)   of {asked.tables} tables each")
    for number, world in enumerate(WORLDS):
        rng = np.random.default_rng([asked.seed, number])
        wrong, shown = (np.mean([world.draw(rng, effect) for _ in range(asked.tables)], axis=0) for effect in (0.0, world.effect))
        print(f"{world.name:64s} {wrong[0]:.3f}  ({wrong[1]:.3f})  {shown[0]:.3f}  ({shown[1]:.3f})", flush=True)


if __name__ == "__main__":
    main()
