"""One cell; scikit-learn's cross_validate on the same splits is the reference."""

import copy
import os
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context, get_config, set_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from tiebreak.errors import DataError
from tiebreak.evaluation.cell import Measurement, Prepared
from tiebreak.evaluation.evaluate import find_scorers
from tiebreak.plan.plan import make_plan
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.worker import Payload, pickled

X, Y = make_classification(n_samples=90, n_features=6, flip_y=0.2, random_state=1)
CV = StratifiedKFold(3)


def measured(
    model: Any, X: Any = X, y: Any = Y, *, cv: Any = CV, scoring: Any = "accuracy", rng: Any = 0, **more: Any
) -> list[Outcome]:
    """All cells of one model."""
    options = {name: more.pop(name) for name in ("keep_predictions", "train_scores") if name in more}
    plan = make_plan({"m": model}, X, y, cv=cv, rng=rng, **more)
    work = Measurement(plan, find_scorers(plan, scoring), threads=1, **options)
    return [work.measure(cell) for cell in plan.cells()]


def column(outcomes: list[Outcome], metric: str) -> list[float]:
    """The scores of one metric."""
    return [outcome.scores[metric] for outcome in outcomes]


BINARY = ["roc_auc", "accuracy", "neg_log_loss", "f1", "average_precision", "balanced_accuracy", "neg_brier_score"]


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        GaussianNB(),
        DecisionTreeClassifier(random_state=0),
        KNeighborsClassifier(),
        RandomForestClassifier(5, random_state=0),
        HistGradientBoostingClassifier(max_iter=3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_scores_are_those_of_cross_validate(model: Any):
    """To 1e-12, in the metric's own direction: scikit-learn's negated losses are positive here."""
    theirs = cross_validate(model, X, Y, cv=CV, scoring=BINARY)
    ours = measured(model, scoring=BINARY)
    for name in BINARY:
        shown = name.removeprefix("neg_")
        sign = 1 if shown == name else -1
        np.testing.assert_allclose(column(ours, shown), sign * theirs[f"test_{name}"], rtol=1e-12, atol=1e-12)


def test_scores_of_a_decision_function_and_of_a_regression_are_those_of_cross_validate():
    """SVC has no probabilities; Ridge predicts numbers."""
    theirs = cross_validate(SVC(), X, Y, cv=CV, scoring="roc_auc")["test_score"]
    np.testing.assert_allclose(column(measured(SVC(), scoring="roc_auc"), "roc_auc"), theirs, rtol=1e-12)
    A, b = make_regression(60, 4, noise=5.0, random_state=0)
    names = ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"]
    theirs = cross_validate(Ridge(), A, b, cv=4, scoring=names)
    ours = measured(Ridge(), A, b, cv=4, scoring=names)
    np.testing.assert_allclose(column(ours, "r2"), theirs["test_r2"], rtol=1e-12)
    np.testing.assert_allclose(column(ours, "mean_absolute_error"), -theirs["test_neg_mean_absolute_error"], rtol=1e-12)
    np.testing.assert_allclose(column(ours, "root_mean_squared_error"), -theirs["test_neg_root_mean_squared_error"], rtol=1e-12)


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_matrix,
        sparse.csc_array,
        pd.DataFrame,
        lambda a: pl.DataFrame(a, schema=[f"c{i}" for i in range(6)]),
        np.asfortranarray,
    ],
    ids=["csr", "csc", "pandas", "polars", "fortran"],
)
def test_data_may_come_in_any_form(form: Callable[[Any], Any]):
    """The same numbers give the same scores."""
    model = LogisticRegression(max_iter=1000)
    np.testing.assert_allclose(column(measured(model, form(X)), "accuracy"), column(measured(model), "accuracy"), rtol=1e-12)


