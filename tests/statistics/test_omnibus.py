"""Ranks, Friedman's test and Nemenyi's, Skillings and Mack's; published figures are in tests/reference."""

import re
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.statistics import (
    average_ranks,
    corrected_t,
    critical_difference,
    friedman_from_ranks,
    friedman_test,
    nemenyi,
    rank_cliques,
    rank_differences,
    rank_models,
    rank_quantile,
    skillings_mack,
    wilcoxon,
)

NAN = float("nan")
seeds = st.integers(0, 10_000)


def table(seed: int, n: int = 7, k: int = 4, decimals: int = 1) -> np.ndarray:
    """Scores with ties."""
    return np.round(np.random.default_rng(seed).normal(size=(n, k)), decimals)


@given(seed=seeds)
def test_ranks_are_scipys(seed: int) -> None:
    """Mid-ranks, missing scores left out, in either direction."""
    scores = np.where(np.random.default_rng(seed + 1).random((7, 4)) < 0.2, np.nan, table(seed))
    theirs = stats.rankdata(scores, axis=1, nan_policy="omit")
    np.testing.assert_array_equal(rank_models(scores, higher_is_better=False), theirs)
    np.testing.assert_array_equal(rank_models(-scores), theirs)


def test_decimals_tie() -> None:
    """0.1 + 0.2 and 0.3 are the same score; a scale of a million makes more the same."""
    assert rank_models([[0.1 + 0.2, 0.3, 0.5]]).tolist() == [[2.5, 2.5, 1.0]]
    assert rank_models([[1e-7, 2e-7, 1.0]], scale=[1e6]).tolist() == [[2.5, 2.5, 1.0]]


@pytest.mark.slow
@given(seed=seeds)
def test_friedman_is_scipys(seed: int) -> None:
    """Statistic and p-value with ties."""
    scores = table(seed)
    ours, theirs = friedman_test(scores).friedman, stats.friedmanchisquare(*scores.T)
    assert (ours.statistic, ours.pvalue) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


@pytest.mark.slow
@given(seed=seeds)
def test_iman_davenport_is_the_analysis_of_variance_of_ranks(seed: int) -> None:
    """F of a two-way analysis of the ranks, by sums of squares."""
    result = friedman_test(table(seed))
    ranks = rank_models(table(seed))
    n, k = ranks.shape
    models = n * np.square(ranks.mean(axis=0) - ranks.mean()).sum()
    rest = np.square(ranks - ranks.mean(axis=1, keepdims=True)).sum() - models
    f = (models / (k - 1)) / (rest / ((k - 1) * (n - 1)))
    assert result.iman_davenport.statistic == pytest.approx(f)
    assert result.iman_davenport.pvalue == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


@pytest.mark.slow
@given(seed=seeds)
def test_order_of_models_and_datasets_and_monotone_units(seed: int) -> None:
    """Nothing but the order of scores within a dataset counts."""
    scores = table(seed, decimals=3)
    rng = np.random.default_rng(seed)
    moved = np.exp(scores[rng.permutation(7)] * 2 + rng.normal(size=(7, 1)))
    for test in (friedman_test, skillings_mack):
        one, other = test(scores), test(moved[:, ::-1])
        assert getattr(one, "friedman", one).statistic == pytest.approx(getattr(other, "friedman", other).statistic)
    assert average_ranks(moved[:, ::-1]) == pytest.approx(average_ranks(scores)[::-1])


def test_masked_scores_are_missing() -> None:
    """The number under a mask means nothing; whole numbers can be masked as well."""
    masked = np.ma.masked_array([[3, 2, 1], [3, 1, 2], [9, 1, 2]], mask=[[0, 0, 0], [0, 0, 0], [1, 0, 0]])
    plain = np.where(masked.mask, np.nan, masked.data)
    np.testing.assert_array_equal(rank_models(masked), rank_models(plain))
    first, second = masked[:, 0] - masked[:, 1], plain[:, 0] - plain[:, 1]
    assert wilcoxon(first).n_units == wilcoxon(second).n_units == 2
    ratio = {"test_train_ratio": 0.1}
    assert np.isnan(corrected_t(first, **ratio).pvalue())
    assert corrected_t(first, **ratio, omit_missing=True).df == 1


def test_batches_are_as_one_by_one() -> None:
    """Leading axes are tables."""
    tables = np.stack([table(1), table(2), table(3)])
    together = friedman_test(tables)
    for at in range(3):
        alone = friedman_test(tables[at])
        assert together.friedman.statistic[at] == pytest.approx(alone.friedman.statistic)
        assert together.average_ranks[at].tolist() == alone.average_ranks.tolist()


