"""Corrected t against scipy, its formula and baycomp, zero spread by hand; what the last two doublings say of the next one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tiebreak.numerics import CONSTANT, IDENTICAL
from tiebreak.statistics import corrected_t, doubling_gain, five_by_two_cv_critical_value, five_by_two_cv_test, paired_t
from tiebreak.statistics.splits import ANSWERS, CANNOT_BE_TOLD, LESS_THAN_ROPE, YES

ALTERNATIVES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_ratio_zero_is_the_ordinary_paired_test(alternative: str, rng: np.random.Generator) -> None:
    """Without shared training data nothing is corrected, so scipy's one-sample t-test must agree."""
    d = rng.normal(0.1, 1, size=(4, 30))
    expected = stats.ttest_1samp(d, 0, axis=1, alternative=alternative)
    for law in (corrected_t(d, 0), paired_t(d)):
        assert_allclose(law.statistic, expected.statistic, rtol=1e-13)
        assert_allclose(law.pvalue(alternative), expected.pvalue, rtol=1e-12)
        assert_array_equal(law.df, expected.df)
    low, high = paired_t(d).interval(0.9)
    expected_interval = stats.ttest_1samp(d, 0, axis=1).confidence_interval(0.9)
    assert_allclose(low, expected_interval.low, rtol=1e-12, atol=1e-15)
    assert_allclose(high, expected_interval.high, rtol=1e-12, atol=1e-15)


def test_two_splits_have_one_degree_of_freedom() -> None:
    """By hand: 1 and 3, ratio 0: mean 2, s = sqrt 2, t = 2, and P(|T| > 2) of the Cauchy distribution is 2 atan(1/2) / pi."""
    result = corrected_t([1.0, 3.0], test_train_ratio=0.0)
    assert_allclose([result.statistic, result.pvalue()], [2.0, 2 * math.atan(0.5) / math.pi], rtol=1e-15)


# --- probabilities --------------------------------------------------------------------------------------------------------


def test_a_constant_difference_on_the_limit_is_inside_although_floats_say_otherwise() -> None:
    """0.91 - 0.90 is 0.010000000000000009, and lies inside a rope of 0.01 (design promise 5)."""
    d = np.full(5, 0.91 - 0.90)
    assert d[0] > 0.01
    for sign in (1, -1):
        assert_array_equal(corrected_t(sign * d, 0.25, scale=0.91).probabilities(0.01), [0, 1, 0])
    assert_array_equal(corrected_t(d + 1e-9, 0.25, scale=0.91).probabilities(0.01), [1, 0, 0])


# --- five repetitions of two-fold cross-validation --------------------------------------------------------------------------

D = np.array([[0.012, 0.02], [-0.004, 0.016], [0.01, 0.008], [0.018, -0.002], [0.006, 0.014]])


def test_f_does_not_depend_on_the_order_of_folds_and_t_does() -> None:
    """Swapped folds of the first repetition put another difference into t's numerator; swapped models turn t's sign."""
    one, swapped = five_by_two_cv_test(D), five_by_two_cv_test(np.vstack([D[:1, ::-1], D[1:]]))
    assert swapped[1] == pytest.approx(one[1])
    assert swapped[0].statistic == pytest.approx(one[0].statistic * 0.02 / 0.012)
    other = five_by_two_cv_test(-D)
    assert (*other[0][:2], *other[1]) == pytest.approx((-one[0].statistic, one[0].pvalue, *one[1]))


def test_many_tables_of_five_repetitions_are_tested_at_once_and_have_limits() -> None:
    """Each as by itself; the limits at 0.05 are 2.571 (Dietterich 1998) and 4.74 (Alpaydin 1999)."""
    both, alone = five_by_two_cv_test(np.stack([D, -2 * D])), five_by_two_cv_test(-2 * D)
    assert [float(test.statistic[1]) for test in both] == pytest.approx([test.statistic for test in alone])
    limits = [five_by_two_cv_critical_value(0.05, test=name) for name in ("t", "F")]
    assert limits == pytest.approx([2.571, 4.74], abs=0.006)


def test_five_repetitions_without_spread() -> None:
    """All zero: p 1. The same difference throughout: no p, as its spread is unknown."""
    nothing, constant = five_by_two_cv_test(np.zeros((5, 2))), five_by_two_cv_test(np.full((5, 2), 0.1))
    assert [test.pvalue for test in nothing] == [1.0, 1.0]
    assert np.isnan([test.pvalue for test in constant]).all()


