"""Bayesian sign test over datasets: a Dirichlet posterior of where a further dataset falls, above, in or below the rope."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, check_differences, check_number, check_rope
from tiebreak.numerics.law import RopeProbabilities


class SignPosterior(NamedTuple):
    """Posterior of the chances that a further dataset lies above, inside or below the rope.

    Attributes
    ----------
    n_better, n_equivalent, n_worse : int
        Datasets above, inside and below the closed rope; 0 each where a difference is missing or infinite.
    mean : RopeProbabilities
        Posterior mean of the three chances: the probabilities of the three regions for a further dataset.
    probabilities : RopeProbabilities
        Probability that each region is the most probable one of the three, to 1e-12 (quadrature, nothing is drawn).
    """

    n_better: int
    n_equivalent: int
    n_worse: int
    mean: RopeProbabilities
    probabilities: RopeProbabilities


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
    DataError
        No dataset at all.
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
    >>> [round(float(p), 4) for p in posterior.probabilities]
    [0.8125, 0.1875, 0.0]
    >>> [round(float(p), 3) for p in posterior.mean]
    [0.667, 0.333, 0.0]
    """
    d = check_dataset_differences(differences)
    if d.ndim != 1:
        raise DataError(f"the sign test takes one row of differences, one a dataset; got the shape {d.shape}.")
    rope, strength, at = check_rope(rope), *check_prior(prior_strength, prior_at)
    limit = rope + RELATIVE_TOLERANCE * np.abs(d).max()
    n_better, n_worse = int(np.count_nonzero(d > limit)), int(np.count_nonzero(d < -limit))
    if not np.isfinite(d).all():
        undefined = RopeProbabilities(*(np.asarray(np.nan),) * 3)
        return SignPosterior(0, 0, 0, undefined, undefined)
    seen = n_better, d.size - n_better - n_worse, n_worse
    counts = seen + strength * np.array([at > rope, abs(at) <= rope, at < -rope])
    chances = (RopeProbabilities(*map(np.asarray, each)) for each in (counts / counts.sum(), _most_probable(counts)))
    return SignPosterior(*seen, *chances)


def check_dataset_differences(differences: ArrayLike) -> FloatArray:
    """Array of floats with the datasets on the last axis, one or more."""
    d = check_differences(differences, min_splits=0)
    if d.shape[-1] == 0:
        raise DataError("no dataset at all; pass one difference for each dataset, on the last axis.")
    return d


def check_prior(strength: Any, at: Any) -> tuple[float, float]:
    """Pseudo-datasets, a finite number of at least 0, and a difference, which may be infinite."""
    try:
        place = check_number(at, "prior_at", -np.inf)
    except InvalidParameterError:
        text = f"prior_at must be a difference in the metric's unit, -inf and inf included; got {at!r}."
        raise InvalidParameterError(text, about="prior_at") from None
    return check_number(strength, "prior_strength", 0, np.finfo(float).max), place


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
