"""Precision-recall curves of the models of an evaluation: of each fold, and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.evaluation.predictions import SCORES, Average, Kept, Lines, average, pooled
from tiebreak.metrics.precision_recall import PrecisionRecallCurve, curve_of
from tiebreak.numerics import IntArray, check_probability

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.views.plots.precision_recall import PrecisionRecallPlots


@dataclass(frozen=True, slots=True, eq=False)
class ModelPrecisionRecall:
    """The precision-recall curves of one model for one class.

    Curves of folds are not averaged: precision depends on how many positive examples a fold has, and between its points such a
    curve is a step. The curve of all predictions stands for the model.

    Attributes
    ----------
    model : str
    positive : label
    repeat, fold : ndarray of shape (n_folds,)
    folds : tuple of PrecisionRecallCurve
        Of the measured splits; empty where a split has test examples of one class only.
    pooled : PrecisionRecallCurve
        Of all predictions together, each example once for each repeat.
    average_precision : Average
        Mean over the folds, with a corrected interval.
    """

    model: str
    positive: Any
    repeat: IntArray
    fold: IntArray
    folds: tuple[PrecisionRecallCurve, ...]
    pooled: PrecisionRecallCurve
    average_precision: Average


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionRecalls(Lines[ModelPrecisionRecall, "PrecisionRecallPlots"]):
    """Precision-recall curves of several models; with more than two classes, of each class against the rest."""


def precision_recalls_of(
    evaluation: Evaluation,
    models: str | Sequence[str] | None = None,
    *,
    positive: Any = None,
    dataset: str | None = None,
    alpha: float = 0.05,
) -> PrecisionRecalls:
    """The curves of an evaluation; `Evaluation.precision_recall` describes the parameters."""
    level = check_probability(alpha, "alpha")
    kept = Kept(evaluation, models, dataset)
    lines = [_of_model(kept, model, position, level) for model in kept.models for position in kept.positions(positive)]
    return PrecisionRecalls(kept.record.name, tuple(lines), level, *kept.design)


def _of_model(kept: Kept, model: int, position: int, alpha: float) -> ModelPrecisionRecall:
    parts = kept.binary(model, position, SCORES, 'scoring="average_precision"')
    splits = [split for split, _ in parts]
    folds = tuple(curve_of(part) for _, part in parts)
    areas = np.array([curve.average_precision for curve in folds])
    return ModelPrecisionRecall(
        kept.name(model),
        kept.classes[position],
        kept.record.repeat[splits],
        kept.record.fold[splits],
        folds,
        curve_of(pooled([part for _, part in parts])),
        average(areas, kept.ratio(splits), alpha, low=0.0, high=1.0),
    )
