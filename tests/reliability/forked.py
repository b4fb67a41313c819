"""Processes that start at once, because everything is imported already: forks of a process that has a single thread.

Only the harness forks. What is measured in the child is what any process would do; the parent itself opens no store.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

FAILED = 97
"""Exit code of a child in which something was raised."""

Say = Callable[..., None]


class Child:
    """A forked process, and what it says.

    Parameters
    ----------
    work : callable
        Is given a function that tells the parent a word and further values, one line of JSON each.
    ready : callable, optional
        Called in the child, which then waits to be told to go; the parent goes on as soon as it waits.
    """

    def __init__(self, work: Callable[[Say], object], *, ready: Callable[[], object] | None = None) -> None:
        self._reading, writing = os.pipe()
        told, self._telling = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reading)
            os.close(self._telling)
            _be_child(work, writing, told, ready)
        os.close(writing)
        os.close(told)
        self.code: int | None = None
        self._heard = b""
        if ready is not None and os.read(self._reading, 1) != b"\n":
            raise RuntimeError(f"a child ended with exit code {self.end()} before it was ready")

    def go(self) -> None:
        """Tell the child to begin."""
        os.write(self._telling, b"x")

    def said(self, seconds: float = 300) -> Iterator[tuple[Any, ...]]:
        """What it says, until it has ended; it is killed when it says nothing for so long."""
        while True:
            while b"\n" in self._heard:
                line, self._heard = self._heard.split(b"\n", 1)
                yield tuple(json.loads(line))
            if not select.select([self._reading], [], [], seconds)[0]:
                self.kill()
                raise TimeoutError(f"a child said nothing for {seconds} s")
            chunk = os.read(self._reading, 2**16)
            if not chunk:  # half a line is none: it was killed while it spoke
                return
            self._heard += chunk

    def kill(self) -> None:
        """SIGKILL; a child that has been waited for is left alone."""
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Wait for it; the exit code, negative for a signal."""
        if self.code is None:
            _, status = os.waitpid(self.pid, 0)
            self.code = os.waitstatus_to_exitcode(status)
            os.close(self._reading)
            os.close(self._telling)
        return self.code


def call(work: Callable[[], Any]) -> Any:
    """The JSON value of a function that is called in a process of its own."""
    child = Child(lambda say: say("value", work()))
    answers = [value for word, value in child.said() if word == "value"]
    if child.end() or not answers:
        raise RuntimeError(f"a child ended with exit code {child.code}")
    return answers[0]


def _be_child(work: Callable[[Say], object], writing: int, told: int, ready: Callable[[], object] | None) -> None:
    code = FAILED

    def say(word: str, *values: Any) -> None:
        os.write(writing, (json.dumps([word, *values]) + "\n").encode())

    try:
        if ready is not None:
            ready()
            os.write(writing, b"\n")
        if ready is None or os.read(told, 1):
            work(say)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
