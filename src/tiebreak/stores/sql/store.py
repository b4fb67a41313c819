"""A store in a database: a SQLite file, or PostgreSQL."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.stores.contract import CellTable, Damage, Note, RunSummary, Store, cell_text, refuse
from tiebreak.stores.merging import check_record, environment_of, merge_records
from tiebreak.stores.places import ABSENT, find_places
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.encoding import from_json, unpack_table
from tiebreak.stores.sql.leases import SqlLease
from tiebreak.stores.sql.plan_mapping import (
    StoredRun,
    begin_run,
    extend_run,
    find_run,
    forget_rows,
    known_run,
    load_run,
    store_row,
)
from tiebreak.stores.sql.reading import BLOCK, Read, cells_in, noting_cells, read_block, scan_cells
from tiebreak.stores.sql.rows import SECONDS
from tiebreak.stores.sql.runs import list_runs
from tiebreak.stores.sql.sqlite_file import SqliteFile
from tiebreak.stores.sql.statements import cells_after, delete, delete_cells, fetch, put
from tiebreak.stores.sql.tables import CELLS, ENVIRONMENTS, OUTPUTS, RUNS, STORE, TALLIES, Row, add_hashes
from tiebreak.stores.sql.urls import is_postgres, masked
from tiebreak.stores.sql.writing import Writer

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tiebreak.stores.sql.database import Backend
    from tiebreak.stores.sql.upgrade import Upgrade


class SqlLog:
    """The cells of one run in a database.

    Parameters
    ----------
    database : Database
    run : StoredRun
    record : RunRecord
        The part of the run that this log sees.
    environment : int
        The position of the versions at work.
    lease_seconds : float
        For how long who has taken cells on may show nothing.
    """

    def __init__(self, database: Database, run: StoredRun, record: RunRecord, environment: int, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._database = database
        self._number = run.number
        self._stored = _without_arrays(run.record)
        self._places = find_places(record, run.record)
        self._writer = Writer(database, run.number, self._stored, self._places, environment)

    @property
    def record(self) -> RunRecord:
        """The plan that this log was opened with, or all that the run has where it was opened for reading."""
        return self._places.record

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""
        found = self._database.read(lambda connection: fetch(connection, ENVIRONMENTS, run=self._number), self.record.name)
        for i in ENVIRONMENTS.damaged(found):
            refuse(Damage(self.record.name, "the list of versions", f"the hash of its row {i} does not match"))
        return tuple(from_json(row[2]) for row in found)

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none."""
        self._writer.write(outcomes)

    def lease(self) -> SqlLease:
        """A share in measuring the run, for one process among several."""
        return SqlLease(self._database, self._number, self._stored, self._places, self._writer, self._lease_seconds)

    def table(self) -> CellTable:
        """All recorded cells."""
        pages = scan_cells(self._database, self._number, self._stored, self._columns)
        table = CellTable(*(np.concatenate(column) for column in zip(*pages, strict=True)))
        order = np.lexsort((table.model, table.split, table.dataset))
        if np.array_equal(order, np.arange(order.size)):
            return table
        columns = (getattr(table, field.name) for field in dataclasses.fields(table))
        return CellTable(*(column[order] for column in columns))

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The recorded outcomes of the given cells, or of all, in the order of the plan."""
        asked = self._recorded() if cells is None else self._asked(cells)
        stored = self._places.stored_positions(asked)
        for rows in _blocks(stored, is_dense=cells is None and self.record.n_cells == self._stored.n_cells):
            block = cells_in(stored[rows])
            found = self._read(block, outputs=outputs)
            for cell, place in zip(cells_in(asked[rows]), block, strict=True):
                if place in found:
                    kept, arrays = found[place]
                    yield self._places.own_part(kept.outcome, cell, arrays)

    def noted(self, what: Note) -> Iterator[Outcome]:
        """The recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan."""
        found = self._noted(what)
        return found if self._places.keep_order else iter(sorted(found, key=lambda outcome: outcome.cell))

    def _noted(self, what: Note) -> Iterator[Outcome]:
        """The same in the order of the stored run."""
        for page in noting_cells(self._database, self._number, self._stored, what):
            stored = np.array([outcome.cell for outcome in page], dtype=np.int64).reshape(-1, 3)
            planned = np.column_stack(self._places.planned(stored[:, 0], stored[:, 1], stored[:, 2]))
            for outcome, cell in zip(page, cells_in(planned), strict=True):
                own = self._places.own_part(outcome, cell, {}) if cell.dataset != ABSENT else None
                if own is not None and getattr(own, what):
                    yield own

    def _asked(self, cells: Iterable[Cell]) -> IntArray:
        """The given cells in the order of the plan, in rows of dataset, split and model."""
        chosen = sorted(set(cells))
        for cell in chosen:
            self._places.check(Outcome(cell))
        return np.array(chosen, dtype=np.int64).reshape(-1, 3)

    def _recorded(self) -> IntArray:
        """All recorded cells of the plan, in its order."""
        table = self.table()
        return np.column_stack((table.dataset, table.split, table.model))

    def _read(self, stored: Sequence[Cell], *, outputs: bool) -> dict[Cell, Read]:
        """What is recorded of cells; raises if one of them was recorded and is gone."""
        found = read_block(self._database, self._number, self._stored, stored, outputs=outputs)
        if len(found) == len(stored):
            return found
        recorded = set(cells_in(self._places.stored_positions(self._recorded())))
        missing = [cell for cell in stored if cell not in found and cell in recorded]
        if missing:  # just now written by others, or lost
            found |= read_block(self._database, self._number, self._stored, missing, outputs=outputs)
        for cell in missing:
            if cell not in found:
                refuse(Damage(self.record.name, cell_text(self._stored, cell), "it is gone"))
        return found

    def _columns(
        self, page: Sequence[Row]
    ) -> tuple[IntArray | FloatArray | np.ndarray[tuple[int, int], np.dtype[np.bool_]], ...]:
        """The part of a page that belongs to the plan, in the order of the fields of `CellTable`."""
        positions = np.array([row[1:6] for row in page], dtype=np.int64).reshape(-1, 5)
        dataset, split, model = self._places.planned(positions[:, 0], positions[:, 1], positions[:, 2])
        numbers = [row[7] for row in page]
        seconds = np.frombuffer(b"".join([each[: SECONDS.size] for each in numbers]), "<f8").reshape(-1, 2)
        score, measured = unpack_table([each[SECONDS.size :] for each in numbers], len(self._places.metric_place))
        own = np.flatnonzero(dataset != ABSENT)
        metrics = self._places.metrics
        return (
            dataset[own],
            split[own],
            model[own],
            positions[own, 3],
            score[np.ix_(own, metrics)],
            measured[np.ix_(own, metrics)],
            seconds[own, 0],
            seconds[own, 1],
            positions[own, 4],
        )


def _blocks(stored: IntArray, *, is_dense: bool) -> Iterator[slice]:
    """Parts of the cells that lie side by side in the store: within one split, unless there are no others in between."""
    of_split = stored[:, 0] * (stored[:, 1].max(initial=0) + 1) + stored[:, 1]
    is_sorted = bool(np.all(np.diff(of_split) >= 0)) and bool(np.all(np.diff(stored[:, 2])[np.diff(of_split) == 0] > 0))
    cuts = [] if is_dense and is_sorted else (np.flatnonzero(np.diff(of_split)) + 1).tolist()
    for first, last in pairwise([0, *cuts, len(stored)]):
        for start in range(first, last, BLOCK):
            yield slice(start, min(start + BLOCK, last))


def _without_arrays(record: RunRecord) -> RunRecord:
    """What names of cells are made from."""
    datasets = tuple(dataclasses.replace(dataset, target=None, test_rows=()) for dataset in record.datasets)
    return dataclasses.replace(record, datasets=datasets)


def open_run(database: Database, record: RunRecord, *, accept_versions: bool, lease_seconds: float) -> SqlLog:
    """Begin a run, or go on with the one of the same name."""
    check_record(record)
    run, environment = database.write(partial(_begun, record, accept_versions), record.name, create=True)
    return SqlLog(database, run, dataclasses.replace(record, threads=run.record.threads), environment, lease_seconds)


def read_run(database: Database, name: str, *, lease_seconds: float) -> SqlLog:
    """A stored run with everything that it has."""
    run = database.read(lambda connection: load_run(connection, known_run(connection, name)), name)
    return SqlLog(database, run, run.record, len(run.environments) - 1, lease_seconds)


def _begun(record: RunRecord, accept_versions: bool, connection: Connection) -> tuple[StoredRun, int]:
    """The stored run with what the record adds to it, and the position of the versions at work."""
    row = find_run(connection, record.name)
    if row is None:
        return begin_run(connection, record), 0
    stored = load_run(connection, row)
    merged = merge_records(stored.record, record)
    environment = environment_of(record.name, stored.environments, record.versions, accept_versions)
    is_new = environment == len(stored.environments)
    environments = (*stored.environments, dict(record.versions)) if is_new else stored.environments
    return extend_run(connection, stored, merged, environments), environment


_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SUPPORTED = "Give 'sqlite:///results.db', a path that ends in .db, .sqlite or .sqlite3, or 'postgresql://user@host/database'"


def open_store(source: str | os.PathLike[str] | Store) -> Store:
    """The store that is meant by a URL, a path or a store itself.

    Parameters
    ----------
    source : str, path-like or Store
        ``sqlite:///results.db``, a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``, or ``postgresql://user@host/database``.

    Raises
    ------
    InvalidParameterError
        The source is something else.
    """
    if isinstance(source, (str, os.PathLike)):
        return SqlStore(source)
    if not (callable(getattr(source, "open", None)) and callable(getattr(source, "read", None))):
        raise InvalidParameterError(f"a store is a URL, a path or a Store, and not {type(source).__name__}. {_SUPPORTED}.")
    return source


def find_backend(source: str | os.PathLike[str]) -> Backend:
    """The database that a URL or a path means. Nothing is opened yet.

    Parameters
    ----------
    source : str or path-like

    Raises
    ------
    InvalidParameterError
        The source is something else.
    MissingDependencyError
        The database needs a driver that is not installed.
    """
    if is_postgres(source):
        from tiebreak.stores.sql.postgres import PostgresDatabase

        return PostgresDatabase(str(source))
    return SqliteFile(_sqlite_path(source))


def _sqlite_path(source: str | os.PathLike[str]) -> str:
    """The path of the file that a URL or a path means."""
    text = os.fspath(source)
    if not isinstance(text, str):
        raise InvalidParameterError(f"the path of a store is text, and not bytes. {_SUPPORTED}.")
    scheme, separator, rest = text.partition("://")
    if not separator:
        if not text.lower().endswith(_SUFFIXES):
            raise InvalidParameterError(f"{text!r} is not known as a store. {_SUPPORTED}.")
        return text
    path = rest.removeprefix("/")
    if scheme != "sqlite" or not rest.startswith("/"):
        raise InvalidParameterError(
            f"{masked(text)!r} is not supported: tiebreak keeps runs in SQLite and PostgreSQL. {_SUPPORTED}."
        )
    if path in ("", ":memory:"):
        raise InvalidParameterError(f"{text!r} names no file. {_SUPPORTED}; without a store, results are kept in memory only.")
    if "?" in path:
        raise InvalidParameterError(f"{text!r} has options after the question mark, and tiebreak takes none. Leave them out.")
    return path


# The methods import what they need: a list of runs is there before numpy and SQLAlchemy would be loaded.


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
        self._database = Database(find_backend(source), _seconds("patience", patience, 0))
        self._lease_seconds = _seconds("lease_seconds", lease_seconds, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._database.url!r})"

    @property
    def url(self) -> str:
        """Where the store is, without passwords."""
        return self._database.url

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first."""
        found = self._database.glance()
        if found is not None:
            return found
        return self._database.read(lambda connection: list_runs(partial(fetch, connection)))

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> SqlLog:
        """Begin a run, or go on with the one of the same name."""
        return open_run(self._database, record, accept_versions=accept_versions, lease_seconds=self._lease_seconds)

    def read(self, name: str) -> SqlLog:
        """A stored run with everything that it has."""
        return read_run(self._database, name, lease_seconds=self._lease_seconds)

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


