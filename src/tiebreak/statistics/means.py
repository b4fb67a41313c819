"""Means over items that come in clusters, strata and runs, with the laws of their differences: what `compare` says of items.

Questions on one text, images of one patient, turns of one dialogue go together: as many independent pieces of evidence as there
are clusters, not items. Strata, such as tasks, are fixed: another sample would have other items of the very same tasks, so only
the spread within them counts. A run is a training seed or one sampled answer to every item: taking the mean of the runs for each
item, and then the items as the only source of chance, forgets what the runs have in common, and can miss the truth nearly always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    FloatArray,
    IntArray,
    Law,
    blocks,
    check_array,
    check_choice,
    check_weights,
    divide,
    group_codes,
    joined,
    kind_of,
    law_of_rows,
    least_sure,
    mean_present,
    median_present,
    noise_of,
    plain,
    student,
)
from tiebreak.statistics.skew import expected_skewness, skewed, skewness_of_mean, skewness_of_weighted_mean

ClusterVariance = Literal["cr2", "cr1", "cr0", "independent"]


class ClusterSums(NamedTuple):
    """Sums over the items of each cluster: all that the variance of a mean needs, so that tables of any length fit.

    Attributes
    ----------
    totals : ndarray of shape (..., n_clusters)
        Sum of weight times score.
    weights : ndarray of shape (n_clusters,) or (..., n_clusters)
        Sum of the weights; the number of items where they have none.
    squares : ndarray of the shape of `weights`
        Sum of the squared weights.
    n_examples : int or ndarray
    """

    totals: FloatArray
    weights: FloatArray
    squares: FloatArray
    n_examples: IntArray | int


def clustered_mean(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    variance: ClusterVariance = "cr2",
    omit_missing: bool = False,
) -> Law:
    """Law of a mean over items, with an error that counts clusters rather than items.

    For two models pass the differences of their scores, first minus second: that is the paired comparison.

    Parameters
    ----------
    values : array_like of shape (..., n_items)
        A score, or a difference of scores, for each item, in the metric's unit; many rows at once.
    clusters : sequence of length n_items, optional
        Name or number of each item's cluster. Without it each item is a cluster of its own.
    weights : array_like of shape (n_items,), optional
        Importance of each item, not negative; all the same unless given.
    variance : {"cr2", "cr1", "cr0", "independent"}
        "cr2" weighs each cluster so that the variance is unbiased where items are independent [BM02]_, with degrees of freedom
        by Satterthwaite's method under that model [PT18]_; it holds its level down to five clusters, unless their means are
        skewed: then 95 % intervals of five missed in 10 %. "cr0" is the sum of squared cluster residuals without any factor
        [LZ86]_, "cr1" that times G / (G - 1), both with G - 1 degrees of freedom; they are too small for few clusters.
        "independent" takes no notice of the clusters. With weights that differ the factor still makes the squared sum of each
        cluster's residuals unbiased, while the matrices of R's clubSandwich weigh residuals within the cluster: its errors were
        up to 3.9 % apart, and equal without weights.
    omit_missing : bool, default False
        Leave out nan in each row. Otherwise a row with nan is undefined.

    Returns
    -------
    Law
        Student's, of shape (...); `n_units` are the clusters. Undefined with fewer than two of them.

    Raises
    ------
    DataError
        Shapes that do not go together, infinite values, weights that are negative or sum to 0.

    References
    ----------
    .. [LZ86] K.-Y. Liang, S. L. Zeger. Longitudinal data analysis using generalized linear models. Biometrika 73, 1986.
    .. [BM02] R. M. Bell, D. F. McCaffrey. Bias reduction in standard errors for linear regression with multi-stage samples.
       Survey Methodology 28, 2002.
    .. [PT18] J. E. Pustejovsky, E. Tipton. Small-sample methods for cluster-robust variance estimation and hypothesis testing in
       fixed effects models. Journal of Business and Economic Statistics 36, 2018.

    Examples
    --------
    >>> law = clustered_mean([1, 1, 0, 1, 0, 0, 1, 1], clusters=["a", "a", "a", "b", "b", "c", "d", "d"])
    >>> law.estimate, round(law.se, 3), law.n_units
    (0.625, 0.143, 4)
    """
    check_choice(variance, get_args(ClusterVariance), "variance")
    sums = cluster_sums(values, None if variance == "independent" else clusters, weights=weights, omit_missing=omit_missing)
    return mean_of_clusters(sums, variance)


def cluster_sums(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    omit_missing: bool = False,
) -> ClusterSums:
    """Sums of scores, weights and squared weights by cluster; the arguments are those of `clustered_mean`."""
    scores = check_array(values, "values", "..., n_items", can_lack=True)
    return _sums(scores, clusters, check_weights(weights, scores.shape[-1]), omit_missing=omit_missing)


def _sums(
    scores: FloatArray, clusters: Sequence[object] | ArrayLike | None, weight: FloatArray, *, omit_missing: bool = True
) -> ClusterSums:
    """Sums by cluster, with weights of the items or of the items of each row, which are known to be right."""
    n = scores.shape[-1]
    codes, n_clusters = (None, n) if clusters is None else group_codes(clusters, n, "clusters")
    used = ~np.isnan(scores)
    if not omit_missing or used.all():
        totals, present, n_used = weight * scores, weight, n
    else:
        totals, present, n_used = np.where(used, weight * scores, 0.0), weight * used, used.sum(axis=-1)
    totals, own, squares = (summed(each, codes, n_clusters) for each in (totals, present, present * present))
    return ClusterSums(totals, own, squares, n_used)


def mean_of_clusters(sums: ClusterSums, variance: ClusterVariance = "cr2", scale: FloatArray | float = 0.0) -> Law:
    """As `clustered_mean`, from sums by cluster: the totals of a difference are the difference of the totals of both models.

    `scale` is the size of the scores, where these are differences, of which rounding noise is none; that of the means if larger.
    """
    totals, weights, squares = sums[:3]  # weights of all rows may be one row
    mean, share, residual = _residuals(totals, weights)
    n_clusters = np.count_nonzero(weights > 0, axis=-1)
    is_cr2 = variance in ("cr2", "independent")
    factor = _cr2_factor(share, squares) if is_cr2 else np.ones(share.shape)
    raw = (factor * np.square(residual)).sum(axis=-1)
    if variance == "cr1":
        raw = raw * divide(n_clusters, n_clusters - 1)
    df = _satterthwaite(share, squares, factor) if is_cr2 else np.maximum(n_clusters - 1.0, 0.0)
    kind = np.where(np.isnan(totals).any(axis=-1) | (n_clusters < 2), UNDEFINED, _kinds(sums, scale)).astype(np.int8)
    df, n = (np.broadcast_to(each, kind.shape) for each in (np.where(n_clusters < 2, 0.0, df), n_clusters))
    return student(mean[..., 0], np.sqrt(raw), plain(df), n_units=n if n.ndim else int(n), kind=kind)


def cluster_residuals(sums: ClusterSums) -> FloatArray:
    """Part of each cluster in the error of the mean, shape (..., n_clusters): their squares sum to its variance (CR2)."""
    _, share, residual = _residuals(sums.totals, sums.weights)
    return np.asarray(np.sqrt(_cr2_factor(share, sums.squares)) * residual)


def _residuals(totals: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean of all, share of each cluster in all weight, and sum of its weighted residuals over all weight."""
    total = weights.sum(axis=-1, keepdims=True)
    mean = divide(totals.sum(axis=-1, keepdims=True), total)
    return mean, divide(weights, total), divide(totals - weights * mean, total)


