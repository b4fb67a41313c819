"""The Bayesian Bradley-Terry model: against a sum over a grid, and its tables of wins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import tiebreak as tb
from tiebreak.bayesian import WinCounts
from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError

posterior_of = tb.bayesian.bradley_terry_posterior
wins_with_local_rope, deal_out_ties = tb.bayesian.wins_with_local_rope, tb.bayesian.deal_out_ties


def _log_prior(prior, scale, sigma):
    """Density of sigma, per unit of log sigma."""
    if prior == "lognormal":
        return -((np.log(sigma) / scale) ** 2) / 2
    ratio = sigma / scale
    return np.log(sigma) + (-(ratio**2) / 2 if prior == "half-normal" else -np.log1p(ratio**2))


@pytest.mark.parametrize(("prior", "scale"), [("lognormal", 0.5), ("half-normal", 1.0), ("half-cauchy", 0.5)])
def test_two_models_against_a_grid(prior, scale):
    """The difference of two abilities N(0, sigma) is N(0, sigma sqrt 2): one sum over it, one over log sigma."""
    d, sigma = np.linspace(-40, 40, 16_001), np.exp(np.linspace(-8, 8, 401))[:, None]
    log_density = _log_prior(prior, scale, sigma) - np.log(sigma) - d**2 / (4 * sigma**2)
    mass = np.exp(log_density).sum(axis=0) * special.expit(d) ** 14 * special.expit(-d) ** 6
    mass /= mass.sum()
    posterior = posterior_of([[0, 14], [6, 0]], prior=prior, prior_scale=scale)
    assert posterior.probability_better()[0, 1] == pytest.approx(mass[d > 0].sum(), abs=0.01)
    assert posterior.mean_win_probability()[0, 1] == pytest.approx(mass @ special.expit(d), abs=0.003)
    half_width = np.log(0.55 / 0.45)
    assert posterior.probability_equivalent()[0, 1] == pytest.approx(mass[np.abs(d) <= half_width].sum(), abs=0.01)
    assert posterior.effective_draws > 30_000


def test_models_in_another_order_have_the_same_answer():
    """Within the error of the draws, which is 0.0026 for 40,000."""
    wins = np.array([[0, 12, 15], [8, 0, 14], [5, 6, 0]])
    order = np.array([2, 0, 1])
    one, other = posterior_of(wins).probability_better(), posterior_of(wins[np.ix_(order, order)]).probability_better()
    assert other == pytest.approx(one[np.ix_(order, order)], abs=0.012, nan_ok=True)
    assert one + one.T == pytest.approx(np.where(np.eye(3), np.nan, 1.0), nan_ok=True)


def test_a_model_that_never_lost_has_a_finite_ability():
    """The prior holds it; and draws are worth what they cost where the posterior is skewed."""
    posterior = posterior_of([[0, 10, 10], [0, 0, 6], [0, 4, 0]])
    assert np.all(np.isfinite(posterior.log_ability))
    assert posterior.probability_better()[0, 1] > 0.999
    assert posterior.effective_draws > 20_000


def test_same_seed_same_answer():
    """Draws come from a fixed seed unless another is given."""
    one, again = (posterior_of([[0, 3], [2, 0]], n_draws=500) for _ in range(2))
    assert np.array_equal(one.draws, again.draws)


def test_no_battles_leave_the_prior():
    """Without any result either model is as probably the better one."""
    assert posterior_of([[0, 0], [0, 0]]).probability_better()[0, 1] == pytest.approx(0.5, abs=1e-9)


def test_local_rope_by_hand():
    """Differences 1 and 3: mean 2, sd sqrt 2, a tie from 2 / sqrt 2 = 1.414 sds on. Unpaired, variances 8 and 2 are averaged."""
    scores = np.array([[[1.0, 0.0], [5.0, 2.0]]])
    assert wins_with_local_rope(scores, local_rope=1.41).wins.tolist() == [[0, 1], [0, 0]]
    assert wins_with_local_rope(scores, local_rope=1.42).ties.tolist() == [[0, 1], [1, 0]]
    unpaired = 2 / np.sqrt((8 + 2) / 2)
    assert wins_with_local_rope(scores, local_rope=unpaired - 0.01, paired=False).wins.sum() == 1
    assert wins_with_local_rope(scores, local_rope=unpaired + 0.01, paired=False).ties.sum() == 2
    assert wins_with_local_rope(scores[:, :1]).wins.tolist() == [[0, 1], [0, 0]]


def test_ties_are_dealt_out():
    """Three ties: two for either by rounding up, one and a half, three, none."""
    counts = WinCounts(np.array([[0, 4.0], [1, 0]]), np.array([[0, 3.0], [3, 0]]))
    for how, expected in (("spread", [6, 3]), ("half", [5.5, 2.5]), ("add", [7, 4]), ("forget", [4, 1])):
        wins = deal_out_ties(counts, how)
        assert [wins[0, 1], wins[1, 0]] == expected


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: posterior_of([[0]]), TooFewModelsError, "at least 2"),
        (lambda: posterior_of([[0, -1], [1, 0]]), InvalidScoresError, "not negative"),
        (lambda: posterior_of([[2, 1], [1, 0]]), InvalidScoresError, "no model meets itself"),
        (lambda: posterior_of([[0, 1, 1], [1, 0, 1]]), InvalidScoresError, "square table"),
        (lambda: posterior_of([[0, 1], [1, 0]], prior="flat"), InvalidParameterError, "'lognormal', 'half-normal'"),
        (lambda: posterior_of([[0, 1], [1, 0]], prior_scale=0), InvalidParameterError, "prior_scale must be"),
        (lambda: posterior_of([[0, 1], [1, 0]], n_draws=0), InvalidParameterError, "n_draws must be"),
        (lambda: posterior_of([[0, 1], [1, 0]]).probability_equivalent((0.4, 0.7)), InvalidParameterError, "p and 1 - p"),
        (lambda: wins_with_local_rope([[1.0]]), InvalidScoresError, "datasets by splits by models"),
        (lambda: wins_with_local_rope(np.ones((1, 2, 2)), local_rope=-1), InvalidParameterError, "local_rope"),
        (lambda: deal_out_ties(WinCounts(np.eye(2), np.eye(2)), "x"), InvalidParameterError, "'spread', 'half'"),
    ],
)
def test_wrong_use_says_how_to_go_on(call, error, text):
    """Each error is of the fitting type, and names what is wrong."""
    with pytest.raises(error, match=text):
        call()
