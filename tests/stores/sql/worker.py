"""Another process at work on a store: told what to do by lines of JSON, answering in lines of JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.contracts.plans import a_plan, all_cells, an_outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.store import SqlStore


def large_plan(run: str) -> RunRecord:
    """200 cells."""
    return a_plan(run, models=[f"m{i}" for i in range(50)])


def main() -> None:
    import sqlite3  # what is imported on first use, so that all start at once when told to

    import tiebreak.stores.sql.log

    assert sqlite3
    assert tiebreak.stores.sql.log
    say({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        try:
            {"open": open_fresh, "write": write, "endless": write_endlessly, "upgrade": upgrade}[order.pop("do")](**order)
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


def open_fresh(path: str, run: str, wal: bool = False) -> None:
    """Begin a run in a file that others make at the same moment."""
    if wal:
        sqlite.wal_is_safe = lambda version: True
    store = SqlStore(path)
    log = store.open(a_plan(run))
    log.write([an_outcome((0, 0, 0))])
    store.close()
    say({"done": run})


def write(path: str, run: str, offset: int, n: int) -> None:
    """Write the first cells of a run one by one, beginning somewhere in the middle."""
    log = SqlStore(path).open(large_plan(run))
    cells = all_cells(large_plan(run))[:n]
    for cell in cells[offset:] + cells[:offset]:
        log.write([an_outcome(cell)])
    say({"done": n})


def write_endlessly(path: str, run: str, size: int, until: str = "") -> None:
    """Write in batches, and tell the last number of each when it is kept; half-way wait for the file `until`, if one is named."""
    log = SqlStore(path).open(large_plan(run))
    cells = all_cells(large_plan(run))
    for start in range(0, len(cells), size):
        while until and start == len(cells) // 2 and not Path(until).exists():
            time.sleep(0.01)
        log.write([an_outcome(cell) for cell in cells[start : start + size]])
        say({"kept": start + size})
    say({"finished": True})


def upgrade(path: str) -> None:
    """Bring a store of an earlier schema to today's, as others try at the same moment."""
    done = SqlStore(path).upgrade()
    say({"upgraded": [done.before, done.after]})


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
