"""Stores: what keeping results costs, and what a million of them cost to read.

What is durable costs four synchronisations of the disk in each commit, whoever asks for them; so the time of the processor is
held to a goal, and the time that passes stands beside that of bare SQLite, which keeps as many bytes in turn with the store.
Everything is written and read through the public methods. TIEBREAK_BENCH_FOLDER says where, such as on another disk.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from goals import Goal, peak_memory, report

import tiebreak as tb
from tiebreak.plan.record import Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, RunRecord
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


def processor_seconds(job: Callable[[], object]) -> tuple[float, float]:
    """Time that passed, and time of the processor."""
    start = time.process_time()
    passed = seconds(job)
    return passed, time.process_time() - start


def batches(folder: Path) -> tuple[float, float, float]:
    """A batch of 10 outcomes with outputs of 10 to 60 floats: time, time of the processor, and time of bare SQLite."""
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
        times.append(processor_seconds(lambda batch=batch: log.write(batch)))
        peers.append(seconds(lambda n=n_outputs: bare_commit(400 + 8 * n)))
    bare.close()
    store.close()
    passed, processor = (statistics.median(column) for column in zip(*times, strict=True))
    return passed, processor, statistics.median(peers)


def openings(folder: Path) -> tuple[float, float]:
    """A fresh store with a fresh run of 100 splits and 4 models: time, and time of the processor."""
    fresh = plan("fresh", 4, 100)
    times = []
    for i in range(ROUNDS):
        store = SqlStore(folder / f"fresh {i}.db")
        times.append(processor_seconds(lambda store=store: store.open(fresh)))
        store.close()
    passed, processor = (statistics.median(column) for column in zip(*times, strict=True))
    return passed, processor


def seed_grid(folder: Path) -> tuple[float, float, float]:
    """Two models, 20 seeds, 10 folds, kept in a file and in memory by turns: memory's time as a share of the file's.

    The share of the time that passes and of that of the processor, and the longest round in a file.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    models = {"logistic": LogisticRegression(max_iter=20), "tree": DecisionTreeClassifier()}
    cv = {"kind": "repeated-stratified", "n_folds": 10, "n_repeats": 20}

    def measure(store: str | None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tb.evaluate(models, X, y, cv=cv, scoring="accuracy", store=store, progress=False)

    measure(None)
    shares, longest = [], 0.0
    for i in range(ROUNDS):
        kept = processor_seconds(lambda i=i: measure(f"sqlite:///{folder / f'grid {i}.db'}"))
        alone = processor_seconds(lambda: measure(None))
        shares.append((alone[0] / kept[0], alone[1] / kept[1]))
        longest = max(longest, kept[0])
    passed, processor = (statistics.median(column) for column in zip(*shares, strict=True))
    return passed, processor, longest


def endless_writer(
    path: str,
    name: str,
    first: int,
    batch: int,
    start: float,
    duration: float,
    counts: multiprocessing.Queue[tuple[int, float, str]],
) -> None:
    """Write batches of cells from one split on, without a pause, one commit each, until the time is over."""
    n, slowest, error = 0, 0.0, ""
    try:
        log = SqlStore(path).open(plan(name, N_MODELS, N_WRITERS * N_SPLITS, 50))
        time.sleep(max(0.0, start - time.time()))
        while time.time() < start + duration:
            cells = [outcome(first + i // N_MODELS, i % N_MODELS, 20) for i in range(n, n + batch)]
            slowest = max(slowest, seconds(lambda cells=cells: log.write(cells)))
            n += batch
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"
    counts.put((n, slowest, error))


def writers(path: Path, batch: int, duration: float) -> tuple[float, float, list[str]]:
    """Cells a second of all writers together, the longest wait of one, and what was raised; two of them share a run."""
    context = multiprocessing.get_context("spawn")
    counts = context.Queue()
    start = time.time() + 8
    names = ["shared", "shared", *(f"own {i}" for i in range(N_WRITERS - 2))]
    arguments = [(str(path), name, N_SPLITS * i, batch, start, duration, counts) for i, name in enumerate(names)]
    processes = [context.Process(target=endless_writer, args=each) for each in arguments]
    for process in processes:
        process.start()
    answers = [counts.get() for _ in processes]
    for process in processes:
        process.join()
    store = SqlStore(path)
    errors = [error for _, _, error in answers if error] + [str(damage) for damage in store.check()]
    store.close()
    return sum(n for n, _, _ in answers) / duration, max(slowest for _, slowest, _ in answers), errors


def fill(store: SqlStore) -> float:
    """Write a million cells, a split at a time; seconds."""
    cells = [[outcome(split, model) for model in range(N_MODELS)] for split in range(N_SPLITS)]
    start = time.perf_counter()
    for run in range(N_RUNS):
        log = store.open(plan(f"run {run}", N_MODELS, N_SPLITS))
        for first in range(0, N_SPLITS, 10):
            log.write([each for split in cells[first : first + 10] for each in split])
    return time.perf_counter() - start


def typed(*words: str) -> None:
    """A command as it is typed."""
    subprocess.run([sys.executable, "-m", "tiebreak", *words], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    import tiebreak.stores.log

    assert tiebreak.stores.log  # imported so that its import is not timed
    with tempfile.TemporaryDirectory(dir=os.environ.get("TIEBREAK_BENCH_FOLDER")) as name:
        folder = Path(name)
        opening, opening_processor = openings(folder)
        batch, batch_processor, peer = batches(folder)
        grid, grid_processor, grid_longest = seed_grid(folder)
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
        url = f"sqlite:///{folder / 'million.db'}"
        command = statistics.median(seconds(lambda: typed("runs", "--store", url)) for _ in range(ROUNDS))
        interpreter = statistics.median(seconds(lambda: subprocess.run([sys.executable, "-c", "pass"])) for _ in range(ROUNDS))
        showing = seconds(lambda: typed("show", "run 2", "--store", url))
        comparing = statistics.median(seconds(lambda: tb.compare(f"{url}#run 4", metric="accuracy", rope=0.01)) for _ in range(3))
        reading = seconds(lambda: store.read("run 5"))
        outcomes = seconds(lambda: sum(1 for _ in log.outcomes()))
        size = (folder / "million.db").stat().st_size / 1e6
        memory = peak_memory()
        store.close()
        rate, slowest, errors = writers(folder / "batches of 10.db", BATCH, WRITER_SECONDS)
        single_rate, single_slowest, more_errors = writers(folder / "single.db", 1, WRITER_SECONDS / 3)
    print(f"{N_RUNS} runs of {N_MODELS} models x {N_SPLITS} splits, {size:.0f} MB, written in {filling:.0f} s")
    print(f"  reading the plan of one {1e3 * reading:.0f} ms, its {N_MODELS * N_SPLITS} outcomes one by one {outcomes:.1f} s")
    print(f"  'tiebreak show' of such a run {showing:.1f} s; a bare interpreter starts in {interpreter:.3f} s")
    print(f"  a grid of 20 seeds: {grid:.2f} of memory's speed by the clock, {grid_longest:.1f} s at most")
    print(f"  opening a fresh store and run {1e3 * opening:.1f} ms")
    print(f"  keeping a batch of {BATCH} {1e3 * batch:.2f} ms; bare SQLite, as many bytes: {1e3 * peer:.2f} ms")
    print(f"  {N_WRITERS} writers for {WRITER_SECONDS:g} s, batches of {BATCH}: the longest wait for one was {slowest:.2f} s")
    print(f"  the same with single cells: {single_rate:.0f} cells a second, the longest wait {single_slowest:.2f} s")
    for error in [*errors, *more_errors]:
        print(f"  {error}")
    return report(
        [
            Goal("a fresh store and run of 4 x 100 cells, processor ms", 1e3 * opening_processor, "at most", 30),
            Goal("a batch of 10 cells with outputs, processor ms", 1e3 * batch_processor, "at most", 2),
            Goal("a grid of 20 seeds in a file, share of memory's speed, processor", grid_processor, "at least", 0.75),
            Goal("runs() of a million cells, ms", 1e3 * listing, "at most", 50),
            Goal("table() of 100,000 cells, s", table, "at most", 1),
            Goal("table() of 100,000 cells, peak MB", table_memory, "at most", 50),
            Goal("'tiebreak runs' with a million cells, the whole process, s", command, "at most", 0.5),
            Goal("comparing 100 models on 1,000 splits out of a million cells, s", comparing, "at most", 2),
            Goal("process with a million cells, comparison included, peak MB", memory, "at most", 500),
            Goal("4 writers, cells a second in all, batches of 10", rate, "at least", 200),
            Goal("4 writers, errors", len(errors) + len(more_errors), "at most", 0),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
