"""Sixty answers in which the words matter, of all questions; their pages stand in golden/, to be read by a person."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tiebreak.scores.metric import Metric

LOSS = Metric("root_mean_squared_error", higher_is_better=False)
HUB = [
    "mistralai/Mistral-Small-24B-Instruct-2501",
    "meta-llama/Llama-3.1-70B-Instruct",
    "meta-llama/Llama-3.1-8B-Instruct",
    "Qwen/Qwen2.5-72B-Instruct",
]
GRID = [f"C={2.0**k:g}, gamma=scale, kernel=rbf" for k in range(-20, 21)]


def splits(*means: float, noise: float = 0.02, n: int = 100, names: Any = (), gaps: int = 0, **settings: Any) -> tb.Comparison:
    """Ten-fold cross-validation of models with these means; the last one lacks its first splits where there are gaps."""
    rows = noisy(*means, noise=noise, n_splits=n)
    rows[-1, :gaps] = np.nan
    settings |= {"missing": "pairwise"} if gaps else {}
    return folds(rows, names, **settings)


def folds(rows: Any, names: Any = (), **settings: Any) -> tb.Comparison:
    """Rows of scores of ten-fold cross-validations of 1,000 examples."""
    letters = [chr(97 + k) if k < 26 else f"z{k}" for k in range(len(rows))]
    return compared(rows, names or letters, **{"n_train": 900, "n_test": 100, "n_folds": 10, **settings})


def copies(n_alike: int, *others: float, **settings: Any) -> tb.Comparison:
    """Models with identical scores, and others."""
    first, *rest = noisy(0.85, *others, n_splits=100)
    return folds([*[first] * n_alike, *rest], **settings)


def constant(**settings: Any) -> tb.Comparison:
    """Two models that differ by the same amount on every split."""
    (row,) = noisy(0.85)
    return folds([row, row - 0.25], **settings)


def datasets(*skills: float, n: int = 20, noise: float = 0.01, **settings: Any) -> tb.Comparison:
    """One score for each model and dataset."""
    rng = np.random.default_rng(1)
    level = rng.uniform(0.6, 0.9, n)
    columns = {chr(97 + k): level + skill + rng.normal(0, noise, n) for k, skill in enumerate(skills)}
    return tb.compare({"dataset": [f"d{k}" for k in range(n)], **columns}, **{"metric": "accuracy", **settings})


def agreeing(names: str) -> tb.Comparison:
    """Runs that give the very same answers to 100 questions."""
    right = np.random.default_rng(2).integers(0, 2, 100)
    return tb.compare({"question": range(100)} | dict.fromkeys(names, right), metric="accuracy")


def items(
    *rates: float, n: int = 400, names: Any = "abcdef", graded: bool = False, more: Any = (), **settings: Any
) -> tb.Comparison:
    """Questions, right or wrong or graded, whose ease the models share; `more` names columns: cluster, topic."""
    rng = np.random.default_rng(2)
    ease = rng.normal(0, 1, n)
    given: dict[str, Any] = {"question": range(n)}
    given |= {"cluster": [f"text {k % 20}" for k in range(n)]} if "cluster" in more else {}
    given |= {"topic": [("law", "code")[k % 2] for k in range(n)]} if "topic" in more else {}
    for name, rate in zip(names, rates, strict=False):
        own = ease + rng.normal(0, 0.5, n)
        right = (own <= np.quantile(own, rate)).astype(int)
        given[name] = np.round(1 / (1 + np.exp(own - 4 * rate)), 3) if graded else right
    return tb.compare(given, **{"metric": "grade" if graded else "accuracy", "lower_is_better": False, **settings})


def predictions(metric: str, *rights: float, n: int = 200, **settings: Any) -> tb.Comparison:
    """Predictions of one test set with a third of positives."""
    rng = np.random.default_rng(3)
    truth = np.arange(n) % 3 == 0
    given = {}
    for k, right in enumerate(rights):
        is_right = rng.random(n) < right
        given[chr(97 + k)] = 1.5 * right * truth + rng.normal(size=n) if metric == "roc_auc" else is_right == truth
    return tb.compare(tb.read_predictions(truth, given, metric=metric), **settings)


def periods(*levels: float, n: int = 80, **settings: Any) -> tb.Comparison:
    """Losses in order of time."""
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 0.3, n)
    given = {chr(97 + k): level + shared + rng.normal(0, 0.1, n) for k, level in enumerate(levels)}
    return tb.compare({"time": range(n), **given}, metric="squared_error", lower_is_better=True, **settings)


def seeds(*means: float, n: int = 5, shared: bool = True, **settings: Any) -> tb.Comparison:
    """Training runs, with the same seeds for all models or others for each."""
    rng = np.random.default_rng(5)
    rows = [
        {"model": chr(97 + k), "seed": i if shared else 100 * k + i, "score": mean + rng.normal(0, 0.01)}
        for k, mean in enumerate(means)
        for i in range(n)
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return tb.compare(columns, metric="accuracy", **settings)


def repeated(*rates: float, n: int = 200, **settings: Any) -> tb.Comparison:
    """Three answers of each model to each question, of which many vary."""
    rng = np.random.default_rng(6)
    right = rng.random((n, 1, 1)) * 0.3 + rng.random((n, 3, len(rates))) * 0.7 < np.array(rates)
    table = {"question": np.repeat(np.arange(n), 3), "epoch": np.tile(np.arange(3), n)}
    columns = dict(zip("abcdef", right.reshape(-1, len(rates)).astype(int).T, strict=False))
    return tb.compare({**table, **columns}, metric="accuracy", **settings)


def counts(*rates: float, n: int = 200, **settings: Any) -> tb.Comparison:
    """Test sets of each model's own."""
    right = [round(rate * n) for rate in rates]
    return tb.compare({"model": [chr(97 + k) for k in range(len(rates))], "correct": right, "n": [n] * len(rates)}, **settings)


