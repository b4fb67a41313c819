"""Corrections against their definitions: closed tests over all subsets, textbook steps, scipy's false discovery rate."""

from collections.abc import Callable
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.statistics import adjust_pvalues, shaffer_sets
from tiebreak.statistics.family import Correction, shared_alpha

ALL = tuple(name for name in get_args(Correction) if name != "shaffer")
"""Those for any number of p-values; Shaffer's is for all pairs, below."""


def closed(p: np.ndarray, combined: Callable[[np.ndarray], float]) -> np.ndarray:
    """Closed testing: a hypothesis falls when every set it is in falls, so its p-value is the largest of theirs."""
    adjusted = np.zeros(p.size)
    for size in range(1, p.size + 1):
        for members in combinations(range(p.size), size):
            value = combined(p[list(members)])
            for member in members:
                adjusted[member] = max(adjusted[member], value)
    return adjusted


def step_down(p: np.ndarray, factor: Callable[[int, int], float]) -> np.ndarray:
    """The largest of ``factor(rank, m) * p`` over p-values up to one's own."""
    order = sorted(range(p.size), key=lambda i: p[i])
    result, so_far = np.empty(p.size), 0.0
    for rank, i in enumerate(order, start=1):
        so_far = max(so_far, factor(rank, p.size) * p[i])
        result[i] = min(1.0, so_far)
    return result


def step_up(p: np.ndarray, factor: Callable[[int, int], float]) -> np.ndarray:
    """The smallest of ``factor(rank, m) * p`` over p-values from one's own."""
    order = sorted(range(p.size), key=lambda i: p[i])
    result, so_far = np.empty(p.size), 1.0
    for rank, i in reversed(list(enumerate(order, start=1))):
        so_far = min(so_far, factor(rank, p.size) * p[i])
        result[i] = so_far
    return result


TEXTBOOK: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bonferroni": lambda p: np.minimum(1, p.size * p),
    "holm": lambda p: step_down(p, lambda rank, m: m - rank + 1),
    "bh": lambda p: step_up(p, lambda rank, m: m / rank),
    "none": lambda p: p,
}

pvalues = st.lists(
    st.one_of(
        st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.05, 0.025, 0.01, 1e-300]), st.integers(0, 100).map(lambda i: i / 100)
    ),
    min_size=1,
    max_size=40,
).map(np.array)


@pytest.mark.slow
@settings(max_examples=150)
@given(p=pvalues)
def test_textbook(p: np.ndarray) -> None:
    """Each correction by its definition, ties, zeros and ones included."""
    for correction in ALL:
        expected = np.minimum(1, TEXTBOOK[correction](p))
        assert_allclose(adjust_pvalues(p, correction), expected, rtol=1e-12, atol=1e-14, err_msg=correction)


@pytest.mark.slow
@settings(max_examples=100)
@given(p=pvalues.map(lambda p: p[:7]))
def test_holm_is_a_closed_test(p: np.ndarray) -> None:
    """Over all 127 subsets: the closed Bonferroni test."""
    assert_allclose(adjust_pvalues(p, "holm"), closed(p, lambda part: min(1.0, part.size * float(part.min()))), rtol=1e-12)


@pytest.mark.parametrize("correction", ALL)
def test_undefined_tests_count_as_one(correction: Correction) -> None:
    """A nan enters the family as p = 1 and stays nan (design section 4)."""
    p = np.array([0.01, np.nan, 0.03, np.nan, 0.2])
    got, expected = adjust_pvalues(p, correction), adjust_pvalues(np.nan_to_num(p, nan=1.0), correction)
    assert_array_equal(got[[0, 2, 4]], expected[[0, 2, 4]])
    assert_array_equal(got[[1, 3]], np.nan)
    assert_array_equal(adjust_pvalues([np.nan, np.nan], correction), np.nan)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", "none"])
