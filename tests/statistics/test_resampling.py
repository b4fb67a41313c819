"""The bootstrap over examples, of the best of several models too, and permutation tests; other cases are in tests/reference."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.statistics import (
    bootstrap,
    bootstrap_winner,
    bootstrap_winner_by,
    mcnemar,
    permutation_test_paired,
    permutation_test_unpaired,
)


def mean(values: np.ndarray) -> np.ndarray:
    """Of each row."""
    return values.mean(axis=-1)


def test_all_resamples_are_those_of_a_loop() -> None:
    """Quantiles, mean and standard error of the 4^4 ordered resamples of four numbers."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    means = np.sort([np.mean(each) for each in product(values, repeat=4)])
    result = bootstrap(mean, values)
    assert (result.is_exact, result.n_resamples) == (True, 256)
    assert (result.mean, result.standard_error) == pytest.approx((means.mean(), means.std()))
    expected = np.quantile(means, [0.05, 0.95], method="inverted_cdf")
    assert result.interval(0.9, "percentile") == pytest.approx(tuple(expected))


def test_bca_is_near_scipys() -> None:
    """Another implementation with other resamples, 20,000 of each; a skewed sample, where the bias correction matters."""
    values = np.random.default_rng(0).exponential(size=60)
    ours = bootstrap(mean, values, n_resamples=20_000).interval()
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_columns_are_resampled_together_and_the_seed_decides() -> None:
    """A difference of two columns is that of the column of differences, resample by resample."""
    x, y = np.random.default_rng(6).normal(size=(2, 40))
    one = bootstrap(lambda x, y: mean(x) - mean(y), x, y, n_resamples=500)
    again, other = (bootstrap(mean, x - y, n_resamples=500, rng=seed) for seed in (0, 1))
    np.testing.assert_allclose(one.replicates, again.replicates, atol=1e-14)
    np.testing.assert_allclose(one.jackknife, [np.delete(x - y, i).mean() for i in range(40)], atol=1e-14)
    assert (again.replicates != other.replicates).all()


def test_what_does_not_vary_or_has_no_value_has_no_interval() -> None:
    """Equal scores; a metric that is nan in one of ten resamples."""
    same = bootstrap(mean, np.zeros(30), n_resamples=500)
    assert same.estimate == 0.0
    rare = bootstrap(lambda x: np.where(x.max(axis=-1) > 28, mean(x), np.nan), np.arange(30.0), n_resamples=500)
    assert np.isnan([same.interval(), rare.interval(), rare.interval(method="percentile")]).all()


# --- permutations ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_signs_are_counted_one_by_one(differences: list[int]) -> None:
    """All 2^n sums in whole numbers, zeros and ties among them."""
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=len(differences))]
    observed = sum(differences)
    result = permutation_test_paired(np.array(differences) / 10)
    assert result.n_permutations == len(sums)
    assert result.count_greater == sum(each >= observed for each in sums)
    assert result.count_less == sum(each <= observed for each in sums)
    assert result.count_extreme == sum(abs(each) >= abs(observed) for each in sums)


def test_few_discordant_answers_give_mcnemars_exact_test() -> None:
    """Flipping signs of +1 and -1 is the coin of the binomial test; ties change nothing."""
    d = np.repeat([1.0, -1.0, 0.0], [12, 5, 885])
    assert permutation_test_paired(d).pvalue() == pytest.approx(mcnemar(12, 5).pvalue, rel=1e-12)


def test_random_permutations_are_near_the_t_tests() -> None:
    """40,000 draws, standard error 0.002, of 300 examples, and of 100 against 120."""
    d, x, y = (np.random.default_rng(seed).normal(0.1 * seed, 1, size=n) for seed, n in ((1, 300), (2, 100), (3, 120)))
    paired, unpaired = permutation_test_paired(d, n_permutations=40_000), permutation_test_unpaired(x, y, n_permutations=40_000)
    assert not paired.is_exact
    assert paired.pvalue() == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.01)
    assert unpaired.pvalue("less") == pytest.approx(stats.ttest_ind(x, y, alternative="less").pvalue, abs=0.01)


