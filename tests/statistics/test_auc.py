"""The area under the ROC curve and its variance."""

import numpy as np
import pytest
from scipy import stats

from tiebreak.numerics.law import IDENTICAL, student
from tiebreak.statistics import independent_areas, roc_areas

LABELS = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
SCORES = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1]])
def test_one_class_has_no_area(labels: list[int]) -> None:
    """Neither 0 nor 1 nor a half."""
    result = roc_areas(labels, [1, 2, 3])
    assert np.isnan(np.ravel([result.estimate, result.variance, *result.interval()])).all()


def test_one_example_of_a_class_has_an_area_without_a_variance() -> None:
    """A single example says nothing about how others vary."""
    result = roc_areas([1, 0, 0], [2, 1, 3])
    assert result.estimate == 0.5
    assert np.isnan(result.variance)


def test_interval_is_normal_on_the_logit_scale() -> None:
    """log(.56 / .44) +- 1.96 sqrt(0.0462) / (.56 x .44) of the lecture's ten examples, turned back; its law is the normal one."""
    areas = roc_areas(LABELS, SCORES)
    half_width = 1.959963984540054 * np.sqrt(0.0462) / (0.56 * 0.44)
    ends = [1 / (1 + np.exp(-(np.log(0.56 / 0.44) + sign * half_width))) for sign in (-1, 1)]
    assert np.ravel(areas.interval()) == pytest.approx(ends, abs=1e-12)
    assert areas.interval(0.999999).high[0] < 1.0


