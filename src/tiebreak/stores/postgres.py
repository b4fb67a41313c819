"""A store in a PostgreSQL database: addresses, connections, the one lock that writers take, and what errors mean."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.errors import (
    InvalidParameterError,
    MissingDependencyError,
    Setting,
    StoreError,
    TiebreakError,
)
from tiebreak.printable import HIDDEN, without_password
from tiebreak.stores.contract import Damage, damaged
from tiebreak.stores.database import AGAIN, KEPT, TABLES, Connection, Database

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
    shown = _SECRET_OPTION.sub(rf"\1{HIDDEN}", url)
    start, end = found.span("password")
    return f"{shown[:start]}:{HIDDEN}{shown[end:]}" if found["password"] else shown


def _connection_parameters(url: str) -> Mapping[str, str]:
    """Parameters that the driver is given.

    Raises `InvalidParameterError` for an address that PostgreSQL's library does not take, or would take for another one, such as
    a password with an @; its text shows no password. Raises `MissingDependencyError` without the driver.
    """
    shown = masked(url)
    try:
        import psycopg
        from psycopg import conninfo
    except ImportError:
        raise MissingDependencyError(f"{shown} needs the driver of PostgreSQL: pip install 'psycopg[binary]>=3.2.1'.") from None
    try:
        given = conninfo.conninfo_to_dict(url) if _URL.fullmatch(url) else None
    except psycopg.Error:  # its text may quote the password
        given = None
    if given is None:
        raise InvalidParameterError(
            f"{shown!r} cannot be read as the address of a database. It is written "
            "postgresql://user:password@host:port/database?option=value, with options that PostgreSQL knows; in user and "
            "password, characters such as @ : / ? # and % are written in percent code (@ as %40). The name of a run goes behind "
            "a # only where a run is asked for."
        )
    fixed = {"client_encoding": "UTF8", "fallback_application_name": "tiebreak"}
    return {**_CONNECTION, **{name: str(value) for name, value in given.items() if value is not None}, **fixed}


# --- connections ----------------------------------------------------------------------------------------------------------

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
_STATEMENT_SECONDS = 300.0
# A writer that stands still in the middle, its machine asleep or off the net, loses its lock before others give up.
IDLE_SECONDS = 20.0

# What is not said in the address: the far end of a dead connection is noticed in half a minute, not in hours.
_CONNECTION = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}

# Writers of a store take turns. The lock is of the table that is there once in each store, or, until it is, of the schema in
# which it would be made; so stores in other schemas are not waited for. It ends with the transaction, however that ends.
_TAKE_TURNS = f"""
    SELECT pg_advisory_xact_lock({0x74696562}, coalesce(
        to_regclass('tiebreak_store')::oid, quote_ident(current_schema())::regnamespace::oid)::int4)"""

_VISIBLE = "SELECT relname::text FROM pg_catalog.pg_class WHERE relname = ANY(?) AND pg_catalog.pg_table_is_visible(oid)"


class PostgresConnection(Connection):
    """A connection to a server; `Connection` describes the methods."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with."""
        # in binary numbers and blobs come as they are kept, and not as texts to be read
        cursor = self.driver.execute(statement.replace("?", "%s"), values, binary=True)
        return cursor.fetchall() if cursor.description else []

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each of some rows."""
        with self.driver.cursor(binary=True) as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)


class PostgresDatabase(Database):
    """A database on a server; `Database` describes the methods.

    The tables are those that the user sees without naming a schema. They are made in the current schema; other tables there are
    not looked at.
    """

    def __init__(self, url: str) -> None:
        self._parameters = _connection_parameters(url)
        from psycopg import Error  # which is there, or the parameters would not be

        absence = "Check the address; tiebreak makes its tables there when something is evaluated into it."
        super().__init__(masked(url), f"there is no store in {masked(url)}. {absence}")
        self.errors = Error, UnicodeError
        # psycopg remarks on connections that were cut, which is for those who ask for its log, and not for every terminal
        if not (log := logging.getLogger("psycopg")).handlers:
            log.addHandler(logging.NullHandler())

    def connect(self, *, create: bool) -> PostgresConnection:
        """Connect to the server."""
        import psycopg

        try:
            return PostgresConnection(psycopg.connect(**self._parameters))  # type: ignore[arg-type]
        except psycopg.Error as error:  # told by the server's words: there is no code for it
            said = _said(error)
            if any(words in said for words in _NOBODY):
                raise StoreError(
                    f"{self.url} does not let this user in: {said}. Check the user and the password, which may stand in the "
                    "address, in PGPASSWORD or in a password file."
                ) from error
            raise StoreError(
                f"{self.url} cannot be reached: {said}. Check the address, and whether the server is running and has the "
                f"database (createdb NAME makes one). What was written before is kept; {AGAIN}."
            ) from error

    def set_up(self, connection: Connection, *, create: bool) -> bool:
        """Set limits of time, where nobody has set others, and look for the tables, as far as they are visible.

        Other tables are no reason not to make a store.
        """
        from psycopg.types.numeric import Int8Dumper

        connection.driver.adapters.register_dumper(int, Int8Dumper)  # one type for all, so that a statement is prepared once
        limits = {
            "lock_timeout": BUSY_SECONDS,
            "statement_timeout": _STATEMENT_SECONDS,
            "idle_in_transaction_session_timeout": IDLE_SECONDS,
        }
        chosen = "set_config('{0}', coalesce(nullif(current_setting('{0}'), '0'), '{1:.0f}'), false)"
        connection.execute(f"SELECT {', '.join(chosen.format(name, 1000 * seconds) for name, seconds in limits.items())}")
        connection.driver.commit()
        self.begin(connection, to_write=create)
        names = [name for (name,) in connection.execute(_VISIBLE, [list(TABLES)])]
        if names and "tiebreak_store" not in names:
            raise StoreError(
                f"{self.url} has tables of something else that are called {', '.join(map(repr, sorted(names)))}; they were left "
                "as they are. Name another database for the store, or another schema: ?options=-csearch_path%3DSCHEMA"
            )
        return bool(names)

    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Readers see one state and wait for nobody; writers take turns."""
        from psycopg import IsolationLevel

        driver = connection.driver
        # a writer has to see what was kept while it waited for its turn, which it would not in the state of its first statement
        driver.isolation_level = IsolationLevel.READ_COMMITTED if to_write else IsolationLevel.REPEATABLE_READ
        driver.read_only = None if to_write else True
        if to_write:
            driver.execute(_TAKE_TURNS)
            [(connection.now,)] = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8")  # the server's clock

    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of PostgreSQL into words."""
        import psycopg

        code = getattr(error, "sqlstate", None) or ""
        said = _said(error)
        is_cut = not code and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
        if code in _PASSING or code.startswith("08") or is_cut:
            kept = _PERHAPS_KEPT if to_write else ""
            return StoreError(f"{self.url} cannot be used for now: {said}.{kept} See to the server; {AGAIN}.")
        if code in _DAMAGE or isinstance(error, UnicodeError):
            return damaged(
                f"{f'run {run!r}: ' if run else ''}{self.url} is not as it was written: PostgreSQL says {said!r}. Put a copy of "
                "the tables in their place, or delete the run (if that fails, the tables) and measure it again.",
                Damage(run, "the database", f"PostgreSQL says {' '.join(str(error).split())!r}"),
            )
        kept = KEPT if to_write else ""
        if code == "54000":
            return StoreError(
                f"{self.url}: the outputs of one cell are larger than PostgreSQL can keep.{kept} Pass ",
                Setting("keep_predictions", "False"),
                ".",
            )
        text = _FAULTS.get(code, _OTHER).format(said=said, kept=kept, seconds=BUSY_SECONDS)
        return StoreError(f"{self.url} {text}")


# --- errors ---------------------------------------------------------------------------------------------------------------

_PERHAPS_KEPT = " What was written before is kept; of this call it is not certain, and to write it again does no harm."

# Error codes of PostgreSQL, appendix A of its manual. Of those that may pass: the server ends, starts, or has no place left; the
# session was ended; or two transactions stood in each other's way.
_PASSING = frozenset("57P01 57P02 57P03 57P05 25P03 53300 40001 40P01".split())
_DAMAGE = frozenset("XX001 XX002 42P01 42703 42804 42883 23502 23505".split())

# Those who are not let in are told why in words only, in the language of the server.
_NOBODY = ("authentication failed", "no password supplied", "pg_hba.conf", "FATAL: role ")


_FAULTS = {
    "55P03": "is locked: another process has been writing to it for more than {seconds:g} seconds.{kept} Wait for that process "
    f"or stop it; {AGAIN}.",
    "53100": f"cannot grow: the disk of the server is full ({{said}}).{{kept}} Make room; {AGAIN}.",
    "25006": "is read-only: {said}.{kept} Name the server that is written to, or another store.",
    "42501": "cannot be used: {said}.{kept} The user needs CREATE in the schema to make a store, and SELECT, INSERT, UPDATE and "
    "DELETE on its tables.",
    "3F000": "has no schema to make tables in: {said}.{kept} Make one, or name one that is there: "
    "?options=-csearch_path%3DSCHEMA",
}
_OTHER = "cannot be used: {said}.{kept} See to the server, or name another store."


def _said(cause: BaseException) -> str:
    """Words of the server or its library, in a line without a full stop."""
    primary = getattr(getattr(cause, "diag", None), "message_primary", None)
    lines = str(primary or cause).splitlines()
    text = " ".join(line.strip() for line in lines if not line.strip().startswith("Is the server running"))
    return " ".join(text.split()).removeprefix("connection failed: ").rstrip(".")
