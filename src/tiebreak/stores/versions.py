"""Which schema a store has, and what a release does with those of others: later ones are left alone, earlier ones only read."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tiebreak import __version__
from tiebreak.errors import StoreError
from tiebreak.scores.names import quoted
from tiebreak.stores.faults import LaterStoreError
from tiebreak.stores.layout import SCHEMA, STORE
from tiebreak.stores.statements import fetch
from tiebreak.stores.store import Damage
from tiebreak.stores.wording import MISMATCH, refuse

if TYPE_CHECKING:
    from sqlalchemy import Connection


def readable_schema(connection: Connection, shown: str) -> int:
    """The schema of a store, of which this release can read all that it has.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    shown : str
        The store, as people are told of it.

    Raises
    ------
    DamagedStoreError
        There is no telling which schema it is.
    LaterStoreError
    """
    found = fetch(connection, STORE)
    versions = [row[1] for row in found]
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        refuse(Damage("", "the version of the schema", f"it is {quoted([str(version) for version in versions])}"))
    if versions[0] > SCHEMA:
        if STORE.damaged(found):
            refuse(Damage("", "the description of the store", MISMATCH))
        raise LaterStoreError(
            f"{shown} was made by a later release of tiebreak: its schema is {versions[0]}, and tiebreak {__version__} "
            f"knows schema {SCHEMA} at most. It was left as it is. Upgrade with: pip install --upgrade tiebreak"
        )
    return int(versions[0])


def require_current(connection: Connection, shown: str) -> None:
    """Refuse to write to a store of an earlier schema. It may have been upgraded by others since it was opened, or not yet."""
    schema = readable_schema(connection, shown)
    if schema < SCHEMA:
        url = shown if "://" in shown else f"sqlite:///{shown}"
        raise StoreError(
            f"{shown} has schema {schema}, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be "
            "read as it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
            f"tiebreak store upgrade {shlex.quote(url)}"
        )
