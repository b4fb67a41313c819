"""Validation curves: the sweet spot, what ties with it, and what is refused."""

import re
from typing import Any

import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.model_selection import validation_curve as their_validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError, UnknownNameError

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.1, random_state=2)
NEIGHBOURS = [1, 5, 60]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def curve_of(models: Any = None, **arguments: Any) -> tb.ValidationCurve:
    given = {"parameter": "n_neighbors", "values": NEIGHBOURS, "cv": FOLDS, "rope": 0.05, **arguments}
    return tb.validation_curve(KNeighborsClassifier() if models is None else models, X, Y, **given)


def test_points_are_those_of_scikit_learn():
    """Test and training means, by its own function on the same folds."""
    curve = curve_of()
    train, test = their_validation_curve(
        KNeighborsClassifier(), X, Y, param_name="n_neighbors", param_range=NEIGHBOURS, cv=FOLDS, scoring="accuracy"
    )
    assert_allclose(curve.points.test_mean[0], test.mean(axis=1), rtol=1e-12)
    assert_allclose(curve.points.train_mean[0], train.mean(axis=1), rtol=1e-12)
    assert (curve.labels, curve.models) == (("1", "5", "60"), ("KNeighborsClassifier",))


def test_verdicts_are_those_of_compare():
    """Each value against the best one, from the comparison of all values of the model."""
    curve = curve_of(cv={"kind": "repeated-stratified", "n_folds": 4, "n_repeats": 5})
    comparison = curve.evaluation.compare(rope=0.05)
    spot = curve.sweet_spots[0]
    assert curve.sweet_spot() == 5
    assert comparison.reference == "n_neighbors=5"
    for value, verdict in zip(NEIGHBOURS, spot.verdicts, strict=True):
        if value == 5:
            assert verdict == ""
        else:
            mirrored = comparison.pair(f"n_neighbors={value}", "n_neighbors=5").verdict
            assert verdict == mirrored
    assert set(curve.equivalent()) | set(curve.undecided()) <= {1, 60}


def test_several_models_have_a_sweet_spot_each():
    """Named as a grid in a dict is; the first is the default."""
    models = {"plain": SVC(), "scaled": SVC(gamma="auto")}
    curve = tb.validation_curve(models, X, Y, parameter="C", values=[0.01, 1.0], cv=FOLDS)
    assert curve.evaluation.models == ("plain, C=0.01", "plain, C=1", "scaled, C=0.01", "scaled, C=1")
    assert curve.points.test_mean.shape == (2, 2)
    assert curve.sweet_spot("scaled") in (0.01, 1.0)
    with pytest.raises(UnknownNameError, match="no model is called 'scald': did you mean 'scaled'"):
        curve.sweet_spot("scald")


def test_texts_and_objects_are_values_too():
    """A kernel is named by itself; an array and None as they are written."""
    assert tb.validation_curve(SVC(), X, Y, parameter="kernel", values=["linear", "rbf"], cv=3).labels == ("linear", "rbf")
    curve = tb.validation_curve(GaussianNB(), X, Y, parameter="priors", values=[None, [0.5, 0.5]], cv=3)
    assert curve.labels == ("None", "[0.5, 0.5]")


def test_one_value_and_one_split_have_a_best_but_no_verdict():
    """The reason says why."""
    assert curve_of(values=[5]).sweet_spots[0].reason == "only one value has a score"
    spot = curve_of(cv="holdout").sweet_spots[0]
    assert spot.position is not None
    assert spot.verdicts == ("", "", "")
    assert "split" in spot.reason


def test_a_value_that_fails_is_counted_and_leaves_the_others():
    """More neighbours than training examples."""
    curve = curve_of(values=[1, 5, 1000])
    assert curve.evaluation.n_failed == 4
    assert curve.points.n_splits.tolist() == [[4, 4, 0]]
    assert curve.sweet_spot() in (1, 5)
    assert curve.sweet_spots[0].verdicts[2] == ""
    nothing = curve_of(values=[1000, 2000])
    assert (nothing.sweet_spot(), nothing.sweet_spots[0].reason) == (None, "no value has a score")
    assert "no value has a score" in str(nothing)


def test_other_metrics_are_there_too():
    """The best value may be another one there."""
    both = curve_of(scoring=["accuracy", "roc_auc"]).for_metric("roc_auc")
    assert_array_equal(both.points.test_mean, curve_of(scoring="roc_auc").points.test_mean)
    assert both.sweet_spots[0].verdicts == curve_of(scoring="roc_auc").sweet_spots[0].verdicts


PIPELINE = make_pipeline(StandardScaler(), SVC())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"parameter": "n_neighbours"},
            UnknownNameError,
            "no parameter of model 'KNeighborsClassifier' is called 'n_neighbours': did you mean 'n_neighbors'",
        ),
        (
            {"models": {"svm": PIPELINE}, "parameter": "C", "values": [1]},
            UnknownNameError,
            "no parameter of model 'svm' is called 'C', but a part of it has one: give 'svc__C'.",
        ),
        (
            {"models": {"svm": PIPELINE}, "parameter": "svc__gama", "values": [1]},
            UnknownNameError,
            "no parameter of model 'svm' is called 'svc__gama': did you mean 'svc__gamma'",
        ),
        ({"values": []}, InvalidParameterError, "values must hold 1 to 100,000 values of the parameter; got []."),
        ({"values": "123"}, InvalidParameterError, "values must be a list of values of the parameter; got '123'."),
        ({"values": 5}, InvalidParameterError, "values must be a list of values of the parameter; got 5."),
        (
            {"values": range(10**9)},
            InvalidParameterError,
            "values must hold 1 to 100,000 values of the parameter; got range(0, 1000000000).",
        ),
        ({"values": [1, 1]}, DataError, "the grid holds the same candidate more than once"),
        ({"parameter": ""}, UnknownNameError, "no parameter of model "),
        (
            {"models": {"f": lambda a, b, c, d: c}},
            DataError,
            "model 'f' has no parameters that could be set: it has no get_params and set_params.",
        ),
        ({"rope": "much"}, InvalidParameterError, "rope must be a number in the metric's unit, or a percentage"),
        ({"alpha": 0}, InvalidParameterError, "alpha must lie between 0 and 1"),
    ],
)
def test_wrong_use_is_refused(arguments: dict[str, Any], error: type[Exception], message: str):
    """With the nearest names, or where the parameter is."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        curve_of(**arguments)
