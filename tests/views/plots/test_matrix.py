"""The display of all verdicts."""

from __future__ import annotations

import numpy as np

from tests.views.plots.samples import NAMES, compared, graded, words_of
from tiebreak.views.plots.style import MARKS

FOUR = tuple(NAMES["short"][:4])


def test_every_cell_is_the_pair_of_its_row_and_column() -> None:
    """Both orientations, each with the numbers of the pair so oriented."""
    comparison = graded(FOUR)
    data = comparison.plot.verdicts().data
    assert len(data) == 12
    for row in data.itertuples():
        pair = comparison.pair(row.row, row.column)
        assert (row.difference, row.verdict) == (pair.difference, pair.verdict)
        assert row.adjusted_pvalue == pair.adjusted_pvalue


def test_few_models_have_words_and_differences() -> None:
    """So that the figure can be read without a legend."""
    display = graded(FOUR).plot.verdicts()
    words = words_of(display.figure_)
    for text in ("▲ better", "△ ahead", "■ equivalent", "▽ behind", "▼ worse"):
        assert text in words
    assert display.ax_.get_legend() is None


def test_many_models_have_marks_and_a_legend() -> None:
    """A mark where something is shown, none where nothing is, on the colour of the difference."""
    display = graded(tuple(NAMES["short"])).plot.verdicts()
    legend = display.ax_.get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    found = set(display.data["verdict"])
    assert words == [name for name in MARKS if name in found - {"undecided"}] + ["no mark: undecided"] * ("undecided" in found)
    n_marks = sum(len(marks.get_offsets()) for marks in display.ax_.collections if marks.get_offsets().size > 2) - 40
    assert n_marks == (display.data["verdict"] != "undecided").sum()
    assert display.ax_.images[0].get_array()[0, 1] == display.data["difference"].iloc[0]


def test_with_a_baseline_the_rest_is_not_asked() -> None:
    """Only the row and the column of the baseline hold verdicts."""
    display = graded(FOUR, baseline="model 1").plot.verdicts()
    asked = (display.data["row"] == "model 1") | (display.data["column"] == "model 1")
    assert (display.data.loc[~asked, "verdict"] == "not asked").all()
    assert (display.data.loc[asked, "verdict"] != "not asked").all()
    words = words_of(display.figure_)
    assert words.count("not asked") == 6
    assert "3 pairs with the baseline model 1" in words


def test_the_title_counts_the_pairs_of_the_family() -> None:
    """The same counts as in the frame of pairs."""
    comparison = graded(FOUR)
    counts = comparison.pairs["verdict"].value_counts()
    words = words_of(comparison.plot.verdicts().figure_)
    won = counts["better"] + counts["worse"]
    assert f"Of 6 pairs, {won} ha" in words
    assert f"{counts['equivalent']} are equivalent" in words


def test_all_of_one_kind_is_said_so() -> None:
    """Rather than "of 3 pairs, 3 are"."""
    words = words_of(compared({"a": [0.5] * 4, "b": [0.5] * 4, "c": [0.5] * 4}).plot.verdicts().figure_)
    assert "All 3 pairs are undecided" in words


def test_an_undefined_difference_is_not_a_number() -> None:
    """These two models share no split at all."""
    scores = {"a": [0.9, 0.8, np.nan, np.nan], "b": [np.nan, np.nan, 0.7, 0.9], "c": [0.9, 0.7, 0.8, 0.6]}
    assert "n/a" in words_of(compared(scores, missing="pairwise").plot.verdicts().figure_)
