"""Where one ROC curve is above another: curves that cross are each better for other costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from tiebreak.numerics import FloatArray

Higher = Literal["first", "second", "neither"]
Line = tuple[FloatArray, FloatArray]
"""False positive rates, ascending, and the true positive rates at them; vertical steps are two points of one rate."""

_EQUAL = 1e-12


class RocRegion(NamedTuple):
    """A range of false positive rates, and which of two curves is higher in it.

    Attributes
    ----------
    low, high : float
        False positive rates.
    better : {"first", "second", "neither"}
    """

    low: float
    high: float
    better: Higher


def regions_of_curves(first: Line, second: Line) -> tuple[RocRegion, ...]:
    """The regions of two curves, from a false positive rate of 0 to 1, adjacent ones different.

    Parameters
    ----------
    first, second : tuple of ndarray
        Rates from 0 to 1, joined by straight lines.

    Returns
    -------
    tuple of RocRegion
        Empty where a rate is nan.
    """
    if any(np.isnan(rates).any() for line in (first, second) for rates in line):
        return ()
    regions: list[RocRegion] = []
    for low, high, sign in _pieces(first, second):
        better: Higher = "first" if sign > 0 else "second" if sign < 0 else "neither"
        if regions and regions[-1].better == better:
            regions[-1] = regions[-1]._replace(high=high)
        else:
            regions.append(RocRegion(low, high, better))
    return tuple(regions)


def _pieces(first: Line, second: Line) -> Iterator[tuple[float, float, float]]:
    """Ranges between neighbouring points of either curve, cut where the straight lines cross: ends and sign of the difference."""
    x = np.union1d(first[0], second[0])
    at_left = _right_of(first, x[:-1]) - _right_of(second, x[:-1])
    at_right = _left_of(first, x[1:]) - _left_of(second, x[1:])
    ends = (np.where(np.abs(each) <= _EQUAL, 0.0, each).tolist() for each in (at_left, at_right))
    for low, high, left, right in zip(x[:-1].tolist(), x[1:].tolist(), *ends, strict=True):
        if left * right < 0:
            crossing = low + (high - low) * left / (left - right)
            yield low, crossing, left
            yield crossing, high, right
        else:
            yield low, high, left + right


def _right_of(line: Line, x: FloatArray) -> FloatArray:
    """The line just to the right of x: its upper end where it is vertical."""
    return np.asarray(np.interp(x, *line))


def _left_of(line: Line, x: FloatArray) -> FloatArray:
    """The line just to the left of x."""
    return np.asarray(np.interp(-x, -line[0][::-1], line[1][::-1]))
