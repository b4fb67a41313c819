"""Cut the connections of writers, kill their server, and load it: nothing that was acknowledged is lost, nothing is there twice.

Writers are processes that open runs and write batches of cells through the store, two of them the same cells from either end, and
tell which cells they were told are kept. While they write, all clients are cut off every 200 ms; or all processes of the server
are killed with SIGKILL, and it is started again. Afterwards every cell that was acknowledged has to be there bit for bit, and the
store's own check finds nothing.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.postgres import Server, execute, fresh_schema
from tests.reliability.trial import Trial
from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.sql import SqlStore

LARGEST_BATCH = 40
MODELS = [f"m{i}" for i in range(50)]
KEYS = [(repeat, fold) for repeat in range(10) for fold in range(10)]
CUT_EVERY = 0.2
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
GRACE = 60.0


# --- writers --------------------------------------------------------------------------------------------------------------


def plan(run: str) -> RunRecord:
    """5,000 cells."""
    return a_plan(run, models=MODELS, datasets=(a_dataset(keys=KEYS),))


def outcome(cell: Cell) -> Outcome:
    """Every tenth with outputs."""
    return an_outcome(cell) if sum(cell) % 10 == 0 else an_outcome(cell, outputs={})


def write(url: str, writer: int) -> None:
    """Write run after run until somebody ends this process.

    Two writers share each run and begin at either end; so each cell is written twice, or three times where that was unsure.
    """
    sizes = random.Random(writer)
    try:
        for turn in range(10**6):
            run = f"{writer // 2} {turn}"
            log = SqlStore(url).open(plan(run))
            cells = all_cells(log.record)[:: -1 if writer % 2 else 1]
            while cells:
                batch, cells = cells[: (size := sizes.randint(1, LARGEST_BATCH))], cells[size:]
                log.write([outcome(cell) for cell in batch])
                print(json.dumps({"writer": writer, "run": run, "cells": batch}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)


class Writers:
    """Processes that write, and what they were told is kept.

    Attributes
    ----------
    kept : dict
        The cells of each run.
    last : dict
        When each writer was told something last, by a monotonic clock.
    errors : list of str
    """

    def __init__(self, url: str, n_writers: int) -> None:
        self.n_writers = n_writers
        self.kept: dict[str, set[Cell]] = {}
        self.last: dict[int, float] = {}
        self.errors: list[str] = []
        command = [sys.executable, __file__, url]
        self._processes = [subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, text=True) for i in range(n_writers)]
        self._listeners = [threading.Thread(target=self._listen, args=(process,)) for process in self._processes]
        for listener in self._listeners:
            listener.start()

    def await_all(self, since: float) -> None:
        """Wait until each has kept something after a moment."""
        until = time.monotonic() + GRACE
        while time.monotonic() < until and not self.errors:
            moments = list(self.last.values())
            if len(moments) == self.n_writers and min(moments) > since:
                break
            time.sleep(0.01)
        else:
            self.errors.append(f"a writer kept nothing for {GRACE:.0f} s")

    def end(self) -> None:
        """In the middle of what they do."""
        for process in self._processes:
            process.kill()
        for process, listener in zip(self._processes, self._listeners, strict=True):
            listener.join()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith("\n"):
                return
            said = json.loads(line)
            if "error" in said:
                self.errors.append(said["error"])
                continue
            self.kept.setdefault(said["run"], set()).update(Cell(*cell) for cell in said["cells"])
            self.last[said["writer"]] = time.monotonic()


# --- faults ---------------------------------------------------------------------------------------------------------------


def cut(server: Server, n_writers: int, seconds: float) -> Trial:
    """Cut all clients off every 200 ms."""
    trial = Trial()

    def torment(writers: Writers) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(CUT_EVERY)
            trial.points += len(execute(server.url, CUT))
        writers.await_all(time.monotonic())

    return _tried(trial, server, torment, n_writers)


def kill(server: Server, n_writers: int, n_kills: int) -> Trial:
    """Kill all processes of the server, and start it again."""
    trial = Trial()

    def torment(writers: Writers) -> None:
        for i in range(n_kills):
            time.sleep(0.2 + 0.1 * (i % 5))
            moment = time.monotonic()
            server.kill()
            server.start()
            trial.points += 1
            writers.await_all(moment)

    return _tried(trial, server, torment, n_writers)


def _tried(trial: Trial, server: Server, torment: Callable[[Writers], None], n_writers: int) -> Trial:
    """Let writers write into an empty schema, do something to them, and count what is there of what was acknowledged."""
    with fresh_schema(server.url) as url:
        writers = Writers(url, n_writers)
        try:
            writers.await_all(0.0)
            torment(writers)
        finally:
            writers.end()
        store = SqlStore(url)
        trial.broken += [*writers.errors, *(f"{damage.run}: {damage.where}: {damage.what}" for damage in store.check())]
        for run, kept in writers.kept.items():
            found = list(store.read(run).outcomes(outputs=True))
            cells = {each.cell for each in found}
            trial.acknowledged += len(kept)
            trial.lost += len(kept - cells)
            trial.doubled += len(found) - len(cells)
            trial.broken += [f"{each.cell}" for each in found if comparable(each) != comparable(outcome(each.cell))]
        store.close()
    return trial


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
