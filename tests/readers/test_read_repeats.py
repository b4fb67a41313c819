"""Runs of one model from several sources."""

from pathlib import Path

import pandas as pd
import pytest

from tiebreak.errors import TiebreakError, UnknownNameError
from tiebreak.readers.read import read_repeats
from tiebreak.readers.source import ReadOptions

OPTIONS = ReadOptions()
ONE = pd.DataFrame({"question": ["q1", "q2"] * 2, "model": ["m"] * 4, "epoch": [1, 1, 2, 2], "score": [1, 0, 0, 0]})


def test_epochs_stand_apart() -> None:
    """What reading for a comparison averages is what noise is made of."""
    items, kind = read_repeats([ONE], OPTIONS)
    assert (kind, items.score.shape) == ("epochs", (1, 2, 2))


def test_the_direction_that_is_said_counts() -> None:
    """Of a metric that nobody knows."""
    items, _ = read_repeats([ONE], ReadOptions(metric="toxic", lower_is_better={"toxic": True}))
    assert (items.metric.name, items.metric.higher_is_better) == ("toxic", False)


def test_runs_go_before_epochs() -> None:
    """Of two files with two epochs each the files are runs, and epochs are averaged: one of question 1 in two is 0.5."""
    items, kind = read_repeats([ONE, ONE], OPTIONS)
    assert (kind, items.score.shape) == ("runs", (1, 2, 2))
    assert items.score[0, 0].tolist() == [0.5, 0.0]


def test_files_of_different_tasks_are_no_runs() -> None:
    """Each task of a model lies in a file of its own."""
    plain = ONE.drop(columns="epoch").drop_duplicates("question")
    items, kind = read_repeats([plain.assign(task="one"), plain.assign(task="two")], OPTIONS)
    assert (kind, items.score.shape) == ("runs", (1, 1, 4))


def test_all_that_is_read_may_be_one_model() -> None:
    """Whatever it is called in its files."""
    items, kind = read_repeats([ONE[:2], ONE[:2].assign(model="other")], OPTIONS, same=True)
    assert (kind, items.models, items.score.shape) == ("runs", ("m",), (1, 2, 2))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """A folder without results, and a model that nobody named."""
    with pytest.raises(TiebreakError, match="holds no"):
        read_repeats([tmp_path], OPTIONS)
    with pytest.raises(UnknownNameError, match="no model is called 'x'"):
        read_repeats([ONE], ReadOptions(models=["x"]))
