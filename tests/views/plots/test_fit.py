"""Nothing that is written in a figure overlaps or is cut, whatever the number of models and the length of their names."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from tests.views.plots.every import PLOTS
from tests.views.plots.samples import HOSTILE, NAMES, drawn_texts, graded, misplaced, words_of
from tiebreak.views.plots.display import without_pyplot
from tiebreak.views.plots.style import contrast

MIXED = [*HOSTILE[:3], *NAMES["60 characters"][:3]]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.slow
def test_long_and_hostile_names_fit_and_are_shown_as_they_are(plot: str) -> None:
    """Sixty characters as a grid search makes them, and names that look like markup: their dollar signs are escaped."""
    with without_pyplot():
        figure = PLOTS[plot](MIXED)().figure_
    assert misplaced(figure) == []
    assert "$_{x}" not in words_of(figure).replace(r"\$_{x}", "")


def test_a_caption_says_what_shortened_names_leave_out() -> None:
    """As the page does: the parameters that all candidates share are neither in the labels nor lost; short names lose nothing."""
    names = [f"RandomForestClassifier(max_depth={depth}, n_estimators=500, min_samples_leaf=3)" for depth in (2, 4, 8)]
    with without_pyplot():
        for kind in ("ranking", "scores", "verdicts"):
            display = getattr(graded(tuple(names)).plot, kind)()
            shared = "Names leave out what all share: RandomForestClassifier(n_estimators=500, min_samples_leaf=3)."
            assert display.caption.endswith(shared), kind
            assert "max_depth=8" in words_of(display.figure_)
        assert "leave out" not in graded(("a", "b", "c")).plot.ranking().caption


@pytest.mark.slow
@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(("names", "n_models"), [("60 characters", 2), ("60 wide characters", 40)])
def test_no_text_overlaps_or_is_cut(plot: str, names: str, n_models: int) -> None:
    """In a figure of our own."""
    with without_pyplot():
        assert misplaced(PLOTS[plot](NAMES[names][:n_models])().figure_) == []


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.slow
def test_the_callers_axes_fit(plot: str) -> None:
    """Axes of an ordinary figure without a layout engine: the display shortens and leaves out, as it cannot choose the size."""
    figure = Figure(figsize=(12, 4))
    PLOTS[plot](NAMES["60 characters"][:6])(ax=figure.subplots())
    assert misplaced(figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(("size", "n_models"), [((14.0, 9.0), 2), ((12.0, 4.0), 40)])
def test_the_callers_axes_fit_for_any_number_of_models(plot: str, size: tuple[float, float], n_models: int) -> None:
    """As many models are drawn as find room."""
    figure = Figure(figsize=size)
    PLOTS[plot](NAMES["60 characters"][:n_models])(ax=figure.subplots())
    assert misplaced(figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("plot", PLOTS)
def test_the_callers_axes_fit_under_a_layout_engine(plot: str) -> None:
    """Which moves the axes once it has seen the labels."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    PLOTS[plot](NAMES["60 characters"][:6])(ax=figure.subplots())
    assert misplaced(figure) == []


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.slow
def test_a_dark_style_sheet_and_choices_are_respected(plot: str) -> None:
    """Every text stands out from what it is written on by the 3:1 that large text needs at least; title, caption and size."""
    with plt.style.context("dark_background"), without_pyplot():
        figure = PLOTS[plot](HOSTILE[3:])(title="My title", caption="My caption", figsize=(9, 7)).figure_
    assert (figure.get_suptitle(), figure.get_supxlabel()) == ("My title", "My caption")
    assert list(figure.get_size_inches()) == [9, 7]
    assert to_rgb(figure.get_facecolor()) == (0, 0, 0)
    assert "\u202e" not in words_of(figure)  # would turn the text after it round
    inside = {id(text) for axes in figure.axes for text in axes.texts}  # in cells, whose colours are not the ground's
    for text in drawn_texts(figure):
        if id(text) not in inside:
            assert contrast(text.get_color(), "black") > 3, text


def test_a_baseline_fits() -> None:
    """Cells then say "not asked", which is another width."""
    names = tuple(NAMES["60 characters"][:4])
    with without_pyplot():
        for kind in ("ranking", "verdicts"):
            assert misplaced(getattr(graded(names, baseline=names[1]).plot, kind)().figure_) == []


@pytest.mark.slow
@pytest.mark.parametrize("n_models", [3, 4, 7, 20, 21])
@pytest.mark.parametrize("plot", ["scores", "verdicts"])
def test_sizes_at_which_the_layout_changes(plot: str, n_models: int) -> None:
    """Lines and words give way to dots and marks."""
    with without_pyplot():
        assert misplaced(PLOTS[plot](NAMES["60 characters"][:n_models])().figure_) == []


def test_the_check_itself_sees_what_is_wrong() -> None:
    """Two texts on one spot and one outside the figure are found."""
    figure = Figure()
    for x, text in ((0.5, "one"), (0.51, "other"), (1.2, "outside")):
        figure.text(x, 0.5, text)
    assert misplaced(figure) == ["cut: 'outside'", "overlap: 'one' and 'other'"]