def freedom_of_shares(share: FloatArray) -> FloatArray:
    """Satterthwaite's degrees of freedom of the variance of a mean, of clusters with these shares of the items."""
    return _satterthwaite(share, share, _cr2_factor(share, share))


def cluster_means(sums: ClusterSums) -> FloatArray:
    """Mean of each cluster; nan of one without weight."""
    return np.asarray(np.divide(*sums[:2]) if (sums.weights > 0).all() else divide(*sums[:2]))


def _kinds(sums: ClusterSums, scale: FloatArray | float) -> IntArray:
    """SPREAD, IDENTICAL or CONSTANT, by the means of the clusters that have any weight."""
    means = cluster_means(sums)
    high, low = np.fmax.reduce(means, axis=-1), np.fmin.reduce(means, axis=-1)
    size = np.maximum(np.maximum(np.abs(high), np.abs(low)), scale)
    # far beyond rounding, which takes two passes to see; the others are looked at closely
    if np.all(high - low > np.maximum(1e-6 * size, 1e-150)):
        return np.full(means.shape[:-1], SPREAD, dtype=np.int8)
    return law_of_rows(means, size, omit_missing=True).kind


def _cr2_factor(share: FloatArray, squares: FloatArray) -> FloatArray:
    """Factor of each squared residual that makes its expectation right where items are independent with one variance.

    The residual of cluster g is a sum over all items, with the weights w (1 - r) inside and -r w outside, r its share of all
    weight; of squares that is q_g (1 - r)^2 + r^2 (q - q_g), where q_g was meant. With equal weights it is 1 / (1 - n_g / n), as
    in [BM02]_.
    """
    everything = squares.sum(axis=-1, keepdims=True)
    met = squares * (1 - share) ** 2 + share**2 * (everything - squares)
    return np.asarray(np.where(met > 0, divide(squares, met), 0.0))  # a cluster with all the weight has nothing to differ from


