"""Procedures whose unit is the dataset: the facts that they share, and differences that a rank test has judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.procedures.procedure import Differences, ModelValues, Procedure, TestOnly
from tiebreak.errors import Setting, TiebreakError, TooFewDatasetsError
from tiebreak.frequentist.friedman import average_ranks, friedman_test
from tiebreak.frequentist.nemenyi import critical_difference, nemenyi_pool
from tiebreak.frequentist.sign import SignTestResult
from tiebreak.frequentist.signed_rank import SignedRankResult
from tiebreak.frequentist.skillings_mack import skillings_mack_test
from tiebreak.numerics import (
    IDENTICAL,
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
)
from tiebreak.scores.dataset_means import dataset_means
from tiebreak.scores.scores import Notice, ScoreMatrix, Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEWEST = 6
"""Datasets below which no rank test can reach 0.05 two-sided: with n of them the smallest p-value is 2 / 2^n."""


RankTest = SignedRankResult | SignTestResult


@dataclass(frozen=True, kw_only=True, eq=False)
class RankTestDifferences(Differences):
    """Differences by a rank test: its interval inverts it on shifted data, its p-values allow for ties and zeros as well.

    `by_dataset` has the shape of the pairs and a last axis of datasets, nan where one is missing; `tested` makes the test of such
    an array, with the size of its scores and the alternative.
    """

    by_dataset: FloatArray
    scale: FloatArray
    tested: Callable[..., RankTest]

    @cached_property
    def outcome(self) -> RankTest:
        """The two-sided test."""
        return self.tested(self.by_dataset, scale=self.scale, alternative="two-sided")

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Lower tail."""
        return self.outcome.tail_below(at)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Upper tail."""
        return self.outcome.tail_above(at)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of the inverted test."""
        p = np.asarray(p, dtype=float)
        if p.ndim > np.ndim(self.estimate):
            return np.stack([self.quantile(each[0], upper=upper) for each in p])
        if p.ndim:
            return np.asarray(self.outcome.interval_at(2.0 * p)[int(upper)])
        level = float(p)
        if level not in self._intervals:
            self._intervals[level] = self.outcome.interval_at(2.0 * level)
        return np.asarray(self._intervals[level][int(upper)])

    @cached_property
    def _intervals(self) -> dict[float, Interval]:
        """Intervals by level: one selection among the means of all pairs of datasets gives both ends."""
        return {}

    def pvalue(self, alternative: Alternative) -> FloatArray:
        """The test's own p-value."""
        if alternative == "two-sided":
            return np.asarray(self.outcome.pvalue)
        return np.asarray(self.tested(self.by_dataset, scale=self.scale, alternative=alternative).pvalue)


