"""Mean over strata of the means of their items."""

import numpy as np
import pytest

from tiebreak.errors import DataError
from tiebreak.numerics import UNDEFINED
from tiebreak.statistics import clustered_mean, stratified_mean


def test_the_formula_by_hand() -> None:
    """Cochran's variance of a stratified mean with equal weights, and Satterthwaite's degrees of freedom, step by step."""
    a, b = np.array([0, 1, 0, -1.0]), np.array([1, 2, 0, 1, 1, 0.0])
    found = stratified_mean([*a, *b], ["a"] * 4 + ["b"] * 6)
    va, vb = a.var(ddof=1) / 4 / 4, b.var(ddof=1) / 6 / 4
    assert found.law.estimate == pytest.approx((0.0 + 5 / 6) / 2, rel=1e-15)
    assert found.law.se == pytest.approx(np.sqrt(va + vb), rel=1e-14)
    assert found.law.df == pytest.approx((va + vb) ** 2 / (va**2 / 3 + vb**2 / 5), rel=1e-14)
    assert found.means.tolist() == pytest.approx([0.0, 5 / 6])


def test_one_stratum_is_the_ordinary_mean(rng: np.random.Generator) -> None:
    """Without strata, and with clusters, it is `clustered_mean`."""
    values, clusters = rng.normal(size=60), np.repeat(np.arange(12), 5)
    for names in (None, clusters):
        found, plain = stratified_mean(values, np.zeros(60), names), clustered_mean(values, names)
        assert (found.law.estimate, found.law.se, found.law.df) == pytest.approx((plain.estimate, plain.se, plain.df))


def test_differences_between_strata_are_no_error(rng: np.random.Generator) -> None:
    """Strata are fixed: shifting one moves the mean and leaves the error alone."""
    values, strata = rng.normal(size=100), np.repeat(["a", "b"], 50)
    moved = stratified_mean(values + 7.0 * (strata == "b"), strata)
    assert moved.law.estimate == pytest.approx(stratified_mean(values, strata).law.estimate + 3.5)
    assert moved.law.se == pytest.approx(stratified_mean(values, strata).law.se)


def test_clusters_lie_within_strata(rng: np.random.Generator) -> None:
    """One name in two strata means two clusters."""
    values, strata = rng.normal(size=80), np.repeat([0, 1], 40)
    within = np.tile(np.repeat(np.arange(8), 5), 2)
    assert stratified_mean(values, strata, within).law.se == pytest.approx(
        stratified_mean(values, strata, within + 8 * strata).law.se
    )


def test_missing_values_are_left_out_of_their_row(rng: np.random.Generator) -> None:
    """Each row by its own items; a stratum of which nothing is left makes the row undefined."""
    rows, strata = rng.normal(size=(2, 30)), np.repeat([0, 1], 15)
    rows[0, 3] = np.nan
    found = stratified_mean(rows, strata, omit_missing=True)
    alone = stratified_mean(np.delete(rows[0], 3), np.delete(strata, 3))
    assert (found.law.estimate[0], found.law.se[0]) == pytest.approx((alone.law.estimate, alone.law.se))
    rows[0, :15] = np.nan
    found = stratified_mean(rows, strata, omit_missing=True)
    assert found.law.kind.tolist() == [UNDEFINED, 0]
    assert np.isnan(found.law.estimate[0])


def test_strata_of_one_unit_count_as_one_stratum() -> None:
    """Cochran's collapsed strata: two of one unit each, 2 apart, have the variance of a pair; by hand."""
    found = stratified_mean([1.0, 3.0, 0.0, 1.0, 2.0, 1.0], ["a", "b", "c", "c", "c", "c"])
    own = np.var([0, 1, 2, 1], ddof=1) / 4
    assert found.law.se == pytest.approx(np.sqrt((2 * 2.0 + own) / 9))  # n sum of squares / (n - 1) = 2 * 2


def test_a_small_stratum_without_a_difference_is_not_known_exactly() -> None:
    """Five items of one task that happen not to differ widen the interval by one that could have."""
    values = [0.0] * 5 + [1.0, -1.0] * 30
    found = stratified_mean(values, ["small"] * 5 + ["large"] * 60)
    assert found.guarded.se == pytest.approx(np.sqrt(found.within.se**2 + (1 / 5 / 2) ** 2))
    low, high = found.law.interval()
    assert high - low > 2 * 1.96 * found.guarded.se


def test_wrong_shapes_are_refused() -> None:
    """With the numbers that do not go together."""
    with pytest.raises(DataError, match="strata"):
        stratified_mean([1.0, 2.0], ["a"])
    with pytest.raises(DataError, match="values must be finite numbers"):
        stratified_mean([], [])
