"""Subset selection: the models that may be the best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.numerics import SPREAD, IntArray


def shortlist(
    first: IntArray, second: IntArray, differences: Differences, n_models: int, *, rope: float, alpha: float
) -> NDArray[np.bool_]:
    """Models that no other one is shown to beat by more than the rope.

    A model leaves when a one-sided test at alpha / (n_models - 1) shows it worse than some other by more than the rope. The
    truly best model can be lost only through one of its own n_models - 1 tests, so it stays with probability at least 1 - alpha.
    A pair without spread removes nobody. `first`, `second` and the differences are of all pairs of the models; the rope is in
    the metric's unit.

    References
    ----------
    .. [G65] S. Gupta. On some multiple decision (selection and ranking) rules. Technometrics 7, 1965.
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best.
       Annals of Statistics 12, 1984.
    """
    level = alpha / (n_models - 1)
    stays = np.ones(n_models, dtype=bool)
    has_spread = differences.kind == SPREAD
    stays[second[has_spread & (differences.tail_below(rope) <= level)]] = False
    stays[first[has_spread & (differences.tail_above(-rope) <= level)]] = False
    return stays
