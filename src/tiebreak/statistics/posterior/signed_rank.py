"""Bayesian signed-rank test over datasets: a Dirichlet process as prior, drawn in the time that sorting allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    Law,
    RopeProbabilities,
    blocks,
    by_draws,
    check_array,
    check_count,
    check_differences,
    check_number,
    check_rope,
    generator_of,
    noise_of,
    plain,
)
from tiebreak.statistics.ranks import hodges_lehmann


class RegionPosterior(NamedTuple):
    """Posterior of the chances of the regions above, inside and below the rope.

    Attributes
    ----------
    mean : RopeProbabilities
        Posterior mean of the three chances, exact.
    probabilities : RopeProbabilities
        Probability that each region is the most probable one of the three.
    """

    mean: RopeProbabilities
    probabilities: RopeProbabilities


def signed_rank_posterior(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    prior_at: float = 0.0,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
    n_draws: int = 50_000,
    rng: int = 0,
) -> RegionPosterior:
    """Posterior of the signed-rank statistic under a Dirichlet process.

    The distribution F of differences over datasets has the weights w ~ Dirichlet(s, 1, ..., 1) at the prior's pseudo-difference
    and at the differences; with Z and Z' independent from F the chances are those of (Z + Z') / 2 above, inside and below the
    rope [B17]_. A mean of two on a limit of the rope counts half for either side; at rope 0, none is inside.

    Parameters
    ----------
    differences : array_like of shape (..., n_datasets)
        First model minus second, one per dataset, in the metric's unit; positive favours the first.
    rope : float
        Half-width of practical equivalence, in the metric's unit.
    prior_strength : float
        Weight s of the prior, in datasets, at least 0.
    prior_at : float
        Its pseudo-difference, in the metric's unit; -inf and inf lie below and above everything.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted: 1e-12 of it is rounding noise. The largest absolute difference of the row if not
        given.
    omit_missing : bool, default False
        Leave out nan in each row. Otherwise a row with nan has no answer.
    n_draws : int
    rng : int
        Seed; the same seed gives the same answer, and the mirrored answer for swapped models.

    Returns
    -------
    RegionPosterior
        The mean has the probabilities of the regions for two further datasets. `probabilities` are counted over the draws, with a
        standard error of at most 0.5 / sqrt(n_draws), 0.0022 for 50,000.

    Raises
    ------
    DataError
        No dataset at all.
    InvalidParameterError
        A negative rope or strength.

    References
    ----------
    .. [B14] A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri. A Bayesian Wilcoxon signed-rank test based on the
       Dirichlet process. ICML 2014.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 4.2.

    Examples
    --------
    >>> posterior = signed_rank_posterior([0.03, 0.02, -0.01, 0.04, 0.05], rope=0.005)
    >>> [round(float(p), 3) for p in posterior.mean]
    [0.867, 0.063, 0.07]
    >>> [round(float(p), 2) for p in posterior.probabilities]
    [0.99, 0.0, 0.01]
    """
    rope, n_draws = check_rope(rope), check_count(n_draws, "n_draws")

    def chances(row: _Row) -> list[float]:
        return [*row.mean(rope), *row.most_probable(rope, n_draws, rng)]

    found = _of_rows(differences, chances, 6, prior_strength, prior_at, scale, omit_missing)
    return RegionPosterior(*(RopeProbabilities(*map(plain, np.moveaxis(each, -1, 0))) for each in np.split(found, 2, axis=-1)))


def signed_rank_centre(
    differences: ArrayLike,
    *,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
    n_draws: int = 9_999,
    rng: int = 0,
) -> Law:
    """Posterior of the centre of the differences, the median of the mean of two further datasets' differences, by draws.

    Its value for the differences as they are is the estimate of Hodges and Lehmann. It is above a point with the probability that
    more than half of the means of two are. Of more than 90 datasets it is one of 4,095 means of two, evenly spaced.

    Parameters
    ----------
    differences, scale, omit_missing, rng
        As of `signed_rank_posterior`; the prior is half a dataset at 0.
    n_draws : int
        20 over the error rate of the intervals, at least: with fewer draws these are nan.

    Examples
    --------
    >>> law = signed_rank_centre([0.03, 0.02, -0.01, 0.04, 0.05])
    >>> [round(end, 3) for end in law.interval()]
    [0.005, 0.04]
    """
    n_draws = check_count(n_draws, "n_draws")
    drawn = _of_rows(differences, lambda row: row.centres(n_draws, rng), n_draws, 0.5, 0.0, scale, omit_missing)
    d = check_differences(differences, min_splits=1, unit="dataset")
    centre = np.where(np.isnan(drawn[..., 0]), np.nan, hodges_lehmann(d))
    return by_draws(drawn, estimate=centre, n_units=np.count_nonzero(~np.isnan(d), axis=-1), tolerance=plain(noise_of(d, scale)))


def _of_rows(
    differences: ArrayLike,
    of: Callable[[_Row], Any],
    n_values: int,
    strength: Any,
    at: Any,
    scale: ArrayLike | None,
    omit_missing: bool,
) -> FloatArray:
    """Values of each row, of shape (..., n_values); nan where it has no answer: with an infinite value, or without any."""
    d, prior = check_differences(differences, min_splits=1, unit="dataset"), check_prior(strength, at)
    noise, found = noise_of(d, scale), np.full((*d.shape[:-1], n_values), np.nan)
    for row in np.ndindex(d.shape[:-1]):
        own = d[row][~np.isnan(d[row])] if omit_missing else d[row]
        if own.size and np.isfinite(own).all():
            (strength, at), order = prior, np.sort(own)
            unlike = np.flatnonzero(order != -order[::-1])
            is_mirrored = bool(order[unlike[0]] > -order[::-1][unlike[0]]) if unlike.size else at > 0
            if is_mirrored:
                order, at = -order[::-1], -at
            shapes = np.ones(order.size)
            if strength > 0:
                place = np.searchsorted(order, at)
                order, shapes = np.insert(order, place, at), np.insert(shapes, place, strength)
            found[row] = of(_Row(order, shapes, is_mirrored, float(noise[row])))
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    """Sorted differences with the prior's."""

    order: FloatArray
    """The smallest first, mirrored if the row is."""
    shapes: FloatArray
    """Dirichlet parameters in this order: 1, and the prior's strength at its place."""
    is_mirrored: bool
    """The models are swapped inside, so that either order of theirs uses the same draws."""
    noise: float

    def counts(self, limit: float) -> list[IntArray]:
        """For each difference, how many of the sorted ones do not lift the mean of the two above a limit.

        Two counts, the means on the limit in one of them; the average of the two is meant.
        """
        with np.errstate(invalid="ignore"):
            other = 2 * limit - self.order
        fewer, more = self.order.searchsorted(other - 2 * self.noise), self.order.searchsorted(other + 2 * self.noise, "right")
        return [fewer] if np.array_equal(fewer, more) else [fewer, more]

    def chances(self, weights: NDArray[np.floating], not_above: Sequence[IntArray], below: Sequence[IntArray]) -> FloatArray:
        """Chances above, inside and below for weights of shape (n, n_draws), which need not sum to 1; shape (3, n_draws).

        A draw's weight up to a limit is sum_i w_i sum_j w_j [d_i + d_j <= 2 limit], and the inner sum is one of the cumulative
        sums, whose places are the same in every draw.
        """
        grown = _grown(weights)
        low, high = (
            sum(np.einsum("ij,ij->j", weights, grown[counts]) for counts in both) / (len(both) * np.square(grown[-1]))
            for both in (below, not_above)
        )
        return np.stack([1 - high, high - low, low][:: -1 if self.is_mirrored else 1])

    def mean(self, rope: float) -> FloatArray:
        """Expected chances, by E[w_i w_j] = a_i a_j / (A (A + 1)), and a_i (a_i + 1) for i = j."""
        limits, total, i = (self.counts(rope), self.counts(-rope)), self.shapes.sum(), np.arange(self.shapes.size)
        up, down = (self.shapes @ np.mean([i < counts for counts in both], axis=0) for both in limits)
        itself = np.array([total - up, up - down, down][:: -1 if self.is_mirrored else 1])
        found = self.chances(self.shapes[:, None], *limits)[:, 0] * total**2 + itself
        return np.asarray(np.maximum(found, 0.0) / (total * (total + 1)))

    def most_probable(self, rope: float, n_draws: int, rng: int) -> FloatArray:
        """Share of draws in which each region has the largest chance; equal ones share a draw."""
        limits, total = (self.counts(rope), self.counts(-rope)), np.zeros(3)
        for weights in self.weights(n_draws, rng):
            chances = self.chances(weights, *limits)
            is_best = chances >= chances.max(axis=0) - _EQUAL
            total += (is_best / is_best.sum(axis=0)).sum(axis=1)
        if np.array_equal(self.order, -self.order[::-1]) and not self.order[self.shapes != 1].any():
            total = (total + total[::-1]) / 2  # swapped models are the very same row, and have the same chances
        return np.asarray(total / n_draws)

    def centres(self, n_draws: int, rng: int) -> FloatArray:
        """The weighted median of the means of two in each draw of the weights, by bisection over them in order."""
        some = self.order[np.linspace(0, self.order.size - 1, min(self.order.size, _MOST_VALUES)).astype(int)]
        means = np.unique((some[:, None] + some) / 2)
        counts = np.stack([self.counts(mean)[-1] for mean in means])
        found = []
        for weights in self.weights(n_draws, rng):
            grown, draws = _grown(weights), np.arange(weights.shape[1])
            low, high = np.zeros(draws.size, dtype=np.intp), np.full(draws.size, means.size - 1)
            while (low < high).any():
                middle = (low + high) // 2
                is_reached = np.einsum("ji,ij->j", grown[counts[middle], draws[:, None]], weights) >= np.square(grown[-1]) / 2
                low, high = np.where(is_reached, low, np.minimum(middle + 1, high)), np.where(is_reached, middle, high)
            found.append(means[low])
        return -np.concatenate(found) if self.is_mirrored else np.concatenate(found)

    def weights(self, n_draws: int, rng: int) -> Iterator[NDArray[np.float32]]:
        """Weights of shape (n, block); over their sum they have the Dirichlet distribution."""
        generator = generator_of(rng, np.random.PCG64)
        n, prior = self.shapes.size, np.flatnonzero(self.shapes != 1)
        for draws in blocks(n_draws, n, most=_BLOCK, least=32):
            weights = generator.standard_exponential((n, draws.stop - draws.start), dtype=np.float32)
            if prior.size:
                weights[prior[0]] = generator.standard_gamma(self.shapes[prior[0]], weights.shape[1], dtype=np.float32)
            yield weights


