"""Candidates of a search are named by what varies."""

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, UnknownNameError
from tiebreak.plan.candidates import grid, name_candidates


def names(grid: Any) -> list[str]:
    """Of a grid as scikit-learn runs through it, with keys sorted."""
    return list(name_candidates(list(ParameterGrid(grid)))[0])


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        # the gallery's
        (
            [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}],
            ["linear", "poly, degree=2", "poly, degree=3", "rbf"],
        ),
        ({"C": [0.1, 1, 10]}, ["C=0.1", "C=1", "C=10"]),
        ({"C": [1], "kernel": ["rbf", "linear"]}, ["rbf", "linear"]),
        ({"C": [1, 2], "kernel": ["rbf", "linear"]}, ["rbf, C=1", "linear, C=1", "rbf, C=2", "linear, C=2"]),
        (
            {"gamma": ["scale", "auto"], "kernel": ["rbf", "poly"]},
            ["gamma=scale, kernel=rbf", "gamma=scale, kernel=poly", "gamma=auto, kernel=rbf", "gamma=auto, kernel=poly"],
        ),
        # text among numbers is no text parameter
        ({"max_features": ["sqrt", 0.5, None]}, ["max_features=sqrt", "max_features=0.5", "max_features=None"]),
        ({"clf__C": [1, 2], "clf__kernel": ["rbf"]}, ["C=1", "C=2"]),
        ({"clf__C": [1, 2], "scale__C": [3, 4]}, [f"clf__C={c}, scale__C={s}" for c in (1, 2) for s in (3, 4)]),
        ({"shuffle": [True, False]}, ["shuffle=True", "shuffle=False"]),
        ({"layers": [(100,), (50, 50)]}, ["layers=(100)", "layers=(50, 50)"]),
        ({"clf": [SVC(), LogisticRegression()]}, ["clf=SVC", "clf=LogisticRegression"]),
        ({"scaler": ["passthrough", StandardScaler()]}, ["scaler=passthrough", "scaler=StandardScaler"]),
        ({"dtype": [np.float32, np.float64]}, ["dtype=float32", "dtype=float64"]),
        ({"weights": [np.array([1, 2]), np.array([2, 1])]}, ["weights=[1, 2]", "weights=[2, 1]"]),
        ({"C": np.logspace(-2, 2, 3)}, ["C=0.01", "C=1", "C=100"]),
        ({"n": np.arange(2)}, ["n=0", "n=1"]),
        # a parameter that only some have, with one value there
        ([{"kernel": ["rbf"], "gamma": [0.1]}, {"kernel": ["linear"]}], ["rbf", "linear"]),
        # the same values but for having the parameter at all
        ([{"C": [1, 2]}, {"C": [1, 2], "gamma": [0.1]}], ["C=1", "C=2", "C=1, gamma=0.1", "C=2, gamma=0.1"]),
        ([{}, {"C": [5]}], ["default", "C=5"]),
        # a value that reads like another candidate's name, or like nothing
        ([{}, {"mode": ["default"]}], ["default", "mode=default"]),
        ({"prefix": ["", "x"]}, ["''", "x"]),
        # a single candidate is named by all it has
        ({"C": [1], "kernel": ["rbf"]}, ["rbf, C=1"]),
        ({}, ["default"]),
    ],
)
def test_names(grid: Any, expected: list[str]) -> None:
    """By what varies, a single text first."""
    assert names(grid) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.1 + 1e-9], ["x=0.1", "x=0.100000001"]),
        ([0.1, np.nextafter(0.1, 1)], ["x=0.1", "x=0.10000000000000002"]),
        ([1, 1.0], ["x=1", "x=1.0"]),
        ([1, True], ["x=1", "x=True"]),
        ([1, "1"], ["x=1", "x='1'"]),
        ([SVC(C=1), SVC(C=2)], ["x=SVC(C=1)", "x=SVC(C=2)"]),
        ([lambda _: 1, lambda _: 2], ["x=<lambda>", "x=<lambda> (2)"]),
        ([np.float64(0.5), 0.25], ["x=0.5", "x=0.25"]),
        ([1e-300, 1e300], ["x=1e-300", "x=1e+300"]),
        (["a" * 60, "b"], ["a" * 60, "b"]),
    ],
)
def test_values_stay_distinct(values: list[Any], expected: list[str]) -> None:
    """As short as that allows."""
    found, doubled = name_candidates([{"x": value} for value in values])
    assert list(found) == expected
    assert doubled == []