def test_a_random_p_is_never_0() -> None:
    """The observed order is one of those that count."""
    assert permutation_test_paired(np.full(50, 1.1) + np.arange(50) / 1e3, n_permutations=99).pvalue() == 0.01


def test_swapped_models_mirror_and_identical_ones_have_p_1() -> None:
    """Greater and less change places; nothing to flip."""
    d, x, y = (np.random.default_rng(seed).normal(size=n) for seed, n in ((2, 11), (3, 6), (4, 4)))
    for one, other in (
        (permutation_test_paired(d), permutation_test_paired(-d)),
        (permutation_test_unpaired(x, y), permutation_test_unpaired(y, x)),
    ):
        assert one.pvalue("greater") == other.pvalue("less")
        assert one.observed == pytest.approx(-other.observed)
    assert permutation_test_paired(np.zeros(2000)).pvalue() == permutation_test_unpaired([1, 1, 1], [1, 1]).pvalue() == 1.0


def test_all_ways_to_deal_out() -> None:
    """Counted by a loop over all choices of the first sample."""
    x, y = [5, 9, 7], [4, 6, 1, 3]
    pooled = np.array(x + y)
    ways = [pooled[list(way)].mean() - np.delete(pooled, list(way)).mean() for way in combinations(range(7), 3)]
    observed = np.mean(x) - np.mean(y)
    result = permutation_test_unpaired(x, y)
    assert result.n_permutations == 35
    assert result.count_greater == sum(each >= observed - 1e-12 for each in ways)
    assert result.count_extreme == sum(abs(each) >= abs(observed) - 1e-12 for each in ways)


def exact(values: np.ndarray, sign: int = 1) -> float:
    """The corrected score over all n**n equally likely bootstraps, by the definition of the paper's algorithm."""
    n = len(values)
    scores = []
    for rows in product(range(n), repeat=n):
        out = sorted(set(range(n)) - set(rows))
        if out:
            in_bag = sign * values[list(rows)].mean(axis=0)
            tied = np.isclose(in_bag, in_bag.max(), rtol=0, atol=1e-12)
            scores.append(values[out].mean(axis=0)[tied].mean())
    return float(np.mean(scores))


