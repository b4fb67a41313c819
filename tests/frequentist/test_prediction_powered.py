"""Prediction-powered means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist import prediction_powered_mean


def sample(seed: int, n: int = 50, m: int = 1000, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.3, 1, size=n + m)
    judged = truth + 0.4 + noise * rng.normal(size=n + m)
    return truth[:n], judged[:n], judged[n:]


def test_formulas_by_hand() -> None:
    """Without tuning: mean of the judge plus its mean error on the labelled, variances added (Angelopoulos 2023)."""
    y, f, g = sample(0)
    result = prediction_powered_mean(y, f, g, tuning=1.0)
    assert result.estimate == pytest.approx(g.mean() + (y - f).mean())
    assert result.standard_error**2 == pytest.approx((y - f).var(ddof=1) / 50 + g.var(ddof=1) / 1000)


def test_weight_0_is_the_labels_alone() -> None:
    """Interval of the ordinary t-test."""
    y, f, g = sample(1)
    result = prediction_powered_mean(y, f, g, tuning=0.0)
    assert result.confidence_interval() == pytest.approx(tuple(stats.ttest_1samp(y, 0).confidence_interval()))
    assert result.standard_error == pytest.approx(result.labels_standard_error)


def test_a_good_judge_helps_and_a_useless_one_does_no_harm() -> None:
    """Tuned: half the error with a good judge; with random judgements at most a few per cent more than labels alone."""
    y, f, g = sample(2)
    assert prediction_powered_mean(y, f, g).standard_error < 0.65 * prediction_powered_mean(y, f, g).labels_standard_error
    rng = np.random.default_rng(3)
    useless = prediction_powered_mean(y, rng.normal(size=50) * 9, rng.normal(size=1000) * 9)
    assert useless.standard_error < 1.05 * useless.labels_standard_error


def test_intervals_cover() -> None:
    """True mean 0.3 in 95 % of 400 samples of 30 labels, with a standard error of 0.011, by a biased judge."""
    inside = 0
    for seed in range(400):
        low, high = prediction_powered_mean(*sample(seed, n=30, m=300)).confidence_interval()
        inside += low <= 0.3 <= high
    assert 0.91 <= inside / 400 <= 0.985


def test_judges_without_spread_count_nothing() -> None:
    """A constant judge leaves the labels alone; labels that do not vary leave no interval."""
    result = prediction_powered_mean([1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1])
    assert result.tuning == 0.0
    assert result.estimate == 0.75
    assert prediction_powered_mean([0, 0, 0], [0, 0, 0], [0, 0]).pvalue() == 1.0


def test_wrong_input_is_refused() -> None:
    """Labels and judgements of other examples."""
    with pytest.raises(InvalidScoresError, match=r"got the shapes \(2,\), \(3,\) and \(2,\)"):
        prediction_powered_mean([1, 0], [1, 0, 1], [1, 0])
    with pytest.raises(InvalidScoresError, match="must be finite"):
        prediction_powered_mean([1, 0, np.nan], [1, 0, 1], [1, 0])


def test_the_weight_pools_the_judge() -> None:
    """PPI++, example of a mean: covariance over (1 + n/N) times the variance of all judgements, for each row."""
    rows = [sample(4), sample(5)]
    y, f, g = (np.stack(each) for each in zip(*rows, strict=True))
    expected = [np.cov(a, b)[0, 1] / ((1 + 50 / 1000) * np.var([*b, *c], ddof=1)) for a, b, c in rows]
    assert prediction_powered_mean(y, f, g).tuning == pytest.approx(expected)
    assert prediction_powered_mean(y, f, g[0]).tuning[0] == pytest.approx(expected[0])
