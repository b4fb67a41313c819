"""One-sided questions with a rope, against shifted one-sample tests of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import corrected_ttest, equivalence_pvalue, noninferiority_pvalue, paired_ttest, superiority_pvalue

ROPE = 0.3


def shifted(d: np.ndarray, limit: float, alternative: str) -> np.ndarray:
    """scipy's test of "the mean is `limit`" against the alternative."""
    return np.asarray(stats.ttest_1samp(d, limit, axis=-1, alternative=alternative).pvalue)


def test_superiority_is_the_test_shifted_by_the_rope(rng: np.random.Generator) -> None:
    """P-value of d <= rope: small when the first model is better by more than that."""
    d = rng.normal(0.5, 1, (20, 12))
    result = paired_ttest(d)
    assert_allclose(superiority_pvalue(result, ROPE), shifted(d, ROPE, "greater"), rtol=1e-11)
    assert_allclose(superiority_pvalue(result), shifted(d, 0.0, "greater"), rtol=1e-11)


def test_noninferiority_is_the_test_shifted_the_other_way(rng: np.random.Generator) -> None:
    """P-value of d <= -rope; at rope 0 it is superiority."""
    d = rng.normal(0.0, 1, (20, 12))
    result = paired_ttest(d)
    assert_allclose(noninferiority_pvalue(result, ROPE), shifted(d, -ROPE, "greater"), rtol=1e-11)
    assert_array_equal(noninferiority_pvalue(result), superiority_pvalue(result))


def test_equivalence_is_two_one_sided_tests(rng: np.random.Generator) -> None:
    """Schuirmann's TOST: the larger of "above -rope" and "below rope"."""
    d = rng.normal(0.0, 0.4, (20, 12))
    expected = np.maximum(shifted(d, -ROPE, "greater"), shifted(d, ROPE, "less"))
    assert_allclose(equivalence_pvalue(paired_ttest(d), ROPE), expected, rtol=1e-11)


def test_equivalence_cannot_be_shown_without_a_rope(rng: np.random.Generator) -> None:
    """At rope 0 its p-value is 1."""
    assert_array_equal(equivalence_pvalue(paired_ttest(rng.normal(0, 1e-6, (5, 10))), 0.0), 1.0)


def test_equivalence_agrees_with_the_interval_in_the_region(rng: np.random.Generator) -> None:
    """TOST at alpha rejects exactly when the 1 - 2 alpha interval lies inside the rope."""
    result = corrected_ttest(rng.normal(0.02, 0.3, (2000, 10)), test_train_ratio=1 / 9)
    low, high = result.confidence_interval(0.9)
    inside = (low > -ROPE) & (high < ROPE)
    assert_array_equal(equivalence_pvalue(result, ROPE) < 0.05, inside)
    assert 100 < inside.sum() < 1900


def test_exchanged_models_have_the_same_equivalence(rng: np.random.Generator) -> None:
    """To the last digit."""
    result = corrected_ttest(rng.normal(0.2, 1, (50, 8)), test_train_ratio=0.2)
    assert_array_equal(equivalence_pvalue(result, ROPE), equivalence_pvalue(result.mirrored(), ROPE))
    assert_array_equal(equivalence_pvalue(result, 0.0), 1.0)


def test_no_spread_answers_no_question() -> None:
    """Identical and constant rows, and undefined ones, have no p-value."""
    result = corrected_ttest([[0.0] * 4, [0.5] * 4, [1, 2, 3, np.nan]], test_train_ratio=0.3)
    for pvalue in (superiority_pvalue, noninferiority_pvalue, equivalence_pvalue):
        assert_array_equal(pvalue(result, 0.1), np.nan)


def test_negative_rope_is_refused() -> None:
    """A half-width cannot be negative."""
    with pytest.raises(InvalidParameterError, match=r"rope must be a finite half-width of at least 0.*got -0\.01"):
        superiority_pvalue(paired_ttest([1.0, 2.0]), -0.01)
