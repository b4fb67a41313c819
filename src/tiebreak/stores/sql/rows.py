"""Outcomes and plans as rows of the tables, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, get_args

import numpy as np

from tiebreak.errors import StoreError
from tiebreak.numerics import IntArray
from tiebreak.plan.record import STATES, Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import SplitKind
from tiebreak.stores.cells import cell_text, deleted_text
from tiebreak.stores.damage import MISMATCH, Damage, Report, refuse
from tiebreak.stores.sql.encoding import (
    MALFORMED,
    NumericArray,
    from_json,
    from_npy,
    pack_scores,
    require,
    text_from_json,
    texts_from_json,
    to_json,
    to_npy,
    unpack_scores,
    unreadable_text,
)
from tiebreak.stores.sql.statements import cells_between, fetch
from tiebreak.stores.sql.tables import (
    CELLS,
    ENVIRONMENTS,
    METRICS,
    OUTPUTS,
    RUNS,
    TALLIES,
    CellRow,
    DatasetRow,
    EnvironmentRow,
    MetricRow,
    ModelRow,
    OutputRow,
    Row,
    RunRow,
    SplitRow,
    StoredTable,
    TallyRow,
    cell_of,
    out_of_range,
)

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection

Value = TypeVar("Value")

SECONDS = Struct("<2d")
"""Seconds of fitting and predicting, in front of the scores."""


# --- cells ----------------------------------------------------------------------------------------------------------------


class KeptCell(NamedTuple):
    """A recorded cell: the outcome without its outputs, how many and how large these are, and the hash of the row."""

    outcome: Outcome
    environment: int
    n_outputs: int
    output_bytes: int
    hash: int = 0


def cell_row(run: int, cell: Cell, kept: KeptCell, metric_position: Mapping[str, int]) -> CellRow:
    """Make a row of `CELLS` without its hash; `cell` is meant by its stored positions."""
    outcome = kept.outcome
    facts: dict[str, Any] = {}
    if outcome.seed is not None:
        facts["seed"] = int(outcome.seed)
    if outcome.attempts != 1:
        facts["attempts"] = int(outcome.attempts)
    if kept.n_outputs:
        facts["outputs"] = [kept.n_outputs, kept.output_bytes]
    if outcome.undefined:
        facts["undefined"] = {str(metric_position[name]): why for name, why in outcome.undefined.items()}
    if outcome.warnings:
        facts["warnings"] = list(outcome.warnings)
    if outcome.message:
        facts["message"] = outcome.message
    if outcome.traceback:
        facts["traceback"] = outcome.traceback
    numbers = SECONDS.pack(outcome.fit_seconds, outcome.predict_seconds) + pack_scores(outcome.scores, metric_position)
    train_scores = pack_scores(outcome.train_scores, metric_position) or None
    text = to_json(facts) if facts else None
    return CellRow(run, *cell, STATES.index(outcome.state), kept.environment, text, numbers, train_scores)


def read_cells(rows: Sequence[CellRow], metrics: Sequence[str], record: RunRecord, report: Report = refuse) -> Iterator[KeptCell]:
    """Read rows of `CELLS`; the record is for the names of cells, and what cannot be read is reported."""
    for row in rows:
        try:
            yield _read_cell(row, metrics)
        except MALFORMED as error:
            report(Damage(record.name, cell_text(record, cell_of(row)), unreadable_text(error)))


def _read_cell(row: CellRow, metrics: Sequence[str]) -> KeptCell:
    facts = _read_facts(row.facts) if row.facts is not None else {}
    fit_seconds, predict_seconds = SECONDS.unpack_from(row.numbers)
    undefined = facts.get("undefined", {}).items()
    if not (0 <= row.state < len(STATES) and row.environment >= 0):
        raise ValueError(f"state {row.state}, versions {row.environment}")
    outcome = Outcome(
        cell=cell_of(row),
        state=STATES[row.state],
        scores=unpack_scores(row.numbers[SECONDS.size :], metrics),
        undefined={metrics[int(position)]: why for position, why in undefined if int(position) < len(metrics)},
        train_scores=unpack_scores(row.train_scores or b"", metrics),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        seed=facts.get("seed"),
        warnings=tuple(facts.get("warnings", ())),
        message=facts.get("message", ""),
        traceback=facts.get("traceback", ""),
        attempts=facts.get("attempts", 1),
    )
    n_outputs, output_bytes = facts.get("outputs", (0, 0))
    return KeptCell(outcome, row.environment, n_outputs, output_bytes, row.hash)


_FACTS: Mapping[str, type] = {
    "seed": int,
    "attempts": int,
    "outputs": list,
    "undefined": dict,
    "warnings": list,
    "message": str,
    "traceback": str,
}


def _read_facts(text: str) -> dict[str, Any]:
    """Read what there is to tell of a cell beside its numbers."""
    facts: dict[str, Any] = from_json(text)
    for name, value in facts.items():
        if type(value) is not _FACTS.get(name):
            raise ValueError(f"{name!r:.40} among the facts")
    if "outputs" in facts:
        n_outputs, n_bytes = facts["outputs"]
        require(type(n_outputs) is type(n_bytes) is int and n_outputs >= 0 <= n_bytes, "the number of the outputs")
    if "warnings" in facts or "undefined" in facts:
        texts = (*facts.get("warnings", ()), *facts.get("undefined", {}).values())
        require(all(isinstance(each, str) for each in texts), "a warning or a reason that is no text")
    return facts


def read_outputs(rows: Sequence[OutputRow], record: RunRecord, report: Report = refuse) -> dict[Cell, dict[str, NumericArray]]:
    """Read rows of `OUTPUTS` by cell; what cannot be read is reported."""
    outputs: dict[Cell, dict[str, NumericArray]] = {}
    for row in rows:
        try:
            outputs.setdefault(cell_of(row), {})[text_from_json(row.method)] = from_npy(row.content)
        except MALFORMED as error:
            report(Damage(record.name, f"an output of {cell_text(record, cell_of(row))}", unreadable_text(error)))
    return outputs


# --- cells of a run, verified ---------------------------------------------------------------------------------------------

OfCell = TypeVar("OfCell", CellRow, OutputRow)


def read_tally(connection: Connection, number: int, name: str) -> TallyRow:
    """Read how many cells a run has and the sum of their hashes."""
    found = fetch(connection, TALLIES, run=number)
    if not found and not fetch(connection, RUNS, id=number):
        raise StoreError(deleted_text(name))
    if len(found) != 1 or TALLIES.damaged(found):
        refuse(Damage(name, "the tally of the cells", MISMATCH if found else "it is gone"))
    if what := out_of_range(found[0]):
        refuse(Damage(name, "the tally of the cells", what))
    return found[0]


def whole_rows(
    table: StoredTable[OfCell], found: Sequence[OfCell], record: RunRecord, report: Report = refuse
) -> Sequence[OfCell]:
    """Keep the rows that are as they were written; the others are reported."""
    damaged = set(table.damaged(found))
    for i in sorted(damaged):
        where = cell_text(record, cell_of(found[i]))
        report(Damage(record.name, where if isinstance(found[i], CellRow) else f"an output of {where}", MISMATCH))
    return [row for i, row in enumerate(found) if i not in damaged] if damaged else found


def read_metrics(connection: Connection, number: int, name: str) -> list[str]:
    """Read the names of all metrics that a run has by now."""
    return [metric.name for metric in read_list(METRICS, fetch(connection, METRICS, run=number), name, metric_record)]


def kept_cells(
    connection: Connection, number: int, stored: RunRecord, metrics: Sequence[str], cells: Iterable[Cell]
) -> dict[Cell, KeptCell]:
    """Read what is kept of some cells, by stored positions, in these first metrics of the run; those not kept are left out."""
    wanted = set(cells)
    kept: dict[Cell, KeptCell] = {}
    for _, group in groupby(sorted(wanted), key=lambda cell: cell[:2]):
        of_split = list(group)
        found = cells_between(connection, CELLS, number, of_split[0], of_split[-1])
        rows = whole_rows(CELLS, [row for row in found if cell_of(row) in wanted], stored)
        kept |= {each.outcome.cell: each for each in read_cells(rows, metrics, stored)}
    return kept


def kept_methods(connection: Connection, number: int, stored: RunRecord, cell: Cell) -> list[str]:
    """Read the names of the methods whose outputs are kept of a cell."""
    found = cells_between(connection, OUTPUTS, number, cell, cell)
    return list(read_outputs(whole_rows(OUTPUTS, found, stored), stored).get(cell, ()))


# --- plans ----------------------------------------------------------------------------------------------------------------


def run_rows(
    run: int, created: int, record: RunRecord, environments: Sequence[Mapping[str, str]]
) -> tuple[RunRow, list[ModelRow], list[MetricRow], list[EnvironmentRow]]:
    """Make rows of `RUNS`, `MODELS`, `METRICS` and `ENVIRONMENTS` without their hashes."""
    name = to_json(record.name)
    row = RunRow(
        run,
        created,
        n_models=len(record.models),
        n_datasets=len(record.datasets),
        n_splits=sum(dataset.n_splits for dataset in record.datasets),
        n_metrics=len(record.metrics),
        n_environments=len(environments),
        name_key=blake2b(name.encode("ascii"), digest_size=16).hexdigest(),  # as names of any length must be unique
        name=name,
        rng=to_json(record.rng),
        threads=to_json(record.threads),
        settings=to_json(record.settings),
    )
    models = [
        ModelRow(run, i, to_json(model.name), to_json(model.fingerprint), to_json(model.text))
        for i, model in enumerate(record.models)
    ]
    metrics = [
        MetricRow(run, i, int(metric.metric.higher_is_better), to_json(metric.name), to_json(metric.fingerprint))
        for i, metric in enumerate(record.metrics)
    ]
    return row, models, metrics, [EnvironmentRow(run, i, to_json(versions)) for i, versions in enumerate(environments)]


def dataset_rows(run: int, position: int, dataset: DatasetRecord, n_known: int) -> tuple[DatasetRow, list[SplitRow]]:
    """Make a row of `DATASETS`, and rows of `SPLITS` for the splits behind those known, without their hashes."""
    target = dataset.target
    row = DatasetRow(
        run,
        position,
        n_samples=int(dataset.n_samples),
        n_features=int(dataset.n_features),
        is_ordered=int(dataset.ordered),
        name=to_json(dataset.name),
        fingerprint=to_json(dataset.fingerprint),
        kind=to_json(dataset.kind),
        classes=None if dataset.classes is None else to_json(list(dataset.classes)),
        target=None if target is None else to_npy(target, f"the target of dataset {dataset.name!r}"),
    )
    columns = (np.asarray(column) for column in (dataset.repeat, dataset.fold, dataset.n_train, dataset.n_test))
    numbers = zip(*(column[n_known:].tolist() for column in columns), strict=True)
    splits = []
    for i, (repeat, fold, n_train, n_test) in enumerate(numbers, n_known):
        tested = np.asarray(dataset.test_rows[i])
        if tested.size and tested.min() >= 0:
            tested = tested.astype(np.min_scalar_type(tested.max()))  # the smallest type that holds them
        split_hash = to_json(dataset.split_hashes[i])
        splits.append(SplitRow(run, position, i, repeat, fold, n_train, n_test, split_hash, to_npy(tested)))
    return row, splits


def read_list(
    table: StoredTable[Row], rows: Sequence[Row], name: str, read: Callable[[Row], Value], report: Report = refuse
) -> list[Value]:
    """Read rows of one of the `LISTS` of a run; what is not as it was written, or none of what belongs there, is reported."""
    where = "the list of versions" if table.name == ENVIRONMENTS.name else f"the list of {table.name}"
    for i in (damaged := table.damaged(rows)):
        report(Damage(name, where, f"the hash of its row {i} does not match"))
    values: list[Value] = []
    for i, row in enumerate(rows):
        try:
            values += [read(row)] if i not in damaged else []
        except MALFORMED as error:
            report(Damage(name, where, f"row {i}: {unreadable_text(error)}"))
    return values


def model_record(row: ModelRow) -> ModelRecord:
    """Read a row of `MODELS`."""
    return ModelRecord(text_from_json(row.name), text_from_json(row.fingerprint), text_from_json(row.written_as))


def metric_record(row: MetricRow) -> MetricRecord:
    """Read a row of `METRICS`."""
    require(row.higher_is_better in (0, 1), f"direction {row.higher_is_better}")
    return MetricRecord(Metric(text_from_json(row.name), bool(row.higher_is_better)), text_from_json(row.fingerprint))


def versions_record(row: EnvironmentRow) -> dict[str, str]:
    """Read a row of `ENVIRONMENTS`."""
    return texts_from_json(row.versions)


def split_record(row: SplitRow) -> tuple[SplitRow, str, IntArray]:
    """Read a row of `SPLITS`: itself, its hash of the split, and the rows that are tested."""
    if min(row.repeat_number, row.fold, row.n_train, row.n_test) < 0 or max(row[3:7]) >= 2**53:
        raise ValueError(f"the numbers {row[3:7]}")
    rows = from_npy(row.test_rows)
    require(rows.ndim == 1 and rows.dtype.kind in "iu" and rows.size == row.n_test, "test rows that are none")
    return row, text_from_json(row.split_hash), rows.astype(np.int64)


def dataset_record(row: DatasetRow, splits: Sequence[tuple[SplitRow, str, IntArray]]) -> DatasetRecord:
    """Read a row of `DATASETS`, with its splits in the order of their positions."""
    classes = None if row.classes is None else from_json(row.classes)
    target = None if row.target is None else from_npy(row.target)
    kind = text_from_json(row.kind)
    require(kind in get_args(SplitKind) and row.is_ordered in (0, 1), f"splits of kind {kind!r:.40}")
    require(0 <= row.n_samples < 2**53 and 0 <= row.n_features < 2**53, f"{row.n_samples} examples of {row.n_features} features")
    require(classes is None or (type(classes) is list and all(map(_is_label, classes))), "classes that are no labels")
    require(target is None or target.shape[:1] == (row.n_samples,), "a target of another length")
    if target is not None and classes is not None:
        require(target.dtype.kind in "iu" and _are_within(target, len(classes)), "a target that is no class")
    tested = np.concatenate([rows for _, _, rows in splits]) if splits else np.zeros(0)
    require(_are_within(tested, row.n_samples), "test rows that the data do not have")
    return DatasetRecord(
        name=text_from_json(row.name),
        fingerprint=text_from_json(row.fingerprint),
        n_samples=row.n_samples,
        n_features=row.n_features,
        classes=None if classes is None else tuple(classes),
        target=target,
        kind=cast("SplitKind", kind),
        ordered=bool(row.is_ordered),
        repeat=np.array([split.repeat_number for split, _, _ in splits], dtype=np.int64),
        fold=np.array([split.fold for split, _, _ in splits], dtype=np.int64),
        n_train=np.array([split.n_train for split, _, _ in splits], dtype=np.int64),
        n_test=np.array([split.n_test for split, _, _ in splits], dtype=np.int64),
        split_hashes=tuple(split_hash for _, split_hash, _ in splits),
        test_rows=tuple(rows for _, _, rows in splits),
    )


def _are_within(positions: NumericArray, n: int) -> bool:
    return not positions.size or bool(positions.min() >= 0 and positions.max() < n)


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, int, float))
