"""One proportion, two of independent test sets and two of the same examples; published figures are in tests/reference."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from tiebreak.statistics import (
    cochran_q,
    mcnemar,
    newcombe,
    paired_counts,
    proportion_interval,
    tango,
    z_test,
)
from tiebreak.statistics.rates import ProportionMethod, tango_statistic

METHODS = get_args(ProportionMethod)
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
tables = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda each: sum(each) > 0)
few = st.integers(0, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "name"), [("wilson", "wilson"), ("clopper-pearson", "exact")])
@given(case=counts, level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_scipy_agrees(method: ProportionMethod, name: str, case: tuple[int, int], level: float) -> None:
    """scipy has both intervals, for whole counts."""
    x, n = case
    theirs = stats.binomtest(x, n).proportion_ci(level, method=name)
    assert proportion_interval(x, n, level=level, method=method) == pytest.approx(tuple(theirs), rel=1e-9, abs=1e-12)


def test_tiny_rates_keep_their_digits() -> None:
    """1 of 10^12 by the closed form of the Wilson limits, in exact arithmetic: their product is x^2 / (n (n + z^2))."""
    low, high = proportion_interval(1, 1e12)
    z2 = stats.chi2.ppf(0.95, 1)
    assert low * high == pytest.approx(1 / (1e12 * (1e12 + z2)), rel=1e-12)
    assert low == pytest.approx(1.765e-13, rel=1e-3)


# --- two -------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(one=counts, two=counts)
def test_the_pooled_test_is_the_chi_squared_one(one: tuple[int, int], two: tuple[int, int]) -> None:
    """The square of z is Pearson's statistic of the 2 x 2 table, by scipy."""
    table = np.array([[one[0], one[1] - one[0]], [two[0], two[1] - two[0]]])
    test = z_test(*one, *two)
    if table.sum(axis=0).all():
        theirs = stats.chi2_contingency(table, correction=False)
        assert test.statistic**2 == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
        assert test.pvalue() == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    else:
        assert math.isnan(test.statistic)
        assert test.pvalue() == 1


def test_a_p_value_is_never_zero() -> None:
    """However far apart."""
    for test in (newcombe, z_test):
        assert 0 < test(0, 10**6, 10**6, 10**6).pvalue() < 1e-300


def test_an_unpooled_test_without_a_standard_error_is_undefined() -> None:
    """All of 10 against none of 20: both variances are 0, so z is x / 0; the pooled test has an error, and 5.48 by hand."""
    given = ([10, 0, 3], [10, 10, 10], [0, 0, 4], [20, 20, 20])
    unpooled, pooled = z_test(*given, pooled=False), z_test(*given)
    assert np.isfinite(unpooled.statistic).tolist() == [False, False, True]
    assert np.isnan(unpooled.pvalue()).tolist() == [True, False, False]
    assert unpooled.pvalue()[1] == 1.0
    assert pooled.statistic[0] == pytest.approx(1 / math.sqrt(1 / 3 * 2 / 3 * (1 / 10 + 1 / 20)))


# --- two on the same examples ------------------------------------------------------------------------------------------------


def restricted_share(b: int, c: int, n: int, at: float) -> float:
    """Likelihood estimate of the share "only the second is right" where the true difference is `at`, by a numerical search."""
    low, high = max(0.0, -at), (1 - at) / 2

    def minus_log_likelihood(q: float) -> float:
        terms = ((b, q + at), (c, q), (n - b - c, 1 - 2 * q - at))
        return -float(sum(special.xlogy(count, max(p, 0.0)) for count, p in terms))

    return float(optimize.minimize_scalar(minus_log_likelihood, bounds=(low, high), options={"xatol": 1e-12}).x)


@pytest.mark.parametrize(("b", "c", "n", "at"), [(14, 2, 28, 0.1), (1, 7, 21, -0.4), (6, 16, 161, 0.05), (5, 5, 40, 0.3)])
def test_score_statistic_has_the_restricted_estimate(b: int, c: int, n: int, at: float) -> None:
    """Tango's closed form is the maximum of the likelihood under the hypothesis, here found by search."""
    q = restricted_share(b, c, n, at)
    expected = (b - c - n * at) / np.sqrt(n * (2 * q + at * (1 - at)))
    assert tango_statistic(b, c, n, at) == pytest.approx(expected, rel=1e-4)


def test_airway_hyper_responsiveness() -> None:
    """Printed interval for 1, 1, 7 and 12 children (Fagerland, Lydersen and Laake 2014, data of Bentur 2009)."""
    assert tango(1, 1, 7, 12).interval() == pytest.approx((-0.517, -0.026), abs=5e-4)


