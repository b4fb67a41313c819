"""Stores whose process is killed, whose disk is full or broken, whose power is cut; at a few points, or more: `POINTS`."""

import functools
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.reliability import POINTS
from tests.reliability.disk import Call, Disk, missing, moments, record, traced
from tests.reliability.study import BATCH, COMMANDS, N_CELLS, State, state_of

pytestmark = pytest.mark.slow

FAILING = ("pwrite64", "ftruncate", "fdatasync", "fsync", "unlink")
"""Calls that are made to fail."""

needs_strace = pytest.mark.skipif(bool(missing()), reason=f"THE FAULT WAS NOT TRIED: {missing()}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that is not there yet, alone in its folder."""
    return fresh(tmp_path / "store")


def fresh(folder: Path) -> Path:
    """Of a store in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder / "runs.db"


def go_on(path: Path, command: str, kept: list[str]) -> list[str]:
    """Do a command once more; the cells that are measured although they had been kept."""
    measured: list[str] = []
    COMMANDS[command].do(path, lambda word, *cells: measured.extend(map(str, cells)) if word == "measured" else None)
    return sorted({*measured} & {*kept})


class Recorded(NamedTuple):
    """A command that nothing disturbed: the files and cells before it, its calls, and what was in the store after it."""

    before: dict[str, bytes]
    at_first: list[str]
    calls: list[Call]
    expected: State


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recorded]:
    """Recordings by command and how a store waits for the disk, each made once."""

    @functools.cache
    def recorded(command: str, *synchronous: str) -> Recorded:
        folder = tmp_path_factory.mktemp("recorded")
        path = fresh(folder / "store")
        COMMANDS[command].prepare(path)
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        at_first = list(state_of(path).cells)
        calls = record(path, folder / "log", command, str(path), *synchronous)
        expected = state_of(path)
        assert (len(expected.cells), expected.damages) == (N_CELLS, [])
        return Recorded(before, at_first, calls, expected)

    return recorded


def cut(path: Path, command: str, recorded: Recorded, n_points: int) -> tuple[int, list[str]]:
    """Cut the power at moments, half of them right after something was acknowledged: the number of cells lost, what is wrong."""
    expected = recorded.expected
    found = list(moments(recorded.before, recorded.calls, Random(7)))
    Random(8).shuffle(found)
    found.sort(key=lambda moment: not moment.is_after_words)  # where most can be lost
    n_lost, wrong = 0, []
    for moment in [*found[: n_points // 2], *found[n_points // 2 :][-n_points // 2 :]]:
        fresh(path.parent)
        for name, content in moment.files.items():
            (path.parent / name).write_bytes(content)
        state = state_of(path)
        kept = [*recorded.at_first, *moment.kept]
        lost = [cell for cell in kept if state.cells.get(cell) != expected.cells[cell]]
        extra = set(state.cells) - set(kept)
        is_whole = extra in (set(), set(moment.pending)) and all(state.cells[cell] == expected.cells[cell] for cell in extra)
        copied = state_of(path.with_name("copy.db")) if "copy.db" in moment.files else None
        has_copy = copied == state if copied else command != "backup" or not moment.is_done
        again = go_on(path, command, kept) if not lost else []
        n_lost += len(lost)
        if lost or again or state.damages or not is_whole or not has_copy or state_of(path) != expected:
            wrong.append(f"{moment.where}: lost {lost}, again {again}, {state.damages}, more {extra}, copy {has_copy}")
    return n_lost, wrong


@needs_strace
@pytest.mark.parametrize("command", ["evaluate", "extend", "backup"])
def test_a_power_cut_loses_nothing_that_was_acknowledged(path: Path, command: str, recorded) -> None:
    """It is on the disk bit for bit, a batch is there whole or not at all, and the same command goes on to the same table."""
    assert cut(path, command, recorded(command), 8 * POINTS) == (0, [])


@needs_strace
def test_a_store_that_waits_too_little_is_found(path: Path, recorded) -> None:
    """With FULL a journal that is there again takes the batch back that was acknowledged last: the sweep must see it."""
    n_lost, wrong = cut(path, "evaluate", recorded("evaluate", "FULL"), 16)
    assert n_lost >= BATCH
    assert wrong


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "ENOSPC+", "EIO+"])
def test_a_call_that_fails(path: Path, error: str, recorded) -> None:
    """One write or sync call, or "+" this one and all that follow: the error names the store, and what was kept is there."""
    _, _, calls, expected = recorded("evaluate")
    made = [call.what for call in calls if call.what in FAILING]
    places = [(call, Counter(made[: place + 1])[call]) for place, call in enumerate(made)]
    watched = [word for suffix in ("", "-journal") for word in ("-P", f"{path}{suffix}")] + ["-P", str(path.parent)]
    n_errors = 0
    for call, number in Random(7).sample(places, min(POINTS, len(places))):
        fresh(path.parent)
        inject = f"inject={call}:error={error.removesuffix('+')}:when={number}{'+' * error.endswith('+')}"
        options = [*watched, "-e", f"trace={','.join(FAILING)}", "-e", inject]
        done = traced(path.parent.with_name("log"), options, "evaluate", str(path))
        said = [json.loads(line) for line in done.stdout.splitlines()]
        errors = [values for word, *values in said if word == "error"]
        kept = [str(cell) for word, *cells in said if word == "kept" for cell in cells]
        state = state_of(path)
        n_errors += len(errors)
        assert done.returncode == 0, (inject, done)
        assert all(kind == "StoreError" and str(path) in text for kind, text in errors), inject
        assert {cell: state.cells.get(cell) for cell in kept} == {cell: expected.cells[cell] for cell in kept}, inject
        assert state.damages == [], inject
        assert go_on(path, "evaluate", kept) == [], inject
        assert state_of(path) == expected, inject
    assert n_errors


NEW, WRITTEN, GONE = Call("openat", -1, {"b": 1}), Call("write", 1, (0, b"new")), Call("unlink", -1, {"a": None})
NAMES, LONG, SHORT = Call("fsync", -1), Call("write", 0, (6, b"XYZ")), Call("ftruncate", 0, 7)


@pytest.mark.parametrize(
    ("calls", "kind", "left"),
    [
        ((NEW, WRITTEN, Call("fsync", 1)), "nothing", {"a": b"abcdefgh"}),  # contents do not bring the name along
        ((NEW, WRITTEN, Call("fsync", 1)), "all", {"a": b"abcdefgh", "b": b"new"}),
        ((NEW, WRITTEN, NAMES), "nothing", {"a": b"abcdefgh", "b": b""}),
        ((GONE,), "nothing", {"a": b"abcdefgh"}),  # a removed file comes back with what it had
        ((GONE, NAMES), "nothing", {}),
        ((LONG, SHORT), "names only", {"a": b"abcdefgh"}),
        ((LONG, SHORT), "contents only", {"a": b"abcdefX"}),
        ((LONG, SHORT), "all but the last", {"a": b"abcdefXYZ"}),
    ],
)
def test_what_a_disk_without_power_may_hold(calls: tuple[Call, ...], kind: str, left: dict[str, bytes]) -> None:
    """One file of eight letters, and what was done to its folder: the meaning of each kind of cut, by hand."""
    disk = Disk({0: b"abcdefgh"}, {"a": 0})
    for call in calls:
        disk.take(call)
    assert disk.left(kind, Random(0)) == left
