"""Means of scores per example, and of paired differences, where examples come in clusters: the cluster-robust t interval.

Questions on one text, images of one patient, turns of one dialogue go together: as many independent pieces of evidence as there
are clusters, not examples. Without clusters each example is one of its own, and all this is the ordinary t interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import (
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    StudentDistribution,
    check_alternative,
    divide,
    floats,
    group_codes,
    plain,
    row_moments,
)

ClusterVariance = Literal["cr2", "cr1", "cr0", "independent"]


class ClusterSums(NamedTuple):
    """Sums over the examples of each cluster: all that the variance of a mean needs, so that tables of any length fit.

    Attributes
    ----------
    totals : ndarray of shape (..., n_clusters)
        Sum of weight times score.
    weights : ndarray of shape (n_clusters,) or (..., n_clusters)
        Sum of the weights; the number of examples where they have none.
    squares : ndarray of the shape of `weights`
        Sum of the squared weights.
    n_examples : int or ndarray
    """

    totals: FloatArray
    weights: FloatArray
    squares: FloatArray
    n_examples: IntArray | int


@dataclass(frozen=True, slots=True)
class ClusteredMeanResult:
    """Mean of a score or a difference over examples; arrays of the leading shape, or single numbers.

    Attributes
    ----------
    variance : {"cr2", "cr1", "cr0", "independent"}
    estimate : ndarray or float
        Weighted mean, in the metric's unit; nan where a value is.
    standard_error : ndarray or float
        0 where the clusters do not differ; nan with fewer than two clusters.
    df : ndarray or float
        Degrees of freedom, those of Satterthwaite for "cr2", else the number of clusters less one.
    n_examples, n_clusters : ndarray or int
    kind : ndarray
        SPREAD, IDENTICAL (all zero), CONSTANT or UNDEFINED, as in `row_moments`.
    """

    variance: str
    estimate: FloatArray
    standard_error: FloatArray
    df: FloatArray
    n_examples: IntArray | int
    n_clusters: IntArray | int
    kind: IntArray

    @property
    def statistic(self) -> FloatArray:
        """Estimate over its standard error; nan where both are 0, infinite where only the error is."""
        return plain(divide(self.estimate, self.standard_error))

    def pvalue(self, alternative: Alternative = "two-sided", distribution: Literal["t", "normal"] = "t") -> FloatArray:
        """p-value of the hypothesis that the mean is 0: 1 where all values are 0, nan where they are some other constant."""
        return self.student(distribution).pvalue(check_alternative(alternative))

    def confidence_interval(self, level: ArrayLike = 0.95, distribution: Literal["t", "normal"] = "t") -> Interval:
        """Two-sided interval of the mean; nan where the clusters do not differ, which is no certainty.

        Parameters
        ----------
        level : float or array_like
            Coverage, between 0 and 1; one, or one for each row.
        distribution : {"t", "normal"}
            Student's with `df`, or the normal one, which is too short for few clusters.
        """
        return self.student(distribution).confidence_interval(level)

    def student(self, distribution: Literal["t", "normal"] = "t") -> StudentDistribution:
        """Confidence distribution of the mean: Student's with `df`, or the normal one; a point mass where nothing varies."""
        if distribution not in ("t", "normal"):
            raise InvalidParameterError(f"distribution must be 't' or 'normal'; got {distribution!r}.", about="distribution")
        location = np.where(self.kind == IDENTICAL, 0.0, self.estimate)
        return StudentDistribution(location, self.standard_error, self.df if distribution == "t" else np.inf)


