"""Transactions on a store: prepared on first use, short, their errors told in words, done again where a server was lost."""

from __future__ import annotations

import logging
import os
import random
import shlex
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Any, ClassVar, TypeVar

from tiebreak import __version__
from tiebreak.errors import StoreError, TiebreakError
from tiebreak.stores.contract import MISMATCH, Damage, refuse
from tiebreak.stores.sql.statements import columns_of, create_table, fetch, put
from tiebreak.stores.sql.tables import SCHEMA, STORE, TABLES, StoredTable, StoreRow

Result = TypeVar("Result")

KEPT = " What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped"


class NotAStoreError(StoreError):
    """A file that is something else, or was made by a later release; it is left as it is."""


class LaterStoreError(NotAStoreError):
    """A store that was made by a later release."""


class NoStoreError(StoreError):
    """There is no store, and none was to be made."""


class LostStoreError(StoreError):
    """A server that went away, or does not let anybody in for now. Trying again may help.

    `brief` says what is the matter, as a sentence.
    """

    def __init__(self, text: str, brief: str = "") -> None:
        super().__init__(text)
        self.brief = brief or text


# --- patience -------------------------------------------------------------------------------------------------------------

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_TOLD_AFTER = 1.0
"""A connection that is there again within so many seconds is not worth a word."""

_log = logging.getLogger("tiebreak")


class Patience:
    """Tries again what a lost connection interrupted, ever less often, for a time.

    The time, in seconds, is from the first failure of an attempt to the last one.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_spent = False

    def run(self, attempt: Callable[[], Result]) -> Result:
        """Return what the attempt returns, the first one that is not interrupted.

        An attempt may have been done already when it is done again: a commit whose answer was lost. Raises `LostStoreError` when
        the time is up; everything else that an attempt raises is passed on at once.
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
                    tried = f" (Tried {n_tries} times in {waited:.0f} seconds.)" if n_tries > 1 else ""
                    raise LostStoreError(f"{lost}{tried}", lost.brief) from lost.__cause__
                if waited >= _TOLD_AFTER and not told:
                    told = True
                    _log.warning("%s Waiting for it, for up to %g seconds.", lost.brief, self._seconds)
                self._pause(n_tries, self._seconds - waited)
            else:
                self._is_spent = False
                if told:
                    _log.warning("The store is there again, after %.0f seconds.", time.monotonic() - begun)
                return result

    def _pause(self, n_tries: int, at_most: float) -> None:
        """Sleep longer from time to time, and not in step with other processes that lost the same server."""
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(n_tries - 1, 10))
        try:
            time.sleep(min(at_most, longest * random.uniform(0.5, 1)))  # noqa: S311
        except BaseException:
            self._is_spent = True  # who interrupts the wait does not want to wait again for what is done on the way out
            raise


# --- connections ----------------------------------------------------------------------------------------------------------

_MOST_IDLE = 5
"""Connections that are kept for later at most."""


