"""Means over items that come in clusters, runs and tasks, with the laws of their differences: what `compare` says of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    UNDEFINED,
    DifferenceMoments,
    FloatArray,
    IntArray,
    blocks,
    corrected_standard_error,
    divide,
    mean_present,
    row_moments,
)
from tiebreak.numerics.law import Law, least_sure, student
from tiebreak.statistics.influence import ClusterSums, cluster_sums, mean_of_clusters, welch_freedom
from tiebreak.statistics.runs import crossed_mean, variance_of_both
from tiebreak.statistics.skew import (
    asymmetry_pvalues,
    expected_skewness,
    pair_skewness,
    skewed,
    skewness_of_mean,
    skewness_of_weighted_mean,
)
from tiebreak.statistics.tasks import stratified_mean

FEW_RUNS = 10
"""Runs below which nothing shows whether they vary symmetrically."""


MANY_CLUSTERS, SEEN = 20, 1.0
"""Clusters below which only a skewness of their means above this one counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Clusters, weights and tasks of items; None where each stands by itself, counts the same, or is of the one task."""

    clusters: IntArray | None = None
    weights: FloatArray | None = None
    tasks: IntArray | None = None


class Means(NamedTuple):
    """Means of rows of scores or differences with their errors, arrays over the rows; None where there is no such thing.

    `n` are the items, `df` the degrees of freedom. With runs `runs_error` and `runs_df` are of the runs' means, and
    `from_items`, `from_runs` and `from_both` are the parts of the squared standard error. The guarded error allows for what
    small tasks, or a judge that was right by chance, may hide.
    """

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
    runs_df: FloatArray | None = None

    def law(self) -> Law:
        """Student's law of the means, or the less sure one of several.

        Where there is a skewness, Hall's; with runs that of the runs' means too, skewed from ten runs on; and that of the
        guarded error.
        """
        facts: dict[str, Any] = {"n_units": self.n, "kind": self.kind, "tolerance": self.tolerance}
        law = student(self.estimate, self.standard_error, self.df, **facts)
        laws = [law if self.skewness is None else skewed(law, expected_skewness(self.skewness, self.df + 1.0))]
        if self.runs_error is not None and self.runs_df is not None:
            of_runs = student(self.estimate, self.runs_error, self.runs_df, **facts)
            if self.runs_skewness is not None:
                of_runs = skewed(of_runs, np.where(np.asarray(self.runs_df) >= FEW_RUNS - 1, self.runs_skewness, 0.0))
            laws.append(of_runs)
        if self.guarded_error is not None and self.guarded_df is not None:
            laws.append(student(self.estimate, self.guarded_error, self.guarded_df, **facts))
        return least_sure(laws)

    def reshaped(self, shape: tuple[int, ...]) -> Means:
        """Arrays of another shape."""
        return Means(*(None if each is None else each.reshape(shape) for each in self))  # type: ignore[arg-type]


def differences_of_means(score: FloatArray, one: IntArray, two: IntArray, layout: Layout, scale: FloatArray) -> Means:
    """Mean differences of pairs of models.

    Parameters
    ----------
    score : ndarray of shape (n_models, n_runs, n_items)
        nan where there is none.
    one, two : ndarray of int, shape (n_pairs,)
    layout : Layout
    scale : ndarray of shape (n_pairs,)
        Size of the scores of each pair.
    """
    sums = None
    if (
        score.shape[1] == 1 and layout.tasks is None and not np.isnan(score).any()
    ):  # a difference of sums is the sum of differences
        used, rows = np.unique([one, two], return_inverse=True)
        one, two = rows.reshape(2, -1)
        score = score[used]
        sums = cluster_sums(score[:, 0], layout.clusters, weights=layout.weights)
    found = []
    for part in blocks(one.size, score[0].size):
        i, j, size = one[part], two[part], scale[part]
        if sums is not None:
            found.append(_of_sums(sums._replace(totals=sums.totals[i] - sums.totals[j]), size))
        else:
            found.append(_of_runs(score, i, j, layout, size))
    return _joined(found)


def _of_runs(score: FloatArray, one: IntArray, two: IntArray, layout: Layout, scale: FloatArray) -> Means:
    """Pairs by run; those of which one model has runs that the other lacks by both models' own runs."""
    has = np.asarray(~np.isnan(score).all(axis=2))
    apart = (has[one] != has[two]).any(axis=1)
    if not apart.any():
        return means_of_rows(run_differences(score, one, two), layout, scale)
    rows = ((slice(row, row + 1), bool(is_apart)) for row, is_apart in enumerate(apart))
    return _joined(
        [
            _of_own_runs(score[one[row]], score[two[row]], layout, scale[row])
            if is_apart
            else means_of_rows(run_differences(score, one[row], two[row]), layout, scale[row])
            for row, is_apart in rows
        ]
    )


