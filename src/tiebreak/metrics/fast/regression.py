"""Metrics of predicted numbers, in double precision; of several outputs, the mean over the outputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tiebreak.errors import InvalidOutputsError
from tiebreak.metrics.answers import check_length, numbers, raise_for_overflow
from tiebreak.metrics.targets import Array, Truth, UndefinedScore


def mean_absolute_error(truth: Truth, predicted: Array) -> float:
    """Mean of ``|y - predicted|``."""
    errors = np.add.reduce(np.abs(_differences(truth, predicted))) / truth.n_rows
    return _finite_mean(errors, truth, predicted)


def mean_squared_error(truth: Truth, predicted: Array) -> float:
    """Mean of ``(y - predicted)**2``."""
    return _finite_mean(_squares(_differences(truth, predicted)) / truth.n_rows, truth, predicted)


def root_mean_squared_error(truth: Truth, predicted: Array) -> float:
    """Square root of the mean squared error."""
    return _finite_mean(np.sqrt(_squares(_differences(truth, predicted)) / truth.n_rows), truth, predicted)


def r2(truth: Truth, predicted: Array) -> float:
    """Share of the spread of y that the predictions explain; 1 where they are perfect, else 0 where y has no spread."""
    squares = _squares(_differences(truth, predicted))
    if truth.n_rows < 2:
        raise UndefinedScore("fewer than two test rows")
    return _explained(squares, truth, predicted)


def explained_variance(truth: Truth, predicted: Array) -> float:
    """The same about the mean error, so that a constant error costs nothing."""
    differences = _differences(truth, predicted)
    _finite_mean(_squares(differences), truth, predicted)  # an infinite one must not meet the mean
    return _explained(_squares(differences - np.add.reduce(differences) / truth.n_rows), truth, predicted)


def check_numbers(truth: Truth) -> None:
    """Errors need numbers.

    Raises
    ------
    UndefinedScore
    """
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
            raise InvalidOutputsError(
                f"predict returned an array of shape {predicted.shape} for a target of shape {values.shape}."
            )
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
