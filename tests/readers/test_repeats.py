"""Runs of one model from several sources."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tiebreak.errors import SourceNotFoundError, UnknownNameError
from tiebreak.readers.repeats import read_repeats

ONE = pd.DataFrame({"question": ["q1", "q2"] * 2, "model": ["m"] * 4, "epoch": [1, 1, 2, 2], "score": [1, 0, 0, 0]})


def test_epochs_stand_apart() -> None:
    """What reading for a comparison averages is what noise is made of."""
    items, kind = read_repeats([ONE])
    assert (kind, items.score.shape) == ("epochs", (1, 2, 2))


def test_runs_go_before_epochs() -> None:
    """Of two files with two epochs each the files are runs, and epochs are averaged: one of question 1 in two is 0.5."""
    items, kind = read_repeats([ONE, ONE])
    assert (kind, items.score.shape) == ("runs", (1, 2, 2))
    assert items.score[0, 0].tolist() == [0.5, 0.0]


def test_files_of_different_tasks_are_no_runs() -> None:
    """Each task of a model lies in a file of its own."""
    plain = ONE.drop(columns="epoch").drop_duplicates("question")
    items, kind = read_repeats([plain.assign(task="one"), plain.assign(task="two")])
    assert (kind, items.score.shape) == ("runs", (1, 1, 4))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """A folder without results, and a model that nobody named."""
    with pytest.raises(SourceNotFoundError, match="holds no logs"):
        read_repeats([tmp_path])
    with pytest.raises(UnknownNameError, match="no model is called 'x'"):
        read_repeats([ONE], models=["x"])
