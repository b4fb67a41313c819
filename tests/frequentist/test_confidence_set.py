"""The model confidence set; the published case is in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.frequentist import model_confidence_set


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_a_clearly_worse_model_is_left_out(statistic: str) -> None:
    """And its p-value is the smallest; the others stay."""
    losses = np.random.default_rng(0).normal(size=(4, 200)) + np.array([[0], [0], [0.05], [1]])
    result = model_confidence_set(losses, statistic=statistic, n_resamples=2_000)
    assert result.order[0] == 3
    assert result.members(0.05).tolist() == [True, True, True, False]
    assert result.pvalues.max() == 1.0
    assert (np.diff(result.pvalues[result.order]) >= 0).all()


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_two_models_give_the_bootstrap_test_of_their_difference(statistic: str) -> None:
    """Two-sided, near the t-test: p 0.03 for this difference of 100 losses."""
    from scipy import stats

    losses = np.random.default_rng(1).normal(size=(2, 100)) + np.array([[0], [0.25]])
    expected = stats.ttest_rel(*losses).pvalue
    assert model_confidence_set(losses, statistic=statistic).pvalues.min() == pytest.approx(expected, abs=0.02)


def test_order_of_models_does_not_matter() -> None:
    """The same resamples for all models, so the p-values only change places."""
    losses = np.random.default_rng(2).normal(size=(4, 50)) + np.array([[0], [0.1], [0.3], [0.5]])
    one, other = model_confidence_set(losses), model_confidence_set(losses[::-1])
    np.testing.assert_array_equal(one.pvalues, other.pvalues[::-1])


def test_identical_models_stay_together() -> None:
    """No difference is no evidence, with p 1."""
    losses = np.tile(np.random.default_rng(3).normal(size=50), (3, 1))
    assert model_confidence_set(losses).pvalues.tolist() == [1.0, 1.0, 1.0]


def test_blocks_keep_what_goes_together_in_time() -> None:
    """Losses that move slowly differ less surely: blocks of 20 give a larger p than single periods."""
    rng = np.random.default_rng(4)
    slow = np.repeat(rng.normal(size=(2, 15)), 20, axis=1) + np.array([[0], [0.3]])
    single, blocks = (model_confidence_set(slow, block_length=length).pvalues.min() for length in (1, 20))
    assert blocks > 3 * single


def test_wrong_input_is_refused() -> None:
    """One model, nan, an impossible block, and one of a length and a half, which is not cut to 1."""
    with pytest.raises(TooFewModelsError, match="two models or more"):
        model_confidence_set([[1, 2, 3]])
    with pytest.raises(InvalidScoresError, match="must be finite"):
        model_confidence_set([[1, np.nan], [1, 2]])
    with pytest.raises(InvalidParameterError, match="block_length must be a whole number from 1 to 3; got 4"):
        model_confidence_set([[1, 2, 3], [2, 3, 4]], block_length=4)
    with pytest.raises(InvalidParameterError, match=r"block_length must be a whole number of at least 1; got 1\.5"):
        model_confidence_set([[1, 2, 3], [2, 3, 4]], block_length=1.5)
