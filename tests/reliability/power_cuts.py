"""Power cuts: what is on the disk after each call of a store, as far as it was synchronised, and what a store makes of it.

All writes, synchronisations and changes of names that a store, its journals and its folder see are recorded once, by strace. For
each moment between two of them the folder is then made as a disk without power may leave it: what was synchronised is there; of
what was not, nothing is, or all, or the contents without the names, or the names without the contents, or everything but the last
call, or any part of it, sector by sector. That folder is opened: what was acknowledged by then has to be there, and everything
else whole or not at all; then the same command goes on.

    python tests/reliability/power_cuts.py                               all points of all commands in both journal modes
    python tests/reliability/power_cuts.py --points 50 --only evaluate
    python tests/reliability/power_cuts.py --synchronous FULL            as it was before: the batch acknowledged last can be lost
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reliability import forked, strace, study, upgrades
from tests.reliability.fault import Fault, Recipe, joined
from tests.reliability.forked import Say
from tests.reliability.signals import MODELS as SLOW_MODELS
from tests.reliability.signals import STUDY as SLOW_STUDY
from tiebreak.cli.main import run as command_line
from tiebreak.errors import TiebreakError
from tiebreak.stores.sql import sqlite as sqlite_stores
from tiebreak.stores.sql.leases import SqlLease
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

MODES = ("delete", "wal")
SECTOR = 512
"""Bytes that a disk writes whole or not at all."""
CALLS = (
    *("openat", "creat", "pwrite64", "write", "ftruncate", "truncate", "fdatasync", "fsync"),
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat"),
)


# --- what was written and synchronised ------------------------------------------------------------------------------------


class Call(NamedTuple):
    """A call that changed the folder or its files, or synchronised them; or what the process said.

    `file` is the number of a file, or -1 for the names in the folder. `change` is None for a synchronisation; a place and bytes
    for a file that is written, a size for one that is cut; numbers by name (None: removed) for the folder.
    """

    what: str
    file: int
    change: Any = None


_LINE = re.compile(r"^(?:(\d+) +)?(\w+)\((.*)\) += (-?\d+)")
_PARTS = re.compile(r"^(?:\d+ +)?(?:(.*) <unfinished \.\.\.>|<\.\.\. \w+ resumed>(.*))$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_PATH = re.compile(r"^(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)")


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def read_calls(log: str, folder: Path, names: Mapping[str, int]) -> list[Call]:
    """The calls of a log of strace (-f -y -xx) that have to do with the files in a folder.

    `names` are the files that are there at the beginning, with their numbers. Lines of JSON said into a pipe are calls too.
    """
    files = dict(names)
    calls: list[Call] = []
    for line in _whole_lines(log):
        match = _LINE.match(line)
        if match is None or int(match[4]) < 0:
            continue
        _, call, arguments, result = match.groups()
        texts = [_bytes(text) for text in _TEXT.findall(arguments)]
        path = _PATH.match(arguments)
        place = _bytes(path[1]).decode() if path else ""
        if call == "write" and place.startswith("pipe:"):
            calls += [Call("said", -1, json.loads(each)) for each in texts[0].splitlines() if each.startswith(b"[")]
        elif call in ("openat", "creat"):
            name = Path(texts[0].decode()).name
            is_here = str(folder / name) in (texts[0].decode(), f"{place}/{texts[0].decode()}")
            if is_here and "O_CREAT" in arguments and name not in files:
                files[name] = max([*files.values(), -1, *(each.file for each in calls)]) + 1
                calls.append(Call(call, -1, {name: files[name]}))
            elif is_here and name in files and "O_TRUNC" in arguments:
                calls.append(Call(call, files[name], 0))
        elif call in ("fsync", "fdatasync") and place == str(folder):
            calls.append(Call(call, -1))
        elif place and Path(place).parent == folder and call not in ("unlinkat", "renameat", "renameat2", "linkat"):
            number = files.get(Path(place).name)
            if number is None:  # removed, and still open
                continue
            if call in ("fsync", "fdatasync"):
                calls.append(Call(call, number))
            elif call == "ftruncate":
                calls.append(Call(call, number, int(arguments.rsplit(",", 1)[1])))
            elif call == "pwrite64":
                calls.append(Call(call, number, (int(arguments.rsplit(",", 1)[1]), texts[0][: int(result)])))
            else:
                raise RuntimeError(f"not understood: {line[:200]}")
        elif call.startswith(("unlink", "rename", "link")):
            found = [Path(text.decode()) for text in texts]
            if not any(each.parent == folder or (folder / each).exists() for each in found if each.name in files):
                continue
            old = found[0].name
            change: dict[str, int | None] = {} if call.startswith("link") else {old: None}
            if not call.startswith("unlink"):
                change[found[1].name] = files[old]
            calls.append(Call(call, -1, change))
            for name, number in change.items():
                files.pop(name, None)
                if number is not None:
                    files[name] = number
    return calls


def _whole_lines(log: str) -> Iterator[str]:
    """Lines of a log, those joined that another thread cut in two."""
    begun: dict[str, str] = {}
    for line in log.splitlines():
        parts = _PARTS.match(line)
        process = line.split(maxsplit=1)[0]
        if parts is None:
            yield line
        elif parts[1] is not None:
            begun[process] = parts[1]
        else:
            yield f"{process} {begun.pop(process, '')}{parts[2]}"


@dataclass
class Disk:
    """Files and names as they were synchronised last, and the calls since then that nobody waited for."""

    files: dict[int, bytes]
    names: dict[str, int]
    pending: list[Call] = field(default_factory=list)

    def take(self, call: Call) -> None:
        """Go one call further."""
        if call.what == "said":
            return
        if call.change is not None:
            self.pending.append(call)
            return
        for each in self.pending:
            if each.file == call.file:
                apply(each, self.files, self.names)
        self.pending = [each for each in self.pending if each.file != call.file]

    def left(self, kind: str, rng: Random) -> dict[str, bytes]:
        """Contents by name, as a cut at this moment may leave them."""
        files, names = dict(self.files), dict(self.names)
        for i, call in enumerate(self.pending):
            if kind == "some of it":
                for part in _sectors(call):
                    if rng.random() < 0.5:
                        apply(part, files, names)
            elif {
                "nothing": False,
                "all": True,
                "contents only": call.file >= 0,
                "names only": call.file < 0,
                "all but the last": i + 1 < len(self.pending),
            }[kind]:
                apply(call, files, names)
        return {name: files.get(number, b"") for name, number in names.items()}


KINDS = ("nothing", "all", "contents only", "names only", "all but the last", "some of it", "some of it")


def apply(call: Call, files: dict[int, bytes], names: dict[str, int]) -> None:
    """Do what a call did."""
    if call.file < 0:
        for name, number in call.change.items():
            names.pop(name, None)
            if number is not None:
                names[name] = number
        return
    content = files.get(call.file, b"")
    if isinstance(call.change, int):
        files[call.file] = content[: call.change].ljust(call.change, b"\0")
    else:
        place, text = call.change
        files[call.file] = content[:place].ljust(place, b"\0") + text + content[place + len(text) :]


def _sectors(call: Call) -> Iterator[Call]:
    """The parts of a call that a disk does one by one."""
    if call.file < 0 or isinstance(call.change, int):
        yield call
        return
    place, text = call.change
    first = 0
    while first < len(text):
        last = min(len(text), first + SECTOR - (place + first) % SECTOR)
        yield call._replace(change=(place + first, text[first:last]))
        first = last


# --- what is done meanwhile -----------------------------------------------------------------------------------------------


def _say_what_is_kept(say: Say) -> None:
    """In this process, have the store say which cells it is given, and that they are kept."""
    write = SqlLease.write

    def told(lease: SqlLease, outcomes: Any, *more: Any, **others: Any) -> Any:
        if outcomes:
            say("measured", *(list(each.cell) for each in outcomes))
        answer = write(lease, outcomes, *more, **others)
        if outcomes:
            say("kept", *(list(each.cell) for each in outcomes))
        return answer

    SqlLease.write = told  # type: ignore[method-assign]


def _silent(word: str, *values: Any) -> None:
    """Say nothing."""


def _evaluate(path: Path, n_models: int = 3) -> None:
    import tiebreak as tb

    models = dict(list(study.MODELS.items())[:n_models])
    scoring = ["accuracy", "f1"]
    store = f"sqlite:///{path}"
    tb.evaluate(models, study.X, study.Y, cv=4, scoring=scoring, store=store, name=study.NAME, runner=study.Paced(_silent))


def _run(path: Path) -> None:
    (path.parent.parent / "slow_models.py").write_text(SLOW_MODELS.replace("0.06", "0.1"))
    written = path.parent.parent / "slow.toml"
    written.write_text(SLOW_STUDY.replace("n_repeats = 8", "n_repeats = 2"))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if code := command_line(["run", str(written), "--store", f"sqlite:///{path}", "--n-jobs", "1"]):
            raise RuntimeError(f"exit code {code}")


def _back_up(path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if code := command_line(["store", "backup", f"sqlite:///{path}", str(path.with_name("copy.db")), "--force"]):
            raise RuntimeError(f"exit code {code}")


def _upgrade(path: Path) -> None:
    SqlStore(path).upgrade()


class Command(NamedTuple):
    """A command that writes a store: what makes the store that it begins with, what it does, which run it is about."""

    prepare: Callable[[Path], object]
    do: Callable[[Path], object]
    run: str


def _old_store(path: Path) -> None:
    [old] = [file for file in upgrades.saved() if not file.name.endswith(f"-{SCHEMA}.db") and file.name.startswith("schema-")]
    path.write_bytes(old.read_bytes())


def _nothing(path: Path) -> None:
    """Begin without a store."""


COMMANDS = {
    "evaluate": Command(_nothing, _evaluate, study.NAME),
    "run": Command(_nothing, _run, "slow one"),
    "extend": Command(lambda path: _evaluate(path, 2), _evaluate, study.NAME),
    "backup": Command(_evaluate, _back_up, study.NAME),
    "upgrade": Command(_old_store, _upgrade, ""),
}


# --- trying them ----------------------------------------------------------------------------------------------------------


def _use(mode: str, synchronous: str) -> None:
    """In this process, have stores use a journal mode, and wait for the disk less if so asked."""
    study.use_wal(mode == "wal")
    if synchronous:
        begin = sqlite_stores.SqliteDatabase.begin

        def weaker(database: Any, connection: Any, *, to_write: bool) -> None:
            connection.driver.execute(f"PRAGMA synchronous = {synchronous}")
            begin(database, connection, to_write=to_write)

        sqlite_stores.SqliteDatabase.begin = weaker  # type: ignore[method-assign]


def _copy_contents(path: Path, run: str) -> dict[str, Any]:
    """The same of a copy, whatever its name ends in."""
    renamed = path.parent.parent / "copied.db"
    shutil.copy(path, renamed)
    return _contents(renamed, run)


def _contents(path: Path, run: str) -> dict[str, Any]:
    """Hashes of all cells, and what is wrong; of a whole store where no run is named."""
    if not run:
        found = upgrades._contents(path) if path.exists() else {"cells": {}, "damages": ["the store is gone"]}
        # as it comes out of another process, where two halves of a character become one
        return dict(json.loads(json.dumps({"cells": found["cells"], "damages": found["damages"]})))
    state = study.state_of(path, run)
    return {"cells": state.cells, "damages": state.damages + ["cells kept twice"] * bool(state.n_double)}


def _look(path: Path, run: str, mode: str) -> dict[str, Any]:
    """The same in a journal mode."""
    _use(mode, "")
    return _contents(path, run)


class Recorded(NamedTuple):
    """A command that nothing disturbed: the files before it, its calls, the cells before and after it."""

    before: dict[str, bytes]
    calls: list[Call]
    at_first: dict[str, str]
    in_the_end: dict[str, str]


def record(home: Path, command: Command, mode: str, synchronous: str = "") -> Recorded:
    """Do it once, and write down all that reaches the files."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "store").mkdir(parents=True)
    path = home / "store" / "runs.db"

    def prepare() -> None:
        _use(mode, "")
        command.prepare(path)

    def settle() -> None:  # into the file alone, in a process that has nothing else open
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")  # an older store is in the mode that it is in

    forked.call(prepare)
    if path.exists():
        forked.call(settle)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    at_first = forked.call(lambda: _look(path, command.run, mode))["cells"] if before else {}
    for file in path.parent.iterdir():  # looking may have changed the mode
        file.unlink()
    for name, content in before.items():
        (path.parent / name).write_bytes(content)

    def work(say: Say) -> None:
        _use(mode, synchronous)
        _say_what_is_kept(say)
        command.do(path)
        say("done")

    child = forked.Child(work, ready=strace.allow)
    log = home / "strace.txt"
    words = ["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", "signal=none", "-e", f"trace={','.join(CALLS)}"]
    tracer = subprocess.Popen([*words, "-o", str(log), "-p", str(child.pid)], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    while "attached" not in (line := tracer.stderr.readline()):
        if not line:
            raise RuntimeError("strace did not attach")
    child.go()
    said = list(child.said())
    if child.end() or said[-1] != ("done",):
        raise RuntimeError(f"the undisturbed command ended with exit code {child.code}")
    tracer.communicate(timeout=300)
    names = {name: number for number, name in enumerate(before)}
    calls = read_calls(log.read_text(), path.parent, names)
    is_there = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    state = forked.call(lambda: _look(path, command.run, mode))
    assert not state["damages"], state
    live = Disk({number: before[name] for name, number in names.items()}, dict(names))
    for call in calls:
        live.take(call)
    again = {name: content for name, content in live.left("all", Random(0)).items() if not name.endswith("-shm")}
    assert again == is_there, "the recorded calls do not give the files that are there"
    return Recorded(before, calls, at_first, state["cells"])


class Point(NamedTuple):
    """A power cut: contents by name, what had been said by then, and whether that was the last thing done."""

    where: str
    files: dict[str, bytes]
    kept: list[str]
    pending: list[str]
    is_done: bool
    is_after_words: bool


def points_of(recorded: Recorded, rng: Random) -> Iterator[Point]:
    """Every moment, in all ways that differ."""
    names = {name: number for number, name in enumerate(recorded.before)}
    disk = Disk({number: recorded.before[name] for name, number in names.items()}, names)
    kept, pending, is_done, seen = [], [], False, set()  # type: ignore[var-annotated]
    for number, call in enumerate([None, *recorded.calls]):
        if call is not None:
            disk.take(call)
            if call.what == "said":
                word, *values = call.change
                if word == "measured":
                    pending = [str(value) for value in values]
                elif word == "kept":
                    kept, pending = [*kept, *map(str, values)], []
                else:
                    is_done = True
        for kind in KINDS:
            files = {name: content for name, content in disk.left(kind, rng).items() if not name.endswith("-shm")}
            key = study.digest((sorted(files.items()), kept, pending, is_done))
            if key not in seen:
                seen.add(key)
                what = "the beginning" if call is None else call.what
                where = f"after call {number} ({what}), {kind} of what was not synchronised"
                yield Point(where, files, kept, pending, is_done, what == "said")


class Answer(NamedTuple):
    """What a store made of a cut: cells lost, measured once more, and what else is wrong."""

    lost: int
    again: int
    wrong: list[str]


def judge(home: Path, command: Command, point: Point, recorded: Recorded) -> Answer:
    """Open what a cut left, look at it, and go on."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "store").mkdir(parents=True)
    path = home / "store" / "runs.db"
    for name, content in point.files.items():
        (path.parent / name).write_bytes(content)
    copies = [name for name in point.files if name in ("copy.db",) or name.endswith(".backup")]
    state = _contents(path, command.run)
    cells, wrong = state["cells"], [f"the check finds {each}" for each in state["damages"]]
    acknowledged = [*recorded.at_first, *point.kept]
    lost = sum(cells.get(cell) != recorded.in_the_end[cell] for cell in acknowledged)
    extra = set(cells) - set(acknowledged)
    if extra not in (set(), set(point.pending)):
        wrong.append(f"a part of a batch is there: {sorted(extra)} of {point.pending}")
    wrong += [f"cell {cell} has other bits" for cell in extra if cells[cell] != recorded.in_the_end.get(cell)]
    if command.do in (_back_up, _upgrade):
        wrong += [f"{name} is no whole copy" for name in copies if _copy_contents(path.with_name(name), command.run) != state]
        is_upgraded = command.do is _upgrade and not lost and _schema(path) == SCHEMA
        if (point.is_done or is_upgraded) and not copies:
            wrong.append("the backup is gone")
        if command.do is _upgrade and point.is_done and not is_upgraded:
            wrong.append("the upgrade is gone")
    again = _go_on(path, command, acknowledged)
    after = _contents(path, command.run)
    if after["damages"] or after["cells"] != recorded.in_the_end:
        wrong.append(f"going on gives another table: {after['damages']}")
    wrong += [f"{file.name} was left" for file in path.parent.iterdir() if command.do is _back_up and file.name.endswith(".tmp")]
    return Answer(lost, again, wrong)


def _schema(path: Path) -> int:
    from tests.stores.rows import rows_in
    from tiebreak.stores.sql.tables import STORE

    return int(rows_in(path, STORE)[0].schema_version)


def _go_on(path: Path, command: Command, acknowledged: Sequence[str]) -> int:
    """Do the same once more; how many cells are measured that had been acknowledged."""
    measured: list[str] = []
    write = SqlLease.write
    _say_what_is_kept(lambda word, *cells: measured.extend(map(str, cells)) if word == "measured" else None)
    try:
        command.do(path)
    except TiebreakError:  # what is there then is not the whole
        pass
    finally:
        SqlLease.write = write  # type: ignore[method-assign]
    return len(set(measured) & set(acknowledged))


def cut(name: str, mode: str, folder: Path, n_points: int, rng: Random, n_jobs: int, synchronous: str = "") -> Fault:
    """Cut the power at `n_points` moments of a command, drawn at random where there are more."""
    strace.check()
    study.warm_up()
    command = COMMANDS[name]
    recorded = record(folder / "undisturbed", command, mode, synchronous)
    seed = rng.randrange(2**32)
    told = [point.is_after_words for point in points_of(recorded, random.Random(seed))]
    n_all = len(told)
    drawn = rng.sample(range(n_all), n_all)
    first = [number for number in drawn if told[number]][: (n_points + 1) // 2]  # where most can be lost
    chosen = {*first, *[number for number in drawn if number not in first][: n_points - len(first)]}

    def part(i: int) -> str:
        _use(mode, "")
        n = n_rows = lost = again = corrupt = 0
        broken = []
        for number, point in enumerate(points_of(recorded, random.Random(seed))):
            if number not in chosen or number % n_jobs != i:
                continue
            answer = judge(folder / f"part{i}", command, point, recorded)
            n += 1
            n_rows += len(recorded.at_first) + len(point.kept)
            lost, again, corrupt = lost + answer.lost, again + answer.again, corrupt + bool(answer.wrong)
            if any(answer):
                broken.append(f"{name}, {mode}, {point.where}: {answer.lost} lost, {answer.again} again, {answer.wrong}")
        title = f"a power cut during {name}, {mode.upper()}"
        n_synced = sum(call.change is None for call in recorded.calls)
        n_calls = sum(call.what != "said" for call in recorded.calls)
        remark = f"{n_all} states of the disk after {n_calls} calls, {n_synced} of them synchronisations"
        return Fault(title, n, n_rows, lost, again, corrupt, broken=tuple(broken), remark=remark).line()

    return joined(Fault.read("\n".join(forked.shared(part, n_jobs))))


def recipes() -> Iterator[tuple[str, Recipe]]:
    """Each command in both journal modes."""
    for mode in MODES:
        for name in COMMANDS:

            def run(folder: Path, n: int, rng: Random, n_jobs: int, name: str = name, mode: str = mode) -> Fault:
                return cut(name, mode, folder, n, rng, n_jobs)

            yield f"power-{name}-{mode}", Recipe(run, n_small=12, n_release=100_000)


def main() -> int:
    """Try, and print what came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=COMMANDS)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--synchronous", default="", help="what SQLite is told instead, such as FULL or OFF")
    chosen = parser.parse_args()
    faults = []
    for mode in chosen.mode or MODES:
        for name in chosen.only or COMMANDS:
            with tempfile.TemporaryDirectory() as folder:
                faults.append(cut(name, mode, Path(folder), chosen.points, Random(7), 2, chosen.synchronous))
            print(faults[-1].line(), flush=True)
    return int(not all(fault.is_as_promised for fault in faults))


if __name__ == "__main__":
    sys.exit(main())
