"""Stores whose process is killed, whose disk is full, whose power is cut, and whose server is killed; each at a few points."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from tests.postgres import Server
from tests.reliability import postgres_faults
from tests.reliability.power_cuts import Call, Disk, read_calls
from tests.reliability.trial import Trial, tried

pytestmark = pytest.mark.slow

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the scripts fork, which this system does not know")


def check(trial: Trial, n_points: int) -> None:
    """Nothing is lost or doubled, no other promise is broken, and enough was tried to say so."""
    assert trial.broken == []
    assert (trial.lost, trial.doubled) == (0, 0)
    assert trial.points >= n_points
    assert trial.acknowledged > 0


@needs_fork
@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize(("what", "n_points"), [("signal=SIGKILL", 12), ("error=ENOSPC", 5)])
def test_a_call_that_does_not_come_back(what: str, mode: str, n_points: int) -> None:
    """The process is killed at a write or sync call, or the system refuses it."""
    check(tried("sweep", what, mode, str(n_points)), n_points - 2)


@needs_fork
def test_a_disk_of_a_megabyte() -> None:
    """Really full, with a few pages left."""
    check(tried("full_disk", "4"), 8)


@needs_fork
@pytest.mark.parametrize(
    ("command", "mode"), [("evaluate", "delete"), ("evaluate", "wal"), ("extend", "delete"), ("backup", "wal")]
)
def test_a_power_cut(command: str, mode: str) -> None:
    """What was acknowledged is on the disk, and everything else whole or not at all."""
    check(tried("power_cuts", command, mode, "12"), 12)


@needs_fork
def test_a_store_that_waits_too_little_is_found() -> None:
    """With FULL a journal that is there again takes the batch back that was acknowledged last: the sweep must see it."""
    assert tried("power_cuts", "evaluate", "delete", "30", "FULL").lost > 0


def test_connections_that_are_cut(postgres_server: Server) -> None:
    """Three writers, ten times."""
    check(postgres_faults.cut(postgres_server, n_writers=3, seconds=2.2), 10)


def test_a_server_that_is_killed(postgres_server: Server) -> None:
    """Under three writers, twice; they go on by themselves."""
    check(postgres_faults.kill(postgres_server, n_writers=3, n_kills=2), 2)


# --- the disk of the power cuts -------------------------------------------------------------------------------------------

FOLDER = Path("/there")


def as_strace(text: str) -> str:
    """A text as strace -xx writes it."""
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


LOG = f"""\
7 openat(AT_FDCWD<{as_strace("/")}>, "{as_strace("/there/a-journal")}", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 4<{as_strace("/there/a-journal")}>
7 pwrite64(4<{as_strace("/there/a-journal")}>, "{as_strace("old")}", 3, 512) = 3
7 fdatasync(4<{as_strace("/there/a-journal")}> <unfinished ...>
8 write(9<{as_strace("pipe:[123]")}>, "{as_strace('["measured", [0, 0, 1]]')}", 23) = 23
7 <... fdatasync resumed>) = 0
7 ftruncate(3<{as_strace("/there/a")}>, 8) = 0
7 unlink("{as_strace("/there/a-journal")}") = 0
7 unlink("{as_strace("/elsewhere/a")}") = 0
7 fsync(5<{as_strace("/there")}>) = 0
7 fsync(3<{as_strace("/there/a")}>) = -1 EIO (Input/output error)
"""  # noqa: E501


def test_a_log_of_strace() -> None:
    """Calls on the folder and its files, in order; not those on others, nor those that failed."""
    assert read_calls(LOG, FOLDER, {"a": 0}) == [
        Call("openat", -1, {"a-journal": 1}),
        Call("pwrite64", 1, (512, b"old")),
        Call("said", -1, ["measured", [0, 0, 1]]),
        Call("fdatasync", 1),
        Call("ftruncate", 0, 8),
        Call("unlink", -1, {"a-journal": None}),
        Call("fsync", -1),
    ]


def disk_after(*calls: Call) -> Disk:
    """A disk with one file of eight letters, after some calls."""
    disk = Disk({0: b"abcdefgh"}, {"a": 0})
    for call in calls:
        disk.take(call)
    return disk


def test_a_name_that_was_not_synchronised_may_be_gone_or_there_again() -> None:
    """The contents of a new file do not bring its name along; a removed file comes back with what it had."""
    written = Call("write", 1, (0, b"new"))
    disk = disk_after(Call("openat", -1, {"b": 1}), written, Call("fsync", 1))
    assert disk.left("nothing", Random(0)) == {"a": b"abcdefgh"}
    assert disk.left("all", Random(0)) == {"a": b"abcdefgh", "b": b"new"}
    disk = disk_after(Call("openat", -1, {"b": 1}), written, Call("fsync", -1))
    assert disk.left("nothing", Random(0)) == {"a": b"abcdefgh", "b": b""}
    assert disk_after(Call("unlink", -1, {"a": None})).left("nothing", Random(0)) == {"a": b"abcdefgh"}
    assert disk_after(Call("unlink", -1, {"a": None}), Call("fsync", -1)).left("nothing", Random(0)) == {}


def test_contents_that_were_not_synchronised() -> None:
    """None of them, all of them, all but the last, or those sectors that chance has."""
    disk = disk_after(Call("write", 0, (6, b"XYZ")), Call("ftruncate", 0, 7))
    assert [disk.left(kind, Random(0))["a"] for kind in ("nothing", "names only")] == [b"abcdefgh"] * 2
    assert [disk.left(kind, Random(0))["a"] for kind in ("all", "contents only")] == [b"abcdefX"] * 2
    assert disk.left("all but the last", Random(0))["a"] == b"abcdefXYZ"
    torn = disk_after(Call("write", 0, (0, b"x" * 2048))).left("some of it", Random(1))["a"]
    assert 0 < torn.count(b"x" * 512) < 4
    assert len(torn) % 512 in (0, 8)
