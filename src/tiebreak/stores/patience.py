"""Waiting for a server that went away: the one place that tries again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tiebreak.stores.faults import LostStoreError

Result = TypeVar("Result")

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_TOLD_AFTER = 1.0
"""A connection that is there again within so many seconds is not worth a word."""


class Patience:
    """Tries again what a lost connection interrupted, ever less often, for a time.

    Parameters
    ----------
    seconds : float
        From the first failure of an attempt to the last one.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_spent = False

    def run(self, attempt: Callable[[], Result]) -> Result:
        """What the attempt returns, the first one that is not interrupted.

        Parameters
        ----------
        attempt : callable
            May have been done already when it is done again: a commit whose answer was lost.

        Raises
        ------
        LostStoreError
            The time is up. Everything else that an attempt raises is passed on at once.
        """
        begun = 0.0
        n_tries = 0
        told = False
        while True:
            try:
                result = attempt()
            except LostStoreError as lost:
                n_tries += 1
                begun = begun or time.monotonic()
                waited = time.monotonic() - begun
                if waited >= self._seconds or self._is_spent:
                    raise _given_up(lost, n_tries, waited) from lost.__cause__
                if waited >= _TOLD_AFTER and not told:
                    told = True
                    _tell("%s Waiting for it, for up to %g seconds.", lost.brief, self._seconds)
                self._pause(n_tries, self._seconds - waited)
            else:
                self._is_spent = False
                if told:
                    _tell("The store is there again, after %.0f seconds.", time.monotonic() - begun)
                return result

    def _pause(self, n_tries: int, at_most: float) -> None:
        """Longer from time to time, and not in step with other processes that lost the same server."""
        import random

        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(n_tries - 1, 10))
        try:
            time.sleep(min(at_most, longest * random.uniform(0.5, 1)))  # noqa: S311
        except BaseException:
            self._is_spent = True  # who interrupts the wait does not want to wait again for what is done on the way out
            raise


def _given_up(lost: LostStoreError, n_tries: int, waited: float) -> LostStoreError:
    tried = f" (Tried {n_tries} times in {waited:.0f} seconds.)" if n_tries > 1 else ""
    return LostStoreError(f"{lost}{tried}", lost.brief)


def _tell(text: str, *values: object) -> None:
    import logging

    logging.getLogger("tiebreak").warning(text, *values)
