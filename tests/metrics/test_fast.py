"""Formulas of labels, probabilities, orders and numbers against scikit-learn's scorers and by hand."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    brier_score_loss,
    f1_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from tests.metrics.helpers import Array, classified, codes, label_array, ours, parts, quietly, same, theirs, truth_of
from tiebreak.errors import DataError
from tiebreak.metrics.fast import roc_area
from tiebreak.metrics.targets import Truth, make_truth

POSITIVE = ["f1", "precision", "recall"]
ANY = ["accuracy", "balanced_accuracy", "matthews_corrcoef"] + [
    f"{name}_{average}" for name in POSITIVE for average in ("macro", "micro", "weighted")
]
FUNCTIONS = {"f1": f1_score, "precision": precision_score, "recall": recall_score}


@st.composite
def predicted_of_labels(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """Labels, predicted_of_labels labels (any, one throughout, perfect, all wrong), classes."""
    y, classes = draw(classified())
    how = draw(st.sampled_from(["any", "perfect", "wrong"]))
    if how == "any":
        return y, classes[draw(codes(y.size, classes.size))], classes
    code = np.searchsorted(classes, y)
    return y, classes[code if how == "perfect" else (code + 1) % classes.size], classes


@pytest.mark.slow
@given(predicted_of_labels())
@settings(max_examples=60)
def test_scikit_learns_value_for_any_classes(case: tuple[Array, Array, Array]) -> None:
    """Whatever the labels are, and whichever of them the test rows and the predictions lack."""
    y, p, classes = case
    for name in ANY:
        assert ours(name, truth_of(y, classes), {"predict": p}) == same(theirs(name, y, {"predict": p}, classes)), name


@given(predicted_of_labels())
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
@given(predicted_of_labels(), st.data())
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
        (np.array([0, 1]), "predict gave 2 predictions for 3 test rows; one for each is needed."),
        (np.array(1), "predict gave a single value for 3 test rows"),
        (np.zeros((3, 2)), r"one value for each row is needed; got an array of shape \(3, 2\)."),
    ],
    ids=["fractions", "text", "length", "scalar", "columns"],
)
def test_what_is_no_prediction_is_an_error_of_labels(name: str, prediction: Array, text: str) -> None:
    """A regressor's numbers would all count as wrong, and a single value as one for all rows; nobody wants that."""
    truth = truth_of(np.array([0, 1, 1]), np.array([0, 1]))
    with pytest.raises(DataError, match=text):
        ours(name, truth, {"predict": prediction})


def test_reasons_of_the_positive_class() -> None:
    """The text says what to do."""
    truth = truth_of(np.array(["no", "yes"]), np.array(["no", "yes"]))
    assert ours("f1", truth, {"predict": np.array(["no", "no"])}) == (
        "its positive class is the label 1, and the labels are 'no' and 'yes'; make the positive class 1 and the other 0"
    )


NAMES_OF_PROBABILITIES = ["neg_log_loss", "neg_brier_score"]


@st.composite
def probabilities(draw: st.DrawFn, n: int, n_classes: int) -> Array:
    """Rows that sum to one: any, few different ones, or certain; in double or single precision."""
    part = parts(draw(st.sampled_from([None, 1, 4])))
    if n_classes == 2:  # the second, and what is left, as scikit-learn takes it
        second = np.array(draw(st.lists(part, min_size=n, max_size=n)))
        proba = np.column_stack((1 - second, second))
    else:
        weights = np.array(draw(st.lists(part, min_size=n * n_classes, max_size=n * n_classes))).reshape(n, n_classes)
        weights[weights.sum(axis=1) == 0, 0] = 1
        proba = weights / weights.sum(axis=1, keepdims=True)
    return proba.astype(draw(st.sampled_from([np.float64, np.float32])))