def clustered_mean(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    variance: ClusterVariance = "cr2",
    omit_missing: bool = False,
) -> ClusteredMeanResult:
    """Mean over examples, with an error that counts clusters rather than examples.

    For two models pass the differences of their scores, first minus second: that is the paired comparison.

    Parameters
    ----------
    values : array_like of shape (..., n_examples)
        A score, or a difference of scores, for each example, in the metric's unit; many rows at once.
    clusters : sequence of length n_examples, optional
        Name or number of each example's cluster. Without it each example is a cluster of its own.
    weights : array_like of shape (n_examples,), optional
        Importance of each example, not negative; all the same unless given.
    variance : {"cr2", "cr1", "cr0", "independent"}
        "cr2" weighs each cluster so that the variance is unbiased where examples are independent [BM02]_, with degrees of
        freedom by Satterthwaite's method under that model [PT18]_; it holds its level down to five clusters, unless their
        means are skewed: then 95 % intervals of five missed in 10 %. "cr0" is the sum of squared cluster residuals without any
        factor [LZ86]_, "cr1" that times G / (G - 1), both with G - 1 degrees of freedom; they are too small for few clusters.
        "independent" takes no notice of the clusters. With weights that differ the factor still makes the squared sum of each
        cluster's residuals unbiased, while the matrices of R's clubSandwich weigh residuals within the cluster: its errors were
        up to 3.9 % apart, and equal without weights.
    omit_missing : bool, default False
        Leave out nan in each row. Otherwise a row with nan is undefined.

    Returns
    -------
    ClusteredMeanResult

    Raises
    ------
    InvalidScoresError
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
    >>> import tiebreak as tb
    >>> result = tb.frequentist.clustered_mean([1, 1, 0, 1, 0, 0, 1, 1], clusters=["a", "a", "a", "b", "b", "c", "d", "d"])
    >>> round(result.estimate, 3), round(result.standard_error, 3), result.n_clusters
    (0.625, 0.143, 4)
    """
    check_variance(variance)
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
    scores = floats(values, "values")
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise InvalidScoresError(f"one value or more is needed, one for each example; got the shape {scores.shape}.")
    if np.any(np.isinf(scores)):
        raise InvalidScoresError("the values must be finite, or nan where they are missing; one or more are infinite.")
    n = scores.shape[-1]
    weight = check_weights(weights, n)
    codes, n_clusters = _codes(clusters, n)
    used = ~np.isnan(scores)
    if not omit_missing or used.all():
        own, squares = _summed(weight, codes, n_clusters), _summed(weight**2, codes, n_clusters)
        return ClusterSums(_summed(weight * scores, codes, n_clusters), own, squares, n)
    present = weight * used
    totals = _summed(np.where(used, weight * scores, 0.0), codes, n_clusters)
    own, squares = _summed(present, codes, n_clusters), _summed(present**2, codes, n_clusters)
    return ClusterSums(totals, own, squares, used.sum(axis=-1))


def mean_of_clusters(sums: ClusterSums, variance: ClusterVariance = "cr2") -> ClusteredMeanResult:
    """As `clustered_mean`, from sums by cluster that were made elsewhere, as by a database.

    Sums are linear: the totals of a difference are the difference of the totals of both models.
    """
    check_variance(variance)
    totals, weights, squares = (np.asarray(each, dtype=float) for each in sums[:3])  # weights of all rows may be one row
    total = weights.sum(axis=-1, keepdims=True)
    mean = divide(totals.sum(axis=-1, keepdims=True), total)
    share = divide(weights, total)
    n_clusters = np.count_nonzero(weights > 0, axis=-1)
    is_cr2 = variance in ("cr2", "independent")
    factor = _cr2_factor(share, squares) if is_cr2 else np.ones(share.shape)
    raw = (factor * np.square(_residuals(totals, weights))).sum(axis=-1)
    if variance == "cr1":
        raw = raw * divide(n_clusters, n_clusters - 1)
    df = _satterthwaite(share, squares, factor) if is_cr2 else np.maximum(n_clusters - 1.0, 0.0)
    kind = np.where(np.isnan(totals).any(axis=-1) | (n_clusters < 2), UNDEFINED, _kinds(totals, weights))
    error = np.where(kind == SPREAD, np.sqrt(raw), np.where(kind == UNDEFINED, np.nan, 0.0))
    df, n_examples, n_clusters = (
        np.broadcast_to(each, kind.shape) for each in (np.where(n_clusters < 2, 0.0, df), sums.n_examples, n_clusters)
    )
    return ClusteredMeanResult(
        variance, plain(mean[..., 0]), plain(error), plain(df), _whole(n_examples), _whole(n_clusters), kind
    )


