"""Laws against scipy, by draws and by hand; Student tails and quantiles against mpmath and scipy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    student_log_density,
    student_multiplier,
    student_quantile,
    student_tail,
)
from tiebreak.numerics.law import STUDENT, TABLE_PAYS_FROM, Law, Shape, by_draws, least_sure, student, tabulated

ESTIMATE, SE, DF = np.array([0.02, -0.01, 0.0]), np.array([0.01, 0.02, 0.005]), np.array([9.0, 4.5, np.inf])
LAW = student(ESTIMATE, SE, DF)
T = stats.t(DF, ESTIMATE, SE)


def test_tails_and_ends_are_scipys() -> None:
    """Degrees of freedom that are not whole, and infinite ones, which are the normal distribution."""
    for at in (-0.03, 0.0, 0.013):
        assert_allclose(LAW.tail(at), T.cdf(at), rtol=1e-11)
        assert_allclose(LAW.tail(at, upper=True), T.sf(at), rtol=1e-11)
    for p in (1e-9, 0.025, 0.4):
        assert_allclose(LAW.end(p), T.ppf(p), rtol=1e-9)
        assert_allclose(LAW.end(p, upper=True), T.isf(p), rtol=1e-9)
    assert_allclose(LAW.interval(0.9), T.interval(0.9), rtol=1e-10)


@pytest.mark.parametrize("rope", [0.0, 1e-9, 0.01, 0.03, 1.0])
def test_probabilities_are_scipys_and_add_up_to_1(rope: float) -> None:
    """Mass above, inside and below [-rope, rope]."""
    found = LAW.probabilities(rope)
    assert_allclose(found, (T.sf(rope), T.cdf(rope) - T.cdf(-rope), T.cdf(-rope)), rtol=1e-8, atol=1e-13)
    assert_allclose(sum(found), 1.0, rtol=1e-14)


def test_a_region_far_in_the_tail_keeps_its_digits() -> None:
    """Mean 1, scale 0.001, 99 df: the mass of [-0.1, 0.1] is about 1e-200; a difference of two tails near 0, not near 1."""
    t = stats.t(99, -1.0, 0.001)
    for mean in (1.0, -1.0):
        inside = student(mean, 0.001, 99).probabilities(0.1).equivalent
        assert_allclose(inside, t.sf(-0.1) - t.sf(0.1), rtol=1e-10)
        assert 0 < inside < 1e-150


def test_a_small_pvalue_keeps_its_digits_and_is_never_0() -> None:
    """t = 60 with 99 df by the survival function; t = 1e6 with 300 df lies below every float."""
    assert_allclose(student(0.6, 0.01, 99).pvalue(), 2 * stats.t.sf(60, 99), rtol=1e-11)
    assert student(1e6, 1.0, 300).pvalue() == 5e-324


@given(st.floats(-3, 3), st.floats(0.01, 2), st.floats(1, 200), st.floats(0.001, 0.999), st.floats(0, 2))
def test_p_interval_and_verdict_never_contradict_each_other(
    estimate: float, se: float, df: float, alpha: float, rope: float
) -> None:
    """The interval excludes 0 exactly where p is below alpha, and a verdict other than undecided needs that or a rope."""
    law = student(estimate, se, df)
    low, high = law.interval_at(alpha)
    if min(abs(low), abs(high)) > 1e-9 * se:
        assert (law.pvalue() < alpha) == (low > 0 or high < 0)
    word = str(law.verdict(rope, alpha))
    expected = (
        "better"
        if low > rope
        else "worse"
        if high < -rope
        else "equivalent"
        if rope > 0 and -rope <= low and high <= rope
        else "ahead"
        if low > 0
        else "behind"
        if high < 0
        else "undecided"
    )
    assert word == expected


def test_ends_by_bisection_are_those_in_closed_form() -> None:
    """Student's law without its inverse; many levels at once, and a level that no value reaches."""
    bisected = replace(LAW, shape=Shape(STUDENT.tail))
    p = np.array([[0.001], [0.2]])
    for upper in (False, True):
        assert_allclose(bisected.end(p, upper=upper), LAW.end(p, upper=upper), rtol=1e-12, atol=1e-15)
    flat = Law(estimate=0.0, kind=np.int8(SPREAD), shape=Shape(lambda law, at, upper: np.maximum(0.1, 0.0 * at)))
    assert (flat.end(0.05), flat.end(0.05, upper=True)) == (-np.inf, np.inf)


