"""From the schema of an earlier release to today's: verified, backed up, and then all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak import __version__
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.contract import Damage
from tiebreak.stores.sql.backup import back_up
from tiebreak.stores.sql.check import check_database
from tiebreak.stores.sql.database import Database, readable_schema
from tiebreak.stores.sql.plan_mapping import store_row
from tiebreak.stores.sql.statements import put
from tiebreak.stores.sql.tables import SCHEMA, STORE

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


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What became of a store that was to be upgraded.

    Attributes
    ----------
    before, after : int
        The schema; the same where there was nothing to do.
    backup : str
        Where the store from before is; "" where nothing was done.
    damages : tuple of Damage
        What is not as it was written, now as before.
    """

    before: int
    after: int
    backup: str = ""
    damages: tuple[Damage, ...] = ()


def upgrade_database(database: Database, *, even_damaged: bool = False) -> Upgrade:
    """Bring a store to the schema of this release, if it is not there yet.

    Parameters
    ----------
    database : Database
    even_damaged : bool
        Whether to go on where not everything is as it was written; it stays as it is then, and is reported as before.
    """
    with database.reading() as connection:
        schema = readable_schema(connection, database.shown)
    if schema == SCHEMA:
        return Upgrade(schema, schema)
    # Nobody writes from here on, so the backup is what is upgraded; who upgrades it too waits, and finds it done.
    with database.writing(to_upgrade=True) as connection:
        schema = readable_schema(connection, database.shown)
        if schema == SCHEMA:
            return Upgrade(schema, schema)
        backup, damages = _backed_up(database, connection, schema, even_damaged)
        for number in range(schema + 1, SCHEMA + 1):
            MIGRATIONS[number](connection)
        _, _, created, n_runs, next_run, _ = store_row(connection)[: len(STORE.columns) - 1]
        put(connection, STORE, [(1, SCHEMA, created, n_runs, next_run, __version__)])
    return Upgrade(schema, SCHEMA, backup, tuple(damages))


def _backed_up(database: Database, connection: Connection, schema: int, even_damaged: bool) -> tuple[str, list[Damage]]:
    """Make a backup, which is verified as a whole; where the store is no file, verify it only."""
    if connection.dialect.name != "sqlite":
        damages = check_database(database)
        if damages and not even_damaged:
            raise DamagedStoreError(f"{database.shown} was not upgraded: it is damaged. 'tiebreak store check' says where.")
        return "", damages
    ending = _free_ending(database.path, f".schema-{schema}.backup")
    try:
        damages = back_up(database, database.path + ending, even_damaged=even_damaged)
    except (StoreError, DamagedStoreError) as error:
        raise type(error)(f"{database.shown} was not upgraded, as a backup of it comes first. {error}") from error
    return database.shown + ending, damages


def _free_ending(path: str, ending: str) -> str:
    """An ending by which there is no file: an upgrade that was stopped may have left a backup."""
    number, free = 2, ending
    while Path(path + free).exists():
        free = f"{ending}-{number}"
        number += 1
    return free