@st.composite
def told(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """Labels, probabilities, classes."""
    y, classes = draw(classified())
    return y, draw(probabilities(y.size, classes.size)), classes


def given_all_classes(name: str, y: Array, proba: Array, classes: Array) -> float:
    """scikit-learn's value where it is told the labels, and of two the probability of the second alone, as by its scorer."""
    if classes.size > 2:
        function = log_loss if name == "neg_log_loss" else brier_score_loss
        value = quietly(lambda: function(y, proba, labels=classes))
    elif name == "neg_log_loss":
        value = quietly(lambda: log_loss(y, proba[:, 1], labels=classes))
    else:
        value = quietly(lambda: brier_score_loss(y, proba[:, 1], pos_label=classes.tolist()[1]))
    assert value is not None
    return -value


@pytest.mark.slow
@given(told())
@settings(max_examples=80)
def test_scikit_learns_value_of_probabilities(case: tuple[Array, Array, Array]) -> None:
    """Of its scorer where the test rows have all classes, else of its function with all labels.

    The scorer refuses or guesses wrong where a class is missing, and the Brier score of two texts where none is.
    """
    y, proba, classes = case
    for name in NAMES_OF_PROBABILITIES:
        expected = theirs(name, y, {"predict_proba": proba}, classes) if np.unique(y).size == classes.size else None
        if expected is None:
            expected = given_all_classes(name, y, proba, classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # weights that underflow do not sum to one
            value = ours(name, truth_of(y, classes), {"predict_proba": proba}, classes)
        assert value == same(expected), name


@given(st.data())
@settings(max_examples=40)
def test_columns_are_those_of_the_models_classes(data: st.DataObject) -> None:
    """A class that the training rows lacked has probability 0."""
    y, classes = data.draw(classified(min_classes=3))
    known = np.sort(data.draw(st.permutations(range(classes.size)))[: data.draw(st.integers(1, classes.size - 1))])
    proba = data.draw(probabilities(y.size, max(2, known.size)))[:, : known.size]
    if known.size == 1:
        proba = np.ones_like(proba)
    placed = np.zeros((y.size, classes.size), dtype=proba.dtype)
    placed[:, known] = proba
    for name in NAMES_OF_PROBABILITIES:
        value = ours(name, truth_of(y, classes), {"predict_proba": proba}, classes[known])
        assert value == same(given_all_classes(name, y, placed, classes)), name


def test_a_model_of_one_class() -> None:
    """It is certain of it, so that a row of the other class costs -log(eps), and its Brier score is 1."""
    truth = truth_of(np.array(["no", "yes"]), np.array(["no", "yes"]))
    answers = {"predict_proba": np.ones((2, 1))}
    eps = np.finfo(float).eps
    for known in ("no", "yes"):
        assert ours("log_loss", truth, answers, np.array([known])) == pytest.approx(math.log(eps) / 2, rel=1e-12)
        assert ours("brier_score", truth, answers, np.array([known])) == -0.5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_certainty_is_cut_off_at_the_precision(dtype: type) -> None:
    """A certain mistake costs -log(eps) of the type of the probabilities, 36.04 or 15.94."""
    truth = truth_of(np.array([0]), np.arange(2))
    value = ours("log_loss", truth, {"predict_proba": np.array([[0, 1]], dtype=dtype)})
    assert value == pytest.approx(math.log(np.finfo(dtype).eps), rel=1e-7)


@pytest.mark.parametrize("form", ["one dimension", "one column", "integers", "half precision"])
def test_probabilities_in_other_forms(form: str) -> None:
    """One column is that of the second class; integers are hard votes."""
    truth, proba = truth_of(np.array([0, 1, 1]), np.arange(2)), np.array([[1, 0], [0, 1], [1, 0]])
    other = {
        "one dimension": proba[:, 1] * 1.0,
        "one column": proba[:, 1:] * 1.0,
        "integers": proba,
        "half precision": proba.astype(np.float16),
    }[form]
    for name in ["log_loss", "brier_score", "roc_auc_ovr", "average_precision"]:
        assert ours(name, truth, {"predict_proba": other}) == ours(name, truth, {"predict_proba": proba * 1.0}), name


@pytest.mark.parametrize("name", NAMES_OF_PROBABILITIES)
def test_rows_that_do_not_sum_to_one_are_warned_of(name: str) -> None:
    """scikit-learn scores them as they are, with a warning."""
    y, classes, answers = np.arange(3), np.arange(3), {"predict_proba": np.full((3, 3), 0.3)}
    with pytest.warns(UserWarning, match="predict_proba has rows that do not sum to one; they are scored as they are."):
        value = ours(name, truth_of(y, classes), answers)
    assert value == same(theirs(name, y, answers, classes))


@pytest.mark.parametrize("name", NAMES_OF_PROBABILITIES)
def test_one_class_in_all_says_nothing(name: str) -> None:
    """There is no other that the probability could go to."""
    truth = truth_of(np.array(["a"]), np.array(["a"]))
    assert ours(name, truth, {"predict_proba": np.ones((1, 1))}) == "the target has only one class"


@pytest.mark.parametrize(
    ("proba", "classes", "text"),
    [
        (np.full((2, 3), 1 / 3), None, r"returned an array of shape \(2, 3\); a column for each of the 2 classes is needed."),
        (np.full((1, 2), 0.5), None, "predict_proba gave 1 predictions for 2 test rows"),
        (np.full((2, 2), "x"), None, "numbers are needed; the model returned 'x'."),
    ],
    ids=["columns", "rows", "text"],
)
def test_what_is_no_table_of_the_classes(proba: Array, classes: Array | None, text: str) -> None:
    """The text says what came and what was needed."""
    with pytest.raises(DataError, match=text):
        ours("log_loss", truth_of(np.array(["a", "b"]), np.array(["a", "b"])), {"predict_proba": proba}, classes)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """Labels of two classes, decisions (any, few different ones, all equal; floats or integers), classes."""
    y, classes = draw(classified(kinds=("range", "signs", "one and two", "truth values", "two texts", "objects")))
    y, classes = np.where(np.isin(y, classes[:2]), y, classes[0]), classes[:2]
    number = draw(
        st.sampled_from([st.floats(-1e300, 1e300), st.integers(-2, 2).map(float), st.just(0.5), st.integers(-(2**40), 2**40)])
    )
    decision = np.array(draw(st.lists(number, min_size=y.size, max_size=y.size)))
    return y, decision.astype(np.float32) if draw(st.booleans()) and np.abs(decision).max() < 1e30 else decision, classes


@pytest.mark.slow
@given(ranked())
@settings(max_examples=100)
def test_roc_auc_of_decisions_is_scikit_learns(case: tuple[Array, Array, Array]) -> None:
    """Scores that are equal enter together; without rows of both classes there is no value."""
    y, decision, classes = case
    expected = theirs("roc_auc", y, {"decision_function": decision}, classes)
    value = ours("roc_auc", truth_of(y, classes), {"decision_function": decision, "predict_proba": np.zeros((9, 9))})
    assert value == ("only one class in the test rows" if expected is None else same(expected))


@pytest.mark.slow
@given(ranked())
@settings(max_examples=60)
def test_average_precision_of_decisions_is_scikit_learns(case: tuple[Array, Array, Array]) -> None:
    """Of the label 1, whichever side it is on; of other labels scikit-learn refuses, and so do we."""
    y, decision, classes = case
    expected = theirs("average_precision", y, {"decision_function": decision}, classes)
    value = ours("average_precision", truth_of(y, classes), {"decision_function": decision})
    if expected is None:
        assert 1 not in classes.tolist()
        assert str(value).startswith("its positive class is the label 1, and the labels are ")
    else:
        assert value == same(expected)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_probabilities_of_two_classes(data: st.DataObject) -> None:
    """One against the rest is the same for two classes as the plain area."""
    y, classes = data.draw(classified(kinds=("range", "signs", "one and two", "two texts")))
    y, classes = np.where(np.isin(y, classes[:2]), y, classes[0]), classes[:2]
    answers = {"predict_proba": data.draw(probabilities(y.size, 2))}
    for name in ("roc_auc", "roc_auc_ovr", "roc_auc_ovr_weighted", "average_precision"):
        expected = theirs(name, y, answers, classes)
        value = ours(name, truth_of(y, classes), answers, classes)
        if expected is None:
            assert value == "only one class in the test rows" or "positive class" in str(value)
            assert np.unique(y).size == 1 or 1 not in classes.tolist()
        else:
            assert value == same(expected), name


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_more_classes_one_against_the_rest(data: st.DataObject) -> None:
    """scikit-learn's value; where the test rows lack a class, that of its function told all labels, if it has one."""
    y, classes = data.draw(classified(min_classes=3))
    proba = data.draw(probabilities(y.size, classes.size))
    truth, answers = truth_of(y, classes), {"predict_proba": proba}
    n_present = np.unique(y).size
    for name in ("roc_auc_ovr", "roc_auc_ovr_weighted", "average_precision"):
        expected = theirs(name, y, answers, classes) if n_present == classes.size else None
        if name == "roc_auc_ovr_weighted" and 1 < n_present < classes.size:
            expected = quietly(lambda: roc_auc_score(y, proba, labels=classes, multi_class="ovr", average="weighted"))
        value = ours(name, truth, answers, classes)
        if expected is not None:
            assert value == same(expected), name
        elif n_present == 1:
            assert value == "only one class in the test rows"
        else:
            assert value == f"no test row is of class {classes[truth.counts == 0].tolist()[0]!r}"


@pytest.mark.slow
@given(st.data())
@settings(max_examples=40)
def test_average_precision_of_more_classes_from_decisions(data: st.DataObject) -> None:
    """The mean over the classes, as scikit-learn's scorer has it."""
    y, classes = data.draw(classified(min_classes=3))
    number = st.integers(-3, 3).map(float) if data.draw(st.booleans()) else st.floats(-1e6, 1e6)
    size = y.size * classes.size
    decision = np.array(data.draw(st.lists(number, min_size=size, max_size=size))).reshape(y.size, -1)
    answers = {"decision_function": decision}
    value = ours("average_precision", truth_of(y, classes), answers, classes)
    if np.unique(y).size == classes.size:
        assert value == same(theirs("average_precision", y, answers, classes))
    else:
        assert isinstance(value, str)


def test_a_model_of_one_class_orders_nothing() -> None:
    """All rows have the same probability, whichever class it knows."""
    truth = truth_of(np.array([0, 1, 1]), np.arange(2))
    for known in (0, 1):
        assert ours("roc_auc", truth, {"predict_proba": np.ones((3, 1))}, np.array([known])) == 0.5


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [(np.nan, "nan in decision_function"), (np.inf, "an infinite number in decision_function")],
)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("row", range(4))
def test_scores_without_an_order(name: str, value: float, reason: str, sign: int, row: int) -> None:
    """scikit-learn refuses nan and infinite scores wherever they stand; here the metric is undefined."""
    y, classes, decision = np.array([0, 1, 0, 1]), np.arange(2), np.arange(4.0)
    decision[row] = sign * value
    assert theirs(name, y, {"decision_function": decision}, classes) is None
    assert ours(name, truth_of(y, classes), {"decision_function": decision}) == reason


@pytest.mark.parametrize(
    ("proba", "reason"),
    [
        (np.full((3, 3), 0.3), "predict_proba has rows that do not sum to one"),
        (np.full((3, 3), np.nan), "nan in predict_proba"),
    ],
)
def test_columns_that_cannot_be_compared(proba: Array, reason: str) -> None:
    """Likewise, for more than two classes."""
    y, classes = np.arange(3), np.arange(3)
    assert theirs("roc_auc_ovr", y, {"predict_proba": proba}, classes) is None
    assert ours("roc_auc_ovr", truth_of(y, classes), {"predict_proba": proba}) == reason


def test_two_columns_of_decisions_are_an_error() -> None:
    """Of two classes one number tells the decision."""
    with pytest.raises(DataError, match=r"one value for each row is needed; got an array of shape \(2, 2\)."):
        ours("roc_auc", truth_of(np.arange(2), np.arange(2)), {"decision_function": np.zeros((2, 2))})


@pytest.mark.parametrize("digits", [1, 4, 12])
def test_the_area_of_many_scores_is_scikit_learns(rng: np.random.Generator, digits: int) -> None:
    """Only tied ones are looked up on both sides: all are tied, some, and none."""
    truth = rng.random(40_000) < 0.4
    scores = np.round(rng.normal(size=40_000) + truth, digits)
    for is_positive in (truth, ~truth):
        area = roc_area(np.sort(scores[is_positive]), np.sort(scores[~is_positive]))
        assert area == pytest.approx(roc_auc_score(is_positive, scores), abs=1e-12)


NAMES_OF_NUMBERS = [
    "r2",
    "explained_variance",
    "neg_mean_absolute_error",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
]


def numbers(y: Array) -> Truth:
    return make_truth(y, classifier=False)


@st.composite
def predicted_of_numbers(draw: st.DrawFn) -> tuple[Array, Array]:
    """A target and predictions: any, few different ones or constant; of one or more outputs; or perfect, or off by 1."""
    shape = (draw(st.integers(1, 30)),) + ((draw(st.integers(1, 3)),) if draw(st.booleans()) else ())
    size = math.prod(shape)

    def column() -> Array:
        number = draw(st.sampled_from([st.floats(-1e6, 1e6), st.integers(-2, 2).map(float), st.just(0.1)]))
        return np.array(draw(st.lists(number, min_size=size, max_size=size))).reshape(shape)

    y = column()
    how = draw(st.sampled_from(["any", "perfect", "off"]))
    return y, column() if how == "any" else y + (how == "off")


@pytest.mark.slow
@given(predicted_of_numbers())
@settings(max_examples=200)
def test_scikit_learns_value_of_numbers(case: tuple[Array, Array]) -> None:
    """Also of constant targets, whose mean may be a rounding error away from them, and of a single row."""
    y, p = case
    for name in NAMES_OF_NUMBERS:
        expected = theirs(name, y, {"predict": p})
        assert ours(name, numbers(y), {"predict": p}) == ("fewer than two test rows" if expected is None else same(expected)), (
            name
        )


@pytest.mark.parametrize("form", ["column", "integers", "single precision", "objects", "integer target", "target column"])
def test_numbers_in_other_forms(form: str) -> None:
    """What libraries return, and targets of whole numbers."""
    y, p = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
    target = {"integer target": y.astype(int), "target column": y[:, None]}.get(form, y)
    other = {
        "column": p[:, None],
        "integers": p.astype(int),
        "single precision": p.astype(np.float32),
        "objects": p.astype(object),
    }.get(form, p)
    for name in NAMES_OF_NUMBERS:
        assert ours(name, numbers(target), {"predict": other}) == ours(name, numbers(y), {"predict": p}), name


def test_single_precision_is_computed_in_double() -> None:
    """scikit-learn computes in single precision where nothing is double; the difference is rounding."""
    y, p = np.array([0.1, 0.2, 0.4], dtype=np.float32), np.array([0.1, 0.3, 0.3], dtype=np.float32)
    for name in NAMES_OF_NUMBERS:
        expected = theirs(name, y.astype(float), {"predict": p.astype(float)})
        assert ours(name, numbers(y), {"predict": p}) == same(expected)
        assert ours(name, numbers(y), {"predict": p}) == pytest.approx(theirs(name, y, {"predict": p}), rel=1e-5)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_reasons() -> None:
    """An error that no float can hold, nan in the target, and a target that is no number."""
    answers = {"predict": np.array([1e200, 0.0])}
    assert ours("r2", numbers(np.zeros(2)), answers) == "the errors are too large for a float"
    assert ours("mean_absolute_error", numbers(np.zeros(2)), answers) == -5e199
    assert ours("mean_squared_error", numbers(np.array([np.nan, 1])), {"predict": np.zeros(2)}) == "nan in the target"
    assert ours("r2", numbers(np.array(["a", "b"])), answers) == "it is for numbers, and the target holds 'a'"


@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (np.zeros(1), "predict gave 1 predictions for 3 test rows; one for each is needed."),
        (np.float64(1), "predict gave a single value for 3 test rows"),
        (np.zeros((3, 2)), r"predict returned an array of shape \(3, 2\) for a target of shape \(3,\)."),
        (np.array(["a", "b", "c"]), "numbers are needed; the model returned 'a'."),
    ],
    ids=["length", "scalar", "columns", "text"],
)
def test_what_is_no_prediction_is_an_error_of_numbers(prediction: Array, text: str) -> None:
    """A single value would be taken for all rows."""
    with pytest.raises(DataError, match=text):
        ours("r2", numbers(np.arange(3.0)), {"predict": np.asarray(prediction)})


