"""Data as models are given it."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

from tests.guarded import told
from tiebreak.errors import DataError
from tiebreak.plan.data import check_dataset, check_datasets, cut, find_task, take_rows

TABLE = np.arange(12.0).reshape(6, 2)
TARGET = np.array([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    "X",
    [
        TABLE,
        TABLE.tolist(),
        sparse.coo_matrix(TABLE),
        sparse.csr_array(TABLE),
        pd.DataFrame(TABLE, index=list("fedcba")),
        pl.DataFrame(TABLE),
    ],
    ids=["array", "list", "coo", "csr array", "pandas", "polars"],
)
def test_rows_are_taken_by_position_from_every_kind_of_table(X: Any):
    """Rows 4 and 1 of the same numbers, whatever holds them; the index of a frame plays no part."""
    data = check_dataset(X, TARGET)
    taken = take_rows(data.X, np.array([4, 1]))
    dense = taken.toarray() if hasattr(taken, "toarray") else np.asarray(taken)
    assert dense.tolist() == [[8.0, 9.0], [2.0, 3.0]]
    assert (data.n_samples, data.n_features) == (6, 2)


def test_a_list_of_texts_is_a_column():
    """Text pipelines are given texts, not tables."""
    data = check_dataset(["a b", "b c", "c d"], [0, 1, 0])
    assert (data.n_features, take_rows(data.X, np.array([2]))[0]) == (1, "c d")


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["no", "yes"] * 3, "U"),
        (pd.Series([1, 0] * 3), "i"),
        (pd.Series(["a", "b"] * 3, dtype="category"), "O"),
        (np.array([True, False] * 3, dtype=object), "b"),
        (TARGET.reshape(-1, 1), "i"),
    ],
)
def test_targets_become_one_column(y: Any, kind: str):
    """Lists, series, categories, objects of one type and a single column are all one value for each example."""
    target = check_dataset(TABLE, y).y
    assert (target.shape, target.dtype.kind) == ((6,), kind)


def test_what_goes_along_is_cut_with_the_rows():
    """An array of six values is cut; a number, a text and a list of another length stay."""
    data = check_dataset(TABLE, TARGET, sample_weight=range(6), fit_params={"rate": 0.1, "name": "abcdef", "other": [1, 2]})
    rows = np.array([5, 0])
    assert {name: np.asarray(cut(value, 6, rows)).tolist() for name, value in data.fit_params.items()} == {
        "sample_weight": [5, 0],
        "rate": 0.1,
        "name": "abcdef",
        "other": [1, 2],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, TARGET), "X is missing. Pass X and y, or datasets={name: (X, y)} for several datasets."),
        ((TABLE, None), "y is missing. Pass X and y, or datasets={name: (X, y)} for several datasets."),
        ((TABLE, TARGET[:5]), "X has 6 rows, but y has 5. Each example needs one value."),
        ((TABLE[:1], [1]), "X has 1 row(s). At least 2 are needed: one to train on and one to test."),
        ((TABLE, [0, 1, np.nan, 1, 0, 1]), "y is nan in row 2. Leave out examples whose target is not known."),
        ((TABLE, ["a", None, "b", "a", "b", "a"]), "y is None in row 1. Leave out examples whose target is not known."),
        (
            (TABLE, np.array(["a", 1, "b", "a", "b", "a"], dtype=object)),
            "y holds labels of type int and str. Make them all text or all numbers.",
        ),
        ((TABLE, np.array([b"a", b"b"] * 3)), "y is of type |S1; classes as texts or whole numbers, or numbers, are needed."),
        ((TABLE, TARGET + 1j), "y is of type complex128; classes as texts or whole numbers, or numbers, are needed."),
        ((TABLE, np.zeros((6, 2, 2))), "y has shape (6, 2, 2); one value for each example is needed."),
        ((3, TARGET), "X is of type int; an array, sparse matrix or data frame is needed."),
        ((pl.LazyFrame(TABLE), TARGET), "X is lazy (LazyFrame). Pass the result of its collect()."),
    ],
)
def test_data_that_cannot_be_used_are_refused(arguments: tuple[Any, Any], message: str):
    """Each error says what is wrong, where, and how to go on."""
    assert told(DataError, check_dataset, *arguments) == message


@pytest.mark.parametrize(
    ("along", "message"),
    [
        ({"groups": [1, 1, np.nan, 2, 2, 2]}, "groups is nan in row 2. Leave out examples whose group is not known"),
        ({"groups": ["a", None, *"bbbb"]}, "groups is None in row 1. Leave out examples whose group is not known"),
        ({"groups": pd.Series([1, *"abbbb"])}, "groups cannot be put in order: '<' not supported between instances of"),
        ({"sample_weight": [1, 1, 1, 1, np.inf, 1]}, "sample_weight is inf in row 4. Leave out examples whose weight is"),
        ({"groups": [1, 2]}, "X has 6 rows, but groups has 2"),
        ({"sample_weight": np.ones(7)}, "X has 6 rows, but sample_weight has 7"),
        ({"sample_weight": np.ones(6), "fit_params": {"sample_weight": np.ones(6)}}, "sample_weight is given twice"),
        ({"sample_weight": ["a"] * 6}, "sample_weight is of type <U1; one number for each example is needed."),
        ({"fit_params": 3}, "fit_params=3 is no dict of what fit is given besides, by name."),
        ({"fit_params": {1: 2}}, "fit_params={1: 2} is no dict of what fit is given besides, by name."),
    ],
)
def test_groups_and_weights_that_say_nothing_are_refused(along: dict[str, Any], message: str):
    """A group that is not known would be one of its own, and a weight that is none would fail in every fit."""
    assert told(DataError, check_dataset, TABLE, TARGET, **along).startswith(message)


def test_a_classifier_needs_classes():
    """Numbers with a fraction are what a regressor predicts; whole ones may be classes, in floats too."""
    assert told(DataError, lambda: find_task({"m": LogisticRegression()}, TARGET / 2)).startswith(
        "model 'm' is a classifier, and y holds numbers that are no classes, such as 0.5."
    )
    assert find_task({"m": LogisticRegression()}, TARGET * 1.0) == "classification"


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ([(TABLE, TARGET)], "datasets must be a dict; got list. Pass datasets={name: (X, y)} or {name: (X, y, groups)}."),
        ({}, "datasets is empty. Pass datasets={name: (X, y)} or {name: (X, y, groups)}."),
        ({1: (TABLE, TARGET)}, "datasets has the key 1 of type int; names must be text."),
        ({"a": TABLE}, "dataset 'a' is given as ndarray. Pass datasets={name: (X, y)} or {name: (X, y, groups)}."),
        ({"a": (TABLE,)}, "dataset 'a' is given as 1 parts. Pass datasets={name: (X, y)} or {name: (X, y, groups)}."),
        ({"a": (TABLE, TARGET[:2])}, "X of dataset 'a' has 6 rows, but y has 2. Each example needs one value."),
    ],
)
def test_datasets_that_cannot_be_used_are_refused(datasets: Any, message: str):
    """The error names the dataset."""
    assert told(DataError, check_datasets, datasets) == message


def function(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model of which nothing is known."""


