"""Shaffer's static correction and that of Bergmann and Hommel, against closed testing over all partitions of the models."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import adjust_pvalues, bergmann_hommel, shaffer_sets

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


@pytest.mark.parametrize("k", range(1, 7))
def test_sets_are_what_labels_can_give(k: int) -> None:
    """The numbers of equal pairs over all labellings of up to six models."""
    assert shaffer_sets(k) == tuple(sorted({sum(pairs) for pairs in alike(k)}))


def test_sets_as_printed() -> None:
    """Shaffer (1986), table 2, for ten models: the largest numbers below all 45 pairs are 36, 29, 28 and 24."""
    assert shaffer_sets(10)[-5:] == (24, 28, 29, 36, 45)


@given(p=families)
@pytest.mark.slow
def test_bergmann_hommel_is_the_closed_bonferroni_test(p: np.ndarray) -> None:
    """Each set of pairs that can be alike is tested by Bonferroni; a pair falls when all sets that hold it do."""
    k = {1: 2, 3: 3, 6: 4, 10: 5}[p.size]
    expected = np.zeros(p.size)
    for pairs in alike(k):
        members = np.array(pairs)
        if members.any():
            expected[members] = np.maximum(expected[members], min(1.0, members.sum() * p[members].min()))
    assert_allclose(bergmann_hommel(p), expected, rtol=1e-12)


@given(p=families)
def test_each_is_at_least_as_sharp_as_the_one_before(p: np.ndarray) -> None:
    """Bergmann and Hommel reject what Shaffer rejects, and Shaffer what Holm does; none goes below the p-value."""
    holm, shaffer, closed = adjust_pvalues(p, "holm"), adjust_pvalues(p, "shaffer"), bergmann_hommel(p)
    assert np.all(p <= closed + 1e-15)
    assert np.all(closed <= shaffer + 1e-12)
    assert np.all(shaffer <= holm + 1e-12)


def test_shaffer_by_hand() -> None:
    """Four models, p of 1 to 6 hundredths: factors 6, 3, 3, 3, 2, 1, as five or four pairs cannot be left alike."""
    p = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert_allclose(adjust_pvalues(p[::-1], "shaffer")[::-1], [0.06, 0.06, 0.09, 0.12, 0.12, 0.12])


def test_a_nan_counts_as_one_and_stays() -> None:
    """A pair without a test is still a hypothesis."""
    for adjust in (lambda p: adjust_pvalues(p, "shaffer"), bergmann_hommel):
        got = adjust([0.01, np.nan, 0.2])
        assert np.isnan(got).tolist() == [False, True, False]
        assert_allclose(got[[0, 2]], np.asarray(adjust([0.01, 1.0, 0.2]))[[0, 2]])


@given(seed=st.integers(0, 1000))
def test_names_of_models_do_not_matter(seed: int) -> None:
    """The models of all pairs in another order: the same adjusted p-values, in that order."""
    rng = np.random.default_rng(seed)
    table = np.zeros((5, 5))
    rows, columns = np.triu_indices(5, 1)
    table[rows, columns] = table[columns, rows] = rng.random(10) ** 3
    order = rng.permutation(5)
    adjusted = np.zeros((5, 5))
    adjusted[rows, columns] = adjusted[columns, rows] = bergmann_hommel(table[rows, columns])
    assert_allclose(bergmann_hommel(table[order][:, order][rows, columns]), adjusted[order][:, order][rows, columns])


def test_wrong_use_is_refused() -> None:
    """Numbers of p-values that are none of all pairs, too many models, values that are no p-values."""
    text = "this correction is for all pairs of models, which are 1, 3, 6, 10, ...; got 4 p-values."
    for adjust in (lambda p: adjust_pvalues(p, "shaffer"), bergmann_hommel):
        with pytest.raises(InvalidParameterError, match=re.escape(text)):
            adjust([0.1] * 4)
    with pytest.raises(InvalidParameterError, match=r"takes 9 models at most; got 10\. Use 'shaffer'"):
        bergmann_hommel(np.full(45, 0.5))
    with pytest.raises(InvalidParameterError, match="lie between 0 and 1"):
        bergmann_hommel([0.1, 0.2, 1.2])
    with pytest.raises(InvalidParameterError, match="n_models must be a whole number of at least 0"):
        shaffer_sets(2.5)  # type: ignore[arg-type]
