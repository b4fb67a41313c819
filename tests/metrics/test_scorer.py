"""Scorers: from what callers name, of models and rows, and what they refuse."""

import functools
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import (
    accuracy_score,
    check_scoring,
    f1_score,
    get_scorer,
    get_scorer_names,
    jaccard_score,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import tiebreak as tb
from tests.guarded import told
from tests.metrics.helpers import label_array, truth_of
from tiebreak.errors import Advice, DataError, InvalidParameterError, UnknownNameError
from tiebreak.metrics.fast import FORMULAS
from tiebreak.metrics.scorer import Scorer, check_model, check_target, resolve_scorers
from tiebreak.metrics.targets import UndefinedScore, make_truth
from tiebreak.readers.source import name_metric
from tiebreak.scores.metric import Metric

X, Y = load_iris(return_X_y=True)
TRAIN, TEST = np.arange(0, 150, 2), np.arange(1, 150, 2)


def one(scoring: Any, *, classifier: bool = True, n_classes: int | None = 3) -> Scorer:
    (scorer,) = resolve_scorers(scoring, classifier=classifier, n_classes=n_classes)
    return scorer


# --- values -----------------------------------------------------------------------------------------------------------------


def test_several_labels_a_row_are_scored_by_scikit_learn() -> None:
    """There is no single label to encode."""
    inputs, y = make_multilabel_classification(60, random_state=0)
    model = RandomForestClassifier(5, random_state=0).fit(inputs, y)
    for name in ("f1_macro", "accuracy"):  # which have formulas for a single label
        scorer = one(name, n_classes=None)
        assert scorer.needs == ()
        assert scorer.score_model(model, inputs, y) == get_scorer(name)(model, inputs, y)


def test_arguments_reach_the_scorer() -> None:
    """Such as sample weights of the test rows."""
    model = GaussianNB().fit(X[TRAIN], Y[TRAIN])
    weights = np.arange(75.0)
    scorer = one(make_scorer(jaccard_score, average="macro"))
    expected = jaccard_score(Y[TEST], model.predict(X[TEST]), average="macro", sample_weight=weights)
    assert scorer.score_model(model, X[TEST], Y[TEST], sample_weight=weights) == expected


def test_a_loss_is_shown_positive() -> None:
    """By a formula, by scikit-learn's scorer, by make_scorer, and by a function that returns it as scikit-learn would."""
    y = X[:, 0]
    model = LinearRegression().fit(X[TRAIN, 1:], y[TRAIN])
    predicted = model.predict(X[TEST, 1:])
    expected = float(np.mean((y[TEST] - predicted) ** 2))

    def neg_mean_squared_error(model: Any, X: Any, y: Any) -> float:
        return -float(np.mean((y - model.predict(X)) ** 2))

    def squared(y: Any, p: Any) -> float:
        return float(np.mean((y - p) ** 2))

    for scoring in [
        "neg_mean_squared_error",
        neg_mean_squared_error,
        {"neg_mine": make_scorer(squared, greater_is_better=False)},
    ]:
        scorer = one(scoring, classifier=False, n_classes=None)
        assert not scorer.metric.higher_is_better
        truth = make_truth(y, classifier=False).take(TEST)
        value = scorer.score(truth, {"predict": predicted}) if scorer.needs else scorer.score_model(model, X[TEST, 1:], y[TEST])
        assert value == pytest.approx(expected, rel=1e-12)
    assert one("neg_max_error", classifier=False, n_classes=None).score_model(model, X[TEST, 1:], y[TEST]) == pytest.approx(
        np.abs(y[TEST] - predicted).max()
    )


def test_the_preferred_answer_is_taken() -> None:
    """roc_auc takes decisions before probabilities, as scikit-learn does."""
    truth = truth_of(np.array([0, 1]), np.arange(2))
    outputs = {"predict_proba": np.array([[0.0, 1.0], [1.0, 0.0]]), "decision_function": np.array([-1.0, 1.0])}
    scorer = one("roc_auc", n_classes=2)
    assert scorer.needs == ("decision_function", "predict_proba")
    assert scorer.score(truth, outputs) == 1
    del outputs["decision_function"]
    assert scorer.score(truth, outputs) == 0


def test_an_answer_that_is_not_there() -> None:
    """A function may return labels only."""
    with pytest.raises(UndefinedScore, match=r"^it needs predict_proba, and there is 'predict' of the model$"):
        one("log_loss").score(truth_of(Y, np.arange(3)), {"predict": Y})


@pytest.mark.parametrize(
    ("returned", "error", "text"),
    [
        ({"a": 1.0, "b": 2.0}, InvalidParameterError, "returned a dict with 'a' and 'b'. Pass one scorer for each: scoring="),
        ("good", InvalidParameterError, "returned 'good' of type str; it has to return one number."),
        (np.zeros(2), InvalidParameterError, "of type ndarray; it has to return one number."),
        (float("nan"), UndefinedScore, "^its function returned nan$"),
        (-np.inf, UndefinedScore, "^its function returned -inf$"),
    ],
)
def test_what_is_no_score(returned: Any, error: type[Exception], text: str) -> None:
    """A metric is one finite number."""
    with pytest.raises(error, match=text):
        one(lambda model, X, y: returned).score_model(None, X, Y)


@pytest.mark.parametrize("returned", [0.5, 1, True, np.float32(0.5), np.array(0.5), np.array([0.5])])
def test_what_is_a_score(returned: Any) -> None:
    """Numbers of numpy count as well."""
    value = one(lambda model, X, y: returned).score_model(None, X, Y)
    assert type(value) is float
    assert value in (0.5, 1)


def test_a_negative_loss_contradicts_its_name() -> None:
    """A function called log_loss that returns what scikit-learn calls neg_log_loss."""
    scorer = one({"log_loss": lambda model, X, y: -0.25})
    with pytest.raises(
        DataError, match=r"'log_loss' is never negative, but -0.25 was returned. Call it 'neg_log_loss' if the function"
    ):
        scorer.score_model(None, X, Y)
    assert one({"neg_log_loss": lambda model, X, y: -0.25}).score_model(None, X, Y) == 0.25
    assert one({"log_loss": lambda model, X, y: -1e-16}).score_model(None, X, Y) == -1e-16


def test_scorers_survive_pickling() -> None:
    """They are sent to other processes."""
    truth = truth_of(np.array([0, 1]), np.arange(2))
    for name in ("roc_auc", "f1_macro"):
        scorer = pickle.loads(pickle.dumps(one(name, n_classes=2)))
        assert scorer.score(truth, {"predict": np.array([0, 1]), "decision_function": np.array([1, 2])}) == 1
    assert pickle.loads(pickle.dumps(one("jaccard", n_classes=2))).metric.name == "jaccard"


# --- checks beforehand ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model", "text"),
    [
        (
            "log_loss",
            LinearSVC(),
            (
                "the metric 'log_loss' needs predict_proba, which the model 'mine' (LinearSVC) does not have. Use a model that "
                "gives probabilities (CalibratedClassifierCV around it adds them), or another metric such as 'accuracy'."
            ),
        ),
        ("log_loss", make_pipeline(StandardScaler(), RidgeClassifier()), "the model 'mine' (Pipeline) does not have."),
        ("roc_auc", LinearRegression(), "needs decision_function or predict_proba, which the model 'mine' (LinearRegression)"),
        ("accuracy", StandardScaler(), "the model 'mine' (StandardScaler) does not have. Use a model that has it, or a function"),
        ("jaccard", StandardScaler(), "the metric 'jaccard' needs predict, which the model 'mine' (StandardScaler)"),
        (
            "accuracy",
            make_pipeline(StandardScaler(), KMeans(2)),
            "'mine' (Pipeline) finds clusters, whose numbers are no labels of y, so that 'accuracy' says nothing of it.",
        ),
    ],
)
def test_a_model_without_the_method(name: str, model: Any, text: str) -> None:
    """Named with the metric and what to do, before anything is fitted."""
    assert text in told(DataError, check_model, one(name, n_classes=2), "mine", model)


