"""The cells of one run in a database: each row verified by its hash, all of them by the run's head."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import numpy as np

from tiebreak.errors import ChangedRunError, StoreError
from tiebreak.plan.record import STATES, Cell, Outcome, Outputs, RunRecord
from tiebreak.stores.contract import (
    MISMATCH,
    CellTable,
    Damage,
    Report,
    cell_text,
    deleted_text,
    is_planned,
    refuse,
    settle,
)
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.encoding import (
    MALFORMED,
    CellRow,
    NumericArray,
    cell_row,
    damaged,
    fault_text,
    from_json,
    hashes,
    pack_arrays,
    read_numbers,
    read_outcome,
    require,
    sealed,
    to_json,
    unpack_arrays,
    unpack_plan,
    unsealed,
)
from tiebreak.stores.plan_mapping import ABSENT, check_record, map_plan

if TYPE_CHECKING:
    from tiebreak.stores.lease import SqlLease

Part = TypeVar("Part")

PAGE = 4096
DONE = STATES.index("done")
BLOCK, BLOCK_WITH_OUTPUTS = 512, 64
"""Cells that are read at a time."""
NOTHING: Outputs = {}

_COLUMNS = ", ".join(CellRow._fields)
_AFTER = (
    f"SELECT {_COLUMNS} FROM tiebreak_cells WHERE run = ? AND (dataset, split, model) > (?, ?, ?) "  # noqa: S608
    "ORDER BY dataset, split, model LIMIT {}"
)
_OF_SPLIT = "WHERE run = ? AND dataset = ? AND split = ? AND model BETWEEN ? AND ?"
_KEY = "ON CONFLICT (run, dataset, split, model) DO UPDATE SET"
_PUT_CELL = (
    f"INSERT INTO tiebreak_cells ({_COLUMNS}) VALUES ({', '.join('?' * len(CellRow._fields))}) "  # noqa: S608
    f"{_KEY} {', '.join(f'{name} = excluded.{name}' for name in CellRow._fields[4:])}"
)
_PUT_OUTPUT = f"INSERT INTO tiebreak_outputs VALUES (?, ?, ?, ?, ?) {_KEY} content = excluded.content"  # noqa: S608
_DELETE_OUTPUT = "DELETE FROM tiebreak_outputs WHERE run = ? AND dataset = ? AND split = ? AND model = ?"


# --- the row of a run -------------------------------------------------------------------------------------------------------

Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Head(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Facts of a run that are listed, and numbers that change with each transaction; times are microseconds since 1970.

    `n_cells` are planned, `n_kept` recorded. `hash_sum` is the sum of the hashes of the recorded cells modulo 2**64, and `plan`
    the hash of its plan.
    """

    created: Count
    updated: Count
    name: str = ""
    n_cells: Count = 0
    n_models: Count = 0
    n_datasets: Count = 0
    n_splits: Count = 0
    metrics: tuple[str, ...] = ()
    n_kept: Count = 0
    n_done: Count = 0
    hash_sum: int = 0
    plan: str = ""


def pack_head(run: int, head: Head) -> bytes:
    """Pack a head for its row: nearly always as many bytes as before, so that the row is changed in its place."""
    content = to_json(msgspec.structs.astuple(head))
    return sealed(content.ljust(len(content) + -len(content) % 128), "head", run)


def unpack_head(run: int, blob: bytes) -> Head:
    """Read a head out of its row; raises one of `MALFORMED`."""
    head = msgspec.convert(from_json(unsealed(blob, "head", run)), Head)
    require(head.n_done <= head.n_kept, "more cells done than kept")
    return head


def read_head(connection: Connection, run: int, name: str) -> Head:
    """Read the head of a run; raises `StoreError` where the run was deleted."""
    found = connection.execute("SELECT head FROM tiebreak_runs WHERE run = ?", [run])
    if not found:
        raise StoreError(deleted_text(name))
    try:
        return unpack_head(run, found[0][0])
    except MALFORMED as error:
        refuse(Damage(name, "the description of the run", fault_text(error)))
        raise