def mean_of(values: np.ndarray) -> Any:
    """The mean as a score of rows and models, as `bootstrap_winner_by` takes one."""
    return lambda rows, models: values[rows][:, models].mean(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(("higher", "sign"), [(True, 1), (False, -1)])
def test_many_draws_come_to_what_all_bootstraps_give(higher: bool, sign: int) -> None:
    """Five examples and three models, all 3,125 bootstraps by hand; 200,000 draws have a standard error of 0.001."""
    values = np.array([[1, 0, 0.2], [0, 1, 0.4], [1, 1, 0.1], [0, 0, 0.9], [1, 0, 0.5]])
    drawn = bootstrap_winner(values, higher_is_better=higher, n_resamples=200_000)
    assert drawn.mean == pytest.approx(exact(values, sign), abs=0.005)


def test_the_score_by_a_function_is_that_by_values() -> None:
    """The same draws through another path: equal to rounding, choices included."""
    values = np.random.default_rng(0).normal(size=(30, 4))
    for higher in (True, False):
        fast = bootstrap_winner(values, higher_is_better=higher, n_resamples=200, rng=5)
        slow = bootstrap_winner_by(mean_of(values), 30, 4, higher_is_better=higher, n_resamples=200, rng=5)
        assert slow.chosen == pytest.approx(fast.chosen, abs=1e-12)
        for name in ("winner", "claim", "mean", "low", "high", "n_resamples", "n_undefined"):
            assert getattr(slow, name) == pytest.approx(getattr(fast, name), abs=1e-12)


def test_the_best_of_noise_is_corrected_to_chance() -> None:
    """Fifty coin-flipping models on 100 examples: the best seems right on more than 0.6, and is corrected to about 0.5."""
    corrected, claims = zip(
        *(
            (result.mean, result.claim)
            for seed in range(40)
            for result in [
                bootstrap_winner(np.random.default_rng(seed).integers(0, 2, (100, 50)), higher_is_better=True, n_resamples=200)
            ]
        ),
        strict=True,
    )
    assert np.mean(claims) > 0.6
    assert abs(np.mean(corrected) - 0.5) < 3 * np.std(corrected, ddof=1) / np.sqrt(40)


def test_the_order_of_models_changes_nothing() -> None:
    """Ties included, as those that tie share: half the values are 0 or 1."""
    values = np.random.default_rng(2).integers(0, 2, (20, 5)).astype(float)
    order = [3, 0, 4, 1, 2]
    one, two = (bootstrap_winner(v, higher_is_better=True) for v in (values, values[:, order]))
    assert two.mean == pytest.approx(one.mean, abs=1e-12)
    assert two.chosen == pytest.approx(one.chosen[order], abs=1e-12)


def test_the_same_call_gives_the_same_answer_and_another_seed_another_one() -> None:
    """Also where the draws come in several pieces: 3,000 x 500 examples are more than one."""
    values = np.random.default_rng(4).normal(size=(500, 2))
    one, two, other = (bootstrap_winner(values, higher_is_better=True, n_resamples=3000, rng=rng) for rng in (1, 1, 2))
    assert one.mean == two.mean != other.mean
    assert one.n_resamples == 3000


def test_groups_are_drawn_whole() -> None:
    """Each example four times over, as groups: the interval is that of the examples once, not half as wide."""
    once = np.random.default_rng(5).normal(size=(40, 1))
    four, groups = np.repeat(once, 4, axis=0), np.repeat(np.arange(40), 4)
    alone = bootstrap_winner(once, higher_is_better=True)
    grouped = bootstrap_winner(four, higher_is_better=True, groups=groups)
    assert (grouped.mean, grouped.low, grouped.high) == pytest.approx((alone.mean, alone.low, alone.high))
    blind = bootstrap_winner(four, higher_is_better=True)
    assert blind.high - blind.low < 0.6 * (alone.high - alone.low)


def test_bootstraps_without_a_score_are_counted() -> None:
    """A score that is undefined unless both kinds of rows are there, of six rows of which one is of its kind."""
    kind = np.array([1, 0, 0, 0, 0, 0])

    def score(rows: np.ndarray, models: np.ndarray) -> np.ndarray:
        both = len(set(kind[rows].tolist())) == 2
        return np.full(models.size, 0.7 if both else np.nan)

    result = bootstrap_winner_by(score, 6, 2, higher_is_better=True, n_resamples=100)
    # in the bag the odd row has to be there, and out of it too: never both
    assert (result.n_resamples, result.n_undefined) == (0, 100)
    assert np.isnan([result.mean, result.low, result.high]).all()
    assert (result.winner, result.claim) == (0, 0.7)


def test_twenty_right_answers_are_no_certainty() -> None:
    """Clopper and Pearson's limits of 20 of 20 are 0.8316 and 1, those of 0 errors their mirror: 0.025 ** (1 / 20)."""
    right = bootstrap_winner(np.ones((20, 2)), higher_is_better=True)
    wrong = bootstrap_winner(np.zeros((20, 2)), higher_is_better=False)
    assert (right.interval, right.mean, right.low, right.high) == ("exact", 1.0, pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert (wrong.interval, wrong.mean, wrong.low, wrong.high) == ("exact", 0.0, 0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    groups = np.repeat(np.arange(5), 4)
    assert bootstrap_winner(np.ones((20, 2)), higher_is_better=True, groups=groups).low == pytest.approx(0.025 ** (1 / 5))


def test_bootstraps_that_do_not_vary_have_no_interval() -> None:
    """A loss that is the same for each example, and an area that is 1 for each bootstrap, say nothing of their spread."""
    same = bootstrap_winner(np.full((20, 1), 0.3), higher_is_better=False)
    area = bootstrap_winner_by(lambda rows, models: np.ones(models.size), 20, 2, higher_is_better=True, n_resamples=50)
    for result in (same, area):
        assert result.interval == "none"
        assert np.isnan([result.low, result.high]).all()
    assert bootstrap_winner(np.arange(20.0)[:, None], higher_is_better=True).interval == "percentile"
