"""Every statement that a store executes on its rows. SQLite and PostgreSQL read them alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tiebreak.plan.record import Cell
from tiebreak.stores.contract import Note
from tiebreak.stores.sql.tables import CELLS, RUNS, CellRow, Row, StoredTable

if TYPE_CHECKING:
    from tiebreak.stores.sql.database import Connection

# Names of tables and columns are constants of this package; everything else is a value, for which there is a question mark.
# ruff: noqa: S608


def create_table(connection: Connection, name: str, **columns: Any) -> None:
    """Make a table with columns as `table_statement` takes them, and one for the hash."""
    connection.execute(table_statement(name, is_sqlite=connection.is_sqlite, **columns))


def table_statement(
    name: str,
    *,
    integers: Sequence[str],
    texts: Sequence[str] = (),
    blobs: Sequence[str] = (),
    keys: Sequence[str],
    unique: str = "",
    is_sqlite: bool = True,
) -> str:
    """Statement that makes a table of such columns and one for the hash."""
    columns = [f"{column} BIGINT NOT NULL" for column in integers]
    columns += [f"{column} TEXT" for column in texts]
    columns += [f"{column} {'BLOB' if is_sqlite else 'BYTEA'}" for column in blobs]
    columns += ["hash BIGINT NOT NULL", f"PRIMARY KEY ({', '.join(keys)})"]
    columns += [f"UNIQUE ({unique})"] if unique else []
    # one tree of pages instead of two, in the order of the key: fewer pages to write, and no index to disagree
    ending = "\n WITHOUT ROWID" if is_sqlite else ""
    listed = ", \n\t".join(columns)
    return f"CREATE TABLE {name} (\n\t{listed}\n){ending}\n\n"


def columns_of(table: StoredTable[Any]) -> dict[str, Any]:
    """Columns of a table, as `table_statement` takes them."""
    unique = "name_key" if table is RUNS else ""
    return {"integers": table.integers, "texts": table.texts, "blobs": table.blobs, "keys": table.keys, "unique": unique}


# --- rows of any table ----------------------------------------------------------------------------------------------------


def fetch(connection: Connection, table: StoredTable[Row], **equal: int) -> list[Row]:
    """Fetch the rows with these values, in the order of their keys."""
    return _select(connection, table, [f"{name} = ?" for name in equal], list(equal.values()))


def rows_after(connection: Connection, table: StoredTable[Row], key: Sequence[Any], limit: int) -> list[Row]:
    """Fetch the next rows of a table behind the one with this key."""
    return _select(connection, table, [f"({', '.join(table.keys)}) > ({', '.join('?' * len(key))})"], key, limit)


def insert(connection: Connection, table: StoredTable[Row], sealed: Sequence[Row], *, replaces: bool) -> int:
    """Insert rows with their hashes, and count them; those with keys that are there are replaced, or else left as they are."""
    columns, keys, marks = ", ".join(table.columns), ", ".join(table.keys), ", ".join("?" * len(table.columns))
    others = ", ".join(f"{name} = excluded.{name}" for name in table.columns if name not in table.keys)
    known = f"UPDATE SET {others}" if replaces else "NOTHING"
    connection.expect(table, sealed)
    return connection.execute_rows(
        f"INSERT INTO {table.in_database} ({columns}) VALUES ({marks}) ON CONFLICT ({keys}) DO {known}", sealed
    )


def put(connection: Connection, table: StoredTable[Row], rows: Sequence[Row]) -> None:
    """Seal the rows and write them, in the place of those with the same keys."""
    insert(connection, table, table.seal(rows), replaces=True)


def delete(connection: Connection, table: StoredTable[Row], *keys: Sequence[int]) -> None:
    """Delete the rows whose keys are, or begin with, one of these of the same length."""
    equal = " AND ".join(f"{name} = ?" for name in table.keys[: len(keys[0])]) if keys else ""
    connection.execute_rows(f"DELETE FROM {table.in_database} WHERE {equal}", keys)


def _select(
    connection: Connection, table: StoredTable[Row], conditions: Sequence[str], values: Sequence[Any], limit: int | None = None
) -> list[Row]:
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    at_most = "" if limit is None else f" LIMIT {limit:d}"
    found = connection.fetch_rows(
        table,
        f"SELECT {', '.join(table.columns)} FROM {table.in_database}{where} ORDER BY {', '.join(table.keys)}{at_most}",
        values,
    )
    return list(map(cast("Any", table.row)._make, found))


# --- cells ----------------------------------------------------------------------------------------------------------------

_CELL = "(dataset, split, model)"
_RANGE = f"run = ? AND {_CELL} >= (?, ?, ?) AND {_CELL} <= (?, ?, ?)"


def cells_after(connection: Connection, run: int, cell: Sequence[int], limit: int, noting: Note | None = None) -> list[CellRow]:
    """Fetch the next cells of a run behind one, which is given by dataset, split and model.

    With `noting`, those alone that have, or seem to have, such a note: its name may stand in another text.
    """
    conditions, values = ["run = ?", f"{_CELL} > (?, ?, ?)"], [run, *cell]
    if noting is not None:
        return _select(connection, CELLS, [*conditions, "facts LIKE ?"], [*values, f'%"{noting}"%'], limit)
    return _select(connection, CELLS, conditions, values, limit)


def cells_between(connection: Connection, table: StoredTable[Row], run: int, first: Cell, last: Cell) -> list[Row]:
    """Fetch the cells of a run, or their outputs, from one cell to another."""
    return _select(connection, table, [_RANGE], [run, *first, *last])


def delete_cells(connection: Connection, table: StoredTable[Row], run: int, first: Cell, last: Cell) -> None:
    """Delete the cells of a run, or their outputs, from one cell to another."""
    connection.execute(f"DELETE FROM {table.in_database} WHERE {_RANGE}", [run, *first, *last])
