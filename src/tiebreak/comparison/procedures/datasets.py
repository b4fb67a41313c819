"""Procedures whose unit is the dataset: the facts that they share, and differences that a rank test has judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.procedures.items import copies_notice
from tiebreak.comparison.procedures.procedure import LawDifferences, ModelValues, Procedure, Question, TestOnly
from tiebreak.comparison.verdict import TOO_FEW_UNITS, Codes
from tiebreak.errors import Setting, TiebreakError, TooFewDatasetsError, UnsuitableDesignError
from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    Alternative,
    FloatArray,
    IntArray,
    divide,
)
from tiebreak.numerics.law import Law
from tiebreak.scores.adjusted_means import adjusted_means, filled
from tiebreak.scores.dataset_means import dataset_means
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.omnibus import average_ranks, critical_difference, friedman_test, rank_models, skillings_mack
from tiebreak.statistics.repeats import repeated_rows

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEWEST = 6
"""Datasets below which no rank test can reach 0.05 two-sided: with n of them the smallest p-value is 2 / 2^n."""

_WITH_A_PRIOR = ("hierarchical", "bayes-signed-rank")


@dataclass(frozen=True, kw_only=True, eq=False)
class RankTestDifferences(LawDifferences):
    """Differences by a rank test: its interval inverts it on shifted data, its p-values allow for ties and zeros as well."""

    @property
    def law(self) -> Law:
        """The law, with the ends and p-values that were found already."""
        return super(LawDifferences, self).law

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of the inverted test."""
        if np.ndim(p):
            return super().quantile(p, upper=upper)
        key = (float(np.asarray(p)), upper)
        if key not in self._ends:
            self._ends[key] = super().quantile(p, upper=upper)
        return self._ends[key]

    @property
    def prefers_tails(self) -> bool:
        """True of many pairs: counting the means of two datasets above a point takes a part of the time of selecting some."""
        return np.size(self.estimate) > MOST_SELECTED

    def is_beyond(self, limit: float, p: float, *, upper: bool, closed: bool = False) -> NDArray[np.bool_]:
        """The side on which a bound lies: by the tail at the limit, which is small there."""
        if not self.prefers_tails:
            return super().is_beyond(limit, p, upper=upper, closed=closed)
        key = (limit, upper, closed)
        if key not in self._tails:
            noise = 2.0 * np.asarray(self.tolerance) if closed else 0.0  # the tail itself leaves out what is within rounding
            self._tails[key] = self.tail_above(limit + noise) if upper else self.tail_below(limit - noise)
        return np.asarray((self.kind == SPREAD) & (self._tails[key] <= p * (1.0 + 1e-12)))

    def reasons(self, alpha: float) -> Codes:
        """The kind of a pair, or too few units where not even differences that all favour one model have so small a tail."""
        is_too_few = self.smallest_pvalue > alpha * (1.0 + 1e-12)
        return np.where((self.kind == SPREAD) & is_too_few, TOO_FEW_UNITS, self.kind).astype(np.int8)

    @property
    def student_df(self) -> FloatArray | None:
        """Datasets less one."""
        return np.maximum(np.asarray(self.n_units, dtype=float) - 1.0, 1.0)

    @cached_property
    def _tails(self) -> dict[tuple[float, bool, bool], FloatArray]:
        """Tails of all pairs at the points that were asked about."""
        return {}

    @cached_property
    def _ends(self) -> dict[tuple[float, bool], FloatArray]:
        """Ends of all pairs by their chance to miss."""
        return {}

    @cached_property
    def _pvalue(self) -> FloatArray:
        return np.asarray(self.judged.pvalue())

    @property
    def smallest_pvalue(self) -> FloatArray:
        """2 / 2^n, where all differences favour one model."""
        return np.asarray(0.5 ** (np.maximum(self.n_units, 1) - 1.0))

    def own_pvalue(self, alternative: Alternative) -> FloatArray:
        """The test's own p-value."""
        return self._pvalue if alternative == "two-sided" else np.asarray(self.judged.pvalue(alternative))


