"""The Bayesian bootstrap: a posterior of a mean over examples that takes no distribution of the scores for granted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import (
    FloatArray,
    Interval,
    check_count,
    check_probability,
    check_rope,
    floats,
    generator_of,
    group_codes,
    plain,
)


class BootstrapProbabilities(NamedTuple):
    """Posterior probabilities of a mean difference; arrays over pairs, or single numbers.

    Attributes
    ----------
    better, equivalent, worse : ndarray or float
        Above the rope, in it (ends included), and below it.
    """

    better: FloatArray
    equivalent: FloatArray
    worse: FloatArray


@dataclass(frozen=True, slots=True)
class BayesianBootstrapPosterior:
    """Draws of the posterior of a mean; all rows share the weights, so the draws of several models are joint.

    Attributes
    ----------
    estimate : ndarray or float
        Mean of the scores as they are, in the metric's unit.
    draws : ndarray of shape (..., n_draws)
    """

    estimate: FloatArray
    draws: FloatArray

    @property
    def standard_deviation(self) -> FloatArray:
        """Standard deviation of the posterior."""
        return plain(self.draws.std(axis=-1))

    def probabilities(self, rope: float = 0.0) -> BootstrapProbabilities:
        """Shares of the draws above, within and below the region of practical equivalence.

        Parameters
        ----------
        rope : float
            Half-width, in the metric's unit.
        """
        rope = check_rope(rope)
        above, below = (self.draws > rope).mean(axis=-1), (self.draws < -rope).mean(axis=-1)
        inside = ((self.draws >= -rope) & (self.draws <= rope)).mean(axis=-1)
        return BootstrapProbabilities(plain(above), plain(inside), plain(below))

    def credible_interval(self, level: float = 0.95) -> Interval:
        """Central interval: as much of the posterior lies below it as above."""
        tail = (1 - check_probability(level, "level")) / 2
        low, high = np.quantile(self.draws, [tail, 1 - tail], axis=-1)
        return Interval(plain(low), plain(high))

    def p_best(self) -> FloatArray:
        """Probability that each row has the largest mean; equal ones share it."""
        best = self.draws == self.draws.max(axis=0)
        return np.asarray((best / best.sum(axis=0)).mean(axis=-1))


def bayesian_bootstrap(
    values: ArrayLike,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    n_draws: int = 10_000,
    rng: int | np.random.Generator = 0,
) -> BayesianBootstrapPosterior:
    """Posterior of the mean of a score, or of a difference of scores, over examples.

    Every draw gives the examples random shares, uniform over all shares that sum to 1, and takes the mean with these [R81]_. It
    thinks only of values that were seen: for 0/1 scores without a single failure it says that there are none.

    Parameters
    ----------
    values : array_like of shape (..., n_examples)
        In the metric's unit. For two models the differences, first minus second; for p_best one row for each model.
    clusters : sequence of length n_examples, optional
        Shares are given to clusters, and those of a cluster's examples are equal.
    n_draws : int, default 10,000
    rng : int or numpy Generator, default 0

    Returns
    -------
    BayesianBootstrapPosterior

    Raises
    ------
    InvalidScoresError
        Values that are not finite, or fewer than two.

    References
    ----------
    .. [R81] D. B. Rubin. The Bayesian bootstrap. The Annals of Statistics 9, 1981.
    """
    x = floats(values, "values")
    if x.ndim == 0 or x.shape[-1] < 2 or not np.isfinite(x).all():
        raise InvalidScoresError(f"two finite values or more are needed, one for each example; got the shape {x.shape}.")
    n_draws = check_count(n_draws, "n_draws")
    generator = generator_of(rng)
    rows, sizes = _by_cluster(x.reshape(-1, x.shape[-1]), clusters)
    draws = np.empty((rows.shape[0], n_draws))
    step = max(1, 2_000_000 // sizes.size)
    for start in range(0, n_draws, step):
        weights = generator.standard_exponential((min(step, n_draws - start), sizes.size))
        draws[:, start : start + step] = (rows @ weights.T) / (weights @ sizes)
    return BayesianBootstrapPosterior(plain(x.mean(axis=-1)), draws.reshape((*x.shape[:-1], n_draws)))


def _by_cluster(rows: FloatArray, clusters: Sequence[object] | ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """Sums over each cluster, and the number of its examples."""
    if clusters is None:
        return rows, np.ones(rows.shape[1])
    codes, n_clusters = group_codes(clusters, rows.shape[1], "clusters")
    sums = np.stack([np.bincount(codes, row, n_clusters) for row in rows])
    return np.asarray(sums, dtype=float), np.bincount(codes, minlength=n_clusters).astype(float)