def test_order_of_parameters_is_that_of_the_candidates() -> None:
    """Dicts that are not sorted, as other libraries write them."""
    found, _ = name_candidates([{"z": 1, "a": 1}, {"z": 2, "m": 5, "a": 2}, {"z": 2, "m": 6, "a": 2}])
    assert found == ("z=1, a=1", "z=2, a=2, m=5", "z=2, a=2, m=6")


def test_duplicates_are_numbered_and_named() -> None:
    """A random search may draw the same twice."""
    found, doubled = name_candidates([{"C": 1}, {"C": 2}, {"C": 1}, {"C": 1.5}, {"C": 1}])
    assert found == ("C=1", "C=2", "C=1 #2", "C=1.5", "C=1 #3")
    assert doubled == ["C=1"]


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False), st.text("ab #2", max_size=3))


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from(["a", "p__b", "q__b", "c"]), VALUES, max_size=4), min_size=1, max_size=8))
def test_names_are_always_unique(params: list[dict[str, Any]]) -> None:
    """Whatever the grid; and a name is numbered only if a candidate was there before."""
    found, doubled = name_candidates(params)
    assert len(found) == len(set(found)) == len(params)
    distinct = {repr(sorted(each.items())) for each in params}
    if len(distinct) == len(params):
        assert doubled == []


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


def test_values_that_cannot_be_copied_are_refused():
    """Each candidate gets its own; a lock or an open file belongs to one process."""
    with pytest.raises(DataError, match=r"candidate '.*' of the grid cannot be made, as its values have to be copied"):
        tb.grid(SVC(), {"C": [threading.Lock(), 1.0]})


@pytest.mark.parametrize(
    ("estimator", "parameters", "error", "message"),
    [
        (SVC, {"C": [1]}, DataError, "grid needs an estimator with set_params, such as SVC(); got one the class SVC."),
        (3, {"C": [1]}, DataError, "grid needs an estimator with set_params, such as SVC(); got one of type int."),
        (SVC(), {"gama": [1]}, UnknownNameError, "no parameter of SVC is called 'gama': did you mean 'gamma'?"),
        (SVC(), {"C": 1}, DataError, "the grid cannot be used: "),
        (SVC(), {"C": []}, DataError, "the grid cannot be used: "),
        (
            make_pipeline(SVC()),
            {"svm__C": [1]},
            UnknownNameError,
            "no parameter of Pipeline is called 'svm__C': did you mean 'svc__C'",
        ),
        (make_pipeline(SVC()), {"svc": [SVC()], "svc__c": [1]}, DataError, "the grid does not fit Pipeline: "),
        (
            SVC(),
            {"C": [1, 1]},
            DataError,
            "the grid holds the same candidate more than once: 'default'. Leave the copies out.",
        ),
    ],
)
def test_a_grid_that_cannot_be_is_refused(estimator: Any, parameters: Any, error: type[Exception], message: str):
    """Each error says what is wrong and how to go on."""
    assert told(error, grid, estimator, parameters).startswith(message)


def test_a_grid_of_millions_is_counted_and_refused():
    """300^3 candidates, before any is built."""
    many = list(range(300))
    assert told(DataError, lambda: grid(SVC(), {"C": many, "gamma": many, "tol": many})).startswith(
        "the grid has 27,000,000 candidates; at most 100,000 are measured at a time."
    )
