"""A store in a SQLite file: how the file is made, opened and locked, and what its errors mean."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak.errors import DamagedStoreError, Setting, StoreError, TiebreakError
from tiebreak.stores.sql.database import AGAIN, KEPT, Connection, Database, NoStoreError, NotAStoreError

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
_JOURNAL_SECONDS = 2.0
_DAMAGE = frozenset("CORRUPT ERROR CONSTRAINT MISMATCH FORMAT RANGE SCHEMA".split())

# Closing any handle of a file drops the locks that this process has on it, as POSIX has it. So the handle that made a file is
# closed before another thread can have opened it.
_OPENING = threading.Lock()


class SqliteDatabase(Database):
    """A file; `Database` describes the methods.

    The path is as the caller gave it; a later change of the working folder does not matter. People are told `shown` instead,
    where it is not "".
    """

    kind = "SQLite"
    whole = "the file"

    def __init__(self, path: str, shown: str = "") -> None:
        super().__init__(
            f"sqlite:///{path}", shown or path, path=str(Path(path).absolute()), patience=0, opening=_OPENING
        )  # nothing is lost that would come back
        self._file: tuple[int, int] | None = None

    def prepare(self, *, create: bool) -> None:
        """Make an empty file, for its owner only, if there is none."""
        if _identity(self.path) is None:
            if not create:
                raise NoStoreError(self.no_store_text())
            try:
                create_file(self.path)
            except OSError as error:
                kind = "FULL" if error.errno == errno.ENOSPC else "CANTOPEN"
                raise StoreError(_fault_text(self.shown, kind, "", "")) from error
        if Path(self.path).stat().st_size == 1:  # which SQLite would take for an empty database
            raise NotAStoreError(_no_database_text(self.shown))

    def connect(self) -> Connection:
        """Connect to the file, which is there."""
        return Connection(connect(self.path, BUSY_SECONDS), is_sqlite=True)

    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Take the lock for writing at once, or none: a transaction that took it later could not wait for it."""
        driver = connection.driver
        if not to_write:
            driver.execute("BEGIN")
            return
        # SQLite itself asks for the lock ten times a second only, and may not get it for long beside writers that never pause
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            until = time.monotonic() + BUSY_SECONDS
            while not _is_begun(driver, last_try=time.monotonic() >= until):
                time.sleep((1 + time.monotonic_ns() // 100 % 10) / 1000)  # 1 to 10 ms, not in step with others
        finally:
            driver.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")

    def is_usable(self, connection: Connection) -> bool:
        """A file stays open."""
        return True

    def errors(self) -> tuple[type[Exception], ...]:
        """SQLite's; UnicodeError where the text of an error is damaged."""
        import sqlite3

        return sqlite3.Error, UnicodeError

    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of SQLite into words."""
        return translate(self.shown, error, run=run, to_write=to_write)

    def tables(self, connection: Connection) -> Sequence[str]:
        """List all tables of the file."""
        found = connection.fetch(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
        )
        return [name for (name,) in found]

    def foreign_text(self, names: Sequence[str]) -> str:
        """A file is a store or something else, not both."""
        from tiebreak.scores.scores import quoted

        return (
            f"{self.shown} is a SQLite database of something else, with the tables {quoted(names)}; it was left as it is. "
            "Name another file for the store."
        )

    def settle(self, connection: Connection, *, is_new: bool, to_write: bool) -> None:
        """Choose the journal, and remember which file it is."""
        choose_journal(connection.driver, is_new=is_new)
        self._file = _identity(self.path)

    def gone_text(self) -> str:
        """A file that was moved, deleted or replaced."""
        if self._file == _identity(self.path):
            return ""
        return f"{self.shown} was moved, deleted or replaced while it was in use.{KEPT} Put it back; {AGAIN}."

    def no_store_text(self) -> str:
        """No file, or an empty one."""
        parent = Path(self.shown).parent
        folder = "" if parent.is_dir() else f", and no folder {os.fspath(parent)!r}"
        return (
            f"there is no store {self.shown}{folder}. Check the path; tiebreak makes a store when something is evaluated into it."
        )

    def find_damage(self, connection: Connection) -> str:
        """Ask SQLite's own check of the file."""
        ((found,),) = connection.fetch("PRAGMA integrity_check(1)")
        return "" if found == "ok" else " ".join(str(found).split())


# --- files ----------------------------------------------------------------------------------------------------------------


def _identity(path: str) -> tuple[int, int] | None:
    """Device and number that tell the file from another one of its name; None if there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Tell that no commit can be lost in WAL mode: releases 3.7.0 to 3.51.2 have a bug there, but for 3.50.7 and 3.44.6.

    The version is as in ``sqlite3.sqlite_version_info``.
    """
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)


def journal_mode(version: tuple[int, ...]) -> str:
    """Describe how a store keeps its promises on this SQLite; the version is as in ``sqlite3.sqlite_version_info``."""
    if wal_is_safe(version):
        return "WAL + FULL"
    why = "has no WAL" if version < (3, 7) else "can lose commits in WAL mode"
    return f"DELETE + FULL, as this release {why}"


def create_file(path: str) -> None:
    """Make an empty file that only its owner may read, unless there is one already. Its journals will have the same rights."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))


def connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    """Connect to an existing file, whose transactions are begun and ended by hand.

    The path is absolute; the connection waits `busy_seconds` for others.
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


def choose_journal(connection: sqlite3.Connection, *, is_new: bool) -> None:
    """Switch to the journal mode that this release of SQLite keeps its promises in; a file in use by others is left as it is.

    WAL is switched on only where this process made the tables (`is_new`): others may use releases that should not have it.
    """
    import sqlite3

    safe = wal_is_safe(sqlite3.sqlite_version_info)
    if safe and not is_new:
        return
    wanted = "wal" if safe else "delete"
    until = time.monotonic() + (_JOURNAL_SECONDS if is_new else 0)
    # the switch does not wait for other openers, so it is tried again; without it the store is as safe, only slower
    while not _switch_journal(connection, wanted) and time.monotonic() < until:
        time.sleep(0.01)


def _is_begun(connection: sqlite3.Connection, *, last_try: bool) -> bool:
    """Try to get the lock for writing."""
    import sqlite3

    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if last_try or not error_name(error).startswith("BUSY"):
            raise
        return False
    return True


def _switch_journal(connection: sqlite3.Connection, wanted: str) -> bool:
    """Try to switch, and tell that the file is in the wanted mode now."""
    import sqlite3

    try:
        ((mode,),) = connection.execute("PRAGMA journal_mode")
        if mode != wanted:
            connection.execute("PRAGMA busy_timeout = 0")  # where it does wait, it would be for others to end what they are doing
            ((mode,),) = connection.execute(f"PRAGMA journal_mode = {wanted}")
        return bool(mode == wanted)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")


# --- errors ---------------------------------------------------------------------------------------------------------------


def error_name(error: BaseException) -> str:
    """Give SQLite's name of what went wrong, such as "READONLY_DIRECTORY"; "" for an error that is not SQLite's."""
    name = str(getattr(error, "sqlite_errorname", "")).removeprefix("SQLITE_")
    # in WAL mode a full disk is noticed first where the file that the processes share cannot be made large enough
    return "FULL" if name == "IOERR_SHMSIZE" else name


def translate(path: str, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
    """Put an error of SQLite into words for the caller.

    The path is as the caller gave it; `run` is what the transaction was about, "" for the whole store.
    """
    kind = error_name(error).split("_")[0]
    said = " ".join(str(error).split())
    if kind == "NOTADB":
        return NotAStoreError(_no_database_text(path))
    if kind in _DAMAGE or "decode" in said:  # broken pages, tables that are not as they were made, texts that are none
        about = f"run {run!r}: " if run else ""
        return DamagedStoreError(
            f"{about}{path} is not as it was written: SQLite says {said!r}. Put a copy of the store in its place, or delete the "
            "run (if that fails, the file) and measure it again."
        )
    kept = KEPT if to_write else ""
    if kind == "TOOBIG":
        too_large = f"{path}: the outputs of one cell are larger than SQLite can keep.{kept} Pass "
        return StoreError(too_large, Setting("keep_predictions", "False"), ".")
    return StoreError(_fault_text(path, kind, said, kept))


def _no_database_text(path: str) -> str:
    """Message for a file of another kind."""
    return f"{path} is not a SQLite database; it was left as it is. Name another file for the store."


def _fault_text(path: str, kind: str, said: str, kept: str) -> str:
    """Message that says what is wrong, what was kept, how to go on.

    `kind` is SQLite's name of it, `said` what SQLite says of it.
    """
    match kind:
        case "BUSY" | "LOCKED" | "PROTOCOL":
            return (
                f"{path} is locked: another process has been writing to it for more than {BUSY_SECONDS:g} seconds.{kept} "
                f"Wait for that process or stop it; {AGAIN}."
            )
        case "FULL":
            return f"{path} cannot grow: the disk is full.{kept} Make room; {AGAIN}."
        case "READONLY" | "PERM" | "AUTH" | "CANTOPEN":
            return f"{path} cannot be opened or written: {_obstacle(path)}.{kept} Put that right, or name another store."
        case "IOERR":
            return f"{path} cannot be read or written: the system says {said!r}.{kept} Look after the disk; {AGAIN}."
        case _:
            return f"{path} cannot be used: {said}.{kept} Close other programs that use it, or name another store."


def _obstacle(path: str) -> str:
    """Name what of file and folder stands in the way."""
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
