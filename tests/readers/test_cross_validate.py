"""Results of cross_validate, and arrays, by model name."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from tests.readers.helpers import codes, read
from tiebreak.api import read_scores
from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidScoresError,
    UnknownDirectionError,
    UnknownNameError,
    UnpairedScoresError,
    UnreadableSourceError,
    UnsupportedSourceError,
)

Data = tuple[np.ndarray, np.ndarray]
CV = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def results(moons: Data, cv: Any = CV, **settings: Any) -> dict[str, Any]:
    """Of two models."""
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    return {name: cross_validate(model, *moons, cv=cv, **settings) for name, model in models.items()}


def test_indices_show_the_splits(moons: Data) -> None:
    """Exact sizes, repeats, and a hash; models are paired for certain."""
    found = results(moons, return_indices=True)
    scores = read_scores(found)
    matrix = scores.matrix()
    assert matrix.models == ("logistic", "bayes")
    assert_array_equal(matrix.score[1], found["bayes"]["test_score"])
    assert_array_equal(matrix.repeat, [0, 0, 0, 1, 1, 1])
    assert_array_equal(matrix.n_test, [len(test) for _, test in CV.split(*moons)])
    assert (scores.design.kind, scores.design.pairing, scores.design.sizes) == ("repeated-kfold", "key", "exact")
    assert scores.design.hash is not None
    assert scores.notices == ()
    assert (scores.metric.name, scores.metric.higher_is_better) == ("score", True)


def test_without_indices_pairing_is_assumed(moons: Data) -> None:
    """By position, and said; sizes are the caller's."""
    scores = read_scores(results(moons), metric="accuracy", n_train=40, n_test=21)
    assert codes(scores) == ["assumed-paired"]
    assert (scores.design.pairing, scores.design.sizes, scores.design.hash) == ("position", "exact", None)
    assert scores.metric.name == "accuracy"


def test_indices_of_some_models(moons: Data) -> None:
    """Sizes are known, pairing is assumed."""
    found = results(moons, return_indices=True)
    del found["bayes"]["indices"]
    scores = read_scores(found)
    assert codes(scores) == ["assumed-paired"]
    assert (scores.design.pairing, scores.design.sizes, scores.design.hash) == ("position", "exact", None)


def test_different_splits(moons: Data) -> None:
    """Both models and the first split that differs."""
    found = results(moons, cv=KFold(3), return_indices=True)
    found["bayes"] = cross_validate(GaussianNB(), *moons, cv=KFold(3, shuffle=True, random_state=0), return_indices=True)
    with pytest.raises(UnpairedScoresError) as caught:
        read_scores(found)
    assert str(caught.value) == (
        "the source: models 'logistic' and 'bayes' were scored on different splits; the first that differs is split 0 "
        "(counting from 0). Give cross_validate the same cv for all, with a fixed random_state if it shuffles."
    )


def test_same_tests_with_other_training_sets_are_other_splits(moons: Data) -> None:
    """Here the last one, which leaves a training example out."""
    found = results(moons, cv=KFold(3), return_indices=True)
    train = found["bayes"]["indices"]["train"]
    found["bayes"]["indices"]["train"] = (*train[:2], train[2][1:])
    with pytest.raises(UnpairedScoresError, match="the first that differs is split 2"):
        read_scores(found)


def test_several_metrics(moons: Data) -> None:
    """metric= selects; scikit-learn stores losses negated."""
    found = results(moons, scoring=["accuracy", "neg_log_loss"])
    with pytest.raises(AmbiguousSourceError, match="the source holds 2 metrics: 'accuracy' and 'neg_log_loss'"):
        read_scores(found)
    with pytest.raises(UnknownNameError, match="no metric is called 'acuracy'"):
        read_scores(found, metric="acuracy")
    for metric in ("log_loss", "neg_log_loss"):
        scores = read_scores(found, metric=metric)
        assert (scores.metric.name, scores.metric.higher_is_better) == ("log_loss", False)
        assert_array_equal(scores.matrix().score[0], -found["logistic"]["test_neg_log_loss"])


