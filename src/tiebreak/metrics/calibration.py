"""The calibration curve: whether of the examples that were given 70 %, 70 % are positive."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.labels import Binary, check_binary
from tiebreak.numerics import FloatArray, IntArray, check_choice, check_count, check_probability
from tiebreak.result import Result
from tiebreak.statistics.rates import proportion_interval

Strategy = Literal["quantile", "uniform"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationCurve(Result):
    """Bins of examples of similar probability, and how many of them are positive.

    Attributes
    ----------
    positive : label
    predicted : ndarray of shape (n_bins,)
        Mean probability of the examples of each bin that holds any.
    observed : ndarray of shape (n_bins,)
        Share of them that are positive.
    count : ndarray of shape (n_bins,)
        How many they are.
    low, high : ndarray of shape (n_bins,)
        Wilson's interval of the share, at level 1 - alpha for each bin by itself.
    alpha : float
    brier_score : float
        Mean squared distance of the probabilities from what happened.
    calibration_error : float
        Mean distance of `observed` from `predicted`, each bin as often as it has examples.
    histogram : ndarray of shape (20,)
        How many probabilities lie in each twentieth from 0 to 1; 1 is in the last.
    n_copies : float
        How often each example was counted, once for each repeat; intervals count it once.
    reason : str
        Why it says little: all examples are of one class. "" where they are not.
    """

    positive: Any
    predicted: FloatArray
    observed: FloatArray
    count: IntArray
    low: FloatArray
    high: FloatArray
    alpha: float
    brier_score: float
    calibration_error: float
    histogram: IntArray
    n_copies: float = 1.0
    reason: str = ""


def calibration_curve(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    *,
    positive: Any = None,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    alpha: float = 0.05,
) -> CalibrationCurve:
    """Compare probabilities with what happened, in bins.

    Parameters
    ----------
    y_true : array_like of shape (n_examples,)
    probabilities : array_like of shape (n_examples,)
        Of the positive class.
    positive : label, optional
        1 if not given, for labels that are 0 and 1, -1 and 1, or False and True.
    n_bins : int, default 10
    strategy : {"quantile", "uniform"}
        Bins of about equally many examples, or of equal width.
    alpha : float, default 0.05
        1 - coverage of each bin's interval.

    Raises
    ------
    TiebreakError
        A probability outside 0 to 1, fewer than one bin, and what `roc_curve` refuses.

    Examples
    --------
    >>> curve = calibration_curve([0, 0, 1, 1], [0.2, 0.3, 0.7, 0.8], n_bins=2)
    >>> curve.predicted.tolist(), curve.observed.tolist()
    ([0.25, 0.75], [0.0, 1.0])
    """
    data = check_binary(y_true, probabilities, positive, name="probabilities")
    return curve_of(data, n_bins=n_bins, strategy=strategy, alpha=alpha)


def curve_of(
    data: Binary, *, n_bins: int = 10, strategy: Strategy = "quantile", alpha: float = 0.05, n_copies: float = 1.0
) -> CalibrationCurve:
    """The curve of examples of which each stands in the data so many times."""
    p, happened = data.scores, data.is_positive.astype(float)
    outside = (p < 0) | (p > 1)
    if np.any(outside):
        row = int(outside.argmax())
        raise InvalidParameterError(f"probabilities[{row}] is {p[row]:g}; probabilities lie between 0 and 1.")
    place = _bins(p, n_bins, strategy)
    everywhere = np.bincount(place)
    kept = np.flatnonzero(everywhere)
    count = everywhere[kept]
    predicted, observed = (np.asarray(np.bincount(place, values)[kept] / count) for values in (p, happened))
    n = count / n_copies
    low, high = proportion_interval(observed * n, n, level=1 - check_probability(alpha, "alpha"))
    return CalibrationCurve(
        data.positive,
        predicted,
        observed,
        count,
        low,
        high,
        alpha,
        float(np.mean((p - happened) ** 2)),
        float(np.average(np.abs(observed - predicted), weights=count)),
        np.histogram(p, bins=20, range=(0.0, 1.0))[0],
        n_copies,
        data.reason,
    )


def _bins(p: FloatArray, n_bins: Any, strategy: Strategy) -> IntArray:
    """The number of each example's bin, by scikit-learn's rule."""
    n_bins = check_count(n_bins, "n_bins")
    check_choice(strategy, get_args(Strategy), "strategy")
    steps = np.linspace(0, 1, n_bins + 1)
    edges = np.percentile(p, steps * 100) if strategy == "quantile" else steps
    return np.searchsorted(edges[1:-1], p)
