"""Curves to draw, made of scores that are computed, not measured: no fit, and the same on every machine."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import tiebreak as tb
from tiebreak.evaluation.evaluate import find_scorers
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.plan.plan import Plan, make_plan
from tiebreak.plan.record import Cell, MetricRecord, Outcome
from tiebreak.plan.training_sizes import with_sizes
from tiebreak.studies import curves
from tiebreak.studies.bias_variance import BiasVariance
from tiebreak.studies.curves import LearningCurve, ValidationCurve

N_SAMPLES, CV = 400, {"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}


def drawn_learning_curve(names: Sequence[str], *, scoring: str = "accuracy", rope: float = 0.02) -> LearningCurve:
    """Models of which the first gain from more data, the middle ones are done, and the last one has failed on small sizes."""
    return _learning_curve(tuple(names), scoring, rope)


def drawn_validation_curve(
    names: Sequence[str], values: Sequence[Any] = (0.01, 0.1, 1.0, 10.0, 100.0), *, parameter: str = "svc__C", rope: float = 0.02
) -> ValidationCurve:
    """A hill over the values, a little elsewhere for each model."""
    return _validation_curve(tuple(names), tuple(values), parameter, rope)


def drawn_bias_variance(names: Sequence[str], *, loss: str = "zero-one") -> BiasVariance:
    """Ever more variance and less bias."""
    from tiebreak.studies.bias_variance import LossParts

    at, is_squared = np.arange(len(names)) / len(names), loss == "squared"
    bias, unbiased, biased = 0.30 - 0.2 * at, 0.02 + 0.2 * at, 0.0 if is_squared else 0.08 * (1 - at)
    undefined = np.full(at.size, np.nan)
    columns = (bias + unbiased - biased, bias, unbiased - biased, *((undefined,) * 2 if is_squared else (unbiased, biased)))
    parts = [LossParts(name, 100, *row) for name, row in zip(names, np.stack(columns, axis=1).tolist(), strict=True)]
    evaluation = drawn_learning_curve(["a"]).evaluation
    return BiasVariance(loss, tuple(parts), 100, 300, 100, evaluation)  # type: ignore[arg-type]


@cache
def _learning_curve(names: tuple[str, ...], scoring: str, rope: float) -> LearningCurve:
    whole = _plan(names, scoring)
    plan, sizes = with_sizes(whole)
    rng = np.random.default_rng(0)
    luck = rng.normal(0, 0.02, len(whole.datasets[0].splits))
    outcomes = []
    for cell in plan.cells():
        size, share = sizes[cell.dataset], (cell.model + 1) / len(names)
        if cell.model == len(names) - 1 and len(names) > 2 and cell.dataset == 0:
            outcomes.append(Outcome(cell, "raised", message="ValueError: too few examples"))
            continue
        test = 0.95 - 0.05 * share - 2.5 / size ** (0.5 + 0.5 * share) + luck[cell.split] + rng.normal(0, 0.003)
        outcomes.append(_outcome(cell, scoring, test, test + 2 / size**0.8, 1e-4 * size**share * (cell.model + 1)))
    evaluation = _evaluation(plan, scoring, outcomes)
    described = whole.datasets[0].described
    return curves.learning_curve_of(evaluation, sizes, described.n_test / described.n_train, rope, 0.05)


@cache
def _validation_curve(names: tuple[str, ...], values: tuple[Any, ...], parameter: str, rope: float) -> ValidationCurve:
    rows = tuple(tuple(f"{name}, {value}" for value in values) for name in names)
    plan = _plan([each for row in rows for each in row], "accuracy")
    rng = np.random.default_rng(1)
    luck = rng.normal(0, 0.02, len(plan.datasets[0].splits))
    outcomes = []
    for cell in plan.cells():
        model, place = divmod(cell.model, len(values))
        top = 0.5 + (len(values) - 2) * (model + 1) / (len(names) + 1)
        test = 0.92 - 0.01 * model - 0.02 * (place - top) ** 2 + luck[cell.split] + rng.normal(0, 0.005)
        outcomes.append(_outcome(cell, "accuracy", test, 0.9 + 0.1 * place / len(values), 0.002 * (model + 1) * (place + 1)))
    evaluation = _evaluation(plan, "accuracy", outcomes)
    labels = tuple(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
    grid = curves.ValueGrid(parameter, values, labels, names, rows, {})
    return curves.validation_curve_of(evaluation, grid, rope, 0.05)


def _plan(names: Sequence[str], scoring: str) -> Plan:
    rng = np.random.default_rng(3)
    y = np.arange(N_SAMPLES) % 2 if scoring == "accuracy" else rng.normal(size=N_SAMPLES)
    return make_plan(dict.fromkeys(names, _never), rng.normal(size=(N_SAMPLES, 2)), y, cv=CV)


def _never(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model that is named and never asked."""
    raise NotImplementedError


def _outcome(cell: Cell, scoring: str, test: float, train: float, seconds: float) -> Outcome:
    name, sign = scoring.removeprefix("neg_"), -1 if scoring.startswith("neg_") else 1
    scores, train_scores = {name: sign * min(test, 1.0)}, {name: sign * min(train, 1.0)}
    if sign < 0:  # an error is a positive number
        scores, train_scores = {name: 1 + scores[name]}, {name: 1 + train_scores[name]}
    return Outcome(cell, scores=scores, train_scores=train_scores, fit_seconds=seconds)


def _evaluation(plan: Plan, scoring: str, outcomes: Sequence[Outcome]) -> Evaluation:
    metrics = [MetricRecord(each.metric, "") for each in find_scorers(plan, scoring)]
    log = tb.MemoryStore().open(plan.record("drawn", metrics, threads=1, with_hashes=False))
    log.write(outcomes)
    return Evaluation(log, log.table())
