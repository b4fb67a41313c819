"""Hierarchical test over datasets: cross-validated differences shrunk towards each other, integrated without any sampling.

The model of [C17]_ for the differences x_i of dataset i, with n_i scores of the correlation rho_i:

    x_i ~ N(delta_i, sigma_i^2 ((1 - rho_i) I + rho_i)),  sigma_i ~ U(0, 1000 mean sd)
    delta_i ~ t(nu, delta0, sigma0),  delta0 ~ U(-max |x|, max |x|),  sigma0 ~ U(0, 1000 sd of the means)
    nu - 1 ~ gamma(alpha, beta),  alpha ~ U(1, 2),  beta ~ U(0.01, 0.1)

Both sigma_i and the t distribution are scale mixtures of normals, so the likelihood of a dataset is a sum of normal densities
of the variance v + c_i sigma_i^2, with v = sigma0^2 / lambda. It is worked out once on a grid of v, which serves every sigma0 and
nu; what is left is an integral over delta0, sigma0 and nu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError, TooFewDatasetsError, TooFewSplitsError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    Interval,
    check_probability,
    check_ratio,
    check_rope,
    floats,
    plain,
    student_log_density,
    student_quantile,
    student_tail,
)
from tiebreak.numerics.law import RopeProbabilities
from tiebreak.numerics.quadrature import (
    NODES,
    Panels,
    gauss_legendre,
    lagrange_weights,
    log_gamma_nodes,
    point_below_tail,
    roughness,
)


@dataclass(frozen=True, slots=True)
class ShrunkenMeans:
    """Posterior of each dataset's own difference, which borrows from the others; in the order of the datasets.

    Attributes
    ----------
    raw : ndarray of shape (n_datasets,)
        Mean difference of the dataset's scores, in the metric's unit.
    mean, sd : ndarray of shape (n_datasets,)
        Of the posterior, in the metric's unit.
    """

    raw: FloatArray
    mean: FloatArray
    sd: FloatArray


@dataclass(frozen=True, slots=True)
class HierarchicalPosterior:
    """Posterior of the mean difference over datasets, and of a further dataset's difference.

    Attributes
    ----------
    rope : float
        Half-width of practical equivalence, in the metric's unit.
    mean, sd : float
        Of the mean difference delta0, in the metric's unit.
    spread : float
        Posterior mean of sigma0, the scale of differences between datasets, in the metric's unit.
    n_flat : int
        Datasets whose differences are all the same; they count with the spread that `hierarchical_posterior` names.
    error : float
        Bound of the error of quadrature in each probability: a third of the change to grids of half as many points, as for a rule
        of the second order (these are of a higher one).
    """

    rope: float
    mean: float
    sd: float
    spread: float
    n_flat: int
    error: float
    _regions: RopeProbabilities
    _data: _Data
    _grid: _Grid

    def probabilities(self) -> RopeProbabilities:
        """Probability that each region is the most probable one for a further dataset, the decision of Corani et al. (2017)."""
        return self._regions

    def mean_difference(self) -> RopeProbabilities:
        """Probability that the mean difference delta0 is above, inside or below the rope."""
        above, below = self.tail_above(self.rope), self.tail_above(-self.rope)
        return _triple(above, below - above, 1.0 - below)

    def next_dataset(self) -> RopeProbabilities:
        """Probability that a further dataset's difference is above, inside or below the rope."""
        above, below = self.next_tail_above(self.rope), self.next_tail_above(-self.rope)
        return _triple(above, below - above, 1.0 - below)

    def tail_above(self, at: float) -> float:
        """Probability that the mean difference delta0 is above `at`, in the metric's unit."""
        return self._turned(self._grid.tail_above, at)

    def next_tail_above(self, at: float) -> float:
        """Probability that a further dataset's difference is above `at`, in the metric's unit."""
        return self._turned(self._grid.next_tail_above, at)

    def credible_interval(self, level: float = 0.95) -> Interval:
        """Equal-tailed interval of the mean difference delta0, in the metric's unit."""
        return self._interval(self._grid.tail_above, level)

    def next_interval(self, level: float = 0.95) -> Interval:
        """Equal-tailed interval of a further dataset's difference, in the metric's unit."""
        return self._interval(self._grid.next_tail_above, level)

    def datasets(self) -> ShrunkenMeans:
        """Posterior mean and standard deviation of every dataset's own difference."""
        mean, variance = self._grid.shrunken(self._data)
        data, unit = self._data, self._data.unit
        back = np.empty_like(data.order)
        back[data.order] = np.arange(data.order.size)
        return ShrunkenMeans(data.sign * unit * data.mean[back], data.sign * unit * mean[back], unit * np.sqrt(variance[back]))

    def _turned(self, tail: Callable[[float], float], at: float) -> float:
        value = tail(self._data.sign * float(at) / self._data.unit)
        return value if self._data.sign > 0 else 1.0 - value

    def _interval(self, tail: Callable[[float], float], level: float) -> Interval:
        level = check_probability(level, "level")
        ends = [self._data.sign * self._data.unit * point_below_tail(tail, p) for p in ((1 + level) / 2, (1 - level) / 2)]
        return Interval(*(plain(np.array(end)) for end in sorted(ends)))


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
    TooFewDatasetsError, TooFewSplitsError
        One dataset; one score on a dataset.
    InvalidScoresError
        Scores that are not finite, or differences that are the same within every dataset while the rope is 0.

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
    >>> [round(float(p), 2) for p in posterior.probabilities()]
    [0.96, 0.0, 0.03]
    """
    rope = check_rope(rope)
    data = _read(differences, test_train_ratio, rope)
    grid = _integrate(data)
    regions, error = _most_probable(grid, rope / data.unit)
    turned = regions if data.sign > 0 else regions[::-1]
    mean, sd = grid.moments()
    spread = float(np.sum(grid.mass.sum(axis=(0, 2)) * grid.sigma0))
    return HierarchicalPosterior(
        rope,
        data.sign * data.unit * mean,
        data.unit * sd,
        data.unit * spread,
        data.n_flat,
        error + grid.error,
        _triple(*turned),
        data,
        grid,
    )


# --- the data -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Data:
    """Datasets in units of their mean standard deviation, sorted, and turned so that their means add up to 0 or more."""

    unit: float
    sign: int
    order: IntArray
    mean: FloatArray
    """Shape (n_datasets,)."""
    variance: FloatArray
    """Variances c_i sigma_i^2 of a dataset's mean at the nodes of sigma_i; shape (n_datasets, n_nodes)."""
    weight: FloatArray
    """Their weights: the posterior of sigma_i given the scores; shape (n_datasets, n_nodes)."""
    largest: float
    """max |x|."""
    most_spread: float
    """Upper end of sigma0."""
    n_flat: int

    @property
    def least_variance(self) -> float:
        """Variance of the mean that is known best; a spread between datasets that is far below it cannot be seen."""
        return float(1 / np.max(np.sum(self.weight / self.variance, axis=1)))


