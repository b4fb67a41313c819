"""The hierarchical test against brute force, and against itself with models swapped, datasets in another order, another unit."""

import numpy as np
import pytest

import tiebreak as tb
from tests.statistics.posterior import brute_force
from tiebreak.statistics.posterior.hierarchical import log_gamma_nodes

hierarchical_posterior = tb.statistics.hierarchical_posterior


def _differences(n_datasets, n_scores, centre, spread, seed):
    """Differences with a standard deviation of 0.02 and the correlation 0.1 within a dataset."""
    rng = np.random.default_rng(seed)
    own = centre + spread * rng.standard_t(5, size=(n_datasets, 1))
    return own + 0.02 * (0.1**0.5 * rng.normal(size=(n_datasets, 1)) + 0.9**0.5 * rng.normal(size=(n_datasets, n_scores)))


@pytest.mark.parametrize(
    ("n_datasets", "n_scores", "centre", "spread", "seed", "settings"),
    [
        (10, 100, 0.005, 0.01, 1, {"step": 0.06}),
        (30, 10, 0.006, 0.0, 12, {"step": 0.03}),  # no spread between datasets: sigma0 reaches down to 0
        (3, 20, 0.01, 0.02, 4, {"step": 0.06}),
        (6, 3, 0.01, 0.02, 8, {"step": 0.1, "reach": 10}),  # three scores: likelihoods with the tails of a Cauchy
    ],
)
@pytest.mark.slow
def test_agrees_with_brute_force(n_datasets, n_scores, centre, spread, seed, settings):
    """Brute force with these steps is within 0.003 of that with steps of a third, and so has to be this."""
    rows = _differences(n_datasets, n_scores, centre, spread, seed)
    posterior = hierarchical_posterior(rows, test_train_ratio=1 / 9, rope=0.01)
    expected = brute_force.hierarchical(rows, 1 / 9, 0.01, sigma0_step=0.2, nu_step=0.7, **settings)
    assert np.array(posterior.most_probable) == pytest.approx(expected["regions"], abs=0.004)
    assert np.array(posterior.next_dataset().probabilities(0.01)) == pytest.approx(expected["next"], abs=0.002)
    assert posterior.law.estimate == pytest.approx(expected["mean"], abs=2e-4)
    assert posterior.spread == pytest.approx(expected["spread"], abs=2e-4)


@pytest.mark.slow
def test_same_bits_every_time_and_swapped_models_mirror():
    """Nothing is drawn, the pair is turned to one of its two orders, and datasets are sorted."""
    rows = _differences(8, 10, 0.01, 0.02, 3)
    one, again = (hierarchical_posterior(rows, test_train_ratio=1 / 9, rope=0.01) for _ in range(2))
    swapped = hierarchical_posterior(-rows, test_train_ratio=1 / 9, rope=0.01)
    turned = hierarchical_posterior(rows[::-1], test_train_ratio=1 / 9, rope=0.01)
    assert one.most_probable == again.most_probable == swapped.most_probable[::-1] == turned.most_probable
    assert (one.law.estimate, one.law.se, one.spread) == (-swapped.law.estimate, swapped.law.se, swapped.spread)
    assert swapped.law.interval() == pytest.approx([-end for end in reversed(one.law.interval())])
    assert swapped.next_dataset().tail(0.01) == pytest.approx(one.next_dataset().tail(-0.01, upper=True), abs=1e-12)
    assert turned.datasets()[1][::-1] == pytest.approx(one.datasets()[1], rel=1e-12)
    assert swapped.datasets()[1] == pytest.approx(-one.datasets()[1], rel=1e-12)


def test_another_unit_changes_nothing():
    """Percent instead of shares: all probabilities stay, all differences are a hundredfold."""
    rows = _differences(8, 10, 0.01, 0.02, 3)
    one = hierarchical_posterior(rows, test_train_ratio=1 / 9, rope=0.01)
    percent = hierarchical_posterior(100 * rows, test_train_ratio=1 / 9, rope=1.0)
    assert np.array(percent.most_probable) == pytest.approx(np.array(one.most_probable), abs=1e-10)
    assert np.array(percent.next_dataset().interval()) == pytest.approx(100 * np.array(one.next_dataset().interval()), rel=1e-9)
    assert percent.datasets()[2] == pytest.approx(100 * one.datasets()[2], rel=1e-9)


