"""Differences as looks leave them: one distribution for each pair, of the look at which its row stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tests.comparison.test_looks import N, answers, looked, repeats
from tiebreak.comparison.looked import Looked
from tiebreak.statistics import group_sequential_design, split_information


@pytest.fixture(scope="module")
def answer() -> tb.Comparison:
    """Three looks, of which the first decides two pairs."""
    return looked([100, 250, 500])


def test_tails_and_quantiles_are_one_function_at_the_level_of_the_family(answer: tb.Comparison) -> None:
    """A bound that misses with half of that level has just that tail."""
    found: Any = answer.pair_table.judged
    p = found.home / 2
    for upper in (False, True):
        assert_allclose(found.law.tail(found.law.end(p, upper=upper), upper=upper), p, rtol=1e-6)


def test_some_pairs_are_what_they_are_among_all(answer: tb.Comparison) -> None:
    """Rows in any order, and one pair by itself."""
    found: Any = answer.pair_table.judged
    rows = np.array([2, 0])
    some = found.take(rows)
    assert isinstance(some, Looked)
    assert_allclose(some.law.end(0.01), found.law.end(0.01)[rows], rtol=1e-12)
    assert_allclose(some.law.tail(0.1, upper=True), found.law.tail(0.1, upper=True)[rows], rtol=1e-12)
    assert some.beside["look"].tolist() == found.beside["look"][rows].tolist()
    low, high = answer.pair_table.interval
    for row, (one, two) in enumerate(zip(answer.pair_table.first, answer.pair_table.second, strict=True)):
        pair = answer.pair(answer.models[one], answer.models[two])
        assert_allclose([pair.interval_low, pair.interval_high], [low[row], high[row]], rtol=1e-9)
        mirrored = answer.pair(answer.models[two], answer.models[one])
        assert_allclose([mirrored.interval_low, mirrored.interval_high], [-high[row], -low[row]], rtol=1e-9)
        assert len(pair.differences) == pair.n_units


def test_levels_broadcast(answer: tb.Comparison) -> None:
    """As of any differences: levels of shape (k, 1) give (k, n_pairs) ends."""
    found: Any = answer.pair_table.judged
    levels = np.array([[0.01], [0.05]])
    low, high = found.law.interval_at(levels)
    for k, level in enumerate(levels[:, 0]):
        assert_allclose([low[k], high[k]], found.law.interval_at(level), rtol=1e-12)
    many = np.linspace(0.001, 0.2, 20)[:, None]  # by the shares at the level of the family: still monotone
    assert np.all(np.diff(found.law.end(many), axis=0) >= 0)


def test_what_knows_of_no_looks_is_not_offered(answer: tb.Comparison) -> None:
    """Tests beside an answer, slices and what the table could not see are of one look."""
    assert answer.supplementary_tests == ()
    assert answer.by is None
    assert answer.to_dict()["detectable"] is None


def test_the_forecast_is_what_simulated_ends_of_the_plan_say() -> None:
    """A rope of 0.05 and 300 of 800 questions: the mean of all is drawn given what is there and no more (flat prior), and judged.

    The difference of now has the standard error s, that of all 800 differs from it by a normal with the variance
    s^2 (1 - 300 / 800), and its half-width is s sqrt(300 / 800) times the critical value of the last of two looks; by hand.
    """
    shares = (0.75, 0.72, 0.66)
    now = tb.compare(answers(300, shares), metric="accuracy", rope=0.05, n_total=N)
    design = group_sequential_design([300 / 800, 1.0], alpha=0.05 / 3)
    rng = np.random.default_rng(0)
    for row in now.pairs.itertuples():
        s = (row.interval_high - row.interval_low) / 2 / design.critical[0]
        ends = row.difference + s * np.sqrt(1 - 300 / 800) * rng.normal(size=200_000)
        half = design.critical[1] * s * np.sqrt(300 / 800)
        low, high = ends - half, ends + half
        is_better, is_worse, is_inside = low > 0.05, high < -0.05, (low >= -0.05) & (high <= 0.05)
        decided = is_better | is_worse | is_inside
        same = {"undecided": ~decided & (low <= 0) & (high >= 0), "ahead": ~decided & (low > 0), "behind": ~decided & (high < 0)}
        expected = same[row.verdict].mean() if row.verdict in same else 1.0
        assert_allclose(row.p_stays, expected, atol=0.005)


def test_the_forecast_of_repeats_has_students_tails() -> None:
    """Two of ten repeats; 1 for a pair that is over, and it needs the degrees of freedom of the whole plan."""
    first = tb.compare(repeats(2, (0.0, 0.005)), metric="accuracy", n_train=80, n_test=20, n_total=10)
    (row,) = first.pairs.itertuples()
    t = split_information([10, 50], 50, test_train_ratio=0.25)
    design = group_sequential_design(t, gamma=-8.0, df=[9, 49])
    s, half = row.standard_error, design.critical[1] * row.standard_error * np.sqrt(t[0])
    ends = np.array([-half, half])
    expected = np.diff(stats.t.cdf((ends - row.difference) / (s * np.sqrt(1 - t[0])), 9))[0]
    assert_allclose(row.p_stays, expected, rtol=1e-6)


def test_the_forecast_of_who_may_be_the_best_counts_every_way_to_lose() -> None:
    """Two of three may be best at 300 of 800: 1 less the chances that others are shown above each, normal tails by hand."""
    now = tb.compare(answers(300, (0.7, 0.7, 0.5)), metric="accuracy", family="best", n_total=N)
    design = group_sequential_design([300 / 800, 1.0], alpha=2 * 0.05 / 2)
    may = set(now.ranking.model[now.ranking.may_be_best])
    assert len(may) == 2
    lost = 0.0
    table = now.pair_table
    low, high = table.law.interval_at(2 * 0.05 / 2)  # the bounds of the comparisons with the best
    for first, second, difference, a, b in zip(table.first, table.second, table.difference, low, high, strict=True):
        s = (b - a) / 2 / design.critical[0]
        end, half = s * np.sqrt(1 - 300 / 800), design.critical[1] * s * np.sqrt(300 / 800)
        if now.models[second] in may:
            lost += stats.norm.sf((half - difference) / end)
        if now.models[first] in may:
            lost += stats.norm.cdf((-half - difference) / end)
    assert now.p_contenders_stay is not None
    assert_allclose(1 - now.p_contenders_stay, lost, rtol=1e-6)
    assert tb.compare(answers(300, (0.7, 0.7, 0.5)), metric="accuracy", family="best").p_contenders_stay is None
    assert tb.compare(answers(300, (0.7, 0.7, 0.5)), metric="accuracy", n_total=N).p_contenders_stay is None
    last = tb.compare(answers(800, (0.7, 0.7, 0.5)), metric="accuracy", family="best", looks=now)
    assert last.p_contenders_stay is None


def test_comparisons_with_the_best_share_alpha_one_sided() -> None:
    """Each bound spends alpha / (M - 1); a model that another was shown above stays out, though later data would let it in."""
    shares = (0.85, 0.72, 0.7, 0.7)
    answer = None
    for n in (100, 400, 800):
        answer = tb.compare(answers(n, shares), metric="accuracy", family="best", n_total=N, looks=answer)
    assert answer is not None
    assert answer.looks is not None
    design = group_sequential_design([1 / 8, 0.5, 1.0], alpha=2 * 0.05 / 3)
    assert_allclose([look.interval_alpha for look in answer.looks.taken], design.alphas, rtol=1e-9)
    differences: Any = answer.pair_table.judged
    assert set(differences.beside["look"].tolist()) > {3}
    alone = tb.compare(answers(400, shares), metric="accuracy", alpha=float(design.alphas[1]), correction="none")
    one = next(name for look in answer.looks.taken[1:2] for name in look.decided)
    low, high = answer.pair_table.law.interval_at(2 * 0.05 / 3)
    row = answer.pair_table.row_of(answer.models.index(one[0]), answer.models.index(one[1]))
    assert_allclose([low[row], high[row]], [alone.pair(*one[:2]).interval_low, alone.pair(*one[:2]).interval_high], rtol=1e-9)
    assert tb.compare(answer).looks == answer.looks
