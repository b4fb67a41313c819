"""The textbook interval beside the corrected one."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import TooFewSplitsError
from tiebreak.frequentist import kfold_ttest, student_quantile
from tiebreak.statistics import corrected_t, paired_t


def test_the_textbook_as_the_lecture_writes_it() -> None:
    """Mean +- t(k - 1) s / sqrt(k), s with divisor k - 1, t = 2.26 for ten folds and 95 %."""
    d = np.array([0.04, 0.12, 0.0, 0.0, 0.0, -0.04, -0.04, 0.0, -0.04, 0.0])
    multiplier = float(student_quantile(0.975, 9))
    assert round(multiplier, 2) == 2.26
    half = multiplier * d.std(ddof=1) / np.sqrt(10)
    assert kfold_ttest(d).textbook.interval(0.95) == pytest.approx((d.mean() - half, d.mean() + half))


def test_the_corrected_one_knows_the_folds() -> None:
    """n_test / n_train of k folds is 1 / (k - 1), unless it is given; then the interval is wider by sqrt(1 + k / (k - 1))."""
    d = np.array([[0.04, 0.12, 0.0, 0.01, -0.04], [0.1, 0.2, 0.15, 0.12, 0.3]])
    both = kfold_ttest(d)
    assert np.array_equal(both.corrected.pvalue(), corrected_t(d, 0.25).pvalue())
    assert np.array_equal(both.textbook.pvalue(), paired_t(d).pvalue())
    assert both.corrected.se / both.textbook.se == pytest.approx(np.sqrt(1 + 5 / 4))
    given = kfold_ttest(d, test_train_ratio=0.5).corrected
    assert np.array_equal(given.pvalue(), corrected_t(d, 0.5).pvalue())


def test_it_says_what_the_textbook_leaves_out() -> None:
    """In the result, not only in the documentation."""
    caveat = kfold_ttest([0.1, 0.2, 0.3]).caveat
    assert "share most of their training data" in caveat
    assert "1 / k + n_test / n_train" in caveat


def test_one_fold_is_too_few() -> None:
    """As for every t-test."""
    with pytest.raises(TooFewSplitsError):
        kfold_ttest([0.1])
