"""Wilcoxon's signed-rank test over datasets, and the sign test, which takes less for granted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tiebreak.comparison.procedures.datasets import (
    FURTHER,
    INDEPENDENT_DATASETS,
    PAIRED_DATASETS,
    OverDatasets,
    RankTest,
    RankTestDifferences,
    tolerance_of,
)
from tiebreak.frequentist.sign import sign_test
from tiebreak.frequentist.signed_rank import wilcoxon
from tiebreak.numerics import IntArray
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class RankProcedure(OverDatasets):
    """A rank test of the differences of each pair over datasets; `test` is one of `frequentist`."""

    test: Callable[..., RankTest] = wilcoxon

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> RankTestDifferences:
        """The test of each pair over the datasets that both were measured on."""
        difference, scale = self.differences_of(data, first, second)
        tested = partial(self.test, **self.options_of(settings))
        outcome = tested(difference, scale=scale)
        tolerance = tolerance_of(scale)
        return RankTestDifferences(
            estimate=outcome.estimate,
            n_units=outcome.n_units,
            kind=self.kinds(difference, tolerance),
            tolerance=tolerance,
            by_dataset=difference,
            scale=scale,
            tested=tested,
        )


WILCOXON = RankProcedure(
    name="wilcoxon",
    reason="scores of several datasets: ranks of differences need no common scale of difficulty, only symmetric differences",
    question="datasets",
    unit="dataset",
    generalises_to=FURTHER,
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "differences over datasets lie symmetrically around their centre",
        "the interval is of the centre of the differences (Hodges and Lehmann), not of the difference of the means",
    ),
    references=(
        "F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1, 1945.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
        "A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17(5), 2016.",
    ),
    correction="holm",
    missing="pairwise",
    options={"zeros": "drop", "method": "auto", "continuity": False},
    test=wilcoxon,
)

SIGN = RankProcedure(
    name="sign",
    reason="counts wins and losses over datasets, whatever their size: for metrics of several units, or skewed differences",
    question="datasets",
    unit="dataset",
    generalises_to=FURTHER,
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the interval is of the median difference, which may be 0 where one model wins on most datasets",
    ),
    references=(
        "W. Dixon, A. Mood. The statistical sign test. JASA 41, 1946.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
    ),
    correction="holm",
    missing="pairwise",
    test=sign_test,
)
