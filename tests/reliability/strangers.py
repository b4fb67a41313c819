"""Stores that a stranger made in order to harm: none hangs, runs code, takes much memory, or ends in anything but a message.

    python tests/reliability/strangers.py                 every store with every command that reads one, and the counts
    python tests/reliability/strangers.py --only views    those whose name begins so

Each command runs in a process of its own, under an audit hook that notes what only code out of the store could do. Then each is
begun once more and interrupted. The exit code is 1 if a limit was passed: `SECONDS`, `MEGABYTES`, `INTERRUPT_SECONDS`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome
from tests.reliability.fault import Fault, Recipe, UnavailableError
from tests.stores.rows import rows_in
from tiebreak.cli import compare, export, group, main, runs, show, store  # noqa: F401  (loaded once for all)
from tiebreak.stores.sql.encoding import to_json
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import (
    CELLS,
    DATASETS,
    ENVIRONMENTS,
    METRICS,
    MODELS,
    OUTPUTS,
    RUNS,
    SPLITS,
    STORE,
    TABLES,
    TALLIES,
    StoredTable,
    add_hashes,
)

SECONDS, MEGABYTES, INTERRUPT_SECONDS = 5.0, 300, 1.0
"""Megabytes are those of the whole process, which begins with what the one has that forks it: 75 more in the suite than here."""

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"

COMMANDS: dict[str, tuple[str, ...]] = {
    "runs": ("runs", "--store", "{url}"),
    "show": ("show", "{url}#moons"),
    "compare": ("compare", "{url}#moons"),
    "export": ("export", "{url}#moons", "--scores", "{folder}/scores.csv"),
    "check": ("store", "check", "{url}"),
    "predictions": ("export", "{url}#moons", "--predictions", "{folder}/predictions.csv"),
    "backup": ("store", "backup", "{url}", "{folder}/copy.db", "--even-damaged", "--force"),
}
"""What reads a store; {url} stands for its address, {folder} for one that is thrown away."""

Harm = Callable[[Path], None]


# --- the stores -----------------------------------------------------------------------------------------------------------


def write_store(path: Path, n_splits: int = 150) -> None:
    """A store as it should be, with trees of several pages."""
    keys = [(i // 10, i % 10) for i in range(n_splits)]
    kept = SqlStore(path)
    log = kept.open(a_plan(datasets=(a_dataset("iris", keys=keys),), settings={"rope": 0.01}))
    log.write([an_outcome(cell, outputs={"predict": np.arange(10) % 2}) for cell in all_cells(log.record)])
    kept.close()


def execute(path: Path, *statements: str, values: Sequence[Any] = ()) -> None:
    """Do to a file what anybody could; the last of the statements has the values."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement, values if statement is statements[-1] else ())


def endless_view(table: StoredTable[Any]) -> Harm:
    """Put a view that never ends in the place of a table."""
    name = table.in_database

    def harm(path: Path) -> None:
        execute(
            path, f"ALTER TABLE {name} RENAME TO elsewhere", f"CREATE VIEW {name} AS {ENDLESS} SELECT e.* FROM elsewhere e, c"
        )

    return harm


def statements(*wanted: str) -> Harm:
    """Execute statements."""
    return lambda path: execute(path, *wanted)


def definition(table: StoredTable[Any], old: str, new: str) -> Harm:
    """Change what the file says of a table."""
    return statements(f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}') WHERE name = '{table.in_database}'")


def foreign(columns: str, *then: str) -> Harm:
    """Add a table that is no part of a store, and only then say what is in it: SQLite believes what it reads."""

    def harm(path: Path) -> None:
        execute(path, "CREATE TABLE foreign_one (x, y)", "INSERT INTO foreign_one VALUES (1, 2)", *then)
        sql = f"CREATE TABLE foreign_one ({columns.replace('LONG', 'x' * 100_000_000)})"
        execute(path, "UPDATE sqlite_master SET sql = ? WHERE name = 'foreign_one'", values=(sql,))

    return harm


LARGE = f"max({', '.join(f'hex(zeroblob({60_000_000 + i}))' for i in range(20))})"
"""An expression that takes 2.4 GB."""


def crafted(table: StoredTable[Any], **changes: Any) -> Harm:
    """Change the first row of a table, and let its hash and the tally of the cells fit."""

    def harm(path: Path) -> None:
        row = rows_in(path, table)[0]
        put_crafted(path, table, row, row._replace(**changes))

    return harm