def _satterthwaite(share: FloatArray, squares: FloatArray, factor: FloatArray) -> FloatArray:
    """Degrees of freedom: (sum of eigenvalues)^2 / (sum of their squares) of the Gram matrix of the residuals [PT18]_.

    The matrix has q_g on its diagonal, and sqrt(f_g f_h) (r_g r_h q - r_h q_g - r_g q_h) elsewhere, so that the sum of its
    squares is a product of sums.
    """
    everything = squares.sum(axis=-1)
    rr, rq, qq = ((factor * product).sum(axis=-1) for product in (share**2, share * squares, squares**2))
    full = 2 * qq * rr + 2 * rq**2 - 4 * everything * rq * rr + everything**2 * rr**2
    own = (factor * (2 * share * squares - share**2 * everything[..., None])) ** 2
    return divide(everything**2, (squares**2).sum(axis=-1) + full - own.sum(axis=-1))


def summed(values: FloatArray, codes: IntArray | None, n_clusters: int) -> FloatArray:
    """Sums by cluster along the last axis; the values themselves without codes."""
    if codes is None:
        return values
    rows = values.reshape(-1, values.shape[-1])
    sums = np.stack([np.bincount(codes, weights=row, minlength=n_clusters) for row in rows]) if rows.size else rows
    return sums.reshape((*values.shape[:-1], n_clusters))


def welch_ttest(first: ArrayLike, second: ArrayLike) -> Law:
    """Law of the difference of the means of two samples that share nothing.

    For two models on the same items it is the wrong test: take the differences, and `clustered_mean`.

    Parameters
    ----------
    first, second : array_like of shape (..., n_first) and (..., n_second)
        Scores of each model, in the metric's unit; nan makes a row undefined.

    Returns
    -------
    Law
        Of first minus second, with the standard error ``sqrt(s1^2 / n1 + s2^2 / n2)`` and Welch's degrees of freedom [W47]_;
        `n_units` counts both samples.

    Raises
    ------
    DataError
        Fewer than two scores of either.

    References
    ----------
    .. [W47] B. L. Welch. The generalization of "Student's" problem when several different population variances are involved.
       Biometrika 34, 1947.

    Examples
    --------
    >>> law = welch_ttest([0.91, 0.93, 0.92, 0.94], [0.88, 0.93, 0.86])
    >>> round(law.estimate, 3), round(law.pvalue(), 3)
    (0.035, 0.229)
    """
    samples = {"first": first, "second": second}
    found = (check_array(values, name, "..., n_scores", (2,), can_lack=True) for name, values in samples.items())
    return independent_difference(*map(clustered_mean, found))


def independent_difference(first: Law, second: Law, *, guarded: bool = False) -> Law:
    """Law of the difference of two independent means, with Welch's degrees of freedom, as `welch_freedom` has them."""
    (error, own), (other_error, other) = first.spread, second.spread
    v, w, own, other = np.square(error), np.square(other_error), np.maximum(own, 1.0), np.maximum(other, 1.0)
    df = welch_freedom(v, own, w, other, guarded=guarded)
    difference = np.asarray(first.estimate) - second.estimate
    noise = np.maximum(
        RELATIVE_TOLERANCE * np.maximum(np.abs(first.estimate), np.abs(second.estimate)),
        np.maximum(first.tolerance, second.tolerance),
    )
    kind = kind_of(difference + 0.0 * (v + w), v + w > 0, noise)
    return student(difference, np.sqrt(v + w), plain(df), n_units=first.n_units + second.n_units, kind=kind, tolerance=noise)


def welch_freedom(v: FloatArray, own: FloatArray, w: FloatArray, other: FloatArray, *, guarded: bool = False) -> FloatArray:
    """Welch's degrees of freedom of a difference, from both squared errors and their degrees of freedom.

    `guarded` counts the smaller sample as if it varied no less than the larger one: two or three values vary little by chance,
    and then the degrees of freedom are those of the other sample. Of 2 values that vary four times as much as 10 others equal
    means differed in 11 % of draws without that, and in 6 % with it.
    """
    if guarded:
        n, m = own + 1.0, other + 1.0
        v, w = np.where(n < m, np.maximum(v, w * m / n), v), np.where(m < n, np.maximum(w, v * n / m), w)
    return np.where(v + w > 0, divide((v + w) ** 2, v**2 / own + w**2 / other), own + other)


# --- means of rows, by whatever they come in --------------------------------------------------------------------------------


FEW_RUNS = 10
"""Runs below which nothing shows whether they vary symmetrically."""


