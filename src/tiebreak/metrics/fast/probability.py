"""Metrics of predicted probabilities.

Of two classes only the probability of the second counts, and that of the first is what is left, as for scikit-learn's
scorers; the arithmetic is that of the probabilities' own precision.
"""

import warnings

import numpy as np

from tiebreak.metrics.targets import Array, Truth, UndefinedScore, class_columns, positive_column, raise_for_unusable

_EPS = {np.dtype(kind): float(np.finfo(kind).eps) for kind in (np.float32, np.float64)}


def log_loss(truth: Truth, proba: Array, model_classes: Array | None, *_: object) -> float:
    """Mean of ``-log(probability of the true class)``, the probability kept `eps` of its precision away from 0 and 1."""
    return -float(np.add.reduce(log_likelihoods(truth, proba, model_classes)) / truth.n_rows)


def log_likelihoods(truth: Truth, proba: Array, model_classes: Array | None) -> Array:
    """Logarithm of the probability of each row's true class."""
    if count_classes(truth) == 2:
        second = _in_range(positive_column(proba, truth, model_classes, 1))
        told = np.where(truth.is_second, second, 1 - second)
    else:
        columns = _in_range(class_columns(proba, truth, model_classes, "predict_proba"))
        _warn_unless_one(columns)
        told = columns[np.arange(truth.n_rows), truth.known_code]
    eps = _EPS[told.dtype]
    return np.asarray(np.log(np.minimum(np.maximum(told, eps), 1 - eps)))


def brier_score(truth: Truth, proba: Array, model_classes: Array | None, *_: object) -> float:
    """Mean squared distance of the probabilities from the truth: of the second of two classes, else summed over all."""
    return float(np.add.reduce(squared_distances(truth, proba, model_classes)) / truth.n_rows)


def squared_distances(truth: Truth, proba: Array, model_classes: Array | None) -> Array:
    """Squared distance of the probabilities from the truth, of each row."""
    if count_classes(truth) == 2:
        second = _in_range(positive_column(proba, truth, model_classes, 1))
        error, other = truth.is_second - second, ~truth.is_second - (1 - second)
        return np.asarray((error * error + other * other) * 0.5)
    columns = _in_range(class_columns(proba, truth, model_classes, "predict_proba"))
    _warn_unless_one(columns)
    errors = columns.copy()
    errors[np.arange(truth.n_rows), truth.known_code] -= 1
    return np.asarray(np.add.reduce(errors * errors, axis=1))


def count_classes(truth: Truth) -> int:
    """Number of classes of the target; undefined for one, of which probabilities say nothing."""
    n_classes = truth.known_labels.classes.size
    if n_classes < 2:
        raise UndefinedScore("the target has only one class")
    return n_classes


def _in_range(proba: Array) -> Array:
    """The probabilities as floats, if they are any."""
    if proba.dtype not in _EPS:
        proba = proba.astype(float)
    if np.count_nonzero((proba >= 0) & (proba <= 1)) != proba.size:
        raise_for_unusable(proba, "predict_proba")
        raise UndefinedScore(f"predict_proba is not between 0 and 1, but from {proba.min():.17g} to {proba.max():.17g}")
    return proba


def _warn_unless_one(columns: Array) -> None:
    """scikit-learn's warning, in our words."""
    sums = np.add.reduce(columns, axis=1)
    if np.count_nonzero(np.abs(sums - 1) > np.sqrt(_EPS[columns.dtype])):
        warnings.warn("predict_proba has rows that do not sum to one; they are scored as they are.", UserWarning, stacklevel=2)
