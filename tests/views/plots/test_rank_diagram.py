"""The diagram of average ranks draws the comparison's own verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from matplotlib.figure import Figure

import tiebreak as tb
from tests.views.plots.samples import HOSTILE, NAMES, misplaced
from tiebreak.errors import NotOfferedError, UnknownNameError
from tiebreak.views.plots.display import without_pyplot

pytestmark = pytest.mark.slow

BAKEOFF = Path(__file__).parents[2] / "comparison" / "data" / "ucr_means.csv"


def compared(names: Sequence[str], n_datasets: int = 24) -> tb.Comparison:
    rng = np.random.default_rng(5)
    score = (
        0.8 + rng.normal(0, 0.05, (n_datasets, 1)) + rng.normal(0, 0.02, (n_datasets, len(names))) + np.arange(len(names)) * 0.002
    )
    columns = {name: score[:, place].round(6).tolist() for place, name in enumerate(names)}
    return tb.compare({"dataset": [f"d{i}" for i in range(n_datasets)]} | columns, metric="accuracy")


def test_bars_join_the_models_that_no_pair_tells_apart() -> None:
    """The groups are the cliques of the table of pairs, best rank first; FreshPRINCE and QUANT are told apart, hence a gap."""
    answer = tb.compare(BAKEOFF, metric="accuracy", correction="holm")
    with without_pyplot():
        display = answer.plot.diagram()
    assert display.groups == (
        ("HC2", "MR-Hydra"),
        ("RDST", "H-InceptionTime", "QUANT", "WEASEL-2"),
        ("H-InceptionTime", "WEASEL-2", "FreshPRINCE"),
    )
    for group in display.groups:
        for one in group:
            for other in group:
                if one != other:
                    pair = answer.pair(one, other)
                    assert pair.interval_low <= 0 <= pair.interval_high
    assert display.data["average_rank"].is_monotonic_increasing


@pytest.mark.parametrize("n_models", [2, 6, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("names", list(NAMES))
@pytest.mark.parametrize("style", ["rows", "demsar"])
def test_nothing_overlaps(style: Literal["rows", "demsar"], names: str, n_models: int) -> None:
    """In a figure of our own, and on axes of the caller's."""
    answer = compared(NAMES[names][:n_models])
    with without_pyplot():
        assert misplaced(answer.plot.diagram(style=style).figure_) == []
    figure = Figure(figsize=(12, 4))
    answer.plot.diagram(style=style, ax=figure.subplots())
    assert misplaced(figure) == []


def test_both_styles_show_the_same_and_the_horizontal_one_has_every_rank_and_bar() -> None:
    """Eight published classifiers: a dot or diamond at each rank, half of the names on each side, a bar for each group."""
    answer = tb.compare(BAKEOFF, metric="accuracy")
    with without_pyplot():
        rows, across = answer.plot.diagram("QUANT"), answer.plot.diagram("QUANT", style="demsar")
    assert across.data.equals(rows.data)
    assert (across.groups, across.title, across.caption) == (rows.groups, rows.title, rows.caption)
    texts = {text.get_text(): text.get_ha() for text in across.ax_.texts}
    assert texts["HC2  3.06"] == "right"
    assert texts["6.06  PF"] == "left"
    ticks = {text.get_text(): text.get_position()[0] for text in across.ax_.texts if text.get_text().isdecimal()}
    one, last = ticks["1"], ticks["7"]
    dots = [line.get_xdata()[0] for line in across.ax_.lines if line.get_marker() in ("o", "D")]
    drawn = [1 + 6 * (x - one) / (last - one) for x in dots]
    assert drawn == pytest.approx(across.data["average_rank"].tolist())
    dotted = [line for line in across.ax_.lines if line.get_linestyle() == ":"]
    place = dict(zip(across.data["model"], dots, strict=True))
    assert [tuple(line.get_xdata()) for line in dotted] == [(place[group[0]], place[group[-1]]) for group in across.groups]


def test_another_style_is_refused_with_those_that_there_are() -> None:
    """A slip is named."""
    with pytest.raises(UnknownNameError, match="no style of this diagram is called 'demser': did you mean 'demsar'"):
        compared(NAMES["short"][:3]).plot.diagram(style="demser")  # type: ignore[arg-type]


