"""Means of independent samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist import welch_ttest

samples = st.lists(st.integers(-9, 9), min_size=3, max_size=9).filter(lambda each: len(set(each)) > 1)


@given(samples, samples)
def test_it_is_scipys(first: list[int], second: list[int]) -> None:
    """Statistic, degrees of freedom, p-value and interval of ttest_ind with unequal variances."""
    got, test = welch_ttest(first, second), stats.ttest_ind(first, second, equal_var=False)
    assert got.statistic == pytest.approx(test.statistic, abs=1e-12)
    assert got.df == pytest.approx(test.df)
    assert got.pvalue() == pytest.approx(test.pvalue)
    assert got.confidence_interval() == pytest.approx(tuple(test.confidence_interval()))


def test_samples_without_spread() -> None:
    """The same constant twice has p 1, two constants none: nothing says how sure their difference is."""
    assert welch_ttest([1, 1], [1, 1, 1]).pvalue() == 1.0
    assert np.isnan(welch_ttest([1, 1], [2, 2]).pvalue())
    assert np.isnan(welch_ttest([1, np.nan, 2], [1, 2]).pvalue())


def test_a_single_score_is_refused() -> None:
    """One number has no spread."""
    with pytest.raises(InvalidScoresError, match="second needs two scores or more"):
        welch_ttest([1, 2], [3])
