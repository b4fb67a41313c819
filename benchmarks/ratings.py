"""Ratings: time and memory of a bootstrap, exactness against a converged fit and scipy's minimiser, coverage of ranks.

The converged fit is Newton's method with gradients in extended precision, until nothing moves; chains of wide ranges have a
closed form; random tables, incomplete ones included, are fitted by scipy.optimize. Coverage: 6 models of the Bradley-Terry model
on 40 datasets, 300 tables (seed 0). `BradleyTerryBootstrap.confidence_interval` has the rule of resamples without a finite fit.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc

import numpy as np
from goals import Goal, report
from scipy import optimize, special

import tiebreak as tb

ELO = 400 / np.log(10)
N_MODELS, N_DATASETS, N_RESAMPLES, N_TABLES, N_COVERED = 86, 900, 200, 200, 300

mle, bootstrap, of_scores = (
    tb.frequentist.bradley_terry_mle,
    tb.frequentist.bradley_terry_bootstrap,
    tb.frequentist.outcomes_of_scores,
)


def large() -> list[Goal]:
    """86 models on 900 datasets with 200 resamples: processor seconds, and megabytes at the peak."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, N_MODELS)[:, None] + rng.gumbel(size=(N_MODELS, N_DATASETS))
    seconds = []
    for _ in range(5):
        start = time.process_time()
        result = bootstrap(of_scores(scores), n_resamples=N_RESAMPLES)
        seconds.append(time.process_time() - start)
    tracemalloc.start()
    bootstrap(of_scores(scores), n_resamples=N_RESAMPLES)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    exact = by_newton(of_scores(scores).tables()[0][0])
    off = ELO * float(np.abs(result.log_ability - exact).max())
    time_taken = statistics.median(seconds)
    return [
        Goal(
            f"{N_MODELS} models x {N_DATASETS} datasets x {N_RESAMPLES} resamples: seconds",
            time_taken,
            "at most",
            0.6,
        ),
        Goal("the same: megabytes", peak, "at most", 120),
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
        step = np.log(ratio)  # only neighbours met, so each pair's odds are its own
        worst = max(worst, float(np.abs(-np.diff(mle(wins).log_ability) - step).max()))
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
            ability = mle(wins, ties=ties + ties.T).log_ability
        except tb.errors.InvalidScoresError:
            continue  # groups that never met
        if not np.all(np.isfinite(ability)):
            n_open += 1
            continue
        worst = max(worst, float(np.abs(ability - by_scipy(wins + (ties + ties.T) / 2)).max()))
        n_compared += 1
        n_incomplete += int(np.any((n + n.T + ties + ties.T)[~np.eye(m, dtype=bool)] == 0))
    print(f"{n_compared} tables with a finite fit, {n_incomplete} of them incomplete; {n_open} more without one")
    return [Goal(f"{N_TABLES} random tables: largest difference to scipy.optimize, log-odds", worst, "at most", 1e-6)]


def chain() -> list[Goal]:
    """500 models of which only neighbours met, in 4 and in 40 battles each; 1,000 resamples and the ranks: processor seconds."""
    rng, i, goals = np.random.default_rng(2), np.arange(499), []
    for n_battles in (4, 40):
        a, b = np.tile(i, n_battles), np.tile(i + 1, n_battles)
        won = np.concatenate([np.ones(499), -np.ones(499), rng.choice([-1, 1], 499 * (n_battles - 2))])
        start = time.process_time()
        result = bootstrap(tb.frequentist.outcomes_of_battles(a, b, won.astype(int), n_models=500))
        result.rank_intervals()
        goals.append(Goal(f"chain of 500 models, {n_battles} battles a pair: seconds", time.process_time() - start, "at most", 5))
        table = np.zeros((500, 500))
        np.add.at(table, (np.where(won > 0, a, b), np.where(won > 0, b, a)), 1)
        odds = np.log(table[i, i + 1] / table[i + 1, i])  # only neighbours met, so each pair's odds are its own
        off = ELO * float(np.abs(-np.diff(result.log_ability) - odds).max())
        goals.append(Goal("the same: Elo points off the closed form", off, "at most", 1e-6))
    return goals


def coverage() -> list[Goal]:
    """Share of tables in which all true ranks lie in their intervals, and of ratings that lie in theirs."""
    rng, ranks, held, n = np.random.default_rng(0), 0, 0, 0
    for _ in range(N_COVERED):
        ability = np.sort(rng.normal(0, 0.7, 6))[::-1]
        result = bootstrap(of_scores(ability[:, None] + rng.gumbel(size=(6, 40))), n_resamples=400)
        low, high = result.rank_intervals()
        ranks += bool(np.all((low <= np.arange(1, 7)) & (np.arange(1, 7) <= high)))
        low, high = result.confidence_interval()
        held += int(np.sum((low <= ability - ability.mean()) & (ability - ability.mean() <= high)))
        n += 6
    return [
        Goal(f"all true ranks covered, {N_COVERED} tables", ranks / N_COVERED, "at least", 0.92),
        Goal("true ratings covered", held / n, "at least", 0.93),
    ]


if __name__ == "__main__":
    sys.exit(report(large() + wide() + random_tables() + chain() + coverage()))
