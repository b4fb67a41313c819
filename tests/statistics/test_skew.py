"""Johnson's t, its inverse, and the skewness of means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tiebreak.statistics.skew import (
    johnson_inverse,
    johnson_t,
    pair_skewness,
    skewness_of_mean,
    skewness_of_weighted_mean,
)


def test_the_formula_of_the_paper_near_the_estimate() -> None:
    """Johnson 1978: t + g / (6 sqrt(n)) + g t^2 / (3 sqrt(n)); for t = 2, g / sqrt(n) = 0.3 by hand 2 + 0.05 + 0.4."""
    assert johnson_t(2.0, 0.3) == pytest.approx(2.45)
    assert johnson_t(-2.0, -0.3) == pytest.approx(-2.45)
    assert johnson_t(2.0, 0.0) == 2.0


@pytest.mark.parametrize("skewness", [-1.0, -0.3, 0.0, 1e-12, 0.3, 1.0])
def test_it_never_falls_and_the_inverse_is_its_own(skewness: float) -> None:
    """Where the parabola bends back it is level, and what lies beyond is reached nowhere."""
    t = np.linspace(-50, 50, 2001)
    value = johnson_t(t, skewness)
    assert (np.diff(value) >= 0).all()
    bends = np.abs(t) if skewness == 0 else -t * np.sign(skewness)
    inside = bends < (np.inf if skewness == 0 else 1.5 / abs(skewness)) - 0.01
    assert_allclose(johnson_inverse(value[inside], skewness), t[inside], atol=1e-6)
    if abs(skewness) == 1.0:
        assert johnson_inverse(-np.sign(skewness) * 5.0, skewness) == -np.sign(skewness) * np.inf


def test_skewness_is_scipys_over_the_root_of_n() -> None:
    """scipy.stats.skew(bias=False), whatever the unit; by pairs from the matrix product, one by one, and with gaps."""
    rng = np.random.default_rng(0)
    score = rng.gamma(1.0, size=(5, 40))
    score[4] = score[3] + 1e-6 * rng.gamma(1.0, size=40)
    deviations = score[0] - score[0].mean()
    assert skewness_of_mean(1e-150 * deviations) == pytest.approx(stats.skew(score[0], bias=False) / np.sqrt(40))
    first, second = np.triu_indices(5, 1)
    expected = stats.skew(score[first] - score[second], axis=1, bias=False) / np.sqrt(40)
    assert_allclose(pair_skewness(score, first, second), expected, rtol=1e-6)
    assert pair_skewness(score, np.array(0), np.array(1)) == pytest.approx(expected[0])
    score[0, 3] = np.nan
    d = (score[0] - score[1])[~np.isnan(score[0])]
    assert pair_skewness(score, first, second)[0] == pytest.approx(stats.skew(d, bias=False) / np.sqrt(39))


def test_two_values_and_none_have_no_skewness() -> None:
    """Their deviations are symmetric, or there are none."""
    assert skewness_of_mean([1.0, -1.0]) == 0.0
    assert skewness_of_mean([0.0, 0.0, 0.0]) == 0.0


def test_skewness_of_a_weighted_mean() -> None:
    """Equal weights: that of the mean; of 1, 2, 3 by hand (1 + 8 + 27) / (1 + 4 + 9)^1.5 of scipy's G1."""
    values = np.array([0.0, 1.0, 5.0])
    g1 = stats.skew(values, bias=False)
    assert skewness_of_weighted_mean(values, [0.2, 0.2, 0.2]) == pytest.approx(skewness_of_mean(values - 2.0))
    assert skewness_of_weighted_mean(values, [1.0, 2.0, 3.0]) == pytest.approx(g1 * 36 / 14**1.5)
    assert skewness_of_weighted_mean([*values, np.nan], [1.0, 2.0, 3.0, 0.0]) == pytest.approx(g1 * 36 / 14**1.5)
    assert (skewness_of_weighted_mean(np.zeros((2, 3)), [1.0, 2.0, 3.0]) == 0.0).all()
