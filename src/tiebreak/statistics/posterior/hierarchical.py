"""Hierarchical test over datasets: cross-validated differences shrunk towards each other, integrated without any sampling.

The model of [C17]_ for the differences x_i of dataset i, with n_i scores of the correlation rho_i:

    x_i ~ N(delta_i, sigma_i^2 ((1 - rho_i) I + rho_i)),  sigma_i ~ U(0, 1000 mean sd)
    delta_i ~ t(nu, delta0, sigma0),  delta0 ~ U(-max |x|, max |x|),  sigma0 ~ U(0, 1000 sd of the means)
    nu - 1 ~ gamma(alpha, beta),  alpha ~ U(1, 2),  beta ~ U(0.01, 0.1)

Both sigma_i and the t distribution are scale mixtures of normals, so the likelihood of a dataset is a sum of normal densities
of the variance v + c_i sigma_i^2, with v = sigma0^2 / lambda. It is worked out once on a grid of v, which serves every sigma0 and
nu; what is left is an integral over delta0, sigma0 and nu, on a fixed grid where a coarse one found the posterior to lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaln, ndtr

from tiebreak.errors import DataError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    Law,
    RopeProbabilities,
    check_array,
    check_rope,
    check_sizes,
    legendre,
    plain,
    student_tail,
    tabulated,
)


@dataclass(frozen=True, slots=True)
class HierarchicalPosterior:
    """Posterior of the mean difference over datasets, and of a further dataset's difference.

    Attributes
    ----------
    law : Law
        Of the mean difference delta0, in the metric's unit; `se` is its posterior standard deviation.
    most_probable : RopeProbabilities
        Probability that each region is the most probable one for a further dataset, the decision of Corani et al. (2017).
    spread : float
        Posterior mean of sigma0, the scale of differences between datasets, in the metric's unit.
    n_flat : int
        Datasets whose differences are all the same; they count with the spread that `hierarchical_posterior` names.
    """

    law: Law
    most_probable: RopeProbabilities
    spread: float
    n_flat: int
    _data: _Data
    _grid: _Grid

    def next_dataset(self) -> Law:
        """Law of a further dataset's difference, in the metric's unit."""
        grid = self._grid
        mass = grid.mass.reshape(grid.delta0.size, -1) @ grid.mixing.T
        kept = mass.sum(axis=0) > 1e-9
        spread = np.sqrt(grid.variances[kept])
        centre, width = float(mass.sum(axis=1) @ grid.delta0), float(np.ptp(grid.delta0)) / 100 + spread.min()
        reach = np.arcsinh((np.ptp(grid.delta0) + 100 * self.spread / self._data.unit) / width)
        points = centre + width * np.sinh(np.linspace(-reach, reach, 401))
        below = np.array([float(np.sum(mass[:, kept] * ndtr((at - grid.delta0[:, None]) / spread))) for at in points])
        return _law(self._data, points, below, centre, self.law.n_units)

    def datasets(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean difference of each dataset, and mean and standard deviation of its posterior, which borrows from the others."""
        data, grid, unit, back = self._data, self._grid, self._data.unit, np.argsort(self._data.order)
        mass = grid.mass.reshape(grid.delta0.size, -1)
        kept = mass.sum(axis=0) > 1e-9
        mass, mixing = mass[:, kept], grid.mixing[:, kept]
        mean, square = np.empty((2, data.mean.size))
        for i, (own_mean, (variance, weight)) in enumerate(zip(data.mean, data.nodes, strict=True)):
            d = own_mean - grid.delta0[:, None, None]
            total = grid.variances + variance[:, None]  # (n_nodes, n_variances)
            density = np.exp(-0.5 * np.square(d) / total) * (weight[:, None] / np.sqrt(total))
            own = grid.variances / total  # weight of the dataset's own mean, given v and sigma_i
            centre = grid.delta0[:, None, None] + own * d
            parts = 1.0, centre, np.square(centre) + own * variance[:, None]
            sum_density, first, second = ((density * part).sum(axis=1) for part in parts)
            spread = (mass / np.maximum(sum_density @ mixing, 1e-300)) @ mixing.T
            mean[i], square[i] = np.sum(spread * first), np.sum(spread * second)
        sd = np.sqrt(np.maximum(square - np.square(mean), 0.0))
        return data.sign * unit * data.mean[back], data.sign * unit * mean[back], unit * sd[back]