def test_the_level_lies_between_what_is_rejected_and_what_is_not(correction: Correction, seed: int) -> None:
    """A p-value is at most the level exactly where its adjusted one is at most alpha; a nan counts in m."""
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(12) < 0.5, rng.random(12), rng.random(12) * 0.01)
    p[seed % 3 :: 7] = np.nan
    level = shared_alpha(p, correction, 0.05)
    rejected = adjust_pvalues(p, correction) <= 0.05
    assert_array_equal(p <= level, rejected)


def test_levels_by_hand() -> None:
    """0.001, 0.02, 0.03, 0.9 at 0.05: Holm rejects one, so alpha / 3; BH three, so 3 alpha / 4, of none alpha / 4."""
    p = [0.03, 0.001, 0.9, 0.02]
    expected = {
        "bonferroni": 0.0125,
        "holm": 0.05 / 3,
        "bh": 0.0375,
        "none": 0.05,
    }
    for correction, level in expected.items():
        assert shared_alpha(p, correction, 0.05) == pytest.approx(level, rel=1e-12), correction
    assert shared_alpha([0.001, 0.002], "holm", 0.05) == 0.05
    assert shared_alpha([0.3, 0.4, 0.9, 0.2], "bh", 0.05) == 0.0125


def test_a_pvalue_on_its_limit_is_rejected() -> None:
    """0.025 x 2 is 0.05, Holm's first step at m = 2, so one is left, at alpha; 0.0125 x 4 likewise leaves three."""
    assert shared_alpha([0.025, 0.9], "holm", 0.05) == 0.05
    assert shared_alpha([0.0125, 0.9, 0.9, 0.9], "holm", 0.05) == pytest.approx(0.05 / 3, rel=1e-12)


# --- Shaffer's static correction, against all partitions of the models -----------------------------------------------------

families = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.5, 1.0])),
        min_size=k * (k - 1) // 2,
        max_size=k * (k - 1) // 2,
    ).map(np.array)
)


def alike(k: int) -> set[tuple[bool, ...]]:
    """For every way to call models alike, which pairs are: by trying all labels of the models."""
    return {tuple(labels[i] == labels[j] for i, j in combinations(range(k), 2)) for labels in product(range(k), repeat=k)}


@pytest.mark.slow
def test_shaffers_sets_are_what_labels_can_give() -> None:
    """Of up to six models; and as printed, Shaffer (1986), table 2: of ten models' 45 pairs below all 36, 29, 28 and 24."""
    for k in range(1, 7):
        assert shaffer_sets(k) == tuple(sorted({sum(pairs) for pairs in alike(k)}))
    assert shaffer_sets(10)[-5:] == (24, 28, 29, 36, 45)


def test_shaffer_by_hand() -> None:
    """Four models, p of 1 to 6 hundredths: factors 6, 3, 3, 3, 2, 1, as five or four pairs cannot be left alike."""
    p = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert_allclose(adjust_pvalues(p[::-1], "shaffer")[::-1], [0.06, 0.06, 0.09, 0.12, 0.12, 0.12])
    got = adjust_pvalues([0.01, np.nan, 0.2], "shaffer")  # a pair without a test is still a hypothesis
    assert_allclose(got, np.where([False, True, False], np.nan, adjust_pvalues([0.01, 1.0, 0.2], "shaffer")))


@pytest.mark.slow
@given(p=families)
def test_shaffers_is_sharper_than_holms_and_still_closed(p: np.ndarray) -> None:
    """Between the closed Bonferroni test over all sets of pairs that can be alike, whose error rate is alpha, and Holm's."""
    k = {1: 2, 3: 3, 6: 4, 10: 5}[p.size]
    closed = np.zeros(p.size)
    for pairs in alike(k):
        members = np.array(pairs)
        if members.any():
            closed[members] = np.maximum(closed[members], min(1.0, members.sum() * p[members].min()))
    shaffer = adjust_pvalues(p, "shaffer")
    assert np.all(closed <= shaffer + 1e-12)
    assert np.all(shaffer <= adjust_pvalues(p, "holm") + 1e-12)