SEEN_OF_CLUSTERS = 1.0
"""Skewness of the means of clusters from which it counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Clusters, weights and tasks of items; None where each stands by itself, counts the same, or is of the one task."""

    clusters: IntArray | None = None
    weights: FloatArray | None = None
    tasks: IntArray | None = None


class Means(NamedTuple):
    """Means of rows of scores or differences with their laws; arrays over the rows, or single numbers.

    Attributes
    ----------
    by_items : Law
        Student's, with Satterthwaite's degrees of freedom; its units are the items. What runs add is part of its error.
    skewness : ndarray or float, optional
        Of the estimate.
    by_runs : Law, optional
        By the means of the runs alone.
    runs_skewness : ndarray or float, optional
        Of the mean of the runs, 0 below ten of them.
    from_items, from_runs, from_both : ndarray or float, optional
        Parts of the squared standard error: what items differ by in all runs, what runs differ by on all items, and the rest.
        More items divide the first and the last, more runs the second and the last.
    guarded : Law, optional
        With what small strata, or a judge that was right by chance, may hide.
    """

    by_items: Law
    skewness: FloatArray | None = None
    by_runs: Law | None = None
    runs_skewness: FloatArray | None = None
    from_items: FloatArray | None = None
    from_runs: FloatArray | None = None
    from_both: FloatArray | None = None
    guarded: Law | None = None

    @property
    def law(self) -> Law:
        """The less sure of the laws; Hall's of those that have a skewness."""
        items, runs = self.by_items, self.by_runs
        if self.skewness is not None:
            items = skewed(items, expected_skewness(self.skewness, np.add(items.spread[1], 1.0)))
        if runs is not None and self.runs_skewness is not None:
            runs = skewed(runs, self.runs_skewness)
        return least_sure([each for each in (items, runs, self.guarded) if each is not None])

    def take(self, rows: IntArray) -> Means:
        """Those of some rows, in the shape of these."""
        return Means(*(each if each is None else each.take(rows) if isinstance(each, Law) else each[rows] for each in self))  # type: ignore[arg-type]


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
    parts = blocks(one.size, score[0].size)
    if score.shape[1] > 1 or layout.tasks is not None or np.isnan(score).any():
        return joined_means([_of_runs(score, one[part], two[part], layout, scale[part]) for part in parts])
    used, rows = np.unique([one, two], return_inverse=True)  # a difference of sums is the sum of differences
    sums, (i, j) = cluster_sums(score[used, 0], layout.clusters, weights=layout.weights), rows.reshape(2, -1)
    return joined_means(
        [_of_sums(sums._replace(totals=sums.totals[i[part]] - sums.totals[j[part]]), scale[part]) for part in parts]
    )


def _of_runs(score: FloatArray, one: IntArray, two: IntArray, layout: Layout, scale: FloatArray) -> Means:
    """Pairs by run; those of which one model has runs that the other lacks by both models' own runs."""
    has = np.asarray(~np.isnan(score).all(axis=2))
    apart = (has[one] != has[two]).any(axis=1) & (score.shape[1] > 1)  # of one run a model that has none has no other either
    parts = [rows for rows in (np.flatnonzero(apart), np.flatnonzero(~apart)) if rows.size]
    found = [
        _of_own_runs(score[one[rows]], score[two[rows]], layout, scale[rows])
        if apart[rows[0]]
        else means_of_rows(run_differences(score, one[rows], two[rows]), layout, scale[rows])
        for rows in parts
    ]
    return joined_means(found).take(np.argsort(np.concatenate(parts)))


