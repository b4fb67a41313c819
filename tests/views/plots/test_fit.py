"""Nothing that is written in a figure overlaps or is cut, whatever the number of models and the length of their names."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from tests.views.plots.samples import DISPLAYS, HOSTILE, NAMES, RMSE, graded, misplaced, words_of


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("kind", ["short", "60 characters"])
@pytest.mark.parametrize("n_models", [2, 4, 40])
def test_no_text_overlaps_or_is_cut(display: str, kind: str, n_models: int) -> None:
    """The sizes and names of the issue; the long names also with a metric that has a long name and where lower is better."""
    names = tuple(NAMES[kind][:n_models])
    comparison = graded(names) if kind == "short" else graded(names, metric=RMSE)
    assert misplaced(getattr(comparison.plot, display)().figure_) == []


@pytest.mark.parametrize(
    ("display", "n_models"),
    [
        ("scores", 6),
        ("scores", 7),
        ("verdicts", 6),
        ("verdicts", 7),
        ("correlation", 7),
        ("correlation", 20),
        ("correlation", 21),
    ],
)
def test_sizes_at_which_the_layout_changes(display: str, n_models: int) -> None:
    """Lines and words give way to dots and marks above six models, and printed correlations to colours above twenty."""
    assert misplaced(getattr(graded(tuple(NAMES["60 characters"][:n_models])).plot, display)().figure_) == []


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_widest_letters_fit(display: str) -> None:
    """60 times W is as wide as a name of 60 characters gets."""
    assert misplaced(getattr(graded(tuple(NAMES["60 wide characters"][:4]), metric=RMSE).plot, display)().figure_) == []


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_baseline_and_hostile_names_fit_and_are_shown_as_they_are(display: str) -> None:
    """Cells then say "not asked", which is another width; names hold what matplotlib could take for markup."""
    figure = getattr(graded(tuple(HOSTILE), baseline=HOSTILE[1]).plot, display)().figure_
    assert misplaced(figure) == []
    assert r"a\$b\$_{x}\frac{1}" in words_of(figure)  # with its dollar signs escaped for matplotlib, which shows them


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_callers_axes_fit_when_they_are_of_ordinary_size(display: str) -> None:
    """Less is written there, as the display does not choose the size."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    getattr(graded(tuple(NAMES["short"][:4])).plot, display)(ax=figure.subplots())
    assert misplaced(figure) == []


def test_the_check_itself_sees_what_is_wrong() -> None:
    """Two texts on one spot and one outside the figure are found."""
    figure = Figure()
    for x, text in ((0.5, "one"), (0.51, "other"), (1.2, "outside")):
        figure.text(x, 0.5, text)
    assert misplaced(figure) == ["cut: 'outside'", "overlap: 'one' and 'other'"]
