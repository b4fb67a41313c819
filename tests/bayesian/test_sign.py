"""The Bayesian sign test: probabilities of the Dirichlet's regions against integrals and draws, and input of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, TooFewDatasetsError

sign_posterior = tb.bayesian.sign_posterior


def test_two_regions_are_a_beta_tail():
    """With no mass on the third, the larger of two Dirichlet weights is a tail of a beta: P(Beta(3, 2) > 1/2) = 11/16."""
    posterior = sign_posterior([1, 1, 1, -1, -1], prior_strength=0)
    assert tuple(posterior.probabilities()) == pytest.approx((11 / 16, 0, 5 / 16), abs=1e-13)


def test_equal_counts_share_evenly():
    """One dataset in each region is a uniform distribution on the triangle, where each third is as large."""
    posterior = sign_posterior([1, 0, -1], rope=0.5, prior_strength=0)
    assert tuple(posterior.probabilities()) == pytest.approx((1 / 3, 1 / 3, 1 / 3), abs=1e-13)


@pytest.mark.parametrize("counts", [(1, 0, 0), (2, 5, 1), (30, 20, 25), (400, 380, 100), (3000, 2000, 2500)])
def test_quadrature_agrees_with_draws(counts):
    """200,000 draws of numpy's Dirichlet have a standard error of 0.0011; four of these are allowed."""
    posterior = sign_posterior(np.repeat([1.0, 0.0, -1.0], counts), rope=0.1)
    draws = np.random.default_rng(1).dirichlet(np.maximum(np.add(counts, (0, 1, 0)), 1e-9), 200_000)
    shares = np.bincount(draws.argmax(axis=1), minlength=3) / 200_000
    assert np.array(posterior.probabilities()) == pytest.approx(shares, abs=0.0045)


def test_prior_lies_where_it_is_put():
    """One pseudo-dataset at -inf, 0 or inf joins the count of that region; at a difference, the region that holds it."""
    for at, expected in ((-np.inf, (1, 0, 2)), (0.0, (1, 1, 1)), (np.inf, (2, 0, 1)), (0.1, (1, 1, 1)), (0.2, (2, 0, 1))):
        posterior = sign_posterior([0.5, -0.5], rope=0.1, prior_at=at)
        assert tuple(posterior.counts) == expected


def test_decimal_ties_are_in_the_rope():
    """0.8 - 0.7 and 0.3 - 0.2 are 0.1 and lie on the limit of a closed rope of 0.1, whichever way they are rounded."""
    posterior = sign_posterior([0.8 - 0.7, 0.3 - 0.2, 0.2 - 0.3], rope=0.1)
    assert (posterior.n_better, posterior.n_equivalent, posterior.n_worse) == (0, 3, 0)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.integers(0, 3))
@pytest.mark.slow
def test_swapped_models_mirror_and_order_does_not_matter(values, rope):
    """The answer for (b, a) is that for (a, b) read backwards, and datasets are in no order."""
    d = np.array(values, dtype=float)
    one = np.array(sign_posterior(d, rope=rope).probabilities())
    assert np.array(sign_posterior(-d, rope=rope).probabilities())[::-1] == pytest.approx(one, abs=1e-13)
    assert np.array_equal(sign_posterior(d[::-1], rope=rope).probabilities(), one)
    assert np.array_equal(sign_posterior(d * 1e-200, rope=rope * 1e-200).probabilities(), one)
    assert one.sum() == pytest.approx(1)


def test_a_row_of_a_batch_is_answered_as_if_alone():
    """A missing value undoes its own row only, and can be left out of it."""
    d = np.array([[0.1, 0.2, -0.3], [0.1, np.nan, -0.3], [np.nan, np.nan, np.nan], [np.inf, 0.1, 0.1]])
    strict, lenient = sign_posterior(d), sign_posterior(d, omit_missing=True)
    alone = sign_posterior(d[0]).probabilities()
    assert tuple(p[0] for p in strict.probabilities()) == tuple(alone)
    assert np.isnan(np.array(strict.probabilities())[:, 1:]).all()
    assert tuple(p[1] for p in lenient.probabilities()) == tuple(sign_posterior([0.1, -0.3]).probabilities())
    assert np.isnan(np.array(lenient.mean)[:, 2:]).all()


def test_draws_have_the_posterior_mean():
    """Chances of 5, 2 and 1 in 8; the standard error of a mean of 40,000 draws is below 0.001."""
    draws = sign_posterior([1, 1, 1, 1, 1, 0, -1], rope=0.5).draws(40_000, 3)
    assert draws.shape == (40_000, 3)
    assert draws.mean(axis=0) == pytest.approx([5 / 8, 2 / 8, 1 / 8], abs=0.004)


