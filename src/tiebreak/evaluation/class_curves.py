"""Curves of the models of an evaluation, class by class: ROC, precision-recall and calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tiebreak.evaluation.predictions import SCORES, Average, Kept, Lines, average, pooled
from tiebreak.metrics import calibration, precision_recall, roc
from tiebreak.metrics.calibration import CalibrationCurve, Strategy
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve, RocRegion
from tiebreak.numerics import FloatArray, IntArray, check_probability
from tiebreak.result import Result

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation

GRID: FloatArray = np.linspace(0.0, 1.0, 101)
"""False positive rates at which curves are averaged."""

Curves = TypeVar("Curves")
"""Of one model for one class."""


def _drawn(
    evaluation: Evaluation,
    models: str | Sequence[str] | None,
    positive: Any,
    dataset: str | None,
    alpha: float,
    draw: Callable[[Kept, int, int, float], Curves],
) -> tuple[str, tuple[Curves, ...], float, float, float]:
    """Fields of `Lines`: the curves that `draw` makes of each model and class, and the design."""
    alpha = check_probability(alpha, "alpha")
    kept = Kept(evaluation, models, dataset)
    lines = tuple(draw(kept, model, position, alpha) for model in kept.models for position in kept.positions(positive))
    return kept.record.name, lines, alpha, *kept.design


# --- ROC ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ModelRoc:
    """The ROC curves of one model for one class.

    Attributes
    ----------
    model : str
    positive : label
    repeat, fold : ndarray of shape (n_folds,)
        Of the measured splits.
    folds : tuple of RocCurve
        Of the measured splits; undefined where a split has test examples of one class only.
    pooled : RocCurve
        Of all predictions together, each example once for each repeat. It mixes the scales of models that were fitted apart,
        and has no variance where examples were predicted several times.
    auc : Average
        Mean of the areas of the folds, with a corrected interval.
    fpr : ndarray of shape (n_grid,)
    tpr : Average
        Mean of the folds' curves at each false positive rate (vertical averaging [F06]_), with a corrected interval for each
        rate by itself: a band that is pointwise, not for the whole curve at once.

    References
    ----------
    .. [F06] T. Fawcett. An introduction to ROC analysis. Pattern Recognition Letters 27, 2006, section 9.1.
    """

    model: str
    positive: Any
    repeat: IntArray
    fold: IntArray
    folds: tuple[RocCurve, ...]
    pooled: RocCurve
    auc: Average
    fpr: FloatArray
    tpr: Average

    @property
    def fold_aucs(self) -> FloatArray:
        """The area of each fold; nan where it is undefined."""
        return np.array([curve.auc for curve in self.folds])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RocDifference(Result):
    """Regions of false-positive rates in which each of two models is better.

    Attributes
    ----------
    first, second : str
    fpr : ndarray of shape (n_grid,)
    difference : Average
        Mean, over the splits that both have, of the first model's true positive rate minus the second's, at each false
        positive rate, with a corrected interval for each rate by itself.
    regions : tuple of RocRegion
        Ranges of the false positive rate by which of the two mean curves is higher.
    """

    first: str
    second: str
    fpr: FloatArray
    difference: Average
    regions: tuple[RocRegion, ...]

    def winner(self, region: RocRegion) -> str:
        """Name of the model that is better in a region, "" where neither is."""
        return {"first": self.first, "second": self.second, "neither": ""}[region.better]

    def clear_share(self, region: RocRegion) -> float:
        """Share of a region's rates at which the pointwise interval excludes 0: how much of it is more than chance."""
        inside = (self.fpr >= region.low) & (self.fpr <= region.high)
        clear = (self.difference.low > 0) | (self.difference.high < 0)
        return float(np.mean(clear[inside])) if inside.any() else 0.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rocs(Lines[ModelRoc]):
    """ROC curves of several models; with more than two classes, of each class against the rest.

    ``rocs[model]`` is one of them, or with several classes ``rocs[model, label]``. Print for an overview.
    """

    def difference(self, first: str, second: str, positive: Any = None) -> RocDifference:
        """Regions in which each of two models is better, on the splits that both have.

        Parameters
        ----------
        first, second : str
        positive : label, optional
            Needed with several classes.
        """
        one, other = (self.line(name, positive) for name in (first, second))
        shared, columns, others = _shared(one, other)
        values = [line.folds[place] for line, places in ((one, columns), (other, others)) for place in places]
        at_grid = np.array([curve.tpr_at(GRID) for curve in values]).reshape(2, len(shared), GRID.size)
        both = ~np.isnan(at_grid).any(axis=(0, 2))
        curves = at_grid[:, both]
        # the ratio of all splits: those left out are few, and as large as the others
        gap = average((curves[0] - curves[1]).T, self.ratio, self.alpha, low=-1.0, high=1.0)
        regions = roc.regions_of_curves(*((GRID, curve.mean(axis=0)) for curve in curves)) if both.any() else ()
        return RocDifference(one.model, other.model, GRID, gap, regions)


