"""Every pair of one family: its difference, p-values, the one interval and the verdict that it gives, as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.bayesian.correlated_t import RopeProbabilities, region_probabilities
from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.comparison.verdict import (
    DISCRETE,
    MIRRORED,
    NONE,
    REASONS,
    UNDECIDED,
    UNSETTLED,
    VERDICTS,
    Codes,
    is_told_apart,
    verdict_codes,
)
from tiebreak.frequentist.adjustment import Correction, adjust_pvalues, interval_level
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

SIMULTANEOUS = ("bonferroni", "sidak")
"""Corrections whose level makes all intervals of the family cover at once; like "none" they need no p-values."""

MOST_KEPT = 500_000
"""Pairs up to which columns are kept once they are made; beyond, they are made anew, as 3,000 models would fill gigabytes."""

T = TypeVar("T")


def _kept(column: Callable[[PairTable], T]) -> Callable[[PairTable], T]:
    """A column that is made when it is first asked for, and kept if the family is not large."""

    @wraps(column)
    def made(table: PairTable) -> T:
        if column.__name__ in table.made:
            return table.made[column.__name__]  # type: ignore[no-any-return]
        values = column(table)
        if table.n_pairs <= MOST_KEPT:
            table.made[column.__name__] = values
        return values

    return made


class Against(NamedTuple):
    """Every model against one of them, oriented; arrays of shape (n_models,).

    The row of that model has difference 0, no interval, no verdict and no reason; so has a model whose pair is not in the
    family.
    """

    difference: FloatArray
    interval: Interval
    verdict: Codes
    reason: Codes


@dataclass(frozen=True, eq=False)
class PairTable:
    """Columns of shape (n_pairs,), named as in the `pairs` frame; models are rows of the ranking, verdicts and reasons are codes.

    Attributes
    ----------
    first, second : ndarray of int
        The family.
    differences : Differences
        Found by the procedure.
    rope : float
        Half-width of practical equivalence, in the unit of the differences.
    alpha : float
        Error rate of the family.
    correction : str
    alternative : str
        Of `pvalue`; verdicts do not depend on it.
    """

    first: IntArray
    second: IntArray
    differences: Differences
    rope: float
    alpha: float
    correction: Correction
    alternative: Alternative

    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

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

    @property
    @_kept
    def level(self) -> float:
        """The intervals are at 1 - this, one level for the whole family; from two-sided p-values whatever the alternative."""
        needs_none = self.correction in (*SIMULTANEOUS, "none")
        pvalue = np.broadcast_to(np.nan, self.first.shape) if needs_none else pvalue_of(self.differences, "two-sided")
        return interval_level(pvalue, self.correction, self.alpha)

    @property
    def is_simultaneous(self) -> bool:
        """True where all intervals cover at once with probability 1 - alpha, not only each by itself."""
        return self.correction in SIMULTANEOUS or self.n_pairs == 1

    @property
    @_kept
    def pvalue(self) -> FloatArray:
        """p-value of no difference at all."""
        return pvalue_of(self.differences, self.alternative)

    @property
    @_kept
    def adjusted_pvalue(self) -> FloatArray:
        """The p-values adjusted over the family."""
        return adjust_pvalues(self.pvalue, self.correction)

    @property
    @_kept
    def interval(self) -> Interval:
        """The interval of each difference, which decides its verdict; nan for a pair that has none."""
        return self.differences.interval(self.level)

    @property
    @_kept
    def verdict(self) -> Codes:
        """Codes of where the intervals lie."""
        return verdict_codes(self.interval, self.rope, self.differences.tolerance)

    @property
    @_kept
    def told_apart(self) -> Codes:
        """1 where the first is shown above the second, whatever the rope, -1 where below, else 0."""
        return is_told_apart(self.interval, self.differences.tolerance)

    @property
    @_kept
    def reason(self) -> Codes:
        """Codes of why a pair is undecided."""
        differences, (low, high) = self.differences, self.interval
        reason = differences.reasons(self.level)
        on_zero = np.minimum(np.abs(low), np.abs(high)) <= differences.tolerance
        if np.any(on_zero):
            on_zero &= pvalue_of(differences, "two-sided") <= self.level
        reason = np.where(reason, reason, np.where(on_zero, DISCRETE, UNSETTLED))
        return np.where(self.verdict == UNDECIDED, reason, 0).astype(np.int8)

    @property
    @_kept
    def probabilities(self) -> RopeProbabilities | None:
        """Posterior probabilities of the regions above, inside and below the rope, if there is a posterior; each pair's own."""
        d = self.differences
        if not d.is_posterior:
            return None
        low, high = d.tails(-self.rope), d.tails(self.rope)
        is_point = (d.kind != SPREAD) & (d.kind != UNDEFINED)
        return region_probabilities(
            LimitTails(low.below, low.above, high.below, high.above), self.rope, d.estimate, is_point, np.asarray(d.tolerance)
        )

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
        return frozenset(absent if d.is_posterior else absent.union(("p_better", "p_equivalent", "p_worse")))

    def rows_with(self, model: int) -> IntArray:
        """Positions of the pairs in which a row of the ranking takes part."""
        return np.flatnonzero((self.first == model) | (self.second == model))

    def row_of(self, first: int, second: int) -> int | None:
        """Position of a pair in this orientation, None where the family does not hold it so."""
        found = np.flatnonzero((self.first == first) & (self.second == second))
        return int(found[0]) if found.size else None

    def against(self, reference: int, n_models: int) -> Against:
        """Every model against one of them, whichever way round the pairs stand."""
        rows = self.rows_with(reference)
        model = np.where(self.first[rows] == reference, self.second[rows], self.first[rows])
        as_asked = self.first[rows] == model
        oriented = np.where(as_asked, 1.0, -1.0) * self.difference[rows]
        # models that tie stand in order of name, and rounding must not seem to rank them otherwise
        tolerance = np.broadcast_to(self.differences.tolerance, self.first.shape)[rows]
        oriented = np.where(np.abs(oriented) <= tolerance, 0.0, oriented)

        def of_models(values: NDArray[Any], elsewhere: float) -> NDArray[Any]:
            column = np.full(n_models, elsewhere, dtype=values.dtype)
            column[model] = values
            return column

        low, high = (end[rows] for end in self.interval)
        ends = np.where(as_asked, low, -high), np.where(as_asked, high, -low)
        verdict = self.verdict[rows]
        verdict = np.where(as_asked, verdict, MIRRORED[verdict]).astype(np.int8)
        return Against(
            of_models(oriented, 0.0),
            Interval(*(of_models(end, np.nan) for end in ends)),
            of_models(verdict, NONE),
            of_models(self.reason[rows], 0),
        )

    def row_values(self, row: int, mirrored: bool) -> dict[str, Any]:
        """One row as plain values, named as in the `pairs` frame; mirrored, the second model stands first."""
        d = self.differences
        sign = -1.0 if mirrored else 1.0

        def value(column: ArrayLike | None) -> float:
            return float("nan") if column is None else float(np.broadcast_to(column, self.first.shape)[row])

        low, high = sorted(sign * float(end[row]) + 0.0 for end in self.interval)  # + 0.0: no -0.0
        verdict = self.verdict[row]
        better, equivalent, worse = map(value, (None, None, None) if self.probabilities is None else self.probabilities)
        return {
            "n_units": int(value(d.n_units)),
            "difference": sign * value(d.estimate) + 0.0,
            "standard_error": value(d.standard_error),
            "df": float("nan") if d.df is None else int(value(d.df)),
            "statistic": sign * value(d.statistic) + 0.0,
            "pvalue": value(self.pvalue),
            "adjusted_pvalue": value(self.adjusted_pvalue),
            "level": self.level,
            "interval_low": low,
            "interval_high": high,
            "p_better": worse if mirrored else better,
            "p_equivalent": equivalent,
            "p_worse": better if mirrored else worse,
            "verdict": VERDICTS[MIRRORED[verdict] if mirrored else verdict],
            "reason": REASONS[self.reason[row]],
        }


def pvalue_of(differences: Differences, alternative: Alternative) -> FloatArray:
    """p-value of no difference, from the tails at 0; 1 for identical scores, nan for other pairs without spread."""
    if alternative == "two-sided":
        p = 2.0 * np.minimum(*differences.tails(0.0))
    else:
        p = differences.tail_below(0.0) if alternative == "greater" else differences.tail_above(0.0)
    p = np.clip(p, SMALLEST_PVALUE, 1.0)
    has_spread = differences.kind == SPREAD
    return p if np.all(has_spread) else np.where(has_spread, p, np.where(differences.kind == IDENTICAL, 1.0, np.nan))