def _read(differences: Sequence[ArrayLike] | ArrayLike, test_train_ratio: ArrayLike, rope: float) -> _Data:
    """Check, and reduce each dataset to its mean and its mixture of variances."""
    listed: Any = differences if np.iterable(differences) else [differences]
    rows = [_row(i, values) for i, values in enumerate(listed)]
    if len(rows) < 2:
        raise TooFewDatasetsError(
            f"{len(rows)} dataset(s), but at least 2 are needed to see how differences vary between datasets. For one dataset "
            "use tb.statistics.corrected_t."
        )
    ratio = np.broadcast_to(check_ratio(test_train_ratio, (len(rows),)), len(rows))
    n, mean = np.array([row.size for row in rows]), np.array([row.mean() for row in rows])
    squares = np.array([np.square(row - row.mean()).sum() for row in rows])
    largest = max(float(np.abs(row).max()) for row in rows)
    flat = np.sqrt(squares) <= RELATIVE_TOLERANCE * largest
    sd = np.sqrt(squares / n)
    if np.all(flat) and rope == 0:
        raise InvalidScoresError(
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
    variance, weight = _mixture(n, sd, rho)
    largest = max(largest, float(np.max(sd)) * unit) / unit
    return _Data(unit, sign, order, mean, variance, weight, largest, _WIDEST * among, int(flat.sum()))


def _row(i: int, values: ArrayLike) -> FloatArray:
    row = floats(values, f"dataset {i}: its differences")
    if row.ndim != 1:
        raise InvalidScoresError(f"dataset {i}: its differences must be a list of numbers; got the shape {row.shape}.")
    if row.size < 2:
        raise TooFewSplitsError(f"dataset {i}: {row.size} score(s), but at least 2 are needed to see how they vary.")
    if not np.all(np.isfinite(row)):
        raise InvalidScoresError(f"dataset {i}: its differences must be finite; leave out the splits that are not.")
    return row


def _mixture(n: IntArray, sd: FloatArray, rho: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances of each mean and their weights, of shape (n_datasets, n_nodes).

    Given sigma, delta is N(mean, c sigma^2) with c = (1 + (n - 1) rho) / n, and p = 1 / sigma^2 has, by sigma ~ U(0, B), a gamma
    density with the shape (n - 2) / 2 and the rate S / (2 (1 - rho)), cut at 1 / B^2; S is the sum of squares n sd^2.
    """
    rate, c = n * np.square(sd) / (2 * (1 - rho)), (1 + (n - 1) * rho) / n
    lowest = -2 * np.log(_WIDEST)  # the mean standard deviation is the unit
    nodes = [log_gamma_nodes((size - 2) / 2, r, lowest) for size, r in zip(n.tolist(), rate.tolist(), strict=True)]
    width = max(points.size for points, _ in nodes)
    variance = np.array([np.pad(np.exp(-points), (0, width - points.size), mode="edge") for points, _ in nodes])
    weight = np.array([np.pad(weights, (0, width - weights.size)) for _, weights in nodes])
    return c[:, None] * variance, weight


# --- the integral ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """The posterior at nodes of delta0, sigma0 and nu, in the data's unit.

    Attributes
    ----------
    panels : Panels
        Of delta0.
    delta0 : ndarray of shape (n_panels * n_nodes,)
    sigma0, nu : ndarray
    variances : ndarray
        Grid of v = sigma0^2 / lambda.
    mixing : ndarray of shape (n_variances, n_sigma0 * n_nu)
        Weight of each variance in Student's t with that sigma0 and nu.
    mass : ndarray of shape (n_delta0, n_sigma0, n_nu)
        Posterior mass of a node; all of it is 1.
    error : float
        Of what the panels cannot resolve, and of what lies outside the grid.
    """

    panels: Panels
    delta0: FloatArray
    sigma0: FloatArray
    nu: FloatArray
    variances: FloatArray
    mixing: FloatArray
    mass: FloatArray
    error: float

    @cached_property
    def of_delta0(self) -> FloatArray:
        """Posterior mass of each delta0, of shape (n_delta0,)."""
        return np.asarray(self.mass.sum(axis=(1, 2)))

    @cached_property
    def with_variance(self) -> FloatArray:
        """Posterior mass of each delta0 and variance of a further dataset, of shape (n_delta0, n_variances)."""
        return np.asarray(self.mass.reshape(self.delta0.size, -1) @ self.mixing.T)

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of delta0."""
        mass = self.of_delta0
        mean = float(mass @ self.delta0)
        return mean, float(np.sqrt(mass @ np.square(self.delta0 - mean)))

    def tail_above(self, at: float) -> float:
        """Probability of delta0 above `at`."""
        return float(self.panels.tails(np.array([at]), self.of_delta0[:, None])[0])

    def next_tail_above(self, at: float) -> float:
        """Probability that a further dataset's difference is above `at`."""
        from scipy.special import ndtr

        return float(np.sum(self.with_variance * ndtr((self.delta0[:, None] - at) / np.sqrt(self.variances))))

    def shrunken(self, data: _Data) -> tuple[FloatArray, FloatArray]:
        """Posterior mean and variance of every dataset's difference."""
        mass = self.mass.reshape(self.delta0.size, -1)
        kept = mass.sum(axis=0) > 1e-9
        mass, mixing = mass[:, kept], self.mixing[:, kept]
        answer = np.empty((2, data.mean.size))
        for i, mean in enumerate(data.mean):
            d = mean - self.delta0[:, None, None]
            total = self.variances + data.variance[i][:, None]  # (n_nodes, n_variances)
            density = np.exp(-0.5 * np.square(d) / total) * (data.weight[i][:, None] / np.sqrt(total))
            own = self.variances / total  # weight of the dataset's own mean, given v and sigma_i
            centre = self.delta0[:, None, None] + own * d
            sum_density, first, second = (
                (density * part).sum(axis=1) for part in (1.0, centre, np.square(centre) + own * data.variance[i][:, None])
            )
            spread = (mass / (sum_density @ mixing)) @ mixing.T
            answer[:, i] = np.sum(spread * first), np.sum(spread * second)
        return answer[0], np.maximum(answer[1] - np.square(answer[0]), 0.0)


def _integrate(data: _Data) -> _Grid:
    """A coarse look for where the posterior lies, then panels of delta0 that are halved until they resolve it."""
    centre, width = _centre(data)
    low, high = np.arcsinh((np.array([-data.largest, data.largest]) - centre) / width)
    points = centre + width * np.sinh(np.linspace(low, high, int(np.clip((high - low) / 0.35, 24, 80))))
    step = 0.5
    least = min(np.log(1e-4) + 0.5 * np.log(data.least_variance), np.log(data.most_spread) - 3.0)
    coarse = _Axes.over(data, np.arange(np.log(data.most_spread), least, -step)[::-1], step, _NU_COARSE)
    log_mass = coarse.log_posterior(data, points) + coarse.log_weight
    log_mass += np.log(np.gradient(points))[:, None, None]
    by_sigma0, by_delta0 = _log_sum(log_mass, (0, 2)), _log_sum(log_mass, (1, 2))
    log_sigma0, h = _box_of_sigma0(np.log(coarse.sigma0), by_sigma0)
    axes = _Axes.over(data, log_sigma0, h, _NU_FINE)
    kept = np.flatnonzero(by_delta0 > by_delta0.max() - _NEGLIGIBLE)
    first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, points.size - 1)
    n_panels = int(np.clip((last - first) / 8, 3, 8))
    start = np.interp(np.linspace(first, last, n_panels + 1), np.arange(points.size), points)
    return _refine(data, axes, start)


def _centre(data: _Data) -> tuple[float, float]:
    """Rough place and width of the posterior of delta0, by a few steps of the t likelihood with 4 degrees of freedom."""
    own = np.sum(data.variance * data.weight, axis=1)
    between = max(float(np.var(data.mean)) - float(np.median(own)), 0.0)
    centre = float(np.median(data.mean))
    for _ in range(10):
        weight = 5.0 / (4.0 * (between + own) + np.square(data.mean - centre))
        centre = float(weight @ data.mean / weight.sum())
    return centre, float(0.5 / np.sqrt(np.sum(1.0 / (between + own))))


def _box_of_sigma0(points: FloatArray, log_mass: FloatArray) -> tuple[FloatArray, float]:
    """Nodes of log sigma0 for the fine grid, and their distance: a fraction of the posterior's width."""
    top = int(np.clip(np.argmax(log_mass), 1, points.size - 2))
    step = points[1] - points[0]
    curvature = (2 * log_mass[top] - log_mass[top - 1] - log_mass[top + 1]) / step**2
    h = float(min(_LARGEST_STEP, 0.5 / np.sqrt(max(curvature, 1e-9))))
    kept = np.flatnonzero(log_mass > log_mass.max() - _NEGLIGIBLE)
    low, high = points[max(kept[0] - 1, 0)], points[min(kept[-1] + 1, points.size - 1)]
    n = int(np.ceil((high - low) / h)) // 2 * 2 + 1  # an odd number of nodes, so that every other one is a grid too
    return np.linspace(high - (n - 1) * h, high, n), h


@dataclass(frozen=True, slots=True)
class _Axes:
    """Nodes of sigma0 and nu with the logarithms of their weights, and how a grid of variances serves them."""

    sigma0: FloatArray
    nu: FloatArray
    log_weight: FloatArray
    """Prior and rule, of shape (n_sigma0, n_nu)."""
    variances: FloatArray
    mixing: FloatArray

    @classmethod
    def over(cls, data: _Data, log_sigma0: FloatArray, step: float, log_nu: FloatArray) -> _Axes:
        """Trapezoidal rules in log sigma0 and log(nu - 1).

        Below the lowest sigma0 the likelihood no longer changes, so the rule goes on as a geometric series there.
        """
        rule = log_sigma0 + np.log(step)  # d sigma0 = sigma0 d log sigma0
        rule[0] += np.log(1 + 1 / np.expm1(step))
        if log_sigma0[-1] >= np.log(data.most_spread) - 1e-9:
            rule[-1] -= np.log(2.0)
        low = min(max(2 * log_sigma0[0] - 4.0, np.log(1e-5 * data.least_variance)), 2 * log_sigma0[-1])
        high = 2 * log_sigma0[-1] + 12.0
        grid = low + _VARIANCE_STEP * np.arange(int((high - low) / _VARIANCE_STEP) + 8)
        nu = 1.0 + np.exp(log_nu)
        log_weight = rule[:, None] + _log_prior_of_nu(np.exp(log_nu)) + log_nu
        return cls(np.exp(log_sigma0), nu, log_weight, np.exp(grid), _mixing(grid, log_sigma0, nu))

    def log_posterior(self, data: _Data, delta0: FloatArray) -> FloatArray:
        """Log-likelihood of all datasets at the nodes, shape (n_delta0, n_sigma0, n_nu), up to a constant."""
        total = np.zeros((delta0.size, self.mixing.shape[1]))
        for mean, variance, weight in zip(data.mean, data.variance, data.weight, strict=True):
            v = self.variances + variance[:, None]  # (n_nodes, n_variances)
            factor = weight[:, None] / np.sqrt(v)
            v = -0.5 / v
            density = np.zeros((delta0.size, self.variances.size))
            square = np.square(mean - delta0)[:, None]
            for node in range(variance.size):
                if weight[node] > 0:
                    density += np.exp(square * v[node]) * factor[node]
            likelihood = density @ self.mixing
            total += np.log(np.maximum(likelihood, 1e-300))
        return total.reshape(delta0.size, self.sigma0.size, self.nu.size)


def _log_prior_of_nu(excess: FloatArray) -> FloatArray:
    """Log-density of nu - 1: gamma(alpha, beta) averaged over alpha ~ U(1, 2) and beta ~ U(0.01, 0.1)."""
    from scipy.special import gammaln

    x, w = np.polynomial.legendre.leggauss(24)
    alpha, beta = 1.5 + 0.5 * x[:, None, None], 0.055 + 0.045 * x[:, None]
    log_density = alpha * np.log(beta) + (alpha - 1) * np.log(excess) - beta * excess - gammaln(alpha)
    return np.asarray(np.log(np.einsum("abn,a,b->n", np.exp(log_density), w / 2, w / 2)))


def _mixing(grid: FloatArray, log_sigma0: FloatArray, nu: FloatArray) -> FloatArray:
    """Weight of each log-variance of the grid in Student's t, shape (n_grid, n_sigma0 * n_nu).

    Student's t is N(0, sigma0^2 / lambda) with lambda ~ gamma(nu / 2, nu / 2). A likelihood at a v between the points of the grid
    is interpolated by the polynomial through the eight nearest ones.
    """
    step, n, m = grid[1] - grid[0], grid.size, log_sigma0.size
    columns = np.zeros((n, m, nu.size))
    for k, df in enumerate(nu.tolist()):
        points, weights = log_gamma_nodes(df / 2, df / 2, depth=18.0)
        place = np.clip((2 * log_sigma0[:, None] - points - grid[0]) / step, 0.0, n - 1.0)
        first = np.clip(np.floor(place).astype(int) - 3, 0, n - 8)
        terms = lagrange_weights(place - first) * weights  # (8, n_sigma0, n_points)
        index = (first + np.arange(8)[:, None, None]) * m + np.arange(m)[:, None]
        columns[:, :, k] = np.bincount(index.ravel(), terms.ravel(), n * m).reshape(n, m)
    return columns.reshape(n, -1)


def _refine(data: _Data, axes: _Axes, edges: FloatArray) -> _Grid:
    """Halve the panels whose polynomial still has a tail, then weigh all nodes."""
    x, w, legendre = gauss_legendre()
    done: dict[tuple[float, float], FloatArray] = {}
    panels = [(float(a), float(b)) for a, b in pairwise(edges)]
    for _ in range(_DEEPEST):
        new = [panel for panel in panels if panel not in done]
        nodes = np.concatenate([(a + b) / 2 + (b - a) / 2 * x for a, b in new])
        values = axes.log_posterior(data, nodes) + axes.log_weight
        done |= zip(new, values.reshape(len(new), NODES, *values.shape[1:]), strict=True)
        panels.sort()
        peak = max(done[panel].max() for panel in panels)
        masses = [np.exp(done[a, b] - peak) * (w * (b - a) / 2)[:, None, None] for a, b in panels]
        total = sum(mass.sum() for mass in masses)
        rough = [roughness(mass.sum(axis=(1, 2)), legendre) / total for mass in masses]
        coarse = [panel for panel, size in zip(panels, rough, strict=True) if size > _PANEL_ERROR]
        if not coarse:
            break
        panels = [panel for panel in panels if panel not in coarse]
        panels += [half for a, b in coarse for half in ((a, (a + b) / 2), ((a + b) / 2, b))]
    else:
        panels = sorted(panel for panel in panels if panel in done)
    mass = np.concatenate(masses) / total
    delta0 = np.concatenate([(a + b) / 2 + (b - a) / 2 * x for a, b in panels])
    limits = np.array([a for a, _ in panels] + [panels[-1][1]])
    return _Grid(Panels(limits), delta0, axes.sigma0, axes.nu, axes.variances, axes.mixing, mass, float(sum(rough)) + 1e-6)


def _log_sum(values: FloatArray, axes: tuple[int, int]) -> FloatArray:
    top = values.max(axis=axes, keepdims=True)
    return np.asarray(np.log(np.exp(values - top).sum(axis=axes)) + top.reshape(top.size))


# --- the answers ----------------------------------------------------------------------------------------------------


def _most_probable(grid: _Grid, rope: float) -> tuple[tuple[float, float, float], float]:
    """Probability of each region to be the most probable one for a further dataset, and a bound of its error.

    Given sigma0 and nu, the region above is the most probable one where delta0 is beyond a limit c, and by symmetry the one
    below where it is beyond -c; so each is a tail of delta0.
    """
    limit = _limit(rope, grid.sigma0[:, None], grid.nu).ravel()
    mass = grid.mass.reshape(grid.delta0.size, -1)
    shape = (grid.sigma0.size, grid.nu.size)
    whole = mass.sum(axis=0).reshape(shape)
    above = grid.panels.tails(limit, mass).reshape(shape)
    below = whole - grid.panels.tails(-limit, mass).reshape(shape)
    at_zero = grid.panels.densities(np.zeros(limit.size), mass).reshape(shape)

    def regions(rows: slice, columns: slice) -> FloatArray:
        kink = _kink(rope, np.log(grid.sigma0[rows]), grid.nu[columns], at_zero[rows, columns]) if rope else 0.0
        sums = np.array([part[rows, columns].sum() for part in (above, whole - above - below, below)])
        return np.asarray((sums + np.array([-1.0, 2.0, -1.0]) * kink) / sums.sum())

    every, other = slice(None), slice(None, None, 2)
    answer = regions(every, every)
    error = sum(float(np.abs(regions(*half) - answer).max()) for half in ((other, every), (every, other))) / 3
    better, equivalent, worse = answer.tolist()
    return (better, equivalent, worse), error


def _kink(rope: float, log_sigma0: FloatArray, nu: FloatArray, density: FloatArray) -> float:
    """Error of the trapezoidal rule over log sigma0 in the region below, and in the one above.

    The limit c falls to 0 at the sigma0 for which t(nu, 0, sigma0) has a third of its mass above the rope, with the slope -3 rope
    in log sigma0 (by the derivatives of the equation in `_limit`), and stays there. Where a function has a jump J of its slope,
    the rule is off by -h^2 / 2 B_2(theta) J, with theta the place between two nodes and B_2 the Bernoulli polynomial.
    """
    h = log_sigma0[1] - log_sigma0[0]
    place = (np.log(rope / student_quantile(2 / 3, nu)) - log_sigma0[0]) / h
    cell = np.clip(np.floor(place).astype(int), 0, log_sigma0.size - 2)
    theta, column = place - cell, np.arange(nu.size)
    here = (1 - theta) * density[cell, column] + theta * density[cell + 1, column]
    bernoulli = np.square(theta) - theta + 1 / 6
    return float(np.sum(np.where((theta >= 0) & (theta <= 1), h / 2 * bernoulli * 3 * rope * here, 0.0)))


def _limit(rope: float, sigma0: FloatArray, nu: FloatArray) -> FloatArray:
    """The delta0 at which t(nu, delta0, sigma0) has as much mass above the rope as inside, 0 where the rope never has the most.

    With a = rope / sigma0 and g = delta0 / sigma0 it solves 2 P(t > a - g) + P(t > a + g) = 1.
    """
    a, nu = np.broadcast_arrays(rope / sigma0, nu)
    g = a.copy()
    for _ in range(8):  # Newton, from a, where the left side is at least 1
        value = 2 * student_tail(a - g, nu) + student_tail(a + g, nu) - 1
        slope = 2 * np.exp(student_log_density(a - g, nu)) - np.exp(student_log_density(a + g, nu))
        before, g = g, np.clip(g - value / slope, 0.0, a)
        if np.all(np.abs(g - before) <= 1e-9 * a):
            break
    return np.where(3 * student_tail(a, nu) >= 1, 0.0, g * sigma0)


def _triple(better: float, equivalent: float, worse: float) -> RopeProbabilities:
    return RopeProbabilities(*(plain(np.clip(p, 0.0, 1.0)) for p in (better, equivalent, worse)))


_WIDEST = 1000.0
"""Prior ranges of sigma_i and sigma0, in standard deviations [C17]."""

_NU_COARSE, _NU_FINE = np.arange(-3.0, 7.0, 2.0), np.arange(-4.0, 7.1, 0.6)
"""Nodes of log(nu - 1)."""

_DEEPEST, _PANEL_ERROR = 12, 2e-5
"""How often a panel of delta0 may be halved, and the share of the mass that it may leave unresolved."""

_VARIANCE_STEP, _LARGEST_STEP, _NEGLIGIBLE = 0.35, 0.25, 18.0
"""Steps in log v and log sigma0; a log-density so far below the largest is left out."""
