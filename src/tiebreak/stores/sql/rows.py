"""Outcomes and records as rows of the tables, and back. Rows are tuples in the order of their layout's columns."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, cast

import numpy as np

from tiebreak.numerics import IntArray
from tiebreak.plan.record import STATES, Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, Outputs, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Kind
from tiebreak.stores.sql.encoding import (
    NumericArray,
    from_json,
    from_npy,
    name_to_json,
    numeric_array,
    pack_scores,
    to_json,
    to_npy,
    unpack_scores,
)
from tiebreak.stores.sql.tables import Row

SECONDS = struct.Struct("<2d")
"""Of fitting and predicting, in front of the scores."""


# --- cells ----------------------------------------------------------------------------------------------------------------


class KeptCell(NamedTuple):
    """What a row of `CELLS` says: the outcome without its outputs, and how many and how large these are."""

    outcome: Outcome
    environment: int
    n_outputs: int
    output_bytes: int


def output_rows(run: int, cell: Cell, outputs: Outputs) -> list[Row]:
    """Rows of `OUTPUTS` without their hashes."""
    return [
        (run, *cell, i, name_to_json(method), to_npy(numeric_array(output, f"the output of {method!r}")))
        for i, (method, output) in enumerate(outputs.items())
    ]


def read_output(row: Row) -> tuple[str, NumericArray]:
    """Method and array of a row of `OUTPUTS`."""
    return from_json(row[5]), from_npy(row[6])


def cell_row(run: int, cell: Cell, kept: KeptCell, metric_place: Mapping[str, int]) -> Row:
    """A row of `CELLS` without its hash; `cell` is meant by its stored positions."""
    outcome = kept.outcome
    facts: dict[str, Any] = {}
    if outcome.seed is not None:
        facts["seed"] = int(outcome.seed)
    if outcome.attempts != 1:
        facts["attempts"] = int(outcome.attempts)
    if kept.n_outputs:
        facts["outputs"] = [kept.n_outputs, kept.output_bytes]
    if outcome.undefined:
        facts["undefined"] = {str(metric_place[name]): why for name, why in outcome.undefined.items()}
    if outcome.warnings:
        facts["warnings"] = list(outcome.warnings)
    if outcome.message:
        facts["message"] = outcome.message
    if outcome.traceback:
        facts["traceback"] = outcome.traceback
    numbers = SECONDS.pack(outcome.fit_seconds, outcome.predict_seconds) + pack_scores(outcome.scores, metric_place)
    train_scores = pack_scores(outcome.train_scores, metric_place) or None
    text = to_json(facts) if facts else None
    return (run, *cell, STATES.index(outcome.state), kept.environment, text, numbers, train_scores)


def read_cell(row: Row, metrics: Sequence[str]) -> KeptCell:
    """What a row of `CELLS` says."""
    _, dataset, split, model, state, environment, text, numbers, train_scores = row[:9]
    facts = from_json(text) if text is not None else {}
    fit_seconds, predict_seconds = SECONDS.unpack_from(numbers)
    outcome = Outcome(
        cell=Cell(dataset, split, model),
        state=STATES[state],
        scores=unpack_scores(numbers[SECONDS.size :], metrics),
        undefined=_by_metric(facts.get("undefined", {}), metrics),
        train_scores=unpack_scores(train_scores or b"", metrics),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        seed=facts.get("seed"),
        warnings=tuple(facts.get("warnings", ())),
        message=facts.get("message", ""),
        traceback=facts.get("traceback", ""),
        attempts=facts.get("attempts", 1),
    )
    return KeptCell(outcome, environment, *facts.get("outputs", (0, 0)))


def _by_metric(reasons: Mapping[str, str], metrics: Sequence[str]) -> dict[str, str]:
    return {metrics[int(place)]: why for place, why in reasons.items() if int(place) < len(metrics)}


# --- records --------------------------------------------------------------------------------------------------------------


def name_key(name: str) -> str:
    """What stands for a name of any length where names must be unique."""
    return blake2b(to_json(name).encode("ascii"), digest_size=16).hexdigest()


def run_row(run: int, created: int, record: RunRecord, n_environments: int) -> Row:
    """A row of `RUNS` without its hash."""
    counts = len(record.models), len(record.datasets), n_splits(record), len(record.metrics), n_environments
    texts = name_key(record.name), to_json(record.name), to_json(record.rng), to_json(record.threads), to_json(record.settings)
    return (run, created, *counts, *texts)


def n_splits(record: RunRecord) -> int:
    """Of all datasets."""
    return sum(dataset.n_splits for dataset in record.datasets)


def model_rows(run: int, record: RunRecord) -> list[Row]:
    """Rows of `MODELS` without their hashes."""
    return [
        (run, i, to_json(model.name), to_json(model.fingerprint), to_json(model.text)) for i, model in enumerate(record.models)
    ]


def metric_rows(run: int, record: RunRecord) -> list[Row]:
    """Rows of `METRICS` without their hashes."""
    return [
        (run, i, int(metric.metric.higher_is_better), to_json(metric.name), to_json(metric.fingerprint))
        for i, metric in enumerate(record.metrics)
    ]


def dataset_rows(run: int, record: RunRecord, positions: Sequence[int]) -> list[Row]:
    """Rows of `DATASETS`, without their hashes, of some datasets."""
    return [_dataset_row(run, i, record.datasets[i]) for i in positions]


def split_rows(run: int, record: RunRecord, known: Sequence[int] = ()) -> list[Row]:
    """Rows of `SPLITS` without their hashes, but for those that are `known`: so many of each of the first datasets."""
    rows = []
    for i, dataset in enumerate(record.datasets):
        start = known[i] if i < len(known) else 0
        numbers = zip(*(column[start:].tolist() for column in _split_numbers(dataset)), strict=True)
        for split, row in enumerate(numbers, start):
            rows.append((run, i, split, *row, to_json(dataset.split_hashes[split]), _rows_npy(dataset.test_rows[split])))
    return rows


def read_models(rows: Sequence[Row]) -> tuple[ModelRecord, ...]:
    """From rows of `MODELS`."""
    return tuple(ModelRecord(from_json(row[2]), from_json(row[3]), from_json(row[4])) for row in rows)


def read_metrics(rows: Sequence[Row]) -> tuple[MetricRecord, ...]:
    """From rows of `METRICS`."""
    return tuple(MetricRecord(Metric(from_json(row[3]), bool(row[2])), from_json(row[4])) for row in rows)


def read_datasets(rows: Sequence[Row], splits: Sequence[Row]) -> tuple[DatasetRecord, ...]:
    """From rows of `DATASETS`, and those of `SPLITS` in the order of their keys."""
    of: dict[int, list[Row]] = {row[1]: [] for row in rows}
    for split in splits:
        of[split[1]].append(split)
    return tuple(_read_dataset(row, of[row[1]]) for row in rows)


def _dataset_row(run: int, position: int, dataset: DatasetRecord) -> Row:
    classes = None if dataset.classes is None else to_json(list(dataset.classes))
    target = None if dataset.target is None else to_npy(numeric_array(dataset.target, f"the target of dataset {dataset.name!r}"))
    numbers = int(dataset.n_samples), int(dataset.n_features), int(dataset.ordered)
    return (run, position, *numbers, to_json(dataset.name), to_json(dataset.fingerprint), to_json(dataset.kind), classes, target)


def _split_numbers(dataset: DatasetRecord) -> tuple[IntArray, ...]:
    return tuple(np.asarray(column) for column in (dataset.repeat, dataset.fold, dataset.n_train, dataset.n_test))


def _rows_npy(rows: IntArray) -> bytes:
    """Row numbers in the smallest type that holds them."""
    rows = np.asarray(rows)
    if rows.size and rows.min() >= 0:
        rows = rows.astype(np.min_scalar_type(rows.max()))
    return to_npy(np.ascontiguousarray(rows))


def _read_dataset(row: Row, splits: Sequence[Row]) -> DatasetRecord:
    numbers = np.array([split[3:7] for split in splits], dtype=np.int64).reshape(-1, 4)
    return DatasetRecord(
        name=from_json(row[5]),
        fingerprint=from_json(row[6]),
        n_samples=row[2],
        n_features=row[3],
        classes=None if row[8] is None else tuple(from_json(row[8])),
        target=None if row[9] is None else from_npy(row[9]),
        kind=cast("Kind", from_json(row[7])),
        ordered=bool(row[4]),
        repeat=numbers[:, 0],
        fold=numbers[:, 1],
        n_train=numbers[:, 2],
        n_test=numbers[:, 3],
        split_hashes=tuple(from_json(split[7]) for split in splits),
        test_rows=tuple(from_npy(split[8]).astype(np.int64) for split in splits),
    )