def rocs_of(evaluation: Evaluation, models: str | Sequence[str] | None, positive: Any, dataset: str | None, alpha: float) -> Rocs:
    """The curves of an evaluation; `Evaluation.roc` describes the parameters."""
    return Rocs(*_drawn(evaluation, models, positive, dataset, alpha, _roc))


def _roc(kept: Kept, model: int, position: int, alpha: float) -> ModelRoc:
    parts = kept.binary(model, position, SCORES, 'scoring="roc_auc" (of several classes "roc_auc_ovr")')
    splits = [split for split, _ in parts]
    folds = tuple(roc.curve_of(part) for _, part in parts)
    everything = roc.curve_of(pooled([part for _, part in parts]))
    if kept.copies(splits) > 1:
        # examples that are counted several times have no variance by DeLong's formula
        everything = replace(everything, area=replace(everything.area, parts=np.full_like(everything.area.parts, np.nan)))
    ratio = kept.ratio(splits)
    at_grid = np.array([curve.tpr_at(GRID) for curve in folds]).T
    return ModelRoc(
        kept.name(model),
        kept.classes[position],
        kept.record.repeat[splits],
        kept.record.fold[splits],
        folds,
        everything,
        average(np.array([curve.auc for curve in folds]), ratio, alpha, low=0.0, high=1.0),
        GRID,
        average(at_grid, ratio, alpha, low=0.0, high=1.0),
    )


def _shared(one: ModelRoc, other: ModelRoc) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Keys of the splits that both models have, and where each has them."""
    keys = [list(zip(line.repeat.tolist(), line.fold.tolist(), strict=True)) for line in (one, other)]
    shared = [key for key in keys[0] if key in set(keys[1])]
    return shared, [keys[0].index(key) for key in shared], [keys[1].index(key) for key in shared]


# --- precision and recall ----------------------------------------------------------------------------------------------------


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
class PrecisionRecalls(Lines[ModelPrecisionRecall]):
    """Precision-recall curves of several models; with more than two classes, of each class against the rest."""


def precision_recalls_of(
    evaluation: Evaluation, models: str | Sequence[str] | None, positive: Any, dataset: str | None, alpha: float
) -> PrecisionRecalls:
    """The curves of an evaluation; `Evaluation.precision_recall` describes the parameters."""
    return PrecisionRecalls(*_drawn(evaluation, models, positive, dataset, alpha, _precision_recall))


def _precision_recall(kept: Kept, model: int, position: int, alpha: float) -> ModelPrecisionRecall:
    parts = kept.binary(model, position, SCORES, 'scoring="average_precision"')
    splits = [split for split, _ in parts]
    folds = tuple(precision_recall.curve_of(part) for _, part in parts)
    areas = np.array([curve.average_precision for curve in folds])
    return ModelPrecisionRecall(
        kept.name(model),
        kept.classes[position],
        kept.record.repeat[splits],
        kept.record.fold[splits],
        folds,
        precision_recall.curve_of(pooled([part for _, part in parts])),
        average(areas, kept.ratio(splits), alpha, low=0.0, high=1.0),
    )


# --- calibration -------------------------------------------------------------------------------------------------------------


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
class Calibrations(Lines[ModelCalibration]):
    """Calibration curves of several models; with more than two classes, of each class against the rest."""


def calibrations_of(
    evaluation: Evaluation,
    models: str | Sequence[str] | None,
    positive: Any,
    dataset: str | None,
    n_bins: int,
    strategy: Strategy,
    alpha: float,
) -> Calibrations:
    """The curves of an evaluation; `Evaluation.calibration` describes the parameters."""
    draw = partial(_calibration, n_bins=n_bins, strategy=strategy)
    return Calibrations(*_drawn(evaluation, models, positive, dataset, alpha, draw))


def _calibration(kept: Kept, model: int, position: int, alpha: float, *, n_bins: int, strategy: Strategy) -> ModelCalibration:
    parts = kept.binary(model, position, ("predict_proba",), 'scoring="neg_log_loss"')
    together = pooled([part for _, part in parts])
    splits = [split for split, _ in parts]
    squares = np.array([float(np.mean((part.scores - part.is_positive) ** 2)) for _, part in parts])
    return ModelCalibration(
        kept.name(model),
        kept.classes[position],
        calibration.curve_of(together, n_bins=n_bins, strategy=strategy, alpha=alpha, n_copies=kept.copies(splits)),
        average(squares, kept.ratio(splits), alpha, low=0.0, high=1.0),
    )
