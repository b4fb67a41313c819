"""The .632 and .632+ estimates of an error rate, from the error on the training data and on what bootstrap samples left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import FloatArray, divide, plain


class Error632(NamedTuple):
    """Estimates of an error rate (Efron and Tibshirani 1997); arrays over models, or single numbers.

    Attributes
    ----------
    err_632 : ndarray or float
        Too low for a model that learns its training data by heart.
    err_632_plus : ndarray or float
    weight : ndarray or float
        Of the out-of-bag error in `err_632_plus`, 0.632 to 1.
    relative_overfitting : ndarray or float
        0 for none, 1 where the model does on new data as if labels meant nothing.
    """

    err_632: FloatArray
    err_632_plus: FloatArray
    weight: FloatArray
    relative_overfitting: FloatArray


def error_632(error_train: ArrayLike, error_oob: ArrayLike, no_information_rate: ArrayLike) -> Error632:
    """Correct the error on bootstrap samples' training data by that on the examples that they left out.

    There is no interval: both are estimates of one number, and nothing here compares models.

    Parameters
    ----------
    error_train : array_like
        Error of the model fitted on all examples, on these.
    error_oob : array_like
        Mean error on the examples that a bootstrap sample left out, of models fitted on the samples.
    no_information_rate : array_like
        Error of the predictions if they had nothing to do with the labels; `tiebreak.metrics.no_information_rate`.

    Returns
    -------
    Error632

    Raises
    ------
    InvalidScoresError
        Errors that are negative or not finite.

    Notes
    -----
    The out-of-bag error counts at most as the no-information rate, and no overfitting is seen where it is below the training
    error.

    References
    ----------
    .. [ET97] B. Efron, R. Tibshirani. Improvements on cross-validation: the .632+ bootstrap method. Journal of the American
       Statistical Association 92, 1997.

    Examples
    --------
    >>> [round(value, 3) for value in error_632(0.05, 0.18, 0.48)]
    [0.132, 0.142, 0.711, 0.302]
    """
    train, oob, chance = np.broadcast_arrays(*(np.asarray(each, float) for each in (error_train, error_oob, no_information_rate)))
    for values in (train, oob, chance):
        if not np.isfinite(values).all() or (values < 0).any():
            raise InvalidScoresError(f"errors must be finite and not negative; got {values[()]}.")
    clipped = np.minimum(oob, chance)
    overfits = (clipped > train) & (chance > train)
    relative = np.where(overfits, np.clip(divide(clipped - train, chance - train), 0.0, 1.0), 0.0)
    weight = 0.632 / (1 - 0.368 * relative)
    plus = (1 - weight) * train + weight * clipped
    return Error632(plain(0.368 * train + 0.632 * oob), plain(plus), plain(weight), plain(relative))
