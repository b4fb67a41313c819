"""Every pair of one family: its difference, its tests, its posterior and its verdict, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.bayesian.correlated_t import RopeProbabilities, posterior_of_moments
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.verdict import Codes, bayesian_verdict_codes, strongest_claim, verdict_codes
from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.corrected_t import ttest_of_moments
from tiebreak.frequentist.equivalence import claim_pvalues
from tiebreak.numerics import FloatArray, IntArray, Interval, divide, limit_tails, student_multiplier
from tiebreak.scores.differences import PairDifferences


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Columns of shape (n_pairs,), named as in the `pairs` frame; models are rows of the ranking, verdicts are codes.

    What follows from other columns by one multiplication is a property, so that the table of 1,000 models stays small.
    """

    first: IntArray
    second: IntArray
    n_splits: IntArray | int
    difference: FloatArray
    standard_error: FloatArray
    df: IntArray | int
    ratio: FloatArray | float
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    p_better: FloatArray
    p_equivalent: FloatArray
    p_worse: FloatArray
    claim: Codes
    claim_pvalue: FloatArray
    adjusted_claim_pvalue: FloatArray
    kind: Codes
    tolerance: FloatArray
    alpha: float
    probability: float

    @property
    def n_pairs(self) -> int:
        """Size of the family."""
        return int(self.first.size)

    @property
    def statistic(self) -> FloatArray:
        """Quotient difference / standard_error: nan for identical scores, infinite for a constant difference."""
        return divide(self.difference, self.standard_error)

    @property
    def interval(self) -> Interval:
        """Two-sided confidence interval of each difference at level 1 - alpha, in the metric's unit."""
        return self._interval(self.alpha)

    @property
    def simultaneous(self) -> Interval:
        """Intervals at level 1 - alpha / m: all m of them cover at once with probability at least 1 - alpha."""
        return self._interval(self.alpha / max(1, self.n_pairs))

    @property
    def verdict(self) -> Codes:
        """Codes of the claims that stand."""
        return verdict_codes(self.claim, self.adjusted_claim_pvalue, self.alpha)

    @property
    def bayesian_verdict(self) -> Codes:
        """Codes of the regions that hold enough of the posterior."""
        regions = RopeProbabilities(self.p_better, self.p_equivalent, self.p_worse)
        return bayesian_verdict_codes(regions, self.kind, self.probability)

    def rows_with(self, model: int) -> IntArray:
        """Positions of the pairs in which a row of the ranking takes part."""
        return np.flatnonzero((self.first == model) | (self.second == model))

    def row_of(self, first: int, second: int) -> int | None:
        """Position of a pair in this orientation, None where the family does not hold it so."""
        found = np.flatnonzero((self.first == first) & (self.second == second))
        return int(found[0]) if found.size else None

    def _interval(self, alpha: float) -> Interval:
        df = np.maximum(self.df, 1)
        values, position = np.unique(df, return_inverse=True)
        multiplier = student_multiplier(alpha, values)[position]
        half_width = np.where(self.standard_error > 0, multiplier * self.standard_error, np.nan)
        return Interval(self.difference - half_width, self.difference + half_width)


def judge_pairs(differences: PairDifferences, rope: float, settings: Settings) -> PairTable:
    """Tests, posterior and verdict of each pair, the p-values adjusted over all of them.

    Parameters
    ----------
    differences : PairDifferences
        The family.
    rope : float
        Half-width of practical equivalence, in the metric's unit.
    settings : Settings
    """
    moments, ratio = differences.moments, differences.ratio
    test = ttest_of_moments(moments, ratio, settings.alternative)
    tails = limit_tails(test.difference, test.standard_error, moments.df, rope)
    probabilities = posterior_of_moments(moments, ratio).regions(tails, rope)
    claim, claim_p = strongest_claim(claim_pvalues(test, tails, rope), test.difference, test.tolerance, moments.kind)
    return PairTable(
        first=differences.first,
        second=differences.second,
        n_splits=moments.n_splits,
        difference=test.difference,
        standard_error=test.standard_error,
        df=test.df,
        ratio=ratio,
        pvalue=test.pvalue,
        adjusted_pvalue=adjust_pvalues(test.pvalue, settings.correction),
        p_better=probabilities.better,
        p_equivalent=probabilities.equivalent,
        p_worse=probabilities.worse,
        claim=claim,
        claim_pvalue=claim_p,
        adjusted_claim_pvalue=adjust_pvalues(claim_p, settings.correction),
        kind=moments.kind,
        tolerance=moments.tolerance,
        alpha=settings.alpha,
        probability=settings.probability,
    )