def test_kinds_without_spread_have_no_interval() -> None:
    """Identical, constant, undefined: p-values 1, nan, nan; a statistic of nan, infinity, nan; no verdict but undecided."""
    law = student([0.0, 0.1, 0.1, np.nan], [0.0, 0.0, 1.0, 1.0], np.array([9, 9, 0, 9]))
    assert_array_equal(law.kind, [IDENTICAL, CONSTANT, UNDEFINED, UNDEFINED])
    assert_array_equal(law.pvalue(), [1.0, np.nan, np.nan, np.nan])
    assert_array_equal(law.interval(), np.full((2, 4), np.nan))
    assert_array_equal(law.probabilities(0.05).better, [0.0, 1.0, np.nan, np.nan])
    assert_array_equal(law.verdict(), ["undecided"] * 4)


def test_a_point_lies_on_one_side_and_a_limit_far_beyond_the_scale_is_certain() -> None:
    """Without an error all mass is at the estimate, half of it at either side; a rope of 1e308 overflows nothing."""
    point = student(np.array([0.1, 0.0]), 0.0, 9)
    assert_array_equal([point.tail(0.0), point.tail(0.0, upper=True)], [[0.0, 0.5], [1.0, 0.5]])
    assert_array_equal(point.tail(0.2), [1.0, 1.0])
    narrow = student(0.1, 1e-5, 9)
    assert (narrow.tail(-1e308), narrow.tail(1e308)) == (0.0, 1.0)


def test_a_single_difference_has_numbers() -> None:
    """Python floats, which print as such."""
    law = student(0.02, 0.01, 9)
    assert all(type(value) is float for value in (law.estimate, law.statistic, law.pvalue(), *law.interval(), law.tail(0.0)))


def test_some_of_the_differences_are_as_they_were_among_all() -> None:
    """Rows by place or slice, of laws within a law too, whatever the length of the arrays."""
    wide = least_sure([LAW, student(ESTIMATE, 2 * SE, 2.0)])
    for law in (LAW, wide):
        for rows in (np.array([2, 0]), slice(1, 3)):
            assert_array_equal(law.take(rows).interval(0.8), np.asarray(law.interval(0.8))[:, rows])
            assert_array_equal(law.take(rows).pvalue(), law.pvalue()[rows])


def test_the_least_sure_law_has_the_larger_tails_and_the_wider_interval() -> None:
    """Of one law and of one with twice its error."""
    other = student(ESTIMATE, 2 * SE, DF)
    both = least_sure([LAW, other])
    assert_array_equal(both.interval(0.9), other.interval(0.9))
    assert_array_equal(both.pvalue(), np.maximum(LAW.pvalue(), other.pvalue()))
    assert least_sure([LAW]) is LAW


def test_a_table_of_probabilities_is_linear_in_between() -> None:
    """A normal distribution at 2,001 points, beside one that is shifted: tails and ends by scipy; rows are taken as they are."""
    points = np.linspace(-8, 8, 2001) + np.array([[0.0], [0.5]])
    law = tabulated(points, np.broadcast_to(stats.norm.cdf(points[0]), points.shape), estimate=[0.0, 0.5])
    for at in (-1.0, 0.3):
        assert_allclose(law.tail(at), stats.norm.cdf(at, [0.0, 0.5]), atol=1e-5)
        assert_allclose(law.tail(at, upper=True), stats.norm.sf(at, [0.0, 0.5]), atol=1e-5)
    assert_allclose(law.interval(0.9), stats.norm.interval(0.9, [0.0, 0.5]), atol=1e-4)
    assert_array_equal(law.take(np.array([1])).interval(0.9), np.asarray(law.interval(0.9))[:, [1]])
    assert_allclose(law.tail(law.end(0.2)), 0.2, rtol=1e-12)


