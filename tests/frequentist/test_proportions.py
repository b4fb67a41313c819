"""One proportion, and two of independent test sets; published figures are in tests/reference."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import independent_proportions, proportion_interval
from tiebreak.frequentist.proportions import DifferenceMethod, ProportionMethod

METHODS = get_args(ProportionMethod)
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
INSIDE = {"wilson", "wilson-cc", "clopper-pearson", "mid-p", "jeffreys-modified", "likelihood-ratio"}
"""Those that hold the share itself, and nothing outside of 0 to 1; plain Jeffreys leaves 0 of n out."""


@pytest.mark.slow
@pytest.mark.parametrize(("method", "name"), [("wilson", "wilson"), ("wilson-cc", "wilsoncc"), ("clopper-pearson", "exact")])
@given(case=counts, level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_scipy_agrees(method: ProportionMethod, name: str, case: tuple[int, int], level: float) -> None:
    """scipy has three of the intervals, for whole counts."""
    x, n = case
    theirs = stats.binomtest(x, n).proportion_ci(level, method=name)
    assert proportion_interval(x, n, level=level, method=method) == pytest.approx(tuple(theirs), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@given(case=counts)
def test_failures_mirror_successes(method: ProportionMethod, case: tuple[int, int]) -> None:
    """What is said of the errors is one minus what is said of the rest."""
    x, n = case
    low, high = proportion_interval(x, n, method=method)
    assert proportion_interval(n - x, n, method=method) == pytest.approx((1 - high, 1 - low), abs=1e-10)
    if method in INSIDE:
        assert -1e-15 <= low <= x / n + 1e-12
        assert x / n - 1e-12 <= high <= 1 + 1e-15


@pytest.mark.parametrize("method", sorted({*METHODS} - {"agresti-coull"}))
@settings(max_examples=30)
@given(case=counts)
def test_more_confidence_is_wider(method: ProportionMethod, case: tuple[int, int]) -> None:
    """The limits of 99 % hold those of 90 %; but for Agresti and Coull, whose middle moves with the level."""
    narrow, wide = (proportion_interval(*case, level=level, method=method) for level in (0.9, 0.99))
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_many_at_once_are_as_one_by_one(method: ProportionMethod) -> None:
    """Arrays broadcast."""
    x = np.array([[0, 1, 3.5], [7, 19.5, 20]])
    low, high = proportion_interval(x, 20, method=method)
    single = [[proportion_interval(each, 20, method=method) for each in row] for row in x]
    assert np.array_equal(low, [[each.low for each in row] for row in single])
    assert np.array_equal(high, [[each.high for each in row] for row in single])


def test_exact_limits_have_their_tails() -> None:
    """At the Clopper-Pearson limits of 4 of 17 the tails are 0.025 each, by scipy's binomial distribution."""
    low, high = proportion_interval(4, 17, method="clopper-pearson")
    assert stats.binom.sf(3, 17, low) == pytest.approx(0.025)
    assert stats.binom.cdf(4, 17, high) == pytest.approx(0.025)


def test_mid_p_limits_have_their_tails() -> None:
    """Half of what was observed counts, by scipy's binomial distribution."""
    low, high = proportion_interval(4, 17, method="mid-p")
    assert stats.binom.sf(4, 17, low) + stats.binom.pmf(4, 17, low) / 2 == pytest.approx(0.025)
    assert stats.binom.cdf(3, 17, high) + stats.binom.pmf(4, 17, high) / 2 == pytest.approx(0.025)


def test_likelihood_limits_have_their_height() -> None:
    """Twice the fall of the log-likelihood is the chi-squared quantile."""
    for p in proportion_interval(4, 17, method="likelihood-ratio"):
        fall = stats.binom.logpmf(4, 17, 4 / 17) - stats.binom.logpmf(4, 17, p)
        assert 2 * fall == pytest.approx(stats.chi2.ppf(0.95, 1))


def test_wilson_keeps_its_coverage() -> None:
    """Summed over all outcomes of n = 50: mean coverage within 0.01 of 0.95, where the textbook interval has 0.90 [BCD01]."""
    rates = np.linspace(0.02, 0.98, 97)
    outcomes = np.arange(51)
    chance = stats.binom.pmf(outcomes[:, None], 50, rates)

    def coverage(method: ProportionMethod) -> float:
        low, high = proportion_interval(outcomes, 50, method=method)
        holds = (low[:, None] <= rates) & (rates <= high[:, None])
        return float(np.mean(np.sum(chance * holds, axis=0)))

    assert coverage("wilson") == pytest.approx(0.95, abs=0.01)
    assert coverage("wald") < 0.93
    assert coverage("clopper-pearson") > 0.95


def test_tiny_rates_keep_their_digits() -> None:
    """1 of 10^12 by the closed form of the Wilson limits, in exact arithmetic: their product is x^2 / (n (n + z^2))."""
    low, high = proportion_interval(1, 1e12)
    z2 = stats.chi2.ppf(0.95, 1)
    assert low * high == pytest.approx(1 / (1e12 * (1e12 + z2)), rel=1e-12)
    assert low == pytest.approx(1.765e-13, rel=1e-3)


# --- two -------------------------------------------------------------------------------------------------------------------


def test_the_example_of_the_lecture() -> None:
    """Error 0.15 on 30 examples against 0.25 on 5,000: 0.100 +- 0.128, which holds 0 (lecture); Newcombe's is not symmetric."""
    rates = independent_proportions(0.15, 30, 0.25, 5000, given="rates", higher_is_better=False)
    low, high = rates.confidence_interval(0.95, method="wald")
    assert f"{rates.difference:.3f} +- {(high - low) / 2:.3f}" == "0.100 +- 0.128"
    assert low < 0 < high
    newcombe = rates.confidence_interval()
    assert (newcombe.low, newcombe.high) != pytest.approx((low, high), abs=0.01)
    assert rates == independent_proportions(4.5, 30, 1250, 5000, higher_is_better=False)
    assert "share no example" in rates.assumption


