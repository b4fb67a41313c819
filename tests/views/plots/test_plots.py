"""Every plot that there is: drawn for few and many models with short, long and hostile names, and saved."""

import subprocess
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import tiebreak as tb
from tests.views.plots.every import PLOTS
from tests.views.plots.samples import GRID, HOSTILE, drawn_texts, graded, misplaced, words_of
from tiebreak.errors import InvalidParameterError, StoreError


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("kind", "names"),
    [*((kind, GRID[:6]) for kind in PLOTS), *((kind, HOSTILE) for kind in ("ranking", "roc, several"))],
)
def test_every_plot_is_drawn_with_nothing_cut_or_covered(kind: str, names: list[str]) -> None:
    """Title, note, names and numbers stand inside the figure beside each other, whatever the names are, and nothing warns."""
    drawing = PLOTS[kind](tuple(names))
    figure = drawing.plot().figure_
    assert misplaced(figure) == []
    assert drawing.title
    assert drawing.note
    assert len(drawing.data)
    words = words_of(figure)
    assert " ".join(drawing.title.split()) in words
    assert " ".join(drawing.note.split()) in words


@pytest.mark.parametrize("kind", ["ranking", "differences", "scores", "verdicts", "diagram", "ratings", "times", "roc, binary"])
def test_many_models_are_cut_to_what_can_be_read_and_said_to_be(kind: str) -> None:
    """Of seventy models with one number each as many are drawn as have room, and the note has both numbers."""
    names = tuple(f"model {k}" for k in range(70))
    drawing = PLOTS[kind](names)
    figure = drawing.plot().figure_
    assert misplaced(figure) == []
    assert "of 70" in drawing.note


@pytest.mark.parametrize(
    "kind", ["ranking", "differences", "verdicts", "posterior", "roc, several", "confusion, binary", "diagram", "power"]
)
def test_plots_of_each_form_are_drawn_on_axes_of_the_caller(kind: str) -> None:
    """There without title and note, and beside something of the caller's own."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(16, 6), layout="constrained")
    right.plot([0, 1])
    drawing = PLOTS[kind](("one", "two", "three")).plot(left)
    assert drawing.ax_ is left
    assert drawing.figure_ is figure
    assert drawing.title not in words_of(figure)
    assert misplaced(figure) == []


def test_a_plot_belongs_to_pyplot_and_a_file_does_not(tmp_path: Path) -> None:
    """`plt.show()` shows what was plotted; what is only saved leaves no figure open."""
    before = plt.get_fignums()
    answer = graded(("a", "b"))
    answer.plot.drawing().save(tmp_path / "one.svg")
    answer.plot.drawing("verdicts").save(tmp_path / "two.pdf")
    assert plt.get_fignums() == before
    answer.plot.ranking()
    assert len(plt.get_fignums()) == len(before) + 1


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    """In every format, by the suffix: nothing of the clock and no random id."""
    for suffix, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        one, two = (graded(("a", "b")).plot.drawing().save(tmp_path / f"{n}.{suffix}").read_bytes() for n in (1, 2))
        assert one == two
        assert one.startswith(start)


def test_a_figure_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    """Another suffix, none, and a folder that is not there."""
    plots = graded(("a", "b")).plot
    with pytest.raises(InvalidParameterError, match=r"written as \.png, \.svg or \.pdf, and the file name 'a.bmp' ends in \.bmp"):
        plots.drawing().save(tmp_path / "a.bmp")
    with pytest.raises(InvalidParameterError, match="has no suffix"):
        plots.ranking().save(tmp_path / "a")
    with pytest.raises(StoreError):
        plots.drawing().save(tmp_path / "none" / "a.png")


def test_a_dark_style_sheet_is_followed() -> None:
    """Text has its ink, and hollow marks its ground."""
    with plt.style.context("dark_background"):
        drawing = graded(("a", "b", "c")).plot.ranking()
        title = next(text for text in drawn_texts(drawing.figure_) if text.get_text().startswith(drawing.title[:5]))
    assert matplotlib.colors.to_hex(title.get_color()) == "#ffffff"


def test_panels_need_axes_of_a_grid() -> None:
    """Axes that were put somewhere have no parts to give; the error says which have."""
    figure = plt.figure()
    with pytest.raises(InvalidParameterError, match=r"such as those of plt\.subplots"):
        PLOTS["confusion, binary"](("one", "two")).plot(figure.add_axes((0.1, 0.1, 0.8, 0.8)))


def test_settings_of_the_caller_are_as_they_were() -> None:
    """What the texts need is set while a drawing is made only."""
    before = dict(matplotlib.rcParams)
    graded(("a", "b")).plot.ranking()
    assert dict(matplotlib.rcParams) == before


def test_plots_are_listed_with_their_choices() -> None:
    """Shown, it lists what this result has; of an unknown name it says which there are."""
    plots = graded(("a", "b")).plot
    assert repr(plots).splitlines()[0] == f"{len(plots.names)} plots of Comparison"
    assert ".plot.posterior(a, b)  Posterior of the difference of two models, " in repr(plots)
    assert {"ranking", "drawing", "save_all"} <= set(dir(plots))
    with pytest.raises(AttributeError, match="no plot 'rankings'; there are ranking, differences"):
        _ = plots.rankings
    assert repr(plots.drawing()) == f"<Drawing: {plots.drawing().title}>"


def test_a_comparison_is_printed_without_matplotlib() -> None:
    """It is loaded when something is drawn, and not before."""
    code = "import sys, tiebreak as tb; a = tb.compare({'x': [1, 5, 3], 'y': [2, 7, 5]}, metric='mae', n_train=9, n_test=1)\n"
    code += "str(a), a.plot.names, a.plot.drawing('ranking').data; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_save_all_writes_each_plot_under_its_name(tmp_path: Path) -> None:
    """In a folder that is made."""
    evaluation = tb.compare({"x": [0.1, 0.2, 0.4], "y": [0.2, 0.3, 0.3]}, metric="accuracy", n_train=9, n_test=1)
    paths = evaluation.plot.save_all(tmp_path / "new", format="svg")
    assert [path.name for path in paths] == [f"{name}.svg" for name in evaluation.plot.names]


def test_every_dot_is_seen_in_pixels_and_in_an_svg() -> None:
    """Dots are short lines with round ends, which are drawn off the lattice of pixels, or they would vanish."""
    drawing = graded(("a", "b")).plot.drawing("scores")
    figure = drawing.plot().figure_
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1]
    line = max(drawing.ax_.lines, key=lambda each: each.get_xdata().size)
    places = drawing.ax_.transData.transform(np.array(line.get_data()).T)[::3].round().astype(int)
    assert len(places) == len(drawing.data) == 100
    assert all(pixels[y, x, :3].max() < 220 for x, y in places)
    assert drawing.to_bytes("svg", is_bare=True).count(b"\nL ") >= 100
