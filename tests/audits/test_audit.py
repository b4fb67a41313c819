"""The audit as a whole: clean data, real data, what it takes, and what it refuses."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

import tiebreak as tb
from tests.audits.data import classes, numbers
from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "validity" / "audit.py"


@pytest.mark.slow
def test_clean_sets_raise_no_more_alarms_than_promised() -> None:
    """44 sets of the 200 that the script draws, each design four times; at most 5 % may raise anything above a note."""
    script = runpy.run_path(str(SCRIPT))
    raised = script["alarms"](script["clean_sets"](44))
    assert len(raised) <= 2, [(data.label, [finding.text for finding in found]) for data, found in raised]


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes])
@pytest.mark.parametrize("cv", ["default", "int", "kfold", "stratified", "repeated", "shuffle", "loo"])
def test_real_data_are_clean_with_the_usual_splitters(load: Any, cv: str) -> None:
    """Nothing above a note; on iris the one duplicate is that note."""
    X, y = load(return_X_y=True)
    is_regression = load is load_diabetes
    splitters = {
        "default": None,
        "int": 5,
        "kfold": KFold(10, shuffle=True, random_state=0),
        "stratified": KFold(5, shuffle=True, random_state=1) if is_regression else StratifiedKFold(10),
        "repeated": (RepeatedKFold if is_regression else RepeatedStratifiedKFold)(n_splits=10, n_repeats=3, random_state=0),
        "shuffle": ShuffleSplit(10, random_state=0),
        "loo": LeaveOneOut(),
    }
    audit = tb.audit(X, y, splitters[cv])
    assert audit.at_least("warning") == ()
    assert ("duplicate-rows" in [finding.code for finding in audit.findings]) == (load is load_iris)


def test_the_gravest_findings_come_first_and_can_be_asked_for() -> None:
    """Iris, sorted by class, in three unshuffled folds; where nothing was found nothing is the worst."""
    audit = tb.audit(*load_iris(return_X_y=True), KFold(3))
    assert [finding.severity for finding in audit.findings] == ["error", "warning", "warning"]
    assert audit.worst == "error"
    assert [finding.code for finding in audit.at_least("error")] == ["class-missing-in-training"]
    clean = tb.audit(*numbers(60), KFold(3), groups=np.arange(60) // 2, task="regression")  # whole groups, by chance
    assert (clean.worst, clean.at_least("note"), clean.task) == (None, (), "regression")


def test_every_check_says_what_it_found_or_why_it_was_not_done() -> None:
    """Without groups, time and deep these checks have nothing to look at."""
    checks = {check.what: check.why_not for check in tb.audit(*classes(), "stratified").checks}
    assert {why for why in checks.values() if why} == {
        "no groups were given",
        "no time was given",
        "only with deep=True (--deep)",
    }
    assert checks["single columns that tell the target"] == ""


def test_the_splits_are_those_of_evaluate() -> None:
    """Names, seeds and defaults mean the same."""
    from sklearn.dummy import DummyClassifier

    X, y = classes(60)
    evaluation = tb.evaluate({"any": DummyClassifier()}, X, y, cv={"kind": "stratified", "n_folds": 3}, rng=7)
    folds = tb.audit(X, y, {"kind": "stratified", "n_folds": 3}, rng=7).folds
    rows = evaluation.record.datasets[0].test_rows
    assert [np.bincount(y[each]).tolist() for each in rows] == folds.counts[:-1].tolist()


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.arange(60) % 3, "classification"),
        (np.array(["a", "b"] * 30), "classification"),
        (np.arange(60) % 2 == 0, "classification"),
        (np.arange(60.0), "regression"),
        (np.arange(60) % 30, "regression"),
        (np.linspace(0, 1, 60), "regression"),
        (np.ones((60, 2), dtype=int), "other"),
    ],
)
def test_what_the_target_is_taken_for(y: np.ndarray, task: str) -> None:
    """More than twenty different whole numbers among 60 rows are no classes."""
    assert tb.audit(np.random.default_rng(0).normal(size=(60, 2)), y, KFold(3, shuffle=True, random_state=0)).task == task


def test_several_targets_and_lazy_kinds_of_tables() -> None:
    """Rows of labels are checked for what does not need a single one; polars frames are read as they are."""
    X, y = classes(60)
    audit = tb.audit(pl.DataFrame(X), np.column_stack([y, y]), KFold(3))
    assert next(c.why_not for c in audit.checks if c.what == "folds like the whole") == (
        "the target is not one class or number for each row"
    )


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            {"groups": [1, 2]},
            DataError,
            "X has 60 rows, but groups has 2. Each example needs one value.",
        ),
        (
            {"cv": {"kind": "stratified", "n_folds": 40}},
            DataError,
            ("StratifiedKFold could not split the data: n_splits=40 cannot be greater than the number of members in each class."),
        ),
        (
            {"cv": 1.5},
            DataError,
            (
                "cv=1.5 makes no splits. Pass a whole number of at least 2, a name such as 'repeated-stratified', "
                "a splitter of scikit-learn, or pairs (training rows, test rows)."
            ),
        ),
        (
            {"task": "ranking"},
            InvalidParameterError,
            "task='ranking' is not known. Pass 'classification', 'regression' or nothing.",
        ),
        (
            {"y": np.append(np.zeros(59), np.nan)},
            DataError,
            "y is nan in row 59. Leave out examples whose target is not known.",
        ),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], error: type[Exception], message: str) -> None:
    """As `evaluate` refuses it."""
    X, y = classes(60)
    assert told(error, tb.audit, **{"X": X, "y": y, "cv": 5} | given) == message
