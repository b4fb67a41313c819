"""Start-up: help, import, and one comparison of a CSV against the same job in pandas and scipy.stats.

Every figure is of whole processes, started in turn; the median of the rounds counts.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from goals import Goal, report

ROUNDS = 21

AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""With compiled modules, which every installation has after its first run."""

N_MODELS, N_SPLITS = 20, 100

PEER = """
import sys, json
from itertools import combinations
import numpy as np, pandas as pd
from scipy import stats
frame = pd.read_csv(sys.argv[1])
models = [c for c in frame if c not in ("repeat", "fold", "n_train", "n_test")]
ratio = (frame["n_test"] / frame["n_train"]).mean()
rows = []
for first, second in combinations(models, 2):
    d = (frame[first] - frame[second]).to_numpy()
    n = d.size
    se = np.sqrt(d.var(ddof=1) * (1 / n + ratio))
    t = d.mean() / se
    posterior = stats.t(n - 1, loc=d.mean(), scale=se)
    low, high = stats.t.interval(0.95, n - 1, loc=d.mean(), scale=se)
    worse, better = posterior.cdf(-0.01), posterior.sf(0.01)
    rows.append([first, second, d.mean(), t, 2 * stats.t.sf(abs(t), n - 1), low, high, worse, 1 - worse - better, better])
print(json.dumps(rows))
"""


def write_csv(path: Path) -> None:
    rng = np.random.default_rng(0)
    scores = 0.8 + rng.normal(0, 0.05, (N_SPLITS, 1)) + rng.normal(0, 0.03, (N_SPLITS, N_MODELS))
    header = ["repeat", "fold", "n_train", "n_test", *(f"model_{i}" for i in range(N_MODELS))]
    lines = [",".join(header)]
    for split, row in enumerate(scores):
        lines.append(",".join([str(split // 10), str(split % 10), "900", "100", *(repr(float(v)) for v in row)]))
    path.write_text("\n".join(lines) + "\n")


def wall(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=AS_INSTALLED)
    return time.perf_counter() - start


def main() -> int:
    tiebreak = str(Path(sys.executable).with_name("tiebreak"))
    with tempfile.TemporaryDirectory() as folder:
        csv, peer = Path(folder, "scores.csv"), Path(folder, "peer.py")
        write_csv(csv)
        peer.write_text(PEER)
        commands = {
            "bare": [sys.executable, "-c", "pass"],
            "import": [sys.executable, "-c", "import tiebreak"],
            "help": [tiebreak, "--help"],
            "compare": [tiebreak, "compare", str(csv), "--metric", "accuracy", "--rope", "0.01", "--format", "json"],
            "peer": [sys.executable, str(peer), str(csv)],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for command in commands.values():
            wall(command)
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(wall(command))
    above = {
        name: 1e3 * statistics.median(a - b for a, b in zip(times[name], times["bare"], strict=True))
        for name in ("import", "help")
    }
    ratio = statistics.median(a / b for a, b in zip(times["peer"], times["compare"], strict=True))
    print(f"medians of {ROUNDS} rounds in turn, whole processes")
    for name, values in times.items():
        print(f"  {name:8} {1e3 * statistics.median(values):7.1f} ms")
    goals = [
        Goal("tiebreak --help above a bare interpreter, ms", above["help"], "at most", 50),
        Goal("import tiebreak above a bare interpreter, ms", above["import"], "at most", 50),
        Goal(f"compare FILE.csv, {N_MODELS} models, times faster than pandas and scipy.stats", ratio, "at least", 2.5),
    ]
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
