"""The Bayesian signed-rank and sign tests: draws against all pairs written out, integrals, input of every kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb

signed_rank_posterior, signed_rank_centre = tb.statistics.signed_rank_posterior, tb.statistics.signed_rank_centre


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
    assert np.array(posterior.probabilities) == pytest.approx(probabilities, abs=0.011)


@pytest.mark.slow
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9), st.integers(0, 3), st.sampled_from([0.0, 0.5, 3.0]))
def test_swapped_models_mirror_and_order_does_not_matter(values, rope, strength):
    """To the last bit, for the same draws are used: the sampler sorts, and turns the pair to one of its two orders."""
    d = np.array(values, dtype=float)
    settings = {"rope": rope, "prior_strength": strength, "prior_at": 1.0, "n_draws": 500}
    one = signed_rank_posterior(d, **settings)
    swapped = signed_rank_posterior(-d, **{**settings, "prior_at": -1.0})
    answer = np.array(one.probabilities)
    assert np.array_equal(np.array(swapped.probabilities)[::-1], answer)
    assert np.array(swapped.mean)[::-1] == pytest.approx(np.array(one.mean), abs=1e-14)
    assert np.array_equal(signed_rank_posterior(d[::-1], **settings).probabilities, answer)
    unit = {"rope": rope * 2.0**-40, "prior_strength": strength, "prior_at": 2.0**-40, "n_draws": 500}
    assert np.array_equal(signed_rank_posterior(d * 2.0**-40, **unit).probabilities, answer)


def test_a_row_that_is_its_own_mirror_favours_neither():
    """Swapped models are the very same row, so both have the same chances, and a prior on one side turns with them."""
    d = np.array([1.0, 0.0, 0.0, -1.0, 0.0])
    chances = signed_rank_posterior(d, rope=0.3, n_draws=501).probabilities
    assert chances.better == chances.worse > 0
    above, below = (signed_rank_posterior(d, rope=0.3, prior_at=at, n_draws=501).probabilities for at in (0.5, -0.5))
    assert above == below[::-1]


def test_decimal_ties_count_half():
    """Means of 0.8 - 0.7 and 0.3 - 0.2 lie on a rope of 0.1, though their floats do not: half above, half inside."""
    posterior = signed_rank_posterior([0.8 - 0.7, 0.3 - 0.2], rope=0.1, prior_strength=0)
    assert tuple(posterior.mean) == pytest.approx((0.5, 0.5, 0))


def test_identical_models_are_as_good_as_each_other():
    """All differences 0 at rope 0 are limits: half above and half below in every draw, which share it; in a rope all inside."""
    for n in (1, 5, 3000):
        assert tuple(signed_rank_posterior(np.zeros(n), n_draws=50).probabilities) == pytest.approx((0.5, 0, 0.5))
        assert tuple(signed_rank_posterior(np.zeros(n), rope=0.1, n_draws=50).probabilities) == (0, 1, 0)


def test_a_row_of_a_batch_is_answered_as_if_alone():
    """A missing value undoes its own row only, and can be left out of it."""
    d = np.array([[0.1, 0.2, -0.3], [0.1, np.nan, -0.3], [np.nan, np.nan, np.nan]])
    strict, lenient = signed_rank_posterior(d), signed_rank_posterior(d, omit_missing=True, n_draws=300)
    alone = signed_rank_posterior([0.1, -0.3], n_draws=300)
    assert np.isnan(np.array(strict.mean)[:, 1:]).all()
    assert tuple(p[1] for p in lenient.probabilities) == tuple(alone.probabilities)
    assert np.isnan(np.array(lenient.probabilities)[:, 2]).all()


# --- the centre -------------------------------------------------------------------------------------------------------


def draws(d, n_draws, rng=0, **settings):
    """Of the centre, in rising order."""
    return signed_rank_centre(d, n_draws=n_draws, rng=rng, **settings).parts[0]


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("decimals", [0, 6])
def test_centres_are_weighted_medians_of_all_means_of_two(rng, n, decimals):
    """The same weights, all means of two written out and put in order; ties and all, whichever model is the first."""
    d = np.sort(rng.normal(0.3, 2, n).round(decimals))
    found = draws(d, 300, 5)

    def medians(values):
        generator = np.random.default_rng(5)
        weights = generator.standard_exponential((n + 1, 300), dtype=np.float32).astype(float)
        weights[np.searchsorted(values, 0.0)] = generator.standard_gamma(0.5, 300, dtype=np.float32)  # the prior's
        means = ((values[:, None] + values) / 2).ravel()
        order = np.argsort(means, kind="stable")
        grown = np.cumsum((weights[:, None] * weights[None]).reshape(means.size, -1)[order], axis=0)
        return np.sort(means[order][(grown >= grown[-1] / 2).argmax(axis=0)])

    values = np.sort(np.append(d, 0.0))
    one, other = medians(values), -medians(-values[::-1])[::-1]  # the weights are those of one of the two orders
    expected = min(one, other, key=lambda each: np.abs(found - each).sum())
    assert (np.abs(found - expected) <= 1e-12).mean() > 0.98  # in single precision the half may be on the mean beside
    steps = np.diff(np.unique((values[:, None] + values) / 2))
    assert np.abs(found - expected).max() <= steps.max(initial=0.0) + 1e-12


@pytest.mark.slow
def test_centres_agree_with_the_chances(rng):
    """A centre above the rope is as probable as that more than half of the means are; four standard errors are 0.02."""
    for n in (15, 200):
        d = rng.normal(0.01, 0.1, n)
        better, equivalent, _ = signed_rank_posterior(d, rope=0.0, n_draws=20_000).probabilities
        assert equivalent == 0
        assert (draws(d, 20_000, 2) > 0).mean() == pytest.approx(better, abs=0.02)


def test_centres_of_swapped_models_are_mirrored_and_the_seed_decides(rng):
    """To the last bit; and rows among others are as by themselves, nan where there is no dataset."""
    d = rng.normal(0.1, 0.3, 20)
    one = draws(d, 2000, 3)
    assert np.array_equal(draws(-d[::-1], 2000, 3), -one[::-1])
    assert not np.array_equal(draws(d, 2000, 4), one)
    rows = draws([d, np.full(20, np.nan)], 2000, 3, omit_missing=True)
    assert np.array_equal(rows[0], one)
    assert np.isnan(rows[1]).all()


def test_intervals_need_draws_and_tails_are_their_shares(rng):
    """Twenty over the error rate; a p-value is no less than one draw."""
    law = signed_rank_centre(rng.normal(5, 0.3, 20), n_draws=400)
    assert np.isfinite(law.interval(0.95)).all()
    assert np.isnan(law.interval(0.96)).all()
    assert law.pvalue() == 1 / 400
    assert law.tail(law.end(0.1)) == pytest.approx(0.1, abs=0.02)  # means of two repeat, and equal ones count


sign_posterior = tb.statistics.sign_posterior


@pytest.mark.parametrize("counts", [(1, 0, 0), (2, 5, 1), (30, 20, 25), (400, 380, 100), (3000, 2000, 2500)])
def test_quadrature_agrees_with_draws(counts):
    """200,000 draws of numpy's Dirichlet have a standard error of 0.0011; four of these are allowed."""
    posterior = sign_posterior(np.repeat([1.0, 0.0, -1.0], counts), rope=0.1)
    draws = np.random.default_rng(1).dirichlet(np.maximum(np.add(counts, (0, 1, 0)), 1e-9), 200_000)
    shares = np.bincount(draws.argmax(axis=1), minlength=3) / 200_000
    assert np.array(posterior.probabilities) == pytest.approx(shares, abs=0.0045)


