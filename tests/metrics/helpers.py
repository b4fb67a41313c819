"""A model that answers what it is told to, scored by our formulas and by scikit-learn's own scorers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if

from tiebreak.evaluation.cell import outputs_of
from tiebreak.metrics.scorer import resolve_scorers
from tiebreak.metrics.targets import Truth, UndefinedScore, make_truth

Array = np.ndarray[Any, Any]

LABELS: dict[str, list[Any]] = {
    "range": [0, 1, 2, 3],
    "signs": [-1, 1],
    "one and two": [1, 2],
    "truth values": [False, True],
    "floats": [0.0, 1.0, 2.0],
    "gaps": [-7, 1, 1000],
    "text": ["maybe", "no", "yes"],
    "two texts": ["no", "yes"],
    "objects": ["a", "bb", "ccc"],
}


def label_array(kind: str, n_classes: int) -> Array:
    """The first labels of a kind."""
    return np.array(LABELS[kind][:n_classes], dtype=object if kind == "objects" else None)


def has(method: str) -> Any:
    """Makes a method be there only if the model was given an answer for it."""
    return available_if(lambda model: method in model.answers)


class Told(BaseEstimator):
    """Answers by method, whatever X is."""

    def __init__(self, answers: Mapping[str, Array], classes: Array | None = None) -> None:
        self.answers = answers
        self.classes = classes
        self.classes_ = classes

    def fit(self, X: Any, y: Any) -> Told:
        return self

    @has("predict")
    def predict(self, X: Any) -> Array:
        return self.answers["predict"]

    @has("predict_proba")
    def predict_proba(self, X: Any) -> Array:
        return self.answers["predict_proba"]

    @has("decision_function")
    def decision_function(self, X: Any) -> Array:
        return self.answers["decision_function"]


class ToldClassifier(ClassifierMixin, Told):
    """Of classes."""


class ToldRegressor(RegressorMixin, Told):
    """Of numbers."""


def truth_of(y: Array, classes: Array) -> Truth:
    """The truth of test rows of a dataset that has all these classes."""
    everything = np.concatenate((classes, y))
    return make_truth(everything, classifier=True).take(np.arange(classes.size, everything.size))


def ours(name: str, truth: Truth, answers: Mapping[str, Array], model_classes: Array | None = None) -> float | str:
    """Our value in scikit-learn's sign, or the reason why there is none."""
    of_classes = truth.classes is not None
    n_classes = truth.classes.size if truth.classes is not None else None
    (scorer,) = resolve_scorers(name, classifier=of_classes, n_classes=n_classes)
    assert scorer.needs, f"{name} has no formula"
    try:
        answered = [method for method in scorer.needs if method in answers][:1]
        outputs = outputs_of({method: answers[method] for method in answered}, Told(answers, model_classes), truth)
        value = scorer.score(truth, outputs)
    except UndefinedScore as reason:
        return str(reason)
    assert type(value) is float
    return value * scorer.metric.sign


def theirs(name: str, y: Array, answers: Mapping[str, Array], classes: Array | None = None) -> float | None:
    """The value of scikit-learn's scorer; None where it raises or gives nan."""
    model = ToldRegressor(answers) if classes is None else ToldClassifier(answers, classes)
    return quietly(lambda: get_scorer(name)(model, np.zeros((len(y), 1)), y))


def quietly(compute: Any) -> float | None:
    """A value without scikit-learn's warnings; None for an error of its or nan."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = float(compute())
        except ValueError:
            return None
    return None if np.isnan(value) else value


def same(value: float) -> Any:
    """Equal to 1e-12, relative plus absolute."""
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@st.composite
def codes(draw: st.DrawFn, n: int, n_classes: int) -> Array:
    """Positions of classes: any, or all the same."""
    if draw(st.booleans()):
        return np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    return np.full(n, draw(st.integers(0, n_classes - 1)))


@st.composite
def classified(draw: st.DrawFn, *, kinds: tuple[str, ...] = tuple(LABELS), min_classes: int = 2) -> tuple[Array, Array]:
    """Labels of some test rows, and all classes."""
    kind = draw(st.sampled_from([kind for kind in kinds if len(LABELS[kind]) >= min_classes]))
    classes = label_array(kind, draw(st.integers(min_classes, len(LABELS[kind]))))
    return classes[draw(codes(draw(st.integers(1, 25)), classes.size))], classes


def parts(steps: int | None = None) -> st.SearchStrategy[float]:
    """Numbers from 0 to 1: any, or few different ones."""
    return st.floats(0, 1, allow_subnormal=False) if steps is None else st.integers(0, steps).map(lambda i: i / steps)
