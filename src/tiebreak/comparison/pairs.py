"""Every pair that is compared: its difference, p-values, the one interval and the verdict that it gives, as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.best import Relation, best_alpha, points_up, shown_above
from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.comparison.verdict import DISCRETE, MIRRORED, REASONS, UNSETTLED, Codes, direction_of
from tiebreak.numerics import (
    SPREAD,
    UNDEFINED,
    FloatArray,
    IntArray,
    Interval,
)
from tiebreak.numerics.law import (
    AHEAD,
    BEHIND,
    BETTER,
    EQUIVALENT,
    NONE,
    UNDECIDED,
    VERDICTS,
    WORSE,
    RopeProbabilities,
    region_probabilities,
    verdict_codes,
)
from tiebreak.statistics.family import Correction, adjust_pvalues, adjust_single_step, shared_alpha

SINGLE_STEP = ("bonferroni", "none")
"""Corrections whose level does not depend on the p-values, nor an adjusted p-value on the others."""

MOST_KEPT = 500_000
"""Pairs up to which columns are kept once they are made; beyond, they are made anew, as 3,000 models would fill gigabytes."""

MOST_RESOLVED = 400
"""Pairs that tell the typical width of intervals, where all would take long."""

T = TypeVar("T")


def _kept(column: Callable[[PairTable], T]) -> Callable[[PairTable], T]:
    """A column that is made when it is first asked for, and kept if the family is not large."""

    @wraps(column)
    def kept(table: PairTable) -> T:
        if column.__name__ in table.cache:
            return table.cache[column.__name__]  # type: ignore[no-any-return]
        values = column(table)
        if table.n_pairs <= MOST_KEPT or isinstance(values, float):
            table.cache[column.__name__] = values
        return values

    return kept


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
    family : {"pairs", "baseline", "best"}
        Questions that are judged together. Those of "best" are asked of models, not of pairs: a pair then stands outside the
        family, with its own 1 - alpha interval, and neither a verdict nor an adjusted p-value.
    """

    first: IntArray
    second: IntArray
    differences: Differences
    rope: float
    alpha: float
    correction: Correction
    family: Literal["pairs", "baseline", "best"] = "pairs"

    cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_pairs(self) -> int:
        """Size of the family."""
        return int(self.first.size)

    @property
    def is_family(self) -> bool:
        """True where the pairs are judged together."""
        return self.family != "best"

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
    def interval_alpha(self) -> float:
        """1 - coverage of the intervals, one for the whole family; from the p-values.

        Of pairs outside the family `alpha` itself.
        """
        if not self.is_family:
            return self.alpha
        needs_none = self.correction in SINGLE_STEP
        pvalue = np.broadcast_to(np.nan, self.first.shape) if needs_none else self.pvalue
        return shared_alpha(pvalue, self.correction, self.alpha)

    def bound_alpha(self, n_models: int) -> float:
        """Alpha of the one-sided bounds from which models are ranked: those of the intervals, or of comparisons with the best."""
        return self.interval_alpha / 2.0 if self.is_family else best_alpha(self.alpha, n_models)

    def shown_above(self, n_models: int) -> Relation:
        """Relation of the models: True in row j, column i where j is shown above i, whatever the rope."""
        if "above" not in self.cache:
            self.cache["above"] = self._shown_above(n_models)
        above: Relation = self.cache["above"]
        return above

    def _shown_above(self, n_models: int) -> Relation:
        if not self.is_family:
            return shown_above(self.first, self.second, self.differences, n_models, self.bound_alpha(n_models))
        above = np.zeros((n_models, n_models), dtype=bool)
        for part in self.blocks():
            above[part.first, part.second], above[part.second, part.first] = part.shown_direction > 0, part.shown_direction < 0
        return above

    @property
    def follows_order(self) -> bool:
        """True where no model is shown above one that stands before it."""
        if not self.is_family:
            return not points_up(self.shown_above(int(max(self.first.max(), self.second.max())) + 1))
        d = self.differences
        if "shown_direction" not in self.cache and not d.is_posterior:
            oriented = np.where(self.first < self.second, d.estimate, 0.0 - d.estimate)
            if np.all(oriented >= 0):  # intervals hold the estimate, and their ends may take long to find
                return True
        return not any(
            np.any(np.where(part.first < part.second, part.shown_direction, -part.shown_direction) < 0) for part in self.blocks()
        )

    @property
    def is_simultaneous(self) -> bool:
        """True where all intervals cover at once with probability 1 - alpha, not only each by itself."""
        if self.n_pairs == 1 or not self.is_family:
            return self.is_family
        return self.correction == "bonferroni" and self.differences.has_coverage

    @property
    @_kept
    def pvalue(self) -> FloatArray:
        """p-value of no difference at all."""
        return np.asarray(self.differences.law.pvalue())

    @property
    @_kept
    def adjusted_pvalue(self) -> FloatArray:
        """The p-values adjusted over the family; nan outside it."""
        if not self.is_family:
            return np.full(self.first.shape, np.nan)
        if self.correction in SINGLE_STEP:
            return adjust_single_step(self.pvalue, self.correction, self.n_pairs)
        return adjust_pvalues(self.pvalue, self.correction)

    @property
    @_kept
    def interval(self) -> Interval:
        """The interval of each difference, which decides its verdict; nan for a pair that has none.

        An end that is 0 but for rounding is 0, as it is for the verdict.
        """
        ends = self.differences.interval(self.interval_alpha)
        return Interval(*(np.where(np.abs(end) <= self.differences.tolerance, 0.0, end) for end in ends))

    @property
    @_kept
    def verdict(self) -> Codes:
        """Codes of where the intervals lie; none outside the family."""
        if not self.is_family:
            return np.full(self.first.shape, NONE, dtype=np.int8)
        if self.differences.prefers_tails:
            return self._verdicts_by_tails()
        return verdict_codes(self.interval, self.rope, self.differences.tolerance)

    def _verdicts_by_tails(self) -> Codes:
        """Verdicts by tails, without the ends: in the order of `verdict_codes`."""
        beyond, p, rope = self.differences.is_beyond, self.interval_alpha / 2.0, self.rope
        conditions = [beyond(rope, p, upper=False), beyond(-rope, p, upper=True)]
        codes = [BETTER, WORSE]
        if rope > 0:
            is_inside = beyond(-rope, p, upper=False, closed=True) & beyond(rope, p, upper=True, closed=True)
            conditions += [is_inside, self.shown_direction > 0, self.shown_direction < 0]
            codes += [EQUIVALENT, AHEAD, BEHIND]
        return np.select(conditions, codes, UNDECIDED).astype(np.int8)

    @property
    @_kept
    def shown_direction(self) -> Codes:
        """1 where the first is shown above the second, whatever the rope, -1 where below, else 0; 0 outside the family."""
        if not self.is_family:
            return np.zeros(self.first.shape, dtype=np.int8)
        if self.differences.prefers_tails:
            above, below = (self.differences.is_beyond(0.0, self.interval_alpha / 2.0, upper=upper) for upper in (False, True))
            return above.astype(np.int8) - below.astype(np.int8)
        return direction_of(self.interval, self.differences.tolerance)

    @property
    @_kept
    def reason(self) -> Codes:
        """Codes of why a pair is undecided; outside the family of why it has no interval."""
        differences = self.differences
        reason = differences.reasons(self.interval_alpha)
        if not self.is_family:
            return reason
        if differences.prefers_tails:
            is_rejected = (self.shown_direction == 0) & (self.pvalue <= self.interval_alpha)
            reason = np.where(reason, reason, np.where(is_rejected, DISCRETE, UNSETTLED))
            return np.where(self.verdict == UNDECIDED, reason, 0).astype(np.int8)
        low, high = self.interval
        has_zero = (low <= differences.tolerance) & (high >= -np.asarray(differences.tolerance))
        on_zero = has_zero & (np.minimum(np.abs(low), np.abs(high)) <= differences.tolerance)
        if np.any(on_zero) or differences.own_pvalue("two-sided") is not None:
            is_rejected = has_zero & (self.pvalue <= self.interval_alpha)
            reason = np.where(reason, reason, np.where(is_rejected, DISCRETE, 0))
        reason = np.where(reason, reason, UNSETTLED)
        return np.where(self.verdict == UNDECIDED, reason, 0).astype(np.int8)

    @property
    @_kept
    def probabilities(self) -> RopeProbabilities | None:
        """Posterior probabilities of the regions above, inside and below the rope, if there is a posterior; each pair's own."""
        d = self.differences
        if not d.is_posterior:
            return None
        low, high = d.tails(-self.rope), d.tails(self.rope)
        if not d.has_density:  # points on a limit are inside
            better, worse = 1.0 - high.below, 1.0 - low.above
            return RopeProbabilities(better, np.clip(1.0 - better - worse, 0.0, 1.0), worse)
        is_point = (d.kind != SPREAD) & (d.kind != UNDEFINED)
        found = region_probabilities(low, high, self.rope, d.estimate, is_point, np.asarray(d.tolerance))
        return RopeProbabilities(*(np.where(np.isnan(d.estimate), np.nan, each) for each in found))

    def part(self, rows: IntArray | slice) -> PairTable:
        """Some of the pairs as a table, judged with the whole family: without making the columns of all."""
        part = self._rows(rows)
        if not self.is_family:
            return part
        if self.correction in SINGLE_STEP and "adjusted_pvalue" not in self.cache:
            part.cache["adjusted_pvalue"] = adjust_single_step(part.pvalue, self.correction, self.n_pairs)
        else:
            part.cache["adjusted_pvalue"] = self.adjusted_pvalue[rows]
        return part

    def blocks(self) -> Iterator[PairTable]:
        """All pairs, some hundred thousand at a time; a family of usual size as it is."""
        if self.n_pairs <= MOST_KEPT:
            yield self
            return
        for start in range(0, self.n_pairs, MOST_KEPT):
            yield self._rows(slice(start, start + MOST_KEPT))

    def _rows(self, rows: IntArray | slice) -> PairTable:
        """Some of the pairs, at the level of the whole family."""
        part = replace(self, first=self.first[rows], second=self.second[rows], differences=self.differences.take(rows))
        part.cache["interval_alpha"] = self.interval_alpha
        return part

    def count_verdicts(self) -> IntArray:
        """Number of pairs by verdict code."""
        return np.asarray(sum(np.bincount(part.verdict, minlength=len(VERDICTS)) for part in self.blocks()))

    @property
    @_kept
    def typical_resolution(self) -> float:
        """Median of `resolution` over the pairs that have one, nan where none has; over some of very many."""
        if self.differences.prefers_tails:
            rows = np.linspace(0, self.n_pairs - 1, MOST_RESOLVED).astype(int)
            low, high = self.differences.take(rows).interval(self.interval_alpha)
            sizes = np.asarray((high - low) / 4.0)
        else:
            sizes = self.resolution[:: max(1, self.n_pairs // MOST_KEPT)]
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        return float(np.median(sizes, overwrite_input=True)) if sizes.size else float("nan")

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
        part = self.part(self.rows_with(reference))
        model = np.where(part.first == reference, part.second, part.first)
        as_asked = part.first == model
        oriented = np.where(as_asked, 1.0, -1.0) * part.difference
        # models that tie stand in order of name, and rounding must not seem to rank them otherwise
        oriented = np.where(np.abs(oriented) <= part.differences.tolerance, 0.0, oriented)

        def of_models(values: NDArray[Any], elsewhere: float) -> NDArray[Any]:
            column = np.full(n_models, elsewhere, dtype=values.dtype)
            column[model] = values
            return column

        low, high = part.interval
        ends = np.where(as_asked, low, -high), np.where(as_asked, high, -low)
        verdict = np.where(as_asked, part.verdict, MIRRORED[part.verdict]).astype(np.int8)
        return Against(
            of_models(oriented, 0.0),
            Interval(*(of_models(end, np.nan) for end in ends)),
            of_models(verdict, NONE),
            of_models(part.reason, 0),
        )

    def row_values(self, row: int, mirrored: bool) -> dict[str, Any]:
        """One row as plain values, named as in the `pairs` frame; mirrored, the second model stands first."""
        part = self if self.n_pairs == 1 else self.part(np.array([row]))
        d = part.differences
        sign = -1.0 if mirrored else 1.0

        def value(column: ArrayLike | None) -> float:
            return float("nan") if column is None else float(np.broadcast_to(column, (1,))[0])

        low, high = sorted(sign * float(end[0]) + 0.0 for end in part.interval)  # + 0.0: no -0.0
        verdict = part.verdict[0]
        better, equivalent, worse = map(value, (None, None, None) if part.probabilities is None else part.probabilities)
        return {
            "n_units": int(value(d.n_units)),
            "difference": sign * value(d.estimate) + 0.0,
            "standard_error": value(d.standard_error),
            "df": float("nan") if d.df is None else _whole(value(d.df)),
            "statistic": sign * value(d.statistic) + 0.0,
            "pvalue": value(part.pvalue),
            "adjusted_pvalue": value(part.adjusted_pvalue),
            "interval_alpha": self.interval_alpha if self.is_family else float("nan"),
            "interval_low": low,
            "interval_high": high,
            "p_better": worse if mirrored else better,
            "p_equivalent": equivalent,
            "p_worse": better if mirrored else worse,
            "verdict": VERDICTS[MIRRORED[verdict] if mirrored else verdict],
            "reason": REASONS[part.reason[0]],
        }


def _whole(df: float) -> float:
    """Degrees of freedom, as a whole number where they are one."""
    return int(df) if df.is_integer() else df


def every_pair(n_models: int) -> tuple[IntArray, IntArray]:
    """First and second of all pairs of n_models in order, in two bytes each: numpy's own indices of a triangle take eight."""
    index: IntArray = np.arange(n_models).astype(np.int16 if n_models <= 2**15 else np.int32)
    first = np.repeat(index, index[::-1])
    return first, np.concatenate([index[start + 1 :] for start in range(n_models)])
