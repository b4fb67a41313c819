"""A store in a PostgreSQL database: addresses, connections, the one lock that writers take, and what errors mean."""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tiebreak.errors import (
    DamagedStoreError,
    InvalidParameterError,
    MissingDependencyError,
    Setting,
    StoreError,
    TiebreakError,
    UnsafeServerWarning,
)
from tiebreak.printable import HIDDEN, without_password
from tiebreak.stores.sql.database import AGAIN, KEPT, Database, LostStoreError, NotAStoreError, readable_schema
from tiebreak.stores.sql.tables import STORE, TABLES, StoredTable

if TYPE_CHECKING:
    import psycopg

    from tiebreak.stores.sql.connection import Connection

# --- addresses ------------------------------------------------------------------------------------------------------------

_URL = re.compile(
    r"""(?P<scheme>[A-Za-z][\w+.-]*)://
        (?:(?P<user>[^:@/?\#\s]*)(?P<password>:[^@/?\#\s]*)?@)?
        (?P<hosts>(?:\[[0-9A-Fa-f:.%]*\]|[^:@/?\#\s\[\],]*)(?::\d*)?(?:,(?:\[[0-9A-Fa-f:.%]*\]|[^:@/?\#\s\[\],]*)(?::\d*)?)*)
        (?P<database>/[^@/?\#\s]*)?
        (?P<options>\?[^@\#\s]*)?""",
    re.VERBOSE,
)
_SECRET_OPTION = re.compile(r"([?&](?:password|sslpassword|oauth_client_secret|scram_client_key|scram_server_key)=)[^&]*", re.I)


def masked(url: str) -> str:
    """Address without passwords. Of one that cannot be read only the beginning is shown: all of it may be password.

    What is no address at all, such as a path, is shown unless it looks as if somebody had meant one.
    """
    scheme, separator, rest = url.partition("://")
    if scheme.lower() == "sqlite" and rest.startswith("/"):  # a path
        return url
    if not separator or scheme.lower() == "sqlite":
        return without_password(url)
    found = _URL.fullmatch(url)
    if found is None:
        return f"{scheme}://{HIDDEN}"
    password = f":{HIDDEN}" if found["password"] else ""
    user = "" if found["user"] is None else f"{found['user']}{password}@"
    options = _SECRET_OPTION.sub(rf"\1{HIDDEN}", found["options"] or "")
    return f"{scheme}://{user}{found['hosts']}{found['database'] or ''}{options}"


def postgres_url(url: str) -> str:
    """Address as PostgreSQL's own library reads it.

    Raises `InvalidParameterError` for an address with parts that this library would take for others, such as a password with an
    @; its text shows none of them.
    """
    found = _URL.fullmatch(url)
    if found is None:
        scheme = url.partition("://")[0]
        raise InvalidParameterError(
            f"'{scheme}://{HIDDEN}' cannot be read as the address of a database. It is written "
            "postgresql://user:password@host:port/database?option=value; in user and password, characters such as @ : / ? # and "
            "% are written in percent code (@ as %40). The name of a run goes behind a # only where a run is asked for."
        )
    return "postgresql" + url[found.end("scheme") :]


def option_names(url: str) -> list[str]:
    """Options behind the question mark, by name."""
    return [part.partition("=")[0] for part in url.partition("?")[2].split("&") if part]


# --- connections ----------------------------------------------------------------------------------------------------------

OLDEST = 13
"""The oldest release of PostgreSQL that is used."""
BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
_STATEMENT_SECONDS = 300.0
# A writer that stands still in the middle, its machine asleep or off the net, loses its lock before others give up.
IDLE_SECONDS = 20.0

# What is not said in the address or the environment: the far end of a dead connection is noticed in half a minute, not in hours.
_CONNECTION = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
_ENVIRONMENT = {"connect_timeout": "PGCONNECT_TIMEOUT"}

# Writers of a store take turns. The lock is of the table that is there once in each store, or, until it is, of the schema in
# which it would be made; so stores in other schemas are not waited for. It ends with the transaction, however that ends.
_TAKE_TURNS = f"""
    SELECT pg_advisory_xact_lock({0x74696562}, coalesce(
        to_regclass('{STORE.in_database}')::oid, quote_ident(current_schema())::regnamespace::oid)::int4)"""

_VISIBLE = "SELECT relname::text FROM pg_catalog.pg_class WHERE relname = ANY(?) AND pg_catalog.pg_table_is_visible(oid)"