def kernel_covariance(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Areas and covariance of several models from the kernels of all pairs, without any sorting."""
    rows, columns = [], []
    for row in scores:
        kernel = (row[truth][:, None] > row[~truth]) + 0.5 * (row[truth][:, None] == row[~truth])
        rows.append(kernel.mean(axis=1))
        columns.append(kernel.mean(axis=0))
    return np.mean(rows, axis=1), np.cov(rows) / truth.sum() + np.cov(columns) / (~truth).sum()


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_covariance_of_several_models_is_that_of_the_kernels(digits: int) -> None:
    """Many ties, some, and none."""
    rng = np.random.default_rng(0)
    truth = rng.random(60) < 0.4
    scores = np.round(rng.normal(size=(3, 60)) + rng.normal(size=60) + truth, digits)
    areas, covariance = kernel_covariance(truth, scores)
    result = roc_areas(truth, scores)
    np.testing.assert_allclose(result.estimate, areas, atol=1e-14)
    np.testing.assert_allclose(result.covariance, covariance, atol=1e-15)
    pair = result.difference(0, 2)
    assert pair.se**2 == pytest.approx(covariance[0, 0] + covariance[2, 2] - 2 * covariance[0, 2])
    _, contrast = result.contrast([[1, -1, 0], [0, 1, -1]])
    L = np.array([[1, -1, 0], [0, 1, -1]])
    expected = (L @ areas) @ np.linalg.solve(L @ covariance @ L.T, L @ areas)
    assert contrast.statistic == pytest.approx(expected)
    assert contrast.df == 2


def test_variance_and_degrees_of_freedom_by_all_pairs() -> None:
    """From placements as they are defined, every positive against every negative example; scipy's t for the rest."""
    rng = np.random.default_rng(5)
    truth = np.arange(60) < 9
    scores = np.round(rng.normal(size=(2, 60)) + truth, 1)
    won = [(row[truth][:, None] > row[~truth]) + 0.5 * (row[truth][:, None] == row[~truth]) for row in scores]
    of_positive, of_negative = (won[0].mean(axis=axis) - won[1].mean(axis=axis) for axis in (1, 0))
    v, w = of_positive.var(ddof=1) / 9, of_negative.var(ddof=1) / 51
    pair = roc_areas(truth, scores).difference()
    assert pair.se == pytest.approx(np.sqrt(v + w))
    assert pair.df == pytest.approx((v + w) ** 2 / (v**2 / 8 + w**2 / 50))
    expected = stats.t.interval(0.9, pair.df, pair.estimate, np.sqrt(v + w))
    assert pair.interval(0.9) == pytest.approx(expected)
    assert pair.pvalue() == pytest.approx(2 * stats.t.sf(abs(pair.statistic), pair.df))


def test_fewer_than_five_of_a_class_are_the_degrees_of_freedom() -> None:
    """Three positives, two degrees of freedom: now and then they hardly differ, and their small variance is no certainty."""
    rng = np.random.default_rng(6)
    truth = np.arange(40) < 3
    assert roc_areas(truth, rng.normal(size=(2, 40))).difference().df == 2.0
    assert roc_areas(~truth, rng.normal(size=(2, 40))).difference().df == 2.0


def test_no_end_reaches_beyond_what_areas_can_differ_by() -> None:
    """Cut at -1 and 1, and no tail is left beyond."""
    truth = [0, 0, 1, 1]
    pair = roc_areas(truth, [[1, 3, 2, 4], [4, 2, 3, 1]]).difference()
    low, high = pair.interval(0.999)
    assert (low, high) == (-1.0, 1.0)
    assert (pair.tail(1.01, upper=True), pair.tail(1.01), pair.tail(-1.01)) == (0.0, 1.0, 0.0)


def test_models_without_variance_never_have_an_interval_without_width() -> None:
    """Constant predictions against a model that separates the classes: every placement differs by a half."""
    truth = [0] * 6 + [1] * 4
    pair = roc_areas(truth, [np.arange(10), np.zeros(10)]).difference()
    low, high = pair.interval()
    assert (pair.estimate, pair.se) == (0.5, 0.0)
    assert -0.1 < low < 0.4 < 0.6 < high <= 1.0
    assert pair.tail(low) == pytest.approx(0.025, abs=1e-9)


def test_identical_models_have_p_1_and_no_interval() -> None:
    """A monotone transformation is the same model for the area; 0/0 is no evidence."""
    rng = np.random.default_rng(3)
    truth = rng.random(40) < 0.5
    scores = rng.normal(size=40) + truth
    pair = roc_areas(truth, [scores, np.exp(scores)]).difference()
    assert (pair.kind, pair.pvalue()) == (IDENTICAL, 1.0)
    assert np.isnan(pair.interval()).all()


def test_separable_data_keep_a_width() -> None:
    """Two models that separate the classes: DeLong's variance is 0, and a peer's interval of no width would be a certainty."""
    truth = [0] * 10 + [1] * 8
    pair = roc_areas(truth, [np.arange(18), np.arange(18) ** 2]).difference()
    low, high = pair.interval()
    assert pair.estimate == 0.0
    assert low == pytest.approx(-high)
    assert 0.05 < high < 0.5
    alone = roc_areas(truth, np.arange(18)).interval()
    assert alone.high == pytest.approx(1.0)
    assert 0.6 < alone.low < 0.95


def test_pseudo_score_limit_solves_its_equation() -> None:
    """Newcombe 2006, method 5: the lower limit of an area of 1 from 8 against 10 lies z of its own standard errors below."""
    from math import sqrt

    theta = roc_areas([0] * 10 + [1] * 8, np.arange(18)).interval().low[0]
    away = 1 - theta
    spread = 1 + (9 - 1) * (theta / (1 + theta) + (1 - theta) / (2 - theta))
    assert away == pytest.approx(1.959963984540054 * sqrt(theta * (1 - theta) * spread / 80), rel=1e-6)


def test_nan_spoils_its_own_model_only() -> None:
    """Pairs with it are undefined, the others are not."""
    rng = np.random.default_rng(4)
    truth, scores = rng.random(30) < 0.5, rng.normal(size=(3, 30))
    scores[1, 4] = np.nan
    result = roc_areas(truth, scores).difference([0, 0], [1, 2])
    assert np.isnan(result.estimate[0])
    assert np.isnan(result.pvalue()[0])
    assert np.isfinite(result.interval().low[1])


def test_independent_test_sets() -> None:
    """The variances add; treating paired curves so loses power (pROC prints D = 1.4349, df = 206.66 for its own data)."""
    one, other = roc_areas(LABELS, SCORES), roc_areas([1, 0, 1, 0, 1], [5, 3, 4, 4, 1])
    pair = independent_areas(one, other)
    v, w = one.variance, other.variance
    assert pair.se == pytest.approx(np.sqrt(v + w))
    assert pair.df == pytest.approx((v + w) ** 2 / (v**2 / 9 + w**2 / 4))
    assert pair.pvalue() > student(pair.estimate, pair.se).pvalue()


def test_clusters_are_left_out_of_both_classes() -> None:
    """Placements of each class without the cluster, by hand; df by the clusters with a positive item, less one, where few."""
    rng = np.random.default_rng(7)
    truth, clusters = np.arange(60) % 5 == 0, np.repeat(np.arange(12), 5)
    scores = rng.normal(size=60) + truth
    kernel = (scores[truth][:, None] > scores[~truth]) * 1.0
    total = 0.0
    for own in range(12):
        moved = 0.0
        for placements, codes in ((kernel.mean(axis=1), clusters[truth]), (kernel.mean(axis=0), clusters[~truth])):
            moved += np.sqrt(11 / 12) * (placements[codes != own].mean() - placements.mean())
        total += moved**2
    areas = roc_areas(truth, scores, clusters)
    assert areas.variance[0] == pytest.approx(total, rel=1e-9)
    assert areas.of_models.df == pytest.approx([11.0])
    assert roc_areas(clusters < 3, scores, clusters).of_models.df == pytest.approx([2.0])
