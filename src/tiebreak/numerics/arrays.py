"""Types of arrays, and arithmetic on them that never warns."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Alternative = Literal["two-sided", "greater", "less"]
Missing = Literal["raise", "pairwise"]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer]

SMALLEST_PVALUE = 5e-324
"""A p-value is never 0: where it is smaller than any float, it is the smallest one."""


class Interval(NamedTuple):
    """Lower and upper end, in the unit of the quantity; floats for a single row."""

    low: FloatArray
    high: FloatArray


def plain(values: FloatArray) -> FloatArray:
    """A single number as a Python float, which prints as one; anything else as it is."""
    return float(values) if np.ndim(values) == 0 else values  # type: ignore[return-value]


def divide(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Quotient without warnings: 0/0 is nan; x/0, and what is too large for a float, is infinite with the sign of x."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.divide(np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)))