def test_plain_scores_are_named_by_the_caller(moons: Data) -> None:
    """A loss that was stored negated under test_score."""
    found = results(moons, scoring="neg_log_loss")
    assert read_scores(found).metric.higher_is_better
    scores = read_scores(found, metric="log_loss")
    assert (scores.matrix().score > 0).all()
    with pytest.raises(InvalidScoresError, match="scikit-learn stores the loss 'log_loss' negated, never above zero"):
        read_scores(results(moons), metric="log_loss")


def test_abbreviated_losses_are_losses(moons: Data) -> None:
    """scikit-learn stores them negated whatever the caller calls them; without the minus they are what their name says."""
    found = results(moons, scoring={"mse": "neg_mean_squared_error"})
    scores = read_scores(found, n_train=40, n_test=21)
    assert (scores.metric.name, scores.metric.higher_is_better) == ("mse", False)
    assert_array_equal(scores.matrix().score[0], -found["logistic"]["test_mse"])
    positive = {name: {**result, "test_mse": -result["test_mse"]} for name, result in found.items()}
    with pytest.raises(InvalidScoresError, match="stores the loss 'mse' negated, never above zero"):
        read_scores(positive, n_train=40, n_test=21)


def test_models_scored_differently(moons: Data) -> None:
    """One lacks the metric, or has another number of splits."""
    found = results(moons, scoring=["accuracy", "f1"])
    del found["bayes"]["test_f1"]
    with pytest.raises(UnreadableSourceError, match="model 'bayes' of the source has no scores for 'f1'"):
        read_scores(found, metric="f1")
    found = results(moons)
    found["bayes"] = cross_validate(GaussianNB(), *moons, cv=3)
    with pytest.raises(UnpairedScoresError, match="model 'logistic' has 6 scores and 'bayes' has 3, so they cannot be paired"):
        read_scores(found)


def test_indices_that_are_none(moons: Data) -> None:
    """A dict of another shape under 'indices'."""
    found = results(moons, return_indices=True)
    found["bayes"]["indices"] = {"train": []}
    with pytest.raises(UnreadableSourceError, match="the indices of model 'bayes' in the source are not what cross_validate"):
        read_scores(found)


def test_sizes_given_beside_indices(moons: Data) -> None:
    """They must agree."""
    with pytest.raises(ContradictingSizesError, match="n_train=99 was given, but the source says 4"):
        read_scores(results(moons, return_indices=True), n_train=99)


def test_result_of_a_single_call(moons: Data) -> None:
    """It has no name."""
    with pytest.raises(UnreadableSourceError) as caught:
        read_scores(results(moons)["bayes"])
    assert (
        str(caught.value)
        == "the source is the result of one call of cross_validate. Pass {name: result} with one for each model."
    )


# --- arrays ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [list, tuple, np.array, pd.Series, np.ma.array], ids=lambda each: each.__qualname__)
def test_arrays_of_all_kinds(convert: Any) -> None:
    """Paired by position, and said."""
    scores = read({"svm": convert([0.5, 1.0, 0.25]), "rf": [1, 0, True]})
    assert_array_equal(scores.matrix().score, [[0.5, 1.0, 0.25], [1, 0, 1]])
    assert_array_equal(scores.matrix().fold, [0, 1, 2])
    assert codes(scores) == ["assumed-paired"]


def test_missing_scores() -> None:
    """None, NA, nan and masked ones."""
    masked = np.ma.array([0.5, 0.6], mask=[False, True])
    scores = read({"a": [0.5, None], "b": pd.Series([0.5, pd.NA], dtype="Float64"), "c": [0.5, float("nan")], "d": masked})
    assert_array_equal(scores.matrix().score, np.tile([0.5, np.nan], (4, 1)))


def test_arrays_are_copied() -> None:
    """What the caller does with them later changes nothing."""
    values = np.array([0.5, 0.6])
    scores = read({"a": values, "b": values})
    values[:] = 0
    assert_array_equal(scores.matrix().score, [[0.5, 0.6]] * 2)


