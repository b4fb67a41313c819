"""Confusion matrices and curves in words, as HTML and as plain numbers, all from the one result."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tiebreak.metrics.confusion import ConfusionMatrix

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=4)
HOSTILE = "<b>tree</b> & \n co"


@pytest.fixture(scope="module")
def evaluation() -> tb.Evaluation:
    """A model with a name like markup, and one that always says the same."""
    models = {HOSTILE: GaussianNB(), "constant": DummyClassifier()}
    return tb.evaluate(models, X, Y, cv=5, scoring=["roc_auc", "accuracy", "neg_log_loss"])


def test_a_matrix_in_words() -> None:
    """The warning, both tables, and "-" for what is undefined."""
    text = str(ConfusionMatrix(("no", "yes"), np.array([[9, 0], [1, 0]])))
    assert " ".join(text.split()) == " ".join(
        """
Accuracy 0.9000 on 10 examples; always predicting the most frequent class gives 0.9000. Balanced
accuracy 0.5000, Matthews' correlation 0.0000.

Examples: actual class in rows, predicted class in columns
       no  yes
  no    9    0
  yes   1    0

Classes
  class             examples  predicted  precision  recall      F1
  no                       9         10     0.9000  1.0000  0.9474
  yes                      1          0          -  0.0000  0.0000
  micro average           10         10     0.9000  0.9000  0.9000
  macro average           10         10     0.4500  0.5000  0.4737
  weighted average        10         10     0.8100  0.9000  0.8526

Warning: the accuracy of 0.9 equals the 0.9 of always predicting 'no', the most frequent class: it
does not show that anything was learnt [majority-class]

Warning: the precision of class 'yes' is undefined: it is never predicted [undefined-metric]""".split()
    )


def test_a_curve_in_words() -> None:
    """Pairs, and where the points are; the interval says what it is about."""
    curve = tb.metrics.roc_curve([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    assert " ".join(str(curve).split()) == (
        "AUC 0.8750 (95% interval 0.2276 to 0.9940, by DeLong: other examples, the same model) for class 1: of 4 pairs of a "
        "positive and a negative example 3 are in the right order and 1 tied. Its points are in to_frame(); an example is called "
        "positive when its score is at least the threshold."
    )
    assert curve.to_frame()[["threshold", "tp", "fp"]].to_numpy().tolist() == [
        [np.inf, 0, 0],
        [0.9, 1, 0],
        [0.5, 2, 1],
        [0.1, 2, 2],
    ]


def test_long_results_say_where_the_rest_is() -> None:
    """Twelve classes, and fifty."""
    many = str(ConfusionMatrix(tuple(range(12)), np.eye(12)))
    assert "The 12 x 12 counts are in to_frame(), and plot() draws them." in many
    classes = str(ConfusionMatrix(tuple(range(50)), np.zeros((50, 50))))
    assert "Classes; 10 more are in per_class()" in classes
    assert "and 145 more" in classes


def test_chance_is_the_share_of_positives() -> None:
    """3 of 8 examples."""
    curve = tb.metrics.precision_recall_curve([1, 0, 1, 0, 0, 1, 0, 0], np.arange(8) / 8)
    assert "precision 0.3750 (3 of 8 examples)" in " ".join(str(curve).split())


def test_what_is_undefined_is_said() -> None:
    """In place of a number."""
    reason = "there is no example of the positive class 1."
    assert str(tb.metrics.roc_curve([0, 0], [1, 2])).replace("\n", " ") == f"The ROC curve is undefined: {reason}"
    assert (
        str(tb.metrics.precision_recall_curve([0, 0], [1, 2])).replace("\n", " ")
        == f"The precision-recall curve is undefined: {reason}"
    )
    bins = "with Wilson's 95% interval of each share, are in to_frame(). Warning: there is no example of the positive class 1"
    assert bins in " ".join(str(tb.metrics.calibration_curve([0, 0], [0.1, 0.2])).split())
    loo = tb.evaluate({"bayes": GaussianNB()}, X[:20], Y[:20], cv="loo", scoring=["accuracy", "neg_log_loss"])
    said = " ".join(str(loo.roc()).split())
    n = int(Y[:20].sum())
    assert "Undefined for 'bayes', class 1, on 20 of 20 splits: on " in said
    assert f"on {n}, all examples are of the positive class 1" in said


def test_models_in_words(evaluation: tb.Evaluation) -> None:
    """A row for each, names on one line, and a warning for the one that learnt nothing."""
    text = str(evaluation.confusion())
    assert r"<b>tree</b> & \n co" in text
    assert "'constant': the accuracy of" in text
    assert 'compare("roc_auc")' in str(evaluation.roc()).replace("\n", " ")


def test_intervals_that_are_cut_off_are_said_to_be(evaluation: tb.Evaluation) -> None:
    """An area under a curve is at most 1, which the corrected interval of few splits exceeds."""
    rocs = evaluation.roc()
    said = "Intervals are cut off at the smallest and largest possible AUC." in " ".join(rocs.to_text().split())
    assert said == any(end in (0.0, 1.0) for line in rocs for end in (line.auc.low, line.auc.high))
    features, target = make_classification(n_samples=100, class_sep=1.5, flip_y=0.05, random_state=0)
    sure = tb.evaluate({"nb": GaussianNB()}, features, target, cv=4, scoring=["roc_auc", "neg_brier_score"])
    for result, name in (
        (sure.roc(), "AUC"),
        (sure.precision_recall(), "average precision"),
        (sure.calibration(), "Brier score"),
    ):
        assert f"Intervals are cut off at the smallest and largest possible {name}." in " ".join(str(result).split())


def test_several_classes_have_a_column() -> None:
    """And the title says that each is against the rest."""
    X, y = load_iris(return_X_y=True)
    text = str(tb.evaluate({"bayes": GaussianNB()}, X, y, cv=3, scoring="roc_auc_ovr").roc())
    assert text.startswith("ROC curves of each class against the rest\n  model  class  mean AUC")


def test_plain_numbers_are_json(evaluation: tb.Evaluation) -> None:
    """nan is null, labels stay what they are; that all kinds are strict JSON is in test_view.py."""
    matrix = ConfusionMatrix(("no", "yes"), np.array([[9, 0], [1, 0]])).to_dict()
    assert matrix["precision"] == [0.9, None]
    assert matrix["counts"] == [[9, 0], [1, 0]]
    assert matrix["macro"]["recall"] == 0.5
    assert matrix["warnings"][0]["code"] == "majority-class"
    assert evaluation.roc().to_dict()["lines"][0]["model"] == HOSTILE
    assert set(evaluation.confusion().to_dict()["models"]) == {HOSTILE, "constant"}
