"""Curves to draw, made of scores that are computed, not measured: no fit, and the same on every machine."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

import tiebreak as tb
from tiebreak.evaluation.evaluate import find_scorers
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.plan.plan import Plan, make_plan
from tiebreak.plan.record import Cell, Outcome
from tiebreak.studies import curves
from tiebreak.studies.bias_variance import BiasVariance, LossParts
from tiebreak.studies.curves import LearningCurve, ValidationCurve, with_sizes

N_SAMPLES, CV = 400, {"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}


def drawn_bias_variance(names: tuple[str, ...], *, loss: str = "zero-one") -> BiasVariance:
    """Ever more variance and less bias."""
    at, is_squared = np.arange(len(names)) / len(names), loss == "squared"
    bias, unbiased, biased = 0.30 - 0.2 * at, 0.02 + 0.2 * at, 0.0 if is_squared else 0.08 * (1 - at)
    undefined = np.full(at.size, np.nan)
    columns = (bias + unbiased - biased, bias, unbiased - biased, *((undefined,) * 2 if is_squared else (unbiased, biased)))
    parts = [LossParts(name, 100, *row) for name, row in zip(names, np.stack(columns, axis=1).tolist(), strict=True)]
    evaluation = drawn_learning_curve(("a",)).evaluation
    return BiasVariance(loss, tuple(parts), 100, 300, 100, evaluation)  # type: ignore[arg-type]


@cache
def drawn_learning_curve(names: tuple[str, ...], *, rope: float = 0.02) -> LearningCurve:
    """Models of which the first gain from more data, the middle ones are done, and the last one has failed on small sizes."""
    whole = _plan(names)
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
        outcomes.append(_outcome(cell, test, test + 2 / size**0.8, 1e-4 * size**share * (cell.model + 1)))
    [splits] = whole.datasets
    return curves.learning_curve_of(_evaluation(plan, outcomes), sizes, splits.n_test / splits.n_train, rope, 0.05)


@cache
def drawn_validation_curve(
    names: tuple[str, ...], values: tuple[Any, ...] = (0.01, 0.1, 1.0, 10.0, 100.0), *, rope: float = 0.02
) -> ValidationCurve:
    """A hill over the values, a little elsewhere for each model."""
    rows = tuple(tuple(f"{name}, {value}" for value in values) for name in names)
    plan = _plan([each for row in rows for each in row])
    rng = np.random.default_rng(1)
    luck = rng.normal(0, 0.02, len(plan.datasets[0].splits))
    outcomes = []
    for cell in plan.cells():
        model, place = divmod(cell.model, len(values))
        top = 0.5 + (len(values) - 2) * (model + 1) / (len(names) + 1)
        test = 0.92 - 0.01 * model - 0.02 * (place - top) ** 2 + luck[cell.split] + rng.normal(0, 0.005)
        outcomes.append(_outcome(cell, test, 0.9 + 0.1 * place / len(values), 0.002 * (model + 1) * (place + 1)))
    labels = tuple(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
    grid = curves.ValueGrid("svc__C", values, labels, names, rows, {})
    return curves.validation_curve_of(_evaluation(plan, outcomes), grid, rope, 0.05)


def _plan(names: Sequence[str]) -> Plan:
    """Models that are named and never asked."""
    X = np.random.default_rng(3).normal(size=(N_SAMPLES, 2))
    return make_plan(dict.fromkeys(names, DummyClassifier()), X, np.arange(N_SAMPLES) % 2, cv=CV)


def _outcome(cell: Cell, test: float, train: float, seconds: float) -> Outcome:
    return Outcome(cell, scores={"accuracy": min(test, 1.0)}, train_scores={"accuracy": min(train, 1.0)}, fit_seconds=seconds)


def _evaluation(plan: Plan, outcomes: Sequence[Outcome]) -> Evaluation:
    log = tb.MemoryStore().open(plan.record("drawn", find_scorers(plan, "accuracy"), threads=1, with_hashes=False))
    log.write(outcomes)
    return Evaluation(log, log.table())
