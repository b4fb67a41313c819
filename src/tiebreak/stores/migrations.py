"""The steps from each schema to the next. A step says for itself what it makes: the tables of `layout` are those of today."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _add_leases(connection: Connection) -> None:
    """Schema 2: runs that several processes share."""
    _create(connection, "tiebreak_holders", keys=("run", "id"), integers=("beat",), texts=("place",))
    _create(connection, "tiebreak_leases", keys=("run", "dataset", "split", "model"), integers=("holder",))


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {2: _add_leases}
"""What makes a store of the schema before into one of this schema, in the transaction under way. `STORE` is not its affair."""


def _create(
    connection: Connection, name: str, *, keys: Sequence[str], integers: Sequence[str], texts: Sequence[str] = ()
) -> None:
    """Make a table as schemas 1 and 2 have them; a schema with other types needs a function of its own."""
    from sqlalchemy import BigInteger, Column, MetaData, Table, Text
    from sqlalchemy.schema import CreateTable

    columns = [
        Column(column, BigInteger, primary_key=column in keys, autoincrement=False, nullable=False)
        for column in (*keys, *integers)
    ]
    columns += [Column(column, Text) for column in texts]  # type: ignore[arg-type]
    columns.append(Column("hash", BigInteger, nullable=False))
    connection.execute(CreateTable(Table(name, MetaData(), *columns, sqlite_with_rowid=False)))
