"""From an interval to a word: where the interval of a pair lies is the verdict on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.numerics import FloatArray, Interval

VERDICTS = ("", "better", "ahead", "equivalent", "undecided", "behind", "worse")
"""Names of verdict codes; "" stands for none, as of a pair outside the family."""

NONE, BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE = range(7)

OVER = (BETTER, WORSE, EQUIVALENT)
"""Verdicts with which a pair is over: further data could only blur them."""

MIRRORED = np.array([NONE, WORSE, BEHIND, EQUIVALENT, UNDECIDED, AHEAD, BETTER], dtype=np.int8)
"""The code of a verdict when first and second change places."""

REASONS = (
    "",
    "identical-scores",
    "no-spread",
    "missing-splits",
    "too-few-units",
    "too-few-draws",
    "discrete",
    "unsettled",
)
"""Why a pair is undecided, "" where it is not; the first four in the order of numerics.SPREAD, IDENTICAL, CONSTANT, UNDEFINED."""

TOO_FEW_UNITS, TOO_FEW_DRAWS, DISCRETE, UNSETTLED = 4, 5, 6, 7

Codes = NDArray[np.int8]


def verdict_codes(interval: Interval, rope: float, tolerance: FloatArray | float) -> Codes:
    """Code of the place of each interval [L, H]; undecided where there is none.

    better if L > rope, worse if H < -rope, equivalent if it lies within [-rope, rope] and the rope is not 0, ahead if L > 0,
    behind if H < 0, tested in this order; ends within the tolerance of a limit are on it.

    Parameters
    ----------
    interval : Interval
        Arrays of shape (n_pairs,), nan for a pair without one.
    rope : float
        Half-width of practical equivalence, in the unit of the differences.
    tolerance : ndarray or float
        Size of rounding noise, 1e-12 of the largest |score|.

    References
    ----------
    .. [K18] J. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in Methods and Practices in
       Psychological Science 1, 2018.
    """
    low, high = interval
    outer = rope + tolerance
    conditions = [low > outer, high < -outer, (low >= -outer) & (high <= outer) & (rope > 0), low > tolerance, high < -tolerance]
    return np.select(conditions, [BETTER, WORSE, EQUIVALENT, AHEAD, BEHIND], UNDECIDED).astype(np.int8)


def direction_of(interval: Interval, tolerance: FloatArray | float) -> Codes:
    """1 where the first of a pair is shown above the second, whatever the rope, -1 where below, 0 where neither is shown."""
    return (np.asarray(interval.low > tolerance, dtype=np.int8) - np.asarray(interval.high < -tolerance, dtype=np.int8)).astype(
        np.int8
    )
