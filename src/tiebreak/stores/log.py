"""The cells of one run in a database: each row verified by its hash, all of them by the run's head."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

from tiebreak.errors import ChangedRunError, StoreError
from tiebreak.plan.record import STATES, Cell, Outcome, Outputs, RunRecord
from tiebreak.stores.contract import CellTable, Damage, Report, RunSummary, cell_text, refuse, settle
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.encoding import (
    MALFORMED,
    CellContent,
    NumericArray,
    cell_content,
    fault_text,
    from_json,
    pack_arrays,
    read_cell,
    read_outcome,
    require,
    sealed,
    to_json,
    to_msgpack,
    unpack_arrays,
    unpack_plan,
    unsealed,
)
from tiebreak.stores.plan_mapping import Place, map_plan

if TYPE_CHECKING:
    from tiebreak.stores.lease import SqlLease

Part = TypeVar("Part")

PAGE = 4096
DONE = STATES.index("done")
BLOCK, BLOCK_WITH_OUTPUTS = 512, 64
"""Cells that are read at a time."""
NOTHING: Outputs = {}

_AFTER = (
    "SELECT dataset, split, model, content FROM tiebreak_cells WHERE run = ? AND (dataset, split, model) > (?, ?, ?) "
    "ORDER BY dataset, split, model LIMIT {}"
)
_OF_SPLIT = (
    "SELECT dataset, split, model, content FROM tiebreak_{} WHERE run = ? AND dataset = ? AND split = ? AND model BETWEEN ? AND ?"
)
_PUT = (
    "INSERT INTO tiebreak_{} VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (run, dataset, split, model) DO UPDATE SET content = excluded.content"
)
_DELETE_OUTPUT = "DELETE FROM tiebreak_outputs WHERE run = ? AND dataset = ? AND split = ? AND model = ?"


# --- the row of a run -------------------------------------------------------------------------------------------------------


class Head(NamedTuple):
    """A run in a line, the sum of the hashes of its recorded cells modulo 2**64, and the hash of its plan."""

    run: RunSummary
    hash_sum: int
    plan: str


def pack_head(run: int, head: Head) -> bytes:
    """Pack a head for its row: nearly always as many bytes as before, so that the row is changed in its place."""
    content = to_json([dataclasses.asdict(head.run), *head[1:]])
    return sealed(content.ljust(len(content) + -len(content) % 128), "head", run)


def unpack_head(run: int, blob: bytes) -> Head:
    """Read a head out of its row; raises one of `MALFORMED`."""
    return msgspec.convert(from_json(unsealed(blob, "head", run)), Head)


def read_head(connection: Connection, run: int, name: str) -> Head:
    """Read the head of a run."""
    return _read_part(connection, run, name, "head", partial(unpack_head, run))


def read_plan(connection: Connection, run: int, name: str) -> tuple[RunRecord, tuple[Mapping[str, str], ...], str]:
    """Read the plan of a run, the versions that it was measured with, and the hash of both."""

    def unpacked(blob: bytes) -> tuple[RunRecord, tuple[Mapping[str, str], ...], str]:
        record, environments = unpack_plan(unsealed(blob, "plan", run))
        require(record.name == name, "the plan of another run")
        return record, environments, blob[:8].hex()

    return _read_part(connection, run, name, "plan", unpacked)


def _read_part(connection: Connection, run: int, name: str, column: str, read: Callable[[bytes], Part]) -> Part:
    """Read a part of a run's row; raises `StoreError` where the run was deleted while somebody was at work on it."""
    found = connection.execute(f"SELECT {column} FROM tiebreak_runs WHERE run = ?", [run])  # noqa: S608
    if not found:
        raise StoreError(
            f"run {name!r} was deleted while it was open, so nothing more can be read or kept. Begin it again to measure it anew."
        )
    try:
        return read(found[0][0])
    except MALFORMED as error:
        refuse(Damage(name, "the description of the run" if column == "head" else "the plan", fault_text(error)))


# --- its cells --------------------------------------------------------------------------------------------------------------


Kept: TypeAlias = tuple[CellContent, bytes]
"""A recorded cell, and its row, which begins with the hash."""


