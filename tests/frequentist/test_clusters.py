"""Means over examples in clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import ClusterSums, cluster_sums, clustered_mean, mean_of_clusters
from tiebreak.frequentist.clusters import freedom_of_parts

NAMES = list("aaaaabbbccccccdee")


def by_matrices(values: np.ndarray, clusters: list[str], weights: np.ndarray) -> tuple[float, float]:
    """CR2's error and Satterthwaite's degrees of freedom with all matrices written out: residual maker, eigenvalues."""
    n, total = values.size, weights.sum()
    residual_maker = np.eye(n) - np.outer(np.ones(n), weights) / total
    rows = []
    for name in sorted(set(clusters)):
        own = weights * np.array([each == name for each in clusters])
        row = own @ residual_maker
        rows.append(np.sqrt((own @ own) / (row @ row)) * row)  # its square has the expectation sigma^2 sum of own^2
    rows = np.array(rows)
    eigenvalues = np.linalg.eigvalsh(rows @ rows.T)
    return float(np.linalg.norm(rows @ values) / total), float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_closed_form_is_that_of_the_matrices(weighted: bool) -> None:
    """Sums over clusters give what the residual maker and its eigenvalues give."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=17)
    weights = rng.random(17) if weighted else np.ones(17)
    result = clustered_mean(values, NAMES, weights=weights if weighted else None)
    error, df = by_matrices(values, NAMES, weights)
    assert result.standard_error == pytest.approx(error, rel=1e-12)
    assert result.df == pytest.approx(df, rel=1e-12)
    assert result.estimate == pytest.approx(np.average(values, weights=weights))


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=12).filter(lambda each: len(set(each)) > 1))
def test_without_clusters_it_is_the_ordinary_t_test(values: list[int]) -> None:
    """scipy's one-sample test and interval."""
    result, test = clustered_mean(values), stats.ttest_1samp(values, 0)
    assert result.statistic == pytest.approx(test.statistic)
    assert result.pvalue() == pytest.approx(test.pvalue)
    assert result.confidence_interval(0.9) == pytest.approx(tuple(test.confidence_interval(0.9)))


def test_cr1_is_that_of_other_programs() -> None:
    """statsmodels 0.15: OLS of the scores on a constant, cov_type="cluster", 17 scores in clusters of 8, 5, 3 and 1."""
    values = [1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0]
    clusters = ["a"] * 8 + ["b"] * 5 + ["c"] * 3 + ["d"]
    assert clustered_mean(values, clusters, variance="cr1").standard_error == pytest.approx(0.11455325506745223, rel=1e-12)
    assert clustered_mean(values, clusters, variance="cr0").standard_error == pytest.approx(0.09920602897461211, rel=1e-12)


def test_equal_clusters_leave_their_number_less_one_of_freedom() -> None:
    """Satterthwaite's degrees of freedom are exact there, and CR2 is CR1."""
    values, clusters = np.random.default_rng(1).normal(size=20), np.repeat(np.arange(5), 4)
    result = clustered_mean(values, clusters)
    assert result.df == pytest.approx(4)
    assert result.standard_error == pytest.approx(clustered_mean(values, clusters, variance="cr1").standard_error)


def test_order_and_names_do_not_matter() -> None:
    """Shuffled rows and other names of clusters give the same answer."""
    rng = np.random.default_rng(2)
    values, order = rng.normal(size=17), rng.permutation(17)
    one = clustered_mean(values, NAMES)
    other = clustered_mean(values[order], [ord(NAMES[i]) for i in order])
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-13)
    assert one.df == pytest.approx(other.df, rel=1e-13)


def test_sums_are_linear() -> None:
    """The totals of a difference are the difference of the totals, so a database can make them once for each model."""
    rng = np.random.default_rng(3)
    both = rng.normal(size=(2, 17))
    sums = cluster_sums(both, NAMES)
    paired = mean_of_clusters(ClusterSums(sums.totals[0] - sums.totals[1], *sums[1:]))
    direct = clustered_mean(both[0] - both[1], NAMES)
    assert (paired.estimate, paired.standard_error) == pytest.approx((direct.estimate, direct.standard_error), rel=1e-12)


