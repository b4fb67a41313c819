"""The runs of a SQLite file by Python's own sqlite3: SQLAlchemy takes longer to load than the list takes to read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from tiebreak.errors import TiebreakError
from tiebreak.stores.contract import RunSummary
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.runs import list_runs
from tiebreak.stores.sql.tables import PREFIX, SCHEMA, STORE, Layout, Row

if TYPE_CHECKING:
    import sqlite3

_BUSY_SECONDS = 1.0  # the ordinary path waits for as long as it should


def glance(path: str) -> list[RunSummary] | None:
    """All runs, the last one updated first; None where anything is not as it should be, which the ordinary path tells in words.

    Parameters
    ----------
    path : str
        Absolute.
    """
    import sqlite3

    try:
        with closing(sqlite.connect(path, min(_BUSY_SECONDS, sqlite.BUSY_SECONDS))) as connection:
            connection.execute("BEGIN")
            if not (_is_known(connection) and sqlite.has_safe_journal(connection)):
                return None
            return list_runs(lambda layout: _rows(connection, layout))
    except (sqlite3.Error, UnicodeError, TiebreakError):
        return None


def _is_known(connection: sqlite3.Connection) -> bool:
    """Whether this is a store of a schema that this release reads."""
    versions = connection.execute(f"SELECT schema_version FROM {PREFIX}{STORE.name}").fetchall()  # noqa: S608
    return len(versions) == 1 and isinstance(versions[0][0], int) and 1 <= versions[0][0] <= SCHEMA


def _rows(connection: sqlite3.Connection, layout: Layout) -> Sequence[Row]:
    columns, keys = ", ".join(layout.columns), ", ".join(layout.keys)  # constants of this package, all of them
    return connection.execute(f"SELECT {columns} FROM {PREFIX}{layout.name} ORDER BY {keys}").fetchall()  # noqa: S608
