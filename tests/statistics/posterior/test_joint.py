"""The joint posterior: closed forms, quadrature, a plain simulation of the multivariate t, ties by hand."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tiebreak.numerics import checks
from tiebreak.statistics import corrected_t, joint_posterior

RATIO = 1 / 9
SAMPLED = 0.005
"""What the design allows of sampling error."""


def scores_of(n_models: int, n_splits: int, rng: np.random.Generator, *, gap: float = 0.01) -> np.ndarray:
    """Models with means `gap` apart that share how hard each split is."""
    hardness = rng.normal(0, 0.04, n_splits)
    return 0.8 + hardness + rng.normal(0, 0.03, (n_models, n_splits)) - gap * np.arange(n_models)[:, None]


def scale_matrix(scores: np.ndarray) -> np.ndarray:
    return (1 / scores.shape[1] + RATIO) * np.cov(scores)


@pytest.mark.parametrize("n_splits", [2, 5, 100])
def test_two_models_in_closed_form(n_splits: int, rng: np.random.Generator) -> None:
    """p_best is P(better) and P(worse) at rope 0 of the pair's own posterior, exactly."""
    scores = scores_of(2, n_splits, rng)
    better, _, worse = corrected_t(scores[0] - scores[1], test_train_ratio=RATIO).probabilities(0.0)
    assert_allclose(joint_posterior(scores, test_train_ratio=RATIO), [better, worse], rtol=1e-12)


@pytest.mark.parametrize("n_splits", [3, 4, 10, 100])
def test_three_models_by_quadrature(n_splits: int, rng: np.random.Generator) -> None:
    """Given the chi-square variable the two differences are normal, so P(best) is a mean of bivariate normal probabilities."""
    scores = scores_of(3, n_splits, rng)
    got = joint_posterior(scores, test_train_ratio=RATIO)
    df = n_splits - 1
    root_w = np.sqrt(stats.chi2.ppf((np.arange(2000) + 0.5) / 2000, df) / df)
    for best in range(3):
        others = [model for model in range(3) if model != best]
        contrast = np.zeros((2, 3))
        contrast[[0, 1], others], contrast[:, best] = -1, 1
        location, shape = contrast @ scores.mean(axis=1), contrast @ scale_matrix(scores) @ contrast.T
        expected = stats.multivariate_normal(cov=shape).cdf(location * root_w[:, None]).mean()
        assert_allclose(got[best], expected, atol=SAMPLED)


def test_three_models_on_two_splits_by_one_variable() -> None:
    """Two splits leave one direction: the means are m + u t with t Cauchy, and each model is best on an interval of t."""
    scores = np.array([[0.80, 0.90], [0.86, 0.85], [0.70, 0.95]])
    slope = (scores[:, 1] - scores[:, 0]) / np.sqrt(2) * np.sqrt(1 / 2 + RATIO)
    t = np.tan(np.pi * ((np.arange(1_000_000) + 0.5) / 1_000_000 - 0.5))
    best = np.argmax(scores.mean(axis=1)[:, None] + slope[:, None] * t, axis=0)
    got = joint_posterior(scores, test_train_ratio=RATIO)
    assert_allclose(got, np.bincount(best, minlength=3) / t.size, atol=SAMPLED)


@pytest.mark.slow
@pytest.mark.parametrize(("n_models", "n_splits"), [(4, 10), (6, 5), (5, 3), (12, 100)])
def test_more_models_by_plain_simulation(n_models: int, n_splits: int, rng: np.random.Generator) -> None:
    """400,000 draws of a multivariate t from the covariance itself; M >= n splits is degenerate and fine."""
    scores = scores_of(n_models, n_splits, rng)
    values, vectors = np.linalg.eigh(scale_matrix(scores))
    root = vectors * np.sqrt(np.maximum(values, 0))
    n = 400_000
    z = rng.standard_normal((n, n_models)) @ root.T
    means = scores.mean(axis=1) + z * np.sqrt((n_splits - 1) / rng.chisquare(n_splits - 1, (n, 1)))
    best = np.bincount(np.argmax(means, axis=1), minlength=n_models) / n
    assert_allclose(joint_posterior(scores, test_train_ratio=RATIO), best, atol=SAMPLED)


def test_groups_without_spread_share(rng: np.random.Generator) -> None:
    """A copy, and a model a constant below, share with the one they come from whatever the order of rows."""
    base, other = rng.normal(0.8, 0.05, (2, 10))
    scores = np.array([base, other, base, base - 0.001, other])
    for order in list(permutations(range(5)))[::9]:
        got = joint_posterior(scores[list(order)], test_train_ratio=RATIO)
        p = np.empty(5)
        p[list(order)] = got
        assert_allclose(p[[0, 0, 1]], p[[2, 3, 4]], rtol=1e-12)
        assert_allclose(p.sum(), 1.0, rtol=1e-12)


def test_all_identical() -> None:
    """Nothing tells them apart: equal shares, for two models and for a thousand, whose pairs are merged group by group."""
    for n in (2, 3, 40, 1000):
        got = joint_posterior(np.tile([0.1, 0.2, 0.4], (n, 1)), test_train_ratio=RATIO, n_draws=1000)
        assert_allclose(got, 1 / n, rtol=1e-12)


def test_what_all_models_share_does_not_matter(rng: np.random.Generator) -> None:
    """A hard split, an offset, another unit: same answer within the error of the draws."""
    scores = scores_of(5, 20, rng)
    plain = joint_posterior(scores, test_train_ratio=RATIO)
    for changed in (scores + rng.normal(0, 10, 20), 100 * scores, 1e250 * scores, 1e-250 * scores, scores[:, ::-1]):
        assert_allclose(joint_posterior(changed, test_train_ratio=RATIO), plain, atol=SAMPLED)


def test_long_tables_are_taken_in_blocks(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draws are made from the root of the same matrix, whatever the blocks it was put together from."""
    scores = scores_of(5, 43, rng)
    whole = joint_posterior(scores, test_train_ratio=RATIO)
    monkeypatch.setattr(checks, "BLOCK", 40)
    assert_allclose(joint_posterior(scores, test_train_ratio=RATIO), whole, atol=1e-4)


def test_same_seed_same_answer(rng: np.random.Generator) -> None:
    """A default seed, a number or a generator; another seed moves p_best by sampling error only."""
    scores = scores_of(4, 10, rng)
    one, again = joint_posterior(scores, test_train_ratio=RATIO), joint_posterior(scores, test_train_ratio=RATIO)
    assert_array_equal(one, again)
    generators = [joint_posterior(scores, test_train_ratio=RATIO, rng=np.random.default_rng(5)) for _ in range(2)]
    assert_array_equal(*generators)
    assert_array_equal(generators[0], joint_posterior(scores, test_train_ratio=RATIO, rng=5))
    assert np.any(generators[0] != one)
    assert_allclose(generators[0], one, atol=SAMPLED)


def test_single_model_is_best() -> None:
    """Degenerate but defined."""
    assert_array_equal(joint_posterior([[0.1, 0.2, 0.4]], test_train_ratio=RATIO), [1.0])
