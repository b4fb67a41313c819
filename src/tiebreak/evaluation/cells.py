"""Cells behind an evaluation, for the modules that read them: its log, its table, its scorers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.scores.scores import look_up

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.metrics.scorer import Scorer
    from tiebreak.stores.contract import CellTable, RunLog


def log_of(evaluation: Evaluation) -> RunLog:
    """Log in which the cells are kept."""
    return evaluation._log


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
