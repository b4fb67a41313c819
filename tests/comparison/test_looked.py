"""Differences as looks leave them: one distribution for each pair, of the look at which its row stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tests.comparison.test_looks import looked
from tiebreak.comparison.looked import LookedDifferences


@pytest.fixture(scope="module")
def answer() -> tb.Comparison:
    """Three looks, of which the first decides two pairs."""
    return looked([100, 250, 500])


def test_tails_and_quantiles_are_one_function_at_the_level_of_the_family(answer: tb.Comparison) -> None:
    """A bound that misses with half of that level has just that tail."""
    found: Any = answer.pair_table.differences
    p = found.home / 2
    for upper, tail in ((False, found.tail_below), (True, found.tail_above)):
        assert_allclose(tail(found.quantile(p, upper=upper)), p, rtol=1e-6)


def test_some_pairs_are_what_they_are_among_all(answer: tb.Comparison) -> None:
    """Rows in any order, and one pair by itself."""
    found: Any = answer.pair_table.differences
    rows = np.array([2, 0])
    some = found.take(rows)
    assert isinstance(some, LookedDifferences)
    assert_allclose(some.quantile(0.01), found.quantile(0.01)[rows], rtol=1e-12)
    assert_allclose(some.tail_above(0.1), found.tail_above(0.1)[rows], rtol=1e-12)
    assert some.look.tolist() == found.look[rows].tolist()
    low, high = answer.pair_table.interval
    for row, (one, two) in enumerate(zip(answer.pair_table.first, answer.pair_table.second, strict=True)):
        pair = answer.pair(answer.models[one], answer.models[two])
        assert_allclose([pair.interval_low, pair.interval_high], [low[row], high[row]], rtol=1e-9)
        mirrored = answer.pair(answer.models[two], answer.models[one])
        assert_allclose([mirrored.interval_low, mirrored.interval_high], [-high[row], -low[row]], rtol=1e-9)
        assert len(pair.differences) == pair.n_units


def test_levels_broadcast(answer: tb.Comparison) -> None:
    """As of any differences: levels of shape (k, 1) give (k, n_pairs) ends."""
    found: Any = answer.pair_table.differences
    levels = np.array([[0.01], [0.05]])
    low, high = found.interval(levels)
    for k, level in enumerate(levels[:, 0]):
        assert_allclose([low[k], high[k]], found.interval(level), rtol=1e-12)
    many = np.linspace(0.001, 0.2, 20)[:, None]  # by the shares at the level of the family: still monotone
    assert np.all(np.diff(found.quantile(many), axis=0) >= 0)


def test_what_knows_of_no_looks_is_not_offered(answer: tb.Comparison) -> None:
    """Tests beside an answer, slices and what the table could not see are of one look."""
    assert answer.supplementary_tests == ()
    assert answer.by is None
    assert answer.to_dict()["detectable"] is None
