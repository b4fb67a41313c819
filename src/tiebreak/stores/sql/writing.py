"""Writing the cells of a run to a database: new ones at once, those that are there by the rule."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.contract import settle
from tiebreak.stores.plan_mapping import PlanMapping
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.rows import KeptCell, cell_row, kept_cells, kept_methods, output_rows, read_metrics, read_tally
from tiebreak.stores.sql.statements import delete_cells, insert, put
from tiebreak.stores.sql.tables import CELLS, OUTPUTS, TALLIES, CellRow, OutputRow, TallyRow, add_hashes

if TYPE_CHECKING:
    from tiebreak.stores.sql.database import Connection

Result = TypeVar("Result")

# A transaction of so much takes a few hundredths of a second; other writers wait meanwhile.
MOST_CELLS = 1_000
MOST_BYTES = 4_000_000


class Ready(NamedTuple):
    """An outcome that is to be written, the stored position of its cell, its row as of a new cell, and its outputs as rows."""

    cell: Cell
    outcome: Outcome
    row: CellRow
    output_rows: list[OutputRow]
    output_bytes: int


class _SomeKnownError(Exception):
    """Some cells were written before."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes cells of one run.

    `number` and `stored` are those of the stored run, for the names of cells, and `mapping` is the plan in it. `environment` is
    the position of the versions at work.
    """

    database: Database
    number: int
    stored: RunRecord
    mapping: PlanMapping
    environment: int

    def pieces(self, outcomes: Sequence[Outcome]) -> Iterator[list[Ready]]:
        """Make outcomes ready, in parts for a transaction each: a single one unless there is very much to write."""
        piece: list[Ready] = []
        n_bytes = 0
        for each in [self._ready(outcome) for outcome in outcomes]:  # all of them are refused if one is
            if piece and (len(piece) == MOST_CELLS or n_bytes + each.output_bytes > MOST_BYTES):
                yield piece
                piece, n_bytes = [], 0
            piece.append(each)
            n_bytes += each.output_bytes
        if piece:
            yield piece

    def write(self, work: Callable[[bool, Connection], Result]) -> Result:
        """Do some work that puts cells, in a transaction: as if they were new, and once more by the rule where some are not.

        The work takes what `put` is to be told as `amends`, and the connection.
        """
        try:
            return self.database.write(partial(work, False), self.stored.name)
        except _SomeKnownError:
            return self.database.write(partial(work, True), self.stored.name)

    def put(self, piece: Sequence[Ready], amends: bool, connection: Connection) -> None:
        """Put a piece in the transaction under way, one cell after the other by the rule if `amends`."""
        tally = read_tally(connection, self.number, self.stored.name)
        if amends:
            self._amend(piece, tally, connection)
            return
        sealed = CELLS.seal([each.row for each in piece])
        if insert(connection, CELLS, sealed, replaces=False) < len(sealed):
            raise _SomeKnownError
        put(connection, OUTPUTS, [row for each in piece for row in each.output_rows])
        n_done = sum(each.outcome.is_done for each in piece)
        _put_tally(connection, tally, len(sealed), n_done, [row.hash for row in sealed], [])

    def _ready(self, outcome: Outcome) -> Ready:
        self.mapping.check(outcome)
        cell = self.mapping.stored(outcome.cell)
        outputs = output_rows(self.number, cell, outcome.outputs)
        n_bytes = sum(len(row.content) for row in outputs)
        kept = KeptCell(outcome, self.environment, len(outputs), n_bytes)
        return Ready(cell, outcome, cell_row(self.number, cell, kept, self.mapping.metric_position), outputs, n_bytes)

    def _amend(self, piece: Sequence[Ready], tally: TallyRow, connection: Connection) -> None:
        """Put a piece cell after cell."""
        metrics = read_metrics(connection, self.number, self.stored.name)  # others may have added some since it was opened
        cells = {each.cell for each in piece}
        kept = kept_cells(connection, self.number, self.stored, cells)
        entries = {cell: _Entry(kept.get(cell), kept.get(cell)) for cell in sorted(cells)}
        for each in piece:
            entry = entries[each.cell]
            if entry.methods is None and entry.stored is not None and each.output_rows:
                entry.methods = kept_methods(connection, self.number, self.stored, each.cell)
            _settle(entry, self.stored, self.environment, each)
        changed = {cell: entry for cell, entry in entries.items() if entry.kept is not entry.stored}
        if changed:
            _put_entries(connection, tally, metrics, changed)


@dataclass(slots=True)
class _Entry:
    """A cell that is written to.

    `kept` is what the cell is by now, `stored` what it was before the transaction. `methods` are those whose outputs it has by
    now, None until somebody asks; `output_rows` are to be written.
    """

    kept: KeptCell | None
    stored: KeptCell | None
    methods: list[str] | None = None
    replaces: bool = False
    output_rows: list[OutputRow] = field(default_factory=list)


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
    entry.output_rows += [row._replace(position=n_outputs + i) for i, row in enumerate(rows)]
    entry.methods = [*methods, *settled.outcome.outputs]
    n_bytes = output_bytes + sum(len(row.content) for row in rows)
    entry.kept = KeptCell(settled.outcome, environment, n_outputs + len(rows), n_bytes)


def _put_entries(connection: Connection, tally: TallyRow, metrics: Sequence[str], entries: dict[Cell, _Entry]) -> None:
    """Write the cells that changed."""
    positions = {name: i for i, name in enumerate(metrics)}
    kept = {cell: entry.kept for cell, entry in entries.items() if entry.kept is not None}
    sealed = CELLS.seal([cell_row(tally.run, cell, each, positions) for cell, each in kept.items()])
    for cell, entry in entries.items():
        if entry.replaces and entry.stored is not None and entry.stored.n_outputs:
            delete_cells(connection, OUTPUTS, tally.run, cell, cell)
    insert(connection, CELLS, sealed, replaces=True)
    put(connection, OUTPUTS, [row for entry in entries.values() for row in entry.output_rows])
    before = [entry.stored for entry in entries.values() if entry.stored is not None]
    n_done = sum(each.outcome.is_done for each in kept.values()) - sum(each.outcome.is_done for each in before)
    added, removed = [row.hash for row in sealed], [each.hash for each in before]
    _put_tally(connection, tally, len(sealed) - len(before), n_done, added, removed)


def _put_tally(
    connection: Connection, tally: TallyRow, n_cells: int, n_done: int, added: Sequence[int], removed: Sequence[int]
) -> None:
    """Add to the tally so many cells, so many of them done, and the hashes that came and went."""
    after = TallyRow(
        tally.run,
        n_cells=tally.n_cells + n_cells,
        n_done=tally.n_done + n_done,
        hash_sum=add_hashes(tally.hash_sum, added, removed),
        updated=time.time_ns() // 1000,
    )
    put(connection, TALLIES, [after])
