"""Wilcoxon's signed-rank test over datasets, and the sign test, which takes less for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.datasets import (
    FURTHER_DATASET,
    INDEPENDENT_DATASETS,
    PAIRED_ON_DATASETS,
    differences_of,
    kinds_of,
    omnibus,
    refuse_datasets,
    remarks_on_datasets,
    values_of_datasets,
)
from tiebreak.comparison.procedures.items import and_more
from tiebreak.comparison.procedures.procedure import Judged, Procedure, TestOnly, p_words, reached, tolerance_of, units_of, wins
from tiebreak.numerics import (
    IDENTICAL,
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    FloatArray,
    IntArray,
    divide,
    row_moments,
)
from tiebreak.numerics.law import Law, Shape
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.means import means_of_moments
from tiebreak.statistics.ranks import sign_counts, sign_test, wilcoxon
from tiebreak.statistics.skew import asymmetry_pvalues, skewness_of_mean

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

MOST_CHECKED = 60
"""Models up to which the differences of all pairs are looked at."""

ASKEW = 0.2
"""Level of the test of symmetry at which differences count as skewed; 4 to 10 % of symmetric ones with heavy tails do."""

SHOWN_ALPHA = 0.05
"""Of one pair's own test, at which its centre is taken for shown."""

TEST = partial(wilcoxon, continuity=False)


def _judge(data: Scores, first: IntArray, second: IntArray, test: Callable[..., Law]) -> Law:
    """The test of each pair over the datasets that both were measured on: its interval inverts it on shifted data."""
    difference, scale = differences_of(data, first, second)
    return replace(test(difference, scale=scale), kind=kinds_of(difference, tolerance_of(scale)))


def _judge_ranks(data: Scores, first: IntArray, second: IntArray) -> Judged:
    law = _judge(data, first, second, TEST)
    return Judged(law=law, reach_df=np.maximum(np.asarray(law.n_units) - 1.0, 1.0), least_pvalue=_least(law.n_units))


