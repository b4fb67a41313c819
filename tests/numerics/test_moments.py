"""Moments against two plain passes and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    checks,
    law_of_masked_pairs,
    law_of_pairs,
    law_of_rows,
    moments,
)
from tiebreak.numerics.law import Law


def exact_moments(row: np.ndarray) -> tuple[float, float]:
    """Mean and variance (divisor n - 1) in rational arithmetic."""
    values = [Fraction(float(value)) for value in row]
    mean = sum(values) / len(values)
    return float(mean), float(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


@pytest.mark.parametrize("size", [1e-290, 1e-150, 1.0, 1e6, 1e160, 1e299])
def test_moments_of_any_magnitude_are_exact(size: float, rng: np.random.Generator) -> None:
    """Squares of such numbers under- or overflow; rational arithmetic does not."""
    d = rng.normal(0.3, 1, (5, 11)) * size
    got = law_of_rows(d)
    for row, mean, se in zip(d, got.estimate, got.se, strict=True):
        exact_mean, exact_variance = exact_moments(row / size)
        assert_allclose(mean / size, exact_mean, rtol=1e-14)
        assert_allclose(se / size, np.sqrt(exact_variance / 11), rtol=1e-14)
    assert_array_equal(got.kind, SPREAD)


def test_kinds_of_rows() -> None:
    """Design promise 5, a row of each kind in one batch; none spoils another."""
    rows = np.array(
        [
            [0.1, 0.2, 0.3],
            [0.0, 0.0, 0.0],
            [0.02, 0.02, 0.02],
            [1.0, np.nan, 1.0],
            [1.0, np.inf, 1.0],
            [-0.0, 0.0, -0.0],
        ]
    )
    got = law_of_rows(rows)
    assert_array_equal(got.kind, [SPREAD, IDENTICAL, CONSTANT, UNDEFINED, UNDEFINED, IDENTICAL])
    assert_array_equal(got.se[1:], [0, 0, np.nan, np.nan, 0])
    assert_array_equal(got.estimate[1:], [0, 0.02, np.nan, np.nan, 0])
    assert not np.any(np.signbit(got.estimate))


def test_missing_splits_may_be_left_out() -> None:
    """A row with nan is the row without it; one score left has a mean and no spread, none left has neither."""
    rows = np.array([[1.0, np.nan, 2.0, 4.0], [np.nan, np.nan, 5.0, np.nan], [np.nan] * 4, [1.0, np.inf, np.nan, 1.0]])
    got = law_of_rows(rows, omit_missing=True)
    assert_array_equal(got.n_units, [3, 1, 0, 3])
    assert_array_equal(got.df, [2, 0, 0, 2])
    assert_allclose(got.estimate[:2], [7 / 3, 5.0])
    assert_allclose(got.se[0], np.std([1, 2, 4], ddof=1) / np.sqrt(3))
    assert_array_equal(got.kind, [SPREAD, UNDEFINED, UNDEFINED, UNDEFINED])
    assert np.all(np.isnan(got.se[1:]))


def test_rounding_noise_is_no_spread() -> None:
    """0.91 - 0.90 and 0.61 - 0.60 differ in the last digits of the scores they come from, not of their own."""
    d = np.array([0.91 - 0.90, 0.61 - 0.60, 0.51 - 0.50, 0.11 - 0.10])
    assert len(set(d)) > 1
    assert law_of_rows(d, scale=0.91).kind == CONSTANT
    assert law_of_rows(d + 2e-12 * np.arange(4), scale=0.91).kind == SPREAD
    assert law_of_rows(1e-13 * np.arange(4.0), scale=0.91).kind == IDENTICAL


def test_noise_has_a_floor_near_the_smallest_float() -> None:
    """Below 1e-300 floats lose digits, so such differences are none."""
    assert law_of_rows(np.array([1e-320, 2e-320, 5e-320])).kind == IDENTICAL
    assert law_of_rows(np.array([1e-290, 2e-290, 5e-290])).kind == SPREAD


def all_pairs(n_models: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n_models, 1)


def assert_same_moments(got: Law, expected: Law, rtol: float = 1e-12) -> None:
    """As statistics see them: mean and error to `rtol` of the error, kinds and tolerances exactly."""
    assert_array_equal(got.kind, expected.kind)
    assert_allclose(got.tolerance, expected.tolerance, rtol=1e-15)
    assert_allclose(got.se, expected.se, rtol=rtol)
    spread = expected.kind == SPREAD
    wrong = np.abs(got.estimate - expected.estimate)[spread]
    assert np.all(wrong <= rtol * np.maximum(np.abs(expected.estimate), expected.se)[spread])
    assert_allclose(got.estimate[~spread], expected.estimate[~spread], rtol=1e-12)


def direct_moments(scores: np.ndarray, first: np.ndarray, second: np.ndarray) -> Law:
    scale = np.maximum(np.abs(scores).max(axis=1)[first], np.abs(scores).max(axis=1)[second])
    return law_of_rows(scores[first] - scores[second], scale)


@pytest.mark.parametrize("n_splits", [2, 3, 10, 100])
@pytest.mark.parametrize("gap", [0.0, 1e-13, 1e-9, 1e-6, 4e-4, 1e-3])
def test_product_agrees_with_direct_differences_of_near_duplicates(gap: float, n_splits: int, rng: np.random.Generator) -> None:
    """C_ii + C_jj - 2 C_ij cancels for models that differ by `gap`; those pairs are computed directly."""
    scores = rng.normal(0.8, 0.05, (40, n_splits))
    scores[10:40] = scores[9] + gap * rng.normal(size=(30, n_splits))
    scores[1], scores[5] = scores[0] + gap, scores[4] + gap * rng.normal(size=n_splits)
    scores[7] = scores[6]
    first, second = all_pairs(40)
    assert_same_moments(law_of_pairs(scores, first, second), direct_moments(scores, first, second))


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([[1e6, 1e6, 1e6], [1e-3, 2e-3, 4e-3], [3e-3, 1e-3, 2e-3]], id="constant giant"),
        pytest.param([[1e290, 3e290, -2e290], [1e-9, 2e-9, 4e-9], [3e-9, 1e-9, 5e-9]], id="diverged model"),
        pytest.param(
            [[1e290, 3e290, -2e290], [-1e290, -3e290, 2e290], [1e-9, 2e-9, 4e-9], [3e-9, 1e-9, 5e-9]], id="opposite giants"
        ),
        pytest.param([[1e-290, 3e-290, 2e-290], [2e-290, 3e-290, 5e-290], [1e-291, 1e-290, 9e-291]], id="tiny"),
        pytest.param([[0.5, 0.75, 0.5], [0.5, 0.75, 0.5], [0.25, 0.5, 0.25], [0.1, 0.1, 0.1]], id="zero spread"),
        pytest.param([[0.5, 0.6, 0.7], [0.5 + 1e-13, 0.6, 0.7 - 1e-13]], id="rounding noise alone"),
        pytest.param([[-0.0, 0.0, 0.0], [0.0, 0.0, -0.0], [1.0, 1.0, 1.0]], id="zeros"),
        pytest.param([[1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4], [1e9, 1e9, 1e9], [1e9 + 0.3, 1e9, 1e9]], id="large offset"),
    ],
)
def test_product_agrees_with_direct_differences_of_nasty_tables(scores: list[list[float]]) -> None:
    """Magnitudes, offsets and ties that the matrix product alone would spoil."""
    table = np.array(scores)
    first, second = all_pairs(len(table))
    got = law_of_pairs(table, first, second)
    assert_same_moments(got, direct_moments(table, first, second))
    assert_same_moments(law_of_masked_pairs(table, first, second), got)


def test_exchanged_pairs_mirror_exactly(rng: np.random.Generator) -> None:
    """First and second changing places turns the sign of the mean and nothing else, to the last digit."""
    scores = rng.normal(0.8, 0.05, (9, 10))
    scores[3] = scores[2]
    first, second = all_pairs(9)
    one, other = law_of_pairs(scores, first, second), law_of_pairs(scores, second, first)
    assert_array_equal(one.estimate, 0.0 - other.estimate)
    assert_array_equal(one.se, other.se)
    assert_array_equal(one.kind, other.kind)


def test_long_tables_are_the_sum_of_their_blocks(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """57 splits in blocks of 10, the last one short, and in one piece."""
    scores = 0.8 + rng.normal(0, 0.05, 57) + rng.normal(0, 0.02, (6, 57))
    first, second = np.triu_indices(6, 1)
    whole = law_of_pairs(scores, first, second)
    monkeypatch.setattr(checks, "BLOCK", 60)
    assert [block.shape[1] for block in moments.deviations(scores, 0)] == [10, 10, 10, 10, 10, 7]
    pieces = law_of_pairs(scores, first, second)
    assert_allclose(pieces.estimate, whole.estimate, rtol=1e-12, atol=1e-16)
    assert_allclose(pieces.se, whole.se, rtol=1e-12)


def test_few_pairs_at_a_time_give_the_same(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are handled some at a time, in whatever order they come."""
    scores = 0.8 + rng.normal(0, 0.05, (40, 9))
    first, second = np.triu_indices(40, 1)
    at_once = law_of_pairs(scores, first, second)
    monkeypatch.setattr(moments, "PAIRS", 50)
    mixed = rng.permutation(first.size)
    for rows in (np.arange(first.size), mixed):
        got = law_of_pairs(scores, first[rows], second[rows])
        assert_allclose(got.estimate, at_once.estimate[rows], rtol=1e-12)
        assert_allclose(got.se, at_once.se[rows], rtol=1e-12)
        assert_array_equal(got.kind, at_once.kind[rows])