def put_crafted(path: Path, table: StoredTable[Any], old: Any, new: Any) -> None:
    """Put a row in the place of another one, with a hash, and a tally of the cells, that fit."""
    [sealed] = table.seal([new])
    where = " AND ".join(f"{name} = ?" for name in table.keys)
    marks = ", ".join("?" * len(table.columns))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DELETE FROM {table.in_database} WHERE {where}", old[: table.n_keys])
        connection.execute(f"INSERT INTO {table.in_database} VALUES ({marks})", tuple(sealed))
    if table is not CELLS:
        return
    with closing(sqlite3.connect(path)) as connection:
        cells = connection.execute("SELECT run, hash FROM tiebreak_cells").fetchall()
    for tally in rows_in(path, TALLIES):
        hashes = [number for run, number in cells if run == tally.run]
        [right] = TALLIES.seal([tally._replace(n_cells=len(hashes), hash_sum=add_hashes(0, hashes))])
        execute(
            path,
            "UPDATE tiebreak_tallies SET n_cells = ?, hash_sum = ?, hash = ? WHERE run = ?",
            values=(right.n_cells, right.hash_sum, right.hash, right.run),
        )


def npy(header: str, body: bytes = b"") -> bytes:
    """A .npy file with any header."""
    text = header.encode().ljust(118)
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


