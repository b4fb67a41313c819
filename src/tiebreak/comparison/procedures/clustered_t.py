"""Differences of means over items by Student's t: cluster-robust where items come in clusters, and of all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.items import (
    FEW_CLUSTERS,
    FEW_RUNS,
    INDEPENDENT_ITEMS,
    SAME_ITEMS,
    OverItems,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import ModelValues, TestOnly
from tiebreak.comparison.procedures.student import StudentLaw
from tiebreak.numerics import (
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    DifferenceMoments,
    FloatArray,
    IntArray,
    corrected_standard_error,
    divide,
    row_moments,
    student_pvalue,
    student_quantile,
)
from tiebreak.numerics.law import Law, least_sure, student
from tiebreak.scores.differences import model_moments, pair_differences
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.influence import ClusterSums, cluster_sums, mean_of_clusters
from tiebreak.statistics.runs import crossed_mean
from tiebreak.statistics.skew import (
    asymmetry_pvalues,
    pair_skewness,
    skewed,
    skewness_of_mean,
    skewness_of_weighted_mean,
)

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FURTHER_ITEM_RUNS = "further runs of these models"
ANEW = "another prompt, or models trained anew unless each run was"

BLOCK = 500_000
"""Numbers handled at a time (4 MB)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanDifferences(StudentLaw):
    """Differences of means, with their skewness where it counts, and with runs the parts of the squared standard error.

    `from_items`, `from_runs` and `from_both` are these parts, `runs_error` is the standard error of the runs' means with its
    degrees of freedom.
    """

    skewness: FloatArray | None = None
    runs_error: FloatArray | None = None
    runs_df: FloatArray | None = None
    from_items: FloatArray | None = None
    from_runs: FloatArray | None = None
    from_both: FloatArray | None = None

    def half_width_floor(self, alpha: float) -> FloatArray | None:
        """As items grow in number the part of the runs stays."""
        if self.from_runs is None:
            return None
        low, high = self.interval(alpha)
        share = divide(self.from_runs, np.square(self.standard_error))
        return np.asarray((high - low) / 2.0 * np.sqrt(np.minimum(share, 1.0)))

    def runs_needed(self, margin: float, alpha: float) -> tuple[int, float] | None:
        """As the parts of the variance say: more runs divide that between runs and that within both."""
        if self.from_items is None or self.from_runs is None or self.runs_error is None or self.runs_df is None:
            return None
        n_runs = int(self.runs_df) + 1
        more = np.arange(n_runs + 1, _MOST_TIMES * n_runs + 1)
        ratio, stays = n_runs / more, float(self.from_items)
        df = float(self.df) * (more - 1.0) / (n_runs - 1.0)  # grows as runs do, where these are what the error is made of
        both = np.sqrt(stays + np.maximum(float(self.standard_error) ** 2 - stays, 0.0) * ratio) * student_quantile(alpha / 2, df)
        runs = float(self.runs_error) * np.sqrt(ratio) * student_quantile(alpha / 2, more - 1.0)
        enough = np.flatnonzero(-np.minimum(both, runs) <= margin)
        return n_runs, float(more[enough[0]]) if enough.size else np.inf


_MOST_TIMES = 100
"""Times as many runs beyond which no number is realistic."""


