"""Scores by the number of training examples, and whether more of them would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tiebreak.evaluation.evaluation import Evaluation, split_ratio
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED, FloatArray
from tiebreak.plan.plan import Plan
from tiebreak.plan.training_sizes import with_sizes
from tiebreak.result import Result
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import look_up
from tiebreak.statistics.splits import ANSWERS, doubling_gain
from tiebreak.studies import curves
from tiebreak.studies.curves import CurvePoints

NEAR_ENOUGH = 0.05
"""Share by which a size may miss half of another one and still stand for it."""

_REASONS = {SPREAD: "", IDENTICAL: "identical-scores", CONSTANT: "no-spread", UNDEFINED: "too-few-splits"}


class DoublingAnswer(NamedTuple):
    """Answer to whether more data would help a model.

    Attributes
    ----------
    model : str
    answer : str
        "yes": twice the training data bring more than the rope. "less than the rope on doubling". "cannot be told".
    last_gain, last_low, last_high : float
        What the last doubling brought, and its interval; positive is a gain whatever the metric's direction.
    next_low, next_high : float
        Limits of what the next one brings.
    n_splits : int
        Splits on which the model has all three scores.
    reason : str
        Why nothing can be told where there are no numbers: "identical-scores" (the same with half of the data, on all splits),
        "no-spread" (the same gain on all splits), "too-few-splits" (fewer than two), "no-halves" (a half and a quarter of the
        largest size were not measured); else "".
    """

    model: str
    answer: str
    last_gain: float
    last_low: float
    last_high: float
    next_low: float
    next_high: float
    n_splits: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(Result):
    """Scores of models by the number of training examples.

    Print it for the answer; `plot` draws it.

    Attributes
    ----------
    metric : Metric
    models : tuple of str
    sizes : tuple of int
        Training examples, ascending.
    points : CurvePoints
        Of shape (n_models, n_sizes).
    answers : tuple of DoublingAnswer
        Would more data help? One for each model.
    rope : float
        Smallest gain that matters, in the metric's unit.
    alpha : float
        1 - coverage of all intervals.
    n_splits : int
        Of each size; all sizes have the same test rows.
    evaluation : Evaluation
        Failures, times and the rest; its datasets are the sizes.
    """

    metric: Metric
    models: tuple[str, ...]
    sizes: tuple[int, ...]
    points: CurvePoints
    answers: tuple[DoublingAnswer, ...]
    rope: float
    alpha: float
    n_splits: int
    evaluation: Evaluation
    _given: tuple[float | str, FloatArray] = field()

    def answer(self, model: str | None = None) -> str:
        """Would more data help? "yes", "less than the rope on doubling" or "cannot be told".

        Parameters
        ----------
        model : str, optional
            The first one if not given.
        """
        position = 0 if model is None else look_up(model, self.models, "model")
        return self.answers[position].answer

    def for_metric(self, metric: str) -> LearningCurve:
        """The curve in another of the metrics that were measured."""
        rope, ratio = self._given
        return curve_of(self.evaluation, self.sizes, ratio, rope, self.alpha, metric)


def learning_curve(
    whole: Plan,
    run: RunOptions,
    *,
    sizes: Any = None,
    scoring: Any = None,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    keep_predictions: bool = False,
) -> LearningCurve:
    """Measure the models of a plan on growing training sets; `tiebreak.learning_curve` describes the parameters."""
    plan, chosen = with_sizes(whole, sizes)
    described, run = whole.datasets[0].described, curves.run_of_study(run, "learning-curve", whole)
    evaluation = curves.measure_curve(plan, run, scoring, rope, alpha, keep_predictions)
    return curve_of(evaluation, chosen, described.n_test / described.n_train, rope, alpha)


def curve_of(
    evaluation: Evaluation,
    sizes: Sequence[int],
    ratio: FloatArray,
    rope: float | str,
    alpha: float,
    metric: str | None = None,
) -> LearningCurve:
    """The curve that an evaluation holds whose datasets are several sizes; of the first metric if none is given.

    `ratio`, of shape (n_splits,), is n_test / n_train of each split, n_train being all its training rows.
    """
    position = evaluation.metric_position(metric)
    measured = evaluation.record.metrics[position].metric
    test, points = curves.points_of(evaluation, position, lambda scores: scores.swapaxes(0, 1), ratio, alpha)
    width = curves.rope_in_units(rope, points.test_mean[:, -1], measured.sign, measured.name)
    return LearningCurve(
        metric=measured,
        models=evaluation.models,
        sizes=tuple(sizes),
        points=points,
        answers=_answers(evaluation.models, tuple(sizes), measured.sign * test, ratio, width, alpha),
        rope=width,
        alpha=alpha,
        n_splits=int(ratio.size),
        evaluation=evaluation,
        _given=(rope, ratio),
    )


# --- would more data help? ------------------------------------------------------------------------------------------------


def halves(sizes: Sequence[int]) -> tuple[int, int, int] | None:
    """Positions of a quarter of the largest size, of half of it, and of itself; None where one of them is not there."""
    full = sizes[-1]
    found = [_nearest(sizes, full / 4), _nearest(sizes, full / 2), len(sizes) - 1]
    missed = [abs(sizes[place] - full * share) for place, share in zip(found, (0.25, 0.5, 1.0), strict=True)]
    near = [miss <= max(0.5, NEAR_ENOUGH * full * share) for miss, share in zip(missed, (0.25, 0.5, 1.0), strict=True)]
    return (found[0], found[1], found[2]) if all(near) and len(set(found)) == 3 else None


def _nearest(sizes: Sequence[int], wanted: float) -> int:
    return min(range(len(sizes)), key=lambda place: abs(sizes[place] - wanted))


def _answers(
    models: Sequence[str], sizes: tuple[int, ...], oriented: FloatArray, ratio: FloatArray, rope: float, alpha: float
) -> tuple[DoublingAnswer, ...]:
    """For each model; scores of shape (n_models, n_sizes, n_splits), larger is better."""
    nan = float("nan")
    places = halves(sizes)
    if places is None or ratio.size < 2 or rope != rope:
        reason = "no-halves" if places is None else "too-few-splits"
        return tuple(DoublingAnswer(model, ANSWERS[0], nan, nan, nan, nan, nan, 0, reason) for model in models)
    quarter, half, full = (oriented[:, place] for place in places)
    last, previous = full - half, half - quarter
    usable = np.where(np.isnan(previous), np.nan, last)
    scale = np.nan_to_num(np.abs(oriented[:, list(places)])).max(axis=(1, 2))
    gain, (low, high), answer = doubling_gain(
        usable,
        previous,
        test_train_ratio=split_ratio(usable, ratio),
        rope=rope,
        alpha=alpha,
        scale=scale,
        omit_missing=True,
    )
    columns = (gain.estimate, *gain.interval_at(alpha), low, high, gain.n_units)
    rows = zip(models, answer, *(np.asarray(column).tolist() for column in columns), gain.kind, strict=True)
    return tuple(
        DoublingAnswer(model, ANSWERS[code], last, last_low, last_high, low, high, n, _REASONS[int(kind)])
        for model, code, last, last_low, last_high, low, high, n, kind in rows
    )