NO_ANSWERS = [
    *(
        ("accuracy", np.array([0, 1, 1]), np.arange(2), {"predict": np.array([0, 1, value])}, reason)
        for value, reason in ((np.nan, "nan in predict"), (-np.inf, "an infinite number in predict"))
    ),
    *(
        (name, np.array([0, 1]), np.arange(2), {"predict_proba": np.array([first, [0.5, 0.5]])}, reason)
        for name in NAMES_OF_PROBABILITIES
        for first, reason in (
            ([np.nan, np.nan], "nan in predict_proba"),
            ([-np.inf, np.inf], "an infinite number in predict_proba"),
            ([-0.5, 1.5], "predict_proba is not between 0 and 1, but from 0.5 to 1.5"),
        )
    ),
    *(
        (name, target, None, {"predict": np.array([*two, 2.0])}, reason)
        for name in NAMES_OF_NUMBERS
        for target in (np.arange(3.0), np.ones(3))
        for two, reason in (
            ((np.nan, 1.0), "nan in predict"),
            ((np.inf, 1.0), "an infinite number in predict"),
            ((np.inf, -np.inf), "an infinite number in predict"),
        )
    ),
]


@pytest.mark.parametrize(("name", "y", "classes", "answers", "reason"), NO_ANSWERS)
def test_what_is_no_number_or_probability(name: str, y: Array, classes: Array | None, answers: Any, reason: str) -> None:
    """scikit-learn raises; here the score is undefined and says why."""
    assert theirs(name, y, answers, classes) is None
    assert ours(name, numbers(y) if classes is None else truth_of(y, classes), answers) == reason
