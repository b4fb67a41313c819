"""Real searches of scikit-learn: candidates, metric, direction, sizes, splits."""

from __future__ import annotations

import hashlib
import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as ms
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import fbeta_score, get_scorer, log_loss, make_scorer, mean_squared_error
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests.readers.helpers import codes
from tiebreak.api import compare, read_scores
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
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.split_design import Split, describe_splits, split_of

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


def test_survivors_of_a_halving_search_are_named_as_such(moons: Data) -> None:
    """The others were given up on scores of the same data."""
    search = HalvingGridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 4, 5, 6]},
        cv=3,
        factor=2,
        min_resources=12,
        random_state=0,
    ).fit(*moons)
    scores = read_scores(search, X=moons[0], y=moons[1])
    told = next(notice.text for notice in scores.notices if notice.code == "survivors-only")
    assert told.startswith(f"the HalvingGridSearchCV tried 6 candidates and measured {len(scores.models)} of them to the end")


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
    with pytest.raises(MissingSizesError, match="pass the search itself, or n_train= and n_test="):
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


Fit_of_resplit = Callable[..., Any]
Data_of_resplit = tuple[np.ndarray, np.ndarray]
GROUPS = np.arange(61) // 5  # 13 groups

EXACT = [
    (None, "stratified", 1),
    (4, "stratified", 1),
    (ms.KFold(5), "kfold", 1),
    (ms.KFold(5, shuffle=True, random_state=1), "kfold", 1),
    (ms.StratifiedKFold(3), "stratified", 1),
    (ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1), "repeated-kfold", 2),
    (ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1), "repeated-stratified", 2),
    (ms.LeaveOneOut(), "loo", 1),
    (ms.ShuffleSplit(n_splits=4, test_size=0.2, random_state=1), "repeated-holdout", 4),
    (ms.StratifiedShuffleSplit(n_splits=4, test_size=9, random_state=1), "repeated-holdout", 4),
    (ms.ShuffleSplit(n_splits=1, random_state=1), "holdout", 1),
    (ms.GroupKFold(4), "group", 1),
    (ms.StratifiedGroupKFold(3), "stratified-group", 1),
    (ms.LeaveOneGroupOut(), "group", 1),
    (ms.GroupShuffleSplit(n_splits=3, random_state=1), "repeated-holdout", 3),
    (ms.TimeSeriesSplit(4), "time", 1),
    (ms.PredefinedSplit(np.arange(61) % 3), "kfold", 1),
    (list(ms.KFold(3).split(np.zeros(61))), "kfold", 1),
    (list(ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(np.zeros(61))), "repeated-kfold", 2),
    (list(ms.ShuffleSplit(3, random_state=0).split(np.zeros(61))), "unknown", 1),
    ([(np.arange(40), np.arange(40, 61))], "holdout", 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("cv", "kind", "n_repeats"), EXACT, ids=[str(cv)[:40] for cv, _, _ in EXACT])
