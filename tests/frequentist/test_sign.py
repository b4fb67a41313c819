"""The sign test against scipy's binomial test and its own interval; published figures are in tests/reference."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import sign_test, sign_test_critical_value

rows = st.lists(st.integers(-5, 5), min_size=1, max_size=80).map(lambda values: np.array(values) / 10)


@given(d=rows, alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_scipy_agrees(d: np.ndarray, alternative: Any) -> None:
    """Wins among the differences that are no ties, by scipy's exact binomial test."""
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ours = sign_test(d, alternative=alternative)
    expected = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    assert ours.pvalue == pytest.approx(expected, rel=1e-10)
    assert (ours.wins, ours.losses, ours.ties) == (wins, losses, d.size - wins - losses)


@given(d=rows, factor=st.sampled_from([1e-3, 8.0]))
def test_order_sign_and_unit(d: np.ndarray, factor: float) -> None:
    """Exchanged models mirror the answer; order and unit change nothing."""
    one, other, same = sign_test(d), sign_test(-d), sign_test(factor * d[::-1])
    assert (other.wins, other.losses, other.pvalue, other.estimate) == (one.losses, one.wins, one.pvalue, -one.estimate)
    assert (same.wins, same.pvalue) == (one.wins, one.pvalue)
    low, high = one.confidence_interval(0.9)
    assert other.confidence_interval(0.9) == (-high, -low)
    assert low <= one.estimate <= high


@settings(max_examples=50)
@given(n=st.integers(1, 200), seed=st.integers(0, 100), alpha=st.sampled_from([0.5, 0.05, 0.001]))
def test_ends_are_where_the_tails_cross(n: int, seed: int, alpha: float) -> None:
    """The interval holds exactly the shifts that the shifted test does not reject; gaps and ties as well."""
    rng = np.random.default_rng(seed)
    d = np.round(rng.normal(0.3, 1, (4, n)), 2)
    d[0, 0] = np.nan
    test = sign_test(d)
    low, high = test.interval_at(alpha)
    inside = np.isfinite(low)
    for end, tail, step in ((low, test.tail_below, -1e-9), (high, test.tail_above, 1e-9)):
        assert np.all(tail(np.where(inside, end, 0))[inside] > alpha / 2)
        assert np.all(tail(np.where(inside, end + step, 0))[inside] <= alpha / 2)
    usable = ~inside & (test.n_units > 0)
    assert np.all(test.tail_below(-100.0)[usable] > alpha / 2)


def test_interval_by_hand() -> None:
    """Ten differences: P(X <= 1) = 11/1024 is at most 0.025, P(X <= 2) = 56/1024 is not; so the second from either end."""
    test = sign_test(np.arange(10.0))
    assert test.confidence_interval(0.95) == (1.0, 8.0)
    assert test.estimate == 4.5


def test_ties_are_dropped_or_split() -> None:
    """Demsar (2006): half of the ties count as wins, one is left out where their number is odd."""
    d = [1, 1, 1, -1, 0, 0, 0]
    dropped, split = sign_test(d), sign_test(d, ties="split")
    assert (dropped.wins_counted, dropped.n_counted, dropped.pvalue) == (3, 4, 0.625)
    assert (split.wins_counted, split.n_counted) == (4, 6)
    assert split.pvalue == pytest.approx(stats.binomtest(4, 6).pvalue)
    assert sign_test([0.3 - 0.2, 0.8 - 0.7 - 0.1], scale=1).ties == 1


def test_gaps_and_bad_rows() -> None:
    """What is missing is left out; an infinite value or no value at all is undefined, and spoils no other row."""
    d = np.array([[0.1, np.nan, 0.2], [np.nan] * 3, [0.1, np.inf, 0.1], [0.1, 0.1, 0.1]])
    test = sign_test(d)
    assert test.n_units.tolist() == [2, 0, 3, 3]
    assert test.pvalue[[0, 3]].tolist() == [0.5, 0.25]
    for values in (test.pvalue, test.estimate, *test.confidence_interval(0.5), test.tail_above(0.0)):
        assert np.isnan(values)[1:3].all()


def test_critical_values_have_their_tails() -> None:
    """15 of 20 at 0.05 as Demsar (2006), table 3, has it; and by scipy's binomial distribution."""
    assert sign_test_critical_value(20).wins == 15
    assert sign_test_critical_value(5) == (None, None, pytest.approx(2.5 + 1.959963984540054 * 5**0.5 / 2))
    for n in range(6, 300, 11):
        wins = sign_test_critical_value(n, 0.01, alternative="one-sided").wins
        if wins is not None:
            assert stats.binom.sf(wins - 1, n, 0.5) <= 0.01 < stats.binom.sf(wins - 2, n, 0.5)


def test_wrong_use_is_refused() -> None:
    """Each text says what is wrong."""
    for call, text in (
        (lambda: sign_test([0.1], ties="half"), "ties must be 'drop' or 'split'; got 'half'."),  # type: ignore[arg-type]
        (lambda: sign_test([0.1], alternative="up"), "alternative must be"),  # type: ignore[arg-type]
        (lambda: sign_test_critical_value(0), "n must be a whole number of at least 1; got 0."),
        (lambda: sign_test_critical_value(9, 5), "alpha must lie between 0 and 1"),
    ):
        with pytest.raises(InvalidParameterError, match=re.escape(text)):
            call()
