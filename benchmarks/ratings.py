"""Ratings: time and memory, exactness against a converged fit and scipy's minimiser, coverage of ratings and ranks.

The converged fit is Newton's method with gradients in extended precision, until nothing moves; chains of wide ranges have a
closed form; random tables, incomplete ones included, are fitted by scipy.optimize. Coverage: models of different abilities, in
battles alone, of unequal popularity, and before judges with tastes of their own, 600 tables each.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from goals import Goal, report
from scipy import optimize, special

import tiebreak as tb

ELO = 400 / np.log(10)
N_MODELS, N_DATASETS, N_TABLES, N_COVERED = 86, 900, 200, 600

Battles = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]
bradley_terry = tb.statistics.bradley_terry


def of_scores(scores: np.ndarray) -> tb.statistics.BradleyTerry:
    """Ratings of models by who is better on each dataset."""
    first, second, score, dataset = tb.statistics.battles_of_scores(scores)
    return bradley_terry(first, second, score, n_models=len(scores), cluster=dataset)


def of_table(wins: np.ndarray, ties: np.ndarray | None = None) -> np.ndarray:
    """Abilities from tables of wins and ties, a battle for each entry with its number as the weight."""
    won, tied = np.nonzero(wins), np.nonzero(np.triu(np.zeros_like(wins) if ties is None else ties))
    first, second = np.concatenate([np.stack(won), np.stack(tied)], axis=1)
    score, n_tied = np.repeat([1.0, 0.5], [won[0].size, tied[0].size]), [] if ties is None else ties[tied]
    weight = np.concatenate([wins[won], n_tied])
    return bradley_terry(first, second, score, weight=weight, n_models=len(wins)).log_ability


def drawn(n_models: int, n: int, n_judges: int = 0) -> Battles:
    """Battles of models whose abilities are normal, a sixth of them ties."""
    rng = np.random.default_rng(0)
    ability = rng.normal(0, 1, n_models)
    a = rng.integers(0, n_models, n)
    b = (a + rng.integers(1, n_models, n)) % n_models
    won = rng.random(n) < special.expit(ability[a] - ability[b])
    return a, b, np.where(rng.random(n) < 1 / 6, 0.5, won), rng.integers(0, n_judges, n) if n_judges else None


def many() -> list[Goal]:
    """Battles of many models, alone, on questions and before judges, with a position, intervals and ranks: processor seconds."""
    goals = []
    for n_models, n, n_judges, limit in (
        *((300, 100_000, n_judges, 0.3) for n_judges in (0, 50_000, 1_000)),
        (1000, 50_000, 0, 3.0),
        *((1000, 1_000_000, n_judges, 5.0) for n_judges in (0, 200_000, 10_000)),
    ):
        a, b, score, judge = drawn(n_models, n, n_judges)
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            found = bradley_terry(a, b, score, cluster=judge, position=True)
            found.interval()
            found.rank_interval()
            seconds.append(time.perf_counter() - start)
        before = f" before {n_judges:,} judges" if n_judges else ""
        goals.append(Goal(f"{n_models} models, {n:,} battles{before}: seconds", min(seconds), "at most", limit))
    return goals


def large() -> list[Goal]:
    """86 models on 900 datasets: processor seconds, and megabytes at the peak."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, N_MODELS)[:, None] + rng.gumbel(size=(N_MODELS, N_DATASETS))
    seconds = []
    for _ in range(5):
        start = time.process_time()
        result = of_scores(scores)
        seconds.append(time.process_time() - start)
    tracemalloc.start()
    of_scores(scores)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    off = ELO * float(np.abs(result.log_ability - by_newton(result.wins)).max())
    return [
        Goal(f"{N_MODELS} models x {N_DATASETS} datasets: seconds", statistics.median(seconds), "at most", 1),
        Goal("the same: megabytes", peak, "at most", 500),
        Goal("the same: Elo points off a converged fit", off, "at most", 1e-6),
    ]


def by_newton(wins: np.ndarray) -> np.ndarray:
    """The maximum by undamped Newton steps, with the gradient in extended precision."""
    theta = np.zeros(len(wins), dtype=np.longdouble)
    won, n = wins.astype(np.longdouble), (wins + wins.T).astype(np.longdouble)
    for _ in range(60):
        p = 1 / (1 + np.exp(theta - theta[:, None]))
        gradient = (won - n * p).sum(axis=1)
        v = (n * p * (1 - p)).astype(float)
        information = np.diag(v.sum(axis=1)) - v + v.max() / len(wins)
        theta = theta + np.linalg.solve(information, gradient.astype(float))
        theta -= theta.mean()
    return theta.astype(float)


def wide() -> list[Goal]:
    """Chains of ten models of which each beats the next 10,000 to 1 and 10^9 to 1, in closed form."""
    worst = 0.0
    for ratio in (1e4, 1e9):
        wins = np.diag(np.full(9, ratio), 1) + np.diag(np.ones(9), -1)
        worst = max(worst, float(np.abs(-np.diff(of_table(wins)) - np.log(ratio)).max()))  # each pair's odds are its own
    return [Goal("ranges of 14,400 and 32,400 Elo points: points off", ELO * worst, "at most", 1e-6)]


