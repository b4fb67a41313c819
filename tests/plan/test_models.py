"""Models by name."""

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.guarded import told
from tiebreak.errors import DataError
from tiebreak.plan.candidates import grid
from tiebreak.plan.models import name_models

HOW = (
    "A model is an object with fit and predict (an estimator, a pipeline, a class of your own), a function "
    "(X_train, y_train, X_test, rng) -> predictions, or the result of tb.grid."
)


def majority(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model that is a function."""


@pytest.mark.parametrize(
    ("models", "names"),
    [
        ({"b": SVC(), "a": majority}, ["b", "a"]),
        (SVC(), ["SVC"]),
        ([SVC(), majority], ["SVC", "majority"]),
        ([("b", SVC()), ("a", SVC())], ["b", "a"]),
        ([make_pipeline(StandardScaler(), SVC()), LogisticRegression()], ["SVC", "LogisticRegression"]),
        ([SVC(), grid(LogisticRegression(), {"C": [1, 2]})], ["SVC", "C=1", "C=2"]),
        ({"svm": grid(SVC(), {"kernel": ["rbf", "linear"]}), "lr": LogisticRegression()}, ["svm, rbf", "svm, linear", "lr"]),
    ],
)
def test_models_keep_their_order_and_get_names(models: Any, names: list[str]):
    """Keys of a dict; classes in a list, a pipeline by its last step; those of a grid by what varies."""
    assert list(name_models(models)) == names


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "there are no models to evaluate. Pass {name: model}, where a model is"),
        ([], "there are no models to evaluate. Pass {name: model}, where a model is"),
        ({"a": SVC}, "model 'a' is the class SVC; pass an object of it: SVC()."),
        ({"a": 3}, f"model 'a' is of type int. {HOW}"),
        ({"a": None}, f"model 'a' is of type NoneType. {HOW}"),
        ("svm", f"model 'str' is of type str. {HOW}"),
        ({1: SVC()}, "models has the key 1 of type int; names must be text."),
        (
            [grid(SVC(), {"C": [1]}), grid(LogisticRegression(), {"C": [1]})],
            "more than one model is called 'C=1'. Give each its own name: {name: model}.",
        ),
        ([SVC(C=1), SVC(C=10)], "more than one model is called 'SVC'. Give each its own name: {name: model}."),
        (
            {"f": lambda X, y: X},
            (
                "model 'f' is a function that does not take four arguments. Write it as f(X_train, y_train, X_test, rng) and let "
                "it return the predictions for X_test."
            ),
        ),
    ],
)
def test_what_is_no_model_is_refused(models: Any, message: str):
    """The error names the model and says what one is."""
    assert told(DataError, name_models, models).startswith(message)


def test_an_object_that_cannot_predict_or_say_what_it_is_is_refused():
    """A class of one's own with a slip in the name of its method, or with a parameter of no value."""

    class Mine:
        def fit(self, X: Any, y: Any) -> None: ...

        def predcit(self, X: Any) -> None: ...

    class Mute(Mine):
        predict = Mine.predcit

        def get_params(self, deep: bool = True) -> None:
            raise AttributeError("depth")

    assert "model 'mute' cannot say what it is: AttributeError: depth. Mend" in told(
        DataError, lambda: name_models({"mute": Mute()})
    )
    assert f"model 'mine' (Mine) has fit, but no predict. {HOW}" in told(DataError, lambda: name_models({"mine": Mine()}))
