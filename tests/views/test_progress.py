"""Progress in a notebook, which here is a stand-in for IPython with a kernel."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tiebreak.evaluation.progress import Progress
from tiebreak.views import progress


def in_ipython(monkeypatch: pytest.MonkeyPatch, *, has_kernel: bool = True) -> None:
    """Stand in for IPython, with the kernel of a notebook or without."""
    shell = SimpleNamespace(kernel=object()) if has_kernel else SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def state(n_done: int, seconds: float) -> Progress:
    """A run of 40 cells named like markup."""
    fields: dict[str, Any] = dict.fromkeys(Progress.__annotations__, 0)
    fields |= {"is_finished": n_done == 40}
    fields |= {"name": "<b>", "n_cells": 40, "n_done": n_done, "seconds": seconds}
    return Progress(**fields)


def test_a_notebook_shows_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In the output of its cell, without widgets."""
    in_ipython(monkeypatch)
    report = progress.shown(None)
    assert report is not None
    report(state(1, 3.0))
    report(state(2, 3.1))  # too soon after the last
    report(state(20, 9.0))
    report(state(40, 10.0))
    out, err = capsys.readouterr()
    expected = ["run <b>: 40", "run <b>: 20/40", "run <b>: 40/40"]
    assert ([line.partition(" cells")[0] for line in out.splitlines()], err) == (expected, "")


def test_what_is_over_soon_needs_no_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As on a terminal."""
    in_ipython(monkeypatch)
    report = progress.shown(True)
    assert report is not None
    report(state(1, 0.1))
    report(state(40, 0.2))
    assert capsys.readouterr() == ("", "")


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """There the bar is that of a terminal; where nobody watches there is none."""
    in_ipython(monkeypatch, has_kernel=False)
    assert not progress.is_notebook()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.shown(None) is None
