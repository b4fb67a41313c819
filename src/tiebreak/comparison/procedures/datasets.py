"""Several datasets, whose means are the units: the facts, refusals, remarks and omnibus tests that procedures over them share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.items import copies_notice
from tiebreak.comparison.procedures.procedure import Kinds, ModelValues, TestOnly, adjusted_of, mean_values, p_words, units_of
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.numerics import CONSTANT, IDENTICAL, RELATIVE_TOLERANCE, SPREAD, UNDEFINED, FloatArray, IntArray, divide
from tiebreak.scores.means import dataset_means, filled
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.copies import repeated_rows
from tiebreak.statistics.ranks import average_ranks, critical_difference, friedman_test, rank_models, skillings_mack

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEWEST = 6
"""Datasets below which no rank test can reach 0.05 two-sided: with n of them the smallest p-value is 2 / 2^n."""

MOST_PAIRS = 5
"""Pairs that one remark names."""

FURTHER_DATASET = "a further dataset of this kind"
PAIRED_ON_DATASETS = "both models were scored on the same datasets, in the same way"
INDEPENDENT_DATASETS = "the datasets are a sample of those that the answer is meant for, none a variant of another"


def refuse_datasets(name: str, data: Scores, *, takes_mixed: bool = False) -> TiebreakError | None:
    """The error for one dataset, and for several metrics unless the sizes of differences are not read."""
    if len(data.matrices) < 2:
        return DataError(
            f"{name} compares models over several datasets, and these scores are of one. Its folds are no datasets: they "
            "share data. Leave ",
            Setting("method"),
            " out, or give scores of several datasets, named in a column 'dataset'.",
        )
    if not data.is_mixed or takes_mixed:
        return None
    return DataError(
        f"the datasets are scored in {data.metric.name}, and {name} reads sizes of differences, which have no common unit. "
        "Leave ",
        Setting("method"),
        " out, which counts wins (the method 'sign'), or name one metric with ",
        Setting("metric"),
        ".",
    )


def values_of_datasets(data: Scores) -> ModelValues:
    """Mean over datasets, with the average rank: missing scores rank where the additive model of the others puts them.

    Of mixed metrics the share of the other models that a model beats, its mean over datasets, as scores of several metrics do
    not add up.
    """
    means = dataset_means(data)
    score, higher = means.matrix().score, means.metric.higher_is_better
    if not data.is_mixed:
        return mean_values(data)._replace(average_rank=average_ranks(filled(score).T, higher_is_better=higher))
    share = _shares(score)
    n = np.count_nonzero(~np.isnan(share), axis=1)
    return mean_values(data)._replace(
        name="win rate",
        label="win rate",
        value=divide(np.nansum(share, axis=1), n),
        tolerance=np.full(n.size, RELATIVE_TOLERANCE),
        adjusted=adjusted_of(share),
        average_rank=average_ranks(filled(share).T, higher_is_better=True),
    )


def _shares(score: FloatArray) -> FloatArray:
    """Share of the other models of each dataset that each model beats, ties as half; nan where it has no score, or no rival."""
    ranks = rank_models(score.T)
    n_models = np.count_nonzero(~np.isnan(ranks), axis=1, keepdims=True)
    return np.asarray(divide(n_models - ranks, n_models - 1).T)


def differences_of(data: Scores, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Differences of pairs by dataset, of shape (..., n_datasets), nan where one is missing; the size of their scores."""
    units = units_of(data)
    score, sign = units.matrix().score, units.metric.sign
    difference, scale = np.empty((*np.shape(first), score.shape[1])), np.empty(np.shape(first))
    for rows in _blocks(np.shape(first)):
        one, two = score[first[rows]], score[second[rows]]
        size = np.maximum(np.abs(one), np.abs(two))
        difference[rows], scale[rows] = sign * (one - two), np.where(np.isnan(size), 0.0, size).max(axis=-1)
    return difference, scale


