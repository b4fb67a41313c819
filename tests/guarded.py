"""Calls whose end is looked at: those that must not hang (the longest that a test waits is no limit of speed), and errors."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

Result = TypeVar("Result")

HANGS = 300.0
"""Seconds after which nobody expects an end any more, on a slow and busy machine too."""


def ended(use: Callable[[], Result]) -> Result:
    """Result of a call, or its exception, from a thread of its own that is left behind if it hangs."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(use())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(HANGS)
    assert not thread.is_alive(), f"it did not end within {HANGS:g} s"
    if errors:
        raise errors[0]
    return results[0]


def told(
    kind: type[BaseException] | tuple[type[BaseException], ...], use: Callable[..., object], *arguments: Any, **options: Any
) -> str:
    """Text of the error that a call ends with, which must be of a kind, or of one of several."""
    with pytest.raises(kind) as error:
        use(*arguments, **options)
    return str(error.value)


@contextmanager
def umask(value: int) -> Iterator[None]:
    """Another umask for a while."""
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)
