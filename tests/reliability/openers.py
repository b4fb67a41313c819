"""Eight processes that open one fresh file at the same moment: all are let in, and what each writes is there."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from tests.reliability.fault import Fault, Recipe
from tests.stores.sql.test_writing import N_OPENERS, Worker
from tiebreak.stores.sql.store import SqlStore

NAME = "8 processes opening one fresh file"


def torment(folder: Path, n_rounds: int, rng: Random, n_jobs: int) -> Fault:
    """So many rounds: both journal modes, runs of their own and the same run in turn."""
    workers = [Worker() for _ in range(N_OPENERS)]
    broken: list[str] = []
    lost = doubled = corrupt = acknowledged = 0
    longest = 0.0
    try:
        for worker in workers:
            if worker.answer() != {"ready": True}:
                raise RuntimeError("a process could not be started")
        for turn in range(n_rounds):
            path = folder / f"{turn}.db"
            names = ["run" if turn % 4 < 2 else f"run {i}" for i in range(N_OPENERS)]
            start = time.perf_counter()
            for worker, name in zip(workers, names, strict=True):
                worker.tell("open", path=str(path), run=name, wal=turn % 2 == 1)
            answers = [worker.answer() for worker in workers]
            longest = max(longest, time.perf_counter() - start)
            broken += [f"{path.name}: {answer}" for answer, name in zip(answers, names, strict=True) if answer != {"done": name}]
            acknowledged += sum("done" in answer for answer in answers)
            store = SqlStore(path)
            done = {run.name: run.n_done for run in store.runs()}
            lost += sum("done" in answer and done.get(name) != 1 for answer, name in zip(answers, names, strict=True))
            doubled += sum(count > 1 for count in done.values())
            corrupt += bool(store.check())
            store.close()
            for file in folder.glob(f"{path.name}*"):
                file.unlink()
    finally:
        for worker in workers:
            worker.end()
    remark = f"{len(broken)} of {N_OPENERS * n_rounds} openings were refused"
    return Fault(NAME, N_OPENERS * n_rounds, acknowledged, lost, doubled, corrupt, longest, broken=tuple(broken), remark=remark)


RECIPE = Recipe(torment, n_small=4, n_release=200)
