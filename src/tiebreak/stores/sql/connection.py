"""Connections to a database as everything above its driver uses them; `sqlite` and `postgres` have one each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tiebreak.stores.sql.tables import StoredTable


class Connection(Protocol):
    """A connection of a driver. In its statements a question mark stands for a value.

    The driver is a ``sqlite3.Connection`` or ``psycopg.Connection``, whose transactions begin as its database says.
    """

    is_sqlite: bool
    driver: Any

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with."""

    def fetch_rows(self, table: StoredTable[Any], statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Execute a query for whole rows of a table, and fetch them."""

    def execute_rows(self, table: StoredTable[Any], statement: str, rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each of some rows of a table, or for their keys, and count the rows that changed.

        Refuses rows that could not be read again.
        """
