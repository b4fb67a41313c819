"""Curves of the models of an evaluation, class by class: ROC, precision-recall and calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from tiebreak.errors import DataError, UnclearSourceError, UnknownNameError
from tiebreak.evaluation.predictions import Fold, Kept
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.metrics.curves import (
    Binary,
    CalibrationCurve,
    PrecisionRecallCurve,
    RocCurve,
    calibration_of,
    precision_recall_of,
    roc_of,
)
from tiebreak.metrics.targets import class_columns
from tiebreak.numerics import FloatArray, IntArray, check_probability, law_of_rows
from tiebreak.result import Result
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.splits import corrected_law

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation

SCORES = ("decision_function", "predict_proba")
"""Methods that put examples in an order, the preferred one first, as for the metric roc_auc."""

GRID: FloatArray = np.linspace(0.0, 1.0, 101)
"""False positive rates at which curves are averaged."""


class Average(NamedTuple):
    """A mean over splits; the fields of a curve are arrays.

    Attributes
    ----------
    mean : float or ndarray
        Over the splits on which it is defined; nan if there is none.
    low, high : float or ndarray
        Interval of the mean, corrected for shared training data [NB03]_; nan with fewer than two splits, or without spread.
    n_splits : int
        Splits on which it is defined.
    n_undefined : int
        Splits on which it is not.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    n_splits: int
    n_undefined: int


def average(values: FloatArray, ratio: float, alpha: float) -> Average:
    """The mean over the last axis of what lies between 0 and 1, of which nan in the first row tells the undefined splits.

    `values` has shape (..., n_splits), `ratio` is the mean n_test / n_train, and `alpha` 1 - coverage; intervals are cut at the
    bounds.
    """
    defined = ~np.isnan(np.atleast_2d(values)[0])
    law = corrected_law(law_of_rows(values[..., defined]), ratio)
    low, high = np.clip(law.interval_at(alpha), 0.0, 1.0)
    n = int(np.count_nonzero(defined))
    return Average(law.estimate, low, high, n, defined.size - n)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Curves of one model for one class: the model's name, and the label of the class."""

    model: str
    positive: Any


