"""From what a caller gives to a store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError
from tiebreak.stores.sqlite_file import SqliteFile
from tiebreak.stores.store import Store
from tiebreak.stores.urls import is_postgres, masked

if TYPE_CHECKING:
    from tiebreak.stores.backend import Backend

_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SUPPORTED = "Give 'sqlite:///results.db', a path that ends in .db, .sqlite or .sqlite3, or 'postgresql://user@host/database'"


def open_store(source: str | os.PathLike[str] | Store) -> Store:
    """The store that is meant by a URL, a path or a store itself.

    Parameters
    ----------
    source : str, path-like or Store
        ``sqlite:///results.db``, a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``, or ``postgresql://user@host/database``.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    """
    if isinstance(source, (str, os.PathLike)):
        from tiebreak.stores.sql import SqlStore

        return SqlStore(source)
    if not (callable(getattr(source, "open", None)) and callable(getattr(source, "read", None))):
        raise InvalidParameterError(f"a store is a URL, a path or a Store, and not {type(source).__name__}. {_SUPPORTED}.")
    return source


def find_backend(source: str | os.PathLike[str]) -> Backend:
    """The database that a URL or a path means. Nothing is opened yet.

    Parameters
    ----------
    source : str or path-like

    Raises
    ------
    InvalidParameterError
        The source is something else.
    MissingDependencyError
        The database needs a driver that is not installed.
    """
    if is_postgres(source):
        from tiebreak.stores.postgres import PostgresDatabase

        return PostgresDatabase(str(source))
    return SqliteFile(_sqlite_path(source))


def _sqlite_path(source: str | os.PathLike[str]) -> str:
    """The path of the file that a URL or a path means."""
    text = os.fspath(source)
    if not isinstance(text, str):
        raise InvalidParameterError(f"the path of a store is text, and not bytes. {_SUPPORTED}.")
    scheme, separator, rest = text.partition("://")
    if not separator:
        if not text.lower().endswith(_SUFFIXES):
            raise InvalidParameterError(f"{text!r} is not known as a store. {_SUPPORTED}.")
        return text
    path = rest.removeprefix("/")
    if scheme != "sqlite" or not rest.startswith("/"):
        raise InvalidParameterError(
            f"{masked(text)!r} is not supported: tiebreak keeps runs in SQLite and PostgreSQL. {_SUPPORTED}."
        )
    if path in ("", ":memory:"):
        raise InvalidParameterError(f"{text!r} names no file. {_SUPPORTED}; without a store, results are kept in memory only.")
    if "?" in path:
        raise InvalidParameterError(f"{text!r} has options after the question mark, and tiebreak takes none. Leave them out.")
    return path
