"""A SQLite file as a place for a store."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak.errors import TiebreakError
from tiebreak.scores.scores import quoted
from tiebreak.stores.contract import RunSummary
from tiebreak.stores.sql import faults, sqlite
from tiebreak.stores.sql.faults import NoStoreError, NotAStoreError
from tiebreak.stores.sql.glance import glance

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

# Closing any handle of a file drops the locks that this process has on it, as POSIX has it. So the handle that made a file is
# closed before another thread can have opened it.
_OPENING = threading.Lock()


class SqliteFile:
    """A file; `Backend` describes the methods.

    Parameters
    ----------
    path : str
        As the caller gave it; a later change of the working folder does not matter.
    """

    kind = "SQLite"
    whole = "the file"

    def __init__(self, path: str) -> None:
        self.url = f"sqlite:///{path}"
        self.shown = path
        self.opening = _OPENING
        self.path = str(Path(path).absolute())
        self._file: tuple[int, int] | None = None

    def glance(self) -> list[RunSummary] | None:
        """All runs, without SQLAlchemy."""
        return glance(self.path)

    def make_engine(self, *, create: bool) -> Engine:
        """An engine for the file."""
        if _identity(self.path) is None:
            if not create:
                raise NoStoreError(self.no_store_text())
            self._create_file()
        if Path(self.path).stat().st_size == 1:  # which SQLite would take for an empty database
            raise NotAStoreError(faults.no_database_text(self.shown))
        return sqlite.make_engine(self.path)

    def errors(self) -> tuple[type[Exception], ...]:
        """Of SQLAlchemy and SQLite; UnicodeError where the text of an error is damaged."""
        import sqlite3

        from sqlalchemy.exc import SQLAlchemyError

        return SQLAlchemyError, sqlite3.Error, UnicodeError

    def translate(self, error: Exception, *, run: str, writing: bool) -> TiebreakError:
        """In words."""
        return faults.translate(self.shown, error, run=run, writing=writing)

    @contextmanager
    def transaction(self, connection: Connection, *, to_write: bool) -> Iterator[None]:
        """With the lock for writing from its beginning, or without."""
        with sqlite.begin_with(connection, to_write=to_write).begin():
            yield

    def tables(self, connection: Connection) -> Sequence[str]:
        """All tables of the file."""
        from sqlalchemy import inspect

        return inspect(connection).get_table_names()

    def foreign_text(self, names: Sequence[str]) -> str:
        """A file is a store or something else, not both."""
        return (
            f"{self.shown} is a SQLite database of something else, with the tables {quoted(names)}; it was left as it is. "
            "Name another file for the store."
        )

    def settle(self, engine: Engine, *, is_new: bool, to_write: bool) -> None:
        """Choose the journal, and remember which file it is."""
        sqlite.choose_journal(engine, is_new=is_new)
        self._file = _identity(self.path)

    def gone_text(self) -> str:
        """A file that was moved, deleted or replaced."""
        return "" if self._file == _identity(self.path) else faults.gone_text(self.shown)

    def no_store_text(self) -> str:
        """No file, or an empty one."""
        return faults.no_store_text(self.shown)

    def find_damage(self, connection: Connection) -> str:
        """What SQLite's own check of the file finds first."""
        return sqlite.check_file(connection)

    def _create_file(self) -> None:
        try:
            sqlite.create_file(self.path)
        except OSError as error:
            raise faults.file_fault(self.shown, error) from error


def _identity(path: str) -> tuple[int, int] | None:
    """What tells the file from another one of its name; None if there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
