"""Confusion matrices and curves in words, as HTML and as plain numbers, all from the one result."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
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


def test_plain_numbers_are_json(evaluation: tb.Evaluation) -> None:
    """nan is null, labels stay what they are; that all kinds are strict JSON is in test_view.py."""
    matrix = ConfusionMatrix(("no", "yes"), np.array([[9, 0], [1, 0]])).to_dict()
    assert matrix["precision"] == [0.9, None]
    assert matrix["counts"] == [[9, 0], [1, 0]]
    assert matrix["macro"]["recall"] == 0.5
    assert matrix["warnings"][0]["code"] == "majority-class"
    assert evaluation.roc().to_dict()["lines"][0]["model"] == HOSTILE
    assert set(evaluation.confusion().to_dict()["models"]) == {HOSTILE, "constant"}
