"""Points of learning and validation curves, and intervals of their means."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.evaluation.evaluate import find_scorers, measure_plan
from tiebreak.evaluation.evaluation import Evaluation, mean_interval
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.numerics import FloatArray, IntArray, check_probability, check_rope, check_rope_given, rope_share
from tiebreak.plan.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class CurvePoints:
    """Means over splits, of shape (n_models, n_points), in the metric's unit.

    Intervals are two-sided corrected t intervals of the mean, with n_test / n_train of the whole training sets of the splits, cut
    off at bounds of the metric that are known (an accuracy is at most 1).
    A mean is nan where no split has a score, an interval where fewer than two have, or where all scores are the same.

    Attributes
    ----------
    test_mean, test_low, test_high : ndarray
    train_mean, train_low, train_high : ndarray
        nan where models leave nothing to ask about the training rows, as functions do.
    n_splits : ndarray of int
        Splits with a test score.
    fit_seconds : ndarray
        Median time of a fit.
    """

    test_mean: FloatArray
    test_low: FloatArray
    test_high: FloatArray
    train_mean: FloatArray
    train_low: FloatArray
    train_high: FloatArray
    n_splits: IntArray
    fit_seconds: FloatArray


def run_of_study(run: RunOptions, study: str, plan: Plan, about: str = "") -> RunOptions:
    """Options of the run of a study: which study made it is kept, and in a store its name says so."""
    made_name = plan.default_name().replace("run", study + about, 1) if run.name is None and run.store is not None else run.name
    return dataclasses.replace(run, name=made_name, settings={**run.settings, "made_by": study})


def measure_curve(plan: Plan, run: RunOptions, scoring: Any, rope: float | str, alpha: float, keep: bool) -> Evaluation:
    """Scores of a plan on test and training rows; a rope or alpha that is none is refused first."""
    check_rope_given(rope)
    check_probability(alpha, "alpha")
    return measure_plan(plan, find_scorers(plan, scoring), run, keep_predictions=keep, train_scores=True)


def points_of(
    evaluation: Evaluation, metric: int, arranged: Callable[[FloatArray], FloatArray], ratio: FloatArray, alpha: float
) -> tuple[FloatArray, CurvePoints]:
    """Test scores of all splits, of shape (n_models, n_points, n_splits), and the points of the curves.

    All datasets have the same splits. `arranged` makes an array of shape (n_models, n_points, ...) of one of shape (n_datasets,
    n_models, ...); `ratio`, of shape (n_splits,), is n_test / n_train of each split, n_train being all its training rows; `alpha`
    is 1 - coverage.
    """
    n_datasets, measured = len(evaluation.datasets), evaluation.record.metrics[metric].metric
    test = arranged(np.stack([evaluation.grid(dataset, metric) for dataset in range(n_datasets)]))
    train = np.full((n_datasets, len(evaluation.models), evaluation.record.datasets[0].n_splits), np.nan)
    for outcome in evaluation.log.outcomes():
        dataset, split, model = outcome.cell
        train[dataset, model, split] = outcome.train_scores.get(measured.name, np.nan)
    fit_seconds = arranged(np.stack([evaluation.fit_times(dataset)[0] for dataset in range(n_datasets)]))
    test_mean, test_interval = mean_interval(test, ratio, alpha, measured)
    train_mean, train_interval = mean_interval(arranged(train), ratio, alpha, measured)
    n_splits = np.count_nonzero(~np.isnan(test), axis=-1)
    return test, CurvePoints(test_mean, *test_interval, train_mean, *train_interval, n_splits, fit_seconds)


def rope_in_units(rope: float | str, means: Sequence[float] | FloatArray, sign: int, metric: str) -> float:
    """A rope in the unit of the named metric; a percentage is of the best of some means.

    A mean is nan where there is none; `sign` is +1 where higher is better, else -1.
    """
    if not isinstance(rope, str):
        return check_rope(rope)
    share = rope_share(rope)
    oriented = sign * np.asarray(means, dtype=float)
    if np.isnan(oriented).all():
        return float("nan")
    best = abs(float(np.nanmax(oriented)))
    if best <= 1e-12:
        raise InvalidParameterError(
            Setting("rope", repr(rope)),
            f" is a share of the best mean, but the best mean {metric} is 0. Give the rope in the metric's unit.",
            about="rope",
        )
    return share * best
