"""Bayesian sign test over datasets: a Dirichlet posterior of where a further dataset falls, above, in or below the rope."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewDatasetsError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, check_differences, check_rope
from tiebreak.numerics.law import RopeProbabilities


@dataclass(frozen=True, slots=True)
class SignPosterior:
    """Posterior of the chances that a further dataset lies above, inside or below the rope.

    Attributes
    ----------
    n_better, n_equivalent, n_worse : int
        Datasets above, inside and below the closed rope; 0 each where a difference is missing or infinite.
    prior : RopeProbabilities
        Pseudo-datasets that the prior adds to each of the three.
    """

    n_better: int
    n_equivalent: int
    n_worse: int
    prior: RopeProbabilities

    @property
    def counts(self) -> FloatArray:
        """Parameters of the Dirichlet distribution, counts with the prior's, better first; nan if undefined."""
        counts = np.array([self.n_better, self.n_equivalent, self.n_worse], dtype=float)
        return np.where(counts.sum() > 0, counts + np.array(self.prior), np.nan)

    @property
    def mean(self) -> RopeProbabilities:
        """Posterior mean of the three chances: the probabilities of the three regions for a further dataset."""
        return RopeProbabilities(*(self.counts / self.counts.sum()))

    def probabilities(self) -> RopeProbabilities:
        """Probability that each region is the most probable one of the three, to 1e-12 (quadrature, nothing is drawn)."""
        return RopeProbabilities(*map(np.asarray, _most_probable(self.counts)))


def sign_posterior(
    differences: ArrayLike, *, rope: float = 0.0, prior_strength: float = 1.0, prior_at: float = 0.0
) -> SignPosterior:
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
    SignPosterior

    Raises
    ------
    TooFewDatasetsError
        No dataset at all.
    InvalidScoresError
        Other than one row of differences.
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
    if d.ndim != 1:
        raise InvalidScoresError(f"the sign test takes one row of differences, one a dataset; got the shape {d.shape}.")
    rope, strength, at = check_rope(rope), check_prior_strength(prior_strength), check_prior_place(prior_at)
    present, _ = usable(d, omit_missing=False)
    tolerance = rounding_tolerance(d, present, None)
    better, worse = present & (d > rope + tolerance), present & (d < -rope - tolerance)
    n_better, n_worse = int(np.count_nonzero(better)), int(np.count_nonzero(worse))
    prior = RopeProbabilities(*(np.array(strength if here else 0.0) for here in (at > rope, abs(at) <= rope, at < -rope)))
    return SignPosterior(n_better, int(np.count_nonzero(present)) - n_better - n_worse, n_worse, prior)


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
