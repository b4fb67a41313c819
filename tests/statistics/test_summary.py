"""Differences of models of which a table of means is all that is left."""

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.numerics.law import CONSTANT, UNDEFINED
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates


def all_tables(first: int, second: int, n: int) -> tuple[np.ndarray, ...]:
    """Every 2 x 2 table of n examples of which so many are right by each model: both, only first, only second, neither."""
    only_first = np.arange(max(0, first - second), min(first, n - second) + 1)
    only_second = only_first - first + second
    return first - only_first, only_first, only_second, n - second - only_first


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_interval_of_two_rates_is_the_widest_of_all_tables_with_these_margins(seed):
    """By brute force over every table, ten for each seed: no overlap of the mistakes gives a wider interval of Tango."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(1, 61))
        first, second, level = int(rng.integers(0, n + 1)), int(rng.integers(0, n + 1)), float(rng.choice([0.5, 0.95, 0.999]))
        every = tb.statistics.tango(*all_tables(first, second, n)).interval(level)
        found = summary_rates(first / n, second / n, n).interval(level)
        assert found == pytest.approx((every.low.min(), every.high.max()), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_all_counts_that_round_to_what_is_printed_are_within_the_interval(seed):
    """By brute force over all pairs of counts that print the same two decimals."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        n = int(rng.integers(100, 600))
        first, second = (np.round(rng.integers(0, n + 1) / n, 2) for _ in range(2))
        counts = [[k for k in range(n + 1) if abs(k / n - rate) <= 0.005 + 1e-12] for rate in (first, second)]
        ends = [summary_rates(a / n, b / n, n).interval(0.95) for a in counts[0] for b in counts[1]]
        found = summary_rates(first, second, n, rounding=0.005).interval(0.95)
        assert found == pytest.approx((min(each.low for each in ends), max(each.high for each in ends)), abs=1e-12)


def test_shared_mistakes_narrow_the_interval_down_to_that_of_models_that_differ_one_way_only():
    """Of 950 and 900 of 1,000: 50 discordant at least, the table (900, 50, 0, 50); 150 at most."""
    widths = [np.ptp(summary_rates(0.95, 0.90, 1000, shared=share).interval()) for share in (0.0, 0.3, 0.6, 1.0)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(np.ptp(tb.statistics.tango(900, 50, 0, 50).interval()), abs=1e-12)
    assert widths[0] == pytest.approx(np.ptp(tb.statistics.tango(850, 100, 50, 0).interval()), abs=1e-12)


def test_p_value_interval_and_verdict_of_rounded_numbers_are_read_off_the_same_tails():
    """At the level of the p-value the end of the interval is 0; swapped models mirror the answer."""
    for law in (summary_rates(0.93, 0.9, 1000, rounding=0.005), summary_means(0.93, 0.9, 0.005, 0.006, 9, rounding=0.002)):
        assert law.interval(1 - law.pvalue()).low == pytest.approx(0, abs=1e-9)
    law, other = (summary_rates(*rates, 1000, rounding=0.005) for rates in ((0.93, 0.9), (0.9, 0.93)))
    assert law.interval().low == pytest.approx(-other.interval().high, abs=1e-12)
    assert law.pvalue() == pytest.approx(other.pvalue())


def test_no_link_of_two_models_makes_the_error_of_a_difference_larger_than_the_sum_of_both():
    """The variance of a difference is s^2 + t^2 - 2 r s t, largest at r = -1; at 0 it is that of Welch."""
    for correlation, error in ((-1.0, 0.7), (0.0, 0.5), (1.0, 0.1)):
        assert summary_means(1.0, 0.0, 0.3, 0.4, correlation=correlation).se == pytest.approx(error)


def test_means_that_cannot_differ_by_chance_are_constant_and_no_examples_say_nothing():
    """Equal errors that are tied fully cancel; a test set of 0 examples is no sample."""
    assert summary_means(0.9, 0.8, 0.01, 0.01, 4, correlation=1.0).kind == CONSTANT
    law = summary_rates(0.0, 0.0, 0)
    assert law.kind == UNDEFINED
    assert np.isnan(law.pvalue())


def test_errors_of_an_area_are_those_of_its_paper():
    """Hanley and McNeil, 1982: an area of .893 of 51 abnormal and 58 normal images has a standard error of .032."""
    assert hanley_mcneil(0.893, 51, 58) == pytest.approx(0.032, abs=6e-4)
    assert hanley_mcneil(1.0, 50, 50) > 0
