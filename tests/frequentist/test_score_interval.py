"""Intervals for one model's score; the reference cases hold published forms of two of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewSplitsError
from tiebreak.frequentist import (
    conservative_z_interval,
    corrected_t_interval,
    cv_wald_interval,
    nested_cv_interval,
)

SCORES = [0.81, 0.84, 0.79, 0.86, 0.80]
seeds = st.integers(0, 10_000)


def losses(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """Positive numbers as losses are."""
    return np.random.default_rng(seed).exponential(size=shape)


def nested(seed: int, n_repetitions: int = 3, n_folds: int = 4, size: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Outer and inner losses of folds of one size."""
    outer = losses(seed, (n_repetitions, n_folds, size))
    return outer, losses(seed + 1, (n_repetitions, n_folds, size * (n_folds - 1)))


def ends(interval: Any) -> tuple[Any, Any, Any]:
    """Estimate and ends."""
    return interval.estimate, interval.low, interval.high


def test_ratio_zero_is_students_interval() -> None:
    """Without shared training data scipy's t interval of a mean must agree."""
    theirs = stats.ttest_1samp(SCORES, 0).confidence_interval(0.9)
    ours = corrected_t_interval(SCORES, test_train_ratio=0, level=0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.estimand == "expected score of models trained on further samples of n_train examples"


def test_corrected_t_by_hand() -> None:
    """t(4, 0.975) = 2.7764451; s^2 (1/5 + 1/4), [NB03]; rows of a batch are each on their own."""
    half = 2.7764451051977987 * np.sqrt(np.var(SCORES, ddof=1) * (1 / 5 + 1 / 4))
    ours = corrected_t_interval([SCORES, SCORES[::-1]], test_train_ratio=[1 / 4, 1 / 4])
    assert ours.high == pytest.approx(np.full(2, 0.82 + half))


def test_conservative_z_by_hand() -> None:
    """Three pairs of halves that differ by 0.03, 0.05 and 0.04: variance (9 + 25 + 16) / 6 e-4, [NB03]."""
    found = conservative_z_interval(SCORES, [0.80, 0.84, 0.78], [0.83, 0.79, 0.82])
    assert found.standard_error == pytest.approx(np.sqrt(50e-4 / 6))
    assert found.high - found.estimate == pytest.approx(1.959963984540054 * np.sqrt(50e-4 / 6))
    assert found.estimate == pytest.approx(np.mean(SCORES))


@given(seed=seeds)
def test_halves_may_be_named_either_way(seed: int) -> None:
    """First and second half have no meaning, nor has the order of pairs."""
    scores, one, other = losses(seed, (6,)), losses(seed + 1, (4,)), losses(seed + 2, (4,))
    assert ends(conservative_z_interval(scores, other[::-1], one[::-1])) == pytest.approx(
        ends(conservative_z_interval(scores, one, other))
    )


@given(seed=seeds, factor=st.sampled_from([1e-100, 1e-3, 7.0, 1e100]))
def test_units_and_order_change_nothing(seed: int, factor: float) -> None:
    """Losses in another unit have the interval in that unit; folds and repetitions in another order have the same one."""
    outer, inner = nested(seed)
    for one, other in (
        (nested_cv_interval(outer, inner), nested_cv_interval(factor * outer[::-1, ::-1], factor * inner[::-1, ::-1])),
        (cv_wald_interval(outer[0]), cv_wald_interval(factor * outer[0, ::-1])),
    ):
        assert ends(other) == pytest.approx(tuple(factor * value for value in ends(one)), rel=1e-9, abs=0)


@given(seed=seeds)
def test_accuracy_is_one_minus_the_error_rate(seed: int) -> None:
    """The interval of the share of right answers mirrors that of wrong ones."""
    outer, inner = (part < 1 for part in nested(seed))
    wrong, right = nested_cv_interval(outer, inner), nested_cv_interval(~outer, ~inner)
    assert ends(right) == pytest.approx((1 - wrong.estimate, 1 - wrong.high, 1 - wrong.low), nan_ok=True)
    wrong, right = cv_wald_interval(outer[0]), cv_wald_interval(~outer[0])
    assert ends(right) == pytest.approx((1 - wrong.estimate, 1 - wrong.high, 1 - wrong.low), nan_ok=True)


@given(seed=seeds)
def test_nested_standard_error_is_within_its_limits(seed: int) -> None:
    """Between that of n independent values and sqrt(K) times it, whatever the estimate of the mean squared error."""
    found = nested_cv_interval(*nested(seed))
    assert found.least <= found.standard_error <= found.most
    assert found.most == pytest.approx(2 * found.least)  # four folds
    if found.least**2 < found.mean_squared_error < found.most**2:
        assert found.standard_error == pytest.approx(found.mean_squared_error**0.5)


def test_folds_of_unequal_size() -> None:
    """Seven examples in folds of 3, 2 and 2, by the definitions: a, b, and the pooled means."""
    outer = [[[1.0, 2.0, 4.0], [3.0, 5.0], [2.0, 2.5]]]
    inner = [[[3.0, 5.5, 2.0, 1.0], [1.0, 2.0, 3.0, 2.0, 0.5], [1.0, 2.0, 4.0, 3.0, 6.0]]]
    found = nested_cv_interval(outer, inner)
    a = [(np.mean(i) - np.mean(o)) ** 2 for i, o in zip(inner[0], outer[0], strict=True)]
    b = [np.var(o, ddof=1) / len(o) for o in outer[0]]
    assert found.squared_difference.tolist() == [pytest.approx(a)]
    assert found.fold_variance.tolist() == [pytest.approx(b)]
    assert found.mean_squared_error == pytest.approx((np.mean(a) - np.mean(b)) * 2 / 3)
    assert found.inner_mean == pytest.approx(np.mean(np.concatenate(inner[0])))
    assert found.outer_mean == pytest.approx(19.5 / 7)


def test_no_spread_is_no_certainty() -> None:
    """Twenty right answers have an estimate and no interval."""
    right = np.ones((1, 4, 5))
    for found in (
        nested_cv_interval(right, np.ones((1, 4, 15))),
        cv_wald_interval(right[0]),
        corrected_t_interval([1.0, 1.0, 1.0], test_train_ratio=0.5),
        conservative_z_interval([1.0, 1.0], [0.9, 0.8], [0.9, 0.8]),
    ):
        assert (found.estimate, found.standard_error) == (1.0, 0.0)
        assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: corrected_t_interval([0.5], test_train_ratio=0.1), TooFewSplitsError, "1 split(s), but at least 2 are needed"),
        (lambda: corrected_t_interval(SCORES, test_train_ratio=0.1, level=95), InvalidParameterError, "Did you mean 0.95?"),
        (
            lambda: conservative_z_interval(SCORES, [0.1, 0.2], [0.1]),
            InvalidScoresError,
            "first_half and second_half are pairs, each with the leading axes of the scores; got the shapes (2,) and (1,) beside",
        ),
        (lambda: conservative_z_interval(SCORES, [], []), InvalidScoresError, "one or more in a row; got the shape (0,)."),
        (lambda: conservative_z_interval([np.nan], [1], [1]), InvalidScoresError, "the scores must be finite numbers"),
        (lambda: nested_cv_interval([[[1, 2]] * 2], [[[1, 2]] * 2]), InvalidScoresError, "outer must have 3 or more folds"),
        (
            lambda: nested_cv_interval([[[1, 2]] * 3], [[[1, 2]] * 4]),
            InvalidScoresError,
            "outer has (1, 3) repetitions and folds, inner",
        ),
        (
            lambda: nested_cv_interval([[[1], [2], [3, 4]]], [[[1, 2]] * 3]),
            InvalidScoresError,
            "a fold of outer has 1 example(s)",
        ),
        (lambda: cv_wald_interval([[1, 2]]), InvalidScoresError, "values_by_fold must have 2 or more folds in each repetition"),
        (lambda: cv_wald_interval([[1, np.inf], [1, 2]]), InvalidScoresError, "values_by_fold must be finite numbers."),
        (
            lambda: cv_wald_interval([[1], [2]], variance="within-fold"),
            InvalidScoresError,
            "a fold of values_by_fold has 1 example(s)",
        ),
        (lambda: cv_wald_interval([[1], [2]], variance="all"), InvalidParameterError, "variance must be 'all-pairs' or"),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()