def test_zero_differences_have_p_1_and_no_interval() -> None:
    """Identical models: nothing speaks against equality, and nothing says how sure that is."""
    result = clustered_mean(np.zeros(12), NAMES[:12])
    assert result.pvalue() == 1.0
    assert np.isnan(result.statistic)
    assert np.isnan(result.confidence_interval()).all()


def test_a_constant_difference_is_no_certainty() -> None:
    """Infinite statistic, no p-value, no interval: the house's rule for zero spread."""
    result = clustered_mean(np.full(5, 0.1))
    assert np.isinf(result.statistic)
    assert np.isnan(result.pvalue())
    assert np.isnan(result.confidence_interval()).all()


def test_one_cluster_has_a_mean_and_nothing_else() -> None:
    """However many examples it has; a peer's G - 1 = 0 makes an error of 0 or a division by it."""
    result = clustered_mean([1, 0, 1, 1], ["a"] * 4)
    assert result.estimate == 0.75
    assert result.df == 0
    assert np.isnan([result.standard_error, result.pvalue(), *result.confidence_interval()]).all()


def test_nan_is_undefined_unless_it_is_to_be_left_out() -> None:
    """One bad row does not spoil the others, and the number of examples says what was used."""
    rows = [[1, 0, 1, 1, 0], [1, np.nan, 0, 1, 0]]
    given_as = clustered_mean(rows)
    assert np.isnan(given_as.estimate[1])
    assert given_as.estimate[0] == 0.6
    asked = clustered_mean(rows, omit_missing=True)
    assert asked.n_examples.tolist() == [5, 4]
    alone = clustered_mean([1, 0, 1, 0])
    assert (asked.estimate[1], asked.standard_error[1], asked.df[1]) == pytest.approx(
        (alone.estimate, alone.standard_error, alone.df)
    )


def test_a_weight_of_0_is_an_example_left_out() -> None:
    """Mean, error and degrees of freedom are those of the rest."""
    one = clustered_mean([1, 5, 2, 4], ["a", "b", "c", "a"], weights=[1, 0, 1, 1])
    other = clustered_mean([1, 2, 4], ["a", "c", "a"])
    assert (one.estimate, one.standard_error, one.df) == pytest.approx((other.estimate, other.standard_error, other.df))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: clustered_mean([1, 2], [1, 2, 3]), r"one name for each of the 2 examples; got the shape \(3,\)"),
        (lambda: clustered_mean([1, 2], [1, np.nan]), "1 of the clusters are nan"),
        (lambda: clustered_mean([1, np.inf]), "must be finite, or nan where they are missing"),
        (lambda: clustered_mean([1, 2], weights=[1, -1]), "the smallest is -1 and they sum to 0"),
        (lambda: clustered_mean([1, 2], weights=[0, 0]), "not all 0"),
        (lambda: clustered_mean([]), "one value or more is needed"),
    ],
)
def test_wrong_input_is_refused(call, text: str) -> None:
    """With what was met."""
    with pytest.raises(InvalidScoresError, match=text):
        call()


def test_unknown_variances_and_distributions_are_refused() -> None:
    """The names there are stand in the text."""
    with pytest.raises(InvalidParameterError, match="unknown variance 'cr3'; choose one of 'cr2', 'cr1', 'cr0', 'independent'"):
        clustered_mean([1, 2], variance="cr3")
    with pytest.raises(InvalidParameterError, match="distribution must be 't' or 'normal'"):
        clustered_mean([1, 2]).confidence_interval(distribution="z")


def test_degrees_of_freedom_of_parts() -> None:
    """Those of `clustered_mean` where parts vary as their shares do; of one part that makes the sum no more than 3."""
    clusters = np.repeat(range(8), [40, 9, 7, 5, 5, 3, 2, 1])
    share = np.bincount(clusters) / clusters.size
    mean = clustered_mean(np.random.default_rng(0).normal(size=clusters.size), clusters)
    assert freedom_of_parts(np.sqrt(share), np.full(8, 1 / 8)) < 3 / (share**2).sum() + 1e-9
    assert freedom_of_parts(np.ones(8), share) == pytest.approx(float(mean.df))
    assert freedom_of_parts(np.array([1.0, *np.zeros(19)]), np.full(20, 1 / 20)) == 3
    assert freedom_of_parts(np.array([1.0, -1.0] * 10), np.full(20, 1 / 20)) == pytest.approx(19)