RATIO = 1 / 9


def gains(rng: np.random.Generator, last: float, previous: float, noise: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    return last + rng.normal(0, noise, 50), previous + rng.normal(0, noise, 50)


def test_without_shared_data_the_limits_are_those_of_scipy(rng: np.random.Generator) -> None:
    """Ratio 0 is the ordinary t interval; the lower limit is the smallest of three, by scipy."""
    g2, g1 = gains(rng, 0.05, 0.10)
    _, limits, _ = doubling_gain(g2, g1, test_train_ratio=0.0)
    intervals = [stats.ttest_1samp(each, 0).confidence_interval(0.95) for each in (g2, g2 - g1 / 4, g2 / 2)]
    assert_allclose(limits.high, intervals[0].high, rtol=1e-12)
    assert_allclose(limits.low, min(interval.low for interval in intervals), rtol=1e-12)


@pytest.mark.slow
@given(st.floats(0.01, 1), st.floats(1e-3, 10), st.floats(0, 5))
def test_the_lower_bound_lies_below_every_power_law(exponent: float, b: float, a: float) -> None:
    """score(n) = a - b n^-c for c up to 1: g2 - g1 / 4 and g2 / 2 are at most the true next gain, at c = 1 just that."""
    score = [a - b * n**-exponent for n in (1, 2, 4, 8)]
    g1, g2, g3 = np.diff(score)
    assert min(g2 - g1 / 4, g2 / 2) <= g3 + 1e-9
    if exponent == 1:
        assert_allclose(g2 - g1 / 4, g3)


@pytest.mark.parametrize(
    ("last", "previous", "rope", "answer"),
    [
        (0.05, 0.10, 0.01, YES),  # at least 0.025 to come
        (0.05, 0.10, 0.025, CANNOT_BE_TOLD),  # just what is to come at the rate 1/n
        (0.05, 0.19, 0.01, CANNOT_BE_TOLD),  # gains shrink to a quarter: 0.05 - 0.19 / 4 is next to nothing
        (0.05, 0.10, 0.08, LESS_THAN_ROPE),  # it cannot bring more than 0.05 did
        (0.0, 0.0, 0.02, LESS_THAN_ROPE),
        (0.0, 0.0, 0.0, CANNOT_BE_TOLD),  # nothing is less than no rope
        (-0.05, 0.0, 0.0, LESS_THAN_ROPE),  # more data hurt
    ],
)
def test_answers(rng: np.random.Generator, last: float, previous: float, rope: float, answer: int) -> None:
    """50 splits with a standard error of the gain of 0.0036, much below the distance to the rope."""
    _, limits, found = doubling_gain(*gains(rng, last, previous), test_train_ratio=RATIO, rope=rope)
    assert ANSWERS[found] == ANSWERS[answer]
    assert limits.low <= limits.high


def test_many_rows_at_once_are_as_one_by_one(rng: np.random.Generator) -> None:
    """And one without spread, or with nan, spoils no other; gains that cannot be judged have no limits."""
    g2, g1 = (np.stack([each] * 4) for each in gains(rng, 0.05, 0.1))
    g2[1], g1[1] = 0.0, 0.0
    g2[2] = 0.25
    g2[3, 0] = np.nan
    law, (low, high), answer = doubling_gain(g2, g1, test_train_ratio=RATIO, rope=0.01)
    _, alone, _ = doubling_gain(g2[0], g1[0], test_train_ratio=RATIO, rope=0.01)
    assert answer.tolist() == [YES, CANNOT_BE_TOLD, CANNOT_BE_TOLD, CANNOT_BE_TOLD]
    assert (low[0], high[0]) == alone
    assert law.kind[1:3].tolist() == [IDENTICAL, CONSTANT]
    assert np.isnan(low[1:]).all()
    assert np.isnan(high[1:]).all()


def test_splits_without_a_gain_are_left_out_where_asked(rng: np.random.Generator) -> None:
    """Of both gains, whichever is missing."""
    g2, g1 = gains(rng, 0.05, 0.1)
    g1[3], g2[7] = np.nan, np.nan
    kept = np.delete(np.arange(50), [3, 7])
    law, limits, _ = doubling_gain(g2, g1, test_train_ratio=RATIO, omit_missing=True)
    _, expected, _ = doubling_gain(g2[kept], g1[kept], test_train_ratio=RATIO)
    assert law.n_units == 48
    assert_allclose(limits, expected, rtol=1e-12)
