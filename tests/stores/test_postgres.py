"""What is peculiar to PostgreSQL: addresses, tables beside others, turns of writers, and a server that goes away."""

import logging
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tests.contracts.plans import a_plan, all_cells, an_outcome
from tests.guarded import told
from tests.postgres import Server, execute, fresh_schema, with_options
from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.stores import postgres
from tiebreak.stores.contract import Damage, NoStoreError
from tiebreak.stores.database import TABLES
from tiebreak.stores.postgres import PostgresDatabase, masked
from tiebreak.stores.sql import SqlStore

KEPT = "What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped."
REACH = (
    "Check the address, and whether the server is running and has the database (createdb NAME makes one). What was written "
    f"before is kept; {AGAIN}"
)


@pytest.fixture
def path(postgres_url: str) -> str:
    """The address of an empty schema."""
    return postgres_url


# --- addresses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:se%40cret@[::1]:5433,other:5434/db", "postgresql://me:***@[::1]:5433,other:5434/db"),
        ("postgresql://:secret@/db", "postgresql://:***@/db"),
        ("postgresql:///db?host=/run/x&password=secret&user=me", "postgresql:///db?host=/run/x&password=***&user=me"),
        ("postgresql://host/db?sslpassword=secret", "postgresql://host/db?sslpassword=***"),
        ("postgresql://me:se@cret@host/db", "postgresql://***"),
        ("postgresql://me:secret@host/db#run", "postgresql://***"),
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


# --- the tables -----------------------------------------------------------------------------------------------------------


def schema_of(url: str) -> list[tuple[Any, ...]]:
    """All columns of all tables."""
    return execute(
        url,
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() "
        "ORDER BY 1, 2",
    )


def test_tables_are_made_beside_others(store: SqlStore, postgres_url: str) -> None:
    """When a run is begun, in the current schema; a database is shared with others, as a file is not."""
    for use in (store.runs, lambda: store.read("moons"), lambda: store.delete("moons"), store.check):
        assert told(NoStoreError, use) == (
            f"there is no store in {store.url}. Check the address; tiebreak makes its tables there when something is evaluated "
            "into it."
        )
    assert schema_of(postgres_url) == []
    execute(postgres_url, "CREATE TABLE people (name text)", "CREATE TABLE tiebreak_notes (note text)")
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    assert store.check() == []
    assert {row[0] for row in schema_of(postgres_url)} == {*TABLES, "people", "tiebreak_notes"}


def test_tables_of_our_names_that_are_no_store(store: SqlStore, postgres_url: str) -> None:
    """They are named, and left as they are; so is a store of another schema."""
    execute(postgres_url, "CREATE TABLE tiebreak_runs (name text)", "CREATE VIEW tiebreak_cells AS SELECT 1 AS one")
    before = schema_of(postgres_url)
    for use in (store.runs, lambda: store.open(a_plan())):
        assert told(StoreError, use) == (
            f"{store.url} has tables of something else that are called 'tiebreak_cells', 'tiebreak_runs'; they were left as they "
            "are. Name another database for the store, or another schema: ?options=-csearch_path%3DSCHEMA"
        )
    assert schema_of(postgres_url) == before
    execute(postgres_url, "DROP VIEW tiebreak_cells", "DROP TABLE tiebreak_runs")
    store.open(a_plan())
    store.close()
    execute(postgres_url, "UPDATE tiebreak_store SET schema = 12")
    assert "has schema 12, of another release of tiebreak, and this one knows schema 11 only" in told(StoreError, store.runs)


def test_damage_is_found(store: SqlStore, postgres_url: str) -> None:
    """By the hashes of the rows, as in a file; a table that is gone is told of by the database."""
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0)), an_outcome((0, 0, 1))])
    execute(postgres_url, "UPDATE tiebreak_cells SET content = content || content WHERE model = 0")
    where = "the cell of model 'svm' on repeat 0 fold 0"
    assert store.check() == [Damage("moons", where, "its hash does not match")]
    with pytest.raises(DamagedStoreError, match=f"run 'moons': {where} is not what was written"):
        log.table()


def test_a_backup_is_left_to_the_server(store: SqlStore, tmp_path: Path) -> None:
    """Its own tools are named."""
    store.open(a_plan())
    assert "is no file. A store in PostgreSQL is copied by the server's own tools: pg_dump" in told(
        StoreError, store.backup, tmp_path / "copy.db"
    )


# --- writers --------------------------------------------------------------------------------------------------------------


