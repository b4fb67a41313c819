"""Words beside a verdict: its mirror, the pairs that are over, and the reasons why one is undecided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.numerics import FloatArray, Interval
from tiebreak.numerics.law import AHEAD, BEHIND, BETTER, EQUIVALENT, NONE, UNDECIDED, WORSE

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


def direction_of(interval: Interval, tolerance: FloatArray | float) -> Codes:
    """1 where the first of a pair is shown above the second, whatever the rope, -1 where below, 0 where neither is shown."""
    return (np.asarray(interval.low > tolerance, dtype=np.int8) - np.asarray(interval.high < -tolerance, dtype=np.int8)).astype(
        np.int8
    )
