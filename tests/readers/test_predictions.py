"""Scores of items from predictions beside the truth."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import tiebreak as tb
from tiebreak.errors import DataError, UnclearSourceError

TRUTH = np.array([0, 1, 1, 0, 1, 0])
PROBABILITY = np.array([0.1, 0.8, 0.4, 0.3, 0.9, 0.6])


def test_classes_are_right_or_wrong() -> None:
    """Words and numbers; numbers as text are the same classes."""
    items = tb.read_predictions(["x", "y", "y"], {"a": ["x", "y", "x"], "b": ["y", "y", "y"]})
    assert items.score[:, 0].tolist() == [[1, 1, 0], [0, 1, 1]]
    assert items.columns["y_true"] == ("x", "y", "y")
    assert items.metric.name == "accuracy"


@pytest.mark.parametrize(
    ("metric", "whole", "of_three"),
    [
        ("log_loss", log_loss, -np.log([0.5, 0.6, 0.6]).mean()),
        ("brier_score", brier_score_loss, (0.38 + 0.26 + 0.24) / 3),  # 0.5^2 + 0.3^2 + 0.2^2 of the first, and so on
    ],
)
def test_losses_of_probabilities_are_scikit_learns(metric: str, whole, of_three: float) -> None:
    """Their mean is; of one column or of all, and, by hand, of three classes."""
    one = tb.read_predictions(TRUTH, {"a": PROBABILITY}, metric=metric)
    assert one.score.mean() == pytest.approx(whole(TRUTH, PROBABILITY))
    both = tb.read_predictions(TRUTH, {"a": np.stack([1 - PROBABILITY, PROBABILITY], axis=1)}, metric=metric)
    np.testing.assert_allclose(both.score, one.score)
    assert not one.metric.higher_is_better
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    assert tb.read_predictions([0, 1, 2], {"a": table}, metric=metric).score.mean() == pytest.approx(of_three)
    assert tb.read_predictions([0, 1], {"a": [0, 1]}, metric=metric).score.ravel().tolist() == pytest.approx([0, 0], abs=1e-12)


def test_ranking_keeps_truth_and_scores() -> None:
    """For the area under the ROC curve of DeLong's test."""
    items = tb.read_predictions(TRUTH, {"a": PROBABILITY, "b": PROBABILITY[::-1]})
    assert items.metric.name == "roc_auc"
    areas = tb.statistics.roc_areas(items.is_positive, items.score[:, 0]).estimate
    assert areas == pytest.approx([roc_auc_score(TRUTH, PROBABILITY), roc_auc_score(TRUTH, PROBABILITY[::-1])])
    other = tb.read_predictions(TRUTH, {"a": PROBABILITY}, metric="roc_auc", positive=0)
    assert other.is_positive.tolist() == (TRUTH == 0).tolist()


def test_numbers_have_errors() -> None:
    """Absolute and squared, for regression."""
    items = tb.read_predictions([1.5, 2.0, 3.0], {"a": [1.0, 2.5, 3.0]}, metric="mae")
    assert items.score.ravel().tolist() == [0.5, 0.5, 0.0]
    assert tb.read_predictions([1.5, 2.0], {"a": [1.0, 2.5]}, metric="mse").score.ravel().tolist() == [0.25, 0.25]


def test_classes_for_metrics_of_all_of_them_together() -> None:
    """Truth and predictions are places in the classes, of which the positive one is last; probabilities are of sorted classes."""
    y = ["cat", "dog", "dog", "cat"]
    items = tb.read_predictions(y, {"a": ["dog", "dog", "cat", "cat"]}, metric="f1", positive="dog")
    assert (items.classes, items.truth.tolist(), items.score[0, 0].tolist()) == (("cat", "dog"), [0, 1, 1, 0], [1, 1, 0, 0])
    turned = tb.read_predictions(y, {"a": [[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]]}, metric="f1", positive="cat")
    assert (turned.classes, turned.truth.tolist(), turned.score[0, 0].tolist()) == (("dog", "cat"), [1, 0, 0, 1], [0, 0, 1, 1])
    assert not items.is_binary
    assert items.disagreements("a", "a").empty
    assert items.at(np.array([0, 1])).truth.tolist() == [0, 1]
    assert items.hash() != turned.hash()
    assert tb.read_predictions([1, 2, 3], {"a": [1, 2, 2]}, metric="f1_macro").classes == ("1", "2", "3")
    with pytest.raises(tb.errors.UnsupportedSourceError, match="so tables of it are not joined"):
        tb.read_items(items, turned)