def kinds_of(difference: FloatArray, tolerance: FloatArray) -> Kinds:
    """IDENTICAL where all differences are 0, CONSTANT where two or more are the same, UNDEFINED where there is none."""
    found = np.empty(tolerance.shape, dtype=np.int8)
    for rows in _blocks(tolerance.shape):
        d, noise = difference[rows], tolerance[rows]
        present = ~np.isnan(d)
        is_zero = (np.abs(np.where(present, d, 0.0)) <= noise[..., None]).all(axis=-1)
        spread = np.where(present, d, -np.inf).max(axis=-1) - np.where(present, d, np.inf).min(axis=-1)
        is_constant = (present.sum(axis=-1) > 1) & (spread <= 2.0 * noise)
        kinds = np.where(is_zero, IDENTICAL, np.where(is_constant, CONSTANT, SPREAD))
        found[rows] = np.where(~present.any(axis=-1), UNDEFINED, kinds)
    return found


BLOCK = 10_000
"""Pairs whose differences are made at a time."""


def _blocks(shape: tuple[int, ...]) -> Iterator[slice | tuple[()]]:
    return (slice(start, start + BLOCK) for start in range(0, shape[0], BLOCK)) if shape else iter([()])


def omnibus(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """Omnibus tests: Friedman's and that of Iman and Davenport, or that of Skillings and Mack where scores are missing."""
    matrix = units_of(data).matrix()
    n_models = len(matrix.models)
    if n_models < 3:
        return
    means = dataset_means(data)
    table, higher = means.matrix().score.T, means.metric.higher_is_better
    if np.isnan(table).any():
        yield from _skillings_mack(matrix.models, table, higher)
        return
    both = friedman_test(table, higher_is_better=higher)
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
    text = (
        f"Nemenyi, for contrast: average ranks {limit:.5g} apart are told apart; the ranks of two models, and so its verdict "
        "on them, depend on which others are in the table"
    )
    yield TestOnly(name="nemenyi", models=matrix.models, statistic=limit, text=text)


def _skillings_mack(models: tuple[str, ...], table: FloatArray, higher_is_better: bool) -> Iterator[TestOnly]:
    """The test of all models where some lack datasets; none where a model shares no dataset with any other."""
    present = ~np.isnan(table)
    counted = present.sum(axis=1) >= 2
    if not present[counted].any(axis=0).all():
        return
    mack = skillings_mack(table, higher_is_better=higher_is_better)
    shown = f"chi-squared {mack.statistic:.6g}, df {mack.df}, {p_words(float(mack.pvalue))}, on {counted.sum()} datasets"
    text = "not defined, as all models tie on every dataset" if np.isnan(mack.statistic) else shown
    yield TestOnly(
        name="skillings-mack",
        models=models,
        statistic=float(mack.statistic),
        pvalue=float(mack.pvalue),
        text=f"Skillings-Mack: {text}",
    )


def remarks_on_datasets(data: Scores, has_prior: str = "") -> Iterator[Notice]:
    """Few datasets, copies and variants of one source, and mixed metrics; `has_prior` names a procedure that has one."""
    n = len(data.matrices)
    if n < FEWEST:
        still = (
            f"{has_prior!r} still answers, but with so few its prior and its assumptions count for much"
            if has_prior
            else "the methods 'hierarchical' and 'bayes-signed-rank' still answer"
        )
        yield Notice(
            "few-units",
            f"with {n} datasets no rank test can reach 0.05, whatever the scores: {FEWEST} are the fewest; {still}",
        )
    found = repeated_rows(units_of(data).matrix().score)
    if found:
        yield copies_notice(found, "dataset", n, "give one row for each of what they stand for")
    sources = families(data.datasets)
    if sources:
        yield _families_notice(sources, n)
    if data.is_mixed:
        names = dict.fromkeys(data.metric_of(matrix).name for matrix in data.matrices)
        how = "so only wins and losses count, not their sizes"
        yield Notice("mixed-metrics", f"datasets are scored in {quoted(list(names))}, {how}")


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


def _families_notice(sources: Sequence[tuple[str, ...]], n: int) -> Notice:
    more = f" (and {len(sources) - 1} more such group(s))" if len(sources) > 1 else ""
    left = n - sum(len(own) - 1 for own in sources)
    return Notice(
        "copied-units",
        f"{quoted(sources[0])}{more} look by their names like variants of one source: {n} datasets count where there would be "
        f"{left} sources. If they are, give one row for each source, such as the mean of its variants",
    )


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
