"""Fitted searches, results of cross_validate, arrays by model and trials of a study: candidates, metric, splits, sizes."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection as ms
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests.guarded import told
from tests.readers.helpers import codes, read
from tiebreak.api import read_scores
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    TiebreakError,
    UnclearSourceError,
    UnknownNameError,
)
from tiebreak.scores.scores import Scores

Fit = Callable[..., Any]
Data = tuple[np.ndarray, np.ndarray]
CV = ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def metric_of(scores: Scores) -> tuple[str, bool]:
    return scores.metric.name, scores.metric.higher_is_better


# --- candidates -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_successive_halving_keeps_the_last_iteration(moons: Data) -> None:
    """Earlier ones saw other examples; sizes are those of the subsample, and that only survivors are compared is said."""
    X, y = moons
    tree, settings = DecisionTreeClassifier(random_state=0), {"cv": 3, "factor": 2, "random_state": 0}
    search = HalvingGridSearchCV(tree, {"max_depth": [1, 2, 3, 4, 5, 6]}, min_resources=12, **settings).fit(X, y)
    last = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    scores = read_scores(search, X=X, y=y)
    assert_array_equal(scores.matrix().score[:, 0], search.cv_results_["split0_test_score"][last])
    fraction = search.cv_results_["n_resources"][-1] / len(X)  # below 1
    assert_array_equal(scores.matrix().n_test, [int(fraction * n) for n in (21, 20, 20)])
    said = f"{last.sum()} of 6 candidates of the HalvingGridSearchCV were measured to the end"
    assert next(notice.text for notice in scores.notices if notice.code == "left-out").startswith(said)
    assert (scores.design.hash, len(scores.fit_times)) == (None, last.sum())
    grid = {"criterion": ["gini", "entropy"], "splitter": ["best", "random"]}
    search = HalvingGridSearchCV(tree, grid, resource="max_depth", max_resources=4, min_resources=2, **settings).fit(X, y)
    whole = read_scores(search, X=X, y=y)  # every iteration sees all examples
    assert_array_equal(whole.matrix().n_test, [21, 20, 20])
    assert whole.design.hash is not None


def test_results_that_are_not_whole(fit: Fit) -> None:
    """With means only; others, which are no objects, stand in `data/refused.jsonl`."""
    search = fit(cv=3)
    results = search.cv_results_
    search.cv_results_ = {"params": results["params"], "mean_test_score": results["mean_test_score"]}
    with pytest.raises(DataError, match=r"^the GridSearchCV holds no scores of splits \(split0_test_score"):
        read_scores(search)


def test_times_of_fits_come_with_the_scores(fit: Fit) -> None:
    """Means by candidate, as the search keeps them; none where they are no numbers or of other candidates; a nan stays one."""
    search = fit(cv=3)
    search.cv_results_["split1_test_score"][2] = np.nan
    scores = read_scores(search)
    assert_array_equal(np.argwhere(np.isnan(scores.matrix().score)), [[2, 1]])
    spread = search.cv_results_["std_fit_time"] / np.sqrt(search.n_splits_ - 1)  # of the deviation that divides by n
    times = zip(search.cv_results_["mean_fit_time"].tolist(), spread.tolist(), strict=True)
    assert scores.fit_times == dict(zip(scores.models, times, strict=True))
    for wrong in ([0.1], ["quick"] * len(scores.models)):
        assert read_scores({**search.cv_results_, "mean_fit_time": wrong}).fit_times == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dict", "frame", "file"])
def test_cv_results_that_went_through_a_table(kind: str, moons: Data, tmp_path: Path) -> None:
    """Candidates are named by their parameters as those of the search are, though `params` is text that nobody reads."""
    grid = {"C": np.logspace(-1, 1, 3), "fit_intercept": [True]}
    search = GridSearchCV(LogisticRegression(), grid, cv=10).fit(*moons)
    frame, path = pd.DataFrame(search.cv_results_), tmp_path / "cv_results.csv"
    frame.to_csv(path)
    source: Any = {"dict": pd.read_csv(path, dtype=str).to_dict("list"), "frame": frame, "file": path}[kind]
    scores = read_scores(source, metric="accuracy", cv=10)
    assert scores.models == read_scores(search).models == ("C=0.1", "C=1", "C=10")
    assert_allclose(scores.matrix().score, read_scores(search).matrix().score, rtol=1e-15)
    assert (scores.matrix().n_folds, len(scores.fit_times)) == (10, 0 if kind == "dict" else 3)


# --- metric and direction -------------------------------------------------------------------------------------------


def test_negated_loss(fit: Fit) -> None:
    """Shown as the loss, lower is better, whether asked for by name or as an object; it is no other metric's score."""
    for scoring, metric in (("neg_log_loss", None), ("neg_log_loss", "log_loss"), (get_scorer("neg_log_loss"), "neg_log_loss")):
        search = fit(scoring=scoring)
        scores = read_scores(search, metric=metric)
        assert metric_of(scores) == ("log_loss", False)
        assert_array_equal(scores.matrix().score[:, 0], -search.cv_results_["split0_test_score"])
        assert "no metric is called 'accuracy'" in told(UnknownNameError, read_scores, search, metric="accuracy")


