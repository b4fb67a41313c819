"""How often the defaults call equal models different in worlds that broke them before, on arrays.

Each world draws tables of equal models and judges all of them with the array functions that `tb.compare` reads, at level 0.05
shared by Bonferroni between the pairs; the rate is the share of tables with any difference called. 2,000 tables for the named
worlds, 500 for the rest; a world fails where its rate lies above its promise by a one-sided binomial test at 0.01 over the number
of worlds.

Adds its rows to docs/error-rates.csv (`truth` is "none": all models are equal).

    python benchmarks/validity/worlds.py            all, a few minutes
    python benchmarks/validity/worlds.py --tables 200
    python benchmarks/validity/worlds.py --write    and the rows of docs/error-rates.csv
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import fftconvolve, lfilter
from scipy.stats import binom, norm, spearmanr

from tiebreak.comparison.procedures.clustered_t import MOST_EVEN, SIZE_LEVEL
from tiebreak.comparison.procedures.diebold_mariano import VERY_SKEWED
from tiebreak.comparison.procedures.items import FEW_CLUSTERS
from tiebreak.comparison.procedures.jackknife_t import FEW_RARER
from tiebreak.comparison.procedures.proportions import FEW_EXPECTED, UNEVEN
from tiebreak.frequentist.clusters import cluster_sums, mean_of_clusters
from tiebreak.frequentist.crossed_runs import crossed_mean
from tiebreak.frequentist.delong import paired_auc
from tiebreak.frequentist.diebold_mariano import diebold_mariano_test, lasting_autocorrelation
from tiebreak.frequentist.jackknife import jackknife_metric
from tiebreak.frequentist.johnson import johnson_t, skewness_of_mean
from tiebreak.frequentist.metric_sums import metric_of_classes
from tiebreak.frequentist.proportions import independent_proportions
from tiebreak.frequentist.signed_rank import wilcoxon
from tiebreak.frequentist.tango import paired_proportions
from tiebreak.numerics import student_tail

TARGET = Path(__file__).parents[2] / "docs" / "error-rates.csv"
ALPHA = 0.05
Array = np.ndarray


class World(NamedTuple):
    """Tables of equal models: the procedure, what they are, the units, the promise, and whether a table called any different.

    `wrong` gives two booleans for each of n tables: called different, and named by the check that is for such worlds.
    """

    procedure: str
    data: str
    units: int
    promise: float
    wrong: Callable[[np.random.Generator, int], tuple[Array, Array]]
    is_named: bool = True


def areas(n_models: int, m: int, n: int, area: float, tails: str) -> World:
    """Areas under ROC curves of models that share half of their noise."""
    first, second = np.triu_indices(n_models, 1)
    shift, truth = np.sqrt(2) * norm.ppf(area), np.arange(m + n) < m

    def one(rng: np.random.Generator) -> bool:
        draw = SHAPES["t with 2 df" if tails == "heavy tails" else "normal"]
        score = np.sqrt(0.5) * (draw(rng, (n_models, m + n)) + draw(rng, (1, m + n))) + shift * truth
        pairs = paired_auc(truth, score).difference(first, second)
        p = 2 * np.minimum(pairs.tail_below(0.0), pairs.tail_above(0.0))
        return bool(np.any(np.nan_to_num(p, nan=1.0) < ALPHA / first.size))

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        return np.array([one(rng) for _ in range(n_tables)]), np.full(n_tables, min(m, n) < 20)

    return World("delong", f"{m} positives of {m + n}, area {area:g}, {tails}, {n_models} models", m + n, 0.05, wrong)


def periods(kind: str, n: int, promise: float) -> World:
    """Series of loss differences with mean 0."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        if kind in TIME_SHAPES:
            return SHAPES[TIME_SHAPES[kind]](rng, (n_tables, n))
        noise = rng.normal(size=(n_tables, n + 1500))
        if kind.startswith("season"):
            return lfilter([1], [1] + [0] * 11 + [-0.7], noise, axis=1)[:, 1500:]
        if kind.startswith("AR"):
            return lfilter([1], [1, -float(kind[3:-1])], noise, axis=1)[:, 1500:]
        if kind == "MA(3)":
            return lfilter([1, 1, 1, 1], [1], noise, axis=1)[:, 1500:]
        k = np.arange(1, 1500)
        weights = np.concatenate([[1.0], np.cumprod((k - 1 + 0.35) / k)])
        return fftconvolve(noise, weights[None], axes=1)[:, 1500 : 1500 + n]

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        series = draw(rng, n_tables)
        skewness = np.abs(skewness_of_mean(series - series.mean(axis=1, keepdims=True))) * np.sqrt(n)
        named = lasting_autocorrelation(series) | (n < 60) | (skewness > VERY_SKEWED)
        return diebold_mariano_test(series).pvalue() < ALPHA, named

    return World("diebold-mariano", f"differences of losses: {kind}", n, promise, wrong)


