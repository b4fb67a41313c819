"""The display of correlations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.views.plots.samples import NAMES, compared, graded, words_of


def test_data_are_the_correlations_of_the_comparison() -> None:
    """The frame of the comparison itself."""
    comparison = graded(tuple(NAMES["short"][:4]))
    pd.testing.assert_frame_equal(comparison.plot.correlation().data, comparison.correlation)


def test_values_are_printed_when_they_fit() -> None:
    """By hand: the second model is the first shifted, the third has the opposite course."""
    rises = [0.1, 0.2, 0.3, 0.5]
    display = compared({"a": rises, "b": [x + 0.1 for x in rises], "c": [1 - x for x in rises]}).plot.correlation()
    words = words_of(display.figure_)
    assert "−1.00" in words
    assert "Scores correlate by -1.00" in words


def test_a_model_with_constant_scores_has_no_correlation() -> None:
    """Undefined is said to be so, never drawn as 0."""
    words = words_of(compared({"varies": [0.8, 0.9, 0.7], "constant": [0.5, 0.5, 0.5]}).plot.correlation().figure_)
    assert "n/a" in words
    assert "The scores vary too little" in words


def test_many_models_are_coloured_without_numbers() -> None:
    """No cell holds a text, but the colour bar spans what there is."""
    display = graded(tuple(NAMES["short"])).plot.correlation()
    assert len(display.ax_.texts) == 0
    low, high = display.ax_.images[0].get_clim()
    assert low <= np.nanmin(display.data.to_numpy())
    assert high == 1.0
