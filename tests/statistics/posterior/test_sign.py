"""The Bayesian sign test: probabilities of the Dirichlet's regions against integrals and draws, and input of every kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError

sign_posterior = tb.statistics.sign_posterior


def test_two_regions_are_a_beta_tail():
    """With no mass on the third, the larger of two Dirichlet weights is a tail of a beta: P(Beta(3, 2) > 1/2) = 11/16."""
    posterior = sign_posterior([1, 1, 1, -1, -1], prior_strength=0)
    assert tuple(posterior.probabilities) == pytest.approx((11 / 16, 0, 5 / 16), abs=1e-13)


def test_equal_counts_share_evenly():
    """One dataset in each region is a uniform distribution on the triangle, where each third is as large."""
    posterior = sign_posterior([1, 0, -1], rope=0.5, prior_strength=0)
    assert tuple(posterior.probabilities) == pytest.approx((1 / 3, 1 / 3, 1 / 3), abs=1e-13)


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
    assert (posterior.n_better, posterior.n_equivalent, posterior.n_worse) == (0, 3, 0)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.integers(0, 3))
@pytest.mark.slow
def test_swapped_models_mirror_and_order_does_not_matter(values, rope):
    """The answer for (b, a) is that for (a, b) read backwards, and datasets are in no order."""
    d = np.array(values, dtype=float)
    one = np.array(sign_posterior(d, rope=rope).probabilities)
    assert np.array(sign_posterior(-d, rope=rope).probabilities)[::-1] == pytest.approx(one, abs=1e-13)
    assert np.array_equal(sign_posterior(d[::-1], rope=rope).probabilities, one)
    assert np.array_equal(sign_posterior(d * 1e-200, rope=rope * 1e-200).probabilities, one)
    assert one.sum() == pytest.approx(1)


def test_a_missing_difference_leaves_no_answer():
    """A dataset that is nan or infinite undoes the counts, as it could lie anywhere."""
    for d in ([0.1, np.nan, -0.3], [np.inf, 0.1]):
        posterior = sign_posterior(d)
        assert (posterior.n_better, posterior.n_equivalent, posterior.n_worse) == (0, 0, 0)
        assert np.isnan(posterior.mean).all()
        assert np.isnan(posterior.probabilities).all()


def test_one_dataset_answers():
    """One dataset above and one pseudo-dataset in the rope are equally many, so either region is as probable."""
    assert tuple(sign_posterior([0.3], rope=0.1).probabilities) == pytest.approx((0.5, 0.5, 0))


def test_all_ties():
    """Identical models on every dataset, with a rope of 0: everything is in it."""
    assert tuple(sign_posterior(np.zeros(9)).probabilities) == (0, 1, 0)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sign_posterior([]), DataError, "no dataset at all"),
        (lambda: sign_posterior([1.0], rope=-1), InvalidParameterError, "rope must be a finite half-width of at least 0"),
        (lambda: sign_posterior([1.0], prior_strength=-1), InvalidParameterError, "prior_strength must be"),
        (lambda: sign_posterior([1.0], prior_at=np.nan), InvalidParameterError, "prior_at must be a difference"),
        (
            lambda: sign_posterior([[1.0], [2.0]]),
            DataError,
            "takes one row of differences, one a dataset",
        ),
    ],
)
def test_wrong_use_says_how_to_go_on(call, error, text):
    """Each error is of the fitting type, and names the setting."""
    with pytest.raises(error, match=text):
        call()
