"""Plots of single items: the numbers are the counts of the table, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.views.plots.samples import NAMES, over_datasets, over_items, words_of
from tiebreak.errors import NotOfferedError
from tiebreak.views.plots.display import without_pyplot


def of_runs() -> tb.Comparison:
    """Two models on four items, two runs, scores that are no counts."""
    rows = [
        {"item": f"i{k}", "model": name, "run": run, "score": base + 0.1 * run - 0.05 * k}
        for k in range(4)
        for name, base in (("a", 0.6), ("b", 0.5 if k else 0.9))
        for run in (0, 1)
    ]
    return tb.compare(pd.DataFrame(rows), metric="f1", lower_is_better=False)


def test_outcomes_are_counted_and_areas_are_shares() -> None:
    """Five items both right, three only a, one only b, one neither: areas of .5, .3, .1 and .1 of the square."""
    both, one, other, neither = 5, 3, 1, 1
    table = {
        "question": [f"q{k}" for k in range(10)],
        "a": [1] * (both + one) + [0] * (other + neither),
        "b": [1] * both + [0] * one + [1] * other + [0] * neither,
    }
    with without_pyplot():
        display = tb.compare(table, metric="accuracy").plot.outcomes("a", "b")
        turned = tb.compare(table, metric="accuracy").plot.outcomes("b", "a")
    assert display.data["n"].tolist() == [5, 3, 1, 1]
    assert turned.data["n"].tolist() == [5, 1, 3, 1]
    areas = [bar.get_width() * bar.get_height() for bar in display.ax_.patches]
    assert areas == pytest.approx([0.5, 0.3, 0.1, 0.1])
    assert display.title == "Undecided: a against b; only a is right on 3 questions, only b on 1"
    for text in ("both right: 5 (50.0%)", "only a right: 3 (30.0%)", "neither right: 1 (10.0%)"):
        assert text in words_of(display.figure_)


def test_a_model_that_is_always_right_leaves_no_part_empty() -> None:
    """Parts without area are no error."""
    table = {"question": ["u", "v", "w"], "a": [1, 1, 1], "b": [1, 0, 1]}
    with without_pyplot():
        display = tb.compare(table, metric="accuracy").plot.outcomes("a", "b")
    assert display.data["n"].tolist() == [2, 1, 0, 0]
    assert sum(bar.get_width() * bar.get_height() for bar in display.ax_.patches) == pytest.approx(1.0)


def test_disagreements_are_named_from_both_ends() -> None:
    """All that differ where there is room; of more the largest either way, and the caption says so."""
    answer = over_items(("a", "b"))
    one, other = answer.matrix.score[[answer.models.index(name) for name in ("a", "b")]]
    with without_pyplot():
        display = answer.plot.disagreements("a", "b")
        few = answer.plot.disagreements("a", "b", top=4)
    ahead, behind = int((one > other).sum()), int((one < other).sum())
    assert (display.n_better, display.n_worse) == (ahead, behind)
    assert display.title == f"a is better on {ahead} questions, b on {behind}"
    assert set(display.data["item"]) == {f"q{k}" for k in np.flatnonzero(one != other)}
    assert few.data["difference"].tolist() == [1, 1, -1, -1]
    assert f"Drawn: 4 of {ahead + behind} such questions" in few.caption


def test_disagreements_of_runs_are_of_their_means() -> None:
    """By hand: a leads by 0.1 on three items, b by 0.3 on the first."""
    with without_pyplot():
        display = of_runs().plot.disagreements("a", "b")
    assert dict(zip(display.data["item"], display.data["difference"].round(12), strict=True)) == {
        "i0": -0.3,
        "i1": 0.1,
        "i2": 0.1,
        "i3": 0.1,
    }
    assert display.data["item"].iloc[-1] == "i0"


def test_models_with_the_same_answers_have_no_disagreement() -> None:
    """An empty figure that says so."""
    table = {"question": ["u", "v", "w"], "a": [1, 0, 1], "b": [1, 0, 1]}
    with without_pyplot():
        display = tb.compare(table, metric="accuracy").plot.disagreements()
    assert display.title == "a and b have the same score on every question"
    assert display.data.empty


def test_agreement_is_the_share_of_equal_outcomes() -> None:
    """Counted pair by pair, over what both have answered."""
    names = tuple(NAMES["short"][:5])
    answer = over_items(names)
    with without_pyplot():
        display = answer.plot.agreement()
    score = dict(zip(answer.matrix.models, answer.matrix.score, strict=True))
    for one in names:
        for other in names:
            assert display.data.loc[one, other] == pytest.approx((score[one] == score[other]).mean())
    gaps = {"question": ["u", "v", "w", "x"], "a": [1, 0, 1, None], "b": [1, 1, None, 0]}
    with without_pyplot():
        two = tb.compare(gaps, metric="accuracy", missing="pairwise").plot.agreement()
    assert two.data.loc["a", "b"] == 0.5
    assert two.title == "b and a agree on 50% of the questions"


def test_what_is_offered_depends_on_the_scores() -> None:
    """Dots of 0 and 1 tell nothing; means over runs have no outcomes; datasets have no items."""
    binary, means = over_items(("a", "b", "c")), of_runs()
    assert {"ranking", "verdicts", "outcomes", "agreement", "disagreements"} <= set(binary.plot.names)
    assert not {"scores", "differences", "diagram", "paired"} & set(binary.plot.names)
    assert {"scores", "differences", "disagreements"} <= set(means.plot.names)
    assert not {"outcomes", "agreement"} & set(means.plot.names)
    with pytest.raises(NotOfferedError, match=r"scores \(f1\) are not all 0 or 1"):
        means.plot.outcomes()
    with pytest.raises(NotOfferedError, match="these scores are of datasets"):
        over_datasets(("a", "b")).plot.disagreements()


@pytest.mark.slow
def test_figures_of_items_speak_of_them_by_their_own_name() -> None:
    """Questions here, and never splits."""
    with without_pyplot():
        answer = over_items(("a", "b", "c"))
        for name in answer.plot.names:
            words = words_of(getattr(answer.plot, name)().figure_)
            assert "split" not in words, name
            assert "question" in words or name in ("ranking", "verdicts"), name


def test_slices_show_every_part_with_all_items_on_top() -> None:
    """Rows are those of the table of slices, turned where the pair is asked for the other way round."""
    slices = over_items(("a", "b", "c"), n=240).slices("topic")
    table = slices.to_frame().set_index(["slice", "first", "second"])
    first, second = slices.comparison.models[:2]
    with without_pyplot():
        display, turned = slices.plot.differences(first, second), slices.plot.differences(second, first)
        few = slices.plot.differences(top=2)
    whole = slices.comparison.pair(first, second)
    assert display.data.loc[0, ["difference", "interval_low", "verdict"]].tolist() == [
        whole.difference,
        whole.interval_low,
        whole.verdict,
    ]
    assert display.data["slice"].tolist() == ["all", *slices.names]
    for row in display.data.iloc[1:].itertuples():
        cells = table.loc[(row.slice, first, second)]
        assert (row.difference, row.interval_low, row.verdict) == (cells["difference"], cells["interval_low"], cells["verdict"])
    assert turned.data["difference"].tolist() == [-value for value in display.data["difference"]]
    assert turned.data["interval_low"].tolist() == pytest.approx([-value for value in display.data["interval_high"]])
    assert "slices by topic" in display.title
    assert "Drawn: 2 of 3 slices." in few.caption
    assert "all questions" in words_of(display.figure_)


def test_slices_against_a_baseline_judge_its_pairs_only() -> None:
    """Any other pair has no row, and says so."""
    slices = over_items(("a", "b", "c"), baseline="b").slices("topic")
    with without_pyplot():
        display = slices.plot()
    assert display.second == "b"
    with pytest.raises(NotOfferedError, match="against the baseline only, not 'a' against 'c'"):
        slices.plot.differences("a", "c")