@pytest.mark.parametrize(
    ("models", "y", "task"),
    [
        ({"a": LogisticRegression()}, [1.0, 2.0], "classification"),
        ({"a": LinearRegression(), "f": function}, [0, 1], "regression"),
        ({"f": function}, ["a", "b"], "classification"),
        ({"f": function}, [0, 1], "classification"),
        ({"f": function}, [0.5, 1.5], "regression"),
        ({"f": object()}, np.array([[0, 1], [1, 0]]), "other"),
    ],
)
def test_the_task_is_what_the_models_say_else_what_the_target_looks_like(models: Any, y: Any, task: str):
    """scikit-learn's tags first, then its `type_of_target`."""
    assert find_task(models, np.asarray(y)) == task


def test_classifiers_and_regressors_cannot_be_mixed():
    """No metric fits both."""
    assert "model 'a' is a classifier and model 'b' a regressor" in told(
        DataError, lambda: find_task({"a": LogisticRegression(), "b": LinearRegression()}, TARGET)
    )


MASKED = np.ma.array(TARGET, mask=[0, 0, 0, 0, 1, 0])


@pytest.mark.parametrize(
    ("what", "given"),
    [
        ("y", {"y": MASKED}),
        ("X", {"X": np.ma.masked_equal(TABLE, 8)}),
        ("groups", {"groups": MASKED}),
        ("sample_weight", {"sample_weight": MASKED}),
    ],
)
def test_masked_values_are_refused(what: str, given: dict[str, Any]):
    """An array without its mask would be learnt from as if nothing were missing."""
    text = told(DataError, lambda: check_dataset(**{"X": TABLE, "y": TARGET, **given}))
    assert text.startswith(f"{what} is masked in row 4. Leave such examples out, or fill")