def test_losses_by_name() -> None:
    """Taken at their name's word."""
    assert_array_equal(read({"a": [0.5], "b": [0.25]}, metric="log_loss").matrix().score, [[0.5], [0.25]])
    assert_array_equal(read({"a": [-0.5], "b": [-0.25]}, metric="neg_log_loss").matrix().score, [[0.5], [0.25]])
    with pytest.raises(InvalidScoresError, match=r"model 'a' has -0\.5 on repeat 0 fold 0, but 'log_loss' is never negative"):
        read({"a": [-0.5], "b": [-0.25]}, metric="log_loss")


def test_unnamed_metric() -> None:
    """Is asked for."""
    with pytest.raises(UnknownDirectionError, match="the source does not say which metric its scores are"):
        read_scores({"a": [0.5], "b": [0.25]})


@pytest.mark.parametrize(
    ("arrays", "error", "text"),
    [
        (
            {"a": [1, 2], "b": [1]},
            UnpairedScoresError,
            (
                "the source: model 'a' has 2 scores and 'b' has 1, so they cannot be paired by their order. Score all models "
                "on the same splits."
            ),
        ),
        (
            {"a": np.zeros((2, 3))},
            InvalidScoresError,
            (
                "the scores of model 'a' have the shape (2, 3); one score for each split is needed, in one dimension. For "
                "repeats by folds, use a table with columns 'repeat' and 'fold'."
            ),
        ),
        ({"a": 0.5}, InvalidScoresError, "model 'a' has the single score 0.5; a score for each split is needed."),
        ({"a": []}, InvalidScoresError, "model 'a' has no scores; a score for each split is needed."),
        ({"a": "0.5"}, InvalidScoresError, "the scores of model 'a' must be numbers, one for each split; got '0.5'."),
        ({"a": None}, InvalidScoresError, "the scores of model 'a' must be numbers, one for each split; got None."),
        ({"a": object}, InvalidScoresError, "the scores of model 'a' must be numbers, one for each split; got <class 'object'>."),
        ({1: [0.5], "1": [0.6]}, UnreadableSourceError, "the source has two keys of the same text among '1' and '1'."),
        ({"a": ["0.5"]}, InvalidScoresError, "model 'a': '0.5' is not a number."),
        ({"a": [0.5, "x"]}, InvalidScoresError, "model 'a': '0.5' is not a number."),
        ({"a": [0.5, None, "x"]}, InvalidScoresError, "model 'a', score 3: 'x' is not a number."),
        ({"a": [[1], [1, 2]]}, InvalidScoresError, "the scores of model 'a' must be numbers in one list; got [[1], [1, 2]]."),
        (
            {"a": [0.5, float("inf")]},
            InvalidScoresError,
            (
                "the source: model 'a', repeat 0 fold 1: the score is infinite. Means and differences would be infinite too; "
                "correct it, or leave the cell empty (nan) if the score is undefined."
            ),
        ),
        ({"a": [10**400, None]}, InvalidScoresError, None),
        (
            {"a": [date(2024, 3, 1), 0.5]},
            InvalidScoresError,
            "model 'a', score 1: datetime.date(2024, 3, 1) is not a number.",
        ),
        (
            {"a": np.array(["2024-03-01"], dtype="datetime64[D]")},
            InvalidScoresError,
            None,
        ),
        ({}, UnreadableSourceError, "the source is an empty dict. Pass {name: scores} with at least two models."),
    ],
)
def test_unusable_arrays(arrays: dict[str, Any], error: type[Exception], text: str | None) -> None:
    """Which model and why."""
    with pytest.raises(error) as caught:
        read(arrays)
    assert text is None or str(caught.value) == text


def test_items_are_asked_about() -> None:
    """Right and wrong on a hundred examples, or on a hundred folds of one example."""
    arrays = {"a": [1, 0] * 50, "b": [1] * 100}
    with pytest.raises(AmbiguousSourceError, match="the source has 100 rows in which every score is 0 or 1"):
        read(arrays)
    assert read(arrays, n_train=99, n_test=1).matrix().n_splits == 100


