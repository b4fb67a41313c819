"""A store in a SQLite file: how the file is made, opened and locked, and what its errors mean."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import DamagedStoreError, Setting, StoreError, TiebreakError
from tiebreak.stores.damage import Damage, refuse
from tiebreak.stores.sql.database import AGAIN, KEPT, Database, NoStoreError, NotAStoreError, readable_schema
from tiebreak.stores.sql.statements import table_statement
from tiebreak.stores.sql.tables import DATASETS, OUTPUTS, PREFIX, SPLITS, STORE, TABLES, StoredTable

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
JOURNAL_SECONDS = 2.0
_DEFINITIONS = {table.in_database: " ".join(table_statement(table).split()) for table in TABLES}
"""Statements that make the tables of a store, by name."""
_STATISTICS = ("CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")
"""What ANALYZE makes, which tools for SQLite do to any file."""
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
        self._file: os.stat_result | None = None

    def prepare(self, *, create: bool) -> None:
        """Make an empty file, for its owner only, if there is none."""
        # os.path, as Path raises for a name that is too long
        if not os.path.exists(self.path):  # noqa: PTH110
            if not create and not os.path.islink(self.path):  # noqa: PTH114
                raise NoStoreError(self.no_store_text())
            try:
                with suppress(FileExistsError):
                    Path(self.path).touch(0o600, exist_ok=False)  # its journals will have the same rights
            except OSError as error:
                kind = "FULL" if error.errno == errno.ENOSPC else "CANTOPEN"
                raise StoreError(_fault_text(self.shown, kind, "", "")) from error
        if not os.path.exists(self.path):  # noqa: PTH110  a name is there, which leads to no file
            raise StoreError(
                f"{self.shown} is a link that leads nowhere, or to itself. Remove it, or name the file that is meant."
            )
        if Path(self.path).stat().st_size == 1:  # which SQLite would take for an empty database
            raise NotAStoreError(_no_database_text(self.shown))

    def connect(self) -> Connection:
        """Connect to the file, which is there."""
        return SqliteConnection(self.path, self.shown)

    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Take the lock for writing at once, or none: a transaction that took it later could not wait for it."""
        driver = connection.driver
        if not to_write:
            driver.execute("BEGIN")
            return
        # SQLite itself asks for the lock ten times a second only, and may not get it for long beside writers that never pause
        driver.execute("PRAGMA busy_timeout = 0")
        until = time.monotonic() + BUSY_SECONDS
        try:
            while not driver.in_transaction:
                is_last = time.monotonic() >= until
                try:
                    driver.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if is_last or not error_name(error).startswith("BUSY"):
                        raise
                    time.sleep((1 + time.monotonic_ns() // 100 % 10) / 1000)  # 1 to 10 ms, not in step with others
        finally:
            driver.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")

    def is_usable(self, connection: Connection) -> bool:
        """A file stays open."""
        return True

    def errors(self) -> tuple[type[Exception], ...]:
        """SQLite's; UnicodeError where the text of an error is damaged."""
        return sqlite3.Error, UnicodeError

    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of SQLite into words."""
        return translate(self.shown, error, run=run, to_write=to_write)

    def is_store(self, connection: Connection) -> bool:
        """Look for the tables; of a store, make sure first that nothing in it can act: its own tables alone, made as here."""
        found = connection.execute("SELECT type, name, rootpage, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        found = [each for each in found if each[3] not in _STATISTICS]
        strange = [(kind, name) for kind, name, page, sql in found if kind != "table" or not page or not _is_own(name, sql)]
        if strange and STORE.in_database in [name.lower() for _, name, _, _ in found]:
            if STORE.in_database not in [name.lower() for _, name in strange]:
                readable_schema(connection, self.shown)  # raises for a later release, whose tables are others
            kind, name = min(strange, key=lambda each: not each[1].lower().startswith(PREFIX))
            raise DamagedStoreError(
                f"{self.shown} holds the {kind} {name!r}, which is not as tiebreak makes one. Nothing was read, as that could do "
                "whatever it says. Use a copy from before it was changed, or from somebody whom you trust; tables of your own "
                "belong into another file."
            )
        names = [name for kind, name, _, _ in found if kind == "table"]
        if not names:
            return False
        if STORE.in_database not in names:  # a file is a store or something else, not both
            from tiebreak.scores.vocabulary import quoted

            raise NotAStoreError(
                f"{self.shown} is a SQLite database of something else, with the tables {quoted(names)}; it was left as it is. "
                "Name another file for the store."
            )
        readable_schema(connection, self.shown)
        return True

    def settle(self, connection: Connection, *, is_new: bool, to_write: bool) -> None:
        """Remember which file it is, and switch to the journal mode in which this release of SQLite keeps its promises.

        A file in use by others is left as it is, and WAL is switched on only where this process made the tables: others may use
        releases that should not have it.
        """
        with suppress(OSError):  # it is gone already, which the next transaction will tell
            self._file = Path(self.path).stat()
        is_safe = wal_is_safe(sqlite3.sqlite_version_info)
        if is_safe and not is_new:
            return
        wanted = "wal" if is_safe else "delete"
        driver = connection.driver
        driver.execute("PRAGMA busy_timeout = 0")  # it would wait for others to end what they are doing, and not for openers
        until = time.monotonic() + (JOURNAL_SECONDS if is_new else 0)
        mode = ""
        try:
            while True:
                with suppress(sqlite3.OperationalError):
                    ((mode,),) = driver.execute(f"PRAGMA journal_mode = {wanted}")
                if mode == wanted or time.monotonic() >= until:  # without it the store is as safe, only slower
                    break
                time.sleep(0.01)
        finally:
            driver.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")

    def gone_text(self) -> str:
        """A file that was moved, deleted, replaced or emptied."""
        try:
            found = Path(self.path).stat()
        except OSError:
            found = None
        if found is not None and self._file is not None and os.path.samestat(found, self._file):
            if found.st_size:
                return ""
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

    def find_damage(self, connection: Any) -> str:
        """Ask SQLite's own check of the file, after values that are too long for it."""
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        for table in TABLES:
            if table.in_database in names:  # a store of an earlier schema lacks some
                connection.refuse_long_values(table)
        ((found,),) = connection.execute("PRAGMA integrity_check(1)")
        return "" if found == "ok" else " ".join(str(found).split())


def _is_own(name: str, sql: str) -> bool:
    """Tell that a table is one of ours, as it was made."""
    return " ".join(sql.split()) == _DEFINITIONS.get(name)


# --- what a file from elsewhere may cost ----------------------------------------------------------------------------------

MOST_TEXT = 8_000_000
"""Bytes of a name, a message, a description; a thousand times what they have."""
MOST_ARRAY = 256_000_000
"""Bytes of an array: targets, predictions, row numbers."""

MOST_UNSEEN = 64_000_000
"""Bytes of a file in which no value is looked for that is too long: it costs two or three times its size, at most."""

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


class SqliteConnection:
    """A connection to an existing file that anybody may have made: nothing in it costs more than its size allows.

    The path is absolute, and transactions are begun and ended by hand. SQLite calls back while it works on a statement: that lets
    signals through, and ends what takes longer than the file can. Seconds are those of the processor, so that neither a slow disk
    nor a busy machine counts.
    """

    is_sqlite = True

    def __init__(self, path: str, shown: str) -> None:
        # mode=rw: a file that is gone is an error, and not made anew with the rights of any other file
        self.driver = sqlite3.connect(
            f"{Path(path).as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._path = path
        self._shown = shown
        self._begun: float | None = None
        self._used: float | None = None
        self._error: BaseException | None = None
        self._looked_at: set[str] = set()
        calls = self._calls()
        next(calls)
        try:
            self.driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _FEW_BYTES)  # of a definition too: the first statement reads them
            # What is committed survives a power cut: EXTRA waits for the folder too, from which the journal was removed, or a
            # journal that is there again afterwards takes the commit back. In WAL mode it is the same as FULL.
            self.driver.execute("PRAGMA synchronous = EXTRA")
            # Functions that a schema names are not called unless they are harmless; pages are looked at before they are used.
            self.driver.execute("PRAGMA trusted_schema = OFF")
            self.driver.execute("PRAGMA cell_size_check = ON")
            self.driver.set_progress_handler(calls.__next__, _STEPS)
        except BaseException as error:
            self.driver.close()
            if isinstance(error, sqlite3.DataError) and error_name(error) == "TOOBIG":
                raise DamagedStoreError(
                    f"{shown} defines a table in more than {_FEW_BYTES // 1000} kB of text, which tiebreak does not. Nothing was "
                    "read. Use a copy from before it was changed, or from somebody whom you trust."
                ) from None
            raise

    @contextmanager
    def _cursor(self, most_bytes: int) -> Iterator[sqlite3.Cursor]:
        """Open a cursor for one statement, in which no value has more bytes than that."""
        self.driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most_bytes)
        self._begun = self._used = None
        cursor = self.driver.cursor()
        try:
            yield cursor
        finally:
            cursor.close()
            if self._error is not None:
                ended, self._error = self._error, None
                raise ended from None

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with."""
        with self._cursor(MOST_ARRAY) as cursor:
            return cursor.execute(statement, values).fetchall()

    def fetch_rows(
        self, table: StoredTable[Any], statement: str, values: Sequence[Any], *, one_by_one: bool = False
    ) -> list[tuple[Any, ...]]:
        """Execute a query for whole rows of a table, and fetch them; refuses what no store holds."""
        is_of_arrays = table in _ARRAYS
        if table.name not in self._looked_at and self.file_bytes() > MOST_UNSEEN:
            self.refuse_long_values(table)
        longest = MOST_ARRAY if is_of_arrays else MOST_TEXT
        rows: list[tuple[Any, ...]] = []
        n_bytes = 0
        number = 0  # of the row that SQLite goes to next
        try:
            with self._cursor(longest if one_by_one else _FEW_BYTES) as cursor:
                cursor.execute(statement, values)
                number = 1
                while found := cursor.fetchmany(1 if one_by_one else _MANY_ROWS):
                    n_bytes += _n_bytes(table, found)
                    if n_bytes > _FREE_BYTES and n_bytes > _FREE_BYTES + self.file_bytes():
                        what = "its rows are more than fit into the file, as if in a circle"
                        refuse(Damage("", f"the table of {table.name}", what))
                    if one_by_one and _has_long_text(table, found):
                        self._refuse_row(table, statement, values, number - 1)
                    number += len(found)
                    rows += found
        except sqlite3.DataError as error:
            if error_name(error) != "TOOBIG":
                raise
            if not one_by_one:  # a row is longer than most are
                return self.fetch_rows(table, statement, values, one_by_one=True)
            self._refuse_row(table, statement, values, number)
        return rows

    def execute_rows(self, table: StoredTable[Any], statement: str, rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each of some rows of a table, or for their keys, and count the rows that changed."""
        is_of_arrays = table in _ARRAYS
        if is_of_arrays and _has_long_text(table, rows):
            raise StoreError(*_too_large(self._shown, KEPT))
        with self._cursor(MOST_ARRAY if is_of_arrays else MOST_TEXT) as cursor:
            return cursor.executemany(statement, rows).rowcount

    def refuse_long_values(self, table: StoredTable[Any]) -> None:
        """Refuse what is too long before a row is looked for: SQLite reads the rows that it comes past, whole.

        The limit of a statement ends it before it reads a longer text; the length of an array is known without reading it.
        """
        too_long = [f"typeof({name}) IN ('text', 'blob') AND length({name}) > 99" for name in (*table.integers, "hash")]
        too_long += [f"length({name}) > {MOST_TEXT}" for name in table.texts]
        too_long += [f"length({name}) > {MOST_ARRAY}" for name in table.blobs]
        keys, where, name = ", ".join(table.keys), " OR ".join(too_long), table.in_database
        number = 0  # of the row that SQLite goes to next
        with self._cursor(MOST_TEXT) as cursor:
            try:
                found = cursor.execute(f"SELECT {keys} FROM {name} WHERE {where} ORDER BY {keys} LIMIT 1").fetchall()  # noqa: S608
            except sqlite3.DataError:
                with suppress(sqlite3.DataError):
                    cursor.execute(f"SELECT {where} FROM {name} ORDER BY {keys}")  # noqa: S608
                    number = 1
                    while cursor.fetchone():
                        number += 1
                found = cursor.execute(f"SELECT {keys} FROM {name} ORDER BY {keys} LIMIT 1 OFFSET {number}").fetchall()  # noqa: S608
        if found:
            refuse(_too_large_row(table, found[0]))
        self._looked_at.add(table.name)

    def _refuse_row(self, table: StoredTable[Any], statement: str, values: Sequence[Any], number: int) -> None:
        """Refuse a row that is too long; it is the one with this number among those of a query."""
        query = statement.replace(", ".join(table.columns), ", ".join(table.keys), 1)
        at_most = "" if " LIMIT " in query else " LIMIT 1"
        try:
            found = self.execute(f"{query}{at_most} OFFSET {number}", values)
        except sqlite3.DataError:  # it is looked for by what is too long
            found = []
        refuse(_too_large_row(table, found[0] if found else ()))

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


def _too_large_row(table: StoredTable[Any], key: Sequence[Any]) -> Damage:
    place = ", ".join(f"{name} {value}" for name, value in zip(table.keys, key, strict=False))
    what = f"it holds more than {MOST_TEXT // 10**6} MB of text, or {MOST_ARRAY // 10**6} MB of numbers, in one value"
    return Damage("", f"a row of the {table.name} ({place or 'one of those that were looked for'})", what)


def _n_bytes(table: StoredTable[Any], rows: Sequence[Sequence[Any]]) -> int:
    """Bytes that rows take up in a file, at least."""
    n_bytes = len(rows) * len(table.columns)
    for column in list(zip(*rows, strict=True))[len(table.integers) : -1]:
        try:
            n_bytes += sum(map(len, filter(None, column)))
        except TypeError:  # a number where a text belongs
            n_bytes += sum(len(content) for content in column if isinstance(content, (str, bytes)))
    return n_bytes


def _has_long_text(table: StoredTable[Any], rows: Sequence[Sequence[Any]]) -> bool:
    texts = slice(len(table.integers), len(table.integers) + table.n_texts)
    return any(isinstance(text, str) and len(text) > MOST_TEXT for row in rows for text in row[texts])


# --- files ----------------------------------------------------------------------------------------------------------------


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Tell that no commit can be lost in WAL mode: releases 3.7.0 to 3.51.2 have a bug there, but for 3.50.7 and 3.44.6.

    The version is as in ``sqlite3.sqlite_version_info``.
    """
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)


def journal_mode(version: tuple[int, ...]) -> str:
    """Describe how a store keeps its promises on this SQLite; the version is as in ``sqlite3.sqlite_version_info``."""
    if wal_is_safe(version):
        return "WAL + EXTRA"
    why = "has no WAL" if version < (3, 7) else "can lose commits in WAL mode"
    return f"DELETE + EXTRA, as this release {why}"


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
