"""Metrics of predicted labels against scikit-learn's scorers, and by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, f1_score, precision_score, recall_score

from tests.metrics.helpers import Array, classified, codes, label_array, ours, quietly, same, theirs, truth_of
from tiebreak.errors import DataError

POSITIVE = ["f1", "precision", "recall"]
ANY = ["accuracy", "balanced_accuracy", "matthews_corrcoef"] + [
    f"{name}_{average}" for name in POSITIVE for average in ("macro", "micro", "weighted")
]
FUNCTIONS = {"f1": f1_score, "precision": precision_score, "recall": recall_score}


@st.composite
def predicted(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """Labels, predicted labels (any, one throughout, perfect, all wrong), classes."""
    y, classes = draw(classified())
    how = draw(st.sampled_from(["any", "perfect", "wrong"]))
    if how == "any":
        return y, classes[draw(codes(y.size, classes.size))], classes
    code = np.searchsorted(classes, y)
    return y, classes[code if how == "perfect" else (code + 1) % classes.size], classes


@pytest.mark.slow
@given(predicted())
@settings(max_examples=60)
def test_scikit_learns_value_for_any_classes(case: tuple[Array, Array, Array]) -> None:
    """Whatever the labels are, and whichever of them the test rows and the predictions lack."""
    y, p, classes = case
    for name in ANY:
        assert ours(name, truth_of(y, classes), {"predict": p}) == same(theirs(name, y, {"predict": p}, classes)), name


@given(predicted())
@settings(max_examples=40)
def test_positive_class_is_the_label_one(case: tuple[Array, Array, Array]) -> None:
    """Of two classes scikit-learn's value, also where 1 is the smaller label; of others it refuses, and so do we."""
    y, p, classes = case
    if classes.size > 2:
        return
    for name in POSITIVE:
        value, expected = ours(name, truth_of(y, classes), {"predict": p}), theirs(name, y, {"predict": p}, classes)
        if expected is None:
            assert isinstance(value, str)
            assert 1 not in classes.tolist()
        else:
            assert value == same(expected), name


