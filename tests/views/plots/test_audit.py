"""The display of an audit: its numbers, its words, and that they fit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, LeaveOneOut

import tiebreak as tb
from tests.audits.data import classes, numbers
from tests.views.plots.samples import HOSTILE, misplaced, words_of
from tiebreak.views.plots import AuditDisplay
from tiebreak.views.plots.audit import MOST_SPLITS, OTHERS

pytestmark = pytest.mark.slow


@cache
def audited(kind: str) -> tb.Audit:
    """Audits whose figures have different parts."""
    X, y = classes(240, n_classes=8)
    rng = np.random.default_rng(0)
    if kind == "two classes, no findings":
        return tb.audit(*classes(), "stratified")
    if kind == "eight long names":
        return tb.audit(X, np.array([f"a class with quite a long name, {'x' * 30} {i}" for i in range(8)])[y], KFold(8))
    if kind == "hostile names":
        return tb.audit(X, np.array(HOSTILE, dtype=object)[y % 6], KFold(8))
    if kind == "twenty classes":
        return tb.audit(X, rng.integers(0, 20, 240), KFold(4), task="classification")
    if kind == "everything wrong":
        X, y = numbers(240)
        order = np.argsort(y)
        return tb.audit(
            np.vstack([X[order], X[order]]),
            np.sort(np.append(y, y)),
            KFold(8),
            groups=rng.integers(0, 20, 480),
            time=rng.permutation(480),
        )
    if kind == "a hundred splits":
        return tb.audit(*numbers(200), "repeated-kfold")
    if kind == "no target to draw":
        return tb.audit(X, rng.integers(0, 2, (240, 3)), 4)
    return tb.audit(*classes(60), LeaveOneOut())


KINDS = (
    "two classes, no findings",
    "eight long names",
    "hostile names",
    "twenty classes",
    "everything wrong",
    "a hundred splits",
    "no target to draw",
    "single rows",
)


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_overlaps_or_is_cut(kind: str) -> None:
    """Whatever the number and names of classes, the number of splits, and what is found."""
    assert misplaced(audited(kind).plot().figure_) == []


@pytest.mark.parametrize("kind", ["two classes, no findings", "everything wrong"])
def test_the_callers_axes_fit_when_they_are_of_ordinary_size(kind: str) -> None:
    """There a sign without its codes stands beside a split."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    audited(kind).plot(figure.subplots())
    assert misplaced(figure) == []


def test_the_shares_of_iris_sorted_by_class() -> None:
    """A third of all rows, and all of a fold; each fold is marked with what was found there."""
    display = AuditDisplay.from_audit(tb.audit(*load_iris(return_X_y=True), KFold(3)))
    wide = display.data.pivot(index="split", columns="class", values="share")
    assert wide.loc[-1].tolist() == pytest.approx([1 / 3] * 3)
    assert wide.loc[[0, 1, 2]].to_numpy().tolist() == np.eye(3).tolist()
    assert display.splits["severity"].tolist() == ["error"] * 3
    assert "✗ class-missing-in-training, class-missing-in-test, unrepresentative-folds" in words_of(display.plot().figure_)


def test_the_quartiles_of_a_regression() -> None:
    """Of all rows first, then of each test set."""
    X, y = numbers(100)
    display = AuditDisplay.from_audit(tb.audit(X, y, KFold(2)))
    assert display.data["median"].tolist() == pytest.approx([np.median(y), np.median(y[:50]), np.median(y[50:])])


def test_many_splits_and_classes_are_cut_short_and_that_is_said() -> None:
    """Forty splits, those with findings before others; the rarer classes together."""
    figure = audited("a hundred splits").plot()
    assert len(figure.splits) == MOST_SPLITS
    assert "Drawn: 40 of 100 splits." in words_of(figure.figure_)
    assert list(AuditDisplay.from_audit(audited("twenty classes")).data["class"].cat.categories)[-1] == OTHERS


def test_findings_about_the_data_as_a_whole_are_named_below() -> None:
    """A leaking column concerns no split."""
    X, y = classes(200)
    display = tb.audit(np.column_stack([X, y]), y, "stratified").plot()
    assert display.elsewhere == ("leaking-column",)
    assert "About the data as a whole: leaking-column." in words_of(display.figure_)