def test_train_scores_are_those_of_cross_validate():
    """On the training rows, where they are asked for."""
    theirs = cross_validate(GaussianNB(), X, Y, cv=CV, scoring="accuracy", return_train_score=True)["train_score"]
    ours = [outcome.train_scores["accuracy"] for outcome in measured(GaussianNB(), train_scores=True)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


# --- models of one's own ----------------------------------------------------------------------------------------------------


def test_functions_give_labels_values_or_probabilities():
    """A function is given training data, test data and a Generator; a table with a column for each class is probabilities."""

    def labels(X_train: Any, y_train: Any, X_test: Any, rng: np.random.Generator) -> Any:
        return GaussianNB().fit(X_train, y_train).predict(X_test)

    def probabilities(X_train: Any, y_train: Any, X_test: Any, rng: np.random.Generator) -> Any:
        return GaussianNB().fit(X_train, y_train).predict_proba(X_test)

    reference = measured(GaussianNB(), scoring=["accuracy", "neg_log_loss"])
    assert column(measured(labels), "accuracy") == column(reference, "accuracy")
    both = measured(probabilities, scoring=["accuracy", "neg_log_loss"])
    assert column(both, "log_loss") == column(reference, "log_loss")
    assert column(both, "accuracy") == column(reference, "accuracy")


def test_a_function_that_gives_too_few_predictions_fails_with_the_numbers():
    """The failure says how many there were and how many are needed."""

    def few(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        return y_train[:3]

    (outcome, *_) = measured(few)
    assert outcome.message == "DataError: the function gave 3 predictions for 30 test rows; one for each is needed."


def test_a_model_that_changes_its_data_does_not_touch_the_next():
    """The second model is fitted on the same split right after the first, and scores as it does alone."""

    class Wrecker(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            super().fit(X, y)
            X[:] = 0.0
            y[:] = 0
            return self

        def predict(self, X: Any) -> Any:
            answer = super().predict(X)
            X[:] = 0.0
            return answer

    plan = make_plan({"wrecker": Wrecker(), "good": GaussianNB()}, X, Y, cv=CV)
    before = X.copy()
    work = Measurement(plan, find_scorers(plan, "accuracy"), threads=1)
    outcomes = [work.measure(cell) for cell in plan.cells()]
    assert column(outcomes[1::2], "accuracy") == column(measured(GaussianNB()), "accuracy")
    assert np.array_equal(X, before)


def test_a_model_that_changes_the_process_does_not_touch_the_next() -> None:
    """Errors of numpy, settings of scikit-learn, the working folder and filters of warnings are as they were after each cell."""

    class Rude(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            np.seterr(all="raise")
            set_config(transform_output="pandas")
            os.chdir("/")
            warnings.simplefilter("error")
            return super().fit(X, y)

    def state() -> tuple[Any, ...]:
        return np.geterr(), get_config(), Path.cwd(), list(warnings.filters)

    before, seen = state(), []

    def looks(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        seen.append(state()[:3])
        return y_train[: len(X_test)]

    plan = make_plan({"rude": Rude(), "looks": looks}, X, Y, cv=CV)
    work = Measurement(plan, find_scorers(plan, "accuracy"), threads=1)
    assert all(work.measure(cell).is_done for cell in plan.cells())
    assert seen == [before[:3]] * 3
    assert state() == before


def test_classes_in_another_order_are_put_in_theirs():
    """A model whose classes_ are reversed gives the same scores as one whose are not."""

    class Reversed(BaseEstimator, ClassifierMixin):
        def fit(self, X: Any, y: Any) -> Any:
            self.inner_ = LogisticRegression().fit(X, y)
            self.classes_ = self.inner_.classes_[::-1]
            return self

        def predict(self, X: Any) -> Any:
            return self.inner_.predict(X)

        def predict_proba(self, X: Any) -> Any:
            return self.inner_.predict_proba(X)[:, ::-1]

        def decision_function(self, X: Any) -> Any:
            return -self.inner_.decision_function(X)

    names = ["roc_auc", "neg_log_loss", "accuracy"]
    ours, reference = measured(Reversed(), scoring=names), measured(LogisticRegression(), scoring=names)
    for name in ("roc_auc", "log_loss", "accuracy"):
        np.testing.assert_allclose(column(ours, name), column(reference, name), rtol=1e-12)


# --- seeds ------------------------------------------------------------------------------------------------------------------


class Drawing(BaseEstimator, ClassifierMixin):
    """Predicts at random: by the random state that it is given, or by the global generators."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        self.drawn_ = (np.random.random(), random.random())  # noqa: NPY002
        return self

    def predict(self, X: Any) -> Any:
        return np.random.default_rng(self.random_state).integers(0, 2, len(X)) ^ (self.drawn_[0] > 0.5)


def test_results_depend_on_rng_only():
    """Twice the same, also after other draws; another seed gives others; a seed that was set stays; None draws afresh."""

    def drawn(rng: Any = 0, model: Any = None) -> list[bytes]:
        random.random()
        np.random.random()  # noqa: NPY002
        return [outcome.outputs["predict"].tobytes() for outcome in measured(model or Drawing(), rng=rng)]

    assert drawn() == drawn()
    assert drawn() != drawn(rng=1)
    assert drawn(rng=None) != drawn(rng=None)
    fixed = [outcome.seed for outcome in measured(DummyClassifier(strategy="uniform", random_state=5), rng=3)]
    assert all(isinstance(seed, int) for seed in fixed)


@pytest.mark.parametrize(
    "model",
    [
        GridSearchCV(SVC(), {"C": [0.01, 0.1, 1, 10, 100]}, cv=KFold(3, shuffle=True)),
        GridSearchCV(Pipeline([("m", SVC())]), {"m": [ExtraTreesClassifier(2, max_depth=1), ExtraTreesClassifier(3)]}, cv=3),
    ],
    ids=["splitter", "candidates"],
)
def test_what_has_no_random_state_to_be_set_does_not_change_results(model: Any):
    """A splitter within a search and the search's candidates draw from the global generators, which are seeded."""

    def drawn() -> list[bytes]:
        np.random.random()  # noqa: NPY002
        outcomes = measured(model, scoring="roc_auc")
        return [outcome.outputs[method].tobytes() for outcome in outcomes for method in sorted(outcome.outputs)]

    assert drawn() == drawn()


def test_a_cell_does_not_depend_on_those_before_it():
    """Measured backwards, each cell gives what it gave forwards."""
    plan = make_plan({"a": Drawing(), "b": RandomForestClassifier(3)}, X, Y, cv=CV)
    work = Measurement(plan, find_scorers(plan, "accuracy"), threads=1)
    forwards = {cell: work.measure(cell).scores for cell in plan.cells()}
    backwards = {cell: work.measure(cell).scores for cell in reversed(plan.cells())}
    assert forwards == backwards


# --- what goes wrong --------------------------------------------------------------------------------------------------------


class Failing(GaussianNB):
    """Raises what it is told to."""

    def __init__(self, error: Any = None) -> None:
        super().__init__()
        self.error = error

    def fit(self, X: Any, y: Any) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (ValueError("no\n such   thing"), "raised", "ValueError: no such thing"),
        (RuntimeError(), "raised", "RuntimeError"),
        (MemoryError("too big"), "out-of-memory", "MemoryError: too big"),
        (SystemExit(3), "raised", "SystemExit: 3"),
        (ValueError("x" * 5000), "raised", f"ValueError: {'x' * 985}..."),
    ],
    ids=["error", "without text", "memory", "exit", "long"],
)
def test_what_a_model_raises_becomes_a_failure(error: BaseException, state: str, message: str):
    """With its state, its text on one line, and its traceback; no score is made up."""
    (outcome, *_) = measured(Failing(error))
    assert (outcome.state, outcome.message, outcome.scores) == (state, message, {})
    assert "in fit" in outcome.traceback


def test_a_metric_that_is_undefined_is_nan_with_its_reason():
    """A test set of one class has no ROC AUC; the other metrics of the cell are there."""
    y = np.array([0, 1] * 10 + [1] * 10)
    cv = [(np.arange(20), np.arange(20, 30))]
    (outcome,) = measured(GaussianNB(), X[:30], y, cv=cv, scoring=["roc_auc", "accuracy"])
    assert outcome.is_done
    assert np.isnan(outcome.scores["roc_auc"])
    assert "one class" in outcome.undefined["roc_auc"]
    assert outcome.scores["accuracy"] >= 0


def test_a_scorer_that_raises_leaves_the_others():
    """Its error is the reason."""

    def broken(model: Any, X: Any, y: Any) -> float:
        raise KeyError("column")

    (outcome, *_) = measured(GaussianNB(), scoring={"broken": broken, "accuracy": "accuracy"})
    assert outcome.undefined == {"broken": "KeyError: 'column'"}
    assert outcome.scores["accuracy"] > 0.5


def test_warnings_are_recorded_once_each():
    """They are not shown: a thousand fits would say the same a thousand times."""

    class Warning_(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            for text in ("slow", "slow", "odd\n one"):
                warnings.warn(text, RuntimeWarning, stacklevel=1)
            return super().fit(X, y)

    assert [outcome.warnings for outcome in measured(Warning_())] == [("RuntimeWarning: slow", "RuntimeWarning: odd one")] * 3


# --- predictions ------------------------------------------------------------------------------------------------------------


def test_predictions_are_kept_as_plain_numbers():
    """Labels by their position among the classes, probabilities as they are."""
    labels = np.array(["no", "yes"])[Y]
    (outcome, *_) = measured(GaussianNB(), X, labels, scoring=["accuracy", "neg_log_loss"])
    assert {name: (each.dtype.kind, each.shape) for name, each in outcome.outputs.items()} == {
        "predict": ("i", (30,)),
        "predict_proba": ("f", (30, 2)),
    }
    (outcome, *_) = measured(GaussianNB(), keep_predictions=False)
    assert outcome.outputs == {}


# --- what goes along --------------------------------------------------------------------------------------------------------

WEIGHTS = np.random.default_rng(0).uniform(0.1, 3.0, 90)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (LogisticRegression(), "sample_weight"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "logisticregression__sample_weight"),
    ],
)
def test_sample_weights_go_to_fit(model: Any, name: str):
    """To the model, or to the last step of a pipeline; scores are not weighted, as in cross_validate."""
    theirs = cross_validate(model, X, Y, cv=CV, scoring="neg_log_loss", params={name: WEIGHTS})["test_score"]
    ours = column(measured(model, scoring="neg_log_loss", sample_weight=WEIGHTS), "log_loss")
    np.testing.assert_allclose(ours, -theirs, rtol=1e-12)


def test_metadata_routing_sends_weights_where_they_are_asked_for():
    """The scaler did not ask, the regression did, as in cross_validate with routing on; a metric that asks is refused."""
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), LogisticRegression().set_fit_request(sample_weight=True)
        )
        scorer = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
        plain, weighted = (copy.deepcopy(scorer).set_score_request(sample_weight=asks) for asks in (False, True))
        theirs = cross_validate(model, X, Y, cv=CV, scoring=plain, params={"sample_weight": WEIGHTS})["test_score"]
        ours = measured(model, scoring=plain, sample_weight=WEIGHTS)
        with pytest.raises(DataError) as error:
            measured(model, scoring=weighted, sample_weight=WEIGHTS)
    np.testing.assert_allclose(column(ours, "log_loss"), -theirs, rtol=1e-12)
    assert str(error.value) == (
        "the metric 'log_loss' asks for 'sample_weight', and scores count each example once. Give a scorer without "
        "set_score_request."
    )


