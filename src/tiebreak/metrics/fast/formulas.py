"""The metrics that are computed from what a model said, without asking it again: by name, with what each needs."""

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError
from tiebreak.metrics.fast import classification, probability, ranking
from tiebreak.metrics.targets import Array, Truth, UndefinedScore, check_length, numbers, raise_for_overflow


def mean_absolute_error(truth: Truth, predicted: Array, *_: object) -> float:
    """Mean of ``|y - predicted|``."""
    errors = np.add.reduce(np.abs(_differences(truth, predicted))) / truth.n_rows
    return _finite_mean(errors, truth, predicted)


def mean_squared_error(truth: Truth, predicted: Array, *_: object) -> float:
    """Mean of ``(y - predicted)**2``."""
    return _finite_mean(_squares(_differences(truth, predicted)) / truth.n_rows, truth, predicted)


def root_mean_squared_error(truth: Truth, predicted: Array, *_: object) -> float:
    """Square root of the mean squared error."""
    return _finite_mean(np.sqrt(_squares(_differences(truth, predicted)) / truth.n_rows), truth, predicted)


def r2(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of the spread of y that the predictions explain; 1 where they are perfect, else 0 where y has no spread."""
    squares = _squares(_differences(truth, predicted))
    if truth.n_rows < 2:
        raise UndefinedScore("fewer than two test rows")
    return _explained(squares, truth, predicted)


def explained_variance(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of the variance that is explained, errors taken about their mean, so that a constant error costs nothing."""
    differences = _differences(truth, predicted)
    _finite_mean(_squares(differences), truth, predicted)  # an infinite one must not meet the mean
    return _explained(_squares(differences - np.add.reduce(differences) / truth.n_rows), truth, predicted)


def check_numbers(truth: Truth) -> None:
    """Check that the target holds numbers, which errors need; else the metric is undefined."""
    if truth.values.dtype.kind not in "biuf":
        raise UndefinedScore(f"it is for numbers, and the target holds {truth.values.reshape(-1)[:1].tolist()[0]!r}")


def _differences(truth: Truth, predicted: Array) -> Any:
    """Errors of the predictions, as floats of shape (n_rows,) or (n_rows, n_outputs)."""
    if predicted.dtype.kind != "f":
        predicted = numbers(predicted)
    values = truth.values
    if values.dtype.kind != "f":
        check_numbers(truth)
        values = values.astype(float)
    if predicted.shape != values.shape:
        check_length(predicted, truth, "predict")
        if predicted.size != values.size:
            raise DataError(f"predict returned an array of shape {predicted.shape} for a target of shape {values.shape}.")
        predicted = predicted.reshape(values.shape)
    return values - predicted


def _squares(differences: Any) -> Any:
    return np.add.reduce(differences * differences)


def _finite_mean(errors: Any, truth: Truth, predicted: Array) -> float:
    """Mean over the outputs."""
    mean = float(errors) if np.ndim(errors) == 0 else float(np.mean(errors))
    if not math.isfinite(mean):
        raise_for_overflow(numbers(predicted), truth, "predict")
    return mean


def _explained(squares: Any, truth: Truth, predicted: Array) -> float:
    """``1 - squares / spread``, mean over the outputs."""
    _finite_mean(squares, truth, predicted)
    if np.ndim(squares) == 0:
        return _share(float(squares), float(truth.spread))
    shares = [_share(*pair) for pair in zip(squares.tolist(), truth.spread.tolist(), strict=True)]
    return sum(shares) / len(shares)


def _share(squares: float, spread: float) -> float:
    if squares == 0:
        return 1.0
    return 1 - squares / spread if spread else 0.0


Compute = Callable[[Truth, Array, "Array | None", str], float]
"""Of the truth, an answer, the classes that the model knows, and the method that gave it; most need the first two only."""

_PREDICT = ("predict",)
_PROBA = ("predict_proba",)
_SCORES = ("decision_function", "predict_proba")


class Formula(NamedTuple):
    """Computation of a metric.

    Attributes
    ----------
    needs : tuple of str
        Methods of which it takes an answer, the preferred one first.
    compute : callable
    is_of_classes : bool
        Whether the target is labels; else it is numbers.
    check : callable
        Raises `UndefinedScore` where the metric has no value whatever the rows and the model.
    for_more : tuple of str
        What to use for more than two classes, where this one is for two.
    """

    needs: tuple[str, ...]
    compute: Compute
    is_of_classes: bool
    check: Callable[[Truth], object]
    for_more: tuple[str, ...] = ()


def _check_ranks(truth: Truth) -> None:
    if truth.known_labels.classes.size <= 2:
        classification.positive_position(truth)


_of_labels = partial(Formula, _PREDICT, is_of_classes=True, check=attrgetter("known_labels"))
_of_numbers = partial(Formula, _PREDICT, is_of_classes=False, check=check_numbers)
_of_proba = partial(Formula, _PROBA, is_of_classes=True, check=probability.count_classes)

_BY_LABEL: dict[str, classification.PerLabel] = {
    "f1": classification.f1_by_label,
    "precision": classification.precision_by_label,
    "recall": classification.recall_by_label,
}
_AVERAGES = {"macro": classification.macro, "weighted": classification.weighted}

FORMULAS: dict[str, Formula] = {
    "accuracy": _of_labels(classification.accuracy),
    "balanced_accuracy": _of_labels(classification.balanced_accuracy),
    "matthews_corrcoef": _of_labels(classification.matthews_corrcoef),
    **{
        name: Formula(
            _PREDICT,
            partial(classification.of_positive, by_label),
            True,
            classification.positive_position,
            (f"{name}_macro", f"{name}_micro", f"{name}_weighted"),
        )
        for name, by_label in _BY_LABEL.items()
    },
    **{f"{name}_micro": _of_labels(classification.accuracy) for name in _BY_LABEL},
    **{
        f"{name}_{average}": _of_labels(partial(_AVERAGES[average], _BY_LABEL[name]))
        for name, average in product(_BY_LABEL, _AVERAGES)
    },
    "log_loss": _of_proba(probability.log_loss),
    "brier_score": _of_proba(probability.brier_score),
    "roc_auc": Formula(_SCORES, ranking.roc_auc, True, ranking.check_two_classes, ("roc_auc_ovr", "roc_auc_ovr_weighted")),
    "roc_auc_ovr": _of_proba(ranking.roc_auc_ovr),
    "roc_auc_ovr_weighted": _of_proba(partial(ranking.roc_auc_ovr, by_size=True)),
    "average_precision": Formula(_SCORES, ranking.average_precision, True, _check_ranks),
    "r2": _of_numbers(r2),
    "explained_variance": _of_numbers(explained_variance),
    "mean_absolute_error": _of_numbers(mean_absolute_error),
    "mean_squared_error": _of_numbers(mean_squared_error),
    "root_mean_squared_error": _of_numbers(root_mean_squared_error),
}
"""By the name of the metric; each gives what scikit-learn's scorer of that name gives (tests hold them to 1e-12)."""