def test_masked_path_is_the_plain_computation_on_shared_splits(rng: np.random.Generator) -> None:
    """Pair by pair over the splits that both have, also where nothing or one split is left."""
    scores = rng.normal(0.8, 0.05, (6, 8))
    scores[rng.random(scores.shape) < 0.3] = np.nan
    scores[0, :4], scores[1, 4:], scores[2, 1:] = np.nan, np.nan, np.nan
    first, second = all_pairs(6)
    got = law_of_masked_pairs(scores, first, second)
    for row, (i, j) in enumerate(zip(first, second, strict=True)):
        d = scores[i] - scores[j]
        d = d[~np.isnan(d)]
        assert np.asarray(got.n_units)[row] == d.size
        if d.size < 2:
            assert got.kind[row] == UNDEFINED
        else:
            assert_allclose([got.estimate[row], got.se[row]], [d.mean(), d.std(ddof=1) / np.sqrt(d.size)], rtol=1e-13)


def test_what_is_rounding_noise_is_told_by_the_next_power_of_two() -> None:
    """From 1 to 2 times 1e-12 of the size, the same for all sizes up to a power of two, and exact where scores are doubled."""
    size = np.array([1e-280, 0.3, 0.51, 0.99, 1.0, 1.01, 1e308])
    found = moments.rounding_tolerance(size)
    assert np.all((found >= 1e-12 * size) & (found <= 2e-12 * size))
    assert found[2] == found[3] == found[4] == 1e-12
    assert np.all(moments.rounding_tolerance(2 * size[:-1]) == 2 * found[:-1])
    assert moments.rounding_tolerance(0.0) == 1e-300
    scores = np.random.default_rng(0).uniform(0.55, 0.95, (4, 10))
    first, second = np.triu_indices(4, 1)
    shared, own = law_of_pairs(scores, first, second), law_of_pairs(scores * [[1], [1], [1], [3]], first, second)
    assert shared.tolerance.strides == (0,)
    assert own.tolerance.tolist() == [1e-12, 1e-12, 4e-12, 1e-12, 4e-12, 4e-12]
