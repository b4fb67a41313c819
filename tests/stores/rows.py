"""Rows of a store as they are kept, put in and read out behind the back of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.sqlite import SqliteDatabase
from tiebreak.stores.sql.statements import fetch, put
from tiebreak.stores.sql.tables import HOLDERS, LEASES, STORE, HolderRow, LeaseRow, Row, StoredTable


def put_rows(database: Database, table: StoredTable[Row], rows: Sequence[Row]) -> None:
    """Write rows with the hashes that they should have."""
    try:
        database.write(lambda connection: put(connection, table, rows))
    finally:
        database.close()


def put_lease(database: Database, run: int, *cells: tuple[int, int, int]) -> None:
    """Let a holder on another machine take on cells of a run."""
    holder = 2**62 + run
    put_rows(database, HOLDERS, [HolderRow(run, holder, 7, '["host", 1234, 1.5]')])
    put_rows(database, LEASES, [LeaseRow(run, *cell, holder) for cell in cells])


def rows_in(path: Path, table: StoredTable[Row]) -> list[Row]:
    """All rows of a table in a file."""
    database = SqliteDatabase(str(path))
    try:
        return database.read(lambda connection: fetch(connection, table))
    finally:
        database.close()


def execute(path: Path, statement: str) -> int:
    """Execute a statement on a file as anybody could, and count the rows that changed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).rowcount


def schema_of(path: Path) -> list[Any]:
    """All tables of a file, with the statements that made them."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()


def make_later(path: Path, schema: int) -> None:
    """Let a store say, with a hash that fits, that it has another schema."""
    [store] = rows_in(path, STORE)
    [sealed] = STORE.seal([store._replace(schema_version=schema)])
    assert execute(path, f"UPDATE tiebreak_store SET schema_version = {schema}, hash = {sealed.hash}") == 1
