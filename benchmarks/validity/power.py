"""How often the defaults find a true difference, beside the test that people would run instead on the same tables.

Each row draws tables in which model a is better by a known difference. *Found* is the share of tables in which `tb.compare` says
so by default, and under it *peer* the share in which the peer's two-sided p-value is at most .05; *wrong* is the same share where
the models are equal. A row misses its goal where the peer holds the level and finds more by `CLOSE`, beyond chance. A row in
brackets has none: its peer is right where runs or periods are independent, which it has no way to know, and is wrong in the row
beside, where they are not.

    python benchmarks/validity/power.py                         all, 400 tables each (ten minutes)
    python benchmarks/validity/power.py --tables 1000 --only datasets time
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm, rankdata, t, ttest_1samp, ttest_ind, wilcoxon

import tiebreak as tb

ALPHA, LEVEL, CLOSE = 0.05, 0.065, 0.10
Rng = np.random.Generator
Array = np.ndarray
QUALITY: dict[str, Any] = {"metric": "quality", "lower_is_better": False}


class Drawn(NamedTuple):
    """A table, what `tb.compare` is told of it, and the p-value of the peer on the same numbers."""

    table: pd.DataFrame
    told: dict[str, Any]
    peer: float


class Row(NamedTuple):
    """Tables of one kind: `draw(rng, effect)` for a true difference, or for none."""

    name: str
    peer: str
    effect: float
    draw: Callable[[Rng, float], Drawn]
    has_goal: bool = True


ROWS: list[Row] = []


def row(name: str, peer: str, effect: float, *, has_goal: bool = True) -> Callable[[Callable[[Rng, float], Drawn]], None]:
    return lambda draw: ROWS.append(Row(name, peer, effect, draw, has_goal))


def paired(a: Array, b: Array, **columns: Array) -> pd.DataFrame:
    """A long table of two models, with the columns that both share."""
    n = len(a)
    shared = {name: np.tile(values, 2) for name, values in (columns or {"item": np.arange(n)}).items()}
    return pd.DataFrame({"model": np.repeat(["a", "b"], n), **shared, "score": np.concatenate([a, b])})


def p_of_mean(differences: Array) -> float:
    return float(ttest_1samp(differences, 0).pvalue)


# --- items ---------------------------------------------------------------------------------------------------------------------


def right_or_wrong(n: int, effect: float) -> None:
    @row(f"right or wrong, {n} items", "mid-p McNemar", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        hard = rng.normal(size=n)
        a, b = ((hard + rng.normal(size=n) < 0.5 + shift).astype(int) for shift in (effect, 0.0))
        only_a, only_b = int(np.sum(a > b)), int(np.sum(b > a))
        total = only_a + only_b
        if not total:
            return Drawn(paired(a, b), {"metric": "accuracy"}, 1.0)
        exact = binomtest(only_a, total).pvalue
        here = binomtest(max(only_a, only_b), total, alternative="greater").pvalue
        beyond = binomtest(max(only_a, only_b) + 1, total, alternative="greater").pvalue if max(only_a, only_b) < total else 0.0
        return Drawn(paired(a, b), {"metric": "accuracy"}, min(1.0, exact - (here - beyond)))


def graded(name: str, n: int, effect: float, shape: Callable[[Rng, int], Array]) -> None:
    @row(f"graded, {name}, {n} items", "paired t", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        hard = rng.normal(size=n)
        a, b = hard + shape(rng, n) + effect, hard + shape(rng, n)
        return Drawn(paired(a, b), QUALITY, p_of_mean(a - b))


def clusters(n_clusters: int, effect: float) -> None:
    @row(f"graded, {n_clusters} clusters of 2 to 14", "clustered standard error, t of clusters less one", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        sizes = rng.integers(2, 15, n_clusters)
        cluster = np.repeat(np.arange(n_clusters), sizes)
        difference = effect + 0.5 * rng.normal(size=n_clusters)[cluster] + rng.normal(size=len(cluster))
        hard = rng.normal(size=len(cluster))
        totals = np.bincount(cluster, difference - difference.mean())
        error = np.sqrt(n_clusters / (n_clusters - 1) * np.sum(totals**2)) / len(cluster)
        peer = float(2 * t.sf(abs(difference.mean()) / error, n_clusters - 1))
        return Drawn(paired(hard + difference, hard, item=np.arange(len(cluster)), cluster=cluster), QUALITY, peer)


def areas(n: int, n_positive: int, effect: float) -> None:
    @row(f"area under the ROC curve, {n_positive} of {n} positive", "DeLong z", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        y = (np.arange(n) < n_positive).astype(int)
        common = rng.normal(size=n) + 1.0 * y
        a, b = (common + 0.7 * rng.normal(size=n) + shift * y for shift in (effect, 0.0))
        table = pd.DataFrame({"y_true": y, "a": a, "b": b})
        return Drawn(table, {"metric": "roc_auc"}, delong_z(a, b, y))


def delong_z(a: Array, b: Array, y: Array) -> float:
    """The p-value of the test of DeLong, DeLong and Clarke-Pearson (1988), by midranks (Sun and Xu 2014)."""
    is_positive = y == 1
    m, n = int(is_positive.sum()), int((~is_positive).sum())
    areas_, of_positives, of_negatives = [], [], []
    for s in (a, b):
        every, positives, negatives = rankdata(s), rankdata(s[is_positive]), rankdata(s[~is_positive])
        of_positives.append((every[is_positive] - positives) / n)
        of_negatives.append(1 - (every[~is_positive] - negatives) / m)
        areas_.append(of_positives[-1].mean())
    spread = np.cov(of_positives) / m + np.cov(of_negatives) / n
    variance = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    return float(2 * norm.sf(abs(areas_[0] - areas_[1]) / np.sqrt(variance))) if variance > 0 else 1.0


def tasks(sizes: tuple[int, ...], effect: float) -> None:
    @row(f"average of tasks of {', '.join(map(str, sizes))} items", "stratified z", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        task = np.repeat([f"t{k}" for k in range(len(sizes))], sizes)
        n = len(task)
        hard = rng.normal(size=n)
        difference = effect + rng.normal(size=n)
        parts = [difference[task == each] for each in dict.fromkeys(task)]
        mean = np.mean([part.mean() for part in parts])
        error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts)) / len(parts)
        table = paired(hard + difference, hard, item=np.arange(n), task=task)
        return Drawn(table, QUALITY, float(2 * norm.sf(abs(mean) / error)))


def runs(n_items: int, n_runs: int, effect: float, spread: float, column: str) -> None:
    said = f"runs of spread {spread:g}" if spread else "runs that do not differ"

    @row(
        f"{n_items} items x {n_runs} {column}s, {said}",
        "t of the means of items",
        effect,
        has_goal=column == "epoch" or spread > 0,
    )
    def _(rng: Rng, effect: float) -> Drawn:
        hard = np.repeat(rng.normal(size=n_items), n_runs)
        own = [spread * np.tile(rng.normal(size=n_runs), n_items) + 0.5 * rng.normal(size=n_items * n_runs) for _ in range(2)]
        taste = np.repeat(0.5 * rng.normal(size=n_items), n_runs)
        a, b = hard + taste + own[0] + effect, hard + own[1]
        columns = {"item": np.repeat(np.arange(n_items), n_runs), column: np.tile(np.arange(n_runs), n_items)}
        return Drawn(paired(a, b, **columns), QUALITY, p_of_mean((a - b).reshape(n_items, n_runs).mean(axis=1)))


# --- splits, datasets, seeds, time ----------------------------------------------------------------------------------------------


def folds(n_repeats: int, n_folds: int, effect: float) -> None:
    @row(f"{n_repeats} x {n_folds}-fold cross-validation", "Nadeau and Bengio's t", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        n = n_repeats * n_folds
        share = 1 / n_folds
        hard = rng.normal(size=n)
        difference = effect + np.sqrt(share) * rng.normal() + np.sqrt(1 - share) * rng.normal(size=n)
        columns = {"repeat": np.repeat(np.arange(n_repeats), n_folds), "fold": np.tile(np.arange(n_folds), n_repeats)}
        error = np.sqrt((1 / n + 1 / (n_folds - 1)) * difference.var(ddof=1))
        peer = float(2 * t.sf(abs(difference.mean()) / error, n - 1))
        return Drawn(paired(hard + difference, hard, **columns), {**QUALITY, "n_train": n_folds - 1, "n_test": 1}, peer)


def datasets(name: str, n: int, effect: float, shape: Callable[[Rng, int], Array], decimals: int | None = None) -> None:
    @row(f"{n} datasets, {name}", "scipy's Wilcoxon", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        hard = rng.uniform(0.6, 0.9, n)
        a, b = hard + effect + shape(rng, n), hard
        if decimals is not None:
            a, b = np.round(a, decimals), np.round(b, decimals)
        difference = np.round(a - b, 9)
        peer = float(wilcoxon(difference).pvalue) if difference.any() else 1.0
        return Drawn(paired(a, b, dataset=np.array([f"d{k:03d}" for k in range(n)])), QUALITY, peer)


def seeds(n_a: int, n_b: int, effect: float) -> None:
    @row(f"seeds of their own, {n_a} and {n_b}", "Welch's t", effect)
    def _(rng: Rng, effect: float) -> Drawn:
        a, b = effect + rng.normal(size=n_a), rng.normal(size=n_b)
        table = pd.DataFrame(
            {
                "model": ["a"] * n_a + ["b"] * n_b,
                "seed": [*range(n_a), *range(100, 100 + n_b)],
                "score": np.concatenate([a, b]),
            }
        )
        return Drawn(table, QUALITY, float(ttest_ind(a, b, equal_var=False).pvalue))


def periods(n: int, effect: float, phi: float) -> None:
    @row(f"{n} periods, autoregression {phi:g}", "paired t", effect, has_goal=phi > 0)
    def _(rng: Rng, effect: float) -> Drawn:
        noise = np.empty(n + 100)
        noise[0] = rng.normal()
        shocks = rng.normal(size=n + 100) * np.sqrt(1 - phi**2)
        for place in range(1, n + 100):
            noise[place] = phi * noise[place - 1] + shocks[place]
        b = 5 + rng.normal(size=n)
        a = b - effect + noise[100:]
        told = {"metric": "squared error", "lower_is_better": True}
        return Drawn(paired(a, b, time=np.arange(n)), told, p_of_mean(a - b))


def make_rows() -> None:
    for each in ((100, 0.3), (300, 0.25)):
        right_or_wrong(*each)
    for n, effect in ((30, 0.8), (100, 0.4), (400, 0.2)):
        graded("normal", n, effect, lambda rng, size: rng.normal(size=size))
    for n, effect in ((30, 0.6), (100, 0.3), (400, 0.15)):
        graded("exponential", n, effect, lambda rng, size: rng.exponential(size=size))
    for n, effect in ((30, 0.7), (100, 0.5)):
        graded("t with 3 degrees of freedom", n, effect, lambda rng, size: rng.standard_t(3, size=size))
    for each in ((8, 0.8), (20, 0.45), (50, 0.3)):
        clusters(*each)
    for each in ((200, 10, 0.9), (200, 30, 0.5), (200, 100, 0.3)):
        areas(*each)
    for each in (((10, 20, 200), 0.35), ((20, 20, 20), 0.35)):
        tasks(*each)
    for n_runs in (2, 3, 5):
        runs(200, n_runs, 0.15, 0.0, "epoch")
        runs(200, n_runs, 0.15, 0.0, "run")
    runs(200, 5, 0.6, 0.3, "run")
    for each in ((1, 10, 1.2), (10, 10, 1.0)):
        folds(*each)
    for n, effect in ((12, 0.010), (30, 0.006), (60, 0.004)):
        datasets("normal", n, effect, lambda rng, size: 0.01 * rng.normal(size=size))
        datasets("t with 2 degrees of freedom", n, effect, lambda rng, size: 0.006 * rng.standard_t(2, size=size))
    for n in (12, 30, 60):
        datasets("two decimals, + .005 of spread .006", n, 0.005, lambda rng, size: 0.006 * rng.normal(size=size), 2)
    for each in ((5, 5, 2.0), (10, 10, 1.3), (3, 5, 3.0)):
        seeds(*each)
    for n in (30, 60, 200):
        periods(n, 3.2 / np.sqrt(n), 0.0)
    periods(200, 0.5, 0.5)


def shares(each: Row, number: int, n_tables: int) -> tuple[float, float, float, float]:
    """Shares of tables in which we, and the peer, find the difference, and call equal models different."""
    found = [0, 0, 0, 0]
    for place in range(n_tables):
        for column, effect in ((0, each.effect), (2, 0.0)):
            drawn = each.draw(np.random.default_rng([51 + column, number, place]), effect)
            verdict = tb.compare(drawn.table, **drawn.told).pair("a", "b").verdict
            found[column] += verdict in ("better", "ahead") if effect else verdict in ("better", "ahead", "behind", "worse")
            found[column + 1] += drawn.peer <= ALPHA
    ours, peer, wrong, peer_wrong = (number / n_tables for number in found)
    return ours, peer, wrong, peer_wrong


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--only", nargs="+", help="words of which one stands in the name")
    asked = parser.parse_args()
    make_rows()
    has_missed = False
    print(f"{'tables':52} {'found':>6} {'peer':>6}   {'wrong':>6} {'peer':>6}   peer")
    for number, each in enumerate(ROWS):
        if asked.only and not any(word in each.name for word in asked.only):
            continue
        ours, peer, wrong, peer_wrong = shares(each, number, asked.tables)
        chance = 2 * np.sqrt(0.5 / asked.tables)
        misses = each.has_goal and peer_wrong <= LEVEL and ours < peer - CLOSE - chance
        has_missed |= misses
        name = each.name if each.has_goal else f"({each.name})"
        print(
            f"{name:52} {ours:6.2f} {peer:6.2f}   {wrong:6.3f} {peer_wrong:6.3f}   {each.peer}{' MISSED' if misses else ''}",
            flush=True,
        )
    return int(has_missed)


if __name__ == "__main__":
    sys.exit(main())
