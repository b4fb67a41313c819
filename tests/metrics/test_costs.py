"""Cost matrices: as a metric of arrays, of evaluate and of scikit-learn's searches, and as a guide to decisions."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import ChangedRunError, DataError, InvalidParameterError
from tiebreak.plan.fingerprint import fingerprint

SQUARE = "a cost matrix is square, with a row and a column for each class, two or more; got an array of shape"
COST = {"no": {"no": 0, "yes": 1}, "yes": {"no": 5, "yes": -1}}
X, Y = make_classification(n_samples=120, n_features=5, flip_y=0.2, random_state=4)
LABELS = np.array(["no", "yes"])[Y]

refused = partial(told, InvalidParameterError)
"""The text of the error."""


# --- making one -----------------------------------------------------------------------------------------------------------


def test_a_mapping_and_an_array_are_the_same() -> None:
    """In any order of labels, and so is their fingerprint; the costs turned round are another metric."""
    prints = [
        fingerprint(tb.CostMatrix(costs, labels).fingerprint_parts)
        for costs, labels in (([[-1, 5], [1, 0]], ["yes", "no"]), (COST, None), ([[0, 5], [1, -1]], ["no", "yes"]))
    ]
    assert prints[0] == prints[1] != prints[2]
    assert tb.CostMatrix(COST).to_frame().loc["yes", "no"] == 5


def test_it_can_be_written_and_sent() -> None:
    """Its repr makes it again, and so does a pickle, which workers are sent."""
    cost = tb.CostMatrix(COST, name="euro")
    for other in (eval(repr(cost), {"CostMatrix": tb.CostMatrix}), pickle.loads(pickle.dumps(cost))):
        assert (other.name, other.labels, other.costs.tolist()) == (cost.name, cost.labels, cost.costs.tolist())
    assert repr(tb.CostMatrix([[0, 1], [2, 0]])) == "CostMatrix({0: {0: 0.0, 1: 1.0}, 1: {0: 2.0, 1: 0.0}})"


@pytest.mark.parametrize(
    ("costs", "labels", "text"),
    [
        ([[0, 1, 2], [1, 0, 1]], None, f"{SQUARE} (2, 3) for the labels 0 and 1."),
        ([0, 1], None, f"{SQUARE} (2,) for the labels 0 and 1."),
        ([[0, 1], [1, 0]], ["a"], f"{SQUARE} (2, 2) for the labels 'a'."),
        ([[0]], None, f"{SQUARE} (1, 1) for the labels 0."),
        ([[0, 1], [1, 0]], ["a", "a"], "the label 'a' stands twice in labels."),
        (
            [[0, np.nan], [1, 0]],
            ["a", "b"],
            "the cost of taking 'a' for 'b' is nan. Costs are finite numbers; a gain is negative.",
        ),
        (
            [[0, 1], [np.inf, 0]],
            ["a", "b"],
            "the cost of taking 'b' for 'a' is inf. Costs are finite numbers; a gain is negative.",
        ),
        ([[0, "x"], [1, 0]], None, "costs must be numbers in rows of equal length; could not convert string to float: 'x'."),
        (
            {"a": {"a": 0, "b": 1}},
            None,
            "the costs of 'a' name 'b'. The rows are 'a': say what it costs to take each one for each.",
        ),
        (
            {"a": {"a": 0, "b": 1}, "b": {"b": 0}},
            None,
            "the costs of 'b' lack 'a'. The rows are 'a' and 'b': say what it costs to take each one for each.",
        ),
        ({"a": 1, "b": 2}, None, "the costs of 'a' must be {predicted: cost}; got 1."),
        (COST, ["no", "yes"], "labels= goes with an array; in {actual: {predicted: cost}} the keys are the labels."),
    ],
)
def test_costs_that_are_none_are_refused(costs: Any, labels: Any, text: str) -> None:
    """By label, so that a typing mistake is found."""
    assert refused(lambda: tb.CostMatrix(costs, labels)) == text


def test_a_name_is_a_text() -> None:
    """Of the metric."""
    assert refused(lambda: tb.CostMatrix(COST, name="")) == "name must be a text that is not empty; got ''."


# --- of what was predicted ------------------------------------------------------------------------------------------------


def test_labels_without_costs_are_refused() -> None:
    """And so is half of what is needed."""
    cost = tb.CostMatrix(COST)
    text = refused(lambda: cost.expected_cost(["no", "maybe"], ["no", "no"]))
    assert text == "there are no costs for 'maybe'; the cost matrix has 'no' and 'yes'."
    assert refused(lambda: cost.expected_cost(["no"])) == "pass a confusion matrix alone, or both y_true and y_pred."


# --- decisions ------------------------------------------------------------------------------------------------------------


def test_of_equal_costs_the_first_label_is_decided() -> None:
    """Both decisions cost 1/2 at even odds, and rounding does not decide: 0.1 + 0.2 is not 0.3."""
    assert tb.CostMatrix([[0, 1], [1, 0]]).decisions([[0.5, 0.5]]).tolist() == [0]
    thirds = tb.CostMatrix([[0.3, 0.1], [0.3, 0.5]], labels=["b", "a"])
    assert thirds.decisions([[0.5, 0.5], [0.4999, 0.5001]]).tolist() == ["b", "b"]


def test_columns_in_another_order_are_named() -> None:
    """scikit-learn sorts its classes; a cost matrix keeps the order that was given."""
    cost = tb.CostMatrix([[0, 1], [100, -1]], labels=["ill", "healthy"])
    model = LogisticRegression().fit(X, np.array(["healthy", "ill"])[Y])
    p = model.predict_proba(X)
    by_hand = p[:, ::-1] @ np.array([[0, 1], [100, -1]])
    np.testing.assert_allclose(cost.expected_costs(p, classes=model.classes_), by_hand)
    assert cost.decisions(p, classes=model.classes_).tolist() == np.array(["ill", "healthy"])[by_hand.argmin(axis=1)].tolist()
    text = refused(lambda: cost.decisions(p, classes=["healthy", "well"]))
    assert text == "there are no costs for 'well'; the cost matrix has 'ill' and 'healthy'."
    assert "with the classes 'ill'; a row for each" in refused(lambda: cost.decisions(p, classes=["ill"]))


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4), st.floats(0, 1))
def test_the_threshold_decides_as_the_costs_do(costs: list[float], p: float) -> None:
    """Where there is one: at least the threshold is positive, unless both decisions cost the same."""
    cost = tb.CostMatrix([costs[:2], costs[2:]])
    try:
        threshold = cost.threshold()
    except InvalidParameterError:
        assert costs[1] <= costs[0]
        assert costs[2] <= costs[3]
        return
    first, second = cost.expected_costs([[1 - p, p]])[0]
    if abs(first - second) > 1e-9:
        assert (p >= threshold) is bool(second < first)


def test_thresholds_by_hand() -> None:
    """1 / (1 + 4) for a miss four times as dear; always, never, and either class as the positive one."""
    dear = tb.CostMatrix([[0, 1], [4, 0]], labels=["no", "yes"])
    assert dear.threshold() == dear.threshold("yes") == pytest.approx(0.2)
    assert dear.threshold("no") == pytest.approx(0.8)
    assert tb.CostMatrix([[1, 0], [4, 0]]).threshold() == 0.0
    assert tb.CostMatrix([[0, 1], [0, 4]]).threshold() == np.inf


def test_thresholds_that_there_are_not() -> None:
    """Three classes; and costs with which being wrong is never dearer."""
    three = tb.CostMatrix(1 - np.eye(3))
    assert refused(lambda: three.threshold()) == "a threshold is for two classes, and there are 3. Use decisions()."
    assert refused(lambda: tb.CostMatrix([[1, 0], [0, 1]]).threshold()) == (
        "there is no threshold: for neither class does the wrong decision cost more than the right one. Rows of a cost matrix "
        "are actual classes, columns predicted ones."
    )


@pytest.mark.parametrize(
    ("probabilities", "text"),
    [
        ([[0.5, 0.6]], "probabilities[0] is [0.5, 0.6]; probabilities of an example lie between 0 and 1, and sum to 1."),
        ([[0.5, 0.5], [1.5, -0.5]], "probabilities[1] is [1.5, -0.5]; probabilities of an example lie"),
        ([[np.nan, 1.0]], "probabilities[0] is [nan, 1.0]; probabilities of an example lie"),
        (
            [0.5, 0.5],
            "probabilities has the shape (2,), with the classes 'no' and 'yes'; a row for each example and a column for",
        ),
        ([[0.2, 0.3, 0.5]], "probabilities has the shape (1, 3), with the classes 'no' and 'yes'; a row for each example"),
    ],
)
def test_probabilities_that_are_none_are_refused(probabilities: Any, text: str) -> None:
    """With the row."""
    assert refused(lambda: tb.CostMatrix(COST).decisions(probabilities)).startswith(text)


def test_probabilities_in_single_precision_are_probabilities() -> None:
    """They sum to 1 as nearly as they can."""
    p = np.full((1, 3), 1 / 3, dtype=np.float32)
    assert tb.CostMatrix(1 - np.eye(3)).expected_costs(p)[0] == pytest.approx([2 / 3] * 3, rel=1e-6)


# --- as a metric ----------------------------------------------------------------------------------------------------------


def test_evaluate_takes_it_as_a_metric() -> None:
    """Alone, in a list and under a name; the cost of each fold is that of its predictions, and lower is better."""
    cost = tb.CostMatrix(COST)
    models = {"tree": DecisionTreeClassifier(max_depth=2), "logistic": LogisticRegression()}
    evaluation = tb.evaluate(models, X, LABELS, cv=4, scoring=["accuracy", cost])
    assert not evaluation.record.metrics[1].metric.higher_is_better
    frame = evaluation.predictions
    for name in models:
        rows = frame[frame["model"] == name]
        by_hand = rows.groupby("fold")[["target", "prediction"]].apply(lambda g: cost.expected_cost(g["target"], g["prediction"]))
        np.testing.assert_allclose(evaluation.scores("expected_cost", models=[name]).matrices[0].score[0], by_hand)
    assert tb.evaluate(models, X, LABELS, cv=4, scoring=cost).metrics == ("expected_cost",)
    assert tb.evaluate(models, X, LABELS, cv=4, scoring={"euro": cost}).metrics == ("euro",)
    comparison = evaluation.compare("expected_cost", rope=0.5)
    assert comparison.metric.name == "expected_cost"
    assert float(comparison.ranking["mean"].iloc[0]) == evaluation.grid(0, 1).mean(axis=1).min()


def test_it_is_added_to_a_run_from_kept_predictions(tmp_path: Path) -> None:
    """A model that can be fitted once only is not fitted again; other costs under the same name are refused."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    models = {"logistic": LogisticRegression()}
    first = tb.evaluate(models, X, LABELS, cv=3, scoring="accuracy", store=url, name="run")
    again = tb.evaluate(models, X, LABELS, cv=3, scoring=["accuracy", tb.CostMatrix(COST)], store=url, name="run")
    assert again.times["fit_total"].tolist() == first.times["fit_total"].tolist()
    cost = again.summary("expected_cost")["value"].iloc[0]
    assert cost == pytest.approx(
        np.mean([tb.CostMatrix(COST).expected_cost(matrix) for matrix in again.confusion().matrices["logistic"]])
    )
    with pytest.raises(ChangedRunError, match="expected_cost"):
        tb.evaluate(models, X, LABELS, cv=3, scoring=tb.CostMatrix([[0, 2], [5, -1]], ["no", "yes"]), store=url, name="run")