class Noting:
    """A callback that notes when a fit begins and ends; it can be pickled, and then its copies note elsewhere."""

    calls: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.own: list[str] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.calls.append("setup")
        self.own.append("setup")

    def on_fit_task_begin(self, estimator: Any, context: Any, **more: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any, **more: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None:
        self.calls.append("teardown")


def test_callbacks_of_scikit_learn_are_called():
    """They are set on the estimator (since scikit-learn 1.9), and each copy calls them."""
    if not hasattr(LogisticRegression, "set_callbacks"):
        pytest.skip("this scikit-learn has no callbacks")
    Noting.calls.clear()
    callback = Noting()
    assert all(outcome.is_done for outcome in measured(LogisticRegression().set_callbacks(callback)))
    assert callback.own == ["setup"] * 3
    assert Noting.calls == ["setup", "teardown"] * 3


# --- the process ------------------------------------------------------------------------------------------------------------


def test_settings_of_scikit_learn_go_along():
    """What was set when the work was made holds where it is done, and no longer."""

    def looks(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        return np.full(len(X_test), get_config()["transform_output"] == "pandas", dtype=int)

    with config_context(transform_output="pandas"):
        plan = make_plan({"m": looks}, X, Y, cv=CV)
        work = Measurement(plan, find_scorers(plan, "accuracy"), threads=1)
    sent = Payload(pickled(work)).unpack()
    assert sent.measure(Cell(0, 0, 0)).outputs["predict"].tolist() == [1] * 30
    assert get_config()["transform_output"] == "default"


# --- copies -----------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of what the next release will not have
def test_copies_of_all_that_scikit_learn_has_are_clones() -> None:
    """Attribute for attribute, of every estimator that can be made without arguments: plain values, functions, kernels."""
    n_copied = 0
    for name, kind in all_estimators():
        try:
            model = kind()
        except TypeError:  # it needs an estimator
            continue
        copied, expected = Prepared(name, model, (), seeded=False).copy(None), clone(model)
        assert type(copied) is kind, name
        assert {key: repr(value) for key, value in vars(copied).items()} == {
            key: repr(value) for key, value in vars(expected).items()
        }, name
        n_copied += 1
    assert n_copied > 150


class OwnTree(DecisionTreeClassifier):
    """A tree that is not scikit-learn's."""


@pytest.mark.parametrize("tree", [DecisionTreeClassifier, OwnTree])
def test_copies_share_nothing(tree: type[DecisionTreeClassifier]):
    """Fitting one leaves the next as new, and each has its own seed."""
    make = Prepared("m", make_pipeline(StandardScaler(), tree()), (), seeded=True).copy
    first, second = make(1), make(2)
    first.fit(np.eye(4), [0, 1, 0, 1])
    assert not hasattr(second[-1], "tree_")
    assert (first[-1].random_state, second[-1].random_state, make(1)[-1].random_state) == (1, 2, 1)


def test_only_open_random_states_are_seeded():
    """Of several parts each with another seed, as equal ones would draw the same numbers; one that was set is the caller's."""
    part, set_one = DecisionTreeClassifier(), SVC(random_state=3)
    model = VotingClassifier([("a", part), ("b", DecisionTreeClassifier()), ("c", set_one)])
    states = [each.random_state for _, each in Prepared("m", model, (), seeded=True).copy(5).estimators]
    assert len({*states}) == 3
    assert (states[2], part.random_state, Prepared("m", part, (), seeded=True).copy(5).random_state) == (3, None, 5)


class TellsChecks(GaussianNB):
    """Of scikit-learn by its module; says whether scikit-learn was told that numbers are finite."""

    def fit(self, X, y):
        warnings.warn(f"assumed: {get_config()['assume_finite']}", stacklevel=2)
        return super().fit(X, y)


TellsChecks.__module__ = "sklearn.naive_bayes"


@pytest.mark.parametrize(("value", "assumed"), [(0.0, True), (1e39, False), (np.nan, False), (np.inf, False)])
def test_that_numbers_are_finite_is_seen_once(value, assumed):
    """Only what is finite in single precision too, which trees compute in; else each model checks its rows, and says so."""
    table = X.copy()
    table[3, 2] = value
    for each in (table, sparse.csr_matrix(table)):
        work = Measurement(make_plan({"m": TellsChecks()}, each, Y, cv=CV), (), threads=1)
        assert f"UserWarning: assumed: {assumed}" in work.measure(Cell(0, 0, 0)).warnings
    tree, *_ = measured(DecisionTreeClassifier(), table, cv=KFold(2))
    assert tree.is_done == (assumed or value != value)  # trees take nan
