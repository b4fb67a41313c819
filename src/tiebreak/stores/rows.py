"""The rows of one run as they are read and written: each verified by its hash, all of them by the run's tally."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tiebreak.errors import ChangedRunError
from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.stores.cells import cell_text, is_planned, settle
from tiebreak.stores.damage import MISMATCH, Damage, Report, refuse
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.encoding import (
    MALFORMED,
    CellRow,
    cell_row,
    damaged,
    fault_text,
    hashes,
    pack_arrays,
    read_numbers,
    read_outcome,
    require,
    sealed,
    unpack_arrays,
    unsealed,
)
from tiebreak.stores.plan_mapping import ABSENT, map_plan
from tiebreak.stores.runs import Tally, pack_tally, read_plan, read_tally

if TYPE_CHECKING:
    from tiebreak.stores.encoding import NumericArray

Part = TypeVar("Part")
Piece = Sequence[tuple[Cell, Outcome, bytes]]
"""Cells by their stored positions, their outcomes, and the outputs of these, packed."""
Found = dict[Cell, tuple[Outcome, "dict[str, NumericArray]"]]

PAGE = 4096
BLOCK = 512
MOST_READ = 16_000_000  # of outputs in memory at a time
# A transaction of so much takes a few hundredths of a second; other writers wait meanwhile.
MOST_CELLS = 1_000
MOST_WRITTEN = 4_000_000

_COLUMNS = ", ".join(CellRow._fields)
_AFTER = (
    f"SELECT {_COLUMNS} FROM tiebreak_cells WHERE run = ? AND (dataset, split, model) > (?, ?, ?) "  # noqa: S608
    "ORDER BY dataset, split, model LIMIT {}"
)
_OF_SPLIT = "WHERE run = ? AND dataset = ? AND split = ? AND model BETWEEN ? AND ?"
_OF_CELL = "WHERE run = ? AND dataset = ? AND split = ? AND model = ?"
_KEY = "ON CONFLICT (run, dataset, split, model) DO UPDATE SET"
_PUT_CELL = (
    f"INSERT INTO tiebreak_cells ({_COLUMNS}) VALUES ({', '.join('?' * len(CellRow._fields))}) "  # noqa: S608
    f"{_KEY} {', '.join(f'{name} = excluded.{name}' for name in CellRow._fields[4:])}"
)
_PUT_OUTPUT = f"INSERT INTO tiebreak_outputs VALUES (?, ?, ?, ?, ?) {_KEY} content = excluded.content"  # noqa: S608


class RunRows:
    """Rows of a run, of which it sees the part that a record has.

    `mapping` leads from the record to the stored run, and `stored` is what names of cells are made from. `plan` is the hash of
    the stored plan, `environment` the position of the versions at work.
    """

    def __init__(self, database: Database, run: int, record: RunRecord, stored: RunRecord, plan: int, environment: int) -> None:
        self.record = record
        self.run = run
        self.database = database
        self._environment = environment
        self._see(stored, plan)

    def _see(self, stored: RunRecord, plan: int) -> None:
        """Take note of what the stored run has; of the data only what names of cells are made from."""
        self.mapping = map_plan(self.record, stored)
        datasets = tuple(dataclasses.replace(dataset, target=None, test_rows=()) for dataset in stored.datasets)
        self.stored = dataclasses.replace(stored, datasets=datasets)
        self._metrics = [metric.name for metric in stored.metrics]
        self._plan = plan

    def do(self, work: Callable[[Connection], Part], *, to_write: bool = False) -> Part:
        """Return what some work returns, in a transaction."""
        return self.database.do(work, self.record.name, to_write=to_write)

    # --- writing, within a transaction --------------------------------------------------------------------------------------

    def pieces(self, outcomes: Sequence[Outcome]) -> list[list[tuple[Cell, Outcome, bytes]]]:
        """Make outcomes ready, in parts for a transaction each: a single one unless there is very much to write."""
        pieces: list[list[tuple[Cell, Outcome, bytes]]] = [[]]
        n_bytes = 0
        for outcome in outcomes:
            self.mapping.check(outcome)
            content = pack_arrays(outcome.outputs, "the output of {!r}") if outcome.outputs else b""
            n_bytes += len(content)
            if pieces[-1] and (len(pieces[-1]) == MOST_CELLS or n_bytes > MOST_WRITTEN):
                pieces.append([])
                n_bytes = len(content)
            pieces[-1].append((self.mapping.stored(outcome.cell), outcome, content))
        return pieces

    def put(self, piece: Piece, connection: Connection, owned: Collection[Cell] | None = None) -> set[Cell]:
        """Put a piece in the transaction under way by the rule of writing.

        Returns the cells that have another score by now, which is an error of those `owned`, and of all where that is None.
        """
        tally = self.tally(connection)
        kept = self.kept(connection, [cell for cell, _, _ in piece])
        rows: dict[Cell, CellRow] = {}
        contents: dict[Cell, bytes] = {}
        refused: set[Cell] = set()
        for cell, outcome, content in piece:
            row = rows.get(cell) or kept.get(cell)
            old = None if row is None else self.outcome(row)
            adds = row is not None and old is not None and old.is_done
            arrays: Mapping[str, Any] = {}
            if adds and content and row is not None and row.outputs:
                arrays = unpack_arrays(contents[cell]) if cell in contents else self._outputs(connection, [row])[cell]
            try:
                own = outcome if old is None else dataclasses.replace(outcome, cell=cell)
                new = settle(self.stored, old, arrays, own)
            except ChangedRunError:
                if owned is None or cell in owned:
                    raise
                refused.add(cell)
                continue
            if new is None:
                continue
            if not adds or new.outputs:
                contents[cell] = pack_arrays({**arrays, **new.outputs}) if adds else content
            n_bytes = len(contents[cell]) if cell in contents else row.outputs if row is not None else 0
            environment = row.environment if adds and row is not None else self._environment
            rows[cell] = cell_row((self.run, *cell), new, environment, n_bytes, self.mapping.metric_position)
        if rows:
            self._put_rows(connection, tally, kept, rows, contents)
        return refused

    def _put_rows(
        self,
        connection: Connection,
        tally: Tally,
        kept: Mapping[Cell, CellRow],
        rows: Mapping[Cell, CellRow],
        contents: Mapping[Cell, bytes],
    ) -> None:
        numbers = hashes(list(rows.values()))
        connection.execute_many(_PUT_CELL, [(*row[:-1], number) for row, number in zip(rows.values(), numbers, strict=True)])
        if gone := [(self.run, *cell) for cell, content in contents.items() if not content and cell in kept]:
            connection.execute_many(f"DELETE FROM tiebreak_outputs {_OF_CELL}", gone)  # noqa: S608
        if filled := [(self.run, *cell) for cell, content in contents.items() if content]:
            output_rows = [(*place, sealed(contents[Cell(*place[1:])], "output", *place)) for place in filled]
            connection.execute_many(_PUT_OUTPUT, output_rows)
        before = [kept[cell] for cell in rows if cell in kept]
        added = sum(numbers) - sum(row.hash for row in before)
        after = tally._replace(
            updated=self.database.now(connection),
            n_cells=tally.n_cells + len(rows) - len(before),
            n_done=tally.n_done + _n_done(rows.values()) - _n_done(before),
            hash_sum=_wrapped(tally.hash_sum + added),
        )
        connection.execute("UPDATE tiebreak_runs SET tally = ? WHERE run = ?", [pack_tally(self.run, after), self.run])

    # --- reading, within a transaction --------------------------------------------------------------------------------------

    def tally(self, connection: Connection) -> Tally:
        """Read the tally, and what others have added to the plan."""
        tally = read_tally(connection, self.run, self.record.name)
        if tally.plan != self._plan:
            stored, _, plan = read_plan(connection, self.run, self.record.name)
            if plan != tally.plan:
                refuse(Damage(self.record.name, "the plan", "it is not the one that was written last"))
            self._see(stored, plan)
        return tally

    def kept(self, connection: Connection, cells: Collection[Cell], report: Report = refuse) -> dict[Cell, CellRow]:
        """Read the rows of cells, by stored positions; those not kept are left out."""
        wanted = set(cells)
        rows: list[CellRow] = []
        for (dataset, split), group in groupby(sorted(wanted), key=lambda cell: cell[:2]):
            models = [cell.model for cell in group]
            statement = f"SELECT {_COLUMNS} FROM tiebreak_cells {_OF_SPLIT}"  # noqa: S608
            found = connection.execute(statement, [self.run, dataset, split, models[0], models[-1]])
            rows += [row for row in map(CellRow._make, found) if row.cell in wanted]
        return {row.cell: row for row in self._whole(rows, report)}

    def outcome(self, row: CellRow) -> Outcome:
        """Read the outcome in a row, without its outputs."""
        try:
            return read_outcome(row, self._metrics)
        except MALFORMED as error:
            refuse(Damage(self.record.name, cell_text(self.stored, row.cell), fault_text(error)))
            raise

    def _outputs(
        self, connection: Connection, rows: Sequence[CellRow], report: Report = refuse
    ) -> dict[Cell, dict[str, NumericArray]]:
        """Read the outputs of cells that have some."""
        outputs: dict[Cell, dict[str, NumericArray]] = {}
        for (dataset, split), group in groupby(rows, key=lambda row: row[1:3]):
            models = {row.model: row for row in group}
            statement = f"SELECT model, content FROM tiebreak_outputs {_OF_SPLIT}"  # noqa: S608
            found = dict(connection.execute(statement, [self.run, dataset, split, min(models), max(models)]))
            for model, row in models.items():
                try:
                    require(model in found, "they are gone")
                    content = unsealed(found[model], "output", self.run, *row.cell)
                    require(len(content) == row.outputs, "they are not those that were written with it")
                    outputs[row.cell] = unpack_arrays(content)
                except MALFORMED as error:
                    what = str(error) if model not in found else fault_text(error)
                    report(Damage(self.record.name, f"the outputs of {cell_text(self.stored, row.cell)}", what))
        return outputs

    def _whole(self, rows: Sequence[CellRow], report: Report) -> Sequence[CellRow]:
        """Keep the rows that are as they were written; the others are reported."""
        wrong = damaged(rows)
        for i in wrong:
            report(Damage(self.record.name, cell_text(self.stored, rows[i].cell), MISMATCH))
        return [row for i, row in enumerate(rows) if i not in wrong] if wrong else rows

    def scan(self, take: Callable[[Sequence[CellRow]], Part], connection: Connection, *, report: Report = refuse) -> list[Part]:
        """Take something from each page of rows, all pages together being what was written."""
        tally = self.tally(connection)
        parts: list[Part] = []
        damages: list[Damage] = []
        n_rows = hash_sum = 0
        after: Sequence[int] = (-1, -1, -1)
        while True:
            page = [*map(CellRow._make, connection.execute(_AFTER.format(PAGE), [self.run, *after]))]
            whole = self._whole(page, damages.append)
            parts.append(take(whole))
            n_rows += len(page)
            hash_sum += sum(row.hash for row in whole)
            # a broken tree of pages could go round in circles; what it hides is missing in the sum
            if (
                len(page) < PAGE
                or not whole
                or whole[-1] is not page[-1]
                or page[-1].cell <= tuple(after)
                or n_rows > tally.n_cells
            ):
                break
            after = page[-1].cell
        if n_rows != tally.n_cells:
            damages.append(Damage(self.record.name, "the list of cells", f"{n_rows} are there, and {tally.n_cells} were written"))
        elif _wrapped(hash_sum) != tally.hash_sum and not damages:
            damages.append(Damage(self.record.name, "the list of cells", "these are not the ones that were written"))
        for damage in damages:
            report(damage)
        return parts

    def columns(self, page: Sequence[CellRow]) -> tuple[Any, ...]:
        """Turn the part of a page that belongs to the plan into columns, in the order of the fields of `CellTable`."""
        mapping = self.mapping
        try:
            positions = np.array([row[1:6] for row in page], dtype=np.int64).reshape(-1, 5)
            states, environments = positions[:, 3], positions[:, 4]
            is_right = states.min(initial=0) >= 0 and states.max(initial=0) < len(STATES) and environments.min(initial=0) >= 0
            require(bool(is_right), "a state that is none")
            seconds, score, measured = read_numbers([row[9] for row in page], len(mapping.metric_position))
        except MALFORMED:
            for row in page:  # which of them it is
                self.outcome(row)
            raise
        dataset, split, model = mapping.planned(*positions[:, :3].T)
        own = np.flatnonzero(dataset != ABSENT)
        metrics = np.ix_(own, mapping.metrics)
        times = seconds[own, 0], seconds[own, 1]
        return dataset[own], split[own], model[own], states[own], score[metrics], measured[metrics], *times, environments[own]

    # --- some cells, with their outputs -------------------------------------------------------------------------------------

    def read(self, cells: Sequence[Cell], *, outputs: bool, report: Report = refuse) -> Found:
        """Read those of the given cells that are recorded, by stored positions, as they were at one moment."""

        def work(connection: Connection) -> Found | None:
            self.tally(connection)
            rows = list(self.kept(connection, cells, report).values())
            if outputs and len(cells) > 1 and sum(row.outputs for row in rows) > MOST_READ:
                return None
            arrays = self._outputs(connection, [row for row in rows if row.outputs], report) if outputs else {}
            found: Found = {}
            for row in rows:
                try:
                    found[row.cell] = read_outcome(row, self._metrics), arrays.get(row.cell, {})
                except MALFORMED as error:
                    report(Damage(self.record.name, cell_text(self.stored, row.cell), fault_text(error)))
            return found

        if (found := self.do(work)) is not None:
            return found
        half = len(cells) // 2
        parts = [self.read(part, outputs=outputs, report=report) for part in (cells[:half], cells[half:])]
        return parts[0] | parts[1]

    def check(self, report: Report) -> None:
        """Read everything, and report what is not as it was written."""
        name, record = self.record.name, self.stored
        cells = [cell for page in self.do(partial(self.scan, _cells_of, report=report)) for cell in page]
        for cell in cells:
            if not is_planned(record, cell):
                report(Damage(name, "the list of cells", cell_text(record, cell)))
        for start in range(0, len(cells), BLOCK):
            self.read(cells[start : start + BLOCK], outputs=True, report=report)
        leases = self.do(lambda c: c.execute("SELECT holder, content FROM tiebreak_leases WHERE run = ?", [self.run]))
        for holder, content in leases:
            try:
                unsealed(content, "lease", self.run, holder)
            except MALFORMED as error:
                report(Damage(name, "the list of leases", fault_text(error)))


def _cells_of(page: Sequence[CellRow]) -> list[Cell]:
    return [row.cell for row in page]


def _n_done(rows: Iterable[CellRow]) -> int:
    return sum(row.state == STATES.index("done") for row in rows)


def _wrapped(total: int) -> int:
    """A sum of hashes modulo 2**64, as the signed integer that is stored."""
    return (total + 2**63) % 2**64 - 2**63
