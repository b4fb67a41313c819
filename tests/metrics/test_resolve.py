"""Names, scorers and functions, found or refused."""

import functools
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    check_scoring,
    f1_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)

from tiebreak.errors import InvalidParameterError, UnknownNameError
from tiebreak.metrics.fast import FORMULAS
from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.metrics.scorer import Scorer
from tiebreak.readers.source import name_metric
from tiebreak.scores.metric import Metric


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
            assert (each.needs or each.asks) == ((methods,) if isinstance(methods, str) else methods)


def test_every_formula_is_one_of_scikit_learns() -> None:
    """So that a name never means something else here."""
    assert {f"neg_{name}" if f"neg_{name}" in get_scorer_names() else name for name in FORMULAS} <= set(get_scorer_names())


def test_our_names_of_losses() -> None:
    """Without neg_, as their users call them."""
    assert [each.metric for each in found(["log_loss", "brier_score"])] == [
        Metric("log_loss", False),
        Metric("brier_score", False),
    ]


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
    with pytest.raises(UnknownNameError) as error:
        found(name)
    assert str(error.value).startswith(text)


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
    assert scorer.asks == ("predict",)
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
    with pytest.raises(InvalidParameterError) as error:
        found(scoring)
    assert str(error.value).startswith(text)


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
    with pytest.raises(InvalidParameterError) as error:
        found(name, n_classes=3)
    assert str(error.value) == text


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


def test_numbers_from_labels_are_scored_by_scikit_learn() -> None:
    """Labels 0 and 1 have a squared error too; its formula is for targets that are numbers."""
    (scorer,) = found("neg_mean_squared_error")
    assert scorer.needs == ()
    model = LogisticRegression().fit(np.array([[0.0], [1.0], [0.0]]), [0, 1, 1])
    assert scorer.score_model(model, np.array([[0.0], [1.0]]), np.array([0, 0])) in (0, 0.5, 1)