def _grown(weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Cumulative sums of weights, from 0 on."""
    grown = np.zeros((weights.shape[0] + 1, weights.shape[1]), dtype=weights.dtype)
    np.cumsum(weights, axis=0, out=grown[1:])
    return grown


_BLOCK = 150_000
"""Numbers drawn at a time; with their sums they stay in the cache of a core."""

_MOST_VALUES = 90
"""Values whose means of two are tried as centres."""

_EQUAL = 1e-5
"""Chances that this close are equal: they are drawn in single precision."""


# --- the sign test ---------------------------------------------------------------------------------------------------------


def sign_posterior(
    differences: ArrayLike, *, rope: float = 0.0, prior_strength: float = 1.0, prior_at: float = 0.0
) -> RegionPosterior:
    """Posterior of the chances that a further dataset favours one model, the other, or neither by more than the rope.

    Parameters
    ----------
    differences : array_like of shape (n_datasets,)
        First model minus second, one per dataset, in the metric's unit; positive favours the first.
    rope : float
        Half-width of practical equivalence, in the metric's unit; the region is closed.
    prior_strength : float
        Pseudo-datasets that the prior is worth, at least 0.
    prior_at : float
        Difference at which they lie: 0 is within the rope, -inf and inf are below and above it.

    Returns
    -------
    RegionPosterior
        The mean has the probabilities of the regions for a further dataset. `probabilities` are exact to 1e-12, as nothing is
        drawn.

    Raises
    ------
    DataError
        No dataset at all, other than one row of differences, or one that is not finite.
    InvalidParameterError
        A negative rope or strength.

    References
    ----------
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 4.1.
    .. [B14] A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri. A Bayesian Wilcoxon signed-rank test based on the
       Dirichlet process. ICML 2014.

    Examples
    --------
    >>> posterior = sign_posterior([0.03, 0.02, -0.01, 0.04, 0.05], rope=0.015)
    >>> [round(float(p), 4) for p in posterior.probabilities]
    [0.8125, 0.1875, 0.0]
    >>> [round(float(p), 3) for p in posterior.mean]
    [0.667, 0.333, 0.0]
    """
    d = check_array(differences, "differences", "n_datasets")
    rope, strength, at = check_rope(rope), *check_prior(prior_strength, prior_at)
    limit = rope + RELATIVE_TOLERANCE * np.abs(d).max()
    seen = np.array([np.count_nonzero(region) for region in (d > limit, np.abs(d) <= limit, d < -limit)])
    counts = seen + strength * np.array([at > rope, abs(at) <= rope, at < -rope])
    chances = (RopeProbabilities(*map(np.asarray, each)) for each in (counts / counts.sum(), _most_probable(counts)))
    return RegionPosterior(*chances)


def check_prior(strength: Any, at: Any) -> tuple[float, float]:
    """Pseudo-datasets, a finite number of at least 0, and a difference, which may be infinite."""
    return check_number(strength, "prior_strength", 0, _MOST_PRIOR), check_number(at, "prior_at", -np.inf)


_MOST_PRIOR = 1e9
"""Datasets that a prior may be worth."""


def _most_probable(counts: FloatArray) -> list[float]:
    """Probability that each weight of a Dirichlet distribution is the largest."""
    from scipy.special import gammainc, gammainccinv, gammaincinv, gammaln

    # Weights are gamma variables over their sum, so weight i is largest with the integral of f_i F_j F_k. In log x it is
    # analytic and falls off exponentially, for which the trapezoidal rule is as good as exact. The largest of the three lies
    # between a third of their sum and the sum.
    total = counts.sum()
    low, high = np.log(gammaincinv(total, 1e-18) / 3), np.log(gammainccinv(total, 1e-18))
    t = np.linspace(low, high, int(np.ceil((high - low) * 4 * np.sqrt(total))) + 2)
    x = np.exp(t)
    below = np.array([gammainc(a, x) if a > 0 else np.ones_like(x) for a in counts])
    answer = [
        float(np.exp(a * t - x - gammaln(a)) @ np.delete(below, i, axis=0).prod(axis=0)) if a > 0 else 0.0
        for i, a in enumerate(counts)
    ]
    return [p / sum(answer) for p in answer]
