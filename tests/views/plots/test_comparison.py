"""The displays of the ranking and of scores per split."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import tiebreak as tb
from tests.views.plots.samples import NAMES, RMSE, compared, graded, misplaced, words_of
from tiebreak.views.plots import RankingDisplay, ScoresDisplay

FOUR = tuple(NAMES["short"][:4])


@pytest.mark.parametrize("settings", [{}, {"baseline": FOUR[1]}, {"baseline": FOUR[3], "metric": RMSE}])
def test_rows_are_the_pairs_with_the_reference_turned_the_models_way(settings: dict[str, object]) -> None:
    """Whichever way round the family holds the pair, the numbers are those of pair(model, reference)."""
    comparison = graded(FOUR, **settings)
    data = RankingDisplay.from_comparison(comparison).data.set_index("model")
    for model in set(FOUR) - {comparison.reference}:
        pair = comparison.pair(model, comparison.reference)
        row = data.loc[model]
        assert (row["interval_low"], row["interval_high"]) == (pair.interval_low, pair.interval_high)
        assert (row["difference"], row["verdict"], row["reason"]) == (pair.difference, pair.verdict, pair.reason)
    np.testing.assert_array_equal(data["mean"], comparison.ranking["mean"])
    assert data.loc[comparison.reference, "verdict"] == ""


def test_intervals_and_band_are_named() -> None:
    """Simultaneous, of the difference, and over how many pairs."""
    words = words_of(graded(FOUR).plot.ranking().figure_)
    assert "simultaneous 95% intervals of the difference" in words
    assert "rope, ±0.02" in words


def test_lines_are_the_intervals() -> None:
    """Nothing else is drawn as a line but the zero."""
    display = graded(FOUR).plot.ranking()
    drawn = [line.get_xdata() for line in display.ax_.lines if len(set(line.get_xdata())) == 2]
    np.testing.assert_array_equal(drawn, display.data[["interval_low", "interval_high"]].iloc[1:])


def test_verdicts_stand_as_words_and_shapes() -> None:
    """The three kinds that occur in this table, beside their rows."""
    words = words_of(graded(FOUR).plot.ranking().figure_)
    for text in ("■ equivalent", "▽ behind", "▼ worse"):
        assert text in words
    assert "model 0 is the best of 4; of 3 others, " in words


def test_one_pair_is_said_in_a_sentence() -> None:
    """Counting the verdicts of one other model would be odd."""
    far, near = compared({"a": [0.9, 0.91, 0.92], "b": [0.1, 0.11, 0.13]}), graded(FOUR[:2])
    assert "a is better than b" in words_of(far.plot.ranking().figure_)
    assert "model 0 and model 1 are practically equivalent" in words_of(near.plot.ranking().figure_)


def test_a_baseline_is_named() -> None:
    """The title then counts verdicts against it, as it need not be the best."""
    words = words_of(graded(FOUR, baseline="model 2").plot.ranking().figure_)
    assert "Against the baseline model 2" in words
    assert "baseline" in words
    assert "simultaneous 95% intervals" in words


def test_pairs_without_spread_have_a_mark_and_a_reason_but_no_line() -> None:
    """Undefined intervals are left out, not drawn as zero width."""
    same = [0.9, 0.8, 0.85]
    table = {"a": same, "b": same, "c": [x - 0.5 for x in same], "d": [0.1, np.nan, np.nan]}
    display = compared(table, missing="pairwise", baseline="a").plot.ranking()
    words = words_of(display.figure_)
    for text in ("undecided (identical scores)", "undecided (no spread)", "undecided (too few shared splits)"):
        assert text in words
    assert display.data["interval_low"].isna().all()


def test_lower_is_better_is_said_on_the_axis() -> None:
    """The difference is turned so that positive is better."""
    words = words_of(graded(FOUR, metric=RMSE).plot.ranking().figure_)
    assert "positive favours the model of the row (lower root_mean_squared_error)" in words


def test_the_baseline_is_drawn_even_when_it_ranks_last_of_many() -> None:
    """The first models and the reference, without which the differences would hang in the air."""
    names = tuple(f"m{number}" for number in range(70))
    display = graded(names, baseline="m69").plot.ranking()
    assert len(display.data) == 60
    assert display.data["model"].iloc[-1] == "m69"
    assert display.data["rank"].iloc[-1] == 70


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
    """They would hide the dots; what is paired, plot.differences() shows."""
    assert len(graded(tuple(NAMES["short"][:4])).plot.scores().ax_.lines) == 0


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


@pytest.mark.slow
def test_very_many_models_are_cut_and_counted() -> None:
    """The first sixty are drawn, and the note says so."""
    display = graded(tuple(f"m{number}" for number in range(100))).plot.scores()
    assert display.data["model"].nunique() == 60
    assert "Drawn: 60 of 100 models" in words_of(display.figure_)


def test_differences_are_those_of_every_split() -> None:
    """Turned so that positive favours the model of the row; marks and lines are those of the ranking."""
    comparison = graded(FOUR, metric=RMSE)
    display = comparison.plot.differences()
    score = dict(zip(comparison.models, comparison.matrix.score, strict=True))
    for model, mine in display.data.groupby("model", observed=True):
        np.testing.assert_array_equal(mine["difference"], score[comparison.reference] - score[model])
    assert comparison.reference not in set(display.data["model"])
    assert display.table.equals(comparison.plot.ranking().data)


def test_letters_and_standings_are_those_of_the_ranking() -> None:
    """Letters stand beside the means; who may be the best is said above."""
    display = graded(FOUR).plot.ranking()
    for name in ("standing", "letters"):
        assert list(display.data[name]) == list(display.comparison.ranking[name])
    assert "models that share a letter are not told apart" in display.caption
    near = graded(FOUR, rope=0.05)
    n_best = len(near.shortlist())
    assert ("is the best of 4" in near.plot.ranking().title) == (n_best == 1)


def test_the_verdicts_have_a_legend_where_there_is_no_room_for_notes() -> None:
    """In words, on axes of the caller's that end at the edge of the figure."""
    figure = Figure(figsize=(7, 4))
    axes = figure.add_axes((0.3, 0.2, 0.69, 0.7))
    display = graded(FOUR).plot.ranking(ax=axes)
    legend = axes.get_legend()
    assert legend is not None
    assert {text.get_text() for text in legend.get_texts()} == set(display.data["verdict"]) - {""}
    assert misplaced(figure) == []


