"""The rows of a store of any kind, copied one by one into a SQLite file with their hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.database import Database
from tiebreak.stores.layout import LAYOUTS, OUTPUTS, SCHEMA
from tiebreak.stores.sqlite_file import SqliteFile
from tiebreak.stores.statements import put_sealed, rows_after
from tiebreak.stores.versions import readable_schema

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ROWS = 2_000
_OUTPUTS = 16
"""At a time, as each may take megabytes."""


def copy_rows(source: Connection, shown: str, path: str, target_shown: str) -> None:
    """Copy all rows of a store into a new SQLite file.

    Parameters
    ----------
    source : sqlalchemy.Connection
        In a transaction that sees one state of the store.
    shown : str
        The store, as people are told of it.
    path : str
        Of a file that is empty or not there.
    target_shown : str
        What people are told of it instead.
    """
    schema = readable_schema(source, shown)
    if schema < SCHEMA:
        raise StoreError(
            f"{shown} has schema {schema}, and only a store of schema {SCHEMA} can be copied into a SQLite file. Use a tool of "
            "the database itself, such as pg_dump."
        )
    file = SqliteFile(path)
    file.shown = target_shown
    target = Database(file)
    try:
        with target.writing(create=True) as connection:
            for layout in LAYOUTS:
                size = _OUTPUTS if layout is OUTPUTS else _ROWS
                key = (-(2**63),) * layout.n_keys
                page = rows_after(source, layout, key, size)
                while page:
                    put_sealed(connection, layout, page)
                    if page[-1][: layout.n_keys] <= key:
                        raise DamagedStoreError(f"the rows of {layout.name} in {shown} come in no order; 'tiebreak store check'.")
                    key = page[-1][: layout.n_keys]
                    page = rows_after(source, layout, key, size)
    finally:
        target.close()
