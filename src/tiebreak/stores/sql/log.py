"""The cells of one run as they are read and written: each verified by its hash, all of them by the run's tally."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.stores.cells import CellTable, cell_text
from tiebreak.stores.damage import Damage, Report, refuse
from tiebreak.stores.plan_mapping import ABSENT, PlanMapping, map_plan
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.encoding import MALFORMED, NumericArray, require, unpack_table, unreadable_text
from tiebreak.stores.sql.leases import SqlLease
from tiebreak.stores.sql.rows import (
    SECONDS,
    KeptCell,
    read_cells,
    read_list,
    read_outputs,
    read_tally,
    versions_record,
    whole_rows,
)
from tiebreak.stores.sql.runs import StoredRun
from tiebreak.stores.sql.statements import cells_after, cells_between, fetch
from tiebreak.stores.sql.tables import CELLS, ENVIRONMENTS, OUTPUTS, CellRow, OutputRow, TallyRow, add_hashes, cell_of
from tiebreak.stores.sql.writing import Writer

if TYPE_CHECKING:
    from tiebreak.stores.contract import Note
    from tiebreak.stores.sql.connection import Connection

Part = TypeVar("Part")

PAGE = 4096
BLOCK = 512
MOST_BYTES = 16_000_000  # of outputs in memory at a time
_BEFORE_ALL = Cell(-1, -1, -1)


class SqlLog:
    """The cells of one run in a database.

    It sees the part of the run that the record has. `environment` is the position of the versions at work, `lease_seconds` for
    how long who has taken cells on may show nothing.
    """

    def __init__(self, database: Database, run: StoredRun, record: RunRecord, environment: int, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._database = database
        self._number = run.number
        # all that names of cells are made from
        datasets = tuple(dataclasses.replace(dataset, target=None, test_rows=()) for dataset in run.record.datasets)
        self._stored = dataclasses.replace(run.record, datasets=datasets)
        self._mapping = map_plan(record, run.record)
        self._writer = Writer(database, run.number, self._stored, self._mapping, environment)
        self.record = record

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""
        found = self._database.read(lambda connection: fetch(connection, ENVIRONMENTS, run=self._number), self.record.name)
        return tuple(read_list(ENVIRONMENTS, found, self.record.name, versions_record))

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none."""
        for piece in self._writer.pieces(outcomes):
            self._database.write(partial(self._writer.put, piece), self.record.name)

    def lease(self) -> SqlLease:
        """Begin a share in measuring the run, for one process among several."""
        return SqlLease(self._writer, self._lease_seconds)

    def table(self) -> CellTable:
        """Read all recorded cells."""
        take = partial(_columns, self._mapping, self._stored)
        pages = scan_cells(self._database, self._number, self._stored, take)
        table = CellTable(*(np.concatenate(column) for column in zip(*pages, strict=True)))
        order = np.lexsort((table.model, table.split, table.dataset))
        if np.array_equal(order, np.arange(order.size)):
            return table
        columns = (getattr(table, field.name) for field in dataclasses.fields(table))
        return CellTable(*(column[order] for column in columns))

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """Read the recorded outcomes of the given cells, or of all, in the order of the plan."""
        asked = self._recorded() if cells is None else self._in_plan_order(cells)
        stored = self._mapping.stored_positions(asked)
        for rows in _blocks(stored, is_dense=cells is None and self.record.n_cells == self._stored.n_cells):
            block = _cells_in(stored[rows])
            found = self._read(block, outputs=outputs)
            for cell, place in zip(_cells_in(asked[rows]), block, strict=True):
                if place in found:
                    kept, arrays = found[place]
                    yield self._mapping.own_part(kept.outcome, cell, arrays)

    def noted(self, what: Note) -> Iterator[Outcome]:
        """Read the recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan."""
        found = self._noted(what)
        return found if self._mapping.keep_order else iter(sorted(found, key=lambda outcome: outcome.cell))

    def _noted(self, what: Note) -> Iterator[Outcome]:
        """Read the same in the order of the stored run, page by page."""
        metrics = [metric.name for metric in self._stored.metrics]
        after = _BEFORE_ALL
        while True:
            _, found = self._database.read(partial(_read_page, self._number, self._stored.name, after, what), self._stored.name)
            page = whole_rows(CELLS, found, self._stored)
            stored = np.array([cell_of(row) for row in page], dtype=np.int64).reshape(-1, 3)
            planned = np.column_stack(self._mapping.planned(stored[:, 0], stored[:, 1], stored[:, 2]))
            kept = read_cells(page, metrics, self._stored)
            for each, cell in zip(kept, _cells_in(planned), strict=True):
                own = self._mapping.own_part(each.outcome, cell, {}) if cell.dataset != ABSENT else None
                if own is not None and getattr(own, what):
                    yield own
            if len(page) < PAGE or cell_of(page[-1]) <= after:
                return
            after = cell_of(page[-1])

    def _in_plan_order(self, cells: Iterable[Cell]) -> IntArray:
        """The given cells in the order of the plan, in rows of dataset, split and model."""
        chosen = sorted(set(cells))
        for cell in chosen:
            self._mapping.check(Outcome(cell))
        return np.array(chosen, dtype=np.int64).reshape(-1, 3)

    def _recorded(self) -> IntArray:
        """All recorded cells of the plan, in its order."""
        table = self.table()
        return np.column_stack((table.dataset, table.split, table.model))

    def _read(self, stored: Sequence[Cell], *, outputs: bool) -> dict[Cell, ReadCell]:
        """Read what is recorded of cells; raises if one of them was recorded and is gone."""
        found = read_block(self._database, self._number, self._stored, stored, outputs=outputs)
        if len(found) == len(stored):
            return found
        recorded = set(_cells_in(self._mapping.stored_positions(self._recorded())))
        missing = [cell for cell in stored if cell not in found and cell in recorded]
        if missing:  # just now written by others, or lost
            found |= read_block(self._database, self._number, self._stored, missing, outputs=outputs)
        for cell in missing:
            if cell not in found:
                refuse(Damage(self.record.name, cell_text(self._stored, cell), "it is gone"))
        return found


