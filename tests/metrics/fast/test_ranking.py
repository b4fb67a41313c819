"""Areas under curves against scikit-learn's scorers, by counting pairs, and by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.metrics.fast.test_probability import probabilities
from tests.metrics.helpers import Array, classified, ours, quietly, same, theirs, truth_of
from tiebreak.errors import DataError
from tiebreak.metrics.fast.ranking import mean_precision, roc_area


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


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_roc_area_is_the_share_of_pairs_in_order(positive: list[int], negative: list[int]) -> None:
    """Counted pair by pair, ties half; and the complement when the classes are swapped."""
    pairs = [(a > b) + (a == b) / 2 for a, b in product(positive, negative)]
    p, n = np.sort(positive), np.sort(negative)
    assert roc_area(p, n) == pytest.approx(sum(pairs) / len(pairs), rel=1e-15)
    assert roc_area(n, p) == pytest.approx(1 - roc_area(p, n), rel=1e-15)


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_mean_precision_is_the_precision_at_each_positive_row(positive: list[int], negative: list[int]) -> None:
    """Of the rows that score at least as much, the share that is positive; averaged over the positive rows."""
    values = []
    for score in positive:
        true, false = sum(a >= score for a in positive), sum(b >= score for b in negative)
        values.append(true / (true + false))
    assert mean_precision(np.sort(positive), np.sort(negative)) == pytest.approx(sum(values) / len(values), rel=1e-14)


def test_values_by_hand() -> None:
    """The example of scikit-learn's documentation: 3 of 4 pairs in order; precision 1 and 2/3 at the positive rows."""
    truth = truth_of(np.array([0, 0, 1, 1]), np.arange(2))
    answers = {"decision_function": np.array([0.1, 0.4, 0.35, 0.8])}
    assert ours("roc_auc", truth, answers) == 0.75
    assert ours("average_precision", truth, answers) == pytest.approx((1 + 2 / 3) / 2, rel=1e-15)


def test_without_positive_rows_average_precision_is_zero() -> None:
    """As scikit-learn has it, with a warning."""
    y, classes, answers = np.array([0, 0]), np.arange(2), {"decision_function": np.array([0.1, 0.2])}
    assert theirs("average_precision", y, answers, classes) == 0
    assert ours("average_precision", truth_of(y, classes), answers) == 0


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


@pytest.mark.slow
def test_many_rows_with_few_scores(rng: np.random.Generator) -> None:
    """Half a million rows, of which one in a hundred is positive, at 50 different scores; and the other way round."""
    y = (rng.random(500_000) < 0.01).astype(int)
    for labels in (y, 1 - y):
        scores = np.round(rng.normal(size=y.size) + labels, 1)
        truth, answers = truth_of(labels, np.arange(2)), {"decision_function": scores}
        assert ours("roc_auc", truth, answers) == same(float(roc_auc_score(labels, scores)))
        assert ours("average_precision", truth, answers) == same(float(average_precision_score(labels, scores)))


@pytest.mark.parametrize("digits", [1, 4, 12])
def test_the_area_of_many_scores_is_scikit_learns(rng: np.random.Generator, digits: int) -> None:
    """From 10,000 scores on only tied ones are looked up on both sides: all are tied, some, and none."""
    truth = rng.random(40_000) < 0.4
    scores = np.round(rng.normal(size=40_000) + truth, digits)
    for is_positive in (truth, ~truth):
        area = roc_area(np.sort(scores[is_positive]), np.sort(scores[~is_positive]))
        assert area == pytest.approx(roc_auc_score(is_positive, scores), abs=1e-12)
