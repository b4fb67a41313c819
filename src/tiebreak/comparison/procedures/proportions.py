"""Difference of two rates on independent test sets, by Newcombe's interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.procedure import FEWEST_COUNTED, LawDifferences, ModelValues, Procedure, TestOnly, Wording
from tiebreak.comparison.procedures.test_sets import FURTHER_EXAMPLES, INDEPENDENT_SETS, counts_of, independent_sets, of_own_sets
from tiebreak.errors import TiebreakError, TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.rates import newcombe, proportion_interval, z_test

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEW_EXPECTED, UNEVEN = 0.6, 20
"""Examples expected to be decided the rarer way below which, beside a test set so many times as large, rates are rough."""

MOST_TESTS = 10
"""Pairs up to which each has its pooled z test beside the answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RateDifferences(LawDifferences):
    """Differences of two rates, by Newcombe's law."""

    @property
    def student_df(self) -> FloatArray:
        """Degrees of freedom of the normal distribution, which rates of 20 items and more are near enough to."""
        _, n, _, m = self.law.parts
        return np.where(np.minimum(n, m) >= FEWEST_COUNTED, np.inf, np.nan)


@dataclass(frozen=True)
class IndependentRates(Procedure):
    """Rates of models, each on a test set of its own."""

    wording: Wording

    def for_data(self, data: Scores) -> Procedure:
        """With the noun of the items."""
        return self if data.items is None else of_own_sets(self, data, self.wording)

    def applies(self, data: Scores) -> TiebreakError | None:
        """Counts, or items that are right or wrong, each by itself and once."""
        items = data.items
        if items is None:
            return None
        if (counts_of(data)[1] == 0).any():
            return TooFewSplitsError(f"{self.name} needs {items.unit}s of every model; some have none.")
        problem = items.structure_note if items.is_binary else "the scores are not only 0 and 1"
        if not problem:
            return None
        return UnsuitableDesignError(
            f"{self.name} counts {items.unit}s that are right, each of them once, but {problem}. The method 'welch', which "
            "'auto' takes for these, allows for that."
        )

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> RateDifferences:
        """Difference of the rates of each pair."""
        counts, n = counts_of(data)
        higher = data.metric.higher_is_better
        return RateDifferences.of(newcombe(counts[first], n[first], counts[second], n[second], higher_is_better=higher))

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Rate of each model, with Wilson's interval."""
        counts, n = counts_of(data)
        tolerance = np.full(n.size, RELATIVE_TOLERANCE)

        def interval(alpha: float) -> Interval:
            return proportion_interval(counts, n, level=1.0 - alpha)

        return ModelValues("measured", counts / n, n.astype(np.int64), tolerance, interval)

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on what two test sets cost, and on rates near 0 or 1 beside a test set of quite another size."""
        yield independent_sets(data)
        counts, n = counts_of(data)
        rate = min(counts.sum(), (n - counts).sum()) / n.sum()
        for at in np.flatnonzero((n * rate < FEW_EXPECTED) & (n * UNEVEN <= n.max()) & (rate > 0))[:1].tolist():
            yield Notice(
                "rare-in-small-set",
                f"the test set of {data.matrix().models[at]!r} holds {n[at]:,.0f} examples beside one of {n.max():,.0f}, and at "
                f"the common rate {n[at] * rate:.2g} of them would be decided the rarer way: a single one moves its rate in a "
                "large step, and with 20 examples against 1,000 of rates of 98 and 99.5 % equal models were called different in "
                "5.7 and 8.8 % of trials instead of 5 %",
            )

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """The z test with the pooled error, of each pair."""
        counts, n = counts_of(data)
        models = data.matrix().models
        pairs = list(combinations(range(len(models)), 2))
        if len(pairs) > MOST_TESTS:
            return
        for i, j in pairs:
            found = z_test(counts[i], n[i], counts[j], n[j], higher_is_better=data.metric.higher_is_better)
            z, p = float(found.statistic), float(found.pvalue())
            if np.isfinite(z) and np.isfinite(p):
                text = f"pooled z test of {models[i]!r} and {models[j]!r}: z {z:.5g}, p {p:.3g}"
                yield TestOnly(name="pooled-z", models=(models[i], models[j]), statistic=z, pvalue=p, text=text)


_WORDING = Wording(
    "rates on a test set of each model's own: the interval joins the Wilson limits of both, which holds for few {units} and "
    "rates near 0 or 1",
    FURTHER_EXAMPLES,
    INDEPENDENT_SETS,
)

NEWCOMBE = IndependentRates(
    name="newcombe",
    wording=_WORDING,
    **_WORDING.of("example"),
    question="test-sets",
    references=(
        "R. Newcombe. Interval estimation for the difference between independent proportions. Statistics in Medicine 17, 1998.",
    ),
    missing="pairwise",
    is_paired=False,
)
