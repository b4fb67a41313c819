"""All displays together: files, notebooks, and matplotlib's global state."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure

from tests.views.plots.samples import DISPLAYS, NAMES, graded
from tiebreak.views.plots import RankingDisplay

FOUR = tuple(NAMES["short"][:4])
PNG = b"\x89PNG\r\n\x1a\n"


def test_save_all_writes_five_files_of_fixed_names(tmp_path: Path) -> None:
    """In a folder that it makes; nothing else is left there, and no name of a model gets into a path."""
    folder = tmp_path / "new" / "folder"
    paths = graded(("../../escaped", "a/b")).plot.save_all(folder)
    assert [path.name for path in paths] == [f"{name}.png" for name in DISPLAYS]
    assert sorted(folder.iterdir()) == sorted(paths)
    assert list(tmp_path.rglob("*escaped*")) == []
    assert all(path.read_bytes().startswith(PNG) for path in paths)


def test_the_same_comparison_gives_the_same_bytes() -> None:
    """Nothing is drawn at random, and no clock gets into the file."""
    assert graded(FOUR).plot.scores().to_png() == graded(FOUR).plot.scores().to_png()


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


def test_a_display_is_drawn_when_asked_and_shown_by_notebooks() -> None:
    """Numbers first: without plot() there is no figure, and a notebook draws it."""
    display = RankingDisplay.from_comparison(graded(FOUR))
    assert not hasattr(display, "figure_")
    png = display._repr_png_()
    assert png is not None
    assert png.startswith(PNG)
    assert display.plot() is display


def test_on_the_callers_axes_the_caller_shows_the_figure() -> None:
    """Otherwise a notebook would show it twice."""
    figure = Figure()
    axes = figure.subplots()
    display = graded(FOUR).plot.ranking(ax=axes)
    assert (display.ax_, display.figure_) == (axes, figure)
    assert display._repr_png_() is None


def test_a_display_is_frozen() -> None:
    """Its numbers are those of the comparison."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        graded(FOUR).plot.ranking().comparison = graded(FOUR[:2])  # type: ignore[misc]


@pytest.mark.parametrize("display", ["ranking", "correlation"])
def test_style_sheets_do_not_change_our_figures_nor_do_we_change_settings(display: str) -> None:
    """LaTeX would fail on names, and a dark sheet would make black text unreadable."""
    plain = getattr(graded(FOUR[:2]).plot, display)().to_png()
    with matplotlib.rc_context({"text.usetex": True, "figure.facecolor": "black", "savefig.facecolor": "black", "font.size": 30}):
        before = dict(matplotlib.rcParams)
        assert getattr(graded(FOUR[:2]).plot, display)().to_png() == plain
        assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("display", DISPLAYS)
def test_pyplot_is_not_needed(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures that pyplot knows of have to be closed, or memory fills up; here its import would fail."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert getattr(graded(FOUR[:2]).plot, display)().to_png().startswith(PNG)


def test_importing_the_displays_loads_no_matplotlib() -> None:
    """Loading takes a second, which a command that draws nothing should not pay."""
    code = "import sys, tiebreak.views.plots; print({'matplotlib', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
