"""The display of scores per split."""

from __future__ import annotations

import numpy as np

from tests.views.plots.samples import NAMES, RMSE, compared, graded, words_of
from tiebreak.views.plots import ScoresDisplay


def test_data_are_the_scores_and_means_of_the_comparison() -> None:
    """Every number drawn is one of the comparison's."""
    comparison = graded(tuple(NAMES["short"][:4]))
    data = ScoresDisplay.from_comparison(comparison).data
    wide = data.pivot(index="model", columns=["repeat", "fold"], values="score")
    np.testing.assert_array_equal(wide.loc[list(comparison.models)], comparison.matrix.score)
    means = data.groupby("model", observed=True)["mean"].first()
    np.testing.assert_array_equal(means.loc[list(comparison.models)], comparison.ranking["mean"])


def test_lines_join_the_scores_of_one_split_for_few_models() -> None:
    """The line of a split runs through its score of every model."""
    comparison = graded(tuple(NAMES["short"][:3]))
    lines = comparison.plot.scores().ax_.lines
    assert len(lines) == comparison.matrix.n_splits
    np.testing.assert_array_equal([line.get_xdata() for line in lines], comparison.matrix.score.T)


def test_no_lines_for_many_models() -> None:
    """They would hide the dots."""
    assert len(graded(tuple(NAMES["short"][:7])).plot.scores().ax_.lines) == 0


def test_an_incomplete_model_has_a_gap_and_says_so() -> None:
    """A missing score is not drawn, and the number of splits stands beside the mean."""
    scores = {"full": [0.9, 0.8, 0.85, 0.9], "part": [0.8, np.nan, 0.8, 0.9]}
    display = compared(scores, missing="pairwise").plot.scores()
    assert len(display.data) == 7
    assert "(3 splits)" in words_of(display.figure_)


def test_a_metric_of_which_lower_is_better_says_so() -> None:
    """On the axis, which keeps the metric's own direction."""
    words = words_of(graded(tuple(NAMES["short"][:2]), metric=RMSE).plot.scores().figure_)
    assert "root_mean_squared_error of each split (lower is better)" in words


def test_very_many_models_are_cut_and_counted() -> None:
    """The first sixty are drawn, and the note says so."""
    display = graded(tuple(f"m{number}" for number in range(100))).plot.scores()
    assert display.data["model"].nunique() == 60
    assert "Drawn: 60 of 100 models" in words_of(display.figure_)