def test_prior_lies_where_it_is_put():
    """One pseudo-dataset at -inf, 0 or inf joins the count of that region; at a difference, the region that holds it."""
    for at, expected in ((-np.inf, (1, 0, 2)), (0.0, (1, 1, 1)), (np.inf, (2, 0, 1)), (0.1, (1, 1, 1)), (0.2, (2, 0, 1))):
        posterior = sign_posterior([0.5, -0.5], rope=0.1, prior_at=at)
        assert tuple(posterior.mean) == pytest.approx(np.divide(expected, sum(expected)))


def test_decimal_ties_are_in_the_rope():
    """0.8 - 0.7 and 0.3 - 0.2 are 0.1 and lie on the limit of a closed rope of 0.1, whichever way they are rounded."""
    posterior = sign_posterior([0.8 - 0.7, 0.3 - 0.2, 0.2 - 0.3], rope=0.1)
    assert tuple(posterior.mean) == (0, 1, 0)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.integers(0, 3))
@pytest.mark.slow
def test_swapped_models_mirror_and_order_does_not_matter_of_signs(values, rope):
    """The answer for (b, a) is that for (a, b) read backwards, and datasets are in no order."""
    d = np.array(values, dtype=float)
    one = np.array(sign_posterior(d, rope=rope).probabilities)
    assert np.array(sign_posterior(-d, rope=rope).probabilities)[::-1] == pytest.approx(one, abs=1e-13)
    assert np.array_equal(sign_posterior(d[::-1], rope=rope).probabilities, one)
    assert np.array_equal(sign_posterior(d * 1e-200, rope=rope * 1e-200).probabilities, one)
    assert one.sum() == pytest.approx(1)