def hierarchical_posterior(
    differences: Sequence[ArrayLike] | ArrayLike, *, test_train_ratio: ArrayLike, rope: float = 0.0
) -> HierarchicalPosterior:
    """Posterior of two models' difference over datasets, from the cross-validated differences of each.

    Parameters
    ----------
    differences : sequence of array_like, or array_like of shape (n_datasets, n_scores)
        First model minus second, in the metric's unit; positive favours the first. Two datasets or more; they may have different
        numbers of scores, two or more each.
    test_train_ratio : array_like
        Mean ``n_test / n_train`` of the splits, one or one for each dataset; scores of a dataset have the correlation
        n_test / (n_train + n_test).
    rope : float
        Half-width of practical equivalence, in the metric's unit.

    Returns
    -------
    HierarchicalPosterior
        Nothing is drawn: the same data give the same bits, swapped models the mirrored ones.

    Raises
    ------
    DataError
        One dataset, one score on a dataset, scores that are not finite, or differences that are the same within every dataset
        while the rope is 0.

    Notes
    -----
    A dataset whose differences are all the same has no likelihood in this model. Its spread is taken to be that of uniform
    differences within the rope, rope / sqrt(3), as in the authors' program (which takes its mean for 0 too; here it is kept), or
    with a rope of 0 the smallest spread of another dataset.

    References
    ----------
    .. [C17] G. Corani, A. Benavoli, J. Demsar, F. Mangili, M. Zaffalon. Statistical comparison of classifiers through Bayesian
       hierarchical modelling. Machine Learning 106, 2017.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 4.3.

    Examples
    --------
    >>> rows = [[0.03, 0.01, 0.02, 0.05], [0.02, 0.02, 0.01, 0.03], [0.00, 0.03, 0.02, 0.02], [0.04, 0.02, 0.05, 0.01]]
    >>> posterior = hierarchical_posterior(rows, test_train_ratio=1 / 3, rope=0.005)
    >>> [round(float(p), 2) for p in posterior.most_probable]
    [0.96, 0.0, 0.03]
    """
    from scipy.interpolate import CubicSpline

    rope = check_rope(rope)
    data = _read(differences, test_train_ratio, rope)
    grid = _integrate(data)
    regions = _most_probable(grid, rope / data.unit)[:: data.sign]
    by_delta0 = grid.mass.sum(axis=(1, 2))
    mean = float(by_delta0 @ grid.delta0)
    sd = float(np.sqrt(by_delta0 @ np.square(grid.delta0 - mean)))
    spread = float(grid.mass.sum(axis=(0, 2)) @ grid.sigma0)
    density = by_delta0.copy()  # by a cubic spline of it the mass below points between those of the grid
    density[[0, -1]] *= 2.0  # half a cell is what they stand for
    fine = np.linspace(grid.place[0], grid.place[-1], N_POINTS)
    below = np.maximum.accumulate(CubicSpline(grid.place, density).antiderivative()(fine))
    law = _law(data, grid.centre + grid.width * np.sinh(fine), below / below[-1], mean, data.mean.size, sd)
    return HierarchicalPosterior(law, RopeProbabilities(*map(plain, regions)), data.unit * spread, data.n_flat, data, grid)


def _law(data: _Data, points: FloatArray, below: FloatArray, mean: float, n: Any, sd: float | None = None) -> Law:
    """Law by a table in the data's unit, turned back."""
    if data.sign < 0:
        points, below, mean = -points[::-1], 1.0 - below[::-1], -mean
    se = None if sd is None else np.asarray(data.unit * sd)
    return tabulated(data.unit * points, below, estimate=data.unit * mean, se=se, n_units=n)