@pytest.mark.slow
@pytest.mark.parametrize("method", get_args(DifferenceMethod))
@given(one=counts, two=counts)
def test_swapping_mirrors(method: DifferenceMethod, one: tuple[int, int], two: tuple[int, int]) -> None:
    """Positive favours the first; and errors say the same as successes."""
    rates, swapped = independent_proportions(*one, *two), independent_proportions(*two, *one)
    low, high = rates.confidence_interval(0.9, method)
    assert swapped.confidence_interval(0.9, method) == pytest.approx((-high, -low), abs=1e-12)
    for pooled in (True, False):
        assert rates.ztest(pooled=pooled).pvalue == pytest.approx(swapped.ztest(pooled=pooled).pvalue, rel=1e-9, nan_ok=True)
    errors = independent_proportions(one[1] - one[0], one[1], two[1] - two[0], two[1], higher_is_better=False)
    assert errors.difference == pytest.approx(rates.difference, abs=1e-12)
    assert errors.confidence_interval(0.9, method) == pytest.approx((low, high), abs=1e-12)


@given(one=counts, two=counts)
def test_the_pooled_test_is_the_chi_squared_one(one: tuple[int, int], two: tuple[int, int]) -> None:
    """The square of z is Pearson's statistic of the 2 x 2 table, by scipy."""
    table = np.array([[one[0], one[1] - one[0]], [two[0], two[1] - two[0]]])
    test = independent_proportions(*one, *two).ztest()
    if table.sum(axis=0).all():
        theirs = stats.chi2_contingency(table, correction=False)
        assert test.statistic**2 == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
        assert test.pvalue == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    else:
        assert math.isnan(test.statistic)
        assert test.pvalue == 1


def test_nothing_tells_all_right_from_all_right() -> None:
    """30 of 30 against 20 of 20: no z, p = 1, and an interval that still has a width."""
    rates = independent_proportions(30, 30, 20, 20)
    assert math.isnan(rates.ztest().statistic)
    assert rates.ztest().pvalue == 1
    low, high = rates.confidence_interval()
    assert low < 0 < high
    assert rates.confidence_interval(method="wald") == (0, 0)


def test_a_p_value_is_never_zero() -> None:
    """However far apart."""
    assert 0 < independent_proportions(0, 10**6, 10**6, 10**6).ztest().pvalue < 1e-300


# --- bad input -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((7, 5), "there cannot be more successes than examples; got 7 of 5."),
        ((0, 0), "a test set without examples says nothing about a rate: n must be positive; got 0 of 0."),
        ((-1, 5), "a count must not be negative; got -1 of 5."),
        ((math.nan, 5), "counts and n must be finite; got nan of 5."),
        (([1, 2], [3, 4, 5]), "successes and n need shapes that go together; got (2,) and (3,)."),
        (("many", 5), "successes must be numbers in rows of equal length; "),
    ],
)
def test_impossible_counts(arguments: tuple[object, object], message: str) -> None:
    """The error names the first one."""
    with pytest.raises(InvalidScoresError) as caught:
        proportion_interval(*arguments)
    assert str(caught.value).startswith(message)
    with pytest.raises(InvalidScoresError) as caught:
        independent_proportions(1, 2, *arguments)
    assert str(caught.value).startswith(message)


def test_rates_in_per_cent_are_not_guessed() -> None:
    """15 is no rate; the error offers both readings."""
    with pytest.raises(
        InvalidScoresError, match=r"^a rate lies between 0 and 1; got 15\. Pass given='counts' for counts, or 0\.15 "
    ):
        independent_proportions(15, 30, 25, 5000, given="rates")
    with pytest.raises(InvalidScoresError, match=r"^a rate lies between 0 and 1; got nan"):
        independent_proportions(math.nan, 30, 0.25, 5000, given="rates")


def test_unknown_names() -> None:
    """The error lists the known ones."""
    with pytest.raises(InvalidParameterError, match=r"^unknown method 'normal'; choose one of 'wilson', "):
        proportion_interval(1, 2, method="normal")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match=r"^unknown method 'z'; choose one of 'newcombe', 'agresti-caffo', 'wald'"):
        independent_proportions(1, 2, 1, 2).confidence_interval(method="z")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match=r"^given must be 'counts' or 'rates'; got 'percent'"):
        independent_proportions(1, 2, 1, 2, given="percent")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="level must lie between 0 and 1"):
        proportion_interval(1, 2, level=95)


def test_an_unpooled_test_without_a_standard_error_is_undefined() -> None:
    """All of 10 against none of 20: both variances are 0, so z is x / 0; the pooled test has an error, and 5.48 by hand."""
    rates = independent_proportions([10, 0, 3], [10, 10, 10], [0, 0, 4], [20, 20, 20])
    unpooled, pooled = rates.ztest(pooled=False), rates.ztest()
    assert np.isnan(unpooled.statistic).tolist() == [True, True, False]
    assert np.isnan(unpooled.pvalue).tolist() == [True, False, False]
    assert unpooled.pvalue[1] == 1.0
    assert pooled.statistic[0] == pytest.approx(1 / math.sqrt(1 / 3 * 2 / 3 * (1 / 10 + 1 / 20)))


@pytest.mark.parametrize("method", sorted(INSIDE - {"jeffreys-modified"}))
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
