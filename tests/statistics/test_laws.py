"""Promises that all laws of paired differences keep, each function in turn: they are written out once, here."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak import statistics as tb
from tiebreak.numerics import CONSTANT, IDENTICAL, UNDEFINED
from tiebreak.numerics.law import Law
from tiebreak.statistics.skew import skewed, skewness_of_mean

N = 12
GROUPS, WEIGHTS, EVERY = np.repeat(np.arange(4), 3), np.tile([1.0, 2.0, 0.5], 4), np.arange(N)

Rows = np.ndarray[Any, Any]


def hall(d: Rows, _: Rows) -> Law:
    return skewed(tb.paired_t(d), skewness_of_mean(d - d.mean(axis=-1, keepdims=True)))


def right_or_wrong(d: Rows, _: Rows) -> Law:
    """Positive differences are examples that only the first has right, others those that only the second has."""
    return tb.tango(3, np.count_nonzero(d > 0, axis=-1), np.count_nonzero(d < 0, axis=-1), 4)


def two_test_sets(d: Rows, _: Rows) -> Law:
    counts = [(1 + np.sign(half)).sum(axis=-1) / 2 for half in (d[..., :6], d[..., 6:])]
    return tb.newcombe(counts[0], 6, counts[1], 6)


LAWS: dict[str, Callable[[Rows, Rows], Law]] = {
    "corrected_t": lambda d, _: tb.corrected_t(d, 0.1, omit_missing=True),
    "clustered_mean": lambda d, at: tb.clustered_mean(d, GROUPS[at], weights=WEIGHTS[at], omit_missing=True),
    "stratified_mean": lambda d, at: tb.stratified_mean(d, GROUPS[at], weights=WEIGHTS[at], omit_missing=True).law,
    "crossed_mean": lambda d, at: tb.crossed_mean(d[..., None, :] * np.array([[1.0], [0.8], [1.3]]), GROUPS[at]).law,
    "wilcoxon": lambda d, _: tb.wilcoxon(d),
    "sign_test": lambda d, _: tb.sign_test(d),
    "welch_ttest": lambda d, _: tb.welch_ttest(d[..., :6], d[..., 6:]),
    "diebold_mariano": lambda d, _: tb.diebold_mariano(d),
    "hall": hall,
    "tango": right_or_wrong,
    "newcombe": two_test_sets,
    "signed_rank_centre": lambda d, _: tb.signed_rank_centre(d, n_draws=2000, omit_missing=True),
}
"""By name: the law of rows of differences whose units stand at these places of all."""

COUNTED, STEPS = {"tango", "newcombe"}, {"wilcoxon", "sign_test", "signed_rank_centre"}
"""Laws that know the signs of differences only; laws whose tails are steps."""

of_each = pytest.mark.parametrize("name", LAWS)
of_all_but = {
    "counts": pytest.mark.parametrize("name", sorted(LAWS.keys() - COUNTED)),
    "steps": pytest.mark.parametrize("name", sorted(LAWS.keys() - STEPS)),
    "gapless": pytest.mark.parametrize("name", sorted(LAWS.keys() - COUNTED - {"crossed_mean", "diebold_mariano", "hall"})),
    "ordered": pytest.mark.parametrize("name", sorted(LAWS.keys() - {"diebold_mariano", "welch_ttest", "newcombe"})),
}


@pytest.fixture
def d(rng: np.random.Generator) -> Rows:
    """A row of numbers, one of tenths with ties and a zero, and one far on one side."""
    rows = rng.normal(0.3, 1.0, (3, N))
    rows[1] = np.round(rows[1], 1)
    rows[1, 0], rows[2] = 0.0, rows[2] + 4.0
    return rows


def facts(law: Law) -> list[Any]:
    """Numbers that are read off a law, of shape (n_rows,) each."""
    ends = [end for level in (0.5, 0.95) for end in law.interval(level)]
    return [law.estimate, *ends, *map(law.pvalue, ("two-sided", "greater", "less")), *law.probabilities(0.2)]


@of_each
def test_swapped_models_mirror_the_answer(name: str, d: Rows) -> None:
    """Which model is called the first turns signs and sides, and nothing else."""
    law, mirrored = LAWS[name](d, EVERY), LAWS[name](-d, EVERY)
    assert_allclose(mirrored.estimate, 0.0 - np.asarray(law.estimate), rtol=1e-12)
    assert_allclose(mirrored.interval().low, 0.0 - np.asarray(law.interval().high), rtol=1e-10)
    assert_allclose(mirrored.pvalue("greater"), law.pvalue("less"), rtol=1e-10)
    assert_allclose(mirrored.probabilities(0.2)[::-1], law.probabilities(0.2), rtol=1e-9, atol=1e-14)


@of_all_but["counts"]
@pytest.mark.parametrize("unit", [2.0**-40, 1e9])
def test_another_unit_turns_estimates_and_ends_and_leaves_chances(name: str, unit: float, d: Rows) -> None:
    """Percent instead of shares, or trillionths; p-values have no unit."""
    law, other = LAWS[name](d, EVERY), LAWS[name](unit * d, EVERY)
    assert_allclose([other.estimate, *other.interval()], unit * np.array([law.estimate, *law.interval()]), rtol=1e-9)
    assert_allclose([other.pvalue(), *other.probabilities(0.2 * unit)], [law.pvalue(), *law.probabilities(0.2)], rtol=1e-9)


@of_all_but["ordered"]
def test_units_are_in_no_order(name: str, d: Rows, rng: np.random.Generator) -> None:
    """Their groups and weights go with them."""
    at = rng.permutation(N)
    assert_allclose(facts(LAWS[name](d[:, at], at)), facts(LAWS[name](d, EVERY)), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@of_each
def test_rows_of_a_batch_are_as_by_themselves(name: str, d: Rows) -> None:
    """Beside rows that do not differ, or always by the same; some are taken, and other leading axes are the same rows."""
    rows = np.concatenate([d, np.zeros((1, N)), np.full((1, N), 0.01)])
    law, alone = LAWS[name](rows, EVERY), [LAWS[name](row, EVERY) for row in rows]
    assert_array_equal(law.kind, [each.kind for each in alone])
    assert_array_equal(np.broadcast_to(law.n_units, len(rows)), [each.n_units for each in alone])
    assert_allclose(np.array(facts(law)).T, [facts(each) for each in alone], rtol=1e-9, atol=1e-14)
    assert_array_equal(facts(law.take(np.array([4, 1]))), np.array(facts(law))[:, [4, 1]])
    folded = LAWS[name](rows[:4].reshape(2, 2, N), EVERY)
    assert_allclose(np.reshape(facts(folded), (-1, 4)), np.array(facts(law))[:, :4], rtol=1e-12)


@pytest.mark.slow
@of_each
def test_a_law_can_be_pickled(name: str, d: Rows) -> None:
    """As answers travel between processes."""
    law = LAWS[name](d, EVERY)
    assert_array_equal(facts(pickle.loads(pickle.dumps(law))), facts(law))


@pytest.mark.slow
@of_all_but["gapless"]
def test_a_gap_is_a_unit_less_and_spoils_no_other_row(name: str, d: Rows) -> None:
    """A row with nan has the answer of the rest, and one without a value has none."""
    rows = np.stack([d[0], d[0], np.full(N, np.nan)])
    rows[1, 4] = np.nan
    law = LAWS[name](rows, EVERY)
    there = np.delete(EVERY, 4)
    assert_allclose(np.array(facts(law))[:, 0], facts(LAWS[name](d[0], EVERY)), rtol=1e-9, atol=1e-14)
    if name != "welch_ttest":  # a row of which is not known without it
        assert_allclose(np.array(facts(law))[:, 1], facts(LAWS[name](d[0, there], there)), rtol=1e-9, atol=1e-14)
    assert law.kind[2] == UNDEFINED
    assert np.isnan([law.pvalue()[2], *(end[2] for end in law.interval())]).all()


@of_all_but["steps"]
def test_a_tail_at_an_end_is_its_chance_and_p_the_level_that_ends_at_zero(name: str, d: Rows) -> None:
    """Ends and tails undo each other, so that the test rejects exactly where the interval leaves 0 out."""
    law = LAWS[name](d[:2], EVERY)
    chances = np.array([[0.005], [0.025], [0.3], [0.8]])
    for upper in (False, True):
        assert_allclose(law.tail(law.end(chances, upper=upper), upper=upper), np.broadcast_to(chances, (4, 2)), rtol=1e-6)
    ends = law.interval_at(np.asarray(law.pvalue()))
    assert_allclose(np.minimum(np.abs(ends.low), np.abs(ends.high)), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["corrected_t", "clustered_mean", "stratified_mean", "crossed_mean", "diebold_mariano"])
def test_differences_without_spread(name: str) -> None:
    """All 0: nothing speaks against equality, p 1. Always the same: an infinite statistic, no p-value. No interval for either."""
    law = LAWS[name](np.stack([np.zeros(N), np.full(N, 0.02), np.full(N, 0.91 - 0.90)]), EVERY)
    assert_array_equal(law.kind, [IDENTICAL, CONSTANT, CONSTANT])
    assert_array_equal(law.statistic, [np.nan, np.inf, np.inf])
    assert_array_equal(law.pvalue(), [1.0, np.nan, np.nan])
    assert np.isnan(law.interval()).all()
