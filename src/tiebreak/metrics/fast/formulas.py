"""The metrics that are computed from what a model said, without asking it again: by name, with what each needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from operator import attrgetter
from typing import NamedTuple

from tiebreak.metrics.fast import classification, probability, ranking, regression
from tiebreak.metrics.targets import Array, Truth

Compute = Callable[[Truth, Array, str, "Array | None"], float]
"""Of the truth, an answer, the method that gave it, and the classes that the model knows."""

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


def _of_predictions(compute: Callable[[Truth, Array], float], truth: Truth, answer: Array, *_: object) -> float:
    return compute(truth, answer)


def _of_probabilities(
    compute: Callable[[Truth, Array, Array | None], float], truth: Truth, answer: Array, _: str, model_classes: Array | None
) -> float:
    return compute(truth, answer, model_classes)


def _of_labels(compute: Callable[[Truth, Array], float]) -> Formula:
    return Formula(_PREDICT, partial(_of_predictions, compute), True, attrgetter("known_labels"))


def _of_numbers(compute: Callable[[Truth, Array], float]) -> Formula:
    return Formula(_PREDICT, partial(_of_predictions, compute), False, regression.check_numbers)


def _of_proba(compute: Callable[[Truth, Array, Array | None], float]) -> Formula:
    return Formula(_PROBA, partial(_of_probabilities, compute), True, probability.check_has_two_classes)


def _of_positive(name: str, by_label: classification.PerLabel) -> Formula:
    compute = partial(_of_predictions, partial(classification.of_positive, by_label))
    averages = tuple(f"{name}_{average}" for average in ("macro", "micro", "weighted"))
    return Formula(_PREDICT, compute, True, classification.positive_position, averages)


def _check_ranks(truth: Truth) -> None:
    if truth.known_labels.classes.size <= 2:
        classification.positive_position(truth)


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
    **{name: _of_positive(name, by_label) for name, by_label in _BY_LABEL.items()},
    **{f"{name}_micro": _of_labels(classification.accuracy) for name in _BY_LABEL},
    **{
        f"{name}_{average}": _of_labels(partial(_AVERAGES[average], _BY_LABEL[name]))
        for name, average in product(_BY_LABEL, _AVERAGES)
    },
    "log_loss": _of_proba(probability.log_loss),
    "brier_score": _of_proba(probability.brier_score),
    "roc_auc": Formula(_SCORES, ranking.roc_auc, True, ranking.check_two_classes, ("roc_auc_ovr", "roc_auc_ovr_weighted")),
    "roc_auc_ovr": Formula(_PROBA, ranking.roc_auc_ovr, True, probability.check_has_two_classes),
    "roc_auc_ovr_weighted": Formula(_PROBA, partial(ranking.roc_auc_ovr, by_size=True), True, probability.check_has_two_classes),
    "average_precision": Formula(_SCORES, ranking.average_precision, True, _check_ranks),
    "r2": _of_numbers(regression.r2),
    "explained_variance": _of_numbers(regression.explained_variance),
    "mean_absolute_error": _of_numbers(regression.mean_absolute_error),
    "mean_squared_error": _of_numbers(regression.mean_squared_error),
    "root_mean_squared_error": _of_numbers(regression.root_mean_squared_error),
}
"""By the name of the metric; each gives what scikit-learn's scorer of that name gives (tests hold them to 1e-12)."""