def test_models_with_one_of_the_methods() -> None:
    """Any of them will do; what a function returns shows when it is called; a scorer of one's own knows what it asks."""
    assert not is_refused(one("roc_auc", n_classes=2), SVC())
    assert not is_refused(one("roc_auc", n_classes=2), make_pipeline(StandardScaler(), GaussianNB()))
    assert not is_refused(one("log_loss"), lambda *_: None)
    assert not is_refused(one("adjusted_rand_score"), KMeans(2))
    assert not is_refused(one(lambda model, X, y: 1.0), StandardScaler())
    assert is_refused(one("log_loss"), SVC())  # without probability=True it has no predict_proba


def is_refused(scorer: Scorer, model: Any) -> bool:
    """True where the model lacks what the metric asks."""
    try:
        check_model(scorer, "mine", model)
    except DataError:
        return True
    return False


def test_a_function_leaves_no_model() -> None:
    """So a metric that asks the model cannot be computed."""
    with pytest.raises(DataError, match="the metric 'jaccard' asks the fitted model itself, and the model 'f' is a function"):
        check_model(one("jaccard"), "f", lambda *_: None)


@pytest.mark.parametrize(
    ("name", "y", "text"),
    [
        (
            "f1",
            ["no", "yes"],
            (
                "the metric 'f1' cannot be computed for y of dataset 'toy': its positive class is the label 1, and the labels "
                "are 'no' and 'yes'; make the positive class 1 and the other 0"
            ),
        ),
        ("average_precision", [0, 2], "its positive class is the label 1, and the labels are 0 and 2"),
        ("recall", [1, 1], None),
        ("roc_auc", [1, 1], "cannot be computed for y of dataset 'toy': it is for two classes, and there is 1."),
        ("log_loss", [1, 1], "the target has only one class."),
        ("roc_auc_ovr", [1, 1], "the target has only one class."),
        ("average_precision", [0, 2, 5], None),
        ("roc_auc", ["no", "yes"], None),
        ("accuracy", ["no"], None),
    ],
)
def test_targets_that_a_metric_is_not_for(name: str, y: list[Any], text: str | None) -> None:
    """Named with the dataset, before anything is fitted."""
    scorer, truth = one(name, n_classes=2), make_truth(y, classifier=True)
    if text is None:
        check_target(scorer, truth, "toy")
    else:
        with pytest.raises(DataError) as error:
            check_target(scorer, truth, "toy")
        assert text in str(error.value)


