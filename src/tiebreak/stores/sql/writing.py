"""Writing the cells of a run to a database: new ones at once, those that are there by the rule."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.contract import settle
from tiebreak.stores.places import Places
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.plan_mapping import load_metrics
from tiebreak.stores.sql.reading import read_tally, whole_rows
from tiebreak.stores.sql.rows import KeptCell, cell_row, output_rows, read_cell, read_output
from tiebreak.stores.sql.statements import cells_between, delete_cells, insert_new, put, put_sealed
from tiebreak.stores.sql.tables import CELLS, OUTPUTS, TALLIES, Row, add_hashes

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Ready(NamedTuple):
    """An outcome that is to be written, the stored position of its cell, and its outputs as rows."""

    cell: Cell
    outcome: Outcome
    output_rows: list[Row]
    output_bytes: int


class Change(NamedTuple):
    """What was written, for the run's tally: how many cells more, how many done ones more, hashes that came and went."""

    n_cells: int
    n_done: int
    added: list[int]
    removed: list[int]


@dataclass(slots=True)
class _Entry:
    """A cell that is written to.

    Attributes
    ----------
    kept : KeptCell or None
        What the cell is by now.
    stored : KeptCell or None
        What it was before the transaction, and `stored_hash` the hash of its row.
    methods : list of str or None
        Whose outputs it has by now; None until somebody asks.
    output_rows : list of tuple
        That are to be written.
    """

    kept: KeptCell | None = None
    stored: KeptCell | None = None
    stored_hash: int = 0
    methods: list[str] | None = None
    replaces: bool = False
    output_rows: list[Row] = field(default_factory=list)


def amend(connection: Connection, number: int, stored: RunRecord, environment: int, piece: Sequence[Ready]) -> Change | None:
    """Write outcomes one after the other by the rule; None where nothing changes.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    number : int
        Of the run.
    stored : RunRecord
        The stored run, for the names of cells.
    environment : int
        The position of the versions at work.
    piece : sequence of Ready
    """
    metrics = load_metrics(connection, number)  # others may have added some since the run was opened
    entries = _load_entries(connection, number, stored, metrics, {each.cell for each in piece})
    for each in piece:
        entry = entries[each.cell]
        if entry.methods is None and entry.stored is not None and each.output_rows:
            found = cells_between(connection, OUTPUTS, number, each.cell, each.cell)
            entry.methods = [read_output(row)[0] for row in whole_rows(OUTPUTS, found, stored)]
        _settle(entry, stored, environment, each)
    return _put_entries(connection, number, metrics, entries)


def kept_cells(
    connection: Connection, number: int, stored: RunRecord, metrics: Sequence[str], cells: Iterable[Cell]
) -> dict[Cell, tuple[KeptCell, int]]:
    """What is kept of some cells, by stored positions, each with the hash of its row; those not kept are left out."""
    wanted = set(cells)
    kept = {}
    for _, group in groupby(sorted(wanted), key=lambda cell: cell[:2]):
        of_split = list(group)
        found = cells_between(connection, CELLS, number, of_split[0], of_split[-1])
        for row in whole_rows(CELLS, [row for row in found if row[1:4] in wanted], stored):
            kept[Cell(*row[1:4])] = read_cell(row, metrics), row[-1]
    return kept


def _load_entries(
    connection: Connection, number: int, stored: RunRecord, metrics: Sequence[str], cells: set[Cell]
) -> dict[Cell, _Entry]:
    kept = kept_cells(connection, number, stored, metrics, cells)
    return {cell: _Entry(kept[cell][0], *kept[cell]) if cell in kept else _Entry() for cell in sorted(cells)}


def _settle(entry: _Entry, stored: RunRecord, environment: int, new: Ready) -> None:
    """Let an outcome take its place in the entry of its cell."""
    old = entry.kept
    methods = entry.methods or []
    outcome = dataclasses.replace(new.outcome, cell=new.cell)
    settled = settle(stored, None if old is None else old.outcome, methods, outcome)
    if settled is None:
        return
    n_outputs = output_bytes = 0
    if old is not None and settled.amends:
        environment, n_outputs, output_bytes = old.environment, old.n_outputs, old.output_bytes
    else:
        entry.replaces, entry.output_rows, methods = True, [], []
    taken = zip(new.outcome.outputs, new.output_rows, strict=True)
    rows = [row for method, row in taken if method in settled.outcome.outputs]
    entry.output_rows += [(*row[:4], n_outputs + i, *row[5:]) for i, row in enumerate(rows)]
    entry.methods = [*methods, *settled.outcome.outputs]
    n_bytes = output_bytes + sum(len(row[-1]) for row in rows)
    entry.kept = KeptCell(settled.outcome, environment, n_outputs + len(rows), n_bytes)


def _put_entries(connection: Connection, number: int, metrics: Sequence[str], entries: dict[Cell, _Entry]) -> Change | None:
    changed = [
        (cell, entry, entry.kept) for cell, entry in entries.items() if entry.kept is not None and entry.kept is not entry.stored
    ]
    if not changed:
        return None
    place = {name: i for i, name in enumerate(metrics)}
    sealed = CELLS.seal([cell_row(number, cell, kept, place) for cell, _, kept in changed])
    for cell, entry, _ in changed:
        if entry.replaces and entry.stored is not None and entry.stored.n_outputs:
            delete_cells(connection, OUTPUTS, number, cell, cell)
    put_sealed(connection, CELLS, sealed)
    put(connection, OUTPUTS, [row for _, entry, _ in changed for row in entry.output_rows])
    before = [entry.stored for _, entry, _ in changed if entry.stored is not None]
    n_done = sum(kept.outcome.is_done for _, _, kept in changed) - sum(kept.outcome.is_done for kept in before)
    replaced = [entry.stored_hash for _, entry, _ in changed if entry.stored is not None]
    return Change(len(changed) - len(before), n_done, [row[-1] for row in sealed], replaced)


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
