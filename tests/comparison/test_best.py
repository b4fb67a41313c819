"""Comparisons with the best: which models may be it, and by how much at most each falls short."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tests.comparison.tables import compared, noisy
from tiebreak.comparison.best import best_level

N = float("nan")
CYCLE = [
    [0.90, 0.91, 0.90, 0.89, N, N, N, N, 0.70, 0.71, 0.70, 0.69],
    [0.70, 0.71, 0.71, 0.70, 0.90, 0.91, 0.90, 0.89, N, N, N, N],
    [N, N, N, N, 0.70, 0.71, 0.71, 0.70, 0.90, 0.91, 0.91, 0.90],
]
"""a beats b on what they share, b beats c, c beats a."""


def by_the_book(scores: np.ndarray, rope: float, alpha: float) -> tuple[list[bool], list[float], list[str]]:
    """Hsu's bounds by plain loops and scipy, for complete scores of ten folds: in G, shortfall, standing."""
    m, n = scores.shape
    level, bounds = alpha / max(2, m - 1), {}
    for j in range(m):
        for i in range(m):
            if i != j:
                d = scores[j] - scores[i]
                half = stats.t.isf(level, n - 1) * np.sqrt((1 / n + 1 / 9) * d.var(ddof=1))
                bounds[j, i] = d.mean() - half, d.mean() + half
    in_g = [not any(bounds[j, i][0] > 0 for j in range(m) if j != i) for i in range(m)]
    short = [max([0.0, *(bounds[j, i][1] for j in range(m) if j != i and in_g[j])]) for i in range(m)]
    standing = []
    for i in range(m):
        word = "may be best" if in_g[i] else "not best"
        word = "near best" if rope and short[i] <= rope else word
        standing.append("best" if in_g[i] and sum(in_g) == 1 else word)
    return in_g, short, standing


@pytest.mark.slow
@pytest.mark.parametrize("rope", [0.0, 0.02])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("baseline", [None, "d"])
def test_bounds_are_those_of_the_book(rope: float, alpha: float, baseline: str | None) -> None:
    """On twenty random tables of six models, with and without a baseline; all standings occur."""
    names, seen = list("abcdef"), set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        means = rng.uniform(0.66, 0.80, 6)
        answer = compared(noisy(*means, seed=seed), names, rope=rope, alpha=alpha, baseline=baseline)
        in_g, short, standing = by_the_book(answer.matrix.score, rope, alpha)
        ranking = answer.ranking
        assert_array_equal(ranking["may_be_best"], in_g)
        assert_allclose(ranking["shortfall_high"], short, rtol=1e-9, atol=1e-12)
        assert list(ranking["standing"]) == standing
        assert answer.shortlist() == tuple(name for name, stays in zip(answer.models, in_g, strict=True) if stays)
        seen.update(standing)
    assert seen >= {"best", "may be best", "not best"}


def test_near_best_needs_the_bound_within_the_rope() -> None:
    """Two models that differ by little noise: both near best at a rope of 0.01, neither alone."""
    table = noisy(0.80, 0.60, noise=0.05)
    table = np.vstack([table, table[0] - 0.001 + np.random.default_rng(3).normal(0, 0.002, table.shape[1])])
    assert list(compared(table, rope=0.01).ranking["standing"]) == ["near best", "near best", "not best"]


def test_cyclic_gaps_leave_all_models() -> None:
    """a above b above c above a: each is in the one component that nobody outside enters."""
    answer = compared(CYCLE, missing="pairwise")
    assert set(answer.pairs["verdict"]) == {"better", "worse"} or set(answer.pairs["verdict"]) <= {"better", "worse"}
    assert set(answer.shortlist()) == {"a", "b", "c"}
    for text in (str(answer), answer.to_markdown(), answer._repr_html_()):
        assert "nan" not in text


def test_a_model_below_the_cycle_is_not_among_them() -> None:
    """A fourth model, worse than all on every split, is entered from outside."""
    below = [0.5, 0.51, 0.5, 0.49, 0.5, 0.51, 0.5, 0.49, 0.5, 0.51, 0.5, 0.49]
    answer = compared([*CYCLE, below], missing="pairwise")
    assert set(answer.shortlist()) == {"a", "b", "c"}


def test_without_an_interval_nothing_is_shown_and_nothing_is_bounded() -> None:
    """A constant gap removes nobody; how far the models of that pair fall short is not known."""
    base = noisy(0.8)[0]
    ranking = compared([base, base - 0.3, base]).ranking
    assert_array_equal(ranking["may_be_best"], True)
    assert ranking["shortfall_high"].isna().all()
    assert set(ranking["standing"]) == {"may be best"}


def test_level_is_shared_by_rivals_and_questions() -> None:
    """alpha / max(2, M - 1), and over n questions."""
    assert best_level(0.05, 2) == best_level(0.05, 3) == 0.025
    assert best_level(0.06, 4) == pytest.approx(0.02)
    assert best_level(0.06, 4, 3) == pytest.approx(0.02 / 3)


def test_bounds_at_another_level_are_for_requirements() -> None:
    """`Comparison.best_bounds`: at the ranking's own level it is the ranking; smaller levels are wider."""
    answer = compared(noisy(0.80, 0.79, 0.75))
    own, wider = (answer.best_bounds(best_level(0.05, 3, n)) for n in (1, 2))
    assert_array_equal(own.shortfall_high, answer.ranking["shortfall_high"])
    assert np.all(wider.shortfall_high > own.shortfall_high)
    assert np.all(wider.shortfall_low < own.shortfall_low)
    lows = [answer.best_bounds(0.025).shortfall_low[row] for row in range(3)]
    pair = answer.pair(answer.models[0], answer.models[2])
    assert lows[2] == pytest.approx(pair.test.interval_at(0.05).low)


def test_rank_intervals_count_the_models_shown_better_and_worse() -> None:
    """By the intervals of the pairs, counted here one by one; absent with a baseline."""
    answer = compared(noisy(0.80, 0.60, 0.79, 0.70), rope=0.01)
    for row in answer.ranking.itertuples():
        others = [answer.pair(row.model, name) for name in answer.models if name != row.model]
        assert row.rank_low == 1 + sum(pair.interval_high < 0 for pair in others)
        assert row.rank_high == 4 - sum(pair.interval_low > 0 for pair in others)
    assert "rank_low" not in compared(noisy(0.80, 0.60, 0.79), baseline="a").ranking
