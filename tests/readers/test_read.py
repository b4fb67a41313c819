"""The one entry point: what it takes, what it refuses, and what all sources have in common."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import InvalidParameterError, TiebreakError, UnknownNameError, UnsupportedSourceError
from tiebreak.scores.scores import ScoreMatrix, Scores

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


# --- whatever the numbers, order of rows, form and format change nothing --------------------------------------------------

# "r" before each name, since a name such as "fold" or "nan" would mean something; no \r, which Python's csv writer leaves
# unquoted
NAMES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5), min_size=1, max_size=4).map(
    lambda texts: [f"r{text.strip()}" for text in texts]
)
FINITE = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """A long table: some models on some splits, every model on the first."""
    models = list(dict.fromkeys(draw(NAMES)))
    splits = draw(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 10**6)), min_size=1, max_size=6, unique=True))
    there = draw(arrays(bool, (len(models), len(splits))))
    there[:, 0] = True
    score = draw(arrays(float, there.shape, elements=FINITE))
    rows = [
        {"model": model, "repeat": repeat, "fold": fold, "score": score[i, j]}
        for i, model in enumerate(models)
        for j, (repeat, fold) in enumerate(splits)
        if there[i, j]
    ]
    return pd.DataFrame(rows)


def load(source: Any) -> Scores:
    return read(source, metric="anything", lower_is_better=False)


def assert_same(one: ScoreMatrix, two: ScoreMatrix) -> None:
    """But for the order of models."""
    assert set(one.models) == set(two.models)
    assert_array_equal(one.repeat, two.repeat)
    assert_array_equal(one.fold, two.fold)
    assert_array_equal(one.score, two.take(one.models).score)


@settings(max_examples=50, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(table: pd.DataFrame, random: Any) -> None:
    """Permuted rows give the same scores."""
    order = list(range(len(table)))
    random.shuffle(order)
    assert_same(load(table).matrix(), load(table.iloc[order]).matrix())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties")


@settings(deadline=None)
@given(tables(), st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_csv_round_trip(folder: Path, table: pd.DataFrame, end: str, quoting: Any) -> None:
    """To the last digit, whatever the names of models and however quoted."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=quoting)
    writer.writerow(table.columns)
    for model, repeat, fold, score in table.itertuples(index=False):
        writer.writerow([model, repeat, fold, "" if np.isnan(score) else repr(float(score))])
    path = folder / "table.csv"
    path.write_bytes(buffer.getvalue().encode())
    assert_same(load(table).matrix(), load(path).matrix())


@settings(deadline=None)
@given(tables())
def test_json_round_trip(folder: Path, table: pd.DataFrame) -> None:
    """As records."""
    path = folder / "table.json"
    path.write_text(json.dumps(table.to_dict("records")))
    assert_same(load(table).matrix(), load(path).matrix())


@settings(max_examples=50, deadline=None)
@given(tables())
def test_wide_is_long(table: pd.DataFrame) -> None:
    """A column per model says the same as a row per score."""
    wide = table.pivot_table(index=["repeat", "fold"], columns="model", values="score", dropna=False, aggfunc="sum", min_count=1)
    wide = wide.reset_index().dropna(subset=["repeat"])
    wide = wide.merge(table[["repeat", "fold"]].drop_duplicates())
    counting = [name for name in wide.columns[2:] if len(wide) >= 3 and (wide[name].dropna() % 1 == 0).all()]
    if counting:
        return  # whole numbers may look like a running number
    assert_same(load(table).matrix(), load(wide).matrix())


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from('ab,;\t"\n\r0.1e-_ '), max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_in_words(folder: Path, content: bytes) -> None:
    """No file raises anything but our own errors."""
    for name in ("any.csv", "any.tsv", "any.json"):
        path = folder / name
        path.write_bytes(content)
        with contextlib.suppress(TiebreakError):
            load(path)
