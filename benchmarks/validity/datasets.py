"""How often comparisons over many datasets are wrong, and how much they find beside Nemenyi's test at the same error.

Tables of 6 to 100 datasets and 2 to 10 models, whose scores are normal, skewed (exponential) or rounded so that many tie. On half
of the tables the models are exchangeable: any pair that is told apart is wrong, and every interval should hold 0. On the others
the models differ by equal steps, so their ranks are known: rank intervals should hold all of them at once, and the best model
should be among those that may be. The verdicts are those of `tb.compare` by its default (Wilcoxon's test, Holm's level), in
batches; on two tables of each cell and half that is checked against `tb.compare` itself.

Power is the share of the pairs that are told apart on the second half, by Wilcoxon's test with Holm's correction and by
Nemenyi's, each at the level at which it is wrong on 5 % of the exchangeable tables (or on as many fewer as the counts of ranks
allow). Goals, each by a one-sided binomial test at 0.01 over all cells: wrong at most 5 %, coverage at least 95 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np
from scipy import stats

import tiebreak as tb
from tiebreak.statistics import adjust_pvalues, average_ranks, critical_difference, wilcoxon
from tiebreak.statistics.family import shared_alpha

ALPHA = 0.05
DATASETS = (6, 12, 30, 100)
MODELS = (2, 5, 10)
SPAN = 1.2
"""Distance of the best and the worst model where they differ, in standard deviations of a score."""
KINDS = ("normal", "skewed", "tied")
BLOCK = 200
"""Tables at a time."""


class Verdicts(NamedTuple):
    """Of some tables: shown differences (1, 0, -1) and p-values of all pairs, own 95 % intervals, bounds and average ranks."""

    shown: np.ndarray
    pvalue: np.ndarray
    low: np.ndarray
    high: np.ndarray
    best_is_kept: np.ndarray
    ranks: np.ndarray


class Cell(NamedTuple):
    """Rates of one cell, in per cent; nan where nothing can be asked."""

    wrong: float
    covered: float
    ranks_held: float
    best_kept: float
    power: float
    nemenyi: float


def draw(kind: str, rng: np.random.Generator, shape: tuple[int, int, int], effects: np.ndarray) -> np.ndarray:
    """Scores of tables x models x datasets: the ease of a dataset, the model's effect and noise of variance 1."""
    noise = rng.standard_exponential(shape) - 1.0 if kind == "skewed" else rng.standard_normal(shape)
    scores = 10.0 + 3.0 * rng.standard_normal((shape[0], 1, shape[2])) + effects[:, None] + noise
    return np.round(2.0 * scores) / 2.0 if kind == "tied" else scores


def judge(scores: np.ndarray) -> Verdicts:
    """Verdicts of tables x models x datasets, as `tb.compare` reaches them."""
    n_models = scores.shape[1]
    first, second = np.triu_indices(n_models, 1)
    test = wilcoxon(scores[:, first] - scores[:, second], scale=np.abs(scores).max(), continuity=False)
    p = np.atleast_2d(test.pvalue())
    level = np.array([shared_alpha(row, "holm", ALPHA) for row in p])
    decided = test.interval_at(np.broadcast_to(level[:, None], p.shape))
    own = test.interval_at(ALPHA)
    shown = (decided.low > 1e-9).astype(np.int8) - (decided.high < -1e-9).astype(np.int8)
    # the best stays in G for sure where no other model has a lower bound above it, at alpha / max(2, M - 1)
    is_of_best = first == 0
    against = test.interval_at(2 * ALPHA / max(2, n_models - 1))
    best_is_kept = (against.high[:, is_of_best] >= -1e-9).all(axis=1)
    return Verdicts(shown, p, own.low, own.high, best_is_kept, average_ranks(np.swapaxes(scores, 1, 2)))