def test_targets_of_several_classes_and_of_texts() -> None:
    """A plan of several datasets may have a larger one; numbers are needed for errors; a scorer of one's own may do anything."""
    three = truth_of(label_array("text", 3), label_array("text", 3))
    for name in ("f1", "roc_auc"):
        with pytest.raises(DataError, match=r"for y: it is for two classes, and there are 3."):
            check_target(one(name, n_classes=2), three)
    texts = make_truth(np.array(["a", "b"]), classifier=False)
    with pytest.raises(
        DataError, match=r"the metric 'r2' cannot be computed for y: it is for numbers, and the target holds 'a'."
    ):
        check_target(one("r2", classifier=False), texts)
    check_target(one(lambda model, X, y: 1.0), texts)


OF_CLASSES = ["accuracy", "f1_micro", "neg_log_loss", "neg_brier_score"]
OF_NUMBERS = ["neg_mean_absolute_error", "neg_mean_squared_error"]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_mean_is_the_metric_of_classes(name: str, n_classes: int, rng: np.random.Generator) -> None:
    """The scorer itself, which other tests hold equal to scikit-learn's; labels are texts."""
    labels = np.array(["no", "perhaps", "yes"])[:n_classes]
    y = labels[rng.integers(0, n_classes, 50)]
    truth = make_truth(y, classifier=True)
    outputs = {"predict": labels[rng.integers(0, n_classes, 50)], "predict_proba": rng.dirichlet(np.ones(n_classes), 50)}
    (scorer,) = resolve_scorers(name, classifier=True, n_classes=n_classes)
    assert scorer.is_mean_of_rows(truth)
    values = scorer.values_by_row(truth, outputs)
    assert values.shape == (50,)
    assert values.mean() == pytest.approx(scorer.score(truth, outputs), abs=1e-12)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_the_mean_is_the_metric_of_numbers(name: str, rng: np.random.Generator) -> None:
    """Likewise."""
    truth, outputs = make_truth(rng.normal(size=30), classifier=False), {"predict": rng.normal(size=30)}
    (scorer,) = resolve_scorers(name, classifier=False, n_classes=None)
    assert scorer.values_by_row(truth, outputs).mean() == pytest.approx(scorer.score(truth, outputs), abs=1e-12)


