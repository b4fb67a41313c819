"""McNemar's test in its variants, and Cochran's Q."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.frequentist import cochran_q_test, mcnemar_test

few = st.integers(0, 200)


@given(few, few)
def test_exact_is_the_binomial_test(b: int, c: int) -> None:
    """Of the discordant examples; scipy's binomtest is the oracle."""
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar_test(b, c).pvalue == pytest.approx(expected, rel=1e-9)


@given(few, few)
def test_mid_p_counts_the_observed_outcome_by_half(b: int, c: int) -> None:
    """From scipy's binomial probabilities, on both sides."""
    n, low = b + c, min(b, c)
    own = stats.binom.pmf(low, n, 0.5)
    expected = 1 - own / 2 if b == c else 2 * (stats.binom.cdf(low, n, 0.5) - own / 2)
    assert mcnemar_test(b, c, "mid-p").pvalue == pytest.approx(expected if n else 1.0, rel=1e-9, abs=1e-15)


def test_continuity_correction_is_named() -> None:
    """R's mcnemar.test corrects unless told not to: 121 and 59 have 20.672 with, 21.356 without (statsmodels' test-suite)."""
    assert mcnemar_test(121, 59, "chi2-corrected").statistic == pytest.approx(20.67222222)
    assert mcnemar_test(121, 59, "chi2").statistic == pytest.approx(21.35555556)
    assert mcnemar_test(121, 59, "chi2").pvalue == pytest.approx(3.815136e-06, rel=1e-6)


def test_a_difference_of_one_is_not_corrected_below_zero() -> None:
    """(|6 - 6| - 1)^2 would be 1: the correction stops at 0."""
    assert mcnemar_test(6, 6, "chi2-corrected").statistic == 0.0
    assert mcnemar_test(6, 6, "chi2-corrected").pvalue == 1.0


@pytest.mark.parametrize("variant", ["exact", "mid-p", "chi2", "chi2-corrected"])
def test_identical_models_have_p_1(variant: str) -> None:
    """There is no evidence at all, neither for a difference nor of 0/0."""
    assert mcnemar_test(0, 0, variant).pvalue == 1.0
    np.testing.assert_array_equal(mcnemar_test([0, 3], [0, 3], variant).pvalue[:1], [1.0])


def test_printed_p_of_the_user_guide_is_not_repeated() -> None:
    """11 against 1: 2 (1 + 12) / 4096 by hand; a well-known guide prints 24/4096, without the most extreme outcome."""
    assert mcnemar_test(11, 1).pvalue == 26 / 4096


def test_wrong_counts_and_variants_are_refused() -> None:
    """An exact test of fractions has no meaning; the chi-squared ones take them."""
    with pytest.raises(InvalidScoresError, match=r"must be whole numbers of at least 0; got 1.5"):
        mcnemar_test(1.5, 2)
    assert mcnemar_test(4.5, 0.5, "chi2").statistic == pytest.approx(3.2)
    with pytest.raises(InvalidParameterError, match="unknown variant 'midp'; choose one of 'exact', 'mid-p'"):
        mcnemar_test(1, 2, "midp")


def test_cochrans_q_of_two_models_is_mcnemars() -> None:
    """Without correction; 5 and 2 discordant of 12."""
    correct = [[1] * 8 + [0] * 4, [1] * 3 + [0] * 5 + [1] * 2 + [0] * 2]
    result = cochran_q_test(correct)
    assert result.statistic == pytest.approx(mcnemar_test(5, 2, "chi2").statistic)
    assert result.pvalue == pytest.approx(mcnemar_test(5, 2, "chi2").pvalue)


def test_cochrans_q_by_its_permutations() -> None:
    """Near the share of random shuffles within each example that give as large a Q, 40 examples and three models."""
    rng = np.random.default_rng(3)
    correct = (rng.random((3, 40)) < [[0.5], [0.6], [0.8]]).astype(float)
    result = cochran_q_test(correct)
    shuffled = rng.permuted(np.broadcast_to(correct, (4000, 3, 40)), axis=1)
    share = np.mean(cochran_q_test(shuffled).statistic >= result.statistic - 1e-9)
    assert result.pvalue == pytest.approx(share, abs=0.02)


def test_cochrans_q_where_all_agree() -> None:
    """0/0 is no difference, p 1; a table that differs beside it is not spoilt."""
    result = cochran_q_test([[[1, 0, 1]] * 3, [[1, 0, 1], [1, 0, 1], [0, 0, 1]]])
    assert np.isnan(result.statistic[0])
    assert result.pvalue[0] == 1.0
    assert 0 < result.pvalue[1] < 1
    assert result.df == 2


def test_cochrans_q_refuses_what_is_no_answer() -> None:
    """One model, or nan."""
    with pytest.raises(TooFewModelsError, match="compares two models or more"):
        cochran_q_test([[1, 0, 1]])
    with pytest.raises(InvalidScoresError, match=r"got nan\. Leave out what is missing"):
        cochran_q_test([[1, 0], [np.nan, 1]])
