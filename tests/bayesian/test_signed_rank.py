"""The Bayesian signed-rank test: the fast sampler against all pairs written out, and input of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, TooFewDatasetsError

signed_rank_posterior = tb.bayesian.signed_rank_posterior


def _all_pairs(d, rope, strength, at, n_draws=60_000):
    """Probabilities and means by the definition: every mean of two, half weight on the limits, draws of a Dirichlet."""
    z = np.append(np.asarray(d, dtype=float), at)
    a = np.append(np.ones(len(d)), strength)
    mean = (z[:, None] + z) / 2
    above, below = ((mean > rope) + (mean == rope) / 2, (mean < -rope) + (mean == -rope) / 2)
    regions = np.stack([above, 1 - above - below, below])
    moments = (np.outer(a, a) + np.diag(a)) / (a.sum() * (a.sum() + 1))
    gamma = np.random.default_rng(7).standard_gamma(a, (n_draws, a.size))
    chances = np.einsum("rij,ni,nj->nr", regions, gamma, gamma, optimize=True) / gamma.sum(axis=1)[:, None] ** 2
    best = np.abs(chances - chances.max(axis=1, keepdims=True)) < 1e-9
    return (best / best.sum(axis=1, keepdims=True)).mean(axis=0), (regions * moments).sum(axis=(1, 2))


@pytest.mark.parametrize(
    ("d", "rope", "strength", "at"),
    [
        ([3, 2, -1, 4, 5, 0, 1], 1, 0.5, 0),
        ([3, 2, -1, 4, 5, 0, 1], 0, 0.5, 0),
        ([3, 2, -1, 4, 5, 0, 1], 1, 4.0, -3),
        ([3, 2, -1, 4, 5, 0, 1], 1, 4.0, -np.inf),
        ([1, 1, -1, -1], 1, 1.0, 0),
        ([2, -2], 0, 1.0, 0),
    ],
)
def test_sorting_agrees_with_all_pairs(d, rope, strength, at):
    """Limits are met exactly here, so the half weights count; 60,000 draws have a standard error of 0.002."""
    posterior = signed_rank_posterior(d, rope=rope, prior_strength=strength, prior_at=at)
    probabilities, mean = _all_pairs(d, rope, strength, at)
    assert np.array(posterior.mean) == pytest.approx(mean, abs=1e-14)
    assert np.array(posterior.probabilities()) == pytest.approx(probabilities, abs=0.011)


@pytest.mark.slow
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9), st.integers(0, 3), st.sampled_from([0.0, 0.5, 3.0]))
def test_swapped_models_mirror_and_order_does_not_matter(values, rope, strength):
    """To the last bit, for the same draws are used: the sampler sorts, and turns the pair to one of its two orders."""
    d = np.array(values, dtype=float)
    settings = {"rope": rope, "prior_strength": strength, "prior_at": 1.0}
    one = signed_rank_posterior(d, **settings)
    swapped = signed_rank_posterior(-d, **{**settings, "prior_at": -1.0})
    answer = np.array(one.probabilities(n_draws=500))
    if not np.array_equal(np.sort(d), np.sort(-d)):  # a pair that is its own mirror has its own draws only
        assert np.array_equal(np.array(swapped.probabilities(n_draws=500))[::-1], answer)
    assert np.array(swapped.mean)[::-1] == pytest.approx(np.array(one.mean), abs=1e-14)
    assert np.array_equal(signed_rank_posterior(d[::-1], **settings).probabilities(n_draws=500), answer)
    unit = {"rope": rope * 2.0**-40, "prior_strength": strength, "prior_at": 2.0**-40}
    assert np.array_equal(signed_rank_posterior(d * 2.0**-40, **unit).probabilities(n_draws=500), answer)


def test_decimal_ties_count_half():
    """Means of 0.8 - 0.7 and 0.3 - 0.2 lie on a rope of 0.1, though their floats do not: half above, half inside."""
    posterior = signed_rank_posterior([0.8 - 0.7, 0.3 - 0.2], rope=0.1, prior_strength=0)
    assert tuple(posterior.mean) == pytest.approx((0.5, 0.5, 0))


def test_identical_models_are_as_good_as_each_other():
    """All differences 0 at rope 0 are limits: half above and half below in every draw, which share it; in a rope all inside."""
    for n in (1, 5, 3000):
        assert tuple(signed_rank_posterior(np.zeros(n)).probabilities(n_draws=50)) == pytest.approx((0.5, 0, 0.5))
        assert tuple(signed_rank_posterior(np.zeros(n), rope=0.1).probabilities(n_draws=50)) == (0, 1, 0)


def test_one_dataset_without_a_prior_is_certain():
    """Its own difference is all that the posterior knows."""
    assert tuple(signed_rank_posterior([0.2], prior_strength=0).probabilities(n_draws=10)) == (1, 0, 0)


def test_a_row_of_a_batch_is_answered_as_if_alone():
    """A missing value undoes its own row only, and can be left out of it."""
    d = np.array([[0.1, 0.2, -0.3], [0.1, np.nan, -0.3], [np.nan, np.nan, np.nan]])
    strict, lenient = signed_rank_posterior(d), signed_rank_posterior(d, omit_missing=True)
    alone = signed_rank_posterior([0.1, -0.3])
    assert np.isnan(np.array(strict.mean)[:, 1:]).all()
    assert tuple(p[1] for p in lenient.probabilities(n_draws=300)) == tuple(alone.probabilities(n_draws=300))
    assert np.isnan(np.array(lenient.probabilities(n_draws=300))[:, 2]).all()
    assert np.isnan(signed_rank_posterior([np.nan]).draws(4)).all()


def test_draws_are_those_that_are_counted():
    """Their share of largest chances is the probability, and they add up to 1."""
    posterior = signed_rank_posterior([0.03, 0.02, -0.01, 0.04, 0.05, -0.02], rope=0.011)
    draws = posterior.draws(20_000)
    shares = np.bincount(draws.argmax(axis=1), minlength=3) / 20_000
    assert np.array(posterior.probabilities(n_draws=20_000)) == pytest.approx(shares, abs=1e-4)
    assert draws.sum(axis=1) == pytest.approx(np.ones(20_000), abs=1e-5)
    assert draws.mean(axis=0) == pytest.approx(np.array(posterior.mean), abs=0.004)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: signed_rank_posterior([]), TooFewDatasetsError, "no dataset at all"),
        (lambda: signed_rank_posterior([1.0], rope=-1), InvalidParameterError, "rope must be"),
        (lambda: signed_rank_posterior([1.0], prior_strength=np.inf), InvalidParameterError, "prior_strength must be"),
        (lambda: signed_rank_posterior([1.0]).probabilities(n_draws=0), InvalidParameterError, "n_draws must be a whole number"),
    ],
)
def test_wrong_use_says_how_to_go_on(call, error, text):
    """Each error is of the fitting type, and names the setting."""
    with pytest.raises(error, match=text):
        call()


# --- the centre -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("decimals", [0, 6])
def test_centres_are_weighted_medians_of_all_means_of_two(rng, n, decimals):
    """The same weights, all means of two written out and put in order; ties and all, whichever model is the first."""
    d = np.sort(rng.normal(0.3, 2, n).round(decimals))
    found = signed_rank_posterior(d).centres(300, 5)

    def medians(values):
        generator = np.random.default_rng(5)
        weights = generator.standard_exponential((n + 1, 300), dtype=np.float32).astype(float)
        weights[np.searchsorted(values, 0.0)] = generator.standard_gamma(0.5, 300, dtype=np.float32)  # the prior's
        means = ((values[:, None] + values) / 2).ravel()
        order = np.argsort(means, kind="stable")
        grown = np.cumsum((weights[:, None] * weights[None]).reshape(means.size, -1)[order], axis=0)
        return means[order][(grown >= grown[-1] / 2).argmax(axis=0)]

    values = np.sort(np.append(d, 0.0))
    one, other = medians(values), -medians(-values[::-1])  # the weights are those of one of the two orders
    expected = min(one, other, key=lambda each: np.abs(found - each).sum())
    same = np.abs(found - expected) <= 1e-12
    assert same.mean() > 0.98  # sums in single precision may put the half on the mean beside
    steps = np.diff(np.unique((values[:, None] + values) / 2))
    assert np.abs(found - expected).max() <= steps.max(initial=0.0) + 1e-12


def test_centres_agree_with_the_chances(rng):
    """The centre is above the rope in those draws in which more than half of the means are; four standard errors are 0.02."""
    d = rng.normal(0.1, 0.3, 15)
    posterior = signed_rank_posterior(d, rope=0.05)
    above, _, below = posterior.draws(20_000, 1).T
    centres = posterior.centres(20_000, 2)
    assert (centres > 0.05).mean() == pytest.approx((above > 0.5).mean(), abs=0.02)
    assert (centres < -0.05).mean() == pytest.approx((below > 0.5).mean(), abs=0.02)


def test_centres_of_swapped_models_are_mirrored_and_the_seed_decides(rng):
    """To the last bit; and rows among others are as by themselves, nan where there is no dataset."""
    d = rng.normal(0.1, 0.3, 20)
    one = signed_rank_posterior(d).centres(2000, 3)
    assert np.array_equal(signed_rank_posterior(-d[::-1]).centres(2000, 3), -one)
    assert not np.array_equal(signed_rank_posterior(d).centres(2000, 4), one)
    rows = signed_rank_posterior([d, np.full(20, np.nan)], omit_missing=True).centres(2000, 3)
    assert np.array_equal(rows[0], one)
    assert np.isnan(rows[1]).all()


def test_centres_need_a_prior_at_a_finite_place():
    """A centre of infinity would be no difference."""
    with pytest.raises(InvalidParameterError, match="finite difference"):
        signed_rank_posterior([1.0, 2.0], prior_at=-np.inf).centres(10)
    assert np.array_equal(signed_rank_posterior([1.0], prior_at=np.inf, prior_strength=0).centres(3), [1.0, 1.0, 1.0])
