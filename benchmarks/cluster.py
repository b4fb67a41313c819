"""What a Dask cluster costs: the same cells through two Dask workers and through two workers of this machine.

Fits of 50 ms that wait, as two workers, a scheduler and this process may have to share two cores. Measured in turn, workers warm
on both sides, the median of the rounds' ratios; the scores must be the same to the last bit.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings

import numpy as np
from goals import Goal, report
from sklearn.datasets import make_moons

import tiebreak as tb

ROUNDS = 5
SECONDS = 0.05
CV = {"kind": "repeated-stratified", "n_folds": 10, "n_repeats": 10}


def waits(X_train: np.ndarray, y_train: np.ndarray, X_test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A fit that leaves the core to others."""
    time.sleep(SECONDS)
    return rng.permutation(y_train)[: len(X_test)]


def throughput(models: dict[str, object], client: object) -> float:
    """That of two Dask workers as a share of that of two local ones: 200 fits, 5 s for two."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    sides = {"local": {"n_jobs": 2}, "dask": {"runner": client}}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    expected = None
    for number in range(ROUNDS + 1):
        for name, side in sides.items():
            start = time.perf_counter()
            evaluation = tb.evaluate(models, X, y, cv=CV, scoring="accuracy", threads_per_fit=1, **side)
            if number:  # the first round starts the workers
                seconds[name].append(time.perf_counter() - start)
            scores = evaluation.scores().matrix().score
            expected = scores if expected is None else expected
            assert np.array_equal(scores, expected)
    print(f"  {', '.join(f'{name} {statistics.median(each):.2f} s' for name, each in seconds.items())}")
    return statistics.median(a / b for a, b in zip(seconds["local"], seconds["dask"], strict=True))


def main() -> int:
    """Two workers, each a process with one thread; the scheduler has a process of its own, as it would have on a cluster."""
    import tempfile
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1]))
    from distributed import Client
    from tests.runners.clusters import Processes

    warnings.simplefilter("ignore")
    with (
        tempfile.TemporaryDirectory() as folder,
        Processes(Path(folder), 2) as cluster,
        Client(cluster.address, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=120)
        share = throughput({"one": waits, "other": waits}, client)
    return report([Goal("fits of 50 ms: throughput of 2 Dask workers over 2 local ones", share, "at least", 0.9)])


if __name__ == "__main__":
    sys.exit(main())