def test_several_metrics(fit: Fit) -> None:
    """metric= selects; names of the caller's own keep their scorer's direction."""
    search = fit(scoring={"AUC": "roc_auc", "loss": "neg_log_loss", "accuracy": "accuracy"}, return_train_score=True)
    with pytest.raises(UnclearSourceError, match="the GridSearchCV holds 3 metrics: 'AUC', 'loss' and 'accuracy'"):
        read_scores(search)
    with pytest.raises(UnknownNameError, match="no metric is called 'los': did you mean 'loss'"):
        read_scores(search, metric="los")
    auc, loss = (read_scores(search, metric=metric) for metric in ("AUC", "Loss"))
    assert (metric_of(auc), metric_of(loss)) == (("AUC", True), ("loss", False))
    assert_array_equal(loss.matrix().score[:, 1], -search.cv_results_["split1_test_loss"])


@pytest.mark.slow
def test_default_metric_of_the_estimator(moons: Data, fit: Fit) -> None:
    """Accuracy and R2, with which metric= must agree; one that is only supposed yields to it."""
    X, y = moons
    ridge = GridSearchCV(Ridge(), {"alpha": [1, 2]}).fit(X, y)
    assert [read_scores(search).metric.name for search in (fit(), ridge)] == ["accuracy", "r2"]
    with pytest.raises(UnknownNameError, match="no metric is called 'f1': there is only 'accuracy'"):
        read_scores(fit(), metric="f1")
    dummy = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "stratified"]}).fit(X, y)
    for name, given in (("accuracy", {}), ("balanced_accuracy", {"metric": "balanced_accuracy"})):
        assert read_scores(dummy, **given).metric.name == name
    inertia = GridSearchCV(KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3]}).fit(X)
    assert metric_of(read_scores(inertia)) == ("score", True)
    assert read_scores(inertia, metric="inertia", lower_is_better=True).matrix().score.min() > 0


def false_alarms(truth: np.ndarray, found: np.ndarray) -> float:
    return float(np.sum((found == 1) & (truth == 0)))


@pytest.mark.slow
def test_scorers_of_ones_own(fit: Fit) -> None:
    """Their function's name and sign, unless metric= says another; what contradicts the sign is refused."""
    search = fit(scoring=make_scorer(false_alarms, greater_is_better=False))
    scores = read_scores(search)
    assert metric_of(scores) == ("false_alarms", False)
    assert (scores.matrix().score >= 0).all()
    assert metric_of(read_scores(search, metric="cost")) == ("cost", False)
    assert metric_of(read_scores(fit(scoring=lambda model, X, y: 1.0))) == ("score", True)
    for scoring, said in ((make_scorer(false_alarms, greater_is_better=False), False), ("accuracy", True)):
        with pytest.raises(InvalidParameterError, match=f"lower_is_better={said} contradicts the metric"):
            read_scores(fit(scoring=scoring), lower_is_better=said)


