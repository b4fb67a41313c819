"""Pairs that are judged together: their law, the one level, the interval of each, and the verdict that it gives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.procedure import Judged
from tiebreak.comparison.settings import SINGLE_STEP, Settings
from tiebreak.numerics import (
    AHEAD,
    BEHIND,
    BETTER,
    EQUIVALENT,
    NONE,
    SPREAD,
    UNDECIDED,
    VERDICTS,
    WORSE,
    FloatArray,
    IntArray,
    Interval,
    Law,
    RopeProbabilities,
    set_checked,
    verdict_codes,
)
from tiebreak.statistics.family import Correction, adjust_pvalues, adjust_single_step, shared_alpha

Codes = NDArray[np.int8]

OVER = (BETTER, WORSE, EQUIVALENT)
"""Verdicts with which a pair is over: further data could only blur them."""

MIRRORED = np.array([NONE, WORSE, BEHIND, EQUIVALENT, UNDECIDED, AHEAD, BETTER], dtype=np.int8)
"""The code of a verdict when first and second change places."""

REASONS = (
    "",
    "identical-scores",
    "no-spread",
    "missing-splits",
    "too-few-units",
    "too-few-draws",
    "discrete",
    "unsettled",
)
"""Why a pair is undecided, "" where it is not; the first four in the order of numerics.SPREAD, IDENTICAL, CONSTANT, UNDEFINED."""

TOO_FEW_UNITS, TOO_FEW_DRAWS, DISCRETE, UNSETTLED = 4, 5, 6, 7


def best_alpha(alpha: float, n_models: int) -> float:
    """Alpha of each one-sided bound in comparisons with the best, where `alpha` is shared by all rivals of a model.

    With it, all shortfalls hold at once with probability 1 - alpha, and the best is among the contenders. Of several that are
    equally good each is with that probability, not all at once: of 8 equal models some were taken out in 20 % of tables,
    each in 4 %. No bound shorter than that of all pairs keeps all of them.

    References
    ----------
    .. [H84] J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of
       Statistics 12, 1984.
    .. [H96] J. Hsu. Multiple Comparisons: Theory and Methods. Chapman & Hall, 1996, chapter 4.
    """
    return alpha / max(2, n_models - 1)


def family_alpha(settings: Settings, n_models: int) -> float:
    """Two-sided alpha of each pair, over all looks, at which it is over: that of the family, or of comparisons with the best."""
    if settings.family == "best":
        return 2 * best_alpha(settings.alpha, n_models)
    n_pairs = n_models * (n_models - 1) // 2 if settings.baseline is None else n_models - 1
    return shared_alpha(np.full(n_pairs, np.nan), settings.correction or "bonferroni", settings.alpha)


def rounded(interval: Interval, tolerance: FloatArray | float) -> Interval:
    """The interval, of which an end that is 0 but for rounding becomes 0."""
    for end in interval:
        np.copyto(end, 0.0, where=np.abs(end) <= tolerance)  # in place, as those of millions of pairs take much room
    return interval


def reasons_of(law: Law, interval: Interval) -> Codes:
    """Codes of why a pair has no interval, 0 where it has one: its kind, or too few units or draws for so small an alpha."""
    low, high = interval
    is_open, is_lacking = np.isneginf(low) & np.isposinf(high), np.isnan(low) | np.isnan(high)
    return np.select([law.kind != SPREAD, is_open, is_lacking], [law.kind, TOO_FEW_UNITS, TOO_FEW_DRAWS]).astype(np.int8)


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
class Family:
    """Pairs with one level for all; columns of shape (n_pairs,), named as in the `pairs` frame.

    Models are rows of the ranking, verdicts and reasons are codes. Each column is made when it is first asked for.

    Attributes
    ----------
    first, second : ndarray of int
    judged : Judged
        Law of the differences, found by the procedure.
    rope : float
        Half-width of practical equivalence, in the unit of the differences.
    alpha : float
        Error rate of the family.
    correction : str
    family : {"pairs", "baseline", "best"}
        Questions that are judged together. Those of "best" are asked of models, not of pairs: a pair then stands outside the
        family, with its own 1 - alpha interval, and neither a verdict nor an adjusted p-value.
    shared : (float, ndarray), optional
        `interval_alpha` and `adjusted_pvalue` of the pairs as part of a larger family.
    law : Law
        Of the differences.
    n_pairs : int
    is_family : bool
        True where the pairs are judged together.
    """

    first: IntArray
    second: IntArray
    judged: Judged
    rope: float
    alpha: float
    correction: Correction
    family: Literal["pairs", "baseline", "best"] = "pairs"
    shared: tuple[float, FloatArray] | None = None
    law: Law = field(init=False)
    n_pairs: int = field(init=False)
    is_family: bool = field(init=False)

    def __post_init__(self) -> None:
        """Set what every column is read off."""
        set_checked(self, law=self.judged.law, n_pairs=int(self.first.size), is_family=self.family != "best")

    @property
    def is_simultaneous(self) -> bool:
        """True where all intervals cover at once with probability 1 - alpha, not only each by itself."""
        return self.is_family and (self.n_pairs == 1 or (self.correction == "bonferroni" and not self.judged.credible))

    @cached_property
    def interval_alpha(self) -> float:
        """1 - coverage of the intervals, one for the whole family; from the p-values. Of pairs outside it `alpha` itself."""
        if self.shared is not None:
            return self.shared[0]
        if not self.is_family:
            return self.alpha
        is_fixed = self.correction in SINGLE_STEP
        return shared_alpha(np.broadcast_to(np.nan, self.first.shape) if is_fixed else self.pvalue, self.correction, self.alpha)

    @cached_property
    def pvalue(self) -> FloatArray:
        """p-value of no difference at all."""
        return np.asarray(self.law.pvalue())

    @cached_property
    def adjusted_pvalue(self) -> FloatArray:
        """The p-values adjusted over the family; nan outside it."""
        if self.shared is not None:
            return self.shared[1]
        return adjust_pvalues(self.pvalue, self.correction) if self.is_family else np.full(self.first.shape, np.nan)

    @cached_property
    def interval(self) -> Interval:
        """The interval of each difference, which decides its verdict; nan for a pair that has none."""
        return rounded(self.law.interval_at(self.interval_alpha), self.law.tolerance)

    @cached_property
    def bounds(self) -> Interval:
        """Ends from which models are ranked: those of the intervals, or of comparisons with the best."""
        return self.interval if self.is_family else self.bounds_of(self.law)

    def bounds_of(self, law: Law) -> Interval:
        """The ends by another law of some of the differences."""
        alpha = self.interval_alpha
        if not self.is_family:
            alpha = 2.0 * best_alpha(self.alpha, int(max(self.first.max(), self.second.max())) + 1)
        return rounded(law.interval_at(alpha), law.tolerance)

    def claims(self, law: Law | None = None) -> Codes:
        """Codes of what is said of each pair, of comparisons with the best too; or of what another law of some pairs says."""
        bounds, law = (self.bounds, self.law) if law is None else (self.bounds_of(law), law)
        return verdict_codes(bounds, self.rope, law.tolerance)

    @cached_property
    def verdict(self) -> Codes:
        """Codes of where the intervals lie; none outside the family."""
        return self.claims() if self.is_family else np.full(self.first.shape, NONE, dtype=np.int8)

    @property
    def shown_direction(self) -> Codes:
        """1 where the first is shown above the second, whatever the rope, -1 where below, else 0; 0 outside the family."""
        if not self.is_family:
            return np.zeros(self.first.shape, dtype=np.int8)
        low, high = self.interval
        return np.asarray(low > 0, dtype=np.int8) - np.asarray(high < 0, dtype=np.int8)

    @cached_property
    def reason(self) -> Codes:
        """Codes of why a pair is undecided; outside the family of why it has no interval."""
        reason = reasons_of(self.law, self.interval)
        if not self.is_family:
            return reason
        low, high = self.interval
        is_rejected = (low <= 0) & (high >= 0) & (self.pvalue <= self.interval_alpha)
        reason = np.where(reason, reason, np.where(is_rejected, DISCRETE, UNSETTLED))
        return np.where(self.verdict == UNDECIDED, reason, 0).astype(np.int8)

    @cached_property
    def probabilities(self) -> RopeProbabilities | None:
        """Posterior probabilities of the regions above, inside and below the rope, if there is a posterior; each pair's own."""
        law = self.law
        if not law.is_posterior:
            return None
        if self.judged.credible == "points":  # those on a limit are inside
            better, worse = 1.0 - np.asarray(law.tail(self.rope)), 1.0 - np.asarray(law.tail(-self.rope, upper=True))
            return RopeProbabilities(better, np.clip(1.0 - better - worse, 0.0, 1.0), worse)
        return RopeProbabilities(*(np.where(np.isnan(law.estimate), np.nan, each) for each in law.probabilities(self.rope)))

    @cached_property
    def typical_resolution(self) -> float:
        """Median of the standard errors, or of a quarter of the intervals where there are none; nan where no pair has one."""
        sizes = (self.interval.high - self.interval.low) / 4.0 if self.law.se is None else np.asarray(self.law.se)
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        return float(np.median(sizes, overwrite_input=True)) if sizes.size else float("nan")

    def count_verdicts(self) -> IntArray:
        """Number of pairs by verdict code."""
        return np.bincount(self.verdict, minlength=len(VERDICTS))

    def part(self, rows: IntArray | slice) -> Family:
        """Some of the pairs, judged with the whole family: without making the columns of all."""
        part = replace(self, first=self.first[rows], second=self.second[rows], judged=self.judged.take(rows))
        if self.is_family and self.correction in SINGLE_STEP and self.shared is None:
            return replace(part, shared=(self.interval_alpha, adjust_single_step(part.pvalue, self.correction, self.n_pairs)))
        return replace(part, shared=(self.interval_alpha, self.adjusted_pvalue[rows]))

    def rows_with(self, model: int) -> IntArray:
        """Positions of the pairs in which a row of the ranking takes part."""
        return np.flatnonzero((self.first == model) | (self.second == model))

    def row_of(self, one: int, two: int) -> tuple[int, bool] | None:
        """Position of a pair, and True where it stands there the other way round; None where the family does not hold it."""
        mirrored = (self.first == two) & (self.second == one)
        found = np.flatnonzero(((self.first == one) & (self.second == two)) | mirrored)
        return (int(found[0]), bool(mirrored[found[0]])) if found.size else None

    def against(self, reference: int, n_models: int) -> Against:
        """Every model against one of them, whichever way round the pairs stand."""
        part = self.part(self.rows_with(reference))
        model = np.where(part.first == reference, part.second, part.first)
        as_asked = part.first == model
        oriented = np.where(as_asked, 1.0, -1.0) * part.law.estimate
        # models that tie stand in order of name, and rounding must not seem to rank them otherwise
        oriented = np.where(np.abs(oriented) <= part.law.tolerance, 0.0, oriented)
        row = np.full(n_models, -1)  # of each model, in a column to which the value elsewhere is appended
        row[model] = np.arange(model.size)
        low, high = part.interval
        ends = np.where(as_asked, low, -high), np.where(as_asked, high, -low)
        verdict = np.where(as_asked, part.verdict, MIRRORED[part.verdict])
        return Against(
            np.append(oriented, 0.0)[row],
            Interval(*(np.append(end, np.nan)[row] for end in ends)),
            np.append(verdict, NONE)[row],
            np.append(part.reason, 0)[row],
        )

    def columns(self) -> dict[str, NDArray[Any] | None]:
        """Columns of numbers of the `pairs` frame; None for those that the procedure cannot give."""
        law, shape = self.law, self.first.shape
        better, equivalent, worse = self.probabilities or (None, None, None)
        of_law = None if law.se is None else law.statistic
        return {
            "n_units": np.broadcast_to(law.n_units, shape),
            "difference": law.estimate,
            "standard_error": law.se,
            "df": None if law.df is None else np.broadcast_to(law.df, shape),
            "statistic": of_law if self.judged.statistic is None else self.judged.statistic,
            "pvalue": self.pvalue,
            "adjusted_pvalue": self.adjusted_pvalue,
            "interval_alpha": np.broadcast_to(self.interval_alpha if self.is_family else np.nan, shape),
            "interval_low": self.interval.low,
            "interval_high": self.interval.high,
            "p_better": better,
            "p_equivalent": equivalent,
            "p_worse": worse,
        }

    def row_values(self, row: int, mirrored: bool) -> dict[str, Any]:
        """One row as plain values, named as in the `pairs` frame; mirrored, the second model stands first."""
        part = self if self.n_pairs == 1 else self.part(np.array([row]))
        values: dict[str, Any] = {
            name: float("nan") if column is None else float(np.ravel(column)[0]) + 0.0  # no -0.0
            for name, column in part.columns().items()
        }
        verdict, df = part.verdict[0], values["df"]
        if mirrored:
            verdict = MIRRORED[verdict]
            values |= {
                "difference": 0.0 - values["difference"],
                "statistic": 0.0 - values["statistic"],
                "interval_low": 0.0 - values["interval_high"],
                "interval_high": 0.0 - values["interval_low"],
                "p_better": values["p_worse"],
                "p_worse": values["p_better"],
            }
        whole = {"n_units": int(values["n_units"]), "df": int(df) if df.is_integer() else df}
        return values | whole | {"verdict": VERDICTS[verdict], "reason": REASONS[part.reason[0]]}


def every_pair(n_models: int) -> tuple[IntArray, IntArray]:
    """First and second of all pairs of n_models in order, in two bytes each: numpy's own indices of a triangle take eight."""
    index: IntArray = np.arange(n_models).astype(np.int16 if n_models <= 2**15 else np.int32)
    return np.repeat(index, index[::-1]), np.concatenate([index[start + 1 :] for start in range(n_models)])
