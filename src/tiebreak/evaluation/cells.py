"""Cells behind an evaluation, for the modules that read them: its log, its table, its scorers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.plan.record import Cell
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.cells import cell_text
from tiebreak.stores.damage import Damage, refuse

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.metrics.scorer import Scorer
    from tiebreak.numerics import FloatArray
    from tiebreak.plan.record import Outcome
    from tiebreak.stores.cells import CellTable
    from tiebreak.stores.contract import RunLog


def log_of(evaluation: Evaluation) -> RunLog:
    """Log in which the cells are kept."""
    return evaluation._log


def outcomes_with_outputs(evaluation: Evaluation, cells: Iterable[Cell] | None = None) -> Iterator[Outcome]:
    """The recorded outcomes of some cells, or of all, with what the models said: a row for each test row.

    Raises `DamagedStoreError` for anything else, which only somebody who made the store can have put there.
    """
    record = evaluation.record
    for outcome in evaluation._log.outcomes(cells, outputs=True):
        dataset = record.datasets[outcome.cell.dataset]
        n_test = len(dataset.test_rows[outcome.cell.split])
        for method, answer in outcome.outputs.items():
            n_classes = len(dataset.classes) if dataset.classes is not None and method == "predict" else None
            if answer.shape[:1] != (n_test,) or answer.ndim > 3 or (n_classes is not None and not _are_labels(answer, n_classes)):
                refuse(Damage(record.name, f"an output of {cell_text(record, outcome.cell)}", f"no answers for {n_test} rows"))
        yield outcome


def same_predictions(evaluation: Evaluation, models: Sequence[int], score: FloatArray) -> tuple[tuple[str, ...], ...]:
    """Groups of models whose kept predictions are the same, byte for byte, on all splits.

    Parameters
    ----------
    evaluation : Evaluation
    models : sequence of int
        Positions of the models in the evaluation.
    score : ndarray of shape (n_models, n_splits)
        Theirs; only the predictions of models with equal scores are read.
    """
    alike: dict[bytes, list[int]] = {}
    for model, row in zip(models, score, strict=True):
        alike.setdefault(row.tobytes(), []).append(model)
    found: dict[bytes, list[str]] = {}
    for model in (model for group in alike.values() if len(group) > 1 for model in group):
        digest = _digest_of_predictions(evaluation, model)
        if digest:
            found.setdefault(digest, []).append(evaluation.models[model])
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


def _digest_of_predictions(evaluation: Evaluation, model: int) -> bytes:
    """Hash of all that a model said of the test rows; empty where some of it was not kept."""
    datasets = evaluation.record.datasets
    cells = [Cell(dataset, split, model) for dataset, record in enumerate(datasets) for split in range(record.n_splits)]
    said: dict[tuple[int, int], bytes] = {}
    for outcome in outcomes_with_outputs(evaluation, cells):
        if outcome.is_done and not outcome.outputs:
            return b""
        digest = hashlib.blake2b()
        for method, answer in sorted(outcome.outputs.items()):
            digest.update(f"{method} {answer.dtype} {answer.shape}".encode() + answer.tobytes())
        said[outcome.cell.dataset, outcome.cell.split] = digest.digest()
    return b"".join(said[key] for key in sorted(said))


def _are_labels(answer: np.ndarray[Any, Any], n_classes: int) -> bool:
    """True for positions of labels; -1 is a label that is none of them."""
    return answer.dtype.kind in "iu" and (not answer.size or bool(answer.min() >= -1 and answer.max() < n_classes))


def table_of(evaluation: Evaluation) -> CellTable:
    """Cells that were recorded when the evaluation was made."""
    return evaluation._table


def scorers_of(evaluation: Evaluation) -> tuple[Scorer, ...]:
    """Scorers that computed the metrics; none for a run that was read from a store."""
    return evaluation._scorers


def metric_position(evaluation: Evaluation, metric: str | None) -> int:
    """Position of a metric among those of an evaluation; raises `UnknownNameError` for one that was not measured."""
    if metric is None:
        return 0
    if metric not in evaluation.metrics and metric.removeprefix("neg_") in evaluation.metrics:
        metric = metric.removeprefix("neg_")
    return look_up(metric, evaluation.metrics, "metric")
