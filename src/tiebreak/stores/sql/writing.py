"""Writing the cells of a run to a database: new ones at once, those that are there by the rule."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.stores.cells import settle
from tiebreak.stores.plan_mapping import PlanMapping
from tiebreak.stores.sql.database import Database
from tiebreak.stores.sql.encoding import name_to_json, to_npy
from tiebreak.stores.sql.rows import KeptCell, cell_row, kept_cells, kept_methods, read_metrics, read_tally
from tiebreak.stores.sql.statements import delete_cells, insert, put
from tiebreak.stores.sql.tables import CELLS, OUTPUTS, TALLIES, CellRow, OutputRow, add_hashes

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection

# A transaction of so much takes a few hundredths of a second; other writers wait meanwhile.
MOST_CELLS = 1_000
MOST_BYTES = 4_000_000


class PendingOutcome(NamedTuple):
    """An outcome that is to be written, the stored position of its cell, its row as of a new cell, and its outputs as rows."""

    cell: Cell
    outcome: Outcome
    row: CellRow
    output_rows: list[OutputRow]


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

    def pieces(self, outcomes: Sequence[Outcome]) -> list[list[PendingOutcome]]:
        """Make outcomes ready, in parts for a transaction each: a single one unless there is very much to write."""
        pieces: list[list[PendingOutcome]] = [[]]
        n_bytes = 0
        for outcome in outcomes:
            self.mapping.check(outcome)
            cell = self.mapping.stored(outcome.cell)
            outputs = [
                OutputRow(self.number, *cell, i, name_to_json(method), to_npy(output, f"the output of {method!r}"))
                for i, (method, output) in enumerate(outcome.outputs.items())
            ]
            kept = KeptCell(outcome, self.environment, len(outputs), sum(len(row.content) for row in outputs))
            row = cell_row(self.number, cell, kept, self.mapping.metric_position)
            if pieces[-1] and (len(pieces[-1]) == MOST_CELLS or n_bytes + kept.output_bytes > MOST_BYTES):
                pieces.append([])
                n_bytes = 0
            pieces[-1].append(PendingOutcome(cell, outcome, row, outputs))
            n_bytes += kept.output_bytes
        return pieces

    def put(self, piece: Sequence[PendingOutcome], connection: Connection) -> None:
        """Put a piece in the transaction under way: as if its cells were new, or by the rule where some are not."""
        tally = read_tally(connection, self.number, self.stored.name)
        before: list[KeptCell] = []
        sealed = CELLS.seal([each.row for each in piece])
        connection.execute("SAVEPOINT new_cells")
        if insert(connection, CELLS, sealed, replaces=False) == len(sealed):
            put(connection, OUTPUTS, [row for each in piece for row in each.output_rows])
        else:
            connection.execute("ROLLBACK TO SAVEPOINT new_cells")
            sealed, before = self._amend(piece, connection)
        if not sealed:
            return
        done = STATES.index("done")
        n_done = sum(row.state == done for row in sealed) - sum(each.outcome.is_done for each in before)
        after = tally._replace(
            n_cells=tally.n_cells + len(sealed) - len(before),
            n_done=tally.n_done + n_done,
            hash_sum=add_hashes(tally.hash_sum, [row.hash for row in sealed], [each.hash for each in before]),
            updated=time.time_ns() // 1000,
        )
        put(connection, TALLIES, [after])

    def _amend(self, piece: Sequence[PendingOutcome], connection: Connection) -> tuple[list[CellRow], list[KeptCell]]:
        """Put a piece by the rule; returns the rows of the cells that changed, and what was kept of these before."""
        metrics = read_metrics(connection, self.number, self.stored.name)  # others may have added some since it was opened
        before = kept_cells(connection, self.number, self.stored, metrics, [each.cell for each in piece])
        after = dict(before)
        for cell, outcome, _, rows in piece:
            old = after.get(cell)
            is_added = old is not None and old.outcome.is_done  # to what is kept, which is else replaced
            methods = kept_methods(connection, self.number, self.stored, cell) if is_added and rows else []
            new = dataclasses.replace(outcome, cell=cell)
            settled = settle(self.stored, None if old is None else old.outcome, methods, new)
            if settled is None:
                continue
            environment, n_outputs, n_bytes = self.environment, 0, 0
            if old is not None and is_added:
                environment, n_outputs, n_bytes = old.environment, old.n_outputs, old.output_bytes
            elif old is not None and old.n_outputs:
                delete_cells(connection, OUTPUTS, self.number, cell, cell)
            taken = [row for method, row in zip(outcome.outputs, rows, strict=True) if method in settled.outputs]
            put(connection, OUTPUTS, [row._replace(position=n_outputs + i) for i, row in enumerate(taken)])
            n_bytes += sum(len(row.content) for row in taken)
            after[cell] = KeptCell(settled, environment, n_outputs + len(taken), n_bytes)
        changed = [cell for cell in sorted(after) if after[cell] is not before.get(cell)]
        positions = {name: i for i, name in enumerate(metrics)}
        sealed = CELLS.seal([cell_row(self.number, cell, after[cell], positions) for cell in changed])
        insert(connection, CELLS, sealed, replaces=True)
        return sealed, [before[cell] for cell in changed if cell in before]
