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
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, ClassVar, TypeVar

from tiebreak import __version__
from tiebreak.errors import StoreError, TiebreakError
from tiebreak.stores.damage import MISMATCH, Damage, refuse
from tiebreak.stores.sql.statements import fetch, put, table_statement
from tiebreak.stores.sql.tables import SCHEMA, STORE, TABLES, StoreRow

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection

Result = TypeVar("Result")

KEPT = " What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped"


class NotAStoreError(StoreError):
    """A file that is something else; it is left as it is."""


class NoStoreError(StoreError):
    """There is no store, and none was to be made."""


class LostStoreError(StoreError):
    """A server that went away, or does not let anybody in for now. Trying again may help.

    `brief` says what is the matter, as a sentence.
    """

    def __init__(self, text: str, brief: str = "") -> None:
        super().__init__(text)
        self.brief = brief or text


# --- connections ----------------------------------------------------------------------------------------------------------

_MOST_IDLE = 5
"""Connections that are kept for later at most."""


def _close_idle(idle: deque[Connection], process: int, n_kept: int = 0) -> None:
    """Close connections that nobody uses, but for so many; after a fork they are the parent's, and not of this process."""
    with suppress(IndexError):  # another thread took the last one
        while len(idle) > n_kept and process == os.getpid():
            idle.pop().driver.close()


# --- transactions ---------------------------------------------------------------------------------------------------------

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_TOLD_AFTER = 1.0
"""A connection that is there again within so many seconds is not worth a word."""