_PAGE = 2_000
_BEFORE_ALL = (-1, -1, -1)


def delete_run(database: Database, name: str) -> None:
    """Delete the cells page by page, the tally always saying what is left, and then the run."""
    number = database.read(lambda connection: known_run(connection, name, even_damaged=True)[0], name)
    while _delete_page(database, name, number):
        pass
    database.write(partial(_delete_rest, number), name)


def _delete_page(database: Database, name: str, number: int) -> bool:
    """Whether there may be more to delete; damaged rows are left for the end."""
    return database.write(partial(_take_page, number), name)


def _take_page(number: int, connection: Connection) -> bool:
    tally = fetch(connection, TALLIES, run=number)
    page = cells_after(connection, number, _BEFORE_ALL, _PAGE)
    if len(page) < _PAGE or len(tally) != 1 or TALLIES.damaged(tally) or CELLS.damaged(page):
        return False
    for layout in (CELLS, OUTPUTS):
        delete_cells(connection, layout, number, page[0][1:4], page[-1][1:4])
    _, n_cells, n_done, hash_sum, updated = tally[0][:5]
    hash_sum = add_hashes(hash_sum, removed=[row[-1] for row in page])
    n_gone = sum(STATES[row[4]] == "done" for row in page)
    put(connection, TALLIES, [(number, n_cells - len(page), n_done - n_gone, hash_sum, updated)])
    return True


def _delete_rest(number: int, connection: Connection) -> None:
    """Delete what is left of the run, unless another process did."""
    if not fetch(connection, RUNS, id=number):
        return
    forget_rows(connection, number)
    delete(connection, RUNS, id=number)
    _, schema, made, n_runs, next_run, by = store_row(connection)[:6]
    put(connection, STORE, [(1, schema, made, n_runs - 1, next_run, by)])
