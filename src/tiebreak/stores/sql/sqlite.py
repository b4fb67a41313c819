"""What is peculiar to SQLite: how a file is made, opened and locked, and what its errors mean. Nothing else knows of it."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Connection, Engine

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
_JOURNAL_SECONDS = 2.0


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Whether no commit can be lost in WAL mode: releases 3.7.0 to 3.51.2 have a bug there, but for 3.50.7 and 3.44.6.

    Parameters
    ----------
    version : tuple of int
        As in ``sqlite3.sqlite_version_info``.
    """
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)


def journal_mode(version: tuple[int, ...]) -> str:
    """How a store keeps its promises on this SQLite, in words.

    Parameters
    ----------
    version : tuple of int
        As in ``sqlite3.sqlite_version_info``.
    """
    if wal_is_safe(version):
        return "WAL + FULL"
    why = "has no WAL" if version < (3, 7) else "can lose commits in WAL mode"
    return f"DELETE + FULL, as this release {why}"


def create_file(path: str) -> None:
    """An empty file that only its owner may read, unless there is one already. Its journals will have the same rights."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))


def connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    """A connection to an existing file, whose transactions are begun and ended by hand.

    Parameters
    ----------
    path : str
        Absolute.
    busy_seconds : float
        How long it waits for others.
    """
    import sqlite3

    # mode=rw: a file that is gone is an error, and not made anew with the rights of any other file
    connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode=rw", uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def make_engine(path: str) -> Engine:
    """An engine for an existing file, whose transactions begin as `begin_with` says."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import QueuePool

    engine = create_engine("sqlite://", creator=lambda: connect(path, BUSY_SECONDS), poolclass=QueuePool, max_overflow=-1)
    event.listen(engine, "begin", _begin)
    return engine


def begin_with(connection: Connection, *, to_write: bool) -> Connection:
    """Whether the connection's transaction takes the lock for writing at once; one that took it later could not wait for it."""
    return connection.execution_options(tiebreak_writes=to_write)


def choose_journal(engine: Engine, *, is_new: bool) -> None:
    """The journal mode that this release of SQLite keeps its promises in; a file in use by others is left as it is.

    Parameters
    ----------
    engine : sqlalchemy.Engine
    is_new : bool
        Whether this process made the tables. Only then is WAL switched on: others may use releases that should not have it.
    """
    import sqlite3

    safe = wal_is_safe(sqlite3.sqlite_version_info)
    if safe and not is_new:
        return
    wanted = "wal" if safe else "delete"
    until = time.monotonic() + (_JOURNAL_SECONDS if is_new else 0)
    connection = engine.raw_connection()
    try:
        # the switch does not wait for other openers, so it is tried again; without it the store is as safe, only slower
        while not _switch_journal(connection, wanted) and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        connection.close()


def has_safe_journal(connection: sqlite3.Connection) -> bool:
    """Whether `choose_journal` would leave the file as it is."""
    import sqlite3

    return wal_is_safe(sqlite3.sqlite_version_info) or _pragma(connection, "journal_mode") == "delete"


def check_file(connection: Connection) -> str:
    """What SQLite's own check of the file finds first; "" if it finds nothing."""
    found = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
    return "" if found == "ok" else " ".join(found.split())


def error_name(error: BaseException) -> str:
    """SQLite's name of what went wrong, such as "READONLY_DIRECTORY"; "" for an error that is not SQLite's."""
    name = str(getattr(error, "sqlite_errorname", "")).removeprefix("SQLITE_")
    # in WAL mode a full disk is noticed first where the file that the processes share cannot be made large enough
    return "FULL" if name == "IOERR_SHMSIZE" else name


def _begin(connection: Connection) -> None:
    raw: Any = connection.connection.dbapi_connection
    if not connection.get_execution_options().get("tiebreak_writes", False):
        raw.execute("BEGIN")
        return
    # SQLite itself asks for the lock ten times a second only, and may not get it for long beside writers that never pause
    raw.execute("PRAGMA busy_timeout = 0")
    try:
        until = time.monotonic() + BUSY_SECONDS
        while not _is_begun(raw, last_try=time.monotonic() >= until):
            time.sleep((1 + time.monotonic_ns() // 100 % 10) / 1000)  # 1 to 10 ms, not in step with others
    finally:
        raw.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")


def _is_begun(raw: sqlite3.Connection, *, last_try: bool) -> bool:
    """Whether the lock for writing was to be had."""
    import sqlite3

    try:
        raw.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if last_try or not error_name(error).startswith("BUSY"):
            raise
        return False
    return True


def _switch_journal(connection: Any, wanted: str) -> bool:
    """Whether the file is in the wanted mode now."""
    import sqlite3

    cursor = connection.cursor()
    try:
        if _pragma(cursor, "journal_mode") == wanted:
            return True
        _pragma(cursor, "busy_timeout = 0")  # where it does wait, it would be for others to end what they are doing
        return bool(_pragma(cursor, f"journal_mode = {wanted}") == wanted)
    except sqlite3.OperationalError:
        return False
    finally:
        _pragma(cursor, f"busy_timeout = {round(1000 * BUSY_SECONDS)}")
        cursor.close()


def _pragma(cursor: Any, what: str) -> Any:
    """A setting of the connection, as it is or as it becomes."""
    return cursor.execute(f"PRAGMA {what}").fetchone()[0]