def test_a_run_read_from_a_store_has_curves_but_not_the_costs(tmp_path: Path) -> None:
    """Predictions are kept, what decisions cost is not; the run that was just measured knows both."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    scoring = [tb.CostMatrix(COST), "roc_auc"]
    measured = tb.evaluate({"logistic": LogisticRegression()}, X, LABELS, cv=3, scoring=scoring, store=url, name="run")
    read = tb.read_evaluation(url)
    np.testing.assert_array_equal(read.confusion()["logistic"].counts, measured.confusion()["logistic"].counts)
    assert float(read.roc()["logistic"].auc.mean) == float(measured.roc()["logistic"].auc.mean)
    corrected = measured.bias_corrected("expected_cost", n_resamples=50)
    assert corrected.claim == pytest.approx(tb.CostMatrix(COST).expected_cost(measured.confusion()["logistic"]))
    assert told(DataError, lambda: read.bias_corrected("expected_cost")) == (
        "how 'expected_cost' is computed is not kept with the run, only its scores are; it cannot be pooled. Call evaluate with "
        "the same metric and store, which measures nothing again, and pool what it returns."
    )


def test_a_class_of_y_without_costs_is_found_before_the_first_fit() -> None:
    """Such as a label written in another way."""
    text = told(DataError, lambda: tb.evaluate({"logistic": LogisticRegression()}, X, Y, cv=3, scoring=tb.CostMatrix(COST)))
    assert text == (
        "the metric 'expected_cost' cannot be computed for y: y has the class 0, and the cost matrix has 'no' and 'yes'."
    )
    text = refused(
        lambda: tb.evaluate({"tree": DecisionTreeClassifier()}, X, X[:, :2] > 0, cv=3, scoring=tb.CostMatrix(COST)),
    )
    assert text == "a CostMatrix is for classes, and the target does not hold one label for each row."


class Odd(ClassifierMixin, BaseEstimator):
    """Predicts a label that no example has."""

    def __init__(self, label: str = "maybe") -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> Odd:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


def test_a_predicted_label_that_y_does_not_have() -> None:
    """With costs it costs them; without any it is undefined, with the reason."""
    costs = [[0, 1, 2], [5, -1, 2], [0, 0, 0]]
    known = tb.evaluate({"odd": Odd()}, X, LABELS, cv=3, scoring=tb.CostMatrix(costs, ["no", "yes", "maybe"]))
    assert known.grid(0, 0).tolist() == [[2.0, 2.0, 2.0]]
    unknown = tb.evaluate({"odd": Odd()}, X, LABELS, cv=3, scoring=tb.CostMatrix(COST))
    assert np.isnan(unknown.grid(0, 0)).all()
    assert unknown.undefined["reason"].iloc[0] == (
        "expected_cost: the model predicted 'maybe', and the cost matrix has 'no' and 'yes'"
    )


@pytest.mark.parametrize("several", [False, True])
def test_a_search_takes_it_and_compare_knows_its_direction(several: bool) -> None:
    """GridSearchCV picks the cheapest candidate; `compare` shows costs, of which lower is better."""
    cost = tb.CostMatrix(COST)
    scoring = {"cost": cost, "accuracy": "accuracy"} if several else cost
    refit = "cost" if several else True
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 5]}, cv=5, scoring=scoring, refit=refit)
    search.fit(X, LABELS)
    name = "cost" if several else "expected_cost"
    comparison = tb.compare(search, metric="cost" if several else None, X=X, y=LABELS, rope=0.1)
    assert (comparison.metric.name, comparison.metric.higher_is_better) == (name, False)
    theirs = -search.cv_results_["mean_test_cost" if several else "mean_test_score"]
    assert sorted(comparison.ranking["mean"]) == pytest.approx(sorted(theirs))
    assert comparison.ranking["mean"].iloc[0] == pytest.approx(theirs.min())
    assert search.best_params_ == search.cv_results_["params"][int(theirs.argmin())]


def test_a_search_inside_evaluate_and_cross_validate_take_it() -> None:
    """Copied with the model, and recognised in a store."""
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=3, scoring=tb.CostMatrix(COST))
    assert tb.evaluate({"search": search}, X, LABELS, cv=3).n_done == 3
    theirs = cross_validate(LogisticRegression(), X, LABELS, cv=3, scoring=tb.CostMatrix(COST))["test_score"]
    ours = tb.evaluate({"logistic": LogisticRegression()}, X, LABELS, cv=3, scoring=tb.CostMatrix(COST)).grid(0, 0)[0]
    np.testing.assert_allclose(ours, -theirs)
