"""Parts of a loss: bias, from what a model gets wrong on average, and variance, from its training set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidOutputsError
from tiebreak.numerics import FloatArray


class SquaredParts(NamedTuple):
    """Parts of the mean squared error, for each test example; ``loss = bias + variance`` exactly.

    Attributes
    ----------
    loss : ndarray of shape (n_test,)
        Mean over the training sets.
    bias : ndarray of shape (n_test,)
        Squared difference of the mean prediction to the target; the noise of the target is in it.
    variance : ndarray of shape (n_test,)
        Of the predictions about their mean.
    """

    loss: FloatArray
    bias: FloatArray
    variance: FloatArray


class ZeroOneParts(NamedTuple):
    """Parts of the error rate, for each test example; ``loss = bias + unbiased - biased`` exactly.

    Attributes
    ----------
    loss : ndarray of shape (n_test,)
        Share of the training sets after which the example is misclassified.
    bias : ndarray of shape (n_test,)
        1 where the main prediction is wrong, else 0.
    unbiased : ndarray of shape (n_test,)
        Where the main prediction is right: how often a prediction departs from it, which costs.
    biased : ndarray of shape (n_test,)
        Where the main prediction is wrong: how often a prediction is right all the same, which helps.
    """

    loss: FloatArray
    bias: FloatArray
    unbiased: FloatArray
    biased: FloatArray

    @property
    def variance(self) -> FloatArray:
        """Net variance: what it costs less what it helps."""
        return self.unbiased - self.biased


def squared_parts(predictions: ArrayLike, target: ArrayLike) -> SquaredParts:
    """Bias and variance of the squared loss.

    Parameters
    ----------
    predictions : array_like of shape (n_training_sets, n_test)
    target : array_like of shape (n_test,)

    Notes
    -----
    The variance comes out too small and the squared bias too large, each by about the variance / n_training_sets.

    References
    ----------
    .. [GBD92] S. Geman, E. Bienenstock, R. Doursat. Neural networks and the bias/variance dilemma. Neural Computation 4, 1992.
    """
    answers, truth = _checked(predictions, target)
    f, y = answers.astype(float), truth.astype(float)
    mean = f.mean(axis=0)
    return SquaredParts(np.square(f - y).mean(axis=0), np.square(mean - y), np.square(f - mean).mean(axis=0))


def zero_one_parts(predictions: ArrayLike, target: ArrayLike) -> ZeroOneParts:
    """Bias and variance of the 0-1 loss, after Domingos, without noise: the labels are taken to be right.

    Parameters
    ----------
    predictions : array_like of shape (n_training_sets, n_test)
        Labels; the main prediction of an example is the most frequent one, of equally frequent ones the first in sorted order.
    target : array_like of shape (n_test,)

    References
    ----------
    .. [D00] P. Domingos. A unified bias-variance decomposition and its applications. ICML 2000, theorem 2 and its extension to
       several classes.
    """
    f, y = _checked(predictions, target)
    labels = np.unique(f)
    main = labels[np.argmax([(f == label).sum(axis=0) for label in labels], axis=0)]
    is_biased = main != y
    right, departs = (f == y).mean(axis=0), (f != main).mean(axis=0)
    return ZeroOneParts(
        (f != y).mean(axis=0), is_biased.astype(float), np.where(is_biased, 0.0, departs), np.where(is_biased, right, 0.0)
    )


def _checked(predictions: ArrayLike, target: ArrayLike) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    f, y = np.asarray(predictions), np.asarray(target)
    if f.ndim != 2 or f.shape[1:] != y.shape or f.size == 0:
        raise InvalidOutputsError(
            f"predictions must have shape (n_training_sets, n_test), one row for each training set, and target shape (n_test,); "
            f"got {f.shape} and {y.shape}."
        )
    return f, y
