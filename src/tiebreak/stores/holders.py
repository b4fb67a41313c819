"""Whether the holder of a lease still lives: by its process where that can be asked, else by its beats."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from tiebreak.stores.layout import Row
from tiebreak.stores.texts import from_json

LONGEST_STEP = 5.0
"""Seconds that count at most from one look at a holder to the next: a clock that jumps does not make anybody late."""

Place = Mapping[str, str | int]
"""Where a process is: its machine, its number, and when that began to run, in words that only its own machine understands."""


def own_place() -> Place:
    """Where this process is."""
    return {"machine": _machine(), "process": os.getpid(), "begun": _begun(os.getpid())}


def is_gone(place: Place) -> bool:
    """Whether a process has certainly ended; False for one that runs, or of which nothing is known here."""
    process = place.get("process")
    if place.get("machine") != _machine() or not isinstance(process, int) or process == os.getpid():
        return False
    if sys.platform.startswith("linux"):
        return _begun(process) != place.get("begun")
    if os.name == "posix":
        with suppress(PermissionError):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return True
    return False


class Watch:
    """Finds out which holders live, by looking at them again and again.

    Parameters
    ----------
    seconds : float
        A holder whose beat has not changed for so long is taken for dead.
    clock : callable
        Gives seconds; only differences between two looks count.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._looked = clock()
        self._silent: dict[int, tuple[int, float]] = {}

    def living(self, holders: Iterable[Row]) -> set[int]:
        """The numbers of those that live, of verified rows of `HOLDERS`."""
        now = self._clock()
        step, self._looked = min(max(now - self._looked, 0.0), LONGEST_STEP), now
        silent: dict[int, tuple[int, float]] = {}
        for _, number, beat, place, *_ in holders:
            if is_gone(from_json(place)):
                continue
            last_beat, seconds = self._silent.get(number, (None, 0.0))
            silent[number] = beat, seconds + step if beat == last_beat else 0.0
        self._silent = silent
        return {number for number, (_, seconds) in silent.items() if seconds < self._seconds}


@cache
def _machine() -> str:
    """What tells this machine, since it was started, from all others; containers count as machines."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            return f"{boot} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  (the link leads to no path)
    import platform
    import uuid

    return f"{platform.node()} {uuid.getnode():x}"


def _begun(process: int) -> str:
    """When a process of this machine began, in the system's own count; "" for one that has ended, or where it cannot be told."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = text.rpartition(")")[2].split()  # the name in parentheses may hold anything
    return "" if state in ("Z", "X") else fields[18]
