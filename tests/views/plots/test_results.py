"""Plots of other results hold the numbers of these, and their titles say what was found."""

import re

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import tiebreak as tb
from tests.views.plots.every import BINARY, COSTS, SEVERAL, X, evaluated
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.views.evaluation import times
from tiebreak.views.predictions import costs

NAMES = ("a", "b", "c")


def test_roc_data_are_the_mean_curves_best_first() -> None:
    """And each has its AUC; of one curve, its points."""
    rocs = evaluated(NAMES).roc()
    drawing = rocs.plot.drawing()
    data = drawing.data
    areas = data.groupby("model", sort=False)["value"].first()
    assert re.match(rf"{areas.index[0]} ranks first of 3 for class 1: .*{areas.iloc[0]:.3f}", drawing.title)
    assert areas.tolist() == sorted((float(line.auc.mean) for line in rocs), reverse=True)
    for line in rocs:
        np.testing.assert_array_equal(data[data["model"] == line.model]["true positive rate"], line.tpr.mean)
    curve = tb.metrics.roc_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.5])
    np.testing.assert_array_equal(curve.plot.drawing().data["true positive rate"], curve.tpr)


def test_the_area_below_precision_recall_steps_is_the_average_precision() -> None:
    """Of all predictions together, by the rectangles that are drawn."""
    curves = evaluated(NAMES).precision_recall()
    data = curves.plot.drawing().data
    for line in curves:
        mine = data[data["model"] == line.model]
        area = np.trapezoid(mine["precision"], mine["recall"])
        assert area == pytest.approx(line.pooled.average_precision)


def test_the_cheapest_threshold_is_in_the_title() -> None:
    """Worked out from the counts at each threshold."""
    rocs = evaluated(("a",)).roc()
    curve = rocs.lines[0].pooled
    cost = (5 * (curve.n_positive - curve.tp) + curve.fp) / (curve.n_positive + curve.n_negative)
    drawing = costs(rocs, COSTS)
    np.testing.assert_allclose(drawing.data["cost"], cost)
    assert f"is least, {cost.min():.4g} an example, at the threshold {curve.thresholds[cost.argmin()]:.3g}" in drawing.title


def test_a_confusion_matrix_has_counts_and_shares_and_says_what_it_beats() -> None:
    """7 of 10 right, where always saying the larger class is right 6 times."""
    matrix = ConfusionMatrix(("no", "yes"), np.array([[5, 1], [2, 2]]))
    drawing = matrix.plot.drawing()
    assert drawing.data["n"].tolist() == [5, 1, 2, 2]
    assert drawing.data["share"].tolist() == pytest.approx([5 / 6, 1 / 6, 0.5, 0.5])
    assert drawing.title == "70.0% of 10 predictions are right, better than always the largest class (60.0%)"
    assert matrix.plot(by="all").data["share"].tolist() == pytest.approx([0.5, 0.1, 0.2, 0.2])
    with pytest.raises(InvalidParameterError, match=r"at most 20 classes, and there are 21; \.to_frame\(\) has all"):
        ConfusionMatrix(tuple(range(21)), np.eye(21, dtype=int)).plot()


def test_times_have_the_quickest_on_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the medians of the run; the title is about all models, also where some are drawn."""
    evaluation = evaluated(NAMES)
    drawing = times(evaluation, rope=0.02)
    assert drawing.data["fit_seconds"].is_monotonic_increasing
    assert dict(zip(drawing.data["model"], drawing.data["fit_seconds"], strict=True)) == dict(
        zip(evaluation.models, evaluation.fit_times(0)[0].tolist(), strict=True)
    )
    monkeypatch.setattr("tiebreak.views.evaluation.MOST_ROWS", 2)
    assert times(evaluation, rope=0.02).title == drawing.title


def test_honest_scores_of_searches_stand_beside_their_own_best_scores() -> None:
    """Means of the frame of choices; an evaluation without a search has no such plot."""
    models = {"svc": GridSearchCV(SVC(), {"C": [0.01, 1, 10]}, cv=2), "same": GridSearchCV(SVC(), {"C": [1]}, cv=2)}
    evaluation = tb.evaluate(models, X[:90], BINARY[:90], cv=3, scoring="accuracy", progress=False)
    drawing = evaluation.plot.choices()
    frame = evaluation.choices
    assert sorted(drawing.data["score"]) == sorted(frame["score"])
    off = float((frame["best_score"] - frame["score"]).mean())
    assert f"are {abs(off):.4f} {'better' if off > 0 else 'worse'} than honest ones" in drawing.title
    assert evaluated(NAMES).plot.names == ("times",)
    with pytest.raises(DataError, match="no model is a search"):
        evaluated(NAMES).plot.choices()


def test_an_audit_has_the_shares_of_each_test_set_and_marks_its_findings() -> None:
    """Plain folds of sorted classes: each test set has one class, and the note names what concerns no split."""
    audit = tb.audit(X, np.sort(SEVERAL), cv=3)
    data = audit.plot.drawing().data
    shares = data[[name for name in data if str(name).startswith("share of")]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert [set(codes) for codes in data["codes"]] == [
        {finding.code for finding in audit.findings if split in finding.evidence.splits} for split in data["split"]
    ]
    of_numbers = tb.audit(X, X[:, 1], cv=3).plot.drawing().data
    assert (of_numbers["q1"] <= of_numbers["median"]).all()
    assert (of_numbers["median"] <= of_numbers["q3"]).all()
