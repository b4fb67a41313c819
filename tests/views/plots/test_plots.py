"""All displays together: files, pyplot, notebooks, style sheets, and the choices that every plot takes."""

from __future__ import annotations

import dataclasses
import inspect
import os
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from tests.views.plots.every import PLOTS
from tests.views.plots.samples import NAMES, graded, misplaced, words_of
from tiebreak.errors import InvalidParameterError
from tiebreak.views.plots import RankingDisplay
from tiebreak.views.plots.display import without_pyplot

FOUR = tuple(NAMES["short"][:4])
DISPLAYS = ("ranking", "differences", "scores", "verdicts", "posterior")
FIRST_BYTES = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


# --- pyplot -----------------------------------------------------------------------------------------------------------


def test_a_display_is_a_figure_of_pyplot() -> None:
    """So that plt.show(), plt.savefig() and plt.gca() mean it."""
    display = graded(FOUR).plot.ranking()
    assert plt.get_fignums() == [display.figure_.number]
    assert plt.gcf() is display.figure_
    assert plt.gca() is display.ax_


@pytest.mark.slow
def test_show_shows_the_figure(tmp_path: Path) -> None:
    """A backend of our own, as matplotlib describes them, writes down what it was asked to show.

    Like that of notebooks it changes a setting when the first figure loads it, and the setting has to stay.
    """
    backend = tmp_path / "noting.py"
    backend.write_text(
        "import matplotlib; matplotlib.interactive(True)\n"
        "from matplotlib.backend_bases import FigureManagerBase\n"
        "from matplotlib.backends.backend_agg import FigureCanvasAgg\n"
        "class FigureManager(FigureManagerBase):\n"
        "    def show(self): print('shown:', self.canvas.figure.get_suptitle())\n"
        "    @classmethod\n"
        "    def pyplot_show(cls, *, block=None):\n"
        "        from matplotlib._pylab_helpers import Gcf\n"
        "        for manager in Gcf.get_all_fig_managers(): manager.show()\n"
        "class FigureCanvas(FigureCanvasAgg):\n"
        "    manager_class = FigureManager\n"
    )
    code = (
        "import matplotlib.pyplot as plt, tiebreak as tb\n"
        "scores = {'a': [.9, .8, .85, .9], 'b': [.8, .7, .7, .85]}\n"
        "tb.compare(scores, metric='accuracy', n_train=90, n_test=10).plot.ranking(title='a and b')\n"
        "plt.show(); print(plt.isinteractive())\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "MPLBACKEND": "module://noting", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split("\n")[-3:-1] == ["shown: a and b", "True"]


def test_a_display_has_no_picture_of_its_own_in_a_notebook() -> None:
    """The notebook shows the figures of pyplot at the end of a cell, and would show it twice."""
    display = graded(FOUR).plot.ranking()
    assert not any(hasattr(display, name) for name in ("_repr_png_", "_repr_html_", "_repr_svg_", "_repr_mimebundle_"))
    assert repr(display) == f"<RankingDisplay: {display.title}>"


@pytest.mark.slow
def test_files_do_not_fill_pyplot(tmp_path: Path) -> None:
    """What commands write is closed by nobody: no figure is left behind, and matplotlib warns of none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graded(FOUR[:2]).plot.save_all(tmp_path)
        RankingDisplay.from_comparison(graded(FOUR)).to_png()
    assert plt.get_fignums() == []


@pytest.mark.slow
@pytest.mark.parametrize("display", DISPLAYS)
def test_pyplot_is_not_needed_for_files(display: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Here its import would fail."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert graded(FOUR[:2]).plot.save(tmp_path / "a.png", display).exists()


def test_importing_the_displays_loads_no_matplotlib() -> None:
    """Loading takes a second, which a command that draws nothing should not pay."""
    code = "import sys, tiebreak.views.plots; print({'matplotlib', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_save_all_writes_files_of_fixed_names(tmp_path: Path) -> None:
    """In a folder that it makes; nothing else is left there, and no name of a model gets into a path."""
    folder = tmp_path / "new" / "folder"
    paths = graded(("../../escaped", "a/b")).plot.save_all(folder)
    assert [path.name for path in paths] == [f"{name}.png" for name in DISPLAYS]
    assert sorted(folder.iterdir()) == sorted(paths)
    assert list(tmp_path.rglob("*escaped*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("format", FIRST_BYTES)
def test_the_suffix_is_the_format(format: str, tmp_path: Path) -> None:
    """By the first bytes, which is how `file` tells; the same figure always gives the same bytes."""
    display = graded(FOUR).plot.scores()
    written = display.save(tmp_path / f"figure.{format.upper()}").read_bytes()
    assert written.startswith(FIRST_BYTES[format])
    assert written == graded(FOUR).plot.scores().to_bytes(format)


@pytest.mark.parametrize(("name", "found"), [("fig.foo", r"ends in \.foo"), ("figure", "has no suffix"), (".png", "no suffix")])
def test_another_suffix_is_refused_before_anything_is_drawn(name: str, found: str, tmp_path: Path) -> None:
    """Rather than PNG under another name."""
    with pytest.raises(InvalidParameterError, match=found):
        RankingDisplay.from_comparison(graded(FOUR)).save(tmp_path / name)
    with pytest.raises(InvalidParameterError, match=found):
        graded(FOUR).plot.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure leaves the old file as it was, and no remains."""
    target = tmp_path / "ranking.png"
    target.write_bytes(b"old")
    display = graded(FOUR).plot.ranking()

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        display.save(target)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


# --- choices ----------------------------------------------------------------------------------------------------------


def test_title_and_caption_can_be_left_out() -> None:
    """An empty text is none."""
    figure = graded(FOUR).plot.ranking(title="", caption="").figure_
    assert (figure.get_suptitle(), figure.get_supxlabel()) == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["ranking", "differences", "scores", "roc, several", "confusion, several", "predicted"])
