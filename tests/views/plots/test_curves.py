"""The displays of learning curves, validation curves, and of bias and variance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.samples import NAMES, misplaced, words_of
from tiebreak.views.plots import BiasVarianceDisplay, LearningCurveDisplay, ValidationCurveDisplay

TWO = ("random forest", "ridge")


def test_the_data_are_those_of_the_curve() -> None:
    """Everything drawn, the tests read here."""
    curve = drawn_learning_curve(TWO)
    display = curve.plot()
    assert isinstance(display, LearningCurveDisplay)
    for name in ("test_mean", "test_low", "train_mean", "fit_seconds"):
        np.testing.assert_array_equal(display.data[name], curve.to_frame()[name])
    lines = [line for line in display.ax_.lines if line.get_linestyle() == "-"]
    np.testing.assert_array_equal(lines[0].get_ydata(), curve.points.test_mean[0])


def test_lines_and_bands_are_named() -> None:
    """What is solid, what dashed, what the bands are."""
    figure = drawn_learning_curve(TWO).plot().figure_
    words = words_of(figure)
    for text in ("Solid: test. Dashed: training.", "corrected 95% intervals of the mean over splits"):
        assert text in words
    assert "more data: less than the rope on doubling" in words
    assert len(figure.axes) == 1


def test_the_time_of_a_fit_is_drawn_on_request() -> None:
    """In a panel beside the scores, also on the caller's axes."""
    figure = drawn_learning_curve(TWO).plot(times=True).figure_
    assert "median time of a fit" in words_of(figure)
    assert misplaced(figure) == []
    given = Figure(figsize=(12, 4))
    drawn_validation_curve(TWO).plot(times=True, ax=given.subplots())
    assert "median time of a fit" in words_of(given)
    assert misplaced(given) == []


def test_axes_are_logarithmic_where_the_range_asks_for_it() -> None:
    """20 to 320 examples are, 0.01 to 100 are; linear for few or near values; positions for words."""
    assert drawn_learning_curve(TWO).plot().ax_.get_xscale() == "log"
    assert drawn_validation_curve(TWO).plot().ax_.get_xscale() == "log"
    assert drawn_validation_curve(TWO, (1, 2, 3)).plot().ax_.get_xscale() == "linear"
    assert drawn_validation_curve(TWO, (0, 10, 1000)).plot().ax_.get_xscale() == "linear"
    words = drawn_validation_curve(TWO, ("linear", "poly", "rbf"), parameter="kernel").plot()
    assert [label.get_text() for label in words.ax_.get_xticklabels()] == ["linear", "poly", "rbf"]
    assert words.ax_.get_xscale() == "linear"


def test_numbers_stand_in_their_order_whatever_the_order_given() -> None:
    """A curve does not run back and forth."""
    display = drawn_validation_curve(("one",), (10.0, 0.1, 1.0)).plot()
    line = next(line for line in display.ax_.lines if line.get_linestyle() == "-")
    assert list(line.get_xdata()) == [0.1, 1.0, 10.0]


def test_many_values_have_labels_only_where_there_is_room() -> None:
    """The largest is always told."""
    display = drawn_validation_curve(("one",), tuple(range(1000, 1060)), parameter="depth").plot()
    assert misplaced(display.figure_) == []
    assert display.ax_.get_xticklabels()[-1].get_text() == "1059"


def test_the_best_value_and_its_ties_have_marks() -> None:
    """A star, and the shapes of the verdicts, explained in the note."""
    display = drawn_validation_curve(("one",)).plot()
    assert isinstance(display, ValidationCurveDisplay)
    assert display.best == ["1"]
    words = words_of(display.figure_)
    assert "★ best mean, ■ practically equivalent to it, ○ not told apart yet, ▽ behind it, ▼ worse." in words
    assert "one scores best at svc__C = 1" in words


def test_of_more_models_than_colours_the_first_are_drawn() -> None:
    """And the note says so."""
    words = words_of(drawn_learning_curve(NAMES["short"][:12]).plot().figure_)
    assert "Drawn: the first 8 of 12 models." in words


def test_bars_of_bias_and_variance_end_at_the_loss() -> None:
    """Sorted by it; what variance helps is hatched."""
    display = drawn_bias_variance(NAMES["short"][:3]).plot()
    assert isinstance(display, BiasVarianceDisplay)
    assert display.data["loss"].is_monotonic_increasing
    marks = [line.get_xdata()[0] for line in display.ax_.lines]
    np.testing.assert_allclose(marks, display.data["bias"] + display.data["variance"])
    assert "Hatched" in words_of(display.figure_)
    assert "Hatched" not in words_of(drawn_bias_variance(TWO, loss="squared").plot().figure_)


def test_a_display_is_saved_as_a_picture(tmp_path: Path) -> None:
    """PNG, drawn at once."""
    path = drawn_learning_curve(TWO).plot().save(tmp_path / "curve.png")
    assert path.read_bytes().startswith(b"\x89PNG")