def test_hostile_names_are_shown_as_text() -> None:
    """Nothing in a name is a formula or an escape."""
    with without_pyplot():
        assert misplaced(compared(HOSTILE[:6]).plot.diagram().figure_) == []


def test_the_own_model_is_marked_and_the_title_is_about_it() -> None:
    """FreshPRINCE is the seventh of the published table, and H-InceptionTime and WEASEL-2 are not told apart from it."""
    answer = tb.compare(BAKEOFF, metric="accuracy")
    with without_pyplot():
        display = answer.plot.diagram("FreshPRINCE")
        assert misplaced(display.figure_) == []
        few = answer.plot.diagram(own="PF", top=3)
    assert display.title == "FreshPRINCE is number 7 of 8 by average rank (5.43); 2 of 7 others are not told apart from it"
    assert "Diamond: FreshPRINCE." in display.caption
    diamonds = [each for each in display.ax_.collections if len(each.get_offsets()) == 1 and each.get_zorder() == 3]
    assert [tuple(each.get_offsets()[0].round(2)) for each in diamonds] == [(5.43, 6.0)]
    assert few.data["model"].tolist() == ["HC2", "MR-Hydra", "PF"]  # drawn where there is room for few
    with pytest.raises(UnknownNameError, match="'Quant'"):
        answer.plot.diagram("Quant")


def test_a_baseline_has_one_bar_with_all_that_are_not_told_apart_from_it() -> None:
    """By Holm over the seven pairs: the bar is of the pairs that were asked about, whatever the others are to each other."""
    answer = tb.compare(BAKEOFF, metric="accuracy", baseline="QUANT")
    alike = {name for name in answer.models if name != "QUANT" and answer.pair(name, "QUANT").verdict == "undecided"}
    with without_pyplot():
        display = answer.plot.diagram()
        other = answer.plot.diagram("PF")
    assert "diagram" in answer.plot.names
    (bar,) = display.groups
    assert set(bar) == alike | {"QUANT"}
    assert display.title.endswith(f"; {len(alike)} of 7 others are not told apart from it")
    assert "joins the baseline" in display.caption
    assert other.title == "PF is number 8 of 8 by average rank (6.06); it is told apart from the baseline QUANT"


def test_a_model_that_lacks_a_dataset_is_drawn_with_the_others() -> None:
    """It ranks there where the scores of the others let it be expected, so the diagram leaves nobody out."""
    table = {"dataset": [f"d{i}" for i in range(9)]}
    table |= {name: [0.8 + 0.01 * ((place * i) % 5) for i in range(9)] for place, name in enumerate(("a", "b", "c"), 1)}
    table["c"][0] = float("nan")
    answer = tb.compare(table, metric="accuracy")
    with without_pyplot():
        display = answer.plot.diagram("c")
    assert set(display.data["model"]) == {"a", "b", "c"}
    assert display.data["average_rank"].notna().all()
    assert "Without" not in display.caption


def test_it_is_offered_where_there_are_ranks_only() -> None:
    """Not for the splits of one dataset."""
    splits = tb.compare({"a": [0.8, 0.9, 0.85], "b": [0.7, 0.75, 0.8]}, metric="accuracy", n_train=80, n_test=20)
    assert "diagram" not in splits.plot.names
    with pytest.raises(NotOfferedError, match="several datasets"):
        splits.plot.diagram()


def test_copies_share_a_row_under_the_name_that_was_asked_for() -> None:
    """Places count them all: 'slow' is behind three models; a copy that is to be marked is the one that is named."""
    rng = np.random.default_rng(0)
    best, worse = rng.normal(0.9, 0.02, 30), rng.normal(0.8, 0.02, 30)
    table = {"fast": best, "also fast": best, "again": best, "slow": worse}
    answer = tb.compare({"dataset": [f"d{i}" for i in range(30)], **table}, metric="accuracy")
    with without_pyplot():
        assert list(answer.plot.diagram().data["model"]) == ["again", "slow"]
        assert answer.plot.diagram(own="slow").title.startswith("slow is number 4 of 4")
        marked = answer.plot.diagram(own="fast", style="demsar")
    assert list(marked.data["model"]) == ["fast", "slow"]
    assert "Identical scores have one row: fast = again = also fast." in marked.caption
