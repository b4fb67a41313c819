"""Means over splits with an interval that knows that the splits share training data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiebreak.frequentist import corrected_ttest
from tiebreak.numerics import FloatArray


class Average(NamedTuple):
    """A mean over splits; the fields of a curve are arrays.

    Attributes
    ----------
    mean : float or ndarray
        Over the splits on which it is defined; nan if there is none.
    low, high : float or ndarray
        Interval of the mean, corrected for shared training data [NB03]_; nan with fewer than two splits, or without spread.
    n_splits : int
        Splits on which it is defined.
    n_undefined : int
        Splits on which it is not.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    n_splits: int
    n_undefined: int


def average(values: FloatArray, ratio: float, alpha: float, *, low: float = -np.inf, high: float = np.inf) -> Average:
    """The mean over the last axis, of which nan in the first row tells the splits that are undefined.

    Parameters
    ----------
    values : ndarray of shape (..., n_splits)
    ratio : float
        Mean n_test / n_train.
    alpha : float
        1 - coverage.
    low, high : float
        Between which the quantity lies by definition; intervals are cut there.
    """
    defined = ~np.isnan(np.atleast_2d(values)[0])
    kept = values[..., defined]
    n = int(np.count_nonzero(defined))
    nothing = np.full(values.shape[:-1], np.nan)
    if n < 2:
        return Average(kept[..., 0] if n else nothing, nothing, nothing, n, defined.size - n)
    test = corrected_ttest(kept, test_train_ratio=ratio)
    interval = test.interval_at(alpha)
    ends = np.clip(interval.low, low, high), np.clip(interval.high, low, high)
    return Average(test.difference, *ends, n, defined.size - n)
