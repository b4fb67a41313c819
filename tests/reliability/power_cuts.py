"""Power cuts: what is on the disk after each call of a store, as far as it was synchronised, and what a store makes of it.

All writes, synchronisations and changes of names that a store, its journals and its folder see are recorded once, by strace. For
each moment between two of them the folder is then made as a disk without power may leave it: what was synchronised is there; of
what was not, nothing is, or all, or the contents without the names, or the names without the contents, or everything but the last
call, or any part of it, sector by sector. That folder is opened: what was acknowledged by then has to be there, and everything
else whole or not at all; then the same command goes on.

    python tests/reliability/power_cuts.py evaluate delete 1000
    python tests/reliability/power_cuts.py evaluate delete 1000 FULL      the batch acknowledged last can be lost
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reliability import forked, strace, study
from tests.reliability.forked import Say
from tests.reliability.trial import Trial, told
from tiebreak.errors import TiebreakError
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import SqlStore
from tiebreak.stores.sqlite import SqliteDatabase

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


def _back_up(path: Path) -> None:
    store = SqlStore(path)
    store.backup(path.with_name("copy.db"), overwrite=True)
    store.close()


class Command(NamedTuple):
    """A command that writes a store: what makes the store that it begins with, and what it does."""

    prepare: Callable[[Path], object]
    do: Callable[[Path], object]


COMMANDS = {
    "evaluate": Command(lambda path: None, _evaluate),
    "extend": Command(lambda path: _evaluate(path, 2), _evaluate),
    "backup": Command(_evaluate, _back_up),
}


# --- trying them ----------------------------------------------------------------------------------------------------------


def _use(mode: str, synchronous: str = "") -> None:
    """In this process, have stores use a journal mode, and wait for the disk less if so asked."""
    study.use_wal(mode == "wal")
    if synchronous:
        begin = SqliteDatabase.begin

        def weaker(database: Any, connection: Any, *, to_write: bool) -> None:
            connection.driver.execute(f"PRAGMA synchronous = {synchronous}")
            begin(database, connection, to_write=to_write)

        SqliteDatabase.begin = weaker  # type: ignore[method-assign]


def _contents(path: Path) -> dict[str, Any]:
    """Hashes of all cells, and what is wrong."""
    state = study.state_of(path)
    return {"cells": state.cells, "damages": state.damages + ["cells kept twice"] * bool(state.n_double)}


def _look(path: Path, mode: str) -> dict[str, Any]:
    """The same in a journal mode."""
    _use(mode)
    return _contents(path)


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
        _use(mode)
        command.prepare(path)

    def settle() -> None:  # into the file alone, in a process that has nothing else open
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")  # an older store is in the mode that it is in

    forked.call(prepare)
    if path.exists():
        forked.call(settle)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    at_first = forked.call(lambda: _look(path, mode))["cells"] if before else {}
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
    state = forked.call(lambda: _look(path, mode))
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


def judge(home: Path, command: Command, point: Point, recorded: Recorded, trial: Trial) -> None:
    """Open what a cut left, look at it, and go on."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "store").mkdir(parents=True)
    path = home / "store" / "runs.db"
    for name, content in point.files.items():
        (path.parent / name).write_bytes(content)
    state = _contents(path)
    cells, wrong = state["cells"], [f"the check finds {each}" for each in state["damages"]]
    acknowledged = [*recorded.at_first, *point.kept]
    lost = sum(cells.get(cell) != recorded.in_the_end[cell] for cell in acknowledged)
    extra = set(cells) - set(acknowledged)
    if extra not in (set(), set(point.pending)):
        wrong.append(f"a part of a batch is there: {sorted(extra)} of {point.pending}")
    wrong += [f"cell {cell} has other bits" for cell in extra if cells[cell] != recorded.in_the_end.get(cell)]
    if command.do is _back_up:
        has_copy = "copy.db" in point.files
        if has_copy and _contents(path.with_name("copy.db")) != state:
            wrong.append("there is no whole copy")
        if point.is_done and not has_copy:
            wrong.append("the backup is gone")
    again = _go_on(path, command, acknowledged)
    after = _contents(path)
    if after["damages"] or after["cells"] != recorded.in_the_end:
        wrong.append(f"going on gives another table: {after['damages']}")
    trial.points += 1
    trial.acknowledged += len(acknowledged)
    trial.lost += lost
    trial.doubled += again
    if lost or again or wrong:
        trial.broken.append(f"{point.where}: {lost} lost, {again} again, {wrong}")


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


def cut(folder: Path, name: str, mode: str, n_points: str, synchronous: str = "") -> Trial:
    """Cut the power at so many moments of a command, half of them right after something was acknowledged."""
    if why := strace.missing():
        return Trial(skipped=why)
    study.warm_up()
    command = COMMANDS[name]
    recorded = record(folder / "undisturbed", command, mode, synchronous)
    points = list(points_of(recorded, random.Random(7)))
    rng = random.Random(8)
    rng.shuffle(points)
    points.sort(key=lambda point: not point.is_after_words)  # where most can be lost
    half = int(n_points) // 2
    chosen = [*points[:half], *rng.sample(points[half:], min(int(n_points) - half, len(points[half:])))]
    _use(mode)
    trial = Trial()
    for point in chosen:
        judge(folder / "cut", command, point, recorded, trial)
    return trial


if __name__ == "__main__":
    told(cut)
