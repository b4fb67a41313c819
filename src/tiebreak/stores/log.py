"""The cells of one run in a database, as whoever measures and reads them sees them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.cells import CellTable, cell_text
from tiebreak.stores.contract import Note
from tiebreak.stores.damage import Damage, refuse
from tiebreak.stores.encoding import NOTES
from tiebreak.stores.plan_mapping import ABSENT
from tiebreak.stores.rows import BLOCK, RunRows
from tiebreak.stores.runs import read_plan

if TYPE_CHECKING:
    from tiebreak.stores.database import Connection
    from tiebreak.stores.lease import SqlLease


class SqlLog:
    """The cells of one run in a database; `lease_seconds` is for how long who has taken cells on may show nothing."""

    def __init__(self, rows: RunRows, lease_seconds: float) -> None:
        self.record = rows.record
        self._rows = rows
        self._lease_seconds = lease_seconds

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""
        return self._rows.do(lambda connection: read_plan(connection, self._rows.run, self.record.name))[1]

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none."""
        for piece in self._rows.pieces(outcomes):
            self._rows.do(partial(self._rows.put, piece), to_write=True)

    def lease(self) -> SqlLease:
        """Begin a share in measuring the run, for one process among several."""
        from tiebreak.stores.lease import SqlLease

        return SqlLease(self._rows, self._lease_seconds)

    def table(self) -> CellTable:
        """Read all recorded cells."""
        pages = self._rows.do(partial(self._rows.scan, self._rows.columns))
        table = CellTable(*(np.concatenate(column) for column in zip(*pages, strict=True)))
        order = np.lexsort((table.model, table.split, table.dataset))
        if np.array_equal(order, np.arange(order.size)):
            return table
        return CellTable(*(getattr(table, field.name)[order] for field in dataclasses.fields(table)))

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """Read the recorded outcomes of the given cells, or of all, in the order of the plan."""
        if cells is None:
            table = self.table()
            positions = zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True)
            wanted = [Cell(*each) for each in positions]
        else:
            wanted = sorted(set(cells))
            for cell in wanted:
                self._rows.mapping.check(Outcome(cell))
        for start in range(0, len(wanted), BLOCK):
            block = {self._rows.mapping.stored(cell): cell for cell in wanted[start : start + BLOCK]}
            found = self._rows.read(list(block), outputs=outputs)
            for stored, cell in block.items():
                if stored in found:
                    yield self._rows.mapping.own_part(found[stored][0], cell, found[stored][1])
                elif cells is None:  # it was there a moment ago
                    refuse(Damage(self.record.name, cell_text(self._rows.stored, stored), "it is gone"))

    def noted(self, what: Note) -> Iterator[Outcome]:
        """Read the recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan."""

        def find(connection: Connection) -> list[tuple[Any, ...]]:
            self._rows.tally(connection)
            statement = "SELECT dataset, split, model FROM tiebreak_cells WHERE run = ? AND noted & ? <> 0"
            return connection.execute(statement, [self._rows.run, NOTES[what]])

        stored = np.array(self._rows.do(find), dtype=np.int64).reshape(-1, 3)
        planned = np.column_stack(self._rows.mapping.planned(*stored.T))
        cells = [Cell(*each) for each in planned[planned[:, 0] != ABSENT].tolist()]
        return (outcome for outcome in self.outcomes(cells) if getattr(outcome, what))