def test_draws_are_counted_and_too_few_of_them_have_no_ends() -> None:
    """The numbers 1 to 100, of which 10 lie beyond an end at .1 and fewer beyond one at .05; equal ones count on either side."""
    law = by_draws(np.arange(100.0, 0.0, -1.0), estimate=50.5)
    assert (law.tail(30.0), law.tail(30.0, upper=True)) == pytest.approx((0.3, 0.71))
    assert law.interval(0.8) == pytest.approx((10.9, 90.1))  # numpy's quantiles, by hand 1 + 0.1 x 99
    assert np.isnan(law.interval(0.9)).all()
    assert law.pvalue() == 0.01
    assert law.probabilities(10.0) == pytest.approx((0.9, 0.1, 0.0), abs=0.011)


def test_settings_out_of_range_are_refused() -> None:
    """A level that is a percentage, a negative rope, an alternative that is none."""
    with pytest.raises(InvalidParameterError, match=r"level must lie between 0 and 1.*Did you mean 0\.95\?"):
        LAW.interval(95)
    with pytest.raises(InvalidParameterError, match=r"rope must be a finite half-width.*got -0\.01"):
        LAW.probabilities(-0.01)
    with pytest.raises(InvalidParameterError, match="alternative must be one of 'two-sided', 'greater', 'less'; got 'larger'"):
        LAW.pvalue("larger")  # type: ignore[arg-type]


# P(T > x), from mpmath's betainc, quad and atan2 at 60 digits
TAILS = [
    (0.1, 1, 0.46827448256944642874),
    (3, 1, 0.10241638234956672582),
    (1000, 1, 0.00031830978008055893887),
    (-2, 1, 0.85241638234956672582),
    (0.001, 2, 0.49964644669779504073),
    (12.5, 2, 0.0031696040517723418199),
    (0.75, 3, 0.2538572897120671062),
    (40, 3, 0.000017190340394579264142),
    (2.5, 4, 0.033383272405994072519),
    (1e6, 4, 2.99999999998e-24),
    (0.5, 9, 0.3145356499130132398),
    (2.262157162798205, 9, 0.025000000000000026658),
    (30, 9, 1.2418523520791312223e-10),
    (0.1, 29, 0.46051622224368687298),
    (8, 29, 4.0062878248158513717e-9),
    (1.984, 99, 0.025012286459087200195),
    (12, 99, 2.5653148439487427349e-21),
    (60, 99, 5.9093030361101453035e-80),
    (4.5, 999, 3.7969518775850421487e-6),
    (20, 999, 2.0836922465214988591e-75),
    (0.3, 4999, 0.38209481458204233197),
    (9, 4999, 1.573925185173691071e-19),
]
# the x with P(T < x) = p, from mpmath's findroot at 60 digits and closed forms for df 1 and 2
QUANTILES = [
    (0.975, 1, 12.706204736174693314),
    (1e-09, 1, -318309886.18379065067),
    (0.4999, 1, -0.00031415927569437069231),
    (0.975, 2, 4.3026527297494617894),
    (0.3, 2, -0.61721339984836768183),
    (0.999, 3, 10.214531852407383456),
    (0.975, 4, 2.7764451051977934898),
    (0.49, 4, -0.026670618302639030069),
    (0.495, 4, -0.013333827192320654217),
    (1e-12, 4, -1316.0727465592565424),
    (0.975, 9, 2.2621571627982049992),
    (0.025, 9, -2.2621571627982055086),
    (1e-07, 9, -14.040718740070064951),
    (1e-20, 19, -43.147101227041218335),
    (0.995, 99, 2.6264054572808271827),
    (1e-10, 99, -7.0913506083514612861),
    (0.45, 99, -0.12598411391620590174),
    (1e-06, 999, -4.7816369788300793356),
    (0.75, 4999, 0.6745388301775063155),
]

MANY = TABLE_PAYS_FROM
"""Numbers from which the tail is read from a table."""


@pytest.mark.parametrize(("x", "df", "expected"), TAILS)
def test_tail_agrees_with_mpmath(x: float, df: float, expected: float) -> None:
    """To 1e-13 of the probability, far out as well; scipy alone is off by 2e-9 for one degree of freedom."""
    assert_allclose(student_tail(x, df), expected, rtol=1e-13)


