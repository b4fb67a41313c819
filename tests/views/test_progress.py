"""Progress in a notebook, which here is a stand-in for IPython with a kernel."""

import io
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tiebreak.evaluation.progress import Progress
from tiebreak.views import progress


class Notebook:
    """Notes what is displayed, as IPython.display does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, has_kernel: bool = True) -> None:
        self.shown: list[dict[str, str]] = []
        shell = SimpleNamespace(kernel=object()) if has_kernel else SimpleNamespace()
        display = SimpleNamespace(display=self.display)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def display(self, shown: dict[str, str], *, raw: bool, display_id: bool = True) -> Any:
        assert raw, "it is text by its kind, and no object"
        assert display_id
        self.shown.append(shown)
        return SimpleNamespace(update=self.display)


def state(n_done: int, seconds: float) -> Progress:
    """A run of 40 cells named like markup."""
    fields: dict[str, Any] = dict.fromkeys(Progress.__annotations__, 0)
    fields |= {"is_finished": n_done == 40}
    fields |= {"name": "<b>", "n_cells": 40, "n_done": n_done, "seconds": seconds}
    return Progress(**fields)


def test_a_notebook_shows_a_line_by_itself(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without widgets, and nothing on standard output."""
    notebook = Notebook(monkeypatch)
    report = progress.shown(None)
    assert report is not None
    report(state(1, 3.0))
    report(state(2, 3.1))  # too soon after the last
    report(state(20, 4.0))
    report(state(40, 5.0))
    assert [each["text/plain"].partition(" cells")[0] for each in notebook.shown] == ["run <b>: 1/40", "run <b>: 20/40", ""]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("n", "cells"), [(1, "1 cell"), (3, "3 cells")])
def test_who_is_waited_for(n: int, cells: str) -> None:
    """Cells that other processes have taken on, in the singular where it is one."""
    assert progress.details(replace(state(1, 1.0), n_elsewhere=n)) == f"other processes measure {cells}"


def test_what_is_over_soon_needs_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal."""
    notebook = Notebook(monkeypatch)
    report = progress.shown(True)
    assert report is not None
    report(state(1, 0.1))
    report(state(40, 0.2))
    assert notebook.shown == []


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """There the bar is that of a terminal; where nobody watches there is none."""
    Notebook(monkeypatch, has_kernel=False)
    assert not progress.is_notebook()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.shown(None) is None