def test_rows_of_right_and_wrong_are_no_splits() -> None:
    """An accuracy of 100 examples is hardly ever exactly 0 or 1; where it is always 1, the data are easy."""
    arrays = {"a": [1, 0] * 10, "b": [1] * 20}
    with pytest.raises(
        AmbiguousSourceError, match="has 20 rows in which every score is 0 or 1, though each is said to be of 100"
    ):
        read(arrays, n_train=400, n_test=100)
    assert read(arrays, n_train=4, n_test=2).matrix().n_splits == 20
    assert read({"a": [1.0] * 10, "b": [1.0] * 10}, n_train=900, n_test=100).matrix().n_splits == 10


def test_series_are_paired_by_their_index() -> None:
    """The label is the split; the order in which they stand is not."""
    a = pd.Series([0.1, 0.2, 0.3], index=["x", "y", "z"])
    scores = read({"a": a, "b": pd.Series([0.6, 0.4, 0.5], index=["z", "x", "y"])})
    assert_array_equal(scores.matrix().score, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert scores.design.pairing == "key"
    counted = read({"a": a.reset_index(drop=True), "b": [0.4, 0.5, 0.6]})
    assert counted.design.pairing == "position"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (pd.Series([1, 2, 3], index=["x", "y", "w"]), "have different indexes; 'a' has no score for 'w'"),
        (pd.Series([1, 2, 3, 4], index=["x", "y", "z", "x"]), "the index of model 'b' has 'x' twice"),
        (pd.Series([1, 2, 3]), "have different indexes"),
        ([1, 2, 3], "and those of 'b' have none"),
    ],
)
def test_indexes_that_do_not_fit(other: Any, message: str) -> None:
    """Pairing them by position would be a guess."""
    with pytest.raises(UnpairedScoresError, match=message):
        read({"a": pd.Series([0.1, 0.2, 0.3], index=["x", "y", "z"]), "b": other})


def test_masked_whole_numbers() -> None:
    """What is masked is missing, whatever the type of the rest."""
    masked = np.ma.array([1, 2, 3], mask=[False, False, True])
    assert_array_equal(read({"a": masked, "b": [1.0, 2.0, 3.5]}).matrix().score, [[1, 2, np.nan], [1, 2, 3.5]])
    table = {"fold": [0, 1, 2], "a": masked, "b": [1.0, 2.0, 3.5]}
    assert_array_equal(read(table).matrix().score, [[1, 2, np.nan], [1, 2, 3.5]])


def test_an_array_with_names() -> None:
    """A row or a column for each model, whichever the names fit."""
    table = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    for source in (table, table.T, table.tolist()):
        scores = read(source, models=["a", "b"])
        assert scores.models == ("a", "b")
        assert_array_equal(scores.matrix().score, table)


@pytest.mark.parametrize(
    ("source", "models", "error", "message"),
    [
        (np.zeros((2, 3)), None, UnsupportedSourceError, "the names of its models are not given"),
        (np.zeros((2, 3)), ["a"], UnsupportedSourceError, "the names of its models are 1"),
        (np.zeros((2, 2)), ["a", "b"], AmbiguousSourceError, "are its models in rows or in columns"),
        (np.zeros((2, 2, 2)), ["a", "b"], UnsupportedSourceError, "two dimensions are needed"),
        ([[0.1], [0.2, 0.3]], ["a", "b"], UnsupportedSourceError, "two dimensions are needed"),
    ],
)
def test_arrays_that_do_not_say_whose_they_are(source: Any, models: Any, error: type[Exception], message: str) -> None:
    """With the calls that do."""
    with pytest.raises(error, match=message):
        read(source, models=models)


def test_records() -> None:
    """A list of dicts is a table, as in a file."""
    records = [{"model": model, "fold": fold, "score": fold / 10 + (model == "b")} for model in "ab" for fold in (1, 0)]
    assert_array_equal(read(records).matrix().score, [[0.0, 0.1], [1.0, 1.1]])