def test_bare_results_name_no_metric(fit: Fit) -> None:
    """As stored they are higher-is-better; metric= names them, and a loss is turned back."""
    results = fit(scoring="neg_log_loss").cv_results_
    plain = read_scores(results, n_train=40, n_test=21)
    assert metric_of(plain) == ("score", True)
    assert plain.design.sizes == "exact"
    for name, given in (("log_loss", {}), ("neg_log_loss", {}), ("deviance", {"lower_is_better": True})):
        scores = read_scores(results, metric=name, **given)
        assert metric_of(scores) == (name.removeprefix("neg_"), False)
        assert_allclose(scores.matrix().score, -plain.matrix().score)
    two = fit(scoring={"roc_auc": "roc_auc", "loss": "neg_log_loss"}).cv_results_
    assert metric_of(read_scores(two, metric="loss")) == ("loss", True)  # as stored: it may be any function
    assert metric_of(read_scores(two, metric="loss", lower_is_better=True)) == ("loss", False)


# --- splits of a search ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cv", "given", "error", "message"),
    [
        (3, "X", UnclearSourceError, "the splits of a classifier are stratified by y: pass y= as given to fit beside"),
        (ms.ShuffleSplit(3), "", UnclearSourceError, "a cv of type 'ShuffleSplit' does not say by itself. Pass X= and y="),
        (ms.TimeSeriesSplit(3), "", UnclearSourceError, "or n_train= and n_test= "),
        (ms.LeaveOneOut(), "", UnclearSourceError, "LeaveOneOut"),
    ],
)
def test_splits_that_are_not_known(cv: Any, given: str, error: type[Exception], message: str, fit: Fit, moons: Data) -> None:
    """Why, and how to go on; n_train and n_test do."""
    search = fit(cv=cv)
    data = {"X": moons[0]} if given else {}
    with pytest.raises(error, match=message):
        read_scores(search, **data)
    assert read_scores(search, **data, n_train=46, n_test=15).design.sizes == "exact"


@pytest.mark.slow
def test_sizes_of_a_search_with_its_data(fit: Fit, moons: Data) -> None:
    """They are counted, by classes for a classifier alone, and come first; a list of splits holds them."""
    X, y = moons
    repeated = read_scores(fit(cv=CV), X=X, y=y)
    assert_array_equal(repeated.matrix().n_test, [len(test) for _, test in CV.split(X, y)])
    assert (repeated.design.kind, repeated.design.pairing) == ("repeated-stratified", "key")
    with pytest.raises(DataError, match="n_test=30 was given, but the GridSearchCV says 13 for repeat 0 fold 0"):
        read_scores(fit(), X=X, y=y, n_test=30)
    assert read_scores(fit(cv=3), X=X, y=y).design == read_scores(fit(cv=3), y=y).design
    ridge = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3).fit(X, y)
    assert read_scores(ridge, X=X, y=y).design.kind == "kfold"
    for cv in (list(KFold(3).split(X)), ms.PredefinedSplit(np.arange(61) % 3)):
        scores = read_scores(fit(cv=cv))
        assert_array_equal(scores.matrix().n_test, [21, 20, 20])
        assert scores.design.hash is not None


