"""Difference of areas under ROC curves on the same examples, with the covariance of DeLong and others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.items import SAME_ITEMS, OverItems
from tiebreak.comparison.procedures.procedure import ModelValues, TestOnly
from tiebreak.comparison.procedures.student import StudentLaw
from tiebreak.errors import InvalidScoresError, TiebreakError, UnsuitableDesignError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval
from tiebreak.numerics.law import student
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.auc import Areas, roc_areas

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEW_RARER = 20
"""Examples of the rarer class below which it is said that they are few."""

MOST_TESTS = 10
"""Pairs up to which each has its z test beside the answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AucDifferences(StudentLaw):
    """Differences of areas, with the number of examples of the rarer class."""

    n_rarer: int

    @property
    def student_df(self) -> FloatArray:
        """Satterthwaite's; none where intervals are cut off, as with few examples of a class."""
        df = np.asarray(self.df)
        return np.where((df <= 0) | (self.n_rarer < FEW_RARER), np.nan, df)

    @property
    def statistic(self) -> FloatArray:
        """Student's t, which is DeLong's z; nan where the difference has no variance in these examples."""
        return np.where(np.asarray(self.standard_error) > 0, self.law.statistic, np.nan)


@dataclass(frozen=True)
class DeLong(OverItems):
    """Areas under ROC curves of several models on the same examples."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Predictions of two classes, two examples or more of each, without clusters, weights and runs."""
        items = self.items(data)
        if items.is_positive is None:
            return UnsuitableDesignError(
                f"{self.name} compares areas under ROC curves of predictions, and these are scores of {items.metric.name}. Leave "
                "the method out for the one that suits them; tb.read_predictions(y_true, {...}) reads predictions."
            )
        if items.structure_note:
            return UnsuitableDesignError(
                f"{self.name} takes every {items.unit} once, and independent of the others, but {items.structure_note}. Leave "
                "these out of the table, or compare one run by itself."
            )
        if np.isnan(items.score).any():
            return InvalidScoresError(
                f"{self.name} needs a prediction of every model for every {items.unit}; {np.isnan(items.score).sum()} are "
                "missing. Leave out what is not there."
            )
        n_positive = int(np.count_nonzero(items.is_positive))
        if min(n_positive, len(items.items) - n_positive) < 2:
            return InvalidScoresError(
                f"of the {len(items.items)} {items.unit}s {n_positive} {'is' if n_positive == 1 else 'are'} positive, and two of "
                "each class are the fewest that show how much an area varies. Give more of the rarer one, or compare by a mean "
                f"over {items.unit}s, such as log_loss."
            )
        return None

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> AucDifferences:
        """Difference of the areas of each pair."""
        found = self._areas(data)
        return AucDifferences.of(found.difference(first, second), n_rarer=min(found.n_positive, found.n_negative))

    def _areas(self, data: Scores) -> Areas:
        items = self.items(data)
        return roc_areas(np.asarray(items.is_positive), items.score[:, 0])

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Area of each model, with its logit interval."""
        found = self._areas(data)
        shape = found.estimate.shape
        n, tolerance = np.full(shape, found.n_positive + found.n_negative), np.full(shape, RELATIVE_TOLERANCE)

        def interval(alpha: float) -> Interval:
            return found.interval(1.0 - alpha)

        return ModelValues("measured", found.estimate, n, tolerance, interval, standard_error=np.sqrt(found.variance))

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on few examples of the rarer class."""
        yield from super().checks(data, settings)
        items = self.items(data)
        n = int(np.count_nonzero(np.asarray(items.is_positive)))
        rarer, name = min((n, "positive"), (len(items.items) - n, "negative"))
        if rarer < FEW_RARER:
            yield Notice(
                "few-positives",
                f"there are only {rarer} {name} {items.unit}s, which the interval allows for by being wide: with 2 to 15 of 200, "
                "equal models were called different in 0 to 4.5 % of trials instead of 5 %, so real differences are missed "
                f"more often than with many; {FEW_RARER} {name} {items.unit}s or more would show more",
            )

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """DeLong's z test of each pair."""
        items = self.items(data)
        pairs = list(combinations(range(len(items.models)), 2))
        if len(pairs) > MOST_TESTS:
            return
        found = self._areas(data)
        for i, j in pairs:
            law = found.difference(i, j)
            test = student(law.estimate, law.spread[0])
            statistic, pvalue = float(test.statistic), float(test.pvalue())
            if np.isfinite(statistic) and np.isfinite(pvalue):
                one, two = items.models[i], items.models[j]
                text = f"DeLong's z test of {one!r} and {two!r}: z {statistic:.5g}, p {pvalue:.3g}"
                yield TestOnly(name="delong-z", models=(one, two), statistic=statistic, pvalue=pvalue, text=text)


DELONG = DeLong.worded(
    name="delong",
    reason="areas under ROC curves of models on the same {units}: the variance of their difference allows for the pairing, and "
    "Student's t for few {units} of a class",
    is_mean=False,
    assumptions=(
        SAME_ITEMS,
        "the {units} of each class are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "E. DeLong, D. DeLong, D. Clarke-Pearson. Comparing the areas under correlated ROC curves. Biometrics 44, 1988.",
        "F. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.",
        "G. Zou, A. Donner. Construction of confidence limits about effect measures. Statistics in Medicine 27, 2008.",
        "R. Newcombe. Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Stat. Med. 25, 2006.",
    ),
)
