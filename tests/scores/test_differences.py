"""Paired differences: oriented, and the same by matrix product as one pair at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.scores.differences import model_correlation, model_moments, model_ratios, pair_differences
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix

HIGHER, LOWER = Metric("accuracy", True), Metric("rmse", False)
FIRST, SECOND = np.triu_indices(4, 1)


def as_matrix(score: np.ndarray) -> ScoreMatrix:
    n = score.shape[1]
    sizes = np.full(n, 90), np.full(n, 10)
    return ScoreMatrix("", tuple("abcdefgh"[: len(score)]), np.zeros(n, int), np.arange(n), *sizes, score)


def test_positive_favours_the_first() -> None:
    """The higher accuracy, the lower error."""
    table = as_matrix(np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.4]]))
    one = np.array([0]), np.array([1])
    mean = np.mean([0.4, 0.2, 0.3])
    assert pair_differences(table, HIGHER, table.ratio, *one).moments.mean == pytest.approx(mean)
    assert pair_differences(table, LOWER, table.ratio, *one).moments.mean == pytest.approx(-mean)


def test_no_difference_is_plain_zero() -> None:
    """Never -0.0, which would print as such."""
    table = as_matrix(np.array([[0.5, 0.6], [0.5, 0.6]]))
    mean = pair_differences(table, LOWER, table.ratio, np.array([0]), np.array([1])).moments.mean
    assert not np.signbit(mean).any()


@given(arrays(float, (4, 6), elements=st.floats(-100, 100, width=32)))
def test_complete_table_agrees_with_numpy(score: np.ndarray) -> None:
    """One matrix product for all pairs against mean and std of each pair's differences."""
    moments = pair_differences(as_matrix(score), HIGHER, np.full(6, 1 / 9), FIRST, SECOND).moments
    differences = score[FIRST] - score[SECOND]
    assert_allclose(moments.mean, differences.mean(axis=1), atol=1e-10)
    assert_allclose(moments.sd, differences.std(axis=1, ddof=1), atol=1e-9)


def test_incomplete_pair_uses_its_shared_splits() -> None:
    """Each pair has its own number of splits and its own ratio."""
    score = np.array([[0.9, np.nan, 0.7, 0.8], [0.5, 0.6, np.nan, 0.7], [0.3, 0.2, 0.6, 0.1]])
    table = as_matrix(score)
    ratio = np.array([0.1, 0.2, 0.3, 0.4])
    first, second = np.array([0, 0]), np.array([1, 2])
    found = pair_differences(table, HIGHER, ratio, first, second)
    assert_array_equal(found.moments.n_splits, [2, 3])
    assert_allclose(found.ratio, [(0.1 + 0.4) / 2, (0.1 + 0.3 + 0.4) / 3])
    assert_allclose(found.moments.mean, [np.mean([0.4, 0.1]), np.mean([0.6, 0.1, 0.7])])


def test_models_have_moments_over_their_own_splits() -> None:
    """A missing split is left out of its own model only; a model without any has none."""
    score = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0], [np.nan] * 3])
    table = as_matrix(score)
    moments = model_moments(table)
    assert_array_equal(moments.n_splits, [2, 3, 0])
    assert_allclose(moments.mean[:2], [2, 5])
    assert np.isnan(moments.mean[2])
    assert_allclose(model_ratios(table, np.array([0.1, 0.2, 0.6])), [0.35, 0.3, 0.0])


def test_correlation_agrees_with_numpy(rng: np.random.Generator) -> None:
    """Complete tables as a whole, incomplete ones over the splits that each two models share."""
    score = rng.random((4, 10))
    assert_allclose(model_correlation(as_matrix(score)), np.corrcoef(score), atol=1e-12)
    score[0, 3] = score[1, 7] = np.nan
    found = model_correlation(as_matrix(score))
    shared = [i for i in range(10) if i not in (3, 7)]
    assert found[0, 1] == pytest.approx(np.corrcoef(score[0, shared], score[1, shared])[0, 1])
    assert found[2, 3] == pytest.approx(np.corrcoef(score[2], score[3])[0, 1])
    assert_array_equal(found, found.T)


def test_correlation_that_is_undefined() -> None:
    """Scores that do not vary, or too few shared splits."""
    assert np.isnan(model_correlation(as_matrix(np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]])))[0, 1])
    apart = np.array([[0.1, 0.2, np.nan, np.nan], [np.nan, 0.3, 0.4, 0.5]])
    assert np.isnan(model_correlation(as_matrix(apart))[0, 1])
