"""Procedures for models on the same examples against named peers, alternating in one run.

``python benchmarks/items.py`` prints medians and ratios, and ends with exit code 1 when a goal is missed. Peers that are not
installed (MLstatkit) are left out and said.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet
from scipy import stats
from sklearn.metrics import roc_auc_score

import tiebreak as tb
from tiebreak.frequentist import (
    bootstrap_auc,
    bootstrap_metric,
    paired_auc,
    paired_counts,
    paired_proportions,
    permutation_test_paired,
)
from tiebreak.metrics.fast.ranking import roc_area

ROUNDS = 5
missed: list[str] = []


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def against(name: str, ours: Callable[[], object], peer: Callable[[], object], goal: float, *, peer_factor: float = 1.0) -> float:
    """Median time of ours, and of the peer over ours; `peer_factor` is for a peer that did a part of the work."""
    pairs = [(seconds(ours), seconds(peer) * peer_factor) for _ in range(ROUNDS)]
    own, ratio = statistics.median(a for a, _ in pairs), statistics.median(b / a for a, b in pairs)
    goal_met = ratio >= goal
    print(f"{name}: {own * 1e3:.1f} ms, {ratio:.0f} times as fast (goal {goal:g}){'' if goal_met else ' MISSED'}")
    if not goal_met:
        missed.append(name)
    return own


def limit(name: str, value: float, most: float, unit: str) -> None:
    print(f"{name}: {value:.4g} {unit} (goal at most {most:g}){'' if value <= most else ' MISSED'}")
    if value > most:
        missed.append(name)


def areas(rng: np.random.Generator) -> None:
    n = 100_000
    truth = rng.random(n) < 0.3
    scores = rng.normal(size=(2, n)) + truth
    n_peer = 10

    def ours() -> object:
        return bootstrap_metric(bootstrap_auc(truth, scores), n_resamples=2_000).difference()

    def theirs() -> object:
        def difference(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
            return float(roc_auc_score(y, a) - roc_auc_score(y, b))

        return stats.bootstrap(
            (truth, *scores), difference, paired=True, vectorized=False, n_resamples=n_peer, method="percentile", rng=0
        )

    own = against(
        "bootstrap of an AUC difference, 100,000 x 2,000, scipy and scikit-learn", ours, theirs, 25, peer_factor=2_000 / n_peer
    )
    limit("bootstrap of an AUC difference", own, 4.0, "s")
    try:
        from MLstatkit import Delong_test

        own = against(
            "DeLong, 100,000, MLstatkit",
            lambda: paired_auc(truth, scores).difference().ztest(),
            lambda: Delong_test(truth.astype(int), scores[0], scores[1]),
            10,
        )
    except ImportError:
        print("MLstatkit is not installed")
        own = statistics.median(seconds(lambda: paired_auc(truth, scores).difference().ztest()) for _ in range(ROUNDS))
    limit("DeLong, 100,000", own * 1e3, 40, "ms")
    n = 1_000_000
    truth, values = rng.random(n) < 0.3, rng.normal(size=n)

    def area() -> float:
        return roc_area(*(np.sort(values.take(np.flatnonzero(side))) for side in (truth, ~truth)))

    assert abs(area() - roc_auc_score(truth, values)) < 1e-12
    against("AUC of 1,000,000, scikit-learn", area, lambda: roc_auc_score(truth, values), 8)


def permutations(rng: np.random.Generator) -> None:
    for what, d, goal in (
        ("0/1 items", rng.choice([-1.0, 0.0, 1.0], size=1_000), 100),
        ("floats", rng.normal(size=1_000), 40),
    ):
        against(
            f"paired permutation, 1,000 x 10,000, {what}, scipy (vectorised)",
            lambda d=d: permutation_test_paired(d, method="random", n_permutations=10_000),
            lambda d=d: stats.permutation_test(
                (d,),
                lambda x, axis: np.mean(x, axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=10_000,
                batch=1_000,
            ),
            goal,
        )


def many_pairs(rng: np.random.Generator) -> None:
    correct = (rng.random((52, 800)) < rng.uniform(0.4, 0.9, size=(52, 1))).astype(float)
    first, second = np.triu_indices(52, 1)
    times = [seconds(lambda: paired_proportions(*paired_counts(correct, first, second)).confidence_interval()) for _ in range(9)]
    limit("Tango, 1,326 pairs x 800 items", statistics.median(times) * 1e3, 50, "ms")


def ten_million(rng: np.random.Generator) -> None:
    """10 models x 10,000,000 clustered rows in wide Parquet, shuffled: sums by cluster in batches, then all pairs."""
    n, n_models, n_clusters = 10_000_000, 10, 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.parquet"
        writer = None
        for start in range(0, n, 1_000_000):
            rows = min(1_000_000, n - start)
            columns = {"cluster": rng.integers(0, n_clusters, rows, dtype=np.int32)}
            columns |= {f"m{i}": (rng.random(rows) < 0.7 + i / 100).astype(np.int8) for i in range(n_models)}
            table = pa.table(columns)
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
        writer.close()
        names = [f"m{i}" for i in range(n_models)]
        first, second = ([names[i] for i in rows] for rows in np.triu_indices(n_models, 1))

        def ours() -> object:
            return tb.read_item_sums(path).differences(first, second).confidence_interval()

        def theirs(n_pairs: int = 3) -> float:
            """Seconds of pandas, pair by pair, for all pairs: the table is read once, and a few pairs stand for the others."""
            start = time.perf_counter()
            frame = pd.read_parquet(path)
            read = time.perf_counter() - start
            for a, b in zip(first[:n_pairs], second[:n_pairs], strict=True):
                sums = (frame[a] - frame[b]).groupby(frame["cluster"]).agg(["sum", "size"])
                (sums["sum"] / sums["size"]).std()
            return read + (time.perf_counter() - start - read) * len(first) / n_pairs

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = [seconds(ours) for _ in range(3)]
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        limit("10 models x 10,000,000 clustered rows, 45 pairs", statistics.median(times), 1.2, "s")
        limit(f"most memory of the process ({before / 1024:.0f} MB before)", after / 1024, 350, "MB")
        pairs = [(theirs(), seconds(ours)) for _ in range(3)]
        ratio = statistics.median(peer / own for peer, own in pairs)
        print(f"pandas, pair by pair: {statistics.median(peer for peer, _ in pairs):.1f} s, {ratio:.0f} times as long")


def long_tables(rng: np.random.Generator) -> None:
    """20,000,000 rows (2,000,000 items by 10 models, shuffled, 20,000 clusters) through DuckDB, each in a process of its own."""
    n, n_models, step = 2_000_000, 10, 50_000
    cluster, names = rng.integers(0, 20_000, n), pa.array([f"model {i}" for i in range(n_models)])
    order = rng.permutation(n)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "long.parquet", Path(folder) / "long.csv"]
        writers: list[parquet.ParquetWriter | csv.CSVWriter] = []
        for start in range(0, n, step):
            shuffled = rng.permutation(step * n_models)
            item, model = np.repeat(order[start : start + step], n_models)[shuffled], shuffled % n_models
            table = pa.table(
                {
                    "item": pa.array(item).cast(pa.string()),
                    "model": names.take(pa.array(model)),
                    "score": rng.random(item.size).round(4),
                    "cluster": cluster[item],
                }
            )
            writers = writers or [parquet.ParquetWriter(paths[0], table.schema), csv.CSVWriter(paths[1], table.schema)]
            for writer in writers:
                writer.write_table(table)
        for writer in writers:
            writer.close()
        for path in paths:
            script = "import time, tiebreak as tb; start = time.perf_counter(); "
            script += f"tb.read_item_sums({str(path)!r}, memory_limit='300 MB').means(); took = time.perf_counter() - start; "
            # getrusage would tell what this process holds, if that is more; Linux only
            script += "print(took, int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024)"
            done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
            took, most = map(float, done.stdout.split())
            print(f"20,000,000 long rows, {path.suffix} of {path.stat().st_size / 1e6:.0f} MB, limit 300 MB: {took:.1f} s")
            # 300, Python with its libraries, and what DuckDB does not count
            limit("most memory of that process", most, 650, "MB")


def main() -> int:
    rng = np.random.default_rng(0)
    parts = {"large": ten_million, "long": long_tables, "pairs": many_pairs, "permutations": permutations, "areas": areas}
    for name in sys.argv[1:] or parts:
        parts[name](rng)
    print(f"{len(missed)} goals missed" + (f": {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
