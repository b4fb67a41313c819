"""The cells of a run as they are read: each verified by its hash, all of them by the run's tally, in short transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tiebreak.errors import StoreError
from tiebreak.numerics import IntArray
from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.contract import MISMATCH, Damage, Note, Report, cell_text, deleted_text, refuse
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.encoding import NumericArray
from tiebreak.stores.sql.rows import KeptCell, read_cell, read_output
from tiebreak.stores.sql.statements import cells_after, cells_between, cells_noting, fetch
from tiebreak.stores.sql.tables import CELLS, OUTPUTS, RUNS, TALLIES, Layout, Row, add_hashes

if TYPE_CHECKING:
    from sqlalchemy import Connection

Part = TypeVar("Part")
Transact = Callable[[Callable[["Connection"], Any]], Any]
"""Does some work in a transaction, and returns what it returns."""
Read = tuple[KeptCell, dict[str, NumericArray]]

PAGE = 4096
BLOCK = 512
_MOST_BYTES = 16_000_000  # of outputs in memory at a time
_BEFORE_ALL = (-1, -1, -1)


def positions_of(page: Sequence[Row]) -> IntArray:
    """Dataset, split and model of each row of `CELLS`, as an array of shape (n_rows, 3)."""
    return np.array([row[1:4] for row in page], dtype=np.int64).reshape(-1, 3)


def cells_in(positions: IntArray) -> list[Cell]:
    """The cells of such an array."""
    return [Cell(*each) for each in positions.tolist()]


def read_tally(connection: Connection, number: int, name: str) -> Row:
    """How many cells a run has and the sum of their hashes: a row of `TALLIES`."""
    found = fetch(connection, TALLIES, run=number)
    if not found and not fetch(connection, RUNS, id=number):
        raise StoreError(deleted_text(name))
    if len(found) != 1 or TALLIES.damaged(found):
        refuse(Damage(name, "the tally of the cells", MISMATCH if found else "it is gone"))
    return found[0]


def scan_cells(
    database: Database, number: int, record: RunRecord, take: Callable[[Sequence[Row]], Part], report: Report = refuse
) -> list[Part]:
    """What is taken from each page of verified rows of `CELLS`, all pages together being what was written.

    Parameters
    ----------
    database : Database
    number : int
        Of the run.
    record : RunRecord
        For the names of cells.
    take : callable
    report : callable
        What to do about damage.
    """
    parts, damages, is_steady = _scan(partial(database.read, run=record.name), number, record, take)
    if not is_steady:  # others wrote in the meantime, so the pages are of different states: once more, of one
        parts, damages, _ = database.read(
            lambda connection: _scan(lambda work: work(connection), number, record, take), record.name
        )
    for damage in damages:
        report(damage)
    return parts


def _scan(
    transact: Transact, number: int, record: RunRecord, take: Callable[[Sequence[Row]], Part]
) -> tuple[list[Part], list[Damage], bool]:
    parts: list[Part] = []
    damages: list[Damage] = []
    tallies: list[Row] = []
    n_rows = hash_sum = 0
    key: tuple[int, ...] = _BEFORE_ALL
    page: Sequence[Row] = ()
    while len(page) == PAGE or not tallies:
        tally, page = transact(partial(_read_page, number, record.name, key))
        tallies.append(tally)
        damaged = set(CELLS.damaged(page))
        damages += [Damage(record.name, cell_text(record, Cell(*page[i][1:4])), MISMATCH) for i in sorted(damaged)]
        n_rows += len(page)
        hash_sum = add_hashes(hash_sum, [row[-1] for i, row in enumerate(page) if i not in damaged])
        parts.append(take([row for i, row in enumerate(page) if i not in damaged] if damaged else page))
        if page and (len(page) - 1 in damaged or page[-1][1:4] <= key):
            break  # a broken tree of pages could go round in circles; what it hides is missing in the sum
        key = page[-1][1:4] if page else key
    _, n_cells, _, total = tallies[-1][:4]
    if n_rows != n_cells:
        damages.append(Damage(record.name, "the list of cells", f"{n_rows} are there, and {n_cells} were written"))
    elif hash_sum != total and not damages:
        damages.append(Damage(record.name, "the list of cells", "these are not the ones that were written"))
    return parts, damages, all(tally == tallies[0] for tally in tallies)


def _read_page(number: int, name: str, key: Sequence[int], connection: Connection) -> tuple[Row, Sequence[Row]]:
    """The tally of a run, and the rows of `CELLS` behind a key, at one moment."""
    return read_tally(connection, number, name), cells_after(connection, number, key, PAGE)


def noting_cells(database: Database, number: int, record: RunRecord, what: Note) -> Iterator[list[Outcome]]:
    """The outcomes that have, or seem to have, such a note, page by page, by their stored positions and in the order of these.

    Parameters
    ----------
    database : Database
    number : int
        Of the run.
    record : RunRecord
        The stored run.
    what : {"warnings", "undefined"}
    """
    metrics = [metric.name for metric in record.metrics]
    key: tuple[int, ...] = _BEFORE_ALL
    while True:
        page = database.read(partial(_read_noting, number, record, what, key), record.name)
        yield [read_cell(row, metrics).outcome for row in page]
        if len(page) < PAGE or page[-1][1:4] <= key:
            return
        key = page[-1][1:4]


def _read_noting(number: int, record: RunRecord, what: Note, key: Sequence[int], connection: Connection) -> list[Row]:
    read_tally(connection, number, record.name)  # raises where the run was deleted
    return whole_rows(CELLS, cells_noting(connection, number, what, key, PAGE), record)


class _Block(NamedTuple):
    """What was found of some cells, the rows of their outputs, and what is wrong with the cells.

    `is_too_large` where the outputs are too much to be read at once; then they were not.
    """

    kept: list[KeptCell]
    output_rows: Sequence[Row]
    is_too_large: bool
    damages: list[Damage]


def read_block(
    database: Database,
    number: int,
    record: RunRecord,
    cells: Sequence[Cell],
    *,
    outputs: bool,
    report: Report = refuse,
) -> dict[Cell, Read]:
    """Those of the given cells that are recorded, with their outputs, as they were at one moment.

    Parameters
    ----------
    database : Database
    number : int
        Of the run.
    record : RunRecord
        The stored run: for the names of cells, whose positions are those in it.
    cells : sequence of Cell
        Everything between the first and the last of them is read, so they should lie side by side.
    outputs : bool
    report : callable
        What to do about damage.
    """
    found = database.read(partial(_read_block, number, record, cells, outputs), record.name)
    for damage in found.damages:
        report(damage)
    if found.is_too_large:
        ordered = sorted(cells)
        halves = ordered[: len(cells) // 2], ordered[len(cells) // 2 :]
        both = [read_block(database, number, record, half, outputs=True, report=report) for half in halves]
        return both[0] | both[1]
    block: dict[Cell, Read] = {each.outcome.cell: (each, {}) for each in found.kept}
    for row in whole_rows(OUTPUTS, found.output_rows, record, report):
        if Cell(*row[1:4]) in block:
            method, output = read_output(row)
            block[Cell(*row[1:4])][1][method] = output
    for each, arrays in block.values() if outputs else ():
        if len(arrays) != each.n_outputs:
            where = f"the outputs of {cell_text(record, each.outcome.cell)}"
            report(Damage(record.name, where, f"{len(arrays)} are there, and {each.n_outputs} were written"))
    return block


def _read_block(number: int, record: RunRecord, cells: Sequence[Cell], outputs: bool, connection: Connection) -> _Block:
    metrics = [metric.name for metric in record.metrics]
    wanted, first, last = set(cells), min(cells), max(cells)
    damages: list[Damage] = []
    found = whole_rows(CELLS, cells_between(connection, CELLS, number, first, last), record, damages.append)
    kept = [read_cell(row, metrics) for row in found if Cell(*row[1:4]) in wanted]
    is_too_large = outputs and len(cells) > 1 and sum(each.output_bytes for each in kept) > _MOST_BYTES
    reads_outputs = outputs and not is_too_large
    output_rows = cells_between(connection, OUTPUTS, number, first, last) if reads_outputs else []
    return _Block(kept, output_rows, is_too_large, damages)


def whole_rows(layout: Layout, found: Sequence[Row], record: RunRecord, report: Report = refuse) -> list[Row]:
    """The rows that are as they were written; the others are reported."""
    damaged = set(layout.damaged(found))
    for i in sorted(damaged):
        where = cell_text(record, Cell(*found[i][1:4]))
        report(Damage(record.name, f"an output of {where}" if layout is OUTPUTS else where, MISMATCH))
    return [row for i, row in enumerate(found) if i not in damaged] if damaged else list(found)
