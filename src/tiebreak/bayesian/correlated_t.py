"""Bayesian correlated t-test: the posterior of a mean difference of cross-validated scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics import (
    DifferenceMoments,
    FloatArray,
    IntArray,
    Interval,
    StudentDistribution,
    check_differences,
    check_ratio,
    check_rope,
    check_scale,
    corrected_standard_error,
    plain,
    row_moments,
)


class RopeProbabilities(NamedTuple):
    """Posterior probabilities that the first model is better, practically equivalent, or worse; they sum to 1."""

    better: FloatArray
    equivalent: FloatArray
    worse: FloatArray


def region_probabilities(
    low: tuple[FloatArray, FloatArray],
    high: tuple[FloatArray, FloatArray],
    rope: float,
    mean: FloatArray,
    is_point: NDArray[np.bool_],
    tolerance: FloatArray | float,
) -> RopeProbabilities:
    """Mass above, inside and below the closed region [-rope, rope], from the tails at its ends.

    Parameters
    ----------
    low, high : pair of ndarray
        Tails below and above -rope, and below and above rope.
    rope : float
    mean : ndarray
        A point that is on the side where most of the mass is; of a point mass, the point.
    is_point : ndarray of bool
        Rows whose mass lies on one point, and so have no tails.
    tolerance : ndarray or float
        Distance up to which a point mass beyond a limit is inside.
    """
    (worse, above_low), (below_high, better) = low, high
    # the difference of the two tails on the side where they are small keeps the digits of a region far out
    inside = np.where(np.asarray(mean) > 0, below_high - worse, above_low - better)
    if np.any(is_point):
        limit = rope + np.asarray(tolerance)
        better = np.where(is_point, mean > limit, better)
        worse = np.where(is_point, mean < -limit, worse)
        inside = np.where(is_point, np.abs(mean) <= limit, inside)
    return RopeProbabilities(plain(better), plain(inside), plain(worse))


@dataclass(frozen=True, slots=True)
class StudentPosterior:
    """Posterior of mean differences: Student's t with location, scale and degrees of freedom; arrays of one shape.

    Attributes
    ----------
    mean : ndarray
        Location, in the metric's unit; positive favours the first model.
    scale : ndarray
        In the metric's unit; 0 is a point mass, which the data of a row without spread leave.
    df : ndarray or int
        Degrees of freedom.
    tolerance : ndarray or float
        Distances up to this size, in the metric's unit, are rounding noise; it decides whether a point mass that lies on
        a limit of the rope is inside.
    """

    mean: FloatArray
    scale: FloatArray
    df: IntArray | int
    tolerance: FloatArray | float = 0.0

    @property
    def variance(self) -> FloatArray:
        """Square of the scale, in the metric's unit squared (the variance of the posterior itself is df / (df - 2) of it)."""
        return np.square(self.scale)

    def probabilities(self, rope: float = 0.0) -> RopeProbabilities:
        """Mass above, inside and below the closed region [-rope, rope].

        Parameters
        ----------
        rope : float
            Half-width of practical equivalence, in the metric's unit, not negative. At 0 the region is a single point,
            which only a point mass can fill.
        """
        rope = check_rope(rope)
        low = self.student.tails(-rope)
        high = self.student.tails(rope) if rope > 0 else low
        return region_probabilities(low, high, rope, self.mean, np.asarray(self.scale) == 0, self.tolerance)

    def credible_interval(self, level: float = 0.95) -> Interval:
        """Interval around the mean that holds `level` of the posterior, in the metric's unit; nan for a point mass.

        Equal-tailed, and because the posterior is symmetric also the shortest.
        """
        return self.student.confidence_interval(level)

    def quantile(self, probability: ArrayLike) -> FloatArray:
        """Difference, in the metric's unit, below which the posterior has the given probability.

        Parameters
        ----------
        probability : array_like
            Between 0 and 1; broadcast against the shape of the posterior.
        """
        return self.student.quantile(probability)

    def density(self, difference: ArrayLike) -> FloatArray:
        """Density at the given differences, per unit of the metric; nan for a point mass.

        Parameters
        ----------
        difference : array_like
            In the metric's unit; broadcast against the shape of the posterior.
        """
        return self.student.density(difference)

    @property
    def student(self) -> StudentDistribution:
        """The posterior as a distribution: tails, quantiles on either side, and draws."""
        return StudentDistribution(self.mean, self.scale, self.df)


def correlated_t_posterior(
    differences: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> StudentPosterior:
    """Posterior of the mean difference of two models, for scores whose training sets overlap.

    With the prior 1 / sigma^2 of [CB15]_ and the correlation rho = n_test / (n_test + n_train) between splits, the
    posterior is Student's t with n - 1 degrees of freedom, location the mean difference, and squared scale
    (1/n + rho / (1 - rho)) s^2; rho / (1 - rho) is n_test / n_train, so its tails equal those of the corrected t-test.

    Parameters
    ----------
    differences : array_like of shape (..., n_splits)
        First model minus second, one per split, in the metric's unit; positive favours the first.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean ``n_test / n_train`` of the splits, without unit.
    scale, omit_missing
        As in `tiebreak.frequentist.corrected_ttest`.

    Returns
    -------
    StudentPosterior
        Arrays of shape (...). A row without spread is a point mass.

    Raises
    ------
    TooFewSplitsError
        Fewer than two splits.

    References
    ----------
    .. [CB15] G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
       Machine Learning 100, 2015, section 3.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 3.1.

    Examples
    --------
    >>> posterior = correlated_t_posterior([0.03, 0.01, 0.02, 0.05, -0.01], test_train_ratio=1 / 4)
    >>> [round(float(p), 3) for p in posterior.probabilities(rope=0.01)]
    [0.729, 0.213, 0.058]
    """
    d = check_differences(differences)
    ratio = check_ratio(test_train_ratio, d.shape[:-1])
    return posterior_of_moments(row_moments(d, check_scale(scale, d.shape[:-1]), omit_missing=omit_missing), ratio)


def posterior_of_moments(moments: DifferenceMoments, test_train_ratio: ArrayLike) -> StudentPosterior:
    """The posterior of `correlated_t_posterior` from moments that are known already, for many pairs at once."""
    standard_error = corrected_standard_error(moments, test_train_ratio)
    return StudentPosterior(plain(moments.mean), plain(standard_error), moments.df, plain(moments.tolerance))