def test_from_ranks_is_the_test_without_ties() -> None:
    """Average ranks to full digits give the statistic without the correction."""
    scores = table(5)
    given_ranks, full = friedman_from_ranks(average_ranks(scores), 7), friedman_test(scores, tie_correction=False)
    assert given_ranks.friedman == pytest.approx(full.friedman)
    assert given_ranks.kendall_w == pytest.approx(full.kendall_w)


def test_all_tied_and_all_agreed() -> None:
    """Ties only: undefined, p 1. Full agreement: the largest chi-squared, an infinite F, a p-value above 0."""
    tied = friedman_test(np.full((5, 3), 0.8))
    assert np.isnan(tied.friedman.statistic)
    assert (tied.friedman.pvalue, tied.iman_davenport.pvalue) == (1.0, 1.0)
    agreed = friedman_test([[1, 2, 3]] * 4)
    assert agreed.friedman.statistic == 8
    assert agreed.iman_davenport.statistic == np.inf
    assert 0 < agreed.iman_davenport.pvalue < 1e-300
    assert agreed.average_ranks.tolist() == [3, 2, 1]


def test_rank_differences_by_hand() -> None:
    """Positive favours the first of a pair; the control is the first of each of its pairs."""
    error = np.sqrt(3 * 4 / (6 * 20))
    tests = rank_differences([1.2, 2.0, 2.8], 20)
    assert tests.statistic == pytest.approx(np.array([0.8, 1.6, 0.8]) / error)
    assert tests.pvalue() == pytest.approx(2 * stats.norm.sf(np.array([0.8, 1.6, 0.8]) / error))
    control = rank_differences([1.2, 2.0, 2.8], 20, control=1)
    assert control.statistic == pytest.approx(np.array([-0.8, 0.8]) / error)


def test_skillings_mack_as_published() -> None:
    """Skillings and Mack (1981), assembly times of four methods: 15.493, p = 0.0014 with 3 degrees of freedom."""
    times = [
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ]
    result = skillings_mack(times, higher_is_better=False)
    assert (result.statistic, result.df, result.pvalue) == (pytest.approx(15.493, abs=5e-4), 3, pytest.approx(0.00144, abs=5e-6))


@pytest.mark.slow
@given(seed=seeds)
def test_skillings_mack_without_gaps_is_friedman(seed: int) -> None:
    """Ties included; a dataset with one model only counts for nothing."""
    scores = table(seed)
    friedman = friedman_test(scores).friedman
    alone = np.full((1, 4), np.nan)
    alone[0, 1] = 0.5
    for each in (scores, np.vstack([scores, alone])):
        result = skillings_mack(each)
        assert (result.statistic, result.pvalue, result.df) == (
            pytest.approx(friedman.statistic),
            pytest.approx(friedman.pvalue),
            3,
        )


def test_skillings_mack_has_the_covariance_of_all_orders() -> None:
    """Over all orders within three datasets with gaps and a tie the statistic averages to its degrees of freedom."""
    blocks = [[1.0, 2.0, 3.0], [1.0, 2.0, NAN], [1.0, 1.0, 2.0]]
    orders = [list(set(permutations(range(3)))) if not np.isnan(block).any() else [(0, 1, 2), (1, 0, 2)] for block in blocks]
    values = [
        skillings_mack([np.array(block)[list(order)] for block, order in zip(blocks, chosen, strict=True)]).statistic
        for chosen in product(*orders)
    ]
    assert np.mean(values) == pytest.approx(2)


def test_models_without_a_common_dataset_lose_a_degree_of_freedom() -> None:
    """Two pairs of models that never meet: two comparisons, not three."""
    scores = [[1, 2, NAN, NAN], [2, 3, NAN, NAN], [NAN, NAN, 1, 2], [NAN, NAN, 3, 1]]
    assert skillings_mack(scores).df == 2
    assert skillings_mack(np.full((4, 3), 0.5)).pvalue == 1.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: friedman_test([[0.8], [0.7]]), DataError, "2 by 2 or more; got the shape (2, 1)."),
        (lambda: friedman_test([[0.8, 0.7]]), DataError, "2 by 2 or more; got the shape (1, 2)."),
        (lambda: friedman_test([0.8, 0.7]), DataError, "n_datasets, n_models), 2 by 2 or more; got the shape (2,)."),
        (lambda: friedman_test([[0.8, np.inf]] * 3), DataError, "the scores must be finite numbers, or nan"),
        (
            lambda: friedman_test([[0.8, NAN], [1, 2]]),
            DataError,
            "1 scores are missing, and Friedman's test needs every",
        ),
        (lambda: friedman_from_ranks([1.0, 1.5, 2.5], 9), DataError, "of 3 models add up to 6; these are off by 1."),
        (
            lambda: friedman_from_ranks([1.0], 9),
            DataError,
            "the average ranks must be finite numbers of the shape (..., n_models), 2 or more",
        ),
        (
            lambda: rank_differences([1.5, 1.5], 9, control=2),
            InvalidParameterError,
            "control must be the position of a model, 0 to 1",
        ),
        (lambda: skillings_mack([[1, 2, NAN], [2, 1, NAN]]), DataError, "model(s) 2 are not."),
        (
            lambda: skillings_mack([[1, NAN], [NAN, 2]]),
            DataError,
            "each model must be measured on a dataset together",
        ),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()


