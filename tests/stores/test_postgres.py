"""The store in a PostgreSQL database."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.contracts.lease_contract import LeaseContract
from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.contracts.store_contract import HOSTILE, StoreContract
from tests.postgres import Server, execute, with_options
from tiebreak.errors import DamagedStoreError, StoreError, UnsafeServerWarning
from tiebreak.plan.record import Cell
from tiebreak.stores.contract import Damage
from tiebreak.stores.sql import postgres
from tiebreak.stores.sql import reading as scanning
from tiebreak.stores.sql.faults import NoStoreError, NotAStoreError
from tiebreak.stores.sql.store import SqlLog, SqlStore
from tiebreak.stores.sql.tables import LAYOUTS, PREFIX, Row


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    """In an empty schema."""
    store = SqlStore(postgres_url, patience=5)
    yield store
    store.close()


class TestPostgresStore(StoreContract, LeaseContract):
    """As every store."""

    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[SqlStore]:
        """In an empty schema."""
        store = SqlStore(postgres_url)
        yield store
        store.close()


def schema_of(url: str) -> list[tuple[Any, ...]]:
    """All columns of all tables, and what is unique."""
    return execute(
        url,
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_schema = current_schema() "
        "UNION ALL SELECT tablename, indexdef, '', '' FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2",
    )


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
    for layout in LAYOUTS:
        for name in layout.columns:
            kind = "text" if name in layout.texts else "bytea" if name in layout.blobs else "bigint"
            expected[PREFIX + layout.name, name] = (kind, "NO" if kind == "bigint" else "YES")
    assert columns == expected
    indexes = [row[1] for row in schema_of(postgres_url) if not row[2]]
    assert len([text for text in indexes if "UNIQUE" in text]) == len(LAYOUTS) + 1  # the keys, and the names of runs


def test_other_tables_are_left_alone(store: SqlStore, postgres_url: str) -> None:
    """A database is shared with others, as a file is not: their tables are no reason not to make a store."""
    execute(postgres_url, "CREATE TABLE people (name text)", "CREATE TABLE tiebreak_notes (note text)")
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    assert store.check() == []
    assert {row[0] for row in schema_of(postgres_url)} - {PREFIX + layout.name for layout in LAYOUTS} == {
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
    with pytest.raises((NotAStoreError, DamagedStoreError)):
        store.runs()


def test_a_store_that_is_visible_in_another_schema(store: SqlStore, postgres_url: str, postgres_database: str) -> None:
    """Whoever sees the tables uses them, whichever schema of the search path is first."""
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    schema = execute(postgres_url, "SELECT current_schema()")[0][0]
    other = SqlStore(with_options(postgres_database, search_path=f"public,{schema}"))
    assert [run.n_done for run in other.runs()] == [1]
    other.open(a_plan()).write([an_outcome((0, 0, 1))])
    other.close()
    assert [run.n_done for run in store.runs()] == [2]


def test_hostile_names_change_no_table(store: SqlStore, postgres_url: str) -> None:
    """The schema after all of them is the one that was there before."""
    store.open(a_plan("first"))
    before = schema_of(postgres_url)
    for name in HOSTILE.values():
        store.open(a_plan(name, models=(name,), metrics=(name,), datasets=(a_dataset(name),)))
    assert schema_of(postgres_url) == before
    assert sorted(run.name for run in store.runs()) == sorted([*HOSTILE.values(), "first"])


def test_numbers_are_stored_in_the_open(store: SqlStore, postgres_url: str) -> None:
    """The same bytes as in a SQLite file: float64 in the order of the metrics, .npy, JSON."""
    store.open(a_plan()).write([an_outcome((0, 0, 1), scores={"accuracy": 0.75}, warnings=("a",))])
    ((numbers, facts),) = execute(postgres_url, "SELECT numbers, facts FROM tiebreak_cells")
    np.testing.assert_array_equal(np.frombuffer(numbers[:32], "<f8"), [1.1, 1e-3, 0.75, np.nan])
    assert numbers[32:] == b"\1\0"
    assert facts == '{"seed": 1099511627776, "outputs": [1, 288], "warnings": ["a"]}'


# --- transactions ---------------------------------------------------------------------------------------------------------


def test_readers_see_one_state_and_write_nothing(store: SqlStore) -> None:
    """What others keep meanwhile is not seen until the next transaction."""
    log = store.open(a_plan())
    with store._database.reading() as connection:
        before = connection.exec_driver_sql("SELECT count(*) FROM tiebreak_cells").scalar()
        log.write([an_outcome((0, 0, 0))])
        assert connection.exec_driver_sql("SELECT count(*) FROM tiebreak_cells").scalar() == before == 0
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
    assert len(log.table().state) == 1


def test_writers_take_turns(store: SqlStore, postgres_url: str) -> None:
    """The second begins when the first has ended, and sees what it kept; those of another schema are not waited for."""
    log = store.open(a_plan())
    other = SqlStore(postgres_url)
    other.open(a_plan())
    second = threading.Thread(target=lambda: other.read("moons") and other.open(a_plan()).write([an_outcome((0, 0, 0))]))
    with store._database.writing() as connection:
        second.start()
        second.join(0.3)
        assert second.is_alive()
        (n_waiting,) = connection.exec_driver_sql(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
            "AND objid = to_regclass('tiebreak_store')::oid"
        ).one()
        assert n_waiting == 1
    second.join(30)
    assert not second.is_alive()
    assert len(log.table().state) == 1
    other.close()


def test_a_writer_that_waits_too_long(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a locked file."""
    log = store.open(a_plan())
    monkeypatch.setattr(postgres, "BUSY_SECONDS", 0.1)
    other = SqlStore(postgres_url)
    with store._database.writing(), pytest.raises(StoreError) as error:
        other.open(a_plan())
    assert str(error.value) == (
        f"{store.url} is locked: another process has been writing to it for more than 0.1 seconds. What was written before is "
        "kept, and nothing of this call. Wait for that process or stop it; the same command goes on where it stopped."
    )
    log.write([an_outcome((0, 0, 0))])
    other.close()


