"""A store in a SQLite file: how the file is made, opened and locked, and what its errors mean."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tiebreak.errors import DamagedStoreError, Setting, StoreError, TiebreakError
from tiebreak.stores.contract import Damage, refuse
from tiebreak.stores.sql.database import AGAIN, KEPT, Connection, Database, NoStoreError, NotAStoreError, readable_schema
from tiebreak.stores.sql.statements import columns_of, table_statement
from tiebreak.stores.sql.tables import DATASETS, OUTPUTS, PREFIX, SPLITS, STORE, TABLES, StoredTable

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
JOURNAL_SECONDS = 2.0
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
            if not create and not os.path.islink(self.path):  # noqa: PTH114  Path raises for a name that is too long
                raise NoStoreError(self.no_store_text())
            try:
                create_file(self.path)
            except OSError as error:
                kind = "FULL" if error.errno == errno.ENOSPC else "CANTOPEN"
                raise StoreError(_fault_text(self.shown, kind, "", "")) from error
        if _identity(self.path) is None:  # a name is there, which leads to no file
            raise StoreError(
                f"{self.shown} is a link that leads nowhere, or to itself. Remove it, or name the file that is meant."
            )
        if Path(self.path).stat().st_size == 1:  # which SQLite would take for an empty database
            raise NotAStoreError(_no_database_text(self.shown))

    def connect(self) -> Connection:
        """Connect to the file, which is there."""
        return SqliteConnection(connect(self.path, BUSY_SECONDS), self.path, self.shown)

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
        """List all tables of the file; of a store, make sure first that nothing in it can act: tables alone, made as here."""
        found = connection.fetch(
            "SELECT type, name, rootpage, sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND NOT (type = 'table' AND name LIKE 'sqlite~_%' ESCAPE '~') ORDER BY name"
        )
        strange = [(kind, name) for kind, name, page, sql in found if kind != "table" or not page or not _is_known(name, sql)]
        if strange and STORE.in_database in [name.lower() for _, name, _, _ in found]:
            if STORE.in_database not in [name.lower() for _, name in strange]:
                readable_schema(connection, self.shown)  # raises for a later release, whose tables are others
            kind, name = strange[0]
            raise DamagedStoreError(
                f"{self.shown} holds the {kind} {name!r}, which is not as tiebreak makes one. Nothing was read, as that could do "
                "whatever it says. Use a copy from before it was changed, or from somebody whom you trust."
            )
        return [name for kind, name, _, _ in found if kind == "table"]

    def foreign_text(self, names: Sequence[str]) -> str:
        """A file is a store or something else, not both."""
        from tiebreak.scores.vocabulary import quoted

        return (
            f"{self.shown} is a SQLite database of something else, with the tables {quoted(names)}; it was left as it is. "
            "Name another file for the store."
        )

    def settle(self, connection: Connection, *, is_new: bool, to_write: bool) -> None:
        """Choose the journal, and remember which file it is."""
        choose_journal(connection.driver, is_new=is_new)
        self._file = _identity(self.path)

    def gone_text(self) -> str:
        """A file that was moved, deleted, replaced or emptied."""
        try:
            found = Path(self.path).stat()
        except OSError:
            found = None
        if found is not None and found.st_size and self._file == (found.st_dev, found.st_ino):
            return ""
        if found is not None and self._file == (found.st_dev, found.st_ino):
            return (
                f"{self.shown} was emptied while it was in use, and what was in it is gone. Put a copy of the store in its "
                f"place; {AGAIN}."
            )
        return f"{self.shown} was moved, deleted or replaced while it was in use.{KEPT} Put it back; {AGAIN}."

    def no_store_text(self) -> str:
        """No file, or an empty one."""
        parent = Path(self.shown).parent
        folder = "" if parent.is_dir() else f", and no folder {os.fspath(parent)!r}"
        return (
            f"there is no store {self.shown}{folder}. Check the path; tiebreak makes a store when something is evaluated into it."
        )

    def find_damage(self, connection: Connection) -> str:
        """Ask SQLite's own check of the file, after arrays that are too large for it."""
        for table in _ARRAYS:
            refuse_large_arrays(connection, table)
        ((found,),) = connection.fetch("PRAGMA integrity_check(1)")
        return "" if found == "ok" else " ".join(str(found).split())


def _is_known(name: str, sql: str) -> bool:
    """Tell that a table is somebody else's, of which nothing is read, or one of ours as it was made."""
    return not name.lower().startswith(PREFIX) or " ".join(sql.split()) == _definitions().get(name)


