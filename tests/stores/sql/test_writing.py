"""Several processes at work on one file: none is refused, nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contracts.plans import all_cells, an_outcome, comparable
from tests.stores.sql.worker import large_plan
from tiebreak.stores.sql.store import SqlStore

N_OPENERS = 8
N_OPENINGS = int(os.environ.get("TIEBREAK_OPENINGS", "2"))
N_KILLS = int(os.environ.get("TIEBREAK_KILLS", "2"))


class Worker:
    """A process that runs ``worker.py``."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("worker.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def tell(self, do: str, **order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next line; empty when there is none any more."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else {}

    def kill(self) -> None:
        """SIGKILL, where there is such a thing."""
        self._process.kill()

    def end(self) -> None:
        with self._process:
            self._process.kill()


@pytest.fixture(scope="module")
def workers() -> Iterator[list[Worker]]:
    """As many as open at once."""
    workers = [Worker() for _ in range(N_OPENERS)]
    try:
        assert [worker.answer() for worker in workers] == [{"ready": True}] * N_OPENERS
        yield workers
    finally:
        for worker in workers:
            worker.end()


@pytest.mark.slow
@pytest.mark.parametrize("wal", [False, True], ids=["as this SQLite", "wal"])
@pytest.mark.parametrize("same", [False, True], ids=["runs of their own", "the same run"])
def test_processes_that_make_one_file_at_once(workers: list[Worker], tmp_path: Path, wal: bool, same: bool) -> None:
    """All are let in, as the file is made under a lock that they wait for. TIEBREAK_OPENINGS=30 for more turns."""
    for turn in range(N_OPENINGS):
        path = str(tmp_path / f"{turn}.db")
        names = ["run" if same else f"run {i}" for i in range(N_OPENERS)]
        for worker, name in zip(workers, names, strict=True):
            worker.tell("open", path=path, run=name, wal=wal)
        assert [worker.answer() for worker in workers] == [{"done": name} for name in names]
        store = SqlStore(path)
        assert sorted(run.name for run in store.runs()) == sorted(set(names))
        assert {run.n_done for run in store.runs()} == {1}
        assert store.check() == []
        store.close()


@pytest.mark.slow
def test_processes_that_write_the_same_cells(workers: list[Worker], tmp_path: Path) -> None:
    """Each cell is kept once, whoever comes first, with a reader beside them."""
    path, n = str(tmp_path / "runs.db"), 60
    store = SqlStore(path)
    plan = large_plan("run")
    log = store.open(plan)
    for i, worker in enumerate(workers[:3]):
        worker.tell("write", path=path, run="run", offset=20 * i, n=n)
    seen = [len(log.table().state) for _ in range(10)]
    assert [worker.answer() for worker in workers[:3]] == [{"done": n}] * 3
    assert seen == sorted(seen)
    assert [comparable(outcome) for outcome in log.outcomes(outputs=True)] == [
        comparable(an_outcome(cell)) for cell in all_cells(plan)[:n]
    ]
    assert store.check() == []
    store.close()


@pytest.mark.slow
def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Two writers at a time, killed at a random moment: what they said was kept is there, whole, and at most a batch more.

    TIEBREAK_KILLS=100 for more turns.
    """
    rng = np.random.default_rng(5)
    store = SqlStore(tmp_path / "runs.db")
    n_acknowledged = 0
    for turn in range(N_KILLS):
        pair = [Worker(), Worker()]
        try:
            assert [worker.answer() for worker in pair] == [{"ready": True}] * 2
            for i, worker in enumerate(pair):
                worker.tell("endless", path=str(tmp_path / "runs.db"), run=f"{turn} {i}", size=2)
            assert pair[0].answer() == {"kept": 2}
            threading.Event().wait(float(rng.uniform(0, 0.15)))
            kept = [last_kept(worker, at_least=2 * (i == 0)) for i, worker in enumerate(pair)]
        finally:
            for worker in pair:
                worker.end()
        done = {run.name: run.n_done for run in store.runs()}
        for i, n_kept in enumerate(kept):
            n_done = done.get(f"{turn} {i}", 0)
            assert n_kept <= n_done <= n_kept + 2
            if n_done:
                expected = [comparable(an_outcome(cell)) for cell in all_cells(large_plan(f"{turn} {i}"))[:n_done]]
                assert [comparable(outcome) for outcome in store.read(f"{turn} {i}").outcomes(outputs=True)] == expected
        assert store.check() == []
        n_acknowledged += sum(kept)
    store.close()
    print(f"{n_acknowledged} cells were acknowledged, none was lost")
    assert n_acknowledged >= 2 * N_KILLS


def last_kept(worker: Worker, *, at_least: int) -> int:
    """Kill a writer, and find what it said last."""
    worker.kill()
    while answer := worker.answer():
        at_least = answer.get("kept", at_least)
    return at_least