@pytest.mark.slow
@given(predicted(), st.data())
@settings(max_examples=40)
def test_labels_that_are_no_class_are_wrong(case: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """scikit-learn counts each as a label of its own; so the macro averages have them as zeros."""
    y, p, classes = case
    if classes.dtype.kind == "b":
        return
    strange = ["??", "!!"] if classes.dtype.kind in "UO" else [77, 78]
    dtype = object if classes.dtype.kind == "O" else None
    everything = np.array([*classes.tolist(), *strange], dtype=dtype)
    p = everything[data.draw(codes(y.size, everything.size))]
    for name in ANY:
        assert ours(name, truth_of(y, classes), {"predict": p}) == same(theirs(name, y, {"predict": p}, classes)), name
    if classes.size == 2 and 1 in classes.tolist():
        for name, function in FUNCTIONS.items():  # the scorers refuse three labels, but the value of the class 1 is plain
            expected = quietly(lambda f=function: f(y, p, labels=[1], average="macro"))
            assert ours(name, truth_of(y, classes), {"predict": p}) == same(expected), name


def test_values_by_hand() -> None:
    """Class 0: 2 rows, 3 predictions, 2 hits; class 1: 3, 1, 1; class 2: 1, 2, 1."""
    truth = truth_of(np.array([0, 0, 1, 1, 1, 2]), np.arange(3))
    answers = {"predict": np.array([0, 0, 0, 1, 2, 2])}
    f1 = [4 / 5, 2 / 4, 2 / 3]
    expected = {
        "accuracy": 4 / 6,
        "balanced_accuracy": (1 + 1 / 3 + 1) / 3,
        "precision_macro": (2 / 3 + 1 + 1 / 2) / 3,
        "precision_weighted": (2 * 2 / 3 + 3 * 1 + 1 / 2) / 6,
        "recall_macro": (1 + 1 / 3 + 1) / 3,
        "recall_weighted": 4 / 6,
        "f1_macro": sum(f1) / 3,
        "f1_micro": 4 / 6,
        "f1_weighted": (2 * f1[0] + 3 * f1[1] + f1[2]) / 6,
        # Gorodkin: (6 * 4 - (2*3 + 3*1 + 1*2)) / sqrt((36 - 14) * (36 - 14))
        "matthews_corrcoef": 13 / 22,
    }
    for name, value in expected.items():
        assert ours(name, truth, answers) == pytest.approx(value, rel=1e-14), name


def test_values_by_hand_of_two_classes() -> None:
    """2 true positives, 1 false positive, 2 false negatives."""
    truth = truth_of(np.array([1, 1, 1, 1, 0, 0]), np.array([0, 1]))
    answers = {"predict": np.array([1, 1, 0, 0, 1, 0])}
    assert ours("precision", truth, answers) == 2 / 3
    assert ours("recall", truth, answers) == 2 / 4
    assert ours("f1", truth, answers) == 2 * 2 / (2 * 2 + 1 + 2)


def test_without_predictions_of_a_class_its_precision_is_zero() -> None:
    """As scikit-learn has it by default: 0 with a warning, which a constant model would give at every split."""
    truth = truth_of(np.array([1, 0]), np.array([0, 1]))
    assert [ours(name, truth, {"predict": np.array([0, 0])}) for name in POSITIVE] == [0, 0, 0]


def test_classes_that_the_test_rows_lack_do_not_count() -> None:
    """Balanced accuracy is over the classes with rows: 1 of 2 and 1 of 1, whatever class 2 is."""
    truth = truth_of(np.array([0, 0, 1]), np.arange(3))
    assert ours("balanced_accuracy", truth, {"predict": np.array([0, 2, 1])}) == 0.75
    assert quietly(lambda: balanced_accuracy_score([0, 0, 1], [0, 2, 1])) == 0.75


@pytest.mark.parametrize("form", ["column", "floats", "objects", "int8", "unsigned"])
def test_predictions_in_other_forms(form: str) -> None:
    """What libraries return: a column, floats for integer labels, objects, small integers."""
    p = np.array([0, 1, 1, 0])
    other: Array = {
        "column": p[:, None],
        "floats": p.astype(float),
        "objects": p.astype(object),
        "int8": p.astype(np.int8),
        "unsigned": p.astype(np.uint64),
    }[form]
    truth = truth_of(np.array([0, 1, 0, 0]), np.array([0, 1]))
    for name in [*ANY, *POSITIVE]:
        assert ours(name, truth, {"predict": other}) == ours(name, truth, {"predict": p}), name


def test_a_prediction_that_was_stored_as_no_class_is_wrong() -> None:
    """Predictions read back have None for a label that was none; it counts as one further label."""
    truth = truth_of(label_array("text", 3), label_array("text", 3))
    p = np.array(["maybe", "no", None], dtype=object)
    assert ours("accuracy", truth, {"predict": p}) == 2 / 3
    assert ours("f1_macro", truth, {"predict": p}) == 2 / 4


@pytest.mark.parametrize("name", ["accuracy", "f1", "f1_macro", "balanced_accuracy"])
@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (np.array([0.2, 0.9, 0.4]), "predict returned 0.2, and the labels are 0 and 1. A model of classes"),
        (np.array(["0", "1", "1"]), "predict returned '0', and the labels are 0 and 1. A model of classes"),
        (np.array([0, 1]), "predict returned 2 rows for 3 test rows. It has to return one for each row, in their order."),
        (np.array(1), "predict returned a single value for 3 test rows."),
        (np.zeros((3, 2)), r"one value for each row is needed; got an array of shape \(3, 2\)."),
    ],
    ids=["fractions", "text", "length", "scalar", "columns"],
)
def test_what_is_no_prediction_is_an_error(name: str, prediction: Array, text: str) -> None:
    """A regressor's numbers would all count as wrong, and a single value as one for all rows; nobody wants that."""
    truth = truth_of(np.array([0, 1, 1]), np.array([0, 1]))
    with pytest.raises(DataError, match=text):
        ours(name, truth, {"predict": prediction})


@pytest.mark.parametrize(("value", "reason"), [(np.nan, "nan in predict"), (-np.inf, "an infinite number in predict")])
def test_nan_is_no_label(value: float, reason: str) -> None:
    """scikit-learn raises; here the score is undefined and says why."""
    p: Any = np.array([0, 1, value])
    y, classes = np.array([0, 1, 1]), np.array([0, 1])
    assert theirs("accuracy", y, {"predict": p}, classes) is None
    assert ours("accuracy", truth_of(y, classes), {"predict": p}) == reason


def test_reasons_of_the_positive_class() -> None:
    """The text says what to do."""
    truth = truth_of(np.array(["no", "yes"]), np.array(["no", "yes"]))
    assert ours("f1", truth, {"predict": np.array(["no", "no"])}) == (
        "its positive class is the label 1, and the labels are 'no' and 'yes'; make the positive class 1 and the other 0"
    )
