"""Candidates of a grid as models."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import tiebreak as tb
from tiebreak.errors import InvalidPlanError, UnknownNameError
from tiebreak.plan.grid import grid

MOONS = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]


def test_names_are_those_of_the_candidates_of_a_search():
    """The gallery's grid; a fitted search over it is read with the same names."""
    X, y = [[0.0], [1.0], [0.1], [0.9], [0.2], [0.8], [0.3], [0.7]], [0, 1, 0, 1, 0, 1, 0, 1]
    search = GridSearchCV(SVC(), MOONS, cv=2, scoring="accuracy").fit(X, y)
    models = grid(SVC(), MOONS)
    assert list(models) == ["linear", "poly, degree=2", "poly, degree=3", "rbf"]
    assert set(models) == set(tb.read_scores(search, X=X, y=y).models)
    assert [model.get_params()["degree"] for model in models.values()] == [3, 2, 3, 3]


def test_the_estimator_is_left_as_it_was():
    """Each candidate is a copy with copies of the parts."""
    pipeline = make_pipeline(StandardScaler(), SVC(C=7))
    models = grid(pipeline, {"svc__C": [1, 2]})
    assert pipeline[-1].C == 7
    assert [model[-1].C for model in models.values()] == [1, 2]
    assert models["C=1"][0] is not models["C=2"][0]


def test_a_part_is_set_before_its_own_parameters():
    """The step is exchanged first, whatever the order of the names, so that the new one gets the value."""
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", LogisticRegression())])
    models = grid(pipeline, [{"clf": [SVC()], "clf__C": [3.0]}, {"scale": [MinMaxScaler()], "clf__C": [4.0]}])
    assert [type(model[-1]).__name__ for model in models.values()] == ["SVC", "LogisticRegression"]
    assert [model[-1].C for model in models.values()] == [3.0, 4.0]


@pytest.mark.parametrize(
    ("estimator", "parameters", "error", "message"),
    [
        (SVC, {"C": [1]}, InvalidPlanError, "grid needs an estimator with set_params, such as SVC(); got one the class SVC."),
        (3, {"C": [1]}, InvalidPlanError, "grid needs an estimator with set_params, such as SVC(); got one of type int."),
        (SVC(), {"gama": [1]}, UnknownNameError, "no parameter of SVC is called 'gama': did you mean 'gamma'?"),
        (SVC(), {"C": 1}, InvalidPlanError, "the grid cannot be used: "),
        (SVC(), {"C": []}, InvalidPlanError, "the grid cannot be used: "),
        (
            make_pipeline(SVC()), {"svm__C": [1]}, UnknownNameError,
            "no parameter of Pipeline is called 'svm__C': did you mean 'svc__C'",
        ),
        (make_pipeline(SVC()), {"svc": [SVC()], "svc__c": [1]}, InvalidPlanError, "the grid does not fit Pipeline: "),
        (
            SVC(), {"C": [1, 1]}, InvalidPlanError,
            ("the grid holds the same candidate more than once: 'default' was searched more than once; the copies are numbered "
            "(#2, ...). Leave the copies out."),
        ),
    ],
)  # fmt: skip
def test_a_grid_that_cannot_be_is_refused(estimator: Any, parameters: Any, error: type[Exception], message: str):
    """Each error says what is wrong and how to go on."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        grid(estimator, parameters)
