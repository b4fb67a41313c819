"""Confusion matrices of an evaluation: of folds, and of all folds together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, UnclearSourceError, UnknownNameError

X, Y = make_classification(n_samples=90, n_features=6, n_informative=4, n_classes=3, flip_y=0.2, random_state=2)
LABELS = np.array(["high", "low", "mid"])[Y]
MODELS = {"bayes": GaussianNB(), "constant": DummyClassifier()}
CV = {"kind": "repeated-stratified", "n_folds": 3, "n_repeats": 2}


class Failing(ClassifierMixin, BaseEstimator):
    """Fails where the first training row is not the first of all, and else predicts what is no label."""

    def fit(self, X: Any, y: Any) -> Failing:
        if X[0, 0] != globals()["X"][0, 0]:
            raise ValueError("no")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), "none of them")


@pytest.fixture(scope="module")
def evaluation() -> tb.Evaluation:
    """Two models on 2 x 3 folds."""
    return tb.evaluate(MODELS, X, LABELS, cv=CV)


def test_matrices_are_those_of_the_kept_predictions(evaluation: tb.Evaluation) -> None:
    """scikit-learn's, of each fold; together they add up, each example once for each repeat."""
    confusions, frame = evaluation.confusion(), evaluation.predictions
    for model in MODELS:
        mine = frame[frame["model"] == model]
        for repeat, fold, matrix in zip(
            confusions.repeat[model], confusions.fold[model], confusions.matrices[model], strict=True
        ):
            rows = mine[(mine["repeat"] == repeat) & (mine["fold"] == fold)]
            theirs = confusion_matrix(rows["target"], rows["prediction"], labels=["high", "low", "mid"])
            np.testing.assert_array_equal(matrix.counts, theirs)
        theirs = confusion_matrix(mine["target"], mine["prediction"], labels=["high", "low", "mid"])
        np.testing.assert_array_equal(confusions[model].counts, theirs)
        assert confusions[model].n_examples == 2 * len(X)


def test_some_models_by_name(evaluation: tb.Evaluation) -> None:
    """One or several; as a frame each cell of each fold."""
    assert tuple(evaluation.confusion("constant")) == ("constant",)
    assert evaluation.confusion(["constant", "bayes"]).models == ("constant", "bayes")
    frame = evaluation.confusion("bayes").to_frame()
    assert len(frame) == 6 * 9
    assert frame["count"].sum() == 180
    assert "no model is called 'base': did you mean 'bayes'" in told(UnknownNameError, evaluation.confusion, "base")


def test_failed_folds_are_left_out_and_strange_labels_kept() -> None:
    """A model that failed on some splits is counted on the others; a label that is none gets a column of its own."""
    confusions = tb.evaluate({"failing": Failing(), "bayes": GaussianNB()}, X, LABELS, cv=3).confusion()
    matrix = confusions["failing"]
    assert 0 < len(confusions.matrices["failing"]) < 3
    assert matrix.labels == ("high", "low", "mid", "(another label)")
    assert matrix.predicted.tolist() == [0, 0, 0, matrix.n_examples]
    assert confusions["bayes"].n_examples == len(X)


def test_what_cannot_be_counted_is_said() -> None:
    """A regression; predictions that were not kept, or only decision values; a model that failed throughout."""
    regression = tb.evaluate([LogisticRegression()], X, X[:, 0] > 0, cv=3, scoring="roc_auc")
    assert told(DataError, regression.confusion) == (
        "predict of the model 'LogisticRegression' was not kept; what was kept is 'decision_function'. What the metrics ask for "
        'is kept: evaluate with scoring="accuracy" too. In a store only what is missing is measured.'
    )
    from sklearn.linear_model import Ridge

    with pytest.raises(DataError, match="this is for classes; what was evaluated is a regression"):
        tb.evaluate([Ridge()], X, X[:, 0], cv=3).confusion()
    with pytest.raises(DataError, match=r"predictions were not kept\. Evaluate with keep_predictions=True"):
        tb.evaluate(MODELS, X, LABELS, cv=3, keep_predictions=False).confusion()


def test_a_model_that_failed_throughout_is_left_out_unless_it_is_named() -> None:
    """Beside one that was measured."""

    def broken(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        raise ValueError("no")

    evaluation = tb.evaluate({"broken": broken, "bayes": GaussianNB()}, X, LABELS, cv=3)
    assert evaluation.confusion().models == ("bayes",)
    assert "'broken' has no measured cell here" in told(DataError, evaluation.confusion, ["broken", "bayes"])


def test_one_of_several_datasets() -> None:
    """It has to be named."""
    evaluation = tb.evaluate(MODELS, datasets={"one": (X, LABELS), "other": (X[:60], LABELS[:60])}, cv=3)
    assert evaluation.confusion(dataset="other")["bayes"].n_examples == 60
    assert "there are 2 datasets: 'one' and 'other'. Pass dataset=" in told(UnclearSourceError, evaluation.confusion)
