"""Estimates over items: means in clusters, and metrics of all items together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import metrics

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import IDENTICAL, UNDEFINED
from tiebreak.statistics import (
    ClusterSums,
    cluster_sums,
    clustered_mean,
    mean_of_clusters,
    metric_of_classes,
    metric_of_numbers,
    welch_ttest,
)
from tiebreak.statistics.auc import roc_areas
from tiebreak.statistics.influence import METRICS_OF_CLASSES, PER_CLASS

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
    assert result.se == pytest.approx(error, rel=1e-12)
    assert result.df == pytest.approx(df, rel=1e-12)
    assert result.estimate == pytest.approx(np.average(values, weights=weights))


@pytest.mark.slow
@given(st.lists(st.integers(-5, 5), min_size=3, max_size=12).filter(lambda each: len(set(each)) > 1))
def test_without_clusters_it_is_the_ordinary_t_test(values: list[int]) -> None:
    """scipy's one-sample test and interval."""
    result, test = clustered_mean(values), stats.ttest_1samp(values, 0)
    assert result.statistic == pytest.approx(test.statistic)
    assert result.pvalue() == pytest.approx(test.pvalue)
    assert result.interval(0.9) == pytest.approx(tuple(test.confidence_interval(0.9)))


def test_cr1_is_that_of_other_programs() -> None:
    """statsmodels 0.15: OLS of the scores on a constant, cov_type="cluster", 17 scores in clusters of 8, 5, 3 and 1."""
    values = [1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0]
    clusters = ["a"] * 8 + ["b"] * 5 + ["c"] * 3 + ["d"]
    assert clustered_mean(values, clusters, variance="cr1").se == pytest.approx(0.11455325506745223, rel=1e-12)
    assert clustered_mean(values, clusters, variance="cr0").se == pytest.approx(0.09920602897461211, rel=1e-12)


def test_equal_clusters_leave_their_number_less_one_of_freedom() -> None:
    """Satterthwaite's degrees of freedom are exact there, and CR2 is CR1."""
    values, clusters = np.random.default_rng(1).normal(size=20), np.repeat(np.arange(5), 4)
    result = clustered_mean(values, clusters)
    assert result.df == pytest.approx(4)
    assert result.se == pytest.approx(clustered_mean(values, clusters, variance="cr1").se)


def test_order_and_names_do_not_matter() -> None:
    """Shuffled rows and other names of clusters give the same answer."""
    rng = np.random.default_rng(2)
    values, order = rng.normal(size=17), rng.permutation(17)
    one = clustered_mean(values, NAMES)
    other = clustered_mean(values[order], [ord(NAMES[i]) for i in order])
    assert one.se == pytest.approx(other.se, rel=1e-13)
    assert one.df == pytest.approx(other.df, rel=1e-13)


def test_sums_are_linear() -> None:
    """The totals of a difference are the difference of the totals, so a database can make them once for each model."""
    rng = np.random.default_rng(3)
    both = rng.normal(size=(2, 17))
    sums = cluster_sums(both, NAMES)
    paired = mean_of_clusters(ClusterSums(sums.totals[0] - sums.totals[1], *sums[1:]))
    direct = clustered_mean(both[0] - both[1], NAMES)
    assert (paired.estimate, paired.se) == pytest.approx((direct.estimate, direct.se), rel=1e-12)


def test_one_cluster_has_a_mean_and_nothing_else() -> None:
    """However many examples it has; a peer's G - 1 = 0 makes an error of 0 or a division by it."""
    result = clustered_mean([1, 0, 1, 1], ["a"] * 4)
    assert result.estimate == 0.75
    assert result.df == 0
    assert np.isnan([result.se, result.pvalue(), *result.interval()]).all()


def test_nan_is_undefined_unless_it_is_to_be_left_out() -> None:
    """One bad row does not spoil the others, and the number of examples says what was used."""
    rows = [[1, 0, 1, 1, 0], [1, np.nan, 0, 1, 0]]
    given_as = clustered_mean(rows)
    assert np.isnan(given_as.estimate[1])
    assert given_as.estimate[0] == 0.6
    asked = clustered_mean(rows, omit_missing=True)
    assert asked.n_units.tolist() == [5, 4]
    assert cluster_sums(rows, omit_missing=True).n_examples.tolist() == [5, 4]
    alone = clustered_mean([1, 0, 1, 0])
    assert (asked.estimate[1], asked.se[1], asked.df[1]) == pytest.approx((alone.estimate, alone.se, alone.df))


