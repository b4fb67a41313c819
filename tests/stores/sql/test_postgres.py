"""The store in a PostgreSQL database."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.plans import a_plan, all_cells, an_outcome, comparable
from tests.contracts.sql_store_contract import SqlStoreContract
from tests.postgres import Server, execute, fresh_schema, with_options
from tiebreak.errors import DamagedStoreError, InvalidParameterError, StoreError, UnsafeServerWarning
from tiebreak.plan.record import Cell
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql import postgres
from tiebreak.stores.sql.connection import Connection
from tiebreak.stores.sql.database import NoStoreError, NotAStoreError
from tiebreak.stores.sql.postgres import PostgresDatabase, masked, option_names
from tiebreak.stores.sql.postgres import postgres_url as library_url
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import TABLES


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    """In an empty schema."""
    store = SqlStore(postgres_url, patience=5)
    yield store
    store.close()


class TestPostgresStore(SqlStoreContract):
    """As every store in a database."""

    @pytest.fixture
    def source(self, postgres_url: str) -> str:
        """Of an empty schema."""
        return postgres_url

    def tables_in(self, source: str) -> list[tuple[Any, ...]]:
        """All tables with their columns."""
        return schema_of(source)


def schema_of(url: str) -> list[tuple[Any, ...]]:
    """All columns of all tables, and what is unique."""
    return execute(
        url,
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_schema = current_schema() "
        "UNION ALL SELECT tablename, indexdef, '', '' FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2",
    )


@pytest.fixture
def database(postgres_url: str) -> Iterator[PostgresDatabase]:
    """The same schema without the store."""
    database = PostgresDatabase(postgres_url, patience=5)
    yield database
    database.close()


# --- the tables -----------------------------------------------------------------------------------------------------------


def test_tables_are_made_in_the_current_schema(store: SqlStore, postgres_url: str) -> None:
    """One for each layout, when a run is begun; numbers as bigint, texts as text, blobs as bytea, keys as primary keys."""
    for use in (store.runs, lambda: store.read("moons"), lambda: store.delete("moons"), store.check):
        with pytest.raises(NoStoreError) as error:
            use()
        assert str(error.value) == (
            f"there is no store in {store.url}. Check the address; tiebreak makes its tables there when something is evaluated "
            "into it."
        )
    assert schema_of(postgres_url) == []
    store.open(a_plan())
    columns = {(row[0], row[1]): row[2:] for row in schema_of(postgres_url) if row[2]}
    expected = {}
    for table in TABLES:
        for name in table.columns:
            kind = "text" if name in table.texts else "bytea" if name in table.blobs else "bigint"
            expected[table.in_database, name] = (kind, "NO" if kind == "bigint" else "YES")
    assert columns == expected
    indexes = [row[1] for row in schema_of(postgres_url) if not row[2]]
    assert len([text for text in indexes if "UNIQUE" in text]) == len(TABLES) + 1  # the keys, and the names of runs


def test_other_tables_are_left_alone(store: SqlStore, postgres_url: str) -> None:
    """A database is shared with others, as a file is not: their tables are no reason not to make a store."""
    execute(postgres_url, "CREATE TABLE people (name text)", "CREATE TABLE tiebreak_notes (note text)")
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    assert store.check() == []
    assert {row[0] for row in schema_of(postgres_url)} - {table.in_database for table in TABLES} == {
        "people",
        "tiebreak_notes",
    }


def test_tables_of_our_names_that_are_no_store(store: SqlStore, postgres_url: str) -> None:
    """They are named, and left as they are."""
    execute(postgres_url, "CREATE TABLE tiebreak_runs (name text)", "CREATE VIEW tiebreak_cells AS SELECT 1 AS one")
    before = schema_of(postgres_url)
    for use in (store.runs, lambda: store.open(a_plan())):
        with pytest.raises(NotAStoreError) as error:
            use()
        assert "has tables of something else that are called 'tiebreak_" in str(error.value)
        assert str(error.value).endswith(
            "they were left as they are. Name another database for the store, or another schema: ?options=-csearch_path%3DSCHEMA"
        )
    assert schema_of(postgres_url) == before


def test_a_table_of_our_name_with_other_columns(store: SqlStore, postgres_url: str) -> None:
    """It is not what a store has."""
    execute(postgres_url, "CREATE TABLE tiebreak_store (name text)")
    with pytest.raises(DamagedStoreError, match="is not as it was written: PostgreSQL says 'column"):
        store.runs()


def test_a_store_of_a_later_release(store: SqlStore, postgres_url: str) -> None:
    """Refused in the words that a file is refused in, and left as it is."""
    store.open(a_plan())
    store.close()
    execute(postgres_url, "UPDATE tiebreak_store SET schema_version = 77")
    with pytest.raises(DamagedStoreError):
        store.runs()


def test_a_store_that_is_visible_in_another_schema(store: SqlStore, postgres_url: str, postgres_database: str) -> None:
    """Whoever sees the tables uses them, whichever schema of the search path is first."""
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    schema = execute(postgres_url, "SELECT current_schema()")[0][0]
    with fresh_schema(postgres_database) as empty:
        first = execute(empty, "SELECT current_schema()")[0][0]
        other = SqlStore(with_options(postgres_database, search_path=f"{first},{schema}"))
        assert [run.n_done for run in other.runs()] == [1]
        other.open(a_plan()).write([an_outcome((0, 0, 1))])
        other.close()
        assert schema_of(empty) == []
    assert [run.n_done for run in store.runs()] == [2]


def test_numbers_are_stored_in_the_open(store: SqlStore, postgres_url: str) -> None:
    """The same bytes as in a SQLite file: float64 in the order of the metrics, .npy, JSON."""
    store.open(a_plan()).write([an_outcome((0, 0, 1), scores={"accuracy": 0.75}, warnings=("a",))])
    ((numbers, facts),) = execute(postgres_url, "SELECT numbers, facts FROM tiebreak_cells")
    np.testing.assert_array_equal(np.frombuffer(numbers[:32], "<f8"), [1.1, 1e-3, 0.75, np.nan])
    assert numbers[32:] == b"\1\0"
    assert facts == '{"seed": 1099511627776, "outputs": [1, 288], "warnings": ["a"]}'


# --- transactions ---------------------------------------------------------------------------------------------------------


def test_readers_see_one_state_and_write_nothing(store: SqlStore, database: PostgresDatabase) -> None:
    """What others keep meanwhile is not seen until the next transaction."""
    log = store.open(a_plan())

    with database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM tiebreak_cells") == [(0,)]
        log.write([an_outcome((0, 0, 0))])
        assert connection.execute("SELECT count(*) FROM tiebreak_cells") == [(0,)]
        assert connection.execute("SHOW transaction_read_only") == [("on",)]
    assert len(log.table().state) == 1


def test_writers_take_turns(store: SqlStore, database: PostgresDatabase, postgres_url: str) -> None:
    """The second begins when the first has ended, and sees what it kept; those of another schema are not waited for."""
    log = store.open(a_plan())
    other = SqlStore(postgres_url)
    other.open(a_plan())
    second = threading.Thread(target=lambda: other.read("moons") and other.open(a_plan()).write([an_outcome((0, 0, 0))]))

    with database.transaction(to_write=True) as connection:
        second.start()
        second.join(0.3)
        assert second.is_alive()
        waiting = connection.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
            "AND objid = to_regclass('tiebreak_store')::oid"
        )
        assert waiting == [(1,)]
    second.join(30)
    assert not second.is_alive()
    assert len(log.table().state) == 1
    other.close()


def test_a_writer_that_waits_too_long(
    store: SqlStore, database: PostgresDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a locked file."""
    log = store.open(a_plan())
    monkeypatch.setattr(postgres, "BUSY_SECONDS", 0.1)
    other = SqlStore(postgres_url)

    with database.transaction(to_write=True):
        with pytest.raises(StoreError) as error:
            other.open(a_plan())
        assert str(error.value) == (
            f"{store.url} is locked: another process has been writing to it for more than 0.1 seconds. What was written before "
            "is kept, and nothing of this call. Wait for that process or stop it; the same command goes on where it stopped."
        )
    log.write([an_outcome((0, 0, 0))])
    other.close()


