"""Large input: items from wide files, battles, and answers of many models, in time and memory.

``python benchmarks/large.py [csv | json-lines | battles | json | html]`` measures these, or all. Times are of the processor, by
turns with the peer in one run, medians of the rounds. Memory is the most that a process of its own holds (Linux).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from goals import Goal, report

ROUNDS = 5
N_ITEMS, N_JUDGED = 1_000_000, 20

PROCESS = """\
import time
import tiebreak as tb
tb.compare({{"item": list("abcd"), "x": [0, 1, 0, 1], "y": [1, 1, 0, 1]}}).to_text()  # imports, as the peer's are done too
tb.rate({{"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["a", "a", "a", "b"] * 10}})
start = time.process_time()
{work}
seconds = time.process_time() - start
status = open("/proc/self/status").read()  # getrusage would tell what the process holds that started this one
print(seconds, int(status.split("VmHWM:")[1].split()[0]) / 1024)
"""

PEER = """\
import time
import numpy as np
from pyarrow import csv, json
from tiebreak.statistics import paired_counts, tango
first, second = np.triu_indices({n_models}, 1)
def pairs(score):
    tango(*paired_counts(score, first, second)).interval(1 - 0.05 / first.size)
pairs(np.eye({n_models}))
start = time.process_time()
table = {read}
pairs(np.stack([table[f"m{{i}}"].to_numpy() for i in range({n_models})]).astype(float))
print(time.process_time() - start, 0)
"""


def measured(script: str) -> tuple[float, float]:
    """Processor seconds of what a script times, and the most megabytes of its process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment).stdout
    seconds, megabytes = said.split()[-2:]
    return float(seconds), float(megabytes)


def wide_items(folder: Path) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    columns = {"item": [f"item-{i}" for i in range(N_ITEMS)]}
    return columns | {f"m{i}": (rng.random(N_ITEMS) < 0.5 + i / 100).astype(np.int8) for i in range(N_JUDGED)}


def of_items(what: str, path: Path, read: str) -> list[Goal]:
    ours = PROCESS.format(work=f"str(tb.compare({str(path)!r}))")
    theirs = PEER.format(read=read, n_models=N_JUDGED)
    rounds = [(measured(ours), measured(theirs)[0]) for _ in range(ROUNDS)]
    own = statistics.median(seconds for (seconds, _), _ in rounds)
    print(f"{what}: {own:.2f} s, pyarrow and the arithmetic {statistics.median(peer for _, peer in rounds):.2f} s")
    return [
        Goal(f"{what}: times pyarrow's reading and the arithmetic", _ratio(rounds), "at most", 2),
        Goal(f"{what}: most memory, MB", max(megabytes for (_, megabytes), _ in rounds), "at most", 700),
    ]


def _ratio(rounds: list[tuple[tuple[float, float], float]]) -> float:
    return statistics.median(seconds / peer for (seconds, _), peer in rounds)


def from_csv(folder: Path) -> list[Goal]:
    """1,000,000 items x 20 models in CSV, to the page of all pairs."""
    import pyarrow as pa
    from pyarrow import csv

    path = folder / "items.csv"
    csv.write_csv(pa.table(wide_items(folder)), path)
    read = f"csv.read_csv({str(path)!r}, read_options=csv.ReadOptions(use_threads=False))"
    return of_items(f"{N_ITEMS:,} x {N_JUDGED} in CSV", path, read)


def from_json_lines(folder: Path) -> list[Goal]:
    """The same as JSON lines."""
    path = folder / "items.jsonl"
    columns = wide_items(folder)
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*(values if isinstance(values, list) else values.tolist() for values in columns.values()), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
    read = f"json.read_json({str(path)!r}, read_options=json.ReadOptions(use_threads=False))"
    return of_items(f"{N_ITEMS:,} x {N_JUDGED} as JSON lines", path, read)


def of_battles(folder: Path) -> list[Goal]:
    """100,000 battles of 300 models whose judge sees them in both orders, to ratings."""
    n, n_models, rng = 100_000, 300, np.random.default_rng(0)
    ability = np.sort(rng.normal(0, 1, n_models))[::-1]
    a = rng.integers(0, n_models, n)
    b = (a + rng.integers(1, n_models, n)) % n_models
    won = rng.random(n) < 1 / (1 + np.exp(ability[b] - ability[a]))
    winner = np.where(rng.random(n) < 0.15, "tie", np.where(won, "a", "b"))
    names = np.array([f"m{i}" for i in range(n_models)])
    path = folder / "battles.csv"
    pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner}).to_csv(path, index=False)
    rounds = [measured(PROCESS.format(work=f"tb.rate({str(path)!r})")) for _ in range(ROUNDS)]
    return [
        Goal(f"{n:,} battles of {n_models} models: s", statistics.median(seconds for seconds, _ in rounds), "at most", 1),
    ]


MODELS = """\
import numpy as np, pandas as pd
rng = np.random.default_rng(0)
score = rng.normal(0.8, 0.02, (50, 1)) + rng.normal(0, 0.01, {n}) + rng.normal(0, 0.01, (50, {n}))
table = pd.DataFrame(np.clip(score, 0, 1), columns=[f"m{{i}}" for i in range({n})])
tb.compare(table, metric="accuracy", n_train=80, n_test=20).{write}({path!r})
"""


def of_many_models(folder: Path, n: int, write: str) -> tuple[float, float, float]:
    """Megabytes of a written answer, and seconds and megabytes of comparing and writing it."""
    path = folder / "answer"
    seconds, memory = measured(PROCESS.format(work=MODELS.format(n=n, write=write, path=str(path))))
    return path.stat().st_size / 1e6, seconds, memory


def as_json(folder: Path) -> list[Goal]:
    """The answer of 5,000 models on 50 splits as JSON."""
    size, seconds, memory = of_many_models(folder, 5_000, "to_json")
    print(f"5,000 models, compared and written as JSON: {seconds:.1f} s")
    return [Goal("JSON of 5,000 models, MB", size, "at most", 40), Goal("the same: memory, MB", memory, "at most", 500)]


def as_html(folder: Path) -> list[Goal]:
    """The report of 3,000 models on 50 splits."""
    size, seconds, memory = of_many_models(folder, 3_000, "to_html")
    print(f"3,000 models, compared and written as HTML: {seconds:.1f} s, {memory:.0f} MB of memory")
    return [Goal("HTML of 3,000 models, MB", size, "at most", 10)]


PARTS: dict[str, Callable[[Path], list[Goal]]] = {
    "csv": from_csv,
    "json-lines": from_json_lines,
    "battles": of_battles,
    "json": as_json,
    "html": as_html,
}


def main() -> int:
    goals = []
    for name in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            goals += PARTS[name](Path(folder))
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
