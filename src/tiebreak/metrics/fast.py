"""The metrics that are computed from what a model said, without asking it again, faster than scikit-learn's scorers.

Of labels they need three counts for each class: its rows, its predictions, and where both agree. Of the probabilities of two
classes only that of the second counts, and that of the first is what is left; the arithmetic is that of their own precision.
"""

import math
import warnings
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError
from tiebreak.metrics.targets import (
    Array,
    Codes,
    Truth,
    UndefinedScore,
    class_columns,
    numbers,
    one_column,
    raise_for_unusable,
)
from tiebreak.numerics import FloatArray, divide
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.influence import METRICS_OF_CLASSES, PER_CLASS

ByRow = Callable[[Truth, Array], Array]
"""Values of the rows, of the truth and an answer; their mean is the metric."""

Area = Callable[[Array, Array], float]
"""Area of the scores of a class and of those of all others, both in ascending order."""

# --- predicted labels ---------------------------------------------------------------------------------------------------


def of_positive(name: str, truth: Truth, predicted: Array, *_: object) -> float:
    """Precision, recall or F1 of the positive class, which is the label 1, of at most two."""
    position = positive_position(truth)
    return float(PER_CLASS[name](*count_labels(truth, predicted))[position])


def of_labels(name: str, truth: Truth, predicted: Array, *_: object) -> float:
    """A metric of `METRICS_OF_CLASSES`, of all labels that these rows have or were predicted to have."""
    return float(METRICS_OF_CLASSES[name](*count_labels(truth, predicted)))


def hits(truth: Truth, predicted: Array) -> Array:
    """True for each row whose label was predicted."""
    return np.asarray(truth.code == _found(truth, predicted))


def positive_position(truth: Truth) -> int:
    """Position of the positive class where there are at most two, as scikit-learn has it: that of the label 1."""
    labels: list[Any] = truth.labels.tolist()
    if len(labels) > 2:
        raise UndefinedScore(f"it is for two classes, and there are {len(labels)}")
    if 1 not in labels:
        raise UndefinedScore(
            f"its positive class is the label 1, and the labels are {quoted(labels)}; make the positive class 1 and the other 0"
        )
    return labels.index(1)


# --- counting ---------------------------------------------------------------------------------------------------------------


def count_labels(truth: Truth, predicted: Array) -> tuple[FloatArray, ...]:
    """By label how many rows were recognised, were predicted and are there: the classes in order, then labels that are none."""
    code = _found(truth, predicted)
    n = max(truth.labels.size, int(code.max(initial=0)) + 1)
    return tuple(np.bincount(each, minlength=n).astype(float) for each in (code[code == truth.code], code, truth.code))


def _found(truth: Truth, predicted: Array) -> Codes:
    """Positions of the predicted labels; those that are no class are numbered on."""
    code, labels = truth.find(predicted), truth.labels.tolist()
    is_strange = code < 0
    if not is_strange.any():
        return code
    strange = one_column(predicted)[is_strange].tolist()
    number = {label: len(labels) + k for k, label in enumerate(dict.fromkeys(strange))}
    for label in number:  # wrong predictions, unless they are no labels
        if isinstance(label, float) and not math.isfinite(label):
            raise UndefinedScore("nan in predict" if math.isnan(label) else "an infinite number in predict")
        is_fraction = isinstance(label, float) and not label.is_integer()
        if is_fraction or (label is not None and isinstance(label, str) is not isinstance(labels[0], str)):
            raise DataError(
                f"predict returned {label!r}, and the labels are {quoted(labels)}. A model of classes has to predict labels; "
                "numbers on a scale have to be turned into labels first."
            )
    code[is_strange] = [number[label] for label in strange]
    return code


# --- predicted probabilities ------------------------------------------------------------------------------------------------


_EPS = {np.dtype(kind): float(np.finfo(kind).eps) for kind in (np.float32, np.float64)}


def log_losses(truth: Truth, proba: Array) -> Array:
    """``-log(probability of the true class)`` of each row, the probability kept `eps` of its precision away from 0 and 1."""
    told = _probabilities(truth, proba)[np.arange(truth.code.size), truth.code]
    eps = _EPS[told.dtype]
    return np.asarray(-np.log(np.minimum(np.maximum(told, eps), 1 - eps)))


