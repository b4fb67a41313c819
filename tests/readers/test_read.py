"""The one entry point: what it takes, what it refuses, and what all sources have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import InvalidParameterError, UnknownNameError, UnsupportedSourceError

ACCEPTED = (
    "Pass a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, {name: scores, one per "
    "split}, a data frame (pandas, polars, pyarrow or another that narwhals reads), a path to a CSV, JSON or Parquet file, or "
    "Scores."
)


@pytest.mark.parametrize(
    "source", [3, None, [0.1, 0.2], np.zeros((2, 3)), object(), dict, lambda: 1], ids=lambda source: type(source).__name__
)
def test_other_types(source: Any) -> None:
    """The type met, and all that is accepted."""
    with pytest.raises(UnsupportedSourceError) as caught:
        read_scores(source)
    assert str(caught.value) == f"the source is of type {type(source).__name__!r}, which cannot be read as scores. {ACCEPTED}"


def test_no_source() -> None:
    """Is asked for."""
    with pytest.raises(UnsupportedSourceError, match=r"^nothing to read: pass a fitted search"):
        read_scores()


def test_one_of_several_sources_is_named_by_number(write: Write) -> None:
    """The second."""
    with pytest.raises(UnsupportedSourceError, match=r"^source 2 is of type 'int'"):
        read_scores(write(WIDE), 3, metric="accuracy")


def test_paths_as_text_and_as_path(write: Write) -> None:
    """Both."""
    path = write(WIDE)
    assert isinstance(path, Path)
    assert_array_equal(read(str(path)).matrix().score, read(path).matrix().score)


def test_scores_pass_through(write: Write) -> None:
    """Sizes may be added; metric and direction must agree."""
    scores = read(write(WIDE))
    again = read_scores(scores)
    assert_array_equal(again.matrix().score, SCORE)
    assert again.notices == scores.notices
    assert read_scores(scores, n_train=90, n_test=10).design.sizes == "exact"
    with pytest.raises(UnknownNameError, match="no metric is called 'f1': there are 'accuracy'"):
        read_scores(scores, metric="f1")
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the source"):
        read_scores(scores, lower_is_better=True)


def test_dataset_of_scores(write: Write) -> None:
    """Chosen by name, from Scores as from files."""
    scores = read(write("dataset,fold,svm\niris,0,0.1\nwine,0,0.2\n"))
    assert read_scores(scores, dataset="wine").datasets == ("wine",)
    assert read_scores(read_scores(scores, dataset="wine"), dataset="wine").datasets == ("wine",)
    with pytest.raises(UnknownNameError, match="no dataset is called 'win': did you mean 'wine'"):
        read_scores(scores, dataset="win")
    with pytest.raises(UnknownNameError, match="dataset='iris' was given, but the source does not name any datasets"):
        read_scores({"a": [0.1], "b": [0.2]}, metric="accuracy", dataset="iris")


def test_models_are_kept_in_the_order_asked_for(write: Write) -> None:
    """Others are left out; unknown ones refused with the nearest."""
    path = write("fold,svm,rf,knn\n0,0.1,0.2,0.3\n")
    scores = read(path, models=["knn", "svm"])
    assert scores.models == ("knn", "svm")
    assert_array_equal(scores.matrix().score, [[0.3], [0.1]])
    with pytest.raises(UnknownNameError, match="no model is called 'svn': did you mean 'svm'"):
        read(path, models=["svn"])


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"models": "svm"}, "models must be a list of names; got the single text 'svm'. Write models=['svm']."),
        ({"models": []}, "models is empty. Name the models to keep, or leave it out to keep all."),
        ({"models": ["svm", "svm"]}, "models names 'svm' twice. Name each model once."),
        ({"metric": 3}, "metric must be a name; got 3 of type int."),
        ({"dataset": ["a"]}, "dataset must be a name; got ['a'] of type list."),
        ({"lower_is_better": 1}, "lower_is_better must be True, False or None; got 1."),
        ({"n_samples": 0}, "n_samples must be a number of examples, a whole number of at least 1; got 0."),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], text: str, write: Write) -> None:
    """Whatever the source."""
    with pytest.raises(InvalidParameterError) as caught:
        read(write(WIDE), **settings)
    assert str(caught.value) == text


def test_notices_are_said_once(write: Write) -> None:
    """Though Scores carry them already."""
    scores = read(write("svm,rf\n91,0.9\n85,0.8\n"))
    assert codes(scores) == codes(read_scores(scores)) == ["assumed-paired", "percent-or-fraction"]


def test_export_is_read_back(write: Write) -> None:
    """to_frame(), and the CSV of it, hold all but absent scores."""
    scores = read(write(WIDE.replace("0.88", "")), n_train=90, n_test=10)
    for again in (read_scores(scores.to_frame()), read_scores(write(scores.to_frame().to_csv(index=False), "again.csv"))):
        assert_array_equal(again.matrix().score, scores.matrix().score)
        assert_array_equal(again.matrix().n_train, scores.matrix().n_train)
        assert again.metric == scores.metric
        assert again.datasets == ("",)


@pytest.mark.parametrize(("text", "name"), [(WIDE, "wide.csv"), (LONG, "long.csv"), ('{"a": [0.1], "b": [0.2]}', "table.json")])
def test_files_are_read_with_numpy_alone(text: str, name: str, write: Write) -> None:
    """So that a CSV is compared in a fraction of a second."""
    path = write(text, name).resolve()
    code = (
        f"import sys\nfrom tiebreak import read_scores\nread_scores({str(path)!r}, metric='accuracy')\nheavy = "
        "{'pandas', 'polars', 'pyarrow', 'narwhals', 'sklearn', 'scipy', 'matplotlib', 'rich', 'click'} & "
        "set(sys.modules)\nassert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