TIME_SHAPES = {"heavy tails": "t with 2 df", "lognormal": "lognormal 1 against a constant"}

SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "lognormal 1.5 against a constant": lambda rng, size: rng.lognormal(0, 1.5, size) - np.exp(1.125),
    "lognormal 1 against a constant": lambda rng, size: rng.lognormal(0, 1, size) - np.exp(0.5),
    "exponential against a constant": lambda rng, size: rng.exponential(size=size) - 1,
    "differences of lognormals 1.5": lambda rng, size: rng.lognormal(0, 1.5, size) - rng.lognormal(0, 1.5, size),
    "normal": lambda rng, size: rng.normal(size=size),
    "t with 2 df": lambda rng, size: rng.standard_t(2, size=size),
    "5 % of items carry all": lambda rng, size: (rng.random(size) < 0.05) * rng.uniform(0.9, 1.1, size) - 0.05,
}


def both_reject(sums: object, level: float) -> Array:
    """As `clustered-t` judges: Student's and Johnson's t of the mean of clusters."""
    found = mean_of_clusters(sums)  # type: ignore[arg-type]
    mean = sums.totals.sum(-1, keepdims=True) / np.sum(sums.weights, -1, keepdims=True)  # type: ignore[attr-defined]
    skewness = skewness_of_mean(sums.totals - sums.weights * mean, found.n_clusters)  # type: ignore[attr-defined]
    t = np.nan_to_num(np.where(np.asarray(found.kind) == 0, found.statistic, 0.0))
    above, below = (
        np.maximum(student_tail(sign * t, found.df), student_tail(johnson_t(sign * t, sign * skewness), found.df))
        for sign in (1, -1)
    )
    return 2 * np.minimum(above, below) < level


def items(shape: str, n: int, promise: float, n_pairs: int = 1) -> World:
    """Means of graded items; nine pairs at the level of a family of 10 models, or one."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        called = np.zeros(n_tables, dtype=bool)
        for _ in range(max(1, n_pairs // 5)):
            values = SHAPES[shape](rng, (n_tables, n))
            called |= both_reject(cluster_sums(values), ALPHA / n_pairs)
        others = np.count_nonzero(np.abs(values - np.median(values, axis=1, keepdims=True)) > 1e-9, axis=1)
        return called, (others > 0) & (others < 10) & (others < n / 2)

    return World("clustered-t", f"items: {shape}{', 9 pairs at the level of 45' if n_pairs > 1 else ''}", n, promise, wrong)


def clusters(kind: str, n_clusters: int) -> World:
    """Clusters with an effect of their own: equal sizes, one giant, Pareto sizes."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        size = np.full(n_clusters, 10)
        if kind == "one giant":
            size[0] = 10 * n_clusters
        if kind == "Pareto sizes":
            size = np.minimum(np.ceil(3 * (1 - (np.arange(n_clusters) + 0.5) / n_clusters) ** (-1 / 1.5)), 500).astype(int)
        codes = np.repeat(np.arange(n_clusters), size)
        values = rng.normal(size=(n_tables, n_clusters))[:, codes] * 0.5 + rng.normal(size=(n_tables, codes.size))
        return both_reject(cluster_sums(values, codes), ALPHA), np.zeros(n_tables, dtype=bool)

    return World("clustered-t", f"clusters: {kind}", n_clusters, 0.05, wrong, is_named=False)


