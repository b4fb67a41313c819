"""Plots over several datasets draw the numbers of the comparison, and say the finding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tiebreak as tb
from tests.views.plots.samples import NAMES, graded, hierarchical, misplaced, words_of
from tiebreak.errors import NotOfferedError
from tiebreak.views.plots.display import without_pyplot

BAKEOFF = Path(__file__).parents[2] / "comparison" / "data" / "ucr_means.csv"


@pytest.fixture(scope="module")
def bakeoff() -> tb.Comparison:
    """Eight classifiers on 142 datasets."""
    return tb.compare(BAKEOFF, metric="accuracy", rope=0.005)


# --- which are offered ------------------------------------------------------------------------------------------------


def test_what_is_offered_depends_on_the_procedure(bakeoff: tb.Comparison) -> None:
    """Probabilities where there is a posterior."""
    assert {"diagram", "paired"} <= set(bakeoff.plot.names)
    assert not {"posterior", "regions"} & set(bakeoff.plot.names)
    assert {"posterior", "regions"} <= set(hierarchical(("a", "b", "c")).plot.names)
    with pytest.raises(NotOfferedError, match="wilcoxon gives no probabilities"):
        bakeoff.plot.regions()


@pytest.mark.slow
def test_figures_over_datasets_speak_of_datasets(bakeoff: tb.Comparison) -> None:
    """Never of splits, which there are none of."""
    with without_pyplot():
        for name in bakeoff.plot.names:
            words = words_of(getattr(bakeoff.plot, name)().figure_)
            assert "split" not in words, name
    assert "on 142 datasets" in repr(bakeoff)


# --- two models -------------------------------------------------------------------------------------------------------


def test_a_pair_is_drawn_on_each_dataset_that_both_have() -> None:
    """Three wins, one loss, one tie within the rope, one dataset that one model lacks."""
    table = {
        "dataset": ["u", "v", "w", "x", "y", "z"],
        "a": [0.9, 0.8, 0.7, 0.6, 0.5, float("nan")],
        "b": [0.8, 0.7, 0.6, 0.7, 0.505, 0.4],
    }
    answer = tb.compare(table, metric="accuracy", rope=0.01)
    with without_pyplot():
        display = answer.plot.paired("a", "b")
        mirrored = answer.plot.paired("b", "a")
    assert dict(zip(display.data["dataset"], display.data["outcome"], strict=True)) == {
        "u": "won",
        "v": "won",
        "w": "won",
        "x": "lost",
        "y": "tied",
    }
    assert display.title == "Undecided: a against b; a wins 3 of 5 datasets, loses 1"
    assert mirrored.title == "Undecided: b against a; b wins 1 of 5 datasets, loses 3"
    assert "Without 1 dataset that one of the two lacks." in display.caption
    assert {"u", "v", "w", "x", "y"} <= set(words_of(display.figure_).split())


def test_many_datasets_are_dots_against_the_diagonal(bakeoff: tb.Comparison) -> None:
    """A dot for each of 142, with both counts in the corners and the largest differences named."""
    with without_pyplot():
        display = bakeoff.plot.paired("HC2", "PF")
    dots = np.concatenate([each.get_offsets() for each in display.ax_.collections if len(each.get_offsets()) > 1])
    assert sorted(map(tuple, np.asarray(dots).tolist())) == sorted(
        zip(display.data["second"], display.data["first"], strict=True)
    )
    n = display.data["outcome"].value_counts()
    words = words_of(display.figure_)
    assert f"HC2 wins {n['won']}" in words
    assert f"PF wins {n['lost']}" in words
    largest = display.data.reindex(display.data["difference"].abs().sort_values(ascending=False).index)["dataset"].head(3)
    assert sum(name in words for name in largest) >= 2
    assert misplaced(display.figure_) == []


def test_names_of_datasets_stand_whole_and_beside_the_diagonal() -> None:
    """Forty near the diagonal: at most three have a name, each on the side of its dot where no line crosses it."""
    base = np.random.default_rng(1).uniform(0.6, 0.95, 40)
    rng = np.random.default_rng(2)
    names = [f"dataset {k} of the archive" for k in range(40)]
    table = {"dataset": names, "one": base + rng.normal(0, 0.01, 40), "other": base + rng.normal(0, 0.01, 40)}
    with without_pyplot():
        display = tb.compare(table, metric="accuracy").plot.paired()
    named = [text for text in display.ax_.texts if text.get_text() in names]
    assert 1 <= len(named) <= 3
    display.figure_.canvas.draw()
    for text in named:
        box = text.get_window_extent().transformed(display.ax_.transData.inverted())
        assert box.y0 > box.x1 or box.y1 < box.x0
    assert misplaced(display.figure_) == []


def test_of_a_loss_the_lower_corner_is_the_better_one() -> None:
    """Positive favours the first there too."""
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1, 2, 20), rng.uniform(1.5, 2.5, 20)
    table = {"dataset": [f"d{k}" for k in range(20)], "a": a.tolist(), "b": b.tolist()}
    with without_pyplot():
        display = tb.compare(table, metric="rmse", lower_is_better=True).plot.paired("a", "b")
    assert (display.data["outcome"] == "won").sum() == (a < b).sum()
    corners = {text.get_text(): text.get_position()[1] for text in display.ax_.texts}
    assert corners[f"a\nwins {(a < b).sum()}"] < 0.5 < corners[f"b\nwins {(b < a).sum()}"]


# --- posteriors -------------------------------------------------------------------------------------------------------


def test_regions_are_the_probabilities_of_each_pair() -> None:
    """Against the best model, and mirrored where the model stands second in its pair."""
    names = tuple(NAMES["short"][:5])
    for settings in ({}, {"baseline": names[2]}):
        answer = graded(names, **settings)
        with without_pyplot():
            display = answer.plot.regions()
        assert set(display.data["model"]) == set(names) - {answer.reference}
        for row in display.data.itertuples():
            pair = answer.pair(row.model, answer.reference)
            assert (row.p_worse, row.p_equivalent, row.p_better) == pytest.approx(
                (pair.p_worse, pair.p_equivalent, pair.p_better)
            )
            assert row.verdict == pair.verdict
    assert display.title == "Against model 2, most likely of 4 models, 1 is better, 2 are equivalent and 1 is worse"
    with without_pyplot():
        two = graded(names[:2]).plot.regions()
    assert two.title.startswith("model 1 is equivalent to model 0 with probability ")


# --- other units ------------------------------------------------------------------------------------------------------


def test_levels_of_mixed_metrics_are_not_put_on_one_axis() -> None:
    """Accuracies and errors side by side mean nothing; ratios of scores do, and the diagram counts ranks."""
    rows = [
        {
            "dataset": f"d{k}",
            "metric": "accuracy" if k % 2 else "root_mean_squared_error",
            "model": name,
            "score": 0.5 + 0.01 * k * s,
        }
        for k in range(8)
        for s, name in enumerate("abc")
    ]
    mixed = tb.compare(rows)
    assert set(mixed.plot.names) == {"ranking", "verdicts", "diagram"}
    with without_pyplot():
        assert "mean share" not in mixed.plot.ranking().caption
