"""Small plans and outcomes to write into stores."""

import dataclasses
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tiebreak.plan.record import Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.stores.contract import Claim
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import SqlStore

VERSIONS = {"Python": "3.11.7", "scikit-learn": "1.8.0"}


def a_model(name: str, text: str = "SVC(C=1)") -> ModelRecord:
    """The fingerprint follows from the text."""
    return ModelRecord(name, f"hash of {text}", text)


def a_metric(name: str, *, higher_is_better: bool = True, fingerprint: str = "scorer") -> MetricRecord:
    return MetricRecord(Metric(name, higher_is_better), fingerprint)


def a_dataset(
    name: str = "", *, keys: Sequence[tuple[int, int]] = ((0, 0), (0, 1), (1, 0), (1, 1)), n_samples: int = 20, **changes: Any
) -> DatasetRecord:
    """Two repeats of two folds, unless other keys are given."""
    repeat, fold = (np.array([key[i] for key in keys], dtype=np.int64) for i in (0, 1))
    half = n_samples // 2
    dataset = DatasetRecord(
        name=name,
        fingerprint=f"hash of {name} with {n_samples}",
        n_samples=n_samples,
        n_features=3,
        classes=("no", "yes"),
        target=np.arange(n_samples) % 2,
        kind="repeated-stratified",
        ordered=False,
        repeat=repeat,
        fold=fold,
        n_train=np.full(len(keys), n_samples - half),
        n_test=np.full(len(keys), half),
        split_hashes=tuple(f"hash of {name} {key}" for key in keys),
        test_rows=tuple(np.random.default_rng([*key]).permutation(n_samples)[:half] for key in keys),
    )
    return dataclasses.replace(dataset, **changes)


def a_plan(
    name: str = "moons",
    *,
    models: Sequence[str] = ("svm", "forest", "linear"),
    datasets: Sequence[DatasetRecord] | None = None,
    metrics: Sequence[str] = ("accuracy", "log_loss"),
    **changes: Any,
) -> RunRecord:
    """Three models on four splits of one dataset in two metrics, unless told otherwise."""
    record = RunRecord(
        name,
        models=tuple(a_model(model) for model in models),
        datasets=tuple(datasets) if datasets is not None else (a_dataset(),),
        metrics=tuple(a_metric(metric) for metric in metrics),
        versions=VERSIONS,
    )
    return dataclasses.replace(record, **changes)


def an_outcome(cell: tuple[int, int, int], *, accuracy: float = 0.75, **changes: Any) -> Outcome:
    """A measured cell with outputs, its numbers depending on the cell."""
    outcome = Outcome(
        Cell(*cell),
        scores={"accuracy": accuracy, "log_loss": 0.1 + cell[1] + cell[2] / 3},
        fit_seconds=0.1 + cell[2],
        predict_seconds=1e-3,
        seed=2**40 + cell[1],
        outputs={"predict_proba": np.full((10, 2), cell[2] / 7)},
    )
    return dataclasses.replace(outcome, **changes)


def a_failure(cell: tuple[int, int, int], **changes: Any) -> Outcome:
    trace = 'Traceback\n  File "x.py", line 1'
    failure = Outcome(Cell(*cell), "raised", message="ValueError: no", traceback=trace, attempts=2)
    return dataclasses.replace(failure, **changes)


def all_cells(record: RunRecord) -> list[Cell]:
    """In the order of the plan."""
    return [
        Cell(i, split, model)
        for i, dataset in enumerate(record.datasets)
        for split in range(dataset.n_splits)
        for model in range(len(record.models))
    ]


def comparable(thing: Any) -> Any:
    """An outcome or a plan in values whose equality is that of types and bits, orders included: nan and -0.0 are their own."""
    if dataclasses.is_dataclass(thing):
        return {
            field.name: comparable(getattr(thing, field.name)) for field in dataclasses.fields(thing) if field.name != "is_shared"
        }
    if isinstance(thing, Mapping):
        return [(key, comparable(value)) for key, value in thing.items()]
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    if isinstance(thing, float):
        return struct.pack("<d", thing)
    return [comparable(each) for each in thing] if isinstance(thing, (tuple, list)) else (type(thing), thing)


def claimed(lease: SqlLease, cells: Sequence[Cell], *, again: Sequence[Cell] = ()) -> Claim:
    """The answer to asking for cells, with nothing handed in."""
    return lease.exchange((), cells, again=again)[1]


def executed(store: SqlStore, statement: str, values: Sequence[Any] = (), *, to_write: bool = False) -> list[tuple[Any, ...]]:
    """What the database of a store answers to a statement."""
    with store._database.transaction(to_write=to_write) as connection:
        return connection.execute(statement, values)
