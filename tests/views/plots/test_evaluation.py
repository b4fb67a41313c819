"""Plots of an evaluation: scores against the time of a fit, predictions and residuals of a regression, cost over thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score, root_mean_squared_error
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.views.plots.every import COSTS, NUMBERS, evaluated
from tests.views.plots.samples import words_of
from tiebreak.errors import InvalidParameterError, InvalidPlanError

THREE = ("one", "two", "three")


def test_times_are_medians_and_standings_those_of_the_comparison() -> None:
    """And the quickest of the near best is named, whoever is first."""
    evaluation = evaluated(THREE)
    display = evaluation.plot.times("log_loss", rope=0.5)
    ranking = evaluation.compare("log_loss", rope=0.5).ranking.set_index("model")
    times = evaluation.times.set_index("model")
    for row in display.data.itertuples():
        assert row.mean == ranking.loc[row.model, "mean"]
        assert row.standing == ranking.loc[row.model, "standing"]
        assert row.fit_seconds == times.loc[row.model, "fit_median"]
    near = display.data[display.data["standing"].isin(["best", "near best"])]
    assert len(near) == 3
    assert display.data["fit_seconds"].dtype == float  # times in order of size, not of appearance
    assert display.cheapest == near.loc[near["fit_seconds"].idxmin(), "model"]
    assert display.title.startswith(f"{display.cheapest} is the quickest to fit of 3 that are near the best: ")
    assert display.ax_.yaxis_inverted()  # of a loss, the best is on top
    assert "none can be called near best" in evaluation.plot.times("log_loss").caption


def test_predictions_are_those_of_the_test_rows() -> None:
    """scikit-learn's root_mean_squared_error of them stands above each panel; the smallest comes first."""
    evaluation = evaluated(THREE, "numbers")
    display = evaluation.plot.predicted()
    frame = evaluation.predictions
    for row in display.models.itertuples():
        mine = frame[frame["model"] == row.model]
        assert row.rmse == pytest.approx(root_mean_squared_error(mine["target"], mine["prediction"]))
        drawn = display.data[display.data["model"] == row.model]
        np.testing.assert_array_equal(drawn["predicted"], mine["prediction"])
        assert sorted(drawn["actual"]) == sorted(NUMBERS)
    assert display.models["rmse"].is_monotonic_increasing


def test_residuals_are_predicted_minus_actual() -> None:
    """Dots of the first panel, around a line at zero."""
    display = evaluated(THREE, "numbers").plot.residuals()
    first = display.data[display.data["model"] == display.models["model"][0]]
    panel = display.figure_.axes[1]
    np.testing.assert_allclose(panel.collections[0].get_offsets()[:, 1], first["predicted"] - first["actual"])
    assert set(panel.lines[0].get_ydata()) == {0.0}


def test_of_classes_there_are_no_residuals() -> None:
    """They are not listed, and refused when asked for."""
    plots = evaluated(THREE).plot
    assert plots.names == ("times",)
    with pytest.raises(InvalidPlanError, match="for a regression"):
        plots.residuals()


def test_costs_are_those_of_deciding_at_each_threshold() -> None:
    """By CostMatrix.expected_cost of the labels that a threshold gives."""
    y, p = np.array([0, 0, 1, 1, 1]), np.array([0.1, 0.7, 0.3, 0.7, 0.9])
    curve = tb.metrics.roc_curve(y, p)
    display = curve.plot.costs(COSTS)
    for row in display.data.itertuples():
        assert row.cost == COSTS.expected_cost(y, (p >= row.threshold).astype(int))
    assert display.best["threshold"][0] == 0.3
    assert display.advised == pytest.approx(1 / 6)  # Elkan: 1 / (1 + 5)
    assert (display.never, display.always) == (3.0, 0.4)
    assert "threshold from which an example is called positive" in words_of(display.figure_)
    shares = tb.metrics.roc_curve(y, 10 * p).plot.costs(COSTS)
    assert "share of examples called positive" in words_of(shares.figure_)


def test_costs_of_three_classes_have_no_threshold() -> None:
    """As CostMatrix.threshold says."""
    with pytest.raises(InvalidParameterError, match="a threshold is for two classes, and there are 3"):
        tb.metrics.roc_curve([0, 1], [0.1, 0.2]).plot.costs(tb.CostMatrix(1 - np.eye(3)))


def test_of_many_classes_all_are_drawn_with_their_mean() -> None:
    """scikit-learn's roc_auc_score of one against the rest, the mean over folds, is the number above the panel."""
    X, y = (part[::3] for part in load_digits(return_X_y=True))
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    cv = {"kind": "stratified", "n_folds": 3}
    evaluation = tb.evaluate({"tree": model}, X, y, cv=cv, scoring=["roc_auc_ovr"], progress=False)
    display = evaluation.roc().plot()
    assert display.classes == [str(digit) for digit in range(10)]
    names = [f"probability {digit}" for digit in range(10)]
    areas = [roc_auc_score(fold["target"], fold[names], multi_class="ovr") for _, fold in evaluation.predictions.groupby("fold")]
    assert display.models["mean"][0] == pytest.approx(np.mean(areas))
    mean = display.data[display.data["class"] == ""]
    each = display.data[display.data["class"] != ""].groupby("x")["y"].mean()
    np.testing.assert_allclose(mean["y"], each)
    assert "ROC" not in display.title
    assert "over 10 classes" in display.title


def test_the_histogram_counts_all_predictions() -> None:
    """In twentieths; 1 is in the last."""
    curve = tb.metrics.calibration_curve([0, 1, 1, 0], [0.0, 0.04, 1.0, 0.5])
    assert curve.histogram.tolist() == [2, *[0] * 9, 1, *[0] * 8, 1]
    display = evaluated(THREE).calibration().plot()
    assert display.histogram.sum(axis=1).tolist() == [150, 150, 150]
