"""Quadrature against closed forms."""

import numpy as np
import pytest

from tiebreak.numerics.quadrature import lagrange_weights, log_gamma_nodes


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0, 49.0, 500.0])
def test_nodes_of_a_gamma_density_have_its_moments(shape):
    """With shape k and rate r, p has the mean k / r, and exp(-p) the mean (1 + 1 / r)^-k."""
    points, weights = log_gamma_nodes(shape, 2.0)
    assert weights.sum() == pytest.approx(1.0)
    assert weights @ np.exp(points) == pytest.approx(shape / 2.0, rel=1e-5)
    assert weights @ np.exp(-np.exp(points)) == pytest.approx(1.5**-shape, rel=1e-5)


def test_interpolation_is_exact_for_polynomials_of_degree_seven():
    """Eight points determine it."""
    x = np.array([2.3, 3.0, 3.9])
    powers = np.arange(8.0)[:, None] ** 7
    assert (lagrange_weights(x) * powers).sum(axis=0) == pytest.approx(x**7, rel=1e-12)
