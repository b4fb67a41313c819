"""The bootstrap over examples and permutation tests; published cases are in tests/reference."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.statistics import bootstrap, mcnemar, permutation_test_paired, permutation_test_unpaired


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


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: bootstrap(mean, np.arange(30.0), n_resamples=0), InvalidParameterError, "n_resamples must be a whole number"),
        (
            lambda: bootstrap(mean, np.arange(30.0), n_resamples=200).interval(),
            InvalidParameterError,
            "200 resamples are too few for an interval of level 0.95; pass n_resamples=400",
        ),
        (lambda: bootstrap(mean, np.arange(30.0), exact=True), InvalidParameterError, "30 examples have too many resamples"),
        (lambda: bootstrap(mean, [1.0, 2.0], [1.0]), DataError, r"columns of one length.*got \[\(2,\), \(1,\)\]"),
        (lambda: bootstrap(np.mean, np.arange(30.0)), DataError, "one value for each resample"),
        (
            lambda: bootstrap(mean, np.arange(3.0)).interval(method="student"),
            InvalidParameterError,
            "method must be one of",
        ),
        (
            lambda: permutation_test_paired([1, np.nan]),
            DataError,
            "differences must be finite numbers of the shape .* 1 are nan",
        ),
        (lambda: permutation_test_paired([1, 2], n_permutations=0), InvalidParameterError, "n_permutations must be a whole"),
    ],
)
def test_wrong_use_is_refused(call, error, text) -> None:
    """Each text says what is wrong, and what would do."""
    with pytest.raises(error, match=text):
        call()


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
