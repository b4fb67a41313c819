"""The Bayesian bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.bayesian import bayesian_bootstrap
from tiebreak.errors import InvalidParameterError, InvalidScoresError

D = np.random.default_rng(0).normal(0.2, 1, size=60)


def test_posterior_has_the_known_moments() -> None:
    """Mean of the scores, and variance sum (x - mean)^2 / (n (n + 1)) [Rubin 1981]; 40,000 draws, standard errors below 1 %."""
    result = bayesian_bootstrap(D, n_draws=40_000)
    assert result.draws.mean() == pytest.approx(D.mean(), abs=0.003)
    assert result.standard_deviation == pytest.approx(np.sqrt(np.square(D - D.mean()).sum() / (60 * 61)), rel=0.02)


def test_probabilities_sum_to_1_and_mirror() -> None:
    """The rope is closed; signs turned change better and worse."""
    one, other = bayesian_bootstrap(D), bayesian_bootstrap(-D)
    assert sum(one.probabilities(0.1)) == pytest.approx(1)
    assert one.probabilities(0.1).better == other.probabilities(0.1).worse
    low, high = one.credible_interval()
    assert other.credible_interval() == pytest.approx((-high, -low))


def test_models_share_their_draws() -> None:
    """A model that is better on each example is best in each draw; equal models share."""
    assert bayesian_bootstrap(np.stack([D, D - 0.1])).p_best().tolist() == [1.0, 0.0]
    assert bayesian_bootstrap(np.stack([D, D])).p_best().tolist() == [0.5, 0.5]


def test_clusters_are_drawn_whole() -> None:
    """Copies of an example are one example."""
    alone = bayesian_bootstrap(D[:10])
    copied = bayesian_bootstrap(np.repeat(D[:10], 3), clusters=np.repeat(np.arange(10), 3))
    np.testing.assert_allclose(alone.draws, copied.draws)


def test_equal_scores_are_a_point() -> None:
    """Zero differences lie in the rope in all draws, also in one of half-width 0."""
    assert tuple(bayesian_bootstrap(np.zeros(5)).probabilities()) == (0.0, 1.0, 0.0)


def test_wrong_input_is_refused() -> None:
    """One value, nan, no draws."""
    with pytest.raises(InvalidScoresError, match="two finite values or more"):
        bayesian_bootstrap([1.0])
    with pytest.raises(InvalidScoresError, match="two finite values or more"):
        bayesian_bootstrap([1.0, np.nan])
    with pytest.raises(InvalidParameterError, match="n_draws must be"):
        bayesian_bootstrap([1.0, 2.0], n_draws=0)
