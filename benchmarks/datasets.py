"""The whole page of `tb.compare` on many datasets, against scipy.stats.wilcoxon pair by pair for p-values alone.

Both are measured in turn, for larger tables the peer on some of the pairs. Time is that of the processor, as the machine may be
shared; memory is what Python and NumPy hold at most.
"""

import sys
import tracemalloc
from statistics import median
from time import process_time

import numpy as np
import pandas as pd
from scipy import stats

import tiebreak as tb

SIZES = ((40, 1000, 1, 5, 200), (500, 100, 100, 3, 250))
"""Models, datasets, one of how many pairs the peer tests, rounds, and the goal for memory in MB."""

MOST_TIMES = 2.0
"""The page should take at most so many times the time of the peer, for 40 models on 1,000 datasets."""


def table(n_models: int, n_datasets: int) -> pd.DataFrame:
    rng = np.random.default_rng([n_models, n_datasets])
    scores = rng.normal(size=(n_datasets, n_models)) + 0.3 * rng.normal(size=n_models)
    frame = pd.DataFrame(scores, columns=[f"m{i}" for i in range(n_models)])
    frame.insert(0, "dataset", [f"d{i}" for i in range(n_datasets)])
    return frame


def page(frame: pd.DataFrame) -> str:
    return tb.compare(frame, metric="score", lower_is_better=False).to_text()


def pair_by_pair(frame: pd.DataFrame, share: int) -> None:
    """The peer, on one of `share` pairs."""
    scores = frame.drop(columns="dataset").to_numpy().T
    first, second = np.triu_indices(len(scores), 1)
    for i, j in zip(first[::share], second[::share], strict=True):
        stats.wilcoxon(scores[i], scores[j])


def seconds(work: object, *arguments: object) -> float:
    start = process_time()
    work(*arguments)  # type: ignore[operator]
    return process_time() - start


def main() -> int:
    page(table(4, 10))  # what is imported at first use
    missed = 0
    for n_models, n_datasets, share, n_rounds, most_memory in SIZES:
        frame = table(n_models, n_datasets)
        rounds = [(seconds(page, frame), share * seconds(pair_by_pair, frame, share)) for _ in range(n_rounds)]
        mine, theirs = (median(column) for column in zip(*rounds, strict=True))
        ratio = median(one / other for one, other in rounds)
        tracemalloc.start()
        page(frame)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        is_missed = peak > most_memory or (share == 1 and ratio > MOST_TIMES)
        missed += is_missed
        print(
            f"{n_models} models x {n_datasets} datasets: page {mine:.2f} s, {ratio:.2f} times scipy's p-values ({theirs:.2f} s); "
            f"{peak:.0f} MB{'  missed' if is_missed else ''}",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