def read_plan(connection: Connection, run: int, name: str) -> tuple[RunRecord, tuple[Mapping[str, str], ...], str]:
    """Read the plan of a run, the versions that it was measured with, and the hash of both."""
    found = connection.execute("SELECT plan FROM tiebreak_runs WHERE run = ?", [run])
    if not found:
        raise StoreError(deleted_text(name))
    blob = found[0][0]
    try:
        record, environments = unpack_plan(unsealed(blob, "plan", run))
        require(record.name == name, "the plan of another run")
        check_record(record)
    except MALFORMED as error:
        refuse(Damage(name, "the plan", fault_text(error)))
        raise
    return record, environments, blob[:8].hex()


# --- its cells --------------------------------------------------------------------------------------------------------------


class SqlLog:
    """The cells of one run in a database, of which it sees the part that a record has.

    Cells, models, datasets, splits and metrics are meant by their positions in `record`: the plan that the log was opened with,
    or all that the run has where it was opened for reading. Two logs of the same run may have different records, such as one with
    a model more. `threads` of a record is what the run was begun with; `versions` of a log for reading are the last recorded.

    `stored` is what the run has, `plan` the hash of that, `environment` the position of the versions at work; `lease_seconds` is
    for how long who has taken cells on may show nothing, and `report` what is done about damage.
    """

    def __init__(
        self,
        database: Database,
        run: int,
        record: RunRecord,
        stored: RunRecord,
        plan: str,
        environment: int,
        lease_seconds: float,
        report: Report = refuse,
    ) -> None:
        self.record, self._run, self._database = record, run, database
        self._environment, self._lease_seconds, self._report = environment, lease_seconds, report
        self._see(stored, plan)

    def _see(self, stored: RunRecord, plan: str) -> None:
        """Take note of what the stored run has; of the data only what names of cells are made from."""
        self._mapping = map_plan(self.record, stored)
        datasets = tuple(dataclasses.replace(dataset, target=None, test_rows=()) for dataset in stored.datasets)
        self._stored = dataclasses.replace(stored, datasets=datasets)
        self._metrics = [metric.name for metric in stored.metrics]
        self._plan = plan

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""
        return self._database.do(lambda connection: read_plan(connection, self._run, self.record.name), self.record.name)[1]

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none, before this returns.

        A cell is kept once. Of a cell that is done, the same scores again change nothing, further metrics are added, and
        a different score of the same metric is refused, unless the run is one that cannot be reproduced (rng None): then
        the first score stays. Outputs of further methods are added too; times and versions stay those of the first. A failure
        never replaces a cell that is done; anything replaces a failure.

        Raises
        ------
        ChangedRunError
            Naming run and cell.
        InvalidParameterError
            A cell or state that there is not, or outputs that are no array of numbers; `UnknownNameError` for a metric that
            the run does not have.
        StoreError
            The outcomes could not be kept; those written before are.
        """
        self._database.do(partial(self._put, self._placed(outcomes)), self.record.name, to_write=True)

    def lease(self) -> SqlLease:
        """Begin a share in measuring the run, for one process among several."""
        from tiebreak.stores.lease import SqlLease

        return SqlLease(self, self._lease_seconds)

    def table(self) -> CellTable:
        """Read all recorded cells.

        Raises
        ------
        DamagedStoreError
            A cell is not what was written, or one that was written is gone.
        """
        pages = self._database.do(partial(self._scan, self._columns), self.record.name)
        table = CellTable(*(np.concatenate(column) for column in zip(*pages, strict=True)))
        order = np.lexsort((table.model, table.split, table.dataset))
        if np.array_equal(order, np.arange(order.size)):
            return table
        return CellTable(*(getattr(table, field.name)[order] for field in dataclasses.fields(table)))

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """Read the recorded outcomes of the given cells, or of all, in the order of the plan; cells without one are left out.

        Parameters
        ----------
        cells : iterable of Cell, optional
        outputs : bool
            Whether to load what the models said of the test rows; the arrays are not to be written to.

        Raises
        ------
        DamagedStoreError
        """
        if cells is None:
            table = self.table()
            wanted = list(map(Cell, table.dataset.tolist(), table.split.tolist(), table.model.tolist()))
        else:
            wanted = sorted(set(cells))
            for cell in wanted:
                self._mapping.check(Outcome(cell))
        size = BLOCK_WITH_OUTPUTS if outputs else BLOCK
        for start in range(0, len(wanted), size):
            block = {self._mapping.stored(cell): cell for cell in wanted[start : start + size]}
            found = self._read(block, outputs=outputs)
            if cells is None and len(found) < len(block):  # they were there a moment ago
                gone = next(stored for stored in block if stored not in found)
                refuse(Damage(self.record.name, cell_text(self._stored, gone), "it is gone"))
            yield from (self._mapping.own_part(found[stored]) for stored in block if stored in found)

    def check(self) -> None:
        """Read everything, so that what is not as it was written is reported."""
        work = partial(self._scan, lambda page: [row.cell for row in page])
        cells = list(chain(*self._database.do(work, self.record.name)))
        for cell in cells:
            if not is_planned(self._stored, cell):
                self._report(Damage(self.record.name, "the list of cells", cell_text(self._stored, cell)))
        for start in range(0, len(cells), BLOCK_WITH_OUTPUTS):
            self._read({cell: cell for cell in cells[start : start + BLOCK_WITH_OUTPUTS]}, outputs=True)
        leases = "SELECT holder, content FROM tiebreak_leases WHERE run = ?"
        for holder, content in self._database.do(lambda c: c.execute(leases, [self._run]), self.record.name):
            try:
                unsealed(content, "lease", self._run, holder)
            except MALFORMED as error:
                self._report(Damage(self.record.name, "the list of leases", fault_text(error)))

    # --- writing ------------------------------------------------------------------------------------------------------------

    def _placed(self, outcomes: Sequence[Outcome]) -> list[tuple[Cell, Outcome]]:
        """Outcomes with their stored cells; refused where there is no such cell."""
        for outcome in outcomes:
            self._mapping.check(outcome)
        return [(self._mapping.stored(outcome.cell), outcome) for outcome in outcomes]

    def _put(
        self, placed: Sequence[tuple[Cell, Outcome]], connection: Connection, owned: Collection[Cell] | None = None
    ) -> set[Cell]:
        """Put outcomes in the transaction under way by the rule of writing.

        Returns the cells that have another score by now, which is an error of those `owned`, and of all where that is None.
        """
        head = self._head(connection)
        before = self._kept(connection, {cell for cell, _ in placed})
        rows: dict[Cell, CellRow] = {}
        contents: dict[Cell, bytes] = {}
        refused: set[Cell] = set()
        for cell, outcome in placed:
            row = rows.get(cell) or before.get(cell)
            old = None if row is None else self._outcome(row)
            is_done = old is not None and old.is_done
            arrays: Mapping[str, Any] = {}
            if is_done and outcome.outputs and row is not None and row.outputs:
                arrays = unpack_arrays(contents[cell]) if cell in contents else self._outputs(connection, [row])[cell]
            try:
                new = settle(self._stored, old, arrays, outcome if old is None else dataclasses.replace(outcome, cell=cell))
            except ChangedRunError:
                if owned is None or cell in owned:
                    raise
                refused.add(cell)
                continue
            if new is None:
                continue
            if not is_done or new.outputs:
                outputs = {**arrays, **new.outputs}
                contents[cell] = pack_arrays(outputs, "the output of {!r}") if outputs else b""
            n_bytes = len(contents[cell]) if cell in contents else row.outputs if row is not None else 0
            environment = row.environment if is_done and row is not None else self._environment
            rows[cell] = cell_row((self._run, *cell), new, environment, n_bytes, self._mapping.metric_position)
        if rows:
            self._put_rows(connection, head, before, rows, contents)
        return refused

    def _put_rows(
        self,
        connection: Connection,
        head: Head,
        before: Mapping[Cell, CellRow],
        rows: Mapping[Cell, CellRow],
        contents: Mapping[Cell, bytes],
    ) -> None:
        numbers = hashes(list(rows.values()))
        connection.execute_many(_PUT_CELL, [(*row[:-1], number) for row, number in zip(rows.values(), numbers, strict=True)])
        places = {(self._run, *cell): content for cell, content in contents.items()}
        connection.execute_many(_DELETE_OUTPUT, [place for place, content in places.items() if not content])
        packed = [(*place, sealed(content, "output", *place)) for place, content in places.items() if content]
        connection.execute_many(_PUT_OUTPUT, packed)
        replaced = [before[cell] for cell in rows if cell in before]
        n_done = sum(row.state == DONE for row in rows.values()) - sum(row.state == DONE for row in replaced)
        after = msgspec.structs.replace(
            head,
            updated=self._database.now(connection),
            n_kept=head.n_kept + len(rows) - len(replaced),
            n_done=head.n_done + n_done,
            hash_sum=(head.hash_sum + sum(numbers) - sum(row.hash for row in replaced)) % 2**64,
        )
        connection.execute("UPDATE tiebreak_runs SET head = ? WHERE run = ?", [pack_head(self._run, after), self._run])

    # --- reading, within a transaction --------------------------------------------------------------------------------------

    def _head(self, connection: Connection) -> Head:
        """Read the head, and what others have added to the plan."""
        head = read_head(connection, self._run, self.record.name)
        if head.plan != self._plan:
            stored, _, plan = read_plan(connection, self._run, self.record.name)
            if plan != head.plan:
                refuse(Damage(self.record.name, "the plan", "it is not the one that was written last"))
            self._see(stored, plan)
        return head

    def _kept(self, connection: Connection, cells: Collection[Cell]) -> dict[Cell, CellRow]:
        """Read the rows of cells, by stored positions; those not kept are left out."""
        rows = map(CellRow._make, self._rows(connection, _COLUMNS, "cells", cells))
        return {row.cell: row for row in self._whole([row for row in rows if row.cell in cells])}

    def _outcome(self, row: CellRow, cell: Cell | None = None, outputs: Outputs = NOTHING) -> Outcome | None:
        """Read the outcome in a row, for its stored cell or another name of it; None where damage is only reported."""
        try:
            return read_outcome(row, self._metrics, row.cell if cell is None else cell, outputs)
        except MALFORMED as error:
            self._report(Damage(self.record.name, cell_text(self._stored, row.cell), fault_text(error)))
            return None

    def _rows(self, connection: Connection, columns: str, table: str, cells: Iterable[Cell]) -> Iterator[tuple[Any, ...]]:
        """Read what a table has of some cells, and perhaps of others: those of a split are read together."""
        for (dataset, split), group in groupby(sorted(cells), key=itemgetter(0, 1)):
            models = [cell[2] for cell in group]
            statement = f"SELECT {columns} FROM tiebreak_{table} {_OF_SPLIT}"  # noqa: S608
            yield from connection.execute(statement, [self._run, dataset, split, models[0], models[-1]])

    def _outputs(self, connection: Connection, rows: Sequence[CellRow]) -> dict[Cell, dict[str, NumericArray]]:
        """Read the outputs of cells that have some."""
        cells = [row.cell for row in rows]
        found = {Cell(*each[:3]): each[3] for each in self._rows(connection, "dataset, split, model, content", "outputs", cells)}
        outputs: dict[Cell, dict[str, NumericArray]] = {}
        for row in rows:
            try:
                content = unsealed(found[row.cell], "output", *row[:4]) if row.cell in found else b""
                require(len(content) == row.outputs, "they are not those that were written with it")
                outputs[row.cell] = unpack_arrays(content)
            except MALFORMED as error:
                what = fault_text(error) if row.cell in found else "they are gone"
                self._report(Damage(self.record.name, f"the outputs of {cell_text(self._stored, row.cell)}", what))
        return outputs

    def _whole(self, rows: Sequence[CellRow]) -> Sequence[CellRow]:
        """Keep the rows that are as they were written; the others are reported."""
        wrong = damaged(rows)
        for i in wrong:
            self._report(Damage(self.record.name, cell_text(self._stored, rows[i].cell), MISMATCH))
        return [row for i, row in enumerate(rows) if i not in wrong] if wrong else rows

    def _scan(self, take: Callable[[Sequence[CellRow]], Part], connection: Connection) -> list[Part]:
        """Take something from each page of rows, all pages together being what was written."""
        head = self._head(connection)
        parts: list[Part] = []
        n_rows = n_whole = hash_sum = 0
        after: Sequence[int] = (-1, -1, -1)
        while True:
            page = [*map(CellRow._make, connection.execute(_AFTER.format(PAGE), [self._run, *after]))]
            whole = self._whole(page)
            parts.append(take(whole))
            n_rows, n_whole = n_rows + len(page), n_whole + len(whole)
            hash_sum += sum(row.hash for row in whole)
            # a broken tree of pages could go round in circles; what it hides is missing in the sum
            if len(page) < PAGE or n_rows > head.n_kept:
                break
            after = page[-1].cell
        if n_rows != head.n_kept:
            what = f"{n_rows} are there, and {head.n_kept} were written"
            self._report(Damage(self.record.name, "the list of cells", what))
        elif hash_sum % 2**64 != head.hash_sum and n_whole == n_rows:
            self._report(Damage(self.record.name, "the list of cells", "these are not the ones that were written"))
        return parts

    def _columns(self, page: Sequence[CellRow]) -> tuple[Any, ...]:
        """Turn the part of a page that belongs to the plan into columns, in the order of the fields of `CellTable`."""
        mapping = self._mapping
        try:
            positions = np.array([row[1:7] for row in page], dtype=np.int64).reshape(-1, 6)
            states, environments = positions[:, 3], positions[:, 4]
            is_right = states.min(initial=0) >= 0 and states.max(initial=0) < len(STATES) and environments.min(initial=0) >= 0
            require(bool(is_right), "a state that is none")
            seconds, score, measured = read_numbers([row[9] for row in page], len(mapping.metric_position))
        except MALFORMED:
            for row in page:  # which of them it is
                self._outcome(row)
            raise
        dataset, split, model = mapping.planned(*positions[:, :3].T)
        own = np.flatnonzero(dataset != ABSENT)
        metrics = np.ix_(own, mapping.metrics)
        times = seconds[own, 0], seconds[own, 1]
        columns = dataset[own], split[own], model[own], states[own], score[metrics], measured[metrics]
        return *columns, *times, environments[own], positions[own, 5]

    def _read(self, cells: Mapping[Cell, Cell], *, outputs: bool) -> dict[Cell, Outcome]:
        """Outcomes of those cells that are recorded, by stored positions, as they were at one moment, each under a given name."""

        def work(connection: Connection) -> dict[Cell, Outcome]:
            self._head(connection)
            kept = self._kept(connection, cells.keys())
            arrays = self._outputs(connection, [row for row in kept.values() if row.outputs]) if outputs else {}
            found = ((stored, self._outcome(row, cells[stored], arrays.get(stored, NOTHING))) for stored, row in kept.items())
            return {stored: outcome for stored, outcome in found if outcome is not None}

        return self._database.do(work, self.record.name)


@dataclass(frozen=True, slots=True, eq=False)
class CopiedLog:
    """The cells of a run as they were when they were copied out of a store: what travels with a result. Nothing can be added.

    `copied` holds all outcomes, with their outputs, in the order of the plan.
    """

    record: RunRecord
    environments: tuple[Mapping[str, str], ...]
    copied: tuple[Outcome, ...]
    cells: CellTable

    @classmethod
    def of(cls, log: SqlLog | CopiedLog, table: CellTable) -> CopiedLog:
        """Copy all that a log has; the table is what is known of it."""
        environments = tuple(dict(each) for each in log.environments)
        return cls(log.record, environments, tuple(log.outcomes(outputs=True)), table)

    def table(self) -> CellTable:
        """All recorded cells."""
        return self.cells

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The recorded outcomes of the given cells, or of all, in the order of the plan."""
        wanted = None if cells is None else set(cells)
        for outcome in self.copied:
            if wanted is None or outcome.cell in wanted:
                yield outcome if outputs or not outcome.outputs else dataclasses.replace(outcome, outputs={})
