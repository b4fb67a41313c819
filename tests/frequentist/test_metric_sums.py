"""Metrics of predicted classes and numbers as functions of sums, and their permutation test."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist.metric_sums import METRICS_OF_CLASSES, METRICS_OF_NUMBERS

PER_CLASS = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "jaccard": metrics.jaccard_score,
}


def scikit_learn(name: str, actual: Any, predicted: Any) -> float:
    """The same metric by scikit-learn, 0 where it is undefined."""
    if name == "matthews_corrcoef":
        return float(metrics.matthews_corrcoef(actual, predicted))
    if name == "balanced_accuracy":  # which warns of a class that only predictions have
        return float(metrics.recall_score(actual, predicted, labels=np.unique(actual), average="macro", zero_division=0))
    base, _, average = name.partition("_")
    return float(PER_CLASS[base](actual, predicted, average=average or "binary", zero_division=0))


def answers(rng: np.random.Generator, n_classes: int, n: int = 120) -> tuple[Any, Any]:
    """Classes, and those that three models predict, right in about 70 %."""
    actual = rng.integers(0, n_classes, n)
    return actual, np.where(rng.random((3, n)) < 0.7, actual, rng.integers(0, n_classes, (3, n)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_classes"), [(name, n) for name in METRICS_OF_CLASSES for n in (2, 5) if n == 2 or name not in PER_CLASS]
)
def test_values_of_resamples_are_scikit_learns(rng: np.random.Generator, name: str, n_classes: int) -> None:
    """To 1e-12 on repeated examples, on few of them with absent classes, and without each cluster."""
    actual, predicted = answers(rng, n_classes)
    statistic = tb.frequentist.metric_of_classes(actual, predicted, name)
    counts = rng.integers(0, 3, (4, 120))
    counts[3] = np.arange(120) < 6
    found = statistic.at(counts)
    for model, row in product(range(3), range(4)):
        again = np.repeat(np.arange(120), counts[row])
        assert found[model, row] == pytest.approx(scikit_learn(name, actual[again], predicted[model][again]), abs=1e-12)
    groups = np.arange(120) % 17
    without = statistic.without(groups, 17)
    for model, group in ((0, 0), (1, 16), (2, 5)):
        rest = groups != group
        assert without[model, group] == pytest.approx(scikit_learn(name, actual[rest], predicted[model][rest]), abs=1e-12)


@pytest.mark.parametrize("name", METRICS_OF_NUMBERS)
def test_values_of_numbers_are_scikit_learns(rng: np.random.Generator, name: str) -> None:
    """To 1e-9 for numbers far from 0, whose sums of squares would cancel."""
    actual = 1e4 + rng.normal(size=80)
    predicted = actual + rng.normal(size=(2, 80)) * [[0.5], [0.7]]
    theirs = {
        "root_mean_squared_error": metrics.root_mean_squared_error,
        "r2": metrics.r2_score,
        "explained_variance": metrics.explained_variance_score,
    }[name]
    counts = rng.integers(0, 3, (3, 80))
    found = tb.frequentist.metric_of_numbers(actual, predicted, name).at(counts)
    for model, row in product(range(2), range(3)):
        again = np.repeat(np.arange(80), counts[row])
        assert found[model, row] == pytest.approx(theirs(actual[again], predicted[model][again]), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("in_clusters", [False, True])
def test_all_permutations_by_hand(rng: np.random.Generator, in_clusters: bool) -> None:
    """Seven examples, or five clusters of twenty: every way for the predictions to change places, by scikit-learn."""
    n = 20 if in_clusters else 7
    actual = np.arange(n) % 2
    predicted = np.where(rng.random((2, n)) < [[0.9], [0.6]], actual, 1 - actual)
    clusters = [f"text {i % 5}" for i in range(n)] if in_clusters else None
    groups = np.arange(n) % 5 if in_clusters else np.arange(n)
    metric = tb.frequentist.metric_of_classes(actual, predicted, "f1")
    found = tb.frequentist.permutation_test_metric(metric, clusters=clusters)
    values = []
    for swap in product((False, True), repeat=int(groups.max()) + 1):
        moved = np.array(swap)[groups]
        a, b = np.where(moved, predicted[1], predicted[0]), np.where(moved, predicted[0], predicted[1])
        values.append(scikit_learn("f1", actual, a) - scikit_learn("f1", actual, b))
    assert found.is_exact
    assert found.n_permutations == len(values)
    assert found.observed == pytest.approx(values[0], abs=1e-12)
    for alternative, count in (
        ("two-sided", np.abs(values) >= abs(values[0]) - 1e-9),
        ("greater", np.array(values) >= values[0] - 1e-9),
        ("less", np.array(values) <= values[0] + 1e-9),
    ):
        assert found.pvalue(alternative) == pytest.approx(np.mean(count), abs=1e-12)  # type: ignore[arg-type]


def test_permutations_of_a_mean_are_sign_flips(rng: np.random.Generator) -> None:
    """For a metric that is a mean the test is that of paired differences: all ways for ten, close for random ones."""
    values = rng.integers(0, 4, size=(2, 10)).astype(float)
    exact = tb.frequentist.permutation_test_metric(tb.frequentist.bootstrap_mean(values))
    flips = tb.frequentist.permutation_test_paired(values[0] - values[1], method="exact")
    assert exact.pvalue() == pytest.approx(flips.pvalue(), abs=1e-12)
    many = rng.integers(0, 4, size=(2, 16)).astype(float)
    drawn = tb.frequentist.permutation_test_metric(tb.frequentist.bootstrap_mean(many), rng=4)
    flips = tb.frequentist.permutation_test_paired(many[0] - many[1], method="exact")
    assert drawn.pvalue() == pytest.approx(flips.pvalue(), abs=0.03)  # five standard errors of 9,999 draws are 0.025


def test_swapped_and_identical_models(rng: np.random.Generator) -> None:
    """The same p-value with the signs turned; the same predictions give 1."""
    actual, predicted = answers(rng, 3)
    metric = tb.frequentist.metric_of_classes(actual, predicted[[0, 1, 1]], "f1_macro")
    one, other = (tb.frequentist.permutation_test_metric(metric, *pair) for pair in ((0, 1), (1, 0)))
    assert one.observed == pytest.approx(-other.observed)
    assert one.pvalue() == other.pvalue()
    assert tb.frequentist.permutation_test_metric(metric, 1, 2).pvalue() == 1.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: f.metric_of_classes([0, 1], [[0, 1]], "kappa"), InvalidParameterError, "unknown metric 'kappa'"),
        (lambda f: f.metric_of_classes([0, 1, 2], [[0, 1, 1]], "f1"), InvalidScoresError, "and there are 3. Take f1_macro"),
        (
            lambda f: f.metric_of_classes([0, 0.5], [[0, 1]], "f1"),
            InvalidScoresError,
            "actual must be numbers of classes: 0, 1 and so on; it holds 0.5",
        ),
        (lambda f: f.metric_of_classes([0, 1], [[0]], "f1"), InvalidScoresError, "one class for each example"),
        (lambda f: f.metric_of_numbers([0, 1], [[0]], "r2"), InvalidScoresError, "one number for each example"),
        (lambda f: f.metric_of_numbers([0, 1], [[0, np.nan]], "r2"), InvalidScoresError, "numbers must be finite"),
        (
            lambda f: f.permutation_test_metric(f.bootstrap_mean(np.eye(2, 3)), clusters=["a"]),
            InvalidScoresError,
            "clusters needs one name for each of the 3 examples",
        ),
    ],
)
def test_wrong_use_says_why(call: Any, error: type[Exception], text: str) -> None:
    """What was met, and what is known."""
    with pytest.raises(error, match=text):
        call(tb.frequentist)
