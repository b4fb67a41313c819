"""Faults in system calls, by strace: the call at which a process is killed, or is told that the disk is full or broken."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.reliability.forked import Child

CALLS = ("openat", "pwrite64", "write", "ftruncate", "fallocate", "fdatasync", "fsync", "unlink")
"""Calls that make, change, synchronise or remove a file."""

_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")
_ANY_TRACER = 0x59616D61, -1  # PR_SET_PTRACER of prctl


def missing() -> str:
    """Why this system cannot do it; "" where it can."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "strace is not installed (on Linux: apt-get install strace)"
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return f"strace may not trace here: {' '.join(done.stderr.split())}" if done.returncode else ""


def allow() -> None:
    """Have this process be traced by one that did not start it, which some systems forbid otherwise."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(*_ANY_TRACER, 0, 0, 0)


class Tracer:
    """Strace at a waiting child, for calls that touch a store.

    Parameters
    ----------
    child : Child
    store : Path
        Its journals and its folder (which is synchronised when a journal is made) are watched too.
    log : Path
        What strace writes.
    inject : str
        Such as "pwrite64:signal=SIGKILL:when=3"; "" only watches.
    """

    def __init__(self, child: Child, store: Path, log: Path, inject: str = "") -> None:
        watched = [f"{store}{suffix}" for suffix in ("", "-journal", "-wal", "-shm")]
        watched.append(str(store.parent))
        command = ["strace", "-o", str(log), "-s", "0", "-e", "signal=none", "-e", f"trace={','.join(CALLS)}"]
        command += [word for path in watched for word in ("-P", path)]
        command += ["-e", f"inject={inject}"] if inject else []
        self._log = log
        self._process = subprocess.Popen([*command, "-p", str(child.pid)], stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        said = ""
        for line in self._process.stderr:
            said += line
            if "attached" in line:
                return
        raise RuntimeError(f"strace did not attach: {said}")

    def end(self) -> str:
        """What it has written, once the child has ended."""
        self._process.communicate(timeout=300)
        return self._log.read_text(errors="replace")


def calls_in(log: str) -> list[tuple[str, int]]:
    """Each call, in order, and the how many-th of its name it is; a file that is only opened is left out."""
    found, counts = [], Counter[str]()
    for line in log.splitlines():
        if match := _CALL.match(line):
            call = match.group(1)
            counts[call] += 1
            if call != "openat" or "O_CREAT" in line:
                found.append((call, counts[call]))
    return found


def is_injected(log: str, exit_code: int) -> bool:
    """Whether the fault happened: the call failed, or the process was killed on entering it."""
    return "(INJECTED)" in log or exit_code == -9