class Means(NamedTuple):
    """Means of rows of scores or differences with their errors, arrays over the rows."""

    estimate: FloatArray
    standard_error: FloatArray
    df: FloatArray
    n: IntArray
    kind: NDArray[np.int8]
    tolerance: FloatArray
    skewness: FloatArray | None = None
    runs_error: FloatArray | None = None
    from_items: FloatArray | None = None
    from_runs: FloatArray | None = None
    from_both: FloatArray | None = None
    guarded_error: FloatArray | None = None
    guarded_df: FloatArray | None = None
    runs_skewness: FloatArray | None = None

    def law(self, n_runs: int) -> Law:
        """Student's law of the means, or the less sure one of several.

        Where there is a skewness, Johnson's; with runs that of the runs' means too, skewed from ten runs on; and that of the
        guarded error of a macro-average, which allows for what small tasks may hide.
        """
        is_flat = (self.kind != SPREAD) & (self.kind != UNDEFINED)
        estimate = np.where(self.kind == IDENTICAL, 0.0, self.estimate)
        facts: dict[str, Any] = {"n_units": self.n, "kind": self.kind, "tolerance": self.tolerance}
        law = student(estimate, np.where(is_flat, 0.0, self.standard_error), self.df, **facts)
        laws = [law if self.skewness is None else skewed(law, self.skewness)]
        if self.runs_error is not None:
            of_runs = student(estimate, self.runs_error, np.full(estimate.shape, n_runs - 1.0), **facts)
            has_shape = self.runs_skewness is not None and n_runs >= FEW_RUNS
            laws.append(skewed(of_runs, self.runs_skewness) if has_shape else of_runs)  # type: ignore[arg-type]
        if self.guarded_error is not None and self.guarded_df is not None:
            laws.append(student(estimate, self.guarded_error, self.guarded_df, **facts))
        return least_sure(laws)

    def differences(self, n_runs: int) -> MeanDifferences:
        """Differences with this law."""
        runs_df = None if self.runs_error is None else np.full(self.estimate.shape, n_runs - 1.0)
        parts = {name: getattr(self, name) for name in ("skewness", "runs_error", "from_items", "from_runs", "from_both")}
        return MeanDifferences.of(self.law(n_runs), runs_df=runs_df, **parts)