def test_a_writer_that_stands_still_loses_its_turn(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends its session, so that others need not give up; what it had not kept is not there."""
    store.open(a_plan())
    monkeypatch.setattr(postgres, "IDLE_SECONDS", 0.2)
    still = PostgresDatabase(postgres_url, patience=0)

    def dawdle(connection: Connection) -> None:
        connection.execute("UPDATE tiebreak_store SET n_runs = 7")
        store.open(a_plan("other"))
        connection.execute("SELECT 1")

    with pytest.raises(StoreError, match="idle-in-transaction timeout"):
        still.write(dawdle)
    assert [run.name for run in store.runs()] == ["other", "moons"]
    still.close()


def test_a_connection_cut_amid_several_statements_is_given_up_quietly(
    store: SqlStore, database: PostgresDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    """psycopg leaves it in a state in which it cannot roll back."""
    from psycopg import OperationalError

    log = store.open(a_plan("run"))
    cells = all_cells(log.record)
    attempts = 0

    def work(connection: Connection) -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raw = connection.driver
            raw.pgconn.enter_pipeline_mode()
            raw.pgconn.send_query_params(b"SELECT 1", None)
            raise OperationalError("cannot exit pipeline mode while busy")

    database.write(work)
    assert attempts == 2
    log.write([an_outcome(cells[0])])
    assert [comparable(each) for each in log.outcomes(outputs=True)] == [comparable(an_outcome(cells[0]))]
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_limits_that_somebody_set_are_kept_to(store: SqlStore, database: PostgresDatabase, postgres_url: str) -> None:
    """Of the server, the user, or the address; those that nobody set are ours."""
    ours = ("30s", "5min", "20s")
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    store.open(a_plan())
    given = PostgresDatabase(postgres_url.replace("options=", "options=-cstatement_timeout%3D7s%20"), patience=0)
    for each, limits in ((database, ours), (given, ("30s", "7s", "20s"))):
        shown = each.read(lambda connection: [connection.execute(f"SHOW {name}") for name in names])
        assert shown == [[(limit,)] for limit in limits]
    given.close()


def test_many_make_the_tables_at_once(postgres_url: str) -> None:
    """They wait for the first one; TIEBREAK_OPENINGS is for files, where it is more of a feat."""
    gate, errors = threading.Barrier(8), []

    def begin(i: int) -> None:
        store = SqlStore(postgres_url)
        try:
            gate.wait()
            store.open(a_plan(f"run {i % 4}")).write([an_outcome((0, 0, 0))])
        except Exception as error:
            errors.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=begin, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    store = SqlStore(postgres_url)
    assert sorted(run.name for run in store.runs()) == [f"run {i}" for i in range(4)]
    assert store.check() == []
    store.close()


# --- connections ----------------------------------------------------------------------------------------------------------


def test_a_server_that_is_set_to_be_fast(postgres_server: Server) -> None:
    """Whoever begins a run there is warned once; whoever only reads is not."""
    with fresh_schema(postgres_server.url) as url:
        SqlStore(url).open(a_plan())
        execute(url, "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET full_page_writes = off", "SELECT pg_reload_conf()")
        try:
            while execute(url, "SHOW full_page_writes") != [("off",)]:
                pass
            store = SqlStore(url)
            with pytest.warns(UnsafeServerWarning) as caught:
                store.open(a_plan())
            assert [str(each.message) for each in caught] == [
                (
                    f"{store.url} runs with fsync = off and full_page_writes = off: a crash of the server can lose or damage "
                    "what was kept. Switch that on for results that matter."
                )
            ]
            store.open(a_plan("other"))
            store.close()
            assert len(store.runs()) == 2
            store.close()
        finally:
            execute(postgres_server.url, "ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()")


def test_a_session_that_does_not_wait_for_the_disk(postgres_url: str) -> None:
    """synchronous_commit = off can be set by anybody."""
    store = SqlStore(postgres_url.replace("options=", "options=-csynchronous_commit%3Doff%20"))
    with pytest.warns(
        UnsafeServerWarning, match="runs with synchronous_commit = off: a crash of the server can lose the cells kept"
    ):
        store.open(a_plan())
    store.close()


def test_damage_is_found(store: SqlStore, postgres_url: str) -> None:
    """By the hashes of the rows, as in a file; a table that is gone is told of by the database."""
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0)), an_outcome((0, 0, 1))])
    execute(postgres_url, "UPDATE tiebreak_cells SET state = 1 WHERE model = 0")
    where = "the cell of model 'svm' on repeat 0 fold 0"
    assert store.check() == [Damage("moons", where, "its hash does not match")]
    with pytest.raises(DamagedStoreError, match=f"run 'moons': {where} is not what was written"):
        log.table()
    assert [outcome.cell for outcome in log.outcomes([Cell(0, 0, 1)])] == [(0, 0, 1)]
    execute(postgres_url, "DROP TABLE tiebreak_outputs")
    what = 'PostgreSQL says \'relation "tiebreak_outputs" does not exist'
    found = [damage for damage in store.check() if damage.where == "the database"]
    assert len(found) == 1
    assert found[0].run == "moons"
    assert found[0].what.startswith(what)


# --- addresses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgres://me:se%40cret@[::1]:5433,other:5434/db", "postgres://me:***@[::1]:5433,other:5434/db"),
        ("postgresql://me:@host/db", "postgresql://me:***@host/db"),
        ("postgresql://:secret@/db", "postgresql://:***@/db"),
        ("postgresql:///db?host=/run/x&password=secret&user=me", "postgresql:///db?host=/run/x&password=***&user=me"),
        ("postgresql://host/db?sslpassword=secret", "postgresql://host/db?sslpassword=***"),
        ("postgresql://me:se@cret@host/db", "postgresql://***"),
        ("postgresql://me:se/cret@host/db", "postgresql://***"),
        ("postgresql://me:secret", "postgresql://***"),
        ("postgresql://me:secret@host/db#run", "postgresql://***"),
        ("postgresql://me:1?secret=1@host/db", "postgresql://***"),
        ("mysql://me:secret@host/db", "mysql://me:***@host/db"),
        ("sqlite:////folder/a:b@c.db", "sqlite:////folder/a:b@c.db"),
        ("results.db", "results.db"),
    ],
)
def test_what_is_shown(url: str, shown: str) -> None:
    """Everything but passwords; of an address that cannot be read, nothing that may be one."""
    assert masked(url) == shown
    assert masked(shown) == shown


@given(st.text("@:/?#%&=[], aA1\\\n\u00e9"), st.text("@:/?#%&=[], aA1\\\n\u00e9"))
def test_no_password_is_shown(before: str, after: str) -> None:
    """Wherever a careless user puts it, whatever stands around it."""
    for url in (f"postgresql://me:{before}S3CRET{after}@host/db", f"postgresql://host/db?password={before}S3CRET{after}"):
        if "&" not in before or "@" in url:  # behind an & it is another option
            assert "S3CRET" not in masked(url)


@pytest.mark.parametrize("source", ["postgresql://host/db", "postgres://host/db", "PostgreSQL+psycopg://host/db"])
def test_addresses_of_postgres(source: str) -> None:
    """Known by their scheme."""
    assert SqlStore(source).url == source


@pytest.mark.parametrize("source", ["postgresql+asyncpg://host/db", "postgresql"])
def test_addresses_that_are_not_of_postgres(source: str) -> None:
    """Other drivers are not ours, and a scheme alone is no address."""
    with pytest.raises(InvalidParameterError, match=r"is not (supported|known as a store)"):
        SqlStore(source)


def test_the_address_that_the_library_is_given() -> None:
    """With the scheme that it knows, and nothing else changed."""
    assert library_url("postgresql+psycopg://me:x@h/d?a=b") == "postgresql://me:x@h/d?a=b"
    assert library_url("postgres://h") == "postgresql://h"
    assert option_names("postgresql://h/d?a=b&c=d") == ["a", "c"]
    assert option_names("postgresql://h/d") == []


def test_an_address_that_cannot_be_read() -> None:
    """The text says how it is written and shows nothing of it."""
    with pytest.raises(InvalidParameterError) as error:
        library_url("postgresql://me:se@cret@host/db")
    assert str(error.value) == (
        "'postgresql://***' cannot be read as the address of a database. It is written "
        "postgresql://user:password@host:port/database?option=value; in user and password, characters such as @ : / ? # and % "
        "are written in percent code (@ as %40). The name of a run goes behind a # only where a run is asked for."
    )
