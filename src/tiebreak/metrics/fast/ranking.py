"""Metrics of the order in which a model puts the rows: areas under the ROC and the precision-recall curve."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from tiebreak.metrics.fast.classification import positive_position
from tiebreak.metrics.targets import (
    Array,
    Truth,
    UndefinedScore,
    class_columns,
    numbers,
    positive_column,
    raise_for_unusable,
    values_of_rows,
)


def roc_auc(truth: Truth, answer: Array, model_classes: Array | None, method: str) -> float:
    """Share of pairs, one row of the second class and one of the first, that are in the right order; ties count half."""
    check_two_classes(truth)
    return _roc_area_of(truth, scores_of_class(1, truth, answer, method, model_classes), 1, method)


def roc_auc_ovr(truth: Truth, proba: Array, model_classes: Array | None, method: str, *, by_size: bool = False) -> float:
    """Mean area under the ROC curves of each class against the others, over the classes or the rows' classes (`by_size`)."""
    n_classes = truth.known_labels.classes.size
    if n_classes <= 2:
        return roc_auc(truth, proba, model_classes, method)
    columns = class_columns(proba, truth, model_classes, method)
    _check_columns(columns, method)
    sizes = truth.counts.tolist() if by_size else [1] * n_classes
    _check_present(truth, by_size=by_size)
    areas = [_roc_area_of(truth, columns[:, c], c, method) * size for c, size in enumerate(sizes) if size]
    return float(sum(areas) / sum(sizes))


def average_precision(truth: Truth, answer: Array, model_classes: Array | None, method: str) -> float:
    """Mean, over the rows of the positive class, of the precision at the row's score; of more classes, the mean of all.

    The positive class of two is the label 1. It is 0 without rows of the positive class, as scikit-learn has it.
    """
    if truth.known_labels.classes.size <= 2:
        position = positive_position(truth)
        return _mean_precision_of(truth, scores_of_class(position, truth, answer, method, model_classes), position, method)
    columns = class_columns(answer, truth, model_classes, method)
    _check_present(truth)
    values = [_mean_precision_of(truth, column, c, method) for c, column in enumerate(columns.T)]
    return sum(values) / len(values)


def roc_area(positive: Array, negative: Array) -> float:
    """Area under the ROC curve, ``P(positive > negative) + P(equal) / 2`` over all pairs, of scores in ascending order."""
    few, many = (positive, negative) if positive.size <= negative.size else (negative, positive)
    place = many.searchsorted(few)
    below = int(np.add.reduce(place))
    if few.size < _MANY:
        not_above = int(np.add.reduce(many.searchsorted(few, "right")))
    else:  # of many scores few are tied, and only those need the other side
        tied = many.take(place, mode="clip") == few
        not_above = below + int(np.add.reduce(many.searchsorted(few[tied], "right") - place[tied]))
    n_pairs = few.size * many.size
    twice = below + not_above if few is positive else 2 * n_pairs - below - not_above
    return twice / (2 * n_pairs)


_MANY = 10_000
"""Scores from which looking for ties first is quicker."""


def mean_precision(positive: Array, negative: Array) -> float:
    """Average precision of scores in ascending order; those that are equal enter together."""
    if not positive.size:
        return 0.0
    true = positive.size - positive.searchsorted(positive)
    false = negative.size - negative.searchsorted(positive)
    return float(np.add.reduce(true / (true + false))) / positive.size


def check_two_classes(truth: Truth) -> None:
    """Check that there are two classes, whose order is asked for; else the metric is undefined."""
    n_classes = truth.known_labels.classes.size
    if n_classes != 2:
        raise UndefinedScore(f"it is for two classes, and there {'is' if n_classes == 1 else 'are'} {n_classes}")


def scores_of_class(position: int, truth: Truth, answer: Array, method: str, model_classes: Array | None) -> Array:
    """Score of the class at `position` for each row: against the other of two, or against the rest.

    `model_classes` are those that the columns of the method's answer belong to; None takes them to be the dataset's.
    """
    if truth.known_labels.classes.size > 2:
        return class_columns(answer, truth, model_classes, method)[:, position]
    if method == "predict_proba":
        return positive_column(answer, truth, model_classes, position)
    decision = numbers(values_of_rows(answer, truth, method))
    return decision if position == 1 else -decision


def _apply(
    area: Callable[[Array, Array], float], truth: Truth, scores: Array, position: int, method: str, *, needs_both: bool = False
) -> float:
    """An area, of the sorted scores of one class and those of the others."""
    own, others = truth.sides(position)
    if needs_both and not (own.size and others.size):
        raise UndefinedScore("only one class in the test rows")
    positive, negative = scores.take(own), scores.take(others)
    positive.sort()
    negative.sort()
    for part in (positive, negative):  # nan is sorted to the end
        if part.size and not (math.isfinite(part[0]) and math.isfinite(part[-1])):
            raise_for_unusable(part, method)
    return area(positive, negative)


_roc_area_of = partial(_apply, roc_area, needs_both=True)
_mean_precision_of = partial(_apply, mean_precision)


def _check_columns(columns: Array, method: str) -> None:
    """Probabilities that can be compared between rows."""
    if np.count_nonzero(np.isfinite(columns)) != columns.size:
        raise_for_unusable(columns, method)
    sums = np.add.reduce(columns, axis=1)
    if np.count_nonzero(np.abs(1 - sums) > 1e-8 + 1e-5 * sums):  # scikit-learn's tolerance, that of np.allclose
        raise UndefinedScore(f"{method} has rows that do not sum to one")


def _check_present(truth: Truth, *, by_size: bool = False) -> None:
    """Each class against the others needs rows of each."""
    if np.count_nonzero(truth.counts) == 1:
        raise UndefinedScore("only one class in the test rows")
    if not by_size and not np.all(truth.counts):
        absent = truth.known_labels.classes.tolist()[int(np.argmin(truth.counts))]
        raise UndefinedScore(f"no test row is of class {absent!r}")