@pytest.mark.slow
@pytest.mark.parametrize(("cv", "n_folds"), [(None, 5), (12, 12), (StratifiedKFold(4, shuffle=True), 4), (CV, 3)], ids=str)
def test_folds_of_a_search_without_its_data(cv: Any, n_folds: int, fit: Fit) -> None:
    """The ratio follows from their number, and sizes that are given count first."""
    search = fit(cv=cv)
    matrix = read_scores(search).matrix()
    assert (matrix.n_folds, matrix.has_sizes) == (n_folds, False)
    assert_array_equal(matrix.fold, np.arange(search.n_splits_) % n_folds)
    assert_array_equal(matrix.repeat, np.arange(search.n_splits_) // n_folds)
    assert read_scores(search, n_train=50, n_test=11).matrix().n_folds == 0


# --- results of cross_validate and arrays -----------------------------------------------------------------------------


def results(moons: Data, cv: Any = CV, **settings: Any) -> dict[str, Any]:
    """Of two models."""
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    return {name: cross_validate(model, *moons, cv=cv, **settings) for name, model in models.items()}


def test_indices_show_the_splits(moons: Data) -> None:
    """Exact sizes, repeats, a hash and pairing for certain; where some models lack them, pairing is assumed."""
    found = results(moons, return_indices=True)
    scores = read_scores(found)
    matrix, design = scores.matrix(), scores.design
    assert (matrix.models, metric_of(scores), scores.notices) == (("logistic", "bayes"), ("score", True), ())
    assert_array_equal([matrix.score[1], matrix.repeat], [found["bayes"]["test_score"], [0, 0, 0, 1, 1, 1]])
    assert_array_equal(matrix.n_test, [len(test) for _, test in CV.split(*moons)])
    assert (design.kind, design.pairing, design.sizes, design.hash is None) == ("repeated-kfold", "key", "exact", False)
    with pytest.raises(DataError, match="n_train=99 was given, but the source says 4"):
        read_scores(found, n_train=99)
    del found["bayes"]["indices"]
    some = read_scores(found)
    assert (codes(some), some.design.sizes, some.design.hash) == (["assumed-paired"], "exact", None)


def test_different_splits(moons: Data) -> None:
    """Both models and the first split that differs, be it in its training set alone; and what are no indices."""
    found = results(moons, cv=KFold(3), return_indices=True)
    train, test = found["bayes"]["indices"]["train"], found["bayes"]["indices"]["test"]
    for changed, message in (
        ({"train": train, "test": test[::-1]}, "models 'logistic' and 'bayes' were scored on different splits; .* is split 0"),
        ({"train": (*train[:2], train[2][1:]), "test": test}, "the first that differs is split 2"),
        ({"train": []}, "the indices of model 'bayes' in the source are not what cross_validate"),
    ):
        found["bayes"]["indices"] = changed
        with pytest.raises(DataError, match=message):
            read_scores(found)


def test_metrics_of_results(moons: Data) -> None:
    """metric= selects, or names the only one; losses are stored negated, whatever the caller calls them."""
    found = results(moons, scoring=["accuracy", "neg_log_loss"])
    for metric in ("log_loss", "neg_log_loss"):
        scores = read_scores(found, metric=metric)
        assert metric_of(scores) == ("log_loss", False)
        assert_array_equal(scores.matrix().score[0], -found["logistic"]["test_neg_log_loss"])
    plain = results(moons, scoring="neg_log_loss")
    assert (read_scores(plain).metric.higher_is_better, read_scores(plain, metric="log_loss").matrix().score.min() > 0) == (
        True,
        True,
    )
    for name in ("mse", "wer"):
        loss = {model: {f"test_{name}": each["test_score"]} for model, each in plain.items()}
        assert metric_of(read_scores(loss)) == (name, False)


def test_results_as_frames(moons: Data) -> None:
    """pd.DataFrame(cross_validate(...)) is read as the dict is, with the median time of a fit."""
    found = results(moons)
    frames = {name: pd.DataFrame(each).assign(estimator="LogisticRegression()") for name, each in found.items()}
    scores = read_scores(frames, cv=CV)
    assert_array_equal(scores.matrix().score[0], found["logistic"]["test_score"])
    medians = {name: times for name, (times, _) in scores.fit_times.items()}
    assert medians == {name: float(np.median(each["fit_time"])) for name, each in found.items()}
    found["bayes"]["fit_time"] = ["quick"]
    assert list(read_scores(found).fit_times) == ["logistic"]
    joined = pd.concat(frames, names=["model", "fold"])
    for long in (joined, joined.reset_index().to_dict("list")):
        assert read_scores(long, metric="test_score", lower_is_better=False).models == ("logistic", "bayes")


def test_data_and_cv_tell_the_splits(moons: Data) -> None:
    """As given to cross_validate: sizes are counted, and of folds that are fixed the splits are known."""
    X, y = moons
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    found = results(moons, cv=cv)
    for source in (found, {name: result["test_score"] for name, result in found.items()}):
        scores = read_scores(source, X=X, y=y, cv=cv, metric="accuracy")
        assert_array_equal(scores.matrix().n_test, [len(test) for _, test in cv.split(X, y)])
        assert (scores.design.kind, scores.design.hash is None) == ("stratified", False)


def test_cv_alone_tells_the_folds(moons: Data) -> None:
    """A number or a splitter: scores of k folds, or of several repeats of them; anything else is refused."""
    arrays = {"lr": np.linspace(0.7, 0.9, 20), "dt": np.linspace(0.6, 0.9, 20)}
    for cv, n_folds, kind in ((10, 10, "repeated-kfold"), (20, 20, "kfold"), (StratifiedKFold(5), 5, "repeated-stratified")):
        scores = read(arrays, cv=cv)
        matrix = scores.matrix()
        assert (matrix.n_folds, scores.design.kind, codes(scores)) == (n_folds, kind, ["assumed-paired"])
        assert_array_equal(matrix.repeat, np.arange(20) // n_folds)
    assert read_scores(results(moons), cv=CV).matrix().n_folds == 3
    with pytest.raises(UnclearSourceError, match="a cv of type 'ShuffleSplit' does not say by itself"):
        read(arrays, cv=ms.ShuffleSplit(20, test_size=0.2))


@pytest.mark.parametrize("convert", [list, tuple, np.array, pd.Series, np.ma.array], ids=lambda each: each.__qualname__)
def test_arrays_of_all_kinds(convert: Any) -> None:
    """Paired by position, and said; nan where there is nothing."""
    scores = read({"svm": convert([0.5, 1.0, 0.25]), "rf": [1, 0, True]})
    assert_array_equal(scores.matrix().score, [[0.5, 1.0, 0.25], [1, 0, 1]])
    assert codes(scores) == ["assumed-paired"]
    missing = {"a": [1, None], "b": pd.Series([1, pd.NA], dtype="Int64"), "c": np.ma.array([1, 2], mask=[0, 1])}
    assert_array_equal(read(missing).matrix().score, [[1, np.nan]] * 3)


def test_scores_of_right_and_wrong_are_asked_about() -> None:
    """Right and wrong on a hundred examples, or on a hundred folds of one; an accuracy of many is hardly ever exactly 0 or 1."""
    arrays = {"a": [1, 0] * 50, "b": [1] * 100}
    with pytest.raises(UnclearSourceError, match="has 100 scores of each model, every one of which is 0 or 1"):
        read(arrays, cv=10)
    for alike, n_test in ((arrays, 1), ({"a": [1, 0] * 10, "b": [1] * 20}, 9), ({"a": [1.0] * 10, "b": [1.0] * 10}, 100)):
        assert read(alike, n_train=900, n_test=n_test).items is None


def test_series_are_paired_by_their_index() -> None:
    """The label is the split, and the order in which they stand is not; pairing others by position would be a guess."""
    a = pd.Series([0.1, 0.2, 0.3], index=["x", "y", "z"])
    scores = read({"a": a, "b": pd.Series([0.6, 0.4, 0.5], index=["z", "x", "y"])})
    assert_array_equal(scores.matrix().score, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    counted = read({"a": a.reset_index(drop=True), "b": [0.4, 0.5, 0.6]})
    assert (scores.design.pairing, counted.design.pairing) == ("key", "position")


# --- what cannot be read ------------------------------------------------------------------------------------------------

SERIES = pd.Series([0.1, 0.2, 0.3], index=[*"xyz"])
RESULT = {"fit_time": [1, 1], "score_time": [1, 1], "test_wer": [0.5, 0.25]}


def study(*attributes: dict[str, Any], state: str = "COMPLETE") -> SimpleNamespace:
    """A study with a trial for each, the last of which is in this state."""
    numbered = enumerate(attributes)
    trials = [SimpleNamespace(number=n, state="COMPLETE", params={"C": 10.0**n}, user_attrs=each) for n, each in numbered]
    trials[-1].state = SimpleNamespace(name=state)  # Optuna's are members of an enum
    return SimpleNamespace(trials=trials)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"a": np.zeros((2, 3))}, "in one list, one for each split; got .* For repeats by folds, use a table with columns"),
        ({"a": [date(2024, 3, 1), 0.5]}, "score 1, column 'a': '2024-03-01' is not a number"),
        ({"a": [0.5, float("inf")]}, "the source: model 'a', repeat 0 fold 1: the score is infinite"),
        *[
            ({"a": SERIES, "b": other}, "paired by the index of their Series, .* those of 'b' are others, or stand twice")
            for other in ([1, 2, 3], pd.Series([1, 2, 3], index=[*"xyw"]), pd.Series([1, 2, 3, 4], index=[*"xyzx"]))
        ],
        (pd.DataFrame(RESULT), "is the result of one call of cross_validate"),
        (GridSearchCV(SVC(), {"C": [1]}), r"^this GridSearchCV has not been fitted, so it has no scores. Call its fit"),
        (study({"note": 1}), "has no complete trials that keep the scores of their folds"),
        (study({"fold0": 1, "fold2": 1}), r"lacks the scores of some splits: it has \[0, 2\]"),
        (study({"f1_split_1": 1, "f1_split_2": 1, "r2_cv_1": 1, "r2_cv_2": 2}), "holds 2 metrics: 'f1' and 'r2'"),
    ],
)
def test_what_cannot_be_read_is_refused(source: Any, message: str) -> None:
    """Which model and why."""
    with pytest.raises(TiebreakError, match=message):
        read_scores(source, **({"metric": "accuracy"} if isinstance(source, dict) and not str(source).count("test_") else {}))