def gate(answer: Callable[[], tb.Comparison], **asked: Any) -> tuple[tb.Comparison, Any]:
    """An answer with requirements."""
    comparison = answer()
    return comparison, comparison.meets(**asked)


STEADY = np.random.default_rng(3).normal(0.8, 0.01, 20)
WILD = [
    STEADY + 0.03 + np.random.default_rng(4).normal(0, 0.12, 20),
    STEADY,
    STEADY - 0.02 + np.random.default_rng(5).normal(0, 0.004, 20),
]
FIVE = (0.86, 0.855, 0.85, 0.84, 0.70)
GATED = partial(splits, 0.850, 0.848, noise=0.03, names=("new", "last"), rope=0.005)


def summary(means: dict[str, list[object]], **asked: object) -> tb.Comparison:
    """Table of means of models a, b, ..."""
    n = len(next(iter(means.values())))
    return tb.compare(pd.DataFrame({"model": list("abcdefgh"[:n]), **means}), **asked)


ANSWERS: dict[str, Callable[[], Any]] = {
    "splits 2 better": partial(splits, 0.90, 0.85, names=("forest", "svm"), rope=0.01),
    "splits 2 ahead": partial(splits, 0.872, 0.86, noise=0.006, rope=0.01),
    "splits 2 equivalent": partial(splits, 0.851, 0.850, noise=0.004, rope=0.01),
    "splits 2 equivalent and ahead": partial(splits, 0.853, 0.850, noise=0.002, rope=0.01),
    "splits 2 undecided": partial(splits, 0.85, 0.845, noise=0.03, rope=0.01),
    "splits 2 undecided without rope": partial(splits, 0.85, 0.849, noise=0.03),
    "splits 2 hopeless": partial(splits, 0.85, 0.84999, noise=0.03, rope=0.01),
    "splits 2 copies": partial(copies, 2, rope=0.01),
    "splits 2 constant": partial(constant, rope=0.01),
    "splits 2 loss": partial(splits, 2.42, 2.30, noise=0.05, metric=LOSS, rope="1%"),
    "splits 2 of two folds": partial(splits, 0.85, 0.84, n=10, n_folds=2, n_train=500, n_test=500),
    "splits 2 few": partial(splits, 0.85, 0.84, n=10),
    "splits 2 hub names": partial(splits, 0.85, 0.80, names=HUB[:2], rope=0.01),
    "splits 3 open": partial(splits, 0.86, 0.855, 0.70, rope=0.005),
    "splits 3 ruled out by another": lambda: folds(WILD, ("wild", "good", "bad")),
    "splits 3 baseline equivalent": partial(splits, 0.851, 0.850, 0.849, noise=0.004, baseline="a", rope=0.01),
    "splits 3 best": partial(splits, 0.90, 0.80, 0.70, rope=0.01),
    "splits 4 even": partial(splits, *[0.85] * 4, noise=0.01, rope=0.01),
    "splits 2 names of twelve": partial(splits, 0.9, 0.8, names=("x" * 12, "y" * 13)),
    "splits 2 names of thirteen": partial(splits, 0.9, 0.8, names=("x" * 13, "y" * 12)),
    "splits 4 near": partial(splits, 0.861, 0.860, 0.859, 0.70, noise=0.004, rope=0.01),
    "splits 4 copies best": partial(copies, 2, 0.80, 0.70, rope=0.01),
    "splits 4 all copies": partial(copies, 4),
    "splits 4 gaps": partial(splits, 0.86, 0.85, 0.84, 0.80, n=20, gaps=3, rope=0.01),
    "splits 4 hub names": partial(splits, 0.86, 0.855, 0.85, 0.70, names=HUB, rope=0.01),
    "splits 4 long words": partial(
        splits, 0.86, 0.855, 0.7, 0.6, names=[f"resnet50-imagenet-pretrained-frozen-encoder-seed{k}-final" for k in range(4)]
    ),
    "splits 5 open": partial(splits, *FIVE, rope=0.01),
    "splits 5 baseline": partial(splits, *FIVE, baseline="d", rope=0.005),
    "splits 5 baseline kept": partial(splits, *FIVE, baseline="a", rope=0.005),
    "splits 5 baseline open": partial(splits, 0.80, 0.801, 0.799, 0.80, 0.802, noise=0.05, baseline="a", rope=0.005),
    "splits 5 against the best": partial(splits, *FIVE, family="best", rope=0.01),
    "splits 5 holm": partial(splits, *FIVE, correction="holm"),
    "splits 5 uncorrected": partial(splits, *FIVE, correction="none", rope=0.01),
    "splits 41 search": partial(splits, *(0.85 - 0.002 * np.arange(41)), noise=0.01, names=GRID, rope=0.01),
    "splits 41 even": partial(splits, *[0.85] * 41, noise=0.01, rope=0.01),
    "datasets 2 better": partial(datasets, 0.05, 0.0, rope=0.01),
    "datasets 2 undecided": partial(datasets, 0.004, 0.0, rope=0.01),
    "datasets 4 open": partial(datasets, 0.03, 0.028, 0.02, 0.0, rope=0.01),
    "datasets 5 too few": partial(datasets, 0.03, 0.02, 0.02, 0.01, 0.0, n=5),
    "items 2 better": partial(items, 0.80, 0.65, names=("bf16", "int4"), rope=0.02),
    "items 2 undecided": partial(items, 0.72, 0.70, names=("bf16", "int4"), rope=0.02),
    "items 2 equivalent": partial(items, 0.72, 0.72, n=3000, rope=0.05),
    "items 2 gate": partial(gate, partial(items, 0.80, 0.65, names=("new", "old"), rope=0.02), better=("new", "old")),
    "items 3 error rate": partial(items, 0.30, 0.25, 0.10, metric="error_rate", lower_is_better=True, rope=0.02),
    "items 3 clusters": partial(items, 0.72, 0.70, 0.50, more=("cluster",), rope=0.02),
    "items 3 topics": partial(items, 0.72, 0.70, 0.50, more=("topic",), by="topic", rope=0.02),
    "items 4 graded": partial(items, 0.5, 0.48, 0.45, 0.2, graded=True, rope=0.01),
    "items 2 runs": partial(repeated, 0.7, 0.66),
    "items 3 that agree": partial(agreeing, "abc"),
    "test sets 3": partial(counts, 0.90, 0.85, 0.60, rope=0.05),
    "test sets 2 undecided": partial(counts, 0.90, 0.88),
    "auc 3": partial(predictions, "roc_auc", 0.95, 0.9, 0.5, rope=0.02),
    "f1 3": partial(predictions, "f1", 0.92, 0.90, 0.6),
    "time 2 undecided": partial(periods, 1.0, 1.01),
    "time 3 best": partial(periods, 1.0, 1.2, 1.5),
    "time 2 short": partial(periods, 1.0, 1.05, n=12),
    "seeds 3 shared": partial(seeds, 0.85, 0.84, 0.80, rope=0.01),
    "seeds 2 own": partial(seeds, 0.85, 0.845, shared=False),
    "look 2 open": partial(items, 0.72, 0.70, rope=0.02, n=150, n_total=600),
    "look 2 decided": partial(items, 0.85, 0.55, rope=0.02, n=150, n_total=600),
    "look 4 open": partial(items, 0.80, 0.78, 0.60, 0.40, n=150, n_total=600),
    "look 2 last": partial(items, 0.72, 0.70, n=600, n_total=600),
    "gate undecided": partial(gate, GATED, not_worse=("new", "last"), better=("new", "last")),
    "gate at a look": partial(gate, partial(items, 0.85, 0.83, n=150, n_total=600, rope=0.02), better=("a", "b"), near_best="a"),
    "gate at the last look": partial(gate, partial(items, 0.72, 0.70, n=600, n_total=600), not_worse=("a", "b")),
    "gate broken": partial(gate, partial(splits, 0.80, 0.85, names=("new", "last"), rope=0.005), not_worse=("new", "last")),
    "gate near best": partial(gate, partial(splits, *FIVE, rope=0.05), near_best=["a", "e"]),
    "pair better": lambda: splits(*FIVE, rope=0.01).pair("a", "e"),
    "pair undecided": lambda: splits(*FIVE, rope=0.01).pair("b", "a"),
    "pair of a search": lambda: splits(0.86, 0.855, 0.7, names=[f"{name}, epochs=20, seed=0" for name in GRID[:3]]).pair(
        *[f"{name}, epochs=20, seed=0" for name in GRID[:2]]
    ),
    "pair with a baseline": lambda: splits(0.9, 0.89, 0.7, baseline="b").pair("c", "b"),
    "pair too few": lambda: datasets(0.03, 0.02, 0.02, n=4, baseline="a").pair("b", "c"),
    "pair of items": lambda: items(0.72, 0.70, 0.50, names=("bf16", "int4", "tiny"), rope=0.02).pair("bf16", "int4"),
    "pair outside": lambda: splits(*FIVE, baseline="a", rope=0.01).pair("b", "c"),
    "summary 5 rates": partial(summary, {"accuracy": [0.952, 0.941, 0.931, 0.919, 0.884]}, n_test=1000),
    "summary 4 rates": partial(summary, {"accuracy": [0.952, 0.941, 0.931, 0.925]}, n_test=1000),
    "summary 5 close": partial(summary, {"accuracy": [0.952, 0.936, 0.935, 0.934, 0.933]}, n_test=1000),
    "summary 2 hopeless": partial(summary, {"accuracy": [0.87, 0.86]}, n_test=1000),
    "summary 3 folds": partial(summary, {"f1_mean": [0.884, 0.861, 0.703], "f1_std": [0.021, 0.012, 0.034]}, cv=10),
    "summary 2 seeds": partial(summary, {"f1": ["0.884 ± 0.011", "0.861 ± 0.012"]}, cv=5, rows="seeds"),
    "summary 2 areas": partial(summary, {"auc": [0.91, 0.89]}, n_test=(100, 200)),
}


def page_of(name: str) -> str:
    """Page of an answer as text."""
    made = ANSWERS[name]()
    return made[0].to_text(made[1]) if isinstance(made, tuple) else made.to_text()
