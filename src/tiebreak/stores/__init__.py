"""Stores: finished cells that survive, in memory or in a database. `open_store` finds the kind of store by its address."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    from tiebreak.stores.contract import Store
    from tiebreak.stores.database import Database

FORMS = "Give 'sqlite:///results.db', a path that ends in .db or .sqlite, or 'postgresql://user@host/database'"
"""The three forms of an address, for messages."""


def open_store(source: str | os.PathLike[str] | Store) -> Store:
    """Open the store that is meant by an address, a path or a store itself. No file is opened yet.

    The address is ``sqlite:///results.db``, a path that ends in ``.db`` or ``.sqlite``, or ``postgresql://user@host/database``.
    Anything else raises `InvalidParameterError`.
    """
    if isinstance(source, (str, os.PathLike)):
        from tiebreak.stores.sql import SqlStore

        return SqlStore(source)
    if not (callable(getattr(source, "open", None)) and callable(getattr(source, "read", None))):
        raise InvalidParameterError(f"a store is a URL, a path or a Store, and not {type(source).__name__}. {FORMS}.")
    return source


def split_address(address: str) -> tuple[str, str]:
    """The store and the name of the run in ``sqlite:///runs.db#name``; "" where no run is named."""
    url, _, name = address.partition("#")
    return url, name


def without_password(address: str) -> str:
    """An address of a store, or what was given instead of one, that may be shown."""
    from tiebreak.stores.postgres import masked

    return masked(address)


def database_of(source: str | os.PathLike[str]) -> Database:
    """Database that an address or a path means."""
    text = os.fspath(source)
    if not isinstance(text, str):
        raise InvalidParameterError(f"the path of a store is text, and not bytes. {FORMS}.")
    if text.startswith("postgresql://"):
        from tiebreak.stores.postgres import PostgresDatabase

        return PostgresDatabase(text)
    path = text.removeprefix("sqlite:///")
    is_file = path != text or ("://" not in text and text.lower().endswith((".db", ".sqlite")))
    if not is_file or path in ("", ":memory:") or any(letter in path for letter in "?#\0"):
        raise InvalidParameterError(f"{without_password(text)!r} is no address of a store. {FORMS}; no ? or # in a path.")
    from tiebreak.stores.sqlite import SqliteDatabase

    return SqliteDatabase(path)
