"""ROC, precision-recall and calibration curves from arrays; scikit-learn is the other opinion."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import calibration as sk_calibration
from sklearn import metrics as sk

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError, TiebreakError, UnknownNameError
from tiebreak.metrics.curves import calibration_curve, precision_recall_curve, roc_curve

examples = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=30)


def columns(data: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and scores between 0 and 1 with many ties."""
    return np.array([y for y, _ in data]), np.array([score / 6 for _, score in data])


@given(examples)
@pytest.mark.slow
def test_points_are_counted_by_definition(data: list[tuple[int, int]]) -> None:
    """For each threshold, those with at least that score; one class alone has counts, and no rates of the other."""
    y, scores = columns(data)
    curve = roc_curve(y, scores[:, None])  # as a column of a table
    assert curve.thresholds[0] == np.inf
    assert curve.thresholds[1:].tolist() == sorted(set(scores.tolist()), reverse=True)
    for threshold, tp, fp, fn, tn in zip(curve.thresholds, curve.tp, curve.fp, curve.fn, curve.tn, strict=True):
        called = scores >= threshold
        assert (tp, fp) == (np.sum(called & (y == 1)), np.sum(called & (y == 0)))
        assert (fn, tn) == (np.sum(~called & (y == 1)), np.sum(~called & (y == 0)))
    if 0 < y.sum() < y.size:
        assert (curve.auc, curve.reason) == (pytest.approx(sk.roc_auc_score(y, scores)), "")
        assert curve.auc == pytest.approx(np.trapezoid(curve.tpr, curve.fpr))
    else:
        missing = curve.tpr if not y.sum() else curve.fpr
        assert np.isnan([curve.auc, curve.area.variance[0], *missing]).all()
        assert curve.reason


@pytest.mark.slow
@given(examples)
def test_precision_and_recall_are_those_of_each_threshold(data: list[tuple[int, int]]) -> None:
    """And the average precision is scikit-learn's; one class alone has none."""
    y, scores = columns(data)
    curve = precision_recall_curve(y, scores)
    if not 0 < y.sum() < y.size:
        assert np.isnan(curve.average_precision)
        assert curve.reason
        assert curve.thresholds.size == 0
        return
    assert curve.average_precision == pytest.approx(sk.average_precision_score(y, scores))
    assert curve.prevalence == pytest.approx(y.mean())
    for threshold, precision, recall in zip(curve.thresholds, curve.precision, curve.recall, strict=True):
        called = scores >= threshold
        assert precision == pytest.approx(y[called].mean())
        assert recall == pytest.approx(y[called].sum() / y.sum())
    steps = np.diff(curve.recall, prepend=0.0)
    assert curve.average_precision == pytest.approx(float(steps @ curve.precision))


@given(examples, st.sampled_from(["quantile", "uniform"]), st.integers(1, 12))
@pytest.mark.slow
def test_bins_are_scikit_learns(data: list[tuple[int, int]], strategy: Any, n_bins: int) -> None:
    """With their counts, and the Brier score."""
    y, p = columns(data)
    curve = calibration_curve(y, p, strategy=strategy, n_bins=n_bins)
    assert curve.count.sum() == y.size
    assert curve.brier_score == pytest.approx(np.mean((p - y) ** 2))
    assert curve.calibration_error == pytest.approx(np.sum(curve.count * np.abs(curve.observed - curve.predicted)) / y.size)
    assert np.all((curve.low <= curve.observed + 1e-12) & (curve.observed <= curve.high + 1e-12))
    if 0 < y.sum() < y.size:
        observed, predicted = sk_calibration.calibration_curve(y, p, n_bins=n_bins, strategy=strategy)
        np.testing.assert_allclose(curve.observed, observed)
        np.testing.assert_allclose(curve.predicted, predicted)


def test_which_label_is_positive() -> None:
    """1 of 0 and 1, of -1 and 1, of the truth values; any other has to be named, and may stand against several."""
    scores = [0.1, 0.9]
    for labels in ([0, 1], [-1, 1], [False, True], np.array([0.0, 1.0])):
        assert roc_curve(labels, scores).auc == 1.0
    assert roc_curve(["no", "yes"], scores, positive="no").auc == 0.0
    curve = roc_curve(["a", "b", "c", "a"], [3, 1, 2, 4], positive="a")
    assert (curve.positive, curve.n_negative, curve.auc) == ("a", 2, 1.0)
    assert roc_curve([0, 0], scores).reason == "there is no example of the positive class 1"
    assert roc_curve(["no", "no"], scores, positive="no").reason == "all examples are of the positive class 'no'"