# --- the data -------------------------------------------------------------------------------------------------------


class _Data(NamedTuple):
    """Datasets in units of their mean standard deviation, sorted, and turned so that their means add up to 0 or more."""

    unit: float
    sign: int
    order: IntArray
    mean: FloatArray
    """Shape (n_datasets,)."""
    nodes: list[tuple[FloatArray, FloatArray]]
    """Of each dataset the variances c_i sigma_i^2 of its mean at nodes of sigma_i, and their weights, sigma_i's posterior."""
    largest: float
    """max |x|."""
    most_spread: float
    """Upper end of sigma0."""
    n_flat: int


def _read(differences: Sequence[ArrayLike] | ArrayLike, test_train_ratio: ArrayLike, rope: float) -> _Data:
    """Check, and reduce each dataset to its mean and its mixture of variances."""
    listed: Any = differences if np.iterable(differences) else [differences]
    rows = [check_array(each, f"the differences of dataset {i}", "n_splits", (2,)) for i, each in enumerate(listed)]
    if len(rows) < 2:
        raise DataError(
            f"{len(rows)} dataset(s), but at least 2 are needed to see how differences vary between datasets. For one dataset "
            "use tb.statistics.corrected_t."
        )
    ratio = np.broadcast_to(check_sizes(test_train_ratio, (len(rows),)), len(rows))
    n, mean = np.array([row.size for row in rows]), np.array([row.mean() for row in rows])
    squares = np.array([np.square(row - row.mean()).sum() for row in rows])
    largest = max(float(np.abs(row).max()) for row in rows)
    flat = np.sqrt(squares) <= RELATIVE_TOLERANCE * largest
    sd = np.sqrt(squares / n)
    if np.all(flat) and rope == 0:
        raise DataError(
            "the differences are the same within every dataset, so nothing says how precise they are; give a rope, or use "
            "signed_rank_posterior, which takes one difference for each dataset."
        )
    sd = np.where(flat, rope / np.sqrt(3) if rope else sd[~flat].min(), sd)
    unit = float(sd.mean())
    sign = -1 if mean.sum() < 0 else 1
    order = np.lexsort((ratio, n, sd, sign * mean))
    mean, sd, n, rho = sign * mean[order] / unit, sd[order] / unit, n[order], (ratio / (1 + ratio))[order]
    among = float(mean.std())
    among = among if among > RELATIVE_TOLERANCE * largest / unit else 1.0  # equal means: the spread within, as for one dataset
    # Given sigma, delta is N(mean, c sigma^2), c = (1 + (n - 1) rho) / n, and p = 1 / sigma^2 has, by sigma ~ U(0, B), a gamma
    # density with the shape (n - 2) / 2 and the rate S / (2 (1 - rho)), cut at 1 / B^2; S is the sum of squares n sd^2.
    rate, c = n * np.square(sd) / (2 * (1 - rho)), (1 + (n - 1) * rho) / n
    lowest = -2 * np.log(_WIDEST)  # the mean standard deviation is the unit
    gammas = [log_gamma_nodes((size - 2) / 2, r, lowest) for size, r in zip(n.tolist(), rate.tolist(), strict=True)]
    nodes = [(factor * np.exp(-points), weights) for factor, (points, weights) in zip(c, gammas, strict=True)]
    largest = max(largest, float(np.max(sd)) * unit) / unit
    return _Data(unit, sign, order, mean, nodes, largest, _WIDEST * among, int(flat.sum()))


