"""Difference of two rates on the same items, right or wrong, by Tango's score interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.items import SAME_ITEMS, OverItems
from tiebreak.comparison.procedures.procedure import FEWEST_COUNTED, Differences, ModelValues, TestOnly
from tiebreak.errors import TiebreakError, UnsuitableDesignError
from tiebreak.frequentist.mcnemar import McNemarVariant, cochran_q_test, mcnemar_test
from tiebreak.frequentist.proportions import proportion_interval
from tiebreak.frequentist.tango import PairedProportionsResult, paired_counts, paired_proportions
from tiebreak.numerics import RELATIVE_TOLERANCE, SPREAD, UNDEFINED, FloatArray, IntArray, Interval
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class TangoDifferences(Differences):
    """Differences of paired rates: tails and ends are those of the score test, which has an interval also where nobody differs.

    `only_first` and `only_second` are the numbers of items that exactly that model had right.
    """

    standard_error: FloatArray
    both: FloatArray
    only_first: FloatArray
    only_second: FloatArray
    neither: FloatArray

    @property
    def proportions(self) -> PairedProportionsResult:
        """Proportions as the array function has them."""
        return paired_proportions(self.both, self.only_first, self.only_second, self.neither)

    @property
    def student_df(self) -> FloatArray:
        """Degrees of freedom of the normal distribution, which counts of 20 items and more are near enough to."""
        return np.where(np.asarray(self.n_units) >= FEWEST_COUNTED, np.inf, np.nan) + np.zeros(np.shape(self.estimate))

    @property
    def statistic(self) -> FloatArray:
        """Score statistic of no difference; its square is McNemar's chi-squared without a correction."""
        return np.asarray(self.proportions.score_statistic(0.0))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of a difference of at most `at`."""
        return self._tail(at, -1.0)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of a difference of at least `at`."""
        return self._tail(at, 1.0)

    def _tail(self, at: ArrayLike, sign: float) -> FloatArray:
        from scipy.special import ndtr

        at = np.asarray(at, dtype=float)
        tail = ndtr(sign * np.asarray(self.proportions.score_statistic(np.clip(at, -1.0, 1.0))))
        beyond = np.where(sign * at > 1.0, 0.0, 1.0)  # no difference of rates is larger than 1
        return np.asarray(np.where(np.abs(at) > 1.0, beyond, tail))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Limits; both tails are one at every point, so a limit beyond a half is the other one."""
        p = np.asarray(p, dtype=float)
        small, is_high = np.minimum(p, 1.0 - p), (p <= 0.5) == upper
        sides = np.unique(is_high).tolist()
        ends = [np.asarray(self.proportions.limit(small, upper=side)) for side in sides]
        return ends[0] if len(ends) == 1 else np.where(is_high, ends[1], ends[0])


@dataclass(frozen=True)
class Tango(OverItems):
    """Test and interval of the difference of two rates on the same items, by their counts."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Scores that are all 0 or 1, of one run, without clusters and weights."""
        items = self.items(data)
        problem = items.structure_note if items.is_binary else f"these scores are not all 0 or 1 ({items.metric.name})"
        if problem and items.is_mean:
            return UnsuitableDesignError(
                f"{self.name} counts {items.unit}s that are right or wrong, each once and by itself, but {problem}. The method "
                "'clustered-t', which 'auto' takes for these, allows for that."
            )
        return super().applies(data)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> TangoDifferences:
        """Counts of each pair, over the items that both have."""
        correct = data.matrix().score if data.metric.higher_is_better else 1.0 - data.matrix().score
        used, rows = np.unique(np.stack([first, second]), return_inverse=True)
        one, two = rows.reshape(2, *np.shape(first))
        chosen = correct if used.size == correct.shape[0] else correct[used]
        both, b, c, neither = (np.asarray(each) for each in paired_counts(chosen, one, two, omit_missing=True))
        n = both + b + c + neither
        is_empty = n == 0
        found = paired_proportions(np.where(is_empty, 1.0, both), b, c, neither)
        return TangoDifferences(
            estimate=np.where(is_empty, np.nan, found.difference),
            n_units=n.astype(np.int64),
            kind=np.where(is_empty, UNDEFINED, SPREAD).astype(np.int8),
            tolerance=RELATIVE_TOLERANCE,
            standard_error=np.where(is_empty, np.nan, found.standard_error),
            both=np.where(is_empty, 1.0, both),
            only_first=b,
            only_second=c,
            neither=neither,
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Share of the items that each model has right, or wrong, with Wilson's interval."""
        score = data.matrix().score
        n, total = np.count_nonzero(~np.isnan(score), axis=1), np.array([np.nansum(row) for row in score])
        mean = total / n
        error = np.sqrt(mean * (1.0 - mean) / np.maximum(n - 1, 1))
        tolerance = np.full(n.size, RELATIVE_TOLERANCE)

        def interval(alpha: float) -> Interval:
            return proportion_interval(total, n, level=1.0 - alpha)

        return ModelValues("mean", mean, n, tolerance, interval, standard_error=error)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """McNemar's tests of two models, Cochran's Q of several, and the unpaired error for contrast."""
        yield from super().supplementary_tests(data, settings)
        score, models = data.matrix().score, data.matrix().models
        absent = np.isnan(score).any(axis=0)
        score = score[:, ~absent] if absent.any() else score
        if not score.shape[1]:
            return
        if len(models) > 2:
            q = cochran_q_test(score)
            statistic, p = float(q.statistic), float(q.pvalue)
            shown = (
                "not defined, as all models agree everywhere" if np.isnan(statistic) else f"{statistic:.6g}, df {q.df}, p {p:.3g}"
            )
            text = f"Cochran's Q, of all models at once: {shown}"
            yield TestOnly(name="cochran", models=models, statistic=statistic, pvalue=p, text=text)
            return
        counts = paired_counts(score)
        b, c = counts.only_first, counts.only_second
        units = self.unit if b == 1 else f"{self.unit}s"
        discordant = f" ({b:.0f} {units} that only {models[0]} gets, {c:.0f} that only {models[1]} does)"
        for variant, label in _MCNEMAR.items():
            test = mcnemar_test(b, c, variant)
            p, text = float(test.pvalue), f"McNemar, {label}: p {float(test.pvalue):.3g}"
            yield TestOnly(
                name=f"mcnemar-{variant}",
                models=models,
                statistic=float(test.statistic),
                pvalue=p,
                text=text + (discordant if variant == "exact" else ""),
            )


_MCNEMAR: dict[McNemarVariant, str] = {
    "exact": "exact",
    "mid-p": "mid-p",
    "chi2": "chi-squared without correction for continuity",
}
"""Forms of the test that stand beside the interval, and their names."""


TANGO = Tango.worded(
    name="tango",
    reason="scores of 0 and 1 on the same {units}: only those that one model gets and the other does not tell them apart, and "
    "the score interval keeps its level where these are few",
    assumptions=(
        SAME_ITEMS,
        "the {units} are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "T. Tango. Equivalence test and confidence interval for paired proportions. Statistics in Medicine 17, 1998.",
        "E. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.",
    ),
)
