"""Hall's t, its inverse, and the skewness of means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tiebreak.numerics.law import student
from tiebreak.statistics.skew import (
    expected_skewness,
    hall_inverse,
    hall_t,
    pair_skewness,
    skewed,
    skewness_of_mean,
    skewness_of_weighted_mean,
)


def test_the_formula_of_the_paper() -> None:
    """Hall 1992: t + a t^2 + a^2 t^3 / 3 + g / 6 with a = g / 3; for t = 2, g = 0.3 by hand 2 + 0.4 + 0.08 / 3 + 0.05."""
    assert hall_t(2.0, 0.3) == pytest.approx(2.45 + 0.08 / 3)
    assert hall_t(-2.0, -0.3) == pytest.approx(-2.45 - 0.08 / 3)
    assert hall_t(2.0, 0.0) == 2.0
    assert hall_t(-9.0, 0.6) == pytest.approx(-9 / 4 + 0.1)  # where g t is below -4.5


@pytest.mark.parametrize("skewness", [-2.0, -0.3, 0.0, 1e-12, 0.3, 2.0])
def test_it_rises_everywhere_and_the_inverse_is_its_own(skewness: float) -> None:
    """The slope is (1 + g t / 3)^2, or 1 / 4, so that every value is reached at one place, and ends of intervals are finite."""
    t = np.append(np.linspace(-50, 50, 2001), [-1e6, 1e6])
    value = hall_t(t, skewness)
    assert (np.diff(value[:-2]) >= 0).all()
    assert_allclose(hall_inverse(value, skewness), t, rtol=1e-6, atol=1e-4)  # at -3 / g the cubic is flat
    assert hall_t([-np.inf, np.inf], skewness).tolist() == hall_t([-1e90, 1e90], skewness).tolist()


def test_the_law_is_the_less_sure_of_both_and_its_ends_are_where_its_tails_are() -> None:
    """By hand for g = 0.3 and df 20: below Student's tail, above Hall's; a tail at an end is the probability asked for."""
    law = skewed(student(1.0, 0.5, 20), 0.3)
    assert law.tail(0.0) == pytest.approx(stats.t.sf(2.0, 20))
    assert law.tail(2.0, upper=True) == pytest.approx(stats.t.sf(2 - 0.05 - 0.4 + 0.08 / 3, 20))
    for p in (1e-12, 0.025, 0.3):
        assert law.tail(law.end(p)) == pytest.approx(p)
        assert law.tail(law.end(p, upper=True), upper=True) == pytest.approx(p)


def test_more_skewness_is_reckoned_with_than_a_sample_shows() -> None:
    """As it is of 14 values, half more of 21, 1.75 times as much from 25 on; and where the values' own is 0.75 times so much."""
    assert expected_skewness(0.2, [3, 15, 21, 28, 900]).tolist() == pytest.approx([0.0, 0.2 * 15 / 14, 0.3, 0.35, 0.35])
    assert expected_skewness([0.375, -0.5], 9) == pytest.approx([0.375 * 1.5, -0.875])


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