def _judge_signs(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """The sign test; of mixed metrics of how much more of the datasets the first model wins than the second."""
    if not data.is_mixed:
        law = _judge(data, first, second, sign_test)  # whose intervals are too coarse for those of any t distribution
        return Judged(law=law, least_pvalue=_least(law.n_units))
    score = units_of(data).matrix().score
    won_or_lost = wins(score[first], score[second])
    *_, won, counted = map(np.asarray, sign_counts(won_or_lost, scale=1.0))
    n_units = np.count_nonzero(~np.isnan(won_or_lost), axis=-1)
    law = Law(
        estimate=divide(2 * won - counted, counted),
        n_units=n_units,
        kind=np.where(n_units == 0, UNDEFINED, np.where(counted == 0, IDENTICAL, SPREAD)).astype(np.int8),
        shape=WINS,
        parts=(won, counted),
    )
    return Judged(law=law, unit="wins", least_pvalue=_least(counted))


def _least(n: IntArray | int) -> FloatArray:
    """2 / 2^n, where all differences favour one model."""
    return np.asarray(0.5 ** (np.maximum(n, 1) - 1.0))


def _wins_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Chance of so many wins or more, or with `upper` of so many losses."""
    from scipy.special import bdtrc

    won, counted = law.parts
    number = counted - won if upper else won
    chance = np.clip((1.0 - at if upper else 1.0 + at) / 2.0, 0.0, 1.0)
    p = np.where(number <= 0, 1.0, bdtrc(np.maximum(number, 1) - 1, np.maximum(counted, 1), chance))
    return np.where(np.isnan(law.estimate), np.nan, p)


def _wins_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Ends of Clopper and Pearson's interval, in closed form; -1 and 1 where all are lost or won."""
    from scipy.special import betaincinv

    won, counted = law.parts
    sign, number = (-1.0, counted - won) if upper else (1.0, won)
    low = np.where(number > 0, betaincinv(np.maximum(number, 1), counted - number + 1, p), 0.0)
    return np.asarray(np.where(np.isnan(law.estimate), np.nan, sign * (2.0 * low - 1.0)))


WINS = Shape(_wins_tail, _wins_end)
"""Share of datasets won less the share lost, ties left out, by Clopper and Pearson; the tails at 0 are the exact sign test."""


def _remarks(data: Scores, name: str, test: Callable[..., Law]) -> Iterator[Notice]:
    """As of all datasets, and pairs whose mean says something else than their centre, or may as differences lie askew."""
    yield from remarks_on_datasets(data)
    models = data.models
    if data.is_mixed or len(models) > MOST_CHECKED:
        return
    second, first = np.tril_indices(len(models), -1)
    difference, scale = differences_of(data, first, second)
    found = test(difference, scale=scale)
    centre, mean = np.asarray(found.estimate), row_moments(difference, omit_missing=True)
    # near 0 either may lie on either side by chance, which misleads nobody
    error = mean.sd / np.sqrt(np.maximum(mean.n_splits, 1))
    is_shown = (np.asarray(found.pvalue()) < SHOWN_ALPHA) | (np.abs(mean.mean) > 2 * error)
    against = is_shown & (centre * mean.mean < -np.square(tolerance_of(scale)))
    askew = (asymmetry_pvalues(difference) < ASKEW / first.size) & (name == "wilcoxon")
    rows = np.flatnonzero(against | askew)
    if rows.size:
        at = int(np.flatnonzero(against)[0]) if against.any() else int(rows[0])
        one, two = (first[at], second[at]) if centre[at] > 0 else (second[at], first[at])
        but = "the differences are not symmetric, so means may say otherwise"
        if against[at]:
            but = f"{models[two]!r} has the better mean"
        text = (
            f"{models[one]!r} is typically ahead of {models[two]!r}{and_more(rows.size)}, but {but}: verdicts are of the typical "
            "dataset; the method 'paired-t' judges means"
        )
        yield Notice("mean-against-centre", text)


MANY_TIES = 0.1
"""Share of exact ties above which means are judged: ranks drop ties, which scores of two decimals or small test sets have."""


def has_many_ties(data: Scores) -> bool:
    """True where more than a tenth of the differences of models that differ at all are exactly 0."""
    score = units_of(data).matrix().score[:MOST_CHECKED]
    second, first = np.tril_indices(len(score), -1)
    difference = score[first] - score[second]
    is_tie = np.abs(difference) <= RELATIVE_TOLERANCE * np.nanmax(np.abs(score), initial=0.0)
    varies = ~(is_tie | np.isnan(difference)).all(axis=1)
    counted = np.count_nonzero(~np.isnan(difference[varies]))
    return bool(counted and np.count_nonzero(is_tie[varies]) > MANY_TIES * counted)


def _judge_means(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Student's and Hall's t of the mean difference over the datasets that both models have."""
    difference, scale = differences_of(data, first, second)
    moments = row_moments(difference, scale, omit_missing=True)
    deviation = np.nan_to_num(difference - np.asarray(moments.mean)[..., None])
    found = means_of_moments(moments)._replace(skewness=skewness_of_mean(deviation, moments.n_splits))
    is_single = np.asarray(moments.n_splits) == 1  # which any difference goes with
    error, df = np.where(is_single, np.inf, found.standard_error), np.where(is_single, 1.0, found.df)
    law = found._replace(standard_error=error, df=df, kind=kinds_of(difference, tolerance_of(scale))).law
    return Judged(law=law, reach_df=reached(law))


def _ranks_beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The signed-rank test of the first two models, and the omnibus tests."""
    law = _judge(data, np.array([0]), np.array([1]), TEST)
    p, models = float(np.asarray(law.pvalue())[0]), data.models[:2]
    if np.isfinite(p):
        text = f"Wilcoxon's signed-rank test of {models[0]!r} and {models[1]!r}, which drops exact ties: {p_words(p)}"
        yield TestOnly(name="wilcoxon", models=models, pvalue=p, text=text)
    yield from omnibus(data, settings)


PAIRED_DATASETS = Procedure(
    name="paired-t",
    question="datasets",
    reason="scores of several datasets that often tie exactly, as rounded ones and those of small test sets do: their mean "
    "difference, as ranks would drop the ties",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_ON_DATASETS,
        INDEPENDENT_DATASETS,
        "the mean of the differences is roughly normal but for its skewness",
    ),
    references=(
        "Student. The probable error of a mean. Biometrika 6, 1908.",
        "P. Hall. On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54, 1992.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
    ),
    traits=frozenset(("pairwise",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge_means(data, first, second),
    values=values_of_datasets,
    refuse=lambda data: refuse_datasets("paired-t", data),
    remarks=remarks_on_datasets,
    beside=_ranks_beside,
)

WILCOXON = Procedure(
    name="wilcoxon",
    question="datasets",
    reason="scores of several datasets: ranks of differences need no common scale of difficulty, only symmetric differences",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_ON_DATASETS,
        INDEPENDENT_DATASETS,
        "differences over datasets lie symmetrically around their centre",
        "the interval is of the centre of the differences (Hodges and Lehmann), not of the difference of the means",
    ),
    references=(
        "F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1, 1945.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
        "A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17(5), 2016.",
    ),
    traits=frozenset(("pairwise", "centre")),
    judge=lambda data, first, second, rope, alpha, seed: _judge_ranks(data, first, second),
    values=values_of_datasets,
    refuse=lambda data: refuse_datasets("wilcoxon", data),
    remarks=lambda data: _remarks(data, "wilcoxon", TEST),
    beside=omnibus,
)

SIGN = Procedure(
    name="sign",
    question="datasets",
    reason="counts wins and losses over datasets, whatever their size: for metrics of several units, or skewed differences",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_ON_DATASETS,
        INDEPENDENT_DATASETS,
        "the interval is of the median difference, which may be 0 where one model wins on most datasets",
        "for metrics of several units it is of the share of datasets won by the first less that of the second, ties left out",
    ),
    references=(
        "W. Dixon, A. Mood. The statistical sign test. JASA 41, 1946.",
        "J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
    ),
    traits=frozenset(("pairwise", "centre")),
    judge=lambda data, first, second, rope, alpha, seed: _judge_signs(data, first, second),
    values=values_of_datasets,
    refuse=lambda data: refuse_datasets("sign", data, takes_mixed=True),
    remarks=lambda data: _remarks(data, "sign", sign_test),
    beside=omnibus,
)
