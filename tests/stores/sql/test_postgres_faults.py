"""What goes wrong with PostgreSQL: the text says where, what was kept and how to go on, and never a password."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tiebreak as tb
from tests.contracts.plans import a_plan, all_cells, an_outcome
from tests.guarded import HANGS, ended
from tests.postgres import Server, execute, fresh_schema, with_options
from tiebreak.errors import StoreError
from tiebreak.stores.sql import postgres
from tiebreak.stores.sql.database import LostStoreError
from tiebreak.stores.sql.postgres import PostgresDatabase, refusal, translate
from tiebreak.stores.sql.store import SqlStore

pytestmark = pytest.mark.slow

KEPT = "What was written before is kept, and nothing of this call."
AGAIN = "the same command goes on where it stopped."
SECRET = "s3cr3t/p@ss:w#rd?%"


@pytest.fixture
def server(postgres_server: Server) -> Server:
    """One that may be ended and started again."""
    return postgres_server


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """The address of an empty schema there."""
    with fresh_schema(server.url) as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    """With a run and a cell in it."""
    store = SqlStore(url, patience=60)
    store.open(a_plan()).write([an_outcome((0, 0, 0))])
    yield store
    store.close()


def refused(url: str, use: Callable[[SqlStore], Any] = lambda store: store.open(a_plan())) -> str:
    """What a store is refused with, and at once: patience would last longer than the guard."""
    store = SqlStore(url, patience=1000 * HANGS)
    with pytest.raises(StoreError) as error:
        ended(lambda: use(store))
    store.close()
    assert not isinstance(error.value, LostStoreError)
    return str(error.value)


# --- not let in -----------------------------------------------------------------------------------------------------------


def test_a_wrong_password(server: Server) -> None:
    """Said at once: waiting would not help."""
    shown = f"postgresql://postgres:***@127.0.0.1:{server.port}/postgres"
    assert refused(server.loopback(SECRET)) == (
        f'{shown} does not let this user in: connection to server at "127.0.0.1", port {server.port} failed: FATAL: password '
        'authentication failed for user "postgres". Check the user and the password, which may stand in the address, in '
        "PGPASSWORD or in a password file."
    )


def test_no_password(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The places where one may stand are named, and both are looked into."""
    shown = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    monkeypatch.setenv("PGPASSFILE", str(server.folder / "none"))
    assert refused(server.loopback()).startswith(f"{shown} does not let this user in: connection to server at")
    monkeypatch.setenv("PGPASSWORD", server.password)
    assert "there is no store in" in refused(server.loopback(), lambda store: store.runs())


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
def test_a_password_file(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As PostgreSQL's own programs read it."""
    escaped = server.password.replace("\\", "\\\\").replace(":", "\\:")
    (tmp_path / "pgpass").write_text(f"127.0.0.1:{server.port}:*:postgres:{escaped}\n")
    (tmp_path / "pgpass").chmod(0o600)
    assert "there is no store in" in refused(server.loopback() + f"?passfile={tmp_path / 'pgpass'}", lambda store: store.runs())


def test_no_such_user(server: Server) -> None:
    """By the socket everybody who is known is let in."""
    text = refused(server.url.replace("postgres@", "nobody@"))
    assert 'does not let this user in: connection to server on socket "' in text
    assert 'FATAL: role "nobody" does not exist. Check the user' in text


def test_no_such_database(server: Server) -> None:
    """tiebreak makes tables, and no databases."""
    text = refused(server.url.replace("/postgres?", "/elsewhere?"))
    assert text.startswith("there is no such database as postgresql://postgres@/elsewhere?host=")
    assert text.endswith('FATAL: database "elsewhere" does not exist. Check the address, or make the database: createdb NAME')


def test_no_such_host() -> None:
    """A name that means no machine; nothing was reached before, so nothing is waited for."""
    text = refused("postgresql://me:secret@no-such-host.invalid/db")
    assert text.startswith("postgresql://me:***@no-such-host.invalid/db cannot be reached: ")
    assert text.endswith("Check the address, and whether the server is running.")


def test_no_server(server: Server) -> None:
    """Nobody listens there."""
    text = refused("postgresql://me:secret@127.0.0.1:1/db")
    assert text == (
        'postgresql://me:***@127.0.0.1:1/db cannot be reached: connection to server at "127.0.0.1", port 1 failed: Connection '
        "refused. Check the address, and whether the server is running."
    )


def test_options_are_passed_on(server: Server) -> None:
    """This server has no certificate, so it cannot do what is required."""
    text = refused(server.loopback(server.password) + "?sslmode=require")
    assert "server does not support SSL, but SSL was required" in text


def test_an_old_server(url: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused with both versions."""
    version = int(execute(url, "SHOW server_version_num")[0][0]) // 10_000
    monkeypatch.setattr(postgres, "OLDEST", 99)
    shown = SqlStore(url).url
    assert (
        refused(url)
        == f"{shown} is PostgreSQL {version}, and tiebreak needs 99 or later. Upgrade the server, or name another store."
    )


# --- not allowed ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def guest(server: Server) -> Iterator[str]:
    """A user without any rights."""
    execute(server.url, "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    yield "guest"
    execute(server.url, "DROP OWNED BY guest", "DROP ROLE guest")


def test_a_user_who_may_not_make_tables(url: str, guest: str) -> None:
    """The rights that are needed are named."""
    schema = execute(url, "SELECT current_schema()")[0][0]
    execute(url, f"GRANT USAGE ON SCHEMA {schema} TO {guest}")
    theirs = url.replace("postgres@", "guest@")
    shown = SqlStore(theirs).url
    assert refused(theirs) == (
        f"{shown} cannot be used: permission denied for schema {schema}. {KEPT} The user needs CREATE in the schema to make a "
        "store, and SELECT, INSERT, UPDATE and DELETE on its tables."
    )


def test_a_user_who_may_read_only(store: SqlStore, url: str, guest: str) -> None:
    """Reads everything, and is told when it comes to writing."""
    schema = execute(url, "SELECT current_schema()")[0][0]
    execute(url, f"GRANT USAGE ON SCHEMA {schema} TO {guest}", f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {guest}")
    theirs = SqlStore(url.replace("postgres@", "guest@"))
    assert len(theirs.read("moons").table().state) == 1
    assert theirs.check() == []
    with pytest.raises(StoreError, match=r"permission denied for table tiebreak_cells\. What was written before is kept, and"):
        theirs.open(a_plan()).write([an_outcome((0, 0, 1))])
    theirs.close()


def test_no_schema(server: Server) -> None:
    """A search path that leads nowhere."""
    text = refused(with_options(server.url, search_path="nowhere"))
    assert "has no schema to make tables in: no schema has been selected to create in. " in text
    assert text.endswith("Make one, or name one that is there: ?options=-csearch_path%3DSCHEMA")


def test_a_server_that_only_reads(store: SqlStore, url: str) -> None:
    """A standby, or a database that is set so: it is read, and not written."""
    theirs = SqlStore(url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20"))
    assert len(theirs.read("moons").table().state) == 1
    with pytest.raises(StoreError) as error:
        theirs.open(a_plan()).write([an_outcome((0, 0, 1))])
    assert str(error.value) == (
        f"{theirs.url} is read-only: cannot execute INSERT in a read-only transaction. {KEPT} Name the server that is written "
        "to, or another store."
    )
    theirs.close()


def test_a_place_for_few(store: SqlStore, url: str, guest: str) -> None:
    """A user with as many connections as are allowed is waited for."""
    schema = execute(url, "SELECT current_schema()")[0][0]
    execute(
        url,
        f"GRANT USAGE ON SCHEMA {schema} TO {guest}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {guest}",
        f"ALTER ROLE {guest} CONNECTION LIMIT 1",
    )
    first, second = (SqlStore(url.replace("postgres@", "guest@"), patience=patience) for patience in (0, 20))
    assert len(first.runs()) == 1
    third = SqlStore(url.replace("postgres@", "guest@"), patience=0)
    with pytest.raises(LostStoreError) as error:
        third.runs()
    assert 'cannot be used for now: connection to server on socket "' in str(error.value)
    assert str(error.value).endswith(f'FATAL: too many connections for role "guest". See to the server; {AGAIN}')
    threading.Timer(0.5, first.close).start()
    assert len(second.runs()) == 1
    second.close()


# --- gone -----------------------------------------------------------------------------------------------------------------


OTHERS = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"


def cut_all(url: str) -> int:
    """End all sessions but this one, and wait for their end; those whose clients have gone already are about to end."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        until = time.monotonic() + HANGS
        while len(connection.execute(f"SELECT 1 {OTHERS}").fetchall()) > 1 and time.monotonic() < until:
            time.sleep(0.05)
        return len(connection.execute(f"SELECT pg_terminate_backend(pid, 10000) {OTHERS}").fetchall())


def test_a_connection_that_was_cut(store: SqlStore, url: str) -> None:
    """Whatever is asked next is done on a new one."""
    log = store.open(a_plan())
    cells = all_cells(log.record)
    uses: list[Callable[[], Any]] = [
        lambda: log.write([an_outcome(cell) for cell in cells[1:7]]),
        log.table,
        lambda: list(log.outcomes(outputs=True)),
        lambda: list(log.noted("warnings")),
        lambda: log.environments,
        store.runs,
        lambda: store.read("moons"),
        lambda: store.open(a_plan("other")),
        lambda: store.delete("other"),
        store.check,
    ]
    for use in uses:
        assert cut_all(url) == 1
        use()
    assert len(log.table().state) == 7
    assert [run.name for run in store.runs()] == ["moons"]


def test_a_commit_whose_answer_was_lost(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells were kept, and the writer cannot know; it writes them again, which changes nothing."""
    from psycopg import Connection, OperationalError

    log = store.open(a_plan())
    commit, losses = Connection.commit, []

    def lose_answer(connection: Connection[Any]) -> None:
        commit(connection)
        if len(losses) < 2:
            losses.append(1)
            connection.close()
            raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(Connection, "commit", lose_answer)
    log.write([an_outcome(cell) for cell in all_cells(log.record)[1:4]])
    store.open(a_plan("other"))
    monkeypatch.undo()
    assert len(losses) == 2
    assert {run.name: run.n_done for run in store.runs()} == {"moons": 4, "other": 0}
    assert store.check() == []


def test_a_server_that_is_started_again(store: SqlStore, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """It is waited for, which is told once; reading and writing go on by themselves."""
    log = store.open(a_plan())
    waits = "Waiting for it, for up to 60 seconds."

    def start_when_told() -> None:
        while not any(waits in message for message in caplog.messages):
            time.sleep(0.05)
        server.start()

    for end in (server.kill, server.stop):
        end()
        starting = threading.Thread(target=start_when_told, daemon=True)
        starting.start()
        with caplog.at_level(logging.WARNING, "tiebreak"):
            log.write([an_outcome(cell) for cell in all_cells(log.record)[1:]])
        starting.join()
        told = [message for message in caplog.messages if waits in message]
        assert len(told) == 1
        assert f"{store.url} cannot be used for now: " in told[0]
        caplog.clear()
        assert len(log.table().state) == 12
    assert store.check() == []


def test_a_server_that_stays_away(url: str, server: Server) -> None:
    """After the time that was given: what is kept and how to go on. A later call finds it again."""
    store = SqlStore(url, patience=1)
    log = store.open(a_plan())
    log.write([an_outcome((0, 0, 0))])
    server.stop()
    try:
        with pytest.raises(LostStoreError) as error:
            log.write([an_outcome((0, 0, 1))])
        text = str(error.value)
        assert text.startswith(f"{store.url} cannot be used for now: connection"), text
        assert f". What was written before is kept. See to the server; {AGAIN} (Tried " in text
        assert text.endswith(" times in 1 seconds.)")
    finally:
        server.start()
    log.write([an_outcome((0, 0, 1))])
    assert len(log.table().state) == 2
    store.close()


STUDY = """
name = "lost"
[data]
source = "sklearn:iris"
[cv]
kind = "kfold"
n_folds = 3
[models.gone]
import = "gone:Gone"
"""
GONE = """
import os, pathlib, time
from sklearn.dummy import DummyClassifier
class Gone(DummyClassifier):
    def fit(self, X, y):
        mark = pathlib.Path(__file__).with_name("asked")
        n = int(mark.read_text()) if mark.exists() else 0
        mark.write_text(str(n + 1))
        if n == 1:  # the second of three cells: the server goes away while it is measured
            pathlib.Path(__file__).with_name("now").touch()
            while not pathlib.Path(__file__).with_name("gone").exists():
                time.sleep(0.01)
        time.sleep(0.3)  # so that each cell is handed over by itself
        return super().fit(X, y)
"""


def test_a_command_whose_server_stays_away(url: str, server: Server, tmp_path: Path) -> None:
    """It ends with a message, without a traceback, and the same command goes on; the password is nowhere."""
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "gone.py").write_text(GONE)
    schema = execute(url, "SELECT current_schema()")[0][0]
    address = with_options(server.loopback(server.password), search_path=schema)
    impatient = "import sys, tiebreak.stores.sql.store as s; s.SqlStore.__init__.__kwdefaults__['patience'] = 1.0; "
    impatient += "from tiebreak.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", impatient, "run", "study.toml", "--store", address, "--format", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while not (tmp_path / "now").exists() and process.poll() is None:
                time.sleep(0.01)
            server.stop()
            (tmp_path / "gone").touch()
            out, err = process.communicate()
        finally:
            server.start()
    assert process.returncode == 2
    assert out == ""
    assert "Traceback" not in err
    assert "1 of 3 cells of run 'lost' are kept in postgresql://postgres:***@127.0.0.1" in err
    assert "tiebreak resume lost --store 'postgresql://postgres:PASSWORD@127.0.0.1" in err
    assert "cannot be used for now: " in err
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "asked").read_text() == "4"  # three cells, and the one that was not kept
    evaluation = tb.read_evaluation(address)
    assert evaluation.n_done == 3
    for text in (err, done.stdout, done.stderr, repr(evaluation), str(evaluation), evaluation.url):
        assert not leaks(server.password, text)


# --- passwords ------------------------------------------------------------------------------------------------------------


def leaks(password: str, text: str) -> bool:
    """Whether a part of it is there that would help somebody, as it is or in percent code."""
    from urllib.parse import quote

    return any(part in text for part in (password, quote(password, safe=""), password[-8:], password[:8]))


def everything_said(error: BaseException | None) -> str:
    """Of an error and all that led to it, with its traceback."""
    assert error is not None
    chain = []
    each: BaseException | None = error
    while each is not None:
        chain += [str(each), repr(each), repr(each.args)]
        each = each.__cause__ or each.__context__
    return "\n".join([*chain, *traceback.format_exception(error)])


def test_passwords_appear_nowhere(server: Server, url: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not in errors and what led to them, not in logs of any library, not in what objects say of themselves."""
    password = server.password
    addresses = [
        server.loopback(password),
        server.loopback(password, database="elsewhere"),
        server.loopback(password, user="nobody"),
        server.loopback(password) + "?sslmode=require",
        server.loopback(password).replace(str(server.port), "1"),
        server.loopback(password).replace("127.0.0.1", "no-such-host.invalid"),
        f"postgresql://postgres:{password}@127.0.0.1:{server.port}/postgres",  # the special characters as they are
        f"postgresql://127.0.0.1:{server.port}/postgres?user=postgres&password={password}",
        server.loopback(password) + "?sslmodus=x",
        server.loopback(password + "%"),
    ]
    said = []

    def use(address: str) -> str:
        said.append(repr(SqlStore(address, patience=0)))
        return str(tb.read_evaluation(f"{address}#run"))

    with caplog.at_level(logging.DEBUG):
        for address in addresses:
            with pytest.raises(Exception) as error:  # noqa: PT011
                said.append(use(address))
            said.append(everything_said(error.value))
        schema = execute(url, "SELECT current_schema()")[0][0]
        own = with_options(server.loopback(password), search_path=schema)  # what it makes goes away with the test
        with pytest.raises(StoreError) as lost:
            PostgresDatabase(own, patience=0).write(lambda _: cut_all(server.url), create=True)
        said.append(everything_said(lost.value))
    said += [record.getMessage() for record in caplog.records]
    assert len(said) >= 2 * len(addresses) - 2
    assert not [text for text in said if leaks(password, text)]


# --- errors that do not come by themselves --------------------------------------------------------------------------------


class Fault(Exception):
    """An error with a code, as psycopg would raise it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.sqlstate = code


@pytest.mark.parametrize(
    ("code", "said", "text"),
    [
        (
            "53100",
            'could not extend file "base/5/16384": No space left on device',
            (
                'u cannot grow: the disk of the server is full (could not extend file "base/5/16384": No space left on device). '
                f"{KEPT} Make room; {AGAIN}"
            ),
        ),
        (
            "54000",
            "row is too big",
            f"u: the outputs of one cell are larger than PostgreSQL can keep. {KEPT} Pass keep_predictions=False.",
        ),
        (
            "57014",
            "canceling statement due to user request",
            f"u cannot be used: canceling statement due to user request. {KEPT} See",
        ),
        (
            "XX001",
            "invalid page in block 3",
            "run 'x': u is not as it was written: PostgreSQL says 'invalid page in block 3'. Put a",
        ),
        (
            "40P01",
            "deadlock detected",
            (
                "u cannot be used for now: deadlock detected. What was written before is kept; of this call it is not certain, "
                f"and to write it again does no harm. See to the server; {AGAIN}"
            ),
        ),
        ("57P03", "the database system is starting up", "u cannot be used for now: the database system is starting up. What was"),
    ],
)
def test_errors_of_postgres(code: str, said: str, text: str) -> None:
    """Each kind in words."""
    assert str(translate("u", Fault(code, said), run="x", to_write=True, busy_seconds=30)).startswith(text)


def test_a_server_that_was_reached_before_is_waited_for() -> None:
    """Its address is right, so whatever keeps it from answering will pass."""
    from psycopg import OperationalError

    error = OperationalError('connection failed: connection to server at "h", port 5 failed: refused\n\tIs the server x?')
    assert isinstance(refusal("u", error, was_reached=True), LostStoreError)
    assert not isinstance(refusal("u", error, was_reached=False), LostStoreError)
    for said in (
        "FATAL:  the database system is starting up",
        "connection failed: server closed the connection unexpectedly\n\tThis probably means ...",
        "FATAL:  terminating connection due to administrator command",
        "SSL connection has been closed unexpectedly",
        "could not receive data from server: Connection reset by peer",
    ):
        assert isinstance(refusal("u", OperationalError(said), was_reached=False), LostStoreError), said
