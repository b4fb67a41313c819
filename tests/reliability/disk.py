"""What is on a disk after each call that changed a store, its journals or its folder, as far as it was synchronised.

All writes, synchronisations and changes of names are recorded by strace. For each moment between two of them the folder is made
as a disk without power may leave it: what was synchronised is there; of what was not, nothing is, or all (as after SIGKILL), or
the contents without the names, or the names without the contents, or all but the last call, or any part, sector by sector.
"""

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.reliability.study import digest

ROOT = Path(__file__).parents[2]
SECTOR = 512
"""Bytes that a disk writes whole or not at all."""
CALLS = ("openat", "pwrite64", "write", "ftruncate", "fdatasync", "fsync", "unlink", "rename")
"""Calls that change a folder or its files, as SQLite and Python make them; `record` sees whether one was forgotten."""
KINDS = ("nothing", "all", "contents only", "names only", "all but the last", "some of it", "some of it")


class Call(NamedTuple):
    """A call that changed the folder or its files, or synchronised them; or what the process said.

    `file` is the number of a file, or -1 for the names in the folder. `change` is None for a synchronisation; a place and bytes
    for a file that is written, a size for one that is cut; numbers by name (None: removed) for the folder.
    """

    what: str
    file: int
    change: Any = None


def traced(log: Path, options: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run the study in a process that strace watches."""
    study = [sys.executable, "-c", "import sys; from tests.reliability.study import main; main(*sys.argv[1:])", *words]
    command = ["strace", "-ff", "--seccomp-bpf", "-o", str(log), "-e", "signal=none", *options, *study]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)


def missing() -> str:
    """Why faults of system calls cannot be made here; "" where they can."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "strace is not installed (on Linux: apt-get install strace)"
    done = subprocess.run(["strace", "-qq", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return f"strace may not trace here: {' '.join(done.stderr.split())}" if done.returncode else ""


def record(path: Path, log: Path, *words: str) -> list[Call]:
    """The calls of an undisturbed command on the store there."""
    names = {file.name: number for number, file in enumerate(sorted(path.parent.iterdir()))}
    before = Disk({number: (path.parent / name).read_bytes() for name, number in names.items()}, dict(names))
    options = ["-ttt", "-y", "-xx", "-s", "100000000", "-e", f"trace={','.join(CALLS)}"]
    done = traced(log, options, *words)
    assert done.stdout.endswith('["done"]\n'), done
    lines = [line for file in log.parent.glob(f"{log.name}.*") for line in file.read_text().splitlines()]  # one for each thread
    calls = read_calls(sorted(lines), path.parent, names)
    for call in calls:
        before.take(call)
    is_there = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    assert before.left("all", Random(0)) == is_there, "the recorded calls do not give the files that are there"
    return calls


NAMING = ("openat", "unlink", "rename")
_LINE = re.compile(r"^[\d.]+ (\w+)\((.*)\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_PATH = re.compile(r"^(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)")


def read_calls(lines: Sequence[str], folder: Path, names: Mapping[str, int]) -> list[Call]:
    """The calls in lines of strace (-ttt -y -xx), in the order of their time, that have to do with the files in a folder.

    `names` are the files that are there at the beginning, with their numbers. Lines of JSON said into a pipe are calls too.
    """
    files = dict(names)
    calls: list[Call] = []
    for line in lines:
        match = _LINE.match(line)
        if match is None or int(match[3]) < 0:
            continue
        call, arguments, result = match.groups()
        texts = [_bytes(text) for text in _TEXT.findall(arguments)]
        path = _PATH.match(arguments)
        place = _bytes(path[1]).decode() if path else ""
        named = [Path(text.decode()).name for text in texts if call in NAMING and Path(text.decode()).parent == folder]
        number = files.get(Path(place).name) if Path(place).parent == folder else None
        if call == "write" and place.startswith("pipe:"):
            calls += [Call("said", -1, json.loads(each)) for each in texts[0].splitlines() if each.startswith(b"[")]
        elif call == "openat" and named and "O_CREAT" in arguments and named[0] not in files:
            files[named[0]] = max([*files.values(), -1, *(each.file for each in calls)]) + 1
            calls.append(Call(call, -1, {named[0]: files[named[0]]}))
        elif call in ("fsync", "fdatasync") and (number is not None or place == str(folder)):
            calls.append(Call(call, -1 if number is None else number))
        elif call == "ftruncate" and number is not None:
            calls.append(Call(call, number, int(arguments.rsplit(",", 1)[1])))
        elif call == "pwrite64" and number is not None:
            calls.append(Call(call, number, (int(arguments.rsplit(",", 1)[1]), texts[0][: int(result)])))
        elif call in ("unlink", "rename") and named:
            change = {named[0]: None} | dict.fromkeys(named[1:], files[named[0]])
            calls.append(Call(call, -1, change))
            _rename(files, change)
    return calls


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _rename(names: dict[str, int], change: Mapping[str, int | None]) -> None:
    for name, number in change.items():
        names.pop(name, None)
        if number is not None:
            names[name] = number


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
        """Contents by name, as a cut at this moment may leave them; the shared memory of a journal is on no disk."""
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
        return {name: files.get(number, b"") for name, number in names.items() if not name.endswith("-shm")}


def apply(call: Call, files: dict[int, bytes], names: dict[str, int]) -> None:
    """Do what a call did."""
    if call.file < 0:
        _rename(names, call.change)
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
    cuts = sorted({0, len(text), *range((-place) % SECTOR, len(text), SECTOR)})
    yield from (call._replace(change=(place + first, text[first:last])) for first, last in itertools.pairwise(cuts))


class Moment(NamedTuple):
    """A power cut: where, contents by name, cells that were said to be kept by then, cells of the batch that was on its way."""

    where: str
    files: dict[str, bytes]
    kept: list[str]
    pending: list[str]
    is_done: bool
    is_after_words: bool


def moments(before: dict[str, bytes], calls: list[Call], rng: Random) -> Iterator[Moment]:
    """Every moment of a command, in all ways that differ."""
    names = {name: number for number, name in enumerate(sorted(before))}
    disk = Disk({number: before[name] for name, number in names.items()}, names)
    kept: list[str] = []
    pending: list[str] = []
    is_done, seen = False, set()
    for number, call in enumerate([Call("the beginning", -1, {}), *calls]):
        disk.take(call)
        if call.what == "said":
            word, *values = call.change
            is_done |= word == "done"
            kept = [*kept, *map(str, values)] if word == "kept" else kept
            pending = [str(value) for value in values] if word == "measured" else []
        for kind in KINDS:
            files = disk.left(kind, rng)
            key = digest((sorted(files.items()), kept, pending, is_done))
            if key not in seen:
                seen.add(key)
                where = f"after call {number} ({call.what}), {kind} of what was not synchronised"
                yield Moment(where, files, kept, pending, is_done, call.what == "said")
