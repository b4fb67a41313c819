"""Corrected t against scipy, its formula and baycomp, zero spread by hand; what the last two doublings say of the next one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tiebreak.errors import DataError, InvalidParameterError
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


@pytest.mark.parametrize("n", [2, 3, 5, 10, 50, 100])
@pytest.mark.parametrize("ratio", [1 / 9, 0.25, 1.0, 9.0])
def test_formula_of_nadeau_and_bengio(n: int, ratio: float, rng: np.random.Generator) -> None:
    """Section 3 of the paper, written out with the standard library's sums and scipy's t distribution."""
    d = rng.normal(0.02, 0.05, n)
    mean = math.fsum(d) / n
    variance = math.fsum((x - mean) ** 2 for x in d) / (n - 1)
    t = mean / math.sqrt(variance * (1 / n + ratio))
    result = corrected_t(d, test_train_ratio=ratio)
    assert_allclose(result.statistic, t, rtol=1e-12)
    assert_allclose(result.pvalue(), 2 * stats.t.sf(abs(t), n - 1), rtol=1e-11)
    assert_allclose(result.interval(0.95), stats.t(n - 1, mean, mean / t).interval(0.95), rtol=1e-12, atol=1e-15)


def test_one_sided_pvalues_follow_the_sign() -> None:
    """ "greater" is small where the first model is better; the gallery example takes |t| and is wrong for a negative t."""
    d = np.array([0.03, 0.01, 0.02, 0.05, -0.01])
    law = corrected_t(d, 0.25)
    greater, less = law.pvalue("greater"), law.pvalue("less")
    assert greater < 0.5 < less
    assert_allclose(greater + less, 1.0, rtol=1e-15)
    assert_allclose(corrected_t(-d, 0.25).pvalue("greater"), less, rtol=1e-15)
    assert_allclose(law.pvalue(), 2 * greater, rtol=1e-15)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_zero_spread_by_hand(alternative: str) -> None:
    """Design promise 5: identical scores have p 1 and no statistic, a constant difference an infinite one and no p."""
    rows = [[0.0] * 5, [0.02] * 5, [-0.02] * 5, [-0.0] * 5]
    result = corrected_t(rows, 0.25)
    assert_array_equal(result.estimate, [0.0, 0.02, -0.02, 0.0])
    assert_array_equal(result.se, 0.0)
    assert_array_equal(result.statistic, [np.nan, np.inf, -np.inf, np.nan])
    assert_array_equal(result.pvalue(alternative), [1.0, np.nan, np.nan, 1.0])
    assert np.all(np.isnan(result.interval()))


def test_constant_of_rounded_decimals_has_no_spread() -> None:
    """0.02 as a difference of two-digit scores has a variance of about 1e-34 in floats, which must not give p = 0."""
    first = np.array([0.93, 0.95, 0.91, 0.97, 0.92])
    d = first - np.round(first - 0.02, 2)
    assert np.ptp(d) > 0
    result = corrected_t(d, test_train_ratio=0.25, scale=0.97)
    assert np.isinf(result.statistic)
    assert np.isnan(result.pvalue())


def test_missing_splits_are_left_out_only_when_asked(rng: np.random.Generator) -> None:
    """A nan makes its row undefined, or leaves it with fewer splits and fewer degrees of freedom."""
    d = rng.normal(0.1, 1, 9)
    holed = d.copy()
    holed[[2, 5]] = np.nan
    assert np.isnan(corrected_t(holed, test_train_ratio=0.2).pvalue())
    got = corrected_t(holed, test_train_ratio=0.2, omit_missing=True)
    expected = corrected_t(np.delete(d, [2, 5]), test_train_ratio=0.2)
    assert int(got.df) == 6
    assert_allclose(got.pvalue(), expected.pvalue(), rtol=1e-13)
    one_left = np.array([1.0, np.nan, np.nan])
    assert np.isnan(corrected_t(one_left, test_train_ratio=0.2, omit_missing=True).pvalue())


def test_two_splits_have_one_degree_of_freedom() -> None:
    """By hand: 1 and 3, ratio 0: mean 2, s = sqrt 2, t = 2, and P(|T| > 2) of the Cauchy distribution is 2 atan(1/2) / pi."""
    result = corrected_t([1.0, 3.0], test_train_ratio=0.0)
    assert_allclose([result.statistic, result.pvalue()], [2.0, 2 * math.atan(0.5) / math.pi], rtol=1e-15)


@pytest.mark.parametrize("level", [0, 1, 95, np.nan])
def test_level_outside_its_range(level: float) -> None:
    """A coverage is a probability."""
    law = paired_t([1.0, 2.0, 4.0])
    with pytest.raises(InvalidParameterError, match="level must lie between 0 and 1, ends excluded; got"):
        law.interval(level)


def test_errors_of_input() -> None:
    """Too few splits, a negative ratio, an unknown alternative: each said with the value met."""
    with pytest.raises(DataError, match=r"1 split\(s\), but at least 2 are needed"):
        corrected_t([0.1], test_train_ratio=0.1)
    with pytest.raises(InvalidParameterError, match=r"finite number of at least 0; got -0\.1"):
        corrected_t([0.1, 0.2], test_train_ratio=-0.1)
    with pytest.raises(InvalidParameterError, match="alternative must be one of 'two-sided', 'greater', 'less'; got 'larger'"):
        corrected_t([0.1, 0.2], 0.1).pvalue("larger")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="scale must be the largest"):
        corrected_t([0.1, 0.2], test_train_ratio=0.1, scale=np.nan)


# --- probabilities --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mean", "expected"),
    [(42, (1, 0, 0)), (2, (0, 1, 0)), (0.5, (0, 1, 0)), (0, (0, 1, 0)), (-0.5, (0, 1, 0)), (-2, (0, 1, 0)), (-42, (0, 0, 1))],
)
def test_a_constant_difference_lies_in_one_region(mean: float, expected: tuple[int, int, int]) -> None:
    """baycomp's test suite, rope 2: the region is closed."""
    assert corrected_t([mean] * 5, 0.25).probabilities(2.0) == expected


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
    with pytest.raises(DataError, match=r"five repetitions of two folds.*got \(10,\)"):
        five_by_two_cv_test(D.ravel())


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


def test_the_correction_is_that_of_the_corrected_t_test(rng: np.random.Generator) -> None:
    """The gain of the last doubling is a paired difference like any other."""
    g2, g1 = gains(rng, 0.05, 0.10)
    expected = corrected_t(g2, test_train_ratio=RATIO)
    last, limits, _ = doubling_gain(g2, g1, test_train_ratio=RATIO)
    assert_allclose(last.se, expected.se, rtol=1e-12)
    assert_allclose(limits.high, expected.interval().high, rtol=1e-12)


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


def test_the_unit_does_not_matter(rng: np.random.Generator) -> None:
    """Scores in percent, with the rope along."""
    g2, g1 = gains(rng, 0.05, 0.1)
    _, one, answer = doubling_gain(g2, g1, test_train_ratio=RATIO, rope=0.01)
    _, other, same = doubling_gain(100 * g2, 100 * g1, test_train_ratio=RATIO, rope=1.0)
    assert_allclose(100 * np.array(one), other, rtol=1e-12)
    assert answer == same


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
