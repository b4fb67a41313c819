"""Quadrature: nodes for gamma densities, and interpolation between equal steps."""

import numpy as np

from tiebreak.numerics.checks import FloatArray


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