L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines(Result, Generic[L]):
    """Curves of several models; with more than two classes, of each class against the rest.

    Attributes
    ----------
    dataset : str
    lines : tuple
        Models in the order of the evaluation, and for each the classes in theirs.
    alpha : float
        1 - coverage of intervals and bands.
    """

    dataset: str
    lines: tuple[L, ...]
    alpha: float

    @property
    def models(self) -> tuple[str, ...]:
        """Names."""
        return tuple(dict.fromkeys(line.model for line in self.lines))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that there are curves for."""
        return tuple(dict.fromkeys(line.positive for line in self.lines))

    def __getitem__(self, key: str | tuple[str, Any]) -> L:
        """The curves of a model, or with several classes of a model and class."""
        model, *positive = key if isinstance(key, tuple) else (key,)
        name = self.models[look_up(model, self.models, "model")]
        found = [line for line in self.lines if line.model == name and positive in ([], [line.positive])]
        if not found:
            raise UnknownNameError(f"there is no curve of the class {positive[0]!r}; there are {quoted(self.classes)}.")
        if len(found) > 1:
            raise UnclearSourceError(
                f"there are curves of {len(found)} classes: {quoted(self.classes)}. Name one: [model, class]"
            )
        return found[0]

    def __iter__(self) -> Iterator[L]:
        return iter(self.lines)


M = TypeVar("M", bound=Lines[Any])


class Examples(NamedTuple):
    """Predictions of one model for one class, split by split.

    `ratio` is the mean n_test / n_train of the splits, by which intervals are corrected; each example was predicted `n_copies`
    times, once for each repeat.
    """

    model: str
    parts: tuple[Binary, ...]
    repeat: IntArray
    fold: IntArray
    ratio: float
    n_copies: float

    @property
    def together(self) -> Binary:
        """The examples of all splits."""
        flags, scores = (np.concatenate([getattr(part, name) for part in self.parts]) for name in ("is_positive", "scores"))
        return Binary(flags, scores, self.parts[0].positive)


def _examples(kept: Kept, model: int, position: int, methods: Sequence[str], advice: str) -> Examples:
    """The scores for one class: of several classes by probabilities, if any, as pairwise decision values are no score."""
    record, classes = kept.record, kept.truth.labels.tolist()
    splits: list[int] = []
    parts: list[Binary] = []
    for fold in kept.folds(model, methods, advice):
        truth = kept.truth.take(fold.rows)
        method = next(each for each in (methods if len(classes) == 2 else methods[::-1]) if each in fold.outputs)
        scores = class_columns(fold.outputs[method], truth, method)[:, position]
        parts.append(Binary(truth.code == position, np.asarray(scores, dtype=float), classes[position]))
        splits += fold.splits
    ratio = float(np.mean(record.n_test[splits] / record.n_train[splits]))
    rows = np.concatenate([record.test_rows[split] for split in splits])
    n_copies = rows.size / np.unique(rows).size
    name = kept.evaluation.models[model]
    return Examples(name, tuple(parts), record.repeat[splits], record.fold[splits], ratio, n_copies)


def lines_of(
    kind: type[M],
    evaluation: Evaluation,
    models: str | Sequence[str] | None,
    positive: Any,
    dataset: str | None,
    alpha: float,
    **drawn: Any,
) -> M:
    """Curves of a kind, of each model and class: the named one, of two the second as for roc_auc, or each of several.

    `Evaluation.roc` and `Evaluation.calibration` describe the parameters.
    """
    draw, methods, advice = _KINDS[kind]
    alpha = check_probability(alpha, "alpha")
    kept = labelled(evaluation, dataset)
    classes: list[Any] = list(kept.record.classes or ())
    positions = [1] if len(classes) == 2 else range(len(classes))
    if positive is not None:
        positions = [classes.index(positive) if positive in classes else look_up(positive, classes, "class")]
    found = [_examples(kept, model, position, methods, advice) for model in kept.models(models) for position in positions]
    return kind(kept.record.name, tuple(draw(each, alpha, **drawn) for each in found), alpha)


def labelled(evaluation: Evaluation, dataset: str | None) -> Kept:
    """Predictions on a dataset whose target is one label a row; others are refused."""
    kept = Kept(evaluation, dataset)
    if kept.record.classes is None:
        raise DataError("this is for classes; what was evaluated is a regression, or has several labels a row.")
    return kept


# --- ROC ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ModelRoc(Line):
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

    repeat: IntArray
    fold: IntArray
    folds: tuple[RocCurve, ...]
    pooled: RocCurve
    auc: Average
    fpr: FloatArray
    tpr: Average


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rocs(Lines[ModelRoc]):
    """ROC curves of several models; with more than two classes, of each class against the rest.

    ``rocs[model]`` is one of them, or with several classes ``rocs[model, label]``. Print for an overview.
    """


def _roc(examples: Examples, alpha: float) -> ModelRoc:
    folds, everything = tuple(map(roc_of, examples.parts)), roc_of(examples.together)
    if examples.n_copies > 1:
        # examples that are counted several times have no variance by DeLong's formula
        everything = replace(everything, area=replace(everything.area, parts=np.full_like(everything.area.parts, np.nan)))
    return ModelRoc(
        examples.model,
        everything.positive,
        examples.repeat,
        examples.fold,
        folds,
        everything,
        average(np.array([curve.auc for curve in folds]), examples.ratio, alpha),
        GRID,
        average(np.array([np.interp(GRID, curve.fpr, curve.tpr) for curve in folds]).T, examples.ratio, alpha),
    )


# --- precision and recall ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ModelPrecisionRecall(Line):
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

    repeat: IntArray
    fold: IntArray
    folds: tuple[PrecisionRecallCurve, ...]
    pooled: PrecisionRecallCurve
    average_precision: Average


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionRecalls(Lines[ModelPrecisionRecall]):
    """Precision-recall curves of several models; with more than two classes, of each class against the rest."""


def _precision_recall(examples: Examples, alpha: float) -> ModelPrecisionRecall:
    folds, everything = tuple(map(precision_recall_of, examples.parts)), precision_recall_of(examples.together)
    areas = average(np.array([curve.average_precision for curve in folds]), examples.ratio, alpha)
    return ModelPrecisionRecall(examples.model, everything.positive, examples.repeat, examples.fold, folds, everything, areas)


# --- calibration -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ModelCalibration(Line):
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

    pooled: CalibrationCurve
    brier_score: Average


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calibrations(Lines[ModelCalibration]):
    """Calibration curves of several models; with more than two classes, of each class against the rest."""


def _calibration(examples: Examples, alpha: float, **bins: Any) -> ModelCalibration:
    pooled = calibration_of(examples.together, alpha=alpha, n_copies=examples.n_copies, **bins)
    squares = np.array([np.mean((part.scores - part.is_positive) ** 2) for part in examples.parts])
    return ModelCalibration(examples.model, pooled.positive, pooled, average(squares, examples.ratio, alpha))


_KINDS: dict[Any, tuple[Callable[..., Any], Sequence[str], str]] = {
    Rocs: (_roc, SCORES, 'scoring="roc_auc" (of several classes "roc_auc_ovr")'),
    PrecisionRecalls: (_precision_recall, SCORES, 'scoring="average_precision"'),
    Calibrations: (_calibration, ("predict_proba",), 'scoring="neg_log_loss"'),
}
"""How a curve of each kind is made, by which of the models' methods, and the metric that asks them."""