class SqlLog:
    """The cells of one run in a database, of which it sees the part that a record has.

    Cells, models, datasets, splits and metrics are meant by their positions in `record`: the plan that the log was opened with,
    or all that the run has where it was opened for reading. Two logs of the same run may have different records, such as one with
    a model more. `threads` of a record is what the run was begun with; `versions` of a log for reading are the last recorded.

    `stored` is what the run has, `plan` the hash of that, `environment` the position of the versions at work, and `report` what
    is done about damage.
    """

    def __init__(
        self,
        database: Database,
        run: int,
        record: RunRecord,
        stored: RunRecord,
        plan: str,
        environment: int,
        report: Report = refuse,
    ) -> None:
        self.record, self._run, self._database = record, run, database
        self._environment, self._report = environment, report
        self._see(stored, plan)

    def _see(self, stored: RunRecord, plan: str) -> None:
        """Take note of what the stored run has; of the data only what names of cells are made from."""
        self._mapping = map_plan(self.record, stored)
        datasets = tuple(dataclasses.replace(dataset, target=None, test_rows=()) for dataset in stored.datasets)
        self._stored, self._plan = dataclasses.replace(stored, datasets=datasets), plan

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""
        return self._do(lambda connection: read_plan(connection, self._run, self.record.name))[1]

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
        self._do(partial(self._put, self._placed(outcomes)), to_write=True)

    def lease(self) -> SqlLease:
        """Begin a share in measuring the run, for one process among several."""
        from tiebreak.stores.lease import SqlLease

        return SqlLease(self)

    def table(self) -> CellTable:
        """Read all recorded cells.

        Raises
        ------
        DamagedStoreError
            A cell is not what was written, or one that was written is gone.
        """
        columns = [np.concatenate(column) for column in zip(*self._do(partial(self._scan, self._columns)), strict=True)]
        order = np.lexsort(columns[2::-1])
        return CellTable(*(column[order] for column in columns))

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
            block: dict[Place, Cell] = {self._mapping.stored(cell): cell for cell in wanted[start : start + size]}
            found = self._read(block, outputs=outputs)
            if cells is None and len(found) < len(block):  # they were there a moment ago
                gone = next(stored for stored in block if stored not in found)
                refuse(Damage(self.record.name, self._told(gone), "it is gone"))
            yield from (found[stored] for stored in block if stored in found)

    def check(self) -> None:
        """Read everything, so that what is not as it was written is reported."""
        cells: list[Cell] = [Cell(*place) for place in chain(*self._do(partial(self._scan, list)))]
        for start in range(0, len(cells), BLOCK_WITH_OUTPUTS):
            self._read({(*cell,): cell for cell in cells[start : start + BLOCK_WITH_OUTPUTS]}, outputs=True)
        leases = "SELECT holder, content FROM tiebreak_leases WHERE run = ?"
        for holder, content in self._do(lambda connection: connection.execute(leases, [self._run])):
            try:
                unsealed(content, "lease", self._run, holder)
            except MALFORMED as error:
                self._report(Damage(self.record.name, "the list of leases", fault_text(error)))

    def _do(self, work: Callable[[Connection], Part], *, to_write: bool = False) -> Part:
        return self._database.do(work, self.record.name, to_write=to_write)

    # --- writing ------------------------------------------------------------------------------------------------------------

    def _placed(self, outcomes: Sequence[Outcome]) -> list[tuple[Place, Outcome]]:
        """Outcomes with their stored cells; refused where there is no such cell."""
        for outcome in outcomes:
            self._mapping.check(outcome)
        return [(self._mapping.stored(outcome.cell), outcome) for outcome in outcomes]

    def _put(
        self, placed: Sequence[tuple[Place, Outcome]], connection: Connection, owned: Collection[Place] | None = None
    ) -> set[Place]:
        """Put outcomes in the transaction under way by the rule of writing.

        Returns the cells that have another score by now, which is an error of those `owned`, and of all where that is None.
        """
        head = self._head(connection)
        before = self._kept(connection, {place for place, _ in placed})
        bringing = {place for place, outcome in placed if outcome.outputs}
        with_outputs = {place: kept for place, kept in before.items() if place in bringing}
        outputs: dict[Place, Mapping[str, Any]] = {**self._outputs(connection, with_outputs)}
        changed: dict[Place, Outcome] = {}
        refused: set[Place] = set()
        for place, outcome in placed:
            kept_outputs = outputs.get(place, NOTHING)
            old = changed.get(place) or (self._outcome(place, before[place]) if place in before else None)
            try:
                new = settle(self._stored, old, kept_outputs, outcome)
            except ChangedRunError:
                if owned is None or place in owned:
                    raise
                refused.add(place)
                continue
            if new is not None:
                changed[place] = new
                outputs[place] = {**kept_outputs, **new.outputs} if old is not None and old.is_done else new.outputs
        contents: dict[Place, CellContent] = {}
        packed: dict[Place, bytes] = {}
        for place, outcome in changed.items():
            environment, n_bytes = self._environment, 0
            if is_amended := place in before and before[place][0].state == DONE:
                environment, n_bytes = before[place][0].environment, before[place][0].n_bytes
            if place in bringing or not is_amended:
                packed[place] = pack_arrays(outputs[place], "the output of {!r}") if outputs[place] else b""
                n_bytes = len(packed[place])
            contents[place] = cell_content(outcome, environment, n_bytes, self._mapping.metric_position)
        if contents:
            self._put_rows(connection, head, before, contents, packed)
        return refused

    def _put_rows(
        self,
        connection: Connection,
        head: Head,
        before: Mapping[Place, Kept],
        contents: Mapping[Place, CellContent],
        outputs: Mapping[Place, bytes],
    ) -> None:
        run = self._run
        rows = [(run, *cell, sealed(to_msgpack(content), "cell", run, *cell)) for cell, content in contents.items()]
        connection.execute_many(_PUT.format("cells"), rows)
        connection.execute_many(_DELETE_OUTPUT, [(run, *cell) for cell, packed in outputs.items() if not packed])
        packed = [(run, *cell, sealed(packed, "output", run, *cell)) for cell, packed in outputs.items() if packed]
        connection.execute_many(_PUT.format("outputs"), packed)
        replaced = [before[cell] for cell in contents if cell in before]
        is_done = [each.state == DONE for each in contents.values()]
        was_done = [content.state == DONE for content, _ in replaced]
        summary = dataclasses.replace(
            head.run,
            updated=self._database.now(connection),
            n_done=head.run.n_done + sum(is_done) - sum(was_done),
            n_failed=head.run.n_failed + is_done.count(False) - was_done.count(False),
        )
        hash_sum = head.hash_sum + _hash_sum(row[-1] for row in rows) - _hash_sum(row for _, row in replaced)
        after = head._replace(run=summary, hash_sum=hash_sum % 2**64)
        connection.execute("UPDATE tiebreak_runs SET head = ? WHERE run = ?", [pack_head(run, after), run])

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

    def _kept(self, connection: Connection, cells: Collection[Place]) -> dict[Place, Kept]:
        """Read cells by stored positions; those not kept are left out."""
        return self._whole([row for row in self._rows(connection, "cells", cells) if row[:3] in cells])

    def _whole(self, rows: Iterable[Sequence[Any]]) -> dict[Place, Kept]:
        """Cells whose rows are as they were written; the others are reported."""
        found: dict[Place, Kept] = {}
        for dataset, split, model, blob in rows:
            place = dataset, split, model
            try:
                found[place] = read_cell(unsealed(blob, "cell", self._run, *place)), blob
            except MALFORMED as error:
                self._report(Damage(self.record.name, self._told(place), fault_text(error)))
        return found

    def _told(self, place: Place) -> str:
        return cell_text(self._stored, Cell(*place))

    def _outcome(self, place: Place, kept: Kept, cell: Cell | None = None, outputs: Outputs = NOTHING) -> Outcome | None:
        """Read a stored cell with all its metrics, or as a cell of the plan with its own; None where damage is reported."""
        metrics = self._mapping.metrics if cell else self._mapping.metric_position
        try:
            return read_outcome(kept[0], metrics, cell or Cell(*place), outputs)
        except MALFORMED as error:
            self._report(Damage(self.record.name, self._told(place), fault_text(error)))
            return None

    def _rows(self, connection: Connection, table: str, cells: Iterable[Place]) -> Iterator[tuple[Any, ...]]:
        """Read what a table has of some cells, and perhaps of others: those of a split are read together."""
        for (dataset, split), group in groupby(sorted(cells), key=itemgetter(0, 1)):
            models = [cell[2] for cell in group]
            yield from connection.execute(_OF_SPLIT.format(table), [self._run, dataset, split, models[0], models[-1]])

    def _outputs(self, connection: Connection, kept: Mapping[Place, Kept]) -> dict[Place, dict[str, NumericArray]]:
        """Read the outputs of cells that have some."""
        with_outputs = {cell: content.n_bytes for cell, (content, _) in kept.items() if content.n_bytes}
        found = {Cell(*place): blob for *place, blob in self._rows(connection, "outputs", with_outputs)}
        outputs: dict[Place, dict[str, NumericArray]] = {}
        for cell, n_bytes in with_outputs.items():
            try:
                content = unsealed(found[cell], "output", self._run, *cell) if cell in found else b""
                require(len(content) == n_bytes, "they are not those that were written with it")
                outputs[cell] = unpack_arrays(content)
            except MALFORMED as error:
                what = fault_text(error) if cell in found else "they are gone"
                self._report(Damage(self.record.name, f"the outputs of {self._told(cell)}", what))
        return outputs

    def _scan(self, take: Callable[[dict[Place, Kept]], Part], connection: Connection) -> list[Part]:
        """Take something from each page of cells, all pages together being what was written."""
        head = self._head(connection)
        n_kept = head.run.n_done + head.run.n_failed
        parts: list[Part] = []
        n_rows = n_whole = hash_sum = 0
        after: Sequence[int] = (-1, -1, -1)
        while True:
            page = connection.execute(_AFTER.format(PAGE), [self._run, *after])
            whole = self._whole(page)
            parts.append(take(whole))
            n_rows, n_whole = n_rows + len(page), n_whole + len(whole)
            hash_sum += _hash_sum(row for _, row in whole.values())
            # a broken tree of pages could go round in circles; what it hides is missing in the sum
            if len(page) < PAGE or n_rows > n_kept:
                break
            after = page[-1][:3]
        if n_rows != n_kept:
            self._report(Damage(self.record.name, "the list of cells", f"{n_rows} are there, and {n_kept} were written"))
        elif hash_sum % 2**64 != head.hash_sum and n_whole == n_rows:
            self._report(Damage(self.record.name, "the list of cells", "these are not the ones that were written"))
        return parts

    def _columns(self, page: Mapping[Place, Kept]) -> tuple[Any, ...]:
        """Turn the part of a page that belongs to the plan into columns, in the order of the fields of `CellTable`."""
        mapping = self._mapping
        places, contents = [], []
        for place, (content, _) in page.items():
            cell = mapping.planned(place)
            if cell is not None:
                places.append(cell)
                contents.append(content)
        positions = np.fromiter(chain.from_iterable(places), dtype=np.int64).reshape(-1, 3).T
        metrics = mapping.metrics.values()
        shape = len(contents), len(metrics)
        scores = [each.scores.get(metric) for each in contents for metric in metrics]
        score, measured = np.array(scores, dtype=float), np.array([each is not None for each in scores], dtype=bool)
        facts: list[Any] = [np.array(list(map(attrgetter(name), contents)), dtype=kind) for name, kind in _COLUMNS.items()]
        return *positions, facts[0], score.reshape(shape), measured.reshape(shape), *facts[1:]

    def _read(self, cells: Mapping[Place, Cell], *, outputs: bool) -> dict[Place, Outcome]:
        """Outcomes of those cells that are recorded, by stored positions, as they were at one moment, each under a given name."""

        def work(connection: Connection) -> dict[Place, Outcome]:
            self._head(connection)
            kept = self._kept(connection, cells.keys())
            arrays = self._outputs(connection, kept) if outputs else {}
            found = (
                (place, self._outcome(place, each, cells[place], arrays.get(place, NOTHING))) for place, each in kept.items()
            )
            return {place: outcome for place, outcome in found if outcome is not None}

        return self._do(work)


_COLUMNS: dict[str, type] = {"state": int, "fit_seconds": float, "predict_seconds": float, "environment": int, "noted": int}


def _hash_sum(rows: Iterable[bytes]) -> int:
    """Sum of the hashes that rows begin with."""
    return sum(int.from_bytes(row[:8], "little") for row in rows)


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
