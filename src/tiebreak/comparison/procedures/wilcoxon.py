"""Wilcoxon's signed-rank test over datasets, and the sign test, which takes less for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    PAIRED_DATASETS,
    OverDatasets,
    RankTestDifferences,
    SignDifferences,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.numerics import IDENTICAL, RELATIVE_TOLERANCE, SPREAD, UNDEFINED, FloatArray, IntArray, divide, row_moments
from tiebreak.numerics.law import Law
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.ranks import sign_counts, sign_test, wilcoxon
from tiebreak.statistics.skew import asymmetry_pvalues

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class RankProcedure(OverDatasets):
    """A rank test of the differences of each pair over datasets; `test` is one of `statistics`."""

    test: Callable[..., Law] = wilcoxon
    differences: type[RankTestDifferences] = RankTestDifferences

    def units(self, data: Scores) -> Scores:
        """Means of each dataset; where only wins count, what differences are of is named so."""
        units = super().units(data)
        return replace(units, metric=Metric(WINS, higher_is_better=True)) if self._counts_wins(data) else units

    def _counts_wins(self, data: Scores) -> bool:
        return data.is_mixed and self.takes_mixed

    def differences_by_unit(self, data: Scores, first: int, second: int) -> FloatArray:
        """Differences by dataset; 1, 0 or -1 where only wins count."""
        if not self._counts_wins(data):
            return super().differences_by_unit(data, first, second)
        return _wins(self.units(data), np.asarray(first), np.asarray(second), keep_missing=False)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> RankTestDifferences | WinDifferences:
        """The test of each pair over the datasets that both were measured on."""
        if self._counts_wins(data):
            return self._judge_wins(data, first, second, settings)
        difference, scale = self.differences_of(data, first, second)
        law = self.test(difference, scale=scale)
        return self.differences.of(replace(law, kind=self.kinds(difference, tolerance_of(scale))))

    def _judge_wins(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> WinDifferences:
        """The sign test, whose parameter is how much more of the datasets the first model wins than the second."""
        wins = _wins(self.units(data), first, second)
        *_, won, counted = map(np.asarray, sign_counts(wins, scale=1.0))
        n_units = np.count_nonzero(~np.isnan(wins), axis=-1)
        return WinDifferences(
            estimate=divide(2 * won - counted, counted),
            n_units=n_units,
            kind=np.where(n_units == 0, UNDEFINED, np.where(counted == 0, IDENTICAL, SPREAD)).astype(np.int8),
            unit="wins",
            won=won,
            counted=counted,
        )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on centres that order models otherwise than means do, and on differences that lie askew."""
        yield from super().checks(data, settings)
        units = self.units(data)
        models = units.matrix().models
        if self._counts_wins(data) or len(models) > MOST_CHECKED:
            return
        second, first = np.tril_indices(len(models), -1)
        difference, scale = self.differences_of(data, first, second)
        found = self.test(difference, scale=scale)
        centre, mean = np.asarray(found.estimate), row_moments(difference, omit_missing=True)
        # near 0 either may lie on either side by chance, which misleads nobody
        error = mean.sd / np.sqrt(np.maximum(mean.n_splits, 1))
        is_shown = (np.asarray(found.pvalue()) < SHOWN_ALPHA) | (np.abs(mean.mean) > 2 * error)
        against = np.flatnonzero(is_shown & (centre * mean.mean < -np.square(tolerance_of(scale))))
        if against.size:
            at = int(against[0])
            one, two = (first[at], second[at]) if centre[at] > 0 else (second[at], first[at])
            text = (
                f"{models[one]!r} is typically ahead of {models[two]!r}{_more(against.size)}, by the centre of the differences "
                f"over datasets, but {models[two]!r} has the better mean: a few large differences outweigh the others. The "
                "verdict is of the centre; for means take the method 'hierarchical'"
            )
            yield Notice("mean-against-centre", text)
        askew = np.flatnonzero(asymmetry_pvalues(difference) < ASYMMETRY_ALPHA / first.size)
        if askew.size and self.name == "wilcoxon":
            one, two = models[first[askew[0]]], models[second[askew[0]]]
            text = (
                f"the differences of {quoted([one, two])}{_more(askew.size)} are not symmetric around their centre: whoever "
                "reads the verdict as one on means is misled, as of skewed differences with a mean of 0 on 15 datasets 11.6 % "
                "were called different instead of 5 %; the method 'sign' takes no symmetry for granted"
            )
            yield Notice("asymmetric-differences", text)


