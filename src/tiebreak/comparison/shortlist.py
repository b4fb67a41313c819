"""Which models may be the best: subset selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.frequentist.corrected_t import ttest_of_moments
from tiebreak.frequentist.equivalence import superiority_pvalue
from tiebreak.scores.differences import PairDifferences


def shortlist(differences: PairDifferences, n_models: int, *, rope: float, alpha: float) -> NDArray[np.bool_]:
    """Models that no other one is shown to beat by more than the rope.

    A model leaves when a one-sided test at alpha / (n_models - 1) shows it worse than some other by more than the rope. The
    truly best model can be lost only through one of its own n_models - 1 tests, so it stays with probability at least
    1 - alpha. A pair without spread removes nobody.

    Parameters
    ----------
    differences : PairDifferences
        All pairs of the models.
    n_models : int
    rope : float
        In the metric's unit.
    alpha : float

    Returns
    -------
    ndarray of bool, shape (n_models,)

    References
    ----------
    .. [G65] S. Gupta. On some multiple decision (selection and ranking) rules. Technometrics 7, 1965.
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best.
       Annals of Statistics 12, 1984.
    """
    level = alpha / (n_models - 1)
    test = ttest_of_moments(differences.moments, differences.ratio, "two-sided")
    stays = np.ones(n_models, dtype=bool)
    stays[differences.second[superiority_pvalue(test, rope) <= level]] = False
    stays[differences.first[superiority_pvalue(test.mirrored(), rope) <= level]] = False
    return stays