@pytest.mark.parametrize("name", ["roc_auc", "f1", "balanced_accuracy"])
def test_other_metrics_are_not_taken_for_means(name: str) -> None:
    """What they are worth depends on all rows at once."""
    (scorer,) = resolve_scorers(name, classifier=True, n_classes=2)
    assert not scorer.is_mean_of_rows(make_truth([0, 1], classifier=True))


def test_what_is_not_finite_is_undefined() -> None:
    """A prediction that is nan has no error."""
    (scorer,) = resolve_scorers("neg_mean_absolute_error", classifier=False, n_classes=None)
    with pytest.raises(UndefinedScore, match=r"^predict is not finite on 1 row\(s\)$"):
        scorer.values_by_row(make_truth([1.0, 2.0], classifier=False), {"predict": np.array([np.nan, 1.0])})


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "average_precision"])
def test_words_are_refused_with_the_way_to_name_the_positive_one(metric: str):
    """For every metric of two classes that counts one of them, whether it is computed here or by scikit-learn."""
    X, y = np.arange(12.0)[:, None], np.array(["no", "yes"] * 6)
    with pytest.raises(DataError, match="its positive class is the label 1, and the labels are 'no' and 'yes'") as caught:
        tb.evaluate({"prior": DummyClassifier()}, X, y, cv=2, scoring=metric)
    assert str(caught.value).endswith("or name it: scoring=make_scorer(..., pos_label='yes').")
    in_a_study = "".join(part.study or part.python if isinstance(part, Advice) else str(part) for part in caught.value.parts)
    assert in_a_study.endswith(f'Or name it: metrics = [{{ metric = "{metric}", positive = "yes" }}].')


def found(scoring: Any, *, classifier: bool = True, n_classes: int | None = 2, models: Any = ()) -> tuple[Scorer, ...]:
    return resolve_scorers(scoring, classifier=classifier, n_classes=n_classes, models=models)


def gain(model: Any, X: Any, y: Any) -> float:
    """A metric of one's own."""
    return 1.0


@pytest.mark.parametrize("name", sorted(get_scorer_names()))
def test_every_scorer_of_scikit_learn_has_its_name_and_direction(name: str) -> None:
    """By formula where there is one for such a target, else run as scikit-learn runs it; the object is as good as the name."""
    for classifier in (True, False):
        (scorer,) = found(name, classifier=classifier)
        (same,) = found(get_scorer(name), classifier=classifier)
        for each in (scorer, same):
            assert each.metric == name_metric(name).metric
            assert each.fingerprint_parts == ("sklearn", name)
            own = each.metric.name
            has_formula = own in FORMULAS and FORMULAS[own].is_of_classes is classifier
            assert each.needs == (FORMULAS[own].needs if has_formula else ())
            assert (each.call is None) is has_formula
            methods = get_scorer(name)._response_method
            assert not has_formula or each.needs == ((methods,) if isinstance(methods, str) else methods)


def test_every_formula_is_one_of_scikit_learns() -> None:
    """So that a name never means something else here."""
    assert {f"neg_{name}" if f"neg_{name}" in get_scorer_names() else name for name in FORMULAS} <= set(get_scorer_names())


def test_the_default_is_scikit_learns() -> None:
    """Accuracy for classes, R2 for numbers."""
    assert found(None, models=[LogisticRegression()])[0].metric.name == "accuracy"
    assert found(None, classifier=False, models=[Ridge()])[0].metric.name == "r2"


