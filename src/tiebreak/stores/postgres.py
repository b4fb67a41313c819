"""A PostgreSQL database as a place for a store: connections, transactions and the one lock that writers take."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tiebreak.errors import InvalidParameterError, MissingDependencyError, TiebreakError, UnsafeServerWarning
from tiebreak.scores.names import look_up, quoted
from tiebreak.stores import postgres_faults as faults
from tiebreak.stores.layout import LAYOUTS, PREFIX
from tiebreak.stores.store import RunSummary
from tiebreak.stores.urls import masked, option_names, postgres_url

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy import Connection, Engine

OLDEST = 13
"""The oldest release of PostgreSQL that is used."""
BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
_STATEMENT_SECONDS = 300.0
# A writer that stands still in the middle, its machine asleep or off the net, loses its lock before others give up.
_IDLE_SECONDS = 20.0

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
        to_regclass('{PREFIX}store')::oid, quote_ident(current_schema())::regnamespace::oid)::int4)"""

_VISIBLE = "SELECT relname::text FROM pg_catalog.pg_class WHERE relname = ANY(%s) AND pg_catalog.pg_table_is_visible(oid)"


class PostgresDatabase:
    """A database on a server; `Backend` describes the methods.

    The tables are those that the user sees without naming a schema. They are made in the current schema; other tables there
    are not looked at.

    Parameters
    ----------
    url : str
        As PostgreSQL's own library takes it.
    """

    kind = "PostgreSQL"
    path = ""
    whole = "the database"

    def __init__(self, url: str) -> None:
        self.url = self.shown = masked(url)
        self.opening = threading.Lock()
        self._parameters = _connection_parameters(url)
        self._was_reached = False
        self._unsafe: list[str] = []

    def glance(self) -> list[RunSummary] | None:
        """There is no shorter way."""
        return None

    def make_engine(self, *, create: bool) -> Engine:
        """An engine whose transactions begin as `transaction` says. Databases are not made, only tables."""
        import logging

        from sqlalchemy import create_engine, event

        # it remarks on connections that were cut, which is for those who ask for its log, and not for every terminal
        driver = logging.getLogger("psycopg")
        if not driver.handlers:
            driver.addHandler(logging.NullHandler())
        # SQLAlchemy is not given the address, so it has no password to tell
        engine = create_engine("postgresql+psycopg://", creator=self._connect, max_overflow=-1, use_native_hstore=False)
        event.listen(engine, "begin", _begin)
        return engine

    def errors(self) -> tuple[type[Exception], ...]:
        """Of SQLAlchemy and psycopg; UnicodeError where the text of an error is damaged."""
        import psycopg
        from sqlalchemy.exc import SQLAlchemyError

        return SQLAlchemyError, psycopg.Error, UnicodeError

    def translate(self, error: Exception, *, run: str, writing: bool) -> TiebreakError:
        """In words."""
        return faults.translate(self.shown, error, run=run, writing=writing, busy_seconds=BUSY_SECONDS)

    @contextmanager
    def transaction(self, connection: Connection, *, to_write: bool) -> Iterator[None]:
        """Readers see one state and wait for nobody; writers take turns."""
        try:
            transaction = connection.execution_options(tiebreak_writes=to_write).begin()
            yield
            transaction.commit()
        except BaseException:
            if not connection.invalidated and _is_spoilt(connection.connection.driver_connection):
                connection.invalidate()  # or it would be asked to roll back, and given to the next one
            raise

    def tables(self, connection: Connection) -> Sequence[str]:
        """Tiebreak's tables, as far as they are visible; other tables are no reason not to make a store."""
        names = [PREFIX + layout.name for layout in LAYOUTS]
        return [row[0] for row in connection.exec_driver_sql(_VISIBLE, (names,))]

    def foreign_text(self, names: Sequence[str]) -> str:
        """Tables with our names that are no store."""
        return (
            f"{self.shown} has tables of something else that are called {quoted(names)}; they were left as they are. Name "
            "another database for the store, or another schema: ?options=-csearch_path%3DSCHEMA"
        )

    def settle(self, engine: Engine, *, is_new: bool, to_write: bool) -> None:
        """Warn of a server that does not keep what it says it keeps."""
        if to_write and self._unsafe:
            warnings.warn(faults.unsafe_text(self.shown, self._unsafe), UnsafeServerWarning, stacklevel=2)

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

    def _connect(self) -> psycopg.Connection[Any]:
        import psycopg

        try:
            connection = psycopg.connect(**self._parameters, autocommit=True)  # type: ignore[arg-type]
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
        except psycopg.Error as error:
            raise faults.refusal(self.shown, error, was_reached=self._was_reached) from error
        connection.autocommit = False
        self._was_reached = True
        return connection

    def _set_up(self, connection: psycopg.Connection[Any]) -> None:
        from psycopg.types.numeric import Int8Dumper

        if connection.info.server_version < 10_000 * OLDEST:
            raise faults.too_old(self.shown, connection.info.server_version, OLDEST)
        connection.adapters.register_dumper(int, Int8Dumper)  # one type for all, so that a statement is prepared once
        found = connection.execute(_set_up_statement()).fetchone()
        fsync, synchronous_commit, full_page_writes = (found or (None,) * 3)[-3:]
        settings = {"fsync": fsync, "synchronous_commit": synchronous_commit, "full_page_writes": full_page_writes}
        self._unsafe = [name for name, value in settings.items() if value == "off"]


def _is_spoilt(raw: Any) -> bool:
    """Whether a connection takes no further commands: closed, or cut amid several statements that were sent together."""
    from psycopg.pq import PipelineStatus

    return bool(raw.closed or raw.info.pipeline_status != PipelineStatus.OFF)


def _set_up_statement() -> str:
    """Time limits, unless somebody has set some, and what durability depends on: in one answer."""
    limits = {
        "lock_timeout": BUSY_SECONDS,
        "statement_timeout": _STATEMENT_SECONDS,
        "idle_in_transaction_session_timeout": _IDLE_SECONDS,
    }
    chosen = [
        f"set_config('{name}', coalesce(nullif(current_setting('{name}'), '0'), '{round(1000 * seconds)}'), false)"
        for name, seconds in limits.items()
    ]
    asked = [f"current_setting('{name}', true)" for name in ("fsync", "synchronous_commit", "full_page_writes")]
    return f"SELECT {', '.join(chosen + asked)}"


def _begin(connection: Connection) -> None:
    from psycopg import IsolationLevel

    raw: Any = connection.connection.driver_connection
    to_write = connection.get_execution_options().get("tiebreak_writes", False)
    # a writer has to see what was kept while it waited for its turn, which it would not in the state of its first statement
    raw.isolation_level = IsolationLevel.READ_COMMITTED if to_write else IsolationLevel.REPEATABLE_READ
    raw.read_only = None if to_write else True
    if to_write:
        with closing(raw.cursor()) as cursor:
            cursor.execute(_TAKE_TURNS)


def _connection_parameters(url: str) -> Mapping[str, str]:
    """What the driver is given.

    Raises
    ------
    InvalidParameterError
        An address or an option that PostgreSQL's library does not know.
    MissingDependencyError
    """
    address = postgres_url(url)
    try:
        import psycopg
        from psycopg import conninfo, pq
    except ImportError:
        raise MissingDependencyError(f"{masked(url)} needs the driver of PostgreSQL: pip install 'tiebreak[postgres]'.") from None
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
