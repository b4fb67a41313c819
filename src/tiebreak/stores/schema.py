"""The tables as SQLAlchemy sees them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from tiebreak.stores.layout import LAYOUTS, PREFIX, RUNS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table


@cache
def tables() -> Mapping[str, Table]:
    """Every table by the name of its layout, in the order in which they are made."""
    from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Table, Text, UniqueConstraint

    metadata = MetaData()
    made = {}
    for layout in LAYOUTS:
        columns: list[Any] = [
            Column(name, BigInteger, primary_key=name in layout.keys, autoincrement=False, nullable=False)
            for name in layout.integers
        ]
        columns += [Column(name, Text) for name in layout.texts]
        columns += [Column(name, LargeBinary) for name in layout.blobs]
        columns.append(Column("hash", BigInteger, nullable=False))
        if layout is RUNS:
            columns.append(UniqueConstraint("name_key"))
        # one tree of pages instead of two, in the order of the key: fewer pages to write, and no index to disagree
        made[layout.name] = Table(PREFIX + layout.name, metadata, *columns, sqlite_with_rowid=False)
    return made


def create_tables(connection: Connection) -> None:
    """Make all tables in the transaction under way."""
    from sqlalchemy.schema import CreateTable

    for table in tables().values():
        connection.execute(CreateTable(table))