class Mark:
    """Makes a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch code-was-run",)


def pickled() -> bytes:
    """An array of objects, as numpy would unpickle it."""
    return npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", pickle.dumps(np.array([Mark()], dtype=object)))


PAGE = 4096
INTERIOR = 2
"""Kind of a page that leads to others, in the tree of an index or of a table without row numbers."""


def _led_to(page: bytes, child: int) -> bytes:
    """A page all of whose ways lead to one page."""
    led = bytearray(page)
    led[8:12] = child.to_bytes(4, "big")
    for i in range(int.from_bytes(page[3:5], "big")):
        cell = int.from_bytes(page[12 + 2 * i : 14 + 2 * i], "big")
        led[cell : cell + 4] = child.to_bytes(4, "big")
    return bytes(led)


def branching(table: StoredTable[Any], n_levels: int) -> Harm:
    """Let all ways from a page lead to the same one, level by level: a small file with more rows than atoms."""

    def harm(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table.in_database,))
        pages = [path.read_bytes()[start : start + PAGE] for start in range(0, path.stat().st_size, PAGE)]
        top = pages[root - 1]
        assert top[0] == INTERIOR, "the tree has one page only"
        child = int.from_bytes(top[8:12], "big")
        for _ in range(n_levels):
            pages.append(_led_to(top, child))
            child = len(pages)
        pages[root - 1] = _led_to(top, child)
        pages[0] = pages[0][:28] + len(pages).to_bytes(4, "big") + pages[0][32:]
        path.write_bytes(b"".join(pages))

    return harm


def circle(path: Path) -> None:
    """Let a tree lead to itself."""
    with closing(sqlite3.connect(path)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'tiebreak_cells'")
    content = bytearray(path.read_bytes())
    start = (root - 1) * PAGE
    content[start : start + PAGE] = _led_to(bytes(content[start : start + PAGE]), root)
    path.write_bytes(content)


def garbage(path: Path) -> None:
    """What begins like a database."""
    path.write_bytes(path.read_bytes()[:100] + np.random.default_rng(1).bytes(50_000))


STORES: dict[str, Harm] = {
    **{f"views: endless in the place of {table.name}": endless_view(table) for table in TABLES},
    "views: a text of 900 MB": statements(
        "ALTER TABLE tiebreak_runs RENAME TO elsewhere",
        "CREATE VIEW tiebreak_runs AS SELECT id, created, n_models, n_datasets, n_splits, n_metrics, n_environments, name_key, "
        "hex(zeroblob(450000000)) AS name, rng, threads, settings, hash FROM elsewhere",
    ),
    "views: in capital letters": statements(
        "ALTER TABLE tiebreak_cells RENAME TO elsewhere",
        f"CREATE VIEW TIEBREAK_CELLS AS {ENDLESS} SELECT e.* FROM elsewhere e, c",
    ),
    "triggers: on what is written": statements(
        "CREATE TRIGGER t AFTER INSERT ON tiebreak_holders BEGIN DELETE FROM tiebreak_cells; END"
    ),
    "definitions: a computed column of 900 MB": definition(RUNS, "rng TEXT", "rng TEXT AS (hex(zeroblob(450000000)))"),
    "definitions: a check of 900 MB": definition(MODELS, "name TEXT", "name TEXT CHECK (length(hex(zeroblob(450000000))) > 0)"),
    "definitions: a default of 1 MB": definition(METRICS, "name TEXT", f"name TEXT DEFAULT ''{'x' * 1_000_000}''"),
    "definitions: an index on an expression": statements("CREATE INDEX i ON tiebreak_cells (abs(state) + 1)"),
    "definitions: a virtual table": statements(
        "INSERT INTO sqlite_master VALUES "
        "('table', 'tiebreak_x', 'tiebreak_x', 0, 'CREATE VIRTUAL TABLE tiebreak_x USING dbstat')"
    ),
    "definitions: a foreign check of 2 GB": foreign(f"x, y, CHECK ({LARGE} <> x)"),
    "definitions: a foreign column that is computed": foreign(f"x, y, z AS ({LARGE})"),
    "definitions: a foreign column that was computed": foreign(f"x, y AS ({LARGE}) STORED"),
    "definitions: a foreign default of 100 MB": foreign("x, y DEFAULT 'LONG'"),
    "definitions: a foreign index on an expression": foreign(
        "x, y",
        "CREATE INDEX i ON foreign_one (x)",
        f"UPDATE sqlite_master SET sql = 'CREATE INDEX i ON foreign_one ({LARGE})' WHERE name = 'i'",
    ),
    "definitions: a foreign index on a part": foreign("x, y", "CREATE INDEX i ON foreign_one (x) WHERE length(hex(y)) > 0"),
    "definitions: a foreign table of SQLite's name": foreign(
        "x, y",
        "UPDATE sqlite_master SET name = 'sqlite_x', tbl_name = 'sqlite_x', "
        f"sql = 'CREATE TABLE sqlite_x (x, y, CHECK ({LARGE} <> x))' WHERE name = 'foreign_one'",
    ),
    "definitions: a foreign view": statements(f"CREATE VIEW v AS {ENDLESS} SELECT x FROM c"),
    "definitions: a foreign virtual table": statements("CREATE VIRTUAL TABLE words USING fts5(x)"),
    "definitions: a foreign table without harm": foreign("x, y"),
    **{
        f"texts: {column} of {table.name}, 100 MB": statements(
            f"UPDATE {table.in_database} SET {column} = hex(zeroblob(50000000)) "
            f"WHERE rowid_of = (SELECT max(rowid_of) FROM {table.in_database})".replace("rowid_of", key)
        )
        for table, column, key in [
            (RUNS, "name", "id"),
            (RUNS, "name_key", "id"),
            (RUNS, "n_models", "id"),
            (MODELS, "name", "position"),
            (DATASETS, "classes", "position"),
            (METRICS, "name", "position"),
            (ENVIRONMENTS, "versions", "position"),
            (SPLITS, "split_hash", "position"),
            (STORE, "written_by", "id"),
        ]
    },
    "texts: facts of a cell, 100 MB": statements(
        "UPDATE tiebreak_cells SET facts = hex(zeroblob(50000000)) WHERE model = 1 AND split = 70"
    ),
    "texts: the method of an output, 100 MB": statements(
        "UPDATE tiebreak_outputs SET method = hex(zeroblob(50000000)) WHERE model = 1 AND split = 70"
    ),
    "bombs: a name of 50 MB": crafted(MODELS, name=to_json("x" * 50_000_000)),
    "bombs: a message of 20 MB": crafted(CELLS, facts=to_json({"message": "x" * 20_000_000})),
    "bombs: an output of 300 MB": statements(
        "UPDATE tiebreak_outputs SET content = zeroblob(300000000) WHERE model = 0 AND split = 0"
    ),
    "bombs: JSON of 7 MB with two million lists": crafted(
        RUNS, settings="{" + ", ".join(f'"{i}": []' for i in range(500_000)) + "}"
    ),
    "bombs: JSON 100,000 deep": crafted(ENVIRONMENTS, versions="[" * 100_000 + "]" * 100_000),
    "bombs: an array of a terabyte": crafted(
        OUTPUTS, content=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (137438953472,), }", bytes(8))
    ),
    "pickles: an output": crafted(OUTPUTS, content=pickled()),
    "pickles: a target": crafted(DATASETS, target=pickled()),
    "pickles: rows of a split": crafted(SPLITS, test_rows=pickled()),
    "code: in the header of an array": crafted(OUTPUTS, content=npy("__import__('os').system('touch code-was-run')")),
    "code: a model that names a module": crafted(
        MODELS, written_as=to_json("evil_module.Evil()"), name=to_json("evil_module:Evil")
    ),
    "code: settings that name a module": crafted(
        RUNS, settings=to_json({"import": "evil_module:Evil", "study": "evil_module.toml"})
    ),
    "circles: a tree that leads to itself": circle,
    "circles: cells without end": branching(CELLS, 12),
    "circles: splits without end": branching(SPLITS, 12),
    "circles: outputs without end": branching(OUTPUTS, 12),
    "content: a state that there is not": crafted(CELLS, state=99),
    "content: scores of no length": crafted(CELLS, numbers=b"\0" * 23),
    "content: two models of one name": crafted(MODELS, name=to_json("forest")),
    "content: a place of 2 to the 62": crafted(CELLS, model=2**62),
    "content: times beyond the calendar": crafted(TALLIES, updated=2**62),
    "content: a later schema": crafted(STORE, schema_version=99),
    "content: no database": garbage,
}
"""By name, what is done to a store that was as it should be."""


# --- trying them ----------------------------------------------------------------------------------------------------------

RUNS_CODE = (
    *("pickle.find_class", "os.system", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "ctypes.dlopen"),
    *("sqlite3.enable_load_extension", "sqlite3.load_extension", "socket.connect"),
)
"""Events of Python's audit hooks that no command has a reason for."""


