"""Transactions on a store: prepared on first use, short, their errors told in words, done again where a server was lost."""

from __future__ import annotations

import os
import shlex
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from tiebreak import __version__
from tiebreak.errors import StoreError, TiebreakError
from tiebreak.scores.scores import quoted
from tiebreak.stores.contract import MISMATCH, Damage, RunSummary, refuse
from tiebreak.stores.sql.faults import LaterStoreError, LostStoreError, NoStoreError, NotAStoreError, Patience
from tiebreak.stores.sql.statements import fetch, put
from tiebreak.stores.sql.tables import PREFIX, SCHEMA, STORE, create_tables

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class Backend(Protocol):
    """One database, of whichever kind: how it is opened, how its transactions begin, and what its errors mean."""

    @property
    def kind(self) -> str:
        """What it is called: "SQLite"."""

    @property
    def whole(self) -> str:
        """What holds all of the store: "the file"."""

    @property
    def url(self) -> str:
        """Where it is, without passwords."""

    @property
    def shown(self) -> str:
        """How people are told of it, without passwords."""

    @property
    def path(self) -> str:
        """Of the file, absolute; "" where there is none."""

    @property
    def opening(self) -> threading.Lock:
        """Held while an engine is made."""

    def glance(self) -> list[RunSummary] | None:
        """All runs, found without an engine; None where there is no such way, or where the ordinary way has to be gone."""

    def make_engine(self, *, create: bool) -> Engine:
        """An engine of its own for this process.

        Parameters
        ----------
        create : bool
            Whether to make the file, or what else holds the tables, if there is none.
        """

    def errors(self) -> tuple[type[Exception], ...]:
        """What `translate` is there for."""

    def translate(self, error: Exception, *, run: str, writing: bool) -> TiebreakError:
        """The error that the caller is told instead; a `LostStoreError` where trying again may help.

        Parameters
        ----------
        error : Exception
            One of `errors`.
        run : str
            What the transaction was about; "" for the whole store.
        writing : bool
        """

    def transaction(self, connection: Connection, *, to_write: bool) -> AbstractContextManager[None]:
        """A transaction that sees one state, or one that nobody else writes beside; kept when the block ends well."""

    def tables(self, connection: Connection) -> Sequence[str]:
        """The tables that are there, as far as they matter: none where a store may be made."""

    def foreign_text(self, names: Sequence[str]) -> str:
        """For tables that are somebody else's."""

    def settle(self, engine: Engine, *, is_new: bool, to_write: bool) -> None:
        """See to it that what is written lasts; called once the store is known to be one.

        Parameters
        ----------
        engine : sqlalchemy.Engine
        is_new : bool
            Whether this process made the tables.
        to_write : bool
            Whether runs are going to be kept.
        """

    def gone_text(self) -> str:
        """What is said where that which was opened is no longer there; "" while it is."""

    def no_store_text(self) -> str:
        """For a store that is to be read and is not there."""

    def find_damage(self, connection: Connection) -> str:
        """What the database's own check finds first; "" if it finds nothing."""


def readable_schema(connection: Connection, shown: str) -> int:
    """The schema of a store, of which this release can read all that it has.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    shown : str
        The store, as people are told of it.

    Raises
    ------
    DamagedStoreError
        There is no telling which schema it is.
    LaterStoreError
    """
    found = fetch(connection, STORE)
    versions = [row[1] for row in found]
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        refuse(Damage("", "the version of the schema", f"it is {quoted([str(version) for version in versions])}"))
    if versions[0] > SCHEMA:
        if STORE.damaged(found):
            refuse(Damage("", "the description of the store", MISMATCH))
        raise LaterStoreError(
            f"{shown} was made by a later release of tiebreak: its schema is {versions[0]}, and tiebreak {__version__} "
            f"knows schema {SCHEMA} at most. It was left as it is. Upgrade with: pip install --upgrade tiebreak"
        )
    return int(versions[0])


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


Result = TypeVar("Result")


