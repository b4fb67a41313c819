"""Mean over examples that were each answered in several runs: other examples and other runs would both give another mean.

A run is a training seed or one sampled answer to every example. Taking the mean of the runs for each example and then the
examples as the only source of chance forgets what the runs have in common; its interval can miss the truth nearly always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist.clusters import ClusteredMeanResult, ClusterSums, check_weights, cluster_sums, mean_of_clusters
from tiebreak.frequentist.johnson import skewness_of_mean
from tiebreak.numerics import (
    SPREAD,
    UNDEFINED,
    FloatArray,
    Interval,
    StudentDistribution,
    alpha_of_level,
    divide,
    floats,
    plain,
    widest_interval,
)

Population = Literal["items and runs", "items"]


@dataclass(frozen=True, slots=True)
class CrossedMeanResult:
    """Mean over examples and runs; arrays of the leading shape, or single numbers.

    Attributes
    ----------
    estimate : ndarray or float
        Mean over the examples of each example's mean over its runs, in the metric's unit.
    standard_error : ndarray or float
        Of other examples and other runs, or of other examples alone, as `population` says.
    df : ndarray or float
        Satterthwaite's degrees of freedom.
    runs_standard_error : ndarray or float
        Standard deviation of the runs' means over the square root of their number, with ``n_runs - 1`` degrees of freedom.
    from_examples, from_runs, from_both : ndarray or float
        Parts of the squared standard error: what examples differ by in all runs, what runs differ by on all examples, and the
        rest. More examples divide the first and the last, more runs the second and the last.
    runs_skewness : ndarray or float
        Skewness of the mean of the runs' means.
    n_examples, n_runs : int
    population : {"items and runs", "items"}
    examples : ClusteredMeanResult
        The answer for these very runs, and further examples.
    """

    estimate: FloatArray
    standard_error: FloatArray
    df: FloatArray
    runs_standard_error: FloatArray
    from_examples: FloatArray
    from_runs: FloatArray
    from_both: FloatArray
    runs_skewness: FloatArray
    n_examples: int
    n_runs: int
    population: str
    examples: ClusteredMeanResult

    def confidence_interval(self, level: ArrayLike = 0.95) -> Interval:
        """Two-sided interval: the wider one of Satterthwaite's, and Student's over the means of the runs.

        With three runs either alone is too short in some cases. Two runs leave one degree of freedom, a multiplier of 12.7:
        there is no narrow interval for them.

        Parameters
        ----------
        level : float or array_like
            Coverage, between 0 and 1.
        """
        found = widest_interval(self._both(), alpha_of_level(level))
        return Interval(*(plain(np.where(self.examples.kind == SPREAD, end, np.nan)) for end in found))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the mean is at least `at`", that of the interval."""
        return self._less_sure([each.tail_above(at) for each in self._both()])

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the mean is at most `at`"."""
        return self._less_sure([each.tail_below(at) for each in self._both()])

    def pvalue(self) -> FloatArray:
        """Two-sided p-value of a mean of 0."""
        return plain(np.minimum(2 * np.minimum(self.tail_above(0.0), self.tail_below(0.0)), 1.0))

    def _both(self) -> list[StudentDistribution]:
        """Distributions of which the wider interval counts."""
        own = StudentDistribution(self.estimate, self.standard_error, self.df)
        if self.population == "items":
            return [own]
        return [own, StudentDistribution(self.estimate, self.runs_standard_error, self.n_runs - 1)]

    def _less_sure(self, tails: list[FloatArray]) -> FloatArray:
        """The tail that is nearer to a half."""
        nearest = np.choose(np.abs(np.array(tails) - 0.5).argmin(axis=0), tails)
        return plain(np.where(self.examples.kind == SPREAD, nearest, np.nan))


