"""Numbers for a benchmark of tasks and runs: interquartile mean, probability of improvement, profiles, wins and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    check_count,
    check_probability,
    check_rope,
    check_seed,
    floats,
)

Aggregate = Literal["iqm", "mean", "median"]
Tasks = list[FloatArray]
"""The runs of each task on the last axis; leading axes are resamples."""

RUNS_ONLY = (
    "The interval is about further runs of the same models on these very tasks. It says nothing of other tasks, and overlap with "
    "the interval of another model is no test."
)
"""What an interval over resampled runs leaves out."""


@dataclass(frozen=True, slots=True)
class AggregateResult:
    """A number for a benchmark, with a bootstrap interval over runs.

    Attributes
    ----------
    estimate : float
    low, high : float
        Percentiles over resampled runs; nan where these do not vary, as with one run of each task.
    n_tasks, n_runs : int
        Runs of all tasks together.
    n_resamples : int
    caveat : str
        What the interval leaves out.
    """

    estimate: float
    low: float
    high: float
    n_tasks: int
    n_runs: int
    n_resamples: int
    caveat: str = RUNS_ONLY


class PerformanceProfile(NamedTuple):
    """Share of runs above each threshold, each task counting the same.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
    share : ndarray of shape (n_thresholds,)
    low, high : ndarray of shape (n_thresholds,)
        Pointwise percentiles over resampled runs.
    """

    thresholds: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray


class WinTieLoss(NamedTuple):
    """Numbers of datasets on which each model of a row beats, ties with, and loses to each model of a column.

    Attributes
    ----------
    wins, ties, losses : ndarray of int, of shape (n_models, n_models)
    """

    wins: IntArray
    ties: IntArray
    losses: IntArray


def aggregate_scores(
    scores: ArrayLike, statistic: Aggregate = "iqm", *, level: float = 0.95, n_resamples: int = 2000, rng: int = 0
) -> AggregateResult:
    """One number for all tasks and runs, with an interval by a bootstrap that resamples the runs of each task.

    Scores of different tasks are put together as they stand, so they have to be of one unit, such as normalised returns.
    Accuracies on datasets of different difficulty are not.

    Parameters
    ----------
    scores : array_like of shape (n_runs, n_tasks)
        nan where a task has fewer runs.
    statistic : {"iqm", "mean", "median"}
        "iqm": mean of the middle half of all runs of all tasks. "mean" and "median": over tasks, of the mean over their runs.
    level : float, default 0.95
        Coverage of the interval, between 0 and 1.
    n_resamples : int, default 2000
    rng : int, default 0
        Seed.

    Returns
    -------
    AggregateResult

    Raises
    ------
    InvalidScoresError
        An infinite score, a task without runs, or no table.

    References
    ----------
    .. [A21] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. Bellemare. Deep reinforcement learning at the edge of the
       statistical precipice. NeurIPS 34, 2021.

    Examples
    --------
    >>> result = aggregate_scores([[0.2, 0.9], [0.4, 0.8], [0.3, 0.7], [0.3, 1.0]])
    >>> round(result.estimate, 3), round(result.low, 3), round(result.high, 3)
    (0.55, 0.5, 0.65)
    """
    if statistic not in get_args(Aggregate):
        raise InvalidParameterError(f"statistic must be 'iqm', 'mean' or 'median'; got {statistic!r}.")
    tasks = _tasks(scores, "scores")
    compute = _STATISTICS[statistic]
    return _interval(tasks, [], lambda one, _: compute(one), level, n_resamples, rng)


def probability_of_improvement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    higher_is_better: bool = True,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
) -> AggregateResult:
    """Chance that a run of the first model beats one of the second on a task drawn at random; ties count half.

    Parameters
    ----------
    first, second : array_like of shape (n_runs, n_tasks)
        The same tasks; numbers of runs may differ, and nan is left out.
    higher_is_better : bool, default True
    level, n_resamples, rng
        As for `aggregate_scores`.

    Returns
    -------
    AggregateResult

    References
    ----------
    .. [A21] R. Agarwal et al. Deep reinforcement learning at the edge of the statistical precipice. NeurIPS 34, 2021.

    Examples
    --------
    >>> round(probability_of_improvement([[1, 2], [2, 2], [1, 1], [2, 1]], [[1, 1], [2, 2], [3, 3]]).estimate, 3)
    0.333
    """
    one, other = _tasks(first, "first"), _tasks(second, "second")
    if len(one) != len(other):
        raise InvalidScoresError(f"both models need the same tasks; got {len(one)} and {len(other)}.")
    sign = 1.0 if higher_is_better else -1.0

    def share(these: Tasks, those: Tasks) -> FloatArray:
        pairs = zip(these, those, strict=True)
        return np.asarray(np.mean([_beats(sign * x, sign * y) for x, y in pairs], axis=0))

    return _interval(one, other, share, level, n_resamples, rng)


def performance_profile(
    scores: ArrayLike, thresholds: ArrayLike | None = None, *, level: float = 0.95, n_resamples: int = 2000, rng: int = 0
) -> PerformanceProfile:
    """Share of runs with a score above each threshold, a mean over tasks: one falling curve for each model.

    Parameters
    ----------
    scores : array_like of shape (n_runs, n_tasks)
        nan is left out.
    thresholds : array_like of shape (n_thresholds,), optional
        100 between the smallest and the largest score if not given.
    level, n_resamples, rng
        As for `aggregate_scores`.

    References
    ----------
    .. [DM02] E. Dolan, J. More. Benchmarking optimization software with performance profiles. Mathematical Programming 91, 2002.
    .. [A21] R. Agarwal et al. Deep reinforcement learning at the edge of the statistical precipice. NeurIPS 34, 2021.

    Examples
    --------
    >>> performance_profile([[0.2, 0.9], [0.4, 0.8]], [0.1, 0.3, 0.85]).share.tolist()
    [1.0, 0.75, 0.25]
    """
    tasks = _tasks(scores, "scores")
    everything = np.concatenate(tasks)
    given = np.linspace(everything.min(), everything.max(), 100) if thresholds is None else np.asarray(thresholds, dtype=float)
    if given.ndim != 1 or not np.isfinite(given).all():
        raise InvalidParameterError(f"the thresholds must be finite numbers in a row; got the shape {given.shape}.")
    above = [np.asarray(task[:, None] > given, dtype=float) for task in tasks]  # (n_runs, n_thresholds)
    share = np.mean([each.mean(axis=0) for each in above], axis=0)
    alpha = 1 - check_probability(level, "level")
    drawn = np.zeros((check_count(n_resamples, "n_resamples"), given.size))
    generator = np.random.default_rng(check_seed(rng))
    for each in above:  # how often each run was drawn, as a share
        counts = generator.multinomial(len(each), np.full(len(each), 1 / len(each)), size=len(drawn))
        drawn += counts @ each / (len(each) * len(above))
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=0)
    return PerformanceProfile(given, share, low, high)


def win_tie_loss(scores: ArrayLike, *, higher_is_better: bool = True, rope: float = 0.0) -> WinTieLoss:
    """Number of datasets on which each model beats each other one, is as good within the rope, and is beaten.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_models)
        A dataset without a score of one of the two is left out.
    higher_is_better : bool, default True
    rope : float, default 0
        Largest difference that counts as a tie, in the metric's unit; rounding noise of 1e-12 of the larger score always does.

    Examples
    --------
    >>> win_tie_loss([[0.9, 0.8], [0.7, 0.7], [0.6, 0.8]]).wins.tolist()
    [[0, 1], [1, 0]]
    """
    table = floats(scores)
    if table.ndim != 2 or np.isinf(table).any():
        raise InvalidScoresError(
            f"the scores must be finite, or nan, of shape (n_datasets, n_models); got the shape {table.shape}."
        )
    width = check_rope(rope)
    turned = table if higher_is_better else -table
    k = table.shape[1]
    wins, ties = np.zeros((k, k), dtype=np.int64), np.zeros((k, k), dtype=np.int64)
    for model in range(k):
        difference = turned[:, [model]] - turned
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(turned[:, [model]]), np.abs(turned))
        wins[model] = np.count_nonzero(difference > width + noise, axis=0)
        ties[model] = np.count_nonzero(np.abs(difference) <= width + noise, axis=0)
    np.fill_diagonal(ties, 0)
    return WinTieLoss(wins, ties, wins.T.copy())


# --- parts ------------------------------------------------------------------------------------------------------------------

_BLOCK = 4_000_000
"""Scores that are drawn at a time, over all resamples."""


def _tasks(scores: ArrayLike, name: str) -> Tasks:
    """The runs of each task, without those that are missing."""
    table = floats(scores)
    if table.ndim != 2 or 0 in table.shape or np.isinf(table).any():
        raise InvalidScoresError(f"{name} must be finite, or nan, of shape (n_runs, n_tasks); got the shape {table.shape}.")
    tasks = [column[~np.isnan(column)] for column in table.T]
    empty = [number for number, task in enumerate(tasks) if not task.size]
    if empty:
        raise InvalidScoresError(f"task {empty[0]} of {name} has no run.")
    return tasks


def _interval(
    one: Tasks, other: Tasks, statistic: Callable[[Tasks, Tasks], FloatArray], level: float, n_resamples: int, rng: int
) -> AggregateResult:
    alpha = 1 - check_probability(level, "level")
    n = check_count(n_resamples, "n_resamples")
    generator = np.random.default_rng(check_seed(rng))
    estimate = float(statistic(one, other))
    drawn = np.concatenate([statistic(*part) for part in _resamples(one, other, n, generator)])
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2]).tolist()
    if np.ptp(drawn) <= RELATIVE_TOLERANCE * max(abs(estimate), np.finfo(float).tiny):
        low = high = float("nan")
    return AggregateResult(estimate, low, high, len(one), sum(task.size for task in (*one, *other)), n)


def _resamples(one: Tasks, other: Tasks, n: int, generator: np.random.Generator) -> Iterator[tuple[Tasks, Tasks]]:
    """Runs drawn anew within each task, of shape (n_resamples, n_runs), some megabytes at a time."""
    step = max(1, _BLOCK // sum(task.size for task in (*one, *other)))
    for start in range(0, n, step):
        size = min(step, n - start)
        yield tuple(  # type: ignore[misc]
            [task[generator.integers(task.size, size=(size, task.size))] for task in tasks] for tasks in (one, other)
        )


def _interquartile_mean(tasks: Tasks) -> FloatArray:
    together = np.sort(np.concatenate(tasks, axis=-1), axis=-1)
    cut = together.shape[-1] // 4
    return np.asarray(together[..., cut : together.shape[-1] - cut].mean(axis=-1))


def _task_means(tasks: Tasks) -> FloatArray:
    return np.stack([task.mean(axis=-1) for task in tasks], axis=-1)


_STATISTICS: dict[str, Callable[[Tasks], FloatArray]] = {
    "iqm": _interquartile_mean,
    "mean": lambda tasks: np.asarray(_task_means(tasks).mean(axis=-1)),
    "median": lambda tasks: np.asarray(np.median(_task_means(tasks), axis=-1)),
}


def _beats(x: FloatArray, y: FloatArray) -> FloatArray:
    """Share of pairs of a run of x and one of y in which x is higher; ties count half. Runs are on the last axis."""
    both = np.concatenate([x, y], axis=-1)
    order = np.argsort(both, axis=-1, kind="stable")
    ordered = np.take_along_axis(both, order, axis=-1)
    n = both.shape[-1]
    place = np.broadcast_to(np.arange(n), both.shape)
    is_new = np.ones(both.shape, dtype=bool)
    is_new[..., 1:] = np.diff(ordered, axis=-1) > RELATIVE_TOLERANCE * np.abs(both).max(axis=-1, keepdims=True)
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(np.roll(is_new, -1, axis=-1), place, n)[..., ::-1], axis=-1)[..., ::-1]
    rank_sum = np.where(order < x.shape[-1], (first + last) / 2 + 1, 0.0).sum(axis=-1)
    n_x, n_y = x.shape[-1], y.shape[-1]
    return np.asarray((rank_sum - n_x * (n_x + 1) / 2) / (n_x * n_y))