def size_effects(law: str, n_clusters: int, promise: float) -> World:
    """Clusters drawn with their sizes, whose effect rises by 0.5 for each e-fold of the size; the mean over all items is 0."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        many = 200_000
        sizes = np.ceil(10 * rng.lognormal(0, 0.5, many))
        if law == "Pareto 1.5":
            sizes = np.minimum(np.ceil(3 * (1 - rng.random(many)) ** (-1 / 1.5)), 300)
        middle = np.average(np.log(sizes), weights=sizes)
        called, named = np.zeros((2, n_tables), dtype=bool)
        for table in range(n_tables):
            size = rng.choice(sizes, n_clusters).astype(int)
            codes = np.repeat(np.arange(n_clusters), size)
            effect = 0.5 * (np.log(size) - middle) + 0.5 * rng.normal(size=n_clusters)
            values = effect[codes] + rng.normal(size=codes.size)
            called[table] = both_reject(cluster_sums(values[None], codes), ALPHA)[0]
            goes = np.ptp(size) > 0 and spearmanr(size, np.bincount(codes, values) / size).pvalue < SIZE_LEVEL
            named[table] = n_clusters < FEW_CLUSTERS or (
                goes and size.sum() ** 2 / np.square(size).sum() <= MOST_EVEN * n_clusters
            )
        return called, named

    return World("clustered-t", f"clusters: effect by size, {law} sizes", n_clusters, promise, wrong, is_named=promise < 1)


def runs(kind: str, n_runs: int, n: int) -> World:
    """Items answered in several runs, both of which vary."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        of_items, of_runs = rng.normal(size=(n_tables, 1, n)), rng.normal(size=(n_tables, n_runs, 1))
        both = rng.normal(size=(n_tables, n_runs, n))
        parts = {"items": (1, 0.1, 0.3), "runs": (0.1, 1, 0.3), "items and runs": (1, 0.3, 1)}[kind]
        low, high = crossed_mean(parts[0] * of_items + parts[1] * of_runs + parts[2] * both).confidence_interval(1 - ALPHA)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0), np.full(n_tables, n_runs == 2)

    return World("clustered-t", f"{n_runs} runs of items, {kind} vary", n, 0.05, wrong)


def seeds(kind: str, n: int, promise: float) -> World:
    """Scores of two models over seeds, in per cent."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        difference = rng.normal(size=(n_tables, n)) - rng.normal(size=(n_tables, n))
        if kind == "whole per cents":
            difference = np.round(80 + 2 * rng.normal(size=(n_tables, n))) - np.round(80 + 2 * rng.normal(size=(n_tables, n)))
        if kind.startswith("exponential"):
            difference = SHAPES["exponential against a constant"](rng, (n_tables, n))
        sd = difference.std(axis=1, ddof=1)
        t = np.divide(difference.mean(axis=1) * np.sqrt(n), sd, out=np.zeros(n_tables), where=sd > 0)  # constant: undecided
        return 2 * student_tail(np.abs(t), n - 1.0) < ALPHA, np.ones(n_tables, dtype=bool)

    return World("paired-t", f"seeds: {kind}", n, promise, wrong)


def test_sets(n_first: int, n_second: int, rate: float, promise: float) -> World:
    """Test sets of each model's own."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        x, y = rng.binomial(n_first, rate, n_tables), rng.binomial(n_second, rate, n_tables)
        low, high = independent_proportions(x, n_first, y, n_second).confidence_interval(1 - ALPHA)
        common = (x + y) / (n_first + n_second)
        common = np.minimum(common, 1 - common)
        named = (n_first * common < FEW_EXPECTED) & (n_first * UNEVEN <= n_second) & (common > 0)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0), named

    return World("newcombe", f"test sets of {n_first} and {n_second}, rate {rate:g}", n_first + n_second, promise, wrong)


