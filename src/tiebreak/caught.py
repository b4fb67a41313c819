"""Warnings, caught in the thread that gives them: `warnings.catch_warnings` changes the process, whatever its threads do."""

import os
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast
from warnings import WarningMessage

_SHOW = warnings.showwarning
"""As it was before anything was caught: a process that is forked meanwhile finds `_note` in its place."""

_catching: Any
"""Lists that warnings go into at the moment, one for each `caught_warnings` that has not ended, and what was before them."""


def _renew() -> None:
    """Begin: anew in a forked process, where the other threads are gone, and the lock may be held for ever."""
    global _catching
    _catching = SimpleNamespace(lock=threading.Lock(), lists=[], of_thread=threading.local(), before=None, show=_SHOW)


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@contextmanager
def caught_warnings() -> Iterator[list[WarningMessage]]:
    """All warnings that are given meanwhile in this thread. The filters of the process are put back by whoever ends last."""
    shared, mine = _catching, list[WarningMessage]()
    outer = getattr(shared.of_thread, "warnings", None)
    with shared.lock:
        if not shared.lists:
            shared.before = warnings.catch_warnings()
            shared.before.__enter__()
            shared.show = _SHOW if warnings.showwarning is _note else warnings.showwarning
        shared.lists.append(mine)
        warnings.simplefilter("always")  # again for each, as models have catch_warnings of their own, which may overlap
        warnings.showwarning = cast("Any", _note)
    shared.of_thread.warnings = mine
    try:
        yield mine
    finally:
        shared.of_thread.warnings = outer
        with shared.lock:
            shared.lists = [each for each in shared.lists if each is not mine]
            if not shared.lists:
                shared.before.__exit__(None, None, None)


def give_again(caught: Iterable[WarningMessage]) -> None:
    """Give warnings that were caught, as if nobody had."""
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _note(message: Warning | str, category: type[Warning], filename: str, lineno: int, *where: Any) -> None:
    """Take a warning down where it belongs; one of another thread (a model's own) only where it can be of one model alone."""
    mine = getattr(_catching.of_thread, "warnings", None)
    lists = _catching.lists
    if mine is None and len(lists) == 1:
        [mine] = lists
    if mine is None:
        _catching.show(message, category, filename, lineno, *where)
    else:
        mine.append(WarningMessage(message, category, filename, lineno))