def log_gamma_nodes(shape: float, rate: float, lowest: float = -np.inf, depth: float = 30.0) -> tuple[FloatArray, FloatArray]:
    """Nodes log p and weights of the trapezoidal rule for a gamma density above exp(lowest), down to exp(-depth) of its peak."""
    step = min(0.45, 0.8 / np.sqrt(max(shape, 1e-9)))
    start = max(lowest, (np.log(shape) if shape else 0.0) - np.log(rate) - (1 + depth / shape if shape else np.inf))
    stop = np.log(2 * shape + 40) - np.log(rate)
    points = start + step * np.arange(max(2, int((stop - start) / step) + 2))
    log_density = shape * points - rate * np.exp(points)
    log_density -= log_density.max()
    weights = np.where(log_density > -depth, np.exp(log_density), 0.0)
    weights[0] *= 0.5 if start == lowest else 1.0
    kept = weights > 0
    return points[kept], weights[kept] / weights.sum()


# --- the integral ---------------------------------------------------------------------------------------------------


class _Grid(NamedTuple):
    """The posterior at nodes of delta0, sigma0 and nu, in the data's unit.

    Nodes of delta0 are at centre + width sinh(place), with equal steps of the place, so that narrow and wide ones have enough.
    """

    centre: float
    width: float
    place: FloatArray
    delta0: FloatArray
    sigma0: FloatArray
    nu: FloatArray
    variances: FloatArray
    """Grid of v = sigma0^2 / lambda."""
    mixing: FloatArray
    """Weight of each variance in Student's t with a sigma0 and nu, of shape (n_variances, n_sigma0 * n_nu)."""
    mass: FloatArray
    """Posterior mass of a node, of shape (n_delta0, n_sigma0, n_nu); all of it is 1."""


def _integrate(data: _Data) -> _Grid:
    """A coarse look for where the posterior lies, and the grid there."""
    # rough place and width of the posterior of delta0, by a few steps of the t likelihood with 4 degrees of freedom
    own, centre = np.array([variance @ weight for variance, weight in data.nodes]), float(np.median(data.mean))
    between = max(float(np.var(data.mean)) - float(np.median(own)), 0.0)
    for _ in range(10):
        weight = 5.0 / (4.0 * (between + own) + np.square(data.mean - centre))
        centre = float(weight @ data.mean / weight.sum())
    width = float(0.5 / np.sqrt(np.sum(1.0 / (between + own))))
    low, high = np.arcsinh((np.array([-data.largest, data.largest]) - centre) / width)
    n = int(np.clip((high - low) / 0.35, 24, 80))
    # variance of the mean that is known best: a spread between datasets that is far below it cannot be seen
    least_variance = 1 / max(float(np.sum(weight / variance)) for variance, weight in data.nodes)
    top = np.log(data.most_spread)
    least = min(np.log(1e-4) + 0.5 * np.log(least_variance), top - 3.0)
    coarse = _grid(data, centre, width, np.linspace(low, high, n), np.arange(top, least, -0.5)[::-1], _NU_COARSE)
    by_place, by_sigma0 = coarse.mass.sum(axis=(1, 2)), coarse.mass.sum(axis=(0, 2))
    ends = []
    for points, mass in ((coarse.place, by_place), (np.log(coarse.sigma0), by_sigma0)):
        kept = np.flatnonzero(mass > _NEGLIGIBLE * mass.max())
        ends.append((points[max(kept[0] - 1, 0)], points[min(kept[-1] + 1, points.size - 1)]))
    (low, high), (least, most) = ends
    log_sigma0 = np.arange(most, least - _STEP / 2, -_STEP)[::-1]
    return _grid(data, centre, width, np.linspace(low, high, _N_DELTA0), log_sigma0, _NU_FINE)


