"""Transactions on a store: short, kept as a whole, their errors told in words."""

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiebreak.errors import StoreError, TiebreakError
from tiebreak.stores.contract import Damage, NoStoreError

SCHEMA = 11
"""Version of what follows. A change of tables, columns, coding or hash raises it."""

TABLES = {
    "tiebreak_store": "CREATE TABLE tiebreak_store (schema BIGINT NOT NULL)",
    "tiebreak_runs": "CREATE TABLE tiebreak_runs (run BIGINT PRIMARY KEY, head BYTEA NOT NULL, plan BYTEA NOT NULL)",
    "tiebreak_cells": (
        "CREATE TABLE tiebreak_cells (run BIGINT NOT NULL, dataset BIGINT NOT NULL, split BIGINT NOT NULL, "
        "model BIGINT NOT NULL, content BYTEA NOT NULL, outputs BYTEA NOT NULL, PRIMARY KEY (run, dataset, split, model))"
    ),
    "tiebreak_leases": (
        "CREATE TABLE tiebreak_leases (run BIGINT NOT NULL, holder BIGINT NOT NULL, shown DOUBLE PRECISION NOT NULL, "
        "content BYTEA NOT NULL, PRIMARY KEY (run, holder))"
    ),
}
"""Statements that make the tables, in PostgreSQL's words, which SQLite takes too."""


@dataclass(eq=False)
class Connection:
    """A connection of a driver, ``sqlite3`` or ``psycopg``. In its statements a question mark stands for a value.

    `now` is the moment by the store's clock when a transaction that writes began.
    """

    driver: Any
    now: float = field(default=0.0, init=False)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with."""
        return list(self.driver.execute(statement, values))

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each of some rows."""
        self.driver.executemany(statement, rows)


KEPT = " What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped"


@dataclass(eq=False)
class Database(ABC):
    """A store's database, of whichever kind.

    `url` is the address as people are told of it, without passwords, and `absence` the message where there is no store.
    """

    errors: tuple[type[Exception], ...] = field(init=False)
    """What `translate` is there for; UnicodeError where the text of an error is damaged."""

    url: str
    absence: str
    _idle: list[Connection] = field(default_factory=list, init=False)
    """Those that nobody uses, which are of this process."""
    _process: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @contextmanager
    def transaction(self, run: str = "", *, to_write: bool = False, create: bool = False) -> Iterator[Connection]:
        """A transaction on a connection, which is kept as a whole when the block ends without an error.

        One that writes has no other writer beside it. `run` is what errors are about; `create` makes the store if there is none.
        """
        with self._lock:
            if self._process != os.getpid():  # after a fork those that are there are the parent's
                self._idle, self._process = [], os.getpid()
            idle = self._idle.pop() if self._idle else None
        is_begun = False
        try:
            connection = self.connect(create=create) if idle is None else idle
            try:
                if idle is None:
                    self._prepare(connection, create=create)
                is_begun = True
                self.begin(connection, to_write=to_write)
                yield connection
                connection.driver.commit()
            except BaseException:
                self.give_up(connection)
                raise
        except self.errors as error:
            self.close()  # a server that went away has cut the other connections too
            raise self.translate(error, run=run, to_write=to_write and is_begun) from error
        with self._lock:
            self._idle.append(connection)

    def _prepare(self, connection: Connection, *, create: bool) -> None:
        """Make sure that there is a store of this schema; it is made first if there is none and `create` is True."""
        if not self.set_up(connection, create=create):
            if not create:
                raise NoStoreError(self.absence)
            for statement in TABLES.values():
                connection.execute(statement)
            connection.execute("INSERT INTO tiebreak_store VALUES (?)", [SCHEMA])
        found = [schema for (schema,) in connection.execute("SELECT schema FROM tiebreak_store")]
        if found != [SCHEMA]:
            raise StoreError(
                f"{self.url} has schema {', '.join(map(str, found)) or 'none'}, of another release of tiebreak, and this one "
                f"knows schema {SCHEMA} only. It was left as it is. Read it with that release, or name another store."
            )
        connection.driver.commit()

    def close(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle if self._process == os.getpid() else ():
            connection.driver.close()

    def __del__(self) -> None:
        if suppress is not None:  # at the end of the interpreter even that is gone
            with suppress(Exception):
                self.close()

    def give_up(self, connection: Connection) -> None:
        """Undo what a connection is at, and let go of it."""
        with suppress(*self.errors):
            connection.driver.close()

    # --- different for each kind of database ------------------------------------------------------------------------------

    @abstractmethod
    def connect(self, *, create: bool) -> Connection:
        """Make a connection, and the file if there is none and `create` is True."""

    @abstractmethod
    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Begin a transaction that sees one state, or one that nobody else writes beside."""

    @abstractmethod
    def set_up(self, connection: Connection, *, create: bool) -> bool:
        """Choose how a new connection works, begin its first transaction, and look for the tables.

        False where a store may be made, an error for tables of somebody else.
        """

    def back_up(self, target: str | os.PathLike[str], check: Callable[[Path], list[Damage]]) -> None:
        """Copy the store into a file, where it is in one itself."""
        raise StoreError(
            f"{self.url or 'the store in memory'} is no file. A store in PostgreSQL is copied by the server's own tools: "
            "pg_dump --table='tiebreak_*' ADDRESS > FILE; psql ADDRESS < FILE brings it back."
        )

    def find_damage(self, connection: Connection) -> list[Damage]:
        """Damage that the database's own check finds first, where it has one."""
        return []

    @abstractmethod
    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of the driver into words."""
