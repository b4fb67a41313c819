"""Cells that were written before: what the rule makes of them, in one transaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.layout import CELLS, OUTPUTS, Row
from tiebreak.stores.loading import load_metrics
from tiebreak.stores.rows import KeptCell, cell_row, read_cell, read_output
from tiebreak.stores.rule import settle
from tiebreak.stores.scanning import whole_rows
from tiebreak.stores.statements import cells_between, delete_cells, put, put_sealed

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
