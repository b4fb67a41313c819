"""The scikit-learn gallery's grid-search comparison, to every digit that it prints."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tiebreak as tb
from tests.comparison.tables import moons_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.statistics import adjust_pvalues

ORDER = ["rbf", "linear", "poly, degree=3", "poly, degree=2"]


@pytest.fixture(scope="module")
def moons() -> Comparison:
    return tb.compare(moons_scores(), rope=0.01)


def test_uncorrected_test_and_credible_intervals_of_the_first_pair(moons: Comparison) -> None:
    """Uncorrected t 2.611 and p 0.005; at 50, 75 and 95 % six digits each."""
    pair = moons.pair("rbf", "linear")
    assert (round(pair.uncorrected.statistic, 3), round(pair.uncorrected.pvalue("greater"), 3)) == (2.611, 0.005)
    ends = [pair.law.interval(level) for level in (0.5, 0.75, 0.95)]
    assert_array_equal(np.round(ends, 6), [[0.000977, 0.019023], [-0.005422, 0.025422], [-0.016445, 0.036445]])


def test_pairs_table(moons: Comparison) -> None:
    """t, Bonferroni-adjusted p and the three probabilities of all six pairs, in the example's order."""
    pairs = moons.pairs
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == list(itertools.combinations(ORDER, 2))
    assert_array_equal(pairs["statistic"].round(3), [0.750, 1.657, 4.565, 1.111, 4.276, 3.851])
    right = [float(moons.pair(*names).law.pvalue("greater")) for names in zip(pairs["first"], pairs["second"], strict=True)]
    assert_array_equal(adjust_pvalues(right, "bonferroni").round(3), [1.000, 0.302, 0.000, 0.807, 0.000, 0.001])
    worse, better = [0.068, 0.018, 0.000, 0.063, 0.000, 0.000], [0.500, 0.882, 1.000, 0.750, 1.000, 1.000]
    assert_array_equal(pairs[["p_worse", "p_better", "p_equivalent"]].round(3).T, [worse, better, [0.432, 0.100, 0, 0.187, 0, 0]])


def test_ranking(moons: Comparison) -> None:
    """Means as printed; p_best of the design, from 10 million draws of its own."""
    ranking = moons.ranking
    assert list(ranking["model"]) == ORDER
    assert_array_equal(ranking["mean"].round(4), [0.94, 0.93, 0.9044, 0.6852])
    assert_allclose(list(moons.p_best().values()), [0.7408, 0.2178, 0.0413, 0.0], atol=0.005)


def test_verdicts(moons: Comparison) -> None:
    """rbf and degree 2 by hand: 0.2548 -+ 2.6924 * 0.05581, 2.6924 being the upper 0.05 / 12 of Student's t with 99 df."""
    pair = moons.pair("rbf", "poly, degree=2")
    assert (pair.verdict, pair.interval_alpha) == ("better", 0.05 / 6)
    assert (pair.interval_low, pair.interval_high) == pytest.approx((0.1045, 0.4050), abs=1e-3)
    assert moons.pair("rbf", "linear").verdict == "undecided"
    assert moons.shortlist() == tuple(ORDER[:3])