# --- Nemenyi's test -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5, 10, 40, 200])
@pytest.mark.slow
def test_range_is_scipys(k: int) -> None:
    """Critical values of the studentized range with infinitely many degrees of freedom, over the square root of 2."""
    for alpha in (0.1, 0.05, 0.01, 1e-4):
        assert rank_quantile(k, alpha) == pytest.approx(stats.studentized_range.ppf(1 - alpha, k, np.inf) / 2**0.5, rel=1e-7)
    assert rank_quantile(k, 0.05, df=30) == pytest.approx(stats.studentized_range.ppf(0.95, k, 30) / 2**0.5, rel=1e-9)


def test_small_pvalues_keep_their_digits() -> None:
    """Of five models that differ by far, the p-value is that of the pair times the pairs, as no other exceeds so much."""
    pvalues = nemenyi([1.0, 2.0, 3.0, 4.0, 5.0], 200)
    z = 4 / np.sqrt(5 * 6 / (6 * 200))
    assert pvalues[0, 4] == pytest.approx(10 * 2 * stats.norm.sf(z), rel=1e-6)
    assert np.array_equal(pvalues, pvalues.T)
    assert np.all(np.diag(pvalues) == 1)


@pytest.mark.slow
@given(seed=st.integers(0, 1000))
def test_told_apart_by_p_is_told_apart_by_distance(seed: int) -> None:
    """A p-value is at most alpha exactly where the distance is at least the critical difference."""
    ranks = average_ranks(np.random.default_rng(seed).normal(size=(9, 6)) + np.linspace(0, 2, 6))
    pvalues = nemenyi(ranks, 9)
    distance = np.abs(ranks[:, None] - ranks)
    for alpha in (0.05, 0.2):
        limit = critical_difference(6, 9, alpha)
        clear = np.abs(distance - limit) > 1e-9
        assert np.array_equal((pvalues <= alpha) & clear, (distance >= limit) & clear)


@pytest.mark.slow
@given(
    ranks=st.lists(st.integers(0, 30).map(lambda i: i / 4), min_size=1, max_size=12), span=st.integers(0, 20).map(lambda i: i / 4)
)
def test_cliques_are_the_largest_groups(ranks: list[float], span: float) -> None:
    """Every group spans no more than allowed, cannot be added to, and each pair that is near stands in one."""
    groups = rank_cliques(ranks, span)
    for group in groups:
        values = [ranks[i] for i in group]
        assert max(values) - min(values) <= span + 1e-9
        others = [r for i, r in enumerate(ranks) if i not in group]
        assert all(max(*values, r) - min(*values, r) > span for r in others)
        assert list(group) == sorted(group)
    near = {pair for pair in combinations(range(len(ranks)), 2) if abs(ranks[pair[0]] - ranks[pair[1]]) <= span}
    assert near == {pair for group in groups for pair in combinations(group, 2)}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: nemenyi([1.0, 1.5], 9),
            DataError,
            "the average ranks of 2 models add up to 3; these are off by 0.5.",
        ),
        (
            lambda: nemenyi([[1.0, 2.0]], 9),
            DataError,
            "the average ranks must be finite numbers of the shape (n_models), 2 or more; got the shape (1, 2).",
        ),
        (lambda: critical_difference(1, 9), InvalidParameterError, "n_models must be a whole number of at least 2; got 1."),
        (lambda: critical_difference(3, 1), InvalidParameterError, "n_datasets must be a whole number of at least 2; got 1."),
        (lambda: rank_quantile(3, 5), InvalidParameterError, "alpha must lie between 0 and 1"),
        (
            lambda: rank_quantile(3, test="dunn"),
            InvalidParameterError,
            "test must be one of 'nemenyi', 'bonferroni-dunn'; got 'dunn'.",
        ),
        (lambda: rank_quantile(3, df=0), InvalidParameterError, "df must be above 0; got 0."),
    ],
)
def test_wrong_ranks_are_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()
