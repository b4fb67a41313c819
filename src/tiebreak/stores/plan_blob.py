"""The plan of a run as one blob: arrays, and a document of JSON for all else."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tiebreak.plan.record import DatasetRecord, MetricRecord, ModelRecord, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import SplitKind
from tiebreak.stores.encoding import from_json, pack_arrays, require, to_json, unpack_arrays
from tiebreak.stores.plan_mapping import check_record

if TYPE_CHECKING:
    from tiebreak.stores.encoding import NumericArray

_OF_SPLITS = ("repeat", "fold", "n_train", "n_test")


class _Dataset(msgspec.Struct):
    name: str
    fingerprint: str
    n_samples: int
    n_features: int
    classes: list[str | bool | int | float] | None
    kind: SplitKind
    ordered: bool
    split_hashes: list[str]


class _Plan(msgspec.Struct):
    name: str
    models: list[tuple[str, str, str]]
    datasets: list[_Dataset]
    metrics: list[tuple[str, bool, str]]
    rng: int | None
    threads: int | None
    settings: dict[str, Any]
    environments: list[dict[str, str]]


def pack_plan(record: RunRecord, environments: Sequence[Mapping[str, str]]) -> bytes:
    """Pack a plan with the versions that it was measured with so far; the same plan gives the same bytes."""
    arrays: dict[str, Any] = {}
    datasets = []
    for i, dataset in enumerate(record.datasets):
        facts = {field.name: getattr(dataset, field.name) for field in dataclasses.fields(dataset)}
        target, tested = facts.pop("target"), [np.asarray(rows) for rows in facts.pop("test_rows")]
        arrays |= {f"{i} {name}": facts.pop(name) for name in _OF_SPLITS}
        arrays |= {} if target is None else {f"{i} target": target}
        rows = np.concatenate(tested) if tested else np.zeros(0, dtype=np.uint8)
        # the smallest type that holds them
        arrays[f"{i} rows"] = rows.astype(np.min_scalar_type(rows.max(initial=0))) if rows.min(initial=0) >= 0 else rows
        arrays[f"{i} sizes"] = np.array([each.size for each in tested], dtype=np.int64)
        datasets.append(facts)
    document = {
        "name": record.name,
        "models": [[model.name, model.fingerprint, model.text] for model in record.models],
        "datasets": datasets,
        "metrics": [[metric.name, bool(metric.metric.higher_is_better), metric.fingerprint] for metric in record.metrics],
        "rng": record.rng,
        "threads": record.threads,
        "settings": record.settings,
        "environments": environments,
    }
    return pack_arrays({**arrays, "document": np.frombuffer(to_json(document), np.uint8)}, "the part {!r} of the plan")


def unpack_plan(content: bytes) -> tuple[RunRecord, tuple[Mapping[str, str], ...]]:
    """Read what `pack_plan` made; raises one of `MALFORMED` for a plan that no store has."""
    arrays = unpack_arrays(content)
    plan = msgspec.convert(from_json(arrays["document"].tobytes()), _Plan)
    require(bool(plan.environments), "no versions")
    require(plan.threads is None or 0 < plan.threads < 2**20, "threads that are no number")
    record = RunRecord(
        plan.name,
        tuple(ModelRecord(*each) for each in plan.models),
        tuple(_dataset(each, arrays, f"{i} ") for i, each in enumerate(plan.datasets)),
        tuple(MetricRecord(Metric(name, higher), fingerprint) for name, higher, fingerprint in plan.metrics),
        plan.rng,
        plan.threads,
        plan.environments[-1],
        plan.settings,
    )
    check_record(record)
    return record, tuple(plan.environments)


def _dataset(facts: _Dataset, arrays: Mapping[str, NumericArray], prefix: str) -> DatasetRecord:
    columns: dict[str, Any] = {name: _integers(arrays[prefix + name], 2**53) for name in _OF_SPLITS}
    sizes, rows = _integers(arrays[f"{prefix}sizes"], 2**53), _integers(arrays[f"{prefix}rows"], facts.n_samples)
    target = arrays.get(f"{prefix}target")
    n_splits = {len(facts.split_hashes), sizes.size, *(column.size for column in columns.values())}
    require(len(n_splits) == 1 and sizes.sum() == rows.size, "splits that are none")
    require(0 <= facts.n_samples < 2**53 and 0 <= facts.n_features < 2**53, "sizes that no data have")
    require(target is None or target.shape[:1] == (facts.n_samples,), "a target of another length")
    if target is not None and facts.classes is not None:
        _integers(target, len(facts.classes))
    known = msgspec.structs.asdict(facts)
    known["classes"] = None if facts.classes is None else tuple(facts.classes)
    known["split_hashes"] = tuple(facts.split_hashes)
    return DatasetRecord(**known, **columns, target=target, test_rows=tuple(np.split(rows, np.cumsum(sizes))[:-1]))


def _integers(values: NumericArray, below: int) -> NumericArray:
    """The values as positions; a ValueError for others."""
    is_so = values.ndim == 1 and values.dtype.kind in "iu" and 0 <= values.min(initial=0) <= values.max(initial=0) < max(below, 1)
    require(is_so, "numbers that are no positions")
    return values.astype(np.int64)
