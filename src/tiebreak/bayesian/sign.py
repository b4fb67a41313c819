"""Bayesian sign test over datasets: a Dirichlet posterior of where a further dataset falls, above, in or below the rope."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, TooFewDatasetsError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    Interval,
    check_count,
    check_differences,
    check_probability,
    check_rope,
    check_scale,
    generator_of,
    plain,
)
from tiebreak.numerics.law import RopeProbabilities


@dataclass(frozen=True, slots=True)
class SignPosterior:
    """Posterior of the chances that a further dataset lies above, inside or below the rope; arrays of one shape.

    Attributes
    ----------
    n_better, n_equivalent, n_worse : ndarray of int
        Datasets above, inside and below the closed rope.
    prior : RopeProbabilities
        Pseudo-datasets that the prior adds to each of the three.
    """

    n_better: IntArray
    n_equivalent: IntArray
    n_worse: IntArray
    prior: RopeProbabilities

    @property
    def counts(self) -> FloatArray:
        """Parameters of the Dirichlet distribution, counts with the prior's: shape (..., 3), better first; nan if undefined."""
        counts = np.stack([np.asarray(n, dtype=float) for n in (self.n_better, self.n_equivalent, self.n_worse)], axis=-1)
        return np.where(counts.sum(axis=-1, keepdims=True) > 0, counts + np.array(self.prior), np.nan)

    @property
    def mean(self) -> RopeProbabilities:
        """Posterior mean of the three chances: the probabilities of the three regions for a further dataset."""
        better, equivalent, worse = np.moveaxis(self.counts / self.counts.sum(axis=-1, keepdims=True), -1, 0)
        return RopeProbabilities(plain(better), plain(equivalent), plain(worse))

    def probabilities(self) -> RopeProbabilities:
        """Probability that each region is the most probable one of the three, to 1e-12 (quadrature, nothing is drawn)."""
        rows, back = np.unique(self.counts.reshape(-1, 3), axis=0, return_inverse=True)
        answers = np.array([_most_probable(row) for row in rows]).reshape(-1, 3)[back.reshape(-1)]
        better, equivalent, worse = np.moveaxis(answers.reshape(self.counts.shape), -1, 0)
        return RopeProbabilities(plain(better), plain(equivalent), plain(worse))

    def draws(self, n_draws: int, rng: int | np.random.Generator = 0) -> FloatArray:
        """Draws of the three chances of a single row, of shape (n_draws, 3), better first.

        Parameters
        ----------
        n_draws : int
        rng : int or Generator
            Seed; the same seed gives the same draws.
        """
        gamma = generator_of(rng, np.random.PCG64).standard_gamma(self.counts.reshape(3), (check_count(n_draws, "n_draws"), 3))
        return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def sign_posterior(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    prior_strength: float = 1.0,
    prior_at: float = 0.0,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> SignPosterior:
    """Posterior of the chances that a further dataset favours one model, the other, or neither by more than the rope.

    Parameters
    ----------
    differences : array_like of shape (..., n_datasets)
        First model minus second, one per dataset, in the metric's unit; positive favours the first.
    rope : float
        Half-width of practical equivalence, in the metric's unit; the region is closed.
    prior_strength : float
        Pseudo-datasets that the prior is worth, at least 0.
    prior_at : float
        Difference at which they lie: 0 is within the rope, -inf and inf are below and above it.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted, which sets the rounding tolerance; the largest absolute difference if not given.
    omit_missing : bool
        Leave out a dataset that is nan, instead of calling its row undefined (nan).

    Returns
    -------
    SignPosterior

    Raises
    ------
    TooFewDatasetsError
        No dataset at all.
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
    >>> [round(float(p), 3) for p in posterior.probabilities()]
    [0.812, 0.187, 0.0]
    >>> [round(float(p), 3) for p in posterior.mean]
    [0.667, 0.333, 0.0]
    """
    d = check_dataset_differences(differences)
    rope, strength, at = check_rope(rope), check_prior_strength(prior_strength), check_prior_place(prior_at)
    present, defined = usable(d, omit_missing)
    tolerance = rounding_tolerance(d, present, check_scale(scale, d.shape[:-1]))[..., None]
    better, worse = present & (d > rope + tolerance), present & (d < -rope - tolerance)
    inside = present & ~better & ~worse
    n_better, n_inside, n_worse = (np.where(defined, np.count_nonzero(side, axis=-1), 0) for side in (better, inside, worse))
    place = (at > rope, abs(at) <= rope, at < -rope)
    prior = RopeProbabilities(*(np.array(strength if here else 0.0) for here in place))
    return SignPosterior(n_better, n_inside, n_worse, prior)


@dataclass(frozen=True, slots=True)
class MedianPosterior:
    """Posterior of the median difference over datasets, under a Dirichlet process; nothing is drawn.

    The median is one of the differences, or the prior's. Probabilities have the shape of the rows, broadcast with `at`; they are
    nan for a row without an answer.

    Attributes
    ----------
    points : ndarray of shape (..., n_datasets + 1)
        The differences and the prior's pseudo-difference, in the metric's unit; nan where one is missing.
    weights : ndarray of shape (..., n_datasets + 1)
        Their parameters of the Dirichlet distribution; 0 for a missing one.
    tolerance : ndarray of shape (...)
        Distance up to which a difference counts as equal to a point that is asked about.
    """

    points: FloatArray
    weights: FloatArray
    tolerance: FloatArray

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Probability of a median of at most `at`: that the datasets up to there have half of the weight or more."""
        return self._tail(self.points <= (np.asarray(at, dtype=float) + self.tolerance)[..., None])

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Probability of a median of at least `at`."""
        return self._tail(self.points >= (np.asarray(at, dtype=float) - self.tolerance)[..., None])

    def _tail(self, inside: NDArray[np.bool_]) -> FloatArray:
        total = self.weights.sum(axis=-1)
        p = _half_or_more(np.where(inside, self.weights, 0.0).sum(axis=-1), total)
        return plain(np.where(total > 0, p, np.nan))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Smallest point with more than `p` up to it; `upper`, the largest point with more than `p` from it on.

        Parameters
        ----------
        p : array_like
            Between 0 and 1, broadcast against the rows.
        upper : bool
        """
        sign = -1.0 if upper else 1.0
        order = np.argsort(sign * self.points, axis=-1)  # nan last
        points, weights = (np.take_along_axis(each, order, axis=-1) for each in (self.points, self.weights))
        weight = np.cumsum(weights, axis=-1)
        chances = _half_or_more(weight, weight[..., -1:])
        is_enough = (weight > 0) & (chances > np.asarray(p, dtype=float)[..., None] * (1.0 + 1e-12))
        place = np.where(is_enough.any(axis=-1), is_enough.argmax(axis=-1), (weight < weight[..., -1:]).sum(axis=-1))
        rows = np.broadcast_to(points, (*place.shape, points.shape[-1]))
        value = np.take_along_axis(rows, place[..., None], axis=-1)[..., 0]
        return plain(np.where(weight[..., -1] > 0, value, np.nan))

    def credible_interval(self, level: float = 0.95) -> Interval:
        """Interval with at most (1 - level) / 2 of the probability beyond either end.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        """
        half = (1.0 - check_probability(level, "level")) / 2.0
        return Interval(self.quantile(half), self.quantile(half, upper=True))


def _half_or_more(weight: FloatArray, total: FloatArray) -> FloatArray:
    """Probability that points of this weight, of a total, have half of it or more: a tail of a beta distribution."""
    from scipy.special import betainc

    rest = total - weight
    is_open = (weight > 0) & (rest > 0)
    return np.where(is_open, betainc(np.where(is_open, rest, 1.0), np.where(is_open, weight, 1.0), 0.5), weight > 0)


def median_posterior(
    differences: ArrayLike,
    *,
    prior_strength: float = 1.0,
    prior_at: float = 0.0,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> MedianPosterior:
    """Posterior of the median difference over datasets, under the Dirichlet process of the Bayesian sign test.

    The weight of the datasets up to a point has a beta distribution, and the median is at most there where that weight is a half
    or more [F73]_; it is the statement "the first model wins on most datasets" [B14]_ about differences that are shifted.

    Parameters
    ----------
    differences : array_like of shape (..., n_datasets)
        First model minus second, one per dataset, in the metric's unit; positive favours the first.
    prior_strength, prior_at, scale, omit_missing
        As in `sign_posterior`.

    Returns
    -------
    MedianPosterior

    Raises
    ------
    TooFewDatasetsError
        No dataset at all.
    InvalidParameterError
        A negative strength.

    References
    ----------
    .. [F73] T. Ferguson. A Bayesian analysis of some nonparametric problems. The Annals of Statistics 1, 1973, section 5.
    .. [B14] A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri. A Bayesian Wilcoxon signed-rank test based on the
       Dirichlet process. ICML 2014.

    Examples
    --------
    >>> posterior = median_posterior([0.03, 0.02, -0.01, 0.04, 0.05, 0.02, 0.01])
    >>> round(float(posterior.tail_above(0.01)), 3)
    0.938
    >>> [float(end) for end in posterior.credible_interval(0.95)]
    [0.0, 0.04]
    """
    d = check_dataset_differences(differences)
    strength, at = check_prior_strength(prior_strength), check_prior_place(prior_at)
    present, defined = usable(d, omit_missing)
    tolerance = rounding_tolerance(d, present, check_scale(scale, d.shape[:-1]))
    prior = np.where(defined, strength, 0.0)[..., None]
    weights = np.concatenate([present.astype(float), prior], axis=-1)
    points = np.concatenate([np.where(present, d, np.nan), np.where(prior > 0, at, np.nan)], axis=-1)
    return MedianPosterior(points, weights, np.asarray(tolerance))


def check_dataset_differences(differences: ArrayLike) -> FloatArray:
    """Array of floats with the datasets on the last axis, one or more."""
    d = check_differences(differences, min_splits=0)
    if d.shape[-1] == 0:
        raise TooFewDatasetsError("no dataset at all; pass one difference for each dataset, on the last axis.")
    return d


def usable(differences: FloatArray, omit_missing: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which differences count, and which rows have an answer: without an infinite value, and with some dataset."""
    missing = np.isnan(differences)
    present = ~missing if omit_missing else np.ones(differences.shape, dtype=bool)
    defined = np.all(np.isfinite(differences) | (missing & omit_missing), axis=-1) & present.any(axis=-1)
    return present & defined[..., None], defined


def rounding_tolerance(differences: FloatArray, present: NDArray[np.bool_], scale: FloatArray | None) -> FloatArray:
    """Distance, one for each row, up to which a difference that should lie on a limit may be beside it."""
    if scale is not None:
        return np.asarray(RELATIVE_TOLERANCE * np.broadcast_to(scale, differences.shape[:-1]))
    return np.asarray(RELATIVE_TOLERANCE * np.abs(np.where(present, differences, 0.0)).max(axis=-1, initial=0.0))


def check_prior_strength(strength: Any) -> float:
    """Pseudo-datasets, a finite number of at least 0."""
    if isinstance(strength, bool) or not isinstance(strength, Real) or not 0 <= float(strength) < np.inf:
        raise InvalidParameterError(
            f"prior_strength must be a number of pseudo-datasets, at least 0; got {strength!r}.",
            about="prior_strength",
        )
    return float(strength)


def check_prior_place(at: Any) -> float:
    """A difference, which may be infinite."""
    if isinstance(at, bool) or not isinstance(at, Real) or np.isnan(float(at)):
        raise InvalidParameterError(
            f"prior_at must be a difference in the metric's unit, -inf and inf included; got {at!r}.", about="prior_at"
        )
    return float(at)


def _most_probable(counts: FloatArray) -> tuple[float, ...]:
    """Probability that each weight of a Dirichlet distribution is the largest; nan for nan."""
    if np.isnan(counts).any():
        return (np.nan,) * 3
    from scipy.special import gammainc, gammainccinv, gammaincinv, gammaln

    # Weights are gamma variables over their sum, so weight i is largest with the integral of f_i F_j F_k. In log x it is
    # analytic and falls off exponentially, for which the trapezoidal rule is as good as exact. The largest of the three lies
    # between a third of their sum and the sum.
    total = counts.sum()
    low, high = np.log(gammaincinv(total, 1e-18) / 3), np.log(gammainccinv(total, 1e-18))
    t = np.linspace(low, high, int(np.ceil((high - low) * 4 * np.sqrt(total))) + 2)
    x = np.exp(t)
    below = np.array([gammainc(a, x) if a > 0 else np.ones_like(x) for a in counts])
    answer = []
    for i, a in enumerate(counts):
        others = np.prod(np.delete(below, i, axis=0), axis=0)
        answer.append(float(np.exp(a * t - x - gammaln(a)) @ others * (t[1] - t[0])) if a > 0 else 0.0)
    whole = sum(answer)
    return tuple(p / whole for p in answer)