def test_one_dataset_answers():
    """One dataset above and one pseudo-dataset in the rope are equally many, so either region is as probable."""
    assert tuple(sign_posterior([0.3], rope=0.1).probabilities()) == pytest.approx((0.5, 0.5, 0))


def test_all_ties():
    """Identical models on every dataset, with a rope of 0: everything is in it."""
    assert tuple(sign_posterior(np.zeros(9)).probabilities()) == (0, 1, 0)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sign_posterior([]), TooFewDatasetsError, "no dataset at all"),
        (lambda: sign_posterior([1.0], rope=-1), InvalidParameterError, "rope must be a finite half-width of at least 0"),
        (lambda: sign_posterior([1.0], prior_strength=-1), InvalidParameterError, "prior_strength must be"),
        (lambda: sign_posterior([1.0], prior_at=np.nan), InvalidParameterError, "prior_at must be a difference"),
        (lambda: sign_posterior([1.0]).draws(0), InvalidParameterError, "n_draws must be a whole number of at least 1"),
    ],
)
def test_wrong_use_says_how_to_go_on(call, error, text):
    """Each error is of the fitting type, and names the setting."""
    with pytest.raises(error, match=text):
        call()


# --- the median -------------------------------------------------------------------------------------------------------

median_posterior = tb.bayesian.median_posterior


def test_the_median_is_a_beta_tail():
    """Five of six datasets above 0, and the prior at 0: the median is above 0 with P(Beta(5, 2) > 1/2) = 57/64."""
    posterior = median_posterior([1, 2, 3, 4, 5, -1])
    assert float(posterior.tail_above(0.5)) == pytest.approx(57 / 64, abs=1e-14)
    assert float(posterior.tail_below(0.0)) == pytest.approx(7 / 64, abs=1e-14)
    assert float(posterior.tail_below(-2)) == 0
    assert float(posterior.tail_below(5)) == 1


def test_the_median_agrees_with_draws():
    """Weighted medians of 40,000 draws of the weights; four standard errors are 0.01."""
    d, rng = np.array([3.0, 2, -1, 4, 5, 0, 1, 2]), np.random.default_rng(2)
    points, weights = np.append(d, 0.5), rng.standard_gamma(np.append(np.ones(8), 2.0), (40_000, 9))
    order = np.argsort(points)
    grown = np.cumsum(weights[:, order], axis=1)
    medians = points[order][(grown >= grown[:, -1:] / 2).argmax(axis=1)]
    posterior = median_posterior(d, prior_strength=2.0, prior_at=0.5)
    for at in (-1.0, 0.0, 0.5, 1.0, 2.0, 3.5):
        assert float(posterior.tail_below(at)) == pytest.approx((medians <= at).mean(), abs=0.01)
        assert float(posterior.tail_above(at)) == pytest.approx((medians >= at).mean(), abs=0.01)


@pytest.mark.slow
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.sampled_from([0.005, 0.05, 0.4]))
def test_ends_are_where_tails_cross_the_level(values, p):
    """No more than `p` is beyond an end, more than `p` from the end on; a row by itself or among others, mirrored if swapped."""
    d = np.array(values, dtype=float)
    posterior = median_posterior(d)
    low, high = float(posterior.quantile(p)), float(posterior.quantile(p, upper=True))
    assert float(posterior.tail_below(low - 0.5)) <= p < float(posterior.tail_below(low))
    assert float(posterior.tail_above(high + 0.5)) <= p < float(posterior.tail_above(high))
    mirrored = median_posterior(-d)
    assert (float(mirrored.quantile(p)), float(mirrored.quantile(p, upper=True))) == (-high, -low)
    rows = median_posterior(np.stack([np.append(d, np.nan), np.append(d, 9.0)]), omit_missing=True)
    assert rows.quantile([[p], [0.1]])[0, 0] == low
    assert rows.tail_below(low)[0] == posterior.tail_below(low)


def test_a_median_without_an_answer_is_nan():
    """A row without a dataset, or with a missing one that is not left out; an infinite prior is where it is put."""
    rows = median_posterior([[np.nan, np.nan], [1.0, np.nan]], omit_missing=True)
    assert np.isnan(rows.tail_below(0.0)[0])
    assert np.isnan(rows.quantile(0.1)[0])
    assert rows.tail_above(1.0)[1] == 0.5
    assert np.isnan(median_posterior([1.0, np.nan]).tail_below(0.0))
    assert float(median_posterior([1.0], prior_at=np.inf).credible_interval(0.9).high) == np.inf
    with pytest.raises(InvalidParameterError, match="prior_strength"):
        median_posterior([1.0], prior_strength=-1)
    with pytest.raises(TooFewDatasetsError):
        median_posterior([])
