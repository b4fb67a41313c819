"""Scores of single examples from kept predictions; curves and matrices have tests of their own."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError

X, Y = make_classification(n_samples=60, random_state=0)
MODELS = {"logistic": LogisticRegression(), "dummy": DummyClassifier()}


@pytest.fixture(scope="module")
def evaluation() -> tb.Evaluation:
    return tb.evaluate(MODELS, X, Y, cv=5, scoring=["accuracy", "log_loss"], keep_predictions=True)


def test_items_are_the_examples_with_their_folds(evaluation: tb.Evaluation) -> None:
    """Every row once, right or wrong as scored: the mean over a fold's examples is the fold's accuracy."""
    items = evaluation.items("accuracy")
    assert len(items.items) == 60
    assert items.n_clusters == 5
    folds = np.array([int(name.removeprefix("fold ")) for name in items.clusters])
    for model, row in zip(items.models, items.item_means(), strict=True):
        expected = evaluation.scores(metric="accuracy").matrix().score[evaluation.models.index(model)]
        np.testing.assert_allclose([row[folds == fold].mean() for fold in range(5)], expected)
    assert "what is said holds for these training sets" in items.sources[0]


def test_probabilities_give_losses_and_areas(evaluation: tb.Evaluation) -> None:
    """The mean log loss of equal folds is that of all examples; the area has the truth beside."""
    losses = evaluation.items("log_loss")
    expected = evaluation.scores(metric="log_loss").matrix().score.mean(axis=1)
    np.testing.assert_allclose(losses.item_means().mean(axis=1), expected)
    assert evaluation.items("roc_auc").is_positive.sum() == Y.sum()


def test_metrics_of_all_predictions_together(evaluation: tb.Evaluation) -> None:
    """Predicted classes of all folds of a repeat, as they were kept, with the folds as clusters."""
    items = evaluation.items("f1_macro")
    kept = evaluation.predictions[evaluation.predictions["repeat"] == 0]
    assert items.n_clusters == kept["fold"].nunique()
    for row, name in zip(items.score[:, 0], items.models, strict=True):
        own = kept[kept["model"] == name]
        found = float(tb.statistics.metric_of_classes(items.truth, row, "f1_macro").estimate[0])
        assert found == pytest.approx(f1_score(own["target"], own["prediction"], average="macro"), abs=1e-12)


def test_what_was_not_kept_is_named(evaluation: tb.Evaluation) -> None:
    """Another repeat, another metric, probabilities that nobody asked for."""
    with pytest.raises(DataError, match="no predictions of repeat 3; there are those of '0'"):
        evaluation.items("accuracy", repeat=3)
    with pytest.raises(InvalidParameterError, match="'max_error' is no metric of predictions"):
        evaluation.items("max_error")
    labels = tb.evaluate(MODELS, X, Y, cv=5, scoring="accuracy", keep_predictions=True)
    with pytest.raises(DataError, match="no probabilities of 'logistic' were kept"):
        labels.items("log_loss")
