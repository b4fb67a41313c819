"""Writing the cells of a run to a database: new ones at once, those that are there by the rule."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.amending import Change, Ready, amend
from tiebreak.stores.database import Database
from tiebreak.stores.layout import CELLS, OUTPUTS, TALLIES, Row, add_hashes
from tiebreak.stores.places import Places
from tiebreak.stores.rows import KeptCell, cell_row, output_rows
from tiebreak.stores.scanning import read_tally
from tiebreak.stores.statements import insert_new, put

if TYPE_CHECKING:
    from sqlalchemy import Connection

# A transaction of so much takes a few hundredths of a second; other writers wait meanwhile.
_MOST_CELLS = 1_000
_MOST_BYTES = 4_000_000


class _SomeKnownError(Exception):
    """Some cells of a piece were written before."""


class LostCellsError(Exception):
    """Some cells of a piece belong to another holder by now."""

    def __init__(self, cells: Collection[Cell]) -> None:
        super().__init__(cells)
        self.cells = cells


class Guard(Protocol):
    """Who has a say in the transactions of a writer."""

    def enter(self, connection: Connection, piece: Sequence[Ready]) -> None:
        """Before something is written; raises `LostCellsError` if it must not be."""

    def leave(self, connection: Connection) -> None:
        """After it was written, before it is kept."""

    def kept(self) -> None:
        """What was written is kept."""


class Writer:
    """Writes cells of one run.

    Parameters
    ----------
    database : Database
    number : int
        Of the run.
    stored : RunRecord
        The stored run, for the names of cells.
    places : Places
        The plan in it.
    environment : int
        The position of the versions at work.
    """

    def __init__(self, database: Database, number: int, stored: RunRecord, places: Places, environment: int) -> None:
        self._database = database
        self._number = number
        self._stored = stored
        self._places = places
        self._environment = environment

    def write(self, outcomes: Sequence[Outcome], guard: Guard | None = None) -> None:
        """Keep the outcomes by the rule, in one transaction unless they are very many; all but those that the guard refuses."""
        for whole in _pieces([self._ready(outcome) for outcome in outcomes]):
            piece = whole
            while piece:  # the others may take over more between two attempts
                try:
                    self._write(piece, guard)
                except LostCellsError as lost:
                    piece = [each for each in piece if each.cell not in lost.cells]
                else:
                    break

    def _write(self, piece: Sequence[Ready], guard: Guard | None) -> None:
        try:
            self._guarded(self._inserting(piece), piece, guard)
        except _SomeKnownError:
            self._guarded(partial(self._amend, piece), piece, guard)
        if guard is not None:
            guard.kept()

    def _guarded(self, work: Callable[[Connection], None], piece: Sequence[Ready], guard: Guard | None) -> None:
        """Do the work in a transaction, under the eyes of the guard."""

        def guarded(connection: Connection) -> None:
            if guard is not None:
                guard.enter(connection, piece)
            work(connection)
            if guard is not None:
                guard.leave(connection)

        self._database.write(guarded, self._stored.name)

    def _ready(self, outcome: Outcome) -> Ready:
        self._places.check(outcome)
        cell = self._places.stored(outcome.cell)
        rows = output_rows(self._number, cell, outcome.outputs)
        return Ready(cell, outcome, rows, sum(len(row[-1]) for row in rows))

    def _inserting(self, piece: Sequence[Ready]) -> Callable[[Connection], None]:
        """What writes a piece of which no cell is there yet."""
        cells = []
        for each in piece:
            kept = KeptCell(each.outcome, self._environment, len(each.output_rows), each.output_bytes)
            cells.append(cell_row(self._number, each.cell, kept, self._places.metric_place))
        sealed = CELLS.seal(cells)
        n_done = sum(each.outcome.is_done for each in piece)

        def work(connection: Connection) -> None:
            tally = read_tally(connection, self._number, self._stored.name)
            if insert_new(connection, CELLS, sealed) < len(sealed):
                raise _SomeKnownError
            put(connection, OUTPUTS, [row for each in piece for row in each.output_rows])
            _put_tally(connection, tally, Change(len(sealed), n_done, [row[-1] for row in sealed], []))

        return work

    def _amend(self, piece: Sequence[Ready], connection: Connection) -> None:
        """Write a piece cell after cell."""
        tally = read_tally(connection, self._number, self._stored.name)
        change = amend(connection, self._number, self._stored, self._environment, piece)
        if change is not None:
            _put_tally(connection, tally, change)


def _put_tally(connection: Connection, tally: Row, change: Change) -> None:
    number, n_cells, n_done, hash_sum = tally[:4]
    hash_sum = add_hashes(hash_sum, change.added, change.removed)
    put(connection, TALLIES, [(number, n_cells + change.n_cells, n_done + change.n_done, hash_sum, time.time_ns() // 1000)])


def _pieces(ready: Sequence[Ready]) -> Iterator[list[Ready]]:
    """Parts that are written in one transaction each: a single one unless there is very much to write."""
    piece: list[Ready] = []
    n_bytes = 0
    for each in ready:
        if piece and (len(piece) == _MOST_CELLS or n_bytes + each.output_bytes > _MOST_BYTES):
            yield piece
            piece, n_bytes = [], 0
        piece.append(each)
        n_bytes += each.output_bytes
    if piece:
        yield piece