@pytest.mark.parametrize(
    ("y", "scores", "error", "text"),
    [
        (
            ["no", "yes"],
            [1, 2],
            InvalidParameterError,
            "which of the labels 'no' and 'yes' is the positive one? Say positive='yes', for one.",
        ),
        (
            [0, 1, 2],
            [1, 2, 3],
            InvalidParameterError,
            "there are 3 classes: 0, 1 and 2. Name one, positive=2, for a curve of that class against the rest.",
        ),
        (
            [0, 1, 0],
            [1, 2],
            DataError,
            (
                "scores has the shape (2,), and y_true 3 labels; one number for each example is needed, such as the column of "
                "the positive class: scores[:, 1]."
            ),
        ),
        (
            [0, 1],
            [1, np.nan],
            DataError,
            "scores[1] is nan; such an example has no place in the order. Leave it out, or mend it.",
        ),
        (
            [0, 1],
            [-np.inf, 1],
            DataError,
            "scores[0] is infinite; such an example has no place in the order. Leave it out, or mend it.",
        ),
        (
            [0, 1],
            [[0.4, 0.6], [0.1, 0.9]],
            DataError,
            (
                "scores has the shape (2, 2), and y_true 2 labels; one number for each example is needed, such as the column of "
                "the positive class: scores[:, 1]."
            ),
        ),
        (
            [0, 1],
            ["a", "b"],
            DataError,
            "scores must be numbers in rows of equal length; could not convert string to float: 'a'.",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(y: Any, scores: Any, error: type[Exception], text: str) -> None:
    """By all curves alike."""
    for curve in (roc_curve, precision_recall_curve):
        with pytest.raises(error):
            curve(y, scores)
        assert told(TiebreakError, lambda curve=curve: curve(y, scores)) == text


def test_a_positive_label_that_no_example_has() -> None:
    """The nearest one is offered."""
    with pytest.raises(UnknownNameError, match="no class is called 'Yes': did you mean 'yes'"):
        roc_curve(["no", "yes"], [1, 2], positive="Yes")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"probabilities": [0.5, 1.5]}, "probabilities[1] is 1.5; probabilities lie between 0 and 1."),
        ({"n_bins": 0}, "n_bins must be a whole number of at least 1; got 0."),
        ({"strategy": "kmeans"}, "strategy must be one of 'quantile', 'uniform'; got 'kmeans'."),
        ({"alpha": 5}, "alpha must lie between 0 and 1, ends excluded; got 5. Did you mean 0.05?"),
    ],
)
def test_bins_that_cannot_be_made_are_refused(arguments: dict[str, Any], text: str) -> None:
    """Before anything is counted."""
    assert told(TiebreakError, lambda: calibration_curve(**({"y_true": [0, 1], "probabilities": [0.2, 0.8]} | arguments))) == text


def test_one_area_has_one_interval(rng: np.random.Generator) -> None:
    """A curve's interval is that of compare, of a model that separates the classes too."""
    y = np.arange(60) % 3 == 0
    scores = {"good": 1 / (1 + np.exp(-(y + rng.normal(0, 1, 60)))), "perfect": 0.2 + 0.5 * y}
    ranking = tb.compare(tb.read_predictions(y.astype(int), scores, metric="roc_auc")).ranking.set_index("model")
    for name, values in scores.items():
        curve = roc_curve(y, values)
        shown = ranking.loc[name, ["mean_low", "mean_high"]].tolist()
        assert curve.auc_interval() == pytest.approx(shown, rel=1e-12)
        assert 0 < shown[0] < curve.auc <= shown[1] <= 1


def test_an_area_that_counts_examples_twice_has_no_interval() -> None:
    """Where an area's variance is not known though both classes have several examples, no interval is made up for it."""
    curve = roc_curve([0, 0, 1, 1], [1, 2, 3, 4])
    without = dataclasses.replace(curve, area=dataclasses.replace(curve.area, parts=np.full_like(curve.area.parts, np.nan)))
    assert np.isnan(without.auc_interval()).all()
    assert np.isfinite(roc_curve([0, 0, 1], [1, 2, 3]).auc_interval()).all()  # a single positive: the pseudo-score interval
