"""The verdict rule of design section 3: one interval, and where it lies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.comparison.tables import compared, pair_with
from tiebreak.comparison.family import MIRRORED
from tiebreak.numerics import Interval
from tiebreak.numerics.law import VERDICTS, verdict_codes

SE = np.sqrt(1 / 10 + 1 / 9)
"""Standard error for ten folds and a standard deviation of 1."""


def by_hand(difference: float, sd: float, level: float = 0.05) -> tuple[float, float]:
    """The corrected t interval with 9 degrees of freedom, by scipy."""
    half = stats.t.isf(level / 2, 9) * SE * sd
    return difference - half, difference + half


@pytest.mark.parametrize(
    ("difference", "sd", "verdict"),
    [
        (0.05, 0.02, "better"),
        (0.02, 0.015, "ahead"),
        (0.002, 0.006, "equivalent"),
        (0.005, 0.002, "equivalent"),
        (0.005, 0.05, "undecided"),
        (-0.02, 0.015, "behind"),
        (-0.05, 0.02, "worse"),
    ],
)
def test_the_verdict_is_where_the_interval_lies(difference: float, sd: float, verdict: str) -> None:
    """Rope 0.01; the interval is scipy's, and its place says the word; exchanged models mirror it."""
    answer = compared(pair_with(difference, sd), rope=0.01)
    pair, mirrored = answer.pair("a", "b"), answer.pair("b", "a")
    low, high = by_hand(difference, sd)
    assert_allclose([pair.interval_low, pair.interval_high], [low, high], rtol=1e-10)
    place = {
        "better": low > 0.01,
        "ahead": 0 < low <= 0.01 < high,
        "equivalent": -0.01 <= low <= high <= 0.01,
        "undecided": low < 0 < high,
        "behind": low < -0.01 <= high < 0,
        "worse": high < -0.01,
    }
    assert place[verdict]
    assert (pair.verdict, mirrored.verdict) == (verdict, VERDICTS[MIRRORED[VERDICTS.index(verdict)]])
    assert (mirrored.interval_low, mirrored.interval_high) == (-pair.interval_high, -pair.interval_low)
    assert (pair.reason == "unsettled") == (verdict == "undecided")


@pytest.mark.parametrize(
    ("low", "high", "rope", "verdict"),
    [
        (0.011, 0.2, 0.01, "better"),
        (0.01, 0.2, 0.01, "ahead"),
        (0.01 + 1e-15, 0.2, 0.01, "ahead"),
        (0.0, 0.01, 0.01, "equivalent"),
        (0.0, 0.01 + 1e-15, 0.01, "equivalent"),
        (-0.01, 0.01, 0.01, "equivalent"),
        (0.001, 0.02, 0.01, "ahead"),
        (0.0, 0.02, 0.01, "undecided"),
        (1e-15, 0.02, 0.01, "undecided"),
        (-0.02, -0.001, 0.01, "behind"),
        (-0.2, -0.01, 0.01, "behind"),
        (-0.2, -0.011, 0.01, "worse"),
        (0.001, 0.02, 0.0, "better"),
        (0.0, 0.0, 0.0, "undecided"),
        (-0.1, 0.2, 0.0, "undecided"),
        (-0.2, -0.1, 0.0, "worse"),
        (np.nan, np.nan, 0.01, "undecided"),
        (-np.inf, np.inf, 0.01, "undecided"),
        (0.02, np.inf, 0.01, "better"),
    ],
)
def test_ends_on_a_limit(low: float, high: float, rope: float, verdict: str) -> None:
    """Ends within 1e-12 of the largest score count as on the limit, which is inside; without a rope nothing is equivalent."""
    interval = Interval(np.array([low]), np.array([high]))
    assert VERDICTS[verdict_codes(interval, rope, 1e-12)[0]] == verdict


@pytest.mark.parametrize(("rope", "regions"), [(0.0, (1, 0, 0)), (0.005, (1, 0, 0)), (0.01, (0, 1, 0)), (0.05, (0, 1, 0))])
def test_constant_difference(rope: float, regions: tuple[int, int, int]) -> None:
    """0.91 - 0.90 on every split: infinite statistic, no p-value, on the limit of a rope of 0.01 inside it; undecided."""
    answer = compared([[0.91] * 5, [0.90] * 5], rope=rope)
    pair, mirrored = answer.pair("a", "b"), answer.pair("b", "a")
    assert (pair.difference, pair.standard_error, pair.statistic, mirrored.statistic) == (pytest.approx(0.01), 0, np.inf, -np.inf)
    assert np.all(np.isnan([pair.pvalue, pair.adjusted_pvalue, pair.interval_low]))
    assert (pair.p_better, pair.p_equivalent, pair.p_worse) == regions
    assert (mirrored.p_worse, mirrored.p_equivalent, mirrored.p_better) == regions
    assert (pair.verdict, pair.reason) == ("undecided", "no-spread")


def test_rounded_decimals_are_constant_too() -> None:
    """0.93 - 0.91, 0.57 - 0.55 and 0.13 - 0.11 differ in the 17th digit only."""
    pair = compared([[0.93, 0.57, 0.13], [0.91, 0.55, 0.11]]).pair("a", "b")
    assert len(set(pair.differences)) > 1
    assert (pair.reason, pair.difference) == ("no-spread", pytest.approx(0.02))
