"""One worker process, as its parent sees it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

from tiebreak.runners import guard
from tiebreak.runners.worker import Failure

IDLE_SECONDS = 300
"""How long an idle process waits for the next run before it ends."""

SAFETY_SECONDS = 30
"""A process that close to its end by idleness is not given anything any more."""

FEEDER_SECONDS = 1.0


class WorkerProcess:
    """A process of its own pool, so that its death is nobody else's. It is started by the first call that it is given."""

    def __init__(self) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._executor = ProcessPoolExecutor(
            max_workers=1, timeout=IDLE_SECONDS, initializer=guard.begin, initargs=(os.getpid(), guard.lifeline())
        )
        self._process: Any = None
        self._last_use = time.monotonic()
        self._is_spoilt = False

    def call(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have a function called in the process, after those asked for before."""
        with guard.interrupts_blocked() if self._process is None else nullcontext():
            future: Future[Any] = self._executor.submit(function, *arguments)
        future.add_done_callback(self._look_at)
        self._last_use = time.monotonic()
        if self._process is None:
            # loky has no public way to the process; its exit code is what the user wants to know
            self._process = next(iter(self._executor._processes.values()), None)
        return future

    @property
    def is_usable(self) -> bool:
        """Whether it lives, has made no mistake, and will not end by itself in a moment."""
        if self._is_spoilt or self._process is None or time.monotonic() - self._last_use > IDLE_SECONDS - SAFETY_SECONDS:
            return False
        return self._process.exitcode is None

    def kill(self) -> None:
        """Kill it and what it has started, without waiting for the end."""
        self._is_spoilt = True
        if self._process is not None and self._process.exitcode is None:  # else its id may be someone else's by now
            guard.kill_group(self._process.pid)
        if sys.platform == "win32":
            self._executor.shutdown(wait=False, kill_workers=True)

    def bury(self) -> str:
        """Wait until a process that was killed or has just died is gone; says how it ended."""
        if self._process is None:
            return in_words(None)
        guard.kill_leftovers(self._process.pid)
        queue = self._executor._call_queue
        self._executor.shutdown(wait=True)  # not kill_workers: loky stumbles over a call that it has not passed on yet
        # loky does not wait for the thread that fills the queue: at the end of the interpreter that is cut off while it
        # removes a semaphore, which then is reported as leaked. It may hang, though, in a message that nobody reads any more.
        if (feeder := getattr(queue, "_thread", None)) is not None:
            feeder.join(FEEDER_SECONDS)
        return in_words(self._process.exitcode)

    def free_if_dead(self) -> None:
        """Kill what a process that has just died has left behind: while that holds its pipes open, loky notices nothing."""
        if self._process is not None and self._process.exitcode is not None:
            guard.kill_leftovers(self._process.pid)

    def _look_at(self, future: Future[Any]) -> None:
        """Remember any mistake; the time of being idle begins anew."""
        self._last_use = time.monotonic()
        if future.cancelled() or future.exception() is not None or isinstance(future.result(), Failure):
            self._is_spoilt = True


def in_words(exit_code: int | None) -> str:
    """An exit code as people are told of it; negative ones are signals."""
    if exit_code is None:
        return "the process ended, nobody knows how"
    if exit_code >= 0:
        return f"the process ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:  # a signal without a name
        return f"the process was killed by signal {-exit_code}"
    hint = "; often that is the system, out of memory" if name == "SIGKILL" else ""
    return f"the process was killed by signal {-exit_code} ({name}){hint}"