def squared_distances(truth: Truth, proba: Array) -> Array:
    """Squared distance of the probabilities from the truth, of each row: of the second of two classes, else summed over all."""
    errors = np.array(_probabilities(truth, proba))
    errors[np.arange(truth.code.size), truth.code] -= 1
    return np.asarray(np.add.reduce(errors * errors, axis=1) * (0.5 if truth.labels.size == 2 else 1.0))


def count_classes(truth: Truth) -> int:
    """Number of classes of the target; undefined for one, of which probabilities say nothing."""
    n_classes = truth.labels.size
    if n_classes < 2:
        raise UndefinedScore("the target has only one class")
    return n_classes


def _probabilities(truth: Truth, proba: Array) -> Array:
    """Those of the classes as floats, a column for each; of more than two with scikit-learn's warning, in our words."""
    is_of_two, columns = count_classes(truth) == 2, class_columns(proba, truth, "predict_proba")
    columns = columns[:, 1] if is_of_two else columns
    if columns.dtype not in _EPS:
        columns = columns.astype(float)
    if np.count_nonzero((columns >= 0) & (columns <= 1)) != columns.size:
        raise_for_unusable(columns, "predict_proba")
        raise UndefinedScore(f"predict_proba is not between 0 and 1, but from {columns.min():.17g} to {columns.max():.17g}")
    if is_of_two:
        return np.array([1 - columns, columns]).T
    if np.count_nonzero(np.abs(np.add.reduce(columns, axis=1) - 1) > np.sqrt(_EPS[columns.dtype])):
        warnings.warn("predict_proba has rows that do not sum to one; they are scored as they are.", UserWarning, stacklevel=2)
    return columns


# --- the order of the rows --------------------------------------------------------------------------------------------------


def roc_auc(truth: Truth, answer: Array, method: str) -> float:
    """Share of pairs, one row of the second class and one of the first, that are in the right order; ties count half."""
    check_two_classes(truth)
    # one number for each row, as a decision function answers, is of the second class
    scores = numbers(answer) if answer.ndim == 1 else class_columns(answer, truth, method)[:, 1]
    if np.count_nonzero(truth.counts) < 2:
        raise UndefinedScore(_ONE_CLASS)
    return _of_order(roc_area, truth, scores, 1, method)


def roc_auc_ovr(truth: Truth, proba: Array, method: str, *, by_size: bool = False) -> float:
    """Mean area under the ROC curves of each class against the others, over the classes or the rows' classes (`by_size`)."""
    if truth.labels.size <= 2:
        return roc_auc(truth, proba, method)
    columns = class_columns(proba, truth, method)
    if np.count_nonzero(np.isfinite(columns)) != columns.size:
        raise_for_unusable(columns, method)
    sums = np.add.reduce(columns, axis=1)
    if np.count_nonzero(np.abs(1 - sums) > 1e-8 + 1e-5 * sums):  # scikit-learn's tolerance, that of np.allclose
        raise UndefinedScore(f"{method} has rows that do not sum to one")
    return _mean_over_classes(roc_area, truth, columns, method, by_size=by_size)


def average_precision(truth: Truth, answer: Array, method: str) -> float:
    """Mean, over the rows of the positive class, of the precision at the row's score; of more classes, the mean of all.

    The positive class of two is the label 1. It is 0 without rows of the positive class, as scikit-learn has it.
    """
    if truth.labels.size <= 2:
        position = positive_position(truth)
        return _of_order(mean_precision, truth, class_columns(answer, truth, method)[:, position], position, method)
    return _mean_over_classes(mean_precision, truth, class_columns(answer, truth, method), method)


def _mean_over_classes(area: Area, truth: Truth, columns: Array, method: str, *, by_size: bool = False) -> float:
    """Mean of an area of each class against the others, which needs rows of each, or by how many rows it has."""
    if np.count_nonzero(truth.counts) == 1:
        raise UndefinedScore(_ONE_CLASS)
    if not by_size and not np.all(truth.counts):
        absent = truth.labels.tolist()[int(np.argmin(truth.counts))]
        raise UndefinedScore(f"no test row is of class {absent!r}")
    sizes = truth.counts.tolist() if by_size else [1] * truth.counts.size
    areas = [_of_order(area, truth, columns[:, c], c, method) * size for c, size in enumerate(sizes) if size]
    return float(sum(areas) / sum(sizes))


