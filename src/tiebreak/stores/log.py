"""The cells of one run in a database: each row verified by its hash, all of them by the run's head."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np

from tiebreak.errors import ChangedRunError, StoreError
from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.contract import CellTable, Damage, Place, PlanMapping, Report, RunSummary, cell_text, refuse, settle
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.encoding import (
    MALFORMED,
    CellContent,
    cell_content,
    fault_text,
    from_json,
    pack_arrays,
    read_cell,
    read_hash,
    read_outcome,
    read_plan,
    sealed,
    to_json,
    to_msgpack,
    unpack_arrays,
    unsealed,
)

PAGE = 4096
BLOCK, BLOCK_WITH_OUTPUTS = 512, 64
"""Cells that are read at a time."""

_AFTER = (
    "SELECT dataset, split, model, content FROM tiebreak_cells WHERE run = ? AND (dataset, split, model) > (?, ?, ?) "
    "ORDER BY dataset, split, model LIMIT {}"
)
_OF_SPLIT = "SELECT model, content, {} FROM tiebreak_cells WHERE run = ? AND dataset = ? AND split = ? AND model BETWEEN ? AND ?"
_PUT = (
    "INSERT INTO tiebreak_cells VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, dataset, split, model) "
    "DO UPDATE SET content = excluded.content, outputs = excluded.outputs"
)


# --- the row of a run -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head(RunSummary):
    """A run in a line, the sum of the hashes of its recorded cells modulo 2**64, and the hash of its plan."""

    hash_sum: int = 0
    plan: str = ""


class StoredPlan(NamedTuple):
    """The plan of a run with all that it has, the versions that it was measured with, and the hash of both."""

    record: RunRecord
    environments: tuple[Mapping[str, str], ...]
    hash: str


def pack_head(run: int, head: Head) -> bytes:
    """Pack a head for its row: nearly always as many bytes as before, so that the row is changed in its place."""
    content = to_json(dataclasses.asdict(head))
    return sealed(content.ljust(len(content) + -len(content) % 128), b"head", run)


def read_heads(connection: Connection, report: Report, run: int | None = None) -> dict[int, Head]:
    """Heads of all runs, or of one, by their numbers; what is wrong is reported."""
    heads: dict[int, Head] = {}
    where, values = ("", []) if run is None else (" WHERE run = ?", [run])
    for number, blob in connection.execute(f"SELECT run, head FROM tiebreak_runs{where}", values):  # noqa: S608
        try:
            heads[number] = msgspec.convert(from_json(unsealed(blob, b"head", number)), Head)
        except MALFORMED as error:
            report(Damage(name_of(blob), "the description of the run", fault_text(error)))
    return heads


def name_of(head: bytes) -> str:
    """Name in the head of a run, which may be damaged; "" where it cannot be read any more."""
    try:
        return str(from_json(head[8:])["name"])
    except MALFORMED:
        return ""


def read_stored(connection: Connection, run: int, name: str) -> StoredPlan:
    """Read the plan of a run; raises `StoreError` where the run was deleted while somebody was at work on it."""
    found = connection.execute("SELECT plan FROM tiebreak_runs WHERE run = ?", [run])
    if not found:
        raise StoreError(
            f"run {name!r} was deleted while it was open, so nothing more can be read or kept. Begin it again to measure it anew."
        )
    [(blob,)] = found
    try:
        return StoredPlan(*read_plan(unsealed(blob, b"plan", run)), blob[:8].hex())
    except MALFORMED as error:
        refuse(Damage(name, "the plan", fault_text(error)))


# --- its cells --------------------------------------------------------------------------------------------------------------


class KeptCell(NamedTuple):
    """A recorded cell, the position of the versions that it was measured with, and the hash of its row."""

    outcome: Outcome
    environment: int
    hash: int


class SqlLog:
    """The cells of one run in a database, of which it sees the part that a record has.

    Cells, models, datasets, splits and metrics are meant by their positions in `record`: the plan that the log was opened with,
    or all that the run has where it was opened for reading. Two logs of the same run may have different records, such as one with
    a model more. `threads` of a record is what the run was begun with; `versions` of a log for reading are the last recorded.

    `plan` is what the run has, `environment` the position of the versions at work, and `report` what is done about damage.
    """

    def __init__(
        self, database: Database, run: int, record: RunRecord, plan: StoredPlan, environment: int, report: Report = refuse
    ) -> None:
        self.record, self.run, self.database = record, run, database
        self._plan, self.mapping = plan, PlanMapping(record, plan.record)
        self._environment, self._report = environment, report

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later, as far as this log has seen."""
        return self._plan.environments

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
        with self.database.transaction(self.record.name, to_write=True) as connection:
            self.put(connection, outcomes)

    def table(self) -> CellTable:
        """Read all recorded cells.

        Raises
        ------
        DamagedStoreError
            A cell is not what was written, or one that was written is gone.
        """
        splits, models, metrics = self.mapping.own_splits, self.mapping.own_models, self.mapping.metrics.values()
        parts = []
        for page in self._pages():
            own = [place for place in page if place[:2] in splits and place[2] in models]
            cells = [(*splits[dataset, split], models[model]) for dataset, split, model in own]
            positions = np.fromiter(chain.from_iterable(cells), dtype=np.int64, count=3 * len(own)).reshape(-1, 3).T
            contents = [page[place] for place in own]
            scores = [each.scores.get(metric) for each in contents for metric in metrics]
            score, measured = np.array(scores, dtype=float), np.array([each is not None for each in scores], dtype=bool)
            facts: list[Any] = [np.fromiter(map(attrgetter(name), contents), kind, len(own)) for name, kind in _COLUMNS.items()]
            shape = len(own), len(metrics)
            parts.append((*positions, facts[0], score.reshape(shape), measured.reshape(shape), *facts[1:]))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
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
        size = BLOCK_WITH_OUTPUTS if outputs else BLOCK
        for start in range(0, len(wanted), size):
            block = {self.mapping.stored(cell): cell for cell in wanted[start : start + size]}
            with self.database.transaction(self.record.name) as connection:
                self._head(connection)
                kept = self.kept(connection, block, self.mapping.metrics, outputs=outputs)
            yield from (kept[place].outcome for place in block if place in kept)

    def check(self) -> None:
        """Read everything, so that what is not as it was written is reported."""
        for _ in self.outcomes(outputs=True):
            pass
        with self.database.transaction(self.record.name) as connection:
            leases = connection.execute("SELECT holder, content FROM tiebreak_leases WHERE run = ?", [self.run])
        for holder, content in leases:
            try:
                unsealed(content, b"lease", self.run, holder)
            except MALFORMED as error:
                self._report(Damage(self.record.name, "the list of leases", fault_text(error)))

    # --- writing ------------------------------------------------------------------------------------------------------------

    def put(self, connection: Connection, outcomes: Sequence[Outcome], owned: Collection[Place] | None = None) -> set[Place]:
        """Put outcomes in the transaction under way by the rule of writing.

        Returns the cells that have another score by now, which is an error of those `owned`, and of all where that is None.
        """
        run, head = self.run, self._head(connection)
        metrics = self.mapping.metric_position
        placed = [(self.mapping.stored(outcome.cell), outcome) for outcome in outcomes]
        before = self.kept(connection, {place: Cell(*place) for place, _ in placed}, metrics, outputs=True)
        after = {place: kept.outcome for place, kept in before.items()}
        refused: set[Place] = set()
        for place, outcome in placed:
            try:
                after[place] = settle(self._plan.record, Cell(*place), after.get(place), outcome)
            except ChangedRunError:
                if owned is None or place in owned:
                    raise
                refused.add(place)
        rows, hash_sum = [], head.hash_sum
        for place, outcome in after.items():
            kept = before.get(place)
            if kept is not None and outcome is kept.outcome:
                continue
            environment = kept.environment if kept is not None and kept.outcome.is_done else self._environment
            content = to_msgpack(cell_content(outcome, environment, metrics))
            outputs = pack_arrays(outcome.outputs, "the output of {!r}")
            rows.append((run, *place, sealed(content, b"cell", run, *place), sealed(outputs, b"output", run, *place)))
            hash_sum += read_hash(rows[-1][4])[0] - (0 if kept is None else kept.hash)
        if rows:
            connection.execute_many(_PUT, rows)
            n_done = sum(each.is_done for each in after.values()) - sum(kept.outcome.is_done for kept in before.values())
            changed = dataclasses.replace(
                head,
                updated=connection.now,
                n_done=head.n_done + n_done,
                n_failed=head.n_failed + len(after) - len(before) - n_done,
                hash_sum=hash_sum % 2**64,
            )
            connection.execute("UPDATE tiebreak_runs SET head = ? WHERE run = ?", [pack_head(run, changed), run])
        return refused

    # --- reading, within a transaction --------------------------------------------------------------------------------------

    def _head(self, connection: Connection) -> Head:
        """Read the head, and what others have added to the plan."""
        heads = read_heads(connection, refuse, self.run)
        if not heads or heads[self.run].plan != self._plan.hash:
            plan = read_stored(connection, self.run, self.record.name)  # an error where the run was deleted
            if plan.hash != heads[self.run].plan:
                refuse(Damage(self.record.name, "the plan", "it is not the one that was written last"))
            self._plan, self.mapping = plan, PlanMapping(self.record, plan.record)
        return heads[self.run]

    def kept(
        self, connection: Connection, cells: Mapping[Place, Cell], metrics: Mapping[str, int], *, outputs: bool = False
    ) -> dict[Place, KeptCell]:
        """Read cells by stored positions, each as a given one, in metrics given with their positions.

        Those not kept are left out, and so are those that are not as they were written, which are reported.
        """
        found: dict[Place, KeptCell] = {}
        statement = _OF_SPLIT.format("outputs" if outputs else "NULL")
        for (dataset, split), group in groupby(sorted(cells), key=itemgetter(0, 1)):
            models = [model for _, _, model in group]
            for model, blob, packed in connection.execute(statement, [self.run, dataset, split, models[0], models[-1]]):
                place = dataset, split, model
                if place not in cells:
                    continue
                try:
                    content = read_cell(unsealed(blob, b"cell", self.run, *place))
                    arrays = unpack_arrays(unsealed(packed, b"output", self.run, *place)) if outputs else {}
                    outcome = read_outcome(content, metrics, cells[place], arrays)
                    found[place] = KeptCell(outcome, content.environment, read_hash(blob)[0])
                except MALFORMED as error:
                    self._report_cell(place, error)
        return found

    def _report_cell(self, place: Place, error: Exception) -> None:
        self._report(Damage(self.record.name, cell_text(self._plan.record, Cell(*place)), fault_text(error)))

    def _pages(self) -> Iterator[dict[Place, CellContent]]:
        """All cells as they were at one moment, by stored positions, some at a time; together they are what was written."""
        n_rows = n_whole = hash_sum = 0
        after: Sequence[int] = (-1, -1, -1)
        with self.database.transaction(self.record.name) as connection:
            head = self._head(connection)
            n_kept = head.n_done + head.n_failed
            while True:
                page = connection.execute(_AFTER.format(PAGE), [self.run, *after])
                whole: dict[Place, CellContent] = {}
                for dataset, split, model, blob in page:
                    place = dataset, split, model
                    try:
                        whole[place] = read_cell(unsealed(blob, b"cell", self.run, dataset, split, model))
                        hash_sum += read_hash(blob)[0]
                    except MALFORMED as error:
                        self._report_cell(place, error)
                yield whole
                n_rows, n_whole = n_rows + len(page), n_whole + len(whole)
                # a broken tree of pages could go round in circles; what it hides is missing in the sum
                if len(page) < PAGE or n_rows > n_kept:
                    break
                after = page[-1][:3]
        if n_rows != n_kept:
            self._report(Damage(self.record.name, "the list of cells", f"{n_rows} are there, and {n_kept} were written"))
        elif hash_sum % 2**64 != head.hash_sum and n_whole == n_rows:
            self._report(Damage(self.record.name, "the list of cells", "these are not the ones that were written"))


_COLUMNS: dict[str, type] = {"state": int, "fit_seconds": float, "predict_seconds": float, "environment": int, "noted": int}


@dataclass(frozen=True, slots=True, eq=False)
class CopiedLog:
    """The cells of a run as they were when they were copied out of a store: what travels with a result. Nothing can be added.

    `copied` holds all outcomes, with their outputs, in the order of the plan.
    """

    record: RunRecord
    environments: tuple[Mapping[str, str], ...]
    copied: tuple[Outcome, ...]

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The outcomes of the given cells, or of all, in the order of the plan; their outputs are there in any case."""
        wanted = None if cells is None else set(cells)
        return (outcome for outcome in self.copied if wanted is None or outcome.cell in wanted)
