"""Means over items in clusters, strata and runs, by matrices, textbook formulas, other programs and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.numerics import UNDEFINED, Law
from tiebreak.statistics import clustered_mean, crossed_mean, stratified_mean, welch_ttest
from tiebreak.statistics.means import (
    Layout,
    Means,
    cluster_sums,
    differences_of_means,
    means_of_rows,
    run_differences,
)

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


# --- strata, then runs


def test_the_formula_by_hand() -> None:
    """Cochran's variance of a stratified mean with equal weights, and Satterthwaite's degrees of freedom, step by step."""
    a, b = np.array([0, 1, 0, -1.0]), np.array([1, 2, 0, 1, 1, 0.0])
    found = stratified_mean([*a, *b], ["a"] * 4 + ["b"] * 6)
    va, vb = a.var(ddof=1) / 4 / 4, b.var(ddof=1) / 6 / 4
    assert found.law.estimate == pytest.approx((0.0 + 5 / 6) / 2, rel=1e-15)
    assert found.law.se == pytest.approx(np.sqrt(va + vb), rel=1e-14)
    assert found.law.df == pytest.approx((va + vb) ** 2 / (va**2 / 3 + vb**2 / 5), rel=1e-14)


def test_one_stratum_is_the_ordinary_mean(rng: np.random.Generator) -> None:
    """Without strata, and with clusters, it is `clustered_mean`."""
    values, clusters = rng.normal(size=60), np.repeat(np.arange(12), 5)
    for names in (None, clusters):
        found, plain = stratified_mean(values, np.zeros(60), names), clustered_mean(values, names)
        assert (found.law.estimate, found.law.se, found.law.df) == pytest.approx((plain.estimate, plain.se, plain.df))


def test_clusters_lie_within_strata(rng: np.random.Generator) -> None:
    """One name in two strata means two clusters."""
    values, strata = rng.normal(size=80), np.repeat([0, 1], 40)
    within = np.tile(np.repeat(np.arange(8), 5), 2)
    assert stratified_mean(values, strata, within).law.se == pytest.approx(
        stratified_mean(values, strata, within + 8 * strata).law.se
    )


def test_missing_values_are_left_out_of_their_row(rng: np.random.Generator) -> None:
    """Each row by its own items; a stratum of which nothing is left makes the row undefined."""
    rows, strata = rng.normal(size=(2, 30)), np.repeat([0, 1], 15)
    rows[0, 3] = np.nan
    found = stratified_mean(rows, strata, omit_missing=True)
    alone = stratified_mean(np.delete(rows[0], 3), np.delete(strata, 3))
    assert (found.law.estimate[0], found.law.se[0]) == pytest.approx((alone.law.estimate, alone.law.se))
    rows[0, :15] = np.nan
    found = stratified_mean(rows, strata, omit_missing=True)
    assert found.law.kind.tolist() == [UNDEFINED, 0]
    assert np.isnan(found.law.estimate[0])


def test_strata_of_one_unit_count_as_one_stratum() -> None:
    """Cochran's collapsed strata: two of one unit each, 2 apart, have the variance of a pair; by hand."""
    found = stratified_mean([1.0, 3.0, 0.0, 1.0, 2.0, 1.0], ["a", "b", "c", "c", "c", "c"])
    own = np.var([0, 1, 2, 1], ddof=1) / 4
    assert found.law.se == pytest.approx(np.sqrt((2 * 2.0 + own) / 9))  # n sum of squares / (n - 1) = 2 * 2


def test_a_small_stratum_without_a_difference_is_not_known_exactly() -> None:
    """Five items of one task that happen not to differ widen the interval by one that could have."""
    values = [0.0] * 5 + [1.0, -1.0] * 30
    found = stratified_mean(values, ["small"] * 5 + ["large"] * 60)
    assert found.guarded.se == pytest.approx(np.sqrt(found.law.se**2 + (1 / 5 / 2) ** 2))
    low, high = found.law.interval()
    assert high - low > 2 * 1.96 * found.guarded.se


def layout(n_runs: int, n: int, seed: int = 0, run_sd: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_runs, n)) + rng.normal(size=n) + run_sd * rng.normal(size=(n_runs, 1))


def test_variance_is_that_of_the_two_way_layout() -> None:
    """Mean squares of a random two-way table by their textbook formulas, and Satterthwaite's degrees of freedom."""
    y = layout(3, 20)
    n_runs, n = y.shape
    examples = n_runs * y.mean(axis=0).var(ddof=1)
    runs = n * y.mean(axis=1).var(ddof=1)
    rest = np.square(y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()).sum() / ((n - 1) * (n_runs - 1))
    result = crossed_mean(y)
    total = examples + runs - rest
    assert result.law.se**2 == pytest.approx(total / y.size)
    assert result.law.df == pytest.approx(total**2 / (examples**2 / 19 + runs**2 / 2 + rest**2 / 38))
    assert result.from_both == pytest.approx(rest / y.size)
    assert result.by_runs.se == pytest.approx(y.mean(axis=1).std(ddof=1) / np.sqrt(3))


