"""The examples of the evaluation lecture (E. Larson, Evaluation and Cross Validation), with its numbers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb

TEN_LABELS = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
TEN_SCORES = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]


def test_the_roc_table_of_ten_instances() -> None:
    """Three instances tie at 0.85 (one positive, two negatives) and enter together: one step from (0.2, 0.4) to (0.6, 0.6)."""
    curve = tb.metrics.roc_curve(TEN_LABELS, TEN_SCORES)
    table = curve.to_frame().iloc[1:]
    assert table["threshold"].tolist() == [0.95, 0.93, 0.87, 0.85, 0.76, 0.53, 0.43, 0.25]
    assert table["tp"].tolist() == [1, 2, 2, 3, 3, 4, 4, 5]
    assert table["fp"].tolist() == [0, 0, 1, 3, 4, 4, 5, 5]
    assert table["tn"].tolist() == [5, 5, 4, 2, 1, 1, 0, 0]
    assert table["fn"].tolist() == [4, 3, 3, 2, 2, 1, 1, 0]
    assert table["tpr"].tolist() == [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    assert table["fpr"].tolist() == [0.0, 0.0, 0.2, 0.6, 0.8, 0.8, 1.0, 1.0]
    assert curve.auc == pytest.approx(0.56)


def test_no_order_of_the_tied_instances_changes_it() -> None:
    """Sorting the negatives first or last would change the area."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(10)
        curve = tb.metrics.roc_curve(np.array(TEN_LABELS)[order], np.array(TEN_SCORES)[order])
        assert curve.auc == pytest.approx(0.56)


def test_an_accuracy_of_99_9_percent_that_finds_nothing() -> None:
    """9990 of class 0 and 10 of class 1: always saying 0 is right on 99.9 %, and finds no example of class 1."""
    matrix = tb.metrics.confusion_matrix([0] * 9990 + [1] * 10, [0] * 10000)
    assert matrix.accuracy == matrix.majority_rate == 0.999
    assert matrix.notices[0].code == "majority-class"
    assert matrix.recall.tolist() == [1.0, 0.0]
    assert matrix.balanced_accuracy == 0.5
    cost = tb.CostMatrix([[0, 1], [100, -1]])
    assert (cost.total_cost(matrix), cost.expected_cost(matrix)) == (1000.0, 0.1)


def test_two_models_by_cost_and_by_accuracy() -> None:
    """M1 (80 % right) costs 3910, M2 (90 % right) 4255, with a miss at 100, a false alarm at 1 and a hit at -1."""
    cost = tb.CostMatrix({"+": {"+": -1, "-": 100}, "-": {"+": 1, "-": 0}})
    m1 = tb.metrics.ConfusionMatrix(("+", "-"), np.array([[150, 40], [60, 250]]))
    m2 = tb.metrics.ConfusionMatrix(("+", "-"), np.array([[250, 45], [5, 200]]))
    assert (m1.accuracy, cost.total_cost(m1)) == (0.8, 3910)
    assert (m2.accuracy, cost.total_cost(m2)) == (0.9, 4255)


def test_the_travel_costs_of_four_countries() -> None:
    """Taking Canada for the USA costs 1, New Zealand for Australia 20, anything else 10."""
    countries = ["USA", "CAN", "AUS", "NZ"]
    cost = tb.CostMatrix([[0, 1, 10, 10], [1, 0, 10, 10], [10, 10, 0, 20], [10, 10, 20, 0]], labels=countries)
    counts = np.array([[50, 8, 1, 1], [6, 30, 2, 0], [1, 0, 15, 4], [0, 1, 3, 8]])
    matrix = tb.metrics.ConfusionMatrix(tuple(countries), counts)
    assert cost.total_cost(matrix) == 214
    assert cost.expected_cost(matrix) == pytest.approx(214 / 130)


def test_micro_and_macro_by_their_formulas() -> None:
    """Micro adds the counts of all classes before it divides, macro divides for each class and takes the mean."""
    matrix = tb.metrics.ConfusionMatrix((0, 1, 2, 3), np.array([[10, 4, 2, 1], [2, 15, 3, 3], [0, 1, 13, 3], [2, 4, 1, 16]]))
    tp, fp, fn = matrix.hits, matrix.predicted - matrix.hits, matrix.support - matrix.hits
    micro, macro = matrix.averaged("micro"), matrix.averaged("macro")
    assert micro.precision == pytest.approx(tp.sum() / (tp.sum() + fp.sum()))
    assert micro.recall == pytest.approx(tp.sum() / (tp.sum() + fn.sum()))
    assert macro.precision == pytest.approx(np.mean(tp / (tp + fp)))
    assert macro.recall == pytest.approx(np.mean(tp / (tp + fn)))
    assert macro.f_beta == pytest.approx(np.mean(2 * tp / (2 * tp + fp + fn)))


def test_a_confusion_matrix_of_folds_on_real_data() -> None:
    """Each iris flower is predicted once in ten folds: 150 predictions, and the rows are the 50 of each kind."""
    X, y = load_iris(return_X_y=True)
    confusions = tb.evaluate({"bayes": GaussianNB()}, X, y, cv=10).confusion()
    assert confusions["bayes"].support.tolist() == [50, 50, 50]