MOST_CHECKED = 60
"""Models up to which the differences of all pairs are looked at."""

ASYMMETRY_ALPHA = 0.08
"""Of the test of symmetry over all pairs, with which 3 to 4 % of 30 to 142 symmetric differences with heavy tails are named."""


SHOWN_ALPHA = 0.05
"""Of one pair's own test, at which its centre is taken for shown."""


def _more(n: int) -> str:
    return f" (and {n - 1} more pair(s))" if n > 1 else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class WinDifferences(Differences):
    """Share of datasets that the first model wins less the share that the second wins, ties left out, by Clopper and Pearson.

    The tails at 0 are the exact sign test.
    """

    won: IntArray
    counted: IntArray

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Chance of so many wins or more."""
        return self._at_least(self.won, np.asarray(at, dtype=float))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Chance of so many losses or more."""
        return self._at_least(self.counted - self.won, -np.asarray(at, dtype=float))

    def _at_least(self, wins: IntArray, at: FloatArray) -> FloatArray:
        from scipy.special import bdtrc

        chance = np.clip((1.0 + at) / 2.0, 0.0, 1.0)
        p = np.where(wins <= 0, 1.0, bdtrc(np.maximum(wins, 1) - 1, np.maximum(self.counted, 1), chance))
        return np.where(np.isnan(self.estimate), np.nan, p)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of Clopper and Pearson's interval, in closed form; -1 and 1 where all are lost or won."""
        from scipy.special import betaincinv

        sign, wins = (-1.0, self.counted - self.won) if upper else (1.0, self.won)
        losses = self.counted - wins
        low = np.where(wins > 0, betaincinv(np.maximum(wins, 1), losses + 1, np.asarray(p, dtype=float)), 0.0)
        return np.asarray(np.where(np.isnan(self.estimate), np.nan, sign * (2.0 * low - 1.0)))

    @property
    def smallest_pvalue(self) -> FloatArray:
        """2 / 2^n, where one model wins on all."""
        return np.asarray(0.5 ** (np.maximum(self.counted, 1) - 1.0))


def _wins(units: Scores, first: IntArray, second: IntArray, *, keep_missing: bool = True) -> FloatArray:
    """1 where the first model wins a dataset, -1 where it loses, 0 where the scores are the same but for rounding."""
    score = units.matrix().score
    one, two = score[first], score[second]
    noise = RELATIVE_TOLERANCE * np.maximum(np.abs(one), np.abs(two))
    wins = np.where(np.abs(one - two) <= noise, 0.0, np.sign(one - two))
    return np.asarray(wins if keep_missing else wins[~np.isnan(wins)])


WINS = "share of datasets won"

WILCOXON = RankProcedure(
    name="wilcoxon",
    reason="scores of several datasets: ranks of differences need no common scale of difficulty, only symmetric differences",
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
    missing="pairwise",
    test=partial(wilcoxon, continuity=False),
    is_centre=True,
)

SIGN = RankProcedure(
    name="sign",
    reason="counts wins and losses over datasets, whatever their size: for metrics of several units, or skewed differences",
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the interval is of the median difference, which may be 0 where one model wins on most datasets",
        "for metrics of several units it is of the share of datasets won by the first less that of the second, ties left out",
    ),
    references=(
        "W. Dixon, A. Mood. The statistical sign test. JASA 41, 1946.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
    ),
    missing="pairwise",
    takes_mixed=True,
    test=sign_test,
    differences=SignDifferences,
    is_centre=True,
)
