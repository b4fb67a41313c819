"""Gain of another doubling of the training data, judged by what the last two have brought."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError
from tiebreak.numerics import (
    FloatArray,
    check_differences,
    check_probability,
    check_ratio,
    check_rope,
    check_scale,
    plain,
    row_moments,
)
from tiebreak.numerics.law import Law
from tiebreak.statistics.splits import law_of_moments

ANSWERS: Final = ("cannot be told", "yes", "less than the rope on doubling")
"""Words for the codes of `DoublingGain.answer`."""

CANNOT_BE_TOLD, YES, LESS_THAN_ROPE = 0, 1, 2

KEPT: Final = 0.5
"""Share of a gain that the next doubling brings at the rate 1/n; see `doubling_gain`."""


@dataclass(frozen=True, slots=True)
class DoublingGain:
    """Bounds of the next gain, and the answer; arrays of the rows' shape.

    Attributes
    ----------
    last : Law
        Of the gain of the last doubling, from half of the data to all.
    low, high : ndarray
        Limits of the gain of the next doubling, in the metric's unit; nan where the last gain has no spread.
    answer : ndarray of int
        Positions in `ANSWERS`.
    kind : ndarray of int
        Of the last gain, as `numerics.SPREAD` and the others: why nothing can be told where it has no spread.
    n_splits : ndarray of int
        Splits that were used.
    """

    last: Law
    low: FloatArray
    high: FloatArray
    answer: NDArray[np.int8]
    kind: NDArray[np.int8]
    n_splits: NDArray[np.int64]


def doubling_gain(
    last: ArrayLike,
    previous: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    rope: float = 0.0,
    alpha: float = 0.05,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> DoublingGain:
    """Say whether twice the training data would bring more than the rope.

    Parameters
    ----------
    last : array_like of shape (..., n_splits)
        g2, the score with all n training examples minus that with n / 2, on each split; positive is a gain.
    previous : array_like of shape (..., n_splits)
        g1, the score with n / 2 minus that with n / 4, on the same splits.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean n_test / n_train of the splits, n_train being all training rows that a split has: what splits share does not grow
        when fewer of the rows are used.
    rope : float
        Smallest gain that matters, in the metric's unit.
    alpha : float
        1 - coverage of the two-sided intervals of which the limits are taken; so each answer is wrong at most alpha / 2 of the
        time where the curve is as assumed.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted; as in `corrected_t`.
    omit_missing : bool
        Leave out the splits where either gain is nan, instead of telling nothing.

    Returns
    -------
    DoublingGain

    Raises
    ------
    DataError
        Gains of different shapes.
        Fewer than two splits.

    Notes
    -----
    The next gain, g3 = score(2n) - score(n), is bounded by two properties of learning curves.

    From above: gains shrink, g3 <= g2. So an upper limit of g2 is one of g3, and "less than the rope on doubling" is said when
    it lies below the rope.

    From below: along a power law, score(n) = a - b n^-c, a gain is the one before times 2^-c, so that g3 = g2^2 / g1. For any
    number k, g2^2 / g1 >= 2 k g2 - k^2 g1, since (g2 - k g1)^2 >= 0: a lower bound that is linear in the gains, so that the
    t-test applies to it. With k = 1/2 it is g2 - g1 / 4, and exact for c = 1, the rate of the excess risk of a parametric
    model. As curves may flatten faster than they did (an offset, an exponential), the bound is taken to be half of the last
    gain at most. "Yes" is said when the lower limits of g2 - g1 / 4, of g2 / 2 and of g2 all lie above the rope: the claim that
    the smallest of them does has the level of each (intersection-union).

    A curve that rises in steps, or that dips where the number of examples meets the number of parameters, has other
    properties; no three points of a curve can tell.

    References
    ----------
    .. [VL23] T. Viering, M. Loog. The shape of learning curves: a review. IEEE Trans. PAMI 45, 2023 (power laws, and what is
       known of ill-behaved curves).
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003 (the variance).
    .. [B82] R. Berger. Multiparameter hypothesis testing and acceptance sampling. Technometrics 24, 1982 (intersection-union).

    Examples
    --------
    >>> gain = doubling_gain([0.05, 0.06, 0.04, 0.05], [0.10, 0.11, 0.09, 0.10], test_train_ratio=1 / 3, rope=0.001)
    >>> ANSWERS[gain.answer]
    'yes'
    """
    g2, g1 = check_differences(last), check_differences(previous)
    if g2.shape != g1.shape:
        raise DataError(f"the two gains must have the same shape; got {g2.shape} and {g1.shape}.")
    ratio, size = check_ratio(test_train_ratio, g2.shape[:-1]), check_scale(scale, g2.shape[:-1])
    rope, alpha = check_rope(rope), check_probability(alpha, "alpha")
    if omit_missing:
        g2 = np.where(np.isnan(g1), np.nan, g2)
    moments = [row_moments(each, size, omit_missing=omit_missing) for each in (g2, g2 - KEPT**2 * g1, KEPT * g2)]
    bounds = [law_of_moments(each, ratio) for each in moments]
    limits = [bound.interval_at(alpha) for bound in bounds]
    low = np.min([limit.low for limit in limits], axis=0)  # nan where any of them is
    high = np.asarray(limits[0].high)
    answer = np.where(low > rope, YES, np.where(high < rope, LESS_THAN_ROPE, CANNOT_BE_TOLD)).astype(np.int8)
    n_splits = np.asarray(moments[0].n_splits, dtype=np.int64)
    return DoublingGain(bounds[0], plain(low), plain(high), answer, moments[0].kind, n_splits)
