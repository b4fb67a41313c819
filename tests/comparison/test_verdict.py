"""The verdict rule of design section 4: three claims, the strongest one, and when it stands."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tests.comparison.tables import compared, noisy, pair_with
from tiebreak.bayesian import RopeProbabilities
from tiebreak.comparison.verdict import (
    BETTER,
    EQUIVALENT,
    NONE,
    WORSE,
    bayesian_verdict_codes,
    strongest_claim,
    verdict_codes,
)
from tiebreak.frequentist.equivalence import ClaimPvalues
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED

SE = np.sqrt(1 / 10 + 1 / 9)
"""Standard error for ten folds and a standard deviation of 1."""


def sf(x: float) -> float:
    """Upper tail with 9 degrees of freedom."""
    return float(stats.t.sf(x, 9))


def test_better_is_shown_by_twice_the_one_sided_test_beyond_the_rope() -> None:
    """Difference 0.05, sd 0.02, rope 0.01."""
    pair = compared(pair_with(0.05, 0.02), rope=0.01).pair("a", "b")
    assert (pair.claim, pair.verdict) == ("better", "better")
    assert_allclose(pair.claim_pvalue, 2 * sf((0.05 - 0.01) / (SE * 0.02)), rtol=1e-10)
    mirrored = compared(pair_with(0.05, 0.02), rope=0.01).pair("b", "a")
    assert (mirrored.claim, mirrored.verdict, mirrored.claim_pvalue) == ("worse", "worse", pair.claim_pvalue)


def test_equivalence_is_shown_by_the_larger_of_two_one_sided_tests() -> None:
    """Difference 0.002, sd 0.006, rope 0.01: the nearer limit decides, and nothing is doubled."""
    pair = compared(pair_with(0.002, 0.006), rope=0.01).pair("a", "b")
    assert (pair.claim, pair.verdict) == ("equivalent", "equivalent")
    assert_allclose(pair.claim_pvalue, sf((0.01 - 0.002) / (SE * 0.006)), rtol=1e-10)


def test_different_but_too_small_to_matter() -> None:
    """d = 0 is rejected and |d| <= rope is shown: the verdict is "equivalent", whatever the p-value of the difference."""
    pair = compared(pair_with(0.005, 0.002), rope=0.02).pair("a", "b")
    assert pair.pvalue < 0.001
    assert pair.verdict == "equivalent"


def test_neither_shown() -> None:
    """A wide interval: the strongest claim is named, and does not stand."""
    pair = compared(pair_with(0.005, 0.05), rope=0.01).pair("a", "b")
    assert pair.verdict == "undecided"
    assert pair.claim == "equivalent"
    assert pair.claim_pvalue > 0.05


def test_at_rope_zero_it_is_the_two_sided_test() -> None:
    """Claim p-values are the p-values of d = 0, raw and adjusted, so the verdict is the sign where that test rejects."""
    pairs = compared(noisy(0.80, 0.78, 0.75, 0.79)).pairs
    assert_allclose(pairs["claim_pvalue"], pairs["pvalue"], rtol=1e-12)
    assert_allclose(pairs["adjusted_claim_pvalue"], pairs["adjusted_pvalue"], rtol=1e-12)
    assert set(pairs["claim"]) == {"better"}
    assert_array_equal(pairs["verdict"] == "better", pairs["adjusted_pvalue"] <= 0.05)


def test_without_a_rope_a_zero_difference_is_an_undecided_tie() -> None:
    """Means equal, spread positive: all three claims have p = 1, and equivalence cannot be concluded at rope 0."""
    pair = compared([[0.5, 0.75, 1.0], [0.75, 0.75, 0.75]]).pair("a", "b")
    assert (pair.difference, pair.statistic, pair.pvalue) == (0.0, 0.0, 1.0)
    assert (pair.claim, pair.claim_pvalue, pair.verdict) == ("equivalent", 1.0, "undecided")


@pytest.mark.parametrize(
    ("better", "equivalent", "worse", "difference", "expected"),
    [
        (0.4, 0.4, 1.0, 0.1, BETTER),
        (1.0, 0.4, 0.4, -0.1, WORSE),
        (0.4, 0.4, 0.4, 0.0, EQUIVALENT),
        (0.4, 0.4 * (1 + 1e-14), 1.0, 0.1, BETTER),
        (0.4 * (1 + 1e-14), 0.4, 1.0, 0.1, BETTER),
        (1.0, 1.0 - 1e-14, 1.0, -0.1, WORSE),
        (1.0, 1.0, 1.0, 1e-18, EQUIVALENT),
        (1.0, 0.3, 1.0, 0.1, EQUIVALENT),
        (0.3, 0.4, 1.0, 0.1, BETTER),
        (1e-300, 0.4, 1.0, 0.1, BETTER),
        (0.0, 1.0, 1.0, 0.1, BETTER),
    ],
)
def test_ties_between_claims(better: float, equivalent: float, worse: float, difference: float, expected: int) -> None:
    """The sign of the difference first, then equivalent; the last digits of a p-value do not decide."""
    pvalues = ClaimPvalues(*(np.array([p]) for p in (better, equivalent, worse)))
    code, p = strongest_claim(pvalues, np.array([difference]), np.array([1e-15]), np.array([SPREAD]))
    assert code == expected
    assert p == min(better, equivalent, worse)


def test_rows_without_spread_make_no_claim() -> None:
    """Whatever their p-values."""
    p = np.array([np.nan, np.nan, np.nan, 0.01])
    kind = np.array([IDENTICAL, CONSTANT, UNDEFINED, SPREAD])
    code, smallest = strongest_claim(ClaimPvalues(p, p, p), np.full(4, 0.1), np.zeros(4), kind)
    assert_array_equal(code, [NONE, NONE, NONE, BETTER])
    assert_array_equal(smallest, [np.nan, np.nan, np.nan, 0.01])


def test_claim_stands_at_alpha_itself() -> None:
    """At most alpha, so equality counts; an undefined p-value never does."""
    claims = np.array([BETTER, BETTER, WORSE, EQUIVALENT], dtype=np.int8)
    assert_array_equal(verdict_codes(claims, np.array([0.05, 0.0500001, np.nan, 0.0]), 0.05), [BETTER, NONE, NONE, EQUIVALENT])


def test_bayesian_verdict_needs_the_probability_and_a_spread() -> None:
    """At least 0.95 in one region; a point mass holds all of it and says nothing (design promise 5)."""
    rows = [(0.95, 0.05, 0.0), (0.9499, 0.05, 0.0001), (0.0, 0.04, 0.96), (1.0, 0.0, 0.0)]
    regions = RopeProbabilities(*np.array(rows).T)
    kind = np.array([SPREAD, SPREAD, SPREAD, CONSTANT])
    assert_array_equal(bayesian_verdict_codes(regions, kind, 0.95), [BETTER, NONE, WORSE, NONE])


def test_bayesian_verdict_is_not_adjusted() -> None:
    """Forty models: the posterior of one pair is what it would be alone; the verdict is not."""
    table = noisy(*np.linspace(0.80, 0.84, 40))
    many, alone = compared(table, [f"m{i}" for i in range(40)], rope=0.005), compared(table[[39, 0]], ["m39", "m0"], rope=0.005)
    one, other = many.pair("m39", "m0"), alone.pair("m39", "m0")
    assert one.bayesian_verdict == other.bayesian_verdict == "better"
    assert_allclose(one.p_better, other.p_better, rtol=1e-9)
    assert (one.verdict, other.verdict) == ("undecided", "better")


@pytest.mark.parametrize("rope", [0.0, 0.05])
def test_identical_scores(rope: float) -> None:
    """Design promise 5 to the letter: p 1, statistic nan, no interval, no claim, undecided, and the reason."""
    pair = compared([[0.8, 0.9, 0.7], [0.8, 0.9, 0.7]], rope=rope).pair("a", "b")
    assert (pair.difference, pair.standard_error, pair.pvalue, pair.adjusted_pvalue) == (0, 0, 1, 1)
    nothing = (
        pair.statistic,
        pair.interval_low,
        pair.interval_high,
        pair.simultaneous_low,
        pair.simultaneous_high,
        pair.claim_pvalue,
        pair.adjusted_claim_pvalue,
    )
    assert np.all(np.isnan(nothing))
    assert (pair.p_better, pair.p_equivalent, pair.p_worse) == (0, 1, 0)
    assert (pair.claim, pair.verdict, pair.bayesian_verdict, pair.reason) == ("", "undecided", "undecided", "identical-scores")


@pytest.mark.parametrize(("rope", "regions"), [(0.0, (1, 0, 0)), (0.005, (1, 0, 0)), (0.01, (0, 1, 0)), (0.05, (0, 1, 0))])
def test_constant_difference(rope: float, regions: tuple[int, int, int]) -> None:
    """0.91 - 0.90 on every split: infinite statistic, no p-value, on the limit of a rope of 0.01 inside it; undecided."""
    answer = compared([[0.91] * 5, [0.90] * 5], rope=rope)
    pair, mirrored = answer.pair("a", "b"), answer.pair("b", "a")
    assert pair.difference == pytest.approx(0.01)
    assert (pair.standard_error, pair.statistic, mirrored.statistic) == (0, np.inf, -np.inf)
    assert np.all(np.isnan([pair.pvalue, pair.adjusted_pvalue, pair.interval_low, pair.claim_pvalue, pair.adjusted_claim_pvalue]))
    assert (pair.p_better, pair.p_equivalent, pair.p_worse) == regions
    assert (mirrored.p_worse, mirrored.p_equivalent, mirrored.p_better) == regions
    assert (pair.claim, pair.verdict, pair.bayesian_verdict, pair.reason) == ("", "undecided", "undecided", "no-spread")


def test_rounded_decimals_are_constant_too() -> None:
    """0.93 - 0.91, 0.57 - 0.55 and 0.13 - 0.11 differ in the 17th digit only."""
    pair = compared([[0.93, 0.57, 0.13], [0.91, 0.55, 0.11]]).pair("a", "b")
    assert len(set(pair.differences)) > 1
    assert pair.reason == "no-spread"
    assert pair.difference == pytest.approx(0.02)
