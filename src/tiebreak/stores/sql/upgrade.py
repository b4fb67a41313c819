"""From the schema of an earlier release to today's: verified, backed up, and then all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak import __version__
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql.backup import back_up
from tiebreak.stores.sql.check import check_database
from tiebreak.stores.sql.database import Database, readable_schema
from tiebreak.stores.sql.runs import store_row
from tiebreak.stores.sql.statements import put
from tiebreak.stores.sql.tables import SCHEMA, STORE

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection


def _add_leases(connection: Connection) -> None:
    """Schema 2: runs that several processes share."""
    holders = ["run BIGINT NOT NULL", "id BIGINT NOT NULL", "beat BIGINT NOT NULL", "place TEXT"]
    leases = [f"{name} BIGINT NOT NULL" for name in ("run", "dataset", "split", "model", "holder")]
    _create_table(connection, "tiebreak_holders", holders, "run, id")
    _create_table(connection, "tiebreak_leases", leases, "run, dataset, split, model")


def _create_table(connection: Connection, name: str, columns: Sequence[str], keys: str) -> None:
    listed = ", \n\t".join([*columns, "hash BIGINT NOT NULL", f"PRIMARY KEY ({keys})"])
    ending = "\n WITHOUT ROWID" if connection.is_sqlite else ""
    connection.execute(f"CREATE TABLE {name} (\n\t{listed}\n){ending}\n\n")


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {2: _add_leases}
"""Steps from the schema before to this one, in the transaction under way; they leave the version in `STORE` alone."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Outcome of an upgrade.

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

    With `even_damaged` it goes on where not everything is as it was written; that stays so, and is reported as before.
    """
    with database.transaction() as connection:
        schema = readable_schema(connection, database.shown)
    if schema == SCHEMA:
        return Upgrade(schema, schema)
    # Nobody writes from here on, so the backup is what is upgraded; who upgrades it too waits, and finds it done.
    with database.transaction(to_write=True, to_upgrade=True) as connection:
        schema = readable_schema(connection, database.shown)
        if schema == SCHEMA:
            return Upgrade(schema, schema)
        backup, damages = _backed_up(database, connection, schema, even_damaged)
        for number in range(schema + 1, SCHEMA + 1):
            MIGRATIONS[number](connection)
        put(connection, STORE, [store_row(connection)._replace(schema_version=SCHEMA, written_by=__version__)])
    return Upgrade(schema, SCHEMA, backup, tuple(damages))


def _backed_up(database: Database, connection: Connection, schema: int, even_damaged: bool) -> tuple[str, list[Damage]]:
    """Make a backup, which is verified as a whole; where the store is no file, verify it only."""
    if not connection.is_sqlite:
        damages = check_database(database)
        if damages and not even_damaged:
            raise DamagedStoreError(f"{database.shown} was not upgraded: it is damaged. 'tiebreak store check' says where.")
        return "", damages
    ending = _free_ending(database.path, f".schema-{schema}.backup")
    try:
        damages = back_up(database, database.path + ending, even_damaged=even_damaged)
    except (StoreError, DamagedStoreError) as error:
        raise type(error)(f"{database.shown} was not upgraded, as a backup of it comes first. ", *error.parts) from error
    return database.shown + ending, damages


def _free_ending(path: str, ending: str) -> str:
    """Ending by which there is no file: an upgrade that was stopped may have left a backup."""
    number, free = 2, ending
    while Path(path + free).exists():
        free = f"{ending}-{number}"
        number += 1
    return free
