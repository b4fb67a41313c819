"""All pairs of 3,000 models on 50 splits: seconds of the answer and of its page, and the memory of the whole process.

The process does nothing else, so its memory is that of the imports, the table and the answer. Scores share what is easy and
hard about a split, and most models are too close to tell apart, so that many may be the best.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
from goals import Goal, peak_memory, report

import tiebreak as tb

N_MODELS, N_SPLITS = 3_000, 50


def main() -> int:
    rng = np.random.default_rng(0)
    scores = rng.normal(0.8, 0.02, (N_SPLITS, 1)) + rng.normal(0, 0.01, N_MODELS) + rng.normal(0, 0.01, (N_SPLITS, N_MODELS))
    table = pd.DataFrame(np.clip(scores, 0, 1), columns=[f"m{i}" for i in range(N_MODELS)])
    before, start = peak_memory(), time.perf_counter()
    answer = tb.compare(table, metric="accuracy", n_train=80, n_test=20)
    compared = time.perf_counter()
    answer.to_text()
    written = time.perf_counter()
    print(f"{N_MODELS:,} models x {N_SPLITS} splits, {N_MODELS * (N_MODELS - 1) // 2:,} pairs; {before:.0f} MB before")
    return report(
        [
            Goal("compare, seconds", compared - start, "at most", 6),
            Goal("its text, seconds", written - compared, "at most", 3),
            Goal("memory of the process at its largest, MB", peak_memory(), "at most", 400),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
