"""A store in a database: a SQLite file, PostgreSQL, or a database in memory."""

import dataclasses
import os
import secrets
from collections.abc import Mapping

from tiebreak.errors import InvalidParameterError, StoreError
from tiebreak.plan.record import RunRecord
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores import FILES
from tiebreak.stores.contract import Damage, FoundDamageError, Report, RunSummary, merge_records, merge_versions, refuse
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.encoding import pack_plan, sealed
from tiebreak.stores.log import Head, SqlLog, StoredPlan, name_of, pack_head, read_heads, read_stored
from tiebreak.stores.postgres import PostgresDatabase, masked
from tiebreak.stores.sqlite import MemoryDatabase, SqliteDatabase

FORMS = "Give 'sqlite:///results.db', a path that ends in .db or .sqlite, or 'postgresql://user@host/database'"
"""The three forms of an address, for messages."""


_PUT_RUN = (
    "INSERT INTO tiebreak_runs (run, head, plan) VALUES (?, ?, ?) "
    "ON CONFLICT (run) DO UPDATE SET head = excluded.head, plan = excluded.plan"
)
_LOST_RUNS = "SELECT DISTINCT run FROM tiebreak_cells WHERE run NOT IN (SELECT run FROM tiebreak_runs)"


class SqlStore:
    """Runs in a database: a SQLite file, or PostgreSQL. Any number of threads and processes may use it at once.

    A cell is recorded whole or not at all. Names of runs, models, datasets and metrics may be any text, quotes, newlines and lone
    surrogates included. A file is made when a run is begun, readable for its owner only; in PostgreSQL so are tables, in the
    current schema of the user. Nothing in it is pickled, and reading it imports nothing that it names. Every row carries a hash
    that is checked whenever it is read.

    Parameters
    ----------
    source : str or path-like
        ``sqlite:///results.db``, a path that ends in ``.db`` or ``.sqlite``, or
        ``postgresql://user:password@host/database`` with the options of PostgreSQL's own library, such as ``?sslmode=require``.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    MissingDependencyError
        PostgreSQL without its driver.

    Attributes
    ----------
    url : str
        Address of the store, without passwords; "" for one in memory.
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        text = os.fsdecode(source)
        path = text.removeprefix("sqlite:///")
        is_file = path != text or ("://" not in text and text.lower().endswith(FILES))
        is_server = text.startswith("postgresql://")
        if not is_server and (not is_file or path in ("", ":memory:") or any(letter in path for letter in "?#\0")):
            raise InvalidParameterError(f"{masked(text)!r} is no address of a store. {FORMS}; no ? or # in a path.")
        self._database: Database = PostgresDatabase(text) if is_server else SqliteDatabase(path)
        self.url = self._database.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first. The cells are not read for it."""
        with self._database.transaction() as connection:
            runs = read_heads(connection, refuse)
        return sorted(runs.values(), key=lambda run: run.updated, reverse=True)

    def open(self, record: RunRecord, *, accept_versions: bool = False, is_preview: bool = False) -> SqlLog:
        """Begin a run, or go on with the one of the same name.

        Models, datasets, splits and metrics that the stored run does not have are added to it; those that it has must be
        the same. What the stored run has beyond the record stays, and is not seen through this log. `threads` stays what it
        was; `settings` are added to those stored. As a preview, of a run that is there, nothing is written: the log shows what
        the run would go on with.

        Raises
        ------
        ChangedRunError
            A model, dataset, split or metric of that name (or key) was another one, or rng was.
            The run was made with other versions, and `accept_versions` is False.
        """
        versions, name, writes = dict(record.versions), record.name, not is_preview
        with self._database.transaction(name, to_write=writes, create=writes) as connection:
            damages: list[Damage] = []
            heads = read_heads(connection, damages.append)
            run = next((number for number, head in heads.items() if head.name == name), None)
            if run is None and damages:  # it may be the one
                refuse(damages[0])
            if run is None:
                run, stored = secrets.randbits(40), record
                environments: tuple[Mapping[str, str], ...] = (versions,)
                before = Head(name, connection.now, connection.now, 0, 0, 0, 0, 0, 0, ())
            else:
                old, before = read_stored(connection, run, name), heads[run]
                stored = merge_records(old.record, record)
                environments = merge_versions(name, old.environments, versions, accept_versions)
            plan = sealed(pack_plan(stored, environments), b"plan", run)
            head = before
            if writes:
                head = dataclasses.replace(
                    before,
                    n_cells=stored.n_cells,
                    n_models=len(stored.models),
                    n_datasets=len(stored.datasets),
                    n_splits=sum(dataset.n_splits for dataset in stored.datasets),
                    metrics=tuple(metric.name for metric in stored.metrics),
                    plan=plan[:8].hex(),
                )
            if head != before:
                connection.execute(_PUT_RUN, [run, pack_head(run, head), plan])
        own = dataclasses.replace(record, threads=stored.threads)
        kept = StoredPlan(stored, environments, head.plan)
        return SqlLog(self._database, run, own, kept, environments.index(versions))

    def read(self, name: str) -> SqlLog:
        """A stored run with everything that it has; raises `UnknownNameError`, with the nearest names."""
        with self._database.transaction(name) as connection:
            return self._log(connection, known_run(connection, name), name)

    def delete(self, name: str) -> None:
        """Forget a run, even a damaged one."""
        with self._database.transaction(name, to_write=True) as connection:
            run = known_run(connection, name)
            for table in ("cells", "leases", "runs"):
                connection.execute(f"DELETE FROM tiebreak_{table} WHERE run = ?", [run])  # noqa: S608

    def check(self) -> list[Damage]:
        """Read everything and say what is not as it was written; empty if all is well. Damage is never raised from here."""
        damages: list[Damage] = []
        database = self._database
        try:
            with database.transaction() as connection:
                damages += database.find_damage(connection)
                runs = read_heads(connection, damages.append)
                if connection.execute(_LOST_RUNS):
                    damages.append(Damage("", "the list of runs", "one that has cells is gone"))
        except FoundDamageError as error:
            return [*damages, error.damage]
        for run, summary in runs.items():
            try:
                with database.transaction(summary.name) as connection:
                    log = self._log(connection, run, summary.name, damages.append)
                log.check()
            except FoundDamageError as error:
                damages.append(error.damage)
            except StoreError:
                with database.transaction() as connection:
                    if run in read_heads(connection, damages.append):
                        raise  # else it was deleted by another process meanwhile
        return list(dict.fromkeys(damages))

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy a store in a file into another file, as it is at one moment. Others may write meanwhile.

        The copy is read and verified before it takes its name; a store that is damaged is refused.

        Parameters
        ----------
        path : str or path-like
            A file that is not there yet.

        Raises
        ------
        StoreError
            The copy cannot be written there, or the store is in PostgreSQL, which has tools of its own for it.
        DamagedStoreError
        """
        self._database.back_up(path, lambda part: SqlStore(part).check())

    def close(self) -> None:
        """Let go of files and connections; the store may be used again afterwards."""
        self._database.close()

    def _log(self, connection: Connection, run: int, name: str, report: Report = refuse) -> SqlLog:
        plan = read_stored(connection, run, name)
        return SqlLog(self._database, run, plan.record, plan, len(plan.environments) - 1, report)


def open_store(source: str | os.PathLike[str] | SqlStore) -> SqlStore:
    """Open the store that is meant by an address, a path or a store itself. No file is opened yet.

    Anything but these raises `InvalidParameterError`.
    """
    if isinstance(source, (str, os.PathLike)):
        return SqlStore(source)
    if not isinstance(source, SqlStore):
        raise InvalidParameterError(f"a store is a URL, a path or a SqlStore, and not {type(source).__name__}. {FORMS}.")
    return source


class MemoryStore(SqlStore):
    """Runs that are kept until the process ends, for when nothing needs to survive. Any thread may use it."""

    def __init__(self) -> None:
        self._database = MemoryDatabase()
        self.url = ""


def known_run(connection: Connection, name: str) -> int:
    """Find the number of a run, even of a damaged one; raises `UnknownNameError` if there is none of that name."""
    found: dict[str, int] = {name_of(head): run for run, head in connection.execute("SELECT run, head FROM tiebreak_runs")}
    if name not in found:
        read_heads(connection, refuse)
    return list(found.values())[look_up(name, list(found), "run")]
