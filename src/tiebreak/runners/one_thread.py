"""A thread that does what it is asked, one thing after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any


class OneThread:
    """Calls functions in one thread of its own, in the order asked for, and lets go of their arguments afterwards.

    To ask takes no lock, so that a finaliser may do so at any moment. The thread does not keep a process from ending.

    Parameters
    ----------
    name : str
        Of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = SimpleQueue()
        self._begun = threading.Lock()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called; the future has what it returns or raises."""
        future: Future[Any] = Future()
        self._calls.put((future, function, arguments))
        if self._begun.acquire(blocking=False):  # and never released
            threading.Thread(target=self._serve, name=self._name, daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            self._serve_one(*self._calls.get())

    @staticmethod
    def _serve_one(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """In a function of its own: its variables would keep the last arguments alive while the next are waited for."""
        try:
            result = function(*arguments)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