@cache
def _definitions() -> dict[str, str]:
    """Statements that make the tables of a store, by name."""
    return {table.in_database: " ".join(table_statement(table.in_database, **columns_of(table)).split()) for table in TABLES}


# --- what a file from elsewhere may cost ----------------------------------------------------------------------------------

MOST_TEXT = 8_000_000
"""Bytes of a name, a message, a description; a thousand times what they have."""
MOST_ARRAY = 256_000_000
"""Bytes of an array: targets, predictions, row numbers."""

_ARRAYS = (DATASETS, SPLITS, OUTPUTS)
_FEW_BYTES = 64_000
"""A value of a row that is read along with many others."""
_MANY_ROWS = 128
_FREE_BYTES = 8_000_000
_FREE_SECONDS = 1.0
_BYTES_PER_SECOND = 10_000_000
"""The slowest that a file is read. Its size says how much can be in it: beyond that its pages lead round in a circle."""
_STEPS = 10_000
"""Steps of SQLite, about a millisecond, from one call of the watch to the next."""


class Watch:
    """Called by SQLite while it works on a statement: lets signals through, and ends what takes longer than the file can.

    Seconds are those of the processor, so that neither a slow disk nor a busy machine counts.
    """

    def __init__(self, path: str, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._begun: float | None = None
        self._used: float | None = None
        self._error: BaseException | None = None
        calls = self._calls()
        next(calls)
        self.call = calls.__next__

    def file_bytes(self) -> int:
        """Size of the file with its journal."""
        files = (Path(self._path), Path(f"{self._path}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def _calls(self) -> Iterator[int]:
        # A generator: Python looks for signals as it enters code, and in a function that is before any `try` of it.
        while True:
            try:
                yield self._error is not None
                self._look()
            except GeneratorExit:
                raise
            except BaseException as error:  # which SQLite would drop
                self._error = error

    def _look(self) -> None:
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        if now - self._begun < _FREE_SECONDS:
            return
        used = time.thread_time()  # which may take a hundred times as long to ask for
        if self._used is None:
            self._used = used
        if used - self._used > _FREE_SECONDS + self.file_bytes() / _BYTES_PER_SECOND:
            raise DamagedStoreError(
                f"{self._shown} is not as it was written: reading it takes longer than a file of its size can, as if it led "
                "round in a circle. Put a copy of the store in its place."
            )

    def __enter__(self) -> None:
        self._begun = self._used = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._error is not None:
            ended, self._error = self._error, None
            raise ended from None


class _TooLargeError(Exception):
    """A row with a value of too many bytes, by its number among those asked for."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class SqliteConnection(Connection):
    """A connection to a file that anybody may have made: nothing in it costs more than its size allows."""

    def __init__(self, driver: sqlite3.Connection, path: str, shown: str) -> None:
        super().__init__(driver, is_sqlite=True)
        self._shown = shown
        self._watch = Watch(path, shown)
        self._looked_at: set[str] = set()
        driver.set_progress_handler(self._watch.call, _STEPS)
        self._limit(MOST_ARRAY)

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a query and fetch its rows."""
        with self._watch:
            return super().fetch(statement, values)

    def fetch_rows(self, table: StoredTable[Any], statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a query for whole rows of a table, and fetch them; refuses what no store holds."""
        if table in _ARRAYS and table.name not in self._looked_at and self._watch.file_bytes() > MOST_ARRAY:
            refuse_large_arrays(self, table)
            self._looked_at.add(table.name)
        try:
            with suppress(_TooLargeError):  # a row that is longer than most
                return self._fetched(table, statement, values, _FEW_BYTES, _MANY_ROWS)
            return self._fetched(table, statement, values, MOST_ARRAY if table in _ARRAYS else MOST_TEXT, 1)
        except _TooLargeError as error:
            self._refuse_row(table, statement, values, error.number)
            raise
        finally:
            self._limit(MOST_ARRAY)

    def expect(self, table: StoredTable[Any], rows: Sequence[Sequence[Any]]) -> None:
        """Be ready for rows of a table that are about to be written; refuse those that could not be read again."""
        self._limit(MOST_ARRAY if table in _ARRAYS else MOST_TEXT)
        if table in _ARRAYS and any(_has_long_text(table, row) for row in rows):
            raise StoreError(*_too_large(self._shown, KEPT))

    def execute_rows(self, statement: str, rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each row of values, and count the rows of the table that changed."""
        with self._watch:
            return super().execute_rows(statement, rows)

    def _limit(self, n_bytes: int) -> None:
        import sqlite3

        self.driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, n_bytes)

    def _fetched(
        self, table: StoredTable[Any], statement: str, values: Sequence[Any], most: int, n_at_a_time: int
    ) -> list[tuple[Any, ...]]:
        """Fetch rows without a value of more bytes than that, some at a time, as many as the file can hold."""
        import sqlite3

        rows: list[tuple[Any, ...]] = []
        n_bytes = 0
        number = 0  # of the row that SQLite goes to next
        self._limit(most)
        try:
            with self._watch, closing(self.driver.cursor()) as cursor:
                cursor.execute(statement, values)
                number = 1
                while found := cursor.fetchmany(n_at_a_time):
                    number += len(found)
                    n_bytes += _n_bytes(table, found)
                    if n_at_a_time == 1 and _has_long_text(table, found[0]):
                        raise _TooLargeError(number - 2)
                    if n_bytes > _FREE_BYTES and n_bytes > _FREE_BYTES + self._watch.file_bytes():
                        what = "its rows are more than fit into the file, as if in a circle"
                        refuse(Damage("", f"the table of {table.name}", what))
                    rows += found
        except sqlite3.DataError as error:
            if error_name(error) != "TOOBIG":
                raise
            raise _TooLargeError(number) from None
        return rows

    def _refuse_row(self, table: StoredTable[Any], statement: str, values: Sequence[Any], number: int) -> None:
        """Refuse a row that is too long; it is the one with this number among those of a query."""
        import sqlite3

        query = statement.replace(", ".join(table.columns), ", ".join(table.keys), 1)
        at_most = "" if " LIMIT " in query else " LIMIT 1"
        try:
            found = self.fetch(f"{query}{at_most} OFFSET {number}", values)
        except sqlite3.DataError:  # it is looked for by what is too long
            found = []
        refuse(_too_large_row(table, found[0] if found else ()))


def refuse_large_arrays(connection: Connection, table: StoredTable[Any]) -> None:
    """Refuse arrays that are too large before a row is looked for, as SQLite reads those that it comes past."""
    [blob] = table.blobs  # of which the length is known without reading it
    query = f"SELECT {', '.join(table.keys)} FROM {table.in_database} WHERE length({blob}) > {MOST_ARRAY} LIMIT 1"  # noqa: S608
    if found := connection.fetch(query):
        refuse(_too_large_row(table, found[0]))


def _too_large_row(table: StoredTable[Any], key: Sequence[Any]) -> Damage:
    place = ", ".join(f"{name} {value}" for name, value in zip(table.keys, key, strict=False))
    what = f"it holds more than {MOST_TEXT // 10**6} MB of text, or {MOST_ARRAY // 10**6} MB of numbers, in one value"
    return Damage("", f"a row of the {table.name} ({place or 'one of those that were looked for'})", what)


def _n_bytes(table: StoredTable[Any], rows: Sequence[Sequence[Any]]) -> int:
    """Bytes that rows take up in a file, at least."""
    columns = range(len(table.integers), len(table.columns) - 1)
    try:
        contents = sum([sum([len(row[i] or "") for row in rows]) for i in columns])
    except TypeError:  # a number where a text belongs
        contents = sum([len(row[i]) for row in rows for i in columns if isinstance(row[i], (str, bytes))])
    return contents + len(rows) * len(table.columns)


def _has_long_text(table: StoredTable[Any], row: Sequence[Any]) -> bool:
    first = len(table.integers)
    return any(isinstance(text, str) and len(text) > MOST_TEXT for text in row[first : first + table.n_texts])


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
    with suppress(FileExistsError):
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
        # Functions that a schema names are not called unless they are harmless; pages are looked at before they are used.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
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
    until = time.monotonic() + (JOURNAL_SECONDS if is_new else 0)
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
        return StoreError(*_too_large(path, kept))
    return StoreError(_fault_text(path, kind, said, kept))


def _too_large(path: str, kept: str) -> tuple[str | Setting, ...]:
    """Message, in parts, for a value that a file does not take."""
    limits = f"{MOST_ARRAY // 10**6} MB for an array, and {MOST_TEXT // 10**6} MB for a text"
    text = f"{path}: the outputs of one cell, or a text, are larger than a store in a file keeps: {limits}.{kept} Pass "
    return text, Setting("keep_predictions", "False"), ", or keep the run in PostgreSQL."


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
