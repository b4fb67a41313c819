"""Cut the connections of writers, kill their server, and load it: nothing that was acknowledged is lost, nothing is there twice.

    python tests/reliability/postgres_faults.py                                all of it, some two minutes
    python tests/reliability/postgres_faults.py --cut-seconds 3 --kills 2 --load-seconds 5

A server of its own is started from a wheel. Writers are processes that open runs and write batches of cells through the store,
two of them the same cells from either end, and tell which cells they were told are kept. While they write, all clients are cut
off every 200 ms; or all processes of the server are killed with SIGKILL, and it is started again; or nothing is done to 32
connections. Afterwards every cell that was acknowledged has to be there bit for bit, and the store's own check finds nothing.

One line for each fault goes to standard output: a summary as JSON behind the word FAULT. TIEBREAK_FAULTS=small does less.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.postgres import MISSING, Server, execute, find_binaries
from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.sql.store import SqlStore

LARGEST_BATCH = 40
MODELS = [f"m{i}" for i in range(50)]
KEYS = [(repeat, fold) for repeat in range(10) for fold in range(10)]
CUT_EVERY = 0.2
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
COUNT = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'tiebreak'"
GRACE = 60.0


@dataclass
class Toll:
    """What a fault did.

    Attributes
    ----------
    name : str
    points : int
        Connections that were cut, servers that were killed, connections that were open.
    acknowledged, lost, doubled, corrupt : int
        Cells that a writer was told are kept; those of them that are not there; cells there more than once; cells with other
        bits, and what the store's check finds.
    longest_recovery_s : float
        From a fault to the moment when every writer had kept something again.
    n_kills : int
    broken : list of str
        What else went wrong: errors of writers.
    """

    name: str
    points: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    corrupt: int = 0
    longest_recovery_s: float = float("nan")
    n_kills: int = 0
    broken: list[str] = field(default_factory=list)
    remark: str = ""

    @property
    def is_as_promised(self) -> bool:
        """Something was tried, and nothing is lost, doubled, corrupt or otherwise wrong."""
        return self.points > 0 and self.acknowledged > 0 and not (self.lost or self.doubled or self.corrupt or self.broken)

    def line(self) -> str:
        """For programs and people."""
        return f"FAULT {json.dumps(asdict(self))}"


# --- writers --------------------------------------------------------------------------------------------------------------


def plan(run: str) -> RunRecord:
    """5,000 cells."""
    return a_plan(run, models=MODELS, datasets=(a_dataset(keys=KEYS),))


def outcome(cell: Cell) -> Outcome:
    """Every tenth with outputs."""
    return an_outcome(cell) if sum(cell) % 10 == 0 else an_outcome(cell, outputs={})


def write(url: str, writer: int, n_threads: int) -> None:
    """Write run after run until somebody ends this process; each thread has a store, and so a connection, of its own."""
    logging.getLogger().addHandler(_Telling(logging.ERROR))
    threads = [threading.Thread(target=_write_runs, args=(url, n_threads * writer + i), daemon=True) for i in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _write_runs(url: str, writer: int) -> None:
    """Two writers share each run and begin at either end; so each cell is written twice, or three times where that was unsure."""
    sizes = random.Random(writer)
    try:
        for turn in range(10**6):
            run = f"{writer // 2} {turn}"
            log = SqlStore(url).open(plan(run))
            cells = all_cells(log.record)[:: -1 if writer % 2 else 1]
            while cells:
                batch, cells = cells[: (size := sizes.randint(1, LARGEST_BATCH))], cells[size:]
                log.write([outcome(cell) for cell in batch])
                _say(writer=writer, run=run, cells=batch)
    except Exception as error:
        _say(writer=writer, error=f"{type(error).__name__}: {error}")


class _Telling(logging.Handler):
    """What a library logs as an error would reach the user's terminal, traceback and all."""

    def emit(self, record: logging.LogRecord) -> None:
        _say(writer=-1, error=f"logged by {record.name}: {record.getMessage()} ({record.exc_info and record.exc_info[1]})")


_SAYING = threading.Lock()


def _say(**what: Any) -> None:
    with _SAYING:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()


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

    def __init__(self, url: str, n_processes: int, n_threads: int = 1) -> None:
        self.n_writers = n_processes * n_threads
        self.kept: dict[str, set[Cell]] = {}
        self.last: dict[int, float] = {}
        self.errors: list[str] = []
        command = [sys.executable, __file__, "--write", url, "--threads", str(n_threads)]
        self._processes = [
            subprocess.Popen([*command, "--writer", str(i)], stdout=subprocess.PIPE, text=True) for i in range(n_processes)
        ]
        self._listeners = [threading.Thread(target=self._listen, args=(process,)) for process in self._processes]
        for listener in self._listeners:
            listener.start()

    def await_all(self, since: float) -> float:
        """Wait until each has kept something after a moment, and say how long after it the last one did."""
        until = time.monotonic() + GRACE
        while time.monotonic() < until and not self.errors:
            moments = list(self.last.values())
            if len(moments) == self.n_writers and min(moments) > since:
                break
            time.sleep(0.01)
        else:
            self.errors.append(f"a writer kept nothing for {GRACE:.0f} s")
        return time.monotonic() - since

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