def cluster_residuals(sums: ClusterSums) -> FloatArray:
    """Part of each cluster in the error of the mean, shape (..., n_clusters): their squares sum to its variance (CR2)."""
    totals, weights, squares = (np.asarray(each, dtype=float) for each in sums[:3])
    share = divide(weights, weights.sum(axis=-1, keepdims=True))
    return np.asarray(np.sqrt(_cr2_factor(share, squares)) * _residuals(totals, weights))


def freedom_of_parts(parts: FloatArray, share: FloatArray) -> FloatArray:
    """Degrees of freedom of a sum of squared parts of clusters: Satterthwaite's, and no more than the parts themselves show.

    The first are those of parts that vary as their `share` of the variance among independent examples. Where a few clusters vary
    more than theirs, the parts show it: ``3 (sum u^2)^2 / sum u^4`` is the number of clusters where they are normal, and less
    where few of them make the sum.

    Parameters
    ----------
    parts, share : ndarray of shape (..., n_clusters)
        The shares sum to 1.
    """
    squares = np.square(parts)
    seen = 3.0 * divide(np.square(squares.sum(axis=-1)), np.square(squares).sum(axis=-1))
    return np.asarray(np.fmin(_satterthwaite(share, share, _cr2_factor(share, share)), seen))


def _residuals(totals: FloatArray, weights: FloatArray) -> FloatArray:
    """Sums of the weighted residuals of each cluster over all weight."""
    total = weights.sum(axis=-1, keepdims=True)
    mean = divide(totals.sum(axis=-1, keepdims=True), total)
    return divide(totals - weights * mean, total)


def _kinds(totals: FloatArray, weights: FloatArray) -> IntArray:
    """SPREAD, IDENTICAL or CONSTANT, by the means of the clusters that have any weight."""
    means = totals / weights if (weights > 0).all() else np.where(weights > 0, divide(totals, weights), np.nan)
    high, low = np.fmax.reduce(means, axis=-1), np.fmin.reduce(means, axis=-1)
    # far beyond rounding, which takes two passes to see; the others are looked at closely
    if np.all(high - low > np.maximum(1e-6 * np.maximum(np.abs(high), np.abs(low)), _TINY)):
        return np.full(means.shape[:-1], SPREAD, dtype=np.int8)
    return row_moments(means, omit_missing=True).kind


_TINY = 1e-150


def _cr2_factor(share: FloatArray, squares: FloatArray) -> FloatArray:
    """Factor of each squared residual that makes its expectation right where examples are independent with one variance.

    The residual of cluster g is a sum over all examples, with the weights w (1 - r) inside and -r w outside, r its share of all
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


def _summed(values: FloatArray, codes: IntArray | None, n_clusters: int) -> FloatArray:
    """Sums by cluster along the last axis."""
    if codes is None:
        return values
    rows = values.reshape(-1, values.shape[-1])
    sums = np.stack([np.bincount(codes, weights=row, minlength=n_clusters) for row in rows]) if rows.size else rows
    return sums.reshape((*values.shape[:-1], n_clusters))


def _codes(clusters: Sequence[object] | ArrayLike | None, n: int) -> tuple[IntArray | None, int]:
    return (None, n) if clusters is None else group_codes(clusters, n, "clusters")


def check_weights(weights: ArrayLike | None, n: int) -> FloatArray:
    """Weights of the examples, finite, not negative and not all 0; 1 for each where none are given."""
    if weights is None:
        return np.ones(n)
    values = floats(weights, "weights")
    if values.shape != (n,):
        raise InvalidScoresError(f"weights needs one number for each of the {n} examples; got the shape {values.shape}.")
    if not np.all(np.isfinite(values)) or np.any(values < 0) or values.sum() == 0:
        low, total = float(values.min()), float(values.sum())
        raise InvalidScoresError(
            f"weights must be finite, not negative, and not all 0; the smallest is {low:g} and they sum to {total:g}."
        )
    return values


def check_variance(variance: str) -> None:
    """One of the forms of the variance."""
    if variance not in get_args(ClusterVariance):
        raise InvalidParameterError(
            f"unknown variance {variance!r}; choose one of {', '.join(map(repr, get_args(ClusterVariance)))}.", about="variance"
        )


def _whole(counts: IntArray) -> IntArray | int:
    return int(counts) if np.ndim(counts) == 0 else counts
