"""Backups and upgrades of a store in PostgreSQL."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from tests.contracts.plans import a_plan, an_outcome
from tests.stores.rows import put_lease, put_rows
from tests.stores.saved import make_store as written
from tests.stores.sql.test_postgres import schema_of
from tiebreak import __version__
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores.sql.postgres import PostgresDatabase
from tiebreak.stores.sql.statements import fetch
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA, STORE
from tiebreak.stores.sql.upgrade import Upgrade


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    """With everything in it that there can be, in one run."""
    store = SqlStore(postgres_url)
    store.open(written.PLAN).write(written.OUTCOMES)
    store.open(written.ODD_PLAN)
    put_lease(PostgresDatabase(postgres_url, patience=0), 1, (0, 1, 0))
    yield store
    store.close()


def make_earlier(url: str) -> None:
    """What a release with schema 1 would have left."""
    postgres.execute(url, "DROP TABLE tiebreak_holders, tiebreak_leases")
    database = PostgresDatabase(url, patience=0)
    [row] = database.read(lambda connection: fetch(connection, STORE))
    put_rows(database, STORE, [row._replace(schema_version=1)])


def test_a_backup_is_a_file(store: SqlStore, tmp_path: Path) -> None:
    """A SQLite store with the same in it, which can be read and gone on with anywhere."""
    assert store.backup(tmp_path / "copy.db") == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["copy.db"]
    copy = SqlStore(tmp_path / "copy.db")
    assert copy.check() == []
    assert written.contents(copy) == written.contents(store)
    copy.open(written.PLAN).write([an_outcome((1, 0, 0), outputs={})])
    copy.close()


def test_a_damaged_store(store: SqlStore, postgres_url: str, tmp_path: Path) -> None:
    """Is not copied, unless that is wanted."""
    postgres.execute(postgres_url, "UPDATE tiebreak_cells SET state = 3 WHERE state = 1")
    with pytest.raises(DamagedStoreError, match="is damaged, so no backup was made that would pass for a whole one"):
        store.backup(tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []
    assert store.backup(tmp_path / "copy.db", even_damaged=True) == store.check() != []


def test_an_earlier_schema(store: SqlStore, postgres_url: str, postgres_database: str, tmp_path: Path) -> None:
    """Is read as it is and not written to; the upgrade leads to the tables of a new store."""
    make_earlier(postgres_url)
    contents = written.contents(store)
    assert store.check() == []
    with pytest.raises(StoreError) as error:
        store.open(a_plan())
    assert str(error.value) == (
        f"{store.url} has schema 1, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be read as "
        "it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
        f"tiebreak store upgrade {shlex.quote(store.url)}"
    )
    with pytest.raises(StoreError, match="Use a tool of the database itself, such as pg_dump"):
        store.backup(tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []
    assert store.upgrade() == Upgrade(1, SCHEMA)
    assert store.upgrade() == Upgrade(SCHEMA, SCHEMA)
    assert store.check() == []
    assert written.contents(store) == contents
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    with postgres.fresh_schema(postgres_database) as other:
        new = SqlStore(other)
        new.open(a_plan())
        new.close()
        upgraded, made = (re.sub(r"tiebreak_test_\w*", "schema", str(schema_of(url))) for url in (postgres_url, other))
    assert upgraded == made


def test_a_damaged_store_is_not_upgraded(store: SqlStore, postgres_url: str) -> None:
    """Unless that is wanted; what is damaged stays so."""
    make_earlier(postgres_url)
    postgres.execute(postgres_url, "UPDATE tiebreak_cells SET state = 3 WHERE state = 1")
    damages = store.check()
    with pytest.raises(DamagedStoreError) as error:
        store.upgrade()
    assert str(error.value) == f"{store.url} was not upgraded: it is damaged. 'tiebreak store check' says where."
    assert store.upgrade(even_damaged=True) == Upgrade(1, SCHEMA, "", tuple(damages))
    assert store.check() == damages
