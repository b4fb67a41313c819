"""Real searches of scikit-learn: candidates, metric, direction, sizes, splits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import fbeta_score, get_scorer, log_loss, make_scorer, mean_squared_error
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests.readers.helpers import codes
from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidParameterError,
    InvalidScoresError,
    MissingSizesError,
    UnfittedSearchError,
    UnknownNameError,
    UnreadableSourceError,
)
from tiebreak.readers import read_scores

Fit = Callable[..., Any]
Data = tuple[np.ndarray, np.ndarray]


def test_gallery_case(moons: Data) -> None:
    """Kernels on moons: names, scores in split order, exact sizes, repeats and folds."""
    X, y = moons
    grid = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    scores = read_scores(search, X=X, y=y)
    matrix = scores.matrix()
    assert matrix.models == ("linear", "poly, degree=2", "poly, degree=3", "rbf")
    assert_array_equal(matrix.score[:, 7], search.cv_results_["split7_test_score"])
    assert_array_equal(matrix.repeat, np.repeat([0, 1], 5))
    assert_array_equal(matrix.fold, np.tile(np.arange(5), 2))
    splits = list(cv.split(X, y))
    assert_array_equal(matrix.n_test, [len(test) for _, test in splits])
    assert_array_equal(matrix.n_train, [len(train) for train, _ in splits])
    assert (scores.metric.name, scores.metric.higher_is_better) == ("roc_auc", True)
    assert (scores.design.kind, scores.design.pairing, scores.design.sizes) == ("repeated-stratified", "key", "exact")
    assert scores.notices == ()


def test_random_search(moons: Data) -> None:
    """Drawn candidates, duplicates included."""
    X, y = moons
    search = RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, n_iter=2, random_state=0).fit(X, y)
    assert sorted(read_scores(search, X=X, y=y).models) == ["C=0.1", "C=1"]
    search.cv_results_["params"][1] = search.cv_results_["params"][0]
    scores = read_scores(search, X=X, y=y)
    assert codes(scores) == ["duplicate-candidates"]
    assert scores.models[1].endswith(" #2")


def test_pipeline_prefixes_are_dropped(moons: Data) -> None:
    """logisticregression__C is C."""
    X, y = moons
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(pipeline, {"logisticregression__C": [0.1, 1]}).fit(X, y)
    scores = read_scores(search, X=X, y=y)
    assert scores.models == ("C=0.1", "C=1")
    assert scores.metric.name == "accuracy"


def test_successive_halving_keeps_the_last_iteration(moons: Data) -> None:
    """Earlier ones saw other examples, so they cannot be paired with it; sizes are those of the subsample."""
    X, y = moons
    grid = {"max_depth": [1, 2, 3, 4, 5, 6]}
    search = HalvingGridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3, factor=2, min_resources=12, random_state=0)
    search.fit(X, y)
    last = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    scores = read_scores(search, X=X, y=y)
    assert len(scores.models) == last.sum()
    assert_array_equal(scores.matrix().score[:, 0], search.cv_results_["split0_test_score"][last])
    fraction = search.cv_results_["n_resources"][-1] / len(X)
    assert fraction < 1
    assert_array_equal(scores.matrix().n_test, [int(fraction * n) for n in (21, 20, 20)])
    assert scores.design.hash is None


def test_successive_halving_of_another_resource(moons: Data) -> None:
    """All examples are seen in every iteration, and the splits are whole."""
    X, y = moons
    grid = {"criterion": ["gini", "entropy"], "splitter": ["best", "random"]}
    tree = DecisionTreeClassifier(random_state=0)
    search = HalvingGridSearchCV(
        tree, grid, resource="max_depth", max_resources=4, min_resources=2, cv=3, factor=2, random_state=0
    )
    scores = read_scores(search.fit(X, y), X=X, y=y)
    assert len(scores.models) == 2
    assert_array_equal(scores.matrix().n_test, [21, 20, 20])
    assert scores.design.hash is not None


def test_search_without_scores_of_splits(fit: Fit, moons: Data) -> None:
    """Such as one of another library that keeps means only."""
    search = fit(cv=3)
    search.cv_results_ = {"params": search.cv_results_["params"], "mean_test_score": search.cv_results_["mean_test_score"]}
    with pytest.raises(
        UnreadableSourceError, match=r"^the GridSearchCV holds no scores of splits \(split0_test_score and so on\)\.$"
    ):
        read_scores(search, X=moons[0], y=moons[1])


# --- metric and direction -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["neg_log_loss", get_scorer("neg_log_loss")])
def test_negated_loss(scoring: Any, fit: Fit, moons: Data) -> None:
    """Shown as the loss, lower is better, whether asked for by name or as an object."""
    search = fit(scoring=scoring)
    for metric in (None, "log_loss", "neg_log_loss"):
        scores = read_scores(search, X=moons[0], y=moons[1], metric=metric)
        assert (scores.metric.name, scores.metric.higher_is_better) == ("log_loss", False)
        assert_array_equal(scores.matrix().score[:, 0], -search.cv_results_["split0_test_score"])


def test_several_metrics(fit: Fit, moons: Data) -> None:
    """metric= selects; names of the caller's own keep their scorer's direction."""
    search = fit(scoring={"AUC": "roc_auc", "loss": "neg_log_loss", "accuracy": "accuracy"})
    X, y = moons
    with pytest.raises(AmbiguousSourceError, match="the GridSearchCV holds 3 metrics: 'AUC', 'loss' and 'accuracy'"):
        read_scores(search, X=X, y=y)
    with pytest.raises(UnknownNameError, match="no metric is called 'Loss': did you mean 'loss'"):
        read_scores(search, X=X, y=y, metric="Loss")
    auc, loss = (read_scores(search, X=X, y=y, metric=metric) for metric in ("AUC", "loss"))
    assert (auc.metric.name, auc.metric.higher_is_better) == ("AUC", True)
    assert (loss.metric.name, loss.metric.higher_is_better) == ("loss", False)
    assert_array_equal(loss.matrix().score[:, 1], -search.cv_results_["split1_test_loss"])


def test_default_metric_of_the_estimator(fit: Fit, moons: Data) -> None:
    """Accuracy of classifiers and R2 of regressors; metric= must agree with it."""
    X, y = moons
    assert read_scores(fit(), X=X, y=y).metric.name == "accuracy"
    ridge = GridSearchCV(Ridge(), {"alpha": [1, 2]}).fit(X, y)
    assert read_scores(ridge, X=X, y=y).metric.name == "r2"
    with pytest.raises(UnknownNameError, match="no metric is called 'f1': there are 'accuracy'"):
        read_scores(fit(), X=X, y=y, metric="f1")


def test_supposed_metric_yields_to_the_caller(moons: Data) -> None:
    """A classifier with a score method of its own, and an estimator that is neither."""
    X, y = moons
    dummy = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "stratified"]}).fit(X, y)
    assert read_scores(dummy, X=X, y=y).metric.name == "accuracy"
    assert read_scores(dummy, X=X, y=y, metric="balanced_accuracy").metric.name == "balanced_accuracy"
    kmeans = GridSearchCV(KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3]}).fit(X)
    metric = read_scores(kmeans, X=X).metric
    assert (metric.name, metric.higher_is_better) == ("score", True)
    inertia = read_scores(kmeans, X=X, metric="inertia", lower_is_better=True)
    assert (inertia.metric.name, inertia.metric.higher_is_better) == ("inertia", False)
    assert (inertia.matrix().score > 0).all()


def false_alarms(truth: np.ndarray, found: np.ndarray) -> float:
    return float(np.sum((found == 1) & (truth == 0)))


def test_scorers_of_ones_own(fit: Fit, moons: Data) -> None:
    """Their function's name and sign, unless metric= says another."""
    X, y = moons
    search = fit(scoring=make_scorer(false_alarms, greater_is_better=False))
    scores = read_scores(search, X=X, y=y)
    assert (scores.metric.name, scores.metric.higher_is_better) == ("false_alarms", False)
    assert (scores.matrix().score >= 0).all()
    assert read_scores(search, X=X, y=y, metric="cost").metric.name == "cost"
    assert not read_scores(search, X=X, y=y, metric="cost").metric.higher_is_better
    f2 = read_scores(fit(scoring=make_scorer(fbeta_score, beta=2)), X=X, y=y).metric
    assert (f2.name, f2.higher_is_better) == ("fbeta_score", True)