def _grid(data: _Data, centre: float, width: float, place: FloatArray, log_sigma0: FloatArray, log_nu: FloatArray) -> _Grid:
    """The posterior by trapezoidal rules in the place of delta0, log sigma0 and log(nu - 1).

    Below the lowest sigma0 the likelihood no longer changes, so the rule goes on as a geometric series there. Student's t is
    N(0, sigma0^2 / lambda) with lambda ~ gamma(nu / 2, nu / 2): each cell of log v has the probability of its lambdas.
    """
    delta0, step = centre + width * np.sinh(place), log_sigma0[1] - log_sigma0[0]
    nu, rule = 1.0 + np.exp(log_nu), log_sigma0.copy()  # d sigma0 = sigma0 d log sigma0
    rule[0] -= np.log(-np.expm1(-step))
    rule[-1] -= np.log(2.0) if log_sigma0[-1] >= np.log(data.most_spread) - 1e-9 else 0.0
    log_v = np.arange(2 * log_sigma0[-1] + 12.0, 2 * log_sigma0[0] - 4.0, -2 * step)[::-1]
    edges, place_of = np.unique(np.round(2 * log_sigma0 - log_v[:-1, None] - step, 9), return_inverse=True)  # few differ
    beyond = gammainc(nu / 2, nu / 2 * np.exp(edges)[:, None])[place_of.reshape(log_v.size - 1, rule.size)]
    mixing = -np.diff(beyond, axis=0, prepend=1.0, append=0.0).reshape(log_v.size, -1)
    variances = np.exp(log_v)
    log_mass = np.zeros((delta0.size, mixing.shape[1]))
    for mean, (own, weight) in zip(data.mean, data.nodes, strict=True):
        v = variances + own[:, None]  # (n_nodes, n_variances)
        normal = np.exp(np.square(mean - delta0)[:, None, None] * (-0.5 / v))
        density = np.einsum("dnv,nv->dv", normal, weight[:, None] / np.sqrt(v))
        log_mass += np.log(np.maximum(density @ mixing, 1e-300))
    # nu - 1: gamma(alpha, beta) averaged over alpha ~ U(1, 2) and beta ~ U(0.01, 0.1)
    x, w = legendre(24)
    alpha, beta = 1.5 + 0.5 * x[:, None, None], 0.055 + 0.045 * x[:, None]
    log_density = alpha * np.log(beta) + (alpha - 1) * log_nu - beta * np.exp(log_nu) - gammaln(alpha)
    prior_of_nu = np.log(np.einsum("abn,a,b->n", np.exp(log_density), w / 2, w / 2))
    log_mass = log_mass.reshape(delta0.size, rule.size, nu.size) + rule[:, None] + prior_of_nu + log_nu
    mass = np.exp(log_mass - log_mass.max()) * np.cosh(place)[:, None, None]
    mass[[0, -1]] /= 2.0
    return _Grid(centre, width, place, delta0, np.exp(log_sigma0), nu, variances, mixing, mass / mass.sum())


# --- the answers ----------------------------------------------------------------------------------------------------


def _most_probable(grid: _Grid, rope: float) -> FloatArray:
    """Probability of each region to be the most probable one for a further dataset; of a cell in which two meet, parts."""
    mass = grid.mass.reshape(grid.delta0.size, -1)
    kept = mass.sum(axis=0) > 1e-9
    scale, nu = np.repeat(grid.sigma0, grid.nu.size)[kept], np.tile(grid.nu, grid.sigma0.size)[kept]
    above, below = (student_tail((rope + side * grid.delta0[:, None]) / scale, nu) for side in (-1, 1))
    inside = 1.0 - above - below
    found = []
    for one, other, sign in ((above, below, 1.0), (below, above, -1.0)):
        lead = one - np.maximum(inside, other)
        share = np.clip(0.5 + lead / np.maximum(sign * np.gradient(lead, axis=0), 1e-300), 0.0, 1.0)
        found.append(float(np.sum(mass[:, kept] * share)))
    return np.array([found[0], 1.0 - sum(found), found[1]])


_WIDEST = 1000.0
"""Prior ranges of sigma_i and sigma0, in standard deviations [C17]."""

_NU_COARSE, _NU_FINE = np.arange(-3.0, 7.0, 2.0), np.arange(-4.0, 7.1, 0.8)
"""Nodes of log(nu - 1)."""

_N_DELTA0, _STEP, _NEGLIGIBLE = 121, 0.125, 1e-8
"""Nodes of delta0; steps in log sigma0, half of those in log v; a density that is so much below the largest is left out."""

N_POINTS = 10 * _N_DELTA0
"""Points of the table of a mean difference's law."""