def roc_area(positive: Array, negative: Array) -> float:
    """Area under the ROC curve, ``P(positive > negative) + P(equal) / 2`` over all pairs, of scores in ascending order."""
    few, many = (positive, negative) if positive.size <= negative.size else (negative, positive)
    place = many.searchsorted(few)
    tied = many.take(place, mode="clip") == few  # often few are, and only those need the other side
    below = int(np.add.reduce(place))
    not_above = below + int(np.add.reduce(many.searchsorted(few[tied], "right") - place[tied]))
    n_pairs = few.size * many.size
    twice = below + not_above if few is positive else 2 * n_pairs - below - not_above
    return twice / (2 * n_pairs)


def mean_precision(positive: Array, negative: Array) -> float:
    """Average precision of scores in ascending order; those that are equal enter together."""
    if not positive.size:
        return 0.0
    true = positive.size - positive.searchsorted(positive)
    false = negative.size - negative.searchsorted(positive)
    return float(np.add.reduce(true / (true + false))) / positive.size


def check_two_classes(truth: Truth) -> None:
    """Check that there are two classes, whose order is asked for; else the metric is undefined."""
    n_classes = truth.labels.size
    if n_classes != 2:
        raise UndefinedScore(f"it is for two classes, and there {'is' if n_classes == 1 else 'are'} {n_classes}")


def _of_order(area: Area, truth: Truth, scores: Array, position: int, method: str) -> float:
    """Area of the scores of one class and of those of all others."""
    sides = [scores.take(rows) for rows in truth.sides(position)]
    for part in sides:
        part.sort()  # nan to the end
        if part.size and not (math.isfinite(part[0]) and math.isfinite(part[-1])):
            raise_for_unusable(part, method)
    return area(*sides)


_ONE_CLASS = "only one class in the test rows"


# --- predicted numbers ------------------------------------------------------------------------------------------------------


def absolute_errors(truth: Truth, predicted: Array) -> Any:
    """``|y - predicted|`` of each row, and output."""
    return np.abs(_errors(truth, predicted))


def squared_errors(truth: Truth, predicted: Array) -> Any:
    """``(y - predicted)**2`` of each row, and output."""
    errors = _errors(truth, predicted)
    return errors * errors