# --- studies --------------------------------------------------------------------------------------------------------


def test_trials_of_a_study() -> None:
    """Complete ones, by fold or as a list; what is called fold is of one cross-validation, what is called split may be of any."""
    attributes = [{"fold0": 0.8, "fold1": 0.9, "note": "x"}, {"fold0": 0.7, "fold1": 0.8}, {"fold0": 0.1}]
    scores = read(study(*attributes, state="PRUNED"))
    assert scores.models == ("C=1", "C=10")
    assert_array_equal(scores.matrix().score, [[0.8, 0.9], [0.7, 0.8]])
    assert (scores.matrix().n_folds, scores.design.pairing) == (2, "key")
    lists = study({"scores": [0.8, 0.9]}, {"scores": [0.7, 0.8]})
    assert_array_equal(read(lists).matrix().score, scores.matrix().score)
    assert [read(lists, **given).matrix().n_folds for given in ({}, {"cv": 2})] == [0, 2]
    assert [read(study({f"fold{k}": k / 20 for k in range(n)})).matrix().n_folds for n in (10, 11)] == [10, 0]


def test_trials_of_several_metrics_and_their_frame(tmp_path: Path) -> None:
    """The metric asked for, whose name alone tells its direction; the frame of the trials is the same, also as a file."""
    trials = study(*({"f1_split_1": 0.8, "f1_split_2": 0.7, "rmse_cv_1": n + 1, "rmse_cv_2": n + 2} for n in range(2)))
    scores = read_scores(trials, metric="rmse")
    rows = [{"number": each.number, "state": "COMPLETE", "params_C": each.params["C"]} for each in trials.trials]
    frame = pd.DataFrame(rows).assign(**{f"user_attrs_rmse_cv_{k}": [k, k + 1] for k in (1, 2)}, value=0.5)
    frame.to_csv(tmp_path / "trials.csv", index=False)
    for source in (frame, tmp_path / "trials.csv"):
        same = read_scores(source)
        assert (same.models, metric_of(same), same.matrix().n_folds) == (("C=1", "C=10"), (scores.metric.name, False), 2)
        assert_array_equal(same.matrix().score, scores.matrix().score)
        assert metric_of(read_scores(source, metric="gain", lower_is_better=False)) == ("gain", True)
    assert read_scores(frame.drop(columns="params_C").to_dict("list")).models == ("trial=0", "trial=1")