def run_command(arguments: Sequence[str], folder: Path) -> None:
    """Be the process of a command: say into a file what it says, note what it does, and end."""
    noted: list[str] = []

    def hook(event: str, details: tuple[Any, ...]) -> None:
        is_import = event == "import" and "evil" in str(details[0])
        if event in RUNS_CODE or is_import or "code-was-run" in str(details)[:2000]:
            noted.append(event)

    file = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.argv = ["tiebreak", *arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it from the start
    sys.addaudithook(hook)
    code: Any = 70
    try:
        code = main.main()
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    print("TOLD", json.dumps(noted), flush=True)
    os._exit(int(code or 0))


@dataclass(frozen=True)
class Tried:
    """What a command did with a store: seconds, megabytes at most, what was noted, and what it said."""

    store: str
    command: str
    exit_code: int
    seconds: float
    megabytes: float
    events: tuple[str, ...]
    said: str
    interrupt_seconds: float = 0.0

    @property
    def is_unclear(self) -> bool:
        """True where people are told of the program, and not of the store."""
        return self.exit_code == 70 or "Traceback" in self.said

    @property
    def faults(self) -> list[str]:
        """Limits that were passed."""
        found = {
            f"took {self.seconds:.1f} s of the processor": self.seconds > SECONDS,
            f"took {self.megabytes:.0f} MB": self.megabytes > MEGABYTES,
            f"ran code: {self.events}": bool(self.events),
            f"no clear message: {self.said[-300:]!r}": self.is_unclear,
            f"ended {self.interrupt_seconds:.1f} s after the interrupt": self.interrupt_seconds > INTERRUPT_SECONDS,
        }
        return [text for text, is_so in found.items() if is_so]

    def line(self) -> str:
        """For whoever watches."""
        state = "; ".join(self.faults) or "as promised"
        told = f"{self.seconds:.2f} s, {self.megabytes:.0f} MB, exit {self.exit_code}: {state}"
        return f"{self.store} | {self.command}: {told} | {self.said.splitlines()[-1][:150] if self.said else ''}"


def start(folder: Path, arguments: Sequence[str]) -> int:
    """Begin a command in a process of its own, which has loaded all that it needs, and return its number."""
    sys.stdout.flush()
    process = os.fork()
    if not process:
        run_command(arguments, folder)
    return process


def used(process: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process: int, interrupt_after: float = math.inf) -> tuple[int, float, float]:
    """Wait until a command ends: its exit code, the seconds of the processor that it took, the megabytes that it ever had.

    It is interrupted after so many seconds, and then the seconds are those from there on. Time that passes says more of what else
    a machine does; who takes much of that and none of the processor sleeps, and is ended.
    """
    until, before = time.monotonic() + 12 * SECONDS, 0.0
    ended, status, usage = os.wait4(process, os.WNOHANG)
    while not ended:
        if not before and used(process) > interrupt_after:
            before = used(process)
            os.kill(process, signal.SIGINT)
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            _, status, usage = os.wait4(process, 0)
            return -signal.SIGKILL, 12 * SECONDS, usage.ru_maxrss / 1024
        time.sleep(0.002)
        ended, status, usage = os.wait4(process, os.WNOHANG)
    seconds = usage.ru_utime + usage.ru_stime - before if before or interrupt_after == math.inf else 0.0
    return os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss / 1024


def try_command(name: str, path: Path, command: str) -> Tried:
    """Run a command on a store."""
    words = [part.format(url=f"sqlite:///{path}", folder=path.parent) for part in COMMANDS[command]]
    return try_words(name, path, command, words)


LOADED = 205
"""Megabytes of this script once it has loaded all that commands need."""


def carried() -> float:
    """Megabytes that a command is handed by whoever forks it, beyond those of this script: those of a run of tests."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return max(0.0, pages * os.sysconf("SC_PAGE_SIZE") / 2**20 - LOADED)


def try_words(name: str, path: Path, command: str, words: Sequence[str]) -> Tried:
    """Run a command on a file; one that takes a while is run once more, and interrupted."""
    own = carried()
    code, seconds, megabytes = end(start(path.parent, words))
    megabytes -= own
    said = (path.parent / "said").read_text(errors="replace")
    _, _, told = said.rpartition("TOLD ")
    events = json.loads(told) if "TOLD " in said else []
    events += ["a file was made"] if (path.parent / "code-was-run").exists() else []
    interrupted = end(start(path.parent, words), seconds / 2)[1] if seconds > 0.2 else 0.0
    return Tried(name, command, code, seconds, megabytes, tuple(events), said.partition("TOLD ")[0].strip(), interrupted)


def try_stores(folder: Path, names: Sequence[str], commands: Sequence[str]) -> Iterator[Tried]:
    """Try each command on each store."""
    right = folder / "right.db"
    write_store(right)
    for number, name in enumerate(names):
        place = folder / str(number)
        place.mkdir()
        (place / "evil_module.py").write_text("open('code-was-run', 'w').close()\n")
        path = place / "runs.db"
        shutil.copy(right, path)
        STORES[name](path)
        for command in commands:
            yield try_command(name, path, command)
        shutil.rmtree(place)


def totals(tried: Sequence[Tried], noun: str = "stores") -> str:
    """In a sentence."""
    seconds, megabytes = [each.seconds for each in tried], [each.megabytes for each in tried]
    counts = {
        f"took more than {SECONDS:g} s (the longest {max(seconds):.2f} s)": sum(each > SECONDS for each in seconds),
        "ran code": sum(bool(each.events) for each in tried),
        f"took more than {MEGABYTES} MB (the most {max(megabytes):.0f} MB)": sum(each > MEGABYTES for each in megabytes),
        "ended without a clear message": sum(each.is_unclear for each in tried),
    }
    listed = ", ".join(f"{number} {what}" for what, number in counts.items())
    longest, n_stores = max(each.interrupt_seconds for each in tried), len({each.store for each in tried})
    return f"{n_stores} {noun}, {len(tried)} commands: {listed}; the longest end after Ctrl-C {longest:.2f} s."


def torment(folder: Path, n_stores: int, rng: Random, n_jobs: int) -> Fault:
    """Every command on so many of the stores, taken at random."""
    if not (hasattr(os, "fork") and Path("/proc/self/stat").exists()):
        raise UnavailableError("it forks, and reads the seconds of a process in /proc")
    names = rng.sample(list(STORES), min(n_stores, len(STORES)))
    tried = list(try_stores(folder, names, list(COMMANDS)))
    broken = [f"{each.store}, {each.command}: {'; '.join(each.faults)}" for each in tried if each.faults]
    return Fault(NAME, len(tried), broken=tuple(broken), remark=totals(tried).rstrip("."))


NAME = "a store made by a stranger in order to harm"

RECIPE = Recipe(torment, n_small=3, n_release=len(STORES))


def try_all(arguments: Sequence[str] | None = None) -> int:
    """Try all of them, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="stores whose name begins so")
    parser.add_argument("--command", action="append", choices=COMMANDS, help="commands; all if not given")
    chosen = parser.parse_args(arguments)
    names = [name for name in STORES if name.startswith(chosen.only)]
    with tempfile.TemporaryDirectory() as folder:
        tried = []
        for each in try_stores(Path(folder), names, chosen.command or list(COMMANDS)):
            tried.append(each)
            print(each.line(), flush=True)
    print(totals(tried))
    return int(any(each.faults for each in tried))


if __name__ == "__main__":
    sys.exit(try_all())