def r2(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of the spread of y that the predictions explain; 1 where they are perfect, else 0 where y has no spread."""
    squares = np.add.reduce(squared_errors(truth, predicted))
    if len(truth.values) < 2:
        raise UndefinedScore("fewer than two test rows")
    return _explained(squares, truth, predicted)


def explained_variance(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of the variance that is explained, errors taken about their mean, so that a constant error costs nothing."""
    errors = _errors(truth, predicted)
    _finite_mean(np.add.reduce(errors * errors), truth, predicted)  # an infinite one must not meet the mean
    return _explained(_squares_about_mean(errors), truth, predicted)


def _explained(squares: Any, truth: Truth, predicted: Array) -> float:
    """``1 - squares / spread``, mean over the outputs."""
    _finite_mean(squares, truth, predicted)
    spread = _squares_about_mean(np.asarray(truth.values, dtype=float))
    if np.ndim(squares) == 0 and squares and spread:  # which is most of the time, and several times as fast
        return float(1 - squares / spread)
    return float(np.mean(np.where(squares == 0, 1.0, np.where(spread == 0, 0.0, 1 - divide(squares, spread)))))


def _squares_about_mean(values: Array) -> Any:
    """Sum of squared distances from the mean, of each output."""
    deviation = values - np.add.reduce(values) / len(values)
    return np.add.reduce(deviation * deviation)


def check_numbers(truth: Truth) -> None:
    """Check that the target holds numbers, which errors need; else the metric is undefined."""
    if truth.values.dtype.kind not in "biuf":
        raise UndefinedScore(f"it is for numbers, and the target holds {truth.values.reshape(-1)[:1].tolist()[0]!r}")


def _errors(truth: Truth, predicted: Array) -> Any:
    """Errors of the predictions, as floats of shape (n_rows,) or (n_rows, n_outputs)."""
    predicted = numbers(predicted)
    values = truth.values
    if values.dtype.kind != "f":
        check_numbers(truth)
        values = values.astype(float)
    if predicted.size != values.size:
        raise DataError(f"predict returned an array of shape {predicted.shape} for a target of shape {values.shape}.")
    return values - (predicted if predicted.shape == values.shape else predicted.reshape(values.shape))


def _finite_mean(values: Any, truth: Truth, predicted: Array) -> float:
    """Mean over the outputs."""
    mean = float(values) if np.ndim(values) == 0 else float(np.mean(values))
    if not math.isfinite(mean):
        raise_for_unusable(numbers(predicted), "predict")
        raise_for_unusable(np.asarray(truth.values, dtype=float), "the target")
        raise UndefinedScore("the errors are too large for a float")
    return mean


# --- table of all -----------------------------------------------------------------------------------------------------------


class Formula(NamedTuple):
    """Computation of a metric.

    Attributes
    ----------
    needs : tuple of str
        Methods of which it takes an answer, the preferred one first.
    compute : callable
        Of the truth, an answer, and the method that gave it, which most do not ask for.
    is_of_classes : bool
        Whether the target is labels; else it is numbers.
    check : callable
        Raises `UndefinedScore` where the metric has no value whatever the rows and the model.
    for_more : tuple of str
        What to use for more than two classes, where this one is for two.
    by_row : callable or None
        Of the truth and an answer: values by row, of which the metric is the mean.
    """

    needs: tuple[str, ...]
    compute: Callable[[Truth, Array, str], float]
    is_of_classes: bool
    check: Callable[[Truth], object]
    for_more: tuple[str, ...] = ()
    by_row: Any = None


def _mean_of(by_row: ByRow, truth: Truth, answer: Array, *_: object, root: bool = False) -> float:
    """Mean over the rows, or its square root, and over the outputs."""
    means = np.add.reduce(by_row(truth, answer)) / len(truth.values)
    return _finite_mean(np.sqrt(means) if root else means, truth, answer)


_PREDICT, _PROBA, _SCORES = ("predict",), ("predict_proba",), ("decision_function", "predict_proba")

_of_labels = partial(Formula, _PREDICT, is_of_classes=True, check=attrgetter("labels"))
_of_numbers = partial(Formula, _PREDICT, is_of_classes=False, check=check_numbers)
_of_proba = partial(Formula, _PROBA, is_of_classes=True, check=count_classes)

_BY_LABEL = ("f1", "precision", "recall")

FORMULAS: dict[str, Formula] = {
    **{name: _of_labels(partial(_mean_of, hits), by_row=hits) for name in ("accuracy", *(f"{each}_micro" for each in _BY_LABEL))},
    **{
        name: Formula(
            _PREDICT,
            partial(of_positive, name),
            True,
            positive_position,
            (f"{name}_macro", f"{name}_micro", f"{name}_weighted"),
        )
        for name in _BY_LABEL
    },
    **{
        name: _of_labels(partial(of_labels, name))
        for name in (
            "balanced_accuracy",
            "matthews_corrcoef",
            *(f"{each}_{average}" for each in _BY_LABEL for average in ("macro", "weighted")),
        )
    },
    "log_loss": _of_proba(partial(_mean_of, log_losses), by_row=log_losses),
    "brier_score": _of_proba(partial(_mean_of, squared_distances), by_row=squared_distances),
    "roc_auc": Formula(_SCORES, roc_auc, True, check_two_classes, ("roc_auc_ovr", "roc_auc_ovr_weighted")),
    "roc_auc_ovr": _of_proba(roc_auc_ovr),
    "roc_auc_ovr_weighted": _of_proba(partial(roc_auc_ovr, by_size=True)),
    "average_precision": Formula(
        _SCORES, average_precision, True, lambda truth: truth.labels.size > 2 or positive_position(truth)
    ),
    "mean_absolute_error": _of_numbers(partial(_mean_of, absolute_errors), by_row=absolute_errors),
    "mean_squared_error": _of_numbers(partial(_mean_of, squared_errors), by_row=squared_errors),
    "root_mean_squared_error": _of_numbers(partial(_mean_of, squared_errors, root=True)),
    "r2": _of_numbers(r2),
    "explained_variance": _of_numbers(explained_variance),
}
"""By the name of the metric; each gives what scikit-learn's scorer of that name gives (tests hold them to 1e-12)."""
