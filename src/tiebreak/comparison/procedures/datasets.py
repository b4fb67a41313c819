"""Several datasets, whose means are the units: the frame that procedures over them share; ranks, signs, and means."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaincinv

from tiebreak.comparison.procedures.procedure import (
    MOST_CHECKED,
    Judged,
    ModelValues,
    Procedure,
    TestOnly,
    adjusted_of,
    and_more,
    copies_notice,
    mean_values,
    p_words,
    reached,
    refusal,
    units_of,
    wins,
)
from tiebreak.comparison.settings import Settings
from tiebreak.errors import Setting, TiebreakError
from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    FloatArray,
    IntArray,
    Law,
    Shape,
    blocks,
    divide,
    law_of_rows,
    student,
)
from tiebreak.scores.means import dataset_means, filled
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, NoticeCode, quoted
from tiebreak.statistics.copies import repeated_rows
from tiebreak.statistics.means import Means
from tiebreak.statistics.ranks import (
    average_ranks,
    critical_difference,
    friedman_test,
    rank_models,
    sign_counts,
    sign_test,
    wilcoxon,
)
from tiebreak.statistics.skew import skewness_of_weighted_mean, triples_pvalue

FEWEST = 6
"""Datasets below which no rank test can reach 0.05 two-sided: with n of them the smallest p-value is 2 / 2^n."""

MOST_PAIRS = 5
"""Pairs that one remark names."""

FURTHER_DATASET = "a further dataset of this kind"
PAIRED_ON_DATASETS = "both models were scored on the same datasets, in the same way"
INDEPENDENT_DATASETS = "the datasets are a sample of those that the answer is meant for, none a variant of another"


def refuse_datasets(name: str, data: Scores, *, takes_mixed: bool = False) -> TiebreakError | None:
    """The error for one dataset, and for several metrics unless the sizes of differences are not read."""
    return refusal(
        (
            len(data.matrices) < 2,
            (
                f"{name} compares models over several datasets, and these scores are of one. Its folds are no datasets: they "
                "share data. Leave "
            ),
            Setting("method"),
            " out, or give scores of several datasets, named in a column 'dataset'.",
        ),
        (
            data.is_mixed and not takes_mixed,
            (
                f"the datasets are scored in {data.metric.name}, and {name} reads sizes of differences, which have no common "
                "unit. Leave "
            ),
            Setting("method"),
            " out, which counts wins (the method 'sign'), or name one metric with ",
            Setting("metric"),
            ".",
        ),
    )


def values_of_datasets(data: Scores) -> ModelValues:
    """Mean over datasets, with the average rank: missing scores rank where the additive model of the others puts them.

    Of mixed metrics the share of the other models that a model beats, its mean over datasets, as scores of several metrics do
    not add up.
    """
    means = dataset_means(data)
    score, higher = means.matrix().score, means.metric.higher_is_better
    if not data.is_mixed:
        return replace(mean_values(data), average_rank=average_ranks(filled(score).T, higher_is_better=higher))
    ranks = rank_models(score.T)  # of the other models of each dataset, ties as half; nan without a score, or a rival
    n_models = np.count_nonzero(~np.isnan(ranks), axis=1, keepdims=True)
    share = np.asarray(divide(n_models - ranks, n_models - 1).T)
    n = np.count_nonzero(~np.isnan(share), axis=1)
    return replace(
        mean_values(data),
        value_name="win rate",
        value_label="win rate",
        mean=divide(np.nansum(share, axis=1), n),
        tolerance=np.full(n.size, RELATIVE_TOLERANCE),
        adjusted=adjusted_of(share),
        average_rank=average_ranks(filled(share).T, higher_is_better=True),
    )


def differences_of(data: Scores, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Differences of pairs by dataset, of shape (..., n_datasets), nan where one is missing; the size of their scores."""
    units, shape = units_of(data), np.shape(first)
    score, sign = units.matrix().score, units.metric.sign
    one, two = np.atleast_1d(first), np.atleast_1d(second)
    difference, scale = np.empty((one.size, score.shape[1])), np.empty(one.size)
    for rows in blocks(one.size, score.shape[1]):
        a, b = score[one[rows]], score[two[rows]]
        difference[rows] = sign * (a - b)
        scale[rows] = np.fmax.reduce(np.maximum(np.abs(a), np.abs(b)), axis=-1, initial=0.0)
    return difference.reshape(*shape, score.shape[1]), scale.reshape(shape)


def kinds_of(difference: FloatArray, tolerance: FloatArray) -> NDArray[np.int8]:
    """IDENTICAL where all differences are 0, CONSTANT where two or more are the same, UNDEFINED where there is none."""
    low, high = np.fmin.reduce(difference, axis=-1), np.fmax.reduce(difference, axis=-1)
    is_zero = (high <= tolerance) & (low >= -tolerance)
    is_constant = (high - low <= 2.0 * tolerance) & (np.count_nonzero(~np.isnan(difference), axis=-1) > 1)
    return np.select([np.isnan(high), is_zero, is_constant], [UNDEFINED, IDENTICAL, CONSTANT], SPREAD).astype(np.int8)