def test_a_model_without_a_default() -> None:
    """Neither classes nor numbers."""
    with pytest.raises(
        InvalidParameterError, match=r"^KMeans is a clusterer, which has no default metric\. Pass scoring=: a name such"
    ):
        found(None, classifier=False, models=[KMeans()])
    assert found("adjusted_rand_score", classifier=False, models=[KMeans()])[0].metric.higher_is_better


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("acuracy", "no metric is called 'acuracy': did you mean 'accuracy' or"),
        ("rmse", "no metric is called 'rmse': did you mean 'root_mean_squared_error'?"),
        ("neg_MAE", "no metric is called 'neg_MAE': did you mean 'neg_mean_absolute_error'?"),
        ("AUC", "no metric is called 'AUC': did you mean 'roc_auc'?"),
        ("neg_accuracy", "no metric is called 'neg_accuracy': did you mean 'accuracy'"),
        ("xyzzy", "no metric is called 'xyzzy': there are"),
    ],
)
def test_an_unknown_name_offers_the_nearest(name: str, text: str) -> None:
    """Abbreviations are spelled out rather than guessed at."""
    assert told(UnknownNameError, found, name).startswith(text)


# --- scorer objects and functions -------------------------------------------------------------------------------------------


def test_a_scorer_that_says_what_a_name_says_is_that_metric() -> None:
    """make_scorer(accuracy_score) is scikit-learn's accuracy, and has its formula."""
    (scorer,) = found(make_scorer(accuracy_score))
    assert (scorer.metric.name, scorer.needs) == ("accuracy", ("predict",))


def test_other_parameters_make_another_scorer() -> None:
    """Without a formula, called by its function; what is hashed names function, sign, parameters and methods."""
    (scorer,) = found(make_scorer(f1_score, average="macro", zero_division=1))
    assert scorer.metric == Metric("f1_score", True)
    assert scorer.needs == ()
    assert scorer.fingerprint_parts == ("make_scorer", f1_score, 1, {"average": "macro", "zero_division": 1}, ("predict",))


@pytest.mark.parametrize(
    ("scoring", "metric", "factor"),
    [
        ({"neg_x": make_scorer(gain, greater_is_better=False)}, Metric("x", False), -1),
        ({"x": make_scorer(gain, greater_is_better=False)}, Metric("x", False), -1),
        ({"x": make_scorer(gain)}, Metric("x", True), 1),
        ({"neg_x": make_scorer(gain)}, Metric("neg_x", True), 1),
        ({"x": gain}, Metric("x", True), 1),
        ({"log_loss": gain}, Metric("log_loss", False), 1),
        ({"neg_log_loss": gain}, Metric("log_loss", False), -1),
        ({"mse": gain}, Metric("mse", False), 1),
        ({"neg_rmse": gain}, Metric("rmse", False), -1),
        ({"neg_my_loss": gain}, Metric("neg_my_loss", True), 1),
        (gain, Metric("gain", True), 1),
        (functools.partial(gain), Metric("gain", True), 1),
        (lambda model, X, y: 1.0, Metric("score", True), 1),
        (check_scoring(Ridge()), Metric("score", True), 1),
    ],
)
def test_names_and_directions_of_ones_own(scoring: Any, metric: Metric, factor: int) -> None:
    """A sign of make_scorer is the direction; a function gives what is better when higher, unless its name is a known loss."""
    (scorer,) = found(scoring)
    assert (scorer.metric, scorer.factor, scorer.needs) == (metric, factor, ())


@pytest.mark.parametrize(
    ("key", "name", "metric"),
    [
        ("AUC", "roc_auc", Metric("AUC", True)),
        ("ll", "neg_log_loss", Metric("ll", False)),
        ("neg_ll", "log_loss", Metric("ll", False)),
    ],
)
def test_a_key_renames_a_metric(key: str, name: str, metric: Metric) -> None:
    """Direction, formula and hash stay."""
    (scorer,) = found({key: name})
    assert scorer.metric == metric
    assert scorer.needs
    assert scorer.fingerprint_parts == found(name)[0].fingerprint_parts


