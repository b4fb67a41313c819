"""A store in a database: a SQLite file."""

from __future__ import annotations

import dataclasses
import os

from tiebreak.plan.record import RunRecord
from tiebreak.stores.checking import check_database
from tiebreak.stores.database import Database
from tiebreak.stores.deleting import delete_run
from tiebreak.stores.listing import list_runs
from tiebreak.stores.loading import begin_run, extend_run, find_run, known_run, load_run
from tiebreak.stores.merging import check_record, environment_of, merge_records
from tiebreak.stores.sources import sqlite_path
from tiebreak.stores.sql_log import SqlLog
from tiebreak.stores.store import Damage, RunSummary


class SqlStore:
    """Runs in a SQLite file. Any number of threads and processes may use it at once.

    The file is made when a run is begun, readable for its owner only. Nothing in it is pickled, and reading it imports
    nothing that it names. Every row carries a hash that is checked whenever it is read.

    Parameters
    ----------
    source : str or path-like
        ``sqlite:///results.db``, or a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        path = sqlite_path(source)
        self._url = f"sqlite:///{path}"
        self._database = Database(path)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    @property
    def url(self) -> str:
        """Where the store is."""
        return self._url

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first."""
        with self._database.reading() as connection:
            return list_runs(connection)

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> SqlLog:
        """Begin a run, or go on with the one of the same name."""
        check_record(record)
        with self._database.writing(record.name, create=True) as connection:
            row = find_run(connection, record.name)
            if row is None:
                run, environment = begin_run(connection, record), 0
            else:
                stored = load_run(connection, row)
                merged = merge_records(stored.record, record)
                environment = environment_of(record.name, stored.environments, record.versions, accept_versions)
                is_new = environment == len(stored.environments)
                environments = (*stored.environments, dict(record.versions)) if is_new else stored.environments
                run = extend_run(connection, stored, merged, environments)
        return SqlLog(self._database, run, dataclasses.replace(record, threads=run.record.threads), environment)

    def read(self, name: str) -> SqlLog:
        """A stored run with everything that it has."""
        with self._database.reading(name) as connection:
            run = load_run(connection, known_run(connection, name))
        return SqlLog(self._database, run, run.record, len(run.environments) - 1)

    def delete(self, name: str) -> None:
        """Forget a run, even a damaged one."""
        delete_run(self._database, name)

    def check(self) -> list[Damage]:
        """Read everything and say what is not as it was written; empty if all is well."""
        return check_database(self._database)

    def close(self) -> None:
        """Let go of the file; the store may be used again afterwards."""
        self._database.close()
