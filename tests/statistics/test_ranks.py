"""Signed-rank and sign test, Friedman's and Nemenyi's, against enumeration and scipy; published ones are in tests/reference."""

from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiebreak.numerics.law import IDENTICAL, SPREAD, UNDEFINED, Law
from tiebreak.statistics import (
    average_ranks,
    corrected_t,
    critical_difference,
    friedman_test,
    hodges_lehmann,
    nemenyi,
    rank_cliques,
    rank_models,
    rank_quantile,
    sign_counts,
    sign_test,
    signed_ranks,
    skillings_mack,
    wilcoxon,
)

decimals = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(lambda values: np.array(values) * 0.1)
tenths = st.lists(st.integers(-5, 5), min_size=1, max_size=80).map(lambda values: np.array(values) / 10)


def by_enumeration(d: np.ndarray, zeros: str) -> tuple[float, float]:
    """One-sided p-values over all signs of the ranks; differences are tenths, compared as whole numbers."""
    whole = np.rint(d * 10).astype(int)
    kept = whole if zeros == "pratt" else whole[whole != 0]
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    observed = ranks[kept[kept != 0] > 0].sum()
    sums = np.array([np.dot(ranks, signs) for signs in product((0, 1), repeat=ranks.size)])
    return float(np.mean(sums >= observed - 1e-9)), float(np.mean(sums <= observed + 1e-9))


@given(d=decimals, zeros=st.sampled_from(["drop", "pratt"]))
@pytest.mark.slow
def test_exact_is_enumeration(d: np.ndarray, zeros: Any) -> None:
    """All signs tried, with ties and zeros that only decimals show: 0.3 - 0.2 and 0.8 - 0.7 are the same."""
    greater, less = by_enumeration(d, zeros) if np.any(np.abs(d) > 1e-9) else (1.0, 1.0)
    shifted = (d + 0.7) - 0.7  # rounding noise
    law = wilcoxon(shifted, zeros=zeros, scale=1)
    assert law.pvalue("greater") == pytest.approx(greater)
    assert law.pvalue("less") == pytest.approx(less)
    assert law.pvalue() == pytest.approx(min(1.0, 2 * min(greater, less)))


@pytest.mark.parametrize("n", [6, 25, 50, 51, 300])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scipy_agrees_without_ties(n: int, alternative: Any) -> None:
    """Exact p-values, and normal ones with and without the correction for continuity."""
    d = np.random.default_rng(n).normal(0.2, 1, n)
    exact = stats.wilcoxon(d, alternative=alternative, method="exact").pvalue
    assert wilcoxon(d, method="exact").pvalue(alternative) == pytest.approx(exact, rel=1e-9)
    for correction in (True, False):
        theirs = stats.wilcoxon(d, alternative=alternative, method="asymptotic", correction=correction)
        ours = wilcoxon(d, method="normal", continuity=correction)
        if correction and alternative != "two-sided":  # scipy moves the sum towards the mean whatever is asked
            continue
        assert ours.pvalue(alternative) == pytest.approx(theirs.pvalue, rel=1e-9)
    expected = wilcoxon(d, method="exact" if n <= 50 else "normal")
    assert wilcoxon(d).pvalue(alternative) == expected.pvalue(alternative)


def assert_ends_cross(test: Law, alpha: float) -> None:
    """The interval holds exactly the shifts that the shifted test does not reject, and all where it has no ends."""
    low, high = test.interval_at(alpha)
    inside = np.isfinite(low)
    assert np.array_equal(inside, np.isfinite(high))
    for end, tail, step in ((low, test.tail, -1e-9), (high, partial(test.tail, upper=True), 1e-9)):
        assert np.all(tail(np.where(inside, end, 0))[inside] > alpha / 2)
        assert np.all(tail(np.where(inside, end + step, 0))[inside] <= alpha / 2)
    usable = ~inside & (test.kind == SPREAD)
    assert np.all(test.tail(-100.0)[usable] > alpha / 2)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6, 9, 30, 50, 51, 80, 400])
