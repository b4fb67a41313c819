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
    check_length,
    class_columns,
    numbers,
    positive_column,
    raise_for_overflow,
    raise_for_unusable,
    values_of_rows,
)
from tiebreak.numerics import FloatArray
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.influence import METRICS_OF_CLASSES, PER_CLASS

# --- predicted labels ---------------------------------------------------------------------------------------------------


def of_positive(name: str, truth: Truth, predicted: Array, *_: object) -> float:
    """Precision, recall or F1 of the positive class, which is the label 1, of at most two."""
    position = positive_position(truth)
    return float(PER_CLASS[name](*count_labels(truth, predicted))[position])


def of_labels(name: str, truth: Truth, predicted: Array, *_: object) -> float:
    """A metric of `METRICS_OF_CLASSES`, of all labels that these rows have or were predicted to have."""
    return float(METRICS_OF_CLASSES[name](*count_labels(truth, predicted)))


def accuracy(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of rows whose label was predicted; also what precision, recall and F1 are when all labels are pooled."""
    predicted = values_of_rows(predicted, truth, "predict")
    kind, own_kind = predicted.dtype.kind, truth.values.dtype.kind
    if (kind in "biu" and own_kind in "biu") or kind == own_kind == "U":
        return float(np.count_nonzero(truth.values == predicted) / truth.n_rows)
    return float(np.count_nonzero(truth.known_code == _find(truth, predicted)) / truth.n_rows)


def positive_position(truth: Truth) -> int:
    """Position of the positive class where there are at most two, as scikit-learn has it: that of the label 1."""
    labels = truth.known_labels
    if labels.classes.size > 2:
        raise UndefinedScore(f"it is for two classes, and there are {labels.classes.size}")
    if labels.one is None:
        raise UndefinedScore(
            f"its positive class is the label 1, and the labels are {quoted(labels.classes.tolist())}; "
            "make the positive class 1 and the other 0"
        )
    return labels.one


# --- counting ---------------------------------------------------------------------------------------------------------------


def count_labels(truth: Truth, predicted: Array) -> tuple[FloatArray, ...]:
    """By label how many rows were recognised, were predicted and are there: the classes in order, then labels that are none."""
    code, own_code = _find(truth, values_of_rows(predicted, truth, "predict")), truth.known_code
    n = max(truth.known_labels.classes.size, int(code.max(initial=0)) + 1)
    return tuple(np.bincount(each, minlength=n).astype(float) for each in (own_code[own_code == code], code, own_code))


def _find(truth: Truth, predicted: Array) -> Codes:
    """Positions of the predicted labels; those that are no class are numbered on."""
    code, is_strange = truth.known_labels.find(predicted)
    if is_strange is None:
        return code
    strange, classes = predicted[is_strange].tolist(), truth.known_labels.classes
    number = {label: classes.size + k for k, label in enumerate(dict.fromkeys(strange))}
    is_text = isinstance(classes.flat[0], str)
    for label in number:  # wrong predictions, unless they are no labels
        if isinstance(label, float) and not math.isfinite(label):
            raise UndefinedScore("nan in predict" if math.isnan(label) else "an infinite number in predict")
        is_fraction = isinstance(label, float) and not label.is_integer()
        if is_fraction or (label is not None and isinstance(label, str) is not is_text):
            raise DataError(
                f"predict returned {label!r}, and the labels are {quoted(classes.tolist())}. A model of classes has to "
                "predict labels; numbers on a scale have to be turned into labels first."
            )
    code[is_strange] = [number[label] for label in strange]
    return code


# --- predicted probabilities ------------------------------------------------------------------------------------------------


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


# --- the order of the rows --------------------------------------------------------------------------------------------------


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
    if np.count_nonzero(np.isfinite(columns)) != columns.size:
        raise_for_unusable(columns, method)
    sums = np.add.reduce(columns, axis=1)
    if np.count_nonzero(np.abs(1 - sums) > 1e-8 + 1e-5 * sums):  # scikit-learn's tolerance, that of np.allclose
        raise UndefinedScore(f"{method} has rows that do not sum to one")
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


def _check_present(truth: Truth, *, by_size: bool = False) -> None:
    """Each class against the others needs rows of each."""
    if np.count_nonzero(truth.counts) == 1:
        raise UndefinedScore("only one class in the test rows")
    if not by_size and not np.all(truth.counts):
        absent = truth.known_labels.classes.tolist()[int(np.argmin(truth.counts))]
        raise UndefinedScore(f"no test row is of class {absent!r}")


# --- predicted numbers ------------------------------------------------------------------------------------------------------


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
        positive_position(truth)


_of_labels = partial(Formula, _PREDICT, is_of_classes=True, check=attrgetter("known_labels"))
_of_numbers = partial(Formula, _PREDICT, is_of_classes=False, check=check_numbers)
_of_proba = partial(Formula, _PROBA, is_of_classes=True, check=count_classes)

_BY_LABEL = ("f1", "precision", "recall")

FORMULAS: dict[str, Formula] = {
    "accuracy": _of_labels(accuracy),
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
    **{f"{name}_micro": _of_labels(accuracy) for name in _BY_LABEL},
    **{
        name: _of_labels(partial(of_labels, name))
        for name in (
            "balanced_accuracy",
            "matthews_corrcoef",
            *(f"{each}_{average}" for each in _BY_LABEL for average in ("macro", "weighted")),
        )
    },
    "log_loss": _of_proba(log_loss),
    "brier_score": _of_proba(brier_score),
    "roc_auc": Formula(_SCORES, roc_auc, True, check_two_classes, ("roc_auc_ovr", "roc_auc_ovr_weighted")),
    "roc_auc_ovr": _of_proba(roc_auc_ovr),
    "roc_auc_ovr_weighted": _of_proba(partial(roc_auc_ovr, by_size=True)),
    "average_precision": Formula(_SCORES, average_precision, True, _check_ranks),
    "r2": _of_numbers(r2),
    "explained_variance": _of_numbers(explained_variance),
    "mean_absolute_error": _of_numbers(mean_absolute_error),
    "mean_squared_error": _of_numbers(mean_squared_error),
    "root_mean_squared_error": _of_numbers(root_mean_squared_error),
}
"""By the name of the metric; each gives what scikit-learn's scorer of that name gives (tests hold them to 1e-12)."""