def crossed_mean(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    population: Population = "items and runs",
) -> CrossedMeanResult:
    """Mean over examples and runs, with an error for other examples and other runs.

    For two models pass the differences of their scores, first minus second, run by run.

    Parameters
    ----------
    values : array_like of shape (..., n_runs, n_examples)
        In the metric's unit; nan where a run has no answer. Every example counts the same, however many runs it has.
    clusters, weights : optional
        Of the examples, as for `clustered_mean`.
    population : {"items and runs", "items"}
        Where else the answer is to hold: for other examples and other runs, or for other examples with the very same runs.

    Returns
    -------
    CrossedMeanResult

    Raises
    ------
    InvalidScoresError
        Shapes that do not go together, fewer than two runs, or an example without any run.

    Notes
    -----
    The variance is that of a two-way layout of random examples and random runs, ``(MS_examples + MS_runs - MS_rest) / (n R)``,
    at least ``MS_examples / (n R)``, with Satterthwaite's degrees of freedom [S46]_; with clusters the examples' part is CR2.

    References
    ----------
    .. [S46] F. E. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.
    """
    if population not in ("items and runs", "items"):
        raise InvalidParameterError(f"population must be 'items and runs' or 'items'; got {population!r}.", about="population")
    scores = floats(values, "values")
    if scores.ndim < 2 or scores.shape[-2] < 2:
        raise InvalidScoresError(
            f"values must be of shape (..., n_runs, n_examples) with two runs or more; got {scores.shape}. With one run use "
            "clustered_mean."
        )
    n_runs, n = scores.shape[-2:]
    present = ~np.isnan(scores)
    runs_of = present.sum(axis=-2)
    if np.any(runs_of == 0):
        raise InvalidScoresError(f"example {np.argwhere(runs_of == 0)[0][-1]} has no answer in any run; leave it out.")
    means = np.where(present, scores, 0.0).sum(axis=-2) / runs_of
    sums = cluster_sums(means, clusters, weights=weights)
    examples = mean_of_clusters(sums)
    weight = check_weights(weights, n)
    own = present * (weight / weight.sum() / runs_of)[..., None, :]  # weight of each answer in the mean
    residual = np.where(present, scores - np.asarray(examples.estimate)[..., None, None], 0.0) * own
    cells = cluster_sums(residual, clusters).totals
    run_share = own.sum(axis=-1)
    from_runs, rest = _parts(cells, run_share, sums)
    a = np.square(examples.standard_error)
    estimable = from_runs > rest
    variance = np.where(estimable & (population != "items"), a + from_runs - rest, a)
    n_clusters = np.asarray(examples.n_clusters)
    terms = divide(a**2, examples.df) + from_runs**2 / (n_runs - 1) + divide(rest**2, (n_clusters - 1) * (n_runs - 1))
    smallest = np.minimum(n_runs - 1, np.asarray(examples.df))
    df = np.where(estimable & (population != "items"), np.maximum(divide(variance**2, terms), smallest), examples.df)
    error = np.where(examples.kind == UNDEFINED, np.nan, np.sqrt(variance))
    from_examples, runs_only = np.maximum(a - rest, 0.0), np.maximum(from_runs - rest, 0.0)
    return CrossedMeanResult(
        examples.estimate,
        plain(error),
        plain(df),
        plain(np.sqrt(from_runs)),
        plain(from_examples),
        plain(runs_only),
        plain(rest),
        plain(skewness_of_mean(cells.sum(axis=-1))),
        n,
        n_runs,
        population,
        examples,
    )


def _parts(cells: FloatArray, run_share: FloatArray, sums: ClusterSums) -> tuple[FloatArray, FloatArray]:
    """Squared errors of the mean by run, and of what is left without examples and runs; unbiased where all are balanced."""
    of_cluster, of_run = cells.sum(axis=-2), cells.sum(axis=-1)
    from_runs = np.where(run_share < 1 - 1e-12, divide(of_run**2, 1 - run_share), 0.0).sum(axis=-1)  # else it is all there is
    share = sums.weights / sums.weights.sum(axis=-1, keepdims=True)
    rest = cells - run_share[..., None] * of_cluster[..., None, :] - share[..., None, :] * of_run[..., None]
    n_runs, n_clusters = cells.shape[-2:]
    factor = n_runs / (n_runs - 1) * (n_clusters / max(n_clusters - 1, 1))
    return from_runs, factor * np.square(rest).sum(axis=(-2, -1))
