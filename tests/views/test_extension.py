"""A result of one's own: a view in one file and a line in the registry give it every form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes

from tiebreak import result
from tiebreak.result import Result
from tiebreak.views.page import Page, Table
from tiebreak.views.plots.display import Display, Plots
from tiebreak.views.view import View


@dataclass(frozen=True, slots=True, repr=False)
class Tosses(Result["TossPlots"]):
    """Result of a toy: heads and tails."""

    heads: int
    tails: int


def page(tosses: Tosses) -> Page:
    """A sentence and a table."""
    counts = Table("Tosses", ("side", "n"), (("heads", str(tosses.heads)), ("tails", str(tosses.tails))), (False, True))
    return Page.of(f"{tosses.heads} of {tosses.heads + tosses.tails} tosses are heads.", counts)


def frame(tosses: Tosses) -> pd.DataFrame:
    """A row for each side."""
    return pd.DataFrame({"side": ["heads", "tails"], "n": [tosses.heads, tosses.tails]})


def facts(tosses: Tosses) -> dict[str, Any]:
    """Both counts."""
    return {"heads": tosses.heads, "tails": tosses.tails}


@dataclass(frozen=True, slots=True, eq=False)
class TossDisplay(Display):
    """Bars of the two counts."""

    def _size(self) -> tuple[float, float]:
        return 3.0, 2.0

    def _title(self) -> str:
        return "Heads and tails"

    def _note(self) -> str:
        return "Bars: counts."

    def _draw(self, axes: Axes) -> None:
        axes.bar(self.data["side"], self.data["n"])


class TossPlots(Plots[Tosses]):
    """Plots of tosses."""

    __slots__ = ()

    def bars(self, ax: Axes | None = None) -> TossDisplay:
        """Count of each side."""
        return TossDisplay(frame(self.result)).plot(ax)

    __call__ = bars


VIEW = View(page, frame, facts, plots=f"{__name__}:TossPlots")


@pytest.fixture
def tosses(monkeypatch: pytest.MonkeyPatch) -> Tosses:
    """A toy result; its line in the registry is the second argument."""
    monkeypatch.setitem(result.VIEWS, "Tosses", f"{__name__}:VIEW")
    return Tosses(7, 3)


TEXT = """\
7 of 10 tosses are heads.

Tosses
  side   n
  heads  7
  tails  3
"""


def test_a_new_result_has_every_form(tosses: Tosses, tmp_path: Path) -> None:
    """Text, Markdown, HTML, frame, JSON and a line of its own, all from one page."""
    assert tosses.to_text() == TEXT == f"{tosses}\n"
    assert repr(tosses) == "<Tosses: 7 of 10 tosses are heads.>"
    assert "| heads | 7 |" in tosses.to_markdown()
    for page in (tosses._repr_html_(), tosses.to_html(tmp_path / "tosses.html")):
        assert "7 of 10 tosses are heads." in page
    assert (tmp_path / "tosses.html").read_text().startswith("<!DOCTYPE html>")
    assert tosses.to_frame()["n"].tolist() == [7, 3]
    assert json.loads(tosses.to_json()) == tosses.to_dict() == {"heads": 7, "tails": 3}


def test_a_new_result_has_its_plot(tosses: Tosses, tmp_path: Path) -> None:
    """Listed by name, drawn by name or by the call, saved under its name."""
    assert repr(tosses.plot) == "1 plot of Tosses\n  .plot.bars()  Count of each side."
    assert len(tosses.plot.bars().ax_.patches) == len(tosses.plot().ax_.patches) == 2
    assert [path.name for path in tosses.plot.save_all(tmp_path)] == ["bars.png"]


def test_a_result_without_a_line_says_what_is_missing() -> None:
    """Rather than a blank page."""
    with pytest.raises(TypeError, match=r"Tosses has no view; give it a line in tiebreak\.result\.VIEWS"):
        Tosses(1, 1).to_text()