def _of_own_runs(a: FloatArray, b: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Mean difference over items of two models with runs of their own, which are two samples as Welch has them.

    Filling the gaps with means, as where single answers are missing, made runs of the larger number out of the few: of equal
    models of 2 and 5 runs 15 % were called different, and 38 % where only the runs of the former vary. One run alone is taken
    to vary as those of the other model do.
    """
    difference = mean_present(a, axis=1) - mean_present(b, axis=1)
    items = means_of_rows(difference[:, None], layout, scale)
    n = np.stack([np.count_nonzero(~np.isnan(each).all(axis=2), axis=1) for each in (a, b)]).astype(float)
    shared = [means_of_rows(np.where(np.isnan(difference)[:, None], np.nan, each), layout, scale) for each in (a, b)]
    squares = np.stack([np.square(np.asarray(each.runs_error)) for each in shared])
    squares = np.where(n == 1, squares[::-1] * n[::-1], squares)
    rest = np.sum([np.asarray(each.from_both) for each in shared], axis=0)
    runs, own = squares.sum(axis=0), np.maximum(n - 1.0, 1.0)
    runs_df = np.where((n == 1).any(axis=0), own.max(axis=0), welch_freedom(squares[0], own[0], squares[1], own[1], guarded=True))
    by_items = np.square(items.standard_error)
    variance, df = variance_of_both(by_items, items.df, runs, runs_df, rest, items.df * own.sum(axis=0))
    share = np.minimum(np.nan_to_num(divide(by_items, variance)), 1.0)
    return items._replace(
        standard_error=np.sqrt(variance),
        df=df,
        skewness=np.asarray(items.skewness) * share**1.5,
        runs_error=np.sqrt(runs),
        from_items=np.maximum(by_items - rest, 0.0),
        from_runs=np.maximum(runs - rest, 0.0),
        from_both=rest,
        guarded_error=None,
        guarded_df=None,
        runs_skewness=np.zeros(runs.shape),
        runs_df=runs_df,
    )


def run_differences(score: FloatArray, one: IntArray, two: IntArray) -> FloatArray:
    """Differences run by run, of shape (n_pairs, n_runs, n_items).

    Where a run of one model has no counterpart, the mean of the other model's runs on that item takes its place, so that every
    run counts and the mean stays that of both models' means.
    """
    a, b = score[one], score[two]
    if a.shape[1] > 1 and np.isnan(score).any():
        means = mean_present(score, axis=1)
        a_gap, b_gap = np.isnan(a), np.isnan(b)
        filled_a, filled_b = np.where(a_gap, means[one][:, None, :], a), np.where(b_gap, means[two][:, None, :], b)
        return np.asarray(np.where(a_gap & b_gap, np.nan, filled_a - filled_b))
    return np.asarray(a - b)


def means_of_rows(values: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Means of rows of shape (n_rows, n_runs, n_items), nan where there is no value; over tasks where there are some."""
    if layout.tasks is not None:
        return _over_tasks(values, layout, scale)
    if values.shape[1] == 1:
        sums = cluster_sums(values[:, 0], layout.clusters, weights=layout.weights, omit_missing=True)
        return _of_sums(sums, scale)
    present = np.asarray(~np.isnan(values).all(axis=1))
    if present.all():
        return _of_crossed(values, layout, np.ones(values.shape[2], dtype=bool), scale)
    rows = range(len(values))
    return _joined([_of_crossed(values[row : row + 1], layout, present[row], scale[row : row + 1]) for row in rows])


def means_of_moments(moments: DifferenceMoments) -> Means:
    """Ordinary t of rows whose values are independent and count the same."""
    n = np.broadcast_to(moments.n_splits, np.shape(moments.mean))
    error = corrected_standard_error(moments, 0.0)
    return Means(np.asarray(moments.mean), error, np.maximum(n - 1.0, 0.0), n, moments.kind, moments.tolerance)


def _joined(found: Sequence[Means]) -> Means:
    """Successive blocks of rows as one."""
    columns = (None if each[0] is None else np.concatenate(each) for each in zip(*found, strict=True))
    return Means(*columns)  # type: ignore[arg-type]


def _of_sums(sums: ClusterSums, scale: FloatArray) -> Means:
    """Kinds by the size of the scores, as differences of rounding noise are none."""
    found = mean_of_clusters(sums)
    have_all = bool((sums.weights > 0).all())
    means = sums.totals / sums.weights if have_all else np.where(sums.weights > 0, divide(sums.totals, sums.weights), np.nan)
    kind = np.where(np.asarray(found.kind) == UNDEFINED, UNDEFINED, row_moments(means, scale, omit_missing=True).kind)
    n = np.broadcast_to(sums.n_examples, kind.shape)
    columns = map(np.asarray, (found.estimate, found.se, found.df, n, kind, RELATIVE_TOLERANCE * scale))
    skewness = skewness_of_weighted_mean(means if have_all else np.nan_to_num(means), sums.weights)
    return Means(*columns)._replace(skewness=_if_seen(skewness, sums.weights, sums.n_examples))


def _if_seen(skewness: FloatArray, weights: FloatArray, n_items: IntArray | int) -> FloatArray:
    """Skewness of a mean, or 0 for that of few clusters which chance may make of symmetric ones.

    At 8 clusters it would take a fifth of the power and hold no level that Student's t does not.
    """
    n = np.count_nonzero(weights > 0, axis=-1)
    is_chance = (n < MANY_CLUSTERS) & (n < n_items) & (np.abs(skewness) * np.sqrt(n) < SEEN)
    return np.where(is_chance, 0.0, skewness)


def _of_crossed(values: FloatArray, layout: Layout, used: NDArray[np.bool_], scale: FloatArray) -> Means:
    """Items and runs crossed, on some of the items."""
    clusters = None if layout.clusters is None else layout.clusters[used]
    weights = None if layout.weights is None else layout.weights[used]
    if not used.any() or (weights is not None and weights.sum() == 0):
        nothing = np.full(len(values), np.nan)
        kind = np.full(len(values), UNDEFINED, dtype=np.int8)
        none = Means(nothing, nothing, nothing, np.zeros(len(values), dtype=np.int64), kind, RELATIVE_TOLERANCE * scale)
        names = ("skewness", "runs_error", "from_items", "from_runs", "from_both", "runs_skewness", "runs_df")
        return none._replace(**dict.fromkeys(names, nothing))
    some = values[:, :, used]
    has_run = ~np.isnan(some).all(axis=(0, 2))
    if not has_run.all():
        some = some[:, has_run]
    if some.shape[1] == 1:  # nothing is seen of runs
        of_one = means_of_rows(mean_present(values, axis=1)[:, None], Layout(layout.clusters, layout.weights), scale)
        nothing, square = np.zeros(len(values)), np.square(of_one.standard_error)
        of_runs = {"from_items": square, "from_runs": nothing, "from_both": nothing, "runs_skewness": nothing}
        return of_one._replace(runs_error=nothing, runs_df=nothing + 1.0, **of_runs)
    found = crossed_mean(some, clusters, weights=weights)
    kind = np.where(np.asarray(found.items.kind) == UNDEFINED, UNDEFINED, row_moments(np.nanmean(some, axis=1), scale).kind)
    own, n = found.crossed, np.full(len(values), used.sum())
    sums = cluster_sums(np.nanmean(some, axis=1), clusters, weights=weights)
    # the part of the error that items have; what runs add to it counts as symmetric
    share = divide(np.square(np.asarray(found.items.se)), np.square(np.asarray(own.se)))
    skewness = skewness_of_weighted_mean(divide(sums.totals, sums.weights), sums.weights)
    skewness = skewness * np.nan_to_num(np.minimum(share, 1.0)) ** 1.5
    columns = (own.estimate, own.se, own.df, n, kind, RELATIVE_TOLERANCE * scale, skewness)
    of_parts = (found.runs.se, found.from_items, found.from_runs, found.from_both)
    runs = {"runs_skewness": np.asarray(found.runs_skewness), "runs_df": np.full(len(values), some.shape[1] - 1.0)}
    return Means(*map(np.asarray, (*columns, *of_parts)))._replace(**runs)


# --- macro-averages ---------------------------------------------------------------------------------------------------------


def _over_tasks(values: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Means over tasks of the means of their items, of which only the spread within tasks counts."""
    if values.shape[1] > 1:
        if not np.isnan(values).any():
            return _centred(values, layout, scale)
        rows = range(len(values))
        return _joined([_centred(values[row : row + 1], layout, scale[row : row + 1]) for row in rows])
    found = stratified_mean(
        values[:, 0], np.asarray(layout.tasks), layout.clusters, weights=layout.weights, omit_missing=True, scale=scale
    )
    own, wide = found.within, found.guarded
    columns = (own.estimate, own.se, own.df, found.n_examples, own.kind, RELATIVE_TOLERANCE * scale, found.skewness)
    return Means(*map(np.asarray, columns))._replace(guarded_error=wide.spread[0], guarded_df=wide.spread[1])


def task_shares(layout: Layout, present: NDArray[np.bool_] | bool = True) -> FloatArray:
    """Weight of each item in its task, of those that are `present`; those of a task sum to 1."""
    codes = np.asarray(layout.tasks)
    shares = np.where(present, np.ones(codes.size) if layout.weights is None else layout.weights, 0.0)
    return np.asarray(divide(shares, np.bincount(codes, shares)[codes]))


def _centred(values: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Macro-averages of rows that lack the same items, with runs: the two-way layout of items that are centred within their task.

    Centred values have no spread between tasks, which are fixed; they are stretched by what centring takes of it.
    """
    codes = np.asarray(layout.tasks)
    n_tasks = int(codes.max()) + 1
    present = ~np.isnan(values[0]).all(axis=0)
    units = np.arange(codes.size)
    clusters = None
    if layout.clusters is not None:  # of one task each
        clusters = units = np.unique(codes * (int(layout.clusters.max()) + 1) + layout.clusters, return_inverse=True)[1]
    n_units = np.array([np.unique(units[present & (codes == code)]).size for code in range(n_tasks)])
    shares = task_shares(layout, present)
    by_item = np.nan_to_num(mean_present(values, axis=1))
    means = np.stack([np.bincount(codes, np.where(present, shares, 0.0) * row, n_tasks) for row in by_item])
    if (n_units == 0).any():  # a task that these models do not share
        values = np.full_like(values, np.nan)
    stretch = np.sqrt(divide(n_units, np.where(n_units > 1, n_units - 1.0, 1.0)))[codes]
    centred = means.mean(axis=1)[:, None, None] + (values - means[:, None, codes]) * stretch
    return means_of_rows(centred, Layout(clusters, np.where(present, shares, 0.0)), scale)


# --- means that few items carry ---------------------------------------------------------------------------------------------

FEW_ITEMS = 60
"""Items, or clusters, below which 1 sample in 20 or more holds none of those that are 5 % of all."""

PAIRS_AT_ONCE = 500
"""Pairs whose differences are made at a time."""

FEWEST_CHECKED = 10
"""Items, or clusters, below which their shape tells nothing."""

FEWEST_SIZES, SIZE_ALPHA, MOST_EVEN = 5, 0.03, 0.7
"""Clusters below which no effect of sizes is seen, the level of its test, and the effective share of clusters of uneven sizes."""

FEW_EVENTS, FEWEST_PER_EVENT = 10, 5
"""Items that differ, and items for each of them, below and above which they are called rare."""

VERY_SKEWED, SKEWED_ALPHA, MOST_OF_ONE = 2.5, 0.05, 0.94
"""Skewness of differences and level of the test of symmetry at which both say that a few items carry the mean.

Or the share of the variance that one item has. Of differences that are symmetric with tails so heavy that samples look skewed
(t with 2 df, differences of lognormals) at most 5 % are named.
"""

FEWEST_SKEWED, LESS_SKEWED, LESS_ALPHA = 20, 1.5, 0.3
"""Items from which skewness is looked for, and what is enough of it below `FEW_ITEMS`, where samples show less than there is."""


class Carried(NamedTuple):
    """Pairs of which few units differ, with their number and that of all; and those whose mean a few units carry.

    `share` is that of the variance that one unit has, nan where the differences are very skewed.
    """

    rare: list[tuple[int, int, int, int]]
    skewed: list[tuple[int, int, float]]


def carried_by_few(means: FloatArray, first: IntArray, second: IntArray) -> Carried:
    """Pairs of rows of shape (n_models, n_units) whose mean difference stands or falls with a few units."""
    found = Carried([], [])
    for at in np.flatnonzero(_may_be_carried(means, first, second)).tolist():
        one, two = int(first[at]), int(second[at])
        values = means[one] - means[two]
        values = values[~np.isnan(values)]
        if values.size < FEWEST_CHECKED:
            continue
        tolerance = 1e-9 * np.abs(values).max()
        n_others = int(np.count_nonzero(np.abs(values - np.median(values)) > tolerance))
        if 0 < n_others < min(FEW_EVENTS, values.size / FEWEST_PER_EVENT):
            found.rare.append((one, two, n_others, values.size))
        elif n_others:
            found.skewed.extend((one, two, share) for share in _carried(values))
    return found


def _may_be_carried(means: FloatArray, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
    """Pairs that may be carried by few units, so that the others need not be looked at one by one.

    Where few units differ from the rest, few of the first do. A share of 0.9 or more of the variance in one unit makes a
    skewness, over the root of n, of 0.9^1.5 - 0.1^1.5 = 0.82 or more.
    """
    n = means.shape[1]
    if np.isnan(means).any():
        return np.ones(first.size, dtype=bool)
    skewness = np.abs(pair_skewness(means, first, second))
    least = VERY_SKEWED if n >= FEW_ITEMS else LESS_SKEWED if n >= FEWEST_SKEWED else np.inf
    may = (skewness > 0.8) | (skewness * np.sqrt(n) > 0.99 * least)
    noise = 4e-9 * np.abs(means).max(initial=0.0)
    few = means[:, : 4 * FEW_EVENTS]
    steps = np.diff(few)  # a unit that differs from its neighbours makes two
    for part in blocks(first.size, most=PAIRS_AT_ONCE):
        step = np.abs(steps[first[part]] - steps[second[part]]) > noise
        rows = part.start + np.flatnonzero(np.count_nonzero(step, axis=1) < 2 * FEW_EVENTS)
        difference = few[first[rows]] - few[second[rows]]
        apart = np.abs(difference - np.median(difference, axis=1, keepdims=True)) > noise
        may[rows] |= np.count_nonzero(apart, axis=1) < FEW_EVENTS
    return np.asarray(may)


def _carried(values: FloatArray) -> Iterator[float]:
    """Share of the variance that one value makes up, nan where few carry the mean on one side; nothing where it is not so.

    Below 20 values skew is not told from heavy tails on both sides.
    """
    deviation = values - values.mean()
    share = float(np.square(deviation).max() / np.square(deviation).sum())
    skewness = abs(float(skewness_of_mean(deviation))) * np.sqrt(values.size)
    if share > MOST_OF_ONE:
        yield share
    elif values.size >= FEWEST_SKEWED:
        least, alpha = (VERY_SKEWED, SKEWED_ALPHA) if values.size >= FEW_ITEMS else (LESS_SKEWED, LESS_ALPHA)
        if skewness > least and float(asymmetry_pvalues(values[None])[0]) < alpha:
            yield float("nan")


def effects_of_size(means: FloatArray, sizes: FloatArray, first: IntArray, second: IntArray) -> IntArray:
    """Positions of the pairs whose differences go with the sizes of very uneven clusters, by Spearman's correlation."""
    if sizes.size < FEWEST_SIZES or np.sum(sizes) ** 2 / np.square(sizes).sum() > MOST_EVEN * sizes.size:
        return np.zeros(0, dtype=np.intp)
    parts = blocks(first.size, most=PAIRS_AT_ONCE)
    pvalues = [rank_correlation_pvalues(sizes, means[first[rows]] - means[second[rows]]) for rows in parts]
    return np.flatnonzero(np.concatenate(pvalues) < SIZE_ALPHA / first.size)


def rank_correlation_pvalues(sizes: FloatArray, values: FloatArray) -> FloatArray:
    """Two-sided p-values of Spearman's correlation of each row with the sizes; 1 where a row lacks a value or does not vary."""
    from scipy.stats import rankdata

    own, other = (rankdata(each, axis=-1) for each in (sizes, values))
    own, other = own - own.mean(), other - other.mean(axis=-1, keepdims=True)
    r = divide(other @ own, np.sqrt(np.square(own).sum() * np.square(other).sum(axis=-1)))
    t = divide(r * np.sqrt(sizes.size - 2.0), np.sqrt(np.maximum(1.0 - r**2, 0.0)))
    known = np.isfinite(values).all(axis=-1) & (np.square(other).sum(axis=-1) > 0)
    return np.where(known, np.asarray(student(np.where(known, t, 0.0), 1.0, sizes.size - 2.0).pvalue()), 1.0)
