"""Plots of single items: the numbers are the counts of the table, by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import tiebreak as tb
from tests.views.plots.samples import over_items, words_of
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


def test_what_is_offered_depends_on_the_scores() -> None:
    """Dots of 0 and 1 tell nothing; means over runs have some."""
    binary, means = over_items(("a", "b", "c")), of_runs()
    assert set(binary.plot.names) == {"ranking", "verdicts"}
    assert {"scores", "differences"} <= set(means.plot.names)


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