@pytest.mark.parametrize("df", [2, 3, 4, 5, 7, 9, 19, 29, 49, 99, 199, 249, 499, 999, 2499, 4999, 5000])
def test_table_of_the_tail_agrees_with_scipy(df: int) -> None:
    """Large arrays take a piecewise polynomial: 5e-14 of any probability, 5e-13 of one of 1e-300."""
    x = np.concatenate([np.linspace(-20, 20, MANY), np.geomspace(1e-12, 1e-2, 50), np.geomspace(20, 1e12, 2000), [0.0]])
    table, scipy = student_tail(x, df), special.stdtr(df, -x)
    assert_allclose(table, scipy, rtol=0, atol=5e-14)
    assert np.all(table[x >= 0] <= 0.5)  # twice a tail is a p-value
    normal = scipy > 1e-300
    assert_allclose(table[normal], scipy[normal], rtol=5e-13)


@pytest.mark.parametrize("df", [1, 1.5, 4, 99, np.inf])
def test_size_and_shape_of_the_array_do_not_matter(df: int, rng: np.random.Generator) -> None:
    """A number in a large two-dimensional array has the tail that it has alone, to 2e-13."""
    x = rng.standard_t(3, size=(2, MANY))
    tail = student_tail(x, df)
    assert tail.shape == x.shape
    some = x[:, ::997]
    assert_allclose(tail[:, ::997], np.vectorize(lambda value: float(student_tail(value, df)))(some), rtol=2e-13)


@pytest.mark.parametrize("n", [4, MANY])
def test_tail_of_what_is_no_number(n: int) -> None:
    """Infinite statistics have tails 0 and 1, an undefined one stays undefined, in small and large arrays."""
    x = np.resize([np.inf, -np.inf, np.nan, 0.0], n)
    assert_allclose(student_tail(x, 9)[:4], [0.0, 1.0, np.nan, 0.5], rtol=1e-13)
    assert_array_equal(student_tail(x, np.full(n, 9))[:4], [0.0, 1.0, np.nan, 0.5])


def test_tail_takes_a_df_for_each_number() -> None:
    """Incomplete tables have pairs with different df, one degree of freedom among them."""
    df = np.array([1, 2, 30, 1])
    assert_allclose(student_tail([1.0, 1.0, 1.0, -1.0], df), [0.25, stats.t.sf(1, 2), stats.t.sf(1, 30), 0.75], rtol=1e-13)


@pytest.mark.parametrize(("probability", "df", "expected"), QUANTILES)
def test_quantile_agrees_with_mpmath(probability: float, df: float, expected: float) -> None:
    """To 1e-12; scipy alone is off by 3e-8 near the centre for 4 degrees of freedom, those of five folds."""
    assert_allclose(student_quantile(probability, df), expected, rtol=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 19, 99, 999])
def test_quantile_undoes_the_tail(df: int) -> None:
    """From probability to value and back, on both sides, near the centre too."""
    p = np.concatenate([np.geomspace(1e-100, 0.4, 60), np.linspace(0.4, 0.6, 401), 1 - np.geomspace(1e-9, 0.4, 40)])
    x = student_quantile(p, df)
    assert_allclose(student_tail(-x, df), p, rtol=1e-12)
    assert np.all(np.diff(x[np.argsort(p)]) >= 0)


def test_quantile_at_the_ends() -> None:
    """0 and 1 lie infinitely far out, on their own sides; one half is the centre; outside is an error."""
    assert_array_equal(student_quantile([0.0, 1.0], 3), [-np.inf, np.inf])
    assert_allclose(student_quantile(0.5, [1, 3, 4, 99]), 0.0, atol=1e-16)
    with pytest.raises(InvalidParameterError, match=r"probability must lie between 0 and 1; got 1\.1"):
        student_quantile(1.1, 3)


def test_multiplier_of_a_tiny_alpha_keeps_its_digits() -> None:
    """alpha over the 499,500 pairs of 1,000 models, against scipy's survival side."""
    assert_allclose(student_multiplier(0.05 / 499_500, 99), stats.t.isf(0.05 / 999_000, 99), rtol=1e-12)
    assert_allclose(student_multiplier(0.05, [4, 9]), [2.7764451051977987, 2.2621571627982049], rtol=1e-12)


def test_log_density_is_scipys() -> None:
    """Also where the square of the distance leaves the range of floats, and the density is 0."""
    x = np.linspace(-30, 30, 61)
    assert_allclose(student_log_density(x, 4), stats.t.logpdf(x, 4), rtol=1e-13)
    assert np.exp(student_log_density(1e200, 4)) == 0