Columns = tuple[IntArray | FloatArray | np.ndarray[tuple[int, int], np.dtype[np.bool_]], ...]


def _columns(mapping: PlanMapping, stored: RunRecord, page: Sequence[CellRow]) -> Columns:
    """Turn the part of a page that belongs to the plan into columns, in the order of the fields of `CellTable`."""
    try:
        positions = np.array([row[1:6] for row in page], dtype=np.int64).reshape(-1, 5)
        states, environments = positions[:, 3], positions[:, 4]
        require(states.min(initial=0) >= 0 and states.max(initial=0) < len(STATES), "a state")
        require(environments.min(initial=0) >= 0, "versions")
        numbers = [row.numbers for row in page]
        seconds = np.frombuffer(b"".join([each[: SECONDS.size] for each in numbers]), "<f8").reshape(-1, 2)
        require(len(seconds) == len(page), "no seconds")
        score, measured = unpack_table([each[SECONDS.size :] for each in numbers], len(mapping.metric_position))
    except MALFORMED as error:  # which row it is, takes reading them one by one
        for _ in read_cells(page, [metric.name for metric in stored.metrics], stored):
            pass
        refuse(Damage(stored.name, "the list of cells", unreadable_text(error)))
        raise
    dataset, split, model = mapping.planned(positions[:, 0], positions[:, 1], positions[:, 2])
    own = np.flatnonzero(dataset != ABSENT)
    return (
        dataset[own],
        split[own],
        model[own],
        states[own],
        score[np.ix_(own, mapping.metrics)],
        measured[np.ix_(own, mapping.metrics)],
        seconds[own, 0],
        seconds[own, 1],
        environments[own],
    )


def _cells_in(positions: IntArray) -> list[Cell]:
    """Cells of an array with rows of dataset, split and model."""
    return [Cell(*each) for each in positions.tolist()]


def _blocks(stored: IntArray, *, is_dense: bool) -> Iterator[slice]:
    """Parts of the cells that lie side by side in the store: within one split, unless there are no others in between."""
    of_split = stored[:, 0] * (stored[:, 1].max(initial=0) + 1) + stored[:, 1]
    is_sorted = bool(np.all(np.diff(of_split) >= 0)) and bool(np.all(np.diff(stored[:, 2])[np.diff(of_split) == 0] > 0))
    cuts = [] if is_dense and is_sorted else (np.flatnonzero(np.diff(of_split)) + 1).tolist()
    for first, last in pairwise([0, *cuts, len(stored)]):
        for start in range(first, last, BLOCK):
            yield slice(start, min(start + BLOCK, last))


# --- all cells, page by page ----------------------------------------------------------------------------------------------