def test_predictions_are_compared_with_the_truth_as_y() -> None:
    """The first call that people try: a dict or frame of predictions, with `y` alone beside them."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    predicted = {name: np.where(rng.random(300) < right, y, 1 - y) for name, right in (("a", 0.9), ("b", 0.7))}
    expected = tb.compare(tb.read_predictions(y, predicted, metric="accuracy"))
    for source in (predicted, pd.DataFrame(predicted, index=range(5, 305)), {"a": [*predicted["a"]], "b": predicted["b"]}):
        answer = tb.compare(source, y=y, metric="accuracy")
        assert answer.method.question == "examples"
        assert answer.pair("a", "b").law.estimate == expected.pair("a", "b").law.estimate
    numbered = pd.DataFrame({"id": range(300)} | predicted)  # of a frame a column may number the examples
    assert tb.compare(numbered, y=y, metric="accuracy").models == ("a", "b")
    p = {name: np.c_[1 - q, q] for name, q in {"a": 0.2 + 0.6 * y, "b": rng.random(300)}.items()}
    assert tb.compare(p, y=y).metric.name == "roc_auc"
    with pytest.raises(DataError, match="each model has 299 values, and y has 300"):
        tb.compare({name: each[1:] for name, each in predicted.items()}, y=y, metric="accuracy")


# --- predictions in tables ------------------------------------------------------------------------------------------------

A = pd.DataFrame({"id": [1, 2, 3, 4], "y_true": [*"xyxy"], "y_pred": [*"xyxx"]})
B = A.assign(y_pred=[*"yyyy"])[::-1]


def test_a_table_with_the_truth_holds_predictions(tmp_path: Path) -> None:
    """A column for each model, or a table for each, joined by name in any order; for a metric of all examples together too."""
    wide = A[["id", "y_true"]].assign(a=[*"xyxx"], b=[*"yyyy"])
    A.to_csv(tmp_path / "a.csv", index=False)
    B.to_csv(tmp_path / "b.csv", index=False)
    f1 = tb.read_predictions(wide["y_true"], wide[["a", "b"]].to_dict("list"), metric="f1", positive="x")
    for sources in ([wide], [wide.drop(columns="id")], [{"a": A, "b": B}], [tmp_path / "a.csv", tmp_path / "b.csv"]):
        items = tb.read_items(*sources)
        assert (items.models, items.items, items.unit) == (("a", "b"), ("1", "2", "3", "4"), "example")
        assert items.score[:, 0].tolist() == [[1, 1, 1, 0], [0, 1, 0, 1]]
        assert tb.read_items(*sources, metric="f1", positive="x").hash() == f1.hash()
    assert tb.read_items(wide, metric="recall", positive="x", models=["b"]).models == ("b",)
    assert tb.read_items(wide.assign(user=[1, 1, 2, 2]), cluster="user").clusters == ("1", "1", "2", "2")
    numbers = {"y_true": [1, 2, 3.0], "a": [1, 2, 2.5], "b": [1, 1, 1.0]}
    assert tb.read_items(numbers, metric="mae").score[:, 0].tolist() == [[0, 0, 0.5], [0, 1, 2]]


def test_the_truth_and_the_examples_may_be_called_as_people_call_them() -> None:
    """The truth of something, a number of each example, and sentences beside them, which are said to be left out."""
    named = A[["y_true"]].rename(columns={"y_true": "Survived_true"}).assign(PassengerId=range(4), svm=[*"xyxx"], rf=[*"yyyy"])
    items = tb.read_items(named.assign(review=["very good", "bad", "not bad", "so so"]))
    assert (items.models, items.items) == (("svm", "rf"), ("0", "1", "2", "3"))
    assert items.sources == ("read: truth = Survived_true, item = PassengerId, models = 'svm' and 'rf'; not used: review",)


def test_a_ranking_is_of_probabilities_where_these_stand_beside_the_classes() -> None:
    """And not of the predicted classes; which items are right is not told of areas either."""
    table = {"y_true": [0, 1, 0, 1] * 5, "prediction": [0, 1, 1, 1] * 5, "probability": np.linspace(0, 1, 20)}
    areas = tb.read_predictions(table["y_true"], {"a": table["prediction"], "b": [0, 1, 0, 0] * 5}, metric="roc_auc")
    assert areas.flips("a", "b") is None


def test_predictions_may_stand_in_rows_of_each_model() -> None:
    """As those out of all folds are kept; a column of scores beside them is what it says."""
    rows = pd.concat([each.assign(model=name, fold=[0, 0, 1, 1]) for name, each in {"a": A, "b": B}.items()])
    items = tb.read_items(rows)
    assert (items.models, items.items) == (("a", "b"), ("1", "2", "3", "4"))
    assert items.score[:, 0].tolist() == [[1, 1, 1, 0], [0, 1, 0, 1]]
    assert tb.read_items(rows.assign(correct=1)).score.mean() == 1
    with pytest.raises(DataError, match=r"row 1, column 'model': no model is given"):
        tb.read_items(rows.assign(model=[None, *"aaabbbb"]))


def test_models_may_be_called_like_letters_of_classes() -> None:
    """But for their case, as no form of a prediction stands in the name."""
    answers = {"item": [1, 2, 3], "gold": [*"ABA"], "a": [*"ABB"], "b": [*"AAB"]}
    assert tb.read_items(answers).score[:, 0].tolist() == [[1, 1, 0], [1, 0, 0]]


def test_errors_of_forecasts_follow_each_other(rng: np.random.Generator) -> None:
    """Of one series they are losses in time; those of several belong together by series."""
    frame = pd.DataFrame({"unique_id": "s1", "ds": pd.date_range("2024-01-01", periods=12).astype(str), "y": rng.random(12)})
    frame = frame.assign(naive=rng.random(12), arima=rng.random(12))
    scores = tb.read_scores(frame, metric="mse")
    assert (scores.design.kind, scores.matrix().columns[0]) == ("periods", "2024-01-01")
    assert scores.matrix().score.tolist() == [((frame[each] - frame.y) ** 2).tolist() for each in ("naive", "arima")]
    with pytest.raises(UnclearSourceError, match="follow each other, and root_mean_squared_error is no mean"):
        tb.compare(frame, metric="rmse")
    two = pd.concat([frame, frame.assign(unique_id="s2")])
    assert tb.read_items(two, metric="mae").clusters == ("s1",) * 12 + ("s2",) * 12


def test_what_a_model_predicts_may_stand_beside_its_score() -> None:
    """A log of answers, each with what the model said and whether it is correct."""
    table = pd.DataFrame({"question": [1, 2] * 2, "model": [*"aabb"], "prediction": [*"xyzz"], "correct": [1, 0, 1, 1]})
    assert {*tb.compare(table).models} == {"a", "b"}