class PostgresConnection:
    """A connection to a server; `Connection` describes the methods."""

    is_sqlite = False

    def __init__(self, driver: psycopg.Connection[Any]) -> None:
        self.driver = driver

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with."""
        # in binary numbers and blobs come as they are kept, and not as texts to be read
        with self.driver.cursor(binary=True) as cursor:
            cursor.execute(statement.replace("?", "%s"), values)
            rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return rows

    def fetch_rows(self, table: StoredTable[Any], statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Execute a query for whole rows of a table, and fetch them."""
        return self.execute(statement, values)

    def execute_rows(self, table: StoredTable[Any], statement: str, rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each of some rows of a table, or for their keys, and count the rows that changed."""
        with self.driver.cursor(binary=True) as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)
            return int(cursor.rowcount)


class PostgresDatabase(Database):
    """A database on a server; `Database` describes the methods.

    The tables are those that the user sees without naming a schema. They are made in the current schema; other tables there
    are not looked at.

    The address is as PostgreSQL's own library takes it; a lost server is waited for `patience` seconds.
    """

    kind = "PostgreSQL"
    whole = "the database"

    def __init__(self, url: str, patience: float) -> None:
        super().__init__(masked(url), masked(url), path="", patience=patience, opening=threading.Lock())
        self._parameters = _connection_parameters(url)
        self._was_reached = False
        self._unsafe: list[str] = []

    def prepare(self, *, create: bool) -> None:
        """Databases are not made, only tables."""
        import logging

        # psycopg remarks on connections that were cut, which is for those who ask for its log, and not for every terminal
        log = logging.getLogger("psycopg")
        if not log.handlers:
            log.addHandler(logging.NullHandler())

    def connect(self) -> Connection:
        """Connect to the server."""
        import psycopg

        try:
            driver = psycopg.connect(**self._parameters, autocommit=True)  # type: ignore[arg-type]
            try:
                self._set_up(driver)
            except BaseException:
                driver.close()
                raise
        except psycopg.Error as error:
            raise refusal(self.shown, error, was_reached=self._was_reached) from error
        driver.autocommit = False
        self._was_reached = True
        return PostgresConnection(driver)

    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Readers see one state and wait for nobody; writers take turns."""
        from psycopg import IsolationLevel

        driver = connection.driver
        # a writer has to see what was kept while it waited for its turn, which it would not in the state of its first statement
        driver.isolation_level = IsolationLevel.READ_COMMITTED if to_write else IsolationLevel.REPEATABLE_READ
        driver.read_only = None if to_write else True
        if to_write:
            with closing(driver.cursor()) as cursor:
                cursor.execute(_TAKE_TURNS)

    def is_usable(self, connection: Connection) -> bool:
        """Neither closed, nor cut amid several statements that were sent together."""
        from psycopg.pq import PipelineStatus

        driver = connection.driver
        return not driver.closed and driver.info.pipeline_status == PipelineStatus.OFF

    def errors(self) -> tuple[type[Exception], ...]:
        """psycopg's; UnicodeError where the text of an error is damaged."""
        import psycopg

        return psycopg.Error, UnicodeError

    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of PostgreSQL into words."""
        return translate(self.shown, error, run=run, to_write=to_write, busy_seconds=BUSY_SECONDS)

    def is_store(self, connection: Connection) -> bool:
        """Look for tiebreak's tables, as far as they are visible; other tables are no reason not to make a store."""
        names = [name for (name,) in connection.execute(_VISIBLE, [[table.in_database for table in TABLES]])]
        if not names:
            return False
        if STORE.in_database not in names:
            from tiebreak.scores.vocabulary import quoted

            raise NotAStoreError(
                f"{self.shown} has tables of something else that are called {quoted(names)}; they were left as they are. Name "
                "another database for the store, or another schema: ?options=-csearch_path%3DSCHEMA"
            )
        readable_schema(connection, self.shown)
        return True

    def settle(self, connection: Connection, *, is_new: bool, to_write: bool) -> None:
        """Warn of a server that does not keep what it says it keeps."""
        if to_write and self._unsafe:
            warnings.warn(unsafe_text(self.shown, self._unsafe), UnsafeServerWarning, stacklevel=2)

    def gone_text(self) -> str:
        """A server that is gone shows when it is used."""
        return ""

    def no_store_text(self) -> str:
        """No tables in the current schema."""
        return (
            f"there is no store in {self.shown}. Check the address; tiebreak makes its tables there when something is evaluated "
            "into it."
        )

    def find_damage(self, connection: Connection) -> str:
        """PostgreSQL checks its pages as they are read, so there is no check to ask for."""
        return ""

    def _set_up(self, driver: psycopg.Connection[Any]) -> None:
        from psycopg.types.numeric import Int8Dumper

        if driver.info.server_version < 10_000 * OLDEST:
            raise too_old(self.shown, driver.info.server_version, OLDEST)
        driver.adapters.register_dumper(int, Int8Dumper)  # one type for all, so that a statement is prepared once
        found = driver.execute(_set_up_statement()).fetchone()
        fsync, synchronous_commit, full_page_writes = (found or (None,) * 3)[-3:]
        settings = {"fsync": fsync, "synchronous_commit": synchronous_commit, "full_page_writes": full_page_writes}
        self._unsafe = [name for name, value in settings.items() if value == "off"]


def _set_up_statement() -> str:
    """Time limits, unless somebody has set some, and what durability depends on: in one answer."""
    limits = {
        "lock_timeout": BUSY_SECONDS,
        "statement_timeout": _STATEMENT_SECONDS,
        "idle_in_transaction_session_timeout": IDLE_SECONDS,
    }
    chosen = [
        f"set_config('{name}', coalesce(nullif(current_setting('{name}'), '0'), '{round(1000 * seconds)}'), false)"
        for name, seconds in limits.items()
    ]
    asked = [f"current_setting('{name}', true)" for name in ("fsync", "synchronous_commit", "full_page_writes")]
    return f"SELECT {', '.join(chosen + asked)}"


def _connection_parameters(url: str) -> Mapping[str, str]:
    """Parameters that the driver is given.

    Raises `InvalidParameterError` for an address or an option that PostgreSQL's library does not know, and
    `MissingDependencyError` without the driver.
    """
    from tiebreak.scores.vocabulary import look_up

    address = postgres_url(url)
    try:
        import psycopg
        from psycopg import conninfo, pq
    except ImportError:
        raise MissingDependencyError(
            f"{masked(url)} needs the driver of PostgreSQL: pip install 'psycopg[binary]>=3.2.1'."
        ) from None
    known = [option.keyword.decode() for option in pq.Conninfo.get_defaults()]
    for name in option_names(address):
        if name not in known and name != "ssl":  # which stands for sslmode=require
            try:
                look_up(name, known, "option of a PostgreSQL address")
            except TiebreakError as error:
                raise InvalidParameterError(str(error)) from None
    try:
        given = conninfo.conninfo_to_dict(address)
    except psycopg.Error:  # its text may quote the password
        raise InvalidParameterError(
            f"{masked(url)} cannot be read as the address of a database. A percent sign that means itself is written %25."
        ) from None
    chosen = {name: value for name, value in _CONNECTION.items() if _ENVIRONMENT.get(name, "") not in os.environ}
    fixed = {"client_encoding": "UTF8", "fallback_application_name": "tiebreak"}
    return {**chosen, **{name: str(value) for name, value in given.items() if value is not None}, **fixed}


# --- errors ---------------------------------------------------------------------------------------------------------------

_PERHAPS_KEPT = " What was written before is kept; of this call it is not certain, and to write it again does no harm."
_KEPT_BEFORE = " What was written before is kept."

# Error codes of PostgreSQL, appendix A of its manual. Of those that may pass: the server ends, starts, or has no place left; the
# session was ended; or two transactions stood in each other's way.
_PASSING = frozenset("57P01 57P02 57P03 57P05 25P03 53300 40001 40P01".split())
_DAMAGE = frozenset("XX001 XX002 42P01 42703 42804 42883 23502 23505".split())

# Those who are not let in are told why in words only, in the language of the server; what is not known here is no reason to wait
# for a server that was never reached.
_WAITING = (
    "too many clients",
    "too many connections",
    "connection slots",
    "starting up",
    "shutting down",
    "in recovery mode",
    "not yet accepting connections",
    "not accepting connections",
    # cut while it was being made: somebody was there
    "server closed the connection unexpectedly",
    "terminating connection",
    "connection has been closed unexpectedly",
    "Connection reset by peer",
)
_NOBODY = ("authentication failed", "no password supplied", "pg_hba.conf", "FATAL: role ")


def translate(shown: str, error: Exception, *, run: str, to_write: bool, busy_seconds: float) -> TiebreakError:
    """Put an error of psycopg into words for the caller.

    The error is from a connection that was open. `shown` is the store, without passwords; `run` what the transaction was about,
    "" for the whole store; a lock was waited for `busy_seconds`.
    """
    code = getattr(error, "sqlstate", None) or ""
    said = _said(error)
    if code in _PASSING or code.startswith("08") or (not code and _is_operational(error)):
        return lost(shown, said, _PERHAPS_KEPT if to_write else "")
    if code in _DAMAGE or isinstance(error, UnicodeError):
        about = f"run {run!r}: " if run else ""
        return DamagedStoreError(
            f"{about}{shown} is not as it was written: PostgreSQL says {said!r}. Put a copy of the tables in their place, or "
            "delete the run (if that fails, the tables) and measure it again."
        )
    kept = KEPT if to_write else ""
    if code == "54000":
        too_large = f"{shown}: the outputs of one cell are larger than PostgreSQL can keep.{kept} Pass "
        return StoreError(too_large, Setting("keep_predictions", "False"), ".")
    return StoreError(_fault_text(shown, code, said, kept, busy_seconds))


def refusal(shown: str, error: Exception, *, was_reached: bool) -> TiebreakError:
    """Error for a connection that could not be made.

    `was_reached` where there was a connection before: then the address is right, and the server will come back.
    """
    said = _said(error)
    if any(words in said for words in _WAITING):
        return lost(shown, said, "")
    if any(words in said for words in _NOBODY):
        return StoreError(
            f"{shown} does not let this user in: {said}. Check the user and the password, which may stand in the address, in "
            "PGPASSWORD or in a password file."
        )
    if "FATAL:" in said and "database " in said and "does not exist" in said:
        return StoreError(f"there is no such database as {shown}: {said}. Check the address, or make the database: createdb NAME")
    if was_reached:
        return lost(shown, said, _KEPT_BEFORE)
    return StoreError(f"{shown} cannot be reached: {said}. Check the address, and whether the server is running.")


def lost(shown: str, said: str, kept: str) -> LostStoreError:
    """Error for a server that went away, or lets nobody in for now."""
    brief = f"{shown} cannot be used for now: {said}."
    return LostStoreError(f"{brief}{kept} See to the server; {AGAIN}.", brief)


def too_old(shown: str, version: int, oldest: int) -> StoreError:
    """Error for a server that is not asked for more than its version."""
    return StoreError(
        f"{shown} is PostgreSQL {version // 10_000}, and tiebreak needs {oldest} or later. Upgrade the server, or name another "
        "store."
    )


def unsafe_text(shown: str, settings: Sequence[str]) -> str:
    """Warning about a server that is set to be fast rather than safe."""
    listed = " and ".join(f"{name} = off" for name in settings)
    harm = "can lose the cells kept last" if list(settings) == ["synchronous_commit"] else "can lose or damage what was kept"
    return f"{shown} runs with {listed}: a crash of the server {harm}. Switch that on for results that matter."


def _fault_text(shown: str, code: str, said: str, kept: str, busy_seconds: float) -> str:
    """Message that says what is wrong, what was kept, how to go on."""
    match code:
        case "55P03":
            return (
                f"{shown} is locked: another process has been writing to it for more than {busy_seconds:g} seconds.{kept} Wait "
                f"for that process or stop it; {AGAIN}."
            )
        case "53100":
            return f"{shown} cannot grow: the disk of the server is full ({said}).{kept} Make room; {AGAIN}."
        case "25006":
            return f"{shown} is read-only: {said}.{kept} Name the server that is written to, or another store."
        case "42501":
            return (
                f"{shown} cannot be used: {said}.{kept} The user needs CREATE in the schema to make a store, and SELECT, INSERT, "
                "UPDATE and DELETE on its tables."
            )
        case "3F000":
            return (
                f"{shown} has no schema to make tables in: {said}.{kept} Make one, or name one that is there: "
                "?options=-csearch_path%3DSCHEMA"
            )
        case _:
            return f"{shown} cannot be used: {said}.{kept} See to the server, or name another store."


def _is_operational(cause: BaseException) -> bool:
    """Tell that it is the connection that failed, and not what it was asked."""
    import psycopg

    return isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError))


def _said(cause: BaseException) -> str:
    """Words of the server or its library, in a line without a full stop."""
    primary = getattr(getattr(cause, "diag", None), "message_primary", None)
    lines = str(primary or cause).splitlines()
    text = " ".join(line.strip() for line in lines if not line.strip().startswith("Is the server running"))
    return " ".join(text.split()).removeprefix("connection failed: ").rstrip(".")