def test_every_splitter(cv: Any, kind: str, n_repeats: int, fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Sizes, repeats, kind and hash as cross_validate finds them by its own indices."""
    X, y = moons
    search = fit(cv=cv, groups=GROUPS if "Group" in str(cv) else None)
    scores = read_scores(search, X=X, y=y, groups=GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most ignore groups and say so
        splits = [Split(*pair) for pair in ms.check_cv(cv, y, classifier=True).split(X, y, GROUPS)]
    matrix = scores.matrix()
    assert_array_equal(matrix.n_train, [len(split.train) for split in splits])
    assert_array_equal(matrix.n_test, [len(split.test) for split in splits])
    assert np.unique(matrix.repeat).size == n_repeats
    assert matrix.n_splits == search.n_splits_
    design = scores.design
    assert (design.kind, design.pairing, design.sizes) == (kind, "key", "exact")
    assert design.ordered is (kind == "time")
    assert design.hash == split_hash([split.test for split in splits])


@pytest.mark.parametrize(
    "cv",
    [
        StratifiedKFold(3, shuffle=True),
        StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0)),
        ms.RepeatedKFold(n_splits=3, n_repeats=2),
        ms.ShuffleSplit(3),
    ],
    ids=["no seed", "generator", "repeated", "holdout"],
)
def test_splits_that_are_drawn_anew_have_no_hash(cv: Any, fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Their sizes are right all the same."""
    scores = read_scores(fit(cv=cv), X=moons[0], y=moons[1])
    assert scores.design.hash is None
    assert scores.design.sizes == "exact"


def test_random_state_of_the_caller_is_not_moved_on(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Splitting again happens on a copy."""
    state = np.random.RandomState(0)
    search = fit(cv=StratifiedKFold(3, shuffle=True, random_state=state))
    before = state.get_state()[1].copy()
    read_scores(search, X=moons[0], y=moons[1])
    assert_array_equal(state.get_state()[1], before)


class RandomCut:
    """A splitter of somebody's own that draws sizes too, and says nothing of it."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        for _ in range(3):
            rng = np.random.default_rng()
            rows, cut = rng.permutation(len(X)), rng.integers(20, 40)
            yield rows[:cut], rows[cut:]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 3


def test_splitter_that_draws_sizes_is_approximate(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Found out by splitting twice."""
    scores = read_scores(fit(cv=RandomCut()), X=moons[0], y=moons[1])
    assert (scores.design.hash, scores.design.sizes) == (None, "approximate")
    assert codes(scores) == ["approximate-sizes"]


def test_y_alone_will_do(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """It has as many rows as X."""
    exact, short = (read_scores(fit(cv=3), **given) for given in ({"X": moons[0], "y": moons[1]}, {"y": moons[1]}))
    assert exact.design == short.design


def test_list_of_splits_needs_no_data(fit: Fit_of_resplit) -> None:
    """It holds all that is needed."""
    scores = read_scores(fit(cv=list(KFold(3).split(np.zeros(61)))))
    assert_array_equal(scores.matrix().n_test, [21, 20, 20])
    assert scores.design.sizes == "exact"


def test_regressor_is_not_stratified(moons: Data_of_resplit) -> None:
    """cv=3 is KFold there."""
    X, _y = moons
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3).fit(X, X[:, 0])
    assert read_scores(search, X=X, y=X[:, 0]).design.kind == "kfold"


@pytest.mark.parametrize(
    ("tests", "kind", "n_folds"),
    [
        ([[0], [1], [2], [3]], "loo", 4),
        ([[0, 1], [2, 3], [0, 2], [1, 3]], "repeated-kfold", 2),
        ([[0, 1], [2, 3], [0, 1], [1, 2]], "unknown", 4),
        ([[0, 1, 2], [3], [0], [1, 2, 3]], "repeated-kfold", 2),
        ([[0, 1], [2], [3], [0, 1, 2, 3]], "unknown", 4),
        ([[3], [0, 1, 2], [2, 1], [1]], "unknown", 4),
        ([[0, 1, 2, 3], [0, 1], [2, 3]], "unknown", 3),
    ],
)
def test_scheme_is_told_from_the_indices(tests: list[list[int]], kind: str, n_folds: int) -> None:
    """Of four examples; k-fold where each repeat tests all of them once."""
    splits = [Split(np.setdiff1d(np.arange(4), test), np.array(test)) for test in tests]
    described = describe_splits(splits)
    assert described.kind == kind
    assert described.fold.max() + 1 == n_folds


def test_training_sets_that_come_first_are_time_splits() -> None:
    """Each before its test set; with a single one it is only a holdout."""
    splits = [Split(np.arange(n), np.arange(n, n + 2)) for n in (2, 4, 6)]
    assert (describe_splits(splits).kind, describe_splits(splits).ordered) == ("time", True)
    assert (describe_splits(splits[:1]).kind, describe_splits(splits[:1]).ordered) == ("holdout", False)


# --- what cannot be split again -------------------------------------------------------------------------------------

INSTEAD = "ass n_samples= (the number of rows of X; sizes are then approximate), or n_train= and n_test= (examples per split)."


def test_nothing_given(fit: Fit_of_resplit) -> None:
    """Exact and approximate ways on."""
    with pytest.raises(MissingSizesError) as caught:
        read_scores(fit())
    assert str(caught.value) == (
        "the numbers of training and test examples are needed for the correction, and a search does not keep them. Pass X= "
        "and y= (and groups=) as given to fit, and they are counted by splitting again; or n_samples= (the number of rows of "
        "X), and they are approximate."
    )


def test_generator(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """It is used up; n_samples or sizes go on."""
    X, y = moons
    search = fit(cv=(split for split in KFold(4).split(X)))
    with pytest.raises(MissingSizesError) as caught:
        read_scores(search, X=X, y=y)
    assert str(caught.value) == f"cv is a generator, which is used up and cannot be split again. P{INSTEAD}"
    assert read_scores(search, n_train=46, n_test=15).design.sizes == "exact"
    assert_array_equal(read_scores(search, X=X, y=y, n_train=46, n_test=15).matrix().n_test, np.full(4, 15))


class Uncopyable(KFold):
    """A splitter that holds on to something."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("cannot be copied")


def test_splitter_that_cannot_be_copied(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Its reason, and how to go on."""
    with pytest.raises(MissingSizesError) as caught:
        read_scores(fit(cv=Uncopyable(3)), X=moons[0], y=moons[1])
    assert str(caught.value) == f"cv cannot be split again: cannot be copied. P{INSTEAD}"


def test_other_data(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Leave-one-out of fewer rows: the counts are said."""
    X, y = moons
    with pytest.raises(ContradictingSizesError) as caught:
        read_scores(fit(cv=ms.LeaveOneOut()), X=X[:50], y=y[:50])
    assert str(caught.value) == (
        "splitting again gives 50 splits, but the search was fitted on 61. Are X, y and groups those given then? If cv "
        f"cannot be split again: p{INSTEAD}"
    )


def test_y_is_missing(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """A classifier's default is stratified by it."""
    with pytest.raises(MissingSizesError, match="the splits of a classifier are stratified by y: pass y= as given to fit beside"):
        read_scores(fit(cv=3), X=moons[0])


def test_groups_are_missing(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """scikit-learn's own words and how to go on."""
    search = fit(cv=ms.GroupKFold(3), groups=GROUPS)
    with pytest.raises(MissingSizesError, match=r"splitting again with GroupKFold failed: The 'groups' parameter should not be"):
        read_scores(search, X=moons[0], y=moons[1])


def test_n_samples_beside_x(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """They must agree."""
    with pytest.raises(ContradictingSizesError, match="n_samples=60 was given, but X has 61 rows"):
        read_scores(fit(), X=moons[0], y=moons[1], n_samples=60)
    assert read_scores(fit(), X=moons[0], y=moons[1], n_samples=61).design.sizes == "exact"


# --- approximate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cv", "n_train", "n_test"),
    [
        (None, 49, 12),
        (3, 41, 20),
        (ms.RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0), 46, 15),
        (ms.ShuffleSplit(3, random_state=0), 54, 7),
        (ms.ShuffleSplit(3, test_size=0.25, random_state=0), 45, 16),
        (ms.ShuffleSplit(3, train_size=0.5, random_state=0), 30, 31),
        (ms.StratifiedShuffleSplit(3, test_size=10, train_size=20, random_state=0), 20, 10),
        (ms.GroupShuffleSplit(3, random_state=0), 48, 13),
        (ms.LeaveOneGroupOut(), 56, 5),
        (ms.LeaveOneOut(), 60, 1),
    ],
    ids=str,
)
def test_sizes_from_n_samples(cv: Any, n_train: int, n_test: int, fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """By the splitter, near the exact ones, and said to be approximate."""
    groups = GROUPS if "Group" in str(cv) else None
    scores = read_scores(fit(cv=cv, groups=groups), n_samples=61)
    matrix = scores.matrix()
    assert_array_equal(matrix.n_train, np.full(matrix.n_splits, n_train))
    assert_array_equal(matrix.n_test, np.full(matrix.n_splits, n_test))
    assert (scores.design.sizes, scores.design.hash) == ("approximate", None)
    assert codes(scores) == ["approximate-sizes"]
    exact = read_scores(fit(cv=cv, groups=groups), X=moons[0], y=moons[1], groups=groups).matrix()
    assert_allclose(matrix.n_test.mean(), exact.n_test.mean(), rtol=0.15)
    assert_array_equal(matrix.repeat, exact.repeat)


def test_time_splits_from_n_samples(fit: Fit_of_resplit, moons: Data_of_resplit) -> None:
    """Which only count."""
    scores = read_scores(fit(cv=TimeSeriesSplit(4)), n_samples=61)
    assert_array_equal(scores.matrix().n_train, read_scores(fit(cv=TimeSeriesSplit(4)), X=moons[0], y=moons[1]).matrix().n_train)
    assert scores.design.ordered


def test_splitter_that_needs_the_data(fit: Fit_of_resplit) -> None:
    """n_samples alone does not tell."""
    with pytest.raises(MissingSizesError, match="LeavePGroupsOut, does not tell its sizes from n_samples= alone"):
        read_scores(fit(cv=ms.LeavePGroupsOut(12), groups=GROUPS), n_samples=61)


def test_n_samples_that_cannot_be(fit: Fit_of_resplit) -> None:
    """Fewer than folds; or another number of splits."""
    with pytest.raises(ContradictingSizesError, match="n_samples=1 leaves 0 training and 1 test examples in one of 3 splits"):
        read_scores(fit(cv=3), n_samples=1)
    with pytest.raises(ContradictingSizesError, match="n_samples=60 would make 60 splits, but the search was fitted on 61"):
        read_scores(fit(cv=ms.LeaveOneOut()), n_samples=60)


# --- hash -----------------------------------------------------------------------------------------------------------


def test_hash_tells_splits_apart() -> None:
    """By their test examples in split order; the order within a split and the type of the numbers do not matter."""
    one, two, three = np.array([1, 2]), np.array([3]), np.array([2, 1], dtype=np.int32)
    assert split_hash([one, two]) == split_hash([three, two])
    others = ([two, one], [np.array([1]), np.array([2, 3])], [one], [one, two, np.array([], int)])
    assert len({split_hash(tests) for tests in [[one, two], *others]}) == 5


def test_hash_is_the_same_on_every_machine() -> None:
    """SHA-256 of little-endian 64-bit numbers: how many test examples, then which, for each split."""
    expected = hashlib.sha256(struct.pack("<5q", 2, 1, 2, 1, 7)).hexdigest()
    assert split_hash([np.array([2, 1]), np.array([7], dtype=np.int16)]) == expected


def test_masks_are_row_numbers() -> None:
    """As some splitters yield them."""
    mask = np.array([True, False, True, False])
    train, test = split_of(~mask, mask)
    assert_array_equal(train, [1, 3])
    assert_array_equal(test, [0, 2])


def test_times_of_fits_come_with_the_scores(fit: Fit, moons: Data) -> None:
    """Means by candidate, as the search keeps them; none where they are no numbers or one for other candidates."""
    search = fit(cv=3)
    scores = read_scores(search, X=moons[0], y=moons[1])
    assert scores.fit_seconds == dict(zip(scores.models, search.cv_results_["mean_fit_time"].tolist(), strict=True))
    for times in ([0.1], ["quick"] * len(scores.models), [10**400] * len(scores.models)):
        found = read_scores({**search.cv_results_, "mean_fit_time": times}, n_train=40, n_test=20)
        assert found.fit_seconds == {}


def test_next_step_names_the_fastest_of_a_search() -> None:
    """Three depths with the same scores but for a thousandth are near best; the second takes least, by the search's times."""
    noise = np.random.default_rng(0).normal(0, 0.02, 30)
    shifts = np.random.default_rng(1).normal(0, 0.0005, (3, 30))
    results: dict[str, Any] = {f"split{k}_test_score": 0.8 + noise[k] + shifts[:, k] for k in range(30)}
    results |= {"params": [{"depth": depth} for depth in (1, 2, 3)], "mean_fit_time": np.array([3.0, 0.5, 2.0])}
    answer = compare(results, metric="accuracy", n_train=90, n_test=10, rope=0.01)
    assert "Next step: take 'depth=2', the fastest to fit of those near best (0.5 s a fit);" in " ".join(str(answer).split())
