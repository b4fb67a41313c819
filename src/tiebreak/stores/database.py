"""Transactions on a store's file: prepared on first use, short, their errors told in words."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tiebreak import __version__
from tiebreak.errors import StoreError
from tiebreak.scores.names import quoted
from tiebreak.stores import sqlite
from tiebreak.stores.faults import NotAStoreError, file_fault, gone_text, no_database_text, no_store_text, translate
from tiebreak.stores.layout import PREFIX, SCHEMA, STORE
from tiebreak.stores.schema import create_tables
from tiebreak.stores.statements import put
from tiebreak.stores.versions import readable_schema, require_current

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

Seen = TypeVar("Seen")

# Closing any handle of a file drops the locks that this process has on it, as POSIX has it. So the handle that made a file is
# closed before another thread can have opened it.
_OPENING = threading.Lock()


class Database:
    """A store's file.

    Parameters
    ----------
    path : str
        As the caller gave it; a later change of the working folder does not matter.
    """

    def __init__(self, path: str) -> None:
        self.shown = path
        self._path = str(Path(path).absolute())
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None
        self._process = os.getpid()
        self._finalizer: weakref.finalize[..., Database] | None = None

    @contextmanager
    def reading(self, run: str = "") -> Iterator[Connection]:
        """A transaction that sees one state of the store.

        Parameters
        ----------
        run : str
            What errors are about.
        """
        with self._transaction(run, to_write=False, create=False) as connection:
            yield connection

    @contextmanager
    def writing(self, run: str = "", *, create: bool = False, to_upgrade: bool = False) -> Iterator[Connection]:
        """A transaction that nobody else writes beside; it is kept as a whole when the block ends without an error.

        It is refused to a store of an earlier schema.

        Parameters
        ----------
        run : str
            What errors are about.
        create : bool
            Whether to make the store if there is none.
        to_upgrade : bool
            Whether an earlier schema is what this is about.
        """
        with self._transaction(run, to_write=True, create=create) as connection:
            if not to_upgrade:
                require_current(connection, self.shown)
            yield connection

    def glance(self, look: Callable[[str], Seen | None]) -> Seen | None:
        """What is seen in the file, by its path, without an engine; None if there is an engine already, which is as quick.

        Parameters
        ----------
        look : callable
            Takes the path; None where the ordinary way has to be gone.
        """
        with _OPENING:
            return look(self._path) if self._engine is None else None

    @property
    def path(self) -> str:
        """Of the file, absolute; "" where the store is no file."""
        return self._path

    def close(self) -> None:
        """Let go of the file."""
        self._engine = self._file = None
        if self._finalizer is not None:
            self._finalizer()

    @contextmanager
    def _transaction(self, run: str, *, to_write: bool, create: bool) -> Iterator[Connection]:
        import sqlite3

        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._ready(create=create).connect() as connection, sqlite.begin_with(connection, to_write=to_write).begin():
                yield connection
        except (SQLAlchemyError, sqlite3.Error, UnicodeError) as error:  # the last where the text of an error is damaged
            raise translate(self.shown, error, run=run, writing=to_write) from error

    def _ready(self, *, create: bool) -> Engine:
        """The engine of a store that is known to be one."""
        if self._process != os.getpid():  # after a fork the connections are the parent's
            self._engine = self._finalizer = None
            self._process = os.getpid()
        engine = self._engine
        if engine is None:
            with _OPENING:
                engine = self._engine or self._open(create=create)
        elif self._file != _identity(self._path):
            self.close()
            raise StoreError(gone_text(self.shown))
        return engine

    def _open(self, *, create: bool) -> Engine:
        if _identity(self._path) is None:
            if not create:
                raise StoreError(no_store_text(self.shown))
            self._create_file()
        if Path(self._path).stat().st_size == 1:  # which SQLite would take for an empty database
            raise NotAStoreError(no_database_text(self.shown))
        engine = sqlite.make_engine(self._path)
        self._finalizer = weakref.finalize(self, _dispose, engine, os.getpid())
        try:
            is_new = self._prepare(engine, create=create)
            sqlite.choose_journal(engine, is_new=is_new)
        except BaseException:
            self.close()
            raise
        self._engine, self._file = engine, _identity(self._path)
        return engine

    def _create_file(self) -> None:
        try:
            sqlite.create_file(self._path)
        except OSError as error:
            raise file_fault(self.shown, error) from error

    def _prepare(self, engine: Engine, *, create: bool) -> bool:
        """Make sure that the file is a store of this version; whether it was made one just now."""
        with engine.connect() as connection, sqlite.begin_with(connection, to_write=False).begin():
            if self._is_store(connection):
                return False
        if not create:
            raise StoreError(no_store_text(self.shown))
        with engine.connect() as connection, sqlite.begin_with(connection, to_write=True).begin():
            if self._is_store(connection):  # another process was faster
                return False
            create_tables(connection)
            now = time.time_ns() // 1000
            put(connection, STORE, [(1, SCHEMA, now, 0, 1, __version__)])
        return True

    def _is_store(self, connection: Connection) -> bool:
        """Whether the tables are there; False for an empty file, an error for those of somebody else or of a later release."""
        from sqlalchemy import inspect

        names = inspect(connection).get_table_names()
        if not names:
            return False
        if PREFIX + STORE.name not in names:
            raise NotAStoreError(
                f"{self.shown} is a SQLite database of something else, with the tables {quoted(names)}; it was left as it is. "
                "Name another file for the store."
            )
        readable_schema(connection, self.shown)
        return True


def _identity(path: str) -> tuple[int, int] | None:
    """What tells the file from another one of its name; None if there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _dispose(engine: Engine, process: int) -> None:
    if process == os.getpid():
        engine.dispose()