def test_a_writer_that_stands_still_loses_its_turn(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends its session, so that others need not give up; what it had not kept is not there."""
    store.open(a_plan())
    monkeypatch.setattr(postgres, "_IDLE_SECONDS", 0.2)
    still = SqlStore(postgres_url, patience=0)
    still.open(a_plan())

    def dawdle(connection: Any) -> None:
        connection.exec_driver_sql("UPDATE tiebreak_store SET n_runs = 7")
        store.open(a_plan("other"))
        connection.exec_driver_sql("SELECT 1")

    with pytest.raises(StoreError, match="idle-in-transaction timeout"):
        still._database.write(dawdle)
    assert [run.name for run in store.runs()] == ["other", "moons"]
    still.close()


def test_a_connection_cut_amid_several_statements_is_given_up_quietly(store: SqlStore, caplog: pytest.LogCaptureFixture) -> None:
    """psycopg leaves it in a state in which it cannot roll back; SQLAlchemy would log a traceback, and every terminal show it."""
    from psycopg import OperationalError

    log = store.open(a_plan("run"))
    cells = all_cells(log.record)
    attempts = 0

    def work(connection: Any) -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raw = connection.connection.driver_connection
            raw.pgconn.enter_pipeline_mode()
            raw.pgconn.send_query_params(b"SELECT 1", None)
            raise OperationalError("cannot exit pipeline mode while busy")

    store._database.write(work)
    assert attempts == 2
    log.write([an_outcome(cells[0])])
    assert [comparable(each) for each in log.outcomes(outputs=True)] == [comparable(an_outcome(cells[0]))]
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_limits_that_somebody_set_are_kept_to(store: SqlStore, postgres_url: str) -> None:
    """Of the server, the user, or the address; those that nobody set are ours."""
    ours = ("30s", "5min", "20s")
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    store.open(a_plan())
    given = SqlStore(postgres_url.replace("options=", "options=-cstatement_timeout%3D7s%20"))
    for each, limits in ((store, ours), (given, ("30s", "7s", "20s"))):
        with each._database.reading() as connection:
            assert tuple(connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names) == limits
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


def test_threads_write_at_once(store: SqlStore) -> None:
    """To one log and to several; each cell is kept once."""
    plan = a_plan(models=[f"m{i}" for i in range(10)])
    shared, cells, errors = store.open(plan), all_cells(plan), []

    def work(part: int) -> None:
        log = shared if part % 2 else store.open(plan)
        try:
            for cell in cells[5 * part : 5 * part + 10]:  # halves overlap
                log.write([an_outcome(cell)])
                log.table()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [comparable(outcome) for outcome in shared.outcomes(outputs=True)] == [
        comparable(an_outcome(cell)) for cell in cells[:35]
    ]
    assert store.check() == []


def test_a_table_that_is_written_to_meanwhile(store: SqlStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages would be of different states, so they are read once more at one moment; nothing is taken for damage."""
    plan = a_plan()
    log, other = store.open(plan), SqlStore(postgres_url)
    cells = all_cells(plan)
    log.write([an_outcome(cell) for cell in cells[2:]])
    late = iter(cells[:2])
    take = SqlLog._columns

    def write_and_take(log: SqlLog, page: Sequence[Row]) -> Any:
        if (cell := next(late, None)) is not None:
            other.open(plan).write([an_outcome(cell)])
        return take(log, page)

    monkeypatch.setattr(scanning, "PAGE", 2)
    monkeypatch.setattr(SqlLog, "_columns", write_and_take)
    assert len(log.table().state) == 12
    other.close()


# --- connections ----------------------------------------------------------------------------------------------------------


def test_connections_are_closed_with_the_store(postgres_url: str) -> None:
    """psycopg would warn of one that is left open, and warnings are errors here."""
    store = SqlStore(postgres_url)
    log = store.open(a_plan())
    del store
    gc.collect()
    log.write([an_outcome((0, 0, 0))])  # the log still holds what it needs
    del log
    gc.collect()


def test_after_a_fork_it_connects_anew(store: SqlStore) -> None:
    """A connection that two processes talk on would mix up their answers."""
    log = store.open(a_plan())
    engine = store._database._engine
    store._database._process = -1
    log.write([an_outcome((0, 0, 0))])
    assert store._database._engine is not engine
    assert engine is not None
    engine.dispose()


def test_a_server_that_is_set_to_be_fast(postgres_server: Server) -> None:
    """Whoever begins a run there is warned once; whoever only reads is not."""
    from tests.postgres import fresh_schema

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
