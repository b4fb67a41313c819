"""Failures, warnings and undefined scores, those of the same text together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.plan.outcome import Cell, Outcome, State

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation


class FailureGroup(NamedTuple):
    """Failed cells of one state and message.

    Attributes
    ----------
    state, message : str
    n_cells : int
    models : tuple of str
        Names, in the order of the plan.
    first : str
        Dataset and split of the first such cell.
    attempts : int
        The most that was made.
    traceback : str
        Of the first.
    """

    state: State
    message: str
    n_cells: int
    models: tuple[str, ...]
    first: str
    attempts: int
    traceback: str


class TextGroup(NamedTuple):
    """Cells that share a text: a warning, or the reason why a score is undefined."""

    text: str
    n_cells: int
    models: tuple[str, ...]
    first: str


def failure_groups(evaluation: Evaluation) -> list[FailureGroup]:
    """Failed cells, the most frequent message first."""
    groups: dict[tuple[State, str], list[Outcome]] = {}
    for outcome in _outcomes(evaluation, evaluation.table.state != 0):
        groups.setdefault((outcome.state, outcome.message), []).append(outcome)
    return [
        FailureGroup(
            state,
            message,
            len(outcomes),
            _models(evaluation, [outcome.cell for outcome in outcomes]),
            _where(evaluation, outcomes[0].cell),
            max(outcome.attempts for outcome in outcomes),
            outcomes[0].traceback,
        )
        for (state, message), outcomes in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def warning_groups(evaluation: Evaluation) -> list[TextGroup]:
    """Warnings that fits gave, the most frequent first."""
    noted = evaluation.log.noted("warnings")
    return _by_text(evaluation, ((text, outcome.cell) for outcome in noted for text in outcome.warnings))


def undefined_groups(evaluation: Evaluation) -> list[TextGroup]:
    """Undefined scores as "metric: reason", the most frequent first."""
    if not np.any(evaluation.table.has_score & np.isnan(evaluation.table.score)):
        return []
    return _by_text(
        evaluation,
        (
            (f"{metric}: {reason}", outcome.cell)
            for outcome in evaluation.log.noted("undefined")
            for metric, reason in outcome.undefined.items()
        ),
    )


def _by_text(evaluation: Evaluation, texts: Iterable[tuple[str, Cell]]) -> list[TextGroup]:
    groups: dict[str, list[Cell]] = {}
    for text, cell in texts:
        groups.setdefault(text, []).append(cell)
    return [
        TextGroup(text, len(cells), _models(evaluation, cells), _where(evaluation, cells[0]))
        for text, cells in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def _models(evaluation: Evaluation, cells: Iterable[Cell]) -> tuple[str, ...]:
    return tuple(evaluation.models[model] for model in sorted({cell.model for cell in cells}))


def _where(evaluation: Evaluation, cell: Cell) -> str:
    dataset = evaluation.record.datasets[cell.dataset]
    return f"{dataset.name}, {dataset.split_name(cell.split)}" if dataset.name else dataset.split_name(cell.split)


def _outcomes(evaluation: Evaluation, rows: Any) -> Iterator[Outcome]:
    """The outcomes of some rows of the table."""
    table, chosen = evaluation.table, np.flatnonzero(rows)
    keys = zip(*(part[chosen].tolist() for part in (table.dataset, table.split, table.model)), strict=True)
    return evaluation.log.outcomes([Cell(*key) for key in keys]) if chosen.size else iter(())
