"""Stores of releases that are yet to come."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tiebreak.stores.sql.tables import STORE


def make_later(path: Path, schema: int) -> None:
    """Let a store say, with a hash that fits, that it has another schema."""
    with sqlite3.connect(path) as connection:
        row = connection.execute("SELECT * FROM tiebreak_store").fetchone()
        ((*_, seal),) = STORE.seal([(row[0], schema, *row[2:-1])])
        connection.execute("UPDATE tiebreak_store SET schema_version = ?, hash = ?", (schema, seal))
    connection.close()
