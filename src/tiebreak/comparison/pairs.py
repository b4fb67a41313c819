"""Every pair of one family: its difference, its p-values, its posterior and its verdict, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.bayesian.correlated_t import RopeProbabilities, region_probabilities
from tiebreak.comparison.procedures.procedure import Differences, Tails
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.verdict import (
    CLAIMS,
    MIRRORED,
    REASONS,
    VERDICTS,
    Codes,
    bayesian_verdict_codes,
    strongest_claim,
    verdict_codes,
)
from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.equivalence import claim_pvalues
from tiebreak.numerics import (
    IDENTICAL,
    SMALLEST_PVALUE,
    SPREAD,
    UNDEFINED,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    LimitTails,
)


@dataclass(frozen=True, eq=False)
class PairTable:
    """Columns of shape (n_pairs,), named as in the `pairs` frame; models are rows of the ranking, verdicts are codes.

    `differences` are what the procedure found; `probabilities` are None where it gives no posterior.
    """

    first: IntArray
    second: IntArray
    differences: Differences
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    probabilities: RopeProbabilities | None
    claim: Codes
    claim_pvalue: FloatArray
    adjusted_claim_pvalue: FloatArray
    alpha: float
    probability: float

    @property
    def n_pairs(self) -> int:
        """Size of the family."""
        return int(self.first.size)

    @property
    def difference(self) -> FloatArray:
        """Estimate of each difference; positive favours the first."""
        return self.differences.estimate

    @property
    def kind(self) -> Codes:
        """Kind of each pair: whether its difference varies."""
        return self.differences.kind

    @cached_property
    def interval(self) -> Interval:
        """Two-sided confidence interval of each difference at level 1 - alpha."""
        return self.differences.interval(self.alpha)

    @cached_property
    def simultaneous(self) -> Interval:
        """Intervals at level 1 - alpha / m: all m of them cover at once with probability at least 1 - alpha."""
        return self.differences.interval(self.alpha / max(1, self.n_pairs))

    @property
    def verdict(self) -> Codes:
        """Codes of the claims that stand."""
        return verdict_codes(self.claim, self.adjusted_claim_pvalue, self.alpha)

    @property
    def bayesian_verdict(self) -> Codes | None:
        """Codes of the regions that hold enough of the posterior, if there is one."""
        if self.probabilities is None:
            return None
        return bayesian_verdict_codes(self.probabilities, self.kind, self.probability)

    @property
    def resolution(self) -> FloatArray:
        """Size of the uncertainty of each difference: its standard error, or a quarter of its interval where it has none."""
        if self.differences.standard_error is not None:
            return self.differences.standard_error
        return np.asarray((self.interval.high - self.interval.low) / 4.0)

    @property
    def absent(self) -> frozenset[str]:
        """Columns that the procedure cannot give."""
        d = self.differences
        optional = {"standard_error": d.standard_error, "df": d.df, "statistic": d.statistic}
        absent = {name for name, column in optional.items() if column is None}
        no_posterior = ("p_better", "p_equivalent", "p_worse", "bayesian_verdict")
        return frozenset(absent if self.probabilities is not None else absent.union(no_posterior))

    def rows_with(self, model: int) -> IntArray:
        """Positions of the pairs in which a row of the ranking takes part."""
        return np.flatnonzero((self.first == model) | (self.second == model))

    def row_of(self, first: int, second: int) -> int | None:
        """Position of a pair in this orientation, None where the family does not hold it so."""
        found = np.flatnonzero((self.first == first) & (self.second == second))
        return int(found[0]) if found.size else None

    def row_values(self, row: int, mirrored: bool) -> dict[str, Any]:
        """One row as plain values, named as in the `pairs` frame; mirrored, the second model stands first."""
        d = self.differences
        sign = -1.0 if mirrored else 1.0

        def value(column: ArrayLike | None) -> float:
            return float("nan") if column is None else float(np.broadcast_to(column, self.first.shape)[row])

        def ends(interval: Interval) -> list[float]:
            return sorted(sign * float(end[row]) + 0.0 for end in interval)  # + 0.0: no -0.0

        def code(codes: Codes) -> int:
            return int(MIRRORED[codes[row]] if mirrored else codes[row])

        interval, simultaneous = ends(self.interval), ends(self.simultaneous)
        probabilities = (None, None, None) if self.probabilities is None else self.probabilities
        better, equivalent, worse = map(value, probabilities)
        bayesian = self.bayesian_verdict
        return {
            "n_splits": int(value(d.n_units)),
            "difference": sign * value(d.estimate) + 0.0,
            "standard_error": value(d.standard_error),
            "df": float("nan") if d.df is None else int(value(d.df)),
            "statistic": sign * value(d.statistic) + 0.0,
            "pvalue": value(self.pvalue),
            "adjusted_pvalue": value(self.adjusted_pvalue),
            "interval_low": interval[0],
            "interval_high": interval[1],
            "simultaneous_low": simultaneous[0],
            "simultaneous_high": simultaneous[1],
            "p_better": worse if mirrored else better,
            "p_equivalent": equivalent,
            "p_worse": better if mirrored else worse,
            "claim": CLAIMS[code(self.claim)],
            "claim_pvalue": value(self.claim_pvalue),
            "adjusted_claim_pvalue": value(self.adjusted_claim_pvalue),
            "verdict": VERDICTS[code(self.verdict)],
            "bayesian_verdict": "" if bayesian is None else VERDICTS[code(bayesian)],
            "reason": REASONS[self.kind[row]],
        }


def judge_pairs(first: IntArray, second: IntArray, differences: Differences, rope: float, settings: Settings) -> PairTable:
    """P-values, posterior and verdict of each pair, the p-values adjusted over all of them.

    `first` and `second` are the family, as rows of the ranking; the rope is the half-width of practical equivalence, in the unit
    of the differences.
    """
    at_zero = differences.tails(0.0)
    low, high = (at_zero, at_zero) if rope == 0.0 else (differences.tails(-rope), differences.tails(rope))
    tails = LimitTails(low.below, low.above, high.below, high.above)
    estimate, tolerance, kind = differences.estimate, np.asarray(differences.tolerance), differences.kind
    probabilities = None
    if differences.is_posterior:
        is_point = (kind != SPREAD) & (kind != UNDEFINED)
        probabilities = region_probabilities(tails, rope, estimate, is_point, tolerance)
    claim, claim_p = strongest_claim(claim_pvalues(tails, rope, kind == SPREAD), estimate, tolerance, kind)
    pvalue = pvalue_of(at_zero, kind, settings.alternative)
    return PairTable(
        first=first,
        second=second,
        differences=differences,
        pvalue=pvalue,
        adjusted_pvalue=adjust_pvalues(pvalue, settings.correction),
        probabilities=probabilities,
        claim=claim,
        claim_pvalue=claim_p,
        adjusted_claim_pvalue=adjust_pvalues(claim_p, settings.correction),
        alpha=settings.alpha,
        probability=settings.probability,
    )


def pvalue_of(at_zero: Tails, kind: Codes, alternative: Alternative) -> FloatArray:
    """p-value of no difference, from the tails at 0; 1 for identical scores, nan for other pairs without spread."""
    if alternative == "two-sided":
        p = 2.0 * np.minimum(at_zero.below, at_zero.above)
    else:
        p = at_zero.below if alternative == "greater" else at_zero.above
    p = np.clip(p, SMALLEST_PVALUE, 1.0)
    has_spread = kind == SPREAD
    return p if np.all(has_spread) else np.where(has_spread, p, np.where(kind == IDENTICAL, 1.0, np.nan))