def binary(n: int, discordant: float) -> World:
    """Items right or wrong, of which models disagree on a share."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        shares = [(1 - discordant) / 2, discordant / 2, discordant / 2, (1 - discordant) / 2]
        low, high = paired_proportions(*rng.multinomial(n, shares, n_tables).T).confidence_interval(1 - ALPHA)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0), np.zeros(n_tables, dtype=bool)

    return World("tango", f"items right or wrong, {discordant:.0%} decided differently", n, 0.05, wrong)


def classes(metric: str, m: int, n: int) -> World:
    """Metrics of all predictions, with few of the positive class."""

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        y, called = (np.arange(m + n) < m).astype(int), np.zeros(n_tables, dtype=bool)
        for table in range(n_tables):
            said = np.where(rng.random((2, m + n)) < np.where(y == 1, 0.3, 0.1), 1 - y, y)
            low, high = jackknife_metric(metric_of_classes(y, said, metric)).difference().confidence_interval(1 - ALPHA)
            called[table] = low > 0 or high < 0
        return called, np.full(n_tables, m < FEW_RARER)

    return World("jackknife-t", f"{metric}, {m} positives of {m + n}", m + n, 0.05, wrong, is_named=False)


def datasets(shape: str, n: int) -> World:
    """Differences over datasets, symmetric around 0, or moved so that their centre (median of pair means) is 0."""
    draws = {"t with 2 df": SHAPES["t with 2 df"], "normal": SHAPES["normal"], "exponential, centre 0": SHAPES["normal"]}
    draws["exponential, centre 0"] = lambda rng, size: rng.exponential(size=size) - 0.8391735  # median of Gamma(2) / 2

    def wrong(rng: np.random.Generator, n_tables: int) -> tuple[Array, Array]:
        found = wilcoxon(draws[shape](rng, (n_tables, n)), scale=1.0)
        return np.asarray(found.pvalue) < ALPHA, np.zeros(n_tables, dtype=bool)

    return World("wilcoxon", f"differences between datasets: {shape}", n, 0.05, wrong, is_named=False)


def worlds() -> Iterator[World]:
    """All of them."""
    for m in (5, 10, 20):
        for area in (0.76, 0.92, 0.98):
            for tails in ("normal", "heavy tails"):
                yield areas(2, m, 200 - m, area, tails)
    yield from (areas(2, 10, 1990, area, "heavy tails") for area in (0.76, 0.92))
    yield from (areas(4, m, 100 - m, 0.76, "normal") for m in (3, 5, 10))
    yield from (areas(10, m, 200 - m, 0.76, "normal") for m in (5, 20))
    for n in (30, 60, 200):
        yield from (periods(f"AR({phi})", n, 0.09 if n < 60 and phi == 0.7 else 0.05) for phi in (0.0, 0.3, 0.7))
        yield periods("MA(3)", n, 0.05)
        yield from (periods(kind, n, 1.0) for kind in ("AR(0.9)", "long memory, d 0.35", "season of 12, AR(0.7)", "lognormal"))
        yield periods("heavy tails", n, 0.05)
    for n in (30, 100):
        for shape in SHAPES:
            is_rare, is_skewed = shape.startswith("5 %"), "constant" in shape
            promise = 1.0 if is_rare else 0.065 if is_skewed else 0.05
            yield items(shape, n, promise)
            yield items(shape, n, promise, n_pairs=45)
    for kind in ("equal sizes", "one giant", "Pareto sizes"):
        yield from (clusters(kind, n) for n in (5, 10, 30))
    for n in (5, 12, 30):
        yield size_effects("lognormal", n, 0.05)
        yield size_effects("Pareto 1.5", n, 1.0)
    for n_runs in (2, 3, 5):
        yield from (runs(kind, n_runs, 30) for kind in ("items", "runs", "items and runs"))
    for n in (3, 5, 10):
        yield from (seeds(kind, n, 0.05) for kind in ("normal", "whole per cents"))
        yield seeds("exponential against a constant", n, 1.0)
    for sizes in ((20, 200), (50, 500), (100, 1000), (200, 200)):
        yield from (test_sets(*sizes, rate, 0.05) for rate in (0.8, 0.95))
    yield from (test_sets(20, 1000, rate, 1.0) for rate in (0.98, 0.995))
    yield from (binary(n, share) for n in (10, 30, 100, 1000) for share in (0.5, 0.1, 0.04))
    yield from (classes(metric, m, 200 - m) for metric in ("f1", "balanced_accuracy", "recall") for m in (4, 10, 40))
    for n in (10, 30):
        yield from (datasets(shape, n) for shape in ("normal", "t with 2 df", "exponential, centre 0"))


def main() -> None:
    """Print a row for each world, and write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    every = list(worlds())
    rows = []
    for number, world in enumerate(every):
        n = asked.tables if world.is_named else min(asked.tables, max(500, asked.tables // 4))
        called, noticed = world.wrong(np.random.default_rng([27, number]), n)
        p = 1.0 if world.promise == 1.0 else float(binom.sf(called.sum() - 1, n, world.promise))
        verdict = "exception" if world.promise == 1.0 else "ABOVE" if p < 0.01 / len(every) else "holds"
        print(
            f"{world.procedure:16} {world.units:5} {world.data:58} {called.mean():6.1%} of {n}, promise {world.promise:.1%}, "
            f"{verdict}; notice {noticed.mean():.0%}",
            flush=True,
        )
        rate = f"{100 * called.mean():.1f}"
        rows.append([world.procedure, world.data, world.units, "none", rate, rate, n])
    if asked.write:
        with TARGET.open(encoding="utf-8", newline="") as file:
            kept = list(csv.reader(file))
        names = {(row[0], row[1]) for row in rows}
        kept = [row for row in kept if (row[0], row[1]) not in names]
        order = {name: place for place, name in reversed(list(enumerate(row[0] for row in kept)))}
        everything = kept[:1] + sorted(kept[1:] + [list(map(str, row)) for row in rows], key=lambda row: order.get(row[0], 1e9))
        with TARGET.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(everything)


if __name__ == "__main__":
    main()
