"""Metrics that are means over the rows: what each row contributes, so that any weighting of the rows is one product."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak.metrics.answers import numbers, values_of_rows
from tiebreak.metrics.fast.probability import log_likelihoods, squared_distances
from tiebreak.metrics.scorer import Outputs, Scorer
from tiebreak.metrics.targets import Array, Truth, UndefinedScore
from tiebreak.numerics import FloatArray

Values = Callable[[Truth, Array, "Array | None"], Array]


def _hits(truth: Truth, predicted: Array, _: Array | None) -> Array:
    return np.asarray(truth.encode(values_of_rows(predicted, truth, "predict")) == truth.known_code, dtype=float)


def _absolute_errors(truth: Truth, predicted: Array, _: Array | None) -> Array:
    return np.abs(_errors(truth, predicted))


def _squared_errors(truth: Truth, predicted: Array, _: Array | None) -> Array:
    return np.square(_errors(truth, predicted))


def _errors(truth: Truth, predicted: Array) -> Array:
    return np.asarray(truth.values, dtype=float) - numbers(values_of_rows(predicted, truth, "predict"))


def _log_losses(truth: Truth, proba: Array, model_classes: Array | None) -> Array:
    return -log_likelihoods(truth, proba, model_classes)


_VALUES: dict[str, Values] = {
    "accuracy": _hits,
    "precision_micro": _hits,
    "recall_micro": _hits,
    "f1_micro": _hits,
    "log_loss": _log_losses,
    "brier_score": squared_distances,
    "mean_absolute_error": _absolute_errors,
    "mean_squared_error": _squared_errors,
}
"""By the formula; the mean of each over the rows is the metric."""


def is_mean_of_rows(scorer: Scorer, truth: Truth) -> bool:
    """True if `values_by_row` knows the metric on such a target."""
    return scorer.formula in _VALUES and truth.values.ndim == 1


def values_by_row(scorer: Scorer, truth: Truth, outputs: Outputs) -> FloatArray:
    """Contribution of each row to a metric that is their mean, of shape (n_rows,).

    Parameters
    ----------
    scorer : Scorer
        For which `is_mean_of_rows` holds.
    truth : Truth
    outputs : mapping of str to ndarray
        As for `Scorer.score`.

    Raises
    ------
    UndefinedScore
        Some value is nan or infinite, or the answer is not there.
    """
    for method in scorer.needs:
        if method in outputs:
            values = np.asarray(_VALUES[scorer.formula](truth, outputs[method], truth.classes), dtype=float)
            if not np.isfinite(values).all():
                raise UndefinedScore(f"{method} is not finite on {np.count_nonzero(~np.isfinite(values))} row(s)")
            return values
    raise UndefinedScore(f"it needs {' or '.join(scorer.needs)}, which was not kept")
