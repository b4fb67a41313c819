"""Tests of five repetitions of two-fold cross-validation; published cases are in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import five_by_two_cv_critical_value, five_by_two_cv_test

D = np.array([[0.012, 0.02], [-0.004, 0.016], [0.01, 0.008], [0.018, -0.002], [0.006, 0.014]])


def test_f_does_not_depend_on_the_order_and_t_does() -> None:
    """Swapped folds of the first repetition put another difference into t's numerator."""
    swapped = D.copy()
    swapped[0] = D[0, ::-1]
    assert five_by_two_cv_test(swapped).f == pytest.approx(five_by_two_cv_test(D).f)
    assert five_by_two_cv_test(swapped).t == pytest.approx(five_by_two_cv_test(D).t * 0.02 / 0.012)


def test_swapped_models_mirror_t() -> None:
    """Signs turn; F and both p-values stay."""
    one, other = five_by_two_cv_test(D), five_by_two_cv_test(-D)
    assert (other.t, other.f, other.t_pvalue, other.f_pvalue) == pytest.approx((-one.t, one.f, one.t_pvalue, one.f_pvalue))


def test_no_spread() -> None:
    """All zero: p 1. The same difference throughout: no p, as its spread is unknown."""
    nothing, constant = five_by_two_cv_test(np.zeros((5, 2))), five_by_two_cv_test(np.full((5, 2), 0.1))
    assert (nothing.t_pvalue, nothing.f_pvalue) == (1.0, 1.0)
    assert np.isnan([constant.t_pvalue, constant.f_pvalue]).all()


def test_other_plans_are_refused() -> None:
    """Ten folds are not five times two."""
    with pytest.raises(InvalidScoresError, match=r"five repetitions of two folds.*got \(10,\)"):
        five_by_two_cv_test(D.ravel())


def test_the_critical_value_is_where_p_reaches_alpha() -> None:
    """Five times (m + 1, m - 1), where each variance is 2: by hand F = (m^2 + 1) / 2 and t = (m + 1) / sqrt(2)."""
    for alpha in (0.01, 0.05, 0.2):
        f, t = (five_by_two_cv_critical_value(alpha, test=test) for test in ("F", "t"))
        at_f, at_t = (five_by_two_cv_test([[m + 1, m - 1]] * 5) for m in ((2 * f - 1) ** 0.5, 2**0.5 * t - 1))
        assert (at_f.f, at_t.t) == pytest.approx((f, t))
        assert (at_f.f_pvalue, at_t.t_pvalue) == pytest.approx((alpha, alpha))
    with pytest.raises(InvalidParameterError, match="'t' or 'F'"):
        five_by_two_cv_critical_value(test="z")  # type: ignore[arg-type]
