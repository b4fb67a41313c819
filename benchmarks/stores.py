"""Stores: what keeping results costs, and what a million of them cost to read.

The peer is bare SQLite writing the same number of bytes in one commit, in turn with the store: what is durable costs a few
synchronisations of the disk, whoever asks for them. Everything is written and read through the public methods.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from goals import Goal, report

from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.plan.record import DatasetRecord, MetricRecord, ModelRecord, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.stores.sql import SqlStore

N_RUNS, N_MODELS, N_SPLITS = 10, 100, 1_000
N_BATCHES, BATCH, ROUNDS = 200, 10, 5
N_WRITERS, WRITER_SECONDS = 4, 30.0


def plan(name: str, n_models: int, n_splits: int, n_samples: int = 500) -> RunRecord:
    """A run of so many models on so many splits, in two metrics."""
    rng = np.random.default_rng(0)
    n_test = n_samples // 10
    dataset = DatasetRecord(
        name="",
        fingerprint="d" * 64,
        n_samples=n_samples,
        n_features=20,
        classes=("no", "yes"),
        target=rng.integers(0, 2, n_samples),
        kind="repeated-stratified",
        ordered=False,
        repeat=np.arange(n_splits) // 10,
        fold=np.arange(n_splits) % 10,
        n_train=np.full(n_splits, n_samples - n_test),
        n_test=np.full(n_splits, n_test),
        split_hashes=tuple(f"{i:064x}" for i in range(n_splits)),
        test_rows=tuple(rng.permutation(n_samples)[:n_test] for _ in range(n_splits)),
    )
    return RunRecord(
        name,
        models=tuple(ModelRecord(f"model {i}", f"{i:064x}", "LogisticRegression()") for i in range(n_models)),
        datasets=(dataset,),
        metrics=(MetricRecord(Metric("accuracy", True), "a" * 64), MetricRecord(Metric("log_loss", False), "b" * 64)),
        versions={"Python": "3.11.7", "scikit-learn": "1.9.1"},
    )


def outcome(split: int, model: int, n_outputs: int = 0) -> Outcome:
    """A measured cell, with an output of so many floats."""
    outputs = {"predict_proba": np.linspace(0, 1, n_outputs).reshape(-1, 2)} if n_outputs else {}
    scores = {"accuracy": 0.8 + model / 1_000, "log_loss": 0.1 + split / 10_000}
    return Outcome(Cell(0, split, model), scores=scores, fit_seconds=0.01, predict_seconds=0.001, seed=model, outputs=outputs)


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def batches(folder: Path) -> tuple[float, float]:
    """Seconds for a batch of 10 outcomes with outputs of 10 to 60 floats, and for bare SQLite to keep as many bytes."""
    store = SqlStore(folder / "batches.db")
    log = store.open(plan("batches", BATCH, N_BATCHES))
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE cells (id INTEGER PRIMARY KEY, content BLOB)")

    def bare_commit(size: int) -> None:
        bare.execute("BEGIN IMMEDIATE")
        bare.executemany("INSERT INTO cells (content) VALUES (?)", [(bytes(size),)] * BATCH)
        bare.execute("COMMIT")

    times, peers = [], []
    for split in range(N_BATCHES):
        n_outputs = (10, 20, 30, 40, 50, 60)[split % 6]
        batch = [outcome(split, model, n_outputs) for model in range(BATCH)]
        times.append(seconds(lambda batch=batch: log.write(batch)))
        peers.append(seconds(lambda n=n_outputs: bare_commit(400 + 8 * n)))
    bare.close()
    store.close()
    return statistics.median(times), statistics.median(peers)


def openings(folder: Path) -> float:
    """Seconds for a fresh store with a fresh run of 100 splits and 4 models, and again with the same."""
    fresh = plan("fresh", 4, 100)
    times = []
    for i in range(ROUNDS):
        store = SqlStore(folder / f"fresh {i}.db")
        times.append(seconds(lambda store=store: store.open(fresh)))
        store.close()
    return statistics.median(times)


def endless_writer(path: str, name: str, start: float, counts: multiprocessing.Queue[tuple[int, float, str]]) -> None:
    """Write single cells, one commit each, until the time is over."""
    n, slowest, error = 0, 0.0, ""
    try:
        log = SqlStore(path).open(plan(name, N_MODELS, N_SPLITS, 50))
        time.sleep(max(0.0, start - time.time()))
        while time.time() < start + WRITER_SECONDS:
            cell = outcome(n // N_MODELS, n % N_MODELS, 20)
            slowest = max(slowest, seconds(lambda cell=cell: log.write([cell])))
            n += 1
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"
    counts.put((n, slowest, error))


def writers(folder: Path) -> tuple[float, float, list[str]]:
    """Cells a second of all writers together, the longest wait of one, and what was raised; half of them share a run."""
    context = multiprocessing.get_context("spawn")
    counts = context.Queue()
    start = time.time() + 8
    names = ["shared", "shared", *(f"own {i}" for i in range(N_WRITERS - 2))]
    arguments = [(str(folder / "writers.db"), name, start, counts) for name in names]
    processes = [context.Process(target=endless_writer, args=each) for each in arguments]
    for process in processes:
        process.start()
    answers = [counts.get() for _ in processes]
    for process in processes:
        process.join()
    store = SqlStore(folder / "writers.db")
    errors = [error for _, _, error in answers if error] + [str(damage) for damage in store.check()]
    store.close()
    return sum(n for n, _, _ in answers) / WRITER_SECONDS, max(slowest for _, slowest, _ in answers), errors


def fill(store: SqlStore) -> float:
    """Write a million cells, a split at a time; seconds."""
    cells = [[outcome(split, model) for model in range(N_MODELS)] for split in range(N_SPLITS)]
    start = time.perf_counter()
    for run in range(N_RUNS):
        log = store.open(plan(f"run {run}", N_MODELS, N_SPLITS))
        for first in range(0, N_SPLITS, 10):
            log.write([each for split in cells[first : first + 10] for each in split])
    return time.perf_counter() - start


def peak_memory() -> float:
    """MB of this process at its largest; nan where the system does not say."""
    try:
        import resource
    except ImportError:
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> int:
    import sqlalchemy.dialects.sqlite
    import sqlalchemy.dialects.sqlite.pysqlite

    assert sqlalchemy.dialects.sqlite  # imported so that its import is not timed
    with tempfile.TemporaryDirectory(dir=os.environ.get("TIEBREAK_BENCH_FOLDER")) as name:
        folder = Path(name)
        opening = openings(folder)
        batch, peer = batches(folder)
        store = SqlStore(folder / "million.db")
        filling = fill(store)
        listing = statistics.median(seconds(store.runs) for _ in range(ROUNDS))
        log = store.read("run 3")
        table = statistics.median(seconds(log.table) for _ in range(ROUNDS))
        tracemalloc.start()
        kept = log.table()
        table_memory = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        assert len(kept.state) == N_MODELS * N_SPLITS
        reading = seconds(lambda: store.read("run 5"))
        outcomes = seconds(lambda: sum(1 for _ in log.outcomes()))
        size = (folder / "million.db").stat().st_size / 1e6
        memory = peak_memory()
        store.close()
        rate, slowest, errors = writers(folder)
    print(f"{N_RUNS} runs of {N_MODELS} models x {N_SPLITS} splits, {size:.0f} MB, written in {filling:.0f} s")
    print(f"  reading the plan of one {1e3 * reading:.0f} ms, its {N_MODELS * N_SPLITS} outcomes one by one {outcomes:.1f} s")
    print(f"  a batch of {BATCH}: {1e3 * batch:.2f} ms; bare SQLite, as many bytes: {1e3 * peer:.2f} ms")
    print(f"  {N_WRITERS} writers for {WRITER_SECONDS:g} s: the longest wait for one cell was {slowest:.2f} s")
    for error in errors:
        print(f"  {error}")
    return report(
        [
            Goal("a fresh store and run of 4 models x 100 splits, ms", 1e3 * opening, "at most", 30),
            Goal("a batch of 10 with outputs beyond bare SQLite, ms", 1e3 * (batch - peer), "at most", 2),
            Goal("runs() of a million cells, ms", 1e3 * listing, "at most", 50),
            Goal("table() of 100,000 cells, s", table, "at most", 1),
            Goal("table() of 100,000 cells, peak MB", table_memory, "at most", 50),
            Goal("process with a million cells, peak MB", memory, "at most", 500),
            Goal("4 writers, single cells a second in all", rate, "at least", 200),
            Goal("4 writers, errors", len(errors), "at most", 0),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
