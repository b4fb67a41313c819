"""Aggregates over runs and tasks against scipy and by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import aggregate_scores, performance_profile, probability_of_improvement, win_tie_loss

seeds = st.integers(0, 10_000)


def runs(seed: int, n_runs: int = 7, n_tasks: int = 3) -> np.ndarray:
    """Scores with ties."""
    return np.round(np.random.default_rng(seed).normal(size=(n_runs, n_tasks)), 1)


@given(seed=seeds, n=st.integers(1, 9))
def test_estimates_are_scipys(seed: int, n: int) -> None:
    """The interquartile mean is the mean trimmed by a quarter of all; mean and median go over the means of tasks."""
    scores = runs(seed, n)
    few = {"n_resamples": 5}
    assert aggregate_scores(scores, **few).estimate == pytest.approx(stats.trim_mean(scores, 0.25, axis=None), abs=1e-15)
    assert aggregate_scores(scores, "mean", **few).estimate == pytest.approx(scores.mean(), abs=1e-15)
    assert aggregate_scores(scores, "median", **few).estimate == pytest.approx(np.median(scores.mean(axis=0)), abs=1e-15)


@pytest.mark.slow
@given(seed=seeds)
def test_probability_of_improvement_is_mann_whitneys(seed: int) -> None:
    """U over the number of pairs of runs, a mean over tasks; exchanged models give the rest."""
    x, y = runs(seed), runs(seed + 1, 5)
    expected = np.mean([stats.mannwhitneyu(a, b).statistic / 35 for a, b in zip(x.T, y.T, strict=True)])
    one, other = (probability_of_improvement(*pair, n_resamples=5).estimate for pair in ((x, y), (y, x)))
    assert one == pytest.approx(expected)
    assert one + other == pytest.approx(1)
    assert probability_of_improvement(x, y, higher_is_better=False, n_resamples=5).estimate == pytest.approx(1 - expected)


def test_interval_is_that_of_resampled_runs() -> None:
    """Two tasks of many runs: the bootstrap of the mean over tasks has the standard error of two independent means."""
    scores = np.random.default_rng(0).normal(size=(400, 2)) * [1, 3]
    result = aggregate_scores(scores, "mean", n_resamples=4000)
    error = np.sqrt((scores.var(axis=0) / 400).sum()) / 2
    assert result.high - result.low == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert (result.n_tasks, result.n_runs, result.n_resamples) == (2, 800, 4000)
    assert "further runs of the same models on these very tasks" in result.caveat


def test_seeds_and_missing_runs() -> None:
    """The same seed gives the same answer; a run that is missing is one run less of its task; a single run has no interval."""
    scores = runs(3)
    assert aggregate_scores(scores) == aggregate_scores(scores)
    gaps = np.vstack([scores, [[np.nan, 5.0, np.nan]]])
    expected = np.mean([scores[:, 0].mean(), np.append(scores[:, 1], 5).mean(), scores[:, 2].mean()])
    assert aggregate_scores(gaps, "mean").estimate == pytest.approx(expected)
    single = aggregate_scores(scores[:1])
    assert np.isnan([single.low, single.high]).all()


def test_profile_by_hand() -> None:
    """Shares above each threshold, a mean over tasks of unequal numbers of runs; bands hold them; and it falls."""
    profile = performance_profile([[0.2, 0.9], [0.4, np.nan]], [0.1, 0.2, 0.3, 0.95])
    assert profile.share.tolist() == [1.0, 0.75, 0.75, 0.0]
    whole = performance_profile(runs(2, 30))
    assert whole.thresholds.size == 100
    assert np.all(np.diff(whole.share) <= 1e-12)
    assert np.all((whole.low <= whole.share + 1e-12) & (whole.share <= whole.high + 1e-12))


def test_wins_ties_and_losses() -> None:
    """By hand, with a rope, a gap and decimals that tie; lower is better turns wins into losses."""
    scores = [[0.9, 0.8, 0.7], [0.1 + 0.2, 0.3, np.nan], [0.5, 0.52, 0.4]]
    result = win_tie_loss(scores)
    assert result.wins.tolist() == [[0, 1, 2], [1, 0, 2], [0, 0, 0]]
    assert result.ties.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert np.array_equal(result.losses, result.wins.T)
    assert win_tie_loss(scores, rope=0.05).ties[0, 1] == 2
    assert np.array_equal(win_tie_loss(scores, higher_is_better=False).wins, result.losses)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: aggregate_scores([1.0, 2.0]), InvalidScoresError, "of shape (n_runs, n_tasks); got the shape (2,)."),
        (lambda: aggregate_scores([[1.0, np.nan]]), InvalidScoresError, "task 1 of scores has no run."),
        (
            lambda: aggregate_scores([[1.0]], "mode"),
            InvalidParameterError,
            "statistic must be 'iqm', 'mean' or 'median'; got 'mode'.",
        ),
        (lambda: aggregate_scores([[1.0]], n_resamples=0), InvalidParameterError, "n_resamples must be a whole number"),
        (lambda: aggregate_scores([[1.0]], level=95), InvalidParameterError, "level must lie between 0 and 1"),
        (
            lambda: probability_of_improvement([[1.0]], [[1.0, 2.0]]),
            InvalidScoresError,
            "both models need the same tasks; got 1 and 2.",
        ),
        (lambda: performance_profile([[1.0]], [np.nan]), InvalidParameterError, "the thresholds must be finite numbers in a row"),
        (lambda: win_tie_loss([[1.0, np.inf]]), InvalidScoresError, "the scores must be finite, or nan"),
        (lambda: win_tie_loss([[1.0, 2.0]], rope=-1), InvalidParameterError, "rope must be a finite half-width"),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()
