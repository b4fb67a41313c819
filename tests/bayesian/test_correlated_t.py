"""The correlated posterior against scipy's t distribution and baycomp, the closed rope, and point masses by hand."""

from __future__ import annotations

import baycomp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from tiebreak.bayesian import StudentPosterior, correlated_t_posterior
from tiebreak.errors import InvalidParameterError, TooFewSplitsError
from tiebreak.frequentist import corrected_ttest


@pytest.fixture
def posterior(rng: np.random.Generator) -> StudentPosterior:
    """Of one pair on ten folds."""
    return correlated_t_posterior(rng.normal(0.02, 0.05, 10), test_train_ratio=1 / 9)


def as_scipy(posterior: StudentPosterior) -> stats.rv_continuous:
    return stats.t(int(posterior.df), float(posterior.mean), float(posterior.scale))


@pytest.mark.parametrize("runs", [1, 10])
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_agrees_with_baycomp(runs: int, rope: float, rng: np.random.Generator) -> None:
    """baycomp takes the ratio to be 1 / (folds - 1), as for k-fold; its differences are second minus first."""
    first, second = rng.normal(0.82, 0.05, 10 * runs), rng.normal(0.8, 0.05, 10 * runs)
    theirs = baycomp.two_on_single(first, second, rope=rope, runs=runs)
    ours = correlated_t_posterior(first - second, test_train_ratio=1 / 9).probabilities(rope)
    expected = (theirs[0], 0.0, theirs[1]) if rope == 0 else theirs
    assert_allclose(ours, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("rope", [0.0, 1e-9, 0.01, 0.03, 1.0])
def test_probabilities_are_scipys(rope: float, posterior: StudentPosterior) -> None:
    """Mass above, inside and below [-rope, rope]; they add up to 1."""
    t = as_scipy(posterior)
    expected = (t.sf(rope), t.cdf(rope) - t.cdf(-rope), t.cdf(-rope))
    assert_allclose(posterior.probabilities(rope), expected, rtol=1e-11, atol=1e-15)
    assert_allclose(sum(posterior.probabilities(rope)), 1.0, rtol=1e-15)


def test_region_far_in_the_tail_keeps_its_digits() -> None:
    """Mean 1, scale 0.001, 99 df: the mass of [-0.1, 0.1] is about 1e-200; a difference of two cdf near 0, not near 1."""
    for mean in (1.0, -1.0):
        inside = StudentPosterior(np.array(mean), np.array(0.001), 99).probabilities(0.1).equivalent
        t = stats.t(99, -1.0, 0.001)
        assert_allclose(inside, t.sf(-0.1) - t.sf(0.1), rtol=1e-10)
        assert 0 < inside < 1e-150


def test_tails_are_the_one_sided_pvalues_of_the_corrected_test(rng: np.random.Generator) -> None:
    """With the prior 1/sigma^2 both come from the same distribution (Corani and Benavoli 2015, section 3)."""
    d = rng.normal(0.1, 1, (30, 10))
    posterior, test = correlated_t_posterior(d, test_train_ratio=1 / 9), corrected_ttest(d, test_train_ratio=1 / 9)
    above, below = (
        corrected_ttest(d + shift, test_train_ratio=1 / 9, alternative=side).pvalue
        for shift, side in ((-0.2, "less"), (0.2, "greater"))
    )
    assert_allclose(posterior.probabilities(0.2).better, above, rtol=1e-12)
    assert_allclose(posterior.probabilities(0.2).worse, below, rtol=1e-12)
    assert_allclose(posterior.credible_interval(0.9), test.confidence_interval(0.9), rtol=1e-15)


def test_exchanged_models_exchange_better_and_worse(rng: np.random.Generator) -> None:
    """To the last digit."""
    d = rng.normal(0.1, 1, (30, 6))
    one, other = (correlated_t_posterior(sign * d, test_train_ratio=0.2).probabilities(0.1) for sign in (1, -1))
    assert_array_equal(one.better, other.worse)
    assert_array_equal(one.worse, other.better)
    assert_array_equal(one.equivalent, other.equivalent)


@pytest.mark.parametrize("level", [0.5, 0.75, 0.95, 0.999])
def test_credible_interval_holds_its_level(level: float, posterior: StudentPosterior) -> None:
    """Equal tails, by scipy, and the mass between the ends by quadrature of the density."""
    low, high = posterior.credible_interval(level)
    assert_allclose((low, high), as_scipy(posterior).interval(level), rtol=1e-11)
    mass, _ = integrate.quad(lambda x: float(posterior.density(x)), float(low), float(high), epsabs=1e-12)
    assert_allclose(mass, level, rtol=1e-10)


def test_quantiles_and_density_are_scipys(posterior: StudentPosterior) -> None:
    """Median at the mean; density falls to 0 far out, without a warning."""
    t, p = as_scipy(posterior), np.array([1e-6, 0.025, 0.31, 0.5, 0.9])
    assert_allclose(posterior.quantile(p), t.ppf(p), rtol=1e-10)
    x = np.linspace(-0.3, 0.3, 31)
    assert_allclose(posterior.density(x), t.pdf(x), rtol=1e-11)
    assert posterior.density(1e300) == 0


def test_variance_is_the_squared_scale() -> None:
    """baycomp's test suite: differences -1, -5, 3 in three folds have the variance 13.333."""
    posterior = correlated_t_posterior([-1.0, -5.0, 3.0], test_train_ratio=1 / 2)
    assert_allclose([posterior.mean, posterior.variance, posterior.df], [-1.0, 40 / 3, 2], rtol=1e-14)


@pytest.mark.parametrize(
    ("mean", "expected"),
    [(42, (1, 0, 0)), (2, (0, 1, 0)), (0.5, (0, 1, 0)), (0, (0, 1, 0)), (-0.5, (0, 1, 0)), (-2, (0, 1, 0)), (-42, (0, 0, 1))],
)
def test_point_mass_lies_in_one_region(mean: float, expected: tuple[int, int, int]) -> None:
    """baycomp's test suite, rope 2: the region is closed."""
    assert tuple(map(float, correlated_t_posterior([mean] * 5, test_train_ratio=0.25).probabilities(2.0))) == expected


def test_point_mass_on_the_limit_is_inside_although_floats_say_otherwise() -> None:
    """0.91 - 0.90 is 0.010000000000000009, and lies inside a rope of 0.01 (design promise 5)."""
    d = np.full(5, 0.91 - 0.90)
    assert d[0] > 0.01
    for sign in (1, -1):
        assert_array_equal(correlated_t_posterior(sign * d, test_train_ratio=0.25, scale=0.91).probabilities(0.01), [0, 1, 0])
    above = correlated_t_posterior(d + 1e-9, test_train_ratio=0.25, scale=0.91)
    assert_array_equal(above.probabilities(0.01), [1, 0, 0])


def test_point_mass_has_no_interval_and_no_density() -> None:
    """Its quantiles are its mean; identical scores fill the rope even at 0."""
    posterior = correlated_t_posterior([[0.0] * 4, [0.1] * 4], test_train_ratio=0.3)
    assert_array_equal(posterior.probabilities(0.0).equivalent, [1, 0])
    assert_array_equal(posterior.probabilities(0.0).better, [0, 1])
    assert np.all(np.isnan(posterior.credible_interval()))
    assert np.all(np.isnan(posterior.density(0.05)))
    assert_array_equal(posterior.quantile(0.3), [0.0, 0.1])


def test_one_bad_row_does_not_spoil_a_batch(rng: np.random.Generator) -> None:
    """Point masses and undefined rows leave the others as they would be alone."""
    good = rng.normal(0.1, 1, (2, 5))
    batch = correlated_t_posterior(
        np.vstack([good[0], np.zeros(5), np.full(5, 3.0), [1, 2, np.nan, 4, 5], [1, 2, np.inf, 4, 5], good[1]]),
        test_train_ratio=0.25,
    ).probabilities(0.1)
    for row, d in ((0, good[0]), (5, good[1])):
        alone = correlated_t_posterior(d, test_train_ratio=0.25).probabilities(0.1)
        assert_allclose([part[row] for part in batch], alone, rtol=1e-13)
    assert_array_equal([part[1] for part in batch], [0, 1, 0])
    assert_array_equal([part[2] for part in batch], [1, 0, 0])
    assert np.all(np.isnan([part[3:5] for part in batch]))


def test_two_splits_leave_a_cauchy_posterior() -> None:
    """By hand: differences 1 and 3, ratio 0, so mean 2, scale 1, and P(> 3) = 1/4."""
    posterior = correlated_t_posterior([1.0, 3.0], test_train_ratio=0.0)
    assert_allclose(posterior.probabilities(3.0).better, 0.25, rtol=1e-15)
    assert_allclose(posterior.quantile([0.25, 0.5, 0.75]), [1.0, 2.0, 3.0], rtol=1e-14)


def test_errors_of_input(posterior: StudentPosterior) -> None:
    """One split, a negative ratio, a negative rope, a level that is none."""
    with pytest.raises(TooFewSplitsError, match=r"1 split\(s\), but at least 2"):
        correlated_t_posterior([0.1], test_train_ratio=0.1)
    with pytest.raises(InvalidParameterError, match=r"finite number of at least 0; got -1"):
        correlated_t_posterior([0.1, 0.2], test_train_ratio=-1)
    with pytest.raises(InvalidParameterError, match=r"rope must be a finite half-width.*got -0\.01"):
        posterior.probabilities(-0.01)
    with pytest.raises(InvalidParameterError, match=r"level must lie between 0 and 1.*Did you mean 0\.95\?"):
        posterior.credible_interval(95)
