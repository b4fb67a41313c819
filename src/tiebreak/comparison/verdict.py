"""From p-values and probabilities to words: the claim about a pair, and whether it stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.bayesian.correlated_t import RopeProbabilities
from tiebreak.frequentist.equivalence import ClaimPvalues
from tiebreak.numerics import SPREAD, FloatArray

VERDICTS = ("undecided", "better", "equivalent", "worse")
"""Names of verdict codes."""

CLAIMS = ("", "better", "equivalent", "worse")
"""Names of claim codes; a pair without spread has no claim."""

REASONS = ("", "identical-scores", "no-spread", "missing-splits")
"""Why a row is undefined, in the order of numerics.SPREAD, IDENTICAL, CONSTANT, UNDEFINED."""

NONE, BETTER, EQUIVALENT, WORSE = 0, 1, 2, 3
MIRRORED = np.array([NONE, WORSE, EQUIVALENT, BETTER], dtype=np.int8)
"""The code of a verdict or claim when first and second change places."""

Codes = NDArray[np.int8]


def strongest_claim(
    pvalues: ClaimPvalues, difference: FloatArray, tolerance: FloatArray, kind: Codes
) -> tuple[Codes, FloatArray]:
    """The claim with the smallest p-value, and that p-value; ties go to the sign of the difference, then to equivalent.

    All have shape (n_pairs,). A difference within the tolerance, in the metric's unit, has no sign; only pairs of kind SPREAD
    have a claim, and the p-value is nan where there is none.
    """
    better, equivalent, worse = pvalues
    smallest = np.fmin(np.fmin(better, worse), equivalent)
    limit = smallest * (1.0 + 1e-12)  # p-values of 1 differ in the last digit, and must tie whatever the unit
    code = np.where(equivalent <= limit, EQUIVALENT, np.where(better <= limit, BETTER, WORSE))
    code = np.where((worse <= limit) & (difference < -tolerance), WORSE, code)
    code = np.where((better <= limit) & (difference > tolerance), BETTER, code)
    has_claim = kind == SPREAD
    return np.where(has_claim, code, NONE).astype(np.int8), np.where(has_claim, smallest, np.nan)


def verdict_codes(claim: Codes, adjusted_claim_pvalue: FloatArray, alpha: float) -> Codes:
    """The claim where its adjusted p-value is at most alpha, else undecided."""
    return np.where(adjusted_claim_pvalue <= alpha, claim, NONE).astype(np.int8)  # nan is not <= alpha


def bayesian_verdict_codes(probabilities: RopeProbabilities, kind: Codes, probability: float) -> Codes:
    """The region that holds at least `probability` of the posterior, which must vary; else undecided."""
    code = np.full(kind.shape, NONE, dtype=np.int8)
    for region, name in zip(probabilities, (BETTER, EQUIVALENT, WORSE), strict=True):
        code[(region >= probability) & (kind == SPREAD)] = name
    return code
