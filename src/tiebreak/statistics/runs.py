"""Mean over examples that were each answered in several runs: other examples and other runs would both give another mean.

A run is a training seed or one sampled answer to every example. Taking the mean of the runs for each example and then the
examples as the only source of chance forgets what the runs have in common; its interval can miss the truth nearly always.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, check_array, divide, plain
from tiebreak.numerics.law import Law, least_sure, student
from tiebreak.statistics.influence import ClusterSums, check_weights, cluster_sums, mean_of_clusters
from tiebreak.statistics.skew import skewness_of_mean


class CrossedMean(NamedTuple):
    """Law of a mean over items and runs, and what it is made of; arrays of the leading shape, or single numbers.

    Attributes
    ----------
    law : Law
        Of the mean over the items of each item's mean over its runs: the less sure of the two that follow, with the standard
        error and degrees of freedom of the first.
    crossed : Law
        By Satterthwaite's degrees of freedom.
    runs : Law
        By the means of the runs alone, with ``n_runs - 1`` degrees of freedom.
    items : Law
        The answer for these very runs, and further items.
    from_items, from_runs, from_both : ndarray or float
        Parts of the squared standard error: what items differ by in all runs, what runs differ by on all items, and the rest.
        More items divide the first and the last, more runs the second and the last.
    runs_skewness : ndarray or float
        Skewness of the mean of the runs' means.
    """

    law: Law
    crossed: Law
    runs: Law
    items: Law
    from_items: FloatArray
    from_runs: FloatArray
    from_both: FloatArray
    runs_skewness: FloatArray


def crossed_mean(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
) -> CrossedMean:
    """Law of a mean over items and runs, with an error for other items and other runs.

    For two models pass the differences of their scores, first minus second, run by run.

    Parameters
    ----------
    values : array_like of shape (..., n_runs, n_examples)
        In the metric's unit; nan where a run has no answer. Every example counts the same, however many runs it has.
    clusters, weights : optional
        Of the examples, as for `clustered_mean`.

    Returns
    -------
    CrossedMean

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
    n_runs = scores.shape[-2]
    present = ~np.isnan(scores)
    runs_of = present.sum(axis=-2)
    if np.any(runs_of == 0):
        raise DataError(f"example {np.argwhere(runs_of == 0)[0][-1]} has no answer in any run; leave it out.")
    means = np.where(present, scores, 0.0).sum(axis=-2) / runs_of
    sums = cluster_sums(means, clusters, weights=weights)
    items = mean_of_clusters(sums)
    weight = check_weights(weights, scores.shape[-1])
    own = present * (weight / weight.sum() / runs_of)[..., None, :]  # weight of each answer in the mean
    residual = np.where(present, scores - np.asarray(items.estimate)[..., None, None], 0.0) * own
    cells = cluster_sums(residual, clusters).totals
    run_share = own.sum(axis=-1)
    from_runs, rest = _parts(cells, run_share, sums)
    item_error, item_df = items.spread
    a = np.square(item_error)
    rest_df = (np.asarray(items.n_units) - 1) * (n_runs - 1)
    variance, df = variance_of_both(a, item_df, from_runs, n_runs - 1.0, rest, rest_df)
    from_items, runs_only = np.maximum(a - rest, 0.0), np.maximum(from_runs - rest, 0.0)
    crossed = student(items.estimate, np.sqrt(variance), plain(df), n_units=items.n_units, kind=items.kind)
    of_runs = student(items.estimate, np.sqrt(from_runs), n_runs - 1.0, n_units=n_runs, kind=items.kind)
    skewness = skewness_of_mean(cells.sum(axis=-1))
    return CrossedMean(
        least_sure([crossed, of_runs]),
        crossed,
        of_runs,
        items,
        *(plain(each) for each in (from_items, runs_only, rest, skewness)),
    )


def variance_of_both(
    items: FloatArray, item_df: FloatArray, runs: FloatArray, runs_df: FloatArray | float, rest: FloatArray, rest_df: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Variance of a mean over items and runs, and its degrees of freedom by Satterthwaite's method.

    From the squared errors by items, by runs and by what is left; no more than that by items where runs show nothing beyond it.
    """
    is_seen = runs > rest
    variance = np.where(is_seen, items + runs - rest, items)
    terms = divide(items**2, item_df) + divide(runs**2, runs_df) + divide(rest**2, rest_df)
    smallest = np.minimum(runs_df, item_df)
    return variance, np.where(is_seen, np.maximum(divide(variance**2, terms), smallest), item_df)


def _parts(cells: FloatArray, run_share: FloatArray, sums: ClusterSums) -> tuple[FloatArray, FloatArray]:
    """Squared errors of the mean by run, and of what is left without examples and runs; unbiased where all are balanced."""
    of_cluster, of_run = cells.sum(axis=-2), cells.sum(axis=-1)
    from_runs = np.where(run_share < 1 - 1e-12, divide(of_run**2, 1 - run_share), 0.0).sum(axis=-1)  # else it is all there is
    share = sums.weights / sums.weights.sum(axis=-1, keepdims=True)
    rest = cells - run_share[..., None] * of_cluster[..., None, :] - share[..., None, :] * of_run[..., None]
    n_runs, n_clusters = cells.shape[-2:]
    factor = n_runs / (n_runs - 1) * (n_clusters / max(n_clusters - 1, 1))
    return from_runs, factor * np.square(rest).sum(axis=(-2, -1))
