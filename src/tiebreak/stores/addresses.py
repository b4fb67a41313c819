"""Addresses of stores: three forms, and what may be shown of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    from tiebreak.stores.database import Database

FORMS = "Give 'sqlite:///results.db', a path that ends in .db or .sqlite, or 'postgresql://user@host/database'"
"""The three forms of an address, for messages."""


def without_password(address: str) -> str:
    """An address of a store, or what was given instead of one, that may be shown."""
    from tiebreak.stores.postgres import masked

    return masked(address)


def database_of(source: str | os.PathLike[str], patience: float) -> Database:
    """Database that an address or a path means; a lost server is waited for `patience` seconds."""
    text = os.fspath(source)
    if not isinstance(text, str):
        raise InvalidParameterError(f"the path of a store is text, and not bytes. {FORMS}.")
    if text.startswith("postgresql://"):
        from tiebreak.stores.postgres import PostgresDatabase

        return PostgresDatabase(text, patience)
    path = text.removeprefix("sqlite:///")
    is_file = path != text or ("://" not in text and text.lower().endswith((".db", ".sqlite")))
    if not is_file or path in ("", ":memory:") or any(letter in path for letter in "?#\0"):
        raise InvalidParameterError(f"{without_password(text)!r} is no address of a store. {FORMS}; no ? or # in a path.")
    from tiebreak.stores.sqlite import SqliteDatabase

    return SqliteDatabase(path)
