"""One difference by several methods, drawn."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.views.plots.samples import misplaced, words_of
from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import independent_proportions, kfold_ttest
from tiebreak.views.plots import IntervalsDisplay

pytestmark = pytest.mark.slow

LECTURE = independent_proportions(0.15, 30, 0.25, 5000, given="rates", higher_is_better=False)
FOLDS = kfold_ttest([0.02, 0.03, 0.01, 0.05, -0.01, 0.03, 0.02, -0.01, 0.03, 0.0])


def test_its_numbers_are_those_of_the_result() -> None:
    """Newcombe's interval first, the textbook's last, each as the result gives it."""
    display = IntervalsDisplay.from_rates(LECTURE, level=0.9)
    assert list(display.data["method"]) == ["Newcombe", "Agresti-Caffo", "textbook (z)"]
    for row, method in enumerate(("newcombe", "agresti-caffo", "wald")):
        assert tuple(display.data.loc[row, ["low", "high"]]) == LECTURE.confidence_interval(0.9, method)
    assert display.difference == LECTURE.difference


@pytest.mark.parametrize(
    ("display", "title"),
    [
        (IntervalsDisplay.from_rates(LECTURE), "Which is better is not shown"),
        (IntervalsDisplay.from_rates(independent_proportions(90, 100, 50, 100)), "The first is better by 0.4"),
        (IntervalsDisplay.from_rates(independent_proportions(50, 100, 90, 100)), "The second is better by 0.4"),
        (IntervalsDisplay.from_kfold(FOLDS), "Which is better is not shown, whatever the textbook says"),
        (IntervalsDisplay.from_kfold(kfold_ttest([0.1] * 5)), "No interval: the difference is the same on all splits"),
    ],
    ids=["lecture", "first", "second", "folds", "no spread"],
)
def test_the_finding_stands_above_it_and_nothing_overlaps(display: IntervalsDisplay, title: str) -> None:
    """The title is what the interval to believe says."""
    figure = display.plot().figure_
    assert title in " ".join(words_of(figure).split())
    assert misplaced(figure) == []


def test_on_the_callers_axes() -> None:
    """It fits there too."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    IntervalsDisplay.from_rates(LECTURE).plot(figure.subplots())
    assert misplaced(figure) == []


def test_one_pair_at_a_time() -> None:
    """Several are told how many they are."""
    with pytest.raises(InvalidParameterError, match=r"^one difference is drawn at a time, and there are 2; pick one pair\.$"):
        IntervalsDisplay.from_rates(independent_proportions(np.array([1, 2]), 10, 3, 10))