def cut(server: Server, n_writers: int, seconds: float) -> Toll:
    """Cut all clients off every 200 ms."""
    toll = Toll(f"connections of {n_writers} writers cut every {1000 * CUT_EVERY:.0f} ms", longest_recovery_s=0.0)

    def torment(writers: Writers) -> None:
        until = time.monotonic() + seconds
        moment = time.monotonic()
        while (moment := moment + CUT_EVERY) < until:
            time.sleep(max(0.0, moment - time.monotonic()))
            toll.points += len(execute(server.url, CUT))
        toll.longest_recovery_s = writers.await_all(time.monotonic())

    return _tried(toll, server, torment, n_writers)


def kill(server: Server, n_writers: int, n_kills: int, rng: random.Random) -> Toll:
    """Kill all processes of the server, and start it again."""
    toll = Toll(f"server killed under {n_writers} writers", longest_recovery_s=0.0)

    def torment(writers: Writers) -> None:
        for _ in range(n_kills):
            time.sleep(rng.uniform(0.2, 1.0))
            moment = time.monotonic()
            server.kill()
            server.start()
            toll.points += 1
            toll.n_kills += 1
            toll.longest_recovery_s = max(toll.longest_recovery_s, writers.await_all(moment))

    return _tried(toll, server, torment, n_writers)


def load(server: Server, n_connections: int, seconds: float) -> Toll:
    """Nothing but many writers."""
    toll = Toll(f"{n_connections} connections for {seconds:g} s")
    n_processes = min(8, n_connections)

    def torment(writers: Writers) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not writers.errors:
            time.sleep(0.1)
            toll.points = max(toll.points, execute(server.url, COUNT)[0][0])
        if toll.points < n_connections:
            toll.broken.append(f"there were {toll.points} connections only")

    return _tried(toll, server, torment, n_processes, n_connections // n_processes)


def _tried(toll: Toll, server: Server, torment: Callable[[Writers], None], n_processes: int, n_threads: int = 1) -> Toll:
    """Let writers write into an empty schema, do something to them, and count."""
    schema = f"fault_{os.getpid()}_{time.monotonic_ns()}"
    execute(server.url, f"CREATE SCHEMA {schema}")
    url = f"{server.url}&options=-csearch_path%3D{schema}"
    writers = Writers(url, n_processes, n_threads)
    try:
        writers.await_all(0.0)
        torment(writers)
    finally:
        writers.end()
    _count(toll, url, writers)
    execute(server.url, f"DROP SCHEMA {schema} CASCADE")
    return toll


def _count(toll: Toll, url: str, writers: Writers) -> None:
    """What is there of what was acknowledged."""
    toll.broken += writers.errors
    store = SqlStore(url)
    for run, kept in writers.kept.items():
        found = list(store.read(run).outcomes(outputs=True))
        cells = {each.cell for each in found}
        toll.acknowledged += len(kept)
        toll.lost += len(kept - cells)
        toll.doubled += len(found) - len(cells)
        toll.corrupt += sum(comparable(each) != comparable(outcome(each.cell)) for each in found)
    damages = store.check()
    toll.corrupt += len(damages)
    toll.broken += [f"{damage.run}: {damage.where}: {damage.what}" for damage in damages[:3]]
    store.close()


# --- the script -----------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each fault; the exit code is 1 if a promise was broken."""
    small = os.environ.get("TIEBREAK_FAULTS") == "small"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--cut-seconds", type=float, default=3 if small else 12)
    parser.add_argument("--kills", type=int, default=2 if small else 10)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--load-seconds", type=float, default=5 if small else 60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--write", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--writer", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.write:
        write(chosen.write, chosen.writer, chosen.threads)
        return 0
    if find_binaries() is None:
        print(f"FAULT {json.dumps({'name': 'PostgreSQL', 'skipped': MISSING})}")
        return 0
    server = Server()
    try:
        tolls = []
        if chosen.cut_seconds:
            tolls.append(cut(server, chosen.writers, chosen.cut_seconds))
            print(tolls[-1].line(), flush=True)
        if chosen.kills:
            tolls.append(kill(server, chosen.writers, chosen.kills, random.Random(chosen.seed)))
            print(tolls[-1].line(), flush=True)
        if chosen.load_seconds:
            tolls.append(load(server, chosen.connections, chosen.load_seconds))
            print(tolls[-1].line(), flush=True)
    finally:
        server.remove()
    return 0 if all(toll.is_as_promised for toll in tolls) else 1


if __name__ == "__main__":
    sys.exit(main())
