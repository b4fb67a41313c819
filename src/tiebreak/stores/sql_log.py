"""The cells of one run in a database."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.coding import unpack_table
from tiebreak.stores.database import Database
from tiebreak.stores.layout import ENVIRONMENTS, Row
from tiebreak.stores.leases import SqlLease
from tiebreak.stores.loading import StoredRun
from tiebreak.stores.places import ABSENT, find_places
from tiebreak.stores.rows import SECONDS
from tiebreak.stores.scanning import BLOCK, Read, cells_in, noting_cells, read_block, scan_cells
from tiebreak.stores.statements import fetch
from tiebreak.stores.store import CellTable, Damage, Note
from tiebreak.stores.texts import from_json
from tiebreak.stores.wording import cell_text, refuse
from tiebreak.stores.writing import Writer


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