class Connection:
    """A connection of a driver. In its statements a question mark stands for a value.

    The driver is a ``sqlite3.Connection`` or ``psycopg.Connection``, whose transactions begin as its database says.
    """

    def __init__(self, driver: Any, *, is_sqlite: bool) -> None:
        self.driver = driver
        self.is_sqlite = is_sqlite
        self._mark = "?" if is_sqlite else "%s"
        # in binary the numbers and blobs of PostgreSQL come as they are kept, and not as texts to be read
        self._cursor = driver.cursor if is_sqlite else partial(driver.cursor, binary=True)

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a query and fetch its rows."""
        with closing(self._cursor()) as cursor:
            cursor.execute(statement.replace("?", self._mark), values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    def fetch_rows(self, table: StoredTable[Any], statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a query for whole rows of a table, and fetch them."""
        return self.fetch(statement, values)

    def expect(self, table: StoredTable[Any], rows: Sequence[Sequence[Any]]) -> None:
        """Be ready for rows of a table that are about to be written; refuse those that could not be read again."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement without an answer."""
        with closing(self._cursor()) as cursor:
            cursor.execute(statement.replace("?", self._mark), values)

    def execute_rows(self, statement: str, rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each row of values, and count the rows of the table that changed."""
        if not rows:
            return 0
        with closing(self._cursor()) as cursor:
            cursor.executemany(statement.replace("?", self._mark), rows)
            return int(cursor.rowcount)


class Pool:
    """Connections of a process that are not in use. It holds no database, which closes it when nobody uses that any more."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._idle: list[Connection] = []
        self._is_open = True
        self._lock = threading.Lock()

    def take(self) -> Connection | None:
        """Take a connection out; None where there is none."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def put_back(self, connection: Connection) -> None:
        """Keep a connection for later, unless there are enough."""
        with self._lock:
            if self._is_open and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.driver.close()

    def close(self) -> None:
        """Close those that nobody uses, and the others when they are put back."""
        self._is_open = False
        self.clear()

    def clear(self) -> None:
        """Close those that nobody uses."""
        if self.process != os.getpid():  # after a fork they are the parent's
            return
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.driver.close()


# --- transactions ---------------------------------------------------------------------------------------------------------


class Database(ABC):
    """A store's database, of whichever kind.

    `url` is the address, `shown` what people are told of it, without passwords, and `path` that of the file, absolute; "" where
    there is none. A lost server is waited for `patience` seconds. `opening` is held while the store is opened.
    """

    kind: ClassVar[str]
    """Name of the software, such as "SQLite"."""
    whole: ClassVar[str]
    """What holds all of the store, as people are told of damage: "the file"."""

    def __init__(self, url: str, shown: str, *, path: str, patience: float, opening: threading.Lock) -> None:
        self.url = url
        self.shown = shown
        self.path = path
        self._patience = Patience(patience)
        self._opening = opening
        self._pool: Pool | None = None
        self._finalizer: weakref.finalize[..., Database] | None = None

    def read(self, work: Callable[[Connection], Result], run: str = "") -> Result:
        """Return what some work finds, all of it in one state of the store.

        The work is begun again from the start where the connection is lost; `run` is what errors are about.
        """
        return self._patience.run(partial(self.attempt, work, run))

    def write(self, work: Callable[[Connection], Result], run: str = "", *, create: bool = False) -> Result:
        """Return what some work returns, which nobody else writes beside; kept as a whole when it ends without an error.

        The work is begun again from the start where the connection is lost. It may have been kept by then, where only the answer
        was lost: so done twice it must come to the same as done once. `run` is what errors are about; `create` makes the store if
        there is none.
        """
        return self._patience.run(partial(self.attempt, work, run, to_write=True, create=create))

    def attempt(
        self,
        work: Callable[[Connection], Result],
        run: str = "",
        *,
        to_write: bool = False,
        create: bool = False,
        to_upgrade: bool = False,
    ) -> Result:
        """Do some work in a single transaction; a lost connection is an error.

        A store of an earlier schema is not written to, unless that is what this is about (`to_upgrade`).
        """
        try:
            pool = self._ready(create=create)
            connection = pool.take() or self.connect()
            try:
                self.begin(connection, to_write=to_write)
                if to_write and not to_upgrade:
                    require_current(connection, self.shown)
                result = work(connection)
                connection.driver.commit()
            except BaseException:
                if self._roll_back(connection):
                    pool.put_back(connection)
                raise
            pool.put_back(connection)
        except self.errors() as error:
            translated = self.translate(error, run=run, to_write=to_write)
            if isinstance(translated, LostStoreError) and self._pool is not None:
                self._pool.clear()  # the other connections, which nobody uses now, are lost as well
            raise translated from error
        return result

    def close(self) -> None:
        """Let go of files and connections."""
        self._pool = None
        if self._finalizer is not None:
            self._finalizer()

    def _roll_back(self, connection: Connection) -> bool:
        """Undo the transaction under way; False where the connection was closed, as nothing can be done with it."""
        try:
            if self.is_usable(connection):
                connection.driver.rollback()
                return True
        except self.errors():
            pass
        connection.driver.close()
        return False

    def _ready(self, *, create: bool) -> Pool:
        """Connections to a store that is known to be one."""
        pool = self._pool
        if pool is None or pool.process != os.getpid():
            with self._opening:
                pool = self._pool
                return pool if pool is not None and pool.process == os.getpid() else self._open(create=create)
        if gone := self.gone_text():
            self.close()
            raise StoreError(gone)
        return pool

    def _open(self, *, create: bool) -> Pool:
        self.prepare(create=create)
        pool = Pool()
        connection = self.connect()
        try:
            is_new = self._make_store(connection, create=create)
            self.settle(connection, is_new=is_new, to_write=create)
        except BaseException:
            connection.driver.close()
            raise
        pool.put_back(connection)
        self._pool = pool
        self._finalizer = weakref.finalize(self, pool.close)
        return pool

    def _make_store(self, connection: Connection, *, create: bool) -> bool:
        """Make sure that it is a store of a known schema, and return whether it was made one just now."""
        self.begin(connection, to_write=False)
        is_store = self._is_store(connection)
        connection.driver.commit()
        if is_store:
            return False
        if not create:
            raise NoStoreError(self.no_store_text())
        self.begin(connection, to_write=True)
        is_new = not self._is_store(connection)  # else another process was faster
        if is_new:
            for table in TABLES:
                create_table(connection, table.in_database, **columns_of(table))
            put(connection, STORE, [StoreRow(1, SCHEMA, time.time_ns() // 1000, 0, 1, __version__)])
        connection.driver.commit()
        return is_new

    def _is_store(self, connection: Connection) -> bool:
        """Look for the tables: False for an empty file, an error for those of somebody else or of a later release."""
        names = self.tables(connection)
        if not names:
            return False
        if STORE.in_database not in names:
            raise NotAStoreError(self.foreign_text(names))
        readable_schema(connection, self.shown)
        return True

    # --- different for each kind of database ------------------------------------------------------------------------------

    @abstractmethod
    def prepare(self, *, create: bool) -> None:
        """Make the file, or what else holds the tables, if there is none and `create` is True."""

    @abstractmethod
    def connect(self) -> Connection:
        """Make a connection."""

    @abstractmethod
    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Begin a transaction that sees one state, or one that nobody else writes beside."""

    @abstractmethod
    def is_usable(self, connection: Connection) -> bool:
        """Find out if a connection takes further commands."""

    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """List what `translate` is there for."""

    @abstractmethod
    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error into words for the caller; into a `LostStoreError` where trying again may help.

        The error is one of `errors`; `run` is what the transaction was about, "" for the whole store.
        """

    @abstractmethod
    def tables(self, connection: Connection) -> Sequence[str]:
        """List the tables that are there, as far as they matter: none where a store may be made."""

    @abstractmethod
    def foreign_text(self, names: Sequence[str]) -> str:
        """Message for tables that are somebody else's."""

    @abstractmethod
    def settle(self, connection: Connection, *, is_new: bool, to_write: bool) -> None:
        """See to it that what is written lasts; called once the store is known to be one.

        The connection is outside of a transaction; `is_new` where this process made the tables, `to_write` where runs are going
        to be kept.
        """

    @abstractmethod
    def gone_text(self) -> str:
        """Message where that which was opened is no longer there; "" while it is."""

    @abstractmethod
    def no_store_text(self) -> str:
        """Message for a store that is to be read and is not there."""

    @abstractmethod
    def find_damage(self, connection: Connection) -> str:
        """Return what the database's own check finds first; "" if it finds nothing."""


def readable_schema(connection: Connection, shown: str) -> int:
    """Schema of a store, of which this release can read all that it has.

    Raises `LaterStoreError` for a later one, and `DamagedStoreError` where there is no telling which schema it is.
    """
    found = fetch(connection, STORE)
    versions: list[object] = [row.schema_version for row in found]  # of a table that may not be ours
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        from tiebreak.scores.vocabulary import quoted

        refuse(Damage("", "the version of the schema", f"it is {quoted([str(version) for version in versions])}"))
    schema = found[0].schema_version
    if schema > SCHEMA:
        if STORE.damaged(found):
            refuse(Damage("", "the description of the store", MISMATCH))
        raise LaterStoreError(
            f"{shown} was made by a later release of tiebreak: its schema is {schema}, and tiebreak {__version__} "
            f"knows schema {SCHEMA} at most. It was left as it is. Install a newer tiebreak to read it."
        )
    return schema


def require_current(connection: Connection, shown: str) -> None:
    """Refuse to write to a store of an earlier schema. It may have been upgraded by others since it was opened, or not yet."""
    schema = readable_schema(connection, shown)
    if schema < SCHEMA:
        url = shown if "://" in shown else f"sqlite:///{shown}"
        raise StoreError(
            f"{shown} has schema {schema}, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be "
            "read as it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
            f"tiebreak store upgrade {shlex.quote(url)}"
        )