class Database:
    """A store's database.

    Parameters
    ----------
    backend : Backend
    patience : float
        For how many seconds a lost server is waited for.
    """

    def __init__(self, backend: Backend, patience: float = 0.0) -> None:
        self._backend = backend
        self._patience = Patience(patience)
        self._engine: Engine | None = None
        self._process = os.getpid()
        self._finalizer: weakref.finalize[..., Database] | None = None

    @property
    def url(self) -> str:
        """Where it is, without passwords."""
        return self._backend.url

    @property
    def shown(self) -> str:
        """How people are told of it, without passwords."""
        return self._backend.shown

    @property
    def kind(self) -> str:
        """What kind of database it is: "SQLite"."""
        return self._backend.kind

    @property
    def path(self) -> str:
        """Of the file, absolute; "" where the store is no file."""
        return self._backend.path

    @property
    def whole(self) -> str:
        """What holds all of the store, as people are told of damage: "the file"."""
        return self._backend.whole

    def read(self, work: Callable[[Connection], Result], run: str = "") -> Result:
        """What some work finds, all of it in one state of the store.

        Parameters
        ----------
        work : callable
            Is begun again from the start where the connection is lost.
        run : str
            What errors are about.
        """

        def attempt() -> Result:
            with self.reading(run) as connection:
                return work(connection)

        return self._patience.run(attempt)

    def write(self, work: Callable[[Connection], Result], run: str = "", *, create: bool = False) -> Result:
        """What some work returns, which nobody else writes beside; kept as a whole when it ends without an error.

        Parameters
        ----------
        work : callable
            Is begun again from the start where the connection is lost. It may have been kept by then, where only the answer was
            lost: so done twice it must come to the same as done once.
        run : str
            What errors are about.
        create : bool
            Whether to make the store if there is none.
        """

        def attempt() -> Result:
            with self.writing(run, create=create) as connection:
                return work(connection)

        return self._patience.run(attempt)

    @contextmanager
    def reading(self, run: str = "") -> Iterator[Connection]:
        """A single attempt at what `read` does; a lost connection is an error."""
        with self._transaction(run, to_write=False, create=False) as connection:
            yield connection

    @contextmanager
    def writing(self, run: str = "", *, create: bool = False, to_upgrade: bool = False) -> Iterator[Connection]:
        """A single attempt at what `write` does; a lost connection is an error.

        A store of an earlier schema is refused, unless that is what this is about (`to_upgrade`).
        """
        with self._transaction(run, to_write=True, create=create) as connection:
            if not to_upgrade:
                require_current(connection, self.shown)
            yield connection

    def glance(self) -> list[RunSummary] | None:
        """All runs, found without an engine; None if there is one already, which is as quick, or if there is no such way."""
        with self._backend.opening:
            return self._backend.glance() if self._engine is None else None

    def find_damage(self) -> str:
        """What the database's own check finds first; "" if it finds nothing."""
        return self.read(self._backend.find_damage)

    def close(self) -> None:
        """Let go of files and connections."""
        self._engine = None
        if self._finalizer is not None:
            self._finalizer()

    @contextmanager
    def _transaction(self, run: str, *, to_write: bool, create: bool) -> Iterator[Connection]:
        try:
            with self._ready(create=create).connect() as connection, self._backend.transaction(connection, to_write=to_write):
                yield connection
        except self._backend.errors() as error:
            translated = self._backend.translate(error, run=run, writing=to_write)
            if isinstance(translated, LostStoreError) and self._engine is not None:
                self._engine.dispose()  # the other connections, which nobody uses now, are lost as well
            raise translated from error

    def _ready(self, *, create: bool) -> Engine:
        """The engine of a store that is known to be one."""
        if self._process != os.getpid():  # after a fork the connections are the parent's
            self._engine = self._finalizer = None
            self._process = os.getpid()
        engine = self._engine
        if engine is None:
            with self._backend.opening:
                engine = self._engine or self._open(create=create)
        elif gone := self._backend.gone_text():
            self.close()
            raise StoreError(gone)
        return engine

    def _open(self, *, create: bool) -> Engine:
        engine = self._backend.make_engine(create=create)
        self._finalizer = weakref.finalize(self, _dispose, engine, os.getpid())
        try:
            is_new = self._prepare(engine, create=create)
            self._backend.settle(engine, is_new=is_new, to_write=create)
        except BaseException:
            self.close()
            raise
        self._engine = engine
        return engine

    def _prepare(self, engine: Engine, *, create: bool) -> bool:
        """Make sure that it is a store of this version; whether it was made one just now."""
        with engine.connect() as connection, self._backend.transaction(connection, to_write=False):
            if self._is_store(connection):
                return False
        if not create:
            raise NoStoreError(self._backend.no_store_text())
        with engine.connect() as connection, self._backend.transaction(connection, to_write=True):
            if self._is_store(connection):  # another process was faster
                return False
            create_tables(connection)
            now = time.time_ns() // 1000
            put(connection, STORE, [(1, SCHEMA, now, 0, 1, __version__)])
        return True

    def _is_store(self, connection: Connection) -> bool:
        """Whether the tables are there; False for an empty file, an error for those of somebody else or of a later release."""
        names = self._backend.tables(connection)
        if not names:
            return False
        if PREFIX + STORE.name not in names:
            raise NotAStoreError(self._backend.foreign_text(names))
        readable_schema(connection, self.shown)
        return True


def _dispose(engine: Engine, process: int) -> None:
    if process == os.getpid():
        engine.dispose()