@dataclass(frozen=True)
class ClusteredT(OverItems):
    """Student's t of the mean difference over items, clusters of items, or items and runs."""

    def for_data(self, data: Scores) -> Self:
        """With the noun of the table; about further runs too, where there are several."""
        found = super().for_data(data)
        if data.items is None or len(data.items.runs) == 1:
            return found
        return replace(found, generalises_to=f"further {found.unit}s like these, and {FURTHER_ITEM_RUNS}", not_covered=ANEW)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> MeanDifferences:
        """Mean difference of each pair over the items that both have."""
        found = self._of_pairs(data, first, second, self.scale(data, first, second))
        return found.differences(len(self.items(data).runs))

    def _of_pairs(self, data: Scores, first: IntArray, second: IntArray, scale: FloatArray) -> Means:
        items = self.items(data)
        if self._is_plain(items):
            matrix = data.matrix()
            found = _of_moments(pair_differences(matrix, data.metric, np.zeros(len(items.items)), first, second).moments)
            return found._replace(skewness=data.metric.sign * pair_skewness(matrix.score, first, second))
        one, two = np.atleast_1d(first), np.atleast_1d(second)
        if one.size == 1 and not (len(items.runs) > 1 or np.isnan(items.score).any()):  # the others need no sums
            pair = np.array([one[0], two[0]])
            items = replace(items, models=tuple(items.models[row] for row in pair.tolist()), score=items.score[pair])
            one, two = np.array([0]), np.array([1])
        sums = self._sums(items)
        step = max(1, BLOCK // items.score[0].size)
        blocks = []
        for start in range(0, one.size, step):
            rows = slice(start, start + step)
            blocks.append(self._of_block(items, sums, one[rows], two[rows], np.atleast_1d(scale)[rows]))
        found = joined(blocks)
        sign = data.metric.sign
        skewness, runs_skewness = (None if each is None else sign * each for each in (found.skewness, found.runs_skewness))
        found = found._replace(estimate=sign * found.estimate + 0.0, skewness=skewness, runs_skewness=runs_skewness)
        return Means(*(None if each is None else each.reshape(np.shape(first)) for each in found))  # type: ignore[arg-type]

    def _is_plain(self, items: Items) -> bool:
        """True where each item counts once and by itself, so that the ordinary t of their differences is the answer."""
        return not items.structure_note

    def _sums(self, items: Items) -> ClusterSums | None:
        """Sums by cluster of each model, whose differences are those of pairs; None where some scores are missing, or of runs."""
        if len(items.runs) > 1 or np.isnan(items.score).any():
            return None
        return cluster_sums(items.score[:, 0], items.cluster_codes, weights=items.weights)

    def _of_block(self, items: Items, sums: ClusterSums | None, one: IntArray, two: IntArray, scale: FloatArray) -> Means:
        if sums is not None:
            totals = sums._replace(totals=sums.totals[one] - sums.totals[two])
            return _of_clusters(totals, scale)
        return self._of_rows(items, _differences(items, one, two), scale)

    def _of_rows(self, items: Items, values: FloatArray, scale: FloatArray) -> Means:
        """Means of rows of shape (n_rows, n_runs, n_items), nan where there is no value."""
        return mean_of_rows(items, values, scale)

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean over items of each model, with the interval of the same kind as the differences have."""
        items = self.items(data)
        found = self._of_models(data)
        law = found._replace(skewness=None, runs_skewness=None).law(len(items.runs))
        error = found.standard_error
        return ModelValues("mean", found.estimate, found.n, found.tolerance, law.interval_at, standard_error=error)

    def _of_models(self, data: Scores) -> Means:
        """Mean of each model over its own items."""
        items = self.items(data)
        if self._is_plain(items):
            return _of_moments(model_moments(data.matrix()))
        scale = np.fmax.reduce(np.abs(items.score.reshape(len(items.models), -1)), axis=1)
        return self._of_rows(items, items.score, scale)

    def reason_for(self, data: Scores) -> str:
        """Reason by the shape of the table."""
        items = self.items(data)
        if len(items.runs) > 1:
            clusters = ", and these come in clusters" if items.clusters is not None else ""
            return (
                f"every {items.unit} was answered in {len(items.runs)} runs{clusters}: all runs count, as other runs would give "
                f"another mean just as other {items.unit}s would"
            )
        if items.clusters is not None:
            return (
                f"the {items.unit}s come in {items.n_clusters} clusters, which are as many independent pieces of evidence; the "
                "variance (CR2) and its degrees of freedom allow for that"
            )
        if items.weights is not None:
            return f"the {items.unit}s have weights, which the mean and its error allow for"
        return f"scores of single {items.unit}s that are not only right and wrong: the mean of their paired differences"

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Contrasts of the first two models: unpaired, with the clusters forgotten, and the parts of the variance by runs."""
        yield from super().supplementary_tests(data, settings)
        items, models = self.items(data), data.matrix().models[:2]
        first, second = np.array([0]), np.array([1])
        own = self.judge(data, first, second, settings)
        if own.kind[0] != SPREAD:
            return
        error, pair = float(own.standard_error[0]), f"{models[0]} minus {models[1]}"
        if items.clusters is not None and len(items.runs) == 1:
            apart = replace(items, clusters=None)
            found = self._of_rows(apart, _differences(apart, first, second), self.scale(data, first, second))
            alone = float(found.standard_error[0])
            seems = f"the standard error of {pair} would seem to be {alone:.3g} instead of {error:.3g}"
            text = f"clusters forgotten, for contrast: {seems}"
            yield TestOnly(name="independent", models=models, statistic=alone / error, text=text)
        if own.from_runs is not None and own.from_items is not None and own.from_both is not None:
            parts = np.array([own.from_items[0], own.from_runs[0], own.from_both[0]])
            share = parts / max(parts.sum(), np.finfo(float).tiny)
            unit = items.unit
            advice = f"{unit}s" if share[0] >= share[1] else "runs"
            text = (
                f"parts of the squared standard error of {pair}: {share[0]:.0%} between {unit}s, {share[1]:.0%} between runs, "
                f"{share[2]:.0%} within both; more {unit}s divide the first and last, more runs the second and last: {advice} "
                "would help most"
            )
            names = ("items", "runs", "both")
            yield TestOnly(
                name="variance-parts", models=models, probabilities=dict(zip(names, share.tolist(), strict=True)), text=text
            )

    def _about_items(self, items: Items) -> Iterator[Notice]:
        """Remarks on few items, and on a mean difference that a few items carry."""
        unit, n = ("cluster", items.n_clusters) if items.clusters is not None else (items.unit, len(items.items))
        if n < FEW_ITEMS and not (items.clusters is not None and n < FEW_CLUSTERS):
            yield Notice(
                "few-items",
                f"with {n} {unit}s, what {1 - 0.05 ** (1 / n):.0%} of all {unit}s show is missing from 1 sample in 20: where 5 % "
                f"of {unit}s carry a difference and the others next to none, equal models were called different in 57 % of "
                "trials of 5, 21 % of 30 and 5 % of 60, and where the differences are very skewed (lognormal, sigma 1.5) in 11 % "
                "of 5, 7 % of 12 and 6 % of 20, instead of 5 %",
            )
        n_models = len(items.models)
        if n_models > MOST_CHECKED or items.score.size * n_models > MOST_NUMBERS:
            return
        second, first = np.tril_indices(n_models, -1)
        means = _unit_means(items)
        rare, skewed = [], []
        for at in np.flatnonzero(_looked_at(means, first, second)).tolist():
            one, two = int(first[at]), int(second[at])
            values = means[one] - means[two]
            values = values[~np.isnan(values)]
            if values.size < FEWEST_CHECKED:
                continue
            tolerance = 1e-9 * np.abs(values).max()
            n_others = int(np.count_nonzero(np.abs(values - np.median(values)) > tolerance))
            if 0 < n_others < min(FEW_EVENTS, values.size / FEWEST_PER_EVENT):
                rare.append((one, two, n_others, values.size))
            elif n_others and (how := _carried_by_few(values, unit)):
                skewed.append((one, two, how))
        yield from self._size_effects(items, means, first, second)
        if rare:
            one, two, n_others, size = rare[0]
            pair = f"{quoted([items.models[one], items.models[two]])}{_and_more(rare)}"
            yield Notice(
                "rare-events",
                f"{pair}: the difference is the same on all but {n_others} of the {size} {unit}s, which carry all that is seen; "
                f"where 5 % of {unit}s carry a difference and the others next to none, equal models were called different in "
                "21 % of trials of 30 and 1 % of 100 instead of 5 %, as often as a sample holds none of the few",
            )
        if skewed:
            one, two, how = skewed[0]
            pair = f"{quoted([items.models[one], items.models[two]])}{_and_more(skewed)}"
            yield Notice(
                "skewed-differences",
                f"{pair}: {how}, so that the mean stands or falls with a few {unit}s; of costs that are lognormal (sigma 1.5) "
                "equal models were called different in 5 to 6 % of trials of 60 to 500, of those whose variance is infinite "
                "(Pareto 1.5) in 10 to 14 %, instead of 5 %, and an end of the interval may be infinite",
            )

    def _size_effects(self, items: Items, means: FloatArray, first: IntArray, second: IntArray) -> Iterator[Notice]:
        """Remark on differences that go with the sizes of very uneven clusters: sizes not met yet would change the mean."""
        if items.clusters is None or items.n_clusters < FEWEST_SIZES:
            return
        sizes = cluster_sums(np.ones(len(items.items)), items.cluster_codes, weights=items.weights).weights
        if np.sum(sizes) ** 2 / np.square(sizes).sum() > MOST_EVEN * sizes.size:
            return
        pvalues = np.concatenate(
            [
                _rank_correlation_pvalues(
                    sizes, means[first[start : start + PAIRS_AT_ONCE]] - means[second[start : start + PAIRS_AT_ONCE]]
                )
                for start in range(0, first.size, PAIRS_AT_ONCE)
            ]
        )
        found = [(int(first[at]), int(second[at])) for at in np.flatnonzero(pvalues < SIZE_ALPHA / first.size)]
        if found:
            yield Notice(
                "size-effect",
                f"{quoted([items.models[number] for number in found[0]])}{_and_more(found)}: the difference goes with the size "
                f"of the clusters, which are very uneven (the largest holds {sizes.max() / sizes.sum():.0%} of the "
                f"{items.unit}s), so a large cluster that was not met would change it; with sizes of a Pareto law (1.5) "
                "and such an effect equal models were called different in 12 to 22 % of trials instead of 5 %",
            )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on the numbers of runs and of items, and on what few of them carry."""
        yield from super().checks(data, settings)
        items = self.items(data)
        yield from self._about_runs(items)
        yield from self._about_items(items)

    def _about_runs(self, items: Items) -> Iterator[Notice]:
        n_runs = len(items.runs)
        if 1 < n_runs < FEW_RUNS:
            narrow = (
                "two runs show how much runs vary with one degree of freedom only, so intervals that hold for further runs are "
                f"wide: a third run narrows them more than any number of further {items.unit}s"
                if n_runs == 2
                else f"{n_runs} runs do not show whether runs vary symmetrically"
            )
            yield Notice(
                "few-runs",
                f"{narrow}; where runs vary more than {items.unit}s do and a few runs are far above the others (exponential to "
                "lognormal), equal models were called different in 9 to 11 % of trials of 2 runs, 11 to 18 % of 3 to 9 and 5 to "
                "7 % from 10 on, instead of 5 %",
            )
        if n_runs > 1:
            has = ~np.isnan(items.score)
            lacking = [name for name, own in zip(items.models, has, strict=True) if not own.all(axis=0)[own.any(axis=0)].all()]
            if lacking:
                yield Notice(
                    "unequal-runs",
                    f"{quoted(lacking)} {'has' if len(lacking) == 1 else 'have'} fewer than {n_runs} runs on some or all "
                    f"{items.unit}s; every {items.unit} counts the same, and what a run more would have changed there is not in "
                    "the interval",
                )


MOST_CHECKED = 60
"""Models up to which the differences of all pairs are looked at."""

MOST_NUMBERS = 20_000_000
"""Differences of all models with another one, up to which they are looked at."""

PAIRS_AT_ONCE = 500
"""Pairs whose differences are made at a time."""

FEWEST_CHECKED = 10
"""Items, or clusters, below which their shape tells nothing."""

FEWEST_SIZES, SIZE_ALPHA, MOST_EVEN = 5, 0.03, 0.7
"""Clusters below which no effect of sizes is seen, the level of its test, and the effective share of clusters of uneven sizes."""

FEW_EVENTS, FEWEST_PER_EVENT = 10, 5
"""Items that differ, and items for each of them, below and above which they are called rare."""

FEW_ITEMS = 60
"""Items, or clusters, below which 1 sample in 20 or more holds none of those that are 5 % of all."""

VERY_SKEWED, SKEWED_ALPHA, MOST_OF_ONE = 3.0, 0.02, 0.94
"""Skewness of 60 differences or more and level of the test of symmetry at which both say that a few items carry the mean.

Or the share of the variance that one item has. Of differences that are symmetric with tails so heavy that samples look skewed
(t with 2 df, differences of lognormals) at most 5 % are named.
"""


def _unit_means(items: Items) -> FloatArray:
    """Mean of each model over runs, then over the items of a cluster, of shape (n_models, n_units); nan where there is none."""
    means = items.score[:, 0] if len(items.runs) == 1 else items.item_means()
    if items.clusters is None:
        return np.asarray(means)
    sums = cluster_sums(means, items.cluster_codes, weights=items.weights, omit_missing=True)
    return np.where(sums.weights > 0, divide(sums.totals, sums.weights), np.nan)


def _looked_at(means: FloatArray, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
    """Pairs that may be carried by few units, so that the others need not be looked at one by one.

    Where few units differ from the rest, few of the first do. A share of 0.9 or more of the variance in one unit makes a
    skewness, over the root of n, of 0.9^1.5 - 0.1^1.5 = 0.82 or more.
    """
    n = means.shape[1]
    if np.isnan(means).any():
        return np.ones(first.size, dtype=bool)
    skewness = np.abs(pair_skewness(means, first, second))
    may = (skewness > 0.8) | ((n >= FEW_ITEMS) & (skewness * np.sqrt(n) > 0.99 * VERY_SKEWED))
    noise = 4e-9 * np.abs(means).max(initial=0.0)
    few = means[:, : 4 * FEW_EVENTS]
    steps = np.diff(few)  # a unit that differs from its neighbours makes two
    for start in range(0, first.size, PAIRS_AT_ONCE):
        rows = np.arange(start, min(start + PAIRS_AT_ONCE, first.size))
        step = np.abs(steps[first[rows]] - steps[second[rows]]) > noise
        rows = rows[np.count_nonzero(step, axis=1) < 2 * FEW_EVENTS]
        difference = few[first[rows]] - few[second[rows]]
        apart = np.abs(difference - np.median(difference, axis=1, keepdims=True)) > noise
        may[rows] |= np.count_nonzero(apart, axis=1) < FEW_EVENTS
    return np.asarray(may)


def _rank_correlation_pvalues(sizes: FloatArray, values: FloatArray) -> FloatArray:
    """Two-sided p-values of Spearman's correlation of each row with the sizes; 1 where a row lacks a value or does not vary."""
    from scipy.stats import rankdata

    own, other = (rankdata(each, axis=-1) for each in (sizes, values))
    own, other = own - own.mean(), other - other.mean(axis=-1, keepdims=True)
    r = divide(other @ own, np.sqrt(np.square(own).sum() * np.square(other).sum(axis=-1)))
    t = divide(r * np.sqrt(sizes.size - 2.0), np.sqrt(np.maximum(1.0 - r**2, 0.0)))
    known = np.isfinite(values).all(axis=-1) & (np.square(other).sum(axis=-1) > 0)
    return np.where(known, student_pvalue(np.where(known, t, 0.0), sizes.size - 2.0), 1.0)


def _carried_by_few(values: FloatArray, unit: str) -> str:
    """Words on one value that makes up the variance, or on few that carry the mean on one side; "" where it is not so.

    Below 60 values skew is not told from heavy tails on both sides.
    """
    deviation = values - values.mean()
    share = float(np.square(deviation).max() / np.square(deviation).sum())
    if share > MOST_OF_ONE:
        return f"one {unit} carries {share:.0%} of the variance of the difference"
    skewness = abs(float(skewness_of_mean(deviation))) * np.sqrt(values.size)
    is_skewed = values.size >= FEW_ITEMS and skewness > VERY_SKEWED
    if is_skewed and float(asymmetry_pvalues(values[None])[0]) < SKEWED_ALPHA:
        return "the differences are very skewed"
    return ""


def _and_more(pairs: Sequence[object]) -> str:
    return f" (and {len(pairs) - 1} more pair(s))" if len(pairs) > 1 else ""


def means_of_models(items: Items) -> Means:
    """Mean over its own items of each model, with the error that clusters and runs leave it."""
    scale = np.fmax.reduce(np.abs(items.score.reshape(len(items.models), -1)), axis=1)
    return mean_of_rows(items, items.score, scale)


def joined(blocks: Sequence[Means]) -> Means:
    """Successive blocks of rows as one."""
    columns = (None if each[0] is None else np.concatenate(each) for each in zip(*blocks, strict=True))
    return Means(*columns)  # type: ignore[arg-type]


def _of_moments(moments: DifferenceMoments) -> Means:
    """Ordinary t of rows whose values are independent."""
    n = np.broadcast_to(moments.n_splits, np.shape(moments.mean))
    error = corrected_standard_error(moments, 0.0)
    return Means(np.asarray(moments.mean), error, np.maximum(n - 1.0, 0.0), n, moments.kind, moments.tolerance)


def _of_clusters(sums: ClusterSums, scale: FloatArray) -> Means:
    """Kinds by the size of the scores, as differences of rounding noise are none."""
    found = mean_of_clusters(sums)
    have_all = bool((sums.weights > 0).all())
    means = sums.totals / sums.weights if have_all else np.where(sums.weights > 0, divide(sums.totals, sums.weights), np.nan)
    kind = np.where(np.asarray(found.kind) == UNDEFINED, UNDEFINED, row_moments(means, scale, omit_missing=True).kind)
    n = np.broadcast_to(sums.n_examples, kind.shape)
    columns = map(np.asarray, (found.estimate, found.se, found.df, n, kind, tolerance_of(scale)))
    return Means(*columns)._replace(skewness=skewness_of_weighted_mean(means if have_all else np.nan_to_num(means), sums.weights))


def mean_of_rows(items: Items, values: FloatArray, scale: FloatArray) -> Means:
    """Means of rows of shape (n_rows, n_runs, n_items), nan where there is no value."""
    if values.shape[1] == 1:
        sums = cluster_sums(values[:, 0], items.cluster_codes, weights=items.weights, omit_missing=True)
        return _of_clusters(sums, scale)
    present = np.asarray(~np.isnan(values).all(axis=1))
    if present.all():
        return _of_crossed(items, values, np.ones(values.shape[2], dtype=bool), scale)
    rows = range(len(values))
    return joined([_of_crossed(items, values[row : row + 1], present[row], scale[row : row + 1]) for row in rows])


def _of_crossed(items: Items, values: FloatArray, used: NDArray[np.bool_], scale: FloatArray) -> Means:
    """Items and runs crossed, on some of the items."""
    clusters = None if items.cluster_codes is None else items.cluster_codes[used]
    weights = None if items.weights is None else items.weights[used]
    if not used.any() or (weights is not None and weights.sum() == 0):
        nothing = np.full(len(values), np.nan)
        kind = np.full(len(values), UNDEFINED, dtype=np.int8)
        zero = np.zeros(len(values), dtype=np.int64)
        lacking = Means(nothing, nothing, nothing, zero, kind, tolerance_of(scale), nothing, nothing, nothing, nothing, nothing)
        return lacking._replace(runs_skewness=nothing)
    some = values[:, :, used]
    found = crossed_mean(some, clusters, weights=weights)
    kind = np.where(np.asarray(found.items.kind) == UNDEFINED, UNDEFINED, row_moments(np.nanmean(some, axis=1), scale).kind)
    own, n = found.crossed, np.full(len(values), used.sum())
    columns = (own.estimate, own.se, own.df, n, kind, tolerance_of(scale))
    sums = cluster_sums(np.nanmean(some, axis=1), clusters, weights=weights)
    # the part of the error that items have; what runs add to it counts as symmetric
    share = divide(np.square(np.asarray(found.items.se)), np.square(np.asarray(own.se)))
    skewness = skewness_of_weighted_mean(divide(sums.totals, sums.weights), sums.weights)
    skewness = skewness * np.nan_to_num(np.minimum(share, 1.0)) ** 1.5
    parts = (found.runs.se, found.from_items, found.from_runs, found.from_both)
    return Means(*map(np.asarray, (*columns, skewness, *parts)))._replace(runs_skewness=np.asarray(found.runs_skewness))


def _differences(items: Items, one: IntArray, two: IntArray) -> FloatArray:
    """Differences run by run, of shape (n_pairs, n_runs, n_items).

    Where a run of one model has no counterpart, the mean of the other model's runs on that item takes its place, so that every
    run counts and the mean stays that of both models' means.
    """
    a, b = items.score[one], items.score[two]
    if a.shape[1] > 1 and np.isnan(items.score).any():
        means = items.item_means()
        a_gap, b_gap = np.isnan(a), np.isnan(b)
        filled_a, filled_b = np.where(a_gap, means[one][:, None, :], a), np.where(b_gap, means[two][:, None, :], b)
        return np.asarray(np.where(a_gap & b_gap, np.nan, filled_a - filled_b))
    return np.asarray(a - b)


CLUSTERED_T = ClusteredT.worded(
    name="clustered-t",
    reason="asked for by name: Student's t of the paired differences, in clusters and runs where there are some",
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "the mean of the differences is roughly normal but for its skewness, unless a few rare {units} carry it",
    ),
    references=(
        "N. Johnson. Modified t tests and confidence intervals for asymmetrical populations. JASA 73, 1978.",
        "E. Miller. Adding error bars to evals: a statistical approach to language model evaluations. arXiv:2411.00640, 2024.",
        "R. Bell, D. McCaffrey. Bias reduction in standard errors for linear regression. Survey Methodology 28, 2002.",
        "J. Pustejovsky, E. Tipton. Small-sample methods for cluster-robust variance estimation. J. Bus. Econ. Stat. 36, 2018.",
        "F. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.",
    ),
)