def test_unbalanced_runs_are_used() -> None:
    """Every example counts the same, whatever number of runs it has."""
    y = layout(3, 8, seed=4)
    y[1, 2] = y[2, 5] = np.nan
    result = crossed_mean(y)
    assert result.law.estimate == pytest.approx(np.nanmean(y, axis=0).mean())
    assert np.isfinite(result.law.interval()).all()


def test_a_model_with_fewer_runs_is_another_sample_and_leaves_the_other_pairs_alone(rng: np.random.Generator) -> None:
    """Its runs vary by themselves, as Welch has them; pairs of models with as many runs are compared run by run as before."""
    score = rng.normal(size=(3, 4, 30)) + rng.normal(size=(3, 4, 1))
    score[2, 2:] = np.nan
    found = differences_of_means(score, np.array([0, 0]), np.array([1, 2]), Layout(), np.full(2, 5.0))
    alone = differences_of_means(score[:2], np.array([0]), np.array([1]), Layout(), np.full(1, 5.0))
    assert np.array(found.law.interval())[:, 0] == pytest.approx(np.ravel(alone.law.interval()), rel=1e-12)
    own = [score[0].mean(axis=1).var(ddof=1) / 4, score[2, :2].mean(axis=1).var(ddof=1) / 2]
    assert found.by_runs is not None
    assert found.by_runs.se[1] == pytest.approx(np.sqrt(sum(own)), rel=1e-9)


def numbers_of_row(found: Means, row: int) -> list[float]:
    """All numbers of one row: of laws estimates, errors, degrees of freedom and units."""
    parts = [part for part in found.take(np.array(row)) if part is not None]
    laws = [(part.estimate, part.se, part.df, part.n_units, part.kind) if isinstance(part, Law) else (part,) for part in parts]
    return [float(number) for each in laws for number in each]


def test_pairs_that_lack_runs_of_tasks_are_each_as_by_itself(rng: np.random.Generator) -> None:
    """Three models on two tasks in three runs, with single answers missing: one pair after the other gives the same."""
    score = rng.normal(size=(3, 3, 24)) + rng.normal(size=(3, 3, 1))
    score[0, 1, 3] = score[2, 0, 20] = np.nan
    tasks, scale = Layout(tasks=np.repeat([0, 1], 12)), np.array([5.0, 7.0])
    one, two = np.array([0, 1]), np.array([1, 2])
    score[1, :, 5] = np.nan
    found = differences_of_means(score, one, two, tasks, scale)
    assert np.shape(found.law.estimate) == (2,)
    for row in (0, 1):
        alone = differences_of_means(score, one[[row]], two[[row]], tasks, scale[[row]])
        assert numbers_of_row(found, row) == pytest.approx(numbers_of_row(alone, 0))


def test_a_row_that_lacks_a_run_counts_its_own_runs(rng: np.random.Generator) -> None:
    """Of four runs three are one degree of freedom less, beside whatever rows it stands: the mean of a model is its own."""
    score = rng.normal(size=(2, 4, 30)) + rng.normal(size=(2, 4, 1))
    score[0, 3] = np.nan
    for layout in (Layout(), Layout(tasks=np.repeat([0, 1], 15)), Layout(clusters=np.arange(30) // 3)):
        found = means_of_rows(score, layout, np.full(2, 5.0))
        alone = means_of_rows(score[:1, :3], layout, np.full(1, 5.0))
        assert numbers_of_row(found, 0) == pytest.approx(numbers_of_row(alone, 0))
        assert found.by_runs is not None
        assert found.by_runs.df.tolist() == [2, 3]


def test_clusters_of_one_item_are_none_beside_tasks_and_runs() -> None:
    """Macro-averages over runs: the two-way layout of centred items, whose clusters are the items themselves."""
    values, tasks, scale = np.random.default_rng(5).normal(size=(2, 4, 12)), np.repeat(np.arange(3), 4), np.ones(2)
    one, other = (means_of_rows(values, Layout(clusters, tasks=tasks), scale).law for clusters in (None, np.arange(12)))
    np.testing.assert_allclose(one.interval(), other.interval(), rtol=1e-12)


def test_a_run_that_lacks_items_keeps_its_effect() -> None:
    """Its other items tell how it differs from the other runs: filled with means alone it looked like them."""
    effect = np.array([[0.5], [0.1], [-0.6]])
    a, b = np.random.default_rng(1).normal(size=12) + effect, np.zeros((3, 12))
    a[0, :5] = np.nan
    found = run_differences(np.stack([a, b]), np.array([0]), np.array([1]))[0]
    assert found - found.mean(axis=0) == pytest.approx(np.broadcast_to(effect, (3, 12)))
