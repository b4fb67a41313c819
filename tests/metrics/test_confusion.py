"""Confusion matrices from arrays, and what can be read off them; scikit-learn is the other opinion."""

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from tests.guarded import told
from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.confusion import ConfusionMatrix, confusion_matrix

labels = st.sampled_from(["a", "b", "c"])
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=30)

refused = partial(told, InvalidParameterError)
"""The text of the error."""


@pytest.mark.slow
@given(pairs, st.sampled_from([0.5, 1.0, 2.0]))
def test_everything_is_as_scikit_learn_has_it(data: list[tuple[str, str]], beta: float) -> None:
    """Counts, accuracy, balanced accuracy, MCC, and precision, recall and F-beta with zero_division=0."""
    y, p = [each for each, _ in data], [each for _, each in data]
    matrix = confusion_matrix(y, p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one label only
        np.testing.assert_array_equal(matrix.counts, sk.confusion_matrix(y, p, labels=list(matrix.labels)))
        assert matrix.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(y, p), abs=1e-12)
        assert matrix.mcc == pytest.approx(sk.matthews_corrcoef(y, p), abs=1e-12)
    assert matrix.accuracy == pytest.approx(sk.accuracy_score(y, p), abs=1e-12)
    per_class = sk.precision_recall_fscore_support(y, p, beta=beta, zero_division=0)
    for ours, theirs in zip((matrix.precision, matrix.recall, matrix.f_beta(beta)), per_class, strict=False):
        np.testing.assert_allclose(np.nan_to_num(ours), theirs, atol=1e-12)
    for average in ("micro", "macro", "weighted"):
        theirs = sk.precision_recall_fscore_support(y, p, beta=beta, average=average, zero_division=0)[:3]
        assert matrix.averaged(average, beta) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.slow
