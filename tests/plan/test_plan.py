"""Models x datasets x splits, decided before anything is measured."""

import platform
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.metrics.scorer import Scorer
from tiebreak.plan.plan import SMALL_DATA, check_rng, describe_model, find_versions, make_plan, threads_for
from tiebreak.plan.record import Cell
from tiebreak.scores.metric import Metric

X = np.arange(80.0).reshape(40, 2)
Y = np.array(["no", "yes"] * 20)
SCORERS = [Scorer(Metric("accuracy", higher_is_better=True), "f")]


def test_cells_of_a_split_follow_one_another():
    """Dataset, split, model: 2 x 3 x 2 cells."""
    plan = make_plan([SVC(), LogisticRegression()], datasets={"a": (X, Y), "b": (X, Y)}, cv=3)
    assert plan.cells() == [Cell(d, s, m) for d in range(2) for s in range(3) for m in range(2)]


def test_the_record_holds_what_identifies_a_run():
    """Labels in sorted order, targets by position, sizes and rows of the splits; by hand for 2 folds of 40."""
    record = make_plan({"svm": SVC()}, X, Y, cv=2).record("r", SCORERS, threads=1, settings={"rope": 0.1})
    (dataset,) = record.datasets
    assert dataset.classes == ("no", "yes")
    assert dataset.target.tolist() == [0, 1] * 20
    assert (dataset.kind, dataset.n_train.tolist(), dataset.n_test.tolist()) == ("stratified", [20, 20], [20, 20])
    assert [rows.tolist() for rows in dataset.test_rows] == [list(range(20)), list(range(20, 40))]
    assert (record.models[0].name, record.models[0].text) == ("svm", "SVC()")
    assert {"python", "numpy", "scipy", "scikit-learn"} <= set(record.versions)
    assert record.n_cells == 2


def test_models_are_written_without_addresses():
    """Estimators as they print themselves, functions by where they are, others by their class, also where they cannot print."""

    class Mine:
        def fit(self, X: Any, y: Any) -> Any: ...

    class Mute(Mine):
        def __repr__(self) -> str:
            raise AttributeError("not fitted")

    def guess(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any: ...

    assert describe_model(SVC(C=2)) == "SVC(C=2)"
    assert describe_model(guess).endswith("test_models_are_written_without_addresses.<locals>.guess")
    assert describe_model(Mine()).endswith("<locals>.Mine object>")
    assert describe_model(Mute()).endswith("<locals>.Mute")
    assert len(describe_model(SVC(kernel="x" * 900))) == 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"X": X, "datasets": {"a": (X, Y)}},
            "datasets= is given, and so is X=. Give either datasets= or X, y and what goes with them.",
        ),
        (
            {"datasets": {"a": (X, Y)} | {"b": (X, Y)}, "cv": [([0, 1], [2])]},
            "cv is a list of splits, which fits one dataset only. With datasets=, pass a number, a name or a splitter.",
        ),
        ({}, "X is missing. Pass X and y, or datasets={name: (X, y)} for several datasets."),
    ],
)
def test_plans_that_cannot_be_are_refused(arguments: dict[str, Any], message: str):
    """Each error says what is wrong and how to go on."""
    assert told(DataError, lambda: make_plan(SVC(), **arguments)) == message


def test_datasets_of_different_tasks_are_refused():
    """A function may be asked for classes and for numbers, but no metric fits both."""

    def function(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any: ...

    message = "dataset 'a' is for classification, but dataset 'b' for regression; no metric fits both."
    assert told(DataError, make_plan, function, datasets={"a": (X, Y), "b": (X, X[:, 0] / 7)}, cv=2) == message


@pytest.mark.parametrize("rng", [-1, 1.5, "0", True])
def test_a_seed_is_a_whole_number(rng: Any):
    """Or a Generator, or None."""
    assert f"rng must be a whole number of at least 0, a Generator or None; got {rng!r}." in told(
        InvalidParameterError, check_rng, rng
    )


def test_seeds_that_are_accepted():
    """None stays None; a Generator gives a number below 2**31."""
    assert (check_rng(None), check_rng(np.int64(7))) == (None, 7)
    assert 0 <= check_rng(np.random.default_rng(0)) < 2**31


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_values", "asked", "n_workers", "threads"),
    [
        (SMALL_DATA, "auto", 1, 1),
        (SMALL_DATA + 2, "auto", 1, 8),
        (SMALL_DATA + 2, "auto", 3, 2),
        (SMALL_DATA + 2, "auto", 16, 1),
        (10, 4, 1, 4),
        (10, None, 1, None),
    ],
)
def test_threads_are_decided_by_the_size_of_the_data(
    n_values: int, asked: Any, n_workers: int, threads: int | None, monkeypatch: pytest.MonkeyPatch
):
    """One for small data, the cores shared among workers for large; 8 cores here."""
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    n = max(4, n_values // 2)
    plan = make_plan(LinearRegression(), np.zeros((n, 2)), np.arange(n) / 3, cv=2)
    assert threads_for(plan, asked, n_workers) == threads


@pytest.mark.parametrize("asked", [0, 10**30])
def test_threads_that_are_no_number_are_refused(asked):
    """By name and value."""
    plan = make_plan(LinearRegression(), X, X[:, 0], cv=2)
    assert f"threads_per_fit must be 'auto', None or a whole number from 1 to 10,000; got {asked}" in told(
        InvalidParameterError, threads_for, plan, asked, 1
    )


def test_python_and_the_packages_of_models_and_their_parts_are_named():
    """By the names under which they are installed; this test's own class comes from no package."""

    class Mine(StandardScaler):
        pass

    versions = find_versions([make_pipeline(Mine(), SVC())])
    assert versions["python"] == platform.python_version()
    assert versions["scikit-learn"] == sklearn.__version__
    assert set(versions) == {"python", "numpy", "scipy", "scikit-learn"}


def test_millions_of_cells_are_counted_and_refused():
    """A thousand models on ten thousand splits."""
    models = {str(C): SVC(C=C) for C in range(1, 1001)}
    assert told(DataError, make_plan, models, X, Y, cv={"kind": "repeated-stratified", "n_repeats": 1000}).startswith(
        "1,000 models on 10,000 splits are 10,000,000 cells; a run has at most 5,000,000."
    )
