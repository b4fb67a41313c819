"""Cells behind an evaluation, for the modules that read them: its log, its table, its scorers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.cells import cell_text
from tiebreak.stores.damage import Damage, refuse

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.metrics.scorer import Scorer
    from tiebreak.plan.record import Cell, Outcome
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
