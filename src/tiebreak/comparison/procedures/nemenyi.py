"""Nemenyi's test of average ranks, for contrast: with a baseline that of Bonferroni and Dunn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    MOST_POOLED,
    PAIRED_DATASETS,
    OverDatasets,
    pool_dependent,
)
from tiebreak.comparison.procedures.procedure import Differences, ModelValues, TestOnly
from tiebreak.errors import Setting, TiebreakError, UnsuitableDesignError
from tiebreak.frequentist.adjustment import Correction
from tiebreak.frequentist.friedman import rank_models, rank_standard_error
from tiebreak.frequentist.nemenyi import range_tail, rank_quantile
from tiebreak.numerics import IDENTICAL, RELATIVE_TOLERANCE, SPREAD, FloatArray, IntArray
from tiebreak.scores.dataset_means import dataset_means
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class AverageRankDifferences(Differences):
    """Differences of average ranks, second less first, as 1 is the best rank.

    Tails are those of the studentized range of `n_models`, which allows for all pairs of so many; of 2 they are normal.
    """

    n_models: int

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Chance of a difference so much above `at`."""
        return self._beyond(self.estimate - np.asarray(at, dtype=float))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Chance of a difference so much below `at`."""
        return self._beyond(np.asarray(at, dtype=float) - self.estimate)

    def _beyond(self, distance: FloatArray) -> FloatArray:
        z = distance / np.asarray(self.standard_error)
        half = range_tail(np.sqrt(2.0) * np.abs(z).ravel(), self.n_models).reshape(z.shape) / 2.0
        return np.where(z >= 0, half, 1.0 - half)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """The estimate and critical differences on either side of it."""
        tails, which = np.unique(np.asarray(p, dtype=float), return_inverse=True)
        steps = np.array([self._step(tail) for tail in tails.tolist()])[which].reshape(np.shape(p))
        return np.asarray(self.estimate + (1.0 if upper else -1.0) * steps * np.asarray(self.standard_error))

    def _step(self, p: float) -> float:
        """Standard errors that a tail of `p` lies from the estimate."""
        if p >= 0.5:
            return 0.0 if p == 0.5 else -self._step(1.0 - p)
        return rank_quantile(self.n_models, 2.0 * p)

    @property
    def is_simultaneous(self) -> bool:
        """True for the studentized range of all models."""
        return self.n_models > 2

    @property
    def by_itself(self) -> AverageRankDifferences:
        """z-tests of each pair."""
        return replace(self, n_models=2)


@dataclass(frozen=True)
class AverageRanks(OverDatasets):
    """Tests of average ranks: of all pairs by the studentized range, with a baseline or a correction by z-tests."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Every model on every dataset."""
        refusal = super().applies(data)
        if refusal is not None:
            return refusal
        matrix = dataset_means(data).matrix()
        lacking = [name for name, row in zip(matrix.models, matrix.score, strict=True) if np.isnan(row).any()]
        if not lacking:
            return None
        return UnsuitableDesignError(
            f"{self.name} ranks all models on every dataset, and {quoted(lacking)} lack scores on some. Leave these out with ",
            Setting("models"),
            ", or leave ",
            Setting("method"),
            " out: pairwise tests take the datasets that two models share.",
        )

    def units(self, data: Scores) -> Scores:
        """Rank of each model on each dataset."""
        means = dataset_means(data)
        matrix = means.matrix()
        ranks = rank_models(matrix.score.T, higher_is_better=means.metric.higher_is_better).T
        return replace(means, metric=Metric("average rank", higher_is_better=False), matrices=(replace(matrix, score=ranks),))

    def correction_of(self, settings: Settings) -> Correction:
        """None of its own for all pairs, which the studentized range allows for; Bonferroni's against a baseline, as Dunn did."""
        return settings.correction or ("none" if settings.baseline is None else "bonferroni")

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> AverageRankDifferences:
        """Differences of average ranks, with the standard error that they have where all models are alike."""
        matrix = self.units(data).matrix()
        average, n_models = matrix.score.mean(axis=1), len(matrix.models)
        difference = average[second] - average[first]
        is_alike = np.abs(matrix.score[first] - matrix.score[second]).max(axis=-1) == 0
        has_own_alpha = settings.correction is None and settings.baseline is None
        return AverageRankDifferences(
            estimate=difference,
            n_units=matrix.n_splits,
            kind=np.where(is_alike, IDENTICAL, SPREAD).astype(np.int8),
            tolerance=RELATIVE_TOLERANCE * n_models,
            standard_error=np.full(np.shape(difference), rank_standard_error(n_models, matrix.n_splits)),
            unit="rank",
            n_models=n_models if has_own_alpha else 2,
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """The average rank."""
        values = super().values(data, settings)
        ranks = self.units(data).matrix().score.mean(axis=1)
        tolerance = np.full(ranks.size, RELATIVE_TOLERANCE * ranks.size)
        return values._replace(name="average rank", label="average rank", value=ranks, tolerance=tolerance, average_rank=ranks)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """The omnibus tests."""
        return (test for test in super().supplementary_tests(data, settings) if test.name != self.name)

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Verdicts that other models in the table decide."""
        yield from super().checks(data, settings)
        means = dataset_means(data)
        if len(means.models) > MOST_POOLED:
            yield Notice("pool-dependent", "its verdicts depend on which other models are in the table; wilcoxon's do not")
            return
        found = pool_dependent(means.matrix(), means.metric.higher_is_better, settings.alpha)
        text = (
            f"{found.n_depending} of {found.n_pairs} verdicts of Nemenyi's test would change with which other models are in the "
            f"table{found.which}; wilcoxon and sign compare two models by themselves"
        )
        yield Notice("pool-dependent", text)


NEMENYI = AverageRanks(
    name="nemenyi",
    reason="asked for by name, for contrast with what other papers report: its verdicts depend on which models are in the table",
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the standard error of a difference of average ranks is the one that it has where all models are alike",
        "an average rank tells how many of the other models in the table a model beats, so every verdict depends on these",
    ),
    references=(
        "P. Nemenyi. Distribution-free multiple comparisons. PhD thesis, Princeton University, 1963.",
        "O. J. Dunn. Multiple comparisons among means. JASA 56, 1961.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
        "A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17(5), 2016.",
    ),
    takes_mixed=True,
)