def test_a_weight_of_0_is_an_example_left_out() -> None:
    """Mean, error and degrees of freedom are those of the rest."""
    one = clustered_mean([1, 5, 2, 4], ["a", "b", "c", "a"], weights=[1, 0, 1, 1])
    other = clustered_mean([1, 2, 4], ["a", "c", "a"])
    assert (one.estimate, one.se, one.df) == pytest.approx((other.estimate, other.se, other.df))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: clustered_mean([1, 2], [1, 2, 3]), r"one name for each of the 2 examples; got the shape \(3,\)"),
        (lambda: clustered_mean([1, 2], [1, np.nan]), "1 of the clusters are nan"),
        (lambda: clustered_mean([1, np.inf]), "or nan where they are missing, .* 1 are infinite"),
        (lambda: clustered_mean([1, 2], weights=[1, -1]), "the smallest is -1 and they sum to 0"),
        (lambda: clustered_mean([1, 2], weights=[0, 0]), "not all 0"),
        (lambda: clustered_mean([]), "values must be finite numbers.* 1 or more; got the shape"),
    ],
)
def test_wrong_input_is_refused(call, text: str) -> None:
    """With what was met."""
    with pytest.raises(DataError, match=text):
        call()


def test_unknown_variances_are_refused() -> None:
    """The names there are stand in the text."""
    with pytest.raises(InvalidParameterError, match="variance must be one of 'cr2', 'cr1', 'cr0', 'independent'; got 'cr3'"):
        clustered_mean([1, 2], variance="cr3")


# --- independent samples

samples = st.lists(st.integers(-9, 9), min_size=3, max_size=9).filter(lambda each: len(set(each)) > 1)


@pytest.mark.slow
@given(samples, samples)
def test_it_is_scipys(first: list[int], second: list[int]) -> None:
    """Statistic, degrees of freedom, p-value and interval of ttest_ind with unequal variances."""
    got, test = welch_ttest(first, second), stats.ttest_ind(first, second, equal_var=False)
    assert got.statistic == pytest.approx(test.statistic, abs=1e-12)
    assert got.df == pytest.approx(test.df)
    assert got.pvalue() == pytest.approx(test.pvalue)
    assert got.interval() == pytest.approx(tuple(test.confidence_interval()))


def test_samples_without_spread() -> None:
    """The same constant twice has p 1, two constants none: nothing says how sure their difference is."""
    assert welch_ttest([1, 1], [1, 1, 1]).pvalue() == 1.0
    assert np.isnan(welch_ttest([1, 1], [2, 2]).pvalue())
    assert np.isnan(welch_ttest([1, np.nan, 2], [1, 2]).pvalue())


def test_a_single_score_is_refused() -> None:
    """One number has no spread."""
    with pytest.raises(DataError, match=r"second must be .* 2 or more; got the shape"):
        welch_ttest([1, 2], [3])


# --- metrics of all items together

SCORES = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "jaccard": metrics.jaccard_score,
}
OF_NUMBERS = {
    "root_mean_squared_error": metrics.root_mean_squared_error,
    "r2": metrics.r2_score,
    "explained_variance": metrics.explained_variance_score,
}


def scikit_learn(name: str, actual: np.ndarray, predicted: np.ndarray) -> float:
    """The same metric by scikit-learn, 0 where it is undefined."""
    if name in OF_NUMBERS:
        return float(OF_NUMBERS[name](actual, predicted))
    if name == "matthews_corrcoef":
        return float(metrics.matthews_corrcoef(actual, predicted))
    if name == "balanced_accuracy":  # which warns of a class that only predictions have
        return float(metrics.recall_score(actual, predicted, labels=np.unique(actual), average="macro", zero_division=0))
    base, _, average = name.partition("_")
    return float(SCORES[base](actual, predicted, average=average or "binary", zero_division=0))


@pytest.mark.slow
@pytest.mark.parametrize("in_clusters", [False, True])
@pytest.mark.parametrize(
    ("name", "n_classes"),
    [*((name, 2 if name in PER_CLASS else 4) for name in METRICS_OF_CLASSES), *((name, 0) for name in OF_NUMBERS)],
)
def test_errors_are_those_of_metrics_worked_out_anew(
    rng: np.random.Generator, name: str, n_classes: int, in_clusters: bool
) -> None:
    """scikit-learn's value without each item or cluster: (n - 1) / n of the squared deviations; numbers are far from 0."""
    n = 40
    if n_classes:
        actual = rng.integers(0, n_classes, n)
        predicted = np.where(rng.random((2, n)) < 0.7, actual, rng.integers(0, n_classes, (2, n)))
    else:
        actual = 1e4 + rng.normal(size=n)
        predicted = actual + rng.normal(size=(2, n)) * [[0.5], [0.7]]
    groups = np.sort(rng.integers(0, 12, n)) if in_clusters else np.arange(n)
    make = metric_of_classes if n_classes else metric_of_numbers
    influence = make(actual, predicted, name, groups if in_clusters else None)
    law = influence.difference(0, 1)
    without = np.array(
        [[scikit_learn(name, actual[groups != g], row[groups != g]) for g in np.unique(groups)] for row in predicted]
    )
    assert_allclose(influence.estimate, [scikit_learn(name, actual, row) for row in predicted], rtol=1e-9)
    for found, values in ((law, without[0] - without[1]), (influence.of_models.take([0]), without[0])):
        size = values.size
        assert found.se == pytest.approx(np.sqrt((size - 1) / size * np.square(values - values.mean()).sum()), rel=1e-7)
    if in_clusters:
        assert law.df == pytest.approx(clustered_mean(rng.normal(size=n), groups).df)
        return
    if not n_classes:
        assert law.df == n - 1
        return
    d = without[0] - without[1]
    parts = [np.square(d - d.mean())[actual == own].sum() for own in np.unique(actual)]
    sizes = np.bincount(actual)
    by_class = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    assert law.df == pytest.approx(min(by_class, n - 1), rel=1e-7)