def _of_own_runs(a: FloatArray, b: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Mean differences over items of models with runs of their own, which are two samples as Welch has them.

    Filling the gaps with means, as where single answers are missing, made runs of the larger number out of the few: of equal
    models of 2 and 5 runs 15 % were called different, and 38 % where only the runs of the former vary. One run alone is taken
    to vary as those of the other model do.
    """
    difference = mean_present(a, axis=1) - mean_present(b, axis=1)
    items = means_of_rows(difference[:, None], layout, scale)
    n = np.stack([np.count_nonzero(~np.isnan(each).all(axis=2), axis=1) for each in (a, b)]).astype(float)
    shared = [means_of_rows(np.where(np.isnan(difference)[:, None], np.nan, each), layout, scale) for each in (a, b)]
    squares = np.stack([np.square(each.by_runs.spread[0]) for each in shared])  # type: ignore[union-attr]
    squares = np.where(n == 1, squares[::-1] * n[::-1], squares)
    rest = np.sum([np.asarray(each.from_both) for each in shared], axis=0)
    runs, own = squares.sum(axis=0), np.maximum(n - 1.0, 1.0)
    runs_df = np.where((n == 1).any(axis=0), own.max(axis=0), welch_freedom(squares[0], own[0], squares[1], own[1], guarded=True))
    return _of_both(items, runs, runs_df, rest, items.by_items.spread[1] * own.sum(axis=0))._replace(guarded=None)


def run_differences(score: FloatArray, one: IntArray, two: IntArray) -> FloatArray:
    """Differences run by run, of shape (n_pairs, n_runs, n_items).

    Where a run of one model has no counterpart, that model's mean on the item with the effect of the run takes its place, and
    each item keeps the difference of both means: so every run counts, and varies as it does where it has answers.
    """
    a, b = score[one], score[two]
    if a.shape[1] == 1 or not np.isnan(score).any():
        return np.asarray(a - b)
    means, n_runs = mean_present(score, axis=1)[:, None], np.count_nonzero(~np.isnan(score), axis=1)[:, None]
    without = divide(n_runs, np.maximum(n_runs - 1, 1))  # the run's part in the mean
    apart = np.where(n_runs > 1, (score - means) * without, np.nan)
    expected, a_gap, b_gap = means + np.nan_to_num(mean_present(apart, axis=2))[:, :, None], np.isnan(a), np.isnan(b)
    found = np.where(a_gap & ~b_gap, expected[one], a) - np.where(b_gap & ~a_gap, expected[two], b)
    return np.asarray(found - mean_present(found, axis=1)[:, None] + means[one] - means[two])


def means_of_rows(values: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Means of rows of shape (n_rows, n_runs, n_items), nan where there is no value; over tasks where there are some."""
    weight = check_weights(layout.weights, values.shape[2])
    if values.shape[1] > 1:
        return _centred(values, layout, scale) if layout.tasks is not None else _crossed(values, layout.clusters, weight, scale)
    if layout.tasks is not None:
        return stratified_mean(
            values[:, 0], layout.tasks, layout.clusters, weights=layout.weights, omit_missing=True, scale=scale
        )
    return _of_sums(_sums(values[:, 0], layout.clusters, weight), scale)


def joined_means(found: Sequence[Means]) -> Means:
    """Successive blocks of rows as one."""
    columns = (
        each[0] if each[0] is None else joined(each) if isinstance(each[0], Law) else np.concatenate(each)
        for each in zip(*found, strict=True)
    )
    return Means(*columns)  # type: ignore[arg-type]


def _of_sums(sums: ClusterSums, scale: FloatArray, n_runs: IntArray | int = 1) -> Means:
    """Means of rows with a skewness, but of one run for that of few clusters, which chance may make.

    At 8 clusters it would take a fifth of the power and hold no level that Student's t does not.
    """
    found, skewness = mean_of_clusters(sums, scale=scale), skewness_of_weighted_mean(cluster_means(sums), sums.weights)
    n_clusters, n = np.asarray(found.n_units), np.broadcast_to(sums.n_examples, found.kind.shape)
    is_chance = (n_clusters < n) & (np.abs(skewness) * np.sqrt(n_clusters) < SEEN_OF_CLUSTERS)
    skewness = np.where(is_chance & (n_runs == 1), 0.0, skewness)
    return Means(replace(found, n_units=n, tolerance=RELATIVE_TOLERANCE * scale), skewness)


def task_shares(layout: Layout, present: NDArray[np.bool_] | bool = True) -> FloatArray:
    """Weight of each item in its task, of those that are `present`; those of a task sum to 1."""
    codes = np.asarray(layout.tasks)
    shares = np.where(present, check_weights(layout.weights, codes.size), 0.0)
    return divide(shares, summed(shares, codes, int(codes.max()) + 1)[..., codes])


def _centred(values: FloatArray, layout: Layout, scale: FloatArray) -> Means:
    """Macro-averages of rows with runs: the two-way layout of items that are centred within their task.

    Centred values have no spread between tasks, which are fixed; they are stretched by what centring takes of it.
    """
    codes = np.asarray(layout.tasks)
    n_tasks, units = int(codes.max()) + 1, np.arange(codes.size)
    if layout.clusters is not None:  # of one task each
        units = np.unique(codes * (int(layout.clusters.max()) + 1) + layout.clusters, return_inverse=True)[1]
    by_item = mean_present(values, axis=1)
    present = ~np.isnan(by_item)
    is_there = summed(present.astype(float), units, int(units.max()) + 1) > 0
    task_of = np.zeros(is_there.shape[1], dtype=np.intp)
    task_of[units] = codes
    n_units = summed(is_there.astype(float), task_of, n_tasks)
    shares = task_shares(layout, present)
    means = summed(shares * np.nan_to_num(by_item), codes, n_tasks)  # nan of a task that these models do not share
    stretch = np.sqrt(divide(n_units, np.where(n_units > 1, n_units - 1.0, 1.0)))
    centred = means.mean(axis=1)[:, None, None] + (values - means[:, None, codes]) * stretch[:, None, codes]
    return _crossed(centred, None if layout.clusters is None else units, shares, scale)


# --- strata -----------------------------------------------------------------------------------------------------------------


FEW_EVENTS = 10
"""Units that differ from the others of their stratum, below which its variance may be far too small by chance."""


def stratified_mean(
    values: ArrayLike,
    strata: Sequence[object] | ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    omit_missing: bool = False,
    scale: ArrayLike | None = None,
) -> Means:
    """Mean over strata of the means of their items, every stratum with the same weight.

    For two models pass the differences of their scores: that is the paired comparison by macro-average.

    Parameters
    ----------
    values : array_like of shape (..., n_examples)
        A score, or a difference of scores, for each example, in the metric's unit; many rows at once.
    strata : sequence of length n_examples
        Name or number of each example's stratum, such as its task.
    clusters : sequence of length n_examples, optional
        Name or number of each example's cluster, within its stratum: one name in two strata means two clusters.
    weights : array_like of shape (n_examples,), optional
        Importance of each example within its stratum.
    omit_missing : bool, default False
        Leave out nan in each row. A stratum of which nothing is left makes the row undefined.
    scale : array_like of the leading shape, optional
        Size of the scores that the values are differences of, which sets that of rounding noise; that of the values unless given.

    Returns
    -------
    Means
        With the skewness of the estimate and the guarded error.

    Notes
    -----
    The variance is ``sum_t s_t^2 / n_t / T^2`` [C77]_, its degrees of freedom ``(sum v_t)^2 / sum(v_t^2 / df_t)`` [S46]_. Strata
    of one unit each are taken together as one [C77]_; the only one of its kind is compared with the mean of the others.

    The guarded error allows for strata that are too small to tell. A stratum in which only ``e`` units differ from its median has
    at most ``2 e`` degrees of freedom there, as the relative variance of a count of ``e`` is ``1 / e``. Where fewer than ten
    units of a stratum differ, and fewer than half of them, one more that could have differed is added to the variance, for the
    stratum where it weighs most, with two degrees of freedom: else a small task that everybody solves, whose items happen not
    to differ, would count as known exactly.

    Raises
    ------
    DataError
        Shapes that do not go together, infinite values, weights that are negative or sum to 0 in a stratum.

    References
    ----------
    .. [C77] W. G. Cochran. Sampling Techniques, 3rd edition, 1977, sections 5.4 and 5A.12.
    .. [S46] F. E. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.

    Examples
    --------
    >>> law = stratified_mean([0, 1, 0, -1, 1, 2, 0, 1, 1, 0], strata=["a"] * 4 + ["b"] * 6).law
    >>> round(law.estimate, 4), round(law.se, 4), round(law.df, 2)
    (0.4167, 0.2555, 6.17)
    """
    rows = check_array(values, "values", "..., n_items", can_lack=True)
    codes, n_strata = group_codes(strata, rows.shape[-1], "strata")
    names = None if clusters is None else group_codes(clusters, rows.shape[-1], "clusters")[0]
    weight, noise, parts = check_weights(weights, rows.shape[-1]), noise_of(rows, scale), []
    for stratum in range(n_strata):
        own = np.flatnonzero(codes == stratum)
        of_own = None if names is None else names[own]
        sums = cluster_sums(rows[..., own], of_own, weights=weight[own], omit_missing=omit_missing)
        parts.append(_facts_of_stratum(sums, noise))
    return _over_strata(parts, noise)


def _facts_of_stratum(sums: ClusterSums, noise: FloatArray) -> tuple[FloatArray, ...]:
    """Mean of one stratum, its variance and degrees of freedom, and what small strata are judged by; arrays over the rows.

    These are the numbers of examples, of units and of those that differ from the median, the largest distance from it, and the
    largest share of a unit in the mean. In the last place is the share of each unit in the deviation of the mean, (..., n_units).
    """
    (mean, share, residuals), values, found = _residuals(*sums[:2]), cluster_means(sums), mean_of_clusters(sums)
    is_there = np.broadcast_to(sums.weights > 0, values.shape)
    n_units = is_there.sum(axis=-1)
    away = np.where(is_there, np.abs(values - np.nan_to_num(median_present(values))), 0.0)
    is_event = away > noise[..., None]
    error = np.where(is_event.any(axis=-1), np.nan_to_num(np.asarray(found.se)), 0.0)
    largest = np.where(is_event, away, 0.0).max(axis=-1, initial=0.0)
    numbers = sums.n_examples, n_units, is_event.sum(axis=-1), largest, share.max(axis=-1)
    facts = (mean[..., 0], np.square(error), found.df, *numbers)
    return *(np.broadcast_to(np.asarray(each), n_units.shape) for each in facts), np.where(is_there, residuals, 0.0)


def _over_strata(strata: Sequence[tuple[FloatArray, ...]], noise: FloatArray) -> Means:
    """Mean of the strata, its variance from those within them, and the allowance for strata that are too small to tell."""
    *numbers, deviations = zip(*strata, strict=True)
    n_strata = len(strata)
    means, own, own_df, n, n_units, n_events, distance, weight = (np.stack(each, axis=-1) for each in numbers)
    estimate = means.mean(axis=-1)
    v = own / n_strata**2
    is_single = n_units == 1
    counts = ~is_single & (v > 0)
    alone, alone_df = _of_singles(means, is_single)
    total = np.where(is_single, 0.0, v).sum(axis=-1) + alone

    def satterthwaite(variance: FloatArray, df: FloatArray, extra: FloatArray | float = 0.0) -> FloatArray:
        squares = np.where(counts, divide(np.square(v), df), 0.0).sum(axis=-1)
        squares = squares + divide(np.square(alone), np.maximum(alone_df, 1)) + np.square(extra) / 2.0
        return divide(np.square(variance), squares)

    df = satterthwaite(total, own_df)
    few = n_events < np.minimum(FEW_EVENTS, n_units / 2)
    event = np.square(distance.max(axis=-1) * np.where(few, weight, 0.0).max(axis=-1) / n_strata)
    guarded = total + event
    size = divide(1.0, n_units)
    n_single = is_single.sum(axis=-1)
    evenly = np.where(is_single, 0.0, divide(np.square(size), own_df)).sum(axis=-1) + np.square(n_single) / alone_df
    guarded_df = satterthwaite(guarded, np.minimum(own_df, 2.0 * np.maximum(n_events, 1)), event)
    guarded_df = np.minimum(guarded_df, divide(np.square(size.sum(axis=-1)), evenly))
    contributions = np.concatenate(deviations, axis=-1) / n_strata
    share = np.minimum(np.nan_to_num(divide(np.square(contributions).sum(axis=-1), total)), 1.0)
    skewness = skewness_of_mean(contributions, n_units.sum(axis=-1)) * share**1.5
    kind = kind_of(np.abs(means).max(axis=-1), np.sqrt(total) > noise, noise)  # nan where a stratum is void
    facts: dict[str, Any] = {"n_units": n.sum(axis=-1).astype(np.int64), "kind": kind, "tolerance": noise}
    by_items, with_guard = (
        student(estimate, np.sqrt(square), np.where(kind == UNDEFINED, 0.0, own), **facts)
        for square, own in ((total, df), (guarded, guarded_df))
    )
    return Means(by_items, skewness, guarded=with_guard)


def _of_singles(means: FloatArray, is_single: NDArray[np.bool_]) -> tuple[FloatArray, IntArray]:
    """Variance of the strata of one unit each, and its degrees of freedom: as if they were one stratum, which errs wide.

    The only one of its kind is as far from the mean of the others as its variance and the differences between strata make it.
    """
    n_strata, n = means.shape[-1], is_single.sum(axis=-1)
    sum_of, others = (np.where(chosen, means, 0.0).sum(axis=-1) for chosen in (is_single, ~is_single))
    spread = np.where(is_single, np.square(means - divide(sum_of, n)[..., None]), 0.0).sum(axis=-1)
    together = divide(n * spread, n - 1)
    found = np.where(n == 1, np.square(sum_of - divide(others, n_strata - n)), np.where(n > 1, together, 0.0))
    return np.nan_to_num(found) / n_strata**2, np.maximum(n - 1, 1)


# --- items and runs ---------------------------------------------------------------------------------------------------------


def crossed_mean(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
) -> Means:
    """Mean over items and runs, with an error for other items and other runs.

    For two models pass the differences of their scores, first minus second, run by run.

    Parameters
    ----------
    values : array_like of shape (..., n_runs, n_examples)
        In the metric's unit; nan where a run has no answer. Every example counts the same, however many runs it has.
    clusters, weights : optional
        Of the examples, as for `clustered_mean`.

    Returns
    -------
    Means
        Of each item's mean over its runs; its law is the less sure of that by items and runs, and that of the runs' means.

    Raises
    ------
    DataError
        Shapes that do not go together, fewer than two runs, or an example without any run.

    Notes
    -----
    Either of both intervals alone is too short in some cases of three runs. Two runs leave one degree of freedom, a multiplier of
    12.7: there is no narrow interval for them. The variance is that of a two-way layout of random items and random runs,
    ``(MS_items + MS_runs - MS_rest) / (n R)``, at least ``MS_items / (n R)``, with Satterthwaite's degrees of freedom [S46]_;
    with clusters the items' part is CR2.

    References
    ----------
    .. [S46] F. E. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.
    """
    scores = check_array(values, "values", "..., n_runs, n_examples", (2, 1), can_lack=True)
    absent = np.isnan(scores).all(axis=-2)
    if absent.any():
        raise DataError(f"example {np.argwhere(absent)[0][-1]} has no answer in any run; leave it out.")
    rows = scores.reshape(-1, *scores.shape[-2:])
    found = _crossed(rows, clusters, check_weights(weights, rows.shape[-1]), np.nanmax(np.abs(rows), axis=(1, 2)))
    return found.take(np.arange(len(rows)).reshape(scores.shape[:-2]))


def _crossed(scores: FloatArray, clusters: Sequence[object] | ArrayLike | None, weight: FloatArray, scale: FloatArray) -> Means:
    """Items and runs, of shape (n_rows, n_runs, n_items); of rows with one run that by items, as nothing is seen of runs."""
    present = ~np.isnan(scores)
    runs_of, n_runs = present.sum(axis=1), present.any(axis=2).sum(axis=1)
    means = mean_present(scores, axis=1)
    sums = _sums(means, clusters, weight)
    found = _of_sums(sums, scale, n_runs)
    items = found.by_items
    used = np.where(runs_of > 0, weight, 0.0)
    own = np.where(present, divide(used, used.sum(axis=1, keepdims=True) * runs_of)[:, None], 0.0)  # weight of each answer
    residual = np.where(present, scores - np.asarray(items.estimate)[:, None, None], 0.0) * own
    cells, there = (_sums(each, clusters, np.ones(means.shape[1])).totals for each in (residual, runs_of.astype(float)))
    # squared errors of the mean by run, and of what is left without items and runs; unbiased where all are balanced
    run_share, of_cluster, of_run = own.sum(axis=2), cells.sum(axis=1), cells.sum(axis=2)
    from_runs = np.where(run_share < 1 - 1e-12, divide(of_run**2, 1 - run_share), 0.0).sum(axis=1)  # else it is all there is
    cluster_share = divide(sums.weights, sums.weights.sum(axis=-1, keepdims=True))
    left = cells - run_share[..., None] * of_cluster[:, None] - cluster_share[..., None, :] * of_run[..., None]
    factor = [n / np.maximum(n - 1, 1) for n in (n_runs, np.count_nonzero(there, axis=1))]
    rest = factor[0] * factor[1] * np.square(left).sum(axis=(1, 2))
    runs_df = np.maximum(n_runs - 1.0, 1.0)
    by_items = (n_runs == 1) | (items.kind == UNDEFINED)
    kind = np.where(by_items, items.kind, law_of_rows(means, scale, omit_missing=True).kind).astype(np.int8)
    skewness = np.where(n_runs >= FEW_RUNS, skewness_of_mean(of_run, n_runs), 0.0)
    found = _of_both(found, from_runs, runs_df, rest, (np.count_nonzero(sums.weights > 0, axis=-1) - 1) * runs_df)
    items, runs = (replace(law, kind=kind) for law in (found.by_items, found.by_runs) if law is not None)
    return found._replace(by_items=items, by_runs=runs, runs_skewness=skewness)


def _of_both(found: Means, runs: FloatArray, runs_df: FloatArray, rest: FloatArray, rest_df: FloatArray) -> Means:
    """Means over items with what runs add to their variance; no more than that by items where runs show nothing beyond it.

    From the squared errors by runs and of what is left without items and runs, with Satterthwaite's degrees of freedom. Of the
    skewness the part stays that items have in the error: what runs add counts as symmetric.
    """
    items, (error, own) = found.by_items, found.by_items.spread
    by_items = np.square(error)
    is_seen = runs > rest
    variance = np.where(is_seen, by_items + runs - rest, by_items)
    terms = divide(by_items**2, own) + divide(runs**2, runs_df) + divide(rest**2, rest_df)
    df = np.where(is_seen, np.maximum(divide(variance**2, terms), np.minimum(runs_df, own)), own)
    share = np.minimum(np.nan_to_num(divide(by_items, variance)), 1.0)
    facts: dict[str, Any] = {"n_units": items.n_units, "kind": items.kind, "tolerance": items.tolerance}
    return found._replace(
        by_items=student(items.estimate, np.sqrt(variance), df, **facts),
        skewness=np.asarray(found.skewness) * share**1.5,
        by_runs=student(items.estimate, np.sqrt(runs), runs_df, **facts),
        from_items=np.maximum(by_items - rest, 0.0),
        from_runs=np.maximum(runs - rest, 0.0),
        from_both=rest,
    )
