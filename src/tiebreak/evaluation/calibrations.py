"""Calibration curves of the models of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.evaluation.predictions import Average, Kept, Lines, average, pooled
from tiebreak.metrics.calibration import CalibrationCurve, Strategy, curve_of
from tiebreak.numerics import check_probability

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.views.plots.calibration import CalibrationPlots


@dataclass(frozen=True, slots=True, eq=False)
class ModelCalibration:
    """Agreement of one model's probabilities for one class with what happened.

    Attributes
    ----------
    model : str
    positive : label
    pooled : CalibrationCurve
        Of all predictions together; folds alone have too few examples for bins. Intervals count each example once, however
        often it was predicted.
    brier_score : Average
        Mean over the folds, with a corrected interval.
    """

    model: str
    positive: Any
    pooled: CalibrationCurve
    brier_score: Average


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calibrations(Lines[ModelCalibration, "CalibrationPlots"]):
    """Calibration curves of several models; with more than two classes, of each class against the rest."""


def calibrations_of(
    evaluation: Evaluation,
    models: str | Sequence[str] | None = None,
    *,
    positive: Any = None,
    dataset: str | None = None,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    alpha: float = 0.05,
) -> Calibrations:
    """The curves of an evaluation; `Evaluation.calibration` describes the parameters."""
    level = check_probability(alpha, "alpha")
    kept = Kept(evaluation, models, dataset)
    lines = [
        _of_model(kept, model, position, n_bins, strategy, level)
        for model in kept.models
        for position in kept.positions(positive)
    ]
    return Calibrations(kept.record.name, tuple(lines), level, *kept.design)


def _of_model(kept: Kept, model: int, position: int, n_bins: int, strategy: Strategy, alpha: float) -> ModelCalibration:
    parts = kept.binary(model, position, ("predict_proba",), 'scoring="neg_log_loss"')
    together = pooled([part for _, part in parts])
    splits = [split for split, _ in parts]
    squares = np.array([float(np.mean((part.scores - part.is_positive) ** 2)) for _, part in parts])
    return ModelCalibration(
        kept.name(model),
        kept.classes[position],
        curve_of(together, n_bins=n_bins, strategy=strategy, alpha=alpha, n_copies=kept.copies(splits)),
        average(squares, kept.ratio(splits), alpha, low=0.0, high=1.0),
    )
