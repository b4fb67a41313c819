"""The bootstrap over examples; published cases are in tests/reference."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import (
    bootstrap_auc,
    bootstrap_function,
    bootstrap_mean,
    bootstrap_metric,
    bootstrap_sums,
)


def test_all_resamples_are_those_of_a_loop() -> None:
    """Quantiles, mean and standard error of the 4^4 ordered resamples of four numbers."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    means = np.sort([np.mean(each) for each in product(values, repeat=4)])
    result = bootstrap_metric(bootstrap_mean(values))
    assert result.is_exact
    assert result.n_resamples == 256
    assert result.mean == pytest.approx(means.mean())
    assert result.standard_error == pytest.approx(means.std())
    expected = np.quantile(means, [0.05, 0.95], method="inverted_cdf")
    assert result.confidence_interval(0.9, "percentile") == pytest.approx(tuple(expected))


def test_bca_is_near_scipys() -> None:
    """Another implementation with other resamples, 20,000 of each; a skewed sample, where the bias correction matters."""
    values = np.random.default_rng(0).exponential(size=60)
    ours = bootstrap_metric(bootstrap_mean(values), n_resamples=20_000).confidence_interval()
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("digits", [1, 8])
def test_auc_of_a_resample_is_scikit_learns(digits: int) -> None:
    """With the counts as weights, with ties and without; and without each example, for the jackknife."""
    rng = np.random.default_rng(1)
    truth = rng.random(40) < 0.4
    scores = np.round(rng.normal(size=(2, 40)) + truth, digits)
    metric, counts = bootstrap_auc(truth, scores), rng.multinomial(40, np.full(40, 1 / 40), size=5)
    expected = [[roc_auc_score(truth, row, sample_weight=weights) for weights in counts] for row in scores]
    np.testing.assert_allclose(metric.at(counts), expected, atol=1e-14)
    left_out = [[roc_auc_score(np.delete(truth, i), np.delete(row, i)) for i in range(40)] for row in scores]
    np.testing.assert_allclose(metric.without(np.arange(40), 40), left_out, atol=1e-14)
    groups = rng.integers(0, 6, 40)
    by_group = [[roc_auc_score(truth[groups != k], row[groups != k]) for k in range(6)] for row in scores]
    np.testing.assert_allclose(metric.without(groups, 6), by_group, atol=1e-14)


@pytest.mark.slow
def test_any_function_gives_what_its_sums_give() -> None:
    """F1 by scikit-learn on the resampled rows, and as a function of counts of right and wrong: the same resamples."""
    rng = np.random.default_rng(2)
    truth, predicted = rng.random(50) < 0.4, rng.random(50) < 0.5
    columns = np.stack([truth & predicted, truth ^ predicted], axis=-1)
    by_sums = bootstrap_sums(columns, lambda sums: 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1]))
    by_rows = bootstrap_function(f1_score, truth, predicted)
    one, other = (bootstrap_metric(metric, n_resamples=400) for metric in (by_sums, by_rows))
    np.testing.assert_allclose(one.replicates, other.replicates)
    np.testing.assert_allclose(one.jackknife, other.jackknife)
    assert one.confidence_interval() == pytest.approx(other.confidence_interval())


def test_the_same_call_gives_the_same_answer() -> None:
    """A fixed seed unless given; another one gives other resamples."""
    metric = bootstrap_mean(np.random.default_rng(6).normal(size=40))
    one, again, other = (bootstrap_metric(metric, n_resamples=500, rng=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.replicates, again.replicates)
    assert (one.replicates != other.replicates).any()


def test_equal_scores_have_no_interval() -> None:
    """Two models with the same score on each example: the resampled differences are all 0."""
    scores = np.random.default_rng(7).normal(size=30)
    result = bootstrap_metric(bootstrap_mean(scores - scores), n_resamples=500)
    assert result.estimate == 0.0
    assert np.isnan(result.confidence_interval()).all()


def test_wrong_input_is_refused() -> None:
    """Too few resamples for the level, too many for an enumeration, nan, several models at once."""
    metric = bootstrap_mean(np.arange(30.0))
    with pytest.raises(InvalidParameterError, match="n_resamples must be a whole number of at least 1; got 0"):
        bootstrap_metric(metric, n_resamples=0)
    with pytest.raises(
        InvalidParameterError, match=r"200 resamples are too few for an interval of level 0.95; pass n_resamples=400"
    ):
        bootstrap_metric(metric, n_resamples=200).confidence_interval()
    with pytest.raises(InvalidParameterError, match="30 examples have too many resamples"):
        bootstrap_metric(metric, resampling="exact")
    with pytest.raises(InvalidScoresError, match="finite values, one for each example"):
        bootstrap_mean([1, np.nan])
    with pytest.raises(InvalidScoresError, match="the metric of one model, or of the differences of two; got 3 rows"):
        bootstrap_metric(bootstrap_mean(np.eye(3)))
    with pytest.raises(InvalidParameterError, match="unknown method 'student'"):
        bootstrap_metric(metric).confidence_interval(method="student")


def test_a_metric_without_a_value_has_no_interval() -> None:
    """An area needs both classes: nan, without a warning, in a batch and alone."""
    result = bootstrap_metric(bootstrap_auc([1] * 12, np.arange(12.0)), n_resamples=500)
    assert np.isnan(result.estimate)
    assert np.isnan(result.confidence_interval()).all()
    assert np.isnan(result.confidence_interval(method="percentile")).all()