def by_scipy(wins: np.ndarray) -> np.ndarray:
    """The maximum by BFGS, with the gradient, from 0."""
    played = wins + wins.T

    def loss(x: np.ndarray) -> float:
        return float((wins * np.logaddexp(0, x - x[:, None])).sum())

    def slope(x: np.ndarray) -> np.ndarray:
        return (played * special.expit(x[:, None] - x)).sum(axis=1) - wins.sum(axis=1)

    found = optimize.minimize(loss, np.zeros(len(wins)), jac=slope, method="BFGS", options={"gtol": 1e-11}).x
    return found - found.mean()


def random_tables() -> list[Goal]:
    """Random tables of 3 to 12 models with ties, of which some pairs never met."""
    rng, worst, n_compared, n_incomplete, n_open = np.random.default_rng(1), 0.0, 0, 0, 0
    while n_compared < N_TABLES:
        m = int(rng.integers(3, 13))
        met = np.triu(rng.random((m, m)) < rng.choice([0.4, 0.7, 1.0]), 1)
        n, theta = rng.integers(1, 12, (m, m)) * met, rng.normal(0, rng.choice([0.5, 1, 3]), m)
        won = rng.binomial(n, special.expit(theta[:, None] - theta))
        wins = (won + (n - won).T).astype(float)
        ties = np.triu(rng.poisson(0.5, (m, m)), 1) * met
        try:
            ability = of_table(wins, ties + ties.T)
        except tb.errors.DataError:
            continue  # groups that never met
        if not np.all(np.isfinite(ability)):
            n_open += 1
            continue
        worst = max(worst, float(np.abs(ability - by_scipy(wins + (ties + ties.T) / 2)).max()))
        n_compared += 1
        n_incomplete += int(np.any((n + n.T + ties + ties.T)[~np.eye(m, dtype=bool)] == 0))
    print(f"{n_compared} tables with a finite fit, {n_incomplete} of them incomplete; {n_open} more without one")
    return [Goal(f"{N_TABLES} random tables: largest difference to scipy.optimize, log-odds", worst, "at most", 1e-6)]


def covered(n: int, n_judges: int = 0, taste: float = 0.0, popular: float = 0.0, sizes: float = 0.0) -> Callable[..., Battles]:
    """Battles of six models before judges whose tastes leave the mean judge's odds as they are (probit's flattening undone)."""
    ability = np.linspace(0.8, -0.8, 6) * np.sqrt(1 + 0.346 * 2 * taste**2)

    def draw(rng: np.random.Generator) -> Battles:
        share = 1 / np.arange(1.0, 7.0) ** popular
        a = rng.choice(6, n, p=share / share.sum())
        b = rng.choice(6, n, p=share / share.sum())
        a, b = a[a != b], b[a != b]
        weight = rng.lognormal(0, sizes, max(n_judges, 1))
        judge = rng.choice(max(n_judges, 1), a.size, p=weight / weight.sum())
        liked = ability + taste * rng.normal(size=(max(n_judges, 1), 6))
        score = (rng.random(a.size) < special.expit(liked[judge, a] - liked[judge, b])).astype(float)
        return a, b, score, judge if n_judges else None

    return draw


COVERED = {
    "battles alone, 72": covered(72),
    "battles alone, 360": covered(360),
    "unequal popularity, 400": covered(400, popular=1.2),
    "10 judges, 240 battles": covered(240, 10, 0.5),
    "30 judges, 700 battles": covered(700, 30, 0.5),
    "30 judges of lognormal sizes": covered(700, 30, 0.5, sizes=1.2),
    "100 judges of lognormal sizes": covered(1500, 100, 0.5, sizes=1.2),
}
"""Worlds by name, each with six models from 0.8 to -0.8 in log-odds."""


def coverage() -> list[Goal]:
    """Share of differences of two models that lie in their 95 % intervals, and of tables whose true ranks all lie in theirs."""
    goals, truth = [], np.linspace(0.8, -0.8, 6)
    first, second = np.triu_indices(6, 1)
    for name, draw in COVERED.items():
        rng, held, n, ranks = np.random.default_rng(0), 0, 0, 0
        for _ in range(N_COVERED):
            a, b, score, judge = draw(rng)
            found = bradley_terry(a, b, score, n_models=6, cluster=judge)
            low, high = found.law(first, second).interval(0.95)
            gap, is_there = truth[first] - truth[second], ~np.isnan(low)
            held += int(np.sum((low <= gap) & (gap <= high)))
            n += int(is_there.sum())
            low, high = found.rank_interval()
            ranks += bool(np.all((low <= np.arange(1, 7)) & (np.arange(1, 7) <= high)))
        goals.append(Goal(f"{name}: differences covered", held / n, "at least", 0.94))
        goals.append(Goal(f"{name}: all true ranks covered", ranks / N_COVERED, "at least", 0.95))
    return goals


if __name__ == "__main__":
    sys.exit(report(many() + large() + wide() + random_tables() + coverage()))