def test_many_pairs_are_each_as_one_by_itself(rng: np.random.Generator) -> None:
    """The matrix product for all pairs takes no digits; the order of a pair changes the sign only; copies are identical."""
    y = np.arange(90) % 3 == 0
    rows = (rng.random((7, 90)) < np.where(y, 0.8, 0.1)).astype(int)
    rows[5] = rows[6] = rows[0]
    rows[5, 0] = 1 - rows[5, 0]  # nearly the same model
    found = metric_of_classes(y.astype(int), rows, "balanced_accuracy")
    first, second = np.triu_indices(6, 1)
    all_pairs, back = found.difference(first, second), found.difference(second, first)
    assert_allclose(all_pairs.se, [found.difference(i, j).se for i, j in zip(first, second, strict=True)], rtol=1e-9)
    assert_allclose(back.estimate, -np.asarray(all_pairs.estimate), rtol=0, atol=0)
    assert_allclose(back.se, all_pairs.se, rtol=1e-9)
    copy = found.difference(0, 6)
    assert (copy.kind, copy.estimate, copy.pvalue()) == (IDENTICAL, 0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["r2", "explained_variance"])
def test_a_target_without_spread_has_nothing_to_explain(metric: str) -> None:
    """Also one that varies by rounding only: a difference of two shares of nothing is undefined, without a warning."""
    for actual in ([5.0] * 4, [5.0, 5.0, 5.0, 5.0 + 1e-15]):
        law = metric_of_numbers(actual, [[4.0, 5.0, 6.0, 5.0], [5.0, 5.0, 5.0, 7.0]], metric).difference(0, 1)
        assert law.kind == UNDEFINED
        assert np.isnan([law.pvalue(), *law.interval()]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "n_clusters"), [(metric, n) for metric in ("f1", "area", "r2") for n in (12, 25)])
def test_equal_models_in_uneven_clusters_keep_the_level(metric: str, n_clusters: int) -> None:
    """Lognormal sizes (sigma 1.2), 400 tables: 5 % but for chance, where clusters less one as degrees of freedom made 8 %."""
    rng = np.random.default_rng(n_clusters)
    called = 0
    for _ in range(400):
        clusters = np.repeat(np.arange(n_clusters), np.ceil(8 * rng.lognormal(0, 1.2, n_clusters)).astype(int))
        n = clusters.size
        own, y = rng.normal(size=(2, n_clusters))[:, clusters], rng.random(n) < 0.4
        y[:2] = [False, True]
        if metric == "f1":
            wrong = rng.random((2, n)) < 1 / (1 + np.exp(1.5 - own))
            law = metric_of_classes(y.astype(int), np.where(wrong, ~y, y).astype(int), "f1", clusters).difference()
        elif metric == "area":
            law = roc_areas(y, own + rng.normal(size=(2, n)) + rng.normal(size=n) + 1.5 * y, clusters).difference()
        else:
            actual = rng.normal(size=n) + rng.normal(size=n_clusters)[clusters]
            law = metric_of_numbers(actual, actual + own + rng.normal(size=(2, n)), "r2", clusters).difference()
        called += law.pvalue() < 0.05
    assert called <= 30  # 5 % of 400 are exceeded so far in 1 %, 8 % in 60 %


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: metric_of_classes([0, 1], [[0, 1]], "kappa"),
            InvalidParameterError,
            "metric must be one of 'balanced_acc",
        ),
        (lambda: metric_of_classes([0, 1, 2], [[0, 1, 1]], "f1"), DataError, "and there are 3. Take f1_macro"),
        (lambda: metric_of_classes([0, 0.5], [[0, 1]], "f1"), DataError, "actual must be numbers of classes"),
        (lambda: metric_of_classes([0, 1], [[0]], "f1"), DataError, "one for each example"),
        (lambda: metric_of_classes([0, 1], [[0, 1]], "f1", ["a", "a"]), DataError, "two or more"),
        (lambda: metric_of_numbers([0, 1], [[0]], "r2"), DataError, "one for each example"),
        (
            lambda: metric_of_numbers([0, 1], [[0, np.nan]], "r2"),
            DataError,
            "predicted must be finite numbers.* 1 are nan",
        ),
    ],
)
def test_wrong_use_of_metrics_says_why(call, error: type[Exception], text: str) -> None:
    """What was met, and what is known."""
    with pytest.raises(error, match=text):
        call()
