"""Means over examples and runs."""

import numpy as np
import pytest

from tiebreak.errors import DataError
from tiebreak.statistics import clustered_mean, crossed_mean
from tiebreak.statistics.item_means import Layout, differences_of_means


def layout(n_runs: int, n: int, seed: int = 0, run_sd: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_runs, n)) + rng.normal(size=n) + run_sd * rng.normal(size=(n_runs, 1))


def test_variance_is_that_of_the_two_way_layout() -> None:
    """Mean squares of a random two-way table by their textbook formulas, and Satterthwaite's degrees of freedom."""
    y = layout(3, 20)
    n_runs, n = y.shape
    examples = n_runs * y.mean(axis=0).var(ddof=1)
    runs = n * y.mean(axis=1).var(ddof=1)
    rest = np.square(y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()).sum() / ((n - 1) * (n_runs - 1))
    result = crossed_mean(y)
    total = examples + runs - rest
    assert result.law.se**2 == pytest.approx(total / y.size)
    assert result.law.df == pytest.approx(total**2 / (examples**2 / 19 + runs**2 / 2 + rest**2 / 38))
    assert result.from_both == pytest.approx(rest / y.size)
    assert result.runs.se == pytest.approx(y.mean(axis=1).std(ddof=1) / np.sqrt(3))


def test_these_runs_only_is_the_mean_of_each_example() -> None:
    """For further examples with the same runs the runs' means per example are the scores."""
    y = layout(4, 15, seed=1)
    law, alone = crossed_mean(y).items, clustered_mean(y.mean(axis=0))
    assert law.se == pytest.approx(alone.se)
    assert law.interval() == pytest.approx(alone.interval())


def test_runs_that_vary_make_the_interval_wide() -> None:
    """Forgetting them gives an interval that misses the mean of other runs: here it is a tenth as long."""
    y = layout(3, 400, seed=3, run_sd=2.0)
    found = crossed_mean(y)
    assert np.diff(found.law.interval()) > 10 * np.diff(found.items.interval())


def test_unbalanced_runs_are_used() -> None:
    """Every example counts the same, whatever number of runs it has."""
    y = layout(3, 8, seed=4)
    y[1, 2] = y[2, 5] = np.nan
    result = crossed_mean(y)
    assert result.law.estimate == pytest.approx(np.nanmean(y, axis=0).mean())
    assert np.isfinite(result.law.interval()).all()


def test_wrong_input_is_refused() -> None:
    """One run has no spread of runs; an example without an answer has no mean."""
    with pytest.raises(DataError, match="2 by 1 or more; got the shape"):
        crossed_mean([[1, 0, 1]])
    with pytest.raises(DataError, match="example 1 has no answer in any run"):
        crossed_mean([[1, np.nan], [0, np.nan]])


def test_a_model_with_fewer_runs_is_another_sample_and_leaves_the_other_pairs_alone(rng: np.random.Generator) -> None:
    """Its runs vary by themselves, as Welch has them; pairs of models with as many runs are compared run by run as before."""
    score = rng.normal(size=(3, 4, 30)) + rng.normal(size=(3, 4, 1))
    score[2, 2:] = np.nan
    found = differences_of_means(score, np.array([0, 0]), np.array([1, 2]), Layout(), np.full(2, 5.0))
    alone = differences_of_means(score[:2], np.array([0]), np.array([1]), Layout(), np.full(1, 5.0))
    assert np.array(found.law().interval())[:, 0] == pytest.approx(np.ravel(alone.law().interval()), rel=1e-12)
    own = [score[0].mean(axis=1).var(ddof=1) / 4, score[2, :2].mean(axis=1).var(ddof=1) / 2]
    assert found.runs_error is not None
    assert found.runs_error[1] == pytest.approx(np.sqrt(sum(own)), rel=1e-9)
