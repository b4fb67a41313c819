"""Log loss and Brier score against scikit-learn, and by hand."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from tests.metrics.helpers import Array, classified, ours, parts, quietly, same, theirs, truth_of
from tiebreak.errors import DataError

NAMES = ["neg_log_loss", "neg_brier_score"]


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
def test_scikit_learns_value(case: tuple[Array, Array, Array]) -> None:
    """Of its scorer where the test rows have all classes, else of its function with all labels.

    The scorer refuses or guesses wrong where a class is missing, and the Brier score of two texts where none is.
    """
    y, proba, classes = case
    for name in NAMES:
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
    for name in NAMES:
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


def test_values_by_hand() -> None:
    """-log of what the true class was given; squared distances, summed over classes where there are more than two."""
    two, three = truth_of(np.array([0, 1]), np.arange(2)), truth_of(np.array([2, 0]), np.arange(3))
    answers = {"predict_proba": np.array([[0.8, 0.2], [0.5, 0.5]])}
    assert ours("log_loss", two, answers) == pytest.approx((math.log(0.8) + math.log(0.5)) / 2, rel=1e-14)
    assert ours("brier_score", two, answers) == pytest.approx(-(0.04 + 0.25) / 2, rel=1e-14)
    answers = {"predict_proba": np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])}
    assert ours("log_loss", three, answers) == pytest.approx((math.log(0.5) + math.log(0.6)) / 2, rel=1e-14)
    assert ours("brier_score", three, answers) == pytest.approx(-(0.04 + 0.09 + 0.25 + 0.16 + 0.16) / 2, rel=1e-14)


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


@pytest.mark.parametrize(
    ("proba", "reason"),
    [
        ([[np.nan, np.nan], [0.5, 0.5]], "nan in predict_proba"),
        ([[-np.inf, np.inf], [0.5, 0.5]], "an infinite number in predict_proba"),
        ([[-0.5, 1.5], [0.5, 0.5]], "predict_proba is not between 0 and 1, but from 0.5 to 1.5"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_probability(name: str, proba: list[list[float]], reason: str) -> None:
    """scikit-learn raises; here the score is undefined and says why."""
    y, classes, answers = np.array([0, 1]), np.arange(2), {"predict_proba": np.array(proba)}
    assert theirs(name, y, answers, classes) is None
    assert ours(name, truth_of(y, classes), answers) == reason


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_do_not_sum_to_one_are_warned_of(name: str) -> None:
    """scikit-learn scores them as they are, with a warning."""
    y, classes, answers = np.arange(3), np.arange(3), {"predict_proba": np.full((3, 3), 0.3)}
    with pytest.warns(UserWarning, match="predict_proba has rows that do not sum to one; they are scored as they are."):
        value = ours(name, truth_of(y, classes), answers)
    assert value == same(theirs(name, y, answers, classes))


@pytest.mark.parametrize("name", NAMES)
def test_one_class_in_all_says_nothing(name: str) -> None:
    """There is no other that the probability could go to."""
    truth = truth_of(np.array(["a"]), np.array(["a"]))
    assert ours(name, truth, {"predict_proba": np.ones((1, 1))}) == "the target has only one class"


@pytest.mark.parametrize(
    ("proba", "classes", "text"),
    [
        (np.full((2, 3), 1 / 3), None, r"returned an array of shape \(2, 3\); a column for each of the 2 classes is needed."),
        (np.full((1, 2), 0.5), None, "predict_proba returned 1 rows for 2 test rows."),
        (np.full((2, 2), 0.5), np.array(["a", "c"]), "the model has the class 'c', which is not among the labels of y."),
        (np.full((2, 2), "x"), None, "numbers are needed; the model returned 'x'."),
    ],
    ids=["columns", "rows", "classes", "text"],
)
def test_what_is_no_table_of_the_classes(proba: Array, classes: Array | None, text: str) -> None:
    """The text says what came and what was needed."""
    with pytest.raises(DataError, match=text):
        ours("log_loss", truth_of(np.array(["a", "b"]), np.array(["a", "b"])), {"predict_proba": proba}, classes)
