"""Quadrature: nodes for gamma densities, interpolation between equal steps, panels with Legendre polynomials, and quantiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from tiebreak.numerics.checks import FloatArray, IntArray

NODES = 15
"""Gauss-Legendre nodes of a panel."""


def log_gamma_nodes(
    shape: float, rate: float, lowest: float = -np.inf, depth: float = 30.0, *, finer: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Nodes log p and weights of the trapezoidal rule for a gamma density above exp(lowest), down to exp(-depth) of its peak."""
    step = min(0.45, 0.8 / np.sqrt(max(shape, 1e-9))) / finer
    start = max(lowest, (np.log(shape) if shape else 0.0) - np.log(rate) - (1 + depth / shape if shape else np.inf))
    stop = np.log(2 * shape + 40) - np.log(rate)
    points = start + step * np.arange(max(2, int((stop - start) / step) + 2))
    log_density = shape * points - rate * np.exp(points)
    log_density -= log_density.max()
    weights = np.where(log_density > -depth, np.exp(log_density), 0.0)
    weights[0] *= 0.5 if start == lowest else 1.0
    kept = weights > 0
    return points[kept], weights[kept] / weights.sum()


def lagrange_weights(x: FloatArray) -> FloatArray:
    """Values at x of the eight polynomials that are 1 at one of 0, ..., 7 and 0 at the others."""
    apart = x - np.arange(8.0).reshape(8, *[1] * x.ndim)
    left, right = np.ones_like(apart), np.ones_like(apart)
    for j in range(7):
        np.multiply(left[j], apart[j], out=left[j + 1])
        np.multiply(right[7 - j], apart[7 - j], out=right[6 - j])
    # j is j! (7 - j)! (-1)^(7 - j) away from the others
    left *= right
    left /= np.array([-5040, 720, -240, 144, -144, 240, -720, 5040]).reshape(8, *[1] * x.ndim)
    return left


@cache
def gauss_legendre() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights of a panel from -1 to 1, and the Legendre polynomials at the nodes, one row for each degree."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    found = np.asarray(x), np.asarray(w), np.asarray(np.polynomial.legendre.legvander(x, NODES - 1).T, dtype=float)
    for each in found:
        each.flags.writeable = False  # all callers share them
    return found


@dataclass(frozen=True, slots=True)
class Panels:
    """A line in panels; on each, a density is the polynomial through its values at the Gauss-Legendre nodes.

    Attributes
    ----------
    edges : ndarray of shape (n_panels + 1,)
    """

    edges: FloatArray

    def tails(self, at: FloatArray, mass: FloatArray) -> FloatArray:
        """Mass above `at` for each column of masses of shape (n_delta0, n); within a panel by its Legendre polynomial."""
        panel, x, coefficients = self._polynomials(at, mass)
        beyond = np.concatenate([np.cumsum(_by_panel(mass).sum(axis=1)[::-1], axis=0)[::-1], np.zeros((1, mass.shape[1]))])
        p = np.polynomial.legendre.legvander(x, NODES).T
        integral = np.concatenate([[1.0 - x], (p[:-2] - p[2:]) / (2 * np.arange(1, NODES)[:, None] + 1)])
        return np.asarray((coefficients * integral).sum(axis=0) + beyond[panel + 1, np.arange(mass.shape[1])])

    def densities(self, at: FloatArray, mass: FloatArray) -> FloatArray:
        """Mass per unit of delta0 at `at`, one for each point."""
        panel, x, coefficients = self._polynomials(at, mass)
        values = (coefficients * np.polynomial.legendre.legvander(x, NODES - 1).T).sum(axis=0)
        inside = (at >= self.edges[0]) & (at <= self.edges[-1])
        return np.where(inside, np.maximum(values, 0.0) * 2 / (self.edges[panel + 1] - self.edges[panel]), 0.0)

    def _polynomials(self, at: FloatArray, mass: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Panel of each `at`, its place in it between -1 and 1, and the Legendre coefficients of the density there."""
        panel = np.clip(np.searchsorted(self.edges, at) - 1, 0, self.edges.size - 2)
        low, high = self.edges[panel], self.edges[panel + 1]
        x = np.clip((2 * at - low - high) / (high - low), -1.0, 1.0)
        # a mass is weight times density, and (2 n + 1) / 2 sum(mass P_n) are the coefficients of the density
        values = _by_panel(mass)[panel, :, np.arange(mass.shape[1])].T
        return panel, x, (np.arange(NODES)[:, None] + 0.5) * (gauss_legendre()[2] @ values)


def roughness(mass: FloatArray, legendre: FloatArray) -> float:
    """Size of the last two coefficients of a panel's polynomial, as masses."""
    coefficients = (2 * np.arange(NODES) + 1) * (legendre @ mass)
    return float(np.abs(coefficients[-2:]).max() / (2 * NODES))


def point_below_tail(tail: Callable[[float], float], probability: float) -> float:
    """The point above which `probability` lies, by bisection."""
    low, high = -1.0, 1.0
    while tail(low) < probability and low > -1e300:
        low *= 2.0
    while tail(high) > probability and high < 1e300:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > probability else (low, middle)
    return (low + high) / 2


def _by_panel(mass: FloatArray) -> FloatArray:
    return mass.reshape(-1, NODES, mass.shape[-1])
