"""What goes wrong with a file, in words: where, what was kept, and how to go on."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tiebreak.errors import DamagedStoreError, StoreError, TiebreakError
from tiebreak.stores.sql import sqlite

KEPT = " What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped"
_DAMAGE = frozenset("CORRUPT ERROR CONSTRAINT MISMATCH FORMAT RANGE SCHEMA".split())


class NotAStoreError(StoreError):
    """A file that is something else, or was made by a later release; it is left as it is."""


class LaterStoreError(NotAStoreError):
    """A store that was made by a later release."""


class NoStoreError(StoreError):
    """There is no store, and none was to be made."""


class LostStoreError(StoreError):
    """A server that went away, or does not let anybody in for now. Trying again may help.

    Parameters
    ----------
    text : str
    brief : str
        What is the matter, as a sentence.
    """

    def __init__(self, text: str, brief: str = "") -> None:
        super().__init__(text)
        self.brief = brief or text


def translate(path: str, error: Exception, *, run: str, writing: bool) -> TiebreakError:
    """The error that the caller is told instead of SQLAlchemy's or SQLite's.

    Parameters
    ----------
    path : str
        Of the store, as the caller gave it.
    error : Exception
    run : str
        What the transaction was about; "" for the whole store.
    writing : bool
    """
    cause: BaseException = getattr(error, "orig", None) or error
    kind = sqlite.error_name(cause).split("_")[0]
    said = " ".join(str(cause).split())
    if kind == "NOTADB":
        return NotAStoreError(no_database_text(path))
    if kind in _DAMAGE or "decode" in said:  # broken pages, tables that are not as they were made, texts that are none
        about = f"run {run!r}: " if run else ""
        return DamagedStoreError(
            f"{about}{path} is not as it was written: SQLite says {said!r}. Put a copy of the store in its place, or delete the "
            "run (if that fails, the file) and measure it again."
        )
    return StoreError(_fault_text(path, kind, said, KEPT if writing else ""))


def file_fault(path: str, error: OSError) -> StoreError:
    """For a file that could not be made."""
    if error.errno == errno.ENOSPC:
        return StoreError(_fault_text(path, "FULL", "", ""))
    return StoreError(_fault_text(path, "CANTOPEN", "", ""))


def no_database_text(path: str) -> str:
    """For a file of another kind."""
    return f"{path} is not a SQLite database; it was left as it is. Name another file for the store."


def no_store_text(path: str) -> str:
    """For a store that is to be read and is not there."""
    folder = "" if Path(path).parent.is_dir() else f", and no folder {os.fspath(Path(path).parent)!r}"
    return f"there is no store {path}{folder}. Check the path; tiebreak makes a store when something is evaluated into it."


def gone_text(path: str) -> str:
    """For a file that was there a moment ago."""
    return f"{path} was moved, deleted or replaced while it was in use.{KEPT} Put it back; {AGAIN}."


def _fault_text(path: str, kind: str, said: str, kept: str) -> str:
    """What is wrong, what was kept, how to go on.

    Parameters
    ----------
    path : str
    kind : str
        SQLite's name of it.
    said : str
        What SQLite says of it.
    kept : str
    """
    match kind:
        case "BUSY" | "LOCKED" | "PROTOCOL":
            return (
                f"{path} is locked: another process has been writing to it for more than {sqlite.BUSY_SECONDS:g} seconds.{kept} "
                f"Wait for that process or stop it; {AGAIN}."
            )
        case "FULL":
            return f"{path} cannot grow: the disk is full.{kept} Make room; {AGAIN}."
        case "READONLY" | "PERM" | "AUTH" | "CANTOPEN":
            return f"{path} cannot be opened or written: {_obstacle(path)}.{kept} Put that right, or name another store."
        case "IOERR":
            return f"{path} cannot be read or written: the system says {said!r}.{kept} Look after the disk; {AGAIN}."
        case "TOOBIG":
            return f"{path}: the outputs of one cell are larger than SQLite can keep.{kept} Pass keep_predictions=False."
        case _:
            return f"{path} cannot be used: {said}.{kept} Close other programs that use it, or name another store."


def _obstacle(path: str) -> str:
    """What of file and folder stands in the way."""
    file, folder = Path(path), Path(path).absolute().parent
    if not folder.is_dir():
        return f"there is no folder {os.fspath(file.parent)!r}"
    if file.is_dir():
        return "it is a folder"
    if file.exists() and not os.access(file, os.R_OK):
        return "you may not read it"
    if file.exists() and not os.access(file, os.W_OK):
        return "the file is read-only"
    if not os.access(folder, os.W_OK):
        return f"the folder {os.fspath(file.parent)!r} is read-only, and SQLite keeps a journal beside the file while it writes"
    return "the system refuses, although file and folder may be written; the disk may be full, or too many files are open"


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