def scan_cells(
    database: Database,
    number: int,
    record: RunRecord,
    take: Callable[[Sequence[CellRow]], Part],
    report: Report = refuse,
    connection: Connection | None = None,
) -> list[Part]:
    """Take something from each page of verified rows of `CELLS`, all pages together being what was written.

    `number` is that of the run, the record is for the names of cells, and `report` says what to do about damage. All pages are
    read in the transaction of the connection, if there is one, or else in one each.
    """
    parts: list[Part] = []
    damages: list[Damage] = []
    tallies: list[TallyRow] = []
    n_rows = hash_sum = 0
    after = _BEFORE_ALL
    page: Sequence[CellRow] = ()
    while len(page) == PAGE or not tallies:
        work = partial(_read_page, number, record.name, after, None)
        tally, page = database.read(work, record.name) if connection is None else work(connection)
        tallies.append(tally)
        n_rows += len(page)
        whole = whole_rows(CELLS, page, record, damages.append)
        hash_sum = add_hashes(hash_sum, [row.hash for row in whole])
        parts.append(take(whole))
        if page and (not whole or whole[-1] is not page[-1] or cell_of(page[-1]) <= after):
            break  # a broken tree of pages could go round in circles; what it hides is missing in the sum
        after = cell_of(page[-1]) if page else after
    if connection is None and any(tally != tallies[0] for tally in tallies):
        # others wrote in the meantime, so the pages are of different states: once more, of one
        return database.read(partial(scan_cells, database, number, record, take, report), record.name)
    if n_rows != tallies[-1].n_cells:
        what = f"{n_rows} are there, and {tallies[-1].n_cells} were written"
        damages.append(Damage(record.name, "the list of cells", what))
    elif hash_sum != tallies[-1].hash_sum and not damages:
        damages.append(Damage(record.name, "the list of cells", "these are not the ones that were written"))
    for damage in damages:
        report(damage)
    return parts


def _read_page(
    number: int, name: str, after: Cell, noting: Note | None, connection: Connection
) -> tuple[TallyRow, list[CellRow]]:
    """Read the tally of a run and its next cells, with `noting` those alone that have, or seem to have, such a note."""
    return read_tally(connection, number, name), cells_after(connection, number, after, PAGE, noting)


# --- some cells, with their outputs ---------------------------------------------------------------------------------------

ReadCell = tuple[KeptCell, dict[str, NumericArray]]


def read_block(
    database: Database,
    number: int,
    record: RunRecord,
    cells: Sequence[Cell],
    *,
    outputs: bool,
    report: Report = refuse,
) -> dict[Cell, ReadCell]:
    """Read those of the given cells that are recorded, with their outputs, as they were at one moment.

    `number` and the record are those of the stored run; the cells are positions in it. Everything between the first and the last
    of them is read, so they should lie side by side. `report` says what to do about damage.
    """
    kept, output_rows, damages = database.read(partial(_read_block, number, record, cells, outputs), record.name)
    for damage in damages:
        report(damage)
    if output_rows is None:
        ordered = sorted(cells)
        halves = ordered[: len(cells) // 2], ordered[len(cells) // 2 :]
        both = [read_block(database, number, record, half, outputs=True, report=report) for half in halves]
        return both[0] | both[1]
    block: dict[Cell, ReadCell] = {each.outcome.cell: (each, {}) for each in kept}
    for cell, arrays in read_outputs(whole_rows(OUTPUTS, output_rows, record, report), record, report).items():
        if cell in block:
            block[cell][1].update(arrays)
    for each, arrays in block.values() if outputs else ():
        if len(arrays) != each.n_outputs:
            where = f"the outputs of {cell_text(record, each.outcome.cell)}"
            report(Damage(record.name, where, f"{len(arrays)} are there, and {each.n_outputs} were written"))
    return block


def _read_block(
    number: int, record: RunRecord, cells: Sequence[Cell], outputs: bool, connection: Connection
) -> tuple[list[KeptCell], Sequence[OutputRow] | None, list[Damage]]:
    """Find cells, the rows of their outputs, and what is wrong with the cells; None for outputs too large to be read at once."""
    metrics = [metric.name for metric in record.metrics]
    wanted, first, last = set(cells), min(cells), max(cells)
    damages: list[Damage] = []
    found = whole_rows(CELLS, cells_between(connection, CELLS, number, first, last), record, damages.append)
    kept = list(read_cells([row for row in found if cell_of(row) in wanted], metrics, record, damages.append))
    if not outputs:
        return kept, [], damages
    if len(cells) > 1 and sum(each.output_bytes for each in kept) > MOST_BYTES:
        return kept, None, damages
    return kept, cells_between(connection, OUTPUTS, number, first, last), damages