class SignDifferences(RankTestDifferences):
    """Differences by the sign test, whose intervals are too coarse for those of any t distribution."""

    @property
    def student_df(self) -> None:
        """None."""
        return


@dataclass(frozen=True, kw_only=True)
class OverDatasets(Procedure):
    """Procedure over the means of several datasets.

    Attributes
    ----------
    takes_mixed : bool
        Datasets in metrics of several units suit it, as it reads no sizes of differences.
    """

    question: Question = "datasets"
    unit: str = "dataset"
    generalises_to: str = "a further dataset of this kind"
    takes_mixed: bool = False

    def units(self, data: Scores) -> Scores:
        """Means of each dataset."""
        return dataset_means(data)

    def applies(self, data: Scores) -> TiebreakError | None:
        """At least two datasets, in one metric unless the sizes of differences are not read."""
        if len(data.matrices) >= 2:
            return self._refuse_mixed(data)
        return TooFewDatasetsError(
            f"{self.name} compares models over several datasets, and these scores are of one. Its folds are no datasets: they "
            "share data. Leave ",
            Setting("method"),
            " out, or give scores of several datasets, named in a column 'dataset'.",
        )

    def _refuse_mixed(self, data: Scores) -> TiebreakError | None:
        if not data.is_mixed or self.takes_mixed:
            return None
        return UnsuitableDesignError(
            f"the datasets are scored in {data.metric.name}, and {self.name} reads sizes of differences, which have no "
            "common unit. Leave ",
            Setting("method"),
            " out, which counts wins (the method 'sign'), or name one metric with ",
            Setting("metric"),
            ".",
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean over datasets, with the average rank: missing scores rank where the additive model of the others puts them.

        Of mixed metrics the share of the other models that a model beats.
        """
        values = super().values(data, settings)
        means = dataset_means(data)
        score, higher = means.matrix().score, means.metric.higher_is_better
        if data.is_mixed:
            score, higher = _shares(score), True  # of the models beaten, as scores of several metrics do not add up
        values = values._replace(average_rank=average_ranks(filled(score).T, higher_is_better=higher))
        return _win_rates(values, score) if data.is_mixed else values

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """Values as if every model had been measured on all datasets, on the scale of `values`."""
        if not data.is_mixed:
            return super().adjusted_values(data, values)
        score = _shares(dataset_means(data).matrix().score)
        return adjusted_means(score) if np.isnan(score).any() else None

    def differences_of(self, data: Scores, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Differences of pairs by dataset, of shape (..., n_datasets), nan where one is missing; the size of their scores."""
        units = self.units(data)
        score, sign = units.matrix().score, units.metric.sign
        if np.ndim(first) == 0:
            one, two = score[first], score[second]
            return np.asarray(sign * (one - two)), _scale_of(one, two)
        difference, scale = np.empty((len(first), score.shape[1])), np.empty(len(first))
        for rows in _blocks(len(first)):
            one, two = score[first[rows]], score[second[rows]]
            difference[rows], scale[rows] = sign * (one - two), _scale_of(one, two)
        return difference, scale

    def kinds(self, difference: FloatArray, tolerance: FloatArray) -> NDArray[np.int8]:
        """IDENTICAL where all differences are 0, CONSTANT where two or more are the same, UNDEFINED where there is none."""
        if np.ndim(tolerance) and len(tolerance) > BLOCK:
            return np.concatenate([self.kinds(difference[rows], tolerance[rows]) for rows in _blocks(len(tolerance))])
        present = ~np.isnan(difference)
        is_zero = (np.abs(np.where(present, difference, 0.0)) <= np.asarray(tolerance)[..., None]).all(axis=-1)
        spread = np.where(present, difference, -np.inf).max(axis=-1) - np.where(present, difference, np.inf).min(axis=-1)
        is_constant = (present.sum(axis=-1) > 1) & (spread <= 2.0 * np.asarray(tolerance))
        kinds = np.where(is_zero, IDENTICAL, np.where(is_constant, CONSTANT, SPREAD))
        return np.where(~present.any(axis=-1), UNDEFINED, kinds).astype(np.int8)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Omnibus tests: Friedman's and that of Iman and Davenport, or that of Skillings and Mack where scores are missing."""
        matrix = self.units(data).matrix()
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
            text = f"{label} {statistic:.6g}, {df}, p {p:.3g}"
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

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on few datasets."""
        n = len(data.matrices)
        if n < FEWEST:
            still = (
                f"{self.name!r} still answers, but with so few its prior and its assumptions count for much"
                if self.name in _WITH_A_PRIOR
                else "the methods 'hierarchical' and 'bayes-signed-rank' still answer"
            )
            yield Notice(
                "few-datasets",
                f"with {n} datasets no rank test can reach 0.05, whatever the scores: {FEWEST} are the fewest; {still}",
            )
        found = repeated_rows(self.units(data).matrix().score)
        if found is not None:
            yield copies_notice(found, self.unit, n, "give one row for each of what they stand for")
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
        "dataset-families",
        f"{quoted(sources[0])}{more} look by their names like variants of one source, and each counts as a dataset of its own, "
        f"{n} where there would be {left} sources. Where 30 datasets were of 10 sources whose variants differed half as much as "
        "sources did, equal models were called different in 23 % of trials, and of 6 sources in 35 %, instead of 5 %. If they "
        "are, give one row for each source, such as the mean of its variants",
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

BLOCK = 10_000
"""Pairs whose differences are made at a time."""


def _blocks(n_pairs: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, n_pairs, BLOCK))


def _skillings_mack(models: tuple[str, ...], table: FloatArray, higher_is_better: bool) -> Iterator[TestOnly]:
    """The test of all models where some lack datasets; none where a model shares no dataset with any other."""
    present = ~np.isnan(table)
    counted = present.sum(axis=1) >= 2
    if not present[counted].any(axis=0).all():
        return
    mack = skillings_mack(table, higher_is_better=higher_is_better)
    shown = f"chi-squared {mack.statistic:.6g}, df {mack.df}, p {mack.pvalue:.3g}, on {counted.sum()} datasets"
    text = "not defined, as all models tie on every dataset" if np.isnan(mack.statistic) else shown
    yield TestOnly(
        name="skillings-mack",
        models=models,
        statistic=float(mack.statistic),
        pvalue=float(mack.pvalue),
        text=f"Skillings-Mack: {text}",
    )


def _scale_of(one: FloatArray, two: FloatArray) -> FloatArray:
    """Largest score of each pair among the datasets that both have."""
    size = np.maximum(np.abs(one), np.abs(two))
    return np.asarray(np.where(np.isnan(size), 0.0, size).max(axis=-1))


def _win_rates(values: ModelValues, score: FloatArray) -> ModelValues:
    """Share of the other models of a dataset that a model beats, its mean over datasets."""
    share = _shares(score)
    rate = divide(np.nansum(share, axis=1), np.count_nonzero(~np.isnan(share), axis=1))
    return values._replace(name="win rate", label="win rate", value=rate, tolerance=np.full(rate.size, RELATIVE_TOLERANCE))


def _shares(score: FloatArray) -> FloatArray:
    """Share of the other models of each dataset that each model beats, ties as half; nan where it has no score, or no rival."""
    ranks = rank_models(score.T)
    n_models = np.count_nonzero(~np.isnan(ranks), axis=1, keepdims=True)
    return np.asarray(divide(n_models - ranks, n_models - 1).T)


MOST_SELECTED = 500
"""Pairs up to which verdicts are read from the ends of intervals; of more, from tails at the limits, which is the same."""

MOST_PAIRS = 5
"""Pairs that one remark names."""

PAIRED_DATASETS = "both models were scored on the same datasets, in the same way"
INDEPENDENT_DATASETS = "the datasets are a sample of those that the answer is meant for, none a variant of another"


def tolerance_of(scale: FloatArray) -> FloatArray:
    """Rounding noise of differences of scores of this size."""
    return np.asarray(RELATIVE_TOLERANCE * scale)
