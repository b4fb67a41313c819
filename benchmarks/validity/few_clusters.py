"""How often 95 % intervals of resampled clusters miss the truth where the clusters are few: 5 to 50 of them.

Differences of two models on items in clusters: each cluster has an effect and each item its noise, both of standard deviation 1,
and the true difference is 0. Effects are normal or skewed (exponential), in clusters of ten items each; or normal in clusters of
1 to 19 items. Judged by the bootstrap (BCa and percentiles), the Bayesian bootstrap, and the t interval of `clustered_mean`,
which `compare` recommends where it refuses to resample. Tables are drawn with the seeds that `cell` names; a hundred at a time
share their resamples, 9,999 as in `compare`.

The goals are what the package says of few clusters: the range in the notice of `compare`, that five, which it refuses, miss more
often than that, and that the t interval holds its level where effects are normal.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

import numpy as np

import tiebreak as tb
from tiebreak.bayesian import bayesian_bootstrap
from tiebreak.frequentist import bootstrap_mean, bootstrap_metric, clustered_mean
from tiebreak.numerics import Interval

sys.path.insert(0, str(Path(__file__).parents[1]))
from goals import Goal, report

LEVEL = 0.95
SIZES = (5, 10, 15, 20, 30, 50)
KINDS = ("normal", "skewed", "uneven sizes")
METHODS = ("bca", "percentile", "bayes", "clustered-t")
RESAMPLED = METHODS[:3]
N_ITEMS, AT_ONCE = 10, 100
HALF = 0.005


def draw(rng: np.random.Generator, kind: str, n_clusters: int, n_tables: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences of shape (n_tables, n_items), and the cluster of each item."""
    sizes = rng.integers(1, 2 * N_ITEMS, n_clusters) if kind == "uneven sizes" else np.full(n_clusters, N_ITEMS)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    shape = (n_tables, n_clusters)
    effect = rng.exponential(size=shape) - 1.0 if kind == "skewed" else rng.normal(size=shape)
    return effect[:, clusters] + rng.normal(size=(n_tables, clusters.size)), clusters


def intervals(d: np.ndarray, clusters: np.ndarray, seed: int) -> dict[str, Interval]:
    """Interval of each table by each method."""
    resampled = bootstrap_metric(bootstrap_mean(d), clusters=clusters, resampling="random", rng=seed)
    return {
        "bca": resampled.confidence_interval(LEVEL),
        "percentile": resampled.confidence_interval(LEVEL, "percentile"),
        "bayes": bayesian_bootstrap(d, clusters, n_draws=resampled.n_resamples, rng=seed).credible_interval(LEVEL),
        "clustered-t": clustered_mean(d, clusters).confidence_interval(LEVEL),
    }


def cell(kind: str, n_clusters: int, n_tables: int) -> dict[str, float]:
    """Share of the intervals that do not hold 0, by method."""
    rng = np.random.default_rng([n_clusters, KINDS.index(kind)])
    missed = dict.fromkeys(METHODS, 0)
    for start in range(0, n_tables, AT_ONCE):
        d, clusters = draw(rng, kind, n_clusters, min(AT_ONCE, n_tables - start))
        for name, (low, high) in intervals(d, clusters, seed=start).items():
            missed[name] += int(np.count_nonzero(~((low <= 0) & (high >= 0))))
    return {name: count / n_tables for name, count in missed.items()}


def said() -> tuple[float, float]:
    """Least and largest share of misses that the notice of `compare` names for 10 to 15 clusters."""
    items = np.arange(20)
    table = {"item": items, "cluster": items // 2, "a": items % 3 + items // 7, "b": items % 4}
    answer = tb.compare(tb.read_items(table, metric="quality", lower_is_better=False), method="bootstrap")
    (text,) = (notice.text for notice in answer.notices if notice.code == "few-clusters")
    found = re.search(r"with 10 to 15, .* missed the truth in (\d+) to (\d+)%", text)
    assert found is not None, text
    return int(found[1]) / 100, int(found[2]) / 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=2000, help="of each kind and number of clusters")
    n_tables = parser.parse_args().tables
    start = time.perf_counter()
    print(f"{n_tables:,} tables each; intervals of {LEVEL:.0%} that miss the truth, in %")
    print(f"{'effects':14}{'clusters':>9}" + "".join(f"{name:>13}" for name in METHODS))
    shares = {}
    for kind in KINDS:
        for n_clusters in SIZES:
            shares[kind, n_clusters] = found = cell(kind, n_clusters, n_tables)
            print(f"{kind:14}{n_clusters:9}" + "".join(f"{100 * found[name]:13.1f}" for name in METHODS), flush=True)
    print(f"{time.perf_counter() - start:.0f} s")

    def of(*sizes: int) -> list[float]:
        return [shares[kind, size][name] for kind in KINDS for size in sizes for name in RESAMPLED]

    low, high = said()
    even = [shares[kind, size]["clustered-t"] for kind in KINDS if kind != "skewed" for size in SIZES]
    goals = [
        Goal(
            "10 or 15 clusters: least of the resampled, to a percent, against what is said",
            min(of(10, 15)),
            "at least",
            low - HALF,
        ),
        Goal("10 or 15 clusters: most of the resampled, likewise", max(of(10, 15)), "at most", high + HALF),
        Goal("5 clusters, which are refused: least of the resampled", min(of(5)), "at least", high),
        Goal("20 clusters or more, of which nothing is said: most of the resampled", max(of(20, 30, 50)), "at most", 0.1),
        Goal("clustered-t of normal effects, 5 clusters or more: most", max(even), "at most", 0.065),
    ]
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
