"""A store in a database: a SQLite file, or PostgreSQL.

The methods import what they need: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

import dataclasses
import math
import os
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import RunRecord
from tiebreak.stores import ACCEPTED
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql.runs import delete_run, list_runs, open_run, read_run

if TYPE_CHECKING:
    from tiebreak.stores.contract import RunSummary
    from tiebreak.stores.sql.database import Database
    from tiebreak.stores.sql.log import SqlLog
    from tiebreak.stores.sql.upgrade import Upgrade

_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


def _database(source: str | os.PathLike[str], patience: float) -> Database:
    """Database that a URL or a path means."""
    text = os.fspath(source)
    if not isinstance(text, str):
        raise InvalidParameterError(f"the path of a store is text, and not bytes. {ACCEPTED}.")
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in _POSTGRES:
        from tiebreak.stores.sql.postgres import PostgresDatabase

        return PostgresDatabase(text, patience)
    path = rest.removeprefix("/") if separator else text
    if not separator and not text.lower().endswith(_SUFFIXES):
        fault = f"is not known as a store. {ACCEPTED}."
    elif separator and (scheme != "sqlite" or not rest.startswith("/")):
        fault = f"is not supported: tiebreak keeps runs in SQLite and PostgreSQL. {ACCEPTED}."
    elif separator and path in ("", ":memory:"):
        fault = f"names no file. {ACCEPTED}; without a store, results are kept in memory only."
    elif separator and "?" in path:
        fault = "has options after the question mark, and tiebreak takes none. Leave them out."
    else:
        from tiebreak.stores.sql.sqlite import SqliteDatabase

        return SqliteDatabase(path)
    from tiebreak.stores.sql.postgres import masked

    raise InvalidParameterError(f"{masked(text)!r} {fault}")


class SqlStore:
    """Runs in a database: a SQLite file, or PostgreSQL. Any number of threads and processes may use it at once.

    A file is made when a run is begun, readable for its owner only; in PostgreSQL so are tables, in the current schema of the
    user. Nothing in it is pickled, and reading it imports nothing that it names. Every row carries a hash that is checked
    whenever it is read.

    Parameters
    ----------
    source : str or path-like
        ``sqlite:///results.db``, a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``, or
        ``postgresql://user:password@host/database`` with the options of PostgreSQL's own library, such as ``?sslmode=require``.
    patience : float, default 60.0
        For how many seconds a PostgreSQL server that went away is waited for, before that is an error.
    lease_seconds : float, default 60.0
        Where several processes measure one run: for how long one of them may show no sign of life before the others
        take over the cells that it had begun. A process that ended on the same machine is noticed at once.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    MissingDependencyError
        PostgreSQL without its driver.
    """

    def __init__(self, source: str | os.PathLike[str], *, patience: float = 60.0, lease_seconds: float = 60.0) -> None:
        self._database = _database(source, _seconds("patience", patience, 0))
        self.url = self._database.url
        self._lease_seconds = _seconds("lease_seconds", lease_seconds, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first."""
        return self._database.read(list_runs)

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> SqlLog:
        """Begin a run, or go on with the one of the same name."""
        from tiebreak.stores.plan_mapping import check_record
        from tiebreak.stores.sql.log import SqlLog

        check_record(record)
        run, environment = self._database.write(partial(open_run, record, accept_versions), record.name, create=True)
        record = dataclasses.replace(record, threads=run.record.threads)
        return SqlLog(self._database, run, record, environment, self._lease_seconds)

    def read(self, name: str) -> SqlLog:
        """A stored run with everything that it has."""
        from tiebreak.stores.sql.log import SqlLog

        run = self._database.read(partial(read_run, name), name)
        return SqlLog(self._database, run, run.record, len(run.environments) - 1, self._lease_seconds)

    def delete(self, name: str) -> None:
        """Forget a run, even a damaged one."""
        delete_run(self._database, name)

    def check(self) -> list[Damage]:
        """Read everything and say what is not as it was written; empty if all is well."""
        from tiebreak.stores.sql.check import check_database

        return check_database(self._database)

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False, even_damaged: bool = False) -> list[Damage]:
        """Copy the store into a SQLite file, as it is at one moment. Others may write meanwhile.

        The copy is read and verified before it takes its name; a store that is damaged is refused.

        Parameters
        ----------
        path : str or path-like
        overwrite : bool
            Whether a file that is there may be replaced.
        even_damaged : bool
            Whether to copy a damaged store as it is.

        Returns
        -------
        list of Damage
            What is wrong with the copy; empty unless `even_damaged`.

        Raises
        ------
        StoreError
            The copy cannot be written there.
        DamagedStoreError
        """
        from tiebreak.stores.sql.backup import back_up

        return back_up(self._database, path, overwrite=overwrite, even_damaged=even_damaged)

    def upgrade(self, *, even_damaged: bool = False) -> Upgrade:
        """Bring a store that an earlier release made to the schema of this one, if it is not there yet.

        A backup is made beside the file first, which never replaces another one. A damaged store is refused. Whenever it is
        stopped, the store is as before or upgraded, and nothing in between.

        Parameters
        ----------
        even_damaged : bool
            Whether to upgrade a damaged store. What is damaged in it stays so, and is reported as before.
        """
        from tiebreak.stores.sql.upgrade import upgrade_database

        return upgrade_database(self._database, even_damaged=even_damaged)

    def close(self) -> None:
        """Let go of files and connections; the store may be used again afterwards."""
        self._database.close()


def _seconds(name: str, value: float, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= value < math.inf:
        raise InvalidParameterError(f"{name} must be a number of seconds of at least {least:g}; got {value!r}.")
    return float(value)