def test_function_as_scoring(fit: Fit, moons: Data) -> None:
    """Of which scikit-learn takes the higher value for better."""

    def margin(model: Any, X: np.ndarray, y: np.ndarray) -> float:
        return float(np.mean(model.predict(X) == y)) - 0.5

    X, y = moons
    assert read_scores(fit(scoring=margin), X=X, y=y).metric.name == "margin"
    anonymous = read_scores(fit(scoring=lambda model, X, y: 1.0), X=X, y=y).metric
    assert (anonymous.name, anonymous.higher_is_better) == ("score", True)


@pytest.mark.parametrize("function", [mean_squared_error, log_loss])
def test_loss_that_was_maximised(function: Any, moons: Data) -> None:
    """A scorer made without greater_is_better=False: the search chose the worst, and an inverted verdict is impossible."""
    X, y = moons
    response = "predict_proba" if function is log_loss else "predict"
    scorer = make_scorer(function, response_method=response)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer).fit(X, y)
    with pytest.raises(InvalidScoresError) as caught:
        read_scores(search, X=X, y=y)
    name, text = function.__name__, str(caught.value)
    assert f"but scikit-learn stores the loss '{name}' negated, never above zero: sign and name contradict each other." in text
    assert text.endswith(f"pass the losses themselves as {{name: array}} with metric='{name}'.")


