"""A result of one's own: a view in one file and a line in the registry give it every form."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tiebreak import result
from tiebreak.result import Result
from tiebreak.views.page import Page, Table
from tiebreak.views.plots.draw import Drawing, Plot, bars
from tiebreak.views.view import View


@dataclass(frozen=True, slots=True, repr=False)
class Tosses(Result):
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


def sides(tosses: Tosses) -> Drawing:
    """Count of each side."""
    data = frame(tosses)
    return bars(data, {"n": data["n"]}, names=list(data["side"]), title="Heads and tails", note="Bars: counts.", x_label="tosses")


PLOTS = {"bars": Plot(sides)}
VIEW = View(page, frame, facts, plots=f"{__name__}:PLOTS")


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