def test_an_interval_without_a_limit_is_an_arrow() -> None:
    """Seven datasets are too few for the level of six pairs: both ends are open, and the note says why."""
    table = {"dataset": [f"d{k}" for k in range(7)]}
    table |= {name: [0.8 - 0.01 * place * (1 + k % 3) for k in range(7)] for place, name in enumerate("abcd")}
    answer = tb.compare(table, metric="accuracy", rope=0.001)
    assert np.isinf(answer.pairs["interval_low"]).any()
    for display in (answer.plot.ranking(), answer.plot.differences()):
        low, high = display.ax_.get_xlim()
        assert np.isfinite([low, high]).all()
        assert "An arrow: the data set no limit on that side." in display.caption
        assert "undecided (too few datasets)" in words_of(display.figure_)
        assert misplaced(display.figure_) == []
    assert "arrow" not in graded(("a", "b", "c")).plot.ranking().caption


@pytest.mark.parametrize("plot", ["ranking", "differences", "scores", "verdicts"])
def test_models_with_identical_scores_share_a_row(plot: str) -> None:
    """As in the tables: one row for 'a' and its copies, whose names stand in the caption; the others keep theirs."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.9, 0.02, (2, 20))
    display = getattr(compared({"a": a, "b": b, "same as a": a, "also a": a, "c": b - 0.1}).plot, plot)()
    words = words_of(display.figure_)
    copies = sorted(["a", "same as a", "also a"])
    assert f"{copies[0]} (and 2 copies)" in words
    assert f"Identical scores have one row: {' = '.join(copies)}." in " ".join(words.split())
    assert "Drawn:" not in display.caption
    assert [name for name in display._models if name in copies] == copies[:1]
    assert len(display._models) == 3


def test_copies_have_rows_of_their_own_where_nothing_else_is_there_or_a_baseline_was_named() -> None:
    """A plot compares, so that there are at least two rows; against a baseline each model has its own verdict."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.9, 0.02, (2, 20))
    assert len(compared({"a": a, "b": a, "c": a}).plot.ranking().data) == 3
    display = compared({"a": a, "b": a, "c": b}, baseline="b").plot.ranking()
    assert len(display.data) == 3
    assert "one row" not in display.caption


def test_the_copies_of_the_best_are_no_others() -> None:
    """The title counts a model and its copy as one beside the model that is worse."""
    a = np.random.default_rng(0).normal(0.9, 0.02, 40)
    worse = a - 0.1 + np.random.default_rng(1).normal(0, 0.001, 40)
    display = compared({"a": a, "b": a, "c": worse}).plot.ranking()
    assert display.title == "a (and 1 copy) is the best of 3; the other is worse"