def test_direction_given_must_agree(fit: Fit, moons: Data) -> None:
    """Of a known metric."""
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the metric 'accuracy'"):
        read_scores(fit(), X=moons[0], y=moons[1], lower_is_better=True)


def test_failed_candidates_are_nan(moons: Data) -> None:
    """All their folds, or some."""
    X, y = moons
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(SVC(), {"C": [-1.0, 1.0]}).fit(X, y)
    scores = read_scores(search, X=X, y=y)
    assert scores.models == ("C=-1", "C=1")
    assert np.isnan(scores.matrix().score[0]).all()
    assert not np.isnan(scores.matrix().score[1]).any()


def test_infinite_scores_are_refused(fit: Fit, moons: Data) -> None:
    """Candidate and split."""
    search = fit(cv=3)
    search.cv_results_["split1_test_score"][2] = np.inf
    with pytest.raises(InvalidScoresError, match=r"^the GridSearchCV: model 'max_depth=3', repeat 0 fold 1: the score is inf"):
        read_scores(search, X=moons[0], y=moons[1])


# --- cv_results_ ----------------------------------------------------------------------------------------------------


def test_bare_results_name_no_metric(fit: Fit) -> None:
    """As stored they are higher-is-better; metric= names them, and a loss is turned back."""
    results = fit(scoring="neg_log_loss").cv_results_
    plain = read_scores(results, n_train=40, n_test=21)
    assert (plain.metric.name, plain.metric.higher_is_better) == ("score", True)
    assert plain.design.sizes == "exact"
    for name, given in (("log_loss", {}), ("neg_log_loss", {}), ("deviance", {"lower_is_better": True})):
        scores = read_scores(results, metric=name, **given)
        assert (scores.metric.name, scores.metric.higher_is_better) == (name.removeprefix("neg_"), False)
        assert_allclose(scores.matrix().score, -plain.matrix().score)
        assert scores.design.sizes == "missing"


def test_bare_results_with_several_metrics(fit: Fit) -> None:
    """Known names have their direction; 'loss' alone is taken as stored, higher is better."""
    results = fit(scoring={"roc_auc": "roc_auc", "loss": "neg_log_loss"}).cv_results_
    assert read_scores(results, metric="loss").metric.higher_is_better
    turned = read_scores(results, metric="loss", lower_is_better=True)
    assert not turned.metric.higher_is_better
    assert (turned.matrix().score > 0).all()


def test_results_that_are_not_whole(fit: Fit) -> None:
    """Without parameters, without a split, with too few candidates."""
    results = dict(fit(cv=3).cv_results_)
    with pytest.raises(UnreadableSourceError, match="cv_results_ has scores of splits but no 'params'"):
        read_scores({key: value for key, value in results.items() if key != "params"})
    with pytest.raises(UnreadableSourceError, match=r"cv_results_ lacks the scores of some splits: it has \[0, 2\]"):
        read_scores({key: value for key, value in results.items() if key != "split1_test_score"})
    with pytest.raises(UnreadableSourceError, match="'split1_test_score' holds 2 scores for 3 candidates"):
        read_scores(results | {"split1_test_score": results["split1_test_score"][:2]})


def test_train_scores_are_not_read(moons: Data, fit: Fit) -> None:
    """Only the test ones."""
    search = fit(return_train_score=True)
    assert_array_equal(read_scores(search, X=moons[0], y=moons[1]).matrix().score[:, 0], search.cv_results_["split0_test_score"])


def test_x_does_not_tell_the_sizes_of_bare_results(fit: Fit, moons: Data) -> None:
    """They do not hold the cv."""
    with pytest.raises(MissingSizesError, match="Pass the search itself, or n_train= and n_test="):
        read_scores(fit().cv_results_, X=moons[0], y=moons[1])


def test_unfitted_search() -> None:
    """It has the parameters of a search but no scores."""
    for search in (GridSearchCV(SVC(), {"C": [1]}), RandomizedSearchCV(SVC(), {"C": [1]})):
        with pytest.raises(UnfittedSearchError) as caught:
            read_scores(search)
        name = type(search).__name__
        assert str(caught.value) == f"this {name} has not been fitted, so it has no scores. Call its fit(X, y) first."


def test_other_estimators_are_no_search(moons: Data) -> None:
    """RidgeCV has something of the same name, an array."""
    with pytest.raises(TypeError, match="the source is of type 'RidgeCV', which cannot be read as scores"):
        read_scores(RidgeCV(store_cv_results=True).fit(*moons))


def test_sizes_given_that_contradict(fit: Fit, moons: Data) -> None:
    """What splitting again counts, comes first."""
    with pytest.raises(ContradictingSizesError, match="n_test=30 was given, but the GridSearchCV says 13 for repeat 0 fold 0"):
        read_scores(fit(), X=moons[0], y=moons[1], n_test=30)