def omnibus(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """Omnibus tests of three models or more without gaps: Friedman's, that of Iman and Davenport, and Nemenyi's distance."""
    means = dataset_means(data)
    matrix, n_models = means.matrix(), len(data.models)
    if n_models < 3 or not matrix.is_complete:
        return
    both = friedman_test(matrix.score.T, higher_is_better=means.metric.higher_is_better)
    for name, label, test in (
        ("friedman", "Friedman: chi-squared", both.friedman),
        ("iman-davenport", "Iman-Davenport: F", both.iman_davenport),
    ):
        df = f"df {test.df}" if not test.df2 else f"df {test.df} and {test.df2}"
        statistic, p = float(test.statistic), float(test.pvalue)
        text = f"{label} {statistic:.6g}, {df}, {p_words(p)}"
        if np.isinf(statistic):
            text = f"{label} has no bound, as every dataset ranks the models alike"
        elif np.isnan(statistic):
            text = f"{label} is not defined, as all models tie on every dataset"
        yield TestOnly(name=name, models=matrix.models, statistic=statistic, pvalue=p, text=text)
    limit = critical_difference(n_models, matrix.n_splits, settings.alpha)
    yield TestOnly(
        name="nemenyi",
        models=matrix.models,
        statistic=limit,
        text=f"Nemenyi, for contrast: average ranks {limit:.5g} apart are told apart; the ranks of two models, and so its "
        "verdict on them, depend on which others are in the table",
    )


def remarks_on_datasets(data: Scores) -> Iterator[Notice]:
    """Few datasets, copies and variants of one source, and mixed metrics."""
    n = len(data.matrices)
    if n < FEWEST:
        yield Notice(
            "few-units",
            f"with {n} datasets no rank test can reach 0.05, whatever the scores: {FEWEST} are the fewest; the methods "
            "'hierarchical' and 'bayes-signed-rank' still answer, but with so few their priors and assumptions count for much",
        )
    score = units_of(data).matrix().score
    yield from copies_notice(score, repeated_rows(score), "dataset", "give one row for each of what they stand for")
    sources = families(data.datasets)
    if sources:
        left = n - sum(len(own) - 1 for own in sources)
        yield Notice(
            "copied-units",
            f"{quoted(sources[0])} look by their names like variants of one source (of {len(sources)} such group(s)): {n} "
            f"datasets count where there would be {left} sources. If so, give one row for each source, as their mean",
        )
    if data.is_mixed:
        names = quoted(list(dict.fromkeys(data.metric_of(matrix).name for matrix in data.matrices)))
        yield Notice("mixed-metrics", f"datasets are scored in {names}, so only wins and losses count, not their sizes")


def families(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names that differ in a number or a letter at their end only, such as mnist-1 and mnist-2, of several sources.

    Where all names have one stem, or that is a word such as "task", numbers tell datasets apart and say nothing of sources.
    """
    by_stem: dict[str, list[str]] = {}
    for name in names:
        by_stem.setdefault(_ENDING.sub("", name).rstrip(_SEPARATORS).casefold() or name, []).append(name)
    if len(by_stem) < 2:
        return []
    return [
        tuple(own)
        for stem, own in by_stem.items()
        if len(own) > 1 and sum(map(str.isalpha, stem)) >= FEWEST_LETTERS and stem not in NUMBERED
    ]


_SEPARATORS = " _.:/#-"
_ENDING = re.compile(rf"(?:[{_SEPARATORS}]*v?\d+(?:[{_SEPARATORS}x]\d+)*|[{_SEPARATORS}]+[A-Za-z]|(?<=[a-z])[A-Z])$")
"""A number, a version, or one letter that stands apart."""

FEWEST_LETTERS = 3
"""Letters of a stem below which it names nothing."""

NUMBERED = frozenset(
    "data dataset datasets set task problem table sample part fold split group test train bench benchmark suite study case exp "
    "experiment domain subject site center centre id openml uci keel name random synthetic simulated sim toy series user "
    "session day week month year".split()
)
"""Words before a number that say nothing of a source."""


# --- ranks, signs and means --------------------------------------------------------------------------------------------------

SEEN = 4.5
"""Skewness of n differences times sqrt(n) above which a test of symmetry counts: 1.84 of its errors by chance in normal ones.

With it 1 to 9 % of symmetric differences with light or heavy tails or two modes count as skewed, without it up to 15 %.
"""

SYMMETRY_ALPHA, ITS_POWER = 0.05, 1.5
"""Of the tests of symmetry of n pairs together, each at 1 / n^1.5 of it, as far out their tails are heavier than Student's.

At 1 / n of it 10 and 20 models with normal differences on 30 datasets were called skewed in 10 and 26 % of tables, now in 2 and
9 %; where one of them has exponential differences in 54 and 62, now in 35 and 31 %.
"""


def _judge(data: Scores, first: IntArray, second: IntArray, test: Callable[..., Law]) -> Law:
    """The test of each pair over the datasets that both were measured on: its interval inverts it on shifted data."""
    difference, scale = differences_of(data, first, second)
    return replace(test(difference, scale=scale), kind=kinds_of(difference, RELATIVE_TOLERANCE * scale))


def _judge_ranks(data: Scores, first: IntArray, second: IntArray) -> Judged:
    law = _judge(data, first, second, partial(wilcoxon, continuity=False))
    return Judged(
        law=law,
        reach_df=np.maximum(np.asarray(law.n_units) - 1.0, 1.0),
        least_pvalue=_least(law.n_units),
        beside={"caution": partial(_by_means, data)},
    )


def _judge_signs(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """The sign test; of mixed metrics of how much more of the datasets the first model wins than the second."""
    if not data.is_mixed:
        law = _judge(data, first, second, sign_test)  # whose intervals are too coarse for those of any t distribution
        return Judged(law=law, least_pvalue=_least(law.n_units), beside={"caution": partial(_by_means, data)})
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


def _by_means(data: Scores, first: IntArray, second: IntArray) -> tuple[Law, NoticeCode, str]:
    """The law of means, and the notice of what it does not show."""
    return (
        _judge_means(data, first, second).law,
        "mean-against-centre",
        "is of the typical dataset, and their means do not show it: the method 'paired-t' judges these",
    )


def _least(n: IntArray | int) -> FloatArray:
    """2 / 2^n, where all differences favour one model."""
    return np.asarray(0.5 ** (np.maximum(n, 1) - 1.0))


def _wins_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Chance of so many wins or more, or with `upper` of so many losses."""
    won, counted = law.parts
    number = counted - won if upper else won
    chance = np.clip((1.0 - at if upper else 1.0 + at) / 2.0, 0.0, 1.0)
    p = np.where(number <= 0, 1.0, bdtrc(np.maximum(number, 1) - 1, np.maximum(counted, 1), chance))
    return np.where(np.isnan(law.estimate), np.nan, p)


def _wins_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Ends of Clopper and Pearson's interval, in closed form; -1 and 1 where all are lost or won."""
    won, counted = law.parts
    sign, number = (-1.0, counted - won) if upper else (1.0, won)
    low = np.where(number > 0, betaincinv(np.maximum(number, 1), counted - number + 1, p), 0.0)
    return np.asarray(np.where(np.isnan(law.estimate), np.nan, sign * (2.0 * low - 1.0)))


WINS = Shape(_wins_tail, _wins_end)
"""Share of datasets won less the share lost, ties left out, by Clopper and Pearson; the tails at 0 are the exact sign test."""


def _remarks(data: Scores) -> Iterator[Notice]:
    """As of all datasets, and pairs whose mean may say something else than their centre, as differences lie askew."""
    yield from remarks_on_datasets(data)
    models = data.models
    if len(models) > MOST_CHECKED:
        return
    second, first = np.tril_indices(len(models), -1)
    difference, _ = differences_of(data, first, second)
    has = ~np.isnan(difference)
    seen = np.flatnonzero(np.abs(skewness_of_weighted_mean(difference, has)) * np.count_nonzero(has, axis=-1) > SEEN)
    rows = [row for row in seen.tolist() if triples_pvalue(difference[row, has[row]]) <= SYMMETRY_ALPHA / first.size**ITS_POWER]
    if rows:
        yield Notice(
            "mean-against-centre",
            f"the differences of {quoted([models[first[rows[0]]], models[second[rows[0]]]])}{and_more(len(rows))} do not look "
            "symmetric, so that means may say otherwise: verdicts are of the typical dataset; the method 'paired-t' judges means",
        )


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
    plain = law_of_rows(difference, scale, omit_missing=True)
    (error, df), is_single = plain.spread, np.asarray(plain.n_units) == 1  # which any difference goes with
    error, df = np.where(is_single, np.inf, error), np.where(is_single, 1.0, df)
    found = student(
        plain.estimate,
        error,
        df,
        n_units=plain.n_units,
        kind=kinds_of(difference, RELATIVE_TOLERANCE * scale),
        tolerance=plain.tolerance,
    )
    law = Means(found, skewness_of_weighted_mean(difference, ~np.isnan(difference))).law
    return Judged(law=law, reach_df=reached(law))


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
    beside=omnibus,
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
    remarks=_remarks,
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
    remarks=remarks_on_datasets,
    beside=omnibus,
)
