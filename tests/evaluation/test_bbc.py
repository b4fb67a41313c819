"""BBC-CV of a finished evaluation: from the predictions that were kept, whatever the metric."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError, UnknownNameError
from tiebreak.statistics import bootstrap_winner

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.3, random_state=4)
MODELS = {"bayes": GaussianNB(), "logistic": LogisticRegression(), "dummy": DummyClassifier(strategy="stratified")}
CV = {"kind": "stratified", "n_folds": 4, "seed": 0}


def evaluated(models: Any = MODELS, **settings: Any) -> tb.Evaluation:
    """A small evaluation."""
    return tb.evaluate(models, X, Y, **{"cv": CV, **settings})


def test_it_is_the_bootstrap_of_the_out_of_fold_predictions() -> None:
    """Predictions made by scikit-learn on the same folds, right or wrong, through the array function."""
    evaluation = evaluated({"bayes": GaussianNB(), "logistic": LogisticRegression()})
    splits = list(RepeatedStratifiedKFold(n_splits=4, n_repeats=1, random_state=0).split(X, Y))
    right = np.column_stack([cross_val_predict(model, X, Y, cv=splits) == Y for model in (GaussianNB(), LogisticRegression())])
    expected = bootstrap_winner(right, higher_is_better=True)
    score = tb.evaluate({"bayes": GaussianNB(), "logistic": LogisticRegression()}, X, Y, cv=splits).bias_corrected()
    assert (score.score, score.low, score.high, score.claim) == (expected.mean, expected.low, expected.high, expected.claim)
    assert score.chosen.tolist() == expected.chosen.tolist()
    assert score.winner == ("bayes", "logistic")[expected.winner]
    assert evaluation.bias_corrected().n_examples == 80


def test_a_metric_that_is_no_mean_is_computed_for_each_bootstrap() -> None:
    """ROC AUC: the claim is the pooled area of the best; a bootstrap by hand gives the same out-of-bag score."""
    evaluation = evaluated({"bayes": GaussianNB(), "logistic": LogisticRegression()}, scoring="roc_auc")
    score = evaluation.bias_corrected(n_resamples=50, rng=3)
    with pytest.raises(InvalidParameterError, match="n_resamples must be at most 100,000; got 1000000000"):
        evaluation.bias_corrected(n_resamples=10**9)
    frame = evaluation.predictions.sort_values("row")
    column = {name: part.filter(regex="^decision|^probability").dropna(axis=1) for name, part in frame.groupby("model")}
    answers = [column["bayes"]["probability 1"].to_numpy(), column["logistic"]["decision"].to_numpy()]
    assert score.claim == pytest.approx(max(roc_auc_score(Y, answer) for answer in answers))
    by_hand = []
    drawn = np.random.default_rng(3).integers(80, size=(50, 80))
    for rows in drawn:
        out = np.setdiff1d(np.arange(80), rows)
        best = max((0, 1), key=lambda m: roc_auc_score(Y[rows], answers[m][rows]))
        by_hand.append(roc_auc_score(Y[out], answers[best][out]))
    assert score.score == pytest.approx(np.mean(by_hand), abs=1e-12)


def test_only_some_models_and_a_run_out_of_a_store(tmp_path: Path) -> None:
    """What is read back says the same."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    evaluation = evaluated(store=url, name="run")
    names = ["dummy", "bayes"]
    score = evaluation.bias_corrected(models=names)
    assert score.models == tuple(names)
    assert tb.read_evaluation(url).bias_corrected(models=names).to_dict() == score.to_dict()
    with pytest.raises(UnknownNameError, match="no model is called 'bays'"):
        evaluation.bias_corrected(models=["bays"])


def test_a_model_without_predictions_on_some_split_is_left_out() -> None:
    """And said so; where none has them all, it is an error."""

    def fails(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        if (X_test[:, 0] == X[0, 0]).any():
            raise ValueError("no")
        return np.zeros(len(X_test))

    score = evaluated({"bayes": GaussianNB(), "logistic": LogisticRegression(), "fails": fails}).bias_corrected()
    assert score.models == ("bayes", "logistic")
    assert [tuple(notice) for notice in score.notices] == [("left-out", "'fails' is left out: no predictions on some split")]
    message = "no model has predictions on all splits. evaluation.failures says why."
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        evaluated({"fails": fails}).bias_corrected()


def test_a_metric_that_asks_the_fitted_models_cannot_be_bootstrapped() -> None:
    """They are gone."""
    evaluation = evaluated(scoring={"gini": lambda model, X, y: 1.0})
    message = "'gini' is computed from the fitted models, which are not kept; predictions do not tell it."
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        evaluation.bias_corrected()


def test_splits_that_test_different_rows_are_refused() -> None:
    """Repeated holdouts: each repeat has its own rows."""
    message = (
        "the bias-corrected score needs each repeat to test the same examples, each once, and splits of the kind "
        "'repeated-holdout' do not. Use folds, repeated or not, or measure the search as a model."
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        evaluated(cv="repeated-holdout").bias_corrected()


def test_groups_and_time_are_warned_of() -> None:
    """Groups are told of until they are given."""
    groups = np.repeat(np.arange(20), 4)
    grouped = evaluated(groups=groups, cv={"kind": "group", "n_folds": 4})
    assert [notice.code for notice in grouped.bias_corrected().notices] == ["groups-torn"]
    wide, narrow = grouped.bias_corrected(groups=groups), grouped.bias_corrected()
    assert wide.notices == ()
    assert wide.high - wide.low > narrow.high - narrow.low
    with pytest.raises(DataError, match=re.escape("groups must name the group of each of the 80 examples; got the")):
        grouped.bias_corrected(groups=[1, 2])
    y = X[:, 0] > X[:, 1]
    ordered = tb.evaluate(MODELS, X, y, cv="time").bias_corrected()
    assert ([notice.code for notice in ordered.notices], ordered.n_examples) == (["ordered-splits"], 65)
