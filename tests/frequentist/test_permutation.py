"""Permutation tests; published cases are in tests/reference."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import permutation_test_paired, permutation_test_unpaired
from tiebreak.statistics import mcnemar


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_signs_are_counted_one_by_one(differences: list[int]) -> None:
    """All 2^n sums in whole numbers, zeros and ties among them."""
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=len(differences))]
    observed = sum(differences)
    result = permutation_test_paired(np.array(differences) / 10)
    assert result.n_permutations == len(sums)
    assert result.count_greater == sum(each >= observed for each in sums)
    assert result.count_less == sum(each <= observed for each in sums)
    assert result.count_extreme == sum(abs(each) >= abs(observed) for each in sums)


def test_few_discordant_answers_give_mcnemars_exact_test() -> None:
    """Flipping signs of +1 and -1 is the coin of the binomial test; ties change nothing."""
    d = np.repeat([1.0, -1.0, 0.0], [12, 5, 885])
    assert permutation_test_paired(d).pvalue() == pytest.approx(mcnemar(12, 5).pvalue, rel=1e-12)


def test_random_signs_are_near_the_exact_answer() -> None:
    """40,000 draws, standard error 0.002; and near the t-test for many examples."""
    d = np.random.default_rng(1).normal(0.1, 1, size=300)
    result = permutation_test_paired(d, n_permutations=40_000)
    assert not result.is_exact
    assert result.pvalue() == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.01)
    exact, drawn = (permutation_test_paired(d[:12], method=method, n_permutations=40_000) for method in ("exact", "random"))
    assert drawn.pvalue() == pytest.approx(exact.pvalue(), abs=0.01)
    assert drawn.pvalue("less") == pytest.approx(exact.pvalue("less"), abs=0.01)


def test_a_random_p_is_never_0() -> None:
    """The observed order is one of those that count."""
    assert permutation_test_paired(np.full(50, 1.1) + np.arange(50) / 1e3, method="random", n_permutations=99).pvalue() == 0.01


def test_swapped_models_mirror_the_answer() -> None:
    """Greater and less change places."""
    d = np.random.default_rng(2).normal(size=11)
    one, other = permutation_test_paired(d), permutation_test_paired(-d)
    assert one.pvalue("greater") == other.pvalue("less")
    assert one.pvalue() == other.pvalue()
    x, y = np.random.default_rng(3).normal(size=6), np.random.default_rng(4).normal(size=4)
    one, other = permutation_test_unpaired(x, y), permutation_test_unpaired(y, x)
    assert one.pvalue("greater") == other.pvalue("less")
    assert one.observed == pytest.approx(-other.observed)


def test_identical_models_have_p_1() -> None:
    """Nothing to flip."""
    assert permutation_test_paired(np.zeros(5)).pvalue() == 1.0
    assert permutation_test_paired(np.zeros(2000)).pvalue() == 1.0
    assert permutation_test_unpaired([1, 1, 1], [1, 1]).pvalue() == 1.0


def test_all_ways_to_deal_out() -> None:
    """Counted by a loop over all choices of the first sample."""
    x, y = [5, 9, 7], [4, 6, 1, 3]
    pooled = np.array(x + y)
    ways = [pooled[list(way)].mean() - np.delete(pooled, list(way)).mean() for way in combinations(range(7), 3)]
    observed = np.mean(x) - np.mean(y)
    result = permutation_test_unpaired(x, y)
    assert result.n_permutations == 35
    assert result.count_greater == sum(each >= observed - 1e-12 for each in ways)
    assert result.count_extreme == sum(abs(each) >= abs(observed) - 1e-12 for each in ways)
    drawn = permutation_test_unpaired(x, y, method="random", n_permutations=20_000)
    assert drawn.pvalue() == pytest.approx(result.pvalue(), abs=0.02)


def test_wrong_input_is_refused() -> None:
    """nan with its number, and enumerations without end."""
    with pytest.raises(InvalidScoresError, match=r"differences must be one row of finite numbers.*with 1 nan. Leave out"):
        permutation_test_paired([1, np.nan])
    with pytest.raises(InvalidParameterError, match="40 differences other than 0 have too many signs to try them all"):
        permutation_test_paired(np.random.default_rng(0).normal(size=40), method="exact")
    with pytest.raises(InvalidParameterError, match="more than 5,000,000 ways to deal out 40 scores, 20 to the smaller"):
        permutation_test_unpaired(np.arange(20), np.arange(20), method="exact")
    with pytest.raises(InvalidParameterError, match="ways to deal out 4000 scores"):  # about 1e1202, more than a float holds
        permutation_test_unpaired(np.arange(2000), np.arange(2000), method="exact")
    with pytest.raises(InvalidParameterError, match="n_permutations must be a whole number of at least 1; got 0"):
        permutation_test_paired([1, 2], n_permutations=0)
