"""Displays of confusion matrices and of ROC, precision-recall and calibration curves."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.views.plots.samples import NAMES, misplaced, words_of
from tiebreak.metrics.confusion import ConfusionMatrix

pytestmark = pytest.mark.slow

CURVES = ("roc", "precision_recall", "calibration")
X, Y = make_classification(n_samples=120, n_features=5, flip_y=0.3, random_state=4)


@cache
def evaluated(names: tuple[str, ...], cv: Any = 4, n: int = 120, classes: int = 2) -> tb.Evaluation:
    """Models that get a little smoother from one to the next, and last one that always says the same."""
    models = {name: GaussianNB(var_smoothing=10.0 ** (place - 5)) for place, name in enumerate(names[:-1])}
    X_, y = (X[:n], Y[:n]) if classes == 2 else load_iris(return_X_y=True)
    scoring = ["accuracy", "neg_log_loss", *(["roc_auc"] if classes == 2 else [])]
    return tb.evaluate({**models, names[-1]: DummyClassifier()}, X_, y, cv=cv, scoring=scoring)


def drawn(kind: str, names: tuple[str, ...], **design: Any) -> Any:
    """A display of such an evaluation."""
    return getattr(evaluated(names, **design), kind)().plot()


def matrix_of(names: list[str], largest: int = 90) -> ConfusionMatrix:
    """Mostly on the diagonal; the last class is never predicted, and never occurs."""
    n = len(names)
    counts = np.random.default_rng(0).integers(0, max(largest // 10, 1), (n, n)) + largest * np.eye(n, dtype=int)
    counts[:, -1] = counts[-1] = 0
    return ConfusionMatrix(tuple(names), counts)


# --- nothing overlaps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CURVES)
def test_curves_that_are_undefined_are_said_to_be(kind: str) -> None:
    """In folds of one example no fold has a curve: what all say together is drawn; of one class there is none at all."""
    assert misplaced(drawn(kind, ("bayes", "constant"), cv="loo", n=30).figure_) == []
    single = {
        "roc": tb.metrics.roc_curve,
        "precision_recall": tb.metrics.precision_recall_curve,
        "calibration": tb.metrics.calibration_curve,
    }[kind]([0, 0, 0], [0.1, 0.4, 0.2])
    figure = single.plot().figure_
    assert misplaced(figure) == []
    assert kind == "calibration" or "No curve is defined: all examples are of one class." in words_of(figure)


@pytest.mark.parametrize(
    "names", [["no", "yes"], [f"class {i}" for i in range(8)], NAMES["60 characters"][:6], NAMES["60 characters"][:21]]
)
@pytest.mark.parametrize("largest", [90, 1_234_567])
def test_no_text_of_a_matrix_overlaps_or_is_cut(names: list[str], largest: int) -> None:
    """Two classes, eight, names of sixty characters, and more than have room for counts; small counts and large ones."""
    assert misplaced(matrix_of(names, largest).plot().figure_) == []


def test_digits_stand_over_their_columns() -> None:
    """Instead of a number of the row, which would be another digit."""
    words = words_of(matrix_of([str(digit) for digit in range(10)]).plot(by="predicted").figure_)
    assert "0 1 2 3 4 5 6 7 8 9" in words
    assert "numbered" not in words


# --- the numbers that are drawn -------------------------------------------------------------------------------------------


def test_roc_data_are_the_curves() -> None:
    """Folds point by point, and the mean with its band; best first."""
    rocs = evaluated(("bayes", "constant")).roc()
    display = rocs.plot()
    assert [each.name for each in display.legend] == ["bayes", "constant"]
    data = display.data[display.data["line"] == 0]
    mean = data[data["part"] == "mean"]
    np.testing.assert_array_equal(mean[["tpr", "low", "high"]].to_numpy().T, [rocs["bayes"].tpr.mean, *rocs["bayes"].tpr[1:3]])
    for curve, (_, points) in zip(rocs["bayes"].folds, data[data["part"] == "fold"].groupby("fold"), strict=True):
        np.testing.assert_array_equal(points["tpr"], curve.tpr)
    words = words_of(display.figure_)
    assert "Bands: 95% interval of the mean for each rate by itself, corrected for shared training data" in words
    assert f"AUC {float(rocs['bayes'].auc.mean):.3f} (95%:" in words


def test_folds_and_bands_are_left_out_for_many_curves() -> None:
    """Eight bands would hide one another."""
    display = drawn("roc", tuple(NAMES["short"][:8]))
    assert set(display.data["part"]) == {"mean"}
    assert "Folds and bands are left out for so many curves." in words_of(display.figure_)
    assert display.ax_.collections[:] == []


def test_a_split_alone_is_its_own_curve() -> None:
    """Without a mean, and so without a band."""
    display = drawn("roc", ("bayes", "constant"), cv="holdout")
    assert set(display.data["part"]) == {"fold"}
    assert display.data["is_strong"].all()


def test_models_that_share_the_first_place_are_both_named_first() -> None:
    """Ten that always say the same, of which eight are drawn."""
    models = {f"model {place}": DummyClassifier() for place in range(10)}
    evaluation = tb.evaluate(models, X, Y, cv=4, scoring=["roc_auc", "neg_log_loss"])
    assert "10 of 10 curves share the highest AUC for class 1" in words_of(evaluation.roc().plot().figure_)


def test_precision_recall_data_are_the_steps() -> None:
    """Their area is the average precision of all predictions together."""
    curves = evaluated(("bayes", "constant")).precision_recall()
    data = curves.plot().data
    steps = data[(data["line"] == 0) & data["is_pooled"]]
    area = float(np.diff(steps["recall"], prepend=0.0) @ steps["precision"])
    assert area == pytest.approx(curves["bayes"].pooled.average_precision)


def test_calibration_data_are_the_bins() -> None:
    """The model that is nearest to what happens comes first: here one that always gives the share of the class."""
    curves = evaluated(("bayes", "constant")).calibration()
    display = curves.plot()
    assert display.legend[0].name == "constant"
    second = display.data[display.data["line"] == 1]
    np.testing.assert_array_equal(second["observed"], curves["bayes"].pooled.observed)
    assert "A constant can be calibrated too." in words_of(display.figure_)


def test_a_matrix_says_whether_it_beats_the_majority() -> None:
    """In its title, with shares that are never rounded to all or nothing."""
    confusions = evaluated(("bayes", "constant")).confusion()
    assert "no better: always saying the most frequent class" in words_of(confusions.plot("constant").figure_)
    assert "no better" not in words_of(confusions.plot("bayes").figure_)
    words = words_of(ConfusionMatrix((0, 1), np.array([[99_999, 1], [0, 5]])).plot().figure_)
    assert ">99.9%" in words
    assert "<0.1%" in words


def test_shares_can_be_of_predictions_or_of_all() -> None:
    """The note says which; a class that is never predicted has no share."""
    matrix = ConfusionMatrix(("no", "yes"), np.array([[3, 0], [1, 0]]))
    by_predicted, by_all = (words_of(matrix.plot(by=by).figure_) for by in ("predicted", "all"))
    assert "columns sum to 100%" in by_predicted
    assert "n/a" in by_predicted
    assert "share of all examples" in by_all
    assert "25%" in by_all
    with pytest.raises(tb.errors.InvalidParameterError, match="by must be"):
        matrix.plot(by="rows")
    assert "No examples" in words_of(ConfusionMatrix((0, 1), np.zeros((2, 2))).plot().figure_)


def test_the_histogram_stands_under_its_curves() -> None:
    """As wide as the square above it, so that one axis of probabilities serves both."""
    display = drawn("calibration", ("bayes", "constant"))
    figure = display.figure_
    figure.draw_without_rendering()
    curves, below = display.ax_, display.ax_.child_axes[0]
    for side in ("x0", "x1"):
        assert getattr(curves.get_window_extent(), side) == pytest.approx(getattr(below.get_window_extent(), side), abs=0.5)
    assert curves.get_xlim() == below.get_xlim()


def test_matrices_side_by_side_say_which_side_is_which() -> None:
    """One matrix has names at its sides, of several the caption says it."""
    assert "Rows: the actual class, columns: the predicted one." in drawn("confusion", ("bayes", "constant")).caption