@dataclass(frozen=True)
class OverDatasets(Procedure):
    """Procedure over the means of several datasets."""

    def units(self, data: Scores) -> Scores:
        """Means of each dataset."""
        return dataset_means(data)

    def applies(self, data: Scores) -> TiebreakError | None:
        """At least two datasets."""
        if len(data.matrices) >= 2:
            return None
        return TooFewDatasetsError(
            f"{self.name} compares models over several datasets, and these scores are of one. Its folds are no datasets: they "
            "share data. Leave ",
            Setting("method"),
            " out, or give scores of several datasets, named in a column 'dataset'.",
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean over datasets, with the average rank among models that were measured everywhere."""
        values = super().values(data, settings)
        score = self.units(data).matrix().score
        complete = ~np.isnan(score).any(axis=1)
        ranks = np.full(score.shape[0], np.nan)
        if np.count_nonzero(complete) >= 2:
            ranks[complete] = average_ranks(score[complete].T, higher_is_better=data.metric.higher_is_better)
        return values._replace(average_rank=ranks)

    def differences_of(self, data: Scores, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Differences of pairs by dataset, of shape (..., n_datasets), nan where one is missing; the size of their scores."""
        score = self.units(data).matrix().score
        one, two = score[first], score[second]
        difference = data.metric.sign * (one - two)
        missing = np.isnan(difference)
        scale = np.where(missing, 0.0, np.maximum(np.abs(one), np.abs(two))).max(axis=-1)
        return np.asarray(difference), np.asarray(scale)

    def kinds(self, difference: FloatArray, tolerance: FloatArray) -> NDArray[np.int8]:
        """SPREAD, IDENTICAL where all differences are 0, UNDEFINED where there is none."""
        present = ~np.isnan(difference)
        is_zero = (np.abs(np.where(present, difference, 0.0)) <= np.asarray(tolerance)[..., None]).all(axis=-1)
        return np.where(~present.any(axis=-1), UNDEFINED, np.where(is_zero, IDENTICAL, SPREAD)).astype(np.int8)

    def beside(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Omnibus tests: Friedman's and that of Iman and Davenport, or that of Skillings and Mack where scores are missing."""
        matrix = self.units(data).matrix()
        n_models = len(matrix.models)
        if n_models < 3:
            return
        table, higher = matrix.score.T, data.metric.higher_is_better
        if np.isnan(table).any():
            mack = skillings_mack_test(table, higher_is_better=higher)
            yield TestOnly(
                name="skillings-mack",
                models=matrix.models,
                statistic=mack.statistic,
                pvalue=mack.pvalue,
                text=f"Skillings-Mack: chi-squared {mack.statistic:.6g}, df {mack.df}, p {mack.pvalue:.3g}, on {mack.n_datasets} "
                "datasets",
            )
            return
        both = friedman_test(table, higher_is_better=higher)
        for name, label, test in (
            ("friedman", "Friedman: chi-squared", both.friedman),
            ("iman-davenport", "Iman-Davenport: F", both.iman_davenport),
        ):
            df = f"df {test.df}" if not test.df2 else f"df {test.df} and {test.df2}"
            statistic, p = float(test.statistic), float(test.pvalue)
            yield TestOnly(
                name=name, models=matrix.models, statistic=statistic, pvalue=p, text=f"{label} {statistic:.6g}, {df}, p {p:.3g}"
            )
        yield _nemenyi(matrix, higher, settings.alpha)

    def notices(self, data: Scores) -> Iterator[Notice]:
        """Remark on few datasets."""
        n = len(data.matrices)
        if n < FEWEST:
            yield Notice(
                "few-datasets",
                f"with {n} datasets no rank test can reach 0.05, whatever the scores: {FEWEST} are the fewest; the hierarchical "
                "method still answers",
            )


def _nemenyi(matrix: ScoreMatrix, higher_is_better: bool, alpha: float) -> TestOnly:
    """Nemenyi's test for contrast: its critical difference, and the verdicts that the choice of other models decides."""
    pool = nemenyi_pool(matrix.score.T, alpha, higher_is_better=higher_is_better)
    limit = critical_difference(len(matrix.models), matrix.n_splits, alpha)
    depends = np.flatnonzero(pool.depends)
    pairs = [f"{matrix.models[pool.first[i]]} and {matrix.models[pool.second[i]]}" for i in depends[:MOST_PAIRS].tolist()]
    more = f" and {depends.size - MOST_PAIRS} more" if depends.size > MOST_PAIRS else ""
    which = f": {', '.join(pairs)}{more}" if pairs else ""
    text = (
        f"Nemenyi, for contrast: average ranks {limit:.5g} apart are told apart; {depends.size} of its {pool.first.size} "
        f"verdicts would change with which other models are in the table{which}"
    )
    return TestOnly(name="nemenyi", models=matrix.models, statistic=limit, text=text)


MOST_PAIRS = 5
"""Pairs that one remark names."""

PAIRED_DATASETS = "both models were scored on the same datasets, in the same way"
INDEPENDENT_DATASETS = "the datasets are a sample of those that the answer is meant for, none a variant of another"
FURTHER = "a further dataset of this kind"


def tolerance_of(scale: FloatArray) -> FloatArray:
    """Rounding noise of differences of scores of this size."""
    return np.asarray(RELATIVE_TOLERANCE * scale)
