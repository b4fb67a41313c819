"""Sums of chi-squares with weights: tails against exact ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from tiebreak.numerics import weighted_chi_square_tail


@pytest.mark.parametrize("df", [1, 2, 5, 40])
@pytest.mark.parametrize("p", [0.3, 0.05, 1e-3, 1e-8, 1e-30])
def test_equal_weights_are_a_chi_square(df: int, p: float) -> None:
    """Of as many degrees of freedom, by scipy, never too small and at most 14 % too large, however far out."""
    at = 3.0 * stats.chi2.isf(p, df)
    assert 1 - 1e-9 <= weighted_chi_square_tail(np.full(df, 3.0), float(at)) / p <= 1.14


@pytest.mark.parametrize("at", [2.0, 8.0, 15.0])
def test_unequal_weights_agree_with_imhof(at: float) -> None:
    """By inversion of the characteristic function (Imhof, 1961), integrated by scipy."""
    w = 1 / np.arange(1.0, 25)

    def integrand(u: float) -> float:
        theta = 0.5 * np.arctan(w * u).sum() - 0.5 * at * u
        return float(np.sin(theta) / (u * np.prod((1 + (w * u) ** 2) ** 0.25)))

    exact = 0.5 + quad(integrand, 0, 400, limit=2000)[0] / np.pi
    assert weighted_chi_square_tail(w, at) == pytest.approx(exact, rel=0.08)


def test_ends() -> None:
    """Nothing lies below 0, nothing above it where there is no weight; at the mean the tail goes through smoothly."""
    assert weighted_chi_square_tail([1.0, 2.0], 0.0) == 1
    assert weighted_chi_square_tail([0.0], 1.0) == 0
    beside = [weighted_chi_square_tail([1.0, 2.0, 1.0], at) for at in (3.99, 4.0, 4.01)]
    assert beside[0] > beside[1] > beside[2] > beside[0] - 0.01
