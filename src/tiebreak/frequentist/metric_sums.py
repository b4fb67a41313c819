"""Metrics of predicted classes and numbers as functions of sums over examples, for the bootstrap and for permutations.

F1, balanced accuracy and the like are no means of scores of single examples, but functions of how many examples each class has,
how often it is predicted, and how often rightly. So a resample is a matrix product with sparse columns, whatever the number of
classes, and examples on which two models changed places move sums from one to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist.bootstrap import MetricOfSums
from tiebreak.numerics import FloatArray, divide, floats

T = TypeVar("T")
PerClass = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


def _precision(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    return _share(hits, predicted)


def _recall(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    return _share(hits, actual)


def _f1(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    return _share(2.0 * hits, predicted + actual)


def _jaccard(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    return _share(hits, predicted + actual - hits)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotient; 0 where there is nothing to be a share of, as in scikit-learn."""
    return np.where(whole > 0, divide(part, np.where(whole > 0, whole, 1.0)), 0.0)


def _of_positive(per_class: PerClass, hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    return np.asarray(per_class(hits, predicted, actual)[..., -1])


def _macro(per_class: PerClass, hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    """Mean over the classes that some example has or is predicted to have."""
    present = (predicted + actual > 0).sum(axis=-1)
    return divide(per_class(hits, predicted, actual).sum(axis=-1), present)


def _weighted(per_class: PerClass, hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    """Mean over the classes, each as often as examples have it."""
    return divide((per_class(hits, predicted, actual) * actual).sum(axis=-1), actual.sum(axis=-1))


def _micro(per_class: PerClass, hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    """Share in the counts of all classes together."""
    return np.asarray(per_class(*(counts.sum(axis=-1) for counts in (hits, predicted, actual))))


def _balanced_accuracy(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    """Mean recall of the classes that some example has."""
    return divide(_recall(hits, predicted, actual).sum(axis=-1), (actual > 0).sum(axis=-1))


def _matthews(hits: FloatArray, predicted: FloatArray, actual: FloatArray) -> FloatArray:
    """Correlation of true and predicted classes, for any number of them; 0 where either is constant [G04]_."""
    n = actual.sum(axis=-1)
    both = n * hits.sum(axis=-1) - (predicted * actual).sum(axis=-1)
    own = (n**2 - np.square(counts).sum(axis=-1) for counts in (predicted, actual))
    return _share(both, np.sqrt(np.multiply(*own)))


_PER_CLASS: dict[str, PerClass] = {"precision": _precision, "recall": _recall, "f1": _f1, "jaccard": _jaccard}
_AVERAGES = {"": _of_positive, "_macro": _macro, "_micro": _micro, "_weighted": _weighted}

METRICS_OF_CLASSES: dict[str, PerClass] = {
    "balanced_accuracy": _balanced_accuracy,
    "matthews_corrcoef": _matthews,
    **{
        name + suffix: partial(average, per_class)
        for name, per_class in _PER_CLASS.items()
        for suffix, average in _AVERAGES.items()
    },
}
"""By scikit-learn's names; "f1", "precision", "recall" and "jaccard" are of the last of two classes."""


def _root(sums: FloatArray) -> FloatArray:
    n, _, squares, *_ = np.moveaxis(sums, -1, 0)
    return np.sqrt(divide(squares, n))


def _r2(sums: FloatArray) -> FloatArray:
    n, _, squares, y, yy = np.moveaxis(sums, -1, 0)
    return 1.0 - divide(squares, yy - y * y / n)


def _explained_variance(sums: FloatArray) -> FloatArray:
    n, errors, squares, y, yy = np.moveaxis(sums, -1, 0)
    return 1.0 - divide(squares - errors * errors / n, yy - y * y / n)


METRICS_OF_NUMBERS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "root_mean_squared_error": _root,
    "r2": _r2,
    "explained_variance": _explained_variance,
}
"""By scikit-learn's names, of the sums of 1, error, squared error, target and squared target."""


def metric_of_classes(actual: ArrayLike, predicted: ArrayLike, metric: str) -> MetricOfSums:
    """A metric of predicted classes, for `bootstrap_metric` and `permutation_test_metric`.

    Parameters
    ----------
    actual : array_like of int, of shape (n_examples,)
        Classes as numbers 0, 1, ...; of two classes 1 is the positive one.
    predicted : array_like of int, of shape (..., n_examples)
        Those that each model predicts.
    metric : str
        Of `METRICS_OF_CLASSES`: "f1", "precision", "recall", "jaccard", alone or with "_macro", "_micro" or "_weighted",
        "balanced_accuracy" or "matthews_corrcoef". Undefined shares are 0, as in scikit-learn.

    Returns
    -------
    MetricOfSums

    References
    ----------
    .. [G04] J. Gorodkin. Comparing two K-category assignments by a K-category correlation coefficient. Computational Biology
       and Chemistry 28, 2004.

    Examples
    --------
    >>> import tiebreak as tb
    >>> f1 = tb.frequentist.metric_of_classes([0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 0, 0], "f1")
    >>> round(tb.frequentist.bootstrap_metric(f1, n_resamples=999, resampling="random").estimate, 3)
    0.667
    """
    from scipy.sparse import csr_array

    function = _named(METRICS_OF_CLASSES, metric)
    truth, rows = floats(actual, "actual"), floats(predicted, "predicted")
    if truth.ndim != 1 or not truth.size or rows.shape[-1:] != truth.shape:
        raise InvalidScoresError(f"actual has the shape {truth.shape} and predicted {rows.shape}; one class for each example.")
    for name, each in (("actual", truth), ("predicted", rows)):
        wrong = ~(np.isfinite(each) & (each == np.rint(each)) & (each >= 0))
        if wrong.any():
            raise InvalidScoresError(f"{name} must be numbers of classes: 0, 1 and so on; it holds {each[wrong][0]:g}.")
    actual_class, flat = truth.astype(np.int64), rows.reshape(-1, truth.size).astype(np.int64)
    n_classes = int(max(actual_class.max(), flat.max(), 1)) + 1
    if metric in _PER_CLASS and n_classes > 2:
        raise InvalidScoresError(
            f"{metric} is of the positive one of two classes, and there are {n_classes}. Take {metric}_macro or another mean."
        )
    n, n_models = actual_class.size, len(flat)
    example = np.arange(n)
    places, owners = [], []
    for model, own in enumerate(flat):  # of each model: hits, predictions and examples of each class
        start, right = 3 * n_classes * model, np.flatnonzero(own == actual_class)
        places += [start + actual_class[right], start + n_classes + own, start + 2 * n_classes + actual_class]
        owners += [right, example, example]
    at = (np.concatenate(owners), np.concatenate(places))
    columns = csr_array((np.ones(at[0].size), at), shape=(n, 3 * n_classes * n_models))

    def of_sums(sums: FloatArray) -> FloatArray:
        counts = sums.reshape((*sums.shape[:-1], 3, n_classes))
        return function(counts[..., 0, :], counts[..., 1, :], counts[..., 2, :])

    return MetricOfSums(columns, of_sums, rows.shape[:-1], actual_class)


def metric_of_numbers(actual: ArrayLike, predicted: ArrayLike, metric: str) -> MetricOfSums:
    """A metric of predicted numbers, for `bootstrap_metric` and `permutation_test_metric`.

    Parameters
    ----------
    actual : array_like of shape (n_examples,)
    predicted : array_like of shape (..., n_examples)
    metric : {"root_mean_squared_error", "r2", "explained_variance"}
    """
    function = _named(METRICS_OF_NUMBERS, metric)
    truth, rows = floats(actual, "actual"), floats(predicted, "predicted")
    if truth.ndim != 1 or not truth.size or rows.shape[-1:] != truth.shape:
        raise InvalidScoresError(f"actual has the shape {truth.shape} and predicted {rows.shape}; one number for each example.")
    if not (np.isfinite(truth).all() and np.isfinite(rows).all()):
        raise InvalidScoresError("numbers must be finite; leave out examples that have none.")
    error, y = rows - truth, np.broadcast_to(truth - truth.mean(), rows.shape)  # about their mean, so that few digits cancel
    columns = np.stack([np.ones(rows.shape), error, error**2, y, y**2], axis=-1)
    return MetricOfSums(np.moveaxis(columns, -2, 0).reshape(truth.size, -1), function, rows.shape[:-1])


def _named(known: Mapping[str, T], metric: str) -> T:
    if metric not in known:
        raise InvalidParameterError(f"unknown metric {metric!r}; choose one of {', '.join(map(repr, known))}.", about="metric")
    return known[metric]