# --- confusion matrices ------------------------------------------------------------------------------------------------------


OTHER = "(another label)"
"""Stands for what a model predicted that is no label of the data."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusions(Result):
    """A confusion matrix for each model and split.

    ``confusions[model]`` is the matrix of all splits together: each example counts once for each repeat, as often as it was
    predicted. Print for an overview of all models.

    Attributes
    ----------
    models : tuple of str
    dataset : str
    repeat, fold : mapping of str to ndarray
        Of each model's measured splits.
    matrices : mapping of str to tuple of ConfusionMatrix
        Of each model's measured splits, in the same order.
    n_splits : int
        Planned.
    """

    models: tuple[str, ...]
    dataset: str
    repeat: Mapping[str, IntArray]
    fold: Mapping[str, IntArray]
    matrices: Mapping[str, tuple[ConfusionMatrix, ...]]
    n_splits: int

    def __getitem__(self, model: str) -> ConfusionMatrix:
        """All measured splits of a model together."""
        return reduce(add, self.matrices[self.models[look_up(model, self.models, "model")]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)


def confusions_of(evaluation: Evaluation, models: str | Sequence[str] | None = None, dataset: str | None = None) -> Confusions:
    """The matrices of an evaluation; `Evaluation.confusion` describes the parameters."""
    kept = labelled(evaluation, dataset)
    record, names = kept.record, evaluation.models
    found = {names[model]: list(kept.folds(model, ("predict",), 'scoring="accuracy"')) for model in kept.models(models)}
    splits = {name: [split for fold in folds for split in fold.splits] for name, folds in found.items()}
    return Confusions(
        tuple(found),
        record.name,
        {name: record.repeat[chosen] for name, chosen in splits.items()},
        {name: record.fold[chosen] for name, chosen in splits.items()},
        {name: _matrices(kept, folds) for name, folds in found.items()},
        record.n_splits,
    )


def _matrices(kept: Kept, folds: Sequence[Fold]) -> tuple[ConfusionMatrix, ...]:
    """A matrix for each fold; all have a column for labels that are none, if any has."""
    labels = tuple(kept.truth.labels.tolist())
    n = len(labels) + 1
    counts = np.zeros((len(folds), n, n), dtype=np.int64)
    for count, fold in zip(counts, folds, strict=True):
        np.add.at(count, (kept.truth.code[fold.rows], kept.truth.find(fold.outputs["predict"])), 1)  # -1 is the last one
    if counts[..., -1].any():
        return tuple(ConfusionMatrix((*labels, OTHER), count) for count in counts)
    return tuple(ConfusionMatrix(labels, count[:-1, :-1]) for count in counts)
