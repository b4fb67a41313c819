"""Differences of two rates on the same examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import paired_counts, paired_proportions

METHODS = ("tango", "newcombe", "agresti-min", "bonett-price", "wald")
counts = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda each: sum(each) > 0)


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
    got = paired_proportions(n - b - c, b, c, 0).score_statistic(at)
    assert got == pytest.approx(expected, rel=1e-4)


def test_airway_hyper_responsiveness() -> None:
    """Printed intervals of both methods for 1, 1, 7 and 12 children (Fagerland, Lydersen and Laake 2014, data of Bentur 2009)."""
    pair = paired_proportions(1, 1, 7, 12)
    assert pair.confidence_interval(method="tango") == pytest.approx((-0.517, -0.026), abs=5e-4)
    assert pair.confidence_interval(method="newcombe") == pytest.approx((-0.507, -0.026), abs=5e-4)


def test_complete_response() -> None:
    """Newcombe's square-and-add of R's contingencytables 3.0 for 59, 6, 16 and 80 patients (Cavo 2012)."""
    assert paired_proportions(59, 6, 16, 80).confidence_interval(method="newcombe") == pytest.approx((-0.1186, -0.0046), abs=5e-5)


@given(counts)
@pytest.mark.slow
def test_limits_are_where_the_statistic_is_z(table: tuple[int, int, int, int]) -> None:
    """Each limit to 1e-12 of what a root finder of scipy gives."""
    pair, z = paired_proportions(*table), 1.959963984540054
    low, high = pair.confidence_interval()
    d = pair.difference
    if d < 1:
        root = optimize.brentq(lambda at: pair.score_statistic(at) + z, d, 1, xtol=1e-15, rtol=1e-14)
        assert high == pytest.approx(root, abs=1e-12)
    if d > -1:
        root = optimize.brentq(lambda at: pair.score_statistic(at) - z, -1, d, xtol=1e-15, rtol=1e-14)
        assert low == pytest.approx(root, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(table=counts)
@pytest.mark.slow
def test_swapped_models_mirror_the_interval(method: str, table: tuple[int, int, int, int]) -> None:
    """Which model is called the first changes signs only."""
    both, b, c, neither = table
    low, high = paired_proportions(both, b, c, neither).confidence_interval(method=method)
    assert paired_proportions(both, c, b, neither).confidence_interval(method=method) == pytest.approx((-high, -low), abs=1e-13)


@given(counts, st.floats(-0.99, 0.99), st.floats(-0.99, 0.99))
def test_score_statistic_falls(table: tuple[int, int, int, int], one: float, other: float) -> None:
    """Larger differences are further above the observed one, so that tails and limits agree."""
    pair = paired_proportions(*table)
    low, high = sorted((one, other))
    assert pair.score_statistic(low) >= pair.score_statistic(high) - 1e-9


def test_models_that_agree_everywhere_have_an_interval() -> None:
    """Without a discordant example the limits are z^2 / (n + z^2), by hand; the textbook's has no width."""
    pair = paired_proportions(20, 0, 0, 10)
    limit = 1.959963984540054**2 / (30 + 1.959963984540054**2)
    assert pair.confidence_interval() == pytest.approx((-limit, limit), abs=1e-13)
    assert pair.confidence_interval(method="wald") == (0.0, 0.0)
    assert pair.standard_error == 0.0


def test_many_pairs_at_once_are_each_by_itself() -> None:
    """Arrays of counts, one level for each pair."""
    table = np.array([[12, 43, 0], [14, 0, 30], [2, 1, 0], [0, 0, 0]])
    together = paired_proportions(*table).confidence_interval([0.9, 0.95, 0.99])
    for k, level in enumerate((0.9, 0.95, 0.99)):
        assert paired_proportions(*table[:, k]).confidence_interval(level) == pytest.approx((together.low[k], together.high[k]))


def test_counts_of_a_table_are_those_of_a_loop() -> None:
    """Three models on six examples, counted by hand; missing answers are left out for each pair."""
    nan = float("nan")
    table = [[1, 1, 0, 0, 1, nan], [1, 0, 1, 0, 1, 1], [0, 0, 0, 1, nan, 1]]
    first, second = [0, 0, 1], [1, 2, 2]
    found = paired_counts(table, first, second, omit_missing=True)
    np.testing.assert_array_equal(np.transpose(found), [[2, 1, 1, 1], [0, 2, 1, 1], [1, 2, 1, 1]])


def test_missing_and_foreign_values_are_named() -> None:
    """With the place of the first one, and the way on."""
    with pytest.raises(
        InvalidScoresError, match=r"1 of the values are nan, the first in row 1, example 2. Pass omit_missing=True"
    ):
        paired_counts([[1, 0, 1], [1, 0, np.nan]])
    with pytest.raises(
        InvalidScoresError, match=r"0 and 1 only, or nan; got 0.5 in row 0, example 1. For scores on another scale"
    ):
        paired_counts([[1, 0.5], [1, 0]])
    with pytest.raises(InvalidScoresError, match="only_first must be numbers of examples, finite and not negative; got -1"):
        paired_proportions(1, -1, 0, 0)
    with pytest.raises(InvalidScoresError, match="without a single example"):
        paired_proportions(0, 0, 0, 0)
    with pytest.raises(InvalidParameterError, match="unknown method 'exact'; choose one of 'tango'"):
        paired_proportions(1, 1, 1, 1).confidence_interval(method="exact")
