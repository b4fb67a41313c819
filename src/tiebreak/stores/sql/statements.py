"""Every statement that a store executes on its rows. SQLite and PostgreSQL read them alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tiebreak.plan.record import Cell
from tiebreak.stores.sql.tables import CELLS, RUNS, CellRow, Row, StoredTable

if TYPE_CHECKING:
    from tiebreak.stores.contract import Note
    from tiebreak.stores.sql.connection import Connection

# Names of tables and columns are constants of this package; everything else is a value, for which there is a question mark.
# ruff: noqa: S608


def table_statement(table: StoredTable[Any], *, is_sqlite: bool = True) -> str:
    """Statement that makes a table."""
    columns = [f"{column} BIGINT NOT NULL" for column in table.integers]
    columns += [f"{column} TEXT" for column in table.texts]
    columns += [f"{column} {'BLOB' if is_sqlite else 'BYTEA'}" for column in table.blobs]
    columns += ["hash BIGINT NOT NULL", f"PRIMARY KEY ({', '.join(table.keys)})"]
    columns += ["UNIQUE (name_key)"] if table is RUNS else []
    # one tree of pages instead of two, in the order of the key: fewer pages to write, and no index to disagree
    ending = "\n WITHOUT ROWID" if is_sqlite else ""
    listed = ", \n\t".join(columns)
    return f"CREATE TABLE {table.in_database} (\n\t{listed}\n){ending}\n\n"


# --- rows of any table ----------------------------------------------------------------------------------------------------


def fetch(
    connection: Connection,
    table: StoredTable[Row],
    condition: str = "",
    values: Sequence[Any] = (),
    *,
    limit: int | None = None,
    **equal: int,
) -> list[Row]:
    """Fetch the rows with these values, in the order of their keys; with a limit, the first of them.

    A further condition on them is in SQL, with question marks for `values`.
    """
    conditions = [f"{name} = ?" for name in equal] + ([condition] if condition else [])
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    at_most = "" if limit is None else f" LIMIT {limit:d}"
    found = connection.fetch_rows(
        table,
        f"SELECT {', '.join(table.columns)} FROM {table.in_database}{where} ORDER BY {', '.join(table.keys)}{at_most}",
        [*equal.values(), *values],
    )
    return list(map(cast("Any", table.row)._make, found))


def rows_after(connection: Connection, table: StoredTable[Row], key: Sequence[Any], limit: int) -> list[Row]:
    """Fetch the next rows of a table behind the one with this key."""
    return fetch(connection, table, f"({', '.join(table.keys)}) > ({', '.join('?' * len(key))})", key, limit=limit)


def insert(connection: Connection, table: StoredTable[Row], sealed: Sequence[Row], *, replaces: bool) -> int:
    """Insert rows with their hashes, and count them; those with keys that are there are replaced, or else left as they are."""
    if not sealed:
        return 0
    columns, keys, marks = ", ".join(table.columns), ", ".join(table.keys), ", ".join("?" * len(table.columns))
    others = ", ".join(f"{name} = excluded.{name}" for name in table.columns if name not in table.keys)
    known = f"UPDATE SET {others}" if replaces else "NOTHING"
    return connection.execute_rows(
        table, f"INSERT INTO {table.in_database} ({columns}) VALUES ({marks}) ON CONFLICT ({keys}) DO {known}", sealed
    )


def put(connection: Connection, table: StoredTable[Row], rows: Sequence[Row]) -> None:
    """Seal the rows and write them, in the place of those with the same keys."""
    insert(connection, table, table.seal(rows), replaces=True)


def delete(connection: Connection, table: StoredTable[Row], *keys: Sequence[int]) -> None:
    """Delete the rows whose keys are, or begin with, one of these of the same length."""
    if keys:
        equal = " AND ".join(f"{name} = ?" for name in table.keys[: len(keys[0])])
        connection.execute_rows(table, f"DELETE FROM {table.in_database} WHERE {equal}", keys)


# --- cells ----------------------------------------------------------------------------------------------------------------

_AFTER = "(dataset, split, model) > (?, ?, ?)"
_BETWEEN = "(dataset, split, model) >= (?, ?, ?) AND (dataset, split, model) <= (?, ?, ?)"


def cells_after(connection: Connection, run: int, cell: Sequence[int], limit: int, noting: Note | None = None) -> list[CellRow]:
    """Fetch the next cells of a run behind one, which is given by dataset, split and model.

    With `noting`, those alone that have, or seem to have, such a note: its name may stand in another text.
    """
    if noting is None:
        return fetch(connection, CELLS, _AFTER, cell, limit=limit, run=run)
    return fetch(connection, CELLS, f"{_AFTER} AND facts LIKE ?", [*cell, f'%"{noting}"%'], limit=limit, run=run)


def cells_between(connection: Connection, table: StoredTable[Row], run: int, first: Cell, last: Cell) -> list[Row]:
    """Fetch the cells of a run, or their outputs, from one cell to another."""
    return fetch(connection, table, _BETWEEN, [*first, *last], run=run)


def delete_cells(connection: Connection, table: StoredTable[Row], run: int, first: Cell, last: Cell) -> None:
    """Delete the cells of a run, or their outputs, from one cell to another."""
    connection.execute(f"DELETE FROM {table.in_database} WHERE run = ? AND {_BETWEEN}", [run, *first, *last])