@pytest.mark.parametrize(
    ("scoring", "text"),
    [
        (
            make_scorer(mean_squared_error),
            (
                "of the metric 'mean_squared_error' lower is better, but the scorer says that higher is. Give make_scorer "
                "greater_is_better=False, or the metric another name: scoring={name: scorer}."
            ),
        ),
        ({"neg_log_loss": "accuracy"}, "of the metric 'neg_log_loss' lower is better, but the scorer says that higher is."),
        ({"accuracy": "log_loss"}, "of the metric 'accuracy' higher is better, but the scorer says that lower is."),
        ({"neg_r2": make_scorer(gain, greater_is_better=False)}, "of the metric 'r2' higher is better, but"),
        ({"mae": make_scorer(gain)}, "of the metric 'mae' lower is better, but the scorer says that higher is."),
        (
            {"my_loss": gain},
            (
                "of a function higher is better, and the name 'my_loss' sounds as if lower were. Return the negative and call it "
                "scoring={'neg_my_loss': function}, or give it a name without doubt: scoring={name: scorer}."
            ),
        ),
        (
            roc_auc_score,
            "roc_auc_score is a function of labels and predictions, and a function of model, X and y is needed. Pass",
        ),
        (["accuracy", "accuracy"], "two metrics are called 'accuracy'. Name each: scoring={name: scorer}."),
        ([make_scorer(f1_score, average="macro"), make_scorer(f1_score, average="micro")], "two metrics are called 'f1_score'."),
        ({"neg_log_loss": "neg_log_loss", "log_loss": "log_loss"}, "two metrics are called 'log_loss'."),
        ([], "scoring=[] names no metric. Pass a name such as"),
        ({}, "scoring={} names no metric."),
        (5, "scoring holds 5 of type int. Pass a name such as"),
        (["accuracy", None], "scoring holds None of type NoneType."),
        ({1: "accuracy"}, "scoring has the key 1 of type int; names of metrics are text."),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_refused(scoring: Any, text: str) -> None:
    """Each says what is wrong and how to go on."""
    assert told(InvalidParameterError, found, scoring).startswith(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "roc_auc",
            "the metric 'roc_auc' is for two classes, and the target has 3. Use 'roc_auc_ovr' or 'roc_auc_ovr_weighted'.",
        ),
        ("f1", "the metric 'f1' is for two classes, and the target has 3. Use 'f1_macro' or 'f1_micro' or 'f1_weighted'."),
    ],
)
def test_metrics_of_two_classes_are_refused_for_more(name: str, text: str) -> None:
    """Before anything is fitted, with those that are for more."""
    assert told(InvalidParameterError, found, name, n_classes=3) == text


def test_a_set_is_put_in_order() -> None:
    """Its own order changes from process to process; that of a list or dict is the caller's."""
    names = ["roc_auc", "accuracy", "f1", "log_loss", "recall"]
    assert [each.metric.name for each in found(set(names))] == sorted(names)
    assert [each.metric.name for each in found(names)] == names


def test_a_scorer_that_asks_for_metadata_keeps_doing_so() -> None:
    """scikit-learn's routing is no part of a formula."""
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
    assert found(scorer)[0].needs == ()


def test_a_scorer_that_this_scikit_learn_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its list grows; the text says which version is installed."""
    import sklearn.metrics

    def lacking(name: str) -> Any:
        raise ValueError(name)

    monkeypatch.setattr(sklearn.metrics, "get_scorer", lacking)
    with pytest.raises(
        UnknownNameError, match=rf"^scikit-learn {sklearn.__version__}, which is installed, has no scorer 'jaccard' yet\.$"
    ):
        found("jaccard")


def test_a_scorer_of_a_function_in_c_has_no_signature_to_look_at() -> None:
    """Python's max is such a function: nothing is known of a positive class."""
    (scorer,) = resolve_scorers({"most": make_scorer(max)}, classifier=True, n_classes=2)
    check_target(scorer, make_truth(np.array(["no", "yes"] * 3), classifier=True))
