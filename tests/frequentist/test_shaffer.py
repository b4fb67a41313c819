"""Shaffer's static correction, against all partitions of the models."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import adjust_pvalues, shaffer_sets

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


def test_shaffer_by_hand() -> None:
    """Four models, p of 1 to 6 hundredths: factors 6, 3, 3, 3, 2, 1, as five or four pairs cannot be left alike."""
    p = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert_allclose(adjust_pvalues(p[::-1], "shaffer")[::-1], [0.06, 0.06, 0.09, 0.12, 0.12, 0.12])


@given(p=families)
def test_it_is_sharper_than_holms_and_still_closed(p: np.ndarray) -> None:
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


def test_a_nan_counts_as_one_and_stays() -> None:
    """A pair without a test is still a hypothesis."""
    got = adjust_pvalues([0.01, np.nan, 0.2], "shaffer")
    assert np.isnan(got).tolist() == [False, True, False]
    assert_allclose(got[[0, 2]], adjust_pvalues([0.01, 1.0, 0.2], "shaffer")[[0, 2]])


def test_wrong_use_is_refused() -> None:
    """Numbers of p-values that are none of all pairs, numbers of models that are none."""
    text = "this correction is for all pairs of models, which are 1, 3, 6, 10, ...; got 4 p-values."
    with pytest.raises(InvalidParameterError, match=re.escape(text)):
        adjust_pvalues([0.1] * 4, "shaffer")
    with pytest.raises(InvalidParameterError, match="n_models must be a whole number of at least 0"):
        shaffer_sets(2.5)  # type: ignore[arg-type]