def judged(kind: str, n: int, n_models: int, n_tables: int, span: float, seed: int) -> Verdicts:
    """Verdicts of many tables, the best model first in each; two of the tables are compared by `tb.compare` as well."""
    rng = np.random.default_rng([seed, n, n_models, KINDS.index(kind)])
    effects = np.linspace(span, 0.0, n_models)
    blocks = []
    for start in range(0, n_tables, BLOCK):
        scores = draw(kind, rng, (min(BLOCK, n_tables - start), n_models, n), effects)
        blocks.append(judge(scores))
        if start == 0:
            for table, shown in zip(scores[:2], blocks[0].shown, strict=False):
                check(table, shown)
    return Verdicts(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def check(table: np.ndarray, shown: np.ndarray) -> None:
    """Compare one table with the public function."""
    columns = {"dataset": [f"d{i:03}" for i in range(table.shape[1])], **{f"m{i}": row for i, row in enumerate(table)}}
    answer = tb.compare(columns, metric="score", lower_is_better=False)
    for (i, j), mine in zip(zip(*np.triu_indices(len(table), 1), strict=True), shown.tolist(), strict=True):
        verdict = answer.pair(f"m{i}", f"m{j}").verdict
        if {"better": 1, "worse": -1}.get(verdict, 0) != mine:
            raise AssertionError(f"tb.compare says {verdict} of models {i} and {j}, this script {mine}")


def measure(kind: str, n: int, n_models: int, n_tables: int) -> Cell:
    """Rates of one cell."""
    same, apart = (judged(kind, n, n_models, n_tables, span, seed) for seed, span in enumerate((0.0, SPAN)))
    first, second = np.triu_indices(n_models, 1)
    wrong = (same.shown != 0).any(axis=1)
    covered = (same.low <= 1e-9) & (same.high >= -1e-9)
    # pair (i, j) has i < j, and i is truly better: rank intervals hold all ranks where none is shown the other way
    ranks_held = (apart.shown >= 0).all(axis=1)
    family = len(first)
    level = calibrated(same.pvalue.min(axis=1) * family)
    adjusted = np.array([adjust_pvalues(row, "holm") for row in apart.pvalue])
    z = (apart.ranks[:, second] - apart.ranks[:, first]) / critical_difference(n_models, n, ALPHA)
    spread = np.ptp(same.ranks, axis=1) / critical_difference(n_models, n, ALPHA)
    limit = -calibrated(-spread)
    rates = (wrong, covered, ranks_held, apart.best_is_kept, adjusted <= level, z >= limit)
    return Cell(*(100.0 * float(np.mean(rate)) for rate in rates))


def calibrated(smallest: np.ndarray) -> float:
    """Largest limit that at most 5 % of the tables reach, each with its smallest value; those of ranks are few."""
    values, counts = np.unique(np.round(smallest, 12), return_counts=True)
    allowed = np.flatnonzero(np.cumsum(counts) <= ALPHA * smallest.size)
    return float(values[allowed[-1]]) + 1e-12 if allowed.size else -np.inf


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=2000, help="tables of each cell and half")
    n_tables = parser.parse_args().n
    cells = [(n, n_models, kind) for n in DATASETS for n_models in MODELS for kind in KINDS]
    n_goals = 4 * len(cells)
    most = stats.binom.isf(0.01 / n_goals, n_tables, ALPHA) / n_tables
    least = stats.binom.ppf(0.01 / n_goals, n_tables, 1 - ALPHA) / n_tables
    print(f"{n_tables:,} tables each, in %; at most {100 * most:.2f} wrong, at least {100 * least:.2f} covered")
    print(
        f"{'datasets':>8}{'models':>7} {'scores':8}{'wrong':>7}{'covered':>9}{'ranks':>7}{'best':>7}   power: "
        f"{'Holm':>6}{'Nemenyi':>9}"
    )
    missed, start = 0, time.perf_counter()
    for n, n_models, kind in cells:
        rates = measure(kind, n, n_models, n_tables)
        is_missed = rates.wrong > 100 * most or min(rates[1:4]) < 100 * least
        missed += is_missed
        print(
            f"{n:8}{n_models:7} {kind:8}{rates.wrong:7.2f}{rates.covered:9.2f}{rates.ranks_held:7.2f}{rates.best_kept:7.2f}"
            f"   {rates.power:13.1f}{rates.nemenyi:9.1f}{'  missed' if is_missed else ''}",
            flush=True,
        )
    print(f"{missed} of {len(cells)} cells miss a goal; {time.perf_counter() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