def test_data_and_cv_tell_the_splits(moons: Data) -> None:
    """As given to cross_validate: sizes are counted, and of folds that are fixed the splits are known."""
    X, y = moons
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    results = {name: cross_validate(DummyClassifier(strategy=name), X, y, cv=cv) for name in ("prior", "uniform")}
    sizes = [len(test) for _, test in cv.split(X, y)]
    for source in (results, {name: result["test_score"] for name, result in results.items()}):
        scores = read_scores(source, X=X, y=y, cv=cv, metric="accuracy")
        assert_array_equal(scores.matrix().n_test, sizes)
        assert scores.design.kind == "stratified"
        assert scores.design.hash is not None
    with pytest.raises(ContradictingSizesError, match="gives 5 splits, but the models were scored on 4"):
        read_scores(results, X=X, y=y, cv=5)


def test_keys_that_are_no_text_beside_scores() -> None:
    """A result of cross_validate with something else in it is read by what it has."""
    assert read({"m": {1: [3, 4], "test_score": [0.1, 0.2]}, "n": {"test_score": [0.1, 0.3]}}).models == ("m", "n")


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ({}, "compare(..., metric='accuracy', n_train=..., n_test=...)"),
        ({"n_train": 8}, "compare(..., metric='accuracy', n_test=...)"),
        ({"metric": "regret"}, "compare(..., metric='regret', lower_is_better=False, n_train=..., n_test=...)"),
    ],
)
def test_all_that_is_lacking_is_said_at_once(given: dict[str, Any], lacking: str) -> None:
    """With the call that works, instead of one error after the other."""
    with pytest.raises(UnknownDirectionError) as caught:
        read_scores({"a": [0.1, 0.2], "b": [0.2, 0.4]}, **given)
    assert str(caught.value).endswith(f"All together, for example: {lacking}.")


def test_dict_of_columns_is_a_table() -> None:
    """Where a reserved word is among the names."""
    table = {"model": ["a", "b", "a", "b"], "fold": np.array([1, 1, 0, 0]), "score": [0.1, 0.2, 0.3, 0.4]}
    assert_array_equal(read(table).matrix().score, [[0.3, 0.1], [0.4, 0.2]])
    assert_array_equal(read({"fold": [1, 0], "svm": [0.1, 0.2]}).matrix().score, [[0.2, 0.1]])


@pytest.mark.parametrize("name", ["Fold", " Split", "PERIOD"])
def test_reserved_words_in_a_dict_may_be_in_capitals(name: str) -> None:
    """As in files; they were taken for a model."""
    assert read({name: [1, 0], "svm": [0.1, 0.2]}).models == ("svm",)


@pytest.mark.parametrize("name", ["index", "Id", "#", "Unnamed: 0"])
def test_a_running_number_in_a_dict_of_scores_is_no_model(name: str) -> None:
    """As a frame gives it, whose index became a column; under any other name a dict says itself that its keys are models."""
    with pytest.raises(UnreadableSourceError, match=r"counts upwards \(0, 1 \.\.\. 3\), so it is probably a running number"):
        read({name: [0, 1, 2, 3], "svm": [0.1, 0.2, 0.4, 0.3]})
    assert read({name: [0.4, 0.1, 0.2, 0.3], "svm": [0.1, 0.2, 0.4, 0.3]}).models == (name, "svm")
    assert read({"knn": [0, 1, 2, 3], "svm": [0.1, 0.2, 0.4, 0.3]}).models == ("knn", "svm")


def test_times_of_fits_come_with_the_scores(moons: Data) -> None:
    """The median over the splits of each model; none of a model whose times are no numbers."""
    found = results(moons, return_indices=True)
    scores = read_scores(found)
    assert scores.fit_seconds == {name: float(np.median(each["fit_time"])) for name, each in found.items()}
    found["bayes"]["fit_time"] = ["quick"]
    assert list(read_scores(found).fit_seconds) == ["logistic"]