def test_top_limits_the_models(plot: str) -> None:
    """And the caption says so."""
    with without_pyplot():
        display = PLOTS[plot](NAMES["short"][:6])(top=2)
    assert "Drawn: 2 of 6" in display.caption
    assert display.data.reset_index()["model"].nunique() == 2 - (plot == "differences")


@pytest.mark.parametrize("wrong", [{"top": 0}, {"top": 1.5}, {"top": True}, {"figsize": 3}, {"figsize": (0, 1)}])
def test_wrong_choices_are_refused(wrong: dict[str, object]) -> None:
    """With the value that was given."""
    name = next(iter(wrong))
    with pytest.raises(InvalidParameterError, match=name):
        graded(FOUR).plot.ranking(**wrong)
    assert plt.get_fignums() == []
    with pytest.raises(InvalidParameterError, match="figsize is for a figure that is made here"):
        graded(FOUR).plot.ranking(ax=Figure().subplots(), figsize=(1, 1))


def test_the_choices_stand_in_signature_and_help() -> None:
    """Where a notebook shows them."""
    method = graded(FOUR).plot.ranking
    assert list(inspect.signature(method).parameters) == ["ax", "title", "caption", "figsize", "top"]
    assert "top : int, optional" in (method.__doc__ or "")
    assert ".plot.posterior(a, b)" in repr(graded(FOUR).plot)


def test_on_the_callers_axes_there_is_one_title_at_most() -> None:
    """None unless asked for, and a later one replaces it."""
    axes = Figure(figsize=(9, 6)).subplots()
    display = graded(FOUR).plot.ranking(ax=axes)
    assert (display.ax_, display.figure_, axes.get_title()) == (axes, axes.figure, "")
    axes = Figure(figsize=(9, 6)).subplots()
    display = graded(FOUR).plot.ranking(ax=axes, title="one", caption="remarks")
    assert axes.get_title() == "one"
    assert axes.get_xlabel().endswith("remarks")
    display.ax_.set_title("two")
    assert [text for text in words_of(axes.figure).split() if text in ("one", "two")] == ["two"]


def test_four_plots_share_a_figure() -> None:
    """Each in axes of its own, without overlaps."""
    figure = Figure(figsize=(14, 9), layout="constrained")
    for axes, kind in zip(figure.subplots(2, 2).flat, ("ranking", "scores", "verdicts", "posterior"), strict=True):
        getattr(graded(FOUR).plot, kind)(ax=axes)
    assert misplaced(figure) == []


def test_a_display_is_frozen() -> None:
    """Its numbers are those of the comparison."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        graded(FOUR).plot.ranking().comparison = graded(FOUR[:2])  # type: ignore[misc]


# --- style sheets -----------------------------------------------------------------------------------------------------


def test_settings_are_left_as_they_were() -> None:
    """LaTeX, which would fail on names, is off while we draw, and on again afterwards."""
    with matplotlib.rc_context({"text.usetex": True, "figure.autolayout": True}):
        before = dict(matplotlib.rcParams)
        display = graded(FOUR[:2]).plot.ranking()
        display.to_png()
        assert dict(matplotlib.rcParams) == before


def test_the_font_size_of_a_style_sheet_scales_the_figure() -> None:
    """Text and figure grow together, so that all still fits."""
    plain = graded(FOUR).plot.ranking().figure_
    with matplotlib.rc_context({"font.size": 20.0}):
        large = graded(FOUR).plot.ranking().figure_
    assert list(large.get_size_inches()) == pytest.approx(list(2 * plain.get_size_inches()))
    assert large.texts[0].get_fontsize() == 2 * plain.texts[0].get_fontsize()
    assert misplaced(large) == []


def test_dark_axes_get_light_text_whatever_the_style_sheet() -> None:
    """The caller made them under a style sheet that is no longer in force."""
    with plt.style.context("dark_background"):
        axes = Figure().subplots()
    display = graded(FOUR).plot.ranking(ax=axes)
    assert {label.get_color() for label in display.ax_.get_yticklabels()} == {"#ffffff"}


@pytest.mark.slow
@pytest.mark.parametrize("font", ["path", "none"])
def test_a_shortened_name_has_the_full_one_as_its_tooltip(font: str) -> None:
    """The title of an element of an SVG is shown where the pointer rests on it; drawn letters or text alike."""
    names = tuple(f"gradient boosting, {n} leaves & <depth> {n}, trained on the whole of last year" for n in range(3))
    with matplotlib.rc_context({"svg.fonttype": font}), without_pyplot():
        svg = graded(names).plot.ranking().to_bytes("svg").decode()
    titles = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(map(str, titles)) == sorted(names)
