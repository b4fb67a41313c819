"""Transactions on a store: prepared on first use, short, their errors told in words, done again where a server was lost."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from tiebreak import __version__
from tiebreak.errors import StoreError
from tiebreak.stores.faults import LostStoreError, NoStoreError, NotAStoreError
from tiebreak.stores.layout import PREFIX, SCHEMA, STORE
from tiebreak.stores.patience import Patience
from tiebreak.stores.schema import create_tables
from tiebreak.stores.statements import put
from tiebreak.stores.store import RunSummary
from tiebreak.stores.versions import readable_schema, require_current

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from tiebreak.stores.backend import Backend

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