def test_writers_take_turns(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second begins when the first has ended, and sees what it kept; who waits too long is told."""
    log = store.open(a_plan())
    other = SqlStore(postgres_url)
    second = threading.Thread(target=lambda: other.open(a_plan()).write([an_outcome((0, 0, 0))]))
    with store._database.transaction(to_write=True):
        second.start()
        second.join(0.3)
        assert second.is_alive()
    second.join(30)
    assert len(log.table().state) == 1
    other.close()
    monkeypatch.setattr(postgres, "BUSY_SECONDS", 0.1)
    impatient = SqlStore(postgres_url)
    with store._database.transaction(to_write=True):
        assert told(StoreError, impatient.open, a_plan()) == (
            f"{store.url} is locked: another process has been writing to it for more than 0.1 seconds. Wait for that process or "
            f"stop it; {AGAIN}"
        )
    impatient.close()


def test_a_writer_that_stands_still_loses_its_turn(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends its session, so that others need not give up; what it had not kept is not there."""
    store.open(a_plan())
    monkeypatch.setattr(postgres, "IDLE_SECONDS", 0.2)
    still = PostgresDatabase(postgres_url)

    def dawdle() -> None:
        with still.transaction(to_write=True) as connection:
            connection.execute("DELETE FROM tiebreak_runs")
            store.open(a_plan("other"))
            connection.execute("SELECT 1")

    assert "idle-in-transaction timeout" in told(StoreError, dawdle)
    assert [run.name for run in store.runs()] == ["other", "moons"]
    still.close()


# --- not let in, not allowed ----------------------------------------------------------------------------------------------


def refused(url: str) -> str:
    """What a store is refused with."""
    store = SqlStore(url)
    message = told(StoreError, lambda: store.open(a_plan()))
    store.close()
    return message


def test_who_is_not_let_in(postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to check."""
    server = postgres_server
    monkeypatch.setenv("PGPASSFILE", str(server.folder / "none"))
    place = f"127.0.0.1:{server.port}/postgres"
    for url, beginning, end in (
        (server.loopback("wrong"), f"postgresql://postgres:***@{place} does not let this user in: ", "or in a password file."),
        (server.loopback(), f"postgresql://postgres@{place} does not let this user in: ", "or in a password file."),
        (server.url.replace("postgres@", "nobody@"), "postgresql://nobody@/postgres?host", "or in a password file."),
        (
            server.url.replace("/postgres?", "/elsewhere?"),
            "postgresql://postgres@/elsewhere?host=",
            'FATAL: database "elsewhere" does not exist. ' + REACH,
        ),
        (
            "postgresql://me:secret@no-such-host.invalid/db",
            "postgresql://me:***@no-such-host.invalid/db cannot be reached: ",
            REACH,
        ),
        (
            "postgresql://me:secret@127.0.0.1:1/db",
            'postgresql://me:***@127.0.0.1:1/db cannot be reached: connection to server at "127.0.0.1", port 1 failed: ',
            "Connection refused. " + REACH,
        ),
        (
            with_options(server.url, search_path="nowhere"),
            "postgresql://postgres@/postgres?host=",
            "Make one, or name one that is there: ?options=-csearch_path%3DSCHEMA",
        ),
    ):
        text = refused(url)
        assert text.startswith(beginning)
        assert text.endswith(end)
    monkeypatch.setenv("PGPASSWORD", server.password)
    with pytest.raises(NoStoreError):
        SqlStore(server.loopback()).runs()


@pytest.fixture
def guest(postgres_server: Server, postgres_url: str) -> Iterator[str]:
    """The address for a user who may use the schema and nothing else."""
    schema = execute(postgres_url, "SELECT current_schema()")[0][0]
    server = postgres_server.url
    execute(server, "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN", f"GRANT USAGE ON SCHEMA {schema} TO guest")
    yield postgres_url.replace("postgres@", "guest@")
    execute(server, "DROP OWNED BY guest", "DROP ROLE guest")


def test_rights(store: SqlStore, postgres_url: str, guest: str) -> None:
    """Who may not make tables is told which rights are needed; who may read only reads everything."""
    schema = execute(postgres_url, "SELECT current_schema()")[0][0]
    theirs = SqlStore(guest)
    assert refused(guest) == (
        f"{theirs.url} cannot be used: permission denied for schema {schema}. The user needs CREATE in the schema to make a "
        "store, and SELECT, INSERT, UPDATE and DELETE on its tables."
    )
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    execute(postgres_url, f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO guest")
    assert len(theirs.read("moons").table().state) == 1
    assert theirs.check() == []
    with pytest.raises(StoreError, match=r"permission denied for table tiebreak_\w+\. What was written before is kept, and"):
        theirs.read("moons").write([an_outcome((0, 0, 1))])
    theirs.close()
    standby = SqlStore(postgres_url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20"))
    assert "is read-only: cannot execute INSERT in a read-only transaction" in told(
        StoreError, lambda: standby.read("moons").write([an_outcome((0, 0, 1))])
    )
    standby.close()


# --- gone -----------------------------------------------------------------------------------------------------------------


def test_a_commit_whose_answer_was_lost(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells were kept, and the writer cannot know: it is told so, and to write them again changes nothing."""
    from psycopg import Connection, OperationalError

    log = store.open(a_plan())
    outcomes = [an_outcome(cell) for cell in all_cells(log.record)[:3]]
    commit = Connection.commit

    def lose_answer(connection: Connection[Any]) -> None:
        commit(connection)
        connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(Connection, "commit", lose_answer)
    message = told(StoreError, log.write, outcomes)
    monkeypatch.undo()
    assert message == (
        f"{store.url} cannot be used for now: server closed the connection unexpectedly. What was written before is kept; of "
        f"this call it is not certain, and to write it again does no harm. See to the server; {AGAIN}"
    )
    log.write(outcomes)
    assert [run.n_done for run in store.runs()] == [3]
    assert store.check() == []


@pytest.mark.slow
def test_a_server_that_goes_away(postgres_server: Server) -> None:
    """Each call is an error that says what is kept and how to go on; when it is there again, the first call finds it."""
    with fresh_schema(postgres_server.url) as url:
        store = SqlStore(url)
        log = store.open(a_plan())
        postgres_server.stop()
        try:
            for beginning in ("cannot be used for now: ", "cannot be reached: connection"):
                message = told(StoreError, lambda: log.write([an_outcome((0, 0, 1))]))
                assert message.startswith(f"{store.url} {beginning}")
                assert "What was written before is kept" in message
                assert message.endswith(AGAIN)
        finally:
            postgres_server.start()
        log.write([an_outcome((0, 0, 1))])
        assert len(log.table().state) == 1
        store.close()


def test_passwords_appear_nowhere(postgres_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Not in errors and what led to them, not in logs of any library, not in what objects say of themselves."""
    from urllib.parse import quote

    password, address = postgres_server.password, postgres_server.loopback(postgres_server.password)
    said = []
    with caplog.at_level(logging.DEBUG):
        for url in (
            address,
            postgres_server.loopback(password, database="elsewhere"),
            postgres_server.loopback(password, user="nobody"),
            f"{address}?sslmode=require",
            address.replace(str(postgres_server.port), "1"),
            f"postgresql://postgres:{password}@127.0.0.1:{postgres_server.port}/postgres",  # the special characters as they are
            f"postgresql://127.0.0.1:{postgres_server.port}/postgres?user=postgres&password={password}",
            f"{address}?sslmodus=x",
        ):
            with pytest.raises(tb.errors.TiebreakError) as error:
                said.append(repr(SqlStore(url)) + str(tb.read_evaluation(f"{url}#run")))
            said += traceback.format_exception(error.value)
    said += [record.getMessage() for record in caplog.records]
    secrets = (password, quote(password, safe=""), password[-8:], password[:8])
    assert not [text for text in said if any(secret in text for secret in secrets)]


@pytest.mark.parametrize(
    ("code", "said", "text"),
    [
        ("53100", "no space", f"u cannot grow: the disk of the server is full (no space). {KEPT} Make room; {AGAIN}"),
        (
            "54000",
            "too big",
            f"u: the outputs of one cell are larger than PostgreSQL can keep. {KEPT} Pass keep_predictions=False.",
        ),
        ("57014", "canceled", f"u cannot be used: canceled. {KEPT} See to the server, or name another store."),
        (
            "XX001",
            "invalid page",
            (
                "run 'x': u is not as it was written: PostgreSQL says 'invalid page'. Put a copy of the tables in their place, "
                "or delete the run (if that fails, the tables) and measure it again."
            ),
        ),
    ],
)
def test_errors_of_postgres(postgres_url: str, code: str, said: str, text: str) -> None:
    """Those that do not come by themselves, by the codes of PostgreSQL's manual, appendix A."""
    database = PostgresDatabase(postgres_url)
    database.url = "u"
    assert str(database.translate(type("Fault", (Exception,), {"sqlstate": code})(said), run="x", to_write=True)) == text
