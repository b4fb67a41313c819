"""The base class of differences: quantiles and density from nothing but two tails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike
from scipy import stats

from tiebreak.comparison.procedures import METHODS, methods
from tiebreak.comparison.procedures.procedure import Differences, Procedure
from tiebreak.numerics import CONSTANT, SPREAD, UNDEFINED, FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Normal(Differences):
    """Normal posteriors, known by their tails only."""

    is_posterior: ClassVar[bool] = True
    sd: FloatArray

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """From scipy."""
        return np.asarray(stats.norm.cdf(at, self.estimate, self.sd))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """From scipy."""
        return np.asarray(stats.norm.sf(at, self.estimate, self.sd))


def normal(estimate: ArrayLike, sd: ArrayLike) -> Normal:
    """Differences of the shape of `estimate`."""
    estimate = np.asarray(estimate, dtype=float)
    kind = np.full(estimate.shape, SPREAD, dtype=np.int8)
    return Normal(estimate=estimate, n_units=10, kind=kind, tolerance=1e-15, sd=np.asarray(sd))


@pytest.mark.parametrize("p", [1e-9, 0.025, 0.5, 0.9])
def test_quantiles_are_those_of_scipy(p: float) -> None:
    """Whatever the place and scale of the pair: the estimate is far from 0, at 0, or rounding noise."""
    differences = normal([0.3, -0.3, 0.0, 1e-17, 1e6], [0.1, 1e-6, 0.02, 3.0, 1.0])
    lower = stats.norm.ppf(p, differences.estimate, differences.sd)
    upper = stats.norm.isf(p, differences.estimate, differences.sd)
    assert_allclose(differences.quantile(p), lower, rtol=1e-9, atol=1e-12)
    assert_allclose(differences.quantile(p, upper=True), upper, rtol=1e-9, atol=1e-12)


def test_one_pair_and_many_have_the_same_quantiles() -> None:
    """Arrays of shape () and (1,)."""
    one, many = normal(0.3, 0.1), normal([0.3], 0.1)
    assert one.quantile(0.025).shape == ()
    assert_array_equal(one.quantile(0.025), many.quantile(0.025)[0])


def test_pairs_without_spread_have_no_interval() -> None:
    """Their tails mean nothing."""
    differences = Normal(estimate=np.ones(3), n_units=5, kind=np.array([SPREAD, CONSTANT, UNDEFINED], np.int8), sd=np.ones(3))
    low, high = differences.interval(0.05)
    assert_array_equal(np.isnan(low), [False, True, True])
    assert_array_equal(np.isnan(high), [False, True, True])


def test_density_is_that_of_scipy() -> None:
    """The slope of the tail, to a few digits, which a plot needs."""
    at = np.linspace(-0.1, 0.7, 9)
    assert_allclose(normal(0.3, 0.1).density(at), stats.norm.pdf(at, 0.3, 0.1), rtol=1e-5)


def test_what_it_does_not_know_is_none() -> None:
    """No standard error, so no statistic; no draws; no floor."""
    differences = normal(0.3, 0.1)
    assert differences.statistic is None
    assert differences.draws(10, np.random.default_rng(0)) is None
    assert differences.half_width_floor(0.05) is None


def test_procedures_are_registered_under_their_names() -> None:
    """The registry names the object of each, and is asked for it by the name that the object bears."""
    for registry in (METHODS, methods()):
        assert all(isinstance(procedure, Procedure) for procedure in registry.values())
        assert {name: procedure.name for name, procedure in registry.items()} == {name: name for name in METHODS}
    assert METHODS.get("tango") is METHODS["tango"]
    assert "anova" not in METHODS