@pytest.mark.parametrize("kind", ["smooth", "rounded", "gaps"])
def test_ends_are_where_the_tails_cross(n: int, kind: str) -> None:
    """Tails rise and fall with the shift, and the interval holds exactly the shifts that the shifted test does not reject."""
    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1, (6, n))
    d = np.round(d, 1) if kind == "rounded" else np.where(rng.random(d.shape) < 0.1, np.nan, d) if kind == "gaps" else d
    test = wilcoxon(d)
    for alpha in (0.3, 0.05, 0.001):
        assert_ends_cross(test, alpha)
    shifts = np.linspace(-2, 2, 15)
    tails = test.tail(shifts[:, None])
    assert np.all(np.diff(tails, axis=0) >= -1e-15)
    if kind == "smooth":
        assert test.tail(0.0) == pytest.approx(test.pvalue("greater"))
        assert test.tail(0.25, upper=True) == pytest.approx(wilcoxon(d - 0.25).pvalue("less"))


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 40, 299, 300, 301, 640])
def test_hodges_lehmann_is_the_median_of_all_walsh_averages(n: int) -> None:
    """The short way, which makes all of them, and the long way, which does not, against a plain median; ties and gaps too."""
    rng = np.random.default_rng(n)
    for d in (
        rng.normal(size=n),
        np.round(rng.normal(size=n), 1),
        rng.integers(0, 2, n).astype(float),
        np.exp(3 * rng.normal(size=n)),
    ):
        expected = np.median([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
        got = hodges_lehmann(np.array([np.append(d, np.nan), np.append(-d, np.nan)]))
        assert got == pytest.approx([expected, -expected], rel=1e-12, abs=1e-14)


def test_one_dataset_zeros_and_gaps() -> None:
    """One dataset cannot reject, nor zeros; what is missing is left out of its row, and one bad row spoils no other."""
    assert wilcoxon([0.03]).pvalue() == 1.0
    assert wilcoxon([0.03]).interval(0.5) == (-np.inf, np.inf)
    zeros, ranks = wilcoxon(np.zeros(8)), signed_ranks(np.zeros(8))
    assert (ranks.n_used, ranks.n_zero, zeros.pvalue(), zeros.estimate, zeros.kind) == (0, 8, 1.0, 0.0, IDENTICAL)
    assert np.isnan([ranks.zscore, ranks.rank_biserial]).all()
    d = np.array([[0.1, 0.3, np.nan, 0.2], [np.nan] * 4, [0.1, np.inf, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]])
    test = wilcoxon(d)
    assert test.n_units.tolist() == [3, 0, 4, 4]
    assert test.pvalue()[[0, 3]].tolist() == [0.25, 0.125]
    assert (test.kind[1:3] == UNDEFINED).all()
    for values in (test.pvalue(), signed_ranks(d).w_plus, test.estimate, *test.interval(0.8), test.tail(0.1)):
        assert np.isnan(values)[1:3].all()


def test_smallest_pvalues_keep_their_digits() -> None:
    """All of 50 differences positive: 2^-49 two-sided, exactly; of 400 the normal tail, never 0."""
    assert wilcoxon(np.arange(1.0, 51)).pvalue() == 2.0**-49
    assert wilcoxon(np.arange(1.0, 401), method="exact").pvalue() == pytest.approx(2.0**-399, rel=1e-12)
    assert 0 < wilcoxon(np.arange(1.0, 2001)).pvalue() < 1e-300


# --- the sign test -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(d=tenths, alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_sign_scipy_agrees(d: np.ndarray, alternative: Any) -> None:
    """Wins among the differences that are no ties, by scipy's exact binomial test."""
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    counts = sign_counts(d)
    expected = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    assert sign_test(d).pvalue(alternative) == pytest.approx(expected, rel=1e-10)
    assert counts[:3] == (wins, losses, d.size - wins - losses)


@pytest.mark.slow
@settings(max_examples=50)
@given(n=st.integers(1, 200), seed=st.integers(0, 100), alpha=st.sampled_from([0.5, 0.05, 0.001]))
def test_sign_ends_are_where_the_tails_cross(n: int, seed: int, alpha: float) -> None:
    """The interval holds exactly the shifts that the shifted test does not reject; gaps and ties as well."""
    rng = np.random.default_rng(seed)
    d = np.round(rng.normal(0.3, 1, (4, n)), 2)
    d[0, 0] = np.nan
    assert_ends_cross(sign_test(d), alpha)


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
    ranks=st.lists(st.integers(0, 30).map(lambda i: i / 4), min_size=0, max_size=12), span=st.integers(0, 20).map(lambda i: i / 4)
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
