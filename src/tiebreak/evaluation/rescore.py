"""A metric that was added later, computed from the predictions that were kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak.evaluation.fit_and_score import Measurement
from tiebreak.evaluation.responses import as_answered
from tiebreak.metrics.scorers import Scorer, UndefinedScore, make_truth
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.stores.store import RunLog

BATCH = 200
"""Cells whose predictions are in memory at a time."""


def rescore(work: Measurement, log: RunLog, cells: Sequence[Cell]) -> list[Cell]:
    """Add the metrics that cells lack where their predictions tell them; returns the cells that must be measured again.

    Parameters
    ----------
    work : Measurement
    log : RunLog
    cells : sequence of Cell
        Done, but for some of the metrics.
    """
    truths = [make_truth(each.data.y, classifier=each.task == "classification") for each in work.plan.datasets]
    untold: list[Cell] = []
    for start in range(0, len(cells), BATCH):
        found: list[Outcome] = []
        for outcome in log.outcomes(cells[start : start + BATCH], outputs=True):
            lacking = [scorer for scorer in work.scorers if scorer.metric.name not in outcome.scores]
            truth = truths[outcome.cell.dataset]
            outputs = as_answered(outcome.outputs, truth.classes)
            if any(not scorer.needs or not _tells(outcome, scorer, work) for scorer in lacking):
                untold.append(outcome.cell)
                continue
            rows = work.plan.datasets[outcome.cell.dataset].splits[outcome.cell.split].test
            scores, undefined = {}, {}
            for scorer in lacking:
                name = scorer.metric.name
                try:
                    scores[name] = scorer.score(truth.take(rows), outputs, truth.classes)
                except UndefinedScore as error:
                    scores[name], undefined[name] = float("nan"), str(error)
            found.append(Outcome(outcome.cell, scores=scores, undefined=undefined))
        if found:
            log.write(found)
    return untold


def _tells(outcome: Outcome, scorer: Scorer, work: Measurement) -> bool:
    """Whether the method that the metric would ask for was kept: the first of its methods that the model has."""
    model = list(work.plan.models.values())[outcome.cell.model]
    method = next((name for name in scorer.needs if hasattr(model, name)), scorer.needs[0])
    kept = outcome.outputs.get(method)
    return kept is not None and isinstance(kept, np.ndarray)