_log = logging.getLogger("tiebreak")


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
        self.patience = patience
        self._is_impatient = False
        self._opening = opening
        self._idle: dict[int, deque[Connection]] = {}  # those that nobody uses, by process: none before the store is opened
        self._finalizer: weakref.finalize[..., Database] | None = None

    def read(self, work: Callable[[Connection], Result], run: str = "") -> Result:
        """Return what some work finds, all of it in one state of the store.

        The work is begun again from the start where the connection is lost; `run` is what errors are about.
        """
        return self._do(work, run, to_write=False)

    def write(self, work: Callable[[Connection], Result], run: str = "", *, create: bool = False) -> Result:
        """Return what some work returns, which nobody else writes beside; kept as a whole when it ends without an error.

        The work is begun again from the start where the connection is lost. It may have been kept by then, where only the answer
        was lost: so done twice it must come to the same as done once. `run` is what errors are about; `create` makes the store if
        there is none.
        """
        return self._do(work, run, to_write=True, create=create)

    def _do(self, work: Callable[[Connection], Result], run: str, *, to_write: bool, create: bool = False) -> Result:
        """Do some work in a transaction, and again where that is lost, ever less often.

        Raises `LostStoreError` when `patience` seconds have passed since the first failure.
        """
        begun = 0.0
        n_tries = 0
        told = False
        while True:
            try:
                with self.transaction(run, to_write=to_write, create=create) as connection:
                    result = work(connection)
            except LostStoreError as lost:
                n_tries += 1
                begun = begun or time.monotonic()
                waited = time.monotonic() - begun
                if waited >= self.patience or self._is_impatient:
                    tried = f" (Tried {n_tries} times in {waited:.0f} seconds.)" if n_tries > 1 else ""
                    raise LostStoreError(f"{lost}{tried}", lost.brief) from lost.__cause__
                if waited >= _TOLD_AFTER and not told:
                    told = True
                    _log.warning("%s Waiting for it, for up to %g seconds.", lost.brief, self.patience)
                self._pause(n_tries, self.patience - waited)
            else:
                self._is_impatient = False
                if told:
                    _log.warning("The store is there again, after %.0f seconds.", time.monotonic() - begun)
                return result

    def _pause(self, n_tries: int, at_most: float) -> None:
        """Sleep longer from time to time, and not in step with other processes that lost the same server."""
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(n_tries - 1, 10))
        try:
            time.sleep(min(at_most, longest * random.uniform(0.5, 1)))  # noqa: S311
        except BaseException:
            self._is_impatient = True  # who interrupts the wait does not want to wait again for what is done on the way out
            raise

    @contextmanager
    def transaction(
        self, run: str = "", *, to_write: bool = False, create: bool = False, to_upgrade: bool = False
    ) -> Iterator[Connection]:
        """A single transaction, kept when it ends without an error; a lost connection is an error.

        A store of an earlier schema is not written to, unless that is what this is about (`to_upgrade`).
        """
        try:
            idle = self._opened(create=create)
            try:
                connection = idle.pop()
            except IndexError:
                connection = self.connect()
            is_usable = False
            try:
                self.begin(connection, to_write=to_write)
                if to_write and not to_upgrade:
                    readable_schema(connection, self.shown, to_write=True)
                yield connection
                connection.driver.commit()
                is_usable = True
            except BaseException:
                is_usable = self._roll_back(connection)
                raise
            finally:
                if is_usable:
                    idle.append(connection)
                # the others are lost with this one, and of no use in a store that was closed meanwhile
                is_kept = is_usable and idle is self._idle.get(os.getpid())
                _close_idle(idle, os.getpid(), _MOST_IDLE if is_kept else 0)
        except self.errors() as error:
            raise self.translate(error, run=run, to_write=to_write) from error

    def close(self) -> None:
        """Let go of files and connections."""
        self._idle = {}
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

    def _opened(self, *, create: bool) -> deque[Connection]:
        """Connections that nobody uses, to a store that is known to be one: opened on first use, and anew after a fork."""
        idle = self._idle.get(os.getpid())
        if idle is None:
            with self._opening:
                idle = self._idle.get(os.getpid())
                return self._open(create=create) if idle is None else idle
        if gone := self.gone_text():
            self.close()
            raise StoreError(gone)
        return idle

    def _open(self, *, create: bool) -> deque[Connection]:
        """Connect to a store of a known schema, which is made first if there is none and `create` is True."""
        self.prepare(create=create)
        connection = self.connect()
        is_new = False
        try:
            self.begin(connection, to_write=False)
            if not self.is_store(connection):
                if not create:
                    raise NoStoreError(self.no_store_text())
                connection.driver.commit()
                self.begin(connection, to_write=True)
                is_new = not self.is_store(connection)  # else another process was faster
            if is_new:
                for table in TABLES:
                    connection.execute(table_statement(table, is_sqlite=connection.is_sqlite))
                put(connection, STORE, [StoreRow(1, SCHEMA, time.time_ns() // 1000, 0, 1, __version__)])
            connection.driver.commit()
            self.settle(connection, is_new=is_new, to_write=create)
        except BaseException:
            connection.driver.close()
            raise
        idle = deque([connection])
        self._idle = {os.getpid(): idle}
        self._finalizer = weakref.finalize(self, _close_idle, idle, os.getpid())
        return idle

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
    def is_store(self, connection: Connection) -> bool:
        """Look for the tables: False where a store may be made, an error for those of somebody else or of a later release."""

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


def readable_schema(connection: Connection, shown: str, *, to_write: bool = False) -> int:
    """Schema of a store, of which this release can read all that it has.

    Raises `StoreError` for a later one, and `DamagedStoreError` where there is no telling which schema it is; `to_write`
    refuses an earlier one too, which others may have upgraded since the store was opened, or not yet.
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
        raise StoreError(
            f"{shown} was made by a later release of tiebreak: its schema is {schema}, and tiebreak {__version__} "
            f"knows schema {SCHEMA} at most. It was left as it is. Install a newer tiebreak to read it."
        )
    if to_write and schema < SCHEMA:
        url = shown if "://" in shown else f"sqlite:///{shown}"
        raise StoreError(
            f"{shown} has schema {schema}, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be "
            "read as it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
            f"tiebreak store upgrade {shlex.quote(url)}"
        )
    return schema