def test_many_alike_datasets_shrink_to_their_mean():
    """Twenty means drawn with the variance that their scores explain lie closer together afterwards, and are better known."""
    raw, mean, sd = hierarchical_posterior(_differences(20, 10, 0.01, 0.0, 6), test_train_ratio=1 / 9).datasets()
    assert mean.std() < 0.5 * raw.std()
    # the correlated posterior of one dataset alone has the scale 0.02 sqrt(1/10 + 1/9) = 0.0092
    assert np.all(sd < 0.0092)


def test_far_apart_datasets_are_left_where_they_are():
    """With differences between datasets a hundred times those within, there is nothing to borrow."""
    rows = _differences(5, 50, 0.0, 2.0, 7)
    _, mean, _ = hierarchical_posterior(rows, test_train_ratio=1 / 9).datasets()
    assert mean == pytest.approx(rows.mean(axis=1), abs=0.001)


def test_datasets_may_differ_in_their_splits():
    """Rows of unequal length and a ratio for each; that of a dataset which only repeats another's split sizes changes nothing."""
    rows = [row[:size] for row, size in zip(_differences(4, 30, 0.01, 0.02, 9), (30, 10, 5, 2), strict=True)]
    one = hierarchical_posterior(rows, test_train_ratio=[1 / 9, 1 / 9, 1 / 9, 1 / 9], rope=0.01)
    assert one.most_probable == hierarchical_posterior(rows, test_train_ratio=1 / 9, rope=0.01).most_probable
    assert one.most_probable != hierarchical_posterior(rows, test_train_ratio=[1 / 9, 1 / 9, 1 / 9, 1], rope=0.01).most_probable


def test_identical_models_are_equivalent_within_a_rope():
    """All scores the same on all datasets: their spread is taken for that of the rope, and the answer is symmetric."""
    posterior = hierarchical_posterior(np.zeros((12, 10)), test_train_ratio=1 / 9, rope=0.01)
    better, equivalent, worse = posterior.most_probable
    assert posterior.n_flat == 12
    assert equivalent > 0.999
    assert better == pytest.approx(worse, abs=1e-12)
    assert posterior.law.estimate == pytest.approx(0.0, abs=1e-12)


def test_a_flat_dataset_counts_with_the_least_spread_of_the_others():
    """With a rope of 0 there is no other measure: the same as a dataset of that mean with that spread."""
    rows = _differences(4, 10, 0.01, 0.02, 10)
    least = rows.std(axis=1).min()
    constant = np.vstack([rows, np.full((1, 10), 0.01)])
    alternating = np.vstack([rows, 0.01 + least * np.tile([1, -1], 5)])
    one, other = (hierarchical_posterior(each, test_train_ratio=1 / 9) for each in (constant, alternating))
    assert (one.n_flat, other.n_flat) == (1, 0)
    assert np.array(one.most_probable) == pytest.approx(np.array(other.most_probable), abs=1e-6)


def test_equal_means_everywhere():
    """Datasets that agree to the last digit leave no range for sigma0; it is taken from the spread within them."""
    rows = _differences(5, 10, 0.0, 0.0, 11)
    rows += 0.01 - rows.mean(axis=1, keepdims=True)
    posterior = hierarchical_posterior(rows, test_train_ratio=1 / 9, rope=0.05)
    assert posterior.law.estimate == pytest.approx(0.01, abs=1e-4)
    assert posterior.most_probable.equivalent > 0.99


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0, 49.0, 500.0])
def test_nodes_of_a_gamma_density_have_its_moments(shape):
    """With shape k and rate r, p has the mean k / r, and exp(-p) the mean (1 + 1 / r)^-k."""
    points, weights = log_gamma_nodes(shape, 2.0)
    assert weights.sum() == pytest.approx(1.0)
    assert weights @ np.exp(points) == pytest.approx(shape / 2.0, rel=1e-5)
    assert weights @ np.exp(-np.exp(points)) == pytest.approx(1.5**-shape, rel=1e-5)