@given(pairs)
def test_shares_are_scikit_learns_but_for_what_is_undefined(data: list[tuple[str, str]]) -> None:
    """scikit-learn writes 0 for a class that never occurs, which would read as a rate."""
    y, p = [each for each, _ in data], [each for _, each in data]
    matrix = confusion_matrix(y, p)
    for by, name in (("actual", "true"), ("predicted", "pred"), ("all", "all")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of one label only
            theirs = sk.confusion_matrix(y, p, labels=list(matrix.labels), normalize=name)
        np.testing.assert_allclose(np.nan_to_num(matrix.normalised(by)), theirs, atol=1e-12)
    assert np.isnan(matrix.normalised("actual")).any(axis=1).tolist() == (matrix.support == 0).tolist()
    assert np.isnan(matrix.normalised("predicted")).any(axis=0).tolist() == (matrix.predicted == 0).tolist()


@pytest.mark.slow
@given(pairs, pairs)
def test_matrices_of_two_parts_add_up_to_that_of_the_whole(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    """Which is how folds are pooled."""
    parts = [confusion_matrix(*zip(*data, strict=True), labels=["a", "b", "c"]) for data in (one, other)]
    whole = confusion_matrix(*zip(*(one + other), strict=True), labels=["a", "b", "c"])
    np.testing.assert_array_equal((parts[0] + parts[1]).counts, whole.counts)


def test_averages_are_the_metrics_of_evaluate() -> None:
    """A class that a fold has neither as label nor as prediction is left out of the mean, as in f1_macro."""
    matrix = confusion_matrix(["a", "b", "b"], ["a", "a", "b"], labels=["a", "b", "absent"])
    assert matrix.averaged("macro").f_beta == pytest.approx(sk.f1_score(["a", "b", "b"], ["a", "a", "b"], average="macro"))
    assert np.isnan(matrix.f_beta()[2])


def test_what_is_undefined_has_a_reason() -> None:
    """A class that is never predicted, one without examples, and one that is neither."""
    matrix = ConfusionMatrix(("x", "y", "z"), np.array([[3, 0, 0], [1, 0, 0], [0, 0, 0]]))
    assert [notice.text for notice in matrix.notices[1:]] == [
        "the precision of class 'y' is undefined: it is never predicted",
        "the precision of class 'z' is undefined: it is never predicted",
        "the recall of class 'z' is undefined: there is no example of it",
        "the f_beta of class 'z' is undefined: it neither occurs nor is predicted",
    ]
    assert np.isnan([matrix.precision[1], matrix.recall[2], matrix.f_beta()[2]]).all()
    assert matrix.f_beta()[1] == 0


def test_an_accuracy_that_does_not_beat_the_majority_is_said_so() -> None:
    """3 of 4 right, and 3 of 4 are of one class; with one more right the warning is gone."""
    constant = ConfusionMatrix(("no", "yes"), np.array([[3, 0], [1, 0]]))
    assert [notice.code for notice in constant.notices] == ["majority-class", "undefined-metric"]
    assert constant.notices[0].text == (
        "the accuracy of 0.75 equals the 0.75 of always predicting 'no', the most frequent class: it does not show that "
        "anything was learnt"
    )
    assert "is below" in ConfusionMatrix(("no", "yes"), np.array([[2, 1], [1, 0]])).notices[0].text
    assert ConfusionMatrix(("no", "yes"), np.array([[3, 0], [0, 1]])).notices == ()


def test_an_empty_matrix_has_no_numbers() -> None:
    """Nothing was predicted, so nothing is 0."""
    matrix = ConfusionMatrix((0, 1), np.zeros((2, 2)))
    numbers = (matrix.accuracy, matrix.majority_rate, matrix.balanced_accuracy, matrix.mcc, matrix.no_information_rate)
    assert np.isnan([*numbers, *matrix.averaged("macro"), *matrix.averaged("weighted")]).all()
    assert all(notice.code == "undefined-metric" for notice in matrix.notices)


def test_labels_keep_the_order_that_is_given() -> None:
    """And are sorted where none is given; numpy's labels become Python's."""
    matrix = confusion_matrix(["b", "a"], ["b", "b"], labels=["b", "a"])
    assert (matrix.labels, matrix.counts.tolist()) == (("b", "a"), [[1, 0], [1, 0]])
    assert confusion_matrix(np.array([2, 1]), np.array([2, 2])).labels == (1, 2)
    assert type(confusion_matrix(np.array([2, 1]), np.array([2, 2])).labels[0]) is int


def test_a_column_and_mixed_types_are_understood() -> None:
    """A column of labels is what some data frames give; objects are compared one by one."""
    objects = np.array(["a", "b"], dtype=object)
    assert confusion_matrix([["a"], ["b"]], objects).counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([0, 1], [0]), "y_true has 2 labels and y_pred 1; one of each is needed per example."),
        (([], []), "y_true must hold one label for each example; got none."),
        (([[0, 1]], [0, 1]), "y_true must hold one label for each example; got an array of shape (1, 2)."),
        (([0.0, np.nan], [0, 1]), "y_true[1] is missing (nan). Leave out examples without a label."),
        ((["a", "b"], ["a", None]), "y_pred[1] is missing (None). Leave out examples without a label."),
        (
            (["a"], np.array([1], dtype=object)),
            "labels of the types 'int' and 'str' cannot be put in order. Make them all text or all numbers.",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments: tuple[Any, Any], text: str) -> None:
    """Where, what, and how to go on."""
    assert refused(lambda: confusion_matrix(*arguments)) == text


@pytest.mark.parametrize(
    ("given_labels", "text"),
    [
        (
            ["a", "c"],
            "y_true holds 'b', which is not among the labels 'a' and 'c'. Add it to labels, or leave those examples out.",
        ),
        (["a", "a"], "the label 'a' stands twice in labels."),
        ([], "labels must name at least one class, and none may be nan or None; got []."),
    ],
)
def test_labels_that_do_not_fit_are_refused(given_labels: list[str], text: str) -> None:
    """scikit-learn drops examples of other labels without a word."""
    assert refused(lambda: confusion_matrix(["a", "b"], ["a", "a"], labels=given_labels)) == text


def test_counts_that_are_none_are_refused() -> None:
    """Of another shape, fractions, below zero."""
    assert refused(lambda: ConfusionMatrix(("a", "b"), np.ones((2, 3)))) == (
        "the counts have the shape (2, 3), and there are 2 labels. A confusion matrix has a row and a column for each label."
    )
    for counts in ([[0.5, 1], [1, 1]], [[-1, 1], [1, 1]], [[np.nan, 1], [1, 1]]):
        text = refused(lambda counts=counts: ConfusionMatrix(("a", "b"), np.array(counts)))
        assert text == "the counts of a confusion matrix are whole numbers of at least 0."


def test_options_that_do_not_exist_are_refused() -> None:
    """Naming those that do."""
    matrix = confusion_matrix([0, 1], [0, 1])
    assert refused(lambda: matrix.normalised("rows")) == "by must be one of 'actual', 'predicted', 'all'; got 'rows'."
    assert refused(lambda: matrix.averaged("samples")) == "average must be one of 'micro', 'macro', 'weighted'; got 'samples'."
    assert refused(lambda: matrix.f_beta(-1)).startswith("beta must be a number from 0 to 1e+09; got -1")
    assert refused(lambda: matrix + confusion_matrix(["a"], ["a"])).startswith("matrices are added label by label; one has")


def test_frames_hold_labels_and_counts() -> None:
    """Actual classes are the index."""
    matrix = confusion_matrix(["no", "yes"], ["yes", "yes"])
    assert matrix.to_frame().loc["no", "yes"] == 1
    assert matrix.per_class()["label"].tolist() == ["no", "yes"]
    assert matrix.per_class()["recall"].tolist() == [0.0, 1.0]
