"""A store in a database: a SQLite file."""

from __future__ import annotations

import math
import os
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import RunRecord
from tiebreak.stores.database import Database
from tiebreak.stores.glance import glance
from tiebreak.stores.listing import list_runs
from tiebreak.stores.sources import sqlite_path
from tiebreak.stores.statements import fetch
from tiebreak.stores.store import Damage, RunSummary

if TYPE_CHECKING:
    from tiebreak.stores.sql_log import SqlLog
    from tiebreak.stores.upgrading import Upgrade

# The methods import what they need: a list of runs is there before numpy and SQLAlchemy would be loaded.


class SqlStore:
    """Runs in a SQLite file. Any number of threads and processes may use it at once.

    The file is made when a run is begun, readable for its owner only. Nothing in it is pickled, and reading it imports
    nothing that it names. Every row carries a hash that is checked whenever it is read.

    Parameters
    ----------
    source : str or path-like
        ``sqlite:///results.db``, or a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``.
    lease_seconds : float, default 60
        Where several processes measure one run: for how long one of them may show no sign of life before the others
        take over the cells that it had begun. A process that ended on the same machine is noticed at once.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    """

    def __init__(self, source: str | os.PathLike[str], *, lease_seconds: float = 60.0) -> None:
        path = sqlite_path(source)
        self._url = f"sqlite:///{path}"
        self._database = Database(path)
        self._lease_seconds = _checked_seconds(lease_seconds)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    @property
    def url(self) -> str:
        """Where the store is."""
        return self._url

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first."""
        found = self._database.glance(glance)
        if found is not None:
            return found
        with self._database.reading() as connection:
            return list_runs(partial(fetch, connection))

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> SqlLog:
        """Begin a run, or go on with the one of the same name."""
        from tiebreak.stores.opening import open_run

        return open_run(self._database, record, accept_versions=accept_versions, lease_seconds=self._lease_seconds)

    def read(self, name: str) -> SqlLog:
        """A stored run with everything that it has."""
        from tiebreak.stores.opening import read_run

        return read_run(self._database, name, lease_seconds=self._lease_seconds)

    def delete(self, name: str) -> None:
        """Forget a run, even a damaged one."""
        from tiebreak.stores.deleting import delete_run

        delete_run(self._database, name)

    def check(self) -> list[Damage]:
        """Read everything and say what is not as it was written; empty if all is well."""
        from tiebreak.stores.checking import check_database

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
        from tiebreak.stores.backing_up import back_up

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
        from tiebreak.stores.upgrading import upgrade_database

        return upgrade_database(self._database, even_damaged=even_damaged)

    def close(self) -> None:
        """Let go of the file; the store may be used again afterwards."""
        self._database.close()


def _checked_seconds(seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 1 <= seconds < math.inf:
        raise InvalidParameterError(f"lease_seconds={seconds!r} is no number of seconds; give 1 or more.")
    return float(seconds)
