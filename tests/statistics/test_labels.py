"""Prediction-powered means."""

import numpy as np
import pytest
from scipy import stats

from tiebreak.statistics import clustered_mean, prediction_powered_mean
from tiebreak.statistics.labels import Labelled, mean_by_weight


def sample(seed: int, n: int = 50, m: int = 1000, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.3, 1, size=n + m)
    judged = truth + 0.4 + noise * rng.normal(size=n + m)
    return truth[:n], judged[:n], judged[n:]


def known(y: np.ndarray, f: np.ndarray, g: np.ndarray, *more: np.ndarray | None) -> Labelled:
    """Labelled examples first, then those that only the judge scored."""
    return Labelled(np.concatenate([y, np.full(g.size, np.nan)]), np.concatenate([f, g]), *more)


def test_a_weight_of_1_is_the_untuned_mean_and_0_the_labels_alone() -> None:
    """Mean of the judge plus its mean error on the labelled, variances added (Angelopoulos 2023); and the ordinary t-test."""
    y, f, g = sample(0)
    trusted, alone = (mean_by_weight(known(y, f, g), np.array(weight)) for weight in (1.0, 0.0))
    assert trusted.estimate == pytest.approx(g.mean() + (y - f).mean())
    assert trusted.se**2 == pytest.approx((y - f).var(ddof=1) / 50 + g.var(ddof=1) / 1000)
    assert alone.interval() == pytest.approx(tuple(stats.ttest_1samp(y, 0).confidence_interval()))


def test_a_good_judge_helps_and_a_useless_one_does_no_harm() -> None:
    """Tuned: half the error with a good judge; with random judgements at most a few per cent more than labels alone."""
    y, f, g = sample(2)
    alone, rng = clustered_mean(y).se, np.random.default_rng(3)
    assert prediction_powered_mean(y, f, g).se < 0.65 * alone
    assert prediction_powered_mean(y, rng.normal(size=50) * 9, rng.normal(size=1000) * 9).se < 1.05 * alone


@pytest.mark.slow
def test_intervals_cover() -> None:
    """True mean 0.3 in 95 % of 400 samples of 30 labels, with a standard error of 0.011, by a biased judge."""
    inside = 0
    for seed in range(400):
        low, high = prediction_powered_mean(*sample(seed, n=30, m=300)).interval()
        inside += low <= 0.3 <= high
    assert 0.91 <= inside / 400 <= 0.985


def test_judges_without_spread_count_nothing() -> None:
    """A constant judge leaves the labels alone; labels that do not vary leave no interval."""
    assert prediction_powered_mean([1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1]).estimate == 0.75
    assert prediction_powered_mean([0, 0, 0], [0, 0, 0], [0, 0]).pvalue() == 1.0


def test_clusters_by_hand() -> None:
    """A cluster's part in the error is the sum of what its labelled and its other examples add, with the factors of CR2."""
    rng = np.random.default_rng(6)
    clusters = rng.integers(0, 12, 40 + 90)
    truth = rng.normal(size=12)[clusters] + rng.normal(size=130)
    judged = truth + 0.3 + 0.5 * rng.normal(size=130)
    y, f, g, weight = truth[:40], judged[:40], judged[40:], 0.8
    labelled, other = clusters[:40], clusters[40:]
    rest = y - weight * f
    variance = 0.0
    for each in range(12):
        mine, others = labelled == each, other == each
        part = np.sqrt(1 / (1 - mine.mean())) * (rest[mine] - rest.mean()).sum() / 40
        part += weight * np.sqrt(1 / (1 - others.mean())) * (g[others] - g.mean()).sum() / 90
        variance += part**2
    found = mean_by_weight(known(y, f, g, clusters), np.array(weight))
    assert found.estimate == pytest.approx(y.mean() + weight * (g.mean() - f.mean()), rel=1e-12)
    assert found.se == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert (found.df, found.n_units) == (pytest.approx(clustered_mean(y, labelled).df), len(set(labelled.tolist())))


def test_a_cluster_for_each_example_is_none() -> None:
    """The same numbers, and equal weights are no weights."""
    y, f, g = sample(7)
    one = prediction_powered_mean(y, f, g)
    other = prediction_powered_mean(y, f, g, clusters=[f"text {k}" for k in range(1050)], weights=np.full(1050, 2.5))
    assert (one.estimate, one.se, one.df) == pytest.approx((other.estimate, other.se, other.df), rel=1e-12)
    assert one.df == 48  # 50 labels, less the mean and the weight


def test_a_weight_of_two_is_an_example_twice_in_the_estimate() -> None:
    """The mean counts examples by their weights; so do both parts of the correction."""
    y, f, g = sample(8, n=20, m=60)
    weights = np.random.default_rng(0).integers(1, 4, 80)
    twice = [np.repeat(each, part) for each, part in ((y, weights[:20]), (f, weights[:20]), (g, weights[20:]))]
    found, expected = (mean_by_weight(each, np.array(0.7)) for each in (known(y, f, g, None, weights), known(*twice)))
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)


@pytest.mark.slow
def test_intervals_of_clusters_cover() -> None:
    """True mean 0.3 in 95 % of 400 samples (standard error 0.011); of 12 clusters of five, the judge errs by cluster too.

    Without the clusters 80 % of the intervals held it.
    """
    inside = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        clusters = np.repeat(np.arange(72), 5)
        truth = 0.3 + rng.normal(size=72)[clusters] + rng.normal(size=360)
        judged = truth + 0.4 + 0.5 * rng.normal(size=72)[clusters] + 0.5 * rng.normal(size=360)
        low, high = prediction_powered_mean(truth[:60], judged[:60], judged[60:], clusters=clusters).interval()
        inside += low <= 0.3 <= high
    assert 0.92 <= inside / 400 <= 0.985


def test_the_weight_pools_the_judge() -> None:
    """PPI++, example of a mean: covariance over (1 + n/N) times the variance of all judgements, for each row."""
    rows = [sample(4), sample(5)]
    y, f, g = (np.stack(each) for each in zip(*rows, strict=True))
    weights = [np.cov(a, b)[0, 1] / ((1 + 50 / 1000) * np.var([*b, *c], ddof=1)) for a, b, c in rows]
    expected = [a.mean() + weight * (c.mean() - b.mean()) for weight, (a, b, c) in zip(weights, rows, strict=True)]
    assert prediction_powered_mean(y, f, g).estimate == pytest.approx(expected)
    assert prediction_powered_mean(y, f, g[0]).estimate[0] == pytest.approx(expected[0])
