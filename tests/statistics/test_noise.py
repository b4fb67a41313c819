"""Noise of runs: the error of a difference of two runs of one model, by hand and by its definition."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from tiebreak.statistics import run_noise
from tiebreak.statistics.noise import run_spread


def test_two_runs_are_the_paired_t_interval_around_zero() -> None:
    """Two runs, many answers that change: half the width of scipy's interval of the paired difference."""
    runs = np.random.default_rng(1).normal(size=(2, 60))
    found = run_noise([runs])
    half = stats.t.isf(0.025, 59) * stats.sem(runs[0] - runs[1])
    assert_allclose(found.bound(), half, rtol=1e-12)
    assert_allclose(found.largest, abs(runs[0].mean() - runs[1].mean()), rtol=1e-12)
    assert_allclose(found.pvalue, stats.ttest_rel(runs[0], runs[1]).pvalue, rtol=1e-9)  # F of one degree is t squared


def test_three_runs_average_the_pairs() -> None:
    """Variance of the orthogonal contrasts is the mean variance of all three pairwise differences, as both average the same."""
    runs = np.random.default_rng(2).normal(size=(3, 40))
    pairs = [np.var(runs[i] - runs[j], ddof=1) / 40 for i, j in ((0, 1), (0, 2), (1, 2))]
    assert_allclose(run_noise([runs]).items.se ** 2, np.mean(pairs), rtol=1e-12)


def test_runs_that_differ_as_wholes_count_by_their_means() -> None:
    """A shift of one run by five standard errors is no noise of single answers: one degree of freedom is left, t = 12.7."""
    runs = np.random.default_rng(3).normal(size=(2, 100)) * 0.1
    runs[1] += 1.0
    found = run_noise([runs])
    assert found.differs_as_whole
    assert_allclose(found.bound(), stats.t.isf(0.025, 1) * abs(runs[0].mean() - runs[1].mean()), rtol=1e-9)
    assert not run_noise([runs], share_runs=False).differs_as_whole  # epochs share nothing


def test_four_runs_count_by_their_means_whatever_their_answers_show() -> None:
    """A test that sees no effect of so few runs misses it too often; three show too little of it to count."""
    runs = np.random.default_rng(3).normal(size=(4, 100))
    assert run_noise([runs]).pvalue > 0.05
    error = np.sqrt(2) * np.std(runs.mean(axis=1), ddof=1)
    assert_allclose(run_noise([runs]).bound(), max(stats.t.isf(0.025, 3) * error, run_noise([runs], share_runs=False).bound()))
    assert run_noise([runs]).differs_as_whole
    assert not run_noise([runs[:3]]).differs_as_whole


def test_strata_weigh_the_same() -> None:
    """Two tasks: the error is half the root of the sum of their squared errors, whatever their sizes."""
    runs = np.random.default_rng(4).normal(size=(2, 90))
    d = runs[0] - runs[1]
    parts = [np.var(d[:30], ddof=1) / 30, np.var(d[30:], ddof=1) / 60]
    found = run_noise([runs], ["a"] * 30 + ["b"] * 60)
    assert_allclose(found.items.se, np.sqrt(sum(parts)) / 2, rtol=1e-12)


def test_no_change_is_not_no_noise() -> None:
    """Of 50 answers none changed: one that could have is allowed for, 1/50 with two degrees of freedom."""
    runs = np.tile([1.0, 0.0], (2, 25))
    assert_allclose(run_noise([runs], span=1.0).bound(), stats.t.isf(0.025, 2) / 50, rtol=1e-9)
    assert run_noise([runs]).bound() == 0.0


def test_means_of_runs_are_less_noisy() -> None:
    """A score that is the mean of four runs has half the noise of one."""
    found = run_noise([np.random.default_rng(5).normal(size=(2, 60))])
    assert_allclose(found.bound(n_averaged=4), found.bound() / 2, rtol=1e-12)


def test_models_are_pooled_and_items_without_a_run_left_out() -> None:
    """Variances of two models are averaged; an item that a run lacks is left out for its model and counted."""
    one, other = np.random.default_rng(6).normal(size=(2, 2, 80))
    apart = [run_noise([each]).items.se ** 2 for each in (one, other)]
    assert_allclose(run_noise([one, other]).items.se ** 2, np.mean(apart), rtol=1e-12)
    holed = np.concatenate([one, [[np.nan], [1.0]]], axis=1)
    found = run_noise([holed])
    assert (found.n_left_out, found.n_examples) == (1, 80)
    assert_allclose(found.items.se, run_noise([one]).items.se, rtol=1e-12)


def test_seeds_have_their_means_only() -> None:
    """Scores 0.90, 0.92, 0.94: standard deviation 0.02, two degrees of freedom, times the root of two."""
    found = run_spread([np.array([0.90, 0.92, 0.94])])
    assert_allclose(found.bound(), stats.t.isf(0.025, 2) * 0.02 * np.sqrt(2), rtol=1e-9)