@given(tables)
@pytest.mark.slow
def test_limits_are_where_the_statistic_is_z(table: tuple[int, int, int, int]) -> None:
    """Each limit to 1e-12 of what a root finder of scipy gives."""
    law, z = tango(*table), 1.959963984540054
    _, b, c, _ = table
    low, high = law.interval()
    d, n = law.estimate, sum(table)
    if d < 1:
        root = optimize.brentq(lambda at: tango_statistic(b, c, n, at) + z, d, 1, xtol=1e-15, rtol=1e-14)
        assert high == pytest.approx(root, abs=1e-12)
    if d > -1:
        root = optimize.brentq(lambda at: tango_statistic(b, c, n, at) - z, -1, d, xtol=1e-15, rtol=1e-14)
        assert low == pytest.approx(root, abs=1e-12)


def test_models_that_agree_everywhere_have_an_interval() -> None:
    """Without a discordant example the limits are z^2 / (n + z^2), by hand; the textbook's error is 0."""
    law = tango(20, 0, 0, 10)
    limit = 1.959963984540054**2 / (30 + 1.959963984540054**2)
    assert law.interval() == pytest.approx((-limit, limit), abs=1e-13)
    assert law.se == 0.0


def test_counts_of_a_table_are_those_of_a_loop() -> None:
    """Three models on six examples, counted by hand; missing answers are left out for each pair."""
    nan = float("nan")
    table = [[1, 1, 0, 0, 1, nan], [1, 0, 1, 0, 1, 1], [0, 0, 0, 1, nan, 1]]
    first, second = [0, 0, 1], [1, 2, 2]
    found = paired_counts(table, first, second, omit_missing=True)
    np.testing.assert_array_equal(np.transpose(found), [[2, 1, 1, 1], [0, 2, 1, 1], [1, 2, 1, 1]])


def test_a_table_without_examples_has_no_counts() -> None:
    """Nothing was asked, so there is nothing of any kind."""
    assert paired_counts(np.zeros((2, 0))) == (0, 0, 0, 0)


# --- tests without an interval -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(few, few)
def test_exact_is_the_binomial_test(b: int, c: int) -> None:
    """Of the discordant examples; scipy's binomtest is the oracle."""
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c).pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@given(few, few)
def test_mid_p_counts_the_observed_outcome_by_half(b: int, c: int) -> None:
    """From scipy's binomial probabilities, on both sides."""
    n, low = b + c, min(b, c)
    own = stats.binom.pmf(low, n, 0.5)
    expected = 1 - own / 2 if b == c else 2 * (stats.binom.cdf(low, n, 0.5) - own / 2)
    assert mcnemar(b, c, "mid-p").pvalue == pytest.approx(expected if n else 1.0, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("variant", ["exact", "mid-p", "chi2", "chi2-corrected"])
def test_identical_models_have_p_1(variant: str) -> None:
    """There is no evidence at all, neither for a difference nor of 0/0."""
    assert mcnemar(0, 0, variant).pvalue == 1.0
    np.testing.assert_array_equal(mcnemar([0, 3], [0, 3], variant).pvalue[:1], [1.0])


def test_cochrans_q_of_two_models_is_mcnemars() -> None:
    """Without correction; 5 and 2 discordant of 12."""
    correct = [[1] * 8 + [0] * 4, [1] * 3 + [0] * 5 + [1] * 2 + [0] * 2]
    result = cochran_q(correct)
    assert result.statistic == pytest.approx(mcnemar(5, 2, "chi2").statistic)
    assert result.pvalue == pytest.approx(mcnemar(5, 2, "chi2").pvalue)


def test_cochrans_q_where_all_agree() -> None:
    """0/0 is no difference, p 1; a table that differs beside it is not spoilt."""
    result = cochran_q([[[1, 0, 1]] * 3, [[1, 0, 1], [1, 0, 1], [0, 0, 1]]])
    assert np.isnan(result.statistic[0])
    assert result.pvalue[0] == 1.0
    assert 0 < result.pvalue[1] < 1
    assert result.df == 2


# --- bad input -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@given(n=st.integers(1, 1000), part=st.floats(1e-12, 1.0), level=st.sampled_from([0.5, 0.95, 0.999]))
def test_parts_of_a_count_have_limits_around_them(method: ProportionMethod, n: int, part: float, level: float) -> None:
    """A count of 0.003 of 30 is a rate as well; its limits hold it, and those of as many failures mirror them."""
    low, high = proportion_interval([part, n - part], n, method=method, level=level)
    assert 0 <= low[0] <= part / n + 1e-10
    assert part / n - 1e-10 <= high[0] <= 1
    assert (low[1], high[1]) == pytest.approx((1 - high[0], 1 - low[0]), abs=1e-9)


def test_wilson_keeps_its_level_on_average_only() -> None:
    """The figures of the docstring: minimum of the exact coverage over rates around 0.18 expected successes."""
    for n, least in ((10, 0.835), (1000, 0.838)):
        rates, outcomes = np.linspace(0.1, 0.3, 400) / n, np.arange(11)
        low, high = (limit[:, None] for limit in proportion_interval(outcomes, n))
        covered = (stats.binom.pmf(outcomes[:, None], n, rates) * ((low <= rates) & (rates <= high))).sum(axis=0)
        assert covered.min() == pytest.approx(least, abs=0.0006)
