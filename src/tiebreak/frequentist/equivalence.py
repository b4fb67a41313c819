"""One-sided questions about a mean difference and a rope: superiority, equivalence (TOST), non-inferiority."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.frequentist.corrected_t import TTestResult
from tiebreak.numerics import SMALLEST_PVALUE, FloatArray, check_rope, plain


def superiority_pvalue(result: TTestResult, rope: float = 0.0) -> FloatArray:
    """One-sided p-value of "the difference is at most rope"; small when the first model is better by more than that.

    Parameters
    ----------
    result : TTestResult
        Test of the differences, first model minus second.
    rope : float
        Half-width of practical equivalence, in the metric's unit, not negative.

    Returns
    -------
    ndarray
        nan in a row without spread.
    """
    return _where_spread(result.student.tail_below(check_rope(rope)), result.standard_error > 0)


def noninferiority_pvalue(result: TTestResult, rope: float = 0.0) -> FloatArray:
    """One-sided p-value of "the difference is at most -rope"; small when the first model is not worse by more than rope.

    At rope 0 this is superiority. Parameters and result as in `superiority_pvalue`.

    References
    ----------
    .. [W10] S. Wellek. Testing Statistical Hypotheses of Equivalence and Noninferiority. 2nd ed., 2010, chapter 2.
    """
    return _where_spread(result.student.tail_below(-check_rope(rope)), result.standard_error > 0)


def equivalence_pvalue(result: TTestResult, rope: float) -> FloatArray:
    """Two one-sided tests: the larger p-value of "difference <= -rope" and "difference >= rope"; 1 at rope 0.

    Parameters and result as in `superiority_pvalue`.

    References
    ----------
    .. [S87] D. Schuirmann. A comparison of the two one-sided tests procedure and the power approach for assessing the
       equivalence of average bioavailability. J. Pharmacokinetics and Biopharmaceutics 15, 1987.
    """
    below_low, above_high = result.student.tail_below(-check_rope(rope)), result.student.tail_above(rope)
    pvalue = np.ones_like(below_low) if rope == 0.0 else np.maximum(below_low, above_high)
    return _where_spread(pvalue, result.standard_error > 0)


def _where_spread(pvalue: FloatArray, has_spread: NDArray[np.bool_]) -> FloatArray:
    pvalue = np.maximum(pvalue, SMALLEST_PVALUE)
    return plain(pvalue if np.all(has_spread) else np.where(has_spread, pvalue, np.nan))
