"""The .632 estimates; published cases are in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist import error_632


def test_no_overfitting_leaves_632_alone() -> None:
    """Out-of-bag error as low as in training: both estimates agree, weight 0.632."""
    result = error_632(0.2, 0.2, 0.5)
    assert result.err_632 == pytest.approx(0.2)
    assert result.err_632_plus == pytest.approx(0.2)
    assert result.weight == pytest.approx(0.632)


def test_learning_by_heart_what_means_nothing() -> None:
    """Efron and Tibshirani's example: training error 0, out-of-bag error 0.5 as by chance: .632 says 0.316, .632+ says 0.5."""
    result = error_632(0.0, 0.5, 0.5)
    assert result.err_632 == pytest.approx(0.316)
    assert result.err_632_plus == pytest.approx(0.5)


def test_weight_and_overfitting_stay_in_their_range() -> None:
    """For many models at once, also where the out-of-bag error is beyond chance or below training."""
    rng = np.random.default_rng(0)
    result = error_632(*rng.random((3, 200)))
    assert ((result.weight >= 0.632) & (result.weight <= 1)).all()
    assert ((result.relative_overfitting >= 0) & (result.relative_overfitting <= 1)).all()


def test_wrong_errors_are_refused() -> None:
    """Negative, or nan."""
    with pytest.raises(InvalidScoresError, match=r"finite and not negative; got -0\.1"):
        error_632(-0.1, 0.2, 0.5)
