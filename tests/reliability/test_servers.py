"""A PostgreSQL whose clients are cut off, and that is killed, under writers: nothing acknowledged is lost or there twice.

Who is cut off has an error that says how to go on, and does so: the same call again.

Writers are processes that write batches of cells through the store, two of them the same cells from either end, and tell which
cells they were told are kept.
"""

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.postgres import Server, execute, fresh_schema
from tests.reliability import POINTS
from tiebreak.errors import StoreError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.sql import SqlStore

MODELS = [f"m{i}" for i in range(50)]
KEYS = [(repeat, fold) for repeat in range(10) for fold in range(10)]
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
GRACE = 60.0


def outcome(cell: Cell) -> Outcome:
    """Every tenth with outputs."""
    return an_outcome(cell) if sum(cell) % 10 == 0 else an_outcome(cell, outputs={})


def write(url: str, writer: str) -> None:
    """Write run after run until somebody ends this process."""
    sizes = random.Random(writer)
    try:
        for turn in range(10**6):
            run = f"{int(writer) // 2} {turn}"
            log = insist(SqlStore(url).open, a_plan(run, models=MODELS, datasets=(a_dataset(keys=KEYS),)))
            cells = all_cells(log.record)[:: -1 if int(writer) % 2 else 1]
            while cells:
                batch, cells = cells[: (size := sizes.randint(1, 40))], cells[size:]
                insist(log.write, [outcome(cell) for cell in batch])
                print(json.dumps({"run": run, "cells": batch}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)


def insist(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call again until the server is there; each error says that this is the way to go on."""
    while True:
        try:
            return call(*arguments)
        except StoreError as error:
            if not str(error).endswith("the same command goes on where it stopped."):
                raise
        time.sleep(0.05)


class Writers:
    """Three processes that write, each into a log what it was told is kept."""

    def __init__(self, url: str, folder: Path) -> None:
        self.logs = [folder / writer for writer in "012"]
        code = "import sys; from tests.reliability.test_servers import write; write(*sys.argv[1:])"
        self._processes = []
        for log in self.logs:
            with log.open("wb") as out:
                command = [sys.executable, "-c", code, url, log.name]
                self._processes.append(subprocess.Popen(command, stdout=out, cwd=Path(__file__).parents[2]))

    def said(self) -> list[dict[str, Any]]:
        """All whole lines."""
        lines = [line for log in self.logs for line in log.read_text().splitlines(keepends=True)]
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def await_all(self) -> None:
        """Wait until each has kept something from now on."""
        until, sizes = time.monotonic() + GRACE, [log.stat().st_size for log in self.logs]
        while any(log.stat().st_size <= size for log, size in zip(self.logs, sizes, strict=True)):
            assert time.monotonic() < until, f"a writer kept nothing for {GRACE:.0f} s: {self.said()[-1:]}"
            time.sleep(0.01)

    def end(self) -> None:
        """In the middle of what they do."""
        for process in self._processes:
            process.kill()
            process.wait()


def cut_off(server: Server) -> None:
    """Cut all clients off."""
    time.sleep(0.2)
    assert execute(server.url, CUT)


def kill(server: Server) -> None:
    """Kill all processes of the server, and start it again."""
    time.sleep(0.3)
    server.kill()
    server.start()


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "n_times"), [(cut_off, 5 * POINTS), (kill, POINTS)])
def test_writers_go_on(fault: Callable[[Server], None], n_times: int, postgres_server: Server, tmp_path: Path) -> None:
    """Every cell that was acknowledged is there once and bit for bit, and the store's own check finds nothing."""
    with fresh_schema(postgres_server.url) as url:
        writers = Writers(url, tmp_path)
        try:
            writers.await_all()
            for _ in range(n_times):
                fault(postgres_server)
            writers.await_all()
        finally:
            writers.end()
        kept: dict[str, set[Cell]] = defaultdict(set)
        for said in writers.said():
            assert "error" not in said, said
            kept[said["run"]].update(Cell(*cell) for cell in said["cells"])
        store = SqlStore(url)
        assert list(store.check()) == []
        for run, cells in kept.items():
            found = list(store.read(run).outcomes(outputs=True))
            assert cells <= {each.cell for each in found}
            assert len(found) == len({each.cell for each in found})
            assert all(comparable(each) == comparable(outcome(each.cell)) for each in found)
        store.close()
