"""What the last two doublings say of the next one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import CONSTANT, IDENTICAL
from tiebreak.statistics import corrected_t, doubling_gain
from tiebreak.statistics.more_data import ANSWERS, CANNOT_BE_TOLD, LESS_THAN_ROPE, YES

RATIO = 1 / 9


def gains(rng: np.random.Generator, last: float, previous: float, noise: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    return last + rng.normal(0, noise, 50), previous + rng.normal(0, noise, 50)


def test_without_shared_data_the_limits_are_those_of_scipy(rng: np.random.Generator) -> None:
    """Ratio 0 is the ordinary t interval; the lower limit is the smallest of three, by scipy."""
    g2, g1 = gains(rng, 0.05, 0.10)
    found = doubling_gain(g2, g1, test_train_ratio=0.0)
    intervals = [stats.ttest_1samp(each, 0).confidence_interval(0.95) for each in (g2, g2 - g1 / 4, g2 / 2)]
    assert_allclose(found.high, intervals[0].high, rtol=1e-12)
    assert_allclose(found.low, min(interval.low for interval in intervals), rtol=1e-12)


def test_the_correction_is_that_of_the_corrected_t_test(rng: np.random.Generator) -> None:
    """The gain of the last doubling is a paired difference like any other."""
    g2, g1 = gains(rng, 0.05, 0.10)
    expected = corrected_t(g2, test_train_ratio=RATIO)
    found = doubling_gain(g2, g1, test_train_ratio=RATIO)
    assert_allclose(found.last.se, expected.se, rtol=1e-12)
    assert_allclose(found.high, expected.interval().high, rtol=1e-12)


@pytest.mark.slow
@given(st.floats(0.01, 1), st.floats(1e-3, 10), st.floats(0, 5))
def test_the_lower_bound_lies_below_every_power_law(exponent: float, b: float, a: float) -> None:
    """score(n) = a - b n^-c for c up to 1: g2 - g1 / 4 and g2 / 2 are at most the true next gain, at c = 1 just that."""
    score = [a - b * n**-exponent for n in (1, 2, 4, 8)]
    g1, g2, g3 = np.diff(score)
    assert min(g2 - g1 / 4, g2 / 2) <= g3 + 1e-9
    if exponent == 1:
        assert_allclose(g2 - g1 / 4, g3)


def test_the_bound_that_is_linear_holds_for_exponents_above_one_too() -> None:
    """g2^2 / g1 is the next gain of a power law, and g2 - g1 / 4 never above it."""
    for exponent in (0.2, 0.5, 1.0, 2.0, 3.0):
        g1, g2, g3 = -np.diff([float(n) ** -exponent for n in (1, 2, 4, 8)])
        assert g2 - g1 / 4 <= g3 + 1e-12
        assert g3 == pytest.approx(g2**2 / g1)


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
    found = doubling_gain(*gains(rng, last, previous), test_train_ratio=RATIO, rope=rope)
    assert ANSWERS[found.answer] == ANSWERS[answer]
    assert found.low <= found.high


def test_many_rows_at_once_are_as_one_by_one(rng: np.random.Generator) -> None:
    """And one without spread, or with nan, spoils no other; gains that cannot be judged have no limits."""
    g2, g1 = (np.stack([each] * 4) for each in gains(rng, 0.05, 0.1))
    g2[1], g1[1] = 0.0, 0.0
    g2[2] = 0.25
    g2[3, 0] = np.nan
    together = doubling_gain(g2, g1, test_train_ratio=RATIO, rope=0.01)
    alone = doubling_gain(g2[0], g1[0], test_train_ratio=RATIO, rope=0.01)
    assert together.answer.tolist() == [YES, CANNOT_BE_TOLD, CANNOT_BE_TOLD, CANNOT_BE_TOLD]
    assert (together.low[0], together.high[0]) == (alone.low, alone.high)
    assert together.kind[1:3].tolist() == [IDENTICAL, CONSTANT]
    assert np.isnan(together.low[1:]).all()
    assert np.isnan(together.high[1:]).all()


def test_splits_without_a_gain_are_left_out_where_asked(rng: np.random.Generator) -> None:
    """Of both gains, whichever is missing."""
    g2, g1 = gains(rng, 0.05, 0.1)
    g1[3], g2[7] = np.nan, np.nan
    kept = np.delete(np.arange(50), [3, 7])
    found = doubling_gain(g2, g1, test_train_ratio=RATIO, omit_missing=True)
    expected = doubling_gain(g2[kept], g1[kept], test_train_ratio=RATIO)
    assert int(found.n_splits) == 48
    assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=1e-12)


def test_the_unit_does_not_matter(rng: np.random.Generator) -> None:
    """Scores in percent, with the rope along."""
    g2, g1 = gains(rng, 0.05, 0.1)
    one = doubling_gain(g2, g1, test_train_ratio=RATIO, rope=0.01)
    other = doubling_gain(100 * g2, 100 * g1, test_train_ratio=RATIO, rope=1.0)
    assert_allclose([100 * one.low, 100 * one.high], [other.low, other.high], rtol=1e-12)
    assert one.answer == other.answer


def test_wrong_use_is_refused() -> None:
    """Shapes, too few splits, and settings."""
    with pytest.raises(DataError, match=r"^the two gains must have the same shape; got \(3,\) and \(2,\)\.$"):
        doubling_gain([1, 2, 3], [1, 2], test_train_ratio=RATIO)
    with pytest.raises(DataError):
        doubling_gain([1], [1], test_train_ratio=RATIO)
    with pytest.raises(InvalidParameterError, match="rope must be"):
        doubling_gain([1, 2], [1, 2], test_train_ratio=RATIO, rope=-1)
    with pytest.raises(InvalidParameterError, match="alpha must lie between"):
        doubling_gain([1, 2], [1, 2], test_train_ratio=RATIO, alpha=5)
